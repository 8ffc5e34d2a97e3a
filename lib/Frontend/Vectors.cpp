//===- Vectors.cpp - Values of several lanes ------------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A vector (T.Ramp, an element of a float32x4 buffer) is a sequence of scalars
// of one type; what is computed with it is computed lane by lane, a scalar
// standing for all lanes. Neighbouring accesses become wide ones in code
// generation, so nothing else is lost.
//
// A buffer of vectors is a buffer of their element type with one more
// dimension, which indices leave out.
//
//   V[i] = W[i] * 2.0     V, W: (8,) of float32x4, as memrefs (8, 4)
//   ->  for lane 0 ... 3: V[i, lane] = W[i, lane] * 2.0
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

using namespace tlc;
using namespace mlir;

namespace tlc::frontend {

static ArrayRef<Value> lanesOf(Value v) {
  return v.as<SequenceObject>()->elements;
}

/// How many lanes the vectors among some values have; 0 without vectors, -1
/// (reported) where they differ.
int64_t Interpreter::laneCount(ArrayRef<Value> values, SourceRange range) {
  int64_t lanes = 0;
  for (Value v : values) {
    if (!v || !v.is(VK::Vector))
      continue;
    int64_t n = int64_t(lanesOf(v).size());
    if (lanes && n != lanes) {
      error(DiagID::TypeMismatch, range,
            "vectors of " + llvm::Twine(lanes) + " and of " + llvm::Twine(n) +
                " lanes");
      return -1;
    }
    lanes = n;
  }
  return lanes;
}

/// Lane `lane` of a vector; anything else as it is.
Value Interpreter::laneOf(Value v, int64_t lane) {
  return v && v.is(VK::Vector) ? lanesOf(v)[size_t(lane)] : v;
}

/// A vector of what `compute` gives for each lane; Invalid where one failed.
Value Interpreter::eachLane(int64_t lanes,
                            llvm::function_ref<Value(int64_t)> compute) {
  SmallVector<Value> results;
  for (int64_t i = 0; i < lanes; ++i) {
    results.push_back(compute(i));
    if (!results.back())
      return {};
  }
  return makeSequence(VK::Vector, results);
}

/// A call of a builtin that takes one element, for each lane. A vector type
/// among the arguments is that of the lanes together.
///   T.max(v, 0.0)               T.max(v[l], 0.0) in lane l
///   T.cast(v, "float16x4")      T.cast(v[l], "float16"), v must have 4 lanes
Value Interpreter::callLanes(const BuiltinInfo *builtin, Args &args) {
  SmallVector<Value> all(ArrayRef<Value>(args.values));
  all.push_back(args.self);
  llvm::append_range(all, args.rest);
  int64_t lanes = laneCount(all, args.range);
  if (lanes < 0)
    return {};
  return eachLane(lanes, [&](int64_t lane) -> Value {
    Args one = args;
    one.self = laneOf(args.self, lane);
    for (Value &v : one.rest)
      v = laneOf(v, lane);
    for (Value &v : one.values) {
      v = laneOf(v, lane);
      if (!v || !(v.is(VK::DType) || v.is(VK::Str)))
        continue;
      DType type = dtypeFrom(v, args.range, true, /*vectors=*/true);
      if (!type || type->lanes == 1)
        continue;
      if (type->lanes != lanes)
        return fail(DiagID::TypeMismatch, args.range,
                    "a vector of " + llvm::Twine(lanes) + " lanes as " +
                        type->name);
      v = Value::dtype(type->element);
    }
    return (this->*builtin->fn)(one);
  });
}

/// T.Ramp(base, stride, lanes)
Value Interpreter::rampVector(Args &args) {
  if (!args[2].isIntLike() || args[2].asInt() < 1 || args[2].asInt() > 64)
    return typeError(args.rangeOf(2), "a number of lanes up to 64", args[2]);
  return eachLane(args[2].asInt(), [&](int64_t i) {
    Value step =
        binary(BinOpKind::Mul, args[1], Value::integral(i), args.range);
    return step ? binary(BinOpKind::Add, args[0], step, args.range) : Value();
  });
}

/// T.Broadcast(value, lanes)
Value Interpreter::broadcastVector(Args &args) {
  if (!args[1].isIntLike() || args[1].asInt() < 1 || args[1].asInt() > 64)
    return typeError(args.rangeOf(1), "a number of lanes up to 64", args[1]);
  return eachLane(args[1].asInt(), [&](int64_t) { return args[0]; });
}

/// T.extract_lane(vector, lane)
Value Interpreter::extractLane(Args &args) {
  if (!args[0].is(VK::Vector))
    return typeError(args.rangeOf(0), "a vector", args[0]);
  if (!args[1].isIntLike() || args[1].asInt() < 0 ||
      args[1].asInt() >= int64_t(lanesOf(args[0]).size()))
    return typeError(args.rangeOf(1), "the number of a lane", args[1]);
  return laneOf(args[0], args[1].asInt());
}

/// T.Shuffle(vectors, indices): lanes of all of them, picked by number.
///   T.Shuffle([v, w], [0, 4])    v, w of 4 lanes: (v[0], w[0])
Value Interpreter::shuffleVector(Args &args) {
  SmallVector<Value> vectors, indices, lanes;
  if (!iterate(args[0], args.rangeOf(0), vectors) ||
      !iterate(args[1], args.rangeOf(1), indices))
    return {};
  for (Value v : vectors) {
    if (v.is(VK::Vector))
      llvm::append_range(lanes, lanesOf(v));
    else
      lanes.push_back(v);
  }
  for (Value &i : indices) {
    if (!i.isIntLike() || i.asInt() < 0 || i.asInt() >= int64_t(lanes.size()))
      return typeError(args.rangeOf(1), "the number of a lane", i);
    i = lanes[size_t(i.asInt())];
  }
  return indices.size() == 1 ? indices[0] : makeSequence(VK::Vector, indices);
}

/// Whether `indices` name a vector: one of them is a vector, or they leave out
/// the lanes of a buffer of vectors. With slices they name a region instead.
bool Interpreter::namesVector(BufferObject *buffer, ArrayRef<Value> indices) {
  bool slices = llvm::any_of(
      indices, [](Value v) { return v.is(VK::Slice) || v.is(VK::Ellipsis); });
  return !slices &&
         (llvm::any_of(indices, [](Value v) { return v.is(VK::Vector); }) ||
          (buffer->lanes > 1 && indices.size() + 1 == buffer->shape.size()));
}

/// Runs `body` for each lane of such a vector, with its number and its indices,
/// checked and wrapped as those of single elements are.
bool Interpreter::eachElement(
    BufferObject *buffer, ArrayRef<Value> given, SourceRange range,
    llvm::function_ref<bool(int64_t, ArrayRef<Value>)> body) {
  SmallVector<Value> indices(given);
  if (indices.size() + 1 == buffer->shape.size() && buffer->lanes > 1)
    indices.push_back(eachLane(
        buffer->lanes, [](int64_t lane) { return Value::integral(lane); }));
  int64_t lanes = laneCount(indices, range);
  if (lanes < 0)
    return false;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    SmallVector<Value> at;
    for (Value v : indices)
      at.push_back(laneOf(v, lane));
    auto *tuple = makeSequence(VK::Tuple, at).as<SequenceObject>();
    Value element = indexBuffer(buffer, Value::object(tuple), range, true);
    if (!element || !body(lane, element.as<RegionObject>()->offsets))
      return false;
  }
  return true;
}

/// Reads a vector, one load for each lane.
Value Interpreter::loadVector(BufferObject *buffer, ArrayRef<Value> indices,
                              SourceRange range) {
  SmallVector<Value> lanes;
  bool ok =
      eachElement(buffer, indices, range, [&](int64_t, ArrayRef<Value> at) {
        lanes.push_back(load(buffer, at, range));
        return bool(lanes.back());
      });
  return ok ? makeSequence(VK::Vector, lanes) : Value();
}

/// Writes a vector, or one scalar to all lanes.
bool Interpreter::storeVector(BufferObject *buffer, ArrayRef<Value> indices,
                              Value value, SourceRange range) {
  return eachElement(
      buffer, indices, range, [&](int64_t lane, ArrayRef<Value> at) {
        if (value.is(VK::Vector) && lane >= int64_t(lanesOf(value).size()))
          return bool(
              typeError(range, "as many lanes as the vector has", value));
        return store(buffer, at, laneOf(value, lane), range);
      });
}

/// A vector into a region of as many elements, or as many as it has into one
/// that begins at an element.
///   A[i, 0:4] = T.Ramp(0, 1, 4)     one dimension of the region has the lanes
bool Interpreter::storeLanes(const Box &box, Value value, SourceRange range) {
  int64_t lanes = int64_t(lanesOf(value).size()), points = 1;
  // The one dimension that the lanes run along.
  unsigned dim = box.offsets.size() - 1;
  for (auto [d, e] : llvm::enumerate(box.extents)) {
    if (!e.is(VK::Int) || (e.asInt() != 1 && e.asInt() != lanes))
      return bool(typeError(range, "a vector of the region's extent", value));
    points *= e.asInt();
    if (e.asInt() != 1)
      dim = unsigned(d);
  }
  if (points != lanes)
    return bool(typeError(range, "a vector of the region's extent", value));
  for (int64_t lane = 0; lane < lanes; ++lane) {
    SmallVector<Value> at(box.offsets);
    at[dim] = binary(BinOpKind::Add, at[dim], Value::integral(lane), range);
    if (!at[dim] || !store(box.buffer, at, laneOf(value, lane), range))
      return false;
  }
  return true;
}

} // namespace tlc::frontend
