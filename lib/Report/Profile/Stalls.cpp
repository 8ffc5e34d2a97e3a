//===- Stalls.cpp - Names of the causes of waiting ------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tlc/Report/Profile/Report.h"
#include <numeric>

using namespace tlc::report;

static constexpr StallInfo infos[stallCount] = {
    {"vector_memory", "vmem", "vector memory (s_waitcnt vmcnt)"},
    {"lds", "lds", "LDS (s_waitcnt lgkmcnt)"},
    {"scalar_memory", "smem", "scalar memory (s_waitcnt lgkmcnt)"},
    {"barrier", "barrier", "barrier"},
    {"matrix_busy", "matrix", "matrix core busy"},
    {"valu_busy", "valu", "vector ALU busy"},
    {"lds_busy", "lds port", "LDS port busy"},
    {"memory_busy", "vmem path", "vector memory path busy"},
    {"fetch", "fetch", "instruction fetch"},
    {"arbitration", "other wave", "another wavefront was chosen"},
    {"nop", "s_nop", "s_nop, s_sleep"},
    {"other", "other", "other"},
};

const StallInfo &tlc::report::info(Stall stall) {
  return infos[unsigned(stall)];
}

double tlc::report::sum(const StallCycles &stalls) {
  return std::accumulate(stalls.begin(), stalls.end(), 0.0);
}
