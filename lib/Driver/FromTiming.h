//===- FromTiming.h - Reports from the timing model -------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bridge between the simulator's TimingResult, a code object, and the
// report that is printed.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_DRIVER_FROMTIMING_H
#define TLC_LIB_DRIVER_FROMTIMING_H

#include "tlc/Report/Profile/Report.h"
#include "tlc/Simulator/Check/SourceLines.h"
#include "tlc/Simulator/Decode/Instruction.h"
#include "tlc/Simulator/Memory/CodeObject.h"
#include "tlc/Simulator/Timing/Timing.h"

namespace tlc {

/// What is known of a launch without timing it: resources and occupancy.
report::KernelReport describeLaunch(const sim::KernelInfo &kernel,
                                    const std::array<uint32_t, 3> &grid,
                                    const std::array<uint32_t, 3> &block,
                                    uint32_t dynamicLds);

/// Adds what the model says: time, use of the machine, instructions.
void addTiming(report::KernelReport &report, const sim::CodeObject &object,
               const sim::KernelInfo &kernel, const sim::TimingResult &time);

/// Adds the counters that `time` has a value for.
void addCounters(report::KernelReport &report, const sim::TimingResult &time);

/// Operations of a matrix instruction by its name, such as 16384 of
/// v_mfma_f32_16x16x16_f16; 0 for other instructions.
double matrixFlopsOf(const std::string &mnemonic);
/// Operations a lane of an arithmetic vector instruction: 2 for v_fma_f32.
double vectorFlopsOf(const std::string &mnemonic);

/// For each s_waitcnt, the memory instruction that it waits for; by index.
struct WaitTargets {
  std::vector<size_t> memory, lds, scalar; ///< ~0: unknown
  /// For each vector memory instruction, the one before it that may still be
  /// outstanding when it is issued.
  std::vector<size_t> before;
};
/// The code of a kernel in order of address; both lists have one entry for each
/// instruction.
struct DecodedCode {
  std::vector<uint64_t> addresses; ///< virtual addresses in the object
  std::vector<sim::Instruction> instructions;
  std::vector<bool> executed; ///< whether each ever was; empty: not known
};
/// By following the counters through the code in order, each backward branch
/// once: a wait in a loop then names the load of the iteration before.
WaitTargets findWaitTargets(const DecodedCode &code);

/// Moves the cycles of waits to what was waited for: `stalls` stays where
/// wavefronts stood, `caused` is where the time goes when lines are ranked.
void chargeWaits(report::KernelReport &report, const DecodedCode &code);

} // namespace tlc

#endif // TLC_LIB_DRIVER_FROMTIMING_H
