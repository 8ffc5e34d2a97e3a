//===- CodeBlocks.cpp - A kernel's code in straight pieces ----------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One pass finds the heads: the entry, targets of branches, what stands behind
// a branch. A second cuts there, a third links.
//
//===----------------------------------------------------------------------===//

#include "CodeBlocks.h"

#include <algorithm>
#include <map>
#include <set>

using namespace tlc::sim;

/// Where the kernel's code ends: the size of its symbol, else its segment.
static uint64_t endOf(const CodeObject &object, const KernelInfo &kernel,
                      const Segment &segment) {
  for (const ObjectSymbol &symbol : object.symbols)
    if (symbol.value == kernel.entryAddress && symbol.size)
      return std::min(kernel.entryAddress + symbol.size,
                      segment.address + segment.fileSize);
  return segment.address + segment.fileSize;
}

KernelCode::KernelCode(const CodeObject &object, const KernelInfo &kernel,
                       RegisterLimits limits) {
  auto segment = std::find_if(
      object.segments.begin(), object.segments.end(), [&](const Segment &s) {
        return s.executable && kernel.entryAddress >= s.address &&
               kernel.entryAddress < s.address + s.fileSize;
      });
  if (segment == object.segments.end())
    return;
  program = std::make_unique<Program>(
      std::span<const uint8_t>(object.bytes.data() + segment->fileOffset,
                               size_t(segment->fileSize)),
      segment->address, limits);
  table = std::make_unique<CodeTable>(*program);
  readBlocks(kernel.entryAddress, endOf(object, kernel, *segment));
}

void KernelCode::readBlocks(uint64_t begin, uint64_t end) {
  std::vector<const StaticOp *> rows;
  std::set<uint64_t> heads = {begin};
  auto isBranch = [](const StaticOp &row) {
    return row.kind == IssueKind::Branch && row.op->inst->has(flag::Branch);
  };
  auto targetOf = [](const StaticOp &row) {
    return row.op->inst->branchTarget(row.op->address);
  };
  for (uint64_t pc = begin; pc < end;) {
    const Op *op = program->at(pc);
    if (!op)
      break;
    const StaticOp &row = table->get(*op);
    rows.push_back(&row);
    pc += row.sizeBytes;
    if (isBranch(row))
      heads.insert(targetOf(row));
    if (row.kind == IssueKind::Branch || row.special == Special::End)
      heads.insert(pc);
  }
  std::map<uint64_t, unsigned> numbers;
  for (const StaticOp *row : rows) {
    uint64_t address = row->op->address;
    if (heads.count(address)) {
      numbers[address] = unsigned(pieces.size());
      pieces.emplace_back().begin = address;
    }
    pieces.back().ops.push_back(row);
    pieces.back().end = address + row->sizeBytes;
  }
  auto link = [&](unsigned from, uint64_t address) {
    auto to = numbers.find(address);
    if (to == numbers.end())
      return;
    pieces[from].after.push_back(to->second);
    pieces[to->second].before.push_back(from);
  };
  for (unsigned i = 0; i < pieces.size(); ++i) {
    const StaticOp &row = *pieces[i].ops.back();
    bool falls = row.special != Special::End;
    if (isBranch(row)) {
      link(i, targetOf(row));
      falls = row.op->inst->op != Opcode::s_branch;
    } else if (row.kind == IssueKind::Branch) {
      falls = row.op->inst->op != Opcode::s_setpc_b64;
    }
    if (falls)
      link(i, pieces[i].end);
  }
}
