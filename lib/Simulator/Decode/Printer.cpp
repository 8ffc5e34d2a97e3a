//===- Printer.cpp - Instructions in assembler syntax -----------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each family prints its mnemonic, its operands in order and its modifiers, as
// LLVM's instruction printer does, so that the two can be compared as text.
//
// The text is what llvm-mc of gfx942 would print, comma for comma: the
// decoder's test disassembles whole code objects with both and compares the
// lines. Where LLVM has a quirk (a field that only some encodings print, a
// default that is left out) the quirk is kept here and named in a comment.
//
//===----------------------------------------------------------------------===//

#include "PrinterImpl.h"
#include "llvm/Support/Format.h"

using namespace tlc::sim;
using llvm::raw_ostream;

namespace {

/// Prints one instruction. run() writes the mnemonic and leaves the rest to the
/// function of the family; each of those calls item() for every operand in
/// LLVM's order and then appends the modifiers that differ from their defaults.
class Printer {
public:
  Printer(raw_ostream &stream, const Instruction &instruction)
      : os(stream), inst(instruction) {}

  void run();

private:
  void scalar();
  void smem();
  void vector();
  void mai();
  void ds();
  void flat();
  void buffer();

  /// A blank before the first operand, a comma before the others.
  void separator() {
    os << (first ? " " : ", ");
    first = false;
  }
  /// An operand in any case; itemIfAny() leaves out one that the opcode has
  /// not. The difference matters for addresses: one that an instruction of the
  /// scratch or buffer family leaves out prints as "off".
  void item(const Operand &op) {
    separator();
    printOperand(os, op);
  }
  void itemIfAny(const Operand &op) {
    if (!op.isNone())
      item(op);
  }
  void source(unsigned i);
  void perSource(const char *name, unsigned mask, unsigned count,
                 unsigned defaults);
  void sdwaSelects();
  void named(bool set, const char *name) {
    if (set)
      os << ' ' << name;
  }
  /// gfx940's spelling of the cache bits: sc0, nt and sc1, which stand where
  /// gfx90a has glc, slc and scc.
  void cachePolicy() {
    named(inst.sc0, "sc0");
    named(inst.nt, "nt");
    named(inst.sc1, "sc1");
  }
  void offset() {
    if (inst.offset)
      os << " offset:" << inst.offset;
  }

  // `first` is true until the first operand has been written.
  raw_ostream &os;
  const Instruction &inst;
  bool first = true;
};

/// SOP families: registers, then the 16-bit constant; s_setreg puts it first.
void Printer::scalar() {
  // s_set_gpr_idx_on: the constant is an operand with a syntax of its own.
  if (inst.has(flag::ImmSrc1)) {
    item(inst.src[0]);
    separator();
    return printGprIndexMode(os, inst.imm);
  }
  // s_setreg has its destination, a hardware register, in the constant.
  const ConstantKind kind = opcodeInfo(inst.op).constant;
  bool constantFirst = kind == ConstantKind::HwReg && inst.dst.isNone();
  auto constant = [&] {
    // s_nop and its like print their constant in any case, s_endpgm only if it
    // is not 0.
    if (kind == ConstantKind::None ||
        (kind == ConstantKind::DecIfSet && inst.imm == 0))
      return;
    separator();
    printConstant(os, inst);
  };
  if (constantFirst)
    constant();
  itemIfAny(inst.dst);
  itemIfAny(inst.src[0]);
  itemIfAny(inst.src[1]);
  if (!constantFirst)
    constant();
  // s_setreg_imm32_b32 and the like: a second dword as the last operand.
  if (inst.has(flag::Literal)) {
    separator();
    printNumber(os, inst.literal);
  }
}

/// Data, base, offset. The offset is a constant (in hexadecimal with its sign),
/// an SGPR, or both; then the constant goes behind as a modifier: `s_load_dword
/// s0, s[2:3], s4 offset:0x10`.
void Printer::smem() {
  // s_dcache_inv, s_memtime: at most a destination.
  if (inst.has(flag::NoAddress))
    return itemIfAny(inst.dst);
  // The constant of s_atc_probe stands in the data's place.
  if (inst.has(flag::Probe)) {
    separator();
    printNumber(os, inst.imm);
  } else if (!inst.src[1].isNone()) {
    item(inst.src[1]); // data of a store, old and new value of an atomic
  } else {
    itemIfAny(inst.dst);
  }
  item(inst.src[0]);
  auto hex = [&] {
    os << (inst.offset < 0 ? "-" : "")
       << llvm::format("0x%x",
                       unsigned(inst.offset < 0 ? -inst.offset : inst.offset));
  };
  if (inst.src[2].isNone()) {
    separator();
    hex();
  } else {
    item(inst.src[2]);
    if (inst.hasOffset) {
      os << " offset:";
      hex();
    }
  }
  // Scalar loads keep the old name of the bit.
  named(inst.sc0, "glc");
}

/// A source with its modifiers: -, |x|, sext().
void Printer::source(unsigned i) {
  const Operand &op = inst.src[i];
  if (op.isNone())
    return;
  separator();
  // v_madmk, v_madak: the literal prints in hexadecimal even where an inline
  // constant has the same value.
  if (opcodeInfo(inst.op).src[i].file == RegisterFile::Literal) {
    os << llvm::format("0x%x", inst.literal);
    return;
  }
  // VOP3P prints its negations as neg_lo and neg_hi behind the operands. Only
  // the mixed-precision opcodes write them as signs, with neg_hi standing for
  // abs.
  bool packed = inst.encoding == Encoding::VOP3P;
  bool mix = packed && op.type == DataType::F16;
  bool modifiers = !packed || mix;
  bool neg = modifiers && (inst.neg & (1u << i));
  bool abs = modifiers && ((mix ? inst.negHi : inst.abs) & (1u << i));
  bool sext = inst.sext & (1u << i);
  // -1 and neg(1) differ for integers, hence the second spelling.
  bool call = neg && !abs && op.isConstant();
  if (neg)
    os << (call ? "neg(" : "-");
  if (abs)
    os << '|';
  if (sext)
    os << "sext(";
  printOperand(os, op);
  if (sext)
    os << ')';
  if (abs)
    os << '|';
  if (call)
    os << ')';
}

/// " name:[a,b,...]" with one bit for each of \p count operands, unless all
/// are the default.
void Printer::perSource(const char *name, unsigned mask, unsigned count,
                        unsigned defaults) {
  unsigned all = (1u << count) - 1;
  if ((mask & all) == (defaults & all))
    return;
  os << ' ' << name << ":[";
  for (unsigned i = 0; i < count; ++i)
    os << (i ? "," : "") << ((mask >> i) & 1);
  os << ']';
}

/// SDWA always prints its selects, defaults too. A comparison writes lane
/// masks, so it has no dst_sel; VOP1 has no second source.
void Printer::sdwaSelects() {
  static constexpr const char *selects[] = {
      "BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"};
  static constexpr const char *unused[] = {"UNUSED_PAD", "UNUSED_SEXT",
                                           "UNUSED_PRESERVE"};
  if (inst.encoding != Encoding::VOPC && !inst.has(flag::SdwaNoDstSel))
    os << " dst_sel:" << selects[unsigned(inst.dstSel)]
       << " dst_unused:" << unused[unsigned(inst.dstUnused)];
  os << " src0_sel:" << selects[unsigned(inst.srcSel[0])];
  if (inst.encoding != Encoding::VOP1)
    os << " src1_sel:" << selects[unsigned(inst.srcSel[1])];
}

/// VOP1, VOP2, VOPC, VOP3 and VOP3P. The suffix tells the encodings of one
/// opcode apart (`v_add_f32_e32`, `_e64`); opcodes that exist only in VOP3 have
/// none. Then the operands, the packed selects, clamp, omod and what SDWA or
/// DPP add, in this order.
void Printer::vector() {
  const OpcodeInfo &info = opcodeInfo(inst.op);
  static constexpr const char *suffixes[] = {"_e32", "_e64", "_sdwa", "_dpp"};
  bool hasForms = inst.encoding <= Encoding::VOPC && !inst.has(flag::OnlyE32) &&
                  !inst.dst.isNone();
  if (hasForms)
    os << suffixes[unsigned(inst.form)];

  itemIfAny(inst.dst);
  itemIfAny(inst.sdst);
  unsigned count = 0;
  for (; count < 3 && info.src[count].file != RegisterFile::None; ++count)
    source(count);

  if (inst.encoding == Encoding::VOP3P) {
    // In mixed precision op_sel_hi says which operands are halves.
    bool mix = info.src[0].type == DataType::F16;
    // The integer dot products have no op_sel in LLVM's syntax.
    bool dot = info.src[0].type == DataType::I32;
    if (!dot) {
      perSource("op_sel", inst.opSel, count, 0);
      perSource("op_sel_hi", inst.opSelHi, count, mix ? 0 : 7);
    }
    if (!mix) {
      perSource("neg_lo", inst.neg, count, 0);
      perSource("neg_hi", inst.negHi, count, 0);
    }
  } else if (inst.has(flag::OpSel) && inst.opSel) {
    // op_sel has a bit for each source and one, the fourth, for the
    // destination; LLVM prints the destination's behind the last source there
    // is.
    unsigned sources = count;
    if (inst.has(flag::LooseMods)) // the old destination is a third source
      sources = 3;
    unsigned mask = (inst.opSel & ((1u << sources) - 1)) |
                    ((inst.opSel >> 3) & 1) << sources;
    perSource("op_sel", mask, sources + 1, 0);
  }
  named(inst.clamp, "clamp");
  static constexpr const char *omods[] = {"", " mul:2", " mul:4", " div:2"};
  os << omods[inst.omod];
  if (inst.form == Form::Sdwa)
    sdwaSelects();
  if (inst.form == Form::Dpp) {
    os << ' ';
    printDppCtrl(os, inst.dppCtrl);
    os << llvm::format(" row_mask:0x%x bank_mask:0x%x", inst.rowMask,
                       inst.bankMask);
    named(inst.boundCtrl, "bound_ctrl:1");
  }
}

/// MFMA: destination, A, B, C, then the broadcast fields cbsz, abid and blgp
/// where not 0.
void Printer::mai() {
  item(inst.dst);
  for (const Operand &op : inst.src)
    itemIfAny(op);
  if (inst.cbsz)
    os << " cbsz:" << unsigned(inst.cbsz);
  if (inst.abid)
    os << " abid:" << unsigned(inst.abid);
  if (!inst.blgp)
    return;
  // The f64 forms use the field to negate their operands.
  if (inst.src[2].type == DataType::F64)
    perSource("neg", inst.blgp, 3, 0);
  else
    os << " blgp:" << unsigned(inst.blgp);
}

/// Two one-byte offsets (read2, write2 …), the swizzle's pattern, or one 16-bit
/// byte offset.
void Printer::ds() {
  itemIfAny(inst.dst);
  for (const Operand &op : inst.src)
    itemIfAny(op);
  if (inst.has(flag::TwoOffsets)) {
    if (inst.offset0)
      os << " offset0:" << unsigned(inst.offset0);
    if (inst.offset1)
      os << " offset1:" << unsigned(inst.offset1);
  } else if (inst.op == Opcode::ds_swizzle_b32) {
    printSwizzle(os, inst.offset);
  } else {
    offset();
  }
  named(inst.gds, "gds");
}

/// Destination, address, data, scalar base. FLAT has no base; for GLOBAL and
/// SCRATCH a missing one prints as "off".
void Printer::flat() {
  itemIfAny(inst.dst);
  item(inst.src[0]);
  itemIfAny(inst.src[1]);
  if (inst.encoding != Encoding::FLAT)
    item(inst.src[2]);
  offset();
  cachePolicy();
}

/// Data, VGPR address ("off" if none), resource, scalar offset. The data is a
/// source of stores and atomics and the destination of loads.
void Printer::buffer() {
  // buffer_wbl2 and buffer_inv have only the cache bits.
  if (inst.has(flag::CacheControl))
    return cachePolicy();
  itemIfAny(inst.src[1].isNone() ? inst.dst : inst.src[1]);
  item(inst.src[0]);
  item(inst.src[2]);
  item(inst.src[3]);
  if (inst.encoding == Encoding::MTBUF)
    printBufferFormat(os, inst.dfmt, inst.nfmt);
  named(inst.idxen, "idxen");
  named(inst.offen, "offen");
  offset();
  cachePolicy();
  named(inst.lds, "lds");
}

// A switch without a default: a new encoding is reported by the compiler.
void Printer::run() {
  os << mnemonic(inst.op);
  switch (inst.encoding) {
  case Encoding::SOP2:
  case Encoding::SOP1:
  case Encoding::SOPC:
  case Encoding::SOPK:
  case Encoding::SOPP:
    return scalar();
  case Encoding::SMEM:
    return smem();
  case Encoding::VOP1:
  case Encoding::VOP2:
  case Encoding::VOPC:
  case Encoding::VOP3:
  case Encoding::VOP3P:
    return vector();
  case Encoding::MAI:
    return mai();
  case Encoding::DS:
    return ds();
  case Encoding::FLAT:
  case Encoding::GLOBAL:
  case Encoding::SCRATCH:
    return flat();
  case Encoding::MUBUF:
  case Encoding::MTBUF:
    return buffer();
  }
}

} // namespace

std::string tlc::sim::toString(const Instruction &inst) {
  std::string text;
  llvm::raw_string_ostream os(text);
  Printer(os, inst).run();
  return text;
}
