//===- LdsConflicts.cpp - The compile-time report beside an execution -----===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   tlc-lds KERNEL.tile [--allow-conflicts | --allow-outside-loops]
//           [-D NAME=VALUE]...
//
// Compiles a kernel, runs it on the simulator, and compares, for each line of
// the source, the LDS cycles counted from the real addresses with those that
// the report predicts from the wave dialect. How often a line's accesses run is
// not predicted: either the share of conflicts in all its cycles is equal, or
// each of its instructions costs what one of its accesses does, or two that
// were merged. Also fails where an access conflicts, unless that is allowed.
//
// The matrix and issue cycles that the report predicts for each loop are
// compared with those that the timing model counted: what is in every trip with
// the trips that were taken, what lies behind branches with how often it was
// executed.
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
#include "tlc/Simulator/Timing/LoopCosts.h"
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

/// What the model counted in a piece of code.
struct Counted {
  uint64_t first = 0; ///< executions of its first instruction
  uint64_t matrix = 0, vector = 0, trans = 0;
};

Counted countedIn(const sim::LoopBlock &block, uint64_t entry,
                  const sim::TimingResult &timing) {
  Counted sum;
  for (auto it = timing.code.lower_bound(block.begin - entry);
       it != timing.code.end() && it->first < block.end - entry; ++it) {
    const sim::InstructionTiming &t = it->second;
    if (it->first == block.begin - entry)
      sum.first = t.issues;
    if (t.kind == sim::IssueKind::Matrix)
      sum.matrix += t.busyCycles;
    else if (t.kind == sim::IssueKind::Vector)
      sum.vector += t.busyCycles;
    else if (t.kind == sim::IssueKind::Transcendental)
      sum.trans += t.busyCycles;
  }
  return sum;
}

/// Loops of one launch; false where prediction and count differ.
bool checkLoops(const sim::LaunchResult &result,
                const sim::CodeObject &object) {
  const sim::KernelInfo *kernel = object.findKernel(result.kernel);
  uint64_t entry = kernel->entryAddress;
  bool ok = true;
  llvm::outs() << "loop        trips   matrix      issue  of a trip; counted\n";
  for (const sim::LoopCost &loop : sim::loopCosts(object, *kernel)) {
    uint64_t trips = ~uint64_t(0), matrix = 0, vector = 0;
    bool good = true;
    for (const sim::LoopBlock &block : loop.blocks) {
      Counted counted = countedIn(block, entry, *result.timing);
      good &=
          counted.matrix == counted.first * block.matrixCycles &&
          counted.vector + counted.trans == counted.first * block.vectorCycles;
      if (!block.always)
        continue;
      // A head that tests for the end is executed once more.
      trips = std::min(trips, counted.first);
    }
    for (const sim::LoopBlock &block : loop.blocks) {
      if (!block.always)
        continue;
      Counted counted = countedIn(block, entry, *result.timing);
      uint64_t more = counted.first - trips;
      matrix += counted.matrix - more * block.matrixCycles;
      vector += counted.vector + counted.trans - more * block.vectorCycles;
    }
    good &= matrix == trips * loop.always.matrixCycles &&
            vector == trips * loop.always.vectorCycles;
    llvm::outs() << llvm::format(
        "+0x%-8llx %6llu %8llu %10llu  %llu, %llu%s\n",
        (unsigned long long)(loop.begin - entry), (unsigned long long)trips,
        (unsigned long long)loop.always.matrixCycles,
        (unsigned long long)loop.always.vectorCycles,
        (unsigned long long)(trips ? matrix / trips : 0),
        (unsigned long long)(trips ? vector / trips : 0),
        good ? "" : "  PREDICTION DIFFERS");
    ok &= good;
  }
  return ok;
}

/// Where conflicts are no failure.
struct Allowed {
  bool loops = false, outside = false;
};

bool print(const Lines &lines, Allowed allow) {
  bool ok = true;
  llvm::outs() << "line                              predicted          counted"
                  "\n";
  for (const auto &[key, line] : lines) {
    bool conflicts =
        line.countedConflicts && (line.inLoop ? !allow.loops : !allow.outside);
    bool good = line.agrees() && !conflicts;
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
  Allowed allow;
  std::vector<llvm::StringRef> arguments(argv + 1, argv + argc);
  for (size_t i = 0; i < arguments.size(); ++i) {
    std::string error;
    if (arguments[i] == "--allow-conflicts")
      allow = {true, true};
    else if (arguments[i] == "--allow-outside-loops")
      allow.outside = true;
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
  bool loopsAgree = true;
  // Once for the LDS cycles, once for those of the timing model.
  for (bool timed : {false, true}) {
    options.statistics = !timed;
    if (timed)
      options.timing.emplace().full = true;
    options.afterLaunch = [&](const sim::LaunchResult &result) {
      if (timed)
        loopsAgree &= checkLoops(result, object);
      else
        addLaunch(result, object, lines);
    };
    auto launched =
        launch(sim::simulatorHip(), *bytes, compilation.contract(), values);
    if (!launched)
      return fail(llvm::toString(launched.takeError()));
  }
  return print(lines, allow) && loopsAgree ? 0 : 1;
}
