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
// Each dword remembers its last writer and the wavefronts that read it since.
// All wavefronts pass a barrier together, so the number of barriers passed, the
// epoch, is the clock.
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
  struct Access {
    const Op *op = nullptr;
    uint32_t epoch = 0;
    uint32_t number = 0; // of the counter
    uint16_t wave = 0;
    uint8_t bytes = 0; // mask of the dword's bytes
    bool byVm = false, atomic = false;
  };
  struct Cell {
    Access write, read;
    uint16_t readers = 0; // wavefronts that read since the write, this epoch
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
  /// What is wrong with \p now at a dword; empty if nothing.
  std::string conflict(const Cell &cell, const Access &now,
                       const AccessPart &part, unsigned lane,
                       uint64_t address) const;
  static void noteRead(Cell &cell, const Access &now, bool isLds);
  std::string describe(const Access &earlier, const char *first,
                       const char *second, uint64_t address,
                       unsigned wave) const;

  std::vector<Cell> cells;
  std::vector<Completed> completed;
  uint32_t epoch = 1;
};

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_CHECK_LDSRACES_H
