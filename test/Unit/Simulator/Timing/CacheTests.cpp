//===- CacheTests.cpp - Least recently used, both forms -------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random look-ups beside a list that is kept in the order of use.
//
//===----------------------------------------------------------------------===//

#include "../../../../lib/Simulator/Timing/Cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <random>

using namespace tlc::sim;

namespace {

/// One set: lines and their times, the most recent first.
struct Plain {
  std::list<std::pair<uint64_t, double>> lines;

  double *find(uint64_t line) {
    for (auto it = lines.begin(); it != lines.end(); ++it)
      if (it->first == line) {
        lines.splice(lines.begin(), lines, it);
        return &it->second;
      }
    return nullptr;
  }
  void insert(uint64_t line, double time, size_t ways) {
    if (lines.size() == ways)
      lines.pop_back();
    lines.push_front({line, time});
  }
};

constexpr unsigned sets = 2;

TEST(ListCache, IsLeastRecentlyUsed) {
  constexpr unsigned ways = 8;
  using Tested = ListCache<ways>;
  ZeroPages zeros(Tested::bytesFor(sets));
  Tested cache(zeros.at(0));
  Plain plain[sets];
  std::mt19937 engine(1);
  for (unsigned i = 0; i < 20000; ++i) {
    unsigned set = engine() % sets;
    uint64_t line = engine() % 12 * 4096;
    if (engine() % 8 == 0) {
      cache.invalidate(line, set);
      plain[set].lines.remove_if(
          [&](const auto &each) { return each.first == line; });
      continue;
    }
    ASSERT_EQ(
        cache.holds(line, set),
        std::any_of(plain[set].lines.begin(), plain[set].lines.end(),
                    [&](const auto &each) { return each.first == line; }));
    const double *time = cache.find(line, set), *wanted = plain[set].find(line);
    ASSERT_EQ(time == nullptr, wanted == nullptr);
    if (wanted) {
      EXPECT_EQ(*time, *wanted);
    } else {
      cache.insert(line, set) = i;
      plain[set].insert(line, i, ways);
    }
  }
}

template <unsigned ways> void expectLeastRecentlyUsed() {
  using Tested = Cache<ways>;
  ZeroPages zeros(Tested::bytesFor(sets));
  Tested cache(zeros.at(0));
  Plain plain[sets];
  std::mt19937 engine(2);
  for (unsigned i = 0; i < 200000; ++i) {
    unsigned set = engine() % sets;
    uint64_t line = engine() % (ways + 3);
    typename Tested::Entry entry = cache.find(line, set);
    const double *wanted = plain[set].find(line);
    ASSERT_EQ(bool(entry), wanted != nullptr) << i;
    if (wanted) {
      EXPECT_EQ(entry.time(), *wanted);
      continue;
    }
    typename Tested::Victim victim;
    bool full = plain[set].lines.size() == ways;
    uint64_t oldest = full ? plain[set].lines.back().first : 0;
    cache.insert(line, set, victim).setTime(i);
    ASSERT_EQ(victim.valid, full);
    if (full) {
      EXPECT_EQ(victim.line, oldest);
    }
    plain[set].insert(line, i, ways);
  }
}

TEST(Cache, IsLeastRecentlyUsed) {
  expectLeastRecentlyUsed<4>();
  expectLeastRecentlyUsed<8>();
  expectLeastRecentlyUsed<16>();
}

} // namespace
