//===- UndefinedBytes.h - Bytes of a result ---------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_CHECK_UNDEFINEDBYTES_H
#define TLC_LIB_SIMULATOR_CHECK_UNDEFINEDBYTES_H

#include "Undefined.h"

namespace tlc::sim {

/// A word with 0xff in each byte that is undefined in \p lane.
uint32_t undefinedWord(const ByteMasks &masks, unsigned lane);

/// Which bytes of a result are written: all, or a half or byte of them.
unsigned writtenBytes(const Instruction &inst);

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_CHECK_UNDEFINEDBYTES_H
