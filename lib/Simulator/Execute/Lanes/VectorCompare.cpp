//===- VectorCompare.cpp - VOPC -------------------------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One bit per active lane into a scalar pair; v_cmpx writes EXEC as well.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "FloatOps.h"

#include <iterator>

namespace tlc::sim::TLC_SIM_ISA {
namespace {

/// Lanes that are off give 0.
template <typename A, typename B, auto F, bool WritesExec>
void compare(const Lanes &x) {
  alignas(64) u8 flags[waveLanes];
  // A byte for each lane first, which vectorizes; then 64 bits of them.
  TLC_LANE_LOOP flags[l] = F(get<A>(x.a, l), get<B>(x.b, l));
  u64 result = packMask(flags) & x.wave->exec();
  x.wave->setPair(x.op->dst, result);
  // v_cmpx on gfx9 writes both.
  if (WritesExec)
    x.wave->setPair(ScalarReg::ExecLo, result);
}

/// The ten classes, one bit each: signalling NaN, quiet NaN, -inf, -normal,
/// -denormal, -0, +0, +denormal, +normal, +inf.
template <typename T> inline bool hasClass(T v, u32 mask) {
  u32 kind;
  if (isNan(v)) {
    kind = isSignalling(v) ? 0 : 1;
  } else {
    u32 magnitude = isInf(v) ? 3 : exponentField(v) ? 2 : isZero(v) ? 0 : 1;
    // Negative classes count down from -0 (5), positive ones up from +0 (6).
    kind = negative(v) ? 5 - magnitude : 6 + magnitude;
  }
  return mask >> kind & 1;
}

using O = Opcode;

// v_cmp and v_cmpx of one operation.
#define PAIR_OF(name, A, B, expr)                                              \
  {O::v_cmp_##name, nullptr,                                                   \
   compare<A, B, [](A a, B b) { return bool(expr); }, false>},                 \
  {                                                                            \
    O::v_cmpx_##name, nullptr,                                                 \
        compare<A, B, [](A a, B b) { return bool(expr); }, true>               \
  }
// "n" forms are negations: true for NaN.
#define FLOATS(T, S)                                                           \
  PAIR_OF(f_##S, T, T, false), PAIR_OF(lt_##S, T, T, a < b),                   \
      PAIR_OF(eq_##S, T, T, a == b), PAIR_OF(le_##S, T, T, a <= b),            \
      PAIR_OF(gt_##S, T, T, a > b), PAIR_OF(lg_##S, T, T, a<b || a> b),        \
      PAIR_OF(ge_##S, T, T, a >= b),                                           \
      PAIR_OF(o_##S, T, T, !isNan(a) && !isNan(b)),                            \
      PAIR_OF(u_##S, T, T, isNan(a) || isNan(b)),                              \
      PAIR_OF(nge_##S, T, T, !(a >= b)),                                       \
      PAIR_OF(nlg_##S, T, T, !(a < b || a > b)),                               \
      PAIR_OF(ngt_##S, T, T, !(a > b)), PAIR_OF(nle_##S, T, T, !(a <= b)),     \
      PAIR_OF(neq_##S, T, T, !(a == b)), PAIR_OF(nlt_##S, T, T, !(a < b)),     \
      PAIR_OF(tru_##S, T, T, true), PAIR_OF(class_##S, T, u32, hasClass(a, b))
#define INTEGERS(T, S)                                                         \
  PAIR_OF(f_##S, T, T, false), PAIR_OF(lt_##S, T, T, a < b),                   \
      PAIR_OF(eq_##S, T, T, a == b), PAIR_OF(le_##S, T, T, a <= b),            \
      PAIR_OF(gt_##S, T, T, a > b), PAIR_OF(ne_##S, T, T, a != b),             \
      PAIR_OF(ge_##S, T, T, a >= b), PAIR_OF(t_##S, T, T, true)

constexpr Handler singleRows[] = {FLOATS(f32, f32)};
constexpr Handler doubleRows[] = {FLOATS(f64, f64)};
constexpr Handler halfRows[] = {FLOATS(f16, f16)};
constexpr Handler integerRows[] = {INTEGERS(i16, i16), INTEGERS(u16, u16),
                                   INTEGERS(i32, i32), INTEGERS(u32, u32),
                                   INTEGERS(i64, i64), INTEGERS(u64, u64)};
#undef FLOATS
#undef INTEGERS
#undef PAIR_OF

/// The rows of all types in one table, with the mode that each type's
/// comparisons run under (flushed denormals compare as 0).
struct AllRows {
  Handler rows[std::size(singleRows) + std::size(doubleRows) +
               std::size(halfRows) + std::size(integerRows)];
  AllRows() {
    size_t n = 0;
    for (Handler row : singleRows) {
      row.mode = FloatMode::Single;
      rows[n++] = row;
    }
    for (Handler row : doubleRows) {
      row.mode = FloatMode::HalfDouble;
      rows[n++] = row;
    }
    for (Handler row : halfRows) {
      row.mode = FloatMode::HalfDouble;
      rows[n++] = row;
    }
    for (const Handler &row : integerRows)
      rows[n++] = row;
  }
};

} // namespace

Family vectorCompareFamily() {
  static const AllRows all;
  return family(all.rows);
}

} // namespace tlc::sim::TLC_SIM_ISA
