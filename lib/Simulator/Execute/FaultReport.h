//===- FaultReport.h - Faults as text ---------------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_EXECUTE_FAULTREPORT_H
#define TLC_LIB_SIMULATOR_EXECUTE_FAULTREPORT_H

#include "GroupState.h"

namespace tlc::sim {

/// What happened, to which data, and which instruction of which lane did it.
Finding describeFault(const LaunchContext &context, const Workgroup &group);

/// The same for what a checker found.
Finding describeFinding(const LaunchContext &context,
                        const CheckFinding &finding);

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_EXECUTE_FAULTREPORT_H
