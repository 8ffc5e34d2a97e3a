//===- DTypes.h - Element types of the language -----------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Element types as the language names them. A DType is a pointer into a table
// that lives as long as the process; equal types are the same pointer. It says
// more than an MLIR type does: whether integers are signed, and which values a
// byte holds.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_FRONTEND_DTYPES_H
#define TLC_LIB_FRONTEND_DTYPES_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringRef.h"

namespace tlc::frontend {

/// One element type; there is one object of each, so pointers compare.
struct DTypeInfo {
  enum Class : uint8_t { Bool, Int, UInt, Float };
  llvm::StringRef name;
  Class cls;
  uint8_t bits;
  /// A vector of several: the type of a lane is `element`; the other members
  /// are that type's.
  uint8_t lanes = 1;
  const DTypeInfo *element = nullptr;

  bool isBool() const { return cls == Bool; }
  bool isInteger() const { return cls == Int || cls == UInt; }
  bool isSigned() const { return cls == Int; }
  bool isFloat() const { return cls == Float; }
  /// Two elements to a byte in global memory; see SubByte.cpp.
  bool isSubByte() const { return bits == 4; }
  bool isFloat8() const { return cls == Float && bits == 8; }
  /// A power of two, in its eight exponent bits.
  bool isExponent() const { return name == "float8_e8m0fnu"; }
  /// In memory a code in an i8, computed with as a wider type: SubByte.cpp.
  bool isCoded() const { return isSubByte() || isExponent(); }

  /// The type of a value of this element type (bool is i1).
  mlir::Type valueType(mlir::MLIRContext *context) const;
  /// The type of an element in memory (bool is i8: 0 or 1).
  mlir::Type storageType(mlir::MLIRContext *context) const;
};
using DType = const DTypeInfo *;

/// By its name or an alias; null if there is none.
DType findDType(llvm::StringRef name);
/// The names that it finds, aliases included, without vectors.
void forEachDType(llvm::function_ref<void(llvm::StringRef)> fn);
/// The integer type of a width.
DType integerType(unsigned bits, bool isSigned);

namespace dtypes {
extern const DType boolean, int32, int64, uint8, float16, bfloat16, float32,
    float64;
} // namespace dtypes

} // namespace tlc::frontend

#endif // TLC_LIB_FRONTEND_DTYPES_H
