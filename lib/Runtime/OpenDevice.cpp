//===- OpenDevice.cpp - Choose between a GPU and the simulator ------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looks through the devices of the system's HIP for a gfx942. The names come
// from hipDeviceProp_t, whose layout changed in HIP 6; only the offset of the
// architecture's name is needed of either.
//
//   auto    a real gfx942 if HIP finds one, else the simulator, and why
//   hip     a real gfx942, or an error
//   sim     the built-in simulator
//
//===----------------------------------------------------------------------===//

#include "tlc/Runtime/HIPTable.h"
#include "tlc/Simulator/Simulator.h"

#include <fmt/format.h>

#include <cstring>
#include <vector>

using namespace tlc::hip;

namespace {

// Offsets of gcnArchName, and sizes that hold either structure with room: R0600
// is the layout of HIP 6, R0000 the one before.
constexpr size_t archOffsetR0600 = 1160;
constexpr size_t archOffsetR0000 = 396;
constexpr size_t archLength = 256;
constexpr size_t propertiesRoom = 8192;

/// With or without features: "gfx942:sramecc+:xnack-".
bool isGfx942(const std::string &arch) {
  return arch == "gfx942" || arch.rfind("gfx942:", 0) == 0;
}

/// `why` says why it is not a real device, where that was asked for.
OpenedDevice openSimulator(std::string why) {
  const HIPTable &table = tlc::sim::simulatorHip();
  OpenedDevice opened;
  if (table.hipInit(0) != hipSuccess || table.hipSetDevice(0) != hipSuccess) {
    opened.message = "the simulator does not start";
    return opened;
  }
  opened.table = &table;
  opened.arch = deviceArchName(table, 0);
  opened.message = "device: built-in simulator of gfx942" + why;
  return opened;
}

/// The first gfx942 of the system's HIP, made current; a message otherwise.
OpenedDevice openHip() {
  OpenedDevice opened;
  SystemHip system = loadSystemHip();
  if (!system.table) {
    opened.message = system.reason;
    return opened;
  }
  int count = 0;
  system.table->hipGetDeviceCount(&count);
  std::string seen;
  for (int device = 0; device < count; ++device) {
    std::string arch = deviceArchName(*system.table, device);
    if (!isGfx942(arch)) {
      seen += (seen.empty() ? "" : ", ") + arch;
      continue;
    }
    if (hipError_t error = system.table->hipSetDevice(device)) {
      opened.message =
          fmt::format("{}: hipSetDevice({}): {}", system.table->provider,
                      device, system.table->hipGetErrorString(error));
      return opened;
    }
    opened.table = system.table;
    opened.device = device;
    opened.arch = arch;
    opened.message = fmt::format("device: {}GPU {} ({}) by {}",
                                 system.table->simulated ? "simulated " : "",
                                 device, arch, system.table->provider);
    return opened;
  }
  opened.message =
      fmt::format("{} finds no gfx942 device, only {}", system.table->provider,
                  seen.empty() ? "unnamed ones" : seen);
  return opened;
}

} // namespace

/// "gfx942:sramecc+:xnack-", or empty after an error. Asks with whichever of
/// the two functions the library has.
std::string tlc::hip::deviceArchName(const HIPTable &table, int device) {
  std::vector<char> properties(propertiesRoom);
  size_t offset = 0;
  hipError_t error = hipErrorNotSupported;
  if (table.hipGetDevicePropertiesR0600) {
    error = table.hipGetDevicePropertiesR0600(properties.data(), device);
    offset = archOffsetR0600;
  } else if (table.hipGetDevicePropertiesR0000) {
    error = table.hipGetDevicePropertiesR0000(properties.data(), device);
    offset = archOffsetR0000;
  }
  if (error != hipSuccess)
    return "";
  const char *name = properties.data() + offset;
  return std::string(name, strnlen(name, archLength));
}

/// A device by choice; Auto falls back to the simulator and says why. A null
/// table, with the message, if there is none.
OpenedDevice tlc::hip::openDevice(DeviceChoice choice) {
  switch (choice) {
  case DeviceChoice::Simulator:
    return openSimulator("");
  case DeviceChoice::Hip:
    return openHip();
  case DeviceChoice::Auto:
    break;
  }
  OpenedDevice opened = openHip();
  if (opened.table)
    return opened;
  return openSimulator(" (" + opened.message + ")");
}
