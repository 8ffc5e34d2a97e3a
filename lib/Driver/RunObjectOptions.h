//===- RunObjectOptions.h - Command line of tlc run OBJECT ------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The command line of `tlc run OBJECT`, also of `tlc profile OBJECT`.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_DRIVER_RUNOBJECTOPTIONS_H
#define TLC_LIB_DRIVER_RUNOBJECTOPTIONS_H

#include "tlc/Runtime/HIPTable.h"
#include "tlc/Support/DType.h"
#include "tlc/Support/Diagnostics.h"
#include "llvm/Support/Error.h"

namespace tlc {

/// A typed argument of the command line.
struct ObjectArgument {
  std::string text; ///< as given
  bool isNull = false;
  bool isArray = false;
  DType type = DType::Int32;
  Array array;          ///< of an array
  uint64_t scalar = 0;  ///< bits of a scalar
  std::string savePath; ///< of --out; empty: not saved
};

struct RunObjectOptions {
  std::string object, kernel;
  unsigned grid[3] = {0, 0, 0}, block[3] = {0, 0, 0};
  unsigned ldsBytes = 0;
  std::vector<ObjectArgument> arguments;
  hip::DeviceChoice device = hip::DeviceChoice::Auto;
  /// Host threads of the simulator; 0: as many as there are cores.
  unsigned threads = 0;
  /// Order of wavefronts; most wavefront instructions, 0: no limit of its own.
  uint64_t seed = 0, limit = 0;
  /// Most bytes of the arrays; 0: what the system has.
  uint64_t memoryLimit = 0;
  /// Checkers: not said, on or off.
  std::optional<bool> check;
  bool strict = false, statistics = false;
  bool saves = false; ///< --out was given
};

/// An error with its id, which decides on the exit code: mistakes in the form
/// of the command line are usage errors.
class ObjectError : public llvm::ErrorInfo<ObjectError> {
public:
  static char ID;
  DiagID id;
  std::string text;
  ObjectError(DiagID id, std::string text) : id(id), text(std::move(text)) {}
  void log(llvm::raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }
};
inline llvm::Error objectError(DiagID id, const llvm::Twine &text) {
  return llvm::make_error<ObjectError>(id, text.str());
}
/// Says it; the exit code.
int reportError(llvm::Error error);

/// For \p period see Contents::period. Without \p fills only looks at what was
/// said: arrays stay empty, and files need only be readable.
llvm::Expected<RunObjectOptions>
parseRunObject(llvm::ArrayRef<llvm::StringRef> arguments, int64_t period = 0,
               bool fills = true);

} // namespace tlc

#endif // TLC_LIB_DRIVER_RUNOBJECTOPTIONS_H
