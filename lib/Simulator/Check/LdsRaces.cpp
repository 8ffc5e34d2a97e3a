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
  for (uint64_t rest = part.lanes; rest; rest &= rest - 1) {
    unsigned l = __builtin_ctzll(rest);
    uint64_t begin = part.address[l], end = begin + part.bytes;
    if (end > cells.size() * 4)
      continue; // the engine faults
    for (uint64_t word = begin / 4; word * 4 < end; ++word) {
      unsigned from = std::max(begin, word * 4) - word * 4;
      unsigned to = std::min(end, word * 4 + 4) - word * 4;
      now.bytes = ((1u << to) - 1) & ~((1u << from) - 1);
      Cell &cell = cells[word];
      // The same value twice, or a read that the LDS, which serves its queue
      // in order, takes before what comes after a barrier.
      bool sameValue = part.writes && !(part.changes >> l & 1);
      bool bothAtomic = cell.write.atomic && now.atomic;
      if (problem.empty() && cell.write.op && cell.write.wave != wave &&
          (cell.write.bytes & now.bytes) && !bothAtomic && !sameValue &&
          !ordered(cell.write)) {
        problem = describe(cell.write, "wrote it",
                           part.writes ? "writes it" : "reads it",
                           word * 4 + from, wave);
        lane = int(l);
      }
      if (part.writes) {
        bool otherReader = cell.readers & ~(1u << wave);
        bool sameWave = cell.read.wave == wave && !otherReader;
        if (problem.empty() && cell.read.op && !sameWave && !sameValue &&
            (cell.read.bytes & now.bytes) &&
            !(cell.read.atomic && now.atomic) && !ordered(cell.read) &&
            (cell.read.wave != wave || cell.read.epoch == epoch)) {
          Access reader = cell.read;
          if (reader.wave == wave) // the other one, by its mark
            reader.wave = __builtin_ctz(cell.readers & ~(1u << wave));
          problem =
              describe(reader, "read it", "writes it", word * 4 + from, wave);
          lane = int(l);
        }
        // Neighbours in a dword written by one wavefront count together.
        uint8_t together = cell.write.op && cell.write.wave == wave &&
                                   cell.write.epoch == epoch
                               ? cell.write.bytes
                               : 0;
        cell.write = now;
        cell.write.bytes |= together;
      }
      if (part.reads && !part.atomic) {
        if (cell.read.epoch != epoch)
          cell.readers = 0;
        uint8_t together = cell.read.epoch == epoch ? cell.read.bytes : 0;
        cell.readers |= 1u << wave;
        cell.read = now;
        if (facts.isLds)
          cell.read.number = 0; // complete for what comes after a barrier
        cell.read.bytes |= together;
      }
    }
  }
  return problem;
}
