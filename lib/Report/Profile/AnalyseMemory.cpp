//===- AnalyseMemory.cpp - Waits for vector memory ------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Waits for vector memory are divided by the accesses that cause them: scratch,
// atomic operations, lines touched in vain. What is left is the bandwidth of a
// level that is full, or latency.
//
//===----------------------------------------------------------------------===//

#include "Analysis.h"

#include <algorithm>
#include <fmt/format.h>

using namespace tlc::report;

/// Cycles that wavefronts waited for this access's data, wherever they waited,
/// and at the launch's end nobody waited but the launch.
double Analysis::causedByWaits(const CodeLine &code) const {
  if (isFlatLds(code))
    return 0;
  return code.caused[unsigned(Stall::VectorMemory)] +
         drainScale * code.storeLatency;
}
/// The same with waits for the path to memory.
double Analysis::causedByMemory(const CodeLine &code) const {
  return causedByWaits(code) + code.caused[unsigned(Stall::MemoryBusy)];
}

/// The share of the waits for vector memory that scratch accesses cause.
double Analysis::spills(double waits) {
  double all = 0, scratch = 0;
  auto cost = [&](const CodeLine &c) {
    return c.unit == Unit::Scratch ? causedByMemory(c) : 0;
  };
  for (const CodeLine &code : kernel.code) {
    all += causedByMemory(code);
    scratch += cost(code);
  }
  double share = all > 0 ? scratch / all : 0;
  add("spills", waits * share, "registers spilled to scratch memory",
      fmt::format("{} bytes of scratch a lane", kernel.scratchBytes),
      inTiles("smaller fragments: smaller block_M or block_N, more threads, "
              "fewer of them alive in the loop",
              "smaller tiles a wavefront, more wavefronts, or fewer values "
              "alive in the loop"),
      worst(cost));
  return share;
}

/// The share of the waits for vector memory that atomic operations cause: L2
/// performs them lane by lane, and whatever else wants the channel, or the way
/// to memory that a store to it keeps closed, waits behind.
double Analysis::atomics(double waits) {
  double all = 0, atomic = 0;
  auto isAtomic = [](const CodeLine &c) {
    return c.text.find("_atomic_") != std::string::npos;
  };
  auto cost = [&](const CodeLine &c) {
    return isAtomic(c) ? causedByMemory(c) : 0;
  };
  for (const CodeLine &code : kernel.code) {
    all += causedByMemory(code);
    atomic += cost(code);
  }
  double share = all > 0 ? atomic / all : 0;
  auto at = worst(cost);
  std::string detail =
      "L2 performs those that meet in an address one lane after the other";
  double working = kernel.usedCUs > 0 ? active / kernel.usedCUs : active;
  double held =
      working > 0 ? std::min(1.0, kernel.atomicChannelUse / working) : 0;
  if (held > saturated) {
    share = std::max(share, held);
    at = worst([](const CodeLine &c) { return c.atomicCycles; });
    detail = fmt::format("they meet in few addresses: one after the other they "
                         "hold a channel of L2 for {:.0f} % of the time",
                         100 * held);
    auto victim = worst(
        [&](const CodeLine &c) { return isAtomic(c) ? 0 : causedByMemory(c); });
    if (victim)
      detail += fmt::format("; what waits behind them: {} at {}",
                            kernel.code[*victim].text.substr(
                                0, kernel.code[*victim].text.find(' ')),
                            place(*victim));
  }
  // CUs without work could have none: they would wait for the channel.
  double won = waits * share;
  if (held > saturated)
    won += std::min(std::max(0.0, 1 - active - launch - drain),
                    kernel.atomicChannelUse);
  add("atomics", won,
      held > saturated ? "contended atomic operations" : "atomic operations",
      detail,
      inTiles("add up within the block first (T.reduce_sum), or spread the "
              "addresses",
              "add up within the wavefront or the workgroup first, or spread "
              "the addresses"),
      at);
  return share;
}

/// 4 lines touched where 1 would do: 3/4 of the cost is in vain.
static double excessOf(double touched, double needed) {
  return touched > 0 ? std::max(0.0, 1 - needed / touched) : 0;
}

/// What fewer lines would win of the waits for an access: of the address unit's
/// share of its latency, or of what queues at the levels that lines go through,
/// which grow faster than those are busy. Without a queue a second line arrives
/// with the first; and a level that moves no more than the lanes ask for would
/// move the same of denser accesses.
double Analysis::inVain(const CodeLine &code) const {
  double excess = excessOf(code.linesTouched, code.linesNeeded);
  double asked = 0;
  for (const Level &level : kernel.levels)
    if (level.key == "requested")
      asked = level.bytes;
  double own = code.latency - code.orderLatency;
  double cost = own > 0 ? std::min(1.0, code.addressCycles / own) * excess : 0;
  for (const Level &level : kernel.levels) {
    double busy = std::min(1.0, useWhileActive(level) / saturated);
    bool isBeyond = level.key != "l1" && asked > 0 && level.bytes > 0;
    cost = std::max(
        cost, busy * busy *
                  (isBeyond ? std::min(excess, excessOf(level.bytes, asked))
                            : excess));
  }
  // What one line takes is left.
  return own > 0 ? std::min(cost, std::max(0.0, 1 - code.bareLatency / own))
                 : cost;
}

/// The part of the time that the launch and moving what the lanes ask for, or
/// less where that is moved, take at any level.
double Analysis::leastTime() const {
  double asked = 0, least = 0;
  for (const Level &level : kernel.levels)
    if (level.key == "requested")
      asked = level.bytes;
  for (const Level &level : kernel.levels)
    if (level.peakBytesPerCycle > 0)
      least = std::max(least, std::min(level.bytes, asked) /
                                  level.peakBytesPerCycle / kernel.cycles);
  return std::min(1.0, launch + least);
}

/// The share that lines touched in vain cause. Waits for data are those of the
/// loads themselves; a full path delays whoever comes next.
double Analysis::coalescing(double waits, double taken) {
  double pathWaits = kernel.stalls[unsigned(Stall::MemoryBusy)];
  double all = 0, scattered = 0, touched = 0, needed = 0, pathBusy = 0;
  for (const CodeLine &code : kernel.code) {
    all += causedByMemory(code);
    touched += code.linesTouched;
    needed += code.linesNeeded;
    bool isAtomic = code.text.find("_atomic_") != std::string::npos;
    if (code.unit != Unit::Scratch && !isAtomic)
      scattered += causedByWaits(code) * inVain(code);
  }
  double excess = excessOf(touched, needed);
  for (const Level &level : kernel.levels)
    if (level.key == "l1")
      pathBusy = useOf(level);
  if (all > 0)
    excess = (scattered + (1 - taken) * pathWaits * excess) / all;
  double share = waits * excess;
  if (active > 0 && pathBusy / active > saturated)
    share = std::max(share, pathBusy * excess);
  // Results come in order, so where the path is full a wait for the last access
  // is one for those before it: the lines decide. Else the tiny weight tells
  // apart accesses that nobody waited for.
  share = std::min(share, 1 - leastTime());
  auto at = worst([&](const CodeLine &c) {
    double lines = c.linesTouched - c.linesNeeded;
    if (active > 0 && pathBusy / active > saturated)
      return lines;
    double path = touched > 0 ? pathWaits / touched : 0;
    return causedByWaits(c) * inVain(c) + (path + 1e-9) * lines;
  });
  if (!at || share <= 0)
    return 0;
  const CodeLine &code = kernel.code[*at];
  add("uncoalesced", share, "uncoalesced global accesses",
      fmt::format("{:.1f} cache lines touched for each that the data fill; "
                  "worst: {} touches {:.0f} lines a wavefront where {:.0f} "
                  "would do",
                  touched / needed, code.text.substr(0, code.text.find(' ')),
                  code.linesTouched / code.executed,
                  code.linesNeeded / code.executed) +
          placesOf(at),
      inTiles("let consecutive lanes access consecutive addresses: the last "
              "index of T.Parallel along the last axis of the tensor, or "
              "T.copy the tile to shared memory and read that the other way",
              "let consecutive lanes access consecutive addresses: change "
              "which axis the lanes walk, or stage the tile through LDS"),
      at, 1, /*isCertain=*/true);
  return excess;
}

/// What is the matter with the places that an access touches, if anything: a
/// clause that begins with "; ".
std::string Analysis::placesOf(std::optional<size_t> at) const {
  std::string clause;
  if (!at)
    return clause;
  const CodeLine &code = kernel.code[*at];
  // Few lines lie in few sets anyhow, and lines that are used whole at once
  // need no place for long.
  // Misses of few lines cost nothing, however many of those beyond L2 they are.
  constexpr double manyLines = 6, fewSets = 1.6, often = 0.25, worth = 0.05;
  if (code.linesTouched > manyLines * code.executed &&
      code.linesTouched > 2 * code.linesNeeded && code.setsUsed() < fewSets)
    clause += fmt::format("; its lines fall into {:.1f} of the 4 sets of L1: "
                          "rows that lie a multiple of 512 bytes apart (pad "
                          "them)",
                          code.setsUsed());
  if (code.translationMisses > often * code.linesBeyondL2 &&
      code.translationMisses > worth * code.linesTouched)
    clause += fmt::format("; {:.0f} % of its lines beyond L2 lie in pages "
                          "whose translation was not at hand: more than 32 "
                          "pages of 2 MB at a time in an XCD",
                          100 * code.translationMisses / code.linesBeyondL2);
  return clause;
}

// The level's own busy time where it is known, else bytes against the peak.
double Analysis::useOf(const Level &level) const {
  if (level.busyShare)
    return *level.busyShare;
  return level.peakBytesPerCycle > 0
             ? level.bytes / kernel.cycles / level.peakBytesPerCycle
             : 0;
}

/// The same while there is work for it: an L1 is its compute unit's own, what
/// lies behind serves all and is at work while any of them is.
double Analysis::useWhileActive(const Level &level) const {
  double time = level.key == "l1" || kernel.usedCUs <= 0
                    ? active
                    : std::min(1.0, active / kernel.usedCUs);
  return time > 0 ? std::min(1.0, useOf(level) / time) : 0;
}

/// A level's bytes against its peak; averages over the launch look small where
/// it is busy only for a part of it.
std::string Analysis::levelDetail(const Level &level) const {
  std::string bytes =
      fmt::format("{:.0f} bytes a cycle of {:.0f}", level.bytes / kernel.cycles,
                  level.peakBytesPerCycle);
  double use = 100 * useWhileActive(level);
  return level.busyShare
             ? fmt::format("its address unit works {:.0f} % of the busy CUs' "
                           "time; {}",
                           use, bytes)
             : fmt::format("{}, {:.0f} % of it while CUs have work", bytes,
                           use);
}

/// The address unit takes 16 lanes a cycle, however little they ask for, and
/// each access is a latency to wait for: names accesses of two bytes a lane or
/// fewer where most are such.
bool Analysis::narrow(const Level &l1, double share) {
  auto executedNarrow = [](const CodeLine &c) {
    bool isNarrow = c.bytesAsked > 0 && c.bytesAsked <= 2 * 64 * c.executed;
    return c.unit == Unit::Memory && isNarrow ? c.executed : 0;
  };
  double all = 0, few = 0;
  for (const CodeLine &code : kernel.code) {
    all += code.bytesAsked > 0 ? code.executed : 0;
    few += executedNarrow(code);
  }
  if (few <= 0.5 * all)
    return false;
  auto at = worst(executedNarrow);
  add("narrow_accesses", share, "narrow global accesses",
      fmt::format(
          "{:.0f} % of the accesses move 2 bytes a lane or fewer, where "
          "up to 16 go at once; L1: {}",
          100 * few / all, levelDetail(l1)),
      inTiles("more consecutive elements a lane: T.copy, or a last extent of "
              "T.Parallel that is a multiple of 8; rows whose length and begin "
              "are multiples of 16 bytes",
              "more consecutive elements a lane: another layout of the copy, "
              "rows whose length and begin are multiples of 16 bytes"),
      at);
  return true;
}

/// Waits for vector memory into spills, scattered accesses, and what is left:
/// bandwidth of the outermost full level, or latency.
void Analysis::memory() {
  double waits = part(Stall::VectorMemory) + part(Stall::MemoryBusy) + drain;
  double taken = spills(waits) + atomics(waits);
  double excess = coalescing(waits, taken);
  double rest = waits * std::max(0.0, 1 - taken - excess);
  auto waited = worst([&](const CodeLine &c) { return causedByMemory(c); });
  const Level *full = nullptr;
  for (const Level &level : kernel.levels)
    if (useWhileActive(level) > saturated)
      full = &level; // the outermost one counts
  // No level but L1 is full of such: few bytes are in flight.
  for (const Level &level : kernel.levels)
    if (level.key == "l1" && (!full || full == &level) && narrow(level, rest))
      return;
  if (full)
    add("bandwidth", rest, full->name + " bandwidth",
        levelDetail(*full) + placesOf(waited),
        full->key == "l1"
            ? inTiles("keep what is read again in a fragment or in shared "
                      "memory, wider accesses (T.vectorized, T.copy)",
                      "keep what is read again in registers or LDS, wider "
                      "accesses")
        : full->key == "l2"
            ? "larger tiles, reuse in LDS or registers, narrower types"
            : inTiles("move fewer bytes: larger block_M and block_N, reuse in "
                      "shared memory or fragments, narrower dtypes, "
                      "T.use_swizzle so that neighbours share cached tiles",
                      "move fewer bytes: larger tiles, reuse in LDS or "
                      "registers, narrower types, workgroups that share data "
                      "on one XCD"),
        waited, avoidable);
  else
    latency(rest);
}

/// Nothing is saturated: waits for stores, and for loads by where their data
/// are.
void Analysis::latency(double share) {
  auto isStore = [&](const CodeLine &c) {
    return c.unit == Unit::Memory && c.storeLatency > 0 &&
           c.text.find("_atomic_") == std::string::npos;
  };
  auto ofStores = [&](const CodeLine &c) {
    return isStore(c) ? causedByMemory(c) : 0;
  };
  double all = 0, stores = 0;
  for (const CodeLine &code : kernel.code) {
    bool counts = code.unit != Unit::Scratch &&
                  code.text.find("_atomic_") == std::string::npos;
    all += counts ? causedByMemory(code) : 0;
    stores += ofStores(code);
  }
  double stored = all > 0 ? share * stores / all : 0;
  auto store = worst(ofStores);
  bool isDrain = drain > 0.5 * stored;
  add("store_latency", stored,
      isDrain ? "stores at the end of the launch" : "waits for stores",
      isDrain ? fmt::format("{:.0f} cycles from the last wavefront's end on "
                            "until all is written",
                            drain * kernel.cycles)
              : "vmcnt counts loads and stores in order, so a wait for a load "
                "behind a store is one for the store; fences wait for all",
      isDrain
          ? inTiles("store results as they are ready (T.copy in the loop, "
                    "smaller blocks), not all in the end",
                    "store results as they are ready, not all in the end")
          : inTiles("load the next tile before the last one is stored, fewer "
                    "barriers behind stores to global memory",
                    "issue the loads before the stores, fewer fences"),
      store);
  auto ofLoads = [&](const CodeLine &c) {
    return isStore(c) ? 0 : causedByMemory(c);
  };
  auto load = worst(ofLoads);
  double waits = 0, near = 0;
  for (const CodeLine &code : kernel.code) {
    double cycles = ofLoads(code);
    waits += cycles;
    near += code.linesLookedUp > 0
                ? cycles * code.linesInL1 / code.linesLookedUp
                : 0;
  }
  bool isNear = near > saturated * waits;
  std::string detail =
      fmt::format("no level is saturated; {:.1f} wavefronts a SIMD on average",
                  kernel.occupancy.achieved);
  if (isNear)
    detail +=
        fmt::format("; {:.0f} % of the lines are found in L1, which takes "
                    "its time all the same",
                    100 * near / waits);
  addLatency("memory_latency", share - stored, "latency of global memory",
             detail + placesOf(load),
             isNear ? inTiles("keep what is read again in a fragment or in "
                              "shared memory (T.copy it there once), read "
                              "several elements at a time (T.vectorized), "
                              "independent ones in a row (T.unroll)",
                              "keep what is read again in registers or LDS, "
                              "read several elements at a time, independent "
                              "ones in a row (unroll)")
                    : inTiles("issue loads earlier (T.Pipelined with more "
                              "stages), keep more of them in flight",
                              "issue loads earlier (before the work on those "
                              "that came before), keep more of them in flight "
                              "(unroll)"),
             load);
}
