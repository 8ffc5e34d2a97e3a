//===- StoreExchange.cpp - Lanes of a wavefront trade what they write -----===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The columns of a row are the innermost digits of the last dimension, up to
// the first that tells wavefronts apart; register digits that would make a row
// longer than a line or two stay outside. All lane digits of the other
// dimensions are rows, in their order. The remaining register digits number
// the chunks.
//
// After the exchange, a vector of 16 bytes is in one lane, as many lanes as a
// row has vectors lie side by side, the next lanes have the next rows, and the
// rows that are left go to further registers.
//
//===----------------------------------------------------------------------===//

#include "tlc/Dialect/Tile/Transforms/StoreExchange.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace tlc;
using namespace tlc::tile;

namespace {
constexpr int64_t kWave = 64;
constexpr int64_t kVectorBytes = 16;
/// Bytes of a row: as much as one store of a few lanes writes.
constexpr int64_t kRowBytes = 256;
/// Rows that fill the banks once, from which on they are swizzled.
constexpr int64_t kSwizzledBytes = 128;
} // namespace

static bool isLane(const Digit &d) {
  return d.place == Place::Thread && d.stride < kWave;
}

/// Walks the digits of the last dimension outwards while they stay in one store
/// instruction: a vector's registers, then lanes.
int64_t tile::contiguousBytes(const Layout &layout, int64_t bytes) {
  int64_t run = 1;
  bool lanes = false;
  for (const Digit &d : layout.dim(layout.rank() - 1)) {
    // Registers beyond the first lanes are other instructions.
    if (d.place == Place::Register && (lanes || run * bytes >= kVectorBytes))
      break;
    if (d.place == Place::Thread && !isLane(d))
      break;
    lanes |= d.place == Place::Thread;
    run *= d.extent;
  }
  return run * bytes;
}

int64_t tile::columnsOfPitch(int64_t pitch, int64_t bytes) {
  return pitch * bytes >= kSwizzledBytes ? pitch : pitch - kVectorBytes / bytes;
}

/// Refuses layouts with an XOR, with replicas (fewer than 64 distinct lanes),
/// with a digit across wavefronts, and rows that are no power of two of whole
/// vectors. Linear in the digits.
///
/// For the result of v_mfma_f32_32x32x8 in f16, rows [32:t1] and columns [4:r1,
/// 2:t32, 4:r4]: a chunk is 32 rows of 32 columns, written in fours and read
/// back as eight neighbours a lane, four lanes a row.
std::optional<StoreExchange>
tile::planExchange(const Layout &layout, int64_t bytes, int64_t columns) {
  if (!layout.xorTerms().empty() || !layout.threadXorTerms().empty() ||
      layout.rank() == 0)
    return std::nullopt;
  unsigned last = layout.rank() - 1;
  int64_t lanes = 1;
  for (unsigned d = 0; d <= last; ++d)
    for (const Digit &digit : layout.dim(d)) {
      if (digit.place == Place::Memory || digit.flipped)
        return std::nullopt;
      if (!isLane(digit))
        continue;
      // A digit of lanes and wavefronts at once would have to be cut.
      if (digit.stride * digit.extent > kWave)
        return std::nullopt;
      lanes *= digit.extent;
    }
  if (lanes != kWave)
    return std::nullopt; // replicas: each has its own
  StoreExchange e;
  e.vector = kVectorBytes / bytes;

  // Columns. A register digit may give a part of itself.
  Layout::Digits tail(layout.dim(last));
  unsigned inRow = 0;
  e.columns = 1;
  int64_t limit = columns ? columns : kRowBytes / bytes;
  for (; inRow < tail.size() && e.columns < limit; ++inRow) {
    Digit d = tail[inRow];
    if (d.place == Place::Register) {
      int64_t part = 1;
      while (d.extent % (2 * part) == 0 && e.columns * 2 * part <= limit)
        part *= 2;
      if (part == 1)
        break;
      if (part < d.extent) {
        tail[inRow].extent = part;
        tail.insert(tail.begin() + inRow + 1,
                    {d.extent / part, d.place, d.stride * part});
      }
    } else if (!isLane(d)) {
      break;
    }
    e.columns *= tail[inRow].extent;
  }
  if (!llvm::isPowerOf2_64(e.columns) || e.columns < e.vector ||
      (columns && e.columns != columns))
    return std::nullopt;
  // Lanes further out in the last dimension would be rows of it.
  ArrayRef<Digit> inner = ArrayRef<Digit>(tail).take_front(inRow);
  ArrayRef<Digit> beyond = ArrayRef<Digit>(tail).drop_front(inRow);
  if (llvm::any_of(beyond, isLane))
    return std::nullopt;
  // Short rows: a little apart, so that they begin in different banks.
  e.swizzled = e.columns * bytes >= kSwizzledBytes;
  e.pitch = e.columns + (e.swizzled ? 0 : e.vector);

  // Before the exchange.
  SmallVector<std::pair<int64_t, int64_t>> chunks = {{0, 0}};
  e.written = {{0, 0}};
  // Both numbers of each entry, for every value of one more digit.
  auto multiply = [](SmallVector<std::pair<int64_t, int64_t>> &list,
                     int64_t extent, int64_t first, int64_t second) {
    SmallVector<std::pair<int64_t, int64_t>> more;
    for (int64_t v = 0; v < extent; ++v)
      for (auto [a, b] : list)
        more.push_back({a + v * first, b + v * second});
    list = std::move(more);
  };
  int64_t place = 1;
  for (const Digit &d : inner) {
    if (isLane(d))
      e.writer.push_back({d.extent, d.stride, place});
    else
      multiply(e.written, d.extent, d.stride, place);
    place *= d.extent;
  }

  // Lanes and registers of a chunk after it.
  int64_t across = std::min(e.columns / e.vector, kWave);
  // A row longer than 64 lanes' vectors gives a lane several.
  int64_t vectorsInLane = e.columns / e.vector / across;
  int64_t rowLanes = kWave / across, registers = e.vector, lane = across;
  // A read's rows must agree on whether their halves are swapped.
  int64_t neighbours = 1;
  while (neighbours < int64_t(e.written.size()) &&
         e.written[neighbours].second == neighbours)
    ++neighbours;
  e.halves = e.swizzled && neighbours < e.vector &&
             rowLanes <= StoreExchange::kSwapBit;
  e.reader.push_back({across, 1, e.vector});
  e.read = {{0, 0}};
  multiply(e.read, vectorsInLane, registers, across * e.vector);
  Layout::Digits row = {{e.vector, Place::Register, 1},
                        {across, Place::Thread, 1}};
  if (vectorsInLane > 1)
    row.push_back({vectorsInLane, Place::Register, registers});
  registers *= vectorsInLane;
  SmallVector<Layout::Digits> dims(layout.rank());
  e.rows = 1;
  for (unsigned dim = last; dim-- > 0;)
    for (const Digit &d : layout.dim(dim)) {
      if (!isLane(d)) {
        dims[dim].push_back(d); // renumbered below
        continue;
      }
      e.writer.push_back({d.extent, d.stride, e.rows * e.pitch});
      // The part of a row digit that lanes take; the rest goes to registers.
      int64_t low = std::min(rowLanes, d.extent);
      if (d.extent % low)
        return std::nullopt;
      if (low > 1) {
        e.reader.push_back({low, lane, e.rows * e.pitch});
        dims[dim].push_back({low, Place::Thread, lane});
        lane *= low;
        rowLanes /= low;
      }
      if (int64_t high = d.extent / low; high > 1) {
        multiply(e.read, high, registers, e.rows * low * e.pitch);
        // Marked as done by the place that no layout of registers has.
        dims[dim].push_back({high, Place::Memory, registers});
        registers *= high;
      }
      e.rows *= d.extent;
    }
  if (rowLanes != 1)
    return std::nullopt;
  for (const Digit &d : beyond)
    row.push_back(d);
  dims[last] = row;

  // The other registers number the chunks.
  unsigned fixed = vectorsInLane > 1 ? 3 : 2;
  for (unsigned dim = 0; dim <= last; ++dim)
    for (auto [i, d] : llvm::enumerate(dims[dim])) {
      if (dim == last && i < fixed)
        continue;
      if (d.place == Place::Memory) {
        d.place = Place::Register;
      } else if (d.place == Place::Register) {
        multiply(chunks, d.extent, d.stride, registers);
        d.stride = registers;
        registers *= d.extent;
      }
    }
  e.chunks = std::move(chunks);
  e.layout = Layout(dims);
  return e;
}
