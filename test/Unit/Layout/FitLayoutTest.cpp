//===- FitLayoutTest.cpp - Layouts found from tables of coordinates -------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tlc/Layout/FitLayout.h"
#include "llvm/ADT/STLExtras.h"
#include <functional>
#include <gtest/gtest.h>
#include <map>

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

TEST(FitLayout, CountingDown) {
  for (int64_t cols : {16, 24, 96}) {
    expectFit(16, cols,
              [=](int64_t i, int64_t j) { return i * cols + cols - 1 - j; });
    expectFit(16, cols,
              [=](int64_t i, int64_t j) { return (15 - i) * cols + (j ^ 5); });
    // Rows of 24 have ends that an XOR of the address with 8 would cross.
    if (cols % 16 == 0)
      expectFit(16, cols,
                [=](int64_t i, int64_t j) { return (i * cols + j) ^ 8; });
  }
  // Blocks in the other order, and a swizzle of what counts down.
  expectFit(32, 64, [](int64_t i, int64_t j) {
    return (31 - i) * 64 + (((7 - j / 8) ^ i % 8) * 8) + j % 8;
  });
}

TEST(FitLayout, WhatIsNoLayoutOfDigits) {
  auto none = [](const Map &map) {
    return !fitMemory({16, 16}, table(16, 16, map));
  };
  EXPECT_TRUE(none([](int64_t i, int64_t j) { return i * 16 + (j * 5 & 15); }));
  EXPECT_TRUE(none([](int64_t i, int64_t j) { return (i + j) % 16 * 16 + j; }));
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
  // The thread's own numbers of its registers mean nothing.
  for (const Map &reg : {Map([](int64_t i, int64_t j) { return i * 8 + j; }),
                         Map([](int64_t, int64_t j) { return 7 - j; }),
                         Map([](int64_t i, int64_t j) { return i ^ j; })}) {
    layout = fit(8, 8, [](int64_t i, int64_t) { return i; }, reg);
    ASSERT_TRUE(layout);
    EXPECT_EQ(layout->str(), "[8:t1], [8:r1]");
  }
  // Threads 0, 2, 4 and 3 apart: no division gives both digits back.
  EXPECT_FALSE(fit(
      3, 2, [](int64_t i, int64_t j) { return i * 2 + j * 3; },
      [](int64_t, int64_t) { return 0; }));
}

/// What is found holds every point in the given thread, and nothing else there.
static void expectThreads(int64_t rows, int64_t cols, int64_t threads,
                          const Map &thread) {
  std::vector<int64_t> held = table(rows, cols, thread), registers(held.size());
  std::map<int64_t, int64_t> next;
  for (auto [t, r] : llvm::zip_equal(held, registers))
    r = next[t]++;
  auto layout = fitRegisters({rows, cols}, held, registers);
  ASSERT_TRUE(layout);
  std::vector<int64_t> found(held.size(), -1);
  for (int64_t t = 0; t < threads; ++t)
    for (int64_t r = 0; r < layout->numRegisters(); ++r) {
      auto index = layout->indexOf(t, r);
      if (!index || (*index)[0] >= rows || (*index)[1] >= cols ||
          !layout->isOwner(t))
        continue;
      ASSERT_EQ(layout->at(*index).thread, t) << layout->str();
      ASSERT_EQ(layout->slotIn(t, *index), r) << layout->str();
      int64_t &where = found[(*index)[0] * cols + (*index)[1]];
      ASSERT_EQ(where, -1) << layout->str();
      where = t;
    }
  ASSERT_EQ(found, held) << layout->str();
}

TEST(FitLayout, ThreadsFlippedXoredAndApart) {
  expectThreads(64, 8, 64, [](int64_t i, int64_t) { return 63 - i; });
  expectThreads(64, 8, 64, [](int64_t i, int64_t) { return i ^ 37; });
  expectThreads(96, 4, 96, [](int64_t i, int64_t) { return 95 - i; });
  expectThreads(16, 64, 128,
                [](int64_t i, int64_t j) { return i * 8 + (j / 8 ^ i % 8); });
  expectThreads(64, 8, 64, [](int64_t i, int64_t) { return i ^ i >> 3; });
  expectThreads(64, 8, 128, [](int64_t i, int64_t) { return i + 64; });
  expectThreads(64, 8, 256,
                [](int64_t i, int64_t j) { return 255 - i - j / 4 * 128; });
  // A thread that depends on the register alone is no such layout.
  EXPECT_FALSE(fitRegisters(
      {8, 8}, table(8, 8, [](int64_t i, int64_t j) { return i ^ j; }),
      table(8, 8, [](int64_t, int64_t j) { return j; })));
}

TEST(FitLayout, Collisions) {
  EXPECT_FALSE(findCollision({3, 1, 2}));
  auto twice = findCollision({3, 1, 2, 1});
  ASSERT_TRUE(twice);
  EXPECT_EQ(*twice, (std::pair<int64_t, int64_t>(1, 3)));
}
