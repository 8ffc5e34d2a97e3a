//===- ScalarMemory.cpp - SMEM --------------------------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads of dwords to scalar registers, from a 64-bit base or through a buffer
// resource. Addresses are rounded down to dwords. A scalar buffer load beyond
// its end reads 0.
//
//===----------------------------------------------------------------------===//

#include "AtomicOps.h"
#include "Families.h"
#include "MemoryAccess.h"

namespace tlc::sim::TLC_SIM_ISA {
namespace {

/// Offset of the instruction: a constant, a register, or both.
i64 offsetOf(const Wave &w, const Op &op) {
  i64 offset = op.inst->offset;
  if (op.src[2].kind != OperandKind::None)
    offset += scalar32(w, op.src[2]);
  return offset;
}

/// As checkGlobal(), for one address.
bool check(Wave &w, const Op &op, u64 address, u32 bytes, bool isStore) {
  // The allocations found last, first: arguments and tables are read again and
  // again.
  for (const Allocation *recent : w.recent)
    if (recent && recent->contains(address, bytes))
      return true;
  if (findAllocation(w, address, bytes))
    return true;
  Fault fault;
  fault.kind = classifyAddress(*w.group->memory, address);
  fault.address = address;
  fault.bytes = bytes;
  fault.isStore = isStore;
  raise(w, op, fault);
  return false;
}

/// A register that is the destination, or, of a store, the data.
/// glc (sc0) asks for the value at the coherence point, hence the turn.
template <unsigned Dwords> void load(Wave &w, const Op &op) {
  if (op.inst->sc0 && awaitTurn(w, op))
    return;
  u64 address = (scalar64(w, op.src[0]) + offsetOf(w, op)) & ~u64(3);
  if (!check(w, op, address, Dwords * 4, false))
    return;
  // Read before written: the destination may overlap the base.
  u32 data[Dwords];
  __builtin_memcpy(data, reinterpret_cast<const void *>(address), Dwords * 4);
  for (unsigned i = 0; i < Dwords; ++i)
    w.sgpr[op.dst + i] = data[i];
}
// Scalar stores go to memory at once; there is no cache that would hold them
// back.
template <unsigned Dwords> void store(Wave &w, const Op &op) {
  u64 address = (scalar64(w, op.src[0]) + offsetOf(w, op)) & ~u64(3);
  if (!check(w, op, address, Dwords * 4, true))
    return;
  for (unsigned i = 0; i < Dwords; ++i)
    writeHost<u32>(address + i * 4, w.sgpr[op.src[1].index + i]);
}

/// Base and size of a buffer resource.
struct ScalarBuffer {
  u64 base, bytes;
};
/// With a stride, num_records counts elements of it.
// Base in bits [47:0], stride in [61:48] of the first two dwords.
ScalarBuffer bufferOf(const Wave &w, const Op &op) {
  unsigned r = op.src[0].index;
  u64 word01 = w.pair(r);
  u64 stride = word01 >> 48 & 0x3fff, records = w.sgpr[r + 2];
  return {word01 & 0xffffffffffff, stride ? stride * records : records};
}
/// Dwords beyond the end read 0, the others are loaded.
template <unsigned Dwords> void bufferLoad(Wave &w, const Op &op) {
  ScalarBuffer buffer = bufferOf(w, op);
  u64 offset = u64(offsetOf(w, op)) & ~u64(3);
  u32 data[Dwords] = {};
  unsigned inside = 0;
  while (inside < Dwords && offset + inside * 4 + 4 <= buffer.bytes)
    ++inside;
  if (inside) {
    if (!check(w, op, buffer.base + offset, inside * 4, false))
      return;
    __builtin_memcpy(data, reinterpret_cast<const void *>(buffer.base + offset),
                     inside * 4);
  }
  for (unsigned i = 0; i < Dwords; ++i)
    w.sgpr[op.dst + i] = data[i];
}
/// Stops at the end of the buffer: what lies beyond is not written.
template <unsigned Dwords> void bufferStore(Wave &w, const Op &op) {
  ScalarBuffer buffer = bufferOf(w, op);
  u64 offset = u64(offsetOf(w, op)) & ~u64(3);
  for (unsigned i = 0; i < Dwords; ++i) {
    u64 at = offset + i * 4;
    if (at + 4 > buffer.bytes)
      return;
    if (!check(w, op, buffer.base + at, 4, true))
      return;
    writeHost<u32>(buffer.base + at, w.sgpr[op.src[1].index + i]);
  }
}

/// Scalar atomics return the old value to their data register with glc.
template <typename T, auto F>
// One operation for the wavefront, whatever EXEC says.
void atomicAt(Wave &w, const Op &op, u64 address) {
  if (!check(w, op, address, sizeof(T), true))
    return;
  unsigned r = op.src[1].index;
  T data = sizeof(T) == 8 ? T(w.pair(r)) : T(w.sgpr[r]);
  // The compare value is behind the data; only cmpswap looks at it.
  T compare = sizeof(T) == 8 ? T(w.pair(r + 2)) : T(w.sgpr[r + 1]);
  T old = readHost<T>(address);
  writeHost<T>(address, F(old, data, compare));
  if (!op.inst->sc0)
    return;
  if (sizeof(T) == 8)
    w.setPair(r, u64(old));
  else
    w.sgpr[r] = u32(old);
}
// Addresses are rounded down to the operand's size.
template <typename T, auto F> void atomic(Wave &w, const Op &op) {
  if (awaitTurn(w, op))
    return;
  u64 mask = ~u64(sizeof(T) - 1);
  atomicAt<T, F>(w, op, (scalar64(w, op.src[0]) + offsetOf(w, op)) & mask);
}
/// Out of the buffer nothing happens, not even a return.
template <typename T, auto F> void bufferAtomic(Wave &w, const Op &op) {
  if (awaitTurn(w, op))
    return;
  ScalarBuffer buffer = bufferOf(w, op);
  u64 offset = u64(offsetOf(w, op)) & ~u64(sizeof(T) - 1);
  if (offset + sizeof(T) <= buffer.bytes)
    atomicAt<T, F>(w, op, buffer.base + offset);
}

/// There is no scalar data cache to invalidate or write back.
void nothing(Wave &, const Op &) {}

/// Time is counted in executed instructions, so that runs repeat exactly.
void readTime(Wave &w, const Op &op) {
  w.setPair(op.dst, (w.executed + 1) * 4 + w.group->linearId);
}

using O = Opcode;
constexpr Handler rows[] = {
    {O::s_load_dword, load<1>},
    {O::s_load_dwordx2, load<2>},
    {O::s_load_dwordx4, load<4>},
    {O::s_load_dwordx8, load<8>},
    {O::s_load_dwordx16, load<16>},
    {O::s_buffer_load_dword, bufferLoad<1>},
    {O::s_buffer_load_dwordx2, bufferLoad<2>},
    {O::s_buffer_load_dwordx4, bufferLoad<4>},
    {O::s_buffer_load_dwordx8, bufferLoad<8>},
    {O::s_buffer_load_dwordx16, bufferLoad<16>},
    {O::s_store_dword, store<1>},
    {O::s_store_dwordx2, store<2>},
    {O::s_store_dwordx4, store<4>},
    {O::s_buffer_store_dword, bufferStore<1>},
    {O::s_buffer_store_dwordx2, bufferStore<2>},
    {O::s_buffer_store_dwordx4, bufferStore<4>},
    {O::s_dcache_inv, nothing},
    {O::s_dcache_wb, nothing},
    {O::s_dcache_inv_vol, nothing},
    {O::s_dcache_wb_vol, nothing},
    {O::s_memtime, readTime},
    {O::s_memrealtime, readTime},
    {O::s_dcache_discard, nothing},
    {O::s_dcache_discard_x2, nothing},
    {O::s_atc_probe, nothing},
    {O::s_atc_probe_buffer, nothing},
    TLC_INTEGER_ATOMICS(s_atomic, atomic),
    TLC_INTEGER_ATOMICS(s_buffer_atomic, bufferAtomic),
};

} // namespace

Family scalarMemoryFamily() { return family(rows); }

} // namespace tlc::sim::TLC_SIM_ISA
