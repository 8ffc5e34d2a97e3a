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
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

using namespace tlc;
using namespace tlc::frontend;
using llvm::dyn_cast;
using llvm::SmallVector;

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

/// Gives a buffer the name that it is first assigned to.
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
