//===- HIPTypes.h - The HIP types that tlc uses -----------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Minimal declarations, compatible in their binary form with HIP 5, 6 and 7,
// so that tlc builds without the HIP headers. They live in a namespace: a file
// may include the real headers as well.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_RUNTIME_HIPTYPES_H
#define TLC_RUNTIME_HIPTYPES_H

#include <cstddef>
#include <cstdint>

namespace tlc::hip {

/// Error codes; the values are HIP's own. Each row: name without `hipError`,
/// value, text.
#define TLC_HIP_ERRORS(E)                                                      \
  E(InvalidValue, 1, "invalid argument")                                       \
  E(OutOfMemory, 2, "out of memory")                                           \
  E(NotInitialized, 3, "initialization error")                                 \
  E(Deinitialized, 4, "driver shutting down")                                  \
  E(InvalidConfiguration, 9, "invalid configuration argument")                 \
  E(InvalidPitchValue, 12, "invalid pitch argument")                           \
  E(InvalidSymbol, 13, "invalid device symbol")                                \
  E(InvalidDevicePointer, 17, "invalid device pointer")                        \
  E(InvalidMemcpyDirection, 21, "invalid copy direction for memcpy")           \
  E(InsufficientDriver, 35,                                                    \
    "driver version is insufficient for runtime version")                      \
  E(MissingConfiguration, 52, "__global__ function call is not configured")    \
  E(InvalidDeviceFunction, 98, "invalid device function")                      \
  E(NoDevice, 100, "no ROCm-capable device is detected")                       \
  E(InvalidDevice, 101, "invalid device ordinal")                              \
  E(InvalidImage, 200, "device kernel image is invalid")                       \
  E(InvalidContext, 201, "invalid device context")                             \
  E(MapFailed, 205, "mapping of buffer object failed")                         \
  E(NoBinaryForGpu, 209,                                                       \
    "no kernel image is available for execution on the "                       \
    "device")                                                                  \
  E(UnsupportedLimit, 215, "limit is not supported on this architecture")      \
  E(PeerAccessUnsupported, 217,                                                \
    "peer access is not supported between these "                              \
    "two devices")                                                             \
  E(InvalidKernelFile, 218, "invalid kernel file")                             \
  E(InvalidSource, 300, "device kernel image is invalid")                      \
  E(FileNotFound, 301, "file not found")                                       \
  E(SharedObjectSymbolNotFound, 302, "shared object symbol not found")         \
  E(SharedObjectInitFailed, 303, "shared object initialization failed")        \
  E(OperatingSystem, 304,                                                      \
    "OS call failed or operation not supported on this "                       \
    "OS")                                                                      \
  E(InvalidHandle, 400, "invalid resource handle")                             \
  E(IllegalState, 401,                                                         \
    "the operation cannot be performed in the present "                        \
    "state")                                                                   \
  E(NotFound, 500, "named symbol not found")                                   \
  E(NotReady, 600, "device not ready")                                         \
  E(IllegalAddress, 700, "an illegal memory access was encountered")           \
  E(LaunchOutOfResources, 701, "too many resources requested for launch")      \
  E(LaunchTimeOut, 702, "the launch timed out and was terminated")             \
  E(PeerAccessAlreadyEnabled, 704, "peer access is already enabled")           \
  E(PeerAccessNotEnabled, 705, "peer access has not been enabled")             \
  E(SetOnActiveProcess, 708,                                                   \
    "cannot set while device is active in this "                               \
    "process")                                                                 \
  E(ContextIsDestroyed, 709, "context is destroyed")                           \
  E(Assert, 710, "device-side assert triggered")                               \
  E(HostMemoryAlreadyRegistered, 712,                                          \
    "part or all of the requested memory "                                     \
    "range is already mapped")                                                 \
  E(HostMemoryNotRegistered, 713,                                              \
    "pointer does not correspond to a "                                        \
    "registered memory region")                                                \
  E(LaunchFailure, 719, "unspecified launch failure")                          \
  E(CooperativeLaunchTooLarge, 720, "too many blocks in cooperative launch")   \
  E(NotSupported, 801, "operation not supported")                              \
  E(StreamCaptureUnsupported, 900,                                             \
    "operation not permitted when stream is "                                  \
    "capturing")                                                               \
  E(StreamCaptureInvalidated, 901,                                             \
    "operation failed due to a previous error during capture")                 \
  E(StreamCaptureMerge, 902,                                                   \
    "operation would result in a merge of separate capture sequences")         \
  E(StreamCaptureUnmatched, 903, "capture was not ended in the same stream")   \
  E(StreamCaptureUnjoined, 904,                                                \
    "capturing stream has unjoined work")                                      \
  E(StreamCaptureIsolation, 905,                                               \
    "dependency created on uncaptured work in another stream")                 \
  E(StreamCaptureImplicit, 906,                                                \
    "operation would make the legacy stream depend on a capturing stream")     \
  E(CapturedEvent, 907,                                                        \
    "operation not permitted on an event last recorded in a capturing stream") \
  E(StreamCaptureWrongThread, 908,                                             \
    "attempt to end a capture in another thread than began it")                \
  E(GraphExecUpdateFailure, 910,                                               \
    "the graph update was not performed because it has changes that an "       \
    "instance cannot take")                                                    \
  E(Unknown, 999, "unknown error")                                             \
  E(RuntimeMemory, 1052, "runtime memory call returned error")                 \
  E(RuntimeOther, 1053, "runtime call other than memory returned error")

enum hipError_t : int {
  hipSuccess = 0,
#define TLC_HIP_ERROR(name, value, text) hipError##name = value,
  TLC_HIP_ERRORS(TLC_HIP_ERROR)
#undef TLC_HIP_ERROR
};

// NOLINTBEGIN(readability-identifier-naming): HIP's names
enum hipMemcpyKind : int {
  hipMemcpyHostToHost = 0,
  hipMemcpyHostToDevice = 1,
  hipMemcpyDeviceToHost = 2,
  hipMemcpyDeviceToDevice = 3,
  hipMemcpyDefault = 4,
};

/// The attributes that tlc asks for; the simulator answers every attribute
/// that HIP names.
enum hipDeviceAttribute_t : int {
  hipDeviceAttributeClockRate = 5,
  hipDeviceAttributeL2CacheSize = 19,
  hipDeviceAttributeComputeCapabilityMajor = 23,
  hipDeviceAttributeMaxBlockDimX = 26,
  hipDeviceAttributeMaxBlockDimY = 27,
  hipDeviceAttributeMaxBlockDimZ = 28,
  hipDeviceAttributeMaxGridDimX = 29,
  hipDeviceAttributeMaxGridDimY = 30,
  hipDeviceAttributeMaxGridDimZ = 31,
  hipDeviceAttributeMaxThreadsPerBlock = 56,
  hipDeviceAttributeMultiprocessorCount = 63,
  hipDeviceAttributeMaxSharedMemoryPerBlock = 74,
  hipDeviceAttributeWarpSize = 87,
};

/// Options of hipModuleLoadDataEx; tlc passes none.
enum hipJitOption : int { hipJitOptionMaxRegisters = 0 };

enum hipFunction_attribute : int {
  HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
  HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2,
  HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
  HIP_FUNC_ATTRIBUTE_NUM_REGS = 4,
  HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
};

typedef struct ihipStream_t *hipStream_t;
typedef struct ihipEvent_t *hipEvent_t;
typedef struct ihipModule_t *hipModule_t;
typedef struct ihipModuleSymbol_t *hipFunction_t;
// NOLINTEND(readability-identifier-naming)
typedef void *hipDeviceptr_t;
typedef int hipDevice_t;

/// Keys of hipModuleLaunchKernel's `extra` list.
inline void *const HIP_LAUNCH_PARAM_BUFFER_POINTER =
    reinterpret_cast<void *>(1);
inline void *const HIP_LAUNCH_PARAM_BUFFER_SIZE = reinterpret_cast<void *>(2);
inline void *const HIP_LAUNCH_PARAM_END = reinterpret_cast<void *>(3);

} // namespace tlc::hip

#endif // TLC_RUNTIME_HIPTYPES_H
