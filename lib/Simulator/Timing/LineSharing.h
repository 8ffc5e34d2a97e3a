//===- LineSharing.h - What XCDs fetch for each other -----------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where only one XCD runs in detail, the others fetch lines that it wants, too.
// How many XCDs want a line is kept by array: all read a vector of weights,
// while each has its own rows.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_TIMING_LINESHARING_H
#define TLC_LIB_SIMULATOR_TIMING_LINESHARING_H

#include "BroughtLines.h"

namespace tlc::sim {

class LineSharing {
public:
  struct Range {
    uint64_t begin = 0, end = 0; ///< lines
    double sharers = 1;          ///< XCDs that want a line that one wants
    double alone = 1;            ///< part that no other wants
    /// Lines that the run has read from HBM, those read before apart.
    mutable uint64_t once = 0, again = 0;
  };

  LineSharing() = default;
  /// The other XCDs are followed: what they bring is known line by line.
  LineSharing(BroughtLines &lines, const LineSharing &judged)
      : lag(judged.lag), brought(&lines) {
    for (const BroughtLines::Range &each : lines.ranges())
      ranges.push_back({.begin = each.begin, .end = each.end});
  }

  /// Of the XCD, relative to the mean: it wants so much more than that.
  double work = 1;
  /// Cycles by which an XCD is later than the first of them.
  double lag = 0;
  /// XCDs get different work, this one the most: once the first workgroups have
  /// ended, what others want as well has long been fetched.
  bool othersGoAhead = false;
  /// From the begin on: the run stands for what comes after it.
  bool othersAreAhead = false;
  /// Which lines of an array others want matters, not only how many.
  bool neighboursMeet = false;
  /// In a run of all XCDs: find out.
  bool measuresLag = false;

  BroughtLines *brought = nullptr; ///< null: they are not

  void add(const Range &range) { ranges.push_back(range); }
  const Range &of(uint64_t line) const {
    if (last < ranges.size() && isIn(ranges[last], line))
      return ranges[last];
    for (unsigned i = 0; i < ranges.size(); ++i)
      if (isIn(ranges[i], line)) {
        last = i;
        return ranges[i];
      }
    static const Range alone;
    return alone;
  }
  const std::vector<Range> &all() const { return ranges; }
  /// Over all lines: by so much an XCD's part of a cache that all share holds
  /// more than an equal part, for some of its lines are others' as well.
  double mean() const {
    double lines = 0, wanted = 0;
    for (const Range &r : ranges) {
      lines += double(r.end - r.begin);
      wanted += double(r.end - r.begin) * r.sharers;
    }
    return lines > 0 ? work * wanted / lines : 1;
  }

private:
  static bool isIn(const Range &range, uint64_t line) {
    return line - range.begin < range.end - range.begin;
  }
  std::vector<Range> ranges; ///< a few
  mutable unsigned last = 0;
};

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_TIMING_LINESHARING_H
