//===- Turns.cpp - Whose turn it is, and how far ahead --------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In its turn a SIMD goes through its wavefronts (turn()). Turns come from the
// queue in the order of time, over all compute units; but most touch nothing
// outside their SIMD, or their compute unit, and then the host does better to
// stay there: what those of one compute unit do is the same, whatever the
// others have done by then.
//
//   turn of CU 7, SIMD 2 at 1002    from the queue: global_load
//     SIMD 3 at 1003, SIMD 0 at 1004, ...    VALU, LDS, barriers: at once
//     SIMD 1 at 1025                         global_load: into the queue
//
//===----------------------------------------------------------------------===//

#include "MachineImpl.h"

#include <algorithm>

using namespace tlc::sim;
using namespace tlc::sim::param;

/// Where no workgroup can start any more a compute unit may be this far ahead.
static constexpr uint64_t longestAlone = 2000;

/// The SIMD's first turn at or after \p time.
static uint64_t turnFrom(unsigned simd, uint64_t time) {
  return time + (simd + issuePeriod - time % issuePeriod) % issuePeriod;
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
    next = turnFrom(simdNumber, next);
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
      next = turnFrom(simdNumber, next);
    }
    if (next >= alone || next >= simd.scheduled ||
        !staysInside(cus[cu], simd, next)) {
      schedule(cu, simdNumber, next);
      return true;
    }
    time = next;
  }
}

/// Whether a compute unit may be ahead of the others: nothing is looked at that
/// counts over all of them, and instructions do not come from L2.
bool Machine::Impl::runsAhead() const {
  return options.firstMark == never && options.secondMark == never &&
         !options.instructionLimit && options.othersEnd.empty() &&
         !memory.hasInstructionCaches();
}

/// The turns of a SIMD, from \p next on, before \p end, for as long as only one
/// of its wavefronts can issue and what it issues touches nothing outside. \p
/// next becomes the first turn after them. False after a fault.
bool Machine::Impl::runAlone(unsigned cu, unsigned simdNumber, uint64_t &next,
                             uint64_t end) {
  Simd &simd = cus[cu].simds[simdNumber];
  while (next < end) {
    Place *ran = nullptr;
    uint64_t others = never;
    for (unsigned i = 0; i < simd.count; ++i) {
      if (simd.places[i].earliest > next)
        others = std::min(others, simd.places[i].earliest);
      else if (ran)
        return true;
      else
        ran = &simd.places[i];
    }
    if (!ran || !ran->isLocal)
      return true;
    SimWave &wave = *ran->wave;
    uint64_t until = std::min(end, others);
    while (next < until && ran->isLocal && !simd.unsorted) {
      Place *same;
      if (wave.op->plain >= 2 && runPlain(simd, next, until, same)) {
        if (!prepare(wave))
          return false;
        ran->update();
        next = turnFrom(simdNumber, ran->earliest);
      } else if (uint64_t free = unitsFree(ran->kind, cus[cu], simdNumber, next,
                                           ran->blockedBy)) {
        next = turnFrom(simdNumber, std::max(free, next + issuePeriod));
      } else {
        if (!issue(*ran, cu, next))
          return false;
        ran->update();
        next =
            turnFrom(simdNumber, std::max(ran->earliest, next + issuePeriod));
      }
    }
    if (simd.unsorted)
      sortWaves(simd);
    simd.unsorted = false;
    if (others < next)
      next = turnFrom(simdNumber, others);
  }
  return true;
}

/// The same for all SIMDs of the compute unit, in the order of their turns, for
/// as long as they touch nothing outside it: their state stays in the host's
/// caches. From there only a workgroup's start acts on them.
bool Machine::Impl::visitUnit(unsigned cu, unsigned simdNumber, uint64_t due) {
  ComputeUnit &unit = cus[cu];
  bool full = nextOf(cu / cusPerXcd) >= options.workgroups;
  uint64_t alone = due + (full ? longestAlone : groupStartCycles);
  uint64_t time = due;
  unsigned moved = 0; // SIMDs whose next turn is not entered
  for (;;) {
    Simd &simd = unit.simds[simdNumber];
    uint64_t next = never;
    if (!turn(cu, simdNumber, time, next))
      return false;
    if (next != never) {
      next = turnFrom(simdNumber, std::max(next, time + issuePeriod));
      uint64_t end = std::min(alone, simd.scheduled);
      if (simd.atBarrier)
        for (const Simd &other : unit.simds)
          if (&other != &simd && other.scheduled != never)
            end = std::min(end, other.scheduled + barrierCycles);
      if (!runAlone(cu, simdNumber, next, end))
        return false;
      if (next < simd.scheduled) {
        simd.scheduled = next;
        moved |= 1u << simdNumber;
      }
    }
    // Whose turn is next, and whether it is one for the queue.
    for (unsigned s = 0; s < simdsPerCu; ++s)
      if (unit.simds[s].scheduled < unit.simds[simdNumber].scheduled)
        simdNumber = s;
    Simd &first = unit.simds[simdNumber];
    time = first.scheduled;
    bool stays = time < alone;
    for (unsigned i = 0; stays && i < first.count; ++i)
      stays = first.places[i].earliest > time || first.places[i].staysInUnit;
    if (!stays)
      break;
    first.scheduled = never;
    moved &= ~(1u << simdNumber);
  }
  for (unsigned s = 0; s < simdsPerCu; ++s)
    if (moved >> s & 1)
      events.push(unit.simds[s].scheduled, cu);
  return true;
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
    // Others of the launch may have moved on: ask again.
    if (place.starved) {
      place.wave->next = time;
      if (!prepare(*place.wave))
        return false;
      place.update();
      next = std::min(next, place.earliest);
      continue;
    }
    if (uint64_t free =
            unitsFree(place.kind, cu, simdNumber, time, place.blockedBy)) {
      next = std::min(next, free);
      continue;
    }
    if (used & place.category) {
      next = std::min(next, time + issuePeriod);
      continue;
    }
    used |= place.category;
    bool ends = place.wave->op->special == Special::End;
    if (!issue(place, cuNumber, time))
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
