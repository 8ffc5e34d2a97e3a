//===- PathChecker.cpp - Waits and wait states along a path -----*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Learning a transition restores the tables of the two checkers from a state,
// lets them look at each instruction, and keeps the lists of the state up to
// date beside them. Ages are cut off where a counter cannot tell them apart
// any more, so that loops come back to a state they have been in.
//
// What waits and wait states demand depends only on the instructions before,
// not on data. So a state is what of that path still matters: operations in
// flight by age, instructions within a hazard's reach by distance. Equal states
// get one number, and the transition (state, instruction, length) leads to the
// next number. A loop is thus learnt in its first trips; from then on each
// piece of code costs one look-up in a hash table.
//
//===----------------------------------------------------------------------===//

#include "PathChecker.h"
#include <algorithm>

using namespace tlc::sim;

namespace {

/// Counters hold 63 and 15 at most; older operations are all alike.
constexpr uint8_t vmCap = 66, lgkmCap = 40, noAge = 0xff;
/// More states than this are not remembered.
constexpr size_t maxStates = 1 << 16;

// One more operation has been issued; the age stays at its cap.
void grow(uint8_t &age, uint8_t cap) {
  if (age != noAge)
    age = std::min<uint8_t>(uint8_t(age + 1), uint8_t(cap - 1));
}

} // namespace

/// Wait states of a taken branch beyond its own: 16 cycles of refill (assumed,
/// as in the timing model) are four slots.
static constexpr unsigned takenStates = 3;

struct PathChecker::Place::State {
  /// An operation that registers wait for. An age is the number of operations
  /// of that counter issued since.
  struct Pending {
    const Op *op;
    const OpFacts *facts;
    uint8_t vmAge, lgkmAge;
  };
  /// An instruction within reach of a hazard, and the wait states since.
  struct Recent {
    const Op *op;
    const OpFacts *facts;
    uint8_t age;
    bool moved;
  };
  // How many operations may still be in flight, and the age of the last scalar
  // load.
  uint8_t vmOut = 0, lgkmOut = 0, scalarAge = noAge;
  std::vector<Pending> pending;
  std::vector<Recent> recent;
  /// The last instruction, where it is a conditional branch.
  const Op *branch = nullptr;
  /// Instructions with other registers than they name, while `recent` has any.
  std::vector<std::shared_ptr<std::pair<Op, OpFacts>>> moved;

  /// \p next follows. The refill after a branch that is taken costs issue
  /// slots, which compilers rely on: LLVM's search for the last writer may
  /// count a longer way to a block than the shortest.
  void follow(const Op &next) {
    constexpr uint64_t branchBytes = 4;
    if (branch && next.address != branch->address + branchBytes)
      age(takenStates);
    branch = nullptr;
  }
  /// States until the matrix unit takes another instruction: it works on one
  /// for its passes (measured issue rates), and nothing queues before it.
  unsigned matrixBusy() const {
    for (auto r = recent.rbegin(); r != recent.rend(); ++r)
      if (r->facts->isMatrix)
        return r->facts->passes > r->age ? r->facts->passes - r->age : 0;
    return 0;
  }
  /// The same for the vector ALU.
  unsigned vectorBusy() const {
    for (auto r = recent.rbegin(); r != recent.rend(); ++r)
      if (r->facts->isVector && !r->facts->isMatrix) {
        unsigned states = HazardChecker::vectorStatesOf(*r->op->inst);
        return states > r->age ? states - r->age : 0;
      }
    return 0;
  }
  bool scalarOutstanding() const {
    return scalarAge != noAge && scalarAge < lgkmOut;
  }
  /// s_waitcnt. Scalar loads return out of order, so with one outstanding
  /// lgkmcnt tells nothing unless it is 0.
  void wait(unsigned vmCount, unsigned lgkmCount) {
    vmOut = std::min<uint8_t>(vmOut, uint8_t(vmCount));
    if (lgkmCount == 0 || !scalarOutstanding())
      lgkmOut = std::min<uint8_t>(lgkmOut, uint8_t(lgkmCount));
    if (!scalarOutstanding())
      scalarAge = noAge;
    std::erase_if(pending, [&](const Pending &p) {
      bool vm = p.vmAge != noAge && p.vmAge < vmOut;
      bool lgkm = p.lgkmAge != noAge && p.lgkmAge < lgkmOut;
      return !vm && !lgkm;
    });
  }
  /// A new operation: the counters' others grow older by one.
  void issue(const Op &op, const OpFacts &facts) {
    if (facts.countsVm) {
      vmOut = std::min<uint8_t>(uint8_t(vmOut + 1), vmCap);
      for (Pending &p : pending)
        grow(p.vmAge, vmCap);
    }
    if (facts.countsLgkm) {
      lgkmOut = std::min<uint8_t>(uint8_t(lgkmOut + 1), lgkmCap);
      for (Pending &p : pending)
        grow(p.lgkmAge, lgkmCap);
      grow(scalarAge, lgkmCap);
    }
    if (facts.isSmem)
      scalarAge = 0;
    if (facts.writes.empty() || (!facts.countsVm && !facts.countsLgkm))
      return;
    // The same instruction again, in a loop: only its last execution matters.
    std::erase_if(pending, [&](const Pending &p) { return p.op == &op; });
    pending.push_back({&op, &facts, uint8_t(facts.countsVm ? 0 : noAge),
                       uint8_t(facts.countsLgkm ? 0 : noAge)});
  }
  /// \p states wait states have passed; what is out of every rule's reach is
  /// forgotten.
  void age(unsigned states) {
    for (Recent &r : recent)
      r.age = uint8_t(std::min(255u, r.age + states));
    std::erase_if(recent, [](const Recent &r) {
      return r.age > HazardChecker::reach + 1;
    });
  }
};

PathChecker::PathChecker(unsigned vgprCount, unsigned accumOffset)
    : vgprCount(vgprCount), accumOffset(accumOffset), edges(1024),
      mask(edges.size() - 1) {
  numberOf(State()); // 0: nothing has run
}
PathChecker::~PathChecker() = default;

/// The numbers of operations and states are relative: any origin will do, if it
/// is larger than all ages.
void PathChecker::restore(const State &state) {
  waits.begin(vgprCount, accumOffset);
  hazards.begin(vgprCount, accumOffset);
  constexpr uint32_t issued = 1000;
  waits.vm = {issued, issued - state.vmOut};
  waits.lgkm = {issued, issued - state.lgkmOut};
  if (state.scalarAge != noAge)
    waits.lastScalarLoad = issued - state.scalarAge;
  for (const State::Pending &p : state.pending)
    waits.expect(*p.op, *p.facts, p.vmAge == noAge ? 0 : issued - p.vmAge,
                 p.lgkmAge == noAge ? 0 : issued - p.lgkmAge);
  for (const State::Recent &r : state.recent)
    hazards.recall(*r.op, *r.facts, r.age);
}

/// States are equal if their ages and instructions are: compared as strings of
/// bytes.
uint32_t PathChecker::numberOf(const State &state) {
  std::string text{char(state.vmOut), char(state.lgkmOut),
                   char(state.scalarAge)};
  auto add = [&](uint32_t number, uint8_t a, uint8_t b) {
    for (unsigned i = 0; i < 4; ++i)
      text += char(number >> (8 * i));
    text += char(a);
    text += char(b);
  };
  for (const State::Pending &p : state.pending)
    add(p.op->number, p.vmAge, p.lgkmAge);
  text += char(0x7f); // no operation's number in between
  for (const State::Recent &r : state.recent)
    add(r.op->number, r.age, 0);
  // Whether a branch came last matters only if a hazard is near.
  if (state.branch && !state.recent.empty())
    add(state.branch->number, 0, 1);
  auto [entry, isNew] = numbers.try_emplace(text, uint32_t(states.size()));
  if (isNew)
    states.push_back(std::make_unique<State>(state));
  return entry->second;
}

/// An open hash table, half full at most; entries are never removed.
void PathChecker::remember(uint64_t key, uint32_t next) {
  auto insert = [&](const Edge &edge) {
    size_t at = hashOf(edge.key) & mask;
    while (edges[at].next)
      at = (at + 1) & mask;
    edges[at] = edge;
  };
  if (++used * 2 > edges.size()) {
    std::vector<Edge> old(edges.size() * 2);
    old.swap(edges);
    mask = edges.size() - 1;
    for (const Edge &edge : old)
      if (edge.next)
        insert(edge);
  }
  // 0 stands for an empty place.
  insert({key, next + 1});
}

/// The tables hold \p state. True if nothing is wrong.
bool PathChecker::passOne(State &state, const Op &op, const Op &effective,
                          const OpFacts &facts, bool moved, Report report) {
  bool right = true;
  if (std::string text = waits.check(effective, facts); !text.empty()) {
    report("missing-wait", std::move(text), op);
    right = false;
  }
  // An instruction is issued when its unit is free.
  if (unsigned stall = facts.isVector ? state.vectorBusy() : 0) {
    state.age(stall);
    hazards.advance(stall);
  }
  if (Hazard found = hazards.check(effective, facts); !found.text.empty()) {
    report(found.isNote ? waitStatesNote : "wait-states", std::move(found.text),
           op);
    right = false;
  }
  // For what follows, an MFMA was issued when the matrix unit was free again.
  if (unsigned stall = facts.isMatrix ? state.matrixBusy() : 0) {
    state.age(stall);
    hazards.advance(stall);
  }
  waits.issue(effective, facts);
  hazards.issue(effective, facts);
  const Instruction &inst = *op.inst;
  if (inst.op == Opcode::s_waitcnt)
    state.wait(inst.vmcnt(), inst.lgkmcnt());
  else
    state.issue(effective, facts);
  // What neither writes nor reads registers leaves no trace.
  if (!facts.writes.empty() || !facts.reads.empty())
    state.recent.push_back({&effective, &facts, 0, moved});
  state.age(HazardChecker::statesOf(inst));
  if (inst.has(flag::Branch) && inst.encoding == Encoding::SOPP &&
      inst.op != Opcode::s_branch)
    state.branch = &op;
  return right;
}

/// The slow way: works the transition out, and remembers it unless something
/// was reported or the state holds instructions whose registers moved.
void PathChecker::learn(Place &place, const Op *first, unsigned count,
                        FactsOf factsOf, Report report) {
  uint32_t from = place.state;
  bool hadOwn = place.own != nullptr;
  // A copy: the caller may keep the place as it was.
  auto state = std::make_shared<State>(hadOwn ? *place.own : *states[from]);
  state->follow(*first);
  restore(*state);
  bool right = true;
  for (unsigned i = 0; i < count; ++i) {
    state->branch = nullptr;
    right &=
        passOne(*state, first[i], first[i], factsOf(first[i]), false, report);
  }
  // Registers that moved must be out of reach before the state is one of all.
  bool moved = false;
  for (const State::Recent &r : state->recent)
    moved |= r.moved;
  if (moved || (states.size() > maxStates)) {
    place.own = std::move(state);
    return;
  }
  state->moved.clear();
  place.own = nullptr;
  place.state = numberOf(*state);
  if (right && !hadOwn)
    remember(keyOf(from, first->number, count), place.state);
}

// An instruction with indexed registers: what it names depends on M0, so the
// state stays the place's own until it is out of reach.
void PathChecker::step(Place &place, const Op &op, const Op &moved,
                       const OpFacts &movedFacts, Report report) {
  place.own =
      std::make_shared<State>(place.own ? *place.own : *states[place.state]);
  State &state = *place.own;
  state.follow(op);
  restore(state);
  auto copy = std::make_shared<std::pair<Op, OpFacts>>(moved, movedFacts);
  state.moved.push_back(copy);
  passOne(state, op, copy->first, copy->second, true, report);
}
