//===- OwnPoints.cpp - Parallel loops that belong to each thread ----------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two kinds of T.Parallel say more about threads than that their points are
// spread over them:
//
// 1. A loop that stores to arrays of each thread (T.alloc_local) alone, and
//    touches no fragment, is every thread's own: all of them run all points.
//    A T.alloc_var, which is one of the thread's registers, does not count.
// 2. A loop that draws random numbers. A thread's numbers come in an order, so
//    that each gets its points in one piece, thread t those from t * n on.
//
//   v = T.alloc_local((4,), ..)
//   for i in T.Parallel(4):           scf.for %i = 0 to 4:
//       v[i] = A[tx] + i        ->      tile.store .., %v[%i]
//
//   for i, j in T.Parallel(256, 8):   scf.for %k = 0 to 8:
//       B[i, j] = T.rng_rand()  ->      %p = thread * 8 + %k
//                                       .. %B[%p / 8, %p % 8]
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "PointLoops.h"
#include "tlc/Dialect/Tile/Transforms/Passes.h"

using namespace tlc;
using namespace mlir;

namespace tlc::frontend {

/// Points up to which a thread's loop over them is unrolled: its arrays are
/// registers, which constant indices name.
static constexpr int64_t kMostUnrolled = 256;

/// Kind 1 of the list above.
static bool isOwn(tile::ParallelOp loop,
                  const llvm::DenseSet<mlir::Value> &variables) {
  bool stores = false;
  WalkResult result = loop.getBody().walk([&](Operation *op) {
    if (auto store = dyn_cast<tile::StoreOp>(op)) {
      mlir::Value base = tile::getBase(store.getDest());
      if (tile::getSpace(base) != tile::Space::Local ||
          variables.contains(base))
        return WalkResult::interrupt();
      stores |= !loop.getBody().isAncestor(base.getParentRegion());
      return WalkResult::advance();
    }
    if (auto load = dyn_cast<tile::LoadOp>(op))
      return tile::getSpace(load.getSource()) == tile::Space::Fragment
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    // Everything else of the dialect has an effect that threads share.
    bool other =
        isa<tile::TileDialect>(op->getDialect()) &&
        !isa<tile::YieldOp, tile::AllocOp, tile::AliasOp, tile::ThreadIdOp>(op);
    return other ? WalkResult::interrupt() : WalkResult::advance();
  });
  return stores && !result.wasInterrupted();
}

static bool touchesFragment(tile::ParallelOp loop) {
  return loop.getBody()
      .walk([](Operation *op) {
        auto load = dyn_cast<tile::LoadOp>(op);
        auto store = dyn_cast<tile::StoreOp>(op);
        mlir::Value buffer = load    ? load.getSource()
                             : store ? store.getDest()
                                     : mlir::Value();
        return buffer && tile::getSpace(buffer) == tile::Space::Fragment
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Replaces a loop of one of the two kinds by loops of each thread; nothing
/// happens to others. False after a report.
bool Interpreter::givePointsToThreads(tile::ParallelOp loop, SourceRange range,
                                      bool &done) {
  bool draws = std::exchange(drawsInPoints, false);
  done = draws || isOwn(loop, variables);
  if (!done)
    return true;
  if (draws && touchesFragment(loop)) {
    error(DiagID::BadArgument, range,
          "random numbers in a T.Parallel over a fragment: it is not said "
          "which thread runs a point")
        .help("fill a T.alloc_shared tile or global memory, and T.copy that");
    return false;
  }
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop);
  at(range);
  auto number = [&](int64_t n) { return constant(n, dtypes::int32).value; };
  ArrayRef<int64_t> extents = loop.getExtents();
  int64_t points = 1, threads = kernelOp.getNumThreads();
  for (int64_t extent : extents)
    points *= extent;
  int64_t each = draws ? (points + threads - 1) / threads : points;
  mlir::Value thread =
      draws ? linearThread(range).asSym().value : mlir::Value();
  auto forOp = scf::ForOp::create(b, number(0), number(each), number(1));
  if (each <= kMostUnrolled)
    forOp->setAttr(tile::kUnrollAttr, b.getUnitAttr());
  b.setInsertionPointToStart(forOp.getBody());
  mlir::Value point = forOp.getInductionVar();
  if (draws) {
    mlir::Value first = arith::MulIOp::create(b, thread, number(each));
    point = arith::AddIOp::create(b, first, point);
    if (points % threads) {
      mlir::Value inside = arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                                 point, number(points));
      auto ifOp = scf::IfOp::create(b, inside, false);
      b.setInsertionPointToStart(ifOp.thenBlock());
    }
  }
  // Row-major: the last index is the fastest.
  SmallVector<mlir::Value> indices;
  int64_t below = points;
  for (int64_t extent : extents) {
    below /= extent;
    mlir::Value index = point;
    if (below > 1)
      index = b.createOrFold<arith::DivUIOp>(index, number(below));
    if (below * extent < points)
      index = b.createOrFold<arith::RemUIOp>(index, number(extent));
    indices.push_back(index);
  }
  moveBody(loop, indices, b);
  // Kept: names of the loop's variables still point to it.
  loop->remove();
  replacedLoops.emplace_back(loop);
  return true;
}

} // namespace tlc::frontend
