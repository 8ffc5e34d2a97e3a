//===- StraightCode.cpp - Checks of pieces of straight code -----*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where no register that a piece names holds anything undefined, its values
// need no watching, and its waits and wait states are one step of the path.
//
//===----------------------------------------------------------------------===//

#include "CheckerState.h"
#include <algorithm>

using namespace tlc::sim;

/// Pieces end where a wavefront may stop, memory is reached, EXEC or a mode
/// changes.
static bool endsPiece(const Op &op, const OpFacts &facts) {
  const Instruction &inst = *op.inst;
  if (inst.has(flag::Branch | flag::WritesEXEC))
    return true;
  for (const RegisterRange &range : facts.writes)
    if (!range.vector && range.first + range.count > ScalarReg::ExecLo)
      return true;
  return false;
}
static bool goesAlone(const Op &op, const OpFacts &facts) {
  const Instruction &inst = *op.inst;
  if (facts.isVmem || facts.isLds || facts.isSmem ||
      inst.has(flag::WritesMODE | flag::EndsProgram))
    return true;
  if (inst.encoding != Encoding::SOPP && inst.encoding != Encoding::SOPK &&
      inst.encoding != Encoding::SOPC)
    return false;
  switch (inst.op) {
  case Opcode::s_nop:
  case Opcode::s_waitcnt:
  case Opcode::s_setprio:
    return false;
  case Opcode::s_setvskip:
    return true;
  default:
    return inst.encoding == Encoding::SOPP && !inst.has(flag::Branch);
  }
}

void GroupChecker::State::measure(const Op &first, Piece &piece) {
  constexpr unsigned longest = 512;
  piece.known = true;
  unsigned vgprs = group->waves[0].vgprCount;
  for (const Op *op = &first; piece.length < longest; ++op) {
    if (op->inst->op == Opcode::Invalid)
      return;
    const OpFacts &known = factsFor(*op);
    if (goesAlone(*op, known) || known.vectorEnd > vgprs ||
        known.scalarEnd > 128)
      return;
    ++piece.length;
    piece.registers.add(known.registers);
    piece.allLanes |= known.allLanes;
    if (op->inst->op == Opcode::s_waitcnt) {
      piece.vmCount = std::min(piece.vmCount, uint8_t(op->inst->vmcnt()));
      piece.lgkmCount = std::min(piece.lgkmCount, uint8_t(op->inst->lgkmcnt()));
    }
    if (endsPiece(*op, known))
      return;
  }
}

/// Waits and wait states of \p count instructions in a row.
void GroupChecker::State::pass(PathChecker::Place &place, const Wave &wave,
                               const Op &first, unsigned count) {
  path->pass(
      place, &first, count,
      [&](const Op &op) -> const OpFacts & { return factsFor(op); },
      [&](const char *kind, std::string text, const Op &op) {
        report(kind, std::move(text), wave, op, -1);
      });
}

unsigned GroupChecker::straight(Wave &wave, int64_t budget) {
  State &s = *state;
  unsigned w = wave.number;
  if (wave.skipVector || wave.gprIndexing || s.places[w].mustStep())
    return 0;
  // Follow links between runs, which are no instructions.
  while (wave.pc->inst->op == Opcode::Invalid && wave.pc->target)
    wave.pc = wave.pc->target;
  const Op &first = *wave.pc;
  if (first.inst->op == Opcode::Invalid)
    return 0;
  const State::Piece &piece = s.pieceAt(first);
  if (!piece.length || piece.length > budget)
    return 0;
  unsigned count = piece.length;
  if (s.undefined[w].touches(piece.registers, wave.exec(), piece.allLanes)) {
    // As far as nothing undefined is near.
    for (count = 0; count < piece.length; ++count) {
      const OpFacts &facts = s.factsFor((&first)[count]);
      if (s.undefined[w].touches(facts.registers, wave.exec(), facts.allLanes))
        break;
    }
    if (count < 2)
      return 0;
  }
  s.pass(s.places[w], wave, first, count);
  if (count == piece.length && piece.vmCount != 0xff)
    s.waits[w].waitFor(piece.vmCount, piece.lgkmCount);
  else if (piece.vmCount != 0xff)
    for (unsigned i = 0; i < count; ++i) {
      const Instruction &inst = *(&first)[i].inst;
      if (inst.op == Opcode::s_waitcnt)
        s.waits[w].waitFor(inst.vmcnt(), inst.lgkmcnt());
    }
  return count;
}
