//===- Tanh.cpp - tanh of f32 in a dozen instructions ---------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attention with capped scores takes a tanh for every score, beside the matrix
// cores, so its instructions count:
//
//   |x| >= 1/2   1 - 2 / (2^(2 log2(e) |x|) + 1): v_exp_f32 and v_rcp_f32.
//                The exponential may overflow: the quotient is 0 then, rightly.
//                Within 4 ulp; below 1/2 the subtraction would cancel.
//   |x| <  1/2   x + x^3 P(x^2), P of degree 3, fitted for the least greatest
//                relative error (1.5e-8).
//
// Both are computed and one is selected; the sign comes last, so that tanh(-0)
// is -0. NaN fails the comparison and stays NaN.
//
//===----------------------------------------------------------------------===//

#include "ExpandMath.h"

using namespace mlir;

namespace tlc {
namespace {

struct ExpandTanh : OpRewritePattern<math::TanhOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::TanhOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getOperand();
    Type type = x.getType();
    if (!getElementTypeOrSelf(type).isF32())
      return failure();
    Emit e{rewriter, op.getLoc()};
    auto c = [&](double v) { return e.floatConst(v, type); };

    constexpr double kTwoLog2E = 2.8853900817779268;
    Value size = math::AbsFOp::create(rewriter, e.loc, x);
    Value power =
        math::Exp2Op::create(rewriter, e.loc, e.mul(size, c(kTwoLog2E)));
    // afn: the reciprocal's 1 ulp will do, no refinement.
    Value quotient = arith::DivFOp::create(
        rewriter, e.loc, c(2), e.add(power, c(1)), arith::FastMathFlags::afn);
    Value far = e.sub(c(1), quotient);

    Value s = e.mul(x, x);
    Value p = c(0.017241492867469788);
    for (double k :
         {-0.053045496344566345, 0.13325878977775574, -0.333331435918808})
      p = e.fma(p, s, c(k));
    Value near = e.fma(e.mul(size, s), p, size);

    Value isNear = e.cmpf(arith::CmpFPredicate::OLT, size, c(0.5));
    rewriter.replaceOpWithNewOp<math::CopySignOp>(
        op, e.select(isNear, near, far), x);
    return success();
  }
};

} // namespace

void populateTanhPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandTanh>(patterns.getContext(), /*benefit=*/2);
}

} // namespace tlc
