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
  bool check = false, strict = false, statistics = false;
};

/// Marks errors of usage, as opposed to bad input.
class RunUsageError : public llvm::ErrorInfo<RunUsageError> {
public:
  static char ID;
  std::string text;
  explicit RunUsageError(std::string text) : text(std::move(text)) {}
  void log(llvm::raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }
};

/// For \p period see Contents::period.
llvm::Expected<RunObjectOptions>
parseRunObject(llvm::ArrayRef<llvm::StringRef> arguments, int64_t period = 0);

} // namespace tlc

#endif // TLC_LIB_DRIVER_RUNOBJECTOPTIONS_H
