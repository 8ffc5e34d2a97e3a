//===- LdsAccesses.h - LDS accesses of a kernel, priced ---------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What each access of a wave kernel to LDS costs by the phase rules, before
// there is any code: the address of every lane follows from the layouts, which
// the conversion to the wave dialect has made arithmetic of. The simulator
// counts the same from real addresses; the two must agree.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_REPORT_LDSACCESSES_H
#define TLC_REPORT_LDSACCESSES_H

#include "tlc/Dialect/Wave/IR/WaveDialect.h"
#include "tlc/Support/LdsBanks.h"
#include <map>
#include <string>
#include <vector>

namespace tlc::report {

/// One access, executed once by each wavefront of a workgroup that gets there.
struct LdsAccess {
  mlir::Operation *op = nullptr;
  mlir::Location loc;
  LdsDirection direction;
  unsigned bytes = 0; ///< a lane
  unsigned waves = 0; ///< wavefronts with an active lane
  LdsCycles cycles;   ///< of all of them together
  /// False: the address or the lanes depend on data or on sizes that are not
  /// known; the cycles then mean nothing (no address), or all lanes (`waves`).
  bool exact = true;
};

std::vector<LdsAccess> findLdsAccesses(wave::KernelOp kernel);

/// The line of the source that a location means: "file:line", empty if none.
std::string sourceLine(mlir::Location loc);

} // namespace tlc::report

#endif // TLC_REPORT_LDSACCESSES_H
