//===- FaultReport.cpp - Faults as text -----------------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A report has three lines: what happened and to which data; the instruction,
// by device address, by its place in the object (what a disassembler shows) and
// from the kernel's entry; and who ran it. The text is made once a launch, so
// nothing here is in a hurry.
//
//===----------------------------------------------------------------------===//

#include "FaultReport.h"

#include "tlc/Simulator/Check/SourceLines.h"

#include <fmt/format.h>

#include <cstring>

using namespace tlc::sim;

namespace {

/// An allocation as the user knows it: its number in order of allocation, its
/// name if a launch gave one, size and place.
std::string nameOf(const Allocation &allocation) {
  std::string name =
      allocation.name.empty() ? "" : " '" + allocation.name + "'";
  return fmt::format("allocation {}{} ({} bytes at {:#x})", allocation.number,
                     name, allocation.size, allocation.base);
}

/// Where the address lies, in terms of the allocations.
std::string place(const DeviceMemory &memory, const Fault &fault) {
  const Allocation *holder = memory.find(fault.address);
  if (holder && holder->freed)
    return fmt::format(", {} bytes into the freed {}",
                       fault.address - holder->base, nameOf(*holder));
  if (holder)
    return fmt::format(", which crosses the end of {}", nameOf(*holder));
  const Allocation *near = memory.nearest(fault.address);
  if (!near)
    return ", and nothing is allocated";
  if (fault.address < near->base)
    return fmt::format(", {} bytes before {}", near->base - fault.address,
                       nameOf(*near));
  return fmt::format(", {} bytes past the end of {}",
                     fault.address - (near->base + near->size), nameOf(*near));
}

/// The instruction's words, as a disassembler prints them.
std::string encodingOf(const Program &program, const Op &op) {
  uint64_t offset = op.address - program.base();
  std::string text;
  unsigned bytes = std::max<unsigned>(op.inst->sizeBytes, 4);
  for (unsigned i = 0;
       i + 4 <= bytes && offset + i + 4 <= program.bytes().size(); i += 4) {
    uint32_t word;
    std::memcpy(&word, program.bytes().data() + offset + i, 4);
    text += fmt::format("{}{:08x}", i ? " " : "", word);
  }
  return text;
}

/// The fault in words. Faults with `bytes` are accesses; the others bring a
/// text of their own.
std::string what(const LaunchContext &context, const Workgroup &group) {
  const Fault &fault = group.fault;
  std::string kind = fault.kind;
  if (fault.bytes) {
    std::string text =
        fmt::format("{} of {} bytes at {:#x}", fault.isStore ? "store" : "load",
                    fault.bytes, fault.address);
    if (kind.starts_with("lds"))
      return text + fmt::format(", beyond the {} bytes of LDS of the workgroup",
                                group.ldsBytes);
    // malloc on the device wants a heap that a runtime has prepared.
    constexpr uint64_t nearNull = 1 << 16;
    if (fault.address < nearNull)
      for (const KernelArgument &argument : context.request.kernel->arguments)
        if (argument.valueKind == "hidden_heap_v1")
          return text + ", near null; the kernel can call malloc, which has no "
                        "heap here";
    if (kind.starts_with("scratch"))
      return text + fmt::format(", beyond the {} bytes of scratch of a lane",
                                group.waves->privateBytes);
    return text + place(context.memory, fault);
  }
  if (kind == "unsupported-instruction" && !fault.detail)
    return "this instruction is not simulated";
  if (kind == "instruction-limit")
    return fmt::format("the launch executed its limit of {} instructions",
                       context.options.instructionLimit);
  std::string text = fault.detail ? fault.detail : "";
  if (fault.address)
    text += fmt::format("{}to {:#x}", text.empty() ? "" : " ", fault.address);
  return text;
}

/// The message and the place it is about, with the source line if the object
/// has DWARF.
Finding describe(const LaunchContext &context, const char *kind,
                 const std::string &message, const Op &op,
                 const uint32_t group[3], unsigned wave, int lane) {
  const LaunchRequest &request = context.request;
  uint64_t entry = request.object->deviceAddress(request.kernel->entryAddress);
  uint64_t inObject = op.address - request.object->deviceAddress(0);
  SourceLines lines(request.object->object().bytes);
  std::string source = lines.at(inObject);
  std::string disassembly =
      op.inst->op == Opcode::Invalid ? "(no instruction)" : toString(*op.inst);
  Finding finding;
  finding.kind = kind;
  finding.text =
      fmt::format("kernel '{}': {}: {}\n"
                  "  at {:#x} ({:#x} in the object, entry{:+#x}): {}  [{}]\n"
                  "  workgroup ({},{},{}), wavefront {}{}{}{}",
                  request.kernel->name, kind, message, op.address, inObject,
                  static_cast<int64_t>(op.address - entry), disassembly,
                  encodingOf(context.program, op), group[0], group[1], group[2],
                  wave, lane >= 0 ? fmt::format(", lane {}", lane) : "",
                  source.empty() ? "" : "\n  source ", source);
  return finding;
}

} // namespace

Finding tlc::sim::describeFault(const LaunchContext &context,
                                const Workgroup &group) {
  return describe(context, group.fault.kind, what(context, group),
                  *group.faultOp, group.id, group.faultWave->number,
                  group.fault.lane);
}

Finding tlc::sim::describeFinding(const LaunchContext &context,
                                  const CheckFinding &finding) {
  Finding described =
      describe(context, finding.kind, finding.message, *finding.op,
               finding.group, finding.wave, finding.lane);
  described.isNote = std::string_view(finding.kind) == waitStatesNote;
  return described;
}
