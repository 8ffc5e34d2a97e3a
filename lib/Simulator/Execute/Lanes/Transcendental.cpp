//===- Transcendental.cpp - exp, log, sin, cos, rcp, rsq, sqrt ------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The hardware's results have no public bit-exact definition, only a bound of
// about one unit in the last place. Here each is computed in f64 and rounded
// once, so that it lies within half a unit of the true value (f64 forms: one
// unit). As on the hardware, f32 denormals count as zero, in and out.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "FloatOps.h"

namespace tlc::sim::TLC_SIM_ISA {
namespace {

/// A denormal becomes a zero of its sign.
inline f32 flush(f32 v) {
  return exponentField(v) == 0 ? withSign(0.0f, negative(v)) : v;
}

/// 2^r for |r| <= 1/2, by its power series: ln(2)^k / k!. The error is below
/// 2^-36.
[[gnu::always_inline]] inline f64 exp2Small(f64 r) {
  // Horner's scheme, highest power first.
  f64 p = 1.01780860092396997e-7;
  p = fused(p, r, 1.32154867901443094e-6);
  p = fused(p, r, 1.52527338040598403e-5);
  p = fused(p, r, 1.54035303933816099e-4);
  p = fused(p, r, 1.33335581464284434e-3);
  p = fused(p, r, 9.61812910762847716e-3);
  p = fused(p, r, 5.55041086648215800e-2);
  p = fused(p, r, 2.40226506959100712e-1);
  p = fused(p, r, 6.93147180559945309e-1);
  return fused(p, r, 1.0);
}
/// 2^v for any f64, clamped where an f32 result is 0 or infinite anyway.
[[gnu::always_inline]] inline f64 exp2Wide(f64 v) {
  f64 c = v < -400.0 ? -400.0 : v > 400.0 ? 400.0 : v;
  // Added to this number, c is rounded to an integer in its lowest bits.
  constexpr f64 shifter = 0x1.8p52;
  f64 shifted = c + shifter;
  // The integer part as the exponent of a power of two.
  u64 scale = (raw(shifted) + 1023) << 52;
  f64 r = exp2Small(c - (shifted - shifter)) * bits<f64>(scale);
  return isNan(v) ? v : r;
}
/// log2 of a positive normal number: exponent plus the series of
/// 2·artanh((m - 1) / (m + 1)), m in [sqrt(1/2), sqrt(2)).
inline f64 log2Wide(f64 v) {
  // Taking sqrt(1/2) off the bits centres the mantissa around 1, where the
  // series converges fastest.
  u64 b = raw(v) - raw(0.70710678118654752440);
  i64 e = i64(b) >> 52;
  f64 m = bits<f64>(raw(v) - (u64(e) << 52));
  f64 s = (m - 1.0) / (m + 1.0);
  f64 z = s * s;
  f64 p = 1.0 / 15;
  p = p * z + 1.0 / 13;
  p = p * z + 1.0 / 11;
  p = p * z + 1.0 / 9;
  p = p * z + 1.0 / 7;
  p = p * z + 1.0 / 5;
  p = p * z + 1.0 / 3;
  p = p * z + 1.0;
  constexpr f64 twoOverLn2 = 2.88539008177792681472;
  return f64(i32(e)) + s * p * twoOverLn2;
}
/// Sine of v revolutions.
inline f64 sinTurns(f64 v) {
  f64 r = v - __builtin_roundeven(v);
  // Fold [-1/2, 1/2] onto [-1/4, 1/4].
  r = r > 0.25 ? 0.5 - r : r < -0.25 ? -0.5 - r : r;
  f64 t = r * 6.28318530717958647693;
  f64 z = t * t;
  f64 p = -1.0 / 1307674368000.0;
  p = p * z + 1.0 / 6227020800.0;
  p = p * z - 1.0 / 39916800.0;
  p = p * z + 1.0 / 362880.0;
  p = p * z - 1.0 / 5040.0;
  p = p * z + 1.0 / 120.0;
  p = p * z - 1.0 / 6.0;
  p = p * z + 1.0;
  return p * t;
}

// 2^v is 1 for a denormal v as well.
inline f32 expSingle(f32 v) { return flush(f32(exp2Wide(f64(v)))); }
inline f32 logSingle(f32 v) {
  f32 a = flush(v);
  f32 r = f32(log2Wide(f64(withSign(a, false))));
  // Infinity, then what has no logarithm, then 0.
  r = isInf(a) ? a : r;
  r = negative(a) || isNan(a) ? bits<f32>(0x7fc00000u) : r;
  return isZero(a) ? -__builtin_inff() : r;
}
/// Revolutions beyond which the ISA's v_sin gives 0 and v_cos 1.
constexpr f32 trigRange = 256.0f;
inline f32 sinSingle(f32 v) {
  f32 m = withSign(v, false);
  f32 r = f32(sinTurns(f64(v)));
  r = isZero(v) ? v : m > trigRange ? 0.0f : r;
  return isNan(v) || isInf(v) ? bits<f32>(0x7fc00000u) : r;
}
inline f32 cosSingle(f32 v) {
  f32 m = withSign(v, false);
  f32 r = f32(sinTurns(f64(m) + 0.25));
  r = m > trigRange ? 1.0f : r;
  return isNan(v) || isInf(v) ? bits<f32>(0x7fc00000u) : r;
}
// Divisions and roots of the host are correctly rounded; only denormals need
// care.
inline f32 rcpSingle(f32 v) { return flush(1.0f / flush(v)); }
inline f32 rsqSingle(f32 v) { return f32(1.0 / __builtin_sqrt(f64(flush(v)))); }
inline f32 sqrtSingle(f32 v) { return __builtin_sqrtf(flush(v)); }

// f16 forms keep denormals, and round once.
inline f16 expHalf(f16 v) { return toHalf(exp2Wide(f64(f32(v)))); }
inline f16 logHalf(f16 v) { return toHalf(logSingle(f32(v))); }
inline f16 sinHalf(f16 v) { return toHalf(sinSingle(f32(v))); }
inline f16 cosHalf(f16 v) { return toHalf(cosSingle(f32(v))); }
inline f16 rcpHalf(f16 v) { return toHalf(1.0 / f64(f32(v))); }
inline f16 rsqHalf(f16 v) { return toHalf(1.0 / __builtin_sqrt(f64(f32(v)))); }
inline f16 sqrtHalf(f16 v) { return toHalf(__builtin_sqrt(f64(f32(v)))); }

template <auto F> constexpr LaneFunction s1 = map1<f32, f32, F>;
template <auto F> constexpr LaneFunction h1 = map1<f16, f16, F>;
template <auto F> constexpr LaneFunction d1 = map1<f64, f64, F>;

using O = Opcode;
constexpr FloatMode S = FloatMode::Single, D = FloatMode::HalfDouble;
constexpr Handler rows[] = {
    {O::v_exp_f32, nullptr, s1<expSingle>, true, S},
    {O::v_log_f32, nullptr, s1<logSingle>, true, S},
    {O::v_exp_legacy_f32, nullptr, s1<expSingle>, true, S},
    {O::v_log_legacy_f32, nullptr, s1<logSingle>, true, S},
    {O::v_sin_f32, nullptr, s1<sinSingle>, true, S},
    {O::v_cos_f32, nullptr, s1<cosSingle>, true, S},
    {O::v_rcp_f32, nullptr, s1<rcpSingle>, true, S},
    {O::v_rcp_iflag_f32, nullptr, s1<rcpSingle>, true, S},
    {O::v_rsq_f32, nullptr, s1<rsqSingle>, true, S},
    {O::v_sqrt_f32, nullptr, s1<sqrtSingle>, true, S},
    {O::v_exp_f16, nullptr, h1<expHalf>, true, D},
    {O::v_log_f16, nullptr, h1<logHalf>, true, D},
    {O::v_sin_f16, nullptr, h1<sinHalf>, true, D},
    {O::v_cos_f16, nullptr, h1<cosHalf>, true, D},
    {O::v_rcp_f16, nullptr, h1<rcpHalf>, true, D},
    {O::v_rsq_f16, nullptr, h1<rsqHalf>, true, D},
    {O::v_sqrt_f16, nullptr, h1<sqrtHalf>, true, D},
    {O::v_rcp_f64, nullptr, d1<[](f64 v) { return 1.0 / v; }>, true, D},
    {O::v_rsq_f64, nullptr, d1<[](f64 v) { return 1.0 / __builtin_sqrt(v); }>,
     true, D},
    {O::v_sqrt_f64, nullptr, d1<[](f64 v) { return __builtin_sqrt(v); }>, true,
     D},
};

} // namespace

Family transcendentalFamily() { return family(rows); }

} // namespace tlc::sim::TLC_SIM_ISA
