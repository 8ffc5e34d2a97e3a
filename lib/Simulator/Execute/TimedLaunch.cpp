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

#include "../Timing/Machine.h"
#include "FaultReport.h"
#include "Parallel.h"

#include <algorithm>

using namespace tlc::sim;

namespace {

/// Words recorded ahead for a workgroup, and those of a wavefront below which
/// it is run on along with others.
constexpr size_t wordsAhead = 1 << 16, lowWords = 1 << 10;
/// How often a workgroup that waits for others is tried before the replay goes
/// on without it.
constexpr unsigned idleTries = 3;

struct Live : GroupRecord {
  std::unique_ptr<GroupState> state;
  GroupStatus status = GroupStatus::Paused;
};

class LaunchSource : public GroupSource {
public:
  LaunchSource(LaunchContext &context, CodeTable &code, unsigned threads)
      : context(context), code(code), pool(threads) {}

  GroupRecord &begin(uint64_t id) override;
  bool refill(GroupRecord &group) override;
  void end(GroupRecord &group) override;

  const Workgroup *faulted() const { return fault; }
  uint64_t matrixFlops() const { return flops; }

private:
  bool runLow(Live &wanted);

  LaunchContext &context;
  CodeTable &code;
  ThreadPool pool;
  std::vector<std::unique_ptr<Live>> live, spare;
  const Workgroup *fault = nullptr;
  uint64_t flops = 0;
};

GroupRecord &LaunchSource::begin(uint64_t id) {
  std::unique_ptr<Live> group;
  if (spare.empty()) {
    group = std::make_unique<Live>();
    group->state = std::make_unique<GroupState>(context);
  } else {
    group = std::move(spare.back());
    spare.pop_back();
  }
  group->status = GroupStatus::Paused;
  group->state->begin(id);
  group->state->recordTo(code, *group, wordsAhead);
  live.push_back(std::move(group));
  return *live.back();
}

void LaunchSource::end(GroupRecord &group) {
  auto it = std::find_if(live.begin(), live.end(), [&](const auto &each) {
    return each.get() == &group;
  });
  flops += (*it)->state->matrixFlops();
  spare.push_back(std::move(*it));
  live.erase(it);
}

/// The least that a wavefront of the workgroup has left.
static size_t leastLeft(const Live &group) {
  size_t least = ~size_t(0);
  for (unsigned i = 0; i < group.waveCount; ++i)
    if (!group.waves[i].done)
      least = std::min(least, group.waves[i].left());
  return least;
}

bool LaunchSource::runLow(Live &wanted) {
  std::vector<Live *> low;
  for (const auto &group : live)
    if (group->status != GroupStatus::Done &&
        (group.get() == &wanted || leastLeft(*group) < lowWords))
      low.push_back(group.get());
  pool.forEach(low.size(), [&](uint64_t i) {
    Live &group = *low[i];
    group.compact();
    group.status = group.state->run();
    const Workgroup &workgroup = group.state->group();
    for (unsigned w = 0; w < group.waveCount; ++w)
      group.waves[w].done = workgroup.waves[w].status == WaveStatus::Done;
  });
  std::sort(low.begin(), low.end(),
            [](const Live *a, const Live *b) { return a->id < b->id; });
  for (Live *group : low) {
    if (group->status == GroupStatus::Waiting)
      group->state->globalTurn();
    if (group->state->group().fault.kind && !fault)
      fault = &group->state->group();
  }
  return !fault;
}

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

} // namespace

void tlc::sim::runTimed(LaunchContext &context, unsigned threads,
                        LaunchResult &result) {
  const LaunchRequest &request = context.request;
  CodeTable code(context.program);
  LaunchSource source(context, code, threads);
  const KernelDescriptor &descriptor = request.kernel->descriptor;
  GroupNeeds needs;
  uint64_t items =
      uint64_t(request.block[0]) * request.block[1] * request.block[2];
  needs.waves = unsigned((items + waveLanes - 1) / waveLanes);
  needs.vgprs = descriptor.vgprCount();
  needs.ldsBytes = descriptor.groupSegmentFixedSize + request.dynamicLds;
  MachineOptions options;
  options.workgroups =
      uint64_t(request.grid[0]) * request.grid[1] * request.grid[2];
  options.traceWaves = context.options.timing->traceWaves;
  options.traceEvents = context.options.timing->traceEvents;
  Machine machine(code, source, needs, options);
  bool ok = machine.run();
  if (const Workgroup *faulted = source.faulted()) {
    result.failed = true;
    result.findings.push_back(describeFault(context, *faulted));
    result.report = result.findings.back().text;
    return;
  }
  (void)ok;
  auto timing = std::make_shared<TimingResult>(machine.takeResult(
      request.object->deviceAddress(request.kernel->entryAddress)));
  timing->matrixFlops = result.matrixFlops = source.matrixFlops();
  result.timing = std::move(timing);
}
