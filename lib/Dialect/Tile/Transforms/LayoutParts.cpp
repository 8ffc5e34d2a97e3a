//===- LayoutParts.cpp - Loops over parts of fragments ----------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two uses of the same observation: a part of a fragment that begins at a
// multiple of its extent is a value of the digits further out.
//
// A loop over such a part takes the fragment's digits. Those further out stay
// in the loop's layout, turned so that the part has the value 0: the threads
// and registers that hold the rest have points beyond the loop's extents, which
// take no part.
//
//   s: [16:t1, 2:t16], read by a loop of 16 points as s[16 + i]
//   the loop: [16:t1, 2:-t16]
//
// A conversion of a fragment to another layout goes through as much LDS as the
// fragment has bytes. Where LDS is short, it goes in parts: each is written and
// read before the next one is.
//
//   tile.copy %a to %b
// becomes
//   tile.copy %a[0, 0] to %s; tile.copy %s to %b[0, 0]
//   tile.copy %a[0, 32] to %s; tile.copy %s to %b[0, 32]
//
//===----------------------------------------------------------------------===//

#include "BufferUse.h"
#include "LayoutInference.h"
#include "tlc/Dialect/Tile/Transforms/Passes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

/// The digits of a dimension for points that are its elements from `first` on,
/// `extent` of them. None where a digit would have to be cut unevenly or is
/// not turned by flipping bits.
static std::optional<Layout::Digits>
digitsOfPart(ArrayRef<Digit> digits, int64_t first, int64_t extent) {
  Layout::Digits result(digits);
  if (first == 0)
    return result;
  if (first < 0 || first % extent)
    return std::nullopt;
  result.clear();
  int64_t value = 1, part = first / extent;
  for (Digit d : digits) {
    if (value < extent) {
      int64_t room = extent / value;
      if (extent % value ||
          (room < d.extent ? d.extent % room : room % d.extent))
        return std::nullopt;
      int64_t low = std::min(room, d.extent);
      // A flipped digit is not the flipped parts of it.
      if (low < d.extent && d.flipped)
        return std::nullopt;
      result.push_back({low, d.place, d.stride, d.flipped});
      value *= low;
      if (low == d.extent)
        continue;
      d = {d.extent / low, d.place, d.stride * low};
    }
    int64_t turned = part % d.extent;
    part /= d.extent;
    if (!turned) {
      result.push_back(d);
      continue;
    }
    if (!llvm::isPowerOf2_64(d.extent) || (d.flipped && d.extent != 2))
      return std::nullopt;
    for (int64_t bit = 1; bit < d.extent; bit *= 2)
      result.push_back(
          {2, d.place, d.stride * bit, d.flipped != bool(turned & bit)});
  }
  if (part || value != extent)
    return std::nullopt;
  return result;
}

std::optional<Layout> tile::layoutOfPart(const Access &access,
                                         const Layout &layout,
                                         ArrayRef<int64_t> points) {
  SmallVector<Layout::Digits> dims(points.size());
  SmallVector<bool> covered(points.size(), false);
  auto shape = cast<MemRefType>(access.buffer.getType()).getShape();
  for (auto [d, index] : llvm::enumerate(access.indices)) {
    if (!index.known || index.uniform)
      return std::nullopt;
    if (index.isUniform()) {
      if (shape[d] != 1)
        return std::nullopt;
      continue;
    }
    PointIndex plain = index;
    plain.constant = 0;
    int p = plain.getDim();
    if (p < 0 || covered[p])
      return std::nullopt;
    auto digits = digitsOfPart(layout.dim(d), index.constant, points[p]);
    if (!digits || layout.covered(d) < index.constant + points[p])
      return std::nullopt;
    dims[p] = *digits;
    covered[p] = true;
  }
  for (auto [extent, c] : llvm::zip_equal(points, covered))
    if (!c && extent != 1)
      return std::nullopt;
  return Layout(dims, {}, layout.threadXorTerms()).compactRegisters();
}

/// Whether parts of `extent` of a dimension are ranges of registers.
static bool partsAreRegisters(ArrayRef<Digit> digits, int64_t extent) {
  int64_t value = 1;
  for (const Digit &d : digits) {
    if (value * d.extent > extent && d.place != Place::Register)
      return false;
    if (value < extent && value * d.extent > extent && extent % value)
      return false;
    value *= d.extent;
  }
  return true;
}

/// Splits a copy from one fragment to another along the dimension that gives
/// the smallest parts, but none smaller than is worth a barrier.
bool LayoutInference::convertInParts(CopyOp copy) {
  constexpr int64_t kPartBytes = 8192;
  if (!kernel->hasAttr(kLdsReserveAttr))
    return false;
  AllocOp from = fragmentOf(copy.getSrc()), to = fragmentOf(copy.getDst());
  if (!from || !to || copy.getLayout())
    return false;
  auto type = cast<MemRefType>(to.getType());
  if (type.getShape() != cast<MemRefType>(from.getType()).getShape())
    return false;
  int64_t bytes =
      type.getNumElements() *
      std::max(getElementBytes(type), getElementBytes(from.getType()));
  Layout a = *layoutOf(from), b = *layoutOf(to);
  std::optional<unsigned> dim;
  int64_t parts = 1;
  for (unsigned d = 0; d < type.getRank(); ++d) {
    int64_t extent = type.getDimSize(d), n = 1;
    for (int64_t more = 2; extent % more == 0 && bytes / n > kPartBytes;
         more *= 2)
      // The threads that write a part must be those that hold it.
      if (partsAreRegisters(b.dim(d), extent / more) &&
          digitsOfPart(a.dim(d), extent / more, extent / more))
        n = more;
    if (n > parts) {
      parts = n;
      dim = d;
    }
  }
  if (!dim)
    return false;
  copy.emitRemark("goes through LDS in ")
      << parts << " parts of " << bytes / parts
      << " bytes, since LDS is short: two barriers for each";
  SmallVector<int64_t> shape(type.getShape());
  shape[*dim] /= parts;
  builder.setInsertionPointToStart(&kernel.getBody().front());
  auto temp = AllocOp::create(
      builder, copy.getLoc(),
      getBufferType(shape, type.getElementType(), Space::Shared),
      builder.getStringAttr(getBufferName(to) + ".converted"), LayoutAttr(),
      IntegerAttr());
  builder.setInsertionPoint(copy);
  SmallVector<CopyOp> copies;
  auto part = [&](AllocOp whole, int64_t first) -> Value {
    SmallVector<int64_t> strides(shape.size(), ShapedType::kDynamic);
    auto wholeType = cast<MemRefType>(whole.getType());
    auto view =
        MemRefType::get(shape, wholeType.getElementType(),
                        StridedLayoutAttr::get(builder.getContext(),
                                               ShapedType::kDynamic, strides),
                        wholeType.getMemorySpace());
    SmallVector<Value> offsets;
    for (unsigned d = 0; d < shape.size(); ++d)
      offsets.push_back(arith::ConstantOp::create(
          builder, copy.getLoc(),
          builder.getI32IntegerAttr(d == *dim ? first : 0)));
    return ViewOp::create(builder, copy.getLoc(), view, whole, offsets);
  };
  for (int64_t i = 0; i < parts; ++i) {
    Value source = part(from, i * shape[*dim]);
    copies.push_back(
        CopyOp::create(builder, copy.getLoc(), source, temp, LayoutAttr()));
    Value target = part(to, i * shape[*dim]);
    copies.push_back(
        CopyOp::create(builder, copy.getLoc(), temp, target, LayoutAttr()));
  }
  // Both ends as found: a part that its threads do not reach would be another
  // conversion.
  for (CopyOp one : copies) {
    Layout loop = *layoutFromFragments(one);
    for (const Access &access : getPointAccesses(one))
      if (auto layout = layoutOf(access.buffer))
        if (failed(getSlots(loop, access, *layout, threads))) {
          for (CopyOp other : llvm::reverse(copies))
            other.erase();
          temp.erase();
          return false;
        }
  }
  for (CopyOp one : copies)
    setLoopLayout(one, *layoutFromFragments(one));
  copy.erase();
  return true;
}
