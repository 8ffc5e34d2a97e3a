//===- Placer.h - State of the search for slots -----------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the sweeps (Placement.cpp) and the search around them
// (PlacementSearch.cpp) share: the reservation table, the times found so far,
// and the settings that one attempt is made with. Times are in slots from the
// start of the iteration; latencies of the graph are in slots too.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_DIALECT_WAVE_TRANSFORMS_PLACER_H
#define TLC_LIB_DIALECT_WAVE_TRANSFORMS_PLACER_H

#include "Placement.h"

namespace tlc::wave {
/// Until an LDS access is done; until the first reads of all wavefronts after a
/// barrier are done.
constexpr int kLdsCycles = 128, kBurstCycles = 192;
constexpr int kUnplaced = INT_MIN / 2;
constexpr int kFar = INT_MAX / 2;
/// Matrix instructions that make overlapping iterations worth while.
constexpr int kMinInterval = 8;
/// Cycles in which a wavefront issues an instruction that is not VALU work.
constexpr int kIssue = 4;
/// What a copy of a register is taken to cost where a loop closes: it has no
/// slot.
constexpr int kCopy = 2 * kIssue;
/// Iterations that a loop is taken to have, one at the edge of a mask or not.
constexpr int kFew = 4, kMany = 64;
// Attempts before a setting is given up; intervals that a window may lie later;
// steps by which the shares grow.
constexpr int kMaxTries = 32, kMaxWindow = 3, kMaxMore = 6;
/// Ways that use up their tries before the search for a first one ends: large
/// loops come here that none of the others helps.
constexpr int kMaxExhausted = 8;

/// Ways to place a loop's nodes, in order of trial: the first three always, the
/// others where these leave something to wish for (waits for all loads, too
/// many registers), or (Order) find nothing.
struct Way {
  enum For { Always, Order, Counts, Registers } tried;
  int patience;       ///< slots by which matrix results are read later
  bool ahead = false; ///< loads may come an iteration before all else
  bool byUse = false; ///< vector work by the matrix instructions it is for
};
constexpr Way kWays[] = {{Way::Always, 0},
                         {Way::Always, -1},
                         {Way::Always, 1},
                         {Way::Order, 0, false, true},
                         {Way::Order, -1, false, true},
                         {Way::Counts, 0, true},
                         {Way::Counts, 1, true},
                         {Way::Registers, 0, true},
                         {Way::Registers, -1, true}};

/// Ways to order an iteration that overlaps with no other, in order of trial.
struct Apart {
  bool feeds = false;  ///< what makes operands of LDS reads sinks with them
  bool freely = false; ///< what sinks takes no room before it is sunk
  bool spread = false; ///< loads for the next iteration are spread over it
};
constexpr Apart kApart[] = {
    {}, {true}, {true, false, true}, {true, true}, {true, true, true}};
/// A way must save this part of an iteration's cycles to go before another.
constexpr int kWorthWhile = 50;
/// Cycles of an iteration for each of its matrix work that mean that memory
/// decides.
constexpr int kLittleMatrix = 4;

class Placer {
public:
  Placer(LoopGraph &graph, bool overlap)
      : graph(graph), nodes(graph.nodes), overlap(overlap),
        floor(nodes.size(), 0), firstWindow(graph.numTiles, 0) {}

  std::optional<Placement> run();
  int blamed = -1; ///< the node that could not be placed

private:
  /// Again: floors or first windows have been raised, and another attempt may
  /// succeed.
  enum class Outcome { Done, Again, Never };
  std::optional<Placement> search();
  std::optional<Placement> overlapped();
  std::optional<Placement> apart();
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
  std::pair<int, int> spanOf(llvm::ArrayRef<Load> loads, int firstWrite) const;
  bool placeReads(int n, int t);
  bool placeSources(int n, int t, llvm::SmallVectorImpl<int> &placed,
                    llvm::SmallVectorImpl<int> &settled);
  void sinkReads();
  void sinkPacks();
  void spreadLoads();

  // The table's slot of a time: one interval, repeated.
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
      return e.latency + patience;
    // A result for the next matrix instruction: it may have to wait.
    if (patience < 0 && nodes[from].unit == Unit::Vector &&
        nodes[e.node].unit == Unit::Matrix)
      return 1;
    return e.latency;
  }
  /// Without overlap: what moves down to its first reader once that is placed.
  bool sinks(int n) const {
    bool read = nodes[n].ldsRead && !nodes[n].ldsWrite;
    return !overlap && (read || (apartWay.feeds && feeds[n])) &&
           !nodes[n].out.empty();
  }
  bool fits(const Node &node, int t);
  bool portTakes(const Node &node, int t);
  bool pathTakes(const Node &node, int t);
  void reserve(int n, int t);
  void release(int n);
  int earliest(int n) const;
  int latest(int n) const;
  // Nodes that wait for a later sweep, or are placed with their reader.
  bool isLazy(int n) const {
    const Node &node = nodes[n];
    return overlap &&
           (feeds[n] || (node.unit == Unit::Memory &&
                         (node.ldsRead || node.ldsWrite || node.globalRead)));
  }
  // Accesses to tiles that barriers order.
  bool hasWindow(const Node &node) const {
    return node.tile >= 0 && overlap && graph.numBarriers;
  }
  // Of a tile with one copy, reads come behind the second barrier.
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
  // Where trying begins.
  int begin(int n) const {
    return hasWindow(nodes[n]) ? std::max(floor[n], windowBegin(nodes[n]))
                               : floor[n];
  }
  int windowEnd(const Node &node) const {
    if (!hasWindow(node) || node.constant || !windowFixed[node.tile])
      return kFar;
    int length = node.single && node.ldsWrite ? second : interval;
    return window[node.tile] * interval + length - 1 - drain;
  }
  void findLate();
  void findFeeds();
  bool rotate(Placement &result);

  LoopGraph &graph;
  std::vector<Node> &nodes;
  bool overlap;
  int interval = 0, vectorShare = 0, memoryShare = 1;
  int second = 0; ///< slot of an iteration's second barrier; 0: has none
  /// Slots without LDS accesses before each of two barriers: they wait for all.
  int drain = 0;
  int patience = 0;       ///< slots by which matrix results are read later
  int drained = 0;        ///< waits for all loads, before any was mended
  int lost = 0;           ///< cycles before readers that come too early
  int exhausted = 0;      ///< ways that used up their tries
  bool ahead = false;     ///< loads may come an iteration before all else
  bool byUse = false;     ///< vector work by the matrix instructions it is for
  Apart apartWay;         ///< where iterations do not overlap
  std::vector<int> floor; ///< times before which a node must not be tried
  /// Of each set of tiles: where its window lies, in intervals from the
  /// barrier, whether that is settled, and what to begin trying with.
  std::vector<int> window, firstWindow;
  std::vector<bool> windowFixed;
  std::vector<int> time;
  std::vector<bool> late;  ///< by node: sweep 3 places it
  std::vector<bool> feeds; ///< makes matrix operands of LDS reads
  struct Slot {
    int matrix = 0, memory = 0, vector = 0, ldsReads = 0, loads = 0;
    /// Issue cycles beside the matrix instruction's own.
    int issue() const { return vector + kIssue * memory; }
  };
  std::vector<Slot> table;

  int excess(const std::vector<Slot> &slots) const;
  std::vector<int> instructions; ///< by slot
  void countInstructions();
  /// Wait states until a matrix result may be read. Twice as long where two
  /// wavefronts share the core.
  int statesOf(int n, bool shared) const {
    bool longer = shared && graph.sharers() > 1;
    return nodes[n].states + longer * nodes[n].passes;
  }
  int missing(int from, const Edge &e, int need) const;
  int hazards(bool shared) const;
  void fill();
  int fill(int from, const Edge &e, int lost);
  int outlives(int n) const;
  int copies();
  void shift(int n, int t);
  void shorten();
  int nextLoad(int n) const;
  int drains() const;
  void settle();
  void outwait();
  void sinkWrites();
  bool move(int n, int aim);
};

/// Cycles of a slot that nothing but its matrix instruction and one wait takes.
inline int roomOf(const LoopGraph &graph) {
  return std::max(graph.slotCycles - 2 * kIssue, kIssue);
}

} // namespace tlc::wave

#endif // TLC_LIB_DIALECT_WAVE_TRANSFORMS_PLACER_H
