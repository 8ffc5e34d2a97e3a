//===- Recorder.h - What a workgroup executed -------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functional run of a workgroup leaves, for each of its wavefronts, the
// list of executed instructions with what the model must know of each: words
// of 32 bits, consumed by the replay soon after.
//
//   any          number of the instruction
//   LDS          + base cycles | conflict cycles << 16
//   scalar       + lines of 64 bytes; + the first line, low, high
//   vector       + lines | address cycles << 16; + bytes of active lanes;
//                + lines if they were dense; + a line number, low, high;
//                + one word a line: distance to it | touched halves << 30
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_TIMING_RECORDER_H
#define TLC_LIB_SIMULATOR_TIMING_RECORDER_H

#include "StaticOp.h"

namespace tlc::sim {

struct WaveRecord {
  std::vector<uint32_t> words;
  size_t head = 0; ///< the instruction the replay stands at
  bool done = false;

  size_t left() const { return words.size() - head; }
};

struct GroupRecord {
  uint64_t id = 0;
  unsigned waveCount = 0;
  std::vector<WaveRecord> waves;

  void begin(uint64_t linearId, unsigned count);
  /// Forgets what has been consumed.
  void compact();
};

/// Appends to `record` that `wave` is about to execute `op`.
void recordInstruction(CodeTable &code, const Wave &wave, const Op &op,
                       WaveRecord &record);

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_TIMING_RECORDER_H
