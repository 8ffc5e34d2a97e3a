//===- PerThread.h - Code written per thread --------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_DIALECT_TILE_TRANSFORMS_PERTHREAD_H
#define TLC_DIALECT_TILE_TRANSFORMS_PERTHREAD_H

#include "tlc/Dialect/Tile/IR/TileDialect.h"

namespace tlc::tile {

/// Whether a kernel has code that is written per thread (thread indices, lane
/// exchange, scalar atomics): scalar code outside loops then differs between
/// threads. Else it is the workgroup's, and thread 0 does its stores.
bool isPerThread(KernelOp kernel);

} // namespace tlc::tile

#endif // TLC_DIALECT_TILE_TRANSFORMS_PERTHREAD_H
