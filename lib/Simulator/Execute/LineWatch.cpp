//===- LineWatch.cpp - The lines that a workgroup touches -----------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Neighbouring lanes are mostly in one line. Where the line changes is found
// without a branch for each lane.
//
//===----------------------------------------------------------------------===//

#include "LineWatch.h"

#include "../Check/Accesses.h"
#include "tlc/Simulator/Timing/Parameters.h"

#include <algorithm>
#include <bit>

using namespace tlc::sim;
using param::lineBytes;

void LineWatch::begin(unsigned waveCount, size_t most) {
  wordCount = 0;
  mostWords = most;
  waves.resize(std::max<size_t>(waves.size(), waveCount));
  for (OfWave &wave : waves) {
    wave.lines.clear();
    wave.ends.clear();
    wave.next = wave.nextEnd = 0;
    wave.noted = wave.taken = 0;
    wave.wanted = ~uint64_t(0);
  }
}

void LineWatch::note(const StaticOp &row, const Wave &wave, const Op &op) {
  wordCount += row.words;
  if (row.payload != Payload::Vector)
    return;
  OfWave &own = waves[wave.number];
  AccessParts parts;
  findAccesses(wave, op, *row.facts, parts);
  for (const AccessPart &part : parts) {
    if (part.space == Space::Lds)
      continue;
    uint64_t lanes = part.lanes;
    uint8_t cut = 0;
    for (unsigned l = 0; l < waveLanes; ++l)
      cut |= part.inBounds[l] ^ part.bytes;
    for (unsigned l = 0; cut && l < waveLanes; ++l)
      if (!part.inBounds[l])
        lanes &= ~(uint64_t(1) << l);
    if (!lanes)
      continue;
    uint64_t lines[waveLanes], changes = 1, crosses = 0;
    for (unsigned l = 0; l < waveLanes; ++l) {
      lines[l] = part.address[l] / lineBytes;
      crosses |= part.address[l] % lineBytes + part.bytes > lineBytes;
    }
    for (unsigned l = 1; l < waveLanes; ++l)
      changes |= uint64_t(lines[l] != lines[l - 1]) << l;
    wordCount += std::max(1, std::popcount(changes & lanes));
    // Scratch is nobody else's.
    if (part.space != Space::Global)
      continue;
    // The first active lane of each run counts.
    uint64_t firsts = changes | (lanes & ~(lanes << 1));
    for (uint64_t rest = crosses ? lanes : firsts & lanes; rest;
         rest &= rest - 1) {
      unsigned l = std::countr_zero(rest);
      own.lines.push_back(lines[l]);
      if (uint64_t end = (part.address[l] + part.inBounds[l] - 1) / lineBytes;
          end != lines[l])
        own.lines.push_back(end);
    }
  }
  own.ends.push_back(uint32_t(own.lines.size()));
  ++own.noted;
}
