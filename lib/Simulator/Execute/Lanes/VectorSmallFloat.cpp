//===- VectorSmallFloat.cpp - Vector conversions of 8-bit floats ----------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// op_sel chooses the half, or the byte, of the destination that is written.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "SmallFloat.h"

namespace tlc::sim::TLC_SIM_ISA {
namespace {

constexpr unsigned fp16OvflBit = 23;

/// FP16_OVFL of MODE also rules the 8-bit floats.
bool saturates(const Lanes &x) { return x.wave->mode >> fp16OvflBit & 1; }

// One byte; which one, SDWA has selected.
template <typename F> void widen(const Lanes &x) {
  TLC_LANE_LOOP put<f32>(x.d, l, x.mask[l], fromSmall<F>(u8(x.a[l])));
}
template <typename F> void widenPair(const Lanes &x) {
  TLC_LANE_LOOP {
    u32 a = x.a[l];
    put(x.d, l, x.mask[l],
        Pair<f32>{fromSmall<F>(u8(a)), fromSmall<F>(u8(a >> 8))});
  }
}
/// Two floats into one half of the destination; the other half stays.
template <typename F> void narrowPair(const Lanes &x) {
  bool saturate = saturates(x);
  unsigned shift = x.op->inst->opSel & 8 ? 16 : 0;
  TLC_LANE_LOOP {
    u32 two = u32(toSmall<F>(get<f32>(x.b, l), saturate)) << 8 |
              toSmall<F>(get<f32>(x.a, l), saturate);
    u32 merged = (x.d[l] & ~(0xffffu << shift)) | two << shift;
    put<u32>(x.d, l, x.mask[l], merged);
  }
}
/// One float into one byte, after random bits below the mantissa have been
/// added.
template <typename F> void narrowStochastic(const Lanes &x) {
  bool saturate = saturates(x);
  unsigned shift = (x.op->inst->opSel >> 2 & 3) * 8;
  TLC_LANE_LOOP {
    f32 noisy = addNoise<F>(get<f32>(x.a, l), x.b[l]);
    u32 one = toSmall<F>(noisy, saturate);
    u32 merged = (x.d[l] & ~(0xffu << shift)) | one << shift;
    put<u32>(x.d, l, x.mask[l], merged);
  }
}

using O = Opcode;
constexpr Handler rows[] = {
    {O::v_cvt_f32_fp8, nullptr, widen<Fp8>},
    {O::v_cvt_f32_bf8, nullptr, widen<Bf8>},
    {O::v_cvt_pk_f32_fp8, nullptr, widenPair<Fp8>},
    {O::v_cvt_pk_f32_bf8, nullptr, widenPair<Bf8>},
    {O::v_cvt_pk_fp8_f32, nullptr, narrowPair<Fp8>},
    {O::v_cvt_pk_bf8_f32, nullptr, narrowPair<Bf8>},
    {O::v_cvt_sr_fp8_f32, nullptr, narrowStochastic<Fp8>},
    {O::v_cvt_sr_bf8_f32, nullptr, narrowStochastic<Bf8>},
};

} // namespace

Family vectorSmallFloatFamily() { return family(rows); }

} // namespace tlc::sim::TLC_SIM_ISA
