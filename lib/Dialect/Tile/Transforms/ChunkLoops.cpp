//===- ChunkLoops.cpp - Large loops over points, in turns -------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A parallel that moves a tile between memories by computed indices holds all
// of a thread's points in registers at once. In a kernel whose registers spill,
// or where a thread has hundreds of points, it becomes a loop over parts of its
// first dimension:
//
//   tile.parallel (%i, %j) = [64, 512] {...}
// becomes
//   scf.for %c = 0 to 64 step 8 {
//     tile.parallel (%x, %j) = [8, 512] {... %i = %c + %x ...}
//   }
//
// Only where no fragment is touched: registers cannot be indexed at run time.
//
//===----------------------------------------------------------------------===//

#include "ChunkLoops.h"
#include "BufferUse.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

static bool touchesRegisters(ParallelOp loop) {
  return loop
      .walk([](Operation *op) {
        for (Value operand : op->getOperands())
          if (isa<MemRefType>(operand.getType())) {
            Space space = getSpace(operand);
            if (space == Space::Fragment || space == Space::Local)
              return WalkResult::interrupt();
          }
        return WalkResult::advance();
      })
      .wasInterrupted();
}

/// Halves the first dimension until a thread has 16 points at once, as far as
/// it divides evenly.
static void chunk(ParallelOp loop, int64_t threads, bool spills) {
  constexpr int64_t kMostPoints = 16; // of a thread at once
  SmallVector<int64_t> extents(loop.getExtents());
  int64_t points = 1;
  for (int64_t extent : extents)
    points *= extent;
  int64_t parts = 1;
  while (points > threads * kMostPoints * parts &&
         extents[0] % (parts * 2) == 0)
    parts *= 2;
  if (parts == 1)
    return;
  loop.emitRemark("runs in ")
      << parts
      << (spills ? " parts: the kernel's registers spill where it runs at once"
                 : " parts: a thread has more points than are worth code of "
                   "their own");
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  auto constant = [&](int64_t v) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(v));
  };
  // What the loop overwrites is told by its indices only now.
  loop.walk([&](StoreOp store) {
    if (overwritesBase({store, store.getDest(), false, true}))
      store->setAttr(kOverwritesAttr, b.getUnitAttr());
  });
  int64_t rows = extents[0] / parts;
  auto outer = scf::ForOp::create(b, loc, constant(0), constant(extents[0]),
                                  constant(rows));
  outer->setAttr(kPartsAttr, b.getUnitAttr());
  extents[0] = rows;
  b.setInsertionPointToStart(outer.getBody());
  auto inner = ParallelOp::create(b, loc, extents);
  Block &from = loop.getBody().front(), &to = inner.getBody().front();
  b.setInsertionPointToStart(&to);
  Value row =
      arith::AddIOp::create(b, loc, outer.getInductionVar(), to.getArgument(0));
  for (auto [d, arg] : llvm::enumerate(from.getArguments()))
    arg.replaceAllUsesWith(d ? Value(to.getArgument(d)) : row);
  Operation *end = to.getTerminator();
  for (Operation &op : llvm::make_early_inc_range(from.without_terminator()))
    op.moveBefore(end);
  loop.erase();
}

void tile::chunkLoops(KernelOp kernel, bool spills) {
  // Points of a thread from where on code for each makes no sense.
  constexpr int64_t kManyPoints = 512;
  SmallVector<ParallelOp> loops;
  kernel.walk([&](ParallelOp loop) {
    int64_t points = 1;
    for (int64_t extent : loop.getExtents())
      points *= extent;
    if ((spills || points > kManyPoints * kernel.getNumThreads()) &&
        !loop->getParentOfType<ParallelOp>() && !touchesRegisters(loop))
      loops.push_back(loop);
  });
  for (ParallelOp loop : loops)
    chunk(loop, kernel.getNumThreads(), spills);
}
