//===- BroughtLinesTests.cpp - What other XCDs have brought ---------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../../lib/Simulator/Timing/BroughtLines.h"

#include <gtest/gtest.h>

using namespace tlc::sim;

namespace {

using Found = BroughtLines::Found;

TEST(BroughtLines, NumbersOfLines) {
  BroughtLines lines({{50, 60}, {10, 20}});
  size_t range = 0;
  EXPECT_EQ(lines.numberOf(10, range), 0u);
  EXPECT_EQ(lines.numberOf(19, range), 9u);
  EXPECT_EQ(lines.numberOf(50, range), 10u);
  for (uint64_t line : {9, 20, 49, 60})
    EXPECT_EQ(lines.numberOf(line, range), BroughtLines::none) << line;
}

// Two XCDs walk over ranges that overlap, a line in 100 cycles. What the other
// one begins with, this one comes to `ahead` lines later.
TEST(BroughtLines, TwoWalk) {
  constexpr unsigned count = 1000, ahead = 200;
  BroughtLines lines({{0, count + ahead}});
  lines.restart();
  for (unsigned i = 0; i < count; ++i) {
    lines.advance(100.0 * i);
    lines.come(i + ahead);
    double since = 0;
    Found found = lines.ask(i, since);
    if (i < ahead) {
      EXPECT_EQ(found, Found::Not) << i;
      continue;
    }
    EXPECT_EQ(found, Found::Since) << i;
    EXPECT_NEAR(since, 100.0 * (i - ahead), BroughtLines::stepCycles);
  }
  EXPECT_EQ(lines.count(), count + ahead);
}

// All come to the lines at one time, and a draw says who is first: the XCD in
// detail brings its part, whenever it gets to ask for them.
TEST(BroughtLines, WhoIsFirstBrings) {
  constexpr unsigned count = 800;
  BroughtLines lines({{0, count}});
  lines.restart();
  lines.advance(1000);
  for (unsigned i = 0; i < count; ++i)
    for (unsigned xcd = 0; xcd < 8; ++xcd)
      if (xcd == i % 8)
        lines.expect(i);
      else
        lines.come(i);
  lines.advance(50'000);
  // The others come again before.
  for (unsigned i = 0; i < count; ++i)
    lines.come(i);
  unsigned own = 0;
  double since;
  for (unsigned i = 0; i < count; ++i) {
    Found found = lines.ask(i, since);
    EXPECT_EQ(found, i % 8 ? Found::AtOnce : Found::Not) << i;
    own += found == Found::Not;
    EXPECT_EQ(lines.ask(i, since), Found::Before) << "it is there now";
  }
  EXPECT_EQ(own, count / 8);
  EXPECT_EQ(lines.count(), count);
}

// A line leaves when as many others have come as there is room for, unless
// somebody has come to it in between.
TEST(BroughtLines, LeaveWhenOthersCome) {
  constexpr unsigned capacity = 100;
  BroughtLines lines({{0, 1000}}, capacity);
  lines.restart();
  double time = 0, since;
  auto come = [&](unsigned line) {
    lines.advance(time += BroughtLines::stepCycles * 100);
    lines.come(line);
  };
  come(0);
  come(1);
  for (unsigned i = 0; i < capacity / 2; ++i)
    come(100 + i);
  come(1);
  for (unsigned i = 0; i < capacity / 2; ++i)
    come(200 + i);
  EXPECT_EQ(lines.ask(0, since), Found::Not);
  EXPECT_EQ(lines.ask(1, since), Found::Before);
  EXPECT_EQ(lines.count(), capacity + 3u);
  // A new run finds nothing.
  lines.restart();
  EXPECT_EQ(lines.ask(1, since), Found::Not);
}

} // namespace
