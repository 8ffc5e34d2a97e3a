//===- LdsMemo.h - LDS cycles of accesses seen before -----------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only addresses modulo a row of all banks, and their distances, decide about
// conflicts, and a loop has few patterns: of each of its instructions one for
// each wavefront, or some more where rows of a layout differ. Instructions that
// are rows apart have the same ones.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_TIMING_LDSMEMO_H
#define TLC_LIB_SIMULATOR_TIMING_LDSMEMO_H

#include "Recorder.h"
#include "tlc/Support/LdsBanks.h"

#include <cstring>
#include <iterator>

namespace tlc::sim {

class LdsMemo {
public:
  /// As packLds() has them. \p hint: a number of the instruction. \p base: the
  /// lanes' addresses without the \p offset of all.
  uint32_t cyclesOf(unsigned hint, tlc::LdsDirection direction, unsigned bytes,
                    const uint32_t *base, uint32_t offset, uint64_t active) {
    unsigned access = unsigned(direction) << 8 | bytes;
    constexpr uint32_t rowOfBanks = tlc::kLdsBanks * 4;
    // What is added for the first lane's to lie in the first row.
    uint32_t begin = base[0] + offset,
             shift = offset - begin / rowOfBanks * rowOfBanks;
    uint8_t &latest = latestOf[hint % std::size(latestOf)];
    const Pattern *known = &patterns[latest];
    // Mostly the one of the last time. A mismatch is found without a branch in
    // the loop.
    uint32_t differs = known->access ^ access;
    for (unsigned l = 0; l < waveLanes; ++l)
      differs |= (base[l] + shift) ^ known->place[l];
    if (!differs && known->active == active)
      return known->cycles;
    uint32_t place[waveLanes];
    for (unsigned l = 0; l < waveLanes; ++l)
      place[l] = base[l] + shift;
    latest = hash(place, access ^ active);
    Pattern &pattern = patterns[latest];
    if (pattern.access != access || pattern.active != active ||
        std::memcmp(pattern.place, place, sizeof(place))) {
      std::memcpy(pattern.place, place, sizeof(place));
      pattern.active = active;
      pattern.access = access;
      uint32_t addresses[waveLanes];
      for (unsigned l = 0; l < waveLanes; ++l)
        addresses[l] = base[l] + offset;
      pattern.cycles =
          packLds(tlc::ldsCycles(direction, bytes, addresses, active));
    }
    return pattern.cycles;
  }

private:
  struct alignas(64) Pattern {
    uint32_t place[waveLanes];
    uint64_t active;
    uint32_t access, cycles; ///< access 0: none
  };
  static uint8_t hash(const uint32_t (&place)[waveLanes], uint64_t seed) {
    uint64_t words[waveLanes / 2], sums[4] = {seed};
    std::memcpy(words, place, sizeof(words));
    for (unsigned i = 0; i < std::size(words); ++i)
      sums[i % 4] = (sums[i % 4] ^ words[i]) * 0x9e3779b97f4a7c15;
    uint64_t sum = 0;
    for (uint64_t each : sums)
      sum = (sum ^ each >> 32) * 0x9e3779b97f4a7c15;
    return uint8_t(sum >> 56);
  }

  Pattern patterns[256] = {};
  uint8_t latestOf[512] = {}; ///< by instruction
};

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_TIMING_LDSMEMO_H
