//===- Reference.h - What a tile program means, on the CPU ------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates a `tile.func` at the level of tiles, as it stands after the front
// end or after any pass on the tile dialect (layouts, LDS offsets and MFMA
// choices are ignored). It shares no lowering code with the compiler, so that
// each is a test of the other.
//
// Beside every floating-point value it can carry a bound of how far a correct
// execution on the device may be from it; docs/numerics.md gives the rules.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_REFERENCE_REFERENCE_H
#define TLC_REFERENCE_REFERENCE_H

#include "mlir/Support/LLVM.h"
#include "tlc/Support/DType.h"
#include <string>
#include <vector>

namespace tlc::tile {
class FuncOp;
}

namespace tlc::reference {

struct Options {
  enum class Rounding {
    /// Values are rounded where their declared type is narrower than f64.
    Declared,
    /// f64 throughout: what the program means without rounding. No bounds.
    Exact
  };
  Rounding rounding = Rounding::Declared;
  /// Propagate error bounds (declared rounding only).
  bool bounds = true;
  /// Print T.print's messages to stderr.
  bool print = false;
};

/// An argument of the program. `array` holds a tensor's contents, in C order of
/// its shape; after the evaluation it holds the results. Scalars are given in
/// `integer` or `real` by their type.
struct Argument {
  Array array;
  int64_t integer = 0;
  double real = 0;
  /// After the evaluation, for tensors: the values before they are rounded to
  /// the array's type, and their bounds (empty without bounds).
  std::vector<double> values, bounds;
};

struct Statistics {
  /// Branches whose condition compares values closer than their error: the
  /// bounds hold only if the device takes the same ones.
  uint64_t uncertainBranches = 0;
  /// Integer divisions by 0, lanes that do not count among them: their results
  /// are not defined.
  uint64_t zeroDivisions = 0;
  /// Multiply-adds in gemms, and scalar operations.
  uint64_t multiplyAdds = 0, operations = 0;
};

/// One argument as the program declares it.
struct Parameter {
  std::string name;
  DType dtype = DType::Float32;
  /// "in", "out", "inout", "workspace", "scalar" or "dim".
  std::string role;
  bool isTensor = false;
  llvm::SmallVector<int64_t, 4> shape; ///< of a tensor
  int64_t elements = 0; ///< storage of a tensor, strides included
};

/// The parameters of a program, with tensor shapes for the given scalars:
/// `scalars[i]` is the value of argument i where that is an integer. Emits a
/// diagnostic on failure.
mlir::FailureOr<std::vector<Parameter>>
describeParameters(tile::FuncOp func, llvm::ArrayRef<int64_t> scalars);

/// Runs the program. `arguments` has one entry for each argument of `func`,
/// tensors of the described number of elements. A fault of the program (an
/// index outside a shared buffer, a failed assertion) is a diagnostic at its
/// place and a failure.
mlir::LogicalResult evaluate(tile::FuncOp func,
                             llvm::MutableArrayRef<Argument> arguments,
                             const Options &options = {},
                             Statistics *statistics = nullptr);

} // namespace tlc::reference

#endif // TLC_REFERENCE_REFERENCE_H
