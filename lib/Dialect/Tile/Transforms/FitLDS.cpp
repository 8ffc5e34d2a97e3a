//===- FitLDS.cpp - Give shared buffers their place in LDS ------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sets `lds_offset` on every shared alloc. Buffers whose contents never matter
// at the same time share bytes:
//
// 1. Number the ops of the kernel; the live range of a buffer runs from its
//    first access to its last, extended over each loop in which it carries a
//    value from one iteration to the next (Liveness.h). At first every buffer
//    that a loop uses lives through it; what each iteration overwrites before
//    reading it shares bytes within the loop only if nothing else fits.
// 2. Place buffers at the lowest free offset, largest first; up to seven
//    buffers in every order, until the peak of live bytes is met.
// 3. Where buffers share bytes within a loop, a write of one waits for the
//    reads of the other. So the bytes that no other workgroup can use are used:
//    in program order, each buffer goes where what lay there was read longest
//    ago.
// 4. Check the outcome: no two buffers alive at once overlap.
//
// Sharing bytes makes the last reader of one buffer and the first writer of the
// next depend on each other; tile-insert-sync, which runs later, sees the
// offsets and orders them.
//
//   %q = tile.alloc {name = "Q"} : memref<64x64xf16, shared>   // dead after
//   %o = tile.alloc {name = "O"} : memref<64x64xf16, shared>   // the loop
// becomes
//   %q = tile.alloc {lds_offset = 0, name = "Q"} : ...
//   %o = tile.alloc {lds_offset = 0, name = "O"} : ...
//
// What does not fit is an error that lists the buffers. Which parameters would
// do, the driver finds out (lib/Driver/SuggestSizes.cpp).
//
//===----------------------------------------------------------------------===//

#include "Liveness.h"
#include "Staging.h"
#include "mlir/IR/Matchers.h"
#include "tlc/Dialect/Tile/Transforms/Passes.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

namespace tlc::tile {
#define GEN_PASS_DEF_TILEFITLDS
#include "tlc/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tlc::tile

static std::string describe(AllocOp alloc) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '\'' << alloc.getName().value_or("(unnamed)") << "' (";
  auto type = cast<MemRefType>(alloc.getType());
  llvm::interleave(type.getShape(), os, "x");
  os << 'x' << type.getElementType() << ')';
  return text;
}

LogicalResult tile::refuseLds(KernelOp kernel, ArrayRef<LiveBuffer> buffers,
                              int64_t total, int64_t limit) {
  InFlightDiagnostic diag = kernel.emitError()
                            << "the kernel's shared buffers need " << total
                            << " bytes of LDS, but a workgroup on gfx942 has "
                            << limit << ' ' << kLdsLimitTag;
  // Tiles that were split, or whose loop was unrolled, stand here once.
  struct Parts {
    Location loc;
    std::string text;
    int64_t count;
  };
  SmallVector<Parts> all;
  for (const LiveBuffer &b : buffers) {
    std::string text =
        describe(b.alloc) + " takes " + std::to_string(b.bytes) + " bytes";
    auto *known = llvm::find_if(all, [&](const Parts &p) {
      return p.loc == b.alloc.getLoc() && p.text == text;
    });
    if (known == all.end())
      all.push_back({b.alloc.getLoc(), text, 1});
    else
      ++known->count;
  }
  for (const Parts &p : all) {
    mlir::Diagnostic &note = diag.attachNote(p.loc);
    note << p.text;
    if (p.count > 1)
      note << ", " << p.count << " times";
  }
  return diag;
}

LogicalResult tile::checkLds(KernelOp kernel, int64_t limit) {
  auto buffers = getLiveBuffers(kernel, /*reuseInLoops=*/true);
  int64_t total = planLds(buffers);
  if (total <= limit)
    return success();
  kernel->setAttr(kLdsNeededAttr, OpBuilder(kernel).getI64IntegerAttr(total));
  return refuseLds(kernel, buffers, total, limit);
}

/// Two buffers alive at once share no byte: the invariant this pass exists for.
static LogicalResult check(ArrayRef<LiveBuffer> buffers) {
  for (auto [i, a] : llvm::enumerate(buffers))
    for (const LiveBuffer &b : buffers.drop_front(i + 1))
      if (a.meets(b) && a.offset < b.offset + b.bytes &&
          b.offset < a.offset + a.bytes)
        return a.alloc->emitError("internal error: LDS of ")
               << describe(a.alloc) << " overlaps " << describe(b.alloc);
  return success();
}

/// Bytes that a workgroup may take without keeping another one from a compute
/// unit: of as many as LDS and registers hold and the grid has.
static int64_t roomOf(KernelOp kernel, int64_t total, int64_t limit) {
  constexpr int64_t kUnits = 304, kSimds = 4, kWaveSize = 64;
  int64_t threads = kernel.getNumThreads(), held = 0;
  for (AllocOp alloc : getAllocs(kernel, Space::Fragment))
    if (auto layout = alloc.getLayout()) {
      int64_t bytes =
          layout->getLayout().numRegisters() * getElementBytes(alloc.getType());
      held = std::max<int64_t>(held, llvm::divideCeil(bytes, 4));
    }
  int64_t groups = limit / std::max<int64_t>(total, 1);
  // The largest fragment alone.
  int64_t waves = kSimds * (registerBudget(1) / std::max<int64_t>(held, 1));
  groups = std::min(groups, waves * kWaveSize / threads);
  int64_t grid = 1;
  for (Value extent : kernel.getGrid()) {
    APInt n;
    if (!matchPattern(extent, m_ConstantInt(&n))) {
      grid = INT32_MAX;
      break;
    }
    grid = std::min<int64_t>(grid * std::max<int64_t>(n.getSExtValue(), 1),
                             INT32_MAX);
  }
  groups = std::min<int64_t>(groups, llvm::divideCeil(grid, kUnits));
  return limit / std::max<int64_t>(groups, 1);
}

static int64_t bytesOf(ArrayRef<LiveBuffer> buffers) {
  int64_t bytes = 0;
  for (const LiveBuffer &buffer : buffers)
    bytes = std::max(bytes, buffer.offset + buffer.bytes);
  return bytes;
}

/// Places buffers in program order within `limit`, each where those that lay
/// there were used longest ago. False, and nothing changed, if one finds no
/// place.
static bool spread(MutableArrayRef<LiveBuffer> buffers, int64_t limit) {
  constexpr int64_t kAlignment = 16; // of the widest LDS access
  SmallVector<LiveBuffer> placed;
  SmallVector<unsigned> order(llvm::to_vector(
      llvm::seq<unsigned>(0, static_cast<unsigned>(buffers.size()))));
  llvm::stable_sort(order, [&](unsigned a, unsigned b) {
    return buffers[a].first < buffers[b].first;
  });
  SmallVector<int64_t> offsets(buffers.size());
  for (unsigned index : order) {
    LiveBuffer buffer = buffers[index];
    SmallVector<int64_t> candidates = {0};
    for (const LiveBuffer &o : placed) {
      candidates.push_back(o.offset);
      candidates.push_back(llvm::alignTo(o.offset + o.bytes, kAlignment));
    }
    // Last use of what lay there, how many buffers that were, offset.
    using Cost = std::tuple<int64_t, int64_t, int64_t>;
    std::optional<Cost> best;
    for (int64_t offset : candidates) {
      if (offset + buffer.bytes > limit)
        continue;
      bool free = true;
      int64_t last = -1, count = 0;
      for (const LiveBuffer &o : placed) {
        if (offset >= o.offset + o.bytes || o.offset >= offset + buffer.bytes)
          continue;
        free &= !o.meets(buffer);
        last = std::max(last, o.last);
        ++count;
      }
      if (Cost cost(last, count, offset); free && (!best || cost < *best))
        best = cost;
    }
    if (!best)
      return false;
    buffer.offset = offsets[index] = std::get<2>(*best);
    placed.push_back(buffer);
  }
  for (auto [buffer, offset] : llvm::zip_equal(buffers, offsets))
    buffer.offset = offset;
  return true;
}

namespace {
struct FitLDS : tlc::tile::impl::TileFitLDSBase<FitLDS> {
  using TileFitLDSBase::TileFitLDSBase;

  LogicalResult fit(KernelOp kernel) {
    // Sharing within a loop costs a barrier each time: only where it must be.
    SmallVector<LiveBuffer> buffers = getLiveBuffers(kernel, false);
    int64_t total = planLds(buffers);
    bool inLoops = total > ldsBytes;
    if (inLoops) {
      buffers = getLiveBuffers(kernel, true);
      total = planLds(buffers);
    }
    if (total > ldsBytes)
      return checkLds(kernel, ldsBytes);
    if (inLoops && spread(buffers, roomOf(kernel, total, ldsBytes)))
      total = bytesOf(buffers);
    kernel->removeAttr(kLdsReserveAttr);
    if (failed(check(buffers)))
      return failure();
    int64_t sum = 0;
    for (LiveBuffer &b : buffers) {
      b.alloc.setLdsOffset(b.offset);
      sum += b.bytes;
    }
    if (total + 16 * int64_t(buffers.size()) < sum)
      kernel.emitRemark() << "LDS: " << buffers.size() << " buffers of " << sum
                          << " bytes share " << total << " bytes";
    return success();
  }

  void runOnOperation() override {
    for (auto kernel : getOperation().getBody().getOps<KernelOp>())
      if (failed(fit(kernel)))
        return signalPassFailure();
  }
};
} // namespace
