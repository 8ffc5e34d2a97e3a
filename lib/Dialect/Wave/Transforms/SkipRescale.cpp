//===- SkipRescale.cpp - Branch around multiplications by one -------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `wave-skip-rescale`. An online softmax multiplies its accumulators
// by exp2(old maximum - new maximum) at each step; that is exactly 1 as long as
// no row's maximum moves, which soon is nearly always. Where a loop multiplies
// whole register tuples by one such factor, a branch that is uniform over the
// wavefront skips it when the factor is 1 in all lanes: x * 1 is x.
//
// The difference must give 0 for equal maxima, so the products in it are marked
// (`wave.exact`): fused with the subtraction, they would be rounded unlike each
// other.
//
//   %f = math.exp2 %difference                %f = math.exp2 %difference
//   %0 = vector.extract %acc[0]               %c = arith.cmpf une, %f, %one
//   %1 = arith.mulf %0, %f              =>    %any = wave.any %c
//   ...                                       %r = scf.if %any {
//   %r = vector.from_elements %1, ...           %v = vector.broadcast %f
//                                               scf.yield arith.mulf %acc, %v
//                                             } else { scf.yield %acc }
//
//===----------------------------------------------------------------------===//

#include "Rescale.h"
#include "tlc/Dialect/Wave/Transforms/Passes.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::wave;

namespace tlc::wave {
#define GEN_PASS_DEF_WAVESKIPRESCALE
#include "tlc/Dialect/Wave/Transforms/Passes.h.inc"
} // namespace tlc::wave

namespace {
struct SkipRescale : tlc::wave::impl::WaveSkipRescaleBase<SkipRescale> {
  using WaveSkipRescaleBase::WaveSkipRescaleBase;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      runOnLoop(loop);
  }

  void runOnLoop(scf::ForOp loop);
};
} // namespace

/// The scalar that each element of a tuple is multiplied by, if the tuple is
/// another one times it.
static Value matchRescaled(vector::FromElementsOp tuple, Value &source) {
  Value factor;
  if (!tuple.getType().getElementType().isF32() ||
      tuple.getType().getRank() != 1)
    return {};
  for (auto [i, element] : llvm::enumerate(tuple.getElements())) {
    auto product = element.getDefiningOp<arith::MulFOp>();
    if (!product)
      return {};
    Value part = product.getLhs(), other = product.getRhs();
    auto extract = part.getDefiningOp<vector::ExtractOp>();
    if (!extract) {
      std::swap(part, other);
      extract = part.getDefiningOp<vector::ExtractOp>();
    }
    if (!extract || extract.getStaticPosition() != ArrayRef<int64_t>(i) ||
        extract.getSource().getType() != tuple.getType())
      return {};
    if (i == 0) {
      source = extract.getSource();
      factor = other;
    } else if (source != extract.getSource() || factor != other) {
      return {};
    }
  }
  return factor;
}

void wave::markProducts(Value factor) {
  Operation *exponential = factor.getDefiningOp();
  if (!isa_and_nonnull<math::Exp2Op, math::ExpOp>(exponential))
    return;
  SmallVector<Value> work = {exponential->getOperand(0)};
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (isa_and_nonnull<arith::MulFOp>(op))
      op->setAttr(kExactAttr, UnitAttr::get(op->getContext()));
    if (isa_and_nonnull<arith::MulFOp, arith::SubFOp, arith::AddFOp,
                        arith::NegFOp, arith::SelectOp>(op))
      llvm::append_range(work, op->getOperands());
  }
}

int64_t wave::countProducts(ArrayRef<Rescaled> tuples) {
  int64_t count = 0;
  for (const Rescaled &r : tuples)
    count += r.tuple.getType().getNumElements();
  return count;
}

llvm::MapVector<Value, SmallVector<Rescaled>> wave::findRescaled(Block *body) {
  llvm::MapVector<Value, SmallVector<Rescaled>> groups;
  for (auto tuple : body->getOps<vector::FromElementsOp>()) {
    Value source;
    Value factor = matchRescaled(tuple, source);
    if (factor && factor.getParentBlock() == body)
      groups[factor].push_back({tuple, source});
  }
  // Sources that are computed after the first tuple would not dominate.
  for (auto &[factor, tuples] : groups) {
    Operation *first = tuples.front().tuple;
    llvm::erase_if(tuples, [&](const Rescaled &r) {
      Operation *def = r.source.getDefiningOp();
      return def && def->getBlock() == body && !def->isBeforeInBlock(first);
    });
  }
  return groups;
}

void wave::rewriteRescaled(Value condition, Value factor,
                           ArrayRef<Rescaled> tuples,
                           ArrayRef<std::pair<Operation *, Value>> scalars) {
  Location loc = tuples.front().tuple.getLoc();
  // Behind all sources: where the first tuple or product stands they are.
  Operation *first = tuples.front().tuple;
  for (auto &[product, source] : scalars)
    if (product->isBeforeInBlock(first))
      first = product;
  SmallVector<Type> types;
  for (const Rescaled &r : tuples) {
    types.push_back(r.source.getType());
    if (Operation *def = r.source.getDefiningOp();
        def && def->getBlock() == first->getBlock() &&
        first->isBeforeInBlock(def))
      first = tuples.front().tuple;
  }
  for (auto &[product, source] : scalars)
    types.push_back(source.getType());
  OpBuilder b(first);
  auto branch =
      scf::IfOp::create(b, loc, types, condition, /*withElseRegion=*/true);
  OpBuilder then = branch.getThenBodyBuilder();
  SmallVector<Value> products, same;
  for (const Rescaled &r : tuples) {
    Value splat =
        vector::BroadcastOp::create(then, loc, r.source.getType(), factor);
    products.push_back(arith::MulFOp::create(then, loc, r.source, splat));
    same.push_back(r.source);
  }
  for (auto &[product, source] : scalars) {
    products.push_back(arith::MulFOp::create(then, loc, source, factor));
    same.push_back(source);
  }
  scf::YieldOp::create(then, loc, products);
  OpBuilder otherwise = branch.getElseBodyBuilder();
  scf::YieldOp::create(otherwise, loc, same);
  for (auto [r, result] : llvm::zip(tuples, branch.getResults()))
    r.tuple.replaceAllUsesWith(result);
  for (auto [scalar, result] :
       llvm::zip(scalars, branch.getResults().drop_front(tuples.size())))
    scalar.first->replaceAllUsesWith(ValueRange(result));
  for (const Rescaled &r : tuples) {
    SmallVector<Value> elements(r.tuple.getElements());
    r.tuple.erase();
    for (Value v : elements)
      if (Operation *op = v.getDefiningOp(); op && isOpTriviallyDead(op))
        op->erase();
  }
}

void SkipRescale::runOnLoop(scf::ForOp loop) {
  for (auto &[factor, tuples] : findRescaled(loop.getBody())) {
    if (tuples.empty() || countProducts(tuples) < minimum)
      continue;
    markProducts(factor);
    Location loc = tuples.front().tuple.getLoc();
    OpBuilder b(tuples.front().tuple);
    Value one = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(1));
    Value moved =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, factor, one);
    Value any = AnyOp::create(b, loc, b.getI1Type(), moved);
    rewriteRescaled(any, factor, tuples);
  }
}
