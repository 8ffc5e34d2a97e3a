//===- Pace.h - How fast workgroups that share a CU get on ------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Workgroups on a compute unit are not served alike: the older one's
// wavefronts go first, or those of higher priority. So the rate at which one
// executes instructions is kept by how many share the unit and by its age among
// them.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_TIMING_PACE_H
#define TLC_LIB_SIMULATOR_TIMING_PACE_H

#include <cstddef>
#include <vector>

namespace tlc::sim {

class Pace {
public:
  struct Cell {
    double cycles = 0, instructions = 0;
  };
  /// \p sharing workgroups are on the unit, \p rank of them are older.
  Cell &at(unsigned sharing, unsigned rank) {
    size_t index = indexOf(sharing, rank);
    if (index >= cells.size())
      cells.resize(index + 1);
    return cells[index];
  }
  Cell get(unsigned sharing, unsigned rank) const {
    size_t index = indexOf(sharing, rank);
    return index < cells.size() ? cells[index] : Cell();
  }
  void clear() { cells.clear(); }
  /// Instructions a cycle of a workgroup, on average.
  double mean() const {
    Cell sum;
    for (const Cell &cell : cells) {
      sum.cycles += cell.cycles;
      sum.instructions += cell.instructions;
    }
    return sum.cycles > 0 ? sum.instructions / sum.cycles : 0;
  }

private:
  static size_t indexOf(unsigned sharing, unsigned rank) {
    return size_t(sharing) * (sharing - 1) / 2 + rank;
  }
  std::vector<Cell> cells;
};

/// Instructions a cycle of each workgroup on a unit, from what was measured
/// with `full` of them and with one alone. With a number in between, all
/// together get on as fast as those alone would, but no faster than a full
/// unit.
class Shares {
public:
  /// \p alone: instructions a cycle; 0 if that was not measured. \p toTheEnd:
  /// so it was measured, and whatever number is rare is so in what it is for.
  Shares(const Pace &measured, unsigned full, double alone,
         bool toTheEnd = false);

  double of(unsigned sharing, unsigned rank) const {
    if (sharing >= rates.size()) // one has ended just when the other began
      sharing = unsigned(rates.size()) - 1;
    const std::vector<double> &some = rates[sharing];
    return some[rank < sharing ? rank : sharing - 1];
  }

private:
  std::vector<std::vector<double>> rates; ///< by number, by rank
};

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_TIMING_PACE_H
