//===- ObjDump.h - The command `tlc objdump` --------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   tlc objdump [--kernel NAME] [--no-code] [--raw] [--no-lines] OBJECT...
//
// Shows what any gfx942 code object holds: target, kernels with arguments,
// descriptor and resources, and the code with branch targets and, where the
// object has DWARF, source lines. --raw adds the encoding of each instruction.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_DRIVER_OBJDUMP_H
#define TLC_DRIVER_OBJDUMP_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace tlc {

/// Runs the command with the arguments after "objdump". Prints to stdout and
/// stderr; returns the exit code: 0, 1 for an object that is none, 2 for wrong
/// usage.
int runObjdump(llvm::ArrayRef<llvm::StringRef> args);
extern const llvm::StringLiteral objdumpUsage;

} // namespace tlc

#endif // TLC_DRIVER_OBJDUMP_H
