//===- ExpandOps.cpp - Tile ops as loops over LDS ---------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Transposes, scans, and the reductions that lanes cannot do: each becomes a
// tile.parallel over its results, which loops along the dimension in LDS.
//
//   tile.reduce sum %s into %m dim 1     // rows spread over 48 threads
//     -> tile.copy %s to %lds
//        tile.parallel (%i) = [rows] { %sum = scf.for ...; tile.store %sum,
//        %m[%i] }
//
//===----------------------------------------------------------------------===//

#include "LayoutInference.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

/// dst[.., j, i] := src[.., i, j] as a parallel loop.
LogicalResult tile::expandTranspose(TransposeOp op) {
  OpBuilder b(op);
  auto shape = cast<MemRefType>(op.getDst().getType()).getShape();
  auto loop = ParallelOp::create(b, op.getLoc(), shape);
  b.setInsertionPointToStart(&loop.getBody().front());
  SmallVector<Value> to(loop.getBody().getArguments());
  SmallVector<Value> from(to);
  std::swap(from[from.size() - 1], from[from.size() - 2]);
  auto srcType = cast<MemRefType>(op.getSrc().getType());
  auto dstType = cast<MemRefType>(op.getDst().getType());
  Value v = LoadOp::create(b, op.getLoc(), srcType.getElementType(),
                           op.getSrc(), from);
  // A load has one type: a conversion would be another op.
  if (srcType.getElementType() != dstType.getElementType())
    return op.emitError("transpose of ")
           << srcType.getElementType() << " into " << dstType.getElementType()
           << ": copy the result to change its type";
  StoreOp::create(b, op.getLoc(), v, op.getDst(), to);
  op.erase();
  return success();
}

/// `in` and `out` are the scan's source and result in LDS. Each point of the
/// loop is a row, and its thread walks it alone: a scan of n elements takes n
/// dependent steps, which is right for the short rows that programs scan, and
/// needs no exchange between lanes. With `reverse` the walk starts at the last
/// element. In place, every row has one thread alone: others that walked it
/// would read what that one has summed.
void tile::expandScan(ScanOp op, AllocOp in, AllocOp out, int64_t threads) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto type = cast<MemRefType>(op.getSrc().getType());
  Type element = type.getElementType();
  int64_t dim = op.getDim(), extent = type.getDimSize(dim);
  SmallVector<int64_t> rows(type.getShape());
  rows[dim] = 1;
  int64_t count = type.getNumElements() / extent;
  bool alone = in == out && count % threads;
  auto loop = ParallelOp::create(
      b, loc,
      alone ? SmallVector<int64_t>{int64_t(llvm::alignTo(count, threads))}
            : rows);
  b.setInsertionPointToStart(&loop.getBody().front());
  auto constant = [&](int64_t v) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(v));
  };
  SmallVector<Value> row(loop.getBody().getArguments());
  if (alone) {
    Value rest = row.front();
    auto inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, rest,
                                        constant(count));
    auto branch = scf::IfOp::create(b, loc, inside, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
    // The number of the row, taken apart.
    row.assign(rows.size(), Value());
    for (int64_t d = rows.size() - 1, left = count; d >= 0; --d) {
      left /= rows[d];
      bool last = left == 1;
      row[d] = rows[d] == 1 ? constant(0)
               : last ? rest
                      : arith::RemUIOp::create(b, loc, rest, constant(rows[d]))
                            .getResult();
      if (rows[d] != 1 && !last)
        rest = arith::DivUIOp::create(b, loc, rest, constant(rows[d]));
    }
  }
  auto position = [&](OpBuilder &b, Value k) {
    SmallVector<Value> index(row);
    if (op.getReverse())
      k = arith::SubIOp::create(b, loc, constant(extent - 1), k);
    index[dim] = k;
    return index;
  };
  // The first element is its own prefix, so that the loop needs no identity.
  Value zero = constant(0);
  // Narrow floats are summed in f32, as reductions do.
  bool fp = isa<FloatType>(element);
  bool narrow = fp && element.getIntOrFloatBitWidth() < 32;
  auto load = [&](ValueRange index) -> Value {
    Value v = LoadOp::create(b, loc, element, in, index);
    return narrow ? arith::ExtFOp::create(b, loc, b.getF32Type(), v).getResult()
                  : v;
  };
  auto store = [&](Value v, ValueRange index) {
    if (narrow)
      v = arith::TruncFOp::create(b, loc, element, v);
    StoreOp::create(b, loc, v, out, index);
  };
  Value first = load(position(b, zero));
  store(first, position(b, zero));
  auto body = scf::ForOp::create(b, loc, constant(1), constant(extent),
                                 constant(1), ValueRange{first});
  b.setInsertionPointToStart(body.getBody());
  Value last = position(b, body.getInductionVar())[dim];
  SmallVector<Value> index(row);
  index[dim] = last;
  Value v = load(index);
  Value acc = body.getRegionIterArg(0);
  Value next;
  if (op.getKind() == ReduceKind::Sum)
    next = fp ? arith::AddFOp::create(b, loc, acc, v).getResult()
              : arith::AddIOp::create(b, loc, acc, v).getResult();
  else
    next = fp ? arith::MaxNumFOp::create(b, loc, acc, v).getResult()
           : op.getKind() == ReduceKind::UMax
               ? arith::MaxUIOp::create(b, loc, acc, v).getResult()
               : arith::MaxSIOp::create(b, loc, acc, v).getResult();
  store(next, index);
  scf::YieldOp::create(b, loc, next);
}

/// Whether the threads along a dimension can be combined by a butterfly of
/// lanes and an exchange between wavefronts (Reduce.cpp).
/// Digits on wavefronts go through LDS in any number; those within a wavefront
/// must be powers of two, for a butterfly pairs lane l with l xor 2^i. A digit
/// that reaches from lanes into wavefronts is judged by the part within.
bool tile::isReducible(const Layout &layout, unsigned dim) {
  for (const Digit &digit : layout.dim(dim)) {
    if (digit.place != Place::Thread)
      continue;
    if (digit.stride >= 64) {
      if (digit.stride % 64)
        return false;
      continue;
    }
    int64_t lanes = digit.extent;
    if (digit.stride * digit.extent > 64) {
      lanes = 64 / digit.stride;
      if (digit.extent % lanes)
        return false;
    }
    if (!llvm::isPowerOf2_64(lanes) || !llvm::isPowerOf2_64(digit.stride))
      return false;
  }
  return true;
}

/// One step of a reduction, in the type it accumulates in.
/// NaN follows the op: `nan` max and min return it (arith.maximumf), the plain
/// ones return the other operand.
static Value combine(OpBuilder &b, Location loc, ReduceOp op, Value x,
                     Value y) {
  bool fp = isa<FloatType>(x.getType());
  switch (op.getKind()) {
  case ReduceKind::Sum:
  case ReduceKind::AbsSum:
    return fp ? arith::AddFOp::create(b, loc, x, y).getResult()
              : arith::AddIOp::create(b, loc, x, y).getResult();
  case ReduceKind::Max:
  case ReduceKind::AbsMax:
    if (fp && op.getNan())
      return arith::MaximumFOp::create(b, loc, x, y);
    return fp ? arith::MaxNumFOp::create(b, loc, x, y).getResult()
              : arith::MaxSIOp::create(b, loc, x, y).getResult();
  case ReduceKind::Min:
    if (fp && op.getNan())
      return arith::MinimumFOp::create(b, loc, x, y);
    return fp ? arith::MinNumFOp::create(b, loc, x, y).getResult()
              : arith::MinSIOp::create(b, loc, x, y).getResult();
  case ReduceKind::UMax:
    return arith::MaxUIOp::create(b, loc, x, y);
  case ReduceKind::UMin:
    return arith::MinUIOp::create(b, loc, x, y);
  case ReduceKind::And:
    return arith::AndIOp::create(b, loc, x, y);
  case ReduceKind::Or:
    return arith::OrIOp::create(b, loc, x, y);
  case ReduceKind::Xor:
    return arith::XOrIOp::create(b, loc, x, y);
  }
  llvm_unreachable("all kinds are handled");
}

/// A reduction over threads whose number has no butterfly: from LDS, each row
/// by one thread.
LogicalResult LayoutInference::expandReduce(ReduceOp op) {
  Location loc = op.getLoc();
  AllocOp in = createLike(op.getSrc(), Space::Shared);
  builder.setInsertionPoint(op);
  auto load = CopyOp::create(builder, loc, op.getSrc(), in, LayoutAttr());
  auto srcType = cast<MemRefType>(in.getType());
  auto dstType = cast<MemRefType>(op.getDst().getType());
  // Narrow floats accumulate in f32, as in the reduction over lanes; rounding
  // once at the end.
  Type from = srcType.getElementType(), to = dstType.getElementType();
  Type type = to;
  if (isa<FloatType>(to) && to.getIntOrFloatBitWidth() < 32)
    type = builder.getF32Type();
  auto loop = ParallelOp::create(builder, loc, dstType.getShape());
  OpBuilder b(loop.getContext());
  b.setInsertionPointToStart(&loop.getBody().front());
  auto constant = [&](int64_t v) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(v));
  };
  auto convert = [&](Value v, Type wanted) -> Value {
    if (v.getType() == wanted)
      return v;
    bool wider =
        v.getType().getIntOrFloatBitWidth() < wanted.getIntOrFloatBitWidth();
    if (isa<FloatType>(wanted))
      return wider ? arith::ExtFOp::create(b, loc, wanted, v).getResult()
                   : arith::TruncFOp::create(b, loc, wanted, v).getResult();
    return wider ? arith::ExtSIOp::create(b, loc, wanted, v).getResult()
                 : arith::TruncIOp::create(b, loc, wanted, v).getResult();
  };
  if (isa<FloatType>(from) != isa<FloatType>(to))
    return op.emitError("a reduction of ") << from << " into " << to;
  bool absolute =
      op.getKind() == ReduceKind::AbsMax || op.getKind() == ReduceKind::AbsSum;
  auto size = [&](Value v) -> Value {
    if (!absolute)
      return v;
    return isa<FloatType>(type) ? math::AbsFOp::create(b, loc, v).getResult()
                                : math::AbsIOp::create(b, loc, v).getResult();
  };
  ValueRange point = loop.getBody().getArguments();
  bool keepsDim = dstType.getRank() == srcType.getRank();
  auto element = [&](Value k) -> Value {
    SmallVector<Value> index(point);
    if (keepsDim)
      index[op.getDim()] = k;
    else if (srcType.getRank() == 1)
      index.assign(1, k);
    else
      // The result's point has no such dimension: insert the position.
      index.insert(index.begin() + op.getDim(), k);
    return size(
        convert(LoadOp::create(b, loc, from, in.getResult(), index), type));
  };
  // Starting with element 0 needs no identity for each kind and type.
  Value first = element(constant(0));
  auto body = scf::ForOp::create(b, loc, constant(1),
                                 constant(srcType.getDimSize(op.getDim())),
                                 constant(1), ValueRange{first});
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(body.getBody());
    scf::YieldOp::create(b, loc,
                         combine(b, loc, op, body.getRegionIterArg(0),
                                 element(body.getInductionVar())));
  }
  Value result = body.getResult(0);
  // The old content takes part last, by its absolute value for a maximum of
  // absolute values.
  if (op.getAccumulate()) {
    Value old = convert(LoadOp::create(b, loc, to, op.getDst(), point), type);
    if (op.getKind() == ReduceKind::AbsMax)
      old = size(old);
    result = combine(b, loc, op, old, result);
  }
  StoreOp::create(b, loc, convert(result, to), op.getDst(), point);
  op.emitRemark("the reduction goes through LDS: its rows are spread over "
                "threads whose number is no power of two");
  op.erase();
  return success(succeeded(resolveLoop(load)) && succeeded(resolveLoop(loop)));
}
