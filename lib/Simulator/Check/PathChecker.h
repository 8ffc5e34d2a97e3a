//===- PathChecker.h - Waits and wait states along a path -------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether a wait or a wait state is missing depends on the instructions that a
// wavefront has executed, not on its values, and only on the last few of them.
// So the checks are a finite automaton: its state is what is outstanding and
// what ran within the reach of any hazard, both with their ages; its letters
// are straight pieces of code. A transition is worked out once, instruction by
// instruction, and then costs one look into a table.
//
// A piece with something to report is never remembered: each wavefront that
// comes there reports it.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_CHECK_PATHCHECKER_H
#define TLC_LIB_SIMULATOR_CHECK_PATHCHECKER_H

#include "HazardChecker.h"
#include "WaitChecker.h"
#include "tlc/Simulator/Check/Checker.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace tlc::sim {

/// The automaton of a kernel, for wavefronts of one host thread.
class PathChecker {
public:
  /// Told of each thing wrong: "missing-wait", "wait-states" or
  /// `waitStatesNote`, the text.
  using Report =
      llvm::function_ref<void(const char *kind, std::string text, const Op &)>;
  using FactsOf = llvm::function_ref<const OpFacts &(const Op &)>;

  /// Where a wavefront is.
  class Place {
    friend class PathChecker;
    struct State;
    uint32_t state = 0; ///< number of a remembered one, unless `own` is set
    std::shared_ptr<State> own;

  public:
    /// The next instruction must go through `step`.
    bool mustStep() const { return own != nullptr; }
  };

  PathChecker(unsigned vgprCount, unsigned accumOffset);
  ~PathChecker();

  /// \p place passes \p count consecutive instructions from \p first on.
  void pass(Place &place, const Op *first, unsigned count, FactsOf factsOf,
            Report report) {
    if (!place.own)
      if (uint32_t next = find(place.state, first->number, count)) {
        place.state = next - 1;
        return;
      }
    learn(place, first, count, factsOf, report);
  }
  /// \p place passes an instruction whose registers are not those that it
  /// names (s_set_gpr_idx): \p moved has them.
  void step(Place &place, const Op &op, const Op &moved,
            const OpFacts &movedFacts, Report report);

private:
  using State = Place::State;
  struct Edge {
    uint64_t key = 0;  ///< state, piece
    uint32_t next = 0; ///< plus 1; 0: free
  };
  static uint64_t keyOf(uint32_t state, uint32_t op, unsigned count) {
    return uint64_t(state) << 42 | uint64_t(op) << 10 | count;
  }
  static size_t hashOf(uint64_t key) {
    return (key * 0x9e3779b97f4a7c15ull) >> 32;
  }
  /// The state after a piece plus 1; 0 if it is not known.
  uint32_t find(uint32_t state, uint32_t op, unsigned count) const {
    uint64_t key = keyOf(state, op, count);
    for (size_t at = hashOf(key) & mask;; at = (at + 1) & mask) {
      const Edge &edge = edges[at];
      if (!edge.next || edge.key == key)
        return edge.next;
    }
  }
  void remember(uint64_t key, uint32_t next);
  void learn(Place &place, const Op *first, unsigned count, FactsOf factsOf,
             Report report);
  bool passOne(State &state, const Op &op, const Op &effective,
               const OpFacts &facts, bool moved, Report report);
  void restore(const State &state);
  /// The number of a state; of a new one if it has not been met.
  uint32_t numberOf(const State &state);

  unsigned vgprCount, accumOffset;
  WaitChecker waits;
  HazardChecker hazards;
  std::vector<std::unique_ptr<State>> states;
  std::unordered_map<std::string, uint32_t> numbers;
  std::vector<Edge> edges;
  size_t mask = 0, used = 0;
};

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_CHECK_PATHCHECKER_H
