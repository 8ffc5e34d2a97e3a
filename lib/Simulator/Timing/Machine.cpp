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
// Time goes forward by events only; between two turns of a SIMD nothing changes
// that it could see. The cost of a run therefore grows with the
// instructions, hardly with the cycles.
//
//===----------------------------------------------------------------------===//

#include "MachineImpl.h"

#include <algorithm>

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
Machine::Impl::Impl(CodeTable &code, GroupSource &source,
                    const GroupNeeds &needs, const MachineOptions &options)
    : code(code), source(source), needs(needs), options(options),
      fits(occupancyOf(needs)),
      memory(options.xcds, cusPerXcd, options.sharers, options.warm),
      cus(options.xcds * cusPerXcd), nextGroup(options.xcds),
      dispatchFree(options.xcds), counters(code.size()) {}

/// Enters the SIMD's first turn at or after `time`, unless an earlier one is
/// entered; later entries become void.
void Machine::Impl::schedule(unsigned cu, unsigned simd, uint64_t time) {
  // The SIMD's next turn.
  time += (simd + issuePeriod - time % issuePeriod) % issuePeriod;
  Simd &unit = cus[cu].simds[simd];
  if (time >= unit.scheduled)
    return;
  unit.scheduled = time;
  events.push({time, cu * simdsPerCu + simd});
}

/// Higher priority first, then the older wavefront.
void Machine::Impl::sortWaves(Simd &simd) {
  std::sort(simd.waves.begin(), simd.waves.end(),
            [](const SimWave *a, const SimWave *b) {
              if (a->priority != b->priority)
                return a->priority > b->priority;
              return a->age < b->age;
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
  group->time = {id, time, 0, 0, cu};
  group->waves.assign(record.waveCount, SimWave());
  unit.used = true;
  if (unit.groups == 0)
    unit.busyFrom = time;
  ++unit.groups;
  unit.waves += record.waveCount;
  for (unsigned w = 0; w < record.waveCount; ++w) {
    unsigned best = 0;
    for (unsigned s = 1; s < simdsPerCu; ++s)
      if (unit.simds[s].waves.size() < unit.simds[best].waves.size())
        best = s;
    SimWave &wave = group->waves[w];
    wave.record = &record.waves[w];
    wave.group = group.get();
    // The dispatcher starts wavefronts one after the other.
    wave.next = wave.begin = time + w * dispatchCycles;
    wave.fetchAt = double(wave.next);
    wave.simd = best;
    wave.slot = unit.simds[best].waves.size();
    wave.age = age++;
    // The first wavefronts of the run are traced.
    if (traces.size() < options.traceWaves) {
      WaveTrace &trace = traces.emplace_back();
      trace.xcd = options.firstXcd + cu / cusPerXcd;
      trace.cu = cu % cusPerXcd;
      trace.simd = best;
      trace.slot = wave.slot;
      trace.workgroup = id;
      trace.wave = w;
      trace.begin = wave.begin;
      wave.trace = &trace;
    }
    unit.simds[best].waves.push_back(&wave);
  }
  for (Simd &simd : unit.simds)
    sortWaves(simd);
  placed.push_back(group.get());
  groups.push_back(std::move(group));
}

/// Apart from placing, so that the source may run all of them at once.
bool Machine::Impl::startPlaced() {
  for (SimGroup *group : placed)
    for (SimWave &wave : group->waves) {
      if (!prepare(wave))
        return false;
      schedule(group->cu, wave.simd, wave.earliest);
    }
  placed.clear();
  return true;
}

/// Starts as many of the XCD's next workgroups as have room, each on the
/// compute unit with the fewest. The dispatcher takes some cycles for each
/// wavefront.
void Machine::Impl::dispatch(unsigned xcd, uint64_t time) {
  for (;;) {
    // Workgroups go to the XCDs in turn: workgroup n to XCD n modulo 8.
    uint64_t id = options.firstXcd + xcd + nextGroup[xcd] * xcds;
    if (id >= options.workgroups || nextGroup[xcd] >= options.groupsPerXcd)
      return;
    unsigned best = xcd * cusPerXcd;
    for (unsigned cu = best + 1; cu < (xcd + 1) * cusPerXcd; ++cu)
      if (cus[cu].groups < cus[best].groups)
        best = cu;
    if (cus[best].groups >= fits.groupsPerCu)
      return;
    ++nextGroup[xcd];
    uint64_t start = std::max(time, dispatchFree[xcd]);
    dispatchFree[xcd] = start + needs.waves * dispatchCycles;
    place(best, start + groupStartCycles, id);
  }
}

/// Half the run: the pace of the second half is that of a full machine.
void Machine::Impl::takeMiddle(uint64_t time) {
  middleTaken = true;
  for (const auto &group : groups) {
    group->time.middle = time;
    group->time.middleInstructions = group->time.instructions;
  }
}

/// Long workgroups need not end: their pace is known.
void Machine::Impl::stopAt(uint64_t time) {
  for (const auto &group : groups) {
    group->time.isPartial = true;
    group->time.end = time;
    for (const SimWave &wave : group->waves)
      if (!wave.done)
        totals.waveCycles += time - std::min(time, wave.begin);
    if (group->time.begin < time)
      finished->push_back(group->time);
  }
  for (const ComputeUnit &cu : cus)
    if (cu.groups)
      totals.activeCuCycles += time - std::min(time, cu.busyFrom);
  lastEnd = time;
}

/// The event loop. False after a fault of the program, or if wavefronts are
/// left that nobody can wake. Appends the times of all workgroups to \p list.
bool Machine::Impl::run(std::vector<GroupTime> &list) {
  finished = &list;
  // One workgroup after the other over the XCDs, as their dispatchers do.
  for (unsigned xcd = 0; xcd < options.xcds; ++xcd)
    dispatch(xcd, launchCycles);
  if (!startPlaced())
    return false;
  while (!events.empty()) {
    auto [time, number] = events.top();
    events.pop();
    unsigned cu = number / simdsPerCu, simd = number % simdsPerCu;
    Simd &unit = cus[cu].simds[simd];
    // Void: the SIMD has been given an earlier turn since.
    if (unit.scheduled != time)
      continue;
    unit.scheduled = never;
    if (options.instructionLimit) {
      if (!middleTaken && instructions >= options.instructionLimit / 2)
        takeMiddle(time);
      if (instructions >= options.instructionLimit) {
        stopAt(time);
        return true;
      }
    }
    if (!visit(cu, simd, time))
      return false;
  }
  for (const auto &group : groups)
    if (group)
      return false; // stuck: a fault, or a wavefront that nobody can wake
  return true;
}

Machine::Machine(CodeTable &code, GroupSource &source, const GroupNeeds &needs,
                 const MachineOptions &options)
    : impl(std::make_unique<Impl>(code, source, needs, options)) {}
Machine::~Machine() = default;

bool Machine::run() { return impl->run(finished); }

/// Addresses are relative to `entry`. Call once.
TimingResult Machine::takeResult(uint64_t entry) {
  TimingResult &result = impl->totals;
  result.occupancy = impl->fits;
  result.instructions = impl->instructions;
  result.computeUnits = impl->options.xcds * cusPerXcd;
  result.simds = result.computeUnits * simdsPerCu;
  result.workgroups = result.sampledWorkgroups = finished.size();
  for (const ComputeUnit &cu : impl->cus)
    result.usedComputeUnits += cu.used;
  result.cycles =
      uint64_t(impl->memory.finish(double(impl->lastEnd), result.memory));
  // Counters are by dword of the code; only those of executed instructions are
  // given out.
  for (uint32_t i = 0; i < impl->counters.size(); ++i) {
    Counters &count = impl->counters[i];
    InstructionTiming &timing = count.timing;
    if (!count.op)
      continue;
    timing.kind = count.op->kind;
    timing.mnemonic = mnemonic(count.op->op->inst->op);
    result.code[impl->code.addressOf(i) - entry] = std::move(timing);
  }
  sumUp(result);
  result.traces.assign(std::make_move_iterator(impl->traces.begin()),
                       std::make_move_iterator(impl->traces.end()));
  if (result.cycles)
    result.occupancy.averageWaves =
        double(result.waveCycles) / (double(result.cycles) * result.simds);
  return std::move(result);
}
