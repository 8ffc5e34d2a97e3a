//===- GlobalShadow.cpp - Global memory as the checkers see it --*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GlobalShadow.h"
#include <algorithm>
#include <fmt/format.h>

using namespace tlc::sim;

bool GlobalShadow::isDefined(uint64_t address, uint64_t bytes) const {
  return memory.writtenBytes().written(address, bytes);
}

bool GlobalShadow::isAllDefined(uint64_t address, uint64_t bytes) const {
  return memory.writtenBytes().allWritten(address, bytes);
}

void GlobalShadow::define(uint64_t address, uint64_t bytes) {
  memory.writtenBytes().mark(address, bytes);
}

GlobalShadow::View GlobalShadow::synchronise(uint64_t number,
                                             const AccessPart &part) {
  std::lock_guard lock(groupMutex);
  Group &group = groups[number];
  View view;
  view.group = number;
  view.period = uint16_t(group.releases.size());
  if (part.atomic || part.coherent) {
    if (part.writes)
      group.releases.push_back(++time);
    if (part.reads)
      group.acquired = time;
  }
  view.acquired = group.acquired;
  return view;
}

void GlobalShadow::arrive(uint64_t number) {
  std::lock_guard lock(groupMutex);
  groups[number].releases.push_back(++time);
}
void GlobalShadow::leave(uint64_t number) {
  std::lock_guard lock(groupMutex);
  groups[number].acquired = time;
}

void GlobalShadow::postpone(uint64_t number, const Op &op,
                            const AccessPart &part) {
  uint16_t period;
  {
    std::lock_guard lock(groupMutex);
    period = uint16_t(groups[number].releases.size());
  }
  for (uint64_t rest = part.lanes; rest; rest &= rest - 1) {
    unsigned l = __builtin_ctzll(rest);
    uint64_t begin = part.address[l], end = begin + part.inBounds[l];
    for (uint64_t word = begin / 4; word * 4 < end; ++word) {
      uint64_t pageNumber = word * 4 / PageBytes;
      Shard &shard = shards[pageNumber % Shards];
      std::lock_guard lock(shard.mutex);
      auto page = shard.pages.find(pageNumber);
      if (page == shard.pages.end())
        continue;
      Access &write = page->second[word % (PageBytes / 4)].write;
      if (write.op == &op && write.group == uint32_t(number))
        write.period = period;
    }
  }
}

bool GlobalShadow::ordered(const Access &earlier, const View &now) {
  if (earlier.group == now.group || now.acquired == 0)
    return earlier.group == now.group;
  std::lock_guard lock(groupMutex);
  const Group &group = groups[earlier.group];
  return group.releases.size() > earlier.period &&
         group.releases[earlier.period] <= now.acquired;
}

std::string GlobalShadow::conflict(const Cell &cell, const Access &access,
                                   uint64_t word, bool writes,
                                   const View &now) {
  auto conflicts = [&](const Access &earlier) {
    return earlier.op && (earlier.bytes & access.bytes) &&
           !(earlier.atomic && access.atomic) && !ordered(earlier, now);
  };
  auto describe = [&](const Access &earlier, const char *first,
                      const char *second) {
    return fmt::format("byte {:#x} of global memory: workgroup {} {}, "
                       "workgroup {} {} by '{}' at {:#x}: nothing orders them",
                       word * 4 + __builtin_ctz(earlier.bytes & access.bytes),
                       now.group, second, earlier.group, first,
                       toString(*earlier.op->inst), earlier.op->address);
  };
  if (conflicts(cell.write))
    return describe(cell.write, "wrote it", writes ? "writes it" : "reads it");
  if (writes && conflicts(cell.read))
    return describe(cell.read, "read it", "writes it");
  return "";
}

inline void GlobalShadow::note(Cell &cell, const Access &access, bool writes,
                               const View &now) {
  if (writes) {
    uint8_t together = cell.write.op && cell.write.group == access.group
                           ? cell.write.bytes
                           : 0;
    cell.write = access;
    cell.write.bytes |= together;
    return;
  }
  // The first reader stays: any other group's write meets it.
  if (!cell.read.op || cell.read.group == access.group ||
      (now.acquired && ordered(cell.read, now)))
    cell.read = access;
}

std::string GlobalShadow::access(uint64_t group, const Op &op,
                                 const AccessPart &part, int &lane) {
  View now = synchronise(group, part);
  Access access;
  access.op = &op;
  access.group = uint32_t(group);
  access.period = now.period;
  access.atomic = part.atomic || part.coherent;
  std::string problem;
  uint64_t lockedPage = ~uint64_t(0);
  std::unique_lock<std::mutex> lock;
  Cell *cells = nullptr;
  for (uint64_t rest = part.lanes; rest; rest &= rest - 1) {
    unsigned l = __builtin_ctzll(rest);
    uint64_t begin = part.address[l], end = begin + part.inBounds[l];
    for (uint64_t word = begin / 4; word * 4 < end; ++word) {
      uint64_t page = word * 4 / PageBytes;
      if (page != lockedPage) {
        if (lock)
          lock.unlock();
        Shard &shard = shards[page % Shards];
        lock = std::unique_lock(shard.mutex);
        lockedPage = page;
        auto &holder = shard.pages[page];
        if (!holder)
          holder.reset(new Cell[PageBytes / 4]);
        cells = holder.get();
      }
      unsigned from = std::max(begin, word * 4) - word * 4;
      unsigned to = std::min(end, word * 4 + 4) - word * 4;
      access.bytes = uint8_t(((1u << to) - 1) & ~((1u << from) - 1));
      Cell &cell = cells[word % (PageBytes / 4)];
      bool others =
          (cell.write.op && cell.write.group != access.group) ||
          (part.writes && cell.read.op && cell.read.group != access.group);
      if (others && problem.empty()) {
        problem = conflict(cell, access, word, part.writes, now);
        if (!problem.empty())
          lane = int(l);
      }
      note(cell, access, part.writes, now);
    }
  }
  return problem;
}
