//===- LengthModel.cpp - Instructions of every workgroup ------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Workgroups mostly do the same, and a few counts show it. Where they do not,
// how long one runs is decided by the bounds of its loops, which stand in
// scalar registers soon after it has begun, whatever order the grid has. So
// the first instructions of the first wavefront of every workgroup are run, and
// the length is fitted as a linear function of up to three of its registers, on
// one half of the counted workgroups; the other half tells whether it holds.
// Otherwise a workgroup is taken to be like the counted one nearest to it.
//
// One long workgroup among thousands decides when the launch ends, and no few
// counts find it. Its registers do: those that have one far from the others'
// are counted as well.
//
//===----------------------------------------------------------------------===//

#include "LengthModel.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

using namespace tlc::sim;

namespace {

/// Lengths that differ by less than this are the same.
constexpr double sameLength = 0.005;
/// Of a prediction: mean distance and mean, relative.
constexpr double goodDistance = 0.03, goodMean = 0.01;
constexpr unsigned firstCounts = 8, mostCounts = 64, mostTerms = 3;
/// Workgroups whose first instructions are run.
constexpr uint64_t mostPlaces = 32768;
/// Instructions of a wavefront after which its loops' bounds are known.
constexpr uint64_t leastBegin = 100, mostBegin = 3000;
/// Longer than the longest that was counted, by a factor: not to be believed.
constexpr double farthest = 4;
/// A register this many standard deviations from the mean is unusual: more than
/// numbers of workgroups and their digits ever are.
constexpr double unusual = 2;
/// Workgroups with one that are counted, at most; a workgroup longer than the
/// others by this factor is one that the launch may end with.
constexpr unsigned mostUnusual = 16;
constexpr double muchLonger = 1.5;

/// A hash: places must not follow any pattern of the grid.
uint64_t mix(uint64_t v) {
  v = (v ^ v >> 31) * 0x9e3779b97f4a7c15;
  v = (v ^ v >> 29) * 0xbf58476d1ce4e5b9;
  return v ^ v >> 32;
}

using Row = LengthModel::Row;
constexpr unsigned registers = std::tuple_size_v<Row>;

/// A counted workgroup: its registers early on, and its instructions.
struct Sample {
  Row row;
  double length = 0;
};

/// constant + sum of factors times registers.
struct Linear {
  std::vector<unsigned> terms;
  std::vector<double> factors = {0};

  double of(const Row &row) const {
    double sum = factors[0];
    for (size_t i = 0; i < terms.size(); ++i)
      sum += factors[i + 1] * row[terms[i]];
    return sum;
  }
};

/// Least squares by the normal equations; false if they have no solution.
bool solve(const std::vector<Sample> &samples, Linear &fit) {
  size_t n = fit.terms.size() + 1;
  std::vector<std::vector<double>> m(n, std::vector<double>(n + 1));
  for (const Sample &s : samples) {
    std::vector<double> x = {1};
    for (unsigned term : fit.terms)
      x.push_back(s.row[term]);
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; j < n; ++j)
        m[i][j] += x[i] * x[j];
      m[i][n] += x[i] * s.length;
    }
  }
  // Gauss-Jordan elimination with pivots; n is at most four.
  for (size_t i = 0; i < n; ++i) {
    size_t pivot = i;
    for (size_t r = i + 1; r < n; ++r)
      if (std::abs(m[r][i]) > std::abs(m[pivot][i]))
        pivot = r;
    std::swap(m[i], m[pivot]);
    if (std::abs(m[i][i]) < 1e-9)
      return false;
    for (size_t r = 0; r < n; ++r) {
      if (r == i)
        continue;
      double factor = m[r][i] / m[i][i];
      for (size_t c = i; c <= n; ++c)
        m[r][c] -= factor * m[i][c];
    }
  }
  fit.factors.resize(n);
  for (size_t i = 0; i < n; ++i)
    fit.factors[i] = m[i][n] / m[i][i];
  return true;
}

/// The sum of the squared errors.
double squares(const std::vector<Sample> &samples, const Linear &fit) {
  double sum = 0;
  for (const Sample &s : samples)
    sum += std::pow(fit.of(s.row) - s.length, 2);
  return sum;
}

/// The registers that explain the lengths best, one after the other.
Linear fitLinear(const std::vector<Sample> &samples) {
  // Start with a constant; greedily add the register that lowers the error
  // most, if it does so by 30 %.
  Linear best;
  solve(samples, best);
  double error = squares(samples, best);
  while (best.terms.size() < mostTerms) {
    Linear next;
    double nextError = error * 0.7; // a term must earn its place
    for (unsigned r = 0; r < registers; ++r) {
      Linear fit = best;
      fit.terms.push_back(r);
      if (!solve(samples, fit))
        continue;
      if (double e = squares(samples, fit); e < nextError) {
        next = fit;
        nextError = e;
      }
    }
    if (next.terms.empty())
      break;
    best = next;
    error = nextError;
  }
  return best;
}

} // namespace

/// A workgroup within the part-th of `parts` equal parts of the grid.
uint64_t LengthModel::placeOf(uint64_t part, uint64_t parts) const {
  uint64_t begin = workgroups * part / parts,
           end = workgroups * (part + 1) / parts;
  return begin + mix(part + parts) % std::max<uint64_t>(1, end - begin);
}

/// Counts one workgroup in each of `number` parts, unless it is known.
void LengthModel::count(unsigned number) {
  for (unsigned i = 0; i < number; ++i) {
    uint64_t id = placeOf(i, number);
    if (!known.count(id)) {
      known[id] = std::max<uint64_t>(1, source.count(id));
      ++counted;
    }
    places.push_back(id);
  }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  mean = 0;
  for (uint64_t id : places)
    mean += double(known[id]) / places.size();
}

bool LengthModel::allAlike() const {
  return std::all_of(known.begin(), known.end(), [&](auto &each) {
    return std::abs(double(each.second) - mean) <= sameLength * mean;
  });
}

/// \p budget is the number of instructions that may be run for this. The ends
/// and eight places are counted in any case; if they differ, more, as far as
/// the budget goes.
LengthModel::LengthModel(uint64_t workgroups, unsigned waves, uint64_t budget,
                         LengthSource &source)
    : workgroups(workgroups), waves(waves), source(source) {
  // The ends of the grid are where it differs most often.
  for (uint64_t id : {uint64_t(0), workgroups - 1}) {
    known[id] = std::max<uint64_t>(1, source.count(id));
    ++counted;
  }
  count(std::min<uint64_t>(firstCounts, workgroups));
  uniform = allAlike();
  if (uniform) {
    countUnusual(budget);
    uniform = strays.empty();
  }
  if (uniform)
    return;
  uint64_t affordable = uint64_t(double(budget) / mean);
  count(std::clamp<uint64_t>(affordable, 2 * firstCounts, mostCounts));
  if (predict(budget))
    return;
  // Short workgroups can be counted by the hundred.
  if (affordable > mostCounts)
    count(unsigned(std::min<uint64_t>({affordable, 1024, workgroups / 2 + 1})));
}

bool LengthModel::rowOf(uint64_t id, uint64_t steps, Row &row) const {
  const uint32_t *values = source.begin(id, steps);
  for (unsigned r = 0; values && r < registers; ++r)
    row[r] = float(int32_t(values[r]));
  return values != nullptr;
}

/// Counts the workgroups that have the least or most number in a register, if
/// it is far from what the others have there, as far as a part of the budget
/// goes.
void LengthModel::countUnusual(uint64_t budget) {
  uint64_t shortest = ~uint64_t(0);
  for (auto &[id, length] : known)
    shortest = std::min(shortest, length);
  uint64_t parts = std::min({workgroups, mostPlaces, budget / 4 / leastBegin});
  if (parts == 0)
    return;
  uint64_t steps =
      std::min({shortest / waves / 2, budget / 4 / parts, mostBegin});
  if (steps < leastBegin)
    return;
  struct Register {
    double sum = 0, squares = 0;
    float least = HUGE_VALF, most = -HUGE_VALF;
    uint64_t leastAt = 0, mostAt = 0;
  };
  std::vector<Register> seen(registers);
  for (uint64_t i = 0; i < parts; ++i) {
    uint64_t id = parts == workgroups ? i : placeOf(i, parts);
    Row row;
    if (!rowOf(id, steps, row))
      return;
    for (unsigned r = 0; r < registers; ++r) {
      Register &each = seen[r];
      each.sum += row[r];
      each.squares += double(row[r]) * row[r];
      if (row[r] < each.least)
        each.least = row[r], each.leastAt = id;
      if (row[r] > each.most)
        each.most = row[r], each.mostAt = id;
    }
  }
  // The most unusual first.
  std::multimap<double, uint64_t, std::greater<>> found;
  for (const Register &each : seen) {
    double middle = each.sum / parts,
           deviation =
               std::sqrt(std::max(0.0, each.squares / parts - middle * middle));
    if (!(deviation > 0))
      continue;
    found.emplace((middle - each.least) / deviation, each.leastAt);
    found.emplace((each.most - middle) / deviation, each.mostAt);
  }
  double left = std::min(double(mostUnusual), double(budget) / 4 / mean);
  for (auto &[distance, id] : found) {
    if (!(distance > unusual) || left <= 0)
      break;
    if (known.count(id))
      continue;
    known[id] = std::max<uint64_t>(1, source.count(id));
    ++counted;
    if (double(known[id]) > muchLonger * mean)
      strays.push_back(id);
    left -= std::max(1.0, known[id] / mean);
  }
}

/// False if the registers explain nothing, or running the beginnings would cost
/// more than the budget.
bool LengthModel::predict(uint64_t budget) {
  uint64_t shortest = ~uint64_t(0);
  for (uint64_t id : places)
    shortest = std::min(shortest, known[id]);
  // As many parts as the budget pays beginnings for.
  uint64_t parts =
      std::clamp<uint64_t>(budget / leastBegin, 2 * places.size(), mostPlaces);
  parts = std::min(parts, workgroups);
  // Not beyond half of the shortest, or its registers would show the end of its
  // loops instead of their bounds. What comes before and after the loops may be
  // most of it: then earlier.
  for (uint64_t steps =
           std::min({shortest / waves / 2, budget / parts, mostBegin});
       steps >= leastBegin; steps /= 2)
    if (predictAfter(steps, parts))
      return true;
  return false;
}

/// By the registers after so many instructions of the first wavefront.
bool LengthModel::predictAfter(uint64_t steps, uint64_t parts) {
  std::vector<Sample> even, odd, all;
  for (size_t i = 0; i < places.size(); ++i) {
    Sample sample;
    sample.length = double(known[places[i]]);
    if (!rowOf(places[i], steps, sample.row))
      return false;
    (i % 2 ? odd : even).push_back(sample);
    all.push_back(sample);
  }
  // Of what a stray has, both halves have to know.
  for (uint64_t id : strays) {
    Sample sample;
    sample.length = double(known[id]);
    if (!rowOf(id, steps, sample.row))
      return false;
    for (auto *part : {&even, &odd, &all})
      part->push_back(sample);
  }
  // The odd half judges the fit made on the even one.
  Linear fit = fitLinear(even);
  double distance = 0, sum = 0, predicted = 0;
  for (const Sample &sample : odd) {
    distance += std::abs(fit.of(sample.row) - sample.length);
    predicted += fit.of(sample.row);
    sum += sample.length;
  }
  // Judged by the single errors and by their mean, which is what the launch's
  // time depends on. The final factors use all samples.
  if (!(distance <= goodDistance * sum) ||
      std::abs(predicted - sum) > goodMean * sum || !solve(all, fit))
    return false;
  // One shorter than all that were counted may be through its loops by then;
  // what its registers say is out of all range, and it is looked at earlier.
  double longest = 0;
  for (auto &[id, length] : known)
    longest = std::max(longest, double(length));
  auto isLikely = [&](double length) {
    return length > -longest / 16 && length <= farthest * longest;
  };
  std::vector<float> result(parts);
  for (uint64_t i = 0; i < parts; ++i) {
    uint64_t id = parts == workgroups ? i : placeOf(i, parts);
    double length = HUGE_VAL;
    for (uint64_t some = steps; some >= leastBegin && !isLikely(length);
         some /= 2) {
      Row row;
      if (!rowOf(id, some, row))
        return false;
      length = fit.of(row);
    }
    if (!isLikely(length))
      return false;
    result[i] = float(std::max(1.0, length));
  }
  lengths = std::move(result);
  return true;
}

/// Counted, alike, predicted, or like its nearest counted neighbour.
double LengthModel::lengthOf(uint64_t id) const {
  if (auto it = known.find(id); it != known.end())
    return double(it->second);
  if (uniform)
    return mean;
  if (!lengths.empty())
    // The part that holds it, by placeOf's bounds.
    return lengths[((id + 1) * lengths.size() - 1) / workgroups];
  auto next = std::lower_bound(places.begin(), places.end(), id);
  if (next == places.end() ||
      (next != places.begin() && id - next[-1] < *next - id))
    --next;
  return double(known.at(*next));
}

double LengthModel::all() const {
  double sum = 0;
  for (uint64_t id = 0; id < workgroups; ++id)
    sum += lengthOf(id);
  return sum;
}

/// For the report: how lengths were found.
std::string LengthModel::describe() const {
  const char *how = uniform           ? "they are alike"
                    : lengths.empty() ? "the others are like the nearest"
                                      : "the others follow from their loops' "
                                        "bounds";
  return fmt::format("{} more counted over the grid: {}", counted, how);
}

double LengthModel::errorOf(const std::vector<GroupTime> &groups) const {
  double sum = 0, distance = 0;
  for (const GroupTime &group : groups)
    if (!group.isPartial) {
      sum += double(group.instructions);
      distance += std::abs(lengthOf(group.id) - double(group.instructions));
    }
  return sum > 0 ? distance / sum : 0;
}

/// Workgroups that ran in detail are known exactly from now on.
void LengthModel::learn(const std::vector<GroupTime> &groups) {
  for (const GroupTime &group : groups)
    if (!group.isPartial)
      known[group.id] = group.instructions;
}
