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
/// Where no workgroup can start any more a SIMD may be this far ahead.
constexpr uint64_t longestAlone = 2000;

} // namespace

/// An event of the trace, for wavefronts that are traced.
void Machine::Impl::note(SimWave &wave, TraceKind kind, uint64_t begin,
                         uint64_t end, StallCause cause) {
  if (!wave.trace || wave.trace->events.size() >= options.traceEvents)
    return;
  wave.trace->events.push_back(
      {begin, end, code.addressOf(wave.index), kind, cause});
}

/// Finds the earliest time at which it may issue: its instruction fetched,
/// waits fulfilled, its last vector operation done. What other wavefronts
/// occupy is looked at when that time has come.
bool Machine::Impl::prepare(SimWave &wave) {
  WaveRecord &record = *wave.record;
  // The instruction that was issued has been read.
  record.head += wave.length;
  wave.length = 0;
  wave.op = nullptr;
  wave.starved = false;
  if (record.left() == 0) {
    if (!record.done && !source.refill(*wave.group->record))
      return false;
    if (record.left() == 0) {
      // Nothing to do before others have done something.
      wave.starved = true;
      wave.earliest = wave.next + pollCycles;
      wave.waitsFor = StallCause::Barrier;
      return !record.done;
    }
  }
  // After a branch another instruction than the next one in memory: the refill.
  uint32_t index = record.words[record.head];
  const StaticOp &op = code.at(index);
  wave.op = &op;
  wave.index = index;
  wave.length = 1 + payloadWords(op, payloadOf(wave));
  if (wave.expected != SimWave::never32 && wave.expected != index)
    wave.fetchAt = std::max(wave.fetchAt,
                            int64_t(wave.next + branchTakenCycles) * fetchTick);
  wave.expected = op.kind == IssueKind::Branch ? index + op.sizeBytes / 4
                                               : SimWave::never32;

  if (memory.hasInstructionCaches())
    fetchLine(wave);

  // The latest of all conditions; the cause kept is the one that ends last.
  uint64_t earliest = wave.next;
  StallCause cause = StallCause::Issue;
  auto waitUntil = [&](uint64_t time, StallCause why) {
    if (time > earliest) {
      earliest = time;
      cause = why;
    }
  };
  waitUntil(uint64_t(wave.fetchAt + fetchTicks(op.sizeBytes) + fetchTick - 1) /
                fetchTick,
            StallCause::Fetch);
  bool scalar = false;
  if (op.special == Special::WaitCnt) {
    // Only operations still in flight matter below.
    wave.vector.retire(earliest);
    wave.other.retire(earliest);
    if (op.waitVector != 255)
      waitUntil(wave.vector.downTo(op.waitVector, scalar),
                StallCause::VectorMemory);
    if (op.waitOther != 255) {
      uint64_t time = wave.other.downTo(op.waitOther, scalar);
      waitUntil(time, scalar ? StallCause::ScalarMemory : StallCause::Lds);
    }
  } else if (op.payload == Payload::Vector) {
    wave.vector.retire(earliest);
    waitUntil(wave.vector.downTo(62, scalar), StallCause::VectorMemory);
  } else if (op.payload != Payload::None) {
    wave.other.retire(earliest);
    waitUntil(wave.other.downTo(14, scalar), op.payload == Payload::Lds
                                                 ? StallCause::Lds
                                                 : StallCause::ScalarMemory);
  }
  if (op.category == StaticOp::usesVectorAlu)
    waitUntil(wave.vectorAt, StallCause::VectorAlu);
  wave.earliest = earliest;
  wave.waitsFor = cause;
  wave.blockedBy = StallCause::Issue;
  return true;
}

/// An instruction that lies across two lines counts for the one it begins in.
void Machine::Impl::fetchLine(SimWave &wave) {
  uint32_t line = wave.index * 4 / instructionLineBytes;
  if (line == wave.fetchedLine)
    return;
  wave.fetchedLine = line;
  double ready = memory.instructions(wave.group->cu, line, double(wave.next),
                                     countersOf(wave).timing.memory);
  wave.fetchAt = std::max(wave.fetchAt, int64_t(roundUp(ready)) * fetchTick);
}

/// 0 if the units are free at \p time, else when they will be, with the reason
/// in \p cause. Nothing is booked.
uint64_t Machine::Impl::unitsFree(const SimWave &wave, ComputeUnit &cu,
                                  Simd &simd, uint64_t time,
                                  StallCause &cause) const {
  uint64_t free = 0;
  auto need = [&](uint64_t at, StallCause why) {
    if (at > time && at > free) {
      free = at;
      cause = why;
    }
  };
  switch (wave.op->kind) {
  case IssueKind::Matrix:
    need(simd.matrixFree, StallCause::MatrixCore);
    [[fallthrough]];
  case IssueKind::Vector:
  case IssueKind::Transcendental:
    need(simd.vectorFree, StallCause::VectorAlu);
    break;
  case IssueKind::VectorMemory:
    // The address unit and the LDS ports have queues: issue stops only when
    // these are full.
    need(roundUp(std::max(0.0, cu.addressFree - addressQueueCycles)),
         StallCause::MemoryIssue);
    break;
  case IssueKind::Lds: {
    unsigned pair = wave.simd / 2;
    need(roundUp(cu.ldsIn[pair]), StallCause::LdsIssue);
    need(roundUp(std::max(0.0,
                          cu.ldsOut[pair] - (ldsFixedCycles + ldsQueueCycles))),
         StallCause::LdsIssue);
    break;
  }
  default:
    break;
  }
  return free;
}

/// Whether what a SIMD could do at \p time touches nothing but itself, or
/// nothing but its compute unit, where all others do something later only.
static bool staysInside(const ComputeUnit &cu, const Simd &simd,
                        uint64_t time) {
  bool usesCu = false;
  for (unsigned i = 0; i < simd.count; ++i) {
    if (simd.places[i].earliest > time)
      continue;
    if (!simd.places[i].staysInCu)
      return false;
    usesCu |= !simd.places[i].isLocal;
  }
  if (usesCu)
    for (const Simd &other : cu.simds)
      if (&other != &simd && other.scheduled < time)
        return false;
  return true;
}

/// While only one wavefront of a SIMD can issue, instructions that take one
/// turn each follow one another every four cycles: their bytes arrive faster,
/// and nothing is there to be waited for. From \p time on, before \p end: how
/// many there are, booked, in \p ran; 0 where that is not so.
unsigned Machine::Impl::runPlain(Simd &simd, uint64_t time, uint64_t end,
                                 Place *&ran) {
  static_assert(fetchTicks(4) < issuePeriod * fetchTick);
  ran = nullptr;
  for (unsigned i = 0; i < simd.count; ++i) {
    if (simd.places[i].earliest > time)
      end = std::min(end, simd.places[i].earliest);
    else if (ran)
      return 0;
    else
      ran = &simd.places[i];
  }
  if (!ran || !ran->isLocal || memory.hasInstructionCaches())
    return 0;
  SimWave &wave = *ran->wave;
  // It has not waited, nor has it to.
  if (wave.op->plain < 2 || wave.trace || wave.next != time ||
      std::max({simd.vectorFree, simd.workUntil, wave.vectorAt}) > time ||
      end < time + 2 * issuePeriod)
    return 0;
  size_t count = std::min<size_t>(
      {wave.op->plain, wave.record->left(), (end - time) / issuePeriod});
  // As recorded: words of straight code follow one another.
  uint32_t index = wave.index, last = uint32_t(index + count - 1);
  if (count < 2 || wave.record->words[wave.record->head + count - 1] != last)
    return 0;
  const StaticOp &behind = code.at(last + 1);
  unsigned rest = count < wave.op->plain ? behind.plainVector : 0;
  totals.workingSimdCycles +=
      uint64_t(wave.op->plainVector - rest) * issuePeriod;
  ++plainRuns[index];
  --plainRuns[last + 1];
  instructions += count;
  wave.group->time.instructions += count;
  uint64_t lastTime = time + (count - 1) * issuePeriod;
  wave.fetchAt =
      std::max(wave.fetchAt + int64_t(count) * fetchTicks(4),
               int64_t(lastTime) * fetchTick - fetchTicks(fetchBufferBytes));
  wave.next = lastTime + issuePeriod;
  wave.length = unsigned(count);
  return unsigned(count);
}

/// The turn that is due, and those after it that neither touch anything outside
/// the SIMD nor can be touched from there: others act on it by releasing a
/// barrier or by a workgroup's start, which both take their time.
bool Machine::Impl::visit(unsigned cu, unsigned simdNumber, uint64_t time) {
  Simd &simd = cus[cu].simds[simdNumber];
  uint64_t due = time;
  for (;;) {
    uint64_t next = never;
    if (!turn(cu, simdNumber, time, next))
      return false;
    if (next == never)
      return true;
    next = std::max(next, time + issuePeriod);
    next += (simdNumber + issuePeriod - next % issuePeriod) % issuePeriod;
    bool full = nextOf(cu / cusPerXcd) >= options.workgroups;
    uint64_t alone =
        due + (simd.atBarrier                      ? barrierCycles
               : full && !options.instructionLimit ? longestAlone
                                                   : groupStartCycles);
    Place *ran;
    if (uint64_t end = std::min(alone, simd.scheduled);
        next < end && runPlain(simd, next, end, ran)) {
      if (!prepare(*ran->wave))
        return false;
      ran->update();
      next = never;
      for (unsigned i = 0; i < simd.count; ++i)
        next = std::min(next, simd.places[i].earliest);
      next += (simdNumber + issuePeriod - next % issuePeriod) % issuePeriod;
    }
    if (next >= alone || next >= simd.scheduled ||
        !staysInside(cus[cu], simd, next)) {
      schedule(cu, simdNumber, next);
      return true;
    }
    time = next;
  }
}

bool Machine::Impl::turn(unsigned cuNumber, unsigned simdNumber, uint64_t time,
                         uint64_t &next) {
  ComputeUnit &cu = cus[cuNumber];
  Simd &simd = cu.simds[simdNumber];
  unsigned used = 0;
  // In order of priority and age, so that older ones get the units first.
  for (unsigned i = 0; i < simd.count; ++i) {
    Place &place = simd.places[i];
    if (place.earliest > time) {
      next = std::min(next, place.earliest);
      continue;
    }
    SimWave &wave = *place.wave;
    // Others of the launch may have moved on: ask again.
    if (wave.starved) {
      wave.next = time;
      if (!prepare(wave))
        return false;
      place.update();
      next = std::min(next, place.earliest);
      continue;
    }
    StallCause cause = StallCause::Issue;
    if (uint64_t free = unitsFree(wave, cu, simd, time, cause)) {
      wave.blockedBy = cause;
      next = std::min(next, free);
      continue;
    }
    if (used & wave.op->category) {
      next = std::min(next, time + issuePeriod);
      continue;
    }
    used |= wave.op->category;
    bool ends = wave.op->special == Special::End;
    if (!issue(wave, cuNumber, time))
      return false;
    if (ends) { // the list has changed
      next = time + issuePeriod;
      return true;
    }
    place.update();
    next = std::min(next, place.earliest);
  }
  if (simd.unsorted)
    sortWaves(simd);
  simd.unsorted = false;
  return true;
}

/// Books the wait that has ended, occupies the units, and prepares the
/// wavefront's next instruction. False after a fault.
bool Machine::Impl::issue(SimWave &wave, unsigned cuNumber, uint64_t time) {
  ComputeUnit &cu = cus[cuNumber];
  Simd &simd = cu.simds[wave.simd];
  const StaticOp &op = *wave.op;
  Counters &count = countersOf(wave);
  ++count.issues;
  ++instructions;
  ++wave.group->time.instructions;
  // Of the wait, what the wavefront itself needed; the rest is the units'
  // doing.
  uint64_t own = std::min(wave.earliest, time);
  if (own > wave.next)
    count.stalls[size_t(wave.waitsFor)] += own - wave.next;
  if (time > own)
    count.stalls[size_t(wave.blockedBy)] += time - own;
  if (wave.trace && time >= wave.next + shownStall) {
    StallCause why =
        own - wave.next >= time - own ? wave.waitsFor : wave.blockedBy;
    note(wave,
         op.special == Special::WaitCnt ? TraceKind::Wait : TraceKind::Stall,
         wave.next, time, why);
  }

  wave.fetchAt =
      std::max(wave.fetchAt + fetchTicks(op.sizeBytes),
               int64_t(time) * fetchTick - fetchTicks(fetchBufferBytes));
  wave.next = time + issuePeriod;
  uint64_t until = time + issuePeriod;
  switch (op.kind) {
  case IssueKind::Matrix:
    // Three times: the matrix core's own, when the SIMD may start another
    // vector operation, and when this wavefront may.
    simd.matrixFree = until = time + op.matrixCycles;
    simd.vectorFree = time + op.vectorCycles;
    wave.vectorAt = time + op.waveCycles;
    break;
  case IssueKind::Vector:
  case IssueKind::Transcendental:
    simd.vectorFree = until = time + op.vectorCycles;
    wave.vectorAt = time + op.waveCycles;
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
  if (op.category == StaticOp::usesVectorAlu) {
    uint64_t from = std::max(time, simd.workUntil);
    totals.workingSimdCycles += std::max(until, from) - from;
    simd.workUntil = std::max(until, from);
  }
  if (wave.trace && op.kind != IssueKind::Internal)
    note(wave, traceKindOf(op.kind), time, until);

  switch (op.special) {
  case Special::Nop:
    count.stalls[size_t(StallCause::Nop)] += op.idleCycles - issuePeriod;
    wave.next = time + op.idleCycles;
    break;
  case Special::Priority:
    // The order of this turn stays as it is.
    simd.unsorted |= wave.priority != op.priority;
    wave.priority = op.priority;
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
  lastEnd = std::max({lastEnd, end, wave.vector.downTo(0, scalar)});
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
  finished->push_back(group.time);
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
      spare.push_back(std::move(held));
      held = std::move(groups.back());
      groups.pop_back();
      break;
    }
  // Room for another workgroup of this XCD.
  dispatch(xcd, end);
  return startPlaced();
}
