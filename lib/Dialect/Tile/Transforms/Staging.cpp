//===- Staging.cpp - Registers for what is loaded ahead -------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before layouts are known: a fragment is spread evenly over its threads, and
// takes registers in a loop if it is used there, or before and after.
//
//===----------------------------------------------------------------------===//

#include "Staging.h"
#include "BufferUse.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

int64_t tile::registersOf(MemRefType type, int64_t threads) {
  int64_t bytes = type.getNumElements() * getElementBytes(type);
  return llvm::divideCeil(llvm::divideCeil(bytes, threads), 4);
}

// 512 registers a lane and SIMD are shared by its wavefronts: up to 256 threads
// have one wavefront a SIMD.
int64_t tile::registerBudget(int64_t threads) {
  return threads <= 256 ? 512 : threads <= 512 ? 256 : 128;
}

/// Whether a fragment takes registers while the loop runs.
static bool isHeldIn(AllocOp alloc, scf::ForOp loop) {
  bool before = false, after = false;
  for (const BufferUse &use : getAllUses(alloc.getResult())) {
    Operation *here = loop->getBlock()->findAncestorOpInBlock(*use.op);
    if (!here || here == loop.getOperation())
      return true;
    (here->isBeforeInBlock(loop) ? before : after) = true;
  }
  return before && after;
}

int64_t tile::registersHeldIn(scf::ForOp loop) {
  constexpr int64_t kReserve = 64; // operands and addresses
  auto kernel = loop->getParentOfType<KernelOp>();
  int64_t threads = kernel.getNumThreads(), held = kReserve;
  for (AllocOp alloc : getAllocs(kernel, Space::Fragment))
    if (isHeldIn(alloc, loop))
      held += registersOf(cast<MemRefType>(alloc.getType()), threads);
  return held;
}
