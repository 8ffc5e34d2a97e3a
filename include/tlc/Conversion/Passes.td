//===- Passes.td - Conversions between dialects -*- tablegen -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "mlir/Pass/PassBase.td"

def ConvertTileToWave : Pass<"convert-tile-to-wave", "::mlir::ModuleOp"> {
  let summary = "tile.kernel to wave.kernel: work to wavefronts, fragments to registers";
  let description = [{
    Needs the layouts of `tile-infer-layouts` and the LDS offsets of
    `tile-fit-lds`.
  }];
  let dependentDialects = ["::tlc::wave::WaveDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect", "::mlir::vector::VectorDialect",
                           "::mlir::scf::SCFDialect"];
}
