//===- RecordTests.cpp - What is recorded of a memory access --------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads of given addresses: lines, halves of lines and cycles of the address
// unit are those that going through the lanes one by one gives.
//
//===----------------------------------------------------------------------===//

#include "TimedKernel.h"

#include <map>
#include <random>

using namespace tlc::test;
using namespace tlc::sim;

namespace {

struct Expected {
  uint64_t lines = 0, addressCycles = 0, l1Bytes = 0, bytes = 0;
};

/// By the rules at the head of Recorder.cpp, lane by lane.
Expected expect(const std::vector<uint64_t> &addresses, uint64_t mask,
                unsigned bytes) {
  Expected result;
  std::map<uint64_t, unsigned> halves; // by line
  unsigned portion = bytes <= 4 ? 16 : bytes <= 8 ? 8 : 4;
  for (unsigned first = 0; first < 64; first += portion) {
    uint64_t cycles = 0, previous = ~uint64_t(0);
    for (unsigned l = first; l < first + portion; ++l) {
      if (!(mask >> l & 1))
        continue;
      result.bytes += bytes;
      uint64_t begin = addresses[l], last = begin + bytes - 1;
      for (uint64_t half = begin / 64; half <= last / 64; ++half)
        halves[half / 2] |= 1u << half % 2;
      cycles += begin / 128 != previous;
      cycles += begin / 128 != last / 128;
      previous = last / 128;
    }
    result.addressCycles += std::max<uint64_t>(1, cycles);
  }
  result.lines = halves.size();
  for (auto [line, both] : halves)
    result.l1Bytes += both == 3 ? 128 : 64;
  return result;
}

struct Pattern {
  const char *name;
  unsigned bytes;
  uint32_t range; ///< of the offsets
  uint32_t step;  ///< they are multiples of it
  uint32_t add;   ///< and so much more
  uint64_t mask;
};
class Record : public ::testing::TestWithParam<Pattern> {};

TEST_P(Record, IsThatOfItsLanes) {
  if (!hasAssembler())
    GTEST_SKIP() << "no assembler";
  const Pattern &p = GetParam();
  const char *load = p.bytes == 4   ? "global_load_dword v4"
                     : p.bytes == 8 ? "global_load_dwordx2 v[4:5]"
                                    : "global_load_dwordx4 v[4:7]";
  AsmKernel kernel{"k", std::string(R"(
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_load_dwordx2 s[8:9], s[0:1], 0x10
  v_lshlrev_b32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  global_load_dword v2, v1, s[4:5]
  s_waitcnt vmcnt(0)
  s_mov_b64 exec, s[8:9]
  s_nop 4
)") + load + ", v2, s[6:7]\ns_waitcnt vmcnt(0)\n",
                   0, 0, 64};
  void *data = nullptr;
  ASSERT_EQ(table().hipMalloc(&data, p.range + 64), tlc::hip::hipSuccess);
  std::mt19937 engine(11);
  for (unsigned round = 0; round < 4; ++round) {
    std::vector<uint32_t> offsets(64);
    std::vector<uint64_t> addresses(64);
    for (unsigned l = 0; l < 64; ++l) {
      offsets[l] = uint32_t(engine() % (p.range / p.step)) * p.step + p.add;
      addresses[l] = reinterpret_cast<uint64_t>(data) + offsets[l];
    }
    Buffer list = Buffer::of(offsets);
    TimingResult time = timeKernel(kernel, 1, 64,
                                   {reinterpret_cast<uint64_t>(list.pointer),
                                    reinterpret_cast<uint64_t>(data), p.mask});
    const InstructionTiming *last = nullptr;
    for (const auto &[address, timing] : time.code)
      if (timing.kind == IssueKind::VectorMemory)
        last = &timing;
    ASSERT_TRUE(last);
    Expected expected = expect(addresses, p.mask, p.bytes);
    EXPECT_EQ(last->lines, expected.lines);
    EXPECT_EQ(last->addressCycles, expected.addressCycles);
    EXPECT_EQ(last->memory.l1Bytes, expected.l1Bytes);
    EXPECT_EQ(last->memory.requestedBytes, expected.bytes);
  }
  table().hipFree(data);
}

constexpr uint64_t all = ~uint64_t(0), some = 0x8421'0000'f0f1'0300;
INSTANTIATE_TEST_SUITE_P(
    Patterns, Record,
    ::testing::Values(Pattern{"apart", 4, 1 << 20, 4, 0, all},
                      Pattern{"in_few_lines", 4, 1 << 10, 4, 0, all},
                      Pattern{"masked", 4, 1 << 12, 4, 0, some},
                      Pattern{"one_lane", 4, 1 << 12, 4, 0, 1ull << 37},
                      Pattern{"wide", 16, 1 << 14, 16, 0, all},
                      Pattern{"wide_masked", 8, 1 << 12, 8, 0, some},
                      Pattern{"across_lines", 4, 1 << 12, 2, 1, all},
                      Pattern{"wide_across_lines", 16, 1 << 12, 4, 0, some}),
    [](const auto &info) { return info.param.name; });

} // namespace
