//===- MatrixTile.h - Layouts of the matrix core ----------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One rule covers the operands of every MFMA. With M rows (as many columns),
// the wavefront falls into 64 / M groups of M lanes. Group g holds block
// g % blocks and, of that block, the k-th slice g / blocks; a lane holds its
// row's elements of the slice one after the other.
//
// The accumulator has a column per lane. Its rows: 32x32 has four rows per
// group in turns of eight, 16x16 four consecutive rows per group, 4x4 one row
// per register; f64 one row per group and register pair.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_EXECUTE_LANES_MATRIXTILE_H
#define TLC_LIB_SIMULATOR_EXECUTE_LANES_MATRIXTILE_H

#include "AtomicOps.h"
#include "SmallFloat.h"

#include <type_traits>

namespace tlc::sim::TLC_SIM_ISA {

//===--- Element types: storage, and what they compute in -----------------===//

/// Each type: bits of an element, the type of sums, and an element as the type
/// computed in.
struct TypeF16 {
  static constexpr unsigned bits = 16;
  using Sum = f32;
  static f32 get(u64 raw) {
    return f32(tlc::sim::TLC_SIM_ISA::bits<f16>(u16(raw)));
  }
};
struct TypeBf16 {
  static constexpr unsigned bits = 16;
  using Sum = f32;
  static f32 get(u64 raw) { return fromBf16(u16(raw)); }
};
struct TypeFp8 {
  static constexpr unsigned bits = 8;
  using Sum = f32;
  static f32 get(u64 raw) { return fromSmall<Fp8>(u8(raw)); }
};
struct TypeBf8 {
  static constexpr unsigned bits = 8;
  using Sum = f32;
  static f32 get(u64 raw) { return fromSmall<Bf8>(u8(raw)); }
};
/// Products and their sums are exact in f32: 64 times 2 · 127 · 128 at most.
struct TypeI8 {
  static constexpr unsigned bits = 8;
  using Sum = i32;
  static f32 get(u64 raw) { return f32(i32(i8(raw))); }
};
struct TypeF32 {
  static constexpr unsigned bits = 32;
  using Sum = f32;
  static f32 get(u64 raw) { return tlc::sim::TLC_SIM_ISA::bits<f32>(u32(raw)); }
};
/// f32 with the mantissa cut off at 10 bits: the matrix core of gfx942 rounds
/// toward zero, as AMD's libraries found (ROCm/rocm-libraries 9176).
struct TypeXf32 {
  static constexpr unsigned bits = 32;
  using Sum = f32;
  static f32 get(u64 raw) {
    u32 v = u32(raw);
    bool special = (v & 0x7f800000) == 0x7f800000;
    // Infinities and NaNs stay.
    return tlc::sim::TLC_SIM_ISA::bits<f32>(special ? v : v & ~0x1fffu);
  }
};
struct TypeF64 {
  static constexpr unsigned bits = 64;
  using Sum = f64;
  static f64 get(u64 raw) { return tlc::sim::TLC_SIM_ISA::bits<f64>(raw); }
};

/// Element e of a lane's operand registers.
template <typename T>
inline u64 rawElement(const u32 *p, unsigned l, unsigned e) {
  if constexpr (T::bits == 64) {
    return u64(p[(2 * e + 1) * waveLanes + l]) << 32 | p[2 * e * waveLanes + l];
  } else {
    // Narrow elements lie in a dword from the lowest bits up.
    constexpr unsigned perWord = 32 / T::bits;
    return u64(p[e / perWord * waveLanes + l]) >> (e % perWord * T::bits);
  }
}

/// Shape of an MFMA.
template <unsigned M, unsigned K, unsigned Blocks> struct Tile {
  static constexpr unsigned rows = M, depth = K, blocks = Blocks;
  static constexpr unsigned groups = waveLanes / M;
  static constexpr unsigned perLane = K * Blocks / groups; ///< of A and of B
};

/// Row of the accumulator in register v for a group of lanes, and its block.
template <typename S, bool Wide> struct Accumulator {
  static constexpr unsigned registers =
      S::rows * S::rows * S::blocks / waveLanes;
  static unsigned block(unsigned v, unsigned group) {
    if constexpr (S::rows == 32)
      return v / 16;
    else if constexpr (S::rows == 16)
      return Wide ? 0 : v / 4;
    else
      return group % S::blocks;
  }
  static unsigned row(unsigned v, unsigned group) {
    if constexpr (S::rows == 32)
      return v % 16 / 4 * 8 + group * 4 + v % 4;
    else if constexpr (S::rows == 16)
      return Wide ? v * 4 + group : group * 4 + v % 4;
    else
      return Wide ? group / S::blocks : v;
  }
};

/// What products are computed in.
template <typename Sum>
using ValueOf = std::conditional_t<std::is_same_v<Sum, i32>, f32, Sum>;

#ifdef __AVX512F__
constexpr unsigned rowsAbreast = 4; ///< of 32 columns: chains of sums in flight
#else
constexpr unsigned rowsAbreast = 2;
#endif

/// D = A·B + C over values already converted: a is [block][k][row], b is
/// [block][k][column]. Each sum is taken in ascending order of k.
template <typename S, typename Sum, unsigned K>
inline void multiply(const ValueOf<Sum> *a, const ValueOf<Sum> *b, const u32 *c,
                     u32 *d) {
  using Value = ValueOf<Sum>;
  constexpr bool wide = sizeof(Sum) == 8, integer = std::is_same_v<Sum, i32>;
  constexpr unsigned n = S::rows, words = sizeof(Sum) / 4;
  using Acc = Accumulator<S, wide>;
  // A row in pieces of at most 64 bytes.
  constexpr unsigned width = n * sizeof(Value) > 64 ? 64 / sizeof(Value) : n;
  constexpr unsigned pieces = n / width;
  using Piece = Value __attribute__((ext_vector_type(width)));
  constexpr unsigned registers = Acc::registers;
  // Of one block, so many rows at a time that the sums need not wait for one
  // another.
  constexpr unsigned abreast = registers % 4 ? 1
                               : n == 16 && S::blocks == 1 && !wide
                                   ? 2 * rowsAbreast
                                   : rowsAbreast;
  // Rows of D, `abreast` at a time: a row is one register of one group of
  // lanes.
  for (unsigned t = 0; t < registers * S::groups; t += abreast) {
    unsigned block = Acc::block(t % registers, t / registers);
    const Value *left[abreast];
    unsigned at[abreast]; // first word of the row of C and D
    Piece sum[abreast][pieces];
    for (unsigned r = 0; r < abreast; ++r) {
      unsigned v = (t + r) % registers, g = (t + r) / registers;
      left[r] = a + block * K * n + Acc::row(v, g);
      at[r] = v * words * waveLanes + g * n;
      Value start[n] = {};
      // Integers start at 0 and C is added in 32 bits at the end: their
      // products fit f32 exactly, C would not.
      if constexpr (!integer)
        for (unsigned j = 0; j < n; ++j)
          start[j] = get<Sum>(c + at[r], j);
      __builtin_memcpy(sum[r], start, sizeof(start));
    }
    const Value *right = b + block * K * n;
    for (unsigned k = 0; k < K; ++k) {
      Piece columns[pieces];
      __builtin_memcpy(columns, right + k * n, sizeof(columns));
#pragma clang loop unroll(full)
      for (unsigned r = 0; r < abreast; ++r) {
        Piece factor = left[r][k * n];
#pragma clang loop unroll(full)
        for (unsigned p = 0; p < pieces; ++p)
          sum[r][p] = __builtin_elementwise_fma(factor, columns[p], sum[r][p]);
      }
    }
    for (unsigned r = 0; r < abreast; ++r) {
      Value end[n];
      __builtin_memcpy(end, sum[r], sizeof(end));
      for (unsigned j = 0; j < n; ++j) {
        if constexpr (integer)
          d[at[r] + j] = c[at[r] + j] + u32(i32(end[j]));
        else
          // The payload of a NaN is not public.
          put<Sum>(d + at[r], j, ~0u, canonical(end[j]));
      }
    }
  }
}

/// The accumulator input: registers, or a constant in every element. Registers
/// that overlap the destination without being it are copied.
inline const u32 *accumulatorInput(Wave &w, const Op &op, u32 *room,
                                   unsigned dwords, bool wide) {
  const Source &s = op.src[2];
  if (s.kind == OperandKind::Vector || s.kind == OperandKind::Accumulator) {
    u32 distance = op.dst > s.index ? op.dst - s.index : s.index - op.dst;
    if (distance == 0 || distance >= dwords * waveLanes)
      return w.vgpr + s.index;
    std::memcpy(room, w.vgpr + s.index, dwords * waveLanes * sizeof(u32));
    return room;
  }
  u64 value = scalar64(w, s);
  for (unsigned i = 0; i < dwords; ++i) {
    u32 word = u32(wide && i % 2 ? value >> 32 : value);
    TLC_LANE_LOOP room[i * waveLanes + l] = word;
  }
  return room;
}

} // namespace tlc::sim::TLC_SIM_ISA

#endif // TLC_LIB_SIMULATOR_EXECUTE_LANES_MATRIXTILE_H
