//===- PlacementRepair.cpp - Small moves that better a placement ----------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// List scheduling (Placement.cpp) leaves slots crowded beside empty ones, waits
// for all loads, wait states to fill, and values that outlive a turn of the
// loop. Each of these has a measure here, in cycles that are likely to be lost,
// and a sweep that moves single nodes, within what their dependences allow,
// where that makes it smaller:
//
//   settle      out of crowded slots
//   outwait     what first reads a load behind the next load
//   sinkWrites  writes to global memory into the last stage
//   shorten     what makes a value behind the last reader of the one before
//   fill        independent work between matrix work and what reads its result
//
//===----------------------------------------------------------------------===//

#include "Placer.h"
#include "tlc/Support/WaitStates.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::wave;

/// Issue cycles that do not fit beside the matrix instructions.
int Placer::excess(const std::vector<Slot> &slots) const {
  int sum = 0;
  for (const Slot &slot : slots)
    sum += std::max(0, slot.issue() - roomOf(graph));
  return sum;
}

/// Instructions of a node; where they depend on code generation, the fewest.
static int instructionsOf(const Node &node) {
  return node.unit != Unit::Vector ? 1
         : node.trans              ? node.cycles / 16
                                   : node.cycles / kIssue;
}

/// Of the wait states that a reader of a node's result needs, those that no
/// instruction in between is. Code generation counts instructions, not cycles,
/// and orders a slot's vector work by itself.
int Placer::missing(int from, const Edge &e, int need) const {
  const Node &node = nodes[from], &reader = nodes[e.node];
  int begin = time[from], end = time[e.node] + e.distance * interval;
  if (!e.data)
    return 0;
  if (node.unit == Unit::Vector && reader.unit == Unit::Matrix)
    return end < begin + e.latency;
  if (node.unit != Unit::Matrix || reader.unit == Unit::Matrix)
    return 0;
  // Its own slot's other work, and the reader's slot up to it.
  int between = table[index(end)].memory;
  for (int t = begin; t < end && between < need; ++t)
    between += instructions[index(t)];
  return std::max(0, need - between);
}

void Placer::countInstructions() {
  instructions.assign(interval, 0);
  for (int i = 0, n = nodes.size(); i < n; ++i)
    instructions[index(time[i])] += instructionsOf(nodes[i]);
}

/// Cycles likely to be lost before readers of results that come too early: in
/// s_nop, or, with \p shared, because another wavefront's matrix work comes in
/// between.
int Placer::hazards(bool shared) const {
  int sum = 0;
  for (int i = 0, n = nodes.size(); i < n; ++i) {
    int most = 0;
    for (const Edge &e : nodes[i].out)
      most = std::max(most, missing(i, e, statesOf(i, shared)));
    sum += (shared ? kIssue / 2 : 2 * kIssue) * most;
  }
  return sum;
}

/// When the first load is issued behind those whose results a node reads; in
/// the distant past if it reads none.
int Placer::nextLoad(int n) const {
  int loaded = kUnplaced;
  for (const Edge &e : nodes[n].in)
    if (nodes[e.node].globalRead && e.data)
      loaded = std::max(loaded, time[e.node] - e.distance * interval);
  if (loaded == kUnplaced)
    return kUnplaced;
  int next = loaded + interval;
  for (int i = 0, count = nodes.size(); i < count; ++i)
    if (nodes[i].globalRead) {
      int behind = (time[i] - loaded) % interval;
      behind += behind <= 0 ? interval : 0;
      next = std::min(next, loaded + behind);
    }
  return next;
}

/// Reads of loads behind which no other load is issued: waits count the loads
/// behind, and these would be for all.
int Placer::drains() const {
  // With two barriers, spanOf() sees to it.
  if (second)
    return 0;
  int sum = 0;
  // In a slot memory instructions stand before vector work, not in order among
  // themselves.
  for (int n = 0, count = nodes.size(); n < count; ++n)
    sum += nextLoad(n) > time[n] - (nodes[n].unit != Unit::Vector);
  return sum;
}

/// Moves a node out of a crowded slot, to the nearest with room for it.
bool Placer::move(int n, int aim) {
  const Node &node = nodes[n];
  bool store = node.ldsWrite && !node.ldsRead;
  if (!(node.unit == Unit::Vector && node.cycles) && !store)
    return false;
  // Only slots that exceed the aim are relieved.
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
    // What leaves the crowded slot less what overflows in the other.
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

/// Waits for loads count those behind: what first reads a load goes behind the
/// next one, if it can, or the wait is for all.
void Placer::outwait() {
  if (second)
    return;
  for (int n = 0, count = nodes.size(); n < count; ++n) {
    int next = nextLoad(n);
    if (late[n] != 1 || next <= time[n] || next > latest(n))
      continue;
    int best = next;
    for (int t = next + 1; t <= latest(n); ++t)
      if (table[index(t)].issue() < table[index(best)].issue())
        best = t;
    table[index(time[n])].vector -= nodes[n].cycles;
    reserve(n, best);
  }
}

/// Writes to global memory belong to an iteration's last stage: none comes an
/// interval before the iteration's end.
void Placer::sinkWrites() {
  int last = kUnplaced;
  for (int t : time)
    last = std::max(last, t);
  for (int n = nodes.size() - 1; n >= 0; --n) {
    if (!nodes[n].globalWrite || time[n] > last - interval)
      continue;
    int from = last - interval + 1, to = std::min(latest(n), last), t = from;
    release(n);
    while (t <= to && !fits(nodes[n], t))
      ++t;
    // A crowded slot rather than none; if even that is too late, rotate() finds
    // no place.
    reserve(n, t <= to ? t : std::min(from, to));
  }
}

/// Slots by which a value outlives a turn: its last reader comes behind what
/// makes the same value a turn later, so that code generation has to copy one
/// of them where the loop closes.
int Placer::outlives(int n) const {
  int last = kUnplaced;
  for (const Edge &e : nodes[n].out)
    if (e.data) {
      // A slot goes by units: a branch reads what the slot's vector work made.
      int read = time[e.node] + e.distance * interval;
      last = std::max(last, read + (nodes[e.node].unit == Unit::Branch &&
                                    nodes[n].unit != Unit::Branch));
    }
  return std::max(0, last - time[n] - graph.rows * interval);
}

/// Registers copied in a turn because values outlive it.
int Placer::copies() {
  int sum = 0;
  for (int i = 0, n = nodes.size(); i < n; ++i)
    if (outlives(i))
      for (Value v : nodes[i].op->getResults())
        if (!graph.isUniform(v))
          sum += LoopGraph::getRegisters(v.getType());
  return sum;
}

/// Moves a node into another slot of the table.
void Placer::shift(int n, int t) {
  int own = instructionsOf(nodes[n]);
  instructions[index(time[n])] -= own;
  release(n);
  reserve(n, t);
  instructions[index(t)] += own;
}

/// What makes a value goes behind the last reader of the one a turn before it,
/// if that costs less than the copy.
void Placer::shorten() {
  auto cost = [&] { return kCopy * copies() + excess(table) + hazards(false); };
  int now = cost();
  for (int n = nodes.size() - 1; n >= 0; --n) {
    int over = outlives(n);
    if (!over || nodes[n].unit != Unit::Vector)
      continue;
    int before = time[n], best = before;
    int end = std::min(latest(n), before + interval);
    for (int t = before + over; t <= end; ++t) {
      shift(n, t);
      if (int then = cost(); then < now) {
        now = then;
        best = t;
      }
    }
    shift(n, best);
  }
}

/// Independent vector work goes between a matrix instruction and a reader of
/// its result, or a vector instruction and a matrix instruction, where wait
/// states are missing.
void Placer::fill() {
  constexpr int kMostSweeps = 4;
  int lost = hazards(false);
  for (int sweep = 0; lost && sweep < kMostSweeps; ++sweep) {
    int before = lost;
    for (int i = 0, count = nodes.size(); i < count && lost; ++i)
      for (const Edge &e : nodes[i].out)
        if (missing(i, e, statesOf(i, false)))
          lost = fill(i, e, lost);
    if (lost == before)
      break;
  }
}

/// For one edge; the cycles that are lost then.
int Placer::fill(int from, const Edge &e, int lost) {
  int begin = time[from], end = time[e.node] + e.distance * interval;
  for (int n = nodes.size() - 1; n >= 0; --n) {
    const Node &node = nodes[n];
    if (node.unit != Unit::Vector || !instructionsOf(node) || n == e.node ||
        n == from)
      continue;
    // Which of the intervals that the node's time may lie in.
    int now = time[n], low = earliest(n), high = latest(n);
    if (low > high)
      continue;
    auto within = [&](int t) {
      int i = t - begin - (t - begin) / interval * interval;
      i += i < 0 ? interval : 0;
      return i < end - begin;
    };
    if (within(now))
      continue;
    int best = now;
    for (int t = std::max(low, now - interval / 2),
             last = std::min(high, now + interval / 2);
         t <= last; ++t)
      if (within(t) && table[index(t)].issue() + node.cycles <= roomOf(graph) &&
          (best == now || abs(t - now) < abs(best - now)))
        best = t;
    if (best == now)
      continue;
    int copied = copies();
    shift(n, best);
    int then = hazards(false);
    if (then >= lost || copies() > copied)
      shift(n, now);
    else
      lost = then;
    if (!missing(from, e, statesOf(from, false)))
      break;
  }
  return lost;
}
