//===- ControlTests.cpp - Fork and join, semaphores of the grid -----------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What no compiler emits and hand-written code may: the stack of forks, and
// semaphores that let all go who wait.
//
//===----------------------------------------------------------------------===//

#include "Assembler.h"

#include <numeric>

using namespace tlc;
using namespace tlc::test;

namespace {

class Control : public ::testing::Test {
protected:
  void SetUp() override {
    if (!hasAssembler())
      GTEST_SKIP() << "no clang to assemble with";
  }
};

/// Forks within a fork; both ways are taken by the lanes that should, whichever
/// are the fewer.
TEST_F(Control, ForkAndJoin) {
  std::vector<uint32_t> input(64);
  std::iota(input.begin(), input.end(), 0);
  for (uint32_t limit : {10u, 50u, 0u, 64u}) {
    std::string code = R"(
  v_mov_b32 v4, 0
  v_mov_b32 v5, 0
  s_mov_b64 s[44:45], exec
  s_movk_i32 s42, 5 ; the first registers are in use
  s_setreg_b32 hwreg(HW_REG_MODE, 29, 3), s42
  v_cmp_gt_u32 s[40:41], )" +
                       std::to_string(limit) + R"(, v1
  v_and_b32 v7, 1, v1
  v_cmp_eq_u32 s[46:47], 1, v7
  s_cbranch_i_fork s[40:41], .Lbelow
  v_mov_b32 v4, 2
  s_branch .Ljoin
.Lbelow:
  v_mov_b32 v4, 1
  s_getreg_b32 s48, hwreg(HW_REG_MODE, 29, 3)
  s_mov_b64 s[50:51], exec
  s_getpc_b64 s[52:53]
.Lhere:
  s_add_u32 s52, s52, .Lodd-.Lhere
  s_addc_u32 s53, s53, 0
  s_cbranch_g_fork s[46:47], s[52:53]
  v_add_u32 v5, 10, v5
  s_branch .Linner
.Lodd:
  v_add_u32 v5, 20, v5
.Linner:
  s_cbranch_join s48
  s_mov_b64 exec, s[50:51]
  v_add_u32 v5, 1, v5
.Ljoin:
  s_cbranch_join s42
  s_mov_b64 exec, s[44:45]
)";
    TwoResults results = mapInstruction(code, input);
    for (uint32_t i = 0; i < 64; ++i) {
      EXPECT_EQ(results.low[i], i < limit ? 1u : 2u) << i << " of " << limit;
      EXPECT_EQ(results.high[i], i < limit ? (i & 1 ? 21u : 11u) : 0u)
          << i << " of " << limit;
    }
  }
}

/// The stack of forks neither wraps around nor runs below its bottom.
TEST_F(Control, ForkStackOverflows) {
  for (const char *code : {R"(
  s_mov_b32 s42, 7
  s_setreg_b32 hwreg(HW_REG_MODE, 29, 3), s42
  s_mov_b64 s[40:41], 0xff
  s_cbranch_i_fork s[40:41], .Lbelow
.Lbelow:
)",
                           R"(
  s_mov_b32 s42, 3
  s_cbranch_join s42
)"}) {
    Kernel kernel(assemble({{"k", code, 0, 0}}), "k");
    void *null = nullptr;
    EXPECT_NE(kernel({1}, {64}, 0, null, null, null, null, null),
              hip::hipSuccess);
    ASSERT_FALSE(sim::lastLaunch().findings.empty());
    EXPECT_EQ(sim::lastLaunch().findings.front().kind, "fork-stack");
  }
}

/// Infinities of B count where the index of a sparse product names them, and
/// only there.
TEST_F(Control, SparseInfinities) {
  TwoResults results = mapInstruction(R"(
  v_mov_b32 v8, 0x3c003c00
  v_mov_b32 v9, 0x3c003c00
  v_mov_b32 v10, 0x3c003c00
  v_mov_b32 v11, 0x7c007c00
  v_mov_b32 v12, 0x3c003c00
  v_mov_b32 v13, 0x7c007c00
  v_mov_b32 v14, 0x44 ; the first two of four
  v_mov_b32 v15, 0xee ; the last two
  v_mov_b32 v16, 0
  v_mov_b32 v17, 0
  v_mov_b32 v18, 0
  v_mov_b32 v19, 0
  v_mov_b32 v20, 0
  v_mov_b32 v21, 0
  v_mov_b32 v22, 0
  v_mov_b32 v23, 0
  s_nop 4
  v_smfmac_f32_16x16x32_f16 v[16:19], v[8:9], v[10:13], v14
  v_smfmac_f32_16x16x32_f16 v[20:23], v[8:9], v[10:13], v15
  s_nop 15
  v_mov_b32 v4, v16
  v_mov_b32 v5, v21
)",
                                      std::vector<uint32_t>(64));
  for (unsigned i = 0; i < 64; ++i) {
    EXPECT_EQ(results.low[i], 0x41800000u) << i; // 16: of 32 k every other
    EXPECT_EQ(results.high[i], 0x7f800000u) << i;
  }
}

/// Three workgroups wait; a fourth, which knows that they do, lets them go.
TEST_F(Control, SemaphoreReleasesAll) {
  std::vector<uint8_t> image = assemble({{"k", R"(
  s_load_dwordx4 s[8:11], s[0:1], 0x0
  s_mov_b32 m0, 0
  v_mov_b32 v1, 0
  v_mov_b32 v2, 1
  s_lshl_b32 s3, s2, 2
  v_mov_b32 v3, s3
  s_waitcnt lgkmcnt(0)
  s_mov_b64 exec, 1
  s_cmp_eq_u32 s2, 3
  s_cbranch_scc1 .Lrelease
  global_atomic_add v4, v1, v2, s[8:9] sc0
  s_waitcnt vmcnt(0)
  ds_gws_sema_p gds
  s_waitcnt lgkmcnt(0)
  global_store_dword v3, v2, s[10:11]
  s_endpgm
.Lrelease:
  s_sleep 1
  global_load_dword v4, v1, s[8:9] sc1
  s_waitcnt vmcnt(0)
  v_readfirstlane_b32 s4, v4
  s_cmp_lt_u32 s4, 3
  s_cbranch_scc1 .Lrelease
  s_movk_i32 s5, 20
.Lwait:
  s_sleep 1
  global_load_dword v4, v1, s[8:9] sc1
  s_waitcnt vmcnt(0)
  s_sub_u32 s5, s5, 1
  s_cmp_lg_u32 s5, 0
  s_cbranch_scc1 .Lwait
  ds_gws_sema_release_all gds
  s_waitcnt lgkmcnt(0)
)",
                                          0, 0}});
  Kernel kernel(image, "k");
  for (uint64_t seed : {0, 1, 2}) {
    sim::simulatorOptions().scheduleSeed = seed;
    Buffer count = Buffer::of(std::vector<uint32_t>(4));
    Buffer out = Buffer::of(std::vector<uint32_t>(4));
    EXPECT_EQ(kernel({4}, {64}, 0, count.pointer, out.pointer, out.pointer,
                     out.pointer, out.pointer),
              hip::hipSuccess)
        << sim::lastLaunch().report;
    EXPECT_EQ(out.values<uint32_t>(), (std::vector<uint32_t>{1, 1, 1, 0}));
  }
  sim::simulatorOptions().scheduleSeed = 0;
}

/// A semaphore that is set, raised by one and by many, and lowered as often.
TEST_F(Control, Semaphores) {
  std::string code = R"(
  s_mov_b32 m0, 0
  v_mov_b32 v10, 0
  ds_gws_init v10 offset:3 gds
  ds_gws_sema_v offset:3 gds
  s_waitcnt lgkmcnt(0)
  ds_gws_sema_p offset:3 gds
  v_mov_b32 v10, 3
  ds_gws_sema_br v10 offset:3 gds
  s_waitcnt lgkmcnt(0)
  ds_gws_sema_p offset:3 gds
  ds_gws_sema_p offset:3 gds
  ds_gws_sema_p offset:3 gds
  s_waitcnt lgkmcnt(0)
  v_add_u32 v4, 1, v1
)";
  TwoResults results = mapInstruction(code, {41});
  ASSERT_EQ(results.low.size(), 1u);
  EXPECT_EQ(results.low[0], 42u);
}

} // namespace
