//===- Program.h - Evaluating IR in tests -----------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_TEST_UNIT_REFERENCE_PROGRAM_H
#define TLC_TEST_UNIT_REFERENCE_PROGRAM_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "tlc/Dialect/Tile/IR/TileDialect.h"
#include "tlc/Dialect/Wave/IR/WaveDialect.h"
#include "tlc/Reference/Reference.h"
#include <gtest/gtest.h>

namespace tlc::test {

/// A parsed program with its arguments and the messages it caused.
struct Program {
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<reference::Argument> arguments;
  reference::Statistics statistics;
  std::string messages;

  explicit Program(llvm::StringRef text, bool withWave = false) {
    context.loadDialect<tile::TileDialect, mlir::arith::ArithDialect,
                        mlir::math::MathDialect, mlir::scf::SCFDialect,
                        mlir::memref::MemRefDialect>();
    if (withWave)
      context.loadDialect<wave::WaveDialect>();
    context.getDiagEngine().registerHandler([this](mlir::Diagnostic &d) {
      messages += d.str() + "\n";
      return mlir::success();
    });
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module) << messages;
  }
  tile::FuncOp func() { return *module->getOps<tile::FuncOp>().begin(); }

  Array &tensor(DType type, llvm::ArrayRef<int64_t> shape) {
    arguments.emplace_back();
    return arguments.back().array = Array(type, shape);
  }
  void fill(Array &array, double (*value)(int64_t)) {
    for (int64_t i = 0; i < array.elements(); ++i)
      array.setNumber(i, value(i));
  }
  bool run(const reference::Options &options = {}) {
    return succeeded(
        reference::evaluate(func(), arguments, options, &statistics));
  }
  double at(unsigned argument, int64_t index) const {
    return arguments[argument].array.number(index);
  }
};

/// A value in [-1, 1] that depends on the index only.
inline double noise(int64_t i) {
  return double((i * 2654435761u) % 1000003u) / 500001.0 - 1.0;
}

} // namespace tlc::test

#endif // TLC_TEST_UNIT_REFERENCE_PROGRAM_H
