//===- LdsPattern.cpp - What the lanes of an LDS access touch ---*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LdsPattern.h"
#include <algorithm>

using namespace tlc::sim;

const LdsPattern *LdsPatterns::find(size_t number, const uint32_t *offsets,
                                    uint32_t offset, unsigned bytes) {
  if (number >= table.size())
    table.resize(number + 256);
  std::unique_ptr<Known> &entry = table[number];
  if (!entry)
    entry = std::make_unique<Known>();
  Known &known = *entry;
  uint32_t by = offset - baseOf(offsets, offset), different = 0;
  for (unsigned l = 0; l < waveLanes; ++l)
    different |= (offsets[l] + by) ^ known.relative[l];
  if (different) {
    for (unsigned l = 0; l < waveLanes; ++l)
      known.relative[l] = offsets[l] + by;
    known.state = Known::Seen;
    return nullptr;
  }
  if (known.state == Known::Seen)
    known.state = derive(known, bytes) ? Known::Usable : Known::Useless;
  return known.state == Known::Usable ? &known.pattern : nullptr;
}

bool LdsPatterns::derive(Known &known, unsigned bytes) {
  constexpr int32_t cellBytes = LdsPattern::cellBytes;
  struct Part {
    int32_t cell;
    uint16_t bytes;
  };
  if (bytes % 4)
    return false;
  llvm::SmallVector<Part, 2 * waveLanes> parts;
  LdsPattern &pattern = known.pattern;
  pattern.begin = INT64_MAX;
  pattern.end = INT64_MIN;
  for (uint32_t relative : known.relative) {
    // The base is a cell's: moduli stay what they are.
    int32_t at = int32_t(relative), end = at + int32_t(bytes);
    if (at % 4 || end < at)
      return false;
    pattern.begin = std::min<int64_t>(pattern.begin, at);
    pattern.end = std::max<int64_t>(pattern.end, end);
    unsigned in = relative % cellBytes;
    uint32_t mask = ((1u << bytes) - 1) << in;
    int32_t cell = (at - int32_t(in)) / cellBytes;
    parts.push_back({cell, uint16_t(mask)});
    if (mask >> cellBytes)
      parts.push_back({cell + 1, uint16_t(mask >> cellBytes)});
  }
  std::sort(parts.begin(), parts.end(),
            [](const Part &a, const Part &b) { return a.cell < b.cell; });
  pattern.runs.clear();
  for (size_t i = 0; i < parts.size();) {
    Part cell = parts[i];
    for (++i; i < parts.size() && parts[i].cell == cell.cell; ++i)
      cell.bytes |= parts[i].bytes;
    if (!pattern.runs.empty()) {
      LdsPattern::Run &last = pattern.runs.back();
      if (last.bytes == cell.bytes && last.cell + last.count == cell.cell) {
        ++last.count;
        continue;
      }
    }
    uint64_t dwords = 0;
    for (unsigned d = 0; d < 4; ++d)
      dwords |= uint64_t(cell.bytes >> (4 * d) & 1) << (16 * d);
    pattern.runs.push_back({cell.cell, 1, cell.bytes, dwords});
  }
  return true;
}
