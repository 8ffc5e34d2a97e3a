//===- Devices.cpp - Devices, contexts, streams ---------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One device, one context. Settings that a simulator has no use for are
// accepted and kept where they can be asked for.
//
//===----------------------------------------------------------------------===//

#include "DropIn.h"

#include <cstdio>
#include <cstring>

using namespace tlc;
using namespace tlc::sim;
using namespace tlc::hip;

namespace tlc::sim::dropin {

/// Device 0 is the only one.
static hipError_t onlyDevice(int device) {
  return device == 0 ? hipSuccess : hipErrorInvalidDevice;
}

/// The version of the library that is stood in for, which programs compare with
/// the one they were built for.
hipError_t hipDriverGetVersion(int *version) {
  if (!version)
    return hipErrorInvalidValue;
  // Major times 10^7, minor times 10^5, patch.
  *version = tlc_hip_major == 5   ? 50221153
             : tlc_hip_major == 6 ? 60443483
                                  : 70051831;
  return hipSuccess;
}
hipError_t hipRuntimeGetVersion(int *version) {
  return hipDriverGetVersion(version);
}

hipError_t hipGetDevicePropertiesR0000(void *properties, int device) {
  return entry::hipGetDevicePropertiesR0000(properties, device);
}
/// The unversioned name has the layout of HIP 5.
hipError_t hipGetDeviceProperties(void *properties, int device) {
  return entry::hipGetDevicePropertiesR0000(properties, device);
}

//===--- Streams ----------------------------------------------------------===//

/// Priorities are kept to be asked for; nothing runs ahead of anything.
hipError_t hipStreamCreateWithPriority(hipStream_t *stream, unsigned flags,
                                       int priority) {
  hipError_t error = entry::hipStreamCreateWithFlags(stream, flags);
  if (!error)
    (*stream)->priority = priority < -1 ? -1 : priority > 1 ? 1 : priority;
  return error;
}
/// All work is done: the callback runs now, on this thread.
hipError_t hipStreamAddCallback(hipStream_t stream,
                                void (*callback)(hipStream_t, hipError_t,
                                                 void *),
                                void *data, unsigned) {
  if (!callback)
    return hipErrorInvalidValue;
  if (hipError_t error = entry::hipStreamQuery(stream))
    return error;
  callback(stream, hipSuccess, data);
  return hipSuccess;
}
hipError_t hipLaunchHostFunc(hipStream_t stream, void (*function)(void *),
                             void *data) {
  if (!function)
    return hipErrorInvalidValue;
  if (hipError_t error = entry::hipStreamQuery(stream))
    return error;
  function(data);
  return hipSuccess;
}
hipError_t hipStreamAddCallback_spt(hipStream_t stream,
                                    void (*callback)(hipStream_t, hipError_t,
                                                     void *),
                                    void *data, unsigned flags) {
  return hipStreamAddCallback(stream, callback, data, flags);
}
hipError_t hipLaunchHostFunc_spt(hipStream_t stream, void (*function)(void *),
                                 void *data) {
  return hipLaunchHostFunc(stream, function, data);
}
/// Null, and the two special handles 1 (legacy) and 2 (per thread), are no
/// objects.
static bool isDefault(hipStream_t stream) {
  return reinterpret_cast<uintptr_t>(stream) <= 2;
}
hipError_t hipStreamGetFlags(hipStream_t stream, unsigned *flags) {
  if (hipError_t error = entry::hipStreamQuery(stream))
    return error;
  if (!flags)
    return hipErrorInvalidValue;
  *flags = isDefault(stream) ? 0 : stream->flags;
  return hipSuccess;
}
hipError_t hipStreamGetPriority(hipStream_t stream, int *priority) {
  if (hipError_t error = entry::hipStreamQuery(stream))
    return error;
  if (!priority)
    return hipErrorInvalidValue;
  *priority = isDefault(stream) ? 0 : stream->priority;
  return hipSuccess;
}
hipError_t hipStreamGetFlags_spt(hipStream_t stream, unsigned *flags) {
  return hipStreamGetFlags(stream, flags);
}
hipError_t hipStreamGetPriority_spt(hipStream_t stream, int *priority) {
  return hipStreamGetPriority(stream, priority);
}
hipError_t hipDeviceGetStreamPriorityRange(int *least, int *greatest) {
  if (least)
    *least = 1;
  if (greatest)
    *greatest = -1;
  return hipSuccess;
}
hipError_t hipStreamSynchronize_spt(hipStream_t stream) {
  return entry::hipStreamSynchronize(stream);
}
hipError_t hipStreamQuery_spt(hipStream_t stream) {
  return entry::hipStreamQuery(stream);
}

//===--- Devices ----------------------------------------------------------===//

constexpr const char *busId = "0000:01:00.0";

hipError_t hipDeviceGet(int *device, int ordinal) {
  if (!device)
    return hipErrorInvalidValue;
  *device = 0;
  return onlyDevice(ordinal);
}
/// Made up, the same in every process.
hipError_t hipDeviceGetUuid(void *uuid, int device) {
  if (!uuid)
    return hipErrorInvalidValue;
  std::memcpy(uuid, "tlc-sim-gfx942\0\0", 16);
  return onlyDevice(device);
}
hipError_t hipDeviceGetPCIBusId(char *id, int length, int device) {
  if (!id || length <= 0)
    return hipErrorInvalidValue;
  std::snprintf(id, size_t(length), "%s", busId);
  return onlyDevice(device);
}
hipError_t hipDeviceGetByPCIBusId(int *device, const char *id) {
  if (!device || !id)
    return hipErrorInvalidValue;
  *device = 0;
  return std::strcmp(id, busId) ? hipErrorInvalidValue : hipSuccess;
}
hipError_t hipDeviceComputeCapability(int *major, int *minor, int device) {
  if (!major || !minor)
    return hipErrorInvalidValue;
  *major = 9;
  *minor = 4;
  return onlyDevice(device);
}
/// Only a device with itself, which is no peer.
hipError_t hipDeviceCanAccessPeer(int *can, int device, int peer) {
  if (!can)
    return hipErrorInvalidValue;
  *can = 0;
  return device == 0 && peer == 0 ? hipSuccess : hipErrorInvalidDevice;
}
hipError_t hipDeviceEnablePeerAccess(int, unsigned) {
  return hipErrorInvalidDevice;
}
hipError_t hipDeviceDisablePeerAccess(int) {
  return hipErrorPeerAccessNotEnabled;
}
/// Bytes of stack for a work-item, of the printf buffer and of the device heap.
hipError_t hipDeviceGetLimit(size_t *value, int limit) {
  constexpr int stackSize = 0, printfSize = 1, heapSize = 2;
  if (!value)
    return hipErrorInvalidValue;
  switch (limit) {
  case stackSize:
    *value = 8192;
    return hipSuccess;
  case printfSize:
  case heapSize:
    *value = 4 << 20;
    return hipSuccess;
  }
  return hipErrorUnsupportedLimit;
}
hipError_t hipDeviceSetLimit(int limit, size_t) {
  return limit >= 0 && limit <= 2 ? hipSuccess : hipErrorUnsupportedLimit;
}
static int cacheConfig = 0, sharedConfig = 0;
static unsigned deviceFlags = 0;
hipError_t hipDeviceSetCacheConfig(int config) {
  cacheConfig = config;
  return hipSuccess;
}
hipError_t hipDeviceGetCacheConfig(int *config) {
  if (!config)
    return hipErrorInvalidValue;
  *config = cacheConfig;
  return hipSuccess;
}
hipError_t hipDeviceSetSharedMemConfig(int config) {
  sharedConfig = config;
  return hipSuccess;
}
hipError_t hipDeviceGetSharedMemConfig(int *config) {
  if (!config)
    return hipErrorInvalidValue;
  *config = sharedConfig;
  return hipSuccess;
}
hipError_t hipSetDeviceFlags(unsigned flags) {
  deviceFlags = flags;
  return hipSuccess;
}
hipError_t hipGetDeviceFlags(unsigned *flags) {
  if (!flags)
    return hipErrorInvalidValue;
  *flags = deviceFlags;
  return hipSuccess;
}
/// There is nothing to choose from.
hipError_t hipChooseDevice(int *device, const void *properties) {
  if (!device || !properties)
    return hipErrorInvalidValue;
  *device = 0;
  return hipSuccess;
}
hipError_t hipChooseDeviceR0000(int *device, const void *properties) {
  return hipChooseDevice(device, properties);
}
hipError_t hipChooseDeviceR0600(int *device, const void *properties) {
  return hipChooseDevice(device, properties);
}

//===--- Contexts ---------------------------------------------------------===//

// Contexts are one address, whoever asks.
static char theContext;
hipError_t hipCtxCreate(void **context, unsigned, int device) {
  if (!context)
    return hipErrorInvalidValue;
  *context = &theContext;
  return onlyDevice(device);
}
static hipError_t checkContext(void *context) {
  return context == &theContext || !context ? hipSuccess
                                            : hipErrorInvalidContext;
}
hipError_t hipCtxDestroy(void *context) {
  return context ? checkContext(context) : hipErrorInvalidValue;
}
hipError_t hipCtxSetCurrent(void *context) { return checkContext(context); }
hipError_t hipCtxGetCurrent(void **context) {
  if (!context)
    return hipErrorInvalidValue;
  *context = &theContext;
  return hipSuccess;
}
hipError_t hipCtxSynchronize() { return hipSuccess; }
hipError_t hipCtxGetDevice(int *device) { return entry::hipGetDevice(device); }
hipError_t hipCtxPushCurrent(void *context) { return checkContext(context); }
hipError_t hipCtxPopCurrent(void **context) {
  if (context)
    *context = &theContext;
  return hipSuccess;
}
hipError_t hipDevicePrimaryCtxRetain(void **context, int device) {
  return hipCtxCreate(context, 0, device);
}
hipError_t hipDevicePrimaryCtxRelease(int device) { return onlyDevice(device); }
hipError_t hipDevicePrimaryCtxGetState(int device, unsigned *flags,
                                       int *active) {
  if (!flags || !active)
    return hipErrorInvalidValue;
  *flags = deviceFlags;
  *active = 1;
  return onlyDevice(device);
}

hipError_t hipDrvGetErrorName(hipError_t error, const char **name) {
  if (!name)
    return hipErrorInvalidValue;
  *name = entry::hipGetErrorName(error);
  return hipSuccess;
}
hipError_t hipDrvGetErrorString(hipError_t error, const char **text) {
  if (!text)
    return hipErrorInvalidValue;
  *text = entry::hipGetErrorString(error);
  return hipSuccess;
}
/// There is no profiler to start or to stop.
hipError_t hipProfilerStart() { return hipErrorNotSupported; }
hipError_t hipProfilerStop() { return hipErrorNotSupported; }

} // namespace tlc::sim::dropin
