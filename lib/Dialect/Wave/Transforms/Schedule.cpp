//===- Schedule.cpp - Hot loops slot by slot ------------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `wave-schedule`. Innermost loops with matrix instructions are
// modulo-scheduled: a slot for each of them, beside which stand at most one
// memory instruction (more where there are more than slots) and a share of the
// vector work, be it of the same iteration or of its neighbours. Each slot ends
// in a scheduling barrier, so that code generation keeps the order and only
// adds the waits.
//
//   1. LoopGraph.cpp    what costs what, and the dependences
//   2. Placement.cpp    a time for each op
//   3. EmitSchedule.cpp the loop in that order, its first rows before it
//
// A loop that cannot be overlapped (it reads what it writes in global memory,
// LDS has no second copy of a tile, ...) is ordered within its iteration. A
// loop that cannot be scheduled stays as it is; a remark says why.
//
//   scf.for %i ... {                     scf.for %i ... {
//     wave.barrier                         %d = wave.mfma ...
//     %k = wave.lds_load ...               %k4 = wave.lds_load ...
//     ...                          =>      %e = math.exp2 %x   (iteration - 1)
//     %d = wave.mfma ...                   wave.sched_barrier
//     ...                                  %d1 = wave.mfma ...
//     %e = math.exp2 ...                   ...
//
//===----------------------------------------------------------------------===//

#include "EmitSchedule.h"
#include "tlc/Dialect/Wave/Transforms/Passes.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::wave;

namespace tlc::wave {
#define GEN_PASS_DEF_WAVESCHEDULE
#include "tlc/Dialect/Wave/Transforms/Passes.h.inc"
} // namespace tlc::wave

/// Where lanes of a copy reach beyond the tile, its stores to LDS stand in a
/// branch. Each gets one of its own, so that it can have a slot; what is stored
/// is put together for all lanes.
static void splitGuardedStores(scf::ForOp loop) {
  SmallVector<scf::IfOp> branches;
  for (auto branch : loop.getBody()->getOps<scf::IfOp>()) {
    bool stores = !branch.getNumResults() && !branch.elseBlock();
    for (Operation &op : branch.thenBlock()->without_terminator())
      stores &= isa<LdsStoreOp>(op) || isPure(&op);
    if (stores)
      branches.push_back(branch);
  }
  for (scf::IfOp branch : branches) {
    OpBuilder b(branch);
    SmallVector<Operation *> ops;
    for (Operation &op : branch.thenBlock()->without_terminator())
      ops.push_back(&op);
    for (Operation *op : ops) {
      if (!isa<LdsStoreOp>(op)) {
        op->moveBefore(branch);
        continue;
      }
      auto own = scf::IfOp::create(b, op->getLoc(), branch.getCondition(),
                                   /*withElseRegion=*/false);
      op->moveBefore(own.thenBlock()->getTerminator());
      for (StringRef name : {kLdsAttr, kSlotAttr})
        if (Attribute attr = op->getAttr(name))
          own->setAttr(name, attr);
    }
    branch.erase();
  }
}

/// Masks that no iteration changes are made before the loop: their readers may
/// then stand anywhere in it.
static void hoistMasks(scf::ForOp loop) {
  for (Operation &op : llvm::make_early_inc_range(*loop.getBody()))
    if (isa<arith::CmpIOp, arith::CmpFOp>(op) &&
        llvm::all_of(op.getOperands(),
                     [&](Value v) { return loop.isDefinedOutsideOfLoop(v); }))
      op.moveBefore(loop);
}

/// Fewer matrix instructions than this make no loop hot.
constexpr int kMinMatrix = 4;

static bool isHot(Block *block) {
  return llvm::range_size(block->getOps<MfmaOp>()) >= kMinMatrix;
}

/// A branch in a loop as a loop of its own, of one iteration, which can be
/// ordered. What the branch leaves otherwise is what the loop begins with.
static scf::ForOp makeLoop(scf::IfOp branch) {
  OpBuilder b(branch);
  Location loc = branch.getLoc();
  SmallVector<Value> otherwise;
  if (branch.elseBlock())
    llvm::append_range(otherwise, branch.elseYield().getOperands());
  Value zero = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
  Value one = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(1));
  auto loop = scf::ForOp::create(b, loc, zero, one, one, otherwise);
  Block *body = loop.getBody(), *then = branch.thenBlock();
  if (!body->empty())
    body->back().erase();
  body->getOperations().splice(body->end(), then->getOperations());
  branch->replaceAllUsesWith(loop);
  return loop;
}

/// And back.
static void makeBranch(scf::ForOp loop, Value condition) {
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  auto branch = scf::IfOp::create(b, loc, loop.getResultTypes(), condition,
                                  /*withElseRegion=*/loop.getNumResults() > 0);
  Block *body = loop.getBody(), *then = branch.thenBlock();
  for (auto [arg, init] : llvm::zip(loop.getRegionIterArgs(), loop.getInits()))
    arg.replaceAllUsesWith(init);
  loop.getInductionVar().replaceAllUsesWith(loop.getLowerBound());
  if (!then->empty())
    then->back().erase();
  then->getOperations().splice(then->end(), body->getOperations());
  if (branch.elseBlock()) {
    b.setInsertionPointToEnd(branch.elseBlock());
    scf::YieldOp::create(b, loc, loop.getInits());
  }
  branch->setAttr(kScheduledAttr, b.getUnitAttr());
  loop->replaceAllUsesWith(branch);
  loop.erase();
}

namespace {

struct Schedule : tlc::wave::impl::WaveScheduleBase<Schedule> {
  using WaveScheduleBase::WaveScheduleBase;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (isHot(loop.getBody()) && !loop->hasAttr(kScheduledAttr))
        loops.push_back(loop);
    });
    SmallVector<scf::IfOp> branches;
    getOperation().walk([&](scf::IfOp branch) {
      bool plain = !branch.elseBlock() ||
                   branch.elseBlock()->without_terminator().empty();
      if (plain && isHot(branch.thenBlock()) &&
          isa<scf::ForOp>(branch->getParentOp()) &&
          !branch->hasAttr(kScheduledAttr))
        branches.push_back(branch);
    });
    for (scf::ForOp loop : loops) {
      splitGuardedStores(loop);
      hoistMasks(loop);
    }
    llvm::DenseSet<Operation *> seldom = findSeldom(loops);
    for (scf::ForOp loop : loops)
      schedule(loop, seldom.contains(loop), overlap);
    for (scf::IfOp branch : branches)
      scheduleBranch(branch);
  }

  llvm::DenseSet<Operation *> findSeldom(ArrayRef<scf::ForOp> loops);
  scf::ForOp schedule(scf::ForOp loop, bool isSeldom, bool overlap);
  void scheduleBranch(scf::IfOp branch);
  void describe(Location loc, const LoopGraph &graph, const Placement &p);
};
} // namespace

/// For tests and for reading: what stands in which slot, as stage:op#number.
void Schedule::describe(Location loc, const LoopGraph &graph,
                        const Placement &p) {
  for (int slot = 0; slot < p.interval; ++slot) {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "slot " << slot << ':';
    for (int i = 0, n = graph.nodes.size(); i < n; ++i)
      if (p.slot(i) == slot)
        os << ' ' << p.stage(i) << ':' << graph.nodes[i].op->getName() << '#'
           << i;
    mlir::emitRemark(loc) << text;
  }
}

/// Loops that do another one's matrix work with more vector work beside it: the
/// blocks at the edge of a mask, which are few.
llvm::DenseSet<Operation *> Schedule::findSeldom(ArrayRef<scf::ForOp> loops) {
  llvm::DenseSet<Operation *> seldom;
  if (loops.size() < 2)
    return seldom;
  llvm::DenseMap<int, int> least; // vector cycles, by matrix instructions
  SmallVector<std::pair<int, int>> work;
  for (scf::ForOp loop : loops) {
    LoopGraph graph(loop);
    (void)graph.build();
    work.push_back({graph.numMatrix, graph.vectorCycles});
    int &cycles =
        least.insert({graph.numMatrix, graph.vectorCycles}).first->second;
    cycles = std::min(cycles, graph.vectorCycles);
  }
  for (auto [loop, of] : llvm::zip(loops, work))
    if (of.second > least[of.first])
      seldom.insert(loop);
  return seldom;
}

/// One loop: graph, placement, emission. Falls back from overlap to one
/// iteration in line, and says why in the remark.
/// The loop as it is then.
scf::ForOp Schedule::schedule(scf::ForOp loop, bool isSeldom, bool overlap) {
  // Where iterations overlap, two barriers do; else all stay.
  auto graphOf = [&](bool twoBarriers) {
    auto graph = std::make_unique<LoopGraph>(loop, twoBarriers);
    graph->seldom = isSeldom;
    graph->ring = ring;
    return graph;
  };
  std::unique_ptr<LoopGraph> graph = graphOf(/*twoBarriers=*/overlap);
  std::string why = graph->build();
  if (!why.empty()) {
    loop.emitRemark("not scheduled: ") << why;
    return loop;
  }
  graph->rows = unroll ? rowsOfTurn(*graph) : 1;
  std::optional<Placement> placement;
  int blamed = -1;
  if (overlap && graph->serial.empty()) {
    placement = place(*graph, /*overlap=*/true, blamed);
    // Of tiles with one copy nothing is read while they are written: matrix
    // work goes on then if enough has been read before.
    if (!placement && graph->numBarriers > 1) {
      graph->ring =
          ring < LoopGraph::kRing ? LoopGraph::kRing * 5 / 4 : 2 * ring;
      placement = place(*graph, /*overlap=*/true, blamed);
      if (placement &&
          estimateRegisters(*graph, *placement) > graph->likelyRegisters())
        placement.reset();
    }
    if (!placement) {
      graph->serial = "no slot was found for ";
      graph->serial += blamed < 0
                           ? "so few"
                           : graph->nodes[blamed].op->getName().getStringRef();
      if (report && blamed >= 0)
        graph->nodes[blamed].op->emitRemark("no slot was found for this");
    }
  }
  if (placement && limit > 0 &&
      (isSeldom || estimateRegisters(*graph, *placement) >
                       std::max<int>(limit, graph->likelyRegisters()))) {
    placement.reset();
    graph->serial = "registers would not suffice";
  }
  // Accesses that several barriers kept apart come together where two remain.
  bool merged = graph->allBarriers > graph->numBarriers;
  if (!placement || merged) {
    std::unique_ptr<LoopGraph> all;
    if (merged) {
      all = graphOf(/*twoBarriers=*/false);
      (void)all->build();
      all->serial = placement ? "barriers would crowd LDS accesses"
                              : std::move(graph->serial);
    }
    LoopGraph &own = all ? *all : *graph;
    std::optional<Placement> inLine = place(own, /*overlap=*/false, blamed);
    // A rehearsal knows nothing of what overlap costs in registers and moves.
    constexpr int kOverlapGain = 8;
    if (!placement ||
        (inLine && rehearse(own, *inLine) * (kOverlapGain - 1) <
                       rehearse(*graph, *placement) * kOverlapGain)) {
      placement = std::move(inLine);
      if (all)
        graph = std::move(all);
    }
  }
  if (!placement) {
    loop.emitRemark("not scheduled: no order was found");
    return loop;
  }
  Location loc = loop.getLoc();
  if (report)
    describe(loc, *graph, *placement);
  int matrix = graph->numMatrix, cycles = graph->vectorCycles;
  int registers = estimateRegisters(*graph, *placement);
  scf::ForOp ordered = emitSchedule(*graph, *placement, pin);
  auto remark = mlir::emitRemark(loc, "scheduled: ");
  remark << matrix << " matrix instructions in " << placement->interval
         << " slots, " << cycles << " vector cycles, ";
  if (placement->stages > 1)
    remark << placement->stages << " iterations in flight";
  else
    remark << "iterations apart";
  if (!graph->serial.empty())
    remark << " (" << graph->serial << ")";
  remark << ", about " << registers << " vector registers";
  return ordered;
}

/// A step that a loop does only if a block is wanted is ordered as an iteration
/// that overlaps with no other.
void Schedule::scheduleBranch(scf::IfOp branch) {
  Value condition = branch.getCondition();
  scf::ForOp loop = makeLoop(branch);
  branch.erase();
  splitGuardedStores(loop);
  makeBranch(schedule(loop, /*isSeldom=*/false, /*overlap=*/false), condition);
}
