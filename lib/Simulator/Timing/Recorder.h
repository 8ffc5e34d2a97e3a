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
//   LDS          + LdsCycles (packLds)
//   scalar       + lines of 64 bytes; + the first line, low, high
//   vector       + lines | address cycles << 16; + bytes of active lanes |
//                operations of an atomic << 16;
//                + lines if they were dense | LdsCycles of FLAT << 8; + a line
//                number, low, high;
//                + one word a line: distance to it | touched halves << 30
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_TIMING_RECORDER_H
#define TLC_LIB_SIMULATOR_TIMING_RECORDER_H

#include "StaticOp.h"

#include <cstring>
#include <memory>
#include <vector>

namespace tlc::sim {

/// In 24 bits: two accesses of 64 lanes take less than 256 cycles of each kind.
inline uint32_t packLds(const tlc::LdsCycles &cycles) {
  return cycles.base | cycles.conflicts << 8 | cycles.addressConflicts << 16;
}
inline tlc::LdsCycles unpackLds(uint32_t word) {
  return {word & 0xff, word >> 8 & 0xff, word >> 16 & 0xff};
}

/// What is recorded grows by some words at a time and is filled at once, so
/// nothing is set to zero, and room for what mostly is recorded ahead costs the
/// host nothing until it is used.
class WordList {
public:
  const uint32_t *data() const { return words.get(); }
  size_t size() const { return count; }
  uint32_t operator[](size_t i) const { return words[i]; }
  void push_back(uint32_t word) { *append(1) = word; }
  /// Returns where \p more words are to be written.
  uint32_t *append(size_t more) {
    if (count + more > capacity) [[unlikely]]
      grow(count + more);
    uint32_t *end = words.get() + count;
    count += more;
    return end;
  }
  /// Forgets the first \p some.
  void drop(size_t some) {
    count -= some;
    std::memmove(words.get(), words.get() + some, count * sizeof(uint32_t));
  }
  void clear() { count = 0; }

private:
  static constexpr size_t leastRoom = 5 << 10;

  void grow(size_t least);

  size_t count = 0, capacity = 0;
  std::unique_ptr<uint32_t[]> words;
};

struct WaveRecord {
  WordList words;
  size_t head = 0; ///< the instruction the replay stands at
  bool done = false;

  size_t left() const { return words.size() - head; }
};

struct GroupRecord {
  uint64_t id = 0;
  unsigned waveCount = 0;
  std::vector<WaveRecord> waves;
  bool hasLdsCycles = true; ///< false: not wanted, they stay 0

  void begin(uint64_t linearId, unsigned count);
  size_t wordsLeft() const;
  /// Forgets what has been consumed.
  void compact();
};

/// Appends to `record` that `wave` is about to execute `op`.
void recordInstruction(CodeTable &code, const Wave &wave, const Op &op,
                       GroupRecord &record);

/// Words of an instruction; \p words are they.
inline unsigned recordedWords(const StaticOp &op, const uint32_t *words) {
  return op.payload == Payload::Vector ? op.words + (words[1] & 0xffff)
                                       : op.words;
}

/// Calls `visit(op, payload)` for what is left of a record.
template <typename Visit>
void forEachRecorded(const CodeTable &code, const WaveRecord &record,
                     Visit &&visit) {
  for (size_t at = record.head; at < record.words.size();) {
    const uint32_t *words = record.words.data() + at;
    const StaticOp &op = code.at(*words);
    visit(op, words + 1);
    at += recordedWords(op, words);
  }
}

/// Calls `visit` for the lines that a vector memory operation touches.
template <typename Visit>
void forEachLineOf(const StaticOp &op, const uint32_t *payload, Visit &&visit) {
  if (op.payload != Payload::Vector)
    return;
  uint64_t base = payload[3] | uint64_t(payload[4]) << 32;
  for (unsigned i = 0; i < (payload[0] & 0xffff); ++i)
    visit(base + (payload[5 + i] & 0x3fffffff));
}
template <typename Visit>
void forEachLine(const CodeTable &code, const WaveRecord &record,
                 Visit &&visit) {
  forEachRecorded(code, record,
                  [&](const StaticOp &op, const uint32_t *payload) {
                    forEachLineOf(op, payload, visit);
                  });
}

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_TIMING_RECORDER_H
