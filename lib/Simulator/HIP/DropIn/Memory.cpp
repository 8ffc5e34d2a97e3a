//===- Memory.cpp - Memory beyond the table's functions -------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory functions beside those of the table, by way of it: asynchronous forms
// complete at once, pinned and managed memory is host memory, and pitches are
// multiples of 256 bytes.
//
// Streams are looked at only where the table's function does. All errors are
// HIP's, so that a program's own checks work.
//
//===----------------------------------------------------------------------===//

#include "DropIn.h"

#include <cstring>
#include <map>
#include <mutex>

using namespace tlc;
using namespace tlc::sim;
using namespace tlc::hip;

namespace tlc::sim::dropin {

/// Finding the variable loads its code object if need be.
hipError_t hipGetSymbolAddress(void **address, const void *shadow) {
  return address ? findVariable(shadow, address, nullptr)
                 : hipErrorInvalidValue;
}
hipError_t hipGetSymbolSize(size_t *bytes, const void *shadow) {
  return bytes ? findVariable(shadow, nullptr, bytes) : hipErrorInvalidValue;
}
/// A part of a variable.
static hipError_t part(const void *shadow, size_t bytes, size_t offset,
                       char **address) {
  void *base = nullptr;
  size_t size = 0;
  if (hipError_t error = findVariable(shadow, &base, &size))
    return error;
  // Written so that the sum of both cannot wrap.
  if (offset > size || bytes > size - offset)
    return hipErrorInvalidValue;
  *address = static_cast<char *>(base) + offset;
  return hipSuccess;
}
/// Copies check the range against the variable's size, then go the way of
/// hipMemcpy.
hipError_t hipMemcpyToSymbol(const void *shadow, const void *from, size_t bytes,
                             size_t offset, hipMemcpyKind kind) {
  char *address;
  hipError_t error = part(shadow, bytes, offset, &address);
  return error ? error : entry::hipMemcpy(address, from, bytes, kind);
}
hipError_t hipMemcpyToSymbolAsync(const void *shadow, const void *from,
                                  size_t bytes, size_t offset,
                                  hipMemcpyKind kind, hipStream_t) {
  return hipMemcpyToSymbol(shadow, from, bytes, offset, kind);
}
hipError_t hipMemcpyToSymbol_spt(const void *shadow, const void *from,
                                 size_t bytes, size_t offset,
                                 hipMemcpyKind kind) {
  return hipMemcpyToSymbol(shadow, from, bytes, offset, kind);
}
hipError_t hipMemcpyFromSymbol(void *to, const void *shadow, size_t bytes,
                               size_t offset, hipMemcpyKind kind) {
  char *address;
  hipError_t error = part(shadow, bytes, offset, &address);
  return error ? error : entry::hipMemcpy(to, address, bytes, kind);
}
hipError_t hipMemcpyFromSymbolAsync(void *to, const void *shadow, size_t bytes,
                                    size_t offset, hipMemcpyKind kind,
                                    hipStream_t) {
  return hipMemcpyFromSymbol(to, shadow, bytes, offset, kind);
}
hipError_t hipMemcpyFromSymbol_spt(void *to, const void *shadow, size_t bytes,
                                   size_t offset, hipMemcpyKind kind) {
  return hipMemcpyFromSymbol(to, shadow, bytes, offset, kind);
}
hipError_t hipMemcpyToSymbolAsync_spt(const void *shadow, const void *from,
                                      size_t bytes, size_t offset,
                                      hipMemcpyKind kind, hipStream_t) {
  return hipMemcpyToSymbol(shadow, from, bytes, offset, kind);
}
hipError_t hipMemcpyFromSymbolAsync_spt(void *to, const void *shadow,
                                        size_t bytes, size_t offset,
                                        hipMemcpyKind kind, hipStream_t) {
  return hipMemcpyFromSymbol(to, shadow, bytes, offset, kind);
}

//===--- Allocation -------------------------------------------------------===//

namespace {

/// What host memory was asked for, by the number of the allocation: numbers do
/// not come back, so an entry may outlive what it is about.
struct HostMemory {
  unsigned flags = 0;
  bool managed = false;
};
std::mutex hostMemoryMutex;
std::map<uint32_t, HostMemory> &hostMemory() {
  static auto *all = new std::map<uint32_t, HostMemory>();
  return *all;
}
HostMemory hostMemoryOf(const Allocation &allocation) {
  std::lock_guard lock(hostMemoryMutex);
  auto at = hostMemory().find(allocation.number);
  return at == hostMemory().end() ? HostMemory() : at->second;
}

/// The live allocation around a pointer, a copy of its record.
bool find(const void *pointer, Allocation &found) {
  return device().memory.lookup(reinterpret_cast<uint64_t>(pointer), found) &&
         !found.freed;
}

hipError_t allocateHost(void **pointer, size_t bytes, HostMemory how) {
  hipError_t error = entry::hipHostMalloc(pointer, bytes, how.flags);
  Allocation made;
  if (!error && find(*pointer, made)) {
    std::lock_guard lock(hostMemoryMutex);
    hostMemory()[made.number] = how;
  }
  return error;
}

} // namespace

/// Host and device share the pages; nothing migrates. Zero bytes are an error
/// here, unlike in hipMalloc.
hipError_t hipMallocManaged(void **pointer, size_t bytes, unsigned flags) {
  return bytes ? allocateHost(pointer, bytes, {flags, true})
               : hipErrorInvalidValue;
}
hipError_t hipHostMalloc(void **pointer, size_t bytes, unsigned flags) {
  return allocateHost(pointer, bytes, {flags, false});
}
hipError_t hipMallocHost(void **pointer, size_t bytes) {
  return hipHostMalloc(pointer, bytes, 0);
}
hipError_t hipMemAllocHost(void **pointer, size_t bytes) {
  return hipHostMalloc(pointer, bytes, 0);
}
hipError_t hipHostAlloc(void **pointer, size_t bytes, unsigned flags) {
  return hipHostMalloc(pointer, bytes, flags);
}
hipError_t hipFreeHost(void *pointer) { return entry::hipHostFree(pointer); }
/// Makes the program's own memory known, so that kernels may touch it.
hipError_t hipHostRegister(void *pointer, size_t bytes, unsigned) {
  if (!pointer || !bytes)
    return hipErrorInvalidValue;
  return device().memory.registerHost(pointer, bytes)
             ? hipSuccess
             : hipErrorHostMemoryAlreadyRegistered;
}
// Only for what hipHostRegister made known.
hipError_t hipHostUnregister(void *pointer) {
  uint64_t base = reinterpret_cast<uint64_t>(pointer);
  return device().memory.release(base, true) ? hipSuccess
                                             : hipErrorHostMemoryNotRegistered;
}
/// One address for both sides.
hipError_t hipHostGetDevicePointer(void **deviceOf, void *host, unsigned) {
  Allocation found;
  if (!deviceOf || !find(host, found))
    return hipErrorInvalidValue;
  *deviceOf = host;
  return hipSuccess;
}
/// As they were asked for; none has an effect.
hipError_t hipHostGetFlags(unsigned *flags, void *host) {
  Allocation found;
  if (!flags || !find(host, found) || found.kind == AllocationKind::Device)
    return hipErrorInvalidValue;
  *flags = hostMemoryOf(found).flags;
  return hipSuccess;
}
hipError_t hipMallocPitch(void **pointer, size_t *pitch, size_t width,
                          size_t height) {
  if (!pitch)
    return hipErrorInvalidValue;
  *pitch = (width + 255) / 256 * 256;
  return entry::hipMalloc(pointer, *pitch * height);
}
/// Elements have 4, 8 or 16 bytes.
hipError_t hipMemAllocPitch(void **pointer, size_t *pitch, size_t width,
                            size_t height, unsigned elementSize) {
  if (elementSize != 4 && elementSize != 8 && elementSize != 16)
    return hipErrorInvalidValue;
  return hipMallocPitch(pointer, pitch, width, height);
}
hipError_t hipExtMallocWithFlags(void **pointer, size_t bytes, unsigned) {
  return entry::hipMalloc(pointer, bytes);
}

//===--- Copies and fills -------------------------------------------------===//

/// Row by row, each checked by itself.
hipError_t hipMemcpy2D(void *to, size_t toPitch, const void *from,
                       size_t fromPitch, size_t width, size_t height,
                       hipMemcpyKind kind) {
  if (width > toPitch || width > fromPitch)
    return hipErrorInvalidPitchValue;
  for (size_t row = 0; row < height; ++row)
    if (hipError_t error = entry::hipMemcpy(
            static_cast<char *>(to) + row * toPitch,
            static_cast<const char *>(from) + row * fromPitch, width, kind))
      return error;
  return hipSuccess;
}
hipError_t hipMemcpy2DAsync(void *to, size_t toPitch, const void *from,
                            size_t fromPitch, size_t width, size_t height,
                            hipMemcpyKind kind, hipStream_t) {
  return hipMemcpy2D(to, toPitch, from, fromPitch, width, height, kind);
}
/// The driver API's names for one direction each.
hipError_t hipMemcpyDtoH(void *to, void *from, size_t bytes) {
  return entry::hipMemcpy(to, from, bytes, hipMemcpyDeviceToHost);
}
hipError_t hipMemcpyHtoD(void *to, void *from, size_t bytes) {
  return entry::hipMemcpy(to, from, bytes, hipMemcpyHostToDevice);
}
hipError_t hipMemcpyDtoD(void *to, void *from, size_t bytes) {
  return entry::hipMemcpy(to, from, bytes, hipMemcpyDeviceToDevice);
}
hipError_t hipMemcpyDtoHAsync(void *to, void *from, size_t bytes, hipStream_t) {
  return hipMemcpyDtoH(to, from, bytes);
}
hipError_t hipMemcpyHtoDAsync(void *to, void *from, size_t bytes, hipStream_t) {
  return hipMemcpyHtoD(to, from, bytes);
}
hipError_t hipMemcpyDtoDAsync(void *to, void *from, size_t bytes, hipStream_t) {
  return hipMemcpyDtoD(to, from, bytes);
}
hipError_t hipMemcpyWithStream(void *to, const void *from, size_t bytes,
                               hipMemcpyKind kind, hipStream_t stream) {
  return entry::hipMemcpyAsync(to, from, bytes, kind, stream);
}
/// One device: both numbers must be 0.
hipError_t hipMemcpyPeer(void *to, int toDevice, const void *from,
                         int fromDevice, size_t bytes) {
  if (toDevice != 0 || fromDevice != 0)
    return hipErrorInvalidDevice;
  return entry::hipMemcpy(to, from, bytes, hipMemcpyDeviceToDevice);
}
hipError_t hipMemcpyPeerAsync(void *to, int toDevice, const void *from,
                              int fromDevice, size_t bytes, hipStream_t) {
  return hipMemcpyPeer(to, toDevice, from, fromDevice, bytes);
}
hipError_t hipMemcpy_spt(void *to, const void *from, size_t bytes,
                         hipMemcpyKind kind) {
  return entry::hipMemcpy(to, from, bytes, kind);
}
hipError_t hipMemcpyAsync_spt(void *to, const void *from, size_t bytes,
                              hipMemcpyKind kind, hipStream_t stream) {
  return entry::hipMemcpyAsync(to, from, bytes, kind, stream);
}

/// Fills with a value of any width; marks the bytes as written.
template <typename T>
static hipError_t fillWith(void *to, T value, size_t count) {
  Allocation found;
  if (count == 0)
    return hipSuccess;
  // The whole range must lie in one live allocation, as in hipMemset.
  if (!find(to, found) ||
      !found.contains(reinterpret_cast<uint64_t>(to), count * sizeof(T)))
    return hipErrorInvalidValue;
  for (size_t i = 0; i < count; ++i)
    std::memcpy(static_cast<char *>(to) + i * sizeof(T), &value, sizeof(T));
  device().memory.writtenBytes().mark(reinterpret_cast<uint64_t>(to),
                                      count * sizeof(T));
  return hipSuccess;
}
hipError_t hipMemsetD8(void *to, unsigned char value, size_t count) {
  return fillWith(to, value, count);
}
hipError_t hipMemsetD16(void *to, unsigned short value, size_t count) {
  return fillWith(to, value, count);
}
hipError_t hipMemsetD32(void *to, int value, size_t count) {
  return fillWith(to, value, count);
}
hipError_t hipMemsetD8Async(void *to, unsigned char value, size_t count,
                            hipStream_t) {
  return fillWith(to, value, count);
}
hipError_t hipMemsetD16Async(void *to, unsigned short value, size_t count,
                             hipStream_t) {
  return fillWith(to, value, count);
}
hipError_t hipMemsetD32Async(void *to, int value, size_t count, hipStream_t) {
  return fillWith(to, value, count);
}
/// Row by row, like hipMemcpy2D.
hipError_t hipMemset2D(void *to, size_t pitch, int value, size_t width,
                       size_t height) {
  if (width > pitch)
    return hipErrorInvalidPitchValue;
  for (size_t row = 0; row < height; ++row)
    if (hipError_t error = entry::hipMemset(
            static_cast<char *>(to) + row * pitch, value, width))
      return error;
  return hipSuccess;
}
hipError_t hipMemset2DAsync(void *to, size_t pitch, int value, size_t width,
                            size_t height, hipStream_t) {
  return hipMemset2D(to, pitch, value, width, height);
}
hipError_t hipMemset_spt(void *to, int value, size_t bytes) {
  return entry::hipMemset(to, value, bytes);
}
hipError_t hipMemsetAsync_spt(void *to, int value, size_t bytes,
                              hipStream_t stream) {
  return entry::hipMemsetAsync(to, value, bytes, stream);
}
hipError_t hipMemset2D_spt(void *to, size_t pitch, int value, size_t width,
                           size_t height) {
  return hipMemset2D(to, pitch, value, width, height);
}
hipError_t hipMemset2DAsync_spt(void *to, size_t pitch, int value, size_t width,
                                size_t height, hipStream_t) {
  return hipMemset2D(to, pitch, value, width, height);
}

//===--- Questions about memory -------------------------------------------===//

/// Nothing to do but to check the pointer.
hipError_t hipMemPrefetchAsync(const void *pointer, size_t, int, hipStream_t) {
  Allocation found;
  return find(pointer, found) ? hipSuccess : hipErrorInvalidValue;
}
hipError_t hipMemAdvise(const void *pointer, size_t, int, int) {
  Allocation found;
  return find(pointer, found) ? hipSuccess : hipErrorInvalidValue;
}
/// Fills in hipPointerAttribute_t, whose layout is written out here.
hipError_t hipPointerGetAttributes(void *attributes, const void *pointer) {
  struct Attributes {
    int type, device;
    void *devicePointer, *hostPointer;
    int managed;
    unsigned flags;
  };
  Allocation found;
  if (!attributes || !pointer)
    return hipErrorInvalidValue;
  bool known = find(pointer, found);
  // Up to HIP 5 memory of the program is an error, from 6 on a kind of its own.
  constexpr int invalidDevice = -2;
  if (!known && tlc_hip_major < 6)
    return hipErrorInvalidValue;
  bool onDevice = found.kind == AllocationKind::Device ||
                  found.kind == AllocationKind::Code;
  HostMemory how = hostMemoryOf(found);
  // HIP 6 put "unregistered" before "host" and "device", "managed" behind.
  int host = tlc_hip_major >= 6 ? 1 : 0;
  void *address = const_cast<void *>(pointer);
  Attributes a = {};
  if (known) {
    a.type = onDevice ? host + 1 : host;
    if (how.managed && tlc_hip_major >= 6)
      a.type = host + 2;
    a.devicePointer = address;
    a.hostPointer = onDevice ? nullptr : address;
    a.managed = how.managed;
    a.flags = how.flags;
  } else {
    a.device = invalidDevice;
  }
  std::memcpy(attributes, &a, sizeof(a));
  return hipSuccess;
}
/// The allocation around a pointer: its base and size, if asked for.
hipError_t hipMemGetAddressRange(void **base, size_t *bytes, void *pointer) {
  Allocation found;
  if (!find(pointer, found))
    return hipErrorNotFound;
  if (base)
    *base = reinterpret_cast<void *>(found.base);
  if (bytes)
    *bytes = found.size;
  return hipSuccess;
}
hipError_t hipMemPtrGetInfo(void *pointer, size_t *bytes) {
  return bytes ? hipMemGetAddressRange(nullptr, bytes, pointer)
               : hipErrorInvalidValue;
}

} // namespace tlc::sim::dropin
