//===- HostCompare.cpp - Equality, order and truth of values --------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Python's ==, <, `in`, `is`, truth and iteration of compile-time values. A
// comparison with a symbolic operand is handed to SymbolicOps.
//
//   1 == 1.0 == True             True
//   T.float16 == "float16"       True
//   x in (1, 2)                  by ==, for a compile-time x
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace tlc;
using namespace tlc::frontend;

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
