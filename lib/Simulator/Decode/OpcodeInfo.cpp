//===- OpcodeInfo.cpp - The opcode table ------------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opcodes.def as an array indexed by Opcode.
//
//===----------------------------------------------------------------------===//

#include "tlc/Simulator/Decode/Opcode.h"
#include <iterator>

using namespace tlc::sim;

namespace {

constexpr OperandInfo cell(RegisterFile file, DataType type,
                           unsigned dwords = 0) {
  return {file, type, uint8_t(dwords ? dwords : dwordsOf(type))};
}

// The vocabulary of the operand cells.
constexpr OperandInfo N;
constexpr auto I16 = DataType::I16, F16 = DataType::F16,
               V2I16 = DataType::V2I16, V2F16 = DataType::V2F16,
               I32 = DataType::I32, F32 = DataType::F32, B32 = DataType::B32,
               I64 = DataType::I64, F64 = DataType::F64,
               V2I32 = DataType::V2I32, V2F32 = DataType::V2F32,
               B64 = DataType::B64, B96 = DataType::B96, B128 = DataType::B128,
               B256 = DataType::B256, B512 = DataType::B512,
               B1024 = DataType::B1024;
// NOLINTBEGIN(readability-identifier-naming): the letters of Opcodes.def
constexpr OperandInfo S(DataType t) { return cell(RegisterFile::Scalar, t); }
constexpr OperandInfo SC(DataType t) {
  return cell(RegisterFile::ScalarOrConst, t);
}
constexpr OperandInfo V(DataType t) { return cell(RegisterFile::Vector, t); }
constexpr OperandInfo A(DataType t) {
  return cell(RegisterFile::Accumulator, t);
}
constexpr OperandInfo VA(DataType t) {
  return cell(RegisterFile::VectorOrAcc, t);
}
constexpr OperandInfo X(DataType t) { return cell(RegisterFile::Any, t); }
constexpr OperandInfo XA(DataType t, unsigned dwords) {
  return cell(RegisterFile::AccOrConst, t, dwords);
}
constexpr OperandInfo K(DataType t) { return cell(RegisterFile::Literal, t); }
// NOLINTEND(readability-identifier-naming)

namespace table {
using namespace tlc::sim::flag;
constexpr OpcodeInfo rows[] = {
    {"", Encoding::SOPP, ConstantKind::None, 0, {}, {}, {}, 0},
#define TLC_INST(ENC, NUM, NAME, D, SD, S0, S1, S2, S3, CONSTANT, FLAGS)       \
  {#NAME, Encoding::ENC, ConstantKind::CONSTANT, NUM, D, SD, {S0, S1, S2, S3}, \
   FLAGS},
#include "tlc/Simulator/Decode/Opcodes.def"
};
} // namespace table

static_assert(std::size(table::rows) == size_t(Opcode::Count));

} // namespace

const OpcodeInfo &tlc::sim::opcodeInfo(Opcode op) {
  return table::rows[size_t(op)];
}
