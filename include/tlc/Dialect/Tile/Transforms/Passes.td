//===- Passes.td - Passes on the tile dialect -*- tablegen -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "mlir/Pass/PassBase.td"

// Order in the pipeline (lib/Driver): legalize, promote-operands, pipeline,
// infer-layouts, swizzle-lds, insert-sync, fit-lds; then convert-tile-to-wave.
