//===- UnitMemory.h - What compute units have of memory ---------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The caches of some compute units. What they do not have they ask of L2 and
// beyond: at once, or, where XCDs are replayed side by side, later and in the
// order of all XCDs' requests. Until then a time is known only as that of a
// request (isPending):
//
//   load of a line that is not in L1     request 17; L1 has it "at 17"
//   load of the same line                at 17
//   ...                                  all requests up to here are served
//   settle()                             L1 has it at 20144.5
//
// L1's sets and those of scalar data are address bits within a page, so they do
// not depend on the numbers that pages get beyond: here pages have numbers of
// their own.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_TIMING_UNITMEMORY_H
#define TLC_LIB_SIMULATOR_TIMING_UNITMEMORY_H

#include "MemorySystem.h"

#include <limits>

namespace tlc::sim {

/// From here on times are numbers of requests.
inline constexpr double pendingTime = 0x1p52;
inline bool isPending(double time) { return time >= pendingTime; }
inline size_t requestOf(double time) { return size_t(time - pendingTime); }

class UnitMemory {
public:
  /// Of the compute units from \p firstCu on, as \p shared counts them, with
  /// zeros for their caches, aligned to 64.
  UnitMemory(MemorySystem &shared, void *zeros, unsigned firstCu, unsigned cus);
  static size_t bytesFor(unsigned cus);

  /// The line's number here, for all that follows.
  uint64_t physical(uint64_t line) {
    uint64_t page = line / pageLines;
    const Translated &known = lately[page % std::size(lately)];
    uint64_t frame = page == known.page ? known.frame : frameOf(page);
    return frame * pageLines + line % pageLines;
  }
  /// Has the host bring what a look-up of the line will read; \p line as it is
  /// outside.
  void fetchAhead(unsigned cu, uint64_t line) const;
  /// The same for a number of lines that may all be in L1.
  void fetchL1Ahead(unsigned cu, unsigned lines) const;
  /// The same just before, for a line as it is here.
  void fetchLevels(unsigned cu, uint64_t line, bool inL1) const;

  /// When a line that compute unit \p cu looks up at \p time is there.
  double load(unsigned cu, uint64_t line, unsigned halves, double time,
              bool bypassL1, MemoryCounters &counters);
  /// When a store has been acknowledged.
  double store(unsigned cu, uint64_t line, unsigned halves, double time,
               MemoryCounters &counters);
  /// A read-modify-write at L2, \p operations one after the other.
  double atomic(unsigned cu, uint64_t line, unsigned operations, double time,
                MemoryCounters &counters);
  /// A scalar load of a line of 64 bytes.
  double scalar(unsigned cu, uint64_t line, double time,
                MemoryCounters &counters);
  /// A line of instructions. Those that find an empty place are there, left by
  /// an earlier launch: only code larger than the cache misses.
  double instructions(unsigned cu, uint64_t line, double time,
                      MemoryCounters &counters);
  /// Of so much code; none are needed where all of it fits.
  void addInstructionCaches(uint64_t codeBytes);
  static bool needsInstructionCaches(uint64_t codeBytes) {
    return codeBytes > param::instructionBytes;
  }
  bool hasInstructionCaches() const { return !instructionCaches.empty(); }

  /// A workgroup has ended: see MemorySystem. Requests of later turns know.
  void noteGroupEnd(unsigned cu) {
    if (!defers)
      shared.noteGroupEnd();
    firstEnd = std::min(firstEnd, {turn, cu});
  }
  /// From now on requests wait until they are served.
  void defer() { defers = true; }
  /// Of all that come now: the cycle of the turn they are made in.
  void startTurn(uint64_t time) { turn = time; }
  size_t requestCount() const { return requests.size(); }
  /// Puts them in the order of their turns, and of compute units in a turn. The
  /// following go by place in that order.
  void sortRequests();
  uint64_t turnOf(size_t place) const { return requests[order[place]].turn; }
  void serve(size_t place);
  /// Has the host bring what serving it will read.
  void fetchAheadOf(size_t place) const;
  double readyAt(size_t request) const { return requests[request].ready; }
  /// When the soonest of what has been served is there.
  double soonest() const { return firstReady; }
  /// All have been served: the caches get their times.
  void settle();

private:
  using L1Cache = ListCache<param::l1Bytes / param::lineBytes / param::l1Sets>;
  using ScalarCache = Cache<4>;
  using InstructionCache = Cache<param::instructionWays>;
  static constexpr uint64_t pageLines = MemorySystem::pageLines;
  struct Cu {
    L1Cache l1;
    ScalarCache scalarCache;
    double fillFree = 0;
  };
  enum class Kind : uint8_t { Fill, Read, Write, Atomic };
  struct Request {
    double time;
    uint64_t line;
    MemoryCounters *counters;
    double *place; ///< in a cache, of the time
    uint64_t turn;
    double ready;
    uint32_t cu;
    uint16_t operations;
    Kind kind;
  };

  double ask(Kind kind, unsigned cu, uint64_t line, double time,
             unsigned operations, double *place, MemoryCounters &counters);
  double askNow(Kind kind, unsigned cu, uint64_t line, double time,
                unsigned operations, MemoryCounters &counters);
  uint64_t frameOf(uint64_t page);
  /// The line's number in L2 and beyond.
  uint64_t sharedLine(uint64_t line) {
    uint64_t &frame = sharedFrames[line / pageLines];
    if (frame == unknownFrame)
      frame = shared.frameOf(pageOfFrame[line / pageLines]);
    return frame * pageLines + line % pageLines;
  }
  bool knowsShared(uint64_t line) const {
    return sharedFrames[line / pageLines] != unknownFrame;
  }

  MemorySystem &shared;
  unsigned firstCu;
  std::vector<Cu> cus;
  std::unique_ptr<ZeroPages> instructionPages;
  std::vector<InstructionCache> instructionCaches; ///< of two compute units
  static constexpr uint64_t unknownFrame = ~uint64_t(0);
  std::unordered_map<uint64_t, uint64_t> frames; ///< by page
  std::vector<uint64_t> pageOfFrame, sharedFrames;
  /// Those asked for lately, by the low bits of the page.
  struct Translated {
    uint64_t page = ~uint64_t(0), frame = 0;
  };
  Translated lately[64];
  bool defers = false;
  uint64_t turn = 0;
  /// Of a workgroup: the turn and compute unit.
  std::pair<uint64_t, unsigned> firstEnd{~uint64_t(0), 0};
  double firstReady = std::numeric_limits<double>::infinity();
  std::vector<Request> requests;
  std::vector<uint32_t> order, begins; ///< see sortRequests()
};

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_TIMING_UNITMEMORY_H
