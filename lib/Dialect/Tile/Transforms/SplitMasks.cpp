//===- SplitMasks.cpp - Loops whose masks only bite at their end ----------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop over blocks of keys compares key numbers with what a query may see
// (causal masks) or with the number of keys (tails), in every block. But only
// the last blocks have anything to mask. This pass cuts such a loop in two: in
// the first part the comparisons are true for all points and go away, the rest
// keeps them.
//
// Taken are loops of step 1 with a matrix product in their body, and in them
// the integer comparisons inside tile.parallel. A comparison is brought to the
// form `e >= 0`, where e is affine in the loop's variable, the points and what
// does not change in the loop; `min` and `max` make several forms of it, all of
// which must hold. Replacing the points by their worst corner leaves c * k + u
// >= 0 with a uniform u: where c < 0, true up to k = u div -c and never again;
// where c = 0, true always or never. A form with c > 0 comes true only later;
// its comparison is taken the other way round, if that has none: false up to
// some k. The first loop ends at the least of these
// bounds, which is computed before it.
//
// Shared buffers that only the loop uses get a copy for the second one, so that
// each can be pipelined for itself. Their lives do not overlap.
//
//   scf.for %k = %c0 to %n step %c1 {
//     tile.parallel (%i, %j) = [128, 64] {
//       %key = arith.addi (%k * 64), %j
//       %seen = arith.cmpi sle, %key, (%first + %i)
//       %v = arith.select %seen, %zero, %minus_inf ...
//     }
//     tile.gemm ...
//   }
// becomes, with %m = min(max(%first + 1, 0) div 64, %n),
//   scf.for %k = %c0 to %m step %c1 {
//     tile.parallel (%i, %j) = [128, 64] { ... %zero ... }
//     tile.gemm ...
//   }
//   scf.for %k = %m to %n step %c1 { as it was }
//
//===----------------------------------------------------------------------===//

#include "BufferUse.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "tlc/Dialect/Tile/Transforms/Passes.h"
#include "tlc/Dialect/Tile/Transforms/Ranges.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

namespace tlc::tile {
#define GEN_PASS_DEF_TILESPLITMASKS
#include "tlc/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tlc::tile

/// Whether a comparison that does not hold leaves nothing but minus infinity.
static bool masksOtherwise(arith::CmpIOp compare) {
  return llvm::any_of(compare->getUsers(), [&](Operation *user) {
    auto select = dyn_cast<arith::SelectOp>(user);
    return select && select.getCondition() == compare.getResult() &&
           matchPattern(select.getFalseValue(), m_NegInfFloat());
  });
}

namespace {
/// constant + loop * k + sum of factor * value, points at their worst corner.
struct Form {
  int64_t constant = 0, loop = 0;
  /// Values of outside the loop; a value may occur twice.
  SmallVector<std::pair<Value, int64_t>, 4> terms;
};
/// All of them must be at least 0. No forms at all: not understood.
using Forms = SmallVector<Form, 2>;

class LoopSplitter {
public:
  explicit LoopSplitter(scf::ForOp loop) : loop(loop) {}
  void run();

private:
  /// Forms whose least is a lower bound of sign * value at every point.
  Forms formsOf(Value value, int64_t sign);
  Forms formsOf(arith::CmpIOp compare, arith::CmpIPredicate predicate);
  Value bound(OpBuilder &b, const Form &form);
  void dropComparisons(scf::ForOp first, IRMapping &map);
  void giveOwnBuffers(scf::ForOp second);

  scf::ForOp loop;
  /// With what each of them gives in the first loop.
  SmallVector<std::pair<arith::CmpIOp, bool>> comparisons;
  Forms forms;
};
} // namespace

/// x + y for all pairs.
static Forms sums(const Forms &xs, const Forms &ys) {
  Forms result;
  for (const Form &x : xs)
    for (const Form &y : ys) {
      Form sum = x;
      sum.constant += y.constant;
      sum.loop += y.loop;
      sum.terms.append(y.terms);
      result.push_back(sum);
    }
  return result;
}

static Forms scaled(Forms forms, int64_t factor) {
  for (Form &form : forms) {
    form.constant *= factor;
    form.loop *= factor;
    for (auto &term : form.terms)
      term.second *= factor;
  }
  return forms;
}

/// Recurses through sums, products with constants, minima and maxima. The worst
/// corner of a point is 0 where it counts up, its last value where it counts
/// down. No forms: not understood.
Forms LoopSplitter::formsOf(Value value, int64_t sign) {
  Form form;
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number))) {
    form.constant = sign * number.getSExtValue();
    return {form};
  }
  if (value == loop.getInductionVar()) {
    form.loop = sign;
    return {form};
  }
  if (auto argument = dyn_cast<BlockArgument>(value))
    if (auto parallel =
            dyn_cast<ParallelOp>(argument.getOwner()->getParentOp());
        parallel && loop->isAncestor(parallel)) {
      int64_t last = parallel.getExtents()[argument.getArgNumber()] - 1;
      form.constant = sign < 0 ? -last : 0;
      return {form};
    }
  // Of outside the loop. Another width would need extensions in the bound.
  if (value.getParentRegion()->isProperAncestor(&loop.getRegion())) {
    if (value.getType() != loop.getInductionVar().getType())
      return {};
    form.terms.push_back({value, sign});
    return {form};
  }
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  auto operand = [&](unsigned i, int64_t s) {
    return formsOf(op->getOperand(i), s);
  };
  if (isa<arith::AddIOp>(op))
    return sums(operand(0, sign), operand(1, sign));
  if (isa<arith::SubIOp>(op))
    return sums(operand(0, sign), operand(1, -sign));
  // One factor is a constant; a negative one turns the bound round.
  if (isa<arith::MulIOp, arith::ShLIOp>(op)) {
    unsigned factor = 1;
    if (!matchPattern(op->getOperand(1), m_ConstantInt(&number))) {
      if (isa<arith::ShLIOp>(op) ||
          !matchPattern(op->getOperand(0), m_ConstantInt(&number)))
        return {};
      factor = 0;
    }
    int64_t c = number.getSExtValue();
    if (isa<arith::ShLIOp>(op)) {
      if (c < 0 || c > 30)
        return {};
      c = int64_t(1) << c;
    }
    return scaled(operand(1 - factor, c < 0 ? -sign : sign), std::abs(c));
  }
  // At least min(x, y) says both; at most max(x, y) likewise.
  if (sign > 0 ? isa<arith::MinSIOp>(op) : isa<arith::MaxSIOp>(op)) {
    Forms x = operand(0, sign), y = operand(1, sign);
    if (x.empty() || y.empty())
      return {};
    x.append(y);
    return x;
  }
  return {};
}

/// `large - small >= 0`, or `- 1` more for strict order. Unsigned and equality
/// predicates are not understood.
Forms LoopSplitter::formsOf(arith::CmpIOp compare,
                            arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  bool less = predicate == P::sle || predicate == P::slt;
  bool strict = predicate == P::slt || predicate == P::sgt;
  if (!less && predicate != P::sge && predicate != P::sgt)
    return {};
  Value large = less ? compare.getRhs() : compare.getLhs();
  Value small = less ? compare.getLhs() : compare.getRhs();
  Forms result = sums(formsOf(large, 1), formsOf(small, -1));
  for (Form &form : result)
    form.constant -= strict;
  return result;
}

/// The first k for which the form no longer holds, as far as that lies between
/// the loop's bounds.
Value LoopSplitter::bound(OpBuilder &b, const Form &form) {
  Location loc = loop.getLoc();
  Type type = loop.getInductionVar().getType();
  auto constant = [&](int64_t v) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, v));
  };
  // With d = -loop: the form at k = 0 plus d, for the rounding below.
  Value u = constant(form.constant - (form.loop ? form.loop : 0));
  for (auto [value, factor] : form.terms) {
    Value term = value;
    if (factor != 1)
      term = b.createOrFold<arith::MulIOp>(loc, value, constant(factor));
    u = b.createOrFold<arith::AddIOp>(loc, u, term);
  }
  // Without the loop's variable: all iterations or none.
  Value zero = constant(0);
  if (form.loop == 0) {
    Value holds =
        b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, u, zero);
    return b.createOrFold<arith::SelectOp>(loc, holds, loop.getUpperBound(),
                                           loop.getLowerBound());
  }
  // u div d + 1 = (u + d) div d, rounded down; 0 if that is negative.
  u = b.createOrFold<arith::MaxSIOp>(loc, u, zero);
  return b.createOrFold<arith::DivUIOp>(loc, u, constant(-form.loop));
}

/// Gives the comparisons of the first loop their values, and what they choose
/// is chosen.
void LoopSplitter::dropComparisons(scf::ForOp first, IRMapping &map) {
  for (auto &[original, holds] : comparisons) {
    Value compare = map.lookup(original.getResult());
    OpBuilder b(compare.getDefiningOp());
    for (Operation *user : llvm::make_early_inc_range(compare.getUsers()))
      if (auto select = dyn_cast<arith::SelectOp>(user);
          select && select.getCondition() == compare)
        select.getResult().replaceAllUsesWith(holds ? select.getTrueValue()
                                                    : select.getFalseValue());
    compare.replaceAllUsesWith(
        arith::ConstantOp::create(b, compare.getLoc(), b.getBoolAttr(holds)));
  }
  eraseDeadCode(first);
}

/// Clones each shared alloc that only the two loops use, for the second one.
void LoopSplitter::giveOwnBuffers(scf::ForOp second) {
  auto kernel = second->getParentOfType<KernelOp>();
  for (AllocOp alloc : getAllocs(kernel, Space::Shared)) {
    SmallVector<OpOperand *> inSecond;
    bool elsewhere = false;
    for (OpOperand &use : alloc.getResult().getUses()) {
      if (second->isProperAncestor(use.getOwner()))
        inSecond.push_back(&use);
      else
        elsewhere |= !loop->isProperAncestor(use.getOwner());
    }
    if (inSecond.empty() || elsewhere || second->isProperAncestor(alloc))
      continue;
    OpBuilder b(alloc->getContext());
    b.setInsertionPointAfter(alloc);
    Value own = b.clone(*alloc)->getResult(0);
    for (OpOperand *use : inSecond)
      use->set(own);
  }
}

void LoopSplitter::run() {
  APInt step;
  bool hasGemm = false;
  loop.walk([&](GemmOp) { hasGemm = true; });
  if (!hasGemm || !matchPattern(loop.getStep(), m_ConstantInt(&step)) ||
      !step.isOne())
    return;
  // One comparison that is not understood does not spoil the others: it stays
  // in both loops.
  StringRef why;
  for (auto parallel : loop.getBody()->getOps<ParallelOp>())
    parallel.walk([&](arith::CmpIOp compare) {
      Forms found = formsOf(compare, compare.getPredicate());
      auto depends = [](const Form &f) { return f.loop != 0; };
      auto opens = [](const Form &f) { return f.loop > 0; };
      bool holds = true;
      // Blocks in front of a window, where all is masked, are not worth a loop.
      if ((found.empty() || llvm::any_of(found, opens)) &&
          !masksOtherwise(compare))
        if (Forms inverse = formsOf(
                compare, arith::invertPredicate(compare.getPredicate()));
            !inverse.empty() && llvm::none_of(inverse, opens)) {
          found = inverse;
          holds = false;
        }
      if (found.empty()) {
        why = "a mask is not affine in the loop's variable and the points";
        return;
      }
      // The same in each iteration: nothing to split.
      if (llvm::none_of(found, depends))
        return;
      if (llvm::any_of(found, opens)) {
        why = "a mask opens as the loop proceeds";
        return;
      }
      comparisons.push_back({compare, holds});
      forms.append(found);
    });
  if (comparisons.empty()) {
    if (!why.empty())
      loop.emitRemark("not split at its masks: ") << why;
    return;
  }

  OpBuilder b(loop);
  Location loc = loop.getLoc();
  Value middle = loop.getUpperBound();
  for (const Form &form : forms)
    // The least of all bounds and the loop's own end.
    middle = b.createOrFold<arith::MinSIOp>(loc, bound(b, form), middle);
  Ranges ranges(loop->getParentOfType<KernelOp>());
  if (ranges.of(middle).lo >= ranges.of(loop.getUpperBound()).hi) {
    // Nothing is ever masked. An empty second loop would be prefetched for.
    IRMapping same;
    for (auto &[compare, holds] : comparisons)
      same.map(compare.getResult(), compare.getResult());
    dropComparisons(loop, same);
    return;
  }
  middle = b.createOrFold<arith::MaxSIOp>(loc, middle, loop.getLowerBound());
  if (ranges.of(middle).hi <= ranges.of(loop.getLowerBound()).lo)
    return; // every block is masked

  // The clone stands in front and runs up to the middle; its results start the
  // second loop.
  IRMapping map;
  auto first = cast<scf::ForOp>(b.clone(*loop, map));
  first.setUpperBound(middle);
  loop.setLowerBound(middle);
  for (auto [init, result] :
       llvm::zip_equal(loop.getInitArgsMutable(), first.getResults()))
    init.set(result);
  dropComparisons(first, map);
  // What `first` uses stays; the second loop gets its own.
  std::swap(first, loop);
  giveOwnBuffers(first);
  loop.emitRemark("split at its masks: the first part needs none of ")
      << comparisons.size();
}

namespace {
struct SplitMasks : tlc::tile::impl::TileSplitMasksBase<SplitMasks> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (loop->getParentOfType<KernelOp>())
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops)
      LoopSplitter(loop).run();
  }
};
} // namespace
