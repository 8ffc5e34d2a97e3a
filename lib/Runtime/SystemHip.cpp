//===- SystemHip.cpp - libamdhip64 opened at run time ---------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the system's HIP by its sonames, newest first, fills the table, and
// asks for devices. Every way to fail gives one line of text; nothing is
// printed. The library stays open until the process ends: HIP's own teardown
// runs at exit and must find its code.
//
//===----------------------------------------------------------------------===//

#include "tlc/Runtime/HIPTable.h"

#include <fmt/format.h>

#include <dlfcn.h>

using namespace tlc::hip;

namespace {

constexpr const char *sonames[] = {"libamdhip64.so.7", "libamdhip64.so.6",
                                   "libamdhip64.so.5", "libamdhip64.so"};

/// Fills `table` from `library`; returns the name of the first symbol missing.
const char *fillTable(HIPTable &table, void *library) {
#define TLC_HIP_LOAD(name, parameters)                                         \
  table.name = reinterpret_cast<decltype(table.name)>(dlsym(library, #name));  \
  if (!table.name)                                                             \
    return #name;
  TLC_HIP_FUNCTIONS(TLC_HIP_LOAD)
#undef TLC_HIP_LOAD
  auto load = [&](auto &member, const char *name) {
    member =
        reinterpret_cast<std::decay_t<decltype(member)>>(dlsym(library, name));
  };
  load(table.hipGetErrorName, "hipGetErrorName");
  load(table.hipGetErrorString, "hipGetErrorString");
  load(table.hipGetDevicePropertiesR0600, "hipGetDevicePropertiesR0600");
  // The unsuffixed name is the old layout in every release that exports it.
  load(table.hipGetDevicePropertiesR0000, "hipGetDeviceProperties");
  if (!table.hipGetErrorName)
    return "hipGetErrorName";
  if (!table.hipGetErrorString)
    return "hipGetErrorString";
  if (!table.hipGetDevicePropertiesR0600 && !table.hipGetDevicePropertiesR0000)
    return "hipGetDeviceProperties";
  return nullptr;
}

std::string describe(const HIPTable &table, hipError_t error) {
  std::string_view text = table.hipGetErrorString(error),
                   name = table.hipGetErrorName(error);
  // Older releases of HIP have no text but the name.
  if (text == name)
    return fmt::format("{} ({})", name, static_cast<int>(error));
  return fmt::format("{} ({}: {})", text, static_cast<int>(error), name);
}

/// Once in a process. Opening is not enough: a machine may have the library and
/// no driver or device.
SystemHip load() {
  static HIPTable table;
  void *library = nullptr;
  std::string firstProblem;
  const char *soname = nullptr;
  for (const char *name : sonames) {
    library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library) {
      soname = name;
      break;
    }
    std::string problem = dlerror();
    // "not found" of the first name is the least telling: prefer another.
    bool missing = problem.find("No such file") != std::string::npos;
    if (firstProblem.empty() && !missing)
      firstProblem = problem;
  }
  if (!library)
    return {nullptr, firstProblem.empty()
                         ? "HIP is not installed: no libamdhip64.so found"
                         : "cannot open HIP: " + firstProblem};

  // Where the library really is: more than one may be installed.
  Dl_info info;
  table.provider = soname;
  if (void *symbol = dlsym(library, "hipInit"))
    if (dladdr(symbol, &info) && info.dli_fname)
      table.provider = info.dli_fname;
  if (const char *missing = fillTable(table, library))
    return {nullptr,
            fmt::format("{} lacks the function {}", table.provider, missing)};
  table.simulated = dlsym(library, simulatorMarker) != nullptr;

  if (hipError_t error = table.hipInit(0))
    return {nullptr, fmt::format("{} finds no device: hipInit: {}",
                                 table.provider, describe(table, error))};
  int count = 0;
  if (hipError_t error = table.hipGetDeviceCount(&count))
    return {nullptr, fmt::format("{} finds no device: hipGetDeviceCount: {}",
                                 table.provider, describe(table, error))};
  if (count == 0)
    return {nullptr, fmt::format("{} finds no device", table.provider)};
  return {&table, ""};
}

} // namespace

/// Opened on first use; the same answer ever after.
SystemHip tlc::hip::loadSystemHip() {
  static const SystemHip result = load();
  return result;
}
