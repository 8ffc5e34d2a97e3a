//===- Power.cpp - The clock under load -----------------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that keeps the matrix cores and vector ALUs busy takes more power
// than the board may have, and the clock falls until it fits:
//
//   idle + factor * (matrix * m + vector * v) * clock / measured clock = board
//
// where m and v are the shares of the cycles in which the matrix cores and the
// vector ALUs of compute units with a workgroup work, times the part of the
// compute units that get any. Those that have none at the end of a grid do not
// raise the clock of the others: published clocks of one kernel are the same
// for short grids of more workgroups than compute units. That the voltage falls
// with the clock is left out, as is the power of the memories; both within what
// the factor is known to.
//
//===----------------------------------------------------------------------===//

#include "tlc/Simulator/Timing/Parameters.h"
#include "tlc/Simulator/Timing/Timing.h"

#include <algorithm>

using namespace tlc::sim;
using namespace tlc::sim::param;

double TimingResult::clockUnderLoadGHz() const {
  if (!activeCuCycles || !usedComputeUnits)
    return clockGHz;
  double simdCycles = double(activeCuCycles) * simdsPerCu *
                      (double(computeUnits) / usedComputeUnits);
  double watts = dataFactor * (matrixWatts * (double(matrixBusy) / simdCycles) +
                               vectorWatts * (double(vectorBusy) / simdCycles));
  double allowed = boardWatts - idleWatts;
  return watts > 0 ? std::min(clockGHz, powerClockGHz * allowed / watts)
                   : clockGHz;
}
