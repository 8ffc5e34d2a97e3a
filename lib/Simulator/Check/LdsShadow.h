//===- LdsShadow.h - LDS as the checkers see it -----------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which bytes were never written, and data races within a workgroup.
// Happens-before by barriers: two accesses of different wavefronts to the same
// byte, one of them a write, must have a barrier between them, and the first
// must be complete (its counter waited for) before its wavefront comes to that
// barrier. The order in which the simulator happens to run them plays no part.
// Atomic operations do not race with one another, and storing what is there
// already disturbs nobody.
//
// Sixteen bytes make a cell, the widest access of a lane. A cell remembers its
// last writer, with a mask of bytes, and for each dword which wavefronts have
// read it since the last barrier. What it cannot hold (different wavefronts
// writing parts of it, accesses of less than a dword, atomics) moves to cells
// of a byte each: nothing is lost, and nothing laid to the wrong wavefront. All
// wavefronts pass a barrier together, so the number of barriers passed, the
// epoch, is the clock; it goes on from one workgroup to the next.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_CHECK_LDSSHADOW_H
#define TLC_LIB_SIMULATOR_CHECK_LDSSHADOW_H

#include "Accesses.h"
#include "WaitChecker.h"
#include <string>
#include <vector>

namespace tlc::sim {

class LdsShadow {
public:
  /// A new workgroup: nothing is written.
  void begin(uint32_t ldsBytes, unsigned waves);

  /// The usual access of whole dwords, by a DS instruction: true if there is
  /// nothing to say about it and it is recorded. Otherwise, or for anything
  /// else, `access` looks again. \p offsets has the lanes' addresses without
  /// \p offset.
  bool load(const Wave &wave, const Op &op, const uint32_t *offsets,
            uint32_t offset, unsigned bytes);
  /// The same for a store of defined data.
  bool store(const Wave &wave, const Op &op, const uint32_t *offsets,
             uint32_t offset, unsigned bytes, const WaitCounters &waits);

  /// Checks and records an access by \p wave, whose counters are \p waits
  /// (before the operation is issued). On a race returns the message and sets
  /// \p lane.
  std::string access(unsigned wave, const Op &op, const OpFacts &facts,
                     const AccessPart &part, const WaitCounters &waits,
                     int &lane);
  /// The wavefronts with these counters (one each) have passed a barrier.
  void barrier(const std::vector<WaitCounters> &counters);

  /// Bytes of LDS that hold no value anybody wrote; set: undefined.
  bool isUndefined(uint64_t byte) const {
    return byte < size && (undefined[byte / cellBytes] >> byte % cellBytes & 1);
  }
  bool anyUndefined(uint64_t byte, unsigned count) const;
  void setUndefined(uint64_t byte, bool to) {
    if (byte >= size)
      return;
    uint16_t bit = uint16_t(1u << byte % cellBytes);
    uint16_t &cell = undefined[byte / cellBytes];
    cell = uint16_t(to ? cell | bit : cell & ~bit);
  }
  void define(uint64_t byte, unsigned count);

private:
  static constexpr unsigned cellBytes = 16;
  /// An access about to be recorded, and a write that was.
  struct Write {
    uint32_t op = 0; // Op::number plus 1; 0: none
    uint32_t epoch = 0;
    uint32_t number = 0; // of the counter
    uint16_t bytes = 0;  // mask
    uint8_t wave = 0;
    bool byVm : 1 = false, atomic : 1 = false;
  };
  struct Cell {
    Write write;
    uint32_t readOp = 0, readEpoch = 0;
    uint64_t readers = 0; // of whole dwords: 16 bits for each
    /// Bytes of parts of dwords that one wavefront has read.
    uint16_t partBytes = 0;
    uint8_t partWave = 0;
    bool isSplit = false; // the cells of its bytes count
    uint32_t slot = 0;    // of those, plus 1; 0: none yet
  };
  struct ByteCell {
    Write write;
    /// Wavefronts that stored, unordered, what was there already.
    uint16_t sameWriters = 0;
    uint16_t readers = 0; // in readEpoch
    uint32_t readOp = 0, readEpoch = 0;
    Write lateRead; // by FLAT: complete only when waited for
  };
  struct Completed {
    uint32_t vm = 0, lgkm = 0; // at the last barrier
  };
  /// What an access is: all but the bytes.
  struct Kind {
    bool writes, reads, late;
  };
  /// Whether \p earlier is ordered before anything now.
  bool ordered(const Write &earlier) const {
    if (earlier.epoch < firstEpoch)
      return true;
    const Completed &done = completed[earlier.wave];
    return earlier.epoch < epoch &&
           earlier.number <= (earlier.byVm ? done.vm : done.lgkm);
  }
  template <unsigned Dwords>
  bool loadCells(unsigned wave, const Op &op, uint64_t exec,
                 const uint32_t *offsets, uint32_t offset);
  template <unsigned Dwords>
  bool storeCells(const Write &now, uint64_t exec, const uint32_t *offsets,
                  uint32_t offset);
  /// Checks and records; false if the cell cannot hold it along with others.
  bool visit(Cell &cell, const Write &now, Kind kind, bool changes,
             uint64_t address, std::string &problem);
  void visitByte(ByteCell &cell, const Write &now, Kind kind, bool changes,
                 uint64_t address, std::string &problem);
  void visitBytes(uint64_t begin, uint64_t end, Write now, Kind kind,
                  bool changes, std::string &problem);
  void split(Cell &cell);
  /// A split cell becomes whole once nothing in it matters any more.
  void join(Cell &cell);
  std::string describe(const Write &earlier, const char *first,
                       const char *second, uint64_t address,
                       unsigned wave) const;
  void note(const Op &op) {
    if (op.number >= ops.size())
      ops.resize(op.number + 256);
    ops[op.number] = &op;
  }

  uint32_t size = 0;
  bool oneWave = false; // nobody to race with
  std::vector<Cell> cells;
  std::vector<ByteCell> single;
  std::vector<uint16_t> undefined; // by cell, a bit for each byte
  std::vector<const Op *> ops;     // by Op::number
  std::vector<Completed> completed;
  uint32_t epoch = 1, firstEpoch = 1;
};

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_CHECK_LDSSHADOW_H
