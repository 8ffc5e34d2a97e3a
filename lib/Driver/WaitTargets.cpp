//===- WaitTargets.cpp - Which load an s_waitcnt waits for ----------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A time spent in `s_waitcnt vmcnt(2)` belongs to the youngest load that must
// have arrived: the third from the last that was issued. The queues of what is
// outstanding are followed through the code in order of address. At a backward
// branch the walk repeats the loop once, so that at its head the queues hold
// what its end has issued; the second result replaces the first.
//
//   L: s_waitcnt vmcnt(0)   ; first: the prologue's load; then: the one below
//      v_add_f32 ...
//      global_load_dword v1, ...
//      s_cbranch_scc1 L
//
//===----------------------------------------------------------------------===//

#include "FromTiming.h"
#include "tlc/Simulator/Decode/Instruction.h"
#include <deque>
#include <map>

using namespace tlc;
using sim::Encoding;
using sim::Instruction;

namespace {

constexpr size_t unknown = ~size_t(0);

/// Indices of instructions whose results are outstanding, oldest first.
struct Queues {
  std::deque<size_t> memory, local; ///< vmcnt; lgkmcnt
};

bool isVectorMemory(const Instruction &inst) {
  switch (inst.encoding) {
  case Encoding::MUBUF:
  case Encoding::MTBUF:
  case Encoding::FLAT:
  case Encoding::GLOBAL:
  case Encoding::SCRATCH:
    return inst.has(sim::flag::Load | sim::flag::Store | sim::flag::Atomic);
  default:
    return false;
  }
}

/// The youngest of a queue that a wait for \p count needs; drops what it
/// completes.
size_t waitFor(std::deque<size_t> &queue, unsigned count) {
  if (queue.size() <= count)
    return unknown;
  size_t target = queue[queue.size() - count - 1];
  queue.erase(queue.begin(), queue.end() - count);
  return target;
}

/// One walk through the code; linear, since each backward branch is taken once.
class Walk {
public:
  Walk(const DecodedCode &code, WaitTargets &targets)
      : code(code), targets(targets) {
    for (size_t i = 0; i < code.addresses.size(); ++i)
      indexOf[code.addresses[i]] = i;
  }

  void run() {
    for (size_t i = 0; i < code.instructions.size();) {
      step(i);
      std::optional<size_t> back = backwardTarget(i);
      if (back && !followed[i]) {
        followed[i] = true;
        i = *back;
      } else {
        ++i;
      }
    }
  }

private:
  /// Where a backward branch inside the code goes; none for all other
  /// instructions.
  std::optional<size_t> backwardTarget(size_t i) const {
    const Instruction &inst = code.instructions[i];
    if (sim::opcodeInfo(inst.op).constant != sim::ConstantKind::Branch)
      return std::nullopt;
    auto found = indexOf.find(inst.branchTarget(code.addresses[i]));
    if (found == indexOf.end() || found->second > i)
      return std::nullopt;
    return found->second;
  }

  void step(size_t i) {
    // Nobody waits for what a branch has left out.
    if (!code.executed.empty() && !code.executed[i])
      return;
    const Instruction &inst = code.instructions[i];
    if (inst.op == sim::Opcode::s_waitcnt) {
      if (size_t at = waitFor(queues.memory, inst.vmcnt()); at != unknown)
        targets.memory[i] = at;
      if (size_t at = waitFor(queues.local, inst.lgkmcnt()); at != unknown)
        (isScalarLoad(at) ? targets.scalar : targets.lds)[i] = at;
    } else if (isVectorMemory(inst)) {
      targets.before[i] =
          queues.memory.empty() ? unknown : queues.memory.back();
      queues.memory.push_back(i);
    } else if (inst.encoding == Encoding::DS ||
               inst.encoding == Encoding::SMEM) {
      queues.local.push_back(i);
    }
  }

  bool isScalarLoad(size_t i) const {
    return code.instructions[i].encoding == Encoding::SMEM;
  }

  const DecodedCode &code;
  WaitTargets &targets;
  std::map<uint64_t, size_t> indexOf;
  std::map<size_t, bool> followed;
  Queues queues;
};

} // namespace

WaitTargets tlc::findWaitTargets(const DecodedCode &code) {
  WaitTargets targets;
  size_t size = code.instructions.size();
  targets.memory.assign(size, unknown);
  targets.lds.assign(size, unknown);
  targets.scalar.assign(size, unknown);
  targets.before.assign(size, unknown);
  Walk(code, targets).run();
  return targets;
}
