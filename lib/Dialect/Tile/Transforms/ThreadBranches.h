//===- ThreadBranches.h - Branches that some threads take -------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_DIALECT_TILE_TRANSFORMS_THREADBRANCHES_H
#define TLC_LIB_DIALECT_TILE_TRANSFORMS_THREADBRANCHES_H

#include "tlc/Dialect/Tile/IR/TileDialect.h"

namespace tlc::tile {

/// Makes tile ops and barriers in branches on the thread's number something
/// that the whole workgroup runs, where that means the same.
void flattenThreadBranches(KernelOp kernel);

} // namespace tlc::tile

#endif // TLC_LIB_DIALECT_TILE_TRANSFORMS_THREADBRANCHES_H
