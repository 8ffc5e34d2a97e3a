//===- Issue.cpp - Which wavefront issues, and what it starts -------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In its turn a SIMD goes through its wavefronts, highest priority and oldest
// first. Each may issue one instruction, all together one of each category:
// vector ALU with the matrix core, scalar ALU with scalar memory, vector
// memory, LDS, branch. What the issue logic does itself (waits, barriers,
// s_nop) takes the wavefront's turn and nothing else.
//
//===----------------------------------------------------------------------===//

#include "MachineImpl.h"

#include <algorithm>

using namespace tlc::sim;
using namespace tlc::sim::param;

namespace {

/// How an instruction shows in the trace.
TraceKind traceKindOf(IssueKind kind) {
  switch (kind) {
  case IssueKind::Matrix:
    return TraceKind::Matrix;
  case IssueKind::Transcendental:
    return TraceKind::Transcendental;
  case IssueKind::Vector:
    return TraceKind::Vector;
  case IssueKind::Lds:
    return TraceKind::Lds;
  case IssueKind::VectorMemory:
  case IssueKind::ScalarMemory:
    return TraceKind::Memory;
  default:
    return TraceKind::Scalar;
  }
}

/// Stalls shorter than this are no event of their own.
constexpr uint64_t shownStall = 4;
/// A wavefront that waits for other workgroups is asked again after this.
constexpr uint64_t pollCycles = 1000;

} // namespace

/// An event of the trace, for wavefronts that are traced.
void Machine::Impl::note(SimWave &wave, TraceKind kind, uint64_t begin,
                         uint64_t end, StallCause cause) {
  if (!wave.isTraced || wave.trace->events.size() >= options.traceEvents)
    return;
  if (end == unknown)
    pending.back().event = uint32_t(wave.trace->events.size());
  wave.trace->events.push_back(
      {begin, end, code.addressOf(indexOf(wave)), kind, cause});
}

/// Of a wait that has ended, the longer part.
void Machine::Impl::noteStall(SimWave &wave, uint64_t time,
                              StallCause blockedBy) {
  uint64_t own = std::min(wave.earliest, time);
  if (time >= wave.next + shownStall)
    note(wave,
         wave.op->special == Special::WaitCnt ? TraceKind::Wait
                                              : TraceKind::Stall,
         wave.next, time,
         own - wave.next >= time - own ? wave.waitsFor : blockedBy);
}

/// More of a record that has been read. False if there is nothing to do before
/// others have done something; \p runs: without a fault.
bool Machine::Impl::refill(SimWave &wave, bool &runs) {
  WaveRecord &record = *wave.record;
  wave.length = 0;
  wave.op = nullptr;
  GroupRecord &group = *wave.group->record;
  runs = record.done || serviced ||
         (defers ? source.runOn(group) : source.refill(group));
  if (!runs)
    return false;
  if (record.left())
    return true;
  if (defers && !serviced && !record.done) {
    hold(wave);
    return false;
  }
  wave.starved = true;
  wave.earliest = wave.next + pollCycles;
  wave.waitsFor = StallCause::Barrier;
  runs = !record.done;
  return false;
}

/// Finds the earliest time at which it may issue: its instruction fetched,
/// waits fulfilled, its last vector operation done. What other wavefronts
/// occupy is looked at when that time has come.
[[gnu::always_inline]] inline bool Machine::Impl::goOn(SimWave &wave) {
  WaveRecord &record = *wave.record;
  // The instruction that was issued has been read.
  record.head += wave.length;
  wave.starved = false;
  if (record.left() <= lowWords) [[unlikely]] {
    if (lowWords && !record.done)
      noteLow(*wave.group);
    if (bool runs; record.left() == 0 && !refill(wave, runs))
      return runs;
  }
  const uint32_t *words = record.words.data() + record.head;
  uint32_t index = *words;
  const StaticOp &op = code.at(index);
  wave.length = uint16_t(recordedWords(op, words));
  __builtin_prefetch(words + 32); // two lines on
  // And where the next instruction begins, behind the lines of this one.
  if (wave.length > 32)
    __builtin_prefetch(words + wave.length);
  // It may have to wait until they are no longer in the host's caches.
  if (op.payload == Payload::Lds)
    wave.ldsCycles = words[1];
  decode(wave, op, index);
  if (memory.hasInstructionCaches()) [[unlikely]]
    fetchLine(wave);
  await(wave, wave);
  return true;
}

bool Machine::Impl::prepare(SimWave &wave) { return goOn(wave); }

/// An instruction that lies across two lines counts for the one it begins in.
void Machine::Impl::fetchLine(SimWave &wave) {
  uint32_t line = indexOf(wave) * 4 / instructionLineBytes;
  if (line == wave.fetchedLine)
    return;
  wave.fetchedLine = line;
  double ready = memory.instructions(wave.group->cu, line, double(wave.next),
                                     countersOf(wave).timing.memory);
  wave.fetchAt = std::max(wave.fetchAt, int64_t(roundUp(ready)) * fetchTick);
}

/// Books the wait that has ended, occupies the units, and prepares the
/// wavefront's next instruction. False after a fault.
bool Machine::Impl::issue(const Place &place, unsigned cuNumber,
                          uint64_t time) {
  SimWave &wave = *place.wave;
  StallCause blockedBy = place.blockedBy;
  ComputeUnit &cu = cus[cuNumber];
  Simd &simd = cu.simds[wave.simd];
  const StaticOp &op = *wave.op;
  Counters &count = countersOf(wave);
  ++instructions;
  if (wave.isTraced) [[unlikely]]
    noteStall(wave, time, blockedBy);
  book(wave, count, time, blockedBy);
  uint64_t until = time + issuePeriod;
  switch (op.kind) {
  case IssueKind::Matrix:
  case IssueKind::Vector:
  case IssueKind::Transcendental:
    until = occupyAlu(wave, simd, time);
    break;
  case IssueKind::Lds:
    until = issueLds(wave, cu, count, time);
    break;
  case IssueKind::VectorMemory:
    until = issueVector(wave, cuNumber, count, time);
    break;
  case IssueKind::ScalarMemory:
    until = issueScalar(wave, cuNumber, count, time);
    break;
  default:
    break;
  }
  if (wave.isTraced && op.kind != IssueKind::Internal) [[unlikely]]
    note(wave, traceKindOf(op.kind), time, until);

  if (op.special > Special::WaitCnt) [[unlikely]]
    return issueSpecial(wave, count, time);
  return goOn(wave);
}

/// What the issue logic does itself. False after a fault.
bool Machine::Impl::issueSpecial(SimWave &wave, Counters &count,
                                 uint64_t time) {
  const StaticOp &op = *wave.op;
  Simd &simd = cus[wave.group->cu].simds[wave.simd];
  switch (op.special) {
  case Special::Nop:
    idle(wave, count, time);
    break;
  case Special::Priority:
    setPriority(simd, wave, op.priority);
    break;
  case Special::Barrier:
    wave.atBarrier = true;
    ++simd.atBarrier;
    if (++wave.group->arrived == wave.group->alive)
      return release(*wave.group, time);
    return true;
  case Special::End:
    return endWave(wave, time);
  default:
    break;
  }
  return prepare(wave);
}

/// All have arrived: they go on together, barrierCycles after the last one.
bool Machine::Impl::release(SimGroup &group, uint64_t time) {
  group.arrived = 0;
  uint64_t from = time + barrierCycles;
  for (SimWave &wave : group.waves) {
    if (!wave.atBarrier)
      continue;
    wave.atBarrier = false;
    --cus[group.cu].simds[wave.simd].atBarrier;
    countersOf(wave).stalls[size_t(StallCause::Barrier)] += from - wave.next;
    note(wave, TraceKind::Barrier, wave.next - issuePeriod, from);
    wave.next = from;
    if (!prepare(wave))
      return false;
    cus[group.cu].simds[wave.simd].placeOf(wave).update();
    schedule(group.cu, wave.simd, wave.earliest);
  }
  return true;
}

/// Frees the wavefront's place; the last one of a workgroup frees its compute
/// unit for the next.
bool Machine::Impl::endWave(SimWave &wave, uint64_t time) {
  SimGroup &group = *wave.group;
  ComputeUnit &cu = cus[group.cu];
  wave.done = true;
  // Its stores may still be on their way; the registers are free.
  bool scalar = false;
  uint64_t end = time + issuePeriod;
  lastEnd = std::max(lastEnd, end);
  // What is not known yet will say so by itself.
  if (uint64_t stored = wave.vector.downTo(0, scalar); stored < pendingOps)
    lastEnd = std::max(lastEnd, stored);
  totals.waveCycles += end - wave.begin;
  ++totals.waves;
  if (wave.trace)
    wave.trace->end = end;
  Simd &simd = cu.simds[wave.simd];
  simd.remove(wave);
  if (simd.count == 0)
    totals.activeSimdCycles += end - simd.busyFrom;
  lastWaveEnd = std::max(lastWaveEnd, end);
  --group.alive;
  // The others may have waited at a barrier only for this one.
  if (group.alive)
    return group.arrived && group.arrived == group.alive ? release(group, time)
                                                         : true;
  group.time.end = end;
  group.time.instructions = group.issued();
  finished.push_back(group.time);
  memory.noteGroupEnd(group.cu);
  notePace(cu, end);
  cu.residents.erase(
      std::find(cu.residents.begin(), cu.residents.end(), &group));
  if (--cu.groups == 0)
    totals.activeCuCycles += end - cu.busyFrom;
  cu.waves -= group.waves.size();
  residentWaves -= group.waves.size();
  source.end(*group.record);
  unsigned xcd = group.cu / cusPerXcd;
  // Kept for reuse; the order of the list does not matter.
  for (auto &held : groups)
    if (held.get() == &group) {
      (defers ? ended : spare).push_back(std::move(held));
      held = std::move(groups.back());
      groups.pop_back();
      break;
    }
  // Room for another workgroup of this XCD.
  dispatch(xcd, end);
  return startPlaced();
}
