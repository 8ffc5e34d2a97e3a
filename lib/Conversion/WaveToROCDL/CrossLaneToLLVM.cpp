//===- CrossLaneToLLVM.cpp - Matrix core and cross-lane ops ---------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shuffles by the cheapest way gfx9 has:
//
//   mask 1..15    one or two DPP moves, which mostly fold into the user:
//                 quad_perm gives lane ^ 1, 2, 3; row_half_mirror lane ^ 7,
//                 row_ror:8 lane ^ 8 and row_mirror lane ^ 15. Every other mask
//                 is the XOR of two of those.
//   mask 16..31   ds_swizzle (the LDS crossbar, no LDS memory)
//   mask 32..63   ds_bpermute
//
// gfx9 has no row_xmask and no permlane.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "mlir/IR/Matchers.h"
#include "tlc/Dialect/Wave/IR/WaveDialect.h"
#include "tlc/Support/LdsBanks.h"

using namespace mlir;

namespace tlc {
namespace {

//===----------------------------------------------------------------------===//
// Shuffles
//===----------------------------------------------------------------------===//

/// One DPP control that exchanges lanes by an XOR.
struct DppMove {
  int mask;    ///< moves the value of lane ^ mask
  int control; ///< the dpp_ctrl field
};
constexpr DppMove kDppMoves[] = {
    {1, 0xb1},   // quad_perm:[1,0,3,2]
    {2, 0x4e},   // quad_perm:[2,3,0,1]
    {3, 0x1b},   // quad_perm:[3,2,1,0]
    {7, 0x141},  // row_half_mirror
    {8, 0x128},  // row_ror:8
    {15, 0x140}, // row_mirror
};

/// One v_mov_b32_dpp with all rows and banks enabled. Every source lane is
/// within its row, and bound_ctrl is set: the old value is never seen.
Value dppMove(Build &build, Value dword, int control) {
  Type i32 = build.i32Type();
  Value old = LLVM::PoisonOp::create(build.b, build.loc, i32);
  return build.intrinsic("llvm.amdgcn.update.dpp", i32,
                         {old, dword, build.i32(control), build.i32(0xf),
                          build.i32(0xf), build.i1(true)});
}

/// lane ^ mask for a mask below 16.
Value dppXor(Build &build, Value dword, int mask) {
  for (const DppMove &a : kDppMoves)
    if (a.mask == mask)
      return dppMove(build, dword, a.control);
  for (const DppMove &a : kDppMoves)
    for (const DppMove &b : kDppMoves)
      if ((a.mask ^ b.mask) == mask)
        return dppMove(build, dppMove(build, dword, a.control), b.control);
  llvm_unreachable("two DPP moves reach every mask below 16");
}

/// ds_bpermute_b32: each lane reads the dword of any other, through the LDS
/// crossbar without LDS memory.
Value bpermute(Build &build, Value lane, Value dword) {
  // The instruction takes 4 * lane and looks at 6 bits of lane.
  Value address = LLVM::ShlOp::create(build.b, build.loc, lane, build.i32(2));
  return build.intrinsic("llvm.amdgcn.ds.bpermute", build.i32Type(),
                         {address, dword});
}

/// The value of lane ^ mask, by the cheapest of the three ways.
Value xorDword(Build &build, Value dword, int mask) {
  if (mask < 16)
    return dppXor(build, dword, mask);
  if (mask < 32) {
    int pattern = 0x1f | mask << 10; // bit mode: and 0x1f, or 0, xor mask
    return build.intrinsic("llvm.amdgcn.ds.swizzle", build.i32Type(),
                           {dword, build.i32(pattern)});
  }
  // This lane's number, by counting the lanes below it.
  Type i32 = build.i32Type();
  Value lo = build.intrinsic("llvm.amdgcn.mbcnt.lo", i32,
                             {build.i32(-1), build.i32(0)});
  Value lane =
      build.intrinsic("llvm.amdgcn.mbcnt.hi", i32, {build.i32(-1), lo});
  Value other = LLVM::XOrOp::create(build.b, build.loc, lane, build.i32(mask));
  return bpermute(build, other, dword);
}

/// Wider values move dword by dword; narrower ones in a dword.
struct ShuffleXorPattern : ConvertOpToLLVMPattern<wave::ShuffleXorOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(wave::ShuffleXorOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    int64_t mask = op.getMask();
    if (mask == 0) {
      rewriter.replaceOp(op, adaptor.getValue());
      return success();
    }
    Build build{rewriter, op.getLoc()};
    SmallVector<Value> dwords = build.toDwords(adaptor.getValue());
    for (Value &dword : dwords)
      dword = xorDword(build, dword, mask);
    rewriter.replaceOp(op,
                       build.fromDwords(dwords, adaptor.getValue().getType()));
    return success();
  }
};

/// Any lane's value: of a known lane through a scalar register, otherwise
/// through the crossbar.
struct ShufflePattern : ConvertOpToLLVMPattern<wave::ShuffleOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(wave::ShuffleOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Build build{rewriter, op.getLoc()};
    SmallVector<Value> dwords = build.toDwords(adaptor.getValue());
    APInt lane;
    bool known = (matchPattern(op.getLane(), m_ConstantInt(&lane)) &&
                  lane.ult(kWaveSize)) ||
                 op.getLane().getDefiningOp<wave::UniformOp>();
    for (Value &dword : dwords)
      dword =
          known ? build.intrinsic("llvm.amdgcn.readlane", rewriter.getI32Type(),
                                  {dword, adaptor.getLane()})
                : bpermute(build, adaptor.getLane(), dword);
    rewriter.replaceOp(op,
                       build.fromDwords(dwords, adaptor.getValue().getType()));
    return success();
  }
};

/// v_readfirstlane: into a scalar register, of the first active lane. All lanes
/// agree by contract.
struct UniformPattern : ConvertOpToLLVMPattern<wave::UniformOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(wave::UniformOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Build build{rewriter, op.getLoc()};
    SmallVector<Value> dwords = build.toDwords(adaptor.getValue());
    for (Value &dword : dwords)
      dword = build.intrinsic("llvm.amdgcn.readfirstlane",
                              rewriter.getI32Type(), dword);
    rewriter.replaceOp(op,
                       build.fromDwords(dwords, adaptor.getValue().getType()));
    return success();
  }
};

/// The lanes as a 64-bit mask against 0: scalar, so that a branch on it is too.
struct AnyPattern : ConvertOpToLLVMPattern<wave::AnyOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(wave::AnyOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Build build{rewriter, op.getLoc()};
    Value lanes = build.intrinsic("llvm.amdgcn.ballot", rewriter.getI64Type(),
                                  adaptor.getCondition());
    rewriter.replaceOpWithNewOp<LLVM::ICmpOp>(op, LLVM::ICmpPredicate::ne,
                                              lanes, build.i64(0));
    return success();
  }
};

/// Bit l of the result is lane l's condition; lanes that are switched off give
/// 0.
struct BallotPattern : ConvertOpToLLVMPattern<wave::BallotOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(wave::BallotOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Build build{rewriter, op.getLoc()};
    rewriter.replaceOp(op, build.intrinsic("llvm.amdgcn.ballot",
                                           rewriter.getI64Type(),
                                           adaptor.getCondition()));
    return success();
  }
};

/// Keeps LLVM from seeing through a value (reassociating its sum); costs no
/// instruction.
struct OpaquePattern : ConvertOpToLLVMPattern<wave::OpaqueOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(wave::OpaqueOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    // An empty instruction whose result is its operand's register. Those that
    // have a number are different ones.
    std::string text;
    if (auto number = op->getAttrOfType<IntegerAttr>(wave::kNumberAttr))
      text = "; " + std::to_string(number.getInt());
    rewriter.replaceOpWithNewOp<LLVM::InlineAsmOp>(
        op, TypeRange{adaptor.getValue().getType()},
        ValueRange{adaptor.getValue()}, text, /*constraints=*/"=v,0",
        /*has_side_effects=*/false,
        /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
        LLVM::AsmDialectAttr(), ArrayAttr());
    return success();
  }
};

/// v_perm_b32: selector bytes 0 to 3 name bytes of `lo`, 4 to 7 of `hi`.
struct PermPattern : ConvertOpToLLVMPattern<wave::PermOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(wave::PermOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Build build{rewriter, op.getLoc()};
    Value selector = build.i32(static_cast<int32_t>(op.getSelector()));
    rewriter.replaceOp(
        op, build.intrinsic("llvm.amdgcn.perm", rewriter.getI32Type(),
                            {adaptor.getHi(), adaptor.getLo(), selector}));
    return success();
  }
};

/// v_dot2_f32_f16, without clamping.
struct Dot2Pattern : ConvertOpToLLVMPattern<wave::Dot2Op> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(wave::Dot2Op op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Build build{rewriter, op.getLoc()};
    rewriter.replaceOp(op, build.intrinsic("llvm.amdgcn.fdot2",
                                           rewriter.getF32Type(),
                                           {adaptor.getA(), adaptor.getB(),
                                            adaptor.getC(), build.i1(false)}));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Matrix core
//===----------------------------------------------------------------------===//

/// How an intrinsic spells the operands A and B: as they are, bf16 as shorts
/// (the `.1k` forms), eight bytes as one i64.
enum class Operand { Same, I16, I64 };

/// One matrix instruction: what names it here, and LLVM's name for it.
struct MfmaName {
  StringLiteral types; ///< of A and B
  int64_t m, n, k;
  StringLiteral name;
  Operand operand;
};
constexpr MfmaName kMfmas[] = {
    {"f16", 32, 32, 8, "f32.32x32x8f16", Operand::Same},
    {"f16", 16, 16, 16, "f32.16x16x16f16", Operand::Same},
    {"bf16", 32, 32, 8, "f32.32x32x8bf16.1k", Operand::I16},
    {"bf16", 16, 16, 16, "f32.16x16x16bf16.1k", Operand::I16},
    {"f32", 32, 32, 2, "f32.32x32x2f32", Operand::Same},
    {"f32", 16, 16, 4, "f32.16x16x4f32", Operand::Same},
    {"f64", 16, 16, 4, "f64.16x16x4f64", Operand::Same},
    {"i8", 32, 32, 16, "i32.32x32x16.i8", Operand::I64},
    {"i8", 16, 16, 32, "i32.16x16x32.i8", Operand::I64},
    {"f8.f8", 32, 32, 16, "f32.32x32x16.fp8.fp8", Operand::I64},
    {"f8.f8", 16, 16, 32, "f32.16x16x32.fp8.fp8", Operand::I64},
    {"f8.b8", 32, 32, 16, "f32.32x32x16.fp8.bf8", Operand::I64},
    {"f8.b8", 16, 16, 32, "f32.16x16x32.fp8.bf8", Operand::I64},
    {"b8.f8", 32, 32, 16, "f32.32x32x16.bf8.fp8", Operand::I64},
    {"b8.f8", 16, 16, 32, "f32.16x16x32.bf8.fp8", Operand::I64},
    {"b8.b8", 32, 32, 16, "f32.32x32x16.bf8.bf8", Operand::I64},
    {"b8.b8", 16, 16, 32, "f32.16x16x32.bf8.bf8", Operand::I64},
};

/// The key of the table for a pair of operand types; empty for none.
std::string typeKey(Type a, Type b) {
  auto f8 = [](Type t) -> StringRef {
    if (isa<Float8E4M3FNUZType>(t))
      return "f8";
    return isa<Float8E5M2FNUZType>(t) ? "b8" : "";
  };
  if (!f8(a).empty())
    return (f8(a) + "." + f8(b)).str();
  if (a != b)
    return "";
  std::string key;
  llvm::raw_string_ostream(key) << a;
  return key;
}

/// One matrix intrinsic, found in the table by shape and operand types. Which
/// registers it gets, VGPRs or AGPRs, code generation decides.
struct MfmaPattern : ConvertOpToLLVMPattern<wave::MfmaOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(wave::MfmaOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Build build{rewriter, op.getLoc()};
    std::string key = typeKey(getElementTypeOrSelf(op.getA().getType()),
                              getElementTypeOrSelf(op.getB().getType()));
    ArrayRef<int64_t> s = op.getShape();
    const auto *entry = llvm::find_if(kMfmas, [&](const MfmaName &e) {
      return e.types == key && e.m == s[0] && e.n == s[1] && e.k == s[2];
    });
    if (entry == std::end(kMfmas))
      return op.emitOpError("has no instruction on gfx942");

    // Bit casts only: the registers are the same.
    auto operand = [&](Value v) {
      Type type = v.getType();
      if (entry->operand == Operand::I64)
        type = rewriter.getI64Type();
      else if (entry->operand == Operand::I16)
        type = VectorType::get(getBits(type) / 16, rewriter.getI16Type());
      else if (auto vector = dyn_cast<VectorType>(type);
               vector && vector.getNumElements() == 1)
        type = vector.getElementType();
      return build.bitcast(v, type);
    };
    // cbsz, abid and blgp: no broadcast of blocks, no permutation of B.
    Value zero = build.i32(0);
    Value d = build.intrinsic(("llvm.amdgcn.mfma." + entry->name).str(),
                              adaptor.getC().getType(),
                              {operand(adaptor.getA()), operand(adaptor.getB()),
                               adaptor.getC(), zero, zero, zero});
    rewriter.replaceOp(op, d);
    return success();
  }
};

} // namespace

void populateCrossLanePatterns(LLVMTypeConverter &converter,
                               RewritePatternSet &patterns) {
  patterns
      .add<ShuffleXorPattern, ShufflePattern, UniformPattern, AnyPattern,
           BallotPattern, OpaquePattern, PermPattern, Dot2Pattern, MfmaPattern>(
          converter);
}

} // namespace tlc
