//===- ProgramArguments.h - Values of a program's parameters ----*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parameters are described by the program itself or, for a code object of
// tlc's own, by its launch contract.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_DRIVER_PROGRAMARGUMENTS_H
#define TLC_LIB_DRIVER_PROGRAMARGUMENTS_H

#include "RunArgs.h"
#include "tlc/Runtime/Launch.h"

namespace tlc {

/// Finds the parameters and fills in their values. False after a message.
bool readArguments(tile::FuncOp func, const RunOptions &options,
                   DiagnosticEngine &diags, std::vector<Parameter> &parameters,
                   Values &values);
bool readArguments(const target::Contract &contract, const RunOptions &options,
                   DiagnosticEngine &diags, std::vector<Parameter> &parameters,
                   Values &values);

/// The values as a launch takes them.
std::vector<LaunchArgument> launchArguments(Values values);

} // namespace tlc

#endif // TLC_LIB_DRIVER_PROGRAMARGUMENTS_H
