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

/// Base cycles are the phases, whether or not a lane of each is active.
LdsCycles tlc::ldsCycles(LdsDirection direction, unsigned bytes,
                         const uint32_t addresses[kWaveSize], uint64_t active) {
  const LdsPhases &phases = ldsPhases(direction, bytes);
  unsigned dwords = std::max(1u, bytes / 4);
  LdsCycles cycles{phases.count, 0};
  for (unsigned p = 0; p < phases.count; ++p) {
    // Distinct dwords of the phase, chained by bank.
    uint32_t words[kWaveSize];
    uint8_t next[kWaveSize], head[kLdsBanks], load[kLdsBanks] = {};
    unsigned shared[kLdsBanks] = {}; // turns of lanes that found their dword
    unsigned count = 0, most = 1, turns = 1;
    for (uint64_t lanes = phases.lanes[p] & active; lanes; lanes &= lanes - 1) {
      uint32_t first = addresses[std::countr_zero(lanes)] / 4;
      for (uint32_t word = first; word < first + dwords; ++word) {
        unsigned bank = word % kLdsBanks;
        bool known = false;
        uint8_t link = head[bank];
        for (unsigned i = 0; i < load[bank] && !known; ++i) {
          known = words[link] == word;
          link = next[link];
        }
        if (known) {
          shared[bank] += direction == LdsDirection::Atomic;
        } else {
          words[count] = word;
          next[count] = load[bank] ? head[bank] : 0;
          head[bank] = count++;
          most = std::max<unsigned>(most, ++load[bank]);
        }
        turns = std::max(turns, load[bank] + shared[bank]);
      }
    }
    cycles.conflicts += std::max(most, turns) - 1;
    cycles.addressConflicts += std::max(most, turns) - most;
  }
  return cycles;
}
