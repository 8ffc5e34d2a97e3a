//===- TileOps.cpp - fill, reductions, scans, transposes ------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fill, reductions, scans, transposes. Each checks spaces, shapes and types
// where the operands' source ranges are known, and makes one op of the tile
// dialect; arrays of a thread are worked on by that thread's own loops instead:
//
//   T.reduce_max(F, m, dim=1)          F: (64, 128), m: (64,) fragments
//   ->  tile.reduce max %F to %m {axis = 1}
//   T.reduce_max(a, b, dim=0)          a: (8,), b: (1,) of T.alloc_local
//   ->  b[0] = max(a[0], max(a[1], ...)), unrolled
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "mlir/IR/Matchers.h"

using namespace tlc;
using namespace mlir;
using tile::ReduceKind;

namespace tlc::frontend {

//===----------------------------------------------------------------------===//
// fill, clear
//===----------------------------------------------------------------------===//

/// A box of run-time extents: the threads take its points in turn, a thread's
/// own array is filled by a loop. Outer dimensions are serial loops; the last
/// is taken in chunks of the workgroup's size, as a T.Parallel of run-time
/// extent is.
bool Interpreter::fillRuntime(const Box &box, Value value, SourceRange range) {
  SmallVector<Value> indices(box.offsets);
  auto nest = [&](auto &self, unsigned d) -> bool {
    if (d == box.extents.size())
      return store(box.buffer, indices, value, range);
    if (box.extents[d].is(VK::Int) && box.extents[d].asInt() == 1)
      return self(self, d + 1);
    mlir::Value upper = toI32(box.extents[d], range);
    if (!upper)
      return false;
    at(range);
    mlir::Value zero = constant(int64_t(0), dtypes::int32).value;
    bool last = d + 1 == box.extents.size() && !parallelDepth &&
                box.buffer->space != tile::Space::Local;
    int64_t threads = last ? kernelOp.getNumThreads() : 1;
    auto loop = scf::ForOp::create(b, zero, upper,
                                   constant(threads, dtypes::int32).value);
    return inRegion(loop.getBody(), true, [&] {
      auto body = [&](mlir::Value i) {
        indices[d] = binary(BinOpKind::Add, box.offsets[d],
                            Value::scalar({i, dtypes::int32}), range);
        return indices[d] && self(self, d + 1);
      };
      if (!last)
        return body(loop.getInductionVar());
      auto parallel = tile::ParallelOp::create(b, threads);
      ++parallelDepth;
      bool ok = inRegion(&parallel.getBody().front(), true, [&] {
        mlir::Value i = b.createOrFold<arith::AddIOp>(
            loop.getInductionVar(), parallel.getBody().getArgument(0));
        auto inside = scf::IfOp::create(
            b, arith::CmpIOp::create(b, arith::CmpIPredicate::slt, i, upper),
            false);
        return inRegion(inside.thenBlock(), false, [&] { return body(i); });
      });
      --parallelDepth;
      return ok;
    });
  };
  return nest(nest, 0);
}

/// target = value in all elements. The value is converted to the element type
/// once. False after a report.
bool Interpreter::fillBox(Value target, Value value, SourceRange range,
                          SourceRange valueRange) {
  Box box;
  if (!toBox(target, range, box, "the destination"))
    return false;
  if (box.buffer->reducer)
    box.buffer->reducer->open = true;
  if (box.isElement || (box.buffer->isVar && box.isWhole))
    return store(box.buffer, box.offsets, value, range);
  SmallVector<int64_t> extents;
  if (llvm::any_of(box.extents, [](Value e) { return !e.is(VK::Int); }))
    return fillRuntime(box, value, range);
  if (!staticExtents(box, extents, "destination"))
    return false;
  Sym v = castValue(value, box.buffer->dtype, valueRange);
  if (!v)
    return false;
  // Inside T.Parallel, or where an element's place needs computing, one store
  // each.
  if (parallelDepth || box.buffer->indexMap || box.buffer->isPlaced() ||
      box.buffer->isPacked())
    return elementwise(box, extents, [&](ArrayRef<Value> indices) {
      return store(box.buffer, indices, Value::scalar(v), range);
    });
  at(range);
  mlir::Value scalar = box.buffer->dtype->isCoded()
                           ? encodeElement(v, box.buffer->dtype)
                           : v.value;
  if (v.type->isBool())
    scalar = b.createOrFold<arith::ExtUIOp>(b.getI8Type(), scalar);
  mlir::Value dst = boxValue(box, extents);
  if (!dst)
    return false;
  at(range);
  tile::FillOp::create(b, dst, scalar, nullptr);
  return true;
}

/// T.fill(buffer, value)
Value Interpreter::fill(Args &args) {
  return fillBox(args[0], args[1], args.range, args.rangeOf(1)) ? Value::none()
                                                                : Value();
}
/// T.clear(buffer): zeros.
Value Interpreter::clear(Args &args) {
  return fillBox(args[0], Value::integral(0), args.range, args.range)
             ? Value::none()
             : Value();
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Between arrays of each thread, a reduction is loops of that thread. Narrow
/// floats are summed in f32, as tiles are. Along the axis the loop is unrolled,
/// so that the array can stay in registers; `how.accumulate` starts from what
/// `dst` holds.
bool Interpreter::reduceLocal(const Box &src, const Box &dst, Reduction how,
                              SourceRange range) {
  auto [kind, axis, accumulate] = how;
  bool absolute = kind == ReduceKind::AbsMax || kind == ReduceKind::AbsSum;
  ReduceKind plain = kind == ReduceKind::AbsMax   ? ReduceKind::Max
                     : kind == ReduceKind::AbsSum ? ReduceKind::Sum
                     : kind == ReduceKind::UMax   ? ReduceKind::Max
                     : kind == ReduceKind::UMin   ? ReduceKind::Min
                                                  : kind;
  DType type = src.buffer->dtype;
  if (type->isFloat() && type->bits < 32)
    type = dtypes::float32;
  // An element as it takes part: in the type of the sum, and without its sign.
  auto prepared = [&](Value v) {
    Sym s = v ? castValue(v, type, range) : Sym();
    v = s ? Value::scalar(s) : Value();
    if (!v || !absolute)
      return v;
    Value minus = unary(UnaryOpKind::Neg, v, range);
    return minus ? combineScalars(ReduceKind::Max, v, minus, range) : Value();
  };
  SmallVector<Value> from, to;
  // One element of the result, at `to`; `from` moves along the axis.
  auto point = [&]() -> bool {
    Value sum = accumulate ? prepared(load(dst.buffer, to, range)) : Value();
    if (accumulate && !sum)
      return false;
    int64_t extent = src.extents[axis].asInt();
    for (int64_t i = 0; i < extent; ++i) {
      from[axis] =
          binary(BinOpKind::Add, src.offsets[axis], Value::integral(i), range);
      Value v = from[axis] ? prepared(load(src.buffer, from, range)) : Value();
      if (v && sum)
        v = combineScalars(plain, sum, v, range);
      if (!v)
        return false;
      sum = v;
    }
    return store(dst.buffer, to, sum, range);
  };
  // The dimensions that stay, one loop each.
  unsigned rank = src.extents.size();
  bool keeps = dst.extents.size() == rank;
  auto nest = [&](auto &self, unsigned d) -> bool {
    if (d == rank)
      return point();
    // The destination's dimension: the same, or one less behind a dropped axis.
    unsigned out = keeps || d < unsigned(axis) ? d : d - 1;
    if (int64_t(d) == axis) {
      from.push_back(Value());
      if (keeps || rank == 1)
        to.push_back(dst.offsets[keeps ? d : 0]);
      return self(self, d + 1);
    }
    auto at = [&](Value v) {
      from.push_back(binary(BinOpKind::Add, src.offsets[d], v, range));
      to.push_back(binary(BinOpKind::Add, dst.offsets[out], v, range));
      return from.back() && to.back() && self(self, d + 1);
    };
    if (src.extents[d].asInt() == 1)
      return at(Value::integral(0));
    mlir::Value zero = constant(int64_t(0), dtypes::int32).value,
                one = constant(int64_t(1), dtypes::int32).value;
    auto loop = scf::ForOp::create(
        b, zero, constant(src.extents[d].asInt(), dtypes::int32).value, one);
    return inRegion(loop.getBody(), true, [&] {
      return at(Value::scalar({loop.getInductionVar(), dtypes::int32}));
    });
  };
  return nest(nest, 0);
}

/// All reductions along one dimension. `dim` is the last one if absent, `clear`
/// means that the result starts from nothing (the default), `nan` that a NaN
/// wins over numbers in max and min. None, or Invalid after a report.
///   src (64, 128), dim 1     dst (64,) or (64, 1)
///   src (128,), dim 0        dst (1,)
///   clear=False              dst = combine(dst, src), dst counted once
Value Interpreter::reduceImpl(Args &args, ReduceKind kind, Value buffer,
                              Value out, Value dim, Value clearFlag,
                              Value nan) {
  Box src, dst;
  SmallVector<int64_t> from, to;
  if (!toBox(buffer, args.rangeOf(0), src, "the source") ||
      !toBox(out, args.rangeOf(1), dst, "the destination") ||
      !staticExtents(src, from, "source") ||
      !staticExtents(dst, to, "destination"))
    return {};
  int64_t rank = int64_t(from.size()),
          axis = dim && dim.isIntLike() ? dim.asInt() : -1;
  if (dim && !dim.isIntLike() && !dim.is(VK::None))
    return typeError(args.range, "a compile-time dimension", dim);
  if (axis < 0)
    axis += rank;
  if (axis < 0 || axis >= rank) {
    error(DiagID::BadArgument, args.range,
          "dimension " + llvm::Twine(dim.asInt()) + " of a buffer of rank " +
              llvm::Twine(rank))
        .note(src.buffer->declared, "declared here");
    return {};
  }
  for (auto [box, r] : {std::pair(&src, 0u), std::pair(&dst, 1u)})
    if (box->buffer->space == tile::Space::Global) {
      error(DiagID::WrongSpace, args.rangeOf(r),
            "'" + box->buffer->name +
                "' is in global memory: a reduction works on tiles")
          .note(box->buffer->declared, "declared here");
      return {};
    }
  // The result has the shape without the axis, or with 1 there; a scalar result
  // is a buffer of one.
  SmallVector<int64_t> dropped(from), kept(from);
  dropped.erase(dropped.begin() + axis);
  kept[size_t(axis)] = 1;
  if (to != dropped && to != kept &&
      !(dropped.empty() && to.size() == 1 && to[0] == 1)) {
    error(DiagID::ShapeMismatch, args.range,
          "reducing dimension " + llvm::Twine(axis) + " of shape " +
              shapeText(src.extents) + " does not give " +
              shapeText(dst.extents))
        .note(src.buffer->declared,
              "'" + src.buffer->name + "' is declared here")
        .note(dst.buffer->declared,
              "'" + dst.buffer->name + "' is declared here");
    return {};
  }
  bool accumulate = false, nanAware = false, failed = false;
  if (clearFlag && !clearFlag.is(VK::None)) {
    auto t = truth(clearFlag, args.range, failed);
    if (!t)
      return failed ? Value()
                    : fail(DiagID::NotConstant, args.range,
                           "'clear' must be known at compile time");
    accumulate = !*t;
  }
  if (nan && !nan.is(VK::None)) {
    auto t = truth(nan, args.range, failed);
    nanAware = t.value_or(false);
  }
  // Both of the workgroup, or both of each thread: values held by one thread
  // are not the tile's.
  bool locals = src.buffer->space == tile::Space::Local;
  if (locals != (dst.buffer->space == tile::Space::Local)) {
    error(DiagID::WrongSpace, args.range,
          "a reduction between a thread's own array and a tile of the "
          "workgroup")
        .note(src.buffer->declared,
              "'" + src.buffer->name + "' is declared here")
        .note(dst.buffer->declared,
              "'" + dst.buffer->name + "' is declared here");
    return {};
  }
  DType type = src.buffer->dtype;
  bool bitwise = kind == ReduceKind::And || kind == ReduceKind::Or ||
                 kind == ReduceKind::Xor;
  if (bitwise && type->isFloat())
    return fail(DiagID::TypeMismatch, args.range,
                "a bitwise reduction of " + type->name);
  if (type->cls == DTypeInfo::UInt)
    kind = kind == ReduceKind::Max   ? ReduceKind::UMax
           : kind == ReduceKind::Min ? ReduceKind::UMin
                                     : kind;
  if (locals)
    return reduceLocal(src, dst, {kind, axis, accumulate}, args.range)
               ? Value::none()
               : Value();
  mlir::Value s = boxValue(src, from), d = boxValue(dst, to);
  if (!s || !d)
    return {};
  at(args.range);
  tile::ReduceOp::create(b, s, d, mlir::Value(), kind, uint64_t(axis),
                         accumulate, nanAware);
  return unstageBox(dst, to, d) ? Value::none() : Value();
}

/// T.reduce_sum(buffer, out, dim, clear) and its kin; data is the kind.
Value Interpreter::reduceNamed(Args &args) {
  return reduceImpl(args, ReduceKind(currentBuiltin->data), args[0], args[1],
                    args[2], args[3], args[5]);
}

/// "bitand", "absmax", "sum" to the kind; none for any other word.
static std::optional<ReduceKind> reduceKindOf(StringRef name) {
  if (name.starts_with("bit"))
    name = name.drop_front(3);
  else if (name.starts_with("abs"))
    return name == "absmax" ? ReduceKind::AbsMax : ReduceKind::AbsSum;
  return tile::symbolizeReduceKind(name);
}

/// T.reduce(buffer, out, reduce_type, dim, clear)
Value Interpreter::reduceAny(Args &args) {
  auto kind =
      args[2].is(VK::Str) ? reduceKindOf(args[2].asStr()) : std::nullopt;
  if (!kind)
    return typeError(args.rangeOf(2), "the name of a reduction", args[2]);
  return reduceImpl(args, *kind, args[0], args[1], args[3], args[4], Value());
}

/// T.cumsum(src, dst, dim, reverse); data is the kind. Without dst, in place.
/// The element at i is the combination of those up to i, or from i on in
/// reverse.
///   [1, 2, 3]   ->  [1, 3, 6]    reverse: [6, 5, 3]
Value Interpreter::scan(Args &args) {
  Box src, dst;
  SmallVector<int64_t> from, to;
  Value target = args.has(1) ? args[1] : args[0];
  if (!toBox(args[0], args.rangeOf(0), src, "the source") ||
      !toBox(target, args.rangeOf(1), dst, "the destination") ||
      !staticExtents(src, from, "source") ||
      !staticExtents(dst, to, "destination"))
    return {};
  int64_t axis = args.has(2) && args[2].isIntLike() ? args[2].asInt() : 0;
  if (axis < 0)
    axis += int64_t(from.size());
  if (from != to || axis < 0 || axis >= int64_t(from.size())) {
    error(DiagID::ShapeMismatch, args.range,
          "a scan of shape " + shapeText(src.extents) + " along dimension " +
              llvm::Twine(axis) + " into " + shapeText(dst.extents));
    return {};
  }
  mlir::Value s = boxValueAs(src, from, dst.buffer->dtype),
              d = boxValue(dst, to);
  if (!s || !d)
    return {};
  at(args.range);
  auto kind = ReduceKind(currentBuiltin->data);
  if (kind == ReduceKind::Max && dst.buffer->dtype->cls == DTypeInfo::UInt)
    kind = ReduceKind::UMax;
  tile::ScanOp::create(b, s, d, kind, uint64_t(axis),
                       args.has(3) && args[3].isIntLike() && args[3].asBool());
  return unstageBox(dst, to, d) ? Value::none() : Value();
}

/// T.transpose(src, dst): the last two dimensions are exchanged.
Value Interpreter::transposeTile(Args &args) {
  Box src, dst;
  SmallVector<int64_t> from, to;
  if (!toBox(args[0], args.rangeOf(0), src, "the source") ||
      !toBox(args[1], args.rangeOf(1), dst, "the destination") ||
      !staticExtents(src, from, "source") ||
      !staticExtents(dst, to, "destination"))
    return {};
  SmallVector<int64_t> swapped(from);
  if (swapped.size() >= 2)
    std::swap(swapped[swapped.size() - 1], swapped[swapped.size() - 2]);
  if (swapped.size() < 2 || swapped != to) {
    error(DiagID::ShapeMismatch, args.range,
          "the transpose of " + shapeText(src.extents) + " is not " +
              shapeText(dst.extents));
    return {};
  }
  mlir::Value s = boxValueAs(src, from, dst.buffer->dtype),
              d = boxValue(dst, to);
  at(args.range);
  if (!s || !d)
    return {};
  tile::TransposeOp::create(b, s, d);
  return unstageBox(dst, to, d) ? Value::none() : Value();
}

} // namespace tlc::frontend
