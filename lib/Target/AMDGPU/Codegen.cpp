//===- Codegen.cpp - LLVM IR to a gfx942 object -*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/ROCDL/ROCDLToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "tlc/Target/AMDGPU.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"

using namespace llvm;
using namespace tlc;

extern "C" {
void LLVMInitializeAMDGPUTarget();
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUAsmPrinter();
void LLVMInitializeAMDGPUAsmParser();
}

static constexpr char kTriple[] = "amdgcn-amd-amdhsa";

void target::registerTranslations(mlir::MLIRContext &context) {
  mlir::registerBuiltinDialectTranslation(context);
  mlir::registerLLVMDialectTranslation(context);
  mlir::registerROCDLDialectTranslation(context);
}

static Expected<std::unique_ptr<TargetMachine>> createMachine() {
  static bool once = [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    LLVMInitializeAMDGPUAsmParser();
    return true;
  }();
  (void)once;
  std::string error;
  Triple triple(kTriple);
  const Target *t = TargetRegistry::lookupTarget(triple, error);
  if (!t)
    return createStringError("no AMDGPU target: " + error);
  TargetOptions options;
  options.AllowFPOpFusion = FPOpFusion::Fast;
  std::unique_ptr<TargetMachine> machine(
      t->createTargetMachine(triple, "gfx942", "", options, Reloc::PIC_,
                             std::nullopt, CodeGenOptLevel::Aggressive));
  if (!machine)
    return createStringError("cannot create the gfx942 target machine");
  return machine;
}

/// The contract as a section that is not loaded.
static std::string contractAssembly(const target::Contract &contract) {
  std::string json;
  raw_string_ostream(json) << contract.toJSON();
  std::string text =
      ".section " + target::Contract::kSection.str() + ",\"\",@progbits\n";
  raw_string_ostream os(text);
  for (size_t i = 0; i < json.size(); i += 256) {
    os << ".ascii \"";
    for (char c : StringRef(json).substr(i, 256)) {
      if (c == '"' || c == '\\')
        os << '\\' << c;
      else if (c >= ' ' && c < 127)
        os << c;
      else
        os << format("\\%03o", unsigned(uint8_t(c)));
    }
    os << "\"\n";
  }
  os << ".text\n";
  return text;
}

namespace {
/// Keeps the first error LLVM reports instead of letting it end the process.
struct ErrorCatcher : DiagnosticHandler {
  explicit ErrorCatcher(std::string &message) : message(message) {}
  bool handleDiagnostics(const DiagnosticInfo &info) override {
    if (info.getSeverity() == DS_Error && message.empty()) {
      raw_string_ostream os(message);
      DiagnosticPrinterRawOStream printer(os);
      info.print(printer);
    }
    return true;
  }
  std::string &message;
};
} // namespace

static void optimise(Module &module, TargetMachine &machine) {
  PipelineTuningOptions tuning;
  // Vectorised f32 sums would be dragged across the matrix instructions.
  tuning.SLPVectorization = false;
  tuning.LoopVectorization = false;
  PassBuilder builder(&machine, tuning);
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager sccs;
  ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3)
      .run(module, modules);
}

Expected<std::string> target::emit(mlir::ModuleOp module,
                                   const Contract &contract, Output output) {
  auto machine = createMachine();
  if (!machine)
    return machine.takeError();
  LLVMContext context;
  std::string message;
  context.setDiagnosticHandler(std::make_unique<ErrorCatcher>(message));
  std::unique_ptr<Module> llvm =
      mlir::translateModuleToLLVMIR(module, context, "tlc");
  if (!llvm)
    return createStringError("the module cannot be translated to LLVM IR");
  llvm->setTargetTriple(Triple(kTriple));
  llvm->setDataLayout((*machine)->createDataLayout());
  llvm->setSourceFileName(contract.program);
  llvm->addModuleFlag(Module::Error, "amdhsa_code_object_version", 500);
  if (!contract.kernels.empty())
    llvm->appendModuleInlineAsm(contractAssembly(contract));
  optimise(*llvm, **machine);
  if (!message.empty())
    return createStringError(message);
  std::string result;
  if (output == Output::LLVM) {
    raw_string_ostream os(result);
    llvm->print(os, nullptr);
    return result;
  }
  SmallString<0> buffer;
  {
    raw_svector_ostream os(buffer);
    legacy::PassManager passes;
    CodeGenFileType type = output == Output::Assembly
                               ? CodeGenFileType::AssemblyFile
                               : CodeGenFileType::ObjectFile;
    if ((*machine)->addPassesToEmitFile(passes, os, nullptr, type))
      return createStringError("LLVM cannot emit this kind of file");
    passes.run(*llvm);
  }
  if (!message.empty())
    return createStringError(message);
  result.assign(buffer.begin(), buffer.end());
  if (output != Output::CodeObject)
    return result;
  return embeddedLinker().link(result);
}
