//===- ForwardStores.cpp - A point reads what it just wrote ---------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Points of a tile.parallel do not depend on one another, so an element of LDS
// that a point has stored and loads again is the value that it stored, and of
// two stores to it the second counts. Without this the threads that hold copies
// of a point, and store nothing, would have to wait for the one that stores.
//
//   tile.store %v, %s[%i]                 %w = use %v
//   %x = tile.load %s[%i]           ->    tile.store %w, %s[%i]
//   %w = use %x
//   tile.store %w, %s[%i]
//
//===----------------------------------------------------------------------===//

#include "BufferUse.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

static void forwardIn(Block &block) {
  // Elements whose value is known: the last store to each.
  SmallVector<StoreOp> known;
  auto forget = [&](Value base) {
    llvm::erase_if(known,
                   [&](StoreOp s) { return getBase(s.getDest()) == base; });
  };
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto load = dyn_cast<LoadOp>(op)) {
      auto *store = llvm::find_if(known, [&](StoreOp s) {
        return s.getDest() == load.getSource() &&
               s.getIndices() == load.getIndices();
      });
      if (store != known.end()) {
        load.replaceAllUsesWith(store->getValue());
        load.erase();
      }
      continue;
    }
    if (auto store = dyn_cast<StoreOp>(op)) {
      Value base = getBase(store.getDest());
      if (getSpace(base) != Space::Shared)
        continue;
      // The earlier store is dead where nothing reads the tile in between.
      for (StoreOp earlier : llvm::to_vector(known)) {
        if (earlier.getDest() != store.getDest() ||
            earlier.getIndices() != store.getIndices())
          continue;
        bool read = false;
        for (Operation *between = earlier->getNextNode(); between != &op;
             between = between->getNextNode())
          between->walk([&](Operation *inner) {
            for (const BufferUse &use : getUses(inner))
              read |= use.read && getBase(use.buffer) == base;
          });
        if (!read) {
          llvm::erase(known, earlier);
          earlier.erase();
        }
      }
      // Another index may be the same element.
      forget(base);
      known.push_back(store);
      continue;
    }
    op.walk([&](Operation *inner) {
      for (const BufferUse &use : getUses(inner))
        if (use.write)
          forget(getBase(use.buffer));
    });
  }
}

void tile::forwardStores(KernelOp kernel) {
  kernel.walk([](ParallelOp loop) { forwardIn(loop.getBody().front()); });
}
