//===- PrintConstant.cpp - Fields with names of their own -------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Wait counts, messages, hardware registers, lane swizzles, DPP controls and
// buffer formats as LLVM spells them.
//
// A constant that does not match any pattern of its kind prints as a number, as
// LLVM does, so no encoding is without a text.
//
//===----------------------------------------------------------------------===//

#include "PrinterImpl.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include <iterator>

using namespace tlc::sim;
using llvm::raw_ostream;

namespace {

void printHex(raw_ostream &os, unsigned value) {
  os << llvm::format("0x%x", value);
}

// s_waitcnt: counters at their maximum are left out, unless all are.
void printWaitCnt(raw_ostream &os, const Instruction &inst) {
  struct {
    const char *name;
    unsigned value, max;
  } counters[] = {{"vmcnt", inst.vmcnt(), 63},
                  {"expcnt", inst.expcnt(), 7},
                  {"lgkmcnt", inst.lgkmcnt(), 15}};
  bool all = true;
  for (auto &counter : counters)
    all &= counter.value == counter.max;
  const char *blank = "";
  for (auto &counter : counters)
    if (all || counter.value != counter.max) {
      os << blank << counter.name << '(' << counter.value << ')';
      blank = " ";
    }
}

// s_sendmsg: message [3:0], operation [6:4], stream [9:8].
// The names are those of LLVM's AMDGPUAsmUtils for gfx9; numbers without a name
// are reserved.
constexpr const char *messages[16] = {nullptr,
                                      "MSG_INTERRUPT",
                                      "MSG_GS",
                                      "MSG_GS_DONE",
                                      "MSG_SAVEWAVE",
                                      "MSG_STALL_WAVE_GEN",
                                      "MSG_HALT_WAVES",
                                      "MSG_ORDERED_PS_DONE",
                                      "MSG_EARLY_PRIM_DEALLOC",
                                      "MSG_GS_ALLOC_REQ",
                                      "MSG_GET_DOORBELL",
                                      nullptr,
                                      nullptr,
                                      nullptr,
                                      nullptr,
                                      "MSG_SYSMSG"};
constexpr const char *gsOps[8] = {"GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT",
                                  "GS_OP_EMIT_CUT"};
constexpr const char *systemOps[8] = {
    nullptr, "SYSMSG_OP_ECC_ERR_INTERRUPT", "SYSMSG_OP_REG_RD",
    "SYSMSG_OP_HOST_TRAP_ACK", "SYSMSG_OP_TTRACE_PC"};
// Those messages that have an operation.
constexpr unsigned MsgGs = 2, MsgGsDone = 3, MsgSystem = 15;

/// Three spellings: by name if message, operation and stream are all valid; by
/// numbers if the fields account for the whole constant; else the bare
/// constant, as unused bits are set.
void printSendMsg(raw_ostream &os, unsigned imm) {
  unsigned id = imm & 0xf, op = (imm >> 4) & 7, stream = (imm >> 8) & 3;
  bool isGs = id == MsgGs || id == MsgGsDone, isSystem = id == MsgSystem;
  const char *opName = isGs ? gsOps[op] : isSystem ? systemOps[op] : nullptr;
  // Only the end of geometry may come without an operation; the host trap
  // acknowledgement left with gfx9.
  bool opValid = isGs       ? opName && (op != 0 || id == MsgGsDone)
                 : isSystem ? opName && op != 3
                            : op == 0;
  bool streamValid = isGs && op != 0 ? true : stream == 0;
  if (messages[id] && opValid && streamValid) {
    os << "sendmsg(" << messages[id];
    if (opName)
      os << ", " << opName;
    if (isGs && op != 0)
      os << ", " << stream;
    os << ')';
  } else if ((id | op << 4 | stream << 8) == imm) {
    os << "sendmsg(" << id << ", " << op << ", " << stream << ')';
  } else {
    os << imm;
  }
}

// Names of the hardware registers, by number; HW_REG_ is put in front.
// Gaps are registers of other generations.
constexpr const char *hwRegs[] = {nullptr,
                                  "MODE",
                                  "STATUS",
                                  "TRAPSTS",
                                  "HW_ID",
                                  "GPR_ALLOC",
                                  "LDS_ALLOC",
                                  "IB_STS",
                                  nullptr,
                                  nullptr,
                                  nullptr,
                                  nullptr,
                                  nullptr,
                                  nullptr,
                                  nullptr,
                                  "SH_MEM_BASES",
                                  "TBA_LO",
                                  "TBA_HI",
                                  "TMA_LO",
                                  "TMA_HI",
                                  "XCC_ID",
                                  "SQ_PERF_SNAPSHOT_DATA",
                                  "SQ_PERF_SNAPSHOT_DATA1",
                                  "SQ_PERF_SNAPSHOT_PC_LO",
                                  "SQ_PERF_SNAPSHOT_PC_HI"};

/// hwreg(name) for the whole register, hwreg(name, offset, size) in bits for a
/// part of it.
void printHwReg(raw_ostream &os, const Instruction &inst) {
  unsigned id = inst.hwregId();
  os << "hwreg(";
  if (id < std::size(hwRegs) && hwRegs[id])
    os << "HW_REG_" << hwRegs[id];
  else
    os << id;
  if (inst.hwregOffset() != 0 || inst.hwregSize() != 32)
    os << ", " << inst.hwregOffset() << ", " << inst.hwregSize();
  os << ')';
}

// ds_swizzle_b32: bit 15 set, four lane indices of two bits for each quad;
// else and, or and xor masks of five bits applied to the lane's number.
constexpr unsigned LaneBits = 5, LaneMask = 0x1f;

/// The pattern as LLVM writes it, a letter for each bit of the source lane's
/// number: 0 or 1 (constant), p (this lane's bit), i (its inverse). The letter
/// is found by sending a 0 and a 1 through ((lane & and) | or) ^ xor. Example:
/// and 0x1e, or 1, xor 0 gives "pppp1".
void printBitmaskPerm(raw_ostream &os, unsigned andMask, unsigned orMask,
                      unsigned xorMask) {
  unsigned fromZeros = orMask ^ xorMask;
  unsigned fromOnes = (andMask | orMask) ^ xorMask;
  os << "swizzle(BITMASK_PERM,\"";
  for (unsigned bit = 1u << (LaneBits - 1); bit; bit >>= 1) {
    bool zero = fromZeros & bit, one = fromOnes & bit;
    os << (zero == one ? (zero ? '1' : '0') : (zero ? 'i' : 'p'));
  }
  os << "\")";
}

// LLVM prints formats that are the defaults not at all.
constexpr const char *dataFormats[16] = {
    "INVALID",     "8",        "16",          "8_8",        "32",      "16_16",
    "10_11_11",    "11_11_10", "10_10_10_2",  "2_10_10_10", "8_8_8_8", "32_32",
    "16_16_16_16", "32_32_32", "32_32_32_32", "RESERVED_15"};
constexpr const char *numberFormats[8] = {"UNORM",      "SNORM", "USCALED",
                                          "SSCALED",    "UINT",  "SINT",
                                          "RESERVED_6", "FLOAT"};
constexpr unsigned DefaultDfmt = 1, DefaultNfmt = 0;

} // namespace

/// Bits say which operands are indexed; a mode beyond four bits prints as a
/// number.
void tlc::sim::printGprIndexMode(raw_ostream &os, unsigned mode) {
  static constexpr const char *names[] = {"SRC0", "SRC1", "SRC2", "DST"};
  if (mode > 0xf)
    return printHex(os, mode);
  os << "gpr_idx(";
  const char *comma = "";
  for (unsigned i = 0; i < 4; ++i)
    if (mode & (1u << i)) {
      os << comma << names[i];
      comma = ",";
    }
  os << ')';
}

/// Branch distances print as unsigned 16-bit numbers of dwords, as LLVM does
/// without a symbolizer.
void tlc::sim::printConstant(raw_ostream &os, const Instruction &inst) {
  unsigned imm = inst.imm & 0xffff;
  switch (opcodeInfo(inst.op).constant) {
  case ConstantKind::None:
    return;
  case ConstantKind::Hex:
    return printHex(os, imm);
  case ConstantKind::Number:
    return printNumber(os, imm);
  case ConstantKind::DecIfSet:
    if (imm)
      os << imm;
    return;
  case ConstantKind::Branch:
    os << imm;
    return;
  case ConstantKind::WaitCnt:
    return printWaitCnt(os, inst);
  case ConstantKind::SendMsg:
    return printSendMsg(os, imm);
  case ConstantKind::HwReg:
    return printHwReg(os, inst);
  case ConstantKind::GprIdx:
    return printGprIndexMode(os, imm);
  }
}

/// Recognizes the named special cases of a swizzle before the general forms.
/// Bits [15:13] tell them: 100 quad permutation (with bits [14:8] 0), 110
/// rotation, 111 FFT, 0xx the bit masks; other patterns print as numbers.
void tlc::sim::printSwizzle(raw_ostream &os, unsigned offset) {
  if (offset == 0)
    return;
  os << " offset:";
  constexpr unsigned QuadPerm = 0x8000, Rotate = 0xc000, Fft = 0xe000;
  if ((offset & 0xff00) == QuadPerm) {
    os << "swizzle(QUAD_PERM";
    for (unsigned i = 0; i < 4; ++i)
      os << ',' << ((offset >> (2 * i)) & 3);
    os << ')';
    return;
  }
  if (offset >= Fft) {
    os << "swizzle(FFT," << (offset & LaneMask) << ')';
    return;
  }
  if (offset >= Rotate) { // direction [10], lanes [9:5]
    os << "swizzle(ROTATE," << ((offset >> 10) & 1) << ','
       << ((offset >> LaneBits) & LaneMask) << ')';
    return;
  }
  if (offset & QuadPerm) {
    os << offset;
    return;
  }
  unsigned andMask = offset & LaneMask;
  unsigned orMask = (offset >> LaneBits) & LaneMask;
  unsigned xorMask = (offset >> (2 * LaneBits)) & LaneMask;
  // Names for common masks: SWAP and REVERSE change only the xor mask,
  // BROADCAST clears the low bits of the lane's number and puts one lane's in.
  bool keepsAll = andMask == LaneMask && orMask == 0;
  unsigned groupSize = LaneMask - andMask + 1;
  // Neighbouring groups of xorMask lanes change places.
  if (keepsAll && llvm::isPowerOf2_32(xorMask))
    os << "swizzle(SWAP," << xorMask << ')';
  else if (keepsAll && xorMask && llvm::isPowerOf2_32(xorMask + 1))
    // xorMask of 2^k - 1 turns each group of 2^k lanes around.
    os << "swizzle(REVERSE," << xorMask + 1 << ')';
  else if (groupSize > 1 && llvm::isPowerOf2_32(groupSize) &&
           orMask < groupSize && xorMask == 0)
    os << "swizzle(BROADCAST," << groupSize << ',' << orMask << ')';
  else
    printBitmaskPerm(os, andMask, orMask, xorMask);
}

/// The control field is nine bits: four lane indices of a quad below 0x100,
/// else a group (bits [8:4]) with a count in its low four bits, or one of the
/// fixed movements.
void tlc::sim::printDppCtrl(raw_ostream &os, unsigned ctrl) {
  using namespace DppCtrl;
  struct {
    unsigned base;
    const char *name;
  } static constexpr ranges[] = {{RowShl, "row_shl:"},
                                 {RowShr, "row_shr:"},
                                 {RowRor, "row_ror:"},
                                 {RowNewBcast, "row_newbcast:"}},
                     singles[] = {{WaveShl1, "wave_shl:1"},
                                  {WaveRol1, "wave_rol:1"},
                                  {WaveShr1, "wave_shr:1"},
                                  {WaveRor1, "wave_ror:1"},
                                  {RowMirror, "row_mirror"},
                                  {RowHalfMirror, "row_half_mirror"},
                                  {RowBcast15, "row_bcast:15"},
                                  {RowBcast31, "row_bcast:31"}};
  if (ctrl <= QuadPermLast) {
    os << "quad_perm:[" << (ctrl & 3) << ',' << ((ctrl >> 2) & 3) << ','
       << ((ctrl >> 4) & 3) << ',' << ((ctrl >> 6) & 3) << ']';
    return;
  }
  for (auto &range : ranges)
    if ((ctrl & ~0xfu) == range.base)
      os << range.name << (ctrl & 0xf);
  for (auto &single : singles)
    if (ctrl == single.base)
      os << single.name;
}

/// MTBUF's data and number format, each left out if it is the default (8 bits,
/// UNORM); nothing if both are.
void tlc::sim::printBufferFormat(raw_ostream &os, unsigned dfmt,
                                 unsigned nfmt) {
  if (dfmt == DefaultDfmt && nfmt == DefaultNfmt)
    return;
  os << " format:[";
  if (dfmt != DefaultDfmt)
    os << "BUF_DATA_FORMAT_" << dataFormats[dfmt];
  if (dfmt != DefaultDfmt && nfmt != DefaultNfmt)
    os << ',';
  if (nfmt != DefaultNfmt)
    os << "BUF_NUM_FORMAT_" << numberFormats[nfmt];
  os << ']';
}
