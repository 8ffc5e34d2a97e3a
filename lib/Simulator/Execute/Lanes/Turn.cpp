//===- Turn.cpp - The run loop, and the table of handlers -----------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A turn runs one wavefront until its budget is used up or a handler stops it.
// The floating-point mode of the wavefront is put into the host's control
// register for the turn; where the modes of f32 and of f16/f64 differ, it is
// switched around the operations of the second kind.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "LaneOps.h"

namespace tlc::sim::TLC_SIM_ISA {
namespace {

constexpr unsigned csrDefault = 0x1f80; ///< all exceptions masked

#if defined(__x86_64__)
unsigned readControl() { return __builtin_ia32_stmxcsr(); }
void writeControl(unsigned csr) { __builtin_ia32_ldmxcsr(csr); }
#else
unsigned readControl() { return csrDefault; }
void writeControl(unsigned) {}
#endif

/// The control register for two bits of rounding and two of denormals.
unsigned controlOf(unsigned round, unsigned denormals) {
  constexpr unsigned rounding[] = {0, 2, 1, 3}; // nearest, up, down, zero
  unsigned csr = csrDefault | rounding[round & 3] << 13;
  if (!(denormals & 1))
    csr |= 1u << 6; // inputs flushed
  if (!(denormals & 2))
    csr |= 1u << 15; // outputs flushed
  return csr;
}

/// The inner loop of the simulator: runs are arrays, so that the next
/// instruction is the next element unless a handler changes pc. Handlers that
/// end the turn set the budget to 0.
void runFast(Wave &w) {
  while (w.budget > 0) {
    const Op *op = w.pc;
    w.pc = op + 1;
    --w.budget;
    op->run(w, *op);
  }
}

/// MODE treats f32 unlike f16 and f64: LLVM's default for kernels (f32
/// denormals flushed or not) makes this common.
void runMixed(Wave &w, unsigned single, unsigned halfDouble) {
  while (w.budget > 0) {
    const Op *op = w.pc;
    w.pc = op + 1;
    --w.budget;
    if (op->mode != FloatMode::HalfDouble) {
      op->run(w, *op);
      continue;
    }
    writeControl(halfDouble);
    op->run(w, *op);
    writeControl(single);
  }
}

// Vector ALU and memory: all that EXEC rules.
bool isVector(const Instruction &inst) {
  return inst.encoding >= Encoding::VOP1;
}

/// VGPR numbers move by M0 where s_set_gpr_idx asks for it.
/// False where M0 leads beyond the allocated registers.
bool indexed(Wave &w, const Op &op, Op &moved) {
  moved = op;
  u32 by = (w.sgpr[ScalarReg::M0] & 0xff) * waveLanes;
  u32 limit = w.vgprCount * waveLanes;
  auto move = [&](u32 &index, unsigned dwords, unsigned bit) {
    if (!(w.gprIndexMask >> bit & 1))
      return true;
    // Indices count words, 64 a register.
    index += by;
    return index + dwords * waveLanes <= limit;
  };
  bool ok = true;
  for (unsigned i = 0; i < 3; ++i)
    if (op.src[i].kind == OperandKind::Vector)
      ok &= move(moved.src[i].index, op.src[i].dwords, i);
  if (op.dstKind == OperandKind::Vector)
    ok &= move(moved.dst, op.dstDwords, 3);
  return ok;
}

/// With vector instructions skipped, or VGPRs indexed.
void runSpecial(Wave &w, unsigned single, unsigned halfDouble) {
  while (w.budget > 0) {
    const Op *op = w.pc;
    w.pc = op + 1;
    --w.budget;
    if (w.skipVector && isVector(*op->inst))
      continue;
    writeControl(op->mode == FloatMode::HalfDouble ? halfDouble : single);
    if (!w.gprIndexing || !canBeIndexed(*op->inst)) {
      op->run(w, *op);
      continue;
    }
    // A copy for this execution, as M0 may differ at the next.
    Op moved;
    if (indexed(w, *op, moved)) {
      op->run(w, moved);
      continue;
    }
    Fault fault;
    fault.kind = "register-out-of-range";
    fault.detail = "M0 leads beyond the vector registers";
    raise(w, *op, fault);
  }
}

/// Switches the host's floating-point mode to the wavefront's and back.
/// `executed` counts what was taken of the budget.
void turn(Wave &w) {
  unsigned before = readControl(); // writing it takes longer
  int64_t given = w.budget;
  // MODE: rounding of f32 in [1:0], of f16 and f64 in [3:2]; denormals in [5:4]
  // and [7:6].
  unsigned single = controlOf(w.mode, w.mode >> 4);
  unsigned halfDouble = controlOf(w.mode >> 2, w.mode >> 6);
  w.status = WaveStatus::Ready;
  w.unused = 0;
  bool special = w.skipVector || w.gprIndexing;
  bool mixed = single != halfDouble;
  if (single != before)
    writeControl(single);
  if (special)
    runSpecial(w, single, halfDouble);
  else if (mixed)
    runMixed(w, single, halfDouble);
  else
    runFast(w);
  if (special || single != before)
    writeControl(before);
  w.executed += uint64_t(given - w.unused);
}

/// One instruction, wherever the wavefront stands: for observed runs.
void step(Wave &w) {
  w.budget = 1;
  const Op *op = w.pc;
  if (op->mode != FloatMode::None || w.skipVector || w.gprIndexing ||
      op->inst->op == Opcode::Invalid)
    return turn(w);
  w.status = WaveStatus::Ready;
  w.unused = 0;
  w.pc = op + 1;
  w.budget = 0;
  op->run(w, *op);
  w.executed += uint64_t(1 - w.unused);
}

} // namespace

/// Filled from the families' tables at the first use, once for each level of
/// the host's instruction set.
const HandlerTable &table() {
  static const HandlerTable built = [] {
    HandlerTable t;
    auto add = [&](Family f) {
      for (size_t i = 0; i < f.count; ++i)
        t.rows[static_cast<size_t>(f.rows[i].op)] = f.rows[i];
    };
#define TLC_SIM_ADD(name) add(name##Family());
    TLC_SIM_FAMILIES(TLC_SIM_ADD)
#undef TLC_SIM_ADD
    t.plain = runPlain;
    t.modified = runModified;
    t.turn = turn;
    t.step = step;
    return t;
  }();
  return built;
}

} // namespace tlc::sim::TLC_SIM_ISA
