//===- SplitTile.cpp - A tile that LDS holds only in parts ------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile that is copied from memory and read by gemms after it is cut along one
// of its dimensions. Each gemm runs once for each part, and loads the part
// right before: parts live one after the other and share their bytes of LDS, at
// the price of loading the tile once for each gemm. Where the dimension is the
// gemm's k, a part takes its share of the other operand; where it is rows or
// columns of C, it gives those:
//
//   tile.copy %K to %k                                     // [64, 576]
//   tile.gemm %q, %k into %s {trans_b}
//   tile.gemm %p, %k[0, 0] to [64, 512] into %o
// becomes
//   copy %K[0, 0] to %k0; gemm %q, %k0 into %s0; copy %s0 to %s[0, 0]
//   copy %K[32, 0] to %k1; gemm %q, %k1 into %s1; copy %s1 to %s[0, 32]
//   copy %K[0, 0] to %k2; copy %p[0, 0] to %p0; gemm %p0, %k2[0, 0] into %o
//   copy %K[32, 0] to %k3; copy %p[0, 32] to %p1; gemm %p1, %k3[0, 0] into %o
//
// The dimension that gives fewest gemms rows of C is taken: parts of rows cross
// the registers that hold them.
//
// Loops over points that read the tile besides get it in registers, by a copy
// from memory of their own.
//
//===----------------------------------------------------------------------===//

#include "BufferUse.h"
#include "SpareLds.h"
#include "mlir/IR/Matchers.h"
#include "tlc/Dialect/Tile/Transforms/GemmLayouts.h"
#include "tlc/Dialect/Tile/Transforms/TileAccess.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

static MemRefType typeOf(Value v) { return cast<MemRefType>(v.getType()); }

namespace {
/// A dimension of a gemm.
enum class Role { M, N, K };

/// What dimension `dim` of operand `operand` is to a gemm.
Role roleOf(GemmOp gemm, unsigned operand, unsigned dim) {
  if (operand == 0)
    return (dim == 0) == gemm.getTransA() ? Role::K : Role::M;
  return (dim == 1) == gemm.getTransB() ? Role::K : Role::N;
}

/// The dimension of operand `operand` that a gemm sums over.
unsigned kDimOf(GemmOp gemm, unsigned operand) {
  return roleOf(gemm, operand, 0) == Role::K ? 0 : 1;
}

class Splitter {
public:
  Splitter(AllocOp tile, int64_t parts, unsigned dim)
      : tile(tile), parts(parts), dim(dim) {}
  /// Finds the copy and the gemms; false where the tile is used otherwise.
  bool match();
  /// Gemms that would give rows of C.
  int64_t countRows() const;
  void split();

private:
  struct Use {
    mutable GemmOp gemm;
    unsigned operand;
  };
  Value box(OpBuilder &b, Value buffer, ArrayRef<int64_t> offsets,
            ArrayRef<int64_t> shape);
  Value fragment(Value like, ArrayRef<int64_t> shape);
  void splitGemm(const Use &use);

  AllocOp tile;
  int64_t parts;
  unsigned dim;
  int64_t share = 0; ///< extent of a part
  CopyOp load;
  SmallVector<Use> uses;
  llvm::SetVector<ParallelOp> loops; ///< that read the tile as well
};
} // namespace

/// Parts are multiples of 16, the least that an instruction takes. Collects the
/// copy and the gemms on the way.
bool Splitter::match() {
  MemRefType type = typeOf(tile);
  if (type.getRank() != 2 || type.getDimSize(dim) % (parts * 16))
    return false;
  share = type.getDimSize(dim) / parts;
  // Plain matrices only, the tile as one operand, C a whole buffer of which
  // parts can be taken.
  auto takeGemm = [&](Operation *user, Value operand) {
    auto gemm = dyn_cast<GemmOp>(user);
    if (!gemm || gemm.getC() == operand || gemm.getA() == gemm.getB() ||
        typeOf(gemm.getA()).getRank() != 2 ||
        typeOf(gemm.getB()).getRank() != 2 ||
        typeOf(gemm.getC()).getRank() != 2 ||
        !gemm.getC().getDefiningOp<AllocOp>())
      return false;
    uses.push_back({gemm, gemm.getA() == operand ? 0u : 1u});
    return true;
  };
  for (Operation *user : tile->getUsers()) {
    if (auto copy = dyn_cast<CopyOp>(user)) {
      if (load || copy.getDst() != tile.getResult() ||
          getSpace(copy.getSrc()) != Space::Global)
        return false;
      load = copy;
    } else if (auto view = dyn_cast<ViewOp>(user)) {
      // All of the dimension, and of the other one from a constant on.
      if (typeOf(view).getDimSize(dim) != type.getDimSize(dim) ||
          !matchPattern(view.getOffsets()[dim], m_Zero()) ||
          !matchPattern(view.getOffsets()[1 - dim], m_Constant()) ||
          !llvm::all_of(view->getUsers(), [&](Operation *reader) {
            return takeGemm(reader, view.getResult());
          }))
        return false;
    } else if (auto loop = user->getParentOfType<ParallelOp>();
               loop && isa<LoadOp>(user)) {
      loops.insert(loop);
    } else if (!takeGemm(user, tile.getResult())) {
      return false;
    }
  }
  for (ParallelOp loop : loops)
    for (const Access &access : getPointAccesses(loop))
      if (access.buffer == tile.getResult() && !access.isPlain())
        return false;
  if (!load || uses.empty())
    return false;
  // The memory must not change before the last part of it is loaded, and the
  // tile's dimensions must be dimensions of it.
  auto sourceShape = typeOf(load.getSrc()).getShape();
  if (nonUnitDims(sourceShape).size() != 2)
    return false;
  auto pointerOf = [](Value v) {
    auto tensor = getBase(v).getDefiningOp<TensorOp>();
    return tensor ? Value(tensor.getSource()) : Value();
  };
  bool changes = false;
  tile->getParentOfType<KernelOp>().walk([&](Operation *op) {
    for (const BufferUse &use : getUses(op))
      changes |= use.write && pointerOf(use.buffer) == pointerOf(load.getSrc());
  });
  // The readers stand after the copy, in its block or below.
  auto follows = [&](Operation *reader) {
    Operation *here = load->getBlock()->findAncestorOpInBlock(*reader);
    return here && load->isBeforeInBlock(here);
  };
  return !changes && llvm::all_of(loops, follows) &&
         llvm::all_of(uses, [&](const Use &use) { return follows(use.gemm); });
}

int64_t Splitter::countRows() const {
  return llvm::count_if(uses, [&](const Use &use) {
    return roleOf(use.gemm, use.operand, dim) == Role::M;
  });
}

/// A view of `shape` at constant offsets, added to those of a view that
/// `buffer` is already.
Value Splitter::box(OpBuilder &b, Value buffer, ArrayRef<int64_t> offsets,
                    ArrayRef<int64_t> shape) {
  Location loc = load.getLoc();
  SmallVector<int64_t> strides(shape.size(), ShapedType::kDynamic);
  auto type = MemRefType::get(
      shape, typeOf(buffer).getElementType(),
      StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, strides),
      typeOf(buffer).getMemorySpace());
  // Views of views are one view (tile-legalize has folded them).
  auto inner = buffer.getDefiningOp<ViewOp>();
  SmallVector<Value> values;
  for (auto [d, offset] : llvm::enumerate(offsets)) {
    Type t = inner ? inner.getOffsets()[d].getType() : Type(b.getI32Type());
    Value v = arith::ConstantOp::create(b, loc, b.getIntegerAttr(t, offset));
    if (inner)
      v = b.createOrFold<arith::AddIOp>(loc, inner.getOffsets()[d], v);
    values.push_back(v);
  }
  return ViewOp::create(b, loc, type, inner ? inner.getSource() : buffer,
                        values);
}

/// A fragment with the element type and the name of another.
Value Splitter::fragment(Value like, ArrayRef<int64_t> shape) {
  OpBuilder b(tile);
  return AllocOp::create(
      b, load.getLoc(),
      getBufferType(shape, typeOf(like).getElementType(), Space::Fragment),
      b.getStringAttr(getBufferName(like)), LayoutAttr(), IntegerAttr());
}

/// Replaces one gemm by one for each part. Along k the parts accumulate into
/// the same C one after the other; along M or N each works on a section of C,
/// copied out before and back after.
void Splitter::splitGemm(const Use &use) {
  GemmOp gemm = use.gemm;
  OpBuilder b(gemm);
  Location loc = gemm.getLoc();
  auto sourceShape = typeOf(load.getSrc()).getShape();
  unsigned sourceDim = nonUnitDims(sourceShape)[dim];
  auto view = gemm->getOperand(use.operand).getDefiningOp<ViewOp>();
  Role role = roleOf(gemm, use.operand, dim);
  for (int64_t part = 0; part < parts; ++part) {
    SmallVector<int64_t> shape(typeOf(tile).getShape());
    shape[dim] = share;
    // Each part has an alloc of its own: their lives do not meet, so
    // tile-fit-lds gives them the same bytes.
    OpBuilder atTile(tile);
    Value piece = AllocOp::create(
        atTile, tile.getLoc(),
        getBufferType(shape, typeOf(tile).getElementType(), Space::Shared),
        tile.getNameAttr(), LayoutAttr(), IntegerAttr());
    SmallVector<int64_t> from(sourceShape.size()), extents(sourceShape);
    from[sourceDim] = part * share;
    extents[sourceDim] = share;
    CopyOp::create(b, load.getLoc(), box(b, load.getSrc(), from, extents),
                   piece, LayoutAttr());
    // A view of the tile becomes the same view of the part.
    Value operand = piece;
    if (view) {
      APInt start;
      matchPattern(view.getOffsets()[1 - dim], m_ConstantInt(&start));
      SmallVector<int64_t> at(2), extent(typeOf(view).getShape());
      at[1 - dim] = start.getSExtValue();
      extent[dim] = share;
      operand = box(b, piece, at, extent);
    }
    Value other = gemm->getOperand(1 - use.operand), c = gemm.getC();
    Value section; // of C
    SmallVector<int64_t> at(2);
    if (role == Role::K) {
      unsigned k = kDimOf(gemm, 1 - use.operand);
      SmallVector<int64_t> otherShape(typeOf(other).getShape());
      otherShape[k] = share;
      at[k] = part * share;
      Value slice = box(b, other, at, otherShape);
      // An operand must be a whole fragment; a view of LDS is read in place.
      if (getSpace(other) == Space::Fragment) {
        other = fragment(other, otherShape);
        CopyOp::create(b, loc, slice, other, LayoutAttr());
      } else {
        other = slice;
      }
    } else {
      unsigned d = role == Role::M ? 0 : 1;
      SmallVector<int64_t> cShape(typeOf(c).getShape());
      cShape[d] = share;
      at[d] = part * share;
      section = box(b, c, at, cShape);
      c = fragment(c, cShape);
      CopyOp::create(b, loc, section, c, LayoutAttr());
    }
    // The clone keeps transpositions and policy, and accumulates: a clear
    // stands before the first.
    auto one = cast<GemmOp>(b.clone(*gemm));
    one->setOperand(use.operand, operand);
    one->setOperand(1 - use.operand, other);
    one.getCMutable().assign(c);
    if (section)
      CopyOp::create(b, loc, c, section, LayoutAttr());
  }
  gemm.erase();
  if (view && view->use_empty())
    view.erase();
}

void Splitter::split() {
  tile.emitRemark("is split into ")
      << parts << " parts of " << share << (dim ? " columns" : " rows")
      << ", which LDS holds one after the other: the tile is loaded "
      << uses.size() + loops.size() << " times";
  for (ParallelOp loop : loops) {
    OpBuilder b(loop);
    Value copy = fragment(tile, typeOf(tile).getShape());
    CopyOp::create(b, load.getLoc(), load.getSrc(), copy, LayoutAttr());
    tile.getResult().replaceUsesWithIf(copy, [&](OpOperand &use) {
      return loop->isProperAncestor(use.getOwner());
    });
  }
  for (const Use &use : uses)
    splitGemm(use);
  load.erase();
  // Views that nothing reads, left by the splitting of another tile.
  for (Operation *user : llvm::make_early_inc_range(tile->getUsers()))
    user->erase();
  tile.erase();
}

/// Returns whether the tile was split; nothing is changed otherwise.
bool tile::splitTile(AllocOp alloc, int64_t parts) {
  Splitter rows(alloc, parts, 0), columns(alloc, parts, 1);
  bool byRows = rows.match(), byColumns = columns.match();
  if (!byRows && !byColumns)
    return false;
  if (byRows && (!byColumns || rows.countRows() <= columns.countRows()))
    rows.split();
  else
    columns.split();
  return true;
}
