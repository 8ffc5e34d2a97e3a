//===- Run.cpp - tlc run and tlc check ------------------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One program, three steps: give its parameters values; execute the compiled
// code object by its launch contract; under `check`, evaluate the program as
// the front end left it with the reference and compare. The reference sees a
// copy of the IR made before the first pass.
//
//===----------------------------------------------------------------------===//

#include "tlc/Driver/Run.h"
#include "Bisect.h"
#include "Compare.h"
#include "ProgramArguments.h"
#include "tlc/Dialect/Tile/IR/TileDialect.h"
#include "tlc/Dialect/Tile/Transforms/Messages.h"
#include "tlc/Driver/RunObject.h"
#include "tlc/Runtime/Launch.h"
#include "tlc/Simulator/Simulator.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include <chrono>

using namespace tlc;
using namespace mlir;

namespace {

double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

class Session {
public:
  Session(const RunOptions &options, bool check)
      : options(options), check(check), compilation(options.input),
        diags(compilation.diagnostics()) {}

  int run();

private:
  int runObject();
  int execute(llvm::StringRef object, const target::Contract &contract);
  bool printMessages();
  int finish();
  bool printTable();
  std::vector<const Array *> arrays(const Values &values) const {
    std::vector<const Array *> all;
    for (const reference::Argument &value : values)
      all.push_back(&value.array);
    return all;
  }

  const RunOptions &options;
  bool check;
  Compilation compilation;
  tlc::DiagnosticEngine &diags;
  std::vector<Parameter> parameters;
  std::vector<std::string> texts; ///< of what the kernel prints
  /// Inputs; then results of the device; results of the reference.
  Values values, expected;
  LaunchReport report;
  std::string device;
  double compileSeconds = 0, referenceSeconds = 0;
  uint64_t uncertain = 0;
};

int Session::execute(llvm::StringRef object, const target::Contract &contract) {
  sim::simulatorOptions().checkers = options.checkers.value_or(check);
  sim::simulatorOptions().scheduleSeed = options.seed;
  hip::OpenedDevice opened = hip::openDevice(options.device);
  if (!opened.table) {
    diags.report(DiagID::DeviceUnavailable, opened.message);
    return ExitDiagnostics;
  }
  device = opened.message;
  llvm::errs() << device << '\n';
  std::vector<LaunchArgument> arguments = launchArguments(values);
  auto launched = launch(*opened.table, object, contract, arguments);
  if (!launched) {
    int code = ExitDiagnostics;
    llvm::handleAllErrors(
        launched.takeError(),
        [&](const DeviceFault &fault) {
          diags.report(DiagID::DeviceFault, fault.message);
          if (!fault.report.empty())
            llvm::errs() << fault.report << '\n';
          code = check ? ExitCheckFailed : ExitDiagnostics;
        },
        [&](const llvm::ErrorInfoBase &error) {
          diags.report(DiagID::DeviceUnavailable, error.message());
        });
    return code;
  }
  report = std::move(*launched);
  for (size_t i = 0; i < values.size(); ++i)
    values[i].array = std::move(arguments[i].array);
  if (!report.findings.empty())
    llvm::errs() << report.findings;
  if (printMessages())
    return ExitOk;
  return check ? ExitCheckFailed : ExitDiagnostics;
}

/// What the kernel printed. False if an assertion of it did not hold.
bool Session::printMessages() {
  auto it = llvm::find_if(parameters, [](const Parameter &p) {
    return p.name == tile::kMessagesName;
  });
  if (it == parameters.end())
    return true;
  const auto &bytes = values[it - parameters.begin()].array.bytes;
  auto word = [&](size_t i) {
    int32_t w;
    memcpy(&w, bytes.data() + 4 * i, 4);
    return w;
  };
  uint32_t count = word(0);
  bool ok = true;
  for (uint32_t n = 0; n < std::min<uint32_t>(count, tile::kMessageCapacity);
       ++n) {
    size_t at = 1 + n * tile::kMessageWords;
    uint32_t id = word(at);
    llvm::StringRef whole = id < texts.size() ? llvm::StringRef(texts[id]) : "";
    auto [text, place] = whole.split('\t');
    bool asserted = text.consume_front("!");
    llvm::errs() << place << ": " << (asserted ? "assertion failed: " : "")
                 << text << (text.empty() ? "" : " ");
    if (word(at + 3) >= 0)
      llvm::errs() << '[' << word(at + 3) << "] ";
    uint64_t bits = uint32_t(word(at + 5)) | uint64_t(uint32_t(word(at + 6)))
                                                 << 32;
    if (word(at + 4) == int32_t(tile::MessageType::Integer))
      llvm::errs() << int64_t(bits) << ' ';
    else if (word(at + 4) == int32_t(tile::MessageType::Float))
      llvm::errs() << llvm::format("%.9g ", llvm::bit_cast<double>(bits));
    llvm::errs() << "(workgroup " << word(at + 1);
    if (word(at + 2) >= 0)
      llvm::errs() << ", thread " << word(at + 2);
    llvm::errs() << ")\n";
    ok &= !asserted;
  }
  if (count > tile::kMessageCapacity)
    llvm::errs() << "note: " << count - tile::kMessageCapacity
                 << " further messages are lost\n";
  if (!ok)
    diags.report(DiagID::DeviceFault, "an assertion of the kernel failed");
  return ok;
}

/// One line for each output. False if one is outside its bound.
bool Session::printTable() {
  bool ok = true;
  size_t width = 6;
  for (const Parameter &p : parameters)
    width = std::max(width, p.name.size());
  llvm::errs() << llvm::left_justify("output", width + 2)
               << "  max error      bound      ratio  worst element\n";
  for (auto [i, p] : llvm::enumerate(parameters)) {
    if (!isOutput(p))
      continue;
    const Array &got = values[i].array;
    bool anyOrder = llvm::any_of(options.unordered, [&](StringRef name) {
      return findOutput(parameters, name) == unsigned(i);
    });
    Comparison c = (anyOrder ? compareUnordered : compareWithin)(
        got, expected[i].values, expected[i].bounds);
    llvm::errs() << llvm::left_justify(p.name, width + 2)
                 << llvm::format("%11.3g%11.3g%11.3g", c.maxError, c.bound,
                                 c.ratio)
                 << "  ";
    if (c.worst < 0)
      llvm::errs() << "none: all " << got.elements() << " elements equal";
    else
      llvm::errs() << elementName(got.shape, c.worst) << ": "
                   << llvm::format("%.7g", c.got) << ", reference "
                   << llvm::format("%.7g", c.expected);
    if (!c.ok())
      llvm::errs() << "  " << c.outside << " of " << got.elements()
                   << " elements outside";
    llvm::errs() << '\n';
    ok &= c.ok();
  }
  return ok;
}

int Session::finish() {
  if (report.instructions)
    llvm::errs() << "simulated " << report.instructions
                 << " wavefront instructions in "
                 << llvm::format("%.3f s", report.seconds) << '\n';
  std::vector<const Array *> results = arrays(values);
  if (!writeOutputs(options, diags, parameters, results))
    return ExitDiagnostics;
  bool ok = true, badArgument = false;
  if (check) {
    if (uncertain)
      llvm::errs() << "note: " << uncertain
                   << " branches compare values closer than their error; the "
                      "bounds assume that the device takes the same ones\n";
    ok = printTable();
  }
  ok &= compareExpected(options, diags, parameters, results,
                        check ? &expected : nullptr, badArgument);
  if (badArgument)
    return ExitDiagnostics;
  if (check && report.findingCount) {
    llvm::errs() << report.findingCount << " finding"
                 << (report.findingCount == 1 ? "" : "s")
                 << " of the simulator's checkers\n";
    ok = false;
  }
  if (check)
    llvm::errs() << (ok ? "PASS" : "FAIL")
                 << llvm::format(
                        "  compile %.2f s, reference %.2f s, run %.2f s",
                        compileSeconds, referenceSeconds, report.seconds)
                 << '\n';
  return ok ? ExitOk : ExitCheckFailed;
}

int Session::runObject() {
  auto buffer = llvm::MemoryBuffer::getFile(options.input.path);
  if (!buffer) {
    diags.report(DiagID::CannotRead, "cannot read '" + options.input.path +
                                         "': " + buffer.getError().message());
    return ExitDiagnostics;
  }
  auto contract = target::Contract::fromObject((*buffer)->getMemBufferRef());
  if (!contract) {
    diags.report(DiagID::CannotRead, options.input.path + ": " +
                                         llvm::toString(contract.takeError()));
    return ExitDiagnostics;
  }
  if (!readArguments(*contract, options, diags, parameters, values))
    return ExitDiagnostics;
  if (int code = execute((*buffer)->getBuffer(), *contract))
    return code;
  return finish();
}

int Session::run() {
  llvm::StringRef path = options.input.path;
  if (isCodeObjectFile(path) || path.ends_with(".hsaco") ||
      path.ends_with(".co")) {
    if (check || options.onReference) {
      diags.report(DiagID::Usage,
                   "a code object has no reference: give the kernel file");
      return ExitUsage;
    }
    return runObject();
  }
  double start = now();
  OwningOpRef<ModuleOp> module = compilation.import();
  if (!module)
    return compilation.failureCode();
  auto funcs = module->getOps<tile::FuncOp>();
  if (funcs.empty()) {
    diags.report(DiagID::NoKernel, "the file holds no tile.func");
    return ExitDiagnostics;
  }
  tile::FuncOp func = *funcs.begin();
  if (auto all = func->getAttrOfType<ArrayAttr>(tile::kMessagesAttr))
    for (auto text : all.getAsRange<StringAttr>())
      texts.push_back(text.str());
  if (!readArguments(func, options, diags, parameters, values))
    return compilation.failureCode();
  compileSeconds = now() - start;

  OwningOpRef<ModuleOp> original;
  if (check || options.onReference)
    original = module->clone();
  if (options.onReference) {
    reference::Options how;
    how.bounds = false;
    how.print = true;
    if (failed(reference::evaluate(func, values, how)))
      return ExitDiagnostics;
    llvm::errs() << "device: the reference\n";
    return finish();
  }
  if (options.bisect)
    return bisect(compilation, *module, parameters, values);

  start = now();
  auto object = compilation.compile(*module, Stage::HSACO);
  if (!object)
    return compilation.failureCode();
  compileSeconds += now() - start;
  expected = check ? values : Values();
  if (int code = execute(*object, compilation.contract()))
    return code;
  if (check) {
    start = now();
    reference::Statistics statistics;
    auto copy = *(*original).getOps<tile::FuncOp>().begin();
    if (failed(reference::evaluate(copy, expected, {}, &statistics)))
      return ExitDiagnostics;
    uncertain = statistics.uncertainBranches;
    referenceSeconds = now() - start;
  }
  return finish();
}

} // namespace

int tlc::runRun(Arguments arguments) {
  RunOptions options;
  if (int code = parseRunOptions(arguments, options, /*check=*/false))
    return code;
  return Session(options, false).run();
}

int tlc::runCheck(Arguments arguments) {
  RunOptions options;
  if (int code = parseRunOptions(arguments, options, /*check=*/true))
    return code;
  return Session(options, true).run();
}
