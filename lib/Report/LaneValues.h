//===- LaneValues.h - Integers of the wave dialect, lane by lane ----------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a value of a wave kernel is in each thread of the workgroup, as far as
// that follows from the thread's number. A loop's variable, a block's number
// or an argument is the same in all threads but not known: such a part is kept
// as "some multiple of `unit`, the same everywhere", which is enough to know
// how addresses lie to each other.
//
//   %t            lanes 0, 1, 2, ...      unit 0      known exactly
//   %i * 64       lanes 0, 0, 0, ...      unit 64     the same multiple of 64
//   %i * 64 + %t  lanes 0, 1, 2, ...      unit 64     any trip, 64 apart
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_REPORT_LANEVALUES_H
#define TLC_LIB_REPORT_LANEVALUES_H

#include "tlc/Dialect/Wave/IR/WaveDialect.h"
#include "llvm/ADT/DenseMap.h"
#include <vector>

namespace tlc::report {

/// lanes[t] + u, where u is the same unknown multiple of `unit` in all threads
/// (0: there is no such part). Not `known`: depends on more than that.
struct LaneValue {
  bool known = false;
  int64_t unit = 0;
  std::vector<int64_t> lanes;

  /// Whether it is the same in all threads.
  bool isUniform() const;
  /// Whether it is one known number in each thread.
  bool isExact() const { return known && unit == 0; }
};

/// Evaluates values of one kernel; the kernel must not change while it lives.
/// Costs a number for each thread and value that is asked for.
class LaneEvaluator {
public:
  explicit LaneEvaluator(wave::KernelOp kernel)
      : threads(int64_t(kernel.getThreads())) {}

  /// Integers and indices only; others are not known.
  const LaneValue &evaluate(mlir::Value value);

private:
  /// Not kept; evaluate() does that. The parts by kind: arguments of kernels
  /// and loops, values carried around a loop, operations of arith.
  LaneValue compute(mlir::Value value);
  LaneValue computeArgument(mlir::BlockArgument argument);
  LaneValue computeCarried(mlir::Value init, mlir::Value yielded,
                           mlir::BlockArgument argument);
  LaneValue computeArith(mlir::Operation *op);
  LaneValue choose(LaneValue c, LaneValue a, LaneValue b) const;
  /// One known number in all threads.
  LaneValue constant(int64_t value) const;
  /// The same unknown multiple of `unit` everywhere.
  LaneValue uniform(int64_t unit) const;
  /// f(t) in thread t.
  template <typename F> LaneValue fromThread(F f) const;

  int64_t threads;
  llvm::DenseMap<mlir::Value, LaneValue> cache;
};

} // namespace tlc::report

#endif // TLC_LIB_REPORT_LANEVALUES_H
