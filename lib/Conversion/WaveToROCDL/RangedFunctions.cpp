//===- RangedFunctions.cpp - log, sqrt, rsqrt and / by range of operand ---===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// v_log_f32, v_sqrt_f32, v_rsq_f32 and v_rcp_f32 are good to one unit in the
// last place, but take a denormal operand for 0, and v_rcp_f32 gives 0 where
// its result is denormal. What docs/numerics.md promises leaves room for that
// unit and one or two roundings, not for the range. So an operand is brought
// into range by a power of two unless it is there already.
//
//   log(x)    s log2(x) + c             s = ln 2, c = 0, or for x < 2^-100:
//                                       x times 2^32, c = -32 ln 2
//   sqrt(x)   sqrt(x 2^k) 2^m           k = m = 0, or 24 and -12
//   rsqrt(x)  rsq(x 2^k) 2^m            k = m = 0, or 24 and 12
//   x / y     ldexp(mx rcp(my), ex - ey)   mantissas and exponents
//
// In range are f16 and 8-bit floats and integers, all they are, and a sum with
// a constant: if it cancels, it is 0 or a multiple of the constant's last
// place. That covers rsqrt(mean + eps), and 1 / (1 + exp(-x)), where the
// numerator is small enough for a quotient of 0 to be right.
//
//   %d = arith.addf %x, %one            %r = llvm.amdgcn.rcp(%d)
//   %q = arith.divf %one, %d      =>
//
// A quotient or root marked `tile.ieee` is left to code generation, which
// rounds it correctly.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "tlc/Dialect/Tile/IR/Relaxations.h"

using namespace mlir;

namespace tlc {

//===----------------------------------------------------------------------===//
// What is known of operands
//===----------------------------------------------------------------------===//

/// A constant, or all elements of one.
static std::optional<float> knownNumber(Value v) {
  APFloat number(0.0f);
  if (!matchPattern(v, m_ConstantFloat(&number)) ||
      &number.getSemantics() != &APFloat::IEEEsingle())
    return std::nullopt;
  return number.convertToFloat();
}

/// Whether a number is never denormal because it was narrower: an f16, an 8-bit
/// float or an integer.
static bool isFromNarrow(Operation *op) {
  if (auto ext = dyn_cast_or_null<arith::ExtFOp>(op)) {
    auto from = cast<FloatType>(getElementTypeOrSelf(ext.getIn().getType()));
    return from.isF16() || from.getWidth() == 8;
  }
  return isa_and_nonnull<arith::SIToFPOp, arith::UIToFPOp>(op);
}

/// Whether no element of an f32 is denormal.
static bool isNeverDenormal(Value v, unsigned depth = 0) {
  constexpr unsigned kDeepest = 6;
  if (std::optional<float> number = knownNumber(v))
    return !APFloat(*number).isDenormal();
  Operation *op = v.getDefiningOp();
  if (!op || depth == kDeepest)
    return false;
  auto operand = [&](unsigned i) {
    return isNeverDenormal(op->getOperand(i), depth + 1);
  };
  if (isFromNarrow(op) || isa<math::RsqrtOp, math::SqrtOp>(op))
    return true;
  // What cancels leaves a multiple of the smaller operand's last place, which
  // for half the constant and more is 2^-125 at least.
  if (isa<arith::AddFOp, arith::SubFOp>(op))
    return llvm::any_of(op->getOperands(), [](Value operand) {
      std::optional<float> number = knownNumber(operand);
      return number && std::fabs(*number) >= 0x1p-100f;
    });
  // A NaN gives the constant, which is no denormal either.
  if (isa<arith::MaxNumFOp>(op))
    return llvm::any_of(op->getOperands(), [](Value operand) {
      std::optional<float> number = knownNumber(operand);
      return number && *number >= 0x1p-126f;
    });
  if (isa<arith::SelectOp>(op))
    return operand(1) && operand(2);
  if (isa<arith::NegFOp, math::AbsFOp, vector::BroadcastOp, vector::ExtractOp,
          vector::ExtractStridedSliceOp>(op))
    return operand(0);
  if (isa<vector::FromElementsOp>(op))
    return llvm::all_of(op->getOperands(), [&](Value element) {
      return isNeverDenormal(element, depth + 1);
    });
  return false;
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {

bool isSingle(Operation *op) {
  return getElementTypeOrSelf(op->getResult(0).getType()).isF32() &&
         !op->hasAttr(tile::kIeeeAttr);
}

/// `x` times 2^power where `condition`; small powers are no literals.
Value shiftedIf(Build &build, Value condition, Value x, int power) {
  Value chosen = LLVM::SelectOp::create(build.b, build.loc, condition,
                                        build.i32(power), build.i32(0));
  return build.intrinsic("llvm.ldexp", x.getType(), {x, chosen});
}
Value isTiny(Build &build, Value x) {
  return LLVM::FCmpOp::create(build.b, build.loc, LLVM::FCmpPredicate::olt, x,
                              build.f32(0x1p-100f));
}

/// sqrt and rsqrt; the root of 2^Shift is 2^Back, or 2^-Back.
template <typename Op, int Shift, int Back>
struct RootPattern : ConvertOpToLLVMPattern<Op> {
  const char *intrinsic;
  RootPattern(const LLVMTypeConverter &converter, const char *intrinsic,
              PatternBenefit benefit)
      : ConvertOpToLLVMPattern<Op>(converter, benefit), intrinsic(intrinsic) {}

  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isSingle(op))
      return failure();
    Build build{rewriter, op.getLoc()};
    bool inRange = isNeverDenormal(op.getOperand());
    auto root = [&](Value x) -> Value {
      if (inRange)
        return build.intrinsic(intrinsic, x.getType(), x);
      Value tiny = isTiny(build, x);
      Value r = build.intrinsic(intrinsic, x.getType(),
                                shiftedIf(build, tiny, x, Shift));
      return shiftedIf(build, tiny, r, Back);
    };
    rewriter.replaceOp(
        op, forEachElement(build, adaptor.getOperand(), op.getType(), root));
    return success();
  }
};

/// log of any base: v_log_f32 times the logarithm of 2.
template <typename Op> struct LogPattern : ConvertOpToLLVMPattern<Op> {
  double logOf2; ///< 1 for log2
  LogPattern(const LLVMTypeConverter &converter, double logOf2,
             PatternBenefit benefit)
      : ConvertOpToLLVMPattern<Op>(converter, benefit), logOf2(logOf2) {}

  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isSingle(op))
      return failure();
    Build build{rewriter, op.getLoc()};
    Location loc = op.getLoc();
    bool inRange = isNeverDenormal(op.getOperand());
    auto times = [&](Value v) -> Value {
      return logOf2 == 1 ? v
                         : LLVM::FMulOp::create(rewriter, loc, v,
                                                build.f32(float(logOf2)))
                               .getResult();
    };
    auto log = [&](Value x) -> Value {
      if (inRange)
        return times(build.intrinsic("llvm.amdgcn.log", x.getType(), x));
      constexpr int kShift = 32;
      Value tiny = isTiny(build, x);
      Value r = build.intrinsic("llvm.amdgcn.log", x.getType(),
                                shiftedIf(build, tiny, x, kShift));
      Value offset = LLVM::SelectOp::create(rewriter, loc, tiny,
                                            build.f32(float(-kShift * logOf2)),
                                            build.f32(0));
      if (logOf2 == 1)
        return LLVM::FAddOp::create(rewriter, loc, r, offset);
      return build.intrinsic("llvm.fma", x.getType(),
                             {r, build.f32(float(logOf2)), offset});
    };
    rewriter.replaceOp(
        op, forEachElement(build, adaptor.getOperand(), op.getType(), log));
    return success();
  }
};

bool isReciprocalOfHalf(arith::DivFOp op) {
  auto ext = op.getRhs().getDefiningOp<arith::ExtFOp>();
  return knownNumber(op.getLhs()) == 1.0f && ext &&
         getElementTypeOrSelf(ext.getIn().getType()).isF16() &&
         llvm::all_of(op->getUsers(), [](Operation *user) {
           return isa<arith::TruncFOp>(user) &&
                  getElementTypeOrSelf(user->getResult(0).getType()).isF16();
         });
}

/// x / y: the reciprocal alone where it cannot go wrong, else of mantissas.
struct DivPattern : ConvertOpToLLVMPattern<arith::DivFOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(arith::DivFOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    // afn is code generation's own reciprocal; powers of two are products.
    if (!isSingle(op) || knownNumber(op.getRhs()) ||
        arith::bitEnumContainsAny(op.getFastmath(), arith::FastMathFlags::afn))
      return failure();
    // The reciprocal of an f16, rounded to f16, has an instruction.
    if (isReciprocalOfHalf(op))
      return failure();
    Build build{rewriter, op.getLoc()};
    Location loc = op.getLoc();
    Type i32 = rewriter.getI32Type();
    // Above 2^126 the reciprocal is 0, as is what is below 2^-126.
    std::optional<float> known = knownNumber(op.getLhs());
    bool isSmall = known && std::fabs(*known) <= 1;
    bool reciprocal = isFromNarrow(op.getRhs().getDefiningOp()) ||
                      (isSmall && isNeverDenormal(op.getRhs()));
    auto quotient = [&](Value x, Value y) -> Value {
      Type f32 = x.getType();
      if (reciprocal) {
        Value r = build.intrinsic("llvm.amdgcn.rcp", f32, y);
        return known == 1.0f
                   ? r
                   : LLVM::FMulOp::create(rewriter, loc, x, r).getResult();
      }
      Value my = build.intrinsic("llvm.amdgcn.frexp.mant", f32, y);
      Value ey = build.intrinsic("llvm.amdgcn.frexp.exp", i32, y);
      Value r = build.intrinsic("llvm.amdgcn.rcp", f32, my);
      if (known == 1.0f)
        return build.intrinsic(
            "llvm.ldexp", f32,
            {r, LLVM::SubOp::create(rewriter, loc, build.i32(0), ey)});
      Value mx = build.intrinsic("llvm.amdgcn.frexp.mant", f32, x);
      Value ex = build.intrinsic("llvm.amdgcn.frexp.exp", i32, x);
      return build.intrinsic("llvm.ldexp", f32,
                             {LLVM::FMulOp::create(rewriter, loc, mx, r),
                              LLVM::SubOp::create(rewriter, loc, ex, ey)});
    };
    auto vector = dyn_cast<VectorType>(op.getType());
    if (!vector) {
      rewriter.replaceOp(op, quotient(adaptor.getLhs(), adaptor.getRhs()));
      return success();
    }
    Value result = LLVM::PoisonOp::create(rewriter, loc, vector);
    for (int64_t i = 0; i != vector.getNumElements(); ++i) {
      auto element = [&](Value v) {
        return LLVM::ExtractElementOp::create(rewriter, loc, v, build.i32(i));
      };
      result = LLVM::InsertElementOp::create(
          rewriter, loc, result,
          quotient(element(adaptor.getLhs()), element(adaptor.getRhs())),
          build.i32(i));
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void populateRangedPatterns(LLVMTypeConverter &converter,
                            RewritePatternSet &patterns) {
  // Before MLIR's own patterns for the same ops.
  constexpr unsigned kFirst = 10;
  patterns.add<RootPattern<math::SqrtOp, 24, -12>>(converter,
                                                   "llvm.amdgcn.sqrt", kFirst);
  patterns.add<RootPattern<math::RsqrtOp, 24, 12>>(converter, "llvm.amdgcn.rsq",
                                                   kFirst);
  patterns.add<LogPattern<math::Log2Op>>(converter, 1.0, kFirst);
  patterns.add<LogPattern<math::LogOp>>(converter, 0.69314718055994530942,
                                        kFirst);
  patterns.add<LogPattern<math::Log10Op>>(converter, 0.30102999566398119521,
                                          kFirst);
  patterns.add<DivPattern>(converter, kFirst);
}

} // namespace tlc
