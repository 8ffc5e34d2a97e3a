//===- DropIn.h - HIP's entry points beyond the table -----------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The entry points that only the drop-in libamdhip64.so has. All complete
// before they return, as those of the table do.
//
// They are what clang's host code and programs written against the runtime API
// call beyond the module API: registration of fat binaries, launches by host
// stub, symbols, managed memory, contexts. Exports.cpp gives each its C name
// and version. Names, types and order of parameters are HIP's ABI and may not
// be changed; a parameter without a name here is not looked at.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_HIP_DROPIN_DROPIN_H
#define TLC_LIB_SIMULATOR_HIP_DROPIN_DROPIN_H

#include "../Device.h"
#include "../EntryPoints.h"

/// Major version of HIP that the library stands for: 5, 6 or 7.
extern "C" const int tlc_hip_major;

namespace tlc::sim::dropin {

using namespace tlc::hip;

/// HIP's dim3, passed by value in the same registers.
struct dim3 {
  uint32_t x, y, z;
};

/// A kernel registered by the program, by the address of its host stub; null
/// if there is none, with the error set.
hipFunction_t findFunction(const void *stub, hipError_t &error);
/// A device variable, by the address of its host shadow.
hipError_t findVariable(const void *shadow, void **address, size_t *bytes);

// Launch.cpp
void **__hipRegisterFatBinary(const void *data);
/// Called by destructors of the program, after main.
void __hipUnregisterFatBinary(void **binary);
/// \p stub is the host function that a launch names, \p name the kernel's
/// symbol in the code object.
void __hipRegisterFunction(void **binary, const void *stub, char *,
                           const char *name, unsigned, void *, void *, void *,
                           void *, int *);
void __hipRegisterVar(void **binary, void *shadow, char *, char *name, int,
                      size_t bytes, int, int);
void __hipRegisterManagedVar(void *binary, void **pointer, void *initial,
                             const char *name, size_t bytes, unsigned);
void __hipRegisterSurface(void **, void *, char *, char *, int, int);
void __hipRegisterTexture(void **, void *, char *, char *, int, int, int);
/// A launch `f<<<...>>>(...)` pushes its configuration and calls the stub,
/// which pops it and calls hipLaunchKernel. By thread.
hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t lds,
                                      hipStream_t stream);
hipError_t __hipPopCallConfiguration(dim3 *grid, dim3 *block, size_t *lds,
                                     hipStream_t *stream);
hipError_t hipLaunchKernel(const void *stub, dim3 grid, dim3 block,
                           void **arguments, size_t lds, hipStream_t stream);
/// Names with _spt use a default stream for each thread, which makes no
/// difference here.
hipError_t hipLaunchKernel_spt(const void *stub, dim3 grid, dim3 block,
                               void **arguments, size_t lds,
                               hipStream_t stream);
/// Records \p start before and \p stop after the launch; either may be null.
hipError_t hipExtLaunchKernel(const void *stub, dim3 grid, dim3 block,
                              void **arguments, size_t lds, hipStream_t stream,
                              hipEvent_t start, hipEvent_t stop, int flags);
/// The grid in work-items. The libraries export them as C++ names, too.
hipError_t hipExtModuleLaunchKernel(hipFunction_t function, uint32_t itemsX,
                                    uint32_t itemsY, uint32_t itemsZ,
                                    uint32_t blockX, uint32_t blockY,
                                    uint32_t blockZ, size_t lds,
                                    hipStream_t stream, void **arguments,
                                    void **extra, hipEvent_t start,
                                    hipEvent_t stop, uint32_t flags);
hipError_t hipHccModuleLaunchKernel(hipFunction_t function, uint32_t itemsX,
                                    uint32_t itemsY, uint32_t itemsZ,
                                    uint32_t blockX, uint32_t blockY,
                                    uint32_t blockZ, size_t lds,
                                    hipStream_t stream, void **arguments,
                                    void **extra, hipEvent_t start,
                                    hipEvent_t stop);
// The mangled names of the two functions above, which hip_ext.h declares as
// C++.
// clang-format off
inline constexpr auto *_Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_j = &hipExtModuleLaunchKernel;
inline constexpr auto *_Z24hipHccModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_ = &hipHccModuleLaunchKernel;
// clang-format on
/// Cooperative launches may use a barrier of the whole grid; one that cannot be
/// resident at once is refused.
hipError_t hipLaunchCooperativeKernel(const void *stub, dim3 grid, dim3 block,
                                      void **arguments, unsigned lds,
                                      hipStream_t stream);
hipError_t hipLaunchCooperativeKernel_spt(const void *stub, dim3 grid,
                                          dim3 block, void **arguments,
                                          unsigned lds, hipStream_t stream);
hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t function,
                                            unsigned gridX, unsigned gridY,
                                            unsigned gridZ, unsigned blockX,
                                            unsigned blockY, unsigned blockZ,
                                            unsigned lds, hipStream_t stream,
                                            void **arguments);
/// Questions about kernels. Cache and bank configurations are accepted and have
/// no effect, as on AMD's hardware.
hipError_t hipGetFuncBySymbol(hipFunction_t *function, const void *stub);
hipError_t hipFuncGetAttributes(void *attributes, const void *stub);
hipError_t hipFuncSetAttribute(const void *stub, int attribute, int value);
hipError_t hipFuncSetCacheConfig(const void *stub, int config);
hipError_t hipFuncSetSharedMemConfig(const void *stub, int config);
/// How many workgroups fit on a compute unit by wavefronts, registers and LDS.
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                        const void *stub,
                                                        int size, size_t lds);
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *stub, int size, size_t lds, unsigned flags);
hipError_t hipOccupancyMaxPotentialBlockSize(int *grid, int *size,
                                             const void *stub, size_t lds,
                                             int limit);
hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
    int *blocks, hipFunction_t function, int size, size_t lds);
hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, hipFunction_t function, int size, size_t lds, unsigned flags);
hipError_t hipModuleOccupancyMaxPotentialBlockSize(int *grid, int *size,
                                                   hipFunction_t function,
                                                   size_t lds, int limit);
hipError_t hipModuleOccupancyMaxPotentialBlockSizeWithFlags(
    int *grid, int *size, hipFunction_t function, size_t lds, int limit,
    unsigned flags);

// Memory.cpp
/// Variables of device code, named by their host shadow. An offset is in bytes.
hipError_t hipGetSymbolAddress(void **address, const void *shadow);
hipError_t hipGetSymbolSize(size_t *bytes, const void *shadow);
hipError_t hipMemcpyToSymbol(const void *shadow, const void *from, size_t bytes,
                             size_t offset, hipMemcpyKind kind);
hipError_t hipMemcpyToSymbolAsync(const void *shadow, const void *from,
                                  size_t bytes, size_t offset,
                                  hipMemcpyKind kind, hipStream_t stream);
hipError_t hipMemcpyFromSymbol(void *to, const void *shadow, size_t bytes,
                               size_t offset, hipMemcpyKind kind);
hipError_t hipMemcpyFromSymbolAsync(void *to, const void *shadow, size_t bytes,
                                    size_t offset, hipMemcpyKind kind,
                                    hipStream_t stream);
hipError_t hipMemcpyToSymbol_spt(const void *shadow, const void *from,
                                 size_t bytes, size_t offset,
                                 hipMemcpyKind kind);
hipError_t hipMemcpyFromSymbol_spt(void *to, const void *shadow, size_t bytes,
                                   size_t offset, hipMemcpyKind kind);
hipError_t hipMemcpyToSymbolAsync_spt(const void *shadow, const void *from,
                                      size_t bytes, size_t offset,
                                      hipMemcpyKind kind, hipStream_t stream);
hipError_t hipMemcpyFromSymbolAsync_spt(void *to, const void *shadow,
                                        size_t bytes, size_t offset,
                                        hipMemcpyKind kind, hipStream_t stream);
/// Pinned and managed memory: host memory that kernels may use by its address.
hipError_t hipMallocManaged(void **pointer, size_t bytes, unsigned flags);
hipError_t hipHostMalloc(void **pointer, size_t bytes, unsigned flags);
hipError_t hipMallocHost(void **pointer, size_t bytes);
hipError_t hipMemAllocHost(void **pointer, size_t bytes);
hipError_t hipHostAlloc(void **pointer, size_t bytes, unsigned flags);
hipError_t hipFreeHost(void *pointer);
hipError_t hipHostRegister(void *pointer, size_t bytes, unsigned flags);
hipError_t hipHostUnregister(void *pointer);
hipError_t hipHostGetDevicePointer(void **device, void *host, unsigned flags);
hipError_t hipHostGetFlags(unsigned *flags, void *host);
/// \p width and pitches are in bytes, \p height in rows.
hipError_t hipMallocPitch(void **pointer, size_t *pitch, size_t width,
                          size_t height);
hipError_t hipMemAllocPitch(void **pointer, size_t *pitch, size_t width,
                            size_t height, unsigned elementSize);
hipError_t hipExtMallocWithFlags(void **pointer, size_t bytes, unsigned flags);
/// Copies of \p height rows of \p width bytes.
hipError_t hipMemcpy2D(void *to, size_t toPitch, const void *from,
                       size_t fromPitch, size_t width, size_t height,
                       hipMemcpyKind kind);
hipError_t hipMemcpy2DAsync(void *to, size_t toPitch, const void *from,
                            size_t fromPitch, size_t width, size_t height,
                            hipMemcpyKind kind, hipStream_t stream);
hipError_t hipMemcpyDtoH(void *to, void *from, size_t bytes);
hipError_t hipMemcpyHtoD(void *to, void *from, size_t bytes);
hipError_t hipMemcpyDtoD(void *to, void *from, size_t bytes);
hipError_t hipMemcpyDtoHAsync(void *to, void *from, size_t bytes,
                              hipStream_t stream);
hipError_t hipMemcpyHtoDAsync(void *to, void *from, size_t bytes,
                              hipStream_t stream);
hipError_t hipMemcpyDtoDAsync(void *to, void *from, size_t bytes,
                              hipStream_t stream);
hipError_t hipMemcpyWithStream(void *to, const void *from, size_t bytes,
                               hipMemcpyKind kind, hipStream_t stream);
hipError_t hipMemcpyPeer(void *to, int toDevice, const void *from,
                         int fromDevice, size_t bytes);
hipError_t hipMemcpyPeerAsync(void *to, int toDevice, const void *from,
                              int fromDevice, size_t bytes, hipStream_t stream);
hipError_t hipMemcpy_spt(void *to, const void *from, size_t bytes,
                         hipMemcpyKind kind);
hipError_t hipMemcpyAsync_spt(void *to, const void *from, size_t bytes,
                              hipMemcpyKind kind, hipStream_t stream);
/// \p count is in elements of the width that the name says.
hipError_t hipMemsetD8(void *to, unsigned char value, size_t count);
hipError_t hipMemsetD16(void *to, unsigned short value, size_t count);
hipError_t hipMemsetD32(void *to, int value, size_t count);
hipError_t hipMemsetD8Async(void *to, unsigned char value, size_t count,
                            hipStream_t stream);
hipError_t hipMemsetD16Async(void *to, unsigned short value, size_t count,
                             hipStream_t stream);
hipError_t hipMemsetD32Async(void *to, int value, size_t count,
                             hipStream_t stream);
hipError_t hipMemset2D(void *to, size_t pitch, int value, size_t width,
                       size_t height);
hipError_t hipMemset2DAsync(void *to, size_t pitch, int value, size_t width,
                            size_t height, hipStream_t stream);
hipError_t hipMemset_spt(void *to, int value, size_t bytes);
hipError_t hipMemsetAsync_spt(void *to, int value, size_t bytes,
                              hipStream_t stream);
hipError_t hipMemset2D_spt(void *to, size_t pitch, int value, size_t width,
                           size_t height);
hipError_t hipMemset2DAsync_spt(void *to, size_t pitch, int value, size_t width,
                                size_t height, hipStream_t stream);
/// Hints and questions; the pointer must lie in a live allocation.
hipError_t hipMemPrefetchAsync(const void *pointer, size_t bytes, int device,
                               hipStream_t stream);
hipError_t hipMemAdvise(const void *pointer, size_t bytes, int advice,
                        int device);
hipError_t hipPointerGetAttributes(void *attributes, const void *pointer);
hipError_t hipMemGetAddressRange(void **base, size_t *bytes, void *pointer);
hipError_t hipMemPtrGetInfo(void *pointer, size_t *bytes);

// Devices.cpp
hipError_t hipDriverGetVersion(int *version);
hipError_t hipRuntimeGetVersion(int *version);
hipError_t hipGetDeviceProperties(void *properties, int device);
hipError_t hipGetDevicePropertiesR0000(void *properties, int device);
/// Callbacks run at once, on the calling thread, as all work before them is
/// done.
hipError_t hipStreamCreateWithPriority(hipStream_t *stream, unsigned flags,
                                       int priority);
hipError_t hipStreamAddCallback(hipStream_t stream,
                                void (*callback)(hipStream_t, hipError_t,
                                                 void *),
                                void *data, unsigned flags);
hipError_t hipStreamAddCallback_spt(hipStream_t stream,
                                    void (*callback)(hipStream_t, hipError_t,
                                                     void *),
                                    void *data, unsigned flags);
hipError_t hipLaunchHostFunc(hipStream_t stream, void (*function)(void *),
                             void *data);
hipError_t hipLaunchHostFunc_spt(hipStream_t stream, void (*function)(void *),
                                 void *data);
hipError_t hipStreamGetFlags(hipStream_t stream, unsigned *flags);
hipError_t hipStreamGetPriority(hipStream_t stream, int *priority);
hipError_t hipStreamGetFlags_spt(hipStream_t stream, unsigned *flags);
hipError_t hipStreamGetPriority_spt(hipStream_t stream, int *priority);
hipError_t hipDeviceGetStreamPriorityRange(int *least, int *greatest);
hipError_t hipStreamSynchronize_spt(hipStream_t stream);
hipError_t hipStreamQuery_spt(hipStream_t stream);
/// Device 0 is the only one; there is no peer.
hipError_t hipDeviceGet(int *device, int ordinal);
hipError_t hipDeviceGetUuid(void *uuid, int device);
hipError_t hipDeviceGetPCIBusId(char *id, int length, int device);
hipError_t hipDeviceGetByPCIBusId(int *device, const char *id);
hipError_t hipDeviceComputeCapability(int *major, int *minor, int device);
hipError_t hipDeviceCanAccessPeer(int *can, int device, int peer);
hipError_t hipDeviceEnablePeerAccess(int peer, unsigned flags);
hipError_t hipDeviceDisablePeerAccess(int peer);
hipError_t hipDeviceGetLimit(size_t *value, int limit);
hipError_t hipDeviceSetLimit(int limit, size_t value);
hipError_t hipDeviceSetCacheConfig(int config);
hipError_t hipDeviceGetCacheConfig(int *config);
hipError_t hipDeviceSetSharedMemConfig(int config);
hipError_t hipDeviceGetSharedMemConfig(int *config);
hipError_t hipSetDeviceFlags(unsigned flags);
hipError_t hipGetDeviceFlags(unsigned *flags);
hipError_t hipChooseDevice(int *device, const void *properties);
hipError_t hipChooseDeviceR0000(int *device, const void *properties);
hipError_t hipChooseDeviceR0600(int *device, const void *properties);
/// Contexts of the deprecated driver API: one token stands for all.
hipError_t hipCtxCreate(void **context, unsigned flags, int device);
hipError_t hipCtxDestroy(void *context);
hipError_t hipCtxSetCurrent(void *context);
hipError_t hipCtxGetCurrent(void **context);
hipError_t hipCtxSynchronize();
hipError_t hipCtxGetDevice(int *device);
hipError_t hipCtxPushCurrent(void *context);
hipError_t hipCtxPopCurrent(void **context);
hipError_t hipDevicePrimaryCtxRetain(void **context, int device);
hipError_t hipDevicePrimaryCtxRelease(int device);
hipError_t hipDevicePrimaryCtxGetState(int device, unsigned *flags,
                                       int *active);
hipError_t hipDrvGetErrorName(hipError_t error, const char **name);
hipError_t hipDrvGetErrorString(hipError_t error, const char **text);
hipError_t hipProfilerStart();
hipError_t hipProfilerStop();

} // namespace tlc::sim::dropin

#include "Extended.h"
#include "Graph.h"

#endif // TLC_LIB_SIMULATOR_HIP_DROPIN_DROPIN_H
