//===- LdsConflicts.cpp - The compile-time report beside an execution -----===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   tlc-lds KERNEL.tile [--allow-conflicts | --allow-outside-loops]
//           [--allow-unknown N] [-D NAME=VALUE]...
//
// Compiles a kernel, runs it on the simulator, and compares, for each LDS
// instruction of the code, the cycles counted from the real addresses with
// those that the report predicts. How often an instruction runs is not
// predicted: what is compared is its cost by execution, wavefront by wavefront
// where these differ. Also fails where an access conflicts, or more than N
// instructions depend on data, unless that is allowed. Exits with 3 where a
// prediction differs, 1 for all else.
//
// The matrix and issue cycles that the report predicts for each loop are
// compared with those that the timing model counted: what is in every trip with
// the trips that were taken, what lies behind branches with how often it was
// executed.
//
//===----------------------------------------------------------------------===//

#include "tlc/Dialect/Tile/IR/TileDialect.h"
#include "tlc/Driver/Pipeline.h"
#include "tlc/Reference/Reference.h"
#include "tlc/Runtime/Contents.h"
#include "tlc/Runtime/Launch.h"
#include "tlc/Simulator/Check/SourceLines.h"
#include "tlc/Simulator/Memory/CodeObject.h"
#include "tlc/Simulator/Predict/LdsAccesses.h"
#include "tlc/Simulator/Simulator.h"
#include "tlc/Simulator/Timing/LoopCosts.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <optional>
#include <vector>

using namespace tlc;

namespace {
/// What happens at one LDS instruction: predicted and, over all launches,
/// counted.
struct Access {
  std::optional<sim::LdsAccess> predicted;
  std::string place;
  bool inLoop = false;
  uint64_t executed = 0, base = 0, conflicts = 0;

  bool agrees() const {
    if (!executed)
      return true;
    if (!predicted)
      return false; // it was said that no wavefront gets there
    const sim::LdsAccess &p = *predicted;
    if (p.certainty == sim::LdsCertainty::Unknown)
      return true;
    if (base * p.waves != executed * p.cycles.base)
      return false;
    if (p.certainty == sim::LdsCertainty::AtMost)
      return conflicts <= executed * p.most;
    // All wavefronts alike, or as often each.
    if (p.least == p.most || executed % p.waves == 0)
      return conflicts * p.waves == executed * p.cycles.conflicts;
    return conflicts >= executed * p.least && conflicts <= executed * p.most;
  }
};
/// By kernel and address.
using Accesses = std::map<std::pair<std::string, uint64_t>, Access>;

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

/// Adds the counts of one launch, and at its first what is predicted.
void addLaunch(const sim::LaunchResult &result, const sim::CodeObject &object,
               Accesses &accesses) {
  const sim::KernelInfo *kernel = object.findKernel(result.kernel);
  sim::SourceLines source(object.bytes);
  auto at = [&](uint64_t address) -> Access & {
    auto [it, isNew] = accesses.try_emplace({result.kernel, address});
    if (isNew)
      it->second.place = baseName(withoutColumn(source.at(address)));
    return it->second;
  };
  auto first = accesses.lower_bound({result.kernel, 0});
  if (first == accesses.end() || first->first.first != result.kernel) {
    uint32_t block[3] = {kernel->maxWorkgroupSize, 1, 1};
    for (const sim::LdsAccess &access : sim::predictLds(object, *kernel, block))
      at(access.address).predicted = access;
  }
  for (const auto &[offset, lds] : result.lds) {
    Access &access = at(kernel->entryAddress + offset);
    access.executed += lds.executed;
    access.base += lds.baseCycles;
    access.conflicts += lds.conflictCycles;
  }
  for (const sim::LoopCost &loop : sim::loopCosts(object, *kernel))
    for (const sim::LoopBlock &block : loop.blocks)
      for (auto &[key, access] : accesses)
        access.inLoop |= key.first == result.kernel &&
                         key.second >= block.begin && key.second < block.end;
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

/// What is no failure.
struct Allowed {
  bool loops = false, outside = false; ///< conflicts
  unsigned unknown = 0;                ///< instructions
};

int print(const Accesses &accesses, Allowed allow) {
  bool ok = true, differs = false;
  unsigned unknown = 0;
  llvm::outs() << "instruction                          predicted, of a "
                  "workgroup     counted, executions\n";
  for (const auto &[key, access] : accesses) {
    bool conflicts =
        access.conflicts && (access.inLoop ? !allow.loops : !allow.outside);
    bool agrees = access.agrees();
    llvm::outs() << llvm::format("+0x%-6llx %-26s",
                                 (unsigned long long)key.second,
                                 access.place.c_str());
    if (const auto &p = access.predicted) {
      const char *how = p->certainty == sim::LdsCertainty::Exact    ? "+"
                        : p->certainty == sim::LdsCertainty::AtMost ? "+ <="
                                                                    : "+ ?";
      unknown += p->certainty == sim::LdsCertainty::Unknown;
      llvm::outs() << llvm::format("%-18s %5u %s %u", p->mnemonic,
                                   p->cycles.base, how, p->cycles.conflicts);
    } else {
      llvm::outs() << "nothing";
    }
    llvm::outs() << llvm::format("   %llu + %llu, %llu%s\n",
                                 (unsigned long long)access.base,
                                 (unsigned long long)access.conflicts,
                                 (unsigned long long)access.executed,
                                 !agrees     ? "  PREDICTION DIFFERS"
                                 : conflicts ? "  CONFLICTS"
                                             : "");
    ok &= !conflicts;
    differs |= !agrees;
  }
  if (unknown > allow.unknown) {
    llvm::outs() << unknown << " unknown, " << allow.unknown << " allowed\n";
    ok = false;
  }
  return differs ? 3 : ok ? 0 : 1;
}
} // namespace

int main(int argc, char **argv) {
  InputOptions input;
  Allowed allow;
  std::vector<llvm::StringRef> arguments(argv + 1, argv + argc);
  for (size_t i = 0; i < arguments.size(); ++i) {
    std::string error;
    if (arguments[i] == "--allow-conflicts")
      allow.loops = allow.outside = true;
    else if (arguments[i] == "--allow-unknown" && i + 1 < arguments.size() &&
             !arguments[++i].getAsInteger(10, allow.unknown))
      continue;
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

  Accesses accesses;
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
        addLaunch(result, object, accesses);
    };
    auto launched =
        launch(sim::simulatorHip(), *bytes, compilation.contract(), values);
    if (!launched)
      return fail(llvm::toString(launched.takeError()));
  }
  int code = print(accesses, allow);
  return loopsAgree ? code : 3;
}
