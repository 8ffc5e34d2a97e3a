//===- UnitMemory.cpp - What compute units have of memory -----------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A request that waits leaves its number in the cache that waits for it. The
// place may have been given to another line by the time it is served: then the
// number there is another one's.
//
//===----------------------------------------------------------------------===//

#include "UnitMemory.h"

#include <algorithm>
#include <ranges>

using namespace tlc::sim;
using namespace tlc::sim::param;

namespace {

constexpr unsigned scalarSets = 64;
constexpr unsigned instructionSets =
    instructionBytes / instructionLineBytes / instructionWays;
/// Compute units that share an instruction cache.
constexpr unsigned cusPerInstructionCache = 2;

unsigned l1Set(uint64_t line) { return line % l1Sets; }

} // namespace

size_t UnitMemory::bytesFor(unsigned cus) {
  return size_t(cus) *
         (L1Cache::bytesFor(l1Sets) + ScalarCache::bytesFor(scalarSets));
}

UnitMemory::UnitMemory(MemorySystem &shared, void *zeros, unsigned firstCu,
                       unsigned count)
    : shared(shared), firstCu(firstCu) {
  auto take = [&](size_t bytes) {
    void *taken = zeros;
    zeros = static_cast<char *>(zeros) + bytes;
    return taken;
  };
  cus.reserve(count);
  for (unsigned i = 0; i < count; ++i) {
    L1Cache l1(take(L1Cache::bytesFor(l1Sets)));
    ScalarCache scalars(take(ScalarCache::bytesFor(scalarSets)));
    cus.push_back({l1, scalars, 0});
  }
}

/// Numbers in the order of their first use here.
uint64_t UnitMemory::frameOf(uint64_t page) {
  auto [frame, isNew] = frames.try_emplace(page, frames.size());
  lately[page % std::size(lately)] = {page, frame->second};
  if (isNew) {
    pageOfFrame.push_back(page);
    sharedFrames.push_back(unknownFrame);
  }
  return frame->second;
}

void UnitMemory::fetchAhead(unsigned cu, uint64_t line) const {
  uint64_t page = line / pageLines;
  const Translated &known = lately[page % std::size(lately)];
  if (page != known.page)
    return;
  line = known.frame * pageLines + line % pageLines;
  cus[cu].l1.fetchAhead(l1Set(line));
  fetchLevels(cu, line, false);
}

void UnitMemory::fetchL1Ahead(unsigned cu, unsigned lines) const {
  for (unsigned set = 0; set < l1Sets; ++set)
    if (lines < 8)
      cus[cu].l1.fetchAhead(set);
    else
      cus[cu].l1.fetchAll(set);
}

void UnitMemory::fetchLevels(unsigned cu, uint64_t line, bool inL1) const {
  // What waits is looked up by another thread.
  if (defers || (inL1 && cus[cu].l1.holds(line, l1Set(line))))
    return;
  if (uint64_t frame = sharedFrames[line / pageLines]; frame != unknownFrame)
    shared.fetchAhead(firstCu + cu, frame * pageLines + line % pageLines);
}

/// When L2 and beyond have it, or the number of the request that will say so.
double UnitMemory::ask(Kind kind, unsigned cu, uint64_t line, double time,
                       unsigned operations, double *place,
                       MemoryCounters &counters) {
  if (!defers) {
    double ready = askNow(kind, cu, line, time, operations, counters);
    if (place)
      *place = ready;
    return ready;
  }
  double number = pendingTime + double(requests.size());
  requests.push_back(
      {time, line, &counters, place, turn, 0, cu, uint16_t(operations), kind});
  if (place)
    *place = number;
  return number;
}

double UnitMemory::askNow(Kind kind, unsigned unit, uint64_t line, double time,
                          unsigned operations, MemoryCounters &counters) {
  line = sharedLine(line);
  unsigned cu = firstCu + unit;
  bool isWrite = kind == Kind::Write || kind == Kind::Atomic;
  double data = shared.fromL2(cu, line, time + wayToL2, isWrite, counters);
  if (kind == Kind::Fill) {
    // The way into L1 takes a line at the L1's rate.
    double &free = cus[unit].fillFree;
    data = std::max(data, free);
    free = data + double(lineBytes) / l1BytesPerCycle;
  } else if (kind == Kind::Atomic) {
    double cycles = operations * double(atomicCycles);
    shared.holdChannel(cu, line, cycles);
    counters.atomicCycles += uint64_t(cycles);
    data += cycles;
  }
  return data;
}

void UnitMemory::sortRequests() {
  order.resize(requests.size());
  auto turn = [&](const Request &r) { return r.turn; };
  if (requests.empty())
    return;
  auto [first, last] =
      std::ranges::minmax(requests | std::views::transform(turn));
  // By turn, in as many buckets as a window has cycles.
  begins.assign(last - first + 2, 0);
  for (const Request &r : requests)
    ++begins[r.turn - first + 1];
  for (size_t i = 1; i < begins.size(); ++i)
    begins[i] += begins[i - 1];
  for (uint32_t number = 0; number < requests.size(); ++number)
    order[begins[requests[number].turn - first]++] = number;
  // By compute unit: they are visited in this order, but for few.
  auto comesBefore = [&](uint32_t a, uint32_t b) {
    const Request &x = requests[a], &y = requests[b];
    return x.turn == y.turn && x.cu < y.cu;
  };
  for (size_t i = 1; i < order.size(); ++i)
    for (size_t at = i; at && comesBefore(order[at], order[at - 1]); --at)
      std::swap(order[at], order[at - 1]);
}

void UnitMemory::serve(size_t place) {
  Request &r = requests[order[place]];
  if (std::pair(r.turn, r.cu) > firstEnd)
    shared.noteGroupEnd();
  r.ready = askNow(r.kind, r.cu, r.line, r.time, r.operations, *r.counters);
  firstReady = std::min(firstReady, r.ready);
}

void UnitMemory::fetchAheadOf(size_t place) const {
  const Request &request = requests[order[place]];
  if (uint64_t frame = sharedFrames[request.line / pageLines];
      frame != unknownFrame)
    shared.fetchAhead(firstCu + request.cu,
                      frame * pageLines + request.line % pageLines);
}

void UnitMemory::settle() {
  // The host's caches have mostly lost the places.
  constexpr size_t distance = 16;
  double number = pendingTime;
  for (const Request &request : requests) {
    if (&request + distance < requests.data() + requests.size())
      __builtin_prefetch((&request)[distance].place, 1);
    if (request.place && *request.place == number)
      *request.place = request.ready;
    number += 1;
  }
  requests.clear();
  firstReady = std::numeric_limits<double>::infinity();
}

double UnitMemory::load(unsigned cu, uint64_t line, unsigned halves,
                        double time, bool bypassL1, MemoryCounters &counters) {
  Cu &unit = cus[cu];
  counters.l1Bytes += halves == 3 ? lineBytes : lineBytes / 2;
  ++counters.l1Lines;
  unsigned set = l1Set(line);
  double *place = nullptr;
  if (!bypassL1) {
    if (const double *there = unit.l1.find(line, set)) {
      ++counters.l1Hits;
      return std::max<double>(time + l1Latency, *there);
    }
    place = &unit.l1.insert(line, set);
  }
  return ask(Kind::Fill, cu, line, time, 0, place, counters);
}

double UnitMemory::store(unsigned cu, uint64_t line, unsigned halves,
                         double time, MemoryCounters &counters) {
  counters.l1Bytes += halves == 3 ? lineBytes : lineBytes / 2;
  ++counters.l1Lines;
  cus[cu].l1.invalidate(line, l1Set(line));
  return ask(Kind::Write, cu, line, time, 0, nullptr, counters);
}

double UnitMemory::atomic(unsigned cu, uint64_t line, unsigned operations,
                          double time, MemoryCounters &counters) {
  cus[cu].l1.invalidate(line, l1Set(line));
  return ask(Kind::Atomic, cu, line, time, operations, nullptr, counters);
}

double UnitMemory::scalar(unsigned cu, uint64_t virtualLine, double time,
                          MemoryCounters &counters) {
  constexpr unsigned perLine = lineBytes / scalarLineBytes;
  uint64_t line =
      physical(virtualLine / perLine) * perLine + virtualLine % perLine;
  ScalarCache &cache = cus[cu].scalarCache;
  ++counters.scalarLines;
  unsigned set = line % scalarSets;
  if (ScalarCache::Entry entry = cache.find(line, set)) {
    ++counters.scalarHits;
    return entry.timeFrom(time + scalarLatency);
  }
  ScalarCache::Victim victim;
  double *place = cache.insert(line, set, victim).place();
  return ask(Kind::Read, cu, line / perLine, time, 0, place, counters);
}

void UnitMemory::addInstructionCaches(uint64_t codeBytes) {
  if (!needsInstructionCaches(codeBytes))
    return;
  size_t each = InstructionCache::bytesFor(instructionSets);
  size_t count =
      (cus.size() + cusPerInstructionCache - 1) / cusPerInstructionCache;
  instructionPages = std::make_unique<ZeroPages>(count * each);
  for (size_t i = 0; i < count; ++i)
    instructionCaches.emplace_back(instructionPages->at(i * each));
}

double UnitMemory::instructions(unsigned cu, uint64_t line, double time,
                                MemoryCounters &counters) {
  InstructionCache &cache = instructionCaches[cu / cusPerInstructionCache];
  unsigned set = line % instructionSets;
  if (InstructionCache::Entry entry = cache.find(line, set))
    return entry.timeFrom(time);
  InstructionCache::Victim victim;
  InstructionCache::Entry entry = cache.insert(line, set, victim);
  if (!victim.valid) {
    entry.setTime(0);
    return time;
  }
  ++counters.instructionMisses;
  // An address range of its own, as scratch has one.
  constexpr uint64_t region = (uint64_t(1) << 47) / lineBytes;
  uint64_t l2Line = physical(region + line * instructionLineBytes / lineBytes);
  return ask(Kind::Read, cu, l2Line, time, 0, entry.place(), counters);
}
