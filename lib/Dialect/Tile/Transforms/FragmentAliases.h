//===- FragmentAliases.h - Fragments under another shape --------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_DIALECT_TILE_TRANSFORMS_FRAGMENTALIASES_H
#define TLC_LIB_DIALECT_TILE_TRANSFORMS_FRAGMENTALIASES_H

#include "tlc/Dialect/Tile/IR/TileDialect.h"
#include "tlc/Layout/Layout.h"

namespace tlc::tile {

/// On a parallel that only copies a fragment into one of another shape, the
/// elements in the same row-major order.
inline constexpr llvm::StringLiteral kReshapeAttr = "tile.reshape";

/// Replaces aliases of fragments by fragments of their own, kept equal.
void expandFragmentAliases(KernelOp kernel);

/// The layout under which the elements of a buffer of shape `from`, laid out as
/// `layout` says, stay where they are in a buffer of shape `to`. Nothing where
/// the digits do not divide so.
std::optional<Layout> reshapeLayout(const Layout &layout,
                                    llvm::ArrayRef<int64_t> from,
                                    llvm::ArrayRef<int64_t> to);

} // namespace tlc::tile

#endif // TLC_LIB_DIALECT_TILE_TRANSFORMS_FRAGMENTALIASES_H
