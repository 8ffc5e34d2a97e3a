//===- DType.h - The language's element types on the host -------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The element types of tensors as the host sees them: names, sizes, and for
// the floating-point ones the format itself, with rounding to nearest even,
// encoding and decoding. Independent of MLIR and of the simulator.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_SUPPORT_DTYPE_H
#define TLC_SUPPORT_DTYPE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace tlc {

/// A binary floating-point format of at most 64 bits.
struct FloatFormat {
  enum class Specials : uint8_t {
    IEEE, ///< all-ones exponent: infinities and NaNs
    FN,   ///< no infinities; all ones is NaN
    FNUZ  ///< no infinities, no -0; the sign bit alone is NaN
  };
  const char *name;
  uint8_t bits;
  uint8_t mantissaBits; ///< stored ones
  int16_t bias;
  Specials specials;
  /// Out of range becomes the largest number (fp8) instead of infinity.
  bool saturates;
  double maxFinite;
  double unit;    ///< half a unit in the last place of 1: 2^-(mantissaBits+1)
  double minimum; ///< smallest normal number

  /// The nearest number of the format, ties to even.
  double round(double x) const;
  /// Bits of `round(x)`.
  uint64_t encode(double x) const;
  double decode(uint64_t bits) const;
};

extern const FloatFormat f16Format, bf16Format, f32Format, f64Format,
    e4m3fnFormat, e4m3fnuzFormat, e5m2Format, e5m2fnuzFormat;

enum class DType : uint8_t {
  Bool,
  Int8,
  Int16,
  Int32,
  Int64,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  Float16,
  BFloat16,
  Float32,
  Float64,
  Float8E4M3FN,
  Float8E4M3FNUZ,
  Float8E5M2,
  Float8E5M2FNUZ
};

/// Bytes of one element in memory.
unsigned byteSize(DType type);
/// "float16", "float8_e4m3fn", "bool", ...
llvm::StringRef toString(DType type);
/// By the language's name or a usual short one ("f16", "bf16", "i32", "u8").
std::optional<DType> parseDType(llvm::StringRef name);
/// Null for integers and bool.
const FloatFormat *floatFormat(DType type);
bool isUnsigned(DType type);

/// A dense row-major array in host memory.
struct Array {
  DType type = DType::Float32;
  llvm::SmallVector<int64_t, 4> shape;
  std::vector<uint8_t> bytes;

  Array() = default;
  Array(DType type, llvm::ArrayRef<int64_t> shape)
      : type(type), shape(shape), bytes(elements() * byteSize(type)) {}

  int64_t elements() const {
    int64_t n = 1;
    for (int64_t extent : shape)
      n *= extent;
    return n;
  }
  /// Raw bits of an element, zero-extended.
  uint64_t bits(int64_t index) const {
    uint64_t value = 0;
    unsigned size = byteSize(type);
    std::memcpy(&value, bytes.data() + index * size, size);
    return value;
  }
  void setBits(int64_t index, uint64_t value) {
    unsigned size = byteSize(type);
    std::memcpy(bytes.data() + index * size, &value, size);
  }
  /// The element as a number; integers above 2^53 lose digits.
  double number(int64_t index) const;
  /// Stores a number, rounded to the type.
  void setNumber(int64_t index, double value);
};

/// "[2, 512, 64]".
std::string shapeString(llvm::ArrayRef<int64_t> shape);

} // namespace tlc

#endif // TLC_SUPPORT_DTYPE_H
