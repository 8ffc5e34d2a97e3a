//===- Statements.cpp - Execution of statement nodes ----------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

using namespace tlc;
using namespace tlc::frontend;
using llvm::dyn_cast;
using llvm::SmallVector;

/// Bounds compile-time work, so that `while True` in a factory ends.
bool Interpreter::step(SourceRange range) {
  lastPlace = range;
  if (++steps <= 20'000'000)
    return true;
  if (steps == 20'000'001)
    error(DiagID::StepLimit, range, "compile-time code runs too long");
  return false;
}

/// Whether a statement may leave the loop around it.
static bool mayExit(const Stmt *s) {
  auto any = [](StmtList body) { return llvm::any_of(body, mayExit); };
  switch (s->kind) {
  case StmtKind::Break:
  case StmtKind::Continue:
    return true;
  case StmtKind::If:
    return any(llvm::cast<IfStmt>(s)->body) ||
           any(llvm::cast<IfStmt>(s)->orelse);
  case StmtKind::With:
    return any(llvm::cast<WithStmt>(s)->body);
  default:
    return false;
  }
}

Flow Interpreter::execBlock(StmtList body) {
  for (size_t i = 0; i < body.size(); ++i) {
    Flow flow = exec(body[i]);
    if (flow != Flow::Next)
      return flow;
    // After a conditional break or continue on the device, the rest runs only
    // if neither happened.
    if (!exitFlag || !inDeviceLoop || i + 1 == body.size() || !mayExit(body[i]))
      continue;
    mlir::Value running = notExited();
    auto ifOp = mlir::scf::IfOp::create(b, running, /*withElseRegion=*/false);
    bool ok = inRegion(ifOp.thenBlock(), false, [&] {
      flow = execBlock(body.drop_front(i + 1));
      return flow != Flow::Error;
    });
    return ok ? Flow::Next : Flow::Error;
  }
  return Flow::Next;
}

Flow Interpreter::exec(const Stmt *s) {
  if (!step(s->range))
    return Flow::Error;
  switch (s->kind) {
  case StmtKind::Expr: {
    auto *e = llvm::cast<ExprStmt>(s)->value;
    if (llvm::isa<ConstantExpr>(e))
      return Flow::Next; // docstrings, `...`
    Value v = evalRef(e);
    if (v && v.is(VK::Poison) && kernelOp && scope->staged) {
      poisonError(v, e->range);
      return Flow::Error;
    }
    return v ? Flow::Next : Flow::Error;
  }
  case StmtKind::Assign:
    return execAssign(llvm::cast<AssignStmt>(s));
  case StmtKind::AugAssign:
    return execAugAssign(llvm::cast<AugAssignStmt>(s));
  case StmtKind::AnnAssign:
    return execAnnAssign(llvm::cast<AnnAssignStmt>(s));
  case StmtKind::For:
    return execFor(llvm::cast<ForStmt>(s));
  case StmtKind::While:
    return execWhile(llvm::cast<WhileStmt>(s));
  case StmtKind::If:
    return execIf(llvm::cast<IfStmt>(s));
  case StmtKind::With:
    return execWith(llvm::cast<WithStmt>(s));
  case StmtKind::FunctionDef: {
    Value fn = makeFunction(llvm::cast<FunctionDefStmt>(s));
    return fn && bindName(llvm::cast<FunctionDefStmt>(s)->name, fn, s->range)
               ? Flow::Next
               : Flow::Error;
  }
  case StmtKind::ClassDef: {
    Value cls = makeClass(llvm::cast<ClassDefStmt>(s));
    return cls && bindName(llvm::cast<ClassDefStmt>(s)->name, cls, s->range)
               ? Flow::Next
               : Flow::Error;
  }
  case StmtKind::Return:
    return execReturn(llvm::cast<ReturnStmt>(s));
  case StmtKind::Raise:
    return execRaise(llvm::cast<RaiseStmt>(s));
  case StmtKind::Try:
    return execTry(llvm::cast<TryStmt>(s));
  case StmtKind::Assert:
    return execAssert(llvm::cast<AssertStmt>(s));
  case StmtKind::Import:
  case StmtKind::ImportFrom:
    return execImport(s);
  case StmtKind::Scope:
  case StmtKind::Pass:
    return Flow::Next;
  case StmtKind::Break:
  case StmtKind::Continue: {
    bool isBreak = s->kind == StmtKind::Break;
    if (inDeviceLoop && exitFlag) {
      at(s->range);
      setFlag(isBreak ? exitFlag : skipFlag, true);
    } else if (inDeviceLoop) {
      error(DiagID::BadLoop, s->range,
            "this loop cannot be left early: its iterations run in any order");
      return Flow::Error;
    } else if (regionDepth > hostLoopRegion) {
      error(DiagID::BadLoop, s->range,
            "this loop is unrolled by the compiler: no condition of the device "
            "can leave it or skip its iterations")
          .help("loop with T.serial, which runs on the device");
      return Flow::Error;
    }
    return isBreak ? Flow::Break : Flow::Continue;
  }
  case StmtKind::Delete:
    for (const Expr *target : llvm::cast<DeleteStmt>(s)->targets)
      if (auto *name = dyn_cast<NameExpr>(target))
        scope->names.erase(name->id);
    return Flow::Next;
  case StmtKind::Match:
    error(DiagID::NotSupportedInKernel, s->range,
          "'match' cannot stand in kernel code");
    return Flow::Error;
  }
  return Flow::Error;
}

Flow Interpreter::execIf(const IfStmt *s) {
  Value cond = eval(s->condition);
  bool failed = false;
  auto t = truth(cond, s->condition->range, failed);
  if (failed)
    return Flow::Error;
  if (t)
    return execBlock(*t ? s->body : s->orelse);
  mlir::Value c = toI1(cond, s->condition->range);
  return c ? symbolicIf(s, c) : Flow::Error;
}

Flow Interpreter::execReturn(const ReturnStmt *s) {
  if (regionDepth) {
    error(DiagID::BadReturn, s->range,
          "a return inside a block that runs on the device");
    return Flow::Error;
  }
  returnExpr = s->value;
  returnValue = s->value ? evalRef(s->value) : Value::none();
  return returnValue ? Flow::Return : Flow::Error;
}

Flow Interpreter::execRaise(const RaiseStmt *s) {
  std::string text = "the program raised an exception";
  if (s->exception) {
    Value v = eval(s->exception);
    if (!v)
      return Flow::Error;
    if (v.is(VK::Exception)) {
      auto *e = v.as<ExceptionObject>();
      text = e->type.str() + (e->message.empty() ? "" : ": " + e->message);
    }
  }
  error(DiagID::Raised, s->range, text);
  return Flow::Error;
}

Flow Interpreter::execAssert(const AssertStmt *s) {
  Value cond = eval(s->condition);
  bool failed = false;
  auto t = truth(cond, s->condition->range, failed);
  if (failed)
    return Flow::Error;
  if (t && *t)
    return Flow::Next;
  std::string message;
  if (s->message) {
    Value m = eval(s->message);
    if (!m)
      return Flow::Error;
    message = str(m);
  }
  if (t) {
    error(DiagID::AssertionFailed, s->range,
          message.empty() ? "this assertion does not hold"
                          : "assertion failed: " + message);
    return Flow::Error;
  }
  mlir::Value c = toI1(cond, s->condition->range);
  if (!c)
    return Flow::Error;
  if (!kernelOp)
    return Flow::Next; // a condition on runtime sizes: bounds are checked
                       // anyway
  at(s->range);
  tile::AssertOp::create(b, c, message.empty() ? "assertion failed" : message);
  return Flow::Next;
}

/// The body runs; handlers cannot: a failure is a located message already.
Flow Interpreter::execTry(const TryStmt *s) {
  Flow flow = execBlock(s->body);
  if (flow == Flow::Next)
    flow = execBlock(s->orelse);
  if (flow == Flow::Error)
    return flow;
  Flow last = execBlock(s->finalbody);
  return last == Flow::Next ? flow : last;
}

Flow Interpreter::execImport(const Stmt *s) {
  if (auto *import = dyn_cast<ImportStmt>(s)) {
    for (const ImportAlias &a : import->names) {
      StringRef name = a.asName.empty() ? a.name.split('.').first : a.asName;
      Value v = importModule(a.asName.empty() ? name : a.name, a.range);
      if (!v || !bindName(name, v, a.range))
        return Flow::Error;
    }
    return Flow::Next;
  }
  auto *from = llvm::cast<ImportFromStmt>(s);
  for (const ImportAlias &a : from->names) {
    if (a.name == "*")
      continue;
    Value v = importMember(from->module, a.name, a.range, from->level);
    if (!v || !bindName(a.asName.empty() ? a.name : a.asName, v, a.range))
      return Flow::Error;
  }
  return Flow::Next;
}

Flow Interpreter::execWith(const WithStmt *s) {
  KernelObject *kernel = nullptr;
  size_t kernelItem = 0;
  for (auto [i, item] : llvm::enumerate(s->items)) {
    Value context = eval(item.context);
    if (!context)
      return Flow::Error;
    SourceRange range = item.context->range;
    if (context.is(VK::Kernel) && !kernel) {
      kernel = context.as<KernelObject>();
      kernelItem = i;
      continue;
    }
    if (context.is(VK::Poison)) {
      poisonError(context, range);
      return Flow::Error;
    }
    if (!context.is(VK::None)) { // T.attr and the like: a hint around a block
      typeError(range, "T.Kernel(...)", context);
      return Flow::Error;
    }
  }
  return kernel ? kernelLaunch(s, kernelItem, kernel) : execBlock(s->body);
}
