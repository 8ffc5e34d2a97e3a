//===- WaveDialect.cpp - The wave dialect -----------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of matrix instructions is the dialect's one piece of knowledge
// about the machine: shapes, element types and passes (4 cycles each) of the
// CDNA3 ISA's MFMA, one block each. Everything else that it verifies is the
// size of memory accesses and of workgroups.
//
//===----------------------------------------------------------------------===//

#include "tlc/Dialect/Wave/IR/WaveDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "tlc/Dialect/FuncSyntax.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::wave;

#include "tlc/Dialect/Wave/IR/WaveDialect.cpp.inc"
#include "tlc/Dialect/Wave/IR/WaveEnums.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "tlc/Dialect/Wave/IR/WaveTypes.cpp.inc"

void WaveDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "tlc/Dialect/Wave/IR/WaveOps.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "tlc/Dialect/Wave/IR/WaveTypes.cpp.inc"
      >();
}

/// Sub-byte values round up: an i1 takes a byte, as in memory.
int64_t wave::getByteSize(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return (vector.getNumElements() * vector.getElementTypeBitWidth() + 7) / 8;
  return (type.getIntOrFloatBitWidth() + 7) / 8;
}

//===----------------------------------------------------------------------===//
// kernel
//===----------------------------------------------------------------------===//

void KernelOp::build(OpBuilder &b, OperationState &state, StringRef name,
                     FunctionType type, int64_t threads, int64_t ldsBytes,
                     ArrayRef<DictionaryAttr> argAttrs) {
  state.addAttribute(getThreadsAttrName(state.name),
                     b.getI64IntegerAttr(threads));
  state.addAttribute(getLdsBytesAttrName(state.name),
                     b.getI64IntegerAttr(ldsBytes));
  buildFunc<KernelOp>(b, state, name, type, argAttrs);
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseFunc<KernelOp>(parser, result);
}
void KernelOp::print(OpAsmPrinter &p) { printFunc(p, *this); }

/// How much LDS there is, is asked where the target's code is made.
LogicalResult KernelOp::verify() {
  int64_t threads = getThreads();
  if (threads < 64 || threads > 1024 || threads % 64)
    return emitOpError("has ")
           << threads << " threads; a gfx942 workgroup is 64 to 1024 threads "
           << "in whole wavefronts of 64";
  if (!getResultTypes().empty())
    return emitOpError("has no results: they are written through pointers");
  return success();
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

/// buffer_load and buffer_store exist for bytes, shorts, and one to four
/// dwords; LDS accesses are split where they are lowered and need no such rule.
static LogicalResult verifyBufferSize(Operation *op, Type type) {
  int64_t bytes = getByteSize(type);
  if (llvm::is_contained({1, 2, 4, 8, 12, 16}, bytes))
    return success();
  return op->emitOpError("moves ")
         << bytes << " bytes a lane; buffer accesses move 1, 2, 4, 8, 12 or 16";
}
LogicalResult BufferLoadOp::verify() {
  return verifyBufferSize(*this, getType());
}
LogicalResult BufferStoreOp::verify() {
  return verifyBufferSize(*this, getValue().getType());
}

/// What gfx942 multiplies. Elements a lane holds follow from the shape:
/// A m*k/64, B n*k/64, C m*n/64.
namespace {
enum class Kind { F16, BF16, F8, I8, F32, F64 };
struct MfmaEntry {
  Kind kind;
  int64_t m, n, k, passes;
};
} // namespace
// Kind, m, n, k, passes. f64 has 32x32 in no form, and xf32 is left out: its
// operands lose 13 bits of an f32 that the program asked for.
static constexpr MfmaEntry mfmaTable[] = {
    {Kind::F16, 32, 32, 8, 8},  {Kind::F16, 16, 16, 16, 4},
    {Kind::BF16, 32, 32, 8, 8}, {Kind::BF16, 16, 16, 16, 4},
    {Kind::F8, 32, 32, 16, 8},  {Kind::F8, 16, 16, 32, 4},
    {Kind::I8, 32, 32, 16, 8},  {Kind::I8, 16, 16, 32, 4},
    {Kind::F32, 32, 32, 2, 16}, {Kind::F32, 16, 16, 4, 8},
    {Kind::F64, 16, 16, 4, 8},
};

/// The row of types for a pair of operands and an accumulator; the two 8-bit
/// floats of gfx942 (FNUZ) may be mixed, nothing else may.
static std::optional<Kind> kindOf(Type a, Type b, Type c) {
  auto f8 = [](Type t) {
    return isa<Float8E4M3FNUZType, Float8E5M2FNUZType>(t);
  };
  if (f8(a) && f8(b) && c.isF32())
    return Kind::F8;
  if (a != b)
    return std::nullopt;
  if (c.isF32())
    return a.isF16()    ? std::optional(Kind::F16)
           : a.isBF16() ? std::optional(Kind::BF16)
           : a.isF32()  ? std::optional(Kind::F32)
                        : std::nullopt;
  if (a.isInteger(8) && c.isInteger(32))
    return Kind::I8;
  if (a.isF64() && c.isF64())
    return Kind::F64;
  return std::nullopt;
}

/// A linear search: eleven entries, asked a few times a kernel.
std::optional<MfmaInfo> wave::getMfma(int64_t m, int64_t n, int64_t k, Type a,
                                      Type b, Type c) {
  std::optional<Kind> kind = kindOf(a, b, c);
  if (!kind)
    return std::nullopt;
  for (const MfmaEntry &e : mfmaTable)
    if (e.kind == *kind && e.m == m && e.n == n && e.k == k)
      return MfmaInfo{m, n, k, e.passes, m * k / 64, n * k / 64, m * n / 64};
  return std::nullopt;
}

void MfmaOp::build(OpBuilder &b, OperationState &state, ArrayRef<int64_t> shape,
                   Value a, Value bb, Value c) {
  build(b, state, c.getType(), shape, a, bb, c);
}

/// Refuses shapes that the table lacks, and operands that do not hold exactly
/// their lane's share (m * k / 64 elements of A and so on).
LogicalResult MfmaOp::verify() {
  ArrayRef<int64_t> s = getShape();
  if (s.size() != 3)
    return emitOpError("shape must be [m, n, k]");
  auto count = [](Type t) {
    auto v = dyn_cast<VectorType>(t);
    return v ? v.getNumElements() : 1;
  };
  std::optional<MfmaInfo> info =
      getMfma(s[0], s[1], s[2], getElementTypeOrSelf(getA().getType()),
              getElementTypeOrSelf(getB().getType()),
              getElementTypeOrSelf(getC().getType()));
  if (!info)
    return emitOpError("gfx942 has no ")
           << s[0] << "x" << s[1] << "x" << s[2] << " instruction for "
           << getA().getType() << " and " << getB().getType();
  if (count(getA().getType()) != info->aRegs ||
      count(getB().getType()) != info->bRegs ||
      count(getC().getType()) != info->cRegs)
    return emitOpError("operands must hold ")
           << info->aRegs << ", " << info->bRegs << " and " << info->cRegs
           << " elements a lane";
  if (getD().getType() != getC().getType())
    return emitOpError("result and C must have the same type");
  return success();
}

#define GET_OP_CLASSES
#include "tlc/Dialect/Wave/IR/WaveOps.cpp.inc"
