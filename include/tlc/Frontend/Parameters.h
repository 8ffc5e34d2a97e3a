//===- Parameters.h - What a kernel was made with ---------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The link between sizes in a compiled kernel and the names that a user can
// change: messages about LDS or registers name the -D values that would help.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_FRONTEND_PARAMETERS_H
#define TLC_FRONTEND_PARAMETERS_H

#include "llvm/ADT/StringRef.h"

namespace tlc {

/// On an imported tile.func: a dictionary of the integers among the parameters
/// of its factory and the module-level names it reads, each of which a -D may
/// change.
inline constexpr llvm::StringLiteral kParametersAttr = "tile.parameters";

} // namespace tlc

#endif // TLC_FRONTEND_PARAMETERS_H
