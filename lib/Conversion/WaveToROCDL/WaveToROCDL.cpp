//===- WaveToROCDL.cpp - From the wave dialect to LLVM's ------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `convert-wave-to-rocdl`.
//
//   1. Structured control flow becomes branches.
//   2. One conversion takes wave, arith, math, vector and cf to the LLVM
//      dialect: upstream patterns for what they know, the patterns of this
//      folder (higher benefit) for wave ops, narrow floats and the math
//      functions that have an instruction.
//   3. Floating-point ops get the flag `contract` (multiply and add may fuse);
//      no other, and none where `wave.exact` stands: infinities, NaN and
//      signed zeros mean what IEEE 754 says.
//
//   wave.kernel @k(%p: !wave.ptr) attributes {threads = 64 : i64, ...} {
//     %t = wave.thread_id
//     %v = wave.global_load %p[%t : i32] : f32
//   =>
//   llvm.func amdgpu_kernelcc @k(%p: !llvm.ptr<1>) attributes {...} {
//     %t = llvm.call_intrinsic "llvm.amdgcn.workitem.id.x"() : () -> i32
//     %a = llvm.getelementptr %p[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
//     %v = llvm.load %a : !llvm.ptr<1> -> f32
//
//===----------------------------------------------------------------------===//

#include "tlc/Conversion/WaveToROCDL.h"
#include "Patterns.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/DialectConversion.h"
#include "tlc/Dialect/Wave/IR/WaveDialect.h"

using namespace mlir;

namespace tlc {
#define GEN_PASS_DEF_CONVERTWAVETOROCDL
#include "tlc/Conversion/Passes.h.inc"

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

Value Build::intrinsic(StringRef name, Type result, ValueRange args) {
  return LLVM::CallIntrinsicOp::create(b, loc, result, b.getStringAttr(name),
                                       args)
      .getResult(0);
}
void Build::intrinsic(StringRef name, ValueRange args) {
  LLVM::CallIntrinsicOp::create(b, loc, b.getStringAttr(name), args);
}
static Value constant(Build &build, Type type, int64_t value) {
  return LLVM::ConstantOp::create(build.b, build.loc, type,
                                  build.b.getIntegerAttr(type, value));
}
Value Build::i1(bool v) { return constant(*this, b.getI1Type(), v); }
Value Build::i16(int64_t v) { return constant(*this, b.getI16Type(), v); }
Value Build::i32(int64_t v) { return constant(*this, b.getI32Type(), v); }
Value Build::i64(int64_t v) { return constant(*this, b.getI64Type(), v); }
Value Build::f32(float v) {
  return LLVM::ConstantOp::create(b, loc, b.getF32Type(), b.getF32FloatAttr(v));
}
Value Build::bitcast(Value value, Type type) {
  if (value.getType() == type)
    return value;
  return LLVM::BitcastOp::create(b, loc, type, value);
}

unsigned getBits(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getNumElements() * vector.getElementTypeBitWidth();
  return type.getIntOrFloatBitWidth();
}

SmallVector<Value> Build::toDwords(Value value) {
  unsigned bits = getBits(value.getType());
  unsigned count = llvm::divideCeil(bits, 32);
  Value whole = bitcast(value, b.getIntegerType(bits));
  if (bits % 32)
    whole = LLVM::ZExtOp::create(b, loc, b.getIntegerType(count * 32), whole);
  if (count == 1)
    return {whole};
  Value vector = bitcast(whole, VectorType::get(count, b.getI32Type()));
  SmallVector<Value> dwords;
  for (unsigned i = 0; i != count; ++i)
    dwords.push_back(LLVM::ExtractElementOp::create(b, loc, vector, i32(i)));
  return dwords;
}

Value Build::fromDwords(ArrayRef<Value> dwords, Type type) {
  Value whole = dwords[0];
  if (dwords.size() > 1) {
    Type vectorType = VectorType::get(dwords.size(), b.getI32Type());
    whole = LLVM::PoisonOp::create(b, loc, vectorType);
    for (auto [i, dword] : llvm::enumerate(dwords))
      whole = LLVM::InsertElementOp::create(b, loc, whole, dword, i32(i));
  }
  unsigned bits = getBits(type);
  if (bits % 32) {
    whole = bitcast(whole, b.getIntegerType(dwords.size() * 32));
    whole = LLVM::TruncOp::create(b, loc, b.getIntegerType(bits), whole);
  }
  return bitcast(whole, type);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct ConvertWaveToROCDL : impl::ConvertWaveToROCDLBase<ConvertWaveToROCDL> {
  void runOnOperation() override;
};
} // namespace

namespace {
/// A loop that runs at least once, tested at its end. Tested at its beginning,
/// as other loops are until LLVM rotates them (which it does not do for bodies
/// with branches of their own), the accumulators would be copied each time.
struct LowerNonEmptyFor : OpRewritePattern<scf::ForOp> {
  LowerNonEmptyFor(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/10) {}
  LogicalResult matchAndRewrite(scf::ForOp loop,
                                PatternRewriter &rewriter) const override {
    if (!loop->hasAttr(wave::kNonEmptyAttr))
      return failure();
    Location loc = loop.getLoc();
    Block *head = rewriter.getInsertionBlock();
    Block *end = rewriter.splitBlock(head, rewriter.getInsertionPoint());
    Block *first = &loop.getRegion().front(), *last = &loop.getRegion().back();
    rewriter.inlineRegionBefore(loop.getRegion(), end);
    Operation *yield = last->getTerminator();
    rewriter.setInsertionPointToEnd(last);
    Value next = arith::AddIOp::create(rewriter, loc, first->getArgument(0),
                                       loop.getStep());
    Value more = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt,
                                       next, loop.getUpperBound());
    SmallVector<Value> results(yield->getOperands()), again = {next};
    llvm::append_range(again, results);
    for (Value v : results)
      end->addArgument(v.getType(), loc);
    cf::CondBranchOp::create(rewriter, loc, more, first, again, end, results);
    rewriter.eraseOp(yield);
    rewriter.setInsertionPointToEnd(head);
    SmallVector<Value> start = {loop.getLowerBound()};
    llvm::append_range(start, loop.getInits());
    cf::BranchOp::create(rewriter, loc, first, start);
    rewriter.replaceOp(loop, end->getArguments());
    return success();
  }
};
} // namespace

static LogicalResult lowerControlFlow(ModuleOp module) {
  MLIRContext *context = module.getContext();
  RewritePatternSet patterns(context);
  patterns.add<LowerNonEmptyFor>(context);
  populateSCFToControlFlowConversionPatterns(patterns);
  ConversionTarget target(*context);
  target.addIllegalDialect<scf::SCFDialect>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  return applyPartialConversion(module, target, std::move(patterns));
}

static void populateUpstreamPatterns(LLVMTypeConverter &converter,
                                     RewritePatternSet &patterns) {
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  populateMathToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
  vector::populateVectorBroadcastLoweringPatterns(patterns);
  vector::populateVectorShapeCastLoweringPatterns(patterns);
  vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns,
                                         /*reassociateFPReductions=*/false,
                                         /*force32BitVectorIndices=*/true);
}

/// A product and a sum may be fused: more exact, and what the hardware has.
static void allowContraction(ModuleOp module) {
  module.walk([](LLVM::FastmathFlagsInterface op) {
    if (isa<LLVM::CallIntrinsicOp>(op) || op->removeAttr(wave::kExactAttr))
      return;
    LLVM::FastmathFlags flags = op.getFastmathAttr()
                                    ? op.getFastmathAttr().getValue()
                                    : LLVM::FastmathFlags::none;
    op->setAttr(op.getFastmathAttrName(),
                LLVM::FastmathFlagsAttr::get(
                    op.getContext(), flags | LLVM::FastmathFlags::contract));
  });
}

/// Says what cannot be converted in words, where the conversion would only say
/// that it failed.
static LogicalResult checkInput(ModuleOp module) {
  WalkResult result = module.walk<WalkOrder::PreOrder>([](Operation *op) {
    if (op->getName().getDialectNamespace() == "tile") {
      op->emitOpError("is not of the wave dialect: run convert-tile-to-wave "
                      "first");
      return WalkResult::interrupt();
    }
    auto kernel = dyn_cast<wave::KernelOp>(op);
    if (!kernel || kernel.getLdsBytes() <= kMaxLdsBytes)
      return WalkResult::advance();
    kernel.emitOpError("needs ")
        << kernel.getLdsBytes() << " bytes of LDS; gfx942 has " << kMaxLdsBytes;
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

void ConvertWaveToROCDL::runOnOperation() {
  ModuleOp module = getOperation();
  if (failed(checkInput(module)))
    return signalPassFailure();
  // Helpers are inlined before there are functions: debug lines are the
  // helper's own.
  module.walk([](Operation *op) {
    Location loc = op->getLoc();
    while (auto call = dyn_cast<CallSiteLoc>(loc))
      loc = call.getCallee();
    op->setLoc(loc);
  });
  if (failed(lowerControlFlow(module)))
    return signalPassFailure();

  LowerToLLVMOptions options(&getContext());
  options.useBarePtrCallConv = true;
  LLVMTypeConverter converter(&getContext(), options);
  converter.addConversion([](wave::PtrType type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext(), kGlobal);
  });
  converter.addConversion([](wave::RsrcType type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext(), kBufferRsrc);
  });

  RewritePatternSet patterns(&getContext());
  populateUpstreamPatterns(converter, patterns);
  populateKernelPatterns(converter, patterns);
  populateMemoryPatterns(converter, patterns);
  populateCrossLanePatterns(converter, patterns);
  populateFloatPatterns(converter, patterns);
  populateRangedPatterns(converter, patterns);

  ConversionTarget target(getContext());
  target.addLegalOp<ModuleOp>();
  target.addLegalDialect<LLVM::LLVMDialect>();
  if (failed(applyFullConversion(module, target, std::move(patterns))))
    return signalPassFailure();
  allowContraction(module);
}

void registerWaveToROCDLPasses() {
  registerPass([] { return createExpandWaveMath(); });
  registerPass([] { return createConvertWaveToROCDL(); });
}

} // namespace tlc
