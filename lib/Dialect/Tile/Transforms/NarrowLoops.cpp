//===- NarrowLoops.cpp - Loops over no more points than do something ------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop over points all of whose work stands under `i < C` has no points from
// C on. The others would still be threads and registers of its layout, and the
// indices that they compute would lie outside of the buffers. Only where C
// divides the extent, as when a loop is written once for each part of a tile:
// elsewhere whole rows are laid out better. And only where no fragment is
// written: registers of the points that are left out would be in the way.
//
//   tile.parallel (%i, %j) = [32, 512] { scf.if (%i < 16) {...} }
// becomes
//   tile.parallel (%i, %j) = [16, 512] {...}
//
//===----------------------------------------------------------------------===//

#include "NarrowLoops.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tlc/Dialect/Tile/Transforms/Passes.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

/// The branch that holds all that a loop does, or null.
static scf::IfOp wholeBranch(ParallelOp loop) {
  scf::IfOp branch;
  for (Operation &op : loop.getBody().front().without_terminator()) {
    auto here = dyn_cast<scf::IfOp>(op);
    if (here && !branch && here->getNumResults() == 0 &&
        here.getElseRegion().empty())
      branch = here;
    else if (!isPure(&op))
      return nullptr;
  }
  bool intoRegisters = false;
  loop.walk([&](StoreOp store) {
    Space space = getSpace(store.getDest());
    intoRegisters |= space == Space::Fragment || space == Space::Local;
  });
  return intoRegisters ? nullptr : branch;
}

/// Narrows the loop by one comparison of the condition; true if there was one.
/// The comparison is then always true.
static bool narrowBy(ParallelOp loop, Value condition) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>())
    return narrowBy(loop, both.getLhs()) || narrowBy(loop, both.getRhs());
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return false;
  using Predicate = arith::CmpIPredicate;
  Value index = compare.getLhs(), bound = compare.getRhs();
  Predicate predicate = compare.getPredicate();
  if (predicate == Predicate::sgt || predicate == Predicate::ugt) {
    std::swap(index, bound);
    predicate = Predicate::slt;
  }
  auto arg = dyn_cast<BlockArgument>(index);
  APInt constant;
  if (!arg || arg.getOwner() != &loop.getBody().front() ||
      (predicate != Predicate::slt && predicate != Predicate::ult) ||
      !matchPattern(bound, m_ConstantInt(&constant)))
    return false;
  SmallVector<int64_t> extents(loop.getExtents());
  int64_t most = constant.getSExtValue();
  if (most < 1 || most >= extents[arg.getArgNumber()] ||
      extents[arg.getArgNumber()] % most)
    return false;
  extents[arg.getArgNumber()] = most;
  loop.setExtents(extents);
  OpBuilder b(compare);
  compare.getResult().replaceAllUsesWith(
      arith::ConstantOp::create(b, compare.getLoc(), b.getBoolAttr(true)));
  compare.erase();
  return true;
}

void tile::narrowLoops(KernelOp kernel) {
  kernel.walk([&](ParallelOp loop) {
    // Layouts that the program gives are of the points as it counts them.
    if (loop->hasAttr(kLoopLayoutAttr))
      return;
    scf::IfOp branch = wholeBranch(loop);
    while (branch && narrowBy(loop, branch.getCondition())) {
    }
    // Without a condition the body is the branch's.
    APInt constant;
    if (branch &&
        matchPattern(branch.getCondition(), m_ConstantInt(&constant)) &&
        constant.isOne()) {
      for (Operation &op :
           llvm::make_early_inc_range(branch.thenBlock()->without_terminator()))
        op.moveBefore(branch);
      branch.erase();
    }
  });
}
