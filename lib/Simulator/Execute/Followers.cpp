//===- Followers.cpp - Workgroups of the XCDs that are not replayed -------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Followers.h"

#include <algorithm>

using namespace tlc::sim;

/// Of all that a launch may touch.
std::vector<BroughtLines::Range> tlc::sim::linesOf(const DeviceMemory &memory) {
  std::vector<BroughtLines::Range> ranges;
  for (const Allocation *each : memory.live())
    ranges.push_back(
        {each->base / param::lineBytes,
         (each->base + each->size + param::lineBytes - 1) / param::lineBytes});
  return ranges;
}

std::unique_ptr<GroupState> StatePool::take() {
  std::lock_guard lock(mutex);
  if (spare.empty())
    return std::make_unique<GroupState>(context);
  std::unique_ptr<GroupState> state = std::move(spare.back());
  spare.pop_back();
  return state;
}

void Followers::begin(uint64_t id, unsigned waveCount, uint64_t workgroups) {
  waves.assign(waveCount, OfWave());
  uint64_t first = id - id % param::xcds;
  unsigned count =
      unsigned(std::min<uint64_t>(param::xcds, workgroups - first)) - 1;
  while (followers.size() < count)
    followers.emplace_back();
  while (followers.size() > count)
    followers.pop_back();
  uint64_t hash = (id + 1) * 0x9e3779b97f4a7c15;
  ahead = unsigned((hash >> 32) % (count + 1));
  for (unsigned i = 0; i < count; ++i) {
    Follower &follower = followers[i];
    uint64_t other = first + (i + (hash >> 48)) % count;
    follower.state = states.take();
    follower.state->begin(other + (other >= id));
    follower.waveCount = follower.state->group().waveCount;
    follower.watch.begin(follower.waveCount);
    follower.state->watchBy(code, follower.watch);
    follower.status = GroupStatus::Paused;
  }
}

void Followers::run(Follower &follower) {
  if (follower.status != GroupStatus::Paused ||
      follower.state->recordedEnough())
    return;
  follower.status = follower.state->run();
  if (follower.status == GroupStatus::Faulted)
    fault = &follower.state->group();
  else if (follower.status == GroupStatus::Done)
    states.giveBack(std::move(follower.state));
}

/// Calls `visit` for operations from a place in a record on, until it says that
/// it is enough before one; the place is moved there.
template <typename F>
static void walk(const CodeTable &code, const WaveRecord &record, size_t &at,
                 F &&visit) {
  while (at < record.words.size()) {
    const uint32_t *words = record.words.data() + at;
    const StaticOp &op = code.at(*words);
    if (!visit(op, words + 1))
      return;
    at += recordedWords(op, words);
  }
}

void Followers::runOn(const GroupRecord &record, bool isDone) {
  for (unsigned w = 0; w < waves.size(); ++w)
    walk(code, record.waves[w], waves[w].counted,
         [&](const StaticOp &op, const uint32_t *) {
           waves[w].recorded += op.payload == Payload::Vector;
           return true;
         });
  for (Follower &follower : followers) {
    for (unsigned w = 0; w < follower.waveCount; ++w)
      follower.watch.want(
          w, isDone ? ~uint64_t(0)
                    : waves[std::min<size_t>(w, waves.size() - 1)].recorded);
    run(follower);
  }
}

void Followers::notePassed(const GroupRecord &record) {
  for (unsigned w = 0; w < waves.size(); ++w) {
    OfWave &wave = waves[w];
    size_t head = record.waves[w].head;
    // What it has asked for since it was last looked at.
    walk(code, record.waves[w], wave.seen,
         [&](const StaticOp &op, const uint32_t *) {
           if (wave.seen >= head)
             return false;
           wave.due += op.payload == Payload::Vector;
           return true;
         });
    wave.counted -= head;
    wave.seen -= head;
  }
}

/// Up to so many operations.
void Followers::comeTo(Follower &follower, unsigned wave, uint64_t operations) {
  if (wave < follower.waveCount)
    follower.watch.take(wave, operations, [&](uint64_t line) {
      if (uint32_t number = numberOf(line); number != BroughtLines::none)
        lines.come(number);
    });
}

void Followers::comeTo(unsigned wave, const StaticOp &op,
                       const uint32_t *payload) {
  uint64_t due = ++waves[wave].due;
  for (unsigned i = 0; i < ahead; ++i)
    comeTo(followers[i], wave, due);
  forEachLineOf(op, payload, [&](uint64_t line) {
    if (uint32_t number = numberOf(line); number != BroughtLines::none)
      lines.expect(number);
  });
  for (unsigned i = ahead; i < followers.size(); ++i)
    comeTo(followers[i], wave, due);
}

void Followers::come(const GroupRecord &record) {
  for (unsigned w = 0; w < waves.size(); ++w) {
    const WaveRecord &each = record.waves[w];
    OfWave &wave = waves[w];
    while (wave.seen <= each.head && wave.seen < each.words.size()) {
      bool any = false;
      walk(code, each, wave.seen,
           [&](const StaticOp &op, const uint32_t *payload) {
             bool waits = op.special == Special::WaitCnt
                              ? op.waitVector != StaticOp::anyNumber
                              : op.special == Special::Barrier;
             if (any && waits)
               return false;
             if (op.payload == Payload::Vector) {
               any = true;
               comeTo(w, op, payload);
             }
             return true;
           });
    }
  }
}

void Followers::end() {
  for (Follower &follower : followers) {
    for (unsigned w = 0; w < follower.waveCount; ++w)
      comeTo(follower, w, ~uint64_t(0));
    if (follower.state && follower.status != GroupStatus::Faulted)
      states.giveBack(std::move(follower.state));
  }
}

void Followers::globalTurns() {
  for (Follower &follower : followers) {
    if (follower.status != GroupStatus::Waiting)
      continue;
    follower.state->globalTurn();
    follower.status = GroupStatus::Paused;
    if (follower.state->group().fault.kind) {
      follower.status = GroupStatus::Faulted;
      fault = &follower.state->group();
    }
  }
}
