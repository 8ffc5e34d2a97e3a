//===- LineCoverageTests.cpp - When enough workgroups were looked at ------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../../lib/Simulator/Execute/LineCoverage.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

using namespace tlc::sim;

namespace {

constexpr size_t workgroups = 4096;

/// So many lines a workgroup of a table that all read, in no order, and of an
/// array of which each has a part. Of how many workgroups it takes.
size_t visited(unsigned table, unsigned ofTable, unsigned own) {
  LineCoverage coverage(workgroups);
  std::mt19937 engine(3);
  std::set<unsigned> known;
  for (size_t id = 0; id < workgroups; ++id) {
    for (unsigned i = 0; i < ofTable; ++i)
      coverage.note(1, known.insert(engine() % table).second);
    for (unsigned i = 0; i < own; ++i)
      coverage.note(2, true);
    if (coverage.endVisit())
      return id + 1;
  }
  return workgroups;
}

TEST(LineCoverage, EndsWhenATableIsKnown) {
  // Each line eight times after 512 of them.
  size_t some = visited(4096, 64, 0);
  EXPECT_GE(some, 128);
  EXPECT_LE(some, 640);
  // Not known before all have been visited.
  EXPECT_GE(visited(64 * 4096, 64, 0), 4096 * 3 / 4);
}

TEST(LineCoverage, LooksOnWhereEachHasItsOwn) {
  EXPECT_EQ(visited(4096, 0, 64), workgroups);
  EXPECT_EQ(visited(4096, 64, 64), workgroups);
}

TEST(LineCoverage, LeavesOutWhatIsRare) {
  EXPECT_LE(visited(4096, 512, 2), 640);
}

} // namespace
