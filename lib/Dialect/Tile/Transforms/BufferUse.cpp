//===- BufferUse.cpp - Who reads and writes a buffer ------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accesses are read off the memory effects that the ODS declares per operand,
// so that a new tile op is known to all passes at once. Uniformity is a walk
// back from a value to its sources; a cycle of loop-carried values counts as
// uniform until something in it is not, the greatest fixed point.
//
//===----------------------------------------------------------------------===//

#include "BufferUse.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

/// Ops of other dialects and effects without an operand give none. A buffer
/// that stands in two operands is listed once, with both effects.
SmallVector<BufferUse, 3> tile::getUses(Operation *op) {
  SmallVector<BufferUse, 3> result;
  auto iface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!iface || !isa_and_nonnull<TileDialect>(op->getDialect()))
    return result;
  SmallVector<MemoryEffects::EffectInstance> effects;
  iface.getEffects(effects);
  for (const MemoryEffects::EffectInstance &effect : effects) {
    OpOperand *operand = effect.getEffectValue<OpOperand *>();
    if (!operand)
      continue;
    Value buffer = operand->get();
    auto *known =
        llvm::find_if(result, [&](BufferUse &a) { return a.buffer == buffer; });
    if (known == result.end()) {
      result.push_back({op, buffer, false, false});
      known = &result.back();
    }
    known->read |= isa<MemoryEffects::Read>(effect.getEffect());
    known->write |= isa<MemoryEffects::Write>(effect.getEffect());
  }
  // A reduction that does not accumulate overwrites its result.
  if (auto reduce = dyn_cast<ReduceOp>(op))
    if (!reduce.getAccumulate() && reduce.getSrc() != reduce.getDst())
      for (BufferUse &access : result)
        if (access.buffer == reduce.getDst())
          access.read = false;
  return result;
}

/// First the users of everything made of `base`, then one walk that puts their
/// accesses into program order, which liveness needs.
SmallVector<BufferUse> tile::getAllUses(Value base) {
  llvm::SmallPtrSet<Operation *, 16> users;
  SmallVector<Value> work = {base};
  while (!work.empty()) {
    Value v = work.pop_back_val();
    for (Operation *user : v.getUsers()) {
      if (isa<ViewOp, AliasOp>(user))
        work.push_back(user->getResult(0));
      else
        users.insert(user);
    }
  }
  SmallVector<BufferUse> result;
  if (users.empty())
    return result;
  Operation *root = base.getParentRegion()->getParentOp();
  // A base is used within its own region only.
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (users.contains(op))
      for (const BufferUse &access : getUses(op))
        if (getBase(access.buffer) == base)
          result.push_back(access);
  });
  return result;
}

/// Conservative: a view whose offsets are zero only at run time counts as a
/// part.
bool tile::coversBase(Value buffer) {
  while (Operation *op = buffer.getDefiningOp()) {
    if (auto alias = dyn_cast<AliasOp>(op)) {
      buffer = alias.getSource();
      continue;
    }
    auto view = dyn_cast<ViewOp>(op);
    if (!view)
      return true;
    if (cast<MemRefType>(view.getType()).getShape() !=
        cast<MemRefType>(view.getSource().getType()).getShape())
      return false;
    for (Value offset : view.getOffsets())
      if (!matchPattern(offset, m_Zero()))
        return false;
    buffer = view.getSource();
  }
  return true;
}

/// Whether a loop over points stores every element of the buffer by this op:
/// its indices are the points, and where it stands in a branch the other branch
/// stores the same element.
static bool storesAll(StoreOp store) {
  auto loop = store->getParentOfType<ParallelOp>();
  if (store->hasAttr(kOverwritesAttr))
    return true;
  if (!loop)
    return false;
  auto shape = cast<MemRefType>(store.getDest().getType()).getShape();
  llvm::SmallDenseSet<Value> seen;
  for (auto [index, extent] : llvm::zip_equal(store.getIndices(), shape)) {
    auto point = dyn_cast<BlockArgument>(index);
    if (extent == 1 && matchPattern(index, m_Zero()))
      continue;
    if (!point || point.getOwner() != &loop.getBody().front() ||
        loop.getExtents()[point.getArgNumber()] != extent ||
        !seen.insert(index).second)
      return false;
  }
  for (Operation *op = store; op->getParentOp() != loop;
       op = op->getParentOp()) {
    auto branch = dyn_cast<scf::IfOp>(op->getParentOp());
    if (!branch || branch.getElseRegion().empty())
      return false;
    Block *other = op->getBlock() == branch.thenBlock() ? branch.elseBlock()
                                                        : branch.thenBlock();
    if (llvm::none_of(other->getOps<StoreOp>(), [&](StoreOp s) {
          return s.getDest() == store.getDest() &&
                 s.getIndices() == store.getIndices();
        }))
      return false;
  }
  return true;
}

bool tile::overwritesBase(const BufferUse &access) {
  if (access.read || !access.write || !coversBase(access.buffer))
    return false;
  if (auto store = dyn_cast<StoreOp>(access.op))
    return storesAll(store);
  return isa<CopyOp, FillOp, TransposeOp, ScanOp, ReduceOp>(access.op);
}

/// Types of the views and aliases follow; the ops on them need no change, since
/// none fixes a space.
void tile::moveTo(Value buffer, Space space) {
  auto type = cast<MemRefType>(buffer.getType());
  buffer.setType(MemRefType::get(type.getShape(), type.getElementType(),
                                 type.getLayout(),
                                 SpaceAttr::get(buffer.getContext(), space)));
  for (Operation *user : buffer.getUsers())
    if (isa<ViewOp, AliasOp>(user))
      moveTo(user->getResult(0), space);
}

int64_t tile::getElementBytes(Type memref) {
  unsigned bits = cast<MemRefType>(memref).getElementTypeBitWidth();
  return bits < 8 ? 1 : bits / 8;
}

/// A layout's span may exceed the number of elements: padded rows.
int64_t tile::getLdsBytes(AllocOp alloc) {
  auto type = cast<MemRefType>(alloc.getType());
  int64_t elements = type.getNumElements();
  if (auto layout = alloc.getLayout())
    elements = layout->getLayout().span(Place::Memory);
  return elements * getElementBytes(type);
}

SmallVector<AllocOp> tile::getAllocs(Operation *root, Space space) {
  SmallVector<AllocOp> result;
  root->walk<WalkOrder::PreOrder>([&](AllocOp alloc) {
    if (getSpace(alloc.getResult()) == space)
      result.push_back(alloc);
  });
  return result;
}

/// Whether a value is the same in all threads, given that all of `seen` is: a
/// value met again, in a loop's cycle, is judged by the rest of the cycle.
static bool uniform(Value value, llvm::SmallPtrSetImpl<const void *> &seen) {
  if (!seen.insert(value.getAsOpaquePointer()).second)
    return true;
  auto all = [&](ValueRange values) {
    return llvm::all_of(values, [&](Value v) { return uniform(v, seen); });
  };
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    Operation *parent = arg.getOwner()->getParentOp();
    if (isa<ParallelOp>(parent))
      return false;
    if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      // At a time all threads are in the same trip: the upper bound does not
      // matter to the variable.
      if (arg == loop.getInductionVar())
        return all({loop.getLowerBound(), loop.getStep()});
      OpOperand *init = loop.getTiedLoopInit(arg);
      OpOperand *yielded = loop.getTiedLoopYieldedValue(arg);
      // The number of trips decides which value is last seen.
      return all({init->get(), yielded->get(), loop.getLowerBound(),
                  loop.getUpperBound(), loop.getStep()});
    }
    if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
      return all(loop.getInits()) && all(loop.getYieldOp()->getOperands()) &&
             all(loop.getConditionOp()->getOperands());
    }
    return isa<KernelOp, FuncOp>(parent);
  }
  Operation *op = value.getDefiningOp();
  if (isa<ThreadIdOp, AtomicOp, ShuffleOp, BallotOp>(op))
    return false;
  if (auto load = dyn_cast<LoadOp>(op)) {
    // Shared and global memory hold one value for all; an address that is the
    // same reads the same.
    if (getSpace(load.getSource()) != Space::Local)
      return all(load.getIndices());
    // A local buffer is as uniform as what is stored in it.
    if (!all(load.getIndices()))
      return false;
    for (const BufferUse &access : getAllUses(getBase(load.getSource()))) {
      if (!access.write)
        continue;
      for (Value operand : access.op->getOperands())
        if (!isa<MemRefType>(operand.getType()) && !uniform(operand, seen))
          return false;
      // A store under a condition that differs, or once a point, makes the
      // content differ.
      for (Operation *p = access.op->getParentOp(); p && !isa<KernelOp>(p);
           p = p->getParentOp()) {
        if (isa<ParallelOp>(p))
          return false;
        if (auto branch = dyn_cast<scf::IfOp>(p))
          if (!uniform(branch.getCondition(), seen))
            return false;
      }
    }
    return true;
  }
  // Of pure ops and of branches on uniform conditions.
  if (!all(op->getOperands()))
    return false;
  // Results of an if or loop depend on what its regions yield.
  bool result = true;
  for (mlir::Region &region : op->getRegions())
    for (Block &block : region)
      result = result && all(block.getTerminator()->getOperands());
  return result;
}

bool tile::isUniform(Value value) {
  llvm::SmallPtrSet<const void *, 32> seen;
  return uniform(value, seen);
}

/// To a fixed point, from users to what they used. `root` itself stays.
void tile::eraseDeadCode(Operation *root) {
  bool changed = true;
  while (changed) {
    changed = false;
    root->walk<WalkOrder::PostOrder>([&](Operation *op) {
      if (op != root && isOpTriviallyDead(op)) {
        op->erase();
        changed = true;
      }
    });
  }
}
