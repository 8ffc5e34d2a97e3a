//===- BufferMemory.cpp - MUBUF loads and stores --------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain loads and stores of MUBUF. Range checks are in BufferAccess; with the
// lds bit a load's dword goes to LDS instead of a register.
//
//===----------------------------------------------------------------------===//

#include "BufferAccess.h"
#include "Families.h"
#include "FlatAddress.h"

namespace tlc::sim::TLC_SIM_ISA {
namespace {

template <typename E> void load(Wave &w, const Op &op) {
  u64 active = w.exec();
  if (!active || (op.inst->sc1 && awaitTurn(w, op)))
    return;
  if (!op.inst->lds) {
    bufferLoadLanes<E>(w, op, active, w.vgpr + op.dst);
    return;
  }
  alignas(64) u32 data[E::dwords * waveLanes] = {};
  if (bufferLoadLanes<E>(w, op, active, data))
    storeToLds(w, op, active, data);
}
template <typename E> void store(Wave &w, const Op &op) {
  if (u64 active = w.exec())
    bufferStoreLanes<E>(w, op, active, registers(w, op.src[1]));
}

/// Caches are not modelled: memory is always coherent here.
void nothing(Wave &, const Op &) {}

using O = Opcode;
constexpr Handler rows[] = {
    {O::buffer_load_ubyte, load<Element<1>>},
    {O::buffer_load_sbyte, load<Element<1, Extend::Sign>>},
    {O::buffer_load_ushort, load<Element<2>>},
    {O::buffer_load_sshort, load<Element<2, Extend::Sign>>},
    {O::buffer_load_dword, load<Element<4>>},
    {O::buffer_load_dwordx2, load<Element<8>>},
    {O::buffer_load_dwordx3, load<Element<12>>},
    {O::buffer_load_dwordx4, load<Element<16>>},
    {O::buffer_load_ubyte_d16, load<Element<1, Extend::Low>>},
    {O::buffer_load_ubyte_d16_hi, load<Element<1, Extend::High>>},
    {O::buffer_load_sbyte_d16, load<Element<1, Extend::LowS>>},
    {O::buffer_load_sbyte_d16_hi, load<Element<1, Extend::HighS>>},
    {O::buffer_load_short_d16, load<Element<2, Extend::Low>>},
    {O::buffer_load_short_d16_hi, load<Element<2, Extend::High>>},
    {O::buffer_store_byte, store<Element<1>>},
    {O::buffer_store_byte_d16_hi, store<Element<1, Extend::High>>},
    {O::buffer_store_short, store<Element<2>>},
    {O::buffer_store_short_d16_hi, store<Element<2, Extend::High>>},
    {O::buffer_store_dword, store<Element<4>>},
    {O::buffer_store_dwordx2, store<Element<8>>},
    {O::buffer_store_dwordx3, store<Element<12>>},
    {O::buffer_store_dwordx4, store<Element<16>>},
    {O::buffer_wbl2, nothing},
    {O::buffer_inv, nothing},
};

} // namespace

Family bufferMemoryFamily() { return family(rows); }

} // namespace tlc::sim::TLC_SIM_ISA
