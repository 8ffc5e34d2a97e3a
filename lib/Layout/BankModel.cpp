//===- BankModel.cpp - Bank conflicts of LDS accesses -----------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From layouts to the accesses that they make: which registers of a thread move
// in one instruction, which addresses its lanes then have, and what the banks
// make of them. Used to choose layouts, so it is the same model that the
// simulator counts by.
//
//===----------------------------------------------------------------------===//

#include "tlc/Layout/BankModel.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cassert>

using namespace tlc;
using llvm::ArrayRef;
using llvm::SmallVector;

unsigned tlc::baseCycles(LdsDirection direction, unsigned bytes) {
  return ldsPhases(direction, bytes).count;
}

unsigned tlc::conflictCycles(LdsDirection direction, unsigned bytes,
                             ArrayRef<uint32_t> addresses) {
  assert(addresses.size() == kWaveSize);
  uint64_t active = 0;
  for (auto [lane, address] : llvm::enumerate(addresses))
    active |= uint64_t(address != kInactiveLane) << lane;
  return ldsCycles(direction, bytes, addresses.data(), active).conflicts;
}

//===----------------------------------------------------------------------===//
// Whole accesses
//===----------------------------------------------------------------------===//

/// Registers that one instruction can move: up to 16 bytes, next to each other
/// in memory in every thread. `offset(thread, register)` is in bytes; only
/// registers that exist take part. Greedy from the lowest address, in powers of
/// two that are movable:
///   bytes 2, offsets 0 2 4 6 8 10, aligned to 16   ->  {0 1 2 3} {4 5}
std::vector<SmallVector<int64_t, 8>>
tlc::groupRegisters(int64_t registers, int64_t threads, int64_t bytes,
                    llvm::function_ref<bool(int64_t)> exists,
                    llvm::function_ref<int64_t(int64_t, int64_t)> offset,
                    llvm::function_ref<bool(ArrayRef<int64_t>)> movable) {
  SmallVector<int64_t> order;
  for (int64_t r = 0; r < registers; ++r)
    if (exists(r))
      order.push_back(r);
  llvm::stable_sort(
      order, [&](int64_t x, int64_t y) { return offset(0, x) < offset(0, y); });
  // follows[i]: register i+1 of the order sits right behind i in all threads.
  SmallVector<bool> follows(order.size(), false);
  for (size_t i = 0; i + 1 < order.size(); ++i) {
    bool yes = true;
    for (int64_t t = 0; t < threads && yes; ++t)
      yes = offset(t, order[i + 1]) == offset(t, order[i]) + bytes;
    follows[i] = yes;
  }
  std::vector<SmallVector<int64_t, 8>> groups;
  for (size_t i = 0; i < order.size();) {
    size_t run = 1;
    while (i + run < order.size() && follows[i + run - 1])
      ++run;
    int64_t count = std::max<int64_t>(1, 16 / bytes);
    while (count > 1 && (count > int64_t(run) ||
                         !movable(ArrayRef<int64_t>(order).slice(i, count))))
      count /= 2;
    groups.emplace_back(order.begin() + i, order.begin() + i + count);
    i += count;
  }
  return groups;
}

/// Those whose place is a multiple of their bytes.
std::vector<SmallVector<int64_t, 8>>
tlc::groupRegisters(int64_t registers, int64_t threads, int64_t bytes,
                    int64_t alignment, llvm::function_ref<bool(int64_t)> exists,
                    llvm::function_ref<int64_t(int64_t, int64_t)> offset) {
  return groupRegisters(
      registers, threads, bytes, exists, offset, [&](ArrayRef<int64_t> group) {
        return isAligned(group.front(), threads, group.size() * bytes,
                         alignment, offset);
      });
}

bool tlc::isAligned(int64_t reg, int64_t threads, int64_t width,
                    int64_t alignment,
                    llvm::function_ref<int64_t(int64_t, int64_t)> offset) {
  if (alignment % width)
    return false;
  for (int64_t t = 0; t < threads; ++t)
    if (offset(t, reg) % width)
      return false;
  return true;
}

/// What each thread has in each register of a tile of `shape`. A layout may
/// cover more than the tile; what lies outside is clamped to it and not active.
HeldElements tlc::heldElements(const Layout &held, ArrayRef<int64_t> shape,
                               int64_t threads) {
  HeldElements result;
  result.registers = held.numRegisters();
  result.threads = threads;
  result.exists.resize(result.registers);
  for (int64_t reg = 0; reg < result.registers; ++reg)
    for (int64_t thread = 0; thread < threads; ++thread) {
      auto index = held.indexOf(thread, reg);
      int64_t element = 0;
      bool inside = index.has_value();
      for (size_t d = 0; d < shape.size() && index; ++d) {
        inside &= (*index)[d] < shape[d];
        element = element * shape[d] + std::min((*index)[d], shape[d] - 1);
      }
      result.elements.push_back(element);
      result.active.push_back(inside);
      if (inside)
        result.exists[reg] = true;
    }
  return result;
}

/// The instructions of all wavefronts that move a tile between registers and
/// LDS, where element e lies at address(e), in elements.
std::vector<LdsInstruction> tlc::instructionsOf(
    const HeldElements &held, llvm::function_ref<int64_t(int64_t)> address,
    unsigned elementBytes, int64_t alignment, LdsDirection direction) {
  std::vector<int64_t> offsets;
  offsets.reserve(held.elements.size());
  for (int64_t element : held.elements)
    offsets.push_back(address(element) * elementBytes);
  std::vector<LdsInstruction> result;
  for (const auto &group : groupRegisters(
           held.registers, held.threads, elementBytes, alignment,
           [&](int64_t r) { return bool(held.exists[r]); },
           [&](int64_t t, int64_t r) { return offsets[r * held.threads + t]; }))
    for (int64_t first = 0; first < held.threads; first += kWaveSize) {
      LdsInstruction inst{
          direction, unsigned(group.size() * elementBytes), {}, 0};
      int64_t row = group.front() * held.threads;
      for (int64_t t = first; t < held.threads && t < first + kWaveSize; ++t) {
        inst.addresses[t - first] = uint32_t(offsets[row + t]);
        inst.active |= uint64_t(held.active[row + t]) << (t - first);
      }
      if (inst.active)
        result.push_back(inst);
    }
  return result;
}

AccessCost tlc::priceAccess(ArrayRef<LdsInstruction> instructions) {
  AccessCost cost;
  for (const LdsInstruction &inst : instructions) {
    LdsCycles cycles =
        ldsCycles(inst.direction, inst.bytes, inst.addresses, inst.active);
    ++cost.instructions;
    cost.conflicts += cycles.conflicts;
    cost.cycles += cycles.base + cycles.conflicts;
  }
  return cost;
}
