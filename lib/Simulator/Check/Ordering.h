//===- Ordering.h - What happens before what, across workgroups -*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vector clocks. A workgroup's time is the number of its releases; what it
// knows of the others is how many of each one's releases lie before it. A
// release leaves all that at the addresses it is made by, an acquire takes what
// lies at those it reads. Only the same address orders: an atomic on one
// counter says nothing about what another counter guards.
//
// What workgroups know differs little from one to the next, so it is kept in
// trees that share their parts: leaves of 32 workgroups' times, inner nodes of
// 32 children, copied where they change.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_CHECK_ORDERING_H
#define TLC_LIB_SIMULATOR_CHECK_ORDERING_H

#include "Accesses.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include <mutex>
#include <unordered_map>

namespace tlc::sim {

/// How many releases of each workgroup are known.
class Knowledge {
public:
  bool isEmpty() const { return !root; }
  uint32_t of(uint32_t group) const;
  /// \p group is known to have made \p count releases, or more.
  void raise(uint32_t group, uint32_t count);
  /// Adds what \p other knows. Returns how many nodes it looked at.
  unsigned join(const Knowledge &other);

private:
  struct Node : llvm::RefCountedBase<Node> {
    virtual ~Node() = default;
  };
  using Ref = llvm::IntrusiveRefCntPtr<Node>;
  struct Leaf;
  struct Inner;
  static constexpr unsigned bits = 5, width = 1u << bits;

  template <typename T> static T &own(Ref &ref);
  static unsigned joinNodes(Ref &mine, const Ref &theirs, unsigned level);
  void growTo(unsigned wanted);

  Ref root;
  unsigned level = 0; ///< of the root; leaves are level 0
};

/// The clocks of a launch. Thread safe.
class Ordering {
public:
  struct View { ///< of a workgroup, at an access
    uint32_t group = 0;
    uint32_t period = 0;   ///< releases it has made before
    bool acquired = false; ///< it knows of any other's
  };
  /// Moves the clocks for an access by \p group, if it is one that orders.
  /// \p returns: an atomic that brings its old value; others acquire nothing.
  View access(uint32_t group, const AccessPart &part, bool returns);
  /// A barrier of the whole grid: \p group arrives, or goes on.
  void arrive(uint32_t group);
  void leave(uint32_t group);
  uint32_t releasesOf(uint32_t group);
  /// Whether \p group knows of the end of another workgroup's period.
  bool knows(uint32_t group, uint32_t other, uint32_t period);

private:
  struct Group {
    uint32_t releases = 0;
    Knowledge known; ///< itself included, once it has released
    bool acquired = false;
  };
  void release(Group &group, uint32_t number, Knowledge &at);
  void acquire(Group &group, const Knowledge &at);
  bool isCoarse() const { return work >= mostWork; }

  std::mutex mutex;
  std::unordered_map<uint32_t, Group> groups;
  std::unordered_map<uint64_t, Knowledge> atDword; ///< by address / 4
  Knowledge atGridBarrier;
  Knowledge everything; ///< all releases there were
  /// So many different sets of workgroups meeting at so many addresses that
  /// exact clocks take too long: from then on all addresses count as one.
  static constexpr uint64_t mostWork = 40'000'000;
  uint64_t work = 0;
};

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_CHECK_ORDERING_H
