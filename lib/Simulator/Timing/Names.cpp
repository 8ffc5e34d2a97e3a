//===- Names.cpp - Names of what the timing model counts ------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tlc/Simulator/Timing/Timing.h"
#include <iterator>

using namespace tlc::sim;

const char *tlc::sim::stallCauseName(StallCause cause) {
  static constexpr const char *names[] = {
      "vector memory",     "LDS",          "scalar memory",
      "barrier",           "matrix core",  "VALU",
      "LDS issue",         "memory issue", "issue",
      "instruction fetch", "nop",          "none"};
  static_assert(std::size(names) == stallCauses + 1);
  return names[static_cast<size_t>(cause)];
}

const char *tlc::sim::occupancyLimitName(OccupancyLimit limit) {
  static constexpr const char *names[] = {"VGPRs", "LDS", "wave slots",
                                          "grid size"};
  return names[static_cast<size_t>(limit)];
}
