//===- Rehearse.cpp - Cycles of a loop in the order of a placement --------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Issues the ops of an iteration one after the other as one wavefront would,
// whose siblings on the other SIMDs do the same at the same time:
//
// * an op waits for what it reads, and all behind it wait with it;
// * a matrix instruction waits for the one before, its issue takes a turn;
// * the LDS port and the path to memory serve the wavefronts of all SIMDs; who
//   asks faster than they serve waits once their queues are full;
// * a barrier waits for the accesses to LDS.
//
// The last row of several counts, which the results of those before feed. It is
// for comparing orders of one loop, not for predicting its time.
//
//===----------------------------------------------------------------------===//

#include "Placement.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::wave;

namespace {
constexpr int kIssueCycles = 4, kBranchCycles = 16, kBarrierCycles = 16;
constexpr int kSimds = 4;
/// Until data have come back, behind the port or path.
constexpr int kLdsDelay = 64, kMemoryDelay = 800;
/// Cycles of requests that a queue holds before issue stops.
constexpr int kLdsQueue = 64, kMemoryQueue = 64;
/// What a dword of each lane takes of the LDS port and of the path to memory.
constexpr int kPortCycles = 2 * kSimds, kPathCycles = 4 * kSimds;
/// Until a matrix result can be read by another unit, behind its last pass.
constexpr int kMatrixDelay = 8;

/// A resource that serves requests in order.
struct Queue {
  int free = 0, depth;
  /// Enters a request at `now`; the time at which issue goes on.
  int enter(int now, int cycles) {
    free = std::max(free, now) + cycles;
    return std::max(now + kIssueCycles, free - depth);
  }
};
} // namespace

/// Dwords of a lane that a memory op moves.
static int dwordsOf(const Node &node) {
  Operation *op = node.op;
  if (op->getNumResults())
    return std::max(1, LoopGraph::getRegisters(op->getResult(0).getType()));
  int most = 1;
  for (Value v : LoopGraph::getInputs(op))
    if (isa<VectorType>(v.getType()))
      most = std::max(most, LoopGraph::getRegisters(v.getType()));
  return most;
}

int wave::rehearse(const LoopGraph &graph, const Placement &placement) {
  int n = graph.nodes.size();
  std::vector<int> order(n);
  for (int i = 0; i < n; ++i)
    order[i] = i;
  // As the emitter orders a row.
  auto place = [&](int i) {
    return std::make_tuple(placement.slot(i), graph.nodes[i].unit,
                           -placement.stage(i), i);
  };
  llvm::sort(order, [&](int a, int b) { return place(a) < place(b); });
  int now = 0, matrix = 0, begin = 0;
  Queue port{0, kLdsQueue}, path{0, kMemoryQueue};
  // By row, with as many before the first as values are handed on for.
  int apart = placement.stages + 1, rows = placement.stages + 1;
  std::vector<std::vector<int>> times(apart + rows, std::vector<int>(n, 0));
  for (int row = apart; row < apart + rows; ++row) {
    std::vector<int> &ready = times[row];
    begin = now;
    for (int i : order) {
      const Node &node = graph.nodes[i];
      for (const Edge &e : node.in) {
        int lag = placement.stage(i) - placement.stage(e.node) + e.distance;
        if (e.data)
          now = std::max(now, times[row - lag][e.node]);
      }
      switch (node.unit) {
      case Unit::Barrier:
        now = std::max(now, port.free) + kBarrierCycles;
        ready[i] = now;
        break;
      case Unit::Matrix:
        now = std::max(now, matrix);
        matrix = now + graph.slotCycles;
        now += kIssueCycles;
        ready[i] = matrix;
        // A chain of products on the same registers needs no more than that.
        for (const Edge &e : node.out)
          if (graph.nodes[e.node].unit != Unit::Matrix)
            ready[i] = matrix + kMatrixDelay;
        break;
      case Unit::Memory:
        if (node.globalRead || node.globalWrite) {
          now = path.enter(now, kPathCycles * dwordsOf(node));
          ready[i] = path.free + kMemoryDelay;
        } else {
          now = port.enter(now, kPortCycles * dwordsOf(node));
          ready[i] = port.free + kLdsDelay;
        }
        break;
      case Unit::Vector:
        now += node.cycles;
        ready[i] = now + (node.trans ? kIssueCycles : 0);
        break;
      case Unit::Branch:
        now += kBranchCycles;
        ready[i] = now;
        break;
      }
    }
  }
  return now - begin;
}
