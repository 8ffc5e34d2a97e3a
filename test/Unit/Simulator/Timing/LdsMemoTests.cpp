//===- LdsMemoTests.cpp - LDS cycles that are remembered ------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../../lib/Simulator/Timing/LdsMemo.h"

#include <gtest/gtest.h>

#include <random>

using namespace tlc;
using namespace tlc::sim;

namespace {

struct Access {
  LdsDirection direction;
  unsigned bytes;
};
constexpr Access accesses[] = {
    {LdsDirection::Read, 4},   {LdsDirection::Write, 4},
    {LdsDirection::Atomic, 4}, {LdsDirection::Read, 8},
    {LdsDirection::Read, 16},  {LdsDirection::Write, 16}};

/// More patterns than are remembered, in any order and many times each, from
/// few instructions: also those that differ in one lane, in EXEC, in the kind
/// of access or by a shift of some rows or of less than a row.
TEST(LdsMemo, KnowsWhatEachAccessTakes) {
  std::mt19937 random(7);
  struct Pattern {
    uint32_t base[waveLanes];
    uint64_t active = ~uint64_t(0);
  };
  std::vector<Pattern> patterns(400);
  for (size_t p = 0; p < patterns.size(); ++p) {
    uint32_t stride = 4 << random() % 8, mask = random() % 512 * 4;
    for (unsigned l = 0; l < waveLanes; ++l)
      patterns[p].base[l] = (8192 + l * stride) ^ (l % 8 * mask % 4096);
    if (p % 3 == 1) {
      patterns[p] = patterns[p - 1];
      patterns[p].base[random() % waveLanes] += 4;
    } else if (p % 3 == 2) {
      patterns[p] = patterns[p - 2];
      patterns[p].active = random() | uint64_t(random()) << 32;
    }
  }
  LdsMemo memo;
  for (unsigned i = 0; i < 20000; ++i) {
    const Pattern &pattern = patterns[random() % patterns.size()];
    const Access &access = accesses[random() % std::size(accesses)];
    uint32_t offset = random() % 2 ? random() % 64 * 128 : random() % 64 * 4;
    uint32_t addresses[waveLanes];
    for (unsigned l = 0; l < waveLanes; ++l)
      addresses[l] = pattern.base[l] + offset;
    ASSERT_EQ(memo.cyclesOf(random() % 4, access.direction, access.bytes,
                            pattern.base, offset, pattern.active),
              packLds(ldsCycles(access.direction, access.bytes, addresses,
                                pattern.active)))
        << "access " << i;
  }
}

} // namespace
