//===- CrossLane.cpp - Lane reads and writes, lane counts -----------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moves between a vector register and a scalar one, and the counting of lanes.
// DPP is in Modifiers.cpp, LDS permutes in LdsCrossLane.cpp.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "LaneOps.h"

namespace tlc::sim::TLC_SIM_ISA {
namespace {

/// The first active lane; lane 0 if none is.
void readFirst(Wave &w, const Op &op) {
  u64 exec = w.exec();
  unsigned lane = exec ? __builtin_ctzll(exec) : 0;
  w.sgpr[op.dst] = lanesOf(w, op.src[0], 0)[lane];
}
/// EXEC does not matter.
void readLane(Wave &w, const Op &op) {
  unsigned lane = scalar32(w, op.src[1]) & (waveLanes - 1);
  w.sgpr[op.dst] = lanesOf(w, op.src[0], 0)[lane];
}
void writeLane(Wave &w, const Op &op) {
  unsigned lane = scalar32(w, op.src[1]) & (waveLanes - 1);
  w.vgpr[op.dst + lane] = scalar32(w, op.src[0]);
}

/// Bits set in the mask below this lane, plus the second source.
template <bool High> void countBelow(const Lanes &x) {
  TLC_LANE_LOOP {
    u64 below = (u64(1) << l) - 1;
    u32 mask = x.a[l] & u32(High ? below >> 32 : below);
    put<u32>(x.d, l, x.mask[l], u32(__builtin_popcount(mask)) + x.b[l]);
  }
}

using O = Opcode;
constexpr Handler rows[] = {
    {O::v_readfirstlane_b32, readFirst},
    {O::v_readlane_b32, readLane},
    {O::v_writelane_b32, writeLane},
    {O::v_mbcnt_lo_u32_b32, nullptr, countBelow<false>},
    {O::v_mbcnt_hi_u32_b32, nullptr, countBelow<true>},
};

} // namespace

Family crossLaneFamily() { return family(rows); }

} // namespace tlc::sim::TLC_SIM_ISA
