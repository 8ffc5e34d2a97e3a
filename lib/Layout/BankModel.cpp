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

/// Which lanes of a half wavefront (32 lanes) are served together; the other
/// half follows in the same way. Bit l of a mask is lane l.
struct PhaseTable {
  unsigned phases; // of one half
  uint32_t lanes[4];
};

static const PhaseTable kWholeHalf = {1, {0xffffffffu}};
static const PhaseTable kSixteens = {2, {0x0000ffffu, 0xffff0000u}};
static const PhaseTable kEights = {
    4, {0x000000ffu, 0x0000ff00u, 0x00ff0000u, 0xff000000u}};
/// {0-3,20-23} {4-7,16-19} {8-11,28-31} {12-15,24-27}
static const PhaseTable kWideRead = {
    4, {0x00f0000fu, 0x000f00f0u, 0xf0000f00u, 0x0f00f000u}};

static const PhaseTable &phasesOf(LdsDirection direction, unsigned bytes) {
  if (bytes <= 4)
    return kWholeHalf;
  if (bytes == 8)
    return kSixteens;
  assert((bytes == 12 || bytes == 16) && "no such LDS instruction");
  return direction == LdsDirection::Read ? kWideRead : kEights;
}

unsigned tlc::baseCycles(LdsDirection direction, unsigned bytes) {
  return 2 * phasesOf(direction, bytes).phases;
}

unsigned tlc::conflictCycles(LdsDirection direction, unsigned bytes,
                             ArrayRef<uint32_t> addresses) {
  assert(addresses.size() == kWaveSize);
  const PhaseTable &table = phasesOf(direction, bytes);
  unsigned extra = 0;
  for (unsigned half = 0; half < 2; ++half)
    for (unsigned p = 0; p < table.phases; ++p) {
      SmallVector<uint32_t, 32> dwords;
      for (unsigned lane = 0; lane < 32; ++lane) {
        uint32_t address = addresses[half * 32 + lane];
        if (!(table.lanes[p] >> lane & 1) || address == kInactiveLane)
          continue;
        for (uint32_t byte = 0; byte < bytes; byte += 4)
          dwords.push_back((address + byte) >> 2);
      }
      llvm::sort(dwords);
      dwords.erase(std::unique(dwords.begin(), dwords.end()), dwords.end());
      unsigned load[kLdsBanks] = {}, most = 1;
      for (uint32_t dword : dwords)
        most = std::max(most, ++load[dword % kLdsBanks]);
      extra += most - 1;
    }
  return extra;
}

//===----------------------------------------------------------------------===//
// Access plans
//===----------------------------------------------------------------------===//

static bool inside(ArrayRef<int64_t> index, ArrayRef<int64_t> shape) {
  for (auto [i, extent] : llvm::zip(index, shape))
    if (i >= extent)
      return false;
  return true;
}

namespace {
/// The memory address of a slot in one thread; negative outside the shape.
struct SlotAddress {
  int64_t address, slot;
  bool operator<(const SlotAddress &o) const {
    return std::tie(address, slot) < std::tie(o.address, o.slot);
  }
};
} // namespace

/// The slots of one thread in memory order, padding left out.
static SmallVector<SlotAddress, 32> slotsOf(const Layout &held,
                                            const Layout &memory,
                                            ArrayRef<int64_t> shape,
                                            int64_t thread) {
  SmallVector<SlotAddress, 32> result;
  for (int64_t slot = 0, n = held.numRegisters(); slot < n; ++slot) {
    auto index = held.indexOf(thread, slot);
    if (index && inside(*index, shape))
      result.push_back({memory.at(*index).memory, slot});
  }
  llvm::sort(result);
  return result;
}

/// Whether runs of `width` slots, in this thread too, are aligned runs of
/// memory, all inside the shape or all outside.
static bool runsHold(const Layout &held, const Layout &memory,
                     ArrayRef<int64_t> shape, int64_t thread,
                     ArrayRef<int64_t> slots, int64_t width) {
  for (size_t first = 0; first < slots.size(); first += width) {
    int64_t base = 0;
    bool baseInside = false;
    for (int64_t i = 0; i < width; ++i) {
      auto index = held.indexOf(thread, slots[first + i]);
      bool in = index && inside(*index, shape);
      int64_t address = in ? memory.at(*index).memory : 0;
      if (i == 0) {
        base = address;
        baseInside = in;
        if (in && address % width)
          return false;
      } else if (in != baseInside || (in && address != base + i)) {
        return false;
      }
    }
  }
  return true;
}

AccessPlan tlc::planAccess(const Layout &held, const Layout &memory,
                           ArrayRef<int64_t> shape, int64_t threads,
                           unsigned elementBytes, unsigned maxBytes) {
  // Slots in the memory order of the first thread; slots that only other
  // threads have inside the shape follow, in slot order.
  AccessPlan plan;
  SmallVector<bool> seen(held.numRegisters());
  for (int64_t thread = 0; thread < threads; ++thread) {
    for (const SlotAddress &s : slotsOf(held, memory, shape, thread))
      if (!seen[s.slot]) {
        seen[s.slot] = true;
        plan.slots.push_back(s.slot);
      }
    if (llvm::all_of(seen, [](bool b) { return b; }))
      break;
  }
  plan.width = std::max<int64_t>(1, maxBytes / elementBytes);
  while (plan.width & (plan.width - 1))
    plan.width &= plan.width - 1;
  for (; plan.width > 1; plan.width /= 2) {
    if (plan.slots.size() % plan.width)
      continue;
    bool holds = true;
    for (int64_t thread = 0; thread < threads && holds; ++thread)
      holds = runsHold(held, memory, shape, thread, plan.slots, plan.width);
    if (holds)
      break;
  }
  return plan;
}

AccessCost tlc::priceAccess(const Layout &held, const Layout &memory,
                            ArrayRef<int64_t> shape, int64_t threads,
                            unsigned elementBytes, LdsDirection direction) {
  AccessPlan plan = planAccess(held, memory, shape, threads, elementBytes);
  AccessCost cost;
  unsigned bytes = plan.width * elementBytes;
  for (int64_t wave = 0; wave * kWaveSize < threads; ++wave)
    for (int64_t i = 0; i < plan.numInstructions(); ++i) {
      uint32_t addresses[kWaveSize];
      bool any = false;
      for (unsigned lane = 0; lane < kWaveSize; ++lane) {
        int64_t thread = wave * kWaveSize + lane;
        addresses[lane] = kInactiveLane;
        if (thread >= threads)
          continue;
        // A replica reads its own copy, but only the first holder writes.
        if (direction == LdsDirection::Write && !held.isOwner(thread))
          continue;
        auto index = held.indexOf(thread, plan.slots[i * plan.width]);
        if (!index || !inside(*index, shape))
          continue;
        addresses[lane] = memory.at(*index).memory * elementBytes;
        any = true;
      }
      if (!any)
        continue;
      unsigned conflicts = conflictCycles(direction, bytes, addresses);
      ++cost.instructions;
      cost.conflicts += conflicts;
      cost.cycles += baseCycles(direction, bytes) + conflicts;
    }
  return cost;
}
