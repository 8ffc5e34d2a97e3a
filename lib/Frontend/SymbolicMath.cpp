//===- SymbolicMath.cpp - What is known of index expressions --------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two questions about SSA integers. Ranges: is a value never negative, and
// what is it always below? Found by walking the definition. Differences: the
// extent of a slice `(i + 1) * 64 : i * 64 + 64` is a constant; both bounds are
// written as polynomials over opaque values, and what cancels, cancels. Opaque
// values are equal if they are the same expression with no write between.
//
//   (i + 1) * 64 - i * 64      64*i + 64 - 64*i  ->  64
//   (n // 2 + 8) - n // 2      both quotients are one leaf  ->  8
//
// All answers are safe: "not known" where the walk meets something else, or
// after a dozen steps. Arithmetic is taken to be without overflow, as for any
// index.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "mlir/IR/Matchers.h"
#include <map>

using namespace tlc;
using namespace mlir;

namespace tlc::frontend {

/// Whether no value of v is negative. Block and loop indices are not, T.dynamic
/// sizes are not (they are extents), arguments of other kinds may be.
bool Interpreter::isNonNegative(mlir::Value v, unsigned depth) {
  if (depth > 12)
    return false;
  APInt c;
  if (matchPattern(v, m_ConstantInt(&c)))
    return !c.isNegative();
  auto both = [&](Operation *op) {
    return isNonNegative(op->getOperand(0), depth + 1) &&
           isNonNegative(op->getOperand(1), depth + 1);
  };
  if (auto arg = dyn_cast<BlockArgument>(v)) {
    Operation *owner = arg.getOwner()->getParentOp();
    if (!owner)
      return false;
    if (isa<tile::KernelOp, tile::ParallelOp>(owner))
      return true;
    if (auto loop = dyn_cast<scf::ForOp>(owner)) {
      APInt step;
      return v == loop.getInductionVar() &&
             isNonNegative(loop.getLowerBound(), depth + 1) &&
             matchPattern(loop.getStep(), m_ConstantInt(&step)) &&
             step.isStrictlyPositive();
    }
    if (isa<tile::FuncOp>(owner))
      for (const Argument &a : arguments)
        if (a.value == arg)
          return a.cls == Argument::Dim;
    return false;
  }
  Operation *op = v.getDefiningOp();
  if (isa<tile::ThreadIdOp, arith::ExtUIOp>(op))
    return true;
  if (isa<arith::AddIOp, arith::MulIOp, arith::MinSIOp, arith::DivUIOp,
          arith::FloorDivSIOp, arith::OrIOp>(op))
    return both(op);
  if (isa<arith::RemUIOp>(op))
    return isNonNegative(op->getOperand(1), depth + 1);
  if (isa<arith::MaxSIOp, arith::AndIOp>(op))
    return isNonNegative(op->getOperand(0), depth + 1) ||
           isNonNegative(op->getOperand(1), depth + 1);
  if (isa<arith::ShRSIOp, arith::ShRUIOp, arith::ExtSIOp, arith::ShLIOp>(op))
    return isNonNegative(op->getOperand(0), depth + 1);
  if (isa<arith::SelectOp>(op))
    return isNonNegative(op->getOperand(1), depth + 1) &&
           isNonNegative(op->getOperand(2), depth + 1);
  return false;
}

/// The least bound that v is known to be below. Bounds of operands above 2^31
/// are dropped, so that sums and products stay in 64 bits.
///   i in range(n)            bound(n) - 1
///   x + y, x * y             of the largest values, for x, y >= 0 where needed
///   x % y                    bound(y) - 1        x & 63   64
///   x // 8, x >> 3           of the largest value, divided
///   min, max, select         of both
std::optional<int64_t> Interpreter::upperBound(mlir::Value v, unsigned depth) {
  using Bound = std::optional<int64_t>;
  if (depth > 12)
    return std::nullopt;
  APInt c;
  if (matchPattern(v, m_ConstantInt(&c)))
    return c.getSExtValue() + 1;
  auto bound = [&](mlir::Value o) -> Bound {
    Bound r = upperBound(o, depth + 1);
    return r && *r <= (int64_t(1) << 31) ? r : std::nullopt;
  };
  if (auto arg = dyn_cast<BlockArgument>(v)) {
    Operation *owner = arg.getOwner()->getParentOp();
    if (auto parallel = dyn_cast_or_null<tile::ParallelOp>(owner))
      return parallel.getExtents()[arg.getArgNumber()];
    // The induction variable is below the upper bound, whose own bound is
    // exclusive.
    if (auto loop = dyn_cast_or_null<scf::ForOp>(owner))
      if (v == loop.getInductionVar())
        if (Bound r = bound(loop.getUpperBound()))
          return *r - 1;
    return std::nullopt;
  }
  Operation *op = v.getDefiningOp();
  if (auto id = dyn_cast<tile::ThreadIdOp>(op))
    return kernelOp && id.getDim() < kernelOp.getThreads().size()
               ? Bound(kernelOp.getThreads()[id.getDim()])
               : Bound();
  if (isa<arith::AddIOp>(op)) {
    Bound x = bound(op->getOperand(0)), y = bound(op->getOperand(1));
    return x && y ? Bound(*x + *y - 1) : std::nullopt;
  }
  if (isa<arith::SubIOp>(op))
    return isNonNegative(op->getOperand(1), depth + 1)
               ? bound(op->getOperand(0))
               : std::nullopt;
  bool positive = op->getNumOperands() == 2 &&
                  isNonNegative(op->getOperand(0), depth + 1) &&
                  isNonNegative(op->getOperand(1), depth + 1);
  if (isa<arith::MulIOp>(op) && positive) {
    Bound x = bound(op->getOperand(0)), y = bound(op->getOperand(1));
    return x && y ? Bound((*x - 1) * (*y - 1) + 1) : std::nullopt;
  }
  if (isa<arith::RemUIOp>(op))
    return upperBound(op->getOperand(1), depth + 1)
               ? Bound(*upperBound(op->getOperand(1), depth + 1) - 1)
               : std::nullopt;
  // x & 63 is below 64 whatever x is.
  if (isa<arith::AndIOp>(op)) {
    if (matchPattern(op->getOperand(1), m_ConstantInt(&c)) && !c.isNegative())
      return c.getSExtValue() + 1;
    return std::nullopt;
  }
  if (isa<arith::DivUIOp, arith::ShRSIOp, arith::ShRUIOp>(op) && positive &&
      matchPattern(op->getOperand(1), m_ConstantInt(&c))) {
    Bound x = bound(op->getOperand(0));
    if (!x || c.isZero() || c.ugt(62))
      return isa<arith::DivUIOp>(op) && x && !c.isZero()
                 ? Bound((*x - 1) / c.getSExtValue() + 1)
                 : std::nullopt;
    int64_t d = isa<arith::DivUIOp>(op) ? c.getSExtValue()
                                        : int64_t(1) << c.getZExtValue();
    return (*x - 1) / d + 1;
  }
  if (isa<arith::MinSIOp>(op)) {
    Bound x = bound(op->getOperand(0)), y = bound(op->getOperand(1));
    return x && y ? std::min(x, y) : (x ? x : y);
  }
  if (isa<arith::MaxSIOp, arith::SelectOp>(op)) {
    unsigned first = isa<arith::SelectOp>(op) ? 1 : 0;
    Bound x = bound(op->getOperand(first)),
          y = bound(op->getOperand(first + 1));
    return x && y ? Bound(std::max(*x, *y)) : std::nullopt;
  }
  if (isa<arith::ExtSIOp, arith::ExtUIOp>(op))
    return bound(op->getOperand(0));
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Polynomials
//===----------------------------------------------------------------------===//

/// Whether two values are the same expression. Loads are, if nothing between
/// them in their block writes. Costs the size of the expressions, for each pair
/// of leaves that are compared.
static bool equivalent(mlir::Value x, mlir::Value y, unsigned depth = 0) {
  if (x == y)
    return true;
  Operation *p = x.getDefiningOp(), *q = y.getDefiningOp();
  if (!p || !q || depth > 12 || p->getName() != q->getName() ||
      p->getNumOperands() != q->getNumOperands() || p->getNumRegions() ||
      x.getType() != y.getType() ||
      p->getDiscardableAttrDictionary() != q->getDiscardableAttrDictionary() ||
      p->getPropertiesAsAttribute() != q->getPropertiesAsAttribute())
    return false;
  if (!isMemoryEffectFree(p)) {
    if (!isa<tile::LoadOp>(p) || p->getBlock() != q->getBlock())
      return false;
    Operation *first = p->isBeforeInBlock(q) ? p : q,
              *last = first == p ? q : p;
    for (Operation *op = first->getNextNode(); op != last;
         op = op->getNextNode())
      if (!isMemoryEffectFree(op) && !isa<tile::LoadOp>(op))
        return false;
  }
  for (auto [s, t] : llvm::zip(p->getOperands(), q->getOperands()))
    if (!equivalent(s, t, depth + 1))
      return false;
  return true;
}

namespace {
/// Sums of products of opaque values, by their numbers in `leaves`.
///   64 * i + j * n - 3   {[i]: 64, [j, n]: 1, []: -3}
struct Polynomial {
  using Monomial = std::vector<unsigned>;
  std::map<Monomial, int64_t> terms;

  /// this += factor * o
  void add(const Polynomial &o, int64_t factor) {
    for (auto &[m, c] : o.terms)
      if ((terms[m] += factor * c) == 0)
        terms.erase(m);
  }
  Polynomial times(const Polynomial &o) const {
    Polynomial r;
    for (auto &[m, c] : terms)
      for (auto &[n, d] : o.terms) {
        Monomial k = m;
        k.insert(k.end(), n.begin(), n.end());
        std::sort(k.begin(), k.end());
        if ((r.terms[k] += c * d) == 0)
          r.terms.erase(k);
      }
    return r;
  }
};

/// Expands values into polynomials over one set of leaves, so that those of two
/// values can be subtracted.
struct Expander {
  SmallVector<mlir::Value> leaves;

  Polynomial expand(mlir::Value v, unsigned depth = 0) {
    Polynomial p;
    APInt c;
    if (matchPattern(v, m_ConstantInt(&c))) {
      if (!c.isZero())
        p.terms[{}] = c.getSExtValue();
      return p;
    }
    Operation *op = v.getDefiningOp();
    if (depth < 20 && op) {
      if (isa<arith::AddIOp, arith::SubIOp>(op)) {
        p = expand(op->getOperand(0), depth + 1);
        p.add(expand(op->getOperand(1), depth + 1),
              isa<arith::AddIOp>(op) ? 1 : -1);
        return p;
      }
      if (isa<arith::MulIOp>(op)) {
        Polynomial x = expand(op->getOperand(0), depth + 1),
                   y = expand(op->getOperand(1), depth + 1);
        // Products of long sums stay opaque: they seldom cancel, and grow fast.
        if (x.terms.size() * y.terms.size() <= 64)
          return x.times(y);
      }
      if (isa<arith::ExtSIOp>(op))
        return expand(op->getOperand(0), depth + 1);
    }
    // Anything else is opaque: an old leaf if it is the same expression.
    for (auto [i, leaf] : llvm::enumerate(leaves))
      if (equivalent(leaf, v)) {
        p.terms[{unsigned(i)}] = 1;
        return p;
      }
    leaves.push_back(v);
    p.terms[{unsigned(leaves.size() - 1)}] = 1;
    return p;
  }

  Polynomial expand(Value v) {
    if (v.isIntLike()) {
      Polynomial p;
      if (v.asInt())
        p.terms[{}] = v.asInt();
      return p;
    }
    return expand(v.asSym().value);
  }
};
} // namespace

std::optional<int64_t> Interpreter::constantDifference(Value x, Value y) {
  auto integral = [](Value v) {
    return v.isIntLike() || (v.is(VK::Scalar) && v.asSym().type->isInteger());
  };
  if (!integral(x) || !integral(y))
    return std::nullopt;
  Expander expander;
  Polynomial p = expander.expand(x);
  p.add(expander.expand(y), -1);
  if (p.terms.empty())
    return 0;
  if (p.terms.size() == 1 && p.terms.begin()->first.empty())
    return p.terms.begin()->second;
  return std::nullopt;
}

/// Whether two extents or indices are equal for certain.
bool Interpreter::sameValue(Value x, Value y) {
  auto d = constantDifference(x, y);
  return d && *d == 0;
}

/// An SSA integer as source text, with the arguments' names: messages about
/// shapes and the shapes of arguments use it. "?" where it would get long or
/// says nothing.
static void printIndex(Interpreter &interp, mlir::Value v,
                       llvm::raw_ostream &os, unsigned depth) {
  APInt c;
  if (matchPattern(v, m_ConstantInt(&c))) {
    os << c.getSExtValue();
    return;
  }
  for (const auto &a : interp.arguments)
    if (a.value == v) {
      os << a.name;
      return;
    }
  Operation *op = v.getDefiningOp();
  if (op && isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op))
    return printIndex(interp, op->getOperand(0), os, depth);
  StringRef sign = !op                                            ? ""
                   : isa<arith::AddIOp>(op)                       ? " + "
                   : isa<arith::SubIOp>(op)                       ? " - "
                   : isa<arith::MulIOp>(op)                       ? " * "
                   : isa<arith::FloorDivSIOp, arith::DivUIOp>(op) ? " // "
                   : isa<arith::RemUIOp>(op)                      ? " % "
                                                                  : "";
  // Divisions by powers of two were written with `//`.
  if (op && isa<arith::ShRSIOp, arith::ShRUIOp>(op) &&
      matchPattern(op->getOperand(1), m_ConstantInt(&c)) && c.ult(62)) {
    os << '(';
    printIndex(interp, op->getOperand(0), os, depth + 1);
    os << " // " << (int64_t(1) << c.getZExtValue()) << ')';
    return;
  }
  if (sign.empty() || depth > 8) {
    os << '?';
    return;
  }
  os << '(';
  printIndex(interp, op->getOperand(0), os, depth + 1);
  os << sign;
  printIndex(interp, op->getOperand(1), os, depth + 1);
  os << ')';
}

std::string Interpreter::indexText(Value v) {
  if (v.isIntLike())
    return std::to_string(v.asInt());
  if (!v.is(VK::Scalar))
    return "?";
  std::string text;
  llvm::raw_string_ostream os(text);
  printIndex(*this, v.asSym().value, os, 0);
  return text;
}

} // namespace tlc::frontend
