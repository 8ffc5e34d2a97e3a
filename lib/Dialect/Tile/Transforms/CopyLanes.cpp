//===- CopyLanes.cpp - Which lane brings what into a shared buffer --------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A map of lanes for a copy deals the digits of its two dimensions out to
// registers and threads. The search space is small on purpose: a block of rows
// x cols elements a thread, `low` threads beside one another in a row, and
// whether neighbouring row groups meet in a lane pair or in one thread. For 64
// x 64 f16 and 256 threads, cols 8 and low 8, it is [32:t8, 2:r8], [8:r1,
// 8:t1]: eight lanes load 128 contiguous bytes of a row.
//
//===----------------------------------------------------------------------===//

#include "CopyLanes.h"
#include "tlc/Dialect/Tile/Transforms/TileAccess.h"
#include <numeric>

using namespace mlir;
using namespace tlc;
using namespace tlc::tile;

/// Nothing where another op fills the buffer, where a copy has no layout yet or
/// is not two-dimensional, or where the staging fragment has any other reader
/// or writer: its lanes would then not be free.
std::optional<FreeCopies> tile::findFreeCopies(AllocOp shared) {
  FreeCopies copies;
  for (const BufferUse &use : getAllUses(shared.getResult())) {
    if (!use.write)
      continue;
    auto copy = dyn_cast<CopyOp>(use.op);
    // Each writer must be a copy that the layout inference has laid out.
    if (!copy || !copy.getLayout())
      return std::nullopt;
    copies.writes.push_back(copy);
    SmallVector<int64_t> points = getPoints(copy);
    if (points.size() != 2 ||
        (!copies.points.empty() && copies.points != points))
      return std::nullopt;
    copies.points = points;
    if (getSpace(copy.getSrc()) == Space::Global)
      continue;
    auto staging = copy.getSrc().getDefiningOp<AllocOp>();
    if (!staging || getSpace(staging.getType()) != Space::Fragment ||
        (copies.staging && copies.staging != staging))
      return std::nullopt;
    copies.staging = staging;
  }
  if (copies.writes.empty())
    return std::nullopt;
  // The fragment between must be filled by loads of the same points only.
  if (copies.staging)
    for (Operation *user : copies.staging->getUsers()) {
      auto copy = dyn_cast<CopyOp>(user);
      if (!copy)
        return std::nullopt;
      if (llvm::is_contained(copies.writes, copy))
        continue;
      if (copy.getDst() != copies.staging.getResult() ||
          getSpace(copy.getSrc()) != Space::Global ||
          getPoints(copy) != copies.points)
        return std::nullopt;
      copies.loads.push_back(copy);
    }
  return copies;
}

/// Gives loads, writes and the staging fragment the same layout, so that
/// nothing moves between lanes; unit dimensions of the fragment get no digits.
void FreeCopies::setLayout(const Layout &layout) const {
  for (const auto *list : {&writes, &loads})
    for (CopyOp copy : *list)
      copy.setLayoutAttr(LayoutAttr::get(copy.getContext(), layout));
  if (!staging)
    return;
  SmallVector<Layout::Digits> dims;
  unsigned next = 0;
  AllocOp alloc = staging;
  for (int64_t extent : cast<MemRefType>(alloc.getType()).getShape())
    dims.emplace_back(extent == 1 ? ArrayRef<Digit>() : layout.dim(next++));
  alloc.setLayoutAttr(LayoutAttr::get(alloc.getContext(), Layout(dims)));
}

namespace {
/// Deals digits out to registers and threads; the digits of each dimension are
/// given innermost first, threads and registers are numbered in any order.
class LaneMapBuilder {
public:
  LaneMapBuilder(int64_t threads) : room(threads) {}

  /// A digit that is placed later. Returns its handle.
  // Order of calls fixes the order of digits in a dimension; the place follows
  // by handle, so that registers and threads can be numbered in another order.
  unsigned addDigit(unsigned dim, int64_t extent) {
    digits[dim].push_back({extent, Place::Register, 0});
    handles.push_back({dim, unsigned(digits[dim].size() - 1)});
    return handles.size() - 1;
  }
  void toRegisters(unsigned handle) {
    Digit &d = at(handle);
    d = {d.extent, Place::Register, registers};
    registers *= d.extent;
  }
  // Refuses an extent that does not divide the threads left.
  bool toThreads(unsigned handle) {
    Digit &d = at(handle);
    if (room % d.extent)
      return false;
    d = {d.extent, Place::Thread, threads};
    threads *= d.extent;
    room /= d.extent;
    return true;
  }
  /// As much of `extent` as divides the threads that are left goes there, the
  /// rest to registers.
  void spread(unsigned dim, int64_t extent) {
    int64_t part = std::gcd(extent, room);
    if (part > 1)
      toThreads(addDigit(dim, part));
    if (extent / part > 1)
      toRegisters(addDigit(dim, extent / part));
  }
  Layout finish() const {
    SmallVector<Layout::Digits> dims(2);
    for (unsigned d : {0, 1})
      for (const Digit &digit : digits[d])
        if (digit.extent > 1)
          dims[d].push_back(digit);
    return Layout(dims);
  }

private:
  Digit &at(unsigned handle) {
    return digits[handles[handle].first][handles[handle].second];
  }
  Layout::Digits digits[2];
  SmallVector<std::pair<unsigned, unsigned>> handles;
  int64_t room, threads = 1, registers = 1;
};

/// Where a pair of row groups goes.
enum class Pair { None, Lane, Register };
} // namespace

/// A thread takes `rows` x `cols` elements that touch, `low` threads in a row
/// lie beside one another. Row groups 1 and 2 apart may be taken out of their
/// order: to neighbouring lanes, or to one thread.
static std::optional<Layout> laneMap(ArrayRef<int64_t> points, int64_t threads,
                                     int64_t rows, int64_t cols, int64_t low,
                                     Pair first, Pair second) {
  int64_t rowGroups = points[0] / rows, colGroups = points[1] / cols;
  if (points[0] % rows || points[1] % cols || colGroups % low)
    return std::nullopt;
  // Digits of a dimension are created innermost first; the calls that place
  // them are in order of register and thread numbers.
  LaneMapBuilder b(threads);
  b.toRegisters(b.addDigit(1, cols));
  unsigned taken = b.addDigit(0, rows);
  unsigned pairs[2];
  Pair kinds[2] = {first, second};
  // A pair for two row groups apart needs the pair for one apart as a digit
  // below it, placed or not.
  for (unsigned p : {0, 1}) {
    bool needed = kinds[p] != Pair::None || (p == 0 && kinds[1] != Pair::None);
    pairs[p] = b.addDigit(0, needed ? 2 : 1);
    if (needed) {
      if (rowGroups % 2)
        return std::nullopt;
      rowGroups /= 2;
    }
  }
  b.toRegisters(taken);
  for (unsigned p : {0, 1})
    if (kinds[p] == Pair::Register)
      b.toRegisters(pairs[p]);
  // Lanes: first along the row, for contiguous lines, then the pairs.
  if (!b.toThreads(b.addDigit(1, low)))
    return std::nullopt;
  for (unsigned p : {0, 1})
    if (kinds[p] == Pair::Lane && !b.toThreads(pairs[p]))
      return std::nullopt;
  b.spread(1, colGroups / low);
  if (kinds[0] == Pair::None && !b.toThreads(pairs[0]))
    return std::nullopt;
  // Threads left over go along the rows, then to registers.
  b.spread(0, rowGroups);
  return b.finish();
}

/// At most a few hundred maps; tile-swizzle-lds stops at the first that a
/// swizzle serves.
std::vector<Layout> tile::copyLaneMaps(ArrayRef<int64_t> points,
                                       int64_t threads, int64_t elementBytes,
                                       bool transposes) {
  std::vector<Layout> maps;
  // Columns whose number has an odd factor leave that to the registers of all
  // threads, in narrow pieces: up to a power of two if few lanes then idle.
  constexpr int64_t kMostIdle = 8; // one in so many
  SmallVector<int64_t> padded(points);
  padded[1] = llvm::PowerOf2Ceil(points[1]);
  bool pads = transposes && padded[1] != points[1] &&
              (padded[1] - points[1]) * kMostIdle <= padded[1];
  auto add = [&](int64_t rows, int64_t cols, int64_t low, Pair a, Pair b) {
    for (ArrayRef<int64_t> all : {points, ArrayRef<int64_t>(padded)}) {
      std::optional<Layout> map = laneMap(all, threads, rows, cols, low, a, b);
      if (map && !llvm::is_contained(maps, *map))
        maps.push_back(*map);
      if (!pads)
        break;
    }
  };
  int64_t unit = 16 / elementBytes;
  // Wide loads, then those whose neighbours in a row are many.
  for (int64_t cols = unit; cols >= 1; cols /= 2) {
    // Below four bytes only element by element, and only if nothing wider is
    // possible.
    if (cols * elementBytes < 4 && cols != 1)
      continue;
    for (int64_t low : {16, 8, 4, 32, 2, 64, 1}) {
      if (!transposes) {
        add(1, cols, low, Pair::None, Pair::None);
        add(1, cols, low, Pair::None, Pair::Lane);
        continue;
      }
      // Writes of 8, then of 16 and of 4 bytes.
      int64_t eight = 8 / elementBytes;
      for (int64_t rows : {eight, unit, eight / 2}) {
        if (rows < 1)
          continue;
        for (Pair a : {Pair::None, Pair::Lane, Pair::Register})
          for (Pair b : {Pair::None, Pair::Lane, Pair::Register})
            add(rows, cols, low, a, b);
      }
    }
    if (!maps.empty() && cols * elementBytes <= 4)
      break;
  }
  // Few loads and writes a thread; then few registers, where threads would
  // idle.
  auto cost = [&](const Layout &map) {
    auto touching = [&](unsigned dim) {
      ArrayRef<Digit> digits = map.dim(dim);
      // The innermost digit in registers is what one access moves.
      return !digits.empty() && digits.front().place == tlc::Place::Register
                 ? digits.front().extent
                 : 1;
    };
    int64_t registers = map.numRegisters();
    return std::make_pair(registers / touching(1) +
                              registers / touching(transposes ? 0 : 1),
                          registers);
  };
  llvm::stable_sort(maps, [&](const Layout &a, const Layout &b) {
    return cost(a) < cost(b);
  });
  return maps;
}
