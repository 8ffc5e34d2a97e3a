//===- Statistics.cpp - Counts of an observed run -------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counters by instruction, for one host thread. LDS cycles are those of the
// phase rules (docs/layouts.md) applied to the addresses of the moment; DS
// forms with two offsets count as two accesses.
//
//===----------------------------------------------------------------------===//

#include "Statistics.h"

using namespace tlc::sim;

namespace {

struct Access {
  unsigned width;
  tlc::LdsDirection direction;
};

/// Width, in bytes, of one of the accesses that a DS instruction makes to
/// memory; 0 if it makes none.
Access accessOf(const Instruction &inst) {
  bool isWrite = inst.has(flag::Store) && !inst.has(flag::Atomic);
  if (inst.encoding != Encoding::DS || inst.has(flag::CrossLane | flag::Gws) ||
      !inst.has(flag::Load | flag::Store | flag::Atomic))
    return {0, tlc::LdsDirection::Read};
  unsigned dwords = isWrite ? inst.src[1].dwords : inst.dst.dwords;
  if (inst.has(flag::Atomic))
    dwords = inst.src[1].dwords;
  else if (inst.has(flag::TwoOffsets) && !isWrite)
    dwords /= 2;
  return {dwords * 4, inst.has(flag::Atomic) ? tlc::LdsDirection::Atomic
                      : isWrite              ? tlc::LdsDirection::Write
                                             : tlc::LdsDirection::Read};
}

} // namespace

/// Lanes that EXEC disables touch nothing; an instruction without active lanes
/// is not counted at all.
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
    tlc::LdsCycles cycles =
        tlc::ldsCycles(access.direction, access.width, addresses, active);
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
