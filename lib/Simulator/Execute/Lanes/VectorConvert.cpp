//===- VectorConvert.cpp - Vector conversions -----------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Between integers and floating point, and packing. Float to integer saturates
// and takes NaN to 0.
//
// Rounding follows the mode register unless the opcode names its own: a row's
// FloatMode says which rounding and denormal field the host is set to while the
// row runs, single precision (S) or half and double (D). Semantics: CDNA3 ISA
// document, section VOP1 and VOP3.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "FloatOps.h"

#include <limits>

namespace tlc::sim::TLC_SIM_ISA {
namespace {

/// Truncation with saturation. The bounds are exact in F for every I used.
template <typename I, typename F> inline I toInteger(F v) {
  constexpr f64 low = f64(std::numeric_limits<I>::min());
  constexpr f64 high = f64(std::numeric_limits<I>::max());
  // f64 holds every i32, u32 and f32 exactly, so one clamp serves all pairs.
  f64 wide = f64(v);
  wide = wide < low ? low : wide;
  wide = wide > high ? high : wide;
  return isNan(v) ? I(0) : I(i64(wide));
}

/// Rounds f32 to f16 toward zero, whatever the mode.
[[gnu::always_inline]] inline u16 halfTowardZero(f32 v) {
  u32 b = raw(v), magnitude = b & 0x7fffffff;
  // Overflow stays at the largest finite value, as rounding toward zero must.
  u32 normal = (magnitude - (112u << 23)) >> 13; // the exponents' biases differ
  normal = normal > 0x7bff ? 0x7bff : normal;
  // Denormal results: the significand with its hidden bit, shifted by what the
  // exponent lacks.
  u32 drop = 126 - (magnitude >> 23);
  drop = drop > 31 ? 31 : drop;
  u32 denormal = ((magnitude & 0x7fffff) | 0x800000) >> drop;
  // Branch-free, so that the loop over lanes vectorizes. 0x38800000 is 2^-14,
  // f16's smallest normal number.
  u32 r = magnitude < 0x38800000 ? denormal : normal;
  u32 nan = 0x7e00 | (magnitude >> 13 & 0x3ff);
  r = magnitude > 0x7f800000 ? nan : magnitude == 0x7f800000 ? 0x7c00 : r;
  return u16(r | (b >> 16 & 0x8000));
}

/// To [-1, 1] in steps of 1/32767 (normU: [0, 1] and 1/65535), to nearest even;
/// the product is exact and rounded once.
inline i16 normI(f32 v) {
  f32 c = v < -1.0f ? -1.0f : v > 1.0f ? 1.0f : v;
  return isNan(v) ? 0 : i16(__builtin_roundeven(f64(c) * 32767.0));
}
inline u16 normU(f32 v) {
  f32 c = v < 0.0f ? 0.0f : v > 1.0f ? 1.0f : v;
  return isNan(v) ? 0 : u16(i32(__builtin_roundeven(f64(c) * 65535.0)));
}

template <unsigned Byte>
constexpr LaneFunction ubyte =
    map1<f32, u32, [](u32 a) { return f32(a >> (Byte * 8) & 0xff); }>;

/// v_cvt_pk_u8_f32: replaces one byte.
inline u32 packByte(f32 v, u32 position, u32 old) {
  u32 byte = toInteger<u8>(__builtin_roundevenf(v));
  u32 shift = (position & 3) * 8;
  return (old & ~(0xffu << shift)) | byte << shift;
}

/// Two 16-bit values as one dword, the first below.
template <typename P, typename T> inline u32 both(P lo, T hi) {
  return u32(u16(hi)) << 16 | u16(lo);
}

using O = Opcode;
constexpr FloatMode S = FloatMode::Single, D = FloatMode::HalfDouble;
constexpr Handler rows[] = {
    // Plain conversions.
    {O::v_cvt_i32_f64, nullptr, map1<i32, f64, toInteger<i32, f64>>, false, D},
    {O::v_cvt_u32_f64, nullptr, map1<u32, f64, toInteger<u32, f64>>, false, D},
    {O::v_cvt_f64_i32, nullptr, map1<f64, i32, [](i32 a) { return f64(a); }>},
    {O::v_cvt_f64_u32, nullptr, map1<f64, u32, [](u32 a) { return f64(a); }>},
    {O::v_cvt_f32_i32, nullptr, map1<f32, i32, [](i32 a) { return f32(a); }>,
     false, S},
    {O::v_cvt_f32_u32, nullptr, map1<f32, u32, [](u32 a) { return f32(a); }>,
     false, S},
    {O::v_cvt_u32_f32, nullptr, map1<u32, f32, toInteger<u32, f32>>, false, S},
    {O::v_cvt_i32_f32, nullptr, map1<i32, f32, toInteger<i32, f32>>, false, S},
    // To the nearest with halves up, and to the floor, whatever the mode says.
    {O::v_cvt_rpi_i32_f32, nullptr,
     map1<i32, f32,
          [](f32 a) { return toInteger<i32>(__builtin_floor(f64(a) + 0.5)); }>,
     false, S},
    {O::v_cvt_flr_i32_f32, nullptr,
     map1<i32, f32, [](f32 a) { return toInteger<i32>(__builtin_floorf(a)); }>,
     false, S},
    {O::v_cvt_f16_f32, nullptr, map1<f16, f32, [](f32 a) { return toHalf(a); }>,
     false, D},
    {O::v_cvt_f32_f16, nullptr, map1<f32, f16, [](f16 a) { return f32(a); }>,
     false, D},
    {O::v_cvt_f32_f64, nullptr, map1<f32, f64, [](f64 a) { return f32(a); }>,
     false, S},
    {O::v_cvt_f64_f32, nullptr, map1<f64, f32, [](f32 a) { return f64(a); }>,
     false, S},
    // A signed nibble as an offset within a pixel, in sixteenths.
    {O::v_cvt_off_f32_i4, nullptr,
     map1<f32, u32, [](u32 a) { return f32(i32(a << 28) >> 28) * 0.0625f; }>},
    // One byte of the dword as a float.
    {O::v_cvt_f32_ubyte0, nullptr, ubyte<0>},
    {O::v_cvt_f32_ubyte1, nullptr, ubyte<1>},
    {O::v_cvt_f32_ubyte2, nullptr, ubyte<2>},
    {O::v_cvt_f32_ubyte3, nullptr, ubyte<3>},
    {O::v_cvt_f16_u16, nullptr,
     map1<f16, u16, [](u16 a) { return toHalf(f32(a)); }>, false, D},
    {O::v_cvt_f16_i16, nullptr,
     map1<f16, i16, [](i16 a) { return toHalf(f32(a)); }>, false, D},
    {O::v_cvt_u16_f16, nullptr,
     map1<u16, f16, [](f16 a) { return toInteger<u16>(f32(a)); }>, false, D},
    {O::v_cvt_i16_f16, nullptr,
     map1<i16, f16, [](f16 a) { return toInteger<i16>(f32(a)); }>, false, D},
    {O::v_cvt_norm_i16_f16, nullptr,
     map1<i16, f16, [](f16 a) { return normI(f32(a)); }>, false, D},
    {O::v_cvt_norm_u16_f16, nullptr,
     map1<u16, f16, [](f16 a) { return normU(f32(a)); }>, false, D},
    // Packing two results into a dword.
    {O::v_cvt_pknorm_i16_f32, nullptr,
     map2<u32, f32, f32, [](f32 a, f32 b) { return both(normI(a), normI(b)); }>,
     false, S},
    {O::v_cvt_pknorm_u16_f32, nullptr,
     map2<u32, f32, f32, [](f32 a, f32 b) { return both(normU(a), normU(b)); }>,
     false, S},
    {O::v_cvt_pknorm_i16_f16, nullptr,
     map2<u32, f16, f16,
          [](f16 a, f16 b) { return both(normI(f32(a)), normI(f32(b))); }>,
     false, D},
    {O::v_cvt_pknorm_u16_f16, nullptr,
     map2<u32, f16, f16,
          [](f16 a, f16 b) { return both(normU(f32(a)), normU(f32(b))); }>,
     false, D},
    {O::v_cvt_pkrtz_f16_f32, nullptr,
     map2<u32, f32, f32,
          [](f32 a, f32 b) {
            return both(halfTowardZero(a), halfTowardZero(b));
          }>,
     false, D},
    // Integers saturate when they are narrowed.
    {O::v_cvt_pk_u16_u32, nullptr,
     map2<u32, u32, u32,
          [](u32 a, u32 b) {
            return both(a > 0xffff ? 0xffff : a, b > 0xffff ? 0xffff : b);
          }>},
    {O::v_cvt_pk_i16_i32, nullptr,
     map2<u32, i32, i32,
          [](i32 a, i32 b) {
            i32 lo = a > 32767 ? 32767 : a < -32768 ? -32768 : a;
            i32 hi = b > 32767 ? 32767 : b < -32768 ? -32768 : b;
            return both(lo, hi);
          }>},
    {O::v_cvt_pk_u8_f32, nullptr, map3<u32, f32, u32, u32, packByte>, false, S},
    {O::v_cvt_pkaccum_u8_f32, nullptr, accumulate<u32, f32, u32, packByte>,
     false, S},
    {O::v_sat_pk_u8_i16, nullptr,
     map1<u32, u32,
          [](u32 a) {
            i32 lo = i16(a), hi = i16(a >> 16);
            lo = lo < 0 ? 0 : lo > 255 ? 255 : lo;
            hi = hi < 0 ? 0 : hi > 255 ? 255 : hi;
            return u32(lo | hi << 8);
          }>},
};

} // namespace

Family vectorConvertFamily() { return family(rows); }

} // namespace tlc::sim::TLC_SIM_ISA
