//===- Hyperbolic.cpp - tanh, sinh, cosh, asinh and erf of f32 ------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The usual expansions cancel near zero, overflow early, or lose signs and
// infinities. All but cosh are odd: they are computed for |x|, once for small
// and once for large values of it, one of the two is selected, and the sign
// comes last, so that f(-0) is -0.
//
//   tanh   |x| < 1/2   |x| + |x|^3 P(x^2), P of degree 3, fitted for the least
//                      greatest relative error (1.5e-8)
//          else        1 - 2 / (2^(2 log2(e) |x|) + 1), within 4 ulp; it would
//                      cancel below 1/2. Attention with capped scores takes a
//                      tanh for every score, beside the matrix cores, so its
//                      instructions count: v_exp_f32 and v_rcp_f32. Where the
//                      exponential overflows the quotient is 0, rightly.
//   sinh   |x| < 1     Taylor's series, the next term of which is 2^-25
//          else        2^(y - 1) - 2^(-y - 1) with y = log2(e) |x|: halved in
//                      the exponent, so finite where sinh is
//   cosh               the sum of the same two
//   asinh  |x| < 2^60  log1p(|x| + x^2 / (1 + sqrt(x^2 + 1)))
//          else        log |x| + log 2
//   erf    |x| < 7/8   |x| P(x^2), P of degree 5, fitted (1e-8)
//          else        1 - 2^-Q(|x|), Q of degree 5, fitted to -log2 of the
//                      complement (3e-8), up to where erf is 1
//
// NaN fails the comparison and stays NaN in the second form.
//
//===----------------------------------------------------------------------===//

#include "ExpandMath.h"

using namespace mlir;

namespace tlc {
namespace {

/// An odd function of |x|: `near` below `limit`, else `far`. The side that is
/// not taken may overflow.
struct Halves {
  double limit;
  Value near, far;
};

template <typename Op, Halves (*halves)(Emit &, Value)>
struct ExpandOdd : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getOperand();
    if (!getElementTypeOrSelf(x.getType()).isF32())
      return failure();
    Emit e{rewriter, op.getLoc()};
    Value size = e.abs(x);
    auto [limit, near, far] = halves(e, size);
    Value isNear = e.cmpf(arith::CmpFPredicate::OLT, size,
                          e.floatConst(limit, x.getType()));
    rewriter.replaceOpWithNewOp<math::CopySignOp>(
        op, e.select(isNear, near, far), x);
    return success();
  }
};

Halves tanh(Emit &e, Value x) {
  auto c = [&](double v) { return e.floatConst(v, x.getType()); };
  constexpr double kTwoLog2E = 2.8853900817779268;
  Value power = math::Exp2Op::create(e.b, e.loc, e.mul(x, c(kTwoLog2E)));
  // afn: the reciprocal's 1 ulp will do, no refinement.
  Value quotient = arith::DivFOp::create(e.b, e.loc, c(2), e.add(power, c(1)),
                                         arith::FastMathFlags::afn);
  Value far = e.sub(c(1), quotient);
  Value square = e.mul(x, x);
  Value p = e.horner(square, {0.017241492867469788, -0.053045496344566345,
                              0.13325878977775574, -0.333331435918808});
  return {0.5, e.fma(e.mul(x, square), p, x), far};
}

/// exp(x) / 2 and exp(-x) / 2.
std::pair<Value, Value> halfExponentials(Emit &e, Value x) {
  auto c = [&](double v) { return e.floatConst(v, x.getType()); };
  constexpr double kLog2E = 1.44269504088896340736;
  auto half = [&](double sign) -> Value {
    Value power = e.fma(x, c(sign * kLog2E), c(-1));
    return math::Exp2Op::create(e.b, e.loc, power);
  };
  Value grows = half(1);
  return {grows, half(-1)};
}

Halves sinh(Emit &e, Value x) {
  Value square = e.mul(x, x);
  Value p = e.horner(square, {1.0 / 362880, 1.0 / 5040, 1.0 / 120, 1.0 / 6});
  auto [grows, falls] = halfExponentials(e, x);
  return {1, e.fma(e.mul(x, square), p, x), e.sub(grows, falls)};
}

struct ExpandCosh : OpRewritePattern<math::CoshOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::CoshOp op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    Emit e{rewriter, op.getLoc()};
    auto [grows, falls] = halfExponentials(e, op.getOperand());
    rewriter.replaceOp(op, e.add(grows, falls));
    return success();
  }
};

Halves asinh(Emit &e, Value x) {
  auto c = [&](double v) { return e.floatConst(v, x.getType()); };
  Value square = e.mul(x, x);
  Value root = math::SqrtOp::create(e.b, e.loc, e.add(square, c(1)));
  Value near = math::Log1pOp::create(
      e.b, e.loc, e.add(x, e.op<arith::DivFOp>(square, e.add(root, c(1)))));
  constexpr double kLog2 = 0.69314718055994531;
  Value far = e.add(math::LogOp::create(e.b, e.loc, x), c(kLog2));
  return {0x1p60, near, far};
}

Halves erf(Emit &e, Value x) {
  auto c = [&](double v) { return e.floatConst(v, x.getType()); };
  Value p = e.horner(e.mul(x, x), {-0.0006203242810443044, 0.005032178945839405,
                                   -0.026791460812091827, 0.11282455176115036,
                                   -0.3761255145072937, 1.1283791065216064});
  // A select and no minimum, so that NaN stays.
  constexpr double kOneFrom = 3.92;
  Value capped = e.select(e.cmpf(arith::CmpFPredicate::OGT, x, c(kOneFrom)),
                          c(kOneFrom), x);
  Value q = e.horner(capped, {0.0018585892394185066, -0.02287752367556095,
                              0.132627472281456, 0.9371415376663208,
                              1.6172817945480347, 0.0023848647251725197});
  Value complement =
      math::Exp2Op::create(e.b, e.loc, arith::NegFOp::create(e.b, e.loc, q));
  return {0.875, e.mul(x, p), e.sub(c(1), complement)};
}

} // namespace

void populateHyperbolicPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandOdd<math::TanhOp, tanh>, ExpandOdd<math::SinhOp, sinh>,
               ExpandOdd<math::AsinhOp, asinh>, ExpandOdd<math::ErfOp, erf>,
               ExpandCosh>(patterns.getContext(), /*benefit=*/2);
}

} // namespace tlc
