//===- LineWatch.cpp - Some lines that a workgroup touches ----------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An access lies nearly always in one array. Then the lanes whose lines are
// chosen are found without a branch for each.
//
//===----------------------------------------------------------------------===//

#include "LineWatch.h"

#include "../Check/Accesses.h"

#include <algorithm>
#include <bit>

using namespace tlc::sim;
using param::lineBytes;

void LineWatch::noteLine(uint64_t line) {
  const Allocation *array = arrayAt(line * lineBytes);
  if (array && isChosen(line, *array))
    found.push_back(line);
}

void LineWatch::note(const StaticOp &row, const Wave &wave, const Op &op) {
  wordCount += row.words;
  if (row.payload != Payload::Vector)
    return;
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
    unsigned first = std::countr_zero(lanes);
    const Allocation *array = arrayAt(part.address[first]);
    uint64_t chosen = 0, outside = !array;
    if (array)
      for (unsigned l = 0; l < waveLanes; ++l) {
        outside |=
            (part.address[l] - array->base >= array->size) & (lanes >> l);
        chosen |= uint64_t(isChosen(lines[l], *array)) << l;
      }
    if (!crosses && !(outside & 1)) {
      for (uint64_t rest = chosen & lanes; rest; rest &= rest - 1)
        found.push_back(lines[std::countr_zero(rest)]);
      continue;
    }
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
      unsigned l = std::countr_zero(rest);
      noteLine(lines[l]);
      uint64_t end = (part.address[l] + part.inBounds[l] - 1) / lineBytes;
      if (end != lines[l])
        noteLine(end);
    }
  }
}
