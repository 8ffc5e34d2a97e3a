//===- VectorCarry.cpp - Vector operations with carry ---------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations that write one bit per lane to a scalar pair beside their result.
// Bits of inactive lanes become 0.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "LaneOps.h"

namespace tlc::sim::TLC_SIM_ISA {
namespace {

/// Writes the lanes' bits to the scalar destination.
void finish(const Lanes &x, const u8 *flags) {
  x.wave->setPair(x.op->sdst, packMask(flags) & x.wave->exec());
}

// All sums and differences with carry out, and in if WithCarry; clamp
// saturates.
template <bool Subtract, bool Reverse, bool WithCarry>
void addLanes(const Lanes &x) {
  alignas(64) u8 flags[waveLanes];
  u64 carries = WithCarry ? scalar64(*x.wave, x.op->src[2]) : 0;
  bool clamp = x.op->inst->clamp;
  const u32 *first = Reverse ? x.b : x.a, *second = Reverse ? x.a : x.b;
  TLC_LANE_LOOP {
    u64 carry = WithCarry ? carries >> l & 1 : 0;
    u64 a = first[l], b = second[l];
    u64 r = Subtract ? a - b - carry : a + b + carry;
    bool out = r >> 32;
    flags[l] = out;
    u32 limit = Subtract ? 0u : ~0u;
    put<u32>(x.d, l, x.mask[l], clamp && out ? limit : u32(r));
  }
  finish(x, flags);
}

// The flag is bit 64 of the sum of 65 bits; mad64I extends by the sign.
void mad64U(const Lanes &x) {
  alignas(64) u8 flags[waveLanes];
  TLC_LANE_LOOP {
    u64 product = u64(x.a[l]) * x.b[l];
    u64 r = product + get<u64>(x.c, l);
    flags[l] = r < product;
    put<u64>(x.d, l, x.mask[l], r);
  }
  finish(x, flags);
}
void mad64I(const Lanes &x) {
  alignas(64) u8 flags[waveLanes];
  TLC_LANE_LOOP {
    i64 product = i64(i32(x.a[l])) * i32(x.b[l]);
    i64 c = get<i64>(x.c, l);
    u64 r = u64(product) + u64(c);
    bool overflow = (~(product ^ c) & (product ^ i64(r))) < 0;
    flags[l] = (i64(r) < 0) != overflow;
    put<u64>(x.d, l, x.mask[l], r);
  }
  finish(x, flags);
}

using O = Opcode;
constexpr Handler rows[] = {
    {O::v_add_co_u32, nullptr, addLanes<false, false, false>},
    {O::v_sub_co_u32, nullptr, addLanes<true, false, false>},
    {O::v_subrev_co_u32, nullptr, addLanes<true, true, false>},
    {O::v_addc_co_u32, nullptr, addLanes<false, false, true>},
    {O::v_subb_co_u32, nullptr, addLanes<true, false, true>},
    {O::v_subbrev_co_u32, nullptr, addLanes<true, true, true>},
    {O::v_mad_u64_u32, nullptr, mad64U},
    {O::v_mad_i64_i32, nullptr, mad64I},
};

} // namespace

Family vectorCarryFamily() { return family(rows); }

} // namespace tlc::sim::TLC_SIM_ISA
