//===- BufferAccess.h - Buffer resources ------------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Addresses and range checks of MUBUF and MTBUF. The offset that is checked is
// the VGPR's plus the instruction's; the scalar offset is added afterwards. A
// buffer without a stride, or an access without an index register, is checked
// by bytes, dword by dword of a wide access; an indexed access to records by
// its index. What is out of range reads 0, and is not written.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_EXECUTE_LANES_BUFFERACCESS_H
#define TLC_LIB_SIMULATOR_EXECUTE_LANES_BUFFERACCESS_H

#include "MemoryAccess.h"

namespace tlc::sim::TLC_SIM_ISA {

/// The 128-bit resource, unpacked.
struct BufferResource {
  u64 base;
  u32 stride, records;
  bool swizzled, addThread;
  u32 indexStride; ///< elements; swizzled buffers only
  u32 numberFormat, dataFormat;
  u32 select[4]; ///< destination swizzle of format loads

  BufferResource(const Wave &w, unsigned reg);
};

/// Addresses of one access, and how many of its dwords each lane may touch.
struct BufferLanes {
  LaneAddresses address;
  /// Bytes in range, at most the size of the access.
  alignas(64) u32 inRange[waveLanes];
  u64 full;    ///< lanes with all bytes in range
  u64 partial; ///< lanes with some
};

void bufferAddresses(const Wave &w, const Op &op, const BufferResource &r,
                     u32 bytes, BufferLanes &lanes);

/// Checks the lanes in range against the allocations.
bool checkBuffer(Wave &w, const Op &op, const BufferLanes &lanes, u64 active,
                 u32 bytes, bool isStore);

/// Resource of an instruction (source 2).
inline BufferResource resourceOf(const Wave &w, const Op &op) {
  return BufferResource(w, op.src[2].index);
}

/// Loads into `d`, dwords out of range as 0. False after a fault.
template <typename E>
bool bufferLoadLanes(Wave &w, const Op &op, u64 active, u32 *d) {
  BufferLanes lanes;
  bufferAddresses(w, op, resourceOf(w, op), E::bytes, lanes);
  if (!checkBuffer(w, op, lanes, active, E::bytes, false))
    return false;
  loadLanes<E>(lanes.address, active & lanes.full, d);
  for (u64 rest = active & ~lanes.full; rest; rest &= rest - 1) {
    unsigned l = __builtin_ctzll(rest);
    u32 raw[4] = {};
    __builtin_memcpy(raw, reinterpret_cast<const void *>(lanes.address.at[l]),
                     lanes.inRange[l]);
    loadLane<E>(reinterpret_cast<u64>(raw), d, l);
  }
  return true;
}

template <typename E>
bool bufferStoreLanes(Wave &w, const Op &op, u64 active, const u32 *s) {
  BufferLanes lanes;
  bufferAddresses(w, op, resourceOf(w, op), E::bytes, lanes);
  if (!checkBuffer(w, op, lanes, active, E::bytes, true))
    return false;
  storeLanes<E>(lanes.address, active & lanes.full, s);
  for (u64 rest = active & lanes.partial; rest; rest &= rest - 1) {
    unsigned l = __builtin_ctzll(rest);
    u32 raw[4] = {};
    storeLane<E>(reinterpret_cast<u64>(raw), s, l);
    __builtin_memcpy(reinterpret_cast<void *>(lanes.address.at[l]), raw,
                     lanes.inRange[l]);
  }
  return true;
}

} // namespace tlc::sim::TLC_SIM_ISA

#endif // TLC_LIB_SIMULATOR_EXECUTE_LANES_BUFFERACCESS_H
