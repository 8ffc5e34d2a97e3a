//===- PrinterImpl.h - Shared by the parts of the printer -------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PrintOperand writes single operands and 16-bit constants with a meaning,
// Printer puts an instruction together from them.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_DECODE_PRINTERIMPL_H
#define TLC_LIB_SIMULATOR_DECODE_PRINTERIMPL_H

#include "tlc/Simulator/Decode/Instruction.h"
#include "llvm/Support/raw_ostream.h"

namespace tlc::sim {

void printOperand(llvm::raw_ostream &os, const Operand &op);
/// A 32-bit number the way a literal operand prints.
void printNumber(llvm::raw_ostream &os, uint32_t value);
/// The 16-bit constant of SOPK and SOPP instructions, without leading blank;
/// nothing for ConstantKind::None.
void printConstant(llvm::raw_ostream &os, const Instruction &inst);
/// The bits that s_set_gpr_idx_on and s_set_gpr_idx_mode enable.
void printGprIndexMode(llvm::raw_ostream &os, unsigned mode);
/// The offset field of ds_swizzle_b32, with leading blank; nothing if zero.
void printSwizzle(llvm::raw_ostream &os, unsigned offset);
/// dpp_ctrl with its argument.
void printDppCtrl(llvm::raw_ostream &os, unsigned ctrl);
/// The format of a typed buffer access, with leading blank.
void printBufferFormat(llvm::raw_ostream &os, unsigned dfmt, unsigned nfmt);

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_DECODE_PRINTERIMPL_H
