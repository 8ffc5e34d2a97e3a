//===- Checker.cpp - The checkers of a launch together ----------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before an instruction its operands are checked and what it will do to memory
// is worked out; once it has run, that is recorded. An instruction that had to
// wait for its turn is looked at afresh.
//
//===----------------------------------------------------------------------===//

#include "tlc/Simulator/Check/Checker.h"
#include "GlobalShadow.h"
#include "HazardChecker.h"
#include "LdsRaces.h"
#include "Undefined.h"
#include "WaitChecker.h"
#include <algorithm>
#include <fmt/format.h>

using namespace tlc::sim;

LaunchChecker::LaunchChecker(const KernelDescriptor &descriptor,
                             const DeviceMemory &memory)
    : descriptor(descriptor), memory(memory),
      global(std::make_unique<GlobalShadow>(memory)) {}
LaunchChecker::~LaunchChecker() = default;

void LaunchChecker::report(CheckFinding finding) {
  std::lock_guard lock(mutex);
  if (seen.insert({finding.op->address, finding.kind}).second) {
    found.push_back(std::move(finding));
    return;
  }
  // The first workgroup is shown, whichever thread came first.
  for (CheckFinding &other : found)
    if (other.op->address == finding.op->address &&
        std::string_view(other.kind) == finding.kind &&
        std::pair(finding.linearGroup, finding.wave) <
            std::pair(other.linearGroup, other.wave))
      other = finding;
}

std::vector<CheckFinding> LaunchChecker::findings() {
  std::lock_guard lock(mutex);
  std::vector<CheckFinding> sorted = found;
  std::sort(sorted.begin(), sorted.end(),
            [](const CheckFinding &a, const CheckFinding &b) {
              return std::pair(a.op->address, std::string_view(a.kind)) <
                     std::pair(b.op->address, std::string_view(b.kind));
            });
  return sorted;
}

struct GroupChecker::State {
  explicit State(LaunchChecker &launch) : launch(launch) {}

  void report(const char *kind, std::string message, const Wave &wave,
              const Op &op, int lane) {
    CheckFinding finding;
    finding.kind = kind;
    finding.message = std::move(message);
    finding.op = &op;
    for (unsigned i = 0; i < 3; ++i)
      finding.group[i] = wave.group->id[i];
    finding.linearGroup = wave.group->linearId;
    finding.wave = wave.number;
    finding.lane = lane;
    launch.report(std::move(finding));
  }
  const OpFacts &factsFor(const Op &op) {
    if (op.number >= facts.size())
      facts.resize(op.number + 256);
    std::unique_ptr<OpFacts> &known = facts[op.number];
    if (!known)
      known = std::make_unique<OpFacts>(factsOf(op));
    return *known;
  }

  LaunchChecker &launch;
  std::vector<std::unique_ptr<OpFacts>> facts; ///< by Op::number
  const Workgroup *group = nullptr;
  std::vector<WaitChecker> waits;
  std::vector<HazardChecker> hazards;
  std::vector<Undefined> undefined;
  std::vector<const Op *> lastBarrier;
  std::vector<uint32_t> barriers;
  /// Stores to global memory that may not be complete, by wavefront.
  struct PendingStore {
    uint32_t number; ///< of the counter vmcnt
    const Op *op;
    AccessPart part;
  };
  std::vector<std::vector<PendingStore>> stores;
  void noteStore(unsigned wave, const Op &op, const AccessPart &part);
  void postponeStores();
  LdsRaces ldsRaces;
  LdsBytes ldsUndefined;

  /// The instruction as the wavefront will run it, and its registers; null if
  /// it will not run, or will fault for its registers.
  const Op *prepare(const Wave &wave, const Op &op);

  // Of the instruction between before() and after().
  const OpFacts *current = nullptr;
  Op moved;
  OpFacts movedFacts;
  llvm::SmallVector<AccessPart, 1> parts;
};

const Op *GroupChecker::State::prepare(const Wave &wave, const Op &op) {
  current = nullptr;
  if (op.inst->op == Opcode::Invalid)
    return nullptr;
  const OpFacts *known = &factsFor(op);
  const Op *effective = &op;
  if (wave.skipVector && op.inst->encoding >= Encoding::VOP1)
    return nullptr;
  // s_set_gpr_idx moves VGPR numbers by M0.
  if (wave.gprIndexing && canBeIndexed(*op.inst)) {
    moved = op;
    uint32_t by = (wave.sgpr[ScalarReg::M0] & 0xff) * waveLanes;
    for (unsigned i = 0; i < 3; ++i)
      if (op.src[i].kind == OperandKind::Vector && wave.gprIndexMask >> i & 1)
        moved.src[i].index += by;
    if (op.dstKind == OperandKind::Vector && wave.gprIndexMask >> 3 & 1)
      moved.dst += by;
    movedFacts = factsOf(moved);
    known = &movedFacts;
    effective = &moved;
  }
  if (known->vectorEnd > wave.vgprCount || known->scalarEnd > 128)
    return nullptr;
  current = known;
  return effective;
}

/// Called before the counters know of the store: it will be the next one.
void GroupChecker::State::noteStore(unsigned wave, const Op &op,
                                    const AccessPart &part) {
  std::vector<PendingStore> &list = stores[wave];
  uint32_t retired = waits[wave].vm.retired;
  std::erase_if(
      list, [&](const PendingStore &store) { return store.number <= retired; });
  list.push_back({waits[wave].vm.issued + 1, &op, part});
}

/// The workgroup has released: not what is still on its way.
void GroupChecker::State::postponeStores() {
  for (unsigned w = 0; w < group->waveCount; ++w)
    for (const PendingStore &store : stores[w])
      if (store.number > waits[w].vm.retired)
        launch.global->postpone(group->linearId, *store.op, store.part);
}

static bool isMemory(const Op &op, const OpFacts &facts) {
  return (facts.isVmem || facts.isLds) && !op.inst->has(flag::CrossLane);
}

GroupChecker::GroupChecker(LaunchChecker &launch)
    : state(std::make_unique<State>(launch)) {}
GroupChecker::~GroupChecker() = default;

void GroupChecker::begin(const Workgroup &group) {
  State &s = *state;
  const KernelDescriptor &descriptor = s.launch.descriptor;
  s.group = &group;
  unsigned count = group.waveCount;
  s.waits.resize(count);
  s.hazards.resize(count);
  s.undefined.resize(count);
  s.stores.assign(count, {});
  s.lastBarrier.assign(count, nullptr);
  s.barriers.assign(count, 0);
  for (unsigned i = 0; i < count; ++i) {
    const Wave &wave = group.waves[i];
    s.waits[i].begin(wave.vgprCount, descriptor.accumOffset());
    s.hazards[i].begin(wave.vgprCount, descriptor.accumOffset());
    s.undefined[i].begin(wave, descriptor);
  }
  s.ldsRaces.begin(group.ldsBytes, count);
  s.ldsUndefined.assign(group.ldsBytes, 1);
}

void GroupChecker::before(Wave &wave, const Op &op) {
  State &s = *state;
  s.parts.clear();
  const Op *effective = s.prepare(wave, op);
  if (!effective)
    return;
  const OpFacts &facts = *s.current;
  unsigned w = wave.number;
  if (op.inst->has(flag::Gws) && wave.globalTurn && !wave.syncWaiting) {
    s.launch.global->arrive(s.group->linearId);
    s.postponeStores();
  }
  if (std::string text = s.waits[w].check(op, facts); !text.empty())
    s.report("missing-wait", std::move(text), wave, op, -1);
  if (std::string text = s.hazards[w].check(op, facts); !text.empty())
    s.report("wait-states", std::move(text), wave, op, -1);
  if (facts.isVmem || facts.isLds)
    s.parts = accessesOf(wave, op, facts);
  int lane = -1;
  if (std::string text =
          s.undefined[w].check(wave, *effective, facts, s.parts, lane);
      !text.empty())
    s.report("undefined-value", std::move(text), wave, op, lane);
  // Memory operations are propagated once they have run: they may have to
  // wait for their turn, and what counts of the state before is in the parts.
  if (!isMemory(op, facts))
    s.undefined[w].propagate(wave, *effective, facts, s.parts, s.ldsUndefined,
                             s.launch.global.get());
}

void GroupChecker::after(Wave &wave, const Op &op, bool executed) {
  State &s = *state;
  if (!s.current || !executed)
    return;
  const OpFacts &facts = *s.current;
  unsigned w = wave.number;
  if (wave.status == WaveStatus::Faulted)
    return;
  if (isMemory(op, facts))
    s.undefined[w].propagate(wave, op, facts, s.parts, s.ldsUndefined,
                             s.launch.global.get());
  for (const AccessPart &part : s.parts) {
    int lane = -1;
    std::string text;
    const char *kind = "lds-race";
    if (part.space == Space::Lds)
      text = s.ldsRaces.access(w, op, facts, part, s.waits[w], lane);
    else if (part.space == Space::Global) {
      kind = "global-race";
      text = s.launch.global->access(s.group->linearId, op, part, lane);
      if (part.writes && (part.atomic || part.coherent))
        s.postponeStores();
      else if (part.writes)
        s.noteStore(w, op, part);
    }
    if (!text.empty())
      s.report(kind, std::move(text), wave, op, lane);
  }
  if (op.inst->has(flag::Gws))
    s.launch.global->leave(s.group->linearId);
  if (op.inst->op == Opcode::s_barrier) {
    s.lastBarrier[w] = &op;
    ++s.barriers[w];
  }
  s.waits[w].issue(op, facts);
  s.hazards[w].issue(op, facts);
}

void GroupChecker::barrierReleased() {
  State &s = *state;
  s.ldsRaces.barrier(s.waits);
  // Who has ended without coming here?
  const Op *at = nullptr;
  unsigned waiting = 0;
  for (unsigned i = 0; i < s.group->waveCount; ++i)
    if (s.group->waves[i].status != WaveStatus::Done) {
      at = s.lastBarrier[i];
      waiting = i;
      break;
    }
  for (unsigned i = 0; at && i < s.group->waveCount; ++i)
    if (s.group->waves[i].status == WaveStatus::Done) {
      s.report("barrier-divergence",
               fmt::format("wavefront {} waits at this barrier, but wavefront "
                           "{} has ended without reaching it",
                           waiting, i),
               s.group->waves[waiting], *at, -1);
      break;
    }
}

void GroupChecker::end() {}
