//===- WaveDialect.td - The wave dialect and its types -*- tablegen -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_DIALECT_WAVE_IR_WAVEDIALECT_TD
#define TLC_DIALECT_WAVE_IR_WAVEDIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def Wave_Dialect : Dialect {
  let name = "wave";
  let cppNamespace = "::tlc::wave";
  let summary = "One wavefront's view: what each of its 64 lanes holds and does";
  let description = [{
    Values are per lane: a scalar is one VGPR (or SGPR where uniform), a vector
    is consecutive registers. Arithmetic is `arith`, `math` and `vector`;
    control flow is `scf`. LDS is one array of `lds_bytes`, addressed in bytes by
    i32. Global memory is addressed by `!wave.ptr` plus a byte offset, or through
    a buffer resource, whose accesses outside `num_bytes` read 0 and write
    nothing, decided per dword of a wide access.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::mlir::math::MathDialect", "::mlir::vector::VectorDialect"];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 0;
}

def Wave_PtrType : TypeDef<Wave_Dialect, "Ptr"> {
  let mnemonic = "ptr";
  let summary = "An address in global memory";
}
def Wave_RsrcType : TypeDef<Wave_Dialect, "Rsrc"> {
  let mnemonic = "rsrc";
  let summary = "A raw buffer resource: base address and size in bytes (four SGPRs)";
}

#endif // TLC_DIALECT_WAVE_IR_WAVEDIALECT_TD
