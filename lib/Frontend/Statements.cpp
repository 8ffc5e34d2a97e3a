//===- Statements.cpp - Execution of statement nodes ----------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Execution of statements. Flow tells how one ended: the next one runs, or a
// break, continue or return is under way, or something failed and was reported.
// Compile-time control flow is this interpreter's own; on the device
// (ControlFlow.cpp) a break is a store to a flag, and the flow it returns ends
// only the statements of its block.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

using namespace tlc;
using namespace tlc::frontend;
using llvm::dyn_cast;
using llvm::SmallVector;

/// Bounds compile-time work, so that `while True` in a factory ends. Counts
/// statements and expressions; false beyond the limit, with one report. The
/// last place serves errors that have none.
bool Interpreter::step(SourceRange range) {
  constexpr unsigned kMostSteps = 10'000'000;
  lastPlace = range;
  if (++steps <= kMostSteps)
    return true;
  if (steps == kMostSteps + 1)
    error(DiagID::StepLimit, range, "compile-time code runs too long");
  return false;
}

/// `break`, or the call that means it: T.loop_break().
static bool isBreak(const Stmt *s) {
  if (s->kind != StmtKind::Expr)
    return s->kind == StmtKind::Break;
  auto *call = dyn_cast<CallExpr>(llvm::cast<ExprStmt>(s)->value);
  auto *attr = call ? dyn_cast<AttributeExpr>(call->callee) : nullptr;
  auto *name = call ? dyn_cast<NameExpr>(call->callee) : nullptr;
  return (attr && attr->attr == "loop_break") ||
         (name && name->id == "loop_break");
}

/// Whether a statement is a call of that function of the language alone.
static bool isCallOf(const Stmt *s, StringRef name) {
  auto *e = dyn_cast<ExprStmt>(s);
  auto *call = e ? dyn_cast<CallExpr>(e->value) : nullptr;
  auto *attr = call ? dyn_cast<AttributeExpr>(call->callee) : nullptr;
  return attr && attr->attr == name;
}

bool frontend::mayExit(const Stmt *s) {
  // Loops inside keep their own exits; other statements cannot have any.
  auto any = [](StmtList body) { return llvm::any_of(body, mayExit); };
  switch (s->kind) {
  case StmtKind::Expr:
    return isBreak(s);
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

/// Statements one after another.
Flow Interpreter::execBlock(StmtList body) {
  for (size_t i = 0; i < body.size(); ++i) {
    // `if c: T.thread_return()` in the kernel's own block: the rest is its
    // else.
    auto *branch = dyn_cast<IfStmt>(body[i]);
    if (body.end() == kernelEnd && branch && branch->orelse.empty() &&
        isCallOf(branch->body.back(), "thread_return")) {
      auto *rest = ast.create<IfStmt>();
      rest->range = branch->range;
      rest->condition = branch->condition;
      rest->body = branch->body.drop_back();
      rest->orelse = body.drop_front(i + 1);
      return execIf(rest);
    }
    Flow flow = exec(body[i]);
    if ((flow == Flow::Break || flow == Flow::Continue) && kernelOp &&
        scope->staged && i + 1 < body.size() &&
        (isBreak(body[i]) || body[i]->kind == StmtKind::Continue))
      diags.report(DiagID::DeadCode, body[i + 1]->range, "this never runs")
          .note(body[i]->range, "the iteration ends here");
    if (flow != Flow::Next)
      return flow;
    // After a conditional break or continue on the device, the rest runs only
    // if neither happened.
    if (!exitFlag || !inDeviceLoop || i + 1 == body.size() || !mayExit(body[i]))
      continue;
    // Both flags are tested at once: after either, the rest of this iteration
    // is skipped, and `exit` also ends the loop.
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

Flow Interpreter::leaveLoop(const Stmt *s) {
  bool breaks = isBreak(s);
  if (inDeviceLoop && exitFlag) {
    at(s->range);
    setFlag(breaks ? exitFlag : skipFlag, true);
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
  return breaks ? Flow::Break : Flow::Continue;
}

/// One statement.
Flow Interpreter::exec(const Stmt *s) {
  if (!step(s->range))
    return Flow::Error;
  if (isBreak(s) || s->kind == StmtKind::Continue)
    return leaveLoop(s);
  switch (s->kind) {
  case StmtKind::Expr: {
    auto *e = llvm::cast<ExprStmt>(s)->value;
    if (llvm::isa<ConstantExpr>(e))
      return Flow::Next; // docstrings, `...`
    Value v = evalRef(e);
    // A call of host code in a kernel has no meaning; before the kernel it may
    // be logging.
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
  // A function becomes a value: its body waits until it is called.
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
    return execScope(llvm::cast<ScopeStmt>(s));
  case StmtKind::Pass:
    return Flow::Next;
  case StmtKind::Break:
  case StmtKind::Continue:
    break;
  case StmtKind::Delete:
    return execDelete(llvm::cast<DeleteStmt>(s));
  case StmtKind::Match:
    return execMatch(llvm::cast<MatchStmt>(s));
  }
  return Flow::Error;
}

/// `if`: one branch if the condition is known, both on the device otherwise.
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

/// The value is kept in returnValue, and its expression, which names outputs.
/// There are no returns on the device: a kernel's threads go on together.
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

/// `assert c, message`: checked now if c is known, by the kernel otherwise.
Flow Interpreter::execAssert(const AssertStmt *s) {
  Value cond = eval(s->condition);
  bool failed = false;
  auto t = truth(cond, s->condition->range, failed);
  if (failed)
    return Flow::Error;
  if (t && *t)
    return Flow::Next;
  // The message is evaluated only when it is needed, as Python does.
  std::string message;
  if (s->message) {
    Value m = eval(s->message);
    if (!m)
      return Flow::Error;
    message = str(m);
  }
  if (t) {
    error(DiagID::AssertionFailed, callerOf(s->range),
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
  if (message.empty())
    message = "assertion failed";
  addMessage(tile::AssertOp::create(b, c, message), "!" + message, s->range);
  return Flow::Next;
}

/// `nonlocal` and `global`: assignments to the names go to the function around
/// that binds them, or to the file.
Flow Interpreter::execScope(const ScopeStmt *s) {
  for (StringRef name : s->names) {
    Scope *owner = scope->parent;
    while (owner && owner->parent && (s->isGlobal || !owner->names.count(name)))
      owner = owner->parent;
    if (owner)
      scope->elsewhere[name] = owner;
  }
  return Flow::Next;
}

/// `del x`, `del x[i]`, `del x[i:j]`, `del x.a`
Flow Interpreter::execDelete(const DeleteStmt *s) {
  for (const Expr *target : s->targets) {
    if (auto *name = dyn_cast<NameExpr>(target)) {
      scope->names.erase(name->id);
      continue;
    }
    auto *sub = dyn_cast<SubscriptExpr>(target);
    Value object = sub ? evalRef(sub->object) : Value();
    Value index = object ? eval(sub->index) : Value();
    if (sub && !index)
      return Flow::Error;
    if (sub && object.is(VK::Dict)) {
      auto &entries = object.as<DictObject>()->entries;
      auto entry = llvm::find_if(entries, [&](auto &e) {
        return hostEquals(e.first, index).value_or(false);
      });
      if (entry == entries.end()) {
        error(DiagID::BadArgument, target->range,
              "the dictionary has no key " + str(index, true));
        return Flow::Error;
      }
      entries.erase(entry);
      continue;
    }
    if (sub && object.is(VK::List)) {
      // What stays: all elements that the index does not name.
      auto &elements = object.as<SequenceObject>()->elements;
      SmallVector<Value> places;
      for (size_t i = 0; i < elements.size(); ++i)
        places.push_back(Value::integral(int64_t(i)));
      Value named =
          subscript(makeSequence(VK::List, places), index, target->range);
      if (!named)
        return Flow::Error;
      SmallVector<Value> gone{named}, kept;
      if (named.is(VK::List))
        gone.assign(named.as<SequenceObject>()->elements);
      for (size_t i = 0; i < elements.size(); ++i)
        if (llvm::none_of(gone,
                          [&](Value g) { return g.asInt() == int64_t(i); }))
          kept.push_back(elements[i]);
      elements.assign(kept);
      continue;
    }
    error(DiagID::NotSupportedInKernel, target->range,
          "this cannot be deleted in kernel code");
    return Flow::Error;
  }
  return Flow::Next;
}

/// An import inside a function. A star import binds nothing: the module level
/// takes care of those.
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

/// The call of a function of the language that an item of a `with` is.
static const CallExpr *frameCall(const WithStmt::Item &item, StringRef name) {
  auto *call = dyn_cast<CallExpr>(item.context);
  auto *attr = call ? dyn_cast<AttributeExpr>(call->callee) : nullptr;
  return attr && attr->attr == name ? call : nullptr;
}

/// The branches that T.If frames write, as an `if`; null for other statements.
///   with T.If(c), T.Then(): A      if c: A
///   with T.If(c):
///       with T.Then(): A           if c: A
///       with T.Else(): B           else: B
const IfStmt *Interpreter::branchOf(const WithStmt *s) {
  auto *call = frameCall(s->items[0], "If");
  if (!call || call->args.size() != 1 || !call->keywords.empty())
    return nullptr;
  auto *branch = ast.create<IfStmt>();
  branch->range = s->range;
  branch->condition = call->args[0];
  if (s->items.size() == 2 && frameCall(s->items[1], "Then")) {
    branch->body = s->body;
    return branch;
  }
  if (s->items.size() != 1)
    return nullptr;
  for (const Stmt *part : s->body) {
    auto *inner = dyn_cast<WithStmt>(part);
    bool isThen = inner && frameCall(inner->items[0], "Then");
    if (!isThen && !(inner && frameCall(inner->items[0], "Else")))
      return nullptr;
    (isThen ? branch->body : branch->orelse) = inner->body;
  }
  return branch;
}

/// `with`. Of its items one may be a T.Kernel; None comes from hints such as
/// T.attr.
Flow Interpreter::execWith(const WithStmt *s) {
  if (const IfStmt *branch = branchOf(s))
    return execIf(branch);
  KernelObject *kernel = nullptr;
  size_t kernelItem = 0;
  SmallVector<Value> managers;
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
    if (context.is(VK::Instance)) {
      auto entered = special(context, "__enter__", {}, range);
      if (!entered)
        typeError(range, "T.Kernel(...)", context);
      if (!entered || !*entered ||
          (item.target && !assign(item.target, *entered, range)))
        return Flow::Error;
      managers.push_back(context);
      continue;
    }
    if (!context.is(VK::None)) { // T.attr and the like: a hint around a block
      typeError(range, "T.Kernel(...)", context);
      return Flow::Error;
    }
  }
  Flow flow = kernel ? kernelLaunch(s, kernelItem, kernel) : execBlock(s->body);
  // Left in reverse; what __exit__ would swallow is an error here all the same.
  SmallVector<Value> nothing(3, Value::none());
  for (Value manager : llvm::reverse(managers))
    if (flow != Flow::Error)
      if (auto left = special(manager, "__exit__", nothing, s->range);
          left && !*left)
        return Flow::Error;
  return flow;
}
