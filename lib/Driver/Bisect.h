//===- Bisect.h - Which pass changes the result -----------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `tlc check --bisect`; docs/numerics.md shows its use.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_DRIVER_BISECT_H
#define TLC_LIB_DRIVER_BISECT_H

#include "RunArgs.h"

namespace tlc {

/// Runs the passes on the tile and wave dialects one by one, evaluates the
/// program after each (lib/Reference), and names the first one after which an
/// output is outside its bound. ExitCheckFailed if there is one.
int bisect(Compilation &compilation, mlir::ModuleOp module,
           llvm::ArrayRef<Parameter> parameters, const Values &inputs);

} // namespace tlc

#endif // TLC_LIB_DRIVER_BISECT_H
