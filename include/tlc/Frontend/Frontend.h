//===- Frontend.h - Source text to the tile dialect -------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The front end parses a whole file, then runs one kernel of it as a staged
// program: what is known at compile time is computed, what is not becomes IR.
// Nothing of the file runs that the kernel does not need.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_FRONTEND_FRONTEND_H
#define TLC_FRONTEND_FRONTEND_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "tlc/Support/Diagnostics.h"
#include "llvm/ADT/StringMap.h"

namespace tlc {

struct FrontendOptions {
  /// -D name=value: parameters, T.const and T.dynamic names, module-level
  /// names. Values are literals (numbers, strings, True, None, tuples, lists)
  /// or names of element types ("float16", T.float16, torch.float16).
  llvm::StringMap<std::string> defines;
  /// The kernel to import; may be empty where the file holds one.
  std::string kernel;
};

/// Registers what the front end emits. Call before importing.
void loadFrontendDialects(mlir::MLIRContext &context);

/// Imports one kernel of a loaded text: a module with one verified tile.func.
/// Null if something was reported.
mlir::OwningOpRef<mlir::ModuleOp>
importBuffer(const SourceManager::Buffer &buffer, const FrontendOptions &options,
             mlir::MLIRContext &context, DiagnosticEngine &diags);

/// The same for a file ("-" is standard input).
mlir::OwningOpRef<mlir::ModuleOp> importFile(llvm::StringRef path, const FrontendOptions &options,
                                             mlir::MLIRContext &context, DiagnosticEngine &diags);

/// Parses a file and prints its syntax tree. False after a syntax error.
bool printAST(const SourceManager::Buffer &buffer, DiagnosticEngine &diags, llvm::raw_ostream &os);

} // namespace tlc

#endif // TLC_FRONTEND_FRONTEND_H
