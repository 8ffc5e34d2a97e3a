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
// code is where the rules are broken. Only the distance in issued instructions
// counts, not cycles, so a check needs no timing model.
//
//===----------------------------------------------------------------------===//

#include "HazardChecker.h"
#include <fmt/format.h>

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
/// Writes a part of its destination and forwards late.
bool writesPart(const Instruction &inst) {
  return inst.form == Form::Sdwa && inst.encoding != Encoding::VOPC &&
         inst.dstSel != SdwaSel::Dword;
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

/// The message if fewer than \p states lie between; empty otherwise.
std::string HazardChecker::need(const RegisterRange &range, const Op *writer,
                                uint32_t at, unsigned states,
                                const char *use) const {
  // The instruction at `at` is one state itself.
  unsigned between = since(at) - 1;
  if (between >= states)
    return "";
  return fmt::format("{} is {} {} wait states after '{}', {} are needed",
                     registerName(range, accumOffset), use, between,
                     toString(*writer->inst), states);
}

/// A source of an MFMA: what a VALU or an earlier MFMA wrote.
std::string HazardChecker::checkMatrixSource(const OpFacts &facts,
                                             const RegisterRange &range) const {
  const Last &last = vector[range.first];
  if (last.writer != Writer::Matrix)
    return need(range, last.op, last.state, 2, "read by an MFMA");
  unsigned passes = last.passes, states;
  // C is forwarded within the pipeline if it is the very result of the MFMA
  // before, hence the low figures for "same".
  if (range.source == 2 || range.source == -1) { // C, or D of a sparse one
    bool same = last.first == range.first && last.count == range.count;
    // The range may have been split up by its caller: compare whole results.
    if (same)
      states = last.isDouble ? (passes == 4 ? 4 : 0) : passes == 2 ? 2 : 0;
    else if (last.isDouble)
      states = passes == 4 ? 4 : 9;
    else if (facts.isXdl && !last.xdl)
      states = 0;
    else
      states = last.xdl ? passes + 1 : passes;
  } else if (last.isDouble) {
    // A and B: after the result has left the pipeline.
    states = passes == 4 ? 6 : 11;
  } else {
    states = last.xdl ? passes + 3 : passes + 2;
  }
  return need(range, last.op, last.state, states, "read by an MFMA");
}

/// One register range that an instruction reads.
std::string HazardChecker::checkRead(const Op &op, const OpFacts &facts,
                                     const RegisterRange &range) const {
  const Instruction &inst = *op.inst;
  // Scalar registers written by a VALU (compares, readlane).
  if (!range.vector) {
    for (unsigned i = 0; i < range.count; ++i) {
      const Last &last = scalar[range.first + i];
      RegisterRange one = range;
      one.first += i;
      unsigned states = 0;
      const char *use = "read";
      bool byVector = last.writer == Writer::Vector;
      if (byVector && facts.isVmem) {
        states = 5;
        use = "read by vector memory";
      } else if (byVector && isLaneAccess(inst.op) && range.source == 1) {
        // Source 1 of v_readlane and v_writelane is the lane's number.
        states = 4;
        use = "selecting a lane";
      } else if (byVector && isDivFmas(inst.op) && range.source == -1) {
        states = 4;
      }
      if (states)
        if (std::string text = need(one, last.op, last.state, states, use);
            !text.empty())
          return text;
    }
    return "";
  }
  bool isDpp = inst.form == Form::Dpp && range.source == 0;
  for (unsigned i = 0; i < range.count; ++i) {
    const Last &last = vector[range.first + i];
    // The longest rule that is left here is 19 states (16 passes plus 3).
    if (last.writer == Writer::None || since(last.state) > 20)
      continue;
    RegisterRange one = range;
    one.first += i;
    std::string text;
    if (facts.isMatrix) {
      // C is compared as a whole.
      RegisterRange whole = range;
      if (i && last.op == vector[range.first].op)
        continue;
      whole.first += i;
      if (i)
        whole.count = 1;
      text = checkMatrixSource(facts, whole);
    } else if (last.writer == Writer::Matrix) {
      // VALU and memory may only read a finished result.
      bool memory = facts.isVmem || facts.isLds;
      unsigned states = last.isDouble ? (last.passes == 4 ? (memory ? 9 : 6)
                                                          : (memory ? 18 : 11))
                        : last.xdl    ? last.passes + 3
                                      : last.passes + 2;
      text = need(one, last.op, last.state, states, "read");
    } else if (facts.isVector) {
      // Transcendental and partial SDWA writes forward one state late, except
      // to another transcendental.
      bool transAfterTrans =
          last.op->inst->has(flag::Trans) && inst.has(flag::Trans);
      unsigned states = isDpp                            ? 2
                        : transAfterTrans                ? 0
                        : last.writer == Writer::Partial ? 1
                        : readsLane(inst.op)             ? 1
                                                         : 0;
      const char *use = isDpp ? "read by DPP" : "read";
      text = states ? need(one, last.op, last.state, states, use) : "";
    }
    if (!text.empty())
      return text;
  }
  return "";
}

/// Overwriting a result still in the matrix pipeline, C while an MFMA reads it,
/// or the data of a wide store.
std::string HazardChecker::checkWrite(const OpFacts &facts,
                                      const RegisterRange &range) const {
  if (!range.vector || facts.isMatrix)
    return "";
  for (unsigned i = 0; i < range.count; ++i) {
    const Last &last = vector[range.first + i];
    const Use &asC = readAsC[range.first + i];
    const Use &stored = storeData[range.first + i];
    RegisterRange one = range;
    one.first += i;
    std::string text;
    // A write must not overtake the matrix result.
    if (last.writer == Writer::Matrix && since(last.state) <= 20)
      text = need(one, last.op, last.state,
                  last.isDouble ? (last.passes == 4 ? 6 : 11)
                  : last.xdl    ? last.passes + 3
                                : last.passes + 2,
                  "overwritten");
    // The matrix core takes C pass by pass.
    if (text.empty() && asC.op && since(asC.state) <= 16)
      text = need(one, asC.op, asC.state, asC.passes - 1,
                  "overwritten (as C, still being read)");
    if (text.empty() && facts.isVector && stored.op && since(stored.state) <= 3)
      text = need(one, stored.op, stored.state, 2,
                  "overwritten (as data, still being read)");
    if (!text.empty())
      return text;
  }
  return "";
}

/// The first thing wrong, or empty.
std::string HazardChecker::check(const Op &op, const OpFacts &facts) {
  if (facts.isScalar || facts.isSmem)
    return "";
  // Plain vector code, with nothing of another kind near before it.
  // `reach` is the longest distance of a rule, so older instructions cannot
  // matter.
  bool plain = facts.isVector && !facts.isMatrix &&
               op.inst->form != Form::Dpp && !isLaneAccess(op.inst->op) &&
               !readsLane(op.inst->op) && !isDivFmas(op.inst->op);
  if (plain && since(lastSpecial) > reach)
    return "";
  // EXEC written by a VALU (v_cmpx) is not forwarded to MFMA and DPP.
  if (facts.isVector && (facts.isMatrix || op.inst->form == Form::Dpp)) {
    const Last &exec = scalar[ScalarReg::ExecLo];
    RegisterRange range;
    range.first = ScalarReg::ExecLo;
    range.count = 2;
    if (exec.writer == Writer::Vector)
      if (std::string text =
              need(range, exec.op, exec.state, facts.isMatrix ? 4 : 5,
                   facts.isMatrix ? "used by an MFMA" : "used by DPP");
          !text.empty())
        return text;
  }
  for (const RegisterRange &range : facts.reads)
    if (std::string text = checkRead(op, facts, range); !text.empty())
      return text;
  for (const RegisterRange &range : facts.writes)
    if (std::string text = checkWrite(facts, range); !text.empty())
      return text;
  return "";
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
    last.writer = inst.has(flag::Trans) || writesPart(inst) ? Writer::Partial
                                                            : Writer::Vector;
  else if (facts.isScalar)
    last.writer = Writer::Scalar;
  if (facts.isMatrix || last.writer == Writer::Partial || facts.isVmem)
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
                  inst.has(flag::Store) &&
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
  return inst.op == Opcode::s_nop ? unsigned(inst.imm & 0xf) + 1 : 1;
}

/// As if it had been issued \p age states ago: how PathChecker rebuilds a
/// state.
void HazardChecker::recall(const Op &op, const OpFacts &facts, unsigned age) {
  uint32_t now = state;
  state -= age;
  issue(op, facts);
  state = now;
}
