//===- VectorInteger.cpp - Vector integers of 32 and 64 bits --------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic, shifts, bit fields and moves. With clamp, the integer forms that
// allow it saturate.
//
// A row names a function of the values of one lane; map1, map2 and map3
// (LaneOps.h) make of it a loop over all 64 lanes that the host's compiler
// vectorizes, writing only the lanes that EXEC has on. Semantics: CDNA3 ISA
// document, sections VOP1, VOP2 and VOP3.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "IntegerOps.h"
#include "LaneOps.h"

namespace tlc::sim::TLC_SIM_ISA {
namespace {

// Loops over lanes of the usual signatures: one to three unsigned or signed
// dwords.
template <auto F> constexpr LaneFunction u1 = map1<u32, u32, F>;
template <auto F> constexpr LaneFunction u2 = map2<u32, u32, u32, F>;
template <auto F> constexpr LaneFunction u3 = map3<u32, u32, u32, u32, F>;
template <auto F> constexpr LaneFunction i2 = map2<i32, i32, i32, F>;
template <auto F> constexpr LaneFunction i3 = map3<i32, i32, i32, i32, F>;

constexpr auto add = [](u32 a, u32 b) { return a + b; };
constexpr auto addClamp = [](u32 a, u32 b) {
  u32 r = a + b;
  return r < a ? ~0u : r;
};
constexpr auto sub = [](u32 a, u32 b) { return a - b; };
constexpr auto subClamp = [](u32 a, u32 b) { return a < b ? 0u : a - b; };
/// To the nearest value that fits into 32 bits.
constexpr i32 saturate(i64 v) {
  return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : i32(v);
}

/// Chooses between the wrapping and the saturating form.
template <LaneFunction Wrap, LaneFunction Saturate>
void clampable(const Lanes &x) {
  x.op->inst->clamp ? Saturate(x) : Wrap(x);
}

/// The 24-bit multiplications use bits [23:0] of their sources and ignore the
/// rest.
constexpr i32 sext24(u32 v) { return i32(v << 8) >> 8; }
constexpr u32 low24(u32 v) { return v & 0xffffff; }

/// v_bfe: `width` bits from `offset` on, extended by zeros or the sign, as T
/// is.
template <typename T> constexpr T extract(T value, u32 offset, u32 width) {
  offset &= 31;
  width &= 31;
  u32 moved = u32(value >> offset) << ((32 - width) & 31);
  return width == 0 ? T(0) : T(T(moved) >> ((32 - width) & 31));
}

/// 0 has no leading one: the result is -1.
constexpr u32 leadingZeros(u32 v) { return v ? __builtin_clz(v) : ~0u; }
constexpr u32 trailingZeros(u32 v) { return v ? __builtin_ctz(v) : ~0u; }
/// v_ffbh_i32: where, counted from the top, the first bit differs from the
/// sign.
constexpr u32 leadingSigns(u32 v) {
  u32 flipped = i32(v) < 0 ? ~v : v;
  return flipped ? __builtin_clz(flipped) : ~0u;
}

/// One byte of the permutation of the eight bytes {a, b}.
/// Selectors 0 to 7 take a byte, 8 to 11 replicate the sign of a 16-bit word,
/// 12 is zero and the rest are ones. Bytes 0 to 3 are the second source's, as
/// the pair is {a, b} with b below.
constexpr u32 permuteByte(u64 data, u32 select) {
  if (select >= 13)
    return 0xff;
  if (select == 12)
    return 0;
  if (select >= 8) // the sign of a 16-bit word
    return data >> ((select - 8) * 16 + 15) & 1 ? 0xff : 0;
  return data >> (select * 8) & 0xff;
}
constexpr auto permute = [](u32 a, u32 b, u32 s) {
  u64 data = u64(a) << 32 | b;
  return permuteByte(data, s & 0xff) | permuteByte(data, s >> 8 & 0xff) << 8 |
         permuteByte(data, s >> 16 & 0xff) << 16 |
         permuteByte(data, s >> 24) << 24;
};
/// Nearly every permutation has one constant selector: decide once per byte.
void permuteLanes(const Lanes &x) {
  const Source &selector = x.op->src[2];
  bool simple = selector.kind != OperandKind::Vector;
  u32 s = x.c[0];
  for (unsigned i = 0; i < 4; ++i)
    simple &= (s >> (i * 8) & 0xff) < 8;
  // Selectors that differ by lane, or name signs and constants, take the
  // general way.
  if (!simple)
    return u3<permute>(x);
  unsigned s0 = (s & 7) * 8, s1 = (s >> 8 & 7) * 8, s2 = (s >> 16 & 7) * 8,
           s3 = (s >> 24 & 7) * 8;
  TLC_LANE_LOOP {
    u64 data = u64(x.a[l]) << 32 | x.b[l];
    u32 r = u32(data >> s0 & 0xff) | u32(data >> s1 & 0xff) << 8 |
            u32(data >> s2 & 0xff) << 16 | u32(data >> s3 & 0xff) << 24;
    put<u32>(x.d, l, x.mask[l], r);
  }
}

/// v_cndmask: a lane's bit of the mask chooses the second source.
void select(const Lanes &x) {
  u64 mask = scalar64(*x.wave, x.op->src[2]);
  TLC_LANE_LOOP {
    u32 r = mask >> l & 1 ? x.b[l] : x.a[l];
    put<u32>(x.d, l, x.mask[l], r);
  }
}

/// v_swap_b32 writes its source as well, hence the cast. Both values are read
/// before either is written.
void swap(const Lanes &x) {
  u32 *a = const_cast<u32 *>(x.a);
  TLC_LANE_LOOP {
    u32 left = x.d[l], right = a[l];
    x.d[l] = x.mask[l] ? right : left;
    a[l] = x.mask[l] ? left : right;
  }
}

using O = Opcode;
constexpr Handler rows[] = {
    // VOP1: moves and single-source bit operations. Accumulator moves are plain
    // moves, as both files are one array here.
    {O::v_nop, [](Wave &, const Op &) {}},
    {O::v_clrexcp, [](Wave &, const Op &) {}},
    {O::v_mov_b32, nullptr, u1<[](u32 a) { return a; }>},
    {O::v_mov_b64, nullptr, map1<u64, u64, [](u64 a) { return a; }>},
    {O::v_accvgpr_mov_b32, nullptr, u1<[](u32 a) { return a; }>},
    {O::v_accvgpr_read_b32, nullptr, u1<[](u32 a) { return a; }>},
    {O::v_accvgpr_write_b32, nullptr, u1<[](u32 a) { return a; }>},
    {O::v_swap_b32, nullptr, swap},
    {O::v_not_b32, nullptr, u1<[](u32 a) { return ~a; }>},
    {O::v_bfrev_b32, nullptr,
     u1<[](u32 a) { return u32(__builtin_bitreverse32(a)); }>},
    {O::v_ffbh_u32, nullptr, u1<leadingZeros>},
    {O::v_ffbl_b32, nullptr, u1<trailingZeros>},
    {O::v_ffbh_i32, nullptr, u1<leadingSigns>},
    {O::v_cndmask_b32, nullptr, select},

    // Sums. Unsigned clamp goes to 0 and 2^32 - 1, signed to the ends of i32;
    // without clamp both wrap alike.
    {O::v_add_u32, nullptr, clampable<u2<add>, u2<addClamp>>},
    {O::v_sub_u32, nullptr, clampable<u2<sub>, u2<subClamp>>},
    // "rev" forms have their sources exchanged, so that a constant, allowed
    // only as the first, can be subtracted from.
    {O::v_subrev_u32, nullptr,
     clampable<u2<[](u32 a, u32 b) { return b - a; }>,
               u2<[](u32 a, u32 b) { return subClamp(b, a); }>>},
    {O::v_add_i32, nullptr,
     clampable<u2<add>, i2<[](i32 a, i32 b) { return saturate(i64(a) + b); }>>},
    {O::v_sub_i32, nullptr,
     clampable<u2<sub>, i2<[](i32 a, i32 b) { return saturate(i64(a) - b); }>>},
    // Products: low and high dword of 32 x 32 bits, then of 24 x 24 bits.
    {O::v_mul_lo_u32, nullptr, u2<[](u32 a, u32 b) { return a * b; }>},
    {O::v_mul_hi_u32, nullptr,
     u2<[](u32 a, u32 b) { return u32(u64(a) * b >> 32); }>},
    {O::v_mul_hi_i32, nullptr,
     i2<[](i32 a, i32 b) { return i32(i64(a) * b >> 32); }>},
    {O::v_mul_i32_i24, nullptr,
     u2<[](u32 a, u32 b) { return u32(sext24(a)) * u32(sext24(b)); }>},
    {O::v_mul_hi_i32_i24, nullptr,
     u2<[](u32 a, u32 b) { return u32(i64(sext24(a)) * sext24(b) >> 32); }>},
    {O::v_mul_u32_u24, nullptr,
     u2<[](u32 a, u32 b) { return low24(a) * low24(b); }>},
    {O::v_mul_hi_u32_u24, nullptr,
     u2<[](u32 a, u32 b) { return u32(u64(low24(a)) * low24(b) >> 32); }>},
    {O::v_mad_i32_i24, nullptr,
     clampable<u3<[](u32 a, u32 b, u32 c) {
                 return u32(sext24(a)) * u32(sext24(b)) + c;
               }>,
               u3<[](u32 a, u32 b, u32 c) {
                 return u32(saturate(i64(sext24(a)) * sext24(b) + i32(c)));
               }>>},
    {O::v_mad_u32_u24, nullptr,
     clampable<u3<[](u32 a, u32 b, u32 c) { return low24(a) * low24(b) + c; }>,
               u3<[](u32 a, u32 b, u32 c) {
                 u64 r = u64(low24(a)) * low24(b) + c;
                 return r >> 32 ? ~0u : u32(r);
               }>>},

    {O::v_min_i32, nullptr, i2<[](i32 a, i32 b) { return a < b ? a : b; }>},
    {O::v_max_i32, nullptr, i2<[](i32 a, i32 b) { return a > b ? a : b; }>},
    {O::v_min_u32, nullptr, u2<[](u32 a, u32 b) { return a < b ? a : b; }>},
    {O::v_max_u32, nullptr, u2<[](u32 a, u32 b) { return a > b ? a : b; }>},
    {O::v_min3_i32, nullptr, i3<min3<i32>>},
    {O::v_min3_u32, nullptr, u3<min3<u32>>},
    {O::v_max3_i32, nullptr, i3<max3<i32>>},
    {O::v_max3_u32, nullptr, u3<max3<u32>>},
    {O::v_med3_i32, nullptr, i3<med3<i32>>},
    {O::v_med3_u32, nullptr, u3<med3<u32>>},

    // Shifts have the count first; it is taken modulo 32 (64).
    {O::v_lshrrev_b32, nullptr, u2<[](u32 a, u32 b) { return b >> (a & 31); }>},
    {O::v_ashrrev_i32, nullptr,
     u2<[](u32 a, u32 b) { return u32(i32(b) >> (a & 31)); }>},
    {O::v_lshlrev_b32, nullptr, u2<[](u32 a, u32 b) { return b << (a & 31); }>},
    {O::v_lshlrev_b64, nullptr,
     map2<u64, u32, u64, [](u32 a, u64 b) { return b << (a & 63); }>},
    {O::v_lshrrev_b64, nullptr,
     map2<u64, u32, u64, [](u32 a, u64 b) { return b >> (a & 63); }>},
    {O::v_ashrrev_i64, nullptr,
     map2<i64, u32, i64, [](u32 a, i64 b) { return b >> (a & 63); }>},
    // gfx940's address arithmetic; three bits of the count are used.
    {O::v_lshl_add_u64, nullptr,
     map3<u64, u64, u32, u64,
          [](u64 a, u32 b, u64 c) { return (a << (b & 7)) + c; }>},
    {O::v_and_b32, nullptr, u2<[](u32 a, u32 b) { return a & b; }>},
    {O::v_or_b32, nullptr, u2<[](u32 a, u32 b) { return a | b; }>},
    {O::v_xor_b32, nullptr, u2<[](u32 a, u32 b) { return a ^ b; }>},
    {O::v_xnor_b32, nullptr, u2<[](u32 a, u32 b) { return ~(a ^ b); }>},

    // Bit fields and funnel shifts. v_bfi chooses bit by bit: b where the mask
    // a has a one, else c.
    {O::v_bfe_u32, nullptr, u3<extract<u32>>},
    {O::v_bfe_i32, nullptr, map3<i32, i32, u32, u32, extract<i32>>},
    {O::v_bfi_b32, nullptr,
     u3<[](u32 a, u32 b, u32 c) { return (a & b) | (~a & c); }>},
    {O::v_bfm_b32, nullptr,
     u2<[](u32 a, u32 b) { return ((1u << (a & 31)) - 1) << (b & 31); }>},
    // {a, b} shifted right by bits or bytes, low dword.
    {O::v_alignbit_b32, nullptr, u3<[](u32 a, u32 b, u32 c) {
       return u32((u64(a) << 32 | b) >> (c & 31));
     }>},
    {O::v_alignbyte_b32, nullptr, u3<[](u32 a, u32 b, u32 c) {
       return u32((u64(a) << 32 | b) >> ((c & 3) * 8));
     }>},
    {O::v_perm_b32, nullptr, permuteLanes},
    // Two operations in one, of three sources; none has an overflow to report.
    {O::v_xad_u32, nullptr,
     u3<[](u32 a, u32 b, u32 c) { return (a ^ b) + c; }>},
    {O::v_lshl_add_u32, nullptr,
     u3<[](u32 a, u32 b, u32 c) { return (a << (b & 31)) + c; }>},
    {O::v_add_lshl_u32, nullptr,
     u3<[](u32 a, u32 b, u32 c) { return (a + b) << (c & 31); }>},
    {O::v_add3_u32, nullptr, u3<[](u32 a, u32 b, u32 c) { return a + b + c; }>},
    {O::v_lshl_or_b32, nullptr,
     u3<[](u32 a, u32 b, u32 c) { return (a << (b & 31)) | c; }>},
    {O::v_and_or_b32, nullptr,
     u3<[](u32 a, u32 b, u32 c) { return (a & b) | c; }>},
    {O::v_or3_b32, nullptr, u3<[](u32 a, u32 b, u32 c) { return a | b | c; }>},
    {O::v_bcnt_u32_b32, nullptr,
     u2<[](u32 a, u32 b) { return u32(__builtin_popcount(a)) + b; }>},
};

} // namespace

Family vectorIntegerFamily() { return family(rows); }

} // namespace tlc::sim::TLC_SIM_ISA
