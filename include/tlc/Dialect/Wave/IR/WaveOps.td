//===- WaveOps.td - The ops of the wave dialect -*- tablegen -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_DIALECT_WAVE_IR_WAVEOPS_TD
#define TLC_DIALECT_WAVE_IR_WAVEOPS_TD

include "tlc/Dialect/Wave/IR/WaveDialect.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Wave_Op<string mnemonic, list<Trait> traits = []> : Op<Wave_Dialect, mnemonic, traits>;

def Wave_Scalar : AnyTypeOf<[AnySignlessInteger, AnyFloat]>;
def Wave_Value : AnyTypeOf<[AnySignlessInteger, AnyFloat,
                             FixedVectorOfRankAndType<[1], [Wave_Scalar]>]>;
def Wave_Opaque : AnyTypeOf<[I32, F32, VectorOfRankAndType<[1], [I32, F32]>,
                             VectorOfLengthAndType<[2], [F16]>]>;
def Wave_ByteOffset : AnyTypeOf<[I32, I64]>;
def Wave_NaturalAttr : ConfinedAttr<I64Attr, [IntNonNegative]>;

def Wave_AtomicKind : I32EnumAttr<"AtomicKind", "Atomic operator", [
  I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Max", 1, "max">,
  I32EnumAttrCase<"Min", 2, "min">, I32EnumAttrCase<"UMax", 3, "umax">,
  I32EnumAttrCase<"UMin", 4, "umin">, I32EnumAttrCase<"And", 5, "and">,
  I32EnumAttrCase<"Or", 6, "or">, I32EnumAttrCase<"Xor", 7, "xor">,
  I32EnumAttrCase<"Exchange", 8, "exchange">]> {
  let cppNamespace = "::tlc::wave";
}

def Wave_MemoryOrder : I32EnumAttr<"MemoryOrder", "What an atomic orders besides itself", [
  I32EnumAttrCase<"Acquire", 0, "acquire">, I32EnumAttrCase<"Release", 1, "release">,
  I32EnumAttrCase<"AcqRel", 2, "acq_rel">, I32EnumAttrCase<"SeqCst", 3, "seq_cst">]> {
  let cppNamespace = "::tlc::wave";
}

//===----------------------------------------------------------------------===//
// Program structure
//===----------------------------------------------------------------------===//

def Wave_KernelOp : Wave_Op<"kernel", [
    FunctionOpInterface, IsolatedFromAbove, Symbol,
    SingleBlockImplicitTerminator<"ReturnOp">, AffineScope, AutomaticAllocationScope]> {
  let summary = "A device kernel as each lane runs it";
  let description = [{
    Arguments are `!wave.ptr` and scalars, with the argument attributes of the
    `tile.func` it came from. `threads` is the workgroup size, a multiple of 64;
    `lds_bytes` the size of its LDS; `waves_per_eu` asks for an occupancy.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs,
                       I64Attr:$threads, Wave_NaturalAttr:$lds_bytes,
                       OptionalAttr<Wave_NaturalAttr>:$waves_per_eu);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::FunctionType":$type,
      "int64_t":$threads, "int64_t":$ldsBytes,
      CArg<"::llvm::ArrayRef<::mlir::DictionaryAttr>", "{}">:$argAttrs)>];
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
  }];
}

def Wave_ReturnOp : Wave_Op<"return", [Pure, Terminator, HasParent<"KernelOp">]> {
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Who am I
//===----------------------------------------------------------------------===//

def Wave_ThreadIdOp : Wave_Op<"thread_id", [Pure]> {
  let summary = "Index of the lane in its workgroup, linear over x, y, z";
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}
def Wave_LaneIdOp : Wave_Op<"lane_id", [Pure]> {
  let summary = "Index of the lane in its wavefront, 0..63";
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}
def Wave_WaveIdOp : Wave_Op<"wave_id", [Pure]> {
  let summary = "Index of the wavefront in its workgroup: uniform, an SGPR";
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}
def Wave_BlockIdOp : Wave_Op<"block_id", [Pure]> {
  let summary = "Index of the workgroup along dimension 0, 1 or 2: uniform";
  let arguments = (ins ConfinedAttr<I64Attr, [IntMinValue<0>, IntMaxValue<2>]>:$dim);
  let results = (outs I32:$result);
  let assemblyFormat = "$dim attr-dict";
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

def Wave_PtrAddOp : Wave_Op<"ptr_add", [Pure]> {
  let summary = "The address `bytes` further";
  let arguments = (ins Wave_PtrType:$base, Wave_ByteOffset:$bytes);
  let results = (outs Wave_PtrType:$result);
  let assemblyFormat = "$base `,` $bytes attr-dict `:` type($bytes)";
}
def Wave_PointerOp : Wave_Op<"pointer", [Pure]> {
  let summary = "The address that an integer holds";
  let arguments = (ins I64:$address);
  let results = (outs Wave_PtrType:$result);
  let assemblyFormat = "$address attr-dict";
}
def Wave_ResourceOp : Wave_Op<"resource", [Pure]> {
  let summary = "A raw buffer resource over `num_bytes` from base; both must be uniform";
  let arguments = (ins Wave_PtrType:$base, Wave_ByteOffset:$num_bytes);
  let results = (outs Wave_RsrcType:$result);
  let assemblyFormat = "$base `,` $num_bytes attr-dict `:` type($num_bytes)";
}
def Wave_BufferLoadOp : Wave_Op<"buffer_load", [MemoryEffects<[MemRead]>]> {
  let summary = "Load 1, 2, 4, 8, 12 or 16 bytes at voffset + soffset + offset";
  let description = [{
    Range check per dword: voffset + offset (not soffset) + 4 <= num_bytes.
    `soffset` must be uniform.
  }];
  let arguments = (ins Wave_RsrcType:$rsrc, I32:$voffset, Optional<I32>:$soffset,
                       DefaultValuedAttr<Wave_NaturalAttr, "0">:$offset);
  let results = (outs Wave_Value:$result);
  let assemblyFormat = "$rsrc `[` $voffset (`,` $soffset^)? `]` attr-dict `:` type($result)";
  let hasVerifier = 1;
}
def Wave_BufferStoreOp : Wave_Op<"buffer_store", [MemoryEffects<[MemWrite]>]> {
  let summary = "Store 1, 2, 4, 8, 12 or 16 bytes at voffset + soffset + offset";
  let arguments = (ins Wave_Value:$value, Wave_RsrcType:$rsrc, I32:$voffset, Optional<I32>:$soffset,
                       DefaultValuedAttr<Wave_NaturalAttr, "0">:$offset);
  let assemblyFormat = "$value `,` $rsrc `[` $voffset (`,` $soffset^)? `]` attr-dict `:` type($value)";
  let hasVerifier = 1;
}
def Wave_GlobalLoadOp : Wave_Op<"global_load", [MemoryEffects<[MemRead]>]> {
  let summary = "Load from base + bytes; the address must be valid in every active lane";
  let arguments = (ins Wave_PtrType:$base, Wave_ByteOffset:$bytes, DefaultValuedAttr<Wave_NaturalAttr, "0">:$align);
  let results = (outs Wave_Value:$result);
  let assemblyFormat = "$base `[` $bytes `:` type($bytes) `]` attr-dict `:` type($result)";
}
def Wave_GlobalStoreOp : Wave_Op<"global_store", [MemoryEffects<[MemWrite]>]> {
  let summary = "Store to base + bytes";
  let arguments = (ins Wave_Value:$value, Wave_PtrType:$base, Wave_ByteOffset:$bytes,
                       DefaultValuedAttr<Wave_NaturalAttr, "0">:$align);
  let assemblyFormat = "$value `,` $base `[` $bytes `:` type($bytes) `]` attr-dict `:` type($value)";
}
def Wave_GlobalAtomicOp : Wave_Op<"global_atomic", [
    MemoryEffects<[MemRead, MemWrite]>, AllTypesMatch<["value", "result"]>]> {
  let summary = "Atomic on base + bytes, device scope, relaxed without an order; gives the old value";
  let arguments = (ins Wave_AtomicKind:$kind, Wave_Value:$value, Wave_PtrType:$base, Wave_ByteOffset:$bytes,
                       OptionalAttr<Wave_MemoryOrder>:$order);
  let results = (outs Wave_Value:$result);
  let assemblyFormat = "$kind $value `,` $base `[` $bytes `:` type($bytes) `]` (`order` $order^)? attr-dict `:` type($value) `->` type($result)";
}

//===----------------------------------------------------------------------===//
// LDS
//===----------------------------------------------------------------------===//

def Wave_LdsLoadOp : Wave_Op<"lds_load", [MemoryEffects<[MemRead]>]> {
  let summary = "Load 1..16 bytes from LDS at addr + offset (bytes), naturally aligned up to 16";
  let arguments = (ins I32:$addr, DefaultValuedAttr<Wave_NaturalAttr, "0">:$offset);
  let results = (outs Wave_Value:$result);
  let assemblyFormat = "$addr attr-dict `:` type($result)";
}
def Wave_LdsStoreOp : Wave_Op<"lds_store", [MemoryEffects<[MemWrite]>]> {
  let summary = "Store 1..16 bytes to LDS at addr + offset (bytes)";
  let arguments = (ins Wave_Value:$value, I32:$addr, DefaultValuedAttr<Wave_NaturalAttr, "0">:$offset);
  let assemblyFormat = "$value `,` $addr attr-dict `:` type($value)";
}
def Wave_LdsAtomicOp : Wave_Op<"lds_atomic", [
    MemoryEffects<[MemRead, MemWrite]>, AllTypesMatch<["value", "result"]>]> {
  let summary = "Atomic on LDS, relaxed without an order; gives the old value";
  let arguments = (ins Wave_AtomicKind:$kind, Wave_Scalar:$value, I32:$addr, OptionalAttr<Wave_MemoryOrder>:$order);
  let results = (outs Wave_Scalar:$result);
  let assemblyFormat = "$kind $value `,` $addr (`order` $order^)? attr-dict `:` type($value) `->` type($result)";
}

//===----------------------------------------------------------------------===//
// Matrix core and cross-lane
//===----------------------------------------------------------------------===//

def Wave_MfmaOp : Wave_Op<"mfma", [Pure]> {
  let summary = "D = A * B + C on the matrix core";
  let description = [{
    A lane holds consecutive k of one row of A and of one column of B; D as
    `data`'s tables and docs/layouts.md describe. `shape` is [m, n, k].
    ```mlir
    %d = wave.mfma [32, 32, 8] %a, %b, %c : vector<4xf16>, vector<4xf16>, vector<16xf32> -> vector<16xf32>
    ```
  }];
  let arguments = (ins DenseI64ArrayAttr:$shape, Wave_Value:$a, Wave_Value:$b, Wave_Value:$c);
  let results = (outs Wave_Value:$d);
  let assemblyFormat = "$shape $a `,` $b `,` $c attr-dict `:` type($a) `,` type($b) `,` type($c) `->` type($d)";
  let builders = [OpBuilder<(ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Value":$a,
                                 "::mlir::Value":$b, "::mlir::Value":$c)>];
  let hasVerifier = 1;
}
def Wave_ShuffleXorOp : Wave_Op<"shuffle_xor", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "The value of lane (lane ^ mask); 1, 2, 4 or 8 bytes";
  let arguments = (ins Wave_Value:$value,
                       ConfinedAttr<I64Attr, [IntMinValue<0>, IntMaxValue<63>]>:$mask);
  let results = (outs Wave_Value:$result);
  let assemblyFormat = "$value `,` $mask attr-dict `:` type($value)";
}
def Wave_ShuffleOp : Wave_Op<"shuffle", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "The value of lane `lane` (mod 64)";
  let arguments = (ins Wave_Value:$value, I32:$lane);
  let results = (outs Wave_Value:$result);
  let assemblyFormat = "$value `,` $lane attr-dict `:` type($value) `->` type($result)";
}
def Wave_UniformOp : Wave_Op<"uniform", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "A value that is the same in every active lane, moved to scalar registers";
  let arguments = (ins Wave_Scalar:$value);
  let results = (outs Wave_Scalar:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}
def Wave_AnyOp : Wave_Op<"any", [Pure]> {
  let summary = "Whether the condition holds in some active lane: uniform";
  let arguments = (ins I1:$condition);
  let results = (outs I1:$result);
  let assemblyFormat = "$condition attr-dict";
}
def Wave_BallotOp : Wave_Op<"ballot", [Pure]> {
  let summary = "Bit l: whether the condition holds in lane l, which must be active for it to be set";
  let arguments = (ins I1:$condition);
  let results = (outs I64:$result);
  let assemblyFormat = "$condition attr-dict";
}
def Wave_OpaqueOp : Wave_Op<"opaque", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "The value, of which later passes know nothing: costs no instruction";
  let description = [{
    Code generation moves a constant addend of a buffer offset into the
    instruction, whose range check then takes a negative remainder for a huge
    offset. An opaque sum cannot be split. It also makes a constant where it is
    needed last, not where the value is written, and a pair of f16 where a tuple
    of pairs is put together.
  }];
  let arguments = (ins Wave_Opaque:$value);
  let results = (outs Wave_Opaque:$result);
  let assemblyFormat = "$value attr-dict `:` type($result)";
}
def Wave_Dot2Op : Wave_Op<"dot2", [Pure, AllTypesMatch<["c", "result"]>]> {
  let summary = "v_dot2_f32_f16: c + a[0] * b[0] + a[1] * b[1]";
  let arguments = (ins VectorOfLengthAndType<[2], [F16]>:$a,
                       VectorOfLengthAndType<[2], [F16]>:$b, F32:$c);
  let results = (outs F32:$result);
  let assemblyFormat = "$a `,` $b `,` $c attr-dict `:` type($a) `,` type($b)";
}
def Wave_PermOp : Wave_Op<"perm", [Pure]> {
  let summary = "v_perm_b32: four bytes chosen from the eight of hi:lo by selector";
  let arguments = (ins I32:$hi, I32:$lo, ConfinedAttr<I64Attr, [IntMinValue<0>, IntMaxValue<0xffffffff>]>:$selector);
  let results = (outs I32:$result);
  let assemblyFormat = "$hi `,` $lo `,` $selector attr-dict";
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

def Wave_BarrierOp : Wave_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "All wavefronts of the workgroup meet; LDS accesses before are done after";
  let description = [{ Waits for LDS counters only: loads from global memory stay in flight. }];
  let assemblyFormat = "attr-dict";
}
def Wave_FenceOp : Wave_Op<"fence", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "LDS accesses of a wavefront before come before those after";
  let description = [{
    LDS serves a wavefront in order: nothing is waited for. What a lane wrote
    before, the other lanes of its wavefront read after.
  }];
  let assemblyFormat = "attr-dict";
}
def Wave_SchedBarrierOp : Wave_Op<"sched_barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "The instruction scheduler moves nothing of the classes in mask's complement across";
  let arguments = (ins DefaultValuedAttr<ConfinedAttr<I64Attr, [IntMinValue<0>, IntMaxValue<0x7ff>]>, "0">:$mask);
  let assemblyFormat = "attr-dict";
}
def Wave_SetPrioOp : Wave_Op<"setprio", [MemoryEffects<[MemWrite]>]> {
  let summary = "Priority of the wavefront, 0..3";
  let arguments = (ins ConfinedAttr<I64Attr, [IntMinValue<0>, IntMaxValue<3>]>:$priority);
  let assemblyFormat = "$priority attr-dict";
}
def Wave_TrapOp : Wave_Op<"trap", [MemoryEffects<[MemWrite]>]> {
  let summary = "Ends the wavefront with a trap";
  let assemblyFormat = "attr-dict";
}

#endif // TLC_DIALECT_WAVE_IR_WAVEOPS_TD
