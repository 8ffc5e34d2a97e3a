//===- Undefined.cpp - Values that were never written -----------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Initial state, the places where undefined values matter, and scalar
// operations. Vector operations and memory are in their own files.
//
// The method is that of Valgrind's memcheck: a flag for every byte of every
// lane of a vector register, for every bit of a scalar register and for SCC
// says that the value depends on something never written. Copies of undefined
// values are fine; the report comes where one decides something: a branch,
// EXEC, an address, a byte of global memory. Almost every instruction has only
// defined operands, so a set of the registers with any flag (`dirty`) rules it
// out with a few word operations.
//
//===----------------------------------------------------------------------===//

#include "Undefined.h"
#include <fmt/format.h>

using namespace tlc::sim;

/// What the ABI initialises is defined: v0, user SGPRs, workgroup ids, EXEC,
/// flat scratch. All else is not.
/// Register files are as large as the kernel declares.
void Undefined::begin(const Wave &wave, const KernelDescriptor &descriptor) {
  accumOffset = descriptor.accumOffset();
  vector.assign(wave.vgprCount, ByteMasks{~0ull, ~0ull, ~0ull, ~0ull});
  vector[0] = ByteMasks{}; // the work-item's numbers
  // A dword of scratch for all 64 lanes, by the byte offset in a lane's own
  // scratch.
  scratch.assign(wave.privateBytes / 4 + 1,
                 ByteMasks{~0ull, ~0ull, ~0ull, ~0ull});
  scalar.fill(~0u);
  // User registers, then workgroup ids and info, as the descriptor asks.
  // Bits [10:7] of rsrc2 ask for the three workgroup ids and for the workgroup
  // info.
  unsigned count = descriptor.userSgprCount() +
                   __builtin_popcount(descriptor.rsrc2 >> 7 & 0xf);
  for (unsigned i = 0; i < count; ++i)
    scalar[i] = 0;
  using namespace ScalarReg;
  for (unsigned reg :
       {FlatScratchLo, FlatScratchHi, XnackMaskLo, XnackMaskHi, ExecLo, ExecHi})
    scalar[reg] = 0;
  for (unsigned reg = Ttmp0; reg <= Ttmp15; ++reg)
    scalar[reg] = 0;
  scc = true;
  dirty = RegisterSet();
  for (unsigned reg = 1; reg < wave.vgprCount && reg < 512; ++reg)
    dirty.set(true, reg);
  for (unsigned reg = 0; reg < scalar.size(); ++reg)
    dirty.set(false, reg, scalar[reg] != 0);
  dirty.setScc();
}

/// The registers that both sets have, lane by lane.
/// Decides whether an instruction needs a look at all. Vector flags count only
/// in the lanes that run, unless the instruction moves values between lanes.
bool Undefined::touchesLanes(const RegisterSet &registers, uint64_t exec,
                             bool allLanes) const {
  // Words of the set hold vector registers first, then scalar ones, for which
  // any flag counts.
  for (unsigned w = 0; w < RegisterSet::words; ++w) {
    uint64_t common = registers.word[w] & dirty.word[w];
    if (common && (allLanes || w >= RegisterSet::scalarWord))
      return true;
    for (; common; common &= common - 1) {
      const ByteMasks &masks =
          vector[w * 64 + unsigned(__builtin_ctzll(common))];
      if ((masks[0] | masks[1] | masks[2] | masks[3]) & exec)
        return true;
    }
  }
  return false;
}

/// Brings `dirty` up to date for what the instruction wrote.
void Undefined::refresh(const OpFacts &facts) {
  for (const RegisterRange &range : facts.writes)
    for (unsigned i = 0; i < range.count; ++i) {
      unsigned reg = range.first + i;
      bool any = range.vector ? vector[reg] != ByteMasks{} : scalar[reg] != 0;
      dirty.set(range.vector, reg, any);
    }
  dirty.setScc(scc);
}

/// The lanes in which any byte of the range is undefined.
uint64_t Undefined::anyByte(const RegisterRange &range) const {
  uint64_t lanes = 0;
  for (unsigned i = 0; i < range.count; ++i)
    for (uint64_t mask : vector[range.first + i])
      lanes |= mask;
  return lanes;
}

bool Undefined::scalarUndefined(const RegisterRange &range) const {
  for (unsigned i = 0; i < range.count; ++i)
    if (scalar[range.first + i])
      return true;
  return false;
}

bool Undefined::inputsDefined(const OpFacts &facts) const {
  for (const RegisterRange &range : facts.reads)
    if (range.vector ? anyByte(range) != 0 : scalarUndefined(range))
      return false;
  return true;
}

/// In order: branches, EXEC, addresses, data stored to global memory. Data
/// stored to LDS or scratch is only passed on.
/// The message of the first use that matters, or empty; \p lane is the lane
/// concerned or -1.
std::string Undefined::check(const Wave &wave, const Op &op,
                             const OpFacts &facts,
                             llvm::ArrayRef<AccessPart> parts,
                             int &lane) const {
  const Instruction &inst = *op.inst;
  lane = -1;
  auto message = [&](const RegisterRange &range, const char *use) {
    return fmt::format("{} was never written, and {}",
                       registerName(range, accumOffset), use);
  };
  // s_cbranch_scc and s_cbranch_vcc; s_setpc and its like take their target
  // from registers.
  if (inst.has(flag::Branch) || inst.has(flag::ReadsSCC)) {
    bool conditional = inst.encoding == Encoding::SOPP;
    if (conditional && inst.has(flag::ReadsSCC) && scc)
      return "SCC depends on a value that was never written, and decides a "
             "branch";
    if (conditional && inst.has(flag::ReadsVCC) &&
        (scalar[ScalarReg::VccLo] || scalar[ScalarReg::VccHi]))
      return "VCC depends on a value that was never written, and decides a "
             "branch";
    for (const RegisterRange &range : facts.reads)
      if (inst.has(flag::Branch) && !range.vector && scalarUndefined(range))
        return message(range, "is the target of a jump");
  }
  // s_*_saveexec and v_cmpx by flag, others by their destination.
  bool writesExec = inst.has(flag::WritesEXEC);
  for (const RegisterRange &range : facts.writes)
    writesExec |= !range.vector && range.first == ScalarReg::ExecLo;
  if (writesExec)
    for (const RegisterRange &range : facts.reads) {
      uint64_t lanes = range.vector ? anyByte(range) & wave.exec() : 0;
      if (lanes || (!range.vector && scalarUndefined(range))) {
        if (lanes)
          lane = __builtin_ctzll(lanes);
        return message(range, "decides which lanes run (EXEC)");
      }
    }
  bool memory = facts.isVmem || facts.isLds || facts.isSmem;
  if (!memory || inst.has(flag::CacheControl))
    return "";
  // Which sources are data and which address follows from the encoding: source
  // 1 is the data, source 2 of DS too.
  for (const RegisterRange &range : facts.reads) {
    bool isData = range.source == 1 || range.source == -1 ||
                  (facts.isLds && range.source == 2);
    if (inst.has(flag::CrossLane) && inst.op == Opcode::ds_swizzle_b32)
      isData = true; // it has no address
    bool isM0 = !range.vector && range.first == ScalarReg::M0;
    if (facts.isSmem && isData && !isM0 && inst.has(flag::Store) &&
        scalarUndefined(range))
      return message(range, "is stored to global memory");
    // An address counts only in lanes that run; a scalar base, or M0, if any
    // lane runs.
    if (range.vector && !isData) {
      if (uint64_t lanes = anyByte(range) & wave.exec()) {
        lane = __builtin_ctzll(lanes);
        return message(range, "is part of an address");
      }
    } else if (!range.vector && (!isData || isM0 || !facts.isSmem) &&
               wave.exec() && scalarUndefined(range)) {
      return message(range, "is part of an address");
    }
  }
  // Data stored: byte by byte, in the lanes and within the bounds in which
  // memory is written at all.
  for (const AccessPart &part : parts) {
    if (part.space != Space::Global || !part.writes || part.dataSource < 0)
      continue;
    const Source &data = op.src[part.dataSource];
    if (data.kind != OperandKind::Vector &&
        data.kind != OperandKind::Accumulator)
      continue;
    // Nearly always all of it is defined.
    uint64_t any = 0;
    for (unsigned d = 0; d < (part.bytes + 3u) / 4; ++d)
      for (uint64_t mask : vector[data.index / waveLanes + d])
        any |= mask;
    if (!(any & part.lanes))
      continue;
    for (unsigned byte = 0; byte < part.bytes; ++byte) {
      const ByteMasks &masks = vector[data.index / waveLanes + byte / 4];
      uint64_t lanes = masks[byte % 4 + facts.shift] & part.lanes;
      for (; lanes; lanes &= lanes - 1) {
        unsigned l = __builtin_ctzll(lanes);
        if (byte >= part.inBounds[l])
          continue;
        lane = int(l);
        RegisterRange range;
        range.vector = true;
        range.first = data.index / waveLanes + byte / 4;
        return message(range, "is stored to global memory");
      }
    }
  }
  return "";
}

// --- Scalar operations ------------------------------------------------------

namespace {

/// Bits of a scalar source as far as they are known, and which are not.
struct ScalarBits {
  uint64_t value = 0, undefined = 0;
};

} // namespace

/// Bit by bit for moves, logic, shifts and selects; any other operation makes
/// its whole result undefined if any operand is.
/// Called with the registers as they were before the instruction, whose values
/// decide which bits can be trusted.
void Undefined::propagateScalar(const Wave &wave, const Op &op,
                                const OpFacts &facts) {
  const Instruction &inst = *op.inst;
  auto bitsOf = [&](unsigned i) {
    ScalarBits bits;
    const Source &source = op.src[i];
    if (source.kind == OperandKind::Scalar) {
      bits.value = wave.sgpr[source.index];
      bits.undefined = scalar[source.index];
      if (source.dwords == 2) {
        bits.value |= uint64_t(wave.sgpr[source.index + 1]) << 32;
        bits.undefined |= uint64_t(scalar[source.index + 1]) << 32;
      }
    } else if (source.kind == OperandKind::Special) {
      bits.undefined = source.index == SpecialReg::Scc && scc ? 1 : 0;
    } else {
      bits.value = source.value;
    }
    return bits;
  };
  ScalarBits a = bitsOf(0), b = bitsOf(1);
  bool any = a.undefined || b.undefined || (inst.has(flag::ReadsSCC) && scc) ||
             !inputsDefined(facts);
  uint64_t result = any ? ~uint64_t(0) : 0;
  // Where both operands are known to fix a bit it is defined.
  // A defined 0 fixes the result of an and whatever the other operand is: `x &
  // 0xff` leaves only the low eight bits undefined.
  auto andBits = [&](ScalarBits x, ScalarBits y) {
    uint64_t zero = (~x.undefined & ~x.value) | (~y.undefined & ~y.value);
    return (x.undefined | y.undefined) & ~zero;
  };
  auto orBits = [&](ScalarBits x, ScalarBits y) {
    uint64_t one = (~x.undefined & x.value) | (~y.undefined & y.value);
    return (x.undefined | y.undefined) & ~one;
  };
  auto inverted = [](ScalarBits x) {
    return ScalarBits{~x.value, x.undefined};
  };
  if (any)
    switch (inst.op) {
    case Opcode::s_mov_b32:
    case Opcode::s_mov_b64:
    case Opcode::s_not_b32:
    case Opcode::s_not_b64:
      result = a.undefined;
      break;
    case Opcode::s_and_b32:
    case Opcode::s_and_b64:
    case Opcode::s_and_saveexec_b64:
      result = andBits(a, b);
      break;
    case Opcode::s_andn2_b32:
    case Opcode::s_andn2_b64:
      result = andBits(a, inverted(b));
      break;
    case Opcode::s_or_b32:
    case Opcode::s_or_b64:
      result = orBits(a, b);
      break;
    case Opcode::s_orn2_b32:
    case Opcode::s_orn2_b64:
      result = orBits(a, inverted(b));
      break;
    case Opcode::s_xor_b32:
    case Opcode::s_xor_b64:
      result = a.undefined | b.undefined;
      break;
    // A known condition takes the flags of the source chosen.
    case Opcode::s_cselect_b32:
    case Opcode::s_cselect_b64:
      if (!scc)
        result = wave.scc ? a.undefined : b.undefined;
      break;
    // A known count moves the flags along; an unknown one spoils all bits.
    case Opcode::s_lshl_b32:
    case Opcode::s_lshl_b64:
      if (!b.undefined)
        result = a.undefined << (b.value & (op.dstDwords == 2 ? 63 : 31));
      break;
    case Opcode::s_lshr_b32:
    case Opcode::s_lshr_b64:
      if (!b.undefined)
        result = a.undefined >> (b.value & (op.dstDwords == 2 ? 63 : 31));
      break;
    case Opcode::s_bfe_u32:
      if (!b.undefined) {
        unsigned width = b.value >> 16 & 0x7f;
        result = a.undefined >> (b.value & 31);
        if (width < 32)
          result &= (uint64_t(1) << width) - 1;
      }
      break;
    default:
      break;
    }
  if (inst.op == Opcode::s_and_saveexec_b64 ||
      inst.op == Opcode::s_or_saveexec_b64 ||
      inst.op == Opcode::s_andn2_saveexec_b64)
    result = 0; // the destination is the old EXEC
  // A conditional move that is known not to happen.
  bool keeps =
      (inst.op == Opcode::s_cmov_b32 || inst.op == Opcode::s_cmov_b64 ||
       inst.op == Opcode::s_cmovk_i32) &&
      !scc && !wave.scc;
  if (op.dstKind == OperandKind::Scalar && !keeps)
    for (unsigned i = 0; i < op.dstDwords; ++i)
      scalar[op.dst + i] = uint32_t(result >> (32 * (i % 2)));
  // The SCC of logic says result != 0, so it is defined if the result is; a
  // compare has no result to look at.
  if (inst.has(flag::WritesSCC))
    scc = any && (op.dstKind != OperandKind::Scalar || result != 0);
  for (unsigned reg : {ScalarReg::ExecLo, ScalarReg::ExecHi})
    scalar[reg] = 0; // reported once; do not go on about it
  if (inst.has(flag::WritesM0))
    scalar[ScalarReg::M0] = 0;
}
