//===- Totals.cpp - Sums over the instructions of a launch ----------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a launch did is the sum over its instructions. Only what no instruction
// stands for, such as writing back the caches at the end, is counted apart.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

using namespace tlc::sim;

void tlc::sim::addTo(MemoryCounters &sum, const MemoryCounters &m) {
  for (uint64_t MemoryCounters::*each : memoryCounters)
    sum.*each += m.*each;
}

/// Adds to what the result has: called on sums that are zero, or hold what no
/// instruction stands for.
void tlc::sim::sumUp(TimingResult &result) {
  for (uint64_t *each :
       {&result.matrixBusy, &result.vectorBusy, &result.transBusy,
        &result.scalarBusy, &result.ldsBusy, &result.ldsConflicts,
        &result.ldsAddressConflicts, &result.addressBusy})
    *each = 0;
  result.issues = {};
  result.stalls = {};
  result.memory = {};
  for (const auto &[address, timing] : result.code) {
    result.issues[size_t(timing.kind)] += timing.issues;
    for (size_t c = 0; c < stallCauses; ++c)
      result.stalls[c] += timing.stalls[c];
    uint64_t busy = timing.busyCycles;
    switch (timing.kind) {
    case IssueKind::Matrix:
      result.matrixBusy += busy;
      break;
    case IssueKind::Transcendental:
      result.transBusy += busy;
      [[fallthrough]];
    case IssueKind::Vector:
      result.vectorBusy += busy;
      break;
    case IssueKind::Scalar:
    case IssueKind::ScalarMemory:
      result.scalarBusy += timing.issues;
      break;
    case IssueKind::VectorMemory:
      result.addressBusy += timing.addressCycles;
      [[fallthrough]]; // loads to LDS
    case IssueKind::Lds:
      result.ldsBusy += busy + timing.conflictCycles;
      result.ldsConflicts += timing.conflictCycles;
      result.ldsAddressConflicts += timing.addressConflictCycles;
      break;
    default:
      break;
    }
    addTo(result.memory, timing.memory);
  }
}
