//===- WaveControl.cpp - Wavefronts, their branches and barriers ----------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each wavefront runs until it ends or meets a barrier; when all have, those at
// a barrier go on. Lanes that disagree about a branch are masked, and a side
// that no lane takes is jumped over, as a compiled kernel would.
//
//===----------------------------------------------------------------------===//

#include "WaveMachine.h"
#include "tlc/Reference/WaveReference.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::reference;

bool WaveFrame::set(const Mask &next) {
  bool any = false, all = true;
  for (uint8_t lane : next) {
    any |= lane;
    all &= lane;
  }
  current = next;
  mask = all ? nullptr : current.data();
  return any;
}

static const WaveData &dataOf(const Inst &inst) {
  return *static_cast<const WaveData *>(inst.extra);
}

/// The lanes of `within` whose condition is `value`.
static WaveFrame::Mask where(WaveFrame &w, const WaveFrame::Mask &within,
                             uint32_t condition, bool value) {
  WaveFrame::Mask mask;
  for (unsigned l = 0; l < kLanes; ++l)
    mask[l] = within[l] && (w.at(condition)[l].i != 0) == value;
  return mask;
}

//===----------------------------------------------------------------------===//
// Branches and loops. imm: where to jump to.
//===----------------------------------------------------------------------===//

/// The layout of the code, with the jumps:
///   IfBegin -> else or end   then ...   IfElse -> end   else ...   Pop
void tlc::reference::waveIfBegin(Frame &f, const Inst &inst) {
  WaveFrame &w = waveOf(f);
  w.push();
  if (!w.set(where(w, w.current, inst.a, true)))
    w.pc = inst.imm;
}

/// The lanes of the mask outside the branch whose condition is false; the
/// condition's slot has not changed since.
void tlc::reference::waveIfElse(Frame &f, const Inst &inst) {
  WaveFrame &w = waveOf(f);
  if (!w.set(where(w, w.levels.back().outer, inst.a, false)))
    w.pc = inst.imm;
}

void tlc::reference::wavePop(Frame &f, const Inst &) { waveOf(f).pop(); }
void tlc::reference::waveJump(Frame &f, const Inst &inst) {
  waveOf(f).pc = inst.imm;
}
void tlc::reference::waveMove(Frame &f, const Inst &inst) {
  moveSlots(f, dataOf(inst).moves);
}

// ForBegin, test: ForTest -> end, body, ForNext -> test, Pop.
//  a, b, c: lower bound, upper bound, step; dst: the induction variable.
void tlc::reference::waveForBegin(Frame &f, const Inst &inst) {
  WaveFrame &w = waveOf(f);
  for (unsigned l = 0; l < kLanes; ++l) {
    if (!w.active(l))
      continue;
    if (w.at(inst.c)[l].i <= 0)
      return w.m.fail(inst, "the loop's step is not positive");
    w.at(inst.dst)[l] = w.at(inst.a)[l];
  }
  w.push();
}

void tlc::reference::waveForTest(Frame &f, const Inst &inst) {
  WaveFrame &w = waveOf(f);
  WaveFrame::Mask mask;
  for (unsigned l = 0; l < kLanes; ++l)
    mask[l] = w.active(l) && w.at(inst.dst)[l].i < w.at(inst.b)[l].i;
  if (!w.set(mask))
    w.pc = inst.imm;
}

void tlc::reference::waveForNext(Frame &f, const Inst &inst) {
  WaveFrame &w = waveOf(f);
  for (unsigned l = 0; l < kLanes; ++l)
    if (w.active(l))
      w.at(inst.dst)[l].i += w.at(inst.c)[l].i;
  w.pc = inst.imm;
}

void tlc::reference::waveWhileBegin(Frame &f, const Inst &) {
  waveOf(f).push();
}

/// Lanes whose condition is false leave with the values it forwards.
void tlc::reference::waveWhileTest(Frame &f, const Inst &inst) {
  WaveFrame &w = waveOf(f);
  // A loop without end would hang the tool.
  if (++w.levels.back().turns > uint64_t(1) << 24)
    return w.m.fail(inst, "the loop does not end");
  WaveFrame::Mask leaving = where(w, w.current, inst.a, false),
                  staying = where(w, w.current, inst.a, true);
  if (w.set(leaving))
    moveSlots(w, dataOf(inst).moves);
  if (!w.set(staying))
    w.pc = inst.imm;
}

void tlc::reference::waveBarrier(Frame &f, const Inst &) {
  waveOf(f).atBarrier = true;
}
void tlc::reference::waveTrap(Frame &f, const Inst &inst) {
  f.m.fail(inst, "a wavefront runs into a trap");
}

//===----------------------------------------------------------------------===//
// Workgroups and launches
//===----------------------------------------------------------------------===//

/// The wavefront's own program counter tells where it goes on.
static void runUntilBarrier(WaveFrame &w) {
  const Code &code = w.program.body;
  w.atBarrier = false;
  while (w.pc < code.size() && !w.atBarrier && !w.m.failed) {
    const Inst &inst = code[w.pc++];
    inst.fn(w, inst);
  }
}

/// Rounds from barrier to barrier until no wavefront waits. One that has ended
/// while others wait counts as arrived, as on the hardware.
static void runWorkgroup(std::vector<std::unique_ptr<WaveFrame>> &waves,
                         bool reverse) {
  for (auto &w : waves)
    w->restart();
  bool waiting = true;
  while (waiting && !waves[0]->m.failed) {
    waiting = false;
    for (size_t i = 0; i < waves.size(); ++i) {
      WaveFrame &w = *waves[reverse ? waves.size() - 1 - i : i];
      runUntilBarrier(w);
      waiting |= w.atBarrier;
    }
  }
}

/// A pointer is the number of its argument (WaveMachine.h); a scalar its value
/// in all lanes.
static void setArgument(WaveFrame &w, uint32_t slot, Type type, unsigned index,
                        const Argument &argument) {
  Cell cell{.i = int64_t(index + 1) << kAddressShift};
  if (std::optional<Scalar> s = scalarOf(type)) {
    if (s->isFloat())
      cell.f = s->format->round(argument.real);
    else
      cell = decodeCell(*s, uint64_t(argument.integer));
  }
  std::fill_n(w.at(slot), kLanes, cell);
}

/// One launch: a frame for each wavefront, reused for all workgroups. False
/// after a diagnostic.
static bool runLaunch(const WaveLaunch &launch,
                      MutableArrayRef<Argument> arguments, bool reverse) {
  wave::KernelOp kernel = *launch.kernel;
  ArrayRef<Type> types = kernel.getArgumentTypes();
  if (types.size() != arguments.size()) {
    kernel.emitError("takes ")
        << types.size() << " arguments, not " << arguments.size();
    return false;
  }
  Machine machine;
  machine.options.bounds = false;
  Program program;
  std::vector<Slots> slots;
  std::vector<std::shared_ptr<WaveData>> pool;
  if (!compileWave(kernel, program, slots, pool))
    return false;
  Workgroup group;
  for (auto [type, argument] : llvm::zip(types, arguments))
    group.memory.push_back(isa<wave::PtrType>(type) ? &argument.array.bytes
                                                    : nullptr);
  std::vector<std::unique_ptr<WaveFrame>> waves;
  for (unsigned i = 0; i < kernel.getThreads() / kLanes; ++i) {
    waves.push_back(std::make_unique<WaveFrame>(machine, program, group, i));
    for (auto [a, argument] : llvm::enumerate(arguments))
      for (uint32_t slot : slots[a])
        setArgument(*waves.back(), slot, types[a], a, argument);
  }
  auto [nx, ny, nz] = launch.grid;
  for (int64_t block = 0; block < nx * ny * nz && !machine.failed; ++block) {
    group.blockId[0] = block % nx;
    group.blockId[1] = block / nx % ny;
    group.blockId[2] = block / nx / ny;
    // What was never written reads as NaN.
    group.lds.assign(kernel.getLdsBytes(), 0xff);
    runWorkgroup(waves, reverse);
  }
  return !machine.failed;
}

LogicalResult tlc::reference::evaluateWave(ArrayRef<WaveLaunch> launches,
                                           MutableArrayRef<Argument> arguments,
                                           const WaveOptions &options) {
  for (const WaveLaunch &launch : launches) {
    if (launch.kernel->getThreads() == 0 ||
        launch.kernel->getThreads() % kLanes)
      return launch.kernel->emitError("needs whole wavefronts, not ")
             << launch.kernel->getThreads() << " threads";
    if (!runLaunch(launch, arguments, options.reverse))
      return failure();
  }
  return success();
}
