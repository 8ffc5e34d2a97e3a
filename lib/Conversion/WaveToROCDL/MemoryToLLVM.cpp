//===- MemoryToLLVM.cpp - Global memory and LDS ---------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accesses move i8, i16, i32 or vectors of i32, whatever the value's type: code
// generation has one instruction for each of those, and casts are free.
// Constant offsets stay apart from the variable part of an address, so that
// they end up in the instruction's offset field.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "mlir/IR/Matchers.h"
#include "tlc/Dialect/Wave/IR/WaveDialect.h"

using namespace mlir;

namespace tlc {

/// The integer type that code generation has an access of \p bytes for; null
/// for other sizes (3, 6 …).
Type getMemoryType(MLIRContext *context, int64_t bytes) {
  if (bytes == 1 || bytes == 2 || bytes == 4)
    return IntegerType::get(context, bytes * 8);
  if (bytes % 4 == 0 && bytes > 0)
    return VectorType::get(bytes / 4, IntegerType::get(context, 32));
  return nullptr;
}

namespace {

/// The type to move a value of `type` as: the memory type of its size where
/// there is one, otherwise the type itself.
FailureOr<Type> getMovedType(Operation *op, Type type) {
  unsigned bits = getBits(type);
  if (bits % 8)
    return op->emitOpError("moves ") << bits << " bits, which is no whole byte";
  Type moved = getMemoryType(op->getContext(), bits / 8);
  return moved ? moved : type;
}

/// Alignment that a size alone promises: its largest power of two, up to 16.
int64_t naturalAlign(Type type) {
  int64_t bytes = std::max(1u, getBits(type) / 8);
  return std::min<int64_t>(16, bytes & -bytes);
}

/// base + offset bytes; the offset is signed.
Value byteGEP(Build &build, Value base, Value offset) {
  return LLVM::GEPOp::create(build.b, build.loc, base.getType(),
                             build.b.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{offset});
}

/// Two steps, so that the constant stays foldable into the instruction.
Value addBytes(Build &build, Value base, Value offset, int64_t bytes) {
  Value address = byteGEP(build, base, offset);
  if (bytes == 0)
    return address;
  return LLVM::GEPOp::create(
      build.b, build.loc, base.getType(), build.b.getI8Type(), address,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(bytes)});
}

//===----------------------------------------------------------------------===//
// Buffer resources
//===----------------------------------------------------------------------===//

/// Moves a uniform value to scalar registers. Code generation computes some
/// uniform values on the vector unit (a clamp is v_med3), and would then wrap
/// each access through such a resource into a loop over the lanes' resources.
Value pinToScalar(Build &build, Value value) {
  if (matchPattern(value, m_Constant()))
    return value;
  // readfirstlane works on dwords.
  Type i32 = build.i32Type();
  SmallVector<Value> dwords = build.toDwords(value);
  for (Value &dword : dwords)
    dword = build.intrinsic("llvm.amdgcn.readfirstlane", i32, dword);
  return build.fromDwords(dwords, value.getType());
}

/// The four dwords of a buffer resource: base address, no stride, num_records
/// in bytes, and flags. Base and size must be uniform; the size is pinned to a
/// scalar register.
struct ResourcePattern : ConvertOpToLLVMPattern<wave::ResourceOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(wave::ResourceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    // DATA_FORMAT_32 and nothing else: a raw buffer, no swizzle, no stride.
    constexpr int64_t kFlags = 0x27000;
    Build build{rewriter, op.getLoc()};
    Value bytes = pinToScalar(build, adaptor.getNumBytes());
    if (bytes.getType().isInteger(32)) {
      bytes = LLVM::ZExtOp::create(rewriter, op.getLoc(), rewriter.getI64Type(),
                                   bytes);
    } else {
      // The field has 32 bits, and no offset reaches further. Compared by its
      // upper half: there is no scalar 64-bit minimum.
      Location loc = op.getLoc();
      Type i32 = rewriter.getI32Type(), i64 = rewriter.getI64Type();
      Value upper = LLVM::TruncOp::create(
          rewriter, loc, i32,
          LLVM::LShrOp::create(rewriter, loc, bytes, build.i64(32)));
      Value lower = LLVM::TruncOp::create(rewriter, loc, i32, bytes);
      Value fits = LLVM::ICmpOp::create(rewriter, loc, LLVM::ICmpPredicate::eq,
                                        upper, build.i32(0));
      lower = LLVM::SelectOp::create(rewriter, loc, fits, lower, build.i32(-1));
      bytes = LLVM::ZExtOp::create(rewriter, loc, i64, lower);
    }
    Type type = LLVM::LLVMPointerType::get(getContext(), kBufferRsrc);
    rewriter.replaceOp(op, build.intrinsic("llvm.amdgcn.make.buffer.rsrc", type,
                                           {adaptor.getBase(), build.i16(0),
                                            bytes, build.i32(kFlags)}));
    return success();
  }
};

/// The range check covers voffset and immediate: code generation splits the sum
/// again.
Value bufferOffset(Build &build, Value voffset, int64_t offset) {
  if (offset == 0)
    return voffset;
  return LLVM::AddOp::create(build.b, build.loc, voffset, build.i32(offset));
}

/// Whether a loaded byte or two may be extended by their sign. Selection makes
/// a new load of that pair, in the place of the first but with no later access
/// behind it: a store to the same place then comes before it.
bool mayExtendSign(wave::BufferLoadOp op) {
  Type element = getElementTypeOrSelf(op.getType());
  return getBits(op.getType()) < 32 && !element.isF16() && !element.isBF16() &&
         llvm::any_of(
             op.getResult().getUsers(),
             [](Operation *user) {
               return !isa<arith::ExtUIOp, arith::UIToFPOp,
                           wave::BufferStoreOp>(user);
             });
}

/// Lanes out of the resource's range read 0; soffset is not part of the check.
struct BufferLoadPattern : ConvertOpToLLVMPattern<wave::BufferLoadOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(wave::BufferLoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Build build{rewriter, op.getLoc()};
    Type type = getTypeConverter()->convertType(op.getType());
    FailureOr<Type> moved = getMovedType(op, type);
    if (failed(moved))
      return failure();
    Value soffset = adaptor.getSoffset();
    Value loaded = build.intrinsic(
        "llvm.amdgcn.raw.ptr.buffer.load", *moved,
        {adaptor.getRsrc(),
         bufferOffset(build, adaptor.getVoffset(), op.getOffset()),
         soffset ? soffset : build.i32(0), build.i32(0)});
    if (isa<IntegerType>(*moved) && mayExtendSign(op)) {
      // Through an empty instruction that selection does not look through.
      Type i32 = rewriter.getI32Type();
      Value wide = LLVM::ZExtOp::create(rewriter, op.getLoc(), i32, loaded);
      auto hidden = LLVM::InlineAsmOp::create(
          rewriter, op.getLoc(), TypeRange{i32}, ValueRange{wide}, "",
          /*constraints=*/"=v,0", /*has_side_effects=*/false,
          /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
          LLVM::AsmDialectAttr(), ArrayAttr());
      loaded = LLVM::TruncOp::create(rewriter, op.getLoc(), *moved,
                                     hidden.getResult(0));
    }
    rewriter.replaceOp(op, build.bitcast(loaded, type));
    return success();
  }
};

/// Lanes out of range are dropped.
struct BufferStorePattern : ConvertOpToLLVMPattern<wave::BufferStoreOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(wave::BufferStoreOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Build build{rewriter, op.getLoc()};
    FailureOr<Type> moved = getMovedType(op, adaptor.getValue().getType());
    if (failed(moved))
      return failure();
    Value soffset = adaptor.getSoffset();
    build.intrinsic("llvm.amdgcn.raw.ptr.buffer.store",
                    {build.bitcast(adaptor.getValue(), *moved),
                     adaptor.getRsrc(),
                     bufferOffset(build, adaptor.getVoffset(), op.getOffset()),
                     soffset ? soffset : build.i32(0), build.i32(0)});
    rewriter.eraseOp(op);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Flat global memory
//===----------------------------------------------------------------------===//

/// 64-bit address arithmetic on a uniform pointer.
struct PtrAddPattern : ConvertOpToLLVMPattern<wave::PtrAddOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(wave::PtrAddOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Build build{rewriter, op.getLoc()};
    rewriter.replaceOp(op,
                       byteGEP(build, adaptor.getBase(), adaptor.getBytes()));
    return success();
  }
};

/// A pointer that the program computes, as from a table of pointers in memory:
/// pinned, since all lanes use the same.
struct PointerPattern : ConvertOpToLLVMPattern<wave::PointerOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(wave::PointerOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Build build{rewriter, op.getLoc()};
    rewriter.replaceOpWithNewOp<LLVM::IntToPtrOp>(
        op, getTypeConverter()->convertType(op.getType()),
        pinToScalar(build, adaptor.getAddress()));
    return success();
  }
};

/// An access's own promise if it makes one; else one element's size.
int64_t globalAlign(int64_t asked, Type type) {
  return asked ? asked : std::max(1u, getBits(getElementTypeOrSelf(type)) / 8);
}

/// No range check: the address is the program's promise.
struct GlobalLoadPattern : ConvertOpToLLVMPattern<wave::GlobalLoadOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(wave::GlobalLoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Build build{rewriter, op.getLoc()};
    Type type = getTypeConverter()->convertType(op.getType());
    FailureOr<Type> moved = getMovedType(op, type);
    if (failed(moved))
      return failure();
    Value address = byteGEP(build, adaptor.getBase(), adaptor.getBytes());
    Value loaded = LLVM::LoadOp::create(rewriter, op.getLoc(), *moved, address,
                                        globalAlign(op.getAlign(), type));
    rewriter.replaceOp(op, build.bitcast(loaded, type));
    return success();
  }
};

/// The mirror of the load.
struct GlobalStorePattern : ConvertOpToLLVMPattern<wave::GlobalStoreOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(wave::GlobalStoreOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Build build{rewriter, op.getLoc()};
    Type type = adaptor.getValue().getType();
    FailureOr<Type> moved = getMovedType(op, type);
    if (failed(moved))
      return failure();
    Value address = byteGEP(build, adaptor.getBase(), adaptor.getBytes());
    LLVM::StoreOp::create(rewriter, op.getLoc(),
                          build.bitcast(adaptor.getValue(), *moved), address,
                          globalAlign(op.getAlign(), type));
    rewriter.eraseOp(op);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// LDS
//===----------------------------------------------------------------------===//

/// The LDS array of the kernel around `op`, or null after an error: the kernel
/// said that it has none.
Value getLdsBase(Build &build, Operation *op) {
  auto func = op->getParentOfType<LLVM::LLVMFuncOp>();
  auto module = op->getParentOfType<ModuleOp>();
  if (func)
    if (auto global = module.lookupSymbol<LLVM::GlobalOp>(
            (func.getName() + ".lds").str()))
      return LLVM::AddressOfOp::create(build.b, build.loc, global);
  op->emitOpError("in a kernel with lds_bytes = 0");
  return nullptr;
}

/// ds_read of the value's size. Its natural alignment is promised, since the
/// planning of accesses (Addresses.cpp) makes them so: without it code
/// generation would split a 16-byte read.
struct LdsLoadPattern : ConvertOpToLLVMPattern<wave::LdsLoadOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(wave::LdsLoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Build build{rewriter, op.getLoc()};
    Type type = getTypeConverter()->convertType(op.getType());
    FailureOr<Type> moved = getMovedType(op, type);
    Value base = getLdsBase(build, op);
    if (failed(moved) || !base)
      return failure();
    Value address = addBytes(build, base, adaptor.getAddr(), op.getOffset());
    Value loaded = LLVM::LoadOp::create(rewriter, op.getLoc(), *moved, address,
                                        naturalAlign(type));
    rewriter.replaceOp(op, build.bitcast(loaded, type));
    return success();
  }
};

/// ds_write, by the same promise.
struct LdsStorePattern : ConvertOpToLLVMPattern<wave::LdsStoreOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(wave::LdsStoreOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Build build{rewriter, op.getLoc()};
    Type type = adaptor.getValue().getType();
    FailureOr<Type> moved = getMovedType(op, type);
    Value base = getLdsBase(build, op);
    if (failed(moved) || !base)
      return failure();
    Value address = addBytes(build, base, adaptor.getAddr(), op.getOffset());
    LLVM::StoreOp::create(rewriter, op.getLoc(),
                          build.bitcast(adaptor.getValue(), *moved), address,
                          naturalAlign(type));
    rewriter.eraseOp(op);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

/// The LLVM operator for a kind, or nothing where floats have none. LLVM
/// selects an instruction, or a compare-and-swap loop where gfx942 has none.
std::optional<LLVM::AtomicBinOp> getAtomicOp(wave::AtomicKind kind,
                                             bool isFloat) {
  using Op = LLVM::AtomicBinOp;
  switch (kind) {
  case wave::AtomicKind::Add:
    return isFloat ? Op::fadd : Op::add;
  case wave::AtomicKind::Max:
    return isFloat ? Op::fmax : Op::max;
  case wave::AtomicKind::Min:
    return isFloat ? Op::fmin : Op::min;
  case wave::AtomicKind::Exchange:
    return Op::xchg;
  default:
    break;
  }
  if (isFloat)
    return std::nullopt;
  switch (kind) {
  case wave::AtomicKind::UMax:
    return Op::umax;
  case wave::AtomicKind::UMin:
    return Op::umin;
  case wave::AtomicKind::And:
    return Op::_and;
  case wave::AtomicKind::Or:
    return Op::_or;
  default:
    return Op::_xor;
  }
}

/// One half of 16 bits is added by the packed addition of its dword. The other
/// half gets -0.0, which changes no number, not even -0.0.
///   %d = ptrmask %a, ~3; %odd = and (ptrtoint %a), 2
///   atomicrmw fadd %d, select(%odd, [-0.0, %v], [%v, -0.0])
void addHalf(Operation *op, Value value, Value address,
             LLVM::AtomicOrdering ordering, StringRef scope,
             ConversionPatternRewriter &rewriter) {
  Location loc = op->getLoc();
  auto i32 = [&](int64_t n) -> Value {
    return LLVM::ConstantOp::create(rewriter, loc, rewriter.getI32Type(),
                                    rewriter.getI32IntegerAttr(int32_t(n)));
  };
  Type word = rewriter.getI32Type(), half = value.getType();
  auto space = cast<LLVM::LLVMPointerType>(address.getType());
  bool inLds = space.getAddressSpace() == 3;
  Type number = inLds ? word : rewriter.getI64Type();
  Value mask = LLVM::ConstantOp::create(rewriter, loc, number,
                                        rewriter.getIntegerAttr(number, -4));
  Value low = LLVM::PtrToIntOp::create(rewriter, loc, number, address);
  if (!inLds)
    low = LLVM::TruncOp::create(rewriter, loc, word, low);
  low = LLVM::AndOp::create(rewriter, loc, low, i32(2));
  Value odd =
      LLVM::ICmpOp::create(rewriter, loc, LLVM::ICmpPredicate::ne, low, i32(0));
  Value dword = LLVM::PtrMaskOp::create(rewriter, loc, space, address, mask);
  Value bits = LLVM::ZExtOp::create(
      rewriter, loc, word,
      LLVM::BitcastOp::create(rewriter, loc, rewriter.getIntegerType(16),
                              value));
  Value first = LLVM::OrOp::create(rewriter, loc, bits, i32(0x80000000));
  Value second = LLVM::OrOp::create(
      rewriter, loc, LLVM::ShlOp::create(rewriter, loc, bits, i32(16)),
      i32(0x8000));
  Value both = LLVM::SelectOp::create(rewriter, loc, odd, second, first);
  Type pair = VectorType::get({2}, half);
  Value old = LLVM::AtomicRMWOp::create(
      rewriter, loc, LLVM::AtomicBinOp::fadd, dword,
      LLVM::BitcastOp::create(rewriter, loc, pair, both), ordering, scope);
  old = LLVM::BitcastOp::create(rewriter, loc, word, old);
  Value shift = LLVM::ShlOp::create(rewriter, loc, low, i32(3));
  old = LLVM::LShrOp::create(rewriter, loc, old, shift);
  old = LLVM::TruncOp::create(rewriter, loc, rewriter.getIntegerType(16), old);
  rewriter.replaceOpWithNewOp<LLVM::BitcastOp>(op, half, old);
}

/// Without an order, monotonic: barriers order everything else. With one, code
/// generation adds what the caches need at agent scope: buffer_wbl2 before a
/// release, buffer_inv behind an acquire, and the waits.
LLVM::AtomicOrdering orderingOf(std::optional<wave::MemoryOrder> order) {
  if (!order)
    return LLVM::AtomicOrdering::monotonic;
  switch (*order) {
  case wave::MemoryOrder::Acquire:
    return LLVM::AtomicOrdering::acquire;
  case wave::MemoryOrder::Release:
    return LLVM::AtomicOrdering::release;
  case wave::MemoryOrder::AcqRel:
    return LLVM::AtomicOrdering::acq_rel;
  case wave::MemoryOrder::SeqCst:
    return LLVM::AtomicOrdering::seq_cst;
  }
  llvm_unreachable("unknown memory order");
}

/// A release at agent scope apart from its atomic, which keeps the rest of the
/// order: code generation leaves out the wait for buffer_wbl2 where all stores
/// were waited for before.
///   fence release; s_waitcnt vmcnt(0); atomicrmw monotonic or acquire
LLVM::AtomicOrdering releaseFirst(Operation *op, LLVM::AtomicOrdering ordering,
                                  ConversionPatternRewriter &rewriter) {
  if (ordering == LLVM::AtomicOrdering::monotonic ||
      ordering == LLVM::AtomicOrdering::acquire)
    return ordering;
  LLVM::FenceOp::create(rewriter, op->getLoc(), LLVM::AtomicOrdering::release,
                        "agent");
  // The fields as in KernelToLLVM.cpp.
  Build build{rewriter, op->getLoc()};
  build.intrinsic("llvm.amdgcn.s.waitcnt", ValueRange(build.i32(0x0f70)));
  return ordering == LLVM::AtomicOrdering::release
             ? LLVM::AtomicOrdering::monotonic
             : LLVM::AtomicOrdering::acquire;
}

LogicalResult replaceWithAtomic(Operation *op, wave::AtomicKind kind,
                                std::optional<wave::MemoryOrder> order,
                                Value value, Value address, StringRef scope,
                                ConversionPatternRewriter &rewriter) {
  Type element = getElementTypeOrSelf(value.getType());
  std::optional<LLVM::AtomicBinOp> atomic =
      getAtomicOp(kind, isa<FloatType>(element));
  if (!atomic)
    return op->emitOpError("has no such operator on ") << value.getType();
  // LLVM has no atomics on bits.
  if (getBits(value.getType()) < 8)
    return op->emitOpError("on ") << value.getType();
  LLVM::AtomicOrdering ordering = orderingOf(order);
  if (scope == "agent")
    ordering = releaseFirst(op, ordering, rewriter);
  if (*atomic == LLVM::AtomicBinOp::fadd && !isa<VectorType>(value.getType()) &&
      getBits(element) == 16) {
    addHalf(op, value, address, ordering, scope, rewriter);
    return success();
  }
  rewriter.replaceOpWithNewOp<LLVM::AtomicRMWOp>(op, *atomic, address, value,
                                                 ordering, scope);
  return success();
}

/// Agent scope: workgroups of all XCDs see it.
struct GlobalAtomicPattern : ConvertOpToLLVMPattern<wave::GlobalAtomicOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(wave::GlobalAtomicOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Build build{rewriter, op.getLoc()};
    return replaceWithAtomic(
        op, op.getKind(), op.getOrder(), adaptor.getValue(),
        byteGEP(build, adaptor.getBase(), adaptor.getBytes()), "agent",
        rewriter);
  }
};

/// Workgroup scope: LDS is seen by no other.
struct LdsAtomicPattern : ConvertOpToLLVMPattern<wave::LdsAtomicOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(wave::LdsAtomicOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Build build{rewriter, op.getLoc()};
    Value base = getLdsBase(build, op);
    if (!base)
      return failure();
    return replaceWithAtomic(
        op, op.getKind(), op.getOrder(), adaptor.getValue(),
        byteGEP(build, base, adaptor.getAddr()), "workgroup", rewriter);
  }
};

} // namespace

void populateMemoryPatterns(LLVMTypeConverter &converter,
                            RewritePatternSet &patterns) {
  patterns.add<PointerPattern, ResourcePattern, BufferLoadPattern,
               BufferStorePattern, PtrAddPattern, GlobalLoadPattern,
               GlobalStorePattern, LdsLoadPattern, LdsStorePattern,
               GlobalAtomicPattern, LdsAtomicPattern>(converter);
}

} // namespace tlc
