//===- PythonBuiltins.cpp - Python's own functions and methods ------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace tlc;
using namespace tlc::frontend;
using llvm::SmallVector;

Value Interpreter::mathConstantValue(const BuiltinInfo *builtin) {
  static constexpr double values[] = {M_PI, M_E, HUGE_VAL, NAN};
  return Value::real(values[builtin->data]);
}
Value Interpreter::mathConstant(Args &args) {
  return mathConstantValue(currentBuiltin);
}

Value Interpreter::pyLen(Args &args) {
  Value v = args[0];
  if (v.is(VK::Buffer))
    return v.as<BufferObject>()->shape[0];
  SmallVector<Value> items;
  if (!iterate(v, args.rangeOf(0), items))
    return {};
  return Value::integral(int64_t(items.size()));
}

/// int, float, bool, str, abs, divmod: data selects.
Value Interpreter::pyNumber(Args &args) {
  enum { Int, Float, Bool, Str, Abs };
  Value v = args.values.empty() || !args.values[0] ? Value() : args[0];
  int64_t which = currentBuiltin->data;
  if (!v)
    return which == Str     ? makeString("")
           : which == Float ? Value::real(0)
           : which == Bool  ? Value::boolean(false)
                            : Value::integral(0);
  if (which == Str)
    return makeString(str(v));
  if (isSymbolic(v)) {
    if (which == Abs) {
      Sym s = toSym(v, args.range);
      if (!s)
        return {};
      if (s.type->cls == DTypeInfo::UInt)
        return v;
      return s.type->isFloat()
                 ? Value::scalar(
                       {b.createOrFold<mlir::math::AbsFOp>(s.value), s.type})
                 : fold({b.createOrFold<mlir::math::AbsIOp>(s.value), s.type});
    }
    // int() of a 64-bit integer is that integer; narrower ones become int32.
    if (Sym s = toSym(v, args.range);
        which == Int && s && s.type->isInteger() && s.type->bits == 64)
      return v;
    Sym s = castValue(v,
                      which == Int     ? dtypes::int32
                      : which == Float ? dtypes::float32
                                       : dtypes::boolean,
                      args.range);
    return s ? fold(s) : Value();
  }
  if (which == Bool) {
    bool failed = false;
    auto t = truth(v, args.range, failed);
    return failed ? Value() : Value::boolean(*t);
  }
  if (v.is(VK::Str)) {
    StringRef text = v.asStr().trim();
    double d;
    int64_t i;
    if (which == Int && !text.getAsInteger(10, i))
      return Value::integral(i);
    if (which == Float &&
        (text.equals_insensitive("inf") || text.equals_insensitive("-inf")))
      return Value::real(text[0] == '-' ? -HUGE_VAL : HUGE_VAL);
    if (which == Float && !text.getAsDouble(d))
      return Value::real(d);
    return fail(DiagID::BadArgument, args.range,
                describe(v) + " is not a number");
  }
  if (!v.isNumber())
    return typeError(args.rangeOf(0), "a number", v);
  if (which == Float)
    return Value::real(v.asFloat());
  if (which == Abs)
    return v.is(VK::Float)  ? Value::real(std::fabs(v.asFloat()))
           : v.asInt() >= 0 ? Value::integral(v.asInt())
                            : unary(UnaryOpKind::Neg, v, args.range);
  if (v.is(VK::Float) && !(std::fabs(v.asFloat()) < 9.2e18))
    return fail(DiagID::IntegerOverflow, args.range,
                "this number has no 64-bit integer");
  return v.is(VK::Float) ? Value::integral(int64_t(v.asFloat()))
                         : Value::integral(v.asInt());
}

Value Interpreter::pyRound(Args &args) {
  if (!args[0].isNumber())
    return typeError(args.rangeOf(0), "a number", args[0]);
  double digits = args.has(1) ? args[1].asFloat() : 0,
         scale = std::pow(10.0, digits);
  double r = std::nearbyint(args[0].asFloat() * scale) / scale;
  return args.has(1) ? Value::real(r) : Value::integral(int64_t(r));
}

Value Interpreter::pySum(Args &args) {
  SmallVector<Value> items;
  if (!iterate(args[0], args.rangeOf(0), items))
    return {};
  Value total = args.has(1) ? args[1] : Value::integral(0);
  for (Value v : items)
    if (!(total = binary(BinOpKind::Add, total, v, args.range)))
      return {};
  return total;
}

/// list, tuple, set, reversed: data 0, 1, 2, 3.
Value Interpreter::pyContainer(Args &args) {
  SmallVector<Value> items;
  if (args.values[0] && !iterate(args[0], args.rangeOf(0), items))
    return {};
  if (currentBuiltin->data == 3)
    std::reverse(items.begin(), items.end());
  static constexpr VK kinds[] = {VK::List, VK::Tuple, VK::Set, VK::List};
  return makeSequence(kinds[currentBuiltin->data], items);
}

Value Interpreter::pyEnumerate(Args &args) {
  SmallVector<Value> items, pairs;
  if (!iterate(args[0], args.rangeOf(0), items))
    return {};
  int64_t start = args.has(1) && args[1].isIntLike() ? args[1].asInt() : 0;
  for (Value v : items)
    pairs.push_back(makeSequence(VK::Tuple, {Value::integral(start++), v}));
  return makeSequence(VK::List, pairs);
}

Value Interpreter::pyZip(Args &args) {
  SmallVector<SmallVector<Value>> columns;
  size_t n = SIZE_MAX;
  for (Value v : args.rest) {
    if (!iterate(v, args.range, columns.emplace_back()))
      return {};
    n = std::min(n, columns.back().size());
  }
  SmallVector<Value> rows;
  for (size_t i = 0; i < n && !columns.empty(); ++i) {
    SmallVector<Value> row;
    for (auto &c : columns)
      row.push_back(c[i]);
    rows.push_back(makeSequence(VK::Tuple, row));
  }
  return makeSequence(VK::List, rows);
}

/// itertools.product(a, b, …)
Value Interpreter::pyProduct(Args &args) {
  std::vector<SmallVector<Value>> rows(1);
  for (Value v : args.rest) {
    SmallVector<Value> items;
    if (!iterate(v, args.range, items))
      return {};
    if (rows.size() * items.size() > 1 << 16)
      return fail(DiagID::StepLimit, args.range,
                  "a product of more than 65536 tuples");
    std::vector<SmallVector<Value>> next;
    for (auto &row : rows)
      for (Value item : items) {
        next.push_back(row);
        next.back().push_back(item);
      }
    rows = std::move(next);
  }
  SmallVector<Value> tuples;
  for (auto &row : rows)
    tuples.push_back(makeSequence(VK::Tuple, row));
  return makeSequence(VK::List, tuples);
}

Value Interpreter::pyAnyAll(Args &args) {
  SmallVector<Value> items;
  if (!iterate(args[0], args.rangeOf(0), items))
    return {};
  bool isAll = currentBuiltin->data, result = isAll, failed = false;
  for (Value v : items) {
    auto t = truth(v, args.range, failed);
    if (failed)
      return {};
    if (!t)
      return fail(DiagID::NotConstant, args.range,
                  "any and all need compile-time values");
    result = isAll ? result && *t : result || *t;
  }
  return Value::boolean(result);
}

/// sorted(x, key=f, reverse=True). Stable, also in reverse; what is compared,
/// the elements or their keys, are numbers or strings.
Value Interpreter::pySorted(Args &args) {
  SmallVector<Value> items;
  if (!iterate(args[0], args.rangeOf(0), items))
    return {};
  Value key;
  bool reverse = false, failed = false;
  for (auto &[name, v] : args.extra) {
    if (name == "key") {
      if (!v.is(VK::None))
        key = v;
    } else if (name == "reverse") {
      reverse = truth(v, args.range, failed).value_or(false);
    } else {
      return fail(DiagID::BadCall, args.range,
                  "'sorted' has no parameter '" + name + "'");
    }
  }
  if (failed)
    return {};
  SmallVector<std::pair<Value, Value>> keyed;
  for (Value item : items) {
    Value k = key ? callValue(key, {item}, args.range) : item;
    if (!k)
      return {};
    if (!k.isNumber() && !k.is(VK::Str))
      return fail(DiagID::BadArgument, args.range,
                  "sorted compares numbers or strings");
    if (!keyed.empty() && k.isNumber() != keyed[0].first.isNumber())
      return fail(DiagID::BadArgument, args.range,
                  "numbers and strings do not compare");
    keyed.push_back({k, item});
  }
  llvm::stable_sort(keyed, [&](const auto &a, const auto &b) {
    Value x = reverse ? b.first : a.first, y = reverse ? a.first : b.first;
    return x.isNumber() ? x.asFloat() < y.asFloat() : x.asStr() < y.asStr();
  });
  for (auto [item, entry] : llvm::zip(items, keyed))
    item = entry.second;
  return makeSequence(VK::List, items);
}

Value Interpreter::pyIsInstance(Args &args) {
  SmallVector<Value> types;
  if (args[1].isSequence())
    types.assign(args[1].as<SequenceObject>()->elements);
  else
    types.push_back(args[1]);
  bool result = false;
  Value v = args[0];
  for (Value t : types) {
    StringRef name = t.is(VK::Builtin) ? t.asBuiltin()->name : "";
    if (t.is(VK::Class) && v.is(VK::Instance))
      result |= isSubclass(v.as<InstanceObject>()->cls, t.as<ClassObject>());
    result |= (name == "int" && v.isIntLike()) ||
              (name == "float" && v.is(VK::Float)) ||
              (name == "bool" && v.is(VK::Bool)) ||
              (name == "str" && v.is(VK::Str)) ||
              (name == "list" && v.is(VK::List)) ||
              (name == "tuple" && v.is(VK::Tuple)) ||
              (name == "dict" && v.is(VK::Dict));
  }
  return Value::boolean(result);
}

Value Interpreter::pyException(Args &args) {
  auto *e = make<ExceptionObject>();
  e->type = currentBuiltin->name;
  if (!args.rest.empty())
    e->message = str(args.rest[0]);
  return Value::object(e);
}

/// getattr(object, name[, default]), hasattr: data 1.
Value Interpreter::pyHasAttr(Args &args) {
  if (!args[1].is(VK::Str))
    return typeError(args.rangeOf(1), "a name", args[1]);
  Value v;
  bool missingAttr;
  {
    DiagnosticEngine::Capture quiet(diags);
    v = attribute(args[0], args[1].asStr(), args.range);
    missingAttr = !v;
  }
  if (currentBuiltin->data)
    return Value::boolean(!missingAttr);
  if (!missingAttr)
    return v;
  return args.values.size() > 2 && args.values[2]
             ? args.values[2]
             : attribute(args[0], args[1].asStr(), args.range);
}

Value Interpreter::pyMap(Args &args) {
  SmallVector<Value> items, out;
  if (!iterate(args[1], args.rangeOf(1), items))
    return {};
  for (Value v : items) {
    out.push_back(args[0].is(VK::Builtin) &&
                          args[0].asBuiltin()->name == "int" && v.isNumber()
                      ? Value::integral(int64_t(v.asFloat()))
                      : callValue(args[0], {v}, args.range));
    if (!out.back())
      return {};
  }
  return makeSequence(VK::List, out);
}

Value Interpreter::pyDict(Args &args) {
  auto *dict = make<DictObject>();
  if (args.values[0]) {
    if (args[0].is(VK::Dict)) {
      dict->entries = args[0].as<DictObject>()->entries;
    } else {
      SmallVector<Value> items;
      if (!iterate(args[0], args.rangeOf(0), items))
        return {};
      for (Value item : items) {
        SmallVector<Value> pair;
        if (!iterate(item, args.range, pair) || pair.size() != 2)
          return fail(DiagID::BadArgument, args.range, "dict takes pairs");
        setEntry(dict, pair[0], pair[1]);
      }
    }
  }
  for (auto &[name, v] : args.extra)
    setEntry(dict, makeString(name), v);
  return Value::object(dict);
}

/// Hints of other compilers and host functions without effect on a kernel.
Value Interpreter::ignored(Args &args) { return Value::none(); }
/// T.likely(x), T.copy hints: the value itself.
Value Interpreter::identity(Args &args) {
  return args.values.empty() || !args[0] ? Value::none() : args[0];
}
