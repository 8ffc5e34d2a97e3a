//===- tlc-opt.cpp - Run tlc's passes on textual IR -------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "tlc/Conversion/TileToWave.h"
#include "tlc/Conversion/WaveToROCDL.h"
#include "tlc/Dialect/Tile/Transforms/Passes.h"
#include "tlc/Dialect/Wave/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<tlc::tile::TileDialect, tlc::wave::WaveDialect,
                  mlir::arith::ArithDialect, mlir::LLVM::LLVMDialect,
                  mlir::math::MathDialect, mlir::memref::MemRefDialect,
                  mlir::scf::SCFDialect, mlir::vector::VectorDialect>();
  mlir::registerTransformsPasses();
  tlc::tile::registerTilePasses();
  tlc::wave::registerWavePasses();
  tlc::registerTileToWavePasses();
  tlc::registerWaveToROCDLPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "tlc pass driver\n", registry));
}
