//===- RunArgs.h - Options and parameters of a run --------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `run` and `check` share: their options, and the values of a program's
// parameters. Parameters come from a tile.func or from a launch contract; both
// are described by reference::Parameter.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_DRIVER_RUNARGS_H
#define TLC_LIB_DRIVER_RUNARGS_H

#include "tlc/Driver/Pipeline.h"
#include "tlc/Reference/Reference.h"
#include "tlc/Runtime/Contents.h"
#include "tlc/Runtime/HIPTable.h"

namespace tlc {

struct RunOptions {
  InputOptions input;
  hip::DeviceChoice device = hip::DeviceChoice::Auto;
  bool onReference = false; ///< --device ref
  bool bisect = false;
  /// On under `check`, off under `run`, unless said otherwise.
  std::optional<bool> checkers;
  /// Order of wavefronts on the simulator.
  uint64_t seed = 0;
  /// Host threads of the simulator; 0: one a core.
  unsigned threads = 0;
  /// Wavefront instructions that a simulated launch may execute; 0: no limit.
  uint64_t limit = 0;
  /// Names with contents or files, as given.
  std::vector<std::pair<std::string, std::string>> args, outs, expects;
  /// Outputs whose rows are compared as sets.
  std::vector<std::string> unordered;
  std::optional<double> rtol;
  /// See Contents::period.
  int64_t period = 0;
  bool check = false;
  /// Most memory to take, in bytes; 0: what the system has.
  uint64_t memoryLimit = 0;
};

/// ExitOk, or the exit code after a message.
int parseRunOptions(Arguments arguments, RunOptions &options, bool check);

using reference::Parameter;
using Values = std::vector<reference::Argument>;

/// Says what is wrong, at these parameters of the program, each with a note of
/// its own if there are any.
using Complain =
    llvm::function_ref<void(DiagID, llvm::ArrayRef<unsigned>,
                            const llvm::Twine &, llvm::ArrayRef<std::string>)>;

/// Tensors of role out or inout.
bool isOutput(const Parameter &p);

/// The parameter that `--out` or `--expect` names: by its name, or an output
/// by its number from 0.
std::optional<unsigned> findOutput(llvm::ArrayRef<Parameter> parameters,
                                   llvm::StringRef name);

/// Checks before the run what --out and --expect name. False after a message.
bool checkOutputNames(const RunOptions &options, DiagnosticEngine &diags,
                      llvm::ArrayRef<Parameter> parameters);

/// Collects `--arg`s: reads files, checks names, finds the values of scalars
/// (given, defined by -D, or from the shapes of files). `shapes[i]` names the
/// extents of tensor i as the source writes them. False after a complaint.
class ArgumentReader {
public:
  ArgumentReader(const RunOptions &options, Complain complain)
      : options(options), complain(complain) {}

  bool readScalars(llvm::ArrayRef<Parameter> parameters,
                   llvm::ArrayRef<std::vector<std::string>> shapes,
                   Values &values);
  /// Fills the tensors, whose shapes are now known.
  bool fillTensors(llvm::ArrayRef<Parameter> parameters, Values &values);

private:
  bool load(llvm::ArrayRef<Parameter> parameters);
  bool fitsMemory(llvm::ArrayRef<Parameter> parameters);
  bool wrong(llvm::ArrayRef<unsigned> at, const llvm::Twine &message,
             DiagID id = DiagID::BadRunArgument) {
    complain(id, at, message, {});
    return false;
  }

  const RunOptions &options;
  Complain complain;
  std::vector<std::optional<Contents>> contents;
  std::vector<std::optional<Array>> files;
};

/// Names of the parameters, for messages: "A, B, C".
std::string listNames(llvm::ArrayRef<Parameter> parameters);

/// Writes the arrays that --out names. False after a message.
bool writeOutputs(const RunOptions &options, DiagnosticEngine &diags,
                  llvm::ArrayRef<Parameter> parameters,
                  llvm::ArrayRef<const Array *> arrays);

} // namespace tlc

#endif // TLC_LIB_DRIVER_RUNARGS_H
