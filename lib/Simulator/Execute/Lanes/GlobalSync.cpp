//===- GlobalSync.cpp - Counters of the whole grid ------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ds_gws_*: barriers and semaphores among all wavefronts of a launch, by which
// the device library synchronises a grid. M0 and the offset name the counter.
// A barrier's data is the counter's next value, the number of arrivals but one;
// before its first round, where a driver would have set it, it is the same.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "MemoryAccess.h"

namespace tlc::sim::TLC_SIM_ISA {
namespace {

GlobalSync::Resource &resourceOf(const Wave &w, const Op &op) {
  u32 id = (w.sgpr[ScalarReg::M0] >> 16 & 63) + u32(op.inst->offset);
  return w.group->sync->resources[id % GlobalSync::count];
}
/// The data of the lowest active lane.
u32 dataOf(Wave &w, const Op &op) {
  u64 exec = w.exec();
  return registers(w, op.src[1])[exec ? __builtin_ctzll(exec) : 0];
}
/// Stays at this instruction until its turn comes again.
void waitOn(Wave &w, const Op &op) {
  w.syncWaiting = true;
  w.pc = &op;
  w.stop(WaveStatus::Global);
}

/// Each turn of a waiting wavefront looks whether the round has ended; the last
/// arrival ends it and goes on at once.
void barrier(Wave &w, const Op &op) {
  if (awaitTurn(w, op))
    return;
  GlobalSync::Resource &r = resourceOf(w, op);
  if (w.syncWaiting) {
    if (r.round == w.syncRound)
      return waitOn(w, op);
    w.syncWaiting = false;
    return;
  }
  u32 next = dataOf(w, op);
  if (!r.ready)
    r.counter = next;
  r.ready = true;
  if (r.counter == 0) {
    r.counter = next;
    ++r.round;
    return;
  }
  --r.counter;
  w.syncRound = r.round;
  waitOn(w, op);
}

void initialise(Wave &w, const Op &op) {
  if (awaitTurn(w, op))
    return;
  GlobalSync::Resource &r = resourceOf(w, op);
  r.counter = dataOf(w, op);
  r.ready = true;
}
void raiseSemaphore(Wave &w, const Op &op) {
  if (!awaitTurn(w, op))
    ++resourceOf(w, op).counter;
}
void raiseByData(Wave &w, const Op &op) {
  if (!awaitTurn(w, op))
    resourceOf(w, op).counter += dataOf(w, op);
}
void takeSemaphore(Wave &w, const Op &op) {
  if (awaitTurn(w, op))
    return;
  GlobalSync::Resource &r = resourceOf(w, op);
  if (r.counter == 0) {
    r.round += !w.syncWaiting;
    return waitOn(w, op);
  }
  r.round -= w.syncWaiting;
  w.syncWaiting = false;
  --r.counter;
}
/// Whoever waits goes on, nobody else.
void releaseAll(Wave &w, const Op &op) {
  if (awaitTurn(w, op))
    return;
  GlobalSync::Resource &r = resourceOf(w, op);
  r.counter = r.round;
}

using O = Opcode;
constexpr Handler rows[] = {
    {O::ds_gws_init, initialise},
    {O::ds_gws_barrier, barrier},
    {O::ds_gws_sema_v, raiseSemaphore},
    {O::ds_gws_sema_br, raiseByData},
    {O::ds_gws_sema_p, takeSemaphore},
    {O::ds_gws_sema_release_all, releaseAll},
};

} // namespace

Family globalSyncFamily() { return family(rows); }

} // namespace tlc::sim::TLC_SIM_ISA
