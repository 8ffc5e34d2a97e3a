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

/// Both counters of a wavefront.
struct WaitCounters {
  WaitCounter vm, lgkm;
  uint32_t lastScalarLoad = 0;

  bool scalarOutstanding() const { return lastScalarLoad > lgkm.retired; }
  void waitFor(unsigned vmCount, unsigned lgkmCount) {
    vm.waitFor(vmCount);
    if (lgkmCount == 0 || !scalarOutstanding())
      lgkm.waitFor(lgkmCount);
  }
  void issue(const OpFacts &facts) {
    vm.issued += facts.countsVm;
    lgkm.issued += facts.countsLgkm;
    if (facts.isSmem)
      lastScalarLoad = lgkm.issued;
  }
};

/// Which registers wait for an operation. Replayed by PathChecker, which knows
/// when a look is needed.
class WaitChecker : public WaitCounters {
public:
  void begin(unsigned vgprCount, unsigned accumOffset);
  /// What is wrong with \p op here; empty if nothing.
  std::string check(const Op &op, const OpFacts &facts);
  /// \p op has been issued.
  void issue(const Op &op, const OpFacts &facts);
  /// The registers of \p op wait for the operations with these numbers; 0:
  /// of no such counter.
  void expect(const Op &op, const OpFacts &facts, uint32_t vmNumber,
              uint32_t lgkmNumber);

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
  unsigned accumOffset = 0;
};

} // namespace tlc::sim

#endif // TLC_LIB_SIMULATOR_CHECK_WAITCHECKER_H
