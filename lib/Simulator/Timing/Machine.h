//===- Machine.h - Compute units in time ------------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replays recorded workgroups on compute units, cycle by cycle where anything
// can issue, event to event where nothing can. Workgroup i goes to XCD i mod 8
// and there to the least loaded compute unit that has room.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_TIMING_MACHINE_H
#define TLC_LIB_SIMULATOR_TIMING_MACHINE_H

#include "MemorySystem.h"
#include "Pace.h"
#include "Recorder.h"

#include <deque>
#include <functional>

namespace tlc::sim {

/// Where the recorded instructions come from.
class GroupSource {
public:
  virtual ~GroupSource() = default;
  /// Sets up a workgroup. The record stays valid until `end`.
  virtual GroupRecord &begin(uint64_t id) = 0;
  /// Runs the workgroup on, until every wavefront has something to replay or
  /// can do nothing before others of the launch have. False after a fault.
  virtual bool refill(GroupRecord &group) = 0;
  virtual void end(GroupRecord &group) = 0;
  // For XCDs side by side: `begin`, `end` and the next one may be called at the
  // same time for different workgroups.
  /// Runs the workgroup on as far as it gets by itself. False after a fault.
  virtual bool runOn(GroupRecord &group) = 0;
  /// Calls `task` for all numbers below \p count, on as many threads as there
  /// are.
  virtual void forEach(uint64_t count,
                       const std::function<void(uint64_t)> &task) = 0;
};

/// What a kernel takes of a compute unit.
struct GroupNeeds {
  unsigned waves = 1;
  unsigned vgprs = 8; ///< of a wavefront, both kinds
  unsigned ldsBytes = 0;
};
/// The workgroups that fit, and what stops more.
Occupancy occupancyOf(const GroupNeeds &needs);

struct MachineOptions {
  unsigned firstXcd = 0, xcds = param::xcds;
  uint64_t workgroups = 0;    ///< of the grid
  unsigned groupsPerCu = ~0u; ///< at most so many at a time
  /// Numbers of the first XCD's workgroups at whose starts a mark is taken.
  /// From the second mark on `skipped` workgroups are left out.
  uint64_t firstMark = ~uint64_t(0), secondMark = ~uint64_t(0), skipped = 0;
  /// Instructions after which the run stops where it is: an emptying machine
  /// would be faster than a full one. 0: no limit. At half of it a mark is
  /// taken and the pace is measured anew.
  uint64_t instructionLimit = 0;
  /// Instructions of this run's XCD after which one of the others, which has
  /// less to do, has ended and leaves it its part of what they share;
  /// ascending.
  std::vector<double> othersEnd;
  /// Workgroups may see what others write, so they execute in the order of
  /// time.
  bool inOrder = false;
  LineSharing sharing; ///< for fewer XCDs than there are
  /// Pages in the order in which a run with all XCDs meets them: where lines
  /// meet in the caches follows from it.
  std::vector<uint64_t> pages;
  bool warm = false; ///< the same
  unsigned traceWaves = 0;
  size_t traceEvents = 0;
};

struct GroupTime {
  uint64_t id = 0, begin = 0, end = 0, instructions = 0;
  unsigned cu = 0;
  /// It had not ended when the run stopped, at `end`.
  bool isPartial = false;
};

inline constexpr uint64_t MemoryCounters::*memoryCounters[] = {
    &MemoryCounters::requestedBytes,    &MemoryCounters::storedBytes,
    &MemoryCounters::l1Bytes,           &MemoryCounters::l2Bytes,
    &MemoryCounters::mallBytes,         &MemoryCounters::hbmBytes,
    &MemoryCounters::l1Lines,           &MemoryCounters::l1Hits,
    &MemoryCounters::l2Lines,           &MemoryCounters::l2Hits,
    &MemoryCounters::mallLines,         &MemoryCounters::mallHits,
    &MemoryCounters::scalarLines,       &MemoryCounters::scalarHits,
    &MemoryCounters::instructionMisses, &MemoryCounters::translationMisses,
    &MemoryCounters::atomicCycles};
void addTo(MemoryCounters &sum, const MemoryCounters &m);
/// Makes the sums of the launch those of `result.code`.
void sumUp(TimingResult &result);

struct SimGroup;

class Machine {
public:
  Machine(CodeTable &code, GroupSource &source, const GroupNeeds &needs,
          const MachineOptions &options);
  ~Machine();

  /// Runs to the end; false after a fault.
  bool run();

  /// Workgroups that ran, in the order of their start.
  const std::vector<GroupTime> &groups() const;
  /// Sums over what ran; `cycles` is when all was written.
  TimingResult takeResult(uint64_t entry);
  /// Sums up to the marks; `cycles` is when they were taken.
  const std::vector<TimingResult> &marks() const { return taken; }
  const Pace &pace() const;
  /// In the order of their first use.
  const std::vector<uint64_t> &pages() const;
  double meanLag() const; ///< see MemorySystem
  const LineSharing &whatIsRead() const;
  double linesPlaced() const; ///< the same
  double linesWritten() const;
  double linesBeforeWrites() const;
  /// XCDs of the device that had work when the run ended.
  unsigned activeXcds() const;

private:
  struct Impl;
  bool runWindows();
  void serve(const std::vector<Impl *> &xcds);
  bool forEachXcd(const std::vector<Impl *> &some, bool onThreads,
                  const std::function<bool(Impl &)> &task);
  bool runLow(const std::vector<SimGroup *> &low);

  GroupSource &source;
  std::unique_ptr<MemorySystem> memory;
  ZeroPages unitPages;        ///< of the compute units' caches
  bool inWindows = false;     ///< a part for each XCD
  std::unique_ptr<Impl> impl; ///< of all XCDs, or the first
  std::vector<std::unique_ptr<Impl>> others;
  std::vector<TimingResult> taken;
};

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_TIMING_MACHINE_H
