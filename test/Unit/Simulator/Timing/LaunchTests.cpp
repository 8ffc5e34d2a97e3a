//===- LaunchTests.cpp - Launches, samples, determinism -------------------===//
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

/// LDS accesses with a stride, as in the published table of conflicts: lane l
/// reads at l times the stride.
std::string ldsReads(unsigned bytes, unsigned stride) {
  const char *name = bytes == 4   ? "ds_read_b32 v2, v1"
                     : bytes == 8 ? "ds_read_b64 v[2:3], v1"
                                  : "ds_read_b128 v[2:5], v1";
  return "v_mul_u32_u24 v1, " + std::to_string(stride) + ", v0\n" +
         repeat(name, 64);
}

struct Conflicts {
  unsigned bytes, stride, expected;
};
class LdsTable : public ::testing::TestWithParam<Conflicts> {};

TEST_P(LdsTable, AsPublished) {
  if (!hasAssembler())
    GTEST_SKIP() << "no assembler";
  Conflicts c = GetParam();
  TimingResult time =
      timeKernel({"k", ldsReads(c.bytes, c.stride), 65536, 0, 64}, 1, 64);
  EXPECT_EQ(time.ldsConflicts, c.expected);
  unsigned base = c.bytes == 4 ? 2 : c.bytes == 8 ? 4 : 8;
  EXPECT_EQ(time.ldsBusy, 64 * base + c.expected);
}

// Conflicts of 64 reads.
INSTANTIATE_TEST_SUITE_P(
    Published, LdsTable,
    ::testing::Values(Conflicts{4, 4, 0}, Conflicts{4, 8, 128},
                      Conflicts{4, 16, 384}, Conflicts{4, 32, 896},
                      Conflicts{4, 64, 1920}, Conflicts{4, 128, 3968},
                      Conflicts{8, 8, 0}, Conflicts{8, 16, 256},
                      Conflicts{8, 32, 768}, Conflicts{8, 64, 1792},
                      Conflicts{8, 128, 3840}, Conflicts{16, 16, 0},
                      Conflicts{16, 32, 512}, Conflicts{16, 64, 1536},
                      Conflicts{16, 128, 3584}),
    [](const auto &info) {
      return "b" + std::to_string(info.param.bytes * 8) + "_stride" +
             std::to_string(info.param.stride);
    });

// Tiles of 16-bit numbers, rows of 128 or 256 bytes, as matrix operands are
// read and written: conflicts of one access, with and without XOR of the row.
struct TileAccess {
  const char *name, *address, *access;
  unsigned base, conflicts;
};
class LdsTile : public ::testing::TestWithParam<TileAccess> {};

TEST_P(LdsTile, AsComputedFromThePhases) {
  if (!hasAssembler())
    GTEST_SKIP() << "no assembler";
  TileAccess c = GetParam();
  TimingResult time = timeKernel(
      {"k", std::string(c.address) + repeat(c.access, 10), 16384, 0, 64}, 1,
      64);
  EXPECT_EQ(time.ldsConflicts, 10 * c.conflicts);
  EXPECT_EQ(time.ldsBusy, 10 * (c.base + c.conflicts));
}

// v2: row, v3: unit of 16 or 8 bytes.
#define ROWS_OF_16 "v_and_b32 v2, 15, v0\n v_lshrrev_b32 v3, 4, v0\n"
#define ROWS_OF_32 "v_and_b32 v2, 31, v0\n v_lshrrev_b32 v3, 5, v0\n"
#define ROWS_OF_UNITS "v_lshrrev_b32 v2, 3, v0\n v_and_b32 v3, 7, v0\n"
#define XOR_8 "v_and_b32 v4, 7, v2\n v_xor_b32 v3, v3, v4\n"
#define XOR_16 "v_and_b32 v4, 15, v2\n v_xor_b32 v3, v3, v4\n"
#define ADDRESS_16 "v_lshlrev_b32 v1, 7, v2\n v_lshl_add_u32 v1, v3, 4, v1\n"
#define ADDRESS_8 "v_lshlrev_b32 v1, 8, v2\n v_lshl_add_u32 v1, v3, 3, v1\n"
INSTANTIATE_TEST_SUITE_P(
    Facts, LdsTile,
    ::testing::Values(TileAccess{"read_16x16", ROWS_OF_16 ADDRESS_16,
                                 "ds_read_b128 v[4:7], v1", 8, 24},
                      TileAccess{"read_32x32", ROWS_OF_32 ADDRESS_16,
                                 "ds_read_b128 v[4:7], v1", 8, 56},
                      TileAccess{"read_16x16_xor", ROWS_OF_16 XOR_8 ADDRESS_16,
                                 "ds_read_b128 v[4:7], v1", 8, 0},
                      TileAccess{"read_32x32_xor", ROWS_OF_32 XOR_8 ADDRESS_16,
                                 "ds_read_b128 v[4:7], v1", 8, 0},
                      TileAccess{"write_xor", ROWS_OF_UNITS XOR_8 ADDRESS_16,
                                 "ds_write_b128 v1, v[4:7]", 8, 0},
                      TileAccess{"read_b64_xor", ROWS_OF_16 XOR_16 ADDRESS_8,
                                 "ds_read_b64 v[4:5], v1", 4, 0}),
    [](const auto &info) { return info.param.name; });

// One wavefront gets 64 bytes a cycle, both pairs of SIMDs together 128.
TEST(Lds, Ports) {
  if (!hasAssembler())
    GTEST_SKIP() << "no assembler";
  auto each = [](const char *body, unsigned items) {
    return cyclesEach("v_lshlrev_b32 v1, 4, v0\n v_and_b32 v1, 0x3ff, v1\n",
                      std::string(body) + "\n s_waitcnt lgkmcnt(8)", items,
                      65536);
  };
  EXPECT_NEAR(each("ds_read_b128 v[4:7], v1", 64), 16, 0.5);
  EXPECT_NEAR(each("ds_write_b128 v1, v[4:7]", 64), 20, 0.5);
  EXPECT_NEAR(each("ds_write_b32 v1, v4", 64), 8, 0.5);
  // Four wavefronts, two at each port: 4 KB at 128 bytes a cycle.
  EXPECT_NEAR(each("ds_read_b128 v[4:7], v1", 256), 32, 1);
}

/// Which of the numbers up to a mask a workgroup gets.
enum class Order { Modulo, Ascending, Descending, Scattered, OneLong };

/// Work that depends on the number of the workgroup: at least 40 turns of a
/// loop with loads, vector and matrix operations.
AsmKernel unevenKernel(Order order) {
  static constexpr const char *orders[] = {
      "s_mov_b32 s8, s2", "s_lshr_b32 s8, s2, 7",
      "s_not_b32 s8, s2\n s_lshr_b32 s8, s8, 7",
      "s_mul_i32 s8, s2, 0x9e3779b1\n s_lshr_b32 s8, s8, 20",
      "s_cmp_eq_u32 s2, 1237\n s_movk_i32 s8, 0x1ff\n"
      "s_cselect_b32 s8, 0x3fff, s8"};
  return {"k",
          std::string(R"(
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32 v1, 4, v0
  s_waitcnt lgkmcnt(0)
)") + orders[size_t(order)] +
              R"(
  s_and_b32 s8, s8, s6
  s_add_u32 s8, s8, 40
  s_lshl_b32 s9, s2, 12
loop:
  v_add_u32 v2, s9, v1
  v_and_b32 v2, 0x3ffff0, v2
  global_load_dwordx4 v[4:7], v2, s[4:5]
  s_add_u32 s9, s9, 0x1000
  s_waitcnt vmcnt(0)
  v_mfma_f32_16x16x16_f16 a[0:3], v[4:5], v[6:7], a[0:3]
  v_mul_f32 v8, v8, v8
  v_mul_f32 v9, v9, v9
  s_sub_u32 s8, s8, 1
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 loop
)",
          0, 0, 512};
}

/// A launch in full and from a sample. \p detail: instructions, 0 as usual.
struct BothWays {
  TimingResult full, sample;
  BothWays(const AsmKernel &kernel, unsigned groups,
           std::vector<uint64_t> arguments, uint64_t detail) {
    TimingOptions options;
    options.detailInstructions = detail;
    sample = timeKernel(kernel, groups, 64, arguments, options);
    options.full = true;
    full = timeKernel(kernel, groups, 64, arguments, options);
    EXPECT_TRUE(sample.sampled);
    EXPECT_FALSE(full.sampled);
  }
  void expectCyclesNear() const {
    EXPECT_NEAR(double(sample.cycles), double(full.cycles), 0.03 * full.cycles);
  }
  void expectHbmBytesNear(double tolerance) const {
    EXPECT_NEAR(double(sample.memory.hbmBytes), double(full.memory.hbmBytes),
                tolerance * full.memory.hbmBytes);
  }
};

struct Sample {
  const char *name;
  Order order;
  unsigned mask; ///< of the workgroup's number: further turns
  uint64_t detail;
  unsigned groups;
};
class Sampling : public ::testing::TestWithParam<Sample> {};

TEST_P(Sampling, IsCloseToTheFullRun) {
  if (!hasAssembler())
    GTEST_SKIP() << "no assembler";
  void *data = nullptr;
  ASSERT_EQ(table().hipMalloc(&data, 8 << 20), tlc::hip::hipSuccess);
  BothWays both(unevenKernel(GetParam().order), GetParam().groups,
                {reinterpret_cast<uint64_t>(data), GetParam().mask},
                GetParam().detail);
  const TimingResult &full = both.full, &sample = both.sample;
  EXPECT_LE(sample.sampledWorkgroups * 8, full.workgroups);
  both.expectCyclesNear();
  EXPECT_NEAR(sample.matrixUtilization(), full.matrixUtilization(),
              0.03 * full.matrixUtilization());
  EXPECT_NEAR(double(sample.instructions), double(full.instructions),
              0.01 * full.instructions);
  table().hipFree(data);
}
// As in causal attention, workgroups differ in length, in whatever order the
// grid has them.
INSTANTIATE_TEST_SUITE_P(
    Orders, Sampling,
    ::testing::Values(
        Sample{"alike", Order::Ascending, 0, 170'000, 24'576},
        Sample{"period", Order::Modulo, 31, 200'000, 4096},
        Sample{"by_xcd", Order::Modulo, 7, 410'000, 4096},
        Sample{"ascending", Order::Ascending, 63, 250'000, 8192},
        Sample{"descending", Order::Descending, 63, 250'000, 8192},
        Sample{"scattered", Order::Scattered, 63, 250'000, 8192},
        Sample{"one_long", Order::OneLong, 0x3fff, 830'000, 2048}),
    [](const auto &info) { return info.param.name; });

/// Turns in s8 of a loop over tiles of 2 KB from s[4:5] + s9 on, each waited
/// for.
constexpr const char *tileLoop = R"(
  s_waitcnt lgkmcnt(0)
loop:
  v_add_u32 v2, s9, v1
  global_load_dwordx4 v[4:7], v2, s[4:5]
  global_load_dwordx4 v[8:11], v2, s[4:5] offset:1024
  s_add_u32 s9, s9, 0x800
  s_waitcnt vmcnt(0)
  v_mfma_f32_16x16x16_f16 a[0:3], v[4:5], v[6:7], a[0:3]
  v_mfma_f32_16x16x16_f16 a[0:3], v[8:9], v[10:11], a[0:3]
  s_sub_u32 s8, s8, 1
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 loop
)";

/// One to a compute unit. Sixteen workgroups read the same tiles, wait for
/// each, and have the same number of them or as many more as their XCD's number
/// says.
AsmKernel sharedKernel(bool isUneven) {
  return {"k",
          std::string(R"(
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_lshlrev_b32 v1, 4, v0
  s_lshr_b32 s9, s2, 4
  s_lshl_b32 s9, s9, 18
  s_mov_b32 s8, 32
)") +
              (isUneven ? "s_and_b32 s8, s2, 7\n s_lshl_b32 s8, s8, 3\n"
                          "s_add_u32 s8, s8, 20\n"
                        : "") +
              tileLoop,
          40000, 0, 64};
}

// Of those that want a line one waits for HBM. The others come later by what a
// short run of all XCDs shows, or find it there where their XCD has more to do.
TEST(Launch, SampleOfOneXcdKnowsWhatOthersFetch) {
  if (!hasAssembler())
    GTEST_SKIP() << "no assembler";
  void *data = nullptr;
  constexpr unsigned groups = 1024;
  ASSERT_EQ(table().hipMalloc(&data, size_t(groups / 16) << 18),
            tlc::hip::hipSuccess);
  for (bool isUneven : {false, true}) {
    SCOPED_TRACE(isUneven);
    BothWays both(sharedKernel(isUneven), groups,
                  {reinterpret_cast<uint64_t>(data)}, 125'000);
    both.expectCyclesNear();
    both.expectHbmBytesNear(0.1);
  }
  table().hipFree(data);
}

/// One to a compute unit, eight times over. Those that start first read what
/// their XCD alone wants, or what all want; the later ones the other of both.
AsmKernel laterSharedKernel(bool first) {
  return {"k",
          std::string(R"(
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_lshlrev_b32 v1, 4, v0
  s_lshr_b32 s8, s2, 3
  s_lshl_b32 s9, s2, 16
  s_lshl_b32 s10, s8, 16
  s_cmp_lt_u32 s2, 304
)") + (first ? "s_cselect_b32 s9, s10, s9" : "s_cselect_b32 s9, s9, s10") +
              "\n s_mov_b32 s8, 32" + tileLoop,
          40000, 0, 64};
}

// Which lines XCDs share is judged over the grid, by beginnings of one length:
// those that start first count for no more than the others.
TEST(Launch, SampleOfOneXcdKnowsWhatLaterWorkgroupsShare) {
  if (!hasAssembler())
    GTEST_SKIP() << "no assembler";
  void *data = nullptr;
  constexpr unsigned groups = 8 * 304;
  ASSERT_EQ(table().hipMalloc(&data, size_t(groups) << 16),
            tlc::hip::hipSuccess);
  for (bool first : {false, true}) {
    SCOPED_TRACE(first);
    BothWays(laterSharedKernel(first), groups,
             {reinterpret_cast<uint64_t>(data)}, 300'000)
        .expectHbmBytesNear(0.05);
  }
  table().hipFree(data);
}

/// One to a compute unit, of 96 to 159 tiles, in no order. Those of an XCD read
/// the same.
AsmKernel sameTilesKernel() {
  return {"k", std::string(R"(
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_lshlrev_b32 v1, 4, v0
  s_lshr_b32 s8, s2, 3
  s_mul_i32 s8, s8, 0x9e3779b1
  s_lshr_b32 s8, s8, 26
  s_add_u32 s8, s8, 96
  s_and_b32 s9, s2, 7
  s_mul_i32 s9, s9, 0x50000
)") + tileLoop,
          40000, 0, 64};
}

// The first workgroups bring what the others find in the caches. That must not
// be repeated for those that a sample leaves out.
TEST(Launch, SampleReadsAnArrayOnce) {
  if (!hasAssembler())
    GTEST_SKIP() << "no assembler";
  void *data = nullptr;
  ASSERT_EQ(table().hipMalloc(&data, 8 * 0x50000), tlc::hip::hipSuccess);
  BothWays both(sameTilesKernel(), 8 * 304, {reinterpret_cast<uint64_t>(data)},
                60'000);
  EXPECT_LE(both.sample.sampledWorkgroups * 16, both.full.workgroups);
  both.expectCyclesNear();
  both.expectHbmBytesNear(0.1);
  table().hipFree(data);
}

/// Loads whose lanes lie \p apart bytes from each other, one after the other.
AsmKernel apartKernel(unsigned apart) {
  return {"k",
          fmt::format(R"(
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  s_lshl_b32 s9, s2, 6
  v_add_u32 v1, s9, v0
  s_movk_i32 s8, {}
  v_mul_lo_u32 v2, v1, s8
  s_mov_b32 s8, 24
  s_waitcnt lgkmcnt(0)
loop:
  global_load_dword v4, v2, s[4:5]
  v_add_u32 v2, 32, v2
  s_waitcnt vmcnt(0)
  v_add_f32 v5, v5, v4
  s_sub_u32 s8, s8, 1
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 loop
)",
                      apart),
          0, 0, 64};
}

// A load of 64 lines costs the replay a hundred times as much as an
// instruction, so fewer of them are replayed.
TEST(Launch, IsSampledWhereTheReplayIsDear) {
  if (!hasAssembler())
    GTEST_SKIP() << "no assembler";
  void *data = nullptr;
  constexpr unsigned groups = 9728;
  ASSERT_EQ(table().hipMalloc(&data, size_t(groups) * 64 * 128 + 1024),
            tlc::hip::hipSuccess);
  std::vector<uint64_t> arguments = {reinterpret_cast<uint64_t>(data)};
  TimingResult near =
      timeKernel(apartKernel(4), groups, 64, arguments, TimingOptions());
  EXPECT_FALSE(near.sampled);
  BothWays both(apartKernel(128), groups, arguments, 0);
  EXPECT_EQ(both.sample.instructions, near.instructions);
  both.expectCyclesNear();
  both.expectHbmBytesNear(0.05);
  table().hipFree(data);
}

// Loads that mostly hit L1 cost the replay six times the run as well. So few
// lines come from memory that it does not matter who brings those at the
// borders.
TEST(Launch, ReadsInL1AreDearToo) {
  if (!hasAssembler())
    GTEST_SKIP() << "no assembler";
  void *data = nullptr;
  constexpr unsigned groups = 9728;
  ASSERT_EQ(table().hipMalloc(&data, size_t(groups) * 256 + 4096),
            tlc::hip::hipSuccess);
  AsmKernel kernel = apartKernel(4);
  auto replace = [&](const std::string &from, const std::string &to) {
    kernel.body.replace(kernel.body.find(from), from.size(), to);
  };
  replace("v_add_u32 v2, 32, v2", "v_add_u32 v2, 4, v2");
  replace("s_mov_b32 s8, 24", "s_movk_i32 s8, 160");
  BothWays both(kernel, groups, {reinterpret_cast<uint64_t>(data)}, 0);
  EXPECT_EQ(both.sample.sampling.find("running the others along"),
            std::string::npos)
      << both.sample.sampling;
  both.expectCyclesNear();
  table().hipFree(data);
}

/// Lanes 64 bytes apart go over 32 KB in steps of a kilobyte; the next
/// workgroup, on the next XCD, begins 16 KB further on.
constexpr const char *overlappingLoop = R"(
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  s_lshl_b32 s9, s2, 14
  v_lshlrev_b32 v2, 6, v0
  v_add_u32 v2, s9, v2
  s_mov_b32 s8, 32
  s_waitcnt lgkmcnt(0)
loop:
  global_load_dword v4, v2, s[4:5]
  v_add_u32 v2, 0x400, v2
  s_waitcnt vmcnt(0)
  v_add_f32 v5, v5, v4
  s_sub_u32 s8, s8, 1
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 loop
)";

// Of a workgroup's lines those behind its own 16 KB have been brought by its
// neighbours, a fixed time before. How many they are does not say which.
TEST(Launch, SampleFollowsTheOthersWhereNeighboursMeet) {
  if (!hasAssembler())
    GTEST_SKIP() << "no assembler";
  void *data = nullptr;
  constexpr unsigned groups = 3000;
  ASSERT_EQ(table().hipMalloc(&data, (size_t(groups) << 14) + (1 << 16)),
            tlc::hip::hipSuccess);
  std::vector<uint64_t> arguments = {reinterpret_cast<uint64_t>(data)};
  AsmKernel kernel{"k", overlappingLoop, 0, 0, 64};
  TimingOptions options;
  TimingResult sample = timeKernel(kernel, groups, 256, arguments, options);
  options.full = true;
  TimingResult full = timeKernel(kernel, groups, 256, arguments, options);
  EXPECT_TRUE(sample.sampled);
  EXPECT_NE(sample.sampling.find("running the others along"), std::string::npos)
      << sample.sampling;
  EXPECT_NEAR(double(sample.cycles), double(full.cycles), 0.015 * full.cycles);
  EXPECT_NEAR(double(sample.memory.hbmBytes), double(full.memory.hbmBytes),
              0.02 * full.memory.hbmBytes);
  table().hipFree(data);
}

/// Loads of 64 lines from 2 MB, in no order, each waited for.
constexpr const char *anyOrderLoop = R"(
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  s_lshl_b32 s9, s2, 6
  v_add_u32 v1, s9, v0
  s_mov_b32 s10, 0x9e3779b1
  v_mul_lo_u32 v2, v1, s10
  s_movk_i32 s8, 24
  s_waitcnt lgkmcnt(0)
loop:
  v_lshrrev_b32 v3, 11, v2
  v_and_b32 v3, 0x1ffffc, v3
  global_load_dword v4, v3, s[4:5]
  v_mul_lo_u32 v2, v2, s10
  v_add_u32 v2, 0x3039, v2
  s_waitcnt vmcnt(0)
  v_add_f32 v5, v5, v4
  s_sub_u32 s8, s8, 1
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 loop
)";

// All XCDs want all of it, as a part of the workgroups shows.
TEST(Launch, SampleOfLoadsInAnyOrderKnowsThatAllWantThem) {
  if (!hasAssembler())
    GTEST_SKIP() << "no assembler";
  void *data = nullptr;
  ASSERT_EQ(table().hipMalloc(&data, 2 << 20), tlc::hip::hipSuccess);
  BothWays both({"k", anyOrderLoop, 0, 0, 64}, 9728,
                {reinterpret_cast<uint64_t>(data)}, 0);
  EXPECT_TRUE(both.sample.sampled);
  both.expectCyclesNear();
  both.expectHbmBytesNear(0.05);
  table().hipFree(data);
}

// Fewer workgroups than compute units, on an eighth of them.
TEST(Launch, SmallGridsAreSampledWhereTheReplayIsDear) {
  if (!hasAssembler())
    GTEST_SKIP() << "no assembler";
  void *data = nullptr;
  ASSERT_EQ(table().hipMalloc(&data, 2 << 20), tlc::hip::hipSuccess);
  std::vector<uint64_t> arguments = {reinterpret_cast<uint64_t>(data)};
  std::string body = anyOrderLoop;
  std::string trips = "s_movk_i32 s8, 24";
  body.replace(body.find(trips), trips.size(), "s_movk_i32 s8, 500");
  BothWays both(AsmKernel{"k", body, 0, 0, 64}, 150, arguments, 0);
  both.expectCyclesNear();
  table().hipFree(data);
}

// How long a launch is does not follow from its first workgroup.
TEST(Launch, IsSampledThoughItsFirstWorkgroupIsShort) {
  if (!hasAssembler())
    GTEST_SKIP() << "no assembler";
  void *data = nullptr;
  ASSERT_EQ(table().hipMalloc(&data, 8 << 20), tlc::hip::hipSuccess);
  TimingOptions options;
  options.detailInstructions = 700'000;
  TimingResult sample =
      timeKernel(unevenKernel(Order::Ascending), 4096, 64,
                 {reinterpret_cast<uint64_t>(data), 63}, options);
  EXPECT_TRUE(sample.sampled) << sample.instructions;
  table().hipFree(data);
}

// Workgroup i goes to XCD i mod 8: here one XCD has more to do than the others,
// which a sample of it would not show.
TEST(Launch, XcdsWithDifferentWorkRunInFullIfTheyCan) {
  if (!hasAssembler())
    GTEST_SKIP() << "no assembler";
  void *data = nullptr;
  ASSERT_EQ(table().hipMalloc(&data, 8 << 20), tlc::hip::hipSuccess);
  auto run = [&](uint64_t detail) {
    TimingOptions options;
    options.detailInstructions = detail;
    return timeKernel(unevenKernel(Order::Modulo), 1024, 64,
                      {reinterpret_cast<uint64_t>(data), 7}, options);
  };
  EXPECT_FALSE(run(250'000).sampled);
  TimingResult sample = run(100'000);
  EXPECT_TRUE(sample.sampled);
  EXPECT_NE(sample.sampling.find("different work"), std::string::npos)
      << sample.sampling;
  table().hipFree(data);
}

TEST(Launch, ValuesAndTimesDoNotDependOnTheHost) {
  if (!hasAssembler())
    GTEST_SKIP() << "no assembler";
  AsmKernel kernel{"k", R"(
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_lshl_b32 s8, s2, 8
  v_add_u32 v1, s8, v0
  v_lshlrev_b32 v2, 2, v1
  s_waitcnt lgkmcnt(0)
  global_load_dword v3, v2, s[4:5]
  v_lshlrev_b32 v4, 2, v0
  s_waitcnt vmcnt(0)
  ds_write_b32 v4, v3
  s_waitcnt lgkmcnt(0)
  s_barrier
  v_xor_b32 v4, 0xff, v0
  v_lshlrev_b32 v4, 2, v4
  ds_read_b32 v5, v4
  s_waitcnt lgkmcnt(0)
  v_add_u32 v5, v5, v3
  global_store_dword v2, v5, s[6:7]
)",
                   1024, 0, 64};
  std::vector<uint32_t> values(256 * 600);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = uint32_t(i * 2654435761u);
  std::vector<uint8_t> image = assemble({kernel});
  Kernel loaded(image, "k");
  auto run = [&](bool timed, unsigned threads) {
    Buffer in = Buffer::of(values),
           out = Buffer::of(std::vector<uint32_t>(values.size()));
    simulatorOptions().threads = threads;
    if (timed)
      simulatorOptions().timing.emplace();
    EXPECT_EQ(loaded({600}, {256}, 0, in.pointer, out.pointer, in.pointer,
                     in.pointer, in.pointer),
              tlc::hip::hipSuccess);
    simulatorOptions().timing.reset();
    simulatorOptions().threads = 0;
    uint64_t cycles = lastLaunch().timing ? lastLaunch().timing->cycles : 0;
    return std::pair(out.values<uint32_t>(), cycles);
  };
  auto [plain, none] = run(false, 1);
  auto [one, cyclesOne] = run(true, 1);
  auto [three, cyclesThree] = run(true, 3);
  EXPECT_EQ(none, 0u);
  EXPECT_EQ(plain, one);
  EXPECT_EQ(plain, three);
  EXPECT_GT(cyclesOne, 0u);
  EXPECT_EQ(cyclesOne, cyclesThree);
}

TEST(Launch, Occupancy) {
  if (!hasAssembler())
    GTEST_SKIP() << "no assembler";
  auto of = [](unsigned vgprs, unsigned lds, unsigned items) {
    return timeKernel({"k", "s_nop 0", lds, 0, vgprs}, 1, items).occupancy;
  };
  Occupancy free = of(32, 0, 256);
  EXPECT_EQ(free.wavesPerSimd, 8u);
  EXPECT_EQ(free.limit, OccupancyLimit::WaveSlots);
  Occupancy registers = of(168, 0, 256);
  EXPECT_EQ(registers.wavesPerSimd, 3u);
  EXPECT_EQ(registers.limit, OccupancyLimit::Vgprs);
  Occupancy memory = of(64, 32768, 256);
  EXPECT_EQ(memory.groupsPerCu, 2u);
  EXPECT_EQ(memory.limit, OccupancyLimit::Lds);
}

} // namespace
