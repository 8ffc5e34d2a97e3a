//===- Steps.cpp - Workgroups as wholes on compute units ------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each unit holds its workgroups by age, with what is left of their demands.
// The queue has, for each unit, the next end there; a unit is brought up to
// that time when it comes. All demands on a full unit add up to the pace of a
// full unit, whoever is served first, so nothing can go faster than measured.
//
//===----------------------------------------------------------------------===//

#include "Steps.h"

#include <algorithm>
#include <cmath>
#include <queue>

using namespace tlc::sim;
using namespace tlc::sim::param;

namespace {

class Stepper {
public:
  Stepper(const LengthModel &lengths, unsigned xcd, uint64_t workgroups,
          const GroupNeeds &needs, const Demand &demand, const Shares &shares,
          const Relief &relief, const Scatter &scatter, double done)
      : lengths(lengths), demand(demand), shares(shares), relief(relief),
        scatter(scatter), done(done), speed(relief.speedAfter(done)),
        most(occupancyOf(needs).groupsPerCu),
        dispatch(double(needs.waves) * dispatchCycles), id(xcd),
        workgroups(workgroups), units(cusPerXcd) {}

  void skipTo(uint64_t next) { id = next; }
  void setTime(double time) {
    dispatched = time;
    for (Unit &unit : units)
      unit.time = time;
  }
  void addResident(unsigned cu, double left) {
    units[cu].left.push_back(std::max(1.0, left));
  }

  Stepped run() {
    // The emptiest unit first, as the dispatcher does.
    for (unsigned sharing = 0; sharing < most; ++sharing)
      for (Unit &unit : units)
        if (unit.left.size() == sharing)
          start(unit, unit.time);
    for (unsigned cu = 0; cu < units.size(); ++cu)
      expect(cu);
    while (!ends.empty()) {
      auto [time, cu] = ends.top();
      ends.pop();
      Unit &unit = units[cu];
      advance(unit, time);
      unit.left.erase(std::min_element(unit.left.begin(), unit.left.end()));
      unit.end = time;
      result.end = std::max(result.end, time);
      start(unit, time);
      expect(cu);
      if (relief.most > 1)
        relieve(time);
    }
    for (const Unit &unit : units)
      result.meanEnd += unit.end / double(units.size());
    return result;
  }

private:
  struct Unit {
    double time = 0, end = 0;
    std::vector<double> left; ///< by age
  };

  double rate(const Unit &unit, unsigned rank) const {
    return speed * shares.of(unsigned(unit.left.size()), rank);
  }

  /// Goes on at another speed if one is due.
  void relieve(double time) {
    for (Unit &unit : units)
      advance(unit, time);
    double next = relief.speedAfter(done);
    if (next == speed)
      return;
    speed = next;
    ends = {};
    for (unsigned cu = 0; cu < units.size(); ++cu)
      expect(cu);
  }

  void start(Unit &unit, double time) {
    if (id >= workgroups)
      return;
    dispatched = std::max(dispatched, time) + dispatch;
    double idle = dispatched - dispatch + groupStartCycles - time;
    unsigned rank = unit.left.size();
    unit.left.push_back(demand.of(lengths.lengthOf(id)) * scatter.of(id) +
                        idle * speed * shares.of(rank + 1, rank));
    id += xcds;
  }

  void advance(Unit &unit, double time) {
    double cycles = time - unit.time;
    for (unsigned rank = 0; rank < unit.left.size(); ++rank) {
      unit.left[rank] -= cycles * rate(unit, rank);
      done += cycles * rate(unit, rank);
    }
    result.groupCycles += cycles * double(unit.left.size());
    result.activeCycles += unit.left.empty() ? 0 : cycles;
    unit.time = time;
  }

  void expect(unsigned cu) {
    Unit &unit = units[cu];
    if (unit.left.empty())
      return;
    double soonest = HUGE_VAL;
    for (unsigned rank = 0; rank < unit.left.size(); ++rank)
      soonest = std::min(soonest, unit.left[rank] / rate(unit, rank));
    ends.push({unit.time + std::max(0.0, soonest), cu});
  }

  const LengthModel &lengths;
  const Demand &demand;
  const Shares &shares;
  const Relief &relief;
  const Scatter scatter;
  double done; ///< instructions of the XCD, nearly
  double speed;
  unsigned most;
  double dispatch, dispatched = 0;
  uint64_t id, workgroups;
  std::vector<Unit> units;
  using End = std::pair<double, unsigned>;
  std::priority_queue<End, std::vector<End>, std::greater<End>> ends;
  Stepped result;
};

/// What each workgroup could have executed in its life, at the pace of its age
/// among those that it shared its unit with.
std::vector<double> paceOverLives(const std::vector<GroupTime> &ran,
                                  const Shares &shares) {
  struct Change {
    double time;
    bool isBegin;
    size_t group;
  };
  unsigned cus = 0;
  for (const GroupTime &group : ran)
    cus = std::max(cus, group.cu + 1);
  std::vector<std::vector<Change>> changes(cus);
  for (size_t i = 0; i < ran.size(); ++i) {
    changes[ran[i].cu].push_back({double(ran[i].begin), true, i});
    changes[ran[i].cu].push_back({double(ran[i].end), false, i});
  }
  std::vector<double> sums(ran.size());
  for (std::vector<Change> &unit : changes) {
    std::stable_sort(unit.begin(), unit.end(),
                     [&](const Change &a, const Change &b) {
                       if (a.time != b.time)
                         return a.time < b.time;
                       if (a.isBegin != b.isBegin)
                         return !a.isBegin;
                       return ran[a.group].id < ran[b.group].id;
                     });
    std::vector<size_t> residents;
    double time = 0;
    for (const Change &change : unit) {
      for (size_t rank = 0; rank < residents.size(); ++rank)
        sums[residents[rank]] +=
            (change.time - time) *
            shares.of(unsigned(residents.size()), unsigned(rank));
      time = change.time;
      if (change.isBegin)
        residents.push_back(change.group);
      else
        residents.erase(
            std::find(residents.begin(), residents.end(), change.group));
    }
  }
  return sums;
}

/// Workgroups that a line is fitted to.
constexpr size_t leastPoints = 8;
/// Draws of how a launch ends, as many as the workgroups stepped through allow.
constexpr uint64_t leastDraws = 2, mostDraws = 16, mostSteps = 1 << 17;
/// Of workgroups of one length: enough to make the last ones meet differently.
constexpr double usualScatter = 0.015;

} // namespace

Demand tlc::sim::fitDemand(const std::vector<GroupTime> &ran,
                           const Shares &shares) {
  std::vector<double> sums = paceOverLives(ran, shares);
  uint64_t firstEnd = ~uint64_t(0);
  for (const GroupTime &group : ran)
    if (!group.isPartial)
      firstEnd = std::min(firstEnd, group.end);
  // The pace is that of what went on lately, beginnings and ends included: it
  // needs no correction but for workgroups of other lengths. Those that began
  // with the launch, when caches were empty, say nothing of it.
  std::vector<std::pair<double, double>> points;
  size_t early = 0;
  for (size_t i = 0; i < ran.size(); ++i)
    if (ran[i].begin < firstEnd)
      ++early;
    else if (!ran[i].isPartial)
      points.push_back({double(ran[i].instructions), sums[i]});
  if (points.size() < leastPoints || points.size() * 4 <= early)
    return {};
  double n = points.size(), x = 0, y = 0, xx = 0, xy = 0;
  for (auto [length, sum] : points) {
    x += length / n;
    y += sum / n;
  }
  for (auto [length, sum] : points) {
    xx += (length - x) * (length - x);
    xy += (length - x) * (sum - y);
  }
  // Without enough variety the mean ratio is all there is to know.
  double slope = xx > n * x * x * 1e-3 ? xy / xx : y / x;
  if (slope <= 0)
    slope = y / x;
  return {y - slope * x, slope};
}

double Relief::speedAfter(double instructions) const {
  auto ended =
      std::upper_bound(othersEnd.begin(), othersEnd.end(), instructions) -
      othersEnd.begin();
  return std::clamp(double(active) / double(xcds - ended), 1.0, most);
}

double Scatter::of(uint64_t id) const {
  if (!size)
    return 1;
  uint64_t v = (id + seed * 0x9e3779b9) * 0xbf58476d1ce4e5b9;
  v = (v ^ v >> 29) * 0x9e3779b97f4a7c15;
  // Uniform, of standard deviation 1.
  return 1 + size * std::sqrt(12.0) * (double(v >> 11) * 0x1p-53 - 0.5);
}

Ends tlc::sim::stepEnds(const LengthModel &lengths, uint64_t workgroups,
                        const GroupNeeds &needs, const Demand &demand,
                        const Shares &shares) {
  uint64_t draws = std::clamp(mostSteps / workgroups, leastDraws, mostDraws);
  Ends ends;
  double squares = 0, ofTails[xcds] = {};
  for (uint64_t draw = 1; draw <= draws; ++draw) {
    double last = 0;
    for (unsigned xcd = 0; xcd < xcds; ++xcd) {
      Stepped stepped = stepThrough(lengths, xcd, workgroups, needs, demand,
                                    shares, {usualScatter, draw});
      last = std::max(last, stepped.end);
      ends.ofXcd[xcd] += stepped.end / double(draws);
      ends.ofUnits[xcd] += stepped.meanEnd / double(draws);
      ofTails[xcd] +=
          std::pow(stepped.end - stepped.meanEnd, 2) / double(draws);
    }
    ends.last += last / double(draws);
    squares += last * last / double(draws);
  }
  for (unsigned xcd = 0; xcd < xcds; ++xcd) {
    double tail = ends.ofXcd[xcd] - ends.ofUnits[xcd];
    ends.tailSpread[xcd] = std::sqrt(std::max(0.0, ofTails[xcd] - tail * tail));
  }
  ends.spread =
      std::sqrt(std::max(0.0, squares - ends.last * ends.last)) / ends.last;
  return ends;
}

double Tail::endAfter(double mean, double last) const {
  // Farther from what the steps say than chance takes it, they do not know how
  // this launch ends; of it only how much later the last XCD ends than this one
  // is taken from them.
  constexpr double chance = 3;
  bool isChance = std::abs(last - mean - own) <= chance * ownSpread;
  return isChance ? mean + length : last + length - own;
}

Stepped tlc::sim::stepThrough(const LengthModel &lengths, unsigned xcd,
                              uint64_t workgroups, const GroupNeeds &needs,
                              const Demand &demand, const Shares &shares,
                              const Scatter &scatter) {
  Relief none;
  Stepper stepper(lengths, xcd, workgroups, needs, demand, shares, none,
                  scatter, 0);
  stepper.setTime(launchCycles);
  return stepper.run();
}

Stepped tlc::sim::stepOn(const std::vector<GroupTime> &ran, double time,
                         const LengthModel &lengths, unsigned xcd,
                         uint64_t workgroups, const GroupNeeds &needs,
                         const Demand &demand, const Shares &shares,
                         const Relief &relief) {
  double done = 0;
  for (const GroupTime &group : ran)
    done += double(group.instructions);
  Stepper stepper(lengths, xcd, workgroups, needs, demand, shares, relief, {},
                  done);
  stepper.setTime(time);
  std::vector<const GroupTime *> residents;
  uint64_t last = xcd;
  for (const GroupTime &group : ran) {
    last = std::max(last, group.id + xcds);
    if (group.isPartial)
      residents.push_back(&group);
  }
  std::sort(residents.begin(), residents.end(),
            [](const GroupTime *a, const GroupTime *b) {
              return a->begin != b->begin ? a->begin < b->begin : a->id < b->id;
            });
  for (const GroupTime *group : residents) {
    double length =
        std::max(lengths.lengthOf(group->id), double(group->instructions));
    double left = 1 - double(group->instructions) / length;
    stepper.addResident(group->cu, demand.of(length) * left);
  }
  stepper.skipTo(last);
  return stepper.run();
}
