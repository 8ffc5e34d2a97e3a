//===- LaneTables.h - Elements chosen by a number ---------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_DIALECT_WAVE_TRANSFORMS_LANETABLES_H
#define TLC_LIB_DIALECT_WAVE_TRANSFORMS_LANETABLES_H

#include "tlc/Dialect/Wave/IR/WaveDialect.h"

namespace tlc::wave {

/// Spreads values over lanes from which loops choose one by a number.
void makeLaneTables(KernelOp kernel);

} // namespace tlc::wave

#endif // TLC_LIB_DIALECT_WAVE_TRANSFORMS_LANETABLES_H
