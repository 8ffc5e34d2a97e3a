//===- LengthModelTests.cpp - Lengths of workgroups from few of them ------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch whose workgroups say in a register how long they are, until their
// loops are over and the register holds an address.
//
//===----------------------------------------------------------------------===//

#include "../../../../lib/Simulator/Timing/Extrapolate.h"
#include "../../../../lib/Simulator/Timing/Steps.h"

#include <gtest/gtest.h>

#include <array>

using namespace tlc::sim;

namespace {

/// \p before: instructions up to the end of the shortest one's loops.
class Ramps : public LengthSource {
public:
  static constexpr uint64_t workgroups = 4096;
  explicit Ramps(uint64_t steps, uint64_t before = 500)
      : steps(steps), before(before) {}
  uint64_t lengthOf(uint64_t id) const { return 1000 + 100 * (id % steps); }

  uint64_t count(uint64_t id) override { return lengthOf(id); }
  const uint32_t *begin(uint64_t id, uint64_t instructions) override {
    bool over = instructions > before + 50 * (id % steps);
    pastLoops |= over;
    registers[10] = over ? 0x40000000 : uint32_t(id % steps);
    return registers.data();
  }
  bool pastLoops = false;

private:
  uint64_t steps, before;
  std::array<uint32_t, 104> registers = {};
};

} // namespace

TEST(LengthModel, ShortWorkgroupsAreLookedAtEarlier) {
  Ramps source(512);
  LengthModel model(Ramps::workgroups, 1, 10000000, source);
  EXPECT_TRUE(source.pastLoops);
  double all = 0;
  for (uint64_t id = 0; id < Ramps::workgroups; ++id) {
    EXPECT_NEAR(model.lengthOf(id), double(source.lengthOf(id)), 2);
    all += double(source.lengthOf(id));
  }
  EXPECT_NEAR(model.all(), all, all * 1e-3);
}

// The shortest ones are through their loops after a third of their work: half
// of it is too late to look at them, and among those that are counted.
TEST(LengthModel, MuchWorkBehindTheLoopsIsNoMatter) {
  Ramps source(64, 300);
  LengthModel model(Ramps::workgroups, 1, 10000000, source);
  EXPECT_TRUE(source.pastLoops);
  std::vector<GroupTime> ran;
  for (uint64_t id = 0; id < Ramps::workgroups; ++id) {
    EXPECT_NEAR(model.lengthOf(id), double(source.lengthOf(id)), 2);
    ran.push_back({.id = id, .instructions = source.lengthOf(id)});
  }
  EXPECT_LT(model.errorOf(ran), 0.01);
}

// What ran says how far off the lengths were; it is known from then on.
TEST(LengthModel, WhatRanTellsTheError) {
  Ramps source(64);
  LengthModel model(Ramps::workgroups, 1, 10000000, source);
  std::vector<GroupTime> ran = {{.id = 70, .instructions = 3200},
                                {.id = 71, .instructions = 3400},
                                {.id = 72, .isPartial = true}};
  ASSERT_EQ(source.lengthOf(70), 1600u);
  EXPECT_NEAR(model.errorOf(ran), (1600.0 + 1700) / 6600, 1e-3);
  model.learn(ran);
  EXPECT_EQ(model.lengthOf(70), 3200);
  EXPECT_EQ(model.errorOf(ran), 0);
}

// Workgroup i goes to XCD i mod 8: the last ones have the longest.
TEST(Steps, TheXcdWithMostToDoEndsLast) {
  Ramps source(8);
  LengthModel model(Ramps::workgroups, 1, 10000000, source);
  GroupNeeds needs;
  needs.vgprs = 512;
  unsigned full = occupancyOf(needs).groupsPerCu;
  Pace pace;
  for (unsigned rank = 0; rank < full; ++rank)
    pace.at(full, rank) = {1000, 100};
  Ends ends = stepEnds(model, Ramps::workgroups, needs, Demand(),
                       Shares(pace, full, 0));
  EXPECT_EQ(ends.lastXcd(), param::xcds - 1);
  for (unsigned xcd = 0; xcd + 1 < param::xcds; ++xcd)
    EXPECT_LT(ends.ofXcd[xcd], ends.ofXcd[xcd + 1]);
  EXPECT_GE(ends.last, ends.ofXcd[param::xcds - 1]);
  EXPECT_GT(Tail(ends, param::xcds - 1).length, 0);
}

// Of those that end at nearly the same time any may be the last.
TEST(Steps, OfXcdsThatEndTogetherTheFirstStandsForAll) {
  Ends ends;
  std::fill(std::begin(ends.ofXcd), std::end(ends.ofXcd), 1000);
  ends.ofXcd[5] = 1004;
  EXPECT_EQ(ends.lastXcd(), 0u);
  ends.ofXcd[6] = 1010;
  EXPECT_EQ(ends.lastXcd(), 6u);
}

// Units ended at 1000 on average. By the steps the XCD's own end comes 200
// after that, give or take 10, and the launch's 230.
TEST(Tail, ChanceIsLeftOut) {
  Tail tail;
  tail.length = 230;
  tail.own = 200;
  tail.ownSpread = 10;
  EXPECT_EQ(tail.endAfter(1000, 1200), 1230);
  EXPECT_EQ(tail.endAfter(1000, 1175), 1230); // a draw like another
  EXPECT_EQ(tail.endAfter(1000, 1225), 1230);
  // Not explained by chance: only the other XCDs' lead is added.
  EXPECT_EQ(tail.endAfter(1000, 1100), 1130);
  EXPECT_EQ(tail.endAfter(1000, 1400), 1430);
}

// Where what XCDs share is full, chance decides which of them is last: that is
// said, and so is it where lengths were misjudged.
TEST(SamplePlan, SaysWhatMakesItUncertain) {
  Ramps source(64);
  LengthModel lengths(Ramps::workgroups, 1, 10000000, source);
  SamplePlan plan;
  plan.workgroups = Ramps::workgroups;
  std::string quiet = plan.describe(512, lengths);
  EXPECT_EQ(quiet.find("apart"), quiet.npos) << quiet;
  EXPECT_EQ(quiet.find("misjudged"), quiet.npos) << quiet;
  plan.sharedUse = 0.97;
  plan.lengthError = 0.12;
  std::string said = plan.describe(512, lengths);
  EXPECT_NE(said.find("works 97 % of the time"), said.npos) << said;
  EXPECT_NE(said.find("misjudged by 12 %"), said.npos) << said;
}
