//===- LdsAccess.h - Addresses of LDS ---------------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_EXECUTE_LANES_LDSACCESS_H
#define TLC_LIB_SIMULATOR_EXECUTE_LANES_LDSACCESS_H

#include "MemoryAccess.h"

namespace tlc::sim::TLC_SIM_ISA {

/// Turns LDS offsets of active lanes into host addresses; raises a fault for
/// the first lane that leaves the workgroup's LDS.
inline bool ldsToHost(Wave &w, const Op &op, u64 active, u32 bytes,
                      bool isStore, LaneAddresses &a) {
  u64 size = w.group->ldsBytes, high = 0;
  TLC_LANE_LOOP {
    u64 end = active >> l & 1 ? a.at[l] + bytes : 0;
    high = end > high ? end : high;
  }
  if (high > size) {
    for (u64 rest = active; rest; rest &= rest - 1) {
      unsigned l = __builtin_ctzll(rest);
      if (a.at[l] + bytes <= size)
        continue;
      Fault fault;
      fault.kind = "lds-out-of-bounds";
      fault.address = a.at[l];
      fault.bytes = bytes;
      fault.lane = int(l);
      fault.isStore = isStore;
      raise(w, op, fault);
      return false;
    }
  }
  u64 base = reinterpret_cast<u64>(w.group->lds);
  TLC_LANE_LOOP a.at[l] += base;
  return true;
}

/// Host addresses of a DS access at VGPR plus `offset`, a sum of 32 bits.
inline bool ldsAddresses(Wave &w, const Op &op, u64 active, u32 offset,
                         u32 bytes, bool isStore, LaneAddresses &a) {
  const u32 *v = w.vgpr + op.src[0].index;
  TLC_LANE_LOOP a.at[l] = u32(v[l] + offset);
  return ldsToHost(w, op, active, bytes, isStore, a);
}

} // namespace tlc::sim::TLC_SIM_ISA

#endif // TLC_LIB_SIMULATOR_EXECUTE_LANES_LDSACCESS_H
