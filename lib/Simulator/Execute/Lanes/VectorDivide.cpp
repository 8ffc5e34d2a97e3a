//===- VectorDivide.cpp - The steps of IEEE division ----------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// v_div_scale brings numerator N and denominator D into a range where Newton's
// iteration works, v_div_fmas undoes it, v_div_fixup puts in the special
// results. Which of N and D is scaled, by 2^64 for f32 and 2^128 for f64:
//
//   exponent(N) - exponent(D) >= 96 (768)   D down: the quotient is too big
//   D denormal, or N tiny                   both up
//   1/D denormal, N/D denormal              D down, so the quotient is scaled
//   1/D denormal                            both down
//   N/D denormal                            N up
//
// VCC says that the quotient came out scaled; v_div_fmas knows the direction
// from its exponent.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "FloatOps.h"

namespace tlc::sim::TLC_SIM_ISA {
namespace {

/// The thresholds of the table above, by format.
template <typename T> struct Scaling;
template <> struct Scaling<f32> {
  static constexpr f32 up = 0x1p64f, down = 0x1p-64f, smallest = 0x1p-126f;
  static constexpr f32 hugeD = 0x1p126f;
  static constexpr int bigDifference = 96, tiny = 23, underflow = -150;
};
template <> struct Scaling<f64> {
  static constexpr f64 up = 0x1p128, down = 0x1p-128, smallest = 0x1p-1022;
  static constexpr f64 hugeD = 0x1p1022;
  static constexpr int bigDifference = 768, tiny = 53, underflow = -1075;
};

template <typename T> T magnitude(T v) { return withSign(v, false); }

template <typename T> bool isDenormal(T v) {
  return exponentField(v) == 0 && !isZero(v);
}

/// v_div_scale for one lane: s0 is the operand to scale, which equals d or n.
template <typename T> T scaled(T s0, T d, T n, u8 &flag) {
  using S = Scaling<T>;
  flag = 0;
  if (isZero(n) || isZero(d))
    return fromRaw<T>(exponentMask<T> | quietBit<T>);
  bool sameAsD = raw(s0) == raw(d), sameAsN = raw(s0) == raw(n);
  bool reciprocalDenormal = magnitude(d) > S::hugeD;
  bool quotientDenormal = magnitude(T(n / d)) < S::smallest;
  if (exponentField(n) - exponentField(d) >= S::bigDifference) {
    flag = 1;
    return sameAsD ? s0 * S::up : s0;
  }
  if (isDenormal(d))
    return s0 * S::up;
  if (reciprocalDenormal && quotientDenormal) {
    flag = 1;
    return sameAsD ? s0 * S::down : s0;
  }
  if (reciprocalDenormal)
    return s0 * S::down;
  if (quotientDenormal) {
    flag = 1;
    return sameAsN ? s0 * S::up : s0;
  }
  return exponentField(n) <= S::tiny ? s0 * S::up : s0;
}

template <typename T> void divScale(const Lanes &x) {
  alignas(64) u8 flags[waveLanes];
  for (unsigned l = 0; l < waveLanes; ++l) {
    T r = scaled(get<T>(x.a, l), get<T>(x.b, l), get<T>(x.c, l), flags[l]);
    put<T>(x.d, l, x.mask[l], r);
  }
  x.wave->setPair(x.op->sdst, packMask(flags) & x.wave->exec());
}

/// (a·b + c) · 2^-128 where that is denormal, rounded once: what the rounded
/// sum gives is corrected by how far the exact sum lies from it.
f64 scaledIntoDenormals(f64 a, f64 b, f64 c) {
  constexpr f64 step = 0x1p-946; // the smallest denormal, scaled back
  f64 r = fused(a, b, c) * Scaling<f64>::down;
  f64 back = r * Scaling<f64>::up;
  f64 rest = fused(a, b, c - back); // c and back are close: exact
  bool away = rest > step / 2 || (rest == step / 2 && (raw(r) & 1));
  bool below = rest < -step / 2 || (rest == -step / 2 && (raw(r) & 1));
  constexpr f64 smallest = 0x1p-1074;
  return away ? r + smallest : below ? r - smallest : r;
}

/// a * b + c, scaled back where the lane's bit in VCC says that v_div_scale
/// scaled.
template <typename T> void divFmas(const Lanes &x) {
  u64 vcc = x.wave->vcc();
  for (unsigned l = 0; l < waveLanes; ++l) {
    T q = get<T>(x.c, l);
    T r = fused(get<T>(x.a, l), get<T>(x.b, l), q);
    if (vcc >> l & 1) {
      bool up = exponentField(q) > int(Format<T>::bias);
      if constexpr (sizeof(T) == 4)
        // In f64 the scaling rounds only once.
        r = f32(fused(f64(get<T>(x.a, l)), f64(get<T>(x.b, l)), f64(q)) *
                f64(up ? Scaling<T>::up : Scaling<T>::down));
      else if (up)
        r = r * Scaling<T>::up;
      else if (exponentField(T(r * Scaling<T>::down)) != 0)
        r = r * Scaling<T>::down;
      else
        r = scaledIntoDenormals(get<T>(x.a, l), get<T>(x.b, l), q);
    }
    put<T>(x.d, l, x.mask[l], r);
  }
}

/// The quotient's special cases: NaN, 0/0, x/0, inf, and a quotient too small
/// to be computed.
template <typename T> T fixup(T q, T d, T n) {
  bool sign = negative(d) != negative(n);
  T infinity = fromRaw<T>(exponentMask<T>);
  T nan = fromRaw<T>(exponentMask<T> | quietBit<T> | signBit<T>);
  if (isNan(n))
    return quiet(n);
  if (isNan(d))
    return quiet(d);
  if ((isZero(d) && isZero(n)) || (isInf(d) && isInf(n)))
    return nan;
  if (isZero(d) || isInf(n))
    return withSign(infinity, sign);
  if (isInf(d) || isZero(n))
    return withSign(T(0), sign);
  if constexpr (sizeof(T) >= 4) {
    if (exponentField(n) - exponentField(d) < Scaling<T>::underflow)
      return withSign(T(0), sign);
    // The iteration makes one where the quotient overflows.
    if (isNan(q))
      return withSign(infinity, sign);
  }
  return withSign(q, sign);
}

template <typename T>
constexpr LaneFunction fixupLanes = map3<T, T, T, T, fixup<T>>;

using O = Opcode;
constexpr FloatMode S = FloatMode::Single, D = FloatMode::HalfDouble;
constexpr Handler rows[] = {
    {O::v_div_scale_f32, nullptr, divScale<f32>, false, S},
    {O::v_div_scale_f64, nullptr, divScale<f64>, false, D},
    {O::v_div_fmas_f32, nullptr, divFmas<f32>, false, S},
    {O::v_div_fmas_f64, nullptr, divFmas<f64>, false, D},
    {O::v_div_fixup_f32, nullptr, fixupLanes<f32>, false, S},
    {O::v_div_fixup_f64, nullptr, fixupLanes<f64>, false, D},
    {O::v_div_fixup_legacy_f16, nullptr, fixupLanes<f16>, false, D},
    {O::v_div_fixup_f16, nullptr,
     map3<Keep<f16>, f16, f16, f16,
          [](f16 q, f16 d, f16 n) { return Keep<f16>{fixup(q, d, n)}; }>,
     false, D},
};

} // namespace

Family vectorDivideFamily() { return family(rows); }

} // namespace tlc::sim::TLC_SIM_ISA
