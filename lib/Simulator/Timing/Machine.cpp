//===- Machine.cpp - Dispatch and the event loop --------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A SIMD is looked at in every fourth cycle, its own of the four, and only in
// those in which one of its wavefronts may have become able to issue. The
// queue of such times drives everything; ties are broken by number, so that a
// run repeats exactly.
//
//===----------------------------------------------------------------------===//

#include "MachineImpl.h"

#include <algorithm>
#include <cstddef>

using namespace tlc::sim;
using namespace tlc::sim::param;

/// What fits a compute unit: wavefront slots, registers in granules of 8, LDS
/// in granules of 512 bytes, and 16 workgroups of several wavefronts (each
/// needs a barrier resource).
Occupancy tlc::sim::occupancyOf(const GroupNeeds &needs) {
  unsigned vgprs = std::max(8u, (needs.vgprs + 7) / 8 * 8);
  unsigned byVgprs = std::min<unsigned>(wavesPerSimd, vgprsPerSimd / vgprs);
  unsigned lds = (needs.ldsBytes + ldsGranule - 1) / ldsGranule * ldsGranule;
  // The wavefronts of a workgroup spread over the four SIMDs.
  auto groupsFor = [&](unsigned waves) {
    return waves * simdsPerCu / needs.waves;
  };
  unsigned slots = groupsFor(wavesPerSimd);
  if (needs.waves > 1)
    slots = std::min<unsigned>(slots, maxGroupsPerCu);
  unsigned registers = groupsFor(byVgprs);
  unsigned memory = lds ? ldsBytes / lds : slots;
  Occupancy result;
  result.groupsPerCu = std::min({slots, registers, memory});
  // Of equal limits the first counts.
  result.limit = result.groupsPerCu == slots       ? OccupancyLimit::WaveSlots
                 : result.groupsPerCu == registers ? OccupancyLimit::Vgprs
                                                   : OccupancyLimit::Lds;
  result.wavesPerSimd =
      (result.groupsPerCu * needs.waves + simdsPerCu - 1) / simdsPerCu;
  return result;
}

/// One server or queue for each unit of `xcds` XCDs.
Machine::Impl::Impl(CodeTable &code, GroupSource &source, MemorySystem &shared,
                    const GroupNeeds &needs, const MachineOptions &options,
                    void *caches, unsigned firstXcd, unsigned xcds)
    : code(code), source(source), needs(needs), options(options),
      isAhead(runsAhead(options, code)), fits(occupancyOf(needs)),
      firstXcd(firstXcd), shared(shared),
      memory(shared, caches, firstXcd * cusPerXcd, xcds * cusPerXcd),
      cus(xcds * cusPerXcd), nextGroup(xcds), dispatchFree(xcds),
      events(xcds * cusPerXcd), counters(code.size()),
      plainRuns(code.size() + 1) {
  memory.addInstructionCaches(uint64_t(code.size()) * 4);
}

/// Enters the SIMD's first turn at or after `time`, unless an earlier one is
/// entered; later entries become void.
void Machine::Impl::schedule(unsigned cu, unsigned simd, uint64_t time) {
  if (time >= unknown)
    return;
  // The SIMD's next turn.
  time += (simd + issuePeriod - time % issuePeriod) % issuePeriod;
  uint64_t &scheduled = cus[cu].scheduled[simd];
  if (time >= scheduled)
    return;
  scheduled = time;
  enter(time, cu);
}

/// Higher priority first, then the older wavefront.
void Machine::Impl::sortWaves(Simd &simd) {
  std::sort(simd.places, simd.places + simd.count,
            [](const Place &a, const Place &b) {
              if (a.wave->priority != b.wave->priority)
                return a.wave->priority > b.wave->priority;
              return a.wave->age < b.wave->age;
            });
}

/// Places one workgroup; its wavefronts go to the emptiest SIMDs.
void Machine::Impl::place(unsigned cu, uint64_t time, uint64_t id) {
  ComputeUnit &unit = cus[cu];
  GroupRecord &record = source.begin(id);
  std::unique_ptr<SimGroup> group;
  // Workgroups are reused with their vectors.
  if (spare.empty()) {
    group = std::make_unique<SimGroup>();
  } else {
    group = std::move(spare.back());
    spare.pop_back();
  }
  group->record = &record;
  group->cu = cu;
  group->alive = record.waveCount;
  group->arrived = 0;
  group->isLow = false;
  group->time = {id, time, 0, 0, cu};
  group->waves.assign(record.waveCount, SimWave());
  unit.used = true;
  if (unit.groups == 0)
    unit.busyFrom = time;
  notePace(unit, time);
  unit.residents.push_back(group.get());
  group->notedInstructions = 0;
  ++unit.groups;
  unit.waves += record.waveCount;
  for (unsigned w = 0; w < record.waveCount; ++w) {
    unsigned best = 0;
    for (unsigned s = 1; s < simdsPerCu; ++s)
      if (unit.simds[s].count < unit.simds[best].count)
        best = s;
    SimWave &wave = group->waves[w];
    wave.record = &record.waves[w];
    wave.group = group.get();
    wave.next = wave.begin = time + w * dispatchCycles;
    wave.fetchAt = int64_t(wave.next) * fetchTick;
    wave.simd = best;
    wave.slot = unit.simds[best].count;
    wave.age = age++;
    // The first wavefronts of the run are traced.
    if (traces.size() < options.traceWaves) {
      WaveTrace &trace = traces.emplace_back();
      traceTimes.push_back(dispatchTime);
      trace.xcd = options.firstXcd + firstXcd + cu / cusPerXcd;
      trace.cu = cu % cusPerXcd;
      trace.simd = best;
      trace.slot = wave.slot;
      trace.workgroup = id;
      trace.wave = w;
      trace.begin = wave.begin;
      wave.trace = &trace;
      wave.isTraced = true;
    }
    Simd &simd = unit.simds[best];
    if (simd.count == 0)
      simd.busyFrom = wave.begin;
    Place &place = simd.places[simd.count++];
    place = Place();
    place.wave = &wave;
  }
  for (Simd &simd : unit.simds)
    sortWaves(simd);
  residentWaves += record.waveCount;
  placed.push_back(group.get());
  groups.push_back(std::move(group));
}

/// Apart from placing, so that the source may run all of them at once.
bool Machine::Impl::startPlaced() {
  for (SimGroup *group : placed)
    for (SimWave &wave : group->waves) {
      if (!prepare(wave))
        return false;
      cus[group->cu].simds[wave.simd].placeOf(wave).update();
      schedule(group->cu, wave.simd, wave.earliest);
    }
  placed.clear();
  return true;
}

/// Starts as many of the XCD's next workgroups as have room, each on the
/// compute unit with the fewest. The dispatcher takes some cycles for each
/// wavefront.
void Machine::Impl::dispatch(unsigned xcd, uint64_t time) {
  dispatchTime = time;
  for (;;) {
    uint64_t id = nextOf(xcd);
    if (id >= options.workgroups)
      return;
    unsigned best = xcd * cusPerXcd;
    for (unsigned cu = best + 1; cu < (xcd + 1) * cusPerXcd; ++cu)
      if (cus[cu].groups < cus[best].groups)
        best = cu;
    if (cus[best].groups >= std::min(fits.groupsPerCu, options.groupsPerCu))
      return;
    if (xcd == 0 && (nextGroup[xcd] == options.firstMark ||
                     nextGroup[xcd] == options.secondMark)) {
      mark(time);
      if (nextGroup[xcd] == options.secondMark) {
        options.secondMark = never;
        nextGroup[xcd] += options.skipped;
        continue;
      }
      options.firstMark = never;
    }
    ++nextGroup[xcd];
    uint64_t start = std::max(time, dispatchFree[xcd]);
    dispatchFree[xcd] = start + needs.waves * dispatchCycles;
    place(best, start + groupStartCycles, id);
  }
}

/// All XCDs get on alike while they have work.
void Machine::Impl::noteOthersEnd() {
  const std::vector<double> &ends = options.othersEnd;
  size_t before = othersEnded;
  while (othersEnded < ends.size() && double(instructions) >= ends[othersEnded])
    ++othersEnded;
  if (othersEnded != before)
    shared.setActiveXcds(unsigned(param::xcds - othersEnded));
}

/// The state of hundreds of SIMDs does not fit the host's caches. Those that
/// are due at one time are known beforehand, so what their turns will read is
/// asked for a few turns ahead: each stage may follow what the one before has
/// brought.
static constexpr size_t fetchStages = 5, fetchStep = 4;
/// Of an access: the others are asked for when it starts.
static constexpr unsigned linesAhead = 4;

void Machine::Impl::fetchAhead(unsigned cu, unsigned simdNumber, uint64_t time,
                               unsigned stage) const {
  const Simd &simd = cus[cu].simds[simdNumber];
  auto lines = [](const void *from, size_t bytes) {
    const char *at = static_cast<const char *>(from);
    for (size_t i = 0; i < bytes; i += 64)
      __builtin_prefetch(at + i);
  };
  if (stage == 0)
    return lines(&simd, sizeof(Simd));
  for (unsigned i = 0; i < simd.count; ++i) {
    const Place &place = simd.places[i];
    if (place.wake > time)
      continue;
    const SimWave &wave = *place.wave;
    if (stage == 1) {
      lines(&wave, SimWave::readBytes);
      lines(&wave.vector, 64);
    } else if (stage == 2) {
      lines(wave.record, sizeof(WaveRecord));
      if (wave.op)
        lines(&countersOf(wave), offsetof(Counters, timing));
    } else if (stage == 3) {
      // The rest of this instruction's words, and the next.
      lines(payloadOf(wave), 128);
    } else if (place.kind == IssueKind::VectorMemory && !place.starved) {
      const uint32_t *words = payloadOf(wave);
      uint64_t base = words[3] | uint64_t(words[4]) << 32;
      for (unsigned l = 0; l < std::min(words[0] & 0xffff, linesAhead); ++l)
        memory.fetchAhead(cu, base + (words[5 + l] & 0x3fffffff));
    }
  }
}

/// One workgroup after the other over the XCDs, as their dispatchers do.
void Machine::Impl::dispatchAll() {
  for (unsigned xcd = 0; xcd < nextGroup.size(); ++xcd)
    dispatch(xcd, launchCycles);
}

bool Machine::Impl::advance(uint64_t end, std::vector<TimingResult> &taken) {
  marks = &taken;
  if (isByUnit)
    return advanceUnits(end);
  std::vector<unsigned> due;
  while (events.pop(now, due, std::min(end, limit))) {
    uint64_t time = now;
    memory.startTurn(time);
    noteOthersEnd();
    unsigned simd = time % issuePeriod;
    bool ahead = residentWaves > cachedWaves;
    size_t distance = ahead ? fetchStages * fetchStep : 0;
    for (size_t i = 0; i < due.size() + distance; ++i) {
      for (size_t stage = 0; ahead && stage < fetchStages; ++stage)
        if (size_t at = i - stage * fetchStep; at < due.size())
          fetchAhead(due[at], simd, time, unsigned(stage));
      if (i < distance)
        continue;
      unsigned cu = due[i - distance];
      uint64_t &scheduled = cus[cu].scheduled[simd];
      // Void: the SIMD has been given an earlier turn since.
      if (scheduled != time)
        continue;
      scheduled = never;
      if (options.instructionLimit) {
        if (marks->empty() && instructions >= options.instructionLimit / 2) {
          mark(time);
          pace.clear();
        }
        if (instructions >= options.instructionLimit) {
          stopAt(time);
          stopped = true;
          return true;
        }
      }
      if (!(isAhead ? visitUnit(cu, simd, time) : visit(cu, simd, time)))
        return false;
    }
  }
  return true;
}

Machine::Machine(CodeTable &code, GroupSource &source, const GroupNeeds &needs,
                 const MachineOptions &options)
    : source(source),
      memory(std::make_unique<MemorySystem>(options.xcds, cusPerXcd,
                                            options.sharing, options.warm,
                                            options.pages)),
      unitPages(UnitMemory::bytesFor(options.xcds * cusPerXcd)) {
  auto make = [&](unsigned first, unsigned count) {
    void *caches = unitPages.at(UnitMemory::bytesFor(first * cusPerXcd));
    return std::make_unique<Impl>(code, source, *memory, needs, options, caches,
                                  first, count);
  };
  // What counts over all XCDs stands in the way.
  inWindows =
      Impl::runsAhead(options, code) && !(options.inOrder && options.xcds == 1);
  if (!inWindows) {
    impl = make(0, options.xcds);
    return;
  }
  impl = make(0, 1);
  for (unsigned xcd = 1; xcd < options.xcds; ++xcd)
    others.push_back(make(xcd, 1));
}
Machine::~Machine() = default;

bool Machine::run() {
  if (inWindows)
    return runWindows();
  impl->dispatchAll();
  // Groups that are left: a fault, or a wavefront that nobody can wake. A run
  // that has stopped still has them.
  return impl->startPlaced() && impl->advance(never, taken) &&
         (impl->stopped || impl->isEmpty());
}
const std::vector<GroupTime> &Machine::groups() const { return impl->finished; }
const Pace &Machine::pace() const { return impl->pace; }
const std::vector<uint64_t> &Machine::pages() const {
  return memory->pagesMet();
}
double Machine::meanLag() const { return memory->meanLag(); }
const LineSharing &Machine::whatIsRead() const { return memory->whatIsRead(); }
double Machine::linesPlaced() const { return memory->linesPlaced(); }
double Machine::linesWritten() const { return memory->linesWritten(); }
double Machine::linesBeforeWrites() const {
  return memory->linesBeforeWrites();
}
unsigned Machine::activeXcds() const {
  return unsigned(param::xcds - impl->othersEnded);
}
