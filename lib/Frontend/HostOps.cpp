//===- HostOps.cpp - Operations on compile-time values --------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Python's arithmetic on integers (64 bits, with a report on
// overflow), floats, strings and sequences. An operation with a symbolic
// operand is handed to SymbolicOps.
//
//   binary(op, a, b):  poison          -> error about host code
//                      vectors         -> lane by lane
//                      a or b symbolic -> symBinary, IR
//                      numbers         -> hostArith; else hostBinary
//
// Where Python's result would not fit 64 bits there is an error, never a wrong
// number: these values become sizes, strides and masks.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace tlc;
using namespace tlc::frontend;

/// Whether a value exists only when the kernel runs: SSA values, variables,
/// elements. Buffers and regions are no values at all.
bool Interpreter::isSymbolic(Value v) const {
  if (v.is(VK::Scalar))
    return true;
  if (v.is(VK::Buffer))
    return v.as<BufferObject>()->isVar;
  return v.is(VK::Region) && v.as<RegionObject>()->isElement;
}

/// A vector of `apply` for each pair of lanes; a scalar takes part in all.
/// Invalid after a report where vectors differ in length.
Value Interpreter::lanewise(Value a, Value b, SourceRange range,
                            llvm::function_ref<Value(Value, Value)> apply) {
  int64_t lanes = laneCount({a, b}, range);
  if (lanes < 0)
    return Value();
  return eachLane(lanes,
                  [&](int64_t i) { return apply(laneOf(a, i), laneOf(b, i)); });
}

/// `a op b`. Invalid after a report, as for all functions here.
Value Interpreter::binary(BinOpKind op, Value a, Value b, SourceRange range) {
  for (Value v : {a, b})
    if (v.is(VK::Poison))
      return poisonError(v, range);
  if (a.is(VK::Instance) || b.is(VK::Instance))
    if (auto v = objectBinary(op, a, b, range))
      return *v;
  if (a.is(VK::Vector) || b.is(VK::Vector))
    return lanewise(a, b, range,
                    [&](Value x, Value y) { return binary(op, x, y, range); });
  if (isSymbolic(a) || isSymbolic(b)) {
    // Variables and elements are loaded here, left before right.
    Value x = deref(a, range), y = deref(b, range);
    if (!x || !y)
      return {};
    return symBinary(op, x, y, range);
  }
  // Whole buffers: `A + B` is not an operation of the language.
  for (Value v : {a, b})
    if (v.is(VK::Buffer) || v.is(VK::Region))
      return typeError(range, "a scalar", v);
  return hostBinary(op, a, b, range);
}

/// Python's %: the sign of the divisor.
static double floorModulo(double x, double y) {
  double r = std::fmod(x, y);
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

/// Arithmetic of two numbers. Integers stay integers, except `/` and a negative
/// power; anything else is computed in double precision, as Python does.
///   7 // 2 = 3    -7 // 2 = -4    7 / 2 = 3.5    7.0 // 2 = 3.0
///   7 % -3 = -2   -7 % 3 = 2      2 ** 10 = 1024  2 ** -1 = 0.5
///   1 << 62       fits            1 << 63         an error: not in 64 bits
Value Interpreter::hostArith(BinOpKind op, Value a, Value b,
                             SourceRange range) {
  bool divides =
      op == BinOpKind::Div || op == BinOpKind::FloorDiv || op == BinOpKind::Mod;
  if (divides && b.asFloat() == 0)
    return fail(DiagID::DivisionByZero, range, "division by zero");
  bool integers = a.isIntLike() && b.isIntLike();
  // Python's integers: `/` of them is a float, and so is a negative power.
  if (integers && op != BinOpKind::Div &&
      !(op == BinOpKind::Pow && b.asInt() < 0)) {
    int64_t x = a.asInt(), y = b.asInt(), r = 0;
    bool overflow = false;
    switch (op) {
    case BinOpKind::Add:
      overflow = __builtin_add_overflow(x, y, &r);
      break;
    case BinOpKind::Sub:
      overflow = __builtin_sub_overflow(x, y, &r);
      break;
    case BinOpKind::Mul:
      overflow = __builtin_mul_overflow(x, y, &r);
      break;
    case BinOpKind::FloorDiv:
    // One quotient overflows, and C++ leaves both undefined then.
    case BinOpKind::Mod:
      if (x == INT64_MIN && y == -1) {
        overflow = op == BinOpKind::FloorDiv;
        break;
      }
      // C++ truncates; corrected where signs differ and there is a remainder:
      // -7 / 2 = -3 -> -4,  -7 % 2 = -1 -> 1.
      r = op == BinOpKind::FloorDiv
              ? x / y - (x % y != 0 && (x < 0) != (y < 0))
              : x % y + (x % y != 0 && (x < 0) != (y < 0) ? y : 0);
      break;
    // Bases that stay small do so for any exponent, which the loop below is not
    // for.
    case BinOpKind::Pow:
      r = 1;
      // The loop below ends by overflow after 63 steps at most for other bases.
      // These bases stay small for any exponent; all others overflow after 63
      // steps at most, which ends the loop.
      if (x == 0 || x == 1 || x == -1) {
        r = y == 0 ? 1 : x == -1 ? (y % 2 ? -1 : 1) : x;
        break;
      }
      for (int64_t i = 0; i < y && !overflow; ++i)
        overflow = __builtin_mul_overflow(r, x, &r);
      break;
    case BinOpKind::Shl:
      if (y < 0)
        return fail(DiagID::TypeMismatch, range, "negative shift count");
      // Shifted back, the bits must be the same, sign included.
      overflow = y > 62 ? x != 0 : (x << y) >> y != x;
      r = overflow || y > 62 ? 0 : x << y;
      break;
    case BinOpKind::Shr:
      if (y < 0)
        return fail(DiagID::TypeMismatch, range, "negative shift count");
      // Python's shift keeps the sign however far it goes.
      r = x >> std::min<int64_t>(y, 63);
      break;
    case BinOpKind::And:
      r = x & y;
      break;
    case BinOpKind::Or:
      r = x | y;
      break;
    case BinOpKind::Xor:
      r = x ^ y;
      break;
    default:
      return fail(DiagID::TypeMismatch, range,
                  "'@' is not an operation on numbers");
    }
    if (overflow)
      return fail(DiagID::IntegerOverflow, range,
                  "this integer does not fit into 64 bits");
    // `True & False` is a bool in Python, `True + True` is 2.
    bool logic =
        op == BinOpKind::And || op == BinOpKind::Or || op == BinOpKind::Xor;
    return logic && a.is(VK::Bool) && b.is(VK::Bool) ? Value::boolean(r)
                                                     : Value::integral(r);
  }
  // A float takes part: double precision from here on.
  double x = a.asFloat(), y = b.asFloat();
  switch (op) {
  case BinOpKind::Add:
    return Value::real(x + y);
  case BinOpKind::Sub:
    return Value::real(x - y);
  case BinOpKind::Mul:
    return Value::real(x * y);
  case BinOpKind::Div:
    return Value::real(x / y);
  case BinOpKind::FloorDiv:
    return Value::real(std::floor(x / y));
  case BinOpKind::Mod:
    return Value::real(floorModulo(x, y));
  case BinOpKind::Pow:
    if (x == 0 && y < 0)
      return fail(DiagID::DivisionByZero, range, "0 to a negative power");
    if (x < 0 && y != std::floor(y))
      return fail(DiagID::TypeMismatch, range,
                  "a negative number to a fractional power");
    return Value::real(std::pow(x, y));
  default:
    return fail(DiagID::TypeMismatch, range,
                "'" + spelling(op) + "' needs integers");
  }
}

/// Elements of a list, characters of a string: more is a program gone wrong.
static constexpr size_t kLongest = 1 << 20;

/// Operators on what is not two numbers: strings and sequences are joined and
/// repeated, dictionaries merged. Lengths are bounded, since a kernel's
/// compilation should not exhaust memory.
///   "a" + "b", [1] + [2], (1,) + (2,)     joined
///   "ab" * 2, 2 * [0]                      repeated
///   {...} | {...}                          merged, the right side wins
///   "text %d" % x                          printf's formats
///   {1, 2} & {2}, | - ^                    of sets
Value Interpreter::hostBinary(BinOpKind op, Value a, Value b,
                              SourceRange range) {
  if (a.isNumber() && b.isNumber())
    return hostArith(op, a, b, range);
  auto lengthOf = [](Value v) -> size_t {
    return v.is(VK::Str)    ? v.asStr().size()
           : v.isSequence() ? v.as<SequenceObject>()->elements.size()
                            : 0;
  };
  if (op == BinOpKind::Add && lengthOf(a) + lengthOf(b) > kLongest)
    return fail(DiagID::StepLimit, range, "this concatenation is too long");
  if (op == BinOpKind::Add && a.is(VK::Str) && b.is(VK::Str))
    return makeString(a.asStr() + b.asStr());
  // Only like sequences join: a list and a tuple do not, as in Python.
  if (op == BinOpKind::Add && a.isSequence() && a.kind() == b.kind()) {
    llvm::SmallVector<Value> all(a.as<SequenceObject>()->elements);
    all.append(b.as<SequenceObject>()->elements);
    return makeSequence(a.kind(), all);
  }
  // 3 * "ab" is "ab" * 3.
  if (op == BinOpKind::Mul && a.isIntLike() &&
      (b.is(VK::Str) || b.isSequence()))
    std::swap(a, b);
  if (op == BinOpKind::Mul && b.isIntLike() &&
      (a.is(VK::Str) || a.isSequence())) {
    // A negative count gives the empty sequence.
    int64_t n = std::max<int64_t>(0, b.asInt());
    size_t size = a.is(VK::Str) ? a.asStr().size()
                                : a.as<SequenceObject>()->elements.size();
    // Divided, not multiplied: n may be near 2^63.
    if (size && uint64_t(n) > (1u << 20) / size)
      return fail(DiagID::StepLimit, range, "this repetition is too long");
    if (a.is(VK::Str)) {
      std::string text;
      for (int64_t i = 0; i < n; ++i)
        text += a.asStr();
      return makeString(text);
    }
    llvm::SmallVector<Value> all;
    for (int64_t i = 0; i < n; ++i)
      all.append(a.as<SequenceObject>()->elements);
    return makeSequence(a.kind(), all);
  }
  // The right one's values win.
  if (op == BinOpKind::Or && a.is(VK::Dict) && b.is(VK::Dict)) {
    // A copy of the left one: it stays as it is.
    auto *merged = make<DictObject>(*a.as<DictObject>());
    for (auto &[key, value] : b.as<DictObject>()->entries)
      setEntry(merged, key, value);
    return Value::object(merged);
  }
  if (a.is(VK::Set) && b.is(VK::Set)) {
    auto &x = a.as<SequenceObject>()->elements,
         &y = b.as<SequenceObject>()->elements;
    auto has = [&](ArrayRef<Value> set, Value v) {
      return llvm::any_of(
          set, [&](Value o) { return hostEquals(o, v).value_or(false); });
    };
    llvm::SmallVector<Value> all;
    for (Value v : x) // what the operation keeps of the left one
      if (op == BinOpKind::Or || has(y, v) == (op == BinOpKind::And))
        all.push_back(v);
    if (op == BinOpKind::Or || op == BinOpKind::Xor)
      for (Value v : y)
        if (!has(x, v))
          all.push_back(v);
    if (op == BinOpKind::Or || op == BinOpKind::And || op == BinOpKind::Sub ||
        op == BinOpKind::Xor)
      return makeSequence(VK::Set, all);
  }
  if (op == BinOpKind::Mod && a.is(VK::Str))
    return percentFormat(a.asStr(), b, range);
  return fail(DiagID::TypeMismatch, range,
              "'" + spelling(op) + "' does not take " + describe(a) + " and " +
                  describe(b));
}

/// `op v`; `not` of a compile-time value is its truth's opposite.
Value Interpreter::unary(UnaryOpKind op, Value v, SourceRange range) {
  if (v.is(VK::Poison))
    return poisonError(v, range);
  if (v.is(VK::Vector))
    return eachLane(laneCount(v, range),
                    [&](int64_t i) { return unary(op, laneOf(v, i), range); });
  if (isSymbolic(v)) {
    v = deref(v, range);
    return v ? symUnary(op, v, range) : Value();
  }
  if (v.is(VK::Instance) && op != UnaryOpKind::Not) {
    StringRef name = op == UnaryOpKind::Neg   ? "__neg__"
                     : op == UnaryOpKind::Pos ? "__pos__"
                                              : "__invert__";
    if (auto result = special(v, name, {}, range))
      return *result;
  }
  if (op == UnaryOpKind::Not) {
    bool failed = false;
    auto t = truth(v, range, failed);
    return failed ? Value() : Value::boolean(!*t);
  }
  if (v.is(VK::Float) && op != UnaryOpKind::Invert)
    return op == UnaryOpKind::Neg ? Value::real(-v.asFloat()) : v;
  // ~x is -x - 1 at any width; -True is -1, an int.
  if (v.isIntLike()) {
    if (op == UnaryOpKind::Neg && v.asInt() == INT64_MIN)
      return fail(DiagID::IntegerOverflow, range,
                  "this integer does not fit into 64 bits");
    return Value::integral(op == UnaryOpKind::Neg      ? -v.asInt()
                           : op == UnaryOpKind::Invert ? ~v.asInt()
                                                       : v.asInt());
  }
  return fail(DiagID::TypeMismatch, range,
              "'" + spelling(op) + "' does not take " + describe(v));
}
