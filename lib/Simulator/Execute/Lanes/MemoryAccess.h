//===- MemoryAccess.h - Addresses, bounds, element transfers ----*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the memory families share. An access is made in two steps: the address
// of every active lane is checked, then data moves between host addresses and
// registers. Global addresses are host addresses; those of LDS and scratch are
// turned into host addresses by their family.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_EXECUTE_LANES_MEMORYACCESS_H
#define TLC_LIB_SIMULATOR_EXECUTE_LANES_MEMORYACCESS_H

#include "LaneOps.h"
#include "tlc/Simulator/Memory/DeviceMemory.h"

namespace tlc::sim::TLC_SIM_ISA {

/// An address for each lane; what inactive lanes have means nothing.
struct LaneAddresses {
  alignas(64) u64 at[waveLanes];
};

/// How the bytes of one element become a register.
enum class Extend : u8 {
  Zero, ///< or whole dwords
  Sign, ///< to 32 bits
  Low,  ///< into the low half, zero-extended to 16; the high half stays
  LowS, ///< the same, sign-extended
  High, ///< into the high half
  HighS,
};

/// An element type of a load or store: bytes in memory, how they extend.
template <unsigned Bytes, Extend E = Extend::Zero> struct Element {
  static constexpr unsigned bytes = Bytes;
  static constexpr unsigned dwords = Bytes < 4 ? 1 : Bytes / 4;
  static constexpr Extend extend = E;
};

/// Unaligned accesses are allowed, as on gfx942.
template <typename T> inline T readHost(u64 address) {
  T v;
  __builtin_memcpy(&v, reinterpret_cast<const void *>(address), sizeof(T));
  return v;
}
template <typename T> inline void writeHost(u64 address, T v) {
  __builtin_memcpy(reinterpret_cast<void *>(address), &v, sizeof(T));
}

/// One lane's element from a host address into its register.
template <typename E> inline void loadLane(u64 host, u32 *d, unsigned l) {
  if constexpr (E::bytes >= 4) {
    for (unsigned i = 0; i < E::dwords; ++i)
      d[i * waveLanes + l] = readHost<u32>(host + 4 * i);
  } else {
    u32 v = E::bytes == 1 ? u32(readHost<u8>(host)) : u32(readHost<u16>(host));
    constexpr bool sign = E::extend == Extend::Sign ||
                          E::extend == Extend::LowS ||
                          E::extend == Extend::HighS;
    if (sign)
      v = E::bytes == 1 ? u32(i32(i8(v))) : u32(i32(i16(v)));
    if constexpr (E::extend == Extend::Low || E::extend == Extend::LowS)
      d[l] = (d[l] & 0xffff0000) | (v & 0xffff);
    else if constexpr (E::extend == Extend::High || E::extend == Extend::HighS)
      d[l] = (d[l] & 0xffff) | v << 16;
    else
      d[l] = v;
  }
}
/// The mirror of loadLane(): "hi" forms store the upper half.
template <typename E>
inline void storeLane(u64 host, const u32 *s, unsigned l) {
  if constexpr (E::bytes >= 4) {
    for (unsigned i = 0; i < E::dwords; ++i)
      writeHost<u32>(host + 4 * i, s[i * waveLanes + l]);
  } else {
    u32 v = s[l] >> (E::extend == Extend::High ? 16 : 0);
    if constexpr (E::bytes == 1)
      writeHost<u8>(host, u8(v));
    else
      writeHost<u16>(host, u16(v));
  }
}

/// Four dwords of a lane, or one dword of four lanes.
using Quad = u32 __attribute__((vector_size(16)));

/// Rows become columns.
inline void transpose(const Quad (&r)[4], Quad (&c)[4]) {
  Quad a = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5);
  Quad b = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5);
  Quad e = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7);
  Quad f = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
  c[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
  c[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
  c[2] = __builtin_shufflevector(e, f, 0, 1, 4, 5);
  c[3] = __builtin_shufflevector(e, f, 2, 3, 6, 7);
}

/// Loads or stores of 8 or 16 bytes by all lanes, four at a time, in order of
/// lanes.
template <unsigned Bytes> inline void loadWide(const LaneAddresses &a, u32 *d) {
  for (unsigned l = 0; l < waveLanes; l += 4) {
    Quad rows[4] = {}, columns[4];
    for (unsigned i = 0; i < 4; ++i)
      __builtin_memcpy(&rows[i], reinterpret_cast<const void *>(a.at[l + i]),
                       Bytes);
    // Memory has the dwords of a lane side by side, registers those of
    // neighbouring lanes.
    transpose(rows, columns);
    for (unsigned i = 0; i < Bytes / 4; ++i)
      __builtin_memcpy(d + i * waveLanes + l, &columns[i], 16);
  }
}
template <unsigned Bytes>
inline void storeWide(const LaneAddresses &a, const u32 *s) {
  for (unsigned l = 0; l < waveLanes; l += 4) {
    Quad rows[4], columns[4] = {};
    for (unsigned i = 0; i < Bytes / 4; ++i)
      __builtin_memcpy(&columns[i], s + i * waveLanes + l, 16);
    transpose(columns, rows);
    for (unsigned i = 0; i < 4; ++i)
      __builtin_memcpy(reinterpret_cast<void *>(a.at[l + i]), &rows[i], Bytes);
  }
}

/// True where lane l of all lanes lies `step` bytes after lane l - 1.
inline bool consecutive(const LaneAddresses &a, u64 step) {
  u64 different = 0;
  TLC_LANE_LOOP different |= a.at[l] - a.at[0] - l * step;
  return different == 0;
}

/// All active lanes. Whole wavefronts of consecutive dwords are one copy, those
/// of 8 and 16 bytes go by fours through a transposition.
template <typename E>
inline void loadLanes(const LaneAddresses &a, u64 active, u32 *d) {
  if (active == ~u64(0)) {
    if constexpr (E::bytes == 4)
      if (consecutive(a, 4)) {
        __builtin_memcpy(d, reinterpret_cast<const void *>(a.at[0]),
                         4 * waveLanes);
        return;
      }
    if constexpr (E::bytes == 8 || E::bytes == 16)
      return loadWide<E::bytes>(a, d);
    for (unsigned l = 0; l < waveLanes; ++l)
      loadLane<E>(a.at[l], d, l);
    return;
  }
  for (u64 rest = active; rest; rest &= rest - 1) {
    unsigned l = __builtin_ctzll(rest);
    loadLane<E>(a.at[l], d, l);
  }
}
template <typename E>
inline void storeLanes(const LaneAddresses &a, u64 active, const u32 *s) {
  // In order of lanes: of two that write the same place the last one wins.
  if constexpr (E::bytes == 8 || E::bytes == 16)
    if (active == ~u64(0))
      return storeWide<E::bytes>(a, s);
  for (u64 rest = active; rest; rest &= rest - 1) {
    unsigned l = __builtin_ctzll(rest);
    storeLane<E>(a.at[l], s, l);
  }
}

/// Checks that every active lane may touch `bytes` bytes of global memory.
/// Raises a fault and returns false otherwise. `active` is not 0.
bool checkGlobal(Wave &w, const Op &op, const LaneAddresses &a, u64 active,
                 u32 bytes, bool isStore);

/// The registers of a vector operand.
inline u32 *registers(Wave &w, const Source &s) { return w.vgpr + s.index; }

/// Coherent loads and atomics wait for the wavefront's turn at global memory,
/// which makes their order independent of host threads. True if it must wait.
inline bool awaitTurn(Wave &w, const Op &op) {
  if (w.globalTurn)
    return false;
  w.pc = &op;
  w.stop(WaveStatus::Global);
  return true;
}

} // namespace tlc::sim::TLC_SIM_ISA

#endif // TLC_LIB_SIMULATOR_EXECUTE_LANES_MEMORYACCESS_H
