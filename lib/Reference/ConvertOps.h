//===- ConvertOps.h - Casts and selections ----------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Casts and select, which both pass errors on in ways of their own.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_REFERENCE_CONVERTOPS_H
#define TLC_LIB_REFERENCE_CONVERTOPS_H

#include "Machine.h"

namespace tlc::reference {

/// Lane function of a cast or of arith.select by op name, or null.
LaneFn findConversion(llvm::StringRef name);
/// The `imm` of a cast: a CastRounding.
int64_t roundingOf(mlir::Operation *op);

} // namespace tlc::reference

#endif // TLC_LIB_REFERENCE_CONVERTOPS_H
