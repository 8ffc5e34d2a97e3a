//===- LineWatch.h - The lines that a workgroup touches ---------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a workgroup that is not replayed: the lines that each vector memory
// operation of a wavefront comes to, until somebody asks for them. Recording
// all that is executed would take longer than the run.
//
//   wavefront 0   operations 5, 6     lines 17 90 91 | 4
//   wavefront 1   operation  5        lines 18
//
// It runs as far as is wanted, in operations of each wavefront or in words that
// a record would have.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_EXECUTE_LINEWATCH_H
#define TLC_LIB_SIMULATOR_EXECUTE_LINEWATCH_H

#include "../Timing/StaticOp.h"

#include <vector>

namespace tlc::sim {

class LineWatch {
public:
  /// Until there are more words than \p most.
  void begin(unsigned waveCount, size_t most = ~size_t(0));
  /// `wave` is about to execute `op`.
  void note(const StaticOp &row, const Wave &wave, const Op &op);
  /// So many instructions that touch no memory.
  void noteStraight(size_t count) { wordCount += count; }
  /// So many operations of the wavefront are to be seen.
  void want(unsigned wave, uint64_t operations) {
    waves[wave].wanted = operations;
  }
  bool isEnough(unsigned wave) const {
    return waves[wave].noted >= waves[wave].wanted;
  }
  bool isFull() const { return wordCount > mostWords; }
  /// That a record would have, or some more: lines that lanes come back to
  /// count again.
  size_t words() const { return wordCount; }
  /// Calls `come` for the lines of what the wavefront has done up to so many
  /// operations, and forgets them.
  template <typename F>
  void take(unsigned number, uint64_t operations, F &&come) {
    OfWave &wave = waves[number];
    for (; wave.taken < operations && wave.taken < wave.noted; ++wave.taken)
      for (uint32_t end = wave.ends[wave.nextEnd++]; wave.next < end;
           ++wave.next)
        come(wave.lines[wave.next]);
    if (wave.taken < wave.noted || wave.ends.empty())
      return;
    wave.lines.clear();
    wave.ends.clear();
    wave.next = wave.nextEnd = 0;
  }

private:
  struct OfWave {
    std::vector<uint64_t> lines;
    std::vector<uint32_t> ends; ///< of operations, in `lines`
    uint32_t next = 0, nextEnd = 0;
    uint64_t noted = 0, taken = 0; ///< operations
    uint64_t wanted = ~uint64_t(0);
  };

  size_t wordCount = 0, mostWords = 0;
  std::vector<OfWave> waves;
};

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_EXECUTE_LINEWATCH_H
