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
// So is an element that all points read, of a tensor which the kernel does not
// write: the first row of a group, the length of a sequence. It also leaves the
// serial loops that do not change its indices.
//
//===----------------------------------------------------------------------===//

#include "BufferUse.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

namespace {
class Hoister {
public:
  Hoister(ParallelOp loop, const llvm::DenseSet<Value> &written)
      : loop(loop), written(written), b(loop) {}
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
  bool isMovable(Operation *op);
  bool rewrite(Operation *op);

  ParallelOp loop;
  const llvm::DenseSet<Value> &written;
  OpBuilder b;
};
} // namespace

/// Whether a load may be made anywhere: reads outside a tensor give its pad
/// value, and this one is not written.
static bool readsConstant(Operation *op, const llvm::DenseSet<Value> &written) {
  auto load = dyn_cast<LoadOp>(op);
  auto tensor = load ? load.getSource().getDefiningOp<TensorOp>() : TensorOp();
  return tensor && isa<BlockArgument>(tensor.getSource()) &&
         !written.contains(tensor.getSource());
}

/// The pointers through which a kernel writes.
static llvm::DenseSet<Value> findWritten(KernelOp kernel) {
  llvm::DenseSet<Value> written;
  kernel->getParentOp()->walk([&](Operation *op) {
    for (const BufferUse &use : getUses(op))
      if (auto tensor = getBase(use.buffer).getDefiningOp<TensorOp>();
          tensor && use.write)
        written.insert(tensor.getSource());
  });
  return written;
}

bool Hoister::isMovable(Operation *op) {
  if (op->getNumRegions() || !op->getNumResults())
    return false;
  if (isPure(op))
    return true;
  // A condition that is the same for all points may say whether the argument is
  // there at all.
  for (Operation *p = op->getParentOp(); p != loop; p = p->getParentOp()) {
    auto branch = dyn_cast<scf::IfOp>(p);
    if (!branch || isUniform(branch.getCondition()))
      return false;
  }
  return readsConstant(op, written);
}

/// Moves an op, and what makes its operands, out of the serial loops that do
/// not change them.
static void leaveLoops(Operation *op) {
  while (auto loop = dyn_cast<scf::ForOp>(op->getParentOp())) {
    llvm::SetVector<Operation *> needed;
    auto collect = [&](auto &&self, Operation *each) -> bool {
      for (Value v : each->getOperands()) {
        Operation *def = v.getDefiningOp();
        if (def ? !loop->isAncestor(def)
                : !loop->isAncestor(v.getParentBlock()->getParentOp()))
          continue;
        if (!def || def->getBlock() != loop.getBody() || !isPure(def) ||
            def->getNumRegions() || !self(self, def))
          return false;
      }
      needed.insert(each);
      return true;
    };
    if (!collect(collect, op))
      return;
    for (Operation *each : needed)
      each->moveBefore(loop);
  }
}

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
      if (isa<TensorOp, ViewOp, AliasOp>(op) || !isMovable(op))
        continue;
      if (llvm::all_of(op->getOperands(),
                       [&](Value v) { return isOutside(v); })) {
        op->moveBefore(loop);
        if (isa<LoadOp>(op))
          leaveLoops(op);
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
  llvm::DenseSet<Value> written = findWritten(kernel);
  for (ParallelOp loop : loops)
    Hoister(loop, written).run();
}
