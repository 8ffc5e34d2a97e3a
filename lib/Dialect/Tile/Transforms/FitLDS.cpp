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
// 3. Check the outcome: no two buffers alive at once overlap.
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
#include "tlc/Dialect/Tile/Transforms/Passes.h"
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

namespace {
struct FitLDS : tlc::tile::impl::TileFitLDSBase<FitLDS> {
  using TileFitLDSBase::TileFitLDSBase;

  LogicalResult fit(KernelOp kernel) {
    // Sharing within a loop costs a barrier each time: only where it must be.
    SmallVector<LiveBuffer> buffers = getLiveBuffers(kernel, false);
    int64_t total = planLds(buffers);
    if (total > ldsBytes) {
      buffers = getLiveBuffers(kernel, true);
      total = planLds(buffers);
    }
    if (total > ldsBytes)
      return checkLds(kernel, ldsBytes);
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
