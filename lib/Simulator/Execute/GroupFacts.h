//===- GroupFacts.h - What a recorded workgroup does -----------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_EXECUTE_GROUPFACTS_H
#define TLC_LIB_SIMULATOR_EXECUTE_GROUPFACTS_H

#include "../Timing/Recorder.h"
#include "tlc/Simulator/Memory/DeviceMemory.h"

namespace tlc::sim {

/// Whether a workgroup may wait for what others write: then all must run.
bool mayWaitForOthers(CodeTable &code, const GroupRecord &group);

/// Whether a workgroup leaves the same when it runs again: nothing is changed
/// in place.
bool mayRunTwice(CodeTable &code, const GroupRecord &group,
                 const DeviceMemory &memory);

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_EXECUTE_GROUPFACTS_H
