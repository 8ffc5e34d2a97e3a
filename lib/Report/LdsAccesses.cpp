//===- LdsAccesses.cpp - LDS accesses of a kernel, priced -------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Addresses of an access are evaluated in all threads (LaneValues.h), wavefront
// by wavefront, and priced by the rules of LdsBanks.h. Branches around the
// access take lanes out where their condition is known.
//
//   wave.lds_load %a : vector<8xf16>     %a = 16 * lane
//   ->  16 bytes a lane, 8 cycles, 0 conflicts
//
//===----------------------------------------------------------------------===//

#include "tlc/Report/LdsAccesses.h"
#include "LaneValues.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::report;

/// "file:line" of the innermost place that is in a file; "" if there is none.
std::string report::sourceLine(Location loc) {
  if (auto file = loc->findInstanceOf<FileLineColLoc>())
    return (file.getFilename().getValue() + ":" + Twine(file.getLine())).str();
  return "";
}

/// Bytes that a lane moves; a bool takes one.
static unsigned bytesOf(Type type) {
  int64_t elements = 1;
  if (auto vector = dyn_cast<VectorType>(type)) {
    elements = vector.getNumElements();
    type = vector.getElementType();
  }
  return elements * std::max(1u, type.getIntOrFloatBitWidth() / 8);
}

/// Clears lanes that the branches around `op` keep away from it. False if one
/// of them cannot be decided here. A branch that all lanes take together, one
/// way or the other, changes nothing: the access is priced for when it happens.
static bool restrictToBranches(Operation *op, LaneEvaluator &evaluator,
                               std::vector<bool> &active) {
  bool exact = true;
  // From the inside out, up to the kernel.
  for (Operation *inner = op; !isa<wave::KernelOp>(inner->getParentOp());
       inner = inner->getParentOp()) {
    auto branch = dyn_cast<scf::IfOp>(inner->getParentOp());
    if (!branch)
      continue;
    const LaneValue &condition = evaluator.evaluate(branch.getCondition());
    bool taken = inner->getParentRegion() == &branch.getThenRegion();
    if (condition.isExact()) {
      for (size_t t = 0; t < active.size(); ++t)
        active[t] = active[t] && ((condition.lanes[t] & 1) != 0) == taken;
    } else if (!condition.isUniform()) {
      exact = false;
    }
  }
  return exact;
}

/// One access of every wavefront of the workgroup.
static LdsAccess price(Operation *op, Value address, int64_t offset,
                       unsigned bytes, LdsDirection direction,
                       LaneEvaluator &evaluator) {
  LdsAccess access{op, op->getLoc(), direction, bytes, 0, {}, true};
  const LaneValue lanes = evaluator.evaluate(address);
  size_t threads = op->getParentOfType<wave::KernelOp>().getThreads();
  std::vector<bool> active(threads, true);
  access.exact = restrictToBranches(op, evaluator, active) && lanes.known;
  // The same shift of all addresses by whole dwords turns the banks only.
  access.exact &= lanes.unit % 4 == 0;
  for (size_t wave = 0; wave * kWaveSize < threads; ++wave) {
    uint32_t addresses[kWaveSize] = {};
    uint64_t mask = 0;
    for (size_t l = 0; l < kWaveSize && wave * kWaveSize + l < threads; ++l) {
      if (lanes.known)
        addresses[l] = uint32_t(lanes.lanes[wave * kWaveSize + l] + offset);
      mask |= uint64_t(active[wave * kWaveSize + l]) << l;
    }
    // No lane of this wavefront gets here: it does not issue the access.
    if (!mask)
      continue;
    ++access.waves;
    // Wider accesses than an instruction moves are several.
    for (unsigned done = 0; done < bytes; done += 16) {
      unsigned part = std::min(bytes - done, 16u);
      LdsCycles cycles = ldsCycles(direction, part, addresses, mask);
      access.cycles.base += cycles.base;
      access.cycles.conflicts += lanes.known ? cycles.conflicts : 0;
    }
  }
  return access;
}

/// In the order of the code. An atomic costs what a write does.
std::vector<LdsAccess> report::findLdsAccesses(wave::KernelOp kernel) {
  std::vector<LdsAccess> accesses;
  LaneEvaluator evaluator(kernel);
  kernel.walk([&](Operation *op) {
    if (auto load = dyn_cast<wave::LdsLoadOp>(op))
      accesses.push_back(price(op, load.getAddr(), int64_t(load.getOffset()),
                               bytesOf(load.getType()), LdsDirection::Read,
                               evaluator));
    else if (auto store = dyn_cast<wave::LdsStoreOp>(op))
      accesses.push_back(price(op, store.getAddr(), int64_t(store.getOffset()),
                               bytesOf(store.getValue().getType()),
                               LdsDirection::Write, evaluator));
    else if (auto atomic = dyn_cast<wave::LdsAtomicOp>(op))
      accesses.push_back(price(op, atomic.getAddr(), 0,
                               bytesOf(atomic.getType()), LdsDirection::Write,
                               evaluator));
  });
  return accesses;
}
