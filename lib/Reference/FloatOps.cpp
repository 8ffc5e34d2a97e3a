//===- FloatOps.cpp - Floating-point operations on lanes ------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each operation is its value, how it passes its operands' errors on, and what
// the device may add: correct rounding ("basic") or a number of half units in
// the last place (the table at the end, which docs/numerics.md repeats).
//
// `value` is the operation in f64; `error` what the operands' errors make of
// the result r: at least sup |f(x + dx, y + dy) - r| over |dx| <= ex, |dy| <=
// ey. E.g. for x * y it is |x| ey + |y| ex + ex ey.
//
//   x: 2 +- 0.1, y: 3 exact    x * y: 6 +- 0.3 and a rounding
//   exp(x), x: 1 +- 0.01       2.718 +- 2.718 (e^0.01 - 1) and what the
//                              device's expansion may be off
//
//===----------------------------------------------------------------------===//

#include "ErrorModel.h"
#include "llvm/ADT/StringMap.h"

using namespace tlc;
namespace arith = mlir::arith;
using namespace tlc::reference;

namespace {

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

// Where the result is an infinity or a NaN its error says whether that is
// certain: finite if the result is the same for all operands within theirs.

/// How far two results are apart; the same infinity, or NaN twice, is 0.
double apart(double a, double b) {
  bool same = a == b || (std::isnan(a) && std::isnan(b));
  return same ? 0 : atLeastZero(std::fabs(a - b));
}
bool mayBeZero(double x, double ex) { return std::fabs(x) <= ex; }

struct Add {
  static double value(double x, double y) { return x + y; }
  static double error(double, double ex, double, double ey, double) {
    return ex + ey;
  }
};
struct Sub {
  static double value(double x, double y) { return x - y; }
  static double error(double, double ex, double, double ey, double) {
    return ex + ey;
  }
};
// (x + ex)(y + ey) - xy, as for integers.
struct Mul {
  static double value(double x, double y) { return x * y; }
  static double error(double x, double ex, double y, double ey, double) {
    // Also where the other operand is infinite: 0 * inf would be a NaN.
    if (ex == 0 && ey == 0)
      return 0;
    // Of an infinity and what may be zero, or of either sign.
    if (std::isinf(x) || std::isinf(y))
      return mayBeZero(x, ex) || mayBeZero(y, ey) ? INFINITY : 0;
    return std::fabs(x) * ey + std::fabs(y) * ex + ex * ey;
  }
};
struct Div {
  static double value(double x, double y) { return x / y; }
  static double error(double x, double ex, double y, double ey, double r) {
    if (ex == 0 && ey == 0)
      return 0;
    if (std::isinf(x) || (y == 0 && ey == 0))
      return mayBeZero(x, ex) || (ey != 0 && mayBeZero(y, ey)) ? INFINITY : 0;
    double smallest = std::fabs(y) - ey;
    // A divisor that may be zero bounds nothing.
    return smallest > 0 ? (ex + std::fabs(r) * ey) / smallest : INFINITY;
  }
};
/// Around a multiple of y the remainder jumps by |y|.
struct Rem {
  static double value(double x, double y) { return std::fmod(x, y); }
  static double error(double, double ex, double y, double ey, double) {
    if (ex == 0 && ey == 0)
      return 0;
    return mayBeZero(y, ey) ? INFINITY : std::fabs(y) + ey;
  }
};
/// The smaller error where one operand surely decides, else the larger.
double errorOfExtreme(double winner, double eWinner, double loser,
                      double eLoser) {
  if (std::fabs(winner - loser) > eWinner + eLoser || std::isnan(loser))
    return eWinner;
  return std::max(eWinner, eLoser);
}
struct MaxNum {
  static double value(double x, double y) { return std::fmax(x, y); }
  static double error(double x, double ex, double y, double ey, double) {
    return x > y || std::isnan(y) ? errorOfExtreme(x, ex, y, ey)
                                  : errorOfExtreme(y, ey, x, ex);
  }
};
struct MinNum {
  static double value(double x, double y) { return std::fmin(x, y); }
  static double error(double x, double ex, double y, double ey, double) {
    return x < y || std::isnan(y) ? errorOfExtreme(x, ex, y, ey)
                                  : errorOfExtreme(y, ey, x, ex);
  }
};
struct Maximum : MaxNum {
  static double value(double x, double y) {
    return std::isnan(x) || std::isnan(y) ? NAN : std::fmax(x, y);
  }
};
struct Minimum : MinNum {
  static double value(double x, double y) {
    return std::isnan(x) || std::isnan(y) ? NAN : std::fmin(x, y);
  }
};
struct CopySign {
  static double value(double x, double y) { return std::copysign(x, y); }
  static double error(double x, double ex, double y, double ey, double) {
    // A sign that is not certain may be the other one.
    return ey != 0 && std::fabs(y) <= ey ? 2 * std::fabs(x) + ex : ex;
  }
};
/// For functions of two arguments that are monotone in each. Extremes of a
/// monotone function lie at the corners of the box of inputs.
template <double (*F)(double, double)> struct Corners {
  static double value(double x, double y) { return F(x, y); }
  static double error(double x, double ex, double y, double ey, double r) {
    if (ex == 0 && ey == 0)
      return 0;
    double worst = 0;
    for (double dx : {-ex, ex})
      for (double dy : {-ey, ey})
        worst = std::max(worst, apart(F(x + dx, y + dy), r));
    return worst;
  }
};

/// For monotone functions of one argument: the ends of the interval.
template <double (*F)(double)> struct Monotone {
  static double value(double x) { return F(x); }
  static double error(double x, double ex, double r) {
    if (ex == 0)
      return 0;
    return std::max(apart(F(x + ex), r), apart(F(x - ex), r));
  }
};
/// 2^x (2^d - 1) for the largest |d|: relative, so it follows r. For a small d
/// the series is cheaper than expm1.
struct Exp2 {
  static double value(double x) { return std::exp2(x); }
  static double error(double x, double ex, double r) {
    if (std::isinf(r))
      return apart(std::exp2(x - ex), r);
    double d = ex * 0.69314718055994531;
    return r * (d < 1e-4 ? d * (1 + d) : std::expm1(d));
  }
};
struct Exp {
  static double value(double x) { return std::exp(x); }
  static double error(double x, double ex, double r) {
    // As 2^(x·log2 e), the rounding of the product grows with x.
    double d = ex + (std::isfinite(x) ? std::fabs(x) * 0x1p-23 : 0);
    if (std::isinf(r))
      return apart(std::exp(x - d), r);
    return r * (d < 1e-4 ? d * (1 + d) : std::expm1(d));
  }
};
/// Functions whose slope is at most 1, computed with an absolute error too. The
/// range reduction of sin and cos loses digits in proportion to x.
template <double (*F)(double)> struct Lipschitz {
  static double value(double x) { return F(x); }
  static double error(double x, double ex, double) {
    return std::isfinite(x) ? ex + 0x1p-22 * (1 + std::fabs(x)) : ex;
  }
};
/// Logarithms lose digits near 1.
template <double (*F)(double)> struct Logarithm : Monotone<F> {
  static double error(double x, double ex, double r) {
    return Monotone<F>::error(x, ex, r) + 0x1p-23;
  }
};
/// sinh and cosh, from exponentials: their error grows with x as exp's does.
template <double (*F)(double)> struct Hyperbolic : Monotone<F> {
  static double error(double x, double ex, double r) {
    double own = std::isfinite(r) ? std::fabs(r) * std::fabs(x) * 0x1p-22 : 0;
    return Monotone<F>::error(x, ex, r) + own;
  }
};
/// Rises from pole to pole; where one may lie between, anything may come out.
struct Tan : Monotone<std::tan> {
  static double error(double x, double ex, double r) {
    auto branch = [](double x) { return std::floor(x / M_PI + 0.5); };
    return branch(x - ex) == branch(x + ex) ? Monotone::error(x, ex, r)
                                            : INFINITY;
  }
};
/// The angle jumps by 2 pi where y changes its sign beside a negative x.
struct Atan2 : Corners<std::atan2> {
  static double error(double x, double ex, double y, double ey, double r) {
    // Here x is the ordinate, as the operands are (y, x).
    bool jumps = ex != 0 && mayBeZero(x, ex) && y - ey < 0;
    bool anywhere =
        (ex != 0 || ey != 0) && mayBeZero(x, ex) && mayBeZero(y, ey);
    return jumps || anywhere ? std::fabs(r) + M_PI
                             : Corners::error(x, ex, y, ey, r);
  }
};
/// Has a pole at zero for negative exponents, and signs of either kind for
/// negative bases.
struct Power : Corners<std::pow> {
  static double error(double x, double ex, double y, double ey, double r) {
    if (ex == 0 && ey == 0)
      return 0;
    bool pole = ex != 0 && mayBeZero(x, ex) && y - ey < 0;
    bool anySign = ey != 0 && x - ex < 0;
    return pole || anySign ? INFINITY : Corners::error(x, ex, y, ey, r);
  }
};
double rsqrtOf(double x) { return 1 / std::sqrt(x); }
double roundEven(double x) { return std::nearbyint(x); }
double negate(double x) { return -x; }
// The distance of two absolute values is at most that of the values.
struct Abs {
  static double value(double x) { return std::fabs(x); }
  static double error(double, double ex, double) { return ex; }
};

//===----------------------------------------------------------------------===//
// Loops over lanes
//===----------------------------------------------------------------------===//

/// How the device rounds the result: correctly, nearly, or not at all because
/// it is an operand or exact.
enum class Kind { Basic, Approx, Select };

template <Kind kind> double settle(const Inst &inst, double r, double &e) {
  if constexpr (kind == Kind::Basic)
    return settleBasic(inst, r, e);
  if constexpr (kind == Kind::Approx)
    return settleApprox(inst, r, e, inst.bound);
  return r; // one of the operands, or exact
}

/// Where an operand is surely NaN the result is, whatever the others are:
/// formulas for finite numbers then give NaN.
bool isSureNaN(double x, double ex) { return std::isnan(x) && ex < INFINITY; }

/// A binary op on all lanes, in one of three modes: f64 throughout, rounded
/// without bounds, or with bounds. Three loops and not one: the mode is the
/// same for all lanes, and each loop vectorizes.
template <class Op, Kind kind> void binary(Frame &f, const Inst &inst) {
  const Cell *x = f.at(inst.a), *y = f.at(inst.b);
  Cell *d = f.at(inst.dst);
  if (f.m.exact) {
    for (unsigned l = 0; l < f.n; ++l)
      d[l].f = Op::value(x[l].f, y[l].f);
    return;
  }
  if (!f.m.bounds) {
    const FloatFormat &format = *inst.type.format;
    for (unsigned l = 0; l < f.n; ++l)
      d[l].f = format.round(Op::value(x[l].f, y[l].f));
    return;
  }
  const double *ex = f.err(inst.a), *ey = f.err(inst.b);
  double *ed = f.err(inst.dst);
  for (unsigned l = 0; l < f.n; ++l) {
    double r = Op::value(x[l].f, y[l].f);
    double e = Op::error(x[l].f, ex[l], y[l].f, ey[l], r);
    if (std::isnan(e) && (isSureNaN(x[l].f, ex[l]) || isSureNaN(y[l].f, ey[l])))
      e = 0;
    d[l].f = settle<kind>(inst, r, e);
    ed[l] = e;
  }
}

template <class Op, Kind kind> void unary(Frame &f, const Inst &inst) {
  const Cell *x = f.at(inst.a);
  Cell *d = f.at(inst.dst);
  if (f.m.exact) {
    for (unsigned l = 0; l < f.n; ++l)
      d[l].f = Op::value(x[l].f);
    return;
  }
  if (!f.m.bounds) {
    const FloatFormat &format = *inst.type.format;
    for (unsigned l = 0; l < f.n; ++l)
      d[l].f = format.round(Op::value(x[l].f));
    return;
  }
  const double *ex = f.err(inst.a);
  double *ed = f.err(inst.dst);
  for (unsigned l = 0; l < f.n; ++l) {
    double r = Op::value(x[l].f);
    double e = Op::error(x[l].f, ex[l], r);
    if (std::isnan(e) && isSureNaN(x[l].f, ex[l]))
      e = 0;
    d[l].f = settle<kind>(inst, r, e);
    ed[l] = e;
  }
}

/// One rounding; the product itself is exact in the sum.
void fma(Frame &f, const Inst &inst) {
  const Cell *x = f.at(inst.a), *y = f.at(inst.b), *z = f.at(inst.c);
  Cell *d = f.at(inst.dst);
  const double *ex = f.err(inst.a), *ey = f.err(inst.b), *ez = f.err(inst.c);
  double *ed = f.err(inst.dst);
  for (unsigned l = 0; l < f.n; ++l) {
    double r = std::fma(x[l].f, y[l].f, z[l].f);
    double e = Mul::error(x[l].f, ex[l], y[l].f, ey[l], 0) + ez[l];
    if (std::isnan(e) && (isSureNaN(x[l].f, ex[l]) || isSureNaN(y[l].f, ey[l])))
      e = 0;
    if (!f.m.exact) {
      r = settleBasic(inst, r, e);
      ed[l] = f.m.bounds ? e : 0;
    }
    d[l].f = r;
  }
}

/// i1 results, taken to be certain.
template <bool (*F)(double)> void classify(Frame &f, const Inst &inst) {
  for (unsigned l = 0; l < f.n; ++l)
    f.at(inst.dst)[l].i = F(f.at(inst.a)[l].f);
}
bool isNan(double x) { return std::isnan(x); }
bool isInf(double x) { return std::isinf(x); }
bool isFinite(double x) { return std::isfinite(x); }

template <arith::CmpFPredicate P> bool holds(double x, double y) {
  using C = arith::CmpFPredicate;
  bool unordered = std::isnan(x) || std::isnan(y);
  switch (P) {
  case C::AlwaysFalse:
    return false;
  case C::OEQ:
    return x == y;
  case C::OGT:
    return x > y;
  case C::OGE:
    return x >= y;
  case C::OLT:
    return x < y;
  case C::OLE:
    return x <= y;
  case C::ONE:
    return !unordered && x != y;
  case C::ORD:
    return !unordered;
  case C::UEQ:
    return unordered || x == y;
  case C::UGT:
    return unordered || x > y;
  case C::UGE:
    return unordered || x >= y;
  case C::ULT:
    return unordered || x < y;
  case C::ULE:
    return unordered || x <= y;
  case C::UNE:
    return unordered || x != y;
  case C::UNO:
    return unordered;
  case C::AlwaysTrue:
    return true;
  }
  return false;
}

/// The error 1 marks a comparison that the device may see the other way: the
/// operands are closer than their errors.
template <arith::CmpFPredicate P> void compare(Frame &f, const Inst &inst) {
  const Cell *x = f.at(inst.a), *y = f.at(inst.b);
  const double *ex = f.err(inst.a), *ey = f.err(inst.b);
  Cell *d = f.at(inst.dst);
  double *ed = f.err(inst.dst);
  for (unsigned l = 0; l < f.n; ++l)
    d[l].i = holds<P>(x[l].f, y[l].f);
  if (f.m.bounds)
    for (unsigned l = 0; l < f.n; ++l) {
      double e = ex[l] + ey[l];
      ed[l] = e > 0 && std::fabs(x[l].f - y[l].f) <= e;
    }
}

/// One instance for each predicate, by its number. The predicate is a template
/// argument, so that the loop over lanes has no switch.
template <size_t... I>
LaneFn comparisonTable(unsigned index, std::index_sequence<I...>) {
  static const LaneFn table[] = {compare<arith::CmpFPredicate(I)>...};
  return table[index];
}

double exp10Of(double x) { return std::pow(10.0, x); }

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// An op by name, with how far the device's instruction or expansion may be
/// off.
struct Row {
  const char *name;
  LaneFn fn;
  double bound; ///< half units in the last place the device may add
};

// The commonest of these are in docs/numerics.md as well.
const Row rows[] = {
    {"arith.addf", binary<Add, Kind::Basic>, 0},
    {"arith.subf", binary<Sub, Kind::Basic>, 0},
    {"arith.mulf", binary<Mul, Kind::Basic>, 0},
    {"arith.divf", binary<Div, Kind::Approx>, 6},
    {"arith.remf", binary<Rem, Kind::Approx>, 2},
    {"arith.negf", unary<Monotone<negate>, Kind::Select>, 0},
    {"arith.maximumf", binary<Maximum, Kind::Select>, 0},
    {"arith.minimumf", binary<Minimum, Kind::Select>, 0},
    {"arith.maxnumf", binary<MaxNum, Kind::Select>, 0},
    {"arith.minnumf", binary<MinNum, Kind::Select>, 0},
    {"math.fma", fma, 0},
    {"math.absf", unary<Abs, Kind::Select>, 0},
    {"math.ceil", unary<Monotone<std::ceil>, Kind::Select>, 0},
    {"math.floor", unary<Monotone<std::floor>, Kind::Select>, 0},
    {"math.round", unary<Monotone<std::round>, Kind::Select>, 0},
    {"math.roundeven", unary<Monotone<roundEven>, Kind::Select>, 0},
    {"math.trunc", unary<Monotone<std::trunc>, Kind::Select>, 0},
    {"math.copysign", binary<CopySign, Kind::Select>, 0},
    {"math.exp2", unary<Exp2, Kind::Approx>, 4},
    {"math.exp", unary<Exp, Kind::Approx>, 6},
    {"math.exp10", unary<Monotone<exp10Of>, Kind::Approx>, 64},
    {"math.expm1", unary<Monotone<std::expm1>, Kind::Approx>, 8},
    {"math.log2", unary<Logarithm<std::log2>, Kind::Approx>, 4},
    {"math.log", unary<Logarithm<std::log>, Kind::Approx>, 6},
    {"math.log10", unary<Logarithm<std::log10>, Kind::Approx>, 6},
    {"math.log1p", unary<Logarithm<std::log1p>, Kind::Approx>, 8},
    {"math.sqrt", unary<Monotone<std::sqrt>, Kind::Approx>, 4},
    {"math.rsqrt", unary<Monotone<rsqrtOf>, Kind::Approx>, 4},
    {"math.cbrt", unary<Monotone<std::cbrt>, Kind::Approx>, 8},
    {"math.sin", unary<Lipschitz<std::sin>, Kind::Approx>, 16},
    {"math.cos", unary<Lipschitz<std::cos>, Kind::Approx>, 16},
    {"math.tan", unary<Tan, Kind::Approx>, 64},
    {"math.sinh", unary<Hyperbolic<std::sinh>, Kind::Approx>, 32},
    {"math.cosh", unary<Hyperbolic<std::cosh>, Kind::Approx>, 32},
    {"math.tanh", unary<Lipschitz<std::tanh>, Kind::Approx>, 16},
    {"math.asin", unary<Monotone<std::asin>, Kind::Approx>, 32},
    {"math.acos", unary<Monotone<std::acos>, Kind::Approx>, 32},
    {"math.atan", unary<Lipschitz<std::atan>, Kind::Approx>, 16},
    {"math.asinh", unary<Lipschitz<std::asinh>, Kind::Approx>, 32},
    {"math.acosh", unary<Monotone<std::acosh>, Kind::Approx>, 64},
    {"math.atanh", unary<Monotone<std::atanh>, Kind::Approx>, 64},
    {"math.atan2", binary<Atan2, Kind::Approx>, 32},
    {"math.erf", unary<Monotone<std::erf>, Kind::Approx>, 32},
    {"math.erfc", unary<Monotone<std::erfc>, Kind::Approx>, 64},
    {"math.powf", binary<Power, Kind::Approx>, 256},
    {"math.isnan", classify<isNan>, 0},
    {"math.isinf", classify<isInf>, 0},
    {"math.isfinite", classify<isFinite>, 0},
};

} // namespace

/// The function of an op and its bound; a null function if it is none of these.
ScalarOp tlc::reference::findFloatOp(llvm::StringRef name) {
  static const llvm::StringMap<ScalarOp> table = [] {
    llvm::StringMap<ScalarOp> map;
    for (const Row &row : rows)
      map[row.name] = {row.fn, row.bound};
    return map;
  }();
  return table.lookup(name);
}

/// MLIR numbers the sixteen predicates from 0.
LaneFn tlc::reference::floatCompare(arith::CmpFPredicate predicate) {
  return comparisonTable(unsigned(predicate), std::make_index_sequence<16>());
}
