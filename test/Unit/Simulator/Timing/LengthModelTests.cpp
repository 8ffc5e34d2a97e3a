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

#include "../../../../lib/Simulator/Timing/LengthModel.h"

#include <gtest/gtest.h>

#include <array>

using namespace tlc::sim;

namespace {

class Ramps : public LengthSource {
public:
  static constexpr uint64_t workgroups = 4096, steps = 512;
  static uint64_t lengthOf(uint64_t id) { return 1000 + 100 * (id % steps); }

  uint64_t count(uint64_t id) override { return lengthOf(id); }
  const uint32_t *begin(uint64_t id, uint64_t instructions) override {
    bool over = instructions * 2 > lengthOf(id);
    pastLoops |= over;
    registers[10] = over ? 0x40000000 : uint32_t(id % steps);
    return registers.data();
  }
  bool pastLoops = false;

private:
  std::array<uint32_t, 104> registers = {};
};

} // namespace

TEST(LengthModel, ShortWorkgroupsAreLookedAtEarlier) {
  Ramps source;
  LengthModel model(Ramps::workgroups, 1, 10000000, source);
  EXPECT_TRUE(source.pastLoops);
  double all = 0;
  for (uint64_t id = 0; id < Ramps::workgroups; ++id) {
    EXPECT_NEAR(model.lengthOf(id), double(Ramps::lengthOf(id)), 2);
    all += double(Ramps::lengthOf(id));
  }
  EXPECT_NEAR(model.all(), all, all * 1e-3);
}
