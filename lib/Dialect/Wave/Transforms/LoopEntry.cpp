//===- LoopEntry.cpp - What stands before a scheduled loop ----------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Until the first tiles have come from memory nothing else matters: the loads
// of all wavefronts go before arithmetic of any, by priority, and what the loop
// begins with as a constant in registers, its sums, is written while the loads
// are under way. Code generation would do that last, when everything has
// arrived.
//
//   %v = wave.buffer_load ...             wave.setprio 3
//   wave.lds_store %v ...                 %v = wave.buffer_load ...
//   scf.for ... iter_args(%d = %zero)     wave.setprio 0
//                                    =>   %d0 = wave.opaque %zero
//                                         wave.sched_barrier
//                                         wave.lds_store %v ...
//                                         scf.for ... iter_args(%d = %d0)
//
//===----------------------------------------------------------------------===//

#include "EmitSchedule.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::wave;

bool wave::isFirstInLds(scf::ForOp loop) {
  Operation *kernel = loop->getParentOfType<KernelOp>();
  if (!kernel)
    return false;
  for (Operation *at = loop; at != kernel; at = at->getParentOp())
    if (at != loop && !isa<scf::IfOp>(at))
      return false;
  bool unused = true;
  kernel->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == loop)
      return WalkResult::interrupt();
    bool memory = isa<LdsLoadOp, LdsStoreOp, LdsAtomicOp>(op) ||
                  hasEffect<MemoryEffects::Write>(op);
    unused &= !memory || isa<SchedBarrierOp, SetPrioOp>(op);
    return unused ? WalkResult::advance() : WalkResult::interrupt();
  });
  return unused;
}

void wave::beginEarly(OpBuilder &b, scf::ForOp loop,
                      MutableArrayRef<Value> values) {
  auto kernel = loop->getParentOfType<KernelOp>();
  if (!kernel)
    return;
  // The first op before the loop that waits for a load.
  Block *block = b.getInsertionBlock();
  Operation *first = nullptr;
  llvm::SmallDenseSet<Value> loaded;
  for (Operation &op :
       llvm::make_range(block->begin(), b.getInsertionPoint())) {
    bool waits = isa<BarrierOp, LdsLoadOp, LdsStoreOp>(op) ||
                 llvm::any_of(op.getOperands(),
                              [&](Value v) { return loaded.contains(v); });
    if (waits && !loaded.empty()) {
      first = &op;
      break;
    }
    if (isa<BufferLoadOp, GlobalLoadOp>(op))
      loaded.insert(op.getResult(0));
  }
  if (!first)
    return;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(first);
  // Loads of all wavefronts go before arithmetic of any.
  if (first->getParentOp() == kernel.getOperation()) {
    SetPrioOp::create(b, loop.getLoc(), int64_t(0));
    SchedBarrierOp::create(b, loop.getLoc(), int64_t(0));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(block);
    SetPrioOp::create(b, loop.getLoc(), int64_t(3));
  }
  // Numbered, or equal ones would be one.
  int64_t number = 0;
  for (Value &v : values) {
    // What fills whole registers of a tuple that exists.
    auto type = dyn_cast<VectorType>(v.getType());
    if (!type || type.getRank() != 1 || type.getElementTypeBitWidth() != 32 ||
        !llvm::isPowerOf2_64(type.getNumElements()) ||
        type.getNumElements() > 32 || !matchPattern(v, m_Constant()))
      continue;
    auto opaque = OpaqueOp::create(b, loop.getLoc(), type, v);
    opaque->setAttr(kNumberAttr, b.getI64IntegerAttr(number++));
    v = opaque;
  }
  if (number)
    SchedBarrierOp::create(b, loop.getLoc(), int64_t(0));
}
