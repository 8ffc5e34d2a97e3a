//===- NarrowLoops.h - Loops over no more points than do something --------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_DIALECT_TILE_TRANSFORMS_NARROWLOOPS_H
#define TLC_LIB_DIALECT_TILE_TRANSFORMS_NARROWLOOPS_H

#include "tlc/Dialect/Tile/IR/TileDialect.h"

namespace tlc::tile {

/// Takes points off the loops of a kernel that do nothing there, by conditions
/// with constants around all that they do.
void narrowLoops(KernelOp kernel);

} // namespace tlc::tile

#endif // TLC_LIB_DIALECT_TILE_TRANSFORMS_NARROWLOOPS_H
