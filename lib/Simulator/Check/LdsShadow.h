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
// last write, with a mask of bytes, and for each dword which wavefronts have
// read it since the last barrier. What it cannot hold (different wavefronts
// writing parts of it, accesses of less than a dword, atomics) moves to cells
// of a byte each: nothing is lost, and nothing laid to the wrong wavefront. All
// wavefronts pass a barrier together, so the number of barriers passed, the
// epoch, is the clock.
//
// A store is one record, which all its cells name, and the fields of cells are
// arrays: an access whose lanes together touch runs of cells (LdsPattern) is
// checked and recorded by a few loops over each run.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_CHECK_LDSSHADOW_H
#define TLC_LIB_SIMULATOR_CHECK_LDSSHADOW_H

#include "Accesses.h"
#include "LdsPattern.h"
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
  /// \p offset; \p second: of two with different offsets.
  bool load(const Wave &wave, const Op &op, const uint32_t *offsets,
            uint32_t offset, unsigned bytes, bool second);
  /// The same for a store of defined data.
  bool store(const Wave &wave, const Op &op, const uint32_t *offsets,
             uint32_t offset, unsigned bytes, bool second,
             const WaitCounters &waits);

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
  static constexpr unsigned cellBytes = LdsPattern::cellBytes;
  /// An access about to be recorded, and a write that was.
  struct Write {
    uint32_t op = 0; // Op::number plus 1; 0: none
    uint32_t epoch = 0;
    uint32_t number = 0; // of the counter
    uint8_t wave = 0;
    bool byVm : 1 = false, atomic : 1 = false;
  };
  /// What few cells need.
  struct Detail {
    uint32_t slot = 0; // of the cells of its bytes, plus 1; 0: none yet
    /// Bytes of parts of dwords that one wavefront has read.
    uint16_t partBytes = 0;
    uint8_t partWave = 0;
    bool isSplit = false; // the cells of its bytes count
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
    const Completed &done = completed[earlier.wave];
    return earlier.epoch < epoch &&
           earlier.number <= (earlier.byVm ? done.vm : done.lgkm);
  }
  bool mayRead(uint32_t write, unsigned wave) const {
    return write < unusual &&
           (records[write].wave == wave || ordered(records[write]));
  }
  /// Whether \p now may replace it; \p merge: both hold, one beside the other.
  bool mayReplace(uint32_t write, const Write &now, bool &merge) const;
  uint32_t record(const Write &write);
  void noteReads(uint32_t first, uint32_t last) {
    firstRead = first < firstRead ? first : firstRead;
    lastRead = last > lastRead ? last : lastRead;
  }

  bool loadRuns(unsigned wave, const Op &op, const LdsPattern &pattern,
                uint32_t base);
  bool storeRuns(const Write &now, const LdsPattern &pattern, uint32_t base);
  template <unsigned Dwords>
  bool loadCells(unsigned wave, const Op &op, uint64_t exec,
                 const uint32_t *offsets, uint32_t offset);
  template <unsigned Dwords>
  bool storeCells(const Write &now, uint64_t exec, const uint32_t *offsets,
                  uint32_t offset);
  /// Checks and records an access to \p bytes of a cell; false if the cell
  /// cannot hold it along with others.
  bool visit(uint32_t cell, const Write &now, uint16_t bytes, Kind kind,
             bool changes, std::string &problem);
  void visitByte(ByteCell &cell, const Write &now, Kind kind, bool changes,
                 uint64_t address, std::string &problem);
  void visitBytes(uint64_t begin, uint64_t end, const Write &now, Kind kind,
                  bool changes, std::string &problem);
  void split(uint32_t cell);
  /// A split cell becomes whole once nothing in it matters any more.
  void join(uint32_t cell);
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
  // By cell.
  std::vector<uint16_t> undefined; // bytes
  /// The last write: an index of `records`. Those that are split or partly
  /// read have `unusual` added.
  static constexpr uint32_t unusual = uint32_t(1) << 31;
  std::vector<uint32_t> writes;
  std::vector<uint16_t> written; // bytes of that
  /// Since the last barrier, of whole dwords: 16 bits of wavefronts for each.
  std::vector<uint64_t> readers;
  std::vector<uint32_t> readOps;
  std::vector<Detail> details;

  std::vector<Write> records; // 0: none
  uint32_t current = 0;       // the one of this access, once it has one
  std::vector<ByteCell> single;
  uint32_t firstRead = ~0u, lastRead = 0; // cells that have readers
  std::vector<uint32_t> partlyRead;       // cells with partBytes
  std::vector<const Op *> ops;            // by Op::number
  std::vector<Completed> completed;
  uint32_t epoch = 1;
  LdsPatterns patterns;
};

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_CHECK_LDSSHADOW_H
