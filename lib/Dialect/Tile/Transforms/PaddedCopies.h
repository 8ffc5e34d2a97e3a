//===- PaddedCopies.h - Copies from tensors with a safe value ---*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_DIALECT_TILE_TRANSFORMS_PADDEDCOPIES_H
#define TLC_LIB_DIALECT_TILE_TRANSFORMS_PADDEDCOPIES_H

#include "tlc/Dialect/Tile/IR/TileDialect.h"

namespace tlc::tile {

/// Makes loops of the copies whose source gives another value than 0 outside.
void expandPaddedCopies(KernelOp kernel);

} // namespace tlc::tile

#endif // TLC_LIB_DIALECT_TILE_TRANSFORMS_PADDEDCOPIES_H
