//===- Wave.h - State of one wavefront --------------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the instruction handlers work on: the registers of a wavefront of 64
// lanes, its workgroup's LDS, and the predecoded form of an instruction.
//
// A VGPR is 64 consecutive 32-bit words, one per lane, so that a handler is a
// loop over lanes that the compiler vectorises. Accumulation registers follow
// the architectural ones. This file is included by code compiled for several
// instruction sets of the host: it holds data and trivial functions only.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_SIMULATOR_EXECUTE_WAVE_H
#define TLC_SIMULATOR_EXECUTE_WAVE_H

#include "tlc/Simulator/Decode/Instruction.h"

#include <cstdint>

namespace tlc::sim {

constexpr unsigned waveLanes = 64;

/// Where the FLAT apertures lie: beyond any host address.
constexpr uint64_t sharedAperture = uint64_t(1) << 48;
constexpr uint64_t privateAperture = uint64_t(2) << 48;
constexpr uint64_t apertureBytes = uint64_t(1) << 32;

struct Wave;
struct Workgroup;
struct Op;
struct Allocation;
class DeviceMemory;
class Program;

/// Operands of a lane loop. A value of two dwords has its upper half 64 words
/// after the lower one. `mask` holds ~0 for active lanes, 0 for others.
struct Lanes {
  const uint32_t *a, *b, *c;
  uint32_t *d;
  const uint32_t *mask;
  const Op *op;
  Wave *wave;
};

using RunFunction = void (*)(Wave &, const Op &);
using LaneFunction = void (*)(const Lanes &);

/// A source, resolved as far as it can be before the run.
struct Source {
  OperandKind kind = OperandKind::None;
  DataType type = DataType::None;
  uint8_t dwords = 0;
  /// Vector: first word in the register file. Scalar: register number.
  uint32_t index = 0;
  uint64_t value = 0;              ///< of a constant
  const uint32_t *lanes = nullptr; ///< a constant, broadcast to all lanes
};

/// What decides the rounding and denormal mode an operation runs under.
enum class FloatMode : uint8_t { None, Single, HalfDouble };

/// An instruction ready to run.
struct Op {
  RunFunction run = nullptr;
  LaneFunction lanes = nullptr; ///< vector ALU only
  const Op *target = nullptr;   ///< of a branch with a fixed target
  const Instruction *inst = nullptr;
  Source src[4];
  /// Vector: first word in the register file. Scalar: register number.
  uint32_t dst = 0, sdst = 0;
  OperandKind dstKind = OperandKind::None;
  uint8_t dstDwords = 0;
  FloatMode mode = FloatMode::None;
  bool approximate = false; ///< no public bit-exact definition
  uint32_t number = 0;      ///< counts the program's decoded instructions
  uint64_t address = 0;     ///< device address of the instruction
};

/// s_set_gpr_idx moves the VGPR numbers of vector ALU instructions, lane reads
/// and writes among them, and of no others.
inline bool canBeIndexed(const Instruction &inst) {
  return inst.encoding >= Encoding::VOP1 && inst.encoding <= Encoding::VOP3P;
}

/// Why a wavefront is not running.
enum class WaveStatus : uint8_t {
  Ready,
  Yielded, ///< s_sleep, or its turn is over
  Barrier, ///< waits for the others of its workgroup
  Global,  ///< waits for its turn at global memory (atomics, coherent loads)
  Done,
  Faulted,
};

struct Wave {
  uint32_t *vgpr = nullptr; ///< register r, lane l: vgpr[r * 64 + l]
  uint32_t vgprCount = 0;   ///< of both kinds
  const Op *pc = nullptr;
  /// Instructions left of this turn. Handlers that end the turn call `stop`,
  /// which keeps what is left in `unused`.
  int64_t budget = 0, unused = 0;
  WaveStatus status = WaveStatus::Ready;
  bool scc = false;
  bool ieee = true, dx10Clamp = true;
  bool gprIndexing = false; ///< between s_set_gpr_idx_on and _off
  uint8_t gprIndexMask = 0;
  bool skipVector = false;  ///< s_setvskip
  bool globalTurn = false;  ///< runs the operation it waited for
  bool syncWaiting = false; ///< has arrived at a global barrier
  uint32_t syncRound = 0;   ///< of that barrier when it arrived
  uint32_t mode = 0;        ///< MODE register
  uint32_t trapStatus = 0;
  uint64_t executed = 0; ///< instructions of the turns before this one
  uint64_t matrixFlops = 0;

  /// Scalar registers by the number of an encoding: VCC, TTMP, M0 and EXEC
  /// have their places in it.
  alignas(64) uint32_t sgpr[128] = {};

  /// EXEC as one word per lane, valid for `expandedExec`.
  alignas(64) uint32_t execLanes[waveLanes] = {};
  uint64_t expandedExec = 0;

  /// Room for sources that are broadcast or modified: up to 4 of 4 dwords.
  alignas(64) uint32_t scratchLanes[5][4 * waveLanes];
  alignas(64) uint32_t maskLanes[waveLanes];

  Workgroup *group = nullptr;
  uint32_t number = 0; ///< within the workgroup

  /// Scratch memory: dword i of lane l is privateMemory[i * 64 + l].
  uint32_t *privateMemory = nullptr;
  uint32_t privateBytes = 0; ///< per lane

  /// Allocations used last, to find the next one quickly.
  const Allocation *recent[2] = {nullptr, nullptr};

  uint64_t exec() const { return pair(ScalarReg::ExecLo); }
  uint64_t vcc() const { return pair(ScalarReg::VccLo); }
  uint64_t pair(unsigned reg) const {
    return uint64_t(sgpr[reg + 1]) << 32 | sgpr[reg];
  }
  void setPair(unsigned reg, uint64_t value) {
    sgpr[reg] = static_cast<uint32_t>(value);
    sgpr[reg + 1] = static_cast<uint32_t>(value >> 32);
  }
  /// Ends the turn after this instruction.
  void stop(WaveStatus why) {
    status = why;
    unused = budget;
    budget = 0;
  }
};

/// What went wrong in a launch, first fault only.
struct Fault {
  const char *kind = nullptr; ///< "global-out-of-bounds", ...
  uint64_t address = 0;       ///< data address, if there is one
  uint32_t bytes = 0;
  int lane = -1;
  bool isStore = false;
  const char *detail = nullptr; ///< a static string, or null
};

/// The counters that all wavefronts of a launch share (ds_gws_*). Used only in
/// turns at global memory, one at a time.
struct GlobalSync {
  static constexpr unsigned count = 64;
  struct Resource {
    bool ready = false;
    uint32_t counter = 0;
    uint32_t round = 0; ///< barriers completed; wavefronts at a semaphore
  };
  Resource resources[count];
};

struct Workgroup {
  uint8_t *lds = nullptr;
  uint32_t ldsBytes = 0;
  uint32_t id[3] = {0, 0, 0};
  uint64_t linearId = 0;
  Wave *waves = nullptr;
  unsigned waveCount = 0;
  const DeviceMemory *memory = nullptr;
  Program *program = nullptr;
  GlobalSync *sync = nullptr;
  Fault fault;
  const Op *faultOp = nullptr;
  const Wave *faultWave = nullptr;
};

/// Ends the wavefront and with it the launch. The first fault of a workgroup
/// counts.
inline void raise(Wave &wave, const Op &op, const Fault &fault) {
  if (!wave.group->fault.kind) {
    wave.group->fault = fault;
    wave.group->faultOp = &op;
    wave.group->faultWave = &wave;
  }
  wave.stop(WaveStatus::Faulted);
}

/// The instruction at a device address, for computed jumps: decodes on demand.
/// Null outside the code.
const Op *instructionAt(Program &program, uint64_t address);

/// Finds the live allocation of `bytes` bytes at `address`; null if there is
/// none. Keeps `wave.recent` up to date.
const Allocation *findAllocation(Wave &wave, uint64_t address, uint64_t bytes);

/// "global-out-of-bounds", "global-use-after-free" or "global-wild-address".
const char *classifyAddress(const DeviceMemory &memory, uint64_t address);

} // namespace tlc::sim

#endif // TLC_SIMULATOR_EXECUTE_WAVE_H
