//===- Extrapolate.h - A whole launch from a sample -------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a launch is too large, the first workgroups of one XCD run in detail.
// How long the others take follows from how many instructions they execute,
// and that from where they are in the grid: a few workgroups along each
// dimension are counted without the model. Then all workgroups of the launch
// are dispatched once more, each with its duration as a whole.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_TIMING_EXTRAPOLATE_H
#define TLC_LIB_SIMULATOR_TIMING_EXTRAPOLATE_H

#include "Machine.h"

#include <functional>

namespace tlc::sim {

/// Instructions of a workgroup by its place in the grid: the product of what
/// each dimension contributes, linear between the places counted.
class LengthModel {
public:
  /// \p count runs a workgroup and gives its instructions.
  LengthModel(const uint32_t grid[3],
              std::function<uint64_t(uint64_t id)> count);
  double lengthOf(uint64_t id) const;
  unsigned counted() const { return runs; }
  /// Takes the workgroups that ran in detail for what they are. Where the
  /// model does not describe them, a run of consecutive workgroups in the
  /// middle of the grid is counted, if that takes no more than \p limit
  /// instructions, and stands for all others.
  void adjustTo(const std::vector<GroupTime> &groups, uint64_t limit);

private:
  struct Point {
    uint32_t at;
    double factor;
  };
  uint32_t grid[3];
  std::function<uint64_t(uint64_t id)> count;
  double first = 0, mean = 0;
  std::vector<double> window; ///< by the number modulo its size
  std::vector<Point> points[3];
  std::map<uint64_t, uint64_t> known;
  unsigned runs = 0;
};

/// Scales `sample`, which the groups of one XCD left, to the whole launch.
TimingResult extrapolate(TimingResult sample,
                         const std::vector<GroupTime> &groups,
                         const LengthModel &lengths, uint64_t workgroups,
                         const GroupNeeds &needs);

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_TIMING_EXTRAPOLATE_H
