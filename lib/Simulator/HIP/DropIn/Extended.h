//===- Extended.h - Entry points with structures ----------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Structures as HIP's headers lay them out, and the entry points of
// Extended.cpp and Volumes.cpp. Sizes are from the headers of HIP 7.2.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_HIP_DROPIN_EXTENDED_H
#define TLC_LIB_SIMULATOR_HIP_DROPIN_EXTENDED_H

#include <cstddef>
#include <cstdint>

namespace tlc::sim::dropin {

/// One property of a launch (hipLaunchAttribute): a kind and a union of 64
/// bytes, of which only numbers are looked at.
struct LaunchAttribute {
  uint32_t id, pad;
  int value; ///< of the kinds with a number
  char rest[60];
};
static_assert(sizeof(LaunchAttribute) == 72);
struct LaunchConfig { ///< hipLaunchConfig_t
  dim3 grid, block;
  size_t lds;
  hipStream_t stream;
  const LaunchAttribute *attributes;
  unsigned count;
};
struct DriverLaunchConfig { ///< HIP_LAUNCH_CONFIG
  dim3 grid, block;
  unsigned lds;
  hipStream_t stream;
  const LaunchAttribute *attributes;
  unsigned count;
};
static_assert(sizeof(LaunchConfig) == 56 && sizeof(DriverLaunchConfig) == 56);

/// Offsets in a volume: x in bytes, y in rows, z in slices.
struct Position {
  size_t x, y, z;
};
struct Extent {
  size_t width, height, depth; ///< bytes, rows, slices
};
/// A volume: slice z begins z * ySize rows of \p pitch bytes after the first.
struct PitchedPointer {
  void *pointer;
  size_t pitch, xSize, ySize;
};
struct Copy3D { ///< hipMemcpy3DParms
  void *fromArray;
  Position fromAt;
  PitchedPointer from;
  void *toArray;
  Position toAt;
  PitchedPointer to;
  Extent extent;
  hipMemcpyKind kind;
};
static_assert(sizeof(Copy3D) == 160);
struct Copy2D { ///< hip_Memcpy2D
  struct End {
    size_t x, y; ///< x in bytes
    int memoryType;
    void *host, *onDevice, *array;
    size_t pitch;
  } from, to;
  size_t width, height;
};
static_assert(sizeof(Copy2D) == 128);
/// Where memory should be moved; there is only one place here.
struct MemoryLocation {
  int type, id;
};

// Extended.cpp
/// Launches described by a structure, by host stub and by function.
hipError_t hipLaunchKernelExC(const LaunchConfig *config, const void *stub,
                              void **arguments);
hipError_t hipDrvLaunchKernelEx(const DriverLaunchConfig *config,
                                hipFunction_t function, void **arguments,
                                void **extra);
/// Modules under further names. A library is a module whose kernels can be
/// listed; options of a just-in-time compiler are not looked at.
hipError_t hipModuleLoadFatBinary(hipModule_t *module, const void *binary);
hipError_t hipModuleGetFunctionCount(unsigned *count, hipModule_t module);
hipError_t hipLibraryLoadData(hipModule_t *library, const void *code, void *,
                              void **, unsigned, void *, void **, unsigned);
hipError_t hipLibraryLoadFromFile(hipModule_t *library, const char *path,
                                  void *, void **, unsigned, void *, void **,
                                  unsigned);
hipError_t hipLibraryUnload(hipModule_t library);
hipError_t hipLibraryGetKernel(hipFunction_t *kernel, hipModule_t library,
                               const char *name);
hipError_t hipLibraryGetKernelCount(unsigned *count, hipModule_t library);
hipError_t hipLibraryEnumerateKernels(hipFunction_t *kernels, unsigned most,
                                      hipModule_t library);
hipError_t hipKernelGetName(const char **name, hipFunction_t kernel);
hipError_t hipKernelGetLibrary(hipModule_t *library, hipFunction_t kernel);
/// An entry point of this library by name; \p status is 0 if it was found.
hipError_t hipGetProcAddress(const char *name, void **function, int version,
                             uint64_t flags, int *status);
hipError_t hipGetDriverEntryPoint(const char *name, void **function,
                                  unsigned long long flags, int *status);
hipError_t hipGetDriverEntryPoint_spt(const char *name, void **function,
                                      unsigned long long flags, int *status);
/// Questions about streams, and values written in their order, which is at
/// once.
hipError_t hipStreamGetId(hipStream_t stream, unsigned long long *id);
hipError_t hipStreamGetDevice(hipStream_t stream, int *ordinal);
hipError_t hipStreamAttachMemAsync(hipStream_t stream, void *pointer,
                                   size_t bytes, unsigned flags);
hipError_t hipStreamWriteValue32(hipStream_t stream, void *pointer,
                                 uint32_t value, unsigned flags);
hipError_t hipStreamWriteValue64(hipStream_t stream, void *pointer,
                                 uint64_t value, unsigned flags);

// Volumes.cpp
/// Volumes: extents and pitches as above. Copies from and to arrays are not
/// supported.
hipError_t hipMalloc3D(PitchedPointer *pointer, Extent extent);
hipError_t hipMemset3D(PitchedPointer to, int value, Extent extent);
hipError_t hipMemset3DAsync(PitchedPointer to, int value, Extent extent,
                            hipStream_t stream);
hipError_t hipMemcpy3D(const Copy3D *copy);
hipError_t hipMemcpy3DAsync(const Copy3D *copy, hipStream_t stream);
hipError_t hipMemcpy3D_spt(const Copy3D *copy);
hipError_t hipMemcpy3DAsync_spt(const Copy3D *copy, hipStream_t stream);
hipError_t hipMemcpy2D_spt(void *to, size_t toPitch, const void *from,
                           size_t fromPitch, size_t width, size_t height,
                           hipMemcpyKind kind);
hipError_t hipMemcpy2DAsync_spt(void *to, size_t toPitch, const void *from,
                                size_t fromPitch, size_t width, size_t height,
                                hipMemcpyKind kind, hipStream_t stream);
/// The driver API's copies and fills of rectangles; widths of fills are in
/// elements.
hipError_t hipMemcpyParam2D(const Copy2D *copy);
hipError_t hipMemcpyParam2DAsync(const Copy2D *copy, hipStream_t stream);
hipError_t hipMemsetD2D8(void *to, size_t pitch, unsigned char value,
                         size_t width, size_t height);
hipError_t hipMemsetD2D16(void *to, size_t pitch, unsigned short value,
                          size_t width, size_t height);
hipError_t hipMemsetD2D32(void *to, size_t pitch, unsigned value, size_t width,
                          size_t height);
hipError_t hipMemsetD2D8Async(void *to, size_t pitch, unsigned char value,
                              size_t width, size_t height, hipStream_t stream);
hipError_t hipMemsetD2D16Async(void *to, size_t pitch, unsigned short value,
                               size_t width, size_t height, hipStream_t stream);
hipError_t hipMemsetD2D32Async(void *to, size_t pitch, unsigned value,
                               size_t width, size_t height, hipStream_t stream);
hipError_t hipMemPrefetchAsync_v2(const void *pointer, size_t bytes,
                                  MemoryLocation location, unsigned flags,
                                  hipStream_t stream);
hipError_t hipMemAdvise_v2(const void *pointer, size_t bytes, int advice,
                           MemoryLocation location);

} // namespace tlc::sim::dropin

#endif // TLC_LIB_SIMULATOR_HIP_DROPIN_EXTENDED_H
