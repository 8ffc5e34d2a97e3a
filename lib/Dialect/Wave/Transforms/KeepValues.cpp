//===- KeepValues.cpp - What a branch changes and the loop leaves ---------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of a scheduled loop run ahead: what an iteration hands on, such as a
// running maximum, the loop leaves as it was some rows ago. If both that and
// the new value are handed on from row to row, the way around a branch that
// seldom changes it holds a copy. So the branch keeps the values before its
// last changes, and how many of the last rows changed it says which one to
// leave:
//
//   %m, %before = scf.if %moved {                  // %arg: as the row found it
//     %kept = wave.opaque %arg
//     %new = arith.maxnumf %arg, ...
//     scf.yield %new, %kept
//   } else {
//     scf.yield %arg, %arg_before
//   }
//   ...                                            // behind the loop:
//   %left = arith.select %last_moved, %last_before, %last_m
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::wave;

/// The branch that alone changes what an iteration hands on and the loop
/// leaves.
scf::IfOp Emitter::keeperOf(BlockArgument arg) {
  Value next = yieldOf(arg);
  auto branch = next.getDefiningOp<scf::IfOp>();
  if (!branch || !branch.elseBlock() || loop.getTiedLoopResult(arg).use_empty())
    return {};
  unsigned number = cast<OpResult>(next).getResultNumber();
  bool taken =
      arg.getType().isF32() && branch.elseYield().getOperand(number) == arg;
  return taken ? branch : scf::IfOp();
}

/// The clone of a branch, made to give also what it changes and the loop keeps,
/// as it was before.
Operation *Emitter::keep(Operation *op, Operation *clone, Row &row, int stage) {
  // The oldest first, so that each takes its register from the next.
  SmallVector<Carried> keeps;
  for (auto &[arg, k] : kept)
    for (int lag = k.lag; lag > 1 && row.iv && keeperOf(arg) == op; --lag)
      keeps.push_back({arg, lag});
  if (keeps.empty())
    return clone;
  auto branch = cast<scf::IfOp>(clone);
  SmallVector<Type> types(clone->getResultTypes());
  for (auto [arg, lag] : keeps)
    types.push_back(arg.getType());
  auto wider = scf::IfOp::create(b, clone->getLoc(), types,
                                 branch.getCondition(), /*withElse=*/true);
  wider->setDiscardableAttrs(clone->getDiscardableAttrDictionary());
  wider.getThenRegion().takeBody(branch.getThenRegion());
  wider.getElseRegion().takeBody(branch.getElseRegion());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(wider.thenBlock());
  for (auto [i, key] : llvm::enumerate(keeps)) {
    auto [arg, lag] = key;
    Value before = lag == 2 ? get(arg, row, stage)
                            : row.in[carried.lookup({arg, lag - 1})];
    // Opaque, or the new value would be made in another register.
    before = OpaqueOp::create(b, op->getLoc(), arg.getType(), before);
    wider.thenYield()->insertOperands(wider.thenYield().getNumOperands(),
                                      before);
    wider.elseYield()->insertOperands(wider.elseYield().getNumOperands(),
                                      row.in[carried.lookup(key)]);
    row.kept[key] = wider.getResult(clone->getNumResults() + i);
  }
  clone->erase();
  return wider;
}

/// Of an argument that a branch keeps, what the loop leaves.
Value Emitter::leaveKept(BlockArgument arg, Kept keeps,
                         ArrayRef<Value> values) {
  Location loc = loop.getLoc();
  Type type = b.getI32Type();
  auto number = [&](int v) {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(v));
  };
  Value changes = number(0);
  for (Value flag : values.slice(keeps.flags, keeps.lag - 1)) {
    flag = arith::ExtUIOp::create(b, loc, type, flag);
    changes = arith::AddIOp::create(b, loc, changes, flag);
  }
  // Opaque, or the choice would be made in the loop again.
  changes = OpaqueOp::create(b, loc, type, changes);
  Value left = values[carried.lookup({arg, 1})];
  for (int lag = 2; lag <= keeps.lag; ++lag) {
    Value is = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, changes,
                                     number(lag - 1));
    left = arith::SelectOp::create(b, loc, is,
                                   values[carried.lookup({arg, lag})], left);
  }
  return left;
}
