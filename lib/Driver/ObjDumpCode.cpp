//===- ObjDumpCode.cpp - Annotated disassembly ------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function is decoded once; the targets of its branches become labels L0,
// L1, ... in order of address, and are named at the branch. A source line is
// printed where it changes. Bytes that are no instruction show as `.long`.
//
//   L0:
//   ; k.tile:7:24
//   00001634  buffer_load_dword v1, v0, s[4:7], 0 offen
//   00001654  s_cbranch_scc1 65527  ; -> L0 0x00001634
//
//===----------------------------------------------------------------------===//

#include "ObjDumpImpl.h"
#include "tlc/Simulator/Check/SourceLines.h"
#include "tlc/Simulator/Decode/Instruction.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Format.h"
#include <algorithm>
#include <map>
#include <vector>

using namespace llvm;
using namespace tlc;

namespace {

constexpr uint8_t FunctionType = 2; // STT_FUNC

struct Function {
  std::string name;
  uint64_t begin = 0, end = 0; // virtual addresses
};

/// A segment's bytes in the file.
ArrayRef<uint8_t> bytesOf(const sim::CodeObject &object,
                          const sim::Segment &segment) {
  return ArrayRef<uint8_t>(object.bytes)
      .slice(segment.fileOffset, segment.fileSize);
}

/// The executable segment around an address; null if there is none.
const sim::Segment *codeSegment(const sim::CodeObject &object,
                                uint64_t address) {
  for (const sim::Segment &segment : object.segments)
    if (segment.executable && address >= segment.address &&
        address - segment.address < segment.fileSize)
      return &segment;
  return nullptr;
}

/// Functions by address. A kernel without a function symbol starts at its
/// entry; whatever has no size ends where the next function or the segment
/// does.
std::vector<Function> functionsOf(const sim::CodeObject &object) {
  std::map<uint64_t, Function> byAddress;
  for (const sim::ObjectSymbol &symbol : object.symbols)
    if (symbol.defined && symbol.type == FunctionType)
      byAddress[symbol.value] = {symbol.name, symbol.value,
                                 symbol.value + symbol.size};
  for (const sim::KernelInfo &kernel : object.kernels)
    byAddress.try_emplace(
        kernel.entryAddress,
        Function{kernel.name, kernel.entryAddress, kernel.entryAddress});
  std::vector<Function> functions;
  for (auto it = byAddress.begin(); it != byAddress.end(); ++it) {
    Function function = it->second;
    const sim::Segment *segment = codeSegment(object, function.begin);
    if (!segment)
      continue;
    uint64_t limit = segment->address + segment->fileSize;
    auto next = std::next(it);
    if (next != byAddress.end())
      limit = std::min(limit, next->first);
    if (function.end <= function.begin || function.end > limit)
      function.end = limit;
    functions.push_back(function);
  }
  return functions;
}

/// A decoded instruction, or a dword that is none.
struct Line {
  uint64_t address;
  bool known;
  sim::Instruction inst;
};

/// Whether its constant is a distance to jump.
bool branches(const sim::Instruction &inst) {
  return sim::opcodeInfo(inst.op).constant == sim::ConstantKind::Branch;
}

/// One function: label lines, source lines, instructions.
void printFunction(raw_ostream &os, const sim::CodeObject &object,
                   const Function &function, const ObjDumpOptions &options,
                   sim::SourceLines &source) {
  const sim::Segment *segment = codeSegment(object, function.begin);
  ArrayRef<uint8_t> bytes = bytesOf(object, *segment);
  std::vector<Line> lines;
  std::map<uint64_t, unsigned> labels; // address to number
  // First pass: decode, and collect the targets of branches.
  for (uint64_t at = function.begin; at + 4 <= function.end;) {
    Line line{at, false, {}};
    line.known = sim::decode(bytes, at - segment->address, line.inst);
    if (line.known && branches(line.inst))
      labels[line.inst.branchTarget(at)] = 0;
    at += line.known ? line.inst.sizeBytes : 4;
    lines.push_back(line);
  }
  unsigned number = 0;
  for (auto &label : labels)
    label.second = number++;

  os << format_hex(function.begin, 10) << " <" << function.name << ">:\n";
  std::string lastSource;
  // Second pass: print. A target inside an instruction has no label line of its
  // own, but its address shows.
  for (const Line &line : lines) {
    if (auto label = labels.find(line.address); label != labels.end())
      os << "L" << label->second << ":\n";
    if (options.lines) {
      std::string where = source.at(line.address);
      if (!where.empty() && where != lastSource)
        os << "; " << where << '\n';
      lastSource = where;
    }
    uint64_t offset = line.address - segment->address;
    os << format_hex_no_prefix(line.address, 8) << "  ";
    if (options.raw) {
      unsigned size = line.known ? line.inst.sizeBytes : 4;
      // Two columns of dwords, so that mnemonics line up.
      for (unsigned i = 0; i < 8; i += 4)
        if (i < size)
          os << format_hex_no_prefix(
                    support::endian::read32le(bytes.data() + offset + i), 8)
             << ' ';
        else
          os.indent(9);
      os << ' ';
    }
    if (!line.known) {
      os << ".long "
         << format_hex(support::endian::read32le(bytes.data() + offset), 10)
         << '\n';
      continue;
    }
    os << sim::toString(line.inst);
    if (branches(line.inst)) {
      uint64_t target = line.inst.branchTarget(line.address);
      os << "  ; -> ";
      if (target >= function.begin && target < function.end)
        os << 'L' << labels[target] << ' ';
      os << format_hex(target, 10);
    }
    os << '\n';
  }
}

} // namespace

/// All functions, or the one that holds the chosen kernel's entry.
void tlc::printCode(raw_ostream &os, const sim::CodeObject &object,
                    const ObjDumpOptions &options) {
  sim::SourceLines source(object.bytes);
  const sim::KernelInfo *only =
      options.kernel.empty() ? nullptr : object.findKernel(options.kernel);
  for (const Function &function : functionsOf(object)) {
    if (only && (only->entryAddress < function.begin ||
                 only->entryAddress >= function.end))
      continue;
    os << '\n';
    printFunction(os, object, function, options, source);
  }
}
