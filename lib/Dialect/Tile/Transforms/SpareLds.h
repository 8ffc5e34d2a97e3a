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

/// Whether a tile is filled by copies of whole fragments and read by loops at
/// their own points, so that the threads that wrote an element can read it.
/// Loops over other tiles in registers have a layout of their own: with
/// `converted` they count too, though that one may not be theirs.
bool passesOn(AllocOp alloc, bool converted);

/// Makes a shared tile a fragment.
void keepInRegisters(AllocOp shared);

/// Keeps results in registers where LDS then has room for another workgroup
/// (KeepResults.cpp).
void keepResults(KernelOp kernel, int64_t ldsBytes);

/// Cuts a shared tile into parts that live one after the other (SplitTile.cpp).
/// False, and nothing changed, where its uses do not allow it.
bool splitTile(AllocOp tile, int64_t parts);

} // namespace tlc::tile

#endif // TLC_LIB_DIALECT_TILE_TRANSFORMS_SPARELDS_H
