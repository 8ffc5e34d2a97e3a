//===- ServerTests.cpp - Requests that come out of order ------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../../lib/Simulator/Timing/Server.h"
#include <gtest/gtest.h>

using tlc::sim::Server;

TEST(Server, OneAfterTheOther) {
  Server server;
  EXPECT_EQ(server.take(100, 8), 100);
  EXPECT_EQ(server.end(), 108);
  // Idle until it comes.
  EXPECT_EQ(server.take(1000, 8), 1000);
  EXPECT_EQ(server.end(), 1008);
}

// All that fits a slice of 32 cycles begins there, the rest in the next one.
TEST(Server, AQueueTakesAsLongAsItsRequests) {
  Server server;
  double last = 0;
  for (int i = 0; i < 100; ++i) {
    double begin = server.take(0, 5);
    EXPECT_GE(begin, last);
    last = begin;
  }
  EXPECT_NEAR(last, 99 * 5, 32);
  EXPECT_EQ(server.backlog(), 480) << "15 slices are full";
}

// What asked for a later time first leaves the time before to others.
TEST(Server, IdleTimeServesWhoComesEarlier) {
  Server server;
  for (int i = 0; i < 20; ++i)
    server.take(3200, 16);
  EXPECT_EQ(server.take(64, 16), 64);
  EXPECT_LE(server.take(64, 16), 96);
  EXPECT_LE(server.end(), 3200 + 20 * 16 + 32);
  // A request for the time that is taken waits behind it.
  EXPECT_GE(server.take(3200, 16), 3200 + 20 * 16 - 32);
}

TEST(Server, AFractionOfACycle) {
  Server server;
  double begin = 0;
  for (int i = 0; i < 1000; ++i)
    begin = server.take(0, 0.05);
  EXPECT_NEAR(begin, 50, 32);
}
