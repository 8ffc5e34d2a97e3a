//===- OpFacts.h - What the checkers know of an instruction -----*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The registers an instruction reads and writes, implicit ones included, and
// the classes that hazards and wait counts are about. Vector registers are
// numbered as in the wavefront's register file: accumulators follow the
// architectural ones.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_CHECK_OPFACTS_H
#define TLC_LIB_SIMULATOR_CHECK_OPFACTS_H

#include "tlc/Simulator/Execute/Wave.h"
#include "llvm/ADT/SmallVector.h"

namespace tlc::sim {

struct RegisterRange {
  uint16_t first = 0;
  uint8_t count = 0;
  bool vector = false;
  int8_t source = -1; ///< index into Instruction::src, -1: implicit, dst

  bool overlaps(const RegisterRange &other) const {
    return vector == other.vector && first < other.first + other.count &&
           other.first < first + count;
  }
};

/// Registers of a wavefront, and SCC, as a set.
struct RegisterSet {
  static constexpr unsigned scalarWord = 8, flagWord = 10, words = 11;
  uint64_t word[words] = {};

  void set(bool vector, unsigned reg, bool on = true) {
    uint64_t &w = word[(vector ? 0 : scalarWord) + reg / 64];
    uint64_t bit = uint64_t(1) << (reg % 64);
    w = on ? w | bit : w & ~bit;
  }
  void setScc(bool on = true) { word[flagWord] = on; }
  void add(const RegisterRange &range) {
    for (unsigned i = 0; i < range.count; ++i)
      set(range.vector, range.first + i);
  }
  void add(const RegisterSet &other) {
    for (unsigned i = 0; i < words; ++i)
      word[i] |= other.word[i];
  }
  bool intersects(const RegisterSet &other) const {
    uint64_t any = 0;
    for (unsigned i = 0; i < words; ++i)
      any |= word[i] & other.word[i];
    return any != 0;
  }
};

struct OpFacts {
  llvm::SmallVector<RegisterRange, 6> reads, writes;
  RegisterSet registers; ///< all of them
  RegisterSet inputs;    ///< those read
  /// Lanes that EXEC disables matter: their registers are read or written.
  bool allLanes = false;
  bool isVector = false; ///< VALU, MFMA included
  bool isMatrix = false; ///< MFMA
  bool isXdl = false;    ///< matrix core; f32 and f64 MFMA are not
  bool isDouble = false; ///< f64 MFMA
  bool isVmem = false;   ///< MUBUF, MTBUF, FLAT, GLOBAL, SCRATCH
  bool isFlat = false;   ///< FLAT: counts for LDS too
  bool isLds = false;    ///< DS
  bool isSmem = false;
  bool isScalar = false; ///< SOP*
  bool countsVm = false, countsLgkm = false;
  bool toLds = false; ///< a load whose data goes to LDS
  uint8_t passes = 0; ///< of MFMA
  /// One more than the highest vector and scalar register named.
  uint16_t vectorEnd = 0, scalarEnd = 0;
  /// Bytes a lane loads or stores to memory; 0: none.
  uint8_t laneBytes = 0;
  bool farOffsets = false; ///< DS: two offsets in units of 64 elements
  bool isFormat = false;   ///< converts: only the engine knows element sizes
  /// Loads and stores of less than a dword: the first byte in the register,
  /// and whether a load leaves the others alone.
  uint8_t shift = 0;
  bool keepsOthers = false;
  /// A load that only proposes a value to a compare-and-swap, see below.
  bool feedsSwap = false;
};

OpFacts factsOf(const Op &op);

/// Whether a load is the first step of a loop around a compare-and-swap of the
/// same address, as compilers make atomics that the machine has not: the swap
/// finds out whether the value was current, so the load is no race. \p op is
/// followed in memory by the rest of its straight code.
bool feedsCompareAndSwap(const Op &op);

/// The name of a register for messages: "v5", "a3", "s7", "vcc_lo".
std::string registerName(const RegisterRange &range, unsigned accumOffset);

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_CHECK_OPFACTS_H
