//===- EvaluateTest.cpp - What tile ops compute ---------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include <cmath>

using namespace tlc;
using namespace tlc::test;

namespace {

constexpr char copyWithTail[] = R"mlir(
#g = #tile.space<global>
#s = #tile.space<shared>
tile.func @f(%a: !tile.ptr<f32>, %b: !tile.ptr<f16>, %n: i32) {
  %c2 = arith.constant 2 : i32
  %A = tile.tensor %a sizes(%n : i32) {name = "A", pad = 7.0 : f32} : !tile.ptr<f32> -> memref<?xf32, #g>
  %B = tile.tensor %b sizes(%n : i32) {name = "B"} : !tile.ptr<f16> -> memref<?xf16, #g>
  tile.kernel grid(%c2) threads[64] (%bx) {
    %c4 = arith.constant 4 : i32
    %o = arith.muli %bx, %c4 : i32
    %t = tile.alloc {name = "t"} : memref<4xf32, #s>
    %v = tile.view %A[%o : i32] : memref<?xf32, #g> to memref<4xf32, strided<[?], offset: ?>, #g>
    tile.copy %v to %t : memref<4xf32, strided<[?], offset: ?>, #g> to memref<4xf32, #s>
    %m = tile.alloc {name = "m"} : memref<1xf32, #s>
    tile.reduce #tile.reduce_kind<max> %t into %m dim 0 : memref<4xf32, #s> into memref<1xf32, #s>
    tile.parallel (%i) = [4] {
      %z = arith.constant 0 : i32
      %x = tile.load %t[%i : i32] : memref<4xf32, #s> -> f32
      %y = tile.load %m[%z : i32] : memref<1xf32, #s> -> f32
      %d = arith.subf %x, %y : f32
      tile.store %d, %t[%i : i32] : f32, memref<4xf32, #s>
    }
    %w = tile.view %B[%o : i32] : memref<?xf16, #g> to memref<4xf16, strided<[?], offset: ?>, #g>
    tile.copy %t to %w : memref<4xf32, #s> to memref<4xf16, strided<[?], offset: ?>, #g>
  }
}
)mlir";

TEST(Evaluate, CopiesPadAndDropOutside) {
  Program p(copyWithTail);
  Array &a = p.tensor(DType::Float32, {6});
  p.fill(a, [](int64_t i) { return double(i); });
  p.tensor(DType::Float16, {6});
  p.arguments.emplace_back().integer = 6;
  ASSERT_TRUE(p.run()) << p.messages;
  const double expected[] = {-3, -2, -1, 0, 4 - 7, 5 - 7};
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(p.at(1, i), expected[i]) << i;
}

TEST(Evaluate, DescribesShapes) {
  Program p(copyWithTail);
  auto described = reference::describeParameters(p.func(), {0, 0, 6});
  ASSERT_TRUE(succeeded(described));
  EXPECT_EQ((*described)[0].elements, 6);
  EXPECT_EQ((*described)[1].dtype, DType::Float16);
  EXPECT_FALSE((*described)[2].isTensor);
}

constexpr char gemm[] = R"mlir(
#g = #tile.space<global>
#s = #tile.space<shared>
#r = #tile.space<fragment>
tile.func @f(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %c: !tile.ptr<f32>) {
  %c1 = arith.constant 1 : i32
  %A = tile.tensor %a {name = "A"} : !tile.ptr<f16> -> memref<20x5xf16, #g>
  %B = tile.tensor %b {name = "B"} : !tile.ptr<f16> -> memref<7x20xf16, #g>
  %C = tile.tensor %c {name = "C"} : !tile.ptr<f32> -> memref<5x7xf32, #g>
  tile.kernel grid(%c1) threads[64] (%bx) {
    %as = tile.alloc : memref<20x5xf16, #s>
    %bs = tile.alloc : memref<7x20xf16, #s>
    %cs = tile.alloc : memref<5x7xf32, #r>
    %z = arith.constant 0.5 : f32
    tile.fill %cs, %z : memref<5x7xf32, #r>, f32
    tile.copy %A to %as : memref<20x5xf16, #g> to memref<20x5xf16, #s>
    tile.copy %B to %bs : memref<7x20xf16, #g> to memref<7x20xf16, #s>
    tile.gemm %as, %bs into %cs {trans_a, trans_b} : memref<20x5xf16, #s>, memref<7x20xf16, #s> into memref<5x7xf32, #r>
    tile.copy %cs to %C : memref<5x7xf32, #r> to memref<5x7xf32, #g>
  }
}
)mlir";

TEST(Evaluate, GemmTransposed) {
  for (auto rounding : {reference::Options::Rounding::Declared,
                        reference::Options::Rounding::Exact}) {
    Program p(gemm);
    p.fill(p.tensor(DType::Float16, {20, 5}), noise);
    p.fill(p.tensor(DType::Float16, {7, 20}), noise);
    p.tensor(DType::Float32, {5, 7});
    reference::Options options;
    options.rounding = rounding;
    ASSERT_TRUE(p.run(options)) << p.messages;
    for (int i = 0; i < 5; ++i)
      for (int j = 0; j < 7; ++j) {
        double sum = 0.5, magnitude = 0.5;
        for (int k = 0; k < 20; ++k) {
          double x = p.at(0, k * 5 + i) * p.at(1, j * 20 + k);
          sum += x;
          magnitude += std::fabs(x);
        }
        EXPECT_NEAR(p.arguments[2].values[i * 7 + j], sum, 1e-12);
        if (rounding == reference::Options::Rounding::Declared) {
          // The bound is at least what one rounding may lose, and of the
          // order of the reduction's length.
          double bound = p.arguments[2].bounds[i * 7 + j];
          EXPECT_GT(bound, magnitude * 0x1p-24);
          EXPECT_LT(bound, magnitude * 0x1p-24 * 22);
        }
      }
    EXPECT_EQ(p.statistics.multiplyAdds, 5u * 7 * 20);
  }
}

constexpr char outside[] = R"mlir(
#g = #tile.space<global>
#s = #tile.space<shared>
tile.func @f(%a: !tile.ptr<i32>) {
  %c1 = arith.constant 1 : i32
  %A = tile.tensor %a {name = "A"} : !tile.ptr<i32> -> memref<4xi32, #g>
  tile.kernel grid(%c1) threads[64] (%bx) {
    %t = tile.alloc {name = "t"} : memref<4xi32, #s>
    tile.parallel (%i) = [5] {
      tile.store %i, %t[%i : i32] : i32, memref<4xi32, #s>
    }
  }
}
)mlir";

TEST(Evaluate, SharedOutOfBoundsIsAFault) {
  Program p(outside);
  p.tensor(DType::Int32, {4});
  EXPECT_FALSE(p.run());
  EXPECT_NE(p.messages.find("index 4 is outside dimension 0 of 't'"),
            std::string::npos)
      << p.messages;
}

constexpr char perThread[] = R"mlir(
#g = #tile.space<global>
#s = #tile.space<shared>
#l = #tile.space<local>
tile.func @f(%a: !tile.ptr<i32>) {
  %c1 = arith.constant 1 : i32
  %A = tile.tensor %a {name = "A"} : !tile.ptr<i32> -> memref<64xi32, #g>
  tile.kernel grid(%c1) threads[64] (%bx) {
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %c63 = arith.constant 63 : i32
    %t = tile.thread_id
    %l = tile.alloc {name = "l"} : memref<1xi32, #l>
    %s = tile.alloc {name = "s"} : memref<64xi32, #s>
    tile.store %t, %l[%c0 : i32] : i32, memref<1xi32, #l>
    // Thread t adds 0 + ... + (t - 1): loops of different lengths.
    scf.for %i = %c0 to %t step %one : i32 {
      %old = tile.load %l[%c0 : i32] : memref<1xi32, #l> -> i32
      %new = arith.addi %old, %i : i32
      tile.store %new, %l[%c0 : i32] : i32, memref<1xi32, #l>
    }
    %v = tile.load %l[%c0 : i32] : memref<1xi32, #l> -> i32
    tile.store %v, %s[%t : i32] : i32, memref<64xi32, #s>
    tile.sync
    %r = arith.subi %c63, %t : i32
    %x = tile.load %s[%r : i32] : memref<64xi32, #s> -> i32
    %odd = arith.trunci %t : i32 to i1
    %y = scf.if %odd -> i32 {
      scf.yield %x : i32
    } else {
      %n = arith.subi %c0, %x : i32
      scf.yield %n : i32
    }
    tile.store %y, %A[%t : i32] : i32, memref<64xi32, #g>
  }
}
)mlir";

TEST(Evaluate, ThreadsInLockstep) {
  Program p(perThread);
  p.tensor(DType::Int32, {64});
  ASSERT_TRUE(p.run()) << p.messages;
  for (int t = 0; t < 64; ++t) {
    int r = 63 - t, v = r + r * (r - 1) / 2;
    EXPECT_EQ(p.at(0, t), t % 2 ? v : -v) << t;
  }
}

} // namespace
