//===- FlatAddress.cpp - Addresses of FLAT, GLOBAL, SCRATCH ---------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the addresses that instructions form to those of the host. Global
// addresses are the host's own; the apertures of LDS and scratch lie where no
// host address does.
//
//===----------------------------------------------------------------------===//

#include "FlatAddress.h"

namespace tlc::sim::TLC_SIM_ISA {

namespace {
bool fail(Wave &w, const Op &op, const char *kind, u64 address, u32 bytes,
          unsigned lane, bool isStore) {
  Fault fault;
  fault.kind = kind;
  fault.address = address;
  fault.bytes = bytes;
  fault.lane = int(lane);
  fault.isStore = isStore;
  raise(w, op, fault);
  return false;
}
} // namespace

/// Lane by lane: each goes to LDS, scratch or global memory. The first lane out
/// of bounds ends the wavefront.
FlatLanes splitFlat(Wave &w, const Op &op, LaneAddresses &a, u64 active,
                    u32 bytes, bool isStore, u32 *privateOffsets) {
  FlatLanes lanes;
  u64 global = 0;
  for (u64 rest = active; rest; rest &= rest - 1) {
    unsigned l = __builtin_ctzll(rest);
    u64 address = a.at[l];
    if (address - sharedAperture < apertureBytes) {
      u64 offset = address - sharedAperture;
      if (offset + bytes > w.group->ldsBytes) {
        lanes.fault = true;
        fail(w, op, "lds-out-of-bounds", offset, bytes, l, isStore);
        return lanes;
      }
      a.at[l] = reinterpret_cast<u64>(w.group->lds) + offset;
    } else if (address - privateAperture < apertureBytes) {
      u64 offset = address - privateAperture;
      if (offset + bytes > w.privateBytes) {
        lanes.fault = true;
        fail(w, op, "scratch-out-of-bounds", offset, bytes, l, isStore);
        return lanes;
      }
      privateOffsets[l] = u32(offset);
      lanes.inPrivate |= u64(1) << l;
    } else {
      global |= u64(1) << l;
    }
  }
  lanes.fault = global && !checkGlobal(w, op, a, global, bytes, isStore);
  return lanes;
}

/// Bytes within a lane's scratch: VGPR, plus SGPR, plus constant, modulo 2^32.
bool scratchOffsets(Wave &w, const Op &op, u64 active, u32 bytes, bool isStore,
                    u32 *offsets) {
  u32 base = u32(op.inst->offset);
  if (op.src[2].kind != OperandKind::None)
    base += scalar32(w, op.src[2]);
  const u32 *v =
      op.src[0].kind == OperandKind::None ? nullptr : w.vgpr + op.src[0].index;
  for (u64 rest = active; rest; rest &= rest - 1) {
    unsigned l = __builtin_ctzll(rest);
    offsets[l] = base + (v ? v[l] : 0);
    if (u64(offsets[l]) + bytes > w.privateBytes)
      return fail(w, op, "scratch-out-of-bounds", offsets[l], bytes, l,
                  isStore);
  }
  return true;
}

/// Scratch holds dword i of all lanes side by side, so that an access that
/// crosses dwords goes in pieces.
void copyPrivate(Wave &w, unsigned lane, u32 offset, u32 *data, u32 bytes,
                 bool store) {
  u8 *bytesOf = reinterpret_cast<u8 *>(data);
  u8 *memory = reinterpret_cast<u8 *>(w.privateMemory);
  for (u32 i = 0; i < bytes;) {
    u32 at = offset + i;
    u32 count = 4 - at % 4 < bytes - i ? 4 - at % 4 : bytes - i;
    u8 *host = memory + u64(at / 4 * waveLanes + lane) * 4 + at % 4;
    if (store)
      __builtin_memcpy(host, bytesOf + i, count);
    else
      __builtin_memcpy(bytesOf + i, host, count);
    i += count;
  }
}

/// Lane l's dword goes to M0 + offset + 4 * l, as the ISA says of loads with
/// LDS as destination.
void storeToLds(Wave &w, const Op &op, u64 active, const u32 *data) {
  u32 base = (w.sgpr[ScalarReg::M0] & 0xffff) + u32(op.inst->offset);
  for (u64 rest = active; rest; rest &= rest - 1) {
    unsigned l = __builtin_ctzll(rest);
    u64 at = u64(base) + l * 4;
    if (at + 4 > w.group->ldsBytes) {
      fail(w, op, "lds-out-of-bounds", at, 4, l, true);
      return;
    }
    writeHost<u32>(reinterpret_cast<u64>(w.group->lds) + at, data[l]);
  }
}

} // namespace tlc::sim::TLC_SIM_ISA
