//===- AMDGPU.h - From the LLVM dialect to a gfx942 code object -*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything happens in this process: translation, optimisation, code
// generation and linking. Nothing is written to disk.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_TARGET_AMDGPU_H
#define TLC_TARGET_AMDGPU_H

#include "mlir/IR/BuiltinOps.h"
#include "tlc/Target/Contract.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace tlc::tile {
class FuncOp;
}

namespace tlc::target {

/// How far to go.
enum class Output { LLVM, Assembly, Object, CodeObject };

/// Translates a module of the LLVM dialect (the result of
/// convert-wave-to-rocdl) and returns the text or bytes of the wanted stage.
/// The contract is embedded in the object.
llvm::Expected<std::string> emit(mlir::ModuleOp module,
                                 const Contract &contract, Output output);

/// The dialect translations `emit` needs; once per context.
void registerTranslations(mlir::MLIRContext &context);

/// Links a relocatable object into a code object.
class Linker {
public:
  virtual ~Linker() = default;
  virtual llvm::StringRef name() const = 0;
  virtual llvm::Expected<std::string> link(llvm::StringRef object) = 0;
};
/// lld, part of this program.
Linker &embeddedLinker();

/// The contract of a program before its kernels are compiled: grids and shapes
/// as expressions over its scalars. Emits a diagnostic where an expression
/// cannot be told to a host.
mlir::FailureOr<Contract> buildContract(tile::FuncOp program);

} // namespace tlc::target

#endif // TLC_TARGET_AMDGPU_H
