//===- HostQueries.cpp - Host maths, types, questions about the device ----===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compile-time functions that are not arithmetic: Python's math module,
// questions of host code about the device, and the errors of names that the
// language has but gfx942 or tlc has not.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace tlc;
using namespace tlc::frontend;
using llvm::SmallVector;

/// By the data of the rows "math.*"; results of the last two are booleans, of
/// ceil, floor and trunc integers.
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
  // math raises ValueError for sqrt(-1); a NaN in a size would be worse.
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

/// The least power of two that is not below x.
Value Interpreter::nextPowerOf2(Args &args) {
  if (!args[0].isIntLike() || args[0].asInt() < 0 ||
      args[0].asInt() > (int64_t(1) << 61))
    return typeError(args.rangeOf(0), "a compile-time integer", args[0]);
  return Value::integral(
      args[0].asInt() <= 1
          ? 1
          : int64_t(llvm::PowerOf2Ceil(uint64_t(args[0].asInt()))));
}

/// Operations of NVIDIA hardware; the receiver is the name as it was written.
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
