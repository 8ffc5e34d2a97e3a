//===- LdsUsual.cpp - The usual accesses to LDS -----------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `load` and `store` are what nearly all accesses go through: whole dwords,
// nothing undefined, nothing unordered. Those of a known pattern go run by run,
// in loops that compilers turn into vector instructions; others lane by lane.
// They leave cells alone where anything is unusual; `access` then goes through
// all lanes again, which changes nothing for those that were recorded.
//
//===----------------------------------------------------------------------===//

#include "LdsShadow.h"

using namespace tlc::sim;

bool LdsShadow::mayReplace(uint32_t write, const Write &now,
                           bool &merge) const {
  merge = false;
  if (write >= unusual)
    return false;
  const Write &last = records[write];
  if (!last.op || ordered(last))
    return true;
  merge = true;
  return last.wave == now.wave && last.epoch == now.epoch && !last.atomic;
}

//===--- A pattern --------------------------------------------------------===//

/// Whether the \p count numbers from \p from on are the same.
static bool areEqual(const uint32_t *from, unsigned count) {
  uint32_t different = 0;
  for (unsigned i = 1; i < count; ++i)
    different |= from[i] ^ from[0];
  return !different;
}

bool LdsShadow::loadRuns(unsigned wave, const Op &op, const LdsPattern &pattern,
                         uint32_t base) {
  if (!pattern.inside(base, size))
    return false;
  uint32_t number = op.number + 1;
  for (const LdsPattern::Run &run : pattern.runs) {
    uint32_t first = uint32_t(int32_t(base / cellBytes) + run.cell);
    unsigned count = run.count;
    uint16_t never = 0;
    for (unsigned i = 0; i < count; ++i)
      never |= undefined[first + i];
    if (never & run.bytes)
      return false;
    if (oneWave)
      continue;
    const uint32_t *write = &writes[first];
    if (areEqual(write, count)) {
      if (!mayRead(*write, wave))
        return false;
    } else {
      for (unsigned i = 0; i < count; ++i)
        if (!mayRead(write[i], wave))
          return false;
    }
    uint64_t mark = run.dwords << wave;
    uint64_t *reader = &readers[first];
    uint32_t *readOp = &readOps[first];
    for (unsigned i = 0; i < count; ++i)
      reader[i] |= mark;
    for (unsigned i = 0; i < count; ++i)
      readOp[i] = number;
    noteReads(first, first + count - 1);
  }
  return true;
}

bool LdsShadow::storeRuns(const Write &now, const LdsPattern &pattern,
                          uint32_t base) {
  if (!pattern.inside(base, size))
    return false;
  uint32_t number = oneWave ? 0 : record(now);
  for (const LdsPattern::Run &run : pattern.runs) {
    uint32_t first = uint32_t(int32_t(base / cellBytes) + run.cell);
    unsigned count = run.count;
    uint16_t keep = uint16_t(~run.bytes);
    uint16_t *never = &undefined[first];
    for (unsigned i = 0; i < count; ++i)
      never[i] &= keep;
    if (oneWave)
      continue;
    uint64_t busy = 0;
    const uint64_t *reader = &readers[first];
    for (unsigned i = 0; i < count; ++i)
      busy |= reader[i];
    if (busy & run.dwords * (0xffffu & ~(1u << now.wave)))
      return false;
    uint32_t *write = &writes[first];
    uint16_t *bytes = &written[first];
    bool merge;
    if (areEqual(write, count)) {
      if (!mayReplace(*write, now, merge))
        return false;
      uint16_t kept = merge ? 0xffff : 0;
      for (unsigned i = 0; i < count; ++i)
        bytes[i] = (bytes[i] & kept) | run.bytes;
    } else {
      for (unsigned i = 0; i < count; ++i) {
        if (!mayReplace(write[i], now, merge))
          return false;
        bytes[i] = (merge ? bytes[i] : 0) | run.bytes;
        write[i] = number; // with its bytes, should the next one not go
      }
    }
    for (unsigned i = 0; i < count; ++i)
      write[i] = number;
  }
  return true;
}

//===--- Lane by lane -----------------------------------------------------===//

namespace {

/// For each dword of a cell, 16 bits for the wavefronts.
constexpr uint64_t everyDword = 0x0001000100010001;
template <unsigned Dwords>
constexpr uint64_t firstDwords =
    Dwords == 4 ? everyDword
                : everyDword & ((uint64_t(1) << (16 * (Dwords % 4))) - 1);

} // namespace

template <unsigned Dwords>
bool LdsShadow::loadCells(unsigned wave, const Op &op, uint64_t exec,
                          const uint32_t *offsets, uint32_t offset) {
  constexpr uint32_t bytes = Dwords * 4;
  constexpr uint32_t mask = (1u << bytes) - 1;
  uint64_t mark = firstDwords<Dwords> << wave;
  uint32_t number = op.number + 1;
  for (uint64_t rest = exec; rest; rest &= rest - 1) {
    uint32_t at = offsets[__builtin_ctzll(rest)] + offset;
    uint32_t in = at % cellBytes, cell = at / cellBytes;
    if (in + bytes > cellBytes || (at & 3) || uint64_t(at) + bytes > size ||
        (undefined[cell] & (mask << in)))
      return false;
    if (oneWave)
      continue;
    if (!mayRead(writes[cell], wave))
      return false;
    readers[cell] |= mark << (in * 4);
    readOps[cell] = number;
    noteReads(cell, cell);
  }
  return true;
}

template <unsigned Dwords>
bool LdsShadow::storeCells(const Write &now, uint64_t exec,
                           const uint32_t *offsets, uint32_t offset) {
  constexpr uint32_t bytes = Dwords * 4;
  constexpr uint32_t mask = (1u << bytes) - 1;
  uint64_t others = firstDwords<Dwords> * (0xffffu & ~(1u << now.wave));
  uint32_t number = oneWave ? 0 : record(now);
  for (uint64_t rest = exec; rest; rest &= rest - 1) {
    uint32_t at = offsets[__builtin_ctzll(rest)] + offset;
    uint32_t in = at % cellBytes, cell = at / cellBytes;
    if (in + bytes > cellBytes || (at & 3) || uint64_t(at) + bytes > size)
      return false;
    uint16_t stored = uint16_t(mask << in);
    undefined[cell] &= uint16_t(~stored);
    if (oneWave)
      continue;
    bool merge;
    if ((readers[cell] & (others << (in * 4))) ||
        !mayReplace(writes[cell], now, merge))
      return false;
    written[cell] = (merge ? written[cell] : 0) | stored;
    writes[cell] = number;
  }
  return true;
}

bool LdsShadow::load(const Wave &wave, const Op &op, const uint32_t *offsets,
                     uint32_t offset, unsigned bytes, bool second) {
  note(op);
  uint64_t exec = wave.exec();
  if (exec == ~uint64_t(0))
    if (const LdsPattern *pattern = patterns.find(
            size_t(op.number) * 2 + second, offsets, offset, bytes))
      return loadRuns(wave.number, op, *pattern,
                      LdsPatterns::baseOf(offsets, offset));
  switch (bytes) {
  case 4:
    return loadCells<1>(wave.number, op, exec, offsets, offset);
  case 8:
    return loadCells<2>(wave.number, op, exec, offsets, offset);
  case 12:
    return loadCells<3>(wave.number, op, exec, offsets, offset);
  case 16:
    return loadCells<4>(wave.number, op, exec, offsets, offset);
  default:
    return false;
  }
}

bool LdsShadow::store(const Wave &wave, const Op &op, const uint32_t *offsets,
                      uint32_t offset, unsigned bytes, bool second,
                      const WaitCounters &waits) {
  note(op);
  Write now;
  now.op = op.number + 1;
  now.epoch = epoch;
  now.number = waits.lgkm.issued + 1; // it is about to get this one
  now.wave = uint8_t(wave.number);
  uint64_t exec = wave.exec();
  if (exec == ~uint64_t(0))
    if (const LdsPattern *pattern = patterns.find(
            size_t(op.number) * 2 + second, offsets, offset, bytes))
      return storeRuns(now, *pattern, LdsPatterns::baseOf(offsets, offset));
  switch (bytes) {
  case 4:
    return storeCells<1>(now, exec, offsets, offset);
  case 8:
    return storeCells<2>(now, exec, offsets, offset);
  case 12:
    return storeCells<3>(now, exec, offsets, offset);
  case 16:
    return storeCells<4>(now, exec, offsets, offset);
  default:
    return false;
  }
}
