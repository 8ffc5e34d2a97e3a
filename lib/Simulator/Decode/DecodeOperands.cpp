//===- DecodeOperands.cpp - Register and constant operands ------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One number space serves all families: 0 to 127 the scalar registers, 128 to
// 208 the integers 0 to 64 and -1 to -16, 235 to 239 and 251 to 253 special
// sources, 240 to 248 nine floating-point constants, 255 a literal in the next
// word, 256 to 511 VGPRs.
//
// Register tuples must lie within their file and be aligned: scalar pairs to
// 2, longer ones to 4, and vector tuples to 2 as gfx90a and later demand.
//
//===----------------------------------------------------------------------===//

#include "DecoderImpl.h"

using namespace tlc::sim;

namespace {

constexpr unsigned FirstInt = 128, LastPositive = 192, LastInt = 208;
constexpr unsigned FirstFloat = 240, LastFloat = 248;
constexpr unsigned LiteralCode = 255, FirstVgpr = 256;

/// 0.5, -0.5, 1, -1, 2, -2, 4, -4 and 1/(2 pi) in each format.
constexpr uint16_t halves[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000,
                               0xc000, 0x4400, 0xc400, 0x3118};
constexpr uint32_t singles[] = {0x3f000000, 0xbf000000, 0x3f800000,
                                0xbf800000, 0x40000000, 0xc0000000,
                                0x40800000, 0xc0800000, 0x3e22f983};
constexpr uint64_t doubles[] = {
    0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000,
    0xbff0000000000000, 0x4000000000000000, 0xc000000000000000,
    0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882};

/// The constant in the operand's own format; integers of 16 bits take the f16
/// pattern, other types the f32 one.
uint64_t inlineFloat(DataType type, unsigned index) {
  switch (type) {
  case DataType::I16:
  case DataType::F16:
  case DataType::V2F16:
    return halves[index];
  case DataType::I64:
  case DataType::F64:
  case DataType::B64:
    return doubles[index];
  default:
    return singles[index];
  }
}

/// Sources that are no registers exist as one or two dwords only.
bool isSpecial(unsigned code, unsigned dwords) {
  using namespace SpecialReg;
  return dwords <= 2 && ((code >= SharedBase && code <= PrivateLimit) ||
                         (code >= Vccz && code <= Scc));
}

} // namespace

/// Inline integers are sign-extended to the operand's size later.
bool Decoder::constant(Operand &op, unsigned code, const OperandInfo &info) {
  op.type = info.type;
  op.dwords = info.dwords;
  if (code >= FirstInt && code <= LastInt) {
    op.kind = OperandKind::InlineInt;
    // 128 to 192 are 0 to 64, 193 to 208 are -1 to -16.
    int value = code <= LastPositive ? int(code) - int(FirstInt)
                                     : int(LastPositive) - int(code);
    op.bits = int64_t(value);
    return true;
  }
  if (code >= FirstFloat && code <= LastFloat) {
    op.kind = OperandKind::InlineFloat;
    op.bits = inlineFloat(info.type, code - FirstFloat);
    return true;
  }
  return code == LiteralCode && literal(op, info);
}

/// The word after the instruction; an f64 takes it as its upper half. Several
/// operands may share one literal.
bool Decoder::literal(Operand &op, const OperandInfo &info) {
  // The word after a 64-bit encoding is the next instruction, never a literal.
  if (inst.sizeBytes != 4 && !inst.hasLiteral)
    return false;
  if (!needHigh())
    return false;
  inst.hasLiteral = true;
  inst.literal = high;
  op.kind = OperandKind::Literal;
  op.type = info.type;
  op.dwords = info.dwords;
  op.bits = info.type == DataType::F64 ? uint64_t(high) << 32 : high;
  return true;
}

/// A scalar register or tuple: within one of the ranges of register numbers,
/// aligned.
bool Decoder::scalar(Operand &op, unsigned code, const OperandInfo &info) {
  using namespace ScalarReg;
  unsigned dwords = info.dwords;
  // Tuples may not cross from one range into another.
  auto fits = [&](unsigned first, unsigned last) {
    unsigned align = dwords > 2 ? 4 : dwords;
    return code >= first && code + dwords - 1 <= last &&
           (code - first) % align == 0;
  };
  if (!fits(0, LastSGPR) && !fits(FlatScratchLo, FlatScratchHi) &&
      !fits(XnackMaskLo, XnackMaskHi) && !fits(VccLo, VccHi) &&
      !fits(Ttmp0, Ttmp15) && !fits(M0, M0) && !fits(ExecLo, ExecHi))
    return false;
  op.kind = OperandKind::Scalar;
  op.type = info.type;
  op.dwords = dwords;
  op.reg = code;
  return true;
}

/// A VGPR or accumulation register, or a tuple of them.
bool Decoder::vgpr(Operand &op, unsigned reg, const OperandInfo &info,
                   bool accumulator) {
  if (reg + info.dwords > 256 || (info.dwords > 1 && reg % 2))
    return false;
  op.kind = accumulator ? OperandKind::Accumulator : OperandKind::Vector;
  op.type = info.type;
  op.dwords = info.dwords;
  op.reg = reg;
  return true;
}

/// An operand by the number in the encoding; false where the instruction's
/// table does not allow it.
bool Decoder::source(Operand &op, unsigned code, const OperandInfo &info,
                     bool accumulator) {
  bool isVgpr = code >= FirstVgpr;
  switch (info.file) {
  case RegisterFile::None:
    return true;
  case RegisterFile::Scalar:
    return scalar(op, code, info);
  case RegisterFile::Vector:
    return isVgpr && vgpr(op, code - FirstVgpr, info);
  case RegisterFile::Accumulator:
    return isVgpr && vgpr(op, code - FirstVgpr, info, true);
  case RegisterFile::VectorOrAcc:
    return isVgpr && vgpr(op, code - FirstVgpr, info, accumulator);
  // The C operand of an MFMA: registers or an inline constant.
  case RegisterFile::AccOrConst:
    if (isVgpr)
      return vgpr(op, code - FirstVgpr, info, accumulator);
    return code != LiteralCode && constant(op, code, info);
  case RegisterFile::Literal:
    return literal(op, info);
  case RegisterFile::Any:
    if (isVgpr)
      return vgpr(op, code - FirstVgpr, info);
    [[fallthrough]];
  // Registers and constants share the space below 256; the order of the trials
  // does not matter.
  case RegisterFile::ScalarOrConst:
    if (isVgpr)
      return false;
    if (isSpecial(code, info.dwords)) {
      op.kind = OperandKind::Special;
      op.type = info.type;
      op.dwords = info.dwords;
      op.reg = code;
      return true;
    }
    return scalar(op, code, info) || constant(op, code, info);
  }
  return false;
}

/// Eight bits for vector registers, seven for scalar ones: the file follows
/// from the opcode.
bool Decoder::destination(Operand &op, unsigned code, const OperandInfo &info) {
  switch (info.file) {
  case RegisterFile::None:
    return true;
  case RegisterFile::Scalar:
    return scalar(op, code, info);
  case RegisterFile::Accumulator:
    return vgpr(op, code, info, true);
  default:
    return vgpr(op, code, info);
  }
}

// The implicit mask of the 32-bit forms.
void Decoder::vcc(Operand &op) {
  op.kind = OperandKind::Scalar;
  op.type = DataType::B64;
  op.dwords = 2;
  op.reg = ScalarReg::VccLo;
}

/// Sources that the opcode has; they are the first ones.
unsigned Decoder::sourceCount() const {
  unsigned count = 0;
  while (count < 4 && info->src[count].file != RegisterFile::None)
    ++count;
  return count;
}
