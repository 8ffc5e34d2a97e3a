//===- MemorySystem.cpp - Caches and memory in time -----------------------===//
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
// Levels: L1 of a compute unit, L2 of an XCD in 16 channels, the Infinity Cache
// (MALL) and HBM for all. Each level and each link between them is a server
// with a time at which it is free, in fractional cycles. A request takes the
// first free time at each server in turn, so bandwidth limits and queues need
// no separate treatment. `share` is the part of the device that is simulated:
// with one XCD of eight, an eighth of the memory's bandwidth.
//
//===----------------------------------------------------------------------===//

#include "MemorySystem.h"

#include <algorithm>

using namespace tlc::sim;
using namespace tlc::sim::param;

namespace {

constexpr unsigned l1Ways = l1Bytes / lineBytes / l1Sets;
constexpr unsigned l2SetsPerChannel = l2Bytes / lineBytes / l2Ways / l2Channels;
constexpr unsigned mallSets = mallBytes / lineBytes / mallWays;
constexpr unsigned scalarSets = 64, scalarWays = 4;
/// From the address unit to L2, of the latency of L2.
constexpr double wayToL2 = 60;

uint64_t fold(uint64_t bits) { return bits ^ bits >> 15 ^ bits >> 31; }

unsigned l1Set(uint64_t line) { return line % l1Sets; }
/// Channels interleave by 256 bytes; the XOR of higher bits keeps strides from
/// meeting in one.
unsigned channelOf(uint64_t line) {
  uint64_t block = line >> 1; // 256 bytes
  return (block ^ block >> 4 ^ block >> 8 ^ block >> 12 ^ block >> 16) %
         l2Channels;
}
/// The channel's bits are left out of the row; the bit below them is kept.
unsigned l2Set(uint64_t line) {
  uint64_t row = (line >> 5) << 1 | (line & 1);
  return channelOf(line) * l2SetsPerChannel +
         (row ^ row >> 7 ^ row >> 14) % l2SetsPerChannel;
}

/// calloc: pages of a cache that a launch never touches cost nothing (the
/// Infinity Cache has two million entries).
template <typename T> T *zeroed(size_t count) {
  return static_cast<T *>(std::calloc(count, sizeof(T)));
}

} // namespace

Cache::Cache(unsigned sets, unsigned ways)
    : ways(ways), total(size_t(sets) * ways), entries(zeroed<Entry>(total)),
      dirty(zeroed<uint8_t>(total)) {}

/// Null on a miss. A hit makes the entry the most recently used. Tags are line
/// + 1, so that 0 is empty.
Cache::Entry *Cache::find(uint64_t line, unsigned set) {
  Entry *row = &entries[size_t(set) * ways];
  for (unsigned i = 0; i < ways; ++i)
    if (row[i].tag == line + 1) {
      row[i].used = ++clock;
      return &row[i];
    }
  return nullptr;
}

/// \p victim tells what was there. The new entry is clean.
Cache::Entry &Cache::insert(uint64_t line, unsigned set, Victim &victim) {
  Entry *row = &entries[size_t(set) * ways], *oldest = row;
  // An empty way, else the least recently used.
  for (unsigned i = 0; i < ways; ++i) {
    if (!row[i].tag) {
      oldest = &row[i];
      break;
    }
    if (row[i].used < oldest->used)
      oldest = &row[i];
  }
  uint8_t &isDirty = dirty[oldest - &entries[0]];
  victim = {oldest->tag - 1, oldest->tag != 0, isDirty != 0};
  isDirty = 0;
  oldest->tag = line + 1;
  oldest->used = ++clock;
  return *oldest;
}

void Cache::invalidate(uint64_t line, unsigned set) {
  if (Entry *entry = find(line, set)) {
    entry->tag = 0;
    entry->used = 0;
  }
}

/// Of the whole cache: what must still be written at the end.
uint64_t Cache::countDirty() const {
  return std::count(dirty.get(), dirty.get() + total, 1);
}

MemorySystem::Xcd::Xcd() : l2(l2SetsPerChannel * l2Channels, l2Ways) {}
MemorySystem::Cu::Cu()
    : l1(l1Sets, l1Ways), scalarCache(scalarSets, scalarWays) {}

/// \p sharers is how many XCDs want a line that one of them wants (1: nothing
/// is shared). With \p warm, data of earlier launches is in the Infinity Cache.
MemorySystem::MemorySystem(unsigned xcdCount, unsigned cuCount, double sharers,
                           bool warm)
    : cusPerXcd(cuCount), share(double(xcdCount) / param::xcds),
      sharers(sharers),
      // The part of the Infinity Cache that this part of the device has to
      // itself; shared lines are held once for all.
      mallSetCount(std::min<unsigned>(mallSets, mallSets * sharers * share)),
      mall(mallSetCount, mallWays),
      warmLines(warm ? uint64_t(mallSetCount) * mallWays : 0) {
  for (unsigned i = 0; i < xcdCount; ++i)
    xcds.push_back(std::make_unique<Xcd>());
  for (unsigned i = 0; i < xcdCount * cuCount; ++i)
    cus.push_back(std::make_unique<Cu>());
}

/// Cycles that the address translation adds: 0, or those of a miss. Fully
/// associative, least recently used.
double MemorySystem::translate(Xcd &xcd, uint64_t line) {
  uint64_t page = line / (pageBytes / lineBytes) + 1;
  unsigned oldest = 0;
  for (unsigned i = 0; i < tlbEntries; ++i) {
    if (xcd.pages[i] == page) {
      xcd.pageUsed[i] = ++xcd.pageClock;
      return 0;
    }
    if (xcd.pageUsed[i] < xcd.pageUsed[oldest])
      oldest = i;
  }
  xcd.pages[oldest] = page;
  xcd.pageUsed[oldest] = ++xcd.pageClock;
  return tlbMissCycles;
}

/// Pages get frames in the order of their first use: two runs see the same sets
/// and channels wherever the host has mapped the buffers.
uint64_t MemorySystem::physical(uint64_t line) {
  constexpr uint64_t pageLines = pageBytes / lineBytes;
  if (uint64_t page = line / pageLines; page != lastPage) {
    lastPage = page;
    lastFrame = frames.try_emplace(page, frames.size()).first->second;
  }
  return lastFrame * pageLines + line % pageLines;
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
/// of `sharers` that want a line one fetches it from HBM. They all want it at
/// about the same time, for workgroups begin together: all wait as long.
bool MemorySystem::othersFetch(uint64_t line) const {
  if (sharers <= 1)
    return false;
  uint64_t hash = (line + 1) * 0x9e3779b97f4a7c15;
  return double(hash >> 11) * 0x1p-53 >= 1 / sharers;
}

/// A new entry; what it replaces is written to HBM if dirty.
Cache::Entry &MemorySystem::placeInMall(uint64_t line, unsigned set,
                                        double time, MemoryCounters &counters) {
  Cache::Victim victim;
  Cache::Entry &entry = mall.insert(line, set, victim);
  bool writes = victim.valid && victim.dirty;
  // An empty place stands for a line of an earlier launch, dirty as often as
  // this one's lines are; fractions add up.
  if (!victim.valid && !warmLines) {
    owed += written / placed;
    writes = owed >= 1;
    owed -= writes;
  }
  if (writes) {
    counters.hbmBytes += lineBytes;
    hbmFree = std::max(hbmFree, time) + lineBytes / (hbmBytesPerCycle * share);
  }
  return entry;
}

/// A dirty line of L2 to the Infinity Cache.
double MemorySystem::writeBack(Xcd &xcd, uint64_t line, double time,
                               MemoryCounters &counters) {
  counters.mallBytes += lineBytes;
  xcd.linkFree =
      std::max(xcd.linkFree, time) + double(lineBytes) / linkBytesPerCycle;
  mallFree = std::max(mallFree, time) + lineBytes / (mallBytesPerCycle * share);
  unsigned set = fold(line) % mallSetCount;
  Cache::Entry *entry = mall.find(line, set);
  if (!entry) {
    entry = &placeInMall(line, set, time, counters);
    entry->ready = time;
  }
  mall.setDirty(*entry);
  // When the line has been taken.
  return std::max({xcd.linkFree, mallFree, hbmFree});
}

/// The link of the XCD, the Infinity Cache, HBM: each busy for the line, then
/// the latency of the level that has it.
double MemorySystem::beyondL2(Xcd &xcd, uint64_t line, double time,
                              MemoryCounters &counters) {
  double extra = translate(xcd, line);
  double start = std::max(time, xcd.linkFree);
  xcd.linkFree = start + double(lineBytes) / linkBytesPerCycle;
  start = std::max(start, mallFree);
  mallFree = start + lineBytes / (mallBytesPerCycle * share);
  counters.mallBytes += lineBytes;
  ++counters.mallLines;
  unsigned set = fold(line) % mallSetCount;
  if (Cache::Entry *entry = mall.find(line, set)) {
    ++counters.mallHits;
    // A line that is still on its way is a hit that waits.
    return std::max<double>(start + extra + mallLatency - l2Latency,
                            entry->ready);
  }
  Cache::Entry &entry = placeInMall(line, set, start, counters);
  double ready;
  if (isWarm()) {
    ++counters.mallHits;
    ready = start + extra + mallLatency - l2Latency;
  } else {
    start = std::max(start, hbmFree);
    if (othersFetch(line)) {
      ++counters.mallHits;
    } else {
      hbmFree = start + lineBytes / (hbmBytesPerCycle * share);
      counters.hbmBytes += lineBytes;
    }
    ready = start + extra + hbmLatency - l2Latency;
  }
  entry.ready = ready;
  return ready;
}

/// A read or write at L2; returns when the data is at the compute unit, or the
/// store accepted. Sets are by physical line.
double MemorySystem::fromL2(Xcd &xcd, uint64_t virtualLine, double time,
                            bool isWrite, MemoryCounters &counters) {
  uint64_t line = physical(virtualLine);
  unsigned channel = channelOf(line);
  // The same line again soon after: the channel reads it once for several.
  uint64_t *recent = xcd.recent[channel];
  bool repeat =
      std::find(recent, recent + recentLines, line) != recent + recentLines;
  if (!repeat) {
    recent[xcd.recentNext[channel]] = line;
    xcd.recentNext[channel] = (xcd.recentNext[channel] + 1) % recentLines;
  }
  double start = std::max(time, xcd.channelFree[channel]);
  xcd.channelFree[channel] =
      start + (repeat && !isWrite ? l2RepeatCycles : l2LineCycles);
  counters.l2Bytes += lineBytes;
  ++counters.l2Lines;
  unsigned set = l2Set(line);
  double hit = start + (l2Latency - wayToL2);
  if (Cache::Entry *entry = xcd.l2.find(line, set)) {
    ++counters.l2Hits;
    if (isWrite) {
      // `written` over `placed` is the fraction of lines that this launch makes
      // dirty.
      written += !xcd.l2.isDirty(*entry);
      xcd.l2.setDirty(*entry);
    }
    return std::max<double>(hit, entry->ready);
  }
  Cache::Victim victim;
  Cache::Entry &entry = xcd.l2.insert(line, set, victim);
  ++placed;
  written += isWrite;
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
              : beyondL2(xcd, line, start, counters) + (l2Latency - wayToL2);
  entry.ready = ready;
  if (isWrite)
    xcd.l2.setDirty(entry);
  return ready;
}

// Halves: bit 0 for the lower 64 bytes of the line, bit 1 for the upper.
double MemorySystem::load(unsigned cu, uint64_t line, unsigned halves,
                          double time, bool bypassL1,
                          MemoryCounters &counters) {
  Cu &unit = *cus[cu];
  counters.l1Bytes += halves == 3 ? lineBytes : lineBytes / 2;
  ++counters.l1Lines;
  unsigned set = l1Set(line);
  if (!bypassL1)
    if (Cache::Entry *entry = unit.l1.find(line, set)) {
      ++counters.l1Hits;
      return std::max<double>(time + l1Latency, entry->ready);
    }
  double data = fromL2(xcdOf(cu), line, time + wayToL2, false, counters);
  data = std::max(data, unit.fillFree);
  // The way into L1 takes a line at the L1's rate.
  unit.fillFree = data + double(lineBytes) / l1BytesPerCycle;
  if (!bypassL1) {
    Cache::Victim victim;
    unit.l1.insert(line, set, victim).ready = data;
  }
  return data;
}

/// L1 is written through and keeps no stored line.
double MemorySystem::store(unsigned cu, uint64_t line, unsigned halves,
                           double time, MemoryCounters &counters) {
  counters.l1Bytes += halves == 3 ? lineBytes : lineBytes / 2;
  ++counters.l1Lines;
  cus[cu]->l1.invalidate(line, l1Set(line));
  return fromL2(xcdOf(cu), line, time + wayToL2, true, counters);
}

/// The channel is busy one cycle more for each lane.
double MemorySystem::atomic(unsigned cu, uint64_t line, unsigned operations,
                            double time, MemoryCounters &counters) {
  cus[cu]->l1.invalidate(line, l1Set(line));
  Xcd &xcd = xcdOf(cu);
  double done = fromL2(xcd, line, time + wayToL2, true, counters);
  xcd.channelFree[channelOf(physical(line))] += operations;
  return done + operations;
}

/// The scalar cache, whose lines of 64 bytes are halves of L2's.
double MemorySystem::scalar(unsigned cu, uint64_t line, double time,
                            MemoryCounters &counters) {
  Cu &unit = *cus[cu];
  ++counters.scalarLines;
  unsigned set = line % scalarSets;
  if (Cache::Entry *entry = unit.scalarCache.find(line, set)) {
    ++counters.scalarHits;
    return std::max<double>(time + scalarLatency, entry->ready);
  }
  double data = fromL2(xcdOf(cu), line * scalarLineBytes / lineBytes,
                       time + wayToL2, false, counters);
  Cache::Victim victim;
  unit.scalarCache.insert(line, set, victim).ready = data;
  return data;
}

/// The time when all stores have reached memory: dirty lines of the L2s are
/// written back at the end of a launch, by all XCDs at once. The slowest of
/// link, Infinity Cache and HBM decides.
double MemorySystem::finish(double time, MemoryCounters &counters) const {
  uint64_t most = 0, all = 0;
  double onItsWay = std::max({time, mallFree, hbmFree});
  for (const auto &xcd : xcds) {
    uint64_t lines = xcd->l2.countDirty();
    most = std::max(most, lines);
    all += lines;
    onItsWay = std::max(onItsWay, xcd->linkFree);
  }
  counters.mallBytes += all * lineBytes;
  // They replace lines of which some are dirty.
  uint64_t evicted =
      warmLines || !all ? 0 : uint64_t(double(all) * written / placed);
  counters.hbmBytes += evicted * lineBytes;
  return onItsWay +
         std::max({double(most) * lineBytes / linkBytesPerCycle,
                   double(all) * lineBytes / (mallBytesPerCycle * share),
                   double(evicted) * lineBytes / (hbmBytesPerCycle * share)});
}
