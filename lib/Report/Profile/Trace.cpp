//===- Trace.cpp - Slices for ui.perfetto.dev -----------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Slices of one thread must nest. What a wavefront issues and waits for comes
// one after the other and shares its thread; operations in flight overlap, so
// each kind has lanes of its own: a slice goes to the first lane that is free.
//
// The format is Chrome's trace events, which ui.perfetto.dev opens: a SIMD is a
// process, a wavefront slot one or more threads in it.
//
//   process "XCD 0 CU 3 SIMD 1"
//     "wavefront slot 0"          | VALU | wait      | VALU | barrier ...
//     "wavefront slot 0 MFMA"         | v_mfma ............ |
//     "wavefront slot 0 memory"   | global_load ....................... |
//
//===----------------------------------------------------------------------===//

#include "tlc/Report/Profile/Print.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>

using namespace tlc::report;

namespace {

using Kind = TraceSlice::Kind;

/// A kind's name in the trace, and whether it needs tracks beside the
/// wavefront's own.
struct KindInfo {
  const char *name;
  bool inFlight; ///< overlaps with what the wavefront does next
};
constexpr KindInfo kinds[] = {
    {"MFMA", true},   {"VALU", false}, {"scalar", false},  {"LDS", true},
    {"memory", true}, {"wait", false}, {"barrier", false},
};
// What overlaps even more shares the last lane.
constexpr unsigned lanesPerSlot = 64;

/// Writes one kernel's trace. Names of processes and threads are written when
/// they are first needed.
class TraceWriter {
public:
  TraceWriter(llvm::raw_ostream &os, const KernelReport &kernel)
      : json(os, 0), kernel(kernel) {}

  // In order of time: which lane is free depends on what was placed before.
  void run() {
    std::vector<const TraceSlice *> slices;
    for (const TraceSlice &slice : kernel.trace)
      slices.push_back(&slice);
    std::stable_sort(slices.begin(), slices.end(),
                     [](const TraceSlice *a, const TraceSlice *b) {
                       return a->begin < b->begin;
                     });
    json.object([&] {
      json.attribute("displayTimeUnit", "ns");
      json.attributeObject("otherData", [&] {
        json.attribute("schema", "tlc.trace/1");
        json.attribute("time", "1 ns is one modelled cycle");
        json.attribute("kernel", kernel.name);
      });
      json.attributeArray("traceEvents", [&] {
        for (const TraceSlice *slice : slices)
          write(*slice);
      });
    });
  }

private:
  /// A thread of the trace, and when its last slice ends.
  struct Lane {
    uint64_t freeAt = 0;
  };

  /// The name of a process or thread; its number alone would say nothing. A
  /// metadata event ("M") of the format.
  void metadata(const char *what, int pid, int tid, const std::string &name) {
    json.object([&] {
      json.attribute("ph", "M");
      json.attribute("name", what);
      json.attribute("pid", pid);
      json.attribute("tid", tid);
      json.attributeObject("args", [&] { json.attribute("name", name); });
    });
  }

  /// The process of a slice's SIMD, named when it is first met. Numbers leave
  /// room for 64 CUs an XCD.
  int process(const TraceSlice &slice) {
    int pid = (slice.xcd * 64 + slice.cu) * 4 + slice.simd + 1;
    if (processes.try_emplace(pid, true).second)
      metadata(
          "process_name", pid, 0,
          fmt::format("XCD {} CU {} SIMD {}", slice.xcd, slice.cu, slice.simd));
    return pid;
  }

  /// The thread of a slice: of its slot's own track, or of the first free lane
  /// of its kind.
  int thread(const TraceSlice &slice, int pid) {
    const KindInfo &kind = kinds[unsigned(slice.kind)];
    // Own track 0; the others by kind, with as many lanes as overlap.
    unsigned group = kind.inFlight ? 1 + unsigned(slice.kind) : 0;
    auto &lanes = tracks[{pid, slice.slot, int(group)}];
    size_t lane = 0;
    while (lane < lanes.size() && lanes[lane].freeAt > slice.begin)
      ++lane;
    lane = std::min<size_t>(lane, lanesPerSlot - 1);
    // Numbers without collisions, sorted by slot: 8 groups of lanes a slot.
    int tid = int((slice.slot * 8 + group) * lanesPerSlot + lane) + 1;
    if (lane >= lanes.size()) {
      lanes.resize(lane + 1);
      std::string name = fmt::format("wavefront slot {}", slice.slot);
      if (kind.inFlight)
        name += fmt::format(" {}", kind.name);
      metadata("thread_name", pid, tid, name);
    }
    lanes[lane].freeAt = std::max(lanes[lane].freeAt, slice.end);
    return tid;
  }

  /// One event: what it is, where, when, and what the reader may want to see on
  /// a click.
  void write(const TraceSlice &slice) {
    int pid = process(slice), tid = thread(slice, pid);
    const CodeLine *code =
        slice.code < kernel.code.size() ? &kernel.code[slice.code] : nullptr;
    const char *kind = kinds[unsigned(slice.kind)].name;
    json.object([&] {
      // "X" is a complete event, with its begin and its length.
      json.attribute("ph", "X");
      json.attribute("name", code ? code->text : std::string(kind));
      json.attribute("cat", kind);
      json.attribute("pid", pid);
      json.attribute("tid", tid);
      // The format counts microseconds; a cycle is shown as a nanosecond.
      json.attribute("ts", double(slice.begin) / 1000);
      json.attribute("dur", double(slice.end - slice.begin) / 1000);
      json.attributeObject("args", [&] {
        json.attribute("workgroup", slice.workgroup);
        json.attribute("wave", slice.wave);
        if (code) {
          json.attribute("address", fmt::format("{:#x}", code->address));
          if (!code->file.empty())
            json.attribute("source",
                           fmt::format("{}:{}", code->file, code->line));
        }
      });
    });
  }

  llvm::json::OStream json;
  const KernelReport &kernel;
  std::map<int, bool> processes;
  std::map<std::array<int, 3>, std::vector<Lane>> tracks;
};

} // namespace

/// An empty trace where nothing was recorded: still a file that opens.
void tlc::report::printTrace(llvm::raw_ostream &os, const Report &report) {
  static const KernelReport empty;
  // A trace is of one launch: the longest.
  const KernelReport *longest = &empty;
  for (const KernelReport &kernel : report.kernels)
    if (longest == &empty || kernel.cycles > longest->cycles)
      longest = &kernel;
  TraceWriter(os, *longest).run();
  os << '\n';
}
