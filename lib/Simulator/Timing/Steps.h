//===- Steps.h - Workgroups as wholes on compute units ----------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Steps through the workgroups of an XCD at a known pace, from one's end to the
// next one's. A workgroup's demand is in instructions: what it executes and
// what its begin and end cost on top.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_TIMING_STEPS_H
#define TLC_LIB_SIMULATOR_TIMING_STEPS_H

#include "LengthModel.h"

#include <algorithm>

namespace tlc::sim {

/// A linear function of the number of instructions, fitted.
struct Demand {
  double base = 0, slope = 1;
  double of(double length) const {
    double demand = base + slope * length;
    return demand > 1 ? demand : 1;
  }
};

/// What workgroups that ran demanded, judged by the time that they took on
/// units shared with the others that ran.
Demand fitDemand(const std::vector<GroupTime> &ran, const Shares &shares);

/// What workgroups gain when other XCDs, with less to do, have ended.
struct Relief {
  /// Instructions of the XCD after which another one has ended; ascending.
  std::vector<double> othersEnd;
  unsigned active = param::xcds; ///< when the pace was measured
  /// How much faster they are with all that XCDs share for themselves.
  double most = 1;

  /// Relative to the pace, after so many instructions: as what each gets of the
  /// shared levels, but no more than that.
  double speedAfter(double instructions) const;
};

struct Stepped {
  double end = 0;          ///< of the last workgroup
  double groupCycles = 0;  ///< workgroups' lives, summed up
  double activeCycles = 0; ///< of units that have a workgroup
  double meanEnd = 0;      ///< of the units' last workgroups
};

/// Workgroups of one length do not take the same time: by so much, relative.
struct Scatter {
  double size = 0;
  uint64_t seed = 0;
  /// A factor for the demand of a workgroup.
  double of(uint64_t id) const;
};

/// How a launch ends whose workgroups differ: which of the last ones meet on a
/// unit is chance, on this machine as on the real one. So it is stepped through
/// several times.
struct Ends {
  /// Ends that differ by less than this may be the same.
  static constexpr double alike = 0.005;
  double ofXcd[param::xcds] = {};   ///< mean
  double ofUnits[param::xcds] = {}; ///< of an XCD, mean
  /// Standard deviation, in cycles, of the time between the two.
  double tailSpread[param::xcds] = {};
  double last = 0;   ///< of the launch, mean
  double spread = 0; ///< standard deviation of that, relative

  /// Of those that end last, as near as can be told, the first: the others are
  /// more likely to have the edges of arrays.
  unsigned lastXcd() const {
    double most = *std::max_element(ofXcd, ofXcd + param::xcds);
    return unsigned(
        std::find_if(ofXcd, ofXcd + param::xcds,
                     [&](double end) { return end >= (1 - alike) * most; }) -
        ofXcd);
  }
};
Ends stepEnds(const LengthModel &lengths, uint64_t workgroups,
              const GroupNeeds &needs, const Demand &demand,
              const Shares &shares);

/// Of a launch that one XCD of it stands for.
struct Tail {
  double length =
      0; ///< from the mean end of the XCD's units to the launch's end
  double spread = 0;             ///< see Ends
  double own = 0, ownSpread = 0; ///< to the XCD's own end; standard deviation
  Tail() = default;
  Tail(const Ends &ends, unsigned xcd)
      : length(ends.last - ends.ofUnits[xcd]), spread(ends.spread),
        own(ends.ofXcd[xcd] - ends.ofUnits[xcd]),
        ownSpread(ends.tailSpread[xcd]) {}

  /// The launch's end if the XCD's units ended at \p mean on average and at
  /// \p last. What chance explains of the time between the two is left out.
  double endAfter(double mean, double last) const;
};

/// All workgroups of an XCD from the launch on.
Stepped stepThrough(const LengthModel &lengths, unsigned xcd,
                    uint64_t workgroups, const GroupNeeds &needs,
                    const Demand &demand, const Shares &shares,
                    const Scatter &scatter = {});
/// The rest, from where \p ran stopped at \p time. Units are numbered as there.
Stepped stepOn(const std::vector<GroupTime> &ran, double time,
               const LengthModel &lengths, unsigned xcd, uint64_t workgroups,
               const GroupNeeds &needs, const Demand &demand,
               const Shares &shares, const Relief &relief);

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_TIMING_STEPS_H
