//===- RotatingSlot.h - Which copy of a multi-buffer a step uses ----------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pipelined buffer has n copies along a leading dimension. Step t of the loop
// (t = (iv - lower bound) / step) uses copy (t + c) mod n: tile-pipeline builds
// that index, tile-insert-sync recognises it, so that copies of one step are
// known to be apart.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_DIALECT_TILE_TRANSFORMS_ROTATINGSLOT_H
#define TLC_DIALECT_TILE_TRANSFORMS_ROTATINGSLOT_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include <optional>

namespace tlc::tile {

struct RotatingSlot {
  mlir::scf::ForOp loop;
  int64_t copies = 0, ahead = 0; ///< n and c, 0 <= c < n

  bool operator==(const RotatingSlot &o) const {
    return loop == o.loop && copies == o.copies && ahead == o.ahead;
  }
};

/// Builds the index (i32 or i64), at the builder's place inside the loop. The
/// step of the loop must be a constant.
mlir::Value buildSlot(mlir::OpBuilder &b, mlir::Location loc,
                      const RotatingSlot &slot);

/// The slot a value built by buildSlot stands for.
std::optional<RotatingSlot> matchSlot(mlir::Value value);

} // namespace tlc::tile

#endif // TLC_DIALECT_TILE_TRANSFORMS_ROTATINGSLOT_H
