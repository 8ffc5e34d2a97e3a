//===- Atan.cpp - atan and atan2 through f64 ------------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arc tangent of t >= 0 by the tangent of a difference: with x one of t,
// (t - 1) / (t + 1) and -1 / t, |x| <= 0.66, and the angle taken off 0, pi/4 or
// pi/2,
//
//   atan t = angle + x + x * z * P(z) / Q(z),  z = x^2
//
// P and Q are those of Moshier's Cephes; the error is one f64 ulp, so an f32
// result is good to its last bit.
//
//===----------------------------------------------------------------------===//

#include "ExpandMath.h"

using namespace mlir;
using arith::CmpFPredicate;

namespace tlc {
namespace {

/// What pi and its half lack as f64.
constexpr double kHalfPi = 1.57079632679489655800;
constexpr double kHalfPiLow = 6.12323399573676603587e-17;

/// t: f64, not below 0, infinite or NaN perhaps.
Value atanPositive(Emit &e, Value t) {
  auto c = [&](double v) { return e.floatConst(v, t.getType()); };
  Value isLarge = e.cmpf(CmpFPredicate::OGT, t, c(2.41421356237309504880));
  Value isMiddle = e.cmpf(CmpFPredicate::OGT, t, c(0.66));
  auto choose = [&](Value large, Value middle, Value small) {
    return e.select(isLarge, large, e.select(isMiddle, middle, small));
  };
  Value x = e.op<arith::DivFOp>(choose(c(-1), e.sub(t, c(1)), t),
                                choose(t, e.add(t, c(1)), c(1)));
  Value z = e.mul(x, x);
  Value p =
      e.horner(z, {-8.750608600031904122785e-1, -1.615753718733365076637e1,
                   -7.500855792314704667340e1, -1.228866684490136173410e2,
                   -6.485021904942025371773e1});
  Value q = e.horner(z, {1.0, 2.485846490142306297962e1,
                         1.650270098316988542046e2, 4.328810604912902668951e2,
                         4.853903996359136964868e2, 1.945506571482613964425e2});
  Value rest = e.fma(e.mul(z, e.op<arith::DivFOp>(p, q)), x, x);
  rest = e.add(rest, choose(c(kHalfPiLow), c(kHalfPiLow / 2), c(0)));
  return e.add(choose(c(kHalfPi), c(kHalfPi / 2), c(0)), rest);
}

/// \p angle of f64 arguments, for f32 and f64 ones.
template <typename Op, Value (*angle)(Emit &, ValueRange)>
struct ThroughF64 : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!type.isF32() && !type.isF64())
      return failure();
    Emit e{rewriter, op.getLoc()};
    SmallVector<Value, 2> wide;
    for (Value operand : op->getOperands())
      wide.push_back(e.cast(operand, rewriter.getF64Type()));
    rewriter.replaceOp(op, e.cast(angle(e, wide), type));
    return success();
  }
};

Value atan(Emit &e, ValueRange args) {
  return e.op<math::CopySignOp>(atanPositive(e, e.abs(args[0])), args[0]);
}

/// The quotient of two zeros counts as 0, of two infinities as 1.
Value atan2(Emit &e, ValueRange args) {
  Value y = args[0], x = args[1];
  auto c = [&](double v) { return e.floatConst(v, y.getType()); };
  Value far = e.abs(y), near = e.abs(x);
  Value same = e.cmpf(CmpFPredicate::OEQ, far, near);
  // Equal magnitudes: 0 of zeros, else 1, without the quotient.
  Value isZero = e.cmpf(CmpFPredicate::OEQ, far, c(0));
  Value t = e.select(same, e.select(isZero, c(0), c(1)),
                     e.op<arith::DivFOp>(far, near));
  Value right = atanPositive(e, t);
  Value side = e.op<math::CopySignOp>(c(1), x);
  Value isLeft = e.cmpf(CmpFPredicate::OLT, side, c(0));
  Value left = e.add(e.sub(c(2 * kHalfPi), right), c(2 * kHalfPiLow));
  return e.op<math::CopySignOp>(e.select(isLeft, left, right), y);
}

} // namespace

void populateAtanPatterns(RewritePatternSet &patterns) {
  patterns
      .add<ThroughF64<math::AtanOp, atan>, ThroughF64<math::Atan2Op, atan2>>(
          patterns.getContext());
}

} // namespace tlc
