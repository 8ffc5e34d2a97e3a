//===- Attributes.cpp - Attributes and methods of values ------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `value.name` means by the kind of the value. Methods come from the table
// of builtins, under "buffer.", "scalar.", "str." and so on.
//
//   A.shape        (m, 64), the sizes as values
//   x.dtype        of a Scalar, variable or element; T.float16 and the like
//   xs.append      a MethodObject: xs with the row "list.append"
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

using namespace tlc;
using namespace tlc::frontend;
using llvm::SmallVector;

/// What a layout is made of, under names that begin with an underscore, for the
/// methods that the prelude defines (layout_repeat); Invalid for others.
Value Interpreter::layoutAttribute(LayoutObject *layout, StringRef attr,
                                   SourceRange range) {
  auto function = [](FunctionObject *f) {
    return f ? Value::object(f) : Value::none();
  };
  if (attr == "_forward")
    return function(layout->map);
  if (attr == "_forward_thread")
    return function(layout->threadMap);
  if (attr == "_forward_index")
    return function(layout->registerMap);
  if (attr == "_replicate")
    return Value::integral(layout->replicas);
  if (attr == "_threads")
    return Value::boolean(layout->type == LayoutObject::Threads);
  if (attr == "shape") {
    SmallVector<Value> shape;
    for (int64_t e : layout->shape)
      shape.push_back(Value::integral(e));
    return makeSequence(VK::Tuple, shape);
  }
  if (!llvm::is_contained({"repeat", "replicate", "expand"}, attr))
    return {};
  Value f = preludeName(("layout." + attr).str(), range);
  if (!f)
    return {};
  auto *method = make<MethodObject>();
  method->function = f.as<FunctionObject>();
  method->self = Value::object(layout);
  return Value::object(method);
}

/// object.attr. Methods are rows of the table named by their receiver's type
/// ("list.append"); the result is a MethodObject that a call unpacks.
Value Interpreter::attribute(Value object, StringRef attr, SourceRange range) {
  // Invalid, without a report, where the type has no such method.
  auto method = [&](StringRef type) -> Value {
    const BuiltinInfo *builtin = findBuiltin((type + "." + attr).str());
    if (!builtin)
      return {};
    auto *m = make<MethodObject>();
    m->builtin = builtin;
    m->self = object;
    return Value::object(m);
  };
  Value found;
  switch (object.kind()) {
  case VK::Module:
    return moduleAttribute(object.as<ModuleObject>(), attr, range);
  // Attributes of host values are host values; one that a -D would define keeps
  // its name, so that the message asks for that.
  case VK::Poison: {
    auto *poison = object.as<PoisonObject>();
    Value result =
        makePoison(poison->what + (poison->missing ? "" : "." + attr),
                   poison->origin, poison->missing);
    result.as<PoisonObject>()->carried = poison->carried;
    return result;
  }
  // The lanes of a buffer of vectors are no dimension that a program sees.
  case VK::Buffer: {
    auto *buffer = object.as<BufferObject>();
    ArrayRef<Value> shape(buffer->shape);
    if (buffer->lanes > 1)
      shape = shape.drop_back();
    if (attr == "shape")
      return makeSequence(VK::Tuple, shape);
    if (attr == "dtype" && buffer->lanes > 1)
      // V.dtype of a (8, 4) buffer with 4 lanes is float32x4.
      return Value::dtype(findDType(
          (buffer->dtype->name + "x" + llvm::Twine(buffer->lanes)).str()));
    if (attr == "dtype")
      return Value::dtype(buffer->dtype);
    if (attr == "name")
      return makeString(buffer->name);
    if (attr == "data") // a pointer: only T.Tensor(shape, dtype, data) takes it
      return object;
    if (attr == "ndim")
      return Value::integral(int64_t(shape.size()));
    found = method("buffer");
    break;
  }
  case VK::Region: {
    auto *region = object.as<RegionObject>();
    if (attr == "dtype")
      return Value::dtype(region->buffer->dtype);
    if (attr == "buffer")
      return Value::object(region->buffer);
    // A[i].astype(...): the method loads the element.
    if (region->isElement)
      found = method("scalar");
    break;
  }
  case VK::Vector:
    if (attr == "dtype")
      return fail(DiagID::NoAttribute, range,
                  "the type of a vector: ask for that of its buffer");
    found = method("scalar");
    break;
  case VK::Scalar:
    if (attr == "dtype")
      return Value::dtype(object.asSym().type);
    found = method("scalar");
    break;
  // Literals have the types that arithmetic gives them.
  case VK::Int:
  case VK::Bool:
  case VK::Float:
    if (attr == "dtype")
      return Value::dtype(object.is(VK::Float)  ? dtypes::float32
                          : object.is(VK::Bool) ? dtypes::boolean
                                                : dtypes::int32);
    found = method("scalar");
    break;
  case VK::DType:
    if (attr == "bits")
      return Value::integral(object.asDType()->bits);
    if (attr == "itemsize" || attr == "bytes")
      // In whole bytes: a 4-bit type has 1.
      return Value::integral((object.asDType()->bits + 7) / 8);
    if (attr == "name" || attr == "__name__")
      return makeString(object.asDType()->name);
    found = method("dtype");
    if (!found) { // a dtype is a string, too
      object = makeString(object.asDType()->name);
      found = method("str");
    }
    break;
  case VK::Str:
    found = method("str");
    break;
  // A tuple has index and count; the list's other methods refuse it.
  case VK::List:
  case VK::Tuple:
    found = method("list");
    break;
  case VK::Dict:
    found = method("dict");
    break;
  case VK::Set:
    found = method("set");
    break;
  case VK::Slice: {
    auto *slice = object.as<SliceObject>();
    if (attr == "start" || attr == "stop" || attr == "step")
      return attr == "start"  ? slice->lower
             : attr == "stop" ? slice->upper
                              : slice->step;
    break;
  }
  case VK::Range: {
    auto *range = object.as<RangeObject>();
    if (attr == "start" || attr == "stop" || attr == "step")
      return Value::integral(attr == "start"  ? range->start
                             : attr == "stop" ? range->stop
                                              : range->step);
    break;
  }
  case VK::Builtin:
    if (attr == "__name__")
      return makeString(object.asBuiltin()->name);
    break;
  case VK::Class:
  case VK::Instance: {
    bool failed = false;
    found = objectAttribute(object, attr, range, failed);
    if (failed)
      return {};
    if (!found && object.is(VK::Instance) &&
        object.as<InstanceObject>()->cls->isTuple)
      found = method("record");
    if (!found) {
      if (auto v = special(object, "__getattr__", {makeString(attr)}, range))
        return *v;
    }
    break;
  }
  case VK::Function:
    if (attr == "__name__")
      return makeString(object.as<FunctionObject>()->name());
    break;
  case VK::Layout:
    found = layoutAttribute(object.as<LayoutObject>(), attr, range);
    break;
  default:
    break;
  }
  if (found)
    return found;
  if (attr == "__class__") {
    Args args;
    args.range = range;
    args.values = {object};
    args.ranges = {range};
    return pyType(args);
  }
  return fail(DiagID::NoAttribute, range,
              describe(object) + " has no attribute '" + attr + "'");
}
