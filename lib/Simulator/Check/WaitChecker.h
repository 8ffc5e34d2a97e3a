//===- WaitChecker.h - Results used before their s_waitcnt ------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two counters of a wavefront: vmcnt of vector memory, lgkmcnt of LDS and
// scalar memory. Operations get consecutive numbers; a wait for a count of n
// guarantees all but the n youngest. Scalar loads return out of order, so with
// one of them outstanding only a count of zero says anything about lgkmcnt.
// A register that an operation will write must not be read, nor written by
// another kind of instruction, before the operation is guaranteed.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_SIMULATOR_CHECK_WAITCHECKER_H
#define TLC_LIB_SIMULATOR_CHECK_WAITCHECKER_H

#include "OpFacts.h"
#include <string>
#include <vector>

namespace tlc::sim {

/// Operations of one counter.
struct WaitCounter {
  uint32_t issued = 0;  ///< number of the youngest operation
  uint32_t retired = 0; ///< all up to this one are complete
  void waitFor(uint32_t count) {
    if (issued > count && issued - count > retired)
      retired = issued - count;
  }
};

class WaitChecker {
public:
  void begin(unsigned vgprCount, unsigned accumOffset);
  /// What is wrong with \p op here; empty if nothing.
  std::string check(const Op &op, const OpFacts &facts);
  /// \p op has been issued.
  void issue(const Op &op, const OpFacts &facts);

  WaitCounter vm, lgkm;

private:
  struct Pending {
    uint32_t vm = 0, lgkm = 0; // number of the operation, 0: none
    const Op *op = nullptr;
  };
  bool pending(const Pending &entry) const {
    return entry.vm > vm.retired || entry.lgkm > lgkm.retired;
  }
  Pending *entries(const RegisterRange &range) {
    return (range.vector ? vector : scalar).data() + range.first;
  }
  std::string describe(const RegisterRange &range, const Pending &entry,
                       const char *verb) const;

  std::vector<Pending> vector, scalar;
  uint32_t lastScalarLoad = 0;
  unsigned accumOffset = 0;
};

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_CHECK_WAITCHECKER_H
