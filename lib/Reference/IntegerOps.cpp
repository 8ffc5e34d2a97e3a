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
uint64_t zext(int64_t v, unsigned bits) {
  return bits == 64 ? uint64_t(v) : uint64_t(v) & ((uint64_t(1) << bits) - 1);
}
/// i1 as a signed number is 0 or -1.
int64_t sext(int64_t v, unsigned bits) { return bits == 1 ? -v : v; }

using Binary = int64_t (*)(int64_t, int64_t, unsigned);
using BinaryError = double (*)(double, double, double, double, int64_t);

int64_t add(int64_t a, int64_t b, unsigned) {
  return int64_t(uint64_t(a) + uint64_t(b));
}
int64_t sub(int64_t a, int64_t b, unsigned) {
  return int64_t(uint64_t(a) - uint64_t(b));
}
int64_t mul(int64_t a, int64_t b, unsigned) {
  return int64_t(uint64_t(a) * uint64_t(b));
}
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
int64_t powi(int64_t a, int64_t b, unsigned) {
  if (b < 0)
    return a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) : 0;
  uint64_t r = 1, base = uint64_t(a);
  for (; b; b >>= 1, base *= base)
    if (b & 1)
      r *= base;
  return int64_t(r);
}

double sumError(double, double ea, double, double eb, int64_t) {
  return ea + eb;
}
double mulError(double a, double ea, double b, double eb, int64_t) {
  return std::fabs(a) * eb + std::fabs(b) * ea + ea * eb;
}
double divError(double, double ea, double b, double eb, int64_t) {
  if (ea == 0 && eb == 0)
    return 0;
  return eb == 0 && b != 0 ? ea / std::fabs(b) + 1 : INFINITY;
}
double worstError(double, double ea, double, double eb, int64_t) {
  return ea == 0 && eb == 0 ? 0 : INFINITY;
}
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
template <size_t... I>
LaneFn comparisonTable(unsigned index, std::index_sequence<I...>) {
  static const LaneFn table[] = {compare<arith::CmpIPredicate(I)>...};
  return table[index];
}

using Unary = int64_t (*)(int64_t, unsigned from);
int64_t extendSigned(int64_t a, unsigned from) { return sext(a, from); }
int64_t extendUnsigned(int64_t a, unsigned from) {
  return int64_t(zext(a, from));
}
int64_t same(int64_t a, unsigned) { return a; }
int64_t absolute(int64_t a, unsigned) {
  return a < 0 ? int64_t(-uint64_t(a)) : a;
}
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

struct Row {
  const char *name;
  LaneFn fn;
};
const Row rows[] = {
    {"arith.addi", binary<add, sumError>},
    {"arith.subi", binary<sub, sumError>},
    {"arith.muli", binary<mul, mulError>},
    {"arith.divsi", binary<divs, divError>},
    {"arith.divui", binary<divu, divError>},
    {"arith.remsi", binary<rems, worstError>},
    {"arith.remui", binary<remu, worstError>},
    {"arith.floordivsi", binary<floordiv, divError>},
    {"arith.ceildivsi", binary<ceildiv, divError>},
    {"arith.ceildivui", binary<ceildivu, divError>},
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

ScalarOp tlc::reference::findIntegerOp(llvm::StringRef name) {
  static const llvm::StringMap<LaneFn> table = [] {
    llvm::StringMap<LaneFn> map;
    for (const Row &row : rows)
      map[row.name] = row.fn;
    return map;
  }();
  return {table.lookup(name), 0};
}

LaneFn tlc::reference::integerCompare(arith::CmpIPredicate predicate) {
  return comparisonTable(unsigned(predicate), std::make_index_sequence<10>());
}

void tlc::reference::execAddOffset(Frame &f, const Inst &inst) {
  const Cell *a = f.at(inst.a), *b = f.at(inst.b);
  Cell *d = f.at(inst.dst);
  for (unsigned l = 0; l < f.n; ++l)
    d[l].i = a[l].i + b[l].i;
}
