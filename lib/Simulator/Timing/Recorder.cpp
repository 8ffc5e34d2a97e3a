//===- Recorder.cpp - What a workgroup executed ---------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The address unit takes a vector access in portions of 64 bytes (16 lanes of
// a dword, 4 of four dwords), one a cycle if all lanes of the portion are in
// one line, otherwise one cycle for each line.
//
// For each executed instruction a wavefront's record gets the number of its row
// in the code table, and behind it what only execution knows: bank conflicts of
// an LDS access, the lines of a memory access. Recorder.h describes the words.
// The replay reads them in order and needs neither registers nor memory.
//
//===----------------------------------------------------------------------===//

#include "Recorder.h"

#include "../Check/Accesses.h"
#include "LdsMemo.h"
#include "tlc/Simulator/Timing/Parameters.h"
#include "tlc/Support/LdsBanks.h"

#include <bit>
#include <cstring>

using namespace tlc::sim;

void WordList::grow(size_t least) {
  capacity = std::max({least, 2 * capacity, leastRoom});
  auto larger = std::make_unique_for_overwrite<uint32_t[]>(capacity);
  std::copy_n(words.get(), count, larger.get());
  words = std::move(larger);
}

/// Empties the record for a new workgroup; the wavefronts' memory is kept for
/// reuse.
void GroupRecord::begin(uint64_t linearId, unsigned count) {
  id = linearId;
  waveCount = count;
  if (waves.size() < count)
    waves.resize(count);
  for (WaveRecord &wave : waves) {
    wave.words.clear();
    wave.head = 0;
    wave.done = false;
  }
}

/// Of all wavefronts: recorded, not replayed yet.
size_t GroupRecord::wordsLeft() const {
  size_t words = 0;
  for (unsigned i = 0; i < waveCount; ++i)
    words += waves[i].left();
  return words;
}

/// Drops what has been replayed.
void GroupRecord::compact() {
  for (WaveRecord &wave : waves) {
    wave.words.drop(wave.head);
    wave.head = 0;
  }
}

namespace {

/// LDS cycles of one execution, in the words of the record.
uint32_t recordedLds(const StaticOp &row, const Wave &wave, const Op &op) {
  const Instruction &inst = *op.inst;
  uint64_t active = wave.exec();
  if (!active)
    return 0;
  // Lane exchanges and forms without an address register pass through once.
  if (!row.laneBytes || inst.has(flag::CrossLane | flag::Gws) ||
      op.src[0].kind != OperandKind::Vector)
    return packLds({2, 0, 0});
  static thread_local LdsMemo memo;
  const uint32_t *base = wave.vgpr + op.src[0].index;
  unsigned number = 2 * row.ldsNumber, bytes = row.laneBytes;
  if (!inst.has(flag::TwoOffsets))
    return memo.cyclesOf(number, row.ldsDirection, bytes, base, inst.offset,
                         active);
  // The two accesses of read2 and write2 go through the banks one after the
  // other.
  unsigned stride = bytes * row.offsetStride;
  return memo.cyclesOf(number, row.ldsDirection, bytes, base,
                       inst.offset0 * stride, active) +
         memo.cyclesOf(number + 1, row.ldsDirection, bytes, base,
                       inst.offset1 * stride, active);
}

/// The lines of 64 bytes that a scalar access touches.
void recordScalar(const Wave &wave, const Op &op, WordList &words) {
  uint32_t *word = words.append(payloadWords(Payload::Scalar));
  const Instruction &inst = *op.inst;
  if (!inst.has(flag::Load | flag::Store) ||
      op.src[0].kind != OperandKind::Scalar) {
    std::fill_n(word, payloadWords(Payload::Scalar), 0);
    return;
  }
  uint64_t address = wave.pair(op.src[0].index);
  if (op.src[0].dwords == 4) // a buffer resource
    address &= (uint64_t(1) << 48) - 1;
  address += inst.offset;
  if (op.src[2].kind == OperandKind::Scalar)
    address += wave.sgpr[op.src[2].index];
  unsigned dwords = inst.has(flag::Load) ? inst.dst.dwords : inst.src[1].dwords;
  uint64_t first = address / param::scalarLineBytes;
  uint64_t last = (address + dwords * 4 - 1) / param::scalarLineBytes;
  word[0] = uint32_t(last - first + 1);
  word[1] = uint32_t(first);
  word[2] = uint32_t(first >> 32);
}

/// The lines of one vector access, each once.
class LineList {
public:
  /// Appends the line, or adds to the halves of one that is there.
  void touch(uint64_t line, unsigned halves) {
    // Neighbouring lanes are mostly in the line just seen.
    if (count && lines[count - 1] == line) {
      masks[count - 1] |= halves;
      return;
    }
    if (!isHashed)
      makeHash();
    unsigned slot = slotOf(line);
    if (unsigned number = slots[slot]) {
      masks[number - 1] |= halves;
      return;
    }
    append(line, halves);
    slots[slot] = uint8_t(count);
  }
  /// Of a line that is not there, and before any that may be.
  void append(uint64_t line, unsigned halves) {
    // Two lines a lane are the most there can be.
    if (count == std::size(lines))
      return;
    lines[count] = line;
    masks[count++] = uint8_t(halves);
  }
  uint64_t lines[2 * waveLanes];
  uint8_t masks[2 * waveLanes];
  unsigned count = 0;

private:
  /// Where its number is, or is to be.
  unsigned slotOf(uint64_t line) const {
    unsigned slot = uint32_t(line) * 0x9e3779b1u >> (32 - slotBits);
    while (slots[slot] && lines[slots[slot] - 1] != line)
      slot = (slot + 1) % std::size(slots);
    return slot;
  }
  void makeHash() {
    isHashed = true;
    std::memset(slots, 0, sizeof(slots));
    for (unsigned i = 0; i < count; ++i)
      slots[slotOf(lines[i])] = uint8_t(i + 1);
  }

  static constexpr unsigned slotBits = 8;
  bool isHashed = false;
  uint8_t slots[1 << slotBits]; ///< numbers from 1 on, by hash
};

/// Whether all lanes move all their bytes and each lies behind the one before
/// it, at a multiple of its size.
bool isDense(const AccessPart &part) {
  uint64_t bytes = part.bytes, differs = part.address[0] & (bytes - 1);
  if (~part.lanes || part.space == Space::Scratch || (bytes & (bytes - 1)))
    return false;
  for (unsigned l = 1; l < waveLanes; ++l)
    differs |= (part.address[l] - part.address[l - 1]) ^ bytes;
  uint8_t cut = 0;
  for (unsigned l = 0; l < waveLanes; ++l)
    cut |= part.inBounds[l] ^ part.bytes;
  return !differs && !cut;
}

/// Where a lane's scratch dword lies: those of a wavefront are interleaved.
uint64_t scratchAddress(const Wave &wave, uint64_t offset, unsigned lane) {
  // An address range of its own, so that scratch never meets buffers in a
  // cache.
  constexpr uint64_t region = uint64_t(1) << 46;
  uint64_t place = (wave.group->linearId * 16 + wave.number) *
                   (uint64_t(wave.privateBytes) * waveLanes);
  return region + place + (offset / 4 * waveLanes + lane) * 4 + offset % 4;
}

/// LDS cycles of the lanes of a FLAT access that went there.
tlc::LdsCycles flatLds(const AccessPart &part) {
  uint32_t addresses[waveLanes] = {};
  for (uint64_t lanes = part.lanes; lanes; lanes &= lanes - 1) {
    unsigned lane = std::countr_zero(lanes);
    addresses[lane] = uint32_t(part.address[lane]);
  }
  return tlc::ldsCycles(part.atomic   ? tlc::LdsDirection::Atomic
                        : part.writes ? tlc::LdsDirection::Write
                                      : tlc::LdsDirection::Read,
                        part.bytes, addresses, part.lanes);
}

/// Of an atomic of \p portion lanes at a time: how many it performs one after
/// the other, where lanes meet in an address.
unsigned operationsOf(const AccessPart &part, unsigned portion) {
  unsigned sum = 0;
  for (unsigned first = 0; first < waveLanes; first += portion) {
    unsigned most = 1;
    for (unsigned i = first; i < first + portion; ++i) {
      unsigned meet = 0;
      for (unsigned j = first; j < first + portion; ++j)
        meet +=
            part.lanes >> j & 1 && part.address[j] / 4 == part.address[i] / 4;
      if (part.lanes >> i & 1)
        most = std::max(most, meet);
    }
    sum += most;
  }
  return sum;
}

/// What `recordVector` appends.
struct VectorWords {
  unsigned lines = 0, addressCycles = 0, bytes = 0, operations = 0;
  tlc::LdsCycles lds;
  uint64_t base = 0; ///< the lowest line

  /// Returns where the lines are to go.
  uint32_t *append(WordList &words) const {
    // `least` is what a dense access of as many bytes would touch: the report
    // compares it with the lines touched.
    unsigned least = (bytes + param::lineBytes - 1) / param::lineBytes;
    uint32_t *word = words.append(5 + lines);
    word[0] = lines | addressCycles << 16;
    word[1] = bytes | operations << 16;
    word[2] = least | packLds(lds) << 8;
    word[3] = uint32_t(base);
    word[4] = uint32_t(base >> 32);
    return word + 5;
  }
  /// A line relative to the lowest, in 30 bits, with its halves above.
  static uint32_t line(uint64_t distance, unsigned halves) {
    return (uint32_t(distance) & 0x3fffffff) | uint32_t(halves) << 30;
  }
};

/// Which number a line has in the access. What earlier accesses have left is
/// told by its stamp, so that nothing need be cleared.
struct LineNumbers {
  static constexpr unsigned bits = 10;
  uint32_t stamp = 0;
  struct Slot {
    uint32_t stamp = 0, number = 0;
  } slots[1 << bits] = {};

  void startAccess() {
    if (!++stamp) { // all have been given out
      std::fill_n(slots, std::size(slots), Slot());
      stamp = 1;
    }
  }
  /// Where the number of \p line is, or is to be.
  template <typename LineOf> Slot &find(uint32_t line, LineOf &&lineOf) {
    unsigned slot = line * 0x9e3779b1u >> (32 - bits);
    while (slots[slot].stamp == stamp && lineOf(slots[slot].number) != line)
      slot = (slot + 1) % std::size(slots);
    return slots[slot];
  }
};

/// The same as below for elements that each lie within half a line: in one
/// piece of memory, aligned, in bounds or masked away. Appends nothing and
/// returns false where that is not so.
bool recordAligned(const AccessPart &part, unsigned portion,
                   unsigned operations, WordList &words) {
  constexpr unsigned half = param::lineBytes / 2;
  unsigned bytes = part.bytes;
  if (part.space != Space::Global || (bytes & (bytes - 1)) || bytes > half)
    return false;
  uint8_t cut = 0;
  for (unsigned l = 0; l < waveLanes; ++l)
    cut |= part.inBounds[l] ^ bytes;
  uint64_t active = part.lanes;
  for (unsigned l = 0; cut && l < waveLanes; ++l) {
    if (part.inBounds[l] == 0)
      active &= ~(uint64_t(1) << l);
    else if (part.inBounds[l] != bytes)
      return false;
  }
  // The active lanes' addresses, close together.
  uint64_t some[waveLanes];
  const uint64_t *address = part.address;
  unsigned count = std::popcount(active);
  if (!count)
    return false;
  if (~active) {
    unsigned i = 0;
    for (uint64_t lanes = active; lanes; lanes &= lanes - 1)
      some[i++] = part.address[std::countr_zero(lanes)];
    address = some;
  }
  uint64_t low = address[0], high = low, bits = low;
  for (unsigned i = 1; i < count; ++i) {
    low = std::min(low, address[i]);
    high = std::max(high, address[i]);
    bits |= address[i];
  }
  low -= low % param::lineBytes;
  if (bits & (bytes - 1) || (high - low) / half > ~uint32_t(0))
    return false;
  uint32_t halves[waveLanes]; // from the lowest line on
  for (unsigned i = 0; i < count; ++i)
    halves[i] = uint32_t((address[i] - low) / half);
  VectorWords result;
  result.bytes = count * bytes;
  result.operations = operations;
  result.base = low / param::lineBytes;
  // Each further line in a portion costs the address unit a cycle.
  unsigned i = 0;
  for (unsigned first = 0; first < waveLanes; first += portion) {
    unsigned end =
        i + std::popcount(active >> first & ((uint64_t(1) << portion) - 1));
    unsigned cycles = 1;
    for (unsigned j = i + 1; j < end; ++j)
      cycles += halves[j] / 2 != halves[j - 1] / 2;
    result.addressCycles += cycles;
    i = end;
  }
  static thread_local LineNumbers numbers;
  numbers.startAccess();
  uint32_t lines[waveLanes];
  uint8_t masks[waveLanes];
  unsigned &known = result.lines;
  auto lineOf = [&](uint32_t number) { return lines[number]; };
  for (unsigned i = 0; i < count; ++i) {
    uint32_t line = halves[i] / 2;
    uint8_t mask = uint8_t(1u << halves[i] % 2);
    // Neighbouring lanes are mostly in the line just seen.
    if (known && lines[known - 1] == line) {
      masks[known - 1] |= mask;
      continue;
    }
    LineNumbers::Slot &slot = numbers.find(line, lineOf);
    if (slot.stamp == numbers.stamp) {
      masks[slot.number] |= mask;
      continue;
    }
    slot = {numbers.stamp, known};
    lines[known] = line;
    masks[known++] = mask;
  }
  uint32_t *word = result.append(words);
  for (unsigned i = 0; i < known; ++i)
    word[i] = VectorWords::line(lines[i], masks[i]);
  return true;
}

/// Lines, address cycles and bytes of one vector memory instruction.
void recordVector(const StaticOp &row, const Wave &wave, const Op &op,
                  WordList &words) {
  LineList list;
  VectorWords result;
  unsigned &addressCycles = result.addressCycles, &bytes = result.bytes;
  AccessParts parts;
  findAccesses(wave, op, *row.facts, parts);
  for (const AccessPart &part : parts) {
    if (part.space == Space::Lds) {
      // The LDS side of a load to LDS is dense; FLAT lanes that went to LDS are
      // not.
      if (!row.toLds)
        result.lds = flatLds(part);
      continue;
    }
    // 64 bytes: 16 lanes of a dword, 8 of two, 4 of more.
    unsigned portion = part.bytes <= 4 ? 16 : part.bytes <= 8 ? 8 : 4;
    if (row.isAtomic)
      result.operations += operationsOf(part, portion);
    if (isDense(part)) {
      unsigned step = portion * part.bytes;
      uint64_t begin = part.address[0], end = begin + waveLanes * part.bytes;
      bytes += unsigned(end - begin);
      bool first = list.count == 0;
      for (uint64_t line = begin / param::lineBytes;
           line <= (end - 1) / param::lineBytes; ++line) {
        unsigned halves = (line * 2 >= begin / 64 ? 1 : 0) |
                          (line * 2 + 1 <= (end - 1) / 64 ? 2 : 0);
        first ? list.append(line, halves) : list.touch(line, halves);
      }
      for (uint64_t at = begin; at < end; at += step)
        addressCycles += unsigned((at + step - 1) / param::lineBytes -
                                  at / param::lineBytes + 1);
      continue;
    }
    bool isOnly =
        &part == parts.begin() && (&part + 1 == parts.end() || row.toLds);
    if (isOnly && recordAligned(part, portion, result.operations, words))
      return;
    for (unsigned first = 0; first < waveLanes; first += portion) {
      uint64_t lanes = part.lanes >> first & ((uint64_t(1) << portion) - 1);
      unsigned inPortion = 0;
      uint64_t previous = ~uint64_t(0);
      for (; lanes; lanes &= lanes - 1) {
        unsigned lane = first + std::countr_zero(lanes);
        unsigned size = part.inBounds[lane];
        if (!size)
          continue;
        uint64_t address = part.address[lane];
        if (part.space == Space::Scratch) {
          address = scratchAddress(wave, address, lane);
          size = std::min(size, 4u);
        }
        bytes += size;
        uint64_t line = address / param::lineBytes;
        // A lane's element may cross a line.
        uint64_t last = (address + size - 1) / param::lineBytes;
        // Which of the line's two 64-byte halves are touched, one bit each.
        unsigned halves = 1u << (address / 64 & 1);
        if ((address + size - 1) / 64 != address / 64)
          halves = 3;
        if (last != line) {
          list.touch(line, 2);
          list.touch(last, 1);
          ++inPortion;
        } else {
          list.touch(line, halves);
        }
        // A further line in the portion costs the address unit a cycle.
        if (line != previous)
          ++inPortion;
        previous = last;
      }
      addressCycles += std::max(1u, inPortion);
    }
  }
  result.lines = list.count;
  result.base = list.count ? list.lines[0] : 0;
  for (unsigned i = 1; i < list.count; ++i)
    result.base = std::min(result.base, list.lines[i]);
  uint32_t *word = result.append(words);
  for (unsigned i = 0; i < list.count; ++i)
    word[i] = VectorWords::line(list.lines[i] - result.base, list.masks[i]);
}

} // namespace

/// Called just before the instruction runs, as it may overwrite the registers
/// that hold its addresses.
void tlc::sim::recordInstruction(CodeTable &code, const Wave &wave,
                                 const Op &op, GroupRecord &record) {
  const StaticOp &row = code.get(op);
  WordList &words = record.waves[wave.number].words;
  uint32_t index = code.indexOf(op);
  words.push_back(index);
  switch (row.payload) {
  case Payload::None:
    return;
  case Payload::Lds:
    if (!record.hasLdsCycles) {
      words.push_back(0);
      return;
    }
    words.push_back(recordedLds(row, wave, op));
    return;
  case Payload::Scalar:
    return recordScalar(wave, op, words);
  case Payload::Vector:
    return recordVector(row, wave, op, words);
  }
}
