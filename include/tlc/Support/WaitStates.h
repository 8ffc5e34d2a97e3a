//===- WaitStates.h - Instructions that must stand between ------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dependences for which gfx942 does not wait, in wait states: as many other
// instructions (an s_nop N is N + 1) must be issued between a write and a use.
// The schedule leaves room for them, and the simulator's hazard checker demands
// them.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_SUPPORT_WAITSTATES_H
#define TLC_SUPPORT_WAITSTATES_H

namespace tlc {

/// The pipelines of matrix instructions.
enum class MatrixPipe {
  Core,  ///< the matrix core ("XDL")
  Float, ///< f32
  Double ///< f64
};

/// From a matrix instruction of so many passes to a vector instruction, or an
/// operand A or B of a matrix instruction, that reads its result.
constexpr unsigned statesToRead(MatrixPipe pipe, unsigned passes) {
  if (pipe == MatrixPipe::Double)
    return passes == 4 ? 6 : 11;
  return passes + (pipe == MatrixPipe::Core ? 3 : 2);
}

/// The same to a memory instruction.
constexpr unsigned statesToStore(MatrixPipe pipe, unsigned passes) {
  if (pipe == MatrixPipe::Double)
    return passes == 4 ? 9 : 18;
  return statesToRead(pipe, passes);
}

/// From a vector instruction that writes a register to a matrix instruction
/// that reads it.
constexpr unsigned kVectorToMatrixStates = 2;
/// From a dot product to any use of its result but as another one's sum.
constexpr unsigned kDotStates = 3;

} // namespace tlc

#endif // TLC_SUPPORT_WAITSTATES_H
