//===- Modules.cpp - Modules and launches ---------------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Device.h"
#include "EntryPoints.h"
#include "tlc/Simulator/Memory/CodeBundle.h"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

using namespace tlc;
using namespace tlc::sim;
using namespace tlc::hip;

namespace tlc::sim::entry {

/// Loads one code object; `error` is what already went wrong in finding it. The
/// reason is kept as the last launch's report.
static hipError_t loadBytes(hipModule_t *module, std::span<const uint8_t> bytes,
                            std::string error) {
  Device &d = device();
  std::unique_ptr<LoadedObject> object;
  if (error.empty())
    object = LoadedObject::load(bytes, d.memory, error);
  // HIP has one code for every damaged image; the reason would be lost without
  // the report.
  if (!object) {
    LaunchResult &last = lastOfThread();
    last = LaunchResult();
    last.failed = true;
    last.findings.push_back({"invalid-code-object", error});
    last.report = error;
    return record(hipErrorInvalidImage);
  }
  auto loaded = std::make_unique<ihipModule_t>();
  loaded->object = std::move(object);
  *module = loaded.release();
  std::lock_guard lock(d.mutex);
  d.modules.insert(*module);
  return hipSuccess;
}

/// \p image is a code object or an offload bundle, of unknown size: it is in
/// the program's memory, and its own headers say how long it is.
hipError_t hipModuleLoadData(hipModule_t *module, const void *image) {
  if (!module || !image)
    return record(hipErrorInvalidValue);
  std::string error;
  std::vector<uint8_t> storage;
  std::span<const uint8_t> bytes =
      selectCodeObject(image, unknownSize, storage, error);
  return loadBytes(module, bytes, error);
}
/// The options steer a just-in-time compiler, which is not needed here.
hipError_t hipModuleLoadDataEx(hipModule_t *module, const void *image, unsigned,
                               hipJitOption *, void **) {
  return hipModuleLoadData(module, image);
}
hipError_t hipModuleLoad(hipModule_t *module, const char *path) {
  if (!module || !path)
    return record(hipErrorInvalidValue);
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return record(hipErrorFileNotFound);
  std::vector<char> bytes((std::istreambuf_iterator<char>(file)),
                          std::istreambuf_iterator<char>());
  std::string error;
  std::vector<uint8_t> storage;
  std::span<const uint8_t> code =
      selectCodeObject(bytes.data(), bytes.size(), storage, error);
  return loadBytes(module, code, error);
}

/// Handles come from the program and may be anything.
static bool isModule(hipModule_t module) {
  Device &d = device();
  std::lock_guard lock(d.mutex);
  return d.modules.count(module) != 0;
}

/// Functions of the module become invalid with it.
hipError_t hipModuleUnload(hipModule_t module) {
  Device &d = device();
  {
    std::lock_guard lock(d.mutex);
    if (!d.modules.erase(module))
      return record(hipErrorInvalidHandle);
  }
  delete module;
  return hipSuccess;
}

/// The handle belongs to the module. Asking twice gives the same one.
hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module,
                                const char *name) {
  if (!function || !name)
    return record(hipErrorInvalidValue);
  if (!isModule(module))
    return record(hipErrorInvalidHandle);
  const KernelInfo *kernel = module->object->object().findKernel(name);
  if (!kernel)
    return record(hipErrorNotFound);
  auto &symbol = module->functions[kernel->name];
  if (!symbol) {
    symbol = std::make_unique<ihipModuleSymbol_t>();
    symbol->object = module->object.get();
    symbol->kernel = kernel;
  }
  *function = symbol.get();
  return hipSuccess;
}

/// Address and size of a variable, either of which the caller may leave out.
hipError_t hipModuleGetGlobal(hipDeviceptr_t *pointer, size_t *bytes,
                              hipModule_t module, const char *name) {
  if (!name)
    return record(hipErrorInvalidValue);
  if (!isModule(module))
    return record(hipErrorInvalidHandle);
  for (const ObjectSymbol &symbol : module->object->object().symbols) {
    if (!symbol.defined || symbol.name != name)
      continue;
    if (pointer)
      *pointer =
          reinterpret_cast<void *>(module->object->deviceAddress(symbol.value));
    if (bytes)
      *bytes = symbol.size;
    return hipSuccess;
  }
  return record(hipErrorNotFound);
}

/// From the kernel descriptor and metadata.
hipError_t hipFuncGetAttribute(int *value, hipFunction_attribute attribute,
                               hipFunction_t function) {
  if (!value || !function)
    return record(hipErrorInvalidValue);
  const KernelInfo &kernel = *function->kernel;
  const KernelDescriptor &d = kernel.descriptor;
  switch (attribute) {
  case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    *value = static_cast<int>(kernel.maxWorkgroupSize);
    return hipSuccess;
  // Static LDS; what a launch adds is limited by what is left of 64 KiB.
  case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    *value = static_cast<int>(d.groupSegmentFixedSize);
    return hipSuccess;
  case HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
    *value = 0;
    return hipSuccess;
  case HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
    *value = static_cast<int>(d.privateSegmentFixedSize);
    return hipSuccess;
  case HIP_FUNC_ATTRIBUTE_NUM_REGS:
    *value = static_cast<int>(d.vgprCount());
    return hipSuccess;
  case HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    *value = 65536 - static_cast<int>(d.groupSegmentFixedSize);
    return hipSuccess;
  }
  return record(hipErrorInvalidValue);
}

/// Lays out arguments given one pointer each, by the metadata. False if the
/// object has none: then only a ready-made buffer (`extra`) can be passed.
static bool packArguments(const KernelInfo &kernel, void **arguments,
                          std::vector<uint8_t> &packed) {
  if (!kernel.hasMetadata)
    return false;
  size_t i = 0;
  for (const KernelArgument &argument : kernel.arguments) {
    // The compiler's own arguments (grid sizes, buffers) are filled in by the
    // executor.
    if (argument.hidden())
      continue;
    if (!arguments[i])
      return false;
    if (packed.size() < argument.offset + argument.size)
      packed.resize(argument.offset + argument.size);
    std::memcpy(packed.data() + argument.offset, arguments[i++], argument.size);
  }
  return true;
}

/// The grid counts workgroups, the block work-items.
hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned gridX,
                                 unsigned gridY, unsigned gridZ,
                                 unsigned blockX, unsigned blockY,
                                 unsigned blockZ, unsigned ldsBytes,
                                 hipStream_t stream, void **arguments,
                                 void **extra) {
  return launchFunction(function, {gridX, gridY, gridZ},
                        {blockX, blockY, blockZ}, ldsBytes, stream, arguments,
                        extra, /*cooperative=*/false);
}

} // namespace tlc::sim::entry

hipError_t tlc::sim::prepareLaunch(PreparedLaunch &launch, void **arguments,
                                   void **extra) {
  if (!launch.function)
    return record(hipErrorInvalidHandle);
  if (arguments && extra)
    return record(hipErrorInvalidValue);
  const KernelInfo &kernel = *launch.function->kernel;
  // Pairs of a key and a value until HIP_LAUNCH_PARAM_END.
  if (extra) {
    const uint8_t *buffer = nullptr;
    size_t bytes = 0;
    for (; *extra != HIP_LAUNCH_PARAM_END; extra += 2) {
      if (extra[0] == HIP_LAUNCH_PARAM_BUFFER_POINTER)
        buffer = static_cast<const uint8_t *>(extra[1]);
      else if (extra[0] == HIP_LAUNCH_PARAM_BUFFER_SIZE)
        bytes = *static_cast<size_t *>(extra[1]);
      else
        return record(hipErrorInvalidValue);
    }
    if (!buffer && bytes)
      return record(hipErrorInvalidValue);
    launch.arguments.assign(buffer, buffer + bytes);
  } else if (arguments &&
             !entry::packArguments(kernel, arguments, launch.arguments)) {
    return record(hipErrorInvalidValue);
  }
  return hipSuccess;
}

hipError_t tlc::sim::runPrepared(const PreparedLaunch &launch) {
  LaunchRequest request;
  request.object = launch.function->object;
  request.kernel = launch.function->kernel;
  std::copy(launch.grid, launch.grid + 3, request.grid);
  std::copy(launch.block, launch.block + 3, request.block);
  request.dynamicLds = launch.lds;
  request.cooperative = launch.cooperative;
  request.arguments = launch.arguments;
  return record(launchKernel(request));
}

hipError_t tlc::sim::launchFunction(hipFunction_t function,
                                    const unsigned (&grid)[3],
                                    const unsigned (&block)[3],
                                    unsigned ldsBytes, hipStream_t stream,
                                    void **arguments, void **extra,
                                    bool cooperative) {
  if (!device().isStream(stream))
    return record(function ? hipErrorInvalidValue : hipErrorInvalidHandle);
  PreparedLaunch launch;
  launch.function = function;
  std::copy(grid, grid + 3, launch.grid);
  std::copy(block, block + 3, launch.block);
  launch.lds = ldsBytes;
  launch.cooperative = cooperative;
  hipError_t error = prepareLaunch(launch, arguments, extra);
  if (error)
    return error;
  auto capture = device().captureLaunch;
  if (capture && capture(stream, launch, error))
    return error;
  return runPrepared(launch);
}
