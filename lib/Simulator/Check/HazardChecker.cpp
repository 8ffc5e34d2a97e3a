//===- HazardChecker.cpp - Missing wait states ------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules are those of LLVM's GCNHazardRecognizer for gfx940 and of the CDNA3
// ISA's section on manually inserted wait states; the table is at the head of
// HazardChecker.h. Every rule has the form: so many states between the last
// write (or use) of a register and now.
//
// The hardware does not interlock these cases: with too few states an
// instruction silently reads an old value. Compilers insert s_nop; hand-written
// code is where the rules are broken. A state is an issue slot of four cycles;
// what is known to hold a wavefront for longer counts for as many
// (PathChecker), so a check needs no timing model.
//
//===----------------------------------------------------------------------===//

#include "HazardChecker.h"
#include "llvm/ADT/StringRef.h"
#include <fmt/format.h>

using namespace tlc;
using namespace tlc::sim;

namespace {

/// Longer ago than any rule reaches.
constexpr uint32_t startState = 1000;

bool isLaneAccess(Opcode op) {
  return op == Opcode::v_readlane_b32 || op == Opcode::v_writelane_b32;
}
bool readsLane(Opcode op) {
  return op == Opcode::v_readlane_b32 || op == Opcode::v_readfirstlane_b32;
}
bool isDivFmas(Opcode op) {
  return op == Opcode::v_div_fmas_f32 || op == Opcode::v_div_fmas_f64;
}
/// Writes a part of its destination, moved there, and forwards late.
bool writesPart(const Instruction &inst) {
  if (inst.encoding == Encoding::VOPC)
    return false;
  if (inst.form == Form::Sdwa)
    return inst.dstSel != SdwaSel::Dword;
  constexpr uint8_t destinationHigh = 8;
  return inst.encoding != Encoding::VOP3P && inst.opSel & destinationHigh;
}
bool isDot(const Instruction &inst) {
  return llvm::StringRef(mnemonic(inst.op)).starts_with("v_dot");
}
/// A carry or a mask goes another way than an operand.
bool isCarry(const Instruction &inst, const RegisterRange &range) {
  return inst.has(flag::ReadsVCC) && range.source == 2;
}

} // namespace

/// A new path through the code: nothing was issued before.
void HazardChecker::begin(unsigned vgprCount, unsigned firstAccum) {
  vector.assign(vgprCount, Last());
  scalar.assign(128, Last());
  readAsC.assign(vgprCount, Use());
  storeData.assign(vgprCount, Use());
  state = startState;
  lastSpecial = 0;
  accumOffset = firstAccum;
}

/// The message if fewer than \p states lie between; empty otherwise. From \p
/// least states on it is a note.
Hazard HazardChecker::need(const RegisterRange &range, const Op *writer,
                           uint32_t at, unsigned states, const char *use,
                           unsigned least) const {
  // The instruction at `at` is one state itself.
  unsigned between = since(at) - 1;
  if (between >= states)
    return {};
  bool isNote = between >= least;
  return {
      fmt::format("{} is {} {} wait states after '{}', {} are {}",
                  registerName(range, accumOffset), use, between,
                  toString(*writer->inst), states,
                  isNote ? "documented; hardware was seen to wait" : "needed"),
      isNote};
}

/// A source of an MFMA: what a VALU or an earlier MFMA wrote.
Hazard HazardChecker::checkMatrixSource(const OpFacts &facts,
                                        const RegisterRange &range) const {
  const Last &last = vector[range.first];
  if (last.writer != Writer::Matrix)
    return need(range, last.op, last.state,
                last.writer == Writer::Dot ? kDotStates : kVectorToMatrixStates,
                "read by an MFMA");
  unsigned passes = last.passes, states;
  // C is forwarded within the pipeline if it is the very result of the MFMA
  // before, hence the low figures for "same".
  if (range.source == 2 || range.source == -1) { // C, or D of a sparse one
    bool same = last.first == range.first && last.count == range.count &&
                last.xdl == facts.isXdl && last.passes == facts.passes;
    // The range may have been split up by its caller: compare whole results.
    if (same)
      states = last.isDouble ? (passes == 4 ? 4 : 0) : passes == 2 ? 2 : 0;
    else if (last.isDouble)
      states = passes == 4 ? 4 : 9;
    else if (facts.isXdl && !last.xdl)
      states = 0;
    else
      states = last.xdl ? passes + 1 : passes;
  } else {
    // A and B: after the result has left the pipeline.
    states = statesToRead(pipeOf(last), passes);
  }
  return need(range, last.op, last.state, states, "read by an MFMA");
}

/// Scalar registers written by a VALU (compares, v_readlane).
Hazard HazardChecker::checkScalar(const Op &op, const OpFacts &facts,
                                  const RegisterRange &range) const {
  const Instruction &inst = *op.inst;
  Hazard worst;
  for (unsigned i = 0; i < range.count; ++i) {
    const Last &last = scalar[range.first + i];
    if (last.writer != Writer::Vector)
      continue;
    RegisterRange one = range;
    one.first += i;
    unsigned states = 0, least = ~0u;
    const char *use = "read";
    if (facts.isVmem) {
      states = 5;
      use = "read by vector memory";
    } else if (isLaneAccess(inst.op) && range.source == 1) {
      // Source 1 of v_readlane and v_writelane is the lane's number.
      states = 4;
      use = "selecting a lane";
    } else if (isDivFmas(inst.op) && range.source == -1) {
      states = 4;
    } else if (facts.isVector && range.source >= 0 && !isCarry(inst, range)) {
      states = 2;
      least = 0;
      use = "read as an operand";
    }
    if (states &&
        worst.worsen(need(one, last.op, last.state, states, use, least)))
      break;
  }
  return worst;
}

/// One register range that an instruction reads.
Hazard HazardChecker::checkRead(const Op &op, const OpFacts &facts,
                                const RegisterRange &range) const {
  if (!range.vector)
    return checkScalar(op, facts, range);
  const Instruction &inst = *op.inst;
  bool isDpp = inst.form == Form::Dpp && range.source == 0;
  Hazard worst;
  for (unsigned i = 0; i < range.count; ++i) {
    const Last &last = vector[range.first + i];
    if (last.writer == Writer::None || since(last.state) > reach)
      continue;
    RegisterRange one = range;
    one.first += i;
    Hazard found;
    if (facts.isMatrix) {
      // C is compared as a whole.
      RegisterRange whole = range;
      if (i && last.op == vector[range.first].op)
        continue;
      whole.first += i;
      if (i)
        whole.count = 1;
      found = checkMatrixSource(facts, whole);
    } else if (last.writer == Writer::Matrix) {
      // VALU and memory may only read a finished result.
      bool memory = facts.isVmem || facts.isLds;
      unsigned states = memory ? statesToStore(pipeOf(last), last.passes)
                               : statesToRead(pipeOf(last), last.passes);
      bool waits = last.xdl && facts.isVector;
      found = need(one, last.op, last.state, states, "read",
                   waits ? last.passes - 1 : ~0u);
    } else if (last.writer == Writer::Dot) {
      bool accumulates = last.op->inst->op == inst.op &&
                         (range.source == 2 || range.source < 0);
      if (!accumulates)
        found = need(one, last.op, last.state, kDotStates, "read");
    } else if (facts.isVector) {
      // Transcendental and partial writes forward one state late, the former
      // except to another transcendental.
      bool transAfterTrans =
          last.op->inst->has(flag::Trans) && inst.has(flag::Trans);
      unsigned states = isDpp                            ? 2
                        : transAfterTrans                ? 0
                        : last.writer == Writer::Partial ? 1
                        : readsLane(inst.op)             ? 1
                                                         : 0;
      if (states)
        found = need(one, last.op, last.state, states,
                     isDpp ? "read by DPP" : "read");
    }
    if (worst.worsen(std::move(found)))
      break;
  }
  return worst;
}

/// Overwriting a result still in a pipeline, C while an MFMA reads it, or the
/// data of a wide store.
Hazard HazardChecker::checkWrite(const Op &op, const OpFacts &facts,
                                 const RegisterRange &range) const {
  if (!range.vector || facts.isMatrix)
    return {};
  Hazard worst;
  for (unsigned i = 0; i < range.count; ++i) {
    const Last &last = vector[range.first + i];
    const Use &asC = readAsC[range.first + i];
    const Use &stored = storeData[range.first + i];
    RegisterRange one = range;
    one.first += i;
    // A write must not overtake the matrix result. One in place waits as its
    // read does.
    bool inPlace = false;
    for (const RegisterRange &read : facts.reads)
      inPlace |= facts.isVector && last.xdl && read.overlaps(range);
    if (last.writer == Writer::Matrix && since(last.state) <= reach)
      worst.worsen(need(one, last.op, last.state,
                        statesToRead(pipeOf(last), last.passes), "overwritten",
                        inPlace ? last.passes - 1 : ~0u));
    if (last.writer == Writer::Dot && last.op->inst->op != op.inst->op &&
        facts.isVector)
      worst.worsen(need(one, last.op, last.state, kDotStates, "overwritten"));
    // The matrix core takes C pass by pass.
    if (asC.op && since(asC.state) <= 16)
      worst.worsen(need(one, asC.op, asC.state, asC.passes - 1,
                        "overwritten (as C, still being read)"));
    if (facts.isVector && stored.op && since(stored.state) <= 3)
      worst.worsen(need(one, stored.op, stored.state, 2,
                        "overwritten (as data, still being read)"));
    if (!worst.text.empty())
      break;
  }
  return worst;
}

/// The worst thing wrong; the first of several.
Hazard HazardChecker::check(const Op &op, const OpFacts &facts) {
  if (facts.isScalar || facts.isSmem)
    return {};
  bool lanes = isLaneAccess(op.inst->op) || readsLane(op.inst->op);
  bool isDpp = op.inst->form == Form::Dpp;
  // Plain vector code, with nothing of another kind near before it.
  // `reach` is the longest distance of a rule, so older instructions cannot
  // matter.
  bool plain = facts.isVector && !facts.isMatrix && !isDpp && !lanes &&
               !isDivFmas(op.inst->op);
  if (plain && since(lastSpecial) > reach)
    return {};
  Hazard worst;
  // EXEC written by a VALU (v_cmpx) is not forwarded to these.
  const Last &exec = scalar[ScalarReg::ExecLo];
  if (exec.writer == Writer::Vector && (facts.isMatrix || isDpp || lanes)) {
    RegisterRange range;
    range.first = ScalarReg::ExecLo;
    range.count = 2;
    worst.worsen(need(range, exec.op, exec.state, isDpp ? 5 : 4,
                      facts.isMatrix ? "used by an MFMA"
                      : isDpp        ? "used by DPP"
                                     : "used by a lane access"));
  }
  for (const RegisterRange &range : facts.reads)
    if (worst.worsen(checkRead(op, facts, range)))
      return worst;
  for (const RegisterRange &range : facts.writes)
    if (worst.worsen(checkWrite(op, facts, range)))
      return worst;
  return worst;
}

/// The instruction has run: notes what it wrote and used, and counts its
/// states.
void HazardChecker::issue(const Op &op, const OpFacts &facts) {
  const Instruction &inst = *op.inst;
  Last last;
  last.state = state;
  last.op = &op;
  if (facts.isMatrix)
    last.writer = Writer::Matrix;
  else if (facts.isVector)
    last.writer = isDot(inst)                                 ? Writer::Dot
                  : inst.has(flag::Trans) || writesPart(inst) ? Writer::Partial
                                                              : Writer::Vector;
  else if (facts.isScalar)
    last.writer = Writer::Scalar;
  bool writesScalar = false;
  for (const RegisterRange &range : facts.writes)
    writesScalar |= facts.isVector && !range.vector;
  if (facts.isMatrix || last.writer == Writer::Partial ||
      last.writer == Writer::Dot || writesScalar || facts.isVmem)
    lastSpecial = state;
  last.passes = facts.passes;
  last.xdl = facts.isXdl;
  last.isDouble = facts.isDouble;
  for (const RegisterRange &range : facts.writes) {
    last.first = range.first;
    last.count = range.count;
    // A partial writer's scalar results behave as any VALU's.
    Last entry = last;
    if (!range.vector && entry.writer == Writer::Partial)
      entry.writer = Writer::Vector;
    for (unsigned i = 0; i < range.count; ++i)
      (range.vector ? vector : scalar)[range.first + i] = entry;
  }
  for (const RegisterRange &range : facts.reads) {
    bool asC = facts.isXdl && range.vector && range.source == 2 &&
               !inst.has(flag::Sparse);
    // A buffer store with its offset in a scalar register reads early enough.
    // Stores of more than two dwords read their data over several cycles.
    bool asData = facts.isVmem && !facts.toLds && range.vector &&
                  range.source == 1 && range.count > 2 &&
                  inst.has(flag::Store | flag::Atomic) &&
                  inst.src[3].kind != OperandKind::Scalar;
    for (unsigned i = 0; i < range.count; ++i) {
      if (asC)
        readAsC[range.first + i] = {state, facts.passes, &op};
      if (asData)
        storeData[range.first + i] = {state, 0, &op};
    }
  }
  state += statesOf(inst);
}

unsigned HazardChecker::statesOf(const Instruction &inst) {
  // The last wavefront goes on 8 to 16 cycles after it came (inferred, as in
  // the timing model).
  constexpr unsigned barrierStates = 3;
  if (inst.op == Opcode::s_barrier)
    return barrierStates;
  return inst.op == Opcode::s_nop ? unsigned(inst.imm & 0xf) + 1 : 1;
}

unsigned HazardChecker::vectorStatesOf(const Instruction &inst) {
  switch (inst.op) {
  case Opcode::v_pk_fma_f32:
  case Opcode::v_pk_mul_f32:
  case Opcode::v_pk_add_f32:
    return 2;
  default:
    return 1;
  }
}

/// As if it had been issued \p age states ago: how PathChecker rebuilds a
/// state.
void HazardChecker::recall(const Op &op, const OpFacts &facts, unsigned age) {
  uint32_t now = state;
  state -= age;
  issue(op, facts);
  state = now;
}
