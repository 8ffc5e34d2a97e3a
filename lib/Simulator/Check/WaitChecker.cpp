//===- WaitChecker.cpp - Results used before their s_waitcnt ----*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each register remembers the number of the operation that will write it; it is
// free once that number is retired. The rules of retirement are in
// WaitChecker.h, after the CDNA3 ISA's section on s_waitcnt.
//
//===----------------------------------------------------------------------===//

#include "WaitChecker.h"
#include <fmt/format.h>

using namespace tlc::sim;

void WaitChecker::begin(unsigned vgprCount, unsigned firstAccum) {
  vector.assign(vgprCount, Pending());
  scalar.assign(128, Pending());
  static_cast<WaitCounters &>(*this) = WaitCounters();
  accumOffset = firstAccum;
}

/// The message, with the count that would be enough.
std::string WaitChecker::describe(const RegisterRange &range,
                                  const Pending &entry,
                                  const char *verb) const {
  bool byVm = entry.vm > vm.retired;
  uint32_t left = byVm ? vm.issued - entry.vm : lgkm.issued - entry.lgkm;
  // Behind a scalar load no count but zero helps.
  if (!byVm && scalarOutstanding())
    left = 0;
  return fmt::format(
      "{} is {} before the result of '{}' has arrived; s_waitcnt "
      "{}({}) must come first",
      registerName(range, accumOffset), verb, toString(*entry.op->inst),
      byVm ? "vmcnt" : "lgkmcnt", left);
}

/// Reading a register that is awaited, or writing it by anything that might
/// overtake the operation.
std::string WaitChecker::check(const Op &op, const OpFacts &facts) {
  if (vm.issued == vm.retired && lgkm.issued == lgkm.retired)
    return "";
  for (const RegisterRange &range : facts.reads) {
    const Pending *entry = entries(range);
    for (unsigned i = 0; i < range.count; ++i)
      if (pending(entry[i])) {
        RegisterRange one = range;
        one.first += i;
        return describe(one, entry[i], "read");
      }
  }
  // Loads of one kind return in order: the younger may have the same target.
  bool inOrder = facts.countsVm || facts.isLds;
  for (const RegisterRange &range : facts.writes) {
    const Pending *entry = entries(range);
    for (unsigned i = 0; i < range.count; ++i) {
      if (!pending(entry[i]))
        continue;
      bool sameKind = inOrder && (entry[i].vm != 0) == facts.countsVm &&
                      (entry[i].lgkm != 0) == facts.countsLgkm;
      if (sameKind)
        continue;
      RegisterRange one = range;
      one.first += i;
      return describe(one, entry[i], "overwritten");
    }
  }
  return "";
}

/// Counts the operation and marks what it will write.
void WaitChecker::issue(const Op &op, const OpFacts &facts) {
  const Instruction &inst = *op.inst;
  if (inst.op == Opcode::s_waitcnt)
    return waitFor(inst.vmcnt(), inst.lgkmcnt());
  WaitCounters::issue(facts);
  if (facts.countsVm || facts.countsLgkm)
    expect(op, facts, facts.countsVm ? vm.issued : 0,
           facts.countsLgkm ? lgkm.issued : 0);
}

void WaitChecker::expect(const Op &op, const OpFacts &facts, uint32_t vmNumber,
                         uint32_t lgkmNumber) {
  for (const RegisterRange &range : facts.writes) {
    Pending *entry = entries(range);
    for (unsigned i = 0; i < range.count; ++i)
      entry[i] = {vmNumber, lgkmNumber, &op};
  }
}
