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

#include <array>

using namespace tlc::sim;

namespace {

struct Costs {
  double run, replay;
};
/// By kind, in nanoseconds.
constexpr Costs costOf(IssueKind kind) {
  switch (kind) {
  case IssueKind::Matrix:
    return {200, 60};
  case IssueKind::Vector:
    return {12, 40};
  case IssueKind::Transcendental:
    return {33, 40};
  case IssueKind::Lds:
    return {45, 100};
  case IssueKind::VectorMemory:
    return {100, 100};
  default:
    return {4, 25};
  }
}
/// Of vector memory, on top: for each line, looked up in up to three levels of
/// caches.
constexpr Costs ofLine = {1.5, 50};

} // namespace

HostCost tlc::sim::hostCost(const CodeTable &code, const GroupRecord &group) {
  HostCost sum;
  uint64_t count = 0;
  auto add = [&](Costs each, double times) {
    sum.run += each.run * times;
    sum.replay += each.replay * times;
  };
  for (unsigned w = 0; w < group.waveCount; ++w)
    forEachRecorded(code, group.waves[w],
                    [&](const StaticOp &op, const uint32_t *payload) {
                      add(costOf(op.kind), 1);
                      if (op.payload == Payload::Vector)
                        add(ofLine, payload[0] & 0xffff);
                      ++count;
                    });
  if (!count)
    return sum;
  for (double HostCost::*each : {&HostCost::run, &HostCost::replay})
    sum.*each /= double(count);
  sum.words = double(group.wordsLeft()) / double(count);
  return sum;
}
