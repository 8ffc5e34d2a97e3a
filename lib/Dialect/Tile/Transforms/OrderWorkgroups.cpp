//===- OrderWorkgroups.cpp - Workgroups that share data meet in one L2 ----===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MI300X has eight XCDs with an L2 of 4 MiB each and deals workgroups to them
// round robin, so that the blocks of one attention head, which all read the
// same keys, land on eight different L2s. This pass chooses an order of
// workgroups (WorkgroupOrder.h) for kernels with a matrix product in a loop:
//
//   * What the loops read from global memory is weighed by the dimensions of
//     the grid that its address does not depend on: along these it is shared.
//     Nothing shared: nothing changes.
//   * Each XCD gets one stretch of the order, dimensions that share come first.
//   * Two dimensions that share different data (rows and columns of a product)
//     are walked in panels, `T.use_swizzle`'s or near-square ones.
//   * Where a loop is longer the larger an index is (causal attention), that
//     index runs from its end, and where it is longer the smaller the index is
//     (its gradients), from its beginning, in panels of the next dimension: the
//     longest workgroups start first, and the last ones to finish are short.
//     Each XCD gets long and short ones alike.
//
// Left alone are kernels with `while` loops, where a workgroup may wait for an
// earlier one, and kernels that deal their index mod 8 out themselves. The
// indices stay a permutation of the grid; the reference does not see it.
//
//   tile.kernel grid(%c32, %heads, %c1) threads[256] (%x, %y, %z) {
//     scf.for %k ... { %t = tile.view %K[%z, %k * 64, %y, 0] ; tile.gemm }
//   }
// becomes
//   tile.kernel ... attributes {tile.order = {dims = array<i64: 0, 1, 2>,
//                               panel = 0, reversed = array<i64>, xcds = 8}}
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "tlc/Dialect/Tile/Transforms/KernelOrder.h"
#include "tlc/Dialect/Tile/Transforms/Passes.h"

#include <numeric>

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

namespace tlc::tile {
#define GEN_PASS_DEF_TILEORDERWORKGROUPS
#include "tlc/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tlc::tile

//===----------------------------------------------------------------------===//
// The attribute
//===----------------------------------------------------------------------===//

static constexpr StringLiteral kOrder = "tile.order";

/// Nothing for the hardware's order; failure, reported at the kernel, for an
/// attribute that is no order.
FailureOr<std::optional<WorkgroupOrder>> tile::getOrder(KernelOp kernel) {
  Attribute noted = kernel->getAttr(kOrder);
  if (!noted)
    return std::optional<WorkgroupOrder>();
  auto malformed = [&]() {
    return kernel.emitError("tile.order must have dims (a permutation of 0, 1, "
                            "2), panel (0 or more), reversed (dimensions) and "
                            "xcds (1 or more)");
  };
  auto attr = dyn_cast<DictionaryAttr>(noted);
  if (!attr)
    return malformed();
  auto dims = attr.getAs<DenseI64ArrayAttr>("dims");
  auto reversed = attr.getAs<DenseI64ArrayAttr>("reversed");
  auto panel = attr.getAs<IntegerAttr>("panel");
  auto xcds = attr.getAs<IntegerAttr>("xcds");
  if (!dims || dims.size() != 3 || !reversed || !panel || !xcds)
    return malformed();
  // The conversion computes with 32-bit products of these.
  auto isPart = [](int64_t n) { return n >= 0 && n <= INT16_MAX; };
  WorkgroupOrder order;
  order.panel = panel.getInt();
  order.xcds = xcds.getInt();
  if (!isPart(order.panel) || !isPart(order.xcds) || order.xcds == 0)
    return malformed();
  unsigned seen = 0;
  for (auto [to, from] : llvm::zip(order.dims, dims.asArrayRef())) {
    if (from < 0 || from > 2)
      return malformed();
    to = unsigned(from);
    seen |= 1u << to;
  }
  if (seen != 7)
    return malformed();
  for (int64_t d : reversed.asArrayRef()) {
    if (d < 0 || d > 2)
      return malformed();
    order.reversed[d] = true;
  }
  return std::optional(order);
}

void tile::setOrder(KernelOp kernel, const WorkgroupOrder &order) {
  Builder b(kernel.getContext());
  SmallVector<int64_t> dims(order.dims.begin(), order.dims.end()), reversed;
  for (int64_t d = 0; d != 3; ++d)
    if (order.reversed[d])
      reversed.push_back(d);
  kernel->setAttr(kOrder, b.getDictionaryAttr(
                              {{"dims", b.getDenseI64ArrayAttr(dims)},
                               {"panel", b.getI64IntegerAttr(order.panel)},
                               {"reversed", b.getDenseI64ArrayAttr(reversed)},
                               {"xcds", b.getI64IntegerAttr(order.xcds)}}));
}

//===----------------------------------------------------------------------===//
// What depends on which index
//===----------------------------------------------------------------------===//

namespace {

/// How a value changes as an index grows.
enum class Trend { Constant, Up, Down, Unknown };

/// Of a sum, minimum or maximum of two.
Trend both(Trend x, Trend y) {
  if (x == Trend::Constant || x == y)
    return y;
  return y == Trend::Constant ? x : Trend::Unknown;
}
Trend flipped(Trend t) {
  return t == Trend::Up ? Trend::Down : t == Trend::Down ? Trend::Up : t;
}

class KernelStudy {
public:
  explicit KernelStudy(KernelOp kernel) : kernel(kernel) {}
  std::optional<WorkgroupOrder> choose();

private:
  BlockArgument index(unsigned d) { return kernel.getBody().getArgument(d); }
  bool isAlive(unsigned d);
  std::optional<int64_t> extentOf(unsigned d);
  unsigned dimsOf(Value v);
  void weigh(Value tensor, ValueRange indices, int64_t bytes);
  bool ordersItself();
  Trend trendOf(Value v, BlockArgument index);
  Trend lengthOver(unsigned d);
  void shareOut(WorkgroupOrder &order);

  KernelOp kernel;
  SmallVector<scf::ForOp> loops; ///< those with a product in them
  DenseMap<Value, unsigned> dims;
  /// Bytes of one trip that do not depend on a dimension.
  std::array<int64_t, 3> shared = {0, 0, 0};
};

} // namespace

/// 1 for a dimension that the grid lacks, nothing for a run-time extent.
std::optional<int64_t> KernelStudy::extentOf(unsigned d) {
  APInt n;
  if (d >= kernel.getGrid().size())
    return 1;
  if (matchPattern(kernel.getGrid()[d], m_ConstantInt(&n)))
    return n.getSExtValue();
  return std::nullopt;
}

/// Whether workgroups differ along d at all.
bool KernelStudy::isAlive(unsigned d) { return extentOf(d) != 1; }

/// The grid's dimensions in a value, as a bit set. A loop's variable counts as
/// none: workgroups walk over the same range, more or less together.
unsigned KernelStudy::dimsOf(Value v) {
  if (auto it = dims.find(v); it != dims.end())
    return it->second;
  unsigned result = 0;
  if (auto arg = dyn_cast<BlockArgument>(v)) {
    if (arg.getOwner() == &kernel.getBody().front())
      result = 1u << arg.getArgNumber();
  } else {
    dims[v] = 0;
    for (Value operand : v.getDefiningOp()->getOperands())
      result |= dimsOf(operand);
  }
  return dims[v] = result;
}

/// Counts the bytes of one access for each dimension that its address does not
/// depend on.
void KernelStudy::weigh(Value tensor, ValueRange indices, int64_t bytes) {
  unsigned used = dimsOf(tensor);
  for (Value v : indices)
    used |= dimsOf(v);
  for (unsigned d = 0; d != kernel.getGrid().size(); ++d)
    if (isAlive(d) && !(used >> d & 1))
      shared[d] += bytes;
}

/// index mod 8 is what a kernel computes that deals out XCDs by itself.
bool KernelStudy::ordersItself() {
  for (unsigned d = 0; d != kernel.getGrid().size(); ++d)
    for (Operation *user : index(d).getUsers()) {
      APInt n;
      if (user->getNumOperands() != 2 ||
          !matchPattern(user->getOperand(1), m_ConstantInt(&n)))
        continue;
      if (isa<arith::RemSIOp, arith::RemUIOp>(user) && n == kNumXcds)
        return true;
      if (isa<arith::AndIOp>(user) && n == kNumXcds - 1)
        return true;
    }
  return false;
}

/// A conservative derivative: sums, minima, products with constants and
/// divisions by them; everything else is unknown. Powers of the index do not
/// occur in bounds.
Trend KernelStudy::trendOf(Value v, BlockArgument index) {
  if (v == index)
    return Trend::Up;
  if (!(dimsOf(v) >> index.getArgNumber() & 1))
    return Trend::Constant;
  Operation *op = v.getDefiningOp();
  if (!op || op->getNumOperands() == 0)
    return Trend::Unknown;
  Trend first = trendOf(op->getOperand(0), index);
  if (isa<arith::IndexCastOp, arith::ExtSIOp, arith::ExtUIOp>(op))
    return first;
  if (op->getNumOperands() != 2)
    return Trend::Unknown;
  Trend second = trendOf(op->getOperand(1), index);
  if (isa<arith::AddIOp, arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp,
          arith::MaxUIOp>(op))
    return both(first, second);
  if (isa<arith::SubIOp>(op))
    return both(first, flipped(second));
  APInt n;
  if (!matchPattern(op->getOperand(1), m_ConstantInt(&n)))
    return Trend::Unknown;
  if (isa<arith::MulIOp>(op))
    return n.isNegative() ? flipped(first) : first;
  if (isa<arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp,
          arith::ShRSIOp, arith::ShLIOp>(op) &&
      !n.isNegative())
    return first;
  return Trend::Unknown;
}

/// How the loops' trips change as the index grows.
Trend KernelStudy::lengthOver(unsigned d) {
  Trend length = Trend::Constant;
  for (scf::ForOp loop : loops)
    length =
        both(length, both(trendOf(loop.getUpperBound(), index(d)),
                          flipped(trendOf(loop.getLowerBound(), index(d)))));
  return length;
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

/// A panel that divides its dimension needs no division by a variable; about
/// six by six workgroups are what the 38 CUs of an XCD hold.
static int64_t panelOf(std::optional<int64_t> extent) {
  constexpr int64_t kNear[] = {6, 5, 7, 4, 8};
  if (extent) {
    if (*extent <= 8)
      return *extent;
    for (int64_t panel : kNear)
      if (*extent % panel == 0)
        return panel;
  }
  return 6;
}

/// Where lengths differ along dims[1], each XCD gets whole columns of it, or
/// the ends of its stretch would be all long or all short. Where there are too
/// few for that, some XCDs take turns in what they have together.
///   16 columns:  2 for each XCD, in one panel
///   12 columns:  3 for each of 4 pairs of XCDs, in one panel
void KernelStudy::shareOut(WorkgroupOrder &order) {
  // Of so many for each XCD a part is no matter.
  constexpr int64_t kMany = 8, kWidest = 8;
  std::optional<int64_t> wide = extentOf(order.dims[0]),
                         deep = extentOf(order.dims[2]);
  if (!wide || !deep || *wide * *deep >= kMany * kNumXcds)
    return;
  order.xcds = std::gcd(*wide * *deep, kNumXcds);
  int64_t columns = std::gcd(*wide, *wide * *deep / order.xcds);
  order.panel = std::min(columns, kWidest);
  while (columns % order.panel)
    --order.panel;
}

/// Nothing where the hardware's order is to stay.
std::optional<WorkgroupOrder> KernelStudy::choose() {
  bool waits = false;
  kernel.walk([&](Operation *op) {
    waits |= isa<scf::WhileOp>(op);
    if (auto gemm = dyn_cast<GemmOp>(op))
      for (auto loop = gemm->getParentOfType<scf::ForOp>(); loop;
           loop = loop->getParentOfType<scf::ForOp>())
        if (!llvm::is_contained(loops, loop))
          loops.push_back(loop);
  });
  if (waits || loops.empty() || ordersItself())
    return std::nullopt;
  for (scf::ForOp loop : loops) {
    // Outermost loops only: the walk below reaches the inner ones.
    if (loop->getParentOfType<scf::ForOp>())
      continue;
    loop.walk([&](Operation *op) {
      auto read = [&](Value memref, ValueRange indices, int64_t points) {
        auto type = cast<MemRefType>(memref.getType());
        if (getSpace(type) == Space::Global)
          weigh(memref, indices, points * type.getElementTypeBitWidth() / 8);
      };
      if (auto copy = dyn_cast<CopyOp>(op)) {
        auto type = cast<MemRefType>(copy.getDst().getType());
        if (type.hasStaticShape())
          read(copy.getSrc(), {}, type.getNumElements());
      } else if (auto load = dyn_cast<LoadOp>(op)) {
        int64_t points = 1;
        if (auto parallel = load->getParentOfType<ParallelOp>())
          for (int64_t extent : parallel.getExtents())
            points *= extent;
        read(load.getSource(), load.getIndices(), points);
      }
    });
  }

  SmallVector<unsigned> alive;
  bool shares = false;
  for (unsigned d = 0; d != kernel.getGrid().size(); ++d)
    if (isAlive(d)) {
      alive.push_back(d);
      shares |= shared[d] > 0;
    }
  if (!shares)
    return std::nullopt;

  WorkgroupOrder order;
  order.xcds = kNumXcds;
  // What shares most comes first, so that neighbours in the order share it;
  // dimensions of extent 1 go last.
  llvm::stable_sort(order.dims, [&](unsigned x, unsigned y) {
    return std::pair(isAlive(x), shared[x]) > std::pair(isAlive(y), shared[y]);
  });
  unsigned first = order.dims[0], second = order.dims[1];
  if (alive.size() < 2)
    return order;
  Trend length = lengthOver(first);
  if (length == Trend::Up || length == Trend::Down) {
    // The longest start first, so that the launch does not end with one of
    // them. The panel keeps the sharing of the next dimension alive meanwhile.
    order.reversed[first] = length == Trend::Up;
    std::swap(order.dims[0], order.dims[1]);
    order.panel = std::min<int64_t>(4, extentOf(second).value_or(4));
    shareOut(order);
  } else if (shared[second] > 0) {
    // Both share: a panel of `panel` columns is walked row by row, so that one
    // L2 holds the rows and columns of a near-square block.
    if (second < first)
      std::swap(order.dims[0], order.dims[1]);
    order.panel = kernel.getSwizzle() ? int64_t(*kernel.getSwizzle())
                                      : panelOf(extentOf(order.dims[0]));
  }
  return order;
}

namespace {
struct OrderWorkgroups : tile::impl::TileOrderWorkgroupsBase<OrderWorkgroups> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getBody().getOps<KernelOp>()) {
      auto noted = getOrder(kernel);
      if (failed(noted))
        return signalPassFailure();
      if (*noted)
        continue;
      if (auto order = KernelStudy(kernel).choose())
        setOrder(kernel, *order);
    }
  }
};
} // namespace
