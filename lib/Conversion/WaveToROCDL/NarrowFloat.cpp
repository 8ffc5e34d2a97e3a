//===- NarrowFloat.cpp - bf16 and fp8 arithmetic and casts ----------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// gfx942 computes on f16, f32 and f64 only, and converts only between those and
// the FNUZ fp8 types. The rest is done here:
//
//   f32 -> bf16   integer rounding to nearest even: x + 0x7fff + (x >> 16 & 1),
//                 upper half; a NaN becomes 0x7fff (skipped under `nnan`).
//                 Pairs are packed by one v_perm_b32.
//   OCP fp8       f8E4M3FN and f8E5M2 both ways in integer code, exact:
//                 to fp8, normal results are rounded like bf16; denormal ones
//                 by adding a power of two whose ulp is the smallest denormal.
//                 What is too large becomes the largest number, as every
//                 conversion to fp8 does; NaN stays NaN.
//                 From fp8: the bits in f32's places times a power of two.
//   other widths  f16, bf16, f64 <-> fp8 through f32.
//
//===----------------------------------------------------------------------===//

#include "ExpandMath.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "tlc/Dialect/Wave/IR/WaveDialect.h"

using namespace mlir;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

namespace tlc {
namespace {

bool isF8(Type type) {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8;
}
bool isNarrow(Type type) {
  type = getElementTypeOrSelf(type);
  return type.isBF16() || isF8(type);
}

//===----------------------------------------------------------------------===//
// Arithmetic through f32
//===----------------------------------------------------------------------===//

/// Ops that only move bits or signs, or that convert: no arithmetic on values.
bool isArithmetic(Operation *op) {
  if (isa<arith::ExtFOp, arith::TruncFOp, arith::SelectOp, arith::BitcastOp,
          arith::ConstantOp>(op))
    return false;
  StringRef dialect = op->getName().getDialectNamespace();
  return dialect == arith::ArithDialect::getDialectNamespace() ||
         dialect == math::MathDialect::getDialectNamespace();
}

/// op(narrow) = round(op(f32)), operand by operand; results and operands may be
/// narrow each for itself (compares give i1).
struct NarrowArithmetic : RewritePattern {
  explicit NarrowArithmetic(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 4, context) {}
  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (op->getNumResults() != 1 || !isArithmetic(op))
      return failure();
    Type resultType = op->getResult(0).getType();
    if (!isNarrow(resultType) && llvm::none_of(op->getOperandTypes(), isNarrow))
      return failure();
    Emit emit{rewriter, op->getLoc()};
    Type f32 = rewriter.getF32Type();
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(isNarrow(operand.getType()) ? emit.cast(operand, f32)
                                                     : operand);
    Type wideType =
        isNarrow(resultType) ? Emit::shaped(resultType, f32) : resultType;
    OperationState state(op->getLoc(), op->getName().getIdentifier(), operands,
                         wideType, op->getAttrs());
    Value wide = rewriter.create(state)->getResult(0);
    if (isNarrow(resultType))
      wide = emit.cast(wide, getElementTypeOrSelf(resultType));
    rewriter.replaceOp(op, wide);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// f32 to bf16
//===----------------------------------------------------------------------===//

/// f32 bits, rounded so that the upper half is the bf16: to nearest even, or as
/// the program says.
Value roundToBF16Bits(Emit &e, Value x, bool noNaN,
                      std::optional<arith::RoundingMode> mode) {
  Type i32 = Emit::shaped(x.getType(), e.b.getI32Type());
  Value bits = e.bitcast(x, e.b.getI32Type());
  Value rounded = bits;
  if (mode == arith::RoundingMode::to_nearest_away) {
    rounded = e.iadd(bits, e.intConst(0x8000, i32));
  } else if (mode != arith::RoundingMode::toward_zero) {
    Value odd = e.iand(e.shr(bits, e.intConst(16, i32)), e.intConst(1, i32));
    rounded = e.iadd(e.iadd(bits, odd), e.intConst(0x7fff, i32));
  }
  if (noNaN)
    return rounded;
  Value isNaN = e.cmpf(CmpFPredicate::UNO, x, x);
  return e.select(isNaN, e.intConst(0x7fff0000, i32), rounded);
}

/// Vectors of even length pack pairs; scalars shift.
struct TruncToBF16 : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!getElementTypeOrSelf(type).isBF16() ||
        !getElementTypeOrSelf(op.getIn().getType()).isF32())
      return failure();
    Emit e{rewriter, op.getLoc()};
    bool noNaN = arith::bitEnumContainsAll(
        op.getFastmath().value_or(arith::FastMathFlags::none),
        arith::FastMathFlags::nnan);
    Value bits = roundToBF16Bits(e, op.getIn(), noNaN, op.getRoundingmode());
    auto vector = dyn_cast<VectorType>(type);
    if (vector && vector.getRank() == 1 && vector.getNumElements() % 2 == 0) {
      rewriter.replaceOp(op, packPairs(e, bits, vector));
      return success();
    }
    Type i32 = bits.getType(), i16 = rewriter.getI16Type();
    Value high = e.shr(bits, e.intConst(16, i32));
    Value narrow = arith::TruncIOp::create(rewriter, op.getLoc(),
                                           Emit::shaped(type, i16), high);
    rewriter.replaceOp(op, e.bitcast(narrow, rewriter.getBF16Type()));
    return success();
  }

  /// The upper halves of each two elements in one register.
  static Value packPairs(Emit &e, Value bits, VectorType type) {
    // Bytes 2 and 3 of `lo`, then 2 and 3 of `hi` (6, 7).
    constexpr int64_t kUpperHalves = 0x07060302;
    SmallVector<Value> pairs;
    for (int64_t i = 0; i != type.getNumElements(); i += 2) {
      Value lo = vector::ExtractOp::create(e.b, e.loc, bits, i);
      Value hi = vector::ExtractOp::create(e.b, e.loc, bits, i + 1);
      pairs.push_back(wave::PermOp::create(e.b, e.loc, e.b.getI32Type(), hi, lo,
                                           kUpperHalves));
    }
    auto packed = VectorType::get(pairs.size(), e.b.getI32Type());
    Value v = vector::FromElementsOp::create(e.b, e.loc, packed, pairs);
    return vector::BitCastOp::create(e.b, e.loc, type, v);
  }
};

//===----------------------------------------------------------------------===//
// fp8
//===----------------------------------------------------------------------===//

bool isNarrow16(Type type) { return type.isF16() || type.isBF16(); }

/// fp8 from or to another type than f32: through f32.
template <typename Op> struct F8ThroughF32 : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Type from = getElementTypeOrSelf(op.getIn().getType());
    Type to = getElementTypeOrSelf(op.getType());
    if (!(isF8(from) || isF8(to)) || from.isF32() || to.isF32())
      return failure();
    // truncf(extf) of f16 folds back to one truncf: what converts to fp8 widens
    // by itself.
    if (std::is_same_v<Op, arith::TruncFOp> && isNarrow16(from))
      return failure();
    Emit e{rewriter, op.getLoc()};
    Value wide = e.cast(op.getIn(), rewriter.getF32Type());
    rewriter.replaceOp(op, e.cast(wide, to));
    return success();
  }
};

/// An OCP format in software. e4m3 has no infinity: what is larger than 448
/// would be NaN; e5m2 has one.
struct OcpFormat {
  int mantissa, bias;
  int64_t maxFinite; ///< code of the largest number
  int64_t overflow;  ///< code of what is larger
  int64_t nan;
};
std::optional<OcpFormat> getOcpFormat(Type type) {
  if (isa<Float8E4M3FNType>(type))
    return OcpFormat{3, 7, 0x7e, 0x7f, 0x7f};
  if (isa<Float8E5M2Type>(type))
    return OcpFormat{2, 15, 0x7b, 0x7c, 0x7e};
  return std::nullopt;
}

struct TruncToOcp : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<OcpFormat> f =
        getOcpFormat(getElementTypeOrSelf(op.getType()));
    Type from = getElementTypeOrSelf(op.getIn().getType());
    if (!f || !(from.isF32() || isNarrow16(from)))
      return failure();
    Emit e{rewriter, op.getLoc()};
    Value in =
        from.isF32() ? op.getIn() : e.cast(op.getIn(), rewriter.getF32Type());
    Value bits = e.bitcast(in, rewriter.getI32Type());
    Type i32 = bits.getType();
    auto c = [&](int64_t v) { return e.intConst(v, i32); };
    Value sign = e.iand(e.shr(bits, c(24)), c(0x80));
    Value magnitude = e.iand(bits, c(0x7fffffff));

    int drop = 23 - f->mantissa;
    Value odd = e.iand(e.shr(magnitude, c(drop)), c(1));
    Value rounded = e.iadd(e.iadd(magnitude, odd), c((1 << (drop - 1)) - 1));
    Value normal = e.isub(e.shr(rounded, c(drop)),
                          c(int64_t(127 - f->bias) << f->mantissa));

    // 2^(24 - mantissa - bias) has the smallest denormal as its ulp.
    int64_t magic = int64_t(127 + 24 - f->mantissa - f->bias) << 23;
    Value shifted = e.add(e.bitcast(magnitude, rewriter.getF32Type()),
                          e.bitcast(c(magic), rewriter.getF32Type()));
    Value denormal =
        e.isub(e.bitcast(shifted, rewriter.getI32Type()), c(magic));
    Value isDenormal = e.cmpi(CmpIPredicate::ult, magnitude,
                              c(int64_t(127 + 1 - f->bias) << 23));
    Value code = e.select(isDenormal, denormal, normal);
    Value tooLarge = e.cmpi(CmpIPredicate::ugt, code, c(f->maxFinite));
    code = e.select(tooLarge, c(f->maxFinite), code);
    Value isNaN = e.cmpi(CmpIPredicate::ugt, magnitude, c(0x7f800000));
    code = e.ior(e.select(isNaN, c(f->nan), code), sign);
    Type i8 = Emit::shaped(i32, rewriter.getI8Type());
    Value byte = arith::TruncIOp::create(rewriter, op.getLoc(), i8, code);
    rewriter.replaceOp(op, e.bitcast(byte, getElementTypeOrSelf(op.getType())));
    return success();
  }
};

/// Exponent and mantissa are moved to f32's places, where the exponent is too
/// small by the difference of the biases; one product by a power of two puts
/// that right, denormals included.
struct ExtFromOcp : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<OcpFormat> f =
        getOcpFormat(getElementTypeOrSelf(op.getIn().getType()));
    if (!f || !getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    Emit e{rewriter, op.getLoc()};
    Type i32 = Emit::shaped(op.getType(), rewriter.getI32Type());
    auto c = [&](int64_t v) { return e.intConst(v, i32); };
    Value byte = e.bitcast(op.getIn(), rewriter.getI8Type());
    Value code = arith::ExtUIOp::create(rewriter, op.getLoc(), i32, byte);
    Value magnitude = e.iand(code, c(0x7f));
    // Denormals become f32 denormals here, and the product makes them normal.
    Value scale =
        e.bitcast(c(int64_t(127 + 127 - f->bias) << 23), rewriter.getF32Type());
    Value value = e.mul(
        e.bitcast(e.shl(magnitude, c(23 - f->mantissa)), rewriter.getF32Type()),
        scale);
    Value bits = e.bitcast(value, rewriter.getI32Type());
    if (f->overflow != f->nan) {
      Value isInf = e.cmpi(CmpIPredicate::eq, magnitude, c(f->overflow));
      bits = e.select(isInf, c(0x7f800000), bits);
    }
    Value isNaN = e.cmpi(CmpIPredicate::ugt, magnitude,
                         c(f->overflow == f->nan ? f->maxFinite : f->overflow));
    bits = e.select(isNaN, c(0x7fc00000), bits);
    Value sign = e.shl(e.iand(code, c(0x80)), c(24));
    rewriter.replaceOp(op, e.bitcast(e.ior(bits, sign), rewriter.getF32Type()));
    return success();
  }
};

} // namespace

void populateNarrowFloatPatterns(RewritePatternSet &patterns) {
  patterns.add<NarrowArithmetic, TruncToBF16, F8ThroughF32<arith::ExtFOp>,
               F8ThroughF32<arith::TruncFOp>, TruncToOcp, ExtFromOcp>(
      patterns.getContext());
}

} // namespace tlc
