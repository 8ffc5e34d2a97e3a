//===- ErrorModel.h - How far a correct device may be off -------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules of docs/numerics.md. A value is a pair (v, e): every correct
// execution has a value within e of v. Two invariants keep the bounds tight:
//
// * e = 0 means the device has exactly v. One correctly rounded operation on
//   exact operands therefore stays exact, and truncating instead is seen.
// * A cast to a narrow type rounds both ends of [v - e, v + e]; where they
//   round to the same number, the error is gone. So a wider error counts only
//   for the few values that lie next to a rounding boundary.
//
//   x = 1.0 (e 0), y = 1.0 / 3 (f32, e = 6u |y|)   y is within 6u |y|
//   f16(y): both ends round to 0.33325             e = 0: exact again
//   f16(2049.0 +- 1.5): 2048 or 2050               e = 2: the ends differ
//
// `unit` is half a unit in the last place of 1, `minimum` the least normal
// number.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_REFERENCE_ERRORMODEL_H
#define TLC_LIB_REFERENCE_ERRORMODEL_H

#include "Machine.h"
#include <cmath>

namespace tlc::reference {

/// What underflow may lose: the device may flush subnormal f32 results;
/// narrower formats keep theirs and only round.
inline double tinyOf(const FloatFormat &format) {
  return format.bits == 32 ? format.minimum : format.minimum * format.unit;
}

/// A NaN, from inf - inf, means that nothing is known.
inline double atLeastZero(double e) { return e >= 0 ? e : INFINITY; }

/// The error of an infinity or NaN: none, or nothing is known of the value.
inline double nonFiniteError(double e) { return e < INFINITY ? 0 : INFINITY; }

/// How a cast to a format of 16 bits rounds.
enum class CastRounding : int64_t { NearestEven, NearestAway, TowardZero };

/// A number of the format as `mode` says, which differs from the nearest one,
/// ties to even, by a unit in the last place if at all. Towards zero a finite
/// number stays finite.
inline double roundAs(const FloatFormat &format, double v, CastRounding mode) {
  double r = format.round(v), magnitude = std::fabs(v);
  if (mode == CastRounding::NearestEven || std::isnan(v))
    return r;
  uint64_t bits = format.encode(std::fabs(r));
  if (mode == CastRounding::TowardZero)
    return std::fabs(r) > magnitude ? std::copysign(format.decode(bits - 1), v)
                                    : r;
  if (std::fabs(r) < magnitude) {
    double above = format.decode(bits + 1);
    if (above - magnitude <= magnitude - std::fabs(r))
      return std::copysign(above, v);
  }
  return r;
}

/// A number of a narrower format; e becomes the distance that rounding may put
/// between v and the device's value.
inline double narrow(const FloatFormat &format, double v, double &e,
                     CastRounding mode = CastRounding::NearestEven) {
  double r = roundAs(format, v, mode);
  if (e == 0)
    return r;
  if (!std::isfinite(r)) {
    // Near the overflow threshold the device may still have a finite value.
    e = std::isfinite(v) && roundAs(format, std::fabs(v) - e, mode) < INFINITY
            ? INFINITY
            : nonFiniteError(e);
    return r;
  }
  // f32 and f64: rounding adds half a unit, v itself is kept as it is.
  if (format.bits >= 32) {
    e += format.unit * std::fabs(v) + tinyOf(format);
    return v;
  }
  double above = roundAs(format, v + e, mode) - r,
         below = r - roundAs(format, v - e, mode);
  e = atLeastZero(std::max(above, below));
  return r;
}

/// Adds the rounding error of `units` half units in the last place.
inline double roughly(const FloatFormat &format, double r, double &e,
                      double units) {
  if (!std::isfinite(r)) {
    e = nonFiniteError(e);
    return r;
  }
  double magnitude = std::fabs(r);
  e = atLeastZero(e) + units * format.unit * magnitude + tinyOf(format);
  // Overflow is certain if even the lower end overflows; otherwise anything may
  // be.
  if (magnitude > format.maxFinite) {
    e = magnitude - e > format.maxFinite ? 0 : INFINITY;
    return std::copysign(INFINITY, r);
  }
  if (magnitude + e > format.maxFinite)
    e = INFINITY;
  return r;
}

/// The result of an operation that the device rounds correctly: exact if the
/// operands were and nothing can be contracted into it, else half a unit more.
inline double settleBasic(const Inst &inst, double r, double &e) {
  const FloatFormat &format = *inst.type.format;
  if (!inst.contract) {
    if (e == 0)
      return format.round(r);
    if (format.bits < 32 && std::isfinite(r))
      return narrow(format, r, e);
  }
  return roughly(format, r, e, 1);
}

/// The result of an operation that the device only approximates. Narrow types
/// are computed in f32 and rounded.
inline double settleApprox(const Inst &inst, double r, double &e,
                           double units) {
  const FloatFormat &format = *inst.type.format;
  if (format.bits >= 32)
    return roughly(format, r, e, units);
  r = roughly(f32Format, r, e, units);
  return narrow(format, r, e);
}

} // namespace tlc::reference

#endif // TLC_LIB_REFERENCE_ERRORMODEL_H
