//===- FloatToLLVM.cpp - Functions and casts that are instructions --------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// exp2 of f32 (RangedFunctions.cpp: roots, logarithms, quotients), and casts
// between f32 and the fp8 types the hardware has (FNUZ: no infinity, no
// negative zero, one NaN), or between those and integers, and from floats to
// integers of other widths than 32. Vectors are taken apart, fp8 casts two
// elements at a time.
//
// exp2 is the bare v_exp_f32: within 1 ulp, results below 2^-126 become 0. In a
// softmax those terms are beneath the rounding of the sum.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tlc {
namespace {

/// v_exp_f32, without the scaling that code generation would add to keep
/// denormal results.
struct Exp2Pattern : ConvertOpToLLVMPattern<math::Exp2Op> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(math::Exp2Op op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    // Other types are left to other patterns.
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    Build build{rewriter, op.getLoc()};
    rewriter.replaceOp(
        op,
        forEachElement(build, adaptor.getOperand(), op.getType(), [&](Value x) {
          return build.intrinsic("llvm.amdgcn.exp2", x.getType(), x);
        }));
    return success();
  }
};

/// f32 to f16 towards zero: v_cvt_pkrtz_f16_f32, two elements at once.
struct TruncToF16TowardZero : ConvertOpToLLVMPattern<arith::TruncFOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(arith::TruncFOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF16() ||
        !getElementTypeOrSelf(op.getIn().getType()).isF32() ||
        op.getRoundingmode() != arith::RoundingMode::toward_zero)
      return failure();
    Build build{rewriter, op.getLoc()};
    Value in = adaptor.getIn();
    auto vector = dyn_cast<VectorType>(in.getType());
    int64_t count = vector ? vector.getNumElements() : 1;
    Type pair = VectorType::get(2, rewriter.getF16Type());
    // An odd last element is converted twice.
    auto element = [&](int64_t i) -> Value {
      return vector ? LLVM::ExtractElementOp::create(
                          rewriter, op.getLoc(), in,
                          build.i32(std::min(i, count - 1)))
                          .getResult()
                    : in;
    };
    SmallVector<Value> pairs;
    for (int64_t i = 0; i < count; i += 2)
      pairs.push_back(build.intrinsic("llvm.amdgcn.cvt.pkrtz", pair,
                                      {element(i), element(i + 1)}));
    auto half = [&](int64_t i) -> Value {
      return LLVM::ExtractElementOp::create(rewriter, op.getLoc(), pairs[i / 2],
                                            build.i32(i % 2));
    };
    if (!vector) {
      rewriter.replaceOp(op, half(0));
      return success();
    }
    Value result = LLVM::PoisonOp::create(
        rewriter, op.getLoc(), getTypeConverter()->convertType(op.getType()));
    for (int64_t i = 0; i < count; ++i)
      result = LLVM::InsertElementOp::create(rewriter, op.getLoc(), result,
                                             half(i), build.i32(i));
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// "fp8" or "bf8", as the instructions call the FNUZ types; empty otherwise.
StringRef hardwareName(Type type) {
  type = getElementTypeOrSelf(type);
  if (isa<Float8E4M3FNUZType>(type))
    return "fp8";
  return isa<Float8E5M2FNUZType>(type) ? "bf8" : "";
}

/// v_cvt_pk_fp8_f32 and v_cvt_pk_bf8_f32 put two elements into half of a dword;
/// the fourth operand says which half. 240 and 57344 are the largest numbers of
/// the FNUZ formats.
struct TruncToF8Pattern : ConvertOpToLLVMPattern<arith::TruncFOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(arith::TruncFOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    StringRef name = hardwareName(op.getType());
    Type from = getElementTypeOrSelf(op.getIn().getType());
    if (name.empty() || !(from.isF32() || from.isF16() || from.isBF16()))
      return failure();
    Build build{rewriter, op.getLoc()};
    Value in = adaptor.getIn();
    // f16 and bf16 are exact in f32, so the only rounding is to 8 bits.
    if (!from.isF32()) {
      Type wide = rewriter.getF32Type();
      if (auto shape = dyn_cast<VectorType>(in.getType()))
        wide = shape.clone(wide);
      in = LLVM::FPExtOp::create(rewriter, op.getLoc(), wide, in);
    }
    auto vector = dyn_cast<VectorType>(in.getType());
    int64_t count = vector ? vector.getNumElements() : 1;
    // What is too large becomes the largest number; the instruction would make
    // it NaN. The median of a NaN and the limits is a limit: NaN passes by.
    Type f32 = rewriter.getF32Type();
    double largest = name == "fp8" ? 240.0 : 57344.0;
    auto limit = [&](double v) -> Value {
      return LLVM::ConstantOp::create(rewriter, op.getLoc(), f32,
                                      rewriter.getF32FloatAttr(v));
    };
    auto element = [&](int64_t i) -> Value {
      // An odd last element is converted twice.
      Value v = vector ? LLVM::ExtractElementOp::create(
                             rewriter, op.getLoc(), in,
                             build.i32(std::min(i, count - 1)))
                             .getResult()
                       : in;
      Value clamped = build.intrinsic("llvm.amdgcn.fmed3", f32,
                                      {v, limit(largest), limit(-largest)});
      Value isNaN = LLVM::FCmpOp::create(rewriter, op.getLoc(),
                                         LLVM::FCmpPredicate::uno, v, v);
      return LLVM::SelectOp::create(rewriter, op.getLoc(), isNaN, v, clamped);
    };
    std::string intrinsic = ("llvm.amdgcn.cvt.pk." + name + ".f32").str();
    SmallVector<Value> dwords;
    // Two elements to the lower half of a dword, the next two to the upper.
    for (int64_t i = 0; i < count; i += 2) {
      if (i % 4 == 0)
        dwords.push_back(build.i32(0));
      dwords.back() = build.intrinsic(
          intrinsic, rewriter.getI32Type(),
          {element(i), element(i + 1), dwords.back(), build.i1(i % 4 == 2)});
    }
    rewriter.replaceOp(
        op, build.fromDwords(dwords,
                             getTypeConverter()->convertType(op.getType())));
    return success();
  }
};

/// Integers go to fp8 through f32: an integer that f32 rounds is too large for
/// fp8 anyway. Canonicalization makes one op of the two steps, this undoes it.
template <typename Op> struct IntToF8Pattern : ConvertOpToLLVMPattern<Op> {
  using ConvertOpToLLVMPattern<Op>::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (hardwareName(op.getType()).empty())
      return failure();
    Type wide = rewriter.getF32Type();
    if (auto shape = dyn_cast<VectorType>(op.getType()))
      wide = shape.clone(wide);
    Value exact = Op::create(rewriter, op.getLoc(), wide, op.getIn());
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), exact);
    return success();
  }
};

/// Floats to integers saturate and take NaN for 0, as v_cvt_i32_f32 does. It is
/// LLVM's instruction for 32 bits; fewer are clamped, more are asked for.
template <typename Op, typename Cast, typename Least, typename Most>
struct FloatToIntPattern : ConvertOpToLLVMPattern<Op> {
  using ConvertOpToLLVMPattern<Op>::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    unsigned bits = getElementTypeOrSelf(op.getType()).getIntOrFloatBitWidth();
    constexpr bool isSigned = std::is_same_v<Op, arith::FPToSIOp>;
    Type from = getElementTypeOrSelf(op.getIn().getType());
    if (bits == 32 || bits == 1 || from.getIntOrFloatBitWidth() < 16)
      return failure();
    Build build{rewriter, op.getLoc()};
    Location loc = op.getLoc();
    Type to = rewriter.getIntegerType(bits), i32 = build.i32Type();
    auto convert = [&](Value x) -> Value {
      if (bits > 32)
        return build.intrinsic(isSigned ? "llvm.fptosi.sat" : "llvm.fptoui.sat",
                               to, x);
      int64_t most = (int64_t(1) << (isSigned ? bits - 1 : bits)) - 1;
      Value v = Cast::create(rewriter, loc, i32, x);
      v = Most::create(rewriter, loc, v, build.i32(most));
      if (isSigned)
        v = Least::create(rewriter, loc, v, build.i32(-most - 1));
      return LLVM::TruncOp::create(rewriter, loc, to, v);
    };
    rewriter.replaceOp(
        op, forEachElement(build, adaptor.getIn(), op.getType(), convert));
    return success();
  }
};
using FloatToSIntPattern = FloatToIntPattern<arith::FPToSIOp, LLVM::FPToSIOp,
                                             LLVM::SMaxOp, LLVM::SMinOp>;
using FloatToUIntPattern = FloatToIntPattern<arith::FPToUIOp, LLVM::FPToUIOp,
                                             LLVM::UMaxOp, LLVM::UMinOp>;

/// v_cvt_pk_f32_fp8 takes two bytes of a dword; a scalar is byte 0.
struct ExtFromF8Pattern : ConvertOpToLLVMPattern<arith::ExtFOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(arith::ExtFOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    StringRef name = hardwareName(op.getIn().getType());
    if (name.empty() || !getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    Build build{rewriter, op.getLoc()};
    SmallVector<Value> dwords = build.toDwords(adaptor.getIn());
    Type f32 = rewriter.getF32Type();
    std::string one = ("llvm.amdgcn.cvt.f32." + name).str();
    auto vector = dyn_cast<VectorType>(op.getType());
    if (!vector) {
      rewriter.replaceOp(op,
                         build.intrinsic(one, f32, {dwords[0], build.i32(0)}));
      return success();
    }
    std::string two = ("llvm.amdgcn.cvt.pk.f32." + name).str();
    int64_t count = vector.getNumElements();
    Value result = LLVM::PoisonOp::create(rewriter, op.getLoc(), vector);
    for (int64_t i = 0; i < count; i += 2) {
      Value pair = build.intrinsic(two, VectorType::get(2, f32),
                                   {dwords[i / 4], build.i1(i % 4 == 2)});
      for (int64_t j = i; j < std::min(i + 2, count); ++j) {
        Value x = LLVM::ExtractElementOp::create(rewriter, op.getLoc(), pair,
                                                 build.i32(j - i));
        result = LLVM::InsertElementOp::create(rewriter, op.getLoc(), result, x,
                                               build.i32(j));
      }
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void populateFloatPatterns(LLVMTypeConverter &converter,
                           RewritePatternSet &patterns) {
  // Before MLIR's own patterns for the same ops.
  patterns.add<Exp2Pattern, TruncToF8Pattern, ExtFromF8Pattern,
               TruncToF16TowardZero, IntToF8Pattern<arith::SIToFPOp>,
               IntToF8Pattern<arith::UIToFPOp>, FloatToSIntPattern,
               FloatToUIntPattern>(converter, /*benefit=*/10);
}

} // namespace tlc
