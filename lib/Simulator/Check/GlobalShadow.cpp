//===- GlobalShadow.cpp - Global memory as the checkers see it --*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The common case, one workgroup in a page of memory, must cost little: a page
// is found by a cursor of the thread, a block of 256 bytes is one cell, and
// `usual` decides with a few comparisons. Blocks open into cells, and cells
// into dwords, only where workgroups meet. Locks: a page's own, then the
// clock's, never the other way round.
//
// Each access carries its period, the number of releases of its workgroup
// before it. It is ordered before one of workgroup B if B knows of the release
// that ended the period.
//
//===----------------------------------------------------------------------===//

#include "GlobalShadow.h"
#include <algorithm>
#include <array>
#include <fmt/format.h>

using namespace tlc::sim;

// Created at the first access; a page is large enough that a workgroup's tile
// lies in few.
struct GlobalShadow::Page {
  static constexpr unsigned cellCount = pageBytes / cellBytes;
  std::mutex mutex;
  /// Records of sixteen cells each, with a mask of them, until one is open.
  Cell blocks[pageBytes / blockBytes];
  uint16_t open = 0; ///< blocks whose cells count
  std::unique_ptr<Cell[]> cells;
  /// Index into `parts` plus 1 for a cell that is split.
  uint16_t split[cellCount] = {};
  std::vector<std::array<Cell, cellBytes / 4>> parts;

  bool isOpen(unsigned block) const { return open >> block & 1; }
  void openBlock(unsigned block);
};

/// Gives each of the block's sixteen cells the record of the block, as far as
/// its mask says.
void GlobalShadow::Page::openBlock(unsigned block) {
  if (isOpen(block))
    return;
  open |= uint16_t(1u << block);
  if (!cells)
    cells.reset(new Cell[cellCount]);
  constexpr unsigned count = blockBytes / cellBytes;
  for (unsigned i = 0; i < count; ++i) {
    Cell &cell = cells[block * count + i];
    cell = blocks[block];
    // In a block's record a bit stands for a cell, in a cell's for a byte.
    for (Access *each : {&cell.write, &cell.read, &cell.otherRead}) {
      bool has = each->bytes >> i & 1;
      each->bytes = 0xffff;
      if (!has)
        *each = Access();
    }
  }
}

GlobalShadow::GlobalShadow(const DeviceMemory &memory) : memory(memory) {}
GlobalShadow::~GlobalShadow() = default;

/// All bytes of the range were written at some time.
bool GlobalShadow::isDefined(uint64_t address, uint64_t bytes) const {
  return memory.writtenBytes().written(address, bytes);
}

bool GlobalShadow::isDefined(const ByteRuns &runs) const {
  for (const ByteRuns::Run &run : runs)
    if (!isDefined(run.begin, run.end - run.begin))
      return false;
  return true;
}

void GlobalShadow::define(const ByteRuns &runs) {
  for (const ByteRuns::Run &run : runs)
    memory.writtenBytes().mark(run.begin, run.end - run.begin);
}

/// The grid barrier (ds_gws_barrier) releases on arrival and acquires on
/// leaving.
void GlobalShadow::arrive(uint64_t number) {
  ordering.arrive(uint32_t(number));
}
void GlobalShadow::leave(uint64_t number) { ordering.leave(uint32_t(number)); }

/// Pages live as long as the launch, so that cursors stay valid.
/// The cursor is the thread's own and needs no lock; a miss takes the lock of
/// one shard of the table.
GlobalShadow::Page &GlobalShadow::pageAt(uint64_t number, Cursor &cursor) {
  unsigned slot = number % Cursor::count;
  if (cursor.numbers[slot] == number && cursor.pages[slot])
    return *cursor.pages[slot];
  Shard &shard = shards[number % shardCount];
  std::lock_guard lock(shard.mutex);
  std::unique_ptr<Page> &page = shard.pages[number];
  if (!page)
    page = std::make_unique<Page>();
  cursor.numbers[slot] = number;
  cursor.pages[slot] = page.get();
  return *page;
}

/// Stores still on their way at a release are not covered by it: their period
/// is moved up to the next.
void GlobalShadow::postpone(uint64_t number, const ByteRuns &runs,
                            Cursor &cursor) {
  uint32_t period = ordering.releasesOf(uint32_t(number));
  auto update = [&](Cell &cell) {
    if (cell.write.op() && cell.write.group == uint32_t(number))
      cell.write.period = std::max(cell.write.period, period);
  };
  for (const ByteRuns::Run &run : runs)
    for (uint64_t at = run.begin / cellBytes; at * cellBytes < run.end; ++at) {
      Page &page = pageAt(at * cellBytes / pageBytes, cursor);
      std::lock_guard lock(page.mutex);
      unsigned index = at % Page::cellCount;
      // The block's record may hold other cells, so it is opened.
      page.openBlock(index / (blockBytes / cellBytes));
      if (unsigned parts = page.split[index])
        for (Cell &cell : page.parts[parts - 1])
          update(cell);
      else
        update(page.cells[index]);
    }
}

/// Whether the workgroup of \p earlier has released after that access, before
/// we last acquired.
bool GlobalShadow::ordered(const Access &earlier, const View &now) {
  // Within a workgroup nothing is reported here. Who never acquired knows of
  // nobody.
  if (earlier.group == now.group || !now.acquired)
    return earlier.group == now.group;
  return ordering.knows(now.group, earlier.group, earlier.period);
}

/// The message, or empty. Atomics among themselves do not conflict.
std::string GlobalShadow::conflict(const Cell &cell, const Access &access,
                                   uint64_t address, bool writes,
                                   const View &now) {
  auto conflicts = [&](const Access &earlier) {
    return earlier.op() && (earlier.bytes & access.bytes) &&
           !(earlier.atomic && access.atomic) && !ordered(earlier, now);
  };
  auto describe = [&](const Access &earlier, const char *first,
                      const char *second) {
    return fmt::format("byte {:#x} of global memory: workgroup {} {}, "
                       "workgroup {} {} by '{}' at {:#x}: nothing orders them",
                       address + __builtin_ctz(earlier.bytes & access.bytes),
                       now.group, second, unsigned(earlier.group), first,
                       toString(*earlier.op()->inst), earlier.op()->address);
  };
  if (conflicts(cell.write))
    return describe(cell.write, "wrote it", writes ? "writes it" : "reads it");
  for (const Access *reader : {&cell.read, &cell.otherRead})
    if (writes && conflicts(*reader))
      return describe(*reader, "read it", "writes it");
  return "";
}

/// Two readers of different workgroups suffice: any later writer differs from
/// one of them.
bool GlobalShadow::noteRead(Cell &cell, const Access &access, const View &now,
                            bool must) {
  for (Access *reader : {&cell.read, &cell.otherRead}) {
    bool own = reader->op() && reader->group == access.group;
    uint16_t left = uint16_t(reader->bytes & ~access.bytes);
    // Neighbours read in the same period stay together; one cell has one.
    if (own && left && reader->period != access.period && !must)
      return false;
    // Another workgroup's record makes room only if it is ordered before this
    // access.
    if (!own && reader->op() && !(now.acquired && ordered(*reader, now)))
      continue;
    if (!own && reader->op() && left && !must)
      return false;
    *reader = access;
    if (own)
      reader->bytes |= left;
    return true;
  }
  // Two others read it: a writer meets one of them wherever both read.
  return must || !(access.bytes & ~(cell.read.bytes & cell.otherRead.bytes));
}

/// Records an access; false if the cell's record cannot hold it. With \p must
/// it is held in any case, if need be at the loss of an older one.
bool GlobalShadow::note(Cell &cell, const Access &access, bool writes,
                        const View &now, bool must) {
  if (!writes)
    return noteRead(cell, access, now, must);
  uint16_t left = cell.write.op() ? uint16_t(cell.write.bytes & ~access.bytes)
                                  : uint16_t(0);
  bool own = cell.write.group == access.group;
  bool together = own && cell.write.period == access.period &&
                  cell.write.atomic == access.atomic;
  if (left && !together && !must)
    return false;
  // Bytes that the same workgroup wrote before stay recorded with the later
  // period, which is the stricter one.
  cell.write = access;
  if (own)
    cell.write.bytes |= left;
  return true;
}

/// Checks and records at once if only one workgroup is concerned, or readers
/// only. False, with nothing changed, if it takes a closer look.
[[gnu::always_inline]] inline bool
GlobalShadow::usual(Cell &cell, const Access &access, bool writes) {
  if (cell.write.op() && cell.write.group != access.group)
    return false;
  if (writes) {
    if (cell.read.op() || cell.otherRead.op())
      return false;
    uint16_t left =
        cell.write.op() ? uint16_t(cell.write.bytes & ~access.bytes) : 0;
    if (left && (cell.write.period != access.period ||
                 cell.write.atomic != access.atomic))
      return false;
    cell.write = access;
    cell.write.bytes |= left;
    return true;
  }
  auto mine = [&](const Access &reader) {
    return reader.group == access.group && reader.period == access.period;
  };
  for (Access *reader : {&cell.read, &cell.otherRead}) {
    if (!reader->op()) {
      *reader = access;
      return true;
    }
    if (mine(*reader)) {
      reader->bytes |= access.bytes;
      return true;
    }
    if (reader->group == access.group)
      return false;
  }
  return !(access.bytes & ~(cell.read.bytes & cell.otherRead.bytes));
}

/// Looks for a conflict, then records. False: the cell must be split first.
bool GlobalShadow::visit(Cell &cell, const Access &access, uint64_t address,
                         bool writes, const View &now, bool must,
                         std::string &problem) {
  auto isOther = [&](const Access &earlier) {
    return earlier.op() && earlier.group != access.group;
  };
  bool others = isOther(cell.write) ||
                (writes && (isOther(cell.read) || isOther(cell.otherRead)));
  if (others && problem.empty())
    problem = conflict(cell, access, address, writes, now);
  return note(cell, access, writes, now, must);
}

/// A cell of sixteen bytes, or its four dwords once it is split; dwords are
/// never split further, and hold what fits (\p must).
void GlobalShadow::visitCell(Page &page, unsigned index, Access access,
                             uint64_t address, bool writes, const View &now,
                             std::string &problem) {
  unsigned parts = page.split[index];
  if (!parts) {
    Cell &cell = page.cells[index];
    if (visit(cell, access, address, writes, now, false, problem))
      return;
    // Each dword starts with the cell's record cut to its four bytes.
    page.parts.emplace_back();
    page.split[index] = uint16_t(parts = unsigned(page.parts.size()));
    for (unsigned i = 0; i < cellBytes / 4; ++i) {
      Cell &part = page.parts.back()[i];
      part = cell;
      for (Access *each : {&part.write, &part.read, &part.otherRead}) {
        each->bytes = each->bytes >> (4 * i) & 0xf;
        if (!each->bytes)
          *each = Access();
      }
    }
  }
  unsigned bytes = access.bytes;
  for (unsigned i = 0; i < cellBytes / 4; ++i) {
    access.bytes = uint16_t(bytes >> (4 * i) & 0xf);
    if (access.bytes)
      visit(page.parts[parts - 1][i], access, address + 4 * i, writes, now,
            true, problem);
  }
}

/// One access by all lanes, as runs of bytes. Returns the first conflict, with
/// its lane in \p lane.
std::string GlobalShadow::access(uint64_t group, const Op &op,
                                 const AccessPart &part, const ByteRuns &runs,
                                 Cursor &cursor, int &lane) {
  View now = ordering.access(uint32_t(group), part, !op.inst->dst.isNone());
  Access access;
  access.opBits = reinterpret_cast<uint64_t>(&op);
  access.group = uint32_t(group) & 0x7fffffff;
  access.period = now.period;
  access.atomic = part.atomic || part.coherent;
  std::string problem;
  for (const ByteRuns::Run &run : runs) {
    // Cells of a page under one lock.
    uint64_t at = run.begin / cellBytes * cellBytes;
    while (at < run.end) {
      Page &page = pageAt(at / pageBytes, cursor);
      std::lock_guard lock(page.mutex);
      uint64_t pageEnd = (at / pageBytes + 1) * pageBytes;
      // A whole block at once where possible, else its cells.
      while (at < run.end && at < pageEnd) {
        unsigned block = at % pageBytes / blockBytes;
        if (!page.isOpen(block)) {
          uint64_t end = std::min(run.end, (at / blockBytes + 1) * blockBytes);
          bool wholeCells = at >= run.begin && end % cellBytes == 0;
          unsigned first = at % blockBytes / cellBytes;
          unsigned count = unsigned(end - at) / cellBytes;
          access.bytes = uint16_t(((1u << count) - 1) << first);
          // Without acquires no reader gives way to another.
          if (!now.acquired && wholeCells &&
              usual(page.blocks[block], access, part.writes)) {
            at = end;
            continue;
          }
          page.openBlock(block);
        }
        // The bytes of this cell that the run covers.
        unsigned mask = 0xffff;
        if (at < run.begin)
          mask &= 0xffffu << (run.begin - at);
        if (run.end - at < cellBytes)
          mask &= (1u << (run.end - at)) - 1;
        access.bytes = uint16_t(mask);
        unsigned index = at % pageBytes / cellBytes;
        uint64_t here = at;
        at += cellBytes;
        if (!now.acquired && !page.split[index] &&
            usual(page.cells[index], access, part.writes))
          continue;
        bool had = !problem.empty();
        visitCell(page, index, access, here, part.writes, now, problem);
        if (had || problem.empty())
          continue;
        // The lane whose bytes these are.
        for (uint64_t rest = part.lanes; rest; rest &= rest - 1) {
          unsigned l = unsigned(__builtin_ctzll(rest));
          if (part.address[l] < here + cellBytes &&
              part.address[l] + part.inBounds[l] > here) {
            lane = int(l);
            break;
          }
        }
      }
    }
  }
  return problem;
}
