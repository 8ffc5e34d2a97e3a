//===- HIPTable.h - The device seam: HIP's own entry points -----*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything that runs a kernel calls this table and nothing else. There are
// two providers: the system's libamdhip64, opened at run time
// (`loadSystemHip`), and the built-in simulator (`tlc::sim::simulatorHip` in
// tlc/Simulator/Simulator.h). `openDevice` chooses between them.
//
// Every function has HIP's C signature and meaning; each is non-null in a
// table handed out. Sizes are in bytes; `grid` counts workgroups.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_RUNTIME_HIPTABLE_H
#define TLC_RUNTIME_HIPTABLE_H

#include "tlc/Runtime/HIPTypes.h"

#include <string>

namespace tlc::hip {

/// One row per entry point that returns hipError_t: name, parameters.
#define TLC_HIP_FUNCTIONS(F)                                                   \
  F(hipInit, (unsigned flags))                                                 \
  F(hipDriverGetVersion, (int *version))                                       \
  F(hipRuntimeGetVersion, (int *version))                                      \
  F(hipGetDeviceCount, (int *count))                                           \
  F(hipSetDevice, (int device))                                                \
  F(hipGetDevice, (int *device))                                               \
  F(hipDeviceGetName, (char *name, int length, hipDevice_t device))            \
  F(hipDeviceGetAttribute,                                                     \
    (int *value, hipDeviceAttribute_t attribute, int device))                  \
  F(hipDeviceTotalMem, (size_t *bytes, hipDevice_t device))                    \
  F(hipDeviceSynchronize, (void))                                              \
  F(hipDeviceReset, (void))                                                    \
  F(hipGetLastError, (void))                                                   \
  F(hipPeekAtLastError, (void))                                                \
  F(hipMalloc, (void **pointer, size_t bytes))                                 \
  F(hipFree, (void *pointer))                                                  \
  F(hipHostMalloc, (void **pointer, size_t bytes, unsigned flags))             \
  F(hipHostFree, (void *pointer))                                              \
  F(hipMemGetInfo, (size_t *free, size_t *total))                              \
  F(hipMemcpy, (void *to, const void *from, size_t bytes, hipMemcpyKind kind)) \
  F(hipMemcpyAsync, (void *to, const void *from, size_t bytes,                 \
                     hipMemcpyKind kind, hipStream_t stream))                  \
  F(hipMemset, (void *to, int byte, size_t bytes))                             \
  F(hipMemsetAsync, (void *to, int byte, size_t bytes, hipStream_t stream))    \
  F(hipModuleLoad, (hipModule_t * module, const char *path))                   \
  F(hipModuleLoadData, (hipModule_t * module, const void *image))              \
  F(hipModuleLoadDataEx, (hipModule_t * module, const void *image,             \
                          unsigned count, hipJitOption *keys, void **values))  \
  F(hipModuleUnload, (hipModule_t module))                                     \
  F(hipModuleGetFunction,                                                      \
    (hipFunction_t * function, hipModule_t module, const char *name))          \
  F(hipModuleGetGlobal, (hipDeviceptr_t * pointer, size_t *bytes,              \
                         hipModule_t module, const char *name))                \
  F(hipFuncGetAttribute,                                                       \
    (int *value, hipFunction_attribute attribute, hipFunction_t function))     \
  F(hipModuleLaunchKernel,                                                     \
    (hipFunction_t function, unsigned gridX, unsigned gridY, unsigned gridZ,   \
     unsigned blockX, unsigned blockY, unsigned blockZ, unsigned ldsBytes,     \
     hipStream_t stream, void **arguments, void **extra))                      \
  F(hipStreamCreate, (hipStream_t * stream))                                   \
  F(hipStreamCreateWithFlags, (hipStream_t * stream, unsigned flags))          \
  F(hipStreamDestroy, (hipStream_t stream))                                    \
  F(hipStreamSynchronize, (hipStream_t stream))                                \
  F(hipStreamQuery, (hipStream_t stream))                                      \
  F(hipStreamWaitEvent,                                                        \
    (hipStream_t stream, hipEvent_t event, unsigned flags))                    \
  F(hipEventCreate, (hipEvent_t * event))                                      \
  F(hipEventCreateWithFlags, (hipEvent_t * event, unsigned flags))             \
  F(hipEventDestroy, (hipEvent_t event))                                       \
  F(hipEventRecord, (hipEvent_t event, hipStream_t stream))                    \
  F(hipEventSynchronize, (hipEvent_t event))                                   \
  F(hipEventQuery, (hipEvent_t event))                                         \
  F(hipEventElapsedTime,                                                       \
    (float *milliseconds, hipEvent_t start, hipEvent_t stop))

/// The table. A provider owns it; it lives as long as the process.
struct HIPTable {
#define TLC_HIP_MEMBER(name, parameters) hipError_t(*name) parameters = nullptr;
  TLC_HIP_FUNCTIONS(TLC_HIP_MEMBER)
#undef TLC_HIP_MEMBER
  const char *(*hipGetErrorName)(hipError_t error) = nullptr;
  const char *(*hipGetErrorString)(hipError_t error) = nullptr;

  /// Both layouts of hipDeviceProp_t; at least one is non-null. Use
  /// `deviceArchName` instead of reading the structures.
  hipError_t (*hipGetDevicePropertiesR0600)(void *properties,
                                            int device) = nullptr;
  hipError_t (*hipGetDevicePropertiesR0000)(void *properties,
                                            int device) = nullptr;

  /// True where kernels are simulated: the built-in simulator, or the drop-in
  /// libamdhip64.so, which is known by `simulatorMarker`.
  bool simulated = false;
  /// What to call the provider in messages, such as "built-in simulator" or
  /// "/opt/rocm/lib/libamdhip64.so.6".
  std::string provider;
};

/// The symbol that the drop-in libamdhip64.so exports.
inline constexpr const char *simulatorMarker = "tlc_simulated_gfx942";

/// What `loadSystemHip` found: a table, or the reason for none in one line.
struct SystemHip {
  const HIPTable *table = nullptr;
  std::string reason;
};

/// Opens the system's libamdhip64 (soname 7, 6, 5, or unversioned, by the
/// loader's search path) once per process, initialises it, and requires at
/// least one device. Never prints.
SystemHip loadSystemHip();

/// HIP's name of the device's architecture, as `gfx942:sramecc+:xnack-`; empty
/// if the provider does not tell.
std::string deviceArchName(const HIPTable &table, int device);

/// Which provider a command wants.
enum class DeviceChoice { Auto, Simulator, Hip };

struct OpenedDevice {
  const HIPTable *table = nullptr; ///< null: `message` is the error
  int device = 0;                  ///< HIP's index of the device
  std::string arch;                ///< as `deviceArchName`
  std::string message; ///< what was chosen and why, or the error; one line
};

/// Auto: a gfx942 GPU if HIP finds one, otherwise the simulator. Hip without a
/// gfx942 device is an error. Sets the device current.
OpenedDevice openDevice(DeviceChoice choice);

} // namespace tlc::hip

#endif // TLC_RUNTIME_HIPTABLE_H
