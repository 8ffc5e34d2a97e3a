//===- SharingTests.cpp - What one XCD stands for -------------------------===//
//--------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../../lib/Simulator/Execute/FirstComers.h"
#include "../../../../lib/Simulator/Timing/Extrapolate.h"

#include <gtest/gtest.h>

#include <map>
#include <tuple>

using namespace tlc::sim;

namespace {

TEST(Sharing, PositionsAreStepsOfANinth) {
  EXPECT_EQ(positionOf(0), 0);
  EXPECT_EQ(positionOf(1), 8);
  EXPECT_EQ(positionOf(3), 16);
  EXPECT_EQ(positionOf(1023), 80);
  EXPECT_EQ(positionOf(1115), 80);
  EXPECT_EQ(positionOf(1117), 81);
  EXPECT_EQ(positionOf(~uint64_t(0) - 1), 255);
}

/// By line and position: whether it is late.
std::map<std::pair<uint64_t, unsigned>, bool> lateOf(const FirstComers &all) {
  std::map<std::pair<uint64_t, unsigned>, bool> late;
  all.forEach([&](uint64_t line, uint8_t position, bool isLate) {
    late[{line, position}] = isLate;
  });
  return late;
}

TEST(Sharing, WhoComesClearlyLaterIsLate) {
  FirstComers comers(64);
  comers.note(24, 17, 12); // XCD 0
  comers.note(25, 17, 40);
  comers.note(33, 17, 44); // the same XCD, later
  comers.note(26, 17, 14); // side by side with the first
  comers.note(24, 18, 50); // alone
  auto late = lateOf(comers);
  EXPECT_EQ(late.size(), 4u);
  EXPECT_FALSE(late.at({17, 12}));
  EXPECT_FALSE(late.at({17, 14}));
  EXPECT_TRUE(late.at({17, 40}));
  EXPECT_FALSE(late.at({18, 50}));
}

// Nobody is looked at who would come first to what the last ones run into.
TEST(Sharing, EdgesOnlyCountAsOthers) {
  FirstComers comers(64);
  comers.note(63, 17, 40);
  comers.note(1, 18, 12);
  comers.note(32, 18, 40);
  auto late = lateOf(comers);
  EXPECT_EQ(late.size(), 1u);
  EXPECT_TRUE(late.at({18, 40}));
}

TEST(Sharing, LaterPositionsAreLikeTheLastSeen) {
  EarlierOthers earlier;
  EXPECT_EQ(earlier.at(100), 0) << "nothing is known";
  for (unsigned i = 0; i < 100; ++i) {
    earlier.note(20, false);
    earlier.note(40, i % 4 != 0);
  }
  earlier.note(80, false); // once says nothing
  EXPECT_EQ(earlier.at(20), 0);
  EXPECT_EQ(earlier.at(43), 0.75);
  EXPECT_EQ(earlier.at(80), 0.75);
  EXPECT_EQ(earlier.at(255), 0.75);
  EXPECT_EQ(earlier.mean(), 0.375);
}

// Of those that want a line, some had it before: the others come together.
TEST(Sharing, SharersAtOnceAreTheRest) {
  EarlierOthers earlier;
  for (unsigned i = 0; i < 100; ++i)
    earlier.note(40, i % 2);
  LineSharing sharing;
  sharing.add({.begin = 10, .end = 20, .sharers = 4, .earlier = earlier});
  sharing.add({.begin = 30, .end = 40, .sharers = 4});
  EXPECT_EQ(sharing.of(15).sharersAtOnce, 2);
  EXPECT_EQ(sharing.of(35).sharersAtOnce, 4);
  EXPECT_EQ(sharing.of(25).sharersAtOnce, 1);
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
