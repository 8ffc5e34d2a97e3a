//===- UndefinedVector.cpp - Undefined values in vector code ----*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With defined inputs an instruction defines its results: the usual case, and
// cheap. Otherwise lanes are looked at one by one, operations that keep bytes
// apart are followed exactly, and others spread over the lane's result.
//
// Exactness matters in both directions: a flag too many reports a correct
// kernel, a flag too few misses an error. Where an operation is not followed
// exactly, the doubt is resolved towards "undefined".
//
//===----------------------------------------------------------------------===//

#include "LaneMoves.h"
#include "UndefinedBytes.h"

using namespace tlc::sim;

namespace {

constexpr ByteMasks allDefined{};

/// Which bytes of a source dword an instruction looks at.
/// A 16-bit operand in a partly written register, or one byte of it, is fine.
/// The mask has a bit for each byte.
unsigned usedBytes(const Instruction &inst, unsigned source) {
  if (inst.form == Form::Sdwa && source < 2)
    switch (inst.srcSel[source]) {
    case SdwaSel::Word0:
      return 0x3;
    case SdwaSel::Word1:
      return 0xc;
    case SdwaSel::Dword:
      break;
    default:
      return 1u << unsigned(inst.srcSel[source]);
    }
  switch (inst.op) {
  case Opcode::v_cvt_f32_ubyte0:
  case Opcode::v_cvt_f32_fp8:
  case Opcode::v_cvt_f32_bf8:
    return 0x1;
  case Opcode::v_cvt_f32_ubyte1:
    return 0x2;
  case Opcode::v_cvt_f32_ubyte2:
    return 0x4;
  case Opcode::v_cvt_f32_ubyte3:
    return 0x8;
  case Opcode::v_cvt_pk_f32_fp8:
  case Opcode::v_cvt_pk_f32_bf8:
    return 0x3;
  default:
    break;
  }
  DataType type = inst.src[source].type;
  if (type != DataType::F16 && type != DataType::I16)
    return 0xf;
  // v_fma_mix reads an f32 unless op_sel_hi marks the operand as a half.
  bool mix = inst.encoding == Encoding::VOP3P;
  if (mix && !(inst.opSelHi >> source & 1))
    return 0xf;
  return inst.opSel >> source & 1 ? 0xc : 0x3;
}

/// Which sources of an operation are 64 bits wide and only lend their low half
/// to the low half of the result; 0: no such operation.
unsigned lowFromLow(Opcode op) {
  switch (op) {
  case Opcode::v_mad_u64_u32:
  case Opcode::v_mad_i64_i32:
    return 1u << 2;
  case Opcode::v_lshl_add_u64:
    return 1u << 0 | 1u << 2;
  case Opcode::v_lshlrev_b64:
    return 1u << 1;
  default:
    return 0;
  }
}

} // namespace

/// Lanes in which source \p i is undefined, as far as the instruction looks at
/// it. A scalar reaches all lanes.
uint64_t Undefined::sourceLanes(const Op &op, unsigned i) const {
  const Source &source = op.src[i];
  if (source.kind == OperandKind::Scalar) {
    for (unsigned d = 0; d < source.dwords; ++d)
      if (scalar[source.index + d])
        return ~uint64_t(0);
    return 0;
  }
  if (source.kind != OperandKind::Vector &&
      source.kind != OperandKind::Accumulator)
    return 0;
  unsigned bytes = usedBytes(*op.inst, i);
  uint64_t lanes = 0;
  for (unsigned d = 0; d < source.dwords; ++d)
    for (unsigned byte = 0; byte < 4; ++byte)
      if (bytes >> byte & 1)
        lanes |= vector[source.index / waveLanes + d][byte];
  return lanes;
}

/// Replaces the flags of some lanes of a register.
void Undefined::setLanes(uint32_t reg, uint64_t lanes,
                         const ByteMasks &undefined) {
  ByteMasks &masks = vector[reg];
  for (unsigned byte = 0; byte < 4; ++byte)
    masks[byte] = (masks[byte] & ~lanes) | (undefined[byte] & lanes);
}

/// The results are defined: for vectors in \p lanes, for scalars as a whole.
void Undefined::defineWrites(const Wave &wave, const OpFacts &facts,
                             uint64_t lanes) {
  for (const RegisterRange &range : facts.writes)
    for (unsigned i = 0; i < range.count; ++i) {
      if (range.vector)
        setLanes(range.first + i, lanes, allDefined);
      else
        scalar[range.first + i] = 0;
    }
}

/// Source 0 comes from the lane that dpp_ctrl names; lanes that are masked, or
/// have no source and no bound_ctrl, keep their value and their flags. False if
/// the instruction is no DPP.
bool Undefined::propagateDpp(const Wave &wave, const Op &op) {
  const Instruction &inst = *op.inst;
  if (inst.form != Form::Dpp || op.dstKind == OperandKind::Scalar)
    return false;
  uint64_t exec = wave.exec(), written = 0, undefined = 0;
  // Only source 0 moves between lanes; the others stay in theirs.
  uint64_t source = sourceLanes(op, 0), others = 0;
  for (unsigned i = 1; i < 3; ++i)
    others |= sourceLanes(op, i);
  // An accumulation reads its destination too.
  if (inst.has(flag::ReadsDst))
    for (unsigned d = 0; d < op.dstDwords; ++d)
      for (uint64_t mask : vector[op.dst / waveLanes + d])
        others |= mask;
  for (unsigned l = 0; l < waveLanes; ++l) {
    if (!(exec >> l & 1) || !(inst.rowMask >> (l / 16) & 1) ||
        !(inst.bankMask >> (l % 16 / 4) & 1))
      continue;
    int from = dppSourceLane(inst.dppCtrl, l);
    bool valid = from >= 0 && (exec >> from & 1);
    if (!valid && !inst.boundCtrl)
      continue; // the lane keeps its value
    written |= uint64_t(1) << l;
    bool bad = (valid && (source >> from & 1)) || (others >> l & 1);
    undefined |= uint64_t(bad) << l;
  }
  for (unsigned d = 0; d < op.dstDwords; ++d)
    setLanes(op.dst / waveLanes + d, written,
             {undefined, undefined, undefined, undefined});
  return true;
}

/// A bit of the result for each lane. Lanes that are off get a defined 0.
void Undefined::propagateCompare(const Wave &wave, const Op &op,
                                 const OpFacts &facts) {
  uint64_t lanes = (sourceLanes(op, 0) | sourceLanes(op, 1)) & wave.exec();
  scalar[op.dst] = uint32_t(lanes);
  scalar[op.dst + 1] = uint32_t(lanes >> 32);
  for (unsigned reg : {ScalarReg::ExecLo, ScalarReg::ExecHi})
    scalar[reg] = 0; // checked where it is written
}

/// Called only if something is undefined.
void Undefined::propagateMatrix(const Op &op) {
  // Rows of A and columns of B map to rows and columns of the result; which
  // ones depends on the shape. Undefined values in an accumulator stay in
  // their place.
  const Instruction &inst = *op.inst;
  uint64_t inputs = sourceLanes(op, 0) | sourceLanes(op, 1);
  // v_smfmac reads its index from source 2 and accumulates in place.
  if (inst.has(flag::Sparse))
    inputs |= sourceLanes(op, 2);
  const Source &c = op.src[2];
  bool cIsRegister =
      !inst.has(flag::Sparse) &&
      (c.kind == OperandKind::Vector || c.kind == OperandKind::Accumulator);
  std::vector<ByteMasks> result(op.dstDwords, ByteMasks{});
  // First the coarse answer: any undefined input makes every element undefined.
  // Without one only C's own flags remain.
  for (unsigned d = 0; d < op.dstDwords; ++d) {
    uint64_t bad = inputs ? ~uint64_t(0) : 0;
    const ByteMasks *old = inst.has(flag::Sparse)
                               ? &vector[op.dst / waveLanes + d]
                           : cIsRegister ? &vector[c.index / waveLanes + d]
                                         : nullptr;
    if (old)
      for (uint64_t mask : *old)
        bad |= mask;
    // Both columns of 64-bit results.
    result[d] = {bad, bad, bad, bad};
  }
  // An element of the result depends on one row of A and one column of B only.
  // This lets a tile with undefined padding rows pass, which are computed and
  // never stored.
  MatrixRows rows = matrixRowsOf(inst);
  if (inputs && rows.known) {
    // Refine: only rows with an undefined A, columns with an undefined B.
    uint64_t badRows = rows.inputs(sourceLanes(op, 0));
    uint64_t badColumns = rows.inputs(sourceLanes(op, 1));
    for (unsigned d = 0; d < op.dstDwords; ++d) {
      uint64_t lanes = 0;
      for (unsigned l = 0; l < waveLanes; ++l)
        if ((badRows >> rows.row(d, l) & 1) ||
            (badColumns >> rows.column(l) & 1))
          lanes |= uint64_t(1) << l;
      if (cIsRegister)
        for (uint64_t mask : vector[c.index / waveLanes + d])
          lanes |= mask;
      result[d] = {lanes, lanes, lanes, lanes};
    }
  }
  for (unsigned d = 0; d < op.dstDwords; ++d)
    vector[op.dst / waveLanes + d] = result[d];
}

/// From the cheap cases to the exact ones: matrix, lane reads and writes, DPP,
/// all defined, compares, byte-exact operations; what is left spreads over the
/// lane.
void Undefined::propagateVector(const Wave &wave, const Op &op,
                                const OpFacts &facts) {
  const Instruction &inst = *op.inst;
  uint64_t exec = wave.exec();
  if (facts.isMatrix) {
    if (inputsDefined(facts))
      return defineWrites(wave, facts, ~uint64_t(0));
    return propagateMatrix(op);
  }
  if (op.dstKind == OperandKind::None)
    return;
  // Reads of one lane: the flags of its four bytes become bits of the scalar.
  if (inst.op == Opcode::v_readfirstlane_b32 ||
      inst.op == Opcode::v_readlane_b32) {
    unsigned lane = exec ? __builtin_ctzll(exec) : 0;
    if (inst.op == Opcode::v_readlane_b32)
      lane =
          (op.src[1].kind == OperandKind::Scalar ? wave.sgpr[op.src[1].index]
                                                 : uint32_t(op.src[1].value)) &
          63;
    scalar[op.dst] = undefinedWord(vector[op.src[0].index / waveLanes], lane);
    return;
  }
  if (inst.op == Opcode::v_writelane_b32) {
    unsigned lane =
        (op.src[1].kind == OperandKind::Scalar ? wave.sgpr[op.src[1].index]
                                               : uint32_t(op.src[1].value)) &
        63;
    uint32_t undefined =
        op.src[0].kind == OperandKind::Scalar ? scalar[op.src[0].index] : 0;
    ByteMasks masks{};
    for (unsigned byte = 0; byte < 4; ++byte)
      masks[byte] = undefined >> (8 * byte) & 0xff ? ~uint64_t(0) : 0;
    setLanes(op.dst / waveLanes, uint64_t(1) << lane, masks);
    return;
  }
  if (inst.op == Opcode::v_swap_b32) {
    ByteMasks a = vector[op.dst / waveLanes];
    ByteMasks b = vector[op.src[0].index / waveLanes];
    setLanes(op.dst / waveLanes, exec, b);
    setLanes(op.src[0].index / waveLanes, exec, a);
    return;
  }
  // The bytes of the destination that the instruction writes; the others keep
  // their flags.
  unsigned bytes = writtenBytes(inst);
  // A quad permutation of defined values with all rows and banks needs no lane
  // by lane look.
  if (inst.form == Form::Dpp &&
      (inst.dppCtrl > DppCtrl::QuadPermLast || inst.rowMask != 0xf ||
       inst.bankMask != 0xf || !inputsDefined(facts)) &&
      propagateDpp(wave, op))
    return;
  if (bytes == 0xf && inputsDefined(facts))
    return defineWrites(wave, facts, exec);
  if (inst.encoding == Encoding::VOPC)
    return propagateCompare(wave, op, facts);
  if (propagateBytes(wave, op))
    return;

  // Lanes with anything undefined in any operand.
  uint64_t lanes = 0;
  for (unsigned i = 0; i < 3; ++i)
    lanes |= sourceLanes(op, i);
  // VCC as an implicit carry or selector; each bit belongs to one lane, but any
  // flag spoils all.
  if (inst.has(flag::ReadsVCC) && inst.src[2].kind != OperandKind::Scalar &&
      (scalar[ScalarReg::VccLo] || scalar[ScalarReg::VccHi]))
    lanes = ~uint64_t(0);
  bool accumulates = inst.has(flag::ReadsDst) && bytes == 0xf;
  if (accumulates)
    for (unsigned d = 0; d < op.dstDwords; ++d)
      for (uint64_t mask : vector[op.dst / waveLanes + d])
        lanes |= mask;
  lanes &= exec;
  // Moves of pairs, and packed f32, keep their dwords apart.
  bool pairs = inst.op == Opcode::v_mov_b64 ||
               inst.src[0].type == DataType::V2F32 ||
               inst.src[0].type == DataType::V2I32;
  // The low half of a 64-bit sum depends on low halves only: compilers feed
  // such operations pairs whose high half they never set.
  unsigned wide = lowFromLow(inst.op);
  uint64_t lowLanes = 0;
  for (unsigned i = 0; wide && i < 3; ++i) {
    const Source &source = op.src[i];
    if (!(wide >> i & 1))
      lowLanes |= sourceLanes(op, i);
    else if (source.kind == OperandKind::Scalar)
      lowLanes |= scalar[source.index] ? exec : 0;
    else if (source.kind == OperandKind::Vector)
      for (uint64_t mask : vector[source.index / waveLanes])
        lowLanes |= mask;
  }
  // Each dword of the result, then each of its bytes.
  for (unsigned d = 0; d < op.dstDwords; ++d) {
    uint64_t bad = lanes;
    if (wide && d == 0)
      bad = lowLanes & exec;
    if (pairs) {
      bad = 0;
      for (unsigned i = 0; i < 3; ++i) {
        const Source &source = op.src[i];
        // op_sel picks the dword for the low result, op_sel_hi that for the
        // high one.
        unsigned half = inst.op == Opcode::v_mov_b64 ? d
                        : d                          ? inst.opSelHi >> i & 1
                                                     : inst.opSel >> i & 1;
        // Source i alone feeds dword i.
        if (inst.op == Opcode::v_pk_mov_b32) {
          if (i != d)
            continue;
          half = inst.opSel >> i & 1;
        }
        if (source.kind == OperandKind::Scalar)
          bad |= scalar[source.index + half] ? exec : 0;
        else if (source.kind == OperandKind::Vector ||
                 source.kind == OperandKind::Accumulator)
          for (uint64_t mask : vector[source.index / waveLanes + half])
            bad |= mask & exec;
      }
    }
    ByteMasks &masks = vector[op.dst / waveLanes + d];
    for (unsigned byte = 0; byte < 4; ++byte)
      if (bytes >> byte & 1)
        masks[byte] = (masks[byte] & ~exec) | bad;
  }
  // Carries and masks: a bit for each lane.
  for (const RegisterRange &range : facts.writes)
    if (!range.vector)
      for (unsigned i = 0; i < range.count; ++i)
        scalar[range.first + i] = uint32_t(lanes >> (32 * i));
}
