//===- PerThread.cpp - Code written per thread ------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One property of the whole kernel: a single thread index anywhere makes all
// its scalar code that of a thread.
//
//===----------------------------------------------------------------------===//

#include "tlc/Dialect/Tile/Transforms/PerThread.h"

using namespace mlir;
using namespace tlc::tile;

bool tlc::tile::isPerThread(KernelOp kernel) {
  auto found = kernel.walk([](Operation *op) {
    bool counts = isa<ThreadIdOp, ShuffleOp, BallotOp>(op) ||
                  (isa<AtomicOp>(op) && !op->getParentOfType<ParallelOp>());
    return counts ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found.wasInterrupted();
}
