//===- MemorySystem.cpp - L2 and memory in time ---------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The measured latencies are from the load to its use through all levels; what
// a level adds is the difference to the one before. The set of a line is taken
// from folded address bits, so that strides of powers of two do not collide in
// L2 and beyond; the L1's four sets are plain address bits, as reported.
//
//===----------------------------------------------------------------------===//

#include "MemorySystem.h"

#include <algorithm>
#include <cstdlib>
#include <sys/mman.h>

using namespace tlc::sim;
using namespace tlc::sim::param;

namespace {

constexpr unsigned l2SetsPerChannel = l2Bytes / lineBytes / l2Ways / l2Channels;
constexpr unsigned l2Sets = l2SetsPerChannel * l2Channels;
constexpr unsigned mallSets = mallBytes / lineBytes / mallWays;
/// In which a compute unit is the first of those that want the same, or not.
constexpr unsigned turnCycles = 8192;
/// Lines of a piece of an array, 2 KB: see mallSet().
constexpr uint64_t pieceLines = 16;
/// By so much XCDs that are apart ask earlier or later.
constexpr double apartCycles = 8192;
/// From 0 to below 1, by a hash.
double uniform(uint64_t value) {
  value *= 0x9e3779b97f4a7c15;
  return double((value ^ value >> 32) >> 11 & ((uint64_t(1) << 53) - 1)) *
         0x1p-53;
}
/// Of a table by lines, or parts of them; frames are numbered without gaps.
template <typename T> T &entryOf(std::vector<T> &table, uint64_t index) {
  if (index >= table.size())
    table.resize(std::max<size_t>(2 * table.size(), index + 1));
  return table[index];
}
uint64_t fold(uint64_t bits) { return bits ^ bits >> 15 ^ bits >> 31; }

/// Channels interleave by 256 bytes; the XOR of higher bits keeps strides from
/// meeting in one.
unsigned channelOf(uint64_t line) {
  uint64_t block = line >> 1; // 256 bytes
  return (block ^ block >> 4 ^ block >> 8 ^ block >> 12 ^ block >> 16) %
         l2Channels;
}
unsigned l2Set(uint64_t line, unsigned channel) {
  uint64_t row = (line >> 5) << 1 | (line & 1);
  return channel * l2SetsPerChannel +
         (row ^ row >> 7 ^ row >> 14) % l2SetsPerChannel;
}

} // namespace

void ZeroPages::Release::operator()(void *p) const { munmap(p, bytes); }

ZeroPages::ZeroPages(size_t bytes) {
  constexpr size_t large = 2 << 20;
  size_t all = bytes + large;
  memory = {mmap(nullptr, all, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0),
            Release{all}};
  if (memory.get() == MAP_FAILED)
    std::abort();
  before = -reinterpret_cast<uintptr_t>(memory.get()) % large;
  // A wish: without it all is as well, only slower.
  (void)madvise(at(0), bytes, MADV_HUGEPAGE);
}

/// All caches lie in one piece, so that a small launch, which touches few of
/// them, pays for those only.
MemorySystem::MemorySystem(unsigned xcdCount, unsigned cuCount,
                           const LineSharing &sharing, bool warm,
                           const std::vector<uint64_t> &pagesMet)
    : cusPerXcd(cuCount), share(double(xcdCount) / param::xcds),
      isSample(share < 1), sharing(sharing),
      othersAreAhead(isSample && sharing.othersAreAhead),
      mallSetCount(
          std::min<unsigned>(mallSets, mallSets * sharing.mean() * share)),
      pages(xcdCount * L2Cache::bytesFor(l2Sets) +
            MallCache::bytesFor(mallSetCount)),
      mall(pages.at(0)),
      warmLines(warm ? uint64_t(mallSetCount) * mallWays : 0) {
  for (uint64_t page : pagesMet)
    if (frames.try_emplace(page, frames.size()).second)
      pageOfFrame.push_back(page);
  size_t at = MallCache::bytesFor(mallSetCount);
  auto take = [&](size_t bytes) {
    void *zeros = pages.at(at);
    at += bytes;
    return zeros;
  };
  for (unsigned i = 0; i < xcdCount; ++i)
    xcds.emplace_back(L2Cache(take(L2Cache::bytesFor(l2Sets))));
}

/// Cycles that the address translation adds: 0, or those of a miss. Fully
/// associative, least recently used.
double MemorySystem::translate(Xcd &xcd, uint64_t line) {
  uint64_t page = line / pageLines + 1;
  if (xcd.pages[xcd.lastPage] == page)
    return 0;
  uint8_t &place = entryOf(xcd.pagePlace, page);
  if (place) {
    xcd.lastPage = place - 1;
    xcd.pageUsed[xcd.lastPage] = ++xcd.pageClock;
    return 0;
  }
  unsigned oldest = unsigned(
      std::min_element(xcd.pageUsed, xcd.pageUsed + tlbEntries) - xcd.pageUsed);
  place = uint8_t(oldest + 1);
  if (uint64_t before = xcd.pages[oldest])
    xcd.pagePlace[before] = 0;
  xcd.lastPage = oldest;
  xcd.pages[oldest] = page;
  xcd.pageUsed[oldest] = ++xcd.pageClock;
  return tlbMissCycles;
}

/// Pages get frames in the order of their first use: two runs see the same sets
/// and channels wherever the host has mapped the buffers.
uint64_t MemorySystem::frameOf(uint64_t page) {
  auto [frame, isNew] = frames.try_emplace(page, frames.size());
  if (isNew)
    pageOfFrame.push_back(page);
  return frame->second;
}

void MemorySystem::fetchAhead(unsigned cu, uint64_t line) const {
  xcds[cu / cusPerXcd].l2.fetchAhead(l2Set(line, channelOf(line)));
  if (isSample) {
    uint64_t piece = line / pieceLines;
    uint32_t number = piece < pieces.size() ? pieces[piece] : 0;
    if (!number)
      return;
    line = uint64_t(number - 1) * pieceLines + line % pieceLines;
  }
  mall.fetchAhead(mallSetOf(fold(line)));
}

void MemorySystem::holdChannel(unsigned cu, uint64_t line, double cycles) {
  Xcd &xcd = xcdOf(cu);
  unsigned channel = channelOf(line);
  xcd.channelFree[channel] += cycles;
  xcd.atomicHeld[channel] += cycles;
}

double MemorySystem::mostHeld() const {
  double most = 0;
  for (const Xcd &xcd : xcds)
    for (double held : xcd.atomicHeld)
      most = std::max(most, held);
  return most;
}

uint64_t MemorySystem::virtualOf(uint64_t line) const {
  return pageOfFrame[line / pageLines] * pageLines + line % pageLines;
}

/// Whether the line, not met before, counts as left in the Infinity Cache by an
/// earlier launch: the first ones do, as many as it holds.
bool MemorySystem::isWarm() {
  if (!warmLines)
    return false;
  --warmLines;
  return true;
}

/// With only some XCDs in the run, the others fetch lines that these want, too:
/// of `sharers` that want a line one fetches it from HBM.
bool MemorySystem::othersFetch(uint64_t line) const {
  return isSample &&
         uniform(line + 1) >= 1 / sharing.of(virtualOf(line)).sharers;
}

/// Workgroups that want the same come to it one soon after the other, on
/// several XCDs. One of them goes ahead for a while, tile by tile, and waits
/// for HBM; so a compute unit, not single lines, is drawn to be the first.
bool MemorySystem::isFirst(unsigned cu, uint64_t line, double time) const {
  if (!isSample)
    return true;
  const LineSharing::Range &range = sharing.of(virtualOf(line));
  uint64_t turn = uint64_t(time) / turnCycles;
  return uniform(turn << 16 | (cu + 1)) <
         (othersAreAhead ? range.alone : 1 / range.sharers);
}

/// In a run of some XCDs the others want as much. Where all do the same they
/// want it at the same time, so that a request takes as much longer. Where they
/// do not, a request meets theirs as often as the unit is busy; the rest of
/// them came before.
double MemorySystem::take(Shared &unit, double time, double cycles) {
  double others = cycles * (1 / share - 1);
  if (!othersAreAhead)
    return unit.server.take(time, cycles + others);
  uint64_t window = uint64_t(time / apartCycles);
  if (window > unit.window) {
    unit.before = window == unit.window + 1 ? unit.now : 0;
    unit.now = 0;
    unit.window = window;
  }
  unit.now += cycles + others;
  double met = others * std::min(1.0, unit.before / apartCycles);
  double begin = unit.server.take(time, cycles + met);
  if (others > met)
    unit.server.take(std::max(0.0, time - uniform(++drawn) * apartCycles),
                     others - met);
  return begin;
}

/// A new entry; what it replaces is written to HBM if dirty. A line that
/// another XCD brings takes a place once for all of them, of the device's
/// share, so it owes nothing for an empty one.
auto MemorySystem::placeInMall(uint64_t line, unsigned set, double time,
                               MemoryCounters &counters, bool byOther)
    -> MallCache::Entry {
  MallCache::Victim victim;
  MallCache::Entry entry = mall.insert(line, set, victim);
  bool writes = victim.valid && victim.dirty;
  // An empty place stands for a line of an earlier launch, dirty as often as
  // this one's lines are; fractions add up.
  if (!victim.valid && !warmLines && !byOther) {
    owed += written / placed;
    writes = owed >= 1;
    owed -= writes;
  }
  if (writes) {
    counters.hbmBytes += lineBytes;
    take(hbm, time, double(lineBytes) / hbmBytesPerCycle);
  }
  return entry;
}

/// A dirty line of L2 to the Infinity Cache.
double MemorySystem::writeBack(Xcd &xcd, uint64_t line, double time,
                               MemoryCounters &counters) {
  counters.mallBytes += lineBytes;
  xcd.linkFree =
      std::max(xcd.linkFree, time) + double(lineBytes) / linkBytesPerCycle;
  double taken = take(mallPorts, time, double(lineBytes) / mallBytesPerCycle);
  unsigned set = mallSet(line);
  MallCache::Entry entry = mall.find(line, set);
  if (!entry) {
    // One that others write a part of is there when they have written it.
    entry = placeInMall(line, set, time, counters, othersFetch(line));
    entry.setTime(time);
  }
  mall.setDirty(entry);
  // When the line has been taken.
  return std::max({xcd.linkFree, taken, hbm.server.backlog()});
}

/// What one XCD wants may be every eighth piece of an array: in its part of the
/// cache the pieces lie as close together as all of them do in the whole.
unsigned MemorySystem::mallSet(uint64_t line) {
  if (isSample) {
    uint32_t &number = entryOf(pieces, line / pieceLines);
    if (!number)
      number = ++piecesUsed;
    line = uint64_t(number - 1) * pieceLines + line % pieceLines;
  }
  return mallSetOf(fold(line));
}

/// By how much this XCD is later than the one for which the line was brought,
/// as far as that saves it waiting; where it is its first look-up of it.
void MemorySystem::noteLag(unsigned cu, uint64_t line, double saved) {
  uint8_t &mask = entryOf(wanters, line);
  uint8_t bit = uint8_t(1u << cu / cusPerXcd);
  if (mask && !(mask & bit)) {
    lagSum += std::clamp(saved, 0.0, double(hbmLatency - mallLatency));
    ++lagCount;
  }
  mask |= bit;
}

/// From HBM, for this XCD.
void MemorySystem::noteRead(uint64_t line) {
  if (line >= wasRead.size())
    wasRead.resize(std::max<size_t>(2 * wasRead.size(), line + 1));
  const LineSharing::Range &range = sharing.of(virtualOf(line));
  ++(wasRead[line] ? range.again : range.once);
  wasRead[line] = true;
}

/// The link of the XCD, the Infinity Cache, HBM: each busy for the line, then
/// the latency of the level that has it.
double MemorySystem::beyondL2(unsigned cu, uint64_t line, double time,
                              MemoryCounters &counters) {
  Xcd &xcd = xcdOf(cu);
  double extra = translate(xcd, line);
  counters.translationMisses += extra > 0;
  double start = std::max(time, xcd.linkFree);
  xcd.linkFree = start + double(lineBytes) / linkBytesPerCycle;
  start = take(mallPorts, start, double(lineBytes) / mallBytesPerCycle);
  counters.mallBytes += lineBytes;
  ++counters.mallLines;
  unsigned set = mallSet(line);
  double soonest = start + extra + mallLatency - l2Latency;
  if (MallCache::Entry entry = mall.find(line, set)) {
    ++counters.mallHits;
    if (sharing.measuresLag)
      noteLag(cu, line, soonest + (hbmLatency - mallLatency) - entry.time());
    return entry.timeFrom(soonest);
  }
  bool others = othersFetch(line);
  MallCache::Entry entry = placeInMall(line, set, start, counters, others);
  double ready;
  if (isWarm()) {
    ++counters.mallHits;
    ready = soonest;
  } else {
    start = take(hbm, start, others ? 0 : double(lineBytes) / hbmBytesPerCycle);
    counters.mallHits += others;
    counters.hbmBytes += others ? 0 : lineBytes;
    if (isSample && !others)
      noteRead(line);
    ready = start + extra + hbmLatency - l2Latency;
    if (!isFirst(cu, line, time))
      ready = othersAreAhead ? soonest : std::max(soonest, ready - sharing.lag);
  }
  if (sharing.measuresLag)
    entryOf(wanters, line) = uint8_t(1u << cu / cusPerXcd);
  entry.setTime(ready);
  return ready;
}

double MemorySystem::fromL2(unsigned cu, uint64_t line, double time,
                            bool isWrite, MemoryCounters &counters) {
  Xcd &xcd = xcdOf(cu);
  unsigned channel = channelOf(line);
  uint32_t *recent = xcd.recent[channel];
  bool repeat = false;
  for (unsigned i = 0; i < recentLines; ++i)
    repeat |= recent[i] == uint32_t(line);
  if (!repeat) {
    recent[xcd.recentNext[channel]] = uint32_t(line);
    xcd.recentNext[channel] = (xcd.recentNext[channel] + 1) % recentLines;
  }
  double start = std::max(time, xcd.channelFree[channel]);
  xcd.channelFree[channel] =
      start + (repeat && !isWrite ? l2RepeatCycles : l2LineCycles);
  counters.l2Bytes += lineBytes;
  ++counters.l2Lines;
  unsigned set = l2Set(line, channel);
  double hit = start + (l2Latency - wayToL2);
  if (L2Cache::Entry entry = xcd.l2.find(line, set)) {
    ++counters.l2Hits;
    if (isWrite) {
      noteWritten(!entry.isDirty());
      xcd.l2.setDirty(entry);
    }
    return entry.timeFrom(hit);
  }
  L2Cache::Victim victim;
  L2Cache::Entry entry = xcd.l2.insert(line, set, victim);
  ++placed;
  noteWritten(isWrite);
  if (victim.valid && victim.dirty) {
    // The channel cannot go on before it has got rid of the line.
    double accepted =
        writeBack(xcd, victim.line, start, counters) - writeQueueCycles;
    if (isWrite && accepted > start) {
      xcd.channelFree[channel] = std::max(xcd.channelFree[channel], accepted);
      hit += accepted - start;
    }
  }
  // A store of whole lines needs nothing from memory.
  double ready =
      isWrite ? hit
              : beyondL2(cu, line, start, counters) + (l2Latency - wayToL2);
  entry.setTime(ready);
  if (isWrite)
    xcd.l2.setDirty(entry);
  return ready;
}

/// The time when all stores have reached memory: dirty lines of the L2s are
/// written back at the end of a launch, by all XCDs at once. The slowest of
/// link, Infinity Cache and HBM decides.
double MemorySystem::finish(double time, MemoryCounters &counters) const {
  uint64_t most = 0, all = 0;
  double onItsWay = std::max({time, mallPorts.server.end(), hbm.server.end()});
  for (const Xcd &xcd : xcds) {
    uint64_t lines = xcd.l2.countDirty();
    most = std::max(most, lines);
    all += lines;
    onItsWay = std::max(onItsWay, xcd.linkFree);
  }
  counters.mallBytes += all * lineBytes;
  // They replace lines of which some are dirty.
  uint64_t evicted =
      warmLines || !all ? 0 : uint64_t(double(all) * written / placed);
  counters.hbmBytes += evicted * lineBytes;
  // Those that ended early take part.
  double ofAll = double(xcds.size()) / param::xcds;
  return onItsWay +
         std::max({double(most) * lineBytes / linkBytesPerCycle,
                   double(all) * lineBytes / (mallBytesPerCycle * ofAll),
                   double(evicted) * lineBytes / (hbmBytesPerCycle * ofAll)});
}
