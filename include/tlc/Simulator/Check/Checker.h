//===- Checker.h - What a run is watched for --------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checkers watch a launch instruction by instruction, from outside the
// handlers, so that they cost nothing when off. They find what a GPU would not
// tell: results used before their s_waitcnt, missing wait states, undefined
// values that reach an address, a branch, EXEC or global memory, data races in
// LDS and between workgroups, barriers that only some wavefronts reach.
//
// A LaunchChecker is shared by the workgroups of a launch; each workgroup in
// flight has a GroupChecker, which one host thread at a time uses:
//
//   group.begin(workgroup);
//   until its wavefronts have ended:
//     if (unsigned n = group.straight(wave, budget))
//       ...execute n instructions...
//     else
//       group.before(wave, op); ...execute...; group.after(wave, op, executed);
//   group.barrierReleased();
//
// Straight pieces of code in which nothing undefined can matter, and whose
// waits and wait states have been found right before, run unwatched.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_SIMULATOR_CHECK_CHECKER_H
#define TLC_SIMULATOR_CHECK_CHECKER_H

#include "tlc/Simulator/Execute/Wave.h"
#include "tlc/Simulator/Memory/CodeObject.h"
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace tlc::sim {

/// The kind of findings that do not fail a launch: fewer wait states than
/// documented, where hardware is known to wait.
inline constexpr const char *waitStatesNote = "wait-states-note";

/// One thing found; the first of its kind at an instruction counts.
struct CheckFinding {
  const char *kind = ""; ///< "missing-wait", "wait-states", "wait-states-note",
                         ///< "undefined-value", "lds-race", "global-race",
                         ///< "barrier-divergence"
  std::string message;   ///< one line, without the place
  const Op *op = nullptr;
  uint32_t group[3] = {0, 0, 0};
  uint64_t linearGroup = 0;
  uint32_t wave = 0;
  int lane = -1; ///< -1: the whole wavefront
};

class GlobalShadow;

class LaunchChecker {
public:
  LaunchChecker(const KernelDescriptor &descriptor, const DeviceMemory &memory);
  ~LaunchChecker();

  void report(CheckFinding finding);
  /// What was found, by address and kind: the order does not depend on host
  /// threads.
  std::vector<CheckFinding> findings();

  const KernelDescriptor descriptor;
  const DeviceMemory &memory;
  std::unique_ptr<GlobalShadow> global;

private:
  std::mutex mutex;
  std::set<std::pair<uint64_t, std::string>> seen;
  std::vector<CheckFinding> found;
};

class GroupChecker {
public:
  explicit GroupChecker(LaunchChecker &launch);
  ~GroupChecker();

  /// The workgroup is set up, nothing has run.
  void begin(const Workgroup &group);
  /// How many instructions \p wave, Ready, may execute next without being
  /// watched, at most \p budget: they are checked by this call. They reach no
  /// memory, and their last one may be a branch.
  unsigned straight(Wave &wave, int64_t budget);
  /// \p wave is about to execute \p op.
  void before(Wave &wave, const Op &op);
  /// It has, unless \p executed is false: then it will try again later.
  void after(Wave &wave, const Op &op, bool executed);
  /// All wavefronts that have not ended stood at a barrier and go on.
  void barrierReleased();

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace tlc::sim

#endif // TLC_SIMULATOR_CHECK_CHECKER_H
