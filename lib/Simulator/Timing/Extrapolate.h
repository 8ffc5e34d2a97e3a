//===- Extrapolate.h - A whole launch from a sample -------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a launch is too large, the workgroups of one XCD run in detail, at an
// eighth of what the XCDs share: all of them, or one of two kinds of sample.
//
//   Repeat  Workgroups that are alike: the first and the last ones. Between two
//           marks the machine is full; what happened there happens as many
//           times again as it takes for the workgroups that were left out.
//   Pace    Long workgroups, and those that differ: from the begin on, until
//           the detail is spent. The rest is stepped through workgroup by
//           workgroup, each at the pace that was measured.
//
// Either way time and work are added together, so that no unit can come out
// busier than it was in the sample.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_TIMING_EXTRAPOLATE_H
#define TLC_LIB_SIMULATOR_TIMING_EXTRAPOLATE_H

#include "Steps.h"

namespace tlc::sim {

struct SamplePlan {
  enum class Kind { WholeXcd, Repeat, Pace } kind = Kind::WholeXcd;
  bool isUniform = false;   ///< workgroups are alike
  bool warm = false;        ///< see MachineOptions
  bool areFollowed = false; ///< the other XCDs, see Followers
  unsigned xcd = 0;
  uint64_t workgroups = 0; ///< of the launch
  uint64_t ofXcd = 0;      ///< those that the XCD gets
  double unevenness = 0;   ///< work of the XCD above the average, relative
  double ofAll = 0;        ///< its part of all instructions
  double allInstructions = 0;
  std::vector<double> othersEnd; ///< see MachineOptions
  GroupNeeds needs;

  /// Fills in what the run of the sample needs to know.
  void apply(MachineOptions &options) const;
  /// "38 of 512 workgroups, the first of one XCD, ran in detail: ..."
  std::string describe(size_t ran, const LengthModel &lengths) const;
  /// Some XCDs have more to do than others. The others then end early and leave
  /// the shared levels to those, which a sample of one XCD does not show.
  bool isUneven() const { return unevenness > 0.05; }
  /// Whether one XCD may not stand for all, or chance decides how they end.
  /// Launches of up to so many times the instructions that always run in full
  /// do so then: a second or two for each XCD, and nothing to be said of
  /// errors.
  static constexpr double uncertainFactor = 2;
  bool isUncertain(const Ends &ends) const;
  /// The same once the sample has run: how much XCDs with less to do take of
  /// what all share decides how fast the last one is, and none of them ran.
  static constexpr double contendedFactor = 3.2;
  bool isContended(const TimingResult &sample) const;
  /// Lengths that are this far from those of the workgroups that ran, on
  /// average and relative, do not say how the launch ends: the same then.
  static constexpr double misjudged = 0.05;
  double lengthError = 0;
  /// From so busy shared levels on, XCDs that do the same end at different
  /// times, as chance shares them out, and the launch with the last one.
  static constexpr double contested = 0.9;
  double sharedUse = 0;
  /// Which of the last workgroups meet on a compute unit is chance.
  bool hasChance = false;
  /// So its end is the mean over that, once the sample has run.
  bool hasTail = false;
  Tail tail;

  // Repeat: see MachineOptions.
  uint64_t firstMark = 0, secondMark = 0, skipped = 0;
  uint64_t instructionLimit = 0; ///< Pace
};

/// \p detail: instructions to spend, each as dear as so many \p usual ones.
/// \p ends: where workgroups differ.
SamplePlan planSample(const LengthModel &lengths, uint64_t workgroups,
                      const GroupNeeds &needs, uint64_t detail, double usual,
                      const Ends &ends);

/// The whole launch from `sample`, which \p machine gave. For Pace only, from
/// further runs, 0 if there was none: \p alone, instructions a cycle of a
/// workgroup that has its compute unit to itself; \p relieved, those of one on
/// a full unit when the other XCDs want nothing.
TimingResult extrapolate(TimingResult sample, const Machine &machine,
                         const LengthModel &lengths, SamplePlan &plan,
                         double alone, double relieved);

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_TIMING_EXTRAPOLATE_H
