//===- PythonBuiltins.cpp - Python's own functions and methods ------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Python's functions on compile-time values. A symbolic value is taken where
// that has a meaning (abs, int, float, bool, sum) and refused where the result
// would have to be known (any, sorted, len).
//
//   len((1, 2))      ->  2
//   sum([x, y])      ->  0 + x + y, IR where x or y is symbolic
//   sorted([y, x])   ->  an error if x is symbolic: the order is not known
//
// What Python gives as an iterator (zip, map, enumerate, reversed) is a list
// here: all of it is computed at once. Arguments arrive in `args` as
// BuiltinTable.cpp's row says; Invalid after a report.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace tlc;
using namespace tlc::frontend;
using llvm::SmallVector;

/// math.pi and its kin: values, though the table has them as functions.
Value Interpreter::mathConstantValue(const BuiltinInfo *builtin) {
  static constexpr double values[] = {M_PI, M_E, HUGE_VAL, NAN};
  return Value::real(values[builtin->data]);
}
/// What the rows name as their implementation; reading the attribute uses the
/// function above.
Value Interpreter::mathConstant(Args &args) {
  return mathConstantValue(currentBuiltin);
}

/// len(x); of a buffer, its first extent.
Value Interpreter::pyLen(Args &args) {
  Value v = args[0];
  // May be symbolic: len(A) of a tensor with a dynamic first dimension.
  if (v.is(VK::Buffer))
    return v.as<BufferObject>()->shape[0];
  if (auto length = special(v, "__len__", {}, args.range))
    return *length;
  SmallVector<Value> items;
  if (!iterate(v, args.rangeOf(0), items))
    return {};
  return Value::integral(int64_t(items.size()));
}

/// int, float, bool, str, repr, abs: data selects. Without an argument, the
/// empty value of the type. On symbolic values they are casts.
Value Interpreter::pyNumber(Args &args) {
  enum { Int, Float, Bool, Str, Abs, Repr };
  Value v = args.values.empty() || !args.values[0] ? Value() : args[0];
  int64_t which = currentBuiltin->data;
  if (!v)
    return which >= Str     ? makeString("")
           : which == Float ? Value::real(0)
           : which == Bool  ? Value::boolean(false)
                            : Value::integral(0);
  if (which == Str || which == Repr)
    return v.is(VK::Poison) ? poisonError(v, args.range)
                            : makeString(str(v, which == Repr));
  if (which == Abs)
    if (auto magnitude = special(v, "__abs__", {}, args.range))
      return *magnitude;
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
    // int(x) truncates, as on the host; bool(x) is x != 0.
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
  // int("64"), float("inf").
  if (v.is(VK::Str)) {
    StringRef text = v.asStr().trim();
    double d;
    int64_t i;
    // int("0x10", 0) and int("10", 16).
    unsigned base = 10;
    if (which == Int && args.has(1)) {
      if (!args[1].isIntLike() || args[1].asInt() < 0 || args[1].asInt() > 36)
        return typeError(args.rangeOf(1), "a base from 0 to 36", args[1]);
      base = unsigned(args[1].asInt());
      if (base == 16 && (text.starts_with("0x") || text.starts_with("0X")))
        text = text.drop_front(2);
    }
    if (which == Int && !text.getAsInteger(base, i))
      return Value::integral(i);
    // getAsDouble below has no spelling for infinities.
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
  // Beyond this a double has no int64; a NaN fails the comparison as well.
  if (v.is(VK::Float) && !(std::fabs(v.asFloat()) < 9.2e18))
    return fail(DiagID::IntegerOverflow, args.range,
                "this number has no 64-bit integer");
  return v.is(VK::Float) ? Value::integral(int64_t(v.asFloat()))
                         : Value::integral(v.asInt());
}

/// pow(a, b[, modulus])
Value Interpreter::pyPow(Args &args) {
  if (!args.has(2))
    return binary(BinOpKind::Pow, args[0], args[1], args.range);
  for (unsigned i : {0u, 1u, 2u})
    if (!args[i].isIntLike())
      return typeError(args.rangeOf(i), "an integer", args[i]);
  int64_t modulus = args[2].asInt(), n = args[1].asInt();
  if (modulus < 1 || modulus > INT32_MAX || n < 0)
    return fail(DiagID::BadArgument, args.range,
                "pow with a modulus takes an exponent of at least 0 and a "
                "modulus from 1 to 2147483647");
  int64_t base = (args[0].asInt() % modulus + modulus) % modulus;
  int64_t r = 1 % modulus;
  for (; n; n >>= 1, base = base * base % modulus)
    if (n & 1)
      r = r * base % modulus;
  return Value::integral(r);
}

/// (1.5).is_integer()
Value Interpreter::isWhole(Args &args) {
  if (!args.self.isNumber())
    return typeError(args.range, "a number", args.self);
  double x = args.self.asFloat();
  return Value::boolean(std::isfinite(x) && x == std::floor(x));
}

/// round(x[, digits]): ties to even. Without digits an integer.
///   round(2.5) = 2   round(3.5) = 4   round(0.126, 2) = 0.13
Value Interpreter::pyRound(Args &args) {
  if (!args[0].isNumber())
    return typeError(args.rangeOf(0), "a number", args[0]);
  double digits = args.has(1) ? args[1].asFloat() : 0,
         scale = std::pow(10.0, digits);
  // Scaled in binary: for most decimals as Python, which rounds the decimal
  // text.
  double r = std::nearbyint(args[0].asFloat() * scale) / scale;
  return args.has(1) ? Value::real(r) : Value::integral(int64_t(r));
}

/// sum(x[, start]), which may be symbolic.
Value Interpreter::pySum(Args &args) {
  SmallVector<Value> items;
  if (!iterate(args[0], args.rangeOf(0), items))
    return {};
  // Through binary(): vectors and symbolic values add as they do elsewhere.
  Value total = args.has(1) ? args[1] : Value::integral(0);
  for (Value v : items)
    if (!(total = binary(BinOpKind::Add, total, v, args.range)))
      return {};
  return total;
}

/// list, tuple, set, reversed: data 0, 1, 2, 3. What Python gives as an
/// iterator is a list here, also below.
///   list("ab") = ["a", "b"]   tuple(range(3)) = (0, 1, 2)   set((1, 1)) = {1}
Value Interpreter::pyContainer(Args &args) {
  SmallVector<Value> items;
  // Without an argument: the empty one.
  if (args.values[0] && !iterate(args[0], args.rangeOf(0), items))
    return {};
  if (currentBuiltin->data == 3)
    std::reverse(items.begin(), items.end());
  static constexpr VK kinds[] = {VK::List, VK::Tuple, VK::Set, VK::List};
  return makeSequence(kinds[currentBuiltin->data], items);
}

/// enumerate(x[, start]): a list of (number, element).
Value Interpreter::pyEnumerate(Args &args) {
  SmallVector<Value> items, pairs;
  if (!iterate(args[0], args.rangeOf(0), items))
    return {};
  int64_t start = args.has(1) && args[1].isIntLike() ? args[1].asInt() : 0;
  for (Value v : items)
    pairs.push_back(makeSequence(VK::Tuple, {Value::integral(start++), v}));
  return makeSequence(VK::List, pairs);
}

/// zip(a, b, ...): as long as the shortest.
Value Interpreter::pyZip(Args &args) {
  SmallVector<SmallVector<Value>> columns;
  // The shortest so far.
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

/// itertools.product(a, b, …): all tuples, the last factor fastest; at most
/// 65536.
Value Interpreter::pyProduct(Args &args) {
  // One row without elements: the product of nothing.
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

/// any, all: data 1 is all. Conditions must be known.
Value Interpreter::pyAnyAll(Args &args) {
  SmallVector<Value> items;
  if (!iterate(args[0], args.rangeOf(0), items))
    return {};
  // all of nothing is true, any of nothing false.
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

/// sorted(x, key=f, reverse=True). Stable, also in reverse.
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
  // The key function runs once for each element, as in Python.
  SmallVector<std::pair<Value, Value>> keyed;
  for (Value item : items) {
    Value k = key ? callValue(key, {item}, args.range) : item;
    if (!k)
      return {};
    if (isSymbolic(k))
      return fail(DiagID::NotConstant, args.range,
                  "sorted compares numbers, strings and sequences of them that "
                  "are known at compile time");
    // Compared once with the first, so that what does not compare is reported.
    if (!keyed.empty() &&
        !compare(CmpOpKind::Lt, k, keyed[0].first, args.range))
      return {};
    keyed.push_back({k, item});
  }
  // Reversed by exchanging the sides, so that equal elements keep their order.
  bool ok = true;
  llvm::stable_sort(keyed, [&](const auto &a, const auto &b) {
    Value less = ok ? compare(CmpOpKind::Lt, reverse ? b.first : a.first,
                              reverse ? a.first : b.first, args.range)
                    : Value();
    ok &= less && less.is(VK::Bool);
    return ok && less.asBool();
  });
  if (!ok)
    return {};
  for (auto [item, entry] : llvm::zip(items, keyed))
    item = entry.second;
  return makeSequence(VK::List, items);
}

/// Whether a value is of a type, as isinstance asks.
bool Interpreter::isInstance(Value v, Value t) {
  // int, float and so on are builtins: their row's name tells them apart.
  StringRef name = t.is(VK::Builtin) ? t.asBuiltin()->name : "";
  if (t.is(VK::Class) && v.is(VK::Instance))
    return isSubclass(v.as<InstanceObject>()->cls, t.as<ClassObject>());
  bool expression = isSymbolic(v) && !v.is(VK::Buffer);
  // A bool is an int, too. What is only known on the device is none of these.
  return (name == "int" && v.isIntLike()) ||
         (name == "float" && v.is(VK::Float)) ||
         (name == "bool" && v.is(VK::Bool)) ||
         (name == "str" && v.is(VK::Str)) ||
         (name == "list" && v.is(VK::List)) ||
         (name == "tuple" &&
          (v.is(VK::Tuple) ||
           (v.is(VK::Instance) && v.as<InstanceObject>()->cls->isTuple))) ||
         (name == "dict" && v.is(VK::Dict)) ||
         (name == "set" && v.is(VK::Set)) ||
         (name == "T.dtype" && v.is(VK::DType)) ||
         (name == "T.PrimExpr" && (expression || v.is(VK::Scalar))) ||
         (name == "T.Buffer" && v.is(VK::Buffer)) ||
         (name == "T.Tensor" && v.is(VK::Buffer)) ||
         (name == "T.BufferLoad" && v.is(VK::Region) &&
          v.as<RegionObject>()->isElement) ||
         (name == "T.BufferRegion" && v.is(VK::Region) &&
          !v.as<RegionObject>()->isElement);
}

/// isinstance(x, type or types) for Python's own types, classes of the file and
/// the kinds of symbolic values; any other is never it.
Value Interpreter::pyIsInstance(Args &args) {
  SmallVector<Value> types;
  if (args[1].isSequence())
    types.assign(args[1].as<SequenceObject>()->elements);
  else
    types.push_back(args[1]);
  return Value::boolean(
      llvm::any_of(types, [&](Value t) { return isInstance(args[0], t); }));
}

/// ValueError("text") and so on: what `raise` reports.
Value Interpreter::pyException(Args &args) {
  auto *e = make<ExceptionObject>();
  e->type = currentBuiltin->name;
  if (!args.rest.empty())
    e->message = str(args.rest[0]);
  return Value::object(e);
}

/// getattr(object, name[, default]), hasattr: data 1. A missing attribute
/// without a default is reported as object.name would be.
Value Interpreter::pyHasAttr(Args &args) {
  if (!args[1].is(VK::Str))
    return typeError(args.rangeOf(1), "a name", args[1]);
  Value v;
  bool missingAttr;
  {
    // Whether it exists is found by asking, with the message withheld.
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

/// map(f, x): a list; f is a function of the file, or int.
Value Interpreter::pyMap(Args &args) {
  SmallVector<Value> items, out;
  if (!iterate(args[1], args.rangeOf(1), items))
    return {};
  for (Value v : items) {
    out.push_back(callValue(args[0], {v}, args.range));
    if (!out.back())
      return {};
  }
  return makeSequence(VK::List, out);
}

/// dict(pairs or dictionary, **entries).
Value Interpreter::pyDict(Args &args) {
  auto *dict = make<DictObject>();
  if (args.values[0]) {
    if (args[0].is(VK::Dict)) {
      // Keys of a dictionary are unique already.
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
