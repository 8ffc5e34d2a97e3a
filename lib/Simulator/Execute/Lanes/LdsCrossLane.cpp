//===- LdsCrossLane.cpp - ds_permute, ds_bpermute, ds_swizzle -------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lane exchange through the LDS hardware; no LDS memory is touched. A lane that
// is not active delivers 0.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "MemoryAccess.h"

namespace tlc::sim::TLC_SIM_ISA {
namespace {

/// Pull: each lane names its source by address, four to a lane.
void backwardPermute(Wave &w, const Op &op) {
  const u32 *address = registers(w, op.src[0]);
  const u32 *data = registers(w, op.src[1]);
  const u32 *mask = execLanes(w);
  alignas(64) u32 from[waveLanes], result[waveLanes];
  TLC_LANE_LOOP from[l] = data[l] & mask[l];
  u32 offset = u32(op.inst->offset);
  for (unsigned l = 0; l < waveLanes; ++l)
    result[l] = from[(address[l] + offset) / 4 % waveLanes];
  u32 *d = w.vgpr + op.dst;
  TLC_LANE_LOOP put<u32>(d, l, mask[l], result[l]);
}
/// Push: each active lane names its destination; the highest lane wins.
void forwardPermute(Wave &w, const Op &op) {
  const u32 *address = registers(w, op.src[0]);
  const u32 *data = registers(w, op.src[1]);
  const u32 *mask = execLanes(w);
  alignas(64) u32 result[waveLanes] = {};
  u32 offset = u32(op.inst->offset);
  for (unsigned l = 0; l < waveLanes; ++l)
    if (mask[l])
      result[(address[l] + offset) / 4 % waveLanes] = data[l];
  u32 *d = w.vgpr + op.dst;
  TLC_LANE_LOOP put<u32>(d, l, mask[l], result[l]);
}

/// Where lane l reads from under a swizzle pattern.
unsigned swizzleSource(u32 pattern, unsigned l) {
  if (pattern >= 0xe000) {
    // Bit reversal within 32 lanes; high bits set in the mask stay in place.
    u32 mask = pattern & 0x1f;
    unsigned width = mask ? __builtin_ctz(mask) : 5, r = 0;
    for (unsigned i = 0; i < width; ++i)
      r |= (l >> i & 1) << (width - 1 - i);
    return (l >> width << width) | r;
  }
  if ((pattern & 0xe000) == 0xc000) { // rotation within 32
    unsigned count = pattern >> 5 & 0x1f, keep = pattern & 0x1f;
    unsigned moved = pattern & 0x400 ? l - count : l + count;
    return (l & 32) | (l & keep) | (moved & 31 & ~keep);
  }
  if (pattern & 0x8000) // a permutation of each quad
    return (l & ~3u) | (pattern >> (2 * (l & 3)) & 3);
  unsigned andMask = pattern & 0x1f, orMask = pattern >> 5 & 0x1f,
           xorMask = pattern >> 10 & 0x1f;
  return (l & 32) | ((((l & 31) & andMask) | orMask) ^ xorMask);
}
void swizzle(Wave &w, const Op &op) {
  const u32 *data =
      registers(w, op.src[op.src[1].kind == OperandKind::None ? 0 : 1]);
  const u32 *mask = execLanes(w);
  alignas(64) u32 result[waveLanes];
  u32 pattern = u32(op.inst->offset) & 0xffff;
  for (unsigned l = 0; l < waveLanes; ++l) {
    unsigned from = swizzleSource(pattern, l);
    result[l] = data[from] & mask[from];
  }
  u32 *d = w.vgpr + op.dst;
  TLC_LANE_LOOP put<u32>(d, l, mask[l], result[l]);
}

using O = Opcode;
constexpr Handler rows[] = {
    {O::ds_permute_b32, forwardPermute},
    {O::ds_bpermute_b32, backwardPermute},
    {O::ds_swizzle_b32, swizzle},
};

} // namespace

Family ldsCrossLaneFamily() { return family(rows); }

} // namespace tlc::sim::TLC_SIM_ISA
