//===- SwizzleLDS.cpp - Lay shared buffers out without conflicts -*- C++-*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sets `layout` on shared allocs: the order of dimensions in LDS and the XOR
// that spreads rows over the banks.
//
// 1. Collect the accesses of the buffer: which element each register of each
//    lane moves, from the layouts that tile-infer-layouts chose for gemm
//    operands, copies, fills and parallels. Loops weigh eightfold.
// 2. Candidates (swizzleCandidates). A buffer that a gemm reads has that gemm's
//    k innermost, in the order in which a lane's registers hold it, so that one
//    16-byte read feeds the matrix core: a V tile stored key-major ends up
//    key-contiguous. Then rows of k, or 16-byte columns of rows; then XORs of
//    the 16- or 8-byte unit with bits of the row; padding comes last and only
//    if LDS still suffices.
// 3. Price each by the bank model (one wavefront stands for all) and keep the
//    cheapest; of equals, the first.
//
//   %K = tile.alloc : memref<64x128xf16, #tile.space<shared>>
// becomes
//   %K = tile.alloc {layout = #tile.layout<[64:m128], [8:m1, 16:m8],
//                             xor(7, 7, 3)>} : ...
//
// Buffers with an alias keep their row-major order, which the alias shows.
//
//===----------------------------------------------------------------------===//

#include "Liveness.h"
#include "SwizzleCandidates.h"
#include "tlc/Dialect/Tile/Transforms/Passes.h"
#include "tlc/Dialect/Tile/Transforms/TileAccess.h"
#include "tlc/Layout/BankModel.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

namespace tlc::tile {
#define GEN_PASS_DEF_TILESWIZZLELDS
#include "tlc/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tlc::tile

namespace {
struct PricedAccess {
  HeldElements held;
  LdsDirection direction;
  int64_t weight;
};
struct Price {
  int64_t cycles = 0, conflicts = 0;
};
} // namespace

static int64_t weightOf(Operation *op) {
  int64_t weight = 1;
  for (Operation *p = op->getParentOp(); p && !isa<KernelOp>(p);
       p = p->getParentOp())
    if (isa<LoopLikeOpInterface>(p) && weight < 4096)
      weight *= 8;
  return weight;
}

static std::optional<Layout> loopLayout(Operation *op) {
  auto attr = op->getAttrOfType<LayoutAttr>("layout");
  return attr ? std::optional(attr.getLayout()) : std::nullopt;
}

/// What the first wavefront touches of `access`'s buffer when it runs over the
/// points of `layout`.
static HeldElements touched(const Access &access, const Layout &layout,
                            ArrayRef<int64_t> points, ArrayRef<int64_t> shape) {
  HeldElements held;
  held.registers = layout.numRegisters();
  held.threads = kWaveSize;
  for (int64_t r = 0; r < held.registers; ++r)
    for (int64_t t = 0; t < held.threads; ++t) {
      auto point = layout.indexOf(t, r);
      int64_t element = point ? 0 : -1;
      if (point)
        for (auto [p, extent] : llvm::zip(*point, points))
          if (p >= extent)
            element = -1;
      for (size_t d = 0; d < shape.size() && element >= 0; ++d) {
        const PointIndex &form = access.indices[d];
        int64_t i = form.constant;
        for (auto [p, c] : llvm::enumerate(form.coeffs))
          i += c * (*point)[p];
        element = i >= 0 && i < shape[d] ? element * shape[d] + i : -1;
      }
      held.elements.push_back(element);
    }
  return held;
}

/// Accesses whose lanes are known: by gemms, and by loops over points.
static SmallVector<PricedAccess> collect(AllocOp alloc, KernelOp kernel) {
  SmallVector<PricedAccess> result;
  auto shape = cast<MemRefType>(alloc.getType()).getShape();
  kernel.walk([&](Operation *op) {
    if (auto gemm = dyn_cast<GemmOp>(op)) {
      for (unsigned operand : {0, 1}) {
        Value v = operand == 0 ? gemm.getA() : gemm.getB();
        if (getBase(v) != alloc.getResult() || !gemm.getMfma())
          continue;
        result.push_back({heldElements(getOperandBufferLayout(gemm, operand),
                                       shape.take_back(2), kWaveSize),
                          LdsDirection::Read, weightOf(op)});
      }
      return;
    }
    if (!isa<CopyOp, FillOp, ParallelOp>(op))
      return;
    std::optional<Layout> layout = loopLayout(op);
    if (!layout)
      return;
    for (const Access &access : getPointAccesses(op)) {
      if (access.buffer != alloc.getResult() ||
          llvm::any_of(access.indices,
                       [](const PointIndex &i) { return !i.known; }))
        continue;
      HeldElements held = touched(access, *layout, getPoints(op), shape);
      if (access.reads)
        result.push_back({held, LdsDirection::Read, weightOf(op)});
      if (access.writes)
        result.push_back({held, LdsDirection::Write, weightOf(op)});
    }
  });
  return result;
}

static Price price(const Layout &layout, ArrayRef<int64_t> shape,
                   ArrayRef<PricedAccess> accesses, unsigned elementBytes) {
  Price total;
  for (const PricedAccess &access : accesses) {
    AccessCost cost = priceAccess(
        access.held,
        [&](int64_t element) {
          SmallVector<int64_t, 4> index(shape.size());
          for (int d = int(shape.size()) - 1; d >= 0; --d) {
            index[d] = element % shape[d];
            element /= shape[d];
          }
          return layout.at(index).memory;
        },
        elementBytes, access.direction);
    total.cycles += cost.cycles * access.weight;
    total.conflicts += cost.conflicts * access.weight;
  }
  return total;
}

namespace {
struct SwizzleLDS : tlc::tile::impl::TileSwizzleLDSBase<SwizzleLDS> {
  /// Whether the kernel still fits with `layout` on `alloc`.
  static bool fits(KernelOp kernel, AllocOp alloc, const Layout &layout) {
    auto old = alloc.getLayoutAttr();
    alloc.setLayoutAttr(LayoutAttr::get(alloc.getContext(), layout));
    auto buffers = getLiveBuffers(kernel, /*reuseInLoops=*/false);
    bool result = planLds(buffers) <= kLdsBytes;
    if (old)
      alloc.setLayoutAttr(old);
    else
      alloc.removeLayoutAttr();
    return result;
  }

  static void layOut(AllocOp alloc, KernelOp kernel) {
    if (alloc.getLayout() ||
        llvm::any_of(alloc->getUsers(),
                     [](Operation *user) { return isa<AliasOp>(user); }))
      return;
    SmallVector<PricedAccess> accesses = collect(alloc, kernel);
    if (accesses.empty())
      return;
    auto type = cast<MemRefType>(alloc.getType());
    unsigned bytes = getElementBytes(type);
    int64_t plain = type.getNumElements();
    std::optional<Layout> best;
    Price bestPrice;
    for (const Layout &candidate : swizzleCandidates(alloc)) {
      bool larger = candidate.span(Place::Memory) > plain;
      if (larger && best &&
          (bestPrice.conflicts == 0 || !fits(kernel, alloc, candidate)))
        continue;
      Price p = price(candidate, type.getShape(), accesses, bytes);
      if (!best || p.cycles < bestPrice.cycles) {
        best = candidate;
        bestPrice = p;
      }
    }
    alloc.setLayoutAttr(LayoutAttr::get(alloc.getContext(), *best));
    if (bestPrice.conflicts)
      alloc.emitRemark("LDS: '")
          << alloc.getName().value_or("") << "' keeps bank conflicts, "
          << bestPrice.conflicts * 100 / bestPrice.cycles
          << " % of its LDS cycles";
  }

  void runOnOperation() override {
    for (auto kernel : getOperation().getBody().getOps<KernelOp>())
      for (AllocOp alloc : getAllocs(kernel, Space::Shared))
        layOut(alloc, kernel);
  }
};
} // namespace
