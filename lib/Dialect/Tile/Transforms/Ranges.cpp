//===- Ranges.cpp - Bounds of the integers of a kernel --------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interval arithmetic over the operands, from the extents of grids, loops and
// workgroups. Of a loop's variable: from the least lower bound to the greatest
// upper bound less 1. The prefetched index, min(i + 1, n - 1) in a loop to n,
// is no less than the loop's lower bound, whatever is known of n.
//
//   %n = 8192 - 256 * (workgroup of a grid of 32)     [256, 8192]
//   min(%n, 256) + 63 >> 6                            [4, 4]
//
//===----------------------------------------------------------------------===//

#include "tlc/Dialect/Tile/Transforms/Ranges.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

// Far above any index, and far enough below 2^63 that smaller numbers can be
// added.
static constexpr int64_t kInfinity = int64_t(1) << 62;

static int64_t clampInt(__int128 v) {
  return v > kInfinity ? kInfinity : v < -kInfinity ? -kInfinity : int64_t(v);
}

Ranges::Ranges(KernelOp kernel) : kernel(kernel) {}

/// The variable i of a loop to n, where the value is min(i + x, n - 1): as the
/// loop's body runs, n - 1 is not below i.
static std::pair<Value, Value> matchLast(arith::MinSIOp min) {
  for (int side : {0, 1}) {
    auto next = min->getOperand(side).getDefiningOp<arith::AddIOp>();
    auto last = min->getOperand(1 - side).getDefiningOp<arith::SubIOp>();
    if (!next || !last || !matchPattern(last.getRhs(), m_One()))
      continue;
    auto arg = dyn_cast<BlockArgument>(next.getLhs());
    auto loop =
        arg ? dyn_cast<scf::ForOp>(arg.getOwner()->getParentOp()) : nullptr;
    if (loop && arg == loop.getInductionVar() &&
        last.getLhs() == loop.getUpperBound())
      return {arg, next};
  }
  return {};
}

Interval Ranges::of(Value v) {
  if (auto it = known.find(v); it != known.end())
    return it->second;
  Interval whole{-kInfinity, kInfinity};
  if (v.getType().isInteger(32))
    whole = {INT32_MIN, INT32_MAX};
  Interval result = whole;
  APInt c;
  if (matchPattern(v, m_ConstantInt(&c))) {
    result = {c.getSExtValue(), c.getSExtValue()};
  } else if (auto arg = dyn_cast<BlockArgument>(v)) {
    Operation *owner = arg.getOwner()->getParentOp();
    // A workgroup's index is below the grid's extent.
    if (owner == kernel) {
      Interval grid = of(kernel.getGrid()[arg.getArgNumber()]);
      result = {0, std::max<int64_t>(0, grid.hi - 1)};
    } else if (auto loop = dyn_cast<scf::ForOp>(owner);
               loop && arg == loop.getInductionVar()) {
      result = {of(loop.getLowerBound()).lo, of(loop.getUpperBound()).hi - 1};
    } else if (auto loop = dyn_cast<tile::ParallelOp>(owner)) {
      result = {0, loop.getExtents()[arg.getArgNumber()] - 1};
    }
  } else if (Operation *op = v.getDefiningOp()) {
    auto in = [&](unsigned i) { return of(op->getOperand(i)); };
    if (isa<arith::AddIOp>(op)) {
      result = {clampInt(__int128(in(0).lo) + in(1).lo),
                clampInt(__int128(in(0).hi) + in(1).hi)};
    } else if (isa<arith::SubIOp>(op)) {
      result = {clampInt(__int128(in(0).lo) - in(1).hi),
                clampInt(__int128(in(0).hi) - in(1).lo)};
    } else if (isa<arith::MulIOp>(op)) {
      // Products in 128 bits: two saturated bounds would wrap in 64.
      __int128 p[] = {
          __int128(in(0).lo) * in(1).lo, __int128(in(0).lo) * in(1).hi,
          __int128(in(0).hi) * in(1).lo, __int128(in(0).hi) * in(1).hi};
      result = {clampInt(*std::min_element(p, p + 4)),
                clampInt(*std::max_element(p, p + 4))};
    } else if (isa<arith::ShLIOp>(op) && in(1).lo == in(1).hi &&
               in(1).lo >= 0 && in(1).lo < 32) {
      __int128 s = __int128(1) << in(1).lo;
      result = {clampInt(in(0).lo * s), clampInt(in(0).hi * s)};
    } else if (isa<arith::ShRSIOp>(op) && in(1).lo == in(1).hi &&
               in(1).lo >= 0 && in(1).lo < 63) {
      result = {in(0).lo >> in(1).lo, in(0).hi >> in(1).lo};
    } else if (auto min = dyn_cast<arith::MinSIOp>(op)) {
      result = {std::min(in(0).lo, in(1).lo), std::min(in(0).hi, in(1).hi)};
      if (auto [iv, next] = matchLast(min); iv)
        result.lo = std::max(result.lo, std::min(of(iv).lo, of(next).lo));
    } else if (isa<arith::MaxSIOp>(op)) {
      result = {std::max(in(0).lo, in(1).lo), std::max(in(0).hi, in(1).hi)};
    } else if (isa<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp,
                   arith::CeilDivSIOp>(op) &&
               in(1).lo > 0 && in(0).lo >= 0) {
      // Non-negative by positive: all roundings agree but ceil's.
      int64_t up = isa<arith::CeilDivSIOp>(op) ? in(1).lo - 1 : 0;
      result = {in(0).lo / in(1).hi,
                clampInt((__int128(in(0).hi) + up) / in(1).lo)};
    } else if (isa<arith::RemSIOp, arith::RemUIOp>(op) && in(1).lo > 0 &&
               in(0).lo >= 0) {
      result = {0, std::min(in(0).hi, in(1).hi - 1)};
    } else if (isa<arith::AndIOp>(op) && in(1).lo >= 0) {
      // The sign bit of a non-negative operand clears the result's.
      result = {0, in(1).hi};
    } else if (isa<arith::SelectOp>(op)) {
      result = {std::min(in(1).lo, in(2).lo), std::max(in(1).hi, in(2).hi)};
    } else if (isa<arith::ExtSIOp>(op)) {
      result = in(0);
    } else if (isa<arith::TruncIOp>(op) && in(0).lo >= INT32_MIN &&
               in(0).hi <= INT32_MAX) {
      result = in(0);
    } else if (auto id = dyn_cast<tile::ThreadIdOp>(op)) {
      auto extents = kernel.getThreads();
      result = {0, id.getDim() < extents.size() ? extents[id.getDim()] - 1 : 0};
    }
    // What may wrap around in 32 bits says nothing.
    if (v.getType().isInteger(32) &&
        (result.lo < INT32_MIN || result.hi > INT32_MAX))
      result = whole;
  }
  return known[v] = result;
}
