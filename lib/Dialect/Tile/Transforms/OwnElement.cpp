//===- OwnElement.cpp - Elements that one thread has for itself -*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Indices are evaluated for every thread of the workgroup, by the folders of
// their ops; a number that is the same for all of them, but unknown, and
// multiples of loop variables may be added. From one trip of a loop to another
// an index is the same thread's if a trip's stride is longer than all that the
// threads, and the loops with shorter strides, span. If all threads get
// different values, or tuples of them, each has its elements for itself.
//
//   s[u + t] and s[u + t]             own:  t differs
//   s[t / 32, t % 32, u], twice       own:  the first two together
//   s[256 * k + t], in a loop of k    own:  256 threads span 255
//   s[t / 2] and s[t / 2]             not:  threads 0 and 1
//   s[(t + k) % 256], in a loop of k  not from one trip to the next
//
// Whether they are handed on between threads for certain, as in the last one,
// is found by walking through all trips of the loops.
//
//===----------------------------------------------------------------------===//

#include "OwnElement.h"
#include "BufferUse.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include <map>
#include <set>

using namespace mlir;
using namespace tlc::tile;

/// Points beyond this are not evaluated.
static constexpr int64_t kMostPoints = 1 << 14;

static bool isPlain(Operation *op) {
  return op->getNumRegions() == 0 && isPure(op);
}

/// Whether both are computed the same way from the same values. \p same: pairs
/// met before, for what is computed may be used many times.
static bool isSame(Value a, Value b,
                   llvm::DenseSet<std::pair<Value, Value>> &same) {
  if (a == b || !same.insert({a, b}).second)
    return true;
  Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
  return x && y && isPlain(x) && isPlain(y) &&
         cast<OpResult>(a).getResultNumber() ==
             cast<OpResult>(b).getResultNumber() &&
         OperationEquivalence::isEquivalentTo(
             x, y,
             [&](Value p, Value q) { return success(isSame(p, q, same)); },
             /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations);
}

/// Whether a value is the same in all trips of a loop; points of a parallel in
/// it count as such.
static bool isInvariant(Value value, Operation *loop) {
  llvm::SetVector<Value> work;
  work.insert(value);
  for (size_t i = 0; i < work.size(); ++i) {
    Value each = work[i];
    Operation *op = each.getDefiningOp();
    Operation *at = op ? op : each.getParentBlock()->getParentOp();
    if (!loop->isAncestor(at) || (!op && isa<ParallelOp>(at)))
      continue;
    if (!op || !isPlain(op))
      return false;
    work.insert(op->operand_begin(), op->operand_end());
  }
  return true;
}

namespace {
/// A value in each thread, or at each point: less, unless it is exact, a number
/// that is the same for all of them and in all trips, and less multiples of
/// the variables of loops.
struct Values {
  SmallVector<int64_t> at;
  bool exact = true;
  llvm::SmallMapVector<Operation *, int64_t, 2> trips = {};
};

/// Evaluates integers for all threads of a kernel or all points of a parallel.
class Evaluator {
public:
  /// \p walked: loops of which every trip is evaluated, one after the other.
  /// \p width: 1 where it is known to be the same in all threads.
  Evaluator(KernelOp kernel, ParallelOp within, ArrayRef<Operation *> loops,
            ArrayRef<scf::ForOp> walked = {}, int64_t width = 0)
      : kernel(kernel), within(within), loops(loops), walked(walked),
        width(width    ? width
              : within ? llvm::product_of(within.getExtents())
                       : kernel.getNumThreads()),
        count(this->width) {
    for (scf::ForOp loop : walked)
      count *= loop.getStaticTripCount()->getSExtValue();
  }

  int64_t size() const { return count; }
  /// Threads or points.
  int64_t getWidth() const { return width; }
  /// Null if that cannot be told.
  const Values *of(Value value) {
    auto [it, isNew] = known.try_emplace(value);
    if (!isNew)
      return it->second.at.empty() ? nullptr : &it->second;
    Values result = evaluate(value);
    Values &kept = known[value] = std::move(result);
    return kept.at.empty() ? nullptr : &kept;
  }

private:
  /// Along one of several dimensions, of which the first varies fastest.
  Values along(ArrayRef<int64_t> extents, unsigned dim) {
    Values result;
    int64_t inner = llvm::product_of(extents.take_front(dim));
    for (int64_t i = 0; i < count; ++i)
      result.at.push_back(i % width / inner % extents[dim]);
    return result;
  }
  /// The variable of a loop that is walked.
  Values tripsOf(scf::ForOp loop) {
    Values result;
    APInt lower, step;
    matchPattern(loop.getLowerBound(), m_ConstantInt(&lower));
    matchPattern(loop.getStep(), m_ConstantInt(&step));
    int64_t inner = width;
    for (scf::ForOp other : walked) {
      if (other == loop)
        break;
      inner *= other.getStaticTripCount()->getSExtValue();
    }
    int64_t trips = loop.getStaticTripCount()->getSExtValue();
    for (int64_t i = 0; i < count; ++i)
      result.at.push_back(lower.getSExtValue() +
                          i / inner % trips * step.getSExtValue());
    return result;
  }
  Values same(int64_t number, bool exact) {
    return {SmallVector<int64_t>(count, number), exact};
  }
  bool isFixed(Value value) {
    return llvm::all_of(
        loops, [&](Operation *loop) { return isInvariant(value, loop); });
  }
  Values evaluate(Value value);
  Values fold(Operation *op, unsigned result);

  KernelOp kernel;
  ParallelOp within;
  ArrayRef<Operation *> loops; ///< whose trips may differ
  ArrayRef<scf::ForOp> walked;
  int64_t width, count;
  llvm::DenseMap<Value, Values> known;
};
} // namespace

Values Evaluator::evaluate(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return same(constant.getSExtValue(), /*exact=*/true);
  if (auto point = dyn_cast<BlockArgument>(value);
      point && within && point.getOwner()->getParentOp() == within)
    return along(within.getExtents(), point.getArgNumber());
  if (auto thread = value.getDefiningOp<ThreadIdOp>())
    return within ? Values() : along(kernel.getThreads(), thread.getDim());
  bool fixed = isFixed(value);
  if (fixed && isUniform(value))
    return same(0, /*exact=*/false);
  if (auto loop = scf::getForInductionVarOwner(value); loop && !fixed) {
    if (llvm::is_contained(walked, loop))
      return tripsOf(loop);
    // Of trips that begin elsewhere the variables differ by less than a step.
    if (!isFixed(loop.getLowerBound()) || !isUniform(loop.getLowerBound()))
      return {};
    Values result = same(0, /*exact=*/true);
    result.trips[loop] = 1;
    return result;
  }
  Operation *op = value.getDefiningOp();
  if (!op || !isPlain(op))
    return {};
  SmallVector<const Values *> operands;
  bool exact = true;
  for (Value operand : op->getOperands()) {
    // The map may move what it holds while it grows.
    if (!of(operand))
      return {};
  }
  for (Value operand : op->getOperands()) {
    operands.push_back(of(operand));
    exact &= operands.back()->exact && operands.back()->trips.empty();
  }
  if (exact)
    return fold(op, cast<OpResult>(value).getResultNumber());
  if (isa<arith::IndexCastOp, arith::ExtSIOp>(op))
    return *operands[0];
  Values result{{}, /*exact=*/false};
  Type type = value.getType();
  unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  auto combine = [&](auto &&function) {
    for (int64_t i = 0; i < count; ++i)
      result.at.push_back(llvm::SignExtend64(
          function(uint64_t(operands[0]->at[i]), uint64_t(operands[1]->at[i])),
          bits));
    return result;
  };
  auto addTrips = [&](unsigned side, int64_t factor) {
    for (auto [loop, stride] : operands[side]->trips)
      result.trips[loop] += factor * stride;
  };
  if (isa<arith::AddIOp, arith::SubIOp>(op)) {
    addTrips(0, 1);
    addTrips(1, isa<arith::AddIOp>(op) ? 1 : -1);
    return isa<arith::AddIOp>(op) ? combine(std::plus<uint64_t>())
                                  : combine(std::minus<uint64_t>());
  }
  // (u + x) * c differs between threads as x * c does, for the same c.
  if (isa<arith::MulIOp>(op))
    for (unsigned side : {0, 1})
      if (matchPattern(op->getOperand(side), m_ConstantInt(&constant))) {
        addTrips(1 - side, constant.getSExtValue());
        return combine(std::multiplies<uint64_t>());
      }
  return {};
}

/// By the folder of the op, thread for thread.
Values Evaluator::fold(Operation *op, unsigned number) {
  Values result;
  auto typed = [](int64_t number, Type type) {
    return IntegerAttr::get(
        type, APInt(type.isIndex() ? 64 : type.getIntOrFloatBitWidth(), number,
                    /*isSigned=*/true, /*implicitTrunc=*/true));
  };
  for (int64_t i = 0; i < count; ++i) {
    SmallVector<Attribute> constants;
    for (Value operand : op->getOperands()) {
      if (!operand.getType().isIntOrIndex())
        return {};
      constants.push_back(typed(of(operand)->at[i], operand.getType()));
    }
    SmallVector<OpFoldResult> results;
    if (failed(op->fold(constants, results)) || results.size() <= number)
      return {};
    auto folded = dyn_cast<Attribute>(results[number]);
    if (!folded) { // one of the operands
      auto operand =
          llvm::find(op->getOperands(), cast<Value>(results[number]));
      if (operand == op->getOperands().end())
        return {};
      folded = constants[std::distance(op->operand_begin(), operand)];
    }
    auto integer = dyn_cast_or_null<IntegerAttr>(folded);
    if (!integer)
      return {};
    result.at.push_back(integer.getValue().getSExtValue());
  }
  return result;
}

/// Whether equal values are those of one trip: strides, from the shortest on,
/// are longer than what lies below them spans.
static bool tellTripsApart(const Values &values) {
  auto [least, most] = std::minmax_element(values.at.begin(), values.at.end());
  int64_t span = *most - *least;
  SmallVector<std::pair<int64_t, scf::ForOp>> strides;
  for (auto [loop, factor] : values.trips) {
    if (!factor) // added and taken away again
      continue;
    auto known = cast<scf::ForOp>(loop);
    APInt step;
    if (!matchPattern(known.getStep(), m_ConstantInt(&step)))
      return false;
    strides.push_back({std::abs(factor * step.getSExtValue()), known});
  }
  llvm::sort(strides, llvm::less_first());
  for (auto [i, stride] : llvm::enumerate(strides)) {
    if (stride.first <= span)
      return false;
    std::optional<APInt> trips = stride.second.getStaticTripCount();
    if (!trips && i + 1 < strides.size())
      return false;
    if (trips)
      span += stride.first * (trips->getSExtValue() - 1);
  }
  return true;
}

bool tlc::tile::areOwnElements(ValueRange a, ValueRange b,
                               ArrayRef<Operation *> loops, KernelOp kernel,
                               ParallelOp within) {
  if (a.size() != b.size())
    return false;
  SmallVector<Value> common;
  for (auto [x, y] : llvm::zip_equal(a, b)) {
    llvm::DenseSet<std::pair<Value, Value>> same;
    if (isSame(x, y, same))
      common.push_back(x);
  }
  // Each point has its own place among indices that are the point's.
  if (within && llvm::all_of(llvm::enumerate(within.getExtents()), [&](auto e) {
        return e.value() == 1 ||
               llvm::is_contained(
                   common, within.getBody().front().getArgument(e.index()));
      }))
    return true;
  Evaluator evaluator(kernel, within, loops);
  if (evaluator.size() > kMostPoints)
    return false;
  SmallVector<SmallVector<int64_t, 3>> tuples(evaluator.size());
  for (Value index : common)
    if (const Values *values = evaluator.of(index);
        values && tellTripsApart(*values))
      for (auto [tuple, number] : llvm::zip_equal(tuples, values->at))
        tuple.push_back(number);
  std::set<SmallVector<int64_t, 3>> distinct(tuples.begin(), tuples.end());
  return distinct.size() == tuples.size();
}

/// The loops whose variables the indices are made of; nothing if they are made
/// of what cannot be evaluated in their trips, or these are too many.
static std::optional<SmallVector<scf::ForOp>>
loopsOf(ValueRange indices, ArrayRef<Operation *> loops) {
  SmallVector<scf::ForOp> walked;
  int64_t trips = 1;
  llvm::SetVector<Value> work(indices.begin(), indices.end());
  for (size_t i = 0; i < work.size(); ++i) {
    Value value = work[i];
    if (llvm::all_of(loops,
                     [&](Operation *loop) { return isInvariant(value, loop); }))
      continue;
    if (auto loop = scf::getForInductionVarOwner(value)) {
      APInt constant;
      std::optional<APInt> count = loop.getStaticTripCount();
      if (!count ||
          !matchPattern(loop.getLowerBound(), m_ConstantInt(&constant)) ||
          !matchPattern(loop.getStep(), m_ConstantInt(&constant)))
        return std::nullopt;
      trips *= std::min(count->getSExtValue(), kMostPoints + 1);
      if (trips > kMostPoints)
        return std::nullopt;
      walked.push_back(loop);
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (!op || !isPlain(op))
      return std::nullopt;
    work.insert(op->operand_begin(), op->operand_end());
  }
  return walked;
}

/// The indices in each thread and trip; empty where some cannot be told.
static SmallVector<SmallVector<int64_t, 3>> tuplesOf(ValueRange indices,
                                                     Evaluator &evaluator) {
  if (evaluator.size() > kMostPoints)
    return {};
  SmallVector<SmallVector<int64_t, 3>> tuples(evaluator.size());
  for (Value index : indices) {
    const Values *values = evaluator.of(index);
    if (!values || !values->trips.empty())
      return {};
    for (auto [tuple, number] : llvm::zip_equal(tuples, values->at))
      tuple.push_back(number);
  }
  return tuples;
}

bool tlc::tile::areHandedOn(Operation *store, ValueRange indices,
                            ArrayRef<Operation *> loops, KernelOp kernel,
                            ParallelOp within) {
  std::optional<SmallVector<scf::ForOp>> walked = loopsOf(indices, loops);
  if (!walked)
    return false;
  Evaluator evaluator(kernel, within, loops, *walked);
  SmallVector<SmallVector<int64_t, 3>> tuples = tuplesOf(indices, evaluator);
  if (tuples.empty())
    return false;
  // Only of threads that a condition lets through, as far as that can be told.
  llvm::BitVector runs(evaluator.size(), true);
  for (Operation *op = store; op != kernel; op = op->getParentOp())
    if (auto branch = dyn_cast<scf::IfOp>(op->getParentOp()))
      if (const Values *taken = evaluator.of(branch.getCondition());
          taken && taken->exact && taken->trips.empty())
        for (int64_t i = 0; i < evaluator.size(); ++i)
          if ((taken->at[i] != 0) !=
              (op->getParentRegion() == &branch.getThenRegion()))
            runs.reset(i);
  std::map<SmallVector<int64_t, 3>, int64_t> threads;
  for (unsigned i : runs.set_bits()) {
    int64_t thread = i % evaluator.getWidth();
    if (threads.try_emplace(tuples[i], thread).first->second != thread)
      return true;
  }
  return false;
}

bool tlc::tile::doBoxesMeet(ValueRange offsets, ArrayRef<int64_t> shape,
                            ArrayRef<Operation *> loops, KernelOp kernel) {
  constexpr size_t kMostBoxes = 1024;
  std::optional<SmallVector<scf::ForOp>> walked = loopsOf(offsets, loops);
  if (!walked || offsets.size() != shape.size() ||
      ShapedType::isDynamicShape(shape) || !llvm::all_of(offsets, isUniform))
    return false;
  Evaluator evaluator(kernel, ParallelOp(), loops, *walked, /*width=*/1);
  SmallVector<SmallVector<int64_t, 3>> corners = tuplesOf(offsets, evaluator);
  // The same box is the same threads'.
  std::set<SmallVector<int64_t, 3>> boxes(corners.begin(), corners.end());
  if (boxes.size() > kMostBoxes)
    return false;
  for (auto a = boxes.begin(); a != boxes.end(); ++a)
    for (auto b = std::next(a); b != boxes.end(); ++b)
      if (llvm::all_of(llvm::zip_equal(*a, *b, shape), [](auto dim) {
            auto [x, y, extent] = dim;
            return std::abs(x - y) < extent;
          }))
        return true;
  return false;
}
