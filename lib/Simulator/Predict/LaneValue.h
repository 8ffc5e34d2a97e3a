//===- LaneValue.h - What a register holds, unexecuted ----------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A 32-bit value of one wavefront as far as it follows from the code: a number
// for each lane, plus one common part that is not known but for its alignment.
// Workgroup numbers, sizes and loop counters are such common parts: they move
// all addresses alike, so that lanes keep their distances.
//
//   v0                  0, 1, 2, ...    exact
//   s4                  0, 0, 0, ...    plus a multiple of 1
//   v0 * 4 + s4 * 1024  0, 4, 8, ...    plus a multiple of 1024
//
// Sums are taken to stay within 32 bits alike in all lanes, as sums that become
// addresses do.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_PREDICT_LANEVALUE_H
#define TLC_LIB_SIMULATOR_PREDICT_LANEVALUE_H

#include "tlc/Simulator/Execute/Wave.h"
#include <memory>
#include <optional>

namespace tlc::sim::predict {

struct LaneValue {
  static constexpr uint8_t exactBits = 32;

  /// The common part is a multiple of 2^bits; exactBits: there is none.
  uint8_t bits = exactBits;
  uint64_t valid = 0; ///< lanes of which this is known
  uint64_t cause = 0; ///< the instruction because of which others are not
  uint32_t at[waveLanes] = {};

  bool isExact() const { return bits == exactBits; }
  bool isExact(uint64_t lanes) const { return isExact() && !(lanes & ~valid); }
  /// The same in all valid lanes.
  bool isUniform() const;
  /// Of valid lanes, from bit `from` on.
  bool isUniformAbove(unsigned from) const;
  uint32_t first() const;
};

/// Values are shared; null is a register that nothing has written.
using ValueRef = std::shared_ptr<const LaneValue>;

ValueRef exactly(uint32_t value);
/// The same in all lanes, a multiple of 2^bits.
ValueRef common(unsigned bits = 0);
/// What `lane` has, in all lanes.
ValueRef everywhere(const LaneValue &v, unsigned lane);
/// Not known in any lane, because of the instruction at `cause`.
ValueRef unknown(uint64_t cause);

/// What holds for both. The cause of what does not is `cause`.
ValueRef join(const ValueRef &a, const ValueRef &b, uint64_t cause);
/// a in `lanes`, b in the others.
ValueRef blend(const ValueRef &a, const ValueRef &b, uint64_t lanes);
/// Only `lanes` stay known.
ValueRef restrictTo(const ValueRef &a, uint64_t lanes, uint64_t cause);
bool same(const ValueRef &a, const ValueRef &b);

enum class Bitwise : uint8_t { And, Or, Xor };

// Arithmetic of 32 bits, lane by lane. `cause` is to blame where the result
// cannot be told though the operands can.
ValueRef add(const ValueRef &a, const ValueRef &b);
ValueRef negate(const ValueRef &a);
ValueRef multiply(const ValueRef &a, const ValueRef &b, uint64_t cause);
ValueRef shiftLeft(const ValueRef &a, const ValueRef &by, uint64_t cause);
ValueRef shiftRight(const ValueRef &a, const ValueRef &by, bool isSigned,
                    uint64_t cause);
ValueRef bitwise(Bitwise op, const ValueRef &a, const ValueRef &b,
                 uint64_t cause);

} // namespace tlc::sim::predict

#endif // TLC_LIB_SIMULATOR_PREDICT_LANEVALUE_H
