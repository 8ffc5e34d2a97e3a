//===- Relaxations.h - What a kernel allows of other rounding ---*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What T.annotate_relaxations leaves on a `tile.kernel` (docs/numerics.md,
// "Declared relaxations"), off unless a kernel declares it, and what T.ieee_*
// leaves on single operations.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_DIALECT_TILE_IR_RELAXATIONS_H
#define TLC_DIALECT_TILE_IR_RELAXATIONS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace tlc::tile {

/// On a kernel: the running maximum of an online softmax may lag behind, as
/// long as no weight exceeds 2 to this power (an f32).
inline constexpr llvm::StringLiteral kLazyMaximumAttr = "tile.lazy_maximum";
/// The largest power: such weights are far from f16's range.
inline constexpr double kMostLazy = 8;

/// On a quotient or root that is rounded correctly.
inline constexpr llvm::StringLiteral kIeeeAttr = "tile.ieee";

/// The power, or 0.
inline double getLazyMaximum(mlir::Operation *kernel) {
  auto attr = kernel->getAttrOfType<mlir::FloatAttr>(kLazyMaximumAttr);
  return attr ? attr.getValueAsDouble() : 0;
}

} // namespace tlc::tile

#endif // TLC_DIALECT_TILE_IR_RELAXATIONS_H
