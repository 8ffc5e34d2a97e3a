//===- SwizzleCandidates.cpp - Layouts worth trying for LDS -----*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A candidate is a cut of the last two dimensions into `rows` and `cols`, cols
// innermost, whose 16-byte units XORs move about:
//
// * rows x cols, unit ^= bits of the row. With 128-byte rows the eight lanes of
//   a phase read one unit of eight rows; row mod 8 sends them to eight units.
//   Writes of transposed 8-byte pieces meet other rows in a phase, so that the
//   row's bits come in several selections.
// * units x rows, where rows are no power of two wide: unit u of row r lies at
//   u * rows + r, and r ^= u.
// * padded rows, an odd number of units apart.
//
//===----------------------------------------------------------------------===//

#include "SwizzleCandidates.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

namespace {
/// The innermost dimension: its digits with memory strides from 1.
struct Columns {
  unsigned dim;
  Layout::Digits digits;
};
} // namespace

/// Memory order of k: what a lane's registers hold first, up to `unit`
/// elements, then the rest in index order.
static Layout::Digits orderOfK(Layout::Digits k, int64_t unit) {
  // Cut a register digit where the unit ends inside it.
  int64_t room = unit;
  SmallVector<bool> inUnit;
  Layout::Digits cut;
  for (const Digit &d : k) {
    if (d.place != tlc::Place::Register || room == 1 || room % d.extent) {
      int64_t part =
          d.place == tlc::Place::Register ? std::gcd(room, d.extent) : 1;
      if (part > 1) {
        cut.push_back({part, d.place, 1});
        inUnit.push_back(true);
        room /= part;
      }
      if (d.extent / part > 1) {
        cut.push_back({d.extent / part, d.place, 1});
        inUnit.push_back(false);
      }
      continue;
    }
    cut.push_back({d.extent, d.place, 1});
    inUnit.push_back(true);
    room /= d.extent;
  }
  int64_t stride = 1;
  for (bool first : {true, false})
    for (auto [d, in] : llvm::zip(cut, inUnit))
      if (in == first) {
        d = {d.extent, tlc::Place::Memory, stride};
        stride *= d.extent;
      }
  return cut;
}

/// Joins digits that continue one another.
static Layout::Digits joined(ArrayRef<Digit> digits) {
  Layout::Digits result;
  for (const Digit &d : digits) {
    if (!result.empty() &&
        d.stride == result.back().stride * result.back().extent)
      result.back().extent *= d.extent;
    else
      result.push_back(d);
  }
  return result;
}

/// Which dimension goes innermost, and how: a gemm's k, else the last.
static Columns columnsOf(AllocOp alloc, int64_t unit) {
  auto shape = cast<MemRefType>(alloc.getType()).getShape();
  unsigned last = shape.size() - 1;
  Columns plain{last, {{shape[last], tlc::Place::Memory, 1}}};
  for (const BufferUse &use : getAllUses(alloc.getResult())) {
    auto gemm = dyn_cast<GemmOp>(use.op);
    if (!gemm || !gemm.getMfma() || shape.size() < 2)
      continue;
    unsigned operand = getBase(gemm.getA()) == alloc.getResult() ? 0 : 1;
    unsigned dim = isKInnermost(gemm, operand) ? last : last - 1;
    Layout::Digits digits = orderOfK(getKDigits(gemm), unit);
    int64_t covered = 1;
    for (const Digit &d : digits)
      covered *= d.extent;
    // A k that instructions pad has elements in LDS for the pad too only if it
    // is read as a whole: keep the plain order there.
    if (covered != shape[dim])
      return Columns{dim, {{shape[dim], tlc::Place::Memory, 1}}};
    return Columns{dim, digits};
  }
  return plain;
}

static int64_t log2(int64_t n) { return llvm::Log2_64(n); }

/// XORs of the unit with bits of the row, for rows of `width` elements.
static SmallVector<SmallVector<XorTerm, 2>> rowXors(int64_t width, int64_t unit,
                                                    int64_t line) {
  SmallVector<SmallVector<XorTerm, 2>> result = {{}};
  int64_t units = std::min(width, line) / unit;
  if (!llvm::isPowerOf2_64(width) || units < 2)
    return result;
  int64_t row = log2(width), low = log2(unit), mask = units - 1;
  // The first row bit that changes the line of banks.
  int64_t first = row + (width < line ? log2(line / width) : 0);
  for (int64_t skip = 0; skip < 4; ++skip)
    result.push_back({{first + skip, mask, low}});
  // Two selections of row bits at once: reads go by the low ones, writes of
  // transposed pieces by the high ones.
  for (int64_t a = 0; a < 2; ++a)
    for (int64_t b = a + 1; b < 4; ++b)
      result.push_back({{first + a, mask, low}, {first + b, mask, low}});
  if (units == 8)
    result.push_back({{first + 2, 7, low}, {first, 3, low + 1}});
  // Half lines: the row's lowest bit chooses the half, and takes part.
  if (units == 4 && width * 2 == line)
    result.push_back(
        {{first, 3, low}, {first + 2, 1, low}, {first + 3, 1, low + 2}});
  if (unit >= 2 && width >= line)
    result.push_back({{first, 2 * mask + 1, low - 1}});
  return result;
}

std::vector<Layout> tile::swizzleCandidates(AllocOp alloc) {
  auto type = cast<MemRefType>(alloc.getType());
  ArrayRef<int64_t> shape = type.getShape();
  int64_t bytes = getElementBytes(type), unit = 16 / bytes, line = 128 / bytes;
  Columns cols = columnsOf(alloc, unit);
  int64_t width = shape[cols.dim];
  bool hasRows = shape.size() >= 2;
  unsigned rowDim =
      hasRows ? (cols.dim == shape.size() - 1 ? cols.dim - 1 : cols.dim + 1)
              : 0;
  int64_t rows = hasRows ? shape[rowDim] : 1;

  /// Outer dimensions follow the tile, each copy at a multiple of the XORs'
  /// reach.
  std::vector<Layout> result;
  auto add = [&](Layout::Digits colDigits, Layout::Digits rowDigits,
                 int64_t span, ArrayRef<XorTerm> xors) {
    SmallVector<Layout::Digits> dims(shape.size());
    dims[cols.dim] = joined(colDigits);
    if (hasRows)
      dims[rowDim] = rowDigits;
    int64_t reach = 1;
    for (const XorTerm &x : xors)
      reach = std::max<int64_t>(
          reach, llvm::PowerOf2Ceil((x.mask << x.shiftRight) + 1));
    int64_t stride = llvm::alignTo(span, std::min(reach, span ? reach : 1));
    for (int d = int(shape.size()) - 1; d >= 0; --d) {
      if (unsigned(d) == cols.dim || (hasRows && unsigned(d) == rowDim))
        continue;
      if (shape[d] > 1)
        dims[d].push_back({shape[d], tlc::Place::Memory, stride});
      stride *= shape[d];
    }
    result.push_back(Layout(dims, xors));
  };
  auto rowsOf = [&](int64_t stride) {
    Layout::Digits digits;
    if (rows > 1)
      digits.push_back({rows, tlc::Place::Memory, stride});
    return digits;
  };

  // Terms whose row bits no row has are the same as none; drop them by reach.
  for (ArrayRef<XorTerm> xors : rowXors(width, unit, line))
    if (llvm::all_of(xors, [&](const XorTerm &x) {
          return (int64_t(1) << x.shiftRight) < rows * width;
        }))
      add(cols.digits, rowsOf(width), rows * width, xors);

  // Columns of units.
  if (width % unit == 0 && width > unit && rows > 1) {
    Layout::Digits digits;
    for (const Digit &d : cols.digits) {
      // A digit that crosses the unit is cut there.
      int64_t inside =
          d.stride < unit ? std::min(d.extent, unit / d.stride) : 1;
      if (inside > 1)
        digits.push_back({inside, tlc::Place::Memory, d.stride});
      if (d.extent / inside > 1)
        digits.push_back(
            {d.extent / inside, tlc::Place::Memory, d.stride * inside * rows});
    }
    add(digits, rowsOf(unit), rows * width, {});
    if (llvm::isPowerOf2_64(rows) && rows >= 8)
      add(digits, rowsOf(unit), rows * width,
          {{log2(rows * unit), 7, log2(unit)}});
  }

  // Padding: one unit, or half of one, more a row.
  if (rows > 1)
    for (int64_t pad : {unit, std::max<int64_t>(1, unit / 2)})
      if (width % pad == 0)
        add(cols.digits, rowsOf(width + pad), rows * (width + pad), {});
  return result;
}
