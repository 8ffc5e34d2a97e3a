//===- Checker.cpp - The checkers of a launch together ----------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Straight code is checked a piece at a time: its waits and wait states by the
// path so far, its operands by whether any register it names holds anything
// undefined. Memory instructions, and what touches something undefined, go one
// by one: before an instruction its operands are checked and what it will do to
// memory is worked out; once it has run, that is recorded. An instruction that
// had to wait for its turn is looked at afresh.
//
//===----------------------------------------------------------------------===//

#include "CheckerState.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>

using namespace tlc::sim;

LaunchChecker::LaunchChecker(const KernelDescriptor &descriptor,
                             const DeviceMemory &memory)
    : descriptor(descriptor), memory(memory),
      global(std::make_unique<GlobalShadow>(memory)) {}
LaunchChecker::~LaunchChecker() = default;

/// The first of a kind at an instruction; of several workgroups the lowest, so
/// that the report does not depend on host threads.
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

/// By address, then by kind: the same for every run.
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
    // Source and destination numbers move by M0's low byte, each if its bit of
    // the mask is set (CDNA3 ISA, VGPR indexing).
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

/// Called before the counters know of the store: it will be the next one. No
/// more than `vmcnt` counts can be on their way.
void GroupChecker::State::noteStore(unsigned wave) {
  constexpr size_t mostPending = 64;
  std::vector<PendingStore> &list = stores[wave];
  uint32_t retired = waits[wave].vm.retired;
  if (!list.empty() && list.front().number <= retired)
    std::erase_if(list, [&](const PendingStore &store) {
      return store.number <= retired;
    });
  if (list.size() == mostPending)
    list.erase(list.begin());
  list.push_back({waits[wave].vm.issued + 1, barriers, runs});
}

/// \p wave has released for its workgroup: not what is still on its way. The
/// stores of a compute unit reach L2 before a write-back that follows them, so
/// that compilers let one wavefront, behind a barrier, wait for it alone.
void GroupChecker::State::postponeStores(unsigned wave) {
  uint32_t covered = 0;
  for (unsigned w = 0; w < group->waveCount; ++w) {
    const WriteBack &last = writeBacks[w];
    if (last.number && last.number <= waits[w].vm.retired &&
        (w == wave || last.barriers < barriers))
      covered = std::max(covered, last.barriers);
  }
  for (unsigned w = 0; w < group->waveCount; ++w)
    for (const PendingStore &store : stores[w])
      if (store.number > waits[w].vm.retired && store.barriers >= covered)
        launch.global->postpone(group->linearId, store.runs, cursor);
}

static bool isMemory(const Op &op, const OpFacts &facts) {
  return facts.isSmem ||
         ((facts.isVmem || facts.isLds) && !op.inst->has(flag::CrossLane));
}

/// An access to LDS as nearly all are, checked and recorded at once; false:
/// it must be looked at more closely.
bool GroupChecker::State::usualLds(const Wave &wave, const Op &op,
                                   const OpFacts &facts) {
  const Instruction &inst = *op.inst;
  if (!facts.isLds || op.src[0].kind != OperandKind::Vector ||
      inst.has(flag::Atomic | flag::Gws | flag::CrossLane | flag::ReadsM0) ||
      facts.feedsSwap)
    return false;
  bool stores = inst.has(flag::Store);
  if (!stores && !inst.has(flag::Load))
    return false;
  const uint32_t *base = wave.vgpr + op.src[0].index;
  unsigned bytes = facts.laneBytes;
  auto one = [&](uint32_t offset, bool second) {
    return stores ? lds.store(wave, op, base, offset, bytes, second,
                              waits[wave.number])
                  : lds.load(wave, op, base, offset, bytes, second);
  };
  if (!inst.has(flag::TwoOffsets))
    return one(uint32_t(inst.offset), false);
  unsigned unit = bytes * (facts.farOffsets ? 64 : 1);
  return one(inst.offset0 * unit, false) && one(inst.offset1 * unit, true);
}

/// Takes note of what a memory operation with defined operands defines, unless
/// it may have met anything undefined.
bool GroupChecker::State::bringsDefined(const Wave &wave,
                                        const OpFacts &facts) {
  if (!defined)
    return false;
  // First whether all it touches is defined, then the bookkeeping.
  for (const AccessPart &part : parts) {
    if (part.space == Space::Scratch ||
        (part.space == Space::Lds && !part.contiguous))
      return false;
    if (part.space == Space::Global && part.reads &&
        !launch.global->isDefined(runsOf(part)))
      return false;
  }
  for (const AccessPart &part : parts) {
    if (!part.writes)
      continue;
    if (part.space == Space::Lds) {
      for (uint64_t rest = part.lanes; rest; rest &= rest - 1)
        lds.define(part.address[__builtin_ctzll(rest)], part.bytes);
    } else {
      launch.global->define(runsOf(part));
    }
  }
  // A load that keeps part of its register does not define all of it.
  if (!parts.empty() && !facts.keepsOthers)
    undefined[wave.number].define(wave, facts);
  return !parts.empty();
}

/// Of a load to LDS only memory knows the data: the dwords before it are kept,
/// and compared once it has run.
void GroupChecker::State::keepOldLds() {
  const AccessPart &part = parts.back();
  for (uint64_t rest = part.lanes; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctzll(rest));
    if (part.address[l] + part.bytes <= group->ldsBytes)
      std::memcpy(&oldLds[l], group->lds + part.address[l], part.bytes);
  }
}
void GroupChecker::State::noteChanges() {
  AccessPart &part = parts.back();
  part.changes = 0;
  for (uint64_t rest = part.lanes; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctzll(rest));
    uint32_t now = ~oldLds[l];
    if (part.address[l] + part.bytes <= group->ldsBytes)
      std::memcpy(&now, group->lds + part.address[l], part.bytes);
    part.changes |= uint64_t(now != oldLds[l]) << l;
  }
}

GroupChecker::GroupChecker(LaunchChecker &launch)
    : state(std::make_unique<State>(launch)) {}
GroupChecker::~GroupChecker() = default;

/// Nothing is known of the new workgroup's registers and LDS; what was learnt
/// about code stays.
void GroupChecker::begin(const Workgroup &group) {
  State &s = *state;
  const KernelDescriptor &descriptor = s.launch.descriptor;
  s.group = &group;
  unsigned count = group.waveCount;
  if (!s.path)
    s.path = std::make_unique<PathChecker>(group.waves[0].vgprCount,
                                           descriptor.accumOffset());
  s.places.assign(count, {});
  s.waits.assign(count, {});
  s.undefined.resize(count);
  s.stores.assign(count, {});
  s.writeBacks.assign(count, {});
  s.barriers = 0;
  s.lastBarrier.assign(count, nullptr);
  for (unsigned i = 0; i < count; ++i)
    s.undefined[i].begin(group.waves[i], descriptor);
  s.lds.begin(group.ldsBytes, count);
}

/// Checks waits, wait states and operands, and notes what the instruction is
/// about to access.
void GroupChecker::before(Wave &wave, const Op &op) {
  State &s = *state;
  s.parts.clear();
  s.runsPart = nullptr;
  const Op *effective = s.prepare(wave, op);
  if (!effective)
    return;
  const OpFacts &facts = *s.current;
  unsigned w = wave.number;
  // Arriving at a barrier of the grid releases, as a coherent write does.
  if (op.inst->has(flag::Gws) && wave.globalTurn && !wave.syncWaiting) {
    s.launch.global->arrive(s.group->linearId);
    s.postponeStores(w);
  }
  // A copy: an instruction that must wait for its turn will come here again
  // from the same place.
  s.next = s.places[w];
  // An indexed instruction differs each time: its path cannot be remembered.
  if (effective != &op)
    s.path->step(s.next, op, *effective, facts,
                 [&](const char *kind, std::string text, const Op &at) {
                   s.report(kind, std::move(text), wave, at, -1);
                 });
  else
    s.pass(s.next, wave, op, 1);
  // What memory brings is looked at once it is here.
  bool memory = isMemory(op, facts) && !facts.keepsOthers;
  s.defined = !s.undefined[w].touches(memory ? facts.inputs : facts.registers,
                                      wave.exec(), facts.allLanes);
  if (s.defined && s.usualLds(wave, op, facts)) {
    // It will run at once, and nothing is left to be looked at behind it.
    if (memory)
      s.undefined[w].define(wave, facts);
    s.places[w] = std::move(s.next);
    s.waits[w].issue(facts);
    s.current = nullptr;
    return;
  }
  if (facts.isVmem || facts.isLds || facts.isSmem)
    findAccesses(wave, op, facts, s.parts);
  if (facts.toLds && !s.parts.empty())
    s.keepOldLds();
  if (s.defined)
    return;
  int lane = -1;
  if (std::string text =
          s.undefined[w].check(wave, *effective, facts, s.parts, lane);
      !text.empty())
    s.report("undefined-value", std::move(text), wave, op, lane);
  // Memory operations are propagated once they have run: they may have to
  // wait for their turn, and what counts of the state before is in the parts.
  if (!isMemory(op, facts))
    s.undefined[w].propagate(wave, *effective, facts, s.parts, s.lds,
                             s.launch.global.get());
}

/// Records what the instruction has done, if it was performed (\p executed),
/// and moves the wavefront on.
void GroupChecker::after(Wave &wave, const Op &op, bool executed) {
  State &s = *state;
  if (!s.current || !executed)
    return;
  const OpFacts &facts = *s.current;
  unsigned w = wave.number;
  if (wave.status == WaveStatus::Faulted)
    return;
  // Definedness first: race records do not depend on it.
  GlobalShadow &global = *s.launch.global;
  if (isMemory(op, facts) && !s.bringsDefined(wave, facts))
    s.undefined[w].propagate(wave, op, facts, s.parts, s.lds, &global);
  if (facts.toLds && !s.parts.empty())
    s.noteChanges();
  for (const AccessPart &part : s.parts) {
    // The swap that follows is looked at instead.
    if (facts.feedsSwap)
      break;
    int lane = -1;
    std::string text;
    const char *kind = "lds-race";
    if (part.space == Space::Lds)
      text = s.lds.access(w, op, facts, part, s.waits[w], lane);
    else if (part.space == Space::Global) {
      kind = "global-race";
      text = global.access(s.group->linearId, op, part, s.runsOf(part),
                           s.cursor, lane);
      if (part.writes && (part.atomic || part.coherent))
        s.postponeStores(w);
      else if (part.writes)
        s.noteStore(w);
    }
    if (!text.empty())
      s.report(kind, std::move(text), wave, op, lane);
  }
  if (op.inst->has(flag::Gws))
    global.leave(s.group->linearId);
  // For the report of divergence.
  if (op.inst->op == Opcode::s_barrier)
    s.lastBarrier[w] = &op;
  // The next operation of vmcnt is the write-back itself.
  if (op.inst->op == Opcode::buffer_wbl2 && op.inst->sc1)
    s.writeBacks[w] = {s.waits[w].vm.issued + 1, s.barriers};
  s.places[w] = std::move(s.next);
  if (op.inst->op == Opcode::s_waitcnt)
    s.waits[w].waitFor(op.inst->vmcnt(), op.inst->lgkmcnt());
  else
    s.waits[w].issue(facts);
}

/// All that wait pass; who has ended before is divergence.
void GroupChecker::barrierReleased() {
  State &s = *state;
  s.lds.barrier(s.waits);
  ++s.barriers;
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
