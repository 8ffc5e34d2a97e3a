//===- TileDialect.td - The tile dialect, its types and attributes -*- tablegen -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_DIALECT_TILE_IR_TILEDIALECT_TD
#define TLC_DIALECT_TILE_IR_TILEDIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::tlc::tile";
  let summary = "Logical tiles: no threads, no lanes, no LDS addresses";
  let description = [{
    A tile program is a `tile.func` whose body launches `tile.kernel`s in order.
    Buffers are memrefs in one of four spaces (`#tile.space<...>`); tile ops read
    and write whole buffers or views of them. Scalars are `arith` and `math`,
    control flow is `scf`. Language integers are signless i8..i64 (signedness is
    in the ops), indices are i32 or i64.

    Semantics are sequential and bounds-safe: a read outside a *global* tensor
    gives its pad value (0 unless `pad` says otherwise), a write outside is
    dropped. An index outside a shared, fragment or local buffer is an error.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::math::MathDialect"];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}

class Tile_Type<string name, string typeMnemonic> : TypeDef<Tile_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Tile_PtrType : Tile_Type<"Ptr", "ptr"> {
  let summary = "A pointer to elements in global memory: what a kernel argument is";
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
}

class Tile_I32Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tlc::tile";
  let genSpecializedAttr = 0;
}

def Tile_Space : Tile_I32Enum<"Space", "Where a buffer lives", [
  I32EnumAttrCase<"Global", 0, "global">,
  I32EnumAttrCase<"Shared", 1, "shared">,     // LDS
  I32EnumAttrCase<"Fragment", 2, "fragment">, // registers, spread over the workgroup
  I32EnumAttrCase<"Local", 3, "local">        // private to each thread
]>;
def Tile_SpaceAttr : EnumAttr<Tile_Dialect, Tile_Space, "space"> {
  let assemblyFormat = "`<` $value `>`";
}

def Tile_ReduceKind : Tile_I32Enum<"ReduceKind", "Reduction operator", [
  I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Max", 1, "max">,
  I32EnumAttrCase<"Min", 2, "min">, I32EnumAttrCase<"AbsMax", 3, "absmax">,
  I32EnumAttrCase<"AbsSum", 4, "abssum">, I32EnumAttrCase<"And", 5, "and">,
  I32EnumAttrCase<"Or", 6, "or">, I32EnumAttrCase<"Xor", 7, "xor">,
  I32EnumAttrCase<"UMax", 8, "umax">, I32EnumAttrCase<"UMin", 9, "umin">
]>;
def Tile_ReduceKindAttr : EnumAttr<Tile_Dialect, Tile_ReduceKind, "reduce_kind"> {
  let assemblyFormat = "`<` $value `>`";
}

def Tile_AtomicKind : Tile_I32Enum<"AtomicKind", "Atomic read-modify-write operator", [
  I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Max", 1, "max">,
  I32EnumAttrCase<"Min", 2, "min">, I32EnumAttrCase<"UMax", 3, "umax">,
  I32EnumAttrCase<"UMin", 4, "umin">, I32EnumAttrCase<"And", 5, "and">,
  I32EnumAttrCase<"Or", 6, "or">, I32EnumAttrCase<"Xor", 7, "xor">,
  I32EnumAttrCase<"Exchange", 8, "exchange">
]>;
def Tile_AtomicKindAttr : EnumAttr<Tile_Dialect, Tile_AtomicKind, "atomic_kind"> {
  let assemblyFormat = "`<` $value `>`";
}

def Tile_MemoryOrder : Tile_I32Enum<"MemoryOrder", "What an atomic orders besides itself", [
  I32EnumAttrCase<"Acquire", 0, "acquire">, I32EnumAttrCase<"Release", 1, "release">,
  I32EnumAttrCase<"AcqRel", 2, "acq_rel">, I32EnumAttrCase<"SeqCst", 3, "seq_cst">
]>;
def Tile_MemoryOrderAttr : EnumAttr<Tile_Dialect, Tile_MemoryOrder, "memory_order"> {
  let assemblyFormat = "`<` $value `>`";
}

def Tile_WarpPolicy : Tile_I32Enum<"WarpPolicy", "How wavefronts share a gemm's result", [
  I32EnumAttrCase<"Square", 0, "square">, I32EnumAttrCase<"FullRow", 1, "full_row">,
  I32EnumAttrCase<"FullCol", 2, "full_col">
]>;
def Tile_WarpPolicyAttr : EnumAttr<Tile_Dialect, Tile_WarpPolicy, "policy"> {
  let assemblyFormat = "`<` $value `>`";
}

def Tile_LayoutAttr : AttrDef<Tile_Dialect, "Layout"> {
  let mnemonic = "layout";
  let summary = "Where each element of a buffer or point of a loop lives (tlc::Layout)";
  let description = [{
    Per dimension, its mixed-radix digits, innermost first, each written
    `extent:place stride` with the place `r` (register), `t` (thread of the
    workgroup) or `m` (memory, in elements), `-` before the place for a digit
    that counts down; then the XOR terms of the memory coordinate as
    `xor(shift_right, mask, shift_left)`, or of the thread as `thread_xor(...)`.

    The 32x32x8 accumulator of one wavefront, a query row in a lane:
    `#tile.layout<[32:t1], [4:r1, 2:t32, 4:r4]>`.
  }];
  let parameters = (ins "::tlc::Layout":$layout);
  let hasCustomAssemblyFormat = 1;
}

#endif // TLC_DIALECT_TILE_IR_TILEDIALECT_TD
