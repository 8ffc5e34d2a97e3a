//===- ResultType.h - Type of a vector result -------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_EXECUTE_LANES_RESULTTYPE_H
#define TLC_LIB_SIMULATOR_EXECUTE_LANES_RESULTTYPE_H

#include "tlc/Simulator/Decode/Instruction.h"

namespace tlc::sim {

/// The type that output scaling and clamp work on: read off the mnemonic,
/// where the type after "v_cvt" or the last one names the result.
DataType resultType(const Instruction &inst);

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_EXECUTE_LANES_RESULTTYPE_H
