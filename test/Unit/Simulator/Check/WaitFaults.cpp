//===- WaitFaults.cpp - Missing s_waitcnt and wait states -------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlantedFault.h"

using namespace tlc::test;

const std::vector<PlantedFault> &tlc::test::waitFaults() {
  static const std::vector<PlantedFault> cases = {
      {"vmcnt", "missing-wait", "v_add_u32",
       R"(
  v_lshlrev_b32 v1, 2, v0
  global_load_dword v2, v1, s[2:3]
  v_add_u32 v3, v2, v0)",
       R"(
  v_lshlrev_b32 v1, 2, v0
  global_load_dword v2, v1, s[2:3]
  s_waitcnt vmcnt(0)
  v_add_u32 v3, v2, v0)"},
      {"vmcnt_too_weak", "missing-wait", "v_add_u32",
       R"(
  v_lshlrev_b32 v1, 2, v0
  global_load_dword v2, v1, s[2:3]
  global_load_dword v3, v1, s[2:3] offset:256
  s_waitcnt vmcnt(1)
  v_add_u32 v4, v3, v0)",
       R"(
  v_lshlrev_b32 v1, 2, v0
  global_load_dword v2, v1, s[2:3]
  global_load_dword v3, v1, s[2:3] offset:256
  s_waitcnt vmcnt(1)
  v_add_u32 v4, v2, v0)"},
      {"overwritten", "missing-wait", "v_mov_b32",
       R"(
  v_lshlrev_b32 v1, 2, v0
  global_load_dword v2, v1, s[2:3]
  v_mov_b32 v2, 0)",
       R"(
  v_lshlrev_b32 v1, 2, v0
  global_load_dword v2, v1, s[2:3]
  global_load_dword v2, v1, s[2:3] offset:256)"},
      {"lds", "missing-wait", "v_add_u32",
       R"(
  v_lshlrev_b32 v1, 2, v0
  ds_write_b32 v1, v0
  ds_read_b32 v2, v1
  v_add_u32 v3, v2, v0)",
       R"(
  v_lshlrev_b32 v1, 2, v0
  ds_write_b32 v1, v0
  ds_read_b32 v2, v1
  s_waitcnt lgkmcnt(0)
  v_add_u32 v3, v2, v0)"},
      {"scalar", "missing-wait", "s_add_u32",
       R"(
  s_load_dword s5, s[2:3], 0x0
  s_add_u32 s6, s5, 1)",
       R"(
  s_load_dword s5, s[2:3], 0x0
  s_waitcnt lgkmcnt(0)
  s_add_u32 s6, s5, 1)"},
      // Scalar loads return in any order: a count of one tells nothing.
      {"scalar_order", "missing-wait", "s_add_u32",
       R"(
  s_load_dword s5, s[2:3], 0x0
  s_load_dword s6, s[2:3], 0x4
  s_waitcnt lgkmcnt(1)
  s_add_u32 s7, s5, 1)",
       R"(
  s_load_dword s5, s[2:3], 0x0
  s_load_dword s6, s[2:3], 0x4
  s_waitcnt lgkmcnt(0)
  s_add_u32 s7, s5, 1)"},
      {"spilled_address", "missing-wait", "global_load_dword",
       R"(
  v_mov_b32 v1, v0
  scratch_store_dword off, v1, off offset:4
  scratch_load_dword v2, off, off offset:4
  global_load_dword v3, v2, s[2:3])",
       R"(
  v_lshlrev_b32 v1, 2, v0
  scratch_store_dword off, v1, off offset:4
  scratch_load_dword v2, off, off offset:4
  s_waitcnt vmcnt(0)
  global_load_dword v3, v2, s[2:3])"}};
  return cases;
}

// Inputs of the matrix core are set up and given time.
#define TLC_MATRIX_INPUTS                                                      \
  "\n  v_mov_b32 v8, 0\n  v_mov_b32 v9, 0\n  v_mov_b32 v10, 0\n"               \
  "  v_mov_b32 v11, 0\n  v_mov_b32 v12, 0\n  v_mov_b32 v13, 0\n"               \
  "  v_mov_b32 v20, 0\n  v_mov_b32 v21, 0\n  s_nop 3\n"

const std::vector<PlantedFault> &tlc::test::hazardFaults() {
  static const std::vector<PlantedFault> cases = {
      {"matrix_result_read", "wait-states", "v_add_f32", TLC_MATRIX_INPUTS R"(
  v_mfma_f32_16x16x16_f16 v[4:7], v[8:9], v[10:11], 0
  s_nop 1
  v_add_f32 v1, v4, v4)",
       TLC_MATRIX_INPUTS R"(
  v_mfma_f32_16x16x16_f16 v[4:7], v[8:9], v[10:11], 0
  s_nop 6
  v_add_f32 v1, v4, v4)"},
      {"matrix_result_long", "wait-states", "v_add_f32", TLC_MATRIX_INPUTS R"(
  v_mfma_f32_32x32x8_f16 v[32:47], v[8:9], v[10:11], 0
  s_nop 5
  v_add_f32 v1, v40, v40)",
       TLC_MATRIX_INPUTS R"(
  v_mfma_f32_32x32x8_f16 v[32:47], v[8:9], v[10:11], 0
  s_nop 10
  v_add_f32 v1, v40, v40)"},
      // The second MFMA is issued 16 states after the first at the earliest;
      // the result of the first takes 18.
      {"matrix_unit_busy", "wait-states", "v_add_f32", TLC_MATRIX_INPUTS R"(
  v_mfma_f32_32x32x2_f32 v[32:47], v8, v9, 0
  v_mfma_f32_16x16x16_f16 v[4:7], v[8:9], v[10:11], 0
  s_nop 0
  v_add_f32 v1, v40, v40)",
       TLC_MATRIX_INPUTS R"(
  v_mfma_f32_32x32x2_f32 v[32:47], v8, v9, 0
  v_mfma_f32_16x16x16_f16 v[4:7], v[8:9], v[10:11], 0
  s_nop 1
  v_add_f32 v1, v40, v40)"},
      // A conditional branch is one state, and three more when it is taken.
      {"branch_not_taken", "wait-states", "v_add_f32", TLC_MATRIX_INPUTS R"(
  s_cmp_eq_u32 s2, s2
  v_mfma_f32_16x16x16_f16 v[4:7], v[8:9], v[10:11], 0
  s_cbranch_scc0 1f
  s_nop 0
1:
  v_add_f32 v1, v4, v4)",
       TLC_MATRIX_INPUTS R"(
  s_cmp_eq_u32 s2, s2
  v_mfma_f32_16x16x16_f16 v[4:7], v[8:9], v[10:11], 0
  s_cbranch_scc0 1f
  s_nop 5
1:
  v_add_f32 v1, v4, v4)"},
      {"branch_taken", "wait-states", "ds_write_b32", TLC_MATRIX_INPUTS R"(
  s_cmp_eq_u32 s2, s2
  v_mfma_f32_16x16x16_f16 v[4:7], v[8:9], v[10:11], 0
  s_cbranch_scc1 1f
  s_nop 7
1:
  s_nop 1
  ds_write_b32 v8, v4)",
       TLC_MATRIX_INPUTS R"(
  s_cmp_eq_u32 s2, s2
  v_mfma_f32_16x16x16_f16 v[4:7], v[8:9], v[10:11], 0
  s_cbranch_scc1 1f
  s_nop 7
1:
  s_nop 2
  ds_write_b32 v8, v4)"},
      // What the matrix core has not written cannot be stored.
      {"matrix_result_to_lds", "wait-states", "ds_write_b32",
       TLC_MATRIX_INPUTS R"(
  v_mfma_f32_32x32x8_f16 v[32:47], v[8:9], v[10:11], 0
  s_nop 9
  ds_write_b32 v8, v40)",
       TLC_MATRIX_INPUTS R"(
  v_mfma_f32_32x32x8_f16 v[32:47], v[8:9], v[10:11], 0
  s_nop 10
  ds_write_b32 v8, v40)"},
      {"matrix_result_overwritten", "wait-states", "v_mov_b32",
       TLC_MATRIX_INPUTS R"(
  v_mfma_f32_32x32x8_f16 v[32:47], v[8:9], v[10:11], 0
  s_nop 9
  v_mov_b32 v40, 0)",
       TLC_MATRIX_INPUTS R"(
  v_mfma_f32_32x32x8_f16 v[32:47], v[8:9], v[10:11], 0
  s_nop 10
  v_mov_b32 v40, 0)"},
      // A packed f32 operation takes two slots; an error behind a note.
      {"packed_counts_twice", "wait-states", "v_add_f32", TLC_MATRIX_INPUTS R"(
  v_mov_b32 v14, 0
  v_mov_b32 v15, 0
  v_mfma_f32_32x32x8_f16 v[32:47], v[8:9], v[10:11], 0
  v_pk_mul_f32 v[16:17], v[14:15], v[14:15]
  v_pk_mul_f32 v[16:17], v[14:15], v[14:15]
  s_nop 0
  v_add_f32 v1, v40, v40)",
       TLC_MATRIX_INPUTS R"(
  v_mov_b32 v14, 0
  v_mov_b32 v15, 0
  v_mfma_f32_32x32x8_f16 v[32:47], v[8:9], v[10:11], 0
  v_pk_mul_f32 v[16:17], v[14:15], v[14:15]
  v_pk_mul_f32 v[16:17], v[14:15], v[14:15]
  v_pk_mul_f32 v[16:17], v[14:15], v[14:15]
  s_nop 5
  v_add_f32 v1, v40, v40)"},
      // C is forwarded between products of equal length only.
      {"matrix_c_other_passes", "wait-states", "v_mfma_f32_4x4x4_16b_f16",
       TLC_MATRIX_INPUTS R"(
  v_mfma_f32_16x16x16_f16 v[4:7], v[8:9], v[10:11], 0
  s_nop 3
  v_mfma_f32_4x4x4_16b_f16 v[4:7], v[8:9], v[10:11], v[4:7])",
       TLC_MATRIX_INPUTS R"(
  v_mfma_f32_16x16x16_f16 v[4:7], v[8:9], v[10:11], 0
  s_nop 4
  v_mfma_f32_4x4x4_16b_f16 v[4:7], v[8:9], v[10:11], v[4:7])"},
      {"exec_then_lane", "wait-states", "v_readfirstlane_b32",
       R"(
  v_cmpx_le_u32 vcc, 0, v0
  s_nop 2
  v_readfirstlane_b32 s6, v0)",
       R"(
  v_cmpx_le_u32 vcc, 0, v0
  s_nop 3
  v_readfirstlane_b32 s6, v0)"},
      {"dot", "wait-states", "v_add_f32",
       R"(
  v_mov_b32 v1, 0
  v_dot2_f32_f16 v2, v1, v1, v1
  s_nop 1
  v_add_f32 v3, v2, v2)",
       R"(
  v_mov_b32 v1, 0
  v_dot2_f32_f16 v2, v1, v1, v1
  v_dot2_f32_f16 v2, v1, v1, v2
  s_nop 2
  v_add_f32 v3, v2, v2)"},
      {"high_half", "wait-states", "v_add_f32",
       R"(
  v_mov_b32 v1, 0
  v_mov_b32 v2, 0
  v_mad_u16 v2, v1, v1, v1 op_sel:[0,0,0,1]
  v_add_f32 v3, v2, v2)",
       R"(
  v_mov_b32 v1, 0
  v_mov_b32 v2, 0
  v_mad_u16 v2, v1, v1, v1 op_sel:[0,0,0,1]
  s_nop 0
  v_add_f32 v3, v2, v2)"},
      {"matrix_result_as_a", "wait-states", "v_mfma_f32_16x16x16_f16",
       TLC_MATRIX_INPUTS R"(
  v_mfma_f32_16x16x16_f16 v[4:7], v[8:9], v[10:11], 0
  s_nop 5
  v_mfma_f32_16x16x16_f16 v[24:27], v[4:5], v[10:11], 0)",
       TLC_MATRIX_INPUTS R"(
  v_mfma_f32_16x16x16_f16 v[4:7], v[8:9], v[10:11], 0
  s_nop 6
  v_mfma_f32_16x16x16_f16 v[24:27], v[4:5], v[10:11], 0)"},
      {"matrix_result_as_c", "wait-states", "v_mfma_f32_16x16x16_f16",
       TLC_MATRIX_INPUTS R"(
  v_mfma_f32_16x16x16_f16 v[4:7], v[8:9], v[10:11], 0
  s_nop 3
  v_mfma_f32_16x16x16_f16 v[12:15], v[8:9], v[10:11], v[6:9])",
       TLC_MATRIX_INPUTS R"(
  v_mfma_f32_16x16x16_f16 v[4:7], v[8:9], v[10:11], 0
  v_mfma_f32_16x16x16_f16 v[4:7], v[8:9], v[10:11], v[4:7])"},
      {"matrix_c_overwritten", "wait-states", "v_mov_b32", TLC_MATRIX_INPUTS R"(
  v_mfma_f32_16x16x16_f16 v[4:7], v[8:9], v[10:11], v[10:13]
  s_nop 1
  v_mov_b32 v12, 0)",
       TLC_MATRIX_INPUTS R"(
  v_mfma_f32_16x16x16_f16 v[4:7], v[8:9], v[10:11], v[10:13]
  s_nop 2
  v_mov_b32 v12, 0)"},
      {"matrix_result_stored", "wait-states", "global_store_dword",
       TLC_MATRIX_INPUTS R"(
  v_lshlrev_b32 v1, 2, v0
  v_mfma_f32_16x16x4_f32 v[4:7], v8, v10, 0
  s_nop 8
  global_store_dword v1, v4, s[2:3])",
       TLC_MATRIX_INPUTS R"(
  v_lshlrev_b32 v1, 2, v0
  v_mfma_f32_16x16x4_f32 v[4:7], v8, v10, 0
  s_nop 9
  global_store_dword v1, v4, s[2:3])"},
      {"valu_to_matrix", "wait-states", "v_mfma_f32_16x16x16_f16",
       TLC_MATRIX_INPUTS R"(
  v_mov_b32 v8, 0
  s_nop 0
  v_mfma_f32_16x16x16_f16 v[4:7], v[8:9], v[10:11], 0)",
       TLC_MATRIX_INPUTS R"(
  v_mov_b32 v8, 0
  s_nop 1
  v_mfma_f32_16x16x16_f16 v[4:7], v[8:9], v[10:11], 0)"},
      {"dpp", "wait-states", "v_mov_b32_dpp",
       R"(
  v_mov_b32 v1, v0
  s_nop 0
  v_mov_b32_dpp v2, v1 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:0)",
       R"(
  v_mov_b32 v1, v0
  s_nop 1
  v_mov_b32_dpp v2, v1 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:0)"},
      {"exec_then_dpp", "wait-states", "v_mov_b32_dpp",
       R"(
  v_mov_b32 v1, v0
  v_cmpx_le_u32 vcc, 0, v0
  s_nop 3
  v_mov_b32_dpp v2, v1 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:0)",
       R"(
  v_mov_b32 v1, v0
  v_cmpx_le_u32 vcc, 0, v0
  s_nop 4
  v_mov_b32_dpp v2, v1 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:0)"},
      {"scalar_base", "wait-states", "global_load_dword",
       R"(
  v_mov_b32 v1, s2
  v_mov_b32 v2, s3
  v_lshlrev_b32 v3, 2, v0
  s_nop 1
  v_readfirstlane_b32 s6, v1
  v_readfirstlane_b32 s7, v2
  s_nop 3
  global_load_dword v4, v3, s[6:7])",
       R"(
  v_mov_b32 v1, s2
  v_mov_b32 v2, s3
  v_lshlrev_b32 v3, 2, v0
  s_nop 1
  v_readfirstlane_b32 s6, v1
  v_readfirstlane_b32 s7, v2
  s_nop 4
  global_load_dword v4, v3, s[6:7])"},
      {"lane_select", "wait-states", "v_readlane_b32",
       R"(
  s_nop 4
  v_readfirstlane_b32 s6, v0
  s_nop 2
  v_readlane_b32 s7, v0, s6)",
       R"(
  s_nop 4
  v_readfirstlane_b32 s6, v0
  s_nop 3
  v_readlane_b32 s7, v0, s6)"},
      {"div_fmas", "wait-states", "v_div_fmas_f32",
       R"(
  v_cmp_eq_u32 vcc, 0, v0
  s_nop 2
  v_div_fmas_f32 v1, v0, v0, v0)",
       R"(
  v_cmp_eq_u32 vcc, 0, v0
  s_nop 3
  v_div_fmas_f32 v1, v0, v0, v0)"}};
  return cases;
}

const std::vector<PlantedFault> &tlc::test::hazardNotes() {
  static const std::vector<PlantedFault> cases = {
      {"note_one_state_short", "wait-states-note", "v_add_f32",
       TLC_MATRIX_INPUTS R"(
  v_mfma_f32_16x16x16_f16 v[4:7], v[8:9], v[10:11], 0
  s_nop 5
  v_add_f32 v1, v4, v4)",
       TLC_MATRIX_INPUTS R"(
  v_mfma_f32_16x16x16_f16 v[4:7], v[8:9], v[10:11], 0
  s_nop 6
  v_add_f32 v1, v4, v4)"},
      {"note_scalar_operand", "wait-states-note", "v_mov_b32",
       R"(
  v_readfirstlane_b32 s6, v0
  s_nop 0
  v_mov_b32 v1, s6)",
       R"(
  v_readfirstlane_b32 s6, v0
  s_nop 1
  v_mov_b32 v1, s6
  v_cmp_eq_u32 s[8:9], 0, v0
  v_cndmask_b32 v2, 0, 1, s[8:9])"},
      {"note_in_place", "wait-states-note", "v_add_f32", TLC_MATRIX_INPUTS R"(
  v_mfma_f32_32x32x8_f16 v[32:47], v[8:9], v[10:11], 0
  s_nop 7
  v_add_f32 v40, v40, v40)",
       TLC_MATRIX_INPUTS R"(
  v_mfma_f32_32x32x8_f16 v[32:47], v[8:9], v[10:11], 0
  s_nop 10
  v_add_f32 v40, v40, v40)"},
      {"note_after_passes", "wait-states-note", "v_add_f32",
       TLC_MATRIX_INPUTS R"(
  v_mfma_f32_32x32x8_f16 v[32:47], v[8:9], v[10:11], 0
  s_nop 6
  v_add_f32 v1, v40, v40)",
       TLC_MATRIX_INPUTS R"(
  v_mfma_f32_32x32x8_f16 v[32:47], v[8:9], v[10:11], 0
  s_nop 10
  v_add_f32 v1, v40, v40)"}};
  return cases;
}
