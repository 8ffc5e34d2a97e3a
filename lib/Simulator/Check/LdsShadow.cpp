//===- LdsShadow.cpp - LDS as the checkers see it ---------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `load` and `store` are the loops that nearly all accesses go through: whole
// dwords within a cell, nothing undefined, nothing unordered. They leave a lane
// alone where anything is unusual; `access` then goes through all lanes again,
// which changes nothing for those that were recorded.
//
//===----------------------------------------------------------------------===//

#include "LdsShadow.h"
#include <algorithm>
#include <fmt/format.h>

using namespace tlc::sim;

/// Records of the workgroup before are told by their epoch: cells need no
/// clearing unless some were split.
void LdsShadow::begin(uint32_t ldsBytes, unsigned waves) {
  size_t count = (ldsBytes + cellBytes - 1) / cellBytes;
  if (size != ldsBytes || !single.empty()) {
    cells.assign(count, Cell());
    single.clear();
  }
  size = ldsBytes;
  // Sixteen bits for the bytes of a cell: LDS has no defined contents.
  undefined.assign(count, 0xffff);
  completed.assign(waves, Completed());
  // A single wavefront cannot race; only undefined bytes are then kept.
  oneWave = waves == 1;
  firstEpoch = ++epoch;
}

/// Notes how far each wavefront's operations were waited for, and starts an
/// epoch.
/// An access is ordered by the barrier only if its number is at most the number
/// retired at that time.
void LdsShadow::barrier(const std::vector<WaitCounters> &counters) {
  for (size_t w = 0; w < counters.size() && w < completed.size(); ++w)
    completed[w] = {counters[w].vm.retired, counters[w].lgkm.retired};
  ++epoch;
}

bool LdsShadow::anyUndefined(uint64_t byte, unsigned count) const {
  for (unsigned i = 0; i < count; ++i)
    if (isUndefined(byte + i))
      return true;
  return false;
}

/// Whole cells in the middle at once.
/// Bytes beyond LDS are left out.
void LdsShadow::define(uint64_t byte, unsigned count) {
  uint64_t end = std::min<uint64_t>(byte + count, size);
  for (; byte < end && byte % cellBytes; ++byte)
    setUndefined(byte, false);
  for (; byte + cellBytes <= end; byte += cellBytes)
    undefined[byte / cellBytes] = 0;
  for (; byte < end; ++byte)
    setUndefined(byte, false);
}

//===--- The usual accesses -----------------------------------------------===//

namespace {

/// For each dword of a cell, 16 bits for the wavefronts.
constexpr uint64_t everyDword = 0x0001000100010001;
// A bit of wavefront 0 in the first dwords; shifted by the wavefront and by the
// dword's place it marks an access.
template <unsigned Dwords>
constexpr uint64_t firstDwords =
    Dwords == 4 ? everyDword
                : everyDword & ((uint64_t(1) << (16 * (Dwords % 4))) - 1);

} // namespace

template <unsigned Dwords>
/// Lane by lane: within a cell, aligned, inside LDS, defined, and nobody else
/// has written it unordered.
bool LdsShadow::loadCells(unsigned wave, const Op &op, uint64_t exec,
                          const uint32_t *offsets, uint32_t offset) {
  constexpr uint32_t bytes = Dwords * 4;
  constexpr uint32_t mask = (1u << bytes) - 1;
  uint64_t mark = firstDwords<Dwords> << wave;
  uint32_t number = op.number + 1, now = epoch;
  for (uint64_t rest = exec; rest; rest &= rest - 1) {
    uint32_t at = offsets[__builtin_ctzll(rest)] + offset;
    uint32_t in = at % cellBytes, index = at / cellBytes;
    if (in + bytes > cellBytes || (at & 3) || uint64_t(at) + bytes > size ||
        (undefined[index] & (mask << in)))
      return false;
    if (oneWave)
      continue;
    Cell &cell = cells[index];
    if (cell.isSplit || (cell.write.wave != wave && !ordered(cell.write)))
      return false;
    // Readers of an earlier epoch are behind a barrier, and LDS serves the
    // operations of a compute unit in order.
    if (cell.readEpoch != now) {
      cell.readEpoch = now;
      cell.readers = 0;
      cell.partBytes = 0;
    }
    cell.readers |= mark << (in * 4);
    cell.readOp = number;
  }
  return true;
}

/// False if any lane is unusual; the caller then goes through access(). \p
/// offsets are the lanes' byte addresses, \p offset the instruction's.
bool LdsShadow::load(const Wave &wave, const Op &op, const uint32_t *offsets,
                     uint32_t offset, unsigned bytes) {
  note(op);
  switch (bytes) {
  case 4:
    return loadCells<1>(wave.number, op, wave.exec(), offsets, offset);
  case 8:
    return loadCells<2>(wave.number, op, wave.exec(), offsets, offset);
  case 12:
    return loadCells<3>(wave.number, op, wave.exec(), offsets, offset);
  case 16:
    return loadCells<4>(wave.number, op, wave.exec(), offsets, offset);
  default:
    return false;
  }
}

template <unsigned Dwords>
/// The same for stores: no other wavefront has read in this epoch or written
/// unordered. Neighbours that one wavefront writes in one epoch share the
/// record.
bool LdsShadow::storeCells(const Write &now, uint64_t exec,
                           const uint32_t *offsets, uint32_t offset) {
  constexpr uint32_t bytes = Dwords * 4;
  constexpr uint32_t mask = (1u << bytes) - 1;
  // The marks of all wavefronts but this one.
  uint64_t others = firstDwords<Dwords> * (0xffffu & ~(1u << now.wave));
  for (uint64_t rest = exec; rest; rest &= rest - 1) {
    uint32_t at = offsets[__builtin_ctzll(rest)] + offset;
    uint32_t in = at % cellBytes, index = at / cellBytes;
    if (in + bytes > cellBytes || (at & 3) || uint64_t(at) + bytes > size)
      return false;
    uint16_t stored = uint16_t(mask << in);
    undefined[index] &= uint16_t(~stored);
    if (oneWave)
      continue;
    Cell &cell = cells[index];
    if (cell.isSplit ||
        (cell.readEpoch == now.epoch &&
         ((cell.readers & (others << (in * 4))) || cell.partBytes)))
      return false;
    // The write before is by this wavefront, in this epoch and plain: merge the
    // two into one record.
    if (!ordered(cell.write)) {
      if (cell.write.wave != now.wave || cell.write.epoch != now.epoch ||
          cell.write.atomic)
        return false;
      stored |= cell.write.bytes;
    }
    cell.write = now;
    cell.write.bytes = stored;
  }
  return true;
}

/// As load().
bool LdsShadow::store(const Wave &wave, const Op &op, const uint32_t *offsets,
                      uint32_t offset, unsigned bytes,
                      const WaitCounters &waits) {
  note(op);
  Write now;
  now.op = op.number + 1;
  now.epoch = epoch;
  now.number = waits.lgkm.issued + 1; // it is about to get this one
  now.wave = uint8_t(wave.number);
  switch (bytes) {
  case 4:
    return storeCells<1>(now, wave.exec(), offsets, offset);
  case 8:
    return storeCells<2>(now, wave.exec(), offsets, offset);
  case 12:
    return storeCells<3>(now, wave.exec(), offsets, offset);
  case 16:
    return storeCells<4>(now, wave.exec(), offsets, offset);
  default:
    return false;
  }
}

//===--- Any access -------------------------------------------------------===//

/// \p earlier is the record in the cell, \p wave the wavefront that runs now.
std::string LdsShadow::describe(const Write &earlier, const char *first,
                                const char *second, uint64_t address,
                                unsigned wave) const {
  // What was written before the last barrier lacks its wait.
  const char *why = earlier.epoch < epoch
                        ? "it was not waited for before the barrier"
                        : "no barrier lies between them";
  const Op &op = *ops[earlier.op - 1];
  return fmt::format("LDS byte {:#x}: wavefront {} {}, wavefront {} {} by '{}' "
                     "at {:#x}: {}",
                     address, wave, second, earlier.wave, first,
                     toString(*op.inst), op.address, why);
}

/// Checks an access against a cell's record and adds it. False if the record
/// cannot hold it; the caller then splits the cell and visits its bytes.
/// \p changes: the bytes stored differ from those there.
bool LdsShadow::visit(Cell &cell, const Write &now, Kind kind, bool changes,
                      uint64_t address, std::string &problem) {
  // A read through FLAT may still be on its way behind a barrier, so its number
  // is kept; that needs a byte cell, as atomics do.
  if (now.atomic || kind.late)
    return false;
  const Write &last = cell.write;
  bool unordered = last.op && !ordered(last);
  bool byOther = unordered && last.wave != now.wave;
  // Both wrote the same byte: a race, unless the value is the same.
  if (uint16_t both = byOther ? last.bytes & now.bytes : 0) {
    if (kind.writes && !changes)
      return false; // two wrote the same: the bytes keep both in mind
    if (last.atomic)
      return false;
    if (problem.empty())
      problem =
          describe(last, "wrote it", kind.writes ? "writes it" : "reads it",
                   address + unsigned(__builtin_ctz(both)), now.wave);
  }
  uint16_t mark = uint16_t(1u << now.wave);
  // Which dwords: four bits of bytes make sixteen of wavefronts.
  uint64_t dwords = 0;
  bool whole = true;
  for (unsigned d = 0; d < 4; ++d)
    if (unsigned part = now.bytes >> (4 * d) & 0xf) {
      dwords |= uint64_t(1) << (16 * d);
      whole &= part == 0xf;
    }
  bool readNow = cell.readEpoch == epoch;
  // Who has read it since the barrier?
  // A write after another wavefront's read of the same dword, in the same
  // epoch.
  if (kind.writes) {
    uint64_t others =
        readNow ? cell.readers & dwords * uint16_t(~mark) : uint64_t(0);
    bool partly =
        readNow && cell.partWave != now.wave && (cell.partBytes & now.bytes);
    if ((others || partly) && changes && problem.empty()) {
      Write reader;
      reader.op = cell.readOp;
      reader.epoch = epoch;
      unsigned bit = others ? unsigned(__builtin_ctzll(others)) : 0;
      reader.wave = others ? uint8_t(bit % 16) : cell.partWave;
      unsigned byte =
          others ? std::max<unsigned>(bit / 16 * 4, __builtin_ctz(now.bytes))
                 : unsigned(__builtin_ctz(cell.partBytes & now.bytes));
      problem =
          describe(reader, "read it", "writes it", address + byte, now.wave);
    }
    // An older write of neighbouring bytes would be forgotten: keep it if both
    // can be one record.
    uint16_t bytes = now.bytes;
    if (unordered && (last.bytes & ~now.bytes)) {
      if (byOther || last.epoch != now.epoch)
        return false;
      bytes |= last.bytes; // neighbours written by one wavefront
    }
    cell.write = now;
    cell.write.bytes = bytes;
  }
  // Record the reader: whole dwords by wavefront, parts of dwords for one
  // wavefront only.
  if (!kind.reads)
    return true;
  if (!readNow) {
    cell.readEpoch = epoch;
    cell.readers = 0;
    cell.partBytes = 0;
  }
  if (whole) {
    cell.readers |= dwords << now.wave;
  } else {
    if (cell.partBytes && cell.partWave != now.wave)
      return false;
    cell.partBytes |= now.bytes;
    cell.partWave = now.wave;
  }
  cell.readOp = now.op;
  return true;
}

/// From now on the cell's sixteen byte cells count; slots are kept for the
/// launch.
/// The byte cells start with what the cell knew of each.
void LdsShadow::split(Cell &cell) {
  if (!cell.slot) {
    cell.slot = uint32_t(single.size()) + 1;
    single.resize(single.size() + cellBytes);
  }
  cell.isSplit = true;
  bool readNow = cell.readEpoch == epoch;
  for (unsigned i = 0; i < cellBytes; ++i) {
    ByteCell one;
    if (cell.write.op && cell.write.bytes >> i & 1)
      one.write = cell.write;
    if (readNow) {
      one.readers = uint16_t(cell.readers >> (i / 4 * 16));
      if (cell.partBytes >> i & 1)
        one.readers |= uint16_t(1u << cell.partWave);
      one.readOp = cell.readOp;
      one.readEpoch = epoch;
    }
    single[cell.slot - 1 + i] = one;
  }
}

/// Back to one cell once a barrier has ordered all that its bytes know.
void LdsShadow::join(Cell &cell) {
  for (unsigned i = 0; i < cellBytes; ++i) {
    const ByteCell &one = single[cell.slot - 1 + i];
    if (one.readEpoch == epoch || (one.write.op && !ordered(one.write)) ||
        (one.lateRead.op && !ordered(one.lateRead)))
      return;
  }
  uint32_t slot = cell.slot;
  cell = Cell();
  cell.slot = slot;
}

/// As visit(), with room for everything: several writers of one value, late
/// reads of FLAT, atomics.
void LdsShadow::visitByte(ByteCell &cell, const Write &now, Kind kind,
                          bool changes, uint64_t address,
                          std::string &problem) {
  uint16_t mark = uint16_t(1u << now.wave);
  Write &last = cell.write;
  bool unordered = last.op && !ordered(last);
  bool bothAtomic = last.atomic && now.atomic;
  if (!unordered)
    cell.sameWriters = 0;
  bool same = kind.writes && !changes && !now.atomic;
  // Whoever stored the value that is there reads its own.
  bool byOther = unordered && !bothAtomic &&
                 (last.wave != now.wave || (cell.sameWriters & ~mark)) &&
                 (kind.writes || !(cell.sameWriters & mark));
  if (kind.reads && !kind.writes && last.wave == now.wave)
    byOther = false;
  // A write of the value that is there disturbs nobody, hence is no race by
  // itself.
  if (byOther && !same && problem.empty()) {
    Write other = last;
    if (last.wave == now.wave)
      other.wave = uint8_t(__builtin_ctz(cell.sameWriters & ~mark));
    problem =
        describe(other, "wrote it", kind.writes ? "writes it" : "reads it",
                 address, now.wave);
  }
  // Readers since the barrier, then a read through FLAT from before it that was
  // not waited for.
  if (kind.writes && !same && problem.empty()) {
    bool readNow = cell.readEpoch == epoch && (cell.readers & ~mark);
    const Write &late = cell.lateRead;
    Write reader;
    reader.epoch = epoch;
    reader.op = cell.readOp;
    if (readNow)
      reader.wave = uint8_t(__builtin_ctz(cell.readers & ~mark));
    else if (late.op && late.wave != now.wave && !ordered(late))
      reader = late;
    else
      reader.op = 0;
    if (reader.op)
      problem = describe(reader, "read it", "writes it", address, now.wave);
  }
  // The first writer of a value stays recorded; later ones of the same value
  // join it as a mask.
  if (kind.writes) {
    if (same && unordered && last.wave != now.wave) {
      cell.sameWriters |= mark | uint16_t(1u << last.wave);
    } else {
      if (!same)
        cell.sameWriters = 0;
      last = now;
    }
  }
  if (!kind.reads)
    return;
  if (cell.readEpoch != epoch) {
    cell.readEpoch = epoch;
    cell.readers = 0;
  }
  cell.readers |= mark;
  cell.readOp = now.op;
  if (kind.late)
    cell.lateRead = now;
}

/// A range of bytes of one access, cell by cell.
void LdsShadow::visitBytes(uint64_t begin, uint64_t end, Write now, Kind kind,
                           bool changes, std::string &problem) {
  for (uint64_t at = begin / cellBytes * cellBytes; at < end; at += cellBytes) {
    unsigned from = begin > at ? unsigned(begin - at) : 0;
    unsigned to = end < at + cellBytes ? unsigned(end - at) : cellBytes;
    unsigned bytes = ((1u << to) - 1) & ~((1u << from) - 1);
    Cell &cell = cells[at / cellBytes];
    // Splits are rare and mend themselves: try to join first.
    if (cell.isSplit)
      join(cell);
    now.bytes = uint16_t(bytes);
    if (!cell.isSplit) {
      if (visit(cell, now, kind, changes, at, problem))
        continue;
      split(cell);
    }
    now.bytes = 1;
    for (; bytes; bytes &= bytes - 1) {
      unsigned i = unsigned(__builtin_ctz(bytes));
      visitByte(single[cell.slot - 1 + i], now, kind, changes, at + i, problem);
    }
  }
}

/// The general way, for one access of all lanes. Returns the first problem,
/// with its lane in \p lane.
std::string LdsShadow::access(unsigned wave, const Op &op, const OpFacts &facts,
                              const AccessPart &part, const WaitCounters &waits,
                              int &lane) {
  if (oneWave)
    return "";
  note(op);
  Write now;
  now.op = op.number + 1;
  now.epoch = epoch;
  now.wave = uint8_t(wave);
  // Which counter tells that the access is complete.
  now.byVm = facts.countsVm && !facts.isLds;
  now.number = (now.byVm ? waits.vm.issued : waits.lgkm.issued) + 1;
  now.atomic = part.atomic;
  bool onlyReads = part.reads && !part.atomic;
  Kind kind{part.writes, onlyReads, onlyReads && !facts.isLds};
  std::string problem;
  // Loads to LDS: 256 bytes at once, a cell at a time.
  if (part.contiguous && part.lanes == ~uint64_t(0)) {
    uint64_t begin = part.address[0], end = begin + part.bytes * waveLanes;
    if (end <= size)
      for (uint64_t at = begin; at < end && problem.empty(); at += cellBytes) {
        visitBytes(at, std::min<uint64_t>(at + cellBytes, end), now, kind, true,
                   problem);
        lane = int((at - begin) / part.bytes);
      }
    if (problem.empty())
      lane = -1;
    return problem;
  }
  for (uint64_t rest = part.lanes; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctzll(rest));
    uint64_t begin = part.address[l], end = begin + part.bytes;
    if (end > size)
      continue; // the engine faults
    bool had = !problem.empty();
    visitBytes(begin, end, now, kind, part.changes >> l & 1, problem);
    if (!had && !problem.empty())
      lane = int(l);
  }
  return problem;
}
