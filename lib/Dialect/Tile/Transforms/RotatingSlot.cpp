//===- RotatingSlot.cpp - Which copy of a multi-buffer a step uses --------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The index is ((iv - lower) / step + ahead) mod copies, with the parts left
// out that do nothing: for a loop from 0 by 1 and two copies, `iv mod 2` now
// and `(iv + 1) mod 2` next. Building and matching are kept side by side,
// because the one must recognise what the other makes, after canonicalization
// too.
//
//===----------------------------------------------------------------------===//

#include "tlc/Dialect/Tile/Transforms/RotatingSlot.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

static std::optional<int64_t> constant(Value value) {
  APInt c;
  if (matchPattern(value, m_ConstantInt(&c)))
    return c.getSExtValue();
  return std::nullopt;
}

static Value makeConstant(OpBuilder &b, Location loc, Type type, int64_t c) {
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, c));
}

/// Unsigned division: iv - lower is never negative inside the loop.
Value tile::buildSlot(OpBuilder &b, Location loc, const RotatingSlot &slot) {
  scf::ForOp loop = slot.loop;
  Value t = loop.getInductionVar();
  if (constant(loop.getLowerBound()) != 0)
    t = arith::SubIOp::create(b, loc, t, loop.getLowerBound());
  if (constant(loop.getStep()) != 1)
    t = arith::DivUIOp::create(b, loc, t, loop.getStep());
  if (slot.ahead)
    t = arith::AddIOp::create(b, loc, t,
                              makeConstant(b, loc, t.getType(), slot.ahead));
  t = arith::RemUIOp::create(b, loc, t,
                             makeConstant(b, loc, t.getType(), slot.copies));
  if (t.getType().isIndex())
    t = arith::IndexCastOp::create(b, loc, b.getI32Type(), t);
  return t;
}

/// From the outside in. Nothing for any other arithmetic: an index that is not
/// recognised may be any copy.
std::optional<RotatingSlot> tile::matchSlot(Value value) {
  RotatingSlot slot;
  if (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    value = cast.getIn();
  auto rem = value.getDefiningOp<arith::RemUIOp>();
  if (!rem)
    return std::nullopt;
  std::optional<int64_t> copies = constant(rem.getRhs());
  if (!copies || *copies < 1)
    return std::nullopt;
  slot.copies = *copies;
  value = rem.getLhs();
  if (auto add = value.getDefiningOp<arith::AddIOp>()) {
    std::optional<int64_t> ahead = constant(add.getRhs());
    if (!ahead || *ahead < 0)
      return std::nullopt;
    // Canonicalization may have added constants up beyond n.
    slot.ahead = *ahead % *copies;
    value = add.getLhs();
  }
  Value step, lower;
  if (auto div = value.getDefiningOp<arith::DivUIOp>()) {
    step = div.getRhs();
    value = div.getLhs();
  }
  if (auto sub = value.getDefiningOp<arith::SubIOp>()) {
    lower = sub.getRhs();
    value = sub.getLhs();
  }
  auto arg = dyn_cast<BlockArgument>(value);
  if (!arg)
    return std::nullopt;
  slot.loop = dyn_cast<scf::ForOp>(arg.getOwner()->getParentOp());
  if (!slot.loop || slot.loop.getInductionVar() != arg)
    return std::nullopt;
  // A missing division or subtraction stands for step 1 and lower bound 0.
  bool stepMatches =
      step ? constant(step) && constant(step) == constant(slot.loop.getStep())
           : constant(slot.loop.getStep()) == 1;
  bool lowerMatches =
      lower ? lower == slot.loop.getLowerBound() ||
                  (constant(lower) &&
                   constant(lower) == constant(slot.loop.getLowerBound()))
            : constant(slot.loop.getLowerBound()) == 0;
  if (!stepMatches || !lowerMatches)
    return std::nullopt;
  return slot;
}
