//===- Witness.cpp - LLVM's disassembler for comparison ---------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Witness.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;
using namespace tlc::test;

// NOLINTBEGIN(readability-identifier-naming)
extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUDisassembler();
}
// NOLINTEND(readability-identifier-naming)

struct Witness::Impl {
  Triple triple{"amdgcn-amd-amdhsa"};
  MCTargetOptions options;
  std::unique_ptr<MCRegisterInfo> registers;
  std::unique_ptr<MCAsmInfo> asmInfo;
  std::unique_ptr<MCInstrInfo> instrInfo;
  std::unique_ptr<MCSubtargetInfo> subtarget;
  std::unique_ptr<MCContext> context;
  std::unique_ptr<MCDisassembler> disassembler;
  std::unique_ptr<MCInstPrinter> printer;
};

Witness::Witness() : impl(std::make_unique<Impl>()) {
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUDisassembler();
  std::string error;
  Impl &w = *impl;
  const Target *target = TargetRegistry::lookupTarget(w.triple, error);
  w.registers.reset(target->createMCRegInfo(w.triple));
  w.asmInfo.reset(target->createMCAsmInfo(*w.registers, w.triple, w.options));
  w.instrInfo.reset(target->createMCInstrInfo());
  w.subtarget.reset(target->createMCSubtargetInfo(w.triple, "gfx942", ""));
  w.context = std::make_unique<MCContext>(w.triple, w.asmInfo.get(),
                                          w.registers.get(), w.subtarget.get());
  w.disassembler.reset(target->createMCDisassembler(*w.subtarget, *w.context));
  w.printer.reset(target->createMCInstPrinter(w.triple, 0, *w.asmInfo,
                                              *w.instrInfo, *w.registers));
}

Witness::~Witness() = default;

std::string Witness::text(ArrayRef<uint8_t> bytes, uint64_t &size) {
  MCInst inst;
  std::string comment;
  raw_string_ostream comments(comment);
  impl->disassembler->CommentStream = &comments;
  if (impl->disassembler->getInstruction(inst, size, bytes, 0, comments) !=
          MCDisassembler::Success ||
      !comment.empty())
    return "";
  std::string raw;
  raw_string_ostream os(raw);
  impl->printer->printInst(&inst, 0, "", *impl->subtarget, os);
  std::string result;
  for (char c : raw) {
    if (c == '\t')
      c = ' ';
    if (c != ' ' || (!result.empty() && result.back() != ' '))
      result += c;
  }
  while (!result.empty() && result.back() == ' ')
    result.pop_back();
  return StringRef(result).contains("/*") ? "" : result;
}
