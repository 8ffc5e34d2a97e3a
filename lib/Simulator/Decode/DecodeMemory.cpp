//===- DecodeMemory.cpp - DS, FLAT, MUBUF and MTBUF families ----*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   DS     110110 acc[25] op[24:17] gds[16] offset1[15:8] offset0[7:0]
//          vdst[63:56] data1[55:48] data0[47:40] addr[39:32]
//   FLAT   110111 sc1[25] op[24:18] nt[17] sc0[16] seg[15:14] sve[13]
//          offset[12:0]
//          vdst[63:56] acc[55] saddr[54:48] data[47:40] addr[39:32]
//   MUBUF  111000 op[24:18] nt[17] lds[16] sc1[15] sc0[14] idxen[13]
//          offen[12] offset[11:0]
//          soffset[63:56] acc[55] srsrc[52:48] vdata[47:40] vaddr[39:32]
//   MTBUF  111010 nfmt[25:23] dfmt[22:19] op[18:15] sc0[14] idxen[13]
//          offen[12] offset[11:0]
//          soffset[63:56] acc[55] nt[54] sc1[53] srsrc[52:48] vdata vaddr
//
// acc makes the data registers accumulation VGPRs.
//
//===----------------------------------------------------------------------===//

#include "DecoderImpl.h"
#include "llvm/Support/MathExtras.h"

using namespace tlc::sim;

namespace {
constexpr unsigned FirstVgpr = 256;
constexpr unsigned NoSaddr = 0x7f;
} // namespace

/// Unused register fields must be 0: what is not an encoding that LLVM prints
/// is refused.
bool Decoder::ds() {
  if (!select(Encoding::DS, bits(low, 24, 17)) || !needHigh())
    return false;
  bool acc = bits(low, 25, 25);
  inst.gds = bits(low, 16, 16);
  // Of the global data share gfx942 has kept the wave synchronisation only.
  if (inst.gds != inst.has(flag::Gws))
    return false;
  inst.offset = bits(low, 15, 0);
  if (inst.op == Opcode::ds_nop && inst.offset)
    return false;
  if (inst.has(flag::TwoOffsets)) {
    inst.offset = 0;
    inst.offset0 = bits(low, 7, 0);
    inst.offset1 = bits(low, 15, 8);
  }
  unsigned fields[] = {bits(high, 7, 0), bits(high, 15, 8), bits(high, 23, 16)};
  // GWS takes its one register from the address field.
  if (inst.has(flag::GwsData))
    std::swap(fields[0], fields[1]);
  bool mayBeAcc = info->dst.file == RegisterFile::VectorOrAcc;
  for (unsigned i = 0; i < 3; ++i) {
    bool used = info->src[i].file != RegisterFile::None;
    mayBeAcc |= info->src[i].file == RegisterFile::VectorOrAcc;
    if (used ? !source(inst.src[i], FirstVgpr + fields[i], info->src[i], acc)
             : fields[i] != 0)
      return false;
  }
  unsigned vdst = bits(high, 31, 24);
  if (info->dst.file == RegisterFile::None)
    return vdst == 0 && (!acc || mayBeAcc);
  return vgpr(inst.dst, vdst, info->dst, acc);
}

/// Segment 0 is FLAT, 1 SCRATCH, 2 GLOBAL. saddr = 0x7f means no scalar base;
/// for SCRATCH sve says whether there is a VGPR address.
bool Decoder::flat() {
  static constexpr Encoding segments[] = {Encoding::FLAT, Encoding::SCRATCH,
                                          Encoding::GLOBAL};
  unsigned segment = bits(low, 15, 14);
  if (segment > 2 || !select(segments[segment], bits(low, 24, 18)) ||
      !needHigh())
    return false;
  inst.sc0 = bits(low, 16, 16);
  inst.nt = bits(low, 17, 17);
  inst.sc1 = bits(low, 25, 25);
  bool sve = bits(low, 13, 13);
  unsigned addr = FirstVgpr + bits(high, 7, 0), saddr = bits(high, 22, 16);
  bool acc = bits(high, 23, 23);

  OperandInfo addrInfo = info->src[0];
  switch (inst.encoding) {
  case Encoding::FLAT:
    // 12 unsigned bits; what the 13th would mean is not defined.
    inst.offset = bits(low, 12, 0);
    if (sve || saddr || inst.offset > 0xfff)
      return false;
    break;
  case Encoding::GLOBAL:
    if (sve)
      return false;
    inst.offset = llvm::SignExtend32<13>(bits(low, 12, 0));
    // Beside a scalar base the vector address is a 32-bit offset.
    if (saddr != NoSaddr)
      addrInfo = {RegisterFile::Vector, DataType::B32, 1};
    break;
  default:
    inst.offset = llvm::SignExtend32<13>(bits(low, 12, 0));
    break;
  }
  if ((inst.encoding != Encoding::SCRATCH || sve) &&
      !source(inst.src[0], addr, addrInfo))
    return false;
  if (inst.encoding != Encoding::FLAT && saddr != NoSaddr &&
      ((inst.encoding == Encoding::GLOBAL && saddr == ScalarReg::ExecLo) ||
       !scalar(inst.src[2], saddr, info->src[2])))
    return false;
  if (!source(inst.src[1], FirstVgpr + bits(high, 15, 8), info->src[1], acc))
    return false;
  if (inst.has(flag::ToLDS)) // no data register
    return !acc;
  bool returns = !inst.has(flag::Atomic) || inst.sc0;
  if (info->dst.file == RegisterFile::None || !returns)
    return true;
  return vgpr(inst.dst, bits(high, 31, 24), info->dst, acc);
}

/// What MUBUF and MTBUF share: VGPR address of 0 to 2 dwords by idxen and
/// offen, resource, scalar offset, data.
bool Decoder::bufferCommon() {
  inst.sc0 = bits(low, 14, 14);
  inst.idxen = bits(low, 13, 13);
  inst.offen = bits(low, 12, 12);
  inst.offset = bits(low, 11, 0);
  bool acc = bits(high, 23, 23);
  unsigned vdata = bits(high, 15, 8);
  unsigned addressDwords = inst.offen + inst.idxen;
  if (addressDwords) {
    DataType type = addressDwords == 2 ? DataType::B64 : DataType::B32;
    OperandInfo address{RegisterFile::Vector, type, uint8_t(addressDwords)};
    if (!vgpr(inst.src[0], bits(high, 7, 0), address))
      return false;
  }
  if (!scalar(inst.src[2], bits(high, 20, 16) * 4, info->src[2]) ||
      !source(inst.src[3], bits(high, 31, 24), info->src[3]))
    return false;
  if (inst.lds) // the data goes to LDS at M0
    return !acc;
  if (!inst.has(flag::Load) &&
      !source(inst.src[1], FirstVgpr + vdata, info->src[1], acc))
    return false;
  if (inst.has(flag::Load))
    return vgpr(inst.dst, vdata, info->dst, acc);
  // An atomic with sc0 returns the old value in the first half of a
  // compare-and-swap's data, in all of other data.
  if (inst.has(flag::Atomic) && inst.sc0) {
    OperandInfo result = info->dst;
    if (inst.op == Opcode::buffer_atomic_cmpswap)
      result = {RegisterFile::VectorOrAcc, DataType::B32, 1};
    else if (inst.op == Opcode::buffer_atomic_cmpswap_x2)
      result = {RegisterFile::VectorOrAcc, DataType::B64, 2};
    return vgpr(inst.dst, vdata, result, acc);
  }
  return true;
}

bool Decoder::mubuf() {
  if (!select(Encoding::MUBUF, bits(low, 24, 18)) || !needHigh())
    return false;
  inst.sc1 = bits(low, 15, 15);
  inst.nt = bits(low, 17, 17);
  inst.lds = bits(low, 16, 16);
  if (inst.lds && !inst.has(flag::MayUseLDS))
    return false;
  if (inst.lds)
    inst.flags |= flag::ToLDS | flag::ReadsM0;
  if (inst.has(flag::CacheControl)) {
    inst.sc0 = bits(low, 14, 14);
    inst.nt = false;
    return !bits(low, 13, 12) && !bits(high, 23, 23);
  }
  return bufferCommon();
}

bool Decoder::mtbuf() {
  if (!select(Encoding::MTBUF, bits(low, 18, 15)) || !needHigh())
    return false;
  inst.dfmt = bits(low, 22, 19);
  inst.nfmt = bits(low, 25, 23);
  inst.nt = bits(high, 22, 22);
  inst.sc1 = bits(high, 21, 21);
  return bufferCommon();
}
