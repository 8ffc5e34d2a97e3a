//===- ScalarControl.cpp - Branches, waits, barriers, modes ---------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SOPP and what else steers the wavefront: calls, hardware registers, indexed
// VGPRs. Waits do nothing: memory operations complete in order here; the
// checkers see them.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "LaneOps.h"

namespace tlc::sim::TLC_SIM_ISA {
namespace {

void nothing(Wave &, const Op &) {}

/// Modes are taken up when a turn begins: begin another.
void restart(Wave &w) { w.stop(WaveStatus::Ready); }

/// To a device address, which is decoded on demand; outside the code the run
/// ends.
void jump(Wave &w, const Op &op, u64 address) {
  if (const Op *target = instructionAt(*w.group->program, address)) {
    w.pc = target;
    return;
  }
  Fault fault;
  fault.kind = "jump-out-of-code";
  fault.address = address;
  raise(w, op, fault);
}

/// Direct branches were resolved when the code was decoded; the target is null
/// if it lies outside the code, which jump() reports.
void branch(Wave &w, const Op &op) {
  if (op.target)
    w.pc = op.target;
  else
    jump(w, op, op.inst->branchTarget(op.address));
}
template <auto Condition> void branchIf(Wave &w, const Op &op) {
  if (Condition(w))
    branch(w, op);
}

/// What a call saves: the address behind itself.
u64 nextAddress(const Op &op) { return op.address + op.inst->sizeBytes; }

void getPc(Wave &w, const Op &op) { w.setPair(op.dst, nextAddress(op)); }
void setPc(Wave &w, const Op &op) { jump(w, op, scalar64(w, op.src[0])); }
/// The target is read first: source and destination may be the same pair.
void swapPc(Wave &w, const Op &op) {
  u64 target = scalar64(w, op.src[0]);
  w.setPair(op.dst, nextAddress(op));
  jump(w, op, target);
}
void call(Wave &w, const Op &op) {
  w.setPair(op.dst, nextAddress(op));
  branch(w, op);
}

//===--- Fork and join ----------------------------------------------------===//

// A stack in the first scalar registers, four for an entry: the lanes that are
// still to go the other way, and where to. MODE holds its depth.
constexpr unsigned stackShift = 29;
unsigned stackDepth(const Wave &w) { return w.mode >> stackShift; }
void setStackDepth(Wave &w, unsigned depth) {
  constexpr u32 others = (u32(1) << stackShift) - 1;
  w.mode = (w.mode & others) | depth << stackShift;
}

/// The depth has three bits, and a program may begin in the middle.
constexpr unsigned stackEntries = 7;
void badStack(Wave &w, const Op &op, const char *why) {
  Fault fault;
  fault.kind = "fork-stack";
  fault.detail = why;
  raise(w, op, fault);
}

/// Lanes of \p mask go to \p target, the others on; the fewer first.
void fork(Wave &w, const Op &op, u64 mask, u64 target) {
  u64 exec = w.exec(), pass = mask & exec, fail = ~mask & exec;
  // All lanes agree: no entry.
  if (pass == exec)
    return jump(w, op, target);
  if (fail == exec)
    return;
  // With the smaller group first, each entry at least halves the lanes; six
  // entries are enough for 64.
  bool passWaits = __builtin_popcountll(fail) < __builtin_popcountll(pass);
  unsigned depth = stackDepth(w), entry = depth * 4;
  if (depth >= stackEntries)
    return badStack(w, op,
                    "more forks without a join than the stack has room for");
  w.setPair(entry, passWaits ? pass : fail);
  w.setPair(entry + 2, passWaits ? target : nextAddress(op));
  setStackDepth(w, depth + 1);
  w.setPair(ScalarReg::ExecLo, passWaits ? fail : pass);
  if (!passWaits)
    jump(w, op, target);
}
void forkTo(Wave &w, const Op &op) {
  fork(w, op, scalar64(w, op.src[0]), scalar64(w, op.src[1]));
}
void forkFixed(Wave &w, const Op &op) {
  fork(w, op, scalar64(w, op.src[0]), op.inst->branchTarget(op.address));
}
/// The first time at a join the other lanes take their way.
void join(Wave &w, const Op &op) {
  unsigned depth = stackDepth(w);
  // The source holds the depth that the program had before the fork; at that
  // depth all have arrived.
  if (depth == (scalar32(w, op.src[0]) & 7))
    return;
  if (depth == 0)
    return badStack(w, op, "a join without a fork");
  setStackDepth(w, depth - 1);
  unsigned entry = stackDepth(w) * 4;
  w.setPair(ScalarReg::ExecLo, w.pair(entry));
  jump(w, op, w.pair(entry + 2));
}

// These end the turn; the scheduler looks at the status.
void endProgram(Wave &w, const Op &) { w.stop(WaveStatus::Done); }
void barrier(Wave &w, const Op &) { w.stop(WaveStatus::Barrier); }
// s_sleep gives other wavefronts a turn; how long it lasts is for the timing
// model.
void yield(Wave &w, const Op &) { w.stop(WaveStatus::Yielded); }

/// s_setkill with bit 0 set ends the wavefront.
void kill(Wave &w, const Op &op) {
  if (op.inst->imm & 1)
    w.stop(WaveStatus::Done);
}
/// No debugger would ever let it go on, so the run ends with a message.
void halt(Wave &w, const Op &op) {
  if (!(op.inst->imm & 1))
    return;
  Fault fault;
  fault.kind = "halt";
  fault.detail = "the wavefront halts for a debugger (s_sethalt)";
  raise(w, op, fault);
}
/// As `halt`, after a message that nobody receives.
void messageAndHalt(Wave &w, const Op &op) {
  Fault fault;
  fault.kind = "halt";
  fault.detail = "the wavefront halts for a debugger (s_sendmsghalt)";
  raise(w, op, fault);
}
void trap(Wave &w, const Op &op) {
  // No trap handler is installed; 2 is what llvm.trap and assert use.
  Fault fault;
  fault.kind = "trap";
  fault.detail = "the program stopped itself (s_trap)";
  raise(w, op, fault);
}
void sendMessage(Wave &w, const Op &op) {
  unsigned message = op.inst->imm & 0xf;
  // Interrupts, as hand-written code raises before its trap, reach nobody;
  // deallocating registers early is a hint.
  if (message == 1 || message == 3)
    return;
  Fault fault;
  fault.kind = "unsupported-instruction";
  fault.detail = "message to hardware that is not simulated";
  raise(w, op, fault);
}

//===--- Hardware registers -----------------------------------------------===//

// Numbers of s_getreg and s_setreg that have a meaning to a program.
constexpr unsigned hwMode = 1, hwStatus = 2, hwTrapStatus = 3, hwId = 4,
                   hwGprAlloc = 5, hwLdsAlloc = 6, hwXccId = 20;

/// False for registers that mean nothing here. hwId is made up: consistent, as
/// if each workgroup had a compute unit of its own.
bool readHardware(Wave &w, unsigned id, u32 &value) {
  switch (id) {
  case hwMode:
    value = w.mode;
    return true;
  // SCC in bit 0, EXECZ in 9, VCCZ in 10, VALID in 16.
  case hwStatus:
    value = (w.scc ? 1 : 0) | (w.exec() == 0 ? 1u << 9 : 0) |
            (w.vcc() == 0 ? 1u << 10 : 0) | 1u << 16;
    return true;
  case hwTrapStatus:
    value = w.trapStatus;
    return true;
  case hwId:
    // Wavefront, SIMD and compute unit, one workgroup per unit.
    value = (w.number / 4 & 0xf) | (w.number % 4) << 4 |
            u32(w.group->linearId & 0xf) << 8;
    return true;
  case hwGprAlloc:
    // Sizes in the granules of the hardware: registers by 8 less one, LDS by
    // 512 bytes.
    value = (w.vgprCount / 8 - 1) << 8;
    return true;
  case hwLdsAlloc:
    value = (w.group->ldsBytes + 511) / 512 << 12;
    return true;
  // Workgroups go to the eight XCDs in turn.
  case hwXccId:
    value = u32(w.group->linearId % 8);
    return true;
  }
  return false;
}

/// Offset and size of a field are in the instruction's constant.
u32 fieldMask(const Instruction &inst) {
  return u32((u64(1) << inst.hwregSize()) - 1) << inst.hwregOffset();
}

/// To return a made-up value would let the program go wrong silently.
void unknownHardware(Wave &w, const Op &op) {
  Fault fault;
  fault.kind = "unsupported-instruction";
  fault.detail = "hardware register that is not simulated";
  raise(w, op, fault);
}
void getReg(Wave &w, const Op &op) {
  const Instruction &inst = *op.inst;
  u32 value;
  if (!readHardware(w, inst.hwregId(), value))
    return unknownHardware(w, op);
  w.sgpr[op.dst] = (value & fieldMask(inst)) >> inst.hwregOffset();
}
/// Writes the field that the instruction names. MODE takes effect with the next
/// turn, which begins at once.
void setRegValue(Wave &w, const Op &op, u32 value) {
  const Instruction &inst = *op.inst;
  u32 mask = fieldMask(inst);
  u32 field = value << inst.hwregOffset() & mask;
  switch (inst.hwregId()) {
  case hwMode:
    w.mode = (w.mode & ~mask) | field;
    // Bits of MODE that operations look at are kept apart.
    w.dx10Clamp = w.mode >> 8 & 1;
    w.ieee = w.mode >> 9 & 1;
    return restart(w);
  case hwTrapStatus:
    w.trapStatus = (w.trapStatus & ~mask) | field;
    return;
  default:
    return unknownHardware(w, op);
  }
}
void setReg(Wave &w, const Op &op) {
  setRegValue(w, op, scalar32(w, op.src[0]));
}
void setRegConstant(Wave &w, const Op &op) {
  setRegValue(w, op, op.inst->literal);
}

//===--- Indexed VGPRs, vector skip ---------------------------------------===//

/// s_set_gpr_idx: the mask says which of src0 to src2 and dst are moved; M0
/// holds the index in bits 7:0 and the mask in 15:12.
void setIndexing(Wave &w, bool on, u32 mask) {
  w.gprIndexing = on;
  w.gprIndexMask = mask & 0xf;
  restart(w);
}
/// s_set_gpr_idx_on: index from the source, mask from the constant, both into
/// M0.
void indexOn(Wave &w, const Op &op) {
  u32 index = scalar32(w, op.src[0]) & 0xff;
  u32 &m0 = w.sgpr[ScalarReg::M0];
  m0 = (m0 & 0xffff0f00) | index | (u32(op.inst->imm) & 0xf) << 12;
  setIndexing(w, true, op.inst->imm);
}
void indexOff(Wave &w, const Op &) { setIndexing(w, false, 0); }
void indexMode(Wave &w, const Op &op) {
  u32 &m0 = w.sgpr[ScalarReg::M0];
  m0 = (m0 & 0xffff0fff) | (u32(op.inst->imm) & 0xf) << 12;
  setIndexing(w, w.gprIndexing, op.inst->imm);
}
void indexValue(Wave &w, const Op &op) {
  u32 &m0 = w.sgpr[ScalarReg::M0];
  m0 = (m0 & 0xffffff00) | (scalar32(w, op.src[0]) & 0xff);
}
/// s_setvskip: vector instructions are passed over while it is on.
void vectorSkip(Wave &w, const Op &op) {
  u32 bit = scalar32(w, op.src[1]) & 31;
  w.skipVector = scalar32(w, op.src[0]) >> bit & 1;
  restart(w);
}

// Conditions of branches.
constexpr auto sccClear = [](Wave &w) { return !w.scc; };
constexpr auto sccSet = [](Wave &w) { return w.scc; };
constexpr auto vccZero = [](Wave &w) { return w.vcc() == 0; };
constexpr auto vccSome = [](Wave &w) { return w.vcc() != 0; };
constexpr auto execZero = [](Wave &w) { return w.exec() == 0; };
constexpr auto execSome = [](Wave &w) { return w.exec() != 0; };

using O = Opcode;
constexpr Handler rows[] = {
    {O::s_nop, nothing},
    {O::s_endpgm, endProgram},
    {O::s_endpgm_saved, endProgram},
    {O::s_endpgm_ordered_ps_done, endProgram},
    {O::s_setkill, kill},
    {O::s_sethalt, halt},
    {O::s_sendmsghalt, messageAndHalt},
    {O::s_cbranch_g_fork, forkTo},
    {O::s_cbranch_i_fork, forkFixed},
    {O::s_cbranch_join, join},
    {O::s_branch, branch},
    {O::s_wakeup, nothing},
    {O::s_cbranch_scc0, branchIf<sccClear>},
    {O::s_cbranch_scc1, branchIf<sccSet>},
    {O::s_cbranch_vccz, branchIf<vccZero>},
    {O::s_cbranch_vccnz, branchIf<vccSome>},
    {O::s_cbranch_execz, branchIf<execZero>},
    {O::s_cbranch_execnz, branchIf<execSome>},
    // No debugger is attached.
    {O::s_cbranch_cdbgsys, nothing},
    {O::s_cbranch_cdbguser, nothing},
    {O::s_cbranch_cdbgsys_or_user, nothing},
    {O::s_cbranch_cdbgsys_and_user, nothing},
    {O::s_barrier, barrier},
    // Hints and waits do nothing; s_setprio matters to the timing model only.
    {O::s_waitcnt, nothing},
    {O::s_sleep, yield},
    {O::s_setprio, nothing},
    {O::s_sendmsg, sendMessage},
    {O::s_trap, trap},
    {O::s_icache_inv, nothing},
    {O::s_incperflevel, nothing},
    {O::s_decperflevel, nothing},
    {O::s_ttracedata, nothing},
    {O::s_set_gpr_idx_off, indexOff},
    {O::s_set_gpr_idx_mode, indexMode},
    {O::s_set_gpr_idx_on, indexOn},
    {O::s_set_gpr_idx_idx, indexValue},
    {O::s_setvskip, vectorSkip},
    {O::s_getpc_b64, getPc},
    {O::s_setpc_b64, setPc},
    {O::s_swappc_b64, swapPc},
    {O::s_call_b64, call},
    {O::s_getreg_b32, getReg},
    {O::s_setreg_b32, setReg},
    {O::s_setreg_imm32_b32, setRegConstant},
};

} // namespace

Family scalarControlFamily() { return family(rows); }

} // namespace tlc::sim::TLC_SIM_ISA
