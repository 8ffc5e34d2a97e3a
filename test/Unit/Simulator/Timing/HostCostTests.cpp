//===- HostCostTests.cpp - When a launch is worth a sample ----------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../../lib/Simulator/Timing/HostCost.h"

#include <gtest/gtest.h>

using namespace tlc::sim;

namespace {

TEST(HostCost, LessIsReplayedInFullWhereASampleHardlyErrs) {
  double usual = shortReplay(true, 1e6, 1e6);
  EXPECT_LT(shortReplay(true, 64e6, 1e6), usual);
  // Lengths differ: which of the last ones meet is chance.
  EXPECT_EQ(shortReplay(false, 64e6, 1e6), usual);
  // Each line is touched a few times only.
  EXPECT_EQ(shortReplay(true, 4e6, 1e6), usual);
}

} // namespace
