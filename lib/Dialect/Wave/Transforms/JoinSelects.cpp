//===- JoinSelects.cpp - Choices of elements side by side, as vectors -----===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements of one access that are kept or replaced by a constant under one
// condition (`T.if_then_else(row < rows, A[row, col], 0)`), and put together
// again, are chosen as a vector: elements of 16 bits and less would be taken
// apart, chosen one by one, and packed.
//
//   %a = vector.extract %v[0]
//   %b = vector.extract %v[1]
//   %x = arith.select %c, %a, %zero
//   %y = arith.select %c, %b, %zero
//   %w = vector.from_elements %x, %y      =>   %w = arith.select %c, %v, %zeros
//
//===----------------------------------------------------------------------===//

#include "JoinSelects.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tlc;

/// The vector that the select of vectors gives; null if elements are others.
static Value joined(vector::FromElementsOp pack) {
  auto first = pack.getElements().front().getDefiningOp<arith::SelectOp>();
  if (!first || !first.getCondition().getType().isInteger(1))
    return {};
  // Which operand of the selects the constants are.
  Attribute constant;
  bool last = matchPattern(first.getFalseValue(), m_Constant(&constant));
  if (!last && !matchPattern(first.getTrueValue(), m_Constant(&constant)))
    return {};
  Value source;
  int64_t begin = 0;
  SmallVector<Attribute> constants;
  for (auto [i, element] : llvm::enumerate(pack.getElements())) {
    auto select = element.getDefiningOp<arith::SelectOp>();
    if (!select || select.getCondition() != first.getCondition() ||
        !matchPattern(last ? select.getFalseValue() : select.getTrueValue(),
                      m_Constant(&constant)) ||
        !isa<IntegerAttr, FloatAttr>(constant)) // not poison
      return {};
    constants.push_back(constant);
    Value kept = last ? select.getTrueValue() : select.getFalseValue();
    auto part = kept.getDefiningOp<vector::ExtractOp>();
    if (!part || part.getStaticPosition().size() != 1 ||
        part.hasDynamicPosition())
      return {};
    if (i == 0) {
      source = part.getSource();
      begin = part.getStaticPosition()[0];
    }
    if (part.getSource() != source ||
        part.getStaticPosition()[0] != begin + int64_t(i))
      return {};
  }
  auto type = cast<VectorType>(pack.getType());
  OpBuilder b(pack);
  Location loc = pack.getLoc();
  if (source.getType() != type)
    source = vector::ExtractStridedSliceOp::create(
        b, loc, source, ArrayRef<int64_t>{begin},
        ArrayRef<int64_t>{type.getNumElements()}, ArrayRef<int64_t>{1});
  Value other = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(type, constants));
  return arith::SelectOp::create(b, loc, first.getCondition(),
                                 last ? source : other, last ? other : source);
}

void wave::joinSelects(Operation *kernel) {
  kernel->walk([](vector::FromElementsOp pack) {
    auto type = cast<VectorType>(pack.getType());
    unsigned bits = type.getElementTypeBitWidth();
    if (type.getRank() != 1 || bits >= 32 ||
        type.getNumElements() * bits % 32 != 0)
      return;
    if (Value vector = joined(pack))
      pack.replaceAllUsesWith(vector);
  });
}
