//===- Passes.h - Passes on the tile dialect --------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_DIALECT_TILE_TRANSFORMS_PASSES_H
#define TLC_DIALECT_TILE_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"
#include "tlc/Dialect/Tile/IR/TileDialect.h"

namespace tlc::tile {

/// Ends the message of an error that says LDS does not suffice: diagnostic
/// LdsDoesNotFit of tlc/Support/Diagnostics.def,
/// the driver's exit code 4.
inline constexpr llvm::StringLiteral kLdsLimitTag = "[TL0601]";
/// The same for a matrix product without MFMA: diagnostic NoMfma.
inline constexpr llvm::StringLiteral kNoMfmaTag = "[TL0602]";
inline constexpr llvm::StringLiteral kOutOfBoundsTag = "[TL0306]";
inline constexpr llvm::StringLiteral kNeverInsideTag = "[TL0310]";
/// Registers that do not suffice: diagnostic RegistersDoNotFit, exit code 4.
inline constexpr llvm::StringLiteral kRegisterLimitTag = "[TL0604]";

/// Set on a tile.sync that must order accesses to global memory too.
inline constexpr llvm::StringLiteral kSyncGlobalAttr = "tile.global";

/// On a tile.parallel that reads and writes one buffer: all threads reach it, so
/// that a barrier may stand between its reads and its writes.
inline constexpr llvm::StringLiteral kUniformFlowAttr = "tile.uniform";

/// On loops: T.Pipelined(num_stages=n), T.unroll, T.vectorized.
inline constexpr llvm::StringLiteral kNumStagesAttr = "tile.num_stages";
/// On a kernel that tile-fit-lds refused: the bytes that it would need.
inline constexpr llvm::StringLiteral kLdsNeededAttr = "tile.lds_needed";
/// On a kernel: bytes of LDS to keep free for what later passes add. A kernel
/// that was refused is compiled again with what it lacked.
inline constexpr llvm::StringLiteral kLdsReserveAttr = "tile.lds_reserve";
/// On a kernel for which less LDS than it was given cannot be found.
inline constexpr llvm::StringLiteral kLdsExhaustedAttr = "tile.lds_exhausted";
/// On a kernel whose registers spilled: 1 without prefetch, 2 also without
/// operands moved from LDS to registers where LDS holds them.
inline constexpr llvm::StringLiteral kSpareRegistersAttr =
    "tile.spare_registers";
/// Set on copies that load a step ahead: they stay where they stand.
inline constexpr llvm::StringLiteral kPrefetchAttr = "tile.prefetch";
/// On a tile.parallel: the #tile.layout of its points that the program gives.
inline constexpr llvm::StringLiteral kLoopLayoutAttr = "tile.loop_layout";
inline constexpr llvm::StringLiteral kUnrollAttr = "tile.unroll";
inline constexpr llvm::StringLiteral kVectorizedAttr = "tile.vectorized";

#define GEN_PASS_DECL
#include "tlc/Dialect/Tile/Transforms/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "tlc/Dialect/Tile/Transforms/Passes.h.inc"

} // namespace tlc::tile

#endif // TLC_DIALECT_TILE_TRANSFORMS_PASSES_H
