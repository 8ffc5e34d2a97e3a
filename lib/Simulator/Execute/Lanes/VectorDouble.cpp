//===- VectorDouble.cpp - Vector arithmetic in f64 ------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic of f64, with the host's operations; rounding and denormals by its
// control register. v_trig_preop hands out 2/pi in segments of 53 bits, for
// exact reductions of large angles.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "FloatOps.h"

namespace tlc::sim::TLC_SIM_ISA {
namespace {

template <auto F> constexpr LaneFunction d1 = map1<f64, f64, F>;
template <auto F> constexpr LaneFunction d2 = map2<f64, f64, f64, F>;
template <auto F> constexpr LaneFunction d3 = map3<f64, f64, f64, f64, F>;

/// Minima and maxima look at the mode's IEEE bit for signalling NaNs.
template <auto F> void ieee2(const Lanes &x) {
  bool ieee = x.wave->ieee;
  TLC_LANE_LOOP
  put<f64>(x.d, l, x.mask[l], F(get<f64>(x.a, l), get<f64>(x.b, l), ieee));
}

constexpr auto fma = [](f64 a, f64 b, f64 c) { return fused(a, b, c); };

constexpr f64 powerOf2(i32 e) { return bits<f64>(u64(e + 1023) << 52); }
/// v·2^e in steps that round only once: on the way down each keeps 53 bits
/// clear of the denormals, until the last.
inline f64 loadExponent(f64 v, i32 e) {
  e = e < -2200 ? -2200 : e > 2200 ? 2200 : e;
  for (int step = 0; step < 2 && e > 1023; ++step) {
    v *= powerOf2(1023);
    e -= 1023;
  }
  for (int step = 0; step < 2 && e < -1022; ++step) {
    v *= powerOf2(-969);
    e += 969;
  }
  e = e < -1022 ? -1022 : e > 1023 ? 1023 : e;
  return v * powerOf2(e);
}
/// v_frexp_mant: in [1/2, 1), with the sign.
inline f64 mantissaOf(f64 v) {
  int e;
  return isNan(v) || isInf(v) ? v : __builtin_frexp(v, &e);
}
/// Of the mantissa in [1/2, 1). From the bits: the library's frexp in this loop
/// brings clang 22 down at x86-64-v2.
inline i32 exponentOf(f64 v) {
  auto field = [](f64 x) { return i32(bits<u64>(x) >> 52 & 0x7ff); };
  if (v == 0 || field(v) == 0x7ff)
    return 0;
  return field(v) ? field(v) - 1022 : field(v * 0x1p54) - 1022 - 54;
}

// 2/π, 1216 bits, most significant word first: what v_trig_preop reads.
constexpr u64 twoOverPi[] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
    0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c,
    0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41,
    0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb1f8d5d085,
    0x6033046fc7b6babf,
};
/// A segment of 53 bits of 2/π, chosen by the exponent and the index.
inline f64 trigSegment(f64 v, i32 index) {
  int shift = (index & 0x1f) * 53;
  int e = exponentField(v);
  // Large arguments need later segments: the ones before contribute whole
  // revolutions.
  if (e > 1077)
    shift += e - 1077;
  constexpr int words = sizeof(twoOverPi) / 8;
  int word = shift / 64, bit = shift % 64;
  u64 hi = word < words ? twoOverPi[word] : 0;
  u64 lo = word + 1 < words ? twoOverPi[word + 1] : 0;
  u64 window = bit ? hi << bit | lo >> (64 - bit) : hi;
  f64 r = f64(window >> 11);
  // The segment's own weight; for the largest arguments raised by 2^128, as the
  // ISA says, so that the products stay normal.
  int scale = -53 - shift + (e >= 1968 ? 128 : 0);
  return loadExponent(r, scale);
}

using O = Opcode;
constexpr FloatMode D = FloatMode::HalfDouble;
constexpr Handler rows[] = {
    {O::v_add_f64, nullptr, d2<[](f64 a, f64 b) { return a + b; }>, false, D},
    {O::v_mul_f64, nullptr, d2<[](f64 a, f64 b) { return a * b; }>, false, D},
    {O::v_fma_f64, nullptr, d3<fma>, false, D},
    {O::v_fmac_f64, nullptr, accumulate<f64, f64, f64, fma>, false, D},
    {O::v_min_f64, nullptr, ieee2<minimum<f64>>, false, D},
    {O::v_max_f64, nullptr, ieee2<maximum<f64>>, false, D},
    {O::v_trunc_f64, nullptr, d1<[](f64 a) { return __builtin_trunc(a); }>,
     false, D},
    {O::v_ceil_f64, nullptr, d1<[](f64 a) { return __builtin_ceil(a); }>, false,
     D},
    {O::v_floor_f64, nullptr, d1<[](f64 a) { return __builtin_floor(a); }>,
     false, D},
    {O::v_rndne_f64, nullptr, d1<[](f64 a) { return __builtin_roundeven(a); }>,
     false, D},
    {O::v_fract_f64, nullptr,
     d1<[](f64 a) { return fraction(a, __builtin_floor(a)); }>, false, D},
    {O::v_ldexp_f64, nullptr, map2<f64, f64, i32, loadExponent>, false, D},
    {O::v_frexp_mant_f64, nullptr, d1<mantissaOf>, false, D},
    {O::v_frexp_exp_i32_f64, nullptr, map1<i32, f64, exponentOf>, false, D},
    {O::v_trig_preop_f64, nullptr, map2<f64, f64, i32, trigSegment>, false, D},
};

} // namespace

Family vectorDoubleFamily() { return family(rows); }

} // namespace tlc::sim::TLC_SIM_ISA
