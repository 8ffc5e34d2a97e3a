//===- RaceFaults.cpp - Races, barriers, bounds -----------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlantedFault.h"

using namespace tlc::test;

const std::vector<PlantedFault> &tlc::test::raceFaults() {
  static const std::vector<PlantedFault> cases = {
      {"lds_write_read", "lds-race", "ds_read_b32",
       R"(
  v_lshlrev_b32 v1, 2, v0
  v_xor_b32 v2, 0x100, v1
  ds_write_b32 v1, v0
  s_waitcnt lgkmcnt(0)
  ds_read_b32 v3, v2
  s_waitcnt lgkmcnt(0))",
       R"(
  v_lshlrev_b32 v1, 2, v0
  v_xor_b32 v2, 0x100, v1
  ds_write_b32 v1, v0
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_read_b32 v3, v2
  s_waitcnt lgkmcnt(0))",
       2},
      {"lds_write_write", "lds-race", "ds_write_b32",
       R"(
  v_and_b32 v1, 63, v0
  v_lshlrev_b32 v1, 2, v1
  ds_write_b32 v1, v0
  s_waitcnt lgkmcnt(0))",
       R"(
  v_lshlrev_b32 v1, 2, v0
  ds_write_b32 v1, v0
  s_waitcnt lgkmcnt(0))",
       2},
      // Two wavefronts load to one place: the same data is no fault.
      {"lds_load_load", "lds-race", "buffer_load_dword",
       R"(
  s_mov_b32 s8, s2
  s_and_b32 s9, s3, 0xffff
  s_mov_b32 s10, 0x10000
  s_mov_b32 s11, 0x20000
  s_mov_b32 m0, 0
  v_lshlrev_b32 v1, 2, v0
  global_store_dword v1, v0, s[2:3]
  s_waitcnt vmcnt(0)
  s_barrier
  buffer_load_dword v1, s[8:11], 0 offen lds
  s_waitcnt vmcnt(0))",
       R"(
  s_mov_b32 s8, s2
  s_and_b32 s9, s3, 0xffff
  s_mov_b32 s10, 0x10000
  s_mov_b32 s11, 0x20000
  s_mov_b32 m0, 0
  v_lshlrev_b32 v1, 2, v0
  global_store_dword v1, v0, s[2:3]
  s_waitcnt vmcnt(0)
  s_barrier
  v_and_b32 v1, 0xff, v1
  buffer_load_dword v1, s[8:11], 0 offen lds
  s_waitcnt vmcnt(0))",
       2},
      {"lds_read_write", "lds-race", "ds_write_b32",
       R"(
  v_lshlrev_b32 v1, 2, v0
  v_xor_b32 v2, 0x100, v1
  ds_write_b32 v1, v0
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_read_b32 v3, v2
  s_waitcnt lgkmcnt(0)
  v_add_u32 v3, 1, v3
  ds_write_b32 v1, v3
  s_waitcnt lgkmcnt(0))",
       R"(
  v_lshlrev_b32 v1, 2, v0
  v_xor_b32 v2, 0x100, v1
  ds_write_b32 v1, v0
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_read_b32 v3, v2
  s_waitcnt lgkmcnt(0)
  s_barrier
  v_add_u32 v3, 1, v3
  ds_write_b32 v1, v3
  s_waitcnt lgkmcnt(0))",
       2},
      // Halves of a dword: each wavefront has its own, or takes the other's.
      {"lds_halves", "lds-race", "ds_write_b16",
       R"(
  v_and_b32 v2, 63, v0
  v_lshlrev_b32 v1, 2, v2
  v_lshrrev_b32 v3, 6, v0
  v_lshl_add_u32 v1, v3, 1, v1
  v_mov_b32 v4, 0
  ds_write_b16 v1, v0
  ds_read_u16 v5, v1
  s_waitcnt lgkmcnt(0)
  v_add_u32 v4, 7, v5
  v_and_b32 v1, 0xfffffffc, v1
  ds_write_b16 v1, v4)",
       R"(
  v_and_b32 v2, 63, v0
  v_lshlrev_b32 v1, 2, v2
  v_lshrrev_b32 v3, 6, v0
  v_lshl_add_u32 v1, v3, 1, v1
  v_mov_b32 v4, 0
  ds_write_b16 v1, v0
  ds_read_u16 v5, v1
  s_waitcnt lgkmcnt(0)
  v_add_u32 v4, 7, v5
  ds_write_b16 v1, v4)",
       2},
      // Four wavefronts take turns at quarters of sixteen bytes.
      {"lds_quarters", "lds-race", "ds_read_b128",
       R"(
  v_and_b32 v2, 63, v0
  v_lshlrev_b32 v1, 4, v2
  v_lshrrev_b32 v3, 6, v0
  v_lshl_add_u32 v4, v3, 2, v1
  ds_write_b32 v4, v0
  s_waitcnt lgkmcnt(0)
  ds_read_b128 v[8:11], v1
  s_waitcnt lgkmcnt(0))",
       R"(
  v_and_b32 v2, 63, v0
  v_lshlrev_b32 v1, 4, v2
  v_lshrrev_b32 v3, 6, v0
  v_lshl_add_u32 v4, v3, 2, v1
  ds_write_b32 v4, v0
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_read_b128 v[8:11], v1
  s_waitcnt lgkmcnt(0))",
       4},
      {"lds_wait_before_barrier", "lds-race", "ds_read_b32",
       R"(
  v_lshlrev_b32 v1, 2, v0
  v_xor_b32 v2, 0x100, v1
  ds_write_b32 v1, v0
  s_barrier
  ds_read_b32 v3, v2
  s_waitcnt lgkmcnt(0))",
       R"(
  v_lshlrev_b32 v1, 2, v0
  v_xor_b32 v2, 0x100, v1
  ds_write_b32 v1, v0
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_read_b32 v3, v2
  s_waitcnt lgkmcnt(0))",
       2},
      // Each wavefront goes over its own place again and again, until the
      // second moves its lanes, as they are, to where the first one is.
      {"lds_moved_lanes", "lds-race", "ds_write_b128",
       R"(
  v_lshlrev_b32 v1, 4, v0
  v_mov_b32 v4, v0
  v_mov_b32 v5, v0
  v_mov_b32 v6, v0
  v_mov_b32 v7, v0
  v_readfirstlane_b32 s6, v0
  s_lshl_b32 s6, s6, 4
  s_mov_b32 s7, 6
.Lmoved_f:
  ds_write_b128 v1, v[4:7]
  ds_read_b128 v[8:11], v1
  s_waitcnt lgkmcnt(0)
  s_sub_u32 s7, s7, 1
  s_cmp_eq_u32 s7, 1
  s_cselect_b32 s8, s6, 0
  v_sub_u32 v1, v1, s8
  s_cmp_lg_u32 s7, 0
  s_cbranch_scc1 .Lmoved_f)",
       R"(
  v_lshlrev_b32 v1, 4, v0
  v_mov_b32 v4, v0
  v_mov_b32 v5, v0
  v_mov_b32 v6, v0
  v_mov_b32 v7, v0
  s_movk_i32 s6, 0x800
  s_mov_b32 s7, 6
.Lmoved_r:
  ds_write_b128 v1, v[4:7]
  ds_read_b128 v[8:11], v1
  s_waitcnt lgkmcnt(0)
  s_sub_u32 s7, s7, 1
  s_cmp_eq_u32 s7, 1
  s_cselect_b32 s8, s6, 0
  v_add_u32 v1, s8, v1
  s_cmp_lg_u32 s7, 0
  s_cbranch_scc1 .Lmoved_r)",
       2},
      // The same between barriers: neighbours read what was not waited for,
      // in the last round only.
      {"lds_late_round", "lds-race", "ds_read_b64",
       R"(
  v_lshlrev_b32 v1, 3, v0
  v_xor_b32 v2, 0x200, v1
  v_mov_b32 v4, v0
  v_mov_b32 v5, v0
  s_mov_b32 s7, 5
.Lround_f:
  ds_write_b64 v1, v[4:5]
  s_cmp_eq_u32 s7, 1
  s_cbranch_scc1 .Lunwaited_f
  s_waitcnt lgkmcnt(0)
.Lunwaited_f:
  s_barrier
  ds_read_b64 v[8:9], v2
  s_waitcnt lgkmcnt(0)
  s_barrier
  s_sub_u32 s7, s7, 1
  s_cmp_lg_u32 s7, 0
  s_cbranch_scc1 .Lround_f)",
       R"(
  v_lshlrev_b32 v1, 3, v0
  v_xor_b32 v2, 0x200, v1
  v_mov_b32 v4, v0
  v_mov_b32 v5, v0
  s_mov_b32 s7, 5
.Lround_r:
  ds_write_b64 v1, v[4:5]
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_read_b64 v[8:9], v2
  s_waitcnt lgkmcnt(0)
  s_barrier
  s_sub_u32 s7, s7, 1
  s_cmp_lg_u32 s7, 0
  s_cbranch_scc1 .Lround_r)",
       2},
      // The first wavefront's own additions must not hide its plain store from
      // the second's, nor the second's own those of the first.
      {"lds_store_then_atomics", "lds-race", "ds_",
       R"(
  v_and_b32 v1, 63, v0
  v_lshlrev_b32 v1, 2, v1
  v_mov_b32 v2, 0
  v_readfirstlane_b32 s6, v0
  s_cmp_lg_u32 s6, 0
  s_cbranch_scc1 .Lstored_f
  ds_write_b32 v1, v2
.Lstored_f:
  ds_add_u32 v1, v0)",
       R"(
  v_and_b32 v1, 63, v0
  v_lshlrev_b32 v1, 2, v1
  v_mov_b32 v2, 0
  v_readfirstlane_b32 s6, v0
  s_cmp_lg_u32 s6, 0
  s_cbranch_scc1 .Lstored_r
  ds_write_b32 v1, v2
.Lstored_r:
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_add_u32 v1, v0)",
       2},
      {"lds_atomics_then_load", "lds-race", "ds_",
       R"(
  v_and_b32 v1, 63, v0
  v_lshlrev_b32 v1, 2, v1
  v_mov_b32 v2, 0
  ds_write_b32 v1, v2
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_add_u32 v1, v0
  ds_read_b32 v3, v1)",
       R"(
  v_and_b32 v1, 63, v0
  v_lshlrev_b32 v1, 2, v1
  v_mov_b32 v2, 0
  ds_write_b32 v1, v2
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_add_u32 v1, v0
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_read_b32 v3, v1)",
       2},
      {"global_write_write", "global-race", "global_store_dword",
       R"(
  v_lshlrev_b32 v1, 2, v0
  v_mov_b32 v2, s4
  global_store_dword v1, v2, s[2:3])",
       R"(
  v_lshlrev_b32 v1, 2, v0
  s_lshl_b32 s5, s4, 8
  v_add_u32 v1, s5, v1
  v_mov_b32 v2, s4
  global_store_dword v1, v2, s[2:3])",
       1, 2},
      // The writer has read it first, others later: it does not race with
      // itself, but with them. The coherent load lets them go first.
      {"global_two_readers", "global-race", "global_store_dword",
       R"(
  v_lshlrev_b32 v1, 2, v0
  global_load_dword v3, v1, s[2:3]
  global_load_dword v4, v1, s[2:3] offset:1024 sc1
  s_waitcnt vmcnt(0)
  s_cmp_lg_u32 s4, 0
  s_cbranch_scc1 .Lreaders_f
  global_store_dword v1, v0, s[2:3]
.Lreaders_f:)",
       R"(
  v_lshlrev_b32 v1, 2, v0
  global_load_dword v3, v1, s[2:3]
  global_load_dword v4, v1, s[2:3] offset:1024 sc1
  s_waitcnt vmcnt(0)
  s_cmp_lg_u32 s4, 0
  s_cbranch_scc1 .Lreaders_r
  global_store_dword v1, v0, s[2:3] offset:2048
.Lreaders_r:)",
       1, 3},
      {"global_write_read", "global-race", "global_",
       R"(
  v_lshlrev_b32 v1, 2, v0
  v_mov_b32 v2, s4
  s_lshl_b32 s5, s4, 8
  v_add_u32 v3, s5, v1
  global_store_dword v3, v2, s[2:3]
  global_load_dword v4, v1, s[2:3])",
       R"(
  v_lshlrev_b32 v1, 2, v0
  v_mov_b32 v2, s4
  global_atomic_add v1, v2, s[2:3]
  global_load_dword v4, v1, s[2:3] offset:1024)",
       1, 2},
      // A flag that is raised before the data has arrived.
      {"release_without_wait", "global-race", "global_load_dword",
       R"(
  v_lshlrev_b32 v1, 2, v0
  v_mov_b32 v3, 0x800
  s_cmp_lg_u32 s4, 0
  s_cbranch_scc1 .Lconsumer_f
  v_mov_b32 v2, 5
  v_mov_b32 v4, 1
  global_store_dword v1, v2, s[2:3]
  global_atomic_add v3, v4, s[2:3]
  s_endpgm
.Lconsumer_f:
  global_load_dword v5, v3, s[2:3] sc1
  s_waitcnt vmcnt(0)
  v_readfirstlane_b32 s6, v5
  s_cmp_eq_u32 s6, 0
  s_cbranch_scc1 .Lconsumer_f
  global_load_dword v6, v1, s[2:3]
  s_waitcnt vmcnt(0))",
       R"(
  v_lshlrev_b32 v1, 2, v0
  v_mov_b32 v3, 0x800
  s_cmp_lg_u32 s4, 0
  s_cbranch_scc1 .Lconsumer_r
  v_mov_b32 v2, 5
  v_mov_b32 v4, 1
  global_store_dword v1, v2, s[2:3]
  s_waitcnt vmcnt(0)
  global_atomic_add v3, v4, s[2:3]
  s_endpgm
.Lconsumer_r:
  global_load_dword v5, v3, s[2:3] sc1
  s_waitcnt vmcnt(0)
  v_readfirstlane_b32 s6, v5
  s_cmp_eq_u32 s6, 0
  s_cbranch_scc1 .Lconsumer_r
  global_load_dword v6, v1, s[2:3]
  s_waitcnt vmcnt(0))",
       1, 2},
      // Synchronisation by a word that the writer has nothing to do with.
      {"unrelated_atomics", "global-race", "global_load_dword",
       R"(
  v_lshlrev_b32 v1, 2, v0
  v_mov_b32 v3, 0x800
  v_mov_b32 v2, 5
  v_mov_b32 v4, 1
  s_cmp_eq_u32 s4, 1
  s_cbranch_scc1 .Lreader_f
  s_cmp_eq_u32 s4, 2
  s_cbranch_scc1 .Lthird_f
  global_store_dword v1, v2, s[2:3]
  s_waitcnt vmcnt(0)
  global_atomic_add v3, v4, s[2:3] offset:64
  s_endpgm
.Lthird_f:
  global_atomic_add v3, v4, s[2:3]
  s_endpgm
.Lreader_f:
  global_load_dword v5, v3, s[2:3] sc1
  s_waitcnt vmcnt(0)
  v_readfirstlane_b32 s6, v5
  s_cmp_eq_u32 s6, 0
  s_cbranch_scc1 .Lreader_f
  global_load_dword v6, v1, s[2:3]
  s_waitcnt vmcnt(0))",
       R"(
  v_lshlrev_b32 v1, 2, v0
  v_mov_b32 v3, 0x800
  v_mov_b32 v2, 5
  v_mov_b32 v4, 1
  s_cmp_eq_u32 s4, 1
  s_cbranch_scc1 .Lreader_r
  s_cmp_eq_u32 s4, 2
  s_cbranch_scc1 .Lthird_r
  global_store_dword v1, v2, s[2:3]
  s_waitcnt vmcnt(0)
  global_atomic_add v3, v4, s[2:3] offset:64
  s_endpgm
.Lthird_r: ; knows of the writer, and passes it on
  global_load_dword v5, v3, s[2:3] offset:64 sc1
  s_waitcnt vmcnt(0)
  v_readfirstlane_b32 s6, v5
  s_cmp_eq_u32 s6, 0
  s_cbranch_scc1 .Lthird_r
  global_atomic_add v3, v4, s[2:3]
  s_endpgm
.Lreader_r:
  global_load_dword v5, v3, s[2:3] sc1
  s_waitcnt vmcnt(0)
  v_readfirstlane_b32 s6, v5
  s_cmp_eq_u32 s6, 0
  s_cbranch_scc1 .Lreader_r
  global_load_dword v6, v1, s[2:3]
  s_waitcnt vmcnt(0))",
       1, 3},
      // An atomic that brings nothing back has seen nothing.
      {"blind_atomic", "global-race", "global_load_dword",
       R"(
  v_lshlrev_b32 v1, 2, v0
  v_mov_b32 v3, 0x800
  v_mov_b32 v4, 1
  s_cmp_lg_u32 s4, 0
  s_cbranch_scc1 .Lblind_f
  global_store_dword v1, v4, s[2:3]
  s_waitcnt vmcnt(0)
  global_atomic_add v3, v4, s[2:3]
  s_endpgm
.Lblind_f:
  global_atomic_add v3, v4, s[2:3]
  s_waitcnt vmcnt(0)
  global_load_dword v6, v1, s[2:3]
  s_waitcnt vmcnt(0))",
       R"(
  v_lshlrev_b32 v1, 2, v0
  v_mov_b32 v3, 0x800
  v_mov_b32 v4, 1
  s_cmp_lg_u32 s4, 0
  s_cbranch_scc1 .Lblind_r
  global_store_dword v1, v4, s[2:3]
  s_waitcnt vmcnt(0)
  global_atomic_add v3, v4, s[2:3]
  s_endpgm
.Lblind_r:
  global_atomic_or v5, v3, v0, s[2:3] sc0
  s_waitcnt vmcnt(0)
  v_readfirstlane_b32 s6, v5
  s_and_b32 s6, s6, 64
  s_cbranch_scc0 .Lblind_r
  global_load_dword v6, v1, s[2:3]
  s_waitcnt vmcnt(0))",
       1, 2},
      // One wavefront raises the flag for all: behind a barrier, it must write
      // L2 back, for its own wait says nothing about the others' stores.
      {"release_for_others", "global-race", "global_load_dword",
       R"(
  v_lshlrev_b32 v1, 2, v0
  v_mov_b32 v3, 0x800
  v_readfirstlane_b32 s7, v0
  s_cmp_lg_u32 s4, 0
  s_cbranch_scc1 .Lothers_f
  v_mov_b32 v4, 1
  global_store_dword v1, v0, s[2:3]
  s_barrier
  s_cmp_lg_u32 s7, 0
  s_cbranch_scc1 .Lend_f
  s_waitcnt vmcnt(0)
  global_atomic_add v3, v4, s[2:3]
.Lend_f:
  s_endpgm
.Lothers_f:
  global_load_dword v5, v3, s[2:3] sc1
  s_waitcnt vmcnt(0)
  v_readfirstlane_b32 s6, v5
  s_cmp_eq_u32 s6, 0
  s_cbranch_scc1 .Lothers_f
  global_load_dword v6, v1, s[2:3]
  s_waitcnt vmcnt(0))",
       R"(
  v_lshlrev_b32 v1, 2, v0
  v_mov_b32 v3, 0x800
  v_readfirstlane_b32 s7, v0
  s_cmp_lg_u32 s4, 0
  s_cbranch_scc1 .Lothers_r
  v_mov_b32 v4, 1
  global_store_dword v1, v0, s[2:3]
  s_barrier
  s_cmp_lg_u32 s7, 0
  s_cbranch_scc1 .Lend_r
  buffer_wbl2 sc1
  s_waitcnt vmcnt(0)
  global_atomic_add v3, v4, s[2:3]
.Lend_r:
  s_endpgm
.Lothers_r:
  global_load_dword v5, v3, s[2:3] sc1
  s_waitcnt vmcnt(0)
  v_readfirstlane_b32 s6, v5
  s_cmp_eq_u32 s6, 0
  s_cbranch_scc1 .Lothers_r
  global_load_dword v6, v1, s[2:3]
  s_waitcnt vmcnt(0))",
       2, 2},
      {"global_atomic_and_store", "global-race", "global_",
       R"(
  v_lshlrev_b32 v1, 2, v0
  v_mov_b32 v2, s4
  s_cmp_lg_u32 s4, 0
  s_cbranch_scc1 .Lmixed_f
  global_store_dword v1, v2, s[2:3]
  s_endpgm
.Lmixed_f:
  global_atomic_add v1, v2, s[2:3])",
       R"(
  v_lshlrev_b32 v1, 2, v0
  v_mov_b32 v2, s4
  s_cmp_lg_u32 s4, 0
  s_cbranch_scc1 .Lmixed_r
  global_store_dword v1, v2, s[2:3] offset:1024
  s_endpgm
.Lmixed_r:
  global_atomic_add v1, v2, s[2:3])",
       1, 2},
      {"barrier", "barrier-divergence", "s_barrier",
       R"(
  v_readfirstlane_b32 s5, v0
  s_cmp_eq_u32 s5, 0
  s_cbranch_scc1 .Lbarrier_f
  s_barrier
.Lbarrier_f:)",
       R"(
  v_readfirstlane_b32 s5, v0
  s_cmp_eq_u32 s5, 0
  s_cbranch_scc1 .Lbarrier_r
.Lbarrier_r:
  s_barrier)",
       2},
      {"global_bounds", "global-out-of-bounds", "global_load_dword",
       R"(
  v_lshlrev_b32 v1, 2, v0
  v_add_u32 v1, 0xff04, v1
  global_load_dword v2, v1, s[2:3])",
       R"(
  v_lshlrev_b32 v1, 2, v0
  v_add_u32 v1, 0xff00, v1
  global_load_dword v2, v1, s[2:3])"},
      {"lds_bounds", "lds-out-of-bounds", "ds_write_b32",
       R"(
  v_lshlrev_b32 v1, 2, v0
  ds_write_b32 v1, v0 offset:3844)",
       R"(
  v_lshlrev_b32 v1, 2, v0
  ds_write_b32 v1, v0 offset:3840)"}};
  return cases;
}
