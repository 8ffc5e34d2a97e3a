//===- LaneValues.cpp - Integers of the wave dialect, lane by lane --------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneValues.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace tlc;
using namespace tlc::report;

bool LaneValue::isUniform() const { return known && llvm::all_equal(lanes); }

LaneValue LaneEvaluator::constant(int64_t value) const {
  return {true, 0, std::vector<int64_t>(threads, value)};
}
LaneValue LaneEvaluator::uniform(int64_t unit) const {
  return {true, unit, std::vector<int64_t>(threads, 0)};
}
template <typename F> LaneValue LaneEvaluator::fromThread(F f) const {
  LaneValue result = constant(0);
  for (int64_t t = 0; t < threads; ++t)
    result.lanes[t] = f(t);
  return result;
}

const LaneValue &LaneEvaluator::evaluate(Value value) {
  auto it = cache.find(value);
  if (it != cache.end())
    return it->second;
  // Values that depend on themselves around a loop are not known.
  cache[value] = LaneValue();
  LaneValue result = compute(value);
  return cache[value] = std::move(result);
}

/// An argument that starts at `init` and becomes `yielded`: known if it only
/// ever grows by the same in all threads.
LaneValue LaneEvaluator::computeCarried(Value init, Value yielded,
                                        BlockArgument argument) {
  LaneValue start = evaluate(init);
  if (!start.known || yielded == argument)
    return start;
  // Assume that it grows by multiples of `unit`, and see that it does.
  for (int64_t unit : {4096, 128, 16, 4, 1}) {
    unit = std::gcd(unit, start.unit);
    LaneEvaluator trial(*this);
    trial.cache[argument] = start;
    trial.cache[argument].unit = unit;
    const LaneValue next = trial.evaluate(yielded);
    if (!next.known || next.unit % unit)
      continue;
    int64_t step = next.lanes[0] - start.lanes[0];
    bool same = step % unit == 0;
    for (int64_t t = 0; t < threads && same; ++t)
      same = next.lanes[t] - start.lanes[t] == step;
    if (same)
      return trial.cache[argument];
  }
  return LaneValue();
}

LaneValue LaneEvaluator::computeArgument(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  if (isa<wave::KernelOp>(parent))
    return uniform(1);
  auto loop = dyn_cast<scf::ForOp>(parent);
  if (!loop)
    return LaneValue();
  if (argument == loop.getInductionVar()) {
    const LaneValue first = evaluate(loop.getLowerBound());
    const LaneValue step = evaluate(loop.getStep());
    if (!first.known || !step.isUniform())
      return LaneValue();
    LaneValue result = first;
    result.unit =
        std::gcd(first.unit, step.unit ? std::gcd(step.unit, step.lanes[0])
                                       : step.lanes[0]);
    return result;
  }
  unsigned i = argument.getArgNumber() - 1;
  return computeCarried(loop.getInitArgs()[i],
                        loop.getBody()->getTerminator()->getOperand(i),
                        argument);
}

/// a where the condition c holds, else b. If all threads choose alike, what is
/// uniform on both sides stays so; threads that choose for themselves need to
/// be known, with their values.
LaneValue LaneEvaluator::choose(LaneValue c, LaneValue a, LaneValue b) const {
  if (!a.known || !b.known)
    return LaneValue();
  if (a.isExact() && b.isExact() && a.lanes == b.lanes)
    return a;
  if (c.isExact() && c.isUniform())
    return c.lanes[0] & 1 ? a : b;
  if (c.isUniform())
    return a.isUniform() && b.isUniform() ? uniform(1) : LaneValue();
  if (!c.isExact() || !a.isExact() || !b.isExact())
    return LaneValue();
  return fromThread(
      [&](int64_t t) { return c.lanes[t] & 1 ? a.lanes[t] : b.lanes[t]; });
}

LaneValue LaneEvaluator::compute(Value value) {
  Type type = value.getType();
  if (!isa<IntegerType, IndexType>(type))
    return LaneValue();
  if (auto argument = dyn_cast<BlockArgument>(value))
    return computeArgument(argument);
  Operation *op = value.getDefiningOp();
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return constant(type.isInteger(1) ? number.getZExtValue()
                                      : number.getSExtValue());
  if (isa<wave::ThreadIdOp>(op))
    return fromThread([](int64_t t) { return t; });
  if (isa<wave::LaneIdOp>(op))
    return fromThread([](int64_t t) { return t % 64; });
  if (isa<wave::WaveIdOp>(op))
    return fromThread([](int64_t t) { return t / 64; });
  if (isa<wave::BlockIdOp, wave::AnyOp>(op))
    return uniform(1);
  if (auto first = dyn_cast<wave::UniformOp>(op)) {
    const LaneValue &v = evaluate(first.getValue());
    return v.known ? v : uniform(1);
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    // What leaves the loop is what its argument may be.
    unsigned i = cast<OpResult>(value).getResultNumber();
    return evaluate(loop.getRegionIterArg(i));
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    unsigned i = cast<OpResult>(value).getResultNumber();
    return choose(evaluate(branch.getCondition()),
                  evaluate(branch.thenYield().getOperand(i)),
                  evaluate(branch.elseYield().getOperand(i)));
  }
  return computeArith(op);
}

/// Two's complement of the width of `type`.
static int64_t wrap(int64_t v, Type type, bool isSigned) {
  unsigned bits = isa<IndexType>(type) ? 64 : type.getIntOrFloatBitWidth();
  if (bits >= 64)
    return v;
  uint64_t low = uint64_t(v) & llvm::maskTrailingOnes<uint64_t>(bits);
  return isSigned ? llvm::SignExtend64(low, bits) : int64_t(low);
}

/// One exact operation, on values as signed numbers; nothing where it is not
/// one of those below.
static std::optional<int64_t> apply(Operation *op, int64_t x, int64_t y) {
  Type type = op->getOperand(0).getType();
  uint64_t ux = wrap(x, type, false), uy = wrap(y, type, false);
  if (isa<arith::AddIOp>(op))
    return x + y;
  if (isa<arith::SubIOp>(op))
    return x - y;
  if (isa<arith::MulIOp>(op))
    return x * y;
  if (isa<arith::AndIOp>(op))
    return x & y;
  if (isa<arith::OrIOp>(op))
    return x | y;
  if (isa<arith::XOrIOp>(op))
    return x ^ y;
  if (isa<arith::MinSIOp>(op))
    return std::min(x, y);
  if (isa<arith::MaxSIOp>(op))
    return std::max(x, y);
  if (isa<arith::MinUIOp>(op))
    return std::min(ux, uy);
  if (isa<arith::MaxUIOp>(op))
    return std::max(ux, uy);
  if (isa<arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp>(op)) {
    if (uy >= 64)
      return std::nullopt;
    return isa<arith::ShLIOp>(op)    ? x << uy
           : isa<arith::ShRUIOp>(op) ? ux >> uy
                                     : x >> uy;
  }
  if (y == 0)
    return std::nullopt;
  if (isa<arith::DivUIOp>(op))
    return ux / uy;
  if (isa<arith::RemUIOp>(op))
    return ux % uy;
  if (isa<arith::DivSIOp>(op))
    return x / y;
  if (isa<arith::RemSIOp>(op))
    return x % y;
  return std::nullopt;
}

static bool compare(arith::CmpIPredicate predicate, int64_t x, int64_t y,
                    Type type) {
  unsigned bits = isa<IndexType>(type) ? 64 : type.getIntOrFloatBitWidth();
  return arith::applyCmpPredicate(predicate,
                                  APInt(bits, uint64_t(x), true, true),
                                  APInt(bits, uint64_t(y), true, true));
}

LaneValue LaneEvaluator::computeArith(Operation *op) {
  Type type = op->getResult(0).getType();
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp,
          arith::IndexCastUIOp>(op)) {
    LaneValue v = evaluate(op->getOperand(0));
    Type from = op->getOperand(0).getType();
    bool isUnsigned = isa<arith::ExtUIOp, arith::IndexCastUIOp>(op);
    for (int64_t &x : v.lanes)
      x = isUnsigned ? wrap(x, from, false) : wrap(x, type, true);
    return v;
  }
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    return choose(evaluate(select.getCondition()),
                  evaluate(select.getTrueValue()),
                  evaluate(select.getFalseValue()));
  }
  if (op->getNumOperands() != 2 || op->getNumResults() != 1)
    return LaneValue();
  const LaneValue a = evaluate(op->getOperand(0));
  const LaneValue b = evaluate(op->getOperand(1));
  if (!a.known || !b.known)
    return LaneValue();
  if (auto cmp = dyn_cast<arith::CmpIOp>(op)) {
    if (a.isExact() && b.isExact())
      return fromThread([&](int64_t t) {
        return compare(cmp.getPredicate(), a.lanes[t], b.lanes[t],
                       cmp.getLhs().getType());
      });
    return a.isUniform() && b.isUniform() ? uniform(1) : LaneValue();
  }

  // Lane by lane; the unknown parts u and w of the operands are dealt with
  // below, or spoil the result.
  LaneValue result = constant(0);
  for (int64_t t = 0; t < threads; ++t) {
    std::optional<int64_t> v = apply(op, a.lanes[t], b.lanes[t]);
    if (!v)
      return LaneValue();
    result.lanes[t] = wrap(*v, type, true);
  }
  if (a.isExact() && b.isExact())
    return result;
  if (isa<arith::AddIOp, arith::SubIOp>(op)) {
    result.unit = std::gcd(a.unit, b.unit);
    return result;
  }
  // (x + u) * c; (x + u) << c, where c is one number.
  bool left = b.isExact() && b.isUniform();
  int64_t c = left ? b.lanes[0] : 0;
  if (isa<arith::MulIOp>(op) && left) {
    result.unit = a.unit * std::abs(c);
    return result;
  }
  if (isa<arith::MulIOp>(op) && a.isExact() && a.isUniform()) {
    result.unit = b.unit * std::abs(a.lanes[0]);
    return result;
  }
  if (isa<arith::ShLIOp>(op) && left && c >= 0 && c < 32) {
    result.unit = a.unit << c;
    return result;
  }
  // Operations that leave u alone, or drop it, because it only has bits above
  // those that they touch.
  auto above = [&](int64_t bits) {
    return bits >= 0 && a.unit % int64_t(llvm::PowerOf2Ceil(bits + 1)) == 0;
  };
  int64_t most = b.isExact() ? *llvm::max_element(b.lanes) : -1;
  if (b.isExact() && *llvm::min_element(b.lanes) >= 0) {
    if (isa<arith::XOrIOp, arith::OrIOp>(op) && above(most)) {
      result.unit = a.unit;
      return result;
    }
    if (isa<arith::AndIOp>(op) && above(most))
      return result;
  }
  if (left && c > 0) {
    if (isa<arith::ShRUIOp, arith::ShRSIOp>(op) && c < 32 &&
        a.unit % (int64_t(1) << c) == 0) {
      result.unit = a.unit >> c;
      return result;
    }
    if (isa<arith::DivUIOp, arith::DivSIOp>(op) && a.unit % c == 0) {
      result.unit = a.unit / c;
      return result;
    }
    if (isa<arith::RemUIOp, arith::RemSIOp>(op) && a.unit % c == 0)
      return result;
  }
  // Whatever it is, it is the same everywhere.
  if (a.isUniform() && b.isUniform()) {
    if (isa<arith::AndIOp>(op) && left && c > 0)
      return uniform(c & -c);
    return uniform(1);
  }
  return LaneValue();
}
