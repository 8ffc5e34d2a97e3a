//===- Passes.h - Passes on the wave dialect --------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_DIALECT_WAVE_TRANSFORMS_PASSES_H
#define TLC_DIALECT_WAVE_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"
#include "tlc/Dialect/Wave/IR/WaveDialect.h"

namespace tlc::wave {

/// Set on loops that wave-schedule has put in order.
inline constexpr llvm::StringLiteral kScheduledAttr = "wave.scheduled";

#define GEN_PASS_DECL
#include "tlc/Dialect/Wave/Transforms/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "tlc/Dialect/Wave/Transforms/Passes.h.inc"

} // namespace tlc::wave

#endif // TLC_DIALECT_WAVE_TRANSFORMS_PASSES_H
