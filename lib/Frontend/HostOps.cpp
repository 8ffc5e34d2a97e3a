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
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace tlc;
using namespace tlc::frontend;

bool Interpreter::isSymbolic(Value v) const {
  if (v.is(VK::Scalar))
    return true;
  if (v.is(VK::Buffer))
    return v.as<BufferObject>()->isVar;
  return v.is(VK::Region) && v.as<RegionObject>()->isElement;
}

Value Interpreter::lanewise(Value a, Value b, SourceRange range,
                            llvm::function_ref<Value(Value, Value)> apply) {
  int64_t lanes = laneCount({a, b}, range);
  if (lanes < 0)
    return Value();
  return eachLane(lanes,
                  [&](int64_t i) { return apply(laneOf(a, i), laneOf(b, i)); });
}

Value Interpreter::binary(BinOpKind op, Value a, Value b, SourceRange range) {
  for (Value v : {a, b})
    if (v.is(VK::Poison))
      return poisonError(v, range);
  if (a.is(VK::Vector) || b.is(VK::Vector))
    return lanewise(a, b, range,
                    [&](Value x, Value y) { return binary(op, x, y, range); });
  if (isSymbolic(a) || isSymbolic(b)) {
    Value x = deref(a, range), y = deref(b, range);
    if (!x || !y)
      return {};
    return symBinary(op, x, y, range);
  }
  for (Value v : {a, b})
    if (v.is(VK::Buffer) || v.is(VK::Region))
      return typeError(range, "a scalar", v);
  return hostBinary(op, a, b, range);
}

static double floorModulo(double x, double y) {
  double r = std::fmod(x, y);
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

Value Interpreter::hostArith(BinOpKind op, Value a, Value b,
                             SourceRange range) {
  bool divides =
      op == BinOpKind::Div || op == BinOpKind::FloorDiv || op == BinOpKind::Mod;
  if (divides && b.asFloat() == 0)
    return fail(DiagID::DivisionByZero, range, "division by zero");
  bool integers = a.isIntLike() && b.isIntLike();
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
    case BinOpKind::Mod:
      if (x == INT64_MIN && y == -1) {
        overflow = op == BinOpKind::FloorDiv;
        break;
      }
      r = op == BinOpKind::FloorDiv
              ? x / y - (x % y != 0 && (x < 0) != (y < 0))
              : x % y + (x % y != 0 && (x < 0) != (y < 0) ? y : 0);
      break;
    case BinOpKind::Pow:
      r = 1;
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
      overflow = y > 62 ? x != 0 : (x << y) >> y != x;
      r = overflow || y > 62 ? 0 : x << y;
      break;
    case BinOpKind::Shr:
      if (y < 0)
        return fail(DiagID::TypeMismatch, range, "negative shift count");
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
    bool logic =
        op == BinOpKind::And || op == BinOpKind::Or || op == BinOpKind::Xor;
    return logic && a.is(VK::Bool) && b.is(VK::Bool) ? Value::boolean(r)
                                                     : Value::integral(r);
  }
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
  if (op == BinOpKind::Add && a.isSequence() && a.kind() == b.kind()) {
    llvm::SmallVector<Value> all(a.as<SequenceObject>()->elements);
    all.append(b.as<SequenceObject>()->elements);
    return makeSequence(a.kind(), all);
  }
  if (op == BinOpKind::Mul && a.isIntLike() &&
      (b.is(VK::Str) || b.isSequence()))
    std::swap(a, b);
  if (op == BinOpKind::Mul && b.isIntLike() &&
      (a.is(VK::Str) || a.isSequence())) {
    int64_t n = std::max<int64_t>(0, b.asInt());
    size_t size = a.is(VK::Str) ? a.asStr().size()
                                : a.as<SequenceObject>()->elements.size();
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
  if (op == BinOpKind::Or && a.is(VK::Dict) && b.is(VK::Dict)) {
    auto *merged = make<DictObject>(*a.as<DictObject>());
    for (auto &[key, value] : b.as<DictObject>()->entries)
      setEntry(merged, key, value);
    return Value::object(merged);
  }
  if (op == BinOpKind::Mod && a.is(VK::Str)) // only assembled for messages
    return makeString(a.asStr());
  return fail(DiagID::TypeMismatch, range,
              "'" + spelling(op) + "' does not take " + describe(a) + " and " +
                  describe(b));
}

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
  if (op == UnaryOpKind::Not) {
    bool failed = false;
    auto t = truth(v, range, failed);
    return failed ? Value() : Value::boolean(!*t);
  }
  if (v.is(VK::Float) && op != UnaryOpKind::Invert)
    return op == UnaryOpKind::Neg ? Value::real(-v.asFloat()) : v;
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

/// Python's == ; nothing where it would need a symbolic comparison.
std::optional<bool> Interpreter::hostEquals(Value a, Value b) {
  if (isSymbolic(a) || isSymbolic(b)) {
    if ((isSymbolic(a) || a.isNumber()) && (isSymbolic(b) || b.isNumber()))
      return std::nullopt;
    return false;
  }
  if (a.isNumber() && b.isNumber())
    return a.isIntLike() && b.isIntLike() ? a.asInt() == b.asInt()
                                          : a.asFloat() == b.asFloat();
  if (a.is(VK::DType) || b.is(VK::DType)) {
    DType x = dtypeFrom(a, {}, true, /*vectors=*/true),
          y = dtypeFrom(b, {}, true, /*vectors=*/true);
    return x && x == y;
  }
  if (a.kind() != b.kind())
    return false;
  if (a.isSequence() || a.is(VK::Set)) {
    auto &x = a.as<SequenceObject>()->elements,
         &y = b.as<SequenceObject>()->elements;
    if (x.size() != y.size())
      return false;
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
  return a.identical(b);
}

void Interpreter::setEntry(DictObject *dict, Value key, Value value) {
  for (auto &entry : dict->entries)
    if (entry.first.identical(key) ||
        hostEquals(entry.first, key).value_or(false)) {
      entry.second = value;
      return;
    }
  dict->entries.push_back({key, value});
}

Value Interpreter::compare(CmpOpKind op, Value a, Value b, SourceRange range) {
  for (Value v : {a, b})
    if (v.is(VK::Poison))
      return poisonError(v, range);
  if (a.is(VK::Vector) || b.is(VK::Vector))
    return lanewise(a, b, range,
                    [&](Value x, Value y) { return compare(op, x, y, range); });
  switch (op) {
  case CmpOpKind::Is:
  case CmpOpKind::IsNot: {
    bool same = a.identical(b) || (a.is(VK::DType) && b.is(VK::DType) &&
                                   a.asDType() == b.asDType());
    return Value::boolean(same == (op == CmpOpKind::Is));
  }
  case CmpOpKind::In:
  case CmpOpKind::NotIn: {
    bool found = false;
    if (a.is(VK::Str) && b.is(VK::Str)) {
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
    if (!isSymbolic(a) && !isSymbolic(b))
      return fail(DiagID::NotConstant, range,
                  "comparison of a sequence of symbolic values");
  }
  if (isSymbolic(a) || isSymbolic(b)) {
    a = deref(a, range);
    b = deref(b, range);
    return a && b ? symCompare(op, a, b, range) : Value();
  }
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
    for (size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
      auto equal = hostEquals(x[i], y[i]);
      if (!equal)
        return fail(DiagID::NotConstant, range,
                    "comparison of a sequence of symbolic values");
      if (!*equal)
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
  default:
    return true;
  }
}

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
  case VK::Dict:
    for (auto &entry : v.as<DictObject>()->entries)
      out.push_back(entry.first);
    return true;
  case VK::Str:
    for (size_t i = 0; i < v.asStr().size(); ++i)
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
  case VK::Instance: {
    auto *object = v.as<InstanceObject>();
    if (!object->cls->isTuple)
      break;
    for (auto &field : object->cls->fields)
      out.push_back(object->attributes->names[field.name].value);
    return true;
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
