//===- Extrapolate.h - A whole launch from a sample -------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a launch is too large, the first workgroups of one XCD run in detail.
// How long the others take follows from how many instructions they execute
// (LengthModel.h). Then all workgroups of the launch are dispatched once more,
// each with its duration as a whole.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_TIMING_EXTRAPOLATE_H
#define TLC_LIB_SIMULATOR_TIMING_EXTRAPOLATE_H

#include "LengthModel.h"

namespace tlc::sim {

/// Scales `sample`, which the groups of one XCD left, to the whole launch.
TimingResult extrapolate(TimingResult sample,
                         const std::vector<GroupTime> &groups,
                         const LengthModel &lengths, uint64_t workgroups,
                         const GroupNeeds &needs);

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_TIMING_EXTRAPOLATE_H
