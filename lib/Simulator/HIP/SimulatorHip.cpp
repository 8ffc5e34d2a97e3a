//===- SimulatorHip.cpp - HIP's entry points, simulated -------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table that `simulatorHip` hands out. Each function does its work before
// it returns, which is a legal way for HIP to behave; streams and events order
// nothing.
//
//===----------------------------------------------------------------------===//

#include "Device.h"
#include "EntryPoints.h"

#include <cstring>
#include <utility>

using namespace tlc;
using namespace tlc::sim;
using namespace tlc::hip;

namespace tlc::sim::entry {

//===--- Device -----------------------------------------------------------===//

constexpr int hipVersion = 60443483; // as HIP 6.4 counts

/// record() keeps an error for hipGetLastError and returns it.
hipError_t hipInit(unsigned flags) {
  return record(flags ? hipErrorInvalidValue : hipSuccess);
}
hipError_t hipDriverGetVersion(int *version) {
  if (!version)
    return record(hipErrorInvalidValue);
  *version = hipVersion;
  return hipSuccess;
}
hipError_t hipRuntimeGetVersion(int *version) {
  return hipDriverGetVersion(version);
}
/// There is one device, number 0.
hipError_t hipGetDeviceCount(int *count) {
  if (!count)
    return record(hipErrorInvalidValue);
  *count = 1;
  return hipSuccess;
}
hipError_t hipSetDevice(int device) {
  return record(device ? hipErrorInvalidDevice : hipSuccess);
}
hipError_t hipGetDevice(int *device) {
  if (!device)
    return record(hipErrorInvalidValue);
  *device = 0;
  return hipSuccess;
}
/// Cut to \p length, always terminated.
hipError_t hipDeviceGetName(char *name, int length, hipDevice_t device) {
  if (device != 0)
    return record(hipErrorInvalidDevice);
  if (!name || length <= 0)
    return record(hipErrorInvalidValue);
  std::strncpy(name, deviceName, length);
  name[length - 1] = 0;
  return hipSuccess;
}
hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t attribute,
                                 int device) {
  if (device != 0)
    return record(hipErrorInvalidDevice);
  if (!value || !attributeValue(attribute, *value))
    return record(hipErrorInvalidValue);
  return hipSuccess;
}
hipError_t hipDeviceTotalMem(size_t *bytes, hipDevice_t device) {
  if (device != 0)
    return record(hipErrorInvalidDevice);
  if (!bytes)
    return record(hipErrorInvalidValue);
  *bytes = sim::device().memory.capacity();
  return hipSuccess;
}
/// What a synchronisation finds.
/// A fault of a kernel is reported once, at the first synchronisation after it,
/// as on a device that runs on its own.
static hipError_t takeFault() {
  return record(
      static_cast<hipError_t>(device().pendingFault.exchange(hipSuccess)));
}
hipError_t hipDeviceSynchronize() { return takeFault(); }
// Memory and modules stay: nothing of a finished launch is left to reset.
hipError_t hipDeviceReset() { return hipSuccess; }
/// By thread. Peek leaves it, Get clears it.
hipError_t hipGetLastError() { return std::exchange(lastError(), hipSuccess); }
hipError_t hipPeekAtLastError() { return lastError(); }

const char *hipGetErrorName(hipError_t error) {
  switch (error) {
  case hipSuccess:
    return "hipSuccess";
// One list (names, numbers, texts) serves both functions.
#define TLC_HIP_ERROR(name, value, text)                                       \
  case hipError##name:                                                         \
    return "hipError" #name;
    TLC_HIP_ERRORS(TLC_HIP_ERROR)
#undef TLC_HIP_ERROR
  }
  return "hipErrorUnknown";
}
const char *hipGetErrorString(hipError_t error) {
  switch (error) {
  case hipSuccess:
    return "no error";
#define TLC_HIP_ERROR(name, value, text)                                       \
  case hipError##name:                                                         \
    return text;
    TLC_HIP_ERRORS(TLC_HIP_ERROR)
#undef TLC_HIP_ERROR
  }
  return "unknown error";
}

/// The structure changed with HIP 6; programs compiled for either call the
/// function of their layout.
hipError_t hipGetDevicePropertiesR0600(void *properties, int device) {
  if (device != 0)
    return record(hipErrorInvalidDevice);
  if (!properties)
    return record(hipErrorInvalidValue);
  fillProperties(properties, PropertiesLayout::R0600);
  return hipSuccess;
}
hipError_t hipGetDevicePropertiesR0000(void *properties, int device) {
  if (device != 0)
    return record(hipErrorInvalidDevice);
  if (!properties)
    return record(hipErrorInvalidValue);
  fillProperties(properties, PropertiesLayout::R0000);
  return hipSuccess;
}

//===--- Memory -----------------------------------------------------------===//

/// An allocation of no bytes is null and succeeds, as in HIP.
static hipError_t allocate(void **pointer, size_t bytes, AllocationKind kind) {
  if (!pointer)
    return record(hipErrorInvalidValue);
  *pointer = nullptr;
  if (bytes == 0)
    return hipSuccess;
  const Allocation *allocation = device().memory.allocate(bytes, kind);
  if (!allocation)
    return record(hipErrorOutOfMemory);
  *pointer = reinterpret_cast<void *>(allocation->base);
  return hipSuccess;
}
/// Only the base of a live allocation of this kind can be freed.
static hipError_t release(void *pointer, AllocationKind kind) {
  if (!pointer)
    return hipSuccess;
  uint64_t base = reinterpret_cast<uint64_t>(pointer);
  Allocation found;
  DeviceMemory &memory = device().memory;
  if (!memory.lookup(base, found) || found.base != base || found.kind != kind ||
      !memory.release(base))
    return record(hipErrorInvalidValue);
  return hipSuccess;
}

/// Addresses are host addresses, usable on both sides; the kind only says what
/// HIP would have made of them.
hipError_t hipMalloc(void **pointer, size_t bytes) {
  return allocate(pointer, bytes, AllocationKind::Device);
}
/// The failed first attempt must not leave its error behind.
hipError_t hipFree(void *pointer) {
  if (release(pointer, AllocationKind::Device) == hipSuccess)
    return hipSuccess;
  // Managed memory is host memory here, and hipFree frees it, too.
  hipError_t before = lastError();
  hipError_t error = release(pointer, AllocationKind::Host);
  if (error == hipSuccess && before == hipErrorInvalidValue)
    lastError() = hipSuccess;
  return error;
}
hipError_t hipHostMalloc(void **pointer, size_t bytes, unsigned) {
  return allocate(pointer, bytes, AllocationKind::Host);
}
hipError_t hipHostFree(void *pointer) {
  return release(pointer, AllocationKind::Host);
}
/// The capacity is that of the device, not of the host.
hipError_t hipMemGetInfo(size_t *free, size_t *total) {
  DeviceMemory &memory = device().memory;
  if (free)
    *free = memory.capacity() - memory.used();
  if (total)
    *total = memory.capacity();
  return hipSuccess;
}

/// A range that touches device memory must lie in one live allocation.
static bool rangeOk(const void *pointer, size_t bytes, bool mustBeDevice) {
  Allocation found;
  if (!device().memory.lookup(reinterpret_cast<uint64_t>(pointer), found))
    return !mustBeDevice;
  return !found.freed &&
         found.contains(reinterpret_cast<uint64_t>(pointer), bytes);
}

hipError_t hipMemcpy(void *to, const void *from, size_t bytes,
                     hipMemcpyKind kind) {
  // Nothing to do is no error, whatever the pointers.
  if (bytes == 0)
    return hipSuccess;
  if (!to || !from)
    return record(hipErrorInvalidValue);
  if (kind < hipMemcpyHostToHost || kind > hipMemcpyDefault)
    return record(hipErrorInvalidMemcpyDirection);
  // The kind is believed: a side that it calls device memory must be some. The
  // other may be either.
  bool toDevice =
      kind == hipMemcpyHostToDevice || kind == hipMemcpyDeviceToDevice;
  bool fromDevice =
      kind == hipMemcpyDeviceToHost || kind == hipMemcpyDeviceToDevice;
  if (!rangeOk(to, bytes, toDevice) || !rangeOk(from, bytes, fromDevice))
    return record(hipErrorInvalidValue);
  // Device addresses are host addresses.
  std::memmove(to, from, bytes);
  // What the host wrote is defined, also where it copied from undefined bytes.
  device().memory.writtenBytes().mark(reinterpret_cast<uint64_t>(to), bytes);
  return hipSuccess;
}
hipError_t hipMemcpyAsync(void *to, const void *from, size_t bytes,
                          hipMemcpyKind kind, hipStream_t stream) {
  if (!device().isStream(stream))
    return record(hipErrorContextIsDestroyed);
  return hipMemcpy(to, from, bytes, kind);
}
hipError_t hipMemset(void *to, int byte, size_t bytes) {
  if (bytes == 0)
    return hipSuccess;
  if (!to || !rangeOk(to, bytes, true))
    return record(hipErrorInvalidValue);
  std::memset(to, byte, bytes);
  device().memory.writtenBytes().mark(reinterpret_cast<uint64_t>(to), bytes);
  return hipSuccess;
}
hipError_t hipMemsetAsync(void *to, int byte, size_t bytes,
                          hipStream_t stream) {
  if (!device().isStream(stream))
    return record(hipErrorContextIsDestroyed);
  return hipMemset(to, byte, bytes);
}

//===--- Streams and events -----------------------------------------------===//

/// Flag 1 is "non-blocking", without effect here. The handle is owned by the
/// device until destroyed.
hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned flags) {
  if (!stream || flags > 1)
    return record(hipErrorInvalidValue);
  *stream = new ihipStream_t{flags, 0};
  Device &d = device();
  std::lock_guard lock(d.mutex);
  d.streams.insert(*stream);
  return hipSuccess;
}
hipError_t hipStreamCreate(hipStream_t *stream) {
  return hipStreamCreateWithFlags(stream, 0);
}
hipError_t hipStreamDestroy(hipStream_t stream) {
  Device &d = device();
  std::lock_guard lock(d.mutex);
  if (!stream)
    return record(hipErrorInvalidHandle);
  if (!d.streams.erase(stream))
    return record(hipErrorContextIsDestroyed);
  delete stream;
  return hipSuccess;
}
/// Null is the default stream and valid. The code for one that is not, or not
/// any more, is HIP's.
static hipError_t checkStream(hipStream_t stream) {
  return device().isStream(stream) ? hipSuccess
                                   : record(hipErrorContextIsDestroyed);
}
hipError_t hipStreamSynchronize(hipStream_t stream) {
  hipError_t error = checkStream(stream);
  return error ? error : takeFault();
}
/// All work is done by the time anyone can ask.
hipError_t hipStreamQuery(hipStream_t stream) { return checkStream(stream); }

/// Handles come from the program and may be anything.
static bool isEvent(hipEvent_t event) {
  Device &d = device();
  std::lock_guard lock(d.mutex);
  return d.events.count(event) != 0;
}
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned) {
  if (!isEvent(event) || !device().isStream(stream))
    return record(hipErrorInvalidHandle);
  return hipSuccess;
}
// The flags matter only for disableTiming, below.
hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned flags) {
  if (!event)
    return record(hipErrorInvalidValue);
  *event = new ihipEvent_t();
  (*event)->flags = flags;
  Device &d = device();
  std::lock_guard lock(d.mutex);
  d.events.insert(*event);
  return hipSuccess;
}
hipError_t hipEventCreate(hipEvent_t *event) {
  return hipEventCreateWithFlags(event, 0);
}
hipError_t hipEventDestroy(hipEvent_t event) {
  Device &d = device();
  std::lock_guard lock(d.mutex);
  if (!d.events.erase(event))
    return record(hipErrorInvalidHandle);
  delete event;
  return hipSuccess;
}
/// Takes the host's time, at which all earlier work is complete.
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
  if (!isEvent(event))
    return record(hipErrorInvalidHandle);
  if (hipError_t error = checkStream(stream))
    return error;
  event->recorded = true;
  event->time = std::chrono::steady_clock::now();
  return hipSuccess;
}
hipError_t hipEventQuery(hipEvent_t event) {
  return isEvent(event) ? hipSuccess : record(hipErrorInvalidHandle);
}
hipError_t hipEventSynchronize(hipEvent_t event) {
  hipError_t error = hipEventQuery(event);
  return error ? error : takeFault();
}
/// Host time between the two records; modelled time is in the launch's result.
hipError_t hipEventElapsedTime(float *milliseconds, hipEvent_t start,
                               hipEvent_t stop) {
  constexpr unsigned disableTiming = 2;
  if (!milliseconds)
    return record(hipErrorInvalidValue);
  if (!isEvent(start) || !isEvent(stop) || !start->recorded ||
      !stop->recorded || ((start->flags | stop->flags) & disableTiming))
    return record(hipErrorInvalidHandle);
  *milliseconds =
      std::chrono::duration<float, std::milli>(stop->time - start->time)
          .count();
  return hipSuccess;
}

} // namespace tlc::sim::entry

/// One function pointer for each entry of TLC_HIP_FUNCTIONS; the caller cannot
/// tell it from a table filled from libamdhip64, save by `simulated`.
const HIPTable &tlc::sim::simulatorHip() {
  static const HIPTable table = [] {
    HIPTable t;
#define TLC_HIP_FILL(name, parameters) t.name = entry::name;
    TLC_HIP_FUNCTIONS(TLC_HIP_FILL)
#undef TLC_HIP_FILL
    t.hipGetErrorName = entry::hipGetErrorName;
    t.hipGetErrorString = entry::hipGetErrorString;
    t.hipGetDevicePropertiesR0600 = entry::hipGetDevicePropertiesR0600;
    t.hipGetDevicePropertiesR0000 = entry::hipGetDevicePropertiesR0000;
    t.simulated = true;
    t.provider = "built-in simulator";
    return t;
  }();
  return table;
}
