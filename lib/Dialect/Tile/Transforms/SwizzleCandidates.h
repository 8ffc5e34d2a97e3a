//===- SwizzleCandidates.h - Layouts worth trying for LDS -------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_DIALECT_TILE_TRANSFORMS_SWIZZLECANDIDATES_H
#define TLC_LIB_DIALECT_TILE_TRANSFORMS_SWIZZLECANDIDATES_H

#include "BufferUse.h"
#include "tlc/Dialect/Tile/Transforms/GemmLayouts.h"
#include <vector>

namespace tlc::tile {

/// An order of a shared buffer's elements in LDS, still without XORs: a tile of
/// the last two dimensions, and copies of it along the outer ones.
class ElementOrder {
public:
  /// `dims` has the digits of the tile's dimensions; `span` elements hold it.
  ElementOrder(llvm::ArrayRef<int64_t> shape,
               llvm::ArrayRef<Layout::Digits> dims, int64_t span);

  /// With XORs within the tile; copies of it lie a multiple of `alignment`
  /// elements apart.
  Layout layout(llvm::ArrayRef<XorTerm> xors, int64_t alignment = 1) const;
  /// Elements of the tile.
  int64_t span() const { return tileSpan; }
  /// Whether there are several copies.
  bool isRepeated() const;

private:
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<Layout::Digits> dims;
  int64_t tileSpan;
};

/// The orders worth trying, best first; those that take more bytes than the
/// elements do come last. The tile has `shape`: the alloc's, or more rows.
std::vector<ElementOrder> elementOrders(AllocOp alloc,
                                        llvm::ArrayRef<int64_t> shape);

/// The dimension whose elements touch in LDS: a gemm's k, else the last.
unsigned innermostDim(AllocOp alloc);
/// The other of the last two dimensions, if there are two.
std::optional<unsigned> rowDim(AllocOp alloc);

} // namespace tlc::tile

#endif // TLC_LIB_DIALECT_TILE_TRANSFORMS_SWIZZLECANDIDATES_H
