//===- Liveness.cpp - When buffers hold something ---------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops are numbered in pre-order with their ends, so that a region is an
// interval; a buffer lives from its first access to its last, stretched to the
// whole of each loop that carries its content round. Placement is dynamic
// storage allocation, NP-hard: largest first, and all orders of up to seven
// buffers where that misses the lower bound (5040 plans of 7 at most).
//
//===----------------------------------------------------------------------===//

#include "Liveness.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

namespace {
/// The op numbers of an op and of the last op nested in it.
struct Span {
  int64_t first = 0, last = 0;
};
using Numbering = llvm::DenseMap<Operation *, Span>;
} // namespace

/// The second number of an op comes after all in its regions.
static void number(Operation *op, int64_t &next, Numbering &numbers) {
  int64_t first = next++;
  for (mlir::Region &region : op->getRegions())
    for (Block &block : region)
      for (Operation &inner : block)
        number(&inner, next, numbers);
  numbers[op] = {first, next++};
}

/// Whether every iteration of `loop` starts, as far as the buffer goes, with
/// this access overwriting it.
static bool renewsIn(Operation *loop, const BufferUse &first) {
  Operation *op = first.op;
  if (auto points = op->getParentOfType<ParallelOp>())
    op = points;
  if (op->getParentOp()->hasAttr(kPartsAttr) && op->getParentOp() != loop)
    op = op->getParentOp();
  return isa<scf::ForOp>(loop) && op->getParentOp() == loop &&
         overwritesBase(first);
}

SmallVector<LiveBuffer>
/// In program order of the allocs. A buffer that rotates always lives through
/// its loops: the copies hold content between steps.
tile::getLiveBuffersOf(KernelOp kernel, Space space, bool reuseInLoops,
                       llvm::function_ref<int64_t(AllocOp)> size,
                       llvm::function_ref<bool(AllocOp)> rotates) {
  Numbering numbers;
  int64_t next = 0;
  number(kernel, next, numbers);
  // The accesses of all buffers by one walk, in program order.
  llvm::DenseMap<Value, SmallVector<BufferUse>> uses;
  kernel->walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (const BufferUse &use : getUses(op))
      uses[getBase(use.buffer)].push_back(use);
  });

  SmallVector<LiveBuffer> result;
  for (AllocOp alloc : getAllocs(kernel, space)) {
    ArrayRef<BufferUse> accesses = uses[alloc.getResult()];
    if (accesses.empty())
      continue;
    LiveBuffer live{alloc, size(alloc), next, 0, 0};
    auto include = [&](Operation *op) {
      live.first = std::min(live.first, numbers[op].first);
      live.last = std::max(live.last, numbers[op].last);
    };
    llvm::DenseMap<Operation *, bool> extends;
    for (const BufferUse &access : accesses) {
      include(access.op);
      // The points of a parallel run at the same time.
      if (auto parallel = access.op->getParentOfType<ParallelOp>())
        include(parallel);
      // Scratch space of a reduction means nothing outside of it.
      auto reduce = dyn_cast<ReduceOp>(access.op);
      if (reduce && access.buffer == reduce.getScratch())
        continue;
      for (Operation *p = access.op->getParentOp(); p != kernel.getOperation();
           p = p->getParentOp()) {
        // A buffer allocated within the loop starts anew with each trip.
        if (!isa<LoopLikeOpInterface>(p) || p->isAncestor(alloc))
          continue;
        // Accesses come in program order, so this is the first in the loop.
        auto [it, isNew] = extends.try_emplace(p, false);
        if (isNew)
          it->second = rotates(alloc) || !reuseInLoops || !renewsIn(p, access);
        if (it->second)
          include(p);
      }
    }
    result.push_back(live);
  }
  return result;
}

SmallVector<LiveBuffer>
tile::getLiveBuffers(KernelOp kernel, bool reuseInLoops,
                     llvm::function_ref<int64_t(AllocOp)> copies) {
  auto count = [&](AllocOp alloc) { return copies ? copies(alloc) : 1; };
  return getLiveBuffersOf(
      kernel, Space::Shared, reuseInLoops,
      [&](AllocOp alloc) { return count(alloc) * getLdsBytes(alloc); },
      [&](AllocOp alloc) { return count(alloc) > 1; });
}

/// Places buffers in the given order, each at the lowest offset that is free
/// while it lives.
static int64_t placeInOrder(MutableArrayRef<LiveBuffer> buffers,
                            ArrayRef<unsigned> order) {
  constexpr int64_t kAlignment = 16; // of the widest LDS access
  int64_t total = 0;
  // Only buffers placed before and alive at the same time stand in the way.
  for (auto [n, index] : llvm::enumerate(order)) {
    LiveBuffer &buffer = buffers[index];
    SmallVector<LiveBuffer *> others;
    for (unsigned placed : order.take_front(n))
      if (buffers[placed].meets(buffer))
        others.push_back(&buffers[placed]);
    llvm::sort(others, [](LiveBuffer *a, LiveBuffer *b) {
      return a->offset < b->offset;
    });
    int64_t offset = 0;
    for (LiveBuffer *other : others) {
      if (offset + buffer.bytes <= other->offset)
        break;
      offset = std::max(offset, int64_t(llvm::alignTo(
                                    other->offset + other->bytes, kAlignment)));
    }
    buffer.offset = offset;
    total = std::max(total, offset + buffer.bytes);
  }
  return total;
}

/// The peak is where some interval starts; quadratic in buffers, which are few.
int64_t tile::peakBytes(ArrayRef<LiveBuffer> buffers) {
  int64_t peak = 0;
  for (const LiveBuffer &at : buffers) {
    int64_t sum = 0;
    for (const LiveBuffer &b : buffers)
      if (b.first <= at.first && at.first <= b.last)
        sum += b.bytes;
    peak = std::max(peak, sum);
  }
  return peak;
}

int64_t tile::planLds(MutableArrayRef<LiveBuffer> buffers) {
  SmallVector<unsigned> order(buffers.size());
  std::iota(order.begin(), order.end(), 0);
  SmallVector<unsigned> best = order;
  // Program order first, then by size; a permutation search only where these
  // miss the bound.
  int64_t bestTotal = placeInOrder(buffers, order), bound = peakBytes(buffers);
  auto attempt = [&] {
    int64_t total = placeInOrder(buffers, order);
    if (total < bestTotal) {
      bestTotal = total;
      best = order;
    }
  };
  llvm::stable_sort(order, [&](unsigned a, unsigned b) {
    return buffers[a].bytes > buffers[b].bytes;
  });
  attempt();
  if (bestTotal > bound && buffers.size() <= 7) {
    llvm::sort(order);
    do
      attempt();
    while (bestTotal > bound &&
           std::next_permutation(order.begin(), order.end()));
  }
  return placeInOrder(buffers, best);
}
