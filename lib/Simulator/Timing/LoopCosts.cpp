//===- LoopCosts.cpp - Cycles of a kernel's loops, unexecuted -------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops are found by their backward branches: compilers lay a loop out as one
// piece of code that ends in a branch to its head. Blocks that were moved out
// of the loop (cold ones) do not count.
//
//===----------------------------------------------------------------------===//

#include "tlc/Simulator/Timing/LoopCosts.h"

#include "StaticOp.h"

#include <algorithm>
#include <memory>

using namespace tlc::sim;

namespace {

/// Where the kernel's code ends: the size of its symbol, else its segment.
uint64_t endOf(const CodeObject &object, const KernelInfo &kernel,
               const Segment &segment) {
  for (const ObjectSymbol &symbol : object.symbols)
    if (symbol.value == kernel.entryAddress && symbol.size)
      return std::min(kernel.entryAddress + symbol.size,
                      segment.address + segment.fileSize);
  return segment.address + segment.fileSize;
}

/// Adds one instruction to what a turn of the loop costs.
void count(const StaticOp &row, LoopCost &loop) {
  const Instruction &inst = *row.op->inst;
  ++loop.instructions;
  ++loop.byKind[size_t(row.kind)];
  loop.waits += row.special == Special::WaitCnt;
  loop.barriers += row.special == Special::Barrier;
  loop.scratch += std::string_view(mnemonic(inst.op)).starts_with("scratch_");
  if (row.kind == IssueKind::Matrix) {
    loop.matrixCycles += row.matrixCycles;
    loop.matrixIssueCycles += row.vectorCycles;
  } else if (row.kind == IssueKind::Vector ||
             row.kind == IssueKind::Transcendental) {
    loop.vectorCycles += row.vectorCycles;
  } else if (row.kind == IssueKind::Lds) {
    loop.ldsCycles += std::max(row.ldsIn, row.ldsOut);
  }
}

} // namespace

/// Reads the object only: nothing is run. In order of the loops' heads; outer
/// loops before inner ones of the same head.
std::vector<LoopCost> tlc::sim::loopCosts(const CodeObject &object,
                                          const KernelInfo &kernel) {
  auto segment = std::find_if(
      object.segments.begin(), object.segments.end(), [&](const Segment &s) {
        return s.executable && kernel.entryAddress >= s.address &&
               kernel.entryAddress < s.address + s.fileSize;
      });
  if (segment == object.segments.end())
    return {};
  Program program(
      {object.bytes.data() + segment->fileOffset, size_t(segment->fileSize)},
      segment->address, RegisterLimits());
  CodeTable table(program);
  uint64_t end = endOf(object, kernel, *segment);

  // All instructions in a row, and the branches that go back.
  std::vector<const StaticOp *> rows;
  std::vector<LoopCost> loops;
  for (uint64_t pc = kernel.entryAddress; pc < end;) {
    const Op *op = program.at(pc);
    if (!op)
      break;
    const StaticOp &row = table.get(*op);
    rows.push_back(&row);
    if (row.kind == IssueKind::Branch && op->inst->has(flag::Branch)) {
      uint64_t target = op->inst->branchTarget(pc);
      if (target <= pc && target >= kernel.entryAddress) {
        // Several ways back to one head are one loop.
        auto same =
            std::find_if(loops.begin(), loops.end(),
                         [&](const LoopCost &l) { return l.begin == target; });
        if (same == loops.end()) {
          loops.emplace_back().begin = target;
          same = loops.end() - 1;
        }
        same->branch = pc;
      }
    }
    pc += row.sizeBytes;
  }
  std::sort(
      loops.begin(), loops.end(), [](const LoopCost &a, const LoopCost &b) {
        return a.begin != b.begin ? a.begin < b.begin : a.branch > b.branch;
      });
  auto contains = [](const LoopCost &l, uint64_t pc) {
    return pc >= l.begin && pc <= l.branch;
  };
  for (LoopCost &loop : loops)
    for (const LoopCost &other : loops)
      loop.depth += &other != &loop && contains(other, loop.begin) &&
                    contains(other, loop.branch);
  // Each instruction belongs to the innermost loop around it.
  for (const StaticOp *row : rows) {
    LoopCost *inner = nullptr;
    for (LoopCost &loop : loops)
      if (contains(loop, row->op->address) &&
          (!inner || loop.depth >= inner->depth))
        inner = &loop;
    if (inner)
      count(*row, *inner);
  }
  return loops;
}
