//===- CompileReport.h - What a compiled kernel takes -----------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `tlc compile --report`: registers and occupancy from the code object, LDS by
// buffer from the tile dialect, the bank conflicts of each access and the
// cycles of each loop from the code, by the tables of the timing model. Nothing
// is executed.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_REPORT_COMPILEREPORT_H
#define TLC_REPORT_COMPILEREPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "tlc/Target/AMDGPU.h"
#include "llvm/Support/Error.h"
#include <map>
#include <string>
#include <vector>

namespace tlc::report {

/// A shared buffer and its place in LDS.
struct LdsBuffer {
  std::string name, line; ///< "file:line"
  int64_t offset = 0, bytes = 0;
};

/// What keeps a compute unit from holding more wavefronts of a kernel.
struct Occupancy {
  unsigned wavesPerSimd = 0;
  const char *limit = ""; ///< "vector registers", "LDS", "wavefront slots", ...
};
Occupancy occupancyOf(const target::KernelResources &resources);

class CompileReport {
public:
  /// The module after the passes on the tile dialect.
  void readTile(mlir::ModuleOp module);
  /// Text for the kernels of a code object.
  llvm::Error print(llvm::StringRef object, llvm::raw_ostream &os) const;

private:
  struct Kernel {
    std::vector<std::string> relaxations; ///< that the program declares
    std::vector<LdsBuffer> buffers;
  };

  std::map<std::string, Kernel> kernels;
};

} // namespace tlc::report

#endif // TLC_REPORT_COMPILEREPORT_H
