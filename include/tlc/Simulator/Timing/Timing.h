//===- Timing.h - Modelled time of a launch ---------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the timing model of gfx942 (304 compute units in 8 XCDs) says of one
// launch. It is asked for with SimulatorOptions::timing, and its answer is
// LaunchResult::timing:
//
//   simulatorOptions().timing = TimingOptions();
//   ...hipModuleLaunchKernel...
//   const TimingResult &time = *lastLaunch().timing;
//
// The functional simulator drives the model: wavefronts run as ever, what they
// execute and which addresses they touch is replayed in cycles. Values never
// depend on it. Everything is in cycles of the engine clock; a clock turns
// them into time. All counts are of the whole launch: where only a sample of
// the workgroups was run (`sampled`), they are extrapolated from it, and the
// launch's other results (memory contents, checkers) are incomplete.
//
// Parameters, their sources and confidence: Parameters.h.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_SIMULATOR_TIMING_TIMING_H
#define TLC_SIMULATOR_TIMING_TIMING_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tlc::sim {

/// Why a wavefront that is not finished does not issue in a cycle. Counted at
/// the instruction it stands at.
enum class StallCause : uint8_t {
  VectorMemory, ///< s_waitcnt vmcnt, or its counter is full
  Lds,          ///< s_waitcnt lgkmcnt, LDS data last
  ScalarMemory, ///< s_waitcnt lgkmcnt, scalar loads last
  Barrier,      ///< s_barrier, for the other wavefronts
  MatrixCore,   ///< the SIMD's matrix core is busy
  VectorAlu,    ///< the SIMD's vector ALU is busy
  LdsIssue,     ///< the LDS port of the SIMD pair is busy
  MemoryIssue,  ///< the address unit of the compute unit is busy
  Issue,        ///< another wavefront of the SIMD issued in its place
  Fetch,        ///< instruction bytes: branches, 8-byte encodings
  Nop,          ///< s_nop, s_sleep
  Count
};
constexpr size_t stallCauses = static_cast<size_t>(StallCause::Count);
/// "vector memory", "LDS", ...
const char *stallCauseName(StallCause cause);

using StallCycles = std::array<uint64_t, stallCauses>;

/// The kinds of instruction that the issue logic tells apart; one of each a
/// cycle.
enum class IssueKind : uint8_t {
  Matrix, ///< with Vector, one category
  Vector,
  Transcendental, ///< with Vector, one category
  Scalar,
  ScalarMemory, ///< with Scalar, one category
  VectorMemory,
  Lds,
  Branch,
  Internal, ///< s_waitcnt, s_barrier, s_nop, ...
  Count
};
constexpr size_t issueKinds = static_cast<size_t>(IssueKind::Count);

/// Bytes and requests at the levels of memory.
struct MemoryCounters {
  uint64_t requestedBytes = 0; ///< what active lanes asked for, loads
  uint64_t storedBytes = 0;    ///< the same, stores and atomics
  uint64_t l1Bytes = 0;        ///< moved by L1 in whole 64-byte halves of lines
  uint64_t l2Bytes = 0;        ///< moved between L1 and L2
  uint64_t mallBytes = 0;      ///< moved between L2 and the Infinity Cache
  uint64_t hbmBytes = 0;       ///< moved between it and HBM
  uint64_t l1Lines = 0, l1Hits = 0; ///< lines of 128 bytes looked up
  uint64_t l2Lines = 0, l2Hits = 0;
  uint64_t mallLines = 0, mallHits = 0;
  uint64_t scalarLines = 0, scalarHits = 0; ///< lines of 64 bytes
  uint64_t instructionMisses = 0;           ///< lines of 64 bytes
  uint64_t translationMisses = 0; ///< lines beyond L2, their page not at hand
  uint64_t atomicCycles = 0;      ///< in which atomics held a channel of L2
};

/// What happened at one instruction address, over all wavefronts.
struct InstructionTiming {
  std::string mnemonic;
  IssueKind kind = IssueKind::Scalar;
  uint64_t issues = 0; ///< wavefront instructions
  StallCycles stalls = {};
  uint64_t busyCycles = 0;     ///< of the unit it runs on: matrix core, vector
                               ///< ALU (all its cycles), LDS without conflicts
  uint64_t conflictCycles = 0; ///< LDS, on top
  uint64_t addressConflictCycles = 0; ///< of these, of lanes of an atomic that
                                      ///< meet in an address
  uint64_t latencyCycles = 0; ///< memory and LDS: issue to data, summed up
  uint64_t orderCycles = 0;   ///< vector memory: of these, those in which only
                              ///< older ones of the wavefront were missing
  uint64_t addressCycles = 0; ///< vector memory: of the address unit
  uint64_t lines = 0;         ///< vector memory: lines of 128 bytes touched
  uint64_t leastLines = 0;    ///< the same, had the lanes been packed densely
  /// Vector memory: the number of L1's sets times the most lines that one of
  /// them gets, of each execution: `lines` if they spread evenly.
  uint64_t setLines = 0;
  double disabledLanes = 0; ///< by EXEC, of an execution on average
  MemoryCounters memory;

  uint64_t stallCycles() const {
    uint64_t sum = 0;
    for (uint64_t cycles : stalls)
      sum += cycles;
    return sum;
  }
};

/// What a track of the trace shows.
enum class TraceKind : uint8_t {
  Matrix,
  Vector,
  Transcendental,
  Scalar,
  Lds,    ///< issue to data
  Memory, ///< issue to data
  Wait,   ///< s_waitcnt
  Barrier,
  Stall, ///< any other wait
};

struct TraceEvent {
  uint64_t begin = 0, end = 0; ///< cycles since the launch began
  uint64_t address = 0;        ///< of the instruction, relative to the entry
  TraceKind kind = TraceKind::Vector;
  StallCause cause = StallCause::Count; ///< Wait and Stall
};

/// One wavefront's life.
struct WaveTrace {
  uint16_t xcd = 0, cu = 0, simd = 0, slot = 0;
  uint64_t workgroup = 0; ///< number in the grid
  uint32_t wave = 0;      ///< number in the workgroup
  uint64_t begin = 0, end = 0;
  std::vector<TraceEvent> events; ///< by begin
};

/// What limits the workgroups on a compute unit.
enum class OccupancyLimit : uint8_t { Vgprs, Lds, WaveSlots, GridSize };
const char *occupancyLimitName(OccupancyLimit limit);

struct Occupancy {
  unsigned groupsPerCu = 0; ///< resident workgroups
  unsigned wavesPerSimd = 0;
  OccupancyLimit limit = OccupancyLimit::WaveSlots;
  double averageWaves = 0; ///< per SIMD, over the launch
};

struct TimingOptions {
  /// Run every workgroup in detail, however many.
  bool full = false;
  /// Wavefront instructions to run in detail before sampling sets in; 0 takes
  /// the default.
  uint64_t detailInstructions = 0;
  /// Record the first so many wavefronts of the trace, on the first compute
  /// units, and at most `traceEvents` events of each. 0: no trace.
  unsigned traceWaves = 0;
  size_t traceEvents = 1 << 16;
  /// An earlier launch has left the data in the Infinity Cache, as far as it
  /// fits; L1 and L2 are empty at every launch's begin.
  bool warm = false;
};

struct TimingResult {
  uint64_t cycles = 0; ///< of the launch, dispatch and drain included
  /// Cycles of all compute units, all SIMDs: what utilisation is relative to.
  unsigned computeUnits = 0, simds = 0;
  uint64_t workgroups = 0, waves = 0;
  uint64_t instructions = 0; ///< of wavefronts
  uint64_t matrixFlops = 0;

  // Busy cycles, summed over units.
  uint64_t matrixBusy = 0; ///< of SIMDs
  uint64_t vectorBusy = 0; ///< of SIMDs, transcendentals included
  uint64_t transBusy = 0;  ///< of SIMDs
  uint64_t scalarBusy = 0; ///< of compute units
  uint64_t ldsBusy = 0;    ///< of compute units, conflicts included
  uint64_t ldsConflicts = 0, ldsAddressConflicts = 0; ///< the second in both
  uint64_t addressBusy = 0; ///< of compute units: vector memory's address unit
  uint64_t workingSimdCycles = 0; ///< of SIMDs: matrix core or vector ALU
  uint64_t activeCuCycles = 0;    ///< of compute units that have a workgroup
  uint64_t activeSimdCycles = 0;  ///< of SIMDs that have a wavefront
  uint64_t drainCycles = 0; ///< from the last wavefront's end on: stores on
                            ///< their way, and writing back
  /// Of the busiest channel of L2: the share of the time in which atomics held
  /// it, so that whatever else wanted it waited.
  double atomicChannelShare = 0;
  uint64_t waveCycles = 0; ///< wavefronts' lives, summed up
  StallCycles stalls = {};
  std::array<uint64_t, issueKinds> issues = {};
  MemoryCounters memory;
  Occupancy occupancy;
  unsigned usedComputeUnits = 0; ///< that got any workgroup
  // Of workgroups that ran to their ends in detail.
  uint64_t longestWorkgroup = 0; ///< its number in the grid
  uint64_t longestWorkgroupCycles = 0, meanWorkgroupCycles = 0;

  /// By address relative to the kernel's entry.
  std::map<uint64_t, InstructionTiming> code;
  std::vector<WaveTrace> traces;

  // What was run in detail.
  bool sampled = false;
  uint64_t sampledWorkgroups = 0;
  std::string sampling; ///< one sentence that says how

  double seconds(double clockGHz) const { return cycles / (clockGHz * 1e9); }
  /// The clock that the board's power allows for long, by how busy matrix cores
  /// and vector ALUs are: an estimate for times, cycles do not depend on it.
  double clockUnderLoadGHz() const;
  /// Shares of all units' cycles of the whole launch, 0 to 1.
  double matrixUtilization() const { return share(matrixBusy, simds); }
  double vectorUtilization() const { return share(vectorBusy, simds); }
  double ldsUtilization() const { return share(ldsBusy, computeUnits); }

private:
  double share(uint64_t busy, unsigned units) const {
    return cycles && units ? double(busy) / (double(cycles) * units) : 0;
  }
};

} // namespace tlc::sim

#endif // TLC_SIMULATOR_TIMING_TIMING_H
