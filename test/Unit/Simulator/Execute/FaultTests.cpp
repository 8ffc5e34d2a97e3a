//===- FaultTests.cpp - What ends a launch, and how it is told ------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Assembler.h"

using namespace tlc;
using namespace tlc::test;

namespace {

class Faults : public ::testing::Test {
protected:
  void SetUp() override {
    if (!hasAssembler())
      GTEST_SKIP() << "no clang to assemble with";
  }
  void TearDown() override { sim::simulatorOptions().instructionLimit = 0; }

  /// Runs `body` with a buffer of 1000 bytes in s[8:9].
  hip::hipError_t run(const std::string &body, unsigned lds = 0,
                      unsigned scratch = 0) {
    std::vector<uint8_t> image =
        assemble({{"k",
                   "  s_load_dwordx2 s[8:9], s[0:1], 0x0\n"
                   "  s_waitcnt lgkmcnt(0)\n" +
                       body,
                   lds, scratch}});
    Buffer buffer(std::vector<uint8_t>(1000));
    Kernel kernel(image, "k");
    return kernel({1}, {64}, 0, buffer.pointer, buffer.pointer, buffer.pointer,
                  buffer.pointer, buffer.pointer);
  }
  std::string report() { return sim::lastLaunch().report; }
  void expectReport(std::initializer_list<const char *> parts) {
    for (const char *part : parts)
      EXPECT_NE(report().find(part), std::string::npos) << part << " in\n"
                                                        << report();
  }
};

TEST_F(Faults, LoadPastTheEnd) {
  EXPECT_EQ(run("v_lshlrev_b32 v1, 4, v0\n"
                "global_load_dwordx4 v[4:7], v1, s[8:9]"),
            hip::hipErrorIllegalAddress);
  expectReport({"global-out-of-bounds", "load of 16 bytes", "lane 62",
                "global_load_dwordx4 v[4:7], v1, s[8:9]", "kernel 'k'"});
}
TEST_F(Faults, StoreBefore) {
  EXPECT_EQ(run("v_mov_b32 v1, 0\n"
                "global_store_dword v1, v0, s[8:9] offset:-4"),
            hip::hipErrorIllegalAddress);
  expectReport(
      {"global-out-of-bounds", "store of 4 bytes", "4 bytes before", "lane 0"});
}
TEST_F(Faults, UseAfterFree) {
  std::vector<uint8_t> image =
      assemble({{"k",
                 "  s_load_dwordx2 s[8:9], s[0:1], 0x0\n"
                 "  s_waitcnt lgkmcnt(0)\n  v_mov_b32 v1, 16\n"
                 "  global_load_dword v2, v1, s[8:9]\n",
                 0, 0}});
  void *freed;
  ASSERT_EQ(table().hipMalloc(&freed, 4096), hip::hipSuccess);
  ASSERT_EQ(table().hipFree(freed), hip::hipSuccess);
  Kernel kernel(image, "k");
  EXPECT_EQ(kernel({1}, {64}, 0, freed, freed, freed, freed, freed),
            hip::hipErrorIllegalAddress);
  expectReport({"global-use-after-free", "16 bytes into the freed"});
}
TEST_F(Faults, NullPointer) {
  EXPECT_EQ(run("v_mov_b32 v2, 0\nv_mov_b32 v3, 0\n"
                "flat_load_dword v4, v[2:3]"),
            hip::hipErrorIllegalAddress);
  expectReport({"global-wild-address", "0x0"});
}
TEST_F(Faults, InactiveLanesMayPointAnywhere) {
  EXPECT_EQ(run("v_lshlrev_b32 v1, 4, v0\ns_mov_b64 exec, 0xffff\n"
                "global_load_dwordx4 v[4:7], v1, s[8:9]"),
            hip::hipSuccess)
      << report();
}
TEST_F(Faults, LdsBounds) {
  EXPECT_EQ(run("v_lshlrev_b32 v1, 3, v0\nds_write_b64 v1, v[2:3]", 512),
            hip::hipSuccess)
      << report();
  EXPECT_EQ(run("v_lshlrev_b32 v1, 3, v0\nds_write_b64 v1, v[2:3]", 256),
            hip::hipErrorLaunchFailure);
  expectReport({"lds-out-of-bounds", "lane 32", "256 bytes of LDS"});
}
TEST_F(Faults, ScratchBounds) {
  EXPECT_EQ(run("scratch_store_dword off, v0, off offset:60", 0, 64),
            hip::hipSuccess)
      << report();
  EXPECT_EQ(run("scratch_store_dword off, v0, off offset:64", 0, 64),
            hip::hipErrorLaunchFailure);
  expectReport({"scratch-out-of-bounds"});
}
TEST_F(Faults, UnknownInstruction) {
  EXPECT_EQ(run(".long 0xdf000000\n.long 0xffffffff"),
            hip::hipErrorLaunchFailure);
  expectReport({"unknown-instruction", "df000000", "in the object"});
}
TEST_F(Faults, Trap) {
  EXPECT_EQ(run("s_trap 2"), hip::hipErrorLaunchFailure);
  expectReport({"trap", "s_trap 2"});
}
TEST_F(Faults, InfiniteLoop) {
  sim::simulatorOptions().instructionLimit = 100000;
  EXPECT_EQ(run("loop:\n s_branch loop"), hip::hipErrorLaunchTimeOut);
  expectReport({"instruction-limit", "100000"});
}
TEST_F(Faults, JumpOutOfTheCode) {
  EXPECT_EQ(run("s_mov_b64 s[10:11], 0x1000\ns_setpc_b64 s[10:11]"),
            hip::hipErrorLaunchFailure);
  expectReport({"jump-out-of-code", "0x1000"});
}

/// Raw buffers: what lies beyond the end reads 0, dword by dword, and is not
/// written; the scalar offset takes no part in the check.
TEST_F(Faults, BufferRange) {
  std::vector<uint8_t> image = assemble({{"k", R"(
  s_load_dwordx4 s[8:11], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  s_mov_b64 s[4:5], s[8:9]
  s_mov_b32 s6, 104
  s_mov_b32 s7, 0x27000
  v_lshlrev_b32 v1, 3, v0
  v_mov_b32 v8, 7
  v_mov_b32 v9, 7
  s_mov_b32 s12, 16
  s_mov_b64 exec, 0xffff
  buffer_load_dwordx2 v[8:9], v1, s[4:7], 0 offen offset:4
  buffer_load_dword v10, v1, s[4:7], s12 offen
  s_waitcnt vmcnt(0)
  v_mul_u32_u24 v2, 12, v0
  global_store_dwordx3 v2, v[8:10], s[10:11]
  v_mov_b32 v8, -1
  v_mov_b32 v9, -2
  buffer_store_dwordx2 v[8:9], v1, s[4:7], 0 offen offset:4
)",
                                          0, 0}});
  std::vector<uint32_t> words(64);
  for (size_t i = 0; i < words.size(); ++i)
    words[i] = uint32_t(1000 + i);
  Buffer in = Buffer::of(words), out = Buffer::of(std::vector<uint32_t>(64));
  Kernel kernel(image, "k");
  ASSERT_EQ(kernel({1}, {64}, 0, in.pointer, out.pointer, in.pointer,
                   in.pointer, in.pointer),
            hip::hipSuccess)
      << report();
  auto got = out.values<uint32_t>();
  auto after = in.values<uint32_t>();
  for (uint32_t l = 0; l < 16; ++l) {
    auto at = [&](uint32_t byte) { // of the range checked
      return byte + 4 <= 104 ? 1000 + byte / 4 : 0;
    };
    EXPECT_EQ(got[3 * l], at(l * 8 + 4)) << l;
    EXPECT_EQ(got[3 * l + 1], at(l * 8 + 8)) << l;
    EXPECT_EQ(got[3 * l + 2], l * 8 + 4 <= 104 ? 1000 + (l * 8 + 16) / 4 : 0)
        << l;
  }
  for (uint32_t i = 0; i < 64; ++i) {
    uint32_t expected = 1000 + i;
    if (i >= 1 && i < 26)
      expected = i % 2 ? ~0u : ~1u;
    EXPECT_EQ(after[i], expected) << i;
  }
}

/// With a stride but no index register the records count bytes: hand-written
/// kernels rely on it. With an index they count records.
TEST_F(Faults, BufferRangeWithStride) {
  std::vector<uint8_t> image = assemble({{"k", R"(
  s_load_dwordx4 s[8:11], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  s_mov_b64 s[4:5], s[8:9]
  s_or_b32 s5, s5, 0x40000
  s_mov_b32 s6, 40
  s_mov_b32 s7, 0x20000
  v_lshlrev_b32 v1, 2, v0
  buffer_load_dword v8, v1, s[4:7], 0 offen
  buffer_load_dword v9, v0, s[4:7], 0 idxen
  v_lshlrev_b32 v2, 3, v0
  s_waitcnt vmcnt(0)
  global_store_dwordx2 v2, v[8:9], s[10:11]
)",
                                          0, 0}});
  std::vector<uint32_t> words(64);
  for (size_t i = 0; i < words.size(); ++i)
    words[i] = uint32_t(1000 + i);
  Buffer in = Buffer::of(words), out = Buffer::of(std::vector<uint32_t>(128));
  Kernel kernel(image, "k");
  ASSERT_EQ(kernel({1}, {64}, 0, in.pointer, out.pointer, in.pointer,
                   in.pointer, in.pointer),
            hip::hipSuccess)
      << report();
  auto got = out.values<uint32_t>();
  for (uint32_t l = 0; l < 64; ++l) {
    EXPECT_EQ(got[2 * l], l < 10 ? 1000 + l : 0) << l;
    EXPECT_EQ(got[2 * l + 1], l < 40 ? 1000 + l : 0) << l;
  }
}

/// Barriers of the grid: all go on together, or the launch ends.
TEST_F(Faults, GridBarrier) {
  std::string arrive = "s_mov_b32 m0, 0\nv_mov_b32 v2, 3\n"
                       "ds_gws_barrier v2 gds\n";
  std::vector<uint8_t> image = assemble(
      {{"all", arrive + arrive, 0, 0},
       {"some", "s_cmp_eq_u32 s2, 1\ns_cbranch_scc1 1f\n" + arrive + "1:\n", 0,
        0}});
  Buffer buffer(std::vector<uint8_t>(64));
  auto run = [&](const char *name) {
    Kernel kernel(image, name);
    return kernel({4}, {64}, 0, buffer.pointer, buffer.pointer, buffer.pointer,
                  buffer.pointer, buffer.pointer);
  };
  EXPECT_EQ(run("all"), hip::hipSuccess) << report();
  EXPECT_EQ(run("some"), hip::hipErrorLaunchFailure);
  expectReport({"deadlock", "ds_gws_barrier"});
}

/// Float atomics from many workgroups: the sum depends on the order, and the
/// order on the seed alone, not on the number of host threads.
TEST_F(Faults, AtomicOrderIgnoresThreads) {
  std::vector<uint8_t> image = assemble({{"k", R"(
  s_load_dwordx4 s[8:11], s[0:1], 0x0
  s_lshl_b32 s3, s2, 6
  v_add_u32 v0, s3, v0
  v_lshlrev_b32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  global_load_dword v2, v1, s[8:9]
  v_mov_b32 v3, 0
  s_waitcnt vmcnt(0)
  global_atomic_add_f32 v3, v2, s[10:11]
  v_mul_f32 v2, 0x3f8ccccd, v2
  global_atomic_add_f32 v3, v2, s[10:11] offset:4
)",
                                          0, 0}});
  auto values = normal(64 * 100, 3);
  Buffer in = Buffer::of(values);
  Kernel kernel(image, "k");
  auto sum = [&](unsigned threads, uint64_t seed) {
    sim::simulatorOptions().threads = threads;
    sim::simulatorOptions().scheduleSeed = seed;
    Buffer out = Buffer::of(std::vector<float>(2));
    EXPECT_EQ(kernel({100}, {64}, 0, in.pointer, out.pointer, in.pointer,
                     in.pointer, in.pointer),
              hip::hipSuccess)
        << report();
    sim::simulatorOptions().threads = 0;
    sim::simulatorOptions().scheduleSeed = 0;
    return out.values<uint32_t>();
  };
  auto one = sum(1, 0);
  for (unsigned threads : {2u, 3u, 8u})
    EXPECT_EQ(sum(threads, 0), one);
  EXPECT_EQ(sum(1, 5), sum(4, 5));
}

} // namespace
