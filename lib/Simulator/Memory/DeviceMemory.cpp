//===- DeviceMemory.cpp - Global memory with bounds -----------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each allocation is its own mapping with a page without access behind it.
// Freeing returns the pages and keeps the addresses, so that they are not
// given out again while the quarantine lasts.
//
//===----------------------------------------------------------------------===//

#include "tlc/Simulator/Memory/DeviceMemory.h"

#include <mutex>
#include <sys/mman.h>

using namespace tlc::sim;

namespace {

constexpr uint64_t pageBytes = 4096;
/// Of allocations: pages as the device translates them.
constexpr uint64_t alignment = 2 << 20;
// Freed allocations whose addresses are kept, so that a late access is reported
// as such.
constexpr size_t quarantineLength = 4096;

uint64_t roundToPages(uint64_t bytes) {
  return (bytes + pageBytes - 1) / pageBytes * pageBytes;
}

bool ownsMapping(const Allocation &allocation) {
  return allocation.kind != AllocationKind::Registered;
}

} // namespace

DeviceMemory::DeviceMemory(uint64_t capacity) : total(capacity) {}

DeviceMemory::~DeviceMemory() {
  for (auto &[base, allocation] : allocations)
    if (ownsMapping(*allocation))
      munmap(reinterpret_cast<void *>(base),
             roundToPages(allocation->size) + pageBytes);
}

/// Null if the capacity, or the host's address space, does not suffice. Pages
/// are taken from the host as they are touched.
const Allocation *DeviceMemory::allocate(uint64_t bytes, AllocationKind kind,
                                         std::string name) {
  std::unique_lock lock(mutex);
  if (bytes == 0 || bytes > total || inUse > total - bytes)
    return nullptr;
  uint64_t rounded = roundToPages(bytes);
  // At the begin of one of the device's pages, so that the timing model sees
  // the same wherever the host has put it.
  char *reserved = static_cast<char *>(
      // Reserved with room to align, then the ends are given back. Only
      // touched pages cost memory.
      mmap(nullptr, rounded + pageBytes + alignment, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  if (reserved == MAP_FAILED)
    return nullptr;
  size_t before = -reinterpret_cast<uint64_t>(reserved) % alignment;
  char *memory = reserved + before;
  if (before)
    munmap(reserved, before);
  if (before < alignment)
    munmap(memory + rounded + pageBytes, alignment - before);
  // An access just beyond the end faults on the host too, should a check be
  // missed.
  mprotect(memory + rounded, pageBytes, PROT_NONE);
  auto allocation = std::make_unique<Allocation>();
  allocation->base = reinterpret_cast<uint64_t>(memory);
  allocation->size = bytes;
  allocation->kind = kind;
  allocation->number = nextNumber++;
  allocation->name = std::move(name);
  inUse += bytes;
  // Only device memory begins as undefined.
  if (kind == AllocationKind::Device)
    written.add(allocation->base, bytes);
  return (allocations[allocation->base] = std::move(allocation)).get();
}

/// Null if the range meets another registration or allocation.
const Allocation *DeviceMemory::registerHost(void *memory, uint64_t bytes) {
  std::unique_lock lock(mutex);
  uint64_t base = reinterpret_cast<uint64_t>(memory);
  if (bytes == 0 || base + bytes < base)
    return nullptr;
  // Neighbours in address order are all that can overlap.
  auto next = allocations.lower_bound(base);
  if (next != allocations.end() && next->first - base < bytes) {
    // A registration that ended before may be taken up again.
    if (!next->second->freed || ownsMapping(*next->second))
      return nullptr;
    allocations.erase(next);
    next = allocations.lower_bound(base);
  }
  if (next != allocations.begin()) {
    auto before = std::prev(next);
    if (before->second->contains(base, 1) && !before->second->freed)
      return nullptr;
  }
  auto allocation = std::make_unique<Allocation>();
  allocation->base = base;
  allocation->size = bytes;
  allocation->kind = AllocationKind::Registered;
  allocation->number = nextNumber++;
  return (allocations[base] = std::move(allocation)).get();
}

/// False for anything but the base of a live allocation of the kind that \p
/// registered says.
bool DeviceMemory::release(uint64_t base, bool registered) {
  std::unique_lock lock(mutex);
  auto it = allocations.find(base);
  if (it == allocations.end() || it->second->freed)
    return false;
  Allocation &allocation = *it->second;
  if ((allocation.kind == AllocationKind::Registered) != registered)
    return false;
  if (!ownsMapping(allocation)) {
    // The program may reuse its memory for anything: forget it.
    allocations.erase(it);
    return true;
  }
  // A fresh mapping without access gives the pages back and keeps the range.
  // Where none can be made the old one stays, which the table forgets.
  (void)mmap(reinterpret_cast<void *>(base), roundToPages(allocation.size),
             PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
             -1, 0);
  inUse -= allocation.size;
  written.remove(base);
  if (allocation.kind == AllocationKind::Kernarg) {
    // One comes with every launch: no quarantine for these.
    munmap(reinterpret_cast<void *>(base),
           roundToPages(allocation.size) + pageBytes);
    allocations.erase(it);
    return true;
  }
  allocation.freed = true;
  freedOrder.push_back(base);
  if (freedOrder.size() > quarantineLength)
    forgetOldestFreed();
  return true;
}

/// Half of the quarantine at once, so that it is not shifted at every free.
void DeviceMemory::forgetOldestFreed() {
  size_t count = quarantineLength / 2;
  for (size_t i = 0; i < count; ++i) {
    auto it = allocations.find(freedOrder[i]);
    if (it == allocations.end())
      continue;
    munmap(reinterpret_cast<void *>(it->first),
           roundToPages(it->second->size) + pageBytes);
    allocations.erase(it);
  }
  freedOrder.erase(freedOrder.begin(), freedOrder.begin() + count);
}

std::vector<const Allocation *> DeviceMemory::live() const {
  std::vector<const Allocation *> result;
  for (const auto &[base, allocation] : allocations)
    if (!allocation->freed)
      result.push_back(allocation.get());
  return result;
}

/// No lock: the caller holds launchLock or the mutex.
const Allocation *DeviceMemory::find(uint64_t address) const {
  auto next = allocations.upper_bound(address);
  if (next == allocations.begin())
    return nullptr;
  const Allocation *candidate = std::prev(next)->second.get();
  return candidate->contains(address, 1) ? candidate : nullptr;
}

/// A copy of the record, since another thread may free the allocation.
bool DeviceMemory::lookup(uint64_t address, Allocation &found) const {
  std::shared_lock lock(mutex);
  const Allocation *allocation = find(address);
  if (allocation)
    found = *allocation;
  return allocation != nullptr;
}

/// The neighbour below or above, freed ones included: for messages only.
const Allocation *DeviceMemory::nearest(uint64_t address) const {
  const Allocation *best = nullptr;
  uint64_t bestDistance = UINT64_MAX;
  auto consider = [&](const Allocation &allocation) {
    uint64_t distance = address < allocation.base
                            ? allocation.base - address
                            : address - (allocation.base + allocation.size);
    if (distance < bestDistance) {
      bestDistance = distance;
      best = &allocation;
    }
  };
  auto next = allocations.upper_bound(address);
  if (next != allocations.end())
    consider(*next->second);
  if (next != allocations.begin())
    consider(*std::prev(next)->second);
  return best;
}

uint64_t DeviceMemory::used() const {
  std::shared_lock lock(mutex);
  return inUse;
}
