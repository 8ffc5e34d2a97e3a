//===- TargetStubs.cpp - Targets that the static link leaves out ----------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// lld's driver initialises every target LLVM was configured with. tlc links
// AMDGPU alone; the other initialisers are empty here, since their archives are
// some 60 MB of code nobody calls.
//
//===----------------------------------------------------------------------===//

#ifdef TLC_STATIC
#include "llvm/Plugins/PassPlugin.h"
#include <cstdlib>
// Empty functions under the names that lld calls.
#define TLC_NO_TARGET(name)                                                    \
  void LLVMInitialize##name##TargetInfo() {}                                   \
  void LLVMInitialize##name##Target() {}                                       \
  void LLVMInitialize##name##TargetMC() {}                                     \
  void LLVMInitialize##name##AsmPrinter() {}                                   \
  void LLVMInitialize##name##AsmParser() {}

// LLVM's LTO asks for Polly, which Debian's libraries are built with. lld calls
// it for LTO only, which tlc never does.
llvm::PassPluginLibraryInfo getPollyPluginInfo() { std::abort(); }

extern "C" {
TLC_NO_TARGET(AArch64)
TLC_NO_TARGET(ARM)
TLC_NO_TARGET(AVR)
TLC_NO_TARGET(BPF)
TLC_NO_TARGET(Hexagon)
TLC_NO_TARGET(Lanai)
TLC_NO_TARGET(LoongArch)
TLC_NO_TARGET(M68k)
TLC_NO_TARGET(MSP430)
TLC_NO_TARGET(Mips)
TLC_NO_TARGET(NVPTX)
TLC_NO_TARGET(PowerPC)
TLC_NO_TARGET(RISCV)
TLC_NO_TARGET(SPIRV)
TLC_NO_TARGET(Sparc)
TLC_NO_TARGET(SystemZ)
TLC_NO_TARGET(VE)
TLC_NO_TARGET(WebAssembly)
TLC_NO_TARGET(X86)
TLC_NO_TARGET(XCore)
TLC_NO_TARGET(Xtensa)
}
#endif
