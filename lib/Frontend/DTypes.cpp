//===- DTypes.cpp - Element types of the language -------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of element types, one object each, so that DType pointers compare.
// Values and memory differ in two classes: bool is i1 as a value and a byte in
// memory; types of 4 bits have two elements to a byte in global memory and one
// to a byte in tiles (SubByte.cpp).
//
// Signedness is the language's: MLIR's integers have none, so uint8 and int8
// are both i8, and the DType that goes along with an SSA value says which
// operations serve it.
//
//===----------------------------------------------------------------------===//

#include "DTypes.h"
#include "mlir/IR/Builders.h"
#include <map>

using namespace tlc;
using namespace tlc::frontend;
using D = DTypeInfo;

// The order is relied upon by the named constants below.
static const DTypeInfo table[] = {
    {"bool", D::Bool, 1},
    {"int4", D::Int, 4},
    {"int8", D::Int, 8},
    {"int16", D::Int, 16},
    {"int32", D::Int, 32},
    {"int64", D::Int, 64},
    {"uint4", D::UInt, 4},
    {"uint8", D::UInt, 8},
    {"uint16", D::UInt, 16},
    {"uint32", D::UInt, 32},
    {"uint64", D::UInt, 64},
    {"float16", D::Float, 16},
    {"bfloat16", D::Float, 16},
    {"float32", D::Float, 32},
    {"float64", D::Float, 64},
    {"tfloat32", D::Float, 32},
    {"float8_e4m3fn", D::Float, 8},
    {"float8_e4m3fnuz", D::Float, 8},
    {"float8_e5m2", D::Float, 8},
    {"float8_e5m2fnuz", D::Float, 8},
    {"float8_e4m3b11fnuz", D::Float, 8},
    {"float8_e3m4", D::Float, 8},
    {"float8_e8m0fnu", D::Float, 8},
    {"float6_e2m3fn", D::Float, 6},
    {"float6_e3m2fn", D::Float, 6},
    {"float4_e2m1fn", D::Float, 4},
};

// C's names as TVM reads them, and spellings that occur in TileLang's files.
// `long` is 64 bits; `float8_e4m3` without a suffix is OCP's, as in TileLang.
static constexpr struct {
  llvm::StringRef alias, name;
} aliases[] = {
    {"half", "float16"},
    {"float", "float32"},
    {"double", "float64"},
    {"int", "int32"},
    {"short", "int16"},
    {"long", "int64"},
    {"uint", "uint32"},
    {"char", "int8"},
    {"float8_e4m3", "float8_e4m3fn"},
    {"boolean", "bool"},
    {"e4m3_float8", "float8_e4m3fn"},
    {"e5m2_float8", "float8_e5m2"},
};

/// "float32x4": by the names of all vectors, which are made at the first call.
/// A vector's entry is a copy of its element's with the lanes filled in.
static DType findVector(llvm::StringRef name) {
  static const auto vectors = [] {
    std::map<std::string, DTypeInfo, std::less<>> result;
    for (const DTypeInfo &info : table)
      for (unsigned lanes : {2, 3, 4, 8, 16, 32, 64}) {
        auto [it, fresh] = result.try_emplace(
            info.name.str() + "x" + std::to_string(lanes), info);
        it->second.name = it->first;
        it->second.lanes = uint8_t(lanes);
        it->second.element = &info;
      }
    return result;
  }();
  auto [element, lanes] = name.rsplit('x');
  for (auto &entry : aliases)
    if (entry.alias == element)
      element = entry.name;
  auto it = vectors.find((element + "x" + lanes).str());
  return it == vectors.end() ? nullptr : &it->second;
}

/// Scalars first: no scalar's name ends in x and a number.
DType frontend::findDType(llvm::StringRef name) {
  for (auto &entry : aliases)
    if (entry.alias == name)
      name = entry.name;
  for (const DTypeInfo &info : table)
    if (info.name == name)
      return &info;
  return findVector(name);
}

void frontend::forEachDType(llvm::function_ref<void(llvm::StringRef)> fn) {
  for (auto &entry : aliases)
    fn(entry.alias);
  for (const DTypeInfo &info : table)
    fn(info.name);
}

/// Null for widths that no integer has.
DType frontend::integerType(unsigned bits, bool isSigned) {
  for (const DTypeInfo &info : table)
    if (info.cls == (isSigned ? D::Int : D::UInt) && info.bits == bits)
      return &info;
  return nullptr;
}

namespace tlc::frontend::dtypes {
const DType boolean = &table[0], int32 = &table[4], int64 = &table[5],
            uint8 = &table[7], float16 = &table[11], bfloat16 = &table[12],
            float32 = &table[13], float64 = &table[14];
} // namespace tlc::frontend::dtypes

/// fp8 and narrower floats differ in exponent bias and special values, so that
/// the name decides, not the width.
mlir::Type DTypeInfo::valueType(mlir::MLIRContext *context) const {
  mlir::Builder b(context);
  switch (cls) {
  case Bool:
    return b.getI1Type();
  case Int:
  case UInt:
    return b.getIntegerType(bits);
  case Float:
    break;
  }
  if (name == "bfloat16")
    return b.getBF16Type();
  if (bits == 16)
    return b.getF16Type();
  if (bits == 32) // tfloat32 only says how a matrix product may round
    return b.getF32Type();
  if (bits == 64)
    return b.getF64Type();
  if (name == "float8_e4m3fn")
    return mlir::Float8E4M3FNType::get(context);
  if (name == "float8_e4m3fnuz")
    return mlir::Float8E4M3FNUZType::get(context);
  if (name == "float8_e5m2")
    return mlir::Float8E5M2Type::get(context);
  if (name == "float8_e5m2fnuz")
    return mlir::Float8E5M2FNUZType::get(context);
  if (name == "float8_e4m3b11fnuz")
    return mlir::Float8E4M3B11FNUZType::get(context);
  if (name == "float8_e3m4")
    return mlir::Float8E3M4Type::get(context);
  if (name == "float8_e8m0fnu")
    return mlir::Float8E8M0FNUType::get(context);
  if (name == "float6_e2m3fn")
    return mlir::Float6E2M3FNType::get(context);
  if (name == "float6_e3m2fn")
    return mlir::Float6E3M2FNType::get(context);
  return mlir::Float4E2M1FNType::get(context);
}

/// Sub-byte floats have a byte as well: what it holds is a code, not a number.
mlir::Type DTypeInfo::storageType(mlir::MLIRContext *context) const {
  return isBool() || isCoded() ? mlir::Builder(context).getI8Type()
                               : valueType(context);
}
