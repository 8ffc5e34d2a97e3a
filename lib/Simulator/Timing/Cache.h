//===- Cache.h - Sets of lines in time --------------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A set-associative cache with least-recently-used replacement, which keeps for
// each line the time at which its data is there. A look-up is mostly a miss in
// the host's caches: all that it touches of a set lies together and can be
// fetched ahead.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_TIMING_CACHE_H
#define TLC_LIB_SIMULATOR_TIMING_CACHE_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace tlc::sim {

/// Zeros that cost nothing until they are touched, aligned to pages: to large
/// ones where the host has them, or most of a small launch would be faults.
class ZeroPages {
public:
  explicit ZeroPages(size_t bytes);
  void *at(size_t offset) const {
    return static_cast<char *>(memory.get()) + before + offset;
  }

private:
  struct Release {
    size_t bytes;
    void operator()(void *p) const;
  };
  size_t before = 0; ///< bytes that are there for alignment only
  std::unique_ptr<void, Release> memory;
};

/// Lines are below 2^32 - 1.
template <unsigned Ways> class Cache {
  struct Set;

public:
  static size_t bytesFor(unsigned sets) { return sets * sizeof(Set); }
  /// \p zeros: as many bytes as its sets take, aligned to 64.
  explicit Cache(void *zeros) : first(static_cast<Set *>(zeros)) {}

  /// A line's place; void where the line is not there.
  class Entry {
  public:
    explicit operator bool() const { return set; }
    /// When the data is there.
    double &time() const { return set->times[way]; }
    bool isDirty() const { return set->dirty >> way & 1; }

  private:
    friend class Cache;
    Set *set = nullptr;
    unsigned way = 0;
  };
  struct Victim {
    uint64_t line = 0;
    bool valid = false, dirty = false;
  };

  /// The entry of a line, made the most recent.
  Entry find(uint64_t line, unsigned number) {
    Set &set = first[number];
    uint32_t wanted = uint32_t(line + 1), found = 0;
    for (unsigned i = 0; i < Ways; ++i) // no early end: in vectors
      found |= set.tags[i] == wanted ? i + 1 : 0;
    Entry entry;
    if (!found)
      return entry;
    entry.way = found - 1;
    entry.set = &set;
    set.used[entry.way] = ++clock;
    return entry;
  }
  /// Replaces the least recent entry of the set.
  Entry insert(uint64_t line, unsigned number, Victim &victim) {
    Set &set = first[number];
    // Empty entries were never used.
    uint32_t least = ~uint32_t(0);
    for (unsigned i = 0; i < Ways; ++i)
      least = std::min(least, set.used[i]);
    Entry entry;
    entry.set = &set;
    entry.way =
        unsigned(std::find(set.used, set.used + Ways - 1, least) - set.used);
    uint32_t &tag = set.tags[entry.way];
    victim = {uint64_t(tag) - 1, tag != 0, entry.isDirty()};
    set.dirty &= ~(uint64_t(1) << entry.way);
    dirty -= victim.dirty;
    tag = uint32_t(line + 1);
    set.used[entry.way] = ++clock;
    return entry;
  }
  void invalidate(uint64_t line, unsigned number) {
    if (Entry entry = find(line, number))
      entry.set->tags[entry.way] = entry.set->used[entry.way] = 0;
  }
  void setDirty(const Entry &entry) {
    dirty += !entry.isDirty();
    entry.set->dirty |= uint64_t(1) << entry.way;
  }
  uint64_t countDirty() const { return dirty; }
  /// Has the host bring what a look-up will read.
  void fetchAhead(unsigned number) const {
    const char *at = reinterpret_cast<const char *>(&first[number]);
    for (size_t i = 0; i < sizeof(Set); i += 64)
      __builtin_prefetch(at + i, 1);
  }

private:
  struct alignas(64) Set {
    uint32_t tags[Ways]; ///< line + 1; 0: empty
    uint32_t used[Ways];
    double times[Ways];
    uint64_t dirty; ///< a bit for each way
  };
  static_assert(Ways <= 64);

  uint32_t clock = 0;
  uint64_t dirty = 0; ///< lines
  Set *first;
};

/// The same for few sets of many ways, where looking at all of them takes too
/// long: ways are found by lists, of equal hashes and by age. In the lists 0
/// stands for nobody, so that zeros are an empty cache.
template <unsigned Ways> class ListCache {
  struct Set;

public:
  static size_t bytesFor(unsigned sets) { return sets * sizeof(Set); }
  /// As that of Cache.
  explicit ListCache(void *zeros) : first(static_cast<Set *>(zeros)) {}

  /// When the line's data is there, and the line made the most recent; null
  /// where it is not there.
  double *find(uint64_t line, unsigned number) {
    Set &set = first[number];
    unsigned way = set.wayOf(line);
    if (way && way != set.newest) {
      set.unlink(way);
      set.pushNewest(way);
    }
    return way ? &set.times[way - 1] : nullptr;
  }
  bool holds(uint64_t line, unsigned number) const {
    return first[number].wayOf(line);
  }
  /// Replaces the least recent line of the set; gives its time's place.
  double &insert(uint64_t line, unsigned number) {
    Set &set = first[number];
    unsigned way;
    if (set.filled < Ways) {
      way = ++set.filled;
    } else {
      way = set.oldest;
      set.unlink(way);
      set.forget(way);
    }
    set.tags[way - 1] = uint32_t(line + 1);
    uint8_t &head = set.heads[hash(line)];
    set.next[way - 1] = head;
    head = uint8_t(way);
    set.pushNewest(way);
    return set.times[way - 1];
  }
  void invalidate(uint64_t line, unsigned number) {
    Set &set = first[number];
    if (unsigned way = set.wayOf(line)) {
      set.forget(way);
      set.unlink(way);
      set.pushOldest(way);
    }
  }

private:
  static_assert(Ways < 256 && (Ways & (Ways - 1)) == 0);
  static unsigned hash(uint64_t line) {
    return uint32_t(line) * 0x9e3779b1u >> 16 & (Ways - 1);
  }
  struct alignas(64) Set {
    uint8_t heads[Ways], next[Ways];  ///< of lines of equal hash
    uint8_t newer[Ways], older[Ways]; ///< empty ways are the oldest
    uint32_t tags[Ways];              ///< line + 1; 0: empty
    double times[Ways];
    uint8_t newest, oldest, filled;

    unsigned wayOf(uint64_t line) const {
      unsigned way = heads[hash(line)];
      while (way && tags[way - 1] != uint32_t(line + 1))
        way = next[way - 1];
      return way;
    }
    /// Takes the line out of the list of its hash.
    void forget(unsigned way) {
      uint32_t &tag = tags[way - 1];
      if (!tag)
        return;
      uint8_t *at = &heads[hash(uint64_t(tag) - 1)];
      while (*at != way)
        at = &next[*at - 1];
      *at = next[way - 1];
      tag = 0;
    }
    void unlink(unsigned way) {
      uint8_t after = newer[way - 1], before = older[way - 1];
      (after ? older[after - 1] : newest) = before;
      (before ? newer[before - 1] : oldest) = after;
    }
    void pushNewest(unsigned way) {
      newer[way - 1] = 0;
      older[way - 1] = newest;
      (newest ? newer[newest - 1] : oldest) = uint8_t(way);
      newest = uint8_t(way);
    }
    void pushOldest(unsigned way) {
      older[way - 1] = 0;
      newer[way - 1] = oldest;
      (oldest ? older[oldest - 1] : newest) = uint8_t(way);
      oldest = uint8_t(way);
    }
  };

  Set *first;
};

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_TIMING_CACHE_H
