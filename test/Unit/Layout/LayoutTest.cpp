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
