//===- LayoutInference.cpp - Anchors and propagation of layouts -*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See InferLayouts.cpp for the algorithm.
//
//===----------------------------------------------------------------------===//

#include "LayoutInference.h"
#include "BufferUse.h"
#include "mlir/IR/Matchers.h"
#include "tlc/Dialect/Tile/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

AllocOp LayoutInference::fragmentOf(Value buffer) {
  auto alloc = buffer.getDefiningOp<AllocOp>();
  return alloc && getSpace(buffer) == Space::Fragment ? alloc : AllocOp();
}

std::optional<Layout> LayoutInference::layoutOf(Value buffer) {
  return getFragmentLayout(buffer);
}

void LayoutInference::setLayout(AllocOp alloc, const Layout &layout) {
  alloc.setLayoutAttr(LayoutAttr::get(alloc.getContext(), layout));
}

static ArrayRef<int64_t> shapeOf(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getShape();
}
static int64_t bitsOf(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getElementTypeBitWidth();
}

/// `matrix` laid out over the last two dimensions of a buffer whose leading
/// dimensions have extent 1.
// Leading dimensions hold one element: no digits.
static Layout expandTo(const Layout &matrix, Value buffer) {
  SmallVector<Layout::Digits> dims(shapeOf(buffer).size() - 2);
  for (unsigned d = 0; d < matrix.rank(); ++d)
    dims.emplace_back(matrix.dim(d));
  return Layout(dims);
}

//===----------------------------------------------------------------------===//
// Anchors
//===----------------------------------------------------------------------===//

/// Fragments that hold C's elements in C's places: reached by copies between
/// fragments and by parallel loops that use the same indices.
static SmallVector<Value> relatedFragments(Value c) {
  SmallVector<Value> related = {c};
  for (size_t i = 0; i < related.size(); ++i) {
    for (Operation *user : related[i].getUsers()) {
      auto add = [&](Value v) {
        if (v.getDefiningOp<AllocOp>() && getSpace(v) == Space::Fragment &&
            shapeOf(v) == shapeOf(c) && !llvm::is_contained(related, v))
          related.push_back(v);
      };
      if (auto copy = dyn_cast<CopyOp>(user)) {
        add(copy.getSrc());
        add(copy.getDst());
      } else if (auto parallel = user->getParentOfType<ParallelOp>()) {
        for (const Access &access : getPointAccesses(parallel))
          if (access.isPlain() && access.writes)
            add(access.buffer);
      }
    }
  }
  return related;
}

/// Gemms whose result becomes the A of another, and that other one, give each
/// wavefront whole rows, so that A stays where C was. Gemms that work on the
/// same results follow. Columns that the program asks for stay, unless LDS is
/// short: T.GemmWarpPolicy.Square is the default, and leaves the choice open.
static void chainByRows(ArrayRef<GemmOp> gemms, int64_t waves, bool isShort) {
  llvm::SmallPtrSet<Operation *, 8> rows;
  auto enough = [&](GemmOp gemm) {
    return gemm.getM() >= 16 * waves &&
           (isShort || gemm.getPolicy() != WarpPolicy::FullCol);
  };
  llvm::DenseMap<Operation *, SmallVector<Value>> related;
  for (GemmOp gemm : gemms)
    related[gemm] = relatedFragments(gemm.getC());
  for (GemmOp gemm : gemms)
    for (GemmOp next : gemms)
      if (next != gemm && !next.getTransA() && enough(gemm) && enough(next) &&
          llvm::is_contained(related[gemm], next.getA())) {
        rows.insert(gemm);
        rows.insert(next);
      }
  bool changed = !rows.empty();
  while (changed) {
    changed = false;
    for (GemmOp gemm : gemms)
      if (!rows.contains(gemm) && enough(gemm) &&
          llvm::any_of(gemms, [&](GemmOp other) {
            return rows.contains(other) &&
                   llvm::is_contained(related[other], gemm.getC());
          }))
        changed = rows.insert(gemm).second;
  }
  for (GemmOp gemm : gemms) {
    if (!rows.contains(gemm) || gemm.getPolicy() == WarpPolicy::FullRow)
      continue;
    gemm.setPolicy(WarpPolicy::FullRow);
    gemm.emitRemark("wavefronts take rows of the result here, so that it feeds "
                    "the next product in registers");
  }
}

/// Sets `mfma` on every gemm and the accumulator layout on every C. Fails with
/// TL0602 where gfx942 has no instruction for the types.
LogicalResult LayoutInference::anchorGemms() {
  SmallVector<GemmOp> gemms;
  kernel.walk([&](GemmOp gemm) { gemms.push_back(gemm); });
  chainByRows(gemms, threads / 64, kernel->hasAttr(kLdsReserveAttr));
  // Gemms with the same M share an instruction shape, so that the result of
  // one can feed the next where it is.
  llvm::MapVector<int64_t, std::array<double, 2>> costs;
  SmallVector<GemmTypes> types;
  SmallVector<WantedRuns> runs = wantedRuns(kernel, gemms);
  for (auto [gemm, run] : llvm::zip_equal(gemms, runs)) {
    FailureOr<GemmTypes> t = getGemmTypes(gemm);
    if (failed(t))
      return gemm.emitError("gfx942 has no matrix instruction for ")
             << cast<MemRefType>(gemm.getA().getType()).getElementType()
             << " x "
             << cast<MemRefType>(gemm.getB().getType()).getElementType()
             << " into "
             << cast<MemRefType>(gemm.getC().getType()).getElementType()
             << " [TL0602]";
    types.push_back(*t);
    auto &cost = costs[gemm.getM()];
    cost[0] += chooseGemmConfig(gemm, *t, threads, 32, run).cost;
    cost[1] += chooseGemmConfig(gemm, *t, threads, 16, run).cost;
  }
  for (auto [gemm, t, run] : llvm::zip_equal(gemms, types, runs)) {
    auto cost = costs[gemm.getM()];
    int64_t m = cost[0] <= cost[1] ? 32 : 16;
    GemmConfig c = chooseGemmConfig(gemm, t, threads, m, run).config;
    // C, or what becomes of it, may be a transposed A or a B of another gemm:
    // then columns belong in lanes.
    SmallVector<Value> related = relatedFragments(gemm.getC());
    c.swapped = !feedsAtomics(related);
    for (Value v : related)
      for (Operation *user : v.getUsers())
        if (auto next = dyn_cast<GemmOp>(user))
          if ((next.getA() == v && next.getTransA()) ||
              (next.getB() == v && !next.getTransB()))
            // An operand read across k cannot take the exchanged result in
            // place.
            c.swapped = false;
    gemm.setMfmaAttr(builder.getDenseI64ArrayAttr(
        {c.m, c.m, c.k, c.wavesM, c.wavesN, c.swapped}));
  }
  setRuns(kernel, gemms, runs);
  for (GemmOp gemm : gemms) {
    AllocOp alloc = fragmentOf(gemm.getC());
    assert(alloc && "normalize() makes C a whole fragment");
    if (!alloc.getLayout())
      setLayout(alloc, expandTo(getAccumulatorLayout(gemm), gemm.getC()));
  }
  return success();
}

/// A fragment accessed outside of any parallel loop has no points to spread:
/// each thread holds all of it.
void LayoutInference::fixFloatingFragments() {
  kernel.walk([&](Operation *op) {
    Value buffer;
    if (auto load = dyn_cast<LoadOp>(op))
      buffer = load.getSource();
    else if (auto store = dyn_cast<StoreOp>(op))
      buffer = store.getDest();
    if (!buffer || op->getParentOfType<ParallelOp>())
      return;
    if (AllocOp alloc = fragmentOf(buffer); alloc && !alloc.getLayout())
      setLayout(alloc, Layout::replicated(shapeOf(buffer)));
  });
}

//===----------------------------------------------------------------------===//
// Propagation
//===----------------------------------------------------------------------===//

/// Of several fragments that cover the loop, one that it writes decides (a
/// store must reach every copy), then one whose last thread owns elements, that
/// is without replicas. A layout that the program gave the loop comes first.
std::optional<Layout> LayoutInference::layoutFromFragments(Operation *op) {
  if (auto given = op->getAttrOfType<LayoutAttr>(kLoopLayoutAttr))
    return given.getLayout();
  SmallVector<int64_t> points = getPoints(op);
  std::optional<Layout> best;
  int bestScore = -1;
  std::vector<Access> accesses = getPointAccesses(op);
  for (const Access &access : accesses) {
    std::optional<Layout> layout = layoutOf(access.buffer);
    if (!layout || !access.isPlain())
      continue;
    SmallVector<Layout::Digits> dims(points.size());
    SmallVector<bool> covered(points.size());
    for (auto [d, index] : llvm::enumerate(access.indices))
      // The point's dimension takes the digits of the buffer's dimension that
      // it indexes.
      if (int dim = index.getDim(); dim >= 0) {
        dims[dim] = Layout::Digits(layout->dim(d));
        covered[dim] = layout->covered(d) >= points[dim];
      }
    bool complete = true;
    for (auto [extent, c] : llvm::zip_equal(points, covered))
      complete &= c || extent == 1;
    if (!complete)
      continue;
    // A dimension of one element whose padding is spread over threads, as that
    // of a product with one column: those threads have nothing to do here,
    // which is what points beyond the extents say.
    for (auto [d, index] : llvm::enumerate(access.indices))
      if (index.getDim() < 0 && !dims.empty())
        for (const Digit &digit : layout->dim(d))
          if (digit.place == Place::Thread)
            dims[0].push_back(digit);
    int score =
        (access.writes ? 2 : 0) + (layout->isOwner(threads - 1) ? 1 : 0);
    if (score > bestScore) {
      best = Layout(dims, {}, layout->threadXorTerms()).compactRegisters();
      bestScore = score;
    }
  }
  return best;
}

/// A copy between a fragment and an n-th of another's columns: the whole is the
/// part with one more register digit, so that the copy moves nothing.
bool LayoutInference::propagateThroughPart(CopyOp copy) {
  for (bool swap : {false, true}) {
    Value part = swap ? copy.getDst() : copy.getSrc();
    auto view = (swap ? copy.getSrc() : copy.getDst()).getDefiningOp<ViewOp>();
    if (!view || !fragmentOf(part) || !fragmentOf(view.getSource()))
      continue;
    Value whole = view.getSource();
    ArrayRef<int64_t> a = shapeOf(part), b = shapeOf(whole);
    if (a.size() != b.size() || a.empty() || a.drop_back() != b.drop_back() ||
        b.back() % a.back() || a.back() == b.back())
      continue;
    unsigned last = a.size() - 1;
    int64_t n = b.back() / a.back();
    auto known = layoutOf(part), other = layoutOf(whole);
    // From part to whole: the n parts in further registers.
    if (known && !other && known->covered(last) == a.back()) {
      Layout layout = *known;
      layout.mutableDims()[last].push_back(
          {n, Place::Register, known->numRegisters()});
      setLayout(fragmentOf(whole), layout);
      return true;
    }
    // From whole to part: only where the outermost digit is in registers, so
    // that a part is a range of registers of the same threads.
    if (other && !known && other->covered(last) == b.back()) {
      Layout layout = *other;
      Layout::Digits &digits = layout.mutableDims()[last];
      if (digits.empty() || digits.back().place != Place::Register ||
          digits.back().extent % n)
        continue;
      digits.back().extent /= n;
      if (digits.back().extent == 1)
        digits.pop_back();
      setLayout(fragmentOf(part), layout.compactRegisters());
      return true;
    }
  }
  return false;
}

/// One op, in whichever direction layouts are missing. Returns whether any was
/// set; a layout is never changed again, so that propagation ends.
bool LayoutInference::propagateThrough(Operation *op) {
  bool changed = false;
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    auto src = layoutOf(reduce.getSrc());
    AllocOp dst = fragmentOf(reduce.getDst());
    // A result lives where the reduced rows live, once the lanes along the row
    // have agreed.
    if (src && dst && !dst.getLayout()) {
      Layout result = src->withoutDim(reduce.getDim());
      if (result.rank() < shapeOf(reduce.getDst()).size())
        result = result.withDim(
            shapeOf(reduce.getDst()).size() == 1 ? 0 : reduce.getDim(), {});
      setLayout(dst, result);
      return true;
    }
    return false;
  }
  if (auto copy = dyn_cast<CopyOp>(op))
    if (propagateThroughPart(copy))
      return true;
  std::optional<Layout> loop = layoutFromFragments(op);
  if (!loop)
    return false;
  for (const Access &access : getPointAccesses(op)) {
    AllocOp alloc = fragmentOf(access.buffer);
    if (!alloc || alloc.getLayout())
      continue;
    std::optional<Layout> read;
    if (!access.isPlain() &&
        (access.writes || !(read = layoutOfRead(access, *loop))))
      continue;
    SmallVector<Layout::Digits> dims;
    for (const PointIndex &index : access.indices)
      dims.emplace_back(index.getDim() < 0 ? ArrayRef<Digit>()
                                           : loop->dim(index.getDim()));
    // A loop over part of a buffer says nothing about the rest.
    Layout layout =
        read ? *read
             : Layout(dims, {}, loop->threadXorTerms()).compactRegisters();
    bool whole = true;
    for (auto [d, extent] : llvm::enumerate(shapeOf(access.buffer)))
      whole &= layout.covered(d) >= extent;
    if (!whole)
      continue;
    setLayout(alloc, layout);
    changed = true;
  }
  return changed;
}

/// To a fixed point: at most as many rounds as fragments.
void LayoutInference::propagate() {
  SmallVector<Operation *> ops;
  kernel.walk([&](Operation *op) {
    if (isa<ParallelOp, CopyOp, FillOp, ReduceOp>(op))
      ops.push_back(op);
  });
  bool changed = true;
  while (changed) {
    changed = false;
    for (Operation *op : ops)
      changed |= propagateThrough(op);
  }
}

//===----------------------------------------------------------------------===//
// Free choices
//===----------------------------------------------------------------------===//

/// The widest vector of at most 16 bytes that divides the inner extent and
/// leaves every thread something to do.
static int64_t vectorWidth(ArrayRef<int64_t> points, int64_t bits,
                           int64_t threads) {
  int64_t total = 1;
  for (int64_t extent : points)
    total *= extent;
  int64_t width = std::max<int64_t>(1, 128 / bits);
  while (width > 1 &&
         // Halving the width doubles the threads with work.
         (points.back() % width || total / width < std::min(total, threads)))
    width /= 2;
  return width;
}

/// A copy of rows x cols from memory to an LDS tile that gemms read across its
/// rows: both sides keep wide accesses.
Layout LayoutInference::transposingLayout(CopyOp copy,
                                          ArrayRef<int64_t> points) {
  // LDS wants k (the rows here) contiguous, memory has the columns contiguous:
  // a thread takes a 4 x w block, w columns by one load for each of 4 rows,
  // and writes w groups of four k. Lane bit 3 selects the k group that shares
  // a 16-byte chunk with the first, so that 16 lanes reach all banks.
  int64_t rows = points[0], cols = points[1];
  int64_t w =
      rows * cols >= threads * 32 && bitsOf(copy.getDst()) == 16 ? 8 : 4;
  while (w > 1 && (cols % w || rows * cols < threads * 4 * w))
    w /= 2;
  int64_t left = cols / w, room = threads, thread = 1, reg = w;
  Layout::Digits r, c;
  auto push = [](Layout::Digits &digits, int64_t extent, Place place,
                 int64_t stride) {
    if (extent > 1)
      digits.push_back({extent, place, stride});
  };
  push(c, w, Place::Register, 1);
  push(r, 4, Place::Register, w);
  reg *= 4;
  int64_t groups = rows / 4;
  int64_t low = std::gcd(left, int64_t(8));
  push(c, low, Place::Thread, 1);
  thread *= low;
  bool split = groups % 4 == 0 && room / thread >= 4;
  int64_t pairStride = thread;
  if (split)
    thread *= 2; // reserved for the k group two further
  // As many column blocks in threads as divide what is left of the row; of the
  // threads, a power of two is set aside for them: of 7 blocks in 8 threads,
  // one is loaded twice.
  int64_t rest = std::min(left / low, room / thread), aside = 0;
  for (;; --rest) {
    aside = llvm::PowerOf2Ceil(rest);
    if ((left / low) % rest == 0 && (room / thread) % aside == 0)
      break;
  }
  push(c, rest, Place::Thread, thread);
  thread *= aside;
  push(c, left / low / rest, Place::Register, reg);
  reg *= left / low / rest;
  if (split) {
    int64_t a = room / thread >= 2 ? 2 : 1;
    push(r, a, Place::Thread, thread);
    if (a == 1)
      push(r, 2, Place::Register, reg), reg *= 2;
    thread *= a;
    push(r, 2, Place::Thread, pairStride);
    groups /= 4;
  }
  // What threads remain go over row groups; the rest of the groups are steps of
  // a thread.
  int64_t more = std::min(groups, room / thread);
  while (more > 1 && ((room / thread) % more))
    --more;
  push(r, more, Place::Thread, thread);
  push(r, llvm::divideCeil(groups, more), Place::Register, reg);
  return Layout({r, c});
}

/// The layout of a loop that no fragment ties down: coalesced, 16 bytes a lane
/// where the extents allow, or the transposing one for tiles whose reader wants
/// it.
Layout LayoutInference::freeLayout(Operation *op) {
  SmallVector<int64_t> points = getPoints(op);
  if (points.empty())
    return Layout();
  if (auto copy = dyn_cast<CopyOp>(op))
    if (points.size() == 2 && points[0] % 4 == 0 &&
        bitsOf(copy.getDst()) <= 16 &&
        bitsOf(copy.getDst()) == bitsOf(copy.getSrc()) &&
        getSpace(copy.getDst()) == Space::Shared &&
        getSpace(copy.getSrc()) == Space::Global &&
        wantsTranspose(getBase(copy.getDst())))
      return transposingLayout(copy, points);
  // The widest element sets how many of them make 16 bytes; private arrays do
  // not count.
  int64_t bits = 8;
  for (const Access &access : getPointAccesses(op))
    if (getSpace(access.buffer) != Space::Local)
      bits = std::max(bits, bitsOf(access.buffer));
  int64_t width = vectorWidth(points, bits, threads);
  // An atomic takes one element of each lane.
  if (addsAlongColumns(op))
    width = 1;
  // The program may ask for narrower accesses.
  if (auto parallel = dyn_cast<ParallelOp>(op))
    if (std::optional<uint64_t> most = parallel.getCoalescedWidth())
      while (width > 1 && width > int64_t(*most))
        width /= 2;
  return Layout::coalesced(points, threads, width);
}

namespace {
/// What fragments of one shape that loops and copies tie together ask of their
/// common layout.
struct TiedTiles {
  /// The element width that sets how many elements make 16 bytes: that of
  /// global memory where the tiles only move between it and registers (a 16-bit
  /// tensor held in f32 is loaded eight at a time), else the fragment's.
  int64_t bits = 0;
  int64_t reducedDim = -1; ///< the dimension that a reduction folds, or -1
  /// Dimensions that loops over the threads go through one index at a time, as
  /// rows in `for i in T.serial(rows): for j in T.Parallel(columns)`: what one
  /// such loop needs of all threads must be in their registers.
  SmallVector<bool> held;
  int64_t widest = 0; ///< the widest element of the tiles
};
} // namespace

/// Follows copies and loops from fragment to fragment of the same shape; each
/// op is looked at once. `alone`: only what the fragment's own uses ask.
static TiedTiles tiedTiles(Value fragment, bool alone = false) {
  TiedTiles tied;
  ArrayRef<int64_t> shape = shapeOf(fragment);
  bool staged = false;
  SmallVector<llvm::SmallDenseSet<int64_t>> fixed(shape.size());
  tied.held.assign(shape.size(), false);
  llvm::SetVector<Value> tiles;
  llvm::SmallPtrSet<Operation *, 8> seen;
  tiles.insert(fragment);
  for (unsigned i = 0; i < tiles.size(); ++i) {
    tied.widest = std::max(tied.widest, bitsOf(tiles[i]));
    for (const BufferUse &use : getAllUses(tiles[i])) {
      Operation *op = use.op;
      if (auto parallel = op->getParentOfType<ParallelOp>())
        op = parallel;
      if (auto reduce = dyn_cast<ReduceOp>(op))
        if (reduce.getSrc() == tiles[i])
          tied.reducedDim = reduce.getDim();
      if (!isa<CopyOp, ParallelOp>(op) || !seen.insert(op).second)
        continue;
      for (const Access &access : getPointAccesses(op)) {
        Value base = getBase(access.buffer);
        if (isa<ParallelOp>(op) && shapeOf(access.buffer) == shape &&
            (!alone || base == fragment) &&
            access.indices.size() == shape.size() &&
            getSpace(base) == Space::Fragment) {
          for (auto [d, index] : llvm::enumerate(access.indices)) {
            if (!index.known || !index.isUniform())
              continue;
            if (index.uniform)
              tied.held[d] = shape[d] > 1;
            else
              fixed[d].insert(index.constant);
          }
        }
        if (getSpace(base.getType()) == Space::Global)
          tied.bits = std::max(tied.bits, bitsOf(base));
        else if (getSpace(base.getType()) == Space::Shared)
          staged = true;
        else if (getSpace(base.getType()) == Space::Fragment &&
                 shapeOf(base) == shapeOf(fragment) && !alone)
          tiles.insert(base);
      }
    }
  }
  if (staged || !tied.bits)
    tied.bits = bitsOf(fragment);
  // Most of the indices one by one: an unrolled loop over them. A few are
  // cheaper converted. Loops over the whole take any layout.
  for (auto [d, extent] : llvm::enumerate(shape))
    tied.held[d] |= extent > 1 && int64_t(fixed[d].size()) * 2 > extent;
  return tied;
}

/// All of the dimensions `held` in registers, the others over the threads;
/// nothing if that would take many more registers than elements.
static std::optional<Layout> heldLayout(ArrayRef<int64_t> shape,
                                        ArrayRef<bool> held, int64_t bits,
                                        int64_t threads) {
  SmallVector<int64_t> spread;
  int64_t steps = 1, total = 1;
  for (auto [extent, isHeld] : llvm::zip_equal(shape, held)) {
    (isHeld ? steps : total) *= extent;
    if (!isHeld)
      spread.push_back(extent);
  }
  if (steps == 1 || total == 1)
    return std::nullopt;
  Layout over =
      Layout::coalesced(spread, threads, vectorWidth(spread, bits, threads));
  if (steps * over.numRegisters() >
      std::max<int64_t>(64, 2 * steps * total / threads))
    return std::nullopt;
  SmallVector<Layout::Digits> dims;
  int64_t stride = over.numRegisters();
  unsigned next = 0;
  for (auto [extent, isHeld] : llvm::zip_equal(shape, held)) {
    if (!isHeld) {
      dims.emplace_back(over.dim(next++));
      continue;
    }
    Layout::Digits &digits = dims.emplace_back();
    if (extent > 1)
      digits.push_back({extent, Place::Register, stride});
    stride *= extent;
  }
  return Layout(dims);
}

/// Fragments that loops go through row by row: each such loop would convert
/// another layout, and a copy from or to a product's result converts once.
void LayoutInference::anchorHeld() {
  for (AllocOp alloc : getAllocs(kernel, Space::Fragment)) {
    if (alloc.getLayout())
      continue;
    TiedTiles own = tiedTiles(alloc, /*alone=*/true);
    if (llvm::none_of(own.held, [](bool held) { return held; }))
      continue;
    int64_t widest = tiedTiles(alloc).widest;
    if (auto layout = heldLayout(shapeOf(alloc), own.held, widest, threads))
      setLayout(alloc, *layout);
  }
}

/// A layout for a fragment that nothing anchors: as its writer to LDS wants it,
/// with reduced rows inside one wavefront, or coalesced.
Layout LayoutInference::freeFragmentLayout(AllocOp alloc) {
  Value buffer = alloc.getResult();
  ArrayRef<int64_t> shape = shapeOf(buffer);
  auto [bits, reducedDim, held, widest] = tiedTiles(buffer);
  // Staging for an LDS write is laid out as the write wants it.
  for (Operation *user : buffer.getUsers())
    if (auto copy = dyn_cast<CopyOp>(user))
      if (copy.getSrc() == buffer && getSpace(copy.getDst()) == Space::Shared &&
          shape.size() >= 2 && bitsOf(buffer) <= 16 &&
          getPoints(copy).size() == 2 && getPoints(copy)[0] % 4 == 0 &&
          wantsTranspose(getBase(copy.getDst()))) {
        Layout layout = transposingLayout(copy, getPoints(copy));
        SmallVector<Layout::Digits> dims;
        unsigned next = 0;
        for (int64_t extent : shape)
          dims.emplace_back(extent == 1 ? ArrayRef<Digit>()
                                        : layout.dim(next++));
        return Layout(dims);
      }
  if (auto layout = heldLayout(shape, held, widest, threads))
    return *layout;
  int64_t total = 1;
  for (int64_t extent : shape)
    total *= extent;
  int64_t rank = shape.size();
  // A reduced row stays within one wavefront where there are rows enough.
  if (rank >= 2 && reducedDim == rank - 1 &&
      total / shape.back() >= threads / 64) {
    // With rows to spare, a wavefront takes several for the sake of wider
    // loads and fewer steps across lanes.
    int64_t lanes = std::clamp<int64_t>(threads * shape.back() / total, 1, 64);
    int64_t width = vectorWidth({shape.back()}, bits, lanes);
    Layout row = Layout::coalesced({shape.back()}, 64, width);
    int64_t used = row.span(Place::Thread);
    SmallVector<int64_t> outer(shape.drop_back());
    Layout rows = Layout::coalesced(outer, threads / used, 1);
    SmallVector<Layout::Digits> dims;
    // Lanes of a row come first in the thread's number, its registers first in
    // the register's.
    for (unsigned d = 0; d < rows.rank(); ++d) {
      Layout::Digits digits;
      for (Digit digit : rows.dim(d)) {
        digit.stride *=
            digit.place == Place::Thread ? used : row.numRegisters();
        digits.push_back(digit);
      }
      dims.push_back(digits);
    }
    dims.emplace_back(row.dim(0));
    return Layout(dims);
  }
  return Layout::coalesced(shape, threads, vectorWidth(shape, bits, threads));
}

/// Fixes one fragment and returns true, or returns false if all have layouts:
/// the caller propagates after each, so that the choice reaches as far as it
/// can.
bool LayoutInference::chooseFree() {
  // Operands of gemms first, then the largest fragment.
  AllocOp best;
  int64_t bestSize = -1;
  bool found = false;
  kernel.walk([&](GemmOp gemm) {
    for (unsigned operand : {0, 1}) {
      Value v = operand ? gemm.getB() : gemm.getA();
      AllocOp alloc = fragmentOf(v);
      if (found || !alloc || alloc.getLayout())
        continue;
      setLayout(alloc, expandTo(getOperandBufferLayout(gemm, operand), v));
      found = true;
    }
  });
  if (found)
    return true;
  kernel.walk([&](AllocOp alloc) {
    if (getSpace(alloc.getType()) != Space::Fragment || alloc.getLayout())
      return;
    int64_t size = cast<MemRefType>(alloc.getType()).getNumElements();
    if (size > bestSize) {
      best = alloc;
      bestSize = size;
    }
  });
  if (!best)
    return false;
  setLayout(best, freeFragmentLayout(best));
  return true;
}

/// Fragments whose layout cannot be that of the other shape they are seen under
/// go to LDS, which has no threads.
bool LayoutInference::moveUnshapeable(const DenseSet<Operation *> &given) {
  bool moved = false;
  kernel.walk([&](AliasOp alias) {
    Value base = getBase(alias.getResult());
    if (getSpace(base) != Space::Fragment || layoutOf(alias.getResult()))
      return;
    alias.emitRemark() << "fragment '" << getBufferName(base)
                       << "' lives in LDS: the threads that hold it do not "
                          "fit the shape it is seen under here";
    base.getDefiningOp<AllocOp>().removeLayoutAttr();
    moveTo(base, Space::Shared);
    moved = true;
  });
  if (moved)
    for (AllocOp alloc : getAllocs(kernel, Space::Fragment))
      // What was inferred rested on the fragment that has moved: start anew,
      // keeping what the program gave.
      if (!given.contains(alloc))
        alloc.removeLayoutAttr();
  return moved;
}

/// Repeats from the anchors where a fragment had to move to LDS; each round
/// moves one at least, so that it ends.
LogicalResult LayoutInference::run() {
  DenseSet<Operation *> given;
  for (AllocOp alloc : getAllocs(kernel, Space::Fragment))
    if (alloc.getLayout())
      given.insert(alloc);
  do {
    if (failed(normalize()) || failed(anchorGemms()))
      return failure();
    fixFloatingFragments();
    anchorHeld();
    propagate();
    while (chooseFree())
      propagate();
  } while (moveUnshapeable(given));
  return resolve();
}
