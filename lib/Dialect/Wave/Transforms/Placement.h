//===- Placement.h - The slot of each op of a loop --------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A flat time for each node of a loop graph, such that one iteration may start
// every `interval` slots: dependences hold, and the nodes that share a slot
// modulo the interval fit it. Without overlap the interval is the length of the
// iteration.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_DIALECT_WAVE_TRANSFORMS_PLACEMENT_H
#define TLC_LIB_DIALECT_WAVE_TRANSFORMS_PLACEMENT_H

#include "LoopGraph.h"

namespace tlc::wave {

struct Placement {
  int interval = 0; ///< slots between iterations
  int stages = 1;   ///< iterations in flight
  /// Cycles of work before the loop; as much again is done for iterations
  /// beyond the last.
  int outside = 0;
  std::vector<int> time; ///< of each node; stage = time / interval

  int stage(int node) const { return time[node] / interval; }
  int slot(int node) const { return time[node] % interval; }
};

/// Finds a placement; nothing if none was found: `blamed` is then the node for
/// which there was no slot, or -1.
std::optional<Placement> place(LoopGraph &graph, bool overlap, int &blamed);

/// Vector registers that are live at once, at most: about what code generation
/// will need.
int estimateRegisters(LoopGraph &graph, const Placement &placement);

/// Cycles of a row issued in this order: for comparing placements of one loop.
int rehearse(const LoopGraph &graph, const Placement &placement);

} // namespace tlc::wave

#endif // TLC_LIB_DIALECT_WAVE_TRANSFORMS_PLACEMENT_H
