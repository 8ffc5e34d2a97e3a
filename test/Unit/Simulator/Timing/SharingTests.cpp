//===- SharingTests.cpp - What one XCD stands for -------------------------===//
//--------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../../lib/Simulator/Timing/Extrapolate.h"

#include <gtest/gtest.h>

using namespace tlc::sim;

namespace {

// Lines of an array are wanted by as many as its range says, others by one.
TEST(Sharing, SharersOfALine) {
  LineSharing sharing;
  sharing.add({.begin = 10, .end = 20, .sharers = 4, .alone = 0.25});
  sharing.add({.begin = 20, .end = 50, .sharers = 8, .alone = 0});
  for (uint64_t line : {10, 19})
    EXPECT_EQ(sharing.of(line).sharers, 4) << line;
  for (uint64_t line : {20, 49})
    EXPECT_EQ(sharing.of(line).sharers, 8) << line;
  for (uint64_t line : {9, 50}) {
    EXPECT_EQ(sharing.of(line).sharers, 1) << line;
    EXPECT_EQ(sharing.of(line).alone, 1) << line;
  }
  // An XCD's part of a cache that all share, relative to an equal part.
  EXPECT_EQ(sharing.mean(), 7);
  sharing.work = 1.5;
  EXPECT_EQ(sharing.mean(), 10.5);
}

/// A sample whose Infinity Cache is busy for a part of the time.
TimingResult busySample(double part) {
  TimingResult sample;
  sample.cycles = 8'000'000;
  sample.memory.mallBytes =
      uint64_t(part * double(sample.cycles) / param::xcds *
               double(param::mallBytesPerCycle));
  return sample;
}

// Where XCDs get different work, or chance decides the end, one XCD may not
// stand for all.
TEST(Sharing, OneXcdMayNotStandForAll) {
  SamplePlan plan;
  Ends ends;
  ends.spread = 0.02;
  EXPECT_FALSE(plan.isUncertain(ends)) << "workgroups are alike";
  plan.hasChance = true;
  EXPECT_TRUE(plan.isUncertain(ends));
  ends.spread = 0.005;
  EXPECT_FALSE(plan.isUncertain(ends)) << "draws end alike";
  EXPECT_FALSE(plan.isContended(busySample(0.9))) << "so do XCDs";
  plan.unevenness = 0.08;
  EXPECT_TRUE(plan.isUncertain(ends));
  EXPECT_TRUE(plan.isContended(busySample(0.9)));
  EXPECT_FALSE(plan.isContended(busySample(0.5)))
      << "what others ask for does not matter";
}

} // namespace
