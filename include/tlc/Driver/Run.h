//===- Run.h - The commands `tlc run` and `tlc check` -----------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   tlc run   KERNEL.tile | OBJECT.hsaco  [options]
//   tlc check KERNEL.tile                 [options]
//
// `run` executes; `check` also evaluates the kernel with the reference and
// compares every output within its error bound. docs/cli.md lists the options.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_DRIVER_RUN_H
#define TLC_DRIVER_RUN_H

#include "tlc/Driver/Driver.h"

namespace tlc {

int runRun(Arguments arguments);
int runCheck(Arguments arguments);

extern const llvm::StringLiteral runUsage, checkUsage;

} // namespace tlc

#endif // TLC_DRIVER_RUN_H
