//===- Driver.h - The commands of tlc ---------------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each command takes its arguments without the command's name and returns the
// process's exit code. Products go to stdout or to the file of `-o`, all talk
// to stderr.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_DRIVER_DRIVER_H
#define TLC_DRIVER_DRIVER_H

#include "tlc/Support/Diagnostics.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace tlc {

enum ExitCode : int {
  ExitOk = 0,
  ExitDiagnostics = 1,
  ExitUsage = 2,
  ExitCheckFailed = 3,
  ExitResourceLimit = 4,
  ExitInternal = 5
};

using Arguments = llvm::ArrayRef<llvm::StringRef>;

int runCompile(Arguments arguments);
int runExplain(Arguments arguments);

/// A command of `tlc`. Libraries that bring one add a row to the table in
/// Main.cpp.
struct Command {
  llvm::StringLiteral name, summary;
  int (*run)(Arguments);
  llvm::StringLiteral usage;
};

/// `main` of tlc: chooses the command.
int runTlc(int argc, char **argv);

/// Reports a wrong command line and returns ExitUsage.
/// Says what went wrong where no source text is to blame. The exit code that
/// belongs to the id.
int reportError(DiagID id, const llvm::Twine &message);
/// The same for the command line, with a word on help.
int usageError(const llvm::Twine &message);

} // namespace tlc

#endif // TLC_DRIVER_DRIVER_H
