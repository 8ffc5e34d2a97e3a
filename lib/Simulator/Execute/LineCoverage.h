//===- LineCoverage.h - When enough workgroups were looked at ---*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which XCDs want a line is asked of workgroups until those that are left would
// hardly bring any line that is new for an XCD, as happens soon where all read
// a table in any order:
//
//   visits            256    512    1,024
//   new in the table  42 %   8 %    0.3 %     enough
//
// An array of which each workgroup has its own part stays new until the end.
// It counts by its part of all accesses: a result that is stored once behind
// a hundred loads keeps nobody looking.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_EXECUTE_LINECOVERAGE_H
#define TLC_LIB_SIMULATOR_EXECUTE_LINECOVERAGE_H

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>

namespace tlc::sim {

class LineCoverage {
public:
  /// \p all: workgroups that may be visited, in an order that does not matter.
  explicit LineCoverage(size_t all) : all(all) {}

  /// A line of an array; \p isNew: no workgroup of this XCD had come to it.
  void note(uint64_t array, bool isNew) {
    if (!last || array != lastArray) {
      last = &arrays[array];
      lastArray = array;
    }
    ++last->touches;
    last->fresh += isNew;
  }
  /// One more workgroup has been visited. True where that is enough.
  bool endVisit() {
    if (++visits < next)
      return false;
    double span = double(visits - before), rest = double(all - visits);
    double touches = 0, open = 0;
    for (auto &[base, array] : arrays) {
      double coming = array.comingIn(span, lastSpan, rest);
      touches += double(array.touches);
      open += double(array.touches) * coming /
              std::max(1.0, double(array.known) + coming);
    }
    before = visits;
    lastSpan = span;
    next = visits + std::max(leastSpan, visits / 4);
    return open < mostOpen * touches;
  }

private:
  /// Workgroups between two checks.
  static constexpr size_t leastSpan = 128;
  /// Of all accesses, those to lines that may still be new for an XCD.
  static constexpr double mostOpen = 0.02;
  struct Array {
    uint64_t touches = 0, known = 0;
    uint64_t fresh = 0; ///< since the last check
    double rate = 0;    ///< new ones a visit before that

    /// New lines of so many more visits. Where they get fewer, they are taken
    /// to go on doing so: lines in any order are met like that.
    double comingIn(double span, double lastSpan, double rest) {
      double now = double(fresh) / span, coming = now * rest;
      if (now > 0 && now < rate) {
        double decay = std::log(rate / now) * 2 / (span + lastSpan);
        coming = now * std::exp(-decay * span / 2) *
                 (1 - std::exp(-decay * rest)) / decay;
      }
      known += fresh;
      fresh = 0;
      rate = now;
      return coming;
    }
  };
  std::map<uint64_t, Array> arrays;
  Array *last = nullptr;
  uint64_t lastArray = 0;
  double lastSpan = 0;
  size_t all, visits = 0, before = 0, next = leastSpan;
};

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_EXECUTE_LINECOVERAGE_H
