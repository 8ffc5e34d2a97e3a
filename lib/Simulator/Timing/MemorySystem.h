//===- MemorySystem.h - Caches and memory in time ---------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Answers when the data of a line is there. Every level has its latency and,
// as a server that is busy for a time with each line, its bandwidth: L1 fill
// ports, L2 channels, the way from an XCD to the Infinity Cache, that cache,
// HBM. A line that is on its way is in the cache with the time of its arrival.
//
// Where fewer XCDs than there are take part in a run, the shared levels serve
// them at their share of the bandwidth.
//
// What is written stays in the Infinity Cache for a time. So that a launch pays
// for its writes all the same, an empty place there counts as one that a launch
// like this one has left: dirty in proportion.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_TIMING_MEMORYSYSTEM_H
#define TLC_LIB_SIMULATOR_TIMING_MEMORYSYSTEM_H

#include "LineSharing.h"

#include "tlc/Simulator/Timing/Parameters.h"
#include "tlc/Simulator/Timing/Timing.h"

#include <memory>
#include <unordered_map>
#include <vector>

namespace tlc::sim {

/// A set-associative cache with least-recently-used replacement. What a look-up
/// goes through lies close together.
class Cache {
public:
  Cache(unsigned sets, unsigned ways);

  using Entry = double; ///< when the data is there
  struct Victim {
    uint64_t line = 0;
    bool valid = false, dirty = false;
  };

  /// The entry of a line, made the most recent, or null. Lines are below 2^32.
  Entry *find(uint64_t line, unsigned set);
  /// Replaces the least recent entry of the set.
  Entry &insert(uint64_t line, unsigned set, Victim &victim);
  void invalidate(uint64_t line, unsigned set);
  bool isDirty(const Entry &entry) const { return dirty[&entry - &entries[0]]; }
  void setDirty(const Entry &entry) { dirty[&entry - &entries[0]] = 1; }
  uint64_t countDirty() const;

private:
  /// Zeros that cost nothing until they are touched.
  struct Unmap {
    size_t bytes;
    void operator()(void *p) const;
  };
  unsigned ways;
  size_t total;
  uint32_t clock = 0;
  std::unique_ptr<void, Unmap> memory;
  // Within it.
  Entry *entries;
  uint32_t *tags; ///< line + 1; 0: empty
  uint32_t *used;
  uint8_t *dirty;
};

class MemorySystem {
public:
  /// \p xcds of the device take part, each with \p cus compute units.
  /// \p sharing: what the other XCDs want.
  /// \p warm: what fits is in the Infinity Cache from the begin on.
  MemorySystem(unsigned xcds, unsigned cus, const LineSharing &sharing,
               bool warm);

  /// When a line that compute unit \p cu looks up at \p time is there.
  double load(unsigned cu, uint64_t line, unsigned halves, double time,
              bool bypassL1, MemoryCounters &counters);
  /// When a store has been acknowledged.
  double store(unsigned cu, uint64_t line, unsigned halves, double time,
               MemoryCounters &counters);
  /// A read-modify-write of \p operations lanes at L2.
  double atomic(unsigned cu, uint64_t line, unsigned operations, double time,
                MemoryCounters &counters);
  /// A scalar load of a line of 64 bytes.
  double scalar(unsigned cu, uint64_t line, double time,
                MemoryCounters &counters);
  /// When all is written that is still on its way at \p time, and what is dirty
  /// in L2 then.
  double finish(double time, MemoryCounters &counters) const;

private:
  /// Lines of a channel that count as wanted at once.
  static constexpr unsigned recentLines = 16;
  struct Xcd {
    Xcd();
    Cache l2;
    double channelFree[param::l2Channels] = {};
    uint32_t recent[param::l2Channels][recentLines] = {};
    unsigned recentNext[param::l2Channels] = {};
    double linkFree = 0;
    uint64_t pages[param::tlbEntries] = {};
    uint64_t pageUsed[param::tlbEntries] = {};
    uint64_t pageClock = 0;
  };
  struct Cu {
    Cu();
    Cache l1, scalarCache;
    double fillFree = 0;
  };

  Xcd &xcdOf(unsigned cu) { return *xcds[cu / cusPerXcd]; }
  /// From the L2 of an XCD on; the time at which L2 has the line.
  double fromL2(Xcd &xcd, uint64_t line, double time, bool isWrite,
                MemoryCounters &counters);
  double beyondL2(Xcd &xcd, uint64_t line, double time,
                  MemoryCounters &counters);
  double translate(Xcd &xcd, uint64_t line);
  /// Pages are numbered by who comes first: the host's addresses, which differ
  /// from run to run, must not decide which lines share a channel or a set.
  uint64_t physical(uint64_t line);
  /// When the line is on its way.
  double writeBack(Xcd &xcd, uint64_t line, double time,
                   MemoryCounters &counters);
  bool isWarm();
  bool othersFetch(uint64_t line) const;
  /// Gives a line a place in the Infinity Cache, and HBM the one it replaces.
  Cache::Entry &placeInMall(uint64_t line, unsigned set, double time,
                            MemoryCounters &counters);

  unsigned cusPerXcd;
  double share;
  LineSharing sharing;
  std::vector<std::unique_ptr<Xcd>> xcds;
  std::vector<std::unique_ptr<Cu>> cus;
  /// What the others in the launch leave of the Infinity Cache.
  unsigned mallSetCount;
  Cache mall;
  uint64_t warmLines; ///< that are still to be met
  double mallFree = 0, hbmFree = 0;
  std::unordered_map<uint64_t, uint64_t> frames; ///< by page
  std::vector<uint64_t> pageOfFrame;
  uint64_t lastPage = ~uint64_t(0), lastFrame = 0;
  /// Lines placed in L2, those of them that became dirty, and the fraction of
  /// a line that earlier launches still have to write.
  double placed = 0, written = 0, owed = 0;
};

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_TIMING_MEMORYSYSTEM_H
