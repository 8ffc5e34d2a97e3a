//===- Capture.h - Calls that a capture takes -------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// While a stream is captured, work given to it becomes nodes of a graph. The
// exported wrappers (Exports.cpp) ask here before they call a function that
// takes a stream: `treatment` says of each what becomes of it. What it does not
// name cannot be captured, is refused, and spoils the capture, as in HIP.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_HIP_DROPIN_CAPTURE_H
#define TLC_LIB_SIMULATOR_HIP_DROPIN_CAPTURE_H

#include "DropIn.h"

#include <atomic>
#include <optional>
#include <tuple>

namespace tlc::sim::dropin {

/// Captures under way in the process: nearly always none, and then nothing
/// below costs anything.
extern std::atomic<int> activeCaptures;

/// Whether a stream is being captured, spoilt captures included.
bool capturing(hipStream_t stream);
/// Adds a node behind what the stream has; an error if the capture is spoilt.
hipError_t captureWork(hipStream_t stream, NodeKind kind, Work work);
/// For calls that a capture cannot take: spoils it.
hipError_t refuseInCapture(hipStream_t stream);
/// For calls without a stream that would wait for one, or change memory, while
/// captures go on: the error, or success. \p spoils: those captures end.
hipError_t refuseUnsafe(bool spoils);

enum class Treatment {
  Refuse, ///< not possible in a capture
  Pass,   ///< has no effect on the device, or looks after itself
  Copy,   ///< becomes a node of this kind
  Fill,
  Host,
};
template <auto F> inline constexpr Treatment treatment = Treatment::Refuse;
#define TLC_TREAT(how, function)                                               \
  template <> inline constexpr Treatment treatment<&function> = Treatment::how;
TLC_TREAT(Copy, entry::hipMemcpyAsync)
TLC_TREAT(Copy, hipMemcpyAsync_spt)
TLC_TREAT(Copy, hipMemcpyDtoHAsync)
TLC_TREAT(Copy, hipMemcpyHtoDAsync)
TLC_TREAT(Copy, hipMemcpyDtoDAsync)
TLC_TREAT(Copy, hipMemcpyPeerAsync)
TLC_TREAT(Copy, hipMemcpyToSymbolAsync)
TLC_TREAT(Copy, hipMemcpyFromSymbolAsync)
TLC_TREAT(Copy, hipMemcpy2DAsync)
TLC_TREAT(Copy, hipMemcpy2DAsync_spt)
TLC_TREAT(Copy, hipMemcpy3DAsync)
TLC_TREAT(Copy, hipMemcpy3DAsync_spt)
TLC_TREAT(Copy, hipMemcpyParam2DAsync)
TLC_TREAT(Fill, entry::hipMemsetAsync)
TLC_TREAT(Fill, hipMemsetAsync_spt)
TLC_TREAT(Fill, hipMemsetD8Async)
TLC_TREAT(Fill, hipMemsetD16Async)
TLC_TREAT(Fill, hipMemsetD32Async)
TLC_TREAT(Fill, hipMemset2DAsync)
TLC_TREAT(Fill, hipMemset3DAsync)
TLC_TREAT(Fill, hipMemsetD2D8Async)
TLC_TREAT(Fill, hipMemsetD2D16Async)
TLC_TREAT(Fill, hipMemsetD2D32Async)
TLC_TREAT(Host, hipStreamAddCallback)
TLC_TREAT(Host, hipLaunchHostFunc)
// Launches are taken when their arguments are packed (Device::captureLaunch).
TLC_TREAT(Pass, __hipPushCallConfiguration)
TLC_TREAT(Pass, hipLaunchKernel)
TLC_TREAT(Pass, hipLaunchKernel_spt)
TLC_TREAT(Pass, hipExtLaunchKernel)
TLC_TREAT(Pass, hipExtModuleLaunchKernel)
TLC_TREAT(Pass, hipHccModuleLaunchKernel)
TLC_TREAT(Pass, hipLaunchCooperativeKernel)
TLC_TREAT(Pass, hipLaunchCooperativeKernel_spt)
TLC_TREAT(Pass, entry::hipModuleLaunchKernel)
TLC_TREAT(Pass, hipModuleLaunchCooperativeKernel)
TLC_TREAT(Pass, hipEventRecord)
TLC_TREAT(Pass, hipEventRecord_spt)
TLC_TREAT(Pass, hipEventRecordWithFlags)
TLC_TREAT(Pass, hipStreamWaitEvent)
TLC_TREAT(Pass, hipStreamWaitEvent_spt)
TLC_TREAT(Pass, hipMallocAsync)
TLC_TREAT(Pass, hipMallocFromPoolAsync)
TLC_TREAT(Pass, hipFreeAsync)
TLC_TREAT(Pass, hipGraphLaunch)
TLC_TREAT(Pass, hipGraphLaunch_spt)
TLC_TREAT(Pass, hipGraphUpload)
TLC_TREAT(Pass, hipStreamBeginCapture)
TLC_TREAT(Pass, hipStreamBeginCapture_spt)
TLC_TREAT(Pass, hipStreamBeginCaptureToGraph)
TLC_TREAT(Pass, hipStreamEndCapture)
TLC_TREAT(Pass, hipStreamEndCapture_spt)
TLC_TREAT(Pass, hipStreamIsCapturing)
TLC_TREAT(Pass, hipStreamIsCapturing_spt)
TLC_TREAT(Pass, hipStreamGetCaptureInfo)
TLC_TREAT(Pass, hipStreamGetCaptureInfo_spt)
TLC_TREAT(Pass, hipStreamGetCaptureInfo_v2)
TLC_TREAT(Pass, hipStreamGetCaptureInfo_v2_spt)
TLC_TREAT(Pass, hipStreamUpdateCaptureDependencies)
TLC_TREAT(Pass, hipStreamGetFlags)
TLC_TREAT(Pass, hipStreamGetPriority)
TLC_TREAT(Pass, hipStreamGetId)
TLC_TREAT(Pass, hipStreamGetDevice)
TLC_TREAT(Pass, hipStreamAttachMemAsync)
TLC_TREAT(Pass, hipMemPrefetchAsync)
TLC_TREAT(Pass, hipMemPrefetchAsync_v2)
#undef TLC_TREAT

/// Calls that no capture of the thread allows, or of any thread if it is of the
/// global mode. Those that wait or copy spoil it, those that allocate do not.
enum class Unsafe { No, Refused, Spoils };
template <auto F> inline constexpr Unsafe unsafe = Unsafe::No;
#define TLC_UNSAFE(how, function)                                              \
  template <> inline constexpr Unsafe unsafe<&function> = Unsafe::how;
TLC_UNSAFE(Refused, entry::hipMalloc)
TLC_UNSAFE(Refused, entry::hipFree)
TLC_UNSAFE(Refused, hipHostMalloc)
TLC_UNSAFE(Refused, hipMallocManaged)
TLC_UNSAFE(Refused, entry::hipHostFree)
TLC_UNSAFE(Spoils, entry::hipMemcpy)
TLC_UNSAFE(Spoils, hipMemcpy2D)
TLC_UNSAFE(Spoils, hipMemcpy3D)
TLC_UNSAFE(Spoils, hipMemcpyDtoH)
TLC_UNSAFE(Spoils, hipMemcpyHtoD)
TLC_UNSAFE(Spoils, hipMemcpyDtoD)
TLC_UNSAFE(Spoils, hipMemcpyToSymbol)
TLC_UNSAFE(Spoils, hipMemcpyFromSymbol)
TLC_UNSAFE(Spoils, entry::hipMemset)
TLC_UNSAFE(Spoils, hipMemset2D)
TLC_UNSAFE(Spoils, entry::hipDeviceSynchronize)
#undef TLC_UNSAFE

/// What a captured call is as work of a node: the call itself, with the stream
/// of the later launch in its place. Overloads below know more. Nothing: the
/// call is wrong, and is to say so.
template <auto F> struct Called {};
template <auto F, typename... A>
std::optional<Work> workOfCall(Called<F>, A... arguments) {
  return Call([held = std::tuple(arguments...)](hipStream_t stream) mutable {
    std::get<hipStream_t>(held) = stream;
    return std::apply(F, held);
  });
}
inline std::optional<Work> workOfCall(Called<&entry::hipMemcpyAsync>, void *to,
                                      const void *from, size_t bytes,
                                      hipMemcpyKind kind, hipStream_t) {
  return linearCopy(to, from, bytes, kind);
}
inline std::optional<Work> workOfCall(Called<&entry::hipMemsetAsync>, void *to,
                                      int byte, size_t bytes, hipStream_t) {
  return MemsetParams{to, 1, 1, bytes, unsigned(byte), bytes};
}
inline std::optional<Work> workOfCall(Called<&hipLaunchHostFunc>, hipStream_t,
                                      void (*function)(void *), void *data) {
  return HostParams{function, data};
}
// Structures belong to the caller and are copied.
inline std::optional<Work> workOfCall(Called<&hipMemcpy3DAsync>,
                                      const Copy3D *copy, hipStream_t) {
  return copy ? std::optional<Work>(*copy) : std::nullopt;
}
inline std::optional<Work> workOfCall(Called<&hipMemcpy3DAsync_spt>,
                                      const Copy3D *copy, hipStream_t) {
  return copy ? std::optional<Work>(*copy) : std::nullopt;
}
inline std::optional<Work> workOfCall(Called<&hipMemcpyParam2DAsync>,
                                      const Copy2D *copy, hipStream_t) {
  if (!copy)
    return std::nullopt;
  return Call([held = *copy](hipStream_t) { return hipMemcpyParam2D(&held); });
}

/// Takes the call \p F if its stream is captured or a capture forbids it, and
/// says in \p result how it went; false: it is to be called.
template <auto F, typename... A>
bool takenByCapture(hipError_t &result, A... arguments) {
  if (!activeCaptures.load(std::memory_order_relaxed))
    return false;
  if constexpr ((std::is_same_v<A, hipStream_t> || ...)) {
    constexpr Treatment how = treatment<F>;
    if constexpr (how == Treatment::Pass)
      return false;
    auto stream = std::get<hipStream_t>(std::tuple(arguments...));
    if (!capturing(stream))
      return false;
    if constexpr (how == Treatment::Refuse) {
      result = refuseInCapture(stream);
      return true;
    } else {
      std::optional<Work> work = workOfCall(Called<F>(), arguments...);
      if (!work)
        return false;
      constexpr NodeKind kind = how == Treatment::Copy   ? NodeKind::Memcpy
                                : how == Treatment::Fill ? NodeKind::Memset
                                                         : NodeKind::Host;
      result = captureWork(stream, kind, std::move(*work));
      return true;
    }
  } else if constexpr (unsafe<F> != Unsafe::No) {
    result = refuseUnsafe(unsafe<F> == Unsafe::Spoils);
    return result != hipSuccess;
  }
  return false;
}

} // namespace tlc::sim::dropin

#endif // TLC_LIB_SIMULATOR_HIP_DROPIN_CAPTURE_H
