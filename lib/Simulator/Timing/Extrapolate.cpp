//===- Extrapolate.cpp - A whole launch from a sample ---------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A workgroup's duration is taken as a + b times its instructions, fitted to
// the detailed ones that started when the first had made room (to all of them,
// if none did). Those that start with the launch find empty caches: they take
// longer by what the detailed ones took longer on average.
//
//===----------------------------------------------------------------------===//

#include "Extrapolate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <queue>

using namespace tlc::sim;
using namespace tlc::sim::param;

namespace {

constexpr unsigned corrections = 4;

struct Fit {
  double base = 0, slope = 0;
  double of(double length) const {
    return std::max(1.0, base + slope * length);
  }
};

/// What partial workgroups would have become, had they gone on at the pace of
/// their second half.
std::vector<GroupTime> completed(const std::vector<GroupTime> &ran,
                                 const LengthModel &lengths) {
  double furthest = 0;
  auto progressOf = [&](const GroupTime &group) {
    return group.isPartial
               ? double(group.instructions) / lengths.lengthOf(group.id)
               : 1;
  };
  for (const GroupTime &group : ran)
    furthest = std::max(furthest, progressOf(group));
  std::vector<GroupTime> groups;
  for (GroupTime group : ran) {
    if (!group.isPartial) {
      groups.push_back(group);
      continue;
    }
    // The pace of one that has just begun says nothing.
    if (progressOf(group) < furthest / 2)
      continue;
    double run = double(group.end - group.begin),
           done = double(group.instructions);
    double pace = done / std::max(1.0, run);
    if (group.middle > group.begin && group.end > group.middle &&
        group.instructions > group.middleInstructions)
      pace = double(group.instructions - group.middleInstructions) /
             double(group.end - group.middle);
    double length = std::max(done, lengths.lengthOf(group.id));
    group.end += uint64_t((length - done) / std::max(pace, 1e-9));
    group.instructions = uint64_t(length);
    groups.push_back(group);
  }
  return groups;
}

Fit fitDurations(const std::vector<GroupTime> &groups) {
  double n = groups.size(), x = 0, y = 0;
  for (const GroupTime &group : groups) {
    x += group.instructions / n;
    y += (group.end - group.begin) / n;
  }
  double xx = 0, xy = 0;
  for (const GroupTime &group : groups) {
    double dx = group.instructions - x;
    xx += dx * dx;
    xy += dx * (double(group.end - group.begin) - y);
  }
  // Without enough variety the mean ratio is all there is to know.
  double slope = xx > n * x * x * 1e-3 ? xy / xx : y / x;
  if (slope <= 0)
    slope = y / x;
  return {y - slope * x, slope};
}

/// Workgroups of one XCD, one after the other, to the place that is free first.
class Dispatcher {
public:
  Dispatcher(unsigned slots, unsigned waves) : slots(slots), waves(waves) {}

  /// When the next one ends; `duration(isEarly)` says how long it takes.
  template <typename Duration> double run(Duration &&duration) {
    double start = next;
    bool isEarly = free.size() < slots;
    if (!isEarly) {
      start = std::max(start, free.top());
      free.pop();
    }
    next = start + waves * dispatchCycles;
    double end = start + groupStartCycles + duration(isEarly);
    free.push(end);
    return end;
  }

private:
  std::priority_queue<double, std::vector<double>, std::greater<double>> free;
  unsigned slots, waves;
  double next = launchCycles;
};

uint64_t scaled(uint64_t value, double factor) {
  return uint64_t(std::llround(double(value) * factor));
}

void scaleMemory(MemoryCounters &m, double factor) {
  for (uint64_t *each :
       {&m.requestedBytes, &m.storedBytes, &m.l1Bytes, &m.l2Bytes, &m.mallBytes,
        &m.hbmBytes, &m.l1Lines, &m.l1Hits, &m.l2Lines, &m.l2Hits, &m.mallLines,
        &m.mallHits, &m.scalarLines, &m.scalarHits})
    *each = scaled(*each, factor);
}

} // namespace

TimingResult tlc::sim::extrapolate(TimingResult sample,
                                   const std::vector<GroupTime> &ran,
                                   const LengthModel &lengths,
                                   uint64_t workgroups,
                                   const GroupNeeds &needs) {
  uint64_t sampleEnd = 0;
  for (const GroupTime &group : ran)
    sampleEnd = std::max(sampleEnd, group.end);
  std::vector<GroupTime> groups = completed(ran, lengths);
  uint64_t firstEnd = ~uint64_t(0);
  for (const GroupTime &group : groups)
    firstEnd = std::min(firstEnd, group.end);
  std::vector<GroupTime> early, later;
  for (const GroupTime &group : groups)
    (group.begin < firstEnd ? early : later).push_back(group);
  Fit fit = fitDurations(later.size() * 4 > early.size() ? later : groups);
  double cold = 0;
  if (later.size() * 4 > early.size())
    for (const GroupTime &group : early)
      cold += (double(group.end - group.begin) - fit.of(group.instructions)) /
              early.size();

  unsigned slots = cusPerXcd * occupancyOf(needs).groupsPerCu;
  auto duration = [&](double length, bool isEarly) {
    return fit.of(length) + (isEarly ? cold : 0);
  };
  // What the dispatch of whole workgroups makes of the sample itself tells how
  // far off it is.
  double correction = 1, measured = 0;
  for (const GroupTime &group : ran)
    measured += group.isPartial ? 0 : double(group.end) - launchCycles;
  for (unsigned i = 0; i < corrections && measured > 0; ++i) {
    Dispatcher dispatcher(slots, needs.waves);
    double predicted = 0;
    std::map<uint64_t, bool> ended;
    for (const GroupTime &group : ran)
      ended[group.id] = !group.isPartial;
    for (auto [id, counts] : ended) {
      double end = dispatcher.run([&](bool isEarly) {
        return correction * duration(lengths.lengthOf(id), isEarly);
      });
      predicted += counts ? end - launchCycles : 0;
    }
    correction *= measured / predicted;
  }

  // All workgroups, each as a whole.
  double end = 0, all = 0, part = 0, waveCycles = 0;
  for (unsigned xcd = 0; xcd < xcds; ++xcd) {
    Dispatcher dispatcher(slots, needs.waves);
    for (uint64_t id = xcd; id < workgroups; id += xcds) {
      double length = lengths.lengthOf(id), time = 0;
      end = std::max(end, dispatcher.run([&](bool isEarly) {
        return time = correction * duration(length, isEarly);
      }));
      waveCycles += time * needs.waves;
      all += length;
    }
  }
  for (const GroupTime &group : ran)
    part += double(group.instructions);

  double factor = all / part;
  TimingResult &r = sample;
  // What comes after the last workgroup: memory operations, dirty lines.
  double drain = double(r.cycles) - double(sampleEnd);
  r.cycles = uint64_t(end + drain);
  r.computeUnits = xcds * cusPerXcd;
  r.simds = r.computeUnits * simdsPerCu;
  r.usedComputeUnits *= xcds;
  r.sampled = true;
  r.workgroups = workgroups;
  r.waves = workgroups * needs.waves;
  double stallFactor = waveCycles / std::max<uint64_t>(1, r.waveCycles);
  r.waveCycles = uint64_t(waveCycles);
  for (uint64_t *each : {&r.instructions, &r.matrixFlops, &r.matrixBusy,
                         &r.vectorBusy, &r.transBusy, &r.scalarBusy, &r.ldsBusy,
                         &r.ldsConflicts, &r.addressBusy, &r.workingSimdCycles})
    *each = scaled(*each, factor);
  for (uint64_t &each : r.issues)
    each = scaled(each, factor);
  r.activeCuCycles = scaled(r.activeCuCycles, stallFactor);
  for (uint64_t &each : r.stalls)
    each = scaled(each, stallFactor);
  scaleMemory(r.memory, factor);
  for (auto &[address, timing] : r.code) {
    for (uint64_t *each :
         {&timing.issues, &timing.busyCycles, &timing.conflictCycles,
          &timing.latencyCycles, &timing.addressCycles, &timing.lines,
          &timing.leastLines})
      *each = scaled(*each, factor);
    for (uint64_t &each : timing.stalls)
      each = scaled(each, stallFactor);
    scaleMemory(timing.memory, factor);
  }
  r.occupancy.averageWaves =
      double(r.waveCycles) / (double(r.cycles) * r.simds);
  return sample;
}
