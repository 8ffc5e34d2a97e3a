//===- LayoutParts.cpp - Loops over parts of fragments ----------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A part of a fragment that begins at a multiple of its extent is a value of
// the digits further out. A loop over such a part takes the fragment's digits.
// Those further out stay in the loop's layout, turned so that the part has the
// value 0: the threads and registers that hold the rest have points beyond the
// loop's extents, which take no part.
//
//   s: [16:t1, 2:t16], read by a loop of 16 points as s[16 + i]
//   the loop: [16:t1, 2:-t16]
// Two points of a loop, or more, may read one element, as the halves of a byte:
// the fragment then takes the digits of the loop's points without the lowest.
//
//   a loop of points [8:r1, 4:t16] reads s[j // 2]: s is [4:r1, 4:t16]
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

std::optional<Layout> tile::layoutOfRead(const Access &access,
                                         const Layout &loop) {
  SmallVector<Layout::Digits> dims;
  llvm::SmallDenseSet<int> seen;
  for (const PointIndex &index : access.indices) {
    int divided = index.getDividedDim();
    int dim = divided < 0 ? index.getDim() : divided;
    if (dim < 0 || !seen.insert(dim).second)
      return std::nullopt;
    Layout::Digits &digits = dims.emplace_back();
    int64_t divisor = divided < 0 ? 1 : index.divisor;
    for (Digit d : loop.dim(dim)) {
      int64_t low = std::min(divisor, d.extent);
      if (d.extent % low || divisor % low || (low > 1 && d.flipped))
        return std::nullopt;
      divisor /= low;
      if (low < d.extent)
        digits.push_back({d.extent / low, d.place, d.stride * low, d.flipped});
    }
    if (divisor > 1)
      return std::nullopt;
  }
  return Layout(dims, {}, loop.threadXorTerms()).compactRegisters();
}
