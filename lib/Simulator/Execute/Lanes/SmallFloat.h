//===- SmallFloat.h - The 8-bit floats of gfx942 ----------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// gfx942 has the FNUZ forms: fp8 is 4 exponent bits with bias 8, bf8 is 5 with
// bias 16; no infinities, no negative zero, and 0x80 is the only NaN.
// Beyond the range conversion down gives NaN, or with FP16_OVFL of MODE set the
// largest number.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_EXECUTE_LANES_SMALLFLOAT_H
#define TLC_LIB_SIMULATOR_EXECUTE_LANES_SMALLFLOAT_H

#include "FloatOps.h"

namespace tlc::sim::TLC_SIM_ISA {

struct Fp8 {
  static constexpr unsigned mantissa = 3, bias = 8;
};
struct Bf8 {
  static constexpr unsigned mantissa = 2, bias = 16;
};

/// Exact: f32 holds every small float.
template <typename F> inline f32 fromSmall(u8 v) {
  u32 sign = u32(v & 0x80) << 24;
  u32 exponent = (v & 0x7f) >> F::mantissa;
  u32 fraction = v & ((1u << F::mantissa) - 1);
  u32 normal = (exponent + 127 - F::bias) << 23 | fraction
                                                      << (23 - F::mantissa);
  // A denormal is a small integer times the smallest step.
  f32 step = bits<f32>(u32(127 - F::bias + 1 - F::mantissa) << 23);
  u32 denormal = bits<u32>(f32(i32(fraction)) * step);
  u32 magnitude = exponent ? normal : denormal;
  return bits<f32>(v == 0x80 ? 0x7fc00000u : sign | magnitude);
}

/// Rounds to nearest even. The stochastic form adds noise first (addNoise).
template <typename F> inline u8 toSmall(f32 v, bool saturate) {
  constexpr i32 minExponent = 1 - i32(F::bias);
  u32 b = raw(v);
  u32 sign = b >> 24 & 0x80;
  u32 magnitude = b & 0x7fffffff;
  i32 exponent = i32(magnitude >> 23) - 127;
  u32 hidden = magnitude >> 23 ? 0x800000u : 0u;
  u32 significand = (magnitude & 0x7fffff) | hidden;
  // Below the smallest normal exponent more bits are dropped.
  i32 below = exponent < minExponent ? minExponent - exponent : 0;
  u32 drop = 23 - F::mantissa + (below > 6 ? 6 : below);
  u32 field = below ? 1 : exponent + F::bias;
  u32 half = 1u << (drop - 1), rest = significand & (2 * half - 1);
  u32 kept = significand >> drop;
  kept += rest > half || (rest == half && (kept & 1));
  // `kept` holds the hidden bit of a normal; its carry enters the exponent.
  u32 result = ((field - 1) << F::mantissa) + kept;
  // Far below half the smallest denormal.
  result = below > 6 ? 0 : result;
  bool nan = magnitude > 0x7f800000;
  bool over = result > 0x7f || magnitude >= 0x7f800000;
  u32 overflow = saturate && !nan ? sign | 0x7f : 0x80;
  return over ? overflow : result == 0 ? 0 : sign | result;
}

/// The stochastic form of f32 to 8 bits: noise below the kept mantissa wraps
/// around within the mantissa.
template <typename F> inline f32 addNoise(f32 v, u32 random) {
  constexpr unsigned noiseBits = 23 - F::mantissa;
  u32 b = raw(v);
  u32 m = ((b & 0x7fffff) + (random >> (32 - noiseBits))) & 0x7fffff;
  return bits<f32>((b & 0xff800000) | m);
}

} // namespace tlc::sim::TLC_SIM_ISA

#endif // TLC_LIB_SIMULATOR_EXECUTE_LANES_SMALLFLOAT_H
