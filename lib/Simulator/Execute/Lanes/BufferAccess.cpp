//===- BufferAccess.cpp - Buffer resources --------------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The resource's fields are those of the CDNA3 ISA's table "Buffer Resource
// Descriptor". Addresses of swizzled buffers interleave index_stride elements,
// four bytes of each at a time; scratch of older machines lay like that, and
// nothing that compilers for gfx942 emit.
//
//===----------------------------------------------------------------------===//

#include "BufferAccess.h"

namespace tlc::sim::TLC_SIM_ISA {

BufferResource::BufferResource(const Wave &w, unsigned reg) {
  u32 w0 = w.sgpr[reg], w1 = w.sgpr[reg + 1], w3 = w.sgpr[reg + 3];
  base = u64(w1 & 0xffff) << 32 | w0;
  stride = w1 >> 16 & 0x3fff;
  swizzled = w1 >> 31;
  records = w.sgpr[reg + 2];
  for (unsigned i = 0; i < 4; ++i)
    select[i] = w3 >> (i * 3) & 7;
  numberFormat = w3 >> 12 & 7;
  dataFormat = w3 >> 15 & 15;
  indexStride = 8u << (w3 >> 21 & 3);
  addThread = w3 >> 23 & 1;
  // With the thread's number added, these bits extend the stride.
  if (addThread)
    stride |= dataFormat << 14;
}

/// Bytes of an access below the end: dwords are checked one by one.
static u64 bytesInside(u64 offset, u64 records, u32 bytes) {
  u64 room = offset < records ? records - offset : 0;
  return room >= bytes ? bytes : bytes < 4 ? 0 : room & ~u64(3);
}

/// Address and number of bytes in range for each lane, active or not. Nearly
/// all accesses take the first loop, which has no division.
/// The lane's and the instruction's offset add up in 32 bits, without a carry:
/// compilers move constants between them whatever the sign of the rest.
void bufferAddresses(const Wave &w, const Op &op, const BufferResource &r,
                     u32 bytes, BufferLanes &lanes) {
  const Instruction &inst = *op.inst;
  const u32 *v = w.vgpr + op.src[0].index;
  const u32 *vIndex = inst.idxen ? v : nullptr;
  const u32 *vOffset = inst.offen ? (inst.idxen ? v + waveLanes : v) : nullptr;
  u32 constant = u32(inst.offset);
  u64 base = r.base + scalar32(w, op.src[3]);
  u64 full = 0, partial = 0;

  // Without an index register num_records counts bytes, whatever the stride.
  bool byBytes = !r.addThread && (r.stride == 0 || !inst.idxen);
  u64 records = r.records;
  if (byBytes && !r.swizzled) {
    TLC_LANE_LOOP {
      u64 offset = u32((vOffset ? vOffset[l] : 0) + constant);
      lanes.address.at[l] = base + offset;
      lanes.inRange[l] = u32(bytesInside(offset, records, bytes));
    }
  } else {
    TLC_LANE_LOOP {
      u64 index = (vIndex ? vIndex[l] : 0) + (r.addThread ? l : 0);
      u64 offset = u32((vOffset ? vOffset[l] : 0) + constant);
      u64 linear = index * r.stride + offset;
      u64 tile = index / r.indexStride, inTile = index % r.indexStride;
      u64 swizzled = (tile * r.stride + offset / 4 * 4) * r.indexStride +
                     inTile * 4 + offset % 4;
      lanes.address.at[l] = base + (r.swizzled ? swizzled : linear);
      bool inside =
          index < r.records && (!r.swizzled || offset + bytes <= r.stride);
      lanes.inRange[l] =
          byBytes ? u32(bytesInside(offset, records, bytes)) : inside * bytes;
    }
  }
  TLC_LANE_LOOP {
    full |= u64(lanes.inRange[l] == bytes) << l;
    partial |= u64(lanes.inRange[l] != 0) << l;
  }
  lanes.full = full;
  lanes.partial = partial & ~full;
}

/// A buffer in range of its resource may still lie outside every allocation:
/// that is a fault, raised here.
bool checkBuffer(Wave &w, const Op &op, const BufferLanes &lanes, u64 active,
                 u32 bytes, bool isStore) {
  u64 full = active & lanes.full;
  if (full && !checkGlobal(w, op, lanes.address, full, bytes, isStore))
    return false;
  for (u64 rest = active & lanes.partial; rest; rest &= rest - 1) {
    unsigned l = __builtin_ctzll(rest);
    if (!checkGlobal(w, op, lanes.address, u64(1) << l, lanes.inRange[l],
                     isStore))
      return false;
  }
  return true;
}

} // namespace tlc::sim::TLC_SIM_ISA
