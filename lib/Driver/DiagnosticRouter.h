//===- DiagnosticRouter.h - MLIR's diagnostics through tlc's ----*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TLC_LIB_DRIVER_DIAGNOSTICROUTER_H
#define TLC_LIB_DRIVER_DIAGNOSTICROUTER_H

#include "mlir/IR/Diagnostics.h"
#include "tlc/Driver/Pipeline.h"
#include "llvm/ADT/StringSet.h"

namespace tlc {

/// Gives what MLIR reports a place in the source, an id, and tlc's form. A
/// message may carry its id at its end, as `... [TL0601]`.
class DiagnosticRouter : public mlir::ScopedDiagnosticHandler {
public:
  explicit DiagnosticRouter(Compilation &compilation);

private:
  SourceRange rangeOf(mlir::Location loc);
  void route(mlir::Diagnostic &diag);
  Compilation &compilation;
  llvm::StringSet<> said; ///< with its place
};

} // namespace tlc

#endif // TLC_LIB_DRIVER_DIAGNOSTICROUTER_H
