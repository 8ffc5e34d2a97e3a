//===- FromTiming.cpp - Reports from the timing model ---------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The model counts by instruction address; the code object has the bytes at
// these addresses and, in its line table, where they come from. Who is to blame
// for a wait is decided in ChargeWaits.cpp.
//
//===----------------------------------------------------------------------===//

#include "FromTiming.h"
#include "tlc/Simulator/Decode/Instruction.h"
#include "tlc/Simulator/Timing/Parameters.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>

using namespace tlc;
using namespace tlc::report;
using llvm::StringRef;
namespace param = sim::param;

/// Causes as the model counts them, by what the report calls them; several may
/// share a name.
static Stall stallOf(sim::StallCause cause) {
  switch (cause) {
  case sim::StallCause::VectorMemory:
    return Stall::VectorMemory;
  case sim::StallCause::Lds:
    return Stall::Lds;
  case sim::StallCause::ScalarMemory:
    return Stall::ScalarMemory;
  case sim::StallCause::Barrier:
    return Stall::Barrier;
  case sim::StallCause::MatrixCore:
    return Stall::MatrixBusy;
  case sim::StallCause::VectorAlu:
    return Stall::ValuBusy;
  case sim::StallCause::LdsIssue:
    return Stall::LdsBusy;
  case sim::StallCause::MemoryIssue:
    return Stall::MemoryBusy;
  case sim::StallCause::Issue:
    return Stall::Arbitration;
  case sim::StallCause::Fetch:
    return Stall::Fetch;
  case sim::StallCause::Nop:
    return Stall::Nop;
  case sim::StallCause::Count:
    break;
  }
  return Stall::Other;
}

/// The model's causes as the report's, added up where several are one.
static report::StallCycles convert(const sim::StallCycles &from) {
  report::StallCycles to{};
  for (size_t i = 0; i < from.size(); ++i)
    to[unsigned(stallOf(sim::StallCause(i)))] += double(from[i]);
  return to;
}

//===----------------------------------------------------------------------===//
// Resources
//===----------------------------------------------------------------------===//

/// Limits of occupancy are in wavefronts a SIMD, the least first. The machine's
/// numbers are those of the timing model (Timing/Parameters.h).
KernelReport tlc::describeLaunch(const sim::KernelInfo &kernel,
                                 const std::array<uint32_t, 3> &grid,
                                 const std::array<uint32_t, 3> &block,
                                 uint32_t dynamicLds) {
  const sim::KernelDescriptor &d = kernel.descriptor;
  KernelReport report;
  report.name = kernel.name;
  uint64_t items = 1;
  report.workgroups = 1;
  for (unsigned i = 0; i < 3; ++i) {
    report.grid[i] = grid[i];
    report.block[i] = block[i];
    items *= block[i];
    report.workgroups *= grid[i];
  }
  // One file of registers: architectural ones first, accumulation ones behind.
  unsigned all = d.vgprCount();
  report.vgprs = std::min(all, d.accumOffset());
  report.agprs = all - report.vgprs;
  report.sgprs = kernel.sgprCount;
  report.ldsBytes = uint64_t(d.groupSegmentFixedSize) + dynamicLds;
  report.scratchBytes = d.privateSegmentFixedSize;

  // Whole workgroups are resident: each limit is one of workgroups a CU.
  double waves = double(std::max<uint64_t>(1, llvm::divideCeil(items, 64)));
  // A limit in wavefronts, rounded down to whole workgroups of the CU.
  auto bySimd = [&](double wavesPerSimd) {
    double groups = std::floor(wavesPerSimd * param::simdsPerCu / waves);
    return groups * waves / param::simdsPerCu;
  };
  Occupancy &o = report.occupancy;
  o.slots = param::wavesPerSimd;
  auto byRegisters = [&](unsigned count) {
    unsigned fitting = param::vgprsPerSimd / std::max(8u, (count + 7) / 8 * 8);
    return bySimd(fitting);
  };
  OccupancyLimit registers{"VGPRs",
                           fmt::format("{} of {}", all, param::vgprsPerSimd),
                           byRegisters(all)};
  if (report.ldsBytes) {
    // LDS is handed out in granules.
    uint64_t granule = llvm::alignTo(report.ldsBytes, param::ldsGranule);
    uint64_t groups = param::ldsBytes / granule;
    o.limits.push_back(
        {"LDS", fmt::format("{} of {} bytes", report.ldsBytes, param::ldsBytes),
         double(groups) * waves / param::simdsPerCu});
  }
  // Compilers that know of another limit hand out the registers that it leaves
  // free: then it is the one that counts.
  if (double used = byRegisters(kernel.vgprCount);
      kernel.vgprCount && used > registers.waves)
    for (const OccupancyLimit &other : o.limits)
      if (other.waves <= registers.waves && registers.waves < used) {
        registers.waves = used;
        registers.detail += fmt::format(" allocated, {} used: as many as {} "
                                        "leaves free",
                                        kernel.vgprCount, other.resource);
      }
  o.limits.insert(o.limits.begin(), registers);
  o.limits.push_back({"wavefront slots",
                      fmt::format("{} a SIMD", param::wavesPerSimd),
                      bySimd(param::wavesPerSimd)});
  double cus = double(param::xcds * param::cusPerXcd);
  o.limits.push_back(
      {"the grid",
       fmt::format("{} workgroups of {} wavefronts for {} CUs",
                   report.workgroups, waves, cus),
       // A small grid leaves CUs with less than they could hold.
       std::ceil(report.workgroups / cus) * waves / param::simdsPerCu});
  std::stable_sort(o.limits.begin(), o.limits.end(),
                   [](const OccupancyLimit &a, const OccupancyLimit &b) {
                     return a.waves < b.waves;
                   });
  o.waves = o.limits.front().waves;
  return report;
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

namespace {

/// The unit that executes an instruction, for the report's columns.
CodeLine::Unit unitOf(const sim::Instruction &inst) {
  switch (inst.encoding) {
  case sim::Encoding::MAI:
    return inst.has(sim::flag::Mfma) ? CodeLine::Unit::Matrix
                                     : CodeLine::Unit::Vector;
  case sim::Encoding::VOP1:
  case sim::Encoding::VOP2:
  case sim::Encoding::VOPC:
  case sim::Encoding::VOP3:
  case sim::Encoding::VOP3P:
    return inst.has(sim::flag::Mfma) ? CodeLine::Unit::Matrix
                                     : CodeLine::Unit::Vector;
  case sim::Encoding::DS:
    return CodeLine::Unit::Lds;
  case sim::Encoding::SCRATCH:
    return CodeLine::Unit::Scratch;
  case sim::Encoding::FLAT:
  case sim::Encoding::GLOBAL:
  case sim::Encoding::MUBUF:
  case sim::Encoding::MTBUF:
    return CodeLine::Unit::Memory;
  default:
    return CodeLine::Unit::Scalar;
  }
}

/// "file:line" or "file:line:column" taken apart. From the right: a path may
/// hold colons.
void setSource(CodeLine &line, StringRef where) {
  auto [rest, last] = where.rsplit(':');
  unsigned a = 0, b = 0;
  if (last.getAsInteger(10, a))
    return;
  auto [file, middle] = rest.rsplit(':');
  if (!middle.empty() && !middle.getAsInteger(10, b)) {
    line.file = file.str();
    line.line = b;
    line.column = a;
  } else {
    line.file = rest.str();
    line.line = a;
  }
}

/// Decodes the function that holds the kernel's entry, and what else ran. Bytes
/// that are no instruction are stepped over by dwords.
DecodedCode decodeKernel(const sim::CodeObject &object,
                         const sim::KernelInfo &kernel,
                         const sim::TimingResult &time) {
  DecodedCode code;
  const sim::Segment *segment = nullptr;
  for (const sim::Segment &each : object.segments)
    if (each.executable && kernel.entryAddress >= each.address &&
        kernel.entryAddress - each.address < each.fileSize)
      segment = &each;
  if (!segment)
    return code;
  llvm::ArrayRef<uint8_t> bytes =
      llvm::ArrayRef<uint8_t>(object.bytes)
          .slice(segment->fileOffset, segment->fileSize);
  uint64_t entry = kernel.entryAddress, end = entry;
  // The end: of the symbol around the entry, or of what was executed.
  for (const sim::ObjectSymbol &symbol : object.symbols)
    if (symbol.defined && symbol.value <= entry &&
        entry < symbol.value + symbol.size)
      end = std::max(end, symbol.value + symbol.size);
  // Stripped objects have no symbols; the last instruction that ran is known.
  if (!time.code.empty())
    end = std::max(end, entry + time.code.rbegin()->first + 4);
  end = std::min(end, segment->address + segment->fileSize);
  for (uint64_t at = entry; at + 4 <= end;) {
    sim::Instruction inst;
    if (sim::decode(bytes, at - segment->address, inst)) {
      code.addresses.push_back(at);
      code.instructions.push_back(inst);
      code.executed.push_back(time.code.count(at - entry));
      at += inst.sizeBytes;
    } else {
      at += 4;
    }
  }
  return code;
}

/// What a compiler has added without a line belongs to the statement that goes
/// on behind it; where control leaves before there is one, to the one before.
void placeUnnamed(KernelReport &report, const DecodedCode &code) {
  auto take = [&](size_t to, size_t from) {
    report.code[to].file = report.code[from].file;
    report.code[to].line = report.code[from].line;
  };
  auto leaves = [&](size_t i) {
    const sim::Instruction &inst = code.instructions[i];
    return sim::opcodeInfo(inst.op).constant == sim::ConstantKind::Branch ||
           inst.has(sim::flag::EndsProgram) ||
           inst.op == sim::Opcode::s_setpc_b64;
  };
  for (size_t i = report.code.size(); i-- > 0;)
    if (report.code[i].file.empty() && i + 1 < report.code.size() &&
        !leaves(i) && !report.code[i + 1].file.empty())
      take(i, i + 1);
  for (size_t i = 1; i < report.code.size(); ++i)
    if (report.code[i].file.empty() && !report.code[i - 1].file.empty())
      take(i, i - 1);
}

} // namespace

/// Of a load's executions together, by where its lines are found; of an LDS
/// access', as if no other were there and no lanes met.
static double bareLatencyOf(const sim::InstructionTiming &timing,
                            const sim::Instruction &inst) {
  const sim::MemoryCounters &m = timing.memory;
  // The parameter is that of one dword, which the banks take two cycles for.
  if (timing.kind == sim::IssueKind::Lds) {
    double more = std::max(1u, unsigned(inst.dst.dwords)) - 1;
    return double(timing.busyCycles) +
           double(timing.issues) *
               (param::ldsLatency - 2 + more * 64 * 4 / param::ldsPortBytes);
  }
  uint64_t lines = std::max(m.l1Lines, m.l2Lines);
  if (!lines || m.storedBytes)
    return 0;
  double sum = double(m.l1Hits) * param::l1Latency +
               double(m.l2Hits) * param::l2Latency +
               double(m.mallHits) * param::mallLatency +
               double(m.mallLines - m.mallHits) * param::hbmLatency;
  return double(timing.issues) * sum / double(lines);
}

/// A function that is only a barrier and its waits says nothing: they stand
/// where it is called.
static void placeBarriers(KernelReport &report, const DecodedCode &code,
                          sim::SourceLines &source) {
  auto only = [&](size_t i) {
    sim::Opcode op = code.instructions[i].op;
    return op == sim::Opcode::s_barrier || op == sim::Opcode::s_waitcnt ||
           op == sim::Opcode::s_nop;
  };
  std::map<std::pair<std::string, unsigned>, bool> waitsOnly;
  for (size_t i = 0; i < report.code.size(); ++i) {
    const CodeLine &line = report.code[i];
    bool &all =
        waitsOnly.try_emplace({line.file, line.line}, true).first->second;
    all &= only(i);
  }
  for (CodeLine &line : report.code)
    if (!line.file.empty() && waitsOnly[{line.file, line.line}])
      setSource(line, source.callOf(line.address));
}

/// Of instructions in loops: the lanes that were active just before. Code lies
/// in order, so a loop is what a backward branch goes back over; where another
/// way leads into it nothing is known.
static void findEnteringLanes(KernelReport &report, const DecodedCode &code) {
  std::map<uint64_t, size_t> indexOf;
  for (size_t i = 0; i < code.addresses.size(); ++i)
    indexOf[code.addresses[i]] = i;
  for (size_t end = 0; end < code.addresses.size(); ++end) {
    const sim::Instruction &inst = code.instructions[end];
    if (sim::opcodeInfo(inst.op).constant != sim::ConstantKind::Branch ||
        report.code[end].executed <= 0)
      continue;
    auto head = indexOf.find(inst.branchTarget(code.addresses[end]));
    if (head == indexOf.end() || head->second > end || head->second == 0 ||
        report.code[head->second - 1].executed <= 0)
      continue;
    double lanes = report.code[head->second - 1].lanes;
    for (size_t i = head->second; i <= end; ++i)
      report.code[i].enteringLanes =
          std::max(report.code[i].enteringLanes, lanes);
  }
}

/// A CodeLine for each instruction, with source place, counts and cycles; then
/// the trace, whose slices refer to these lines.
static void addCode(KernelReport &report, const sim::CodeObject &object,
                    const sim::KernelInfo &kernel,
                    const sim::TimingResult &time) {
  DecodedCode code = decodeKernel(object, kernel, time);
  sim::SourceLines source(object.bytes);
  // A wavefront's life is what it waited and what it issued, so what is left
  // after its stalls is issue, shared evenly by its instructions.
  double issueCycles =
      time.instructions ? std::max(0.0, time.waveCycles - sum(report.stalls)) /
                              time.instructions
                        : 0;
  std::map<uint64_t, uint32_t> indexOf;
  for (size_t i = 0; i < code.addresses.size(); ++i) {
    CodeLine line;
    line.address = code.addresses[i];
    line.text = sim::toString(code.instructions[i]);
    line.unit = unitOf(code.instructions[i]);
    setSource(line, source.at(line.address));
    auto found = time.code.find(line.address - kernel.entryAddress);
    if (found != time.code.end()) {
      const sim::InstructionTiming &timing = found->second;
      line.executed = timing.issues;
      line.issueCycles = timing.issues * issueCycles;
      line.stalls = convert(timing.stalls);
      // Of vector memory the part that went to LDS.
      if (line.unit == CodeLine::Unit::Lds ||
          line.unit == CodeLine::Unit::Memory) {
        line.ldsBaseCycles = timing.busyCycles;
        line.ldsAddressConflicts = timing.addressConflictCycles;
        line.ldsConflictCycles =
            timing.conflictCycles - timing.addressConflictCycles;
      }
      if (line.unit == CodeLine::Unit::Vector)
        line.aluCycles = timing.busyCycles;
      line.isTranscendental = timing.kind == sim::IssueKind::Transcendental;
      line.bytesAsked =
          double(timing.memory.requestedBytes + timing.memory.storedBytes);
      line.storeLatency =
          timing.memory.storedBytes ? double(timing.latencyCycles) : 0;
      line.latency = double(timing.latencyCycles);
      line.orderLatency = double(timing.orderCycles);
      line.addressCycles = double(timing.addressCycles);
      line.bareLatency = bareLatencyOf(timing, code.instructions[i]);
      line.linesTouched = timing.lines;
      line.linesLookedUp = double(timing.memory.l1Lines);
      line.linesInL1 = double(timing.memory.l1Hits);
      line.linesNeeded = timing.leastLines;
      line.setLines = timing.setLines;
      line.linesBeyondL2 = double(timing.memory.mallLines);
      line.translationMisses = double(timing.memory.translationMisses);
      line.atomicCycles = double(timing.memory.atomicCycles);
      line.lanes = 64 - timing.disabledLanes;
    }
    indexOf[line.address - kernel.entryAddress] = report.code.size();
    report.code.push_back(std::move(line));
  }
  placeBarriers(report, code, source);
  placeUnnamed(report, code);
  findEnteringLanes(report, code);
  chargeWaits(report, code);

  using Kind = TraceSlice::Kind;
  auto kindOf = [](sim::TraceKind kind) {
    switch (kind) {
    case sim::TraceKind::Matrix:
      return Kind::Matrix;
    case sim::TraceKind::Vector:
    case sim::TraceKind::Transcendental:
      return Kind::Valu;
    case sim::TraceKind::Scalar:
      return Kind::Scalar;
    case sim::TraceKind::Lds:
      return Kind::Lds;
    case sim::TraceKind::Memory:
      return Kind::Memory;
    case sim::TraceKind::Barrier:
      return Kind::Barrier;
    case sim::TraceKind::Wait:
    case sim::TraceKind::Stall:
      break;
    }
    return Kind::Wait;
  };
  for (const sim::WaveTrace &wave : time.traces)
    for (const sim::TraceEvent &event : wave.events) {
      auto found = indexOf.find(event.address);
      TraceSlice slice;
      slice.kind = kindOf(event.kind);
      slice.xcd = wave.xcd;
      slice.cu = wave.cu;
      slice.simd = uint8_t(wave.simd);
      slice.slot = uint8_t(wave.slot);
      slice.workgroup = uint32_t(wave.workgroup);
      slice.wave = wave.wave;
      slice.begin = event.begin;
      slice.end = event.end;
      slice.code = found == indexOf.end() ? ~0u : found->second;
      report.trace.push_back(slice);
    }
}

//===----------------------------------------------------------------------===//
// The launch
//===----------------------------------------------------------------------===//

/// Bytes, peak rates and hit rates at the levels of memory, nearest to the
/// lanes first. Peaks are bytes a cycle of the whole device.
static void addLevels(KernelReport &report, const sim::TimingResult &time) {
  const sim::MemoryCounters &m = time.memory;
  // Of nothing asked there is no rate.
  auto rate = [](uint64_t hits, uint64_t all) {
    return all ? std::optional<double>(double(hits) / all) : std::nullopt;
  };
  double cus = time.computeUnits;
  double l2Peak = 128.0 / param::l2LineCycles * param::l2Channels * param::xcds;
  Level asked{"requested", "asked for by lanes"};
  asked.readBytes = m.requestedBytes;
  asked.writtenBytes = m.storedBytes;
  asked.bytes = double(m.requestedBytes + m.storedBytes);
  Level l1{"l1", "L1"};
  l1.bytes = m.l1Bytes;
  l1.peakBytesPerCycle = param::l1BytesPerCycle * cus;
  l1.hitRate = rate(m.l1Hits, m.l1Lines);
  // The address unit and L1 work in step: lines, not bytes, make it busy.
  if (time.cycles)
    l1.busyShare = double(time.addressBusy) / (double(time.cycles) * cus);
  Level l2{"l2", "L2"};
  l2.bytes = m.l2Bytes;
  l2.peakBytesPerCycle = l2Peak;
  l2.hitRate = rate(m.l2Hits, m.l2Lines);
  Level mall{"mall", "Infinity Cache"};
  mall.bytes = m.mallBytes;
  mall.peakBytesPerCycle = param::mallBytesPerCycle;
  mall.hitRate = rate(m.mallHits, m.mallLines);
  Level hbm{"hbm", "HBM"};
  hbm.bytes = m.hbmBytes;
  hbm.peakBytesPerCycle = param::hbmBytesPerCycle;
  report.levels = {asked, l1, l2, mall, hbm};
}

/// Fills in all that the model counted. Utilisations are shares of all SIMDs'
/// (CUs') cycles, the idle ones included.
void tlc::addTiming(KernelReport &report, const sim::CodeObject &object,
                    const sim::KernelInfo &kernel,
                    const sim::TimingResult &time) {
  report.cycles = time.cycles;
  report.launchCycles = std::min<double>(time.cycles, param::launchCycles);
  report.dispatchCycles = double(time.waves) * param::dispatchCycles /
                          std::min<double>(param::xcds, report.workgroups);
  report.clockUnderLoad = time.clockUnderLoadGHz() * 1e9;
  report.workgroups = time.workgroups;
  report.detailed = time.sampled ? time.sampledWorkgroups : time.workgroups;
  report.matrixUse = time.matrixUtilization();
  report.valuUse = time.vectorUtilization();
  report.ldsUse = time.ldsUtilization();
  report.waveCycles = time.waveCycles;
  report.stalls = convert(time.stalls);
  report.ldsCycles = time.ldsBusy;
  report.ldsAddressConflicts = time.ldsAddressConflicts;
  report.ldsConflictCycles = time.ldsConflicts - time.ldsAddressConflicts;
  report.atomicChannelUse = time.atomicChannelShare;
  report.instructionMisses = time.memory.instructionMisses;
  report.longestWorkgroup = time.longestWorkgroup;
  report.longestWorkgroupCycles = double(time.longestWorkgroupCycles);
  report.meanWorkgroupCycles = double(time.meanWorkgroupCycles);
  report.occupancy.achieved = time.occupancy.averageWaves;
  double cuCycles = double(time.cycles) * time.computeUnits;
  report.drainCycles = time.drainCycles;
  double simdCycles = double(time.cycles) * time.simds;
  report.activeSimds = simdCycles > 0 ? time.activeSimdCycles / simdCycles : 0;
  report.activeCUs = cuCycles > 0 ? time.activeCuCycles / cuCycles : 0;
  report.usedCUs =
      time.computeUnits ? double(time.usedComputeUnits) / time.computeUnits : 1;
  report.busyUse = time.cycles ? double(time.workingSimdCycles) /
                                     (double(time.cycles) * time.simds)
                               : 0;
  double enabled = 0;
  for (const auto &[address, code] : time.code) {
    if (code.kind == sim::IssueKind::Vector ||
        code.kind == sim::IssueKind::Transcendental)
      enabled += code.busyCycles * (64 - code.disabledLanes);
    report.matrixFlops += code.issues * matrixFlopsOf(code.mnemonic);
    // Per lane; 64 lanes whether active or not, as the hardware's counters do.
    report.vectorFlops += 64.0 * code.issues * vectorFlopsOf(code.mnemonic);
  }
  if (time.vectorBusy)
    report.valuLanes = enabled / time.vectorBusy;
  addLevels(report, time);
  addCode(report, object, kernel, time);
  addCounters(report, time);
}
