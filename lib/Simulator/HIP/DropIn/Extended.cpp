//===- Extended.cpp - Launch configurations, libraries --------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What HIP 7 adds: launches described by a structure, libraries (modules whose
// kernels are listed), attributes of streams. A library is a module here, and
// its kernels are functions.
//
//===----------------------------------------------------------------------===//

#include "DropIn.h"

#include <cstdio>
#include <dlfcn.h>
#include <string>

using namespace tlc;
using namespace tlc::sim;
using namespace tlc::hip;

namespace tlc::sim::dropin {

constexpr uint32_t cooperativeAttribute = 2;

/// Of a launch's attributes only the cooperative one changes anything here.
static bool isCooperative(const LaunchAttribute *attributes, unsigned count) {
  for (unsigned i = 0; attributes && i < count; ++i)
    if (attributes[i].id == cooperativeAttribute && attributes[i].value)
      return true;
  return false;
}

hipError_t hipLaunchKernelExC(const LaunchConfig *config, const void *stub,
                              void **arguments) {
  if (!config)
    return hipErrorInvalidConfiguration;
  if (isCooperative(config->attributes, config->count))
    return hipLaunchCooperativeKernel(stub, config->grid, config->block,
                                      arguments, unsigned(config->lds),
                                      config->stream);
  return hipLaunchKernel(stub, config->grid, config->block, arguments,
                         config->lds, config->stream);
}
/// By function, with arguments as pointers or as a buffer.
hipError_t hipDrvLaunchKernelEx(const DriverLaunchConfig *config,
                                hipFunction_t function, void **arguments,
                                void **extra) {
  if (!config || !function)
    return hipErrorInvalidValue;
  const dim3 &g = config->grid, &b = config->block;
  return launchFunction(function, {g.x, g.y, g.z}, {b.x, b.y, b.z}, config->lds,
                        config->stream, arguments, extra,
                        isCooperative(config->attributes, config->count));
}

//===--- Modules and libraries --------------------------------------------===//

/// Handles come from the program and may be anything.
static bool isModule(hipModule_t module) {
  std::lock_guard lock(device().mutex);
  return device().modules.count(module) != 0;
}
hipError_t hipModuleLoadFatBinary(hipModule_t *module, const void *binary) {
  return entry::hipModuleLoadData(module, binary);
}
hipError_t hipModuleGetFunctionCount(unsigned *count, hipModule_t module) {
  if (!count)
    return hipErrorInvalidValue;
  if (!isModule(module))
    return hipErrorInvalidHandle;
  *count = unsigned(module->object->object().kernels.size());
  return hipSuccess;
}
hipError_t hipLibraryLoadData(hipModule_t *library, const void *code, void *,
                              void **, unsigned, void *, void **, unsigned) {
  return entry::hipModuleLoadData(library, code);
}
hipError_t hipLibraryLoadFromFile(hipModule_t *library, const char *path,
                                  void *, void **, unsigned, void *, void **,
                                  unsigned) {
  return entry::hipModuleLoad(library, path);
}
hipError_t hipLibraryUnload(hipModule_t library) {
  return entry::hipModuleUnload(library);
}
hipError_t hipLibraryGetKernel(hipFunction_t *kernel, hipModule_t library,
                               const char *name) {
  return entry::hipModuleGetFunction(kernel, library, name);
}
hipError_t hipLibraryGetKernelCount(unsigned *count, hipModule_t library) {
  return hipModuleGetFunctionCount(count, library);
}
/// The first \p most kernels, in the order of their names.
hipError_t hipLibraryEnumerateKernels(hipFunction_t *kernels, unsigned most,
                                      hipModule_t library) {
  if (!kernels)
    return hipErrorInvalidValue;
  if (!isModule(library))
    return hipErrorInvalidHandle;
  for (const KernelInfo &kernel : library->object->object().kernels) {
    if (!most--)
      break;
    if (hipError_t error = entry::hipModuleGetFunction(kernels++, library,
                                                       kernel.name.c_str()))
      return error;
  }
  return hipSuccess;
}
/// The name lives as long as the module.
hipError_t hipKernelGetName(const char **name, hipFunction_t kernel) {
  if (!name || !kernel)
    return hipErrorInvalidValue;
  *name = kernel->kernel->name.c_str();
  return hipSuccess;
}
/// Kernels know their object only: the module that owns it is looked for.
hipError_t hipKernelGetLibrary(hipModule_t *library, hipFunction_t kernel) {
  if (!library || !kernel)
    return hipErrorInvalidValue;
  std::lock_guard lock(device().mutex);
  for (hipModule_t module : device().modules)
    if (module->object.get() == kernel->object) {
      *library = module;
      return hipSuccess;
    }
  return hipErrorInvalidHandle;
}

//===--- Entry points by name ---------------------------------------------===//

/// The library's own symbol, whatever else the program has of that name.
static void *ownSymbol(const std::string &name) {
  Dl_info info;
  if (!dladdr(&tlc_hip_major, &info))
    return nullptr;
  // Only if it is loaded already: no second copy.
  void *library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  void *found = library ? dlsym(library, name.c_str()) : nullptr;
  if (library)
    dlclose(library);
  return found;
}
hipError_t hipGetProcAddress(const char *name, void **function, int, uint64_t,
                             int *status) {
  if (!name || !function)
    return hipErrorInvalidValue;
  std::string symbol = name;
  // What the headers rename.
  if (tlc_hip_major >= 6 &&
      (symbol == "hipGetDeviceProperties" || symbol == "hipChooseDevice"))
    symbol += "R0600";
  // Nothing but HIP's own names is handed out.
  *function = symbol.starts_with("hip") ? ownSymbol(symbol) : nullptr;
  if (status)
    *status = *function ? 0 : 1;
  return *function ? hipSuccess : hipErrorNotFound;
}
hipError_t hipGetDriverEntryPoint(const char *name, void **function,
                                  unsigned long long flags, int *status) {
  return hipGetProcAddress(name, function, 0, flags, status);
}
hipError_t hipGetDriverEntryPoint_spt(const char *name, void **function,
                                      unsigned long long flags, int *status) {
  return hipGetProcAddress(name, function, 0, flags, status);
}

//===--- Streams ----------------------------------------------------------===//

/// Null is the default stream.
static bool isStream(hipStream_t stream) {
  return !stream || device().isStream(stream);
}
hipError_t hipStreamGetId(hipStream_t stream, unsigned long long *id) {
  if (!id || !isStream(stream))
    return hipErrorInvalidValue;
  *id = reinterpret_cast<uint64_t>(stream);
  return hipSuccess;
}
hipError_t hipStreamGetDevice(hipStream_t stream, int *ordinal) {
  if (!ordinal || !isStream(stream))
    return hipErrorInvalidValue;
  *ordinal = 0;
  return hipSuccess;
}
hipError_t hipStreamAttachMemAsync(hipStream_t stream, void *, size_t,
                                   unsigned) {
  return isStream(stream) ? hipSuccess : hipErrorInvalidValue;
}
/// All earlier work is done, so the value is written now.
hipError_t hipStreamWriteValue32(hipStream_t, void *pointer, uint32_t value,
                                 unsigned) {
  return hipMemsetD32(pointer, int(value), 1);
}
hipError_t hipStreamWriteValue64(hipStream_t, void *pointer, uint64_t value,
                                 unsigned) {
  return entry::hipMemcpy(pointer, &value, sizeof(value), hipMemcpyDefault);
}

} // namespace tlc::sim::dropin
