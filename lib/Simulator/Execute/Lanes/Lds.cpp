//===- Lds.cpp - LDS loads and stores -------------------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Addresses are 32-bit VGPRs plus a constant. The forms with two offsets count
// these in elements, or in 64 elements.
//
// Element<bytes, extension> describes the data of a lane: d16 forms write one
// half of the register and keep the other. ldsAddresses() turns offsets into
// host addresses and raises the fault for a lane beyond the allocation.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "LdsAccess.h"

namespace tlc::sim::TLC_SIM_ISA {
namespace {

// Nothing happens, not even a fault, without active lanes.
template <typename E> void read(Wave &w, const Op &op) {
  u64 active = w.exec();
  LaneAddresses a;
  if (active &&
      ldsAddresses(w, op, active, op.inst->offset, E::bytes, false, a))
    loadLanes<E>(a, active, w.vgpr + op.dst);
}
template <typename E> void write(Wave &w, const Op &op) {
  u64 active = w.exec();
  LaneAddresses a;
  if (active && ldsAddresses(w, op, active, op.inst->offset, E::bytes, true, a))
    storeLanes<E>(a, active, registers(w, op.src[1]));
}

/// Both addresses are checked before anything is loaded.
template <typename E, unsigned Stride> void read2(Wave &w, const Op &op) {
  u64 active = w.exec();
  if (!active)
    return;
  u32 step = E::bytes * Stride;
  LaneAddresses first, second;
  if (!ldsAddresses(w, op, active, op.inst->offset0 * step, E::bytes, false,
                    first) ||
      !ldsAddresses(w, op, active, op.inst->offset1 * step, E::bytes, false,
                    second))
    return;
  // The destination may hold the addresses: both are known by now.
  u32 *d = w.vgpr + op.dst;
  loadLanes<E>(first, active, d);
  loadLanes<E>(second, active, d + E::dwords * waveLanes);
}
/// The second store comes after the first, so its data stays where both meet.
template <typename E, unsigned Stride> void write2(Wave &w, const Op &op) {
  u64 active = w.exec();
  if (!active)
    return;
  u32 step = E::bytes * Stride;
  LaneAddresses first, second;
  if (!ldsAddresses(w, op, active, op.inst->offset0 * step, E::bytes, true,
                    first) ||
      !ldsAddresses(w, op, active, op.inst->offset1 * step, E::bytes, true,
                    second))
    return;
  storeLanes<E>(first, active, registers(w, op.src[1]));
  storeLanes<E>(second, active, registers(w, op.src[2]));
}

/// The lane number, times four, is the address; M0 is the base.
template <bool Store> void byThread(Wave &w, const Op &op) {
  u64 active = w.exec();
  u32 base = (w.sgpr[ScalarReg::M0] & 0xffff) + u32(op.inst->offset);
  LaneAddresses a;
  TLC_LANE_LOOP a.at[l] = base + l * 4;
  if (!active || !ldsToHost(w, op, active, 4, Store, a))
    return;
  if (Store)
    storeLanes<Element<4>>(a, active, registers(w, op.src[1]));
  else
    loadLanes<Element<4>>(a, active, w.vgpr + op.dst);
}

void nothing(Wave &, const Op &) {}

using O = Opcode;
constexpr Handler rows[] = {
    // Plain, then narrow reads.
    {O::ds_read_b32, read<Element<4>>},
    {O::ds_read_b64, read<Element<8>>},
    {O::ds_read_b96, read<Element<12>>},
    {O::ds_read_b128, read<Element<16>>},
    {O::ds_read_i8, read<Element<1, Extend::Sign>>},
    {O::ds_read_u8, read<Element<1>>},
    {O::ds_read_i16, read<Element<2, Extend::Sign>>},
    {O::ds_read_u16, read<Element<2>>},
    {O::ds_read_u8_d16, read<Element<1, Extend::Low>>},
    {O::ds_read_u8_d16_hi, read<Element<1, Extend::High>>},
    {O::ds_read_i8_d16, read<Element<1, Extend::LowS>>},
    {O::ds_read_i8_d16_hi, read<Element<1, Extend::HighS>>},
    {O::ds_read_u16_d16, read<Element<2, Extend::Low>>},
    {O::ds_read_u16_d16_hi, read<Element<2, Extend::High>>},
    // Two offsets of eight bits each, in elements or times 64.
    {O::ds_read2_b32, read2<Element<4>, 1>},
    {O::ds_read2st64_b32, read2<Element<4>, 64>},
    {O::ds_read2_b64, read2<Element<8>, 1>},
    {O::ds_read2st64_b64, read2<Element<8>, 64>},
    {O::ds_write_b8, write<Element<1>>},
    {O::ds_write_b16, write<Element<2>>},
    {O::ds_write_b8_d16_hi, write<Element<1, Extend::High>>},
    {O::ds_write_b16_d16_hi, write<Element<2, Extend::High>>},
    {O::ds_write_b32, write<Element<4>>},
    {O::ds_write_b64, write<Element<8>>},
    {O::ds_write_b96, write<Element<12>>},
    {O::ds_write_b128, write<Element<16>>},
    {O::ds_write2_b32, write2<Element<4>, 1>},
    {O::ds_write2st64_b32, write2<Element<4>, 64>},
    {O::ds_write2_b64, write2<Element<8>, 1>},
    {O::ds_write2st64_b64, write2<Element<8>, 64>},
    {O::ds_read_addtid_b32, byThread<false>},
    {O::ds_write_addtid_b32, byThread<true>},
    {O::ds_nop, nothing},
};

} // namespace

Family ldsFamily() { return family(rows); }

} // namespace tlc::sim::TLC_SIM_ISA
