//===- Launch.h - Run a kernel over a grid ----------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The execution engine's entry point, below HIP: a loaded kernel, a grid, and
// the bytes of its arguments.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_SIMULATOR_EXECUTE_LAUNCH_H
#define TLC_SIMULATOR_EXECUTE_LAUNCH_H

#include "tlc/Simulator/Execute/Program.h"
#include "tlc/Simulator/Memory/CodeObject.h"
#include "tlc/Simulator/Memory/DeviceMemory.h"
#include "tlc/Simulator/Simulator.h"

#include <mutex>

namespace tlc::sim {

/// A code object in device memory.
class LoadedObject {
public:
  /// Null with `error` set if the object cannot be parsed or placed.
  static std::unique_ptr<LoadedObject>
  load(std::span<const uint8_t> file, DeviceMemory &memory, std::string &error);
  ~LoadedObject();

  const CodeObject &object() const { return parsed; }
  /// Device address of a virtual address of the object.
  uint64_t deviceAddress(uint64_t address) const {
    return image + (address - parsed.lowAddress);
  }
  /// The predecoded code of a kernel; made at the first call.
  Program &program(const KernelInfo &kernel);

private:
  LoadedObject(DeviceMemory &memory) : memory(memory) {}

  DeviceMemory &memory;
  CodeObject parsed;
  uint64_t image = 0;
  std::mutex mutex;
  std::map<const KernelInfo *, std::unique_ptr<Program>> programs;
};

struct LaunchRequest {
  LoadedObject *object = nullptr;
  const KernelInfo *kernel = nullptr;
  uint32_t grid[3] = {1, 1, 1};  ///< workgroups
  uint32_t block[3] = {1, 1, 1}; ///< work-items of a workgroup
  /// Work-items of the whole grid where they are no multiple of the block;
  /// 0: grid times block.
  uint32_t items[3] = {0, 0, 0};
  uint32_t dynamicLds = 0;  ///< bytes
  bool cooperative = false; ///< the kernel may ask for it
  /// The explicit arguments, laid out as the metadata says. Missing bytes at
  /// the end are zero.
  std::span<const uint8_t> arguments;
};

/// Checks the request against the limits of the kernel and the device; empty
/// if it may run.
std::string checkLaunch(const LaunchRequest &request);

/// Runs the kernel to its end or to the first fault.
LaunchResult runLaunch(const LaunchRequest &request, DeviceMemory &memory,
                       const SimulatorOptions &options);

} // namespace tlc::sim

#endif // TLC_SIMULATOR_EXECUTE_LAUNCH_H
