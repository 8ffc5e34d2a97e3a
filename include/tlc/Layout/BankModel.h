//===- BankModel.h - Bank conflicts of LDS accesses -------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The LDS of gfx942 has 32 banks of one dword. It serves the 64 lanes of an
// instruction in fixed groups of lanes, one group a cycle. Within a group, n
// different dwords in one bank take n cycles; lanes that want the same dword
// share it. Which lanes form a group depends on the width and direction of the
// instruction (a table in BankModel.cpp).
//
// planAccess says which wide instructions move a tile between registers and
// LDS, and conflictCycles what each costs, so that a layout can be priced
// before any code exists.
//
// No MLIR here.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LAYOUT_BANKMODEL_H
#define TLC_LAYOUT_BANKMODEL_H

#include "tlc/Layout/Layout.h"

namespace tlc {

constexpr unsigned kWaveSize = 64;
constexpr unsigned kLdsBanks = 32;
constexpr int64_t kLdsBytes = 65536;
/// The address of a lane that takes no part in an access.
constexpr uint32_t kInactiveLane = ~0u;

enum class LdsDirection : uint8_t { Read, Write };

/// Cycles that the LDS needs for one instruction of `bytes` (1, 2, 4, 8, 12 or
/// 16) a lane when no two lanes are in each other's way.
unsigned baseCycles(LdsDirection direction, unsigned bytes);

/// Cycles on top of that. `addresses` holds the byte address of each of the 64
/// lanes, a multiple of the smaller of `bytes` and 4, or kInactiveLane.
unsigned conflictCycles(LdsDirection direction, unsigned bytes,
                        llvm::ArrayRef<uint32_t> addresses);

/// How a tile that threads hold in registers meets memory: instructions of
/// `width` elements; instruction i moves, in every thread, the register slots
/// slots[i * width .. + width) from or to consecutive memory.
struct AccessPlan {
  int64_t width = 0;
  llvm::SmallVector<int64_t, 32> slots;
  int64_t numInstructions() const { return width ? slots.size() / width : 0; }
};

/// The widest instructions, up to `maxBytes` (16 unless hardware or alignment
/// say less), that move all registers of `held` to or from `memory`. Both map
/// the same logical indices; `held` has register and thread digits, `memory`
/// memory digits. `elementBytes` is the size of an element. Slots whose index
/// lies outside `shape` are left out where all threads agree on that; a slot
/// inside for some threads only stays in, and the caller guards it.
AccessPlan planAccess(const Layout &held, const Layout &memory,
                      llvm::ArrayRef<int64_t> shape, int64_t threads,
                      unsigned elementBytes, unsigned maxBytes = 16);

/// What an access costs: instructions of all wavefronts, and their cycles.
struct AccessCost {
  int64_t instructions = 0, cycles = 0, conflicts = 0;
};

/// The cost of an access by `threads` threads as planAccess plans it.
AccessCost priceAccess(const Layout &held, const Layout &memory,
                       llvm::ArrayRef<int64_t> shape, int64_t threads,
                       unsigned elementBytes, LdsDirection direction);

} // namespace tlc

#endif // TLC_LAYOUT_BANKMODEL_H
