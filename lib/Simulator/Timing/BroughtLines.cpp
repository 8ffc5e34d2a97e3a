//===- BroughtLines.cpp - What other XCDs have brought --------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BroughtLines.h"

using namespace tlc::sim;

static uint64_t linesOf(const std::vector<BroughtLines::Range> &ranges) {
  uint64_t lines = 0;
  for (const BroughtLines::Range &range : ranges)
    lines += range.end - range.begin;
  return lines;
}

BroughtLines::BroughtLines(std::vector<Range> ranges, uint64_t capacity)
    : capacity(capacity), pages(linesOf(ranges) * sizeof(uint32_t)),
      marks(static_cast<uint32_t *>(pages.at(0))) {
  std::sort(ranges.begin(), ranges.end(),
            [](const Range &a, const Range &b) { return a.begin < b.begin; });
  uint64_t first = 0;
  for (const Range &range : ranges) {
    places.push_back({range, first});
    first += range.end - range.begin;
  }
}

size_t BroughtLines::rangeOf(uint64_t line) const {
  auto next = std::upper_bound(
      places.begin(), places.end(), line,
      [](uint64_t line, const Place &place) { return line < place.begin; });
  if (next == places.begin() || !next[-1].holds(line))
    return places.size();
  return size_t(next - places.begin()) - 1;
}

void BroughtLines::restart() {
  firstStep = ++now;
  nextTime = 0;
  brought = 0;
  broughtAt.assign(1, 0);
}
