//===- Device.cpp - State behind the simulator's HIP ----------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The device: memory, options, the result of the last launch, and the handles
// that are alive. A handle is checked against its set before it is used, so
// that a stale one is an error and not a crash.
//
//===----------------------------------------------------------------------===//

#include "Device.h"

#include <cstdlib>
#include <cstring>

using namespace tlc;
using namespace tlc::sim;
using namespace tlc::hip;

static constexpr uint64_t memoryBytes = uint64_t(192) << 30;

Device::Device() : memory(memoryBytes) {
  // For programs that know nothing of the simulator.
  if (const char *threads = std::getenv("TLC_SIM_THREADS"))
    options.threads = static_cast<unsigned>(std::strtoul(threads, nullptr, 10));
  if (const char *limit = std::getenv("TLC_SIM_INSTRUCTION_LIMIT"))
    options.instructionLimit = std::strtoull(limit, nullptr, 10);
  if (const char *seed = std::getenv("TLC_SIM_SEED"))
    options.scheduleSeed = std::strtoull(seed, nullptr, 10);
  if (const char *turn = std::getenv("TLC_SIM_TURN"))
    options.turnInstructions =
        static_cast<uint32_t>(std::strtoul(turn, nullptr, 10));
  if (const char *check = std::getenv("TLC_SIM_CHECK"))
    options.checkers = std::strcmp(check, "0") != 0;
}

Device &tlc::sim::device() {
  // Never destroyed: other static objects may still use it at exit.
  static Device *instance = new Device();
  return *instance;
}

bool Device::isStream(hipStream_t stream) {
  // Null and the two named default streams always exist.
  if (reinterpret_cast<uintptr_t>(stream) <= 2)
    return true;
  std::lock_guard lock(mutex);
  return streams.count(stream) != 0;
}

hipError_t &tlc::sim::lastError() {
  thread_local hipError_t error = hipSuccess;
  return error;
}

SimulatorOptions &tlc::sim::simulatorOptions() { return device().options; }

/// Fills with NaNs and forgets that anything was written; false unless the
/// range lies in one live allocation.
bool tlc::sim::poisonMemory(void *pointer, size_t bytes) {
  DeviceMemory &memory = device().memory;
  uint64_t address = reinterpret_cast<uint64_t>(pointer);
  Allocation found;
  if (!memory.lookup(address, found) || found.freed ||
      !found.contains(address, bytes))
    return false;
  std::memset(pointer, 0xff, bytes);
  memory.writtenBytes().unmark(address, bytes);
  return true;
}

LaunchResult &tlc::sim::lastOfThread() {
  static thread_local LaunchResult last;
  return last;
}
const LaunchResult &tlc::sim::lastLaunch() { return lastOfThread(); }

/// Runs the launch to its end and turns its first finding into HIP's error. The
/// fault is reported by the launch itself and, as on a GPU, by the next
/// synchronisation.
hipError_t tlc::sim::launchKernel(const LaunchRequest &request) {
  Device &d = device();
  LaunchResult result = runLaunch(request, d.memory, d.options);
  hipError_t error = hipSuccess;
  if (result.failed) {
    const std::string &kind = result.findings.front().kind;
    if (kind == "invalid-launch")
      error = hipErrorInvalidConfiguration;
    else if (kind == "out-of-memory")
      error = hipErrorOutOfMemory;
    else if (kind == "instruction-limit")
      error = hipErrorLaunchTimeOut;
    else if (kind.starts_with("global"))
      error = hipErrorIllegalAddress;
    else
      error = hipErrorLaunchFailure;
  }
  int none = hipSuccess;
  if (error != hipErrorInvalidConfiguration)
    d.pendingFault.compare_exchange_strong(none, error);
  if (d.options.afterLaunch)
    d.options.afterLaunch(result);
  lastOfThread() = std::move(result);
  return error;
}
