//===- Decoder.cpp - From bytes to instructions -----------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The prefix of the first word names the family; the family's opcode field is
// looked up in tables made from Opcodes.def at compile time.
//
// Each family's decoder then takes the fields apart (DecodeScalar,
// DecodeVector, DecodeMemory). Decoding has no state and takes one table
// lookup, so a program is decoded once, ahead of its execution (Program).
//
//===----------------------------------------------------------------------===//

#include "DecoderImpl.h"
#include "llvm/Support/Endian.h"
#include <array>

using namespace tlc::sim;

namespace {

// Opcode fields have at most ten bits (VOP3).
constexpr unsigned TableSize = 1024;
using Table = std::array<Opcode, TableSize>;
constexpr unsigned NumEncodings = unsigned(Encoding::MTBUF) + 1;

// One opcode as Opcodes.def lists it; the operand columns are of no use here.
struct Row {
  Encoding encoding;
  unsigned number;
  Opcode op;
  uint64_t flags;
};

namespace rows {
using namespace tlc::sim::flag;
constexpr Row all[] = {
#define TLC_INST(ENC, NUM, NAME, D, SD, S0, S1, S2, S3, CONSTANT, FLAGS)       \
  {Encoding::ENC, NUM, Opcode::NAME, FLAGS},
#include "tlc/Simulator/Decode/Opcodes.def"
};
} // namespace rows

/// Where the 64-bit forms of the 32-bit families start among VOP3's opcodes.
constexpr unsigned Vop2InVop3 = 0x100, Vop1InVop3 = 0x140;

/// VOP3 also lists the 64-bit forms of the other vector families.
constexpr std::array<Table, NumEncodings> makeTables() {
  std::array<Table, NumEncodings> tables{};
  // Opcodes that need the 32-bit form (v_madmk with its literal) have no
  // counterpart in VOP3.
  for (const Row &row : rows::all) {
    tables[unsigned(row.encoding)][row.number] = row.op;
    Table &vop3 = tables[unsigned(Encoding::VOP3)];
    if (row.flags & flag::OnlyE32)
      continue;
    if (row.encoding == Encoding::VOPC)
      vop3[row.number] = row.op;
    else if (row.encoding == Encoding::VOP2)
      vop3[Vop2InVop3 + row.number] = row.op;
    else if (row.encoding == Encoding::VOP1)
      vop3[Vop1InVop3 + row.number] = row.op;
  }
  return tables;
}

constexpr std::array<Table, NumEncodings> tables = makeTables();

} // namespace

/// Invalid for a number without an opcode, or one beyond the field.
Opcode tlc::sim::findOpcode(Encoding encoding, unsigned number) {
  return number < TableSize ? tables[unsigned(encoding)][number]
                            : Opcode::Invalid;
}

/// Fills in what the opcode alone says. False if the number is reserved; then
/// the instruction is invalid.
bool Decoder::select(Encoding encoding, unsigned number) {
  inst.op = findOpcode(encoding, number);
  if (inst.op == Opcode::Invalid)
    return false;
  info = &opcodeInfo(inst.op);
  inst.encoding = info->encoding;
  inst.flags = info->flags;
  inst.sizeBytes = 4;
  return true;
}

bool Decoder::run() {
  // From the longest prefix to the shortest: SOP1, SOPC and SOPP lie inside
  // the space of SOPK, which lies inside that of SOP2; VOP1 and VOPC in VOP2's.
  switch (bits(low, 31, 23)) {
  // Nine bits: SOP1, SOPC, SOPP and VOP3P. MAI shares VOP3P's prefix and has
  // its opcodes from 0x3e on.
  case 0x17d:
    return sop1();
  case 0x17e:
    return sopc();
  case 0x17f:
    return sopp();
  case 0x1a7:
    return bits(low, 22, 16) >= 0x3e ? mai() : vop3p();
  default:
    break;
  }
  // Six bits: the 64-bit families.
  switch (bits(low, 31, 26)) {
  case 0x30:
    return smem();
  case 0x34:
    return vop3();
  case 0x36:
    return ds();
  case 0x37:
    return flat();
  case 0x38:
    return mubuf();
  case 0x3a:
    return mtbuf();
  default:
    break;
  }
  // Four bits, two bits: SOPK and SOP2.
  if (bits(low, 31, 28) == 0xb)
    return sopk();
  if (bits(low, 31, 30) == 2)
    return sop2();
  // What is left of the upper half of the space is undefined on gfx942 (image
  // and export instructions, the interpolation of graphics).
  if (bits(low, 31, 31))
    return false;
  switch (bits(low, 31, 25)) {
  case 0x3e:
    return vopc();
  case 0x3f:
    return vop1();
  default:
    return vop2();
  }
}

/// False, with an empty record, where the bytes at \p offset are no instruction
/// of gfx942 or run past the end.
bool tlc::sim::decode(llvm::ArrayRef<uint8_t> code, uint64_t offset,
                      Instruction &out) {
  out = Instruction();
  if (offset > code.size() || code.size() - offset < 4)
    return false;
  const uint8_t *at = code.data() + offset;
  bool hasHigh = code.size() - offset >= 8;
  Decoder decoder(llvm::support::endian::read32le(at),
                  hasHigh ? llvm::support::endian::read32le(at + 4) : 0,
                  hasHigh, out);
  if (decoder.run())
    return true;
  out = Instruction();
  return false;
}
