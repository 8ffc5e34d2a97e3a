//===- HostCost.h - What an instruction costs the host ----------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How much dearer the replay of a launch is than its run, which decides how
// much of it is worth replaying. Estimated from what was recorded, by costs
// that were measured once: a clock's word would differ from run to run, and
// with it the sample.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_TIMING_HOSTCOST_H
#define TLC_LIB_SIMULATOR_TIMING_HOSTCOST_H

#include "Recorder.h"

namespace tlc::sim {

/// Nanoseconds of a host core for an instruction, on average.
struct HostCost {
  double run = 0, replay = 0;
  double words = 0; ///< that are recorded of one

  /// How many times as long the replay takes.
  double ratio() const { return run > 0 ? replay / run : 0; }
};

/// Over all that is recorded of a workgroup.
HostCost hostCost(const CodeTable &code, const GroupRecord &group);

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_TIMING_HOSTCOST_H
