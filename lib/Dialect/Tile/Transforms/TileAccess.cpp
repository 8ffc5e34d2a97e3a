//===- TileAccess.cpp - How a tile op touches its buffers, point by point -===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Indices are folded into affine forms by walking their ops: additions,
// subtractions, products and shifts by constants, extensions. In
//
//   tile.parallel (%i, %j) = [64, 32] { tile.load %a[%i, %b + 2 * %j + 1] }
//
// the second index has coefficients (0, 2), constant 1 and uniform part %b.
// Anything else is unknown, and the callers treat it as any element.
//
//===----------------------------------------------------------------------===//

#include "tlc/Dialect/Tile/Transforms/TileAccess.h"
#include "mlir/IR/Matchers.h"
#include "tlc/Dialect/Tile/Transforms/GemmLayouts.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

/// -1 for a scaled, shifted or summed index.
int PointIndex::getDim() const {
  if (!known || constant || uniform)
    return -1;
  int dim = -1;
  for (auto [d, c] : llvm::enumerate(coeffs)) {
    if (!c)
      continue;
    if (c != 1 || dim != -1)
      return -1;
    dim = d;
  }
  return dim;
}

int PointIndex::getDividedDim() const {
  if (divisor == 1)
    return -1;
  PointIndex form = *this;
  form.known = true;
  return form.getDim();
}

/// Known, and the same for all points.
bool PointIndex::isUniform() const {
  return known && llvm::all_of(coeffs, [](int64_t c) { return c == 0; });
}

/// The index at a point, without its uniform part.
int64_t PointIndex::at(ArrayRef<int64_t> point) const {
  int64_t value = constant;
  for (auto [d, c] : llvm::enumerate(coeffs))
    value += c * point[d];
  return value / divisor;
}

/// Each dimension of the points is an index once, or not at all.
bool Access::isPlain() const {
  auto shape = cast<MemRefType>(buffer.getType()).getShape();
  llvm::SmallBitVector seen(indices.empty() ? 0 : indices[0].coeffs.size());
  for (auto [extent, index] : llvm::zip_equal(shape, indices)) {
    int dim = index.getDim();
    if (dim < 0) {
      // A dimension of extent 1 has one place only.
      if (extent == 1 && index.isUniform())
        continue;
      return false;
    }
    if (seen.test(dim))
      return false;
    seen.set(dim);
  }
  return true;
}

/// Callers must then reckon with any element of the dimension.
static PointIndex unknownIndex() {
  PointIndex index;
  index.known = false;
  return index;
}

/// A form that is never negative, divided by a constant.
static PointIndex quotientIndex(Operation *op, Block *body) {
  APInt by;
  if (!isa<arith::ShRSIOp, arith::ShRUIOp, arith::DivSIOp, arith::DivUIOp,
           arith::FloorDivSIOp>(op) ||
      !matchPattern(op->getOperand(1), m_ConstantInt(&by)))
    return unknownIndex();
  PointIndex index = getPointIndex(op->getOperand(0), body);
  bool shifts = isa<arith::ShRSIOp, arith::ShRUIOp>(op);
  int64_t divisor = by.getSExtValue();
  if (shifts)
    divisor = divisor >= 0 && divisor < 31 ? int64_t(1) << divisor : 0;
  if (!index.known || index.uniform || index.constant < 0 || divisor < 1 ||
      llvm::any_of(index.coeffs, [](int64_t c) { return c < 0; }))
    return unknownIndex();
  if (divisor > 1) {
    index.known = false;
    index.divisor = divisor;
  }
  return index;
}

/// Affine in the integers: that the sums do not wrap at 32 bits is taken for
/// granted, as in the program itself.
PointIndex tile::getPointIndex(Value value, Block *body) {
  unsigned rank = body->getNumArguments();
  PointIndex index;
  index.coeffs.assign(rank, 0);
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    index.constant = constant.getSExtValue();
    return index;
  }
  if (auto arg = dyn_cast<BlockArgument>(value))
    if (arg.getOwner() == body) {
      index.coeffs[arg.getArgNumber()] = 1;
      return index;
    }
  // Computed outside of the loop: the same for all points.
  if (!body->getParentOp()->isAncestor(value.getParentBlock()->getParentOp())) {
    index.uniform = value;
    return index;
  }
  Operation *op = value.getDefiningOp();
  if (!op)
    return unknownIndex();
  // A change of width is taken to keep the value.
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op))
    return getPointIndex(op->getOperand(0), body);
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ShLIOp>(op))
    return quotientIndex(op, body);
  PointIndex a = getPointIndex(op->getOperand(0), body);
  PointIndex b = getPointIndex(op->getOperand(1), body);
  if (!a.known || !b.known)
    return unknownIndex();
  // Only a constant may scale, and not a uniform part, which would need a
  // product of its own.
  if (isa<arith::MulIOp, arith::ShLIOp>(op)) {
    // The constant, if one is a constant, comes second.
    if (isa<arith::MulIOp>(op) && a.isUniform() && !a.uniform)
      std::swap(a, b);
    if (!b.isUniform() || b.uniform || a.uniform)
      return unknownIndex();
    int64_t scale =
        isa<arith::ShLIOp>(op) ? int64_t(1) << b.constant : b.constant;
    for (int64_t &c : a.coeffs)
      c *= scale;
    a.constant *= scale;
    return a;
  }
  int64_t sign = isa<arith::SubIOp>(op) ? -1 : 1;
  // Two uniform parts would need an op of their own: only one is kept.
  if (b.uniform && (a.uniform || sign < 0))
    return unknownIndex();
  if (b.uniform)
    a.uniform = b.uniform;
  for (auto [x, y] : llvm::zip_equal(a.coeffs, b.coeffs))
    x += sign * y;
  a.constant += sign * b.constant;
  return a;
}

/// The extents of an op's points: a loop's own, or of a copy or fill those of
/// its destination's box other than 1.
SmallVector<int64_t> tile::getPoints(Operation *op) {
  if (auto parallel = dyn_cast<ParallelOp>(op))
    return SmallVector<int64_t>(parallel.getExtents());
  Value box =
      isa<CopyOp>(op) ? cast<CopyOp>(op).getDst() : cast<FillOp>(op).getDst();
  SmallVector<int64_t> points;
  for (int64_t extent : cast<MemRefType>(box.getType()).getShape())
    if (extent != 1)
      points.push_back(extent);
  return points;
}

/// Where a box begins along a dimension.
static void addOffset(PointIndex &index, Value offset) {
  APInt constant;
  if (matchPattern(offset, m_ConstantInt(&constant)))
    index.constant = constant.getSExtValue();
  else
    index.uniform = offset;
}

/// A whole operand of a copy or fill: dimensions of extent 1 are fixed, the
/// others are the points in order.
static Access getBoxAccess(Operation *op, Value buffer, bool writes,
                           unsigned rank) {
  tile::Region region = getRegion(buffer);
  Access access;
  access.op = op;
  access.buffer = region.base;
  access.reads = !writes;
  access.writes = writes;
  unsigned next = 0;
  for (auto [d, extent] : llvm::enumerate(region.shape)) {
    PointIndex &index = access.indices.emplace_back();
    index.coeffs.assign(rank, 0);
    if (extent != 1)
      index.coeffs[next++] = 1;
    if (region.offsets.empty())
      continue;
    addOffset(index, region.offsets[d]);
  }
  return access;
}

/// In program order; a copy gives its source, then its destination.
std::vector<Access> tile::getPointAccesses(Operation *op) {
  std::vector<Access> accesses;
  if (auto copy = dyn_cast<CopyOp>(op)) {
    unsigned rank = getPoints(op).size();
    accesses.push_back(getBoxAccess(op, copy.getSrc(), false, rank));
    accesses.push_back(getBoxAccess(op, copy.getDst(), true, rank));
    return accesses;
  }
  if (auto fill = dyn_cast<FillOp>(op)) {
    accesses.push_back(
        getBoxAccess(op, fill.getDst(), true, getPoints(op).size()));
    return accesses;
  }
  auto parallel = cast<ParallelOp>(op);
  Block *body = &parallel.getBody().front();
  parallel.getBody().walk([&](Operation *inner) {
    Value buffer;
    ValueRange indices;
    Access access;
    if (auto load = dyn_cast<LoadOp>(inner)) {
      buffer = load.getSource();
      indices = load.getIndices();
      access.reads = true;
    } else if (auto store = dyn_cast<StoreOp>(inner)) {
      buffer = store.getDest();
      indices = store.getIndices();
      access.writes = true;
    } else if (auto atomic = dyn_cast<AtomicOp>(inner)) {
      buffer = atomic.getDest();
      indices = atomic.getIndices();
      access.reads = access.writes = true;
    } else {
      return;
    }
    access.op = inner;
    access.buffer = buffer;
    // Below a branch or loop inside the body.
    access.conditional = inner->getBlock() != body;
    for (Value index : indices)
      access.indices.push_back(getPointIndex(index, body));
    accesses.push_back(std::move(access));
  });
  return accesses;
}

/// Leading dimensions are fixed; of the last two, k is point dimension 1,
/// whichever of them it is.
Access tile::getOperandAccess(GemmOp gemm, unsigned operand) {
  Value buffer = gemm->getOperand(operand);
  tile::Region region = getRegion(buffer);
  unsigned rank = cast<MemRefType>(buffer.getType()).getRank();
  bool kInner = isKInnermost(gemm, operand);
  Access access;
  access.op = gemm;
  access.buffer = region.base;
  access.reads = true;
  for (unsigned d = 0; d < rank; ++d) {
    PointIndex &index = access.indices.emplace_back();
    index.coeffs.assign(2, 0);
    if (d + 2 >= rank)
      index.coeffs[(d + 1 == rank) == kInner ? 1 : 0] = 1;
    if (region.offsets.empty())
      continue;
    addOffset(index, region.offsets[d]);
  }
  return access;
}

/// Digit by digit the same threads and register extents.
static bool sameDigits(ArrayRef<Digit> a, ArrayRef<Digit> b) {
  if (a.size() != b.size())
    return false;
  for (auto [x, y] : llvm::zip_equal(a, b))
    if (x.extent != y.extent || x.place != y.place ||
        (x.place == Place::Thread &&
         (x.stride != y.stride || x.flipped != y.flipped)))
      return false;
  return true;
}

std::optional<Layout> tile::getSharedLayout(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  auto alias = buffer.getDefiningOp<AliasOp>();
  if (!alias) {
    auto alloc = buffer.getDefiningOp<AllocOp>();
    return alloc && alloc.getLayout() ? alloc.getLayout()->getLayout()
                                      : Layout::rowMajor(type.getShape());
  }
  std::optional<Layout> layout = getSharedLayout(alias.getSource());
  auto from = cast<MemRefType>(alias.getSource().getType());
  if (layout == Layout::rowMajor(from.getShape()))
    return Layout::rowMajor(type.getShape());
  int64_t before = std::max(1u, from.getElementTypeBitWidth() / 8),
          after = std::max(1u, type.getElementTypeBitWidth() / 8);
  return layout
             ? layout->seenAs(from.getShape(), before, type.getShape(), after)
             : std::nullopt;
}

/// Aliases reshape the layout of what they see, digit by digit.
std::optional<Layout> tile::getFragmentLayout(Value buffer) {
  if (getSpace(buffer) != Space::Fragment)
    return std::nullopt;
  // Absent before the layouts are inferred.
  if (auto alloc = buffer.getDefiningOp<AllocOp>()) {
    if (!alloc.getLayout())
      return std::nullopt;
    return alloc.getLayout()->getLayout();
  }
  auto alias = buffer.getDefiningOp<AliasOp>();
  if (!alias)
    return std::nullopt;
  std::optional<Layout> layout = getFragmentLayout(alias.getSource());
  if (!layout)
    return std::nullopt;
  return layout->reshaped(
      cast<MemRefType>(alias.getSource().getType()).getShape(),
      cast<MemRefType>(alias.getType()).getShape());
}

/// Plain accesses whose digits agree need one thread only, since all behave
/// alike; otherwise every thread and register is tried: registers x threads
/// look-ups.
FailureOr<SmallVector<int64_t>> tile::getSlots(const Layout &loop,
                                               const Access &access,
                                               const Layout &buffer,
                                               int64_t threads) {
  auto shape = cast<MemRefType>(access.buffer.getType()).getShape();
  bool quick =
      access.isPlain() && loop.threadXorTerms() == buffer.threadXorTerms();
  if (quick)
    for (auto [d, index] : llvm::enumerate(access.indices)) {
      int dim = index.getDim();
      if (dim >= 0 && !sameDigits(loop.dim(dim), buffer.dim(d)))
        quick = false;
    }
  // A uniform part moves all elements by an unknown distance: only where that
  // leaves threads alone (whole digits agree) can slots be told.
  for (const PointIndex &index : access.indices)
    if ((!index.known && index.divisor == 1) || (index.uniform && !quick))
      return failure();
  // A loop over part of a buffer may have points beyond its extents that are
  // elements of the buffer: they take no part.
  SmallVector<int64_t> extents;
  if (isa_and_nonnull<CopyOp, FillOp>(access.op))
    extents = getPoints(access.op);
  else if (access.op)
    if (auto parallel = access.op->getParentOfType<ParallelOp>())
      extents = getPoints(parallel);
  if (extents.size() != loop.rank())
    extents.clear();
  // Padding of the layout's digits beyond the loop's own extents.
  bool partial = false;
  for (auto [d, extent] : llvm::enumerate(extents))
    partial |= extent < loop.covered(d);
  int64_t registers = loop.numRegisters();
  SmallVector<int64_t> slots(registers, -1);
  int64_t last = quick && !partial ? 1 : threads;
  // Points that take no part, with the slot that they would touch.
  SmallVector<std::pair<int64_t, int64_t>> spared;
  SmallVector<int64_t, 4> element(access.indices.size()), point(loop.rank());
  PointTable points(loop, last, registers);
  for (int64_t r = 0; r < registers; ++r) {
    for (int64_t t = 0; t < last; ++t) {
      // The layout leaves out this thread or register.
      if (!points.at(t, r, point))
        continue;
      bool inside = true;
      for (auto [d, index] : llvm::enumerate(access.indices)) {
        element[d] = shape[d] == 1 ? 0 : index.at(point);
        inside &= element[d] >= 0 && element[d] < buffer.covered(d);
      }
      if (!inside)
        continue;
      bool takesPart = true, isElement = true;
      for (auto [d, extent] : llvm::enumerate(extents))
        takesPart &= point[d] < extent;
      for (auto [d, extent] : llvm::enumerate(shape))
        isElement &= element[d] < extent;
      // The register of this thread that holds the element, if any.
      std::optional<int64_t> slot = buffer.slotIn(t, element);
      if (!takesPart && isElement) {
        if (slot)
          spared.push_back({r, *slot});
        continue;
      }
      if (!slot || (slots[r] >= 0 && slots[r] != *slot))
        return failure();
      slots[r] = *slot;
    }
  }
  // One register cannot be written for some lanes only.
  if (access.writes)
    for (auto [r, slot] : spared)
      if (slots[r] == slot)
        return failure();
  return slots;
}

std::optional<std::pair<int64_t, int64_t>>
tile::getBroadcast(const Access &access, const Layout &buffer,
                   int64_t threads) {
  constexpr int64_t kWave = 64;
  if (!isa_and_nonnull<LoadOp>(access.op) || access.writes)
    return std::nullopt;
  auto shape = cast<MemRefType>(access.buffer.getType()).getShape();
  SmallVector<int64_t, 4> element;
  for (auto [index, extent] : llvm::zip(access.indices, shape)) {
    if (!index.isUniform() || index.uniform || index.constant < 0 ||
        index.constant >= extent)
      return std::nullopt;
    element.push_back(index.constant);
  }
  // The lowest register, then the lowest lane, of those that every wavefront
  // has it in.
  std::optional<std::pair<int64_t, int64_t>> best;
  for (int64_t lane = 0; lane < std::min(threads, kWave); ++lane) {
    std::optional<int64_t> slot = buffer.slotIn(lane, element);
    for (int64_t first = kWave; first < threads && slot; first += kWave)
      if (first + lane >= threads ||
          buffer.slotIn(first + lane, element) != slot)
        slot.reset();
    if (slot && (!best || *slot < best->first))
      best = {*slot, lane};
  }
  return best;
}
