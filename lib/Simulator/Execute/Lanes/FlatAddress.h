//===- FlatAddress.h - Addresses of FLAT, GLOBAL, SCRATCH -------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_EXECUTE_LANES_FLATADDRESS_H
#define TLC_LIB_SIMULATOR_EXECUTE_LANES_FLATADDRESS_H

#include "MemoryAccess.h"

namespace tlc::sim::TLC_SIM_ISA {

/// Lane addresses of GLOBAL and FLAT.
inline void globalAddresses(const Wave &w, const Op &op, LaneAddresses &a) {
  i64 offset = op.inst->offset;
  const u32 *v = w.vgpr + op.src[0].index;
  if (op.src[2].kind == OperandKind::None) {
    TLC_LANE_LOOP a.at[l] = get<u64>(v, l) + offset;
    return;
  }
  u64 base = scalar64(w, op.src[2]) + offset;
  if (op.src[0].kind == OperandKind::None) {
    TLC_LANE_LOOP a.at[l] = base;
    return;
  }
  TLC_LANE_LOOP a.at[l] = base + v[l];
}

/// Which lanes of a FLAT access go to scratch; the others' addresses have
/// become host addresses, of LDS or of global memory.
struct FlatLanes {
  u64 inPrivate = 0;
  bool fault = false;
};
FlatLanes splitFlat(Wave &w, const Op &op, LaneAddresses &a, u64 active,
                    u32 bytes, bool isStore, u32 *privateOffsets);

/// Lane offsets of SCRATCH, checked against the scratch size.
bool scratchOffsets(Wave &w, const Op &op, u64 active, u32 bytes, bool isStore,
                    u32 *offsets);

/// Copies between scratch memory of one lane and `data`.
void copyPrivate(Wave &w, unsigned lane, u32 offset, u32 *data, u32 bytes,
                 bool store);

/// The second half of a load to LDS.
void storeToLds(Wave &w, const Op &op, u64 active, const u32 *data);

} // namespace tlc::sim::TLC_SIM_ISA

#endif // TLC_LIB_SIMULATOR_EXECUTE_LANES_FLATADDRESS_H
