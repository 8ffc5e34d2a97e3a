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
// Where products alone read the tile, all as the same operand in the same
// layout, and that takes few registers, they keep it in registers instead: the
// loop does not read LDS for it, and the tile's bytes are free in the loop.
//
//   tile.copy %k to %K
//   tile.copy %K to %o                   // as the product's threads want it
//   scf.for %i ... {
//     tile.gemm %s, %o into %q
//   }
//
// A loop without iterations makes the copies in vain; nobody reads them then.
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

/// The loops around the copy, innermost first, that it can leave.
static SmallVector<scf::ForOp> loopsToLeave(AllocOp tile, CopyOp copy) {
  SmallVector<scf::ForOp> loops;
  auto fragment = copy.getSrc().getDefiningOp<AllocOp>();
  for (auto loop = dyn_cast<scf::ForOp>(copy->getParentOp());
       loop && !loop->isAncestor(fragment) && !loop->isAncestor(tile) &&
       !isWrittenIn(loop, copy.getSrc(), copy);
       loop = dyn_cast<scf::ForOp>(loop->getParentOp()))
    loops.push_back(loop);
  return loops;
}

/// The layout in which products, the tile's only readers, take it as their
/// operand; none where they disagree.
static std::optional<Layout> operandLayout(AllocOp tile, CopyOp copy) {
  std::optional<Layout> layout;
  for (OpOperand &use : tile.getResult().getUses()) {
    if (use.getOwner() == copy)
      continue;
    auto gemm = dyn_cast<GemmOp>(use.getOwner());
    unsigned operand = use.getOperandNumber();
    if (!gemm || operand > 1)
      return std::nullopt;
    Layout wanted = getOperandBufferLayout(gemm, operand);
    if (layout && *layout != wanted)
      return std::nullopt;
    layout = wanted;
  }
  return layout;
}

namespace {
/// Conversions of one kernel that have become register operands.
class KeptOperands {
public:
  explicit KeptOperands(int64_t ldsBytes) : ldsBytes(ldsBytes) {}
  bool keep(AllocOp tile, CopyOp copy);

private:
  AllocOp find(CopyOp copy, const Layout &layout, scf::ForOp before);

  int64_t ldsBytes;
  int64_t registers = 0; ///< of a lane, of all of them
  struct Kept {
    CopyOp copy; ///< from the fragment as it was
    AllocOp operand;
  };
  SmallVector<Kept> all;
};
} // namespace

/// The operand that an earlier loop has of the same fragment, in the same type,
/// if nothing has written that since.
AllocOp KeptOperands::find(CopyOp copy, const Layout &layout,
                           scf::ForOp before) {
  auto type = cast<MemRefType>(copy.getDst().getType());
  for (Kept &kept : all) {
    Block *block = kept.copy->getBlock();
    auto isAfter = [&](Operation *op) {
      Operation *here = block->findAncestorOpInBlock(*op);
      return here && kept.copy->isBeforeInBlock(here);
    };
    auto keptType = cast<MemRefType>(kept.operand.getType());
    if (kept.copy.getSrc() == copy.getSrc() &&
        keptType.getElementType() == type.getElementType() &&
        keptType.getShape() == type.getShape() &&
        getFragmentLayout(kept.operand) == layout && isAfter(before) &&
        llvm::none_of(getAllUses(copy.getSrc()), [&](const BufferUse &use) {
          return use.write &&
                 (isAfter(use.op) || !block->findAncestorOpInBlock(*use.op));
        }))
      return kept.operand;
  }
  return {};
}

/// Puts the operand that a conversion makes into registers, before the loops.
bool KeptOperands::keep(AllocOp tile, CopyOp copy) {
  // The loop needs the others for its own work.
  constexpr int64_t kMostRegisters = 32;
  auto type = cast<MemRefType>(tile.getType());
  SmallVector<scf::ForOp> loops = loopsToLeave(tile, copy);
  std::optional<Layout> layout = operandLayout(tile, copy);
  // A copy has no dimension for an extent of 1.
  if (loops.empty() || !layout || type.getRank() != 2 ||
      llvm::is_contained(type.getShape(), 1))
    return false;
  auto replace = [](AllocOp from, AllocOp to) {
    from.getResult().replaceUsesWithIf(
        to, [](OpOperand &use) { return isa<GemmOp>(use.getOwner()); });
  };
  if (AllocOp known = find(copy, *layout, loops.back())) {
    copy.emitRemark("converted once, before an earlier loop");
    replace(tile, known);
    copy.erase();
    tile.erase();
    return true;
  }
  int64_t more = llvm::divideCeil(
      layout->numRegisters() * type.getElementTypeBitWidth(), 32);
  if (registers + more > kMostRegisters)
    return false;
  Operation *next = copy->getNextNode();
  copy->moveBefore(loops.back());
  auto attr = LayoutAttr::get(tile.getContext(), *layout);
  OpBuilder b(tile);
  auto operand = AllocOp::create(
      b, tile.getLoc(),
      getBufferType(type.getShape(), type.getElementType(), Space::Fragment),
      tile.getNameAttr(), attr, IntegerAttr());
  b.setInsertionPointAfter(copy);
  auto load = CopyOp::create(b, copy.getLoc(), tile.getResult(),
                             operand.getResult(), attr);
  replace(tile, operand);
  auto buffers = getLiveBuffers(tile->getParentOfType<KernelOp>(),
                                /*reuseInLoops=*/false);
  if (planLds(buffers) > ldsBytes) {
    replace(operand, tile);
    load.erase();
    operand.erase();
    copy->moveBefore(next);
    return false;
  }
  copy.emitRemark("converted once, before the loop, and kept in ")
      << more << " registers a lane";
  registers += more;
  all.push_back({copy, operand});
  return true;
}

void tile::hoistConversions(KernelOp kernel) {
  auto reserve = kernel->getAttrOfType<IntegerAttr>(kLdsReserveAttr);
  int64_t room = kLdsBytes - (reserve ? reserve.getInt() : 0);
  bool spare = kernel->hasAttr(kSpareRegistersAttr);
  KeptOperands operands(room);
  // In the order of the program: what is made last stands first.
  auto tiles = getAllocs(kernel, Space::Shared);
  for (AllocOp tile : llvm::reverse(tiles)) {
    CopyOp copy = conversionInto(tile);
    if (!copy || !isReadAfter(tile, copy) ||
        (!spare && operands.keep(tile, copy)))
      continue;
    for (scf::ForOp loop : loopsToLeave(tile, copy)) {
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
