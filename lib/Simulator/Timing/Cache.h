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
#include <bit>
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
    double time() const { return set->times[way]; }
    /// The same or \p time, whichever is later. Most have been there for long.
    double timeFrom(double time) const {
      return double(set->latest) * latestStep <= time
                 ? time
                 : std::max(time, set->times[way]);
    }
    void setTime(double time) const {
      set->times[way] = time;
      set->latest =
          std::max(set->latest, uint32_t(std::min(time / latestStep + 1, 4e9)));
    }
    /// Where the time will be written later.
    double *place() const {
      set->latest = ~uint32_t(0);
      return &set->times[way];
    }
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
    set.touch(entry.way);
    return entry;
  }
  /// Replaces the least recent entry of the set.
  Entry insert(uint64_t line, unsigned number, Victim &victim) {
    Set &set = first[number];
    Entry entry;
    entry.set = &set;
    entry.way = set.leastRecent();
    uint32_t &tag = set.tags[entry.way];
    victim = {uint64_t(tag) - 1, tag != 0, entry.isDirty()};
    set.dirty &= ~(1u << entry.way);
    dirty -= victim.dirty;
    tag = uint32_t(line + 1);
    set.touch(entry.way);
    return entry;
  }
  void setDirty(const Entry &entry) {
    dirty += !entry.isDirty();
    entry.set->dirty |= 1u << entry.way;
  }
  uint64_t countDirty() const { return dirty; }
  /// Has the host bring what a look-up will read.
  void fetchAhead(unsigned number) const {
    const char *at = reinterpret_cast<const char *>(&first[number]);
    for (size_t i = 0; i < std::min<size_t>(sizeof(Set), 128); i += 64)
      __builtin_prefetch(at + i, 1);
  }

private:
  static_assert(Ways <= 16);
  static constexpr double latestStep = 64; ///< cycles
  /// Each of them in four bits, the first in the lowest ones.
  static constexpr uint64_t allOf(uint64_t bits) {
    return 0x1111111111111111 * bits;
  }
  static constexpr uint64_t inOrder = 0xfedcba9876543210;

  /// What a look-up reads lies in its first two lines of the host's cache, but
  /// for times of lines that may still be on their way.
  struct alignas(64) Set {
    uint32_t tags[Ways]; ///< line + 1; 0: empty
    /// Ways by age, the least recent first, relative to `inOrder`: zeros are
    /// an empty set, which fills from its first way on.
    uint64_t ages;
    uint16_t dirty;  ///< a bit for each way
    uint32_t latest; ///< no time is later than so many steps
    double times[Ways];

    unsigned leastRecent() const { return (ages ^ inOrder) & 15; }
    void touch(unsigned way) {
      uint64_t order = ages ^ inOrder;
      // Where it stands: the lowest four bits that are equal.
      uint64_t differs = order ^ allOf(way);
      uint64_t equal = (differs - allOf(1)) & ~differs & allOf(8);
      uint64_t younger = ~uint64_t(0) << (std::countr_zero(equal) - 3);
      constexpr unsigned last = 4 * (Ways - 1);
      constexpr uint64_t kept = ~(uint64_t(15) << last);
      // Those younger than it move down, and it comes last.
      order = (order & ~younger) | (order >> 4 & younger & kept) |
              uint64_t(way) << last;
      ages = order ^ inOrder;
    }
  };

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
    return way ? &set.at(way).time : nullptr;
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
    uint8_t &head = set.heads[hash(line)];
    set.at(way).tag = uint32_t(line + 1);
    set.at(way).next = head;
    set.at(way).previous = 0;
    if (head)
      set.at(head).previous = uint8_t(way);
    head = uint8_t(way);
    set.pushNewest(way);
    return set.at(way).time;
  }
  void invalidate(uint64_t line, unsigned number) {
    Set &set = first[number];
    if (unsigned way = set.wayOf(line)) {
      set.forget(way);
      set.unlink(way);
      set.pushOldest(way);
    }
  }
  /// Has the host bring where a look-up begins.
  void fetchAhead(unsigned number) const { __builtin_prefetch(&first[number]); }
  void fetchAll(unsigned number) const {
    const char *at = reinterpret_cast<const char *>(&first[number]);
    for (size_t i = 0; i < sizeof(Set); i += 64)
      __builtin_prefetch(at + i, 1);
  }

private:
  static_assert(Ways < 256);
  /// With the three numbers behind them a line of the host's cache.
  static constexpr unsigned hashes = 60;
  static unsigned hash(uint64_t line) {
    return (uint32_t(line) * 0x9e3779b1u >> 16) * hashes >> 16;
  }
  struct Node {
    double time;
    uint32_t tag;           ///< line + 1; 0: empty
    uint8_t next, previous; ///< of equal hash
    uint8_t newer, older;   ///< by age; empty ways are the oldest
  };
  struct alignas(64) Set {
    uint8_t heads[hashes];
    uint8_t newest, oldest, filled;
    Node nodes[Ways];

    Node &at(unsigned way) { return nodes[way - 1]; }
    const Node &at(unsigned way) const { return nodes[way - 1]; }
    unsigned wayOf(uint64_t line) const {
      unsigned way = heads[hash(line)];
      while (way && at(way).tag != uint32_t(line + 1))
        way = at(way).next;
      return way;
    }
    /// Takes the line out of the list of its hash.
    void forget(unsigned way) {
      Node &node = at(way);
      if (!node.tag)
        return;
      (node.previous ? at(node.previous).next
                     : heads[hash(uint64_t(node.tag) - 1)]) = node.next;
      if (node.next)
        at(node.next).previous = node.previous;
      node.tag = 0;
    }
    void unlink(unsigned way) {
      uint8_t after = at(way).newer, before = at(way).older;
      (after ? at(after).older : newest) = before;
      (before ? at(before).newer : oldest) = after;
    }
    void pushNewest(unsigned way) {
      at(way).newer = 0;
      at(way).older = newest;
      (newest ? at(newest).newer : oldest) = uint8_t(way);
      newest = uint8_t(way);
    }
    void pushOldest(unsigned way) {
      at(way).older = 0;
      at(way).newer = oldest;
      (oldest ? at(oldest).older : newest) = uint8_t(way);
      oldest = uint8_t(way);
    }
  };

  Set *first;
};

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_TIMING_CACHE_H
