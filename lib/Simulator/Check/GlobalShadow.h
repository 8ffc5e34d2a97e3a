//===- GlobalShadow.h - Global memory as the checkers see it ----*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which bytes were ever written, and races between workgroups. Nothing orders
// two workgroups of a launch but atomic operations and coherent (sc1) accesses
// to the same address: each that writes makes visible what its workgroup did
// before it, as far as that is complete (a store that no s_waitcnt has waited
// for is not), to workgroups that read there later (Ordering.h). An access by
// another workgroup is ordered before ours if we know of a release that it made
// after it. No order that the simulator happens to choose hides a race.
//
// Sixteen bytes make a cell: the last writer, and two readers of different
// groups, each with a mask of bytes. Where groups share a cell it is split into
// cells of a dword; until something of the kind happens, sixteen cells together
// have one record, a block.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_CHECK_GLOBALSHADOW_H
#define TLC_LIB_SIMULATOR_CHECK_GLOBALSHADOW_H

#include "Ordering.h"
#include "tlc/Simulator/Memory/DeviceMemory.h"
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace tlc::sim {

class GlobalShadow {
public:
  explicit GlobalShadow(const DeviceMemory &memory);
  ~GlobalShadow();

  bool isDefined(uint64_t address, uint64_t bytes) const;
  bool isDefined(const ByteRuns &runs) const;
  void define(const ByteRuns &runs);

  struct Page;
  /// The pages used last, of one host thread.
  class Cursor {
    friend class GlobalShadow;
    static constexpr unsigned count = 16;
    uint64_t numbers[count] = {};
    Page *pages[count] = {};
  };

  /// Checks and records an access by workgroup \p group to \p runs, the bytes
  /// of \p part. On a race returns the message and sets \p lane. Thread safe.
  std::string access(uint64_t group, const Op &op, const AccessPart &part,
                     const ByteRuns &runs, Cursor &cursor, int &lane);
  /// A barrier of the whole grid: \p group arrives, or goes on.
  void arrive(uint64_t group);
  void leave(uint64_t group);
  /// A store of \p group was not complete when the group's last release took
  /// place: only the next one covers it.
  void postpone(uint64_t group, const ByteRuns &runs, Cursor &cursor);

private:
  static constexpr uint64_t pageBytes = 4096;
  static constexpr unsigned cellBytes = 16, blockBytes = 256;
  static constexpr unsigned shardCount = 64;
  /// The pointer in 48 bits, so that a record has 16 bytes.
  struct Access {
    uint64_t opBits : 48 = 0;
    uint64_t bytes : 16 = 0; // mask within the cell
    uint32_t group : 31 = 0;
    uint32_t atomic : 1 = 0;
    uint32_t period = 0; // releases of the group before it
    const Op *op() const { return reinterpret_cast<const Op *>(opBits); }
  };
  static_assert(sizeof(Access) == 16);
  /// Any write meets one of two readers that is not its own group.
  struct Cell {
    Access write, read, otherRead;
  };
  struct Shard {
    std::mutex mutex;
    std::unordered_map<uint64_t, std::unique_ptr<Page>> pages;
  };
  using View = Ordering::View; // of the current group

  bool ordered(const Access &earlier, const View &now);
  Page &pageAt(uint64_t number, Cursor &cursor);
  /// What is wrong with an access to a cell; empty if nothing.
  std::string conflict(const Cell &cell, const Access &access, uint64_t address,
                       bool writes, const View &now);
  /// Records an access. False if the cell cannot hold it along with others,
  /// unless it \p must.
  bool note(Cell &cell, const Access &access, bool writes, const View &now,
            bool must);
  bool noteRead(Cell &cell, const Access &access, const View &now, bool must);
  /// Records what nearly all accesses are: nobody else writes, and there is
  /// room. False: nothing has changed, look closer.
  static bool usual(Cell &cell, const Access &access, bool writes);
  bool visit(Cell &cell, const Access &access, uint64_t address, bool writes,
             const View &now, bool must, std::string &problem);
  void visitCell(Page &page, unsigned index, Access access, uint64_t address,
                 bool writes, const View &now, std::string &problem);

  const DeviceMemory &memory;
  Shard shards[shardCount];
  Ordering ordering;
};

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_CHECK_GLOBALSHADOW_H
