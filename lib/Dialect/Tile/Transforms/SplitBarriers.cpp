//===- SplitBarriers.cpp - Barriers out of divergent branches ---*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A barrier for part of the workgroup (`if tx < 256: ... T.sync_threads(3, 256)`)
// has no instruction on gfx942: all threads take part in the ones there are. So
// all threads walk the branch's structure, and what stands between barriers is
// guarded:
//
//   if %c { A; for %i { B; sync; C }; D }
//     -> if %c { A }
//        for %i { if %c { B }; sync; if %c { C } }
//        if %c { D }
//
// Arithmetic and loads move out with the structure: what they give the threads
// that do not take the branch is not used.
//
// A workgroup that is padded to whole wavefronts is such a branch around its
// whole body, and the ops that all threads take part in are its barriers.
//
//===----------------------------------------------------------------------===//

#include "BufferUse.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

/// Ops that all threads of the workgroup take part in.
static bool isCollective(Operation *op) {
  return isa<SyncOp, CopyOp, FillOp, GemmOp, ReduceOp, ScanOp, TransposeOp,
             ParallelOp>(op);
}

static bool holds(Operation *op, bool barriersOnly) {
  return op
      ->walk([&](Operation *inner) {
        bool hit = barriersOnly ? isa<SyncOp>(inner) : isCollective(inner);
        return hit ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
class Splitter {
public:
  Splitter(Value condition, bool barriersOnly)
      : condition(condition), barriersOnly(barriersOnly) {}

  /// Moves the ops of `from` in front of `at`, guarded between barriers.
  LogicalResult split(Block *from, Operation *at);

private:
  /// Guards the ops of a block in place.
  LogicalResult splitInPlace(Block *body);

  Value condition;
  bool barriersOnly;
};
} // namespace

LogicalResult Splitter::split(Block *from, Operation *at) {
  SmallVector<Operation *> ops;
  for (Operation &op : from->without_terminator())
    ops.push_back(&op);
  OpBuilder b(at);
  scf::IfOp guard;
  for (Operation *op : ops) {
    if (isMemoryEffectFree(op) && op->getNumRegions() == 0) {
      op->moveBefore(guard ? guard.getOperation() : at);
      // Operands from a guarded part keep it there.
      bool inside = guard && llvm::any_of(op->getOperands(), [&](Value v) {
                      return guard->isAncestor(v.getParentBlock()->getParentOp());
                    });
      if (inside)
        op->moveBefore(guard.thenBlock()->getTerminator());
      continue;
    }
    if (isa<LoadOp, AllocOp>(op)) {
      guard = nullptr;
      op->moveBefore(at);
      continue;
    }
    if (!holds(op, barriersOnly)) {
      if (!guard) {
        b.setInsertionPoint(at);
        guard = scf::IfOp::create(b, op->getLoc(), condition, false);
      }
      op->moveBefore(guard.thenBlock()->getTerminator());
      continue;
    }
    guard = nullptr;
    op->moveBefore(at);
    if (barriersOnly ? isa<SyncOp>(op) : isCollective(op))
      continue;
    auto loop = dyn_cast<scf::ForOp>(op);
    if (loop && loop.getInitArgs().empty() && isUniform(loop.getLowerBound()) &&
        isUniform(loop.getUpperBound()) && isUniform(loop.getStep())) {
      if (failed(splitInPlace(loop.getBody())))
        return failure();
      continue;
    }
    auto branch = dyn_cast<scf::IfOp>(op);
    if (branch && !branch.getNumResults() && isUniform(branch.getCondition())) {
      if (failed(splitInPlace(branch.thenBlock())) ||
          (branch.elseBlock() && failed(splitInPlace(branch.elseBlock()))))
        return failure();
      continue;
    }
    return op->emitError("a barrier in control flow that the workgroup's "
                         "threads do not walk together");
  }
  return success();
}

LogicalResult Splitter::splitInPlace(Block *body) {
  Block scratch;
  scratch.getOperations().splice(scratch.begin(), body->getOperations(),
                                 body->begin(), std::prev(body->end()));
  OpBuilder end(condition.getContext());
  end.setInsertionPointToEnd(&scratch);
  YieldOp::create(end, condition.getLoc());
  return split(&scratch, body->getTerminator());
}

/// A use outside the guarded part that defines the value.
static LogicalResult verifyGuarded(KernelOp kernel) {
  WalkResult result = kernel.walk([](Operation *op) {
    for (Value v : op->getOperands()) {
      Operation *def = v.getDefiningOp();
      if (def && !def->getBlock()->getParent()->isAncestor(op->getParentRegion())) {
        InFlightDiagnostic diag =
            def->emitError("a value from before a barrier that not all threads "
                           "of the workgroup reach is used after it");
        diag.attachNote(op->getLoc()) << "used here";
        return WalkResult::interrupt();
      }
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult tile::splitBarriers(KernelOp kernel) {
  bool changed = false;
  while (true) {
    scf::IfOp found;
    kernel.walk<WalkOrder::PreOrder>([&](scf::IfOp branch) {
      if (!holds(branch, true) || isUniform(branch.getCondition()))
        return WalkResult::advance();
      found = branch;
      return WalkResult::interrupt();
    });
    if (!found)
      return changed ? verifyGuarded(kernel) : success();
    if (found.getNumResults() || found.elseBlock())
      return found.emitError("a barrier in code that not all threads of the "
                             "workgroup run, with an else or a result");
    found.emitRemark("barriers for part of the workgroup: all threads wait at "
                     "them");
    if (failed(Splitter(found.getCondition(), true)
                   .split(found.thenBlock(), found)))
      return failure();
    found.erase();
    changed = true;
  }
}

LogicalResult tile::guardThreads(KernelOp kernel, scf::IfOp branch) {
  if (failed(Splitter(branch.getCondition(), false)
                 .split(branch.thenBlock(), branch)))
    return failure();
  branch.erase();
  return verifyGuarded(kernel);
}
