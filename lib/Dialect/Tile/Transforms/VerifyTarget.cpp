//===- VerifyTarget.cpp - Refuse what gfx942 cannot do ----------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Errors at the place in the source, before any pass depends on the target:
// 1. A tile.gemm whose element types no MFMA instruction of gfx942 takes; the
//    message names the nearest that do.
// 2. A tile.atomic on a type without an atomic instruction.
// 3. Element types that no pass lowers (wider than 64 bits, or of no whole
//    bytes but i1).
//
// Whether a buffer fits LDS is not asked here: tile-fit-lds knows what others
// live beside it.
//
//   tile.gemm %a, %b into %c : memref<..xf64>...
//     -> error: no matrix instruction of gfx942 multiplies f64 by f64 into f64
//
//===----------------------------------------------------------------------===//

#include "BufferUse.h"
#include "tlc/Dialect/Tile/Transforms/GemmLayouts.h"
#include "tlc/Dialect/Tile/Transforms/Passes.h"
#include "tlc/Layout/BankModel.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

namespace tlc::tile {
#define GEN_PASS_DEF_TILEVERIFYTARGET
#include "tlc/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tlc::tile

static Type elementOf(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getElementType();
}

static LogicalResult verifyGemm(GemmOp gemm) {
  if (succeeded(getGemmTypes(gemm)))
    return success();
  Type a = elementOf(gemm.getA()), b = elementOf(gemm.getB()),
       c = elementOf(gemm.getC());
  InFlightDiagnostic diag =
      gemm.emitError("no matrix instruction of gfx942 multiplies ")
      << a << " by " << b << " into " << c << ' ' << kNoMfmaTag;
  if (isa<FloatType>(a) && isa<FloatType>(b) && a != b)
    diag.attachNote() << "both operands must have one type: cast one of them";
  else if (isa<FloatType>(a) && !isa<FloatType>(c))
    diag.attachNote() << "floating-point products are accumulated in f32";
  else if (isa<IntegerType>(a))
    diag.attachNote() << "integer products exist for i8 operands with an i32 "
                         "accumulator";
  else
    diag.attachNote() << "operands can be f16, bf16, f32 or 8-bit floats, the "
                         "accumulator f32";
  return diag;
}

/// Whether memory has an instruction for it, or a loop of compare and swap
/// serves. The same types in LDS and global memory: integers of 8 bits and
/// more, sums, minima and maxima of floats of 16 bits and more.
static bool hasAtomic(AtomicKind kind, Type type) {
  if (kind == AtomicKind::Exchange)
    return type.getIntOrFloatBitWidth() == 32 ||
           type.getIntOrFloatBitWidth() == 64;
  if (type.isInteger(8) || type.isInteger(16) || type.isInteger(32) ||
      type.isInteger(64))
    return true;
  return (kind == AtomicKind::Add || kind == AtomicKind::Max ||
          kind == AtomicKind::Min) &&
         (type.isF32() || type.isF64() || type.isF16() || type.isBF16());
}

static LogicalResult verifyAtomic(AtomicOp atomic) {
  Type type = atomic.getValue().getType();
  if (hasAtomic(atomic.getKind(), type))
    return success();
  InFlightDiagnostic diag = atomic.emitError("gfx942 has no atomic ")
                            << stringifyAtomicKind(atomic.getKind()) << " of "
                            << type;
  diag.attachNote() << (isa<FloatType>(type)
                            ? "floats of 16 bits and more can be added and "
                              "compared"
                            : "an exchange needs 32 or 64 bits, any other "
                              "atomic whole bytes");
  return diag;
}

static LogicalResult verifyAlloc(AllocOp alloc) {
  auto type = cast<MemRefType>(alloc.getType());
  unsigned bits = type.getElementTypeBitWidth();
  if (bits > 64 || (bits != 1 && bits % 8))
    return alloc.emitError("no buffer on gfx942 holds elements of type ")
           << type.getElementType();
  return success();
}

namespace {
struct VerifyTarget : tlc::tile::impl::TileVerifyTargetBase<VerifyTarget> {
  void runOnOperation() override {
    bool failedAny = false;
    getOperation().walk([&](Operation *op) {
      LogicalResult result = success();
      if (auto gemm = dyn_cast<GemmOp>(op))
        result = verifyGemm(gemm);
      else if (auto atomic = dyn_cast<AtomicOp>(op))
        result = verifyAtomic(atomic);
      else if (auto alloc = dyn_cast<AllocOp>(op))
        result = verifyAlloc(alloc);
      failedAny |= failed(result);
    });
    if (failedAny)
      signalPassFailure();
  }
};
} // namespace
