//===- DeviceMemory.h - Global memory with bounds ---------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The global memory of the simulated device. A device address is the host
// address of the same byte, so managed and host-registered memory need no
// translation; what a kernel may touch is decided by the table of allocations.
// Freed ranges are kept, unmapped, for as long as possible: a use after free is
// told from a wild address.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_SIMULATOR_MEMORY_DEVICEMEMORY_H
#define TLC_SIMULATOR_MEMORY_DEVICEMEMORY_H

#include "tlc/Simulator/Memory/WrittenBytes.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <vector>

namespace tlc::sim {

enum class AllocationKind : uint8_t {
  Device,     ///< hipMalloc
  Host,       ///< hipHostMalloc, hipMallocManaged
  Registered, ///< hipHostRegister: the memory is the program's
  Code,       ///< the image of a code object
  Kernarg,    ///< arguments and packets of a launch
};

/// One range of addresses a kernel may touch, or once could.
struct Allocation {
  uint64_t base = 0;
  uint64_t size = 0; ///< as asked for, not rounded
  AllocationKind kind = AllocationKind::Device;
  bool freed = false;
  uint32_t number = 0; ///< 1, 2, ... in order of allocation
  std::string name;    ///< for messages; may be empty

  bool contains(uint64_t address, uint64_t bytes) const {
    return address - base < size && size - (address - base) >= bytes;
  }
};

/// Thread safe: a launch holds `launchLock` shared, changes take it exclusive.
class DeviceMemory {
public:
  explicit DeviceMemory(uint64_t capacity);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;

  /// Memory aligned to 4096 bytes, reading as zero; null if the capacity or
  /// the host is exhausted. `bytes` > 0.
  const Allocation *allocate(uint64_t bytes, AllocationKind kind,
                             std::string name = {});
  /// Makes the program's own memory reachable; null if it overlaps.
  const Allocation *registerHost(void *memory, uint64_t bytes);
  /// False if `base` does not begin a live allocation of one of the kinds.
  bool release(uint64_t base, bool registered = false);

  /// The allocation that holds `address`, live or freed, or null. Lookups
  /// during a launch need no lock beside the launch's own.
  const Allocation *find(uint64_t address) const;
  /// All that are live, in the order of their addresses; the same.
  std::vector<const Allocation *> live() const;
  /// `find`, with the lock.
  bool lookup(uint64_t address, Allocation &found) const;
  /// The live allocation nearest to `address`, for messages; null if none.
  const Allocation *nearest(uint64_t address) const;

  uint64_t capacity() const { return total; }
  uint64_t used() const;

  std::shared_mutex &launchLock() const { return mutex; }

  /// For the checkers: what of the memory from hipMalloc was ever written.
  /// Host copies and fills mark it, and watched kernels do.
  WrittenBytes &writtenBytes() const { return written; }

private:
  void forgetOldestFreed();

  // Keyed by base address; freed ones stay until `forgetOldestFreed`.
  std::map<uint64_t, std::unique_ptr<Allocation>> allocations;
  std::vector<uint64_t> freedOrder;
  mutable std::shared_mutex mutex;
  mutable WrittenBytes written;
  uint64_t total;
  uint64_t inUse = 0;
  uint32_t nextNumber = 1;
};

} // namespace tlc::sim

#endif // TLC_SIMULATOR_MEMORY_DEVICEMEMORY_H
