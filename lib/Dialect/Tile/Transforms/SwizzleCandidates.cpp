//===- SwizzleCandidates.cpp - Layouts worth trying for LDS -----*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An order cuts the last two dimensions into `rows` and `cols`, cols innermost:
//
// * rows x cols: a row's 16-byte units lie side by side;
// * units x rows: unit u of row r lies at u * rows + r, so that neighbouring
//   rows touch whatever their width;
// * padded rows, a unit or half of one longer.
//
// XORs that keep accesses apart are looked for in each of them.
//
//===----------------------------------------------------------------------===//

#include "SwizzleCandidates.h"
#include "LayoutInference.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

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
  // Digits of the unit get the low strides, the others follow in their order.
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
    GemmConfig config = getGemmConfig(gemm);
    // Read in runs along the rows; another gemm may want k.
    if ((operand == 0 ? config.runM : config.runN) > 1 &&
        !wantsTranspose(alloc))
      continue;
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

unsigned tile::innermostDim(AllocOp alloc) { return columnsOf(alloc, 1).dim; }

ElementOrder::ElementOrder(ArrayRef<int64_t> shape,
                           ArrayRef<Layout::Digits> dims, int64_t span)
    : shape(shape), dims(dims), tileSpan(span) {}

/// Whether the tile stands in the buffer more than once (copies, leading
/// dimensions).
bool ElementOrder::isRepeated() const {
  for (auto [extent, digits] : llvm::zip_equal(shape, dims))
    if (digits.empty() && extent > 1)
      return true;
  return false;
}

/// Copies of the tile follow one another at multiples of `alignment` elements.
Layout ElementOrder::layout(ArrayRef<XorTerm> xors, int64_t alignment) const {
  SmallVector<Layout::Digits> all(dims);
  int64_t stride = llvm::alignTo(tileSpan, alignment);
  for (int d = int(shape.size()) - 1; d >= 0; --d)
    if (all[d].empty() && shape[d] > 1) {
      all[d].push_back({shape[d], tlc::Place::Memory, stride});
      stride *= shape[d];
    }
  return Layout(all, xors);
}

std::optional<unsigned> tile::rowDim(AllocOp alloc) {
  unsigned rank = cast<MemRefType>(alloc.getType()).getRank();
  if (rank < 2)
    return std::nullopt;
  return innermostDim(alloc) == rank - 1 ? rank - 2 : rank - 1;
}

/// Plain order first, then columns of units, then padding: the order of
/// preference at equal cost.
std::vector<ElementOrder> tile::elementOrders(AllocOp alloc,
                                              ArrayRef<int64_t> shape) {
  auto type = cast<MemRefType>(alloc.getType());
  int64_t unit = 16 / getElementBytes(type);
  Columns cols = columnsOf(alloc, unit);
  int64_t width = shape[cols.dim];
  bool hasRows = shape.size() >= 2;
  unsigned rowDim =
      hasRows ? (cols.dim == shape.size() - 1 ? cols.dim - 1 : cols.dim + 1)
              : 0;
  int64_t rows = hasRows ? shape[rowDim] : 1;

  std::vector<ElementOrder> result;
  auto add = [&](Layout::Digits colDigits, int64_t rowStride, int64_t span) {
    SmallVector<Layout::Digits> dims(shape.size());
    if (width > 1)
      dims[cols.dim] = joined(colDigits);
    if (rows > 1)
      dims[rowDim].push_back({rows, tlc::Place::Memory, rowStride});
    result.emplace_back(shape, dims, span);
  };
  add(cols.digits, width, rows * width);

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
    add(digits, unit, rows * width);
  }

  if (rows > 1)
    for (int64_t pad : {unit, std::max<int64_t>(1, unit / 2)})
      if (width % pad == 0)
        add(cols.digits, width + pad, rows * (width + pad));
  return result;
}
