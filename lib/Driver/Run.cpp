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
//   check:  import, values, compile, launch, evaluate the original, compare
//   run:    import, values, compile, launch
//
// The exit code says what happened: 0 all right, 3 a result outside its bound,
// a finding of the checkers or a failed assertion under `check`, 1 what has no
// result.
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
#include "tlc/Support/Files.h"
#include "llvm/Support/Format.h"
#include <chrono>

using namespace tlc;
using namespace mlir;

namespace {

/// Seconds, for differences.
double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// One command. The Compilation owns the context of all IR, and must outlive
/// it.
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
  SourceRange placeOf(llvm::StringRef text);
  void reportOutside(unsigned parameter, const Comparison &c);
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
  std::vector<mlir::Location> places; ///< of the parameters in the source
  std::vector<std::string> texts;     ///< of what the kernel prints
  /// Inputs; then results of the device; results of the reference.
  Values values, expected;
  LaunchReport report;
  std::string device;
  double compileSeconds = 0, referenceSeconds = 0;
  uint64_t uncertain = 0, zeroDivisions = 0; ///< of the reference
};

/// "k.tile:6:31" as a place, or "k.tile:6" as what that line says; none where
/// that file is not loaded, as for an object.
SourceRange Session::placeOf(llvm::StringRef text) {
  const SourceManager &sources = diags.sourceManager();
  auto [file, last] = text.rsplit(':');
  auto [shorter, first] = file.rsplit(':');
  unsigned line = 0, column = 0;
  if (last.getAsInteger(10, line))
    return {};
  bool both = !first.getAsInteger(10, column);
  if (both) {
    std::swap(line, column);
    file = shorter;
  }
  SourceLoc begin = sources.find(file, line, both ? column : 1);
  if (!begin.isValid())
    return {};
  if (!both) {
    llvm::StringRef shown =
        SourceManager::lineText(*sources.bufferOf(begin), line);
    begin = begin.advanced(uint32_t(shown.size() - shown.ltrim().size()));
  }
  return {begin, begin.advanced(1)};
}

/// Launches the object; results are in `values` afterwards. ExitOk, or the exit
/// code after a message.
int Session::execute(llvm::StringRef object, const target::Contract &contract) {
  // On under check unless told otherwise; they cost time.
  sim::simulatorOptions().checkers = options.checkers.value_or(check);
  sim::simulatorOptions().scheduleSeed = options.seed;
  sim::simulatorOptions().threads = options.threads;
  if (options.limit)
    sim::simulatorOptions().instructionLimit = options.limit;
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
        // The kernel's fault is a result of `check`, and no result of `run`.
        [&](const DeviceFault &fault) {
          if (!fault.report.empty())
            llvm::errs() << fault.report << '\n';
          // "source k.tile:6:31" of the instruction at fault.
          llvm::StringRef report(fault.report);
          size_t at = report.find("  source ");
          diags.report(DiagID::DeviceFault,
                       placeOf(at == llvm::StringRef::npos
                                   ? ""
                                   : report.drop_front(at + 9).take_until(
                                         [](char c) { return c == '\n'; })),
                       fault.message);
          code = fault.outOfTime ? ExitResourceLimit
                 : check         ? ExitCheckFailed
                                 : ExitDiagnostics;
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

/// What the kernel printed. False if an assertion of it did not hold. A record
/// of the buffer is kMessageWords words: number of the message, workgroup,
/// thread (-1: all), element (-1: a scalar), type, value in two words; word 0
/// of the buffer counts them.
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
  std::string failed; // place of the first assertion
  // The counter goes on beyond the buffer's end: it tells how many are lost.
  for (uint32_t n = 0; n < std::min<uint32_t>(count, tile::kMessageCapacity);
       ++n) {
    size_t at = 1 + n * tile::kMessageWords;
    // The number comes from the device: it may be anything after a fault.
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
    if (asserted && ok)
      failed = place.str();
    ok &= !asserted;
  }
  if (count > tile::kMessageCapacity)
    llvm::errs() << "note: " << count - tile::kMessageCapacity
                 << " further messages are lost\n";
  if (!ok)
    diags.report(DiagID::DeviceFault, placeOf(failed),
                 "an assertion of the kernel failed");
  return ok;
}

/// One line for each output. False if one is outside its bound.
bool Session::printTable() {
  bool ok = true;
  std::vector<std::pair<unsigned, Comparison>> outside;
  size_t width = 6;
  for (const Parameter &p : parameters)
    width = std::max(width, p.name.size());
  llvm::errs() << llvm::left_justify("output", width + 2)
               << "      error      bound      ratio  of the worst element\n";
  for (auto [i, p] : llvm::enumerate(parameters)) {
    if (!isOutput(p))
      continue;
    const Array &got = values[i].array;
    bool anyOrder = llvm::any_of(options.unordered, [&](StringRef name) {
      return findOutput(parameters, name) == unsigned(i);
    });
    const reference::Argument &wanted = expected[i];
    Comparison c =
        anyOrder
            ? compareUnordered(got, wanted.values, wanted.bounds)
            : compareWithin(got, wanted.values, wanted.bounds, wanted.array);
    llvm::errs() << llvm::left_justify(p.name, width + 2)
                 << llvm::format("%11.3g%11.3g%11.3g", c.error, c.bound,
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
    outside.push_back({unsigned(i), c});
  }
  // Behind the table, which they would tear apart.
  for (auto &[i, c] : outside) {
    if (c.unbounded)
      llvm::errs() << "note: '" << parameters[i].name
                   << "': the reference has no "
                   << "bound for " << c.unbounded << " of "
                   << values[i].array.elements()
                   << " elements, where rounding errors may grow without end "
                      "(a division by what may be 0); the largest difference "
                      "there is "
                   << llvm::format("%.3g", c.unboundedError)
                   << ". --expect with --rtol judges them\n";
    if (!c.ok())
      reportOutside(i, c);
  }
  if (!ok && zeroDivisions)
    llvm::errs() << "note: the reference met " << zeroDivisions
                 << " integer divisions by 0, whose results are not defined: "
                    "an index or a value made of one may differ\n";
  return ok;
}

/// At the declaration of the output.
void Session::reportOutside(unsigned parameter, const Comparison &c) {
  std::string text;
  llvm::raw_string_ostream(text)
      << "'" << parameters[parameter].name
      << "' differs from the reference: " << c.outside << " of "
      << values[parameter].array.elements()
      << " elements are outside their bound [TL0702]";
  mlir::emitError(places[parameter], text);
}

/// Everything after a launch: outputs, tables, verdict.
int Session::finish() {
  if (report.instructions)
    llvm::errs() << "simulated " << report.instructions
                 << " wavefront instructions in "
                 << llvm::format("%.3f s", report.seconds) << '\n';
  std::vector<const Array *> results = arrays(values);
  // Also where the check fails: the outputs are what one wants to see then.
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

/// A code object that carries its contract: no source, no reference.
int Session::runObject() {
  std::string unreadable;
  auto buffer = readFile(options.input.path, unreadable);
  if (!buffer) {
    diags.report(DiagID::CannotRead, unreadable);
    return ExitDiagnostics;
  }
  auto contract = target::Contract::fromObject(buffer->getMemBufferRef());
  if (!contract) {
    diags.report(DiagID::CannotRead, options.input.path + ": " +
                                         llvm::toString(contract.takeError()));
    return ExitDiagnostics;
  }
  if (!readArguments(*contract, options, diags, parameters, values))
    return compilation.failureCode();
  if (int code = execute(buffer->getBuffer(), *contract))
    return code;
  return finish();
}

int Session::run() {
  llvm::StringRef path = options.input.path;
  if (isCodeObjectFile(path) || path.ends_with(".hsaco") ||
      path.ends_with(".co")) {
    if (check || options.onReference)
      return usageError("a code object has no reference: give the kernel "
                        "file");
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
  // A file holds one program.
  tile::FuncOp func = *funcs.begin();
  // Read before the passes change the function.
  if (auto all = func->getAttrOfType<ArrayAttr>(tile::kMessagesAttr))
    for (auto text : all.getAsRange<StringAttr>())
      texts.push_back(text.str());
  if (!readArguments(func, options, diags, parameters, values))
    return compilation.failureCode();
  for (BlockArgument argument : func.getArguments())
    places.push_back(argument.getLoc());
  compileSeconds = now() - start;

  // The passes change the module, the reference wants the program as written.
  OwningOpRef<ModuleOp> original;
  if (check || options.onReference)
    original = module->clone();
  // No code is made: for programs that the target cannot run, and for looking
  // at expected results.
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
  // Inputs, before the device overwrites them with results.
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
    zeroDivisions = statistics.zeroDivisions;
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
