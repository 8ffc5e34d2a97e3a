//===- Device.h - State behind the simulator's HIP --------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_HIP_DEVICE_H
#define TLC_LIB_SIMULATOR_HIP_DEVICE_H

#include "tlc/Simulator/Execute/Launch.h"

#include <atomic>
#include <chrono>
#include <set>
#include <vector>

namespace tlc::hip {

struct ihipModuleSymbol_t {
  sim::LoadedObject *object = nullptr;
  const sim::KernelInfo *kernel = nullptr;
};

struct ihipModule_t {
  std::unique_ptr<sim::LoadedObject> object;
  std::map<std::string, std::unique_ptr<ihipModuleSymbol_t>> functions;
};

/// Everything completes when it is called, so a stream is only an identity
/// (what it captures is kept with the graphs of the drop-in).
struct ihipStream_t {
  unsigned flags = 0;
  int priority = 0;
};

struct ihipEvent_t {
  unsigned flags = 0;
  bool recorded = false;
  std::chrono::steady_clock::time_point time;
};

} // namespace tlc::hip

namespace tlc::sim {

/// A launch with its arguments copied, to run now or from a graph later.
struct PreparedLaunch {
  hip::hipFunction_t function = nullptr;
  unsigned grid[3] = {}, block[3] = {}, lds = 0;
  bool cooperative = false;
  std::vector<uint8_t> arguments; ///< laid out as the metadata says
};

/// The one simulated device of the process.
struct Device {
  Device();

  DeviceMemory memory;
  SimulatorOptions options;
  /// The first fault that no synchronisation has reported yet, as a GPU's
  /// would be.
  std::atomic<int> pendingFault{0};
  std::mutex mutex; ///< guards what follows
  std::set<hip::hipStream_t> streams;
  std::set<hip::hipEvent_t> events;
  std::set<hip::hipModule_t> modules;
  /// Takes launches into streams that are captured: true if it took this one,
  /// with how that went. Set by the drop-in before main.
  bool (*captureLaunch)(hip::hipStream_t stream, const PreparedLaunch &launch,
                        hip::hipError_t &error) = nullptr;

  bool isStream(hip::hipStream_t stream);
};

Device &device();

/// Error of the last failed call of this thread.
hip::hipError_t &lastError();
/// Remembers a failure.
inline hip::hipError_t record(hip::hipError_t error) {
  if (error != hip::hipSuccess)
    lastError() = error;
  return error;
}

/// What hipModuleLaunchKernel does, for ordinary and cooperative launches.
hip::hipError_t launchFunction(hip::hipFunction_t function,
                               const unsigned (&grid)[3],
                               const unsigned (&block)[3], unsigned ldsBytes,
                               hip::hipStream_t stream, void **arguments,
                               void **extra, bool cooperative);

/// Its two halves: checks and copies the arguments, given as pointers or as a
/// buffer (not both); runs the kernel.
hip::hipError_t prepareLaunch(PreparedLaunch &launch, void **arguments,
                              void **extra);
hip::hipError_t runPrepared(const PreparedLaunch &launch);

/// What `lastLaunch` shows.
LaunchResult &lastOfThread();

/// Launch of a kernel of a loaded module; keeps `lastOfThread`.
hip::hipError_t launchKernel(const LaunchRequest &request);

/// Where things stand in a structure of hipDeviceProp_t.
enum class PropertiesLayout { R0000, R0600 };
void fillProperties(void *properties, PropertiesLayout layout);

/// Value of an attribute by HIP's number; false if there is none.
bool attributeValue(int attribute, int &value);

inline constexpr const char *deviceName = "AMD Instinct MI300X (simulated)";
inline constexpr const char *archName = "gfx942:sramecc+:xnack-";

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_HIP_DEVICE_H
