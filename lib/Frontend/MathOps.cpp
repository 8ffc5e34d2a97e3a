//===- MathOps.cpp - Scalar functions of the language ---------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of floats are computed in the type of their argument (float32 for
// integers and 8-bit floats). min and max ignore NaN.
//
// An implementation serves a family of names; the number in a row's `data` says
// which one (BuiltinTable.cpp). Approximation and rounding are decided later,
// when the math dialect is lowered (docs/numerics.md).
//
//   T.exp(x)         x: float16     ->  math.exp : f16
//   T.exp(n)         n: int32       ->  arith.sitofp to f32, math.exp : f32
//   T.max(a, b)      numbers        ->  a number; else one arith op
//   T.if_then_else   c is symbolic  ->  scf.if or arith.select, see select()
//
// createOrFold gives constants for constants where MLIR folds the operation, so
// that T.exp(0.0) needs no code.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "mlir/IR/Matchers.h"
#include "tlc/Dialect/Tile/IR/Relaxations.h"
#include <cmath>

using namespace tlc;
using namespace mlir;

namespace tlc::frontend {

/// An operand for a function of floats.
static Sym floatOperand(Interpreter &in, Value v, SourceRange range) {
  Sym s = in.toSym(v, range);
  // 8-bit floats have no arithmetic of their own on gfx942.
  if (s && (!s.type->isFloat() || s.type->bits < 16))
    s = in.cast(s, dtypes::float32);
  return s;
}

/// Whether argument i, a rounding mode, is absent or "rn": the only mode that
/// the hardware's instructions have without switching it for all.
bool Interpreter::nearestRounding(Args &args, unsigned i) {
  if (args.values.size() <= i || !args.has(i) ||
      (args[i].is(VK::Str) && args[i].asStr() == "rn"))
    return true;
  error(DiagID::Unimplemented, args.rangeOf(i),
        "rounding mode " + str(args[i], /*repr=*/true) +
            ": tlc rounds to nearest, ties to even");
  return false;
}

/// Marks the operation behind `v` if the builtin being called is one of
/// T.ieee_*: correctly rounded, which quotients and roots are not otherwise.
mlir::Value Interpreter::asIeee(mlir::Value v) {
  Operation *op = v.getDefiningOp();
  if (isa_and_nonnull<arith::DivFOp, math::SqrtOp, math::RsqrtOp>(op) &&
      StringRef(currentBuiltin->name).contains("ieee_"))
    op->setAttr(tile::kIeeeAttr, b.getUnitAttr());
  return v;
}

/// One operation of the math dialect, for the table below.
using Unary = mlir::Value (*)(ImplicitLocOpBuilder &, mlir::Value);
template <typename Op>
static mlir::Value make1(ImplicitLocOpBuilder &b, mlir::Value v) {
  return b.createOrFold<Op>(v);
}

/// Indexed by `data`. 21 to 24 round to integers, so they leave integers alone.
static const Unary unaryOps[] = {
    make1<math::ExpOp>,   make1<math::Exp2Op>,
    make1<math::LogOp>,   make1<math::Log2Op>, // 0
    make1<math::Log10Op>, make1<math::Log1pOp>,
    make1<math::SqrtOp>,  make1<math::RsqrtOp>, // 4
    make1<math::SinOp>,   make1<math::CosOp>,
    make1<math::TanOp>,   make1<math::SinhOp>, // 8
    make1<math::CoshOp>,  make1<math::TanhOp>,
    make1<math::AsinOp>,  make1<math::AcosOp>, // 12
    make1<math::AtanOp>,  make1<math::AsinhOp>,
    make1<math::AcoshOp>, make1<math::AtanhOp>, // 16
    make1<math::ErfOp>,   make1<math::FloorOp>,
    make1<math::CeilOp>,  make1<math::RoundEvenOp>, // 20
    make1<math::TruncOp>,                           // 24
};

/// data indexes unaryOps; 100 exp10, 101 reciprocal, 102 abs. Integers become
/// float32 first, except for abs and the roundings, which they pass through.
Value Interpreter::mathUnary(Args &args) {
  if (!nearestRounding(args, 1))
    return {};
  int64_t which = currentBuiltin->data;
  Sym s = toSym(args[0], args.rangeOf(0));
  if (!s)
    return {};
  at(args.range);
  // abs of integers stays an integer; unsigned ones are it already.
  if (which == 102 && !s.type->isFloat())
    return s.type->cls == DTypeInfo::UInt
               ? args[0]
               : fold({b.createOrFold<math::AbsIOp>(s.value), s.type});
  if (which >= 21 && which <= 24 && s.type->isInteger())
    return args[0];
  s = floatOperand(*this, args[0], args.rangeOf(0));
  at(args.range);
  if (which == 102)
    return Value::scalar({b.createOrFold<math::AbsFOp>(s.value), s.type});
  if (which == 101)
    return Value::scalar({asIeee(b.createOrFold<arith::DivFOp>(
                              constant(1.0, s.type).value, s.value)),
                          s.type});
  // 10^x = 2^(x * log2 10): the hardware has exp2 alone.
  if (which == 100) {
    mlir::Value scaled = b.createOrFold<arith::MulFOp>(
        s.value, constant(3.321928094887362, s.type).value);
    return Value::scalar({b.createOrFold<math::Exp2Op>(scaled), s.type});
  }
  return Value::scalar({asIeee(unaryOps[which](b, s.value)), s.type});
}

/// data: 0 pow, 1 atan2, 2 copysign, 3 fmod, 4 hypot, 5 fdiv, 6 fadd, 7 fsub, 8
/// fmul. Literals are told apart from values, so that they take the other's
/// type.
Value Interpreter::mathBinary(Args &args) {
  if (!nearestRounding(args, 2))
    return {};
  Sym x = floatOperand(*this, args[0], args.rangeOf(0)),
      y = floatOperand(*this, args[1], args.rangeOf(1));
  // A literal is rounded once, to the common type: 0.1 with a float64 x is not
  // rounded to float32 on the way.
  if (!promote(x, y, args[0].is(VK::Float) ? args[0] : Value(),
               args[1].is(VK::Float) ? args[1] : Value(), args.range))
    return {};
  mlir::Value r;
  switch (currentBuiltin->data) {
  case 0:
    r = b.createOrFold<math::PowFOp>(x.value, y.value);
    break;
  case 1:
    r = b.createOrFold<math::Atan2Op>(x.value, y.value);
    break;
  case 2:
    r = b.createOrFold<math::CopySignOp>(x.value, y.value);
    break;
  case 3:
    r = b.createOrFold<arith::RemFOp>(x.value, y.value);
    break;
  // Without scaling: overflows where the squares do.
  case 4: {
    mlir::Value xx = b.createOrFold<arith::MulFOp>(x.value, x.value),
                yy = b.createOrFold<arith::MulFOp>(y.value, y.value);
    r = b.createOrFold<math::SqrtOp>(b.createOrFold<arith::AddFOp>(xx, yy));
    break;
  }
  case 5:
    r = asIeee(b.createOrFold<arith::DivFOp>(x.value, y.value));
    break;
  case 6:
    r = b.createOrFold<arith::AddFOp>(x.value, y.value);
    break;
  case 7:
    r = b.createOrFold<arith::SubFOp>(x.value, y.value);
    break;
  default:
    r = b.createOrFold<arith::MulFOp>(x.value, y.value);
    break;
  }
  return Value::scalar({r, x.type});
}

/// min, max (Python's and T's): data 0 is min. Compile-time values are compared
/// now, the others by one op for each further value; a single sequence is its
/// elements. NaN loses against a number, as maxnum says.
Value Interpreter::minMax(Args &args) {
  bool isMax = currentBuiltin->data;
  SmallVector<Value> values(args.rest.begin(), args.rest.end());
  // min([a, b, c]) and min(a, b, c) are the same.
  if (values.size() == 1 &&
      !iterate(args.rest[0], args.range, (values.clear(), values)))
    return {};
  Value key;
  for (auto &[name, v] : args.extra) {
    if (name == "key" && !v.is(VK::None))
      key = v;
    else if (name == "default" && values.empty())
      return v;
    else if (name != "key" && name != "default")
      return fail(DiagID::BadCall, args.range,
                  "'" + currentBuiltin->name + "' has no parameter '" + name +
                      "'");
  }
  if (values.empty())
    return fail(DiagID::BadCall, args.range, "min and max need a value");
  if (key) { // the first of those with the best key
    Value best, bestKey;
    for (Value v : values) {
      Value k = callValue(key, {v}, args.range);
      Value less = k && best
                       ? isMax ? compare(CmpOpKind::Gt, k, bestKey, args.range)
                               : compare(CmpOpKind::Lt, k, bestKey, args.range)
                       : k;
      if (!less || (best && !less.is(VK::Bool)))
        return less ? fail(DiagID::NotConstant, args.range,
                           "a key must be known at compile time")
                    : Value();
      if (!best || less.asBool()) {
        best = v;
        bestKey = k;
      }
    }
    return best;
  }
  Value best = values[0];
  for (Value v : ArrayRef(values).drop_front()) {
    // Of equal values the first is kept, as Python does.
    if (!isSymbolic(best) && !isSymbolic(v)) {
      Value less = compare(CmpOpKind::Lt, v, best, args.range);
      if (!less)
        return {};
      if (less.asBool() != isMax &&
          !(isMax && hostEquals(v, best).value_or(false)))
        best = v;
      continue;
    }
    Sym x = toSym(best, args.range), y = toSym(v, args.range);
    if (!promote(x, y, best, v, args.range))
      return {};
    mlir::Value r;
    if (x.type->isFloat())
      r = isMax ? b.createOrFold<arith::MaxNumFOp>(x.value, y.value)
                : b.createOrFold<arith::MinNumFOp>(x.value, y.value);
    else if (x.type->isSigned())
      r = isMax ? b.createOrFold<arith::MaxSIOp>(x.value, y.value)
                : b.createOrFold<arith::MinSIOp>(x.value, y.value);
    else
      r = isMax ? b.createOrFold<arith::MaxUIOp>(x.value, y.value)
                : b.createOrFold<arith::MinUIOp>(x.value, y.value);
    // A constant again if all were.
    best = fold({r, x.type});
  }
  return best;
}

/// T.clamp(x, lo, hi): max, then min, so that hi wins where the bounds cross.
/// None is no bound.
Value Interpreter::clampValue(Args &args) {
  Sym x = toSym(args[0], args.rangeOf(0));
  if (!x)
    return {};
  // The bounds are promoted one after the other: the second may widen the type
  // once more.
  for (unsigned i : {1u, 2u}) {
    if (!args.has(i))
      continue;
    Sym bound = toSym(args[i], args.rangeOf(i));
    if (!bound || !promote(x, bound, i == 1 || !args.has(1) ? args[0] : Value(),
                           args[i], args.range))
      return {};
    bool f = x.type->isFloat(), s = x.type->isSigned();
    mlir::Value v = x.value, c = bound.value;
    if (i == 1)
      x.value = f   ? b.createOrFold<arith::MaxNumFOp>(v, c)
                : s ? b.createOrFold<arith::MaxSIOp>(v, c)
                    : b.createOrFold<arith::MaxUIOp>(v, c);
    else
      x.value = f   ? b.createOrFold<arith::MinNumFOp>(v, c)
                : s ? b.createOrFold<arith::MinSIOp>(v, c)
                    : b.createOrFold<arith::MinUIOp>(v, c);
  }
  return fold(x);
}

/// T.if_then_else(cond, a, b): only the branch taken is evaluated. The branches
/// come as expressions, since their loads may be valid under the condition
/// alone.
Value Interpreter::ifThenElse(Args &args) {
  bool failed = false;
  auto t = truth(args[0], args.rangeOf(0), failed);
  if (failed)
    return {};
  // Known now: the other branch leaves no trace, so it may not even be valid.
  if (t)
    return eval(args.exprs[*t ? 1 : 2]);
  mlir::Value c = toI1(args[0], args.rangeOf(0));
  if (!c)
    return {};
  return select(
      c, [&] { return eval(args.exprs[1]); },
      [&] { return eval(args.exprs[2]); }, args.range);
}

/// T.ceildiv(a, b), T.align_up(a, b): data 1 multiplies back. (a + b - 1) // b
/// on integers of either stage; a + b must not overflow.
Value Interpreter::ceilDiv(Args &args) {
  SourceRange r = args.range;
  if (args[0].is(VK::Float) || args[1].is(VK::Float))
    return typeError(args[0].is(VK::Float) ? args.rangeOf(0) : args.rangeOf(1),
                     "an integer", args[args[0].is(VK::Float) ? 0 : 1]);
  // Through binary(), which decides by the operands between numbers and IR.
  // Adding y - 1 serves a positive y only: x / y = -x / -y.
  Value x = args[0], y = args[1];
  bool isNegative = y.isIntLike() && y.asInt() < 0;
  // A divisor of either sign: -(-x // y).
  Value divisor = y.isIntLike() ? y : deref(y, r);
  if (divisor && divisor.is(VK::Scalar) && divisor.asSym().type->isSigned() &&
      !isNonNegative(divisor.asSym().value)) {
    Value zero = Value::integral(0);
    Value q = binary(BinOpKind::Sub, zero, x, r);
    q = q ? binary(BinOpKind::FloorDiv, q, divisor, r) : q;
    q = q ? binary(BinOpKind::Sub, zero, q, r) : q;
    return q && currentBuiltin->data ? binary(BinOpKind::Mul, q, divisor, r)
                                     : q;
  }
  if (isNegative) {
    x = binary(BinOpKind::Sub, Value::integral(0), x, r);
    y = Value::integral(-y.asInt());
  }
  Value sum = x ? binary(BinOpKind::Add, x, y, r) : x;
  sum = sum ? binary(BinOpKind::Sub, sum, Value::integral(1), r) : sum;
  Value q = sum ? binary(BinOpKind::FloorDiv, sum, y, r) : sum;
  return q && currentBuiltin->data ? binary(BinOpKind::Mul, q, args[1], r) : q;
}

/// Functions that are operators: data is the BinOpKind; 100 truncdiv, 101
/// truncmod, 102 bitwise_not.
///   T.floordiv(-7, 2) = -4   T.truncdiv(-7, 2) = -3   T.truncmod(-7, 2) = -1
Value Interpreter::operatorCall(Args &args) {
  int64_t which = currentBuiltin->data;
  if (which == 102)
    return unary(UnaryOpKind::Invert, args[0], args.range);
  if (which < 100)
    return binary(BinOpKind(which), args[0], args[1], args.range);
  // C++ divides like the device: towards zero.
  if (args[0].isIntLike() && args[1].isIntLike() && args[1].asInt() != 0 &&
      // INT64_MIN is left to the device's arithmetic, where dividing it by -1
      // wraps.
      args[0].asInt() != INT64_MIN)
    return Value::integral(which == 100 ? args[0].asInt() / args[1].asInt()
                                        : args[0].asInt() % args[1].asInt());
  Sym x = toSym(args[0], args.rangeOf(0)), y = toSym(args[1], args.rangeOf(1));
  if (!promote(x, y, args[0], args[1], args.range))
    return {};
  if (x.type->isFloat())
    return typeError(args.range, "integers", args[0]);
  bool s = x.type->isSigned();
  return fold({which == 100
                   ? (s ? b.createOrFold<arith::DivSIOp>(x.value, y.value)
                        : b.createOrFold<arith::DivUIOp>(x.value, y.value))
                   : (s ? b.createOrFold<arith::RemSIOp>(x.value, y.value)
                        : b.createOrFold<arith::RemUIOp>(x.value, y.value)),
               x.type});
}

/// The rounding of T.cast(x, dtype, round) where it is another one than to
/// nearest even: `rz` towards zero, `rna` to nearest, ties away from zero.
static FailureOr<std::optional<arith::RoundingMode>>
declaredRounding(Interpreter &in, Args &args, DType to) {
  auto refuse = [&](const llvm::Twine &why) {
    in.error(DiagID::Unimplemented, args.rangeOf(2),
             "rounding mode " + in.str(args[2], /*repr=*/true) + ": " + why);
    return failure();
  };
  StringRef name = args[2].is(VK::Str) ? args[2].asStr() : StringRef("?");
  if (name.empty() || name == "rn")
    return std::optional<arith::RoundingMode>();
  if (name != "rz" && name != "rna")
    return refuse("there are 'rn', 'rz' and 'rna'");
  if (to != dtypes::bfloat16 && (to != dtypes::float16 || name == "rna"))
    return refuse("to " + llvm::Twine(to->name) +
                  " tlc rounds to nearest, ties to even" +
                  (to == dtypes::float16 ? ", or towards zero ('rz')" : ""));
  return std::optional(name == "rz" ? arith::RoundingMode::toward_zero
                                    : arith::RoundingMode::to_nearest_away);
}

/// T.cast(x, dtype, round), x.astype(dtype)
Value Interpreter::castTo(Args &args) {
  // x.astype(t) has one argument and a receiver, T.cast(x, t) two arguments.
  bool isMethod = bool(args.self);
  Value v = isMethod ? deref(args.self, args.range) : args[0];
  DType t = dtypeFrom(args[isMethod ? 0 : 1], args.rangeOf(isMethod ? 0 : 1));
  if (!isMethod && t && args.has(3) && t->isFloat() && t->bits == 8 &&
      !(args[3].is(VK::Bool) && args[3].asBool()))
    return fail(DiagID::Unimplemented, args.rangeOf(3),
                "a conversion to " + t->name +
                    " that does not stop at the largest number");
  if (!isMethod && t && v && args.has(2)) {
    auto mode = declaredRounding(*this, args, t);
    if (failed(mode))
      return {};
    // Integers and narrower floats are exact in f32, or rounded to it as ever.
    Sym wide = *mode ? castValue(v, dtypes::float32, args.range) : Sym();
    if (*mode && !wide)
      return {};
    if (*mode) {
      at(args.range);
      return fold({b.createOrFold<arith::TruncFOp>(
                       typeOf(t), wide.value,
                       arith::RoundingModeAttr::get(b.getContext(), **mode),
                       arith::FastMathFlagsAttr()),
                   t});
    }
  }
  Sym s = t && v ? castValue(v, t, args.range) : Sym();
  // A constant that is converted is a constant of the new type.
  return s ? fold(s) : Value();
}
/// T.Cast(dtype, x)
Value Interpreter::castFrom(Args &args) {
  DType t = dtypeFrom(args[0], args.rangeOf(0));
  Sym s = t ? castValue(args[1], t, args.range) : Sym();
  return s ? fold(s) : Value();
}
/// tirx.const(value, dtype): typed, also for int32.
Value Interpreter::constantOf(Args &args) {
  DType t = args.has(1) ? dtypeFrom(args[1], args.rangeOf(1)) : nullptr;
  if (args.has(1) && !t)
    return {};
  if (!t)
    return args[0];
  Sym s = castValue(args[0], t, args.range);
  return s ? fold(s) : Value();
}

/// T.reinterpret(x, dtype) or (dtype, x): the same bits. Widths must agree.
Value Interpreter::reinterpretBits(Args &args) {
  // The argument that names a type is the type. T.reinterpret(value, dtype=...)
  // names it by keyword.
  bool typeFirst = args[1] && dtypeFrom(args[0], {}, true) != nullptr;
  Value type = args[2] ? args[2] : args[typeFirst ? 0 : 1];
  if (type && type.is(VK::Str) && type.asStr() == "handle")
    return Value::none(); // a pointer that only an annotation takes
  DType t = dtypeFrom(type, args.range);
  unsigned operand = typeFirst ? 1 : 0;
  Value v = t ? args[operand] : Value();
  Sym s;
  if (v && v.is(VK::Region) && v.as<RegionObject>()->isElement &&
      v.as<RegionObject>()->buffer->dtype->isExponent()) {
    s = loadCode(v.as<RegionObject>(), args.range);
  } else if (v && (v = deref(v, args.rangeOf(operand)))) {
    s = toSym(v, args.range);
  }
  if (!s)
    return {};
  // Unlike a cast, this never changes a bit.
  if (s.type->bits != t->bits || t->isBool())
    return fail(DiagID::TypeMismatch, args.range,
                "the bits of " + s.type->name + " are not " + t->name);
  at(args.range);
  if (t->isExponent())
    return Value::scalar(decodeElement(s.value, t));
  // int32 and uint32 are one type in MLIR.
  if (typeOf(t) == s.value.getType())
    return Value::scalar({s.value, t});
  return Value::scalar(
      {b.createOrFold<arith::BitcastOp>(typeOf(t), s.value), t});
}

/// T.infinity(dtype), of types that have one or round to the largest number.
Value Interpreter::infinity(Args &args) {
  DType t = dtypeFrom(args[0], args.rangeOf(0));
  if (!t)
    return {};
  if (!t->isFloat())
    return fail(DiagID::TypeMismatch, args.range, t->name + " has no infinity");
  return Value::scalar(constant(HUGE_VAL, t));
}

/// T.min_value, T.max_value: data 1 is max. Of a float, its largest finite
/// number and that number's negative.
Value Interpreter::limitValue(Args &args) {
  DType t = dtypeFrom(args[0], args.rangeOf(0));
  if (!t)
    return {};
  bool isMax = currentBuiltin->data;
  if (t->isFloat()) {
    auto type = llvm::cast<FloatType>(typeOf(t));
    return Value::scalar(
        {arith::ConstantOp::create(
             b, b.getFloatAttr(type, APFloat::getLargest(
                                         type.getFloatSemantics(), !isMax))),
         t});
  }
  APInt v = t->isSigned()
                ? (isMax ? APInt::getSignedMaxValue(t->bits)
                         : APInt::getSignedMinValue(t->bits))
                : (isMax ? APInt::getMaxValue(t->bits) : APInt(t->bits, 0));
  return fold(
      {arith::ConstantOp::create(b, b.getIntegerAttr(typeOf(t), v)), t});
}

/// data: 0 isnan, 1 isinf, 2 isfinite. Integers are converted, so never
/// special.
Value Interpreter::isSpecial(Args &args) {
  Sym s = floatOperand(*this, args[0], args.rangeOf(0));
  if (!s)
    return {};
  if (currentBuiltin->data == 0)
    // Only a NaN is unordered with itself.
    return fold({b.createOrFold<arith::CmpFOp>(arith::CmpFPredicate::UNO,
                                               s.value, s.value),
                 dtypes::boolean});
  // abs(x) == inf, or abs(x) < inf, which a NaN is not.
  mlir::Value size = b.createOrFold<math::AbsFOp>(s.value);
  auto pred = currentBuiltin->data == 1 ? arith::CmpFPredicate::OEQ
                                        : arith::CmpFPredicate::OLT;
  return fold({b.createOrFold<arith::CmpFOp>(pred, size,
                                             constant(HUGE_VAL, s.type).value),
               dtypes::boolean});
}

/// T.And, T.Or, T.Not, any_of: data 0 and, 1 or, 2 not.
Value Interpreter::logicCall(Args &args) {
  if (currentBuiltin->data == 2)
    return args.rest.size() == 1
               ? unary(UnaryOpKind::Not, args.rest[0], args.range)
               : fail(DiagID::BadCall, args.range, "one value is needed");
  Value result;
  // All are evaluated: they were arguments.
  for (Value v : args.rest) {
    mlir::Value c = toI1(v, args.range);
    if (!c)
      return {};
    Value next = Value::scalar({c, dtypes::boolean});
    result = result ? symBinary(currentBuiltin->data ? BinOpKind::Or
                                                     : BinOpKind::And,
                                result, next, args.range)
                    : next;
    if (!result)
      return {};
  }
  return result ? result
                : fail(DiagID::BadCall, args.range, "a value is needed");
}

/// T.round(x, rounding_mode): ties to even unless "ties-away-from-zero" is
/// asked for. The distance to the truncated value is exact.
///   2.5: even 2, away 3    -2.5: even -2, away -3    2.4: 2
Value Interpreter::roundValue(Args &args) {
  bool even = !args.has(1) ||
              (args[1].is(VK::Str) && args[1].asStr() == "ties-to-even");
  if (!even &&
      !(args[1].is(VK::Str) && args[1].asStr() == "ties-away-from-zero"))
    return fail(DiagID::Unimplemented, args.rangeOf(1),
                "rounding mode " + str(args[1], /*repr=*/true) +
                    ": there are 'ties-to-even' and 'ties-away-from-zero'");
  // The mode is dealt with: mathUnary would take it for one of CUDA's.
  args.values.resize(1);
  args.ranges.resize(1);
  Sym s = even ? Sym() : floatOperand(*this, args[0], args.rangeOf(0));
  if (even)
    return mathUnary(args);
  if (!s)
    return {};
  at(args.range);
  // Not floor(x + 0.5): the sum rounds, and 0.49999997 would become 1.
  mlir::Value whole = b.createOrFold<math::TruncOp>(s.value);
  mlir::Value apart = b.createOrFold<math::AbsFOp>(
      b.createOrFold<arith::SubFOp>(s.value, whole));
  // One away from zero where the fraction is at least a half.
  mlir::Value one =
      b.createOrFold<math::CopySignOp>(constant(1.0, s.type).value, s.value);
  mlir::Value far = arith::CmpFOp::create(b, arith::CmpFPredicate::OGE, apart,
                                          constant(0.5, s.type).value);
  return Value::scalar(
      {arith::SelectOp::create(
           b, far, b.createOrFold<arith::AddFOp>(whole, one), whole),
       s.type});
}

/// 1 / (1 + exp(-x)): exp overflows to infinity for very negative x, which
/// gives 0. Narrow types are computed in f32 and rounded once.
Value Interpreter::sigmoid(Args &args) {
  Sym s = floatOperand(*this, args[0], args.rangeOf(0));
  if (!s)
    return {};
  at(args.range);
  DType type = s.type;
  if (type->bits < 32)
    s = cast(s, dtypes::float32);
  mlir::Value e =
      b.createOrFold<math::ExpOp>(b.createOrFold<arith::NegFOp>(s.value));
  mlir::Value one = constant(1.0, s.type).value;
  s.value =
      b.createOrFold<arith::DivFOp>(one, b.createOrFold<arith::AddFOp>(one, e));
  return Value::scalar(cast(s, type));
}

/// x * y + z with one rounding; all three in the widest of their types.
Value Interpreter::fmaCall(Args &args) {
  if (!nearestRounding(args, 3))
    return {};
  Sym x = floatOperand(*this, args[0], args.range),
      y = floatOperand(*this, args[1], args.range),
      z = floatOperand(*this, args[2], args.range);
  // x with y, then x with z: x has the widest type, but y may have been
  // converted before z widened it.
  if (!promote(x, y, Value(), Value(), args.range) ||
      !promote(x, z, Value(), Value(), args.range))
    return {};
  y = cast(y, x.type);
  return Value::scalar(
      {b.createOrFold<math::FmaOp>(x.value, y.value, z.value), x.type});
}

/// data: 0 popcount, 1 clz. Of the bits of the value's own width.
Value Interpreter::popcountOp(Args &args) {
  Sym s = toSym(args[0], args.rangeOf(0));
  if (!s)
    return {};
  if (!s.type->isInteger())
    return typeError(args.range, "an integer", args[0]);
  return fold({currentBuiltin->data
                   ? b.createOrFold<math::CountLeadingZerosOp>(s.value)
                   : b.createOrFold<math::CtPopOp>(s.value),
               s.type});
}

} // namespace tlc::frontend
