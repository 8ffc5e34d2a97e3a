//===- KernelArguments.h - Kernarg segment and first registers --*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_EXECUTE_KERNELARGUMENTS_H
#define TLC_LIB_SIMULATOR_EXECUTE_KERNELARGUMENTS_H

#include "tlc/Simulator/Execute/Launch.h"

namespace tlc::sim {

/// The memory a launch sets up for its kernel: arguments with the hidden ones,
/// dispatch packet, queue. Released with the object.
class KernelArguments {
public:
  KernelArguments(const LaunchRequest &request, DeviceMemory &memory);
  ~KernelArguments();
  bool valid() const { return base != 0; }

  /// Registers as the hardware sets them up before the first instruction.
  void initialise(Wave &wave, const LaunchRequest &request) const;

private:
  DeviceMemory &memory;
  uint64_t base = 0, packet = 0, queue = 0, arguments = 0;
};

/// Work-items of the workgroup with this id; fewer at the end of a grid whose
/// size is no multiple of the block.
void workgroupSize(const LaunchRequest &request, const uint32_t id[3],
                   uint32_t size[3]);
/// Workgroups are numbered x fastest.
void workgroupId(const LaunchRequest &request, uint64_t linearId,
                 uint32_t id[3]);
/// Of the workgroup with this number.
unsigned wavesOf(const LaunchRequest &request, uint64_t linearId);

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_EXECUTE_KERNELARGUMENTS_H
