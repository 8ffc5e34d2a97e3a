//===- TimedKernel.h - Kernels whose time is modelled -----------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_TEST_UNIT_SIMULATOR_TIMING_TIMEDKERNEL_H
#define TLC_TEST_UNIT_SIMULATOR_TIMING_TIMEDKERNEL_H

#include "../Execute/Assembler.h"
#include "tlc/Simulator/Timing/Timing.h"

namespace tlc::test {

/// Turns the model on while it lives.
class WithTiming {
public:
  explicit WithTiming(sim::TimingOptions options = {}) {
    sim::simulatorOptions().timing = options;
  }
  ~WithTiming() { sim::simulatorOptions().timing.reset(); }
};

/// What the model says of a launch of an assembled kernel. \p arguments are up
/// to five pointers or numbers of 64 bits.
inline sim::TimingResult timeKernel(const AsmKernel &kernel, unsigned groups,
                                    unsigned items,
                                    std::vector<uint64_t> arguments = {},
                                    const sim::TimingOptions &options = {}) {
  std::vector<uint8_t> image = assemble({kernel});
  Kernel loaded(image, kernel.name);
  arguments.resize(5);
  void *pointers[5];
  for (unsigned i = 0; i < 5; ++i)
    pointers[i] = &arguments[i];
  WithTiming on(options);
  EXPECT_EQ(loaded.launch({groups}, {items}, 0, pointers), hip::hipSuccess)
      << sim::lastLaunch().report;
  EXPECT_TRUE(sim::lastLaunch().timing);
  return sim::lastLaunch().timing ? *sim::lastLaunch().timing
                                  : sim::TimingResult();
}

/// `body` repeated.
inline std::string repeat(const std::string &body, unsigned times) {
  std::string text;
  for (unsigned i = 0; i < times; ++i)
    text += body + "\n";
  return text;
}

/// Cycles that each of `times` repetitions of `body` takes: the difference
/// between many and few of them, so that begin and end drop out.
inline double cyclesEach(const std::string &before, const std::string &body,
                         unsigned items, unsigned ldsBytes = 0,
                         unsigned vgprs = 256) {
  constexpr unsigned few = 100, many = 500;
  uint64_t cycles[2];
  for (unsigned i = 0; i < 2; ++i)
    cycles[i] = timeKernel({"k", before + repeat(body, i ? many : few),
                            ldsBytes, 0, vgprs},
                           1, items)
                    .cycles;
  return double(cycles[1] - cycles[0]) / (many - few);
}

} // namespace tlc::test

#endif // TLC_TEST_UNIT_SIMULATOR_TIMING_TIMEDKERNEL_H
