//===- SharedLines.cpp - Which lines several XCDs want --------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Workgroups run without the model, and the lines that they touch are noted:
//
//   1. Some neighbours, from begin to end. They meet all arrays, also those
//      that only the end of a workgroup comes to.
//   2. The beginnings of all that run at the same time, long enough to come to
//      the arrays that are read (where loads have many lines, of some of them
//      all over the grid, until more would hardly bring anything new). What one
//      XCD has fetched is in the Infinity Cache for those that want it later,
//      so others of the grid count as well, as many as it holds the data of.
//      All beginnings have one length, or those that are seen for longer would
//      count for more.
//   3. The neighbours' beginnings: whether what comes later is wanted by more
//      XCDs than what comes first, or by fewer, as keys are that only the
//      longer workgroups of causal attention read.
//
// From 2, times what 3 says, follows how many XCDs want a line of each array;
// of arrays that no beginning comes to, from 1.
//
// A number for an array says enough where all its lines are as likely to be
// others' as well. Where neighbours meet in some of them, as at their borders,
// it matters which: the neighbours come to fewer lines together than as many
// workgroups would that take theirs in any order.
//
//   neighbours    lines of each   together   in any order, of 131,072
//   tables        8,192           128,000    128,670
//   border lines  576             8,700      32,200    shared by neighbours
//
//===----------------------------------------------------------------------===//

#include "SharedLines.h"

#include "LineCoverage.h"
#include "llvm/ADT/DenseMap.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <mutex>
#include <numeric>

using namespace tlc::sim;

namespace {

/// Words recorded of all beginnings, and the most and least of one.
constexpr size_t beginWords = 1 << 21, mostBegin = 1 << 16, leastBegin = 1 << 9;
/// The same where workgroups differ: some come to lines that others never want.
constexpr size_t unevenFactor = 16;
/// Of beginnings that must be longer than that, to come to all arrays, in all.
constexpr uint64_t mostBeginWords = 1 << 23;
/// Workgroups that start later and are looked at.
constexpr uint64_t mostOthers = 4096;
/// Words of workgroups from their begins to their ends, if that is enough.
constexpr size_t wholeWords = 1 << 22;
/// Workgroups that run so, at most.
constexpr uint64_t mostWhole = 64;
/// Of all that the launch would record, the words that may be spent.
constexpr double part = 1.0 / 32;
/// Workgroups that run at a time: as many for every number of threads.
constexpr size_t visitsAtOnce = 32;
/// Of the lines that workgroups in any order would come to, those that
/// neighbours do who share some; and XCDs that want a line, from which on all
/// or none share it.
constexpr double mostOfAnyOrder = 0.7, leastSharers = 1.03, mostSharers = 7;
/// Of all that neighbours touch, an array that counts.
constexpr double leastTouches = 0.05;
/// Lines for each recorded word, a workgroup's lines counted once, from which
/// on it matters which of them others bring: with fewer, some hundred cycles
/// more or less for a line are lost among those of its instructions.
constexpr double leastLines = 1.0 / 200;
/// Words of an instruction from which on one line of eight is looked at.
constexpr double manyWords = 3;

/// By line, a bit for each XCD that wants it.
using Wanters = llvm::DenseMap<uint64_t, uint8_t>;
uint8_t bitOf(uint64_t workgroup) {
  return uint8_t(1u << workgroup % param::xcds);
}

/// What a workgroup has touched.
struct Visit {
  uint64_t id = 0;
  std::vector<uint64_t> lines; ///< in their order, some more than once
  size_t words = 0;            ///< recorded
  size_t wordsToArrays = 0;    ///< until the last array has been met
};

class Observer {
public:
  Observer(LaunchContext &context, CodeTable &code, bool isThinned)
      : memory(context.memory), code(code), isThinned(isThinned),
        state(std::make_unique<GroupState>(context)) {
    record.hasLdsCycles = false;
  }

  /// Of a workgroup's first \p words. \p isWhole: what it comes to is asked
  /// for as well.
  void visit(uint64_t id, size_t words, bool isWhole, Visit &visit);
  const Allocation *arrayOf(uint64_t line) const {
    uint64_t address = line * param::lineBytes;
    // Mostly the same as before.
    if (!last || address - last->base >= last->size)
      last = memory.find(address);
    return last;
  }
  /// How many XCDs want a line that one wants, by the array's base.
  std::map<uint64_t, double> meansOf(const Wanters &wanters) const;

private:
  size_t wordsToArrays() const;
  /// Of eight lines one, by its place in its array: where the host has mapped
  /// that must not matter.
  bool isChosen(uint64_t line) const {
    const Allocation *array = arrayOf(line);
    return array &&
           (line - array->base / param::lineBytes) * 0x9e3779b97f4a7c15 >> 61 ==
               0;
  }

  const DeviceMemory &memory;
  mutable const Allocation *last = nullptr;
  CodeTable &code;
  bool isThinned;
  LineWatch watch;
  std::unique_ptr<GroupState> state;
  GroupRecord record;
};

void Observer::visit(uint64_t id, size_t words, bool isWhole, Visit &visit) {
  visit.id = id;
  state->begin(id);
  if (isThinned && !isWhole) {
    watch.begin(state->group().waveCount, words);
    state->watchBy(code, watch);
    state->run();
    visit.lines.clear();
    for (unsigned w = 0; w < state->group().waveCount; ++w)
      watch.take(w, ~uint64_t(0), [&](uint64_t line) {
        if (isChosen(line))
          visit.lines.push_back(line);
      });
    visit.words = watch.words();
    visit.wordsToArrays = 0;
    return;
  }
  state->recordTo(code, record, words);
  state->run();
  visit.lines.clear();
  for (unsigned w = 0; w < record.waveCount; ++w)
    forEachLine(code, record.waves[w], [&](uint64_t line) {
      if (!isThinned || isChosen(line))
        visit.lines.push_back(line);
    });
  visit.words = record.wordsLeft();
  visit.wordsToArrays = isWhole ? wordsToArrays() : 0;
}

/// Of the last visit: words until the last array that is read has been met,
/// unless that is in the second half.
size_t Observer::wordsToArrays() const {
  std::map<const Allocation *, size_t> met;
  for (unsigned w = 0; w < record.waveCount; ++w) {
    size_t at = 0;
    const Allocation *previous = nullptr;
    bool isFirst = true;
    forEachRecorded(code, record.waves[w],
                    [&](const StaticOp &op, const uint32_t *payload) {
                      at += recordedWords(op, payload - 1);
                      if (op.payload != Payload::Vector || op.isStore)
                        return;
                      forEachLineOf(op, payload, [&](uint64_t line) {
                        const Allocation *array = arrayOf(line);
                        if (!isFirst && array == previous)
                          return;
                        isFirst = false;
                        previous = array;
                        auto [it, isNew] = met.try_emplace(array, at);
                        if (!isNew)
                          it->second = std::min(it->second, at);
                      });
                    });
  }
  size_t most = 0;
  for (auto [array, at] : met)
    if (array && at * record.waveCount * 2 < record.wordsLeft())
      most = std::max(most, at * record.waveCount);
  return most + most / 4;
}

std::map<uint64_t, double> Observer::meansOf(const Wanters &wanters) const {
  std::map<uint64_t, std::pair<double, double>> sums;
  for (auto [line, xcds] : wanters)
    if (const Allocation *array = arrayOf(line)) {
      sums[array->base].first += std::popcount(xcds);
      ++sums[array->base].second;
    }
  std::map<uint64_t, double> means;
  for (auto &[base, sum] : sums)
    means[base] = sum.first / sum.second;
  return means;
}

/// Visits workgroups on all threads and hands over what they have touched, in
/// their order.
class Visitors {
public:
  Visitors(LaunchContext &context, CodeTable &code, GroupSource &threads,
           bool isThinned)
      : context(context), code(code), threads(threads), isThinned(isThinned) {}

  /// \p use says how many are worth visiting next; 0: no more.
  template <typename Use>
  void forEach(const std::vector<uint64_t> &ids, size_t words, bool isWhole,
               size_t count, Use &&use) {
    for (size_t first = 0, next; count && first < ids.size();
         first += count, count = next) {
      count = std::min({count, visits.size(), ids.size() - first});
      threads.forEach(count, [&](uint64_t i) {
        std::unique_ptr<Observer> observer = take();
        observer->visit(ids[first + i], words, isWhole, visits[i]);
        std::lock_guard lock(mutex);
        spare.push_back(std::move(observer));
      });
      for (size_t i = 0; i < count; ++i)
        if (next = use(visits[i]); !next)
          return;
    }
  }

private:
  std::unique_ptr<Observer> take() {
    std::lock_guard lock(mutex);
    if (spare.empty())
      return std::make_unique<Observer>(context, code, isThinned);
    std::unique_ptr<Observer> observer = std::move(spare.back());
    spare.pop_back();
    return observer;
  }

  LaunchContext &context;
  CodeTable &code;
  GroupSource &threads;
  bool isThinned;
  std::mutex mutex; ///< of the following
  std::vector<std::unique_ptr<Observer>> spare;
  std::array<Visit, visitsAtOnce> visits;
};

/// Pieces of neighbours, who may share lines, in an order that spreads them
/// over the grid.
std::vector<uint64_t> spread(const std::vector<uint64_t> &ids) {
  size_t pieces = (ids.size() + visitsAtOnce - 1) / visitsAtOnce;
  // By the golden ratio, so that each falls into the widest gap.
  size_t step = std::max<size_t>(1, size_t(double(pieces) * 0.618));
  while (std::gcd(step, pieces) != 1)
    ++step;
  std::vector<uint64_t> result;
  for (size_t i = 0; i < pieces; ++i) {
    size_t first = i * step % pieces * visitsAtOnce;
    for (size_t at = first; at < std::min(first + visitsAtOnce, ids.size());
         ++at)
      result.push_back(ids[at]);
  }
  return result;
}

} // namespace

LineSharing tlc::sim::linesShared(LaunchContext &context, CodeTable &code,
                                  GroupSource &threads, const SamplePlan &plan,
                                  const LengthModel &lengths,
                                  double wordsOfEach) {
  bool isThinned = wordsOfEach > manyWords;
  Visitors visitors(context, code, threads, isThinned);
  Observer observer(context, code, isThinned);
  auto affordable = [&](size_t words) {
    return std::min(words, size_t(lengths.all() * wordsOfEach * part));
  };
  uint64_t concurrent = std::min<uint64_t>(
      plan.workgroups, uint64_t(param::xcds) * param::cusPerXcd *
                           occupancyOf(plan.needs).groupsPerCu);
  std::map<uint64_t, const Allocation *> arrays; // by base
  double bytes = 0;
  auto touch = [&](uint64_t line) {
    if (const Allocation *array = observer.arrayOf(line))
      if (arrays.try_emplace(array->base, array).second)
        bytes += double(array->size);
  };

  Wanters whole;
  llvm::DenseMap<uint64_t, uint64_t> lastVisitor;
  std::map<uint64_t, double> touches; // by base: each workgroup's lines once
  std::vector<uint64_t> neighbours;
  size_t words = 0, least = leastBegin;
  for (uint64_t i = 0; i < std::min(concurrent, mostWhole); ++i)
    neighbours.push_back((plan.xcd + i) % concurrent);
  size_t met = 0;
  visitors.forEach(neighbours, affordable(wholeWords), true, 1,
                   [&](const Visit &visit) -> size_t {
                     for (uint64_t line : visit.lines) {
                       whole[line] |= bitOf(visit.id);
                       touch(line);
                       uint64_t &last = lastVisitor[line];
                       if (const Allocation *array = observer.arrayOf(line))
                         touches[array->base] += last != visit.id + 1;
                       last = visit.id + 1;
                     }
                     words += visit.words;
                     least = std::max(least, visit.wordsToArrays);
                     ++met;
                     // One more would be too much.
                     size_t each = std::max<size_t>(1, words / met);
                     size_t all = affordable(wholeWords) / each;
                     return all > met ? all - met : 0;
                   });
  neighbours.resize(met);

  // Lines stay in the Infinity Cache until as much again has come: in pieces of
  // one workgroup an XCD, spread over so much of the rest.
  double kept = std::min(1.0, double(param::mallBytes) / std::max(1.0, bytes));
  uint64_t pieces =
      uint64_t(double(plan.workgroups - concurrent) * kept) / param::xcds;
  uint64_t paid = std::max(mostBeginWords / least, concurrent) - concurrent;
  uint64_t some =
      std::min({pieces, mostOthers / param::xcds, paid / param::xcds});
  size_t factor = plan.isUniform ? 1 : unevenFactor;
  size_t begin =
      std::max(least, std::clamp(factor * affordable(beginWords) /
                                     (concurrent + some * param::xcds),
                                 leastBegin, factor * mostBegin));
  struct Line {
    uint8_t by = 0;
    float weight = 0; ///< longer workgroups want more lines like this
  };
  llvm::DenseMap<uint64_t, Line> wanted;
  std::vector<uint64_t> ids;
  for (uint64_t id = 0; id < concurrent; ++id)
    ids.push_back(id);
  for (uint64_t i = 0; i < some; ++i)
    for (unsigned xcd = 0; xcd < param::xcds; ++xcd)
      ids.push_back(concurrent + i * pieces / some * param::xcds + xcd);
  if (isThinned)
    ids = spread(ids);
  LineCoverage coverage(ids.size());
  visitors.forEach(ids, begin, false, visitsAtOnce, [&](const Visit &visit) {
    // Whole numbers: their sum is the same in every order.
    float weight = std::round(float(lengths.lengthOf(visit.id)));
    for (uint64_t line : visit.lines) {
      Line &known = wanted[line];
      if (isThinned)
        if (const Allocation *array = observer.arrayOf(line))
          coverage.note(array->base, !(known.by & bitOf(visit.id)));
      known.by |= bitOf(visit.id);
      known.weight = weight;
    }
    return isThinned && coverage.endVisit() ? 0 : visitsAtOnce;
  });
  Wanters first;
  visitors.forEach(neighbours, begin, false, visitsAtOnce,
                   [&](const Visit &visit) {
                     for (uint64_t line : visit.lines)
                       first[line] |= bitOf(visit.id);
                     return visitsAtOnce;
                   });

  struct Sum {
    double lines = 0, ofXcd = 0, ofXcdAlone = 0;
  };
  std::map<uint64_t, Sum> sums; // by base
  for (auto &[line, known] : wanted) {
    touch(line);
    if (const Allocation *array = observer.arrayOf(line)) {
      Sum &each = sums[array->base];
      each.lines += known.weight;
      each.ofXcd += known.by & bitOf(plan.xcd) ? known.weight : 0;
      each.ofXcdAlone += known.by == bitOf(plan.xcd) ? known.weight : 0;
    }
  }
  std::map<uint64_t, double> atFirst = observer.meansOf(first),
                             inAll = observer.meansOf(whole);
  std::map<uint64_t, double> together;
  for (auto [line, by] : whole)
    if (const Allocation *array = observer.arrayOf(line))
      ++together[array->base];
  double allTouches = 0;
  for (auto [base, count] : touches)
    allTouches += count;
  bool manyLines =
      allTouches * (isThinned ? 8 : 1) > leastLines * double(words);
  auto meetAtSome = [&](const Allocation &array) {
    double count = touches[array.base], sharers = inAll[array.base];
    double lines =
        double(array.size) / param::lineBytes / (isThinned ? 8.0 : 1.0);
    double anyOrder = lines * -std::expm1(-count / lines);
    return manyLines && count > leastTouches * allTouches &&
           sharers > leastSharers && sharers < mostSharers &&
           together[array.base] < mostOfAnyOrder * anyOrder;
  };
  LineSharing result;
  result.work = plan.ofAll * param::xcds;
  result.othersGoAhead = plan.isUneven();
  result.othersAreAhead =
      plan.isUneven() && plan.kind == SamplePlan::Kind::Pace;
  for (auto &[base, array] : arrays) {
    Sum each = sums[base];
    // So that what this XCD fetches, times its part of the work, is all lines
    // once.
    double sharers = each.ofXcd ? each.ofXcd / plan.ofAll / each.lines : 1;
    if (!each.lines && inAll.count(base))
      sharers = inAll[base];
    else if (!plan.isUneven() && inAll.count(base) && atFirst.count(base))
      sharers *= inAll[base] / atFirst[base];
    result.neighboursMeet |= meetAtSome(*array);
    double alone = each.ofXcd ? each.ofXcdAlone / each.ofXcd : 1;
    result.add({base / param::lineBytes,
                (base + array->size) / param::lineBytes + 1,
                std::clamp(sharers, 1.0, double(param::xcds)), alone});
  }
  return result;
}
