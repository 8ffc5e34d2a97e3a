//===- AtomicResults.cpp - Results that atomics add up in memory ----------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A part of tile-infer-layouts; see InferLayouts.cpp.
//
// A product's result mostly has a row in a lane, four neighbouring columns in
// registers: stores of 16 bytes. An atomic takes one element a lane, and rows
// in lanes are as many lines of memory. A result whose elements end in atomics,
// neighbouring columns in neighbouring elements of memory, is therefore left as
// the matrix core gives it without exchanged operands, a column in a lane:
//
// A loop that nothing else lays out, such as one that adds up a tile in LDS,
// has its columns in neighbouring lanes for the same reason, not four in one.
//
// Runs of rows (RowRuns.cpp), which put neighbours into one lane, are not taken
// for what an atomic adds up as often as the products are made. Behind their
// loop it matters less than how they read their operands.
//
//   tile.gemm %s, %k into %dq {mfma = [32, 32, 8, 1, 4, 1]}   lane: a row
//   tile.parallel (%i, %j) { tile.atomic add %dq[%i, %j], %dQ[%x, %j] }
// becomes
//   tile.gemm %s, %k into %dq {mfma = [32, 32, 8, 1, 4, 0]}   lane: a column
//
//===----------------------------------------------------------------------===//

#include "LayoutInference.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

/// Whether an atomic of the loop goes along the loop's last dimension in
/// memory.
static bool goesAlong(const Access &access, unsigned columns) {
  if (!isa<AtomicOp>(access.op) || getSpace(access.buffer) != Space::Global ||
      access.indices.empty())
    return false;
  for (const PointIndex &index : access.indices)
    if (!index.known)
      return false;
  for (const PointIndex &index : ArrayRef(access.indices).drop_back())
    if (index.coeffs[columns])
      return false;
  return access.indices.back().coeffs[columns] == 1;
}

/// Whether a loop does nothing with its results but atomics along their
/// columns, or writes other fragments.
static bool isForAtomics(ParallelOp parallel, bool &any) {
  unsigned columns = parallel.getExtents().size() - 1;
  for (const Access &access : getPointAccesses(parallel)) {
    if (!access.writes || getSpace(access.buffer) == Space::Fragment)
      continue;
    if (!goesAlong(access, columns))
      return false;
    any = true;
  }
  return true;
}

bool tile::addsAlongColumns(Operation *op) {
  auto parallel = dyn_cast<ParallelOp>(op);
  bool any = false;
  return parallel && !parallel.getExtents().empty() &&
         isForAtomics(parallel, any) && any;
}

/// Whether a loop repeats the product and not the op.
static bool isMoreOften(GemmOp gemm, Operation *op) {
  for (auto loop = gemm->getParentOfType<LoopLikeOpInterface>(); loop;
       loop = loop->getParentOfType<LoopLikeOpInterface>())
    if (!loop->isAncestor(op))
      return true;
  return false;
}

bool tile::hasAtomics(ArrayRef<Value> results, ArrayRef<GemmOp> gemms) {
  auto isAtomic = [](const Access &access) {
    return isa<AtomicOp>(access.op) && getSpace(access.buffer) == Space::Global;
  };
  return llvm::any_of(results, [&](Value v) {
    return llvm::any_of(v.getUsers(), [&](Operation *user) {
      auto parallel = user->getParentOfType<ParallelOp>();
      return parallel && llvm::any_of(getPointAccesses(parallel), isAtomic) &&
             !llvm::all_of(gemms, [&](GemmOp gemm) {
               return isMoreOften(gemm, parallel);
             });
    });
  });
}

bool tile::feedsAtomics(ArrayRef<Value> results) {
  bool any = false;
  for (Value v : results)
    for (Operation *user : v.getUsers()) {
      if (auto gemm = dyn_cast<GemmOp>(user)) {
        if (gemm.getA() == v || gemm.getB() == v)
          return false;
      } else if (auto copy = dyn_cast<CopyOp>(user)) {
        if (getSpace(copy.getSrc()) != Space::Fragment ||
            getSpace(copy.getDst()) != Space::Fragment)
          return false;
      } else if (auto parallel = user->getParentOfType<ParallelOp>()) {
        if (!isForAtomics(parallel, any))
          return false;
      } else if (!isa<FillOp>(user)) {
        return false;
      }
    }
  return any;
}
