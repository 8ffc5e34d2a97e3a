//===- TrigPow.cpp - sin, cos, tan and pow of f32 through f64 -------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// gfx942 computes f64 at half the rate of f32 and more, so double precision is
// the short way to an f32 result good to the last bit or so.
//
//   sin, cos   n = rint(x * 2/pi), r = x - n * pi/2 in f64, in two parts of
//              pi/2; then the sine or cosine polynomial of r, in f32, by the
//              quadrant n mod 4. The sum 2^52 + 2^51 + n has n in its low
//              bits. Right for |x| < 2^40; rotary embeddings need 2^20. From
//              2^45 on x is taken for 0.
//   pow        2^(y * log2|x|): log2 by atanh's series of (m - 1) / (m + 1),
//              2^ by splitting off the integer and Taylor's series. Signs and
//              special cases as C's pow.
//
//===----------------------------------------------------------------------===//

#include "ExpandMath.h"

using namespace mlir;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

namespace tlc {
namespace {

//===----------------------------------------------------------------------===//
// sin, cos, tan
//===----------------------------------------------------------------------===//

struct Reduced {
  Value sin, cos; ///< of the remainder, f32
  Value quadrant; ///< i32, only the low two bits count
};

/// Cody and Waite's reduction in f64: n * pi/2 is subtracted in two parts, by
/// fused multiply-adds. Taylor's polynomials suffice for |r| <= pi/4.
/// Infinities and NaN end as NaN, by the product with 0.
Reduced reduceAngle(Emit &e, Value x) {
  constexpr double kTwoOverPi = 0.63661977236758134308;
  constexpr double kHalfPiHigh = 1.57079632679489655800;
  constexpr double kHalfPiLow = 6.12323399573676603587e-17;
  constexpr double kWhole = 0x1.8p52;
  Type f32 = e.b.getF32Type(), f64 = e.b.getF64Type();
  auto c = [&](double v) { return e.floatConst(v, f64); };
  Value isLarge =
      e.cmpf(CmpFPredicate::UGE, e.abs(x), e.floatConst(0x1p45, x.getType()));
  x = e.select(isLarge, e.mul(x, e.floatConst(0, x.getType())), x);
  Value wide = e.cast(x, f64);
  Value sum = e.fma(wide, c(kTwoOverPi), c(kWhole));
  Value n = e.sub(sum, c(kWhole));
  Value rest = e.fma(n, c(-kHalfPiHigh), wide);
  Value r = e.cast(e.fma(n, c(-kHalfPiLow), rest), f32);
  Value r2 = e.mul(r, r);
  Value sin = e.horner(r2, {2.7557319223985893e-06, -1.9841269841269841e-04,
                            8.3333333333333332e-03, -1.6666666666666666e-01});
  Value cos = e.horner(r2, {2.4801587301587302e-05, -1.3888888888888889e-03,
                            4.1666666666666664e-02, -0.5});
  Value quadrant = arith::TruncIOp::create(e.b, e.loc, e.b.getI32Type(),
                                           e.bitcast(sum, e.b.getI64Type()));
  return {e.fma(e.mul(r, r2), sin, r), e.fma(r2, cos, e.floatConst(1, f32)),
          quadrant};
}

/// sin(x + shift * pi/2).
Value sine(Emit &e, const Reduced &a, int64_t shift) {
  Type i32 = e.b.getI32Type();
  Value q = e.iadd(a.quadrant, e.intConst(shift, i32));
  Value isOdd = e.cmpi(CmpIPredicate::ne, e.iand(q, e.intConst(1, i32)),
                       e.intConst(0, i32));
  // Bit 1 is the sign.
  Value sign = e.shl(e.iand(q, e.intConst(2, i32)), e.intConst(30, i32));
  Value v = e.bitcast(e.select(isOdd, a.cos, a.sin), i32);
  return e.bitcast(e.op<arith::XOrIOp>(v, sign), e.b.getF32Type());
}

/// tan is the quotient of the two.
template <typename Op> struct Trig : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getOperand();
    if (!x.getType().isF32())
      return failure();
    Emit e{rewriter, op.getLoc()};
    Reduced angle = reduceAngle(e, x);
    Value result;
    if constexpr (std::is_same_v<Op, math::SinOp>)
      result = sine(e, angle, 0);
    else if constexpr (std::is_same_v<Op, math::CosOp>)
      result = sine(e, angle, 1);
    else
      result = e.op<arith::DivFOp>(sine(e, angle, 0), sine(e, angle, 1));
    rewriter.replaceOp(op, result);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// pow
//===----------------------------------------------------------------------===//

/// log2 of a positive, finite, normal f64. Every f32 is one after extension,
/// denormals included. The series in s = (m - 1) / (m + 1), |s| < 0.172, ends
/// at s^17.
Value log2Wide(Emit &e, Value x) {
  Type f64 = e.b.getF64Type(), i64 = e.b.getI64Type();
  auto c = [&](double v) { return e.floatConst(v, f64); };
  auto k = [&](int64_t v) { return e.intConst(v, i64); };
  Value bits = e.bitcast(x, i64);
  // Mantissa in [sqrt(1/2), sqrt(2)): the exponent of x * sqrt(2).
  constexpr int64_t kRoot = 0x3fe6a09e667f3bcd; // sqrt(1/2)
  Value offset = e.isub(bits, k(kRoot));
  Value exponent = e.op<arith::ShRSIOp>(offset, k(52));
  Value mantissa = e.bitcast(e.isub(bits, e.shl(exponent, k(52))), f64);
  Value power = arith::SIToFPOp::create(e.b, e.loc, f64, exponent);
  Value s = e.op<arith::DivFOp>(e.sub(mantissa, c(1)), e.add(mantissa, c(1)));
  Value s2 = e.mul(s, s);
  Value series = e.horner(s2, {1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9,
                               1.0 / 7, 1.0 / 5, 1.0 / 3, 1.0});
  constexpr double kTwoOverLn2 = 2.88539008177792681472;
  return e.fma(e.mul(s, c(kTwoOverLn2)), series, power);
}

/// 2^x of an f64 in [-1000, 1000]: the integer part is added to the exponent
/// field, the rest, at most 1/2, is Taylor's series to the tenth power.
Value exp2Wide(Emit &e, Value x) {
  Type f64 = e.b.getF64Type(), i64 = e.b.getI64Type();
  constexpr double kLn2 = 0.69314718055994530942;
  Value n = math::RoundEvenOp::create(e.b, e.loc, x);
  Value r = e.mul(e.sub(x, n), e.floatConst(kLn2, f64));
  SmallVector<double> taylor{1.0};
  for (int i = 1; i <= 10; ++i)
    taylor.insert(taylor.begin(), taylor.front() / i);
  Value series = e.horner(r, taylor);
  Value exponent = arith::FPToSIOp::create(e.b, e.loc, i64, n);
  Value bits =
      e.iadd(e.bitcast(series, i64), e.shl(exponent, e.intConst(52, i64)));
  return e.bitcast(bits, f64);
}

/// All cases are computed and selected, later selects overruling earlier ones:
/// finite, x zero or infinite, y infinite, x negative, NaN, and last the cases
/// that are 1 whatever the other operand is.
struct Pow : OpRewritePattern<math::PowFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::PowFOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getLhs(), y = op.getRhs();
    if (!x.getType().isF32())
      return failure();
    Emit e{rewriter, op.getLoc()};
    Type f32 = rewriter.getF32Type(), f64 = rewriter.getF64Type();
    auto c = [&](double v) { return e.floatConst(v, f32); };
    auto c64 = [&](double v) { return e.floatConst(v, f64); };
    constexpr double kInf = std::numeric_limits<double>::infinity();
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    Value base = e.abs(x);

    // The finite case. The clamp keeps 2^ in range: f32 ends long before.
    Value power = e.mul(e.cast(y, f64), log2Wide(e, e.cast(base, f64)));
    power = e.op<arith::MinNumFOp>(power, c64(1000));
    power = e.op<arith::MaxNumFOp>(power, c64(-1000));
    Value result = e.cast(exp2Wide(e, power), f32);

    // |x| of 0 or infinity: 0 or infinity by the sign of y.
    Value isZero = e.cmpf(CmpFPredicate::OEQ, base, c(0));
    Value isInf = e.cmpf(CmpFPredicate::OEQ, base, c(kInf));
    Value yNegative = e.cmpf(CmpFPredicate::OLT, y, c(0));
    Value ofZero = e.select(yNegative, c(kInf), c(0));
    Value ofInf = e.select(yNegative, c(0), c(kInf));
    result = e.select(isZero, ofZero, e.select(isInf, ofInf, result));

    // An infinite y: by |x| against 1.
    Value yAbs = e.abs(y);
    Value yInf = e.cmpf(CmpFPredicate::OEQ, yAbs, c(kInf));
    Value isLarge = e.cmpf(CmpFPredicate::OGT, base, c(1));
    Value grows = e.op<arith::XOrIOp>(isLarge, yNegative);
    Value ofYInf = e.select(grows, c(kInf), c(0));
    Value isUnit = e.cmpf(CmpFPredicate::OEQ, base, c(1));
    ofYInf = e.select(isUnit, c(1), ofYInf);
    result = e.select(yInf, ofYInf, result);

    // A negative x: y must be an integer, and an odd one gives the sign.
    Value whole = math::TruncOp::create(rewriter, op.getLoc(), y);
    Value isWhole = e.cmpf(CmpFPredicate::OEQ, whole, y);
    Value half = e.mul(y, c(0.5));
    Value halfWhole = math::TruncOp::create(rewriter, op.getLoc(), half);
    Value isEven = e.cmpf(CmpFPredicate::OEQ, halfWhole, half);
    Value bits = e.bitcast(x, rewriter.getI32Type());
    Value isNegative =
        e.cmpi(CmpIPredicate::slt, bits, e.intConst(0, rewriter.getI32Type()));
    Value negated = arith::NegFOp::create(rewriter, op.getLoc(), result);
    Value isOdd = e.select(
        isWhole, e.op<arith::XOrIOp>(isEven, e.intConst(1, isEven.getType())),
        e.intConst(0, isEven.getType()));
    result = e.select(e.iand(isNegative, isOdd), negated, result);
    Value isBelowZero = e.cmpf(CmpFPredicate::OLT, x, c(0));
    Value finiteBase = e.cmpf(CmpFPredicate::ONE, base, c(kInf));
    Value notWhole = e.cmpf(CmpFPredicate::ONE, whole, y);
    result = e.select(e.iand(e.iand(isBelowZero, finiteBase), notWhole),
                      c(kNaN), result);

    // NaN, except that pow(x, 0) and pow(1, y) are 1.
    Value isNaN = e.cmpf(CmpFPredicate::UNO, x, y);
    result = e.select(isNaN, c(kNaN), result);
    Value isOne = e.ior(e.cmpf(CmpFPredicate::OEQ, y, c(0)),
                        e.cmpf(CmpFPredicate::OEQ, x, c(1)));
    rewriter.replaceOp(op, e.select(isOne, c(1), result));
    return success();
  }
};

} // namespace

void populateTrigPowPatterns(RewritePatternSet &patterns) {
  patterns.add<Trig<math::SinOp>, Trig<math::CosOp>, Trig<math::TanOp>, Pow>(
      patterns.getContext());
}

} // namespace tlc
