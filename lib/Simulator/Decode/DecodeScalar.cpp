//===- DecodeScalar.cpp - SOP and SMEM families -----------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   SOP2  10 op[29:23] sdst[22:16] ssrc1[15:8] ssrc0[7:0]
//   SOPK  1011 op[27:23] sdst[22:16] simm16
//   SOP1  101111101 sdst[22:16] op[15:8] ssrc0[7:0]
//   SOPC  101111110 op[22:16] ssrc1[15:8] ssrc0[7:0]
//   SOPP  101111111 op[22:16] simm16
//   SMEM  110000 op[25:18] imm[17] glc[16] soff_en[14] sdata[12:6] sbase[5:0]
//         soffset[63:57] offset[52:32]
//
//===----------------------------------------------------------------------===//

#include "DecoderImpl.h"
#include "llvm/Support/MathExtras.h"

using namespace tlc::sim;

bool Decoder::sop2() {
  return select(Encoding::SOP2, bits(low, 29, 23)) &&
         destination(inst.dst, bits(low, 22, 16), info->dst) &&
         source(inst.src[0], bits(low, 7, 0), info->src[0]) &&
         source(inst.src[1], bits(low, 15, 8), info->src[1]);
}

bool Decoder::sop1() {
  return select(Encoding::SOP1, bits(low, 15, 8)) &&
         destination(inst.dst, bits(low, 22, 16), info->dst) &&
         source(inst.src[0], bits(low, 7, 0), info->src[0]);
}

bool Decoder::sopc() {
  if (!select(Encoding::SOPC, bits(low, 22, 16)) ||
      !source(inst.src[0], bits(low, 7, 0), info->src[0]))
    return false;
  if (inst.has(flag::ImmSrc1)) {
    inst.imm = bits(low, 15, 8);
    return true;
  }
  return source(inst.src[1], bits(low, 15, 8), info->src[1]);
}

/// The constant is sign-extended here; unsigned users cut it to 16 bits.
/// s_setreg_imm32_b32 has a literal instead of registers.
bool Decoder::sopk() {
  if (!select(Encoding::SOPK, bits(low, 27, 23)))
    return false;
  inst.imm = int16_t(low);
  if (inst.has(flag::Literal)) {
    inst.hasLiteral = true;
    inst.literal = high;
    return needHigh();
  }
  unsigned reg = bits(low, 22, 16);
  return destination(inst.dst, reg, info->dst) &&
         source(inst.src[0], reg, info->src[0]);
}

/// Instructions without a meaning for their constant must have 0.
bool Decoder::sopp() {
  if (!select(Encoding::SOPP, bits(low, 22, 16)))
    return false;
  inst.imm = int16_t(low);
  return info->constant != ConstantKind::None || inst.imm == 0;
}

/// The offset is a signed constant of 21 bits, a scalar register, or both
/// (soff_en).
bool Decoder::smem() {
  if (!select(Encoding::SMEM, bits(low, 25, 18)) || !needHigh())
    return false;
  unsigned sdata = bits(low, 12, 6), sbase = bits(low, 5, 0) * 2;
  // Results arrive late; M0 and EXEC cannot wait for them.
  if (sdata >= ScalarReg::M0 && !inst.has(flag::Probe) &&
      (info->dst.file != RegisterFile::None ||
       info->src[1].file != RegisterFile::None))
    return false;
  if (inst.has(flag::NoAddress))
    return bits(low, 17, 17) == 0 && destination(inst.dst, sdata, info->dst);
  if (inst.has(flag::Load | flag::Store | flag::Atomic))
    inst.sc0 = bits(low, 16, 16);
  if (inst.has(flag::Probe))
    inst.imm = sdata;
  if (!destination(inst.dst, sdata, info->dst) ||
      !source(inst.src[0], sbase, info->src[0]) ||
      !source(inst.src[1], sdata, info->src[1]))
    return false;
  // An atomic with glc returns the old value to the registers of its data.
  if (inst.has(flag::Atomic) && inst.sc0)
    inst.dst = inst.src[1];

  constexpr OperandInfo offsetReg{RegisterFile::Scalar, DataType::B32, 1};
  bool imm = bits(low, 17, 17), soffEn = bits(low, 14, 14);
  inst.hasOffset = imm;
  if (imm)
    inst.offset = llvm::SignExtend32<21>(bits(high, 20, 0));
  if (soffEn)
    return scalar(inst.src[2], bits(high, 31, 25), offsetReg);
  // Without either bit the offset field itself names the register.
  return imm || scalar(inst.src[2], bits(high, 6, 0), offsetReg);
}
