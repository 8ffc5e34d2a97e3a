//===- DecodeVector.cpp - VOP and MAI families ------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   VOP2   0 op[30:25] vdst[24:17] vsrc1[16:9] src0[8:0]
//   VOP1   0111111 vdst[24:17] op[16:9] src0[8:0]
//   VOPC   0111110 op[24:17] vsrc1[16:9] src0[8:0]
//   VOP3   110100 op[25:16] clamp[15] op_sel[14:11] abs[10:8] vdst[7:0]
//          neg[63:61] omod[60:59] src2[58:50] src1[49:41] src0[40:32];
//          with a scalar destination sdst[14:8] replaces op_sel and abs
//   VOP3P  110100111 op[22:16] clamp[15] op_sel_hi2[14] op_sel[13:11]
//          neg_hi[10:8] vdst[7:0]
//          neg_lo[63:61] op_sel_hi[60:59] src2 src1 src0
//   MAI    110100111 op[22:16] acc_cd[15] abid[14:11] cbsz[10:8] vdst[7:0]
//          blgp[63:61] acc[60:59] src2 src1 src0
//
// In VOP1, VOP2 and VOPC src0 = 249 puts an SDWA word after the first one,
// src0 = 250 a DPP word.
//
//===----------------------------------------------------------------------===//

#include "DecoderImpl.h"

using namespace tlc::sim;

namespace {
constexpr unsigned SdwaCode = 249, DppCode = 250, FirstVgpr = 256;
} // namespace

/// The form that all others extend: destination and source 0.
bool Decoder::vop1() {
  if (!select(Encoding::VOP1, bits(low, 16, 9)))
    return false;
  unsigned src0 = bits(low, 8, 0), vdst = bits(low, 24, 17);
  // Without operands the fields are unused: no form, no registers.
  if (info->src[0].file == RegisterFile::None) {
    // No assembler makes v_nop with a second word, and what it would mean is
    // open.
    bool hasSecond =
        inst.op == Opcode::v_nop && (src0 == SdwaCode || src0 == DppCode);
    return vdst == 0 && !hasSecond;
  }
  if (!destination(inst.dst, vdst, info->dst))
    return false;
  if (inst.dst.kind == OperandKind::Scalar && vdst == ScalarReg::M0)
    return false; // v_readfirstlane cannot write M0
  if (src0 == SdwaCode)
    return sdwa();
  if (src0 == DppCode)
    return dpp();
  return source(inst.src[0], src0, info->src[0]);
}

/// Carries go through VCC in this form; v_madmk and v_madak have a literal.
bool Decoder::vop2() {
  if (!select(Encoding::VOP2, bits(low, 30, 25)) ||
      !destination(inst.dst, bits(low, 24, 17), info->dst))
    return false;
  if (info->sdst.file != RegisterFile::None)
    vcc(inst.sdst);
  unsigned src0 = bits(low, 8, 0);
  unsigned vsrc1 = FirstVgpr + bits(low, 16, 9);
  // The VGPR field feeds source 1, or source 2 where 1 is the literal.
  bool mk = info->src[1].file == RegisterFile::Literal;
  if (!source(inst.src[mk ? 2 : 1], vsrc1, info->src[mk ? 2 : 1]))
    return false;
  if (info->src[2].file == RegisterFile::Scalar)
    vcc(inst.src[2]);
  if (src0 == SdwaCode)
    return sdwa();
  if (src0 == DppCode)
    return dpp();
  if (!source(inst.src[0], src0, info->src[0]))
    return false;
  if (!inst.has(flag::Literal))
    return true;
  unsigned k = mk ? 1 : 2;
  return literal(inst.src[k], info->src[k]);
}

/// The result is a lane mask; this form always writes VCC.
bool Decoder::vopc() {
  if (!select(Encoding::VOPC, bits(low, 24, 17)) ||
      !source(inst.src[1], FirstVgpr + bits(low, 16, 9), info->src[1]))
    return false;
  vcc(inst.dst);
  unsigned src0 = bits(low, 8, 0);
  if (src0 == SdwaCode)
    return sdwa();
  return source(inst.src[0], src0, info->src[0]);
}

/// The second word: src0[7:0] dst_sel[10:8] dst_unused[12:11] clamp[13]
/// omod[15:14] src0_sel[18:16] sext0[19] neg0[20] abs0[21] s0[23]
/// src1_sel[26:24] sext1[27] neg1[28] abs1[29] s1[31]; for VOPC sdst[14:8]
/// and sd[15] replace what concerns the destination. s0, s1: scalar source.
bool Decoder::sdwa() {
  if (!inst.has(flag::Sdwa) || !needHigh())
    return false;
  inst.form = Form::Sdwa;
  unsigned count = info->src[1].file == RegisterFile::None ? 1 : 2;
  // Literals cannot follow; 255 names none here.
  unsigned src0 = bits(high, 7, 0);
  if (bits(high, 23, 23) ? src0 == 255 : false)
    return false;
  if (!source(inst.src[0], bits(high, 23, 23) ? src0 : FirstVgpr + src0,
              info->src[0]))
    return false;
  // Source 1 is a scalar: the field of the first word, read as a VGPR before,
  // is read anew.
  if (count == 2 && bits(high, 31, 31)) {
    unsigned src1 = bits(low, 16, 9);
    inst.src[1] = Operand();
    if (src1 == 255 || !source(inst.src[1], src1, info->src[1]))
      return false;
  }
  // Fields of a source that is not there must be 0.
  if (count == 1 && (bits(high, 31, 31) || bits(high, 29, 24)))
    return false;

  for (unsigned i = 0; i < count; ++i) {
    unsigned field = high >> (16 + 8 * i);
    unsigned sel = field & 7, sext = (field >> 3) & 1;
    unsigned neg = (field >> 4) & 1, abs = (field >> 5) & 1;
    // Sources are sign-extended if integers, negated if not.
    bool isFp = isFloatSource(i);
    if (sel > unsigned(SdwaSel::Dword) || (isFp ? sext : (neg || abs)))
      return false;
    inst.srcSel[i] = SdwaSel(sel);
    inst.sext |= sext << i;
    if (info->src[i].type == DataType::V2F16)
      continue; // packed operands ignore both
    inst.neg |= neg << i;
    inst.abs |= abs << i;
  }

  if (inst.encoding == Encoding::VOPC) {
    if (!bits(high, 15, 15))
      return true;
    return scalar(inst.dst, bits(high, 14, 8), info->dst);
  }
  unsigned dstSel = bits(high, 10, 8), unused = bits(high, 12, 11);
  if (inst.has(flag::SdwaNoDstSel)) {
    if (dstSel != unsigned(SdwaSel::Dword))
      return false;
    unused = 0;
  }
  if (dstSel > unsigned(SdwaSel::Dword) ||
      unused > unsigned(SdwaUnused::Preserve))
    return false;
  inst.dstSel = SdwaSel(dstSel);
  inst.dstUnused = SdwaUnused(unused);
  inst.clamp = bits(high, 13, 13);
  inst.omod = bits(high, 15, 14);
  bool omodAllowed = inst.has(flag::Omod) && !inst.has(flag::SdwaNoOmod);
  return inst.omod == 0 || omodAllowed;
}

/// The second word: src0[7:0] dpp_ctrl[16:8] bound_ctrl[19] neg0[20] abs0[21]
/// neg1[22] abs1[23] bank_mask[27:24] row_mask[31:28].
bool Decoder::dpp() {
  if (!inst.has(flag::Dpp) || !needHigh())
    return false;
  if (!source(inst.src[0], FirstVgpr + bits(high, 7, 0), info->src[0]) ||
      !dppControl())
    return false;
  // Operations of 64 bits, results included, move only by broadcast.
  bool isWide = info->src[0].dwords == 2 || info->dst.dwords == 2;
  if (isWide && inst.dppCtrl < DppCtrl::RowNewBcast)
    return false;

  for (unsigned i = 0; i < 2; ++i) {
    unsigned neg = bits(high, 20 + 2 * i, 20 + 2 * i);
    unsigned abs = bits(high, 21 + 2 * i, 21 + 2 * i);
    if (isFloatSource(i)) {
      inst.neg |= neg << i;
      inst.abs |= abs << i;
    } else if ((neg || abs) && !inst.has(flag::LooseMods)) {
      return false;
    }
  }
  return true;
}

/// Where lanes read, and which rows and banks take part.
bool Decoder::dppControl() {
  inst.form = Form::Dpp;
  inst.dppCtrl = bits(high, 16, 8);
  inst.boundCtrl = bits(high, 19, 19);
  inst.bankMask = bits(high, 27, 24);
  inst.rowMask = bits(high, 31, 28);
  // Controls between the defined ones are reserved.
  using namespace DppCtrl;
  unsigned ctrl = inst.dppCtrl;
  bool isRange = ctrl <= QuadPermLast ||
                 (ctrl > RowShl && ctrl < RowRor + 16 && ctrl % 16) ||
                 (ctrl >= RowNewBcast && ctrl < RowNewBcast + 16);
  bool isSingle = ctrl == WaveShl1 || ctrl == WaveRol1 || ctrl == WaveShr1 ||
                  ctrl == WaveRor1 || (ctrl >= RowMirror && ctrl <= RowBcast31);
  return isRange || isSingle;
}

/// Modifiers that the operation does not have must be 0.
bool Decoder::vop3Modifiers() {
  bool hasSdst = info->sdst.file != RegisterFile::None;
  unsigned count = sourceCount();
  unsigned neg = bits(high, 31, 29);
  unsigned abs = hasSdst ? 0 : bits(low, 10, 8);
  // Rounding to 8 bits at random has its old destination as a third source.
  bool looseThird = inst.has(flag::LooseMods) && inst.has(flag::OpSel);
  for (unsigned i = 0; i < 3; ++i) {
    unsigned bit = 1u << i;
    bool isFp = i < count && isFloatSource(i);
    bool loose =
        inst.has(flag::LooseMods) && (i < count || (i == 2 && looseThird));
    if (!isFp && !loose && ((neg | abs) & bit))
      return false;
    if (isFp) {
      inst.neg |= neg & bit;
      inst.abs |= abs & bit;
    }
  }
  inst.clamp = bits(low, 15, 15);
  inst.omod = bits(high, 28, 27);
  if ((inst.clamp && !inst.has(flag::Clamp)) ||
      (inst.omod && !inst.has(flag::Omod)))
    return false;
  if (inst.has(flag::OpSel)) {
    inst.opSel = bits(low, 14, 11);
    if (count == 2 && (inst.opSel & 4) && !looseThird)
      return false;
  }
  return true;
}

/// The 64-bit form of any VOP1, VOP2 or VOPC operation, or an operation of
/// VOP3's own.
bool Decoder::vop3() {
  if (!select(Encoding::VOP3, bits(low, 25, 16)) || !needHigh())
    return false;
  if (inst.encoding != Encoding::VOP3)
    inst.form = Form::Vop3;
  if (info->dst.file == RegisterFile::None)
    return bits(low, 7, 0) == 0 && vop3Modifiers();
  if (!destination(inst.dst, bits(low, 7, 0), info->dst) ||
      !destination(inst.sdst, bits(low, 14, 8), info->sdst))
    return false;
  // Nine bits each, side by side in the second word.
  for (unsigned i = 0; i < 3; ++i) {
    unsigned code = (uint64_t(high) >> (9 * i)) & 0x1ff;
    if (!source(inst.src[i], code, info->src[i]))
      return false;
  }
  return vop3Modifiers();
}

/// op_sel_hi has its third bit apart from the others.
bool Decoder::vop3p() {
  if (!select(Encoding::VOP3P, bits(low, 22, 16)) || !needHigh() ||
      !destination(inst.dst, bits(low, 7, 0), info->dst))
    return false;
  unsigned count = sourceCount();
  for (unsigned i = 0; i < count; ++i)
    if (!source(inst.src[i], (high >> (9 * i)) & 0x1ff, info->src[i]))
      return false;
  inst.clamp = bits(low, 15, 15);
  inst.neg = bits(high, 31, 29);
  inst.negHi = bits(low, 10, 8);
  unsigned opSel = bits(low, 13, 11);
  // Modifiers of sources that the operation has not.
  unsigned unused = 7u & ~((1u << count) - 1);
  if ((inst.neg | inst.negHi | opSel) & unused)
    return false;
  // Dot products of bytes and nibbles have no halves to select.
  if (info->src[0].type == DataType::I32)
    return opSel == 0;
  inst.opSel = opSel;
  inst.opSelHi = (bits(high, 28, 27) | bits(low, 14, 14) << 2) & ~unused;
  return true;
}

/// acc bits choose between VGPRs and accumulation registers, for A, B, and C
/// together with D.
bool Decoder::mai() {
  if (!select(Encoding::MAI, bits(low, 22, 16)) || !needHigh())
    return false;
  unsigned vdst = bits(low, 7, 0);
  unsigned codes[] = {bits(high, 8, 0), bits(high, 17, 9), bits(high, 26, 18)};
  unsigned blgp = bits(high, 31, 29);
  if (!inst.has(flag::Mfma)) // v_accvgpr_read, v_accvgpr_write
    return blgp == 0 && bits(low, 13, 8) == 0 &&
           destination(inst.dst, vdst, info->dst) &&
           source(inst.src[0], codes[0], info->src[0]);
  bool accCD = bits(low, 15, 15);
  inst.cbsz = bits(low, 10, 8);
  inst.abid = bits(low, 14, 11);
  inst.blgp = blgp;
  // Sparse forms have no broadcast of B.
  if (inst.has(flag::Sparse) && blgp)
    return false;
  return vgpr(inst.dst, vdst, info->dst, accCD) &&
         source(inst.src[0], codes[0], info->src[0], bits(high, 27, 27)) &&
         source(inst.src[1], codes[1], info->src[1], bits(high, 28, 28)) &&
         source(inst.src[2], codes[2], info->src[2], accCD);
}
