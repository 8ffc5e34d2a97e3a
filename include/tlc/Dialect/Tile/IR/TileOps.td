//===- TileOps.td - The ops of the tile dialect -*- tablegen -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_DIALECT_TILE_IR_TILEOPS_TD
#define TLC_DIALECT_TILE_IR_TILEOPS_TD

include "tlc/Dialect/Tile/IR/TileDialect.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Tile_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tile_Dialect, mnemonic, traits>;

def Tile_Scalar : AnyTypeOf<[AnySignlessInteger, AnyFloat]>;
def Tile_Index : AnyTypeOf<[I32, I64]>;
def Tile_Buffer : MemRefOf<[Tile_Scalar]>;
def Tile_StaticBuffer : StaticShapeMemRefOf<[Tile_Scalar]>;
def Tile_NaturalAttr : ConfinedAttr<I64Attr, [IntNonNegative]>;

//===----------------------------------------------------------------------===//
// Program structure
//===----------------------------------------------------------------------===//

def Tile_FuncOp : Tile_Op<"func", [
    FunctionOpInterface, IsolatedFromAbove, Symbol,
    SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "A tile program: host-side scalars and the kernels it launches, in order";
  let description = [{
    Arguments are `!tile.ptr<T>` (tensors and workspaces) and scalars. Argument
    attributes:
    * `tile.name`: the name in the source (string);
    * `tile.dtype`: the language's dtype ("uint8", "float16"), since IR integers are signless;
    * `tile.role`: "in", "out", "inout", "workspace", "scalar" or "dim" (a `T.dynamic` size);
    * `tile.shape`: array of strings, each a decimal number or the name of a
      "dim"/"scalar" argument or an expression of those (for people; the
      machine-readable shape is the `tile.tensor` op's).
    Every kernel of the program takes all arguments of the program, in order.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::FunctionType":$type,
                                 CArg<"::llvm::ArrayRef<::mlir::DictionaryAttr>", "{}">:$argAttrs)>];
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
  }];
}

def Tile_YieldOp : Tile_Op<"yield", [
    Pure, Terminator, ParentOneOf<["FuncOp", "KernelOp", "ParallelOp"]>]> {
  let summary = "Ends the body of a func, kernel or parallel";
  let assemblyFormat = "attr-dict";
}

def Tile_TensorOp : Tile_Op<"tensor", [Pure, AttrSizedOperandSegments]> {
  let summary = "A tensor in global memory behind a pointer argument";
  let description = [{
    Sizes and strides are given for the `?` dimensions of the result type only.
    An identity layout means contiguous row-major. `pad` is what reads outside
    give; `name` is the source name. An element type other than the pointer's
    takes the same bytes as elements of that type.
    ```mlir
    %A = tile.tensor %a sizes(%m) {name = "A"}
       : !tile.ptr<f16> -> memref<?x128xf16, #tile.space<global>>
    ```
  }];
  let arguments = (ins Tile_PtrType:$source, Variadic<Tile_Index>:$sizes,
                       Variadic<Tile_Index>:$strides, OptionalAttr<StrAttr>:$name,
                       OptionalAttr<TypedAttrInterface>:$pad);
  let results = (outs Tile_Buffer:$result);
  let assemblyFormat = [{
    $source (`sizes` `(` $sizes^ `:` type($sizes) `)`)? (`strides` `(` $strides^ `:` type($strides) `)`)?
    attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_PointerOp : Tile_Op<"pointer", [Pure]> {
  let summary = "The pointer whose address an integer holds (T.make_tensor)";
  let description = [{
    The address must be the same for all threads of the workgroup.
  }];
  let arguments = (ins I64:$address);
  let results = (outs Tile_PtrType:$result);
  let assemblyFormat = "$address attr-dict `:` type($result)";
}

def Tile_KernelOp : Tile_Op<"kernel", [SingleBlockImplicitTerminator<"YieldOp">,
                                       AffineScope, AutomaticAllocationScope]> {
  let summary = "One device launch: a grid of workgroups";
  let description = [{
    The region has one i32 argument per grid dimension, the workgroup's index.
    `threads` is the workgroup size (its product a multiple of 64 after
    `tile-legalize`). Values of the enclosing func may be used inside.
    `swizzle` asks for a serpentine order of workgroups in panels.
  }];
  let arguments = (ins Variadic<I32>:$grid, DenseI64ArrayAttr:$threads,
                       OptionalAttr<StrAttr>:$name, OptionalAttr<Tile_NaturalAttr>:$swizzle);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Threads of one workgroup.
    int64_t getNumThreads() {
      int64_t n = 1;
      for (int64_t t : getThreads()) n *= t;
      return n;
    }
  }];
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

def Tile_AllocOp : Tile_Op<"alloc", [MemoryEffects<[MemAlloc]>]> {
  let summary = "A shared, fragment or local buffer of static shape";
  let description = [{
    `layout` is absent until a pass decides it: for fragments by
    `tile-infer-layouts`, for shared buffers by `tile-swizzle-lds`.
    `lds_offset` is the byte offset in LDS, set by `tile-fit-lds`.
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, OptionalAttr<Tile_LayoutAttr>:$layout,
                       OptionalAttr<Tile_NaturalAttr>:$lds_offset);
  let results = (outs Tile_StaticBuffer:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_ViewOp : Tile_Op<"view", [Pure]> {
  let summary = "A box of a buffer: an offset and a static extent for each dimension";
  let description = [{
    The box may reach outside a global tensor (reads give the pad value, writes
    are dropped). The rank is kept; the result type's layout is
    `strided<[?, ...], offset: ?>`.
    ```mlir
    %t = tile.view %A[%i, %j] : memref<512x512xf16, #tile.space<global>>
         to memref<64x32xf16, strided<[?, ?], offset: ?>, #tile.space<global>>
    ```
  }];
  let arguments = (ins Tile_Buffer:$source, Variadic<Tile_Index>:$offsets);
  let results = (outs Tile_StaticBuffer:$result);
  let assemblyFormat = "$source `[` $offsets (`:` type($offsets)^)? `]` attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
}

def Tile_AliasOp : Tile_Op<"alias", [Pure]> {
  let summary = "The same storage under another shape or element type (T.reshape, T.view)";
  let arguments = (ins Tile_Buffer:$source);
  let results = (outs Tile_Buffer:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Tile ops
//===----------------------------------------------------------------------===//

def Tile_CopyOp : Tile_Op<"copy"> {
  let summary = "dst := cast(src), element by element";
  let description = [{
    Dimensions of extent 1 are dropped on both sides; what remains must have
    equal extents. Element types may differ: the value is cast as a store
    would cast it.
    `layout`, set by `tile-infer-layouts`, spreads the copy's points (the
    dimensions that remain) over threads and registers.
    `through`, set by `tile-coalesce-stores`, is a shared buffer in which the
    lanes of a wavefront exchange what they write (StoreExchange.h).
  }];
  let arguments = (ins Arg<Tile_Buffer, "", [MemRead]>:$src, Arg<Tile_Buffer, "", [MemWrite]>:$dst,
                       Arg<Optional<Tile_Buffer>, "", [MemWrite]>:$through,
                       OptionalAttr<Tile_LayoutAttr>:$layout);
  let builders = [OpBuilder<(ins "::mlir::Value":$src, "::mlir::Value":$dst, "::tlc::tile::LayoutAttr":$layout), [{
    build($_builder, $_state, src, dst, ::mlir::Value(), layout);
  }]>];
  let assemblyFormat = "$src `to` $dst (`through` $through^ `:` type($through) `,`)? attr-dict `:` type($src) `to` type($dst)";
  let hasVerifier = 1;
}

def Tile_FillOp : Tile_Op<"fill"> {
  let summary = "Every element of dst := value";
  let arguments = (ins Arg<Tile_Buffer, "", [MemWrite]>:$dst, Tile_Scalar:$value,
                       OptionalAttr<Tile_LayoutAttr>:$layout);
  let assemblyFormat = "$dst `,` $value attr-dict `:` type($dst) `,` type($value)";
  let hasVerifier = 1;
}

def Tile_GemmOp : Tile_Op<"gemm"> {
  let summary = "C += op(A) * op(B)";
  let description = [{
    A is MxK (KxM with `trans_a`), B is KxN (NxK with `trans_b`), C is MxN; other
    dimensions must have extent 1. A and B are shared or fragment, C is fragment.
    `mfma`, set by `tile-infer-layouts`, is [m, n, k, wavefronts along M,
    wavefronts along N, swapped]. Swapped (1) feeds A to the instruction's B
    operand and B to its A operand, so that a lane holds one row of C and
    consecutive columns. Two more numbers, where not 1, are the consecutive rows
    of A and columns of B that a lane has in consecutive repetitions of the
    instruction. GemmLayouts.h derives every register layout from it.
  }];
  let arguments = (ins Arg<Tile_Buffer, "", [MemRead]>:$a, Arg<Tile_Buffer, "", [MemRead]>:$b,
                       Arg<Tile_Buffer, "", [MemRead, MemWrite]>:$c,
                       UnitAttr:$trans_a, UnitAttr:$trans_b,
                       DefaultValuedAttr<Tile_WarpPolicyAttr, "::tlc::tile::WarpPolicy::Square">:$policy,
                       OptionalAttr<DenseI64ArrayAttr>:$mfma);
  let assemblyFormat = "$a `,` $b `into` $c attr-dict `:` type($a) `,` type($b) `into` type($c)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The logical problem size, unit dimensions and transposes removed.
    int64_t getM();
    int64_t getN();
    int64_t getK();
  }];
}

def Tile_ReduceOp : Tile_Op<"reduce"> {
  let summary = "dst := [old dst op] reduction of src along dim";
  let description = [{
    dst has src's shape without `dim`, or with extent 1 there. With `accumulate`
    the old value takes part exactly once. NaN is ignored by max and min unless
    `nan`.
    `scratch`, added by `tile-infer-layouts` where the reduced dimension spans
    wavefronts, is a shared buffer the op may overwrite; the op synchronises its
    own use of it (a barrier before writing it and one before reading).
  }];
  let arguments = (ins Arg<Tile_Buffer, "", [MemRead]>:$src, Arg<Tile_Buffer, "", [MemRead, MemWrite]>:$dst,
                       Arg<Optional<Tile_Buffer>, "", [MemWrite]>:$scratch,
                       Tile_ReduceKindAttr:$kind, Tile_NaturalAttr:$dim, UnitAttr:$accumulate, UnitAttr:$nan);
  let assemblyFormat = [{
    $kind $src `into` $dst `dim` $dim (`scratch` `(` $scratch^ `:` type($scratch) `)`)?
    attr-dict `:` type($src) `into` type($dst)
  }];
  let hasVerifier = 1;
}

def Tile_ScanOp : Tile_Op<"scan"> {
  let summary = "Inclusive scan of src along dim (T.cumsum, T.cummax)";
  let arguments = (ins Arg<Tile_Buffer, "", [MemRead]>:$src, Arg<Tile_Buffer, "", [MemWrite]>:$dst,
                       Tile_ReduceKindAttr:$kind, Tile_NaturalAttr:$dim, UnitAttr:$reverse);
  let assemblyFormat = "$kind $src `into` $dst `dim` $dim attr-dict `:` type($src) `into` type($dst)";
  let hasVerifier = 1;
}

def Tile_TransposeOp : Tile_Op<"transpose"> {
  let summary = "dst[..., j, i] := src[..., i, j]";
  let arguments = (ins Arg<Tile_Buffer, "", [MemRead]>:$src, Arg<Tile_Buffer, "", [MemWrite]>:$dst);
  let assemblyFormat = "$src `to` $dst attr-dict `:` type($src) `to` type($dst)";
  let hasVerifier = 1;
}

def Tile_ParallelOp : Tile_Op<"parallel", [SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "Independent points of a box, in any order, spread over the workgroup";
  let description = [{
    The region has one i32 argument per extent. The body is scalar code:
    `tile.load`, `tile.store`, `tile.atomic`, arith, math, scf.
    `layout`, set by `tile-infer-layouts`, maps points to threads and registers.
  }];
  let arguments = (ins DenseI64ArrayAttr:$extents, OptionalAttr<Tile_LayoutAttr>:$layout,
                       OptionalAttr<Tile_NaturalAttr>:$coalesced_width);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::ArrayRef<int64_t>":$extents)>];
}

//===----------------------------------------------------------------------===//
// Scalar access
//===----------------------------------------------------------------------===//

def Tile_LoadOp : Tile_Op<"load"> {
  let summary = "One element";
  let arguments = (ins Arg<Tile_Buffer, "", [MemRead]>:$source, Variadic<Tile_Index>:$indices);
  let results = (outs Tile_Scalar:$result);
  let assemblyFormat = "$source `[` $indices (`:` type($indices)^)? `]` attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_StoreOp : Tile_Op<"store"> {
  let summary = "One element; outside a parallel, every thread stores the same value";
  let arguments = (ins Tile_Scalar:$value, Arg<Tile_Buffer, "", [MemWrite]>:$dest, Variadic<Tile_Index>:$indices);
  let assemblyFormat = "$value `,` $dest `[` $indices (`:` type($indices)^)? `]` attr-dict `:` type($value) `,` type($dest)";
  let hasVerifier = 1;
}

def Tile_AtomicOp : Tile_Op<"atomic", [AllTypesMatch<["value", "result"]>]> {
  let summary = "Atomic read-modify-write of one element of a global or shared buffer; gives the old value";
  let description = [{
    Without an order it is relaxed. A release comes after all that the executing
    thread has written, for any workgroup that acquires; where all threads of a
    workgroup come by, after what any of them has written.
  }];
  let arguments = (ins Tile_AtomicKindAttr:$kind, Tile_Scalar:$value,
                       Arg<Tile_Buffer, "", [MemRead, MemWrite]>:$dest, Variadic<Tile_Index>:$indices,
                       OptionalAttr<Tile_MemoryOrderAttr>:$order);
  let results = (outs Tile_Scalar:$result);
  let assemblyFormat = "$kind $value `,` $dest `[` $indices (`:` type($indices)^)? `]` (`order` $order^)? attr-dict `:` type($value) `,` type($dest)";
  let builders = [OpBuilder<(ins "AtomicKind":$kind, "::mlir::Value":$value, "::mlir::Value":$dest,
                                 "::mlir::ValueRange":$indices, CArg<"MemoryOrderAttr", "{}">:$order), [{
    build($_builder, $_state, value.getType(), kind, value, dest, indices, order);
  }]>];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

def Tile_ThreadIdOp : Tile_Op<"thread_id", [Pure]> {
  let summary = "The thread's index in its workgroup along a dimension (code written per thread)";
  let arguments = (ins DefaultValuedAttr<ConfinedAttr<I64Attr, [IntMinValue<0>, IntMaxValue<2>]>, "0">:$dim);
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}

def Tile_ShuffleOp : Tile_Op<"shuffle", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "The value that lane `lane` (mod 64) of the thread's wavefront has";
  let description = [{
    Per-thread code. All lanes of the wavefront must run it; what a lane outside
    the running ones would give is undefined.
  }];
  let arguments = (ins Tile_Scalar:$value, I32:$lane);
  let results = (outs Tile_Scalar:$result);
  let assemblyFormat = "$value `,` $lane attr-dict `:` type($value)";
}
def Tile_BallotOp : Tile_Op<"ballot", [Pure]> {
  let summary = "Bit l: whether the condition holds in lane l of the thread's wavefront";
  let arguments = (ins I1:$condition);
  let results = (outs I64:$result);
  let assemblyFormat = "$condition attr-dict";
}
def Tile_SyncOp : Tile_Op<"sync", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "All threads of the workgroup wait for one another; LDS writes become visible";
  let assemblyFormat = "attr-dict";
}

def Tile_PrintOp : Tile_Op<"print", [MemoryEffects<[MemWrite]>]> {
  let summary = "Print a message and values (T.print)";
  let arguments = (ins StrAttr:$message, Variadic<AnyType>:$values);
  let assemblyFormat = "$message (`,` $values^ `:` type($values))? attr-dict";
}

def Tile_AssertOp : Tile_Op<"assert", [MemoryEffects<[MemWrite]>]> {
  let summary = "Stop the launch with a message unless the condition holds (T.device_assert)";
  let arguments = (ins I1:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict";
}

#endif // TLC_DIALECT_TILE_IR_TILEOPS_TD
