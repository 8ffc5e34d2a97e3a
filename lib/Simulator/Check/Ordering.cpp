//===- Ordering.cpp - What happens before what, across workgroups ---------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A node that only one tree holds is changed in place, a shared one is copied
// first. Joining stops where both trees have the same node, and takes the other
// tree's node where it knows everything better: a chain of workgroups, each
// knowing what the one before it knew, costs a path of nodes each.
//
//===----------------------------------------------------------------------===//

#include "Ordering.h"
#include <algorithm>

using namespace tlc::sim;

struct Knowledge::Leaf : Node {
  uint32_t known[width] = {};
};
struct Knowledge::Inner : Node {
  Ref child[width];
};

/// The node itself if nobody else has it, else a copy in its place; a new one
/// if there is none.
template <typename T> T &Knowledge::own(Ref &ref) {
  if (!ref)
    ref = new T();
  else if (ref->UseCount() > 1)
    ref = new T(static_cast<const T &>(*ref));
  return static_cast<T &>(*ref);
}

uint32_t Knowledge::of(uint32_t group) const {
  if (!root || uint64_t(group) >> (bits * (level + 1)))
    return 0;
  const Node *node = root.get();
  for (unsigned l = level; l; --l) {
    node = static_cast<const Inner *>(node)
               ->child[group >> (bits * l) & (width - 1)]
               .get();
    if (!node)
      return 0;
  }
  return static_cast<const Leaf *>(node)->known[group & (width - 1)];
}

/// Higher roots, whose first child is the tree so far.
void Knowledge::growTo(unsigned wanted) {
  for (; level < wanted; ++level) {
    if (!root)
      continue;
    Ref old = root;
    root = new Inner();
    static_cast<Inner &>(*root).child[0] = old;
  }
}

void Knowledge::raise(uint32_t group, uint32_t count) {
  if (of(group) >= count)
    return; // shared nodes stay shared
  unsigned wanted = level;
  while (uint64_t(group) >> (bits * (wanted + 1)))
    ++wanted;
  growTo(wanted);
  Ref *at = &root;
  for (unsigned l = level; l; --l)
    at = &own<Inner>(*at).child[group >> (bits * l) & (width - 1)];
  uint32_t &known = own<Leaf>(*at).known[group & (width - 1)];
  known = std::max(known, count);
}

unsigned Knowledge::joinNodes(Ref &mine, const Ref &theirs, unsigned level) {
  if (!theirs || mine.get() == theirs.get())
    return 1;
  if (!mine) {
    mine = theirs;
    return 1;
  }
  if (level == 0) {
    const uint32_t *a = static_cast<const Leaf &>(*mine).known;
    const uint32_t *b = static_cast<const Leaf &>(*theirs).known;
    bool iMiss = false, theyMiss = false;
    for (unsigned i = 0; i < width; ++i) {
      iMiss |= a[i] < b[i];
      theyMiss |= a[i] > b[i];
    }
    if (iMiss && !theyMiss) {
      mine = theirs;
    } else if (iMiss) {
      uint32_t *known = own<Leaf>(mine).known;
      for (unsigned i = 0; i < width; ++i)
        known[i] = std::max(known[i], b[i]);
    }
    return 1;
  }
  const Inner &other = static_cast<const Inner &>(*theirs);
  unsigned work = 1;
  bool allTheirs = true;
  for (unsigned i = 0; i < width; ++i) {
    const Ref &child = static_cast<const Inner &>(*mine).child[i];
    if (!other.child[i] || child.get() == other.child[i].get()) {
      allTheirs &= child.get() == other.child[i].get();
      continue;
    }
    if (mine->UseCount() == 1) {
      work += joinNodes(static_cast<Inner &>(*mine).child[i], other.child[i],
                        level - 1);
    } else {
      // Copied only if it changes.
      Ref changed = child;
      work += joinNodes(changed, other.child[i], level - 1);
      if (changed.get() != child.get())
        own<Inner>(mine).child[i] = changed;
    }
    allTheirs &= static_cast<const Inner &>(*mine).child[i].get() ==
                 other.child[i].get();
  }
  // Equal nodes become one, which later joins see at once.
  if (allTheirs)
    mine = theirs;
  return work;
}

unsigned Knowledge::join(const Knowledge &other) {
  if (other.isEmpty())
    return 1;
  growTo(other.level);
  if (other.level == level)
    return joinNodes(root, other.root, level);
  Knowledge grown = other;
  grown.growTo(level);
  return joinNodes(root, grown.root, level);
}

//===--- The clocks -------------------------------------------------------===//

void Ordering::release(Group &group, uint32_t number, Knowledge &at) {
  everything.raise(number, group.releases);
  group.known.raise(number, group.releases);
  if (!isCoarse())
    work += at.join(group.known);
}
void Ordering::acquire(Group &group, const Knowledge &at) {
  work += group.known.join(isCoarse() ? everything : at);
  group.acquired = true;
}

Ordering::View Ordering::access(uint32_t number, const AccessPart &part,
                                bool returns) {
  std::lock_guard lock(mutex);
  Group &group = groups[number];
  View view;
  view.group = number;
  view.period = group.releases;
  bool releases = part.writes, acquires = part.reads && returns;
  if ((part.atomic || part.coherent) && (releases || acquires)) {
    // One release for all lanes; they may lie at one address.
    group.releases += releases;
    uint64_t last = 0;
    for (uint64_t rest = part.lanes; rest; rest &= rest - 1) {
      unsigned l = unsigned(__builtin_ctzll(rest));
      uint64_t first = part.address[l] / 4 + 1;
      uint64_t end = (part.address[l] + part.inBounds[l] + 3) / 4 + 1;
      // Release first: an atomic does both, and a chain through it must hold.
      for (uint64_t dword = first; dword < end; ++dword) {
        if (dword == last)
          continue;
        last = dword;
        Knowledge &at = atDword[isCoarse() ? 0 : dword];
        if (releases)
          release(group, number, at);
        if (acquires)
          acquire(group, at);
      }
    }
  }
  view.acquired = group.acquired;
  return view;
}

void Ordering::arrive(uint32_t number) {
  std::lock_guard lock(mutex);
  Group &group = groups[number];
  ++group.releases;
  release(group, number, atGridBarrier);
}
void Ordering::leave(uint32_t number) {
  std::lock_guard lock(mutex);
  acquire(groups[number], atGridBarrier);
}
uint32_t Ordering::releasesOf(uint32_t group) {
  std::lock_guard lock(mutex);
  return groups[group].releases;
}
bool Ordering::knows(uint32_t group, uint32_t other, uint32_t period) {
  std::lock_guard lock(mutex);
  return groups[group].known.of(other) > period;
}
