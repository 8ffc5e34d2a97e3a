//===- OpenGuards.cpp - Conditions that bounds of tensors imply -----------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `tile-open-guards`. Programs guard the ends of tensors,
//
//   if row < M and col < N: Y[row, col] = f(X[row, col])
//
// which makes every access an element's, behind a branch: registers of a lane
// may disagree. But reads outside a tensor give its pad value and writes there
// are dropped, and the lowering does both for accesses of many elements. In
// loops over points, under a condition that orders integers,
//
//   * loads from tensors are made before it, with what they need: they may be
//     made anywhere;
//   * a choice between what they gave and something else is a select, or no
//     choice where the condition fails only outside the tensor and the other
//     value is what reads there give;
//   * if it fails only where stores are dropped, it goes.
//
//   scf.if (%c < 4096) {                       %x = tile.load %X[%r, %c]
//     %x = tile.load %X[%r, %c]           =>   tile.store %x, %Y[%r, %c]
//     tile.store %x, %Y[%r, %c] }              // both [1000, 4096]
//
// Left alone: conditions that are the same for all points, or equalities, which
// may well be false for most; those on values from memory; loads from tiles,
// which may be read outside of nowhere, and through pointers that the kernel
// computes; what follows a store or anything else with an effect.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "tlc/Dialect/Tile/IR/TileDialect.h"
#include "tlc/Dialect/Tile/Transforms/Passes.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

namespace tlc::tile {
#define GEN_PASS_DEF_TILEOPENGUARDS
#include "tlc/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tlc::tile

namespace {

/// lhs < rhs + more, or 0 <= lhs where rhs is null.
struct Bound {
  Value lhs, rhs;
  int64_t more = 0;
};

struct OpenGuards : tlc::tile::impl::TileOpenGuardsBase<OpenGuards> {
  using TileOpenGuardsBase::TileOpenGuardsBase;

  void runOnOperation() override {
    SmallVector<scf::IfOp> guards;
    // Inner ones first.
    getOperation().walk([&](scf::IfOp op) {
      if (op->getParentOfType<ParallelOp>())
        guards.push_back(op);
    });
    for (scf::IfOp guard : guards)
      open(guard);
  }

private:
  static void open(scf::IfOp guard);
};

} // namespace

/// Whether two integers are the same expression of the same values.
static bool isSame(Value a, Value c, unsigned depth = 0) {
  constexpr unsigned kDeepest = 16;
  if (a == c)
    return true;
  Operation *x = a.getDefiningOp(), *y = c.getDefiningOp();
  return x && y && depth < kDeepest && isPure(x) && x->getNumRegions() == 0 &&
         x->getNumResults() == 1 && x->getName() == y->getName() &&
         x->getAttrDictionary() == y->getAttrDictionary() &&
         a.getType() == c.getType() &&
         llvm::equal(
             x->getOperands(), y->getOperands(),
             [&](Value p, Value q) { return isSame(p, q, depth + 1); });
}

/// Whether a value is integer arithmetic on constants, indices and variables of
/// loops; `varies` says whether a variable of `loop` is in it.
static bool isArithmetic(Value v, ParallelOp loop, bool &varies,
                         unsigned depth = 0) {
  constexpr unsigned kDeepest = 32;
  if (auto argument = dyn_cast<BlockArgument>(v)) {
    varies |= argument.getOwner() == &loop.getBody().front();
    return true;
  }
  Operation *op = v.getDefiningOp();
  if (!loop->isProperAncestor(op))
    return true;
  return depth < kDeepest && isPure(op) && op->getNumRegions() == 0 &&
         isa<IntegerType, IndexType>(v.getType()) &&
         llvm::all_of(
             op->getOperands(),
             [&](Value operand) {
               return isArithmetic(operand, loop, varies, depth + 1);
             });
}

/// The comparisons that a condition is the conjunction of; false where it is
/// something else.
static bool comparisonsOf(Value condition,
                          SmallVectorImpl<arith::CmpIOp> &comparisons) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>())
    return comparisonsOf(both.getLhs(), comparisons) &&
           comparisonsOf(both.getRhs(), comparisons);
  auto cmp = condition.getDefiningOp<arith::CmpIOp>();
  if (!cmp || cmp.getPredicate() == arith::CmpIPredicate::eq ||
      cmp.getPredicate() == arith::CmpIPredicate::ne)
    return false;
  comparisons.push_back(cmp);
  return true;
}

/// What a comparison says of an integer that must lie within bounds.
static std::optional<Bound> boundOf(arith::CmpIOp cmp) {
  using P = arith::CmpIPredicate;
  Value a = cmp.getLhs(), c = cmp.getRhs();
  switch (cmp.getPredicate()) {
  case P::slt:
  case P::ult: // fails for negative numbers as well
    return Bound{a, c, 0};
  case P::sle:
    // 0 <= c
    if (matchPattern(a, m_Zero()))
      return Bound{c, Value(), 0};
    return Bound{a, c, 1};
  case P::ule:
    return Bound{a, c, 1};
  case P::sgt:
    return Bound{c, a, 0};
  case P::ugt:
    return Bound{c, a, 0};
  case P::sge:
    if (matchPattern(c, m_Zero()))
      return Bound{a, Value(), 0};
    return Bound{c, a, 1};
  case P::uge:
    return Bound{c, a, 1};
  default:
    return std::nullopt;
  }
}

/// Whether all comparisons hold wherever `indices` are within the tensor.
static bool isImplied(ArrayRef<arith::CmpIOp> comparisons, TensorOp tensor,
                      ValueRange indices) {
  auto type = cast<MemRefType>(tensor.getType());
  return llvm::all_of(comparisons, [&](arith::CmpIOp cmp) {
    std::optional<Bound> bound = boundOf(cmp);
    if (!bound)
      return false;
    unsigned dynamic = 0;
    for (auto [d, index] : llvm::enumerate(indices)) {
      Value size =
          type.isDynamicDim(d) ? tensor.getSizes()[dynamic++] : Value();
      if (!isSame(index, bound->lhs))
        continue;
      if (!bound->rhs)
        return true;
      APInt limit;
      if (size ? bound->more >= 0 && isSame(size, bound->rhs)
               : matchPattern(bound->rhs, m_ConstantInt(&limit)) &&
                     limit.getSExtValue() + bound->more >= type.getDimSize(d))
        return true;
    }
    return false;
  });
}

/// The tensor of an access that may be made with any index: one of the kernel's
/// arguments.
static TensorOp tensorOf(Value buffer) {
  auto tensor = buffer.getDefiningOp<TensorOp>();
  return tensor && isa<BlockArgument>(tensor.getSource()) ? tensor : TensorOp();
}

/// The value that a branch chooses, if it is what a read outside the tensor of
/// the other one gives.
static bool isPad(Value v, TensorOp tensor) {
  Attribute value;
  if (!matchPattern(v, m_Constant(&value)))
    return false;
  if (std::optional<TypedAttr> pad = tensor.getPad())
    return *pad == value;
  if (auto number = dyn_cast<FloatAttr>(value))
    return number.getValue().isPosZero();
  auto number = dyn_cast<IntegerAttr>(value);
  return number && number.getValue().isZero();
}

void OpenGuards::open(scf::IfOp guard) {
  auto loop = guard->getParentOfType<ParallelOp>();
  SmallVector<arith::CmpIOp> comparisons;
  bool varies = false;
  if (!comparisonsOf(guard.getCondition(), comparisons) ||
      !isArithmetic(guard.getCondition(), loop, varies) || !varies)
    return;
  bool loads = false;
  guard.walk([&](LoadOp op) { loads |= bool(tensorOf(op.getSource())); });
  if (!loads)
    return;

  // What may be done under any condition comes before it.
  for (mlir::Region *region :
       {&guard.getThenRegion(), &guard.getElseRegion()}) {
    if (region->empty())
      continue;
    bool effects = false;
    for (Operation &op :
         llvm::make_early_inc_range(region->front().without_terminator())) {
      auto load = dyn_cast<LoadOp>(op);
      bool movable = load ? tensorOf(load.getSource()) && !effects
                          : isPure(&op) && op.getNumRegions() == 0;
      if (load && movable) {
        bool unused = false;
        for (Value index : load.getIndices())
          movable &= isArithmetic(index, loop, unused);
      }
      bool outside = llvm::all_of(op.getOperands(), [&](Value v) {
        return !guard->isProperAncestor(v.getParentRegion()->getParentOp()) &&
               v.getParentRegion()->getParentOp() != guard;
      });
      if (movable && outside)
        op.moveBefore(guard);
      else
        effects |= !load && !isPure(&op);
    }
  }

  OpBuilder b(guard);
  Block &then = guard.getThenRegion().front();
  if (guard.getNumResults() == 0) {
    // Stores that the tensor's bounds drop where the condition fails.
    if (!guard.getElseRegion().empty() &&
        !guard.getElseRegion().front().without_terminator().empty())
      return;
    for (Operation &op : then.without_terminator()) {
      auto store = dyn_cast<StoreOp>(op);
      TensorOp tensor = store ? tensorOf(store.getDest()) : TensorOp();
      if (!tensor || !isImplied(comparisons, tensor, store.getIndices()))
        return;
    }
    for (Operation &op : llvm::make_early_inc_range(then.without_terminator()))
      op.moveBefore(guard);
    guard.erase();
    return;
  }
  Block &other = guard.getElseRegion().front();
  if (!then.without_terminator().empty() || !other.without_terminator().empty())
    return;
  for (auto [result, x, y] :
       llvm::zip_equal(guard.getResults(), then.getTerminator()->getOperands(),
                       other.getTerminator()->getOperands())) {
    auto load = x.getDefiningOp<LoadOp>();
    TensorOp tensor = load ? tensorOf(load.getSource()) : TensorOp();
    bool implied = tensor && isPad(y, tensor) &&
                   isImplied(comparisons, tensor, load.getIndices());
    result.replaceAllUsesWith(
        implied ? x
                : arith::SelectOp::create(b, guard.getLoc(),
                                          guard.getCondition(), x, y)
                      .getResult());
  }
  guard.erase();
}
