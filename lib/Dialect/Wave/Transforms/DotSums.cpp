//===- DotSums.cpp - Sums of f16 by dot products --------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `wave-dot-sums`. Where a program adds up numbers that it has rounded
// to f16, in f32, gfx942 adds two at once: a dot product with ones, of the
// registers that hold them in pairs for a matrix instruction. Widening them is
// not needed then.
//
// Only additions of one reduction (`wave.reduction`) are taken, whose order is
// open, so that the pairs may come first.
//
//   %v = vector.from_elements %a, %b, ..   %v = vector.from_elements %a, %b, ..
//   %x = arith.extf %a                     %p = vector.extract_strided_slice %v
//   %y = arith.extf %b                =>   %s = wave.dot2 %p, %ones, %zero
//   %s = arith.addf %x, %y ...
//
//===----------------------------------------------------------------------===//

#include "tlc/Dialect/Wave/IR/WaveDialect.h"
#include "tlc/Dialect/Wave/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::wave;

namespace tlc::wave {
#define GEN_PASS_DEF_WAVEDOTSUMS
#include "tlc/Dialect/Wave/Transforms/Passes.h.inc"
} // namespace tlc::wave

namespace {
struct DotSums : tlc::wave::impl::WaveDotSumsBase<DotSums> {
  void runOnOperation() override {
    SmallVector<arith::AddFOp> roots;
    getOperation().walk([&](arith::AddFOp add) {
      if (!add.getType().isF32() || !add->hasAttr(kReductionAttr))
        return;
      bool inner = add->hasOneUse() &&
                   (*add->user_begin())->hasAttr(kReductionAttr) &&
                   add->getBlock() == (*add->user_begin())->getBlock();
      if (!inner)
        roots.push_back(add);
    });
    for (arith::AddFOp root : roots)
      rewrite(root);
  }
  void rewrite(arith::AddFOp root);
};
} // namespace

/// What a reduction adds up, from the left.
static void collect(Value value, arith::AddFOp root,
                    SmallVectorImpl<Value> &terms) {
  auto add = value.getDefiningOp<arith::AddFOp>();
  if (!add || add->getBlock() != root->getBlock() ||
      !add->hasAttr(kReductionAttr) || (add != root && !add->hasOneUse()))
    return terms.push_back(value);
  collect(add.getLhs(), root, terms);
  collect(add.getRhs(), root, terms);
}

/// The tuple that puts this and its neighbours together.
static vector::FromElementsOp packOf(Value half) {
  for (Operation *user : half.getUsers())
    if (auto pack = dyn_cast<vector::FromElementsOp>(user);
        pack && pack.getType().getRank() == 1 &&
        pack.getType().getNumElements() % 2 == 0 &&
        pack->getBlock() == half.getParentBlock())
      return pack;
  return {};
}

void DotSums::rewrite(arith::AddFOp root) {
  SmallVector<Value> terms;
  collect(root, root, terms);
  // Halves by the tuple that holds them, each once.
  llvm::MapVector<Operation *, llvm::SmallDenseMap<Value, Value>> packs;
  for (Value term : terms) {
    auto wide = term.getDefiningOp<arith::ExtFOp>();
    if (!wide || !wide.getIn().getType().isF16() || !wide->hasOneUse() ||
        wide->getBlock() != root->getBlock())
      continue;
    if (auto pack = packOf(wide.getIn()))
      packs[pack].try_emplace(wide.getIn(), term);
  }
  OpBuilder b(root);
  Location loc = root.getLoc();
  Type pair = VectorType::get(2, b.getF16Type());
  Value ones, sum;
  llvm::SmallPtrSet<Value, 16> done;
  for (auto &[op, halves] : packs) {
    auto pack = cast<vector::FromElementsOp>(op);
    // All of it, so that it can stand before the sum.
    if (pack->getBlock() != root->getBlock() ||
        halves.size() != pack.getElements().size() ||
        !llvm::all_of(pack.getElements(),
                      [&](Value v) { return halves.contains(v); }))
      continue;
    if (root->isBeforeInBlock(pack))
      pack->moveBefore(root);
    if (!ones) {
      ones = arith::ConstantOp::create(
          b, loc,
          DenseElementsAttr::get(cast<VectorType>(pair),
                                 b.getF16FloatAttr(1).getValue()));
      sum = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0));
    }
    auto elements = pack.getElements();
    for (int64_t i = 0, n = elements.size(); i < n; i += 2) {
      Value part = pack;
      if (n > 2)
        part = vector::ExtractStridedSliceOp::create(b, loc, pack, {i}, {2},
                                                     {int64_t(1)});
      sum = Dot2Op::create(b, loc, b.getF32Type(), part, ones, sum);
      done.insert(halves.lookup(elements[i]));
      done.insert(halves.lookup(elements[i + 1]));
    }
  }
  if (!sum)
    return;
  for (Value term : terms)
    if (!done.contains(term))
      sum = arith::AddFOp::create(b, loc, sum, term);
  root.replaceAllUsesWith(sum);
  // From the root on, what nobody reads any more.
  SmallVector<Operation *> dead = {root};
  while (!dead.empty()) {
    Operation *op = dead.pop_back_val();
    if (!op->use_empty() || !isa<arith::AddFOp, arith::ExtFOp>(op))
      continue;
    SmallVector<Value> operands(op->getOperands());
    op->erase();
    for (Value operand : operands)
      if (Operation *def = operand.getDefiningOp())
        if (!llvm::is_contained(dead, def))
          dead.push_back(def);
  }
}
