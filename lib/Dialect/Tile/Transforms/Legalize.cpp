//===- Legalize.cpp - What the later passes take for granted ----*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 1. Workgroups become whole wavefronts. Tile ops do not say which thread does
//    what, so extra threads change nothing. In a kernel written per thread
//    (tile.thread_id), what is between barriers and tile ops gets `if (id < n)`
//    around it.
// 2. Loops marked `tile.unroll` or `tile.vectorized` with constant bounds are
//    unrolled, and so are loops with constant bounds whose variable indexes a
//    fragment or local buffer: registers cannot be indexed at run time, only
//    chosen among. Loops of many products that read an element a step do that.
// 3. Views of views become one view: offsets add.
// 4. Fragments that are seen under another type live in LDS, and so do those
//    whose other shape splits dimensions that are no powers of two.
// 5. Prints and assertions write records to an argument (Messages.cpp).
// 6. Barriers that part of the workgroup reaches become barriers of all
//    (SplitBarriers.cpp).
// 7. What is the same for all points of a loop is computed before it
//    (HoistInvariants.cpp); what a point stores to LDS it does not load again
//    (ForwardStores.cpp). Points that meet in one element are a warning
//    (PointRaces.cpp).
// 8. Buffers that nothing reads disappear, with the ops that only wrote them;
//    buffers used in separate parts become one for each part.
//
//   tile.kernel grid(%n) threads[32] (%b) {...}
//     -> tile.kernel grid(%n) threads[64] (%b) {...}
//   %v = tile.view %a[%i, %j], %w = tile.view %v[%k, %l]
//     -> %w = tile.view %a[%i + %k, %j + %l]
//
//===----------------------------------------------------------------------===//

#include "BufferUse.h"
#include "NarrowLoops.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tlc/Dialect/Tile/Transforms/Messages.h"
#include "tlc/Dialect/Tile/Transforms/Passes.h"
#include "tlc/Layout/BankModel.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

namespace tlc::tile {
#define GEN_PASS_DEF_TILELEGALIZE
#include "tlc/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tlc::tile

//===----------------------------------------------------------------------===//
// Whole wavefronts
//===----------------------------------------------------------------------===//

/// An op that all threads take part in, or null. Around such ops the guard of
/// padding threads cannot go.
static Operation *findCollective(KernelOp kernel) {
  Operation *found = nullptr;
  kernel.walk([&](Operation *op) {
    if (isa<SyncOp, CopyOp, FillOp, GemmOp, ReduceOp, ScanOp, TransposeOp,
            ParallelOp>(op))
      found = op;
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

/// An op with an effect of its own in each thread, or null: there a thread more
/// is seen.
static Operation *findPerThread(KernelOp kernel) {
  Operation *found = nullptr;
  kernel.walk([&](Operation *op) {
    if (isa<ThreadIdOp, PrintOp, ShuffleOp, BallotOp>(op) ||
        (isa<AtomicOp>(op) && !op->getParentOfType<ParallelOp>()))
      found = op;
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

/// Puts everything but allocs of the kernel's body into `if (id < n)` for the
/// last thread dimension, the one that is padded.
// Allocs stay in front: both sides of the branch may use them.
static scf::IfOp guardBody(KernelOp kernel, int64_t dim, int64_t count) {
  Block *body = &kernel.getBody().front();
  OpBuilder b = OpBuilder::atBlockBegin(body);
  Location loc = kernel.getLoc();
  SmallVector<Operation *> moved;
  for (Operation &op : body->without_terminator())
    if (!isa<AllocOp>(op))
      moved.push_back(&op);
  if (!moved.empty())
    b.setInsertionPoint(body->getTerminator());
  Value id =
      ThreadIdOp::create(b, loc, b.getI32Type(), b.getI64IntegerAttr(dim));
  Value n = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(count));
  Value in = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, id, n);
  auto guard = scf::IfOp::create(b, loc, in);
  for (Operation *op : moved)
    op->moveBefore(guard.thenBlock()->getTerminator());
  return guard;
}

/// The last dimension grows, the slowest in a thread's number, so that the
/// numbers of the first threads stay. Fails where 1024 do not suffice.
static LogicalResult padThreads(KernelOp kernel) {
  int64_t threads = kernel.getNumThreads();
  if (threads % kWaveSize == 0)
    return success();
  SmallVector<int64_t> shape(kernel.getThreads());
  int64_t rest = threads / shape.back(), count = shape.back();
  while (rest * shape.back() % kWaveSize)
    ++shape.back();
  int64_t padded = rest * shape.back();
  if (padded > 1024)
    return kernel.emitError("needs a multiple of 64 threads: ")
           << threads << " would become " << padded << ", more than 1024";
  if (findPerThread(kernel)) {
    scf::IfOp branch = guardBody(kernel, shape.size() - 1, count);
    if (findCollective(kernel) && failed(guardThreads(kernel, branch)))
      return failure();
  }
  kernel.emitRemark() << "threads padded from " << threads << " to " << padded
                      << ": whole wavefronts of 64";
  kernel.setThreads(shape);
  return success();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Nothing for a bound or step that is no constant, or a step below 1.
static std::optional<int64_t> constantTrips(scf::ForOp loop) {
  APInt lower, upper, step;
  if (!matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) ||
      !matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)) ||
      !matchPattern(loop.getStep(), m_ConstantInt(&step)) ||
      !step.isStrictlyPositive())
    return std::nullopt;
  return std::max<int64_t>(
      0, llvm::divideCeilSigned(upper.getSExtValue() - lower.getSExtValue(),
                                step.getSExtValue()));
}

/// Whether `value` is computed from the loop's variable.
/// Only through operands: results of loops and branches count by what goes in.
static bool dependsOn(Value value, Value iv) {
  if (value == iv)
    return true;
  Operation *op = value.getDefiningOp();
  return op && llvm::any_of(op->getOperands(),
                            [&](Value v) { return dependsOn(v, iv); });
}

/// Whether the loop's variable indexes registers, other than by single reads in
/// a loop of many products: copies of its step would not fit the instruction
/// cache.
static bool indexesRegisters(scf::ForOp loop) {
  constexpr int64_t kMostProducts = 16;
  std::optional<int64_t> trips = constantTrips(loop);
  int64_t products = 0;
  loop.walk([&](GemmOp) { products += trips.value_or(1); });
  Value iv = loop.getInductionVar();
  auto inRegisters = [](Value buffer) {
    Space space = getSpace(buffer);
    return space == Space::Fragment || space == Space::Local;
  };
  auto anyDepends = [&](ValueRange indices) {
    return llvm::any_of(indices, [&](Value v) { return dependsOn(v, iv); });
  };
  return loop
      .walk([&](Operation *op) {
        bool hit = false;
        if (auto load = dyn_cast<LoadOp>(op))
          hit = (products <= kMostProducts ||
                 load->getParentOfType<ParallelOp>()) &&
                inRegisters(load.getSource()) && anyDepends(load.getIndices());
        else if (auto store = dyn_cast<StoreOp>(op))
          hit = inRegisters(store.getDest()) && anyDepends(store.getIndices());
        else if (auto view = dyn_cast<ViewOp>(op))
          hit = inRegisters(view.getSource()) && anyDepends(view.getOffsets());
        return hit ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The loads or stores of a vector are one access of each thread: they get a
/// number of their own, as unrolled outer loops copy vectors.
static void numberVectors(KernelOp kernel) {
  int64_t next = 0;
  kernel.walk([&](Block *block) {
    // By vector: the last element seen, and the number.
    llvm::DenseMap<int64_t, std::pair<int64_t, int64_t>> seen;
    for (Operation &op : *block)
      if (auto mark = op.getAttrOfType<DenseI64ArrayAttr>(kVectorizedAttr)) {
        int64_t element = mark[1];
        auto [it, isNew] = seen.try_emplace(mark[0], element, next);
        auto &[last, number] = it->second;
        if (isNew || element < last)
          number = next++;
        last = element;
        op.setAttr(
            kVectorizedAttr,
            IntegerAttr::get(IntegerType::get(op.getContext(), 64), number));
      }
  });
}

/// Inner loops first, so that an outer one copies what is straight code
/// already. A marked loop without constant bounds stays a loop.
static LogicalResult unrollLoops(KernelOp kernel) {
  constexpr int64_t kMostTrips = 4096;
  SmallVector<scf::ForOp> loops;
  kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); }); // inner first
  int64_t vectors = 0;
  for (scf::ForOp loop : loops) {
    bool marked = loop->hasAttr(kUnrollAttr) || loop->hasAttr(kVectorizedAttr);
    if (!marked && !indexesRegisters(loop))
      continue;
    std::optional<int64_t> trips = constantTrips(loop);
    if (!trips)
      continue; // a hint that cannot be followed
    if (*trips > kMostTrips)
      return loop.emitError("this loop would be unrolled ")
             << *trips << " times; at most " << kMostTrips
             << " copies of a loop's body are made";
    // No trip: the results are the initial values.
    if (*trips == 0) {
      for (auto [result, init] : llvm::zip(loop.getResults(), loop.getInits()))
        result.replaceAllUsesWith(init);
      loop.erase();
      continue;
    }
    if (*trips == 1) {
      IRRewriter rewriter(kernel.getContext());
      rewriter.setInsertionPoint(loop);
      if (failed(loop.promoteIfSingleIteration(rewriter)))
        return loop.emitError("cannot be unrolled");
      continue;
    }
    // Which vector, and which of its elements, for numberVectors().
    bool isVector = loop->hasAttr(kVectorizedAttr);
    auto mark = [&](unsigned trip, Operation *op, OpBuilder b) {
      if (isVector && isa<LoadOp, StoreOp>(op))
        op->setAttr(kVectorizedAttr, b.getDenseI64ArrayAttr({vectors, trip}));
    };
    if (failed(loopUnrollByFactor(loop, *trips, mark)))
      return loop.emitError("cannot be unrolled");
    vectors += isVector;
  }
  numberVectors(kernel);
  return success();
}

//===----------------------------------------------------------------------===//
// Views and dead buffers
//===----------------------------------------------------------------------===//

namespace {
/// view(view(x)[a])[b] -> view(x)[a + b]
struct FoldViewOfView : OpRewritePattern<ViewOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ViewOp outer,
                                PatternRewriter &b) const override {
    auto inner = outer.getSource().getDefiningOp<ViewOp>();
    if (!inner)
      return failure();
    SmallVector<Value> offsets;
    Location loc = outer.getLoc();
    for (auto [x, y] : llvm::zip(inner.getOffsets(), outer.getOffsets())) {
      Value p = x, q = y;
      // Offsets may be 32 and 64 bits wide: the sum takes the wider.
      if (p.getType() != q.getType()) {
        Type wide = b.getI64Type();
        if (p.getType() != wide)
          p = arith::ExtSIOp::create(b, loc, wide, p);
        if (q.getType() != wide)
          q = arith::ExtSIOp::create(b, loc, wide, q);
      }
      offsets.push_back(b.createOrFold<arith::AddIOp>(loc, p, q));
    }
    b.replaceOpWithNewOp<ViewOp>(outer, outer.getType(), inner.getSource(),
                                 offsets);
    return success();
  }
};

/// alias(tensor) -> a tensor of the other shape behind the same pointer. Only
/// contiguous tensors: the order of elements in memory is what both share.
struct FoldAliasOfTensor : OpRewritePattern<AliasOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AliasOp alias,
                                PatternRewriter &b) const override {
    auto tensor = alias.getSource().getDefiningOp<TensorOp>();
    auto type = cast<MemRefType>(alias.getType());
    if (!tensor || !type.hasStaticShape() || !type.getLayout().isIdentity() ||
        !cast<MemRefType>(tensor.getType()).getLayout().isIdentity())
      return failure();
    // Where the other was, outside of kernels: tensors say what arguments are.
    b.setInsertionPointAfter(tensor);
    b.replaceOpWithNewOp<TensorOp>(alias, type, tensor.getSource(),
                                   ValueRange(), ValueRange(),
                                   tensor.getNameAttr(), tensor.getPadAttr());
    return success();
  }
};
} // namespace

/// Whether tile-infer-layouts can give an alias of a fragment a layout: its
/// elements are those of the fragment, and the ops that use it take them where
/// the fragment's threads hold them.
// Powers of two everywhere: then a reshape splits and joins digits and never
// cuts one.
static bool mayStayInRegisters(AliasOp alias) {
  auto from = cast<MemRefType>(alias.getSource().getType());
  auto to = cast<MemRefType>(alias.getType());
  auto whole = [](MemRefType type) {
    return llvm::all_of(type.getShape(), llvm::isPowerOf2_64);
  };
  return alias.getSource().getDefiningOp<AllocOp>() &&
         from.getElementType() == to.getElementType() && whole(from) &&
         whole(to) && llvm::all_of(alias->getUsers(), [&](Operation *user) {
           auto reduce = dyn_cast<ReduceOp>(user);
           return isa<CopyOp, FillOp>(user) ||
                  (reduce && reduce.getDst() != alias.getResult()) ||
                  (isa<LoadOp, StoreOp>(user) &&
                   user->getParentOfType<ParallelOp>());
         });
}

/// A fragment that is seen under another type, or under a shape that cuts
/// across its layout over the threads, is shared.
static LogicalResult placeAliasedFragments(KernelOp kernel) {
  WalkResult result = kernel.walk([](AliasOp alias) {
    Value base = getBase(alias.getResult());
    Space space = getSpace(base);
    // A private array is plain registers: reinterpreting bytes there would need
    // memory.
    if (space == Space::Local &&
        getElementBytes(base.getType()) != getElementBytes(alias.getType())) {
      alias.emitError("a thread's own buffer seen under a type of another "
                      "width; convert element by element with T.reinterpret");
      return WalkResult::interrupt();
    }
    if (space != Space::Fragment || mayStayInRegisters(alias))
      return WalkResult::advance();
    alias.emitRemark() << "fragment '" << getBufferName(base)
                       << "' lives in LDS: it is seen under another shape here"
                       << (base.getDefiningOp<AllocOp>().getLayout()
                               ? "; the layout given for it is not used"
                               : "");
    // A layout over threads that the program gave goes with the registers.
    base.getDefiningOp<AllocOp>().removeLayoutAttr();
    moveTo(base, Space::Shared);
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Whether an op writes a buffer for its own use: it has another result.
static bool isWorkspace(Operation *op, AllocOp alloc) {
  Value workspace;
  if (auto copy = dyn_cast<CopyOp>(op))
    workspace = copy.getThrough();
  else if (auto reduce = dyn_cast<ReduceOp>(op))
    workspace = reduce.getScratch();
  return workspace && getBase(workspace) == alloc.getResult();
}

/// Erases buffers of a kernel that are written and never read, with the ops
/// whose only effect it is to write them.
static void eraseUnreadBuffers(KernelOp kernel) {
  // Erasing a write may have been the last read of another buffer.
  for (bool changed = true; changed;) {
    changed = false;
    SmallVector<AllocOp> allocs;
    kernel.walk([&](AllocOp alloc) { allocs.push_back(alloc); });
    for (AllocOp alloc : allocs) {
      // Ops beyond these have other effects too, or return something.
      SmallVector<BufferUse> accesses = getAllUses(alloc.getResult());
      if (llvm::any_of(accesses, [&](const BufferUse &a) {
            return a.read || isWorkspace(a.op, alloc) ||
                   !isa<CopyOp, FillOp, StoreOp, ReduceOp, ScanOp, TransposeOp>(
                       a.op);
          }))
        continue;
      for (const BufferUse &access : accesses)
        access.op->erase();
      changed |= !accesses.empty();
      eraseDeadCode(kernel);
      if (alloc->use_empty())
        alloc->erase();
    }
  }
}

/// Whether two boxes of constant offsets and extents share no element.
/// It suffices that they are apart along one dimension.
static bool areDisjoint(ArrayRef<int64_t> a, ArrayRef<int64_t> aShape,
                        ArrayRef<int64_t> b, ArrayRef<int64_t> bShape) {
  for (auto [x, m, y, n] : llvm::zip_equal(a, aShape, b, bShape))
    if (x + m <= y || y + n <= x)
      return true;
  return false;
}

/// A buffer used only in parts that do not overlap becomes a buffer for each:
/// they can then live in different places, for different times.
// Every use must be a view at constant offsets, inside the buffer, and two
// views must be the same box or apart; else the buffer stays.
static void splitByViews(AllocOp alloc) {
  struct Box {
    SmallVector<int64_t> offsets;
    SmallVector<ViewOp> views;
  };
  SmallVector<Box> boxes;
  auto shapeOf = [](ViewOp view) {
    return cast<MemRefType>(view.getType()).getShape();
  };
  if (alloc.getLayout())
    return;
  for (Operation *user : alloc->getUsers()) {
    auto view = dyn_cast<ViewOp>(user);
    if (!view)
      return;
    SmallVector<int64_t> offsets;
    for (auto [offset, extent, whole] :
         llvm::zip_equal(view.getOffsets(), shapeOf(view),
                         cast<MemRefType>(alloc.getType()).getShape())) {
      APInt c;
      if (!matchPattern(offset, m_ConstantInt(&c)) || c.isNegative() ||
          c.getSExtValue() + extent > whole)
        return;
      offsets.push_back(c.getSExtValue());
    }
    bool known = false;
    for (Box &box : boxes) {
      if (box.offsets == offsets && shapeOf(box.views[0]) == shapeOf(view)) {
        box.views.push_back(view);
        known = true;
      } else if (!areDisjoint(box.offsets, shapeOf(box.views[0]), offsets,
                              shapeOf(view))) {
        return;
      }
    }
    if (!known)
      boxes.push_back({offsets, {view}});
  }
  if (boxes.size() < 2)
    return;
  OpBuilder b(alloc);
  auto type = cast<MemRefType>(alloc.getType());
  for (Box &box : boxes) {
    auto part =
        AllocOp::create(b, alloc.getLoc(),
                        getBufferType(shapeOf(box.views[0]),
                                      type.getElementType(), getSpace(type)),
                        alloc.getNameAttr(), LayoutAttr(), IntegerAttr());
    for (ViewOp view : box.views) {
      view.getResult().replaceAllUsesWith(part);
      view.erase();
    }
  }
  alloc.erase();
}

namespace {
struct Legalize : tlc::tile::impl::TileLegalizeBase<Legalize> {
  void runOnOperation() override {
    // Loops are unrolled before the patterns below run: that makes offsets and
    // conditions constant.
    for (auto kernel : getOperation().getBody().getOps<KernelOp>())
      if (failed(lowerMessages(kernel)) || failed(padThreads(kernel)) ||
          failed(unrollLoops(kernel)) ||
          failed(placeAliasedFragments(kernel)) ||
          failed(splitBarriers(kernel)))
        return signalPassFailure();

    // Folding constants and branches here decides what later passes see as
    // constant: bounds, offsets, conditions.
    RewritePatternSet patterns(&getContext());
    patterns.add<FoldViewOfView, FoldAliasOfTensor>(&getContext());
    for (Dialect *dialect : getContext().getLoadedDialects())
      if (isa<arith::ArithDialect, scf::SCFDialect>(dialect))
        dialect->getCanonicalizationPatterns(patterns);
    for (RegisteredOperationName op : getContext().getRegisteredOperations())
      if (isa<arith::ArithDialect, scf::SCFDialect>(op.getDialect()))
        op.getCanonicalizationPatterns(patterns, &getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();

    for (auto kernel : getOperation().getBody().getOps<KernelOp>()) {
      narrowLoops(kernel);
      hoistInvariants(kernel);
      warnOfRaces(kernel);
      forwardStores(kernel);
      eraseUnreadBuffers(kernel);
      SmallVector<AllocOp> allocs;
      kernel.walk([&](AllocOp alloc) { allocs.push_back(alloc); });
      for (AllocOp alloc : allocs)
        if (llvm::is_contained({Space::Shared, Space::Fragment},
                               getSpace(alloc.getResult())))
          splitByViews(alloc);
    }
  }
};
} // namespace
