//===- Emitter.h - State of the emission of a schedule ----------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What EmitSchedule.cpp, where the algorithm stands, and KeepValues.cpp share.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_DIALECT_WAVE_TRANSFORMS_EMITTER_H
#define TLC_LIB_DIALECT_WAVE_TRANSFORMS_EMITTER_H

#include "EmitSchedule.h"
#include "llvm/ADT/MapVector.h"
#include <map>

namespace tlc::wave {

/// A value of the old body, rows ago. Block arguments stand for what the
/// iteration before left.
using Carried = std::pair<mlir::Value, int>;

class Emitter {
public:
  Emitter(LoopGraph &graph, const Placement &placement, bool pin)
      : graph(graph), p(placement), loop(graph.loop), b(loop), pin(pin) {}
  mlir::scf::ForOp run();

private:
  struct Row {
    int number = 0;  ///< -(S-1) .. -1 before the loop; 0 for rows of the loop
    int parity = -1; ///< of the iteration in stage S-1, if known
    mlir::Value iv;  ///< of stage S-1; null before the loop
    mlir::SmallVector<mlir::Value>
        in; ///< carried values, as the row before left them
    mlir::DenseMap<std::pair<mlir::Value, int>, mlir::Value>
        values; ///< by value and stage
    /// By argument and lag: as it was before one change, two changes, ...
    mlir::DenseMap<std::pair<mlir::Value, int>, mlir::Value> kept;
  };
  void plan();
  void need(mlir::Value value, int stage);
  void emitRow(Row &row);
  void emitOp(mlir::Operation *op, Row &row, int stage);
  mlir::Value get(mlir::Value value, Row &row, int stage);
  mlir::Value variable(Row &row, int stage, bool beyond = false);
  int stageOf(mlir::Value value) const {
    int node = graph.indexOf(value.getDefiningOp());
    assert(node >= 0 && "only nodes are handed on");
    return p.stage(node);
  }
  mlir::Value yieldOf(mlir::BlockArgument arg) const {
    return graph.loop.getTiedLoopYieldedValue(arg)->get();
  }
  /// The carried value's instance at a row before the loop's first.
  mlir::Value initial(mlir::Value value, int lag);
  mlir::SmallVector<mlir::Value> leave(Row &row);
  struct Kept {
    int lag;        ///< at which the loop leaves it
    unsigned flags; ///< first of lag - 1 arguments: rows that changed it
  };
  mlir::Value leaveKept(mlir::BlockArgument arg, Kept keeps,
                        mlir::ArrayRef<mlir::Value> values);
  mlir::scf::IfOp keeperOf(mlir::BlockArgument arg);
  mlir::Operation *keep(mlir::Operation *op, mlir::Operation *clone, Row &row,
                        int stage);
  std::optional<int> copyOf(mlir::Operation *op, const Row &row, int stage);
  mlir::Value countCopy(mlir::Operation *op, Row &row, int stage);
  bool writesGlobal() const;
  mlir::SmallVector<mlir::Value> emitSingle(mlir::ArrayRef<mlir::Value> values,
                                            mlir::Value iv, int parity);
  mlir::SmallVector<mlir::Value> emitLoop(mlir::ValueRange inits,
                                          mlir::Value lower, mlir::Value upper,
                                          int rows, bool nonEmpty);
  mlir::SmallVector<mlir::Value>
  emitPairs(mlir::SmallVector<mlir::Value> values, mlir::Value lower,
            std::optional<int64_t> count);

  LoopGraph &graph;
  const Placement &p;
  mlir::scf::ForOp loop;
  mlir::OpBuilder b;
  bool pin;           ///< close slots with scheduling barriers
  mlir::Value lastIv; ///< the loop's variable in its last iteration
  std::vector<Row> before;
  /// Index of the new loop's argument for each carried value.
  llvm::MapVector<Carried, unsigned> carried;
  llvm::MapVector<mlir::BlockArgument, Kept> kept; ///< that a branch keeps
  std::vector<std::vector<int>> slots; ///< nodes by slot, in order of emission
  /// Scalar values by slot, with their stage, that memory accesses some slots
  /// later need.
  std::vector<mlir::SmallVector<std::pair<mlir::Value, int>>> scalars;
  void spreadScalars();
  std::map<int, int> priorities; ///< by the slot before which they are set
  bool loopFirst = false;        ///< priority to the loop as a whole
  void choosePriorities();
  bool skipBarriers = false; ///< nothing before the loop has used LDS
  bool peeled = false;       ///< the loop's first row stands before it
  mlir::scf::ForOp result;
};

inline bool isInside(mlir::Value v, mlir::scf::ForOp loop) {
  return v.getParentRegion() == &loop.getRegion();
}

} // namespace tlc::wave

#endif // TLC_LIB_DIALECT_WAVE_TRANSFORMS_EMITTER_H
