//===- AnalyseTests.cpp - Is the right cause named? -----------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SampleReport.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace tlc::report;

namespace {

KernelReport analysed(KernelReport kernel) {
  addUp(kernel);
  Report report = sampleReport(kernel);
  analyse(report, kernel);
  return kernel;
}

double share(const KernelReport &kernel, const char *key) {
  for (const TimeShare &part : kernel.account)
    if (part.key == key)
      return part.share;
  return -1;
}

const Limiter *find(const KernelReport &kernel, const char *key) {
  for (const Limiter &limiter : kernel.limiters)
    if (limiter.key == key)
      return &limiter;
  return nullptr;
}

TEST(Analyse, TheAccountAddsUp) {
  KernelReport kernel = sampleKernel();
  kernel.activeCUs = 0.9;
  charge(kernel.code[1], Stall::VectorMemory, 300);
  charge(kernel.code[3], Stall::MatrixBusy, 5000);
  charge(kernel.code[2], Stall::Lds, 100);
  kernel = analysed(kernel);
  double total = 0;
  for (const TimeShare &part : kernel.account)
    total += part.share;
  EXPECT_NEAR(total, 1, 1e-12);
  EXPECT_NEAR(share(kernel, "matrix"), 0.3, 1e-12);
  EXPECT_NEAR(share(kernel, "valu"), 0.1, 1e-12);
  EXPECT_NEAR(share(kernel, "idle_cu"), 0.1, 1e-12);
  // Half of the SIMDs' time is left; waits for a working unit do not count.
  EXPECT_NEAR(share(kernel, "vector_memory"), 0.375, 1e-12);
  EXPECT_NEAR(share(kernel, "lds"), 0.125, 1e-12);
  EXPECT_EQ(share(kernel, "matrix_busy"), -1);
}

TEST(Analyse, BankConflicts) {
  KernelReport kernel = sampleKernel();
  charge(kernel.code[2], Stall::Lds, 900);
  charge(kernel.code[1], Stall::VectorMemory, 100);
  kernel.code[2].ldsBaseCycles = 400;
  kernel.code[2].ldsConflictCycles = 2800;
  kernel = analysed(kernel);
  ASSERT_FALSE(kernel.limiters.empty());
  const Limiter &first = kernel.limiters.front();
  EXPECT_EQ(first.key, "lds_bank_conflicts");
  EXPECT_EQ(first.where, "k.tile:12");
  EXPECT_EQ(first.instruction, 2u);
  EXPECT_NE(first.detail.find("8.0 times"), std::string::npos) << first.detail;
}

/// Each kind has its part, and its line.
TEST(Analyse, AtomicsThatTakeTurns) {
  KernelReport kernel = sampleKernel();
  charge(kernel.code[2], Stall::Lds, 900);
  charge(kernel.code[1], Stall::VectorMemory, 100);
  kernel.code[2].text = "ds_add_u32 v1, v2";
  kernel.code[2].ldsBaseCycles = 400;
  kernel.code[2].ldsConflictCycles = 700;
  kernel.code[2].ldsAddressConflicts = 2100;
  kernel = analysed(kernel);
  ASSERT_GE(kernel.limiters.size(), 2u);
  const Limiter &first = kernel.limiters.front();
  EXPECT_EQ(first.key, "lds_atomics");
  EXPECT_EQ(first.where, "k.tile:12");
  EXPECT_NE(first.detail.find("6.2 times"), std::string::npos) << first.detail;
  const Limiter *banks = find(kernel, "lds_bank_conflicts");
  ASSERT_NE(banks, nullptr);
  EXPECT_NEAR(first.share, 3 * banks->share, 1e-9);
}

TEST(Analyse, WithoutConflictsItIsLatency) {
  KernelReport kernel = sampleKernel();
  charge(kernel.code[2], Stall::Lds, 900);
  kernel.code[2].ldsBaseCycles = 400;
  kernel = analysed(kernel);
  EXPECT_EQ(kernel.limiters.front().key, "lds_latency");
  EXPECT_EQ(find(kernel, "lds_bank_conflicts"), nullptr);
}

TEST(Analyse, UncoalescedAccesses) {
  KernelReport kernel = sampleKernel();
  // The wait is charged to the load.
  kernel.code[1].stalls[unsigned(Stall::VectorMemory)] = 1000;
  kernel.code[0].caused[unsigned(Stall::VectorMemory)] = 1000;
  kernel.code[0].linesTouched = 6400;
  kernel.code[0].linesNeeded = 800;
  kernel.code[0].latency = 7000;
  // The address unit takes most of the latency.
  kernel.code[0].addressCycles = 6400;
  kernel = analysed(kernel);
  const Limiter &first = kernel.limiters.front();
  EXPECT_EQ(first.key, "uncoalesced");
  EXPECT_EQ(first.where, "k.tile:10");
  EXPECT_NE(first.detail.find("64 lines a wavefront where 8"),
            std::string::npos)
      << first.detail;
}

// A second line of rows that begin within lines arrives with the first.
TEST(Analyse, LinesThatCostNothingAreNotClaimed) {
  KernelReport kernel = sampleKernel();
  charge(kernel.code[0], Stall::VectorMemory, 1000);
  kernel.code[0].linesTouched = 200;
  kernel.code[0].linesNeeded = 100;
  kernel.code[0].latency = 70000;
  kernel.code[0].addressCycles = 400;
  Level l2{"l2", "L2"};
  l2.busyShare = 0.07;
  kernel.levels.push_back(l2);
  KernelReport idle = analysed(kernel);
  EXPECT_EQ(idle.limiters.front().key, "memory_latency");
  double claimed =
      find(idle, "uncoalesced") ? find(idle, "uncoalesced")->share : 0;
  // As much more as the level is busier.
  kernel.levels.back().busyShare = 0.56;
  KernelReport busy = analysed(kernel);
  ASSERT_NE(find(busy, "uncoalesced"), nullptr);
  EXPECT_GT(find(busy, "uncoalesced")->share, 3 * claimed);
}

// Copies of one line weigh as much as the line does.
TEST(Analyse, TheWorstLineNotTheWorstInstruction) {
  KernelReport kernel = sampleKernel();
  kernel.code[0].linesTouched = 1600;
  kernel.code[0].linesNeeded = 800;
  for (int copy = 0; copy < 8; ++copy) {
    CodeLine load = kernel.code[0];
    load.address = 0x2000 + 8 * copy;
    load.line = 30;
    load.linesTouched = 400;
    load.linesNeeded = 100;
    kernel.code.push_back(load);
  }
  // Results come in order: the wait is for the last load.
  charge(kernel.code[0], Stall::VectorMemory, 100);
  charge(kernel.code[5], Stall::MemoryBusy, 900);
  Level l1{"l1", "L1"};
  l1.busyShare = 0.9;
  kernel.levels.push_back(l1);
  const KernelReport told = analysed(kernel);
  const Limiter *found = find(told, "uncoalesced");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->where, "k.tile:30");
  EXPECT_NE(find(told, "bandwidth")->detail.find("address unit works 90 %"),
            std::string::npos);
}

TEST(Analyse, NarrowAccessesFillTheAddressUnit) {
  KernelReport kernel = sampleKernel();
  kernel.code[0].linesTouched = kernel.code[0].linesNeeded = 100;
  kernel.code[0].bytesAsked = 100 * 64 * 2;
  charge(kernel.code[0], Stall::MemoryBusy, 1000);
  Level l1{"l1", "L1"};
  l1.busyShare = 0.9;
  kernel.levels.push_back(l1);
  KernelReport narrow = analysed(kernel);
  EXPECT_EQ(narrow.limiters.front().key, "narrow_accesses");
  EXPECT_EQ(narrow.limiters.front().where, "k.tile:10");
  kernel.code[0].bytesAsked = 100 * 64 * 16;
  KernelReport wide = analysed(kernel);
  EXPECT_EQ(wide.limiters.front().key, "bandwidth");
  EXPECT_EQ(find(wide, "narrow_accesses"), nullptr);
}

TEST(Analyse, ScalarInstructionsOfManyWavefronts) {
  KernelReport kernel = sampleKernel();
  kernel.matrixUse = kernel.valuUse = kernel.ldsUse = 0;
  kernel.busyUse = 0.1;
  kernel.code[3].unit = CodeLine::Unit::Scalar;
  kernel.code[3].text = "s_mul_i32 s4, s5, s6";
  kernel.code[3].issueCycles = 2000;
  charge(kernel.code[3], Stall::Arbitration, 6000);
  charge(kernel.code[3], Stall::Fetch, 1000);
  kernel = analysed(kernel);
  EXPECT_EQ(kernel.limiters.front().key, "scalar_alu");
  EXPECT_EQ(kernel.limiters.front().where, "k.tile:13");
  EXPECT_NEAR(share(kernel, "scalar"), 0.8, 1e-12);
  EXPECT_NEAR(share(kernel, "fetch"), 0.1, 1e-12);
}

TEST(Analyse, SleepIsNoWaitState) {
  KernelReport kernel = sampleKernel();
  kernel.code[1].text = "s_sleep 10";
  charge(kernel.code[1], Stall::Nop, 5000);
  EXPECT_EQ(analysed(kernel).limiters.front().headline,
            "sleeping wavefronts (s_sleep)");
  kernel.code[1].text = "s_nop 7";
  EXPECT_EQ(analysed(kernel).limiters.front().headline, "wait states (s_nop)");
}

TEST(Analyse, WhereLinesLie) {
  KernelReport kernel = sampleKernel();
  kernel.code[0].linesTouched = kernel.code[0].linesNeeded = 800;
  kernel.code[0].setLines = 1600;
  kernel.code[0].linesBeyondL2 = 800;
  kernel.code[0].translationMisses = 100;
  charge(kernel.code[0], Stall::VectorMemory, 1000);
  auto detail = [&] {
    return find(analysed(kernel), "memory_latency")->detail;
  };
  EXPECT_EQ(detail().find("sets of L1"), std::string::npos) << detail();
  EXPECT_EQ(detail().find("translation"), std::string::npos) << detail();
  kernel.code[0].setLines = 3200;
  kernel.code[0].translationMisses = 600;
  EXPECT_EQ(detail().find("sets of L1"), std::string::npos)
      << "used whole: " << detail();
  kernel.code[0].linesNeeded = 300;
  EXPECT_NE(detail().find("1.0 of the 4 sets of L1"), std::string::npos)
      << detail();
  EXPECT_NE(detail().find("75 % of its lines beyond L2"), std::string::npos)
      << detail();
  // Most of few lines: the others are found before.
  kernel.code[0].linesBeyondL2 = 20;
  kernel.code[0].translationMisses = 15;
  EXPECT_EQ(detail().find("translation"), std::string::npos) << detail();
}

TEST(Analyse, OneLongWorkgroup) {
  KernelReport kernel = sampleKernel();
  kernel.activeCUs = 0.1;
  kernel.matrixUse = kernel.busyUse = 0.05;
  kernel.longestWorkgroup = 77;
  kernel.longestWorkgroupCycles = 900;
  kernel.meanWorkgroupCycles = 90;
  KernelReport uneven = analysed(kernel);
  EXPECT_EQ(uneven.limiters.front().key, "idle_cus");
  EXPECT_NE(
      uneven.limiters.front().detail.find("workgroup 77 takes 900 cycles, "
                                          "10.0 times the average"),
      std::string::npos)
      << uneven.limiters.front().detail;
  kernel.longestWorkgroupCycles = 100;
  EXPECT_EQ(analysed(kernel).limiters.front().detail.find("workgroup 77"),
            std::string::npos);
}

TEST(Analyse, PlainLatencyAndSaturatedLevels) {
  KernelReport kernel = sampleKernel();
  charge(kernel.code[0], Stall::VectorMemory, 1000);
  kernel.code[0].linesTouched = kernel.code[0].linesNeeded = 800;
  EXPECT_EQ(analysed(kernel).limiters.front().key, "memory_latency");
  Level hbm{"hbm", "HBM"};
  hbm.bytes = 1.9e6;
  hbm.peakBytesPerCycle = 2000;
  kernel.levels.push_back(hbm);
  kernel = analysed(kernel);
  EXPECT_EQ(kernel.limiters.front().key, "bandwidth");
  EXPECT_EQ(kernel.limiters.front().headline, "HBM bandwidth");
}

// One compute unit of many, most of the time: it has HBM to itself, and takes
// little of it.
TEST(Analyse, SharedLevelsServeOneComputeUnitAsWellAsAll) {
  KernelReport kernel = sampleKernel();
  charge(kernel.code[0], Stall::VectorMemory, 1000);
  kernel.code[0].linesTouched = kernel.code[0].linesNeeded = 800;
  kernel.activeCUs = 0.03;
  kernel.matrixUse = kernel.busyUse = 0.001;
  Level hbm{"hbm", "HBM"};
  hbm.bytes = 0.03 * 2000 * kernel.cycles;
  hbm.peakBytesPerCycle = 2000;
  kernel.levels.push_back(hbm);
  auto has = [](const KernelReport &kernel, const std::string &key) {
    KernelReport done = analysed(kernel);
    return std::any_of(done.limiters.begin(), done.limiters.end(),
                       [&](auto &each) { return each.key == key; });
  };
  // All units at once for a short time: the rate is the limit.
  EXPECT_TRUE(has(kernel, "bandwidth"));
  kernel.usedCUs = 0.04;
  EXPECT_FALSE(has(kernel, "bandwidth"));
  EXPECT_TRUE(has(kernel, "memory_latency"));
}

TEST(Analyse, SpillsStandOut) {
  KernelReport kernel = sampleKernel();
  kernel.code[0].unit = CodeLine::Unit::Scratch;
  charge(kernel.code[0], Stall::VectorMemory, 1000);
  EXPECT_EQ(analysed(kernel).limiters.front().key, "spills");
}

TEST(Analyse, FewWorkgroups) {
  KernelReport kernel = sampleKernel();
  kernel.workgroups = 16;
  kernel.activeCUs = 0.05;
  kernel.matrixUse = kernel.busyUse = 0.02;
  charge(kernel.code[1], Stall::VectorMemory, 1000);
  kernel = analysed(kernel);
  EXPECT_EQ(kernel.limiters.front().key, "idle_cus");
  // What happens on the CUs that work is told all the same.
  EXPECT_NE(find(kernel, "memory_latency"), nullptr);
}

TEST(Analyse, EqualLimitsOfOccupancyAreAllNamed) {
  KernelReport kernel = sampleKernel();
  charge(kernel.code[0], Stall::VectorMemory, 1000);
  kernel.code[0].linesTouched = kernel.code[0].linesNeeded = 800;
  kernel.occupancy.waves = 1;
  kernel.occupancy.limits = {{"VGPRs", "264 of 512", 1},
                             {"LDS", "61440 of 65536 bytes", 1},
                             {"the grid", "", 3}};
  Limiter both = analysed(kernel).limiters.front();
  EXPECT_EQ(both.headline,
            "latency of global memory at low occupancy (VGPRs and LDS)");
  EXPECT_NE(both.advice.find("fewer registers (smaller fragments) and bytes of "
                             "shared buffers"),
            std::string::npos)
      << both.advice;
  // A grid that has no more explains it as well.
  kernel.occupancy.limits[2].waves = 1;
  EXPECT_EQ(analysed(kernel).limiters.front().headline,
            "latency of global memory");
}

TEST(Analyse, NarrowLdsAccessesAreTold) {
  KernelReport kernel = sampleKernel();
  CodeLine &code = kernel.code[0];
  code.unit = CodeLine::Unit::Lds;
  code.text = "ds_read_u16_d16 v1, v2";
  code.executed = 100;
  code.ldsBaseCycles = 200;
  charge(code, Stall::Lds, 1000);
  kernel = analysed(kernel);
  const Limiter *found = find(kernel, "lds_latency");
  ASSERT_NE(found, nullptr);
  EXPECT_NE(found->detail.find("2 bytes a lane"), std::string::npos)
      << found->detail;
  kernel.code[0].text = "ds_read_b128 v[0:3], v2";
  kernel = analysed(kernel);
  EXPECT_EQ(find(kernel, "lds_latency")->detail.find("2 bytes a lane"),
            std::string::npos);
}

TEST(Analyse, LatencySaysWhyNothingHidesIt) {
  KernelReport kernel = sampleKernel();
  charge(kernel.code[0], Stall::VectorMemory, 1000);
  kernel.code[0].linesTouched = kernel.code[0].linesNeeded = 800;
  KernelReport low = analysed(kernel);
  EXPECT_EQ(low.limiters.front().key, "memory_latency");
  EXPECT_EQ(low.limiters.front().headline,
            "latency of global memory at low occupancy (VGPRs)");
  EXPECT_NE(low.limiters.front().detail.find("256 of 512"), std::string::npos);
  // Four of eight, or a grid that has no more, is something else.
  kernel.occupancy.waves = 4;
  EXPECT_EQ(analysed(kernel).limiters.front().headline,
            "latency of global memory");
  kernel.occupancy.waves = 1;
  kernel.occupancy.limits.front().resource = "the grid";
  EXPECT_EQ(analysed(kernel).limiters.front().headline,
            "latency of global memory");
}

TEST(Analyse, AtomicsAreNoPlainLatency) {
  KernelReport kernel = sampleKernel();
  kernel.code[0].text = "global_atomic_add v0, v1, s[2:3]";
  kernel.code[0].linesTouched = 6400;
  kernel.code[0].linesNeeded = 800;
  charge(kernel.code[0], Stall::VectorMemory, 1000);
  kernel = analysed(kernel);
  EXPECT_EQ(kernel.limiters.front().key, "atomics");
  EXPECT_EQ(find(kernel, "uncoalesced"), nullptr);
}

// What waits behind atomics that hold a channel of L2 is told as theirs, and
// named.
TEST(Analyse, ContendedAtomicsPayForThoseBehindThem) {
  KernelReport kernel = sampleKernel();
  kernel.activeCUs = 1;
  kernel.code[0].text = "global_atomic_add v0, v1, s[2:3]";
  kernel.code[0].atomicCycles = 900;
  kernel.code[4].text = "global_load_dword v0, v[2:3]";
  kernel.code[4].unit = CodeLine::Unit::Memory;
  charge(kernel.code[4], Stall::VectorMemory, 1000);
  kernel.atomicChannelUse = 0.9;
  KernelReport told = analysed(kernel);
  const Limiter &first = told.limiters.front();
  EXPECT_EQ(first.key, "atomics");
  EXPECT_EQ(first.headline, "contended atomic operations");
  EXPECT_EQ(first.where, "k.tile:10");
  EXPECT_NE(first.detail.find("global_load_dword at k.tile:"),
            std::string::npos)
      << first.detail;
  kernel.atomicChannelUse = 0.1;
  EXPECT_EQ(analysed(kernel).limiters.front().key, "memory_latency");
}

// The list is in the order of the figures that are printed beside it.
TEST(Analyse, InTheOrderOfWhatCouldBeWon) {
  KernelReport kernel = sampleKernel();
  kernel.matrixUse = 0;
  kernel.valuUse = kernel.busyUse = 0.4;
  charge(kernel.code[0], Stall::VectorMemory, 500);
  charge(kernel.code[2], Stall::Lds, 400);
  kernel = analysed(kernel);
  ASSERT_GT(kernel.limiters.size(), 2u);
  for (size_t i = 1; i < kernel.limiters.size(); ++i)
    EXPECT_GE(kernel.limiters[i - 1].together + 0.0005,
              kernel.limiters[i].together);
}

// Of the vector ALU's time the part that inactive lanes leave; of waits in
// loops that of the lanes that have left it.
TEST(Analyse, DivergenceTakesItsPartOfWorkAndLoops) {
  KernelReport kernel = sampleKernel();
  kernel.matrixUse = kernel.ldsUse = 0;
  kernel.valuUse = kernel.busyUse = 0.4;
  kernel.valuLanes = 16;
  CodeLine &work = kernel.code[3];
  work.unit = CodeLine::Unit::Vector;
  work.text = "v_fma_f32 v0, v1, v2, v3";
  work.aluCycles = 1000;
  work.lanes = 16;
  CodeLine &load = kernel.code[0];
  charge(load, Stall::VectorMemory, 1000);
  load.lanes = 16;
  // Outside of loops fewer lanes wait as long.
  KernelReport branch = analysed(kernel);
  EXPECT_EQ(branch.limiters.front().key, "memory_latency");
  ASSERT_NE(find(branch, "divergence"), nullptr);
  EXPECT_NEAR(find(branch, "divergence")->share, 0.3, 1e-12);
  EXPECT_EQ(find(branch, "divergence")->where, "k.tile:13");
  EXPECT_NEAR(find(branch, "valu")->share, 0.1, 1e-12);
  load.enteringLanes = work.enteringLanes = 32;
  KernelReport loop = analysed(kernel);
  EXPECT_EQ(loop.limiters.front().key, "divergence");
  EXPECT_NEAR(loop.limiters.front().share, 0.3 + 0.6 / 2, 1e-12);
  EXPECT_NE(loop.limiters.front().detail.find("16.0 of 64 lanes"),
            std::string::npos);
  EXPECT_NEAR(find(loop, "memory_latency")->share, 0.3, 1e-12);
  // What it shares with the others is counted once.
  double all = 0;
  for (const Limiter &each : loop.limiters)
    all += each.share;
  EXPECT_NEAR(all, 1, 1e-12);
  // Atomics of one lane are no matter of the others; a full level is not
  // emptied by wavefronts that are fuller.
  kernel.code[0].text = "global_atomic_add v0, v1, s[2:3]";
  EXPECT_NEAR(find(analysed(kernel), "divergence")->share, 0.3, 1e-12);
  kernel.code[0].text = "global_load_dword v0, v1, s[2:3]";
  Level hbm{"hbm", "HBM"};
  hbm.busyShare = 0.9;
  kernel.levels.push_back(hbm);
  EXPECT_NEAR(find(analysed(kernel), "divergence")->share, 0.3, 1e-12);
}

TEST(Analyse, WorkgroupsThatDoNotFillTheirWavefronts) {
  KernelReport kernel = sampleKernel();
  kernel.block = {16, 1, 1};
  kernel.matrixUse = kernel.ldsUse = 0;
  kernel.valuUse = kernel.busyUse = 0.8;
  kernel.valuLanes = 16;
  kernel.code[3].unit = CodeLine::Unit::Vector;
  kernel.code[3].aluCycles = 1000;
  kernel.code[3].lanes = 16;
  const Limiter first = analysed(kernel).limiters.front();
  EXPECT_EQ(first.headline, "wavefronts that are not full");
  EXPECT_NE(first.advice.find("multiple of 64"), std::string::npos);
  // A few lanes less, at the edges of tiles, are not worth a word.
  kernel.block = {256, 1, 1};
  kernel.valuLanes = kernel.code[3].lanes = 62;
  EXPECT_EQ(find(analysed(kernel), "divergence"), nullptr);
}

TEST(Analyse, WorkgroupsTooShortForTheDispatcher) {
  KernelReport kernel = sampleKernel();
  kernel.matrixUse = kernel.busyUse = 0.1;
  kernel.occupancy = {8, 0.5, 8, {{"wavefront slots", "", 8}}};
  charge(kernel.code[0], Stall::VectorMemory, 1000);
  kernel.dispatchCycles = 800;
  KernelReport shortOnes = analysed(kernel);
  EXPECT_EQ(shortOnes.limiters.front().key, "dispatch");
  EXPECT_NEAR(shortOnes.limiters.front().share, 0.8 * 0.9, 1e-12);
  EXPECT_NEAR(find(shortOnes, "memory_latency")->share, 0.2 * 0.9, 1e-12);
  // Where as many are there as fit, they are not waited for.
  kernel.occupancy.achieved = 6;
  EXPECT_EQ(find(analysed(kernel), "dispatch"), nullptr);
}

// LDS writes that are waited for in front of a barrier: ChargeWaits puts them
// there.
TEST(Analyse, BarriersThatWaitForLdsWrites) {
  KernelReport kernel = sampleKernel();
  kernel.matrixUse = kernel.busyUse = 0.2;
  kernel.code[1].text = "s_waitcnt lgkmcnt(0)";
  kernel.code[4].text = "s_barrier";
  kernel.code[1].stalls[unsigned(Stall::Lds)] = 600;
  kernel.code[4].caused[unsigned(Stall::Barrier)] = 600;
  charge(kernel.code[4], Stall::Barrier, 100);
  charge(kernel.code[2], Stall::Lds, 300);
  kernel = analysed(kernel);
  const Limiter &first = kernel.limiters.front();
  EXPECT_EQ(first.key, "barrier");
  EXPECT_EQ(first.where, "k.tile:14");
  EXPECT_NEAR(first.share, 0.8 * 700 / 1000, 1e-12);
  EXPECT_NE(first.detail.find("its own LDS writes"), std::string::npos)
      << first.detail;
  EXPECT_NEAR(find(kernel, "lds_latency")->share, 0.8 * 300 / 1000, 1e-12);
}

TEST(Analyse, StoresAreNotLoads) {
  KernelReport kernel = sampleKernel();
  kernel.code[0].text = "global_store_dword v0, v1, s[2:3]";
  kernel.code[0].storeLatency = kernel.code[0].latency = 1000;
  charge(kernel.code[0], Stall::VectorMemory, 1000);
  KernelReport stores = analysed(kernel);
  EXPECT_EQ(stores.limiters.front().key, "store_latency");
  EXPECT_EQ(stores.limiters.front().headline, "waits for stores");
  EXPECT_EQ(find(stores, "memory_latency"), nullptr);
  kernel.code[0].storeLatency = 0;
  EXPECT_EQ(find(analysed(kernel), "store_latency"), nullptr);
}

TEST(Analyse, LatencyOfLinesInL1) {
  KernelReport kernel = sampleKernel();
  charge(kernel.code[0], Stall::VectorMemory, 1000);
  kernel.code[0].linesLookedUp = 100;
  auto advice = [&] {
    return find(analysed(kernel), "memory_latency")->advice;
  };
  kernel.code[0].linesInL1 = 95;
  EXPECT_NE(advice().find("T.copy it there once"), std::string::npos)
      << advice();
  kernel.code[0].linesInL1 = 20;
  EXPECT_NE(advice().find("T.Pipelined"), std::string::npos) << advice();
}

// Beyond L1 no more is moved than the lanes ask for: packed accesses would move
// the same.
TEST(Analyse, LinesThatComeOnceAnyhow) {
  KernelReport kernel = sampleKernel();
  charge(kernel.code[0], Stall::VectorMemory, 1000);
  kernel.code[0].linesTouched = 800;
  kernel.code[0].linesNeeded = 100;
  kernel.code[0].latency = 70000;
  kernel.code[0].addressCycles = 800;
  Level asked{"requested", "asked for by lanes"}, hbm{"hbm", "HBM"};
  asked.bytes = 10000;
  hbm.bytes = 80000;
  hbm.busyShare = 0.6;
  kernel.levels = {asked, hbm};
  ASSERT_NE(find(analysed(kernel), "uncoalesced"), nullptr);
  EXPECT_GT(find(analysed(kernel), "uncoalesced")->share, 0.3);
  // What one line takes without a queue is left.
  kernel.code[0].bareLatency = 63000;
  EXPECT_LE(find(analysed(kernel), "uncoalesced")->share, 0.07);
  kernel.code[0].bareLatency = 0;
  // Nor can it be over before what is asked for has been moved.
  kernel.levels[1].peakBytesPerCycle = 12;
  EXPECT_NEAR(find(analysed(kernel), "uncoalesced")->share, 1 - 10.0 / 12,
              1e-12);
  kernel.levels[1].bytes = 10000;
  EXPECT_EQ(find(analysed(kernel), "uncoalesced"), nullptr);
}

// Two causes of LDS at a line outweigh a third elsewhere that is larger than
// each.
TEST(Analyse, CausesOfOneUnitAtOneLineAddUp) {
  KernelReport kernel = sampleKernel();
  kernel.matrixUse = kernel.busyUse = 0;
  kernel.ldsUse = 0.4;
  charge(kernel.code[2], Stall::Lds, 1200);
  charge(kernel.code[4], Stall::Fetch, 700);
  kernel.code[2].ldsBaseCycles = 100;
  kernel.code[2].ldsConflictCycles = 60;
  kernel = analysed(kernel);
  ASSERT_GE(kernel.limiters.size(), 3u);
  EXPECT_EQ(kernel.limiters[0].key, "lds_bank_conflicts");
  EXPECT_EQ(kernel.limiters[1].key, "fetch");
  EXPECT_EQ(kernel.limiters[2].key, "lds_latency");
  EXPECT_GT(kernel.limiters[1].rank, kernel.limiters[0].rank);
  EXPECT_NEAR(kernel.limiters[0].together,
              kernel.limiters[0].rank + kernel.limiters[2].rank, 1e-12);
}

// In the words of what the kernel is written in.
TEST(Analyse, AdviceForTilePrograms) {
  KernelReport kernel = sampleKernel();
  kernel.code[0].unit = CodeLine::Unit::Scratch;
  charge(kernel.code[0], Stall::VectorMemory, 1000);
  auto advice = [&] { return find(analysed(kernel), "spills")->advice; };
  EXPECT_NE(advice().find("smaller fragments"), std::string::npos);
  for (CodeLine &line : kernel.code)
    line.file = "/nowhere/k.hip";
  EXPECT_EQ(advice().find("fragments"), std::string::npos);
  EXPECT_NE(advice().find("smaller tiles a wavefront"), std::string::npos);
}

TEST(Analyse, WorkOfAKernelWithoutMatrixInstructions) {
  KernelReport kernel = sampleKernel();
  kernel.matrixUse = kernel.ldsUse = 0;
  kernel.valuUse = kernel.busyUse = 0.5;
  kernel.activeCUs = 0.7;
  kernel.code[3].unit = CodeLine::Unit::Vector;
  kernel.code[3].aluCycles = 1000;
  // A third of the time on idle CUs could be won whole, of the work a part.
  KernelReport plain = analysed(kernel);
  EXPECT_EQ(plain.limiters.front().key, "idle_cus");
  ASSERT_NE(find(plain, "valu"), nullptr);
  EXPECT_EQ(find(plain, "valu")->headline, "vector ALU work");
  kernel.code[3].isTranscendental = true;
  KernelReport slow = analysed(kernel);
  EXPECT_EQ(slow.limiters.front().key, "transcendental");
  EXPECT_EQ(slow.limiters.front().where, "k.tile:13");
}

TEST(Analyse, AShortLaunch) {
  KernelReport kernel = sampleKernel();
  kernel.activeCUs = 0.4;
  kernel.ldsUse = 0;
  kernel.matrixUse = kernel.busyUse = 0.35;
  kernel.launchCycles = 500;
  kernel = analysed(kernel);
  EXPECT_EQ(kernel.limiters.front().key, "launch");
  ASSERT_NE(find(kernel, "idle_cus"), nullptr);
  EXPECT_NEAR(find(kernel, "idle_cus")->share, 0.1, 1e-12);
}

TEST(Analyse, SimdsWithoutAWavefront) {
  KernelReport kernel = sampleKernel();
  kernel.ldsUse = 0;
  kernel.matrixUse = kernel.busyUse = 0.2;
  kernel.activeSimds = 0.25;
  charge(kernel.code[3], Stall::Fetch, 1000);
  kernel = analysed(kernel);
  EXPECT_EQ(kernel.limiters.front().key, "idle_simds");
  EXPECT_NEAR(share(kernel, "idle_simd"), 0.75, 1e-12);
  EXPECT_NEAR(share(kernel, "fetch"), 0.05, 1e-12);
}

// Nobody waits for them but the launch, which ends when they have arrived.
TEST(Analyse, StoresThatOutliveTheWavefronts) {
  KernelReport kernel = sampleKernel();
  kernel.ldsUse = 0;
  kernel.matrixUse = kernel.busyUse = 0.2;
  kernel.activeCUs = 0.25;
  kernel.drainCycles = 700;
  kernel.code[0].storeLatency = kernel.code[0].latency = 1e5;
  kernel.code[0].addressCycles = 9e4;
  kernel.code[0].linesTouched = 6400;
  kernel.code[0].linesNeeded = 200;
  kernel = analysed(kernel);
  EXPECT_EQ(kernel.limiters.front().key, "uncoalesced");
  EXPECT_EQ(kernel.limiters.front().where, "k.tile:10");
  ASSERT_NE(find(kernel, "idle_cus"), nullptr);
  EXPECT_NEAR(find(kernel, "idle_cus")->share, 0.05, 1e-12);
}

TEST(Analyse, FlatAccessesThatGoToLds) {
  KernelReport kernel = sampleKernel();
  kernel.ldsUse = 0.1;
  kernel.code[0].text = "flat_load_dword v0, v[2:3]";
  kernel.code[0].ldsBaseCycles = 100;
  kernel.code[0].ldsConflictCycles = 1500;
  charge(kernel.code[0], Stall::VectorMemory, 1000);
  kernel = analysed(kernel);
  EXPECT_EQ(kernel.limiters.front().key, "lds_bank_conflicts");
  EXPECT_EQ(find(kernel, "memory_latency"), nullptr);
}

TEST(Analyse, CodeLargerThanTheInstructionCache) {
  KernelReport kernel = sampleKernel();
  charge(kernel.code[3], Stall::Fetch, 1000);
  EXPECT_EQ(analysed(kernel).limiters.front().key, "fetch");
  kernel.instructionMisses = 100;
  EXPECT_EQ(analysed(kernel).limiters.front().key, "instruction_cache");
}

TEST(Analyse, ABusyMatrixCoreHoldsNothingBack) {
  KernelReport kernel = sampleKernel();
  kernel.matrixUse = 0.92;
  kernel.busyUse = 0.95;
  charge(kernel.code[1], Stall::Barrier, 100);
  EXPECT_EQ(analysed(kernel).limiters.front().key, "matrix");
}

TEST(HotLines, WaitsCountWhereTheLoadStands) {
  KernelReport kernel = sampleKernel();
  kernel.code[1].stalls[unsigned(Stall::VectorMemory)] = 1000;
  kernel.code[0].caused[unsigned(Stall::VectorMemory)] = 1000;
  std::vector<HotLine> lines = hotLines(kernel);
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[0].line, 10u);
  EXPECT_NEAR(lines[0].share, 1400.0 / 3000, 1e-12);
  EXPECT_EQ(lines[0].instructions.front(), 0u);
}

TEST(HotLines, OneEntryALine) {
  KernelReport kernel = sampleKernel();
  for (CodeLine &line : kernel.code)
    line.line = 7;
  charge(kernel.code[3], Stall::MatrixBusy, 10);
  std::vector<HotLine> lines = hotLines(kernel);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].instructions.size(), 5u);
  EXPECT_EQ(lines[0].instructions.front(), 3u);
}

} // namespace
