//===- RunObject.h - tlc run OBJECT: launch any code object -----*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   tlc run OBJECT --kernel NAME --grid X,Y,Z --block X,Y,Z [--lds BYTES]
//           [--arg TYPE=VALUE]... [--args-file FILE] [--out INDEX=FILE.npy]...
//           [--device auto|sim|hip] [--threads N] [--seed N] [--limit N]
//           [--check] [--strict] [--stats]
//
// One --arg for each argument, in order:
//
//   i32=512  f32=0.088            a scalar
//   f16[2,4,512,128]=randn:7      an array: randn[:SEED], zeros, const:V,
//   arange bf16[64,64]=file.npy          ... or the contents of a file ptr=null
//   a null pointer
//
// Arguments that are left out at the end are zero. --args-file has such
// arguments one a line; # begins a comment. --out saves an array after the run
// (bf16 and fp8 as uint16 and uint8). The grid counts workgroups. --strict is
// --check whose notes count as findings.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_DRIVER_RUNOBJECT_H
#define TLC_DRIVER_RUNOBJECT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace tlc {

/// True for a file that `runObject` takes: an ELF file or an offload bundle.
bool isCodeObjectFile(llvm::StringRef path);

/// Runs the command with the arguments after "run". Returns the exit code: 0;
/// 1 for bad input and faults of the kernel; 2 for wrong usage; 3 where only
/// the checkers found something; 4 at the instruction limit.
int runObject(llvm::ArrayRef<llvm::StringRef> arguments);

} // namespace tlc

#endif // TLC_DRIVER_RUNOBJECT_H
