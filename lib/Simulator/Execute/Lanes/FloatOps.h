//===- FloatOps.h - Floating-point scalar functions -------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NaN rules, minima and maxima, rounding and conversions shared by the
// floating-point families. Denormals and rounding of f32 and f64 follow the
// host's control register, which the run loop sets from MODE.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_EXECUTE_LANES_FLOATOPS_H
#define TLC_LIB_SIMULATOR_EXECUTE_LANES_FLOATOPS_H

#include "LaneOps.h"

namespace tlc::sim::TLC_SIM_ISA {

/// Layout of a floating-point type.
template <typename T> struct Format;
template <> struct Format<f16> {
  using Bits = u16;
  using Signed = i16;
  static constexpr unsigned mantissa = 10, bias = 15;
};
template <> struct Format<f32> {
  using Bits = u32;
  using Signed = i32;
  static constexpr unsigned mantissa = 23, bias = 127;
};
template <> struct Format<f64> {
  using Bits = u64;
  using Signed = i64;
  static constexpr unsigned mantissa = 52, bias = 1023;
};

template <typename T> using BitsOf = typename Format<T>::Bits;
template <typename T>
constexpr BitsOf<T> signBit = BitsOf<T>(BitsOf<T>(1) << (sizeof(T) * 8 - 1));
template <typename T>
constexpr BitsOf<T> quietBit =
    BitsOf<T>(BitsOf<T>(1) << (Format<T>::mantissa - 1));
template <typename T>
constexpr BitsOf<T> mantissaMask =
    BitsOf<T>((BitsOf<T>(1) << Format<T>::mantissa) - 1);
template <typename T>
constexpr BitsOf<T> exponentMask = BitsOf<T>(~signBit<T> & ~mantissaMask<T>);

/// The bits of a number and back.
template <typename T> inline BitsOf<T> raw(T v) { return bits<BitsOf<T>>(v); }
template <typename T> inline T fromRaw(BitsOf<T> v) { return bits<T>(v); }

// Without branches, so that lanes run abreast.
[[gnu::always_inline]] inline bool both(bool a, bool b) {
  return unsigned(a) & unsigned(b);
}
[[gnu::always_inline]] inline bool either(bool a, bool b) {
  return unsigned(a) | unsigned(b);
}

/// On the bits, so that no compiler option for fast arithmetic can remove it.
template <typename T> inline bool isNan(T v) {
  return BitsOf<T>(raw(v) & ~signBit<T>) > exponentMask<T>;
}
template <typename T> inline bool isSignalling(T v) {
  return both(isNan(v), !(raw(v) & quietBit<T>));
}
template <typename T> inline bool isInf(T v) {
  return BitsOf<T>(raw(v) & ~signBit<T>) == exponentMask<T>;
}
template <typename T> inline bool isZero(T v) {
  return BitsOf<T>(raw(v) & ~signBit<T>) == 0;
}
/// A signalling NaN made quiet keeps its payload.
template <typename T> inline T quiet(T v) {
  return fromRaw<T>(raw(v) | quietBit<T>);
}
template <typename T> inline bool negative(T v) { return raw(v) & signBit<T>; }
template <typename T> inline T withSign(T v, bool negativeSign) {
  BitsOf<T> magnitude = raw(v) & BitsOf<T>(~signBit<T>);
  return fromRaw<T>(negativeSign ? BitsOf<T>(magnitude | signBit<T>)
                                 : magnitude);
}
/// The biased exponent; 0 for zero and denormals.
template <typename T> inline int exponentField(T v) {
  return int((raw(v) & exponentMask<T>) >> Format<T>::mantissa);
}

/// Order as integers: total order of the numbers, -0 below +0.
template <typename T> inline typename Format<T>::Signed ordered(T v) {
  using S = typename Format<T>::Signed;
  S s = S(raw(v));
  return s < 0 ? S(s ^ S(~signBit<T>)) : s;
}

/// v_min and v_max: of a number and a NaN the number. With IEEE mode a
/// signalling NaN wins, made quiet. -0 is below +0.
template <typename T>
[[gnu::always_inline]] inline T minimum(T a, T b, bool ieee) {
  T r = ordered(a) < ordered(b) ? a : b;
  r = isNan(b) ? a : r;
  r = isNan(a) ? b : r;
  r = both(ieee, isSignalling(b)) ? quiet(b) : r;
  return both(ieee, isSignalling(a)) ? quiet(a) : r;
}
template <typename T>
[[gnu::always_inline]] inline T maximum(T a, T b, bool ieee) {
  T r = ordered(a) > ordered(b) ? a : b;
  r = isNan(b) ? a : r;
  r = isNan(a) ? b : r;
  r = both(ieee, isSignalling(b)) ? quiet(b) : r;
  return both(ieee, isSignalling(a)) ? quiet(a) : r;
}
template <typename T>
[[gnu::always_inline]] inline T minimum3(T a, T b, T c, bool ieee) {
  return minimum(minimum(a, b, ieee), c, ieee);
}
template <typename T>
[[gnu::always_inline]] inline T maximum3(T a, T b, T c, bool ieee) {
  return maximum(maximum(a, b, ieee), c, ieee);
}
/// v_med3: the middle one; with any NaN the minimum of the three, as the ISA
/// defines it.
template <typename T>
[[gnu::always_inline]] inline T median(T a, T b, T c, bool ieee) {
  T least = minimum3(a, b, c, ieee);
  T lo = ordered(a) < ordered(b) ? a : b;
  T hi = ordered(a) < ordered(b) ? b : a;
  T r = ordered(c) < ordered(lo) ? lo : c;
  r = ordered(c) > ordered(hi) ? hi : r;
  return either(either(isNan(a), isNan(b)), isNan(c)) ? least : r;
}

/// f64 to f32 rounded to odd, so that a later rounding to 16 bits is right.
[[gnu::always_inline]] inline f32 roundToOdd(f64 v) {
  f32 r = f32(v);
  f64 back = f64(r);
  // Infinities that the rounding made become the largest number by this, too.
  bool tooBig = withSign(back, false) > withSign(v, false);
  // Rounded to odd: cut, with the last bit set if anything was lost. A result
  // that was rounded up is one too large.
  u32 odd = (raw(r) - u32(tooBig)) | 1;
  return either(back == v, isNan(v)) ? r : fromRaw<f32>(odd);
}

/// f32 to f16 in the rounding mode of the host's control register.
#if defined(__F16C__) || !defined(__x86_64__)
[[gnu::always_inline]] inline f16 toHalf(f32 v) { return f16(v); }
#else
/// Processors before F16C: by integers.
inline f16 toHalf(f32 v) {
  u32 b = raw(v), magnitude = b & 0x7fffffff, sign = b >> 16 & 0x8000;
  if (magnitude >= 0x7f800000)
    return fromRaw<f16>(
        u16(sign | 0x7c00 |
            (magnitude > 0x7f800000 ? 0x200 | (magnitude >> 13 & 0x3ff) : 0)));
  int exponent = int(magnitude >> 23) - 127;
  // With the hidden bit, unless v is a denormal f32.
  u32 significand = (magnitude & 0x7fffff) | (magnitude >> 23 ? 0x800000 : 0);
  // Below the smallest normal number more bits are dropped.
  int drop = exponent < -14 ? 13 - 14 - exponent : 13;
  drop = drop > 25 ? 25 : drop;
  u32 kept = significand >> drop, rest = significand & ((1u << drop) - 1);
  u32 half = 1u << (drop - 1);
  // The mode is in bits 14:13: nearest, down, up, zero.
  unsigned rounding = __builtin_ia32_stmxcsr() >> 13 & 3;
  bool up = rounding == 0   ? rest > half || (rest == half && (kept & 1))
            : rounding == 1 ? sign && rest
            : rounding == 2 ? !sign && rest
                            : false;
  kept += up;
  u32 field = exponent < -14 ? 0 : u32(exponent + 14) << 10;
  u32 result = field + kept; // a carry enters the exponent
  bool toInfinity = rounding == 0 || rounding == (sign ? 1u : 2u);
  if (exponent > 15 || result >= 0x7c00)
    result = toInfinity ? 0x7c00 : 0x7bff;
  return fromRaw<f16>(u16(sign | result));
}
#endif
/// Right for every f64, for the mode it is called in.
[[gnu::always_inline]] inline f16 toHalf(f64 v) {
  return toHalf(roundToOdd(v));
}

// Of two NaNs the first counts, in whichever order a compiler for this host
// has the operands.
template <typename T>
[[gnu::always_inline]] inline T firstNan(T a, T b, T result) {
  result = isNan(b) ? quiet(b) : result;
  return isNan(a) ? quiet(a) : result;
}
[[gnu::always_inline]] inline f32 sum(f32 a, f32 b) {
  return firstNan(a, b, a + b);
}
[[gnu::always_inline]] inline f32 product(f32 a, f32 b) {
  return firstNan(a, b, a * b);
}
/// Where the payload of a NaN has no public definition.
template <typename T> [[gnu::always_inline]] inline T canonical(T v) {
  return isNan(v) ? fromRaw<T>(exponentMask<T> | quietBit<T>) : v;
}

/// One rounding, as the hardware's fused multiply-add.
inline f32 fused(f32 a, f32 b, f32 c) { return __builtin_fmaf(a, b, c); }
inline f64 fused(f64 a, f64 b, f64 c) { return __builtin_fma(a, b, c); }
/// The product is exact in f64, and so is the sum wherever it matters.
[[gnu::always_inline]] inline f16 fused(f16 a, f16 b, f16 c) {
  return toHalf(f64(f32(a)) * f64(f32(b)) + f64(f32(c)));
}

/// The same where f32 rounds to nearest: the sum's error, which is exact then,
/// says how to round it to odd.
[[gnu::always_inline]] inline f16 fusedNearest(f16 a, f16 b, f16 c) {
  f32 product = f32(a) * f32(b), addend = f32(c); // exact
  f32 sum = product + addend;
  f32 part = sum - product;
  f32 error = (product - (sum - part)) + (addend - part);
  bool inexact = either(error > 0.0f, error < 0.0f);
  u32 beyond = (raw(error) ^ raw(sum)) >> 31; // rounded away from zero
  u32 odd = (raw(sum) - beyond) | 1;
  return toHalf(inexact ? fromRaw<f32>(odd) : sum);
}
template <bool Nearest>
[[gnu::always_inline]] inline f16 fusedHalf(f16 a, f16 b, f16 c) {
  f16 r = Nearest ? fusedNearest(a, b, c) : fused(a, b, c);
  return firstNan(a, b, isNan(c) ? quiet(c) : r);
}
/// One of two functions: for rounding to nearest, for any rounding of f16.
template <LaneFunction Nearest, LaneFunction Any>
void byRounding(const Lanes &x) {
  (x.wave->mode >> 2 & 3) == 0 ? Nearest(x) : Any(x);
}

/// Fraction: v - floor(v), below 1.
template <typename T> inline T fraction(T v, T floorOfV) {
  constexpr T belowOne =
      sizeof(T) == 8 ? T(0x1.fffffffffffffp-1)
                     : (sizeof(T) == 4 ? T(0x1.fffffep-1f) : T(0.99951171875));
  T r = v - floorOfV;
  r = r < belowOne ? r : (isNan(r) ? r : belowOne);
  return isInf(v) ? fromRaw<T>(exponentMask<T> | quietBit<T>) : r;
}

} // namespace tlc::sim::TLC_SIM_ISA

#endif // TLC_LIB_SIMULATOR_EXECUTE_LANES_FLOATOPS_H
