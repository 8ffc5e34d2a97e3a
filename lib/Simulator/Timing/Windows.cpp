//===- Windows.cpp - XCDs side by side ------------------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// XCDs meet in what lies behind L2 and nowhere else, and nothing that a compute
// unit asks of L2 is there sooner than L2's latency. So each XCD, a task for
// the host's threads, takes its turns of a window of so many cycles by itself.
// Its requests wait; at the window's end they are served one after the other,
// in the order of cycle and XCD, as if all turns had come from one queue. What
// was waited for is then known.
//
//   cycles 20000 to 20207   XCD 0: turns, requests at 20000, 20003, ...
//                           XCD 1: turns, requests at 20002, ...
//   serve                   20000 of 0, 20002 of 1, 20003 of 0, ...
//   cycles 20208 to ...     times get known; turns
//
// Within an XCD it is the same for compute units: all of one's turns of the
// window follow one another, so that its state stays in the host's caches, and
// the requests are sorted. Where a workgroup ends another one may start
// anywhere, so such turns come in the order of time, and so do all of them
// where workgroups may see what others write.
//
// Everything is in the order of a single queue, and windows do not depend on
// the number of threads. One thing cannot be known within a window: that memory
// takes a store late holds up the address unit from the latency of L2 on. A
// window begins with the first turn or answer there is: where all wait, time is
// skipped.
//
// The words of what a window replays are recorded before it, on all threads.
// Where they do not last, the XCD has its workgroup run on; where that cannot
// get on without others, the XCD stops before the cycle in question and goes on
// when all have come to the window's end and others have run.
//
//===----------------------------------------------------------------------===//

#include "MachineImpl.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <numeric>

using namespace tlc::sim;
using namespace tlc::sim::param;

/// What lasts a wavefront for a window, mostly.
static constexpr size_t windowWords = 512;
/// Instructions in a window below which threads would cost more than they
/// bring.
static constexpr uint64_t fewInstructions = 3000;

void Machine::Impl::defer() {
  defers = true;
  isByUnit = !options.inOrder;
  if (isByUnit)
    nextTurn.assign(cus.size(), never);
  lowWords = windowWords;
  memory.defer();
}

uint64_t Machine::Impl::nextTime() const {
  uint64_t next = isByUnit ? firstTurn : events.next();
  return memory.requestCount() ? std::min(next, uint64_t(memory.soonest()))
                               : next;
}

/// Its record has been read, and its workgroup cannot go on by itself.
void Machine::Impl::hold(SimWave &wave) {
  wave.earliest = unknown;
  held.push_back(&wave);
  uint64_t from = std::max(wave.next, now + issuePeriod);
  limit = std::min(limit, from);
  holdUnit(cus[wave.group->cu], from);
}

void Machine::Impl::noteLow(SimGroup &group) {
  if (group.isLow)
    return;
  group.isLow = true;
  low.push_back(&group);
}

/// Those held go on, with words or as starved. False after a fault.
bool Machine::Impl::serviceHeld() {
  std::vector<SimWave *> waves;
  waves.swap(held);
  limit = never;
  serviced = true;
  for (SimWave *wave : waves) {
    SimGroup &group = *wave->group;
    cus[group.cu].holdFrom = windowEnd;
    if (!wave->record->left() && !source.refill(*group.record))
      return false;
    if (!prepare(*wave))
      return false;
    cus[group.cu].simds[wave->simd].placeOf(*wave).update();
    schedule(group.cu, wave->simd, std::max(wave->earliest, now + issuePeriod));
  }
  serviced = false;
  return true;
}

/// All requests have been served.
void Machine::Impl::settle() {
  // The host's caches have mostly lost what this touches.
  constexpr size_t distance = 8;
  for (size_t i = 0; i < pending.size(); ++i) {
    if (i + distance < pending.size()) {
      const PendingOp &later = pending[i + distance];
      __builtin_prefetch(&later.wave->vector, 1);
      __builtin_prefetch(later.wave, 1);
    }
    PendingOp &op = pending[i];
    double lines = op.lines;
    for (uint32_t r = op.firstRequest; r < op.endRequest; ++r)
      lines = std::max(lines, memory.readyAt(waitedFor[r]));
    op.until = roundUp(std::max(op.known, lines));
    if (op.after != PendingOp::none)
      op.until = std::max(op.until, pending[op.after].until);
    op.timing->latencyCycles += op.until - op.time;
    if (op.isVector)
      op.timing->orderCycles +=
          op.until - std::min(op.until, roundUp(std::max(op.own, lines)));
    SimWave &wave = *op.wave;
    if (op.isVector)
      wave.vector.set(op.slot, op.until);
    else
      wave.other.set(op.slot, op.until);
    // Its stores were on their way when it ended.
    if (wave.done && op.isVector)
      lastEnd = std::max(lastEnd, op.until);
    if (op.isStore && op.firstRequest != op.endRequest)
      noteStore(cus[wave.group->cu], op.time, lines);
    if (op.event != PendingOp::none)
      wave.trace->events[op.event].end = op.until;
  }
  pending.clear();
  waitedFor.clear();
  memory.settle();
  for (ComputeUnit *unit : heldUnits)
    unit->holdFrom = never;
  heldUnits.clear();
  for (size_t i = 0; i < waiting.size(); ++i) {
    if (i + distance < waiting.size())
      __builtin_prefetch(waiting[i + distance]);
    if (i + distance / 2 < waiting.size()) {
      const SimWave &later = *waiting[i + distance / 2];
      const char *at = reinterpret_cast<const char *>(
          &cus[later.group->cu].simds[later.simd]);
      for (size_t byte = 0; byte < sizeof(Simd); byte += 64)
        __builtin_prefetch(at + byte, 1);
    }
    SimWave &wave = *waiting[i];
    await(wave, wave);
    cus[wave.group->cu].simds[wave.simd].placeOf(wave).update();
    schedule(wave.group->cu, wave.simd, wave.earliest);
  }
  waiting.clear();
  for (auto &group : ended)
    spare.push_back(std::move(group));
  ended.clear();
}

/// Adds what another XCD has done.
void Machine::Impl::absorb(Impl &other) {
  for (size_t i = 0; i < counters.size(); ++i) {
    Counters &sum = counters[i];
    const Counters &more = other.counters[i];
    if (!more.issues)
      continue; // nothing is counted without
    sum.issues += more.issues;
    for (size_t c = 0; c < stallCauses; ++c)
      sum.stalls[c] += more.stalls[c];
    for (uint64_t InstructionTiming::*each :
         {&InstructionTiming::busyCycles, &InstructionTiming::conflictCycles,
          &InstructionTiming::addressConflictCycles,
          &InstructionTiming::latencyCycles, &InstructionTiming::orderCycles,
          &InstructionTiming::addressCycles, &InstructionTiming::lines,
          &InstructionTiming::leastLines, &InstructionTiming::setLines})
      sum.timing.*each += more.timing.*each;
    addTo(sum.timing.memory, more.timing.memory);
  }
  for (size_t i = 0; i < plainRuns.size(); ++i)
    plainRuns[i] += other.plainRuns[i];
  for (uint64_t TimingResult::*each :
       {&TimingResult::workingSimdCycles, &TimingResult::activeCuCycles,
        &TimingResult::activeSimdCycles, &TimingResult::waveCycles,
        &TimingResult::waves})
    totals.*each += other.totals.*each;
  unsigned firstCu = (other.firstXcd - firstXcd) * cusPerXcd;
  for (GroupTime &group : other.finished) {
    group.cu += firstCu;
    finished.push_back(group);
  }
  cus.insert(cus.end(), std::make_move_iterator(other.cus.begin()),
             std::make_move_iterator(other.cus.end()));
  std::move(other.traces.begin(), other.traces.end(),
            std::back_inserter(traces));
  traceTimes.insert(traceTimes.end(), other.traceTimes.begin(),
                    other.traceTimes.end());
  instructions += other.instructions;
  lastEnd = std::max(lastEnd, other.lastEnd);
  lastWaveEnd = std::max(lastWaveEnd, other.lastWaveEnd);
}

/// The first ones of all XCDs, as many as are wanted.
void Machine::Impl::sortTraces() {
  std::vector<size_t> order(traces.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return traceTimes[a] < traceTimes[b];
  });
  std::deque<WaveTrace> sorted;
  for (size_t i = 0; i < std::min<size_t>(order.size(), options.traceWaves);
       ++i)
    sorted.push_back(std::move(traces[order[i]]));
  traces = std::move(sorted);
}

namespace {

/// Requests of one XCD that its turns of one cycle have made.
struct Piece {
  uint64_t turn;
  unsigned xcd;
  uint32_t first, end;
};

} // namespace

/// In the order of cycle and XCD.
void Machine::serve(const std::vector<Impl *> &xcds) {
  struct Head {
    size_t next = 0, count = 0;
  };
  std::vector<Head> heads(xcds.size());
  std::vector<Piece> pieces;
  for (size_t x = 0; x < xcds.size(); ++x) {
    xcds[x]->memory.sortRequests();
    heads[x].count = xcds[x]->memory.requestCount();
  }
  for (;;) {
    uint64_t turn = never;
    size_t first = 0;
    for (size_t x = 0; x < xcds.size(); ++x)
      if (heads[x].next < heads[x].count)
        if (uint64_t own = xcds[x]->memory.turnOf(heads[x].next); own < turn) {
          turn = own;
          first = x;
        }
    if (turn == never)
      break;
    Head &head = heads[first];
    Piece piece{turn, unsigned(first), uint32_t(head.next), 0};
    while (head.next < head.count &&
           xcds[first]->memory.turnOf(head.next) == turn)
      ++head.next;
    piece.end = uint32_t(head.next);
    pieces.push_back(piece);
  }
  // A few requests ahead of the one that is served.
  constexpr unsigned distance = 8;
  size_t ahead = 0;
  uint32_t aheadAt = pieces.empty() ? 0 : pieces[0].first;
  auto fetchNext = [&] {
    if (ahead == pieces.size())
      return;
    xcds[pieces[ahead].xcd]->memory.fetchAheadOf(aheadAt);
    ++aheadAt;
    if (aheadAt < pieces[ahead].end)
      return;
    ++ahead;
    if (ahead < pieces.size())
      aheadAt = pieces[ahead].first;
  };
  for (unsigned i = 0; i < distance; ++i)
    fetchNext();
  for (const Piece &piece : pieces)
    for (uint32_t i = piece.first; i < piece.end; ++i) {
      fetchNext();
      xcds[piece.xcd]->memory.serve(i);
    }
}

/// Calls \p task for each XCD of \p some, on the host's threads where that
/// pays. False if one has said so.
bool Machine::forEachXcd(const std::vector<Impl *> &some, bool onThreads,
                         const std::function<bool(Impl &)> &task) {
  std::atomic<bool> ok{true};
  auto one = [&](uint64_t i) {
    if (!task(*some[i]))
      ok = false;
  };
  if (onThreads)
    source.forEach(some.size(), one);
  else
    for (size_t i = 0; i < some.size(); ++i)
      one(i);
  return ok;
}

/// Workgroups of which little is recorded run on. False after a fault.
bool Machine::runLow(const std::vector<SimGroup *> &low) {
  std::atomic<bool> ok{true};
  source.forEach(low.size(), [&](uint64_t i) {
    if (!source.runOn(*low[i]->record))
      ok = false;
  });
  return ok;
}

/// Runs to the end; false after a fault.
bool Machine::runWindows() {
  std::vector<Impl *> xcds{impl.get()}, some;
  for (auto &other : others)
    xcds.push_back(other.get());
  std::vector<SimGroup *> low;
  for (Impl *xcd : xcds) {
    xcd->defer();
    xcd->dispatchAll();
    low.insert(low.end(), xcd->placed.begin(), xcd->placed.end());
  }
  if (!runLow(low) ||
      !forEachXcd(xcds, true, [](Impl &xcd) { return xcd.startPlaced(); }))
    return false;
  uint64_t done = 0; // instructions
  bool onThreads = true;
  for (uint64_t end = 0;;) {
    // Those that found no words, until all have come to the window's end.
    for (;;) {
      some.clear();
      for (Impl *xcd : xcds)
        if (!xcd->held.empty())
          some.push_back(xcd);
      if (some.empty())
        break;
      for (Impl *xcd : some)
        if (!xcd->serviceHeld())
          return false;
      if (!forEachXcd(some, onThreads,
                      [&](Impl &xcd) { return xcd.advance(end, taken); }))
        return false;
    }
    serve(xcds);
    // The next window.
    uint64_t start = never, now = 0;
    low.clear();
    for (Impl *xcd : xcds) {
      start = std::min(start, xcd->nextTime());
      now += xcd->instructions;
      for (SimGroup *group : xcd->low) {
        if (!group->alive)
          continue;
        group->isLow = false;
        low.push_back(group);
      }
      xcd->low.clear();
    }
    if (start == never)
      break;
    onThreads = now - done >= fewInstructions;
    done = now;
    end = start + l2Latency;
    if (!runLow(low))
      return false;
    some.clear();
    for (Impl *xcd : xcds) {
      xcd->windowEnd = end;
      if (xcd->nextTime() < end || xcd->memory.requestCount())
        some.push_back(xcd);
    }
    if (!forEachXcd(some, onThreads, [&](Impl &xcd) {
          xcd.settle();
          return xcd.advance(end, taken);
        }))
      return false;
  }
  for (Impl *xcd : xcds)
    if (!xcd->isEmpty())
      return false; // stuck: a fault, or a wavefront that nobody can wake
  for (auto &other : others)
    impl->absorb(*other);
  // As one queue would have had them.
  std::stable_sort(
      impl->finished.begin(), impl->finished.end(),
      [](const GroupTime &a, const GroupTime &b) { return a.end < b.end; });
  impl->sortTraces();
  return true;
}
