//===- StaticOp.h - What the model knows of an instruction ------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything about an instruction that does not change from one execution to
// the next, worked out once. Instructions are numbered by their place in the
// code, in dwords.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_TIMING_STATICOP_H
#define TLC_LIB_SIMULATOR_TIMING_STATICOP_H

#include "../Check/OpFacts.h"
#include "tlc/Simulator/Execute/Program.h"
#include "tlc/Simulator/Timing/Timing.h"
#include "tlc/Support/LdsBanks.h"

namespace tlc::sim {

/// What an execution records beside the instruction's number.
enum class Payload : uint8_t { None, Lds, Vector, Scalar };

/// Words of it, the lines of vector memory apart.
constexpr uint8_t payloadWords(Payload payload) {
  return payload == Payload::None     ? 0
         : payload == Payload::Lds    ? 1
         : payload == Payload::Scalar ? 3
                                      : 5;
}

/// Instructions that the issue logic handles itself.
enum class Special : uint8_t { None, WaitCnt, Barrier, Nop, Priority, End };

/// What a SIMD's turn asks of an instruction.
struct OpTraits {
  static constexpr uint8_t usesVectorAlu = 1; ///< a category

  IssueKind kind = IssueKind::Internal;
  uint8_t category = 0;   ///< a bit; 0: the issue logic itself
  bool isLocal = false;   ///< touches nothing outside its SIMD
  bool staysInCu = false; ///< nothing outside its compute unit, and no barrier
  bool staysInUnit = false; ///< the same, or a barrier
};

struct alignas(64) StaticOp : OpTraits {
  Payload payload = Payload::None;
  uint8_t words = 1; ///< of its record, without the lines of vector memory
  Special special = Special::None;
  const Op *op = nullptr;
  uint8_t sizeBytes = 4;
  uint8_t sameLanes = 1; ///< see CodeTable::sameLanesFrom
  uint16_t straight = 0; ///< see CodeTable::straightFrom
  /// From here on, instructions that each take one turn of four cycles and four
  /// bytes, and how many of them use the vector ALU.
  uint16_t plain = 0, plainVector = 0;
  // Vector ALU and matrix core.
  uint16_t vectorCycles = 0; ///< the SIMD's ALU, for others too
  uint16_t waveCycles = 0;   ///< until this wavefront's next vector operation
  uint16_t matrixCycles = 0;
  // Counters: what may be outstanding, for s_waitcnt, and for a memory
  // operation to have room.
  static constexpr uint8_t anyNumber = 255; ///< not waited for
  uint8_t waitVector = anyNumber, waitOther = anyNumber;
  uint16_t idleCycles = 0; ///< s_nop, s_sleep
  uint8_t priority = 0;    ///< s_setprio
  // Memory.
  bool isStore = false, isAtomic = false, bypassesL1 = false, toLds = false;
  std::shared_ptr<const OpFacts> facts; ///< vector memory
  uint8_t laneBytes = 0;    ///< vector memory, LDS: that a lane moves
  uint8_t offsetStride = 1; ///< LDS forms with two offsets: lane sizes a step
  uint8_t ldsIn = 0, ldsOut = 0; ///< cycles at the ports
  tlc::LdsDirection ldsDirection : 2 = tlc::LdsDirection::Read;
  bool changesLanes : 1 = false; ///< writes EXEC
  uint16_t ldsNumber = 0;        ///< among the LDS instructions met so far
};

static_assert(sizeof(StaticOp) == 64, "a line of the host's cache");

/// The static facts of a program's instructions; made when first asked for.
class CodeTable {
public:
  explicit CodeTable(Program &program);

  /// Thread safe.
  uint32_t indexOf(const Op &op) const {
    return uint32_t(op.address - base) / 4;
  }
  const StaticOp &get(const Op &op) {
    uint32_t index = indexOf(op);
    return known[index].load(std::memory_order_acquire) ? rows[index]
                                                        : learn(op);
  }
  /// How many instructions from \p op on, one behind the other, can run
  /// without a look between them: they touch no memory and go nowhere else.
  unsigned straightFrom(const Op &op) { return get(op).straight; }
  /// The same, as long as all of them behind the first run under one EXEC: at
  /// most 255.
  unsigned sameLanesFrom(const Op &op) {
    const StaticOp &row = get(op);
    return std::min<unsigned>(row.straight, row.sameLanes);
  }
  /// Of an index that `get` was called for.
  const StaticOp &at(uint32_t index) const { return rows[index]; }
  uint32_t size() const { return uint32_t(rows.size()); }
  uint64_t addressOf(uint32_t index) const { return base + index * 4; }

private:
  const StaticOp &learn(const Op &op);

  uint64_t base;
  std::vector<StaticOp> rows;
  std::unique_ptr<std::atomic<bool>[]> known;
  std::mutex mutex;
  uint16_t ldsCount = 0;
};

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_TIMING_STATICOP_H
