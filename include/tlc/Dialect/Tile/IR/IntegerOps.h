//===- IntegerOps.h - Integer ops on known numbers --------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tables of an index, by point of a loop or by thread, evaluate each op for
// thousands of operands; folding through attributes would unique a number each.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_DIALECT_TILE_IR_INTEGEROPS_H
#define TLC_DIALECT_TILE_IR_INTEGEROPS_H

#include "mlir/IR/Operation.h"
#include <optional>

namespace tlc::tile {

/// What an op of the arith dialect gives for signed operands, in 64 bits: what
/// 32-bit arithmetic gives as long as it does not overflow. A quotient by zero
/// and a shift by more than the number is wide are 0: a branch that is not
/// taken may compute them. None where it is no op on integers.
std::optional<int64_t> evaluateInteger(mlir::Operation *op,
                                       llvm::ArrayRef<int64_t> operands);

} // namespace tlc::tile

#endif // TLC_DIALECT_TILE_IR_INTEGEROPS_H
