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
// What the launch does is added up by instruction: the sample's workgroups may
// be longer or shorter than others, and do the same at their begin and end.
//
//===----------------------------------------------------------------------===//

#include "Extrapolate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <queue>

using namespace tlc::sim;
using namespace tlc::sim::param;

namespace {

constexpr unsigned corrections = 4;

/// Duration in cycles as a function of a workgroup's instructions.
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
    // The second half runs with full caches and a full machine.
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

/// Least squares of cycles over instructions.
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
  for (uint64_t MemoryCounters::*each : memoryCounters)
    m.*each = scaled(m.*each, factor);
}

/// How much more often an instruction executes in the whole launch than in the
/// sample: what every wavefront does once, at its begin or its end, by the
/// number of wavefronts, and the rest by what is left of the instructions.
class Scale {
public:
  Scale(const TimingResult &sample, const std::vector<GroupTime> &ran,
        double wavesPerGroup, double launchWaves, double launchInstructions) {
    waves = launchWaves;
    for (const GroupTime &group : ran) {
      started += wavesPerGroup;
      ended += group.isPartial ? 0 : wavesPerGroup;
    }
    double rest = 0, launchRest = launchInstructions;
    for (const auto &[address, timing] : sample.code)
      // Once for each wavefront of the launch, wherever its share in the
      // sample.
      if (onceFactor(timing.issues))
        launchRest -= waves;
      else
        rest += double(timing.issues);
    double all = 0;
    for (const GroupTime &group : ran)
      all += double(group.instructions);
    restFactor = rest > 0 && launchRest > 0 ? launchRest / rest
                                            : launchInstructions / all;
  }
  double of(uint64_t issues) const {
    double once = onceFactor(issues);
    return once ? once : restFactor;
  }

private:
  /// 0 if it is not executed once.
  double onceFactor(uint64_t issues) const {
    for (double times : {started, ended})
      // Two in a hundred for wavefronts that were cut off in between.
      if (times > 0 && std::abs(double(issues) - times) <= 0.02 * times)
        return waves / times;
    return 0;
  }
  double waves, started = 0, ended = 0, restFactor = 1;
};

} // namespace

/// In order: complete the partial workgroups, fit durations, correct them by
/// dispatching the sample itself, dispatch the whole grid, scale the counters.
TimingResult tlc::sim::extrapolate(TimingResult sample,
                                   const std::vector<GroupTime> &ran,
                                   const LengthModel &lengths,
                                   uint64_t workgroups,
                                   const GroupNeeds &needs) {
  uint64_t sampleEnd = 0;
  for (const GroupTime &group : ran)
    sampleEnd = std::max(sampleEnd, group.end);
  std::vector<GroupTime> groups = completed(ran, lengths);
  // Workgroups that started before any had ended found empty caches; the others
  // stand for the rest.
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
  double correction = 1, measured = 0, lastPredicted = 0;
  for (const GroupTime &group : ran)
    measured += group.isPartial ? 0 : double(group.end) - launchCycles;
  // A fixed-point iteration: durations are multiplied until the sum of the
  // sample's ends comes out as measured.
  for (unsigned i = 0; i < corrections && measured > 0; ++i) {
    Dispatcher dispatcher(slots, needs.waves);
    double predicted = 0;
    lastPredicted = 0;
    std::map<uint64_t, bool> ended;
    for (const GroupTime &group : ran)
      ended[group.id] = !group.isPartial;
    for (auto [id, counts] : ended) {
      double end = dispatcher.run([&](bool isEarly) {
        return correction * duration(lengths.lengthOf(id), isEarly);
      });
      predicted += counts ? end - launchCycles : 0;
      lastPredicted = std::max(lastPredicted, end - launchCycles);
    }
    correction *= measured / predicted;
  }

  // All workgroups, each as a whole.
  double end = 0, all = 0, part = 0, waveCycles = 0;
  // Each XCD has its own dispatcher, and every eighth workgroup.
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
  bool allEnded = true;
  for (const GroupTime &group : ran) {
    part += double(group.instructions);
    allEnded &= !group.isPartial;
  }
  // Where an XCD ran all that it gets, its end is known: workgroups that share
  // a compute unit with fewer others towards the end are faster than the rest.
  if (allEnded && lastPredicted > 0)
    end = launchCycles + (end - launchCycles) *
                             (double(sampleEnd) - launchCycles) / lastPredicted;

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
  Scale scale(r, ran, needs.waves, double(r.waves), all);
  // Bytes that no instruction stands for (write-backs at the end) scale with
  // the instructions as a whole.
  MemoryCounters apart = r.memory;
  for (const auto &[address, timing] : r.code)
    for (uint64_t MemoryCounters::*each : memoryCounters)
      apart.*each -= timing.memory.*each;
  scaleMemory(apart, factor);
  uint64_t flops = r.matrixFlops, matrix = r.matrixBusy,
           work = r.matrixBusy + r.vectorBusy;
  double stallsBefore = std::accumulate(r.stalls.begin(), r.stalls.end(), 0.0);
  // The totals are added up again from the scaled instructions.
  for (uint64_t *each :
       {&r.matrixBusy, &r.vectorBusy, &r.transBusy, &r.scalarBusy, &r.ldsBusy,
        &r.ldsConflicts, &r.addressBusy})
    *each = 0;
  r.issues = {};
  r.stalls = {};
  r.memory = apart;
  for (auto &[address, timing] : r.code) {
    double times = scale.of(timing.issues);
    for (uint64_t *each :
         {&timing.issues, &timing.busyCycles, &timing.conflictCycles,
          &timing.latencyCycles, &timing.addressCycles, &timing.lines,
          &timing.leastLines})
      *each = scaled(*each, times);
    for (uint64_t &each : timing.stalls)
      each = scaled(each, times);
    scaleMemory(timing.memory, times);
  }
  sumUp(r);
  // Waits add up to what the wavefronts' lives leave for them.
  double stallsAfter = std::accumulate(r.stalls.begin(), r.stalls.end(), 0.0);
  double stallScale =
      stallsAfter > 0 ? stallFactor * stallsBefore / stallsAfter : 1;
  for (uint64_t &each : r.stalls)
    each = scaled(each, stallScale);
  for (auto &[address, timing] : r.code)
    for (uint64_t &each : timing.stalls)
      each = scaled(each, stallScale);
  r.instructions = uint64_t(all);
  r.matrixFlops = matrix ? scaled(flops, double(r.matrixBusy) / matrix) : 0;
  r.workingSimdCycles =
      work ? scaled(r.workingSimdCycles,
                    double(r.matrixBusy + r.vectorBusy) / double(work))
           : 0;
  r.activeCuCycles = scaled(r.activeCuCycles, stallFactor);
  r.occupancy.averageWaves =
      double(r.waveCycles) / (double(r.cycles) * r.simds);
  return sample;
}
