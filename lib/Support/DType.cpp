//===- DType.cpp - The language's element types on the host ---------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rounding works on the double's exponent: every format's numbers near x are
// the multiples of one power of two, so x is scaled to it, rounded to an
// integer by the host's own nearest-even addition, and scaled back. Both
// scalings are exact.
//
//===----------------------------------------------------------------------===//

#include "tlc/Support/DType.h"

#include <bit>
#include <cmath>
#include <limits>

using namespace tlc;

namespace {

/// 2^e as a double, for normal results.
double power2(int e) { return std::bit_cast<double>(uint64_t(e + 1023) << 52); }

/// To an integer, ties to even, for |x| < 2^51.
double nearest(double x) {
  const double magic = 6755399441055744.0; // 1.5 * 2^52
  volatile double sum = x + magic;         // no reassociation
  return sum - magic;
}

/// The exponent of the least normal number.
int minExponent(const FloatFormat &f) { return 1 - f.bias; }

struct DTypeInfo {
  DType type;
  const char *name, *shortName;
  unsigned bytes;
  const FloatFormat *format;
  bool isUnsigned;
};

/// In the order of the enumeration.
const DTypeInfo dtypes[] = {
    {DType::Bool, "bool", "i1", 1, nullptr, true},
    {DType::Int8, "int8", "i8", 1, nullptr, false},
    {DType::Int16, "int16", "i16", 2, nullptr, false},
    {DType::Int32, "int32", "i32", 4, nullptr, false},
    {DType::Int64, "int64", "i64", 8, nullptr, false},
    {DType::UInt8, "uint8", "u8", 1, nullptr, true},
    {DType::UInt16, "uint16", "u16", 2, nullptr, true},
    {DType::UInt32, "uint32", "u32", 4, nullptr, true},
    {DType::UInt64, "uint64", "u64", 8, nullptr, true},
    {DType::Float16, "float16", "f16", 2, &f16Format, false},
    {DType::BFloat16, "bfloat16", "bf16", 2, &bf16Format, false},
    {DType::Float32, "float32", "f32", 4, &f32Format, false},
    {DType::Float64, "float64", "f64", 8, &f64Format, false},
    {DType::Float8E4M3FN, "float8_e4m3fn", "e4m3fn", 1, &e4m3fnFormat, false},
    {DType::Float8E4M3FNUZ, "float8_e4m3fnuz", "e4m3fnuz", 1, &e4m3fnuzFormat,
     false},
    {DType::Float8E5M2, "float8_e5m2", "e5m2", 1, &e5m2Format, false},
    {DType::Float8E5M2FNUZ, "float8_e5m2fnuz", "e5m2fnuz", 1, &e5m2fnuzFormat,
     false},
};

} // namespace

namespace tlc {
// Name, bits, mantissa bits, bias, special values, whether overflow saturates,
// largest finite number, half a unit in the last place of 1, least normal
// number.
using S = FloatFormat::Specials;
const FloatFormat f16Format{"float16", 16,      10,      15,     S::IEEE,
                            false,     65504.0, 0x1p-11, 0x1p-14};
const FloatFormat bf16Format{"bfloat16", 16,          7,      127,     S::IEEE,
                             false,      0x1.fep+127, 0x1p-8, 0x1p-126};
const FloatFormat f32Format{
    "float32", 32, 23, 127, S::IEEE, false, 0x1.fffffep+127, 0x1p-24, 0x1p-126};
const FloatFormat f64Format{"float64",
                            64,
                            52,
                            1023,
                            S::IEEE,
                            false,
                            std::numeric_limits<double>::max(),
                            0x1p-53,
                            0x1p-1022};
const FloatFormat e4m3fnFormat{"float8_e4m3fn", 8,      3,     7, S::FN, true,
                               448.0,           0x1p-4, 0x1p-6};
const FloatFormat e4m3fnuzFormat{
    "float8_e4m3fnuz", 8, 3, 8, S::FNUZ, true, 240.0, 0x1p-4, 0x1p-7};
const FloatFormat e5m2Format{"float8_e5m2", 8,       2,      15,     S::IEEE,
                             true,          57344.0, 0x1p-3, 0x1p-14};
const FloatFormat e5m2fnuzFormat{
    "float8_e5m2fnuz", 8, 2, 16, S::FNUZ, true, 57344.0, 0x1p-3, 0x1p-15};
} // namespace tlc

/// To the nearest number of the format, ties to even. Beyond the largest one,
/// formats with infinities overflow, fp8 saturates (docs/language.md, section
/// 8).
double FloatFormat::round(double x) const {
  if (bits == 64)
    return x;
  if (bits == 32)
    return double(float(x));
  if (std::isnan(x))
    return x;
  double magnitude = std::fabs(x);
  if (magnitude > maxFinite * 2)
    return std::copysign(saturates ? maxFinite : INFINITY, x);
  int exponent = int((std::bit_cast<uint64_t>(magnitude) >> 52) & 0x7ff) - 1023;
  if (exponent < minExponent(*this))
    // Subnormal numbers are multiples of the same power of two.
    exponent = minExponent(*this);
  double quantum = power2(exponent - mantissaBits);
  double r = nearest(magnitude / quantum) * quantum;
  if (r > maxFinite)
    r = saturates ? maxFinite : INFINITY;
  if (r == 0 && specials == Specials::FNUZ)
    return 0.0;
  return std::copysign(r, x);
}

/// The bits of round(x). A NaN gets the format's usual one.
uint64_t FloatFormat::encode(double x) const {
  if (bits == 64)
    return std::bit_cast<uint64_t>(x);
  if (bits == 32)
    return std::bit_cast<uint32_t>(float(x));
  uint64_t sign = uint64_t(1) << (bits - 1);
  uint64_t allOnes = sign - 1;
  uint64_t exponentOnes = allOnes & ~((uint64_t(1) << mantissaBits) - 1);
  if (std::isnan(x)) {
    if (specials == Specials::FNUZ)
      return sign;
    return specials == Specials::FN
               ? allOnes
               : exponentOnes | (uint64_t(1) << (mantissaBits - 1));
  }
  double r = round(x);
  uint64_t s = std::signbit(r) ? sign : 0;
  double magnitude = std::fabs(r);
  if (std::isinf(magnitude))
    return s | exponentOnes;
  if (magnitude < minimum) // subnormal: a multiple of one quantum
    return s | uint64_t(magnitude / power2(minExponent(*this) - mantissaBits));
  int exponent = std::ilogb(magnitude);
  uint64_t fraction =
      uint64_t((magnitude / power2(exponent) - 1) * double(1 << mantissaBits));
  return s | (uint64_t(exponent + bias) << mantissaBits) | fraction;
}

/// Exact: every format's numbers are doubles.
double FloatFormat::decode(uint64_t b) const {
  if (bits == 64)
    return std::bit_cast<double>(b);
  if (bits == 32)
    return std::bit_cast<float>(uint32_t(b));
  uint64_t sign = uint64_t(1) << (bits - 1);
  bool negative = b & sign;
  uint64_t magnitude = b & (sign - 1);
  if (specials == Specials::FNUZ && b == sign)
    return NAN;
  if (specials == Specials::FN && magnitude == sign - 1)
    return NAN;
  uint64_t fraction = magnitude & ((uint64_t(1) << mantissaBits) - 1);
  uint64_t exponent = magnitude >> mantissaBits;
  uint64_t exponentOnes = (sign - 1) >> mantissaBits;
  double value;
  if (specials == Specials::IEEE && exponent == exponentOnes)
    value = fraction ? NAN : INFINITY;
  else if (exponent == 0)
    value = double(fraction) * power2(minExponent(*this) - mantissaBits);
  else
    value = double(fraction + (uint64_t(1) << mantissaBits)) *
            power2(int(exponent) - bias - mantissaBits);
  return negative ? -value : value;
}

static const DTypeInfo &info(DType type) { return dtypes[unsigned(type)]; }

unsigned tlc::byteSize(DType type) { return info(type).bytes; }
llvm::StringRef tlc::toString(DType type) { return info(type).name; }
const FloatFormat *tlc::floatFormat(DType type) { return info(type).format; }
bool tlc::isUnsigned(DType type) { return info(type).isUnsigned; }

std::optional<DType> tlc::parseDType(llvm::StringRef name) {
  for (const DTypeInfo &entry : dtypes)
    if (name == entry.name || name == entry.shortName)
      return entry.type;
  // "float8_e4m3" is how the language shortens the OCP format.
  if (name == "float8_e4m3")
    return DType::Float8E4M3FN;
  return std::nullopt;
}

double Array::number(int64_t index) const {
  uint64_t b = bits(index);
  if (const FloatFormat *format = floatFormat(type))
    return format->decode(b);
  if (isUnsigned(type))
    return double(b);
  unsigned shift = 64 - 8 * byteSize(type);
  return double(int64_t(b << shift) >> shift);
}

void Array::setNumber(int64_t index, double value) {
  if (const FloatFormat *format = floatFormat(type))
    return setBits(index, format->encode(value));
  if (type == DType::Bool)
    return setBits(index, value != 0);
  setBits(index, isUnsigned(type) && value >= 0 ? uint64_t(value)
                                                : uint64_t(int64_t(value)));
}

std::string tlc::shapeString(llvm::ArrayRef<int64_t> shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}
