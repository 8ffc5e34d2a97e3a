//===- SwizzleCandidates.h - Layouts worth trying for LDS -------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_DIALECT_TILE_TRANSFORMS_SWIZZLECANDIDATES_H
#define TLC_LIB_DIALECT_TILE_TRANSFORMS_SWIZZLECANDIDATES_H

#include "BufferUse.h"
#include <vector>
#include "tlc/Dialect/Tile/Transforms/GemmLayouts.h"

namespace tlc::tile {

/// Memory layouts for a shared buffer, in order of preference among equals.
/// Those that take more bytes than the elements do come last.
std::vector<Layout> swizzleCandidates(AllocOp alloc);

} // namespace tlc::tile

#endif // TLC_LIB_DIALECT_TILE_TRANSFORMS_SWIZZLECANDIDATES_H
