//===- Profile.cpp - The command `tlc profile` ----------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One launch is described from its code object (resources, occupancy), timed
// (by the model or by events) and analysed; then the report is printed. The
// built-in simulator knows the time in cycles; a HIP device tells only how long
// a launch took.
//
// The kernel's results are not looked at: contents of arrays repeat with a
// period, so that large ones cost no time to fill, and the checkers are off.
//
//   tlc profile k.tile                   compile, launch by its contract
//   tlc profile o.hsaco                  launch by the contract in it
//   tlc profile o.hsaco --grid ... --arg ...   launch as the words say
//   ... --against b.tile                 both, then the comparison
//
//===----------------------------------------------------------------------===//

#include "tlc/Driver/Profile.h"
#include "FromTiming.h"
#include "ObjectLaunch.h"
#include "ProfileOptions.h"
#include "ProgramArguments.h"
#include "tlc/Dialect/Tile/IR/TileDialect.h"
#include "tlc/Driver/RunObject.h"
#include "tlc/Simulator/Simulator.h"
#include "tlc/Simulator/Timing/Parameters.h"
#include "tlc/Support/Files.h"
#include <fmt/format.h>

#include <algorithm>

using namespace tlc;
using llvm::StringRef;
using report::KernelReport;
using report::Report;

namespace {

/// Large arrays repeat their values after so many elements (see
/// Contents::period).
constexpr int64_t contentsPeriod = int64_t(1) << 22;

/// One input, A or B of a comparison.
class Profiler {
public:
  Profiler(const ProfileOptions &options, const std::vector<std::string> &words)
      : options(options), words(words.begin(), words.end()) {}

  /// Before anything runs: whether what the words name is there and makes
  /// sense. An exit code.
  int prepare();
  int run();
  Report report;

private:
  int prepareProgram();
  int prepareObject();
  int profileProgram();
  int profileObject();
  bool openDevice(hip::DeviceChoice choice, std::string &error);
  int setUp();
  void record(const sim::CodeObject &object, const sim::KernelInfo &kernel,
              const std::array<uint32_t, 3> &grid,
              const std::array<uint32_t, 3> &block, uint32_t dynamicLds,
              std::vector<double> seconds);
  int launchProgram(DiagnosticEngine &diags, StringRef bytes,
                    const target::Contract &contract, Values values,
                    const RunOptions &run);
  bool modelled() const { return device.table == &sim::simulatorHip(); }

  const ProfileOptions &options;
  std::vector<StringRef> words;
  hip::OpenedDevice device;
  bool isLaunch = false; ///< by --grid, without a contract
  // Of a program.
  RunOptions program;
  std::unique_ptr<Compilation> compilation;
  mlir::OwningOpRef<mlir::ModuleOp> module; ///< null: a code object
};

/// Launches timed on a HIP device.
constexpr unsigned defaultRepetitions = 20;

/// What the other commands do and this one does not is refused rather than
/// left without effect.
int refuse(const char *what) {
  return usageError(llvm::Twine("profile only times: leave out ") + what +
                    ", which 'tlc run' takes");
}

/// False with a message in `error`.
bool Profiler::openDevice(hip::DeviceChoice choice, std::string &error) {
  device = hip::openDevice(choice);
  if (!device.table) {
    error = device.message;
    return false;
  }
  llvm::errs() << device.message << '\n';
  return true;
}

/// Where figures come from is part of the report: modelled, or measured on a
/// device. An exit code.
int Profiler::setUp() {
  if (options.repetitions && modelled())
    return usageError("--repeat is about launches on a HIP device: the model "
                      "takes the same cycles each time");
  report.computeUnits = sim::param::xcds * sim::param::cusPerXcd;
  report.maxClock = sim::param::clockGHz * 1e9;
  report.chosenClock = options.clock;
  report.command = "tlc profile";
  for (StringRef word : words)
    report.command += " " + word.str();
  // The simulator's options are the process's: set before the first launch.
  sim::SimulatorOptions &settings = sim::simulatorOptions();
  settings.checkers = false;
  if (modelled()) {
    report.origin = report::Origin::Modelled;
    report.device = fmt::format("modelled gfx942 (MI300X): {} CUs, {:.2f} GHz",
                                report.computeUnits, report.maxClock / 1e9);
    sim::TimingOptions timing;
    timing.full = options.full;
    timing.warm = options.warm;
    // A few seconds' work: less is not worth an error.
    constexpr uint64_t leastDetail = 16'000'000;
    uint64_t detail = options.detail.value_or(0);
    timing.detailInstructions = detail ? std::max(detail, leastDetail) : 0;
    constexpr unsigned tracedWaves = 64;
    timing.traceWaves =
        options.trace.empty() ? 0 : options.traceWaves.value_or(tracedWaves);
    settings.timing = timing;
    report.notes.push_back(
        "every figure is the timing model's, none was measured; "
        "docs/simulator.md says what it models");
    for (const std::string &assumption : options.assumptions)
      report.notes.push_back("assumed: " + assumption);
    return ExitOk;
  }
  if (!options.trace.empty())
    return usageError("a HIP device gives no trace: use --device sim");
  report.origin = report::Origin::Measured;
  report.device = "measured on " + device.message;
  if (device.table->simulated)
    report.notes.push_back("this library simulates the device: its times are "
                           "those of the host");
  // What a reader may miss is said, rather than shown as zeros.
  report.unreported = {
      "cycles, utilisation and what wavefronts wait for: use --device sim, or "
      "rocprofv3 on this machine",
      "bytes at the levels of memory, LDS bank conflicts, stalls by source "
      "line, traces"};
  return ExitOk;
}

/// One kernel of the launch: its resources, and its time by the model or by
/// events.
void Profiler::record(const sim::CodeObject &object,
                      const sim::KernelInfo &kernel,
                      const std::array<uint32_t, 3> &grid,
                      const std::array<uint32_t, 3> &block, uint32_t dynamicLds,
                      std::vector<double> seconds) {
  KernelReport entry = describeLaunch(kernel, grid, block, dynamicLds);
  entry.seconds = std::move(seconds);
  if (modelled())
    if (const auto &time = sim::lastLaunch().timing) {
      addTiming(entry, object, kernel, *time);
      report::analyse(report, entry);
      if (time->sampled)
        report.notes.push_back(entry.name + ": " + time->sampling);
    }
  report.kernels.push_back(std::move(entry));
}

/// A whole program by its contract; each kernel in it becomes an entry.
int Profiler::launchProgram(DiagnosticEngine &diags, StringRef bytes,
                            const target::Contract &contract, Values values,
                            const RunOptions &run) {
  std::string error;
  if (!openDevice(run.device, error)) {
    diags.report(DiagID::DeviceUnavailable, error);
    return ExitDiagnostics;
  }
  if (int code = setUp())
    return code;
  sim::SimulatorOptions &settings = sim::simulatorOptions();
  settings.scheduleSeed = run.seed;
  settings.threads = run.threads;
  if (run.limit)
    settings.instructionLimit = run.limit;
  sim::CodeObject object;
  if (!sim::CodeObject::parse(
          {reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()},
          object, error)) {
    diags.report(DiagID::CannotRead, error);
    return ExitDiagnostics;
  }
  LaunchHooks hooks;
  // The model gives the same cycles each time; a device is timed several times.
  hooks.repetitions =
      modelled() ? 0 : options.repetitions.value_or(defaultRepetitions);
  // Between the kernels of one launch, while the model's result is that of this
  // one.
  auto afterKernel = [&](const KernelLaunch &done) {
    if (const sim::KernelInfo *kernel = object.findKernel(done.name))
      record(object, *kernel, done.grid, done.block, 0, done.seconds);
  };
  hooks.afterKernel = afterKernel;
  std::vector<LaunchArgument> arguments = launchArguments(std::move(values));
  auto launched = launch(*device.table, bytes, contract, arguments, hooks);
  if (launched)
    return ExitOk;
  int code = ExitDiagnostics;
  llvm::handleAllErrors(
      launched.takeError(),
      [&](const DeviceFault &fault) {
        if (fault.outOfTime)
          code = ExitResourceLimit;
        diags.report(DiagID::DeviceFault, fault.message);
        if (!fault.report.empty())
          llvm::errs() << fault.report << '\n';
      },
      [&](const llvm::ErrorInfoBase &problem) {
        diags.report(DiagID::DeviceUnavailable, problem.message());
      });
  return code;
}

/// Of a kernel file the program is read, so that what is wrong with it shows.
int Profiler::prepareProgram() {
  program.period = contentsPeriod;
  if (int code = parseRunOptions(words, program, /*check=*/false))
    return code;
  if (program.onReference || !program.outs.empty() || !program.expects.empty())
    return refuse("--device ref, --out and --expect");
  if (program.checkers.value_or(false))
    return refuse("--checkers");
  report.input = program.input.path;
  compilation = std::make_unique<Compilation>(program.input);
  if (isCodeObjectFile(program.input.path))
    return ExitOk;
  module = compilation->import();
  if (!module)
    return compilation->failureCode();
  if (!module->getOps<tile::FuncOp>().empty())
    return ExitOk;
  compilation->diagnostics().report(DiagID::NoKernel,
                                    "the file holds no tile.func");
  return ExitDiagnostics;
}

int Profiler::prepareObject() {
  auto parsed = parseRunObject(words, contentsPeriod, /*fills=*/false);
  if (!parsed)
    return reportError(parsed.takeError());
  if (parsed->saves || parsed->statistics || parsed->strict)
    return refuse("--out, --stats and --strict");
  if (parsed->check.value_or(false))
    return refuse("--check");
  std::string error;
  if (!readFile(parsed->object, error))
    return reportError(DiagID::CannotRead, error);
  return ExitOk;
}

/// A kernel file, or a code object with a launch contract. Returns an exit
/// code.
int Profiler::profileProgram() {
  RunOptions &run = program;
  DiagnosticEngine &diags = compilation->diagnostics();
  std::vector<reference::Parameter> parameters;
  Values values;
  if (!module) {
    std::string unreadable;
    auto buffer = readFile(run.input.path, unreadable);
    if (!buffer) {
      diags.report(DiagID::CannotRead, unreadable);
      return ExitDiagnostics;
    }
    auto contract = target::Contract::fromObject(buffer->getMemBufferRef());
    if (!contract) {
      diags.report(DiagID::CannotRead,
                   run.input.path + ": " +
                       llvm::toString(contract.takeError()) +
                       "; give --kernel, --grid, --block and --arg");
      return ExitDiagnostics;
    }
    if (!readArguments(*contract, run, diags, parameters, values))
      return compilation->failureCode();
    return launchProgram(diags, buffer->getBuffer(), *contract,
                         std::move(values), run);
  }
  if (!readArguments(*module->getOps<tile::FuncOp>().begin(), run, diags,
                     parameters, values))
    return compilation->failureCode();
  auto object = compilation->compile(*module, Stage::HSACO);
  if (!object)
    return compilation->failureCode();
  return launchProgram(diags, *object, compilation->contract(),
                       std::move(values), run);
}

/// One kernel of any code object, by the grid on the command line. Returns an
/// exit code. Usage mistakes and others have exit codes of their own.
int Profiler::profileObject() {
  auto parsed = parseRunObject(words, contentsPeriod);
  if (!parsed)
    return reportError(parsed.takeError());
  report.input = parsed->object;
  std::string error;
  auto file = readFile(parsed->object, error);
  if (!file)
    return reportError(DiagID::CannotRead, error);
  if (!openDevice(parsed->device, error))
    return reportError(DiagID::DeviceUnavailable, error);
  if (int code = setUp())
    return code;
  sim::SimulatorOptions &settings = sim::simulatorOptions();
  settings.threads = parsed->threads;
  settings.scheduleSeed = parsed->seed;
  settings.instructionLimit = parsed->limit;
  ObjectLaunch launch(std::move(*parsed), *device.table);
  if (llvm::Error problem = launch.load(file->getBuffer()))
    return reportError(std::move(problem));
  if (llvm::Error problem = launch.placeArguments())
    return reportError(std::move(problem));
  // Once in any case: results of a fault must not be timed.
  if (hip::hipError_t status = launch.launch()) {
    if (modelled() && !sim::lastLaunch().report.empty())
      llvm::errs() << sim::lastLaunch().report << '\n';
    int code = reportError(DiagID::DeviceFault,
                           "kernel '" + launch.kernelName() +
                               "': " + device.table->hipGetErrorString(status));
    if (modelled())
      hintAtPadding(sim::lastLaunch());
    return status == hip::hipErrorLaunchTimeOut ? ExitResourceLimit : code;
  }
  std::vector<double> seconds;
  if (!modelled()) {
    auto timed = timeByEvents(*device.table,
                              options.repetitions.value_or(defaultRepetitions),
                              [&] { return launch.enqueue(); });
    if (!timed)
      return reportError(DiagID::DeviceUnavailable,
                         llvm::toString(timed.takeError()));
    seconds = std::move(*timed);
  }
  const RunObjectOptions &given = launch.given();
  std::array<uint32_t, 3> grid, block;
  std::copy_n(given.grid, 3, grid.begin());
  std::copy_n(given.block, 3, block.begin());
  record(launch.codeObject(), launch.kernelInfo(), grid, block, given.ldsBytes,
         std::move(seconds));
  return ExitOk;
}

/// The words decide which of the two.
int Profiler::prepare() {
  isLaunch = llvm::any_of(words, [](StringRef word) {
    StringRef option = word.split('=').first;
    return option == "--grid" || option == "--block";
  });
  return isLaunch ? prepareObject() : prepareProgram();
}

/// The model is off afterwards, for a second input.
int Profiler::run() {
  int code = isLaunch ? profileObject() : profileProgram();
  sim::simulatorOptions().timing.reset();
  return code;
}

/// Writes what `print` prints; a file is there whole or not at all.
int writeFile(const std::string &path,
              llvm::function_ref<void(llvm::raw_ostream &)> print) {
  std::string text, error;
  llvm::raw_string_ostream os(text);
  print(os);
  if (writeFileAtomically(path, os.str(), error))
    return ExitOk;
  return reportError(DiagID::CannotWrite, error);
}

} // namespace

/// Files asked for are written before the report is printed, so that a failure
/// is not lost behind it.
int tlc::runProfile(Arguments arguments) {
  ProfileOptions options;
  if (int code = parseProfileOptions(arguments, options))
    return code;
  // A name that cannot be written should not cost a run first.
  for (const std::string &path : {options.trace, options.html}) {
    std::string error;
    if (!path.empty() && !canWriteFile(path, error))
      return reportError(DiagID::CannotWrite, error);
    for (StringRef word : options.words)
      if (!path.empty() &&
          (isSameFile(path, word) || isSameFile(path, word.rsplit('=').second)))
        return usageError("'" + path + "' is an input");
  }
  Profiler a(options, options.words), b(options, options.against);
  if (int code = a.prepare())
    return code;
  if (!options.against.empty())
    if (int code = b.prepare())
      return code;
  if (int code = a.run())
    return code;
  const Report &report = a.report;
  if (!options.against.empty()) {
    if (int code = b.run())
      return code;
    if (options.json)
      llvm::outs() << llvm::formatv("{0:2}\n",
                                    report::toJSON(report, b.report));
    else
      report::printComparison(llvm::outs(), report, b.report);
    return ExitOk;
  }
  if (!options.trace.empty())
    if (int code = writeFile(options.trace, [&](llvm::raw_ostream &os) {
          report::printTrace(os, report);
        }))
      return code;
  if (!options.html.empty())
    if (int code = writeFile(options.html, [&](llvm::raw_ostream &os) {
          report::printHTML(os, report);
        }))
      return code;
  if (options.html == "-" || options.trace == "-")
    return ExitOk; // in place of the table
  if (options.json)
    llvm::outs() << llvm::formatv("{0:2}\n", report::toJSON(report));
  else
    report::printText(llvm::outs(), report, options.text);
  return ExitOk;
}
