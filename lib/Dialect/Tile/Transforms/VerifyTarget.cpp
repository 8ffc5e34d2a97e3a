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
// 4. An element of a tile in LDS or registers that does not exist: nothing
//    checks those on the device. Known are constant indices and indices at the
//    points of a loop or copy; what a condition guards is left to it.
// 5. A warning: an access of global memory none of whose points is inside. Some
//    beyond the end are how tails are written.
//
// Whether a buffer fits LDS is not asked here: tile-fit-lds knows what others
// live beside it.
//
//   tile.gemm %a, %b into %c : memref<..xf64>...
//     -> error: no matrix instruction of gfx942 multiplies f64 by f64 into f64
//   tile.parallel (%i) in (64) { tile.load %s[%i + 8] }, %s : memref<64xf32,
//   ..>
//     -> error: index 71 is outside dimension 0 of 's', which has 64 elements
//
//===----------------------------------------------------------------------===//

#include "BufferUse.h"
#include "mlir/IR/Matchers.h"
#include "tlc/Dialect/Tile/Transforms/GemmLayouts.h"
#include "tlc/Dialect/Tile/Transforms/Passes.h"
#include "tlc/Dialect/Tile/Transforms/TileAccess.h"
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

/// The least or greatest value of an index over all points.
static int64_t extreme(const PointIndex &index, ArrayRef<int64_t> extents,
                       bool greatest) {
  int64_t v = index.constant;
  for (auto [c, extent] : llvm::zip(index.coeffs, extents))
    if ((c > 0) == greatest)
      v += c * (extent - 1);
  return v;
}

/// Says of an access of global memory that it never touches the tensor.
static void warnNeverInside(const Access &access, unsigned d, int64_t index,
                            int64_t size) {
  InFlightDiagnostic diag =
      access.op->emitWarning("index ")
      << index << " is outside dimension " << d << " of '"
      << getBufferName(access.buffer) << "', which has " << size
      << (size == 1 ? " element" : " elements") << ": nothing is "
      << (access.writes ? "written " : "read ") << kNeverInsideTag;
  if (access.reads)
    diag.attachNote(access.op->getLoc())
        << "an element outside a tensor reads as 0, or as the value that "
           "T.annotate_safe_value gives";
}

/// Whether an op stands under an `if` within its kernel.
static bool isUnderCondition(Operation *op) {
  return op->getParentOfType<scf::IfOp>() ||
         op->getParentOfType<scf::WhileOp>();
}

/// An element by constants, outside of loops over points.
static void verifyElement(Operation *op, Value buffer, ValueRange indices,
                          bool writes) {
  if (getSpace(buffer) != Space::Global || isUnderCondition(op) ||
      op->getParentOfType<ParallelOp>())
    return;
  auto type = cast<MemRefType>(buffer.getType());
  for (auto [d, index] : llvm::enumerate(indices)) {
    APInt at;
    if (type.isDynamicDim(d) || !matchPattern(index, m_ConstantInt(&at)) ||
        (!at.isNegative() && at.getSExtValue() < type.getDimSize(d)))
      continue;
    Access access;
    access.op = op;
    access.buffer = buffer;
    access.writes = writes;
    access.reads = !writes;
    return warnNeverInside(access, d, at.getSExtValue(), type.getDimSize(d));
  }
}

static LogicalResult verifyBounds(Operation *op) {
  SmallVector<int64_t> extents = getPoints(op);
  for (const Access &access : getPointAccesses(op)) {
    auto type = cast<MemRefType>(access.buffer.getType());
    bool global = getSpace(access.buffer) == Space::Global;
    if (access.conditional || (global && isUnderCondition(op)))
      continue;
    for (auto [d, index] : llvm::enumerate(access.indices)) {
      if (!index.known || index.uniform || type.isDynamicDim(d))
        continue;
      int64_t least = extreme(index, extents, false),
              most = extreme(index, extents, true), size = type.getDimSize(d);
      if (least >= 0 && most < size)
        continue;
      if (global) {
        if (least < size && most >= 0)
          continue;
        warnNeverInside(access, d, least >= size ? least : most, size);
        break;
      }
      InFlightDiagnostic diag =
          access.op->emitError("index ")
          << (least < 0 ? least : most) << " is outside dimension " << d
          << " of '" << getBufferName(access.buffer) << "', which has " << size
          << (size == 1 ? " element " : " elements ") << kOutOfBoundsTag;
      if (Operation *alloc = getBase(access.buffer).getDefiningOp())
        diag.attachNote(alloc->getLoc()) << "allocated here";
      return diag;
    }
  }
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
      else if (isa<ParallelOp, CopyOp, FillOp>(op))
        result = verifyBounds(op);
      else if (auto load = dyn_cast<LoadOp>(op))
        verifyElement(op, load.getSource(), load.getIndices(), false);
      else if (auto store = dyn_cast<StoreOp>(op))
        verifyElement(op, store.getDest(), store.getIndices(), true);
      failedAny |= failed(result);
    });
    if (failedAny)
      signalPassFailure();
  }
};
} // namespace
