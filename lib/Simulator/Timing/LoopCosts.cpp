//===- LoopCosts.cpp - Cycles of a kernel's loops, unexecuted -------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Natural loops of the machine code: a branch to a block that dominates it goes
// back, and the loop is what reaches the branch without passing the head. So
// blocks count that a compiler has moved behind the loop, and those that only
// some trips go through are told apart: they do not dominate every way back.
//
//===----------------------------------------------------------------------===//

#include "tlc/Simulator/Timing/LoopCosts.h"

#include "CodeBlocks.h"

#include <algorithm>
#include <map>

using namespace tlc::sim;

void Work::add(const Work &other) {
  instructions += other.instructions;
  for (size_t i = 0; i < byKind.size(); ++i)
    byKind[i] += other.byKind[i];
  waits += other.waits;
  barriers += other.barriers;
  scratch += other.scratch;
  matrixCycles += other.matrixCycles;
  vectorCycles += other.vectorCycles;
  matrixIssueCycles += other.matrixIssueCycles;
  ldsCycles += other.ldsCycles;
}

namespace {

void count(const StaticOp &row, Work &work) {
  const Instruction &inst = *row.op->inst;
  ++work.instructions;
  ++work.byKind[size_t(row.kind)];
  work.waits += row.special == Special::WaitCnt;
  work.barriers += row.special == Special::Barrier;
  work.scratch += std::string_view(mnemonic(inst.op)).starts_with("scratch_");
  if (row.kind == IssueKind::Matrix) {
    work.matrixCycles += row.matrixCycles;
    work.matrixIssueCycles += row.vectorCycles;
  } else if (row.kind == IssueKind::Vector ||
             row.kind == IssueKind::Transcendental) {
    work.vectorCycles += row.vectorCycles;
  } else if (row.kind == IssueKind::Lds) {
    work.ldsCycles += std::max(row.ldsIn, row.ldsOut);
  }
}

class ControlFlow {
public:
  explicit ControlFlow(const KernelCode &code) {
    for (const CodeBlock &piece : code.blocks()) {
      Block &block = blocks.emplace_back();
      block.begin = piece.begin;
      block.end = piece.end;
      block.last = piece.ops.back()->op->address;
      block.after = piece.after;
      block.before = piece.before;
      for (const StaticOp *row : piece.ops)
        count(*row, block);
    }
    findDominators();
  }

  std::vector<LoopCost> loops() const;

private:
  struct Block : LoopBlock {
    uint64_t last = 0; ///< address of the last instruction
    std::vector<unsigned> after, before;
  };
  using Set = std::vector<bool>; ///< of blocks

  void findDominators();
  Set bodyOf(unsigned head, const std::vector<unsigned> &latches) const;

  std::vector<Block> blocks;
  std::vector<Set> dominators; ///< of each block
};

void ControlFlow::findDominators() {
  dominators.assign(blocks.size(), Set(blocks.size(), true));
  if (blocks.empty())
    return;
  dominators[0].assign(blocks.size(), false);
  dominators[0][0] = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned i = 1; i < blocks.size(); ++i) {
      Set all(blocks.size(), !blocks[i].before.empty());
      for (unsigned from : blocks[i].before)
        for (unsigned b = 0; b < blocks.size(); ++b)
          all[b] = all[b] && dominators[from][b];
      all[i] = true;
      if (all != dominators[i]) {
        dominators[i] = std::move(all);
        changed = true;
      }
    }
  }
}

ControlFlow::Set
ControlFlow::bodyOf(unsigned head, const std::vector<unsigned> &latches) const {
  Set body(blocks.size());
  body[head] = true;
  std::vector<unsigned> work;
  auto take = [&](unsigned block) {
    if (!body[block])
      work.push_back(block);
    body[block] = true;
  };
  for (unsigned latch : latches)
    take(latch);
  while (!work.empty()) {
    unsigned block = work.back();
    work.pop_back();
    for (unsigned from : blocks[block].before)
      take(from);
  }
  return body;
}

std::vector<LoopCost> ControlFlow::loops() const {
  std::map<unsigned, std::vector<unsigned>> latches; // by head
  for (unsigned i = 0; i < blocks.size(); ++i)
    for (unsigned to : blocks[i].after)
      if (dominators[i][to])
        latches[to].push_back(i);
  std::vector<Set> bodies;
  for (const auto &[head, ends] : latches)
    bodies.push_back(bodyOf(head, ends));
  auto sizeOf = [](const Set &body) {
    return std::count(body.begin(), body.end(), true);
  };
  std::vector<LoopCost> result(bodies.size());
  size_t number = 0;
  for (const auto &[head, ends] : latches) {
    LoopCost &loop = result[number];
    const Set &body = bodies[number++];
    loop.begin = blocks[head].begin;
    for (unsigned latch : ends)
      loop.branch = std::max(loop.branch, blocks[latch].last);
    for (const Set &other : bodies)
      loop.depth += other[head] && sizeOf(other) > sizeOf(body);
    for (unsigned i = 0; i < blocks.size(); ++i) {
      // A block belongs to the innermost loop around it.
      bool isOwn = body[i];
      for (const Set &other : bodies)
        isOwn &= !(other[i] && sizeOf(other) < sizeOf(body));
      if (!isOwn)
        continue;
      LoopBlock block = blocks[i];
      block.always = std::all_of(ends.begin(), ends.end(), [&](unsigned latch) {
        return dominators[latch][i];
      });
      (block.always ? loop.always : loop.sometimes).add(block);
      loop.blocks.push_back(block);
    }
  }
  return result;
}

} // namespace

/// Reads the object only: nothing is run. Empty if the entry lies in no code.
std::vector<LoopCost> tlc::sim::loopCosts(const CodeObject &object,
                                          const KernelInfo &kernel) {
  KernelCode code(object, kernel);
  return ControlFlow(code).loops();
}
