//===- BufferAtomic.cpp - MUBUF atomics -----------------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Atomics of MUBUF: as those of FLAT (FlatAtomic.cpp), with the addresses and
// range checks of a buffer.
//
//===----------------------------------------------------------------------===//

#include "AtomicOps.h"
#include "BufferAccess.h"
#include "Families.h"

namespace tlc::sim::TLC_SIM_ISA {
namespace {

/// The data register is also where the old value returns, with sc0; a lane out
/// of range returns 0.
template <typename T, auto F> void atomic(Wave &w, const Op &op) {
  u64 active = w.exec();
  if (!active || awaitTurn(w, op))
    return;
  BufferLanes lanes;
  bufferAddresses(w, op, resourceOf(w, op), sizeof(T), lanes);
  if (!checkBuffer(w, op, lanes, active & lanes.full, sizeof(T), true))
    return;
  u32 *data = registers(w, op.src[1]);
  const u32 *compare = data + sizeof(T) / 4 * waveLanes;
  bool returns = op.dstKind != OperandKind::None;
  bool hasCompare = op.src[1].dwords > sizeof(T) / 4;
  for (u64 rest = active; rest; rest &= rest - 1) {
    unsigned l = __builtin_ctzll(rest);
    T old = T(0);
    if (lanes.full >> l & 1) {
      u64 address = lanes.address.at[l];
      old = readHost<T>(address);
      T second = hasCompare ? get<T>(compare, l) : T(0);
      writeHost<T>(address, F(old, get<T>(data, l), second));
    }
    if (returns)
      put<T>(w.vgpr + op.dst, l, ~0u, old);
  }
}

using O = Opcode;
constexpr Handler rows[] = {
    TLC_INTEGER_ATOMICS(buffer_atomic, atomic),
    {O::buffer_atomic_add_f32, atomic<f32, atomicAdd<f32>>},
    {O::buffer_atomic_pk_add_f16, atomic<u32, atomicAddHalves>},
    {O::buffer_atomic_add_f64, atomic<f64, atomicAdd<f64>>},
    {O::buffer_atomic_min_f64, atomic<f64, atomicMinFloat<f64>>},
    {O::buffer_atomic_max_f64, atomic<f64, atomicMaxFloat<f64>>},
};

} // namespace

Family bufferAtomicFamily() { return family(rows); }

} // namespace tlc::sim::TLC_SIM_ISA
