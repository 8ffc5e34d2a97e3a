//===- SwizzleLDS.cpp - Lay shared buffers out without conflicts ----------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sets `layout` on shared allocs: the order of dimensions in LDS and the XOR
// that spreads rows over the banks; and, where the first choice of lanes for
// the copies that fill a buffer cannot be served, other lanes for those copies.
//
// 1. Collect the accesses of the buffer: which element each register of each
//    lane moves, from the layouts that tile-infer-layouts chose for gemm
//    operands, copies, fills and parallels.
// 2. Orders (elementOrders). A buffer that a gemm reads has that gemm's k
//    innermost, in the order in which a lane's registers hold it, so that one
//    16-byte read feeds the matrix core: a V tile stored key-major ends up
//    key-contiguous.
// 3. For each order, solve for an XOR that keeps the lanes of every phase of
//    every access in different banks (SwizzleSolver: found, or known not to
//    exist). Of the orders that have one, that of the fewest instructions and
//    then of the fewest address registers is taken.
// 4. If none has: the same with other lanes for the copies (copyLaneMaps), then
//    with padding if LDS suffices. Else the cheapest by the bank model, with a
//    remark.
//
//   %K = tile.alloc : memref<64x128xf16, #tile.space<shared>>
// becomes
//   %K = tile.alloc {layout = #tile.layout<[64:m128], [128:m1], xor(7, 7, 3)>}
//
// A layout that the program gives (T.annotate_layout) is kept, and priced.
// Buffers with an alias keep their row-major order, which the alias shows.
//
//===----------------------------------------------------------------------===//

#include "CopyLanes.h"
#include "Liveness.h"
#include "SwizzleCandidates.h"
#include "ThreadAccesses.h"
#include "tlc/Dialect/Tile/Transforms/Passes.h"
#include "tlc/Dialect/Tile/Transforms/TileAccess.h"
#include "tlc/Layout/BankModel.h"
#include "tlc/Layout/Swizzle.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

namespace tlc::tile {
#define GEN_PASS_DEF_TILESWIZZLELDS
#include "tlc/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tlc::tile

namespace {
/// What an op touches of the buffer, register by register and lane by lane, and
/// how often: eight times as often for each loop around it.
struct BufferAccess {
  HeldElements held;
  LdsDirection direction;
  int64_t weight;
};

/// A layout on trial.
struct Choice {
  Layout layout;
  int64_t conflicts = 0; ///< cycles, weighted by loops
  int64_t cycles = 0;    ///< with the conflicts
  int64_t instructions = 0;
  int64_t addresses = 0; ///< registers that hold different ones

  bool betterThan(const Choice &o) const {
    return std::tie(conflicts, cycles, instructions, addresses) <
           std::tie(o.conflicts, o.cycles, o.instructions, o.addresses);
  }
};
} // namespace

/// Loops weigh eightfold.
static int64_t weightOf(Operation *op) {
  int64_t weight = 1;
  for (Operation *p = op->getParentOp(); p && !isa<KernelOp>(p);
       p = p->getParentOp())
    if (isa<LoopLikeOpInterface>(p) && weight < 4096)
      weight *= 8;
  return weight;
}

/// What the first `threads` threads touch of `access`'s buffer, which has
/// `shape`, when they run over `points` as `layout` says. Indices outside are
/// clamped, as loads are.
static HeldElements touched(const Access &access, const Layout &layout,
                            ArrayRef<int64_t> points, int64_t threads,
                            ArrayRef<int64_t> shape) {
  auto type = cast<MemRefType>(access.buffer.getType());
  HeldElements held;
  held.registers = layout.numRegisters();
  held.threads = threads;
  held.exists.resize(held.registers);
  held.elements.reserve(held.registers * threads);
  SmallVector<bool> owner;
  for (int64_t t = 0; t < threads; ++t)
    owner.push_back(!access.writes || layout.isOwner(t));
  PointTable table(layout, threads, held.registers);
  SmallVector<int64_t, 4> point(points.size());
  ArrayRef<int64_t> extents = access.writes ? shape : type.getShape();
  for (int64_t r = 0; r < held.registers; ++r)
    for (int64_t t = 0; t < threads; ++t) {
      bool isPoint = table.at(t, r, point), inside = isPoint;
      int64_t element = 0;
      for (size_t p = 0; p < point.size() && isPoint; ++p)
        inside &= point[p] < points[p];
      for (size_t d = 0; d < shape.size() && isPoint; ++d) {
        const PointIndex &form = access.indices[d];
        int64_t i = form.constant;
        for (auto [p, c] : llvm::enumerate(form.coeffs))
          if (c)
            i += c * point[p];
        // The linear number of the element, row by row.
        element = element * shape[d] + clampedIndex(i, extents[d]);
      }
      held.elements.push_back(element);
      // Loads run for clamped points too; stores only where there is a point,
      // and only once for replicas.
      held.active.push_back((inside || (isPoint && !access.writes)) &&
                            owner[t]);
      if (inside)
        held.exists[r] = true;
    }
  return held;
}

/// Equal accesses are one that weighs as much: unrolled loops repeat theirs.
static void addTo(SmallVectorImpl<BufferAccess> &accesses,
                  const BufferAccess &access) {
  for (BufferAccess &other : accesses)
    if (other.direction == access.direction &&
        other.held.registers == access.held.registers &&
        other.held.threads == access.held.threads &&
        other.held.elements == access.held.elements &&
        other.held.active == access.held.active) {
      other.weight += access.weight;
      return;
    }
  accesses.push_back(access);
}

/// Accesses whose lanes are known: by gemms, by loops over points, and, beside
/// these and if wanted, by code per thread.
static SmallVector<BufferAccess> collect(AllocOp alloc, KernelOp kernel,
                                         int64_t threads,
                                         ArrayRef<int64_t> shape,
                                         bool perThread) {
  auto type = cast<MemRefType>(alloc.getType());
  SmallVector<BufferAccess> result;
  kernel.walk([&](Operation *op) {
    if (auto gemm = dyn_cast<GemmOp>(op)) {
      for (unsigned operand : {0, 1}) {
        Access access = getOperandAccess(gemm, operand);
        if (access.buffer != alloc.getResult() || !gemm.getMfma())
          continue;
        int64_t rows = operand == 0 ? gemm.getM() : gemm.getN();
        addTo(result, {touched(access, getOperandLayout(gemm, operand),
                               {rows, gemm.getK()}, threads, shape),
                       LdsDirection::Read, weightOf(op)});
      }
      return;
    }
    if (!isa<CopyOp, FillOp, ParallelOp>(op))
      return;
    auto layout = op->getAttrOfType<LayoutAttr>("layout");
    if (!layout)
      return;
    for (const Access &access : getPointAccesses(op)) {
      if (access.buffer != alloc.getResult() ||
          llvm::any_of(access.indices,
                       [](const PointIndex &i) { return !i.known; }))
        continue;
      SmallVector<int64_t> points = getPoints(op);
      if (access.writes)
        for (auto [d, index] : llvm::enumerate(access.indices))
          if (int p = index.getDim(); p >= 0 && points[p] == type.getDimSize(d))
            points[p] = std::min(shape[d], layout.getLayout().covered(p));
      HeldElements held =
          touched(access, layout.getLayout(), points, threads, shape);
      if (access.reads)
        addTo(result, {held, LdsDirection::Read, weightOf(op)});
      if (access.writes)
        addTo(result, {held, LdsDirection::Write, weightOf(op)});
    }
  });
  if (perThread && !result.empty())
    for (ThreadAccess &access : threadAccesses(alloc, kernel, threads, shape))
      addTo(result, {access.held,
                     access.writes ? LdsDirection::Write : LdsDirection::Read,
                     weightOf(access.op)});
  return result;
}

//===----------------------------------------------------------------------===//
// One buffer
//===----------------------------------------------------------------------===//

namespace {
class BufferSwizzle {
public:
  BufferSwizzle(AllocOp alloc, KernelOp kernel)
      : alloc(alloc), kernel(kernel), type(cast<MemRefType>(alloc.getType())),
        elementBytes(getElementBytes(type)), shape(type.getShape()) {
    setRows();
  }

  void run();
  void priceGiven();

private:
  using Instructions = SmallVector<std::vector<LdsInstruction>, 4>;

  Instructions instructions(ArrayRef<BufferAccess> accesses,
                            const Layout &layout) const;
  Choice priced(ArrayRef<BufferAccess> accesses, const Layout &layout) const;
  std::optional<Layout> solve(ArrayRef<BufferAccess> accesses,
                              const ElementOrder &order, bool mayGrow) const;
  std::optional<Choice> withoutConflicts(ArrayRef<BufferAccess> accesses,
                                         bool mayGrow) const;
  std::optional<Choice> tryLanes(bool mayGrow);
  void setRows();
  SmallVector<BufferAccess> collect(int64_t threads,
                                    bool perThread = false) const {
    return ::collect(alloc, kernel, threads, shape, perThread);
  }
  int64_t numElements() const {
    return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                           std::multiplies<>());
  }
  bool isLarger(const Layout &layout) const {
    return layout.span(tlc::Place::Memory) > numElements();
  }
  bool fits(const Layout &layout) const;
  void remarkConflicts(const Choice &choice, StringRef what);
  void set(const Layout &layout) const {
    AllocOp(alloc).setLayoutAttr(LayoutAttr::get(alloc->getContext(), layout));
  }

  mutable AllocOp alloc; ///< ops' accessors are not const
  mutable KernelOp kernel;
  MemRefType type;
  int64_t elementBytes;
  SmallVector<int64_t> shape; ///< the alloc's, rows perhaps rounded up
  std::vector<ElementOrder> orders;
};
} // namespace

/// Rows of the tile in LDS: where the lanes of a copy in a loop reach beyond
/// the last, there is room for what they bring, if LDS has it, so that they
/// need no branch.
void BufferSwizzle::setRows() {
  shape.assign(type.getShape().begin(), type.getShape().end());
  if (std::optional<unsigned> d = rowDim(alloc)) {
    int64_t rows = shape[*d];
    for (const BufferUse &use : getAllUses(alloc.getResult())) {
      auto copy = dyn_cast<CopyOp>(use.op);
      if (!copy || !use.write || !copy.getLayout() || weightOf(copy) == 1)
        continue;
      for (const Access &access : getPointAccesses(copy)) {
        int p = access.buffer == alloc.getResult() && access.writes
                    ? access.indices[*d].getDim()
                    : -1;
        if (p >= 0 && getPoints(copy)[p] == type.getDimSize(*d))
          rows = std::max(rows, copy.getLayout()->getLayout().covered(p));
      }
    }
    shape[*d] = rows;
    if (rows > type.getDimSize(*d) && !fits(Layout::rowMajor(shape)))
      shape[*d] = type.getDimSize(*d);
  }
  orders = elementOrders(alloc, shape);
}

BufferSwizzle::Instructions
BufferSwizzle::instructions(ArrayRef<BufferAccess> accesses,
                            const Layout &layout) const {
  // The place of each element, once: a sum over the dimensions, then the XORs.
  std::vector<int64_t> places = {0};
  places.reserve(numElements());
  for (auto [d, extent] : llvm::enumerate(shape)) {
    SmallVector<int64_t> along;
    for (int64_t i = 0; i < extent; ++i) {
      int64_t rest = i, &place = along.emplace_back(0);
      for (const Digit &digit : layout.dim(d)) {
        place += digit.counted(rest % digit.extent) * digit.stride;
        rest /= digit.extent;
      }
    }
    std::vector<int64_t> outer = std::move(places);
    places.clear();
    places.reserve(numElements());
    for (int64_t o : outer)
      for (int64_t i : along)
        places.push_back(o + i);
  }
  for (const XorTerm &x : layout.xorTerms())
    for (int64_t &place : places)
      place = x.apply(place);
  // Copies of a tile and other leading dimensions begin where their stride
  // says: an access is no wider than what they are aligned to.
  int64_t alignment = 16;
  for (unsigned d = 0; d < layout.rank(); ++d)
    if (d + 2 < layout.rank() && !layout.dim(d).empty())
      alignment =
          std::gcd(alignment, layout.dim(d).back().stride * elementBytes);
  Instructions result;
  for (const BufferAccess &access : accesses)
    result.push_back(instructionsOf(
        access.held, [&](int64_t element) { return places[element]; },
        elementBytes, alignment, access.direction));
  return result;
}

/// Cycles of all accesses by the bank model, weighted, for the choice among
/// orders.
Choice BufferSwizzle::priced(ArrayRef<BufferAccess> accesses,
                             const Layout &layout) const {
  Choice choice;
  choice.layout = layout;
  for (auto [access, list] :
       llvm::zip_equal(accesses, instructions(accesses, layout))) {
    AccessCost cost = priceAccess(list);
    choice.conflicts += cost.conflicts * access.weight;
    choice.cycles += cost.cycles * access.weight;
    choice.instructions += cost.instructions * access.weight;
    // Instructions whose lanes differ by a constant share an address.
    llvm::DenseSet<llvm::hash_code> bases;
    for (const LdsInstruction &inst : list) {
      SmallVector<uint32_t, kWaveSize> apart;
      for (uint32_t a : inst.addresses)
        apart.push_back(a - inst.addresses[0]);
      bases.insert(llvm::hash_combine_range(apart));
    }
    choice.addresses += bases.size();
  }
  return choice;
}

/// The order with an XOR that keeps all accesses apart. Copies of the tile must
/// not differ in the bits that the XOR reads; with `mayGrow` they move apart
/// for that, by what LDS has.
std::optional<Layout> BufferSwizzle::solve(ArrayRef<BufferAccess> accesses,
                                           const ElementOrder &order,
                                           bool mayGrow) const {
  constexpr int64_t kLine = kLdsBanks * 4;
  Instructions lists = instructions(accesses, order.layout({}));
  unsigned granule = 4;
  // The XOR moves granules, the widest access of the buffer: a narrower one
  // would tear it apart. A 12-byte access counts as 16.
  for (const auto &list : lists)
    for (const LdsInstruction &inst : list)
      granule = std::max(granule, inst.bytes == 12 ? 16 : inst.bytes);
  if (int64_t(granule) < elementBytes)
    return std::nullopt;
  SwizzleSolver solver(granule);
  for (const auto &list : lists)
    for (const LdsInstruction &inst : list)
      solver.addAccess(inst.direction, inst.bytes, inst.addresses, inst.active);
  // Bits of the line number that the XOR may read: those the tile has. Copies
  // must agree on them, unless they may move apart.
  int64_t bytes = order.span() * elementBytes;
  unsigned bits = llvm::Log2_64_Ceil(llvm::divideCeil(bytes, kLine));
  if (order.isRepeated() && !mayGrow)
    bits = std::min<unsigned>(
        bits, bytes % kLine ? 0 : llvm::countr_zero(uint64_t(bytes / kLine)));
  auto xors = solver.solve(bits, elementBytes);
  if (!xors)
    return std::nullopt;
  int64_t alignment = 1;
  // Copies begin at multiples of what the XOR reads.
  for (const XorTerm &x : *xors)
    alignment = std::max<int64_t>(
        alignment, llvm::PowerOf2Ceil((x.mask << x.shiftRight) + 1));
  Layout layout = order.layout(*xors, alignment);
  if (isLarger(layout) && !(mayGrow && fits(layout)))
    return std::nullopt;
  return layout;
}

/// The best of the orders that have no conflict.
std::optional<Choice>
BufferSwizzle::withoutConflicts(ArrayRef<BufferAccess> accesses,
                                bool mayGrow) const {
  std::optional<Choice> best;
  for (const ElementOrder &order : orders) {
    if (order.span() > numElements() && (!mayGrow || best))
      continue;
    std::optional<Layout> layout = solve(accesses, order, mayGrow);
    if (!layout)
      continue;
    Choice choice = priced(accesses, *layout);
    if (choice.conflicts == 0 && (!best || choice.betterThan(*best)))
      best = choice;
  }
  return best;
}

/// Bytes of LDS that leave as many workgroups a place on a compute unit as
/// there are for `bytes`, as long as SIMDs have no more than two of their
/// wavefronts: those hide what conflicts cost.
static int64_t roomOf(int64_t bytes, int64_t threads) {
  constexpr int64_t kSimds = 4, kMostWaves = 2;
  int64_t groups = kLdsBytes / std::max<int64_t>(bytes, 1);
  int64_t useful = llvm::divideCeil(kMostWaves * kSimds * kWaveSize, threads);
  return kLdsBytes / std::clamp<int64_t>(groups, 1, useful);
}

/// Whether the kernel still fits with `layout` on the buffer, beside as many
/// others.
bool BufferSwizzle::fits(const Layout &layout) const {
  auto old = alloc.getLayoutAttr();
  auto bytesNow = [&] {
    auto buffers = getLiveBuffers(kernel, /*reuseInLoops=*/false);
    return planLds(buffers);
  };
  int64_t before = bytesNow();
  set(layout);
  bool result = bytesNow() <= roomOf(before, kernel.getNumThreads());
  if (old)
    alloc.setLayoutAttr(old);
  else
    alloc.removeLayoutAttr();
  return result;
}

/// Other lanes for the copies that fill the buffer, until an order serves.
std::optional<Choice> BufferSwizzle::tryLanes(bool mayGrow) {
  std::optional<FreeCopies> copies = findFreeCopies(alloc);
  if (!copies)
    return std::nullopt;
  Layout first = copies->writes.front().getLayout()->getLayout();
  int64_t threads = kernel.getNumThreads();
  bool transposes = innermostDim(alloc) + 1 != type.getShape().size();
  // Memory's side of a copy may have narrower or wider elements than LDS.
  auto source = cast<MemRefType>(copies->writes.front().getSrc().getType());
  int64_t bytes = std::max(elementBytes, getElementBytes(source));
  for (const Layout &lanes :
       copyLaneMaps(copies->points, threads, bytes, transposes)) {
    copies->setLayout(lanes);
    setRows();
    // What one wavefront alone cannot do, all cannot.
    auto first = withoutConflicts(collect(kWaveSize), mayGrow);
    if (!first || threads == kWaveSize) {
      if (first)
        return first;
      continue;
    }
    auto accesses = collect(threads);
    Choice all = priced(accesses, first->layout);
    if (all.conflicts == 0)
      return all;
    if (auto choice = withoutConflicts(accesses, mayGrow))
      return choice;
  }
  copies->setLayout(first);
  setRows();
  return std::nullopt;
}

/// Sets the layout that costs least; only a buffer with no access of known
/// lanes stays as it is. Trying one wavefront before all keeps the search fast:
/// its accesses are a quarter of the usual workgroup's.
void BufferSwizzle::run() {
  // With the accesses of code per thread, where these leave a choice.
  auto own = collect(kWaveSize, /*perThread=*/true);
  if (own.size() > collect(kWaveSize).size())
    if (auto best = withoutConflicts(own, /*mayGrow=*/false);
        best &&
        priced(collect(kernel.getNumThreads(), true), best->layout).conflicts ==
            0)
      return set(best->layout);
  // One wavefront mostly stands for all.
  for (int64_t threads : {int64_t(kWaveSize), kernel.getNumThreads()}) {
    auto accesses = collect(threads);
    if (accesses.empty())
      return;
    auto best = withoutConflicts(accesses, /*mayGrow=*/false);
    if (!best)
      continue;
    if (threads == kernel.getNumThreads() ||
        priced(collect(kernel.getNumThreads()), best->layout).conflicts == 0)
      return set(best->layout);
  }
  auto accesses = collect(kernel.getNumThreads());
  // Padding comes last: it may cost a workgroup's place in LDS.
  for (bool mayGrow : {false, true}) {
    if (mayGrow)
      if (auto best = withoutConflicts(accesses, mayGrow))
        return set(best->layout);
    if (auto best = tryLanes(mayGrow))
      return set(best->layout);
  }
  // Nothing serves: the cheapest.
  std::optional<Choice> best;
  for (const ElementOrder &order : orders) {
    Layout layout = order.layout({});
    if (best && isLarger(layout) && !fits(layout))
      continue;
    Choice choice = priced(accesses, layout);
    if (!best || choice.betterThan(*best))
      best = choice;
  }
  set(best->layout);
  remarkConflicts(*best, "' keeps bank conflicts, ");
}

void BufferSwizzle::remarkConflicts(const Choice &choice, StringRef what) {
  if (choice.conflicts)
    alloc.emitRemark("LDS: '")
        << alloc.getName().value_or("") << what
        << choice.conflicts * 100 / choice.cycles << " % of its LDS cycles";
}

/// What a layout that the program gives costs.
void BufferSwizzle::priceGiven() {
  remarkConflicts(
      priced(collect(kernel.getNumThreads()), alloc.getLayout()->getLayout()),
      "' as the program lays it out has bank conflicts, ");
}

/// Whether the layout that the program gives is one under every shape that the
/// tile is seen under.
static LogicalResult checkAliases(AllocOp alloc) {
  SmallVector<Value> todo = {alloc};
  while (!todo.empty())
    for (Operation *user : todo.pop_back_val().getUsers()) {
      auto alias = dyn_cast<AliasOp>(user);
      if (!alias)
        continue;
      if (!getSharedLayout(alias)) {
        InFlightDiagnostic error =
            alias.emitError("the layout of '")
            << alloc.getName().value_or("")
            << "' tears apart what is one element, or one dimension, here";
        error.attachNote(alloc.getLoc()) << "the buffer is declared here";
        return error;
      }
      todo.push_back(alias);
    }
  return success();
}

namespace {
struct SwizzleLDS : tlc::tile::impl::TileSwizzleLDSBase<SwizzleLDS> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getBody().getOps<KernelOp>()) {
      // Layouts take no less LDS: what does not fit now never will, and the
      // search is the longest part of these passes.
      if (failed(checkLds(kernel, kLdsBytes)))
        return signalPassFailure();
      for (AllocOp alloc : getAllocs(kernel, Space::Shared)) {
        bool seenOtherwise =
            llvm::any_of(alloc->getUsers(),
                         [](Operation *user) { return isa<AliasOp>(user); });
        if (alloc.getLayout()) {
          if (failed(checkAliases(alloc)))
            return signalPassFailure();
          BufferSwizzle(alloc, kernel).priceGiven();
        } else if (!seenOtherwise) {
          BufferSwizzle(alloc, kernel).run();
        }
      }
    }
  }
};
} // namespace
