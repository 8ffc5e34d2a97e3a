//===- Pools.cpp - Memory pools and allocation in order of a stream -------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory of a pool is that of hipMalloc; the pool counts it. Nothing is kept
// for reuse: what is freed is free at once, so that a use of it is found. What
// the program frees by hipFree is no longer counted either: allocations are
// known by number and looked up when the pool is asked.
//
//===----------------------------------------------------------------------===//

#include "Capture.h"

#include <algorithm>
#include <cstring>
#include <set>

using namespace tlc;
using namespace tlc::sim;
using namespace tlc::hip;

namespace tlc::sim::dropin {

struct Pool {
  int reuse[3] = {1, 1, 1};
  uint64_t threshold = 0, high = 0;
  uint64_t limit = 0; ///< 0: none
  int access = 3;     ///< read and write
  /// Base and number of each allocation made from it.
  std::vector<std::pair<uint64_t, uint32_t>> made;

  /// Bytes of what is still allocated.
  uint64_t used() {
    uint64_t sum = 0;
    std::erase_if(made, [&](const auto &entry) {
      Allocation found;
      bool live = device().memory.lookup(entry.first, found) &&
                  found.number == entry.second && !found.freed;
      sum += live ? found.size : 0;
      return !live;
    });
    return sum;
  }
};

namespace {

struct Pools {
  std::mutex mutex;
  Pool standard;
  Pool *current = &standard;
  std::set<Pool *> all = {&standard};
};
Pools &pools() {
  static Pools *instance = new Pools();
  return *instance;
}

hipError_t allocateFrom(Pool &pool, void **pointer, size_t bytes) {
  uint64_t used = pool.used();
  if (pool.limit && bytes > pool.limit - std::min(pool.limit, used))
    return hipErrorOutOfMemory;
  if (hipError_t error = entry::hipMalloc(pointer, bytes))
    return error;
  Allocation made;
  if (device().memory.lookup(uint64_t(*pointer), made))
    pool.made.push_back({made.base, made.number});
  pool.high = std::max(pool.high, used + bytes);
  return hipSuccess;
}

/// In a capture an allocation is a node, whose address is known at once.
hipError_t allocateInCapture(void **pointer, size_t bytes, hipStream_t stream) {
  AllocationParams params = {};
  params.bytes = bytes;
  auto memory = std::make_shared<GraphMemory>();
  if (hipError_t error = memory->allocate(bytes))
    return error;
  *pointer = params.pointer = memory->pointer;
  return captureWork(stream, NodeKind::MemAlloc,
                     AllocationWork{memory, params});
}

} // namespace

//===--- Allocation -------------------------------------------------------===//

/// \p pool null: the device's current one.
static hipError_t mallocFrom(void **pointer, size_t bytes, Pool *pool,
                             hipStream_t stream) {
  if (!pointer)
    return hipErrorInvalidValue;
  if (!device().isStream(stream))
    return hipErrorContextIsDestroyed;
  *pointer = nullptr;
  if (!bytes)
    return hipSuccess;
  if (capturing(stream))
    return allocateInCapture(pointer, bytes, stream);
  Pools &p = pools();
  std::lock_guard lock(p.mutex);
  pool = pool ? pool : p.current;
  return p.all.count(pool) ? allocateFrom(*pool, pointer, bytes)
                           : hipErrorInvalidValue;
}
hipError_t hipMallocAsync(void **pointer, size_t bytes, hipStream_t stream) {
  return mallocFrom(pointer, bytes, nullptr, stream);
}
hipError_t hipMallocFromPoolAsync(void **pointer, size_t bytes, Pool *pool,
                                  hipStream_t stream) {
  return pool ? mallocFrom(pointer, bytes, pool, stream) : hipErrorInvalidValue;
}
/// Null cannot be freed here, unlike in hipFree.
hipError_t hipFreeAsync(void *pointer, hipStream_t stream) {
  if (!pointer)
    return hipErrorInvalidValue;
  if (!device().isStream(stream))
    return hipErrorContextIsDestroyed;
  if (capturing(stream))
    return captureWork(stream, NodeKind::MemFree, FreeWork{pointer});
  return entry::hipFree(pointer);
}

//===--- Pools ------------------------------------------------------------===//

hipError_t hipDeviceGetDefaultMemPool(Pool **pool, int device) {
  if (!pool)
    return hipErrorInvalidValue;
  if (device)
    return hipErrorInvalidDevice;
  *pool = &pools().standard;
  return hipSuccess;
}
hipError_t hipDeviceGetMemPool(Pool **pool, int device) {
  if (hipError_t error = hipDeviceGetDefaultMemPool(pool, device))
    return error;
  std::lock_guard lock(pools().mutex);
  *pool = pools().current;
  return hipSuccess;
}
hipError_t hipDeviceSetMemPool(int device, Pool *pool) {
  Pools &p = pools();
  std::lock_guard lock(p.mutex);
  if (device)
    return hipErrorInvalidDevice;
  if (!p.all.count(pool))
    return hipErrorInvalidValue;
  p.current = pool;
  return hipSuccess;
}
/// Pinned memory of the device, not shared with other processes.
hipError_t hipMemPoolCreate(Pool **pool, const PoolProperties *properties) {
  constexpr int pinned = 1, onDevice = 1;
  if (!pool || !properties || properties->allocationType != pinned ||
      properties->location.type != onDevice || properties->location.id)
    return hipErrorInvalidValue;
  if (properties->handleTypes)
    return hipErrorNotSupported;
  Pool *made = new Pool();
  made->limit = properties->maxBytes;
  std::lock_guard lock(pools().mutex);
  pools().all.insert(made);
  *pool = made;
  return hipSuccess;
}
/// What was allocated from it stays; the default pool cannot be destroyed.
hipError_t hipMemPoolDestroy(Pool *pool) {
  Pools &p = pools();
  std::lock_guard lock(p.mutex);
  if (pool == &p.standard || !p.all.erase(pool))
    return hipErrorInvalidValue;
  if (p.current == pool)
    p.current = &p.standard;
  delete pool;
  return hipSuccess;
}
/// Nothing is held that could be given back.
hipError_t hipMemPoolTrimTo(Pool *pool, size_t) {
  std::lock_guard lock(pools().mutex);
  return pools().all.count(pool) ? hipSuccess : hipErrorInvalidValue;
}

namespace {
/// Numbers of hipMemPoolAttr.
enum Attribute {
  FirstReuse = 1,
  LastReuse = 3,
  ReleaseThreshold = 4,
  ReservedCurrent = 5,
  ReservedHigh = 6,
  UsedCurrent = 7,
  UsedHigh = 8
};
} // namespace

hipError_t hipMemPoolSetAttribute(Pool *pool, int attribute, void *value) {
  std::lock_guard lock(pools().mutex);
  if (!value || !pools().all.count(pool))
    return hipErrorInvalidValue;
  if (attribute >= FirstReuse && attribute <= LastReuse) {
    std::memcpy(&pool->reuse[attribute - FirstReuse], value, sizeof(int));
    return hipSuccess;
  }
  uint64_t number;
  std::memcpy(&number, value, sizeof(number));
  if (attribute == ReleaseThreshold) {
    pool->threshold = number;
    return hipSuccess;
  }
  // A high mark can be reset, no more.
  if ((attribute != ReservedHigh && attribute != UsedHigh) || number)
    return hipErrorInvalidValue;
  pool->high = pool->used();
  return hipSuccess;
}
hipError_t hipMemPoolGetAttribute(Pool *pool, int attribute, void *value) {
  std::lock_guard lock(pools().mutex);
  if (!value || !pools().all.count(pool))
    return hipErrorInvalidValue;
  if (attribute >= FirstReuse && attribute <= LastReuse) {
    std::memcpy(value, &pool->reuse[attribute - FirstReuse], sizeof(int));
    return hipSuccess;
  }
  uint64_t number;
  switch (attribute) {
  case ReleaseThreshold:
    number = pool->threshold;
    break;
  case ReservedCurrent:
  case UsedCurrent:
    number = pool->used();
    break;
  case ReservedHigh:
  case UsedHigh:
    number = pool->high;
    break;
  default:
    return hipErrorInvalidValue;
  }
  std::memcpy(value, &number, sizeof(number));
  return hipSuccess;
}
/// There is one device, which may always read and write.
hipError_t hipMemPoolSetAccess(Pool *pool, const AccessDescription *access,
                               size_t count) {
  std::lock_guard lock(pools().mutex);
  if (!pools().all.count(pool) || (count && !access))
    return hipErrorInvalidValue;
  for (size_t i = 0; i < count; ++i) {
    if (access[i].location.id)
      return hipErrorInvalidDevice;
    if (access[i].flags != pool->access)
      return hipErrorInvalidValue;
  }
  return hipSuccess;
}
hipError_t hipMemPoolGetAccess(int *flags, Pool *pool, MemoryLocation *where) {
  std::lock_guard lock(pools().mutex);
  if (!flags || !where || !pools().all.count(pool))
    return hipErrorInvalidValue;
  if (where->id)
    return hipErrorInvalidDevice;
  *flags = pool->access;
  return hipSuccess;
}

} // namespace tlc::sim::dropin
