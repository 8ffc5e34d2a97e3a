//===- RowRuns.cpp - Operands that LDS holds across k ---------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A part of tile-infer-layouts; see InferLayouts.cpp.
//
// A lane feeds the matrix core with consecutive k. A tile that copies from
// memory alone fill can be transposed on its way to LDS, so that k is
// contiguous there. That does not serve a tile that another gemm reads along
// its rows, or that loops or copies from fragments write: such a tile keeps its
// rows, and an operand across k would be read two bytes at a time.
//
// Instead a lane reads a run of consecutive rows of the operand for each of its
// k, eight bytes at once, and exchanges them in registers, one permutation for
// two elements:
//
//        row 4l  4l+1 4l+2 4l+3
//   k    [  a     b    c    d  ]  one read       repetition 0: a e i m
//   k+1  [  e     f    g    h  ]  one read   =>  repetition 1: b f j n
//   k+2  [  i     j    k    l  ]                 ...
//   k+3  [  m     n    o    p  ]
//
// Lane l's row in repetition r of the instruction is then 4 l + r instead of
// l + m r. The result follows: four neighbouring columns (for B) lie in four
// accumulators of a lane, and each accumulator has four columns in any case, so
// that a lane holds sixteen.
//
// Fragments that loops tie together must agree, so that the choice is made for
// all gemms whose results are so tied, where each of them can do it. The run's
// dimension must not be the rows of a product that takes such a fragment as its
// operand, and atomics beside the products want neighbouring columns in
// neighbouring lanes.
//
//===----------------------------------------------------------------------===//

#include "BufferUse.h"
#include "LayoutInference.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include <numeric>

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

static int64_t runOf(const GemmConfig &c, unsigned operand) {
  return operand == 0 ? c.runM : c.runN;
}

/// Whether nothing but copies from global memory, through registers or not,
/// fills a tile in LDS.
static bool isFilledFromMemory(Value shared) {
  for (const BufferUse &use : getAllUses(shared)) {
    if (!use.write)
      continue;
    auto copy = dyn_cast<CopyOp>(use.op);
    if (!copy)
      return false;
    if (getSpace(copy.getSrc()) == Space::Global)
      continue;
    auto staging = copy.getSrc().getDefiningOp<AllocOp>();
    if (!staging || getSpace(copy.getSrc()) != Space::Fragment)
      return false;
    for (const BufferUse &fill : getAllUses(staging.getResult())) {
      auto load = dyn_cast<CopyOp>(fill.op);
      if (fill.write && (!load || getSpace(load.getSrc()) != Space::Global))
        return false;
    }
  }
  return true;
}

bool tile::wantsTranspose(Value shared) {
  bool any = false;
  for (const BufferUse &use : getAllUses(shared)) {
    auto gemm = dyn_cast<GemmOp>(use.op);
    if (!gemm)
      continue;
    for (unsigned operand : {0u, 1u}) {
      if (getBase(gemm->getOperand(operand)) != shared)
        continue;
      // A gemm that reads along k settles it the other way; one that reads in
      // runs, where something else fills the tile row by row.
      if (isKInnermost(gemm, operand) ||
          (gemm.getMfma() && runOf(getGemmConfig(gemm), operand) > 1 &&
           !isFilledFromMemory(shared)))
        return false;
      any = true;
    }
  }
  return any;
}

/// Whether runs are read of an operand, if there are rows enough.
static bool hasRuns(GemmOp gemm, unsigned operand) {
  Value buffer = gemm->getOperand(operand);
  return getSpace(buffer) == Space::Shared && !isKInnermost(gemm, operand) &&
         cast<MemRefType>(buffer.getType()).getElementTypeBitWidth() == 16;
}

/// The longest run of an operand that LDS holds across k; 1 where there is
/// none.
static int64_t possibleRun(GemmOp gemm, unsigned operand) {
  GemmConfig c = getGemmConfig(gemm);
  int64_t extent = operand == 0 ? gemm.getM() : gemm.getN();
  int64_t waves = operand == 0 ? c.wavesM : c.wavesN;
  return hasRuns(gemm, operand) ? longestRun(extent, c.m * waves) : 1;
}

/// Whether an operand is better read in runs of rows than along k.
static bool wantsRun(GemmOp gemm, unsigned operand) {
  Value base = getBase(gemm->getOperand(operand));
  auto alloc = base.getDefiningOp<AllocOp>();
  return alloc && !alloc.getLayout() && hasRuns(gemm, operand) &&
         !(wantsTranspose(base) && isFilledFromMemory(base));
}

static bool isFragment(Value v) {
  return v.getDefiningOp<AllocOp>() && getSpace(v) == Space::Fragment;
}

/// Whether the program has said where a fragment's elements are.
static bool isGiven(Value fragment) {
  auto alloc = fragment.getDefiningOp<AllocOp>();
  return alloc && alloc.getLayout();
}

/// Fragments of one shape that an op goes through together.
static llvm::EquivalenceClasses<Value> tiedFragments(KernelOp kernel) {
  llvm::EquivalenceClasses<Value> tied;
  kernel.walk([&](Operation *op) {
    if (!isa<ParallelOp, CopyOp>(op))
      return;
    SmallVector<Value> found;
    for (const Access &access : getPointAccesses(op)) {
      Value base = access.buffer;
      if (!isFragment(base) || !access.isPlain())
        continue;
      for (Value other : found)
        if (cast<MemRefType>(other.getType()).getShape() ==
            cast<MemRefType>(base.getType()).getShape())
          tied.unionSets(other, base);
      found.push_back(base);
    }
  });
  return tied;
}

/// Whether a gemm takes `fragment` as an operand whose rows are dimension `dim`
/// of its last two.
static bool isOperandAlong(Value fragment, unsigned dim) {
  for (Operation *user : fragment.getUsers())
    if (auto gemm = dyn_cast<GemmOp>(user))
      for (unsigned o : {0u, 1u})
        if (gemm->getOperand(o) == fragment &&
            (isKInnermost(gemm, o) ? 0u : 1u) == dim)
          return true;
  return false;
}

namespace {
/// Gemms by number, whose results must be laid out alike.
struct Group {
  SmallVector<unsigned> gemms;
  std::array<bool, 2> bound = {}; ///< by operand: no runs, whoever wants them
};
} // namespace

static llvm::MapVector<Value, Group> groupsOf(KernelOp kernel,
                                              ArrayRef<GemmOp> gemms) {
  llvm::EquivalenceClasses<Value> tied = tiedFragments(kernel);
  llvm::MapVector<Value, Group> groups;
  for (auto [i, gemm] : llvm::enumerate(gemms)) {
    Value c = GemmOp(gemm).getC();
    groups[tied.contains(c) ? tied.getLeaderValue(c) : c].gemms.push_back(i);
  }
  for (auto &[leader, group] : groups)
    for (unsigned o : {0u, 1u}) {
      for (unsigned i : group.gemms)
        group.bound[o] |= !hasRuns(gemms[i], o);
      SmallVector<Value> members = {leader};
      if (tied.contains(leader))
        llvm::append_range(members, tied.members(leader));
      for (Value member : members)
        group.bound[o] |= isOperandAlong(member, o) || isGiven(member);
      auto made = llvm::map_to_vector(group.gemms,
                                      [&](unsigned i) { return gemms[i]; });
      group.bound[o] |= hasAtomics(members, made);
    }
  return groups;
}

SmallVector<WantedRuns> tile::wantedRuns(KernelOp kernel,
                                         ArrayRef<GemmOp> gemms) {
  SmallVector<WantedRuns> wanted(gemms.size());
  for (auto &[leader, group] : groupsOf(kernel, gemms))
    for (unsigned o : {0u, 1u})
      if (!group.bound[o] && llvm::any_of(group.gemms, [&](unsigned i) {
            return wantsRun(gemms[i], o);
          }))
        for (unsigned i : group.gemms)
          wanted[i][o] = true;
  return wanted;
}

void tile::setRuns(KernelOp kernel, ArrayRef<GemmOp> gemms,
                   ArrayRef<WantedRuns> wanted) {
  for (auto &[leader, group] : groupsOf(kernel, gemms)) {
    std::array<int64_t, 2> run = {1, 1};
    for (unsigned o : {0u, 1u})
      if (wanted[group.gemms.front()][o]) {
        run[o] = possibleRun(gemms[group.gemms.front()], o);
        for (unsigned i : group.gemms)
          run[o] = std::min(run[o], possibleRun(gemms[i], o));
      }
    if (run[0] == 1 && run[1] == 1)
      continue;
    for (unsigned i : group.gemms) {
      GemmOp gemm = gemms[i];
      SmallVector<int64_t> mfma(*gemm.getMfma());
      mfma.append({run[0], run[1]});
      gemm.setMfma(mfma);
    }
  }
}
