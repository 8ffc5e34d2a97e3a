//===- WaveToROCDL.h - From the wave dialect to LLVM's ----------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_CONVERSION_WAVETOROCDL_H
#define TLC_CONVERSION_WAVETOROCDL_H

#include "mlir/Pass/Pass.h"

namespace tlc {

/// Math functions and narrow floats in terms of what gfx942 computes.
std::unique_ptr<mlir::Pass> createExpandWaveMath();
/// wave.kernel to llvm.func.
std::unique_ptr<mlir::Pass> createConvertWaveToROCDL();
void registerWaveToROCDLPasses();

} // namespace tlc

#endif // TLC_CONVERSION_WAVETOROCDL_H
