//===- CodeBlocks.h - A kernel's code in straight pieces --------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The control flow of machine code: pieces without a branch into or out of
// their middle, and which may follow which. For those that look at a kernel
// without running it.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_TIMING_CODEBLOCKS_H
#define TLC_LIB_SIMULATOR_TIMING_CODEBLOCKS_H

#include "StaticOp.h"
#include "tlc/Simulator/Memory/CodeObject.h"
#include <vector>

namespace tlc::sim {

struct CodeBlock {
  uint64_t begin = 0, end = 0; ///< virtual addresses; `end` is behind it
  std::vector<const StaticOp *> ops;
  std::vector<unsigned> after, before; ///< numbers of blocks
};

/// The code of one kernel, decoded, in the order of addresses.
class KernelCode {
public:
  /// No blocks where the code cannot be read. `object` must outlive this.
  KernelCode(const CodeObject &object, const KernelInfo &kernel,
             RegisterLimits limits = RegisterLimits());

  const std::vector<CodeBlock> &blocks() const { return pieces; }

private:
  void readBlocks(uint64_t begin, uint64_t end);

  std::unique_ptr<Program> program;
  std::unique_ptr<CodeTable> table;
  std::vector<CodeBlock> pieces;
};

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_TIMING_CODEBLOCKS_H
