//===- LdsBanks.cpp - How the LDS of gfx942 serves a wavefront --*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The phases by which the LDS serves a wavefront, by width and direction, and
// what a phase costs: the most distinct dwords that one of the 32 banks has to
// give. Lanes that want the same dword share it; those of an atomic take turns.
//
//   16-byte reads: 8 phases of 8 lanes, not in order (kWideReads)
//   bank of a byte address: address / 4 mod 32
//
//===----------------------------------------------------------------------===//

#include "tlc/Support/LdsBanks.h"
#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

using namespace tlc;

/// The upper half of a wavefront follows the pattern of the lower.
static constexpr uint64_t kUpper = 32;

static constexpr LdsPhases mirrored(unsigned phases, uint64_t a, uint64_t b = 0,
                                    uint64_t c = 0, uint64_t d = 0) {
  LdsPhases result{2 * phases, {a, b, c, d}};
  for (unsigned p = 0; p < phases; ++p)
    result.lanes[phases + p] = result.lanes[p] << kUpper;
  return result;
}

static constexpr LdsPhases kHalves = mirrored(1, 0xffffffff);
static constexpr LdsPhases kSixteens = mirrored(2, 0xffff, 0xffff0000);
static constexpr LdsPhases kEights =
    mirrored(4, 0xff, 0xff00, 0xff0000, 0xff000000);
/// {0-3,20-23} {4-7,16-19} {8-11,28-31} {12-15,24-27}
static constexpr LdsPhases kWideReads =
    mirrored(4, 0x00f0000f, 0x000f00f0, 0xf0000f00, 0x0f00f000);

/// A 12-byte access is served like one of 16.
const LdsPhases &tlc::ldsPhases(LdsDirection direction, unsigned bytes) {
  if (bytes <= 4)
    return kHalves;
  if (bytes == 8)
    return kSixteens;
  assert((bytes == 12 || bytes == 16) && "no such LDS access");
  return direction == LdsDirection::Read ? kWideReads : kEights;
}

namespace {

/// Which dwords a phase has met: of each, the last one that has.
class MetDwords {
public:
  static constexpr uint32_t dwords = kLdsBytes / 4;

  void startPhase() {
    if (++phase)
      return;
    std::memset(metBy, 0, sizeof(metBy));
    phase = 1;
  }
  bool isNew(uint32_t word) {
    bool isNew = metBy[word] != phase;
    metBy[word] = phase;
    return isNew;
  }

private:
  uint8_t phase = 0;
  uint8_t metBy[dwords] = {};
};

/// The most in a bank, and at least one.
unsigned mostOf(const uint8_t (&load)[kLdsBanks]) {
  uint8_t most = 1;
  for (uint8_t each : load)
    most = std::max(most, each);
  return most;
}

/// Of each bank, how many different dwords lanes want: for addresses that may
/// be anywhere.
void countDistinct(const uint32_t *addresses, uint64_t lanes, unsigned dwords,
                   uint8_t (&distinct)[kLdsBanks]) {
  uint32_t words[4 * kWaveSize];
  unsigned count = 0;
  for (; lanes; lanes &= lanes - 1)
    for (unsigned i = 0; i < dwords; ++i)
      words[count++] = addresses[std::countr_zero(lanes)] / 4 + i;
  std::sort(words, words + count);
  std::fill_n(distinct, kLdsBanks, uint8_t(0));
  for (unsigned i = 0; i < count; ++i)
    distinct[words[i] % kLdsBanks] += !i || words[i] != words[i - 1];
}

} // namespace

/// Base cycles are the phases, whether or not a lane of each is active.
LdsCycles tlc::ldsCycles(LdsDirection direction, unsigned bytes,
                         const uint32_t addresses[kWaveSize], uint64_t active) {
  static thread_local MetDwords met;
  const LdsPhases &phases = ldsPhases(direction, bytes);
  unsigned dwords = std::max(1u, bytes / 4);
  LdsCycles cycles{phases.count, 0};
  bool isAtomic = direction == LdsDirection::Atomic;
  for (unsigned p = 0; p < phases.count; ++p) {
    met.startPhase();
    // Of each bank: what lanes want, and how many different dwords that is.
    uint8_t all[kLdsBanks] = {}, distinct[kLdsBanks] = {};
    uint32_t beyond = 0, previous = ~uint32_t(0);
    uint64_t wanted = phases.lanes[p] & active;
    for (uint64_t lanes = wanted; lanes; lanes &= lanes - 1)
      for (unsigned i = 0; i < dwords; ++i) {
        uint32_t word = addresses[std::countr_zero(lanes)] / 4 + i;
        all[word % kLdsBanks] += isAtomic;
        // Neighbours often want the same.
        if (word == previous)
          continue;
        previous = word;
        beyond |= word / MetDwords::dwords;
        distinct[word % kLdsBanks] += met.isNew(word % MetDwords::dwords);
      }
    if (beyond) [[unlikely]]
      countDistinct(addresses, wanted, dwords, distinct);
    unsigned most = mostOf(distinct);
    unsigned turns = isAtomic ? mostOf(all) : most;
    cycles.conflicts += turns - 1;
    cycles.addressConflicts += turns - most;
  }
  return cycles;
}
