//===- Layout.h - Where each element of a tile lives ------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A layout maps a logical index (one integer per dimension) to coordinates in
// three places: a register slot, a thread of the workgroup, a memory element.
// Each dimension is cut into mixed-radix digits, innermost first; a digit adds
// `value * stride` to the coordinate of its place, a flipped one counts down.
// Extents need not be powers of two. Optional XORs permute the memory
// coordinate, and others the thread.
//
// The digits of a dimension may cover more than its extent (padding); indices
// beyond the extent are held by someone, and mean nothing.
//
// No MLIR here.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LAYOUT_LAYOUT_H
#define TLC_LAYOUT_LAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tlc {

enum class Place : uint8_t { Register, Thread, Memory };

/// One mixed-radix digit of a dimension.
struct Digit {
  int64_t extent;
  Place place;
  int64_t stride;
  bool flipped = false; ///< value v adds (extent - 1 - v) * stride
  bool operator==(const Digit &o) const {
    return extent == o.extent && place == o.place && stride == o.stride &&
           flipped == o.flipped;
  }
  /// The digit's part of the coordinate, divided by its stride, from its value;
  /// and the value from the part.
  int64_t counted(int64_t v) const { return flipped ? extent - 1 - v : v; }
};

/// One XOR term of a coordinate m (memory: in elements):
/// m ^= ((m >> shiftRight) & mask) << shiftLeft. The bits read lie above the
/// bits changed, so that the map stays a bijection, and its own inverse.
struct XorTerm {
  int64_t shiftRight, mask, shiftLeft;
  bool operator==(const XorTerm &o) const {
    return shiftRight == o.shiftRight && mask == o.mask &&
           shiftLeft == o.shiftLeft;
  }
  int64_t apply(int64_t m) const {
    return m ^ ((m >> shiftRight) & mask) << shiftLeft;
  }
};

/// Coordinates of one element. `thread` is the first of its holders where the
/// element is replicated.
struct Coord {
  int64_t reg = 0, thread = 0, memory = 0;
  bool operator==(const Coord &o) const {
    return reg == o.reg && thread == o.thread && memory == o.memory;
  }
};

class Layout {
public:
  using Digits = llvm::SmallVector<Digit, 4>;

  Layout() = default;
  explicit Layout(llvm::ArrayRef<Digits> dims,
                  llvm::ArrayRef<XorTerm> xors = {},
                  llvm::ArrayRef<XorTerm> threadXors = {})
      : dims(dims.begin(), dims.end()), xors(xors.begin(), xors.end()),
        threadXors(threadXors.begin(), threadXors.end()) {}

  /// Row-major memory of the given shape.
  static Layout rowMajor(llvm::ArrayRef<int64_t> shape);
  /// Every thread holds everything: slots are row-major.
  static Layout replicated(llvm::ArrayRef<int64_t> shape);
  /// Points of `shape` flattened row-major, `vector` consecutive ones in a
  /// thread's registers, then over `threads` threads, then further registers.
  /// `vector` divides the last extent. Extents are padded where they must be.
  static Layout coalesced(llvm::ArrayRef<int64_t> shape, int64_t threads,
                          int64_t vector);

  unsigned rank() const { return dims.size(); }
  llvm::ArrayRef<Digit> dim(unsigned d) const { return dims[d]; }
  llvm::ArrayRef<XorTerm> xorTerms() const { return xors; }
  llvm::ArrayRef<XorTerm> threadXorTerms() const { return threadXors; }
  llvm::SmallVector<Digits, 4> &mutableDims() { return dims; }

  /// Whether no digit is flipped and no thread XORed.
  bool countsUp() const;

  /// Product of the digit extents of a dimension: at least its logical extent.
  int64_t covered(unsigned d) const;
  /// One more than the largest coordinate in a place.
  int64_t span(Place place) const;
  int64_t numRegisters() const { return span(Place::Register); }

  /// Where an index lives. Indices are within `covered`.
  Coord at(llvm::ArrayRef<int64_t> index) const;
  /// The index held in register slot `reg` of `thread`. Threads in replica
  /// positions give the same index as the thread they repeat. Slots and thread
  /// values that no digit reaches give std::nullopt.
  std::optional<llvm::SmallVector<int64_t, 4>> indexOf(int64_t thread,
                                                       int64_t reg) const;
  /// Whether `thread` is the first holder of its elements (not a replica).
  bool isOwner(int64_t thread) const;
  /// The thread that the thread digits give, before the XORs.
  int64_t digitsOfThread(int64_t thread) const;
  /// The same for a sum of thread digits, the other way round.
  int64_t threadOfDigits(int64_t digits) const;
  /// Whether `thread` (of `threads`) holds `index`, replicas included, and in
  /// which slot; std::nullopt if it does not.
  std::optional<int64_t> slotIn(int64_t thread,
                                llvm::ArrayRef<int64_t> index) const;

  /// The stride of dimension d in memory, if its index only ever adds to the
  /// memory coordinate: at(i).memory == at(i with i[d] = 0).memory + i[d] *
  /// stride for all i, and beyond the extent as well. None where the dimension
  /// has several digits or the XOR sees its bits.
  std::optional<int64_t> linearStride(unsigned d) const;

  /// Without dimension d: its register digits disappear (slots are compacted),
  /// its thread digits become replication. What a reduction leaves.
  Layout withoutDim(unsigned d) const;
  /// With a new dimension of the given digits before dimension d.
  Layout withDim(unsigned d, llvm::ArrayRef<Digit> digits) const;

  /// The layout of the same elements, numbered in the same order, as a tile of
  /// shape `to` where this is one of shape `from`. None where the shapes do not
  /// split into dimensions of the same product, or a digit would have to be
  /// cut at what does not divide it.
  std::optional<Layout> reshaped(llvm::ArrayRef<int64_t> from,
                                 llvm::ArrayRef<int64_t> to) const;
  /// The layout in memory of the same bytes as elements of another size, the
  /// last dimension taking the change: elements of `before` bytes become ones
  /// of `after` bytes. None where elements that become one do not lie together.
  std::optional<Layout> resized(int64_t before, int64_t after) const;
  /// Both: `from` of elements of `before` bytes, seen as `to` of `after` bytes.
  std::optional<Layout> seenAs(llvm::ArrayRef<int64_t> from, int64_t before,
                               llvm::ArrayRef<int64_t> to,
                               int64_t after) const;

  /// Compact register strides: digits keep their order, slots have no holes.
  Layout compactRegisters() const;

  bool operator==(const Layout &o) const {
    return dims == o.dims && xors == o.xors && threadXors == o.threadXors;
  }
  bool operator!=(const Layout &o) const { return !(*this == o); }
  llvm::hash_code hash() const;
  /// The text form of `#tile.layout<...>`, without the brackets around it.
  std::string str() const;

private:
  llvm::SmallVector<Digits, 4> dims;
  llvm::SmallVector<XorTerm, 2> xors, threadXors;
};

/// Layout::indexOf of many threads and registers: an index is a sum of digits,
/// so threads and registers are tabulated apart.
class PointTable {
public:
  PointTable(const Layout &layout, int64_t threads, int64_t registers);
  /// Writes the index (as many dimensions as the layout has); false where
  /// indexOf gives nothing.
  bool at(int64_t thread, int64_t reg,
          llvm::MutableArrayRef<int64_t> index) const;

private:
  size_t rank;
  std::vector<int64_t> ofThread, ofRegister; ///< rank values each
  llvm::SmallVector<bool> exists;            ///< of each register
};

/// Where an access at `index` of a dimension of `extent` goes that may as well
/// go elsewhere, as long as it stays inside: beyond the end it meets the last
/// elements, whole power-of-two groups of which stay in order, so that wide
/// accesses stay wide.
int64_t clampedIndex(int64_t index, int64_t extent);
/// The largest such group, at most 16 elements.
int64_t clampUnit(int64_t extent);

inline llvm::hash_code hash_value(const Layout &layout) {
  return layout.hash();
}

} // namespace tlc

#endif // TLC_LAYOUT_LAYOUT_H
