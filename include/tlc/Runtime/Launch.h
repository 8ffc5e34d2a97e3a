//===- Launch.h - Running a code object by its contract ---------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches all kernels of a code object, in order, on host arrays. What it
// needs to know is in the launch contract and nowhere else; what it calls is in
// the HIP table and nothing else.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_RUNTIME_LAUNCH_H
#define TLC_RUNTIME_LAUNCH_H

#include "tlc/Runtime/HIPTable.h"
#include "tlc/Support/DType.h"
#include "tlc/Target/Contract.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <array>

namespace tlc {

/// One argument. Tensors are in `array`, which has the number of elements that
/// the contract's shape and strides span; it holds the results afterwards.
struct LaunchArgument {
  Array array;
  int64_t integer = 0; ///< integer scalars
  double real = 0;     ///< floating-point scalars
};

struct LaunchReport {
  double seconds = 0;        ///< all kernels; host time where simulated
  uint64_t instructions = 0; ///< wavefront instructions, simulated only
  /// What the simulator's checkers found, as text; empty if nothing.
  std::string findings;
  unsigned findingCount = 0;
};

/// One kernel of a program that has just run.
struct KernelLaunch {
  std::string name;
  std::array<uint32_t, 3> grid{}, block{};
  /// Times of the repetitions that the hooks ask for, by events.
  std::vector<double> seconds;
};

/// What a caller wants beside the results.
struct LaunchHooks {
  /// Called after each kernel, while the simulator's `lastLaunch()` is its.
  llvm::function_ref<void(const KernelLaunch &)> afterKernel;
  /// Further launches of each kernel, each between two events. They run on the
  /// results of the one before: only their time means anything.
  unsigned repetitions = 0;
};

/// Seconds that `launch` takes on the device, for each repetition, by a pair of
/// events.
llvm::Expected<std::vector<double>>
timeByEvents(const hip::HIPTable &table, unsigned repetitions,
             llvm::function_ref<hip::hipError_t()> launch);

/// A fault while a kernel ran, with the device's report.
class DeviceFault : public llvm::ErrorInfo<DeviceFault> {
public:
  static char ID;
  std::string message, report;
  bool outOfTime; ///< it came to a limit of the simulator's, not to harm
  DeviceFault(std::string message, std::string report, bool outOfTime = false)
      : message(std::move(message)), report(std::move(report)),
        outOfTime(outOfTime) {}
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }
};

/// Elements from the first to the last that a tensor argument spans. Nothing
/// where the contract's expressions have no value.
std::optional<int64_t> spannedElements(const target::Argument &argument,
                                       llvm::ArrayRef<int64_t> scalars);

/// Runs the program. A kernel with an empty grid is left out.
llvm::Expected<LaunchReport>
launch(const hip::HIPTable &table, llvm::StringRef object,
       const target::Contract &contract,
       llvm::MutableArrayRef<LaunchArgument> arguments,
       const LaunchHooks &hooks = {});

} // namespace tlc

#endif // TLC_RUNTIME_LAUNCH_H
