//===- ChunkLoops.h - Large loops over points, in turns ---------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_DIALECT_TILE_TRANSFORMS_CHUNKLOOPS_H
#define TLC_LIB_DIALECT_TILE_TRANSFORMS_CHUNKLOOPS_H

#include "tlc/Dialect/Tile/IR/TileDialect.h"

namespace tlc::tile {

/// Cuts large loops between memories into parts that run one after the other:
/// all of them if the kernel spills, otherwise those that are very large.
void chunkLoops(KernelOp kernel, bool spills);

} // namespace tlc::tile

#endif // TLC_LIB_DIALECT_TILE_TRANSFORMS_CHUNKLOOPS_H
