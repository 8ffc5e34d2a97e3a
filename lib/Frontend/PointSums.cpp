//===- PointSums.cpp - Loops whose points add to one element --------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer that a T.Parallel adds to,
//
//   for i, j in T.Parallel(m, n): s[i] += x[i, j]
//   for i, j in T.Parallel(m, n): s[i, j // 32] += x[i, j]
//
// is right only if the points that meet in one element follow one another. They
// have no order, so dimensions become a serial loop within each point of the
// others: those that its index leaves out, and as many more as it takes until
// no two of the remaining points meet. Whether two do is looked up in tables of
// the index at all points; an index that has no table (it reads memory) is
// trusted to tell the dimensions apart that it names.
//
//===----------------------------------------------------------------------===//

#include "IndexTables.h"
#include "Interpreter.h"
#include "PointLoops.h"

using namespace tlc;
using namespace mlir;

namespace tlc::frontend {

/// Points of a loop up to which tables are made.
static constexpr int64_t kMostLookedUp = int64_t(1) << 20;

/// The dimensions of a loop that a value depends on, through memory too.
static void dimsOf(mlir::Value v, tile::ParallelOp loop,
                   llvm::SmallBitVector &dims,
                   llvm::DenseSet<mlir::Value> &seen) {
  if (!seen.insert(v).second)
    return;
  if (auto argument = dyn_cast<BlockArgument>(v)) {
    if (argument.getOwner() == &loop.getBody().front())
      dims.set(argument.getArgNumber());
    else if (loop->isProperAncestor(argument.getOwner()->getParentOp()))
      dims.set(); // an inner loop's: not followed
    return;
  }
  Operation *op = v.getDefiningOp();
  if (!loop->isProperAncestor(op))
    return;
  if (op->getNumRegions())
    dims.set();
  for (mlir::Value operand : op->getOperands())
    dimsOf(operand, loop, dims, seen);
}

/// Whether a value reads `buffer`, within a loop.
static bool readsBuffer(mlir::Value v, mlir::Value buffer,
                        llvm::DenseSet<mlir::Value> &seen) {
  Operation *op = v.getDefiningOp();
  if (!op || !seen.insert(v).second)
    return false;
  if (auto load = dyn_cast<tile::LoadOp>(op);
      load && load.getSource() == buffer)
    return true;
  bool below = op->getNumRegions() && op->walk([&](tile::LoadOp load) {
                                          return load.getSource() == buffer
                                                     ? WalkResult::interrupt()
                                                     : WalkResult::advance();
                                        }).wasInterrupted();
  return below || llvm::any_of(op->getOperands(), [&](mlir::Value operand) {
           return readsBuffer(operand, buffer, seen);
         });
}

/// Whether points that agree in the serial dimensions differ in an index.
static bool tellApart(ArrayRef<std::vector<int64_t>> tables,
                      ArrayRef<int64_t> extents,
                      const llvm::SmallBitVector &serial, int64_t points) {
  llvm::DenseSet<ArrayRef<int64_t>> seen;
  size_t width = tables.size() + serial.count();
  std::vector<int64_t> keys(size_t(points) * width);
  for (int64_t p = 0; p < points; ++p) {
    int64_t *key = &keys[size_t(p) * width];
    for (const std::vector<int64_t> &table : tables)
      *key++ = table[p];
    int64_t rest = p;
    for (size_t d = extents.size(); d-- > 0; rest /= extents[d])
      if (serial[d])
        *key++ = rest % extents[d];
    if (!seen.insert({&keys[size_t(p) * width], width}).second)
      return false;
  }
  return true;
}

/// The dimensions that must be serial so that no two points at a time have the
/// same indices: `dims` are those that the indices do not depend on.
static void addMeetingDims(ValueRange indices, tile::ParallelOp loop,
                           llvm::SmallBitVector &dims) {
  ArrayRef<int64_t> extents = loop.getExtents();
  int64_t points = 1;
  for (int64_t extent : extents)
    points *= extent;
  std::vector<std::vector<int64_t>> tables;
  if (points > kMostLookedUp)
    return;
  for (mlir::Value index : indices) {
    auto table = tabulateUpToConstant(loop, index);
    if (!table)
      return;
    tables.push_back(std::move(*table));
  }
  if (tellApart(tables, extents, dims, points))
    return;
  // One more dimension, the last that will do; else one after the other.
  for (size_t d = extents.size(); d-- > 0;) {
    llvm::SmallBitVector more(dims);
    if (more[d] || extents[d] == 1)
      continue;
    more.set(unsigned(d));
    if (tellApart(tables, extents, more, points)) {
      dims = more;
      return;
    }
  }
  for (size_t d = extents.size(); d-- > 0;) {
    if (extents[d] == 1)
      continue;
    dims.set(unsigned(d));
    if (tellApart(tables, extents, dims, points))
      return;
  }
}

void moveBody(tile::ParallelOp loop, mlir::ValueRange points, OpBuilder &b) {
  Block &from = loop.getBody().front();
  for (auto [old, now] : llvm::zip_equal(from.getArguments(), points))
    old.replaceAllUsesWith(now);
  auto end = from.end();
  if (!from.empty() && from.back().hasTrait<OpTrait::IsTerminator>())
    --end;
  b.getInsertionBlock()->getOperations().splice(
      b.getInsertionPoint(), from.getOperations(), from.begin(), end);
}

/// Makes the dimensions serial along which points add to one element. `loop`
/// is complete; it is replaced if any are.
///
///   tile.parallel (i, j) = [4, 128]     tile.parallel (i) = [4]
///     s[i] = s[i] + x[i, j]               scf.for j = 0 to 128
///                                           s[i] = s[i] + x[i, j]
void Interpreter::serializeSums(tile::ParallelOp loop) {
  size_t rank = loop.getExtents().size();
  llvm::SmallBitVector serial(rank);
  mlir::Value sum;
  loop.getBody().walk([&](tile::StoreOp store) {
    mlir::Value base = tile::getBase(store.getDest());
    if (tile::getSpace(base) == tile::Space::Local ||
        loop.getBody().isAncestor(base.getParentRegion()))
      return;
    llvm::DenseSet<mlir::Value> seen, read;
    llvm::SmallBitVector dims(rank);
    for (mlir::Value index : store.getIndices())
      dimsOf(index, loop, dims, seen);
    // Dimensions of one point meet nowhere.
    dims.flip();
    for (size_t d = 0; d < rank; ++d)
      if (loop.getExtents()[d] == 1)
        dims.reset(d);
    if (!readsBuffer(store.getValue(), store.getDest(), read))
      return;
    addMeetingDims(store.getIndices(), loop, dims);
    if (dims.none())
      return;
    serial |= dims;
    sum = base;
  });
  if (!sum)
    return;
  SmallVector<int64_t> kept;
  int64_t steps = 1;
  for (size_t d = 0; d < rank; ++d)
    if (serial[d])
      steps *= loop.getExtents()[d];
    else
      kept.push_back(loop.getExtents()[d]);
  if (kept.empty())
    kept.push_back(1);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop);
  auto outer = tile::ParallelOp::create(b, loop.getLoc(), kept);
  b.setInsertionPointToStart(&outer.getBody().front());
  auto number = [&](int64_t n) -> mlir::Value {
    return arith::ConstantOp::create(b, loop.getLoc(), b.getI32IntegerAttr(n));
  };
  SmallVector<mlir::Value> vars;
  unsigned argument = 0;
  for (size_t d = 0; d < rank; ++d) {
    if (!serial[d]) {
      vars.push_back(outer.getBody().getArgument(argument++));
      continue;
    }
    auto inner = scf::ForOp::create(b, loop.getLoc(), number(0),
                                    number(loop.getExtents()[d]), number(1));
    vars.push_back(inner.getInductionVar());
    b.setInsertionPointToStart(inner.getBody());
  }
  moveBody(loop, vars, b);
  // Kept: names of the loop's variables still point to it.
  loop->remove();
  replacedLoops.emplace_back(loop);
  mlir::emitWarning(outer.getLoc(), "points of this loop change the same "
                                    "element of '")
      << tile::getBufferName(sum) << "': " << steps
      << " of them run one after another, in one thread. T.reduce_sum, "
         "T.atomic_add or a T.alloc_reducer spreads them";
}

} // namespace tlc::frontend
