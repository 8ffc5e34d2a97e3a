//===- DataFaults.cpp - Undefined values ------------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlantedFault.h"

using namespace tlc::test;

const std::vector<PlantedFault> &tlc::test::undefinedFaults() {
  static const std::vector<PlantedFault> cases = {
      {"stored", "undefined-value", "global_store_dword",
       R"(
  v_lshlrev_b32 v1, 2, v0
  v_add_u32 v3, v2, v0
  global_store_dword v1, v3, s[2:3])",
       // Undefined, but in the half that is cut off.
       R"(
  v_lshlrev_b32 v1, 2, v0
  v_and_b32 v3, 0, v2
  global_store_dword v1, v3, s[2:3])"},
      {"pair", "undefined-value", "global_store_dword",
       R"(
  v_lshlrev_b32 v1, 2, v0
  v_lshrrev_b64 v[4:5], 24, v[0:1]
  v_mov_b32 v6, v0
  v_lshrrev_b64 v[8:9], 24, v[6:7]
  v_add_u16_sdwa v8, v8, v4 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD
  global_store_dword v1, v8, s[2:3])",
       // The byte that comes from the pair's defined half.
       R"(
  v_lshlrev_b32 v1, 2, v0
  v_lshrrev_b64 v[4:5], 24, v[0:1]
  v_mov_b32 v6, v0
  v_lshrrev_b64 v[8:9], 24, v[6:7]
  v_add_u16_sdwa v8, v8, v4 dst_sel:BYTE_1 dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD
  global_store_dword v1, v8, s[2:3])"},
      {"address", "undefined-value", "global_load_dword",
       R"(
  global_load_dword v3, v2, s[2:3])",
       R"(
  v_lshlrev_b32 v2, 2, v0
  global_load_dword v3, v2, s[2:3])"},
      {"branch", "undefined-value", "s_cbranch_scc1",
       R"(
  s_cmp_eq_u32 s20, 0
  s_cbranch_scc1 .Lbranch_f
.Lbranch_f:)",
       R"(
  s_cmp_eq_u32 s4, 0
  s_cbranch_scc1 .Lbranch_r
.Lbranch_r:)"},
      {"exec", "undefined-value", "s_and_saveexec_b64",
       R"(
  v_cmp_eq_u32 vcc, v5, v0
  s_nop 4
  s_and_saveexec_b64 s[6:7], vcc)",
       // Lanes with undefined comparisons are masked off first.
       R"(
  v_cmp_eq_u32 vcc, v5, v0
  s_and_b64 vcc, vcc, 0
  s_nop 4
  s_and_saveexec_b64 s[6:7], vcc)"},
      {"selected", "undefined-value", "global_store_dword",
       R"(
  v_lshlrev_b32 v1, 2, v0
  v_cmp_gt_u32 vcc, 63, v0
  s_nop 1
  v_cndmask_b32 v3, v9, v0, vcc
  global_store_dword v1, v3, s[2:3])",
       R"(
  v_lshlrev_b32 v1, 2, v0
  v_cmp_gt_u32 vcc, 64, v0
  s_nop 1
  v_cndmask_b32 v3, v9, v0, vcc
  global_store_dword v1, v3, s[2:3])"},
      {"through_lds", "undefined-value", "global_store_dword",
       R"(
  v_lshlrev_b32 v1, 2, v0
  ds_read_b32 v3, v1 offset:1024
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v3, s[2:3])",
       R"(
  v_lshlrev_b32 v1, 2, v0
  ds_write_b32 v1, v0 offset:1024
  ds_read_b32 v3, v1 offset:1024
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v3, s[2:3])"},
      // LDS may hold what is undefined, also from a second operand.
      {"through_lds_second", "undefined-value", "global_store_dword",
       R"(
  v_lshlrev_b32 v1, 2, v0
  ds_write2_b32 v1, v0, v2 offset1:64
  ds_read_b32 v3, v1 offset:256
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v3, s[2:3])",
       R"(
  v_lshlrev_b32 v1, 2, v0
  ds_write2_b32 v1, v0, v2 offset1:64
  ds_read_b32 v3, v1
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v3, s[2:3])"},
      // The buffer's first 4 KiB were written, what follows was not.
      {"through_global", "undefined-value", "global_store_dword",
       R"(
  v_lshlrev_b32 v1, 2, v0
  v_add_u32 v2, 0x1000, v1
  global_load_dword v3, v2, s[2:3]
  s_waitcnt vmcnt(0)
  global_store_dword v1, v3, s[2:3])",
       R"(
  v_lshlrev_b32 v1, 2, v0
  global_load_dword v3, v1, s[2:3] offset:2048
  s_waitcnt vmcnt(0)
  global_store_dword v1, v3, s[2:3])"},
      // Rows of 32 words with padding of as many: the fixture poisons it.
      {"padding", "undefined-value", "global_store_dword",
       R"(
  v_lshlrev_b32 v1, 2, v0
  global_load_dword v2, v1, s[2:3] offset:2048
  s_waitcnt vmcnt(0)
  v_add_u32 v3, v2, v0
  global_store_dword v1, v3, s[2:3])",
       // The same load, but what lies in the padding is replaced.
       R"(
  v_lshlrev_b32 v1, 2, v0
  global_load_dword v2, v1, s[2:3] offset:2048
  v_cmp_gt_u32 vcc, 32, v0
  s_waitcnt vmcnt(0)
  v_cndmask_b32 v2, 0, v2, vcc
  v_add_u32 v3, v2, v0
  global_store_dword v1, v3, s[2:3])"},
      // Never written memory, loaded by the scalar unit.
      {"scalar_branch", "undefined-value", "s_cbranch_scc1",
       R"(
  s_load_dword s6, s[2:3], 0x1010
  s_waitcnt lgkmcnt(0)
  s_cmp_eq_u32 s6, 0
  s_cbranch_scc1 .Lscalar_f
.Lscalar_f:)",
       R"(
  s_load_dword s6, s[2:3], 0x10
  s_waitcnt lgkmcnt(0)
  s_cmp_eq_u32 s6, 0
  s_cbranch_scc1 .Lscalar_r
.Lscalar_r:)"},
      {"scalar_address", "undefined-value", "global_load_dword",
       R"(
  v_lshlrev_b32 v1, 2, v0
  s_load_dwordx4 s[8:11], s[2:3], 0xff8
  s_waitcnt lgkmcnt(0)
  s_and_b32 s10, s10, 0xfc
  v_add_u32 v1, s10, v1
  global_load_dword v3, v1, s[2:3])",
       // The same words, but not those at the end.
       R"(
  v_lshlrev_b32 v1, 2, v0
  s_load_dwordx4 s[8:11], s[2:3], 0xff8
  s_waitcnt lgkmcnt(0)
  s_and_b32 s9, s9, 0xfc
  v_add_u32 v1, s9, v1
  global_load_dword v3, v1, s[2:3])"},
      {"through_matrix", "undefined-value", "global_store_dword",
       R"(
  v_lshlrev_b32 v1, 2, v0
  v_mov_b32 v8, 0
  v_mov_b32 v10, 0
  v_mov_b32 v11, 0
  s_nop 1
  v_mfma_f32_16x16x16_f16 v[4:7], v[8:9], v[10:11], 0
  s_nop 8
  global_store_dword v1, v4, s[2:3])",
       R"(
  v_lshlrev_b32 v1, 2, v0
  v_mov_b32 v8, 0
  v_mov_b32 v9, 0
  v_mov_b32 v10, 0
  v_mov_b32 v11, 0
  s_nop 1
  v_mfma_f32_16x16x16_f16 v[4:7], v[8:9], v[10:11], 0
  s_nop 8
  global_store_dword v1, v4, s[2:3])"}};
  return cases;
}
