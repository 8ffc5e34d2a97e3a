//===- LdsBanks.h - How the LDS of gfx942 serves a wavefront ----*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The LDS has 32 banks of one dword. It serves the 64 lanes of an instruction
// in fixed groups of lanes, one group (a phase) a cycle. Within a phase, n
// different dwords in one bank take n cycles; lanes that want the same dword
// share it, unless each changes it: an atomic takes the lanes of one dword one
// after the other. Which lanes form a phase depends on the width and direction
// of the access: this is the one table of it. The layouts of the compiler and
// the simulator, which counts from real addresses, both read it.
//
// Sources: AMD's Composable Kernel documentation (16-byte reads and writes),
// the GCN guides (4 bytes and less); 8-byte accesses are inferred from 128
// bytes a cycle and consecutive lanes, and that atomics of one address take
// turns is inferred too.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_SUPPORT_LDSBANKS_H
#define TLC_SUPPORT_LDSBANKS_H

#include <cstdint>

namespace tlc {

constexpr unsigned kWaveSize = 64;
constexpr unsigned kLdsBanks = 32;
constexpr int64_t kLdsBytes = 65536;

/// An atomic is a write that no lane shares with another.
enum class LdsDirection : uint8_t { Read, Write, Atomic };

/// The phases of an access: bit l of lanes[p] is lane l.
struct LdsPhases {
  unsigned count;
  uint64_t lanes[8];
};

/// Phases of an access of `bytes` a lane: 1, 2, 4, 8, 12 or 16. An instruction
/// with two offsets is two accesses.
const LdsPhases &ldsPhases(LdsDirection direction, unsigned bytes);

/// Cycles of one access of a wavefront: `base` when no two lanes are in each
/// other's way, and what conflicts add; of these, what lanes of an atomic add
/// that meet in an address.
struct LdsCycles {
  unsigned base = 0, conflicts = 0, addressConflicts = 0;
};

/// `addresses` are the byte addresses of the 64 lanes; lanes whose bit in
/// `active` is clear take no part.
LdsCycles ldsCycles(LdsDirection direction, unsigned bytes,
                    const uint32_t addresses[kWaveSize],
                    uint64_t active = ~uint64_t(0));

} // namespace tlc

#endif // TLC_SUPPORT_LDSBANKS_H
