//===- HoistInvariants.cpp - Uniform parts of indices -----------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is the same for all points of a tile.parallel is computed before it, so
// that an index is a point plus one value from outside: such indices are known
// to the layouts and reach memory by wide instructions; others go element by
// element. Sums are regrouped for it, products over sums distributed.
//
//   tile.parallel (%i) { %u = muli %bx, 64; %x = addi %u, %i; %y = addi %x, %k
//   }
//     -> %u = muli %bx, 64
//        %s = addi %u, %k
//        tile.parallel (%i) { %y = addi %i, %s }
//
//===----------------------------------------------------------------------===//

#include "BufferUse.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

namespace {
class Hoister {
public:
  explicit Hoister(ParallelOp loop) : loop(loop), b(loop) {}
  void run();

private:
  bool isOutside(Value v) {
    return !loop->isAncestor(v.getParentBlock()->getParentOp());
  }
  /// Splits a sum inside the loop into an outside and another operand.
  bool splitSum(Value v, Value &outside, Value &rest) {
    auto add = v.getDefiningOp<arith::AddIOp>();
    if (!add || isOutside(v))
      return false;
    for (unsigned i : {0u, 1u})
      if (isOutside(add->getOperand(i))) {
        outside = add->getOperand(i);
        rest = add->getOperand(1 - i);
        return !isOutside(rest);
      }
    return false;
  }
  /// An op of outside operands, before the loop.
  template <typename Op> Value before(Location loc, Value x, Value y) {
    b.setInsertionPoint(loop);
    return b.createOrFold<Op>(loc, x, y);
  }
  bool rewrite(Operation *op);

  ParallelOp loop;
  OpBuilder b;
};
} // namespace

bool Hoister::rewrite(Operation *op) {
  Location loc = op->getLoc();
  auto replace = [&](Value x, Value y) {
    b.setInsertionPoint(op);
    op->getResult(0).replaceAllUsesWith(arith::AddIOp::create(b, loc, x, y));
    op->erase();
    return true;
  };
  Value u, p, v;
  // (u + p) + v = p + (u + v)
  if (isa<arith::AddIOp>(op))
    for (unsigned i : {0u, 1u})
      if (v = op->getOperand(i);
          isOutside(v) && splitSum(op->getOperand(1 - i), u, p))
        return replace(p, before<arith::AddIOp>(loc, u, v));
  // p - v = p + (0 - v); (u + p) - q is left alone.
  if (isa<arith::SubIOp>(op) && isOutside(op->getOperand(1))) {
    b.setInsertionPoint(loop);
    Value zero = arith::ConstantOp::create(
        b, loc, b.getIntegerAttr(op->getResult(0).getType(), 0));
    return replace(op->getOperand(0),
                   before<arith::SubIOp>(loc, zero, op->getOperand(1)));
  }
  // (u + p) * c = p * c + u * c
  if (isa<arith::MulIOp>(op))
    for (unsigned i : {0u, 1u})
      if (v = op->getOperand(i); matchPattern(v, m_Constant()) &&
                                 isOutside(v) &&
                                 splitSum(op->getOperand(1 - i), u, p)) {
        b.setInsertionPoint(op);
        Value product = arith::MulIOp::create(b, loc, p, v);
        return replace(product, before<arith::MulIOp>(loc, u, v));
      }
  return false;
}

void Hoister::run() {
  for (bool changed = true; changed;) {
    changed = false;
    SmallVector<Operation *> ops;
    loop.getBody().walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops) {
      if (op->getNumRegions() || !op->getNumResults() || !isPure(op) ||
          isa<TensorOp, ViewOp, AliasOp>(op))
        continue;
      if (llvm::all_of(op->getOperands(),
                       [&](Value v) { return isOutside(v); })) {
        op->moveBefore(loop);
        changed = true;
      } else {
        changed |= rewrite(op);
      }
    }
  }
}

void tile::hoistInvariants(KernelOp kernel) {
  SmallVector<ParallelOp> loops;
  kernel.walk([&](ParallelOp loop) { loops.push_back(loop); });
  for (ParallelOp loop : loops)
    Hoister(loop).run();
}
