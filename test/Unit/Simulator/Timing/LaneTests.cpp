//===- LaneTests.cpp - Active lanes of instructions -----------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TimedKernel.h"

#include <fmt/format.h>

using namespace tlc::test;
using namespace tlc::sim;

namespace {

/// Lanes that each instruction of this name had disabled, in order of address.
std::vector<double> disabled(const TimingResult &time, const char *mnemonic) {
  std::vector<double> result;
  for (const auto &[address, code] : time.code)
    if (code.mnemonic == mnemonic)
      result.push_back(code.disabledLanes);
  return result;
}

// EXEC changes within straight code: by a scalar instruction, and by a vector
// one that runs under the old value itself.
TEST(Lanes, StraightCode) {
  if (!hasAssembler())
    GTEST_SKIP() << "no assembler";
  AsmKernel kernel{"k",
                   R"(
    v_add_u32 v1, 1, v0
    s_mov_b64 exec, 0xff
    v_add_u32 v1, 1, v1
    v_add_u32 v1, 1, v1
    v_cmpx_gt_u32 vcc, 4, v0
    v_add_u32 v1, 1, v1
    s_mov_b64 exec, 0
    v_add_u32 v1, 1, v1
    s_mov_b64 exec, -1
    v_add_u32 v1, 1, v1
  )",
                   0, 0, 16};
  TimingResult time = timeKernel(kernel, 3, 64);
  EXPECT_EQ(disabled(time, "v_add_u32"),
            (std::vector<double>{0, 56, 56, 60, 64, 0}));
  EXPECT_EQ(disabled(time, "v_cmpx_gt_u32"), std::vector<double>{56});
  // A workgroup whose last wavefront is not full: 64 and 16 lanes.
  TimingResult edge = timeKernel(kernel, 2, 80);
  EXPECT_EQ(disabled(edge, "v_add_u32").front(), 24);
}

// Lane l makes l trips, the first of them together with lane 0; a load among
// them. The same from a sample, from several threads and in full.
TEST(Lanes, DivergentLoop) {
  if (!hasAssembler())
    GTEST_SKIP() << "no assembler";
  auto kernel = [](unsigned spins) {
    return AsmKernel{"k",
                     fmt::format(R"(
    v_and_b32 v0, 63, v0
    s_movk_i32 s8, {}
    v_mov_b32 v4, 0
  spin:
    v_mov_b32 v2, 0
  loop:
    v_add_u32 v2, 1, v2
    ds_read_b32 v3, v4
    v_cmp_lt_u32 vcc, v2, v0
    s_and_b64 exec, exec, vcc
    s_cbranch_execnz loop
    s_mov_b64 exec, -1
    s_sub_u32 s8, s8, 1
    s_cmp_lg_u32 s8, 0
    s_cbranch_scc1 spin
  )",
                                 spins),
                     64, 0, 16};
  };
  // 64 lanes, then 62, 61, ... 1.
  double mean = (64 + 62 * 63 / 2) / 63.0;
  auto expectMean = [&](const TimingResult &time, double tolerance = 1e-9) {
    for (const char *name : {"v_add_u32", "v_cmp_lt_u32", "ds_read_b32"})
      EXPECT_NEAR(disabled(time, name).front(), 64 - mean, tolerance) << name;
    EXPECT_EQ(disabled(time, "v_mov_b32").back(), 0);
  };
  expectMean(timeKernel(kernel(2), 8, 64));
  simulatorOptions().threads = 3;
  expectMean(timeKernel(kernel(2), 700, 256));
  simulatorOptions().threads = 0;
  TimingOptions few;
  few.detailInstructions = 16'000'000;
  TimingResult sample = timeKernel(kernel(36), 4000, 64, {}, few);
  EXPECT_TRUE(sample.sampled);
  expectMean(sample, 0.1); // wavefronts are cut off
}

} // namespace
