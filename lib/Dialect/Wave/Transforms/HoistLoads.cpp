//===- HoistLoads.cpp - Loads of a loop's first iterations ----------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rows that a schedule puts before its loop load what the first iterations
// need, each where the row has it, and code generation moves the stores to LDS
// up to them: the latency of global memory is waited for once a tile and a row,
// with nothing else to do. So the loads before the loop are issued together, in
// front of the first op that waits for one of them: past LDS accesses and
// barriers that do not order global memory. A scheduling barrier keeps them
// there. Those that go to LDS before the loop come first: the way through LDS
// is then under way while the others arrive.
//
//   %q = wave.buffer_load ...            %q = wave.buffer_load ...
//   wave.lds_store %q, ...               %k = wave.buffer_load ...
//   wave.barrier                   =>    wave.sched_barrier
//   %d = wave.mfma ...                   wave.lds_store %q, ...
//   %k = wave.buffer_load ...            wave.barrier
//   wave.lds_store %k, ...               %d = wave.mfma ...
//                                        wave.lds_store %k, ...
//
//===----------------------------------------------------------------------===//

#include "EmitSchedule.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::wave;

/// Whether a load from global memory may come before the op.
static bool letsPass(Operation *op) {
  if (op->getNumRegions()) {
    bool all = !isa<scf::ForOp, scf::WhileOp>(op);
    op->walk([&](Operation *inner) {
      all = all && (inner == op || isa<scf::YieldOp>(inner) || letsPass(inner));
    });
    return all;
  }
  if (isa<BarrierOp>(op))
    return !op->hasAttr(kSyncGlobalAttr);
  return isPure(op) || isa<LdsLoadOp, LdsStoreOp, BufferLoadOp, GlobalLoadOp,
                           SchedBarrierOp, SetPrioOp>(op);
}

/// The ops of the block from \p begin on that \p op needs, operands first, then
/// itself. False if one of them has effects.
static bool collect(Operation *op, Operation *begin,
                    llvm::SetVector<Operation *> &needed) {
  for (Value operand : op->getOperands()) {
    Operation *def = operand.getDefiningOp();
    if (!def || def->getBlock() != begin->getBlock() ||
        def->isBeforeInBlock(begin) || needed.contains(def))
      continue;
    if (def == begin || def->getNumRegions() || !isPure(def) ||
        !collect(def, begin, needed))
      return false;
  }
  needed.insert(op);
  return true;
}

/// Of the loads from \p begin on to \p end: those that LDS gets before what
/// follows go before all others.
static void storedFirst(Operation *begin, Operation *end) {
  Operation *first = nullptr;
  SmallVector<Operation *> stored;
  for (Operation *op = begin; op != end; op = op->getNextNode()) {
    if (!isa<BufferLoadOp>(op))
      continue;
    bool goes = llvm::any_of(op->getUsers(), [&](Operation *user) {
      return isa<LdsStoreOp>(user) && user->getBlock() == op->getBlock();
    });
    if (!goes && !first)
      first = op;
    else if (goes && first)
      stored.push_back(op);
  }
  for (Operation *op : stored) {
    llvm::SetVector<Operation *> needed;
    if (!collect(op, first, needed))
      return;
    for (Operation *each : needed)
      each->moveBefore(first);
  }
}

void wave::hoistLoads(Operation *first, Operation *end) {
  Operation *begin = first;
  while (Operation *before = begin->getPrevNode()) {
    if (!letsPass(before))
      break;
    begin = before;
  }
  // The first op that waits for a load, and the loads behind it.
  Operation *waits = nullptr;
  SmallVector<BufferLoadOp> late;
  llvm::SmallDenseSet<Value> loaded;
  for (Operation *op = begin; op != end && letsPass(op);
       op = op->getNextNode()) {
    if (isa<BufferLoadOp, GlobalLoadOp>(op))
      loaded.insert(op->getResult(0));
    auto load = dyn_cast<BufferLoadOp>(op);
    if (load && waits)
      late.push_back(load);
    else if (!waits && (isa<BarrierOp, LdsLoadOp, LdsStoreOp>(op) ||
                        op->getNumRegions() ||
                        llvm::any_of(op->getOperands(), [&](Value v) {
                          return loaded.contains(v);
                        })))
      waits = op;
  }
  Operation *last = nullptr;
  for (BufferLoadOp load : late) {
    llvm::SetVector<Operation *> needed;
    if (!collect(load, waits, needed))
      continue;
    for (Operation *op : needed)
      op->moveBefore(waits);
    last = load;
  }
  if (!last)
    return;
  OpBuilder b(waits);
  SchedBarrierOp::create(b, last->getLoc(), int64_t(0));
  storedFirst(begin, waits);
}
