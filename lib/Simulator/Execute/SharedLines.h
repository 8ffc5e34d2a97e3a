//===- SharedLines.h - Which lines several XCDs want ------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_EXECUTE_SHAREDLINES_H
#define TLC_LIB_SIMULATOR_EXECUTE_SHAREDLINES_H

#include "../Timing/Extrapolate.h"
#include "GroupState.h"

namespace tlc::sim {

/// What the other XCDs fetch for the one that \p plan runs, array by array.
/// \p wordsOfEach: that an instruction records, on average.
LineSharing linesShared(LaunchContext &context, CodeTable &code,
                        GroupSource &threads, const SamplePlan &plan,
                        const LengthModel &lengths, double wordsOfEach);

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_EXECUTE_SHAREDLINES_H
