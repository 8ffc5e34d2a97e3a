//===- RegistersTest.cpp - The estimate of a kernel's registers -----------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tlc/Dialect/Wave/Transforms/Registers.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tlc;

namespace {

/// Registers of a kernel around `body`, beyond the one of %t.
int64_t registersOf(StringRef body) {
  MLIRContext ctx;
  ctx.loadDialect<wave::WaveDialect, arith::ArithDialect, scf::SCFDialect,
                  vector::VectorDialect>();
  std::string text = (R"mlir(wave.kernel @k(%a: !wave.ptr, %n: i32) attributes
      {threads = 64 : i64, lds_bytes = 1024 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = wave.resource %a, %n : i32
    %t = wave.thread_id
)mlir" + body + "\nwave.return\n}")
                         .str();
  auto module = parseSourceString<ModuleOp>(text, &ctx);
  if (!module)
    return -1;
  return wave::peakRegisters(*module->getOps<wave::KernelOp>().begin()) - 1;
}

TEST(Registers, ValuesLiveToTheirLastReader) {
  // Two of four registers each at once; the third comes when one has gone.
  EXPECT_EQ(registersOf(R"mlir(
    %x = wave.buffer_load %r[%t] : vector<4xf32>
    %y = wave.buffer_load %r[%t] : vector<4xf32>
    %z = arith.addf %x, %y : vector<4xf32>
    wave.buffer_store %z, %r[%t] : vector<4xf32>)mlir"),
            8);
}

TEST(Registers, LoopsKeepWhatTheyRead) {
  // %x is read by every iteration: alive beside %y.
  EXPECT_EQ(registersOf(R"mlir(
    %x = wave.buffer_load %r[%t] : vector<4xf32>
    scf.for %i = %c0 to %n step %c1 : i32 {
      wave.buffer_store %x, %r[%t] : vector<4xf32>
      %y = wave.buffer_load %r[%t] : vector<8xf16>
      wave.buffer_store %y, %r[%t] : vector<8xf16>
    })mlir"),
            8);
}

TEST(Registers, LoopsCarryInPlace) {
  EXPECT_EQ(registersOf(R"mlir(
    %x = wave.buffer_load %r[%t] : vector<4xf32>
    %s = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (vector<4xf32>) : i32 {
      %w = arith.addf %v, %v : vector<4xf32>
      scf.yield %w : vector<4xf32>
    }
    wave.buffer_store %s, %r[%t] : vector<4xf32>)mlir"),
            4);
}

TEST(Registers, BranchesAreNotBothTaken) {
  EXPECT_EQ(registersOf(R"mlir(
    %x = wave.buffer_load %r[%t] : vector<4xf32>
    %if = arith.cmpi slt, %n, %c1 : i32
    %s = scf.if %if -> (vector<4xf32>) {
      %w = arith.addf %x, %x : vector<4xf32>
      scf.yield %w : vector<4xf32>
    } else {
      scf.yield %x : vector<4xf32>
    }
    wave.buffer_store %s, %r[%t] : vector<4xf32>)mlir"),
            4);
}

TEST(Registers, PartsAreTheWhole) {
  EXPECT_EQ(registersOf(R"mlir(
    %x = wave.buffer_load %r[%t] : vector<4xf16>
    %a0 = vector.extract %x[2] : f16 from vector<4xf16>
    %a1 = vector.extract %x[3] : f16 from vector<4xf16>
    %p = vector.from_elements %a0, %a1 : vector<2xf16>
    wave.buffer_store %p, %r[%t] : vector<2xf16>
    wave.buffer_store %x, %r[%t] : vector<4xf16>)mlir"),
            2);
}

TEST(Registers, OfALane) {
  EXPECT_EQ(wave::registersOfLane(64), 512);
  EXPECT_EQ(wave::registersOfLane(256), 512);
  EXPECT_EQ(wave::registersOfLane(512), 256);
  EXPECT_EQ(wave::registersOfLane(1024), 128);
}

} // namespace
