//===- WrittenBytes.cpp - Which device memory holds a value -----*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A bit for each byte of device memory, and a flag for allocations that are
// written as a whole, which most are: a copy from the host sets it, and
// questions about the allocation end there. Bits are atomic: workgroups on
// several host threads set them.
//
//===----------------------------------------------------------------------===//

#include "tlc/Simulator/Memory/WrittenBytes.h"

#include <algorithm>

using namespace tlc::sim;

namespace {

/// Calls \p function(word, mask) for the bits first to last, inclusive.
template <typename F> bool forWords(uint64_t first, uint64_t last, F function) {
  for (uint64_t word = first / 64; word <= last / 64; ++word) {
    uint64_t mask = ~uint64_t(0);
    if (word == first / 64)
      mask &= ~uint64_t(0) << (first % 64);
    if (word == last / 64)
      mask &= ~uint64_t(0) >> (63 - last % 64);
    if (!function(word, mask))
      return false;
  }
  return true;
}

} // namespace

void WrittenBytes::add(uint64_t base, uint64_t bytes) {
  auto range = std::make_unique<Range>();
  range->base = base;
  range->bytes = bytes;
  range->bits.reset(new std::atomic<uint64_t>[(bytes + 63) / 64]());
  ranges[base] = std::move(range);
}

void WrittenBytes::remove(uint64_t base) { ranges.erase(base); }

WrittenBytes::Range *WrittenBytes::find(uint64_t address) const {
  auto it = ranges.upper_bound(address);
  if (it == ranges.begin())
    return nullptr;
  Range &range = *std::prev(it)->second;
  return address - range.base < range.bytes ? &range : nullptr;
}

/// Bytes outside all ranges are nobody's: ignored.
void WrittenBytes::mark(uint64_t address, uint64_t bytes) {
  Range *range = find(address);
  if (!range || bytes == 0 || range->all.load(std::memory_order_relaxed))
    return;
  uint64_t first = address - range->base;
  uint64_t last = std::min(first + bytes, range->bytes) - 1;
  if (first == 0 && last + 1 == range->bytes) {
    range->all.store(true, std::memory_order_relaxed);
    return;
  }
  forWords(first, last, [&](uint64_t word, uint64_t mask) {
    std::atomic<uint64_t> &bits = range->bits[word];
    if ((bits.load(std::memory_order_relaxed) & mask) != mask)
      bits.fetch_or(mask, std::memory_order_relaxed);
    return true;
  });
}

/// Takes an allocation that was all written apart first.
void WrittenBytes::unmark(uint64_t address, uint64_t bytes) {
  Range *range = find(address);
  if (!range || bytes == 0)
    return;
  if (range->all.exchange(false, std::memory_order_relaxed))
    for (uint64_t word = 0; word < (range->bytes + 63) / 64; ++word)
      range->bits[word].store(~uint64_t(0), std::memory_order_relaxed);
  uint64_t first = address - range->base;
  uint64_t last = std::min(first + bytes, range->bytes) - 1;
  forWords(first, last, [&](uint64_t word, uint64_t mask) {
    range->bits[word].fetch_and(~mask, std::memory_order_relaxed);
    return true;
  });
}

void WrittenBytes::markAll() {
  for (auto &entry : ranges)
    entry.second->all.store(true, std::memory_order_relaxed);
}

/// True also outside the ranges: host memory counts as written.
bool WrittenBytes::written(uint64_t address, uint64_t bytes) const {
  const Range *range = find(address);
  if (!range || bytes == 0 || range->all.load(std::memory_order_relaxed))
    return true;
  uint64_t first = address - range->base;
  uint64_t last = std::min(first + bytes, range->bytes) - 1;
  return forWords(first, last, [&](uint64_t word, uint64_t mask) {
    return (range->bits[word].load(std::memory_order_relaxed) & mask) == mask;
  });
}
