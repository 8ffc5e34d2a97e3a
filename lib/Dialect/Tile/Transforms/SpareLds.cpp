//===- SpareLds.cpp - Less LDS, for kernels that ask for too much ---------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile program written for a machine with more LDS still fits gfx942 when
// part of it lives elsewhere. Tried in this order, as much as is needed:
//
// 1. A copy from memory moves down to the first op that reads its tile, so that
//    tiles used one after the other share bytes.
// 2. A tile that only passes results on, from a fragment to a loop that stores
//    or adds them to memory point by point, becomes a fragment.
// 3. Shared tiles become fragments: operands of gemms are loaded straight into
//    the registers that the instructions read. The layout of wavefronts decides
//    how many registers that takes (a tile that all wavefronts read is held by
//    each), so all gemms of the kernel may be turned to one policy.
// 4. A tile that is still too large is split along one of its dimensions, the
//    k of some gemms and rows or columns of others (SplitTile.cpp).
//
// The smallest set of tiles by registers wins. What was done is a remark; where
// nothing suffices, nothing is done, and tile-fit-lds lists the buffers.
//
//   tile.copy %K to %Ks                          // shared, 72 KiB in all
//   tile.gemm %Qs, %Ks into %s {trans_b, policy = full_col}
// becomes
//   tile.copy %K to %Kf                          // fragment
//   tile.gemm %Qs, %Kf into %s {trans_b, policy = full_row}
//
//===----------------------------------------------------------------------===//

#include "SpareLds.h"
#include "Liveness.h"
#include "tlc/Dialect/Tile/Transforms/GemmLayouts.h"
#include "tlc/Dialect/Tile/Transforms/TileAccess.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

namespace {

/// A shared buffer whose uses a fragment serves as well.
struct Candidate {
  mutable AllocOp alloc; ///< ops' accessors are not const
  int operand = -1;      ///< of the gemms that read it: 0, 1, or -1 for none
  bool fromFragment = false;
  mutable SmallVector<GemmOp> gemms;
};

using Policy = std::optional<WarpPolicy>; // nullopt: as the source says

/// What to keep in registers, under which policy of all gemms.
struct Plan {
  Policy policy;
  SmallVector<Candidate> chosen;
  int64_t registers = 0;
};

class Sparer {
public:
  Sparer(KernelOp kernel, int64_t limit)
      : kernel(kernel), limit(limit), threads(kernel.getNumThreads()) {}
  bool fits() { return need() <= limit; }
  bool run(int64_t most);

private:
  int64_t need(ArrayRef<Candidate> without = {}) {
    auto buffers = getLiveBuffers(kernel, true, [&](AllocOp alloc) -> int64_t {
      return llvm::none_of(
          without, [&](const Candidate &c) { return c.alloc == alloc; });
    });
    return planLds(buffers);
  }
  void sinkCopies();
  void dropStaging(bool converted);
  std::optional<Candidate> consider(AllocOp alloc);
  int64_t registersOf(const Candidate &c, Policy policy);
  std::optional<Plan> planFor(Policy policy, ArrayRef<Candidate> candidates);
  int64_t fragmentRegisters();
  void apply(Plan &plan);
  bool moveToRegisters(int64_t most);
  bool splitLargest();

  KernelOp kernel;
  int64_t limit, threads;
};

} // namespace

//===----------------------------------------------------------------------===//
// Copies next to their readers
//===----------------------------------------------------------------------===//

/// What tells two buffers' memory apart: tensors may share a pointer.
static Value pointerOf(Value buffer) {
  Value base = getBase(buffer);
  auto tensor = base.getDefiningOp<TensorOp>();
  return tensor ? Value(tensor.getSource()) : base;
}

/// Backwards, so that a copy that sinks below another one can be passed by it.
/// Stops at a barrier, at any access to the tile, and at a write to the source.
void Sparer::sinkCopies() {
  SmallVector<CopyOp> copies;
  kernel.walk([&](CopyOp copy) {
    if (getSpace(copy.getSrc()) == Space::Global &&
        getSpace(copy.getDst()) == Space::Shared)
      copies.push_back(copy);
  });
  for (CopyOp copy : llvm::reverse(copies)) {
    Value tile = getBase(copy.getDst()), source = pointerOf(copy.getSrc());
    Operation *before = nullptr;
    for (Operation *op = copy->getNextNode(); op; op = op->getNextNode()) {
      bool stop = op->hasTrait<OpTrait::IsTerminator>() || isa<SyncOp>(op);
      op->walk([&](Operation *inner) {
        for (const BufferUse &use : getUses(inner)) {
          stop |= getBase(use.buffer) == tile;
          stop |= use.write && pointerOf(use.buffer) == source;
        }
      });
      if (stop) {
        before = op;
        break;
      }
    }
    if (before && before != copy->getNextNode())
      copy->moveBefore(before);
  }
}

//===----------------------------------------------------------------------===//
// Tiles in registers
//===----------------------------------------------------------------------===//

bool tile::passesOn(AllocOp alloc, bool converted) {
  bool filled = false, read = false;
  for (Operation *user : alloc->getUsers()) {
    if (auto copy = dyn_cast<CopyOp>(user)) {
      if (copy.getDst() != alloc.getResult() ||
          !copy.getSrc().getDefiningOp<AllocOp>() ||
          getSpace(copy.getSrc()) != Space::Fragment)
        return false;
      filled = true;
      continue;
    }
    auto parallel = user->getParentOfType<ParallelOp>();
    if (!isa<LoadOp>(user) || !parallel)
      return false;
    for (const Access &access : getPointAccesses(parallel)) {
      if (access.buffer == alloc.getResult() && !access.isPlain())
        return false;
      if (!converted && access.buffer != alloc.getResult() &&
          getSpace(access.buffer) == Space::Fragment)
        return false;
    }
    read = true;
  }
  return filled && read;
}

void tile::keepInRegisters(AllocOp shared) {
  auto type = cast<MemRefType>(shared.getType());
  OpBuilder b(shared);
  auto fragment = AllocOp::create(
      b, shared.getLoc(),
      getBufferType(type.getShape(), type.getElementType(), Space::Fragment),
      shared.getNameAttr(), LayoutAttr(), IntegerAttr());
  shared.getResult().replaceAllUsesWith(fragment);
  shared.erase();
}

void Sparer::dropStaging(bool converted) {
  for (AllocOp alloc : getAllocs(kernel, Space::Shared)) {
    if (need() <= limit)
      return;
    if (alloc.getLayout() || !passesOn(alloc, converted))
      continue;
    alloc.emitRemark("goes past LDS, which does not hold all buffers: it only "
                     "passes results on");
    keepInRegisters(alloc);
  }
}

/// Nothing for a buffer with a use that a fragment cannot serve: a scalar
/// access, an operand used both as A and B, gemms that want it in different
/// layouts.
std::optional<Candidate> Sparer::consider(AllocOp alloc) {
  Candidate c;
  c.alloc = alloc;
  Value buffer = alloc.getResult();
  std::optional<bool> kInnermost;
  for (Operation *user : buffer.getUsers()) {
    if (auto copy = dyn_cast<CopyOp>(user)) {
      c.fromFragment |=
          copy.getDst() == buffer && getSpace(copy.getSrc()) == Space::Fragment;
    } else if (auto gemm = dyn_cast<GemmOp>(user)) {
      if (gemm.getC() == buffer || gemm.getA() == gemm.getB())
        return std::nullopt;
      int operand = gemm.getA() == buffer ? 0 : 1;
      // One fragment has one layout: all gemms must want the same.
      if (c.operand >= 0 &&
          (c.operand != operand || *kInnermost != isKInnermost(gemm, operand)))
        return std::nullopt;
      c.operand = operand;
      kInnermost = isKInnermost(gemm, operand);
      c.gemms.push_back(gemm);
    } else if (isa<LoadOp, StoreOp>(user)) {
      auto parallel = user->getParentOfType<ParallelOp>();
      if (!parallel)
        return std::nullopt;
      for (const Access &access : getPointAccesses(parallel)) {
        if (access.buffer == buffer && !access.isPlain())
          return std::nullopt;
        // A tile that loops put together with other fragments has their layout:
        // as what is read that is not an operand's; as what is written it is
        // a result's.
        if (access.buffer != buffer &&
            getSpace(access.buffer) == Space::Fragment) {
          if (isa<LoadOp>(user))
            return std::nullopt;
          c.fromFragment = true;
        }
      }
    } else if (!isa<FillOp>(user)) {
      return std::nullopt;
    }
  }
  if (c.operand < 0)
    return std::nullopt;
  return c;
}

/// As many wavefronts along an extent as have 16 rows each.
static int64_t wavesAlong(int64_t extent, int64_t waves) {
  int64_t n = 1;
  for (int64_t d = 1; d <= waves; ++d)
    if (waves % d == 0 && d * 16 <= std::max<int64_t>(extent, 16))
      n = d;
  return n;
}

/// 32-bit registers of a lane. Wavefronts along the operand's rows share it
/// out; those along the other dimension each hold all of it.
int64_t Sparer::registersOf(const Candidate &c, Policy policy) {
  int64_t waves = threads / 64, spread = waves;
  for (GemmOp gemm : c.gemms) {
    // Square may turn out either way.
    WarpPolicy p = policy.value_or(gemm.getPolicy());
    int64_t m = p == WarpPolicy::FullRow ? wavesAlong(gemm.getM(), waves)
                : p == WarpPolicy::FullCol
                    ? waves / wavesAlong(gemm.getN(), waves)
                    : 1;
    int64_t along = c.operand == 0            ? m
                    : p == WarpPolicy::Square ? 1
                                              : waves / m;
    spread = std::min(spread, along);
  }
  auto type = cast<MemRefType>(c.alloc.getType());
  return llvm::divideCeil(type.getNumElements() * getElementBytes(type),
                          // 64 lanes of 4 bytes a wavefront.
                          256 * spread);
}

/// 32-bit registers of a lane that the kernel's fragments need at once.
int64_t Sparer::fragmentRegisters() {
  auto live = getLiveBuffersOf(
      kernel, Space::Fragment, true,
      [&](AllocOp alloc) {
        auto type = cast<MemRefType>(alloc.getType());
        return int64_t(llvm::divideCeil(
            type.getNumElements() * getElementBytes(type), threads));
      },
      [](AllocOp) { return false; });
  return peakBytes(live) / 4;
}

/// The cheapest set of candidates that brings LDS below the limit under one
/// policy: greedily by registers for each byte saved, then without those that
/// proved unnecessary. Nothing if registers or LDS do not suffice.
std::optional<Plan> Sparer::planFor(Policy policy,
                                    ArrayRef<Candidate> candidates) {
  constexpr int64_t kReserve = 64; // operands and addresses
  int64_t budget = (threads <= 256   ? 512
                    : threads <= 512 ? 256
                                     : 128) -
                   kReserve - fragmentRegisters();
  Plan plan;
  plan.policy = policy;
  SmallVector<Candidate> order;
  for (const Candidate &c : candidates) {
    // A result becomes an operand in place only where each wavefront has whole
    // rows of it.
    bool rows = llvm::all_of(c.gemms, [&](GemmOp gemm) {
      return policy.value_or(gemm.getPolicy()) == WarpPolicy::FullRow;
    });
    if (!c.fromFragment || (c.operand == 0 && rows))
      order.push_back(c);
  }
  // Registers a byte, compared as products.
  llvm::stable_sort(order, [&](const Candidate &a, const Candidate &b) {
    return registersOf(a, policy) * getLdsBytes(b.alloc) <
           registersOf(b, policy) * getLdsBytes(a.alloc);
  });
  for (const Candidate &c : order) {
    if (need(plan.chosen) <= limit)
      break;
    plan.chosen.push_back(c);
  }
  if (need(plan.chosen) > limit)
    return std::nullopt;
  // What later choices made unnecessary stays in LDS, the dearest first.
  for (size_t i = plan.chosen.size(); i-- > 0;) {
    SmallVector<Candidate> fewer(plan.chosen);
    fewer.erase(fewer.begin() + i);
    if (need(fewer) <= limit)
      plan.chosen = fewer;
  }
  for (const Candidate &c : plan.chosen)
    plan.registers += registersOf(c, policy);
  if (plan.registers > budget)
    return std::nullopt;
  return plan;
}

/// Changes the kernel; each change is a remark at its place.
void Sparer::apply(Plan &plan) {
  for (Candidate &c : plan.chosen) {
    c.alloc.emitRemark("goes to registers instead of LDS, which does not hold "
                       "all buffers: ")
        << registersOf(c, plan.policy) << " registers a lane, "
        << getLdsBytes(c.alloc) << " bytes of LDS saved";
    keepInRegisters(c.alloc);
  }
  if (!plan.policy)
    return;
  kernel.walk([&](GemmOp gemm) {
    if (gemm.getPolicy() == *plan.policy)
      return;
    gemm.setPolicy(*plan.policy);
    gemm.emitRemark("wavefronts take ")
        << (*plan.policy == WarpPolicy::FullRow ? "rows" : "columns")
        << " of the result here, so that operands fit registers";
  });
}

/// Whether a plan was found, under any policy, of no more registers than
/// `most`, and carried out.
bool Sparer::moveToRegisters(int64_t most) {
  SmallVector<Candidate> candidates;
  for (AllocOp alloc : getAllocs(kernel, Space::Shared))
    if (auto c = consider(alloc))
      candidates.push_back(*c);
  std::optional<Plan> best;
  for (Policy policy :
       {Policy(), Policy(WarpPolicy::FullRow), Policy(WarpPolicy::FullCol)}) {
    auto plan = planFor(policy, candidates);
    if (plan && plan->registers <= most &&
        (!best || plan->registers < best->registers))
      best = plan;
  }
  if (best)
    apply(*best);
  return best.has_value();
}

/// Splits the largest tile that can be, into as few parts as make it smaller
/// than its share.
bool Sparer::splitLargest() {
  SmallVector<AllocOp> allocs = getAllocs(kernel, Space::Shared);
  llvm::stable_sort(allocs, [](AllocOp a, AllocOp b) {
    return getLdsBytes(a) > getLdsBytes(b);
  });
  for (AllocOp alloc : allocs)
    if (splitTile(alloc, 2))
      return true;
  return false;
}

bool Sparer::run(int64_t most) {
  sinkCopies();
  dropStaging(/*converted=*/false);
  dropStaging(/*converted=*/true);
  // Each split halves a tile; the parts can be split again.
  constexpr unsigned kMostSplits = 16;
  for (unsigned i = 0; i < kMostSplits; ++i)
    if (need() <= limit || moveToRegisters(most) || !splitLargest())
      break;
  return need() <= limit;
}

bool tile::spareLds(KernelOp kernel, int64_t limit) {
  Sparer sparer(kernel, limit);
  if (sparer.fits())
    return true;
  // Registers are what results are computed in: many for operands only where
  // splitting does not do.
  constexpr int64_t kModest = 128, kAll = 512;
  for (int64_t most : {kModest, kAll}) {
    OwningOpRef<KernelOp> saved = kernel.clone();
    std::vector<mlir::Diagnostic> said;
    bool done;
    {
      ScopedDiagnosticHandler held(
          kernel.getContext(),
          [&](mlir::Diagnostic &d) { said.push_back(std::move(d)); });
      done = sparer.run(most);
    }
    if (done) {
      for (mlir::Diagnostic &diag : said)
        kernel.getContext()->getDiagEngine().emit(std::move(diag));
      return true;
    }
    // A kernel that fails all the same is refused as it was written.
    kernel.getBody().takeBody(saved->getBody());
  }
  return false;
}
