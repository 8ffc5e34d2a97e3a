//===- LaneMaskTests.cpp - Masks of lanes without execution ---------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random logic on masks, once on what is known and once on numbers drawn for
// what is not: what is known must hold for every draw, a part of another mask
// must lie within it, lanes said to be together must be on or off together.
//
//===----------------------------------------------------------------------===//

#include "../../../../lib/Simulator/Predict/WaveState.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

using namespace tlc::sim;
using namespace tlc::sim::predict;

namespace {

uint64_t apply(MaskLogic logic, uint64_t a, uint64_t b) {
  switch (logic) {
  case MaskLogic::And:
    return a & b;
  case MaskLogic::AndNot:
    return a & ~b;
  case MaskLogic::Or:
    return a | b;
  case MaskLogic::OrNot:
    return a | ~b;
  case MaskLogic::Xor:
    return a ^ b;
  }
  return 0;
}

struct Drawn {
  MaskRef mask;
  uint64_t value;
};

class MaskPrograms : public ::testing::Test {
protected:
  uint64_t any() { return uint64_t(engine()) << 32 | engine(); }

  Drawn start(LaneMask::Name name) {
    switch (engine() % 4) {
    case 0: {
      uint64_t ones = engine() % 2 ? any() : engine() % 2 ? 0 : ~uint64_t(0);
      return {exactMask(ones), ones};
    }
    case 1: { // a compare of numbers that all lanes share
      auto mask = std::make_shared<LaneMask>(*unknownMask(4, name));
      mask->together = true;
      return {mask, engine() % 2 ? ~uint64_t(0) : 0};
    }
    case 2: { // some lanes known
      auto mask = std::make_shared<LaneMask>(*unknownMask(4, name));
      mask->known = any() & any();
      uint64_t value = any();
      mask->ones = value & mask->known;
      return {mask, value};
    }
    default:
      return {unknownMask(4, name), any()};
    }
  }

  void check(const Drawn &drawn) {
    const LaneMask &mask = *drawn.mask;
    ASSERT_EQ(drawn.value & mask.known, mask.ones & mask.known);
    for (LaneMask::Name above : mask.above)
      ASSERT_FALSE(drawn.value & ~named.at(above)) << "not a part";
    if (mask.name) {
      ASSERT_EQ(named.at(mask.name), drawn.value);
    }
    if (mask.together) {
      uint64_t rest = drawn.value & mask.maybe();
      ASSERT_TRUE(rest == 0 || rest == mask.maybe()) << "not together";
    }
  }

  std::mt19937 engine{1};
  std::map<LaneMask::Name, uint64_t> named; ///< what each name stands for
};

TEST_F(MaskPrograms, WhatIsKnownHolds) {
  constexpr MaskLogic all[] = {MaskLogic::And, MaskLogic::AndNot, MaskLogic::Or,
                               MaskLogic::OrNot, MaskLogic::Xor};
  unsigned parts = 0, restored = 0;
  for (unsigned program = 0; program < 5000; ++program) {
    named.clear();
    std::vector<Drawn> masks;
    LaneMask::Name next = 1;
    for (unsigned i = 0; i < 3; ++i) {
      masks.push_back(start(next));
      named[next++] = masks.back().value;
    }
    for (unsigned step = 0; step < 12; ++step) {
      Drawn a = masks[engine() % masks.size()];
      Drawn b = masks[engine() % masks.size()];
      Drawn result;
      if (engine() % 4) {
        MaskLogic logic = all[engine() % 5];
        result = {combine(logic, a.mask, b.mask, next),
                  apply(logic, a.value, b.value)};
      } else {
        result = {join(a.mask, b.mask, next), engine() % 2 ? a.value : b.value};
      }
      if (result.mask->name == next)
        named[next] = result.value;
      ++next;
      parts += !result.mask->above.empty();
      restored += result.mask == a.mask || result.mask == b.mask;
      ASSERT_NO_FATAL_FAILURE(check(result)) << "program " << program;
      masks.push_back(result);
    }
  }
  // The draws reach what the test is for.
  EXPECT_GT(parts, 5000u);
  EXPECT_GT(restored, 1000u);
}

} // namespace

// if (unknown) { v = lane; } : known inside, and to a part of it, not behind.
TEST(WaveState, WrittenUnderAMask) {
  WaveState state(4);
  state.writeMask(ScalarReg::ExecLo, exactMask(~uint64_t(0)));
  state.writeVector(1, exactly(3), 4);
  MaskRef all = state.exec(), vcc = unknownMask(8, 33);
  state.writeMask(ScalarReg::ExecLo, combine(MaskLogic::And, vcc, all, 34));
  state.writeVector(1, exactly(5), 12);
  EXPECT_TRUE(same(state.readVector(1), exactly(5)));
  MaskRef inside = state.exec();
  state.writeMask(ScalarReg::ExecLo,
                  combine(MaskLogic::And, unknownMask(16, 65), inside, 66));
  EXPECT_TRUE(same(state.readVector(1), exactly(5)));
  state.writeMask(ScalarReg::ExecLo, all);
  EXPECT_FALSE(state.readVector(1)->valid);
  EXPECT_EQ(state.readVector(1)->cause, 12u);
}

// The mask's name is given anew: another turn of a loop has other lanes.
TEST(WaveState, ForgetsAMaskThatIsMadeAnew) {
  WaveState state(4);
  state.writeMask(ScalarReg::ExecLo, exactMask(~uint64_t(0)));
  state.writeVector(1, exactly(3), 4);
  state.writeMask(ScalarReg::ExecLo, unknownMask(8, 33));
  state.writeVector(1, exactly(5), 12);
  EXPECT_TRUE(state.readVector(1)->valid);
  state.forget(33);
  state.writeMask(ScalarReg::ExecLo, unknownMask(8, 33));
  EXPECT_FALSE(state.readVector(1)->valid);
}

TEST(WaveState, WaysThatMeet) {
  WaveState a(4), b(4);
  for (WaveState *state : {&a, &b})
    state->writeMask(ScalarReg::ExecLo, exactMask(~uint64_t(0)));
  a.writeScalar(4, exactly(0));
  b.writeScalar(4, exactly(64));
  a.writeVector(1, exactly(8), 4);
  b.writeVector(1, exactly(8), 4);
  EXPECT_TRUE(a.merge(b, 0x100));
  EXPECT_EQ(a.readScalar(4)->bits, 6);
  EXPECT_TRUE(same(a.readVector(1), exactly(8)));
  EXPECT_FALSE(a.merge(b, 0x100)) << "nothing new";
}
