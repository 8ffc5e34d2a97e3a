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
      return s.type->isFloat()
                 ? Value::scalar(
                       {b.createOrFold<mlir::math::AbsFOp>(s.value), s.type})
                 : fold({b.createOrFold<mlir::math::AbsIOp>(s.value), s.type});
    }
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
    return v.is(VK::Float) ? Value::real(std::fabs(v.asFloat()))
                           : Value::integral(std::abs(v.asInt()));
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

Value Interpreter::pySorted(Args &args) {
  SmallVector<Value> items;
  if (!iterate(args[0], args.rangeOf(0), items))
    return {};
  if (llvm::any_of(items,
                   [](Value v) { return !v.isNumber() && !v.is(VK::Str); }))
    return fail(DiagID::BadArgument, args.range,
                "sorted takes numbers or strings");
  bool mixed = false;
  llvm::stable_sort(items, [&](Value x, Value y) {
    if (x.isNumber() != y.isNumber()) {
      mixed = true;
      return x.isNumber();
    }
    return x.isNumber() ? x.asFloat() < y.asFloat() : x.asStr() < y.asStr();
  });
  for (auto &[name, v] : args.extra)
    if (name == "reverse" && v.isIntLike() && v.asBool())
      std::reverse(items.begin(), items.end());
  return mixed ? fail(DiagID::BadArgument, args.range,
                      "numbers and strings do not compare")
               : makeSequence(VK::List, items);
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
        dict->entries.push_back({pair[0], pair[1]});
      }
    }
  }
  for (auto &[name, v] : args.extra)
    dict->entries.push_back({makeString(name), v});
  return Value::object(dict);
}

/// Hints of other compilers and host functions without effect on a kernel.
Value Interpreter::ignored(Args &args) { return Value::none(); }
/// T.likely(x), T.copy hints: the value itself.
Value Interpreter::identity(Args &args) {
  return args.values.empty() || !args[0] ? Value::none() : args[0];
}

//===----------------------------------------------------------------------===//
// Methods
//===----------------------------------------------------------------------===//

/// data: 0 startswith, 1 endswith, 2 upper, 3 lower, 4 strip, 5 replace,
/// 6 format, 7 removeprefix
Value Interpreter::strMethod(Args &args) {
  StringRef self = args.self.asStr();
  auto text = [&](size_t i) {
    return i < args.rest.size() && args.rest[i].is(VK::Str)
               ? args.rest[i].asStr()
               : StringRef();
  };
  switch (currentBuiltin->data) {
  case 0:
    return Value::boolean(self.starts_with(text(0)));
  case 1:
    return Value::boolean(self.ends_with(text(0)));
  case 2:
    return makeString(self.upper());
  case 3:
    return makeString(self.lower());
  case 4:
    return makeString(self.trim());
  case 5: {
    std::string out = self.str();
    if (!text(0).empty())
      for (size_t at = 0; (at = out.find(text(0), at)) != std::string::npos;
           at += text(1).size())
        out.replace(at, text(0).size(), text(1));
    return makeString(out);
  }
  case 6: {
    std::string out;
    size_t next = 0;
    for (size_t i = 0; i < self.size(); ++i) {
      size_t close = self.find('}', i);
      if (self[i] != '{' || close == StringRef::npos) {
        out += self[i];
        continue;
      }
      out += next < args.rest.size() ? str(args.rest[next])
                                     : self.slice(i, close + 1).str();
      ++next;
      i = close;
    }
    return makeString(out);
  }
  case 8:
    return Value::boolean(!self.empty() && llvm::all_of(self, llvm::isDigit));
  case 9:
    return Value::boolean(!self.empty() && llvm::all_of(self, llvm::isAlpha));
  default: {
    StringRef s = self;
    s.consume_front(text(0));
    return makeString(s);
  }
  }
}
Value Interpreter::strJoin(Args &args) {
  SmallVector<Value> items;
  if (!iterate(args[0], args.rangeOf(0), items))
    return {};
  std::string out;
  for (auto [i, v] : llvm::enumerate(items))
    out += (i ? args.self.asStr().str() : "") + str(v);
  return makeString(out);
}
Value Interpreter::strSplit(Args &args) {
  SmallVector<Value> out;
  SmallVector<StringRef> parts;
  if (args.has(0) && args[0].is(VK::Str) && !args[0].asStr().empty())
    args.self.asStr().split(parts, args[0].asStr());
  else
    llvm::SplitString(args.self.asStr(), parts);
  for (StringRef p : parts)
    out.push_back(makeString(p));
  return makeSequence(VK::List, out);
}

/// data: 0 append, 1 extend, 2 index, 3 count, 4 pop, 5 insert, 6 copy
Value Interpreter::listMethod(Args &args) {
  auto &list = args.self.as<SequenceObject>()->elements;
  auto arg = [&](size_t i) {
    return i < args.rest.size() ? args.rest[i] : Value::none();
  };
  switch (currentBuiltin->data) {
  case 0:
    list.push_back(arg(0));
    return Value::none();
  case 1:
    return iterate(arg(0), args.range, list) ? Value::none() : Value();
  case 2:
  case 3: {
    int64_t n = 0;
    for (auto [i, v] : llvm::enumerate(list))
      if (hostEquals(v, arg(0)).value_or(false)) {
        if (currentBuiltin->data == 2)
          return Value::integral(int64_t(i));
        ++n;
      }
    return currentBuiltin->data == 3 ? Value::integral(n)
                                     : fail(DiagID::BadArgument, args.range,
                                            "the list has no such element");
  }
  case 4: {
    int64_t i = args.rest.empty() ? int64_t(list.size()) - 1 : arg(0).asInt();
    if (i < 0 || i >= int64_t(list.size()))
      return fail(DiagID::IndexOutOfBounds, args.range,
                  "pop from a list without that element");
    Value v = list[size_t(i)];
    list.erase(list.begin() + i);
    return v;
  }
  case 5: {
    int64_t i = std::clamp<int64_t>(arg(0).isIntLike() ? arg(0).asInt() : 0, 0,
                                    int64_t(list.size()));
    list.insert(list.begin() + i, arg(1));
    return Value::none();
  }
  default:
    return makeSequence(VK::List, list);
  }
}

/// data: 0 get, 1 items, 2 keys, 3 values, 4 update
Value Interpreter::dictMethod(Args &args) {
  auto *dict = args.self.as<DictObject>();
  SmallVector<Value> out;
  switch (currentBuiltin->data) {
  case 0:
    for (auto &e : llvm::reverse(dict->entries))
      if (!args.rest.empty() &&
          hostEquals(e.first, args.rest[0]).value_or(false))
        return e.second;
    return args.rest.size() > 1 ? args.rest[1] : Value::none();
  case 4:
    if (!args.rest.empty() && args.rest[0].is(VK::Dict))
      llvm::append_range(dict->entries, args.rest[0].as<DictObject>()->entries);
    return Value::none();
  default:
    for (auto &e : dict->entries)
      out.push_back(currentBuiltin->data == 1
                        ? makeSequence(VK::Tuple, {e.first, e.second})
                    : currentBuiltin->data == 2 ? e.first
                                                : e.second);
    return makeSequence(VK::List, out);
  }
}

//===----------------------------------------------------------------------===//
// math, dtypes, queries
//===----------------------------------------------------------------------===//

static constexpr double (*hostFunctions[])(double) = {
    [](double x) { return std::sqrt(x); },
    [](double x) { return std::exp(x); },
    [](double x) { return std::log(x); },
    [](double x) { return std::log2(x); },
    [](double x) { return std::log10(x); },
    [](double x) { return std::sin(x); },
    [](double x) { return std::cos(x); },
    [](double x) { return std::tan(x); },
    [](double x) { return std::tanh(x); },
    [](double x) { return std::fabs(x); },
    [](double x) { return std::ceil(x); },
    [](double x) { return std::floor(x); },
    [](double x) { return std::trunc(x); },
    [](double x) { return std::isinf(x) ? 1.0 : 0.0; },
    [](double x) { return std::isnan(x) ? 1.0 : 0.0; }};

/// math.*: data indexes hostFunctions; 100 pow, 101 gcd, 102 prod, 103 log(x,
/// base).
Value Interpreter::hostMath(Args &args) {
  int64_t which = currentBuiltin->data;
  for (Value v : args.rest)
    if (!v.isNumber() && which != 102)
      return isSymbolic(v) ? fail(DiagID::NotConstant, args.range,
                                  "'" + currentBuiltin->name +
                                      "' works on compile-time numbers; use "
                                      "T's function on the device")
                           : typeError(args.range, "a number", v);
  if (args.rest.empty())
    return fail(DiagID::BadCall, args.range, "a value is needed");
  double x = args.rest[0].isNumber() ? args.rest[0].asFloat() : 0;
  if (which == 102) {
    SmallVector<Value> items;
    if (!iterate(args.rest[0], args.range, items))
      return {};
    Value product = Value::integral(1);
    for (Value v : items)
      if (!(product = binary(BinOpKind::Mul, product, v, args.range)))
        return {};
    return product;
  }
  if (which == 100 || which == 101 || (which == 2 && args.rest.size() == 2)) {
    if (args.rest.size() != 2)
      return fail(DiagID::BadCall, args.range, "two values are needed");
    double y = args.rest[1].asFloat();
    if (which == 101)
      return Value::integral(
          int64_t(std::gcd(args.rest[0].asInt(), args.rest[1].asInt())));
    return Value::real(which == 100 ? std::pow(x, y)
                                    : std::log(x) / std::log(y));
  }
  double r = hostFunctions[which](x);
  if (std::isnan(r) && !std::isnan(x))
    return fail(DiagID::BadArgument, args.range,
                "'" + currentBuiltin->name + "' is not defined for " +
                    str(args.rest[0]));
  if (which >= 10 && which <= 12) {
    if (args.rest[0].isIntLike())
      return args.rest[0];
    return std::fabs(r) < 9.2e18 ? Value::integral(int64_t(r))
                                 : fail(DiagID::IntegerOverflow, args.range,
                                        "this number has no 64-bit integer");
  }
  if (which >= 13)
    return Value::boolean(r != 0);
  return Value::real(r);
}

/// tvm.DataType(x), T.dtype(x)
Value Interpreter::dtypeOf(Args &args) {
  DType t = dtypeFrom(args[0], args.rangeOf(0));
  return t ? Value::dtype(t) : Value();
}

/// What host code asks of the device, answered for an MI300X. data: 0 number of
/// compute units, 1 its fp8 type, 2 its e5m2, 3 present, 4 name, 5 capability
/// as PyTorch gives it.
Value Interpreter::deviceQuery(Args &args) {
  switch (currentBuiltin->data) {
  case 0:
    return Value::integral(304);
  case 1:
    return Value::dtype(findDType("float8_e4m3fnuz"));
  case 2:
    return Value::dtype(findDType("float8_e5m2fnuz"));
  case 3:
    return Value::boolean(true);
  case 4:
    return makeString("AMD Instinct MI300X");
  default:
    return makeSequence(VK::Tuple, {Value::integral(9), Value::integral(4)});
  }
}

/// int.bit_length()
Value Interpreter::bitLength(Args &args) {
  if (!args.self.isIntLike())
    return typeError(args.range, "a compile-time integer", args.self);
  uint64_t v = args.self.asInt() < 0 ? 0 - uint64_t(args.self.asInt())
                                     : uint64_t(args.self.asInt());
  return Value::integral(64 - llvm::countl_zero(v));
}

Value Interpreter::nextPowerOf2(Args &args) {
  if (!args[0].isIntLike() || args[0].asInt() < 0 ||
      args[0].asInt() > (int64_t(1) << 61))
    return typeError(args.rangeOf(0), "a compile-time integer", args[0]);
  return Value::integral(
      args[0].asInt() <= 1
          ? 1
          : int64_t(llvm::PowerOf2Ceil(uint64_t(args[0].asInt()))));
}

Value Interpreter::nvidiaOnly(Args &args) {
  StringRef name = args.self && args.self.is(VK::Str) ? args.self.asStr()
                                                      : currentBuiltin->name;
  error(DiagID::NvidiaOnly, args.range,
        "'" + name + "' is an operation of NVIDIA hardware")
      .help("gfx942 has no such operation: use T.copy, T.gemm and T.Pipelined, "
            "which tlc schedules itself");
  return {};
}

Value Interpreter::embeddedSource(Args &args) {
  return fail(
      DiagID::EmbeddedSource, args.range,
      "'" + currentBuiltin->name +
          "' needs embedded CUDA or HIP source, which tlc does not compile");
}

Value Interpreter::notYet(Args &args) {
  return fail(DiagID::Unimplemented, args.range,
              "tlc does not compile '" + currentBuiltin->name + "' yet");
}
