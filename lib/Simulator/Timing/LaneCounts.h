//===- LaneCounts.h - Active lanes by instruction ---------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How many lanes EXEC disables while an instruction is recorded. Code runs in
// straight pieces, so executions are kept as differences: one more from the
// piece's first dword on, one less behind its last. Disabled lanes are counted
// for each instruction, which costs nothing where there are none.
//
//   dword        10  11  12  13          executions of 10 to 12: 5
//   starts       +5           -5         lanes disabled at 11: 160, 32 each
//   time disabled      0 160   0
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_TIMING_LANECOUNTS_H
#define TLC_LIB_SIMULATOR_TIMING_LANECOUNTS_H

#include "StaticOp.h"

#include <bit>

namespace tlc::sim {

class LaneCounts {
public:
  explicit LaneCounts(uint32_t size) : starts(size + 1), disabled(size) {}

  /// \p count instructions from \p first on have run under \p exec.
  void note(const CodeTable &code, const Op *first, size_t count,
            uint64_t exec) {
    ++starts[code.indexOf(*first)];
    --starts[code.indexOf(first[count - 1]) + 1];
    if (~exec) [[unlikely]]
      for (size_t i = 0; i < count; ++i)
        disabled[code.indexOf(first[i])] += waveLanes - std::popcount(exec);
  }
  void add(const LaneCounts &other) {
    for (size_t i = 0; i < starts.size(); ++i)
      starts[i] += other.starts[i];
    for (size_t i = 0; i < disabled.size(); ++i)
      disabled[i] += other.disabled[i];
  }
  /// Of each execution, by dword: the lanes that were disabled, on average.
  std::vector<double> means() const {
    std::vector<double> result(disabled.size());
    int64_t executed = 0;
    for (size_t i = 0; i < disabled.size(); ++i) {
      executed += starts[i];
      if (executed > 0)
        result[i] = double(disabled[i]) / double(executed);
    }
    return result;
  }

private:
  std::vector<int64_t> starts;
  std::vector<uint64_t> disabled;
};

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_TIMING_LANECOUNTS_H
