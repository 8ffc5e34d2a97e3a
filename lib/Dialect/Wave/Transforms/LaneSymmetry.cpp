//===- LaneSymmetry.cpp - Values that partner lanes share -----------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A walk from a value to what it is made of. What a loop carries is taken to be
// symmetric until its initial value or what the body leaves proves otherwise.
//
//===----------------------------------------------------------------------===//

#include "LaneSymmetry.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::wave;

namespace {
class Symmetry {
public:
  explicit Symmetry(int64_t mask) : mask(mask) {}
  bool holds(Value value);

private:
  bool holdsFor(Operation *op, Value result);
  bool isCombination(Operation *op);
  int64_t mask;
  llvm::DenseSet<Value> assumed;
};
} // namespace

/// An operator that does not mind its operands' order, of a value and of the
/// partner's.
bool Symmetry::isCombination(Operation *op) {
  if (!isa<arith::MaxNumFOp, arith::MinNumFOp, arith::AddFOp, arith::MaxSIOp,
           arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp, arith::AddIOp>(op))
    return false;
  for (int i = 0; i < 2; ++i)
    if (auto shuffle = op->getOperand(i).getDefiningOp<ShuffleXorOp>())
      if (int64_t(shuffle.getMask()) == mask &&
          shuffle.getValue() == op->getOperand(1 - i))
        return true;
  return false;
}

bool Symmetry::holdsFor(Operation *op, Value result) {
  if (op->hasTrait<OpTrait::ConstantLike>() ||
      isa<BlockIdOp, WaveIdOp, UniformOp, AnyOp, BallotOp>(op))
    return true;
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return holds(loop.getTiedLoopRegionIterArg(cast<OpResult>(result)));
  if (isa<ThreadIdOp, LaneIdOp, ShuffleOp>(op) || op->getNumRegions() ||
      !isMemoryEffectFree(op))
    return false;
  if (isCombination(op))
    return true;
  return llvm::all_of(op->getOperands(), [&](Value v) { return holds(v); });
}

bool Symmetry::holds(Value value) {
  if (!assumed.insert(value).second)
    return true;
  if (Operation *op = value.getDefiningOp())
    return holdsFor(op, value);
  auto arg = cast<BlockArgument>(value);
  Operation *parent = arg.getOwner()->getParentOp();
  if (isa<KernelOp>(parent))
    return true;
  auto loop = dyn_cast<scf::ForOp>(parent);
  if (!loop)
    return false;
  // Lanes in different iterations would not be partners.
  if (!holds(loop.getLowerBound()) || !holds(loop.getUpperBound()) ||
      !holds(loop.getStep()))
    return false;
  return arg == loop.getInductionVar() ||
         (holds(loop.getTiedLoopInit(arg)->get()) &&
          holds(loop.getTiedLoopYieldedValue(arg)->get()));
}

bool wave::isSymmetric(Value value, int64_t mask) {
  return Symmetry(mask).holds(value);
}
