//===- Statistics.cpp - Counts of an observed run -------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The LDS rule, by width and direction: reads of 16 and 12 bytes serve eight
// lanes at a time in the order below, writes of 16 bytes eight consecutive
// lanes, 8 bytes sixteen consecutive lanes, 4 bytes and less thirty-two. A form
// with two offsets is two accesses.
//
//===----------------------------------------------------------------------===//

#include "Statistics.h"

#include <algorithm>

using namespace tlc::sim;

namespace {

constexpr unsigned banks = 32;

/// Lanes that an LDS read of 16 bytes serves together; the upper half of the
/// wavefront follows the same pattern.
constexpr uint8_t wideReadOrder[32] = {
    0, 1, 2,  3,  20, 21, 22, 23, 4,  5,  6,  7,  16, 17, 18, 19,
    8, 9, 10, 11, 28, 29, 30, 31, 12, 13, 14, 15, 24, 25, 26, 27};

struct Access {
  unsigned width;
  bool isWrite;
};

/// Width of a DS access to memory; 0 if it is none.
Access accessOf(const Instruction &inst) {
  bool isWrite = inst.has(flag::Store) && !inst.has(flag::Atomic);
  if (inst.encoding != Encoding::DS || inst.has(flag::CrossLane | flag::Gws) ||
      !inst.has(flag::Load | flag::Store | flag::Atomic))
    return {0, false};
  unsigned dwords = isWrite ? inst.src[1].dwords : inst.dst.dwords;
  if (inst.has(flag::Atomic))
    dwords = inst.src[1].dwords;
  else if (inst.has(flag::TwoOffsets) && !isWrite)
    dwords /= 2;
  return {dwords * 4, isWrite};
}

} // namespace

LdsCycles tlc::sim::ldsCycles(const uint32_t addresses[64], uint64_t active,
                              unsigned width, bool isWrite) {
  unsigned dwords = std::max(1u, width / 4);
  unsigned groupLanes = dwords >= 3 ? 8 : dwords == 2 ? 16 : 32;
  bool wideRead = dwords >= 3 && !isWrite;
  LdsCycles cycles;
  for (unsigned begin = 0; begin < waveLanes; begin += groupLanes) {
    // Distinct dwords of each bank.
    uint32_t words[banks][64];
    unsigned counts[banks] = {};
    for (unsigned i = begin; i < begin + groupLanes; ++i) {
      unsigned lane = wideRead ? (i & 32) | wideReadOrder[i & 31] : i;
      if (!(active >> lane & 1))
        continue;
      for (unsigned d = 0; d < dwords; ++d) {
        uint32_t word = addresses[lane] / 4 + d;
        unsigned bank = word % banks;
        uint32_t *end = words[bank] + counts[bank];
        if (std::find(words[bank], end, word) == end)
          words[bank][counts[bank]++] = word;
      }
    }
    unsigned most = *std::max_element(counts, counts + banks);
    cycles.base += 1;
    cycles.conflicts += most > 1 ? most - 1 : 0;
  }
  return cycles;
}

void Statistics::countLds(const Wave &wave, const Op &op) {
  Access access = accessOf(*op.inst);
  uint64_t active = wave.exec();
  if (!access.width || !active || op.src[0].kind != OperandKind::Vector)
    return;
  LdsCount &count = lds[&op];
  count.op = &op;
  ++count.executed;
  const Instruction &inst = *op.inst;
  bool two = inst.has(flag::TwoOffsets);
  bool strided = std::string_view(mnemonic(inst.op)).find("st64") !=
                 std::string_view::npos;
  for (unsigned part = 0; part < (two ? 2u : 1u); ++part) {
    uint32_t offset = inst.offset;
    if (two)
      offset = (part ? inst.offset1 : inst.offset0) * access.width *
               (strided ? 64 : 1);
    uint32_t addresses[waveLanes];
    for (unsigned l = 0; l < waveLanes; ++l)
      addresses[l] = wave.vgpr[op.src[0].index + l] + offset;
    LdsCycles cycles =
        ldsCycles(addresses, active, access.width, access.isWrite);
    count.baseCycles += cycles.base;
    count.conflictCycles += cycles.conflicts;
  }
}

void Statistics::count(const Wave &wave, const Op &op) {
  ++executed[&op];
  if (op.inst->encoding == Encoding::DS)
    countLds(wave, op);
}

void Statistics::addTo(LaunchResult &result, uint64_t base) const {
  for (const auto &[op, count] : executed) {
    InstructionCount &entry = result.byMnemonic[mnemonic(op->inst->op)];
    entry.executed += count;
    if (op->approximate)
      entry.exactness = Exactness::Approximate;
  }
  for (const auto &[op, count] : lds) {
    LdsConflicts &entry = result.lds[op->address - base];
    entry.mnemonic = mnemonic(op->inst->op);
    entry.executed += count.executed;
    entry.baseCycles += count.baseCycles;
    entry.conflictCycles += count.conflictCycles;
  }
}
