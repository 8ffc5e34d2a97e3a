//===- IssueTests.cpp - Rates of instructions -----------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rates that were measured on MI300X by others, here by kernels of this
// project: one or more wavefronts on one SIMD or on all of a compute unit.
//
//===----------------------------------------------------------------------===//

#include "TimedKernel.h"

using namespace tlc::test;
using namespace tlc::sim;

namespace {

struct Rate {
  const char *name, *body;
  unsigned wavesPerSimd;
  double cycles, tolerance;
};

class IssueRate : public ::testing::TestWithParam<Rate> {};

TEST_P(IssueRate, AsMeasured) {
  if (!hasAssembler())
    GTEST_SKIP() << "no assembler";
  const Rate &rate = GetParam();
  // Four SIMDs: every wavefront of the first four has one of its own.
  double cycles = cyclesEach("", rate.body, 256 * rate.wavesPerSimd, 0,
                             rate.wavesPerSimd > 2 ? 64 : 256) /
                  rate.wavesPerSimd;
  EXPECT_NEAR(cycles, rate.cycles, rate.cycles * rate.tolerance);
}

INSTANTIATE_TEST_SUITE_P(
    Measured, IssueRate,
    ::testing::Values(
        Rate{"mfma16",
             "v_mfma_f32_16x16x16_bf16 a[0:3], v[0:1], v[2:3], a[0:3]", 1, 16,
             0},
        Rate{"mfma16_two_waves",
             "v_mfma_f32_16x16x16_f16 a[0:3], v[0:1], v[2:3], a[0:3]", 2, 16,
             0},
        Rate{"mfma16_fp8",
             "v_mfma_f32_16x16x32_fp8_fp8 a[0:3], v[0:1], v[2:3], a[0:3]", 1,
             16, 0},
        Rate{"mfma32",
             "v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]", 1, 32,
             0},
        Rate{"mfma_f32", "v_mfma_f32_16x16x4_f32 a[0:3], v0, v1, a[0:3]", 1, 32,
             0},
        Rate{"mfma_f64",
             "v_mfma_f64_16x16x4_f64 a[0:7], v[0:1], v[2:3], a[0:7]", 1, 32, 0},
        Rate{"mul", "v_mul_f32 v1, v2, v3", 1, 4, 0.05},
        Rate{"fmac", "v_fmac_f32 v1, v2, v3", 1, 4, 0.05},
        Rate{"fma_long", "v_fma_f32 v1, v2, v3, v1", 1, 5, 0.05},
        // The oldest wavefront goes first at its rate of 5 cycles, the others
        // get what it leaves: 4.2 to 4.38 for 2 to 4 wavefronts.
        Rate{"fma_long_two_waves", "v_fma_f32 v1, v2, v3, v1", 2, 4.375, 0.02},
        Rate{"fma_long_four_waves", "v_fma_f32 v1, v2, v3, v1", 4, 4.2, 0.02},
        Rate{"packed", "v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[0:1]", 1, 8,
             0.05},
        Rate{"packed_two_waves", "v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[0:1]",
             2, 4, 0.05},
        Rate{"exp", "v_exp_f32 v1, v2", 1, 16, 0.05}),
    [](const auto &info) { return info.param.name; });

// A matrix operation leaves the vector ALU to the SIMD's wavefronts after four
// cycles: seven more operations fit under 32 cycles.
TEST(Issue, VectorOperationsRunUnderMatrixOperations) {
  if (!hasAssembler())
    GTEST_SKIP() << "no assembler";
  std::string matrix =
      "v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]";
  std::string vector = "v_mul_f32 v4, v5, v6\n";
  EXPECT_EQ(cyclesEach("", matrix + "\n" + repeat(vector, 7), 256), 32);
  EXPECT_EQ(cyclesEach("", matrix + "\n" + repeat(vector, 8), 256), 36);
  // f32 needs the ALU itself.
  std::string single = "v_mfma_f32_32x32x2_f32 a[0:15], v0, v1, a[0:15]";
  EXPECT_EQ(cyclesEach("", single + "\n" + repeat(vector, 4), 256), 64 + 16);
}

// Two wavefronts a SIMD: the older one goes first, unless the younger one has
// raised its priority.
TEST(Issue, PriorityComesBeforeAge) {
  if (!hasAssembler())
    GTEST_SKIP() << "no assembler";
  auto youngerEndsFirst = [](unsigned priority) {
    TimingOptions options;
    options.traceWaves = 8;
    TimingResult time =
        timeKernel({"k",
                    R"(
  v_readfirstlane_b32 s4, v0
  s_cmp_lt_u32 s4, 256
  s_cbranch_scc1 older
  s_setprio )" + std::to_string(priority) +
                        "\nolder:\n" + repeat("v_mul_f32 v1, v2, v3", 400),
                    0, 0, 64},
                   1, 512, {}, options);
    EXPECT_EQ(time.traces.size(), 8u);
    return time.traces.back().end < time.traces.front().end;
  };
  EXPECT_FALSE(youngerEndsFirst(0));
  EXPECT_TRUE(youngerEndsFirst(1));
}

// The clock under load: as published for a product of matrices that keeps the
// matrix cores 79 % busy; the highest one for kernels that wait for memory.
TEST(Clock, UnderLoad) {
  TimingResult time;
  time.cycles = 1000;
  time.computeUnits = 304;
  time.usedComputeUnits = 304;
  time.simds = 1216;
  time.activeCuCycles = 304'000;
  time.matrixBusy = uint64_t(0.789 * 1'216'000);
  EXPECT_NEAR(time.clockUnderLoadGHz(), 1.733, 0.02);
  double product = time.clockUnderLoadGHz();
  // Compute units without work do not raise it.
  time.activeCuCycles /= 2;
  time.matrixBusy /= 2;
  EXPECT_NEAR(time.clockUnderLoadGHz(), product, 1e-3);
  // Half of the compute units draw half of the power.
  time.usedComputeUnits = 152;
  EXPECT_EQ(time.clockUnderLoadGHz(), 2.1);
  time.usedComputeUnits = 304;
  // Vector operations on top lower it.
  time.vectorBusy = time.matrixBusy;
  EXPECT_NEAR(time.clockUnderLoadGHz(), product * 612 / (612 + 430), 1e-3);
  time.matrixBusy = 0;
  time.vectorBusy = 608'000 / 10;
  EXPECT_EQ(time.clockUnderLoadGHz(), 2.1);
}

TEST(Issue, WaitsAreCountedWhereTheyArise) {
  if (!hasAssembler())
    GTEST_SKIP() << "no assembler";
  Buffer data = Buffer::of(std::vector<uint32_t>(4096));
  TimingResult time =
      timeKernel({"k", R"(
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32 v1, 2, v0
  global_load_dword v2, v1, s[4:5]
  s_waitcnt vmcnt(0)
  s_barrier
)",
                  0, 0, 64},
                 1, 256, {reinterpret_cast<uint64_t>(data.pointer)});
  auto of = [&](const char *name, unsigned which) {
    for (const auto &[address, counts] : time.code)
      if (counts.mnemonic == name && which-- == 0)
        return counts;
    return InstructionTiming();
  };
  EXPECT_EQ(of("s_load_dwordx2", 0).issues, 4u);
  EXPECT_GT(of("s_waitcnt", 0).stalls[size_t(StallCause::ScalarMemory)], 400u);
  EXPECT_GT(of("s_waitcnt", 1).stalls[size_t(StallCause::VectorMemory)], 2000u);
  EXPECT_GT(of("s_barrier", 0).stalls[size_t(StallCause::Barrier)], 0u);
  EXPECT_EQ(of("global_load_dword", 0).memory.requestedBytes, 1024u);
  EXPECT_EQ(time.memory.hbmBytes, 1024u + 128u);
}

TEST(Issue, SleepLastsItsSteps) {
  if (!hasAssembler())
    GTEST_SKIP() << "no assembler";
  // No step of 64 cycles, one, and two: the first takes only an issue slot.
  for (unsigned steps : {0u, 1u, 2u}) {
    TimingResult time = timeKernel(
        {"k", repeat("s_sleep " + std::to_string(steps), 10), 0, 0, 64}, 1, 64);
    EXPECT_EQ(time.stalls[size_t(StallCause::Nop)],
              steps ? 10 * (steps * 64 - 4) : 0u);
  }
}

} // namespace
