//===- LaneTables.cpp - Elements chosen by a number -----------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fragment that a loop reads at a place it computes, such as which blocks of
// keys a block of queries looks at, is in registers of every lane, and a step
// chooses among all of them. Instead, each lane takes the element of its number
// before the loop, and a step reads the lane that it wants.
//
//   scf.for %i ... {
//     %1 = arith.cmpi eq, %i, %c1
//     %s = arith.select %1, %v1, %v0
//     %2 = arith.cmpi eq, %i, %c2
//     %x = arith.select %2, %v2, %s
//     ...
// becomes
//   %t = arith.select %lane_is_1, %v1, %v0
//   %t2 = arith.select %lane_is_2, %v2, %t
//   ...
//   scf.for %i ... {
//     %u = wave.uniform %i
//     %x = wave.shuffle %t2, %u
//     ...
//
// The number is the same in all lanes, and all lanes take part where the table
// is made: behind no branch. A number of no lane gets what none of the
// comparisons chooses.
//
//===----------------------------------------------------------------------===//

#include "LaneTables.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "tlc/Support/LdsBanks.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::wave;

/// Elements that are worth a table.
constexpr size_t kFewest = 8;

namespace {
/// Selects by one number: of the last one the result is the table's.
struct Chain {
  Value number, otherwise;
  SmallVector<std::pair<int64_t, Value>> entries;
};
} // namespace

/// Whether all lanes that come to a value have the same.
static bool isUniform(Value v, unsigned depth = 0) {
  constexpr unsigned kDeepest = 8;
  if (auto arg = dyn_cast<BlockArgument>(v)) {
    auto loop = dyn_cast<scf::ForOp>(arg.getOwner()->getParentOp());
    return loop ? arg == loop.getInductionVar() &&
                      isUniform(loop.getLowerBound(), depth + 1) &&
                      isUniform(loop.getStep(), depth + 1)
                : isa<KernelOp>(arg.getOwner()->getParentOp());
  }
  Operation *op = v.getDefiningOp();
  if (isa<BlockIdOp, WaveIdOp, UniformOp>(op))
    return true;
  return depth < kDeepest && !isa<ThreadIdOp, LaneIdOp>(op) && isPure(op) &&
         !op->getNumRegions() &&
         llvm::all_of(
             op->getOperands(),
             [&](Value o) { return isUniform(o, depth + 1); });
}

/// A select by whether a number equals a constant.
static bool matchEntry(Value v, Value &number, int64_t &constant,
                       arith::SelectOp &select) {
  select = v.getDefiningOp<arith::SelectOp>();
  auto cmp = select ? select.getCondition().getDefiningOp<arith::CmpIOp>()
                    : arith::CmpIOp();
  APInt value;
  if (!cmp || cmp.getPredicate() != arith::CmpIPredicate::eq ||
      !cmp.getLhs().getType().isInteger(32) ||
      !matchPattern(cmp.getRhs(), m_ConstantInt(&value)))
    return false;
  number = cmp.getLhs();
  constant = value.getSExtValue();
  return true;
}

static Chain chainOf(arith::SelectOp last) {
  Chain chain;
  Value v = last, number;
  int64_t constant;
  arith::SelectOp select;
  while (matchEntry(v, number, constant, select) &&
         (!chain.number || number == chain.number)) {
    chain.number = number;
    chain.entries.push_back({constant, select.getTrueValue()});
    v = select.getFalseValue();
  }
  chain.otherwise = v;
  return chain;
}

/// Replaces a chain in a loop by a table before it.
static void makeTable(KernelOp kernel, arith::SelectOp last,
                      const Chain &chain) {
  Block &body = kernel.getBody().front();
  Operation *top = body.findAncestorOpInBlock(*last);
  auto isBefore = [&](Value v) {
    Operation *def = v.getDefiningOp();
    return def ? def->getBlock() == &body && def->isBeforeInBlock(top)
               : v.getParentBlock() == &body;
  };
  Type type = last.getType();
  if (top == last || !type.isIntOrFloat() ||
      type.getIntOrFloatBitWidth() > 32 || !isUniform(chain.number) ||
      !isBefore(chain.otherwise) ||
      !llvm::all_of(chain.entries,
                    [&](const auto &entry) { return isBefore(entry.second); }))
    return;
  llvm::SmallDenseSet<int64_t> lanes;
  for (auto &[constant, value] : chain.entries)
    if (constant < 0 || constant >= kWaveSize || !lanes.insert(constant).second)
      return;
  // The lane that has what no comparison chooses.
  int64_t other = 0;
  while (lanes.contains(other))
    ++other;
  if (other >= kWaveSize)
    return;
  OpBuilder b(top);
  Location loc = last.getLoc();
  auto number = [&](int64_t n) {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(n));
  };
  Value lane = LaneIdOp::create(b, loc, b.getI32Type()),
        table = chain.otherwise;
  for (auto &[constant, value] : chain.entries) {
    Value is = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, lane,
                                     number(constant));
    table = arith::SelectOp::create(b, loc, is, value, table);
  }
  b.setInsertionPoint(last);
  Value exists = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                       chain.number, number(kWaveSize));
  Value from =
      arith::SelectOp::create(b, loc, exists, chain.number, number(other));
  from = UniformOp::create(b, loc, from.getType(), from);
  last.replaceAllUsesWith(
      ShuffleOp::create(b, loc, type, table, from).getResult());
}

void wave::makeLaneTables(KernelOp kernel) {
  SmallVector<arith::SelectOp> selects;
  kernel.walk([&](arith::SelectOp op) {
    if (op->getParentOfType<scf::ForOp>())
      selects.push_back(op);
  });
  // The last of a chain first.
  llvm::SmallPtrSet<Operation *, 16> taken;
  for (arith::SelectOp last : llvm::reverse(selects)) {
    Chain chain = chainOf(last);
    if (taken.contains(last) || chain.entries.size() < kFewest)
      continue;
    for (arith::SelectOp op = last;
         op && taken.insert(op).second && op.getResult() != chain.otherwise;)
      op = op.getFalseValue().getDefiningOp<arith::SelectOp>();
    makeTable(kernel, last, chain);
  }
}
