//===- LdsRaces.cpp - Data races within a workgroup -------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LdsRaces.h"
#include <algorithm>
#include <fmt/format.h>

using namespace tlc::sim;

void LdsRaces::begin(uint32_t ldsBytes, unsigned waves) {
  cells.assign((ldsBytes + 3) / 4, Cell());
  completed.assign(waves, Completed());
  epoch = 1;
}

void LdsRaces::barrier(const std::vector<WaitChecker> &counters) {
  for (size_t w = 0; w < counters.size() && w < completed.size(); ++w)
    completed[w] = {counters[w].vm.retired, counters[w].lgkm.retired};
  ++epoch;
}

std::string LdsRaces::describe(const Access &earlier, const char *first,
                               const char *second, uint64_t address,
                               unsigned wave) const {
  // What was written before the last barrier lacks its wait.
  const char *why = earlier.epoch < epoch
                        ? "it was not waited for before the barrier"
                        : "no barrier lies between them";
  return fmt::format("LDS byte {:#x}: wavefront {} {}, wavefront {} {} by '{}' "
                     "at {:#x}: {}",
                     address, wave, second, earlier.wave, first,
                     toString(*earlier.op->inst), earlier.op->address, why);
}

std::string LdsRaces::conflict(const Cell &cell, const Access &now,
                               const AccessPart &part, unsigned lane,
                               uint64_t address) const {
  unsigned wave = now.wave;
  // The same value twice, or a read that the LDS, which serves its queue in
  // order, takes before what comes after a barrier.
  if (part.writes && !(part.changes >> lane & 1))
    return "";
  if (cell.write.op && cell.write.wave != wave &&
      (cell.write.bytes & now.bytes) && !(cell.write.atomic && now.atomic) &&
      !ordered(cell.write))
    return describe(cell.write, "wrote it",
                    part.writes ? "writes it" : "reads it", address, wave);
  if (!part.writes)
    return "";
  bool otherReader = cell.readers & ~(1u << wave);
  bool sameWave = cell.read.wave == wave && !otherReader;
  if (!cell.read.op || sameWave || !(cell.read.bytes & now.bytes) ||
      (cell.read.atomic && now.atomic) || ordered(cell.read) ||
      (cell.read.wave == wave && cell.read.epoch != epoch))
    return "";
  Access reader = cell.read;
  if (reader.wave == wave) // the other one, by its mark
    reader.wave = __builtin_ctz(cell.readers & ~(1u << wave));
  return describe(reader, "read it", "writes it", address, wave);
}

std::string LdsRaces::access(unsigned wave, const Op &op, const OpFacts &facts,
                             const AccessPart &part, const WaitChecker &waits,
                             int &lane) {
  Access now;
  now.op = &op;
  now.epoch = epoch;
  now.wave = wave;
  now.byVm = facts.countsVm && !facts.isLds;
  // The operation is about to get the next number.
  now.number = (now.byVm ? waits.vm.issued : waits.lgkm.issued) + 1;
  now.atomic = part.atomic;
  std::string problem;
  bool onlyReads = part.reads && !part.atomic;
  for (uint64_t rest = part.lanes; rest; rest &= rest - 1) {
    unsigned l = __builtin_ctzll(rest);
    uint64_t begin = part.address[l], end = begin + part.bytes;
    if (end > cells.size() * 4)
      continue; // the engine faults
    bool whole = (begin | part.bytes) % 4 == 0;
    for (uint64_t word = begin / 4; word * 4 < end; ++word) {
      unsigned from = whole ? 0 : std::max(begin, word * 4) - word * 4;
      unsigned to = whole ? 4 : std::min(end, word * 4 + 4) - word * 4;
      now.bytes = ((1u << to) - 1) & ~((1u << from) - 1);
      Cell &cell = cells[word];
      if (problem.empty() && isSuspicious(cell, now, part.writes)) {
        problem = conflict(cell, now, part, l, word * 4 + from);
        if (!problem.empty())
          lane = int(l);
      }
      if (part.writes) {
        // Neighbours in a dword written by one wavefront count together.
        uint8_t together = cell.write.op && cell.write.wave == wave &&
                                   cell.write.epoch == epoch
                               ? cell.write.bytes
                               : 0;
        cell.write = now;
        cell.write.bytes |= together;
      }
      if (onlyReads)
        noteRead(cell, now, facts.isLds);
    }
  }
  return problem;
}

void LdsRaces::noteRead(Cell &cell, const Access &now, bool isLds) {
  bool sameEpoch = cell.read.epoch == now.epoch;
  uint16_t mark = uint16_t(1u << now.wave);
  // Most dwords are read again and again: nothing new then.
  if (sameEpoch && isLds && (cell.readers & mark) && !cell.read.byVm &&
      !cell.read.atomic && (cell.read.bytes & now.bytes) == now.bytes)
    return;
  uint8_t together = sameEpoch ? cell.read.bytes : 0;
  cell.readers = sameEpoch ? cell.readers | mark : mark;
  cell.read = now;
  if (isLds)
    cell.read.number = 0; // complete for what comes after a barrier
  cell.read.bytes |= together;
}
