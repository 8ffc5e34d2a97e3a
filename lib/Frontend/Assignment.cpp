//===- Assignment.cpp - Assignment to names, elements, attributes ---------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A name that holds a T.alloc_var is stored to, any other bound anew. Elements
// of buffers are stored to, slices filled or copied; elements of compile-time
// lists and dictionaries and attributes of objects are replaced.
//
//   x = T.alloc_var("int32")   binds x to the variable
//   x = 1                      stores 1 in it
//   y = x + 1                  binds y to a value
//   C[i, j] = y                stores an element
//   A[0:4, :] = 0.0            fills a box
//   a, *rest = (1, 2, 3)       binds a to 1 and rest to [2, 3]
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

using namespace tlc;
using namespace tlc::frontend;
using llvm::dyn_cast;
using llvm::SmallVector;

/// `target = ... = value`: the value once, then the targets from left to right,
/// as Python does.
Flow Interpreter::execAssign(const AssignStmt *s) {
  // The result of a call is not read: T.alloc_var gives the variable itself.
  bool tupleOfCalls = false;
  // `a, b = T.alloc_var(...), T.alloc_var(...)`: the variables, too.
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
  // An element of a buffer is read now: the name keeps its present value.
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

/// `a, *b, c = value`: as many names as values, one star for the rest. False
/// after a report.
///   a, b = 1, 2      a, *b = 1, 2, 3  (b is [2, 3])      (a, b), c = f()
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
  // What the star takes: a list, possibly empty.
  size_t extra = hasStar ? values.size() + 1 - targets.size() : 0;
  // `v` counts values, `i` targets; the star takes `extra` values at once.
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

/// Gives a buffer the name that it is first assigned to. Names appear in the
/// IR, in reports, and as names of arguments on the command line: T.empty's
/// tensor is called what its result is assigned to.
void Interpreter::nameBuffer(BufferObject *buffer, StringRef name) {
  buffer->name = name.str();
  if (!buffer->memref)
    return;
  if (auto alloc = buffer->memref.getDefiningOp<tile::AllocOp>())
    alloc.setName(name);
  if (buffer->argument < 0)
    return;
  arguments[size_t(buffer->argument)].name = name.str();
  if (auto tensor = buffer->memref.getDefiningOp<tile::TensorOp>())
    tensor.setName(name);
}

/// target = value. A name is bound, and a buffer without a name takes it; an
/// element is stored to, a box copied to or filled; dictionaries and lists
/// change in place. False after a report.
bool Interpreter::assign(const Expr *target, Value value, SourceRange range) {
  switch (target->kind) {
  case ExprKind::Name: {
    StringRef name = llvm::cast<NameExpr>(target)->id;
    if (value.is(VK::Buffer)) {
      if (value.as<BufferObject>()->name.empty())
        nameBuffer(value.as<BufferObject>(), name);
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
    // By what stands on the right: V[i] = vector, C[i, j] = scalar, A[0:4] =
    // buffer, A[0:4] = vector, A[0:4] = scalar for all.
    if (object.is(VK::Buffer)) {
      SmallVector<Value> indices = {index};
      if (index.is(VK::Tuple))
        indices.assign(index.as<SequenceObject>()->elements);
      // V[i] of a buffer of vectors names all lanes of one element.
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
      // A[...] = B[...] is T.copy(B[...], A[...]).
      if (value.is(VK::Buffer) || value.is(VK::Region)) {
        Box src, dst;
        return toBox(value, range, src, "source") &&
               toBox(element, target->range, dst, "destination") &&
               copyBoxes(src, dst, range, nullptr);
      }
      if (Box box; value.is(VK::Vector))
        return toBox(element, target->range, box, "destination") &&
               storeLanes(box, value, range);
      // A[0:4, :] = 0.0 fills.
      return fillBox(element, value, range, range);
    }
    if (object.is(VK::Dict)) {
      setEntry(object.as<DictObject>(), index, value);
      return true;
    }
    if (auto done = special(object, "__setitem__", {index, value}, range))
      return bool(*done);
    if (object.is(VK::List) && index.is(VK::Slice)) {
      auto *slice = index.as<SliceObject>();
      auto &elements = object.as<SequenceObject>()->elements;
      int64_t n = int64_t(elements.size());
      SmallVector<Value> values;
      if (!iterate(value, range, values))
        return false;
      for (Value v : {slice->lower, slice->upper, slice->step})
        if (!v.is(VK::None) && !v.isIntLike())
          return bool(typeError(target->range, "integers in the slice", v));
      if (!slice->step.is(VK::None) && slice->step.asInt() != 1) {
        error(DiagID::SlicedStep, target->range,
              "a list is assigned to in steps of 1 only");
        return false;
      }
      auto bound = [&](Value v, int64_t absent) {
        int64_t i = v.is(VK::None) ? absent : v.asInt();
        return std::clamp<int64_t>(i < 0 ? i + n : i, 0, n);
      };
      int64_t lower = bound(slice->lower, 0), upper = bound(slice->upper, n);
      SmallVector<Value> all(elements.begin(), elements.begin() + lower);
      all.append(values);
      all.append(elements.begin() + std::max(lower, upper), elements.end());
      elements.assign(all);
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
  case ExprKind::Attribute: {
    auto *attr = llvm::cast<AttributeExpr>(target);
    Value object = evalRef(attr->object);
    return object && setAttribute(object, attr->attr, value, target->range);
  }
  default:
    error(DiagID::NotSupportedInKernel, target->range,
          "this cannot be assigned to in kernel code");
    return false;
  }
}

/// `target op= value`. The target's parts are evaluated once, as Python does.
Flow Interpreter::execAugAssign(const AugAssignStmt *s) {
  // As a reference, so that the place is evaluated once: A[f(i)] += 1 calls f
  // once.
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
  // The old value before the operand: `x += f()` where f changes x adds to what
  // x was.
  Value old = deref(current, s->target->range);
  Value operand = old ? eval(s->value) : Value();
  if (!operand)
    return Flow::Error;
  // A list grows where it is, for all names it has.
  if (old.is(VK::List) && s->op == BinOpKind::Add && operand.isSequence()) {
    SmallVector<Value> more(operand.as<SequenceObject>()->elements);
    llvm::append_range(old.as<SequenceObject>()->elements, more);
    return Flow::Next;
  }
  Value v = binary(s->op, old, operand, s->range);
  if (!v)
    return Flow::Error;
  bool ok;
  if (current.is(VK::Buffer))
    ok = storeVariable(current.as<BufferObject>(), v, s->range);
  else if (current.is(VK::Region))
    ok = store(current.as<RegionObject>()->buffer,
               current.as<RegionObject>()->offsets, v, s->range);
  // A name of a compile-time value is bound anew.
  else
    ok = assign(s->target, v, s->range);
  return ok ? Flow::Next : Flow::Error;
}

/// Whether `s` gives a parameter of an eager function the type of a tensor.
static bool isTensorParameter(Scope *scope, StringRef name,
                              const AnnAssignStmt *s) {
  const Expr *type = s->annotation;
  if (auto *call = dyn_cast<CallExpr>(type))
    type = call->callee;
  else if (auto *subscript = dyn_cast<SubscriptExpr>(type))
    type = subscript->object;
  auto *attr = dyn_cast<AttributeExpr>(type);
  return attr && (attr->attr == "Tensor" || attr->attr == "StridedTensor") &&
         scope->staged && scope->function &&
         llvm::any_of(scope->function->params(),
                      [&](const Param &p) { return p.name == name; });
}

/// `A: T.Tensor((M, K), dtype)` gives a parameter of an eager function its
/// type. With a value it is an assignment.
Flow Interpreter::execAnnAssign(const AnnAssignStmt *s) {
  auto *name = dyn_cast<NameExpr>(s->target);
  if (!s->value) {
    // Only a parameter that still waits for its type; any other annotation is a
    // comment.
    auto it = name ? scope->names.find(name->id) : scope->names.end();
    // A tensor type counts even if the body has given the name another value.
    if (it == scope->names.end() || (it->second.state != Binding::Pending &&
                                     !isTensorParameter(scope, name->id, s)))
      return Flow::Next;
    Value type = eval(s->annotation);
    if (!type)
      return Flow::Error;
    // Its place among the function's parameters is the argument's.
    unsigned order = 0;
    const Param *param = nullptr;
    for (auto [i, p] : llvm::enumerate(scope->function->params()))
      if (p.name == name->id) {
        order = unsigned(i);
        param = &p;
      }
    // `n: T.int32`: a number that comes with the launch.
    if (param && type.is(VK::DType)) {
      bool bound = false;
      return bindTyped(*param, order, type, true, scope, bound) ? Flow::Next
                                                                : Flow::Error;
    }
    // `A: T.ptr`: memory whose shape T.make_tensor gives later.
    if (Value pointer = pointerParameter(type, name->id, order))
      return bindName(name->id, pointer, s->range) ? Flow::Next : Flow::Error;
    if (!type.is(VK::Annotation)) {
      typeError(s->annotation->range,
                "a tensor type such as T.Tensor((M, N), dtype)", type);
      return Flow::Error;
    }
    // From here on the name is an argument of the kernel.
    BufferObject *buffer = addTensor(name->id, type.as<AnnotationObject>(),
                                     Argument::Param, order, s->range);
    return buffer && bindName(name->id, Value::object(buffer), s->range)
               ? Flow::Next
               : Flow::Error;
  }
  Value v = llvm::isa<CallExpr>(s->value) ? evalRef(s->value) : eval(s->value);
  if (!v)
    return Flow::Error;
  // `x: T.float16 = 1.0` in a kernel converts, as a declaration in C would.
  // Outside of kernels annotations are Python's: they change nothing.
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
