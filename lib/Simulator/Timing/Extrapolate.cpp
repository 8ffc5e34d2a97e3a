//===- Extrapolate.cpp - A whole launch from a sample ---------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything that is counted is added up by instruction, in one list of sums:
// what a sample stands for is the sample plus so many times a piece of it.
//
//===----------------------------------------------------------------------===//

#include "Extrapolate.h"

#include "Steps.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

using namespace tlc::sim;
using namespace tlc::sim::param;

namespace {

/// Workgroups that the machine holds at once, in whose course it fills
/// (Repeat): before the first mark, and at least so many between the marks and
/// after.
constexpr double fillRounds = 2.5, leastRounds = 2;
/// Short workgroups go through the machine together for many rounds, so that
/// one differs from the next: so many in all, if they cost little.
constexpr double mostRounds = 12.5;
/// What an XCD executes may exceed the detail by this, before it is cut.
constexpr double wholeFactor = 1.5;
/// Workgroups of an XCD whose lengths differ by no more than this factor end in
/// their order.
constexpr double alike = 1.02;
/// From so busy shared levels on, the last workgroups get on faster than the
/// pace says, for others no longer want anything: they are not stepped through.
constexpr double mostShared = 0.7;
/// The end's standard deviation, relative, from which on it is chance.
constexpr double chance = 0.01;
/// The detail that the least number of rounds may cost, whatever was asked for.
constexpr double mostForRounds = 24e6;

constexpr uint64_t InstructionTiming::*instructionSums[] = {
    &InstructionTiming::issues,
    &InstructionTiming::busyCycles,
    &InstructionTiming::conflictCycles,
    &InstructionTiming::addressConflictCycles,
    &InstructionTiming::latencyCycles,
    &InstructionTiming::orderCycles,
    &InstructionTiming::addressCycles,
    &InstructionTiming::lines,
    &InstructionTiming::leastLines,
    &InstructionTiming::setLines};
constexpr uint64_t TimingResult::*launchSums[] = {
    &TimingResult::instructions, &TimingResult::waveCycles,
    &TimingResult::workingSimdCycles, &TimingResult::activeCuCycles,
    &TimingResult::activeSimdCycles};

uint64_t scaled(uint64_t value, double factor) {
  return uint64_t(std::llround(std::max(0.0, double(value) * factor)));
}
/// value + factor * (later - earlier)
uint64_t added(uint64_t value, uint64_t later, uint64_t earlier,
               double factor) {
  return value + scaled(later - std::min(earlier, later), factor);
}

void scale(MemoryCounters &m, double factor) {
  for (uint64_t MemoryCounters::*each : memoryCounters)
    m.*each = scaled(m.*each, factor);
}

void scale(InstructionTiming &timing, double factor) {
  for (uint64_t InstructionTiming::*each : instructionSums)
    timing.*each = scaled(timing.*each, factor);
  for (uint64_t &each : timing.stalls)
    each = scaled(each, factor);
  scale(timing.memory, factor);
}

/// What no instruction stands for.
MemoryCounters memoryApart(const TimingResult &r) {
  MemoryCounters apart = r.memory;
  for (const auto &[address, timing] : r.code)
    for (uint64_t MemoryCounters::*each : memoryCounters)
      apart.*each -= timing.memory.*each;
  return apart;
}

/// Sums anew after the instructions have changed.
void addUp(TimingResult &r, const MemoryCounters &apart) {
  sumUp(r);
  addTo(r.memory, apart);
}

/// Adds `factor` times what happened between two marks.
void repeat(TimingResult &r, const TimingResult &first,
            const TimingResult &second, double factor) {
  MemoryCounters apart = memoryApart(r);
  for (auto &[address, timing] : r.code) {
    static const InstructionTiming none;
    auto find = [&](const TimingResult &mark) -> const InstructionTiming & {
      auto it = mark.code.find(address);
      return it == mark.code.end() ? none : it->second;
    };
    const InstructionTiming &before = find(first), &after = find(second);
    for (uint64_t InstructionTiming::*each : instructionSums)
      timing.*each = added(timing.*each, after.*each, before.*each, factor);
    for (size_t i = 0; i < stallCauses; ++i)
      timing.stalls[i] =
          added(timing.stalls[i], after.stalls[i], before.stalls[i], factor);
    for (uint64_t MemoryCounters::*each : memoryCounters)
      timing.memory.*each = added(timing.memory.*each, after.memory.*each,
                                  before.memory.*each, factor);
  }
  addUp(r, apart);
  for (uint64_t TimingResult::*each : launchSums)
    r.*each = added(r.*each, second.*each, first.*each, factor);
  r.cycles = added(r.cycles, second.cycles, first.cycles, factor);
}

/// How much more often an instruction executes in all workgroups than in the
/// sample: what every wavefront does once, at its begin or its end, by the
/// number of wavefronts, and the rest by what is left of the instructions.
class Times {
public:
  /// \p started, \p ended: wavefronts of the sample.
  Times(const TimingResult &sample, double started, double ended,
        double allWaves, double allInstructions)
      : waves(allWaves), started(started), ended(ended) {
    double rest = 0, allRest = allInstructions;
    for (const auto &[address, timing] : sample.code)
      if (onceFactor(timing.issues))
        allRest -= waves;
      else
        rest += double(timing.issues);
    restFactor = rest > 0 && allRest > 0
                     ? allRest / rest
                     : allInstructions / double(sample.instructions);
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
  double waves, started, ended, restFactor = 1;
};

/// Scales what a part of an XCD's workgroups did to what all of them do, who
/// take `rest` longer.
void goOn(TimingResult &r, const std::vector<GroupTime> &ran,
          const SamplePlan &plan, double instructions, double end,
          const Stepped &rest) {
  MemoryCounters apart = memoryApart(r);
  scale(apart, instructions / double(r.instructions));
  uint64_t work = r.matrixBusy + r.vectorBusy;
  double stalls = std::accumulate(r.stalls.begin(), r.stalls.end(), 0.0);
  auto ended = std::count_if(ran.begin(), ran.end(),
                             [](const GroupTime &g) { return !g.isPartial; });
  double waves = plan.needs.waves;
  Times times(r, waves * double(ran.size()), waves * double(ended),
              waves * double(plan.ofXcd), instructions);
  for (auto &[address, timing] : r.code)
    scale(timing, times.of(timing.issues));
  addUp(r, apart);
  uint64_t before = r.waveCycles;
  r.waveCycles += uint64_t(rest.groupCycles) * plan.needs.waves;
  uint64_t active = r.activeCuCycles;
  r.activeCuCycles += uint64_t(rest.activeCycles);
  r.activeSimdCycles =
      scaled(r.activeSimdCycles,
             double(r.activeCuCycles) / double(std::max<uint64_t>(1, active)));
  r.workingSimdCycles =
      work ? scaled(r.workingSimdCycles,
                    double(r.matrixBusy + r.vectorBusy) / double(work))
           : 0;
  r.instructions = uint64_t(instructions);
  r.cycles = uint64_t(end);
  // Waits add up to what the wavefronts' lives leave for them.
  double now = std::accumulate(r.stalls.begin(), r.stalls.end(), 0.0);
  double factor =
      now > 0 ? stalls / now * double(r.waveCycles) / double(before) : 1;
  for (auto &[address, timing] : r.code)
    for (uint64_t &each : timing.stalls)
      each = scaled(each, factor);
  for (uint64_t &each : r.stalls)
    each = scaled(each, factor);
}

/// From one XCD to all of them, which execute `factor` times as much.
void toDevice(TimingResult &r, const SamplePlan &plan, double factor) {
  MemoryCounters apart = memoryApart(r);
  scale(apart, factor);
  // Where XCDs get different work, what each wavefront does once is not in
  // proportion to the rest.
  double waves = double(plan.ofXcd) * plan.needs.waves;
  Times times(r, waves, waves, double(plan.workgroups) * plan.needs.waves,
              double(r.instructions) * factor);
  for (auto &[address, timing] : r.code)
    scale(timing, times.of(timing.issues));
  addUp(r, apart);
  for (uint64_t TimingResult::*each : launchSums)
    r.*each = scaled(r.*each, factor);
  r.usedComputeUnits = std::min<uint64_t>(
      {uint64_t(r.usedComputeUnits) * xcds, plan.workgroups, xcds * cusPerXcd});
  r.computeUnits = xcds * cusPerXcd;
  r.simds = r.computeUnits * simdsPerCu;
  r.workgroups = plan.workgroups;
  r.waves = plan.workgroups * plan.needs.waves;
}

/// Bytes of HBM where the launch goes on as its first workgroups began, who
/// read most of what comes to many and store only when they end. Of an array no
/// more is read for the first time than it has, however often they are
/// repeated. What is written follows from all that is stored: lines come to the
/// Infinity Cache, and once it is full dirty ones leave it in proportion; until
/// then an earlier launch's do, as many as this one has written so far.
/// \p ran: the memory counters of the sample, of which \p r is the launch, that
/// executes \p factor times as much.
void settleHbm(TimingResult &r, const Machine &machine,
               const MemoryCounters &ran, bool warm, double factor) {
  double sampleReads = 0, reads = 0;
  for (const LineSharing::Range &each : machine.whatIsRead().all()) {
    sampleReads += double(each.once + each.again);
    reads +=
        std::min(double(each.once) * factor, double(each.end - each.begin)) +
        double(each.again) * factor;
  }
  double all = double(r.memory.hbmBytes);
  if (!all || !ran.hbmBytes)
    return;
  double scaledReads = all * sampleReads / double(ran.hbmBytes);
  reads = std::min(reads, scaledReads);
  double written = ran.storedBytes
                       ? machine.linesWritten() * double(r.memory.storedBytes) /
                             double(ran.storedBytes)
                       : 0;
  double mall = double(mallBytes) / lineBytes, through = reads + written;
  double writes = through > mall ? written * (1 - mall / through) : 0;
  // Parts of the launch: until the first stores, and until the cache is full.
  double placed = std::max(1.0, machine.linesPlaced() * factor);
  double silent = machine.linesBeforeWrites() * xcds / placed,
         filled = std::min(1.0, mall / std::max(1.0, through));
  if (!warm && filled > silent) {
    // On average half of what has been begun has not been stored yet.
    double unstored = silent > 0 ? silent / 2 * std::log(filled / silent) : 0;
    writes += std::min(1.0, written / placed) * through *
              (filled - silent - unstored);
  }
  double now = (reads + writes) * lineBytes / all;
  double spared = scaledReads > 0 ? (scaledReads - reads) * lineBytes / all : 0;
  MemoryCounters apart = memoryApart(r);
  for (auto &[address, timing] : r.code) {
    timing.memory.mallHits +=
        scaled(timing.memory.hbmBytes, spared) / lineBytes;
    timing.memory.hbmBytes = scaled(timing.memory.hbmBytes, now);
  }
  apart.hbmBytes = scaled(apart.hbmBytes, now);
  addUp(r, apart);
}

/// The part of the time for which what XCDs share beyond their L2 was busy.
double sharedBusy(const TimingResult &sample) {
  double cycles = double(std::max<uint64_t>(1, sample.cycles)) / xcds;
  return std::max(double(sample.memory.mallBytes) /
                      (cycles * mallBytesPerCycle),
                  double(sample.memory.hbmBytes) / (cycles * hbmBytesPerCycle));
}

} // namespace

void SamplePlan::apply(MachineOptions &options) const {
  options.xcds = 1;
  options.firstXcd = xcd;
  options.instructionLimit = instructionLimit;
  options.othersEnd = othersEnd;
  if (kind == Kind::Repeat) {
    options.firstMark = firstMark;
    options.secondMark = secondMark;
    options.skipped = skipped;
  }
}

bool SamplePlan::isUncertain(const Ends &ends) const {
  return isUneven() || (hasChance && ends.spread > chance);
}

bool SamplePlan::isContended(const TimingResult &sample) const {
  return isUneven() && sharedBusy(sample) > mostShared;
}

std::string SamplePlan::describe(size_t ran, const LengthModel &lengths) const {
  // Errors are those of launches that were run both ways (docs/figures.md).
  std::string error = fmt::format(
      ". {}Cycles have been within {}, bytes from and to HBM mostly within 25 "
      "% of "
      "a full run",
      isUneven() ? "XCDs get different work here; those with less are taken to "
                   "get on alike until they end. "
                 : "",
      !isUneven()              ? "5 %"
      : kind == Kind::WholeXcd ? "8 %"
                               : "9 %");
  if (lengthError > misjudged)
    error =
        fmt::format(". Their lengths were misjudged by {:.0f} % on average, "
                    "and cycles may be as far off",
                    100 * lengthError);
  if (sharedUse > contested)
    error = fmt::format(". What XCDs share beyond their L2 works {:.0f} % of "
                        "the time: in full runs they end some percent apart, "
                        "and the last one decides",
                        100 * std::min(1.0, sharedUse)) +
            error;
  if (hasTail)
    error = fmt::format("; which of the last workgroups meet on a compute unit "
                        "is chance: the end is the mean of draws that differ "
                        "by {:.1f} %",
                        100 * tail.spread) +
            error;
  if (areFollowed)
    error = ". Workgroups that start together on several XCDs come to some of "
            "the same lines: who brings them is seen by running the others "
            "along" +
            error;
  std::string text =
      fmt::format("{} of {} workgroups ran in detail, ", ran, workgroups);
  if (kind == Kind::WholeXcd)
    return text + "those of one XCD; the others do the same" + error;
  if (kind == Kind::Repeat)
    return text +
           fmt::format("the first and the last of one XCD ({}); those "
                       "between take as long as they do on a full "
                       "machine",
                       lengths.describe()) +
           error;
  return text +
         fmt::format("the first of one XCD; the rest of the launch was "
                     "stepped through at their pace ({})",
                     lengths.describe()) +
         error;
}

SamplePlan tlc::sim::planSample(const LengthModel &lengths, uint64_t workgroups,
                                const GroupNeeds &needs, uint64_t detail,
                                double usual, const Ends &ends) {
  SamplePlan plan;
  plan.workgroups = workgroups;
  plan.needs = needs;
  plan.isUniform = lengths.isUniform();
  // Its end is the launch's.
  plan.xcd = lengths.isUniform() ? 0 : ends.lastXcd();
  plan.ofXcd = (workgroups - plan.xcd + xcds - 1) / xcds;
  std::vector<double> ofXcds(xcds);
  double shortest = HUGE_VAL, longest = 0;
  for (uint64_t id = 0; id < workgroups; ++id) {
    double length = lengths.lengthOf(id);
    ofXcds[id % xcds] += length;
    if (id % xcds != plan.xcd)
      continue;
    shortest = std::min(shortest, length);
    longest = std::max(longest, length);
  }
  plan.hasChance = longest > alike * shortest;
  plan.allInstructions = std::accumulate(ofXcds.begin(), ofXcds.end(), 0.0);
  double all = ofXcds[plan.xcd];
  for (double each : ofXcds)
    if (each < all)
      plan.othersEnd.push_back(each);
  std::sort(plan.othersEnd.begin(), plan.othersEnd.end());
  // One workgroup more or less is the grid's, not the order's.
  double mean = plan.allInstructions / double(workgroups);
  plan.unevenness = all / double(plan.ofXcd) / mean - 1;
  plan.ofAll = all / plan.allInstructions;
  double round = double(cusPerXcd * occupancyOf(needs).groupsPerCu);
  // Less than two rounds show no full machine.
  double rounds = lengths.isUniform() ? mostRounds : 2;
  double least = rounds * round * all / double(plan.ofXcd);
  detail = std::max(detail, uint64_t(std::min(least, mostForRounds / usual)));
  if (all <= wholeFactor * double(detail))
    return plan;
  double affordable = double(detail) / all * double(plan.ofXcd) / round;
  double between = std::floor(affordable - fillRounds - 2 * leastRounds);
  if (lengths.isUniform() && between >= leastRounds) {
    plan.kind = SamplePlan::Kind::Repeat;
    plan.firstMark = uint64_t(fillRounds * round);
    plan.secondMark = plan.firstMark + uint64_t(between * round);
    // Whole rounds are left out, so that the last ones begin as they would.
    double rest = double(plan.ofXcd - plan.secondMark);
    plan.skipped = uint64_t(std::floor(rest / round - leastRounds) * round);
    return plan;
  }
  plan.kind = SamplePlan::Kind::Pace;
  plan.instructionLimit = detail;
  return plan;
}

TimingResult tlc::sim::extrapolate(TimingResult sample, const Machine &machine,
                                   const LengthModel &lengths, SamplePlan &plan,
                                   double alone, double relieved) {
  const std::vector<GroupTime> &ran = machine.groups();
  MemoryCounters memory = sample.memory;
  double executed = double(sample.instructions);
  unsigned full = occupancyOf(plan.needs).groupsPerCu;
  Shares shares(machine.pace(), full, alone,
                plan.kind == SamplePlan::Kind::WholeXcd);
  Demand demand = fitDemand(ran, shares);
  plan.sharedUse = sharedBusy(sample);
  plan.hasTail = plan.hasChance && plan.sharedUse < mostShared;
  if (plan.hasTail)
    plan.tail =
        Tail(stepEnds(lengths, plan.workgroups, plan.needs, demand, shares),
             plan.xcd);
  double instructions = 0, skipped = 0;
  uint64_t number = 0;
  for (uint64_t id = plan.xcd; id < plan.workgroups; id += xcds, ++number) {
    double length = lengths.lengthOf(id);
    instructions += length;
    if (number >= plan.secondMark && number < plan.secondMark + plan.skipped)
      skipped += length;
  }
  TimingResult &r = sample;
  r.sampled = true;
  if (plan.kind == SamplePlan::Kind::Repeat) {
    const TimingResult &first = machine.marks()[0],
                       &second = machine.marks()[1];
    repeat(r, first, second,
           skipped / double(second.instructions - first.instructions));
  } else if (plan.kind == SamplePlan::Kind::Pace) {
    Relief relief;
    relief.othersEnd = plan.othersEnd;
    relief.active = machine.activeXcds();
    relief.most = std::max(1.0, relieved / machine.pace().mean());
    uint64_t stopped = 0;
    for (const GroupTime &group : ran)
      stopped = std::max(stopped, group.end);
    Stepped rest = stepOn(ran, double(stopped), lengths, plan.xcd,
                          plan.workgroups, plan.needs, demand, shares, relief);
    // What comes after the last workgroup: memory operations, dirty lines.
    double drain = double(r.cycles) - double(stopped);
    double end = plan.hasTail ? rest.meanEnd + plan.tail.length : rest.end;
    goOn(r, ran, plan, instructions, end + drain, rest);
  } else if (plan.hasTail) {
    std::map<unsigned, uint64_t> ends; // of units
    for (const GroupTime &group : ran)
      ends[group.cu] = std::max(ends[group.cu], group.end);
    uint64_t last = 0;
    double mean = 0;
    for (auto [cu, end] : ends) {
      last = std::max(last, end);
      mean += double(end) / double(ends.size());
    }
    r.cycles = uint64_t(double(r.cycles - last) +
                        plan.tail.endAfter(mean, double(last)));
  }
  toDevice(r, plan, lengths.all() / instructions);
  if (plan.kind == SamplePlan::Kind::Pace)
    settleHbm(r, machine, memory, plan.warm, lengths.all() / executed);
  r.occupancy.averageWaves =
      double(r.waveCycles) / (double(r.cycles) * r.simds);
  return sample;
}
