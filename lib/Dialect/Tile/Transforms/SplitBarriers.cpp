//===- SplitBarriers.cpp - Shared work out of divergent branches ----------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A barrier for part of the workgroup (`if tx < 256: ... T.sync_threads(3,
// 256)`) has no instruction on gfx942: all threads take part in the ones there
// are. So all threads walk the branch's structure, and what stands between
// barriers is guarded:
//
//   if %c { A; for %i { B; sync; C }; D }
//     -> if %c { A }
//        for %i { if %c { B }; sync; if %c { C } }
//        if %c { D }
//
// A tile op in such a branch (`if tx < 32: T.copy(...)`) is work that those
// threads share; all threads share it instead, and the branch is left to what
// is written per thread.
//
// Arithmetic and loads move out with the structure: what they give the threads
// that do not take the branch is not used.
//
// A workgroup that is padded to whole wavefronts is such a branch around its
// whole body, and the ops that all threads take part in are its barriers. So
// are stores to registers there: the threads beyond share the work of later
// tile ops, and need what these read.
//
//===----------------------------------------------------------------------===//

#include "BufferUse.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

/// Ops that all threads of the workgroup take part in. What fills or copies an
/// array of each thread is that thread's own.
static bool isCollective(Operation *op) {
  auto own = [](Value buffer) { return getSpace(buffer) == Space::Local; };
  if (auto fill = dyn_cast<FillOp>(op); fill && own(fill.getDst()))
    return false;
  if (auto copy = dyn_cast<CopyOp>(op);
      copy && (own(copy.getSrc()) || own(copy.getDst())))
    return false;
  return isa<SyncOp, CopyOp, FillOp, GemmOp, ReduceOp, ScanOp, TransposeOp,
             ParallelOp>(op);
}

/// Whether such an op is `op` or below it.
static bool holdsCollective(Operation *op, bool tileOpsOnly = false) {
  return op
      ->walk([&](Operation *inner) {
        bool hit = isCollective(inner) && !(tileOpsOnly && isa<SyncOp>(inner));
        return hit ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether a condition says which threads are meant: it is computed from thread
/// indices and what is the same for all threads.
static bool choosesThreads(Value v) {
  if (isUniform(v))
    return true;
  Operation *op = v.getDefiningOp();
  return op && (isa<ThreadIdOp>(op) ||
                (isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
                 !isa<ShuffleOp, BallotOp>(op) &&
                 llvm::all_of(op->getOperands(), choosesThreads)));
}

namespace {
class Splitter {
public:
  explicit Splitter(Value condition, bool padding = false)
      : condition(condition), padding(padding) {}

  /// Moves the ops of `from` in front of `at`, guarded between barriers.
  LogicalResult split(Block *from, Operation *at);

private:
  /// Guards the ops of a block in place.
  LogicalResult splitInPlace(Block *body);
  bool isForAll(Operation *op) const;
  bool holdsForAll(Operation *op) const;

  Value condition;
  bool padding;
};
} // namespace

/// A store to registers, of threads that only fill up a wavefront.
bool Splitter::isForAll(Operation *op) const {
  if (isCollective(op))
    return true;
  auto store = dyn_cast<StoreOp>(op);
  if (!padding || !store)
    return false;
  Space space = getSpace(store.getDest());
  return space == Space::Fragment || space == Space::Local;
}

bool Splitter::holdsForAll(Operation *op) const {
  return op
      ->walk([&](Operation *inner) {
        return isForAll(inner) ? WalkResult::interrupt()
                               : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Structure that all threads walk alike, or that two guards can stand for.
static bool canDivide(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return loop.getInitArgs().empty() && isUniform(loop.getLowerBound()) &&
           isUniform(loop.getUpperBound()) && isUniform(loop.getStep());
  auto branch = dyn_cast<scf::IfOp>(op);
  return branch && !branch.getNumResults();
}

/// Whether `op`, or an op in it, uses what an op in `guard` gives.
static bool usesResultOf(Operation *op, scf::IfOp guard) {
  return guard &&
         op->walk([&](Operation *inner) {
             for (Value v : inner->getOperands())
               if (guard->isAncestor(v.getParentBlock()->getParentOp()))
                 return WalkResult::interrupt();
             return WalkResult::advance();
           }).wasInterrupted();
}

/// In order: pure arithmetic moves out (and into the guard that is open, if it
/// depends on it); loads and allocs move out and close the guard; what has
/// effects goes into the open guard or a new one; ops of all threads stand
/// bare.
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
      if (usesResultOf(op, guard))
        op->moveBefore(guard.thenBlock()->getTerminator());
      continue;
    }
    if (isa<LoadOp, AllocOp>(op)) {
      guard = nullptr;
      op->moveBefore(at);
      continue;
    }
    // Where nothing is for all threads; or, of a store to registers, where it
    // cannot stand alone.
    bool alone = !holdsForAll(op);
    if (!alone && !holdsCollective(op))
      alone = usesResultOf(op, guard) || !(isForAll(op) || canDivide(op));
    if (alone) {
      if (!guard) {
        b.setInsertionPoint(at);
        guard = scf::IfOp::create(b, op->getLoc(), condition, false);
      }
      op->moveBefore(guard.thenBlock()->getTerminator());
      continue;
    }
    guard = nullptr;
    op->moveBefore(at);
    if (isForAll(op))
      continue;
    // Structure that all threads walk alike is kept, and its body split in
    // place.
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
    // A divergent branch in this one: both conditions, and its turn comes; its
    // else becomes a branch of its own.
    if (branch && !branch.getNumResults()) {
      Location loc = branch.getLoc();
      Value inner = branch.getCondition();
      b.setInsertionPoint(branch);
      Value both = arith::AndIOp::create(b, loc, condition, inner);
      if (Block *otherwise = branch.elseBlock()) {
        Value yes = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
        Value other = arith::XOrIOp::create(b, loc, inner, yes);
        other = arith::AndIOp::create(b, loc, condition, other);
        b.setInsertionPointAfter(branch);
        Block *to = scf::IfOp::create(b, loc, other, false).thenBlock();
        to->getOperations().splice(to->begin(), otherwise->getOperations(),
                                   otherwise->begin(),
                                   std::prev(otherwise->end()));
        branch.getElseRegion().getBlocks().clear();
      }
      branch.getConditionMutable().set(both);
      continue;
    }
    return op->emitError(
        "a barrier or tile operation in control flow that the workgroup's "
        "threads do not walk together");
  }
  return success();
}

/// Moves the body aside, so that its ops can be put back one by one.
LogicalResult Splitter::splitInPlace(Block *body) {
  Block scratch;
  scratch.getOperations().splice(scratch.begin(), body->getOperations(),
                                 body->begin(), std::prev(body->end()));
  OpBuilder end(condition.getContext());
  end.setInsertionPointToEnd(&scratch);
  YieldOp::create(end, condition.getLoc());
  return split(&scratch, body->getTerminator());
}

/// Refuses a value that a guard defines and code behind a barrier uses: it
/// would not be there for the threads outside. Reported at the definition.
static LogicalResult verifyGuarded(KernelOp kernel) {
  WalkResult result = kernel.walk([](Operation *op) {
    for (Value v : op->getOperands()) {
      Operation *def = v.getDefiningOp();
      if (def &&
          !def->getBlock()->getParent()->isAncestor(op->getParentRegion())) {
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

/// One branch at a time, from the outside in, until none is left; each round
/// removes a branch or gives inner ones a turn.
LogicalResult tile::splitBarriers(KernelOp kernel) {
  bool changed = false;
  while (true) {
    scf::IfOp found;
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<ParallelOp>(op))
        return WalkResult::skip();
      auto branch = dyn_cast<scf::IfOp>(op);
      if (!branch || !holdsCollective(branch) ||
          isUniform(branch.getCondition()))
        return WalkResult::advance();
      found = branch;
      return WalkResult::interrupt();
    });
    if (!found)
      return changed ? verifyGuarded(kernel) : success();
    Value condition = found.getCondition();
    // A result would have to be carried around the barrier.
    if (found.getNumResults())
      return found.emitError("a barrier in code that not all threads of the "
                             "workgroup run, with a result");
    if (holdsCollective(found, /*tileOpsOnly=*/true) &&
        !choosesThreads(condition))
      return found.emitError("a tile operation in code that each thread enters "
                             "or not by its own data");
    found.emitRemark("the workgroup's threads share the tile operations and "
                     "barriers of this branch");
    if (failed(Splitter(condition).split(found.thenBlock(), found)))
      return failure();
    if (found.elseBlock()) {
      OpBuilder b(found);
      Value yes =
          arith::ConstantOp::create(b, found.getLoc(), b.getBoolAttr(true));
      Value other = arith::XOrIOp::create(b, found.getLoc(), condition, yes);
      if (failed(Splitter(other).split(found.elseBlock(), found)))
        return failure();
    }
    found.erase();
    changed = true;
  }
}

/// `branch` is the guard of padding threads around the kernel's body.
LogicalResult tile::guardThreads(KernelOp kernel, scf::IfOp branch) {
  Splitter splitter(branch.getCondition(), /*padding=*/true);
  if (failed(splitter.split(branch.thenBlock(), branch)))
    return failure();
  branch.erase();
  return verifyGuarded(kernel);
}
