//===- BankModel.cpp - Bank conflicts of LDS accesses -----------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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

HeldElements tlc::heldElements(const Layout &held, ArrayRef<int64_t> shape,
                               int64_t threads) {
  HeldElements result;
  result.registers = held.numRegisters();
  result.threads = threads;
  result.elements.reserve(result.registers * threads);
  for (int64_t reg = 0; reg < result.registers; ++reg)
    for (int64_t thread = 0; thread < threads; ++thread) {
      auto index = held.indexOf(thread, reg);
      int64_t element = index ? 0 : -1;
      for (size_t d = 0; d < shape.size() && element >= 0; ++d)
        element =
            (*index)[d] < shape[d] ? element * shape[d] + (*index)[d] : -1;
      result.elements.push_back(element);
    }
  return result;
}

/// Registers in the memory order of the first thread that holds them.
static SmallVector<int64_t, 32> memoryOrder(const HeldElements &held,
                                            ArrayRef<int64_t> addresses) {
  SmallVector<std::pair<int64_t, int64_t>, 32> keyed;
  for (int64_t reg = 0; reg < held.registers; ++reg)
    for (int64_t thread = 0; thread < held.threads; ++thread)
      if (int64_t a = addresses[reg * held.threads + thread]; a >= 0) {
        keyed.push_back({a, reg});
        break;
      }
  llvm::sort(keyed);
  SmallVector<int64_t, 32> order;
  for (auto [address, reg] : keyed)
    order.push_back(reg);
  return order;
}

AccessCost tlc::priceAccess(const HeldElements &held,
                            llvm::function_ref<int64_t(int64_t)> address,
                            unsigned elementBytes, LdsDirection direction) {
  std::vector<int64_t> addresses(held.elements.size());
  for (auto [a, element] : llvm::zip(addresses, held.elements))
    a = element < 0 ? -1 : address(element);
  SmallVector<int64_t, 32> order = memoryOrder(held, addresses);
  auto row = [&](int64_t reg) { return &addresses[reg * held.threads]; };

  // The widest power of two for which all runs hold in all threads.
  auto holds = [&](int64_t width) {
    if (order.size() % width)
      return false;
    for (size_t first = 0; first < order.size(); first += width)
      for (int64_t t = 0; t < held.threads; ++t) {
        int64_t base = row(order[first])[t];
        if (base >= 0 && base % width)
          return false;
        for (int64_t i = 1; i < width; ++i) {
          int64_t a = row(order[first + i])[t];
          if (base < 0 ? a >= 0 : a != base + i)
            return false;
        }
      }
    return true;
  };
  AccessCost cost;
  cost.width = 1;
  while (cost.width * 2 * elementBytes <= 16 && holds(cost.width * 2))
    cost.width *= 2;

  unsigned bytes = cost.width * elementBytes;
  for (int64_t wave = 0; wave * kWaveSize < held.threads; ++wave)
    for (size_t first = 0; first < order.size(); first += cost.width) {
      uint32_t lanes[kWaveSize];
      bool any = false;
      for (unsigned lane = 0; lane < kWaveSize; ++lane) {
        int64_t thread = wave * kWaveSize + lane;
        int64_t a = thread < held.threads ? row(order[first])[thread] : -1;
        lanes[lane] = a < 0 ? kInactiveLane : uint32_t(a * elementBytes);
        any |= a >= 0;
      }
      if (!any)
        continue;
      unsigned conflicts = conflictCycles(direction, bytes, lanes);
      ++cost.instructions;
      cost.conflicts += conflicts;
      cost.cycles += baseCycles(direction, bytes) + conflicts;
    }
  return cost;
}
