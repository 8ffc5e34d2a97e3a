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

def ExpandWaveMath : Pass<"expand-wave-math"> {
  let summary = "Rewrite math functions and narrow floats in what gfx942 computes";
  let description = [{
    bf16 and fp8 arithmetic goes through f32 (there is no other on gfx942),
    f32 to bf16 becomes integer rounding, OCP fp8 casts become integer code,
    functions without an instruction become polynomials.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::vector::VectorDialect", "::tlc::wave::WaveDialect"];
}

def ConvertWaveToROCDL : Pass<"convert-wave-to-rocdl", "::mlir::ModuleOp"> {
  let summary = "wave.kernel to llvm.func: the LLVM dialect with AMDGPU intrinsics";
  let description = [{
    Each `wave.kernel` becomes one `llvm.func` with the amdgpu_kernel calling
    convention and, if it uses LDS, one array in address space 3. No op of
    another dialect is left.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::cf::ControlFlowDialect"];
}
