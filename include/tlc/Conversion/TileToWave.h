//===- TileToWave.h - tile.kernel to wave.kernel ----------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_CONVERSION_TILETOWAVE_H
#define TLC_CONVERSION_TILETOWAVE_H

#include "mlir/Pass/Pass.h"

namespace tlc {

/// tile.func to one wave.kernel for each of its kernels.
std::unique_ptr<mlir::Pass> createConvertTileToWave();
void registerTileToWavePasses();

} // namespace tlc

#endif // TLC_CONVERSION_TILETOWAVE_H
