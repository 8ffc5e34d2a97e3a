//===- Pipeline.cpp - Prefetch into registers: tile-pipeline -*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Overlaps the loads of the next step with the work of this one, in loops that
// ask for it (`tile.num_stages` of 1 or more).
//
// Each copy from global memory to a shared buffer of its own is split in two: a
// load into a staging fragment and a store from it. The load for step i + 1 is
// issued right after the stores of step i, before any work of step i; its data
// is waited for at the top of step i + 1. The loop then has one place where LDS
// is written, at its top, and insert-sync needs two barriers a step.
//
// Global reads outside a tensor give its pad value, so the load of the step
// after the last is harmless and the loop needs no epilogue; a loop that never
// runs loads one tile in vain.
//
// A copy qualifies if its shared buffer is written by nothing else, is used in
// this loop only, is read only after the copy, and its place depends on
// nothing but the induction variable and values from outside. Where registers
// would not hold the staging, the largest tile stays as it was, with a remark.
//
// Before:
//   scf.for %k = ... {
//     %v = tile.view %K[%k, 0] ...
//     tile.copy %v to %Ks
//     tile.gemm %q, %Ks into %s
//   } {tile.num_stages = 2 : i64}
// After:
//   tile.copy (view of %K at the first step) to %stage
//   scf.for %k = ... {
//     tile.copy %stage to %Ks
//     tile.copy (view of %K at %k + step) to %stage {tile.prefetch}
//     tile.gemm %q, %Ks into %s
//   }
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/IRMapping.h"
#include "tlc/Dialect/Tile/Transforms/Passes.h"

namespace tlc::tile {
#define GEN_PASS_DEF_TILEPIPELINE
#include "tlc/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tlc::tile

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

static int64_t bytesOf(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  return type.getNumElements() * type.getElementTypeBitWidth() / 8;
}

/// Registers' bytes that the fragments of a kernel take in each thread, if
/// spread evenly.
static int64_t fragmentBytes(KernelOp kernel) {
  int64_t sum = 0;
  kernel.walk([&](AllocOp alloc) {
    if (getSpace(alloc.getType()) == Space::Fragment)
      sum += bytesOf(alloc.getResult());
  });
  return sum / kernel.getNumThreads();
}

/// Whether a value can be computed anew for another step: constants and
/// arithmetic on the induction variable and on values from outside.
static bool isRecomputable(Value v, scf::ForOp loop) {
  if (v == loop.getInductionVar() || v.getParentBlock() != loop.getBody())
    return !loop.getRegion().isAncestor(v.getParentRegion()) ||
           v == loop.getInductionVar();
  Operation *op = v.getDefiningOp();
  return op && isa<arith::ArithDialect>(op->getDialect()) &&
         op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperands(),
                      [&](Value o) { return isRecomputable(o, loop); });
}

namespace {
/// A copy to be split.
struct Candidate {
  CopyOp copy;
  ViewOp view;
  int64_t bytes; ///< of staging, in each thread
};
} // namespace

static std::optional<Candidate> match(CopyOp copy, scf::ForOp loop,
                                      int64_t threads, StringRef &why) {
  auto view = copy.getSrc().getDefiningOp<ViewOp>();
  auto shared = copy.getDst().getDefiningOp<AllocOp>();
  if (!shared || getSpace(copy.getDst()) != Space::Shared)
    return std::nullopt; // not a load into LDS: nothing to say
  if (getSpace(copy.getSrc()) != Space::Global)
    return std::nullopt;
  why = "";
  if (!view || !isa_and_nonnull<TensorOp>(view.getSource().getDefiningOp()))
    why = "its source is not a box of a tensor";
  else if (!llvm::all_of(view.getOffsets(),
                         [&](Value v) { return isRecomputable(v, loop); }))
    why = "its place depends on more than the loop's counter";
  for (Operation *user : shared->getUsers()) {
    SmallVector<Operation *> users = {user};
    if (isa<ViewOp, AliasOp>(user))
      users.append(user->getUsers().begin(), user->getUsers().end());
    for (Operation *u : users) {
      if (u == copy.getOperation())
        continue;
      Operation *inLoop = loop.getBody()->findAncestorOpInBlock(*u);
      if (!inLoop)
        why = "its buffer is used outside the loop";
      else if (inLoop->isBeforeInBlock(copy))
        why = "its buffer is read before it is filled";
      bool writes = isa<StoreOp, AtomicOp, FillOp>(u) || isa<AliasOp>(u);
      if (auto other = dyn_cast<CopyOp>(u))
        writes |= getBase(other.getDst()) == shared.getResult();
      if (writes)
        why = "its buffer is written by something else as well";
    }
  }
  if (!why.empty())
    return std::nullopt;
  auto type = cast<MemRefType>(copy.getDst().getType());
  int64_t element =
      cast<MemRefType>(copy.getSrc().getType()).getElementTypeBitWidth();
  return Candidate{copy, view, type.getNumElements() * element / 8 / threads};
}

/// The copy's source at another step, loaded into `stage`.
static CopyOp loadStep(OpBuilder &b, Candidate &c, scf::ForOp loop,
                       Value step, AllocOp stage) {
  IRMapping map;
  map.map(loop.getInductionVar(), step);
  std::function<Value(Value)> recompute = [&](Value v) -> Value {
    if (Value known = map.lookupOrNull(v))
      return known;
    Operation *op = v.getDefiningOp();
    if (!op || v.getParentBlock() != loop.getBody())
      return v;
    for (Value o : op->getOperands())
      map.map(o, recompute(o));
    b.clone(*op, map);
    return map.lookup(v);
  };
  SmallVector<Value> offsets;
  for (Value v : c.view.getOffsets())
    offsets.push_back(recompute(v));
  Value view = ViewOp::create(b, c.view.getLoc(), c.view.getType(),
                              c.view.getSource(), offsets);
  return CopyOp::create(b, c.copy.getLoc(), view, stage, LayoutAttr());
}

static void pipeline(scf::ForOp loop, KernelOp kernel) {
  int64_t threads = kernel.getNumThreads();
  SmallVector<Candidate> candidates;
  for (auto copy : loop.getBody()->getOps<CopyOp>()) {
    StringRef why;
    if (auto c = match(copy, loop, threads, why))
      candidates.push_back(*c);
    else if (!why.empty())
      copy.emitRemark("is not loaded ahead: ") << why;
  }
  // 512 registers a lane and SIMD, shared by the workgroup's wavefronts; a
  // quarter is left for operands and addresses.
  int64_t wavesPerSimd = std::max<int64_t>(1, (threads + 255) / 256);
  int64_t budget = 512 / wavesPerSimd * 4 * 3 / 4 - fragmentBytes(kernel);
  int64_t need = 0;
  for (const Candidate &c : candidates)
    need += c.bytes;
  llvm::stable_sort(candidates, [](const Candidate &a, const Candidate &b) {
    return a.bytes < b.bytes;
  });
  while (!candidates.empty() && need > budget) {
    candidates.back().copy.emitRemark("is not loaded ahead: ")
        << candidates.back().bytes / 4 << " more registers do not fit";
    need -= candidates.back().bytes;
    candidates.pop_back();
  }
  if (candidates.empty())
    return;
  llvm::stable_sort(candidates, [](const Candidate &a, const Candidate &b) {
    return a.copy->isBeforeInBlock(b.copy);
  });

  OpBuilder before(loop), top(loop.getBody(), loop.getBody()->begin());
  SmallVector<AllocOp> stages;
  for (Candidate &c : candidates) {
    Value shared = c.copy.getDst();
    auto type = getBufferType(
        cast<MemRefType>(shared.getType()).getShape(),
        cast<MemRefType>(c.copy.getSrc().getType()).getElementType(),
        Space::Fragment);
    auto stage =
        AllocOp::create(before, c.copy.getLoc(), type,
                        before.getStringAttr(getBufferName(shared) + ".stage"),
                        LayoutAttr(), IntegerAttr());
    stages.push_back(stage);
    loadStep(before, c, loop, loop.getLowerBound(), stage);
    CopyOp::create(top, c.copy.getLoc(), stage, shared, LayoutAttr());
  }
  Value next;
  for (auto &&[c, stage] : llvm::zip_equal(candidates, stages)) {
    if (!next)
      next = arith::AddIOp::create(top, loop.getLoc(), loop.getInductionVar(),
                                   loop.getStep());
    loadStep(top, c, loop, next, stage)
        ->setAttr(kPrefetchAttr, top.getUnitAttr());
    c.copy.emitRemark("is loaded one step ahead, through ")
        << c.bytes / 4 << " registers";
    c.copy.erase();
    if (c.view.use_empty())
      c.view.erase();
  }
}

namespace {
struct Pipeline : tlc::tile::impl::TilePipelineBase<Pipeline> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      auto stages = loop->getAttrOfType<IntegerAttr>(kNumStagesAttr);
      if (stages && stages.getInt() >= 1)
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops)
      pipeline(loop, loop->getParentOfType<KernelOp>());
  }
};
} // namespace
