//===- MemoryTests.cpp - Latency and bandwidth ----------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pointer chase through data of the sizes of the published latency curve, and
// reads by the whole device in the patterns of the published bandwidth curve:
// all compute units read the same data in step, or out of step, or data that
// only the Infinity Cache or only HBM holds.
//
//===----------------------------------------------------------------------===//

#include "TimedKernel.h"

#include <algorithm>
#include <numeric>

using namespace tlc::test;
using namespace tlc::sim;

namespace {

//===--- Latency ----------------------------------------------------------===//

struct Chase {
  const char *name;
  size_t bytes;    ///< of the data
  unsigned lines;  ///< visited, spread over it
  unsigned passes; ///< before the one that counts
  double cycles;   ///< measured on an MI300X
};

class Latency : public ::testing::TestWithParam<Chase> {};

/// A cyclic list through `chase.lines` lines in random order.
void *makeChain(const Chase &chase) {
  void *data = nullptr;
  EXPECT_EQ(table().hipMalloc(&data, chase.bytes), tlc::hip::hipSuccess);
  std::vector<uint64_t> order(chase.lines);
  std::iota(order.begin(), order.end(), 0);
  std::mt19937 engine(7);
  std::shuffle(order.begin() + 1, order.end(), engine);
  uint64_t stride = chase.bytes / chase.lines / 128 * 128;
  uint64_t base = reinterpret_cast<uint64_t>(data);
  for (size_t i = 0; i < order.size(); ++i) {
    uint64_t next = base + order[(i + 1) % order.size()] * stride;
    EXPECT_EQ(
        table().hipMemcpy(reinterpret_cast<void *>(base + order[i] * stride),
                          &next, 8, tlc::hip::hipMemcpyHostToDevice),
        tlc::hip::hipSuccess);
  }
  return data;
}

TEST_P(Latency, AsMeasured) {
  if (!hasAssembler())
    GTEST_SKIP() << "no assembler";
  const Chase &chase = GetParam();
  void *data = makeChain(chase);
  constexpr unsigned unrolled = 10;
  const std::string body =
      R"(
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v2, s4
  v_mov_b32 v3, s5
loop:
  s_sub_u32 s6, s6, 1
)" +
      repeat("global_load_dwordx2 v[2:3], v[2:3], off\n s_waitcnt vmcnt(0)",
             unrolled) +
      R"(
  s_cmp_lg_u32 s6, 0
  s_cbranch_scc1 loop
)";
  auto cyclesOf = [&](uint64_t steps) {
    return timeKernel({"k", body, 0, 0, 64}, 1, 1,
                      {reinterpret_cast<uint64_t>(data), steps})
        .cycles;
  };
  // Whole passes, near enough: what comes twice comes last.
  uint64_t turns = chase.lines / unrolled, before = turns * chase.passes + 1;
  double each = double(cyclesOf(before + turns) - cyclesOf(before)) /
                double(turns * unrolled);
  EXPECT_NEAR(each, chase.cycles, 0.15 * chase.cycles);
  RecordProperty("cycles", std::to_string(each));
  table().hipFree(data);
}

constexpr size_t KB = 1000, MB = 1000 * KB;
INSTANTIATE_TEST_SUITE_P(
    Curve, Latency,
    ::testing::Values(Chase{"l1_2KB", 2 * KB, 15, 1, 116},
                      Chase{"l1_8KB", 8 * KB, 60, 1, 116},
                      Chase{"l1_30KB", 30 * KB, 230, 1, 116},
                      Chase{"l2_34KB", 34 * KB, 265, 1, 209},
                      Chase{"l2_68KB", 68 * KB, 530, 1, 208},
                      Chase{"l2_300KB", 300 * KB, 2340, 1, 210},
                      Chase{"l2_1MB", 1 * MB, 7800, 1, 208},
                      Chase{"l2_3MB", 3004 * KB, 23400, 1, 207},
                      Chase{"mall_4930KB", 4932 * KB, 38500, 1, 395},
                      Chase{"mall_6MB", 6061 * KB, 47300, 1, 441},
                      Chase{"mall_9MB", 9541 * KB, 48000, 1, 394},
                      Chase{"mall_20MB", 20028 * KB, 48000, 1, 449},
                      Chase{"mall_49MB", 49544 * KB, 48000, 1, 448},
                      Chase{"mall_81MB", 81181 * KB, 48000, 1, 464},
                      Chase{"mall_140MB", 140416 * KB, 48000, 1, 498},
                      Chase{"mall_161MB", 160946 * KB, 48000, 1, 504},
                      Chase{"mall_211MB", 211448 * KB, 48000, 1, 520},
                      Chase{"hbm_278MB", 277797 * KB, 5000, 0, 832},
                      Chase{"hbm_418MB", 418322 * KB, 5000, 0, 856},
                      Chase{"hbm_1GB", 1087272 * KB, 5000, 0, 870},
                      Chase{"hbm_1428MB", 1428432 * KB, 5000, 0, 868}),
    [](const auto &info) { return info.param.name; });

//===--- Bandwidth --------------------------------------------------------===//

/// Every workgroup of 512 reads `steps` times 8 KB, from `start` on, going
/// `stride` bytes on with each step, within `size` bytes (a power of two).
/// s4..s11: data, start of a workgroup (times its number), stride, mask.
const char *const readBody = R"(
  s_load_dwordx8 s[4:11], s[0:1], 0x0
  v_lshlrev_b32 v1, 4, v0
  s_waitcnt lgkmcnt(0)
  s_mul_i32 s12, s2, s6
  s_mov_b32 s13, s10
loop:
  s_and_b32 s14, s12, s9
  v_add_u32 v2, s14, v1
  s_add_u32 s12, s12, s8
  global_load_dwordx4 v[4:7], v2, s[4:5]
  s_and_b32 s14, s12, s9
  v_add_u32 v3, s14, v1
  s_add_u32 s12, s12, s8
  global_load_dwordx4 v[8:11], v3, s[4:5]
  s_sub_u32 s13, s13, 1
  s_cmp_lg_u32 s13, 0
  s_waitcnt vmcnt(2)
  s_cbranch_scc1 loop
)";

struct Read {
  const char *name;
  uint32_t start, stride, size;
  unsigned before, steps; ///< pairs of steps, and those that count
  double tbPerSecond;     ///< measured on an MI300X
};

class Bandwidth : public ::testing::TestWithParam<Read> {};

TEST_P(Bandwidth, AsMeasured) {
  if (!hasAssembler())
    GTEST_SKIP() << "no assembler";
  const Read &read = GetParam();
  void *data = nullptr;
  ASSERT_EQ(table().hipMalloc(&data, size_t(read.size) + 8192),
            tlc::hip::hipSuccess);
  constexpr unsigned groups = 304;
  auto cyclesOf = [&](uint32_t steps) {
    return timeKernel({"k", readBody, 0, 0, 64}, groups, 512,
                      {reinterpret_cast<uint64_t>(data), read.start,
                       read.stride | uint64_t(read.size - 1) << 32, steps})
        .cycles;
  };
  double cycles =
      double(cyclesOf(read.before + read.steps) - cyclesOf(read.before));
  double bytes = double(groups) * read.steps * 2 * 8192;
  double rate = bytes / (cycles / 2.1e9) / 1e12;
  EXPECT_NEAR(rate, read.tbPerSecond, 0.15 * read.tbPerSecond);
  RecordProperty("TBps", std::to_string(rate));
  table().hipFree(data);
}

constexpr uint32_t KiB = 1024, MiB = 1024 * KiB;
INSTANTIATE_TEST_SUITE_P(
    Curve, Bandwidth,
    ::testing::Values(
        // gpu-cache: all read the same, in step.
        Read{"l1_8KB", 0, 8 * KiB, 8 * KiB, 4, 30, 39.1},
        Read{"l1_16KB", 0, 8 * KiB, 16 * KiB, 4, 30, 39.0},
        Read{"l2_128KB", 0, 8 * KiB, 128 * KiB, 8, 16, 28.2},
        Read{"l2_256KB", 0, 8 * KiB, 256 * KiB, 16, 24, 28.8},
        Read{"l2_512KB", 0, 8 * KiB, 512 * KiB, 32, 16, 28.1},
        Read{"l2_2MB", 0, 8 * KiB, 2 * MiB, 128, 16, 26.9},
        // gpu-l2-cache: out of step.
        Read{"l2_1MB", 13 * 8 * KiB, 8 * KiB, 1 * MiB, 32, 16, 19.5},
        // Data that the others' L2 or only HBM holds: each workgroup walks
        // through its own part first, and then through that of its neighbour.
        Read{"mall_64MB", 208 * KiB, 8 * KiB, 64 * MiB, 13, 13, 5.05},
        Read{"hbm_256MB", 256 * KiB, 8 * KiB, 256 * MiB, 8, 8, 4.2},
        Read{"hbm_1GB", 3360 * KiB, 8 * KiB, 1024 * MiB, 8, 8, 4.05}),
    [](const auto &info) { return info.param.name; });

//===--- Writing ----------------------------------------------------------===//

/// A workgroup of 512 writes `steps` times 8 KB, after having read as much.
/// s4..s9: source, destination, steps, bytes of a workgroup.
std::string copyBody(bool reads) {
  std::string load = "global_load_dwordx4 v[4:7], v1, s[4:5]\n"
                     "s_waitcnt vmcnt(0)\n";
  return R"(
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_load_dwordx2 s[8:9], s[0:1], 0x10
  v_lshlrev_b32 v1, 4, v0
  s_waitcnt lgkmcnt(0)
  s_mul_i32 s10, s2, s9
  v_add_u32 v1, s10, v1
loop:
)" + (reads ? load : "") +
         R"(
  global_store_dwordx4 v1, v[4:7], s[6:7]
  v_add_u32 v1, 0x2000, v1
  s_sub_u32 s8, s8, 1
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 loop
)";
}

// gpu-stream: scale reads and writes an array of 1 GB each, init only writes.
// Here 319 MB, more than the Infinity Cache holds, in one launch: what stays in
// it at the end must not look like bandwidth.
TEST(Write, ReachesHbm) {
  if (!hasAssembler())
    GTEST_SKIP() << "no assembler";
  constexpr unsigned groups = 2432, steps = 16;
  constexpr size_t bytes = size_t(groups) * steps * 8192;
  void *from = nullptr, *to = nullptr;
  ASSERT_EQ(table().hipMalloc(&from, bytes), tlc::hip::hipSuccess);
  ASSERT_EQ(table().hipMalloc(&to, bytes), tlc::hip::hipSuccess);
  auto rate = [&](bool reads) {
    TimingOptions options;
    options.detailInstructions = 200'000; // most of one XCD's
    TimingResult time = timeKernel(
        {"k", copyBody(reads), 0, 0, 32}, groups, 512,
        {reinterpret_cast<uint64_t>(from), reinterpret_cast<uint64_t>(to),
         steps | uint64_t(steps * 8192) << 32},
        options);
    double moved = double(bytes) * (reads ? 2 : 1);
    EXPECT_NEAR(double(time.memory.hbmBytes), moved, 0.05 * moved);
    return moved / time.seconds(2.1) / 1e12;
  };
  double copy = rate(true), write = rate(false);
  RecordProperty("copy", std::to_string(copy));
  RecordProperty("write", std::to_string(write));
  EXPECT_NEAR(copy, 4.0, 0.15 * 4.0);
  EXPECT_NEAR(write, 4.5, 0.15 * 4.5);
  table().hipFree(from);
  table().hipFree(to);
}

} // namespace
