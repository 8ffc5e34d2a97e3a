//===- Swizzle.cpp - XORs that keep accesses out of each other's banks ----===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A line is a row of all banks, 128 bytes; a slot one granule in it. A swizzle
// XORs the slot by a function G of the line that is linear over bits. Two lanes
// of one phase that want a common bank from lines x and y conflict if slot(x) ^
// G(x) = slot(y) ^ G(y), that is if G(x ^ y) = slot(x) ^ slot(y), since G is
// linear. So every pair of lanes forbids one value of G at one argument, and
// solving is choosing the images of the line's bits one after another:
//
//   forbidden[lines apart] = set of slots apart
//   G(2^k) = v is possible if no x < 2^k has G(x) ^ v in forbidden[x + 2^k]
//
//===----------------------------------------------------------------------===//

#include "tlc/Layout/Swizzle.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <bit>
#include <cassert>

using namespace tlc;
using llvm::ArrayRef;
using llvm::MutableArrayRef;
using llvm::SmallVector;

static constexpr unsigned kLineBytes = kLdsBanks * 4;
/// Steps of a search before it is given up.
static constexpr unsigned kBudget = 20000;

SwizzleSolver::SwizzleSolver(unsigned granule)
    : granule(granule), slots(kLineBytes / granule) {
  assert((granule == 4 || granule == 8 || granule == 16) && "no such access");
  forbidden.resize(2 * kLdsBytes / kLineBytes);
}

/// Adds an instruction's constraints: all pairs of lanes of a phase in unlike
/// lines. Addresses are in bytes, without a swizzle.
void SwizzleSolver::addAccess(LdsDirection direction, unsigned bytes,
                              const uint32_t addresses[kWaveSize],
                              uint64_t active) {
  assert(bytes <= granule && "an access wider than the granule");
  const LdsPhases &phases = ldsPhases(direction, bytes);
  int dwords = std::max(1u, bytes / 4);
  // Of each lane: its line, its slot there, its first bank in the slot.
  uint32_t line[kWaveSize], slot[kWaveSize];
  int bank[kWaveSize];
  for (unsigned l = 0; l < kWaveSize; ++l) {
    line[l] = addresses[l] / kLineBytes;
    slot[l] = addresses[l] % kLineBytes / granule;
    bank[l] = addresses[l] % granule / 4;
  }
  SmallVector<uint32_t, kWaveSize + 4> pattern = {
      uint32_t(direction), bytes, uint32_t(active), uint32_t(active >> 32)};
  for (unsigned l = 0; l < kWaveSize; ++l)
    pattern.push_back((line[l] ^ line[0]) << 16 | (slot[l] ^ slot[0]) << 8 |
                      bank[l]);
  if (!known.insert(uint64_t(llvm::hash_combine_range(pattern))).second)
    return;
  for (unsigned p = 0; p < phases.count; ++p)
    for (uint64_t rest = phases.lanes[p] & active; rest; rest &= rest - 1) {
      unsigned a = std::countr_zero(rest);
      for (uint64_t more = rest & (rest - 1); more; more &= more - 1) {
        unsigned b = std::countr_zero(more);
        // The same line: no XOR by the line tells them apart, and they share
        // slots only if they did before.
        uint32_t lines = line[a] ^ line[b];
        if (!lines || std::abs(bank[a] - bank[b]) >= dwords)
          continue;
        assert(lines < forbidden.size() && "outside the LDS");
        forbidden[lines] |= 1u << (slot[a] ^ slot[b]);
      }
    }
}

/// Whether any linear G can do it: two lanes whose difference it cannot see
/// conflict whatever it is.
bool SwizzleSolver::isFree() const {
  return llvm::none_of(forbidden, [](uint32_t f) { return f & 1; });
}

/// Chooses what bit `bit` of the line adds to the slot; image[x] is G(x) for
/// all x below 1 << bit.
bool SwizzleSolver::search(unsigned bit, unsigned bits,
                           ArrayRef<uint32_t> forbidden,
                           MutableArrayRef<uint8_t> image,
                           unsigned &budget) const {
  if (bit == bits)
    return true;
  uint32_t high = 1u << bit;
  for (uint32_t value = 0; value < slots; ++value) {
    if (budget == 0)
      return false;
    --budget;
    bool good = true;
    for (uint32_t x = 0; x < high && good; ++x) {
      image[high | x] = image[x] ^ value;
      good = !(forbidden[high | x] >> image[high | x] & 1);
    }
    if (good && search(bit + 1, bits, forbidden, image, budget))
      return true;
  }
  return false;
}

/// The terms of G: entries (bit of the line, bit of the slot) that lie on one
/// diagonal move together.
static SmallVector<XorTerm, 2> termsOf(ArrayRef<uint8_t> columns,
                                       unsigned lineShift, unsigned slotShift) {
  SmallVector<XorTerm, 2> terms;
  constexpr int kSlotBits = 5;
  for (int diagonal = -kSlotBits + 1; diagonal < int(columns.size());
       ++diagonal) {
    int64_t mask = 0;
    for (int o = 0; o < kSlotBits; ++o)
      if (int b = o + diagonal; b >= 0 && b < int(columns.size()))
        mask |= int64_t(columns[b] >> o & 1) << o;
    if (!mask)
      continue;
    int64_t low = llvm::countr_zero(uint64_t(mask));
    terms.push_back(
        {int64_t(lineShift) + diagonal + low, mask >> low, slotShift + low});
  }
  return terms;
}

/// Terms for addresses in elements. The fewest bits of the line that suffice
/// are used, so that the swizzle is cheap to compute; none if the search fails
/// or gives up.
std::optional<SmallVector<XorTerm, 2>>
SwizzleSolver::solve(unsigned lineBits, unsigned elementBytes) const {
  for (unsigned bits = 0; bits <= lineBits; ++bits) {
    // G ignores the bits above.
    SmallVector<uint32_t> seen(size_t(1) << bits, 0);
    for (auto [lines, slots] : llvm::enumerate(forbidden))
      seen[lines & (seen.size() - 1)] |= slots;
    if (seen[0] & 1)
      continue;
    SmallVector<uint8_t> image(seen.size(), 0);
    unsigned budget = kBudget;
    if (!search(0, bits, seen, image, budget))
      continue;
    SmallVector<uint8_t> columns;
    for (unsigned b = 0; b < bits; ++b)
      columns.push_back(image[size_t(1) << b]);
    return termsOf(columns, llvm::Log2_32(kLineBytes / elementBytes),
                   llvm::Log2_32(granule / elementBytes));
  }
  return std::nullopt;
}
