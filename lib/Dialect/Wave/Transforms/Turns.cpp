//===- Turns.cpp - How many iterations a scheduled loop does a turn -------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two where which copy of a tile in LDS a step uses is then a constant, or
// where values outlive a row: a turn of two rows hands on without moves what
// lives no longer than two.
//
//   %c = arith.remui (%i + 1), 2    =>    row 0: %c = 1, row 1: %c = 0
//
//===----------------------------------------------------------------------===//

#include "EmitSchedule.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::wave;

/// What counts the loop's iterations modulo two, plus a constant: which copy of
/// a doubled tile a step uses. That constant, if `op` is such.
std::optional<int64_t> wave::matchCopy(Operation *op, scf::ForOp loop) {
  auto rem = dyn_cast<arith::RemUIOp>(op);
  if (!rem || getConstantIntValue(rem.getRhs()) != 2)
    return std::nullopt;
  Value t = rem.getLhs();
  int64_t ahead = 0;
  if (auto add = t.getDefiningOp<arith::AddIOp>()) {
    auto c = getConstantIntValue(add.getRhs());
    if (!c || *c < 0)
      return std::nullopt;
    ahead = *c;
    t = add.getLhs();
  }
  bool stepDone = getConstantIntValue(loop.getStep()) == 1;
  if (auto div = t.getDefiningOp<arith::DivUIOp>(); div && !stepDone) {
    if (div.getRhs() != loop.getStep())
      return std::nullopt;
    stepDone = true;
    t = div.getLhs();
  }
  bool lowerDone = getConstantIntValue(loop.getLowerBound()) == 0;
  if (auto sub = t.getDefiningOp<arith::SubIOp>(); sub && !lowerDone) {
    if (sub.getRhs() != loop.getLowerBound())
      return std::nullopt;
    lowerDone = true;
    t = sub.getLhs();
  }
  if (t != loop.getInductionVar() || !stepDone || !lowerDone)
    return std::nullopt;
  return ahead;
}

bool wave::usesCopies(LoopGraph &graph) {
  return llvm::any_of(*graph.loop.getBody(), [&](Operation &op) {
    return graph.isFree(&op) && matchCopy(&op, graph.loop);
  });
}

int wave::rowsOfTurn(LoopGraph &graph) {
  // Vector work hands on values that outlive a row.
  bool handsOn =
      graph.numBarriers > 1 && graph.vectorCycles > 4 * graph.numMatrix;
  return usesCopies(graph) || handsOn ? 2 : 1;
}
