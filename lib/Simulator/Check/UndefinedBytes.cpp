//===- UndefinedBytes.cpp - Operations that keep bytes apart ----*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moves, logic, shifts, byte permutes, selects and packed halves, followed
// exactly where an operand is partly undefined: compilers use them to take
// values apart and to mask what they do not need.
//
// A lane's values are looked at as well as its flags: a known 0 hides what is
// under it, and known shift counts move flags exactly. Bits are followed within
// a lane's dword; the result is stored by bytes, a byte being undefined if any
// of its bits is.
//
//===----------------------------------------------------------------------===//

#include "UndefinedBytes.h"

using namespace tlc::sim;
using llvm::StringRef;

namespace {

/// Bits from the lowest undefined one up: where a carry may go.
uint32_t upward(uint32_t undefined) {
  return undefined ? ~((undefined & -undefined) - 1) : 0;
}

/// What SDWA takes of a word, or of its flags: a byte or half, extended.
uint32_t selected(uint32_t word, SdwaSel sel, bool sext) {
  unsigned width = sel <= SdwaSel::Byte3 ? 8 : sel == SdwaSel::Dword ? 32 : 16;
  unsigned at = width == 8 ? 8 * unsigned(sel) : sel == SdwaSel::Word1 ? 16 : 0;
  if (width == 32)
    return word;
  word = word >> at & ((1u << width) - 1);
  uint32_t sign = 1u << (width - 1);
  return sext ? (word ^ sign) - sign : word;
}

/// Where SDWA puts a result's flags: its low byte or half, zeros around it or
/// its sign above.
uint32_t deposited(uint32_t word, SdwaSel sel, bool sext) {
  if (sel == SdwaSel::Dword)
    return word;
  bool half = sel > SdwaSel::Byte3;
  uint32_t low = selected(word, half ? SdwaSel::Word0 : SdwaSel::Byte0, sext);
  return low << (half ? 16 * (sel == SdwaSel::Word1) : 8 * unsigned(sel));
}

} // namespace

/// The flags of a lane as a mask of bits: 0xff in each undefined byte.
uint32_t tlc::sim::undefinedWord(const ByteMasks &masks, unsigned lane) {
  uint32_t word = 0;
  for (unsigned byte = 0; byte < 4; ++byte)
    if (masks[byte] >> lane & 1)
      word |= 0xffu << (8 * byte);
  return word;
}

/// SDWA and op_sel write a half or a byte; the other bytes of the register keep
/// what they had, and so do their flags.
/// The answer is a mask of four bits, one for each byte; 0xf for a whole dword.
unsigned tlc::sim::writtenBytes(const Instruction &inst) {
  if (inst.form == Form::Sdwa && inst.dstUnused == SdwaUnused::Preserve)
    switch (inst.dstSel) {
    case SdwaSel::Word0:
      return 0x3;
    case SdwaSel::Word1:
      return 0xc;
    case SdwaSel::Dword:
      return 0xf;
    default:
      return 1u << unsigned(inst.dstSel);
    }
  StringRef name = mnemonic(inst.op);
  // Opcodes of gfx9's own write one half and keep the other; they are told by
  // op_sel and the type at the end of the name. Packing and 32-bit results
  // write all.
  bool halfResult =
      inst.has(flag::OpSel) && !name.contains("pk") && !name.contains("pack") &&
      (name.ends_with("_f16") || name.ends_with("16")) && !name.contains("32");
  if (halfResult)
    return inst.opSel & 8 ? 0xc : 0x3;
  if (inst.op == Opcode::v_fma_mixlo_f16)
    return 0x3;
  if (inst.op == Opcode::v_fma_mixhi_f16)
    return 0xc;
  return 0xf;
}

/// What one lane's operands hold, a dword each.
struct Undefined::LaneView {
  uint32_t value[3] = {0, 0, 0}, undefined[3] = {0, 0, 0};
};

/// False where the operation is none of those that keep bytes apart: the caller
/// then takes the whole lane.
bool Undefined::propagateBytes(const Wave &wave, const Op &op) {
  const Instruction &inst = *op.inst;
  if (inst.op == Opcode::v_lshrrev_b64 || inst.op == Opcode::v_ashrrev_i64)
    return propagateShift(wave, op);
  // Only whole dwords are followed here.
  if (op.dstKind == OperandKind::Scalar || op.dstDwords != 1 ||
      writtenBytes(inst) != 0xf)
    return false;
  // The result's undefined bits from those of the operands; see below.
  // Called for one lane; \p known becomes false for operations outside the
  // list, which is the same for every lane.
  auto evaluate = [&](const LaneView &x, bool &known) -> uint32_t {
    // A bit that either operand is known to clear (set, for or) is defined,
    // whatever the other is.
    auto andBits = [&](unsigned i, unsigned j, uint32_t invert = 0) {
      uint32_t vi = x.value[i] ^ invert;
      uint32_t zero = (~x.undefined[i] & ~vi) | (~x.undefined[j] & ~x.value[j]);
      return (x.undefined[i] | x.undefined[j]) & ~zero;
    };
    auto orBits = [&](unsigned i, unsigned j) {
      uint32_t one =
          (~x.undefined[i] & x.value[i]) | (~x.undefined[j] & x.value[j]);
      return (x.undefined[i] | x.undefined[j]) & ~one;
    };
    uint32_t a = x.undefined[0], b = x.undefined[1], c = x.undefined[2];
    known = true;
    switch (inst.op) {
    case Opcode::v_mov_b32:
    case Opcode::v_not_b32:
    case Opcode::v_accvgpr_read_b32:
    case Opcode::v_accvgpr_write_b32:
    case Opcode::v_accvgpr_mov_b32:
      return a;
    case Opcode::v_and_b32:
      return andBits(0, 1);
    case Opcode::v_or_b32:
      return orBits(0, 1);
    case Opcode::v_xor_b32:
    case Opcode::v_xnor_b32:
      return a | b;
    // In "rev" forms source 0 is the count. An undefined count spoils the whole
    // result.
    case Opcode::v_lshlrev_b32:
      return a ? ~0u : b << (x.value[0] & 31);
    case Opcode::v_lshrrev_b32:
      return a ? ~0u : b >> (x.value[0] & 31);
    case Opcode::v_ashrrev_i32:
      return a ? ~0u : uint32_t(int32_t(b) >> (x.value[0] & 31));
    // A few combined forms are followed coarsely: a known 1 of the other
    // operand does not hide an undefined bit.
    case Opcode::v_lshl_or_b32:
      return b ? ~0u : a << (x.value[1] & 31) | c;
    case Opcode::v_and_or_b32:
      return andBits(0, 1) | c;
    case Opcode::v_or3_b32:
      return a | b | c;
    // Bits of b where a is 1, of c where a is 0: two ands with a, once
    // inverted.
    case Opcode::v_bfi_b32:
      return andBits(0, 1) | andBits(0, 2, ~0u);
    case Opcode::v_bfe_u32: {
      unsigned width = x.value[2] & 31;
      return b || c ? ~0u
                    : a >> (x.value[1] & 31) & ((uint32_t(1) << width) - 1);
    }
    case Opcode::v_alignbit_b32:
    case Opcode::v_alignbyte_b32: {
      unsigned shift =
          (x.value[2] & 31) * (inst.op == Opcode::v_alignbyte_b32 ? 8 : 1);
      return c ? ~0u : uint32_t((uint64_t(a) << 32 | b) >> (shift & 31));
    }
    // Each byte takes the flags of the byte that its selector names, and of the
    // selector.
    case Opcode::v_perm_b32: {
      uint32_t result = 0;
      uint64_t bytes = uint64_t(a) << 32 | b;
      for (unsigned i = 0; i < 4; ++i) {
        unsigned select = x.value[2] >> (8 * i) & 0xff;
        bool undefined = (c >> (8 * i) & 0xff) != 0;
        if (select < 8)
          undefined |= (bytes >> (8 * select) & 0xff) != 0;
        else if (select < 12) // the sign of a half
          undefined |= (bytes >> (16 * (select - 8) + 8) & 0xff) != 0;
        result |= undefined ? 0xffu << (8 * i) : 0;
      }
      return result;
    }
    case Opcode::v_pack_b32_f16: {
      auto half = [&](unsigned i) {
        return x.undefined[i] >> (inst.opSel >> i & 1 ? 16 : 0) & 0xffff;
      };
      return half(0) | half(1) << 16;
    }
    // A sum's bit depends on the bits at and below it.
    case Opcode::v_add_u32:
    case Opcode::v_sub_u32:
    case Opcode::v_subrev_u32:
    case Opcode::v_add3_u32:
      return upward(a | b | c);
    case Opcode::v_add_u16:
    case Opcode::v_sub_u16:
    case Opcode::v_subrev_u16:
    case Opcode::v_mul_lo_u16: {
      uint32_t halves = (a | b) & 0xffff;
      return (inst.clamp && halves ? ~0u : upward(halves)) & 0xffff;
    }
    case Opcode::v_lshl_add_u32:
      return b ? ~0u : upward(a << (x.value[1] & 31) | c);
    case Opcode::v_cndmask_b32:
      return 0; // by mask, below
    default:
      break;
    }
    // Packed halves: each half of the result depends on the halves that op_sel
    // and op_sel_hi pick.
    if (inst.encoding == Encoding::VOP3P &&
        (inst.src[0].type == DataType::V2F16 ||
         inst.src[0].type == DataType::V2I16) &&
        (inst.src[1].type == inst.src[0].type) &&
        inst.src[2].type != DataType::F32 &&
        inst.src[2].type != DataType::I32) {
      uint32_t result = 0;
      for (unsigned i = 0; i < 3; ++i) {
        uint32_t low = x.undefined[i] >> (inst.opSel >> i & 1 ? 16 : 0);
        uint32_t high = x.undefined[i] >> (inst.opSelHi >> i & 1 ? 16 : 0);
        result |=
            (low & 0xffff ? 0xffffu : 0) | (high & 0xffff ? 0xffff0000u : 0);
      }
      return result;
    }
    known = false;
    return 0;
  };

  // The mask of v_cndmask decides lane by lane which source counts.
  bool isSelect = inst.op == Opcode::v_cndmask_b32;
  uint64_t mask = 0, maskUndefined = 0;
  if (isSelect && op.src[2].kind == OperandKind::Scalar) {
    unsigned reg = op.src[2].index;
    mask = wave.pair(reg);
    maskUndefined = uint64_t(scalar[reg + 1]) << 32 | scalar[reg];
  }
  bool isSdwa = inst.form == Form::Sdwa;
  ByteMasks result{};
  uint64_t lanes = wave.exec();
  for (uint64_t rest = lanes; rest; rest &= rest - 1) {
    unsigned l = __builtin_ctzll(rest);
    LaneView x;
    for (unsigned i = 0; i < 3; ++i) {
      const Source &source = op.src[i];
      if (isSelect && i == 2)
        break;
      if (source.kind == OperandKind::Vector ||
          source.kind == OperandKind::Accumulator) {
        x.value[i] = wave.vgpr[source.index + l];
        x.undefined[i] = undefinedWord(vector[source.index / waveLanes], l);
      } else if (source.kind == OperandKind::Scalar) {
        x.value[i] = wave.sgpr[source.index];
        x.undefined[i] = scalar[source.index];
      } else {
        x.value[i] = uint32_t(source.value);
      }
      if (isSdwa && i < 2) {
        bool sext = inst.sext >> i & 1;
        x.value[i] = selected(x.value[i], inst.srcSel[i], sext);
        x.undefined[i] = selected(x.undefined[i], inst.srcSel[i], sext);
      }
    }
    bool known = true;
    uint32_t undefined = evaluate(x, known);
    // Nothing has been changed yet, so the caller may start over.
    if (!known)
      return false;
    if (isSelect)
      undefined =
          maskUndefined >> l & 1 ? ~0u : x.undefined[mask >> l & 1 ? 1 : 0];
    if (isSdwa)
      undefined =
          deposited(undefined, inst.dstSel, inst.dstUnused == SdwaUnused::Sext);
    for (unsigned byte = 0; byte < 4; ++byte)
      if (undefined >> (8 * byte) & 0xff)
        result[byte] |= uint64_t(1) << l;
  }
  setLanes(op.dst / waveLanes, lanes, result);
  return true;
}

/// Shifts of pairs to the right: compilers take bytes of a word out of a pair
/// whose high half they never set.
bool Undefined::propagateShift(const Wave &wave, const Op &op) {
  const Source &count = op.src[0], &source = op.src[1];
  if (op.dstKind == OperandKind::Scalar || source.kind != OperandKind::Vector ||
      sourceLanes(op, 0))
    return false;
  ByteMasks low{}, high{};
  uint64_t lanes = wave.exec();
  for (uint64_t rest = lanes; rest; rest &= rest - 1) {
    unsigned l = __builtin_ctzll(rest);
    unsigned reg = source.index / waveLanes;
    uint64_t undefined = uint64_t(undefinedWord(vector[reg + 1], l)) << 32 |
                         undefinedWord(vector[reg], l);
    uint32_t by = count.kind == OperandKind::Vector ? wave.vgpr[count.index + l]
                  : count.kind == OperandKind::Scalar ? wave.sgpr[count.index]
                                                      : uint32_t(count.value);
    undefined = op.inst->op == Opcode::v_lshrrev_b64
                    ? undefined >> (by & 63)
                    : uint64_t(int64_t(undefined) >> (by & 63));
    for (unsigned byte = 0; byte < 8; ++byte)
      if (undefined >> (8 * byte) & 0xff)
        (byte < 4 ? low : high)[byte & 3] |= uint64_t(1) << l;
  }
  setLanes(op.dst / waveLanes, lanes, low);
  setLanes(op.dst / waveLanes + 1, lanes, high);
  return true;
}
