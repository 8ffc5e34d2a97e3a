//===- Simulator.h - The built-in gfx942 ------------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The simulator is used through HIP's entry points (`simulatorHip`). This is
// what it offers beside them: settings, and what the last launch did.
// A fault in a kernel gives hipErrorIllegalAddress, hipErrorLaunchFailure or
// hipErrorLaunchTimeOut at the launch (launches complete at once), and its
// text is in `lastLaunch().report`.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_SIMULATOR_SIMULATOR_H
#define TLC_SIMULATOR_SIMULATOR_H

#include "tlc/Runtime/HIPTable.h"
#include "tlc/Simulator/Timing/Timing.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tlc::sim {

/// The table of the simulator; one simulated device per process.
const hip::HIPTable &simulatorHip();

struct SimulatorOptions {
  /// Host threads that run workgroups; 0 = one per core. Results do not
  /// depend on it.
  unsigned threads = 0;
  /// Chooses the order in which wavefronts and workgroups take turns.
  uint64_t scheduleSeed = 0;
  /// Instructions a wavefront executes before the next one's turn; 0 = as many
  /// as it can. Small numbers keep wavefronts side by side, as hardware tends
  /// to: a race may then end as it does there. Without effect under `timing`.
  uint32_t turnInstructions = 0;
  /// Executed wavefront instructions a launch may use; 0 = no limit.
  uint64_t instructionLimit = 0;
  /// Run the checkers (races, uninitialised values, hazards, waits).
  bool checkers = false;
  /// Count LDS bank conflicts and instructions by name.
  bool statistics = false;
  /// Told of each launch that ran, on the thread that launched it.
  std::function<void(const struct LaunchResult &)> afterLaunch;
  /// Model the time of the launch. Excludes checkers and statistics; grids too
  /// large for it are sampled, see TimingOptions.
  std::optional<TimingOptions> timing;
};

/// Read at each launch. Not synchronised: set it between launches.
SimulatorOptions &simulatorOptions();

/// How trustworthy an instruction's result is.
enum class Exactness : uint8_t { Exact, Approximate, Unsupported };

struct InstructionCount {
  uint64_t executed = 0; ///< wavefront instructions
  Exactness exactness = Exactness::Exact;
};

/// LDS traffic of one instruction address, by the phase rules of gfx942.
struct LdsConflicts {
  std::string mnemonic;
  uint64_t executed = 0;   ///< wavefront instructions
  uint64_t baseCycles = 0; ///< cycles without any conflict
  uint64_t conflictCycles = 0;
};

/// One message of a fault or a checker.
struct Finding {
  std::string kind; ///< a stable name such as "global-out-of-bounds"
  std::string text; ///< the whole report, without a line feed at its end
  /// Told, but no failure: see `waitStatesNote` of the checkers.
  bool isNote = false;
};

struct LaunchResult {
  std::string kernel;
  uint64_t instructions = 0; ///< executed wavefront instructions
  uint64_t matrixFlops = 0;  ///< 2·M·N·K of every executed MFMA
  double seconds = 0;        ///< host time of the execution
  /// Only with `statistics`; keys are mnemonics / code addresses relative to
  /// the kernel's entry.
  std::map<std::string, InstructionCount> byMnemonic;
  std::map<uint64_t, LdsConflicts> lds;
  std::shared_ptr<const TimingResult> timing; ///< only with `timing`
  /// A fault ends the launch and stands first, notes stand last.
  std::vector<Finding> findings;
  bool failed = false;
  std::string report; ///< all findings as text; empty if there are none
};

/// Makes a part of device memory look as if nothing had been written there, and
/// fills it with NaNs: padding that no kernel may use. False if the range lies
/// in no allocation.
bool poisonMemory(void *pointer, size_t bytes);

/// The last launch of the calling thread.
const LaunchResult &lastLaunch();

} // namespace tlc::sim

#endif // TLC_SIMULATOR_SIMULATOR_H
