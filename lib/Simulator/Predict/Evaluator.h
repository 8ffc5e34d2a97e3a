//===- Evaluator.h - Instructions on what is known --------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One instruction at a time, on a WaveState. Where all operands are numbers the
// simulator's own handler computes the result; for operands with an unknown
// common part there is a table of integer operations; any other result is not
// known, or, of scalars, some number that all lanes share.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_PREDICT_EVALUATOR_H
#define TLC_LIB_SIMULATOR_PREDICT_EVALUATOR_H

#include "../Timing/CodeBlocks.h"
#include "WaveState.h"
#include <unordered_map>

namespace tlc::sim::predict {

class Evaluator {
public:
  explicit Evaluator(const KernelDescriptor &descriptor);
  ~Evaluator();

  /// False where the code does what is not followed: nothing is known then.
  bool step(const StaticOp &row, WaveState &state);
  const OpFacts &factsOf(const Op &op);

private:
  bool scalar(const Op &op, WaveState &state);
  bool maskLogic(const Op &op, WaveState &state);
  ValueRef scalarResult(const Op &op, const WaveState &state) const;
  void vector(const Op &op, WaveState &state);
  bool laneMoves(const Op &op, WaveState &state);
  void compare(const Op &op, WaveState &state);
  ValueRef select(const Op &op, const WaveState &state);
  ValueRef vectorResult(const Op &op, const WaveState &state);

  ValueRef source(const Op &op, unsigned i, const WaveState &state) const;
  MaskRef maskSource(const Op &op, unsigned i, const WaveState &state) const;
  /// Runs the handler on numbers; the lanes of which the result is known.
  /// Nothing, where an operand is no number, or `lanes` of it are not known.
  std::optional<uint64_t> run(const Op &op, const WaveState &state,
                              uint64_t &cause);
  ValueRef lanesOf(unsigned reg, uint64_t valid, uint64_t cause) const;

  std::unordered_map<const Op *, OpFacts> facts;
  struct Machine; // a wavefront of the simulator
  std::unique_ptr<Machine> machine;
};

} // namespace tlc::sim::predict

#endif // TLC_LIB_SIMULATOR_PREDICT_EVALUATOR_H
