//===- ThreadAccesses.cpp - LDS accesses of code per thread -----*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Indices are evaluated for all threads at once, op by op.
//
//===----------------------------------------------------------------------===//

#include "ThreadAccesses.h"
#include "mlir/IR/Matchers.h"
#include "tlc/Dialect/Tile/IR/IntegerOps.h"
#include "tlc/Dialect/Tile/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"
#include <map>

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

namespace {
/// Numbers by thread; empty where they are not known.
using Numbers = SmallVector<int64_t>;

class Evaluator {
public:
  explicit Evaluator(int64_t threads) : threads(threads) {}
  const Numbers &of(Value v) {
    if (auto it = known.find(v); it != known.end())
      return it->second;
    Numbers numbers = compute(v); // which adds to the map
    return known[v] = std::move(numbers);
  }

private:
  Numbers compute(Value v);
  int64_t threads;
  llvm::DenseMap<Value, Numbers> known;
};
} // namespace

Numbers Evaluator::compute(Value v) {
  APInt constant;
  if (matchPattern(v, m_ConstantInt(&constant)))
    return Numbers(threads, constant.getSExtValue());
  if (auto arg = dyn_cast<BlockArgument>(v)) {
    Operation *owner = arg.getOwner()->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(owner))
      return arg == loop.getInductionVar() ? of(loop.getLowerBound())
                                           : Numbers();
    // The workgroup's place in the grid.
    return isa<KernelOp>(owner) ? Numbers(threads, 0) : Numbers();
  }
  Operation *op = v.getDefiningOp();
  if (auto id = dyn_cast<ThreadIdOp>(op)) {
    Numbers numbers;
    if (id.getDim() == 0)
      for (int64_t t = 0; t < threads; ++t)
        numbers.push_back(t);
    return numbers;
  }
  if (op->getNumRegions() || op->getNumResults() != 1)
    return {};
  SmallVector<Numbers, 3> in;
  for (Value operand : op->getOperands()) {
    in.push_back(of(operand));
    if (in.back().empty())
      return {};
  }
  Numbers numbers;
  SmallVector<int64_t, 3> at(in.size());
  for (int64_t t = 0; t < threads; ++t) {
    for (auto [number, table] : llvm::zip_equal(at, in))
      number = table[t];
    std::optional<int64_t> number = evaluateInteger(op, at);
    if (!number)
      return {};
    numbers.push_back(*number);
  }
  return numbers;
}

std::vector<ThreadAccess> tile::threadAccesses(AllocOp alloc, KernelOp kernel,
                                               int64_t threads,
                                               ArrayRef<int64_t> shape) {
  // By block and vector; an access alone by itself. In the order of their uses,
  // not of addresses, so that what follows is the same in every run.
  using Key = std::tuple<void *, const void *, unsigned>;
  llvm::MapVector<Key, SmallVector<Operation *>, std::map<Key, unsigned>>
      groups;
  for (Operation *op : alloc->getUsers()) {
    auto store = dyn_cast<StoreOp>(op);
    if ((!isa<LoadOp>(op) && !store) || op->getParentOfType<ParallelOp>() ||
        (store && store.getDest() != alloc.getResult()))
      continue;
    Attribute vector = op->getAttr(kVectorizedAttr);
    void *key = vector ? static_cast<void *>(op->getBlock()) : op;
    groups[{key, vector.getAsOpaquePointer(), unsigned(bool(store))}].push_back(
        op);
  }
  Evaluator evaluator(threads);
  std::vector<ThreadAccess> result;
  for (auto &[key, ops] : groups) {
    llvm::sort(ops, [](Operation *a, Operation *b) {
      return a->getBlock() == b->getBlock() && a->isBeforeInBlock(b);
    });
    ThreadAccess access{ops.front(), isa<StoreOp>(ops.front()), {}};
    HeldElements &held = access.held;
    held.registers = ops.size();
    held.threads = threads;
    held.exists.assign(ops.size(), true);
    bool known = true;
    for (Operation *op : ops) {
      OperandRange indices = isa<LoadOp>(op) ? cast<LoadOp>(op).getIndices()
                                             : cast<StoreOp>(op).getIndices();
      Numbers elements(threads, 0);
      for (auto [index, extent] : llvm::zip_equal(indices, shape)) {
        const Numbers &numbers = evaluator.of(index);
        known &= !numbers.empty();
        for (int64_t t = 0; t < threads && known; ++t)
          elements[t] = elements[t] * extent +
                        std::clamp<int64_t>(numbers[t], 0, extent - 1);
      }
      held.elements.insert(held.elements.end(), elements.begin(),
                           elements.end());
    }
    held.active.assign(held.elements.size(), true);
    if (known)
      result.push_back(std::move(access));
  }
  return result;
}
