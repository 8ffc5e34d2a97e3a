//===- MemorySystem.h - L2 and memory in time -------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Answers when the data of a line is there. Every level has its latency and,
// as a server that is busy for a time with each line, its bandwidth: L2
// channels, the way from an XCD to the Infinity Cache, that cache, HBM. A line
// that is on its way is in the cache with the time of its arrival.
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

#include "Cache.h"
#include "LineSharing.h"
#include "Server.h"

#include "tlc/Simulator/Timing/Parameters.h"
#include "tlc/Simulator/Timing/Timing.h"

#include <memory>
#include <unordered_map>
#include <vector>

namespace tlc::sim {

class MemorySystem {
public:
  /// \p xcds of the device take part, each with \p cus compute units.
  /// \p sharing: what the other XCDs want.
  /// \p warm: what fits is in the Infinity Cache from the begin on.
  /// \p pages: those that have been met first, see frameOf().
  MemorySystem(unsigned xcds, unsigned cus, const LineSharing &sharing,
               bool warm, const std::vector<uint64_t> &pages);

  static constexpr uint64_t pageLines = param::pageBytes / param::lineBytes;
  /// The page's number here. Pages are numbered by who comes first: the host's
  /// addresses, which differ from run to run, must not decide which lines share
  /// a channel or a set.
  uint64_t frameOf(uint64_t page);
  /// In the order of their first use.
  const std::vector<uint64_t> &pagesMet() const { return pageOfFrame; }
  /// What a sample has read is noted there.
  const LineSharing &whatIsRead() const { return sharing; }
  /// Lines that L2 has got, those of them that became dirty, and how many it
  /// had got when the first did.
  double linesPlaced() const { return placed; }
  double linesWritten() const { return written; }
  double linesBeforeWrites() const { return written ? untilWrite : placed; }
  /// By how much XCDs are later, on average, than the first one that wants the
  /// same line: see LineSharing::measuresLag.
  double meanLag() const { return lagCount ? lagSum / double(lagCount) : 0; }
  /// Has the host bring what a look-up of the line will read.
  void fetchAhead(unsigned cu, uint64_t line) const;

  /// From the compute unit's L2 on; the time at which L2 has the line.
  double fromL2(unsigned cu, uint64_t line, double time, bool isWrite,
                MemoryCounters &counters);
  /// The line's channel of L2 does something else for so long.
  void holdChannel(unsigned cu, uint64_t line, double cycles);
  /// By atomics, of the channel that they held longest.
  double mostHeld() const;
  /// With only some XCDs in the run: so many of the device's still have work.
  void setActiveXcds(unsigned active) {
    share = double(xcds.size()) / double(std::max<size_t>(active, xcds.size()));
  }
  /// The first workgroups have ended.
  void noteGroupEnd() { othersAreAhead = isSample && sharing.othersGoAhead; }
  /// When all is written that is still on its way at \p time, and what is dirty
  /// in L2 then.
  double finish(double time, MemoryCounters &counters) const;

private:
  using L2Cache = Cache<param::l2Ways>;
  using MallCache = Cache<param::mallWays>;
  /// Lines of a channel that count as wanted at once.
  static constexpr unsigned recentLines = 16;
  struct Xcd {
    explicit Xcd(L2Cache l2) : l2(l2) {}
    L2Cache l2;
    double channelFree[param::l2Channels] = {};
    double atomicHeld[param::l2Channels] = {}; ///< cycles of it
    uint32_t recent[param::l2Channels][recentLines] = {};
    unsigned recentNext[param::l2Channels] = {};
    double linkFree = 0;
    uint64_t pages[param::tlbEntries] = {};
    uint64_t pageUsed[param::tlbEntries] = {};
    uint64_t pageClock = 0;
    unsigned lastPage = 0;          ///< the most recent of them
    std::vector<uint8_t> pagePlace; ///< by page, its number in `pages` + 1
  };
  /// What the XCDs share, and how busy it was.
  struct Shared {
    Server server;
    uint64_t window = 0;
    double now = 0, before = 0; ///< cycles, in this window and the last
  };

  Xcd &xcdOf(unsigned cu) { return xcds[cu / cusPerXcd]; }
  double beyondL2(unsigned cu, uint64_t line, double time,
                  MemoryCounters &counters);
  double translate(Xcd &xcd, uint64_t line);
  /// When the line is on its way.
  double writeBack(Xcd &xcd, uint64_t line, double time,
                   MemoryCounters &counters);
  /// `written` over `placed` is the fraction of lines that this launch makes
  /// dirty.
  void noteWritten(bool isNew) {
    if (isNew && !written)
      untilWrite = placed;
    written += isNew;
  }
  unsigned mallSet(uint64_t line);
  unsigned mallSetOf(uint64_t folded) const {
    return uint32_t(folded) % mallSetCount;
  }
  bool isWarm();
  bool othersFetch(uint64_t line) const;
  BroughtLines::Found findBrought(uint64_t line, double &since) const;
  double take(Shared &unit, double time, double cycles);
  bool isFirst(unsigned cu, uint64_t line, double time) const;
  void noteLag(unsigned cu, uint64_t line, double saved);
  void noteRead(uint64_t line);
  /// Outside, see frameOf().
  uint64_t virtualOf(uint64_t line) const;
  /// Gives a line a place in the Infinity Cache, and HBM the one it replaces.
  MallCache::Entry placeInMall(uint64_t line, unsigned set, double time,
                               MemoryCounters &counters, bool byOther);

  unsigned cusPerXcd;
  double share; ///< of what all XCDs share
  const bool isSample;
  LineSharing sharing;
  bool othersAreAhead; ///< see LineSharing
  std::vector<Xcd> xcds;
  /// What the others in the launch leave of the Infinity Cache.
  unsigned mallSetCount;
  ZeroPages pages; ///< of the caches
  MallCache mall;
  uint64_t warmLines; ///< that are still to be met
  Shared mallPorts, hbm;
  std::unordered_map<uint64_t, uint64_t> frames; ///< by page
  std::vector<uint64_t> pageOfFrame;
  /// Of a sample, by first use; 0: not used yet.
  std::vector<uint32_t> pieces;
  uint32_t piecesUsed = 0;
  std::vector<bool> wasRead;    ///< of a sample, by line
  mutable size_t lastRange = 0; ///< of LineSharing::brought
  /// Lines placed in L2, those of them that became dirty, and the fraction of
  /// a line that earlier launches still have to write.
  double placed = 0, written = 0, owed = 0, untilWrite = 0;
  std::vector<uint8_t> wanters; ///< by line, a bit an XCD
  double lagSum = 0;
  uint64_t lagCount = 0, drawn = 0;
};

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_TIMING_MEMORYSYSTEM_H
