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

/// Registers that one instruction moves: consecutive, aligned places in memory
/// for every thread, at most 16 bytes, in memory order. `offset(t, r)` is where
/// register r of thread t lies, in bytes, up to a part that is the same for all
/// and a multiple of `alignment`. Registers that do not exist are left out.
std::vector<llvm::SmallVector<int64_t, 8>>
groupRegisters(int64_t registers, int64_t threads, int64_t bytes,
               int64_t alignment, llvm::function_ref<bool(int64_t)> exists,
               llvm::function_ref<int64_t(int64_t, int64_t)> offset);

/// The same with the caller's rule for which consecutive places (a power of two
/// of them, in memory order) one instruction may move.
std::vector<llvm::SmallVector<int64_t, 8>>
groupRegisters(int64_t registers, int64_t threads, int64_t bytes,
               llvm::function_ref<bool(int64_t)> exists,
               llvm::function_ref<int64_t(int64_t, int64_t)> offset,
               llvm::function_ref<bool(llvm::ArrayRef<int64_t>)> movable);

/// Whether register `reg` lies at a multiple of `width` bytes in every thread.
bool isAligned(int64_t reg, int64_t threads, int64_t width, int64_t alignment,
               llvm::function_ref<int64_t(int64_t, int64_t)> offset);

/// The elements that an access moves, in any order of registers: slot r of
/// thread t holds elements[r * threads + t], an index of the caller's choice.
struct HeldElements {
  int64_t registers = 0, threads = 0;
  std::vector<int64_t> elements;
  std::vector<bool> exists; ///< by register: whether any thread holds something
  std::vector<bool> active; ///< by element: whether its thread takes part

  int64_t at(int64_t thread, int64_t reg) const {
    return elements[reg * threads + thread];
  }
};

/// What `threads` threads hold of a buffer of `shape` laid out as `held`:
/// row-major indices.
HeldElements heldElements(const Layout &held, llvm::ArrayRef<int64_t> shape,
                          int64_t threads);

/// One instruction of one wavefront.
struct LdsInstruction {
  LdsDirection direction;
  unsigned bytes; ///< a lane
  uint32_t addresses[kWaveSize];
  uint64_t active;
};

/// The instructions that move `held`, by the widest accesses that fit.
/// `address` gives the place of an element, in elements; the buffer's start,
/// and what else is added to it, is a multiple of `alignment` bytes.
std::vector<LdsInstruction> instructionsOf(
    const HeldElements &held, llvm::function_ref<int64_t(int64_t)> address,
    unsigned elementBytes, int64_t alignment, LdsDirection direction);

/// What accesses cost: instructions of all wavefronts, and their cycles,
/// `conflicts` of which are in vain.
struct AccessCost {
  int64_t instructions = 0, cycles = 0, conflicts = 0;
};
AccessCost priceAccess(llvm::ArrayRef<LdsInstruction> instructions);

} // namespace tlc

#endif // TLC_LAYOUT_BANKMODEL_H
