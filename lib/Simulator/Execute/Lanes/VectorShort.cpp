//===- VectorShort.cpp - Vector integers of 16 bits -----------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations inherited from gfx8 clear the upper half of the destination;
// those that came with gfx9's op_sel keep it (`Keep`).
//
// 16-bit integers lie in the lower half of a register; op_sel, where allowed,
// moves the upper half down before the lane function sees it (Modifiers.cpp).
// Semantics: CDNA3 ISA document, section VOP3.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "IntegerOps.h"
#include "LaneOps.h"

namespace tlc::sim::TLC_SIM_ISA {
namespace {

template <auto F> constexpr LaneFunction u2 = map2<u16, u16, u16, F>;
template <auto F> constexpr LaneFunction i2 = map2<i16, i16, i16, F>;

/// Saturation of a 16-bit result that was formed in 32 bits, for the clamp bit.
constexpr u16 clampU(i32 v) { return v > 0xffff ? 0xffff : v < 0 ? 0 : v; }
constexpr i16 clampI(i32 v) {
  return v > 0x7fff ? 0x7fff : v < -0x8000 ? -0x8000 : v;
}

/// The clamp bit decides between two loops, not within one.
template <LaneFunction Wrap, LaneFunction Saturate>
void clampable(const Lanes &x) {
  x.op->inst->clamp ? Saturate(x) : Wrap(x);
}

/// Rows of gfx9's own forms.
template <typename T, auto F>
constexpr LaneFunction keep2 =
    map2<Keep<T>, T, T, [](T a, T b) { return Keep<T>{T(F(a, b))}; }>;
template <typename T, auto F>
constexpr LaneFunction keep3 = map3<Keep<T>, T, T, T, [](T a, T b, T c) {
  return Keep<T>{T(F(a, b, c))};
}>;

// Formed in 32 bits, which hold every result: 0xffff * 0xffff + 0xffff unsigned
// and 0x8000 * 0x8000 + 0x7fff signed.
constexpr auto madWrap = [](u32 a, u32 b, u32 c) { return u16(a * b + c); };
constexpr auto madU = [](u32 a, u32 b, u32 c) {
  u64 r = u64(a) * b + c;
  return r > 0xffff ? u16(0xffff) : u16(r);
};
constexpr auto madI = [](i32 a, i32 b, i32 c) { return clampI(a * b + c); };

using O = Opcode;
constexpr Handler rows[] = {
    // gfx8's forms.
    {O::v_add_u16, nullptr,
     clampable<u2<[](u16 a, u16 b) { return u16(a + b); }>,
               u2<[](u16 a, u16 b) { return clampU(a + b); }>>},
    {O::v_sub_u16, nullptr,
     clampable<u2<[](u16 a, u16 b) { return u16(a - b); }>,
               u2<[](u16 a, u16 b) { return clampU(a - b); }>>},
    {O::v_subrev_u16, nullptr,
     clampable<u2<[](u16 a, u16 b) { return u16(b - a); }>,
               u2<[](u16 a, u16 b) { return clampU(b - a); }>>},
    // gfx9's forms: op_sel, and the upper half kept.
    {O::v_add_i16, nullptr,
     clampable<keep2<i16, [](i16 a, i16 b) { return i16(a + b); }>,
               keep2<i16, [](i16 a, i16 b) { return clampI(a + b); }>>},
    {O::v_sub_i16, nullptr,
     clampable<keep2<i16, [](i16 a, i16 b) { return i16(a - b); }>,
               keep2<i16, [](i16 a, i16 b) { return clampI(a - b); }>>},
    // Shift counts are taken modulo 16.
    {O::v_mul_lo_u16, nullptr, u2<[](u32 a, u32 b) { return u16(a * b); }>},
    {O::v_lshlrev_b16, nullptr,
     u2<[](u16 a, u16 b) { return u16(b << (a & 15)); }>},
    {O::v_lshrrev_b16, nullptr,
     u2<[](u16 a, u16 b) { return u16(b >> (a & 15)); }>},
    {O::v_ashrrev_i16, nullptr,
     i2<[](i16 a, i16 b) { return i16(b >> (a & 15)); }>},
    {O::v_max_u16, nullptr, u2<[](u16 a, u16 b) { return a > b ? a : b; }>},
    {O::v_max_i16, nullptr, i2<[](i16 a, i16 b) { return a > b ? a : b; }>},
    {O::v_min_u16, nullptr, u2<[](u16 a, u16 b) { return a < b ? a : b; }>},
    {O::v_min_i16, nullptr, i2<[](i16 a, i16 b) { return a < b ? a : b; }>},
    {O::v_min3_i16, nullptr, keep3<i16, min3<i16>>},
    {O::v_min3_u16, nullptr, keep3<u16, min3<u16>>},
    {O::v_max3_i16, nullptr, keep3<i16, max3<i16>>},
    {O::v_max3_u16, nullptr, keep3<u16, max3<u16>>},
    {O::v_med3_i16, nullptr, keep3<i16, med3<i16>>},
    {O::v_med3_u16, nullptr, keep3<u16, med3<u16>>},
    {O::v_mad_legacy_u16, nullptr,
     clampable<map3<u16, u16, u16, u16, madWrap>,
               map3<u16, u16, u16, u16, madU>>},
    {O::v_mad_legacy_i16, nullptr,
     clampable<map3<u16, u16, u16, u16, madWrap>,
               map3<i16, i16, i16, i16, madI>>},
    {O::v_mad_u16, nullptr, clampable<keep3<u16, madWrap>, keep3<u16, madU>>},
    {O::v_mad_i16, nullptr, clampable<keep3<u16, madWrap>, keep3<i16, madI>>},
    // 16 x 16 + 32 bits to a whole dword.
    {O::v_mad_u32_u16, nullptr,
     clampable<map3<u32, u16, u16, u32,
                    [](u16 a, u16 b, u32 c) { return u32(a) * b + c; }>,
               map3<u32, u16, u16, u32,
                    [](u16 a, u16 b, u32 c) {
                      u64 r = u64(a) * b + c;
                      return r >> 32 ? ~0u : u32(r);
                    }>>},
    {O::v_mad_i32_i16, nullptr,
     clampable<map3<u32, i16, i16, u32,
                    [](i16 a, i16 b, u32 c) { return u32(i32(a) * b) + c; }>,
               map3<i32, i16, i16, i32,
                    [](i16 a, i16 b, i32 c) {
                      i64 r = i64(a) * b + c;
                      return r > INT32_MAX   ? INT32_MAX
                             : r < INT32_MIN ? INT32_MIN
                                             : i32(r);
                    }>>},
};

} // namespace

Family vectorShortFamily() { return family(rows); }

} // namespace tlc::sim::TLC_SIM_ISA
