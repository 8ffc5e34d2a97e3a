//===- MemoryAccess.cpp - Bounds of global memory -------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lowest and the highest address of a wavefront nearly always lie in one
// allocation; only where they do not is each lane looked up.
//
//===----------------------------------------------------------------------===//

#include "MemoryAccess.h"
#include "tlc/Simulator/Execute/Program.h"

namespace tlc::sim::TLC_SIM_ISA {

/// Atomics of bytes and halves are compare-and-swaps of the dword around them,
/// which at the end of an array reaches past it: memory comes in whole dwords.
static bool isLastDword(Wave &w, const Op &op, u64 address, u32 bytes) {
  bool swap = op.inst->has(flag::Atomic) && op.src[1].dwords == 2;
  return bytes == 4 && address % 4 == 0 && (op.inst->has(flag::Load) || swap) &&
         w.group->program->comparesAndSwaps() && findAllocation(w, address, 1);
}

/// `bytes` counts from each lane's address. The two allocations used last are
/// tried before the map is asked.
bool checkGlobal(Wave &w, const Op &op, const LaneAddresses &a, u64 active,
                 u32 bytes, bool isStore) {
  u64 low = ~u64(0), high = 0;
  TLC_LANE_LOOP {
    bool on = active >> l & 1;
    u64 atLeast = on ? a.at[l] : ~u64(0), atMost = on ? a.at[l] : 0;
    low = atLeast < low ? atLeast : low;
    high = atMost > high ? atMost : high;
  }
  u64 span = high - low + bytes;
  for (const Allocation *recent : w.recent)
    if (recent && recent->contains(low, span))
      return true;
  if (findAllocation(w, low, span))
    return true;
  for (u64 rest = active; rest; rest &= rest - 1) {
    unsigned l = __builtin_ctzll(rest);
    if (findAllocation(w, a.at[l], bytes) || isLastDword(w, op, a.at[l], bytes))
      continue;
    Fault fault;
    fault.kind = classifyAddress(*w.group->memory, a.at[l]);
    fault.address = a.at[l];
    fault.bytes = bytes;
    fault.lane = int(l);
    fault.isStore = isStore;
    raise(w, op, fault);
    return false;
  }
  return true;
}

} // namespace tlc::sim::TLC_SIM_ISA
