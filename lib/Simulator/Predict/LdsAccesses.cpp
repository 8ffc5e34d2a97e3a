//===- LdsAccesses.cpp - LDS accesses of a kernel, unexecuted -------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each wavefront of a workgroup is followed by itself, for code may tell them
// apart, from v0 and EXEC as a launch sets them. Blocks are gone through until
// what is known at their begins no longer changes; only ways that a known
// condition allows are taken. Then each LDS instruction is priced.
//
//   v_lshlrev_b32 v1, 2, v0      v1 = 4 * lane
//   ds_read_b32 v2, v1           64 lanes in 2 phases, no conflicts
//
//===----------------------------------------------------------------------===//

#include "tlc/Simulator/Predict/LdsAccesses.h"

#include "Evaluator.h"

#include <map>
#include <set>

using namespace tlc;
using namespace tlc::sim;
using namespace tlc::sim::predict;
using Condition = WaveState::Condition;
using O = Opcode;

namespace {

/// Each pass over a block loses something that was known, so few are needed;
/// beyond this nothing is told.
constexpr unsigned passLimit = 100;
/// Instructions of a wavefront that are worth going through one by one.
constexpr uint64_t walkLimit = 200000;

class WaveFlow {
public:
  WaveFlow(const std::vector<CodeBlock> &blocks, Evaluator &evaluator)
      : blocks(blocks), evaluator(evaluator), begins(blocks.size()) {}

  /// Follows the code; false if it cannot be.
  bool follow(WaveState start);
  /// Calls `visit(row, state)` for each LDS instruction that may be reached.
  template <typename F> void forEachLds(F visit);
  /// The same for each execution, trip by trip; false if a condition is not
  /// known, or it takes too long.
  template <typename F> bool walk(WaveState start, F visit);

private:
  bool runBlock(unsigned number);
  void go(unsigned to, const WaveState &state);
  unsigned blockAt(uint64_t address) const;
  /// Ways out of a block that are open.
  struct Ways {
    std::optional<unsigned> branch,
        straight;                 ///< blocks; past the last: the end
    bool branchOnlyEmpty = false; ///< taken only without an active lane
  };
  Ways waysOut(const CodeBlock &block, const WaveState &state) const;

  const std::vector<CodeBlock> &blocks;
  Evaluator &evaluator;
  std::vector<std::optional<WaveState>> begins;
  std::vector<unsigned> passes;
  std::set<unsigned> pending;
  /// Ways that only wavefronts without an active lane take. They skip what
  /// does nothing without lanes, so they are left out unless the code behind
  /// is reached in no other way.
  std::map<unsigned, std::vector<WaveState>> empty;
};

unsigned WaveFlow::blockAt(uint64_t address) const {
  for (unsigned i = 0; i < blocks.size(); ++i)
    if (blocks[i].begin == address)
      return i;
  return unsigned(blocks.size());
}

/// Which ways out of a block are open: its branch's, straight on.
std::pair<bool, bool> openWays(const Op &op, const WaveState &state) {
  auto decide = [](bool known, bool taken) {
    return known ? std::pair(taken, !taken) : std::pair(true, true);
  };
  MaskRef exec = state.exec(), vcc = state.readMask(ScalarReg::VccLo);
  bool sccKnown = state.scc == Condition::One || state.scc == Condition::Zero;
  switch (op.inst->op) {
  case O::s_branch:
    return {true, false};
  case O::s_cbranch_scc0:
    return decide(sccKnown, state.scc == Condition::Zero);
  case O::s_cbranch_scc1:
    return decide(sccKnown, state.scc == Condition::One);
  case O::s_cbranch_vccz:
    return decide(vcc->isExact() || vcc->on(), !vcc->on());
  case O::s_cbranch_vccnz:
    return decide(vcc->isExact() || vcc->on(), vcc->on());
  case O::s_cbranch_execz:
    return decide(exec->isExact() || exec->on(), !exec->on());
  case O::s_cbranch_execnz:
    return decide(exec->isExact() || exec->on(), exec->on());
  default:
    return {op.inst->has(flag::Branch), true};
  }
}

WaveFlow::Ways WaveFlow::waysOut(const CodeBlock &block,
                                 const WaveState &state) const {
  const Op &last = *block.ops.back()->op;
  auto [taken, falls] = openWays(last, state);
  Ways ways;
  if (taken)
    ways.branch = blockAt(last.inst->branchTarget(last.address));
  if (falls)
    ways.straight = blockAt(block.end);
  ways.branchOnlyEmpty =
      last.inst->op == O::s_cbranch_execz && !state.exec()->isExact();
  return ways;
}

void WaveFlow::go(unsigned to, const WaveState &state) {
  if (to >= blocks.size())
    return;
  if (!begins[to]) {
    begins[to] = state;
    pending.insert(to);
  } else if (begins[to]->merge(state, blocks[to].begin)) {
    pending.insert(to);
  }
}

bool WaveFlow::runBlock(unsigned number) {
  const CodeBlock &block = blocks[number];
  WaveState state = *begins[number];
  for (const StaticOp *row : block.ops)
    if (!evaluator.step(*row, state))
      return false;
  if (block.ops.back()->special == Special::End)
    return true;
  Ways ways = waysOut(block, state);
  if (ways.branch && ways.straight && ways.branchOnlyEmpty)
    empty[*ways.branch].assign(1, state);
  else if (ways.branch)
    go(*ways.branch, state);
  if (ways.straight)
    go(*ways.straight, state);
  return true;
}

bool WaveFlow::follow(WaveState start) {
  if (blocks.empty())
    return false;
  passes.assign(blocks.size(), 0);
  go(0, start);
  while (!pending.empty()) {
    unsigned number = *pending.begin();
    pending.erase(pending.begin());
    if (++passes[number] > passLimit || !runBlock(number))
      return false;
    if (!pending.empty())
      continue;
    for (const auto &[to, states] : empty)
      if (to < blocks.size() && !begins[to]) {
        go(to, states.front());
        break;
      }
  }
  return true;
}

template <typename F> void WaveFlow::forEachLds(F visit) {
  for (unsigned i = 0; i < blocks.size(); ++i) {
    bool any = false;
    for (const StaticOp *row : blocks[i].ops)
      any |= row->kind == IssueKind::Lds;
    if (!any || !begins[i])
      continue;
    WaveState state = *begins[i];
    for (const StaticOp *row : blocks[i].ops) {
      if (row->kind == IssueKind::Lds)
        visit(*row, state);
      evaluator.step(*row, state);
    }
  }
}

template <typename F> bool WaveFlow::walk(WaveState state, F visit) {
  uint64_t steps = 0;
  for (unsigned number = 0; number < blocks.size();) {
    const CodeBlock &block = blocks[number];
    for (const StaticOp *row : block.ops) {
      if (row->kind == IssueKind::Lds)
        visit(*row, state);
      if (++steps > walkLimit || !evaluator.step(*row, state))
        return false;
    }
    if (block.ops.back()->special == Special::End)
      return true;
    Ways ways = waysOut(block, state);
    if (ways.branch && ways.straight && !ways.branchOnlyEmpty)
      return false;
    number = ways.straight ? *ways.straight : *ways.branch;
  }
  return false;
}

/// Whether the instruction goes through the banks by an address register.
bool usesBanks(const StaticOp &row) {
  return row.kind == IssueKind::Lds && row.laneBytes &&
         !row.op->inst->has(flag::CrossLane | flag::Gws) &&
         row.op->src[0].kind == OperandKind::Vector;
}

LdsAccess accessOf(const StaticOp &row) {
  const Instruction &inst = *row.op->inst;
  LdsAccess access;
  access.address = row.op->address;
  access.mnemonic = mnemonic(inst.op);
  access.direction = row.ldsDirection;
  access.bytes = row.laneBytes;
  access.accesses = inst.has(flag::TwoOffsets) ? 2 : 1;
  access.least = ~0u;
  return access;
}

/// What one execution of one wavefront costs, at least and at most, and why
/// that is not one number. Nothing if no lane takes part.
std::optional<LdsAccess> price(const StaticOp &row, const WaveState &state) {
  const Instruction &inst = *row.op->inst;
  LdsAccess access = accessOf(row);
  ValueRef lanes = state.readVector(row.op->src[0].index / waveLanes);
  MaskRef exec = state.exec();
  uint64_t active = exec->on() | exec->maybe();
  if (!active)
    return std::nullopt;
  access.waves = 1;
  bool known = !(active & ~lanes->valid);
  // A common shift by whole dwords only turns the banks; by less it also moves
  // what shares a dword.
  access.most = 0;
  for (uint32_t shift = 0; shift < 4;
       shift += 1u << std::min<int>(lanes->bits, 2)) {
    LdsCycles cycles;
    for (unsigned part = 0; part < access.accesses; ++part) {
      uint32_t offset = inst.offset;
      if (access.accesses == 2)
        offset = (part ? inst.offset1 : inst.offset0) * row.laneBytes *
                 row.offsetStride;
      uint32_t addresses[waveLanes];
      for (unsigned l = 0; l < waveLanes; ++l)
        addresses[l] = lanes->at[l] + offset + shift;
      LdsCycles one =
          tlc::ldsCycles(access.direction, access.bytes, addresses, active);
      cycles.base += one.base;
      cycles.conflicts += known ? one.conflicts : 0;
    }
    access.cycles.base = cycles.base;
    access.least = std::min(access.least, cycles.conflicts);
    access.most = std::max(access.most, cycles.conflicts);
  }
  access.cycles.conflicts = access.most;
  // All unknown lanes together, or none: it is priced for when it happens.
  // Fewer lanes never conflict more; without conflicts none has any.
  bool lanesKnown = exec->isExact() || (exec->together && !exec->on());
  if (!known) {
    access.certainty = LdsCertainty::Unknown;
    access.cause = lanes->cause;
  } else if (!lanesKnown && access.most) {
    access.certainty = LdsCertainty::AtMost;
    access.ofLanes = true;
    access.cause = exec->cause;
    access.least = 0;
  } else if (access.least != access.most) {
    access.certainty = LdsCertainty::AtMost;
    access.reason = LdsReason::Uniform;
  }
  return access;
}

/// Adds the execution of one more wavefront.
void addWave(LdsAccess &sum, const LdsAccess &one) {
  sum.waves += one.waves;
  sum.cycles.base += one.cycles.base;
  sum.cycles.conflicts += one.cycles.conflicts;
  sum.least = std::min(sum.least, one.least);
  sum.most = std::max(sum.most, one.most);
  if (one.certainty <= sum.certainty)
    return;
  sum.certainty = one.certainty;
  sum.reason = one.reason;
  sum.ofLanes = one.ofLanes;
  sum.cause = one.cause;
}

/// Adds another execution of the same wavefront.
void addTrip(LdsAccess &sum, const LdsAccess &one) {
  if (!sum.waves)
    return addWave(sum, one);
  bool differs = one.most != sum.most || one.least != sum.least;
  sum.least = std::min(sum.least, one.least);
  sum.most = std::max(sum.most, one.most);
  sum.cycles.conflicts = sum.most;
  if (one.certainty > sum.certainty) {
    sum.certainty = one.certainty;
    sum.reason = one.reason;
    sum.ofLanes = one.ofLanes;
    sum.cause = one.cause;
  } else if (differs && sum.certainty == LdsCertainty::Exact) {
    sum.certainty = LdsCertainty::AtMost;
    sum.reason = LdsReason::Trips;
  }
}

/// All wavefronts of a workgroup, one after the other.
class GroupPrices {
public:
  GroupPrices(const CodeObject &object, const KernelInfo &kernel,
              const uint32_t block[3])
      : kernel(kernel), block(block),
        code(object, kernel,
             {kernel.descriptor.accumOffset(), kernel.descriptor.vgprCount()}),
        evaluator(kernel.descriptor) {
    for (const CodeBlock &piece : code.blocks())
      for (const StaticOp *row : piece.ops)
        rows[row->op->address] = row;
  }

  std::vector<LdsAccess> find();

private:
  using Prices = std::map<uint64_t, LdsAccess>; ///< by address
  WaveState startOf(uint64_t firstItem) const;
  uint64_t items() const { return uint64_t(block[0]) * block[1] * block[2]; }
  bool followAll(Prices &prices);
  bool walkAll(Prices &prices);
  LdsReason reasonOf(const LdsAccess &access) const;

  const KernelInfo &kernel;
  const uint32_t *block;
  KernelCode code;
  Evaluator evaluator;
  std::map<uint64_t, const StaticOp *> rows;
};

/// As a launch sets the registers: v0 and EXEC by the work-items, scalars by
/// what is the same for all.
WaveState GroupPrices::startOf(uint64_t firstItem) const {
  WaveState start(kernel.descriptor.vgprCount());
  auto numbers = std::make_shared<LaneValue>();
  uint64_t active = 0;
  for (unsigned l = 0; l < waveLanes; ++l) {
    uint64_t item = firstItem + l;
    active |= uint64_t(item < items()) << l;
    numbers->at[l] =
        uint32_t(item % block[0] | item / block[0] % block[1] << 10 |
                 item / (uint64_t(block[0]) * block[1]) << 20);
  }
  numbers->valid = ~uint64_t(0);
  start.writeMask(ScalarReg::ExecLo, exactMask(active));
  for (unsigned reg = 0; reg <= ScalarReg::LastSGPR; ++reg)
    start.writeScalar(reg, common());
  start.writeVector(0, numbers, kernel.entryAddress);
  return start;
}

bool GroupPrices::followAll(Prices &prices) {
  for (uint64_t first = 0; first < items(); first += waveLanes) {
    WaveFlow flow(code.blocks(), evaluator);
    if (!flow.follow(startOf(first)))
      return false;
    flow.forEachLds([&](const StaticOp &row, const WaveState &state) {
      if (!usesBanks(row))
        return;
      if (auto one = price(row, state))
        addWave(prices.try_emplace(one->address, accessOf(row)).first->second,
                *one);
    });
  }
  return true;
}

bool GroupPrices::walkAll(Prices &prices) {
  for (uint64_t first = 0; first < items(); first += waveLanes) {
    WaveFlow flow(code.blocks(), evaluator);
    Prices wave;
    bool ended =
        flow.walk(startOf(first), [&](const StaticOp &row, const WaveState &s) {
          if (!usesBanks(row))
            return;
          if (auto one = price(row, s))
            addTrip(wave.try_emplace(one->address, accessOf(row)).first->second,
                    *one);
        });
    if (!ended)
      return false;
    for (const auto &[address, one] : wave)
      addWave(
          prices.try_emplace(address, accessOf(*rows[address])).first->second,
          one);
  }
  return true;
}

LdsReason GroupPrices::reasonOf(const LdsAccess &access) const {
  if (access.certainty == LdsCertainty::Exact ||
      access.reason != LdsReason::None)
    return access.reason;
  auto cause = rows.find(access.cause);
  if (cause == rows.end())
    return LdsReason::Uniform;
  switch (cause->second->kind) {
  case IssueKind::VectorMemory:
  case IssueKind::Lds:
  case IssueKind::ScalarMemory:
    return LdsReason::Data;
  default:
    return LdsReason::Uniform;
  }
}

std::vector<LdsAccess> GroupPrices::find() {
  Prices prices;
  if (!followAll(prices)) {
    // Every access counts, and none is known.
    prices.clear();
    for (const auto &[address, row] : rows)
      if (usesBanks(*row)) {
        LdsAccess &access =
            prices.emplace(address, accessOf(*row)).first->second;
        access.certainty = LdsCertainty::Unknown;
        access.reason = LdsReason::NotFollowed;
      }
  }
  // What no data decides may be known trip by trip.
  bool wantsTrips = false;
  for (auto &[address, access] : prices) {
    access.reason = reasonOf(access);
    wantsTrips |= access.certainty == LdsCertainty::Unknown &&
                  access.reason == LdsReason::Uniform;
  }
  Prices walked;
  if (wantsTrips && walkAll(walked))
    for (auto &[address, access] : prices) {
      auto exact = walked.find(address);
      if (access.certainty != LdsCertainty::Unknown || exact == walked.end())
        continue;
      access = exact->second;
      access.reason = reasonOf(access);
    }
  std::vector<LdsAccess> result;
  for (const auto &[address, access] : prices)
    result.push_back(access);
  return result;
}

} // namespace

std::vector<LdsAccess> tlc::sim::predictLds(const CodeObject &object,
                                            const KernelInfo &kernel,
                                            const uint32_t block[3]) {
  return GroupPrices(object, kernel, block).find();
}
