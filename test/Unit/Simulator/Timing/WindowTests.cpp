//===- WindowTests.cpp - XCDs side by side --------------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With one thread a launch that needs no order of its accesses is replayed from
// one queue, with several in windows, XCD by XCD: everything that the result
// says has to be the same.
//
//===----------------------------------------------------------------------===//

#include "TimedKernel.h"

#include <sstream>

using namespace tlc::test;
using namespace tlc::sim;

namespace {

void add(std::ostream &text, const MemoryCounters &m) {
  for (uint64_t each : {m.requestedBytes, m.storedBytes, m.l1Bytes, m.l2Bytes,
                        m.mallBytes, m.hbmBytes, m.l1Lines, m.l1Hits, m.l2Lines,
                        m.l2Hits, m.mallLines, m.mallHits, m.scalarLines,
                        m.scalarHits, m.instructionMisses, m.translationMisses})
    text << ' ' << each;
}

/// All that a result says, a line each.
std::string allOf(const TimingResult &r) {
  std::ostringstream text;
  text << "cycles " << r.cycles << "\nworkgroups " << r.workgroups << "\nwaves "
       << r.waves << "\ninstructions " << r.instructions << "\nworking "
       << r.workingSimdCycles << "\nactive " << r.activeCuCycles << ' '
       << r.activeSimdCycles << "\ndrain " << r.drainCycles << "\nwave cycles "
       << r.waveCycles << "\nunits " << r.usedComputeUnits << " of "
       << r.computeUnits << "\nlongest " << r.longestWorkgroup << ' '
       << r.longestWorkgroupCycles << " mean " << r.meanWorkgroupCycles
       << "\nmemory";
  add(text, r.memory);
  for (const auto &[address, code] : r.code) {
    text << '\n' << address << ' ' << code.mnemonic << ' ' << code.issues;
    for (uint64_t stall : code.stalls)
      text << ' ' << stall;
    text << " busy " << code.busyCycles << ' ' << code.conflictCycles << ' '
         << code.latencyCycles << ' ' << code.addressCycles << ' ' << code.lines
         << ' ' << code.leastLines << ' ' << code.setLines;
    add(text, code.memory);
  }
  // The code lies elsewhere in the next run.
  uint64_t entry = r.traces.empty() || r.traces[0].events.empty()
                       ? 0
                       : r.traces[0].events[0].address;
  for (const WaveTrace &trace : r.traces) {
    text << "\ntrace " << trace.xcd << ' ' << trace.cu << ' ' << trace.simd
         << ' ' << trace.slot << ' ' << trace.workgroup << ' ' << trace.wave
         << ' ' << trace.begin << ' ' << trace.end;
    for (const TraceEvent &event : trace.events)
      text << "\n  " << event.begin << ' ' << event.end << ' '
           << event.address - entry << ' ' << unsigned(event.kind) << ' '
           << unsigned(event.cause);
  }
  return text.str();
}

struct Case {
  const char *name, *body;
  unsigned groups, items, ldsBytes;
};
class Windows : public ::testing::TestWithParam<Case> {};

TEST_P(Windows, ThreadsDoNotShow) {
  if (!hasAssembler())
    GTEST_SKIP() << "no assembler";
  const Case &c = GetParam();
  std::vector<uint32_t> zeros((4 << 20) / 4 + 64);
  // At the same place in every run.
  Buffer in = Buffer::of(zeros), out = Buffer::of(zeros);
  auto run = [&](unsigned threads) {
    for (void *array : {in.pointer, out.pointer})
      EXPECT_EQ(table().hipMemcpy(array, zeros.data(), zeros.size() * 4,
                                  tlc::hip::hipMemcpyHostToDevice),
                tlc::hip::hipSuccess);
    TimingOptions options;
    options.full = true;
    // More than start at once on the first XCD.
    options.traceWaves = 400;
    options.traceEvents = 30;
    simulatorOptions().threads = threads;
    TimingResult result =
        timeKernel({"k", c.body, c.ldsBytes, 0, 64}, c.groups, c.items,
                   {reinterpret_cast<uint64_t>(in.pointer),
                    reinterpret_cast<uint64_t>(out.pointer)},
                   options);
    simulatorOptions().threads = 0;
    return allOf(result);
  };
  std::string one = run(1);
  EXPECT_GT(one.size(), 1000u);
  for (unsigned threads : {2, 3, 8})
    EXPECT_EQ(one, run(threads)) << threads;
}

// Lines of its own, lines that others have asked for just before, lines of one
// lane each, scalar loads, LDS behind them, barriers, stores that memory is
// late with, and more workgroups than places.
constexpr const char *mixed = R"(
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_mov_b32 s8, 6
  s_lshl_b32 s9, s2, 12
  v_lshlrev_b32 v1, 4, v0
  v_lshlrev_b32 v8, 7, v0
  v_lshlrev_b32 v3, 2, v0
  s_waitcnt lgkmcnt(0)
loop:
  v_add_u32 v2, s9, v1
  v_and_b32 v2, 0x3ffff0, v2
  global_load_dwordx4 v[4:7], v2, s[4:5]
  s_lshr_b32 s11, s9, 3
  s_and_b32 s11, s11, 0xffffc
  s_load_dword s10, s[4:5], s11
  v_add_u32 v9, s9, v8
  v_and_b32 v9, 0x3ffffc, v9
  ds_write_b32 v3, v1
  global_load_dword v10, v9, s[4:5]
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_read_b32 v11, v3
  s_waitcnt vmcnt(0) lgkmcnt(0)
  v_add_u32 v4, v4, v10
  v_add_u32 v4, s10, v4
  global_store_dwordx4 v2, v[4:7], s[6:7]
  s_add_u32 s9, s9, 0x1400
  s_sub_u32 s8, s8, 1
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 loop
)";
// Each waits for the one before it, and says so to the next one.
constexpr const char *chain = R"(
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_mov_b32 v1, 0
  v_mov_b32 v3, 1
  s_mov_b64 exec, 1
  s_waitcnt lgkmcnt(0)
wait:
  global_load_dword v2, v1, s[4:5] sc1
  s_waitcnt vmcnt(0)
  v_readfirstlane_b32 s8, v2
  s_cmp_ge_u32 s8, s2
  s_cbranch_scc1 go
  s_sleep 1
  s_branch wait
go:
  global_atomic_add v4, v1, v3, s[4:5] sc0
  s_waitcnt vmcnt(0)
)";
// Counts in a table, and nothing that waits for others.
constexpr const char *histogram = R"(
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_lshl_b32 s9, s2, 9
  v_lshlrev_b32 v1, 2, v0
  v_add_u32 v2, s9, v1
  v_mov_b32 v3, 1
  s_waitcnt lgkmcnt(0)
  global_load_dword v4, v2, s[4:5]
  v_and_b32 v5, 0x7c, v2
  s_waitcnt vmcnt(0)
  global_atomic_add v5, v3, s[6:7]
  global_store_dword v2, v4, s[6:7] offset:2048
)";
INSTANTIATE_TEST_SUITE_P(
    Kernels, Windows,
    ::testing::Values(Case{"mixed", mixed, 2000, 128, 16384},
                      Case{"few", mixed, 11, 256, 4096},
                      Case{"chain", chain, 40, 64, 0},
                      Case{"histogram", histogram, 2000, 128, 0}),
    [](const auto &info) { return info.param.name; });

} // namespace
