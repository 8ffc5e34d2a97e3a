//===- HostCost.cpp - What an instruction costs the host ------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Measured with tlc-perf-simulator, where one kind of instruction fills a loop,
// and with and without the model; rounded, for hosts differ.
//
//===----------------------------------------------------------------------===//

#include "HostCost.h"

#include <unordered_map>

using namespace tlc::sim;

namespace {

struct Costs {
  double run, replay;
};
/// A workgroup, from its dispatch to its end.
constexpr Costs ofGroup = {600, 1400};
/// By kind, in nanoseconds.
constexpr Costs costOf(const StaticOp &op) {
  switch (op.kind) {
  case IssueKind::Matrix:
    return {200, 60};
  case IssueKind::Vector:
    return {10, 30};
  case IssueKind::Transcendental:
    return {33, 30};
  case IssueKind::Lds:
    return {45, 150};
  case IssueKind::VectorMemory:
    return {65, 350};
  default:
    return op.special == Special::Barrier ? Costs{6, 75} : Costs{2, 20};
  }
}
/// Of vector memory, on top, for each line: one that the wavefront came to
/// just before, which is in the model's L1 and the host's caches; one behind
/// the last of the same access; any other.
constexpr Costs ofNearLine = {0.5, 20}, ofNextLine = {25, 40},
                ofFarLine = {5, 110};
/// So many touches count as just before: an L1 has twice as many lines, for
/// several wavefronts.
constexpr uint64_t nearTouches = 128;

/// The lines of a wavefront, one access after the other.
class LineCosts {
public:
  template <typename Add>
  void access(const StaticOp &op, const uint32_t *payload, Add &&add) {
    uint64_t previous = ~uint64_t(0);
    forEachLineOf(op, payload, [&](uint64_t line) {
      auto [at, isNew] = touched.try_emplace(line, count);
      bool isNear = !isNew && count - at->second <= nearTouches;
      at->second = count++;
      add(isNear                                 ? ofNearLine
          : line == previous + 1 && !op.isAtomic ? ofNextLine
                                                 : ofFarLine);
      previous = line;
    });
  }

private:
  uint64_t count = 0;
  std::unordered_map<uint64_t, uint64_t> touched; ///< by line, the last time
};

} // namespace

HostCost tlc::sim::hostCost(const CodeTable &code, const GroupRecord &group) {
  HostCost sum;
  uint64_t count = 0;
  auto add = [&](Costs each) {
    sum.run += each.run;
    sum.replay += each.replay;
  };
  for (unsigned w = 0; w < group.waveCount; ++w) {
    LineCosts lines;
    forEachRecorded(code, group.waves[w],
                    [&](const StaticOp &op, const uint32_t *payload) {
                      add(costOf(op));
                      lines.access(op, payload, add);
                      ++count;
                    });
  }
  if (!count)
    return sum;
  add(ofGroup);
  for (double HostCost::*each : {&HostCost::run, &HostCost::replay})
    sum.*each /= double(count);
  sum.words = double(group.wordsLeft()) / double(count);
  return sum;
}
