//===- GemmLayouts.h - Register layouts of a gemm on the matrix core ------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything about how a `tile.gemm` sits on wavefronts and MFMA instructions
// follows from its `mfma` attribute; this file is the one place that knows how.
//
// An m x m x k instruction (m is 32 or 16) multiplies a row operand by a column
// operand. Each lane holds, of either operand, row (lane mod m) and `kRegs`
// consecutive k; of the result, one column and groups of four rows. `swapped`
// gives the instruction's row operand to B and its column operand to A: a lane
// then holds one row i of C and groups of four consecutive columns j, which is
// again an operand's layout. That is what lets S = QK^T feed O = PV in place.
//
// Which k a (step, lane group, register) triple means is free as long as both
// operands agree: `kDigits` says what they agree on. A fragment operand that
// already has a layout decides; otherwise a lane takes as many consecutive k as
// one 16-byte LDS read brings.
//
// Which row of an operand a lane and a repetition of the instruction mean is
// free too. Mostly lane l of repetition r has row l + m r. An operand that LDS
// holds across k gives lane l rows runN l + r instead: consecutive ones, which
// are read together for one k and exchanged with those of other k in registers.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_DIALECT_TILE_TRANSFORMS_GEMMLAYOUTS_H
#define TLC_DIALECT_TILE_TRANSFORMS_GEMMLAYOUTS_H

#include "tlc/Dialect/Tile/IR/TileDialect.h"

namespace tlc::tile {

/// The decoded `mfma` attribute.
struct GemmConfig {
  int64_t m = 0; ///< rows and columns of one instruction: 32 or 16
  int64_t k = 0; ///< its depth
  int64_t wavesM = 1, wavesN = 1;
  bool swapped = true;
  /// Consecutive rows of A (columns of B) that a lane has in consecutive
  /// repetitions, so that one LDS read along them brings all.
  int64_t runM = 1, runN = 1;

  int64_t kLanes() const { return 64 / m; }    ///< lane groups along k
  int64_t kRegs() const { return m * k / 64; } ///< k a lane holds per step
  int64_t accRegs() const { return m * m / 64; }
  int64_t repsM(int64_t M) const { return llvm::divideCeil(M, m * wavesM); }
  int64_t repsN(int64_t N) const { return llvm::divideCeil(N, m * wavesN); }
};

/// The element types the instruction sees: operands are widened (OCP fp8 to
/// f16) where gfx942 has no instruction for theirs, accumulators are f32 or
/// i32. `failure` where nothing fits.
struct GemmTypes {
  mlir::Type operandA, operandB, accumulator;
};
mlir::FailureOr<GemmTypes> getGemmTypes(GemmOp gemm);

/// Depth of the m x m instruction for a pair of operand types.
int64_t getInstructionK(int64_t m, mlir::Type operand);

/// Decodes the attribute, which must be present.
GemmConfig getGemmConfig(GemmOp gemm);

/// The longest run of `extent` rows of which an instruction of all wavefronts
/// takes `rows`: as many as a lane has k of a step, or fewer.
int64_t longestRun(int64_t extent, int64_t rows);

/// The best configuration with m x m instructions; its cost in matrix cycles
/// of one wavefront plus LDS read cycles that matrix work cannot hide. `runs`:
/// which operands are read in runs of rows, or, where there are none, two bytes
/// at a time.
struct GemmChoice {
  GemmConfig config;
  double cost;
};
GemmChoice chooseGemmConfig(GemmOp gemm, const GemmTypes &types,
                            int64_t threads, int64_t m,
                            std::array<bool, 2> runs = {});

/// Layout of C over (M, N).
Layout getAccumulatorLayout(GemmOp gemm);

/// The digits of k both operands use: one thread digit (the lane groups), the
/// rest registers, whose strides count k registers from 1.
Layout::Digits getKDigits(GemmOp gemm);

/// Layout of operand 0 (A) or 1 (B) over (rows, k), rows being M or N.
/// Register slots: k digits first, then repetitions of rows.
Layout getOperandLayout(GemmOp gemm, unsigned operand);

/// The same over the last two dimensions of the operand's buffer.
Layout getOperandBufferLayout(GemmOp gemm, unsigned operand);

/// Whether operand `operand` is read along k in its buffer's last dimension.
bool isKInnermost(GemmOp gemm, unsigned operand);

/// Whether a fragment laid out so over (rows, k) can feed the instruction
/// where it is: its rows sit on the lanes and wavefronts the gemm wants, its k
/// on one lane digit and registers.
bool canFeed(GemmOp gemm, unsigned operand, const Layout &rowsByK);

/// A layout of the last two dimensions as (rows, k) of an operand.
Layout asRowsByK(GemmOp gemm, unsigned operand, const Layout &buffer);

} // namespace tlc::tile

#endif // TLC_DIALECT_TILE_TRANSFORMS_GEMMLAYOUTS_H
