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

#include "../../../../lib/Simulator/Timing/Steps.h"

#include <gtest/gtest.h>

#include <array>

using namespace tlc::sim;

namespace {

class Ramps : public LengthSource {
public:
  static constexpr uint64_t workgroups = 4096;
  explicit Ramps(uint64_t steps) : steps(steps) {}
  uint64_t lengthOf(uint64_t id) const { return 1000 + 100 * (id % steps); }

  uint64_t count(uint64_t id) override { return lengthOf(id); }
  const uint32_t *begin(uint64_t id, uint64_t instructions) override {
    bool over = instructions * 2 > lengthOf(id);
    pastLoops |= over;
    registers[10] = over ? 0x40000000 : uint32_t(id % steps);
    return registers.data();
  }
  bool pastLoops = false;

private:
  uint64_t steps;
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
