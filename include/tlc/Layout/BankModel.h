//===- BankModel.h - Bank conflicts of LDS accesses -------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// conflictCycles prices one instruction by the phase rules
// (Support/LdsBanks.h), priceAccess all that move a tile between registers and
// LDS, so that a layout can be judged before any code exists.
//
// No MLIR here.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LAYOUT_BANKMODEL_H
#define TLC_LAYOUT_BANKMODEL_H

#include "tlc/Layout/Layout.h"
#include "tlc/Support/LdsBanks.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <vector>

namespace tlc {

/// The address of a lane that takes no part in an access.
constexpr uint32_t kInactiveLane = ~0u;

/// Cycles that the LDS needs for one instruction of `bytes` (1, 2, 4, 8, 12 or
/// 16) a lane when no two lanes are in each other's way.
unsigned baseCycles(LdsDirection direction, unsigned bytes);

/// Cycles on top of that. `addresses` holds the byte address of each of the 64
/// lanes, a multiple of the smaller of `bytes` and 4, or kInactiveLane.
unsigned conflictCycles(LdsDirection direction, unsigned bytes,
                        llvm::ArrayRef<uint32_t> addresses);

/// The elements that an access moves, in any order of registers: slot r of
/// thread t holds elements[r * threads + t], an index of the caller's choice,
/// or -1 where the thread does not take part.
struct HeldElements {
  int64_t registers = 0, threads = 0;
  std::vector<int64_t> elements;

  int64_t at(int64_t thread, int64_t reg) const {
    return elements[reg * threads + thread];
  }
};

/// What `threads` threads hold of a buffer of `shape` laid out as `held`:
/// row-major indices.
HeldElements heldElements(const Layout &held, llvm::ArrayRef<int64_t> shape,
                          int64_t threads);

/// What an access costs: instructions of all wavefronts, and their cycles,
/// `conflicts` of which are in vain.
struct AccessCost {
  int64_t instructions = 0, cycles = 0, conflicts = 0;
  int64_t width = 0; ///< elements an instruction moves in each lane
};

/// The cost of moving `held` by the widest instructions that fit: runs of
/// registers that are consecutive and aligned in memory in every thread, up to
/// 16 bytes. `address` gives the place of an element, in elements.
AccessCost priceAccess(const HeldElements &held,
                       llvm::function_ref<int64_t(int64_t)> address,
                       unsigned elementBytes, LdsDirection direction);

} // namespace tlc

#endif // TLC_LAYOUT_BANKMODEL_H
