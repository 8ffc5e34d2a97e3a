//===- OpFacts.cpp - What the checkers know of an instruction ---*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Facts are read off the decoded instruction once for each Op: operands,
// implicit registers by flags, counters by encoding. The passes of matrix
// instructions are a table; they are those of LLVM's SISchedule.td and of AMD's
// matrix instruction calculator, which agree.
//
// The facts are for the checkers and the timing model; the handlers do without.
// Scalar registers are numbered by their operand code.
//
//===----------------------------------------------------------------------===//

#include "OpFacts.h"
#include "Accesses.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>

using namespace tlc::sim;

namespace {

/// Passes of the matrix core, four cycles each.
struct MatrixPasses {
  Opcode op;
  uint8_t passes;
};
// By passes, from 2 (4x4 products) to 16 (32x32 with two blocks, and f32).
constexpr MatrixPasses matrixPasses[] = {
    {Opcode::v_mfma_f32_4x4x1_16b_f32, 2},
    {Opcode::v_mfma_f32_4x4x4_16b_f16, 2},
    {Opcode::v_mfma_i32_4x4x4_16b_i8, 2},
    {Opcode::v_mfma_f32_4x4x4_16b_bf16, 2},
    {Opcode::v_mfma_f32_16x16x8_xf32, 4},
    {Opcode::v_mfma_f32_16x16x16_f16, 4},
    {Opcode::v_mfma_i32_16x16x32_i8, 4},
    {Opcode::v_mfma_f32_16x16x16_bf16, 4},
    {Opcode::v_smfmac_f32_16x16x32_f16, 4},
    {Opcode::v_smfmac_f32_16x16x32_bf16, 4},
    {Opcode::v_smfmac_i32_16x16x64_i8, 4},
    {Opcode::v_mfma_f64_4x4x4_4b_f64, 4},
    {Opcode::v_mfma_f32_16x16x32_bf8_bf8, 4},
    {Opcode::v_mfma_f32_16x16x32_bf8_fp8, 4},
    {Opcode::v_mfma_f32_16x16x32_fp8_bf8, 4},
    {Opcode::v_mfma_f32_16x16x32_fp8_fp8, 4},
    {Opcode::v_smfmac_f32_16x16x64_bf8_bf8, 4},
    {Opcode::v_smfmac_f32_16x16x64_bf8_fp8, 4},
    {Opcode::v_smfmac_f32_16x16x64_fp8_bf8, 4},
    {Opcode::v_smfmac_f32_16x16x64_fp8_fp8, 4},
    {Opcode::v_mfma_f32_32x32x4_xf32, 8},
    {Opcode::v_mfma_f32_16x16x1_4b_f32, 8},
    {Opcode::v_mfma_f32_16x16x4_f32, 8},
    {Opcode::v_mfma_f32_16x16x4_4b_f16, 8},
    {Opcode::v_mfma_f32_32x32x8_f16, 8},
    {Opcode::v_mfma_i32_16x16x4_4b_i8, 8},
    {Opcode::v_mfma_i32_32x32x16_i8, 8},
    {Opcode::v_mfma_f32_16x16x4_4b_bf16, 8},
    {Opcode::v_mfma_f32_32x32x8_bf16, 8},
    {Opcode::v_smfmac_f32_32x32x16_f16, 8},
    {Opcode::v_smfmac_f32_32x32x16_bf16, 8},
    {Opcode::v_smfmac_i32_32x32x32_i8, 8},
    {Opcode::v_mfma_f64_16x16x4_f64, 8},
    {Opcode::v_mfma_f32_32x32x16_bf8_bf8, 8},
    {Opcode::v_mfma_f32_32x32x16_bf8_fp8, 8},
    {Opcode::v_mfma_f32_32x32x16_fp8_bf8, 8},
    {Opcode::v_mfma_f32_32x32x16_fp8_fp8, 8},
    {Opcode::v_smfmac_f32_32x32x32_bf8_bf8, 8},
    {Opcode::v_smfmac_f32_32x32x32_bf8_fp8, 8},
    {Opcode::v_smfmac_f32_32x32x32_fp8_bf8, 8},
    {Opcode::v_smfmac_f32_32x32x32_fp8_fp8, 8},
    {Opcode::v_mfma_f32_32x32x1_2b_f32, 16},
    {Opcode::v_mfma_f32_32x32x2_f32, 16},
    {Opcode::v_mfma_f32_32x32x4_2b_f16, 16},
    {Opcode::v_mfma_i32_32x32x4_2b_i8, 16},
    {Opcode::v_mfma_f32_32x32x4_2b_bf16, 16},
};

/// Appends an operand's registers; constants and absent operands add nothing.
/// \p source is the operand's number, or -1 for implicit reads and results.
void add(llvm::SmallVectorImpl<RegisterRange> &list, OperandKind kind,
         uint32_t index, unsigned dwords, int source) {
  RegisterRange range;
  range.count = dwords ? dwords : 1;
  range.source = source;
  if (kind == OperandKind::Vector || kind == OperandKind::Accumulator) {
    range.vector = true;
    range.first = index / waveLanes;
  } else if (kind == OperandKind::Scalar) {
    range.first = index;
  } else {
    return;
  }
  list.push_back(range);
}

void addScalar(llvm::SmallVectorImpl<RegisterRange> &list, unsigned first,
               unsigned count) {
  add(list, OperandKind::Scalar, first, count, -1);
}

} // namespace

/// Ranges may lie beyond the register file; sets are filled only if they do not
/// (the engine faults there).
OpFacts tlc::sim::factsOf(const Op &op) {
  const Instruction &inst = *op.inst;
  OpFacts facts;
  // Operands as the instruction names them.
  for (unsigned i = 0; i < 4; ++i)
    add(facts.reads, op.src[i].kind, op.src[i].index, op.src[i].dwords, i);
  add(facts.writes, op.dstKind, op.dst, op.dstDwords, -1);
  if (!inst.sdst.isNone())
    add(facts.writes, OperandKind::Scalar, op.sdst, inst.sdst.dwords, -1);
  // Accumulations and partial writes read what they write; a few opcodes
  // (v_swap) write their source.
  if (inst.has(flag::ReadsDst))
    add(facts.reads, op.dstKind, op.dst, op.dstDwords, -1);
  if (inst.has(flag::WritesSrc0))
    add(facts.writes, op.src[0].kind, op.src[0].index, op.src[0].dwords, -1);
  using namespace ScalarReg;
  // v_div_fmas reads VCC in every form; the others name it as an operand.
  if (inst.has(flag::ReadsVCC) && inst.src[2].kind != OperandKind::Scalar)
    addScalar(facts.reads, VccLo, 2);
  if (inst.has(flag::ReadsM0))
    addScalar(facts.reads, M0, 1);
  if (inst.has(flag::WritesM0))
    addScalar(facts.writes, M0, 1);
  if (inst.has(flag::ReadsEXEC))
    addScalar(facts.reads, ExecLo, 2);
  if (inst.has(flag::WritesEXEC))
    addScalar(facts.writes, ExecLo, 2);

  // How far the ranges reach, for the check against the register files.
  for (const auto *list : {&facts.reads, &facts.writes})
    for (const RegisterRange &range : *list) {
      uint16_t &end = range.vector ? facts.vectorEnd : facts.scalarEnd;
      end = std::max<uint16_t>(end, uint16_t(range.first + range.count));
    }
  if (facts.vectorEnd <= 512 && facts.scalarEnd <= 128)
    for (const auto *list : {&facts.reads, &facts.writes})
      for (const RegisterRange &range : *list)
        facts.registers.add(range);
  if (facts.vectorEnd <= 512 && facts.scalarEnd <= 128)
    for (const RegisterRange &range : facts.reads)
      facts.inputs.add(range);
  // SCC by flag, or as an operand; the latter are counted as SCC even where
  // they are another special value.
  bool namesScc = inst.has(flag::ReadsSCC | flag::WritesSCC);
  for (const Source &source : op.src)
    namesScc |= source.kind == OperandKind::Special;
  if (namesScc)
    facts.registers.setScc();
  // Such instructions read lanes that EXEC has off.
  facts.allLanes = inst.form == Form::Dpp ||
                   inst.has(flag::Mfma | flag::CrossLane) ||
                   inst.op == Opcode::v_readlane_b32 ||
                   inst.op == Opcode::v_readfirstlane_b32 ||
                   inst.op == Opcode::v_writelane_b32;
  // What the flags do not say is in the name.
  llvm::StringRef name = mnemonic(inst.op);
  facts.laneBytes = uint8_t(bytesOfLane(inst));
  facts.farOffsets = name.contains("st64");
  facts.isFormat = name.contains("format");
  facts.keepsOthers = name.contains("d16");
  facts.shift = name.contains("d16_hi") ? 2 : 0;

  switch (inst.encoding) {
  case Encoding::SMEM:
    facts.isSmem = facts.countsLgkm = true;
    break;
  case Encoding::DS:
    facts.isLds = true;
    // Counters by unit: LDS and scalar memory count lgkmcnt, vector memory
    // vmcnt, FLAT both, as it may go either way.
    facts.countsLgkm = inst.op != Opcode::ds_nop;
    break;
  case Encoding::FLAT:
    facts.isFlat = facts.countsLgkm = true;
    [[fallthrough]];
  case Encoding::GLOBAL:
  case Encoding::SCRATCH:
  case Encoding::MUBUF:
  case Encoding::MTBUF:
    facts.isVmem = true;
    // A cache invalidation returns nothing to count.
    facts.countsVm = inst.op != Opcode::buffer_inv;
    facts.toLds = inst.has(flag::ToLDS);
    break;
  case Encoding::MAI:
    facts.isVector = true;
    facts.isMatrix = inst.has(flag::Mfma);
    for (const MatrixPasses &row : matrixPasses)
      if (row.op == inst.op)
        facts.passes = row.passes;
    // The pipeline decides the wait states (HazardChecker.h).
    facts.isDouble = facts.isMatrix && inst.src[2].type == DataType::F64;
    // f32 (not xf32, whose operands have two dwords) and f64 products run on
    // another pipeline.
    facts.isXdl =
        facts.isMatrix && !facts.isDouble &&
        !(inst.src[0].dwords == 1 && inst.src[2].type == DataType::F32);
    break;
  // SOP and VOP.
  default:
    facts.isVector = inst.encoding >= Encoding::VOP1;
    facts.isScalar = !facts.isVector;
  }
  return facts;
}

/// "v5", "a5" behind the accumulator offset, a special name, or "s5".
static bool isCompareAndSwap(const Instruction &inst) {
  llvm::StringRef name = mnemonic(inst.op);
  return inst.has(flag::Atomic) &&
         (name.contains("cmpswap") || name.contains("cmpst"));
}
static bool sameSource(const Source &a, const Source &b) {
  return a.kind == b.kind && a.index == b.index && a.value == b.value;
}

bool tlc::sim::feedsCompareAndSwap(const Op &op) {
  constexpr unsigned farthest = 96;
  const Instruction &load = *op.inst;
  if (!load.has(flag::Load) || load.has(flag::Atomic | flag::TwoOffsets))
    return false;
  bool lds = load.encoding == Encoding::DS;
  OpFacts facts = factsOf(op);
  for (const Op *next = &op + 1; next != &op + farthest; ++next) {
    const Instruction &inst = *next->inst;
    if (inst.op == Opcode::Invalid || inst.has(flag::EndsProgram))
      return false;
    if (isCompareAndSwap(inst) && inst.encoding == load.encoding &&
        inst.offset == load.offset && sameSource(next->src[0], op.src[0]) &&
        (lds || (sameSource(next->src[2], op.src[2]) &&
                 sameSource(next->src[3], op.src[3]))))
      return true;
    // Another address from here on.
    for (const RegisterRange &written : factsOf(*next).writes)
      for (const RegisterRange &read : facts.reads)
        if (read.source != -1 && written.overlaps(read))
          return false;
  }
  return false;
}

std::string tlc::sim::registerName(const RegisterRange &range,
                                   unsigned accumOffset) {
  using namespace ScalarReg;
  if (range.vector)
    return range.first < accumOffset
               ? "v" + std::to_string(range.first)
               : "a" + std::to_string(range.first - accumOffset);
  static constexpr struct {
    unsigned reg;
    const char *name;
  } names[] = {{FlatScratchLo, "flat_scratch"},
               {FlatScratchHi, "flat_scratch"},
               {VccLo, "vcc"},
               {VccHi, "vcc"},
               {M0, "m0"},
               {ExecLo, "exec"},
               {ExecHi, "exec"}};
  for (const auto &row : names)
    if (row.reg == range.first)
      return row.name;
  return "s" + std::to_string(range.first);
}
