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

#include "StaticOp.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

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

/// Where the kernel's code ends: the size of its symbol, else its segment.
uint64_t endOf(const CodeObject &object, const KernelInfo &kernel,
               const Segment &segment) {
  for (const ObjectSymbol &symbol : object.symbols)
    if (symbol.value == kernel.entryAddress && symbol.size)
      return std::min(kernel.entryAddress + symbol.size,
                      segment.address + segment.fileSize);
  return segment.address + segment.fileSize;
}

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
  ControlFlow(Program &program, CodeTable &table, uint64_t begin,
              uint64_t end) {
    readBlocks(program, table, begin, end);
    findDominators();
  }

  std::vector<LoopCost> loops() const;

private:
  struct Block : LoopBlock {
    uint64_t last = 0; ///< address of the last instruction
    std::vector<unsigned> after, before;
  };
  using Set = std::vector<bool>; ///< of blocks

  void readBlocks(Program &program, CodeTable &table, uint64_t begin,
                  uint64_t end);
  void findDominators();
  Set bodyOf(unsigned head, const std::vector<unsigned> &latches) const;

  std::vector<Block> blocks;
  std::vector<Set> dominators; ///< of each block
};

void ControlFlow::readBlocks(Program &program, CodeTable &table, uint64_t begin,
                             uint64_t end) {
  std::vector<const StaticOp *> rows;
  std::set<uint64_t> heads = {begin};
  auto isBranch = [](const StaticOp &row) {
    return row.kind == IssueKind::Branch && row.op->inst->has(flag::Branch);
  };
  auto targetOf = [](const StaticOp &row) {
    return row.op->inst->branchTarget(row.op->address);
  };
  for (uint64_t pc = begin; pc < end;) {
    const Op *op = program.at(pc);
    if (!op)
      break;
    const StaticOp &row = table.get(*op);
    rows.push_back(&row);
    pc += row.sizeBytes;
    if (isBranch(row))
      heads.insert(targetOf(row));
    if (row.kind == IssueKind::Branch || row.special == Special::End)
      heads.insert(pc);
  }
  std::map<uint64_t, unsigned> numbers;
  std::vector<const StaticOp *> lasts;
  for (const StaticOp *row : rows) {
    uint64_t address = row->op->address;
    if (heads.count(address)) {
      numbers[address] = unsigned(blocks.size());
      blocks.emplace_back().begin = address;
      lasts.push_back(nullptr);
    }
    count(*row, blocks.back());
    blocks.back().last = address;
    blocks.back().end = address + row->sizeBytes;
    lasts.back() = row;
  }
  auto link = [&](unsigned from, uint64_t address) {
    auto to = numbers.find(address);
    if (to == numbers.end())
      return;
    blocks[from].after.push_back(to->second);
    blocks[to->second].before.push_back(from);
  };
  for (unsigned i = 0; i < blocks.size(); ++i) {
    const StaticOp &row = *lasts[i];
    bool falls = row.special != Special::End;
    if (isBranch(row)) {
      link(i, targetOf(row));
      falls = row.op->inst->op != Opcode::s_branch;
    } else if (row.kind == IssueKind::Branch) {
      falls = row.op->inst->op != Opcode::s_setpc_b64;
    }
    if (falls)
      link(i, blocks[i].end);
  }
}

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
  return ControlFlow(program, table, kernel.entryAddress,
                     endOf(object, kernel, *segment))
      .loops();
}
