//===- MemoryIssue.cpp - LDS and memory instructions ----------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an instruction that moves data starts: it passes through one unit after
// the other, each busy for a time with what came before. The answer is when its
// data is there.
//
//===----------------------------------------------------------------------===//

#include "MachineImpl.h"

#include <algorithm>

using namespace tlc::sim;
using namespace tlc::sim::param;

/// Lines that are brought into the host's caches before they are looked up.
static constexpr unsigned fetchDistance = 6;

static void countLds(InstructionTiming &timing, const tlc::LdsCycles &cycles) {
  timing.busyCycles += cycles.base;
  timing.conflictCycles += cycles.conflicts;
  timing.addressConflictCycles += cycles.addressConflicts;
}

/// Three servers one after the other: the port of the SIMD's pair, the banks,
/// the way out. Returns when the data is there.
uint64_t Machine::Impl::issueLds(SimWave &wave, ComputeUnit &cu,
                                 Counters &count, uint64_t time) {
  const StaticOp &op = *wave.op;
  const tlc::LdsCycles cycles = unpackLds(wave.ldsCycles);
  unsigned pair = wave.simd / 2;
  // Into the LDS, through its banks, and out again.
  uint64_t begin = std::max(cu.ldsIn[pair], time), in = begin + op.ldsIn;
  cu.ldsIn[pair] = in;
  uint64_t array = std::max(cu.ldsArray, begin + ldsAddressCycles) +
                   cycles.base + cycles.conflicts;
  cu.ldsArray = array;
  uint64_t done = std::max(array, in) + ldsFixedCycles;
  if (op.ldsOut) {
    done = std::max(done, cu.ldsOut[pair]) + op.ldsOut;
    cu.ldsOut[pair] = done;
  }
  uint64_t queue = ldsFixedCycles + ldsQueueCycles;
  cu.ldsOpen[pair] = std::max(in, std::max(cu.ldsOut[pair], queue) - queue);
  countLds(count.timing, cycles);
  // In order, among LDS operations.
  uint64_t newest = wave.other.newest();
  if (newest >= pendingOps) [[unlikely]]
    return pend(wave, count, {.time = time, .known = exactly(done)}, false);
  uint64_t until = std::max(done, newest);
  wave.other.push(until, false);
  count.timing.latencyCycles += until - time;
  return until;
}

/// A store that memory takes late holds up the address unit; it knows so when
/// the store could have been acknowledged, not before.
void Machine::Impl::noteStore(ComputeUnit &cu, uint64_t time, double done) {
  double until = done - storeQueueCycles;
  if (until > cu.addressFree)
    cu.lateStores.push_back({time + l2Latency, until});
}

/// Those that the address unit knows of by \p time.
void Machine::Impl::noteLateStores(ComputeUnit &cu, uint64_t time) {
  size_t count = 0;
  while (count < cu.lateStores.size() && cu.lateStores[count].known <= time)
    cu.addressFree = std::max(cu.addressFree, cu.lateStores[count++].until);
  if (!count)
    return;
  cu.lateStores.erase(cu.lateStores.begin(), cu.lateStores.begin() + count);
  cu.addressOpen = roundUp(std::max(0.0, cu.addressFree - addressQueueCycles));
}

/// An operation in flight that ends when requests have been served, or no
/// sooner than an older one that does.
uint64_t Machine::Impl::pend(SimWave &wave, Counters &count, PendingOp op,
                             bool isScalar) {
  uint64_t newest = 0;
  if (!isScalar) // scalar loads come in any order
    newest = op.isVector ? wave.vector.newest() : wave.other.newest();
  op.own = op.known;
  if (newest < pendingOps)
    op.known = std::max(op.known, double(newest));
  else
    op.after = uint32_t(newest - pendingOps);
  op.wave = &wave;
  op.timing = &count.timing;
  uint64_t number = pendingOps + pending.size();
  op.slot = uint8_t(op.isVector ? wave.vector.push(number, isScalar)
                                : wave.other.push(number, isScalar));
  pending.push_back(op);
  // Others of its compute unit may have to wait for it, so none is to get
  // further than the time at which it can be there.
  holdUnit(cus[wave.group->cu], windowEnd);
  return unknown;
}

/// The address unit sends a line to memory as it has worked it out, so that the
/// lines of one access start in steps. Returns when the last one is there.
uint64_t Machine::Impl::issueVector(SimWave &wave, unsigned cuNumber,
                                    Counters &count, uint64_t time) {
  const StaticOp &op = *wave.op;
  ComputeUnit &cu = cus[cuNumber];
  InstructionTiming &timing = count.timing;
  const uint32_t *words = payloadOf(wave);
  unsigned lines = words[0] & 0xffff, addressCycles = words[0] >> 16;
  uint64_t base = words[3] | uint64_t(words[4]) << 32;
  if (!cu.lateStores.empty())
    noteLateStores(cu, time);
  double start = std::max(cu.addressFree, exactly(time));
  cu.addressFree = start + addressCycles;
  double done = start + addressCycles;
  double step = lines ? double(addressCycles) / lines : 0;
  uint64_t physical[2 * waveLanes];
  bool mayBeInL1 = !op.isStore && !op.isAtomic && !op.bypassesL1;
  // Most are in L1, and that one is small.
  bool isNear =
      mayBeInL1 && timing.memory.l1Hits * 8 > timing.memory.l1Lines * 7;
  unsigned inSet[l1Sets] = {};
  for (unsigned i = 0; i < lines; ++i) {
    physical[i] = memory.physical(base + (words[5 + i] & 0x3fffffff));
    ++inSet[physical[i] % l1Sets];
  }
  timing.setLines += l1Sets * *std::max_element(inSet, inSet + l1Sets);
  unsigned bytes = words[1] & 0xffff;
  unsigned operations =
      lines ? std::max(1u, std::max(addressCycles, words[1] >> 16) / lines) : 0;
  uint32_t firstRequest = uint32_t(waitedFor.size());
  auto fetchLine = [&](unsigned i) {
    if (i < lines && !isNear)
      memory.fetchLevels(cuNumber, physical[i], mayBeInL1);
  };
  for (unsigned i = 0; i < fetchDistance; ++i)
    fetchLine(i);
  for (unsigned i = 0; i < lines; ++i) {
    fetchLine(i + fetchDistance);
    uint64_t line = physical[i];
    unsigned halves = words[5 + i] >> 30;
    // Lines start one after the other, evenly over the address unit's time.
    double at = start + i * step, ready;
    if (op.isAtomic)
      ready = memory.atomic(cuNumber, line, operations, at, timing.memory);
    else if (op.isStore)
      ready = memory.store(cuNumber, line, halves, at, timing.memory);
    else
      ready =
          memory.load(cuNumber, line, halves, at, op.bypassesL1, timing.memory);
    if (isPending(ready)) {
      waitedFor.push_back(uint32_t(requestOf(ready)));
      ready = at + l1Latency; // no sooner, wherever it is
    }
    done = std::max(done, ready);
  }
  uint32_t endRequest = uint32_t(waitedFor.size());
  double linesDone = done;
  // Stores that memory does not take yet fill the way to it.
  if (op.isStore && firstRequest == endRequest)
    noteStore(cu, time, done);
  cu.addressOpen = roundUp(std::max(0.0, cu.addressFree - addressQueueCycles));
  if (op.isStore || op.isAtomic)
    timing.memory.storedBytes += bytes;
  else
    timing.memory.requestedBytes += bytes;
  if (tlc::LdsCycles lds = unpackLds(words[2] >> 8); lds.base) {
    cu.ldsArray = std::max(cu.ldsArray, time + ldsAddressCycles) + lds.base +
                  lds.conflicts;
    done = std::max(done, exactly(cu.ldsArray + ldsFixedCycles));
    countLds(timing, lds);
  }
  if (op.toLds && lines) {
    // 64 dwords through the banks, when the data is there.
    timing.busyCycles += 2;
    cu.ldsArray = std::max(cu.ldsArray, time) + 2;
  }
  cu.askedLately += lines;
  timing.addressCycles += addressCycles;
  timing.lines += lines;
  timing.leastLines += words[2] & 0xff;
  // vmcnt counts down in order, so no operation ends before an older one.
  uint64_t newest = wave.vector.newest();
  if (firstRequest != endRequest || newest >= pendingOps)
    return pend(wave, count,
                {.time = time,
                 .known = done,
                 .lines = linesDone,
                 .firstRequest = firstRequest,
                 .endRequest = endRequest,
                 .isVector = true,
                 .isStore = op.isStore},
                false);
  uint64_t own = roundUp(done), until = std::max(own, newest);
  wave.vector.push(until, false);
  timing.latencyCycles += until - time;
  timing.orderCycles += until - own;
  return until;
}

/// A line a cycle; results come in any order, so nothing waits for older ones.
uint64_t Machine::Impl::issueScalar(SimWave &wave, unsigned cuNumber,
                                    Counters &count, uint64_t time) {
  const uint32_t *words = payloadOf(wave);
  uint64_t first = words[1] | uint64_t(words[2]) << 32;
  uint32_t firstRequest = uint32_t(waitedFor.size());
  double done = exactly(time) + scalarLatency;
  for (unsigned i = 0; i < words[0]; ++i) {
    double ready = memory.scalar(cuNumber, first + i, exactly(time) + i,
                                 count.timing.memory);
    if (isPending(ready)) {
      waitedFor.push_back(uint32_t(requestOf(ready)));
      ready = exactly(time) + i + scalarLatency;
    }
    done = std::max(done, ready);
  }
  uint32_t endRequest = uint32_t(waitedFor.size());
  if (firstRequest != endRequest)
    return pend(wave, count,
                {.time = time,
                 .known = done,
                 .firstRequest = firstRequest,
                 .endRequest = endRequest},
                true);
  uint64_t until = roundUp(done);
  wave.other.push(until, true);
  count.timing.latencyCycles += until - time;
  return until;
}
