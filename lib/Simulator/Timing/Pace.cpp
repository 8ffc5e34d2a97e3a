//===- Pace.cpp - How fast workgroups that share a CU get on --------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All rates are above zero, so that whoever steps through them gets on.
//
//===----------------------------------------------------------------------===//

#include "Pace.h"

#include <algorithm>
#include <numeric>

using namespace tlc::sim;

Shares::Shares(const Pace &measured, unsigned full, double alone, bool toTheEnd)
    : rates(full + 1) {
  constexpr double least = 1e-6;
  /// Of the time with the usual number, from which on another is known as well.
  const double known = toTheEnd ? 0.002 : 0.05;
  auto timeOf = [&](unsigned sharing) {
    return sharing ? measured.get(sharing, 0).cycles : 0;
  };
  unsigned usual = full;
  for (unsigned sharing = 1; sharing <= full; ++sharing)
    if (timeOf(sharing) > timeOf(usual))
      usual = sharing;
  auto take = [&](unsigned sharing) {
    for (unsigned rank = 0; rank < sharing; ++rank) {
      Pace::Cell cell = measured.get(sharing, rank);
      rates[sharing].push_back(
          std::max(least, cell.cycles ? cell.instructions / cell.cycles : 0));
    }
  };
  take(usual);
  const std::vector<double> &all = rates[usual];
  double together = std::accumulate(all.begin(), all.end(), 0.0);
  // Alone it is at least as fast as the best served of many.
  alone = std::max(alone, *std::max_element(all.begin(), all.end()));
  for (unsigned sharing = 1; sharing <= full; ++sharing) {
    std::vector<double> &some = rates[sharing];
    if (sharing == usual)
      continue;
    if (timeOf(sharing) > known * timeOf(usual)) {
      take(sharing);
      continue;
    }
    // As the oldest of the usual number; more do not get more done.
    for (unsigned rank = 0; rank < sharing; ++rank)
      some.push_back(all[std::min(rank, usual - 1)]);
    double sum = std::accumulate(some.begin(), some.end(), 0.0);
    double wanted = sharing > usual
                        ? together
                        : std::max(sum, std::min(sharing * alone, together));
    for (double &rate : some)
      rate = std::min(alone, rate * wanted / sum);
  }
}
