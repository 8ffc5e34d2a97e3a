//===- Hyperbolic.cpp - tanh, sinh and asinh of f32 -----------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The usual expansions cancel near zero, overflow early, or lose signs and
// infinities. All three are odd: they are computed for |x|, once for small and
// once for large values of it, one of the two is selected, and the sign comes
// last, so that f(-0) is -0.
//
//   tanh   |x| < 1/2   |x| + |x|^3 P(x^2), P of degree 3, fitted for the least
//                      greatest relative error (1.5e-8)
//          else        1 - 2 / (2^(2 log2(e) |x|) + 1), within 4 ulp; it would
//                      cancel below 1/2. Attention with capped scores takes a
//                      tanh for every score, beside the matrix cores, so its
//                      instructions count: v_exp_f32 and v_rcp_f32. Where the
//                      exponential overflows the quotient is 0, rightly.
//   sinh   |x| < 1     (u + u / (u + 1)) / 2 with u = expm1 |x|
//          else        h h / 2 - 1 / (2 h h) with h = exp(|x| / 2), finite
//                      where sinh is
//   asinh  |x| < 2^60  log1p(|x| + x^2 / (1 + sqrt(x^2 + 1)))
//          else        log |x| + log 2
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

Halves sinh(Emit &e, Value x) {
  auto c = [&](double v) { return e.floatConst(v, x.getType()); };
  Value u = math::ExpM1Op::create(e.b, e.loc, x);
  Value near = e.mul(c(0.5), e.add(u, e.op<arith::DivFOp>(u, e.add(u, c(1)))));
  Value h = math::ExpOp::create(e.b, e.loc, e.mul(x, c(0.5)));
  Value far = e.sub(e.mul(e.mul(c(0.5), h), h),
                    e.op<arith::DivFOp>(c(0.5), e.mul(h, h)));
  return {1, near, far};
}

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

} // namespace

void populateHyperbolicPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandOdd<math::TanhOp, tanh>, ExpandOdd<math::SinhOp, sinh>,
               ExpandOdd<math::AsinhOp, asinh>>(patterns.getContext(),
                                                /*benefit=*/2);
}

} // namespace tlc
