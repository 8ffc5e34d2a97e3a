//===- InsertSync.cpp - Order accesses of different threads -----*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inserts tile.sync where an access to shared memory could meet an earlier one
// by another thread out of order. A forward walk keeps the accesses since the
// last barrier; an op in conflict with one of them (at least one of the two
// writes, their places may overlap) gets a barrier in front of it, as late as
// possible, so that one barrier serves many pairs.
//
// * Places are bytes once tile-fit-lds has set offsets: buffers that share
//   bytes conflict. Boxes at constant offsets, and the copies of a
//   double-buffered tile in one step (RotatingSlot.h), are told apart.
// * Loops: what is open at the end of the body enters it again, until nothing
//   changes; on the way round, a step's copies become those of the step before.
// * A tile.parallel, and a branch or loop that not all threads take, is one op:
//   the barrier goes in front of it. Inside such a branch no barrier can be: an
//   unordered pair there gets a warning, a tile.sync an error. A parallel that
//   reads and writes one buffer and that all threads reach gets
//   `tile.uniform`: where threads hold copies of points, tile-to-wave puts a
//   barrier between its reads and its writes.
// * An atomic that releases has a barrier before it, one that acquires a
// barrier
//   behind it, where all threads of the workgroup reach it.
// * Global tensors that a kernel both reads and writes count too; a barrier
//   that orders them carries `tile.global`. A barrier that the user wrote
//   stays, and orders everything. Scalar stores outside loops are thread 0's,
//   whose own order serves.
//
//   tile.copy %k to %K                  tile.copy %k to %K
//   tile.gemm %Q, %K into %S     ->     tile.sync
//                                       tile.gemm %Q, %K into %S
//
//===----------------------------------------------------------------------===//

#include "BufferUse.h"
#include "OwnElement.h"
#include "mlir/IR/Matchers.h"
#include "tlc/Dialect/Tile/Transforms/Messages.h"
#include "tlc/Dialect/Tile/Transforms/Passes.h"
#include "tlc/Dialect/Tile/Transforms/PerThread.h"
#include "tlc/Dialect/Tile/Transforms/RotatingSlot.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

namespace tlc::tile {
#define GEN_PASS_DEF_TILEINSERTSYNC
#include "tlc/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tlc::tile

namespace {
/// What an access touches, as far as it matters for overlap.
struct Footprint {
  Value storage; // the alloc, or the pointer behind a tensor
  bool global = false;
  int64_t ldsBegin = -1, ldsEnd = -1; // bytes, where known
  /// Constant box per dimension of the storage; extent 0 where unknown.
  SmallVector<std::pair<int64_t, int64_t>, 4> box;
  std::optional<RotatingSlot> slot; // of the leading dimension

  bool operator==(const Footprint &o) const {
    return storage == o.storage && box == o.box && slot == o.slot;
  }
};

/// An access that no barrier has ordered yet.
struct Open {
  Operation *op;
  Footprint place;
  bool read, write, atomic;
  /// Loops whose back edge it has come round since.
  SmallVector<Operation *, 2> loops = {};

  bool operator==(const Open &o) const {
    return op == o.op && place == o.place && read == o.read &&
           write == o.write && loops == o.loops;
  }
};
using State = SmallVector<Open>;
} // namespace

/// Union; states are small (the accesses between two barriers), so that a list
/// serves as a set.
static void merge(State &into, ArrayRef<Open> from) {
  for (const Open &open : from)
    if (!llvm::is_contained(into, open))
      into.push_back(open);
}

/// As exact as constants and rotating slots allow; what is unknown overlaps
/// all.
static Footprint placeOf(const BufferUse &access) {
  Footprint place;
  Value base = getBase(access.buffer);
  place.global = getSpace(base) == Space::Global;
  place.storage = base;
  if (auto tensor = base.getDefiningOp<TensorOp>())
    place.storage = tensor.getSource();
  if (auto alloc = base.getDefiningOp<AllocOp>())
    if (std::optional<int64_t> offset = alloc.getLdsOffset()) {
      place.ldsBegin = *offset;
      place.ldsEnd = *offset + getLdsBytes(alloc);
    }
  // A box is known for one view of the base. Two tensors over one pointer may
  // have different shapes: their boxes say nothing.
  auto view = access.buffer.getDefiningOp<ViewOp>();
  if (!view || view.getSource() != base || place.global)
    return place;
  auto shape = cast<MemRefType>(view.getType()).getShape();
  for (auto [offset, extent] : llvm::zip(view.getOffsets(), shape)) {
    APInt c;
    if (matchPattern(offset, m_ConstantInt(&c)))
      place.box.push_back({c.getSExtValue(), extent});
    else
      place.box.push_back({0, 0});
  }
  if (!shape.empty() && shape.front() == 1)
    place.slot = matchSlot(view.getOffsets().front());
  return place;
}

/// Different storages meet only in LDS, where tile-fit-lds has given both the
/// same bytes. Boxes and slots tell parts of one storage apart.
static bool mayOverlap(const Footprint &a, const Footprint &b) {
  if (a.global != b.global)
    return false;
  if (a.storage != b.storage)
    return a.ldsBegin >= 0 && b.ldsBegin >= 0 && a.ldsBegin < b.ldsEnd &&
           b.ldsBegin < a.ldsEnd;
  // Copies (t + c) mod n of one step t differ where c does: both c are below n.
  if (a.slot && b.slot && a.slot->loop == b.slot->loop &&
      a.slot->copies == b.slot->copies && a.slot->ahead != b.slot->ahead)
    return false;
  if (a.box.size() == b.box.size())
    for (auto [x, y] : llvm::zip(a.box, b.box))
      if (x.second && y.second &&
          (x.first + x.second <= y.first || y.first + y.second <= x.first))
        return false;
  return true;
}

/// Whether each point of a loop is held by one thread, and no thread holds what
/// is no point.
static bool isHeldOnce(ParallelOp loop) {
  if (!loop.getLayout())
    return false;
  Layout layout = loop.getLayout()->getLayout();
  for (auto [d, extent] : llvm::enumerate(loop.getExtents()))
    if (layout.covered(d) != extent)
      return false;
  int64_t threads = loop->getParentOfType<KernelOp>().getNumThreads();
  for (int64_t t = 0; t < threads; ++t)
    if (!layout.isOwner(t))
      return false;
  return true;
}

/// Whether both are elements that each thread has for itself (OwnElement.h), in
/// code written per thread, or in a loop whose points have one holder each.
static bool isOwnElement(const Open &a, const Open &b) {
  auto within = a.op->getParentOfType<ParallelOp>();
  if (within != b.op->getParentOfType<ParallelOp>() ||
      (within && !isHeldOnce(within)))
    return false;
  struct Element {
    Value buffer;
    ValueRange indices;
  };
  auto element = [](Operation *op) -> Element {
    if (auto load = dyn_cast<LoadOp>(op))
      return {load.getSource(), load.getIndices()};
    if (auto store = dyn_cast<StoreOp>(op))
      return {store.getDest(), store.getIndices()};
    return {};
  };
  Element x = element(a.op), y = element(b.op);
  SmallVector<Operation *> loops(a.loops.begin(), a.loops.end());
  llvm::append_range(loops, b.loops);
  return x.buffer && x.buffer == y.buffer &&
         areOwnElements(x.indices, y.indices, loops,
                        a.op->getParentOfType<KernelOp>(), within);
}

/// Whether an op's store of one trip of these loops certainly meets another
/// thread's of another trip.
static bool isHandedOn(Operation *op, ArrayRef<Operation *> loops) {
  auto kernel = op->getParentOfType<KernelOp>();
  auto within = op->getParentOfType<ParallelOp>();
  if (loops.empty() || (within && !isHeldOnce(within)))
    return false;
  if (auto store = dyn_cast<StoreOp>(op))
    return areHandedOn(store, store.getIndices(), loops, kernel, within);
  return llvm::any_of(getUses(op), [&](const BufferUse &use) {
    auto view = use.buffer.getDefiningOp<ViewOp>();
    return use.write && view && view.getSource() == getBase(view) &&
           getSpace(view.getSource()) == Space::Global &&
           doBoxesMeet(view.getOffsets(),
                       cast<MemRefType>(view.getType()).getShape(), loops,
                       kernel);
  });
}

/// The same of all loops around it.
static bool isHandedOn(Operation *op) {
  SmallVector<Operation *> loops;
  for (Operation *up = op->getParentOp(); !isa<KernelOp>(up);
       up = up->getParentOp())
    if (isa<LoopLikeOpInterface>(up) && !isa<ParallelOp>(up))
      loops.push_back(up);
  return isHandedOn(op, loops);
}

/// A store outside loops, in a kernel without code written per thread: thread 0
/// does it for all.
static bool isThreadZerosStore(const Open &open, bool perThread) {
  return !perThread && !open.read && isa<StoreOp>(open.op) &&
         !open.op->getParentOfType<ParallelOp>();
}

/// Whether both are stores of one trip through a T.vectorized loop, which
/// tile-legalize has unrolled: each thread's are one access.
static bool areOneVector(const Open &a, const Open &b) {
  Attribute vector = a.op->getAttr(kVectorizedAttr);
  return vector && a.op != b.op && !a.read && !b.read &&
         b.op->getAttr(kVectorizedAttr) == vector &&
         a.op->getBlock() == b.op->getBlock();
}

/// Atomics order themselves, and so do the stores of one thread.
static bool inConflict(const Open &a, const Open &b, bool perThread) {
  if (!(a.write || b.write) || (a.atomic && b.atomic))
    return false;
  // The same op writes the same box, by the same threads, or another one: a
  // wait for memory is for what is handed on for certain.
  if (a.place.global && a.op == b.op && !a.read && !b.read)
    return isHandedOn(a.op, a.loops) || isHandedOn(b.op, b.loops);
  if (isThreadZerosStore(a, perThread) && isThreadZerosStore(b, perThread))
    return false;
  return mayOverlap(a.place, b.place) && !isOwnElement(a, b) &&
         !areOneVector(a, b);
}

namespace {
/// What the atomics of an op on global memory order besides themselves.
struct Orders {
  bool release = false, acquire = false;
  bool any() const { return release || acquire; }
};
} // namespace

static Orders ordersOf(Operation *op) {
  Orders orders;
  op->walk([&](AtomicOp atomic) {
    if (!atomic.getOrder() || getSpace(atomic.getDest()) != Space::Global)
      return;
    orders.release |= *atomic.getOrder() != MemoryOrder::Acquire;
    orders.acquire |= *atomic.getOrder() != MemoryOrder::Release;
  });
  return orders;
}

namespace {
class SyncInserter {
public:
  explicit SyncInserter(KernelOp kernel);
  LogicalResult run() {
    State state;
    return visit(*kernel.getBody().begin(), state);
  }

private:
  LogicalResult visit(Block &block, State &state);
  LogicalResult visitRegionOp(Operation *op, State &state);
  LogicalResult visitDivergent(Operation *op, State &state);
  void enter(Operation *op, ArrayRef<Open> accesses, State &state);
  void passSync(SyncOp sync, State &state);
  void addSync(Operation *op, bool before, State &state);
  State accessesBelow(Operation *op);
  void addAccesses(Operation *op, State &into);
  void warnInside(Operation *op);

  KernelOp kernel;
  bool perThread;
  llvm::SetVector<Value> sharedGlobals; // pointers both read and written
  /// An atomic acquires or releases: what it orders may be any tensor.
  bool ordersGlobal = false;
  llvm::SetVector<Operation *> inserted, warned;
};
} // namespace

/// Global memory matters only where a pointer is read and written, or written
/// by two ops, or by one whose threads meet: all other stores are ordered by
/// the kernel's end.
SyncInserter::SyncInserter(KernelOp kernel)
    : kernel(kernel), perThread(isPerThread(kernel)) {
  llvm::SetVector<Value> read, written, rewritten;
  kernel.walk([&](Operation *op) {
    ordersGlobal |= ordersOf(op).any();
    for (const BufferUse &access : getUses(op)) {
      auto tensor = getBase(access.buffer).getDefiningOp<TensorOp>();
      if (!tensor)
        continue;
      if (access.read && !isa<AtomicOp>(op))
        read.insert(tensor.getSource());
      if (access.write &&
          (!written.insert(tensor.getSource()) || isHandedOn(op)))
        rewritten.insert(tensor.getSource());
    }
  });
  for (Value pointer : written)
    if (read.contains(pointer) || rewritten.contains(pointer))
      sharedGlobals.insert(pointer);
}

void SyncInserter::addAccesses(Operation *op, State &into) {
  for (const BufferUse &access : getUses(op)) {
    Space space = getSpace(access.buffer);
    if (space != Space::Shared && space != Space::Global)
      continue;
    Open open{op, placeOf(access), access.read, access.write,
              isa<AtomicOp>(op)};
    if (open.place.global && !sharedGlobals.contains(open.place.storage))
      continue;
    into.push_back(open);
  }
}

/// All of an op and the ops in it, as one.
State SyncInserter::accessesBelow(Operation *op) {
  State result;
  op->walk([&](Operation *inner) { addAccesses(inner, result); });
  return result;
}

/// Orders `accesses`, about to happen in `op`, after the open ones.
void SyncInserter::enter(Operation *op, ArrayRef<Open> accesses, State &state) {
  bool needed = false, global = false;
  for (const Open &open : state)
    for (const Open &access : accesses)
      if (inConflict(open, access, perThread)) {
        needed = true;
        global |= open.place.global;
      }
  // A barrier closes LDS accesses; global ones only if it waits for them
  // (s_waitcnt vmcnt, `tile.global`), which costs the latency of memory.
  global |= needed && ordersGlobal;
  if (needed) {
    // On a later visit of a loop the barrier may stand there already, and only
    // have to order more.
    OpBuilder b(op);
    auto sync = dyn_cast_or_null<SyncOp>(op->getPrevNode());
    if (!sync) {
      sync = SyncOp::create(b, op->getLoc());
      inserted.insert(sync);
    }
    if (global)
      sync->setAttr(kSyncGlobalAttr, b.getUnitAttr());
    llvm::erase_if(state, [&](Open &o) { return global || !o.place.global; });
  }
  merge(state, accesses);
}

void SyncInserter::passSync(SyncOp sync, State &state) {
  // Only a barrier that has global accesses to order waits for them.
  bool global = ordersGlobal ||
                llvm::any_of(state, [](Open &o) { return o.place.global; });
  if (global && (ordersGlobal || !inserted.contains(sync)))
    sync->setAttr(kSyncGlobalAttr, UnitAttr::get(sync.getContext()));
  global = sync->hasAttr(kSyncGlobalAttr);
  llvm::erase_if(state, [&](Open &o) { return global || !o.place.global; });
}

/// A barrier for global memory too, before or behind an op that all threads
/// reach, unless one stands there.
void SyncInserter::addSync(Operation *op, bool before, State &state) {
  OpBuilder b(op);
  auto sync =
      dyn_cast_or_null<SyncOp>(before ? op->getPrevNode() : op->getNextNode());
  if (!sync) {
    if (!before)
      b.setInsertionPointAfter(op);
    sync = SyncOp::create(b, op->getLoc());
    inserted.insert(sync);
  }
  sync->setAttr(kSyncGlobalAttr, b.getUnitAttr());
  state.clear();
}

/// Walks a block forward; `state` is what is open before and, on return, after
/// it. Fails on a barrier that not all threads reach.
LogicalResult SyncInserter::visit(Block &block, State &state) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto sync = dyn_cast<SyncOp>(op)) {
      passSync(sync, state);
      continue;
    }
    // One thread's release is the workgroup's, for what the others have
    // written is there; what one thread acquires, the others may read.
    Orders orders;
    if (isa<AtomicOp, ParallelOp>(op))
      orders = ordersOf(&op);
    if (orders.release)
      addSync(&op, /*before=*/true, state);
    auto acquire = llvm::make_scope_exit([&] {
      if (orders.acquire)
        addSync(&op, /*before=*/false, state);
    });
    // Its points run on all threads at once: nothing inside can be ordered.
    if (isa<ParallelOp>(op)) {
      State accesses = accessesBelow(&op);
      for (const Open &read : accesses)
        for (const Open &write : accesses)
          if (read.read && write.write && !(read.atomic && write.atomic) &&
              read.place.storage == write.place.storage)
            op.setAttr(kUniformFlowAttr, UnitAttr::get(op.getContext()));
      enter(&op, accesses, state);
      continue;
    }
    if (op.getNumRegions()) {
      if (failed(visitRegionOp(&op, state)))
        return failure();
      continue;
    }
    State accesses;
    addAccesses(&op, accesses);
    auto reduce = dyn_cast<ReduceOp>(op);
    if (reduce && reduce.getScratch()) {
      // The op has barriers of its own around its writes to the scratch
      // buffer; what stays open afterwards is that it was read.
      State own;
      for (Open &access : accesses) {
        Open after = access;
        if (access.place.storage == getBase(reduce.getScratch())) {
          after.write = false;
          after.read = true;
        } else {
          own.push_back(access);
        }
        access = after;
      }
      enter(&op, own, state);
      llvm::erase_if(state, [](Open &o) { return !o.place.global; });
      merge(state, accesses);
      continue;
    }
    if (!accesses.empty())
      enter(&op, accesses, state);
  }
  return success();
}

/// What has come round a loop's back edge is of an earlier trip.
static State carried(State state, Operation *loop) {
  for (Open &open : state)
    if (loop->isAncestor(open.op) && !llvm::is_contained(open.loops, loop))
      open.loops.push_back(loop);
  return state;
}

/// On the way round the back edge the copies of a step become those of the step
/// before; outside the loop nothing is known of them.
static State rotated(State state, scf::ForOp loop) {
  state = carried(std::move(state), loop);
  for (Open &open : state)
    if (open.place.slot && open.place.slot->loop == loop)
      open.place.slot->ahead =
          (open.place.slot->ahead + open.place.slot->copies - 1) %
          open.place.slot->copies;
  return state;
}
/// After the loop its step is gone, and a slot says nothing.
static State left(State state, Operation *loop) {
  for (Open &open : state)
    if (open.place.slot && open.place.slot->loop == loop)
      open.place.slot.reset();
  return state;
}

/// Only by constants: else the state before the loop stays open after it.
static bool runsAtLeastOnce(scf::ForOp loop) {
  APInt lower, upper;
  return matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) &&
         matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)) &&
         lower.slt(upper);
}

LogicalResult SyncInserter::visitRegionOp(Operation *op, State &state) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    if (!isUniform(loop.getLowerBound()) || !isUniform(loop.getUpperBound()) ||
        !isUniform(loop.getStep()))
      return visitDivergent(op, state);
    // Grows until a round adds nothing: states are sets of the kernel's
    // accesses, so that it ends.
    State entry = state, end;
    for (size_t before = ~size_t(0); entry.size() != before;) {
      before = entry.size();
      end = entry;
      if (failed(visit(*loop.getBody(), end)))
        return failure();
      merge(entry, rotated(end, loop));
    }
    end = left(end, op);
    if (!runsAtLeastOnce(loop))
      merge(end, state);
    state = end;
    return success();
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    if (!isUniform(loop.getConditionOp().getCondition()))
      return visitDivergent(op, state);
    // The part before the condition runs once more than the part after it.
    State exit;
    for (size_t before = ~size_t(0); state.size() != before;) {
      before = state.size();
      exit = state;
      if (failed(visit(*loop.getBeforeBody(), exit)))
        return failure();
      State end = exit;
      if (failed(visit(*loop.getAfterBody(), end)))
        return failure();
      merge(state, carried(std::move(end), op));
    }
    state = exit;
    return success();
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    if (!isUniform(branch.getCondition()))
      return visitDivergent(op, state);
    // Either side may have run: open is what either leaves open.
    State otherwise = state;
    if (failed(visit(*branch.thenBlock(), state)) ||
        (branch.elseBlock() && failed(visit(*branch.elseBlock(), otherwise))))
      return failure();
    merge(state, otherwise);
    return success();
  }
  return visitDivergent(op, state);
}

/// The whole op is entered as one access, behind one barrier.
LogicalResult SyncInserter::visitDivergent(Operation *op, State &state) {
  SyncOp barrier;
  op->walk([&](SyncOp sync) { barrier = sync; });
  if (barrier) {
    InFlightDiagnostic diag = barrier.emitError(
        "a barrier in code that not all threads of the workgroup run");
    diag.attachNote(op->getLoc()) << "this differs between threads";
    return diag;
  }
  enter(op, accessesBelow(op), state);
  warnInside(op);
  return success();
}

/// The name of what is accessed; that of a tensor, if it is an argument.
static StringRef nameOf(Value storage) {
  for (Operation *user : storage.getUsers())
    if (auto tensor = dyn_cast<TensorOp>(user); tensor && tensor.getName())
      return *tensor.getName();
  return getBufferName(storage);
}

/// Whether a condition holds only where x < n.
static bool bounds(Value condition, Value x, Value n) {
  Operation *op = condition.getDefiningOp();
  if (isa_and_nonnull<arith::AndIOp>(op))
    return bounds(op->getOperand(0), x, n) || bounds(op->getOperand(1), x, n);
  auto cmp = dyn_cast_or_null<arith::CmpIOp>(op);
  if (!cmp)
    return false;
  using P = arith::CmpIPredicate;
  P p = cmp.getPredicate();
  return (cmp.getLhs() == x && cmp.getRhs() == n &&
          (p == P::slt || p == P::ult)) ||
         (cmp.getLhs() == n && cmp.getRhs() == x &&
          (p == P::sgt || p == P::ugt));
}

/// A step of a tree, `if t < n: s[t] += s[t + n]`: what is written lies below
/// n, what is read of other threads at n and beyond. Not in a loop inside the
/// code, where one step meets the next.
static bool isTreeStep(Operation *inside, Operation *a, Operation *b) {
  auto load = dyn_cast<LoadOp>(isa<LoadOp>(a) ? a : b);
  auto store = dyn_cast<StoreOp>(isa<LoadOp>(a) ? b : a);
  if (!load || !store || load.getSource() != store.getDest())
    return false;
  auto loop = store->getParentOfType<LoopLikeOpInterface>();
  if (loop && inside->isAncestor(loop))
    return false;
  for (auto [from, to] :
       llvm::zip_equal(load.getIndices(), store.getIndices())) {
    auto sum = from.getDefiningOp<arith::AddIOp>();
    if (!sum || !to.getDefiningOp<ThreadIdOp>() ||
        (sum.getLhs() != to && sum.getRhs() != to))
      continue;
    Value n = sum.getLhs() == to ? sum.getRhs() : sum.getLhs();
    for (Operation *op = store; auto branch = op->getParentOfType<scf::IfOp>();
         op = branch)
      if (branch.getThenRegion().isAncestor(store->getParentRegion()) &&
          branch->isAncestor(load) && bounds(branch.getCondition(), to, n))
        return true;
  }
  return false;
}

/// Pairs of accesses within code that only some threads run: no barrier can
/// order them. Messages need none: each record is one thread's.
void SyncInserter::warnInside(Operation *op) {
  State inside = accessesBelow(op);
  for (Open &open : inside)
    for (Operation *loop = open.op; loop != op;) {
      loop = loop->getParentOp();
      if (isa<LoopLikeOpInterface>(loop))
        open.loops.push_back(loop);
    }
  for (auto [i, a] : llvm::enumerate(inside))
    for (const Open &b : ArrayRef(inside).drop_front(i + 1))
      if (a.op != b.op && inConflict(a, b, perThread) &&
          !isTreeStep(op, a.op, b.op) &&
          nameOf(a.place.storage) != kMessagesName && warned.insert(b.op)) {
        InFlightDiagnostic diag = b.op->emitWarning("different threads may ")
                                  << (b.write ? "write" : "read") << " '"
                                  << nameOf(a.place.storage)
                                  << "' here and in an earlier access, and no "
                                     "barrier can stand between them";
        diag.attachNote(a.op->getLoc()) << "the earlier access";
        return;
      }
}

namespace {
struct InsertSync : tlc::tile::impl::TileInsertSyncBase<InsertSync> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getBody().getOps<KernelOp>())
      if (failed(SyncInserter(kernel).run()))
        return signalPassFailure();
  }
};
} // namespace
