//===- LayoutTest.cpp - Properties of layouts -----------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tlc/Layout/Layout.h"
#include <gtest/gtest.h>
#include <set>

using namespace tlc;

/// Every element of the shape is where `at` says, and found there by `slotIn`.
TEST(Layout, CoalescedHoldsEveryElement) {
  for (int64_t threads : {64, 256, 1024})
    for (int64_t rows : {1, 17, 48})
      for (int64_t cols : {1, 17, 48, 80, 96, 128, 1000})
        for (int64_t vector : {1, 2, 4, 8}) {
          if (cols % vector)
            continue;
          Layout layout = Layout::coalesced({rows, cols}, threads, vector);
          EXPECT_GE(layout.covered(0), rows);
          EXPECT_GE(layout.covered(1), cols);
          EXPECT_LE(layout.span(Place::Thread), threads);
          std::set<std::pair<int64_t, int64_t>> places;
          for (int64_t i = 0; i < rows; ++i)
            for (int64_t j = 0; j < cols; ++j) {
              Coord c = layout.at({i, j});
              ASSERT_TRUE(places.insert({c.thread, c.reg}).second);
              auto index = layout.indexOf(c.thread, c.reg);
              ASSERT_TRUE(index);
              ASSERT_EQ((*index)[0], i);
              ASSERT_EQ((*index)[1], j);
              ASSERT_EQ(layout.slotIn(c.thread, {i, j}), c.reg);
            }
        }
}

TEST(Layout, XorIsABijection) {
  Layout layout({Layout::Digits{{64, Place::Memory, 64}},
                 Layout::Digits{{64, Place::Memory, 1}}},
                {XorTerm{6, 7, 3}, XorTerm{9, 7, 3}});
  std::set<int64_t> seen;
  for (int64_t i = 0; i < 64; ++i)
    for (int64_t j = 0; j < 64; ++j)
      EXPECT_TRUE(seen.insert(layout.at({i, j}).memory).second);
  EXPECT_EQ(*seen.rbegin(), 64 * 64 - 1);
  EXPECT_EQ(layout.span(Place::Memory), 64 * 64);
}

TEST(Layout, PointTableIsIndexOf) {
  // Registers with a hole (2 of 4 used), a flipped digit, replicas, a thread
  // XOR.
  Layout layouts[] = {
      Layout::coalesced({17, 80}, 256, 8),
      Layout({Layout::Digits{{16, Place::Thread, 1}},
              Layout::Digits{{2, Place::Register, 2}, {2, Place::Thread, 32}}}),
      Layout({Layout::Digits{{16, Place::Thread, 1, true}},
              Layout::Digits{{4, Place::Register, 1, true}}},
             {}, {XorTerm{4, 3, 0}}),
  };
  for (const Layout &layout : layouts) {
    int64_t registers = layout.numRegisters();
    PointTable table(layout, 256, registers);
    for (int64_t t = 0; t < 256; ++t)
      for (int64_t r = 0; r < registers; ++r) {
        llvm::SmallVector<int64_t, 4> point(layout.rank());
        auto index = layout.indexOf(t, r);
        ASSERT_EQ(table.at(t, r, point), index.has_value()) << t << ' ' << r;
        if (index)
          ASSERT_EQ(point, *index) << t << ' ' << r;
      }
  }
}

TEST(Layout, WithoutDimensionReplicates) {
  Layout scores({Layout::Digits{{32, Place::Thread, 1}},
                 Layout::Digits{{4, Place::Register, 1},
                                {2, Place::Thread, 32},
                                {4, Place::Register, 4}}});
  Layout rows = scores.withoutDim(1);
  EXPECT_EQ(rows.numRegisters(), 1);
  EXPECT_TRUE(rows.isOwner(5));
  EXPECT_FALSE(rows.isOwner(37));
  EXPECT_EQ(rows.slotIn(37, {5}), 0);
  EXPECT_FALSE(rows.slotIn(37, {6}));
}

/// Where a dimension is called linear, its index only adds: against all
/// elements of layouts with any strides and XOR terms.
TEST(Layout, LinearStrideOnlyAdds) {
  uint64_t state = 1;
  auto below = [&](uint64_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return int64_t((state >> 33) % n);
  };
  int linear = 0, bent = 0;
  for (int round = 0; round < 4000; ++round) {
    static constexpr int64_t inner[] = {32, 48, 64, 72, 80, 96, 128};
    int64_t cols = inner[below(7)], rows = 1 + below(24), stages = 1 + below(4);
    int64_t rowStride = cols + 8 * below(3);
    std::vector<XorTerm> xors;
    for (int64_t n = below(3); n > 0; --n) {
      int64_t left = below(5);
      xors.push_back(
          {left + 1 + below(6), (int64_t(1) << (1 + below(3))) - 1, left});
    }
    Layout layout({Layout::Digits{{stages, Place::Memory, rowStride * rows}},
                   Layout::Digits{{rows, Place::Memory, rowStride}},
                   Layout::Digits{{cols, Place::Memory, 1}}},
                  xors);
    for (unsigned d = 0; d < 3; ++d) {
      auto stride = layout.linearStride(d);
      (stride ? linear : bent) += 1;
      if (!stride)
        continue;
      for (int i = 0; i < 64; ++i) {
        int64_t index[3] = {below(stages), below(rows), below(cols)};
        int64_t at = layout.at(index).memory, steps = index[d];
        index[d] = 0;
        ASSERT_EQ(at, layout.at(index).memory + steps * *stride)
            << layout.str() << " dimension " << d;
      }
    }
  }
  EXPECT_GT(linear, 1000);
  EXPECT_GT(bent, 1000);
}

/// The same elements, by their number in row-major order, in the same places.
static void expectSamePlaces(const Layout &a, llvm::ArrayRef<int64_t> from,
                             const Layout &b, llvm::ArrayRef<int64_t> to) {
  auto indexOf = [](int64_t n, llvm::ArrayRef<int64_t> shape) {
    llvm::SmallVector<int64_t, 4> index(shape.size());
    for (unsigned d = shape.size(); d-- > 0; n /= shape[d])
      index[d] = n % shape[d];
    return index;
  };
  int64_t total = 1;
  for (int64_t extent : from)
    total *= extent;
  for (int64_t n = 0; n < total; ++n)
    ASSERT_EQ(a.at(indexOf(n, from)), b.at(indexOf(n, to))) << n;
}

TEST(Layout, ReshapedKeepsElementsInTheirPlaces) {
  // Columns in threads and registers by turns, as products of matrices leave
  // them; cut inside a digit.
  Layout c({{{32, Place::Thread, 1}, {2, Place::Register, 16}},
            {{4, Place::Register, 1},
             {2, Place::Thread, 32},
             {4, Place::Register, 4},
             {4, Place::Thread, 64}}});
  int64_t shape[] = {64, 128};
  for (const std::vector<int64_t> &to : {std::vector<int64_t>{64, 4, 32},
                                         {64, 64, 2},
                                         {4, 16, 128},
                                         {64, 1, 8, 16},
                                         {8192},
                                         {32, 256},
                                         {2, 32, 4, 2, 16}}) {
    std::optional<Layout> other = c.reshaped(shape, to);
    ASSERT_TRUE(other);
    expectSamePlaces(c, shape, *other, to);
    std::optional<Layout> back = other->reshaped(to, shape);
    ASSERT_TRUE(back);
    expectSamePlaces(*other, to, *back, shape);
  }
}

TEST(Layout, ReshapedRefusesWhatCutsADigit) {
  Layout rows({{{12, Place::Thread, 1}}, {{8, Place::Register, 1}}});
  EXPECT_TRUE(rows.reshaped({12, 8}, {12, 2, 4}));
  EXPECT_TRUE(rows.reshaped({12, 8}, {3, 4, 8}));
  EXPECT_FALSE(rows.reshaped({12, 8}, {8, 12})); // 12 of 8 registers
  EXPECT_FALSE(rows.reshaped({12, 8}, {12, 9})); // not the same number
  // Rows of 10, padded to 16: elements do not follow one another.
  Layout padded({{{4, Place::Register, 1}}, {{16, Place::Thread, 1}}});
  EXPECT_FALSE(padded.reshaped({4, 10}, {40}));
}

TEST(Layout, SeenAsElementsOfAnotherSize) {
  // Chunks of 8 halves, XORed: the same bytes as words, and as bytes.
  Layout halves({{{64, Place::Memory, 64}}, {{64, Place::Memory, 1}}},
                {{6, 7, 3}});
  auto words = halves.seenAs({64, 64}, 2, {64, 32}, 4);
  auto bytes = halves.seenAs({64, 64}, 2, {4096, 2}, 1);
  ASSERT_TRUE(words && bytes);
  for (int64_t i = 0; i < 64; ++i)
    for (int64_t j = 0; j < 64; ++j) {
      int64_t at = halves.at({i, j}).memory;
      ASSERT_EQ(words->at({i, j / 2}).memory, at / 2);
      ASSERT_EQ(bytes->at({i * 64 + j, 1}).memory, at * 2 + 1);
    }
  EXPECT_EQ(words->seenAs({64, 32}, 4, {64, 64}, 2)->at({5, 9}).memory,
            halves.at({5, 9}).memory);
  // Columns, and what counts down, tear a word apart.
  Layout columns({{{64, Place::Memory, 1}}, {{64, Place::Memory, 64}}});
  EXPECT_FALSE(columns.seenAs({64, 64}, 2, {64, 32}, 4));
  Layout down({{{64, Place::Memory, 64}}, {{64, Place::Memory, 1, true}}});
  EXPECT_FALSE(down.seenAs({64, 64}, 2, {64, 32}, 4));
}
