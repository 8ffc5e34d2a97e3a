//===- Pipeline.cpp - Prefetch the next step's tiles ------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In loops marked `tile.num_stages` (1 or more, or 0 if a step has matrix
// work), splits each copy from global to shared memory in two, with a staging
// fragment between: the load for step i + 1 is issued before the matrix work of
// step i, and written to LDS when its place there is free.
//
// * With two copies of the tile in LDS, step i reads copy i mod 2 while copy
//   (i + 1) mod 2 is filled: loads at the top of the body, LDS writes at its
//   end, one barrier a step.
// * A fragment that a copy fills from memory needs no place: the load for the
//   next step follows the last op that reads it.
// * Where LDS does not hold two, or holds more workgroups of one copy and their
//   wavefronts are worth more, or one wavefront has no other to wait for, the
//   write stays where the copy stood and the next load follows it at once.
//
// A copy takes part if its source depends on the loop's variable and on what
// the loop does not change. Where its tile is written elsewhere too, or read
// before the copy or outside the loop, the write stays where it was. So does a
// loop over points that computes with what it loads (`q[i, j] = Q[..] *
// scale`): what all points load, of an element each, is loaded a step ahead.
// Others stay, with a remark. Reads beyond a tensor are safe in this dialect,
// so that the load after the last step needs no guard, and a loop without steps
// loads one tile in vain.
//
//   scf.for %i ... {
//     tile.copy %A[%i] to %As
//     tile.gemm %As, ...
//   } {tile.num_stages = 2}
// becomes, with %As2 = tile.alloc : memref<2x...>,
//   tile.copy %A[%lb] to %Ar
//   tile.copy %Ar to %As2[0]
//   scf.for %i ... {
//     tile.copy %A[%i + 1] to %Ar
//     tile.gemm %As2[%i mod 2], ...
//     tile.copy %Ar to %As2[(%i + 1) mod 2]
//   }
//
//===----------------------------------------------------------------------===//

#include "Liveness.h"
#include "Staging.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "tlc/Dialect/Tile/Transforms/Passes.h"
#include "tlc/Dialect/Tile/Transforms/RotatingSlot.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

namespace tlc::tile {
#define GEN_PASS_DEF_TILEPIPELINE
#include "tlc/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tlc::tile

constexpr int64_t kWaveSize = 64;

namespace {
/// A copy that can be split, and whether LDS gets two copies of its tile.
struct Prefetch {
  CopyOp copy;
  AllocOp tile;
  bool inRegisters = false; ///< the tile is a fragment: nothing stages it
  bool wholly = true;       ///< a second copy could stand for the tile
  bool twice = false;
};
} // namespace

//===----------------------------------------------------------------------===//
// Which copies
//===----------------------------------------------------------------------===//

/// Whether a step has matrix work to do meanwhile.
static bool hasProduct(scf::ForOp loop) {
  return !loop.getBody()->getOps<GemmOp>().empty();
}

/// Through any tensor over the same pointer: two views of one argument alias.
static bool isWrittenIn(Value base, scf::ForOp loop) {
  auto pointerOf = [](Value v) {
    auto tensor = v.getDefiningOp<TensorOp>();
    return tensor ? Value(tensor.getSource()) : v;
  };
  bool written = false;
  loop.walk([&](Operation *op) {
    for (const BufferUse &use : getUses(op))
      written |= use.write && pointerOf(getBase(use.buffer)) == pointerOf(base);
  });
  return written;
}

/// Whether a value of the loop's body can be computed for another step.
// Pure ops, loads of what the loop does not write, and the loop's variable;
// nothing with regions, nothing carried from step to step.
static bool canReplay(Value value, scf::ForOp loop) {
  if (value.getParentRegion()->isProperAncestor(&loop.getRegion()))
    return true;
  if (isa<BlockArgument>(value))
    return value == loop.getInductionVar();
  Operation *op = value.getDefiningOp();
  if (op->getNumRegions())
    return false;
  auto load = dyn_cast<LoadOp>(op);
  if (load ? isWrittenIn(getBase(load.getSource()), loop) : !isPure(op))
    return false;
  return llvm::all_of(op->getOperands(),
                      [&](Value v) { return canReplay(v, loop); });
}

/// Clones what computes `value` for the step that `map` gives the loop's
/// variable.
static Value replay(OpBuilder &b, Value value, scf::ForOp loop,
                    IRMapping &map) {
  if (Value known = map.lookupOrNull(value))
    return known;
  if (value.getParentRegion()->isProperAncestor(&loop.getRegion()))
    return value;
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    map.map(operand, replay(b, operand, loop, map));
  b.clone(*op, map);
  return map.lookup(value);
}

/// Why a copy in the body of `loop` cannot be split; empty if it can.
// Ends in a remark, so it is worded for the user.
static StringRef obstacle(CopyOp copy, scf::ForOp loop) {
  if (!copy.getDst().getDefiningOp<AllocOp>())
    return "it writes a part of its tile";
  if (!canReplay(copy.getSrc(), loop))
    return "its source depends on what the loop computes";
  if (isWrittenIn(getBase(copy.getSrc()), loop))
    return "the loop writes its source";
  return "";
}

/// Why the tile of such a copy cannot be had a step earlier: what is loaded
/// ahead must wait in registers until the tile is written where it was.
static StringRef obstacleOfTile(CopyOp copy, scf::ForOp loop) {
  auto tile = copy.getDst().getDefiningOp<AllocOp>();
  for (const BufferUse &use : getAllUses(tile.getResult())) {
    if (use.op == copy.getOperation())
      continue;
    if (use.write)
      return "its tile is written elsewhere too";
    Operation *inBody = loop.getBody()->findAncestorOpInBlock(*use.op);
    if (!inBody)
      return "its tile is read outside the loop";
    if (inBody->isBeforeInBlock(copy))
      return "its tile is read before it";
  }
  return "";
}

/// Whether steps cannot overlap later on (wave-schedule): one writes a tile in
/// LDS that it has read.
static bool isSerial(scf::ForOp loop) {
  llvm::SmallDenseSet<Value> read;
  bool serial = false;
  loop.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (const BufferUse &use : getUses(op)) {
      Value base = getBase(use.buffer);
      if (getSpace(base) != Space::Shared)
        continue;
      serial |= use.write && read.contains(base);
      if (use.read)
        read.insert(base);
    }
  });
  return serial;
}

/// Whether elements change their type on the way.
static bool converts(CopyOp copy) {
  return cast<MemRefType>(copy.getSrc().getType()).getElementType() !=
         cast<MemRefType>(copy.getDst().getType()).getElementType();
}

/// Whether each reader takes the tile as a whole, so that it can be given one
/// of two.
static bool readersTakeWholes(AllocOp tile, CopyOp copy) {
  return llvm::all_of(tile->getUsers(), [&](Operation *user) {
    return user == copy || isa<GemmOp>(user) ||
           (isa<CopyOp>(user) && cast<CopyOp>(user).getSrc() == tile);
  });
}

//===----------------------------------------------------------------------===//
// Loads of points
//===----------------------------------------------------------------------===//

/// Whether a value in the body of a loop over points can be computed outside of
/// it, for another step of `loop`: from the points and what can be replayed.
// Not from what is loaded: a step that is not done may find no index there.
static bool canLift(Value value, ParallelOp points, scf::ForOp loop) {
  if (value.getParentRegion() != &points.getBody())
    return canReplay(value, loop);
  if (isa<BlockArgument>(value))
    return true;
  Operation *op = value.getDefiningOp();
  return isPure(op) && !op->getNumRegions() &&
         llvm::all_of(op->getOperands(),
                      [&](Value v) { return canLift(v, points, loop); });
}

/// Which points the value depends on.
static void collectPoints(Value value, ParallelOp points,
                          llvm::SmallDenseSet<Value> &used) {
  if (value.getParentRegion() != &points.getBody())
    return;
  if (isa<BlockArgument>(value))
    used.insert(value);
  else
    for (Value operand : value.getDefiningOp()->getOperands())
      collectPoints(operand, points, used);
}

/// A load from memory of another element for each point, which all points do,
/// and whose address is known a step ahead. In a serial loop points may share
/// an element.
static bool isLoadOfPoints(LoadOp load, ParallelOp points, scf::ForOp loop,
                           bool serial) {
  if (getSpace(load.getSource()) != Space::Global ||
      isWrittenIn(getBase(load.getSource()), loop) ||
      !llvm::all_of(load->getOperands(),
                    [&](Value v) { return canLift(v, points, loop); }))
    return false;
  llvm::SmallDenseSet<Value> used;
  for (Value index : load.getIndices())
    collectPoints(index, points, used);
  return serial ? !used.empty() : used.size() == points.getExtents().size();
}

/// Clones what computes `value`: ops of the loop over points at `inner`, others
/// at `outer`.
static Value lift(OpBuilder &inner, OpBuilder &outer, Value value,
                  ParallelOp points, scf::ForOp loop, IRMapping &map) {
  if (Value known = map.lookupOrNull(value))
    return known;
  if (value.getParentRegion() != &points.getBody())
    return replay(outer, value, loop, map);
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    map.map(operand, lift(inner, outer, operand, points, loop, map));
  inner.clone(*op, map);
  return map.lookup(value);
}

//===----------------------------------------------------------------------===//
// The transformation
//===----------------------------------------------------------------------===//

namespace {
class LoopPipeliner {
public:
  LoopPipeliner(scf::ForOp loop, int64_t ldsBytes)
      : loop(loop), kernel(loop->getParentOfType<KernelOp>()),
        ldsBytes(ldsBytes), serial(isSerial(loop)), prologue(loop) {}
  void run();

private:
  void collect();
  int64_t stagingOf(Prefetch &p);
  int64_t usefulWaves(int64_t bytes, int64_t registers);
  void dropForRegisters();
  void chooseCopies();
  void emitLoad(OpBuilder &b, Prefetch &p, Value step, AllocOp staging);
  Value slotView(OpBuilder &b, AllocOp buffer, Value slot, MemRefType tile);
  void splitFragment(Prefetch &p);
  void splitOnce(Prefetch &p, AllocOp staging);
  void splitTwice(Prefetch &p, AllocOp staging);
  Value nextStep(OpBuilder &b);
  void emitPoints(OpBuilder &b, ParallelOp points, LoadOp load, Value step,
                  AllocOp staging);
  void splitPoints(ParallelOp points, LoadOp load);

  scf::ForOp loop;
  KernelOp kernel;
  int64_t ldsBytes;
  bool serial; ///< steps will not overlap
  SmallVector<Prefetch> prefetches;
  SmallVector<std::pair<ParallelOp, LoadOp>> ofPoints;
  Operation *prologue; ///< the first tiles of the next copy go before it
};
} // namespace

/// The next step's variable. The last step fetches its own tile again, which
/// nobody reads: so the index is known to stay within the loop's bounds.
Value LoopPipeliner::nextStep(OpBuilder &b) {
  Location loc = loop.getLoc();
  Value next =
      arith::AddIOp::create(b, loc, loop.getInductionVar(), loop.getStep());
  APInt step;
  if (!matchPattern(loop.getStep(), m_ConstantInt(&step)) || !step.isOne())
    // With another step the last index may pass the bound; the load is safe all
    // the same, as reads beyond a tensor are.
    return next;
  Value one = loop.getStep();
  Value last = arith::SubIOp::create(b, loc, loop.getUpperBound(), one);
  return arith::MinSIOp::create(b, loc, next, last);
}

/// Copies of the loop's own body, not of nested regions: only those run once a
/// step.
void LoopPipeliner::collect() {
  for (CopyOp copy : loop.getBody()->getOps<CopyOp>()) {
    Space to = getSpace(copy.getDst());
    if (getSpace(copy.getSrc()) != Space::Global ||
        (to != Space::Shared && to != Space::Fragment))
      continue;
    StringRef why = obstacle(copy, loop);
    StringRef ofTile = why.empty() ? obstacleOfTile(copy, loop) : "";
    // What is converted on its way to registers is staged as it comes. Where
    // steps overlap later on, its load comes early without that.
    bool inRegisters = to == Space::Fragment && !(serial && converts(copy));
    if (why.empty() && inRegisters)
      why = converts(copy) ? "it converts on the way to registers" : ofTile;
    if (why.empty())
      prefetches.push_back({copy, copy.getDst().getDefiningOp<AllocOp>(),
                            inRegisters,
                            ofTile.empty() && to == Space::Shared});
    else
      copy.emitRemark("not prefetched: ") << why;
  }
}

/// Registers that stage what a loop over points loads.
static int64_t stagingOf(ParallelOp points, LoadOp load, int64_t threads) {
  return registersOf(getBufferType(points.getExtents(),
                                   load.getResult().getType(), Space::Fragment),
                     threads);
}

/// Registers of a thread that hold what is loaded ahead.
int64_t LoopPipeliner::stagingOf(Prefetch &p) {
  if (p.inRegisters)
    return 0; // a fragment that the loop uses is counted as held
  return registersOf(cast<MemRefType>(p.copy.getSrc().getType()),
                     kernel.getNumThreads());
}

/// Staging needs registers beside the fragments of the kernel; the largest
/// tiles go without when they do not suffice.
void LoopPipeliner::dropForRegisters() {
  int64_t threads = kernel.getNumThreads(), used = registersHeldIn(loop);
  for (Prefetch &p : prefetches)
    used += stagingOf(p);
  while (used > registerBudget(threads) && !prefetches.empty()) {
    auto *largest =
        llvm::max_element(prefetches, [&](Prefetch &a, Prefetch &b) {
          return stagingOf(a) < stagingOf(b);
        });
    used -= stagingOf(*largest);
    largest->copy.emitRemark("not prefetched: registers do not suffice to "
                             "stage it");
    prefetches.erase(largest);
  }
  if (!hasProduct(loop))
    return;
  for (auto points : loop.getBody()->getOps<ParallelOp>())
    for (auto load : points.getBody().front().getOps<LoadOp>()) {
      if (!isLoadOfPoints(load, points, loop, serial))
        continue;
      int64_t registers = ::stagingOf(points, load, threads);
      if (used + registers > registerBudget(threads))
        continue;
      used += registers;
      ofPoints.push_back({points, load});
    }
}

/// Loads what the points read in `step` into `staging`.
void LoopPipeliner::emitPoints(OpBuilder &b, ParallelOp points, LoadOp load,
                               Value step, AllocOp staging) {
  auto copy = ParallelOp::create(b, points.getLoc(), points.getExtents());
  if (auto width = points.getCoalescedWidthAttr())
    copy.setCoalescedWidthAttr(width);
  IRMapping map;
  map.map(loop.getInductionVar(), step);
  Block &body = copy.getBody().front();
  map.map(points.getBody().front().getArguments(), body.getArguments());
  OpBuilder inner = OpBuilder::atBlockBegin(&body), outer(copy);
  Value value = lift(inner, outer, load.getResult(), points, loop, map);
  StoreOp::create(inner, load.getLoc(), value, staging.getResult(),
                  body.getArguments());
}

/// As splitOnce(): the loop over points reads what was loaded a step ago.
void LoopPipeliner::splitPoints(ParallelOp points, LoadOp load) {
  OpBuilder top = OpBuilder::atBlockBegin(&kernel.getBody().front());
  auto staging = AllocOp::create(
      top, load.getLoc(),
      getBufferType(points.getExtents(), load.getResult().getType(),
                    Space::Fragment),
      top.getStringAttr("points_next"), LayoutAttr(), IntegerAttr());
  OpBuilder before(prologue), b(points);
  emitPoints(before, points, load, loop.getLowerBound(), staging);
  b.setInsertionPointAfter(points);
  emitPoints(b, points, load, nextStep(b), staging);
  OpBuilder here(load);
  Value ready = LoadOp::create(here, load.getLoc(), load.getResult().getType(),
                               staging.getResult(),
                               points.getBody().front().getArguments());
  load.getResult().replaceAllUsesWith(ready);
  load.erase();
}

/// Wavefronts of a compute unit, as far as more of them are worth more than
/// second copies of tiles, where a workgroup takes so much LDS and a lane holds
/// so many registers.
// One on each SIMD, even if only some units get so many; two where all do.
int64_t LoopPipeliner::usefulWaves(int64_t bytes, int64_t registers) {
  constexpr int64_t kUnits = 304, kSimds = 4;
  int64_t fit = ldsBytes / std::max<int64_t>(bytes, 1);
  int64_t most = fit, all = fit; // workgroups of one unit, and of each
  int64_t groups = 1;
  bool known = llvm::all_of(kernel.getGrid(), [&](Value extent) {
    APInt n;
    if (!matchPattern(extent, m_ConstantInt(&n)))
      return false;
    groups = std::min<int64_t>(groups * n.getSExtValue(), INT32_MAX);
    return true;
  });
  if (known) {
    most = std::min<int64_t>(most, llvm::divideCeil(groups, kUnits));
    all = std::min(all, groups / kUnits);
  }
  int64_t ofGroup = kernel.getNumThreads() / kWaveSize;
  int64_t byRegisters = kSimds * (registerBudget(1) / registers);
  return std::max(std::min(kSimds, most * ofGroup),
                  std::min({2 * kSimds, all * ofGroup, byRegisters}));
}

/// Two copies in LDS for as many tiles as fit, in program order, and as leave
/// room for the workgroups beside which they would not pay.
void LoopPipeliner::chooseCopies() {
  APInt step;
  bool constantStep = matchPattern(loop.getStep(), m_ConstantInt(&step));
  // One wavefront needs no barrier: a second copy would save it nothing, and
  // LDS left free is room for more workgroups.
  if (kernel.getNumThreads() <= kWaveSize)
    return;
  // LDS with the tiles that have two copies so far.
  auto bytesNeeded = [&] {
    auto buffers =
        getLiveBuffers(kernel, /*reuseInLoops=*/false, [&](AllocOp alloc) {
          for (Prefetch &q : prefetches)
            if (q.twice && q.tile == alloc)
              return int64_t(2);
          return int64_t(1);
        });
    return planLds(buffers);
  };
  int64_t held = registersHeldIn(loop);
  for (Prefetch &p : prefetches)
    held += stagingOf(p);
  int64_t once = usefulWaves(bytesNeeded(), held);
  for (Prefetch &p : prefetches) {
    if (p.inRegisters || !p.wholly || !constantStep ||
        !readersTakeWholes(p.tile, p.copy))
      continue;
    p.twice = true;
    int64_t bytes = bytesNeeded();
    if (bytes <= ldsBytes && usefulWaves(bytes, held) >= once)
      continue;
    p.twice = false;
    p.copy.emitRemark(bytes > ldsBytes
                          ? "LDS holds only one copy of '"
                          : "two copies in LDS would keep other workgroups "
                            "out: one copy of '")
        << p.tile.getName().value_or("")
        << "': two barriers a step instead of one";
  }
}

/// Loads the tile of `step` into `staging`. In the loop it is marked as a
/// prefetch, so that later passes leave it in its place.
void LoopPipeliner::emitLoad(OpBuilder &b, Prefetch &p, Value step,
                             AllocOp staging) {
  IRMapping map;
  map.map(loop.getInductionVar(), step);
  Value src = replay(b, p.copy.getSrc(), loop, map);
  auto load = CopyOp::create(b, p.copy.getLoc(), src, staging.getResult(),
                             LayoutAttr());
  if (loop->isAncestor(load))
    load->setAttr(kPrefetchAttr, b.getUnitAttr());
}

/// Copy number `slot` (null: the first) of a buffer with a leading dimension of
/// copies, as a tile with that dimension kept at extent 1.
Value LoopPipeliner::slotView(OpBuilder &b, AllocOp buffer, Value slot,
                              MemRefType tile) {
  Location loc = buffer.getLoc();
  SmallVector<int64_t> shape = {1};
  llvm::append_range(shape, tile.getShape());
  SmallVector<int64_t> strides(shape.size(), ShapedType::kDynamic);
  auto type = MemRefType::get(
      shape, tile.getElementType(),
      StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, strides),
      tile.getMemorySpace());
  Value zero = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
  SmallVector<Value> offsets(shape.size(), zero);
  if (slot)
    offsets.front() = slot;
  return ViewOp::create(b, loc, type, buffer.getResult(), offsets);
}

/// One copy in LDS: the write where the copy stood, the next load after it.
void LoopPipeliner::splitOnce(Prefetch &p, AllocOp staging) {
  OpBuilder before(prologue), b(p.copy);
  emitLoad(before, p, loop.getLowerBound(), staging);
  CopyOp::create(b, p.copy.getLoc(), staging.getResult(), p.copy.getDst(),
                 LayoutAttr());
  emitLoad(b, p, nextStep(b), staging);
  p.copy.erase();
}

/// A fragment: the next load behind the last that reads it.
void LoopPipeliner::splitFragment(Prefetch &p) {
  Operation *last = p.copy;
  for (const BufferUse &use : getAllUses(p.tile.getResult())) {
    Operation *reader = loop.getBody()->findAncestorOpInBlock(*use.op);
    if (last->isBeforeInBlock(reader))
      last = reader;
  }
  OpBuilder before(prologue), b(last);
  emitLoad(before, p, loop.getLowerBound(), p.tile);
  b.setInsertionPointAfter(last);
  emitLoad(b, p, nextStep(b), p.tile);
  p.copy.erase();
}

/// The layout of two copies of a tile whose layout the program gives: each as
/// the tile was, the second where it changes no bit that the XOR of the first
/// reads or writes.
static LayoutAttr layoutOfBoth(AllocOp tile) {
  LayoutAttr given = tile.getLayoutAttr();
  if (!given)
    return given;
  Layout layout = given.getLayout();
  // Bits that the XOR reads or writes; the second copy begins at a multiple of
  // the next power of two.
  uint64_t touched = 0;
  for (const XorTerm &x : layout.xorTerms())
    touched |= uint64_t(x.mask) << x.shiftRight | uint64_t(x.mask)
                                                      << x.shiftLeft;
  int64_t stride = llvm::alignTo(layout.span(tlc::Place::Memory),
                                 llvm::bit_ceil(touched + 1));
  return LayoutAttr::get(
      tile.getContext(),
      layout.withDim(0, Digit{2, tlc::Place::Memory, stride}));
}

/// Two copies in LDS: loads at the top, writes at the end.
void LoopPipeliner::splitTwice(Prefetch &p, AllocOp staging) {
  Location loc = p.copy.getLoc();
  auto tileType = cast<MemRefType>(p.tile.getType());
  SmallVector<int64_t> shape = {2};
  llvm::append_range(shape, tileType.getShape());
  // The buffer of both copies takes the tile's place and name.
  OpBuilder atTile(p.tile);
  auto both = AllocOp::create(
      atTile, p.tile.getLoc(),
      getBufferType(shape, tileType.getElementType(), Space::Shared),
      p.tile.getNameAttr(), layoutOfBoth(p.tile), IntegerAttr());

  // Before the loop: the first tile, through registers, into copy 0.
  OpBuilder before(prologue);
  emitLoad(before, p, loop.getLowerBound(), staging);
  CopyOp::create(before, loc, staging.getResult(),
                 slotView(before, both, Value(), tileType), LayoutAttr());

  // In the loop: load step t + 1, work on copy t mod 2, write copy (t + 1) mod
  // 2 at the end, when nobody reads it any more.
  OpBuilder top = OpBuilder::atBlockBegin(loop.getBody());
  emitLoad(top, p, nextStep(top), staging);
  Value current =
      slotView(top, both, buildSlot(top, loc, {loop, 2, 0}), tileType);

  OpBuilder end(loop.getBody()->getTerminator());
  CopyOp::create(
      end, loc, staging.getResult(),
      slotView(end, both, buildSlot(end, loc, {loop, 2, 1}), tileType),
      LayoutAttr());
  p.copy.erase();
  p.tile.getResult().replaceAllUsesWith(current);
  p.tile.erase();
}

/// Leaves the loop as it is where nothing can be prefetched.
void LoopPipeliner::run() {
  collect();
  dropForRegisters();
  if (prefetches.empty() && ofPoints.empty())
    return;
  for (auto [points, load] : ofPoints)
    splitPoints(points, load);
  // A tile allocated in the loop means nothing between steps, but from now on
  // it does.
  for (Prefetch &p : prefetches)
    if (loop->isProperAncestor(p.tile))
      p.tile->moveBefore(loop);
  chooseCopies();
  int64_t twice =
      llvm::count_if(prefetches, [](Prefetch &p) { return p.twice; });
  loop.emitRemark("pipelined: ")
      << prefetches.size() << " copies prefetched, " << twice
      << " of them double-buffered in LDS"
      << (ofPoints.empty() ? "" : ", and what loops over points read");
  // Backwards, so that what goes to the top of the body, and before the loop,
  // keeps its order.
  for (Prefetch &p : llvm::reverse(prefetches)) {
    Operation *last = prologue->getPrevNode();
    auto next = [&] {
      prologue = last ? last->getNextNode() : &loop->getBlock()->front();
    };
    if (p.inRegisters) {
      splitFragment(p);
      next();
      continue;
    }
    auto tileType = cast<MemRefType>(p.tile.getType());
    // Staged as it comes from memory: a conversion would wait for the load.
    Type element = cast<MemRefType>(p.copy.getSrc().getType()).getElementType();
    OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
    std::string name = p.tile.getName().value_or("tile").str() + "_next";
    auto staging = AllocOp::create(
        b, p.copy.getLoc(),
        getBufferType(tileType.getShape(), element, Space::Fragment),
        b.getStringAttr(name), LayoutAttr(), IntegerAttr());
    if (p.twice)
      splitTwice(p, staging);
    else
      splitOnce(p, staging);
    next();
  }
  eraseDeadCode(loop);
}

namespace {
struct Pipeline : tlc::tile::impl::TilePipelineBase<Pipeline> {
  using TilePipelineBase::TilePipelineBase;

  void runOnOperation() override {
    // Collected first: the rewriting moves ops about.
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      auto stages = loop->getAttrOfType<IntegerAttr>(kNumStagesAttr);
      if (stages && (stages.getInt() >= 1 || hasProduct(loop)))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops) {
      auto kernel = loop->getParentOfType<KernelOp>();
      if (kernel && kernel->hasAttr(kSpareRegistersAttr)) {
        loop.emitRemark("not prefetched: the kernel's registers spill with it");
      } else if (kernel) {
        auto reserve = kernel->getAttrOfType<IntegerAttr>(kLdsReserveAttr);
        LoopPipeliner(loop, ldsBytes - (reserve ? reserve.getInt() : 0)).run();
      }
      // Done: a second run must not prefetch the prefetched.
      loop->removeAttr(kNumStagesAttr);
    }
  }
};
} // namespace
