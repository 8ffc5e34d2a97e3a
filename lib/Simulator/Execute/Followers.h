//===- Followers.h - Workgroups beside a sample's ---------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where one XCD runs in detail, the others bring lines that it wants. Which
// ones, and when, is seen by running them along: beside a workgroup that is
// replayed those that start with it on the other XCDs, operation by operation.
//
//   replayed   workgroup 16      its wavefront 2 waits for its 5th load
//   followed   17, 18, ..., 23   their wavefronts 2 as well; all come to what
//                                they load next, one after the other
//
// Nothing of them is recorded but the lines that they come to. All XCDs get on
// alike; who is the first to come to the lines of an operation is drawn.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_EXECUTE_FOLLOWERS_H
#define TLC_LIB_SIMULATOR_EXECUTE_FOLLOWERS_H

#include "../Timing/BroughtLines.h"
#include "GroupState.h"

#include <mutex>

namespace tlc::sim {

/// Of all that a launch may touch.
std::vector<BroughtLines::Range> linesOf(const DeviceMemory &memory);

/// Registers and LDS, used before if some are free.
class StatePool {
public:
  explicit StatePool(LaunchContext &context) : context(context) {}

  std::unique_ptr<GroupState> take();
  void giveBack(std::unique_ptr<GroupState> state) {
    std::lock_guard lock(mutex);
    spare.push_back(std::move(state));
  }

private:
  LaunchContext &context;
  std::mutex mutex;
  std::vector<std::unique_ptr<GroupState>> spare;
};

/// Those beside one workgroup.
class Followers {
public:
  Followers(StatePool &states, CodeTable &code, BroughtLines &lines)
      : states(states), code(code), lines(lines) {}

  /// Beside workgroup \p id of \p workgroups.
  void begin(uint64_t id, unsigned waveCount, uint64_t workgroups);
  /// After more has been recorded of it, or, \p isDone, all: run as far. Thread
  /// safe for different ones.
  void runOn(const GroupRecord &record, bool isDone);
  /// Before the record is compacted.
  void notePassed(const GroupRecord &record);
  /// To the lines of all that the one in the middle may ask for before it next
  /// waits.
  void come(const GroupRecord &record);
  /// Its last operation has been replayed.
  void end();
  /// Of those that wait for it.
  void globalTurns();
  /// Null if none is.
  const Workgroup *faulted() const { return fault; }

private:
  struct Follower {
    std::unique_ptr<GroupState> state; ///< null once it has ended
    LineWatch watch;
    GroupStatus status = GroupStatus::Done;
    unsigned waveCount = 0;
  };
  struct OfWave {
    /// Words of the record: up to where operations are counted, and up to where
    /// all have come to what they touch.
    size_t counted = 0, seen = 0;
    uint64_t recorded = 0, due = 0; ///< operations up to there
  };

  void run(Follower &follower);
  uint32_t numberOf(uint64_t line) { return lines.numberOf(line, range); }
  void comeTo(Follower &follower, unsigned wave, uint64_t operations);
  void comeTo(unsigned wave, const StaticOp &op, const uint32_t *payload);

  StatePool &states;
  CodeTable &code;
  BroughtLines &lines;
  std::vector<OfWave> waves;
  std::vector<Follower> followers; ///< in the order in which they come
  unsigned ahead = 0;              ///< those before the one in the middle
  size_t range = 0;                ///< of the line before
  const Workgroup *fault = nullptr;
};

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_EXECUTE_FOLLOWERS_H
