//===- LaneMask.h - Which lanes take part, unexecuted -----------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mask of lanes (EXEC, VCC, a pair of scalar registers) as far as it follows
// from the code. A mask with unknown lanes has a name, the place in the code
// that made it last, and knows of which others it is a part: what was written
// under a mask is known to those that run under it, or under a part of it.
//
//   v_cmp vcc, ...            vcc: lanes that are not known
//   s_and_saveexec s[0:1]     EXEC: a part of what it was, and of vcc
//   v_lshlrev v1, 2, v0       v1 is known under this EXEC
//   ds_write v1, ...          here
//   s_or_b64 exec, exec, s[0:1]   EXEC is what it was: v1 is not known
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_PREDICT_LANEMASK_H
#define TLC_LIB_SIMULATOR_PREDICT_LANEMASK_H

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace tlc::sim::predict {

struct LaneMask {
  using Name = uint64_t; ///< 0: none

  uint64_t known = ~uint64_t(0); ///< lanes of which `ones` tells
  uint64_t ones = 0;
  uint64_t cause = 0; ///< the instruction because of which others are not
  Name name = 0;
  std::vector<Name> above; ///< masks that this is a part of
  /// Lanes that are not known are all on or all off.
  bool together = false;
  /// A compare under an unknown EXEC: its result in the lanes that were on.
  Name under = 0;
  uint64_t underKnown = 0, underOnes = 0;

  bool isExact() const { return !~known; }
  uint64_t maybe() const { return ~known; }
  uint64_t on() const { return known & ones; }
  uint64_t off() const { return known & ~ones; }
  bool isWithin(Name other) const {
    return other && (name == other || std::find(above.begin(), above.end(),
                                                other) != above.end());
  }
};
using MaskRef = std::shared_ptr<const LaneMask>;

enum class MaskLogic : uint8_t { And, AndNot, Or, OrNot, Xor };

MaskRef exactMask(uint64_t ones);
MaskRef unknownMask(uint64_t cause, LaneMask::Name name);
/// `name` is for a result that is not known.
MaskRef combine(MaskLogic logic, const MaskRef &a, const MaskRef &b,
                LaneMask::Name name);
MaskRef join(const MaskRef &a, const MaskRef &b, LaneMask::Name name);
bool same(const MaskRef &a, const MaskRef &b);

} // namespace tlc::sim::predict

#endif // TLC_LIB_SIMULATOR_PREDICT_LANEMASK_H
