//===- GroupState.h - A workgroup in flight ---------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_EXECUTE_GROUPSTATE_H
#define TLC_LIB_SIMULATOR_EXECUTE_GROUPSTATE_H

#include "../Timing/LaneCounts.h"
#include "../Timing/Recorder.h"
#include "KernelArguments.h"
#include "Lanes/Handlers.h"
#include "LineWatch.h"
#include "Statistics.h"
#include "tlc/Simulator/Check/Checker.h"

#include <atomic>

namespace tlc::sim {

/// What all workgroups of a launch share.
struct LaunchContext {
  const LaunchRequest &request;
  const SimulatorOptions &options;
  const KernelArguments &arguments;
  DeviceMemory &memory;
  Program &program;
  const Op *entry = nullptr;
  const HandlerTable &handlers;
  LaunchChecker *checker = nullptr; ///< null: no checks
  std::atomic<uint64_t> executed{0};
  GlobalSync sync;
};

/// Why a workgroup stopped.
enum class GroupStatus : uint8_t {
  Done,
  Waiting, ///< for its turn at global memory, or others' progress
  Paused,  ///< enough is recorded
  Faulted,
};

/// Memory and registers of one workgroup; reused for the next.
class GroupState {
public:
  explicit GroupState(LaunchContext &context);
  ~GroupState();
  GroupState(const GroupState &) = delete;
  GroupState &operator=(const GroupState &) = delete;

  /// Sets up the workgroup with this number in the grid.
  void begin(uint64_t linearId);
  /// Runs its wavefronts until none can go on.
  GroupStatus run();
  /// From `begin` on records what is executed; `run` pauses when more than
  /// \p words are waiting to be replayed. A wavefront's turn ends after
  /// \p turnWords.
  /// \p goOn keeps what the target has.
  void recordTo(CodeTable &table, GroupRecord &target, size_t words,
                size_t turnWords = ~size_t(0), bool goOn = false);
  /// What is recorded from now on is counted by its active lanes.
  void countLanes(LaneCounts *counts) { lanes = counts; }
  /// From `begin` on \p target sees what is executed; `run` pauses when it has
  /// enough of all wavefronts.
  void watchBy(CodeTable &table, LineWatch &target);
  /// Of what is recorded or watched.
  bool recordedEnough() const;
  /// Sets up a workgroup and runs its first wavefront alone for so many
  /// instructions, as if the others had ended. Null after a fault.
  const Wave *runFirst(uint64_t linearId, uint64_t instructions);
  /// Performs the global operations its wavefronts wait for.
  void globalTurn();

  /// True if nothing but other workgroups at a global barrier or semaphore can
  /// let any of its wavefronts go on.
  bool waitsForSync() const;
  /// Faults where that is so of all workgroups.
  void deadlock();

  const Workgroup &group() const { return workgroup; }
  Statistics &statistics() { return counts; }
  uint64_t matrixFlops() const { return flops; }

private:
  void runWave(Wave &wave);
  void observedTurn(Wave &wave, int64_t budget);
  template <typename F, typename G, typename H>
  void keptTurn(Wave &wave, int64_t budget, F keepFirst, G keep, H isEnough);
  void recordedTurn(Wave &wave, int64_t budget);
  void watchedTurn(Wave &wave, int64_t budget);
  void checkedTurn(Wave &wave, int64_t budget);
  void observedStep(Wave &wave);
  bool releaseBarrier();
  bool observed() const {
    return context.options.statistics || checker || record || watch;
  }
  void scheduleOrder();

  LaunchContext &context;
  Workgroup workgroup;
  unsigned maxWaves, vgprCount, privateBytes;
  Wave *waves = nullptr;
  uint32_t *vgprs = nullptr;
  uint8_t *lds = nullptr;
  uint32_t *scratch = nullptr;
  std::vector<unsigned> order;
  Statistics counts;
  std::unique_ptr<GroupChecker> checker;
  CodeTable *code = nullptr;
  GroupRecord *record = nullptr;
  LaneCounts *lanes = nullptr;
  LineWatch *watch = nullptr;
  size_t recordWords = 0, recordTurn = 0;
  uint64_t flops = 0;
};

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_EXECUTE_GROUPSTATE_H
