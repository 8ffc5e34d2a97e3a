//===- LoopCosts.h - Cycles of a kernel's loops, unexecuted -----*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What one trip of each loop of a kernel asks of a SIMD, read off its code by
// the timing model's own table of instructions: no waits, no conflicts, no
// other wavefront. A loop whose matrix cycles exceed the vector cycles beside
// them can keep the matrix core busy.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_SIMULATOR_TIMING_LOOPCOSTS_H
#define TLC_SIMULATOR_TIMING_LOOPCOSTS_H

#include "tlc/Simulator/Memory/CodeObject.h"
#include "tlc/Simulator/Timing/Timing.h"
#include <vector>

namespace tlc::sim {

/// What a piece of code does when a wavefront goes through it once; cycles are
/// of its SIMD.
struct Work {
  unsigned instructions = 0;
  std::array<unsigned, issueKinds> byKind = {}; ///< instructions
  unsigned waits = 0, barriers = 0;             ///< among the Internal ones
  unsigned scratch = 0; ///< accesses to private memory, spills mostly
  uint64_t matrixCycles = 0;
  /// Vector and transcendental instructions, without those of the matrix core.
  uint64_t vectorCycles = 0;
  uint64_t matrixIssueCycles = 0;
  uint64_t ldsCycles = 0; ///< the larger direction of the LDS port

  /// Cycles of the vector ALU, the matrix core's issue included.
  uint64_t issueCycles() const { return vectorCycles + matrixIssueCycles; }
  void add(const Work &other);
};

/// Instructions that are executed one after the other.
struct LoopBlock : Work {
  uint64_t begin = 0, end = 0; ///< virtual addresses; `end` is behind it
  bool always = true;          ///< once in each trip
};

/// A loop without the loops within. What lies behind a branch counts apart.
struct LoopCost {
  uint64_t begin = 0;  ///< virtual address of the first instruction
  uint64_t branch = 0; ///< of the last branch back
  unsigned depth = 0;  ///< loops around it
  Work always;         ///< in each trip
  Work sometimes;      ///< at most
  std::vector<LoopBlock> blocks;
};

/// The loops of a kernel, in order of their first instructions. Empty where
/// the code cannot be read.
std::vector<LoopCost> loopCosts(const CodeObject &object,
                                const KernelInfo &kernel);

} // namespace tlc::sim

#endif // TLC_SIMULATOR_TIMING_LOOPCOSTS_H
