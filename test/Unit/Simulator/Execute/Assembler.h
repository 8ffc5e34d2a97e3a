//===- Assembler.h - Kernels written in assembly ----------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests of single instructions: the body of a kernel is assembled and linked by
// the clang that CMake found. The kernel is one wavefront; s[0:1] points to its
// arguments, v0 is the lane. Registers v0 to v255 and a0 to a255 are there.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_TEST_UNIT_SIMULATOR_EXECUTE_ASSEMBLER_H
#define TLC_TEST_UNIT_SIMULATOR_EXECUTE_ASSEMBLER_H

#include "TestSupport.h"

namespace tlc::test {

struct AsmKernel {
  std::string name, body;
  unsigned ldsBytes = 0;
  unsigned scratchBytes = 0;
  unsigned vgprs = 512; ///< of both kinds, the upper half accumulators
};

/// The code object of these kernels, or nothing if it could not be made (the
/// test has failed then).
std::vector<uint8_t> assemble(const std::vector<AsmKernel> &kernels);

inline bool hasAssembler() { return TLC_HIP_COMPILER[0] != 0; }

/// Runs one instruction over many values: `code` computes from v[1] (and v[2],
/// v[3], the second and third input, 32 bits each) the registers v[4] and v[5].
/// Returns v4 and v5 of every element.
struct TwoResults {
  std::vector<uint32_t> low, high;
};
TwoResults mapInstruction(const std::string &code,
                          const std::vector<uint32_t> &first,
                          const std::vector<uint32_t> &second = {},
                          const std::vector<uint32_t> &third = {});

} // namespace tlc::test

#endif // TLC_TEST_UNIT_SIMULATOR_EXECUTE_ASSEMBLER_H
