//===- LaunchTest.cpp - Timing by events, spans of tensors ----------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tlc/Runtime/Launch.h"
#include <gtest/gtest.h>

using namespace tlc;
using namespace tlc::hip;

namespace {

/// A library of which only the events are there: each launch advances its clock
/// by as many milliseconds as launches there have been.
struct FakeHip {
  static inline int events, launches, destroyed;
  static inline double clock;
  static inline hipError_t elapsed;
  static inline double stamps[2];

  HIPTable table;
  FakeHip() {
    events = launches = destroyed = 0;
    clock = 0;
    elapsed = hipSuccess;
    table.hipEventCreate = [](hipEvent_t *event) {
      *event = reinterpret_cast<hipEvent_t>(&stamps[events++]);
      return hipSuccess;
    };
    table.hipEventDestroy = [](hipEvent_t) {
      ++destroyed;
      return hipSuccess;
    };
    table.hipEventRecord = [](hipEvent_t event, hipStream_t) {
      *reinterpret_cast<double *>(event) = clock;
      return hipSuccess;
    };
    table.hipEventSynchronize = [](hipEvent_t) { return hipSuccess; };
    table.hipEventElapsedTime = [](float *time, hipEvent_t a, hipEvent_t b) {
      *time = float(*reinterpret_cast<double *>(b) -
                    *reinterpret_cast<double *>(a));
      return elapsed;
    };
    table.hipGetErrorName = [](hipError_t) { return "hipErrorUnknown"; };
    table.hipGetErrorString = [](hipError_t) { return "unknown error"; };
    table.hipGetLastError = [] { return hipSuccess; };
  }
};

hipError_t launchOne() {
  FakeHip::clock += ++FakeHip::launches;
  return hipSuccess;
}

} // namespace

TEST(TimeByEvents, OneFigureALaunch) {
  FakeHip hip;
  auto seconds = timeByEvents(hip.table, 3, launchOne);
  ASSERT_TRUE(bool(seconds)) << llvm::toString(seconds.takeError());
  ASSERT_EQ(seconds->size(), 3u);
  for (int i = 0; i < 3; ++i)
    EXPECT_NEAR((*seconds)[i], 1e-3 * (i + 1), 1e-9);
  EXPECT_EQ(FakeHip::launches, 3);
  EXPECT_EQ(FakeHip::destroyed, 2);
}

// Events are given back on every path.
TEST(TimeByEvents, ErrorsAreTold) {
  FakeHip hip;
  auto failed = timeByEvents(hip.table, 3, [] { return hipErrorInvalidValue; });
  ASSERT_FALSE(bool(failed));
  EXPECT_NE(llvm::toString(failed.takeError()).find("timing the kernel"),
            std::string::npos);
  EXPECT_EQ(FakeHip::destroyed, 2);
  FakeHip::elapsed = hipErrorInvalidValue;
  auto late = timeByEvents(hip.table, 1, launchOne);
  EXPECT_FALSE(bool(late));
  llvm::consumeError(late.takeError());
}

TEST(SpannedElements, FirstToLast) {
  auto argument = [](std::initializer_list<int64_t> shape,
                     std::initializer_list<int64_t> strides) {
    target::Argument a;
    for (int64_t n : shape)
      a.shape.push_back(target::Expr::constant(n));
    for (int64_t n : strides)
      a.strides.push_back(target::Expr::constant(n));
    return a;
  };
  EXPECT_EQ(spannedElements(argument({}, {}), {}), 1);
  EXPECT_EQ(spannedElements(argument({3, 5}, {5, 1}), {}), 15);
  // The last row's padding is not touched.
  EXPECT_EQ(spannedElements(argument({3, 5}, {8, 1}), {}), 21);
  EXPECT_EQ(spannedElements(argument({3, 0}, {8, 1}), {}), 0);
  EXPECT_EQ(spannedElements(argument({-1}, {1}), {}), std::nullopt);
}
