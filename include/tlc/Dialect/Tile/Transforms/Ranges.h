//===- Ranges.h - Bounds of the integers of a kernel ------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_DIALECT_TILE_TRANSFORMS_RANGES_H
#define TLC_DIALECT_TILE_TRANSFORMS_RANGES_H

#include "tlc/Dialect/Tile/IR/TileDialect.h"
#include "llvm/ADT/DenseMap.h"

namespace tlc::tile {

/// Both ends included; saturated at +-2^62.
struct Interval {
  int64_t lo, hi;
};

/// What is proved of the integers in one kernel. Answers are kept: the kernel's
/// values may gain users but not other meanings while this lives.
class Ranges {
public:
  explicit Ranges(KernelOp kernel);
  /// An integer or index of any width. All of the type's values (beyond 32 bits
  /// +-2^62) where nothing is known or the operation may wrap around.
  Interval of(mlir::Value v);

private:
  KernelOp kernel;
  llvm::DenseMap<mlir::Value, Interval> known;
};

} // namespace tlc::tile

#endif // TLC_DIALECT_TILE_TRANSFORMS_RANGES_H
