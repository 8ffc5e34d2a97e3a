//===- EntryPoints.h - HIP's entry points, simulated ------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_HIP_ENTRYPOINTS_H
#define TLC_LIB_SIMULATOR_HIP_ENTRYPOINTS_H

#include "tlc/Runtime/HIPTable.h"

namespace tlc::sim::entry {

using namespace tlc::hip;

#define TLC_HIP_DECLARE(name, parameters) hipError_t name parameters;
TLC_HIP_FUNCTIONS(TLC_HIP_DECLARE)
#undef TLC_HIP_DECLARE
const char *hipGetErrorName(hipError_t error);
const char *hipGetErrorString(hipError_t error);
hipError_t hipGetDevicePropertiesR0600(void *properties, int device);
hipError_t hipGetDevicePropertiesR0000(void *properties, int device);

} // namespace tlc::sim::entry

#endif // TLC_LIB_SIMULATOR_HIP_ENTRYPOINTS_H
