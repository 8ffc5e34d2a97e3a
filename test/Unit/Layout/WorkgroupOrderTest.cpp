//===- WorkgroupOrderTest.cpp - Orders of workgroups are permutations -----===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tlc/Layout/WorkgroupOrder.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace tlc;

namespace {

struct Integers {
  using Number = uint32_t;
  Number constant(int64_t n) { return Number(n); }
  Number add(Number x, Number y) { return x + y; }
  Number sub(Number x, Number y) { return x - y; }
  Number mul(Number x, Number y) { return x * y; }
  Number div(Number x, Number y) { return x / y; }
  Number rem(Number x, Number y) { return x % y; }
  Number min(Number x, Number y) { return std::min(x, y); }
};
using Indices = std::array<uint32_t, 3>;

/// The linear numbers of the work that workgroups 0, 1, 2, ... do.
std::vector<uint32_t> walk(const WorkgroupOrder &order, Indices extents) {
  std::vector<uint32_t> result;
  Integers m;
  for (uint32_t z = 0; z != extents[2]; ++z)
    for (uint32_t y = 0; y != extents[1]; ++y)
      for (uint32_t x = 0; x != extents[0]; ++x) {
        Indices at = order.place(m, Indices{x, y, z}, extents);
        for (unsigned d = 0; d != 3; ++d)
          EXPECT_LT(at[d], extents[d]);
        result.push_back(at[0] + extents[0] * (at[1] + extents[1] * at[2]));
      }
  return result;
}

TEST(WorkgroupOrder, EachXcdTakesAStretch) {
  WorkgroupOrder order;
  order.xcds = 8;
  EXPECT_EQ(walk(order, {16, 1, 1}),
            (std::vector<uint32_t>{0, 2, 4, 6, 8, 10, 12, 14, //
                                   1, 3, 5, 7, 9, 11, 13, 15}));
}

TEST(WorkgroupOrder, TheFirstXcdsTakeWhatIsLeftOver) {
  WorkgroupOrder order;
  order.xcds = 8;
  EXPECT_EQ(walk(order, {10, 1, 1}),
            (std::vector<uint32_t>{0, 2, 4, 5, 6, 7, 8, 9, 1, 3}));
}

TEST(WorkgroupOrder, PanelsOfAPlane) {
  WorkgroupOrder order;
  order.panel = 2;
  // Columns 0 and 1 of both rows, then the narrow rest.
  EXPECT_EQ(walk(order, {3, 2, 1}), (std::vector<uint32_t>{0, 1, 3, 4, 2, 5}));
}

TEST(WorkgroupOrder, LongestFirst) {
  WorkgroupOrder order;
  order.reversed[0] = true;
  EXPECT_EQ(walk(order, {3, 2, 1}), (std::vector<uint32_t>{2, 1, 0, 5, 4, 3}));
}

TEST(WorkgroupOrder, IsAPermutation) {
  std::mt19937 random(3);
  auto below = [&](unsigned n) { return unsigned(random() % n); };
  for (unsigned trial = 0; trial != 3000; ++trial) {
    WorkgroupOrder order;
    order.xcds = below(2) ? 8 : 1 + below(9);
    order.panel = below(2) ? 0 : 1 + below(9);
    std::shuffle(order.dims.begin(), order.dims.end(), random);
    for (bool &r : order.reversed)
      r = below(2);
    Indices extents = {1 + below(9), 1 + below(9), 1 + below(9)};
    std::vector<uint32_t> taken = walk(order, extents);
    std::sort(taken.begin(), taken.end());
    for (uint32_t i = 0; i != taken.size(); ++i)
      ASSERT_EQ(taken[i], i);
  }
}

} // namespace
