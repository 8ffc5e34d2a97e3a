//===- VectorSingle.cpp - Vector arithmetic in f32 ------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic of f32, with the host's operations; rounding and denormals by its
// control register, which Turn.cpp sets.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "FloatOps.h"

namespace tlc::sim::TLC_SIM_ISA {
namespace {

template <auto F> constexpr LaneFunction f1 = map1<f32, f32, F>;
template <auto F> constexpr LaneFunction f2 = map2<f32, f32, f32, F>;
template <auto F> constexpr LaneFunction f3 = map3<f32, f32, f32, f32, F>;

/// Functions that depend on the IEEE bit of MODE.
template <auto F> void ieee2(const Lanes &x) {
  bool ieee = x.wave->ieee;
  TLC_LANE_LOOP
  put<f32>(x.d, l, x.mask[l], F(get<f32>(x.a, l), get<f32>(x.b, l), ieee));
}
template <auto F> void ieee3(const Lanes &x) {
  bool ieee = x.wave->ieee;
  TLC_LANE_LOOP
  put<f32>(x.d, l, x.mask[l],
           F(get<f32>(x.a, l), get<f32>(x.b, l), get<f32>(x.c, l), ieee));
}

constexpr auto fma = [](f32 a, f32 b, f32 c) { return fused(a, b, c); };

inline f32 loadExponent(f32 v, i32 e) {
  // One product in f64, whose exponents span any result, rounded once.
  e = e < -300 ? -300 : e > 300 ? 300 : e;
  f64 scale = bits<f64>(u64(e + 1023) << 52);
  return f32(f64(v) * scale);
}
inline f32 mantissaOf(f32 v) {
  // Denormals are scaled into the normal range first.
  f64 wide = v;
  u64 b = raw(wide);
  u64 m = (b & ~exponentMask<f64>) | u64(1022) << 52;
  return isNan(v) || isInf(v) || isZero(v) ? v : f32(bits<f64>(m));
}
inline i32 exponentOf(f32 v) {
  i32 e = exponentField(f64(v)) - 1022;
  return isNan(v) || isInf(v) || isZero(v) ? 0 : e;
}

using O = Opcode;
constexpr FloatMode S = FloatMode::Single;
constexpr Handler rows[] = {
    {O::v_add_f32, nullptr, f2<[](f32 a, f32 b) { return a + b; }>, false, S},
    {O::v_sub_f32, nullptr, f2<[](f32 a, f32 b) { return a - b; }>, false, S},
    {O::v_subrev_f32, nullptr, f2<[](f32 a, f32 b) { return b - a; }>, false,
     S},
    {O::v_mul_f32, nullptr, f2<[](f32 a, f32 b) { return a * b; }>, false, S},
    {O::v_mul_legacy_f32, nullptr,
     f2<[](f32 a, f32 b) { return isZero(a) || isZero(b) ? 0.0f : a * b; }>,
     false, S},
    {O::v_fma_f32, nullptr, f3<fma>, false, S},
    {O::v_fmamk_f32, nullptr, f3<fma>, false, S},
    {O::v_fmaak_f32, nullptr, f3<fma>, false, S},
    {O::v_fmac_f32, nullptr, accumulate<f32, f32, f32, fma>, false, S},
    {O::v_min_f32, nullptr, ieee2<minimum<f32>>, false, S},
    {O::v_max_f32, nullptr, ieee2<maximum<f32>>, false, S},
    {O::v_min3_f32, nullptr, ieee3<minimum3<f32>>, false, S},
    {O::v_max3_f32, nullptr, ieee3<maximum3<f32>>, false, S},
    {O::v_med3_f32, nullptr, ieee3<median<f32>>, false, S},
    {O::v_trunc_f32, nullptr, f1<[](f32 a) { return __builtin_truncf(a); }>,
     false, S},
    {O::v_ceil_f32, nullptr, f1<[](f32 a) { return __builtin_ceilf(a); }>,
     false, S},
    {O::v_floor_f32, nullptr, f1<[](f32 a) { return __builtin_floorf(a); }>,
     false, S},
    {O::v_rndne_f32, nullptr, f1<[](f32 a) { return __builtin_roundevenf(a); }>,
     false, S},
    {O::v_fract_f32, nullptr,
     f1<[](f32 a) { return fraction(a, __builtin_floorf(a)); }>, false, S},
    {O::v_ldexp_f32, nullptr, map2<f32, f32, i32, loadExponent>, false, S},
    {O::v_frexp_mant_f32, nullptr, f1<mantissaOf>, false, S},
    {O::v_frexp_exp_i32_f32, nullptr, map1<i32, f32, exponentOf>, false, S},
};

} // namespace

Family vectorSingleFamily() { return family(rows); }

} // namespace tlc::sim::TLC_SIM_ISA
