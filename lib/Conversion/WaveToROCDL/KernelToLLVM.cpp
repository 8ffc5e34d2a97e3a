//===- KernelToLLVM.cpp - Kernels, identities, order ----------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// wave.kernel to llvm.func with the attributes AMDGPU code generation reads;
// who-am-I ops; barriers and scheduling ops.
//
// A barrier is a release fence, s_barrier and an acquire fence, both fences for
// LDS only (memory model relaxation annotation "local"): code generation then
// waits for LDS counters, and loads from global memory stay in flight. With the
// attribute `wave.global` it orders global memory as well.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "tlc/Dialect/Wave/IR/WaveDialect.h"

using namespace mlir;

namespace tlc {
namespace {

//===----------------------------------------------------------------------===//
// Kernel
//===----------------------------------------------------------------------===//

/// The workgroup size, kept on the llvm.func: kernels are converted before what
/// they hold.
constexpr StringLiteral kThreads = "wave.threads";

/// Hidden inputs no kernel of ours reads. Without them code generation asks
/// the host for nothing but the declared arguments.
constexpr StringLiteral kUnusedInputs[] = {
    "amdgpu-no-completion-action", "amdgpu-no-default-queue",
    "amdgpu-no-dispatch-id",       "amdgpu-no-dispatch-ptr",
    "amdgpu-no-flat-scratch-init", "amdgpu-no-heap-ptr",
    "amdgpu-no-hostcall-ptr",      "amdgpu-no-implicitarg-ptr",
    "amdgpu-no-lds-kernel-id",     "amdgpu-no-multigrid-sync-arg",
    "amdgpu-no-queue-ptr",         "amdgpu-no-workitem-id-y",
    "amdgpu-no-workitem-id-z"};

/// What code generation must know to assign registers: the workgroup's exact
/// size, wavefronts a SIMD if the driver has fixed them, and which inputs of
/// the ABI are not used.
ArrayAttr getFunctionAttributes(wave::KernelOp kernel, OpBuilder &b) {
  SmallVector<Attribute> attrs;
  auto add = [&](StringRef key, const Twine &value) {
    attrs.push_back(b.getStrArrayAttr({key, value.str()}));
  };
  std::string threads = std::to_string(kernel.getThreads());
  add("target-cpu", "gfx942");
  add("amdgpu-flat-work-group-size", threads + "," + threads);
  add("uniform-work-group-size", "true");
  if (std::optional<int64_t> waves = kernel.getWavesPerEu())
    add("amdgpu-waves-per-eu", Twine(*waves) + "," + Twine(*waves));
  // min and max then ignore any NaN, signalling ones too, and need no
  // canonicalising of their operands.
  add("amdgpu-ieee", "false");
  for (StringRef name : kUnusedInputs)
    attrs.push_back(b.getStringAttr(name));
  return b.getArrayAttr(attrs);
}

/// Bytes of arguments that may come in registers: a kernel is given 16 scalar
/// ones, two of which hold the address of its arguments.
constexpr int64_t kPreloadedBytes = 14 * 4;

/// Marks the first arguments for preloading: the dispatcher puts them into
/// scalar registers, so that a wavefront need not begin with waiting for memory
/// (some 860 cycles with cold caches). Code generation puts loads for
/// dispatchers that cannot do it before the kernel's entry.
void preloadArguments(LLVM::LLVMFuncOp func, OpBuilder &b) {
  int64_t offset = 0;
  for (auto [i, type] : llvm::enumerate(func.getArgumentTypes())) {
    int64_t size = 8;
    if (!isa<LLVM::LLVMPointerType>(type)) {
      if (!type.isIntOrFloat() || type.getIntOrFloatBitWidth() % 32)
        return;
      size = type.getIntOrFloatBitWidth() / 8;
    }
    offset = llvm::alignTo(offset, size) + size;
    if (offset > kPreloadedBytes)
      return;
    func.setArgAttr(i, LLVM::LLVMDialect::getInRegAttrName(), b.getUnitAttr());
  }
}

/// What the launch contract promises of pointers: tensors do not overlap
/// unless both are only read, and are aligned to 16 bytes.
DictionaryAttr getPointerAttributes(DictionaryAttr source, OpBuilder &b) {
  SmallVector<NamedAttribute> attrs;
  attrs.push_back(
      b.getNamedAttr(LLVM::LLVMDialect::getNoAliasAttrName(), b.getUnitAttr()));
  attrs.push_back(b.getNamedAttr(LLVM::LLVMDialect::getAlignAttrName(),
                                 b.getI64IntegerAttr(16)));
  attrs.push_back(
      b.getNamedAttr(LLVM::LLVMDialect::getNoUndefAttrName(), b.getUnitAttr()));
  if (source)
    if (auto role = source.getAs<StringAttr>("tile.role");
        role && role.getValue() == "in")
      attrs.push_back(b.getNamedAttr(LLVM::LLVMDialect::getReadonlyAttrName(),
                                     b.getUnitAttr()));
  return b.getDictionaryAttr(attrs);
}

/// Makes the llvm.func and, for a kernel with LDS, one byte array named
/// `<kernel>.lds`, which all LDS accesses index.
struct KernelPattern : ConvertOpToLLVMPattern<wave::KernelOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(wave::KernelOp kernel, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = kernel.getLoc();
    int64_t lds = kernel.getLdsBytes();
    TypeConverter::SignatureConversion signature(kernel.getNumArguments());
    Type type = getTypeConverter()->convertFunctionSignature(
        kernel.getFunctionType(), /*isVariadic=*/false,
        /*useBarePtrCallConv=*/true, signature);
    if (!type)
      return kernel.emitOpError("has arguments no kernel can take");
    if (lds > 0) {
      auto array = LLVM::LLVMArrayType::get(rewriter.getI8Type(), lds);
      LLVM::GlobalOp::create(rewriter, loc, array, /*isConstant=*/false,
                             LLVM::Linkage::Internal, ldsName(kernel),
                             Attribute(), /*alignment=*/16, kLds);
    }
    auto func = LLVM::LLVMFuncOp::create(
        rewriter, loc, kernel.getName(), type, LLVM::Linkage::External,
        /*dsoLocal=*/false, LLVM::CConv::AMDGPU_KERNEL);
    // For threadsOf(), below.
    func->setDiscardableAttr(kThreads, kernel.getThreadsAttr());
    func.setPassthroughAttr(getFunctionAttributes(kernel, rewriter));
    for (auto [i, arg] : llvm::enumerate(func.getArgumentTypes()))
      if (isa<LLVM::LLVMPointerType>(arg))
        func.setArgAttrs(
            i, getPointerAttributes(kernel.getArgAttrDict(i), rewriter));
    preloadArguments(func, rewriter);
    // The body moves as it is; its ops are converted after it.
    rewriter.inlineRegionBefore(kernel.getBody(), func.getBody(), func.end());
    if (failed(rewriter.convertRegionTypes(&func.getBody(), *getTypeConverter(),
                                           &signature)))
      return failure();
    rewriter.eraseOp(kernel);
    return success();
  }

  static std::string ldsName(wave::KernelOp kernel) {
    return (kernel.getName() + ".lds").str();
  }
};

struct ReturnPattern : ConvertOpToLLVMPattern<wave::ReturnOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(wave::ReturnOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::ReturnOp>(op, ValueRange());
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Who am I
//===----------------------------------------------------------------------===//

/// Tells code generation the range of an id, so that address arithmetic with it
/// needs no sign extension.
Value withRange(Build &build, Value id, int64_t end) {
  auto call = id.getDefiningOp<LLVM::CallIntrinsicOp>();
  OpBuilder &b = build.b;
  auto range = LLVM::ConstantRangeAttr::get(b.getContext(), APInt(32, 0),
                                            APInt(32, end));
  call.setResAttrsAttr(b.getArrayAttr(b.getDictionaryAttr(
      b.getNamedAttr(LLVM::LLVMDialect::getRangeAttrName(), range))));
  return id;
}

/// 1024 where a function carries no size: the machine's limit.
int64_t threadsOf(Operation *op) {
  auto func = op->getParentOfType<LLVM::LLVMFuncOp>();
  auto attr = func ? func->getAttrOfType<IntegerAttr>(kThreads) : nullptr;
  return attr ? attr.getInt() : 1024;
}

/// The index of the work-item along x, the only dimension of a workgroup.
struct ThreadIdPattern : ConvertOpToLLVMPattern<wave::ThreadIdOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(wave::ThreadIdOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Build build{rewriter, op.getLoc()};
    Value id =
        build.intrinsic("llvm.amdgcn.workitem.id.x", rewriter.getI32Type(), {});
    rewriter.replaceOp(op, withRange(build, id, threadsOf(op)));
    return success();
  }
};

struct LaneIdPattern : ConvertOpToLLVMPattern<wave::LaneIdOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(wave::LaneIdOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    // Workgroups are launched as whole wavefronts along x.
    Build build{rewriter, op.getLoc()};
    Value id =
        build.intrinsic("llvm.amdgcn.workitem.id.x", rewriter.getI32Type(), {});
    withRange(build, id, threadsOf(op));
    rewriter.replaceOpWithNewOp<LLVM::AndOp>(op, id, build.i32(63));
    return success();
  }
};

/// Uniform by nature, but computed on the vector unit: pinned to a scalar.
struct WaveIdPattern : ConvertOpToLLVMPattern<wave::WaveIdOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(wave::WaveIdOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Build build{rewriter, op.getLoc()};
    Type i32 = rewriter.getI32Type();
    Value id = build.intrinsic("llvm.amdgcn.workitem.id.x", i32, {});
    withRange(build, id, threadsOf(op));
    Value wave = LLVM::LShrOp::create(rewriter, op.getLoc(), id, build.i32(6));
    rewriter.replaceOp(op,
                       build.intrinsic("llvm.amdgcn.readfirstlane", i32, wave));
    return success();
  }
};

/// The workgroup's index in the grid, along the op's dimension.
struct BlockIdPattern : ConvertOpToLLVMPattern<wave::BlockIdOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(wave::BlockIdOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    static constexpr StringLiteral kNames[] = {"llvm.amdgcn.workgroup.id.x",
                                               "llvm.amdgcn.workgroup.id.y",
                                               "llvm.amdgcn.workgroup.id.z"};
    Build build{rewriter, op.getLoc()};
    rewriter.replaceOp(
        op, build.intrinsic(kNames[op.getDim()], rewriter.getI32Type(), {}));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// See the head of the file.
struct BarrierPattern : ConvertOpToLLVMPattern<wave::BarrierOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(wave::BarrierOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Build build{rewriter, op.getLoc()};
    auto local = LLVM::MMRATagAttr::get(rewriter.getContext(),
                                        "amdgpu-synchronize-as", "local");
    bool global = op->hasAttr(wave::kSyncGlobalAttr);
    auto fence = [&](LLVM::AtomicOrdering ordering) {
      auto f =
          LLVM::FenceOp::create(rewriter, op.getLoc(), ordering, "workgroup");
      if (!global)
        f->setDiscardableAttr(LLVM::LLVMDialect::getMmraAttrName(), local);
    };
    fence(LLVM::AtomicOrdering::release);
    // lgkmcnt(0), and vmcnt(0) where global memory is ordered too. LLVM 22
    // drops the fence's own wait where the LDS writes come around a loop's back
    // edge.
    // The immediate of s_waitcnt on gfx9: vmcnt in bits 3:0 and 15:14, expcnt
    // in 6:4, lgkmcnt in 11:8; all ones waits for nothing.
    Value ldsOnly = build.i32(global ? 0x0070 : 0xc07f);
    build.intrinsic("llvm.amdgcn.s.waitcnt", ValueRange(ldsOnly));
    build.intrinsic("llvm.amdgcn.s.barrier", {});
    fence(LLVM::AtomicOrdering::acquire);
    rewriter.eraseOp(op);
    return success();
  }
};

/// Memory of the wavefront alone: fences of that scope, without instructions.
struct FencePattern : ConvertOpToLLVMPattern<wave::FenceOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(wave::FenceOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LLVM::FenceOp::create(rewriter, op.getLoc(), LLVM::AtomicOrdering::acq_rel,
                          "wavefront");
    rewriter.eraseOp(op);
    return success();
  }
};

/// Mask 0: no instruction may be moved across it.
struct SchedBarrierPattern : ConvertOpToLLVMPattern<wave::SchedBarrierOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(wave::SchedBarrierOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Build build{rewriter, op.getLoc()};
    build.intrinsic("llvm.amdgcn.sched.barrier", build.i32(op.getMask()));
    rewriter.eraseOp(op);
    return success();
  }
};

/// s_setprio: 3 goes first.
struct SetPrioPattern : ConvertOpToLLVMPattern<wave::SetPrioOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(wave::SetPrioOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Build build{rewriter, op.getLoc()};
    build.intrinsic("llvm.amdgcn.s.setprio", build.i16(op.getPriority()));
    rewriter.eraseOp(op);
    return success();
  }
};

/// Ends the program with a fault.
struct TrapPattern : ConvertOpToLLVMPattern<wave::TrapOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(wave::TrapOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Build{rewriter, op.getLoc()}.intrinsic("llvm.trap", {});
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void populateKernelPatterns(LLVMTypeConverter &converter,
                            RewritePatternSet &patterns) {
  patterns.add<KernelPattern, ReturnPattern, ThreadIdPattern, LaneIdPattern,
               WaveIdPattern, BlockIdPattern, BarrierPattern, FencePattern,
               SchedBarrierPattern, SetPrioPattern, TrapPattern>(converter);
}

} // namespace tlc
