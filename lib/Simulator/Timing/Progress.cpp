//===- Progress.cpp - What has happened up to a time ----------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums of a run at its end or in its midst, where the part of workgroups that
// are still there counts, and the pace of workgroups. Turns that a SIMD has
// taken ahead of the others count early: by fewer than a hundred cycles.
//
//===----------------------------------------------------------------------===//

#include "MachineImpl.h"

#include <algorithm>

using namespace tlc::sim;
using namespace tlc::sim::param;

void Machine::Impl::notePace(ComputeUnit &unit, uint64_t time) {
  unsigned sharing = unit.residents.size(), rank = 0;
  double cycles = double(time) - double(std::min(time, unit.notedAt));
  for (SimGroup *group : unit.residents) {
    Pace::Cell &cell = pace.at(sharing, rank++);
    cell.cycles += cycles;
    uint64_t issued = group->issued();
    cell.instructions += double(issued - group->notedInstructions);
    group->notedInstructions = issued;
  }
  unit.notedAt = std::max(time, unit.notedAt);
}

TimingResult Machine::Impl::sumsAt(uint64_t time) const {
  TimingResult result = totals;
  result.cycles = time;
  result.instructions = instructions;
  result.computeUnits = unsigned(cus.size());
  result.simds = result.computeUnits * simdsPerCu;
  result.workgroups = result.sampledWorkgroups = finished.size();
  uint64_t entry = code.addressOf(0);
  int64_t plain = 0;
  for (uint32_t i = 0; i < counters.size(); ++i) {
    const Counters &count = counters[i];
    plain += plainRuns[i];
    uint64_t issues = count.issues + uint64_t(plain);
    if (!issues)
      continue;
    InstructionTiming &timing = result.code[code.addressOf(i) - entry];
    timing = count.timing;
    const StaticOp &op = code.at(i);
    timing.kind = op.kind;
    timing.issues = issues;
    timing.stalls = count.stalls;
    if (op.category == StaticOp::usesVectorAlu)
      timing.busyCycles =
          issues *
          (op.kind == IssueKind::Matrix ? op.matrixCycles : op.vectorCycles);
  }
  for (const auto &group : groups)
    for (const SimWave &wave : group->waves)
      if (!wave.done)
        result.waveCycles += time - std::min(time, wave.begin);
  for (const ComputeUnit &cu : cus) {
    result.usedComputeUnits += cu.used;
    if (cu.groups)
      result.activeCuCycles += time - std::min(time, cu.busyFrom);
    for (const Simd &simd : cu.simds)
      if (simd.count)
        result.activeSimdCycles += time - std::min(time, simd.busyFrom);
  }
  sumUp(result);
  return result;
}

void Machine::Impl::mark(uint64_t time) {
  for (ComputeUnit &unit : cus)
    notePace(unit, time);
  marks->push_back(sumsAt(time));
}

/// Long workgroups need not end: their pace is known.
void Machine::Impl::stopAt(uint64_t time) {
  for (ComputeUnit &unit : cus)
    notePace(unit, time);
  for (const auto &group : groups) {
    group->time.isPartial = true;
    group->time.end = time;
    group->time.instructions = group->issued();
    if (group->time.begin < time)
      finished.push_back(group->time);
  }
  lastEnd = lastWaveEnd = time;
}

TimingResult Machine::takeResult(uint64_t entry) {
  // What stopped is still there, what ended is not.
  TimingResult result = impl->sumsAt(impl->lastEnd);
  result.occupancy = impl->fits;
  std::map<uint64_t, InstructionTiming> code;
  uint64_t base = impl->code.addressOf(0);
  for (auto &[offset, timing] : result.code) {
    timing.mnemonic =
        mnemonic(impl->code.at(uint32_t(offset / 4)).op->inst->op);
    code.emplace(base + offset - entry, std::move(timing));
  }
  result.code = std::move(code);
  MemoryCounters apart;
  result.cycles = uint64_t(memory->finish(double(impl->lastEnd), apart));
  addTo(result.memory, apart);
  result.drainCycles = result.cycles - impl->lastWaveEnd;
  if (result.cycles)
    result.atomicChannelShare =
        std::min(1.0, memory->mostHeld() / double(result.cycles));
  for (TimingResult &mark : taken) {
    std::map<uint64_t, InstructionTiming> moved;
    for (auto &[offset, timing] : mark.code)
      moved.emplace(base + offset - entry, std::move(timing));
    mark.code = std::move(moved);
  }
  result.traces.assign(std::make_move_iterator(impl->traces.begin()),
                       std::make_move_iterator(impl->traces.end()));
  uint64_t sum = 0, ended = 0;
  for (const GroupTime &group : groups()) {
    if (group.isPartial)
      continue;
    uint64_t cycles = group.end - group.begin;
    sum += cycles;
    ++ended;
    if (cycles > result.longestWorkgroupCycles) {
      result.longestWorkgroupCycles = cycles;
      result.longestWorkgroup = group.id;
    }
  }
  result.meanWorkgroupCycles = ended ? sum / ended : 0;
  if (result.cycles)
    result.occupancy.averageWaves =
        double(result.waveCycles) / (double(result.cycles) * result.simds);
  return result;
}
