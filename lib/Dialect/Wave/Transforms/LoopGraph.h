//===- LoopGraph.h - The dependences of a loop's body -----------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `wave-schedule` places: the ops of a loop's body that take time on
// gfx942, with the unit they occupy and the dependences between them, within
// one iteration and across iterations.
//
// Ops that cost nothing (a part of a register tuple, scalar arithmetic, a
// product that fuses into the sum after it) or that can be had again wherever
// they are needed (addresses) are not nodes: dependences go through them, and
// the emitter repeats them where their users are.
//
// Time is in slots. A slot is what one matrix instruction of the loop occupies
// the matrix core for (32 cycles for 32x32x8).
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_DIALECT_WAVE_TRANSFORMS_LOOPGRAPH_H
#define TLC_LIB_DIALECT_WAVE_TRANSFORMS_LOOPGRAPH_H

#include "tlc/Dialect/Wave/IR/WaveDialect.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <string>
#include <vector>

namespace tlc::wave {

enum class Unit {
  Barrier, ///< s_barrier
  Matrix,  ///< v_mfma
  Memory,  ///< ds_*, buffer_*, global_*: one an issue slot
  Vector,  ///< VALU, transcendental ones included
  Branch,  ///< a structured conditional without memory
};

struct Edge {
  int node;             ///< the other end
  int latency;          ///< slots from issue to issue
  int distance;         ///< iterations
  bool data;            ///< a value, not an order of memory accesses
  bool barrier = false; ///< the order of a barrier and an access
};

struct Node {
  mlir::Operation *op = nullptr;
  Unit unit = Unit::Vector;
  int cycles = 0;  ///< VALU issue cycles
  int latency = 0; ///< slots until a result can be read, by any unit
  /// Of matrix work: how long it takes, and wait states until its result may be
  /// read.
  int passes = 0, states = 0;
  bool trans = false;
  bool ldsRead = false, ldsWrite = false; ///< of LDS memory
  bool globalRead = false, globalWrite = false;
  /// Global accesses: the kernel's argument that they go through, if known.
  mlir::Value tensor;
  int tile = -1;                 ///< LDS accesses: index of the set of tiles
  int64_t copy = -1, copies = 0; ///< rotating copy, if known
  int barriersBefore = 0;        ///< in the iteration, as it was written
  /// Of a tile that is written in the loop and has one copy only.
  bool single = false;
  /// Of a tile that the loop only reads.
  bool constant = false;
  mlir::SmallVector<Edge, 4> in, out;
};

/// The store to LDS that alone stands in a branch without results (of lanes
/// beyond a tile), or null.
LdsStoreOp guardedStore(mlir::Operation *op);

class LoopGraph {
public:
  /// With \p twoBarriers, of more barriers only the first two are nodes:
  /// windows (Placement.cpp) order what the others did.
  explicit LoopGraph(mlir::scf::ForOp loop, bool twoBarriers = false)
      : loop(loop), twoBarriers(twoBarriers) {}

  /// Empty on success, otherwise why the loop cannot be scheduled.
  std::string build();

  bool isFree(mlir::Operation *op) const { return free.contains(op); }
  int indexOf(mlir::Operation *op) const {
    auto it = index.find(op);
    return it == index.end() ? -1 : it->second;
  }
  /// Values an op reads, those of its regions from outside included.
  static mlir::SmallVector<mlir::Value> getInputs(mlir::Operation *op);
  /// VGPRs that a value of this type takes.
  static int getRegisters(mlir::Type type);
  /// Slots that a load from global memory should come before its use: the
  /// wavefronts of a SIMD share the matrix core.
  int loadSlots() const;
  /// Wavefronts of the workgroup on each SIMD.
  int wavesOfSimd() const;
  /// Wavefronts that share a matrix core.
  int sharers() const;
  /// What an LDS write takes of the port that all wavefronts share, for each of
  /// those of one SIMD, with some to spare.
  int writeCycles(const Node &node) const;
  /// Slots in which the port is busy with an LDS read of all wavefronts.
  int readSlots(const Node &node) const;
  /// Slots in which the path to memory is busy with a load of all wavefronts.
  int pathSlots(const Node &node) const;
  /// The largest estimate that is likely to do without scratch memory.
  int likelyRegisters() const;
  /// Whether vector work is more than a few address updates: in a loop with two
  /// barriers, tiles that are transposed on their way to LDS.
  bool packs() const { return vectorCycles > numMatrix / 4; }
  /// Whether all lanes have the same value: it lives in scalar registers.
  bool isUniform(mlir::Value value);

  mlir::scf::ForOp loop;
  std::vector<Node> nodes; ///< in program order
  int slotCycles = 32;     ///< matrix cycles of a slot
  int numMatrix = 0, numMemory = 0, numBarriers = 0, numTiles = 0;
  int allBarriers = 0; ///< those that are no nodes included
  /// Of the LDS writes between the two barriers, if there are.
  int singleWriteCycles = 0;
  int vectorCycles = 0; ///< VALU cycles of an iteration
  bool seldom = false;  ///< few iterations: those at the edge of a mask
  int rows = 1;         ///< iterations a turn, where they overlap
  /// Cycles that an LDS read may come before its latency demands it; fewer
  /// where registers are short.
  static constexpr int kRing = 256;
  int ring = kRing;
  /// Why iterations cannot overlap; empty if they can.
  std::string serial;

private:
  bool selectsFloats(mlir::Operation *op);
  void classify(mlir::Operation *op);
  void addNode(mlir::Operation *op);
  void addDataEdges();
  void addMemoryEdges();
  void joinTiles();
  std::string whySerial();
  std::string whySerialInLds();
  std::string whySerialInMemory() const;
  void connect(int from, int to, int latency, int distance = 0,
               bool data = false, bool barrier = false);
  int latencyOf(const Node &from, const Node &to, mlir::Value through) const;
  bool collect(mlir::Value value, int distance,
               llvm::function_ref<void(int, int)> found);

  bool twoBarriers, ordersGlobal = false;
  llvm::DenseMap<mlir::Operation *, int> index;
  llvm::DenseSet<mlir::Operation *> free;
  llvm::DenseMap<mlir::Value, bool> uniform;
};

} // namespace tlc::wave

#endif // TLC_LIB_DIALECT_WAVE_TRANSFORMS_LOOPGRAPH_H
