//===- Pressure.cpp - Registers that a schedule needs ---------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value takes registers from its op's time to its last reader's, an interval
// later for each iteration in between. Iterations start every `interval` slots,
// so a slot sees all times that are equal to it modulo that. Parts of a tuple
// are the tuple. What the loop does not change counts throughout.
//
//===----------------------------------------------------------------------===//

#include "Placement.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::wave;

int wave::estimateRegisters(LoopGraph &graph, const Placement &p) {
  constexpr int kAddresses = 4; // computed where they are needed
  std::vector<int> live(p.interval, kAddresses);
  for (int i = 0, n = graph.nodes.size(); i < n; ++i) {
    const Node &node = graph.nodes[i];
    int registers = 0;
    for (Value v : node.op->getResults())
      if (!graph.isUniform(v))
        registers += LoopGraph::getRegisters(v.getType());
    int from = p.time[i], to = from + 1;
    for (const Edge &e : node.out)
      if (e.data)
        to = std::max(to, p.time[e.node] + e.distance * p.interval);
    for (int t = from; registers && t < to; ++t)
      live[t % p.interval] += registers;
  }
  // Addresses that differ by constants are one register.
  constexpr int kMostAddresses = 12;
  int constant = 0, addresses = 0;
  llvm::DenseSet<Value> seen;
  for (Operation &op : *graph.loop.getBody())
    for (Value v : LoopGraph::getInputs(&op))
      if (v.getParentRegion() != &graph.loop.getRegion() &&
          !v.getDefiningOp<arith::ConstantOp>() && !graph.isUniform(v) &&
          seen.insert(v).second)
        (isa<IndexType, IntegerType>(v.getType()) ? addresses : constant) +=
            LoopGraph::getRegisters(v.getType());
  return constant + std::min(addresses, kMostAddresses) +
         *llvm::max_element(live);
}
