//===- CopyLanes.h - Which lane brings what into a shared buffer ----------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The copies that fill a tile in LDS from global memory may go over the tile
// in many orders; which one decides what LDS writes can be kept out of each
// other's banks. Layout inference takes one that loads well; where no XOR
// serves it, tile-swizzle-lds tries the others.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_DIALECT_TILE_TRANSFORMS_COPYLANES_H
#define TLC_LIB_DIALECT_TILE_TRANSFORMS_COPYLANES_H

#include "BufferUse.h"
#include <vector>

namespace tlc::tile {

/// All copies that write a shared buffer, from global memory or from one
/// fragment that stages what comes from there: nothing else minds how they are
/// spread over threads.
struct FreeCopies {
  llvm::SmallVector<CopyOp> writes; ///< into the buffer
  llvm::SmallVector<CopyOp> loads;  ///< into the staging fragment, if any
  AllocOp staging;
  llvm::SmallVector<int64_t> points;

  /// Spreads them over threads and registers as `layout` says.
  void setLayout(const Layout &layout) const;
};

std::optional<FreeCopies> findFreeCopies(AllocOp shared);

/// Ways to spread the points of a copy over threads: the best ones to load come
/// first. `transposes` says that LDS has the rows' direction innermost.
std::vector<Layout> copyLaneMaps(llvm::ArrayRef<int64_t> points,
                                 int64_t threads, int64_t elementBytes,
                                 bool transposes);

} // namespace tlc::tile

#endif // TLC_LIB_DIALECT_TILE_TRANSFORMS_COPYLANES_H
