//===- PointRaces.cpp - Points of a loop that meet in one element ---------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The points of a tile.parallel run at the same time. A loop in which one point
// writes an element that another point reads or writes by another expression
//
//   for i, j in T.Parallel(m, n):
//       x[i, j] = x[i, n - 1 - j]
//
// has no defined result, which a warning says. Found are pairs of accesses at
// linear forms of the point: all elements that one writes are compared with all
// that the other touches. So has one in which all points along a dimension
// write one element, and what they write depends on that dimension:
//
//   for i in T.Parallel(n):
//       x[0] = i
//
// What two accesses in one branch do is not judged: its
// condition may keep them apart.
//
//===----------------------------------------------------------------------===//

#include "BufferUse.h"
#include "tlc/Dialect/Tile/Transforms/TileAccess.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

/// Points beyond this are more than a workgroup's loop has.
static constexpr int64_t kMostPoints = 1 << 20;

static bool isLinear(const Access &access) {
  return llvm::all_of(access.indices,
                      [](const PointIndex &i) { return i.known; });
}

static bool sameForms(const Access &a, const Access &b) {
  for (auto [x, y] : llvm::zip_equal(a.indices, b.indices))
    if (x.coeffs != y.coeffs || x.constant != y.constant)
      return false;
  return true;
}

/// The element at a point, as one number; the uniform part of each index, which
/// both accesses have in common, is left out.
static int64_t elementAt(const Access &access, ArrayRef<int64_t> point) {
  int64_t key = 0;
  for (const PointIndex &index : access.indices)
    key = key * kMostPoints + index.at(point);
  return key;
}

/// Calls `visit` with every point of a box, in order.
static void forPoints(ArrayRef<int64_t> extents,
                      llvm::function_ref<bool(ArrayRef<int64_t>)> visit) {
  SmallVector<int64_t> point(extents.size(), 0);
  while (visit(point)) {
    int d = int(extents.size()) - 1;
    while (d >= 0 && ++point[d] == extents[d])
      point[d--] = 0;
    if (d < 0)
      return;
  }
}

/// Whether some point writes by `write` what another touches by `other`.
static bool meet(const Access &write, const Access &other,
                 ArrayRef<int64_t> extents) {
  for (auto [x, y] : llvm::zip_equal(write.indices, other.indices))
    if (x.uniform != y.uniform)
      return false;
  llvm::DenseMap<int64_t, int64_t> writer;
  int64_t number = 0;
  forPoints(extents, [&](ArrayRef<int64_t> point) {
    writer.try_emplace(elementAt(write, point), number++);
    return true;
  });
  bool found = false;
  number = 0;
  forPoints(extents, [&](ArrayRef<int64_t> point) {
    auto it = writer.find(elementAt(other, point));
    found = it != writer.end() && it->second != number;
    ++number;
    return !found;
  });
  return found;
}

/// The dimensions of the point that a value depends on, by what is computed in
/// the loop's body.
static void addDims(Value value, ParallelOp loop, llvm::SmallBitVector &dims,
                    llvm::SmallPtrSetImpl<Operation *> &seen) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() == &loop.getRegion().front())
      dims.set(argument.getArgNumber());
    return;
  }
  Operation *op = value.getDefiningOp();
  if (!loop->isProperAncestor(op) || !seen.insert(op).second)
    return;
  for (Value operand : op->getOperands())
    addDims(operand, loop, dims, seen);
}

/// A dimension along which all points write one element, unlike values; -1 if
/// there is none.
///   for i in T.Parallel(n): x[0] = i
static int contendedDim(const Access &write, ParallelOp loop) {
  auto store = dyn_cast<StoreOp>(write.op);
  if (!store || store->getParentOp() != loop)
    return -1;
  llvm::SmallBitVector dims(loop.getExtents().size());
  llvm::SmallPtrSet<Operation *, 8> seen;
  addDims(store.getValue(), loop, dims, seen);
  for (auto [d, extent] : llvm::enumerate(loop.getExtents()))
    if (extent > 1 && dims.test(d) &&
        llvm::all_of(write.indices, [d = d](const PointIndex &index) {
          return index.known &&
                 (index.coeffs.size() <= d || index.coeffs[d] == 0);
        }))
      return int(d);
  return -1;
}

static void check(ParallelOp loop) {
  ArrayRef<int64_t> extents = loop.getExtents();
  int64_t points = 1;
  for (int64_t extent : extents)
    points *= extent;
  if (points > kMostPoints)
    return;
  std::vector<Access> accesses = getPointAccesses(loop);
  for (auto [i, write] : llvm::enumerate(accesses)) {
    if (!write.writes || write.reads || !isLinear(write) ||
        getSpace(write.buffer) == Space::Local || write.indices.size() > 3)
      continue;
    if (int d = contendedDim(write, loop); d >= 0) {
      mlir::emitWarning(write.op->getLoc(), "points of this loop write unlike "
                                            "values to one element of '")
          << getBufferName(getBase(write.buffer))
          << "': which of them stays is not defined (dimension " << d
          << " of the loop, " << extents[d]
          << " points). Index by it, or reduce over it";
      return;
    }
    for (auto [j, other] : llvm::enumerate(accesses)) {
      if (i == j || other.buffer != write.buffer ||
          (other.reads && other.writes) || (other.writes && j < i) ||
          !isLinear(other) || sameForms(write, other))
        continue;
      if (write.conditional && other.op->getBlock() == write.op->getBlock())
        continue;
      if (!meet(write, other, extents))
        continue;
      InFlightDiagnostic warning =
          mlir::emitWarning(other.op->getLoc(), "this loop ")
          << (other.writes ? "writes" : "reads") << " '"
          << getBufferName(getBase(write.buffer))
          << "' at other points than it writes: the points run at the same "
             "time, in no order. Write to a second buffer";
      warning.attachNote(write.op->getLoc()) << "written here";
      return;
    }
  }
}

void tile::warnOfRaces(KernelOp kernel) {
  kernel.walk([](ParallelOp loop) { check(loop); });
}
