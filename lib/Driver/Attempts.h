//===- Attempts.h - Compiling a kernel that asks for too much ---*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Second attempts at what LDS or registers did not hold; the register side is
// Compilation::lowerAsBest.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_DRIVER_ATTEMPTS_H
#define TLC_LIB_DRIVER_ATTEMPTS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <functional>

namespace tlc {

/// To the wave dialect. A kernel that LDS does not hold is tried again, with as
/// much less LDS as it lacked; if that is of no use, the first refusal stands.
/// `atTile` is shown each try after the passes on the tile dialect; `source`,
/// if given, becomes the program that the last try began with.
bool lowerToWave(mlir::ModuleOp module, llvm::ArrayRef<std::string> disabled,
                 const std::function<void(mlir::ModuleOp)> &atTile,
                 mlir::OwningOpRef<mlir::ModuleOp> *source = nullptr);

} // namespace tlc

#endif // TLC_LIB_DRIVER_ATTEMPTS_H
