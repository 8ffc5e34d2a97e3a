//===- Instruction.h - A decoded gfx942 instruction -------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The decoder's product: a flat record with every field of the encoding in the
// clear, so that the execution engine never looks at instruction bits. Where
// an encoding has an implicit operand (VCC of v_addc_co_u32_e32, of v_cmp), it
// is filled in, so that all forms of an operation look alike:
//
//   family            dst            sdst        src[0]    src[1]  src[2]
//   src[3] SOP*              sdst           -           ssrc0     ssrc1   - -
//   VOP*, VOP3*, MAI  vdst (or sdst) carry/mask  src0      src1    src2    -
//   SMEM              sdata if load  -           sbase     data    soffset -
//   DS                vdst           -           addr      data0   data1   -
//   FLAT/GLOBAL/SCR.  vdst           -           vaddr     vdata   saddr   -
//   MUBUF, MTBUF      vdata if load  -           vaddr     vdata   srsrc
//   soffset
//
// A destination exists (kind other than None) exactly when it is written.
// MFMA: src[0..2] are A, B, C; sparse MFMA: src[2] is the index register and C
// is dst.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_SIMULATOR_DECODE_INSTRUCTION_H
#define TLC_SIMULATOR_DECODE_INSTRUCTION_H

#include "tlc/Simulator/Decode/Opcode.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>

namespace tlc::sim {

enum class OperandKind : uint8_t {
  None,
  Scalar,      // reg: 0..127, see ScalarReg
  Vector,      // reg: VGPR 0..255
  Accumulator, // reg: AccVGPR 0..255
  Special,     // reg: SpecialReg; sources only
  InlineInt,   // bits: the value, sign-extended to 64 bits
  InlineFloat, // bits: the value in the operand's own format
  Literal      // bits: the value; for F64 already in the upper half
};

/// Scalar registers by their number in an encoding: s0 to s101 are 0 to 101.
namespace ScalarReg {
constexpr unsigned LastSGPR = 101;
constexpr unsigned FlatScratchLo = 102, FlatScratchHi = 103;
constexpr unsigned XnackMaskLo = 104, XnackMaskHi = 105;
constexpr unsigned VccLo = 106, VccHi = 107;
constexpr unsigned Ttmp0 = 108, Ttmp15 = 123;
constexpr unsigned M0 = 124;
constexpr unsigned ExecLo = 126, ExecHi = 127;
} // namespace ScalarReg

/// Sources that are no register of the file, by their number in an encoding.
namespace SpecialReg {
constexpr unsigned SharedBase = 235, SharedLimit = 236;
constexpr unsigned PrivateBase = 237, PrivateLimit = 238;
constexpr unsigned PopsExitingWaveId = 239;
constexpr unsigned Vccz = 251, Execz = 252, Scc = 253;
constexpr unsigned LdsDirect = 254;
} // namespace SpecialReg

struct Operand {
  OperandKind kind = OperandKind::None;
  DataType type = DataType::None;
  uint8_t dwords = 0; // consecutive registers from reg on
  uint16_t reg = 0;
  uint64_t bits = 0; // constants only

  bool isNone() const { return kind == OperandKind::None; }
  bool isConstant() const { return kind >= OperandKind::InlineInt; }
  bool isRegister() const {
    return kind >= OperandKind::Scalar && kind <= OperandKind::Accumulator;
  }
};

/// How a VOP1, VOP2 or VOPC instruction is written down.
enum class Form : uint8_t { Plain, Vop3, Sdwa, Dpp };

enum class SdwaSel : uint8_t {
  Byte0,
  Byte1,
  Byte2,
  Byte3,
  Word0,
  Word1,
  Dword
};
enum class SdwaUnused : uint8_t { Pad, Sext, Preserve };

/// dpp_ctrl values. Ranges carry a lane count or index in the low four bits,
/// QuadPerm four two-bit lanes.
namespace DppCtrl {
constexpr unsigned QuadPermLast = 0xff;
constexpr unsigned RowShl = 0x100, RowShr = 0x110, RowRor = 0x120;
constexpr unsigned WaveShl1 = 0x130, WaveRol1 = 0x134;
constexpr unsigned WaveShr1 = 0x138, WaveRor1 = 0x13c;
constexpr unsigned RowMirror = 0x140, RowHalfMirror = 0x141;
constexpr unsigned RowBcast15 = 0x142, RowBcast31 = 0x143;
constexpr unsigned RowNewBcast = 0x150;
} // namespace DppCtrl

struct Instruction {
  Opcode op = Opcode::Invalid;
  Encoding encoding = Encoding::SOPP; // of the table row: VOP2 even if Vop3
  Form form = Form::Plain;
  uint8_t sizeBytes = 0; // 4 or 8
  uint64_t flags = 0;    // of the opcode, see namespace flag

  Operand dst, sdst, src[4];

  // SOPK, SOPP: simm16 sign-extended; s_setreg_imm32: value in literal;
  // s_set_gpr_idx_on and the probes: their bit set.
  int32_t imm = 0;
  uint32_t literal = 0;
  bool hasLiteral = false;

  // VOP3, VOP3P, SDWA, DPP source modifiers: bit i is source i. For VOP3P neg
  // is neg_lo. opSel bit 3 is the destination (VOP3).
  uint8_t neg = 0, abs = 0, negHi = 0;
  uint8_t opSel = 0, opSelHi = 0;
  bool clamp = false;
  uint8_t omod = 0; // 0 none, 1 times 2, 2 times 4, 3 divided by 2

  // SDWA
  SdwaSel dstSel = SdwaSel::Dword;
  SdwaSel srcSel[2] = {SdwaSel::Dword, SdwaSel::Dword};
  SdwaUnused dstUnused = SdwaUnused::Pad;
  uint8_t sext = 0; // bit i: source i

  // DPP
  bool boundCtrl = false; // lanes out of range read 0 instead of being off
  uint8_t rowMask = 0xf, bankMask = 0xf;
  uint16_t dppCtrl = 0;

  // MFMA
  uint8_t cbsz = 0, abid = 0, blgp = 0;

  // Memory. offset is in bytes, sign-extended where the encoding is signed;
  // DS with two offsets has them in offset0 and offset1, in elements (st64:
  // times 64).
  int32_t offset = 0;
  bool hasOffset = false; // SMEM: an immediate besides the register
  uint8_t offset0 = 0, offset1 = 0;
  bool sc0 = false, sc1 = false, nt = false; // sc0 is glc of SMEM
  bool lds = false, offen = false, idxen = false, gds = false;
  uint8_t dfmt = 0, nfmt = 0; // MTBUF

  bool has(uint64_t any) const { return flags & any; }

  /// Where a branch at \p pc goes (SOPP and SOPK branches).
  uint64_t branchTarget(uint64_t pc) const {
    return pc + 4 + static_cast<int64_t>(imm) * 4;
  }

  // s_waitcnt, the largest numbers still allowed to be outstanding.
  unsigned vmcnt() const { return (imm & 0xf) | ((imm >> 10) & 0x30); }
  unsigned expcnt() const { return (imm >> 4) & 7; }
  unsigned lgkmcnt() const { return (imm >> 8) & 0xf; }

  // s_getreg, s_setreg.
  unsigned hwregId() const { return imm & 0x3f; }
  unsigned hwregOffset() const { return (imm >> 6) & 0x1f; }
  unsigned hwregSize() const { return ((imm >> 11) & 0x1f) + 1; }
};

/// Decodes the instruction at byte \p offset of \p code into \p out. False,
/// with \p out.op invalid, when the bytes there are no gfx942 instruction or
/// end too soon; never a guess.
bool decode(llvm::ArrayRef<uint8_t> code, uint64_t offset, Instruction &out);

/// The instruction in LLVM's assembler syntax, without leading blank. Branch
/// targets are printed as their constant, as LLVM does without symbols.
std::string toString(const Instruction &inst);

} // namespace tlc::sim

#endif // TLC_SIMULATOR_DECODE_INSTRUCTION_H
