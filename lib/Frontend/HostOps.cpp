//===- HostOps.cpp - Operations on compile-time values --------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Python's arithmetic and comparisons on integers (64 bits, with a report on
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
#include "llvm/Support/SaveAndRestore.h"
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

/// Python's == on compile-time values; nothing where it would need a symbolic
/// comparison. 1 == 1.0 == True; a dtype equals its name; a symbolic value does
/// not equal something that is no number, without asking the device.
std::optional<bool> Interpreter::hostEquals(Value a, Value b) {
  // A list may hold itself.
  static unsigned nested = 0;
  constexpr unsigned kMostNested = 500;
  if (nested >= kMostNested) {
    error(DiagID::StepLimit, lastPlace,
          "these values are nested too deeply to be compared");
    return false;
  }
  llvm::SaveAndRestore deeper(nested, nested + 1);
  // Symbolic numbers may be equal when the kernel runs; a number and, say, a
  // string never are.
  if (isSymbolic(a) || isSymbolic(b)) {
    if ((isSymbolic(a) || a.isNumber()) && (isSymbolic(b) || b.isNumber()))
      return std::nullopt;
    return false;
  }
  // Integers are compared as such: beyond 2^53 doubles would call some equal.
  if (a.isNumber() && b.isNumber())
    return a.isIntLike() && b.isIntLike() ? a.asInt() == b.asInt()
                                          : a.asFloat() == b.asFloat();
  // T.float16 == "float16", and "float16" == T.float16.
  if (a.is(VK::DType) || b.is(VK::DType)) {
    DType x = dtypeFrom(a, {}, true, /*vectors=*/true),
          y = dtypeFrom(b, {}, true, /*vectors=*/true);
    return x && x == y;
  }
  for (auto [one, other] : {std::pair(a, b), std::pair(b, a)})
    if (auto v = special(one, "__eq__", {other}, lastPlace)) {
      bool failed = false;
      return *v ? truth(*v, lastPlace, failed) : std::nullopt;
    }
  if (a.kind() != b.kind())
    return false;
  if (a.is(VK::Instance) && a.as<InstanceObject>()->cls->isRecord &&
      a.as<InstanceObject>()->cls == b.as<InstanceObject>()->cls)
    return sameFields(a.as<InstanceObject>(), b.as<InstanceObject>());
  if (a.is(VK::Set)) { // in any order
    auto &x = a.as<SequenceObject>()->elements,
         &y = b.as<SequenceObject>()->elements;
    return x.size() == y.size() && llvm::all_of(x, [&](Value v) {
             return llvm::any_of(
                 y, [&](Value o) { return hostEquals(v, o).value_or(false); });
           });
  }
  if (a.isSequence()) {
    auto &x = a.as<SequenceObject>()->elements,
         &y = b.as<SequenceObject>()->elements;
    if (x.size() != y.size())
      return false;
    // The first undecided pair leaves the whole undecided, an unlike one before
    // it decides.
    for (size_t i = 0; i < x.size(); ++i) {
      auto e = hostEquals(x[i], y[i]);
      if (!e || !*e)
        return e;
    }
    return true;
  }
  if (a.is(VK::Dict)) {
    auto &x = a.as<DictObject>()->entries, &y = b.as<DictObject>()->entries;
    if (x.size() != y.size())
      return false;
    // In any order: keys differ within a dictionary, so each has one partner.
    for (auto &[key, value] : x) {
      auto other = llvm::find_if(y, [&, key = key](auto &entry) {
        return hostEquals(entry.first, key).value_or(false);
      });
      if (other == y.end())
        return false;
      auto e = hostEquals(value, other->second);
      if (!e || !*e)
        return e;
    }
    return true;
  }
  // Functions, buffers, modules: equal if they are the same object.
  return a.identical(b);
}

/// dict[key] = value: an equal key keeps its place, as in Python. Identity
/// comes first, for keys that hostEquals cannot decide (symbolic ones). Linear
/// in the number of entries.
void Interpreter::setEntry(DictObject *dict, Value key, Value value) {
  for (auto &entry : dict->entries)
    if (entry.first.identical(key) ||
        hostEquals(entry.first, key).value_or(false)) {
      entry.second = value;
      return;
    }
  dict->entries.push_back({key, value});
}

/// `a op b` for comparisons: a Bool, or a Scalar of type bool.
///   x in (1, 2), "a" in "abc", k in {...}   membership, by ==
///   x is None, dtype is T.float16           identity
///   "a" < "b", (1, 2) < (1, 3)              order of strings and sequences
Value Interpreter::compare(CmpOpKind op, Value a, Value b, SourceRange range) {
  for (Value v : {a, b})
    if (v.is(VK::Poison))
      return poisonError(v, range);
  if (a.is(VK::Vector) || b.is(VK::Vector))
    return lanewise(a, b, range,
                    [&](Value x, Value y) { return compare(op, x, y, range); });
  if (a.is(VK::Instance) || b.is(VK::Instance))
    if (auto v = objectCompare(op, a, b, range))
      return *v;
  if (a.is(VK::Set) && b.is(VK::Set) &&
      (op == CmpOpKind::Le || op == CmpOpKind::Ge || op == CmpOpKind::Lt ||
       op == CmpOpKind::Gt)) {
    if (op == CmpOpKind::Ge || op == CmpOpKind::Gt)
      return compare(op == CmpOpKind::Ge ? CmpOpKind::Le : CmpOpKind::Lt, b, a,
                     range);
    Value rest = hostBinary(BinOpKind::Sub, a, b, range);
    return Value::boolean(
        rest.as<SequenceObject>()->elements.empty() &&
        (op == CmpOpKind::Le || !hostEquals(a, b).value_or(false)));
  }
  switch (op) {
  case CmpOpKind::Is:
  // Identity is for None and dtypes; numbers and strings compare by value.
  case CmpOpKind::IsNot: {
    bool same = a.identical(b) || (a.is(VK::DType) && b.is(VK::DType) &&
                                   a.asDType() == b.asDType());
    return Value::boolean(same == (op == CmpOpKind::Is));
  }
  case CmpOpKind::In:
  case CmpOpKind::NotIn: {
    bool found = false;
    if (auto v = special(b, "__contains__", {a}, range)) {
      bool failed = !*v;
      found = !failed && truth(*v, range, failed).value_or(false);
      if (failed)
        return {};
    } else if (a.is(VK::Str) && b.is(VK::Str)) {
      found = b.asStr().contains(a.asStr());
    } else {
      llvm::SmallVector<Value> elements;
      if (!iterate(b, range, elements))
        return {};
      for (Value e : elements) {
        auto equal = hostEquals(a, e);
        if (!equal)
          return fail(DiagID::NotConstant, range,
                      "'in' needs values that are known at compile time");
        // Goes on: a later element that is not known is an error all the same.
        found |= *equal;
      }
    }
    return Value::boolean(found == (op == CmpOpKind::In));
  }
  default:
    break;
  }
  if (op == CmpOpKind::Eq || op == CmpOpKind::Ne) {
    if (auto equal = hostEquals(a, b))
      return Value::boolean(*equal == (op == CmpOpKind::Eq));
    // Undecided without being symbolic itself: an element of it is.
    if (!isSymbolic(a) && !isSymbolic(b))
      return fail(DiagID::NotConstant, range,
                  "comparison of a sequence of symbolic values");
  }
  if (isSymbolic(a) || isSymbolic(b)) {
    a = deref(a, range);
    b = deref(b, range);
    return a && b ? symCompare(op, a, b, range) : Value();
  }
  // Order of two compile-time values: -1, 0 or 1. Floats are compared directly,
  // because a NaN is in no order with anything.
  int order;
  if (a.isIntLike() && b.isIntLike()) {
    order = a.asInt() < b.asInt() ? -1 : a.asInt() > b.asInt();
  } else if (a.isNumber() && b.isNumber()) {
    double x = a.asFloat(), y = b.asFloat();
    bool r = op == CmpOpKind::Lt   ? x < y
             : op == CmpOpKind::Le ? x <= y
             : op == CmpOpKind::Gt ? x > y
                                   : x >= y;
    return Value::boolean(r);
  } else if (a.is(VK::Str) && b.is(VK::Str)) {
    order = a.asStr().compare(b.asStr());
  } else if (a.isSequence() && a.kind() == b.kind()) {
    auto &x = a.as<SequenceObject>()->elements,
         &y = b.as<SequenceObject>()->elements;
    // Sequences by their first difference, then by length.
    for (size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
      auto equal = hostEquals(x[i], y[i]);
      if (!equal)
        return fail(DiagID::NotConstant, range,
                    "comparison of a sequence of symbolic values");
      if (!*equal)
        // The first difference decides, whatever follows.
        return compare(op, x[i], y[i], range);
    }
    order = x.size() < y.size() ? -1 : x.size() > y.size();
  } else {
    return fail(DiagID::TypeMismatch, range,
                "'" + spelling(op) + "' does not take " + describe(a) +
                    " and " + describe(b));
  }
  bool r = op == CmpOpKind::Lt   ? order < 0
           : op == CmpOpKind::Le ? order <= 0
           : op == CmpOpKind::Gt ? order > 0
                                 : order >= 0;
  return Value::boolean(r);
}

/// Python's truth of a value. Nothing, with `failed` unset, for a symbolic one;
/// nothing, with `failed` set, after a report.
///   0, 0.0, None, "", (), [], {}, range(0)    false
///   functions, dtypes, modules and the like    true
///   an SSA value, a variable, an element       nothing: known on the device
///   a buffer or region, host code's values     an error
std::optional<bool> Interpreter::truth(Value v, SourceRange range,
                                       bool &failed) {
  switch (v.kind()) {
  case VK::Bool:
  case VK::Int:
    return v.asInt() != 0;
  case VK::Float:
    return v.asFloat() != 0;
  case VK::None:
    return false;
  case VK::Str:
    return !v.asStr().empty();
  case VK::Tuple:
  case VK::List:
  case VK::Set:
    return !v.as<SequenceObject>()->elements.empty();
  case VK::Dict:
    return !v.as<DictObject>()->entries.empty();
  case VK::Range:
    return v.as<RangeObject>()->size() != 0;
  case VK::Scalar:
    return std::nullopt;
  case VK::Buffer:
  case VK::Region:
    if (isSymbolic(v))
      return std::nullopt;
    typeError(range, "a condition", v);
    failed = true;
    return std::nullopt;
  case VK::Poison:
    poisonError(v, range);
    failed = true;
    return std::nullopt;
  case VK::Invalid:
    failed = true;
    return std::nullopt;
  case VK::Instance:
    for (StringRef name : {"__bool__", "__len__"})
      if (auto known = special(v, name, {}, range))
        return truth(*known, range, failed);
    return true;
  default:
    return true;
  }
}

/// Appends the elements that `for` would see. False after a report. Ranges are
/// spelled out, so their length is bounded.
bool Interpreter::iterate(Value v, SourceRange range,
                          llvm::SmallVectorImpl<Value> &out) {
  if (v.is(VK::DType)) // a dtype is a string, too
    v = makeString(v.asDType()->name);
  switch (v.kind()) {
  case VK::Tuple:
  case VK::List:
  case VK::Set:
    out.append(v.as<SequenceObject>()->elements);
    return true;
  // A dictionary's elements are its keys.
  case VK::Dict:
    for (auto &entry : v.as<DictObject>()->entries)
      out.push_back(entry.first);
    return true;
  case VK::Str:
    for (size_t i = 0; i < v.asStr().size(); ++i)
      // By bytes: characters beyond ASCII come apart, which no kernel's text
      // has.
      out.push_back(Value::string(v.asStr().substr(i, 1)));
    return true;
  case VK::Range: {
    auto *r = v.as<RangeObject>();
    if (r->size() > (1 << 20)) {
      error(DiagID::StepLimit, range,
            "a compile-time loop of more than a million steps");
      return false;
    }
    for (int64_t i = 0, n = r->size(); i < n; ++i)
      out.push_back(Value::integral(r->start + i * r->step));
    return true;
  }
  case VK::Class:
  case VK::Instance: {
    bool ok = true;
    if (objectItems(v, range, out, ok))
      return ok;
    break;
  }
  case VK::Poison:
    poisonError(v, range);
    return false;
  case VK::Invalid:
    return false;
  default:
    break;
  }
  typeError(range, "something to iterate over", v);
  return false;
}
