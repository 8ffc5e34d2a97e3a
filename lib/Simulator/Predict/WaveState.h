//===- WaveState.h - Registers of a wavefront, unexecuted -------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is known of all registers of one wavefront at one place of the code.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_PREDICT_WAVESTATE_H
#define TLC_LIB_SIMULATOR_PREDICT_WAVESTATE_H

#include "LaneMask.h"
#include "LaneValue.h"
#include <array>

namespace tlc::sim::predict {

/// What was written under a mask with unknown lanes is `value` to those in the
/// mask, `joined` to all.
struct VectorRegister {
  ValueRef value, joined;
  LaneMask::Name under = 0;
  bool settled = false; ///< ways that met here wrote it under several masks

  const ValueRef &outside() const { return under ? joined : value; }
};

/// A number that all lanes share, or half of a mask that is not exact.
struct ScalarRegister {
  ValueRef value;
  MaskRef mask;
  bool isLow = false;
};

class WaveState {
public:
  explicit WaveState(unsigned vectorRegisters) : vector(vectorRegisters) {}

  ValueRef readVector(unsigned reg) const;
  /// In the lanes that EXEC has on.
  void writeVector(unsigned reg, ValueRef value, uint64_t cause);
  /// In one lane, whatever EXEC says.
  void writeLane(unsigned reg, unsigned lane, const ValueRef &value);
  /// Numbers of wavefronts are always known to be common.
  ValueRef readScalar(unsigned reg) const;
  void writeScalar(unsigned reg, ValueRef value);
  /// A pair of scalar registers.
  MaskRef readMask(unsigned reg) const;
  void writeMask(unsigned reg, const MaskRef &mask);
  MaskRef exec() const { return readMask(ScalarReg::ExecLo); }

  /// SCC: 0, 1, or neither.
  enum class Condition : uint8_t { Unset, Zero, One, Unknown };
  Condition scc = Condition::Unset;
  void setScc(bool on) { scc = on ? Condition::One : Condition::Zero; }

  /// Adds what may hold as well on another way to the same block; true if that
  /// changes anything. Masks that arise get names from `block`.
  bool merge(WaveState other, uint64_t block);

  /// A mask is about to be made anew: what is known of those that ran under it
  /// ends.
  void forget(LaneMask::Name name);

private:
  template <typename F> void forgetIf(F isStale);

  std::vector<VectorRegister> vector;
  std::array<ScalarRegister, 128> scalar;
};

} // namespace tlc::sim::predict

#endif // TLC_LIB_SIMULATOR_PREDICT_WAVESTATE_H
