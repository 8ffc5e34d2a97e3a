//===- LdsShadow.cpp - LDS as the checkers see it ---------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Any access, lane by lane. What most of them are is in LdsUsual.cpp.
//
//===----------------------------------------------------------------------===//

#include "LdsShadow.h"
#include <algorithm>
#include <fmt/format.h>

using namespace tlc::sim;

/// A new workgroup. With a single wavefront nobody can race: only undefined
/// bytes are then kept.
void LdsShadow::begin(uint32_t ldsBytes, unsigned waves) {
  size_t count = (ldsBytes + cellBytes - 1) / cellBytes;
  size = ldsBytes;
  oneWave = waves == 1;
  // A bit for each byte of a cell: LDS has no defined contents.
  undefined.assign(count, 0xffff);
  if (oneWave)
    return;
  writes.assign(count, 0);
  written.resize(count);
  readers.assign(count, 0);
  readOps.resize(count);
  details.assign(count, {});
  records.assign(1, {});
  single.clear();
  partlyRead.clear();
  firstRead = ~0u;
  lastRead = 0;
  completed.assign(waves, Completed());
  ++epoch;
}

/// Notes how far each wavefront's operations were waited for, and starts an
/// epoch.
/// An access is ordered by the barrier only if its number is at most the number
/// retired at that time.
void LdsShadow::barrier(const std::vector<WaitCounters> &counters) {
  for (size_t w = 0; w < counters.size() && w < completed.size(); ++w)
    completed[w] = {counters[w].vm.retired, counters[w].lgkm.retired};
  ++epoch;
  // Readers before the barrier are ordered: LDS serves the operations of a
  // compute unit in the order of their issue.
  if (firstRead <= lastRead)
    std::fill(readers.begin() + firstRead, readers.begin() + lastRead + 1, 0);
  firstRead = ~0u;
  lastRead = 0;
  for (uint32_t cell : partlyRead) {
    details[cell].partBytes = 0;
    if (!details[cell].isSplit)
      writes[cell] &= ~unusual;
  }
  partlyRead.clear();
}

/// The number of a new record. Those that no cell names any more are dropped
/// now and then: cells in use get new numbers, in the order of the cells.
uint32_t LdsShadow::record(const Write &write) {
  constexpr size_t mostRecords = size_t(1) << 16;
  if (records.size() >= mostRecords) {
    std::vector<Write> kept(1);
    std::vector<uint32_t> moved(records.size(), 0);
    for (uint32_t &cell : writes) {
      uint32_t number = cell & ~unusual;
      if (number && !moved[number]) {
        moved[number] = uint32_t(kept.size());
        kept.push_back(records[number]);
      }
      cell = moved[number] | (cell & unusual);
    }
    records = std::move(kept);
  }
  records.push_back(write);
  return uint32_t(records.size()) - 1;
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

bool LdsShadow::visit(uint32_t cell, const Write &now, uint16_t bytes,
                      Kind kind, bool changes, std::string &problem) {
  // A read through FLAT may still be on its way behind a barrier, so its number
  // is kept; that needs a byte cell, as atomics do.
  if (now.atomic || kind.late)
    return false;
  Detail &detail = details[cell];
  const Write last = records[writes[cell] & ~unusual];
  uint16_t lastBytes = written[cell];
  uint64_t address = uint64_t(cell) * cellBytes;
  bool unordered = last.op && !ordered(last);
  bool byOther = unordered && last.wave != now.wave;
  // Both wrote the same byte: a race, unless the value is the same.
  if (uint16_t both = byOther ? lastBytes & bytes : 0) {
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
    if (unsigned part = bytes >> (4 * d) & 0xf) {
      dwords |= uint64_t(1) << (16 * d);
      whole &= part == 0xf;
    }
  // A write after another wavefront's read, with no barrier in between.
  if (kind.writes) {
    uint64_t others = readers[cell] & dwords * uint16_t(~mark);
    uint16_t partly =
        detail.partWave != now.wave ? detail.partBytes & bytes : 0;
    if ((others || partly) && changes && problem.empty()) {
      Write reader;
      reader.op = readOps[cell];
      reader.epoch = epoch;
      unsigned bit = others ? unsigned(__builtin_ctzll(others)) : 0;
      reader.wave = others ? uint8_t(bit % 16) : detail.partWave;
      unsigned byte =
          others ? std::max<unsigned>(bit / 16 * 4, __builtin_ctz(bytes))
                 : unsigned(__builtin_ctz(partly));
      problem =
          describe(reader, "read it", "writes it", address + byte, now.wave);
    }
    // An older write of neighbouring bytes would be forgotten: keep it if both
    // can be one record.
    uint16_t all = bytes;
    if (unordered && (lastBytes & ~bytes)) {
      if (byOther || last.epoch != now.epoch)
        return false;
      all |= lastBytes; // neighbours written by one wavefront
    }
    if (!current)
      current = record(now);
    writes[cell] = current | (writes[cell] & unusual);
    written[cell] = all;
  }
  // Record the reader: whole dwords by wavefront, parts of dwords for one
  // wavefront only.
  if (!kind.reads)
    return true;
  if (whole) {
    readers[cell] |= dwords << now.wave;
    noteReads(cell, cell);
  } else {
    if (detail.partBytes && detail.partWave != now.wave)
      return false;
    if (!detail.partBytes)
      partlyRead.push_back(cell);
    detail.partBytes |= bytes;
    detail.partWave = now.wave;
    writes[cell] |= unusual;
  }
  readOps[cell] = now.op;
  return true;
}

/// From now on the cell's sixteen byte cells count; they start with what the
/// cell knew of each. Slots are kept for the workgroup.
void LdsShadow::split(uint32_t cell) {
  Detail &detail = details[cell];
  if (!detail.slot) {
    detail.slot = uint32_t(single.size()) + 1;
    single.resize(single.size() + cellBytes);
  }
  const Write &last = records[writes[cell] & ~unusual];
  for (unsigned i = 0; i < cellBytes; ++i) {
    ByteCell one;
    if (written[cell] >> i & 1)
      one.write = last;
    one.readers = uint16_t(readers[cell] >> (i / 4 * 16));
    if (detail.partBytes >> i & 1)
      one.readers |= uint16_t(1u << detail.partWave);
    if (one.readers) {
      one.readOp = readOps[cell];
      one.readEpoch = epoch;
    }
    single[detail.slot - 1 + i] = one;
  }
  detail.isSplit = true;
  writes[cell] = unusual;
  written[cell] = 0;
}

void LdsShadow::join(uint32_t cell) {
  Detail &detail = details[cell];
  for (unsigned i = 0; i < cellBytes; ++i) {
    const ByteCell &one = single[detail.slot - 1 + i];
    if (one.readEpoch == epoch || (one.write.op && !ordered(one.write)) ||
        (one.lateRead.op && !ordered(one.lateRead)) ||
        (one.plain.op && !ordered(one.plain)))
      return;
  }
  detail.isSplit = false;
  detail.partBytes = 0;
  writes[cell] = 0;
  readers[cell] = 0;
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
  // The last write hides those before it: an atomic operation a plain write,
  // and one's own atomic operation those of others.
  if (bothAtomic && cell.plain.op && cell.plain.wave != now.wave &&
      !ordered(cell.plain) && problem.empty())
    problem = describe(cell.plain, "wrote it", "writes it", address, now.wave);
  if (!now.atomic && !same && cell.atomicEpoch == epoch &&
      (cell.atomicWriters & ~mark) && problem.empty()) {
    Write other = last;
    other.op = cell.atomicOp;
    other.epoch = epoch;
    other.wave = uint8_t(__builtin_ctz(cell.atomicWriters & ~mark));
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
      if (!now.atomic)
        cell.plain = Write();
      else if (unordered && !last.atomic)
        cell.plain = last;
      last = now;
    }
  }
  if (now.atomic) {
    if (cell.atomicEpoch != epoch)
      cell.atomicWriters = 0;
    cell.atomicEpoch = epoch;
    cell.atomicWriters |= mark;
    cell.atomicOp = now.op;
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

/// A range of bytes of one access, cell by cell. Splits are rare and mend
/// themselves: joining is tried first.
void LdsShadow::visitBytes(uint64_t begin, uint64_t end, const Write &now,
                           Kind kind, bool changes, std::string &problem) {
  for (uint64_t at = begin / cellBytes * cellBytes; at < end; at += cellBytes) {
    unsigned from = begin > at ? unsigned(begin - at) : 0;
    unsigned to = end < at + cellBytes ? unsigned(end - at) : cellBytes;
    unsigned bytes = ((1u << to) - 1) & ~((1u << from) - 1);
    uint32_t cell = uint32_t(at / cellBytes);
    if (details[cell].isSplit)
      join(cell);
    if (!details[cell].isSplit) {
      if (visit(cell, now, uint16_t(bytes), kind, changes, problem))
        continue;
      split(cell);
    }
    for (; bytes; bytes &= bytes - 1) {
      unsigned i = unsigned(__builtin_ctz(bytes));
      visitByte(single[details[cell].slot - 1 + i], now, kind, changes, at + i,
                problem);
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
  current = 0;
  std::string problem;
  // Loads to LDS: 256 bytes at once, a cell at a time.
  if (part.contiguous && part.lanes == ~uint64_t(0)) {
    uint64_t begin = part.address[0], end = begin + part.bytes * waveLanes;
    if (end <= size)
      for (uint64_t at = begin; at < end && problem.empty(); at += cellBytes) {
        unsigned first = unsigned(at - begin) / part.bytes;
        uint64_t lanes = (uint64_t(1) << (cellBytes / part.bytes)) - 1;
        visitBytes(at, std::min<uint64_t>(at + cellBytes, end), now, kind,
                   part.changes >> first & lanes, problem);
        lane = int(first);
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
