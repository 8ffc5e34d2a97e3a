//===- Launch.cpp - Run a kernel over a grid ------------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Workgroups run in rounds. In a round each workgroup in flight, and some new
// ones, run in parallel until they are done or can go no further; then, one
// after the other in an order drawn from the seed, they perform the global
// operations they wait for. So the order of atomics does not depend on the
// number of host threads, and workgroups that wait for one another make
// progress: where a round brought no workgroup to its end, more are admitted.
//
//===----------------------------------------------------------------------===//

#include "tlc/Simulator/Execute/Launch.h"

#include "FaultReport.h"
#include "GroupState.h"
#include "Parallel.h"
#include "TimedLaunch.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

using namespace tlc::sim;

namespace {

constexpr uint32_t maxLds = 65536, maxBlock = 1024;
/// New workgroups of a round. Their state is only kept if they must wait.
constexpr uint64_t newPerRound = 256;
/// With more in flight than this, new ones are admitted only to make progress.
constexpr size_t flightLimit = 256;

/// Runs one launch to its end or first fault. Owns the states of workgroups,
/// which are reused; a state is held only while its workgroup is in flight.
class Runner {
public:
  Runner(LaunchContext &context, unsigned threads)
      : context(context), pool(threads) {
    const uint32_t *grid = context.request.grid;
    total = uint64_t(grid[0]) * grid[1] * grid[2];
  }

  void run(LaunchResult &result);

private:
  /// A workgroup that has begun and not ended.
  struct Flight {
    uint64_t id = 0;
    GroupStatus status = GroupStatus::Waiting;
    std::unique_ptr<GroupState> state;
  };

  std::unique_ptr<GroupState> takeState();
  void finish(std::unique_ptr<GroupState> state);
  void round(size_t admitted);

  LaunchContext &context;
  ThreadPool pool;
  uint64_t total, next = 0;
  std::vector<Flight> flights;
  std::mutex mutex;
  std::vector<std::unique_ptr<GroupState>> free;
  uint64_t flops = 0;
};

/// Called by all host threads.
std::unique_ptr<GroupState> Runner::takeState() {
  {
    std::lock_guard lock(mutex);
    if (!free.empty()) {
      std::unique_ptr<GroupState> state = std::move(free.back());
      free.pop_back();
      return state;
    }
  }
  return std::make_unique<GroupState>(context);
}

// The state goes back for another workgroup.
void Runner::finish(std::unique_ptr<GroupState> state) {
  std::lock_guard lock(mutex);
  flops += state->matrixFlops();
  free.push_back(std::move(state));
}

/// Runs all flights, the new ones included, in parallel, each until it is done,
/// waits or faults.
void Runner::round(size_t admitted) {
  size_t first = flights.size();
  flights.resize(first + admitted);
  for (size_t i = 0; i < admitted; ++i)
    flights[first + i].id = next++;
  pool.forEach(flights.size(), [&](uint64_t i) {
    Flight &flight = flights[i];
    if (!flight.state) {
      flight.state = takeState();
      flight.state->begin(flight.id);
    }
    flight.status = flight.state->run();
    if (flight.status == GroupStatus::Done)
      finish(std::move(flight.state));
  });
}

/// Faults count by flight order, so that the report is the same for every
/// number of threads.
void Runner::run(LaunchResult &result) {
  bool stuck = false;
  const Workgroup *faulted = nullptr;
  while (!faulted && (next < total || !flights.empty())) {
    uint64_t admit = std::min(newPerRound, total - next);
    if (flights.size() >= flightLimit && !stuck)
      admit = 0;
    round(admit);
    for (Flight &flight : flights)
      if (!faulted && flight.status == GroupStatus::Faulted)
        faulted = &flight.state->group();
    if (faulted)
      break;
    size_t before = flights.size();
    std::erase_if(flights, [](const Flight &flight) {
      return flight.status == GroupStatus::Done;
    });
    // No workgroup came to its end: the ones in flight may wait for one that
    // has not started.
    stuck = flights.size() == before;
    // The order rotates with the seed; it is the same for every number of
    // threads.
    size_t offset =
        flights.empty() ? 0 : context.options.scheduleSeed % flights.size();
    for (size_t i = 0; i < flights.size() && !faulted; ++i) {
      Flight &flight = flights[(i + offset) % flights.size()];
      flight.state->globalTurn();
      if (flight.state->group().fault.kind)
        faulted = &flight.state->group();
    }
    // All workgroups are in flight and each can only wait for the others.
    bool deadlocked = !faulted && next == total && !flights.empty();
    for (const Flight &flight : flights)
      deadlocked = deadlocked && flight.state->waitsForSync();
    if (deadlocked) {
      flights.front().state->deadlock();
      faulted = &flights.front().state->group();
    }
  }
  if (faulted) {
    result.failed = true;
    result.findings.push_back(describeFault(context, *faulted));
  }
  // Findings of checkers fail the launch, but its results are complete.
  if (context.checker)
    for (const CheckFinding &finding : context.checker->findings()) {
      result.findings.push_back(describeFinding(context, finding));
      result.failed |= !result.findings.back().isNote;
    }
  std::stable_partition(result.findings.begin(), result.findings.end(),
                        [](const Finding &finding) { return !finding.isNote; });
  for (const Finding &finding : result.findings)
    result.report += (result.report.empty() ? "" : "\n") + finding.text;
  for (Flight &flight : flights)
    if (flight.state)
      finish(std::move(flight.state));
  result.matrixFlops = flops;
  uint64_t entry = context.request.object->deviceAddress(
      context.request.kernel->entryAddress);
  if (context.options.statistics)
    for (const auto &state : free)
      state->statistics().addTo(result, entry);
}

/// A launch that did not start.
LaunchResult failed(const LaunchRequest &request, const char *kind,
                    std::string text) {
  LaunchResult result;
  result.kernel = request.kernel->name;
  result.failed = true;
  result.findings.push_back(
      {kind, fmt::format("kernel '{}': {}", request.kernel->name, text)});
  result.report = result.findings.front().text;
  return result;
}

} // namespace

/// What the driver would refuse; empty if nothing.
std::string tlc::sim::checkLaunch(const LaunchRequest &request) {
  const KernelInfo &kernel = *request.kernel;
  const uint32_t *block = request.block, *grid = request.grid;
  uint64_t items = uint64_t(block[0]) * block[1] * block[2];
  if (items == 0 || uint64_t(grid[0]) * grid[1] * grid[2] == 0)
    return "the grid or the block is empty";
  if (items > maxBlock || items > kernel.maxWorkgroupSize)
    return fmt::format("{} work-items in a workgroup, at most {} are allowed",
                       items, std::min(maxBlock, kernel.maxWorkgroupSize));
  for (unsigned d = 0; d < 3; ++d) {
    uint32_t required = kernel.requiredWorkgroupSize[d];
    if (required && required != block[d])
      return fmt::format("the kernel requires workgroups of {} x {} x {}",
                         kernel.requiredWorkgroupSize[0],
                         kernel.requiredWorkgroupSize[1],
                         kernel.requiredWorkgroupSize[2]);
    if (uint64_t(grid[d]) * block[d] > UINT32_MAX)
      return fmt::format("{} work-items in dimension {}",
                         uint64_t(grid[d]) * block[d], d);
  }
  uint64_t lds =
      uint64_t(kernel.descriptor.groupSegmentFixedSize) + request.dynamicLds;
  if (lds > maxLds)
    return fmt::format("{} bytes of LDS, gfx942 has {}", lds, maxLds);
  return "";
}

/// Blocks until the launch is over. Allocations cannot change meanwhile
/// (launchLock).
LaunchResult tlc::sim::runLaunch(const LaunchRequest &request,
                                 DeviceMemory &memory,
                                 const SimulatorOptions &options) {
  if (std::string problem = checkLaunch(request); !problem.empty())
    return failed(request, "invalid-launch", problem);
  auto start = std::chrono::steady_clock::now();
  // Argument memory is allocated before the lock, which forbids allocations.
  KernelArguments arguments(request, memory);
  if (!arguments.valid())
    return failed(request, "out-of-memory", "no memory for the arguments");
  Program &program = request.object->program(*request.kernel);
  std::shared_lock lock(memory.launchLock());
  LaunchContext context{request, options, arguments,     memory,
                        program, nullptr, handlerTable()};
  std::unique_ptr<LaunchChecker> checker;
  if (options.checkers && !options.timing)
    checker =
        std::make_unique<LaunchChecker>(request.kernel->descriptor, memory);
  else
    memory.writtenBytes().markAll(); // nobody sees what is written now
  context.checker = checker.get();
  // Where arguments are preloaded, the first 256 bytes of a kernel load them
  // for firmware that cannot; a gfx942 starts behind them.
  constexpr uint64_t preloadPrologue = 256;
  uint64_t entry = request.object->deviceAddress(request.kernel->entryAddress);
  if (request.kernel->descriptor.preloadLength())
    entry += preloadPrologue;
  context.entry = program.at(entry);
  if (!context.entry)
    return failed(request, "jump-out-of-code", "the entry is not in the code");

  // No more threads than workgroups.
  unsigned threads =
      options.threads ? options.threads : std::thread::hardware_concurrency();
  const uint32_t *grid = request.grid;
  threads = static_cast<unsigned>(std::min<uint64_t>(
      std::max(1u, threads), uint64_t(grid[0]) * grid[1] * grid[2]));
  LaunchResult result;
  result.kernel = request.kernel->name;
  if (options.timing)
    runTimed(context, threads, result);
  else
    Runner(context, threads).run(result);
  result.instructions = context.executed;
  result.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return result;
}
