//===- LdsAccesses.h - LDS accesses of a kernel, unexecuted -----*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What each LDS instruction of a kernel's code costs by the phase rules, before
// anything runs. The address of every lane follows from the lane's number, the
// wavefront's, and constants, as far as it does not depend on data: the code is
// followed with what is known of each register. The simulator counts the same
// from real addresses, by the same rules; the two must agree.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_SIMULATOR_PREDICT_LDSACCESSES_H
#define TLC_SIMULATOR_PREDICT_LDSACCESSES_H

#include "tlc/Simulator/Memory/CodeObject.h"
#include "tlc/Support/LdsBanks.h"
#include <vector>

namespace tlc::sim {

/// How much of an access is known.
enum class LdsCertainty : uint8_t {
  Exact,
  AtMost, ///< by the lanes that take part, or from one execution to the next
  Unknown ///< the addresses are not known: no conflicts are told
};

/// What an access that is not exact depends on.
enum class LdsReason : uint8_t {
  None,
  Data,
  Uniform, ///< sizes, the place in the grid, counters of loops
  Trips,   ///< it differs from one trip of a loop to the next
  NotFollowed
};

/// One instruction, executed once by each wavefront that gets there.
struct LdsAccess {
  uint64_t address = 0; ///< virtual, of the instruction
  const char *mnemonic = "";
  LdsDirection direction = LdsDirection::Read;
  unsigned bytes = 0;    ///< a lane
  unsigned accesses = 1; ///< 2: with two offsets
  unsigned waves = 0;    ///< wavefronts of a workgroup that get there
  LdsCycles cycles;      ///< of all of them together
  /// Conflict cycles of one wavefront.
  unsigned least = 0, most = 0;
  LdsCertainty certainty = LdsCertainty::Exact;
  LdsReason reason = LdsReason::None;
  bool ofLanes = false; ///< the lanes that take part; else the addresses
  uint64_t cause = 0;   ///< the instruction to blame, if there is one
};

/// In the order of the code; those that no wavefront can get to are left out.
/// `block` is the size of a workgroup.
std::vector<LdsAccess> predictLds(const CodeObject &object,
                                  const KernelInfo &kernel,
                                  const uint32_t block[3]);

} // namespace tlc::sim

#endif // TLC_SIMULATOR_PREDICT_LDSACCESSES_H
