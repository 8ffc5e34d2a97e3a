//===- LaneOps.h - Building blocks of the handlers --------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A handler of a vector ALU operation is one scalar function lifted over the
// 64 lanes: `map<R, A, B>` reads operands of types A and B, and writes R where
// the lane is active. Operands of one lane never alias those of another, so
// the loops are declared free of dependences.
//
// Every file of this folder is compiled once for each host instruction set
// (TLC_SIM_ISA names the one at hand, and is a namespace); Handlers.cpp picks
// the best that the host has.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_EXECUTE_LANES_LANEOPS_H
#define TLC_LIB_SIMULATOR_EXECUTE_LANES_LANEOPS_H

#include "Handlers.h"
#include "tlc/Simulator/Execute/Wave.h"

#include <cstdint>
#include <cstring>

#define TLC_LANE_LOOP                                                          \
  _Pragma("clang loop vectorize(assume_safety)") for (unsigned l = 0;          \
                                                      l < waveLanes; ++l)

namespace tlc::sim::TLC_SIM_ISA {

using f16 = _Float16;
using f32 = float;
using f64 = double;
using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using i8 = int8_t;
using i16 = int16_t;
using i32 = int32_t;
using i64 = int64_t;

template <typename To, typename From> constexpr To bits(From from) {
  return __builtin_bit_cast(To, from);
}

/// A 16-bit value that leaves the upper half of its register as it was.
template <typename T> struct Keep {
  T value;
};
/// Two 16-bit values of a register.
template <typename T> struct Pair {
  T lo, hi;
};

/// How a type is kept in the words of a lane.
template <typename T> struct Word {
  static T get(const u32 *p, unsigned l) {
    if constexpr (sizeof(T) == 4)
      return bits<T>(p[l]);
    else if constexpr (sizeof(T) == 8)
      return bits<T>(u64(p[l + waveLanes]) << 32 | p[l]);
    else if constexpr (sizeof(T) == 2)
      return bits<T>(u16(p[l]));
    else
      return bits<T>(u8(p[l]));
  }
  // Written as a selection, not a branch, which vectorizes to a masked move.
  // Types below a dword clear the rest of it.
  static void put(u32 *p, unsigned l, u32 mask, T value) {
    if constexpr (sizeof(T) == 8) {
      u64 raw = bits<u64>(value);
      p[l] = mask ? u32(raw) : p[l];
      p[l + waveLanes] = mask ? u32(raw >> 32) : p[l + waveLanes];
    } else if constexpr (sizeof(T) == 4) {
      p[l] = mask ? bits<u32>(value) : p[l];
    } else {
      p[l] = mask ? u32(bits<u16>(value)) : p[l];
    }
  }
};

template <typename T> struct Word<Keep<T>> {
  static void put(u32 *p, unsigned l, u32 mask, Keep<T> value) {
    u32 merged = (p[l] & 0xffff0000) | bits<u16>(value.value);
    p[l] = mask ? merged : p[l];
  }
};

template <typename T> struct Word<Pair<T>> {
  static Pair<T> get(const u32 *p, unsigned l) {
    return {bits<T>(u16(p[l])), bits<T>(u16(p[l] >> 16))};
  }
  static void put(u32 *p, unsigned l, u32 mask, Pair<T> value) {
    u32 raw = u32(bits<u16>(value.hi)) << 16 | bits<u16>(value.lo);
    p[l] = mask ? raw : p[l];
  }
};

/// Two 32-bit values in consecutive registers.
template <> struct Word<Pair<f32>> {
  static Pair<f32> get(const u32 *p, unsigned l) {
    return {bits<f32>(p[l]), bits<f32>(p[l + waveLanes])};
  }
  static void put(u32 *p, unsigned l, u32 mask, Pair<f32> value) {
    p[l] = mask ? bits<u32>(value.lo) : p[l];
    p[l + waveLanes] = mask ? bits<u32>(value.hi) : p[l + waveLanes];
  }
};

/// Register arrays are [dword][lane]: a 64-bit value has its halves 64 words
/// apart.
template <typename T> inline T get(const u32 *p, unsigned l) {
  return Word<T>::get(p, l);
}
template <typename T> inline void put(u32 *p, unsigned l, u32 mask, T value) {
  Word<T>::put(p, l, mask, value);
}

/// Lane loops. F is a captureless lambda.
template <typename R, typename A, auto F> void map1(const Lanes &x) {
  TLC_LANE_LOOP put<R>(x.d, l, x.mask[l], F(get<A>(x.a, l)));
}
template <typename R, typename A, typename B, auto F>
void map2(const Lanes &x) {
  TLC_LANE_LOOP
  put<R>(x.d, l, x.mask[l], F(get<A>(x.a, l), get<B>(x.b, l)));
}
template <typename R, typename A, typename B, typename C, auto F>
void map3(const Lanes &x) {
  TLC_LANE_LOOP
  put<R>(x.d, l, x.mask[l], F(get<A>(x.a, l), get<B>(x.b, l), get<C>(x.c, l)));
}
/// The destination is the third source.
template <typename R, typename A, typename B, auto F>
void accumulate(const Lanes &x) {
  TLC_LANE_LOOP
  put<R>(x.d, l, x.mask[l], F(get<A>(x.a, l), get<B>(x.b, l), get<R>(x.d, l)));
}

/// Packs one byte per lane, 0 or 1, into a 64-bit mask.
inline u64 packMask(const u8 *flags) {
  u64 mask = 0;
  for (unsigned i = 0; i < 8; ++i) {
    u64 eight;
    __builtin_memcpy(&eight, flags + i * 8, 8);
    // The product gathers bit 0 of each of eight bytes in its top byte.
    mask |= (eight * 0x0102040810204080u >> 56) << (i * 8);
  }
  return mask;
}

/// EXEC as a word for each lane; kept until EXEC changes.
inline const u32 *execLanes(Wave &w) {
  u64 exec = w.exec();
  if (exec != w.expandedExec) {
    TLC_LANE_LOOP w.execLanes[l] = u32(0) - u32(exec >> l & 1);
    w.expandedExec = exec;
  }
  return w.execLanes;
}

/// Value of a scalar source.
u64 specialValue(const Wave &w, unsigned reg);
inline u32 scalar32(const Wave &w, const Source &s) {
  if (s.kind == OperandKind::Scalar)
    return w.sgpr[s.index];
  if (s.kind == OperandKind::Special)
    return u32(specialValue(w, s.index));
  return u32(s.value);
}
inline u64 scalar64(const Wave &w, const Source &s) {
  if (s.kind == OperandKind::Scalar)
    return w.pair(s.index);
  if (s.kind == OperandKind::Special)
    return specialValue(w, s.index);
  return s.value;
}

/// The lanes of a vector source; scalars are broadcast into `slot`.
const u32 *broadcast(Wave &w, const Source &s, unsigned slot);
inline const u32 *lanesOf(Wave &w, const Source &s, unsigned slot) {
  if (s.kind == OperandKind::Vector || s.kind == OperandKind::Accumulator)
    return w.vgpr + s.index;
  if (s.lanes)
    return s.lanes;
  return broadcast(w, s, slot);
}

/// How a vector ALU operation runs: without modifiers, or with any.
void runPlain(Wave &w, const Op &op);
void runModified(Wave &w, const Op &op);

} // namespace tlc::sim::TLC_SIM_ISA

#endif // TLC_LIB_SIMULATOR_EXECUTE_LANES_LANEOPS_H
