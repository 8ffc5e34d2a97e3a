//===- Profile.h - The command `tlc profile` --------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   tlc profile KERNEL.tile | OBJECT [options]
//
// Where the time of a kernel goes: by the timing model on the simulator, by
// events on a HIP device. docs/profiling.md says how to read it.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_DRIVER_PROFILE_H
#define TLC_DRIVER_PROFILE_H

#include "tlc/Driver/Driver.h"

namespace tlc {

int runProfile(Arguments arguments);

extern const llvm::StringLiteral profileUsage;

} // namespace tlc

#endif // TLC_DRIVER_PROFILE_H
