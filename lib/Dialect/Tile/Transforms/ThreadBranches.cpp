//===- ThreadBranches.cpp - Branches that some threads take -----*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs give parts of a workgroup work of their own:
//
//   if thread < 32:            if thread < 256:
//       tile ops A                 X
//   else:                          sync_threads(3, 256)
//       tile ops B                 Y
//
// 1. What a tile op does is independent of which threads do it, so that on the
//    left all threads do A and then B. The condition must hold for some thread
//    and, if there is an else, fail for some, which is found by evaluating it
//    for each; the branches must hold nothing that is each thread's own.
// 2. gfx942 has one barrier, for all threads of a workgroup. On the right the
//    branch is cut at its barriers, loops around them included, and all threads
//    meet there:
//
//   if thread < 256: X
//   sync_threads()
//   if thread < 256: Y
//
//===----------------------------------------------------------------------===//

#include "ThreadBranches.h"
#include "BufferUse.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

//===----------------------------------------------------------------------===//
// Tile ops for all threads
//===----------------------------------------------------------------------===//

/// The value of an expression of the thread's number and constants.
static std::optional<int64_t> evaluate(Value v, int64_t thread) {
  APInt constant;
  if (matchPattern(v, m_ConstantInt(&constant)))
    return v.getType().isInteger(1) ? int64_t(constant.getBoolValue())
                                    : constant.getSExtValue();
  Operation *op = v.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (auto id = dyn_cast<ThreadIdOp>(op))
    return id.getDim() == 0 ? std::optional(thread) : std::nullopt;
  SmallVector<int64_t, 2> in;
  for (Value operand : op->getOperands()) {
    auto x = evaluate(operand, thread);
    if (!x)
      return std::nullopt;
    in.push_back(*x);
  }
  if (isa<arith::ExtSIOp, arith::IndexCastOp>(op))
    return in[0];
  if (in.size() != 2)
    return std::nullopt;
  int64_t a = in[0], b = in[1];
  if (auto cmp = dyn_cast<arith::CmpIOp>(op))
    return arith::applyCmpPredicate(cmp.getPredicate(), APInt(64, a, true),
                                    APInt(64, b, true));
  if (isa<arith::AddIOp>(op))
    return a + b;
  if (isa<arith::SubIOp>(op))
    return a - b;
  if (isa<arith::MulIOp>(op))
    return a * b;
  if (isa<arith::AndIOp>(op))
    return a & b;
  if (isa<arith::OrIOp>(op))
    return a | b;
  if (isa<arith::XOrIOp>(op))
    return a ^ b;
  bool shift = b >= 0 && b < 31 && a >= 0, divide = b > 0 && a >= 0;
  if (isa<arith::ShRSIOp, arith::ShRUIOp>(op) && shift)
    return a >> b;
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>(op) && divide)
    return a / b;
  if (isa<arith::RemSIOp, arith::RemUIOp>(op) && divide)
    return a % b;
  return std::nullopt;
}

/// Whether all that a region does is the same done by any threads together.
static bool isCollective(mlir::Region &region, bool &hasTileOps) {
  WalkResult result = region.walk([&](Operation *op) {
    if (isa<CopyOp, FillOp, GemmOp, ReduceOp, ScanOp, TransposeOp, ParallelOp>(
            op))
      hasTileOps = true;
    bool own = isa<ThreadIdOp, SyncOp>(op);
    for (Value operand : op->getOperands())
      own |= !isa<BaseMemRefType>(operand.getType()) &&
             !region.isAncestor(operand.getParentRegion()) &&
             !isUniform(operand);
    if (auto load = dyn_cast<LoadOp>(op))
      own |= getSpace(load.getSource()) == Space::Local &&
             !op->getParentOfType<ParallelOp>() && !isUniform(load.getResult());
    if (!own && isa<TileDialect>(op->getDialect()) &&
        !op->getParentOfType<ParallelOp>()) {
      // A scalar that each thread keeps, and writes only here.
      if (auto store = dyn_cast<StoreOp>(op)) {
        Value base = getBase(store.getDest());
        own = getSpace(base) == Space::Local &&
              !region.isAncestor(base.getParentRegion());
      } else {
        own = !isa<CopyOp, FillOp, GemmOp, ReduceOp, ScanOp, TransposeOp,
                   ParallelOp, AllocOp, ViewOp, AliasOp, TensorOp, LoadOp,
                   YieldOp>(op);
      }
    }
    for (const BufferUse &use : getUses(op))
      if (use.write && !isa<StoreOp>(op)) {
        Value base = getBase(use.buffer);
        own |= getSpace(base) == Space::Local &&
               !region.isAncestor(base.getParentRegion());
      }
    return own ? WalkResult::interrupt() : WalkResult::advance();
  });
  return !result.wasInterrupted();
}

/// if (some threads) {A} else {B}  ->  A; B
static bool runByAll(scf::IfOp branch, int64_t threads) {
  bool tileOps = false;
  if (branch.getNumResults() ||
      !isCollective(branch.getThenRegion(), tileOps) ||
      !isCollective(branch.getElseRegion(), tileOps) || !tileOps)
    return false;
  bool holds = false, fails = false;
  for (int64_t t = 0; t < threads; ++t) {
    auto c = evaluate(branch.getCondition(), t);
    if (!c)
      return false;
    (*c ? holds : fails) = true;
  }
  branch.emitRemark("all threads run this branch, part by part: what its tile "
                    "operations do is independent of which threads do it");
  auto inlineBlock = [&](mlir::Region &region, bool taken) {
    if (region.empty() || !taken)
      return;
    for (Operation &op :
         llvm::make_early_inc_range(region.front().without_terminator()))
      op.moveBefore(branch);
  };
  inlineBlock(branch.getThenRegion(), holds);
  inlineBlock(branch.getElseRegion(), fails);
  branch.erase();
  return true;
}

//===----------------------------------------------------------------------===//
// Barriers for all threads
//===----------------------------------------------------------------------===//

static bool containsSync(Operation *op) {
  return op->walk([](SyncOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

namespace {
/// Moves the ops of a block out under a condition, cut at barriers.
class Cutter {
public:
  explicit Cutter(Location loc) : loc(loc) {}
  /// Whether `cut` can: loops around barriers have the same trips in all
  /// threads, and nothing carries values around them.
  static bool canCut(Block &block);
  /// Moves the ops of `block` before `b`'s insertion point, run where
  /// `condition` holds; barriers are run by all.
  void cut(OpBuilder &b, Block &block, Value condition);

private:
  void guard(OpBuilder &b, ArrayRef<Operation *> ops, Value condition);

  Location loc;
};
} // namespace

bool Cutter::canCut(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (!containsSync(&op) || isa<SyncOp>(op))
      continue;
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      if (loop.getNumResults() || !canCut(*loop.getBody()))
        return false;
      for (Value bound :
           {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
        if (!isUniform(bound) ||
            (bound.getDefiningOp() && bound.getParentBlock() == &block &&
             !bound.getDefiningOp()->hasTrait<OpTrait::ConstantLike>()))
          return false;
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      if (branch.getNumResults() || !canCut(branch.getThenRegion().front()) ||
          (branch.elseBlock() && !canCut(*branch.elseBlock())))
        return false;
    } else {
      return false;
    }
  }
  return true;
}

/// Puts ops, which are consecutive, into an `if`. What others use of theirs
/// becomes a result of it.
void Cutter::guard(OpBuilder &b, ArrayRef<Operation *> ops, Value condition) {
  SmallVector<Operation *> moved;
  llvm::SmallPtrSet<Operation *, 16> inside(ops.begin(), ops.end());
  SmallVector<Value> used;
  for (Operation *op : ops) {
    // Names of buffers and constants do nothing.
    if (isa<AllocOp, ViewOp, AliasOp>(op) ||
        op->hasTrait<OpTrait::ConstantLike>()) {
      op->moveBefore(&*b.getInsertionPoint());
      inside.erase(op);
      continue;
    }
    moved.push_back(op);
  }
  for (Operation *op : moved)
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            while (user && !inside.contains(user))
              user = user->getParentOp();
            return !user;
          }))
        used.push_back(result);
  if (moved.empty())
    return;
  auto branch = scf::IfOp::create(b, loc, ValueRange(used).getTypes(),
                                  condition, /*withElseRegion=*/!used.empty());
  Block *then = branch.thenBlock();
  if (then->mightHaveTerminator() && !then->empty())
    then->back().erase();
  for (Operation *op : moved)
    op->moveBefore(then, then->end());
  OpBuilder atEnd = OpBuilder::atBlockEnd(then);
  scf::YieldOp::create(atEnd, loc, used);
  if (used.empty())
    return;
  OpBuilder other = OpBuilder::atBlockEnd(branch.elseBlock());
  SmallVector<Value> zeros;
  for (Value v : used)
    zeros.push_back(
        arith::ConstantOp::create(other, loc, other.getZeroAttr(v.getType())));
  scf::YieldOp::create(other, loc, zeros);
  for (auto [old, result] : llvm::zip_equal(used, branch.getResults()))
    old.replaceUsesWithIf(result, [&](OpOperand &use) {
      return !branch->isProperAncestor(use.getOwner());
    });
}

void Cutter::cut(OpBuilder &b, Block &block, Value condition) {
  SmallVector<Operation *> run, all;
  for (Operation &op : block.without_terminator())
    all.push_back(&op);
  auto flush = [&] {
    guard(b, run, condition);
    run.clear();
  };
  for (Operation *op : all) {
    if (!containsSync(op)) {
      run.push_back(op);
      continue;
    }
    flush();
    if (isa<SyncOp>(op)) {
      op->moveBefore(&*b.getInsertionPoint());
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      auto outer = scf::ForOp::create(b, loc, loop.getLowerBound(),
                                      loop.getUpperBound(), loop.getStep());
      outer->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
      loop.getInductionVar().replaceAllUsesWith(outer.getInductionVar());
      OpBuilder inner(outer.getBody()->getTerminator());
      cut(inner, *loop.getBody(), condition);
      loop.erase();
    } else {
      auto branch = cast<scf::IfOp>(op);
      Value both =
          arith::AndIOp::create(b, loc, condition, branch.getCondition());
      Value one = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
      Value neither = arith::AndIOp::create(
          b, loc, condition,
          arith::XOrIOp::create(b, loc, branch.getCondition(), one));
      cut(b, branch.getThenRegion().front(), both);
      if (Block *other = branch.elseBlock())
        cut(b, *other, neither);
      branch.erase();
    }
  }
  flush();
}

void tile::flattenThreadBranches(KernelOp kernel) {
  SmallVector<scf::IfOp> branches;
  kernel.walk<WalkOrder::PreOrder>([&](scf::IfOp branch) {
    if (!isUniform(branch.getCondition()))
      branches.push_back(branch);
  });
  // Inner first for tile ops, outer first for barriers.
  SmallVector<scf::IfOp> left;
  for (scf::IfOp branch : llvm::reverse(branches))
    if (!runByAll(branch, kernel.getNumThreads()))
      left.push_back(branch);
  eraseDeadCode(kernel); // conditions that nothing needs any more
  llvm::SmallPtrSet<Operation *, 8> gone;
  for (scf::IfOp branch : llvm::reverse(left)) {
    if (gone.contains(branch) || !containsSync(branch) ||
        branch.getNumResults() ||
        !Cutter::canCut(branch.getThenRegion().front()) ||
        (branch.elseBlock() && !Cutter::canCut(*branch.elseBlock())))
      continue;
    branch.walk([&](scf::IfOp inner) {
      if (containsSync(inner))
        gone.insert(inner);
    });
    branch.emitRemark("the barriers in this branch are for all threads of the "
                      "workgroup: gfx942 has no other");
    Location loc = branch.getLoc();
    OpBuilder b(branch);
    Value condition = branch.getCondition();
    Cutter cutter(loc);
    cutter.cut(b, branch.getThenRegion().front(), condition);
    if (Block *other = branch.elseBlock()) {
      Value one = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
      cutter.cut(b, *other, arith::XOrIOp::create(b, loc, condition, one));
    }
    branch.erase();
  }
}
