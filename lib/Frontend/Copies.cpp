//===- Copies.cpp - T.copy ------------------------------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Extents: a buffer has its shape, a slice its extents, an element (a tile's
// origin) none; what has none takes the other side's, aligned at the right. The
// points copied are those of the side nearest to the registers. Dimensions of
// extent 1 drop out, the others match in order.
//
//   T.copy(A[b, i * 64, h, 0], S)   # A: (B, L, H, 32), S: (64, 32) shared
//   ->  %v = tile.view %A[%b, %i64, %h, %0] : ... to memref<1x64x1x32xf16, ...>
//       tile.copy %v to %S
//
// Extents that are only known at run time, or do not match in order, become
// loops over single elements.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

using namespace tlc;
using namespace mlir;

namespace tlc::frontend {

static bool isOne(Value v) { return v.isIntLike() && v.asInt() == 1; }

/// How near to the registers a space is.
static int level(tile::Space space) {
  switch (space) {
  case tile::Space::Global:
    return 0;
  case tile::Space::Shared:
    return 1;
  default:
    return 2;
  }
}

/// The larger of two extents, for a side that names a corner only: what it
/// takes must hold the other side's points. 1 gives way to anything; of two
/// symbolic extents an `arith.maxsi` is emitted.
Value Interpreter::safeExtent(Value x, Value y, SourceRange range) {
  if (isOne(x))
    return y;
  if (isOne(y) || sameValue(x, y))
    return x;
  if (x.isIntLike() && y.isIntLike())
    return Value::integral(std::max(x.asInt(), y.asInt()));
  Sym s = toSym(x, range), t = toSym(y, range);
  if (!promote(s, t, x, y, range))
    return {};
  return fold({b.createOrFold<arith::MaxSIOp>(s.value, t.value), s.type});
}

static unsigned countNonUnit(ArrayRef<Value> extents) {
  return unsigned(llvm::count_if(extents, [](Value v) { return !isOne(v); }));
}

/// T.copy(src, dst). Gives None, or Invalid after a report.
Value Interpreter::copy(Args &args) {
  Box src, dst;
  // Two elements, or a scalar into an element: a store.
  bool dstElement =
      args[1].is(VK::Region) && args[1].as<RegionObject>()->isElement;
  bool srcElement =
      args[0].is(VK::Region) && args[0].as<RegionObject>()->isElement;
  if (dstElement &&
      (srcElement || args[0].is(VK::Scalar) || args[0].isNumber())) {
    auto *to = args[1].as<RegionObject>();
    return store(to->buffer, to->offsets, args[0], args.range) ? Value::none()
                                                               : Value();
  }
  if (!toBox(args[0], args.rangeOf(0), src, "the source") ||
      !toBox(args[1], args.rangeOf(1), dst, "the destination"))
    return {};
  return copyBoxes(src, dst, args.range, &args) ? Value::none() : Value();
}

/// The copy of one box to another. `args` are the call's, where there is one:
/// other operations (T.transpose, T.reshape's fallback) copy boxes as well.
///   A (128, 64) to S (128, 64)              equal shapes
///   A[b, 0:64, h, :] to S (64, 32)          unit dimensions drop out
///   A[i, j] to S (64, 32)                   A's corner, as large as S
///   A (n, 64) to S (128, 64)                a whole tensor: the rest is 0
///   A[0:n, :] to B[0:n, :]                  a run-time extent: loops
///   S (64, 32) to T (32, 64)                an error: nothing is transposed
bool Interpreter::copyBoxes(Box src, Box dst, SourceRange range, Args *args) {
  auto mismatch = [&](const llvm::Twine &message) {
    error(DiagID::ShapeMismatch, range, message)
        .note(src.buffer->declared, "'" + src.buffer->name + "' has shape " +
                                        shapeText(src.buffer->shape))
        .note(dst.buffer->declared, "'" + dst.buffer->name + "' has shape " +
                                        shapeText(dst.buffer->shape));
    return false;
  };
  if (src.isWhole && dst.isWhole) {
    bool equal = src.extents.size() == dst.extents.size();
    for (size_t i = 0; equal && i < src.extents.size(); ++i)
      equal = sameValue(src.extents[i], dst.extents[i]);
    // Unit dimensions may differ; anything else is a mistake. Extents that are
    // not known now are the program's promise.
    SmallVector<Value> from, to;
    llvm::copy_if(src.extents, std::back_inserter(from),
                  [](Value v) { return !isOne(v); });
    llvm::copy_if(dst.extents, std::back_inserter(to),
                  [](Value v) { return !isOne(v); });
    equal |= from.size() == to.size() &&
             llvm::none_of(llvm::zip(from, to), [](auto pair) {
               auto &[x, y] = pair;
               return x.is(VK::Int) && y.is(VK::Int) && x.asInt() != y.asInt();
             });
    if (!equal)
      return mismatch("cannot copy '" + src.buffer->name + "' of shape " +
                      shapeText(src.extents) + " to '" + dst.buffer->name +
                      "' of shape " + shapeText(dst.extents));
  }
  // A corner takes the other side's extents:
  //   T.copy(A[by * 64, k * 32], S)   # S: (64, 32)  ->  A's box is 64 x 32
  if ((src.isElement || dst.isElement) &&
      countNonUnit(src.extents) != countNonUnit(dst.extents)) {
    Box &bare = src.isElement ? src : dst;
    const Box &full = src.isElement ? dst : src;
    // Right-aligned; what the bare side has no dimension for must be 1.
    for (size_t i = 0; i < full.extents.size(); ++i) {
      Value extent = full.extents[full.extents.size() - 1 - i];
      if (i >= bare.extents.size()) {
        if (!isOne(extent))
          return mismatch("a tile of shape " + shapeText(full.extents) +
                          " has more dimensions than '" + bare.buffer->name +
                          "'");
        continue;
      }
      Value &mine = bare.extents[bare.extents.size() - 1 - i];
      if (!(mine = safeExtent(mine, extent, range)))
        return false;
    }
  }
  // The side nearest to the registers says which points are copied. A tile is
  // as large as its shape, while a tensor in global memory may end inside the
  // box: what lies outside is read as 0 and not written.
  const Box &lead =
      level(src.buffer->space) >= level(dst.buffer->space) ? src : dst;
  const Box &other = &lead == &src ? dst : src;
  SmallVector<Value> extents;
  SmallVector<int> leadDims, otherDims;
  for (auto [i, e] : llvm::enumerate(lead.extents))
    if (!isOne(e)) {
      extents.push_back(e);
      leadDims.push_back(int(i));
    }
  for (auto [i, e] : llvm::enumerate(other.extents))
    if (!isOne(e))
      otherDims.push_back(int(i));
  // A buffer of one element may meet a dimension of unknown extent.
  if (leadDims.size() < otherDims.size())
    llvm::erase_if(otherDims, [&](int d) {
      return !other.extents[d].is(VK::Int) &&
             other.buffer->space == tile::Space::Global;
    });
  if (leadDims.size() != otherDims.size())
    return mismatch("cannot copy a box of shape " + shapeText(src.extents) +
                    " to one of shape " + shapeText(dst.extents));
  // Constant extents must be equal, except that a whole tensor may be smaller
  // or larger than the tile it meets: the tile leads.
  bool isStatic = true;
  for (auto [l, o] : llvm::zip(leadDims, otherDims)) {
    Value x = lead.extents[l], y = other.extents[o];
    isStatic &= x.is(VK::Int);
    if (x.is(VK::Int) && y.is(VK::Int) && x.asInt() != y.asInt() &&
        (other.buffer->space != tile::Space::Global || !other.isWhole))
      return mismatch("cannot copy a box of shape " + shapeText(src.extents) +
                      " to one of shape " + shapeText(dst.extents));
  }
  ArrayRef<int> srcDims = &lead == &src ? leadDims : otherDims,
                dstDims = &lead == &src ? otherDims : leadDims;
  // The pointwise form serves everything that tile.copy cannot say; each thread
  // has a local buffer of its own.
  bool pointwise =
      !isStatic || src.buffer->space == tile::Space::Local ||
      dst.buffer->space == tile::Space::Local || src.buffer->indexMap ||
      dst.buffer->indexMap || src.buffer->isPlaced() ||
      dst.buffer->isPlaced() || parallelDepth || src.buffer->isPacked() ||
      dst.buffer->isPacked() ||
      (src.buffer->dtype != dst.buffer->dtype &&
       (src.buffer->dtype->isCoded() || dst.buffer->dtype->isCoded())) ||
      (src.buffer->dtype != dst.buffer->dtype &&
       (src.buffer->dtype->isBool() || dst.buffer->dtype->isBool() ||
        src.buffer->dtype->cls == DTypeInfo::UInt ||
        dst.buffer->dtype->cls == DTypeInfo::UInt));
  if (pointwise)
    return copyByLoops(src, dst, extents, srcDims, dstDims, range);
  // Both views get the rank of their own buffer, with 1 where a dimension
  // dropped out; tile.copy matches the others in order.
  auto shapeOf = [&](const Box &box, ArrayRef<int> dims) {
    SmallVector<int64_t> shape(box.extents.size(), 1);
    for (auto [d, e] : llvm::zip(dims, extents))
      shape[d] = e.asInt();
    return shape;
  };
  mlir::Value from = boxValue(src, shapeOf(src, srcDims)),
              to = boxValue(dst, shapeOf(dst, dstDims));
  if (!from || !to)
    return false;
  at(range);
  tile::CopyOp::create(b, from, to, nullptr);
  return true;
}

/// The same copy as loads and stores of single elements. `srcDims[i]` and
/// `dstDims[i]` are the dimensions that meet at extent i:
///   A[0:n, 0:64] -> S    ->  scf.for %i = 0 to %n
///                              tile.parallel (%j) = (64)
///                                S[%i, %j] = A[%i, %j]
/// Inside T.Parallel all loops are serial: each point of the outer loop copies
/// its own elements.
bool Interpreter::copyByLoops(const Box &src, const Box &dst,
                              ArrayRef<Value> extents, ArrayRef<int> srcDims,
                              ArrayRef<int> dstDims, SourceRange range) {
  // Constant extents are one parallel loop; around it, serial loops for the
  // others. Per thread, all are serial.
  bool perThread = src.buffer->space == tile::Space::Local ||
                   dst.buffer->space == tile::Space::Local;
  SmallVector<int64_t> fixed;
  SmallVector<mlir::Value> vars(extents.size());
  SmallVector<unsigned> fixedAt;
  // One element: the box's offset plus the loop variable in each matched
  // dimension.
  auto point = [&]() -> bool {
    SmallVector<Value> from(src.offsets), to(dst.offsets);
    for (size_t i = 0; i < extents.size(); ++i) {
      Value v = Value::scalar({vars[i], dtypes::int32});
      from[srcDims[i]] = binary(BinOpKind::Add, from[srcDims[i]], v, range);
      to[dstDims[i]] = binary(BinOpKind::Add, to[dstDims[i]], v, range);
      if (!from[srcDims[i]] || !to[dstDims[i]])
        return false;
    }
    Value v = load(src.buffer, from, range);
    return v && store(dst.buffer, to, v, range);
  };
  auto inner = [&]() -> bool {
    if (fixed.empty())
      return point();
    auto parallel = tile::ParallelOp::create(b, ArrayRef<int64_t>(fixed));
    ++parallelDepth;
    bool ok = inRegion(&parallel.getBody().front(), true, [&] {
      for (auto [i, at] : llvm::enumerate(fixedAt))
        vars[at] = parallel.getBody().getArgument(unsigned(i));
      return point();
    });
    --parallelDepth;
    return ok;
  };
  // Serial loops first, from the outside in; constant extents are kept for
  // `inner`, so that the parallel loop is innermost whatever their order.
  auto nest = [&](auto &self, size_t i) -> bool {
    if (i == extents.size())
      return inner();
    if (extents[i].is(VK::Int) && !parallelDepth && !perThread) {
      fixed.push_back(extents[i].asInt());
      fixedAt.push_back(unsigned(i));
      return self(self, i + 1);
    }
    mlir::Value upper = toI32(extents[i], range);
    if (!upper)
      return false;
    at(range);
    mlir::Value zero = constant(int64_t(0), dtypes::int32).value,
                one = constant(int64_t(1), dtypes::int32).value;
    auto forOp = scf::ForOp::create(b, zero, upper, one);
    if (perThread && extents[i].is(VK::Int)) // registers need fixed indices
      forOp->setAttr("tile.unroll", b.getI64IntegerAttr(0));
    return inRegion(forOp.getBody(), true, [&] {
      vars[i] = forOp.getInductionVar();
      return self(self, i + 1);
    });
  };
  at(range);
  return nest(nest, 0);
}

} // namespace tlc::frontend
