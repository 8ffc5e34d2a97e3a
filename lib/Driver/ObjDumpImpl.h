//===- ObjDumpImpl.h - Parts of `tlc objdump` -------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The two halves of `tlc objdump`: what surrounds the code, and the code.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_DRIVER_OBJDUMPIMPL_H
#define TLC_LIB_DRIVER_OBJDUMPIMPL_H

#include "tlc/Simulator/Memory/CodeObject.h"
#include "llvm/Support/raw_ostream.h"

namespace tlc {

struct ObjDumpOptions {
  std::string kernel; // empty: all
  bool code = true, raw = false, lines = true;
};

/// The code of all functions of the object, or of one kernel.
void printCode(llvm::raw_ostream &os, const sim::CodeObject &object,
               const ObjDumpOptions &options);

/// Arguments, descriptor and resources of a kernel.
void printKernel(llvm::raw_ostream &os, const sim::KernelInfo &kernel);

} // namespace tlc

#endif // TLC_LIB_DRIVER_OBJDUMPIMPL_H
