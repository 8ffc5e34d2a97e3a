//===- TimedLaunch.h - A launch that the timing model follows ---*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_EXECUTE_TIMEDLAUNCH_H
#define TLC_LIB_SIMULATOR_EXECUTE_TIMEDLAUNCH_H

#include "GroupState.h"

namespace tlc::sim {

/// Runs the launch, or a sample of its workgroups, as the modelled dispatcher
/// starts them, and fills in \p result.
void runTimed(LaunchContext &context, unsigned threads, LaunchResult &result);

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_EXECUTE_TIMEDLAUNCH_H
