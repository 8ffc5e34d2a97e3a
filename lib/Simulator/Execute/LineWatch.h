//===- LineWatch.h - Some lines that a workgroup touches --------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where loads have many lines each, recording them all takes longer than the
// run. To see which lines XCDs share one line of eight is enough, and for each
// lane a product says whether its line is one of those:
//
//   lanes at lines 17, 90, 90, 4, ... of X    kept: X + 90, X + 90, ...
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_EXECUTE_LINEWATCH_H
#define TLC_LIB_SIMULATOR_EXECUTE_LINEWATCH_H

#include "../Timing/StaticOp.h"
#include "tlc/Simulator/Memory/DeviceMemory.h"
#include "tlc/Simulator/Timing/Parameters.h"

#include <vector>

namespace tlc::sim {

class LineWatch {
public:
  explicit LineWatch(const DeviceMemory &memory) : memory(memory) {}

  void begin() {
    found.clear();
    wordCount = 0;
  }
  /// `wave` is about to execute `op`.
  void note(const StaticOp &row, const Wave &wave, const Op &op);
  /// So many instructions that touch no memory.
  void noteStraight(size_t count) { wordCount += count; }

  /// Chosen ones, in their order, some more than once.
  const std::vector<uint64_t> &lines() const { return found; }
  /// That a record would have, or some more: lines that lanes come back to
  /// count again.
  size_t words() const { return wordCount; }

  const Allocation *arrayAt(uint64_t address) const {
    // Mostly the same as before.
    if (!last || address - last->base >= last->size)
      last = memory.find(address);
    return last;
  }
  /// One of eight, by its place in its array: where the host has mapped that
  /// must not matter.
  static bool isChosen(uint64_t line, const Allocation &array) {
    return (line - array.base / param::lineBytes) * 0x9e3779b97f4a7c15 >> 61 ==
           0;
  }

private:
  void noteLine(uint64_t line);

  const DeviceMemory &memory;
  mutable const Allocation *last = nullptr;
  std::vector<uint64_t> found;
  size_t wordCount = 0;
};

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_EXECUTE_LINEWATCH_H
