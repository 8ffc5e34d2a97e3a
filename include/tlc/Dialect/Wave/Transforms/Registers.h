//===- Registers.h - Registers that a kernel will need ----------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_DIALECT_WAVE_TRANSFORMS_REGISTERS_H
#define TLC_DIALECT_WAVE_TRANSFORMS_REGISTERS_H

#include "tlc/Dialect/Wave/IR/WaveDialect.h"

namespace tlc::wave {

/// 32-bit vector registers, architectural and accumulation ones together, that
/// a lane needs where most values are alive, if the ops run as they stand. Code
/// generation may move ops apart and need more, or repeat cheap ones and need
/// less: an estimate, for choosing among ways to compile a kernel.
int64_t peakRegisters(KernelOp kernel);

/// What a lane has: the 512 of a SIMD shared by the wavefronts of the workgroup
/// that sit on it.
int64_t registersOfLane(int64_t threads);

} // namespace tlc::wave

#endif // TLC_DIALECT_WAVE_TRANSFORMS_REGISTERS_H
