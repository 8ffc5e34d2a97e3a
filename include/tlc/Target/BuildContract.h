//===- BuildContract.h - The launch contract of a tile program --*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_TARGET_BUILDCONTRACT_H
#define TLC_TARGET_BUILDCONTRACT_H

#include "mlir/Support/LLVM.h"
#include "tlc/Target/Contract.h"

namespace tlc::tile {
class FuncOp;
}

namespace tlc::target {

/// The contract of a program before its kernels are compiled: grids and shapes
/// as expressions over its scalars; LDS sizes are left 0. Emits a diagnostic
/// where an expression cannot be told to a host.
mlir::FailureOr<Contract> buildContract(tile::FuncOp program);

} // namespace tlc::target

#endif // TLC_TARGET_BUILDCONTRACT_H
