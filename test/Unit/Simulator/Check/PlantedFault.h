//===- PlantedFault.h - Kernels with one fault each -------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A case has a kernel with a fault and the same kernel put right. Both start
// with s[2:3] the address of a buffer of 64 KiB (4 KiB of it written), s4 the
// workgroup's number, v0 the work-item's; they have 4 KiB of LDS, 64 VGPRs and
// 32 accumulation registers.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_TEST_UNIT_SIMULATOR_CHECK_PLANTEDFAULT_H
#define TLC_TEST_UNIT_SIMULATOR_CHECK_PLANTEDFAULT_H

#include <string>
#include <vector>

namespace tlc::test {

struct PlantedFault {
  const char *name;
  const char *kind;    // of the finding
  const char *culprit; // mnemonic the report must name as the place
  const char *faulty, *right;
  unsigned waves = 1, groups = 1;
};

const std::vector<PlantedFault> &waitFaults();
const std::vector<PlantedFault> &hazardFaults();
/// Told, and no failure.
const std::vector<PlantedFault> &hazardNotes();
const std::vector<PlantedFault> &undefinedFaults();
const std::vector<PlantedFault> &raceFaults();

} // namespace tlc::test

#endif // TLC_TEST_UNIT_SIMULATOR_CHECK_PLANTEDFAULT_H
