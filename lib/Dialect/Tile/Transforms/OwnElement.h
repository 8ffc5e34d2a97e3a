//===- OwnElement.h - Elements that one thread has for itself ---*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_DIALECT_TILE_TRANSFORMS_OWNELEMENT_H
#define TLC_LIB_DIALECT_TILE_TRANSFORMS_OWNELEMENT_H

#include "tlc/Dialect/Tile/IR/TileDialect.h"

namespace tlc::tile {

/// Whether no two threads (points, in a tile.parallel) meet in an element by
/// two accesses of the indices `a` and `b`: some of the indices are the same
/// expression in both and differ between threads. The accesses may be of
/// different trips of `loops`. `within`: the parallel that both stand in, or
/// none.
bool areOwnElements(mlir::ValueRange a, mlir::ValueRange b,
                    llvm::ArrayRef<mlir::Operation *> loops, KernelOp kernel,
                    ParallelOp within);

/// Whether some threads that run `store`, or points, certainly write one
/// element in different trips of `loops`, or in one. Where that cannot be told,
/// or would take long, the answer is no.
bool areHandedOn(mlir::Operation *store, mlir::ValueRange indices,
                 llvm::ArrayRef<mlir::Operation *> loops, KernelOp kernel,
                 ParallelOp within);

/// The same of boxes of this shape, which threads share out by their place in
/// the box: whether some overlap that are not the same.
bool doBoxesMeet(mlir::ValueRange offsets, llvm::ArrayRef<int64_t> shape,
                 llvm::ArrayRef<mlir::Operation *> loops, KernelOp kernel);

} // namespace tlc::tile

#endif // TLC_LIB_DIALECT_TILE_TRANSFORMS_OWNELEMENT_H
