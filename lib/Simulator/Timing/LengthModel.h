//===- LengthModel.h - Instructions of every workgroup ----------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How many instructions each workgroup of a launch executes, without running
// them all: some are counted, spread over the grid at places drawn within equal
// parts of it, so that no period of the grid can hide.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_TIMING_LENGTHMODEL_H
#define TLC_LIB_SIMULATOR_TIMING_LENGTHMODEL_H

#include "Machine.h"

#include <array>
#include <map>
#include <string>

namespace tlc::sim {

/// Runs workgroups without the model.
class LengthSource {
public:
  virtual ~LengthSource() = default;
  /// Instructions of a workgroup.
  virtual uint64_t count(uint64_t id) = 0;
  /// The scalar registers of its first wavefront after \p instructions of its
  /// own; the others do not run. Null if that is not possible.
  virtual const uint32_t *begin(uint64_t id, uint64_t instructions) = 0;
};

class LengthModel {
public:
  /// Scalar registers as signed numbers.
  using Row = std::array<float, 104>;

  /// \p budget: instructions worth spending on it.
  LengthModel(uint64_t workgroups, unsigned waves, uint64_t budget,
              LengthSource &source);

  double lengthOf(uint64_t id) const;
  /// Of the whole launch.
  double all() const;
  /// "12 more were counted, ..."
  std::string describe() const;
  /// Workgroups are alike.
  bool isUniform() const { return uniform; }
  /// How far the lengths are from those of workgroups that ran, relative.
  double errorOf(const std::vector<GroupTime> &groups) const;
  /// Takes the workgroups that ran to their end for what they are.
  void learn(const std::vector<GroupTime> &groups);

private:
  void count(unsigned number);
  bool allAlike() const;
  void countUnusual(uint64_t budget);
  bool predict(uint64_t budget);
  bool predictAfter(uint64_t steps, uint64_t parts);
  bool rowOf(uint64_t id, uint64_t steps, Row &row) const;
  uint64_t placeOf(uint64_t part, uint64_t parts) const;

  uint64_t workgroups;
  unsigned waves;
  LengthSource &source;
  std::map<uint64_t, uint64_t> known;
  std::vector<uint64_t> places; ///< counted, in order
  std::vector<uint64_t> strays; ///< counted, much longer than all of these
  double mean = 0;
  bool uniform = false;
  std::vector<float> lengths; ///< predicted, of equal parts of the grid
  unsigned counted = 0;
};

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_TIMING_LENGTHMODEL_H
