//===- CoalesceStores.cpp - Results leave through LDS -----------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy from a fragment to global memory whose lanes write short pieces of
// many rows (an accumulator: 8 bytes of 16-bit elements) gets a shared buffer
// `through` which each wavefront takes its elements, to write whole lines:
//
// 1. What neighbouring lanes write side by side is compared with what they
//    would after an exchange (StoreExchange.h); twice as much is worth it, but
//    for a few stores of whole half lines: the trip through LDS, which comes
//    when nothing else is left to do, takes longer than they do.
// 2. The exchange goes by up to four chunks, so that the buffer is small, and
//    fits where tiles of the main loop are dead: it is made only where the
//    kernel's LDS does not grow by it (a few KiB apart). Where rows of 256
//    bytes are too large for that, half as long ones are tried, and so on.
//
//   tile.copy %acc to %C {layout = L}
// becomes
//   %s = tile.alloc : memref<8x64x64xf16, shared>
//   tile.copy %acc to %C through %s {layout = L}
//
//===----------------------------------------------------------------------===//

#include "Liveness.h"
#include "tlc/Dialect/Tile/Transforms/Passes.h"
#include "tlc/Dialect/Tile/Transforms/StoreExchange.h"
#include "tlc/Dialect/Tile/Transforms/TileAccess.h"
#include "tlc/Support/LdsBanks.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

namespace tlc::tile {
#define GEN_PASS_DEF_TILECOALESCESTORES
#include "tlc/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tlc::tile

/// LDS that no kernel misses: eight such workgroups fit a compute unit.
constexpr int64_t kSpareBytes = 8192;
/// Chunks in LDS at once: one alone waits for its writes, then for its reads.
constexpr int64_t kMostChunks = 4;

/// Whether the points' last dimension runs along memory.
static bool runsAlongMemory(CopyOp copy) {
  auto tensor = getBase(copy.getDst()).getDefiningOp<TensorOp>();
  if (!tensor)
    return false;
  auto type = cast<MemRefType>(tensor.getType());
  int64_t offset;
  SmallVector<int64_t> strides;
  if (type.getLayout().isIdentity())
    strides.assign(type.getRank(), 1);
  else if (failed(type.getStridesAndOffset(strides, offset)))
    return false;
  return type.getRank() > 0 && strides.back() == 1 &&
         getBase(copy.getDst()).getType() == type &&
         cast<MemRefType>(copy.getDst().getType()).getShape().back() != 1;
}

/// Whether the stores are so few, and write so much side by side as it is, that
/// they end before an exchange would: half lines are what L2 takes at once.
static bool endsSoon(CopyOp copy, int64_t apart, int64_t threads) {
  constexpr int64_t kHalfLine = 64, kFewBytes = 64; // a lane's, four stores
  auto type = cast<MemRefType>(copy.getDst().getType());
  int64_t bytes = type.getNumElements() * getElementBytes(type);
  return apart >= kHalfLine && bytes <= kFewBytes * threads;
}

static void coalesce(CopyOp copy) {
  auto fragment = copy.getSrc().getDefiningOp<AllocOp>();
  if (!fragment || getSpace(copy.getSrc()) != Space::Fragment ||
      getSpace(copy.getDst()) != Space::Global || copy.getThrough() ||
      !copy.getLayout() || !runsAlongMemory(copy))
    return;
  auto type = cast<MemRefType>(copy.getDst().getType());
  Type element = type.getElementType();
  if (element.getIntOrFloatBitWidth() < 8)
    return;
  int64_t bytes = getElementBytes(type);
  Layout layout = copy.getLayout()->getLayout();
  int64_t apart = contiguousBytes(layout, bytes);
  auto gains = [&](const std::optional<StoreExchange> &e) {
    return e && contiguousBytes(e->layout, bytes) >= 2 * apart;
  };
  std::optional<StoreExchange> e = planExchange(layout, bytes);
  auto kernel = copy->getParentOfType<KernelOp>();
  if (!gains(e) || endsSoon(copy, apart, kernel.getNumThreads()))
    return;
  // As tile-fit-lds plans: sharing within loops only where nothing else fits.
  auto planned = [&] {
    int64_t total = 0;
    for (bool reuseInLoops : {false, true}) {
      auto buffers = getLiveBuffers(kernel, reuseInLoops);
      if (total = planLds(buffers); total <= kLdsBytes)
        break;
    }
    return total;
  };
  int64_t room = std::max(planned(), kSpareBytes);
  OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
  auto fits = [&](int64_t batch) {
    SmallVector<int64_t> shape = {kernel.getNumThreads() / kWaveSize,
                                  e->rows * batch, e->pitch};
    auto through = AllocOp::create(
        b, copy.getLoc(), getBufferType(shape, element, Space::Shared),
        b.getStringAttr(getBufferName(copy.getDst()) + "_lines"), LayoutAttr(),
        IntegerAttr());
    copy.getThroughMutable().assign(through.getResult());
    if (planned() <= room)
      return true;
    copy.getThroughMutable().clear();
    through.erase();
    return false;
  };
  // Where whole rows do not fit, shorter ones: more chunks, less LDS.
  for (; gains(e); e = planExchange(layout, bytes, e->columns / 2)) {
    int64_t batch = std::min<int64_t>(kMostChunks, e->chunks.size());
    while (batch && !fits(batch))
      --batch;
    if (batch)
      break;
  }
  if (!copy.getThrough()) {
    copy.emitRemark("not written through LDS: it has no room for '")
        << getBufferName(copy.getDst()) << '\'';
    return;
  }
  copy.emitRemark("'") << getBufferName(copy.getDst())
                       << "' is written through LDS: "
                       << contiguousBytes(e->layout, bytes)
                       << " bytes side by side instead of " << apart;
}

namespace {
struct CoalesceStores
    : tlc::tile::impl::TileCoalesceStoresBase<CoalesceStores> {
  using TileCoalesceStoresBase::TileCoalesceStoresBase;

  void runOnOperation() override {
    SmallVector<CopyOp> copies;
    getOperation().walk([&](CopyOp copy) { copies.push_back(copy); });
    for (CopyOp copy : copies)
      coalesce(copy);
  }
};
} // namespace
