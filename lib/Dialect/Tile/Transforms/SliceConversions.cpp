//===- SliceConversions.cpp - Changes of layout part by part ----*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fragment that changes threads goes through a buffer in LDS as large as it
// is. In a kernel that tile-fit-lds has refused for that (kLdsReserveAttr), it
// goes in parts: those that are ranges of registers of the same threads, since
// taking such a part moves nothing.
//
//   %t = alloc shared [128, 128]; copy %s to %t
//   gemm %t, %v into %o
// becomes, for each quarter of k,
//   copy %s[0, 0] to %p [128, 32]; copy %p to %t0 [128, 32]
//   gemm %t0, %v[0, 0] into %o
//
// The parts' buffers live one after the other and share their bytes.
//
//===----------------------------------------------------------------------===//

#include "BufferUse.h"
#include "LayoutInference.h"
#include "tlc/Dialect/Tile/Transforms/Passes.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

static MemRefType typeOf(Value v) { return cast<MemRefType>(v.getType()); }

/// LDS of a part, to stay below.
constexpr int64_t kPartBytes = 8192;

/// Whether `parts` sections along a dimension are each a range of registers:
/// the outermost digit of the dimension is in registers, and divides.
static bool splits(const Layout &layout, unsigned dim, int64_t extent,
                   int64_t parts) {
  ArrayRef<Digit> digits = layout.dim(dim);
  return extent % parts == 0 && layout.covered(dim) == extent &&
         !digits.empty() && digits.back().place == Place::Register &&
         digits.back().extent % parts == 0;
}

/// Into how many parts to cut along a dimension, 1 if it cannot be: as few as
/// bring a part below kPartBytes, of at least `least` elements each.
static int64_t partsFor(ArrayRef<const Layout *> layouts, unsigned dim,
                        MemRefType type, int64_t least) {
  int64_t extent = type.getDimSize(dim), best = 1;
  int64_t bytes = type.getNumElements() * getElementBytes(type);
  for (int64_t parts = 2; parts <= 16 && bytes / best > kPartBytes; parts *= 2)
    if (extent / parts >= least && llvm::all_of(layouts, [&](const Layout *l) {
          return splits(*l, dim, extent, parts);
        }))
      best = parts;
  return best;
}

/// A view of section `part` of a buffer.
Value LayoutInference::partOf(Value whole, unsigned dim, int64_t extent,
                              int64_t part) {
  MemRefType type = typeOf(whole);
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = extent;
  SmallVector<int64_t> strides(shape.size(), ShapedType::kDynamic);
  auto section =
      MemRefType::get(shape, type.getElementType(),
                      StridedLayoutAttr::get(builder.getContext(),
                                             ShapedType::kDynamic, strides),
                      type.getMemorySpace());
  // Views of views are one view (tile-legalize has folded them).
  auto inner = whole.getDefiningOp<ViewOp>();
  SmallVector<Value> offsets;
  Location loc = whole.getLoc();
  for (unsigned d = 0; d < shape.size(); ++d) {
    Type t = inner ? inner.getOffsets()[d].getType() : builder.getI32Type();
    Value v = arith::ConstantOp::create(
        builder, loc, builder.getIntegerAttr(t, d == dim ? part * extent : 0));
    if (inner)
      v = builder.createOrFold<arith::AddIOp>(loc, inner.getOffsets()[d], v);
    offsets.push_back(v);
  }
  return ViewOp::create(builder, loc, section,
                        inner ? inner.getSource() : whole, offsets);
}

/// The layout of one of `parts` sections along a dimension.
static Layout partLayout(Layout layout, unsigned dim, int64_t parts) {
  Layout::Digits &digits = layout.mutableDims()[dim];
  digits.back().extent /= parts;
  if (digits.back().extent == 1)
    digits.pop_back();
  return layout.compactRegisters();
}

/// Splits a gemm along k so that its operand, a fragment of another layout,
/// reaches it in parts. False, with nothing done, where LDS suffices or the
/// parts would not be registers; `ok` turns false where a part fails.
bool LayoutInference::sliceOperand(GemmOp op, unsigned operand, bool &ok) {
  Value v = op->getOperand(operand), other = op->getOperand(1 - operand);
  std::optional<Layout> layout = layoutOf(v);
  if (!kernel->hasAttr(kLdsReserveAttr) || !layout ||
      getSpace(other) != Space::Shared || typeOf(v).getRank() != 2 ||
      typeOf(other).getRank() != 2)
    return false;
  auto kDim = [&](unsigned which) {
    bool transposed = which ? op.getTransB() : op.getTransA();
    return unsigned((which == 0) != transposed);
  };
  unsigned dim = kDim(operand);
  // A part is a whole number of the instructions' steps.
  int64_t parts = partsFor(&*layout, dim, typeOf(v), /*least=*/32);
  if (parts == 1)
    return false;
  remarkConversion(op, v, "LDS", "its layout is not the one this gemm reads");
  int64_t extent = typeOf(v).getDimSize(dim) / parts;
  SmallVector<int64_t> shape(typeOf(v).getShape());
  shape[dim] = extent;
  SmallVector<Operation *> copies;
  SmallVector<GemmOp> gemms;
  for (int64_t part = 0; part < parts; ++part) {
    AllocOp piece = createLike(v, Space::Fragment),
            temp = createLike(v, Space::Shared);
    for (AllocOp alloc : {piece, temp})
      alloc.getResult().setType(getBufferType(shape, typeOf(v).getElementType(),
                                              getSpace(alloc.getType())));
    setLayout(piece, partLayout(*layout, dim, parts));
    builder.setInsertionPoint(op);
    copies.push_back(CopyOp::create(builder, op.getLoc(),
                                    partOf(v, dim, extent, part), piece,
                                    LayoutAttr()));
    copies.push_back(
        CopyOp::create(builder, op.getLoc(), piece, temp, LayoutAttr()));
    // The parts accumulate one after the other.
    auto gemm = cast<GemmOp>(builder.clone(*op));
    gemm->setOperand(operand, temp);
    builder.setInsertionPoint(gemm);
    gemm->setOperand(1 - operand,
                     partOf(other, kDim(1 - operand), extent, part));
    gemms.push_back(gemm);
  }
  op.erase();
  for (Operation *copy : copies)
    ok = ok && succeeded(resolveLoop(copy));
  for (GemmOp gemm : gemms)
    ok = ok && succeeded(resolveGemm(gemm));
  return true;
}

/// The same for a copy between whole fragments of different layouts, cut along
/// a dimension whose outermost digit is in registers on both sides.
bool LayoutInference::sliceCopy(CopyOp op, bool &ok) {
  Value from = op.getSrc(), to = op.getDst();
  if (!kernel->hasAttr(kLdsReserveAttr) || !fragmentOf(from) ||
      !fragmentOf(to) || typeOf(from).getShape() != typeOf(to).getShape())
    return false;
  std::optional<Layout> source = layoutOf(from), target = layoutOf(to);
  if (!source || !target)
    return false;
  unsigned dim = 0;
  int64_t parts = 1;
  for (unsigned d = 0; d < source->rank(); ++d)
    if (int64_t n = partsFor({&*source, &*target}, d, typeOf(from), 1);
        n > parts) {
      parts = n;
      dim = d;
    }
  if (parts == 1)
    return false;
  remarkConversion(op, from, "LDS",
                   "the loop's threads do not hold the elements they need");
  int64_t extent = typeOf(from).getDimSize(dim) / parts;
  SmallVector<int64_t> shape(typeOf(from).getShape());
  shape[dim] = extent;
  SmallVector<Operation *> copies;
  for (int64_t part = 0; part < parts; ++part) {
    AllocOp read = createLike(from, Space::Fragment),
            temp = createLike(from, Space::Shared),
            written = createLike(to, Space::Fragment);
    for (AllocOp alloc : {read, temp, written})
      alloc.getResult().setType(
          getBufferType(shape, typeOf(alloc.getResult()).getElementType(),
                        getSpace(alloc.getType())));
    setLayout(read, partLayout(*source, dim, parts));
    setLayout(written, partLayout(*target, dim, parts));
    builder.setInsertionPoint(op);
    auto copy = [&](Value a, Value b) {
      copies.push_back(
          CopyOp::create(builder, op.getLoc(), a, b, LayoutAttr()));
    };
    copy(partOf(from, dim, extent, part), read);
    copy(read, temp);
    copy(temp, written);
    copy(written, partOf(to, dim, extent, part));
  }
  op.erase();
  for (Operation *copy : copies)
    ok = ok && succeeded(resolveLoop(copy));
  return true;
}
