//===- Evaluator.cpp - Instructions on what is known ----------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// By families: memory brings data, scalar and vector instructions compute. The
// handlers run with all lanes on; EXEC decides afterwards which lanes of the
// result are written.
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"

#include "../Execute/Lanes/Handlers.h"

#include <cstdlib>
#include <cstring>

using namespace tlc::sim;
using namespace tlc::sim::predict;
using Condition = WaveState::Condition;
using O = Opcode;

struct Evaluator::Machine {
  static constexpr size_t words = size_t(512) * waveLanes;

  explicit Machine(uint32_t mode)
      : vgpr(static_cast<uint32_t *>(
            std::aligned_alloc(64, words * sizeof(uint32_t)))) {
    std::memset(vgpr, 0, words * sizeof(uint32_t));
    wave.vgpr = vgpr;
    wave.vgprCount = 512;
    wave.group = &group;
    wave.mode = mode;
    group.waves = &wave;
    group.waveCount = 1;
  }
  ~Machine() { std::free(vgpr); }

  Workgroup group;
  Wave wave;
  uint32_t *vgpr;
};

Evaluator::Evaluator(const KernelDescriptor &descriptor)
    : machine(std::make_unique<Machine>(descriptor.floatMode())) {}
Evaluator::~Evaluator() = default;

const OpFacts &Evaluator::factsOf(const Op &op) {
  auto it = facts.find(&op);
  if (it == facts.end())
    it = facts.emplace(&op, tlc::sim::factsOf(op)).first;
  return it->second;
}

namespace {

/// Names of masks by the instruction and its result.
LaneMask::Name nameOf(const Op &op, unsigned result) {
  return op.address * 4 + result;
}
constexpr unsigned dstResult = 1, execResult = 2;

bool isVectorKind(OperandKind kind) {
  return kind == OperandKind::Vector || kind == OperandKind::Accumulator;
}

/// Where control or register numbers come from data; no compiler for compute
/// emits most of these.
bool isNotFollowed(const Instruction &inst) {
  std::string_view name = mnemonic(inst.op);
  return name.starts_with("s_set_gpr_idx") || name == "s_setvskip" ||
         name.starts_with("s_movrel") || name == "s_swappc_b64" ||
         name == "s_setpc_b64" || name == "s_call_b64" ||
         name.starts_with("s_cbranch_g_fork") ||
         name.starts_with("s_cbranch_i_fork") ||
         name.starts_with("s_cbranch_join");
}

/// Reads or writes state of the machine that is no register.
bool isOutside(const Instruction &inst) {
  switch (inst.op) {
  case O::s_getpc_b64:
  case O::s_getreg_b32:
  case O::s_setreg_b32:
  case O::s_setreg_imm32_b32:
    return true;
  default:
    return false;
  }
}

struct LogicRow {
  Opcode op;
  MaskLogic logic;
  bool toExec; ///< source 0 with EXEC, which the result becomes
};
/// `first op second`; of the saveexec forms the second is EXEC.
constexpr LogicRow logicRows[] = {
    {O::s_and_b64, MaskLogic::And, false},
    {O::s_andn2_b64, MaskLogic::AndNot, false},
    {O::s_or_b64, MaskLogic::Or, false},
    {O::s_orn2_b64, MaskLogic::OrNot, false},
    {O::s_xor_b64, MaskLogic::Xor, false},
    {O::s_and_saveexec_b64, MaskLogic::And, true},
    {O::s_andn2_saveexec_b64, MaskLogic::AndNot, true},
    {O::s_or_saveexec_b64, MaskLogic::Or, true},
    {O::s_orn2_saveexec_b64, MaskLogic::OrNot, true},
    {O::s_xor_saveexec_b64, MaskLogic::Xor, true},
};

} // namespace

ValueRef Evaluator::source(const Op &op, unsigned i,
                           const WaveState &state) const {
  const Source &source = op.src[i];
  if (isVectorKind(source.kind))
    return state.readVector(source.index / waveLanes);
  if (source.kind == OperandKind::Scalar)
    return state.readScalar(source.index);
  if (source.kind >= OperandKind::InlineInt)
    return exactly(uint32_t(source.value));
  return common();
}

MaskRef Evaluator::maskSource(const Op &op, unsigned i,
                              const WaveState &state) const {
  const Source &source = op.src[i];
  if (source.kind == OperandKind::Scalar)
    return state.readMask(source.index);
  if (source.kind >= OperandKind::InlineInt)
    return exactMask(source.value);
  return unknownMask(op.address, 0);
}

std::optional<uint64_t> Evaluator::run(const Op &op, const WaveState &state,
                                       uint64_t &cause) {
  const Instruction &inst = *op.inst;
  const OpFacts &facts = factsOf(op);
  Wave &wave = machine->wave;
  uint64_t valid = ~uint64_t(0);
  if (inst.has(flag::ReadsSCC)) {
    if (state.scc != Condition::Zero && state.scc != Condition::One)
      return std::nullopt;
    wave.scc = state.scc == Condition::One;
  }
  for (const Source &source : op.src)
    if (source.kind == OperandKind::Special)
      return std::nullopt;
  for (const RegisterRange &range : facts.reads)
    for (unsigned i = 0; i < range.count; ++i) {
      unsigned reg = range.first + i;
      if (range.vector) {
        ValueRef value = state.readVector(reg);
        if (!value->isExact() || !value->valid) {
          cause = value->cause;
          return std::nullopt;
        }
        if (~value->valid)
          cause = value->cause;
        valid &= value->valid;
        std::memcpy(machine->vgpr + size_t(reg) * waveLanes, value->at,
                    sizeof(value->at));
        continue;
      }
      // Both halves of a mask, where its known lanes are enough.
      if (range.count == 2 && facts.isVector) {
        MaskRef mask = state.readMask(range.first);
        uint64_t known = mask->known, ones = mask->ones;
        if (state.exec()->isWithin(mask->under))
          known = mask->underKnown, ones = mask->underOnes;
        if (~known)
          cause = mask->cause;
        valid &= known;
        wave.setPair(range.first, ones);
        break;
      }
      ValueRef value = state.readScalar(reg);
      if (!value->isExact())
        return std::nullopt;
      wave.sgpr[reg] = value->first();
    }
  if (facts.isVector)
    wave.setPair(ScalarReg::ExecLo, ~uint64_t(0));
  wave.pc = &op;
  handlerTable().step(wave);
  if (wave.status == WaveStatus::Faulted) {
    machine->group.fault = Fault();
    return std::nullopt;
  }
  return valid;
}

ValueRef Evaluator::lanesOf(unsigned reg, uint64_t valid,
                            uint64_t cause) const {
  auto result = std::make_shared<LaneValue>();
  result->valid = valid;
  result->cause = cause;
  std::memcpy(result->at, machine->vgpr + size_t(reg) * waveLanes,
              sizeof(result->at));
  return result;
}

bool Evaluator::step(const StaticOp &row, WaveState &state) {
  const Op &op = *row.op;
  const Instruction &inst = *op.inst;
  if (isNotFollowed(inst))
    return false;
  if (inst.encoding == Encoding::SOPP)
    return true;
  const OpFacts &facts = factsOf(op);
  if (facts.isScalar)
    return scalar(op, state);
  if (facts.isVector) {
    vector(op, state);
    return true;
  }
  // What memory brings.
  for (const RegisterRange &range : facts.writes)
    for (unsigned i = 0; i < range.count; ++i)
      if (range.vector)
        state.writeVector(range.first + i, unknown(op.address), op.address);
      else
        state.writeScalar(range.first + i, common());
  return true;
}

bool Evaluator::scalar(const Op &op, WaveState &state) {
  const Instruction &inst = *op.inst;
  const OpFacts &facts = factsOf(op);
  uint64_t cause = 0;
  if (!isOutside(inst) && run(op, state, cause)) {
    const Wave &wave = machine->wave;
    for (const RegisterRange &range : facts.writes)
      for (unsigned i = 0; i < range.count; ++i)
        state.writeScalar(range.first + i, exactly(wave.sgpr[range.first + i]));
    if (inst.has(flag::WritesSCC))
      state.setScc(wave.scc);
    return true;
  }
  if (maskLogic(op, state))
    return true;
  ValueRef result = scalarResult(op, state);
  if (inst.has(flag::WritesSCC))
    state.scc = Condition::Unknown;
  for (const RegisterRange &range : facts.writes)
    for (unsigned i = 0; i < range.count; ++i)
      state.writeScalar(range.first + i, common());
  if (op.dstKind == OperandKind::Scalar && op.dstDwords == 1)
    state.writeScalar(op.dst, result);
  // An EXEC of which nothing is known still has a name.
  if (inst.has(flag::WritesEXEC) ||
      (op.dstKind == OperandKind::Scalar && op.dst == ScalarReg::ExecLo &&
       op.dstDwords == 2))
    state.writeMask(ScalarReg::ExecLo,
                    unknownMask(op.address, nameOf(op, execResult)));
  return true;
}

/// Operations on pairs of scalar registers that are masks.
bool Evaluator::maskLogic(const Op &op, WaveState &state) {
  MaskRef result;
  bool toExec = false;
  auto name = nameOf(op, dstResult);
  switch (op.inst->op) {
  case O::s_mov_b64:
    result = maskSource(op, 0, state);
    break;
  case O::s_not_b64:
    result = combine(MaskLogic::AndNot, exactMask(~uint64_t(0)),
                     maskSource(op, 0, state), name);
    break;
  case O::s_cselect_b64: {
    MaskRef a = maskSource(op, 0, state), b = maskSource(op, 1, state);
    if (state.scc == Condition::One || state.scc == Condition::Zero)
      result = state.scc == Condition::One ? a : b;
    else
      result = join(a, b, name);
    break;
  }
  default:
    for (const LogicRow &row : logicRows) {
      if (row.op != op.inst->op)
        continue;
      toExec = row.toExec;
      MaskRef a = maskSource(op, 0, state);
      MaskRef b = toExec ? state.exec() : maskSource(op, 1, state);
      if (toExec)
        name = nameOf(op, execResult);
      result = combine(row.logic, a, b, name);
    }
  }
  if (!result)
    return false;
  MaskRef before = state.exec();
  if (result->name == name)
    state.forget(name);
  // Copies made before may have carried the name that has just been given anew.
  if (op.inst->has(flag::WritesSCC)) {
    if (result->on())
      state.scc = Condition::One;
    else if (result->isExact())
      state.scc = Condition::Zero;
    else
      state.scc = Condition::Unknown;
  }
  if (toExec) {
    state.writeMask(op.dst, before->name == name ? state.exec() : before);
    state.writeMask(ScalarReg::ExecLo, result);
  } else {
    state.writeMask(op.dst, result);
  }
  return true;
}

ValueRef Evaluator::scalarResult(const Op &op, const WaveState &state) const {
  uint64_t cause = op.address;
  if (op.dstDwords != 1)
    return common();
  auto src = [&](unsigned i) { return source(op, i, state); };
  ValueRef result;
  switch (op.inst->op) {
  case O::s_mov_b32:
    return src(0);
  case O::s_add_u32:
  case O::s_add_i32:
    return add(src(0), src(1));
  case O::s_sub_u32:
  case O::s_sub_i32:
    return add(src(0), negate(src(1)));
  case O::s_addk_i32:
    return add(state.readScalar(op.dst), exactly(uint32_t(op.inst->imm)));
  case O::s_mul_i32:
    result = multiply(src(0), src(1), cause);
    break;
  case O::s_mulk_i32:
    result = multiply(state.readScalar(op.dst), exactly(uint32_t(op.inst->imm)),
                      cause);
    break;
  case O::s_lshl_b32:
    result = shiftLeft(src(0), src(1), cause);
    break;
  case O::s_lshr_b32:
  case O::s_ashr_i32:
    result = shiftRight(src(0), src(1), op.inst->op == O::s_ashr_i32, cause);
    break;
  case O::s_lshl1_add_u32:
  case O::s_lshl2_add_u32:
  case O::s_lshl3_add_u32:
  case O::s_lshl4_add_u32: {
    unsigned shift = 1 + unsigned(op.inst->op) - unsigned(O::s_lshl1_add_u32);
    return add(shiftLeft(src(0), exactly(shift), cause), src(1));
  }
  case O::s_and_b32:
    result = bitwise(Bitwise::And, src(0), src(1), cause);
    break;
  case O::s_or_b32:
    result = bitwise(Bitwise::Or, src(0), src(1), cause);
    break;
  case O::s_xor_b32:
    result = bitwise(Bitwise::Xor, src(0), src(1), cause);
    break;
  case O::s_cselect_b32:
  case O::s_min_i32:
  case O::s_min_u32:
  case O::s_max_i32:
  case O::s_max_u32:
    // One of the two.
    if (op.inst->has(flag::ReadsSCC) && state.scc == Condition::One)
      return src(0);
    if (op.inst->has(flag::ReadsSCC) && state.scc == Condition::Zero)
      return src(1);
    return join(src(0), src(1), cause);
  default:
    break;
  }
  return result && !~result->valid ? result : common();
}

/// Moves between lanes, and from lanes to scalars.
bool Evaluator::laneMoves(const Op &op, WaveState &state) {
  const Instruction &inst = *op.inst;
  MaskRef exec = state.exec();
  if (inst.op == O::v_readfirstlane_b32) {
    ValueRef v = source(op, 0, state);
    ValueRef active = restrictTo(v, exec->on() | exec->maybe(), op.address);
    uint64_t needed = exec->on() | exec->maybe();
    ValueRef result = common();
    bool first = exec->isExact() && exec->ones && (v->valid & exec->ones) &&
                 (v->valid >> std::countr_zero(exec->ones) & 1);
    if (first)
      result = everywhere(*v, std::countr_zero(exec->ones));
    else if (needed && !(needed & ~v->valid) && active->isUniform())
      result = everywhere(*active, std::countr_zero(needed));
    state.writeScalar(op.dst, result);
    return true;
  }
  if (inst.op == O::v_readlane_b32) {
    ValueRef v = source(op, 0, state), lane = source(op, 1, state);
    unsigned from = lane->first() & 63;
    bool known = lane->isExact() && v->valid >> from & 1;
    state.writeScalar(op.dst, known ? everywhere(*v, from) : common());
    return true;
  }
  if (inst.op == O::v_writelane_b32) {
    ValueRef v = source(op, 0, state), lane = source(op, 1, state);
    unsigned reg = op.dst / waveLanes;
    if (lane->isExact())
      state.writeLane(reg, lane->first() & 63, v);
    else
      state.writeVector(reg, unknown(op.address), op.address);
    return true;
  }
  return false;
}

/// Compares, and carries: a result for each lane in a pair of scalars.
void Evaluator::compare(const Op &op, WaveState &state) {
  const Instruction &inst = *op.inst;
  const OpFacts &facts = factsOf(op);
  unsigned reg = 0;
  for (const RegisterRange &range : facts.writes)
    if (!range.vector && range.first != ScalarReg::ExecLo)
      reg = range.first;
  bool writesExec = inst.has(flag::WritesEXEC);
  MaskRef exec = state.exec();
  auto name = nameOf(op, dstResult);
  auto result = std::make_shared<LaneMask>();
  result->cause = op.address;
  uint64_t valid = 0, ones = 0, cause = 0;
  // As carries of sums are not used for addresses, only numbers are compared.
  if (auto known = run(op, state, cause)) {
    valid = *known;
    ones = machine->wave.pair(reg) & valid;
    for (const RegisterRange &range : facts.writes)
      for (unsigned i = 0; range.vector && i < range.count; ++i)
        state.writeVector(range.first + i,
                          lanesOf(range.first + i, valid, cause), op.address);
  } else {
    ValueRef a = source(op, 0, state), b = source(op, 1, state);
    result->together = inst.encoding == Encoding::VOPC &&
                       op.src[0].dwords == 1 && !~a->valid && !~b->valid &&
                       a->isUniform() && b->isUniform();
    if (~a->valid)
      cause = a->cause;
    else if (~b->valid)
      cause = b->cause;
    ValueRef value = unknown(cause ? cause : op.address);
    if (op.dstKind != OperandKind::None && isVectorKind(op.dstKind)) {
      bool sum = inst.op == O::v_add_co_u32;
      if (sum || inst.op == O::v_sub_co_u32)
        value = add(a, sum ? b : negate(b));
      for (unsigned i = 0; i < op.dstDwords; ++i)
        state.writeVector(op.dst / waveLanes + i,
                          i ? unknown(op.address) : value, op.address);
    }
  }
  if (cause)
    result->cause = cause;
  result->known =
      (valid & exec->on()) | exec->off() | (valid & exec->maybe() & ~ones);
  result->ones = ones & exec->on();
  MaskRef mask = result;
  if (!result->isExact()) {
    result->name = name;
    if (exec->name)
      result->above.push_back(exec->name);
    result->above.insert(result->above.end(), exec->above.begin(),
                         exec->above.end());
    std::erase(result->above, name);
    if (exec->name != name)
      result->under = exec->name;
    result->underKnown = valid;
    result->underOnes = ones;
    bool wholeExec = exec->together && !exec->on();
    if (valid)
      result->together = !(~valid & ~exec->off()) && wholeExec;
    else
      result->together &= exec->isExact() || wholeExec;
    state.forget(name);
  }
  state.writeMask(reg, mask);
  if (writesExec)
    state.writeMask(ScalarReg::ExecLo, mask);
}

/// v_cndmask: source 1 where the mask is on.
ValueRef Evaluator::select(const Op &op, const WaveState &state) {
  ValueRef a = source(op, 0, state), b = source(op, 1, state);
  MaskRef exec = state.exec(), mask = maskSource(op, 2, state);
  uint64_t known = mask->known, ones = mask->ones & known;
  if (exec->isWithin(mask->under))
    known = mask->underKnown, ones = mask->underOnes & known;
  uint64_t needed = exec->on() | exec->maybe();
  uint64_t cause = mask->cause ? mask->cause : op.address;
  if (!(needed & ~(ones | ~known)) && !(needed & ~known))
    return b;
  if (!(needed & ones) && !(needed & ~known))
    return a;
  if (mask->together && !(needed & known & ones))
    return join(a, b, cause);
  if (!a->isExact() || !b->isExact())
    return same(a, b) ? a
                      : unknown(~a->valid   ? a->cause
                                : ~b->valid ? b->cause
                                            : cause);
  auto result = std::make_shared<LaneValue>();
  result->cause = ~b->valid ? b->cause : ~a->valid ? a->cause : cause;
  for (unsigned l = 0; l < waveLanes; ++l) {
    bool fromB = ones >> l & 1, isKnown = known >> l & 1;
    bool validA = a->valid >> l & 1, validB = b->valid >> l & 1;
    result->at[l] = fromB ? b->at[l] : a->at[l];
    bool valid = isKnown ? (fromB ? validB : validA)
                         : validA && validB && a->at[l] == b->at[l];
    result->valid |= uint64_t(valid) << l;
  }
  return result;
}

/// The low dword of an operation on values with a common part.
ValueRef Evaluator::vectorResult(const Op &op, const WaveState &state) {
  const Instruction &inst = *op.inst;
  uint64_t cause = op.address;
  auto src = [&](unsigned i) { return source(op, i, state); };
  // The first operand that is not known at all is to blame.
  bool uniform = inst.form != Form::Dpp && !factsOf(op).allLanes;
  for (unsigned i = 0; i < 4; ++i) {
    if (op.src[i].kind == OperandKind::None)
      continue;
    ValueRef value = src(i);
    if (!value->valid)
      return unknown(value->cause);
    uniform &= value->isUniform() && !~value->valid;
  }
  bool plain = inst.form == Form::Plain || inst.form == Form::Vop3;
  if (plain && !inst.neg && !inst.abs && !inst.clamp && !inst.opSel)
    switch (inst.op) {
    case O::v_mov_b32:
    case O::v_accvgpr_read_b32:
    case O::v_accvgpr_write_b32:
    case O::v_accvgpr_mov_b32:
    case O::v_mov_b64:
      return src(0);
    case O::v_add_u32:
      return add(src(0), src(1));
    case O::v_sub_u32:
      return add(src(0), negate(src(1)));
    case O::v_subrev_u32:
      return add(src(1), negate(src(0)));
    case O::v_add3_u32:
      return add(add(src(0), src(1)), src(2));
    case O::v_lshlrev_b32:
      return shiftLeft(src(1), src(0), cause);
    case O::v_lshrrev_b32:
      return shiftRight(src(1), src(0), false, cause);
    case O::v_ashrrev_i32:
      return shiftRight(src(1), src(0), true, cause);
    case O::v_lshl_add_u32:
    case O::v_lshl_add_u64:
      return add(shiftLeft(src(0), src(1), cause), src(2));
    case O::v_add_lshl_u32:
      return shiftLeft(add(src(0), src(1)), src(2), cause);
    case O::v_lshl_or_b32:
      return bitwise(Bitwise::Or, shiftLeft(src(0), src(1), cause), src(2),
                     cause);
    case O::v_and_or_b32:
      return bitwise(Bitwise::Or, bitwise(Bitwise::And, src(0), src(1), cause),
                     src(2), cause);
    case O::v_or3_b32:
      return bitwise(Bitwise::Or, bitwise(Bitwise::Or, src(0), src(1), cause),
                     src(2), cause);
    case O::v_xad_u32:
      return add(bitwise(Bitwise::Xor, src(0), src(1), cause), src(2));
    case O::v_and_b32:
      return bitwise(Bitwise::And, src(0), src(1), cause);
    case O::v_or_b32:
      return bitwise(Bitwise::Or, src(0), src(1), cause);
    case O::v_xor_b32:
      return bitwise(Bitwise::Xor, src(0), src(1), cause);
    case O::v_mul_u32_u24:
    case O::v_mul_i32_i24:
    case O::v_mul_lo_u32:
      return multiply(src(0), src(1), cause);
    case O::v_mad_u32_u24:
    case O::v_mad_i32_i24:
    case O::v_mad_u64_u32:
      return add(multiply(src(0), src(1), cause), src(2));
    case O::v_bfe_u32: {
      ValueRef width = src(2);
      if (width->isExact() && width->isUniform() && width->first() < 32)
        return bitwise(Bitwise::And, shiftRight(src(0), src(1), false, cause),
                       exactly((1u << width->first()) - 1), cause);
      break;
    }
    case O::v_min_u32:
    case O::v_min_i32:
    case O::v_max_u32:
    case O::v_max_i32:
      break;
    default:
      break;
    }
  return uniform ? common() : unknown(cause);
}

void Evaluator::vector(const Op &op, WaveState &state) {
  const Instruction &inst = *op.inst;
  const OpFacts &facts = factsOf(op);
  if (laneMoves(op, state))
    return;
  bool toScalar = false;
  for (const RegisterRange &range : facts.writes)
    toScalar |= !range.vector;
  if (toScalar)
    return compare(op, state);
  auto write = [&](unsigned reg, ValueRef value) {
    state.writeVector(reg, std::move(value), op.address);
  };
  if (inst.op == O::v_cndmask_b32 && inst.form != Form::Sdwa &&
      inst.form != Form::Dpp && !inst.neg && !inst.abs) {
    write(op.dst / waveLanes, select(op, state));
    return;
  }
  // Lanes that read others need to know all of them.
  MaskRef exec = state.exec();
  bool crosses = facts.allLanes || inst.form == Form::Dpp;
  uint64_t cause = 0;
  std::optional<uint64_t> valid;
  if (!facts.isMatrix)
    valid = run(op, state, cause);
  if (valid && crosses && (~*valid || !exec->isExact() || ~exec->ones))
    valid = std::nullopt;
  for (const RegisterRange &range : facts.writes)
    for (unsigned i = 0; i < range.count; ++i) {
      unsigned reg = range.first + i;
      if (valid)
        write(reg, lanesOf(reg, *valid, cause));
      else if (i == 0 && !facts.isMatrix && !crosses)
        write(reg, vectorResult(op, state));
      else
        write(reg, unknown(cause ? cause : op.address));
    }
}
