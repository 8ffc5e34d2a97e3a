//===- WaveDialect.h - The wave dialect -------------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One wavefront's view of a kernel; see WaveOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_DIALECT_WAVE_IR_WAVEDIALECT_H
#define TLC_DIALECT_WAVE_IR_WAVEDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "tlc/Dialect/Wave/IR/WaveDialect.h.inc"
#include "tlc/Dialect/Wave/IR/WaveEnums.h.inc"
#define GET_TYPEDEF_CLASSES
#include "tlc/Dialect/Wave/IR/WaveTypes.h.inc"
#define GET_OP_CLASSES
#include "tlc/Dialect/Wave/IR/WaveOps.h.inc"

namespace tlc::wave {

/// On LDS accesses of tiles: [begin, end) of the tile in LDS, in bytes, all of
/// its copies.
inline constexpr llvm::StringLiteral kLdsAttr = "wave.lds";
/// With it, on accesses of a tile with rotating copies: [c, n], step t of the
/// innermost loop touches copy (t + c) mod n only.
inline constexpr llvm::StringLiteral kSlotAttr = "wave.slot";

/// On a barrier that orders accesses to global memory, too.
inline constexpr llvm::StringLiteral kSyncGlobalAttr = "wave.global";
/// On a loop whose lower bound is below its upper bound.
inline constexpr llvm::StringLiteral kNonEmptyAttr = "wave.non_empty";
/// On `wave.opaque`: equal values of different numbers stay apart.
inline constexpr llvm::StringLiteral kNumberAttr = "wave.number";
/// On a product that must be rounded by itself, not fused into a sum.
inline constexpr llvm::StringLiteral kExactAttr = "wave.exact";
/// On an addition of a reduction, whose order is open.
inline constexpr llvm::StringLiteral kReductionAttr = "wave.reduction";
/// On a kernel: `tile.lazy_maximum` (Tile/IR/Relaxations.h).
inline constexpr llvm::StringLiteral kLazyMaximumAttr = "wave.lazy_maximum";

/// Bytes of a scalar or vector value held by one lane.
int64_t getByteSize(mlir::Type type);

/// One matrix instruction of gfx942: an entry of the table in WaveDialect.cpp.
struct MfmaInfo {
  int64_t m, n, k;
  int64_t passes;       ///< 4 cycles each
  int64_t aRegs, bRegs; ///< elements of A and B a lane holds
  int64_t cRegs;        ///< elements of C a lane holds
};
/// The instruction for a shape and element types, if gfx942 has it.
std::optional<MfmaInfo> getMfma(int64_t m, int64_t n, int64_t k, mlir::Type a,
                                mlir::Type b, mlir::Type c);

} // namespace tlc::wave

#endif // TLC_DIALECT_WAVE_IR_WAVEDIALECT_H
