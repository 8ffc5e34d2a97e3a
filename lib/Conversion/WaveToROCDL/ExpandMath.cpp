//===- ExpandMath.cpp - Math functions gfx942 has no instruction for ------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `expand-wave-math`, a greedy rewrite:
//
//   * vectors of functions are taken apart into scalars;
//   * bf16, f16 and fp8 operands of functions go to f32 and back, bf16 and fp8
//     arithmetic likewise (NarrowFloat.cpp, with the casts themselves);
//   * exp x is exp2(x log2 e): the product's rounding is what docs/numerics.md
//     allows for, and the exponential of an infinity, or of NaN, is right;
//   * exp2, log, log2, log10, sqrt and rsqrt stay: FloatToLLVM.cpp and
//     RangedFunctions.cpp have them; so do the roundings;
//   * sin, cos, tan and pow are computed through f64 (TrigPow.cpp), tanh and
//   erf by
//     exponential and polynomial (Hyperbolic.cpp), the other functions by
//     MLIR's own polynomials, good to a few ulp;
//   * f64 functions without an expansion are refused.
//
//   %y = math.tanh %x : bf16
//   =>
//   %a = arith.extf %x : bf16 to f32, exponential and polynomial, integer
//   rounding to bf16
//
//===----------------------------------------------------------------------===//

#include "ExpandMath.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tlc/Conversion/WaveToROCDL.h"
#include "tlc/Dialect/Wave/IR/WaveDialect.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tlc {
#define GEN_PASS_DEF_EXPANDWAVEMATH
#include "tlc/Conversion/Passes.h.inc"

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

Type Emit::shaped(Type like, Type element) {
  if (auto vector = dyn_cast<VectorType>(like))
    return VectorType::get(vector.getShape(), element);
  return element;
}
static Value splat(Emit &e, TypedAttr attr, Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, Attribute(attr));
  return arith::ConstantOp::create(e.b, e.loc, attr);
}
Value Emit::floatConst(double v, Type type) {
  return splat(*this, b.getFloatAttr(getElementTypeOrSelf(type), v), type);
}
Value Emit::intConst(int64_t v, Type type) {
  return splat(*this, b.getIntegerAttr(getElementTypeOrSelf(type), v), type);
}
Value Emit::cast(Value v, Type element) {
  Type from = getElementTypeOrSelf(v.getType());
  if (from == element)
    return v;
  Type to = shaped(v.getType(), element);
  if (from.getIntOrFloatBitWidth() < element.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(b, loc, to, v);
  return arith::TruncFOp::create(b, loc, to, v);
}
Value Emit::bitcast(Value v, Type element) {
  return arith::BitcastOp::create(b, loc, shaped(v.getType(), element), v);
}
Value Emit::horner(Value x, ArrayRef<double> coefficients) {
  Value sum = floatConst(coefficients[0], x.getType());
  for (double c : coefficients.drop_front())
    sum = fma(sum, x, floatConst(c, x.getType()));
  return sum;
}

//===----------------------------------------------------------------------===//
// Which functions need what
//===----------------------------------------------------------------------===//

namespace {

/// Functions LLVM's AMDGPU back end lowers for f32 vectors and scalars.
bool staysAsItIs(Operation *op) {
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::FloorOp,
             math::TruncOp, math::RoundOp, math::RoundEvenOp, math::SqrtOp,
             math::FmaOp, math::CopySignOp, math::CountLeadingZerosOp,
             math::CountTrailingZerosOp, math::CtPopOp, math::IsNaNOp,
             math::IsInfOp, math::IsFiniteOp, math::IsNormalOp>(op);
}

/// A function that must reach f32 scalars before anything is done with it.
bool isMathFunction(Operation *op) {
  return isa_and_nonnull<math::MathDialect>(op->getDialect()) &&
         !staysAsItIs(op);
}

/// vector<NxT> function to N scalar functions.
struct UnrollVectorMath : RewritePattern {
  explicit UnrollVectorMath(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 3, context) {}
  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (op->getNumResults() != 1)
      return failure();
    auto type = dyn_cast<VectorType>(op->getResult(0).getType());
    // exp2 and rsqrt are instructions: FloatToLLVM.cpp takes them apart.
    if (!type || !isMathFunction(op) || isa<math::Exp2Op, math::RsqrtOp>(op))
      return failure();
    if (type.getRank() != 1 || type.isScalable())
      return failure();
    Location loc = op->getLoc();
    SmallVector<Value> elements;
    for (int64_t i = 0; i != type.getNumElements(); ++i) {
      SmallVector<Value> operands;
      for (Value operand : op->getOperands())
        operands.push_back(
            isa<VectorType>(operand.getType())
                ? vector::ExtractOp::create(rewriter, loc, operand, i)
                : operand);
      OperationState state(loc, op->getName().getIdentifier(), operands,
                           type.getElementType(), op->getAttrs());
      elements.push_back(rewriter.create(state)->getResult(0));
    }
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(op, type, elements);
    return success();
  }
};

/// f16 functions and quotients through f32: two roundings are one here, since
/// f32 holds more than twice f16's bits. (bf16 and fp8: NarrowFloat.cpp.)
struct HalfMathThroughF32 : RewritePattern {
  explicit HalfMathThroughF32(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 2, context) {}
  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!(isMathFunction(op) || isa<math::SqrtOp, arith::DivFOp>(op)) ||
        op->getNumResults() != 1 ||
        !getElementTypeOrSelf(op->getResult(0).getType()).isF16())
      return failure();
    Emit emit{rewriter, op->getLoc()};
    Type f32 = rewriter.getF32Type();
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(isa<FloatType>(getElementTypeOrSelf(operand))
                             ? emit.cast(operand, f32)
                             : operand);
    OperationState state(op->getLoc(), op->getName().getIdentifier(), operands,
                         Emit::shaped(op->getResult(0).getType(), f32),
                         op->getAttrs());
    Value wide = rewriter.create(state)->getResult(0);
    rewriter.replaceOp(op, emit.cast(wide, rewriter.getF16Type()));
    return success();
  }
};

/// exp(x) = exp2(x log2 e), vectors as they are.
struct ExpByExp2 : OpRewritePattern<math::ExpOp> {
  explicit ExpByExp2(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/4) {}
  LogicalResult matchAndRewrite(math::ExpOp op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    Emit emit{rewriter, op.getLoc()};
    constexpr double kLog2E = 1.44269504088896340736;
    Value power =
        emit.mul(op.getOperand(), emit.floatConst(kLog2E, op.getType()));
    rewriter.replaceOpWithNewOp<math::Exp2Op>(op, power);
    return success();
  }
};

/// rsqrt of f64 has an instruction only to a few bits.
struct Rsqrt64 : OpRewritePattern<math::RsqrtOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::RsqrtOp op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF64())
      return failure();
    Emit emit{rewriter, op.getLoc()};
    Value root = math::SqrtOp::create(rewriter, op.getLoc(), op.getOperand());
    rewriter.replaceOpWithNewOp<arith::DivFOp>(
        op, emit.floatConst(1, op.getType()), root);
    return success();
  }
};

struct ExpandWaveMath : impl::ExpandWaveMathBase<ExpandWaveMath> {
  void runOnOperation() override;
};

} // namespace

/// Functions code generation takes as they are once they are f32 (or f64).
static bool isLowered(Operation *op) {
  Type type = getElementTypeOrSelf(op->getOperand(0).getType());
  if (staysAsItIs(op))
    return true;
  return type.isF32() && isa<math::Exp2Op, math::RsqrtOp, math::LogOp,
                             math::Log2Op, math::Log10Op>(op);
}

/// One greedy rewrite with all patterns, then a walk that refuses what is left
/// without code.
void ExpandWaveMath::runOnOperation() {
  MLIRContext *context = &getContext();
  RewritePatternSet patterns(context);
  patterns.add<UnrollVectorMath, HalfMathThroughF32, ExpByExp2, Rsqrt64>(
      context);
  populateNarrowFloatPatterns(patterns);
  populateTrigPowPatterns(patterns);
  populateHyperbolicPatterns(patterns);
  populateAtanPatterns(patterns);
  math::populateExpansionPatterns(
      patterns, {"sinh", "cosh", "asinh", "acosh", "atanh", "fpowi", "ipowi"});
  static const llvm::StringSet<> kPolynomials = {"math.erfc",  "math.asin",
                                                 "math.acos",  "math.cbrt",
                                                 "math.log1p", "math.expm1"};
  populateMathPolynomialApproximationPatterns(
      patterns, [](StringRef name) { return kPolynomials.contains(name); });

  // Regions are left alone: merging blocks is no business of this pass.
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  if (failed(
          applyPatternsGreedily(getOperation(), std::move(patterns), config)))
    return signalPassFailure();

  WalkResult result = getOperation()->walk([](Operation *op) {
    if (!isa_and_nonnull<math::MathDialect>(op->getDialect()) || isLowered(op))
      return WalkResult::advance();
    op->emitError("gfx942 code for ")
        << op->getName().stripDialect() << " of " << op->getOperand(0).getType()
        << " is not available";
    return WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    signalPassFailure();
}

} // namespace tlc
