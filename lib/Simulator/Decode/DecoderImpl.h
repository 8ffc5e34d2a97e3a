//===- DecoderImpl.h - Shared by the families of the decoder ----*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Decoder holds the words of one instruction and the record being filled.
// Each family has one function that reads its fields; all of them decode
// operands through the few functions here. A function that returns false has
// met bits that are no instruction.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_DECODE_DECODERIMPL_H
#define TLC_LIB_SIMULATOR_DECODE_DECODERIMPL_H

#include "tlc/Simulator/Decode/Instruction.h"

namespace tlc::sim {

class Decoder {
public:
  /// \p word1Valid tells whether a second word exists.
  Decoder(uint32_t word0, uint32_t word1, bool word1Valid, Instruction &out)
      : low(word0), high(word1), highValid(word1Valid), inst(out) {}

  bool run();

private:
  // Families, by file: DecodeScalar, DecodeVector, DecodeMemory.
  bool sop2();
  bool sop1();
  bool sopc();
  bool sopk();
  bool sopp();
  bool smem();
  bool vop1();
  bool vop2();
  bool vopc();
  bool vop3();
  bool vop3p();
  bool mai();
  bool ds();
  bool flat();
  bool mubuf();
  bool mtbuf();

  bool sdwa();
  bool dpp();
  bool dppControl();
  bool vop3Modifiers();
  bool bufferCommon();

  /// Looks up \p number in the family's table and starts the record.
  bool select(Encoding encoding, unsigned number);
  bool needHigh() {
    inst.sizeBytes = 8;
    return highValid;
  }

  // Operands. code is the number in the encoding: 7 bits for destinations, 8
  // for scalar sources, 9 for vector sources (VGPRs from 256 on).
  bool scalar(Operand &op, unsigned code, const OperandInfo &info);
  bool source(Operand &op, unsigned code, const OperandInfo &info,
              bool accumulator = false);
  bool vgpr(Operand &op, unsigned reg, const OperandInfo &info,
            bool accumulator = false);
  bool constant(Operand &op, unsigned code, const OperandInfo &info);
  bool literal(Operand &op, const OperandInfo &info);
  void vcc(Operand &op);
  bool destination(Operand &op, unsigned code, const OperandInfo &info);

  unsigned sourceCount() const;
  /// Whether neg and abs apply to source i.
  bool isFloatSource(unsigned i) const {
    return isFloat(info->src[i].type) && !(i == 1 && inst.has(flag::IntSrc1));
  }

  static unsigned bits(uint32_t word, unsigned hi, unsigned lo) {
    return (word >> lo) & ((uint64_t(1) << (hi - lo + 1)) - 1);
  }

  uint32_t low, high;
  bool highValid;
  Instruction &inst;
  const OpcodeInfo *info = nullptr;
};

/// The opcode with \p number in the tables of \p encoding; VOP3 covers the
/// 64-bit forms of VOP1, VOP2 and VOPC.
Opcode findOpcode(Encoding encoding, unsigned number);

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_DECODE_DECODERIMPL_H
