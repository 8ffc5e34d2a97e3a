//===- Report.h - What is known of a kernel's time --------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The product of `tlc profile`: plain data, filled from the timing model or
// from a device's clock, and read by the printers (Print.h). Nothing here knows
// the simulator.
//
// Units: cycles are cycles of the engine clock; "wave cycles" are summed over
// wavefronts, "SIMD cycles" over all SIMDs of the device; bytes are bytes.
// What is unknown is absent or zero, never guessed: `Origin` says what kind of
// figures a report holds.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_REPORT_PROFILE_REPORT_H
#define TLC_REPORT_PROFILE_REPORT_H

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tlc::report {

/// Where the figures of a report come from.
enum class Origin : uint8_t {
  Modelled, ///< the timing model of the simulator
  Measured  ///< events of a HIP device
};

/// What keeps a wavefront from issuing its next instruction.
enum class Stall : uint8_t {
  VectorMemory, ///< s_waitcnt on vector memory
  Lds,          ///< s_waitcnt on LDS
  ScalarMemory, ///< s_waitcnt on scalar memory
  Barrier,      ///< others of its workgroup
  MatrixBusy,   ///< the matrix core works for another instruction
  ValuBusy,     ///< the vector ALU does
  LdsBusy,      ///< the LDS port or its queue is full
  MemoryBusy,   ///< the vector memory path or its queue is full
  Fetch,        ///< the instruction is not there yet
  Arbitration,  ///< another wavefront of the SIMD was chosen
  Nop,          ///< s_nop, s_sleep: wait states that the program asks for
  Other
};
constexpr unsigned stallCount = unsigned(Stall::Other) + 1;
using StallCycles = std::array<double, stallCount>; ///< wave cycles, by Stall

struct StallInfo {
  const char *key;   ///< stable, for JSON: "vector_memory"
  const char *brief; ///< for columns: "vmem"
  const char *title; ///< for tables: "vector memory (vmcnt)"
};
const StallInfo &info(Stall stall);
double sum(const StallCycles &stalls);

/// One counter. `hardware`: rocprofv3 has a counter of this name with this
/// meaning; values are sums over the device.
struct Counter {
  std::string name, unit, meaning;
  double value = 0;
  bool hardware = true;
};

/// A level of the memory hierarchy.
struct Level {
  std::string key, name; ///< "l1", "L1"
  double bytes = 0;      ///< moved, both ways
  std::optional<double> readBytes, writtenBytes;
  double peakBytesPerCycle = 0;    ///< of the whole device; 0: unknown
  std::optional<double> hitRate;   ///< 0 to 1
  std::optional<double> busyShare; ///< of all cycles of all its instances
};

/// Wavefronts a SIMD can hold by one resource.
struct OccupancyLimit {
  std::string resource; ///< "VGPRs"
  std::string detail;   ///< "232 of 512"
  double waves = 0;     ///< a SIMD
};

struct Occupancy {
  double waves = 0;    ///< wavefronts a SIMD that fit at once
  double achieved = 0; ///< average over the launch and all SIMDs
  unsigned slots = 8;
  std::vector<OccupancyLimit> limits; ///< the first one binds
};

/// Where the time of all SIMDs went; the parts sum to 1.
struct TimeShare {
  std::string key; ///< "matrix", "valu", "idle_cu", or a stall's key
  std::string title;
  double share = 0; ///< 0 to 1
};

/// Something that costs time, and what to do about it.
struct Limiter {
  std::string key;      ///< stable: "lds_bank_conflicts", "uncoalesced", ...
  std::string headline; ///< one line
  std::string detail;   ///< the figures behind it
  std::string advice;   ///< what usually helps
  double share = 0;     ///< of the SIMDs' time, 0 to 1
  double rank = 0;      ///< the part of it that could be won
  /// With that of smaller causes that are one matter with it: the order. One
  /// unit at one place, or latencies that more wavefronts would hide.
  double together = 0;
  bool isOfOccupancy = false;
  bool isCertain = false;            ///< of two as large, goes first
  std::string where;                 ///< "attn.tile:51", may be empty
  std::optional<size_t> instruction; ///< index into `code`
};

/// One instruction of the kernel, in order of address.
struct CodeLine {
  uint64_t address = 0; ///< virtual address in the object
  std::string text;     ///< disassembled
  std::string file;     ///< source file; empty if unknown
  unsigned line = 0, column = 0;
  double executed = 0;    ///< wavefront instructions
  double issueCycles = 0; ///< wave cycles spent issuing it
  StallCycles stalls{};   ///< wave cycles before it could issue, where it stood
  /// The same cycles charged to what was waited for: a wait for memory stands
  /// at the load, not at the s_waitcnt. Both add up to the same over the
  /// kernel.
  StallCycles caused{};
  double ldsBaseCycles = 0, ldsConflictCycles = 0;
  double ldsAddressConflicts = 0; ///< cycles: lanes of an atomic that meet
  double aluCycles = 0;           ///< of a SIMD's vector ALU
  /// Memory: cycles from issue to data, summed up; of them, those in which only
  /// older accesses of the wavefront were missing; of the address unit.
  double latency = 0, orderLatency = 0, addressCycles = 0;
  double bareLatency = 0;  ///< loads: if nothing else were on its way
  double storeLatency = 0; ///< stores and atomics: cycles until done, summed up
  bool isTranscendental = false;
  /// Vector memory: bytes that active lanes asked for, 128-byte lines touched
  /// and the fewest lines that hold as many bytes.
  double bytesAsked = 0, linesTouched = 0, linesNeeded = 0;
  double linesLookedUp = 0, linesInL1 = 0; ///< loads: in L1, and found there
  /// Four times the most lines that one of the four sets of L1 gets, of each
  /// execution: `linesTouched` if they spread evenly.
  double setLines = 0;
  /// Lines that L2 did not have, and those whose page's translation was not at
  /// hand.
  double linesBeyondL2 = 0, translationMisses = 0;
  double atomicCycles = 0; ///< of a channel of L2
  double lanes = 64;       ///< active ones, of an execution on average
  /// In loops: active lanes where the wavefronts came into the outermost one
  /// that had the most. Fewer in it left earlier, or took another branch.
  double enteringLanes = 0;
  enum class Unit : uint8_t { Scalar, Vector, Matrix, Lds, Memory, Scratch };
  Unit unit = Unit::Scalar;

  double cycles() const { return issueCycles + sum(caused); }
  /// Sets of L1 among which an access spreads its lines, 1 to 4; 0: no lines.
  double setsUsed() const {
    return setLines > 0 ? 4 * linesTouched / setLines : 0;
  }
};

/// One slice of a trace.
struct TraceSlice {
  enum class Kind : uint8_t {
    Matrix,
    Valu,
    Scalar,
    Lds,
    Memory,
    Wait,
    Barrier
  };
  Kind kind = Kind::Valu;
  uint16_t xcd = 0, cu = 0; ///< CU within the XCD
  uint8_t simd = 0, slot = 0;
  uint32_t workgroup = 0, wave = 0; ///< wave within the workgroup
  uint64_t begin = 0, end = 0;      ///< cycles; begin < end
  uint32_t code = ~0u;              ///< index into `code`; ~0: none
};

/// One launch of one kernel.
struct KernelReport {
  std::string name;
  std::array<uint64_t, 3> grid{}, block{};
  unsigned vgprs = 0, agprs = 0, sgprs = 0; ///< architectural, accumulation
  uint64_t ldsBytes = 0, scratchBytes = 0;  ///< a workgroup; a lane
  uint64_t workgroups = 0;
  /// Workgroups simulated in full detail; the others are extrapolated.
  uint64_t detailed = 0;

  double cycles = 0;           ///< of the launch; 0: unknown
  double launchCycles = 0;     ///< of them, before the first wavefront starts
  double drainCycles = 0;      ///< after the last one has ended
  double dispatchCycles = 0;   ///< in which a dispatcher starts wavefronts
  std::vector<double> seconds; ///< measured, one for each repetition
  /// Hz that the board's power allows for long; 0: unknown.
  double clockUnderLoad = 0;
  double matrixFlops = 0, vectorFlops = 0;

  /// Shares of all CUs' cycles over the whole launch, 0 to 1.
  double matrixUse = 0, valuUse = 0, ldsUse = 0;
  double valuLanes = 64; ///< active, of vector ALU cycles on average
  /// SIMD cycles in which matrix core or vector ALU worked; they overlap.
  double busyUse = 0;
  double activeCUs = 0;   ///< share of CU cycles with a workgroup on the CU
  double activeSimds = 0; ///< of SIMD cycles with a wavefront; 0: unknown
  double usedCUs = 1;     ///< share of the CUs that got a workgroup at all
  double waveCycles = 0;
  StallCycles stalls{};
  /// ldsCycles has all three.
  double ldsCycles = 0, ldsConflictCycles = 0, ldsAddressConflicts = 0;
  double atomicChannelUse = 0;  ///< of the time, the busiest channel of L2
  double instructionMisses = 0; ///< lines of 64 bytes not in the cache
  /// Of workgroups in detail: the number of the one that took longest, its
  /// cycles, and those of all on average. 0: unknown.
  uint64_t longestWorkgroup = 0;
  double longestWorkgroupCycles = 0, meanWorkgroupCycles = 0;

  Occupancy occupancy;
  std::vector<Level> levels;
  std::vector<Counter> counters;
  std::vector<CodeLine> code;
  std::vector<TraceSlice> trace;

  /// Filled by `analyse`.
  std::vector<TimeShare> account;
  std::vector<Limiter> limiters; ///< the worst first

  double wavesPerWorkgroup() const {
    double items = double(block[0]) * double(block[1]) * double(block[2]);
    return std::ceil(items / 64);
  }
  /// What a kernel with matrix instructions is rated by is theirs alone.
  double flops() const { return matrixFlops > 0 ? matrixFlops : vectorFlops; }
};

struct Report {
  std::string input;   ///< the file profiled
  std::string device;  ///< "modelled gfx942 (MI300X), 304 CUs"
  std::string command; ///< to repeat it
  Origin origin = Origin::Modelled;
  unsigned computeUnits = 304;
  double maxClock = 2.1e9;           ///< Hz
  std::optional<double> chosenClock; ///< Hz
  std::vector<KernelReport> kernels;
  std::vector<std::string> notes;      ///< what the figures do not say
  std::vector<std::string> unreported; ///< what this device cannot tell
};

/// Instructions of one source line, or a lone one where there is no source.
struct HotLine {
  std::string file;
  unsigned line = 0;
  double cycles = 0, share = 0; ///< wave cycles; of the kernel's
  StallCycles stalls{};
  double issueCycles = 0, conflictCycles = 0;
  double executed = 0;
  double aluCycles = 0, laneCycles = 0; ///< vector ALU; times active lanes
  std::vector<size_t> instructions;     ///< indices into `code`, hottest first
};

/// Source lines (or instructions) by their wave cycles, hottest first.
/// Waits count where the awaited instruction stands (`CodeLine::caused`).
std::vector<HotLine> hotLines(const KernelReport &kernel);

/// Fills `account` and `limiters`.
void analyse(const Report &report, KernelReport &kernel);

/// The lines of a source file, from the disk; empty if it cannot be read.
std::vector<std::string> sourceLines(const std::string &file);

} // namespace tlc::report

#endif // TLC_REPORT_PROFILE_REPORT_H
