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
// Where what is asked of L2 is served later (Windows.cpp) the global_load does
// not matter either: compute units take all their turns of a window, each with
// no queue.
//
// On a compute unit each SIMD goes on in the same way, for as long as what it
// issues touches no other SIMD, and where one wavefront of it is alone, that
// one without a look at the others.
//
//===----------------------------------------------------------------------===//

#include "MachineImpl.h"

#include <algorithm>

using namespace tlc::sim;
using namespace tlc::sim::param;

/// Where no workgroup can start any more a compute unit may be this far ahead.
static constexpr uint64_t longestAlone = 2000;

/// Instructions in a visit of a compute unit that pay for asking ahead.
static constexpr uint64_t longVisit = 256;

/// The SIMD's first turn at or after \p time.
static uint64_t turnFrom(unsigned simd, uint64_t time) {
  return time + (simd + issuePeriod - time % issuePeriod) % issuePeriod;
}

/// Whether what a SIMD could do at \p time touches nothing but itself, or
/// nothing but its compute unit, where all others do something later only.
static bool staysInside(const ComputeUnit &cu, unsigned simdNumber,
                        uint64_t time) {
  const Simd &simd = cu.simds[simdNumber];
  bool usesCu = false;
  for (unsigned i = 0; i < simd.count; ++i) {
    if (simd.places[i].earliest > time)
      continue;
    if (!simd.places[i].staysInCu)
      return false;
    usesCu |= !simd.places[i].isLocal;
  }
  if (usesCu)
    for (unsigned s = 0; s < simdsPerCu; ++s)
      if (s != simdNumber && cu.scheduled[s] < time)
        return false;
  return true;
}

/// 0 if the vector ALU and matrix core are free at \p time for an instruction
/// of this kind, else when they will be, with the reason in \p cause.
static uint64_t aluFree(IssueKind kind, const Simd &simd, uint64_t time,
                        StallCause &cause) {
  uint64_t free = 0;
  StallCause why = StallCause::VectorAlu;
  switch (kind) {
  case IssueKind::Matrix:
    if (simd.matrixFree >= simd.vectorFree) {
      free = simd.matrixFree;
      why = StallCause::MatrixCore;
      break;
    }
    [[fallthrough]];
  case IssueKind::Vector:
  case IssueKind::Transcendental:
    free = simd.vectorFree;
    break;
  default:
    break;
  }
  if (free <= time)
    return 0;
  cause = why;
  return free;
}

/// The same of all units. Nothing is booked.
uint64_t Machine::Impl::unitsFree(IssueKind kind, ComputeUnit &cu,
                                  unsigned simdNumber, uint64_t time,
                                  StallCause &cause) {
  auto later = [&](uint64_t at, StallCause why) -> uint64_t {
    if (at <= time)
      return 0;
    cause = why;
    return at;
  };
  switch (kind) {
  case IssueKind::VectorMemory:
    if (!cu.lateStores.empty())
      noteLateStores(cu, time);
    return later(cu.addressOpen, StallCause::MemoryIssue);
  case IssueKind::Lds:
    return later(cu.ldsOpen[simdNumber / 2], StallCause::LdsIssue);
  default:
    return aluFree(kind, cu.simds[simdNumber], time, cause);
  }
}

/// While only one wavefront of a SIMD can issue, instructions that take one
/// turn each follow one another every four cycles: their bytes arrive faster,
/// and nothing is there to be waited for. From \p time on, before \p end: how
/// many there are, booked; 0 where that is not so.
[[gnu::always_inline]] inline unsigned Machine::Impl::runPlain(Simd &simd,
                                                               WaveClock &wave,
                                                               uint64_t time,
                                                               uint64_t end) {
  static_assert(fetchTicks(4) < issuePeriod * fetchTick);
  // It has not waited, nor has it to.
  if (wave.op->plain < 2 || wave.next != time ||
      std::max({simd.vectorFree, simd.workUntil, wave.vectorAt}) > time ||
      end < time + 2 * issuePeriod)
    return 0;
  size_t count = std::min<size_t>(
      {wave.op->plain, wave.record->left(), (end - time) / issuePeriod});
  // As recorded: words of straight code follow one another.
  uint32_t index = indexOf(wave), last = uint32_t(index + count - 1);
  if (count < 2 || wave.record->words[wave.record->head + count - 1] != last)
    return 0;
  const StaticOp &behind = code.at(last + 1);
  unsigned rest = count < wave.op->plain ? behind.plainVector : 0;
  totals.workingSimdCycles +=
      uint64_t(wave.op->plainVector - rest) * issuePeriod;
  ++plainRuns[index];
  --plainRuns[last + 1];
  instructions += count;
  wave.issued += count;
  uint64_t lastTime = time + (count - 1) * issuePeriod;
  wave.fetchAt =
      std::max(wave.fetchAt + int64_t(count) * fetchTicks(4),
               int64_t(lastTime) * fetchTick - fetchTicks(fetchBufferBytes));
  wave.next = lastTime + issuePeriod;
  wave.length = uint16_t(count);
  return unsigned(count);
}

/// The only wavefront of the SIMD that can issue at \p time, if it is one, and
/// when others can.
static Place *aloneAt(Simd &simd, uint64_t time, uint64_t &others) {
  Place *alone = nullptr;
  others = never;
  for (unsigned i = 0; i < simd.count; ++i) {
    Place &place = simd.places[i];
    if (place.earliest > time)
      others = std::min(others, place.earliest);
    else if (alone)
      return nullptr;
    else
      alone = &place;
  }
  return alone;
}

/// The turn that is due, and those after it that neither touch anything outside
/// the SIMD nor can be touched from there: others act on it by releasing a
/// barrier or by a workgroup's start, which both take their time.
bool Machine::Impl::visit(unsigned cu, unsigned simdNumber, uint64_t time) {
  Simd &simd = cus[cu].simds[simdNumber];
  uint64_t due = time;
  for (;;) {
    Upcoming up;
    if (!turn(cu, simdNumber, time, up))
      return false;
    if (up.first == never)
      return true;
    uint64_t next =
        turnFrom(simdNumber, std::max(up.first, time + issuePeriod));
    bool full = nextOf(cu / cusPerXcd) >= options.workgroups;
    uint64_t alone =
        due + (simd.atBarrier                      ? barrierCycles
               : full && !options.instructionLimit ? longestAlone
                                                   : groupStartCycles);
    uint64_t end = std::min(alone, cus[cu].scheduled[simdNumber]), others;
    if (next < end)
      if (Place *ran = aloneAt(simd, next, others);
          ran && ran->isLocal && !ran->wave->isTraced &&
          !memory.hasInstructionCaches() &&
          runPlain(simd, *ran->wave, next, std::min(end, others))) {
        if (!prepare(*ran->wave))
          return false;
        ran->update();
        next = turnFrom(simdNumber, std::min(ran->earliest, others));
      }
    if (next >= end || !staysInside(cus[cu], simdNumber, next)) {
      schedule(cu, simdNumber, next);
      return true;
    }
    time = next;
  }
}

/// Whether a compute unit may be ahead of the others: nothing is looked at that
/// counts over all of them, and instructions do not come from L2.
bool Machine::Impl::runsAhead(const MachineOptions &options,
                              const CodeTable &code) {
  return options.firstMark == never && options.secondMark == never &&
         !options.instructionLimit && options.othersEnd.empty() &&
         !UnitMemory::needsInstructionCaches(uint64_t(code.size()) * 4);
}

/// Where only one wavefront can issue, before \p until: what it issues while
/// that touches nothing outside the SIMD. \p next becomes its turn after that.
/// All that is written in between is a copy, which the host keeps in registers.
/// False after a fault.
bool Machine::Impl::issueLocal(Simd &simd, unsigned simdNumber, Place &alone,
                               uint64_t &next, uint64_t until) {
  SimWave &wave = *alone.wave;
  WaveRecord &record = *wave.record;
  WaveClock clock = wave;
  StallCause blockedBy = alone.blockedBy;
  uint64_t time = next;
  bool goesOn = true, stays = true;
  do {
    const StaticOp &op = *clock.op;
    if (op.plain >= 2 && runPlain(simd, clock, time, until)) {
      blockedBy = StallCause::Issue;
    } else {
      if (uint64_t free = aluFree(op.kind, simd, time, blockedBy)) {
        time = turnFrom(simdNumber, std::max(free, time + issuePeriod));
        continue;
      }
      Counters &count = countersOf(clock);
      ++instructions;
      book(clock, count, time, blockedBy);
      blockedBy = StallCause::Issue;
      if (op.category == StaticOp::usesVectorAlu) {
        occupyAlu(clock, simd, time);
      } else if (op.special == Special::Nop) {
        idle(clock, count, time);
      } else if (op.special == Special::Priority) {
        setPriority(simd, wave, op.priority);
        goesOn = !simd.unsorted;
      }
    }
    // Its next instruction, if it is local, too.
    record.head += clock.length;
    clock.length = 0;
    size_t left = record.left();
    if (left <= lowWords && lowWords && !record.done) [[unlikely]]
      noteLow(*wave.group);
    const uint32_t *words = record.words.data() + record.head;
    if (!left || !code.at(*words).isLocal) {
      stays = false;
      break;
    }
    clock.length = 1;
    __builtin_prefetch(words + 32); // two lines on
    decode(clock, code.at(*words), *words);
    await(wave, clock);
    time = turnFrom(simdNumber, std::max(clock.earliest, time + issuePeriod));
  } while (goesOn && time < until);
  static_cast<WaveClock &>(wave) = clock;
  if (!stays) {
    if (!prepare(wave))
      return false;
    time = turnFrom(simdNumber, std::max(wave.earliest, time + issuePeriod));
  }
  alone.update();
  alone.blockedBy = blockedBy;
  next = time;
  return true;
}

/// The same, until another wavefront can. \p next becomes the first turn after
/// them. False after a fault.
bool Machine::Impl::runAlone(Simd &simd, unsigned simdNumber, Upcoming &up,
                             uint64_t &next, uint64_t end) {
  Place &alone = *up.place;
  uint64_t until = std::min(end, up.second);
  if (alone.isLocal && !simd.unsorted && next < until &&
      !issueLocal(simd, simdNumber, alone, next, until))
    return false;
  if (!alone.isLocal)
    up.outside = std::min(up.outside, alone.earliest);
  if (simd.unsorted) {
    sortWaves(simd);
    up.second = 0; // the places have changed
  } else if (up.second < next) {
    next = turnFrom(simdNumber, up.second);
  }
  simd.unsorted = false;
  return true;
}

/// The turn of a SIMD at \p time, and those after it, before \p alone, that
/// touch nothing outside. \p next becomes the first turn after them. False
/// after a fault.
bool Machine::Impl::runSimd(unsigned cu, unsigned simdNumber, uint64_t time,
                            uint64_t alone, uint64_t &next) {
  Upcoming up;
  if (!turn(cu, simdNumber, time, up))
    return false;
  next = never;
  if (up.first >= unknown)
    return true;
  ComputeUnit &unit = cus[cu];
  Simd &simd = unit.simds[simdNumber];
  uint64_t end = std::min(alone, unit.scheduled[simdNumber]);
  if (simd.atBarrier)
    for (unsigned s = 0; s < simdsPerCu; ++s)
      if (s != simdNumber && unit.scheduled[s] != never)
        end = std::min(end, unit.scheduled[s] + barrierCycles);
  next = turnFrom(simdNumber, std::max(up.first, time + issuePeriod));
  while (next < std::min(end, unit.holdFrom) && up.outside > next) {
    if (up.second > next && !up.place->wave->isTraced) {
      if (!runAlone(simd, simdNumber, up, next, std::min(end, unit.holdFrom)))
        return false;
      continue;
    }
    time = next;
    up = Upcoming();
    if (!turn(cu, simdNumber, time, up))
      return false;
    next = turnFrom(simdNumber, std::max(up.first, time + issuePeriod));
  }
  return true;
}

/// Whether what a SIMD could do at \p time acts on its compute unit only. What
/// is asked of L2 does where requests are served later.
bool Machine::Impl::staysInUnit(const Simd &simd, uint64_t time) const {
  bool mayAsk = isByUnit && time < windowEnd;
  for (unsigned i = 0; i < simd.count; ++i) {
    const Place &place = simd.places[i];
    if (place.wake <= time && !place.staysInUnit &&
        !(mayAsk && (place.kind == IssueKind::VectorMemory ||
                     place.kind == IssueKind::ScalarMemory)))
      return false;
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
  uint64_t time = due, before = instructions;
  unit.askedLately = 0;
  unsigned moved = 0; // SIMDs whose next turn is not entered
  for (;;) {
    memory.startTurn(time);
    uint64_t next;
    if (!runSimd(cu, simdNumber, time, alone, next))
      return false;
    if (next < std::min(unknown, unit.scheduled[simdNumber])) {
      unit.scheduled[simdNumber] = next;
      moved |= 1u << simdNumber;
    }
    // Whose turn is next, and whether it is one for the queue. Each SIMD has
    // its own of every four cycles.
    const uint64_t(&turns)[simdsPerCu] = unit.scheduled;
    static_assert(simdsPerCu == 4 && issuePeriod == 4);
    time = std::min(std::min(turns[0], turns[1]), std::min(turns[2], turns[3]));
    if (time >= std::min(alone, unit.holdFrom))
      break;
    simdNumber = time % issuePeriod;
    if (!staysInUnit(unit.simds[simdNumber], time))
      break;
    unit.scheduled[simdNumber] = never;
    moved &= ~(1u << simdNumber);
  }
  if (isByUnit)
    nextTurn[cu] = *std::ranges::min_element(unit.scheduled);
  else
    for (unsigned s = 0; s < simdsPerCu; ++s)
      if (moved >> s & 1)
        events.push(unit.scheduled[s], cu);
  unit.ranLately = instructions - before;
  return true;
}

/// The state of thousands of wavefronts does not fit the host's caches. Which
/// compute units have turns before \p end is known, so what they will read is
/// asked for some visits ahead: each stage may follow what the one before has
/// brought.
static constexpr size_t fetchStages = 4;

void Machine::Impl::fetchUnitAhead(unsigned cu, uint64_t end,
                                   size_t stage) const {
  const ComputeUnit &unit = cus[cu];
  auto fetch = [](const void *from, size_t bytes) {
    const char *at = static_cast<const char *>(from);
    for (size_t i = 0; i < bytes; i += 64)
      __builtin_prefetch(at + i);
  };
  if (stage == 0)
    return fetch(&unit, sizeof(ComputeUnit));
  if (stage == 1 && unit.askedLately)
    memory.fetchL1Ahead(cu, unit.askedLately);
  // In a long visit all of its wavefronts have turns.
  bool isLong = unit.ranLately >= longVisit;
  for (const Simd &simd : unit.simds)
    for (unsigned i = 0; i < simd.count; ++i) {
      const Place &place = simd.places[i];
      if (place.wake >= end && !isLong)
        continue;
      const SimWave &wave = *place.wave;
      if (stage == 1) {
        fetch(&wave, SimWave::readBytes);
        fetch(&wave.vector, 64);
      } else if (stage == 2) {
        fetch(wave.record, sizeof(WaveRecord));
      } else {
        // The rest of this instruction's words, and the next.
        fetch(payloadOf(wave), 128);
      }
    }
}

/// The turns before \p end, one compute unit after the other: what they ask of
/// L2 is put in order later. Only where a workgroup ends it acts on others, so
/// that waits until all have got that far.
bool Machine::Impl::advanceUnits(uint64_t end) {
  std::vector<unsigned> due;
  for (unsigned cu = 0; cu < cus.size(); ++cu)
    if (nextTurn[cu] < end)
      due.push_back(cu);
  // Its next turn, and those after it.
  auto visitNext = [&](unsigned cu, bool mayEnd) {
    uint64_t (&scheduled)[simdsPerCu] = cus[cu].scheduled;
    unsigned simd = unsigned(std::ranges::min_element(scheduled) - scheduled);
    uint64_t time = scheduled[simd];
    if (!mayEnd && !staysInUnit(cus[cu].simds[simd], time))
      return true;
    scheduled[simd] = never;
    return visitUnit(cu, simd, time);
  };
  size_t ahead = residentWaves > cachedWaves ? fetchStages : 0;
  for (size_t i = 0; i < due.size() + ahead; ++i) {
    for (size_t stage = 0; stage < ahead; ++stage)
      if (size_t at = i - stage; at < due.size())
        fetchUnitAhead(due[at], end, stage);
    if (i >= ahead && !visitNext(due[i - ahead], false))
      return false;
  }
  for (;;) {
    auto first = std::ranges::min_element(nextTurn);
    firstTurn = *first;
    if (firstTurn >= end)
      return true;
    if (!visitNext(unsigned(first - nextTurn.begin()), true))
      return false;
  }
}

/// One turn: what its wavefronts can issue at \p time. \p up: what then comes.
bool Machine::Impl::turn(unsigned cuNumber, unsigned simdNumber, uint64_t time,
                         Upcoming &up) {
  ComputeUnit &cu = cus[cuNumber];
  Simd &simd = cu.simds[simdNumber];
  unsigned used = 0;
  // In order of priority and age, so that older ones get the units first.
  for (unsigned i = 0; i < simd.count; ++i) {
    Place &place = simd.places[i];
    if (place.wake > time) {
      up.add(place, place.wake);
      continue;
    }
    // Others of the launch may have moved on: ask again.
    if (place.starved) {
      place.wave->next = time;
      if (!prepare(*place.wave))
        return false;
      place.update();
      up.add(place, place.wake);
      continue;
    }
    if (uint64_t free =
            unitsFree(place.kind, cu, simdNumber, time, place.blockedBy)) {
      // Those who have them keep them: no need to ask before.
      place.wake = free;
      up.add(place, free);
      continue;
    }
    if (used & place.category) {
      up.add(place, time + issuePeriod);
      continue;
    }
    used |= place.category;
    bool ends = place.wave->op->special == Special::End;
    if (!issue(place, cuNumber, time))
      return false;
    if (ends) { // the list has changed
      up.first = up.second = up.outside = time + issuePeriod;
      return true;
    }
    place.update();
    up.add(place, place.wake);
  }
  if (simd.unsorted) {
    sortWaves(simd);
    up.second = 0; // the places have changed
  }
  simd.unsorted = false;
  return true;
}
