//===- EventWheel.h - When a SIMD is to be looked at ------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A queue of (time, compute unit) in the order of time, then of number. Nearly
// all times lie close ahead: a ring holds a set of compute units for each of
// the next cycles, a heap what lies further. A SIMD has its own of every four
// cycles, so the time tells which of a compute unit's SIMDs is meant.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_TIMING_EVENTWHEEL_H
#define TLC_LIB_SIMULATOR_TIMING_EVENTWHEEL_H

#include <bit>
#include <cstddef>
#include <cstdint>
#include <queue>
#include <vector>

namespace tlc::sim {

class EventWheel {
public:
  explicit EventWheel(unsigned cus)
      : words((cus + 63) / 64), sets(std::size_t(cycles) * words),
        filled(cycles / 64) {}

  /// Not earlier than what `pop` has given last; the same twice counts once.
  void push(uint64_t time, unsigned cu) {
    if (time < now + cycles)
      add(time, cu);
    else
      far.push({time, cu});
  }

  /// The next time at which there are any, or the greatest number.
  uint64_t next() const {
    for (uint64_t steps = 0; steps <= cycles / 64; ++steps) {
      uint64_t from = now + steps * 64;
      if (steps)
        from -= from % 64;
      uint64_t bits = filled[from % cycles / 64] >> from % 64;
      if (uint64_t time = from + std::countr_zero(bits);
          bits && time < now + cycles)
        return time;
    }
    return far.empty() ? ~uint64_t(0) : far.top().first;
  }

  /// All of the next time at which there are any, by number; false if there are
  /// none before \p end. Until the next call nothing may be pushed for that
  /// time.
  bool pop(uint64_t &time, std::vector<unsigned> &cus, uint64_t end) {
    if (end != ~uint64_t(0) && next() >= end)
      return false;
    while (!findSlot()) {
      if (far.empty())
        return false;
      now = far.top().first;
      comeNear();
    }
    time = now;
    cus.clear();
    uint64_t slot = now % cycles, *set = &sets[slot * words];
    for (unsigned word = 0; word < words; ++word)
      for (; set[word]; set[word] &= set[word] - 1)
        cus.push_back(word * 64 + std::countr_zero(set[word]));
    filled[slot / 64] &= ~(uint64_t(1) << slot % 64);
    return true;
  }

private:
  static constexpr uint64_t cycles = 2048;

  void add(uint64_t time, unsigned cu) {
    uint64_t slot = time % cycles;
    sets[slot * words + cu / 64] |= uint64_t(1) << cu % 64;
    filled[slot / 64] |= uint64_t(1) << slot % 64;
  }
  void comeNear() {
    while (!far.empty() && far.top().first < now + cycles) {
      add(far.top().first, far.top().second);
      far.pop();
    }
  }
  /// Goes on to the first slot that holds anything.
  bool findSlot() {
    for (uint64_t steps = 0; steps <= cycles / 64; ++steps) {
      uint64_t from = now + steps * 64;
      if (steps)
        from -= from % 64;
      uint64_t bits = filled[from % cycles / 64] >> from % 64;
      if (!bits)
        continue;
      uint64_t next = from + std::countr_zero(bits);
      if (next >= now + cycles)
        continue;
      now = next;
      comeNear();
      return true;
    }
    return false;
  }

  using Event = std::pair<uint64_t, unsigned>;
  unsigned words;
  uint64_t now = 0;
  std::vector<uint64_t> sets, filled;
  std::priority_queue<Event, std::vector<Event>, std::greater<Event>> far;
};

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_TIMING_EVENTWHEEL_H
