//===- BoundsTest.cpp - Bounds hold for correct results and no others -----===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One row block of softmax(x) * scale, stored as f16, is computed a second time
// in float with a different order of additions. It must lie within the bounds;
// with a fault planted it must not.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include <cmath>

using namespace tlc;
using namespace tlc::test;

namespace {

constexpr int rows = 8, columns = 96;

constexpr char softmax[] = R"mlir(
#g = #tile.space<global>
#r = #tile.space<fragment>
tile.func @f(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>) {
  %c1 = arith.constant 1 : i32
  %A = tile.tensor %a {name = "A"} : !tile.ptr<f16> -> memref<8x96xf16, #g>
  %B = tile.tensor %b {name = "B"} : !tile.ptr<f16> -> memref<8x96xf16, #g>
  tile.kernel grid(%c1) threads[64] (%bx) {
    %x = tile.alloc : memref<8x96xf32, #r>
    %m = tile.alloc : memref<8xf32, #r>
    %s = tile.alloc : memref<8xf32, #r>
    tile.copy %A to %x : memref<8x96xf16, #g> to memref<8x96xf32, #r>
    tile.reduce #tile.reduce_kind<max> %x into %m dim 1 : memref<8x96xf32, #r> into memref<8xf32, #r>
    tile.parallel (%i, %j) = [8, 96] {
      %v = tile.load %x[%i, %j : i32, i32] : memref<8x96xf32, #r> -> f32
      %w = tile.load %m[%i : i32] : memref<8xf32, #r> -> f32
      %d = arith.subf %v, %w : f32
      %e = math.exp2 %d : f32
      tile.store %e, %x[%i, %j : i32, i32] : f32, memref<8x96xf32, #r>
    }
    tile.reduce #tile.reduce_kind<sum> %x into %s dim 1 : memref<8x96xf32, #r> into memref<8xf32, #r>
    tile.parallel (%i, %j) = [8, 96] {
      %v = tile.load %x[%i, %j : i32, i32] : memref<8x96xf32, #r> -> f32
      %w = tile.load %s[%i : i32] : memref<8xf32, #r> -> f32
      %q = arith.divf %v, %w : f32
      tile.store %q, %x[%i, %j : i32, i32] : f32, memref<8x96xf32, #r>
    }
    tile.copy %x to %B : memref<8x96xf32, #r> to memref<8x96xf16, #g>
  }
}
)mlir";

enum class Fault { None, DroppedColumn, Truncated, SkippedShift };

/// Truncates to f16 instead of rounding.
double truncateF16(double x) {
  double r = f16Format.round(x);
  return r > x ? f16Format.decode(f16Format.encode(r) - 1) : r;
}

/// How many elements of a float computation are outside the bounds.
int outside(Fault fault) {
  Program p(softmax);
  p.fill(p.tensor(DType::Float16, {rows, columns}),
         [](int64_t i) { return 3 * noise(i); });
  p.tensor(DType::Float16, {rows, columns});
  EXPECT_TRUE(p.run()) << p.messages;
  int count = 0;
  for (int i = 0; i < rows; ++i) {
    float m = -INFINITY, sum = 0, e[columns];
    for (int j = 0; j < columns; ++j)
      m = std::fmax(m, float(p.at(0, i * columns + j)));
    if (fault == Fault::SkippedShift && i == 3)
      m -= 0.01f;
    // From the end: another order than the reference's.
    for (int j = columns - 1; j >= 0; --j) {
      e[j] = std::exp2(float(p.at(0, i * columns + j)) - m);
      if (fault != Fault::DroppedColumn || j != 40)
        sum += e[j];
    }
    if (fault == Fault::SkippedShift && i == 3)
      sum *= 1.002f;
    for (int j = 0; j < columns; ++j) {
      double q = e[j] / sum;
      double got =
          fault == Fault::Truncated ? truncateF16(q) : f16Format.round(q);
      int64_t k = i * columns + j;
      double error = std::fabs(got - p.arguments[1].values[k]);
      count += !(error <= p.arguments[1].bounds[k]);
    }
  }
  return count;
}

TEST(Bounds, CorrectResultIsInside) { EXPECT_EQ(outside(Fault::None), 0); }

TEST(Bounds, FaultsAreOutside) {
  EXPECT_GT(outside(Fault::DroppedColumn), rows * columns / 2);
  EXPECT_GT(outside(Fault::Truncated), rows * columns / 4);
  EXPECT_GT(outside(Fault::SkippedShift), columns / 4);
}

TEST(Bounds, AreTight) {
  Program p(softmax);
  p.fill(p.tensor(DType::Float16, {rows, columns}), noise);
  p.tensor(DType::Float16, {rows, columns});
  ASSERT_TRUE(p.run()) << p.messages;
  // Nearly every element has one possible f16 value only.
  int exact = 0;
  for (double bound : p.arguments[1].bounds)
    exact += bound == 0;
  EXPECT_GT(exact, rows * columns * 9 / 10);
}

constexpr char add[] = R"mlir(
#g = #tile.space<global>
tile.func @f(%a: !tile.ptr<f32>, %b: !tile.ptr<f32>, %c: !tile.ptr<f32>) {
  %c1 = arith.constant 1 : i32
  %A = tile.tensor %a : !tile.ptr<f32> -> memref<64xf32, #g>
  %B = tile.tensor %b : !tile.ptr<f32> -> memref<64xf32, #g>
  %C = tile.tensor %c : !tile.ptr<f32> -> memref<64xf32, #g>
  tile.kernel grid(%c1) threads[64] (%bx) {
    tile.parallel (%i) = [64] {
      %x = tile.load %A[%i : i32] : memref<64xf32, #g> -> f32
      %y = tile.load %B[%i : i32] : memref<64xf32, #g> -> f32
      %z = arith.addf %x, %y : f32
      tile.store %z, %C[%i : i32] : f32, memref<64xf32, #g>
    }
  }
}
)mlir";

TEST(Bounds, OneRoundedOperationIsExact) {
  Program p(add);
  p.fill(p.tensor(DType::Float32, {64}), noise);
  p.fill(p.tensor(DType::Float32, {64}),
         [](int64_t i) { return noise(i + 1000); });
  p.tensor(DType::Float32, {64});
  ASSERT_TRUE(p.run()) << p.messages;
  for (int i = 0; i < 64; ++i) {
    EXPECT_EQ(p.at(2, i), double(float(p.at(0, i)) + float(p.at(1, i))));
    EXPECT_EQ(p.arguments[2].bounds[i], 0);
  }
}

// exp2(3) may come out below 8, which truncates to 7: 8 & 7 is 0, 7 & 7 is 7.
constexpr char bits[] = R"mlir(
#g = #tile.space<global>
tile.func @bits(%a: !tile.ptr<f32>, %b: !tile.ptr<i32>, %c: !tile.ptr<i32>) {
  %A = tile.tensor %a : !tile.ptr<f32> -> memref<64xf32, #g>
  %B = tile.tensor %b : !tile.ptr<i32> -> memref<64xi32, #g>
  %C = tile.tensor %c : !tile.ptr<i32> -> memref<64xi32, #g>
  %c1 = arith.constant 1 : i32
  tile.kernel grid(%c1) threads[64] (%bx) {
    tile.parallel (%i) = [64] {
      %x = tile.load %A[%i : i32] : memref<64xf32, #g> -> f32
      %e = math.exp2 %x : f32
      %q = arith.fptosi %e : f32 to i32
      %seven = arith.constant 7 : i32
      %low = arith.andi %q, %seven : i32
      tile.store %low, %B[%i : i32] : i32, memref<64xi32, #g>
      %both = arith.ori %q, %seven : i32
      tile.store %both, %C[%i : i32] : i32, memref<64xi32, #g>
    }
  }
}
)mlir";

TEST(Bounds, BitsOfUncertainIntegers) {
  Program p(bits);
  p.fill(p.tensor(DType::Float32, {64}), [](int64_t) { return 3.0; });
  p.tensor(DType::Int32, {64});
  p.tensor(DType::Int32, {64});
  ASSERT_TRUE(p.run()) << p.messages;
  EXPECT_GE(p.arguments[1].bounds[0], 7);
  EXPECT_GE(p.arguments[2].bounds[0], 8); // 8 | 7 is 15, 7 | 7 is 7
  EXPECT_LE(p.arguments[2].bounds[0], 15);
}

// exp2(3) - 8 may be of either sign: times infinity anything may come out, and
// its logarithm may be a number. exp2(3) + 8 is surely positive.
constexpr char infinities[] = R"mlir(
#g = #tile.space<global>
tile.func @infinities(%a: !tile.ptr<f32>, %b: !tile.ptr<f32>) {
  %A = tile.tensor %a : !tile.ptr<f32> -> memref<64xf32, #g>
  %B = tile.tensor %b : !tile.ptr<f32> -> memref<6x64xf32, #g>
  %c1 = arith.constant 1 : i32
  tile.kernel grid(%c1) threads[64] (%bx) {
    tile.parallel (%i) = [64] {
      %eight = arith.constant 8.0 : f32
      %big = arith.constant 3.0e38 : f32
      %inf = arith.mulf %big, %eight : f32
      %x = tile.load %A[%i : i32] : memref<64xf32, #g> -> f32
      %e = math.exp2 %x : f32
      %none = arith.subf %e, %eight : f32
      %some = arith.addf %e, %eight : f32
      %r0 = arith.mulf %inf, %none : f32
      %r1 = arith.mulf %inf, %some : f32
      %r2 = math.log %none : f32
      %r3 = arith.divf %inf, %none : f32
      %r4 = arith.divf %inf, %some : f32
      %r5 = arith.addf %r0, %some : f32
      %c0 = arith.constant 0 : i32
      %c2 = arith.constant 2 : i32
      %c3 = arith.constant 3 : i32
      %c4 = arith.constant 4 : i32
      %c5 = arith.constant 5 : i32
      tile.store %r0, %B[%c0, %i : i32, i32] : f32, memref<6x64xf32, #g>
      tile.store %r1, %B[%c1, %i : i32, i32] : f32, memref<6x64xf32, #g>
      tile.store %r2, %B[%c2, %i : i32, i32] : f32, memref<6x64xf32, #g>
      tile.store %r3, %B[%c3, %i : i32, i32] : f32, memref<6x64xf32, #g>
      tile.store %r4, %B[%c4, %i : i32, i32] : f32, memref<6x64xf32, #g>
      tile.store %r5, %B[%c5, %i : i32, i32] : f32, memref<6x64xf32, #g>
    }
  }
}
)mlir";

TEST(Bounds, InfinitiesThatAreNotCertain) {
  Program p(infinities);
  p.fill(p.tensor(DType::Float32, {64}), [](int64_t) { return 3.0; });
  p.tensor(DType::Float32, {6, 64});
  ASSERT_TRUE(p.run()) << p.messages;
  for (int row : {0, 2, 3, 5})
    EXPECT_EQ(p.arguments[1].bounds[row * 64], INFINITY) << row;
  for (int row : {1, 4}) {
    EXPECT_EQ(p.at(1, row * 64), INFINITY) << row;
    EXPECT_EQ(p.arguments[1].bounds[row * 64], 0) << row;
  }
}

// exp2(0) - 1 may be of either sign. What lies beside a pole, or where a
// function jumps, is as wide as the jump; elsewhere it is narrow.
constexpr char jumps[] = R"mlir(
#g = #tile.space<global>
tile.func @jumps(%a: !tile.ptr<f32>, %b: !tile.ptr<f32>) {
  %A = tile.tensor %a : !tile.ptr<f32> -> memref<64xf32, #g>
  %B = tile.tensor %b : !tile.ptr<f32> -> memref<10x64xf32, #g>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %c5 = arith.constant 5 : i32
  %c6 = arith.constant 6 : i32
  %c7 = arith.constant 7 : i32
  %c8 = arith.constant 8 : i32
  %c9 = arith.constant 9 : i32
  tile.kernel grid(%c1) threads[64] (%bx) {
    tile.parallel (%i) = [64] {
      %one = arith.constant 1.0 : f32
      %minus = arith.constant -1.0 : f32
      %two = arith.constant 2.0 : f32
      %minustwo = arith.constant -2.0 : f32
      %right = arith.constant 1.57079637 : f32
      %x = tile.load %A[%i : i32] : memref<64xf32, #g> -> f32
      %e = math.exp2 %x : f32
      %none = arith.subf %e, %one : f32
      %angle = arith.addf %none, %right : f32
      %r0 = math.tan %angle : f32
      %r1 = math.atan2 %none, %minus : f32
      %r2 = math.powf %none, %minustwo : f32
      %exponent = arith.addf %e, %one : f32
      %r3 = math.powf %minus, %exponent : f32
      %r4 = math.tan %e : f32
      %r5 = math.atan2 %none, %one : f32
      %r6 = math.powf %e, %two : f32
      %nan = math.log %minus : f32
      %still = arith.addf %nan, %none : f32
      %r7 = math.exp2 %still : f32
      %r8 = math.exp %still : f32
      %r9 = arith.mulf %r7, %e : f32
      tile.store %r0, %B[%c0, %i : i32, i32] : f32, memref<10x64xf32, #g>
      tile.store %r1, %B[%c1, %i : i32, i32] : f32, memref<10x64xf32, #g>
      tile.store %r2, %B[%c2, %i : i32, i32] : f32, memref<10x64xf32, #g>
      tile.store %r3, %B[%c3, %i : i32, i32] : f32, memref<10x64xf32, #g>
      tile.store %r4, %B[%c4, %i : i32, i32] : f32, memref<10x64xf32, #g>
      tile.store %r5, %B[%c5, %i : i32, i32] : f32, memref<10x64xf32, #g>
      tile.store %r6, %B[%c6, %i : i32, i32] : f32, memref<10x64xf32, #g>
      tile.store %r7, %B[%c7, %i : i32, i32] : f32, memref<10x64xf32, #g>
      tile.store %r8, %B[%c8, %i : i32, i32] : f32, memref<10x64xf32, #g>
      tile.store %r9, %B[%c9, %i : i32, i32] : f32, memref<10x64xf32, #g>
    }
  }
}
)mlir";

TEST(Bounds, JumpsAndPoles) {
  Program p(jumps);
  p.fill(p.tensor(DType::Float32, {64}), [](int64_t) { return 0.0; });
  p.tensor(DType::Float32, {10, 64});
  ASSERT_TRUE(p.run()) << p.messages;
  auto bound = [&](int row) { return p.arguments[1].bounds[row * 64]; };
  EXPECT_EQ(bound(0), INFINITY);
  EXPECT_GE(bound(1), 2 * M_PI - 1e-5); // pi may come out as -pi
  EXPECT_EQ(bound(2), INFINITY);
  EXPECT_EQ(bound(3), INFINITY); // (-1)^2 may come out as NaN
  for (int row : {4, 5, 6})
    EXPECT_LT(bound(row), 1e-4) << row;
  // What is surely NaN stays so.
  for (int row : {7, 8, 9}) {
    EXPECT_TRUE(std::isnan(p.at(1, row * 64))) << row;
    EXPECT_EQ(bound(row), 0) << row;
  }
}

} // namespace
