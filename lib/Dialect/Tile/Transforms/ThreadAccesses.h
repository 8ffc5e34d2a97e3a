//===- ThreadAccesses.h - LDS accesses of code per thread -------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads and stores outside of loops over points, whose indices a program
// computes from the thread's number.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_DIALECT_TILE_TRANSFORMS_THREADACCESSES_H
#define TLC_LIB_DIALECT_TILE_TRANSFORMS_THREADACCESSES_H

#include "tlc/Dialect/Tile/IR/TileDialect.h"
#include "tlc/Layout/BankModel.h"

namespace tlc::tile {

/// The loads or the stores of one trip through a T.vectorized loop, or one
/// alone: a register for each.
struct ThreadAccess {
  mlir::Operation *op; ///< one of them
  bool writes;
  HeldElements held; ///< row-major indices into the shape
};

/// Those of a shared buffer of `shape` whose indices depend on constants, the
/// thread and loops' variables alone; these count as at their first trip, for
/// the lanes' distances are what matters.
std::vector<ThreadAccess> threadAccesses(AllocOp alloc, KernelOp kernel,
                                         int64_t threads,
                                         llvm::ArrayRef<int64_t> shape);

} // namespace tlc::tile

#endif // TLC_LIB_DIALECT_TILE_TRANSFORMS_THREADACCESSES_H
