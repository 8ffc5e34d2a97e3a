//===- Addresses.cpp - Lookup of allocations ------------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Slow paths of memory accesses: which allocation an address lies in, and what
// to call an address that lies in none. Handlers try `Wave::recent` first, so
// that these are called about once for each allocation that a wavefront turns
// to.
//
//===----------------------------------------------------------------------===//

#include "tlc/Simulator/Execute/Wave.h"
#include "tlc/Simulator/Memory/DeviceMemory.h"

using namespace tlc::sim;

/// The two last allocations are kept: kernels mostly alternate between an input
/// and an output.
const Allocation *tlc::sim::findAllocation(Wave &wave, uint64_t address,
                                           uint64_t bytes) {
  const Allocation *found = wave.group->memory->find(address);
  if (!found || found->freed || !found->contains(address, bytes))
    return nullptr;
  wave.recent[1] = wave.recent[0];
  wave.recent[0] = found;
  return found;
}

/// The nearest allocation decides whether an address is taken for an overrun of
/// it or for no pointer at all.
const char *tlc::sim::classifyAddress(const DeviceMemory &memory,
                                      uint64_t address) {
  // Further from any allocation than this, an address is no overrun.
  constexpr uint64_t nearby = uint64_t(1) << 20;
  const Allocation *holder = memory.find(address);
  if (holder)
    return holder->freed ? "global-use-after-free" : "global-out-of-bounds";
  const Allocation *near = memory.nearest(address);
  if (!near)
    return "global-wild-address";
  uint64_t distance = address < near->base ? near->base - address
                                           : address - near->base - near->size;
  return distance < nearby ? "global-out-of-bounds" : "global-wild-address";
}
