//===- Packed.cpp - VOP3P: packed 16 and 32 bits, mixed fma ---------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The modified path has put the halves that op_sel names in place and applied
// neg before these run. Mixed fma reads its modifiers itself: which half, or a
// whole f32, is a source's type there.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "FloatOps.h"

namespace tlc::sim::TLC_SIM_ISA {
namespace {

// Words are taken apart here: compilers do not vectorise loops over pairs.
template <typename T> T low(u32 v) { return bits<T>(u16(v)); }
template <typename T> T high(u32 v) { return bits<T>(u16(v >> 16)); }
template <typename T> u32 joined(T lo, T hi) {
  return u32(bits<u16>(hi)) << 16 | bits<u16>(lo);
}

/// Both halves of a register, or two registers for f32.
template <typename T, auto F> void pk2(const Lanes &x) {
  if constexpr (sizeof(T) == 4)
    return map2<Pair<T>, Pair<T>, Pair<T>, [](Pair<T> a, Pair<T> b) {
      return Pair<T>{F(a.lo, b.lo), F(a.hi, b.hi)};
    }>(x);
  else
    TLC_LANE_LOOP {
      u32 a = x.a[l], b = x.b[l];
      put<u32>(
          x.d, l, x.mask[l],
          joined(T(F(low<T>(a), low<T>(b))), T(F(high<T>(a), high<T>(b)))));
    }
}
template <typename T, auto F> void pk3(const Lanes &x) {
  if constexpr (sizeof(T) == 4)
    return map3<Pair<T>, Pair<T>, Pair<T>, Pair<T>,
                [](Pair<T> a, Pair<T> b, Pair<T> c) {
                  return Pair<T>{F(a.lo, b.lo, c.lo), F(a.hi, b.hi, c.hi)};
                }>(x);
  else
    TLC_LANE_LOOP {
      u32 a = x.a[l], b = x.b[l], c = x.c[l];
      put<u32>(x.d, l, x.mask[l],
               joined(T(F(low<T>(a), low<T>(b), low<T>(c))),
                      T(F(high<T>(a), high<T>(b), high<T>(c)))));
    }
}

// Integer sums wrap, or saturate with clamp.
template <LaneFunction Wrap, LaneFunction Saturate>
void clampable(const Lanes &x) {
  x.op->inst->clamp ? Saturate(x) : Wrap(x);
}

/// To the range of a 16-bit result.
constexpr i32 clampU(i64 v) { return v > 0xffff ? 0xffff : v < 0 ? 0 : v; }
constexpr i32 clampI(i64 v) {
  return v > 0x7fff ? 0x7fff : v < -0x8000 ? -0x8000 : v;
}

/// Minimum and maximum, whose NaN rule depends on the mode.
template <auto F> void halves(const Lanes &x) {
  bool ieee = x.wave->ieee;
  TLC_LANE_LOOP {
    u32 a = x.a[l], b = x.b[l];
    put<u32>(x.d, l, x.mask[l],
             joined(F(low<f16>(a), low<f16>(b), ieee),
                    F(high<f16>(a), high<f16>(b), ieee)));
  }
}

constexpr auto addHalf = [](f16 a, f16 b) {
  return toHalf(sum(f32(a), f32(b)));
};
constexpr auto mulHalf = [](f16 a, f16 b) {
  return toHalf(product(f32(a), f32(b)));
};
constexpr auto fmaSingle = [](f32 a, f32 b, f32 c) { return fused(a, b, c); };

/// v_pk_fmac_f16: the destination is the third source.
template <bool Nearest> void fmacHalf(const Lanes &x) {
  TLC_LANE_LOOP {
    u32 a = x.a[l], b = x.b[l], c = x.d[l];
    put<u32>(
        x.d, l, x.mask[l],
        joined(fusedHalf<Nearest>(low<f16>(a), low<f16>(b), low<f16>(c)),
               fusedHalf<Nearest>(high<f16>(a), high<f16>(b), high<f16>(c))));
  }
}

//===--- Mixed fma --------------------------------------------------------===//

/// Source i as f32: neg is its sign, negHi its absolute value.
inline f32 mixSource(u32 word, bool half, bool high, bool neg, bool abs) {
  f32 v =
      half ? f32(bits<f16>(u16(high ? word >> 16 : word))) : bits<f32>(word);
  v = abs ? withSign(v, false) : v;
  return neg ? -v : v;
}
/// NaN becomes 0 with DX10_CLAMP and stays without.
inline f32 clampUnit(f32 v, bool dx10) {
  f32 r = v < 0.0f ? 0.0f : v > 1.0f ? 1.0f : v;
  return isNan(v) ? (dx10 ? 0.0f : v) : r;
}

enum class MixTo { Single, Low, High };
/// v_fma_mix: sources are f32 or a half by op_sel_hi and op_sel; the result is
/// f32, or f16 into one half.
template <MixTo To> void mix(const Lanes &x) {
  const Instruction &inst = *x.op->inst;
  // The modifiers are the same for all lanes: taken apart once.
  bool half[3], high[3], neg[3], abs[3];
  for (unsigned i = 0; i < 3; ++i) {
    half[i] = inst.opSelHi >> i & 1;
    high[i] = inst.opSel >> i & 1;
    neg[i] = inst.neg >> i & 1;
    abs[i] = inst.negHi >> i & 1;
  }
  bool clamp = inst.clamp, dx10 = x.wave->dx10Clamp;
  TLC_LANE_LOOP {
    f32 a = mixSource(x.a[l], half[0], high[0], neg[0], abs[0]);
    f32 b = mixSource(x.b[l], half[1], high[1], neg[1], abs[1]);
    f32 c = mixSource(x.c[l], half[2], high[2], neg[2], abs[2]);
    u32 r;
    if constexpr (To == MixTo::Single) {
      f32 v = firstNan(a, b, isNan(c) ? quiet(c) : fused(a, b, c));
      r = bits<u32>(clamp ? clampUnit(v, dx10) : v);
    } else {
      // Fused in f32, then converted, as the ISA's pseudo-code has it: code
      // generators use it for a product of f32 values that is converted.
      f32 v = firstNan(a, b, isNan(c) ? quiet(c) : fused(a, b, c));
      u32 h = raw(toHalf(clamp ? clampUnit(v, dx10) : v));
      r = To == MixTo::Low ? (x.d[l] & 0xffff0000) | h
                           : (x.d[l] & 0xffff) | h << 16;
    }
    put<u32>(x.d, l, x.mask[l], r);
  }
}

using O = Opcode;
constexpr FloatMode S = FloatMode::Single, D = FloatMode::HalfDouble;
constexpr Handler rows[] = {
    // Integers: the lambda's wider types hold the exact result, which pk2 and
    // pk3 cut to 16 bits.
    {O::v_pk_mad_i16, nullptr,
     clampable<
         pk3<i16, [](i32 a, i32 b, i32 c) { return a * b + c; }>,
         pk3<i16, [](i64 a, i64 b, i64 c) { return clampI(a * b + c); }>>},
    {O::v_pk_mad_u16, nullptr,
     clampable<
         pk3<u16, [](u32 a, u32 b, u32 c) { return a * b + c; }>,
         pk3<u16, [](i64 a, i64 b, i64 c) { return clampU(a * b + c); }>>},
    {O::v_pk_mul_lo_u16, nullptr, pk2<u16, [](u32 a, u32 b) { return a * b; }>},
    {O::v_pk_add_i16, nullptr,
     clampable<pk2<i16, [](i32 a, i32 b) { return a + b; }>,
               pk2<i16, [](i32 a, i32 b) { return clampI(a + b); }>>},
    {O::v_pk_sub_i16, nullptr,
     clampable<pk2<i16, [](i32 a, i32 b) { return a - b; }>,
               pk2<i16, [](i32 a, i32 b) { return clampI(a - b); }>>},
    {O::v_pk_add_u16, nullptr,
     clampable<pk2<u16, [](i32 a, i32 b) { return a + b; }>,
               pk2<u16, [](i32 a, i32 b) { return clampU(a + b); }>>},
    {O::v_pk_sub_u16, nullptr,
     clampable<pk2<u16, [](i32 a, i32 b) { return a - b; }>,
               pk2<u16, [](i32 a, i32 b) { return clampU(a - b); }>>},
    // Shifts have the count first.
    {O::v_pk_lshlrev_b16, nullptr,
     pk2<u16, [](u32 a, u32 b) { return b << (a & 15); }>},
    {O::v_pk_lshrrev_b16, nullptr,
     pk2<u16, [](u32 a, u32 b) { return b >> (a & 15); }>},
    {O::v_pk_ashrrev_i16, nullptr,
     pk2<i16, [](i32 a, i32 b) { return b >> (a & 15); }>},
    {O::v_pk_max_i16, nullptr,
     pk2<i16, [](i32 a, i32 b) { return a > b ? a : b; }>},
    {O::v_pk_min_i16, nullptr,
     pk2<i16, [](i32 a, i32 b) { return a < b ? a : b; }>},
    {O::v_pk_max_u16, nullptr,
     pk2<u16, [](u32 a, u32 b) { return a > b ? a : b; }>},
    {O::v_pk_min_u16, nullptr,
     pk2<u16, [](u32 a, u32 b) { return a < b ? a : b; }>},
    // f16. Sums and products go through f32 (exact enough for one right
    // rounding).
    {O::v_pk_fma_f16, nullptr,
     byRounding<pk3<f16, fusedHalf<true>>, pk3<f16, fusedHalf<false>>>, false,
     D},
    {O::v_pk_fmac_f16, nullptr, byRounding<fmacHalf<true>, fmacHalf<false>>,
     false, D},
    {O::v_pk_add_f16, nullptr, pk2<f16, addHalf>, false, D},
    {O::v_pk_mul_f16, nullptr, pk2<f16, mulHalf>, false, D},
    {O::v_pk_min_f16, nullptr, halves<minimum<f16>>, false, D},
    {O::v_pk_max_f16, nullptr, halves<maximum<f16>>, false, D},
    // Packed f32 takes register pairs.
    {O::v_pk_fma_f32, nullptr, pk3<f32, fmaSingle>, false, S},
    {O::v_pk_mul_f32, nullptr, pk2<f32, [](f32 a, f32 b) { return a * b; }>,
     false, S},
    {O::v_pk_add_f32, nullptr, pk2<f32, [](f32 a, f32 b) { return a + b; }>,
     false, S},
    {O::v_fma_mix_f32, nullptr, mix<MixTo::Single>, false, S},
    {O::v_fma_mixlo_f16, nullptr, mix<MixTo::Low>, false, D},
    {O::v_fma_mixhi_f16, nullptr, mix<MixTo::High>, false, D},
    // op_sel has already brought the chosen word of each source low.
    {O::v_pk_mov_b32, nullptr,
     map2<Pair<f32>, Pair<f32>, Pair<f32>,
          [](Pair<f32> a, Pair<f32> b) { return Pair<f32>{a.lo, b.lo}; }>},
};

} // namespace

Family packedFamily() { return family(rows); }

} // namespace tlc::sim::TLC_SIM_ISA
