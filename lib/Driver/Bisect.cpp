//===- Bisect.cpp - Which pass changes the result -------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bisect.h"
#include "Compare.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "tlc/Dialect/Tile/IR/TileDialect.h"

using namespace tlc;
using namespace mlir;

namespace {
/// Evaluates after every pass until one fails or changes a result.
class Watcher : public PassInstrumentation {
public:
  Watcher(llvm::ArrayRef<Parameter> parameters, const Values &inputs,
          const Values &expected, int &code)
      : parameters(parameters), inputs(inputs), expected(expected), code(code) {
  }

  void runAfterPass(Pass *pass, Operation *op) override {
    auto func = dyn_cast<tile::FuncOp>(op);
    if (auto module = dyn_cast<ModuleOp>(op)) {
      auto funcs = module.getOps<tile::FuncOp>();
      func = funcs.empty() ? tile::FuncOp() : *funcs.begin();
    }
    StringRef name = pass->getArgument();
    if (!func || code != ExitOk || name.empty())
      return;
    Values values = inputs;
    if (failed(reference::evaluate(func, values))) {
      llvm::errs() << name << ": the result cannot be evaluated\n";
      code = ExitCheckFailed;
      return;
    }
    for (auto [i, p] : llvm::enumerate(parameters)) {
      if (!isOutput(p))
        continue;
      // Both sides are within the bound of what the device may give.
      std::vector<double> bounds = expected[i].bounds;
      for (size_t k = 0; k < bounds.size(); ++k)
        bounds[k] += values[i].bounds[k];
      Comparison c = compareWithin(values[i].array, expected[i].values, bounds);
      if (c.ok())
        continue;
      llvm::errs() << name << ": output '" << p.name << "' changes at "
                   << elementName(p.shape, c.worst) << " from " << c.expected
                   << " to " << c.got << '\n';
      code = ExitCheckFailed;
      return;
    }
    llvm::errs() << name << ": same results\n";
  }

private:
  llvm::ArrayRef<Parameter> parameters;
  const Values &inputs, &expected;
  int &code;
};
} // namespace

int tlc::bisect(Compilation &compilation, ModuleOp module,
                llvm::ArrayRef<Parameter> parameters, const Values &inputs) {
  Values expected = inputs;
  auto func = *module.getOps<tile::FuncOp>().begin();
  if (failed(reference::evaluate(func, expected)))
    return ExitDiagnostics;
  int code = ExitOk;
  PassManager passes(&compilation.context(), ModuleOp::getOperationName());
  passes.addInstrumentation(
      std::make_unique<Watcher>(parameters, inputs, expected, code));
  buildTilePipeline(passes);
  if (failed(passes.run(module)))
    return compilation.failureCode();
  return code;
}
