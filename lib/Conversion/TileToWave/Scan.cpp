//===- Scan.cpp - tile.scan to registers and lanes ------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Digit by digit of the scanned dimension, from the innermost on, blocks that
// are scanned in themselves are joined to larger ones:
//
//   registers   what the blocks before have in sum is added to a block, one
//               block after the other
//   lanes       in log2(lanes) exchanges of the blocks' sums: the partner
//               l ^ 2^i stands before a lane whose bit i is set, and its sum
//               goes into what is added to that lane's block
//
// Example, a row of [16:r1, 64:t1]: 15 additions scan the registers of a lane,
// six exchanges, two operations each, give what the lanes before it have in
// sum, and 16 additions add that. Reversed, blocks are taken from the last to
// the first. Positions beyond the row hold what changes nothing.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

using namespace mlir;
using namespace tlc;

/// Fails, with an error, where layouts are missing, differ, or spread the
/// dimension otherwise than resolveScan() does.
LogicalResult KernelLowering::lowerScan(tile::ScanOp op) {
  Location loc = op.getLoc();
  std::optional<Layout> layout = tile::getFragmentLayout(op.getSrc());
  if (!layout || layout != tile::getFragmentLayout(op.getDst()))
    return op.emitError("operands have no common layout: run "
                        "tile-infer-layouts first");
  auto shape = cast<MemRefType>(op.getSrc().getType()).getShape();
  unsigned dim = op.getDim();
  tile::ReduceKind kind = op.getKind();
  PointMap points = getPointMap(*layout, shape);
  Type result = cast<MemRefType>(op.getDst().getType()).getElementType();
  // Sums of narrow floats are kept in f32 until the end.
  Type type = result;
  if (isa<FloatType>(result) && result.getIntOrFloatBitWidth() < 32)
    type = b.getF32Type();
  Value nothing =
      arith::ConstantOp::create(b, loc, reductionIdentity(b, kind, type));

  // The elements; `base` is the block of a register, named by its first.
  Registers &in = registersOf(op.getSrc());
  SmallVector<Value> values, sums;
  SmallVector<int64_t> base;
  for (int64_t r = 0; r < points.registers; ++r) {
    Value v = cast(in.get(b, loc, r), type, loc);
    if (points.isPadded(dim))
      v = arith::SelectOp::create(
          b, loc,
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                pointValue(points, dim, r, loc),
                                constant(loc, shape[dim])),
          v, nothing);
    values.push_back(v);
    base.push_back(r);
  }
  sums = values;

  propagateNaN = false;
  auto addToBlock = [&](int64_t block, Value before) {
    for (auto [r, v] : llvm::enumerate(values))
      if (base[r] == block)
        v = combine(kind, before, v, loc);
  };
  for (const Digit &digit : layout->dim(dim)) {
    if (digit.place == Place::Register) {
      for (int64_t block = 0; block < points.registers; ++block) {
        if (base[block] != block || (block / digit.stride) % digit.extent)
          continue;
        Value running;
        for (int64_t i = 0; i < digit.extent; ++i) {
          int64_t j = op.getReverse() ? digit.extent - 1 - i : i;
          int64_t member = block + j * digit.stride;
          if (running) {
            addToBlock(member, running);
            running = combine(kind, running, sums[member], loc);
          } else {
            running = sums[member];
          }
        }
        sums[block] = running;
        for (int64_t &member : base)
          if (member - member / digit.stride % digit.extent * digit.stride ==
              block)
            member = block;
      }
      continue;
    }
    if (!llvm::isPowerOf2_64(digit.extent) ||
        !llvm::isPowerOf2_64(digit.stride) ||
        digit.stride * digit.extent > 64 || !layout->countsUp())
      return op.emitError("a scan over these threads is not supported: run "
                          "tile-infer-layouts first");
    Value lane = wave::LaneIdOp::create(b, loc, b.getI32Type());
    for (int64_t block = 0; block < points.registers; ++block) {
      if (base[block] != block)
        continue;
      Value sum = sums[block], before = nothing;
      for (int64_t mask = digit.stride; mask < digit.stride * digit.extent;
           mask *= 2) {
        Value other =
            wave::ShuffleXorOp::create(b, loc, type, sum, uint64_t(mask));
        Value bit = arith::AndIOp::create(b, loc, lane, constant(loc, mask));
        Value isBehind =
            arith::CmpIOp::create(b, loc,
                                  op.getReverse() ? arith::CmpIPredicate::eq
                                                  : arith::CmpIPredicate::ne,
                                  bit, constant(loc, 0));
        before = arith::SelectOp::create(
            b, loc, isBehind,
            before == nothing ? other : combine(kind, before, other, loc),
            before);
        sum = combine(kind, sum, other, loc);
      }
      addToBlock(block, before);
      sums[block] = sum;
    }
  }

  Registers &out = registersOf(op.getDst());
  for (auto [r, v] : llvm::enumerate(values))
    out.set(b, loc, r, cast(v, result, loc));
  return success();
}
