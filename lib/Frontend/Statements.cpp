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
  case StmtKind::ClassDef:
    return bindName(llvm::cast<ClassDefStmt>(s)->name,
                    makePoison("the class '" +
                                   llvm::cast<ClassDefStmt>(s)->name + "'",
                               s->range),
                    s->range)
               ? Flow::Next
               : Flow::Error;
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

//===----------------------------------------------------------------------===//
// Assignment
//===----------------------------------------------------------------------===//

Flow Interpreter::execAssign(const AssignStmt *s) {
  // The result of a call is not read: T.alloc_var gives the variable itself.
  bool tupleOfCalls = false;
  if (auto *tuple = dyn_cast<TupleExpr>(s->value))
    tupleOfCalls = llvm::all_of(tuple->elements,
                                [](Expr *e) { return llvm::isa<CallExpr>(e); });
  Value v;
  if (tupleOfCalls) {
    SmallVector<Value> elements;
    if (!evalList(llvm::cast<TupleExpr>(s->value)->elements, elements,
                  /*reference=*/true))
      return Flow::Error;
    v = makeSequence(VK::Tuple, elements);
  } else {
    v = llvm::isa<CallExpr>(s->value) ? evalRef(s->value) : eval(s->value);
  }
  if (!v)
    return Flow::Error;
  if (v.is(VK::Region) && v.as<RegionObject>()->isElement &&
      !(v = deref(v, s->value->range)))
    return Flow::Error;
  // tx = T.thread_binding(n, thread=...): the index itself, without a loop.
  if (v.is(VK::Loop) && v.as<LoopObject>()->type == LoopObject::Thread) {
    at(s->value->range);
    uint64_t dim = uint64_t(v.as<LoopObject>()->threadDim);
    v = Value::scalar(
        {tile::ThreadIdOp::create(b, b.getI32Type(), dim), dtypes::int32});
  }
  for (const Expr *target : s->targets)
    if (!assign(target, v, s->range))
      return Flow::Error;
  return Flow::Next;
}

bool Interpreter::unpack(ExprList targets, Value value, SourceRange range) {
  SmallVector<Value> values;
  if (!iterate(value, range, values))
    return false;
  size_t star =
      llvm::find_if(targets,
                    [](Expr *e) { return llvm::isa<StarredExpr>(e); }) -
      targets.begin();
  bool hasStar = star < targets.size();
  if (hasStar ? values.size() + 1 < targets.size()
              : values.size() != targets.size()) {
    error(DiagID::BadCall, range,
          llvm::Twine(values.size()) + " values for " +
              llvm::Twine(targets.size()) + " names");
    return false;
  }
  size_t extra = hasStar ? values.size() + 1 - targets.size() : 0;
  for (size_t i = 0, v = 0; i < targets.size(); ++i) {
    if (i == star) {
      Value list =
          makeSequence(VK::List, ArrayRef<Value>(values).slice(v, extra));
      v += extra;
      if (!assign(llvm::cast<StarredExpr>(targets[i])->value, list, range))
        return false;
    } else if (!assign(targets[i], values[v++], range)) {
      return false;
    }
  }
  return true;
}

bool Interpreter::assign(const Expr *target, Value value, SourceRange range) {
  switch (target->kind) {
  case ExprKind::Name: {
    StringRef name = llvm::cast<NameExpr>(target)->id;
    if (value.is(VK::Buffer)) {
      auto *buffer = value.as<BufferObject>();
      if (buffer->name.empty()) {
        buffer->name = name.str();
        if (auto alloc = buffer->memref
                             ? buffer->memref.getDefiningOp<tile::AllocOp>()
                             : nullptr)
          alloc.setName(name);
        if (buffer->argument >= 0) {
          arguments[size_t(buffer->argument)].name = name.str();
          if (auto tensor = buffer->memref.getDefiningOp<tile::TensorOp>())
            tensor.setName(name);
        }
      }
    }
    return bindName(name, value, target->range);
  }
  case ExprKind::Tuple:
    return unpack(llvm::cast<TupleExpr>(target)->elements, value, range);
  case ExprKind::List:
    return unpack(llvm::cast<ListExpr>(target)->elements, value, range);
  case ExprKind::Subscript: {
    auto *sub = llvm::cast<SubscriptExpr>(target);
    Value object = evalRef(sub->object),
          index = object ? eval(sub->index) : Value();
    if (!index)
      return false;
    if (object.is(VK::Buffer)) {
      SmallVector<Value> indices = {index};
      if (index.is(VK::Tuple))
        indices.assign(index.as<SequenceObject>()->elements);
      if (namesVector(object.as<BufferObject>(), indices) &&
          !value.is(VK::Buffer) && !value.is(VK::Region))
        return storeVector(object.as<BufferObject>(), indices, value, range);
      Value element =
          indexBuffer(object.as<BufferObject>(), index, target->range, true);
      if (!element)
        return false;
      auto *region = element.as<RegionObject>();
      if (region->isElement)
        return store(region->buffer, region->offsets, value, range);
      if (value.is(VK::Buffer) || value.is(VK::Region)) {
        Box src, dst;
        return toBox(value, range, src, "source") &&
               toBox(element, target->range, dst, "destination") &&
               copyBoxes(src, dst, range, nullptr);
      }
      if (Box box; value.is(VK::Vector))
        return toBox(element, target->range, box, "destination") &&
               storeLanes(box, value, range);
      return fillBox(element, value, range, range);
    }
    if (object.is(VK::Dict)) {
      setEntry(object.as<DictObject>(), index, value);
      return true;
    }
    if (object.is(VK::List) && index.isIntLike()) {
      auto &elements = object.as<SequenceObject>()->elements;
      int64_t i = index.asInt() < 0 ? index.asInt() + int64_t(elements.size())
                                    : index.asInt();
      if (i >= 0 && i < int64_t(elements.size())) {
        elements[size_t(i)] = value;
        return true;
      }
      error(DiagID::IndexOutOfBounds, target->range,
            "the list has no such element");
      return false;
    }
    typeError(target->range, "a buffer to store into", object);
    return false;
  }
  default:
    error(DiagID::NotSupportedInKernel, target->range,
          "this cannot be assigned to in kernel code");
    return false;
  }
}

Flow Interpreter::execAugAssign(const AugAssignStmt *s) {
  Value current = evalRef(s->target);
  if (!current)
    return Flow::Error;
  if (current.is(VK::Buffer) && !current.as<BufferObject>()->isVar) {
    error(DiagID::TypeMismatch, s->range,
          "'" + spelling(s->op) + "=' does not work on a whole buffer")
        .help("loop over its elements with T.Parallel");
    return Flow::Error;
  }
  if (current.is(VK::Region) && !current.as<RegionObject>()->isElement) {
    error(DiagID::TypeMismatch, s->range,
          "'" + spelling(s->op) + "=' does not work on a slice")
        .help("loop over its elements with T.Parallel");
    return Flow::Error;
  }
  Value old = deref(current, s->target->range);
  Value operand = old ? eval(s->value) : Value();
  if (!operand)
    return Flow::Error;
  Value v = binary(s->op, old, operand, s->range);
  if (!v)
    return Flow::Error;
  bool ok;
  if (current.is(VK::Buffer))
    ok = store(current.as<BufferObject>(), {Value::integral(0)}, v, s->range);
  else if (current.is(VK::Region))
    ok = store(current.as<RegionObject>()->buffer,
               current.as<RegionObject>()->offsets, v, s->range);
  else
    ok = assign(s->target, v, s->range);
  return ok ? Flow::Next : Flow::Error;
}

/// `A: T.Tensor((M, K), dtype)` gives a parameter of an eager function its
/// type. With a value it is an assignment.
Flow Interpreter::execAnnAssign(const AnnAssignStmt *s) {
  auto *name = dyn_cast<NameExpr>(s->target);
  if (!s->value) {
    auto it = name ? scope->names.find(name->id) : scope->names.end();
    if (it == scope->names.end() || it->second.state != Binding::Pending)
      return Flow::Next;
    Value type = eval(s->annotation);
    if (!type)
      return Flow::Error;
    unsigned order = 0;
    for (auto [i, p] : llvm::enumerate(scope->function->params()))
      if (p.name == name->id)
        order = unsigned(i);
    if (Value pointer = pointerParameter(type, name->id, order))
      return bindName(name->id, pointer, s->range) ? Flow::Next : Flow::Error;
    if (!type.is(VK::Annotation)) {
      typeError(s->annotation->range,
                "a tensor type such as T.Tensor((M, N), dtype)", type);
      return Flow::Error;
    }
    BufferObject *buffer = addTensor(name->id, type.as<AnnotationObject>(),
                                     Argument::Param, order, s->range);
    return buffer && bindName(name->id, Value::object(buffer), s->range)
               ? Flow::Next
               : Flow::Error;
  }
  Value v = llvm::isa<CallExpr>(s->value) ? evalRef(s->value) : eval(s->value);
  if (!v)
    return Flow::Error;
  if (scope->staged && kernelOp && (v.isNumber() || v.is(VK::Scalar))) {
    Value type = eval(s->annotation);
    if (!type)
      return Flow::Error;
    if (type.is(VK::DType)) {
      Sym sym = castValue(v, type.asDType(), s->value->range);
      if (!sym)
        return Flow::Error;
      v = fold(sym);
    }
  }
  return assign(s->target, v, s->range) ? Flow::Next : Flow::Error;
}

//===----------------------------------------------------------------------===//
// The rest
//===----------------------------------------------------------------------===//

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
