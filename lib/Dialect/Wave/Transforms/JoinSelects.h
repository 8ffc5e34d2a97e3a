//===- JoinSelects.h - Choices of elements, as vectors ----------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_DIALECT_WAVE_TRANSFORMS_JOINSELECTS_H
#define TLC_LIB_DIALECT_WAVE_TRANSFORMS_JOINSELECTS_H

namespace mlir {
class Operation;
} // namespace mlir

namespace tlc::wave {

/// Chooses as vectors what a kernel chooses element by element.
void joinSelects(mlir::Operation *kernel);

} // namespace tlc::wave

#endif // TLC_LIB_DIALECT_WAVE_TRANSFORMS_JOINSELECTS_H
