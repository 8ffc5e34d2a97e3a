//===- OrderingTests.cpp - Vector clocks against plain ones -----*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random releases and acquires of workgroups with numbers of every size; what
// the trees know must be what maps of whole clocks do.
//
//===----------------------------------------------------------------------===//

#include "Ordering.h"
#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace tlc::sim;

namespace {

using Clock = std::map<uint32_t, uint32_t>;

void join(Clock &clock, const Clock &other) {
  for (const auto &[group, count] : other)
    clock[group] = std::max(clock[group], count);
}

TEST(Ordering, KnowsWhatPlainClocksKnow) {
  std::mt19937 random(7);
  std::vector<uint32_t> groups;
  for (uint32_t i = 0; i < 40; ++i)
    groups.push_back(i < 20 ? i * 7 : random() % (1u << (11 + i % 20)));
  std::sort(groups.begin(), groups.end());
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  Ordering ordering;
  std::map<uint32_t, Clock> known;
  std::map<uint64_t, Clock> atDword;
  AccessPart part = {};
  part.lanes = 1;
  for (int step = 0; step < 20000; ++step) {
    uint32_t group = groups[random() % groups.size()];
    Clock &mine = known[group];
    uint64_t address = 4096 + 4 * (random() % 12);
    part.bytes = part.inBounds[0] = random() % 4 ? 4 : 8;
    part.address[0] = address;
    part.atomic = random() % 2;
    part.coherent = !part.atomic;
    part.writes = random() % 2;
    part.reads = part.atomic || !part.writes;
    bool returns = random() % 2;
    Ordering::View view = ordering.access(group, part, returns);
    EXPECT_EQ(view.period, mine[group]);
    bool acquires = part.reads && returns;
    if (part.writes)
      ++mine[group];
    for (uint64_t at = address; at < address + part.bytes; at += 4) {
      if (part.writes)
        join(atDword[at], mine);
      if (acquires)
        join(mine, atDword[at]);
    }
    uint32_t other = groups[random() % groups.size()];
    uint32_t period = random() % (known[other][other] + 2);
    ASSERT_EQ(ordering.knows(group, other, period), mine[other] > period)
        << "step " << step;
  }
}

/// Exact to the end, however long the chain: each workgroup knows those before
/// it and none behind.
TEST(Ordering, LongChain) {
  constexpr uint32_t length = 70000;
  Ordering ordering;
  AccessPart part = {};
  part.lanes = 1;
  part.bytes = part.inBounds[0] = 4;
  part.coherent = true;
  for (uint32_t group = 0; group < length; ++group) {
    part.reads = group != 0;
    part.writes = false;
    part.address[0] = 64 + 4 * uint64_t(group);
    ordering.access(group, part, true);
    part.reads = false;
    part.writes = true;
    part.address[0] += 4;
    ordering.access(group, part, true);
  }
  for (uint32_t group : {1u, 31u, 32u, 1023u, 1024u, 33000u, length - 1}) {
    EXPECT_TRUE(ordering.knows(group, 0, 0));
    EXPECT_TRUE(ordering.knows(group, group - 1, 0));
    EXPECT_FALSE(ordering.knows(group, group - 1, 1));
    EXPECT_FALSE(ordering.knows(group - 1, group, 0));
  }
}

} // namespace
