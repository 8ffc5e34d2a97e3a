//===- LaneMoves.h - Where a lane's value comes from ------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lane numbers of DPP and ds_swizzle, and the rows and columns of the matrix
// results that a lane holds.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_CHECK_LANEMOVES_H
#define TLC_LIB_SIMULATOR_CHECK_LANEMOVES_H

#include "tlc/Simulator/Execute/Wave.h"

namespace tlc::sim {

/// The lane that DPP reads for \p lane; -1: outside its row or wavefront.
int dppSourceLane(unsigned ctrl, unsigned lane);

/// The lane that ds_swizzle_b32 reads for \p lane; -1: unknown mode.
int swizzleSourceLane(unsigned offset, unsigned lane);

/// Rows and columns of dense MFMA of one block, by the lane layout: A and B
/// have their row or column number in the lane's low bits.
struct MatrixRows {
  bool known = false;
  unsigned size = 0; // 16 or 32
  bool isDouble = false;

  /// Rows (A) or columns (B) with an undefined lane.
  uint64_t inputs(uint64_t lanes) const;
  unsigned row(unsigned dword, unsigned lane) const;
  unsigned column(unsigned lane) const { return lane % size; }
};
MatrixRows matrixRowsOf(const Instruction &inst);

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_CHECK_LANEMOVES_H
