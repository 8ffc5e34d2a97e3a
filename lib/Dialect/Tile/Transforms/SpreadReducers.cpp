//===- SpreadReducers.cpp - Combine in registers, not by atomics ----------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `tile-spread-reducers`. Points of a loop that combine into one
// element of a tile in LDS, as those of a T.alloc_reducer do, are atomics. LDS
// serves those of one element one after another, and code generation would scan
// the lanes of each first. Where it shows which points meet, each has an
// element of a fragment of its own instead; a tile.reduce combines these over
// registers, lanes and wavefronts, and one point for each element of the tile
// adds the result to it.
//
// If nothing else in the serial loops around uses the tile, the fragment is
// filled before them, combined into at each step, and reduced behind them.
//
//   scf.for ...                            tile.fill %part, 0
//     tile.parallel (%i, %j) = [4, 1024]   scf.for ...
//       tile.atomic add %x, %acc[%i]   =>    tile.parallel (%i, %j) = [4, 1024]
//                                              %part[%i, %j] += %x
//                                          tile.reduce sum %part into %sum dim
//                                          1 tile.parallel (%i) = [4]
//                                            %acc[%i] += %sum[%i]
//
// Left alone: atomics whose old value is used, with a memory order, under a
// condition, of an index that is no variable of the loop, or of more points
// than registers hold.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "tlc/Dialect/Tile/IR/TileDialect.h"
#include "tlc/Dialect/Tile/Transforms/Passes.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

namespace tlc::tile {
#define GEN_PASS_DEF_TILESPREADREDUCERS
#include "tlc/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tlc::tile

/// Registers of a thread that the points of one loop may take.
static constexpr int64_t kMostRegisters = 64;

static std::optional<ReduceKind> reductionOf(AtomicKind kind) {
  switch (kind) {
  case AtomicKind::Add:
    return ReduceKind::Sum;
  case AtomicKind::Max:
    return ReduceKind::Max;
  case AtomicKind::Min:
    return ReduceKind::Min;
  case AtomicKind::UMax:
    return ReduceKind::UMax;
  case AtomicKind::UMin:
    return ReduceKind::UMin;
  case AtomicKind::And:
    return ReduceKind::And;
  case AtomicKind::Or:
    return ReduceKind::Or;
  case AtomicKind::Xor:
    return ReduceKind::Xor;
  default:
    return std::nullopt;
  }
}

static arith::AtomicRMWKind arithKind(ReduceKind kind, bool isFloat) {
  using K = arith::AtomicRMWKind;
  switch (kind) {
  case ReduceKind::Sum:
    return isFloat ? K::addf : K::addi;
  case ReduceKind::Max:
    return isFloat ? K::maxnumf : K::maxs;
  case ReduceKind::Min:
    return isFloat ? K::minnumf : K::mins;
  case ReduceKind::UMax:
    return K::maxu;
  case ReduceKind::UMin:
    return K::minu;
  case ReduceKind::And:
    return K::andi;
  case ReduceKind::Or:
    return K::ori;
  default:
    return K::xori;
  }
}

namespace {

/// An atomic that can be spread.
struct Spread {
  AtomicOp atomic;
  ParallelOp loop;
  AllocOp tile;
  ReduceKind kind;
  SmallVector<int> variables; ///< of each index, or -1: 0
};

struct SpreadReducers
    : tlc::tile::impl::TileSpreadReducersBase<SpreadReducers> {
  using TileSpreadReducersBase::TileSpreadReducersBase;

  void runOnOperation() override {
    getOperation().walk([&](KernelOp kernel) {
      SmallVector<AtomicOp> atomics;
      kernel.walk([&](AtomicOp op) { atomics.push_back(op); });
      for (AtomicOp op : atomics)
        if (auto spread = analyze(op, kernel))
          rewrite(*spread, kernel);
    });
  }

private:
  static std::optional<Spread> analyze(AtomicOp op, KernelOp kernel);
  static Operation *outermostStep(Spread &s);
  static void rewrite(Spread s, KernelOp kernel);
};

} // namespace

std::optional<Spread> SpreadReducers::analyze(AtomicOp op, KernelOp kernel) {
  auto loop = dyn_cast<ParallelOp>(op->getParentOp());
  auto tile = op.getDest().getDefiningOp<AllocOp>();
  std::optional<ReduceKind> kind = reductionOf(op.getKind());
  Type type = op.getValue().getType();
  if (!loop || !tile || getSpace(tile) != Space::Shared || !kind ||
      !op.getResult().use_empty() || op.getOrder() ||
      !(isa<FloatType>(type) || type.isInteger(32)) ||
      type.getIntOrFloatBitWidth() < 16 || type.getIntOrFloatBitWidth() > 32)
    return std::nullopt;
  // Nothing else in the loop uses the tile: it would see other moments.
  for (Operation *user : tile->getUsers())
    if (user != op && loop->isProperAncestor(user))
      return std::nullopt;
  Spread spread{op, loop, tile, *kind, {}};
  ArrayRef<int64_t> extents = loop.getExtents();
  llvm::SmallBitVector named(extents.size());
  auto shape = cast<MemRefType>(tile.getType()).getShape();
  for (auto [index, extent] : llvm::zip_equal(op.getIndices(), shape)) {
    auto variable = dyn_cast<BlockArgument>(index);
    if (variable && variable.getOwner() == &loop.getBody().front()) {
      unsigned number = variable.getArgNumber();
      if (named[number] || extents[number] > extent)
        return std::nullopt;
      named.set(number);
      spread.variables.push_back(int(number));
      continue;
    }
    if (!matchPattern(index, m_Zero()))
      return std::nullopt;
    spread.variables.push_back(-1);
  }
  int64_t points = 1, meeting = 1;
  for (auto [d, extent] : llvm::enumerate(extents)) {
    points *= extent;
    meeting *= named[d] ? 1 : extent;
  }
  if (meeting == 1 || points > kMostRegisters * kernel.getNumThreads())
    return std::nullopt;
  return spread;
}

/// The outermost op, a serial loop or the loop of points itself, in which only
/// the atomic uses the tile.
Operation *SpreadReducers::outermostStep(Spread &s) {
  Operation *step = s.loop;
  while (auto outer = dyn_cast<scf::ForOp>(step->getParentOp())) {
    if (outer->isProperAncestor(s.tile) ||
        llvm::any_of(s.tile->getUsers(), [&](Operation *user) {
          return user != s.atomic && outer->isProperAncestor(user);
        }))
      break;
    step = outer;
  }
  return step;
}

void SpreadReducers::rewrite(Spread s, KernelOp kernel) {
  AtomicOp op = s.atomic;
  Location loc = op.getLoc();
  ParallelOp loop = s.loop;
  OpBuilder b(kernel.getContext());
  Type element = op.getValue().getType(), type = element;
  bool isFloat = isa<FloatType>(type);
  if (isFloat && type.getIntOrFloatBitWidth() < 32)
    type = b.getF32Type();
  auto widen = [&](Value v) -> Value {
    return type == element ? v : arith::ExtFOp::create(b, loc, type, v);
  };
  arith::AtomicRMWKind kind = arithKind(s.kind, isFloat);
  auto combine = [&](Value x, Value y) {
    return arith::getReductionOp(kind, b, loc, x, y);
  };
  auto fragment = [&](ArrayRef<int64_t> shape, StringRef suffix) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&kernel.getBody().front());
    return AllocOp::create(b, loc, getBufferType(shape, type, Space::Fragment),
                           b.getStringAttr(getBufferName(s.tile) + suffix),
                           LayoutAttr(), IntegerAttr());
  };

  // Each point's own element.
  Operation *step = outermostStep(s);
  bool runs = step != loop;
  AllocOp parts = fragment(loop.getExtents(), ".parts");
  if (runs) {
    b.setInsertionPoint(step);
    Value nothing = arith::ConstantOp::create(
        b, loc, arith::getIdentityValueAttr(kind, type, b, loc));
    FillOp::create(b, loc, parts, nothing, LayoutAttr());
  }
  b.setInsertionPoint(op);
  ValueRange point = loop.getBody().getArguments();
  Value v = widen(op.getValue());
  if (runs)
    v = combine(LoadOp::create(b, loc, type, parts, point), v);
  StoreOp::create(b, loc, v, parts, point);

  // Dimensions that meet, from the last, so that the others keep their places.
  b.setInsertionPointAfter(step);
  SmallVector<int64_t> shape(loop.getExtents());
  SmallVector<int> kept;
  for (int d = 0, e = int(shape.size()); d < e; ++d)
    if (llvm::is_contained(s.variables, d))
      kept.push_back(d);
  AllocOp sums = parts;
  for (int d = int(shape.size()) - 1; d >= 0; --d) {
    if (llvm::is_contained(s.variables, d))
      continue;
    // A tile has a dimension at least.
    if (shape.size() == 1)
      shape[0] = 1;
    else
      shape.erase(shape.begin() + d);
    AllocOp next = fragment(shape, ".sums");
    ReduceOp::create(b, loc, sums, next, Value(), s.kind, uint64_t(d),
                     /*accumulate=*/false, /*nan=*/false);
    sums = next;
  }

  // And into the tile.
  auto last = ParallelOp::create(b, loc, shape);
  b.setInsertionPointToStart(&last.getBody().front());
  Value zero = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
  SmallVector<Value> place;
  for (int variable : s.variables)
    place.push_back(variable < 0
                        ? zero
                        : Value(last.getBody().getArgument(unsigned(
                              llvm::find(kept, variable) - kept.begin()))));
  Value before = LoadOp::create(b, loc, element, s.tile.getResult(), place);
  Value sum = LoadOp::create(b, loc, type, sums, last.getBody().getArguments());
  Value result = combine(widen(before), sum);
  if (type != element)
    result = arith::TruncFOp::create(b, loc, element, result);
  StoreOp::create(b, loc, result, s.tile, place);
  op.emitRemark("combined in registers and lanes, not by atomics in LDS");
  op.erase();
}
