//===- ProgramArguments.cpp - Values of a program's parameters ------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scalars come first: the shapes of tensors are expressions over them, and a
// size that is not given may be read off the shape of an array that is:
//
//   A: T.Tensor((n, 64), ...)   --arg A=a.npy of shape (100, 64)   ->  n = 100
//
//===----------------------------------------------------------------------===//

#include "ProgramArguments.h"
#include "tlc/Dialect/Tile/IR/TileDialect.h"

using namespace tlc;
using namespace mlir;

/// Extents of the tensors as the source writes them, by argument.
static std::vector<std::vector<std::string>> writtenShapes(tile::FuncOp func) {
  std::vector<std::vector<std::string>> shapes(func.getNumArguments());
  for (unsigned i = 0; i < func.getNumArguments(); ++i)
    if (auto attr = func.getArgAttrOfType<ArrayAttr>(i, "tile.shape"))
      for (Attribute extent : attr)
        if (auto text = dyn_cast<StringAttr>(extent))
          shapes[i].push_back(text.getValue().str());
  return shapes;
}

/// From the program. A wrong argument is reported at the parameter in the
/// source.
bool tlc::readArguments(tile::FuncOp func, const RunOptions &options,
                        DiagnosticEngine &diags,
                        std::vector<Parameter> &parameters, Values &values) {
  auto complain = [&](DiagID id, llvm::ArrayRef<unsigned> at,
                      const llvm::Twine &message,
                      llvm::ArrayRef<std::string> notes) {
    if (at.empty()) {
      diags.report(id, message);
      return;
    }
    auto diag = mlir::emitError(func.getArgument(at.front()).getLoc(),
                                message + " [" + diagnosticCode(id) + "]");
    for (auto [k, i] : llvm::enumerate(at))
      if (!notes.empty())
        diag.attachNote(func.getArgument(i).getLoc()) << notes[k];
      else if (k)
        diag.attachNote(func.getArgument(i).getLoc()) << "and here";
  };
  // Names and types do not depend on sizes; shapes do.
  auto described = reference::describeParameters(func, {});
  if (failed(described))
    return false;
  ArgumentReader reader(options, complain);
  if (!reader.readScalars(*described, writtenShapes(func), values))
    return false;
  llvm::SmallVector<int64_t> scalars;
  for (const reference::Argument &value : values)
    scalars.push_back(value.integer);
  described = reference::describeParameters(func, scalars);
  if (failed(described))
    return false;
  parameters = std::move(*described);
  return checkOutputNames(options, diags, parameters) &&
         reader.fillTensors(parameters, values);
}

/// From the contract in a code object, which has no source to point to.
bool tlc::readArguments(const target::Contract &contract,
                        const RunOptions &options, DiagnosticEngine &diags,
                        std::vector<Parameter> &parameters, Values &values) {
  auto complain = [&](DiagID id, llvm::ArrayRef<unsigned>,
                      const llvm::Twine &message,
                      llvm::ArrayRef<std::string> notes) {
    DiagBuilder diag = diags.report(id, message);
    for (const std::string &note : notes)
      diag.note({}, note);
  };
  for (const target::Argument &argument : contract.arguments) {
    Parameter p;
    p.name = argument.name;
    p.dtype = parseDType(argument.dtype).value_or(DType::UInt8);
    p.role = target::toString(argument.role).str();
    p.isTensor = argument.isPointer();
    parameters.push_back(std::move(p));
  }
  // Only extents that are one argument can be solved for it.
  std::vector<std::vector<std::string>> shapes(parameters.size());
  for (auto [i, argument] : llvm::enumerate(contract.arguments))
    for (const target::Expr &extent : argument.shape)
      shapes[i].push_back(extent.op == target::Expr::Op::Arg
                              ? contract.arguments[extent.value].name
                              : "");
  ArgumentReader reader(options, complain);
  if (!reader.readScalars(parameters, shapes, values))
    return false;
  llvm::SmallVector<int64_t> scalars;
  for (const reference::Argument &value : values)
    scalars.push_back(value.integer);
  for (auto [i, argument] : llvm::enumerate(contract.arguments)) {
    if (!argument.isPointer())
      continue;
    auto elements = spannedElements(argument, scalars);
    if (!elements) {
      complain(DiagID::BadRunArgument, {unsigned(i)},
               "the shape of '" + argument.name +
                   "' has no value for these sizes",
               {});
      return false;
    }
    parameters[i].elements = *elements;
    for (const target::Expr &extent : argument.shape)
      parameters[i].shape.push_back(extent.evaluate(scalars).value_or(0));
  }
  return checkOutputNames(options, diags, parameters) &&
         reader.fillTensors(parameters, values);
}

std::vector<LaunchArgument> tlc::launchArguments(Values values) {
  std::vector<LaunchArgument> arguments(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    arguments[i].array = std::move(values[i].array);
    arguments[i].integer = values[i].integer;
    arguments[i].real = values[i].real;
  }
  return arguments;
}
