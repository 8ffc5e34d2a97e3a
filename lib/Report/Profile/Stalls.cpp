//===- Stalls.cpp - Names of the causes of waiting ------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names of the causes that wavefronts wait for: key in JSON, short and long
// text. In the order of the enumeration.
//
//===----------------------------------------------------------------------===//

#include "tlc/Report/Profile/Report.h"
#include <numeric>

using namespace tlc::report;

// The waits of s_waitcnt first, then barriers, then units that were busy, then
// the rest.
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

/// Keys and texts of a cause; they live as long as the process.
const StallInfo &tlc::report::info(Stall stall) {
  return infos[unsigned(stall)];
}

/// Cycles of all causes.
double tlc::report::sum(const StallCycles &stalls) {
  return std::accumulate(stalls.begin(), stalls.end(), 0.0);
}
