//===- AMDGPU.h - From the LLVM dialect to a gfx942 code object -*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything happens in this process: LLVM optimises and generates code, a
// `Linker` makes the code object. Failures are llvm::Errors; none of LLVM's own
// messages reaches standard error.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_TARGET_AMDGPU_H
#define TLC_TARGET_AMDGPU_H

#include "mlir/IR/BuiltinOps.h"
#include "tlc/Target/Contract.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class TargetMachine;
}

namespace tlc::target {

/// Registers the translations `CodeGenerator::translate` needs.
void registerTranslations(mlir::MLIRContext &context);

/// One program on its way through LLVM. Not thread-safe; several may live at
/// once.
class CodeGenerator {
public:
  static llvm::Expected<std::unique_ptr<CodeGenerator>> create();
  ~CodeGenerator();

  /// Takes a module of the LLVM dialect. With a contract, kernel arguments get
  /// their names and types in the metadata, and the contract is embedded.
  llvm::Error translate(mlir::ModuleOp module, const Contract *contract);
  llvm::Error optimize();

  /// The textual LLVM IR at this point.
  std::string printIR() const;
  /// Code generation. Consumes the module: call one of these, once.
  llvm::Expected<std::string> emitAssembly();
  llvm::Expected<std::string> emitObject();

private:
  CodeGenerator();
  llvm::Error takeErrors(llvm::StringRef stage);
  llvm::Expected<std::string> emit(bool assembly);

  std::vector<std::string> errors; // collected from LLVM's diagnostics
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;
};

/// Makes a loadable code object of a relocatable one.
class Linker {
public:
  virtual ~Linker();
  virtual llvm::StringRef getName() const = 0;
  virtual llvm::Expected<std::string> link(llvm::StringRef object) = 0;
};
/// lld, built in.
std::unique_ptr<Linker> createLldLinker();
/// ROCm's code object manager, opened at run time: `path`, or the system's
/// libamd_comgr. Fails where there is none.
llvm::Expected<std::unique_ptr<Linker>>
createComgrLinker(llvm::StringRef path = "");

/// What one kernel of a code object uses.
struct KernelResources {
  std::string name;
  unsigned vgprs = 0, agprs = 0, sgprs = 0;
  unsigned vgprSpills = 0, sgprSpills = 0;
  unsigned scratchBytes = 0; ///< per work-item
  unsigned ldsBytes = 0;     ///< per workgroup
  unsigned threads = 0;      ///< largest workgroup
  /// Wavefronts a SIMD can hold at once, by registers and LDS.
  unsigned wavesPerSimd() const;
};
/// From the metadata note of a code object or relocatable object.
llvm::Expected<std::vector<KernelResources>>
readResources(llvm::StringRef object);

} // namespace tlc::target

#endif // TLC_TARGET_AMDGPU_H
