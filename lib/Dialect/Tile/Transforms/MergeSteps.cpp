//===- MergeSteps.cpp - Steps that read whole lines of memory ---*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product whose steps are 32 elements of 16 bits deep reads 64 bytes of each
// row of A. The L2 caches give lines of 128 bytes, and what a step leaves of a
// line it has to give once more in the next. This pass makes one step of
// several: tiles that are as much deeper, then the products as before.
//
// Taken are pipelined loops of step 1 whose body only copies tiles from global
// to shared memory and multiplies them. Each tile moves on by its own extent
// along one dimension, and that is the dimension over which the products add
// up. So the tiles of neighbouring steps side by side are one deeper tile, and
// the product of two deep tiles adds up the same products, in the same order:
// that of the steps, and within a step that of the instruction (GemmLayouts.h).
// Only where a step was less deep than one instruction, which fp8 of 16 columns
// is, does the deeper tile fill instructions that zeros filled: another order.
// Loops in which two products share a sum are left alone, for these would
// alternate.
//
// Steps that are left over go into a loop behind, except where their tiles end
// behind both tensors: what is read there is zero and adds nothing.
//
// How many: as few as make whole lines of the rows that are less. Not done
// where LDS would hold fewer wavefronts of such tiles, one copy of each, than
// before (tile-pipeline makes a second copy where there is room), or registers
// would not hold what tile-pipeline loads ahead.
//
//   scf.for %k = 0 to 128 {
//     tile.copy %A[%m, %k * 32] to %As       // 128x32xf16
//     tile.copy %B[%k * 32, %n] to %Bs       // 32x128xf16
//     tile.gemm %As, %Bs into %c
//   }
// becomes
//   scf.for %i = 0 to 64 {
//     %k = %i * 2
//     tile.copy %A[%m, %k * 32] to %As       // 128x64xf16
//     tile.copy %B[%k * 32, %n] to %Bs       // 64x128xf16
//     tile.gemm %As, %Bs into %c
//   }
//
//===----------------------------------------------------------------------===//

#include "Liveness.h"
#include "Staging.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "tlc/Dialect/Tile/Transforms/Passes.h"
#include "tlc/Support/LdsBanks.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

namespace tlc::tile {
#define GEN_PASS_DEF_TILEMERGESTEPS
#include "tlc/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tlc::tile

/// What the L2 caches give at a time.
constexpr int64_t kLineBytes = 128;

namespace {
/// A tile that one copy of each step fills.
struct Tile {
  CopyOp copy;
  ViewOp source;
  AllocOp alloc;
  unsigned sourceDim = 0; ///< in which it moves on
  unsigned tileDim = 0;   ///< the same dimension of the tile
};

class StepMerger {
public:
  explicit StepMerger(scf::ForOp loop)
      : loop(loop), kernel(loop->getParentOfType<KernelOp>()) {}
  void run(int64_t ldsBytes);

private:
  StringRef collect();
  StringRef study(Tile &tile);
  StringRef study(GemmOp gemm);
  std::optional<int64_t> slopeOf(Value value);
  std::optional<int64_t> valueAt(Value value, int64_t step);
  bool isWritten(Value base);
  int64_t stepsOfLine();
  StringRef lackOfRoom(int64_t factor, int64_t ldsBytes);
  bool endsBehindTensors(int64_t steps);
  void rewrite(int64_t factor);
  MemRefType deeper(MemRefType type, unsigned dim, int64_t factor);

  scf::ForOp loop;
  KernelOp kernel;
  llvm::MapVector<Value, Tile> tiles; ///< by alloc
  SmallVector<GemmOp> gemms;
};
} // namespace

//===----------------------------------------------------------------------===//
// Which loops
//===----------------------------------------------------------------------===//

bool StepMerger::isWritten(Value base) {
  return loop
      .walk([&](Operation *op) {
        for (const BufferUse &use : getUses(op))
          if (use.write && getBase(use.buffer) == base)
            return WalkResult::interrupt();
        return WalkResult::advance();
      })
      .wasInterrupted();
}

/// By how much an integer grows with each step; nothing where that is not
/// known.
// A scalar that is loaded is the same in all steps if nobody writes it.
std::optional<int64_t> StepMerger::slopeOf(Value value) {
  if (value == loop.getInductionVar())
    return 1;
  if (value.getParentRegion()->isProperAncestor(&loop.getRegion()))
    return 0;
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumRegions())
    return std::nullopt;
  SmallVector<int64_t, 2> slopes;
  for (Value operand : op->getOperands()) {
    if (isa<MemRefType>(operand.getType())) {
      slopes.push_back(0);
      continue;
    }
    std::optional<int64_t> slope = slopeOf(operand);
    if (!slope)
      return std::nullopt;
    slopes.push_back(*slope);
  }
  if (llvm::all_of(slopes, [](int64_t s) { return s == 0; })) {
    auto load = dyn_cast<LoadOp>(op);
    bool same = load ? !isWritten(getBase(load.getSource())) : isPure(op);
    return same ? std::optional<int64_t>(0) : std::nullopt;
  }
  if (isa<arith::AddIOp>(op))
    return slopes[0] + slopes[1];
  if (isa<arith::SubIOp>(op))
    return slopes[0] - slopes[1];
  if (isa<arith::ExtSIOp, arith::IndexCastOp>(op))
    return slopes[0];
  APInt factor;
  if (isa<arith::MulIOp>(op))
    for (unsigned i : {0u, 1u})
      if (matchPattern(op->getOperand(i), m_ConstantInt(&factor)))
        return slopes[1 - i] * factor.getSExtValue();
  return std::nullopt;
}

/// An integer that depends on the loop's variable alone, for a value of that.
std::optional<int64_t> StepMerger::valueAt(Value value, int64_t step) {
  APInt constant;
  if (value == loop.getInductionVar())
    return step;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  Operation *op = value.getDefiningOp();
  if (!op || !isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return std::nullopt;
  std::optional<int64_t> x = valueAt(op->getOperand(0), step);
  std::optional<int64_t> y = valueAt(op->getOperand(1), step);
  if (!x || !y)
    return std::nullopt;
  return isa<arith::AddIOp>(op)   ? *x + *y
         : isa<arith::SubIOp>(op) ? *x - *y
                                  : *x * *y;
}

/// Finds the dimension in which a tile moves on. Why there is none, else "".
StringRef StepMerger::study(Tile &tile) {
  tile.source = tile.copy.getSrc().getDefiningOp<ViewOp>();
  if (!tile.source)
    return "a tile is the same in every step";
  if (tile.alloc.getLayout())
    return "the program gives the layout of a tile";
  for (Operation *user : tile.alloc->getUsers())
    if (user->getBlock() != loop.getBody() ||
        (user != tile.copy &&
         (!isa<GemmOp>(user) || user->isBeforeInBlock(tile.copy))))
      return "a tile serves other ends than the products behind its copy";
  auto from = cast<MemRefType>(tile.source.getType());
  std::optional<unsigned> dim;
  for (auto [d, offset] : llvm::enumerate(tile.source.getOffsets())) {
    std::optional<int64_t> slope = slopeOf(offset);
    if (!slope || (*slope != 0 && (dim || *slope != from.getDimSize(d))))
      return "a tile does not move on by its extent along one dimension";
    if (*slope)
      dim = d;
  }
  if (!dim || !slopeOf(tile.source.getSource()))
    return "a tile is the same in every step";
  // Copies match dimensions that are not 1; an extent of 1 is not worth it.
  auto to = cast<MemRefType>(tile.alloc.getType());
  SmallVector<unsigned> fromDims = nonUnitDims(from.getShape()),
                        toDims = nonUnitDims(to.getShape());
  auto *at = llvm::find(fromDims, *dim);
  if (at == fromDims.end() || fromDims.size() != toDims.size())
    return "a tile has one element along its products";
  tile.sourceDim = *dim;
  tile.tileDim = toDims[at - fromDims.begin()];
  return "";
}

/// Whether both operands move on along the dimension that the product adds up
/// over, and nobody else needs its sum. Why not, else "".
StringRef StepMerger::study(GemmOp gemm) {
  for (unsigned operand : {0u, 1u}) {
    auto *it = tiles.find(gemm->getOperand(operand));
    if (it == tiles.end())
      return "an operand of a product is not a tile of the step";
    SmallVector<unsigned> dims =
        nonUnitDims(cast<MemRefType>(it->second.alloc.getType()).getShape());
    bool inner = operand == 0 ? !gemm.getTransA() : gemm.getTransB();
    if (dims.size() != 2 || dims[inner] != it->second.tileDim)
      return "a tile moves on along another dimension than its products add up "
             "over";
  }
  for (GemmOp other : gemms)
    if (getBase(other.getC()) == getBase(gemm.getC()))
      return "two products of a step share their sum";
  return "";
}

StringRef StepMerger::collect() {
  for (Operation &op : loop.getBody()->without_terminator()) {
    StringRef why;
    if (auto copy = dyn_cast<CopyOp>(op)) {
      Tile tile{copy, {}, copy.getDst().getDefiningOp<AllocOp>()};
      if (!tile.alloc || getSpace(copy.getDst()) != Space::Shared ||
          getSpace(copy.getSrc()) != Space::Global)
        return "it copies something else than a tile from global to shared "
               "memory";
      why = study(tile);
      if (why.empty() && !tiles.insert({tile.alloc.getResult(), tile}).second)
        why = "a tile is filled twice";
    } else if (auto gemm = dyn_cast<GemmOp>(op)) {
      why = study(gemm);
      gemms.push_back(gemm);
    } else if (op.getNumRegions() ||
               !(isPure(&op) || isa<LoadOp, AllocOp>(op))) {
      why = "it does more than copy tiles and multiply them";
    }
    if (!why.empty())
      return why;
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Whether it pays
//===----------------------------------------------------------------------===//

/// Steps that make a line of the least row that moves on along memory's
/// innermost dimension; 1 where all are lines.
int64_t StepMerger::stepsOfLine() {
  int64_t steps = 1;
  for (auto copy : loop.getBody()->getOps<CopyOp>()) {
    auto source = copy.getSrc().getDefiningOp<ViewOp>();
    if (!source || getSpace(copy.getSrc()) != Space::Global ||
        source.getOffsets().empty())
      continue;
    auto type = cast<MemRefType>(source.getType());
    std::optional<int64_t> slope = slopeOf(source.getOffsets().back());
    int64_t row = type.getShape().back() * getElementBytes(type);
    if (slope && *slope == type.getShape().back() && row < kLineBytes &&
        kLineBytes % row == 0)
      steps = std::max(steps, kLineBytes / row);
  }
  return steps;
}

/// Why such deep tiles would cost more than they save, else "".
StringRef StepMerger::lackOfRoom(int64_t factor, int64_t ldsBytes) {
  auto bytesWith = [&](int64_t copies) {
    auto buffers =
        getLiveBuffers(kernel, /*reuseInLoops=*/false, [&](AllocOp alloc) {
          return tiles.contains(alloc) ? copies : 1;
        });
    return std::max<int64_t>(planLds(buffers), 1);
  };
  constexpr int64_t kSimds = 4;
  int64_t waves = kernel.getNumThreads() / 64;
  auto wavesOf = [&](int64_t bytes) { return ldsBytes / bytes * waves; };
  int64_t deep = wavesOf(bytesWith(factor));
  int64_t two = bytesWith(2);
  int64_t now = wavesOf(two <= ldsBytes ? two : bytesWith(1));
  if (deep == 0)
    return "LDS does not hold the deeper tiles";
  if (deep < std::min(now, 2 * kSimds))
    return "LDS would hold the deeper tiles of fewer wavefronts";
  int64_t staging = 0;
  for (auto &[alloc, tile] : tiles)
    staging += factor * registersOf(cast<MemRefType>(tile.source.getType()),
                                    kernel.getNumThreads());
  if (registersHeldIn(loop) + staging > registerBudget(kernel.getNumThreads()))
    return "registers would not hold what is loaded ahead";
  return "";
}

/// Whether from the given step on all tiles lie behind their tensors.
bool StepMerger::endsBehindTensors(int64_t step) {
  return llvm::all_of(tiles, [&](auto &entry) {
    const Tile &tile = entry.second;
    ViewOp source = tile.source;
    auto tensor = cast<MemRefType>(source.getSource().getType());
    std::optional<int64_t> first =
        valueAt(source.getOffsets()[tile.sourceDim], step);
    return first &&
           isa_and_nonnull<TensorOp>(source.getSource().getDefiningOp()) &&
           !tensor.isDynamicDim(tile.sourceDim) &&
           *first >= tensor.getDimSize(tile.sourceDim);
  });
}

//===----------------------------------------------------------------------===//
// The transformation
//===----------------------------------------------------------------------===//

MemRefType StepMerger::deeper(MemRefType type, unsigned dim, int64_t factor) {
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] *= factor;
  return MemRefType::Builder(type).setShape(shape);
}

void StepMerger::rewrite(int64_t factor) {
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  Type type = loop.getInductionVar().getType();
  auto constant = [&](int64_t v) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, v));
  };
  // Steps in all, and how many of them the deep loop takes.
  APInt first, last;
  Value lower = loop.getLowerBound(), count, rest;
  if (matchPattern(lower, m_ConstantInt(&first)) &&
      matchPattern(loop.getUpperBound(), m_ConstantInt(&last))) {
    int64_t from = first.getSExtValue(), to = last.getSExtValue();
    int64_t steps = std::max<int64_t>(to - from, 0);
    int64_t deep = endsBehindTensors(to) ? llvm::divideCeil(steps, factor)
                                         : steps / factor;
    count = constant(deep);
    if (deep * factor < steps)
      rest = constant(from + deep * factor);
  } else {
    Value steps =
        b.createOrFold<arith::SubIOp>(loc, loop.getUpperBound(), lower);
    // No step at all where the upper bound is the lesser one.
    steps = b.createOrFold<arith::MaxSIOp>(loc, steps, constant(0));
    count = b.createOrFold<arith::DivUIOp>(loc, steps, constant(factor));
    rest = b.createOrFold<arith::AddIOp>(
        loc, lower,
        b.createOrFold<arith::MulIOp>(loc, count, constant(factor)));
  }

  IRMapping map;
  for (auto &[alloc, tile] : tiles) {
    OpBuilder at(tile.alloc);
    auto tileType = cast<MemRefType>(tile.alloc.getType());
    auto deep = AllocOp::create(
        at, tile.alloc.getLoc(), deeper(tileType, tile.tileDim, factor),
        tile.alloc.getNameAttr(), LayoutAttr(), IntegerAttr());
    // Its content means nothing between steps.
    if (loop->isProperAncestor(deep))
      deep->moveBefore(loop);
    map.map(alloc, deep.getResult());
  }
  auto merged = scf::ForOp::create(b, loc, constant(0), count, constant(1));
  merged->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  b.setInsertionPointToStart(merged.getBody());
  Value step = b.createOrFold<arith::MulIOp>(loc, merged.getInductionVar(),
                                             constant(factor));
  map.map(loop.getInductionVar(),
          b.createOrFold<arith::AddIOp>(loc, lower, step));
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (isa<AllocOp>(op) && tiles.contains(op.getResult(0)))
      continue;
    Operation *clone = b.clone(op, map);
    for (auto &[alloc, tile] : tiles)
      if (tile.source == &op)
        clone->getResult(0).setType(deeper(
            cast<MemRefType>(tile.source.getType()), tile.sourceDim, factor));
  }
  if (rest) {
    // Few steps, if any: what is loaded ahead would mostly be in vain.
    loop.setLowerBound(rest);
    loop->removeAttr(kNumStagesAttr);
    return;
  }
  SmallVector<AllocOp> old;
  for (auto &[alloc, tile] : tiles)
    old.push_back(tile.alloc);
  loop.erase();
  for (AllocOp alloc : old)
    alloc.erase();
}

void StepMerger::run(int64_t ldsBytes) {
  APInt step;
  if (loop.getNumRegionIterArgs() || loop.getBody()->getOps<GemmOp>().empty() ||
      !matchPattern(loop.getStep(), m_ConstantInt(&step)) || !step.isOne())
    return;
  int64_t factor = stepsOfLine();
  if (factor == 1)
    return;
  StringRef why = collect();
  if (why.empty())
    why = lackOfRoom(factor, ldsBytes);
  if (!why.empty()) {
    loop.emitRemark("steps read parts of lines, but are not merged: ") << why;
    return;
  }
  loop.emitRemark("merged: ")
      << factor << " steps are one, which reads whole lines of memory";
  rewrite(factor);
}

namespace {
struct MergeSteps : tlc::tile::impl::TileMergeStepsBase<MergeSteps> {
  using TileMergeStepsBase::TileMergeStepsBase;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      // Registers that spilled hold no deeper tiles.
      if (auto kernel = loop->getParentOfType<KernelOp>();
          kernel && !kernel->hasAttr(kSpareRegistersAttr) &&
          loop->hasAttr(kNumStagesAttr))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops) {
      auto reserve =
          loop->getParentOfType<KernelOp>()->getAttrOfType<IntegerAttr>(
              kLdsReserveAttr);
      StepMerger(loop).run(ldsBytes - (reserve ? reserve.getInt() : 0));
    }
    eraseDeadCode(getOperation());
  }
};
} // namespace
