//===- LaneSymmetry.h - Values that partner lanes share ---------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reduction over the lanes of a row ends in a butterfly: x + shuffle_xor(x,
// mask), for one mask after the other. Afterwards the lanes l and l xor mask
// hold the same value. What is said here about a value holds for all lanes of a
// wavefront together, as control flow in the wave dialect is uniform where
// lanes exchange data.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_DIALECT_WAVE_TRANSFORMS_LANESYMMETRY_H
#define TLC_LIB_DIALECT_WAVE_TRANSFORMS_LANESYMMETRY_H

#include "tlc/Dialect/Wave/IR/WaveDialect.h"

namespace tlc::wave {

/// Whether lane l and lane l xor `mask` have the same `value` whenever it is
/// computed. False where that is not known.
bool isSymmetric(mlir::Value value, int64_t mask);

/// A butterfly over lanes: `result` combines what the lanes l xor (any sum of
/// `masks`) hold of `partial`.
struct Butterfly {
  mlir::Value partial;
  mlir::SmallVector<int64_t, 4> masks;
  /// The combinations and exchanges, in order of execution.
  mlir::SmallVector<mlir::Operation *, 8> ops;
};

/// Follows `result` down its combinations `Op(x, shuffle_xor(x, mask))`. With
/// none, `partial` is `result`.
template <typename Op> Butterfly matchButterfly(mlir::Value result) {
  Butterfly found{result, {}, {}};
  while (auto op = found.partial.getDefiningOp<Op>()) {
    mlir::Value part = op.getLhs();
    auto shuffle = op.getRhs().template getDefiningOp<ShuffleXorOp>();
    if (!shuffle || shuffle.getValue() != part) {
      part = op.getRhs();
      shuffle = op.getLhs().template getDefiningOp<ShuffleXorOp>();
    }
    if (!shuffle || shuffle.getValue() != part)
      break;
    found.masks.insert(found.masks.begin(), int64_t(shuffle.getMask()));
    found.ops.insert(found.ops.begin(), {shuffle, op});
    found.partial = part;
  }
  return found;
}

} // namespace tlc::wave

#endif // TLC_LIB_DIALECT_WAVE_TRANSFORMS_LANESYMMETRY_H
