//===- StaticOp.cpp - What the model knows of an instruction --------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StaticOp.h"

#include "tlc/Simulator/Timing/Parameters.h"

#include <algorithm>

using namespace tlc::sim;

namespace {

/// The most that the counters of s_waitcnt count.
constexpr uint8_t mostVector = 63, mostOther = 15;

/// Products that need several passes of the 24-bit multipliers.
bool isWideMultiply(Opcode op) {
  switch (op) {
  case Opcode::v_mul_lo_u32:
  case Opcode::v_mul_hi_u32:
  case Opcode::v_mul_hi_i32:
  case Opcode::v_mad_u64_u32:
  case Opcode::v_mad_i64_i32:
    return true;
  default:
    return false;
  }
}

/// Two results a lane: the SIMD takes them at the normal rate, but a single
/// wavefront cannot issue the next as soon.
bool isPackedSingle(const Instruction &inst) {
  return inst.op == Opcode::v_pk_fma_f32 || inst.op == Opcode::v_pk_mul_f32 ||
         inst.op == Opcode::v_pk_add_f32;
}

/// vectorCycles: how long the SIMD's vector ALU is taken. waveCycles: how long
/// until the wavefront's next vector operation.
void vectorFacts(const Instruction &inst, const OpFacts &facts, StaticOp &row) {
  row.kind = IssueKind::Vector;
  row.vectorCycles = row.waveCycles = param::vectorCycles;
  if (facts.isMatrix) {
    row.kind = IssueKind::Matrix;
    row.matrixCycles = facts.passes * param::passCycles;
    row.vectorCycles = inst.has(flag::Sparse) ? param::sparseIssueCycles
                                              : param::matrixIssueCycles;
    // f32 and f64 use the vector ALU's multipliers.
    if (!facts.isXdl)
      row.vectorCycles = row.matrixCycles;
    row.waveCycles = row.vectorCycles;
  } else if (inst.has(flag::Trans)) {
    row.kind = IssueKind::Transcendental;
    row.vectorCycles = row.waveCycles = inst.src[0].type == DataType::F64
                                            ? param::transDoubleCycles
                                            : param::transCycles;
  } else if (isWideMultiply(inst.op)) {
    row.vectorCycles = row.waveCycles = param::multiplyCycles;
  } else if (isPackedSingle(inst)) {
    row.waveCycles = param::packedWaveCycles;
  }
}

/// ldsIn and ldsOut are cycles at the port that two SIMDs share; the banks'
/// cycles depend on addresses and are recorded.
void ldsFacts(const Instruction &inst, const OpFacts &facts, StaticOp &row) {
  row.kind = IssueKind::Lds;
  row.payload = Payload::Lds;
  row.isAtomic = inst.has(flag::Atomic);
  row.ldsDirection = row.isAtomic            ? tlc::LdsDirection::Atomic
                     : inst.has(flag::Store) ? tlc::LdsDirection::Write
                                             : tlc::LdsDirection::Read;
  row.laneBytes = facts.laneBytes;
  if (facts.farOffsets)
    row.offsetStride = 64;
  // Addresses and data of 64 lanes go in, results come out. An operand that
  // is not there takes nothing.
  constexpr unsigned dwordCycles = 64 * 4 / param::ldsPortBytes;
  unsigned in = 0;
  for (unsigned i = 0; i < 3; ++i)
    if (inst.src[i].kind == OperandKind::Vector ||
        inst.src[i].kind == OperandKind::Accumulator)
      in += std::max<unsigned>(1, inst.src[i].dwords);
  row.ldsIn = in * dwordCycles;
  row.ldsOut = inst.dst.isNone() ? 0 : inst.dst.dwords * dwordCycles;
}

// Special encodings that the issue logic handles itself.
void scalarFacts(const Instruction &inst, StaticOp &row) {
  switch (inst.op) {
  case Opcode::s_nop:
    row.kind = IssueKind::Internal;
    row.special = Special::Nop;
    row.idleCycles = ((inst.imm & 0xf) + 1) * param::issuePeriod;
    return;
  case Opcode::s_sleep:
    row.kind = IssueKind::Internal;
    row.special = Special::Nop;
    // Even no step of sleep takes the wavefront's issue slot.
    row.idleCycles = std::max<unsigned>(param::issuePeriod,
                                        (inst.imm & 0x7f) * param::sleepCycles);
    return;
  case Opcode::s_waitcnt:
    row.kind = IssueKind::Internal;
    row.special = Special::WaitCnt;
    row.waitVector =
        inst.vmcnt() == mostVector ? StaticOp::anyNumber : inst.vmcnt();
    row.waitOther =
        inst.lgkmcnt() == mostOther ? StaticOp::anyNumber : inst.lgkmcnt();
    return;
  case Opcode::s_barrier:
    row.kind = IssueKind::Internal;
    row.special = Special::Barrier;
    return;
  case Opcode::s_setprio:
    row.kind = IssueKind::Internal;
    row.special = Special::Priority;
    row.priority = inst.imm & 3;
    return;
  default:
    break;
  }
  if (inst.has(flag::EndsProgram)) {
    row.kind = IssueKind::Internal;
    row.special = Special::End;
  } else if (inst.has(flag::Branch) || inst.op == Opcode::s_setpc_b64 ||
             inst.op == Opcode::s_swappc_b64) {
    row.kind = IssueKind::Branch;
  } else {
    row.kind = inst.encoding == Encoding::SOPP ? IssueKind::Internal
                                               : IssueKind::Scalar;
  }
}

/// One instruction of each issues at a time; 0: as many as there are
/// wavefronts.
uint8_t categoryOf(IssueKind kind) {
  switch (kind) {
  case IssueKind::Matrix:
  case IssueKind::Vector:
  case IssueKind::Transcendental:
    return StaticOp::usesVectorAlu;
  case IssueKind::Scalar:
  case IssueKind::ScalarMemory:
    return 2;
  case IssueKind::VectorMemory:
    return 4;
  case IssueKind::Lds:
    return 8;
  case IssueKind::Branch:
    return 16;
  default:
    return 0;
  }
}

/// By unit: scalar memory, LDS, vector memory, vector ALU, and what is left is
/// scalar.
StaticOp factsFor(const Op &op) {
  const Instruction &inst = *op.inst;
  OpFacts facts = factsOf(op);
  StaticOp row;
  row.op = &op;
  row.sizeBytes = inst.sizeBytes;
  row.changesLanes = inst.has(flag::WritesEXEC);
  for (const RegisterRange &range : facts.writes)
    row.changesLanes |= !range.vector && range.first <= ScalarReg::ExecHi &&
                        range.first + range.count > ScalarReg::ExecLo;
  if (facts.isSmem) {
    row.kind = IssueKind::ScalarMemory;
    row.payload = Payload::Scalar;
    row.isStore = inst.has(flag::Store);
  } else if (facts.isLds) {
    ldsFacts(inst, facts, row);
  } else if (facts.isVmem) {
    row.kind = IssueKind::VectorMemory;
    row.payload = Payload::Vector;
    row.isStore = inst.has(flag::Store);
    row.isAtomic = inst.has(flag::Atomic);
    // sc1, nt and atomics are served by L2.
    row.bypassesL1 = inst.sc1 || inst.nt || row.isAtomic;
    row.toLds = facts.toLds || inst.lds;
    row.laneBytes = facts.laneBytes;
    facts.toLds = false; // one side is enough
    row.facts = std::make_shared<OpFacts>(std::move(facts));
  } else if (facts.isVector) {
    vectorFacts(inst, facts, row);
  } else {
    scalarFacts(inst, row);
  }
  // An operation is counted: one less may be on its way before it.
  if (row.payload == Payload::Vector)
    row.waitVector = mostVector - 1;
  else if (row.payload != Payload::None)
    row.waitOther = mostOther - 1;
  row.words = 1 + payloadWords(row.payload);
  row.category = categoryOf(row.kind);
  row.isLocal = row.payload == Payload::None &&
                row.special != Special::Barrier && row.special != Special::End;
  row.staysInCu = row.isLocal || row.payload == Payload::Lds;
  row.staysInUnit = row.staysInCu || row.special == Special::Barrier;
  return row;
}

} // namespace

/// A row for each dword of the code; most stay empty.
CodeTable::CodeTable(Program &program)
    : base(program.base()), rows(program.bytes().size() / 4 + 1),
      known(new std::atomic<bool>[rows.size()]()) {}

/// Nothing of its execution but its number has to be known.
static bool isStraight(const StaticOp &row) {
  if (row.payload != Payload::None || row.kind == IssueKind::Branch)
    return false;
  return row.kind != IssueKind::Internal || row.special == Special::WaitCnt ||
         row.special == Special::Priority || row.op->inst->op == Opcode::s_nop;
}

/// What may be the last of a straight piece.
static bool endsStraight(const StaticOp &row) {
  return row.kind == IssueKind::Branch || row.special == Special::Barrier;
}

/// Takes a turn and nothing else that lasts longer.
static bool isPlain(const StaticOp &row) {
  if (row.sizeBytes != 4 || row.special != Special::None)
    return false;
  return row.kind == IssueKind::Scalar ||
         (row.kind == IssueKind::Vector &&
          row.vectorCycles <= param::issuePeriod &&
          row.waveCycles <= param::issuePeriod);
}

/// Rows are published with `known`; `straight` is counted backwards from the
/// end of the piece.
const StaticOp &CodeTable::learn(const Op &op) {
  uint32_t index = indexOf(op);
  if (known[index].load(std::memory_order_acquire))
    return rows[index];
  // The rest of the straight piece along with it.
  std::lock_guard lock(mutex);
  constexpr unsigned longest = 256;
  const Op *last = &op;
  unsigned count = 0;
  for (;; ++last) {
    uint32_t at = indexOf(*last);
    if (last->inst->op == Opcode::Invalid ||
        known[at].load(std::memory_order_relaxed))
      break;
    rows[at] = factsFor(*last);
    // Shared numbers, beyond 65,536, cost time only.
    if (rows[at].payload == Payload::Lds)
      rows[at].ldsNumber = ldsCount++;
    ++count;
    if (!isStraight(rows[at]) || count == longest)
      break;
  }
  // The piece may go on into code that is known already.
  StaticOp behind;
  if (count && last->inst->op != Opcode::Invalid &&
      known[indexOf(*last)].load(std::memory_order_relaxed))
    behind = rows[indexOf(*last)];
  unsigned straight = std::min<unsigned>(behind.straight, longest);
  bool joins = behind.plain <= longest;
  unsigned plain = joins ? behind.plain : 0;
  unsigned plainVector = joins ? behind.plainVector : 0;
  const StaticOp *next = behind.op ? &behind : nullptr;
  for (const Op *at = &op + count; at-- != &op;) {
    StaticOp &row = rows[indexOf(*at)];
    // What a vector instruction writes to EXEC is not for itself.
    bool ends = row.changesLanes && row.category == StaticOp::usesVectorAlu;
    if (next && !next->changesLanes && !ends)
      row.sameLanes = uint8_t(std::min(255, next->sameLanes + 1));
    next = &row;
    bool goesOn = isStraight(row);
    straight = goesOn ? straight + 1 : endsStraight(row);
    row.straight = uint16_t(straight);
    bool more = goesOn && isPlain(row);
    row.plain = plain = more ? plain + 1 : 0;
    plainVector += row.category == StaticOp::usesVectorAlu;
    row.plainVector = plainVector = more ? plainVector : 0;
    known[indexOf(*at)].store(true, std::memory_order_release);
  }
  return rows[index];
}
