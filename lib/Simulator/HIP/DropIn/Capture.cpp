//===- Capture.cpp - Streams that make graphs -----------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A capture begins in one stream and has others join it: an event recorded in
// a captured stream stands for the nodes that the stream had then, and a stream
// that waits for it goes on behind them. Of each stream the nodes are kept that
// its next one comes after. At the end all must lead to what the first stream
// has (joined), or the graph is not handed out.
//
//===----------------------------------------------------------------------===//

#include "Capture.h"

#include <algorithm>
#include <set>
#include <thread>

using namespace tlc;
using namespace tlc::sim;
using namespace tlc::hip;

namespace tlc::sim::dropin {

std::atomic<int> activeCaptures{0};

namespace {

enum Mode { Global, ThreadLocal, Relaxed };
enum Status { None, Active, Invalidated };

struct Capture {
  Graph *graph = nullptr;
  bool ours = true; ///< made for the capture, not given by the program
  hipStream_t origin = nullptr;
  int mode = Global;
  unsigned long long id = 0;
  std::thread::id thread = std::this_thread::get_id();
  bool invalid = false;
  /// Of each stream that takes part: what its next node comes after.
  std::map<hipStream_t, std::vector<Node *>> last;
};
/// An event recorded in a capture.
struct CapturedEvent {
  unsigned long long capture;
  std::vector<Node *> nodes;
};
/// Under the mutex of the graphs.
struct Captures {
  std::vector<std::unique_ptr<Capture>> all;
  std::map<hipEvent_t, CapturedEvent> events;
  unsigned long long next = 1;
};
Captures &captures() {
  static Captures *instance = new Captures();
  return *instance;
}
Capture *captureOf(hipStream_t stream) {
  for (const std::unique_ptr<Capture> &capture : captures().all)
    if (capture->last.count(stream))
      return capture.get();
  return nullptr;
}
thread_local int threadMode = Global;

/// Adds without repeating.
void merge(std::vector<Node *> &nodes, const std::vector<Node *> &more) {
  for (Node *node : more)
    if (!std::count(nodes.begin(), nodes.end(), node))
      nodes.push_back(node);
}

} // namespace

bool capturing(hipStream_t stream) {
  if (!activeCaptures)
    return false;
  std::lock_guard lock(graphs().mutex);
  return captureOf(stream) != nullptr;
}
hipError_t captureWork(hipStream_t stream, NodeKind kind, Work work) {
  std::lock_guard lock(graphs().mutex);
  Capture *capture = captureOf(stream);
  if (!capture || capture->invalid)
    return hipErrorStreamCaptureInvalidated;
  std::vector<Node *> &last = capture->last[stream];
  last = {capture->graph->add(kind, std::move(work), last)};
  return hipSuccess;
}
hipError_t refuseInCapture(hipStream_t stream) {
  std::lock_guard lock(graphs().mutex);
  if (Capture *capture = captureOf(stream))
    capture->invalid = true;
  return hipErrorStreamCaptureUnsupported;
}
hipError_t refuseUnsafe(bool spoils) {
  std::lock_guard lock(graphs().mutex);
  if (threadMode == Relaxed)
    return hipSuccess;
  bool refused = false;
  for (const std::unique_ptr<Capture> &capture : captures().all) {
    bool own = capture->thread == std::this_thread::get_id();
    if (capture->mode == Global || (capture->mode == ThreadLocal && own)) {
      refused = true;
      capture->invalid |= spoils;
    }
  }
  return !refused ? hipSuccess
         : spoils ? hipErrorStreamCaptureImplicit
                  : hipErrorStreamCaptureUnsupported;
}

/// Launches into captured streams.
static bool takeLaunch(hipStream_t stream, const PreparedLaunch &launch,
                       hipError_t &error) {
  if (!capturing(stream))
    return false;
  KernelWork work;
  work.launch = launch;
  work.function = launch.function;
  error = captureWork(stream, NodeKind::Kernel, std::move(work));
  return true;
}
__attribute__((constructor)) static void takeLaunches() {
  device().captureLaunch = takeLaunch;
}

//===--- Begin and end ----------------------------------------------------===//

/// Null and 1 name the stream that everything waits for.
static bool isLegacy(hipStream_t stream) {
  return reinterpret_cast<uintptr_t>(stream) <= 1;
}
static hipError_t begin(hipStream_t stream, int mode, Graph *into,
                        std::vector<Node *> after) {
  if (mode < Global || mode > Relaxed)
    return hipErrorInvalidValue;
  if (isLegacy(stream))
    return hipErrorStreamCaptureUnsupported;
  if (!device().isStream(stream))
    return hipErrorContextIsDestroyed;
  if (captureOf(stream))
    return hipErrorIllegalState;
  auto capture = std::make_unique<Capture>();
  capture->graph = into;
  capture->ours = !into;
  if (!into)
    hipGraphCreate(&capture->graph, 0);
  capture->origin = stream;
  capture->mode = mode;
  capture->id = captures().next++;
  capture->last[stream] = std::move(after);
  captures().all.push_back(std::move(capture));
  ++activeCaptures;
  return hipSuccess;
}
hipError_t hipStreamBeginCapture(hipStream_t stream, int mode) {
  std::lock_guard lock(graphs().mutex);
  return begin(stream, mode, nullptr, {});
}
hipError_t hipStreamBeginCapture_spt(hipStream_t stream, int mode) {
  return hipStreamBeginCapture(stream, mode);
}
hipError_t hipStreamBeginCaptureToGraph(hipStream_t stream, Graph *graph,
                                        Node *const *after, const void *,
                                        size_t count, int mode) {
  std::lock_guard lock(graphs().mutex);
  if (!isGraph(graph) || (count && !after))
    return hipErrorInvalidValue;
  for (size_t i = 0; i < count; ++i)
    if (!graphs().nodes.count(after[i]) || after[i]->graph != graph)
      return hipErrorInvalidValue;
  return begin(stream, mode, graph, {after, after + count});
}

/// Whether every stream's last nodes lie before the first stream's.
static bool isJoined(const Capture &capture) {
  std::vector<Node *> work = capture.last.at(capture.origin);
  std::set<Node *> reached(work.begin(), work.end());
  while (!work.empty()) {
    Node *node = work.back();
    work.pop_back();
    for (Node *before : node->after)
      if (reached.insert(before).second)
        work.push_back(before);
  }
  return std::all_of(
      capture.last.begin(), capture.last.end(), [&](const auto &stream) {
        return std::all_of(stream.second.begin(), stream.second.end(),
                           [&](Node *node) { return reached.count(node); });
      });
}
hipError_t hipStreamEndCapture(hipStream_t stream, Graph **graph) {
  std::lock_guard lock(graphs().mutex);
  if (!graph)
    return hipErrorInvalidValue;
  Capture *capture = captureOf(stream);
  if (!capture)
    return hipErrorIllegalState;
  if (capture->origin != stream)
    return hipErrorStreamCaptureUnmatched;
  if (capture->mode != Relaxed && capture->thread != std::this_thread::get_id())
    return hipErrorStreamCaptureWrongThread;
  hipError_t error = capture->invalid      ? hipErrorStreamCaptureInvalidated
                     : !isJoined(*capture) ? hipErrorStreamCaptureUnjoined
                                           : hipSuccess;
  *graph = error ? nullptr : capture->graph;
  if (error && capture->ours)
    hipGraphDestroy(capture->graph);
  std::erase_if(captures().events, [&](const auto &event) {
    return event.second.capture == capture->id;
  });
  std::erase_if(captures().all,
                [&](const auto &each) { return each.get() == capture; });
  --activeCaptures;
  return error;
}
hipError_t hipStreamEndCapture_spt(hipStream_t stream, Graph **graph) {
  return hipStreamEndCapture(stream, graph);
}

//===--- Questions --------------------------------------------------------===//

/// Results that are null are not asked for. The list of nodes holds until the
/// stream's next call.
hipError_t hipStreamGetCaptureInfo_v2(hipStream_t stream, int *status,
                                      unsigned long long *id, Graph **graph,
                                      Node *const **after, size_t *count) {
  std::lock_guard lock(graphs().mutex);
  if (!status)
    return hipErrorInvalidValue;
  if (!device().isStream(stream))
    return hipErrorContextIsDestroyed;
  Capture *capture = captureOf(stream);
  *status = !capture ? None : capture->invalid ? Invalidated : Active;
  if (*status != Active)
    return hipSuccess;
  const std::vector<Node *> &last = capture->last[stream];
  if (id)
    *id = capture->id;
  if (graph)
    *graph = capture->graph;
  if (after)
    *after = last.data();
  if (count)
    *count = last.size();
  return hipSuccess;
}
hipError_t hipStreamGetCaptureInfo_v2_spt(hipStream_t stream, int *status,
                                          unsigned long long *id, Graph **graph,
                                          Node *const **after, size_t *count) {
  return hipStreamGetCaptureInfo_v2(stream, status, id, graph, after, count);
}
hipError_t hipStreamGetCaptureInfo(hipStream_t stream, int *status,
                                   unsigned long long *id) {
  return hipStreamGetCaptureInfo_v2(stream, status, id, nullptr, nullptr,
                                    nullptr);
}
hipError_t hipStreamGetCaptureInfo_spt(hipStream_t stream, int *status,
                                       unsigned long long *id) {
  return hipStreamGetCaptureInfo(stream, status, id);
}
hipError_t hipStreamIsCapturing(hipStream_t stream, int *status) {
  return hipStreamGetCaptureInfo(stream, status, nullptr);
}
hipError_t hipStreamIsCapturing_spt(hipStream_t stream, int *status) {
  return hipStreamIsCapturing(stream, status);
}
hipError_t hipStreamUpdateCaptureDependencies(hipStream_t stream,
                                              Node *const *after, size_t count,
                                              unsigned flags) {
  constexpr unsigned add = 0, set = 1;
  std::lock_guard lock(graphs().mutex);
  Capture *capture = captureOf(stream);
  if (!capture)
    return hipErrorIllegalState;
  if (flags > set || (count && !after))
    return hipErrorInvalidValue;
  for (size_t i = 0; i < count; ++i)
    if (!graphs().nodes.count(after[i]) || after[i]->graph != capture->graph)
      return hipErrorInvalidValue;
  std::vector<Node *> &last = capture->last[stream];
  if (flags != add)
    last.clear();
  merge(last, {after, after + count});
  return hipSuccess;
}
hipError_t hipThreadExchangeStreamCaptureMode(int *mode) {
  if (!mode || *mode < Global || *mode > Relaxed)
    return hipErrorInvalidValue;
  std::swap(*mode, threadMode);
  return hipSuccess;
}

//===--- Events -----------------------------------------------------------===//

/// Flag "external": the event itself is recorded, or waited for, at each
/// launch.
constexpr unsigned externalEvent = 1;

hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream,
                                   unsigned flags) {
  if (activeCaptures) {
    std::lock_guard lock(graphs().mutex);
    captures().events.erase(event);
    if (Capture *capture = captureOf(stream)) {
      if (hipError_t error = entry::hipEventQuery(event))
        return error;
      if (flags & externalEvent)
        return captureWork(stream, NodeKind::EventRecord, EventWork{event});
      if (capture->invalid)
        return hipErrorStreamCaptureInvalidated;
      captures().events[event] = {capture->id, capture->last[stream]};
      return hipSuccess;
    }
  }
  return entry::hipEventRecord(event, stream);
}
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
  return hipEventRecordWithFlags(event, stream, 0);
}
hipError_t hipEventRecord_spt(hipEvent_t event, hipStream_t stream) {
  return hipEventRecord(event, stream);
}
/// A stream joins the capture that the event was recorded in. To wait for what
/// is outside of a capture makes no sense in its graph.
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event,
                              unsigned flags) {
  hipError_t known = entry::hipStreamWaitEvent(stream, event, flags);
  if (known || !activeCaptures)
    return known;
  std::lock_guard lock(graphs().mutex);
  Capture *mine = captureOf(stream);
  auto recorded = captures().events.find(event);
  if (mine && (flags & externalEvent))
    return captureWork(stream, NodeKind::WaitEvent, EventWork{event});
  if (recorded == captures().events.end()) {
    if (!mine)
      return hipSuccess;
    mine->invalid = true;
    return hipErrorStreamCaptureIsolation;
  }
  if (mine && mine->id != recorded->second.capture) {
    mine->invalid = true;
    return hipErrorStreamCaptureMerge;
  }
  if (isLegacy(stream))
    return hipErrorStreamCaptureImplicit;
  for (const std::unique_ptr<Capture> &capture : captures().all)
    if (capture->id == recorded->second.capture)
      merge(capture->last[stream], recorded->second.nodes);
  return hipSuccess;
}
hipError_t hipStreamWaitEvent_spt(hipStream_t stream, hipEvent_t event,
                                  unsigned flags) {
  return hipStreamWaitEvent(stream, event, flags);
}
/// An event that stands for nodes of a graph is never reached.
static hipError_t notCaptured(hipEvent_t event) {
  if (!activeCaptures)
    return hipSuccess;
  std::lock_guard lock(graphs().mutex);
  auto recorded = captures().events.find(event);
  if (recorded == captures().events.end())
    return hipSuccess;
  for (const std::unique_ptr<Capture> &capture : captures().all)
    if (capture->id == recorded->second.capture)
      capture->invalid = true;
  return hipErrorCapturedEvent;
}
hipError_t hipEventQuery(hipEvent_t event) {
  hipError_t error = notCaptured(event);
  return error ? error : entry::hipEventQuery(event);
}
hipError_t hipEventSynchronize(hipEvent_t event) {
  hipError_t error = notCaptured(event);
  return error ? error : entry::hipEventSynchronize(event);
}
hipError_t hipEventDestroy(hipEvent_t event) {
  {
    std::lock_guard lock(graphs().mutex);
    captures().events.erase(event);
  }
  return entry::hipEventDestroy(event);
}

} // namespace tlc::sim::dropin
