//===- GroupFacts.cpp - What a recorded workgroup does --------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GroupFacts.h"

#include "tlc/Simulator/Timing/Parameters.h"

#include <algorithm>
#include <set>

using namespace tlc::sim;

bool tlc::sim::mayWaitForOthers(CodeTable &code, const GroupRecord &group) {
  for (unsigned w = 0; w < group.waveCount; ++w) {
    bool found = false;
    forEachRecorded(code, group.waves[w],
                    [&](const StaticOp &op, const uint32_t *) {
                      const Instruction &inst = *op.op->inst;
                      // Atomics that return a value and coherent loads are how
                      // a workgroup learns of others.
                      if (op.payload == Payload::Vector)
                        found |= (op.isAtomic && !inst.dst.isNone()) ||
                                 (!op.isAtomic && !op.isStore && inst.sc1);
                    });
    if (found)
      return true;
  }
  return false;
}

bool tlc::sim::mayRunTwice(CodeTable &code, const GroupRecord &group,
                           const DeviceMemory &memory) {
  std::set<const Allocation *> loaded, stored;
  bool hasAtomics = false;
  for (unsigned w = 0; w < group.waveCount; ++w)
    forEachRecorded(code, group.waves[w],
                    [&](const StaticOp &op, const uint32_t *payload) {
                      hasAtomics |= op.isAtomic;
                      forEachLineOf(op, payload, [&](uint64_t line) {
                        (op.isStore ? stored : loaded)
                            .insert(memory.find(line * param::lineBytes));
                      });
                    });
  return !hasAtomics && std::none_of(stored.begin(), stored.end(),
                                     [&](const Allocation *each) {
                                       return loaded.count(each);
                                     });
}
