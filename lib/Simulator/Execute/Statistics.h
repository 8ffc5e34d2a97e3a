//===- Statistics.h - Counts of an observed run -----------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_EXECUTE_STATISTICS_H
#define TLC_LIB_SIMULATOR_EXECUTE_STATISTICS_H

#include "Lanes/Handlers.h"
#include "tlc/Simulator/Simulator.h"
#include "tlc/Support/LdsBanks.h"

#include <unordered_map>

namespace tlc::sim {

/// Executed instructions, and LDS cycles by the phase rules, of one workgroup
/// after the other.
class Statistics {
public:
  /// `wave` is about to execute `op`.
  void count(const Wave &wave, const Op &op);
  /// Adds to the result of the launch; addresses relative to `base`.
  void addTo(LaunchResult &result, uint64_t base) const;

private:
  void countLds(const Wave &wave, const Op &op);

  struct LdsCount {
    const Op *op = nullptr;
    uint64_t executed = 0, baseCycles = 0, conflictCycles = 0;
  };
  std::unordered_map<const Op *, uint64_t> executed;
  std::unordered_map<const Op *, LdsCount> lds;
};

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_EXECUTE_STATISTICS_H
