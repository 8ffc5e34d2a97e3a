//===- RunObject.cpp - tlc run OBJECT: launch any code object -------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `tlc run OBJECT --grid ... --block ...`: one kernel of any compiler's code
// object. Findings of the checkers give exit code 3, a launch that exceeds its
// limit 4.
//
// The object is loaded as HIP would load it; nothing of it is tlc's but the
// printing. What the kernel computes is judged by no reference: --out writes
// it, and --check only asks the simulator's checkers.
//
//===----------------------------------------------------------------------===//

#include "tlc/Driver/RunObject.h"

#include "ObjectLaunch.h"
#include "tlc/Driver/Driver.h"
#include "tlc/Simulator/Simulator.h"
#include "tlc/Support/Files.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace tlc;
using namespace tlc::hip;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace {

/// Executed instructions by mnemonic, and LDS accesses with their bank
/// conflicts.
void printStatistics(const sim::LaunchResult &result) {
  llvm::errs() << llvm::formatv("{0} wavefront instructions, {1:f3} s, {2:f1} "
                                "million a second\n",
                                result.instructions, result.seconds,
                                result.instructions / result.seconds / 1e6);
  for (const auto &[mnemonic, count] : result.byMnemonic)
    llvm::errs() << llvm::formatv(
        "  {0,12} {1}{2}\n", count.executed, mnemonic,
        count.exactness == sim::Exactness::Exact         ? ""
        : count.exactness == sim::Exactness::Approximate ? " (approximate)"
                                                         : " (unsupported)");
  for (const auto &[address, lds] : result.lds)
    llvm::errs() << llvm::formatv(
        "  LDS at entry+{0:x}: {1}, {2} times, {3} cycles, {4} more for bank "
        "conflicts\n",
        address, lds.mnemonic, lds.executed, lds.baseCycles,
        lds.conflictCycles);
}

} // namespace

/// By its first bytes: ELF, a bundle, or a compressed bundle.
bool tlc::isCodeObjectFile(StringRef path) {
  // A pipe's bytes are read once.
  if (!llvm::sys::fs::is_regular_file(path))
    return false;
  auto file = llvm::MemoryBuffer::getFileSlice(path, 24, 0);
  if (!file)
    return false;
  StringRef bytes = (*file)->getBuffer();
  return bytes.starts_with("\177ELF") ||
         bytes.starts_with("__CLANG_OFFLOAD_BUNDLE__") ||
         bytes.starts_with("CCOB");
}

/// The whole command; an exit code.
int tlc::runObject(llvm::ArrayRef<StringRef> arguments) {
  Expected<RunObjectOptions> options = parseRunObject(arguments);
  if (!options)
    return reportError(options.takeError());
  std::string unreadable;
  auto file = readFile(options->object, unreadable);
  if (!file)
    return reportError(DiagID::CannotRead, unreadable);
  OpenedDevice device = openDevice(options->device);
  if (!device.table)
    return reportError(DiagID::DeviceUnavailable, device.message);
  llvm::errs() << device.message << '\n';
  bool simulated = device.table == &sim::simulatorHip();
  // A real device has no such settings, and ignores them.
  if (simulated) {
    sim::SimulatorOptions &settings = sim::simulatorOptions();
    settings.threads = options->threads;
    settings.scheduleSeed = options->seed;
    settings.instructionLimit = options->limit;
    settings.checkers = options->check.value_or(false);
    settings.statistics = options->statistics;
  }
  ObjectLaunch run(std::move(*options), *device.table);
  if (Error error = run.load(file->getBuffer()))
    return reportError(std::move(error));
  if (Error error = run.placeArguments())
    return reportError(std::move(error));
  hipError_t error = run.launch();
  const sim::LaunchResult &result = sim::lastLaunch();
  // Findings and faults, before the verdict of the launch.
  if (simulated && !result.report.empty())
    llvm::errs() << result.report << '\n';
  if (error) {
    int code = reportError(DiagID::DeviceFault,
                           "kernel '" + run.kernelName() +
                               "': " + device.table->hipGetErrorString(error));
    if (simulated)
      hintAtPadding(result);
    return error == hipErrorLaunchTimeOut ? ExitResourceLimit : code;
  }
  if (simulated && run.given().statistics)
    printStatistics(result);
  if (Error saved = run.save())
    return reportError(std::move(saved));
  bool found =
      result.failed || (run.given().strict && !result.findings.empty());
  return simulated && found ? ExitCheckFailed : ExitOk;
}
