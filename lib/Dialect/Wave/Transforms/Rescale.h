//===- Rescale.h - Register tuples times one factor -------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_DIALECT_WAVE_TRANSFORMS_RESCALE_H
#define TLC_LIB_DIALECT_WAVE_TRANSFORMS_RESCALE_H

#include "tlc/Dialect/Wave/IR/WaveDialect.h"
#include "llvm/ADT/MapVector.h"

namespace tlc::wave {

/// `tuple` = `source` * factor, element by element.
struct Rescaled {
  mutable mlir::vector::FromElementsOp tuple;
  mlir::Value source;
};

/// The tuples of f32 in a block that are others times one factor of the block,
/// by factor. Of those that `rewriteRescaled` can treat together.
llvm::MapVector<mlir::Value, mlir::SmallVector<Rescaled>>
findRescaled(mlir::Block *body);
/// How many multiplications these are.
int64_t countProducts(mlir::ArrayRef<Rescaled> tuples);
/// Marks the products that are subtracted to give the factor's exponent
/// (`wave.exact`).
void markProducts(mlir::Value factor);
/// Multiplies only where the uniform `condition` holds; both it and the factor
/// stand before the first tuple. So are `scalars`: products with the factor,
/// and what they multiply, which the loop carries.
void rewriteRescaled(
    mlir::Value condition, mlir::Value factor, mlir::ArrayRef<Rescaled> tuples,
    mlir::ArrayRef<std::pair<mlir::Operation *, mlir::Value>> scalars = {});

} // namespace tlc::wave

#endif // TLC_LIB_DIALECT_WAVE_TRANSFORMS_RESCALE_H
