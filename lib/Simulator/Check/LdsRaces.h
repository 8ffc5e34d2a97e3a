//===- LdsRaces.h - Data races within a workgroup ---------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Happens-before by barriers: two accesses of different wavefronts to the same
// byte, one of them a write, must have a barrier between them, and the first
// must be complete (its counter waited for) before its wavefront comes to that
// barrier. The order in which the simulator happens to run them plays no part.
// Atomic operations do not race with one another.
//
// Every eight bytes remember their last writer and the wavefronts that read
// them since. Where different wavefronts access different bytes of them, each
// byte gets a memory of its own: nothing is lost, and nothing laid to the wrong
// wavefront. All wavefronts pass a barrier together, so the number of barriers
// passed, the epoch, is the clock.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_CHECK_LDSRACES_H
#define TLC_LIB_SIMULATOR_CHECK_LDSRACES_H

#include "Accesses.h"
#include "WaitChecker.h"
#include <string>
#include <vector>

namespace tlc::sim {

class LdsRaces {
public:
  void begin(uint32_t ldsBytes, unsigned waves);
  /// Checks and records an access to LDS by \p wave, whose counters are
  /// \p waits (before the operation is issued). On a race returns the message
  /// and sets \p lane.
  std::string access(unsigned wave, const Op &op, const OpFacts &facts,
                     const AccessPart &part, const WaitChecker &waits,
                     int &lane);
  /// The wavefronts \p counters (one each) have passed a barrier.
  void barrier(const std::vector<WaitChecker> &counters);

private:
  static constexpr unsigned cellBytes = 8;
  struct Access {
    uint32_t op = 0; // Op::number plus 1; 0: none
    uint32_t epoch = 0;
    uint32_t number = 0; // of the counter
    uint8_t wave = 0;
    uint8_t bytes = 0; // mask of the cell's
    bool byVm = false, atomic = false;
  };
  struct Cell {
    Access write;
    Access read; // all of its bytes were read by all of `readers`
    uint16_t readers = 0;
    uint32_t split = 0; // index into `single` plus 1; 0: this cell counts
  };
  struct Completed {
    uint32_t vm = 0, lgkm = 0; // at the last barrier
  };
  /// Whether \p earlier is ordered before anything now.
  bool ordered(const Access &earlier) const {
    const Completed &done = completed[earlier.wave];
    return earlier.epoch < epoch &&
           earlier.number <= (earlier.byVm ? done.vm : done.lgkm);
  }
  /// Quickly: nothing can be wrong where this is false.
  bool isSuspicious(const Cell &cell, const Access &now, bool writes) const {
    bool byWrite =
        cell.write.op && cell.write.wave != now.wave && !ordered(cell.write);
    bool others =
        cell.read.wave != now.wave || (cell.readers & ~(1u << now.wave));
    return byWrite || (writes && cell.read.op && others && !ordered(cell.read));
  }
  /// What is wrong with \p now in the cell at \p address; empty if nothing.
  std::string conflict(const Cell &cell, const Access &now, bool writes,
                       uint64_t address) const;
  /// Record an access. False if the cell cannot hold it along with others.
  bool noteWrite(Cell &cell, const Access &now) const;
  static bool noteRead(Cell &cell, const Access &now, bool isLds);
  void split(Cell &cell);
  std::string describe(const Access &earlier, const char *first,
                       const char *second, uint64_t address,
                       unsigned wave) const;

  std::vector<Cell> cells, single;
  std::vector<const Op *> ops; // by Op::number
  std::vector<Completed> completed;
  uint32_t epoch = 1;
};

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_CHECK_LDSRACES_H
