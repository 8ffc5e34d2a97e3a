//===- Reduce.cpp - tile.reduce to registers, lanes and wavefronts --------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread combines the registers it holds, then its wavefront combines lanes
// by a butterfly, then wavefronts exchange what remains through LDS.
//
// Example, rows of [2:r1, 16:t1, 4:t64] reduced: each thread adds its two
// registers, four exchanges with lanes l ^ 1, 2, 4 and 8 add the 16 lanes, and
// four wavefronts write their sums to LDS, wait, and each adds all four. Every
// holder of a result computes it in the same order, so replicas are equal bit
// by bit.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

using namespace mlir;
using namespace tlc;

using tile::ReduceKind;

/// One step of a reduction; with `propagateNaN`, minima and maxima of floats
/// give NaN where either side is one.
mlir::Value KernelLowering::combine(ReduceKind kind, Value a, Value c,
                                    Location loc) {
  bool fp = isa<FloatType>(a.getType());
  if (fp && propagateNaN && kind != ReduceKind::Sum &&
      kind != ReduceKind::AbsSum) {
    // The hardware's maximum ignores NaN; a sum of the two does not.
    Value best = kind == ReduceKind::Min
                     ? arith::MinNumFOp::create(b, loc, a, c).getResult()
                     : arith::MaxNumFOp::create(b, loc, a, c).getResult();
    Value nan = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, a, c);
    return arith::SelectOp::create(b, loc, nan,
                                   arith::AddFOp::create(b, loc, a, c), best);
  }
  switch (kind) {
  case ReduceKind::Sum:
  case ReduceKind::AbsSum:
    return fp ? arith::AddFOp::create(b, loc, a, c).getResult()
              : arith::AddIOp::create(b, loc, a, c).getResult();
  case ReduceKind::Max:
  case ReduceKind::AbsMax:
    return fp ? arith::MaxNumFOp::create(b, loc, a, c).getResult()
              : arith::MaxSIOp::create(b, loc, a, c).getResult();
  case ReduceKind::Min:
    return fp ? arith::MinNumFOp::create(b, loc, a, c).getResult()
              : arith::MinSIOp::create(b, loc, a, c).getResult();
  case ReduceKind::UMax:
    return arith::MaxUIOp::create(b, loc, a, c);
  case ReduceKind::UMin:
    return arith::MinUIOp::create(b, loc, a, c);
  case ReduceKind::And:
    return arith::AndIOp::create(b, loc, a, c);
  case ReduceKind::Or:
    return arith::OrIOp::create(b, loc, a, c);
  case ReduceKind::Xor:
    return arith::XOrIOp::create(b, loc, a, c);
  }
  llvm_unreachable("all kinds are handled");
}

/// The neutral element, for points that do not exist. Absolute maxima start at
/// 0.
TypedAttr tlc::reductionIdentity(OpBuilder &b, ReduceKind kind, Type type) {
  if (auto fp = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = fp.getFloatSemantics();
    if (kind == ReduceKind::Max)
      return b.getFloatAttr(type, APFloat::getInf(semantics, true));
    if (kind == ReduceKind::Min)
      return b.getFloatAttr(type, APFloat::getInf(semantics, false));
    return b.getFloatAttr(type, APFloat::getZero(semantics));
  }
  unsigned width = type.getIntOrFloatBitWidth();
  switch (kind) {
  case ReduceKind::Max:
    return b.getIntegerAttr(type, APInt::getSignedMinValue(width));
  case ReduceKind::Min:
    return b.getIntegerAttr(type, APInt::getSignedMaxValue(width));
  case ReduceKind::UMin:
  case ReduceKind::And:
    return b.getIntegerAttr(type, APInt::getAllOnes(width));
  default:
    return b.getIntegerAttr(type, APInt::getZero(width));
  }
}

/// Fails, with an error, where layouts are missing or the lanes along the row
/// form no butterfly (tile-infer-layouts has expanded those).
LogicalResult KernelLowering::lowerReduce(tile::ReduceOp op) {
  Location loc = op.getLoc();
  std::optional<Layout> srcLayout = tile::getFragmentLayout(op.getSrc());
  std::optional<Layout> dstLayout = tile::getFragmentLayout(op.getDst());
  if (!srcLayout || !dstLayout)
    return op.emitError("operands have no layouts: run tile-infer-layouts "
                        "first");
  propagateNaN = op.getNan();
  const Layout &src = *srcLayout, &dst = *dstLayout;
  auto srcShape = mlir::cast<MemRefType>(op.getSrc().getType()).getShape();
  auto dstType = mlir::cast<MemRefType>(op.getDst().getType());
  unsigned dim = op.getDim();
  ReduceKind kind = op.getKind();
  PointMap points = getPointMap(src, srcShape);
  Type result = dstType.getElementType();
  // Sums of narrow floats are kept in f32 until the end.
  Type type = result;
  if (isa<FloatType>(result) && result.getIntOrFloatBitWidth() < 32)
    type = b.getF32Type();

  // Registers of the source by the slot of the result they belong to.
  Registers &in = registersOf(op.getSrc());
  SmallVector<Value> sums(dst.numRegisters());
  SmallVector<SmallVector<int64_t, 4>> elementOf(dst.numRegisters());
  for (int64_t r = 0; r < points.registers; ++r) {
    // Thread 0 tells which element a register stands for in the result: the
    // same for all, moved by the thread's own digits.
    auto index = src.indexOf(0, r);
    if (!index)
      continue;
    bool exists = true;
    for (unsigned d = 0; d < srcShape.size(); ++d)
      exists &= points.registerPart[d][r] < srcShape[d];
    if (!exists)
      continue;
    SmallVector<int64_t, 4> element(*index);
    // The reduced dimension is kept with extent 1, or left out.
    if (dst.rank() == srcShape.size())
      element[dim] = 0;
    else
      element.erase(element.begin() + dim);
    if (element.empty())
      element.push_back(0);
    std::optional<int64_t> slot = dst.slotIn(0, element);
    if (!slot)
      return op.emitError("result layout does not follow from the source's");
    Value v = cast(in.get(b, loc, r), type, loc);
    // Sizes before anything is combined, so that what follows is a plain sum or
    // maximum.
    if (kind == ReduceKind::AbsMax || kind == ReduceKind::AbsSum)
      v = isa<FloatType>(type) ? math::AbsFOp::create(b, loc, v).getResult()
                               : math::AbsIOp::create(b, loc, v).getResult();
    // Padding along the reduced dimension must not take part. Padding of other
    // dimensions gives results that nobody reads.
    if (points.isPadded(dim)) {
      bool needed = false;
      for (int64_t t = 0; t < threads; ++t)
        needed |= points.at(dim, t, r) >= srcShape[dim];
      if (needed)
        v = arith::SelectOp::create(
            b, loc,
            arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                  pointValue(points, dim, r, loc),
                                  constant(loc, srcShape[dim])),
            v,
            arith::ConstantOp::create(b, loc,
                                      reductionIdentity(b, kind, type)));
    }
    sums[*slot] = sums[*slot] ? combine(kind, sums[*slot], v, loc) : v;
    if (auto add = sums[*slot].getDefiningOp<arith::AddFOp>())
      add->setAttr(wave::kReductionAttr, b.getUnitAttr());
    elementOf[*slot] = element;
  }

  // Lanes of one wavefront.
  SmallVector<Digit> waveDigits;
  for (const Digit &digit : src.dim(dim)) {
    if (digit.place != Place::Thread)
      continue;
    int64_t lanes = digit.extent;
    if (digit.stride >= 64) {
      waveDigits.push_back(digit);
      continue;
    }
    // The part of the digit within a wavefront goes by lanes, the rest by
    // wavefronts.
    if (digit.stride * digit.extent > 64) {
      lanes = 64 / digit.stride;
      if (digit.extent % lanes)
        return op.emitError("a reduction over these threads is not supported");
      waveDigits.push_back({digit.extent / lanes, Place::Thread, 64});
    }
    if (!llvm::isPowerOf2_64(lanes) || !llvm::isPowerOf2_64(digit.stride))
      return op.emitError("a reduction over lanes whose number is no power of "
                          "two is not supported");
    // log2(lanes) exchanges: lane l with l xor mask; all lanes end up with the
    // result.
    for (int64_t mask = digit.stride; mask < digit.stride * lanes; mask *= 2)
      for (Value &v : sums)
        if (v)
          v = combine(
              kind, v,
              wave::ShuffleXorOp::create(b, loc, v.getType(), v,
                                         uint64_t(src.threadOfDigits(mask))),
              loc);
  }

  if (!waveDigits.empty()) {
    if (!op.getScratch())
      return op.emitError("spans wavefronts but has no scratch: run "
                          "tile-infer-layouts first");
    // scratch[wavefront][element of the result]
    // Rows are what one wavefront holds of the result, row-major with the
    // layout's padding.
    int64_t bytes = type.getIntOrFloatBitWidth() / 8;
    int64_t covered = 1;
    // Element address within a row, as a layout in memory.
    SmallVector<Layout::Digits> linear(dst.rank());
    for (int d = int(dst.rank()) - 1; d >= 0; --d) {
      if (dst.covered(d) > 1)
        linear[d].push_back({dst.covered(d), Place::Memory, covered});
      covered *= dst.covered(d);
    }
    int64_t start = ldsOffsetOf(op.getScratch());
    Layout memory{linear};
    SmallVector<int64_t> extents;
    for (unsigned d = 0; d < dst.rank(); ++d)
      extents.push_back(dst.covered(d));
    PointMap results = getPointMap(dst, extents);
    Value waveId = wave::WaveIdOp::create(b, loc, b.getI32Type());
    // The first of the wavefronts that share this one's results. Those beyond
    // the layout's digits hold copies, and read what they are copies of.
    Value first = waveId;
    int64_t span = 64;
    for (unsigned d = 0; d < src.rank(); ++d)
      for (const Digit &digit : src.dim(d))
        if (digit.place == Place::Thread)
          span = std::max(span, digit.stride * digit.extent);
    if (span < threads && span % 64 == 0)
      first = arith::RemUIOp::create(b, loc, first, constant(loc, span / 64));
    SmallVector<int64_t> offsets = {0};
    for (const Digit &digit : waveDigits) {
      int64_t stride = digit.stride / 64;
      // This wavefront's digit is taken out of its number; `offsets` lists the
      // numbers of all that share its results, relative to the first.
      Value v = arith::DivUIOp::create(b, loc, waveId, constant(loc, stride));
      v = arith::RemUIOp::create(b, loc, v, constant(loc, digit.extent));
      v = arith::MulIOp::create(b, loc, v, constant(loc, stride));
      first = arith::SubIOp::create(b, loc, first, v);
      SmallVector<int64_t> next;
      for (int64_t i = 0; i < digit.extent; ++i)
        for (int64_t o : offsets)
          next.push_back(o + i * stride);
      offsets = next;
    }
    // The byte within a row, of the element that this thread holds in a slot.
    auto elementAddress = [&](int64_t slot) {
      SmallVector<Value> index;
      for (unsigned d = 0; d < dst.rank(); ++d)
        index.push_back(pointValue(results, d, slot, loc));
      Value v = layoutAddress(memory, index, loc);
      return arith::MulIOp::create(b, loc, v, constant(loc, bytes)).getResult();
    };
    // The part of wavefront `wave`.
    auto row = [&](Value wave) {
      return arith::MulIOp::create(b, loc, wave, constant(loc, covered * bytes))
          .getResult();
    };
    // Readers of an earlier reduction through the same buffer are done.
    wave::BarrierOp::create(b, loc);
    Value mine = row(waveId), shared = row(first);
    SmallVector<Value> addresses(sums.size());
    for (auto [slot, v] : llvm::enumerate(sums)) {
      if (!v)
        continue;
      addresses[slot] = elementAddress(slot);
      wave::LdsStoreOp::create(
          b, loc, v, arith::AddIOp::create(b, loc, addresses[slot], mine),
          start);
    }
    // Now every wavefront's partial results are in LDS; each reads all that
    // belong to its own, so that all hold the same result, combined in the same
    // order.
    wave::BarrierOp::create(b, loc);
    for (auto [slot, v] : llvm::enumerate(sums)) {
      if (!v)
        continue;
      Value address = arith::AddIOp::create(b, loc, addresses[slot], shared);
      Value sum;
      for (int64_t o : offsets) {
        Value part = wave::LdsLoadOp::create(b, loc, type, address,
                                             start + o * covered * bytes);
        sum = sum ? combine(kind, sum, part, loc) : part;
      }
      v = sum;
    }
  }

  Registers &out = registersOf(op.getDst());
  for (auto [slot, v] : llvm::enumerate(sums)) {
    if (!v)
      continue;
    // The old content takes part last.
    if (op.getAccumulate()) {
      Value old = cast(out.get(b, loc, slot), type, loc);
      if (kind == ReduceKind::AbsMax)
        old = isa<FloatType>(type)
                  ? math::AbsFOp::create(b, loc, old).getResult()
                  : old;
      v = combine(kind, old, v, loc);
    }
    out.set(b, loc, slot, cast(v, result, loc));
  }
  return success();
}
