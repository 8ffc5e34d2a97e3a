//===- Launch.cpp - Registered kernels, launches, occupancy ---------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clang's host code registers an offload bundle and, for each kernel and
// variable in it, a host address. The code object is loaded when something of
// it is first used, so that a program with none for gfx942 fails at its launch
// and not at its start, as on HIP.
//
//===----------------------------------------------------------------------===//

#include "DropIn.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace tlc;
using namespace tlc::sim;
using namespace tlc::hip;

namespace {

constexpr uint32_t bundleMagic = 0x48495046; // "HIPF"
constexpr int computeUnits = 304;

/// A __managed__ variable: host memory that device code reaches through a
/// pointer of the same name.
struct ManagedVariable {
  void **pointer;
  void *initial;
  std::string name;
  size_t bytes;
};

/// One registered offload bundle; loaded at most once.
struct Binary {
  const void *image = nullptr;
  bool tried = false;
  hipError_t error = hipSuccess;
  hipModule_t module = nullptr;
  std::vector<ManagedVariable> managed;
};

/// What a host address stands for: a symbol of a bundle.
struct Registered {
  Binary *binary;
  std::string name;
};

/// The lock also covers the loading of a binary, which happens once.
struct Registry {
  std::recursive_mutex mutex;
  std::map<const void *, Registered> functions, variables;
};
// Never destroyed: the order of static destructors between this library and the
// program is unknown.
Registry &registry() {
  // Used by static constructors and destructors of the program.
  static Registry *instance = new Registry();
  return *instance;
}

/// Reports a missing or damaged code object on stderr, once.
hipError_t load(Binary &binary) {
  if (binary.tried)
    return binary.error;
  binary.tried = true;
  // A second attempt would fail alike; its error is kept.
  binary.error = entry::hipModuleLoadData(&binary.module, binary.image);
  if (binary.error) {
    std::fprintf(stderr, "libamdhip64 (simulated gfx942): %s\n",
                 lastLaunch().report.c_str());
    return binary.error = hipErrorNoBinaryForGpu;
  }
  for (const ManagedVariable &variable : binary.managed) {
    // The device's variable is a pointer to the shared memory.
    void *place = nullptr;
    if (entry::hipModuleGetGlobal(&place, nullptr, binary.module,
                                  variable.name.c_str()) == hipSuccess)
      std::memcpy(place, variable.pointer, sizeof(void *));
  }
  return hipSuccess;
}

/// What <<<grid, block, lds, stream>>> pushes before the stub is called.
struct CallConfiguration {
  dropin::dim3 grid, block;
  size_t lds;
  hipStream_t stream;
};
/// A stack, for a launch's arguments may launch in turn.
std::vector<CallConfiguration> &pushed() {
  thread_local std::vector<CallConfiguration> stack;
  return stack;
}

} // namespace

namespace tlc::sim::dropin {

/// Null with the error if the stub is unknown, its object does not load, or has
/// no such kernel.
hipFunction_t findFunction(const void *stub, hipError_t &error) {
  Registry &r = registry();
  // Held while the object loads, so that two threads do not load it twice.
  std::lock_guard lock(r.mutex);
  auto found = r.functions.find(stub);
  error = hipErrorInvalidDeviceFunction;
  if (found == r.functions.end())
    return nullptr;
  if ((error = load(*found->second.binary)))
    return nullptr;
  hipFunction_t function = nullptr;
  error = entry::hipModuleGetFunction(&function, found->second.binary->module,
                                      found->second.name.c_str());
  return function;
}

/// Either result may be null if not wanted.
hipError_t findVariable(const void *shadow, void **address, size_t *bytes) {
  Registry &r = registry();
  std::lock_guard lock(r.mutex);
  auto found = r.variables.find(shadow);
  if (found == r.variables.end())
    return hipErrorInvalidSymbol;
  if (hipError_t error = load(*found->second.binary))
    return error;
  return entry::hipModuleGetGlobal(address, bytes, found->second.binary->module,
                                   found->second.name.c_str());
}

/// The handle is the Binary itself.
void **__hipRegisterFatBinary(const void *data) {
  /// clang's __CudaFatBinaryWrapper.
  struct Wrapper {
    uint32_t magic, version;
    const void *binary;
  };
  const Wrapper *wrapper = static_cast<const Wrapper *>(data);
  if (wrapper->magic != bundleMagic) {
    std::fprintf(stderr,
                 "libamdhip64 (simulated gfx942): damaged fat binary\n");
    return nullptr;
  }
  Binary *binary = new Binary();
  binary->image = wrapper->binary;
  return reinterpret_cast<void **>(binary);
}
void __hipUnregisterFatBinary(void **handle) {
  // The program ends: what it registered is not looked up again.
  Binary *binary = reinterpret_cast<Binary *>(handle);
  // Registration failed: there is nothing to take back.
  if (!binary)
    return;
  Registry &r = registry();
  std::lock_guard lock(r.mutex);
  auto ours = [&](const auto &entry) { return entry.second.binary == binary; };
  std::erase_if(r.functions, ours);
  std::erase_if(r.variables, ours);
  delete binary;
}
/// Called by static constructors, once for each kernel; a later registration of
/// a stub replaces the earlier.
void __hipRegisterFunction(void **binary, const void *stub, char *,
                           const char *name, unsigned, void *, void *, void *,
                           void *, int *) {
  Registry &r = registry();
  std::lock_guard lock(r.mutex);
  r.functions[stub] = {reinterpret_cast<Binary *>(binary), name};
}
/// The size comes from the code object's symbol when asked for.
void __hipRegisterVar(void **binary, void *shadow, char *, char *name, int,
                      size_t, int, int) {
  Registry &r = registry();
  std::lock_guard lock(r.mutex);
  r.variables[shadow] = {reinterpret_cast<Binary *>(binary), name};
}
/// The memory is made at once, since host code may use it before any launch;
/// the device's pointer is set when the object is loaded.
void __hipRegisterManagedVar(void *binary, void **pointer, void *initial,
                             const char *name, size_t bytes, unsigned) {
  Registry &r = registry();
  std::lock_guard lock(r.mutex);
  void *memory = nullptr;
  if (entry::hipHostMalloc(&memory, bytes, 0) != hipSuccess)
    return;
  std::memcpy(memory, initial, bytes);
  *pointer = memory;
  reinterpret_cast<Binary *>(binary)->managed.push_back(
      {pointer, initial, name, bytes});
  r.variables[pointer] = {reinterpret_cast<Binary *>(binary), name};
}
/// Texture hardware is not simulated; registering is harmless.
void __hipRegisterSurface(void **, void *, char *, char *, int, int) {}
void __hipRegisterTexture(void **, void *, char *, char *, int, int, int) {}

hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t lds,
                                      hipStream_t stream) {
  pushed().push_back({grid, block, lds, stream});
  return hipSuccess;
}
hipError_t __hipPopCallConfiguration(dim3 *grid, dim3 *block, size_t *lds,
                                     hipStream_t *stream) {
  if (pushed().empty())
    return hipErrorMissingConfiguration;
  CallConfiguration top = pushed().back();
  pushed().pop_back();
  *grid = top.grid;
  *block = top.block;
  *lds = top.lds;
  *stream = top.stream;
  return hipSuccess;
}

/// A launch by the address of the host stub. Faults are told on stderr, for
/// programs that do not look.
static hipError_t launchStub(const void *stub, dim3 grid, dim3 block,
                             void **arguments, size_t lds, hipStream_t stream,
                             bool cooperative) {
  hipError_t error;
  hipFunction_t function = findFunction(stub, error);
  if (!function)
    return error;
  if (cooperative) {
    // All workgroups must be resident at once.
    int blocks = 0;
    hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
        &blocks, function, int(block.x * block.y * block.z), lds);
    if (uint64_t(grid.x) * grid.y * grid.z > uint64_t(blocks) * computeUnits)
      return hipErrorCooperativeLaunchTooLarge;
  }
  return launchFunction(function, {grid.x, grid.y, grid.z},
                        {block.x, block.y, block.z}, static_cast<unsigned>(lds),
                        stream, arguments, nullptr, cooperative);
}
hipError_t hipLaunchKernel(const void *stub, dim3 grid, dim3 block,
                           void **arguments, size_t lds, hipStream_t stream) {
  return launchStub(stub, grid, block, arguments, lds, stream, false);
}
hipError_t hipLaunchKernel_spt(const void *stub, dim3 grid, dim3 block,
                               void **arguments, size_t lds,
                               hipStream_t stream) {
  return hipLaunchKernel(stub, grid, block, arguments, lds, stream);
}
/// A launch with its events, either of which may be null.
template <typename Launch>
static hipError_t between(hipEvent_t start, hipEvent_t stop, hipStream_t stream,
                          Launch launch) {
  if (start)
    hipEventRecord(start, stream);
  hipError_t error = launch();
  if (stop)
    hipEventRecord(stop, stream);
  return error;
}
hipError_t hipExtLaunchKernel(const void *stub, dim3 grid, dim3 block,
                              void **arguments, size_t lds, hipStream_t stream,
                              hipEvent_t start, hipEvent_t stop, int) {
  return between(start, stop, stream, [&] {
    return hipLaunchKernel(stub, grid, block, arguments, lds, stream);
  });
}
/// The grid in work-items is turned into workgroups.
hipError_t hipExtModuleLaunchKernel(hipFunction_t function, uint32_t itemsX,
                                    uint32_t itemsY, uint32_t itemsZ,
                                    uint32_t blockX, uint32_t blockY,
                                    uint32_t blockZ, size_t lds,
                                    hipStream_t stream, void **arguments,
                                    void **extra, hipEvent_t start,
                                    hipEvent_t stop, uint32_t) {
  if (!blockX || !blockY || !blockZ)
    return hipErrorInvalidConfiguration;
  // Whole workgroups only.
  if (itemsX % blockX || itemsY % blockY || itemsZ % blockZ)
    return hipErrorInvalidConfiguration;
  return between(start, stop, stream, [&] {
    return entry::hipModuleLaunchKernel(
        function, itemsX / blockX, itemsY / blockY, itemsZ / blockZ, blockX,
        blockY, blockZ, static_cast<unsigned>(lds), stream, arguments, extra);
  });
}
hipError_t hipHccModuleLaunchKernel(hipFunction_t function, uint32_t itemsX,
                                    uint32_t itemsY, uint32_t itemsZ,
                                    uint32_t blockX, uint32_t blockY,
                                    uint32_t blockZ, size_t lds,
                                    hipStream_t stream, void **arguments,
                                    void **extra, hipEvent_t start,
                                    hipEvent_t stop) {
  return hipExtModuleLaunchKernel(function, itemsX, itemsY, itemsZ, blockX,
                                  blockY, blockZ, lds, stream, arguments, extra,
                                  start, stop, 0);
}
hipError_t hipLaunchCooperativeKernel(const void *stub, dim3 grid, dim3 block,
                                      void **arguments, unsigned lds,
                                      hipStream_t stream) {
  return launchStub(stub, grid, block, arguments, lds, stream, true);
}
hipError_t hipLaunchCooperativeKernel_spt(const void *stub, dim3 grid,
                                          dim3 block, void **arguments,
                                          unsigned lds, hipStream_t stream) {
  return launchStub(stub, grid, block, arguments, lds, stream, true);
}
hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t function,
                                            unsigned gridX, unsigned gridY,
                                            unsigned gridZ, unsigned blockX,
                                            unsigned blockY, unsigned blockZ,
                                            unsigned lds, hipStream_t stream,
                                            void **arguments) {
  return launchFunction(function, {gridX, gridY, gridZ},
                        {blockX, blockY, blockZ}, lds, stream, arguments,
                        nullptr, true);
}
hipError_t hipGetFuncBySymbol(hipFunction_t *function, const void *stub) {
  hipError_t error;
  *function = findFunction(stub, error);
  return error;
}

//===--- Attributes and occupancy -----------------------------------------===//

/// Fills in hipFuncAttributes, whose layout is written out here.
hipError_t hipFuncGetAttributes(void *attributes, const void *stub) {
  struct Attributes {
    int binaryVersion, cacheModeCA;
    size_t constBytes, localBytes;
    int maxDynamicLds, maxThreads, registers, carveout, ptxVersion;
    size_t ldsBytes;
  };
  hipError_t error;
  hipFunction_t function = findFunction(stub, error);
  if (!function)
    return error;
  if (!attributes)
    return hipErrorInvalidValue;
  const KernelInfo &kernel = *function->kernel;
  const KernelDescriptor &d = kernel.descriptor;
  Attributes a = {};
  a.binaryVersion = a.ptxVersion = 94;
  a.localBytes = d.privateSegmentFixedSize;
  a.ldsBytes = d.groupSegmentFixedSize;
  a.maxDynamicLds = int(65536 - d.groupSegmentFixedSize);
  a.maxThreads = int(kernel.maxWorkgroupSize);
  a.registers = int(d.vgprCount());
  std::memcpy(attributes, &a, sizeof(a));
  return hipSuccess;
}
/// For settings without effect: only the stub is checked.
static hipError_t mustExist(const void *stub) {
  hipError_t error;
  findFunction(stub, error);
  return error;
}
hipError_t hipFuncSetAttribute(const void *stub, int, int) {
  return mustExist(stub);
}
hipError_t hipFuncSetCacheConfig(const void *stub, int) {
  return mustExist(stub);
}
hipError_t hipFuncSetSharedMemConfig(const void *stub, int) {
  return mustExist(stub);
}

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
    int *blocks, hipFunction_t function, int size, size_t lds) {
  if (!blocks || !function || size <= 0)
    return hipErrorInvalidValue;
  const KernelInfo &kernel = *function->kernel;
  const KernelDescriptor &d = kernel.descriptor;
  *blocks = 0;
  if (unsigned(size) > kernel.maxWorkgroupSize)
    return hipSuccess;
  // A compute unit: four SIMDs of eight wavefronts and 512 registers, and
  // 64 KiB of LDS in granules of 512 bytes.
  unsigned waves = (unsigned(size) + 63) / 64;
  unsigned perSimd = std::min(8u, 512 / d.vgprCount());
  // A workgroup's wavefronts spread over the four SIMDs.
  unsigned byWaves = perSimd * 4 / waves;
  size_t used = (d.groupSegmentFixedSize + lds + 511) / 512 * 512;
  unsigned byLds = used ? unsigned(65536 / used) : byWaves;
  *blocks = int(std::min(byWaves, byLds));
  return hipSuccess;
}
hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, hipFunction_t function, int size, size_t lds, unsigned) {
  return hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function,
                                                            size, lds);
}
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                        const void *stub,
                                                        int size, size_t lds) {
  hipError_t error;
  hipFunction_t function = findFunction(stub, error);
  return function ? hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
                        blocks, function, size, lds)
                  : error;
}
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *stub, int size, size_t lds, unsigned) {
  return hipOccupancyMaxActiveBlocksPerMultiprocessor(blocks, stub, size, lds);
}
/// The largest block, in whole wavefronts, that keeps most work-items on a
/// compute unit.
hipError_t hipModuleOccupancyMaxPotentialBlockSize(int *grid, int *size,
                                                   hipFunction_t function,
                                                   size_t lds, int limit) {
  if (!grid || !size || !function)
    return hipErrorInvalidValue;
  int most = int(function->kernel->maxWorkgroupSize);
  if (limit > 0)
    most = std::min(most, limit);
  int best = 0;
  for (int candidate = most / 64 * 64; candidate > 0; candidate -= 64) {
    int blocks = 0;
    hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function,
                                                       candidate, lds);
    if (blocks * candidate <= best)
      continue;
    best = blocks * candidate;
    *size = candidate;
    *grid = blocks * computeUnits;
  }
  return best ? hipSuccess : hipErrorInvalidValue;
}
hipError_t hipModuleOccupancyMaxPotentialBlockSizeWithFlags(
    int *grid, int *size, hipFunction_t function, size_t lds, int limit,
    unsigned) {
  return hipModuleOccupancyMaxPotentialBlockSize(grid, size, function, lds,
                                                 limit);
}
hipError_t hipOccupancyMaxPotentialBlockSize(int *grid, int *size,
                                             const void *stub, size_t lds,
                                             int limit) {
  hipError_t error;
  hipFunction_t function = findFunction(stub, error);
  return function ? hipModuleOccupancyMaxPotentialBlockSize(
                        grid, size, function, lds, limit)
                  : error;
}

} // namespace tlc::sim::dropin
