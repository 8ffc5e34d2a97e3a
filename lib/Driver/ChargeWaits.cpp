//===- ChargeWaits.cpp - Who is to blame for a wait -----------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cycles in an s_waitcnt are charged to the load it waits for
// (WaitTargets.cpp), and if that has been there for long, to the access before
// it that was not: vmcnt counts down in order, so a load behind a slow atomic
// waits for both. Cycles in an s_barrier are charged to the code between it and
// the barriers before, where those wavefronts were that came last; if that did
// nothing but get to the barrier, it is too many barriers, and the time stays.
// A wait for LDS writes in front of a barrier is the barrier's: nothing else
// needs them done.
//
//   code[0x40].stalls[Lds] = 900     s_waitcnt lgkmcnt(0) at 0x40
//   targets.lds[0x40] = 0x20         ds_read_b128 at 0x20
//   ->  the line of the ds_read gets the 900 cycles in `caused`
//
//===----------------------------------------------------------------------===//

#include "FromTiming.h"
#include "tlc/Simulator/Decode/Instruction.h"

#include <algorithm>
#include <map>

using namespace tlc;
using namespace tlc::report;

namespace {

class Charge {
public:
  Charge(KernelReport &report, const DecodedCode &code)
      : report(report), code(code), targets(findWaitTargets(code)) {}

  void run() {
    for (CodeLine &line : report.code)
      line.caused = line.stalls;
    for (size_t i = 0; i < report.code.size(); ++i) {
      memory(i);
      if (size_t barrier = barrierBehind(i);
          isLdsWrite(targets.lds[i]) && barrier < report.code.size())
        moveToBarrier(i, barrier);
      else
        move(i, targets.lds[i], Stall::Lds);
      move(i, targets.scalar[i], Stall::ScalarMemory);
    }
    barriers();
  }

private:
  /// An index beyond the code stands for "nothing to charge".
  void move(size_t from, size_t to, Stall stall) {
    if (to < report.code.size())
      move(from, to, stall, report.code[from].stalls[unsigned(stall)]);
  }
  void move(size_t from, size_t to, Stall stall, double cycles) {
    report.code[from].caused[unsigned(stall)] -= cycles;
    report.code[to].caused[unsigned(stall)] += cycles;
  }
  /// Another cause as well, for time in which the wavefront only waits to get
  /// to a barrier.
  void moveToBarrier(size_t from, size_t barrier) {
    double cycles = report.code[from].stalls[unsigned(Stall::Lds)];
    report.code[from].caused[unsigned(Stall::Lds)] -= cycles;
    report.code[barrier].caused[unsigned(Stall::Barrier)] += cycles;
  }
  bool isLdsWrite(size_t at) const {
    return at < code.instructions.size() &&
           code.instructions[at].encoding == sim::Encoding::DS &&
           code.instructions[at].has(sim::flag::Store);
  }
  size_t barrierBehind(size_t wait) const;
  void memory(size_t wait);
  void barriers();
  void findWays();
  std::vector<size_t> sinceBarrier(size_t barrier) const;

  KernelReport &report;
  const DecodedCode &code;
  WaitTargets targets;
  std::vector<std::vector<size_t>> ways; ///< instructions that may come before
};

/// The barrier that follows a wait with nothing but other waits between; beyond
/// the code if there is none.
size_t Charge::barrierBehind(size_t wait) const {
  for (size_t i = wait + 1; i < code.instructions.size(); ++i) {
    sim::Opcode op = code.instructions[i].op;
    if (op == sim::Opcode::s_barrier)
      return i;
    if (op != sim::Opcode::s_waitcnt && op != sim::Opcode::s_nop)
      break;
  }
  return code.instructions.size();
}

/// What the access had to wait for older ones is theirs.
void Charge::memory(size_t wait) {
  double cycles = report.code[wait].stalls[unsigned(Stall::VectorMemory)];
  size_t at = targets.memory[wait];
  // Around a loop the chain of older ones may come back; what is left after
  // some of them is little.
  for (unsigned steps = 0; at < report.code.size() && cycles > 0 && steps < 64;
       ++steps) {
    const CodeLine &line = report.code[at];
    size_t older = targets.before[at];
    double theirs =
        line.latency > 0 && older < report.code.size()
            ? cycles * std::min(1.0, line.orderLatency / line.latency)
            : 0;
    move(wait, at, Stall::VectorMemory, cycles - theirs);
    cycles = theirs;
    at = older;
  }
}

/// For each instruction those that control may come from.
void Charge::findWays() {
  ways.resize(code.addresses.size());
  std::map<uint64_t, size_t> indexOf;
  for (size_t i = 0; i < code.addresses.size(); ++i)
    indexOf[code.addresses[i]] = i;
  for (size_t i = 0; i < code.addresses.size(); ++i) {
    const sim::Instruction &inst = code.instructions[i];
    if (sim::opcodeInfo(inst.op).constant == sim::ConstantKind::Branch)
      if (auto to = indexOf.find(inst.branchTarget(code.addresses[i]));
          to != indexOf.end())
        ways[to->second].push_back(i);
    bool falls = inst.op != sim::Opcode::s_branch &&
                 inst.op != sim::Opcode::s_setpc_b64 &&
                 !inst.has(sim::flag::EndsProgram);
    if (falls && i + 1 < code.addresses.size())
      ways[i + 1].push_back(i);
  }
}

/// What has been executed on the ways to a barrier since the last one.
std::vector<size_t> Charge::sinceBarrier(size_t barrier) const {
  std::vector<size_t> found, pending = ways[barrier];
  std::vector<bool> seen(code.addresses.size());
  while (!pending.empty()) {
    size_t i = pending.back();
    pending.pop_back();
    if (seen[i] || report.code[i].executed <= 0)
      continue;
    seen[i] = true;
    if (code.instructions[i].op == sim::Opcode::s_barrier)
      continue;
    found.push_back(i);
    pending.insert(pending.end(), ways[i].begin(), ways[i].end());
  }
  return found;
}

/// By the time that was spent in each of them, its waits included. Code that
/// issues a few scalar instructions and waits for nothing is no work.
void Charge::barriers() {
  findWays();
  std::vector<double> spent;
  for (const CodeLine &line : report.code)
    spent.push_back(line.cycles() - line.caused[unsigned(Stall::Barrier)]);
  for (size_t i = 0; i < report.code.size(); ++i) {
    double cycles = report.code[i].stalls[unsigned(Stall::Barrier)];
    if (cycles <= 0)
      continue;
    std::vector<size_t> region = sinceBarrier(i);
    double all = 0;
    bool works = false;
    for (size_t at : region) {
      all += spent[at];
      works |= report.code[at].unit != CodeLine::Unit::Scalar;
    }
    if (all <= 0 || !works)
      continue;
    for (size_t at : region)
      move(i, at, Stall::Barrier, cycles * spent[at] / all);
  }
}

} // namespace

void tlc::chargeWaits(KernelReport &report, const DecodedCode &code) {
  Charge(report, code).run();
}
