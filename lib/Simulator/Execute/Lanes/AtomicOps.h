//===- AtomicOps.h - What atomics do to a value -----------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function takes the old value, the data, and the second data operand
// (compare), and gives the new value. LDS, FLAT, MUBUF and SMEM share them.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_EXECUTE_LANES_ATOMICOPS_H
#define TLC_LIB_SIMULATOR_EXECUTE_LANES_ATOMICOPS_H

#include "FloatOps.h"

namespace tlc::sim::TLC_SIM_ISA {

template <typename T> constexpr T atomicSwap(T, T data, T) { return data; }
template <typename T> constexpr T atomicCompareSwap(T old, T data, T compare) {
  return old == compare ? data : old;
}
template <typename T> constexpr T atomicAdd(T old, T data, T) {
  return old + data;
}
template <typename T> constexpr T atomicSub(T old, T data, T) {
  return old - data;
}
template <typename T> constexpr T atomicMin(T old, T data, T) {
  return data < old ? data : old;
}
template <typename T> constexpr T atomicMax(T old, T data, T) {
  return data > old ? data : old;
}
template <typename T> constexpr T atomicAnd(T old, T data, T) {
  return old & data;
}
template <typename T> constexpr T atomicOr(T old, T data, T) {
  return old | data;
}
template <typename T> constexpr T atomicXor(T old, T data, T) {
  return old ^ data;
}
/// Counts up to the data, then wraps to 0.
template <typename T> constexpr T atomicInc(T old, T data, T) {
  return old >= data ? 0 : old + 1;
}
/// Counts down to 0, then wraps to the data, which also caps values above it.
template <typename T> constexpr T atomicDec(T old, T data, T) {
  return old == 0 || old > data ? data : old - 1;
}
/// The rows of the integer operations in a family's table, the same for each
/// way to give an address; _x2 forms have 64-bit data.
#define TLC_INTEGER_ATOMICS(prefix, fn)                                        \
  {Opcode::prefix##_swap, fn<u32, atomicSwap<u32>>},                           \
      {Opcode::prefix##_cmpswap, fn<u32, atomicCompareSwap<u32>>},             \
      {Opcode::prefix##_add, fn<u32, atomicAdd<u32>>},                         \
      {Opcode::prefix##_sub, fn<u32, atomicSub<u32>>},                         \
      {Opcode::prefix##_smin, fn<i32, atomicMin<i32>>},                        \
      {Opcode::prefix##_umin, fn<u32, atomicMin<u32>>},                        \
      {Opcode::prefix##_smax, fn<i32, atomicMax<i32>>},                        \
      {Opcode::prefix##_umax, fn<u32, atomicMax<u32>>},                        \
      {Opcode::prefix##_and, fn<u32, atomicAnd<u32>>},                         \
      {Opcode::prefix##_or, fn<u32, atomicOr<u32>>},                           \
      {Opcode::prefix##_xor, fn<u32, atomicXor<u32>>},                         \
      {Opcode::prefix##_inc, fn<u32, atomicInc<u32>>},                         \
      {Opcode::prefix##_dec, fn<u32, atomicDec<u32>>},                         \
      {Opcode::prefix##_swap_x2, fn<u64, atomicSwap<u64>>},                    \
      {Opcode::prefix##_cmpswap_x2, fn<u64, atomicCompareSwap<u64>>},          \
      {Opcode::prefix##_add_x2, fn<u64, atomicAdd<u64>>},                      \
      {Opcode::prefix##_sub_x2, fn<u64, atomicSub<u64>>},                      \
      {Opcode::prefix##_smin_x2, fn<i64, atomicMin<i64>>},                     \
      {Opcode::prefix##_umin_x2, fn<u64, atomicMin<u64>>},                     \
      {Opcode::prefix##_smax_x2, fn<i64, atomicMax<i64>>},                     \
      {Opcode::prefix##_umax_x2, fn<u64, atomicMax<u64>>},                     \
      {Opcode::prefix##_and_x2, fn<u64, atomicAnd<u64>>},                      \
      {Opcode::prefix##_or_x2, fn<u64, atomicOr<u64>>},                        \
      {Opcode::prefix##_xor_x2, fn<u64, atomicXor<u64>>},                      \
      {Opcode::prefix##_inc_x2, fn<u64, atomicInc<u64>>}, {                    \
    Opcode::prefix##_dec_x2, fn<u64, atomicDec<u64>>                           \
  }

/// As v_min with IEEE on: a signalling NaN becomes a quiet one.
template <typename T> inline T atomicMinFloat(T old, T data, T) {
  return minimum(old, data, true);
}
template <typename T> inline T atomicMaxFloat(T old, T data, T) {
  return maximum(old, data, true);
}

inline f32 fromBf16(u16 v) { return bits<f32>(u32(v) << 16); }
/// Nearest even; NaN stays one.
inline u16 toBf16(f32 v) {
  u32 b = raw(v);
  if (isNan(v))
    return u16(b >> 16 | 0x40);
  return u16((b + 0x7fff + (b >> 16 & 1)) >> 16);
}

/// Each half is added in f32 and rounded once.
inline u32 atomicAddHalves(u32 old, u32 data, u32) {
  f16 lo = f16(f32(bits<f16>(u16(old))) + f32(bits<f16>(u16(data))));
  f16 hi =
      f16(f32(bits<f16>(u16(old >> 16))) + f32(bits<f16>(u16(data >> 16))));
  return u32(raw(hi)) << 16 | raw(lo);
}
inline u32 atomicAddBf16s(u32 old, u32 data, u32) {
  u16 lo = toBf16(fromBf16(u16(old)) + fromBf16(u16(data)));
  u16 hi = toBf16(fromBf16(u16(old >> 16)) + fromBf16(u16(data >> 16)));
  return u32(hi) << 16 | lo;
}

} // namespace tlc::sim::TLC_SIM_ISA

#endif // TLC_LIB_SIMULATOR_EXECUTE_LANES_ATOMICOPS_H
