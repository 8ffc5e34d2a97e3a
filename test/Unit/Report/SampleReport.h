//===- SampleReport.h - Reports made by hand --------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel of five instructions whose figures add up: 304 CUs for 1000 cycles
// are 304,000 CU cycles and 1,216,000 SIMD cycles.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_TEST_UNIT_REPORT_SAMPLEREPORT_H
#define TLC_TEST_UNIT_REPORT_SAMPLEREPORT_H

#include "tlc/Report/Profile/Report.h"

namespace tlc::report {

inline void charge(CodeLine &line, Stall stall, double cycles) {
  line.stalls[unsigned(stall)] += cycles;
  line.caused[unsigned(stall)] += cycles;
}

inline KernelReport sampleKernel() {
  KernelReport kernel;
  kernel.name = "main";
  kernel.grid = {608, 1, 1};
  kernel.block = {256, 1, 1};
  kernel.workgroups = kernel.detailed = 608;
  kernel.cycles = 1000;
  kernel.matrixFlops = 2e9;
  kernel.matrixUse = 0.3;
  kernel.valuUse = 0.2;
  kernel.busyUse = 0.4;
  kernel.ldsUse = 0.5;
  kernel.activeCUs = 1.0;
  kernel.occupancy = {2, 1.5, 8, {{"VGPRs", "256 of 512", 2}, {"LDS", "", 4}}};
  static constexpr const char *texts[] = {
      "global_load_dwordx4 v[0:3], v[4:5], off", "s_waitcnt vmcnt(0)",
      "ds_read_b64 v[6:7], v8",
      "v_mfma_f32_32x32x8_f16 a[0:15], v0, v1, a[0:15]", "s_endpgm"};
  static constexpr CodeLine::Unit units[] = {
      CodeLine::Unit::Memory, CodeLine::Unit::Scalar, CodeLine::Unit::Lds,
      CodeLine::Unit::Matrix, CodeLine::Unit::Scalar};
  for (unsigned i = 0; i < 5; ++i) {
    CodeLine line;
    line.address = 0x1000 + 8 * i;
    line.text = texts[i];
    line.unit = units[i];
    line.file = "/nowhere/k.tile";
    line.line = 10 + i;
    line.executed = 100;
    line.issueCycles = 400;
    kernel.code.push_back(line);
  }
  return kernel;
}

/// Takes over what the instructions say about waits.
inline void addUp(KernelReport &kernel) {
  kernel.stalls = {};
  kernel.waveCycles = 0;
  kernel.ldsCycles = kernel.ldsConflictCycles = kernel.ldsAddressConflicts = 0;
  for (const CodeLine &line : kernel.code) {
    for (unsigned s = 0; s < stallCount; ++s)
      kernel.stalls[s] += line.stalls[s];
    kernel.waveCycles += line.issueCycles + sum(line.stalls);
    kernel.ldsCycles +=
        line.ldsBaseCycles + line.ldsConflictCycles + line.ldsAddressConflicts;
    kernel.ldsConflictCycles += line.ldsConflictCycles;
    kernel.ldsAddressConflicts += line.ldsAddressConflicts;
  }
}

inline Report sampleReport(KernelReport kernel) {
  Report report;
  report.input = "k.tile";
  report.device = "modelled gfx942";
  report.command = "tlc profile k.tile";
  report.kernels.push_back(std::move(kernel));
  return report;
}

} // namespace tlc::report

#endif // TLC_TEST_UNIT_REPORT_SAMPLEREPORT_H
