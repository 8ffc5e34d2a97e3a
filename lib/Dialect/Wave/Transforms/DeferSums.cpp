//===- DeferSums.cpp - Sums over lanes behind the loop --------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `wave-defer-sums`. An online softmax adds up each block's weights
// over the lanes of a row and adds that to a running sum, which it multiplies
// by a factor that all lanes of the row share. Both are linear: each lane can
// keep the running sum of its own weights, and the lanes exchange theirs once,
// behind the loop.
//
// Only the order of additions changes, which a sum leaves open; but partial
// sums of both signs may be far larger than the whole, with rounding errors to
// match. So the terms must be known not to be negative, as exponentials are.
//
//   %r = scf.for ... iter_args(%l = %zero)   %r = scf.for ... (%l = %zero)
//     %o = wave.shuffle_xor %s, 32             %m = arith.mulf %l, %f
//     %t = arith.addf %s, %o                   %n = arith.addf %m, %s
//     %m = arith.mulf %l, %f           =>      scf.yield %n
//     %n = arith.addf %m, %t                 %o = wave.shuffle_xor %r, 32
//     scf.yield %n                           %t = arith.addf %r, %o
//
// A loop that begins with such a sum (of the blocks without a mask, say) begins
// with the partial ones.
//
// A lane's own weights that are added up by dot products need no addition of
// their own then: the first product adds to the running sum.
//
//   %d = wave.dot2 %p, %ones, %zero          %d = wave.dot2 %p, %ones, %m
//   %s = wave.dot2 %q, %ones, %d      =>     %n = wave.dot2 %q, %ones, %d
//   %n = arith.addf %m, %s                   scf.yield %n
//
//===----------------------------------------------------------------------===//

#include "LaneSymmetry.h"
#include "mlir/IR/Matchers.h"
#include "tlc/Dialect/Wave/Transforms/Passes.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::wave;

namespace tlc::wave {
#define GEN_PASS_DEF_WAVEDEFERSUMS
#include "tlc/Dialect/Wave/Transforms/Passes.h.inc"
} // namespace tlc::wave

namespace {
/// `argument` becomes its product with a symmetric factor, or itself, plus
/// `sum`.
struct RunningSum {
  BlockArgument argument;
  OpOperand *addend; ///< of the addition: where the sum over lanes enters
  Butterfly sum;
};

struct DeferSums : tlc::wave::impl::WaveDeferSumsBase<DeferSums> {
  void runOnOperation() override {
    SmallVector<RunningSum> found;
    getOperation().walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
      for (BlockArgument argument : loop.getRegionIterArgs())
        if (auto running = match(loop, argument))
          found.push_back(*running);
    });
    for (RunningSum &running : found)
      defer(running);
  }

  std::optional<RunningSum> match(scf::ForOp loop, BlockArgument argument);
  void defer(RunningSum &running);
  /// Sums over lanes that were put behind loops, and their masks.
  llvm::DenseMap<Value, std::pair<Value, SmallVector<int64_t, 4>>> totals;
};
} // namespace

/// Whether a value is known to be zero, positive or NaN.
static bool isNonNegative(Value value, llvm::DenseSet<Value> &seen) {
  if (!seen.insert(value).second)
    return true; // judged elsewhere in the same conjunction
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (isa<math::Exp2Op, math::ExpOp, math::AbsFOp>(op))
    return true;
  APFloat constant(0.0f);
  if (matchPattern(value, m_ConstantFloat(&constant)))
    return !constant.isNegative();
  auto all = [&](ValueRange values) {
    return llvm::all_of(values,
                        [&](Value v) { return isNonNegative(v, seen); });
  };
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return all({select.getTrueValue(), select.getFalseValue()});
  if (auto extract = dyn_cast<vector::ExtractOp>(op))
    return all(extract.getSource());
  // Halves packed into dwords and taken from them again.
  if (auto cast = dyn_cast<vector::BitCastOp>(op)) {
    auto isPacked = [](Type type) {
      type = getElementTypeOrSelf(type);
      return type.isInteger(32) || type.isF16() || type.isBF16();
    };
    return isPacked(cast.getSource().getType()) && isPacked(cast.getType()) &&
           all(cast.getSource());
  }
  if (isa<arith::AddFOp, arith::MulFOp, arith::DivFOp, arith::ExtFOp,
          arith::TruncFOp, arith::MaxNumFOp, vector::FromElementsOp,
          vector::ExtractStridedSliceOp, Dot2Op>(op))
    return all(op->getOperands());
  return false;
}

std::optional<RunningSum> DeferSums::match(scf::ForOp loop,
                                           BlockArgument argument) {
  Block *body = loop.getBody();
  if (!argument.getType().isF32() || !argument.hasOneUse())
    return std::nullopt;
  auto next = loop.getTiedLoopYieldedValue(argument)
                  ->get()
                  .getDefiningOp<arith::AddFOp>();
  if (!next || next->getBlock() != body || !next->hasOneUse())
    return std::nullopt;
  for (int i = 0; i < 2; ++i) {
    Value old = next->getOperand(i);
    OpOperand &addend = next->getOpOperand(1 - i);
    Value factor;
    if (auto product = old.getDefiningOp<arith::MulFOp>();
        product && product->hasOneUse()) {
      bool left = product.getLhs() == argument;
      old = left ? product.getLhs() : product.getRhs();
      factor = left ? product.getRhs() : product.getLhs();
    }
    if (old != argument)
      continue;
    Butterfly sum = matchButterfly<arith::AddFOp>(addend.get());
    llvm::DenseSet<Value> seen;
    bool ours = !sum.masks.empty() && llvm::all_of(sum.ops, [&](Operation *op) {
      return op->getBlock() == body;
    });
    if (!ours || !isNonNegative(sum.partial, seen))
      continue;
    bool shared = llvm::all_of(sum.masks, [&](int64_t mask) {
      return !factor || isSymmetric(factor, mask);
    });
    if (shared)
      return RunningSum{argument, &addend, std::move(sum)};
  }
  return std::nullopt;
}

/// Adds a chain of dot products, the right side of an addition, to its left
/// side from the first product on.
static void continueByDots(OpOperand &addend) {
  auto add = cast<arith::AddFOp>(addend.getOwner());
  SmallVector<Dot2Op> chain; // the last product first
  for (Value v = addend.get(); !matchPattern(v, m_PosZeroFloat());
       v = chain.back().getC()) {
    auto dot = v.getDefiningOp<Dot2Op>();
    if (!dot || !dot->hasOneUse() || dot->getBlock() != add->getBlock())
      return;
    chain.push_back(dot);
  }
  if (chain.empty())
    return;
  Value last = chain.front();
  chain.back().getCMutable().set(
      add->getOperand(1 - addend.getOperandNumber()));
  for (Dot2Op dot : llvm::reverse(chain))
    dot->moveBefore(add);
  add.replaceAllUsesWith(last);
  add.erase();
}

void DeferSums::defer(RunningSum &running) {
  auto loop = cast<scf::ForOp>(running.argument.getOwner()->getParentOp());
  OpOperand *init = loop.getTiedLoopInit(running.argument);
  if (auto it = totals.find(init->get());
      it != totals.end() && it->second.second == running.sum.masks)
    init->set(it->second.first);
  else if (!matchPattern(init->get(), m_PosZeroFloat()))
    return; // one lane would have to begin with it
  running.addend->set(running.sum.partial);
  // Within the loop nothing is left of it, unless somebody else wants it.
  for (Operation *op : llvm::reverse(running.sum.ops))
    if (op->use_empty())
      op->erase();
  continueByDots(*running.addend);
  OpBuilder b(loop.getContext());
  b.setInsertionPointAfter(loop);
  Value partial = loop.getTiedLoopResult(running.argument), total = partial;
  llvm::SmallPtrSet<Operation *, 8> ours;
  for (int64_t mask : running.sum.masks) {
    Value other = ShuffleXorOp::create(b, loop.getLoc(), total.getType(), total,
                                       b.getI64IntegerAttr(mask));
    ours.insert(other.getDefiningOp());
    total = arith::AddFOp::create(b, loop.getLoc(), total, other);
    ours.insert(total.getDefiningOp());
  }
  partial.replaceAllUsesExcept(total, ours);
  totals[total] = {partial, running.sum.masks};
}
