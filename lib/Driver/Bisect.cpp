//===- Bisect.cpp - Which pass changes the result -------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After each pass the program is evaluated where it stands: tile programs by
// the reference, wave kernels by the wave interpreter, there with the
// wavefronts in both orders. Only results of the first evaluation have bounds;
// tile programs add their own, wave kernels compute as the device does.
//
//   import -> tile passes -> convert-tile-to-wave -> wave passes -> schedules
//   after each: evaluate on the inputs, compare all outputs with those of the
//               program as it was imported, within their bounds
//
// The first pass that leaves a bound is named; later ones are not evaluated,
// since they start from a wrong program.
//
//===----------------------------------------------------------------------===//

#include "Bisect.h"
#include "Compare.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "tlc/Dialect/Tile/IR/TileDialect.h"
#include "tlc/Dialect/Wave/IR/WaveDialect.h"
#include "tlc/Reference/WaveReference.h"
#include "tlc/Target/BuildContract.h"

using namespace tlc;
using namespace mlir;

namespace {
/// Evaluates after every pass until one fails or changes a result.
class Watcher : public PassInstrumentation {
public:
  Watcher(llvm::ArrayRef<Parameter> parameters, const Values &inputs,
          const Values &expected, const target::Contract &contract, int &code)
      : parameters(parameters), inputs(inputs), expected(expected),
        contract(contract), code(code) {}

  /// `op` is the func, module or kernel that the pass ran on; the whole program
  /// is evaluated in any case.
  void runAfterPass(Pass *pass, Operation *op) override {
    StringRef name = pass->getArgument();
    if (code != ExitOk || name.empty())
      return;
    auto func = dyn_cast<tile::FuncOp>(op);
    auto module = dyn_cast<ModuleOp>(op);
    if (isa<wave::KernelOp>(op))
      module = op->getParentOfType<ModuleOp>();
    else if (module)
      for (auto each : module.getOps<tile::FuncOp>())
        func = each;
    bool same = true;
    if (func) {
      // Evaluation changes its arguments: each works on a copy of the inputs.
      Values values = inputs;
      same = succeeded(reference::evaluate(func, values))
                 ? compare(name, "", values)
                 : fail(name);
    } else if (module && !module.getOps<wave::KernelOp>().empty()) {
      for (bool reverse : {false, true}) {
        Values values = inputs;
        if (same)
          same = succeeded(evaluateKernels(module, values, reverse))
                     ? compare(name,
                               reverse ? " with the wavefronts in the opposite "
                                         "order (a barrier is missing)"
                                       : "",
                               values)
                     : fail(name);
      }
    } else {
      return;
    }
    if (same)
      llvm::errs() << name << ": same results\n";
  }

private:
  /// A pass whose result cannot be evaluated is the one to look at.
  bool fail(StringRef name) {
    llvm::errs() << name << ": the result cannot be evaluated\n";
    code = ExitCheckFailed;
    return false;
  }

  /// Launches in the order and with the grids of the contract.
  LogicalResult evaluateKernels(ModuleOp module, Values &values, bool reverse) {
    llvm::SmallVector<int64_t> scalars;
    for (const reference::Argument &value : inputs)
      scalars.push_back(value.integer);
    std::vector<wave::KernelOp> kernels;
    std::vector<reference::WaveLaunch> launches;
    kernels.reserve(contract.kernels.size());
    for (const target::Kernel &kernel : contract.kernels) {
      auto op = module.lookupSymbol<wave::KernelOp>(kernel.name);
      if (!op)
        return module.emitError("kernel '") << kernel.name << "' is gone";
      reference::WaveLaunch launch;
      // Launches point to the ops: `kernels` was reserved and does not move.
      launch.kernel = &kernels.emplace_back(op);
      for (unsigned d = 0; d < 3; ++d)
        launch.grid[d] = kernel.grid[d].evaluate(scalars).value_or(0);
      launches.push_back(launch);
    }
    reference::WaveOptions options;
    options.reverse = reverse;
    return reference::evaluateWave(launches, values, options);
  }

  /// All outputs against the first evaluation; false after a message.
  bool compare(StringRef name, StringRef how, const Values &values) {
    for (auto [i, p] : llvm::enumerate(parameters)) {
      if (!isOutput(p))
        continue;
      // Two evaluations, each within its own bounds.
      std::vector<double> bounds = expected[i].bounds;
      for (size_t k = 0; k < values[i].bounds.size(); ++k)
        bounds[k] += values[i].bounds[k];
      Comparison c = compareWithin(values[i].array, expected[i].values, bounds,
                                   expected[i].array);
      if (c.ok())
        continue;
      llvm::errs() << name << ": output '" << p.name << "' changes at "
                   << elementName(p.shape, c.worst) << " from " << c.expected
                   << " to " << c.got << how << '\n';
      code = ExitCheckFailed;
      return false;
    }
    return true;
  }

  llvm::ArrayRef<Parameter> parameters;
  const Values &inputs, &expected;
  const target::Contract &contract;
  int &code;
};
} // namespace

/// ExitOk if no pass changes a result, ExitCheckFailed after naming the first
/// that does.
int tlc::bisect(Compilation &compilation, ModuleOp module,
                llvm::ArrayRef<Parameter> parameters, const Values &inputs) {
  Values expected = inputs;
  auto func = *module.getOps<tile::FuncOp>().begin();
  if (failed(reference::evaluate(func, expected)))
    return ExitDiagnostics;
  FailureOr<target::Contract> contract = target::buildContract(func);
  if (failed(contract))
    return compilation.failureCode();
  // What LDS or registers did not hold at first starts as it does in the
  // attempt that is taken: those passes are the ones the user's object went
  // through.
  OwningOpRef<ModuleOp> program = module.clone();
  if (!compilation.compile(*program, Stage::Obj))
    return compilation.failureCode();
  module = compilation.preparedProgram();
  int code = ExitOk;
  auto run = [&](ModuleOp on, llvm::function_ref<void(PassManager &)> build) {
    PassManager passes(&compilation.context(), ModuleOp::getOperationName());
    passes.addInstrumentation(std::make_unique<Watcher>(
        parameters, inputs, expected, *contract, code));
    build(passes);
    return succeeded(passes.run(on));
  };
  if (!run(module, [&](PassManager &passes) {
        buildTilePipeline(passes, compilation.disabledPasses());
        buildWavePipeline(passes);
      }))
    return compilation.failureCode();
  // The compiler tries several schedules and keeps the best: all must be right.
  for (ScheduleLevel level : kScheduleLevels) {
    if (level == ScheduleLevel::None)
      continue;
    OwningOpRef<ModuleOp> copy = module.clone();
    if (code == ExitOk && !run(*copy, [&](PassManager &passes) {
          buildSchedulePipeline(passes, level);
        }))
      return compilation.failureCode();
  }
  return code;
}
