//===- PlacementSearch.cpp - Attempts at a schedule -----------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sweeps of Placement.cpp succeed or fail under given settings: the
// interval, the shares of a slot, the place of the second barrier, the way
// (kWays). Here these are tried, from the tightest on; what succeeds is evened
// out, judged by the cycles that its crowded slots and early readers of matrix
// results cost, and checked once more as a whole.
//
//===----------------------------------------------------------------------===//

#include "Placer.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::wave;

/// Where in the iteration the loop begins: few iterations in flight, then
/// little to do before the loop.
bool Placer::rotate(Placement &result) {
  int bestStages = kFar, bestWork = kFar, best = 0;
  for (int r = 0; r < interval; ++r) {
    int low = kFar, high = kUnplaced, work = 0, lastWrites = kFar;
    // The iteration, counted from the loop's first, that a node at time t
    // belongs to if the loop begins at slot r.
    auto stage = [&](int t) { return (t - r + 4 * interval) / interval; };
    for (int t : time) {
      low = std::min(low, stage(t));
      high = std::max(high, stage(t));
    }
    // Iterations that do not exist write nothing: they do not come that far.
    for (int i = 0, n = nodes.size(); i < n; ++i)
      if (nodes[i].globalWrite)
        lastWrites = std::min(lastWrites, stage(time[i]));
    if (lastWrites < high)
      continue;
    // Work that the prologue repeats: the earlier stages of each node.
    for (int i = 0, n = nodes.size(); i < n; ++i)
      work += (high - stage(time[i])) *
              (nodes[i].unit == Unit::Matrix ? graph.slotCycles : 4);
    int stages = high - low + 1;
    if (std::make_pair(work, stages) < std::make_pair(bestWork, bestStages)) {
      bestStages = stages;
      bestWork = work;
      // So that all times become non-negative.
      best = r + (low - 4) * interval;
    }
  }
  if (bestStages == kFar)
    return false;
  result.stages = bestStages;
  result.outside = bestWork;
  for (int &t : time)
    t -= best;
  for (int &t : time)
    if (t < 0)
      return false;
  return true;
}

/// Without overlap, attempts in a table without end (kApart). Of those whose
/// registers are likely to suffice, the one that takes least time. Where matrix
/// work is little of an iteration, memory decides, of which a rehearsal knows
/// nothing: the first.
std::optional<Placement> Placer::apart() {
  interval = 1 << 20;
  vectorShare = std::max(24, graph.vectorCycles / graph.numMatrix + 8);
  std::optional<Placement> best;
  int bestBeyond = kFar, bestCycles = kFar;
  for (const Apart &way : kApart) {
    apartWay = way;
    if (attempt() != Outcome::Done || !holds())
      continue;
    Placement result;
    result.interval = 1 + *std::max_element(time.begin(), time.end());
    result.time = time;
    int beyond =
        std::max(0, estimateRegisters(graph, result) - graph.likelyRegisters());
    // Another order must be worth it by more than the model's accuracy.
    int cycles = rehearse(graph, result);
    cycles += best ? cycles / kWorthWhile : 0;
    if (std::make_pair(beyond, cycles) <
        std::make_pair(bestBeyond, bestCycles)) {
      best = std::move(result);
      bestBeyond = beyond;
      bestCycles = cycles;
    }
    if (!beyond && cycles > kLittleMatrix * graph.numMatrix * graph.slotCycles)
      break;
  }
  return best;
}

/// Without overlap, see apart(); otherwise an interval
/// of one slot for each matrix instruction, first with room for LDS to drain
/// before barriers, then without.
std::optional<Placement> Placer::run() {
  if (!overlap)
    return apart();
  interval = graph.numMatrix;
  if (interval < kMinInterval)
    return std::nullopt;
  // A barrier has a wait for the accesses in flight before it: slots just
  // before it should start none. Fewer where tiles are transposed on their way:
  // the writes are narrow and need the slots.
  drain = graph.numBarriers > 1
              ? slotsOf((graph.packs() ? kLdsCycles * 3 / 4 : kLdsCycles) /
                        graph.wavesOfSimd())
              : 0;
  std::optional<Placement> best = search();
  if (!best && drain) {
    drain = 0;
    best = search();
  }
  return best;
}

/// Some ways to do it: of those whose registers are likely to suffice, the one
/// that keeps the matrix core waiting least. More room where none is found.
std::optional<Placement> Placer::search() {
  // Vector and memory issue cycles spread evenly over the slots.
  int even =
      (graph.vectorCycles + kIssue * graph.numMemory + interval - 1) / interval;
  memoryShare = (graph.numMemory + interval - 1) / interval;
  std::optional<Placement> best;
  auto bestCost = std::make_tuple(kFar, kFar, kFar);
  int bestDrains = 0;
  bool bestByUse = false;
  const int iterations = graph.seldom ? kFew : kMany;
  auto suffices = [&] { return best && std::get<0>(bestCost) == 0; };
  exhausted = 0;
  for (int more = 0; more < kMaxMore && (more < 2 || !suffices()); ++more) {
    for (const Way &way : kWays) {
      if (way.tried == Way::Registers && suffices())
        break;
      if (way.tried == Way::Counts && !bestDrains)
        continue;
      if (way.tried == Way::Order && best)
        continue;
      if (!best && exhausted >= kMaxExhausted)
        return std::nullopt;
      patience = way.patience;
      ahead = way.ahead;
      byUse = way.tried == Way::Counts ? bestByUse : way.byUse;
      // At least 20 cycles, in steps of an instruction's four.
      vectorShare = std::max(20, (even + 3) / 4 * 4 + 4 * more);
      std::optional<Placement> result = overlapped();
      if (!result)
        continue;
      int registers = estimateRegisters(graph, *result);
      int beyond = std::max(0, registers - graph.likelyRegisters());
      int all = drains(), moved = copies();
      constexpr int kDrain = 6 * kIssue;
      auto cost =
          std::make_tuple(beyond,
                          excess(table) + lost + kDrain * all + kCopy * moved +
                              result->outside / iterations,
                          registers);
      if (cost < bestCost) {
        bestDrains = drained;
        bestByUse = byUse;
        bestCost = cost;
        best = std::move(result);
      }
    }
    // From the third step on one more memory instruction may share a slot.
    if (more == 2)
      ++memoryShare;
  }
  return best;
}

/// A modulo schedule with the shares as they are set.
std::optional<Placement> Placer::overlapped() {
  if (graph.numBarriers > 1) {
    // The writes between the barriers, as the port takes them, and until the
    // last one is done.
    second = slotsOf(graph.singleWriteCycles) + drain;
    if (2 * second > interval)
      return std::nullopt;
  }
  // Floors and windows start anew with each setting.
  std::fill(firstWindow.begin(), firstWindow.end(), 0);
  for (int i = 0, n = nodes.size(); i < n; ++i)
    floor[i] = nodes[i].globalRead && ahead ? -interval : 0;
  // Matrix work of the iteration before hides the first reads.
  if (second)
    for (int i = 0, n = nodes.size(); i < n; ++i)
      if (nodes[i].unit == Unit::Matrix) {
        floor[i] = second + slotsOf(kBurstCycles);
        break;
      }
  Outcome outcome = Outcome::Again;
  for (int tries = 0; tries < kMaxTries && outcome == Outcome::Again; ++tries) {
    outcome = attempt();
    for (int w : firstWindow)
      if (w > kMaxWindow)
        outcome = Outcome::Never;
  }
  exhausted += outcome == Outcome::Again;
  if (outcome != Outcome::Done)
    return std::nullopt;
  settle();
  drained = drains();
  outwait();
  sinkWrites();
  countInstructions();
  if (copies())
    shorten();
  fill();
  lost = hazards(true) + hazards(false);
  if (!holds())
    return std::nullopt;
  Placement result;
  result.interval = interval;
  if (!rotate(result))
    return std::nullopt;
  result.time = time;
  return result;
}

/// Whether every dependence and window is kept: the sweeps see to it, and a
/// wrong schedule must not get out if they fail.
bool Placer::holds() const {
  for (int i = 0, n = nodes.size(); i < n; ++i) {
    for (const Edge &e : nodes[i].out) {
      if (skips(i, e))
        continue;
      // A reader of memory waits as long as it must.
      int least = nodes[i].unit == Unit::Memory ? std::min(e.latency, 1)
                                                : latencyOf(i, e);
      if (time[e.node] + e.distance * interval < time[i] + least)
        return false;
    }
    if (hasWindow(nodes[i]) &&
        (time[i] < windowBegin(nodes[i]) || time[i] > windowEnd(nodes[i])))
      return false;
  }
  return true;
}

std::optional<Placement> wave::place(LoopGraph &graph, bool overlap,
                                     int &blamed) {
  Placer placer(graph, overlap);
  std::optional<Placement> result = placer.run();
  blamed = placer.blamed;
  return result;
}
