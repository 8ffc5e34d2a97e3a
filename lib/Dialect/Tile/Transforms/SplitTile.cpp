//===- SplitTile.cpp - A tile that LDS holds only in parts ------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile that is copied from memory and read as B by gemms after it is cut
// along its rows. Each gemm runs once for each part, and loads the part right
// before: parts live one after the other and share their bytes of LDS, at the
// price of loading the tile once for each gemm. With rows as columns of C (B
// transposed) a part gives columns of C; with rows as k, it takes columns of A:
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
//===----------------------------------------------------------------------===//

#include "BufferUse.h"
#include "SpareLds.h"
#include "mlir/IR/Matchers.h"
#include "tlc/Dialect/Tile/Transforms/GemmLayouts.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

static MemRefType typeOf(Value v) { return cast<MemRefType>(v.getType()); }

namespace {
class Splitter {
public:
  Splitter(AllocOp tile, int64_t parts) : tile(tile), parts(parts) {}
  /// Finds the copy and the gemms; false where the tile is used otherwise.
  bool match();
  void split();

private:
  Value box(OpBuilder &b, Value buffer, ArrayRef<int64_t> offsets,
            ArrayRef<int64_t> shape);
  Value fragment(Value like, ArrayRef<int64_t> shape);
  void splitGemm(GemmOp gemm);

  AllocOp tile;
  int64_t parts, rows = 0;
  CopyOp load;
  SmallVector<GemmOp> gemms;
};
} // namespace

bool Splitter::match() {
  MemRefType type = typeOf(tile);
  if (type.getRank() != 2 || type.getDimSize(0) % (parts * 16))
    return false;
  rows = type.getDimSize(0) / parts;
  auto takeGemm = [&](Operation *user, Value operand) {
    auto gemm = dyn_cast<GemmOp>(user);
    if (!gemm || gemm.getB() != operand || gemm.getA() == operand ||
        typeOf(gemm.getA()).getRank() != 2 ||
        typeOf(gemm.getC()).getRank() != 2 ||
        !gemm.getC().getDefiningOp<AllocOp>())
      return false;
    gemms.push_back(gemm);
    return true;
  };
  for (Operation *user : tile->getUsers()) {
    if (auto copy = dyn_cast<CopyOp>(user)) {
      if (load || copy.getDst() != tile.getResult() ||
          getSpace(copy.getSrc()) != Space::Global)
        return false;
      load = copy;
    } else if (auto view = dyn_cast<ViewOp>(user)) {
      // All rows, and columns from a constant on.
      if (typeOf(view).getDimSize(0) != type.getDimSize(0) ||
          !matchPattern(view.getOffsets()[0], m_Zero()) ||
          !matchPattern(view.getOffsets()[1], m_Constant()) ||
          !llvm::all_of(view->getUsers(), [&](Operation *reader) {
            return takeGemm(reader, view.getResult());
          }))
        return false;
    } else if (!takeGemm(user, tile.getResult())) {
      return false;
    }
  }
  if (!load || gemms.empty())
    return false;
  // The memory must not change before the last part of it is loaded, and its
  // rows must be one dimension of it.
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
  return !changes && llvm::all_of(gemms, [&](GemmOp gemm) {
    return gemm->getBlock() == load->getBlock() && load->isBeforeInBlock(gemm);
  });
}

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

Value Splitter::fragment(Value like, ArrayRef<int64_t> shape) {
  OpBuilder b(tile);
  return AllocOp::create(
      b, load.getLoc(),
      getBufferType(shape, typeOf(like).getElementType(), Space::Fragment),
      b.getStringAttr(getBufferName(like)), LayoutAttr(), IntegerAttr());
}

void Splitter::splitGemm(GemmOp gemm) {
  OpBuilder b(gemm);
  Location loc = gemm.getLoc();
  auto sourceShape = typeOf(load.getSrc()).getShape();
  unsigned rowDim = nonUnitDims(sourceShape)[0];
  auto view = gemm.getB().getDefiningOp<ViewOp>();
  for (int64_t part = 0; part < parts; ++part) {
    SmallVector<int64_t> shape(typeOf(tile).getShape());
    shape[0] = rows;
    OpBuilder atTile(tile);
    Value piece = AllocOp::create(
        atTile, tile.getLoc(),
        getBufferType(shape, typeOf(tile).getElementType(), Space::Shared),
        tile.getNameAttr(), LayoutAttr(), IntegerAttr());
    SmallVector<int64_t> from(sourceShape.size()), extents(sourceShape);
    from[rowDim] = part * rows;
    extents[rowDim] = rows;
    CopyOp::create(b, load.getLoc(), box(b, load.getSrc(), from, extents),
                   piece, LayoutAttr());
    Value operand = piece;
    if (view) {
      APInt column;
      matchPattern(view.getOffsets()[1], m_ConstantInt(&column));
      operand = box(b, piece, {0, column.getSExtValue()},
                    {rows, typeOf(view).getDimSize(1)});
    }
    Value a = gemm.getA(), c = gemm.getC();
    Value columns;
    if (gemm.getTransB()) {
      SmallVector<int64_t> cShape(typeOf(c).getShape());
      cShape[1] = rows;
      columns = box(b, c, {0, part * rows}, cShape);
      c = fragment(c, cShape);
      CopyOp::create(b, loc, columns, c, LayoutAttr());
    } else {
      unsigned k = gemm.getTransA() ? 0 : 1;
      SmallVector<int64_t> aShape(typeOf(a).getShape()), at(2);
      aShape[k] = rows;
      at[k] = part * rows;
      Value part = box(b, a, at, aShape);
      if (getSpace(a) == Space::Fragment) {
        a = fragment(a, aShape);
        CopyOp::create(b, loc, part, a, LayoutAttr());
      } else {
        a = part;
      }
    }
    auto one = cast<GemmOp>(b.clone(*gemm));
    one.getAMutable().assign(a);
    one.getBMutable().assign(operand);
    one.getCMutable().assign(c);
    if (columns)
      CopyOp::create(b, loc, c, columns, LayoutAttr());
  }
  gemm.erase();
  if (view && view->use_empty())
    view.erase();
}

void Splitter::split() {
  tile.emitRemark("is split into ")
      << parts << " parts of " << rows
      << " rows, which LDS holds one after the other: the tile is loaded "
      << gemms.size() << " times"
      << (tile.getLayout() ? "; the layout given for it is not used" : "");
  for (GemmOp gemm : gemms)
    splitGemm(gemm);
  load.erase();
  tile.erase();
}

bool tile::splitTile(AllocOp alloc, int64_t parts) {
  Splitter splitter(alloc, parts);
  if (!splitter.match())
    return false;
  splitter.split();
  return true;
}
