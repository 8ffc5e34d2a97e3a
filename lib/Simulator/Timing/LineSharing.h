//===- LineSharing.h - What XCDs fetch for each other -----------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where only one XCD runs in detail, the others fetch lines that it wants, too.
// How many XCDs want a line is kept by array: all read a vector of weights,
// while each has its own rows. Whether another one has come first depends on
// how far a workgroup has got, too. Where threads walk through an array and
// drift apart, say, the lines that a workgroup begins with are its own, and
// those that it runs into later its neighbours', who began with them:
//
//   position of the wavefront      0-7   8-15   16-31   32-63   instructions
//   others had the line before     0 %    0 %    97 %    99 %
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_TIMING_LINESHARING_H
#define TLC_LIB_SIMULATOR_TIMING_LINESHARING_H

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace tlc::sim {

/// Instructions of a wavefront before it comes to a line, in steps of a ninth:
/// workgroups that are side by side differ by less than a few of them.
inline uint8_t positionOf(uint64_t instructions) {
  constexpr unsigned perDouble = 8;
  return uint8_t(std::min(
      255.0, std::floor(perDouble * std::log2(double(instructions + 1)))));
}

/// Of an XCD's first accesses to lines, how many come when another one has had
/// the line for long, by their position.
class EarlierOthers {
public:
  void note(uint8_t position, bool isLate) {
    ++all[position / perClass];
    late[position / perClass] += isLate;
  }
  /// From the last one on that was seen often enough, positions are alike.
  double at(uint8_t position) const {
    unsigned i = position / perClass;
    while (i > 0 && all[i] < leastSeen)
      --i;
    return all[i] < leastSeen ? 0 : double(late[i]) / double(all[i]);
  }
  /// Over all positions.
  double mean() const {
    double sum = 0, lateSum = 0;
    for (unsigned i = 0; i < classes; ++i)
      if (all[i] >= leastSeen) {
        sum += double(all[i]);
        lateSum += double(late[i]);
      }
    return sum > 0 ? lateSum / sum : 0;
  }

private:
  static constexpr unsigned perClass = 8, classes = 256 / perClass;
  static constexpr uint64_t leastSeen = 16;
  std::array<uint64_t, classes> all = {}, late = {};
};

class LineSharing {
public:
  struct Range {
    uint64_t begin = 0, end = 0; ///< lines
    double sharers = 1;          ///< XCDs that want a line that one wants
    double alone = 1;            ///< part that no other wants
    EarlierOthers earlier = {};
    double sharersAtOnce = 1; ///< of them, those that come at the same time
    /// Lines that the run has read from HBM, those read before apart.
    mutable uint64_t once = 0, again = 0;
  };

  /// Of the XCD, relative to the mean: it wants so much more than that.
  double work = 1;
  /// Cycles by which an XCD is later than the first of them.
  double lag = 0;
  /// XCDs get different work, this one the most: once the first workgroups have
  /// ended, what others want as well has long been fetched.
  bool othersGoAhead = false;
  /// From the begin on: the run stands for what comes after it.
  bool othersAreAhead = false;
  /// In a run of all XCDs: find out.
  bool measuresLag = false;

  void add(const Range &range) {
    ranges.push_back(range);
    ranges.back().sharersAtOnce =
        std::max(1.0, range.sharers * (1 - range.earlier.mean()));
  }
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
