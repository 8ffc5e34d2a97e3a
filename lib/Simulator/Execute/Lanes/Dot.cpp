//===- Dot.cpp - Dot products ---------------------------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums of products within a lane. The float form adds the products one after
// the other in f32; the order inside the hardware is not published.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "FloatOps.h"

namespace tlc::sim::TLC_SIM_ISA {
namespace {

/// Element i of N-bit integers in a word.
template <unsigned N, bool Signed> inline i64 element(u32 word, unsigned i) {
  u32 moved = word >> (i * N) << (32 - N);
  return Signed ? i64(i32(moved) >> (32 - N)) : i64(moved >> (32 - N));
}
// Exact in 64 bits; wraps, or saturates with clamp.
template <unsigned N, bool Signed>
inline u32 dotSum(u32 a, u32 b, u32 c, bool clamp) {
  i64 total = Signed ? i64(i32(c)) : i64(c);
  for (unsigned i = 0; i < 32 / N; ++i)
    total += element<N, Signed>(a, i) * element<N, Signed>(b, i);
  if (clamp && Signed)
    total = total > INT32_MAX   ? INT32_MAX
            : total < INT32_MIN ? INT32_MIN
                                : total;
  if (clamp && !Signed)
    total = total > i64(UINT32_MAX) ? i64(UINT32_MAX) : total;
  return u32(total);
}

template <unsigned N, bool Signed> void dot(const Lanes &x) {
  bool clamp = x.op->inst->clamp;
  TLC_LANE_LOOP
  put<u32>(x.d, l, x.mask[l], dotSum<N, Signed>(x.a[l], x.b[l], x.c[l], clamp));
}
/// The destination is the third source.
template <unsigned N, bool Signed> void dotC(const Lanes &x) {
  bool clamp = x.op->inst->clamp;
  TLC_LANE_LOOP
  put<u32>(x.d, l, x.mask[l], dotSum<N, Signed>(x.a[l], x.b[l], x.d[l], clamp));
}

inline f32 dotHalves(Pair<f16> a, Pair<f16> b, f32 c) {
  f32 r = c + f32(a.lo) * f32(b.lo);
  return canonical(r + f32(a.hi) * f32(b.hi));
}

using O = Opcode;
constexpr FloatMode S = FloatMode::Single;
constexpr Handler rows[] = {
    {O::v_dot2_f32_f16, nullptr,
     map3<f32, Pair<f16>, Pair<f16>, f32, dotHalves>, true, S},
    {O::v_dot2c_f32_f16, nullptr,
     accumulate<f32, Pair<f16>, Pair<f16>, dotHalves>, true, S},
    {O::v_dot2_i32_i16, nullptr, dot<16, true>},
    {O::v_dot2_u32_u16, nullptr, dot<16, false>},
    {O::v_dot4_i32_i8, nullptr, dot<8, true>},
    {O::v_dot4_u32_u8, nullptr, dot<8, false>},
    {O::v_dot8_i32_i4, nullptr, dot<4, true>},
    {O::v_dot8_u32_u4, nullptr, dot<4, false>},
    {O::v_dot2c_i32_i16, nullptr, dotC<16, true>},
    {O::v_dot4c_i32_i8, nullptr, dotC<8, true>},
    {O::v_dot8c_i32_i4, nullptr, dotC<4, true>},
};

} // namespace

Family dotFamily() { return family(rows); }

} // namespace tlc::sim::TLC_SIM_ISA
