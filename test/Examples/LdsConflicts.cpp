//===- LdsConflicts.cpp - Predicted and executed LDS conflicts of a kernel ===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   tlc-lds KERNEL.tile [--allow-conflicts] [-D NAME=VALUE]...
//
// Compiles a kernel, runs it on the simulator, and compares, for each line of
// the source, the LDS cycles counted from the real addresses with those that
// the report predicts from the wave dialect. How often a line's accesses run is
// not predicted: either the share of conflicts in all its cycles is equal, or
// each of its instructions costs what one of its accesses does, or two that
// were merged. Also fails where an access in a loop conflicts, unless that is
// allowed.
//
//===----------------------------------------------------------------------===//

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tlc/Dialect/Tile/IR/TileDialect.h"
#include "tlc/Driver/Pipeline.h"
#include "tlc/Reference/Reference.h"
#include "tlc/Report/LdsAccesses.h"
#include "tlc/Runtime/Contents.h"
#include "tlc/Runtime/Launch.h"
#include "tlc/Simulator/Check/SourceLines.h"
#include "tlc/Simulator/Memory/CodeObject.h"
#include "tlc/Simulator/Simulator.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <vector>

using namespace tlc;

namespace {
/// What happens at one line of one kernel: predicted and counted.
struct Line {
  uint64_t base = 0, conflicts = 0;
  bool exact = true, inLoop = false;
  uint64_t countedBase = 0, countedConflicts = 0;
  /// Cycles of one access of one wavefront.
  std::vector<double> accesses, instructions;

  bool explains(double cycles) const {
    for (double a : accesses)
      for (double b : accesses)
        if (cycles == a || cycles == a + b)
          return true;
    return false;
  }
  bool agrees() const {
    return !exact || conflicts * countedBase == countedConflicts * base ||
           llvm::all_of(instructions, [&](double c) { return explains(c); });
  }
};
using Lines = std::map<std::pair<std::string, std::string>, Line>;

int fail(const llvm::Twine &message) {
  llvm::errs() << "tlc-lds: " << message << '\n';
  return 1;
}

/// "file:line" of "file:line:column".
std::string withoutColumn(llvm::StringRef place) {
  return place.count(':') > 1 ? place.rsplit(':').first.str() : place.str();
}

std::string baseName(llvm::StringRef place) {
  size_t slash = place.rfind('/');
  return place.substr(slash == llvm::StringRef::npos ? 0 : slash + 1).str();
}

/// Adds the counts of one launch to `lines`.
void addLaunch(const sim::LaunchResult &result, const sim::CodeObject &object,
               Lines &lines) {
  const sim::KernelInfo *kernel = object.findKernel(result.kernel);
  sim::SourceLines source(object.bytes);
  for (const auto &[address, lds] : result.lds) {
    std::string place = source.at(kernel->entryAddress + address);
    Line &line = lines[{result.kernel, baseName(withoutColumn(place))}];
    line.instructions.push_back(double(lds.baseCycles + lds.conflictCycles) /
                                lds.executed);
    line.countedBase += lds.baseCycles;
    line.countedConflicts += lds.conflictCycles;
  }
}

bool print(const Lines &lines, bool allow) {
  bool ok = true;
  llvm::outs() << "line                              predicted          counted"
                  "\n";
  for (const auto &[key, line] : lines) {
    bool conflicts = line.inLoop && line.countedConflicts;
    bool good = line.agrees() && (allow || !conflicts);
    llvm::outs() << llvm::format(
        "%-28s %7llu + %-6llu %9llu + %-8llu%s%s\n", key.second.c_str(),
        (unsigned long long)line.base, (unsigned long long)line.conflicts,
        (unsigned long long)line.countedBase,
        (unsigned long long)line.countedConflicts,
        line.exact ? "" : "  (depends on data)",
        good            ? ""
        : line.agrees() ? "  CONFLICTS"
                        : "  PREDICTION DIFFERS");
    ok &= good;
  }
  return ok;
}
} // namespace

int main(int argc, char **argv) {
  InputOptions input;
  bool allow = false;
  std::vector<llvm::StringRef> arguments(argv + 1, argv + argc);
  for (size_t i = 0; i < arguments.size(); ++i) {
    std::string error;
    if (arguments[i] == "--allow-conflicts")
      allow = true;
    else if (!input.take(arguments, i, error) || !error.empty())
      return fail("bad argument: " + error);
  }
  Compilation compilation(input);
  auto module = compilation.import();
  if (!module)
    return 1;
  auto func = *module->getOps<tile::FuncOp>().begin();
  auto parameters = reference::describeParameters(func, {});
  if (failed(parameters))
    return 1;
  std::vector<LaunchArgument> values(parameters->size());
  for (auto [i, p] : llvm::enumerate(*parameters)) {
    if (!p.isTensor)
      return fail("scalar parameters are not supported");
    values[i].array = Array(p.dtype, p.shape);
    Contents contents;
    contents.seed = i;
    fill(values[i].array, contents);
  }

  Lines lines;
  compilation.atWave = [&](mlir::ModuleOp wave) {
    lines.clear();
    for (auto kernel : wave.getOps<wave::KernelOp>())
      for (const report::LdsAccess &access : report::findLdsAccesses(kernel)) {
        Line &line = lines[{kernel.getSymName().str(),
                            baseName(report::sourceLine(access.loc))}];
        if (access.waves)
          line.accesses.push_back(
              double(access.cycles.base + access.cycles.conflicts) /
              access.waves);
        line.base += access.cycles.base;
        line.conflicts += access.cycles.conflicts;
        line.exact &= access.exact;
        line.inLoop |=
            access.op->getParentOfType<mlir::LoopLikeOpInterface>() != nullptr;
      }
  };
  auto bytes = compilation.compile(*module, Stage::HSACO);
  if (!bytes)
    return 1;
  sim::CodeObject object;
  std::string error;
  if (!sim::CodeObject::parse({(const uint8_t *)bytes->data(), bytes->size()},
                              object, error))
    return fail(error);
  sim::SimulatorOptions &options = sim::simulatorOptions();
  options.statistics = true;
  options.afterLaunch = [&](const sim::LaunchResult &result) {
    addLaunch(result, object, lines);
  };
  auto launched =
      launch(sim::simulatorHip(), *bytes, compilation.contract(), values);
  if (!launched)
    return fail(llvm::toString(launched.takeError()));
  return print(lines, allow) ? 0 : 1;
}
