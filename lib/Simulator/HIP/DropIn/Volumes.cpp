//===- Volumes.cpp - Copies and fills of two and three dimensions ---------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of a pitch, as many as an extent says. Arrays are not provided.
//
// Everything comes down to the two-dimensional functions, slice by slice, which
// check each row's range. Asynchronous and per-thread forms complete at once.
//
//===----------------------------------------------------------------------===//

#include "DropIn.h"

using namespace tlc;
using namespace tlc::sim;
using namespace tlc::hip;

namespace tlc::sim::dropin {

/// One pitched allocation of height * depth rows.
hipError_t hipMalloc3D(PitchedPointer *pointer, Extent extent) {
  if (!pointer)
    return hipErrorInvalidValue;
  pointer->xSize = extent.width;
  pointer->ySize = extent.height;
  return hipMallocPitch(&pointer->pointer, &pointer->pitch, extent.width,
                        extent.height * extent.depth);
}
/// A slice begins ySize rows after the one before, also where the extent has
/// fewer rows.
hipError_t hipMemset3D(PitchedPointer to, int value, Extent extent) {
  for (size_t z = 0; z < extent.depth; ++z)
    if (hipError_t error = hipMemset2D(
            static_cast<char *>(to.pointer) + z * to.pitch * to.ySize, to.pitch,
            value, extent.width, extent.height))
      return error;
  return hipSuccess;
}
hipError_t hipMemset3DAsync(PitchedPointer to, int value, Extent extent,
                            hipStream_t) {
  return hipMemset3D(to, value, extent);
}

/// The first byte of a box.
static char *boxOf(const PitchedPointer &p, const Position &at) {
  return static_cast<char *>(p.pointer) + at.z * p.pitch * p.ySize +
         at.y * p.pitch + at.x;
}
hipError_t hipMemcpy3D(const Copy3D *copy) {
  if (!copy)
    return hipErrorInvalidValue;
  if (copy->fromArray || copy->toArray)
    return hipErrorNotSupported;
  const char *from = boxOf(copy->from, copy->fromAt);
  char *to = boxOf(copy->to, copy->toAt);
  for (size_t z = 0; z < copy->extent.depth; ++z)
    if (hipError_t error = hipMemcpy2D(
            to + z * copy->to.pitch * copy->to.ySize, copy->to.pitch,
            from + z * copy->from.pitch * copy->from.ySize, copy->from.pitch,
            copy->extent.width, copy->extent.height, copy->kind))
      return error;
  return hipSuccess;
}
hipError_t hipMemcpy3DAsync(const Copy3D *copy, hipStream_t) {
  return hipMemcpy3D(copy);
}
hipError_t hipMemcpy3D_spt(const Copy3D *copy) { return hipMemcpy3D(copy); }
hipError_t hipMemcpy3DAsync_spt(const Copy3D *copy, hipStream_t) {
  return hipMemcpy3D(copy);
}
hipError_t hipMemcpy2D_spt(void *to, size_t toPitch, const void *from,
                           size_t fromPitch, size_t width, size_t height,
                           hipMemcpyKind kind) {
  return hipMemcpy2D(to, toPitch, from, fromPitch, width, height, kind);
}
hipError_t hipMemcpy2DAsync_spt(void *to, size_t toPitch, const void *from,
                                size_t fromPitch, size_t width, size_t height,
                                hipMemcpyKind kind, hipStream_t) {
  return hipMemcpy2D(to, toPitch, from, fromPitch, width, height, kind);
}

/// Each end is host memory, or device or managed memory; which pointer counts
/// follows from its type.
hipError_t hipMemcpyParam2D(const Copy2D *copy) {
  if (!copy)
    return hipErrorInvalidValue;
  // HIP 6 put "unregistered" before "host".
  int host = tlc_hip_major >= 6 ? 1 : 0;
  const Copy2D::End &from = copy->from, &to = copy->to;
  if (from.array || to.array)
    return hipErrorNotSupported;
  const char *source = static_cast<const char *>(
      from.memoryType == host ? from.host : from.onDevice);
  char *target =
      static_cast<char *>(to.memoryType == host ? to.host : to.onDevice);
  return hipMemcpy2D(target + to.y * to.pitch + to.x, to.pitch,
                     source + from.y * from.pitch + from.x, from.pitch,
                     copy->width, copy->height, hipMemcpyDefault);
}
hipError_t hipMemcpyParam2DAsync(const Copy2D *copy, hipStream_t) {
  return hipMemcpyParam2D(copy);
}

/// Rows of elements.
template <typename T, typename Fill>
static hipError_t fillRows(void *to, size_t pitch, T value, size_t width,
                           size_t height, Fill fill) {
  if (width * sizeof(T) > pitch)
    return hipErrorInvalidValue;
  for (size_t row = 0; row < height; ++row)
    if (hipError_t error =
            fill(static_cast<char *>(to) + row * pitch, value, width))
      return error;
  return hipSuccess;
}
hipError_t hipMemsetD2D8(void *to, size_t pitch, unsigned char value,
                         size_t width, size_t height) {
  return fillRows(to, pitch, value, width, height, hipMemsetD8);
}
hipError_t hipMemsetD2D16(void *to, size_t pitch, unsigned short value,
                          size_t width, size_t height) {
  return fillRows(to, pitch, value, width, height, hipMemsetD16);
}
hipError_t hipMemsetD2D32(void *to, size_t pitch, unsigned value, size_t width,
                          size_t height) {
  return fillRows(to, pitch, int(value), width, height, hipMemsetD32);
}
hipError_t hipMemsetD2D8Async(void *to, size_t pitch, unsigned char value,
                              size_t width, size_t height, hipStream_t) {
  return hipMemsetD2D8(to, pitch, value, width, height);
}
hipError_t hipMemsetD2D16Async(void *to, size_t pitch, unsigned short value,
                               size_t width, size_t height, hipStream_t) {
  return hipMemsetD2D16(to, pitch, value, width, height);
}
hipError_t hipMemsetD2D32Async(void *to, size_t pitch, unsigned value,
                               size_t width, size_t height, hipStream_t) {
  return hipMemsetD2D32(to, pitch, value, width, height);
}
hipError_t hipMemPrefetchAsync_v2(const void *pointer, size_t bytes,
                                  MemoryLocation, unsigned,
                                  hipStream_t stream) {
  return hipMemPrefetchAsync(pointer, bytes, 0, stream);
}
hipError_t hipMemAdvise_v2(const void *pointer, size_t bytes, int advice,
                           MemoryLocation) {
  return hipMemAdvise(pointer, bytes, advice, 0);
}

} // namespace tlc::sim::dropin
