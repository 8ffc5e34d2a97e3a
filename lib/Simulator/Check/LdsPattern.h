//===- LdsPattern.h - What the lanes of an LDS access touch -----*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lanes of an LDS instruction nearly always lie as they did when it ran
// last, moved as a whole: loop-invariant addresses, or another copy of a tile.
// Their layout, relative to the first lane, is a pattern, and which cells of 16
// bytes it covers, neighbours together, is worked out once. A swizzled
// tile becomes runs of whole cells, a row of dwords a quarter as many cells as
// lanes, a broadcast one cell.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_CHECK_LDSPATTERN_H
#define TLC_LIB_SIMULATOR_CHECK_LDSPATTERN_H

#include "tlc/Simulator/Execute/Wave.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <memory>
#include <vector>

namespace tlc::sim {

/// An access by all lanes, of whole aligned dwords.
struct LdsPattern {
  static constexpr unsigned cellBytes = 16;
  /// Cells in a row of which the same bytes are touched.
  struct Run {
    int32_t cell;    ///< the first, counted from the base
    uint16_t count;  ///< cells
    uint16_t bytes;  ///< mask
    uint64_t dwords; ///< the same, with bit 16 d for dword d
  };
  llvm::SmallVector<Run, 4> runs;
  int64_t begin = 0, end = 0; ///< bytes touched, counted from the base

  /// Whether all of it lies within an LDS of \p size bytes.
  bool inside(uint32_t base, uint32_t size) const {
    return base + begin >= 0 && base + end <= int64_t(size);
  }
};

/// The last pattern of each instruction of a kernel.
class LdsPatterns {
public:
  /// Where the cells of a pattern count from: the first lane's cell.
  static uint32_t baseOf(const uint32_t *offsets, uint32_t offset) {
    return (offsets[0] + offset) & ~(LdsPattern::cellBytes - 1);
  }
  /// The pattern of lanes at \p offsets plus \p offset, each with \p bytes
  /// bytes; null if \p number did not have the same the last time, or if it is
  /// not of whole dwords.
  const LdsPattern *find(size_t number, const uint32_t *offsets,
                         uint32_t offset, unsigned bytes);

private:
  struct Known {
    uint32_t relative[waveLanes];
    enum { Seen, Usable, Useless } state = Seen;
    LdsPattern pattern;
  };
  static bool derive(Known &known, unsigned bytes);
  std::vector<std::unique_ptr<Known>> table;
};

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_CHECK_LDSPATTERN_H
