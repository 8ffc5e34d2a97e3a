//===- PointLoops.h - Other loops for a T.Parallel's points -----*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_FRONTEND_POINTLOOPS_H
#define TLC_FRONTEND_POINTLOOPS_H

#include "tlc/Dialect/Tile/IR/TileDialect.h"

namespace tlc::frontend {

/// Moves the body of \p loop to where \p b stands, with \p points, one for
/// each dimension, for the loop's variables. The loop is left empty.
void moveBody(tile::ParallelOp loop, mlir::ValueRange points,
              mlir::OpBuilder &b);

} // namespace tlc::frontend

#endif // TLC_FRONTEND_POINTLOOPS_H
