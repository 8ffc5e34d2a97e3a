//===- Patterns.h - Shared by the files of this conversion ------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_CONVERSION_WAVETOROCDL_PATTERNS_H
#define TLC_LIB_CONVERSION_WAVETOROCDL_PATTERNS_H

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tlc {

/// Address spaces of AMDGPU.
enum AddressSpace : unsigned { kGlobal = 1, kLds = 3, kBufferRsrc = 8 };

/// LDS of a workgroup on gfx942, in bytes.
constexpr int64_t kMaxLdsBytes = 65536;

/// Builds LLVM dialect ops at one place.
struct Build {
  mlir::OpBuilder &b;
  mlir::Location loc;

  mlir::Value intrinsic(llvm::StringRef name, mlir::Type result,
                        mlir::ValueRange args);
  void intrinsic(llvm::StringRef name, mlir::ValueRange args);
  mlir::Value i1(bool value);
  mlir::Value i16(int64_t value);
  mlir::Value i32(int64_t value);
  mlir::Value i64(int64_t value);
  mlir::Value f32(float value);
  mlir::Type i32Type() { return b.getI32Type(); }
  mlir::Value bitcast(mlir::Value value, mlir::Type type);

  /// `value` (at least one byte) as i32 pieces; the last is zero-extended.
  llvm::SmallVector<mlir::Value> toDwords(mlir::Value value);
  mlir::Value fromDwords(llvm::ArrayRef<mlir::Value> dwords, mlir::Type type);
};

/// Calls `body` on each element of `value` and puts the results together.
template <typename Body>
mlir::Value forEachElement(Build &build, mlir::Value value,
                           mlir::Type resultType, Body body) {
  using namespace mlir;
  auto vector = dyn_cast<VectorType>(value.getType());
  if (!vector)
    return body(value);
  // Every element is overwritten.
  Value result = LLVM::PoisonOp::create(build.b, build.loc, resultType);
  for (int64_t i = 0; i != vector.getNumElements(); ++i) {
    Value index = build.i32(i);
    Value element =
        LLVM::ExtractElementOp::create(build.b, build.loc, value, index);
    result = LLVM::InsertElementOp::create(build.b, build.loc, result,
                                           body(element), index);
  }
  return result;
}

/// Bits of an LLVM scalar or one-dimensional vector type.
unsigned getBits(mlir::Type type);
/// The type memory accesses of `bytes` use: i8, i16, i32 or a vector of i32;
/// null where there is none.
mlir::Type getMemoryType(mlir::MLIRContext *context, int64_t bytes);

void populateKernelPatterns(mlir::LLVMTypeConverter &converter,
                            mlir::RewritePatternSet &patterns);
void populateMemoryPatterns(mlir::LLVMTypeConverter &converter,
                            mlir::RewritePatternSet &patterns);
void populateCrossLanePatterns(mlir::LLVMTypeConverter &converter,
                               mlir::RewritePatternSet &patterns);
void populateRangedPatterns(mlir::LLVMTypeConverter &converter,
                            mlir::RewritePatternSet &patterns);
void populateFloatPatterns(mlir::LLVMTypeConverter &converter,
                           mlir::RewritePatternSet &patterns);

} // namespace tlc

#endif // TLC_LIB_CONVERSION_WAVETOROCDL_PATTERNS_H
