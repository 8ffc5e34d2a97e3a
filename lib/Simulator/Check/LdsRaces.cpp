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
  cells.assign((ldsBytes + cellBytes - 1) / cellBytes, Cell());
  single.clear();
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
  const Op &op = *ops[earlier.op - 1];
  return fmt::format("LDS byte {:#x}: wavefront {} {}, wavefront {} {} by '{}' "
                     "at {:#x}: {}",
                     address, wave, second, earlier.wave, first,
                     toString(*op.inst), op.address, why);
}

std::string LdsRaces::conflict(const Cell &cell, const Access &now, bool writes,
                               uint64_t address) const {
  unsigned wave = now.wave;
  if (unsigned both = cell.write.bytes & now.bytes;
      both && cell.write.op && cell.write.wave != wave &&
      !(cell.write.atomic && now.atomic) && !ordered(cell.write))
    return describe(cell.write, "wrote it", writes ? "writes it" : "reads it",
                    address + __builtin_ctz(both), wave);
  if (!writes)
    return "";
  unsigned both = cell.read.bytes & now.bytes;
  bool otherReader = cell.readers & ~(1u << wave);
  bool sameWave = cell.read.wave == wave && !otherReader;
  if (!both || !cell.read.op || sameWave || (cell.read.atomic && now.atomic) ||
      ordered(cell.read) ||
      (cell.read.wave == wave && cell.read.epoch != epoch))
    return "";
  Access reader = cell.read;
  if (reader.wave == wave) // the other one, by its mark
    reader.wave = __builtin_ctz(cell.readers & ~(1u << wave));
  return describe(reader, "read it", "writes it", address + __builtin_ctz(both),
                  wave);
}

bool LdsRaces::noteWrite(Cell &cell, const Access &now) const {
  Access &last = cell.write;
  uint8_t bytes = now.bytes;
  if (last.op && (last.bytes & ~now.bytes) && !ordered(last)) {
    if (last.wave != now.wave || last.epoch != now.epoch)
      return false;
    bytes |= last.bytes; // neighbours written by one wavefront
  }
  last = now;
  last.bytes = bytes;
  return true;
}

bool LdsRaces::noteRead(Cell &cell, const Access &now, bool isLds) {
  Access &last = cell.read;
  uint16_t mark = uint16_t(1u << now.wave);
  uint8_t bytes = now.bytes;
  if (last.op && last.epoch == now.epoch) {
    // Most bytes are read again and again: nothing new then.
    if ((cell.readers & mark) && (last.bytes & bytes) == bytes)
      return true;
    if (last.bytes == bytes) {
      cell.readers |= mark;
      return true;
    }
    if (cell.readers != mark)
      return false;
    bytes |= last.bytes;
  }
  cell.readers = mark;
  last = now;
  last.bytes = bytes;
  if (isLds)
    last.number = 0; // complete for what comes after a barrier
  return true;
}

void LdsRaces::split(Cell &cell) {
  uint32_t first = uint32_t(single.size());
  for (unsigned i = 0; i < cellBytes; ++i) {
    Cell &one = single.emplace_back();
    if (cell.write.bytes >> i & 1)
      one.write = cell.write;
    if (cell.read.bytes >> i & 1) {
      one.read = cell.read;
      one.readers = cell.readers;
    }
    one.write.bytes = one.write.op ? 1 : 0;
    one.read.bytes = one.read.op ? 1 : 0;
  }
  cell.split = first + 1;
}

std::string LdsRaces::access(unsigned wave, const Op &op, const OpFacts &facts,
                             const AccessPart &part, const WaitChecker &waits,
                             int &lane) {
  if (op.number >= ops.size())
    ops.resize(op.number + 256);
  ops[op.number] = &op;
  Access now;
  now.op = op.number + 1;
  now.epoch = epoch;
  now.wave = uint8_t(wave);
  now.byVm = facts.countsVm && !facts.isLds;
  // The operation is about to get the next number.
  now.number = (now.byVm ? waits.vm.issued : waits.lgkm.issued) + 1;
  now.atomic = part.atomic;
  std::string problem;
  bool onlyReads = part.reads && !part.atomic;
  // Checks and records; false if the cell cannot hold it.
  auto visit = [&](Cell &cell, unsigned l,
                   uint64_t address) __attribute__((always_inline)) {
    // Writing what is there already disturbs nobody.
    bool harmless = part.writes && !(part.changes >> l & 1);
    if (problem.empty() && !harmless && isSuspicious(cell, now, part.writes)) {
      problem = conflict(cell, now, part.writes, address);
      if (!problem.empty())
        lane = int(l);
    }
    return (!part.writes || noteWrite(cell, now)) &&
           (!onlyReads || noteRead(cell, now, facts.isLds));
  };
  uint64_t size = cells.size() * cellBytes;
  for (uint64_t rest = part.lanes; rest; rest &= rest - 1) {
    unsigned l = __builtin_ctzll(rest);
    uint64_t begin = part.address[l], end = begin + part.bytes;
    if (end > size)
      continue; // the engine faults
    for (uint64_t at = begin / cellBytes * cellBytes; at < end;
         at += cellBytes) {
      unsigned from = begin > at ? unsigned(begin - at) : 0;
      unsigned to = end < at + cellBytes ? unsigned(end - at) : cellBytes;
      unsigned mask = ((1u << to) - 1) & ~((1u << from) - 1);
      Cell &cell = cells[at / cellBytes];
      now.bytes = uint8_t(mask);
      if (!cell.split) {
        if (visit(cell, l, at))
          continue;
        split(cell);
      }
      now.bytes = 1;
      for (; mask; mask &= mask - 1) {
        unsigned i = __builtin_ctz(mask);
        visit(single[cell.split - 1 + i], l, at + i);
      }
    }
  }
  return problem;
}
