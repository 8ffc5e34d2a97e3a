//===- LdsAtomic.cpp - LDS atomics ----------------------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes take effect in their order, wavefronts in that of the schedule.
//
// An instruction without "rtn" has no destination; both forms share a handler.
// Atomics on LDS need no turn: LDS belongs to the workgroup, whose wavefronts
// run one after another on one host thread.
//
//===----------------------------------------------------------------------===//

#include "AtomicOps.h"
#include "Families.h"
#include "LdsAccess.h"

namespace tlc::sim::TLC_SIM_ISA {
namespace {

/// F gets the old value and both data operands; forms with one operand ignore
/// the second.
template <typename T, auto F> void atomic(Wave &w, const Op &op) {
  u64 active = w.exec();
  LaneAddresses a;
  if (!active ||
      !ldsAddresses(w, op, active, op.inst->offset, sizeof(T), true, a))
    return;
  const u32 *data = registers(w, op.src[1]);
  const u32 *second =
      op.src[2].kind == OperandKind::None ? data : registers(w, op.src[2]);
  bool returns = op.dstKind != OperandKind::None;
  u32 *d = w.vgpr + op.dst;
  for (u64 rest = active; rest; rest &= rest - 1) {
    unsigned l = __builtin_ctzll(rest);
    // A lane sees what lower lanes of the same instruction have stored.
    T old = readHost<T>(a.at[l]);
    T next = F(old, get<T>(data, l), get<T>(second, l));
    writeHost<T>(a.at[l], next);
    if (returns)
      put<T>(d, l, ~0u, old);
  }
}

/// Two exchanges at two offsets.
template <typename T, unsigned Stride> void exchange2(Wave &w, const Op &op) {
  u64 active = w.exec();
  if (!active)
    return;
  u32 step = sizeof(T) * Stride;
  LaneAddresses a, b;
  if (!ldsAddresses(w, op, active, op.inst->offset0 * step, sizeof(T), true,
                    a) ||
      !ldsAddresses(w, op, active, op.inst->offset1 * step, sizeof(T), true, b))
    return;
  // The first old value, then the second behind it.
  u32 *d = w.vgpr + op.dst;
  const u32 *x = registers(w, op.src[1]), *y = registers(w, op.src[2]);
  constexpr unsigned words = sizeof(T) / 4;
  for (u64 rest = active; rest; rest &= rest - 1) {
    unsigned l = __builtin_ctzll(rest);
    T newA = get<T>(x, l), newB = get<T>(y, l);
    T oldA = readHost<T>(a.at[l]);
    writeHost<T>(a.at[l], newA);
    T oldB = readHost<T>(b.at[l]);
    writeHost<T>(b.at[l], newB);
    put<T>(d, l, ~0u, oldA);
    put<T>(d + words * waveLanes, l, ~0u, oldB);
  }
}

// For LDS the compare value is the first data operand.
template <typename T> constexpr T compareStore(T old, T compare, T data) {
  return old == compare ? data : old;
}
/// ds_rsub: the data minus what is in memory.
template <typename T> constexpr T reverseSub(T old, T data, T) {
  return data - old;
}
template <typename T> constexpr T maskOr(T old, T mask, T data) {
  return (old & ~mask) | data;
}
/// ds_wrap: subtracts the first operand if it can, else adds the second.
constexpr u32 wrap(u32 old, u32 data, u32 second) {
  return old >= data ? old - data : old + second;
}

/// Two dwords of eight aligned bytes: each is replaced where the top bit of its
/// data says so, by the other bits.
void conditionalExchange(Wave &w, const Op &op) {
  u64 active = w.exec();
  if (!active)
    return;
  LaneAddresses a;
  const u32 *v = w.vgpr + op.src[0].index;
  TLC_LANE_LOOP a.at[l] = (v[l] + u32(op.inst->offset)) & 0xfff8;
  if (!ldsToHost(w, op, active, 8, true, a))
    return;
  const u32 *data = registers(w, op.src[1]);
  u32 *d = w.vgpr + op.dst;
  for (u64 rest = active; rest; rest &= rest - 1) {
    unsigned l = __builtin_ctzll(rest);
    for (unsigned i = 0; i < 2; ++i) {
      u32 now = data[i * waveLanes + l];
      u32 old = readHost<u32>(a.at[l] + 4 * i);
      if (now >> 31)
        writeHost<u32>(a.at[l] + 4 * i, now & 0x7fffffff);
      d[i * waveLanes + l] = old;
    }
  }
}

/// M0 is the address in LDS, as compilers set it (only global memory's share,
/// which gfx942 has not, had its base in the upper half); the whole wavefront
/// adds its number of active lanes.
template <bool Add> void appendConsume(Wave &w, const Op &op) {
  u32 at = (w.sgpr[ScalarReg::M0] & 0xffff) + u32(op.inst->offset);
  LaneAddresses a;
  a.at[0] = at;
  if (!ldsToHost(w, op, 1, 4, true, a))
    return;
  u32 count = u32(__builtin_popcountll(w.exec()));
  u32 old = readHost<u32>(a.at[0]);
  writeHost<u32>(a.at[0], Add ? old + count : old - count);
  const u32 *mask = execLanes(w);
  u32 *d = w.vgpr + op.dst;
  // All lanes get the value before.
  TLC_LANE_LOOP put<u32>(d, l, mask[l], old);
}

using O = Opcode;
// name, its returning form, type, function
#define BOTH(name, rtn, T, F)                                                  \
  {O::ds_##name, atomic<T, F>}, { O::ds_##rtn, atomic<T, F> }
// The integer forms exist for 32 and 64 bits alike.
#define WIDTH(bits, U, I)                                                      \
  BOTH(add_u##bits, add_rtn_u##bits, U, atomicAdd<U>),                         \
      BOTH(sub_u##bits, sub_rtn_u##bits, U, atomicSub<U>),                     \
      BOTH(rsub_u##bits, rsub_rtn_u##bits, U, reverseSub<U>),                  \
      BOTH(inc_u##bits, inc_rtn_u##bits, U, atomicInc<U>),                     \
      BOTH(dec_u##bits, dec_rtn_u##bits, U, atomicDec<U>),                     \
      BOTH(min_i##bits, min_rtn_i##bits, I, atomicMin<I>),                     \
      BOTH(max_i##bits, max_rtn_i##bits, I, atomicMax<I>),                     \
      BOTH(min_u##bits, min_rtn_u##bits, U, atomicMin<U>),                     \
      BOTH(max_u##bits, max_rtn_u##bits, U, atomicMax<U>),                     \
      BOTH(and_b##bits, and_rtn_b##bits, U, atomicAnd<U>),                     \
      BOTH(or_b##bits, or_rtn_b##bits, U, atomicOr<U>),                        \
      BOTH(xor_b##bits, xor_rtn_b##bits, U, atomicXor<U>),                     \
      BOTH(mskor_b##bits, mskor_rtn_b##bits, U, maskOr<U>),                    \
      BOTH(cmpst_b##bits, cmpst_rtn_b##bits, U, compareStore<U>),              \
      {O::ds_wrxchg_rtn_b##bits, atomic<U, atomicSwap<U>>},                    \
      {O::ds_wrxchg2_rtn_b##bits, exchange2<U, 1>}, {                          \
    O::ds_wrxchg2st64_rtn_b##bits, exchange2<U, 64>                            \
  }
constexpr Handler rows[] = {
    WIDTH(32, u32, i32),
    WIDTH(64, u64, i64),
    BOTH(min_f32, min_rtn_f32, f32, atomicMinFloat<f32>),
    BOTH(max_f32, max_rtn_f32, f32, atomicMaxFloat<f32>),
    BOTH(min_f64, min_rtn_f64, f64, atomicMinFloat<f64>),
    BOTH(max_f64, max_rtn_f64, f64, atomicMaxFloat<f64>),
    BOTH(add_f32, add_rtn_f32, f32, atomicAdd<f32>),
    BOTH(add_f64, add_rtn_f64, f64, atomicAdd<f64>),
    BOTH(pk_add_f16, pk_add_rtn_f16, u32, atomicAddHalves),
    BOTH(pk_add_bf16, pk_add_rtn_bf16, u32, atomicAddBf16s),
    BOTH(cmpst_f32, cmpst_rtn_f32, f32, compareStore<f32>),
    BOTH(cmpst_f64, cmpst_rtn_f64, f64, compareStore<f64>),
    {O::ds_wrap_rtn_b32, atomic<u32, wrap>},
    {O::ds_condxchg32_rtn_b64, conditionalExchange},
    {O::ds_append, appendConsume<true>},
    {O::ds_consume, appendConsume<false>},
};
#undef BOTH
#undef WIDTH

} // namespace

Family ldsAtomicFamily() { return family(rows); }

} // namespace tlc::sim::TLC_SIM_ISA
