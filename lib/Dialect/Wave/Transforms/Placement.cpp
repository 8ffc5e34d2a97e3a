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
// rest for the reads. Two serve any number of tiles. A tile that the loop only
// reads has a window without end. Also found by trying is the start of nodes
// that a recurrence reaches too late: when a node must come before what was
// placed earlier, the earlier one is forbidden its time and all starts anew.
//
//===----------------------------------------------------------------------===//

#include "Placer.h"
#include <set>

using namespace mlir;
using namespace tlc;
using namespace tlc::wave;

/// Whether slot t has room for the node. A slot takes vector work of any length
/// if it has none yet, so that an op longer than a share can stand somewhere.
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
    return slot.memory < memoryShare && portTakes(node, t);
  case Unit::Vector:
    return node.cycles == 0 || slot.vector == 0 ||
           slot.issue() + node.cycles <= vectorShare;
  }
  return true;
}

/// Two SIMDs share an LDS port. Reads that come faster than it serves them fill
/// its queue, and a wavefront that waits to issue one issues no matrix
/// instruction either. Behind a second barrier all wavefronts read at once;
/// with one barrier they drift apart, and few iterations in flight are better.
bool Placer::portTakes(const Node &node, int t) {
  if (!second || !node.ldsRead || node.ldsWrite)
    return true;
  int apart = graph.readSlots(node);
  for (int d = 1; d < apart; ++d)
    if (table[index(t - d)].ldsReads || table[index(t + d)].ldsReads)
      return false;
  return true;
}

/// The wavefronts of a workgroup come to a load at about the same time, and the
/// path to memory takes them one by one. Another load before it is done with
/// the last of them holds all up, and not alike: they wait at the barrier for
/// the one that came last.
bool Placer::pathTakes(const Node &node, int t) {
  int apart = graph.pathSlots(node);
  bool free = !table[index(t)].loads;
  for (int d = 1; d < apart; ++d)
    free &= !table[index(t - d)].loads && !table[index(t + d)].loads;
  return free;
}

/// Takes node \p n out of the table again.
void Placer::release(int n) {
  Slot &slot = table[index(time[n])];
  slot.memory -= nodes[n].unit == Unit::Memory;
  slot.ldsReads -= nodes[n].ldsRead;
  slot.loads -= nodes[n].globalRead;
  slot.vector -= nodes[n].cycles;
  time[n] = kUnplaced;
}

/// Enters node \p n at time \p t, whether it fits or not.
void Placer::reserve(int n, int t) {
  Slot &slot = table[index(t)];
  time[n] = t;
  slot.matrix += nodes[n].unit == Unit::Matrix;
  slot.memory += nodes[n].unit == Unit::Memory;
  slot.ldsReads += nodes[n].ldsRead;
  slot.loads += nodes[n].globalRead;
  slot.vector += nodes[n].cycles;
}

/// The first time that predecessors placed so far allow. A lazy one without a
/// time (an LDS read) is taken to come at its own earliest.
int Placer::earliest(int n) const {
  int t = begin(n);
  // What is not placed yet does not bind, but for reads that will come as soon
  // as they can, and late work on them.
  for (const Edge &e : nodes[n].in) {
    if ((!overlap && e.distance) || skips(n, e))
      continue;
    int from = time[e.node];
    if (from == kUnplaced) {
      if (overlap && (late[e.node] || feeds[e.node]))
        from = earliest(e.node);
      else if (!isLazy(e.node) || e.distance)
        continue;
      else
        from = begin(e.node);
    }
    t = std::max(t, from + latencyOf(e.node, e) - e.distance * interval);
  }
  return t;
}

/// The last time that successors placed so far and the window allow.
int Placer::latest(int n) const {
  int t = windowEnd(nodes[n]);
  for (const Edge &e : nodes[n].out) {
    if (time[e.node] == kUnplaced || (!overlap && e.distance) || skips(n, e))
      continue;
    t = std::min(t, time[e.node] - latencyOf(n, e) + e.distance * interval);
  }
  return t;
}

/// Vector work between a load from global memory and an LDS write waits for
/// sweep 3, or is moved down to the write where iterations do not overlap; so
/// is what only such work needs and nothing else feeds, a mask. Found by taking
/// all for late and striking out what is not.
void Placer::findLate() {
  int n = nodes.size();
  late.assign(n, false);
  auto isVector = [&](int i) { return nodes[i].unit == Unit::Vector; };
  auto isStore = [&](int i) {
    return nodes[i].unit == Unit::Memory && nodes[i].ldsWrite &&
           !nodes[i].ldsRead;
  };
  // Of an iteration's loads, or of nothing.
  std::vector<bool> loaded(n, false), alone(n, false);
  for (int i = 0; i < n; ++i) {
    late[i] = isVector(i) && !nodes[i].out.empty();
    alone[i] = isVector(i) && nodes[i].in.empty();
    for (const Edge &e : nodes[i].in)
      loaded[i] = loaded[i] || nodes[e.node].globalRead || loaded[e.node];
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = n - 1; i >= 0; --i) {
      if (!late[i])
        continue;
      bool keep = loaded[i] || alone[i];
      for (const Edge &e : nodes[i].out)
        keep &= (overlap || !e.distance) &&
                (late[e.node] || (isStore(e.node) && !alone[i]));
      for (const Edge &e : nodes[i].in)
        keep &= nodes[e.node].globalRead || late[e.node] || alone[e.node];
      late[i] = keep;
      changed |= !keep;
    }
  }
}

/// The LDS reads (and loads) that node n at time t waits for, and what makes
/// its operands of them.
bool Placer::placeReads(int n, int t) {
  SmallVector<int> placed, settled;
  if (placeSources(n, t, placed, settled))
    return true;
  // Undo: the node will try a later time.
  for (int p : placed)
    release(p);
  for (int tile : settled) {
    windowFixed[tile] = false;
    window[tile] = firstWindow[tile];
  }
  return false;
}

/// Notes what it places, and whose windows it settles.
bool Placer::placeSources(int n, int t, SmallVectorImpl<int> &placed,
                          SmallVectorImpl<int> &settled) {
  for (const Edge &e : nodes[n].in) {
    int r = e.node;
    if (time[r] != kUnplaced || e.distance || !isLazy(r))
      continue;
    int due = t - latencyOf(r, e);
    if (feeds[r]) {
      int from = earliest(r), best = std::min(latest(r), due);
      while (best >= from && !fits(nodes[r], best))
        --best;
      if (best < from)
        return false;
      reserve(r, best);
      placed.push_back(r);
      if (!placeSources(r, best, placed, settled))
        return false;
      continue;
    }
    // The first read of a tile settles its window: the one in which the read is
    // due.
    if (hasWindow(nodes[r]) && !windowFixed[nodes[r].tile]) {
      int tile = nodes[r].tile;
      int inside = readsAfterSecond(nodes[r]) ? due - second : due;
      window[tile] = std::max(firstWindow[tile], inside / interval);
      windowFixed[tile] = true;
      settled.push_back(tile);
    }
    // The latest slot with room.
    int from = earliest(r), best = std::min(latest(r), due);
    // Fragments that wait long for their use take registers.
    if (nodes[r].ldsRead)
      from = std::max(from,
                      std::min(due, windowEnd(nodes[r])) - slotsOf(graph.ring));
    while (best >= from && !fits(nodes[r], best))
      --best;
    if (best < from)
      return false;
    reserve(r, best);
    placed.push_back(r);
  }
  return true;
}

/// The earliest time at which the node and the reads it waits for fit. Again:
/// some other node, or a window, was pushed back, and the attempt starts anew;
/// Never: nothing helps.
Placer::Outcome Placer::placeForward(int n) {
  Node &node = nodes[n];
  int from = earliest(n), to = latest(n);
  // The table has room for it once it is sunk.
  if (apartWay.freely && sinks(n)) {
    time[n] = from;
    return Outcome::Done;
  }
  // The table repeats after an interval; two leave room for reads that must be
  // in a window.
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
      // By how much the successor must give way.
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
std::pair<int, int> Placer::spanOf(ArrayRef<Load> loads, int firstWrite) const {
  if (loads.empty() || loads.back().firstUse == kFar ||
      // Only where vector work is at most one instruction a slot.
      graph.vectorCycles > kIssue * interval)
    return {0, 0};
  int first = loads.front().firstUse;
  // Those of the iteration that the loads are for.
  if (firstWrite != kFar)
    firstWrite += (first - firstWrite + interval / 4) / interval * interval;
  else
    firstWrite = first;
  int begin = std::max(first, firstWrite + second) - interval + 1;
  for (const Load &load : loads)
    begin = std::max(begin, earliest(load.node));
  return {begin, first - graph.loadSlots()};
}

/// Sweep 3.
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
      // Matrix work first: behind the barrier all wavefronts come at once.
      constexpr int kAlone = 32;
      int room = second - drain, first = std::min(slotsOf(kAlone), room / 8);
      t = std::max(t, windowBegin(node) + first +
                          (room - first) * written / graph.singleWriteCycles);
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
    if (time[i] != kUnplaced || !late[i])
      continue;
    // Near its user, even if the slot gets more than its share.
    int last = latest(i), t = last;
    // Looks back a few slots for one with room, else for the least crowded.
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
  // Without a span each load comes when the registers of the one before are
  // free.
  auto [begin, end] = spanOf(loads, firstWrite);
  // By how much a load may exceed a slot's room: where nine tenths of all room
  // is taken, little is left early.
  int issue = graph.vectorCycles + kIssue * graph.numMemory;
  int crowd = 10 * issue > 9 * roomOf(graph) * interval ? kIssue : 0;
  for (auto [number, load] : llvm::enumerate(loads)) {
    auto [i, firstUse, lastUse] = load;
    const Node &node = nodes[i];
    int from = earliest(i), bound = from;
    if (lastUse != kUnplaced)
      bound = std::max(bound, lastUse - interval + 1);
    // Time for the data to come, even if two steps' registers live at once.
    if (firstUse != kFar)
      bound = std::max(from, std::min(bound, firstUse - graph.loadSlots()));
    if (begin < end) {
      int start = begin + (end - begin) * int(number) / int(loads.size());
      // One is on its way when the last load is waited for, so that the wait
      // counts. Where registers are short it may be 0.
      if (number == 0 && second && graph.ring >= LoopGraph::kRing)
        start = std::min(start, loads.back().firstUse - interval - 1);
      bound = std::max(bound, start);
    }
    // Beside another memory instruction rather than late.
    auto goes = [&](int at) {
      const Slot &slot = table[index(at)];
      return fits(node, at) || (slot.memory <= memoryShare &&
                                slot.issue() + kIssue <= roomOf(graph));
    };
    // Into a full slot, which is evened out later, rather than late: a wait
    // costs more.
    auto crowds = [&](int at) {
      const Slot &slot = table[index(at)];
      return begin >= end && slot.memory <= memoryShare &&
             slot.issue() <= roomOf(graph) + crowd;
    };
    // Apart from other loads if registers suffice and the data still has half
    // the time that it should have to come.
    int t = bound, last = std::max(bound, firstUse - graph.loadSlots() / 2);
    while (t <= last && !((goes(t) || crowds(t)) && pathTakes(node, t)))
      ++t;
    if (t > last || graph.ring < LoopGraph::kRing)
      for (t = bound; t < firstUse && !goes(t) && !crowds(t);)
        ++t;
    // Else with registers of their own.
    if (t >= firstUse)
      for (t = std::min(bound, firstUse) - 1; t >= from && !goes(t);)
        --t;
    if (t < from) {
      blamed = i;
      return Outcome::Never;
    }
    reserve(i, t);
  }
  return Outcome::Done;
}

/// Vector work between LDS reads and the matrix instructions that take what
/// they read, such as a transposition of rows in registers: it belongs to the
/// reads.
void Placer::findFeeds() {
  feeds.assign(nodes.size(), false);
  for (int i = 0, n = nodes.size(); i < n; ++i) {
    const Node &node = nodes[i];
    bool all = node.unit == Unit::Vector && !node.in.empty() &&
               !node.out.empty() && !late[i];
    for (const Edge &e : node.in)
      all =
          all && !e.distance && e.data &&
          (feeds[e.node] || (nodes[e.node].ldsRead && !nodes[e.node].ldsWrite));
    feeds[i] = all;
  }
  for (int i = nodes.size() - 1; i >= 0; --i)
    for (const Edge &e : nodes[i].out)
      feeds[i] = feeds[i] && !e.distance &&
                 (feeds[e.node] || nodes[e.node].unit == Unit::Matrix);
  // Without all of its sources a chain does not belong to the reads.
  for (int i = 0, n = nodes.size(); i < n; ++i)
    for (const Edge &e : nodes[i].in)
      feeds[i] = feeds[i] && (feeds[e.node] || nodes[e.node].ldsRead);
}

/// Without overlap: each LDS read, and what makes an operand of it, as late as
/// its first reader allows; no later than all else where it has none in its
/// iteration.
void Placer::sinkReads() {
  const int last = *llvm::max_element(time);
  for (int i = nodes.size() - 1; i >= 0; --i) {
    if (!sinks(i))
      continue;
    // Taken out, moved down, and put in again.
    int now = time[i], t = std::min(latest(i), std::max(last, now));
    if (!apartWay.freely)
      release(i);
    while (t > now && !fits(nodes[i], t))
      --t;
    reserve(i, t);
  }
}

/// Without overlap: what packs tiles that the iteration before has loaded comes
/// right before the writes, for it waits for the loads, and the next ones take
/// their registers after it. The iteration's work on other tiles then goes on
/// while these are on their way.
void Placer::sinkPacks() {
  auto sink = [&](int i, int from, int to) {
    int now = time[i], t = to;
    release(i);
    while (t >= from && !fits(nodes[i], t))
      --t;
    reserve(i, t < from ? now : t);
  };
  for (int i = nodes.size() - 1; i >= 0; --i)
    if (late[i])
      sink(i, time[i], latest(i));
  int length = 1 + *llvm::max_element(time);
  for (int i = 0, n = nodes.size(); i < n; ++i) {
    if (!nodes[i].globalRead)
      continue;
    int first = kFar, last = kUnplaced;
    bool packed = !nodes[i].out.empty();
    for (const Edge &e : nodes[i].out) {
      packed &= e.distance && late[e.node];
      first = std::min(first, time[e.node]);
      last = std::max(last, time[e.node]);
    }
    // Time for the data to come.
    if (!packed || last - first > length / 2)
      continue;
    int t = std::min(last + 1, latest(i));
    // Beside another memory instruction rather than behind what waits.
    if (t > time[i]) {
      release(i);
      reserve(i, t);
    }
  }
}

/// Without overlap: the path to memory takes loads one by one, and who issues
/// them all at once waits for it. Those of the next iteration have all of this
/// one: from where their registers are free on, until they must be under way.
void Placer::spreadLoads() {
  int length = 1 + *llvm::max_element(time);
  SmallVector<Load> loads;
  int begin = 0, end = kFar;
  for (int i = 0, n = nodes.size(); i < n; ++i) {
    // What is written stays behind what was asked for before it.
    if (nodes[i].globalWrite && time[i] > length / 2)
      end = std::min(end, time[i] - 1);
    if (!nodes[i].globalRead || nodes[i].globalWrite || nodes[i].out.empty())
      continue;
    Load load{i, kFar, kUnplaced};
    bool next = true;
    for (const Edge &e : nodes[i].out) {
      next &= e.distance == 1 || !e.data;
      if (!e.data)
        continue;
      load.firstUse = std::min(load.firstUse, time[e.node]);
      load.lastUse = std::max(load.lastUse, time[e.node]);
    }
    if (!next || load.firstUse == kFar)
      continue;
    loads.push_back(load);
    begin = std::max(begin, load.lastUse + 1);
    end = std::min(end, length + load.firstUse - graph.loadSlots() / 2);
  }
  if (end - begin < int(loads.size()))
    return;
  llvm::stable_sort(loads, [](const Load &a, const Load &b) {
    return a.firstUse < b.firstUse;
  });
  for (const Load &load : loads)
    release(load.node);
  for (auto [number, load] : llvm::enumerate(loads)) {
    int t = begin + (end - begin) * int(number) / int(loads.size());
    int from = std::max(t, earliest(load.node)), to = latest(load.node);
    for (t = std::min(from, to); t < to && !fits(nodes[load.node], t);)
      ++t;
    reserve(load.node, t);
  }
}

/// All sweeps with the floors and first windows as they are; each attempt
/// starts from an empty table.
Placer::Outcome Placer::attempt() {
  int n = nodes.size();
  time.assign(n, kUnplaced);
  table.assign(overlap ? interval : 64, Slot());
  window = firstWindow;
  windowFixed.assign(graph.numTiles, false);
  findLate();
  findFeeds();

  // Registers of a matrix result are written anew, one interval after the first
  // instruction of its chain: readers are urgent.
  std::vector<bool> urgent(n, false);
  for (int i = 0; i < n; ++i)
    if (nodes[i].unit == Unit::Matrix && overlap)
      for (const Edge &e : nodes[i].out)
        if (nodes[e.node].unit == Unit::Vector)
          urgent[e.node] = true;

  // Matrix instructions in program order, urgent readers, then what became
  // ready last: work on one element ends before that on the next begins. By
  // use: those first that the earliest matrix instruction waits for.
  // `missing` counts what a node waits for within an iteration, without the
  // nodes that later sweeps place.
  std::vector<int> missing(n, 0);
  // The first matrix instruction that an op's results reach.
  std::vector<int> reaches(n, n);
  for (int i = n - 1; i >= 0 && byUse; --i)
    for (const Edge &e : nodes[i].out)
      if (!e.distance)
        reaches[i] = std::min(reaches[i], nodes[e.node].unit == Unit::Matrix
                                              ? e.node
                                              : reaches[e.node]);
  std::set<std::tuple<bool, bool, int, int, int>> ready;
  int round = 0, barriers = 0;
  auto makeReady = [&](int i) {
    bool matrix = nodes[i].unit == Unit::Matrix;
    ready.emplace(!matrix, !urgent[i], matrix ? 0 : reaches[i],
                  matrix ? 0 : -round, i);
  };
  auto waits = [&](const Edge &e) { return !e.distance && !isLazy(e.node); };
  auto mine = [&](int i) { return !isLazy(i) && !(overlap && late[i]); };
  for (int i = 0; i < n; ++i) {
    if (!mine(i))
      continue;
    for (const Edge &e : nodes[i].in)
      missing[i] += waits(e);
    if (!missing[i])
      makeReady(i);
  }
  while (!ready.empty()) {
    int i = std::get<4>(*ready.begin());
    ready.erase(ready.begin());
    ++round;
    Outcome outcome = Outcome::Done;
    // The first barrier is the origin of time; all windows count from it.
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
      if (!e.distance && mine(e.node) && !isLazy(i) && --missing[e.node] == 0)
        makeReady(e.node);
  }
  if (overlap) {
    Outcome outcome = placeStores();
    if (outcome != Outcome::Done)
      return outcome;
  } else {
    sinkReads();
    sinkPacks();
    if (apartWay.spread)
      spreadLoads();
  }
  for (int i = 0; i < n; ++i)
    // A node that only a cycle of dependences reaches.
    if (time[i] == kUnplaced)
      return Outcome::Never;
  return Outcome::Done;
}
