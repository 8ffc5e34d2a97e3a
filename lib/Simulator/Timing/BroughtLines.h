//===- BroughtLines.h - What other XCDs have brought ------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where one XCD runs in detail and the others are followed (Followers.h): when
// anybody last came to a line of memory. It is in the Infinity Cache from then
// on until as many other lines have been brought as that holds.
//
//   time       100      300      900     1,500
//   line 7     brought                   asked for: there, if fewer than
//   others              40,000   80,000  2,097,152 lines came in between
//
// Of a line that the XCD in detail is about to ask for, somebody brings it:
// that XCD itself, another one just before, or another one long ago.
//
// Times are kept in steps, so that a line takes four bytes.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_TIMING_BROUGHTLINES_H
#define TLC_LIB_SIMULATOR_TIMING_BROUGHTLINES_H

#include "Cache.h"
#include "tlc/Simulator/Timing/Parameters.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace tlc::sim {

class BroughtLines {
public:
  /// Lines of memory, [begin, end).
  struct Range {
    uint64_t begin, end;
  };
  static constexpr uint32_t none = ~uint32_t(0);
  static constexpr double stepCycles = 64;

  /// \p capacity: lines that the Infinity Cache holds.
  explicit BroughtLines(std::vector<Range> ranges,
                        uint64_t capacity = param::mallBytes /
                                            param::lineBytes);

  std::vector<Range> ranges() const { return {places.begin(), places.end()}; }
  /// The line's number here, `none` where it is in no range. Thread safe; \p
  /// range is where the last one was.
  uint32_t numberOf(uint64_t line, size_t &range) const {
    if (range >= places.size() || !places[range].holds(line))
      range = rangeOf(line);
    return range < places.size()
               ? uint32_t(places[range].first + line - places[range].begin)
               : none;
  }

  /// A new run begins, at time 0.
  void restart();
  /// Who moves the other XCDs on to a time; it calls `come`.
  void setMover(std::function<void()> mover) { move = std::move(mover); }
  void advance(double time) {
    if (time < nextTime)
      return;
    now = firstStep + uint32_t(time / stepCycles);
    nextTime = (std::floor(time / stepCycles) + 1) * stepCycles;
    broughtAt.resize(now - firstStep + 1, brought);
    if (move)
      move();
  }
  /// Another XCD comes to the line now, and brings it if it is not there.
  void come(uint32_t number) {
    uint32_t &mark = marks[number];
    if (!isThere(mark))
      bring(mark, byOther);
    else if (State state = State(mark & 3);
             state == before ||
             (state == byOther && now - stepOf(mark) >= fewSteps))
      mark = now << 2 | before;
  }
  /// The XCD in detail is about to come to it.
  void expect(uint32_t number) {
    uint32_t &mark = marks[number];
    if (!isThere(mark))
      bring(mark, byOwn);
    else if (mark == (now << 2 | byOther))
      mark = now << 2 | atOnce;
  }
  enum class Found : uint8_t {
    Not,    ///< nobody has brought it
    AtOnce, ///< another one, when this one wanted it as well
    Since,  ///< another one, of late
    Before, ///< it has been there
  };
  /// The XCD in detail comes to it. \p time: since when it has been brought.
  Found ask(uint32_t number, double &time) {
    uint32_t &mark = marks[number];
    if (!isThere(mark)) {
      bring(mark, before);
      return Found::Not;
    }
    State state = State(mark & 3);
    time = (double(stepOf(mark) - firstStep) + 0.5) * stepCycles;
    if (state != byOther || now - stepOf(mark) >= fewSteps)
      mark = now << 2 | before;
    return state == byOwn     ? Found::Not
           : state == atOnce  ? Found::AtOnce
           : state == byOther ? Found::Since
                              : Found::Before;
  }
  /// Lines brought from HBM.
  uint64_t count() const { return brought; }

private:
  /// In which a line is brought and its data comes: whoever comes to it then
  /// does not change its time.
  static constexpr uint32_t fewSteps = 32;
  /// In the lowest bits of a mark.
  enum State : uint32_t { before, byOther, byOwn, atOnce };
  struct Place : Range {
    uint64_t first; ///< number
    bool holds(uint64_t line) const { return line - begin < end - begin; }
  };

  size_t rangeOf(uint64_t line) const;
  static uint32_t stepOf(uint32_t mark) { return mark >> 2; }
  void bring(uint32_t &mark, State state) {
    ++brought;
    mark = now << 2 | state;
  }
  bool isThere(uint32_t mark) const {
    uint32_t step = stepOf(mark);
    return step >= firstStep &&
           brought - broughtAt[step - firstStep] < capacity;
  }

  std::vector<Place> places; ///< by begin
  uint64_t capacity;
  ZeroPages pages;
  uint32_t *marks; ///< step << 2 | State; by number
  /// Steps are numbered on from run to run.
  uint32_t firstStep = 1, now = 1;
  double nextTime = 0;
  uint64_t brought = 0;
  std::vector<uint64_t> broughtAt; ///< by step, at its begin
  std::function<void()> move;
};

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_TIMING_BROUGHTLINES_H
