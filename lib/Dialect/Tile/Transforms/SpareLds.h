//===- SpareLds.h - Less LDS, for kernels that ask for too much -*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_DIALECT_TILE_TRANSFORMS_SPARELDS_H
#define TLC_LIB_DIALECT_TILE_TRANSFORMS_SPARELDS_H

#include "tlc/Dialect/Tile/IR/TileDialect.h"

namespace tlc::tile {

/// Rewrites a kernel whose shared buffers need more than `limit` bytes so that
/// they need no more. False, and nothing changed, where that cannot be done.
bool spareLds(KernelOp kernel, int64_t limit);

/// Cuts a shared tile into parts that live one after the other (SplitTile.cpp).
/// False, and nothing changed, where its uses do not allow it.
bool splitTile(AllocOp tile, int64_t parts);

} // namespace tlc::tile

#endif // TLC_LIB_DIALECT_TILE_TRANSFORMS_SPARELDS_H
