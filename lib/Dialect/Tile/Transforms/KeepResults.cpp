//===- KeepResults.cpp - Results past LDS, for another workgroup ----------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A result that a loop writes to LDS and the next product reads there as rows
// costs a barrier, and bytes that another workgroup could have. Where
// wavefronts take whole rows of both products, each reads back what it wrote:
// registers serve. The same goes for a tile through which results only pass on
// their way to memory.
//
// That is done where it makes room for another workgroup on a compute unit, the
// largest tiles first and no more of them than that takes: LDS alone lets
// wavefronts read the other operand in several ways, and spreads rows over them
// more freely, which may be worth more than a barrier.
//
// A tile is kept if it is written as a whole, by copies from a product's result
// or by loops over points that read one at the same point, and read by products
// only, as their left operand along its rows.
//
//   tile.gemm %Q, %K into %s                       // s: fragment
//   tile.parallel (%i, %j) { tile.store f(%s[%i, %j]), %Ss[%i, %j] }  // shared
//   tile.gemm %Ss, %V into %o
// becomes the same with %Ss a fragment.
//
//===----------------------------------------------------------------------===//

#include "Liveness.h"
#include "SpareLds.h"
#include "Staging.h"
#include "mlir/IR/Matchers.h"
#include "tlc/Dialect/Tile/Transforms/TileAccess.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

constexpr int64_t kWaveSize = 64, kSimds = 4;

/// Whether each wavefront can have whole rows of the result.
static bool canHaveRows(GemmOp gemm) {
  constexpr int64_t kRows = 16; // of the smallest instruction
  int64_t waves = gemm->getParentOfType<KernelOp>().getNumThreads() / kWaveSize;
  return gemm.getM() >= kRows * waves &&
         gemm.getPolicy() != WarpPolicy::FullCol;
}

/// Whether a fragment is the result of such products and no operand that would
/// have it elsewhere.
static bool isRowsOfResult(Value fragment) {
  if (!fragment.getDefiningOp<AllocOp>() ||
      getSpace(fragment) != Space::Fragment)
    return false;
  bool result = false;
  for (Operation *user : fragment.getUsers()) {
    auto gemm = dyn_cast<GemmOp>(user);
    if (!gemm)
      continue;
    if (gemm.getC() != fragment || !canHaveRows(gemm))
      return false;
    result = true;
  }
  return result;
}

/// The result that a loop over points stores, in some form, to a tile at the
/// same points.
static bool storesResult(StoreOp store) {
  auto parallel = dyn_cast<ParallelOp>(store->getParentOp());
  if (!parallel ||
      !overwritesBase({store, store.getDest(), /*read=*/false, /*write=*/true}))
    return false;
  // Rows and columns are the loop's own dimensions, of the tile and the result.
  auto isSame = [&](const Access &access) {
    for (auto [d, index] : llvm::enumerate(access.indices))
      if (index.getDim() != int(d))
        return false;
    return access.indices.size() == parallel.getExtents().size() &&
           llvm::equal(cast<MemRefType>(access.buffer.getType()).getShape(),
                       parallel.getExtents());
  };
  bool stored = false, result = false;
  for (const Access &access : getPointAccesses(parallel)) {
    if (access.op == store)
      stored = isSame(access);
    else if (getSpace(access.buffer) == Space::Fragment)
      result |= isSame(access) && isRowsOfResult(access.buffer);
  }
  return stored && result;
}

/// Whether a tile in LDS brings a product's result to the next product, whose
/// wavefronts can each keep the rows that they wrote.
static bool feedsProduct(AllocOp tile) {
  auto type = cast<MemRefType>(tile.getType());
  if (type.getRank() != 2 || type.getElementTypeBitWidth() != 16)
    return false;
  Value buffer = tile.getResult();
  bool filled = false, read = false;
  for (Operation *user : buffer.getUsers()) {
    if (auto gemm = dyn_cast<GemmOp>(user)) {
      if (gemm.getA() != buffer || gemm.getB() == buffer ||
          gemm.getC() == buffer || gemm.getTransA() || !canHaveRows(gemm))
        return false;
      read = true;
    } else if (auto copy = dyn_cast<CopyOp>(user)) {
      if (copy.getDst() != buffer || !isRowsOfResult(copy.getSrc()))
        return false;
      filled = true;
    } else if (auto store = dyn_cast<StoreOp>(user)) {
      if (!storesResult(store))
        return false;
      filled = true;
    } else {
      return false;
    }
  }
  return filled && read;
}

/// Workgroups that a grid of known size has for each compute unit, at most.
static int64_t groupsOfUnit(KernelOp kernel) {
  constexpr int64_t kUnits = 304, kMany = INT32_MAX;
  int64_t groups = 1;
  for (Value extent : kernel.getGrid()) {
    APInt n;
    if (!matchPattern(extent, m_ConstantInt(&n)))
      return kMany;
    groups = std::min(groups * std::max<int64_t>(n.getSExtValue(), 1), kMany);
  }
  return groups / kUnits;
}

void tile::keepResults(KernelOp kernel, int64_t ldsBytes) {
  // Two wavefronts on each SIMD are enough.
  constexpr int64_t kMostWaves = 2;
  int64_t threads = kernel.getNumThreads();
  int64_t waves = std::max<int64_t>(threads / kWaveSize, 1);
  SmallVector<AllocOp> tiles, chosen;
  for (AllocOp alloc : getAllocs(kernel, Space::Shared))
    if (!alloc.getLayout() &&
        (feedsProduct(alloc) || passesOn(alloc, /*converted=*/false)))
      tiles.push_back(alloc);
  if (tiles.empty())
    return;
  auto groupsWithout = [&](ArrayRef<AllocOp> kept) {
    auto buffers =
        getLiveBuffers(kernel, /*reuseInLoops=*/false, [&](AllocOp alloc) {
          return int64_t(!llvm::is_contained(kept, alloc));
        });
    return ldsBytes / std::max<int64_t>(planLds(buffers), 1);
  };
  int64_t before = groupsWithout({}), after = groupsWithout(tiles);
  if (!before || after <= before || before * waves >= kMostWaves * kSimds ||
      before >= groupsOfUnit(kernel))
    return;
  llvm::stable_sort(tiles, [](AllocOp a, AllocOp b) {
    return getLdsBytes(a) > getLdsBytes(b);
  });
  for (AllocOp tile : tiles) {
    if (groupsWithout(chosen) > before)
      break;
    chosen.push_back(tile);
  }
  // What later choices made unnecessary stays.
  for (size_t i = chosen.size(); i-- > 0;) {
    SmallVector<AllocOp> fewer(chosen);
    fewer.erase(fewer.begin() + i);
    if (groupsWithout(fewer) > before)
      chosen = fewer;
  }
  // Registers for one more.
  int64_t held = 0;
  for (Space space : {Space::Fragment, Space::Shared})
    for (AllocOp alloc : getAllocs(kernel, space))
      if (space == Space::Fragment || llvm::is_contained(chosen, alloc))
        held += registersOf(cast<MemRefType>(alloc.getType()), threads);
  constexpr int64_t kReserve = 64; // operands and addresses
  int64_t ofSimd = llvm::divideCeil((before + 1) * waves, kSimds);
  if (held + kReserve > registerBudget(1) / ofSimd)
    return;
  for (AllocOp tile : chosen) {
    tile.emitRemark("stays in registers instead of LDS, which then holds ")
        << groupsWithout(chosen) << " workgroups instead of " << before;
    keepInRegisters(tile);
  }
}
