//===- VectorHalf.cpp - Vector arithmetic in f16 --------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums, products and quotients go through f32 or f64, wide enough that one
// rounding to f16 is the right one. As with 16-bit integers, operations that
// came with gfx9 keep the upper half of the destination.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "FloatOps.h"

namespace tlc::sim::TLC_SIM_ISA {
namespace {

// Lane loops over f16; results clear the upper half of the register.
template <auto F> constexpr LaneFunction h1 = map1<f16, f16, F>;
template <auto F> constexpr LaneFunction h2 = map2<f16, f16, f16, F>;
template <auto F> constexpr LaneFunction h3 = map3<f16, f16, f16, f16, F>;
/// Forms that keep the upper half of the destination.
template <auto F>
constexpr LaneFunction keep3 =
    map3<Keep<f16>, f16, f16, f16,
         [](f16 a, f16 b, f16 c) { return Keep<f16>{F(a, b, c)}; }>;

/// Minima and maxima look at the mode's IEEE bit for signalling NaNs.
template <auto F> void ieee2(const Lanes &x) {
  bool ieee = x.wave->ieee;
  TLC_LANE_LOOP
  put<f16>(x.d, l, x.mask[l], F(get<f16>(x.a, l), get<f16>(x.b, l), ieee));
}
template <auto F> void ieee3(const Lanes &x) {
  bool ieee = x.wave->ieee;
  TLC_LANE_LOOP
  put(x.d, l, x.mask[l],
      Keep<f16>{F(get<f16>(x.a, l), get<f16>(x.b, l), get<f16>(x.c, l), ieee)});
}

/// Not fused: the product is rounded.
constexpr auto mad = [](f16 a, f16 b, f16 c) {
  f16 ab = toHalf(product(f32(a), f32(b)));
  return toHalf(sum(f32(ab), f32(c)));
};
/// One product in f64, which spans all exponents, rounded once.
inline f16 loadExponent(f16 v, i16 e) {
  i32 clamped = e < -60 ? -60 : e > 60 ? 60 : e;
  return toHalf(f64(f32(v)) * bits<f64>(u64(clamped + 1023) << 52));
}
/// v_frexp: v = mantissa * 2^exponent with the mantissa in [0.5, 1). Through
/// f64, where f16's denormals are normal numbers.
inline f16 mantissaOf(f16 v) {
  u64 b = raw(f64(f32(v)));
  u64 m = (b & ~exponentMask<f64>) | u64(1022) << 52;
  return isNan(v) || isInf(v) || isZero(v) ? v : toHalf(f32(bits<f64>(m)));
}
inline i16 exponentOf(f16 v) {
  int e = exponentField(f64(f32(v))) - 1022;
  return isNan(v) || isInf(v) || isZero(v) ? 0 : e;
}

using O = Opcode;
constexpr FloatMode D = FloatMode::HalfDouble;
constexpr Handler rows[] = {
    {O::v_add_f16, nullptr,
     h2<[](f16 a, f16 b) { return toHalf(sum(f32(a), f32(b))); }>, false, D},
    // The NaN of the first source counts, whichever it is for the subtraction.
    {O::v_sub_f16, nullptr, h2<[](f16 a, f16 b) {
       return toHalf(firstNan(f32(a), f32(b), f32(a) - f32(b)));
     }>,
     false, D},
    {O::v_subrev_f16, nullptr, h2<[](f16 a, f16 b) {
       return toHalf(firstNan(f32(b), f32(a), f32(b) - f32(a)));
     }>,
     false, D},
    {O::v_mul_f16, nullptr,
     h2<[](f16 a, f16 b) { return toHalf(product(f32(a), f32(b))); }>, false,
     D},
    {O::v_mac_f16, nullptr, accumulate<f16, f16, f16, mad>, false, D},
    {O::v_madmk_f16, nullptr, h3<mad>, false, D},
    {O::v_madak_f16, nullptr, h3<mad>, false, D},
    {O::v_mad_legacy_f16, nullptr, h3<mad>, false, D},
    {O::v_mad_f16, nullptr, keep3<mad>, false, D},
    {O::v_fma_legacy_f16, nullptr,
     byRounding<h3<fusedHalf<true>>, h3<fusedHalf<false>>>, false, D},
    {O::v_fma_f16, nullptr,
     byRounding<keep3<fusedHalf<true>>, keep3<fusedHalf<false>>>, false, D},
    {O::v_min_f16, nullptr, ieee2<minimum<f16>>, false, D},
    {O::v_max_f16, nullptr, ieee2<maximum<f16>>, false, D},
    {O::v_min3_f16, nullptr, ieee3<minimum3<f16>>, false, D},
    {O::v_max3_f16, nullptr, ieee3<maximum3<f16>>, false, D},
    {O::v_med3_f16, nullptr, ieee3<median<f16>>, false, D},
    {O::v_floor_f16, nullptr,
     h1<[](f16 a) { return toHalf(__builtin_floorf(f32(a))); }>, false, D},
    {O::v_ceil_f16, nullptr,
     h1<[](f16 a) { return toHalf(__builtin_ceilf(f32(a))); }>, false, D},
    {O::v_trunc_f16, nullptr,
     h1<[](f16 a) { return toHalf(__builtin_truncf(f32(a))); }>, false, D},
    {O::v_rndne_f16, nullptr,
     h1<[](f16 a) { return toHalf(__builtin_roundevenf(f32(a))); }>, false, D},
    {O::v_fract_f16, nullptr,
     h1<[](f16 a) { return fraction(a, toHalf(__builtin_floorf(f32(a)))); }>,
     false, D},
    {O::v_ldexp_f16, nullptr, map2<f16, f16, i16, loadExponent>, false, D},
    {O::v_frexp_mant_f16, nullptr, h1<mantissaOf>, false, D},
    {O::v_frexp_exp_i16_f16, nullptr, map1<i16, f16, exponentOf>, false, D},
    {O::v_pack_b32_f16, nullptr,
     map2<Pair<u16>, u16, u16, [](u16 a, u16 b) { return Pair<u16>{a, b}; }>,
     false, D},
};

} // namespace

Family vectorHalfFamily() { return family(rows); }

} // namespace tlc::sim::TLC_SIM_ISA
