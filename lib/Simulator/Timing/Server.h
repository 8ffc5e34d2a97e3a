//===- Server.h - A unit that is busy with each request ---------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What several units share gets requests out of order: one that has to queue
// for a link first asks before its time has come. Time is kept in slices, each
// with what of it is taken, so that the idle time before such a request serves
// those that come earlier.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_TIMING_SERVER_H
#define TLC_LIB_SIMULATOR_TIMING_SERVER_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tlc::sim {

class Server {
public:
  Server() : slices(count) {}

  /// When a request begins that comes at \p time and takes \p cycles, which are
  /// fewer than a slice has.
  double take(double time, double cycles) {
    uint64_t first = std::max(uint64_t(time / length), firstFree);
    uint64_t number = freeFrom(first);
    if (first == firstFree)
      firstFree = number;
    double begin = std::max(time, number * length + at(number).taken);
    last = std::max(last, begin + cycles);
    for (double left = cycles; left > 0; ++number) {
      double &taken = at(number).taken;
      double part = std::min(left, std::max(0.0, length - taken));
      taken += part;
      left -= part;
    }
    return begin;
  }
  /// Up to here there is no idle time.
  double backlog() const { return firstFree * length; }
  /// When the last request is done.
  double end() const { return last; }

private:
  static constexpr double length = 32; ///< cycles
  static constexpr uint64_t count = 1 << 14;
  struct Slice {
    uint64_t number = ~uint64_t(0);
    double taken = 0;
    uint64_t next = 0; ///< if it is full: all up to this one are
  };
  Slice &at(uint64_t number) {
    Slice &slice = slices[number % count];
    if (slice.number != number)
      slice = {number, 0, number + 1};
    return slice;
  }
  /// The first slice from \p number on that is not full. Those passed point
  /// there from now on: where many wait, a queue is long.
  uint64_t freeFrom(uint64_t number) {
    uint64_t end = number;
    while (at(end).taken >= length)
      end = at(end).next;
    while (number < end) {
      uint64_t next = at(number).next;
      at(number).next = end;
      number = next;
    }
    return end;
  }

  std::vector<Slice> slices;
  uint64_t firstFree = 0; ///< all before are full
  double last = 0;
};

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_TIMING_SERVER_H
