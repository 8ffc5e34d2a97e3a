//===- FitLayoutTest.cpp - Layouts found from tables of coordinates -------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tlc/Layout/FitLayout.h"
#include <functional>
#include <gtest/gtest.h>

using namespace tlc;
using Map = std::function<int64_t(int64_t, int64_t)>;

static std::vector<int64_t> table(int64_t rows, int64_t cols, const Map &map) {
  std::vector<int64_t> values;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < cols; ++j)
      values.push_back(map(i, j));
  return values;
}

/// What is found is the function, at every point.
static void expectFit(int64_t rows, int64_t cols, const Map &map) {
  auto layout = fitMemory({rows, cols}, table(rows, cols, map));
  ASSERT_TRUE(layout);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < cols; ++j)
      ASSERT_EQ(layout->at({i, j}).memory, map(i, j)) << layout->str();
}

TEST(FitLayout, DigitsOfAnyExtent) {
  for (int64_t rows : {1, 3, 32, 80})
    for (int64_t cols : {1, 24, 96, 128}) {
      expectFit(rows, cols, [=](int64_t i, int64_t j) { return i * cols + j; });
      expectFit(rows, cols, [=](int64_t i, int64_t j) { return i + j * rows; });
      expectFit(rows, cols,
                [=](int64_t i, int64_t j) { return i * (cols + 8) + j; });
    }
  // Blocks of 8 x 8.
  expectFit(64, 96, [](int64_t i, int64_t j) {
    return (i / 8 * 12 + j / 8) * 64 + i % 8 * 8 + j % 8;
  });
}

TEST(FitLayout, Xors) {
  // Chunks of a row by the row's number, whatever the rows' width.
  for (int64_t cols : {64, 128, 192})
    expectFit(64, cols, [=](int64_t i, int64_t j) {
      return i * cols +
             (j / 64 * 8 + (j / 8 % 8 ^ (cols == 64 ? i % 8 : 0))) * 8 + j % 8;
    });
  expectFit(32, 64, [](int64_t i, int64_t j) { return j * 32 + (i ^ j % 32); });
  // Two fields at once.
  expectFit(64, 64, [](int64_t i, int64_t j) {
    return i * 64 + (j ^ (i % 4 * 8) ^ (i / 8 % 8));
  });
}

TEST(FitLayout, WhatIsNoLayoutOfDigits) {
  auto none = [](const Map &map) {
    return !fitMemory({16, 16}, table(16, 16, map));
  };
  EXPECT_TRUE(none([](int64_t i, int64_t j) { return i * 16 + 15 - j; }));
  EXPECT_TRUE(none([](int64_t i, int64_t j) { return i * 16 + (j ^ 1); }));
  EXPECT_TRUE(none([](int64_t i, int64_t j) { return i * 16 + (j * 5 & 15); }));
}

TEST(FitLayout, ThreadsAndRegisters) {
  auto fit = [](int64_t rows, int64_t cols, const Map &thread, const Map &reg) {
    return fitRegisters({rows, cols}, table(rows, cols, thread),
                        table(rows, cols, reg));
  };
  auto layout = fit(
      4, 512, [](int64_t, int64_t j) { return j / 8; },
      [](int64_t i, int64_t j) { return i * 8 + j % 8; });
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->str(), "[4:r8], [8:r1, 64:t1]");
  // One digit moves either the thread or the register.
  EXPECT_FALSE(fit(
      8, 8, [](int64_t i, int64_t) { return i; },
      [](int64_t i, int64_t j) { return i * 8 + j; }));
  // Threads 0, 2, 4 and 3 apart: no division gives both digits back.
  EXPECT_FALSE(fit(
      3, 2, [](int64_t i, int64_t j) { return i * 2 + j * 3; },
      [](int64_t, int64_t) { return 0; }));
}

TEST(FitLayout, Collisions) {
  EXPECT_FALSE(findCollision({3, 1, 2}));
  auto twice = findCollision({3, 1, 2, 1});
  ASSERT_TRUE(twice);
  EXPECT_EQ(*twice, (std::pair<int64_t, int64_t>(1, 3)));
}
