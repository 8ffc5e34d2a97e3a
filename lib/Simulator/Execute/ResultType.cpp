//===- ResultType.cpp - Type of a vector result ---------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The type of a vector instruction's result, read off its mnemonic, for the
// output modifiers: omod and clamp act on floats only. `v_cvt_f16_f32` gives
// f16, `v_dot2_f32_f16` f32, `v_add_f64` f64; None means that modifiers do not
// apply. Tabulated once for all opcodes.
//
//===----------------------------------------------------------------------===//

#include "Lanes/ResultType.h"

#include <array>
#include <string_view>

using namespace tlc::sim;

namespace {

DataType typeOf(std::string_view name, bool packed) {
  if (name == "f16")
    return packed ? DataType::V2F16 : DataType::F16;
  if (name == "f32")
    return packed ? DataType::V2F32 : DataType::F32;
  return name == "f64" ? DataType::F64 : DataType::None;
}

DataType compute(Opcode op) {
  std::string_view name = mnemonic(op);
  if (!name.starts_with("v_"))
    return DataType::None;
  name.remove_prefix(2);
  bool packed = name.starts_with("pk_");
  if (name.starts_with("cvt_")) {
    // v_cvt_RESULT_SOURCE; packing conversions have no output modifiers but
    // v_cvt_pk_f32_*.
    name.remove_prefix(4);
    if (name.starts_with("pk_")) {
      packed = true;
      name.remove_prefix(3);
    }
    return typeOf(name.substr(0, name.find('_')), packed);
  }
  // Exponents are integers whatever the source is.
  if (name.starts_with("frexp_exp"))
    return DataType::None;
  // v_dot2_f32_f16, v_fma_mix_f32: the first type is the result's.
  if (name.starts_with("dot2"))
    return name.find("_f32") != name.npos ? DataType::F32 : DataType::None;
  return typeOf(name.substr(name.rfind('_') + 1), packed);
}

} // namespace

DataType tlc::sim::resultType(const Instruction &inst) {
  static const auto table = [] {
    std::array<DataType, static_cast<size_t>(Opcode::Count)> types{};
    for (size_t i = 1; i < types.size(); ++i)
      types[i] = compute(static_cast<Opcode>(i));
    return types;
  }();
  return table[static_cast<size_t>(inst.op)];
}
