//===- IntegerOps.cpp - Integer operations on lanes -----------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integers wrap to their width. They are exact unless they come from floating
// point (a quantised value, a comparison); `Inst::tracked` says where.
// Operations that LLVM leaves undefined (division by zero, shifts too far) give
// 0 here in lanes that are masked, and the same in active ones.
//
//   x: 7 +- 1, y: 3 exact    x + y: 10 +- 1   x * y: 21 +- 3   x // y: 2 +- 1.3
//   x: 7 +- 1, y: 7 exact    x < y: 0 +- 1, since it may turn out the other way
//
// A value of w bits is kept sign-extended in 64, so that signed operations are
// those of C++; unsigned ones cut the extension off first (zext). i1 is kept as
// 0 or 1 and read as 0 or -1 where the operation is signed.
//
//===----------------------------------------------------------------------===//

#include "ErrorModel.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/bit.h"

using namespace tlc;
namespace arith = mlir::arith;
using namespace tlc::reference;

namespace {

/// Sign-extends from `bits`; i1 stays 0 or 1.
int64_t wrap(int64_t v, unsigned bits) {
  if (bits == 1)
    return v & 1;
  unsigned shift = 64 - bits;
  return int64_t(uint64_t(v) << shift) >> shift;
}
/// The value's bits as an unsigned number.
uint64_t zext(int64_t v, unsigned bits) {
  return bits == 64 ? uint64_t(v) : uint64_t(v) & ((uint64_t(1) << bits) - 1);
}
/// i1 as a signed number is 0 or -1.
int64_t sext(int64_t v, unsigned bits) { return bits == 1 ? -v : v; }

/// Operands sign-extended, and the width; the result is wrapped by the caller.
using Binary = int64_t (*)(int64_t, int64_t, unsigned);
/// Values and errors of the operands as doubles.
using BinaryError = double (*)(double, double, double, double, int64_t);

// In unsigned arithmetic, where C++ defines overflow to wrap.
int64_t add(int64_t a, int64_t b, unsigned) {
  return int64_t(uint64_t(a) + uint64_t(b));
}
int64_t sub(int64_t a, int64_t b, unsigned) {
  return int64_t(uint64_t(a) - uint64_t(b));
}
int64_t mul(int64_t a, int64_t b, unsigned) {
  return int64_t(uint64_t(a) * uint64_t(b));
}
// INT64_MIN / -1 wraps.
int64_t divs(int64_t a, int64_t b, unsigned) {
  return b == 0 ? 0 : b == -1 ? int64_t(-uint64_t(a)) : a / b;
}
int64_t rems(int64_t a, int64_t b, unsigned) {
  return b == 0 || b == -1 ? 0 : a % b;
}
int64_t divu(int64_t a, int64_t b, unsigned w) {
  return zext(b, w) == 0 ? 0 : int64_t(zext(a, w) / zext(b, w));
}
int64_t remu(int64_t a, int64_t b, unsigned w) {
  return zext(b, w) == 0 ? 0 : int64_t(zext(a, w) % zext(b, w));
}
// One less where the quotient is negative and not whole; a divisor of -1 is
// always whole.
int64_t floordiv(int64_t a, int64_t b, unsigned w) {
  int64_t q = divs(a, b, w);
  return b != 0 && b != -1 && a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}
int64_t ceildiv(int64_t a, int64_t b, unsigned w) {
  int64_t q = divs(a, b, w);
  return b != 0 && b != -1 && a % b != 0 && (a < 0) == (b < 0) ? q + 1 : q;
}
int64_t ceildivu(int64_t a, int64_t b, unsigned w) {
  uint64_t x = zext(a, w), y = zext(b, w);
  return y == 0 ? 0 : int64_t(x / y + (x % y != 0));
}
int64_t andi(int64_t a, int64_t b, unsigned) { return a & b; }
int64_t ori(int64_t a, int64_t b, unsigned) { return a | b; }
int64_t xori(int64_t a, int64_t b, unsigned) { return a ^ b; }
// A shift by the width or more is poison to LLVM; 0 here.
int64_t shl(int64_t a, int64_t b, unsigned w) {
  return zext(b, w) >= w ? 0 : int64_t(uint64_t(a) << b);
}
int64_t shrs(int64_t a, int64_t b, unsigned w) {
  return zext(b, w) >= w ? 0 : a >> b;
}
int64_t shru(int64_t a, int64_t b, unsigned w) {
  return zext(b, w) >= w ? 0 : int64_t(zext(a, w) >> b);
}
int64_t maxs(int64_t a, int64_t b, unsigned w) {
  return sext(a, w) > sext(b, w) ? a : b;
}
int64_t mins(int64_t a, int64_t b, unsigned w) {
  return sext(a, w) < sext(b, w) ? a : b;
}
int64_t maxu(int64_t a, int64_t b, unsigned w) {
  return zext(a, w) > zext(b, w) ? a : b;
}
int64_t minu(int64_t a, int64_t b, unsigned w) {
  return zext(a, w) < zext(b, w) ? a : b;
}
// By squaring, modulo 2^64; to a negative power only +-1 have integers.
int64_t powi(int64_t a, int64_t b, unsigned) {
  if (b < 0)
    return a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) : 0;
  uint64_t r = 1, base = uint64_t(a);
  for (; b; b >>= 1, base *= base)
    if (b & 1)
      r *= base;
  return int64_t(r);
}

// Errors are distances in integers; a wrapped result is not considered, since
// the bound would be the whole range.
double sumError(double, double ea, double, double eb, int64_t) {
  return ea + eb;
}
// (a + ea)(b + eb) - ab.
double mulError(double a, double ea, double b, double eb, int64_t) {
  return std::fabs(a) * eb + std::fabs(b) * ea + ea * eb;
}
// One more for the truncation.
double divError(double, double ea, double b, double eb, int64_t) {
  if (ea == 0 && eb == 0)
    return 0;
  return eb == 0 && b != 0 ? ea / std::fabs(b) + 1 : INFINITY;
}
// Any error at all may change the result by the whole range.
double worstError(double, double ea, double, double eb, int64_t) {
  return ea == 0 && eb == 0 ? 0 : INFINITY;
}
// The larger error holds whichever operand is taken.
double extremeError(double, double ea, double, double eb, int64_t) {
  return std::max(ea, eb);
}
/// Whether a value is a truth, 0 or 1, that is uncertain at most.
bool isTruth(double v, double e) { return (v == 0 || v == 1) && e <= 1; }
/// The largest number below 2^k that covers both operands; infinite where one
/// may be negative.
double bitsOfBoth(double a, double ea, double b, double eb) {
  if (a - ea < 0 || b - eb < 0 || !(ea + eb < 0x1p62))
    return INFINITY;
  return std::exp2(std::floor(std::log2(std::max({a + ea, b + eb, 1.0}))) + 1) -
         1;
}
/// A certain 0 decides an and, a certain 1 an or. An and of numbers lies
/// between 0 and each operand that is not negative; or and xor stay within the
/// operands' bits.
double andError(double a, double ea, double b, double eb, int64_t) {
  if ((ea == 0 && a == 0) || (eb == 0 && b == 0) || (ea == 0 && eb == 0))
    return 0;
  if (isTruth(a, ea) && isTruth(b, eb))
    return 1;
  double most = INFINITY;
  if (a - ea >= 0)
    most = a + ea;
  if (b - eb >= 0)
    most = std::min(most, b + eb);
  return most;
}
double orError(double a, double ea, double b, double eb, int64_t) {
  if ((ea == 0 && a == 1 && isTruth(b, eb)) ||
      (eb == 0 && b == 1 && isTruth(a, ea)) || (ea == 0 && eb == 0))
    return 0;
  return isTruth(a, ea) && isTruth(b, eb) ? 1 : bitsOfBoth(a, ea, b, eb);
}
double xorError(double a, double ea, double b, double eb, int64_t) {
  if (ea == 0 && eb == 0)
    return 0;
  return isTruth(a, ea) && isTruth(b, eb) ? 1 : bitsOfBoth(a, ea, b, eb);
}
double shlError(double, double ea, double b, double eb, int64_t) {
  return eb == 0 ? std::ldexp(ea, int(b)) : INFINITY;
}
double shrError(double, double ea, double b, double eb, int64_t) {
  return ea == 0 && eb == 0 ? 0
         : eb == 0          ? std::ldexp(ea, -int(b)) + 1
                            : INFINITY;
}

/// One op on all lanes, masked ones too: what they get is never read, and the
/// loop stays without branches.
template <Binary F, BinaryError E> void binary(Frame &f, const Inst &inst) {
  const Cell *a = f.at(inst.a), *b = f.at(inst.b);
  Cell *d = f.at(inst.dst);
  unsigned bits = inst.type.bits;
  if (f.m.bounds && inst.tracked) {
    const double *ea = f.err(inst.a), *eb = f.err(inst.b);
    double *ed = f.err(inst.dst);
    for (unsigned l = 0; l < f.n; ++l)
      ed[l] = atLeastZero(E(double(a[l].i), ea[l], double(b[l].i), eb[l], 0));
  }
  for (unsigned l = 0; l < f.n; ++l)
    d[l].i = wrap(F(a[l].i, b[l].i, bits), bits);
}

/// The same, with a count of what has no result.
template <Binary F, BinaryError E> void divide(Frame &f, const Inst &inst) {
  const Cell *b = f.at(inst.b);
  for (unsigned l = 0; l < f.n; ++l)
    f.m.stats.zeroDivisions += zext(b[l].i, inst.type.bits) == 0;
  binary<F, E>(f, inst);
}

template <arith::CmpIPredicate P> bool holds(int64_t a, int64_t b, unsigned w) {
  using C = arith::CmpIPredicate;
  switch (P) {
  case C::eq:
    return a == b;
  case C::ne:
    return a != b;
  case C::slt:
    return sext(a, w) < sext(b, w);
  case C::sle:
    return sext(a, w) <= sext(b, w);
  case C::sgt:
    return sext(a, w) > sext(b, w);
  case C::sge:
    return sext(a, w) >= sext(b, w);
  case C::ult:
    return zext(a, w) < zext(b, w);
  case C::ule:
    return zext(a, w) <= zext(b, w);
  case C::ugt:
    return zext(a, w) > zext(b, w);
  case C::uge:
    return zext(a, w) >= zext(b, w);
  }
  return false;
}
/// The error 1 marks a result that may be the other way: the operands are no
/// further apart than their errors.
template <arith::CmpIPredicate P> void compare(Frame &f, const Inst &inst) {
  const Cell *a = f.at(inst.a), *b = f.at(inst.b);
  Cell *d = f.at(inst.dst);
  if (f.m.bounds && inst.tracked) {
    const double *ea = f.err(inst.a), *eb = f.err(inst.b);
    double *ed = f.err(inst.dst);
    for (unsigned l = 0; l < f.n; ++l) {
      double e = ea[l] + eb[l];
      ed[l] = e > 0 && std::fabs(double(a[l].i) - double(b[l].i)) <= e;
    }
  }
  for (unsigned l = 0; l < f.n; ++l)
    d[l].i = holds<P>(a[l].i, b[l].i, inst.from.bits);
}
/// One instance of `compare` for each predicate, by its number.
template <size_t... I>
LaneFn comparisonTable(unsigned index, std::index_sequence<I...>) {
  static const LaneFn table[] = {compare<arith::CmpIPredicate(I)>...};
  return table[index];
}

/// `from` is the operand's width; the result is wrapped to its own.
using Unary = int64_t (*)(int64_t, unsigned from);
int64_t extendSigned(int64_t a, unsigned from) { return sext(a, from); }
int64_t extendUnsigned(int64_t a, unsigned from) {
  return int64_t(zext(a, from));
}
int64_t same(int64_t a, unsigned) { return a; }
int64_t absolute(int64_t a, unsigned) {
  return a < 0 ? int64_t(-uint64_t(a)) : a;
}
// countl_zero counts in 64 bits; those above the width do not count.
int64_t leadingZeros(int64_t a, unsigned from) {
  return llvm::countl_zero(zext(a, from)) - int(64 - from);
}
int64_t trailingZeros(int64_t a, unsigned from) {
  uint64_t z = zext(a, from);
  return z ? llvm::countr_zero(z) : from;
}
int64_t population(int64_t a, unsigned from) {
  return llvm::popcount(zext(a, from));
}
/// `keepsError`: the distance stays a distance, as in an extension.
template <Unary F, bool keepsError = true>
void unary(Frame &f, const Inst &inst) {
  const Cell *a = f.at(inst.a);
  Cell *d = f.at(inst.dst);
  if (f.m.bounds && inst.tracked)
    for (unsigned l = 0; l < f.n; ++l) {
      double e = f.err(inst.a)[l];
      f.err(inst.dst)[l] = keepsError || e == 0 ? e : INFINITY;
    }
  for (unsigned l = 0; l < f.n; ++l)
    d[l].i = wrap(F(a[l].i, inst.from.bits), inst.type.bits);
}

/// By the op's full name.
struct Row {
  const char *name;
  LaneFn fn;
};
const Row rows[] = {
    {"arith.addi", binary<add, sumError>},
    {"arith.subi", binary<sub, sumError>},
    {"arith.muli", binary<mul, mulError>},
    {"arith.divsi", divide<divs, divError>},
    {"arith.divui", divide<divu, divError>},
    {"arith.remsi", divide<rems, worstError>},
    {"arith.remui", divide<remu, worstError>},
    {"arith.floordivsi", divide<floordiv, divError>},
    {"arith.ceildivsi", divide<ceildiv, divError>},
    {"arith.ceildivui", divide<ceildivu, divError>},
    {"arith.andi", binary<andi, andError>},
    {"arith.ori", binary<ori, orError>},
    {"arith.xori", binary<xori, xorError>},
    {"arith.shli", binary<shl, shlError>},
    {"arith.shrsi", binary<shrs, shrError>},
    {"arith.shrui", binary<shru, shrError>},
    {"arith.maxsi", binary<maxs, extremeError>},
    {"arith.minsi", binary<mins, extremeError>},
    {"arith.maxui", binary<maxu, extremeError>},
    {"arith.minui", binary<minu, extremeError>},
    {"arith.extsi", unary<extendSigned>},
    {"arith.extui", unary<extendUnsigned>},
    {"arith.trunci", unary<same>},
    {"arith.index_cast", unary<extendSigned>},
    {"arith.index_castui", unary<extendUnsigned>},
    {"math.absi", unary<absolute>},
    {"math.ctlz", unary<leadingZeros, false>},
    {"math.cttz", unary<trailingZeros, false>},
    {"math.ctpop", unary<population, false>},
    {"math.ipowi", binary<powi, worstError>},
};

} // namespace

/// The function of an op; a null one if it is none of these.
ScalarOp tlc::reference::findIntegerOp(llvm::StringRef name) {
  static const llvm::StringMap<LaneFn> table = [] {
    llvm::StringMap<LaneFn> map;
    for (const Row &row : rows)
      map[row.name] = row.fn;
    return map;
  }();
  return {table.lookup(name), 0};
}

/// MLIR numbers the ten predicates from 0.
LaneFn tlc::reference::integerCompare(arith::CmpIPredicate predicate) {
  return comparisonTable(unsigned(predicate), std::make_index_sequence<10>());
}

/// For views and addresses, whose offsets are 64 bits and exact.
void tlc::reference::execAddOffset(Frame &f, const Inst &inst) {
  const Cell *a = f.at(inst.a), *b = f.at(inst.b);
  Cell *d = f.at(inst.dst);
  for (unsigned l = 0; l < f.n; ++l)
    d[l].i = a[l].i + b[l].i;
}
