//===- TimedLaunch.cpp - A launch that the timing model follows -----------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The replay asks for workgroups and for more of what they execute. Whenever
// one has run dry, all that are about to are run on, in parallel; then, one
// after the other, those that wait for it perform their global operations. The
// replay never influences a value: it only decides when a workgroup starts.
//
//===----------------------------------------------------------------------===//

#include "TimedLaunch.h"

#include "../Timing/Extrapolate.h"
#include "../Timing/HostCost.h"
#include "FaultReport.h"
#include "Followers.h"
#include "GroupFacts.h"
#include "Parallel.h"
#include "SharedLines.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

using namespace tlc::sim;

namespace {

/// Words recorded ahead for a workgroup, and those of a wavefront below which
/// it is run on along with others.
constexpr size_t wordsAhead = 1 << 14, lowWords = 1 << 9;
/// The same for a wavefront. Where an instruction has many words, fewer: what
/// is recorded is still in the host's caches when it is replayed. And at least,
/// where a run is short.
constexpr size_t waveAhead = 1 << 12, manyAhead = 1 << 10, leastAhead = 1 << 6;
constexpr double manyWords = 3;
/// How often a workgroup that waits for others is tried before the replay goes
/// on without it.
constexpr unsigned idleTries = 3;
/// The same where instructions are only counted.
constexpr unsigned countTries = 1 << 16;
/// Instructions of a launch up to which all of it runs in detail. Grids of a
/// workgroup for each compute unit or fewer are sampled only where the replay
/// is dear and workgroups are alike.
constexpr uint64_t detailInstructions = 40'000'000;
constexpr uint64_t sampleFrom = param::xcds * param::cusPerXcd;
/// Of fewer than two for each XCD one XCD would be most of it.
constexpr uint64_t leastGrid = 2 * param::xcds;
/// Launches up to so many times as much are run in full as well: a second or
/// two for each XCD, and nothing to be said of errors.
constexpr double fullFactor = 2.5;
/// Where the replay would take more than so many times as long as the run, and
/// more than so many nanoseconds, less of the launch is replayed. A profile is
/// both: four times a run.
constexpr double mostRatio = 3, shortReplay = 0.4e9;
/// Nanoseconds that the replay of an instruction takes in most kernels: the
/// detail is in instructions like that.
constexpr double usualReplay = 100;
/// The same from which on the other XCDs can be run along with a sample.
constexpr double followRatio = 2;
/// And wavefronts of a SIMD: where few hide the latency, XCDs whose workgroups
/// start together are soon apart, which those that are run along do not show.
constexpr unsigned followWaves = 4;
/// Of such a launch, what is replayed at least: nearly an XCD's part.
constexpr double leastPart = 1.0 / 11;
/// Of the detail, what a further run costs that only measures the pace, and
/// what the beginning of all XCDs costs where the replay is dear.
constexpr uint64_t probePart = 4, dearBeginningPart = 8;
/// A workgroup that has begun, and what is recorded of it but not yet replayed.
struct Live : GroupRecord {
  /// Its registers and LDS: from its first run until all of it is recorded. Of
  /// thousands of short workgroups few have any at a time.
  std::unique_ptr<GroupState> state;
  GroupStatus status = GroupStatus::Paused;
  uint64_t executed = 0, flops = 0; ///< so far, after each run
  size_t place = 0;                 ///< in the list of those that live
  /// Those beside it on other XCDs, where they are followed.
  std::unique_ptr<Followers> followers;
};

/// Serves the replay with workgroups (GroupSource) and the model of lengths
/// with counts (LengthSource). Only the thread of the replay calls it; it uses
/// the pool by itself.
class LaunchSource : public GroupSource, public LengthSource {
public:
  LaunchSource(LaunchContext &context, CodeTable &code, unsigned threads)
      : context(context), code(code), pool(threads), states(context) {}

  GroupRecord &begin(uint64_t id) override;
  bool refill(GroupRecord &group) override;
  void end(GroupRecord &group) override;
  bool runOn(GroupRecord &group) override;
  void forEach(uint64_t total,
               const std::function<void(uint64_t)> &task) override {
    pool.forEach(total, task);
  }

  uint64_t count(uint64_t id) override;
  const uint32_t *begin(uint64_t id, uint64_t instructions) override;
  /// Runs the first workgroup ahead of the replay, to see how long it is: to
  /// its end or until it has executed more than \p instructions. How many it
  /// has.
  uint64_t runFirst(uint64_t instructions);
  const GroupRecord &first() const { return *live.front(); }
  /// Words that an instruction records, on average.
  void setWords(double ofEach) {
    wordsOfEach = ofEach;
    turnWords = usualTurn();
  }
  /// For a run with an instruction limit: what is recorded of workgroups and
  /// not replayed is lost.
  void startShortRun(const GroupNeeds &needs, const MachineOptions &options) {
    abandon();
    uint64_t fit =
        std::min(occupancyOf(needs).groupsPerCu, options.groupsPerCu);
    uint64_t waves =
        needs.waves *
        std::min(options.workgroups, options.xcds * param::cusPerXcd * fit);
    turnWords = std::clamp(
        size_t(double(options.instructionLimit) * wordsOfEach / double(waves)),
        leastAhead, usualTurn());
  }
  void endShortRun() { turnWords = usualTurn(); }
  /// From now on beside each workgroup those of the other XCDs run, too.
  /// Null: no more.
  void follow(BroughtLines *lines) {
    abandon();
    spare.clear();
    brought = lines;
    if (!lines)
      return;
    lines->setMover([this] {
      for (auto &group : live)
        group->followers->come(*group);
    });
  }
  /// Forgets workgroups that have not ended.
  void abandon();
  /// How many lanes each instruction had disabled, on average, in all that has
  /// been recorded since the last `abandon`.
  void addLanes(TimingResult &timing, uint64_t entry) const;

  /// What has ended so far does not count.
  void forget() { flops = executed = 0; }

  const Workgroup *faulted() const { return fault; }
  uint64_t matrixFlops() const { return flops; }
  /// Over all that ran, workgroups that have not ended included.
  double flopsPerInstruction() const;

private:
  std::unique_ptr<LaneCounts> takeLanes();
  void giveBack(std::unique_ptr<LaneCounts> counts);
  size_t usualTurn() const {
    return wordsOfEach > manyWords ? manyAhead : waveAhead;
  }
  void run(Live &group);
  void noteFault(const Live &group);
  void globalTurn(Live &group);
  bool runLow(Live &wanted);

  LaunchContext &context;
  CodeTable &code;
  ThreadPool pool;
  size_t turnWords = waveAhead; ///< that a wavefront records in a turn
  double wordsOfEach = 1;
  StatePool states;
  BroughtLines *brought = nullptr;
  std::mutex mutex; ///< of the following, where XCDs run side by side
  std::vector<std::unique_ptr<Live>> live, spare;
  /// As many as have been in use at a time.
  std::vector<std::unique_ptr<LaneCounts>> lanes;
  std::unique_ptr<GroupState> beginner;
  /// Not used again: the fault points into it.
  std::unique_ptr<GroupState> faulty;
  const Workgroup *fault = nullptr;
  uint64_t flops = 0, executed = 0;
};

/// Of all wavefronts of a workgroup so far.
uint64_t executedBy(const Workgroup &workgroup) {
  uint64_t sum = 0;
  for (unsigned w = 0; w < workgroup.waveCount; ++w)
    sum += workgroup.waves[w].executed;
  return sum;
}

double LaunchSource::flopsPerInstruction() const {
  uint64_t work = flops, all = executed;
  for (const auto &group : live) {
    work += group->flops;
    all += group->executed;
  }
  return all ? double(work) / double(all) : 0;
}

void LaunchSource::abandon() {
  // What a fault points into is kept.
  std::vector<std::unique_ptr<Live>> some;
  some.swap(live);
  for (auto &group : some) {
    if (group->followers && group->followers->faulted())
      live.push_back(std::move(group));
    else if (group->state && &group->state->group() == fault)
      faulty = std::move(group->state);
    else if (group->state)
      states.giveBack(std::move(group->state));
    if (group)
      spare.push_back(std::move(group));
  }
  for (auto &counts : lanes)
    *counts = LaneCounts(code.size());
}

std::unique_ptr<LaneCounts> LaunchSource::takeLanes() {
  std::lock_guard lock(mutex);
  if (lanes.empty())
    return std::make_unique<LaneCounts>(code.size());
  std::unique_ptr<LaneCounts> counts = std::move(lanes.back());
  lanes.pop_back();
  return counts;
}

void LaunchSource::giveBack(std::unique_ptr<LaneCounts> counts) {
  std::lock_guard lock(mutex);
  lanes.push_back(std::move(counts));
}

void LaunchSource::addLanes(TimingResult &timing, uint64_t entry) const {
  LaneCounts sum(code.size());
  for (const auto &each : lanes)
    sum.add(*each);
  std::vector<double> means = sum.means();
  for (auto &[address, one] : timing.code)
    one.disabledLanes = means[(entry + address - code.addressOf(0)) / 4];
}

// Called by the replay when it starts a workgroup; nothing is run yet.
GroupRecord &LaunchSource::begin(uint64_t id) {
  std::lock_guard lock(mutex);
  if (id == 0 && !live.empty() && live.front()->id == 0)
    return *live.front(); // already begun, see runFirst
  std::unique_ptr<Live> group;
  if (spare.empty()) {
    group = std::make_unique<Live>();
  } else {
    group = std::move(spare.back());
    spare.pop_back();
  }
  group->status = GroupStatus::Paused;
  group->executed = group->flops = 0;
  group->GroupRecord::begin(id, wavesOf(context.request, id));
  if (brought) {
    if (!group->followers)
      group->followers = std::make_unique<Followers>(states, code, *brought);
    const uint32_t *grid = context.request.grid;
    group->followers->begin(id, group->waveCount,
                            uint64_t(grid[0]) * grid[1] * grid[2]);
  }
  group->place = live.size();
  live.push_back(std::move(group));
  return *live.back();
}

/// Runs a workgroup on. Thread safe for different ones, which touch only their
/// own state until they wait for a turn.
void LaunchSource::run(Live &group) {
  if (!group.state) {
    group.state = states.take();
    group.state->begin(group.id);
    group.state->recordTo(code, group,
                          std::min(wordsAhead, turnWords * group.waveCount),
                          turnWords);
  }
  std::unique_ptr<LaneCounts> counts = takeLanes();
  group.state->countLanes(counts.get());
  group.status = group.state->run();
  group.state->countLanes(nullptr);
  giveBack(std::move(counts));
  const Workgroup &workgroup = group.state->group();
  group.executed = executedBy(workgroup);
  group.flops = 0;
  for (unsigned w = 0; w < group.waveCount; ++w) {
    group.waves[w].done = workgroup.waves[w].status == WaveStatus::Done;
    group.flops += workgroup.waves[w].matrixFlops;
  }
  if (group.status == GroupStatus::Done)
    states.giveBack(std::move(group.state));
  if (group.followers)
    group.followers->runOn(group, group.status == GroupStatus::Done);
}

void LaunchSource::globalTurn(Live &group) {
  group.state->globalTurn();
  group.executed = executedBy(group.state->group());
}

/// Called before the replay starts.
uint64_t LaunchSource::runFirst(uint64_t instructions) {
  Live &group = static_cast<Live &>(begin(0));
  for (unsigned tries = 0; tries < countTries; ++tries) {
    // Grows the record as far as it takes: nobody replays it yet.
    if (group.state)
      group.state->recordTo(code, group, wordsAhead + group.wordsLeft(),
                            ~size_t(0), true);
    run(group);
    if (group.status == GroupStatus::Faulted)
      fault = &group.state->group();
    if (group.status == GroupStatus::Waiting)
      globalTurn(group);
    else if (group.status != GroupStatus::Paused)
      break;
    if (group.executed > instructions)
      break;
  }
  if (group.state)
    group.state->recordTo(code, group, wordsAhead, turnWords, true);
  return group.executed;
}

/// The replay has finished with the workgroup.
void LaunchSource::end(GroupRecord &record) {
  Live &group = static_cast<Live &>(record);
  std::lock_guard lock(mutex);
  flops += group.flops;
  executed += group.executed;
  if (group.state)
    states.giveBack(std::move(group.state));
  if (group.followers)
    group.followers->end();
  spare.push_back(std::move(live[group.place]));
  if (group.place + 1 < live.size()) {
    live.back()->place = group.place;
    live[group.place] = std::move(live.back());
  }
  live.pop_back();
}

/// The one with the lowest number counts.
void LaunchSource::noteFault(const Live &group) {
  std::lock_guard lock(mutex);
  if (!fault || group.id < fault->linearId)
    fault = &group.state->group();
}

bool LaunchSource::runOn(GroupRecord &record) {
  Live &group = static_cast<Live &>(record);
  // Others have to come first.
  if (group.status != GroupStatus::Paused)
    return true;
  if (group.followers)
    group.followers->notePassed(group);
  group.compact();
  run(group);
  if (group.followers && group.followers->faulted()) {
    std::lock_guard lock(mutex);
    fault = group.followers->faulted();
    return false;
  }
  if (group.status != GroupStatus::Faulted)
    return true;
  noteFault(group);
  return false;
}

/// The least that a wavefront of the workgroup has left.
static size_t leastLeft(const Live &group) {
  size_t least = ~size_t(0);
  for (unsigned i = 0; i < group.waveCount; ++i)
    if (!group.waves[i].done)
      least = std::min(least, group.waves[i].left());
  return least;
}

/// Runs \p wanted on, and with it all others that are about to run dry, so that
/// the pool has something to do. False after a fault. The order of global
/// operations is by workgroup number: the same for every number of threads.
bool LaunchSource::runLow(Live &wanted) {
  std::vector<Live *> low;
  for (const auto &group : live)
    if (group->status != GroupStatus::Done &&
        (group.get() == &wanted || leastLeft(*group) < lowWords))
      low.push_back(group.get());
  pool.forEach(low.size(), [&](uint64_t i) {
    if (low[i]->followers)
      low[i]->followers->notePassed(*low[i]);
    low[i]->compact();
    run(*low[i]);
  });
  std::sort(low.begin(), low.end(),
            [](const Live *a, const Live *b) { return a->id < b->id; });
  for (Live *group : low) {
    if (group->status == GroupStatus::Waiting)
      globalTurn(*group);
    if (group->followers)
      group->followers->globalTurns();
    if (group->state && group->state->group().fault.kind && !fault)
      fault = &group->state->group();
    else if (group->followers && !fault)
      fault = group->followers->faulted();
  }
  return !fault;
}

/// True also if nothing more can be had now: the replay then goes on with other
/// workgroups, which may be what this one waits for.
bool LaunchSource::refill(GroupRecord &group) {
  Live &wanted = static_cast<Live &>(group);
  for (unsigned tries = 0; tries < idleTries; ++tries) {
    if (wanted.status == GroupStatus::Done)
      return true;
    if (!runLow(wanted))
      return false;
    if (leastLeft(wanted) > 0)
      return true;
  }
  return true;
}

/// Counts the instructions of a workgroup, without recording it.
uint64_t LaunchSource::count(uint64_t id) {
  std::unique_ptr<GroupState> state = states.take();
  // No recordTo(): runs at full speed.
  state->begin(id);
  GroupStatus status = GroupStatus::Paused;
  // The bound keeps a workgroup that waits for others from being tried for
  // ever.
  for (unsigned tries = 0; tries < countTries; ++tries) {
    status = state->run();
    if (status != GroupStatus::Waiting)
      break;
    state->globalTurn();
  }
  if (status == GroupStatus::Faulted) {
    fault = &state->group();
    faulty = std::move(state);
    return 1;
  }
  uint64_t sum = executedBy(state->group());
  states.giveBack(std::move(state));
  return sum;
}

/// Scalar registers of the first wavefront after \p instructions; null after a
/// fault. Valid until the next call.
const uint32_t *LaunchSource::begin(uint64_t id, uint64_t instructions) {
  if (!beginner)
    beginner = states.take();
  const Wave *wave = beginner->runFirst(id, instructions);
  return wave ? wave->sgpr : nullptr;
}

/// How fast workgroups are under other conditions: a further, shorter run of
/// one XCD.
Pace paceWith(CodeTable &code, LaunchSource &source, const GroupNeeds &needs,
              MachineOptions options, uint64_t limit) {
  options.instructionLimit = std::max<uint64_t>(1, limit);
  options.firstMark = options.secondMark = ~uint64_t(0);
  options.traceWaves = 0;
  source.startShortRun(needs, options);
  Machine machine(code, source, needs, options);
  bool ok = machine.run();
  source.endShortRun();
  return ok ? machine.pace() : Pace();
}

/// What a short run with all XCDs shows.
struct Beginning {
  std::vector<uint64_t> pages; ///< in the order in which they are met
  double lag = 0;              ///< see LineSharing
};
Beginning runBeginning(CodeTable &code, LaunchSource &source,
                       const GroupNeeds &needs, MachineOptions options,
                       uint64_t limit) {
  options.instructionLimit = std::max<uint64_t>(1, limit);
  options.traceWaves = 0;
  options.sharing.measuresLag = true;
  source.startShortRun(needs, options);
  Machine machine(code, source, needs, options);
  machine.run();
  source.endShortRun();
  source.abandon();
  return {machine.pages(), machine.meanLag()};
}

/// What workgroups get of a compute unit, seen on the first XCD.
Shares probe(CodeTable &code, LaunchSource &source, const GroupNeeds &needs,
             MachineOptions options, uint64_t limit) {
  options.xcds = 1;
  unsigned full = occupancyOf(needs).groupsPerCu;
  Pace pace = paceWith(code, source, needs, options, limit);
  options.groupsPerCu = 1;
  double alone =
      full > 1 ? paceWith(code, source, needs, options, limit).mean() : 0;
  return Shares(pace, full, alone);
}

} // namespace

/// A launch under the timing model. On a fault \p result has the finding and no
/// timing.
void tlc::sim::runTimed(LaunchContext &context, unsigned threads,
                        LaunchResult &result) {
  const LaunchRequest &request = context.request;
  const TimingOptions &wanted = *context.options.timing;
  CodeTable code(context.program);
  LaunchSource source(context, code, threads);
  const KernelDescriptor &descriptor = request.kernel->descriptor;
  GroupNeeds needs;
  uint64_t items =
      uint64_t(request.block[0]) * request.block[1] * request.block[2];
  needs.waves = unsigned((items + waveLanes - 1) / waveLanes);
  needs.vgprs = descriptor.vgprCount();
  needs.ldsBytes = descriptor.groupSegmentFixedSize + request.dynamicLds;
  if (!occupancyOf(needs).groupsPerCu) {
    result.failed = true;
    result.report = fmt::format(
        "kernel '{}': a workgroup of {} wavefronts with {} registers a lane "
        "and {} bytes of LDS does not fit a compute unit",
        request.kernel->name, needs.waves, needs.vgprs, needs.ldsBytes);
    result.findings.push_back({"resources", result.report});
    return;
  }
  MachineOptions options;
  options.workgroups =
      uint64_t(request.grid[0]) * request.grid[1] * request.grid[2];
  options.inOrder = context.program.mayOrderAccesses();
  options.warm = wanted.warm;
  options.traceWaves = wanted.traceWaves;
  options.traceEvents = wanted.traceEvents;

  // Sampling: long launches whose workgroups do not wait for one another run a
  // part in detail, and the rest by its counts.
  uint64_t detail = wanted.detailInstructions ? wanted.detailInstructions
                                              : detailInstructions;
  double fullUpTo = fullFactor * double(detail);
  HostCost cost;
  bool isDear = false;
  double usual = 1; ///< instructions that cost as much as one
  std::unique_ptr<LengthModel> lengths;
  std::unique_ptr<BroughtLines> brought;
  SamplePlan plan;
  auto isLong = [&] {
    uint64_t most = uint64_t(fullUpTo) / options.workgroups;
    uint64_t executed = source.runFirst(most);
    if (mayWaitForOthers(code, source.first()))
      return false;
    cost = hostCost(code, source.first());
    isDear = !wanted.detailInstructions && cost.ratio() > mostRatio;
    if (isDear) {
      fullUpTo = std::min(fullUpTo, shortReplay / cost.replay);
      most = uint64_t(fullUpTo) / options.workgroups;
    }
    if (!isDear && options.workgroups <= sampleFrom)
      return false;
    // The first may be the shortest.
    return executed > most ||
           (mayRunTwice(code, source.first(), context.memory) &&
            (source.count(options.workgroups - 1) > most ||
             source.count(options.workgroups / 2) > most));
  };
  auto isAffordable = [&](double factor) {
    return !wanted.detailInstructions && lengths->all() <= factor * fullUpTo;
  };
  // Parts of it have run by then.
  auto mayStartAnew = [&] {
    source.runFirst(~uint64_t(0));
    bool may = mayRunTwice(code, source.first(), context.memory);
    source.abandon();
    return may;
  };
  const MachineOptions whole = options;
  if (!wanted.full && options.workgroups >= leastGrid && isLong()) {
    source.abandon();
    lengths = std::make_unique<LengthModel>(options.workgroups, needs.waves,
                                            detail, source);
    double all = lengths->all();
    if (all <= fullUpTo ||
        (options.workgroups <= sampleFrom && !lengths->isUniform())) {
      lengths.reset();
    } else if (isDear) {
      usual = std::max(1.0, cost.replay / usualReplay);
      detail = uint64_t(std::min(double(detail) / usual,
                                 all * std::max(leastPart, 1 / cost.ratio())));
    }
  }
  if (lengths) {
    source.setWords(cost.words);
    Beginning beginning =
        runBeginning(code, source, needs, options,
                     detail / (isDear ? dearBeginningPart : probePart));
    options.pages = std::move(beginning.pages);
    Ends ends;
    if (!lengths->isUniform())
      ends = stepEnds(*lengths, options.workgroups, needs, Demand(),
                      probe(code, source, needs, options, detail / probePart));
    plan = planSample(*lengths, options.workgroups, needs, detail, usual, ends);
    plan.warm = options.warm;
    source.abandon();
    if (isAffordable(SamplePlan::uncertainFactor) && plan.isUncertain(ends) &&
        mayStartAnew()) {
      lengths.reset();
      source.forget();
      options = whole;
    } else {
      plan.apply(options);
      options.sharing =
          linesShared(context, code, source, plan, *lengths, cost.words);
      options.sharing.lag = beginning.lag;
      if (options.sharing.neighboursMeet && plan.isUniform &&
          occupancyOf(needs).wavesPerSimd >= followWaves &&
          cost.ratio() > followRatio) {
        brought = std::make_unique<BroughtLines>(linesOf(context.memory));
        source.follow(brought.get());
        options.sharing = LineSharing(*brought, options.sharing);
        plan.areFollowed = true;
      }
    }
  }
  auto machine = std::make_unique<Machine>(code, source, needs, options);
  bool ok = !source.faulted() && machine->run();
  auto faults = [&](LaunchSource &source) {
    const Workgroup *faulted = source.faulted();
    if (!faulted)
      return false;
    result.failed = true;
    result.findings.push_back(describeFault(context, *faulted));
    result.report = result.findings.back().text;
    return true;
  };
  if (faults(source))
    return;
  uint64_t entry = request.object->deviceAddress(request.kernel->entryAddress);
  TimingResult timing;
  if (ok) {
    timing = machine->takeResult(entry);
    source.addLanes(timing, entry);
  }
  if (ok && lengths)
    plan.lengthError = lengths->errorOf(machine->groups());
  if (ok && lengths && plan.kind == SamplePlan::Kind::WholeXcd &&
      isAffordable(SamplePlan::contendedFactor) &&
      (plan.isContended(timing) || plan.lengthError > SamplePlan::misjudged) &&
      mayStartAnew()) {
    lengths.reset();
    source.forget();
    source.follow(nullptr);
    machine = std::make_unique<Machine>(code, source, needs, whole);
    ok = machine->run();
    if (faults(source))
      return;
    if (ok) {
      timing = machine->takeResult(entry);
      source.addLanes(timing, entry);
    }
  }
  if (!ok) {
    result.failed = true;
    result.report = fmt::format(
        "kernel '{}': the timing model lost a wavefront", request.kernel->name);
    result.findings.push_back({"timing", result.report});
    return;
  }
  timing.matrixFlops =
      lengths ? uint64_t(source.flopsPerInstruction() * timing.instructions)
              : source.matrixFlops();
  timing.sampling = "every workgroup ran in detail";
  // From the detailed workgroups to the whole grid.
  if (lengths) {
    lengths->learn(machine->groups());
    double alone = 0, relieved = 0;
    if (plan.kind == SamplePlan::Kind::Pace) {
      if (occupancyOf(needs).groupsPerCu > 1) {
        MachineOptions single = options;
        single.groupsPerCu = 1;
        alone = paceWith(code, source, needs, single,
                         options.instructionLimit / probePart)
                    .mean();
      }
      if (plan.isUneven()) {
        MachineOptions others = options;
        others.othersEnd.assign(param::xcds - 1, 0);
        relieved = paceWith(code, source, needs, others,
                            options.instructionLimit / probePart)
                       .mean();
      }
    }
    if (faults(source))
      return;
    timing = extrapolate(std::move(timing), *machine, *lengths, plan, alone,
                         relieved);
    timing.sampling = plan.describe(machine->groups().size(), *lengths);
  }
  result.matrixFlops = timing.matrixFlops;
  result.timing = std::make_shared<TimingResult>(std::move(timing));
}
