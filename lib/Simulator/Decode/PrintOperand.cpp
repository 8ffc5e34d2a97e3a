//===- PrintOperand.cpp - Operands in assembler syntax ----------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The spelling is LLVM's: constants print by value, so that the literal
// 0x3f800000 of a 32-bit operand reads 1.0 just as the inline constant does.
//
//===----------------------------------------------------------------------===//

#include "PrinterImpl.h"
#include "llvm/Support/Format.h"

using namespace tlc::sim;
using llvm::raw_ostream;

namespace {

struct Named {
  unsigned code;
  const char *one, *two; // as one dword, as a pair
};

/// Scalar registers with a name, by their number in the operand field (CDNA3
/// ISA, table of scalar operands). The high half of a pair never starts a pair,
/// hence no second name.
constexpr Named scalarNames[] = {
    {ScalarReg::FlatScratchLo, "flat_scratch_lo", "flat_scratch"},
    {ScalarReg::FlatScratchHi, "flat_scratch_hi", nullptr},
    {ScalarReg::XnackMaskLo, "xnack_mask_lo", "xnack_mask"},
    {ScalarReg::XnackMaskHi, "xnack_mask_hi", nullptr},
    {ScalarReg::VccLo, "vcc_lo", "vcc"},
    {ScalarReg::VccHi, "vcc_hi", nullptr},
    {ScalarReg::M0, "m0", nullptr},
    {ScalarReg::ExecLo, "exec_lo", "exec"},
    {ScalarReg::ExecHi, "exec_hi", nullptr}};

/// Values that can be read but are no registers: the apertures and the
/// condition bits.
constexpr Named specialNames[] = {
    {SpecialReg::SharedBase, "src_shared_base", "src_shared_base"},
    {SpecialReg::SharedLimit, "src_shared_limit", "src_shared_limit"},
    {SpecialReg::PrivateBase, "src_private_base", "src_private_base"},
    {SpecialReg::PrivateLimit, "src_private_limit", "src_private_limit"},
    {SpecialReg::Vccz, "src_vccz", "src_vccz"},
    {SpecialReg::Execz, "src_execz", "src_execz"},
    {SpecialReg::Scc, "src_scc", "src_scc"}};

/// v5, or v[4:7].
void printTuple(raw_ostream &os, const char *prefix, unsigned first,
                unsigned dwords) {
  os << prefix;
  if (dwords == 1)
    os << first;
  else
    os << '[' << first << ':' << first + dwords - 1 << ']';
}

/// Named registers by their names, trap registers as ttmp.
void printScalar(raw_ostream &os, const Operand &op) {
  for (const Named &name : scalarNames)
    if (name.code == op.reg) {
      os << (op.dwords == 2 ? name.two : name.one);
      return;
    }
  if (op.reg >= ScalarReg::Ttmp0)
    printTuple(os, "ttmp", op.reg - ScalarReg::Ttmp0, op.dwords);
  else
    printTuple(os, "s", op.reg, op.dwords);
}

// The nine inline float constants, by name and as bits of each width. The last
// is 1 / (2 pi), of which f64 shows more digits.
constexpr const char *floatNames[] = {
    "0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0", "0.15915494"};
constexpr uint16_t floats16[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000,
                                 0xc000, 0x4400, 0xc400, 0x3118};
constexpr uint32_t floats32[] = {0x3f000000, 0xbf000000, 0x3f800000,
                                 0xbf800000, 0x40000000, 0xc0000000,
                                 0x40800000, 0xc0800000, 0x3e22f983};
constexpr uint64_t floats64[] = {
    0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000,
    0xbff0000000000000, 0x4000000000000000, 0xc000000000000000,
    0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882};

template <typename T, size_t N>
/// The name of \p value in one of the tables below, or null.
const char *floatName(const T (&table)[N], T value) {
  for (size_t i = 0; i < N; ++i)
    if (table[i] == value)
      return floatNames[i];
  return nullptr;
}

void printHex(raw_ostream &os, uint64_t value) {
  os << llvm::format("0x%llx", static_cast<unsigned long long>(value));
}

/// By value: small integers, the nine floats by name, anything else in
/// hexadecimal of the operand's width.
void printConstantOperand(raw_ostream &os, const Operand &op) {
  int64_t value;
  const char *name = nullptr;
  bool isHalf = op.type == DataType::I16 || op.type == DataType::F16 ||
                op.type == DataType::V2F16;
  switch (op.type) {
  // The literal of a packed operand prints as bits; an inline constant prints
  // like an f16.
  case DataType::V2F16:
    if (op.kind == OperandKind::Literal)
      return printHex(os, op.bits);
    [[fallthrough]];
  case DataType::I16:
  case DataType::F16:
    value = int16_t(op.bits);
    // All 32 bits of an integer's literal decide whether it is small.
    if (op.type == DataType::I16 && op.kind == OperandKind::Literal)
      value = int32_t(op.bits);
    if (op.type != DataType::I16)
      name = floatName(floats16, uint16_t(op.bits));
    break;
  case DataType::I64:
  case DataType::F64:
  case DataType::B64:
    value = int64_t(op.bits);
    name = floatName(floats64, op.bits);
    if (name == floatNames[8])
      name = "0.15915494309189532";
    break;
  default:
    value = int32_t(op.bits);
    name = floatName(floats32, uint32_t(op.bits));
    break;
  }
  if (value >= -16 && value <= 64)
    os << value;
  else if (name)
    os << name;
  // A literal is the upper half of an f64; LLVM prints just the 32 bits that
  // are encoded.
  else if (op.type == DataType::F64 && op.kind == OperandKind::Literal)
    printHex(os, op.bits >> 32);
  else if (dwordsOf(op.type) == 2)
    printHex(os, op.bits);
  else
    printHex(os, isHalf ? uint16_t(op.bits) : uint32_t(op.bits));
}

} // namespace

/// "off" for an operand that is not there; the caller leaves it out where LLVM
/// does.
void tlc::sim::printOperand(raw_ostream &os, const Operand &op) {
  switch (op.kind) {
  case OperandKind::None:
    os << "off";
    return;
  case OperandKind::Scalar:
    return printScalar(os, op);
  case OperandKind::Vector:
    return printTuple(os, "v", op.reg, op.dwords);
  case OperandKind::Accumulator:
    return printTuple(os, "a", op.reg, op.dwords);
  case OperandKind::Special:
    for (const Named &name : specialNames)
      if (name.code == op.reg)
        os << (op.dwords == 2 ? name.two : name.one);
    return;
  default:
    return printConstantOperand(os, op);
  }
}

/// A number as LLVM prints an integer operand: decimal from -16 to 64, by name
/// if it is the pattern of an inline float, else hexadecimal.
void tlc::sim::printNumber(raw_ostream &os, uint32_t value) {
  Operand op;
  op.kind = OperandKind::Literal;
  op.type = DataType::B32;
  op.dwords = 1;
  op.bits = value;
  printConstantOperand(os, op);
}
