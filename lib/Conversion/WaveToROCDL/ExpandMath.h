//===- ExpandMath.h - Shared by the files of expand-wave-math ---*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_CONVERSION_WAVETOROCDL_EXPANDMATH_H
#define TLC_LIB_CONVERSION_WAVETOROCDL_EXPANDMATH_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"

namespace tlc {

/// Short forms for arith and math ops at one place. Operands may be scalars or
/// vectors; constants take the shape of `like`.
struct Emit {
  mlir::OpBuilder &b;
  mlir::Location loc;
  using Value = mlir::Value;

  /// `element` with the shape of `like`.
  static mlir::Type shaped(mlir::Type like, mlir::Type element);
  Value floatConst(double v, mlir::Type type);
  Value intConst(int64_t v, mlir::Type type);
  Value cast(Value v, mlir::Type element); ///< extf or truncf, or v itself
  Value bitcast(Value v, mlir::Type element);

  template <typename Op> Value op(Value x, Value y) {
    return Op::create(b, loc, x, y);
  }
  Value add(Value x, Value y) { return op<mlir::arith::AddFOp>(x, y); }
  Value sub(Value x, Value y) { return op<mlir::arith::SubFOp>(x, y); }
  Value mul(Value x, Value y) { return op<mlir::arith::MulFOp>(x, y); }
  Value iadd(Value x, Value y) { return op<mlir::arith::AddIOp>(x, y); }
  Value isub(Value x, Value y) { return op<mlir::arith::SubIOp>(x, y); }
  Value iand(Value x, Value y) { return op<mlir::arith::AndIOp>(x, y); }
  Value ior(Value x, Value y) { return op<mlir::arith::OrIOp>(x, y); }
  Value shl(Value x, Value y) { return op<mlir::arith::ShLIOp>(x, y); }
  Value shr(Value x, Value y) { return op<mlir::arith::ShRUIOp>(x, y); }
  Value fma(Value x, Value y, Value z) {
    return mlir::math::FmaOp::create(b, loc, x, y, z);
  }
  Value select(Value c, Value x, Value y) {
    return mlir::arith::SelectOp::create(b, loc, c, x, y);
  }
  Value cmpf(mlir::arith::CmpFPredicate p, Value x, Value y) {
    return mlir::arith::CmpFOp::create(b, loc, p, x, y);
  }
  Value cmpi(mlir::arith::CmpIPredicate p, Value x, Value y) {
    return mlir::arith::CmpIOp::create(b, loc, p, x, y);
  }
  Value abs(Value x) { return mlir::math::AbsFOp::create(b, loc, x); }
  /// The polynomial at x, coefficients from the highest power down.
  Value horner(Value x, llvm::ArrayRef<double> coefficients);
};

/// bf16 and fp8 arithmetic and casts.
void populateNarrowFloatPatterns(mlir::RewritePatternSet &patterns);
/// atan and atan2 of f32 and f64.
void populateAtanPatterns(mlir::RewritePatternSet &patterns);
/// tanh, sinh, cosh, asinh and erf of f32.
void populateHyperbolicPatterns(mlir::RewritePatternSet &patterns);
/// sin, cos, tan, pow of f32 through f64.
void populateTrigPowPatterns(mlir::RewritePatternSet &patterns);

} // namespace tlc

#endif // TLC_LIB_CONVERSION_WAVETOROCDL_EXPANDMATH_H
