//===- FlatAtomic.cpp - FLAT and GLOBAL atomics ---------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Atomics take effect when the wavefront's turn at global memory comes, lanes
// in their order. A FLAT atomic may go to LDS instead.
//
//===----------------------------------------------------------------------===//

#include "AtomicOps.h"
#include "Families.h"
#include "FlatAddress.h"

namespace tlc::sim::TLC_SIM_ISA {
namespace {

/// Reads, combines and writes lane by lane; the destination may be the data
/// register.
template <typename T, auto F>
void apply(Wave &w, const Op &op, const LaneAddresses &a, u64 active) {
  // Data, then the compare value behind it.
  const u32 *data = registers(w, op.src[1]);
  const u32 *compare = data + sizeof(T) / 4 * waveLanes;
  bool returns = op.dstKind != OperandKind::None;
  bool hasCompare = op.src[1].dwords > sizeof(T) / 4;
  u32 *d = w.vgpr + op.dst;
  for (u64 rest = active; rest; rest &= rest - 1) {
    unsigned l = __builtin_ctzll(rest);
    T old = readHost<T>(a.at[l]);
    T second = hasCompare ? get<T>(compare, l) : T(0);
    T next = F(old, get<T>(data, l), second);
    writeHost<T>(a.at[l], next);
    if (returns)
      put<T>(d, l, ~0u, old);
  }
}

/// The turn comes first: the instruction is tried again until it has it, so
/// nothing may be done before. `bytes` of the dword must lie in an allocation.
template <typename T, auto F, unsigned bytes = sizeof(T)>
void global(Wave &w, const Op &op) {
  u64 active = w.exec();
  if (!active || awaitTurn(w, op))
    return;
  LaneAddresses a;
  globalAddresses(w, op, a);
  if (checkGlobal(w, op, a, active, bytes, true))
    apply<T, F>(w, op, a, active);
}

/// Two sums at once; an array of an odd number of halves ends in the first.
/// Memory comes in whole dwords, so what lies behind is nobody's.
template <typename T, auto F> void globalPacked(Wave &w, const Op &op) {
  global<T, F, 2>(w, op);
}

/// Lanes in the LDS aperture have host addresses after splitFlat(), like those
/// of global memory; scratch lanes are apart.
template <typename T, auto F> void flat(Wave &w, const Op &op) {
  u64 active = w.exec();
  if (!active || awaitTurn(w, op))
    return;
  LaneAddresses a;
  globalAddresses(w, op, a);
  u32 privateOffsets[waveLanes];
  FlatLanes lanes =
      splitFlat(w, op, a, active, sizeof(T), true, privateOffsets);
  if (lanes.fault)
    return;
  // Atomics on scratch: a lane's memory is its own, so the host address of
  // its interleaved dword does for 4 bytes; 8 are taken apart.
  apply<T, F>(w, op, a, active & ~lanes.inPrivate);
  if (!lanes.inPrivate)
    return;
  const u32 *data = registers(w, op.src[1]);
  const u32 *compare = data + sizeof(T) / 4 * waveLanes;
  bool hasCompare = op.src[1].dwords > sizeof(T) / 4;
  for (u64 rest = lanes.inPrivate; rest; rest &= rest - 1) {
    unsigned l = __builtin_ctzll(rest);
    u32 raw[2] = {};
    copyPrivate(w, l, privateOffsets[l], raw, sizeof(T), false);
    T old = readHost<T>(reinterpret_cast<u64>(raw));
    T second = hasCompare ? get<T>(compare, l) : T(0);
    T next = F(old, get<T>(data, l), second);
    writeHost<T>(reinterpret_cast<u64>(raw), next);
    copyPrivate(w, l, privateOffsets[l], raw, sizeof(T), true);
    if (op.dstKind != OperandKind::None)
      put<T>(w.vgpr + op.dst, l, ~0u, old);
  }
}

using O = Opcode;
// Both address forms have the same operations.
#define ATOMICS(prefix, fn, packed)                                            \
  TLC_INTEGER_ATOMICS(prefix, fn),                                             \
      {O::prefix##_add_f32, fn<f32, atomicAdd<f32>>},                          \
      {O::prefix##_pk_add_f16, packed<u32, atomicAddHalves>},                  \
      {O::prefix##_add_f64, fn<f64, atomicAdd<f64>>},                          \
      {O::prefix##_min_f64, fn<f64, atomicMinFloat<f64>>},                     \
      {O::prefix##_max_f64, fn<f64, atomicMaxFloat<f64>>}, {                   \
    O::prefix##_pk_add_bf16, packed<u32, atomicAddBf16s>                       \
  }
constexpr Handler rows[] = {ATOMICS(global_atomic, global, globalPacked),
                            ATOMICS(flat_atomic, flat, flat)};
#undef ATOMICS

} // namespace

Family flatAtomicFamily() { return family(rows); }

} // namespace tlc::sim::TLC_SIM_ISA
