//===- FirstComers.h - Who comes first to a line ----------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of workgroups that start together: for each line, when each XCD comes to it
// first, by positionOf(). One that comes clearly later than another finds the
// line in the Infinity Cache; those that come together wait for it together.
//
//   line   XCD 0   XCD 1   XCD 2
//   17        12      40      41     1 and 2 are late
//   18        12      13      12     none is
//
// The first and the last quarter of the workgroups only count as others: lines
// at their edges belong to workgroups that are not looked at.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_EXECUTE_FIRSTCOMERS_H
#define TLC_LIB_SIMULATOR_EXECUTE_FIRSTCOMERS_H

#include "../Timing/LineSharing.h"

#include "tlc/Simulator/Timing/Parameters.h"

#include "llvm/ADT/DenseMap.h"

namespace tlc::sim {

class FirstComers {
public:
  /// Workgroup i below \p concurrent runs on XCD i mod 8.
  explicit FirstComers(uint64_t concurrent) : concurrent(concurrent) {}

  void note(uint64_t workgroup, uint64_t line, uint8_t position) {
    Line &known = lines[line];
    unsigned xcd = workgroup % param::xcds;
    bool isSubject =
        workgroup >= concurrent / 4 && workgroup < concurrent - concurrent / 4;
    if (position >= known.at[xcd])
      return;
    known.at[xcd] = position;
    known.subjects &= uint8_t(~(1u << xcd));
    known.subjects |= uint8_t(isSubject << xcd);
  }
  /// Calls `visit(line, position, isLate)` for all subjects' lines.
  template <typename Visit> void forEach(Visit &&visit) const {
    for (auto &[line, known] : lines)
      for (unsigned xcd = 0; xcd < param::xcds; ++xcd) {
        if (!(known.subjects >> xcd & 1))
          continue;
        uint8_t soonest = never;
        for (unsigned other = 0; other < param::xcds; ++other)
          if (other != xcd)
            soonest = std::min(soonest, known.at[other]);
        visit(line, known.at[xcd], soonest + clearly <= known.at[xcd]);
      }
  }

private:
  static constexpr uint8_t never = 255;
  /// By a quarter more instructions; side by side workgroups drift less.
  static constexpr int clearly = 3;
  struct Line {
    uint8_t at[param::xcds] = {never, never, never, never,
                               never, never, never, never};
    uint8_t subjects = 0;
  };
  llvm::DenseMap<uint64_t, Line> lines;
  uint64_t concurrent;
};

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_EXECUTE_FIRSTCOMERS_H
