//===- PadColumns.cpp - Columns for the larger matrix instruction ---------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `tile-pad-columns`. A product whose result has 80 columns takes
// 16 x 16 instructions, and so does the product that its left operand is the
// result of, for it stays in registers. These need twice as many instructions
// and bring each operand from LDS twice. With 96 columns both take 32 x 32.
//
// A column of the result needs that column of the right operand and no other,
// so columns can be added that hold anything, as long as nobody reads them.
// Widened is the right operand, the result, and every tile that is copied from
// or to them or computed from them point by point. Tensors end where the tiles
// ended: what is read beyond is the pad value, what is written there is
// dropped. If a tile is used in any other way, all stay as they are.
//
// Only where the left operand is in registers, each wavefront has 32 rows, and
// the columns added are at most a third of those that 16 x 16 take.
//
//   %v = tile.alloc : memref<32x80xf16>         memref<32x96xf16>
//   %o = tile.alloc : memref<128x80xf32>        memref<128x96xf32>
//   %t = tile.view %V[%k, %c0]                  %t = tile.view %V[%k, %c0]
//          to memref<32x80xf16>            =>          to memref<32x96xf16>
//   tile.copy %t to %v                          tile.copy %t to %v
//   tile.gemm %p, %v into %o                    tile.gemm %p, %v into %o
//   tile.parallel (%i, %j) = [128, 80]          tile.parallel (%i, %j) =
//     ... %o[%i, %j] ...                          [128, 96] ...
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "tlc/Dialect/Tile/IR/TileDialect.h"
#include "tlc/Dialect/Tile/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

namespace tlc::tile {
#define GEN_PASS_DEF_TILEPADCOLUMNS
#include "tlc/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tlc::tile

static MemRefType typeOf(Value buffer) {
  return cast<MemRefType>(buffer.getType());
}

namespace {
/// What has the columns of one product: all of it is widened, or nothing.
class Columns {
public:
  explicit Columns(int64_t columns) : columns(columns) {}
  bool add(Value buffer);
  bool close();
  void widen(int64_t wide);

private:
  bool take(AllocOp alloc, Operation *user);
  bool takeCopy(AllocOp alloc, CopyOp copy);
  bool takePoint(OperandRange indices);
  bool writesColumnsOnly(BlockArgument point);

  int64_t columns;
  llvm::SetVector<AllocOp> allocs;
  llvm::SetVector<ViewOp> views;
  llvm::SetVector<BlockArgument> points; ///< of loops, over the columns
};
} // namespace

/// A tile whose last dimension these columns are. Placed ones stay.
bool Columns::add(Value buffer) {
  auto alloc = buffer.getDefiningOp<AllocOp>();
  if (!alloc || alloc.getLayout() || alloc.getLdsOffset())
    return false;
  MemRefType type = typeOf(buffer);
  if (type.getRank() == 0 || type.getShape().back() != columns)
    return false;
  allocs.insert(alloc);
  return true;
}

/// Everything that the tiles reach. False if something has other uses for the
/// columns.
bool Columns::close() {
  for (unsigned i = 0; i < allocs.size(); ++i) {
    AllocOp alloc = allocs[i];
    for (Operation *user : alloc->getUsers())
      if (!take(alloc, user))
        return false;
  }
  return llvm::all_of(
      points, [&](BlockArgument point) { return writesColumnsOnly(point); });
}

/// Whether further points of a loop change further columns and nothing else:
/// the point is the last index of tiles of the set, what is stored goes there,
/// and what is loaded from elsewhere is what other points load, too.
bool Columns::writesColumnsOnly(BlockArgument point) {
  auto isColumn = [&](Value buffer, OperandRange indices) {
    auto alloc = buffer.getDefiningOp<AllocOp>();
    return alloc && allocs.contains(alloc) && indices.back() == point &&
           llvm::count(indices, point) == 1;
  };
  auto loop = cast<ParallelOp>(point.getOwner()->getParentOp());
  WalkResult result = loop.getBody().walk([&](Operation *op) {
    bool fits;
    if (auto load = dyn_cast<LoadOp>(op))
      fits = llvm::all_of(load.getIndices(), [&](Value index) {
        return isa<BlockArgument>(index) ||
               !loop->isAncestor(index.getDefiningOp()) ||
               matchPattern(index, m_Constant());
      });
    else if (auto store = dyn_cast<StoreOp>(op))
      fits = isColumn(store.getDest(), store.getIndices());
    else
      fits = isPure(op) || isa<scf::IfOp, scf::YieldOp, YieldOp>(op);
    return fits ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted() &&
         llvm::all_of(point.getUsers(), [&](Operation *user) {
           if (auto load = dyn_cast<LoadOp>(user))
             return isColumn(load.getSource(), load.getIndices());
           return isa<StoreOp>(user);
         });
}

bool Columns::take(AllocOp alloc, Operation *user) {
  Value buffer = alloc.getResult();
  if (isa<FillOp>(user))
    return true;
  if (auto copy = dyn_cast<CopyOp>(user))
    return takeCopy(alloc, copy);
  if (auto load = dyn_cast<LoadOp>(user))
    return takePoint(load.getIndices());
  if (auto store = dyn_cast<StoreOp>(user))
    return takePoint(store.getIndices());
  auto gemm = dyn_cast<GemmOp>(user);
  return gemm && gemm.getA() != buffer && !gemm.getTransB() &&
         typeOf(gemm.getB()).getRank() == 2 &&
         typeOf(gemm.getC()).getRank() == 2 && add(gemm.getB()) &&
         add(gemm.getC());
}

/// The other side is another tile, or a box at the end of a tensor's rows.
bool Columns::takeCopy(AllocOp alloc, CopyOp copy) {
  if (copy.getThrough() || copy.getLayout())
    return false;
  Value other =
      copy.getSrc() == alloc.getResult() ? copy.getDst() : copy.getSrc();
  if (other.getDefiningOp<AllocOp>())
    return add(other);
  auto view = other.getDefiningOp<ViewOp>();
  if (!view || !view->hasOneUse() ||
      !view.getSource().getDefiningOp<TensorOp>())
    return false;
  if (typeOf(other).getShape().back() != columns ||
      typeOf(view.getSource()).getShape().back() != columns ||
      !matchPattern(view.getOffsets().back(), m_Zero()))
    return false;
  views.insert(view);
  return true;
}

/// An element whose column is a point of a loop over all columns.
bool Columns::takePoint(OperandRange indices) {
  auto point = dyn_cast<BlockArgument>(indices.back());
  auto loop = point ? dyn_cast<ParallelOp>(point.getOwner()->getParentOp())
                    : ParallelOp();
  if (!loop || loop.getLayout() ||
      loop.getExtents()[point.getArgNumber()] != columns)
    return false;
  points.insert(point);
  // Other tiles with these columns: their users are looked at, too.
  return llvm::all_of(point.getUsers(), [&](Operation *user) {
    auto load = dyn_cast<LoadOp>(user);
    auto store = dyn_cast<StoreOp>(user);
    return (load && add(load.getSource())) || (store && add(store.getDest()));
  });
}

void Columns::widen(int64_t wide) {
  auto widened = [&](MemRefType type) {
    SmallVector<int64_t> shape(type.getShape());
    shape.back() = wide;
    return MemRefType::get(shape, type.getElementType(), type.getLayout(),
                           type.getMemorySpace());
  };
  for (AllocOp alloc : allocs)
    alloc.getResult().setType(widened(alloc.getType()));
  for (ViewOp view : views)
    view.getResult().setType(widened(view.getType()));
  for (BlockArgument point : points) {
    auto loop = cast<ParallelOp>(point.getOwner()->getParentOp());
    SmallVector<int64_t> extents(loop.getExtents());
    extents[point.getArgNumber()] = wide;
    loop.setExtents(extents);
  }
}

/// The columns to give the product's result; 0 if they are right as they are.
static int64_t wideColumns(GemmOp gemm, int64_t threads) {
  constexpr int64_t kSmall = 16, kLarge = 32, kWave = 64;
  MemRefType a = typeOf(gemm.getA()), c = typeOf(gemm.getC());
  bool chained = getSpace(gemm.getA()) == Space::Fragment && a.getRank() == 2 &&
                 a.getElementType().getIntOrFloatBitWidth() <= 16;
  if (!chained || gemm.getTransA() || gemm.getTransB() || gemm.getMfma() ||
      c.getRank() != 2 || gemm.getM() * kWave < kLarge * threads)
    return 0;
  int64_t columns = gemm.getN(), small = llvm::alignTo(columns, kSmall);
  int64_t wide = llvm::alignTo(columns, kLarge);
  return wide > small && 3 * wide <= 4 * small ? wide : 0;
}

namespace {
struct PadColumns : tlc::tile::impl::TilePadColumnsBase<PadColumns> {
  void runOnOperation() override {
    SmallVector<GemmOp> gemms;
    getOperation().walk([&](GemmOp gemm) { gemms.push_back(gemm); });
    for (GemmOp gemm : gemms) {
      auto kernel = gemm->getParentOfType<KernelOp>();
      // Registers that spilled hold no more columns.
      if (kernel->hasAttr(kSpareRegistersAttr))
        continue;
      int64_t before = gemm.getN();
      int64_t wide = wideColumns(gemm, kernel.getNumThreads());
      if (!wide)
        continue;
      Columns columns(before);
      if (!columns.add(gemm.getB()) || !columns.add(gemm.getC()) ||
          !columns.close()) {
        gemm.emitRemark("takes 16 x 16 instructions: its ")
            << before << " columns are used elsewhere";
        continue;
      }
      columns.widen(wide);
      gemm.emitRemark("takes 32 x 32 instructions: ")
          << wide << " columns instead of " << before;
    }
  }
};
} // namespace
