//===- WaveReference.h - What wave kernels do, on the CPU -------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interprets `wave.kernel`s as they stand after any pass on the wave dialect,
// so that a wrong result can be traced to the pass that caused it. It shares no
// code with the lowering: what each op means is written down here once more.
//
// Arithmetic is rounded to the declared types; a matrix instruction sums in f64
// and rounds once. Wavefronts run one after another from barrier to barrier. A
// program that leaves a barrier out therefore gives other results when they run
// in the opposite order.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_REFERENCE_WAVEREFERENCE_H
#define TLC_REFERENCE_WAVEREFERENCE_H

#include "tlc/Reference/Reference.h"
#include <array>

namespace tlc::wave {
class KernelOp;
}

namespace tlc::reference {

struct WaveLaunch {
  wave::KernelOp *kernel = nullptr;
  std::array<int64_t, 3> grid{1, 1, 1}; ///< workgroups along x, y, z
};

struct WaveOptions {
  /// Run the wavefronts of a workgroup from the last to the first.
  bool reverse = false;
};

/// Runs the launches in order. `arguments` are those of the program: every
/// kernel takes all of them. Their arrays hold the results afterwards. Each
/// fault is a diagnostic at the op and a failure: an address outside its array
/// or outside LDS, a "uniform" value that is not, a matrix instruction or a
/// lane exchange where lanes are switched off, a misaligned LDS access.
mlir::LogicalResult evaluateWave(llvm::ArrayRef<WaveLaunch> launches,
                                 llvm::MutableArrayRef<Argument> arguments,
                                 const WaveOptions &options = {});

} // namespace tlc::reference

#endif // TLC_REFERENCE_WAVEREFERENCE_H
