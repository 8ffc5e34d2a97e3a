//===- FlatMemory.cpp - FLAT, GLOBAL and SCRATCH loads and stores ---------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GLOBAL addresses are a VGPR pair, or an SGPR pair plus a 32-bit VGPR. FLAT
// addresses may lie in the LDS or the scratch aperture, lane by lane. Scratch
// is interleaved by dwords, as the hardware swizzles it, so an access of
// several dwords is taken apart.
//
// Every handler has the same steps: nothing if EXEC is empty; wait for the
// wavefront's turn where order matters; the addresses of all lanes; the check
// against the allocations, which raises the fault and returns false; then the
// copy, by an element type that says width and extension.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "FlatAddress.h"

namespace tlc::sim::TLC_SIM_ISA {
namespace {

/// Private memory, one lane at a time: \p offsets are byte offsets within the
/// lane's own scratch. The raw bytes are gathered first, for an access of
/// several dwords is scattered over the swizzled memory, and then handled like
/// any other load.
template <typename E>
void privateLoad(Wave &w, const Op &op, u64 active, const u32 *offsets,
                 u32 *d) {
  for (u64 rest = active; rest; rest &= rest - 1) {
    unsigned l = __builtin_ctzll(rest);
    u32 raw[4] = {};
    copyPrivate(w, l, offsets[l], raw, E::bytes, false);
    loadLane<E>(reinterpret_cast<u64>(raw), d, l);
  }
}
template <typename E>
void privateStore(Wave &w, const Op &op, u64 active, const u32 *offsets,
                  const u32 *s) {
  for (u64 rest = active; rest; rest &= rest - 1) {
    unsigned l = __builtin_ctzll(rest);
    u32 raw[4] = {};
    storeLane<E>(reinterpret_cast<u64>(raw), s, l);
    copyPrivate(w, l, offsets[l], raw, E::bytes, true);
  }
}

/// Coherent (sc1) loads wait for the wavefront's turn, plain ones do not.
template <typename E> void globalLoad(Wave &w, const Op &op) {
  u64 active = w.exec();
  if (!active || (op.inst->sc1 && awaitTurn(w, op)))
    return;
  LaneAddresses a;
  globalAddresses(w, op, a);
  if (checkGlobal(w, op, a, active, E::bytes, false))
    loadLanes<E>(a, active, w.vgpr + op.dst);
}
/// Stores do not wait: racing plain stores are an error of the program, which
/// the race checker reports.
template <typename E> void globalStore(Wave &w, const Op &op) {
  u64 active = w.exec();
  if (!active)
    return;
  LaneAddresses a;
  globalAddresses(w, op, a);
  if (checkGlobal(w, op, a, active, E::bytes, true))
    storeLanes<E>(a, active, registers(w, op.src[1]));
}

/// Scratch lanes are served apart from the others.
template <typename E> void flatLoad(Wave &w, const Op &op) {
  u64 active = w.exec();
  if (!active || (op.inst->sc1 && awaitTurn(w, op)))
    return;
  LaneAddresses a;
  globalAddresses(w, op, a);
  u32 privateOffsets[waveLanes];
  FlatLanes lanes =
      splitFlat(w, op, a, active, E::bytes, false, privateOffsets);
  if (lanes.fault)
    return;
  u32 *d = w.vgpr + op.dst;
  loadLanes<E>(a, active & ~lanes.inPrivate, d);
  privateLoad<E>(w, op, lanes.inPrivate, privateOffsets, d);
}
template <typename E> void flatStore(Wave &w, const Op &op) {
  u64 active = w.exec();
  if (!active)
    return;
  LaneAddresses a;
  globalAddresses(w, op, a);
  u32 privateOffsets[waveLanes];
  FlatLanes lanes = splitFlat(w, op, a, active, E::bytes, true, privateOffsets);
  if (lanes.fault)
    return;
  const u32 *s = registers(w, op.src[1]);
  storeLanes<E>(a, active & ~lanes.inPrivate, s);
  privateStore<E>(w, op, lanes.inPrivate, privateOffsets, s);
}

/// SCRATCH instructions address the lane's private memory directly, without an
/// aperture.
template <typename E> void scratchLoad(Wave &w, const Op &op) {
  u64 active = w.exec();
  u32 offsets[waveLanes];
  if (active && scratchOffsets(w, op, active, E::bytes, false, offsets))
    privateLoad<E>(w, op, active, offsets, w.vgpr + op.dst);
}
template <typename E> void scratchStore(Wave &w, const Op &op) {
  u64 active = w.exec();
  u32 offsets[waveLanes];
  if (active && scratchOffsets(w, op, active, E::bytes, true, offsets))
    privateStore<E>(w, op, active, offsets, registers(w, op.src[1]));
}

/// Loads to LDS: M0 plus the offset, one dword for each lane. Narrow elements
/// are extended to a dword first.
template <typename E> void globalLoadLds(Wave &w, const Op &op) {
  u64 active = w.exec();
  if (!active || (op.inst->sc1 && awaitTurn(w, op)))
    return;
  LaneAddresses a;
  globalAddresses(w, op, a);
  if (!checkGlobal(w, op, a, active, E::bytes, false))
    return;
  alignas(64) u32 data[waveLanes] = {};
  loadLanes<E>(a, active, data);
  storeToLds(w, op, active, data);
}
template <typename E> void scratchLoadLds(Wave &w, const Op &op) {
  u64 active = w.exec();
  u32 offsets[waveLanes];
  if (!active || !scratchOffsets(w, op, active, E::bytes, false, offsets))
    return;
  alignas(64) u32 data[waveLanes] = {};
  privateLoad<E>(w, op, active, offsets, data);
  storeToLds(w, op, active, data);
}

using O = Opcode;
// The table of each address space is the same; d16 forms write one half of the
// register, their "hi" forms the upper one.
#define LOADS(space, fn)                                                       \
  {O::space##_load_ubyte, fn##Load<Element<1>>},                               \
      {O::space##_load_sbyte, fn##Load<Element<1, Extend::Sign>>},             \
      {O::space##_load_ushort, fn##Load<Element<2>>},                          \
      {O::space##_load_sshort, fn##Load<Element<2, Extend::Sign>>},            \
      {O::space##_load_dword, fn##Load<Element<4>>},                           \
      {O::space##_load_dwordx2, fn##Load<Element<8>>},                         \
      {O::space##_load_dwordx3, fn##Load<Element<12>>},                        \
      {O::space##_load_dwordx4, fn##Load<Element<16>>},                        \
      {O::space##_load_ubyte_d16, fn##Load<Element<1, Extend::Low>>},          \
      {O::space##_load_ubyte_d16_hi, fn##Load<Element<1, Extend::High>>},      \
      {O::space##_load_sbyte_d16, fn##Load<Element<1, Extend::LowS>>},         \
      {O::space##_load_sbyte_d16_hi, fn##Load<Element<1, Extend::HighS>>},     \
      {O::space##_load_short_d16, fn##Load<Element<2, Extend::Low>>}, {        \
    O::space##_load_short_d16_hi, fn##Load<Element<2, Extend::High>>           \
  }
#define STORES(space, fn)                                                      \
  {O::space##_store_byte, fn##Store<Element<1>>},                              \
      {O::space##_store_byte_d16_hi, fn##Store<Element<1, Extend::High>>},     \
      {O::space##_store_short, fn##Store<Element<2>>},                         \
      {O::space##_store_short_d16_hi, fn##Store<Element<2, Extend::High>>},    \
      {O::space##_store_dword, fn##Store<Element<4>>},                         \
      {O::space##_store_dwordx2, fn##Store<Element<8>>},                       \
      {O::space##_store_dwordx3, fn##Store<Element<12>>}, {                    \
    O::space##_store_dwordx4, fn##Store<Element<16>>                           \
  }
// gfx942 has these for bytes, shorts and dwords.
#define LDS_LOADS(space, fn)                                                   \
  {O::space##_load_lds_ubyte, fn##LoadLds<Element<1>>},                        \
      {O::space##_load_lds_sbyte, fn##LoadLds<Element<1, Extend::Sign>>},      \
      {O::space##_load_lds_ushort, fn##LoadLds<Element<2>>},                   \
      {O::space##_load_lds_sshort, fn##LoadLds<Element<2, Extend::Sign>>}, {   \
    O::space##_load_lds_dword, fn##LoadLds<Element<4>>                         \
  }
constexpr Handler rows[] = {
    LOADS(global, global),     STORES(global, global),
    LOADS(flat, flat),         STORES(flat, flat),
    LOADS(scratch, scratch),   STORES(scratch, scratch),
    LDS_LOADS(global, global), LDS_LOADS(scratch, scratch),
};
#undef LOADS
#undef STORES
#undef LDS_LOADS

} // namespace

Family flatMemoryFamily() { return family(rows); }

} // namespace tlc::sim::TLC_SIM_ISA
