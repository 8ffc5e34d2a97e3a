//===- Hyperbolic.cpp - sinh and asinh of f32 -----------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The usual expansions cancel near zero, overflow early, or lose signs and
// infinities. Both are computed for |x| and get the sign at the end:
//
//   sinh   |x| < 1   (u + u / (u + 1)) / 2 with u = expm1 |x|
//          else      h h / 2 - 1 / (2 h h) with h = exp(|x| / 2), finite
//                    where sinh is
//   asinh  |x| < 2^60  log1p(|x| + x^2 / (1 + sqrt(x^2 + 1)))
//          else        log |x| + log 2
//
//===----------------------------------------------------------------------===//

#include "ExpandMath.h"

using namespace mlir;

namespace tlc {
namespace {

using P = arith::CmpFPredicate;

struct ExpandSinh : OpRewritePattern<math::SinhOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::SinhOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getOperand();
    Type type = x.getType();
    if (!getElementTypeOrSelf(type).isF32())
      return failure();
    Emit e{rewriter, op.getLoc()};
    auto c = [&](double v) { return e.floatConst(v, type); };
    Value size = math::AbsFOp::create(rewriter, e.loc, x);
    // The side that is not taken may overflow.
    Value u = math::ExpM1Op::create(rewriter, e.loc, size);
    Value near =
        e.mul(c(0.5), e.add(u, e.op<arith::DivFOp>(u, e.add(u, c(1)))));
    Value h = math::ExpOp::create(rewriter, e.loc, e.mul(size, c(0.5)));
    Value half = e.mul(c(0.5), h);
    Value far = e.sub(e.mul(half, h), e.op<arith::DivFOp>(c(0.5), e.mul(h, h)));
    Value isNear = e.cmpf(P::OLT, size, c(1));
    rewriter.replaceOpWithNewOp<math::CopySignOp>(
        op, e.select(isNear, near, far), x);
    return success();
  }
};

struct ExpandAsinh : OpRewritePattern<math::AsinhOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::AsinhOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getOperand();
    Type type = x.getType();
    if (!getElementTypeOrSelf(type).isF32())
      return failure();
    Emit e{rewriter, op.getLoc()};
    auto c = [&](double v) { return e.floatConst(v, type); };
    Value size = math::AbsFOp::create(rewriter, e.loc, x);
    Value square = e.mul(size, size);
    Value root = math::SqrtOp::create(rewriter, e.loc, e.add(square, c(1)));
    Value near = math::Log1pOp::create(
        rewriter, e.loc,
        e.add(size, e.op<arith::DivFOp>(square, e.add(root, c(1)))));
    constexpr double kLog2 = 0.69314718055994531;
    Value far = e.add(math::LogOp::create(rewriter, e.loc, size), c(kLog2));
    Value isNear = e.cmpf(P::OLT, size, c(0x1p60));
    rewriter.replaceOpWithNewOp<math::CopySignOp>(
        op, e.select(isNear, near, far), x);
    return success();
  }
};

} // namespace

void populateHyperbolicPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandSinh, ExpandAsinh>(patterns.getContext(), /*benefit=*/2);
}

} // namespace tlc
