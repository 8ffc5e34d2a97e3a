//===- EmitSchedule.h - A loop from its placement ---------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_DIALECT_WAVE_TRANSFORMS_EMITSCHEDULE_H
#define TLC_LIB_DIALECT_WAVE_TRANSFORMS_EMITSCHEDULE_H

#include "Placement.h"

namespace tlc::wave {

/// Replaces graph.loop by the loop that `placement` describes, preceded by what
/// its first iterations need. Returns the new loop; null if one iteration in
/// line is all. With \p pin, slots are closed with scheduling barriers.
mlir::scf::ForOp emitSchedule(LoopGraph &graph, const Placement &placement,
                              bool pin);

/// What counts the loop's iterations modulo two, plus a constant: which copy of
/// a doubled tile a step uses. That constant, if \p op is such.
std::optional<int64_t> matchCopy(mlir::Operation *op, mlir::scf::ForOp loop);

/// Whether any tile of the loop rotates through two copies.
bool usesCopies(LoopGraph &graph);

/// Iterations that a turn of the loop does best, where they overlap.
int rowsOfTurn(LoopGraph &graph);

/// Whether the kernel comes to the loop once, without having used LDS or
/// written memory: a barrier before the loop's first access orders nothing.
bool isFirstInLds(mlir::scf::ForOp loop);

/// Lets the first loads go ahead of all else and replaces the constants among
/// the values that a loop, which will stand where \p b does, begins with.
void beginEarly(mlir::OpBuilder &b, mlir::scf::ForOp loop,
                mlir::MutableArrayRef<mlir::Value> values);

/// Issues the loads from global memory among the ops from \p first on, before
/// \p end in the same block, together and as early as those before them.
void hoistLoads(mlir::Operation *first, mlir::Operation *end);

} // namespace tlc::wave

#endif // TLC_LIB_DIALECT_WAVE_TRANSFORMS_EMITSCHEDULE_H
