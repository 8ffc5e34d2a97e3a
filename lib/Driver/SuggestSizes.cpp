//===- SuggestSizes.cpp - Parameters with which a kernel would fit --------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that LDS does not hold is imported again with other values of its
// integer parameters: halves of large ones, one less of small ones such as
// numbers of stages, of one parameter and then of two at a time. A value counts
// if the kernel still takes the same tensors (so that it is a block size and no
// size of the problem), asks for less LDS, and compiles to the wave dialect.
// Where no block size does, sizes of the problem are tried in the same way.
//
//   error: ... LDS ... [TL0601]
//   note: with -D block_K=32 in place of 64 it fits
//   note: with -D num_stages=1 in place of 2 it fits
//
//===----------------------------------------------------------------------===//

#include "Attempts.h"
#include "tlc/Dialect/Tile/IR/TileDialect.h"
#include "tlc/Driver/Pipeline.h"
#include "tlc/Frontend/Parameters.h"

using namespace mlir;
using namespace tlc;

namespace {

/// What a program asks for, as it was written.
struct Demand {
  Attribute tensors; ///< types and shapes of the arguments
  int64_t bytes = 0; ///< of all shared buffers
};

Demand demandOf(ModuleOp module) {
  Demand demand;
  for (auto func : module.getOps<tile::FuncOp>())
    if (auto attrs = func->getAttr("arg_attrs"))
      demand.tensors = attrs;
  module.walk([&](tile::AllocOp alloc) {
    if (tile::getSpace(alloc.getResult()) != tile::Space::Shared)
      return;
    auto type = cast<MemRefType>(alloc.getType());
    demand.bytes +=
        type.getNumElements() * std::max(8u, type.getElementTypeBitWidth()) / 8;
  });
  return demand;
}

using Values = SmallVector<std::pair<StringRef, int64_t>>;

/// The next smaller value to try, or 0.
int64_t smaller(int64_t value) {
  constexpr int64_t kFew = 8, kLeast = 16;
  if (value <= kFew)
    return value - 1;
  return value / 2 >= kLeast ? value / 2 : 0;
}

} // namespace

/// Adds notes to a message about LDS. Everything that the tries report is
/// withheld; their number is bounded, since each is a compilation to the wave
/// dialect.
void Compilation::suggestSizes(mlir::Diagnostic &diag) {
  constexpr unsigned kMostTries = 24, kMostSuggestions = 4;
  if (integers.empty())
    return;
  ScopedDiagnosticHandler silent(ctx.get(),
                                 [](mlir::Diagnostic &) { return success(); });
  DiagnosticEngine::Capture quiet(diags);
  auto import = [&](const Values &values) {
    FrontendOptions frontend = options.frontend;
    for (auto [name, value] : values)
      frontend.defines[name] = std::to_string(value);
    return importFile(options.path, frontend, *ctx, diags);
  };
  OwningOpRef<ModuleOp> original = import({});
  if (!original)
    return;
  Demand asked = demandOf(*original);
  unsigned tries = 0, found = 0;
  // Whether the parameter's smaller value asks for less; then whether it fits.
  auto helps = [&](const Values &values, bool &fits, bool sameTensors = true) {
    OwningOpRef<ModuleOp> module = import(values);
    if (!module)
      return false;
    Demand demand = demandOf(*module);
    if ((sameTensors && demand.tensors != asked.tensors) ||
        demand.bytes >= asked.bytes)
      return false;
    fits = ++tries <= kMostTries &&
           lowerToWave(*module, options.disabledPasses, nullptr);
    return true;
  };
  auto note = [&](const Values &values, StringRef which = "it") {
    mlir::Diagnostic &text = diag.attachNote();
    text << "with";
    for (auto [i, value] : llvm::enumerate(values)) {
      for (auto &[name, old] : integers)
        if (name == value.first)
          text << (i ? " and" : "") << " -D " << value.first << '='
               << value.second << " in place of " << old;
    }
    text << ' ' << which << " fits";
    ++found;
  };
  Values useful; // one step down
  for (auto &[name, value] : integers) {
    bool fits = false;
    for (int64_t less = smaller(value); less > 0 && !fits;
         less = smaller(less)) {
      Values values = {{name, less}};
      if (!helps(values, fits))
        break;
      if (less == smaller(value))
        useful.push_back({name, less});
      if (fits && found < kMostSuggestions)
        note(values);
    }
  }
  // Only where no single one does.
  for (size_t i = 0; i < useful.size() && !found; ++i)
    for (size_t j = i + 1; j < useful.size(); ++j) {
      Values values = {useful[i], useful[j]};
      bool fits = false;
      if (helps(values, fits) && fits)
        note(values);
    }
  // The tiles follow the problem: how large a one would fit.
  tries = 0;
  bool blockSizes = found;
  for (auto &[name, value] : integers) {
    bool fits = false;
    for (int64_t less = smaller(value); !blockSizes && less > 0 && !fits;
         less = smaller(less)) {
      Values values = {{name, less}};
      if (!helps(values, fits, /*sameTensors=*/false))
        break;
      if (fits && found < kMostSuggestions)
        note(values, "a smaller problem");
    }
  }
  if (!found)
    diag.attachNote() << (useful.empty()
                              ? "no parameter makes the shared buffers smaller"
                              : "no one or two parameters, made smaller, make "
                                "it fit: use smaller tiles");
}
