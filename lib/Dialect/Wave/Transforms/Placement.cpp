//===- Placement.cpp - The slot of each op of a loop ----------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A modulo schedule by list scheduling, in three sweeps over one reservation
// table (per slot: one matrix instruction, one memory instruction, a share of
// VALU cycles):
//
//   1. Matrix, vector and branch nodes, as early as dependences and the table
//      allow, those first that free the registers of a matrix result before the
//      next iteration's writes them. Matrix instructions come in program order,
//      others among those ready.
//   2. With each reader placed, the LDS reads it waits for: as late as their
//      latency allows, so that few registers hold fragments.
//   3. LDS writes, what packs their values, and the loads from global memory
//      that feed them, as long before as registers can be had again.
//
// One barrier an iteration orders LDS. All accesses to a tile must lie between
// the same two barriers relative to their iteration: the tile's window, one
// interval long. Which window is found by trying. A tile with one copy needs a
// second barrier: the window's first part, up to it, is for the writes, the
// rest for the reads. Also found by trying is the start of nodes that
// a recurrence reaches too late: when a node must come before what was placed
// earlier, the earlier one is forbidden its time and all starts anew.
//
//===----------------------------------------------------------------------===//

#include "Placement.h"
#include <set>

using namespace mlir;
using namespace tlc;
using namespace tlc::wave;

namespace {
/// Until an LDS access is done; until the first reads of all wavefronts after a
/// barrier are done.
constexpr int kLdsCycles = 128, kBurstCycles = 192;
constexpr int kUnplaced = INT_MIN / 2;
constexpr int kFar = INT_MAX / 2;
/// Cycles that an LDS read may come before its latency demands it.
constexpr int kRing = 256;
/// Matrix instructions that make overlapping iterations worth while.
constexpr int kMinInterval = 8;
/// Cycles in which a wavefront issues an instruction that is not VALU work.
constexpr int kIssue = 4;
constexpr int kMaxTries = 32, kMaxWindow = 3, kMaxMore = 6;
/// Ways that use up their tries before the search for a first one ends: large
/// loops come here that none of the others helps.
constexpr int kMaxExhausted = 8;

class Placer {
public:
  Placer(LoopGraph &graph, bool overlap)
      : graph(graph), nodes(graph.nodes), overlap(overlap),
        floor(nodes.size(), 0), firstWindow(graph.numTiles, 0) {}

  std::optional<Placement> run();
  int blamed = -1; ///< the node that could not be placed

private:
  enum class Outcome { Done, Again, Never };
  std::optional<Placement> search();
  std::optional<Placement> overlapped();
  bool holds() const;
  int slotsOf(int cycles) const {
    return (cycles + graph.slotCycles - 1) / graph.slotCycles;
  }
  Outcome attempt();
  Outcome placeForward(int n);
  Outcome placeStores();
  /// A load from global memory, and when LDS writes read what it brings.
  struct Load {
    int node, firstUse, lastUse;
  };
  std::pair<int, int> spanOf(ArrayRef<Load> loads, int firstWrite) const;
  bool placeReads(int n, int t);
  void sinkReads();

  int index(int t) const {
    if (!overlap)
      return t;
    int i = t % interval;
    return i < 0 ? i + interval : i;
  }
  /// A load can come no longer before its use than its registers last.
  int latencyOf(int from, const Edge &e) const {
    if (overlap && nodes[from].globalRead)
      return std::min(e.latency, interval - interval / 8);
    if (nodes[from].unit == Unit::Matrix && e.latency > 1)
      return e.latency - (hasty ? 1 : 0);
    return e.latency;
  }
  bool fits(const Node &node, int t);
  void reserve(int n, int t);
  int earliest(int n) const;
  int latest(int n) const;
  bool isLazy(const Node &node) const {
    return node.unit == Unit::Memory &&
           (node.ldsRead || node.ldsWrite || node.globalRead) && overlap;
  }
  bool hasWindow(const Node &node) const {
    return node.tile >= 0 && overlap && graph.numBarriers;
  }
  bool readsAfterSecond(const Node &node) const {
    return node.single && !node.ldsWrite;
  }
  int windowBegin(const Node &node) const {
    if (!hasWindow(node))
      return 0;
    return window[node.tile] * interval + (readsAfterSecond(node) ? second : 0);
  }
  /// Windows say where an access lies to the barriers, or else its edges do.
  bool skips(int n, const Edge &e) const {
    return e.barrier && second &&
           (hasWindow(nodes[n]) || hasWindow(nodes[e.node]));
  }
  int begin(int n) const {
    return hasWindow(nodes[n]) ? std::max(floor[n], windowBegin(nodes[n]))
                               : floor[n];
  }
  int windowEnd(const Node &node) const {
    if (!hasWindow(node) || !windowFixed[node.tile])
      return kFar;
    int length = node.single && node.ldsWrite ? second : interval;
    return window[node.tile] * interval + length - 1 - drain;
  }
  bool isLate(int n);
  bool rotate(Placement &result);

  LoopGraph &graph;
  std::vector<Node> &nodes;
  bool overlap;
  int interval = 0, vectorShare = 0, memoryShare = 1;
  int second = 0; ///< slot of an iteration's second barrier; 0: has none
  /// Slots without LDS accesses before each of two barriers: they wait for all.
  int drain = 0;
  bool hasty = false;     ///< matrix results are read a slot earlier
  int exhausted = 0;      ///< ways that used up their tries
  bool ahead = false;     ///< loads may come an iteration before all else
  std::vector<int> floor; ///< times before which a node must not be tried
  /// Of each set of tiles: where its window lies, in intervals from the
  /// barrier, whether that is settled, and what to begin trying with.
  std::vector<int> window, firstWindow;
  std::vector<bool> windowFixed;
  std::vector<int> time;
  std::vector<signed char> late;
  struct Slot {
    int matrix = 0, memory = 0, vector = 0;
    /// Issue cycles beside the matrix instruction's own.
    int issue() const { return vector + kIssue * memory; }
  };
  std::vector<Slot> table;

  int excess(const std::vector<Slot> &slots) const;
  void settle();
  bool move(int n, int aim);
};
} // namespace

/// Cycles of a slot that nothing but its matrix instruction and one wait takes.
static int roomOf(const LoopGraph &graph) {
  return std::max(graph.slotCycles - 2 * kIssue, kIssue);
}

bool Placer::fits(const Node &node, int t) {
  int i = index(t);
  if (i >= int(table.size()))
    table.resize(i + 64);
  const Slot &slot = table[i];
  switch (node.unit) {
  case Unit::Barrier:
  case Unit::Branch:
    return true;
  case Unit::Matrix:
    return slot.matrix == 0;
  case Unit::Memory:
    return slot.memory < memoryShare;
  case Unit::Vector:
    return node.cycles == 0 || slot.vector == 0 ||
           slot.issue() + node.cycles <= vectorShare;
  }
  return true;
}

void Placer::reserve(int n, int t) {
  Slot &slot = table[index(t)];
  time[n] = t;
  slot.matrix += nodes[n].unit == Unit::Matrix;
  slot.memory += nodes[n].unit == Unit::Memory;
  slot.vector += nodes[n].cycles;
}

int Placer::earliest(int n) const {
  int t = begin(n);
  for (const Edge &e : nodes[n].in) {
    if ((!overlap && e.distance) || skips(n, e))
      continue;
    int from = time[e.node];
    if (from == kUnplaced) {
      if (!isLazy(nodes[e.node]) || e.distance)
        continue;
      from = begin(e.node);
    }
    t = std::max(t, from + latencyOf(e.node, e) - e.distance * interval);
  }
  return t;
}

int Placer::latest(int n) const {
  int t = windowEnd(nodes[n]);
  for (const Edge &e : nodes[n].out) {
    if (time[e.node] == kUnplaced || (!overlap && e.distance) || skips(n, e))
      continue;
    t = std::min(t, time[e.node] - latencyOf(n, e) + e.distance * interval);
  }
  return t;
}

/// Vector work between a load from global memory and an LDS write: it waits for
/// sweep 3.
bool Placer::isLate(int n) {
  if (late[n] >= 0)
    return late[n];
  late[n] = 0;
  const Node &node = nodes[n];
  if (!overlap || node.unit != Unit::Vector || node.out.empty())
    return false;
  for (const Edge &e : node.out) {
    const Node &to = nodes[e.node];
    bool store = to.unit == Unit::Memory && to.ldsWrite && !to.ldsRead;
    if (e.distance || !(store || isLate(e.node)))
      return false;
  }
  for (const Edge &e : node.in)
    if (e.distance || !(nodes[e.node].globalRead || isLate(e.node)))
      return false;
  return late[n] = 1;
}

/// The LDS reads (and loads) that node n at time t waits for.
bool Placer::placeReads(int n, int t) {
  SmallVector<int> placed, settled;
  for (const Edge &e : nodes[n].in) {
    int r = e.node;
    if (time[r] != kUnplaced || e.distance || !isLazy(nodes[r]))
      continue;
    int due = t - latencyOf(r, e);
    if (hasWindow(nodes[r]) && !windowFixed[nodes[r].tile]) {
      int tile = nodes[r].tile;
      int inside = readsAfterSecond(nodes[r]) ? due - second : due;
      window[tile] = std::max(firstWindow[tile], inside / interval);
      windowFixed[tile] = true;
      settled.push_back(tile);
    }
    int from = earliest(r), best = std::min(latest(r), due);
    // Fragments that wait long for their use take registers.
    if (nodes[r].ldsRead)
      from = std::max(from, std::min(due, windowEnd(nodes[r])) - slotsOf(kRing));
    while (best >= from && !fits(nodes[r], best))
      --best;
    if (best < from) {
      for (int p : placed) {
        --table[index(time[p])].memory;
        time[p] = kUnplaced;
      }
      for (int tile : settled) {
        windowFixed[tile] = false;
        window[tile] = firstWindow[tile];
      }
      return false;
    }
    reserve(r, best);
    placed.push_back(r);
  }
  return true;
}

Placer::Outcome Placer::placeForward(int n) {
  Node &node = nodes[n];
  int from = earliest(n), to = latest(n);
  int reach = overlap ? from + 2 * interval : kFar;
  for (int t = from; t <= std::min(to, reach); ++t) {
    if (!fits(node, t))
      continue;
    if (overlap && !placeReads(n, t))
      continue;
    reserve(n, t);
    return Outcome::Done;
  }
  // Too late for what was placed before it: that must come later.
  for (const Edge &e : node.out)
    if (time[e.node] != kUnplaced) {
      int bound = time[e.node] - e.latency + e.distance * interval;
      if (bound < from) {
        floor[e.node] = std::max(floor[e.node], time[e.node] + from - bound);
        return Outcome::Again;
      }
    }
  for (const Edge &e : node.out)
    if (time[e.node] != kUnplaced && e.distance) {
      floor[e.node] = std::max(floor[e.node], time[e.node] + 1);
      return Outcome::Again;
    }
  // Its fragments cannot be read in the window of their tile: take a later one.
  for (const Edge &e : node.in)
    if (time[e.node] == kUnplaced && nodes[e.node].tile >= 0) {
      int tile = nodes[e.node].tile;
      firstWindow[tile] = window[tile] + 1;
      return Outcome::Again;
    }
  return Outcome::Never;
}

/// The slots to spread the loads of a loop of matrix work alone over, for the
/// path to memory takes them one by one: not those where all wavefronts write
/// LDS, and in time for their first use. Empty where there are none.
std::pair<int, int> Placer::spanOf(ArrayRef<Load> loads,
                                   int firstWrite) const {
  if (loads.empty() || loads.back().firstUse == kFar ||
      graph.vectorCycles > kIssue * interval)
    return {0, 0};
  int first = loads.front().firstUse;
  int begin = std::max(first, firstWrite + second) - interval + 1;
  for (const Load &load : loads)
    begin = std::max(begin, earliest(load.node));
  return {begin, first - graph.loadSlots()};
}

Placer::Outcome Placer::placeStores() {
  int n = nodes.size(), written = 0, firstWrite = kFar;
  // Writes to LDS, as early as their window lets them.
  for (int i = 0; i < n; ++i) {
    const Node &node = nodes[i];
    if (time[i] != kUnplaced || !node.ldsWrite)
      continue;
    if (hasWindow(node))
      windowFixed[node.tile] = true;
    int from = earliest(i);
    int t = from;
    // One after the other as the port takes them, or issue stops.
    if (node.single && hasWindow(node)) {
      int room = second - drain, begin = windowBegin(node);
      t = std::max(t, begin + room * written / graph.singleWriteCycles);
      written += graph.writeCycles(node);
    }
    while (t <= latest(i) && !fits(node, t))
      ++t;
    if (t > latest(i)) {
      blamed = i;
      if (from > windowEnd(node)) {
        firstWindow[node.tile] = window[node.tile] + 1;
        return Outcome::Again;
      }
      return Outcome::Never;
    }
    reserve(i, t);
    firstWrite = std::min(firstWrite, windowBegin(node));
  }
  // What packs their values, right before.
  for (int i = n - 1; i >= 0; --i) {
    if (time[i] != kUnplaced || late[i] != 1)
      continue;
    // Near its user, even if the slot gets more than its share.
    int last = latest(i), t = last;
    for (int u = last; u > last - std::min(16, interval / 4); --u) {
      if (table[index(u)].issue() < table[index(t)].issue())
        t = u;
      if (table[index(u)].issue() + nodes[i].cycles <= roomOf(graph)) {
        t = u;
        break;
      }
    }
    reserve(i, t);
  }
  // Loads: their registers are free once the iteration before has used them.
  SmallVector<Load> loads;
  for (int i = 0; i < n; ++i) {
    const Node &node = nodes[i];
    if (time[i] != kUnplaced || !node.globalRead)
      continue;
    Load load{i, kFar, kUnplaced};
    for (const Edge &e : node.out)
      if (time[e.node] != kUnplaced) {
        int use = time[e.node] + e.distance * interval;
        load.firstUse = std::min(load.firstUse, use);
        load.lastUse = std::max(load.lastUse, use);
      }
    loads.push_back(load);
  }
  llvm::stable_sort(loads, [](const Load &a, const Load &b) {
    return a.firstUse < b.firstUse;
  });
  auto [begin, end] = spanOf(loads, firstWrite);
  for (auto [number, load] : llvm::enumerate(loads)) {
    auto [i, firstUse, lastUse] = load;
    const Node &node = nodes[i];
    int from = earliest(i), bound = from;
    if (lastUse != kUnplaced)
      bound = std::max(bound, lastUse - interval + 1);
    // Time for the data to come, even if two steps' registers live at once.
    if (firstUse != kFar)
      bound = std::max(from, std::min(bound, firstUse - graph.loadSlots()));
    if (begin < end)
      bound = std::max(bound, begin + (end - begin) * int(number) /
                                          int(loads.size()));
    int t = bound;
    while (t < firstUse && !fits(node, t))
      ++t;
    // Else with registers of their own.
    if (t >= firstUse)
      for (t = std::min(bound, firstUse) - 1; t >= from && !fits(node, t);)
        --t;
    if (t < from) {
      blamed = i;
      return Outcome::Never;
    }
    reserve(i, t);
  }
  return Outcome::Done;
}

/// Without overlap: each LDS read as late as its first reader allows.
void Placer::sinkReads() {
  for (int i = nodes.size() - 1; i >= 0; --i) {
    if (!nodes[i].ldsRead || nodes[i].ldsWrite || nodes[i].out.empty())
      continue;
    --table[time[i]].memory;
    int t = latest(i);
    while (t > time[i] && !fits(nodes[i], t))
      --t;
    reserve(i, t);
  }
}

Placer::Outcome Placer::attempt() {
  int n = nodes.size();
  time.assign(n, kUnplaced);
  table.assign(overlap ? interval : 64, Slot());
  window = firstWindow;
  windowFixed.assign(graph.numTiles, false);
  late.assign(n, -1);
  for (int i = n - 1; i >= 0; --i)
    isLate(i);

  // Registers of a matrix result are written anew, one interval after the first
  // instruction of its chain: readers are urgent.
  std::vector<bool> urgent(n, false);
  for (int i = 0; i < n; ++i)
    if (nodes[i].unit == Unit::Matrix && overlap)
      for (const Edge &e : nodes[i].out)
        if (nodes[e.node].unit == Unit::Vector)
          urgent[e.node] = true;

  // Matrix instructions in program order, urgent readers, then what became
  // ready last: work on one element ends before that on the next begins.
  std::vector<int> missing(n, 0);
  std::set<std::tuple<bool, bool, int, int>> ready;
  int round = 0, barriers = 0;
  auto makeReady = [&](int i) {
    bool matrix = nodes[i].unit == Unit::Matrix;
    ready.emplace(!matrix, !urgent[i], matrix ? 0 : -round, i);
  };
  auto waits = [&](const Edge &e) {
    return !e.distance && !isLazy(nodes[e.node]);
  };
  auto mine = [&](int i) { return !isLazy(nodes[i]) && late[i] != 1; };
  for (int i = 0; i < n; ++i) {
    if (!mine(i))
      continue;
    for (const Edge &e : nodes[i].in)
      missing[i] += waits(e);
    if (!missing[i])
      makeReady(i);
  }
  while (!ready.empty()) {
    int i = std::get<3>(*ready.begin());
    ready.erase(ready.begin());
    ++round;
    Outcome outcome = Outcome::Done;
    if (nodes[i].unit == Unit::Barrier && overlap) {
      time[i] = barriers++ ? second : 0;
    } else {
      outcome = placeForward(i);
    }
    if (outcome != Outcome::Done) {
      blamed = i;
      return outcome;
    }
    for (const Edge &e : nodes[i].out)
      if (!e.distance && mine(e.node) && !isLazy(nodes[i]) &&
          --missing[e.node] == 0)
        makeReady(e.node);
  }
  if (overlap) {
    Outcome outcome = placeStores();
    if (outcome != Outcome::Done)
      return outcome;
  } else {
    sinkReads();
  }
  for (int i = 0; i < n; ++i)
    if (time[i] == kUnplaced)
      return Outcome::Never;
  return Outcome::Done;
}

/// Issue cycles that do not fit beside the matrix instructions.
int Placer::excess(const std::vector<Slot> &slots) const {
  int sum = 0;
  for (const Slot &slot : slots)
    sum += std::max(0, slot.issue() - roomOf(graph));
  return sum;
}

/// Moves a node out of a crowded slot, to the nearest with room for it.
bool Placer::move(int n, int aim) {
  const Node &node = nodes[n];
  bool store = node.ldsWrite && !node.ldsRead;
  if (!(node.unit == Unit::Vector && node.cycles) && !store)
    return false;
  Slot &here = table[index(time[n])];
  if (here.issue() <= aim)
    return false;
  int cost = store ? kIssue : node.cycles;
  int reach = interval / 2, now = time[n];
  int from = std::max(earliest(n), now - reach);
  int to = std::min(latest(n), now + reach);
  int best = now, bestGain = 0;
  for (int t = from; t <= to; ++t) {
    const Slot &there = table[index(t)];
    if (&there == &here || (store && there.memory >= memoryShare))
      continue;
    int gain = std::min(cost, here.issue() - aim) -
               std::max(0, there.issue() + cost - std::max(aim, there.issue()));
    if (gain > bestGain ||
        (gain == bestGain && gain && abs(t - now) < abs(best - now))) {
      best = t;
      bestGain = gain;
    }
  }
  if (best == now)
    return false;
  here.vector -= node.cycles;
  here.memory -= store;
  reserve(n, best);
  return true;
}

/// List scheduling fills slots as they come and leaves others empty, where it
/// waits for a long chain: this evens them out.
void Placer::settle() {
  constexpr int kMostSweeps = 8;
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    bool moved = false;
    for (int n = nodes.size() - 1; n >= 0; --n)
      moved |= move(n, roomOf(graph));
    if (!moved)
      break;
  }
}

/// Where in the iteration the loop begins: few iterations in flight, then
/// little to do before the loop.
bool Placer::rotate(Placement &result) {
  int bestStages = kFar, bestWork = kFar, best = 0;
  for (int r = 0; r < interval; ++r) {
    int low = kFar, high = kUnplaced, work = 0;
    auto stage = [&](int t) { return (t - r + 4 * interval) / interval; };
    for (int t : time) {
      low = std::min(low, stage(t));
      high = std::max(high, stage(t));
    }
    for (int i = 0, n = nodes.size(); i < n; ++i)
      work += (high - stage(time[i])) *
              (nodes[i].unit == Unit::Matrix ? graph.slotCycles : 4);
    int stages = high - low + 1;
    if (std::make_pair(work, stages) < std::make_pair(bestWork, bestStages)) {
      bestStages = stages;
      bestWork = work;
      best = r + (low - 4) * interval;
    }
  }
  result.stages = bestStages;
  for (int &t : time)
    t -= best;
  for (int &t : time)
    if (t < 0)
      return false;
  return true;
}

std::optional<Placement> Placer::run() {
  if (!overlap) {
    interval = 1 << 20;
    vectorShare = std::max(24, graph.vectorCycles / graph.numMatrix + 8);
    if (attempt() != Outcome::Done || !holds())
      return std::nullopt;
    Placement result;
    result.interval = 1 + *std::max_element(time.begin(), time.end());
    result.time = time;
    return result;
  }
  interval = graph.numMatrix;
  if (interval < kMinInterval)
    return std::nullopt;
  drain = graph.numBarriers > 1 ? slotsOf(kLdsCycles / graph.wavesOfSimd()) : 0;
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
  int even =
      (graph.vectorCycles + kIssue * graph.numMemory + interval - 1) / interval;
  memoryShare = (graph.numMemory + interval - 1) / interval;
  std::optional<Placement> best;
  auto bestCost = std::make_tuple(kFar, kFar, kFar);
  auto suffices = [&] { return best && std::get<0>(bestCost) == 0; };
  exhausted = 0;
  for (int more = 0; more < kMaxMore && (more < 2 || !suffices()); ++more) {
    for (int way = 0; way < 4; ++way) {
      if (way > 1 && suffices())
        break;
      if (!best && exhausted >= kMaxExhausted)
        return std::nullopt;
      hasty = way & 1;
      ahead = way > 1;
      vectorShare = std::max(20, (even + 3) / 4 * 4 + 4 * more);
      std::optional<Placement> result = overlapped();
      if (!result)
        continue;
      int registers = estimateRegisters(graph, *result);
      int beyond = std::max(0, registers - graph.likelyRegisters());
      auto cost = std::make_tuple(beyond, excess(table), registers);
      if (cost < bestCost) {
        bestCost = cost;
        best = std::move(result);
      }
    }
    if (more == 2)
      ++memoryShare;
  }
  return best;
}

/// A modulo schedule with the shares as they are set.
std::optional<Placement> Placer::overlapped() {
  if (graph.numBarriers > 1) {
    second = slotsOf(graph.singleWriteCycles) + drain;
    if (2 * second > interval)
      return std::nullopt;
  }
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
