//===- HoistConversions.cpp - Fragments converted once --------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last step of tile-infer-layouts; see InferLayouts.cpp.
//
// A fragment that goes through LDS to reach other threads does so where it is
// needed. In a loop that does not write it, each iteration would write the same
// bytes: the copy into LDS moves in front of the loop, and of the loops around
// that one. The tile then lives through the loop; where LDS does not hold it
// beside the others, the copy stays.
//
//   scf.for %i ... {                       tile.copy %k to %K
//     tile.copy %k to %K                   scf.for %i ... {
//     tile.gemm %s, %K into %q      =>       tile.gemm %s, %K into %q
//   }                                      }
//
// A loop without iterations makes the copy in vain; nobody reads it then.
//
//===----------------------------------------------------------------------===//

#include "LayoutInference.h"
#include "Liveness.h"
#include "tlc/Dialect/Tile/Transforms/Passes.h"
#include "tlc/Support/LdsBanks.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

/// Whether an op within `loop`, other than `copy`, writes the buffer.
static bool isWrittenIn(scf::ForOp loop, Value buffer, CopyOp copy) {
  return llvm::any_of(getAllUses(buffer), [&](const BufferUse &use) {
    return use.write && use.op != copy && loop->isAncestor(use.op);
  });
}

/// The copy that alone fills a tile in LDS from a whole fragment, or null.
static CopyOp conversionInto(AllocOp tile) {
  CopyOp only;
  for (const BufferUse &use : getAllUses(tile.getResult())) {
    if (!use.write)
      continue;
    auto copy = dyn_cast<CopyOp>(use.op);
    if (only || !copy || copy.getDst() != tile.getResult() ||
        !copy.getSrc().getDefiningOp<AllocOp>() ||
        getSpace(copy.getSrc()) != Space::Fragment)
      return {};
    only = copy;
  }
  return only;
}

/// Whether each read of the tile comes after the copy in its block, so that
/// none sees what was there before the first one.
static bool isReadAfter(AllocOp tile, CopyOp copy) {
  return llvm::all_of(getAllUses(tile.getResult()), [&](const BufferUse &use) {
    Operation *here = copy->getBlock()->findAncestorOpInBlock(*use.op);
    return use.op == copy || (here && copy->isBeforeInBlock(here));
  });
}

void tile::hoistConversions(KernelOp kernel) {
  auto reserve = kernel->getAttrOfType<IntegerAttr>(kLdsReserveAttr);
  int64_t room = kLdsBytes - (reserve ? reserve.getInt() : 0);
  for (AllocOp tile : getAllocs(kernel, Space::Shared)) {
    CopyOp copy = conversionInto(tile);
    while (copy && isReadAfter(tile, copy)) {
      auto loop = dyn_cast<scf::ForOp>(copy->getParentOp());
      auto fragment = copy.getSrc().getDefiningOp<AllocOp>();
      if (!loop || loop->isAncestor(fragment) || loop->isAncestor(tile) ||
          isWrittenIn(loop, copy.getSrc(), copy))
        break;
      Operation *next = copy->getNextNode();
      copy->moveBefore(loop);
      auto buffers = getLiveBuffers(kernel, /*reuseInLoops=*/false);
      if (planLds(buffers) <= room) {
        copy.emitRemark("converted once, before the loop");
        continue;
      }
      copy->moveBefore(next);
      break;
    }
  }
}
