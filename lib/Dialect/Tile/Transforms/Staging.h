//===- Staging.h - Registers for what is loaded ahead -----------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An estimate of whether a lane has the registers to load the next step's tiles
// while this step works.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_DIALECT_TILE_TRANSFORMS_STAGING_H
#define TLC_LIB_DIALECT_TILE_TRANSFORMS_STAGING_H

#include "tlc/Dialect/Tile/IR/TileDialect.h"

namespace tlc::tile {

/// 32-bit registers of a thread that fragments take, spread evenly.
int64_t registersOf(mlir::MemRefType type, int64_t threads);

/// Registers that a thread of a workgroup of this size can have.
int64_t registerBudget(int64_t threads);

/// What a thread holds while the loop runs: the fragments of its kernel, and
/// some for operands and addresses.
int64_t registersHeldIn(mlir::scf::ForOp loop);

} // namespace tlc::tile

#endif // TLC_LIB_DIALECT_TILE_TRANSFORMS_STAGING_H
