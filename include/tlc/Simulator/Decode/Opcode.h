//===- Opcode.h - gfx942 opcodes and what is known of each ------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One enumerator for each operation, named as the ISA names it and without the
// suffix of an encoding: v_add_f32 stands for its 32-bit, 64-bit, SDWA and DPP
// forms alike. The table behind opcodeInfo() is Opcodes.def.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_SIMULATOR_DECODE_OPCODE_H
#define TLC_SIMULATOR_DECODE_OPCODE_H

#include <cstdint>

namespace tlc::sim {

/// In the order of Opcodes.def. Count is the number of enumerators and no
/// opcode.
enum class Opcode : uint16_t {
  Invalid,
#define TLC_INST(ENC, NUM, NAME, D, SD, S0, S1, S2, S3, CONSTANT, FLAGS) NAME,
#include "tlc/Simulator/Decode/Opcodes.def"
  Count
};

/// The families of encodings (CDNA3 ISA, "Microcode Formats"). Scalar ones come
/// first, so a comparison with VOP1 tells them from all others. GLOBAL and
/// SCRATCH share FLAT's format, MAI is the matrix part of VOP3P's.
enum class Encoding : uint8_t {
  SOP2,
  SOP1,
  SOPC,
  SOPK,
  SOPP,
  SMEM,
  VOP1,
  VOP2,
  VOPC,
  VOP3,
  VOP3P,
  MAI,
  DS,
  FLAT,
  GLOBAL,
  SCRATCH,
  MUBUF,
  MTBUF
};

/// What the bits of an operand are: decides its size in dwords, how inline
/// constants expand and whether neg and abs apply. B types are plain bits.
enum class DataType : uint8_t {
  None,
  I16,
  F16,
  V2I16,
  V2F16,
  I32,
  F32,
  B32,
  I64,
  F64,
  V2I32,
  V2F32,
  B64,
  B96,
  B128,
  B160,
  B256,
  B512,
  B1024
};

/// Registers that an operand of the type takes.
constexpr unsigned dwordsOf(DataType type) {
  switch (type) {
  case DataType::None:
    return 0;
  case DataType::I64:
  case DataType::F64:
  case DataType::V2I32:
  case DataType::V2F32:
  case DataType::B64:
    return 2;
  case DataType::B96:
    return 3;
  case DataType::B128:
    return 4;
  case DataType::B160:
    return 5;
  case DataType::B256:
    return 8;
  case DataType::B512:
    return 16;
  case DataType::B1024:
    return 32;
  default:
    return 1;
  }
}

/// Types to which neg and abs apply.
constexpr bool isFloat(DataType type) {
  return type == DataType::F16 || type == DataType::V2F16 ||
         type == DataType::F32 || type == DataType::F64 ||
         type == DataType::V2F32;
}

/// Which register file an operand cell of the table names; see Opcodes.def.
enum class RegisterFile : uint8_t {
  None,
  Scalar,        // S
  ScalarOrConst, // SC
  Vector,        // V
  Accumulator,   // A
  VectorOrAcc,   // VA
  Any,           // X
  AccOrConst,    // XA
  Literal        // K
};

/// A cell of the table: where the operand may be, its type and its dwords.
struct OperandInfo {
  RegisterFile file = RegisterFile::None;
  DataType type = DataType::None;
  uint8_t dwords = 0;
};

/// What the 16-bit constant of SOPK and SOPP means.
enum class ConstantKind : uint8_t {
  None,     // must be zero where the encoding has it
  Hex,      // a number, shown in hexadecimal
  Number,   // a number, shown like an operand
  DecIfSet, // a number, shown unless zero
  Branch,   // signed, in dwords from the next instruction
  WaitCnt,
  SendMsg,
  HwReg, // register id, bit offset, size
  GprIdx // bits enabling indexed VGPRs
};

/// Flags of an opcode, one bit each.
namespace flag {
constexpr uint64_t bit(unsigned n) { return uint64_t(1) << n; }
constexpr uint64_t None = 0;
// Forms and modifiers the encodings allow.
constexpr uint64_t Clamp = bit(0);
constexpr uint64_t Omod = bit(1);
constexpr uint64_t OpSel = bit(2); // VOP3 picks halves of 16-bit operands
constexpr uint64_t Sdwa = bit(3);
constexpr uint64_t SdwaNoOmod = bit(4); // omod only in the VOP3 form
constexpr uint64_t Dpp = bit(5);
constexpr uint64_t OnlyE32 = bit(6);   // no VOP3 form
constexpr uint64_t LooseMods = bit(7); // neg, abs of integer sources: ignored
constexpr uint64_t Literal = bit(8);   // a literal always follows
// State beyond the operands.
constexpr uint64_t ReadsDst = bit(9); // destination is also a source
constexpr uint64_t WritesSrc0 = bit(10);
constexpr uint64_t ReadsSCC = bit(11);
constexpr uint64_t WritesSCC = bit(12);
constexpr uint64_t ReadsVCC = bit(13); // implicitly, in some form
constexpr uint64_t WritesVCC = bit(14);
constexpr uint64_t ReadsEXEC = bit(15); // scalar instructions; vector ones do
constexpr uint64_t WritesEXEC = bit(16);
constexpr uint64_t ReadsM0 = bit(17);
constexpr uint64_t WritesM0 = bit(18);
constexpr uint64_t WritesMODE = bit(19);
// What it does.
constexpr uint64_t Branch = bit(20);
constexpr uint64_t EndsProgram = bit(21);
constexpr uint64_t Load = bit(22);
constexpr uint64_t Store = bit(23);
constexpr uint64_t Atomic = bit(24);
constexpr uint64_t ToLDS = bit(25);     // loads go to LDS, not to a register
constexpr uint64_t MayUseLDS = bit(26); // the same, by the lds bit
constexpr uint64_t CrossLane = bit(27); // DS that does not touch memory
constexpr uint64_t TwoOffsets = bit(28);
constexpr uint64_t Gws = bit(29);
constexpr uint64_t GwsData = bit(30);
constexpr uint64_t CacheControl = bit(31);
constexpr uint64_t Trans = bit(32); // quarter-rate transcendental
constexpr uint64_t Mfma = bit(33);
constexpr uint64_t Sparse = bit(34);
constexpr uint64_t NoAddress = bit(35); // SMEM without address fields
constexpr uint64_t Probe = bit(36);
constexpr uint64_t ImmSrc1 = bit(37);      // SOPC whose source 1 is a bit set
constexpr uint64_t SdwaNoDstSel = bit(38); // SDWA selects in the source only
constexpr uint64_t IntSrc1 =
    bit(39); // source 1 is an integer with F16 constants
} // namespace flag

/// One row of Opcodes.def.
struct OpcodeInfo {
  const char *mnemonic; // without the suffix of a form
  Encoding encoding;    // the family that owns the row
  ConstantKind constant;
  uint16_t number; // opcode field in that family
  OperandInfo dst, sdst, src[4];
  uint64_t flags;
};

/// The row of an opcode; Opcode::Invalid has an empty one.
const OpcodeInfo &opcodeInfo(Opcode op);

inline const char *mnemonic(Opcode op) { return opcodeInfo(op).mnemonic; }

} // namespace tlc::sim

#endif // TLC_SIMULATOR_DECODE_OPCODE_H
