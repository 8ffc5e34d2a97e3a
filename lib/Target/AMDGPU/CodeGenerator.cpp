//===- CodeGenerator.cpp - LLVM for gfx942, in process --------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Translation out of MLIR, optimisation and code generation. The contract
// becomes module-level assembly: a section that is not loaded.
//
//===----------------------------------------------------------------------===//

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "tlc/Target/AMDGPU.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Pass.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

// Of LLVM's targets only this one is linked (TargetStubs.cpp). Declared here:
// LLVM's header would declare those of all targets.
extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTarget();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUAsmPrinter();
void LLVMInitializeAMDGPUAsmParser();
}

namespace tlc::target {

Error runOptimizer(Module &module, TargetMachine &machine); // Optimizer.cpp
Pass *createEvictionBudget(LLVMContext &context); // EvictionBudget.cpp

/// Must be called for a context before modules of it are translated.
void registerTranslations(mlir::MLIRContext &context) {
  mlir::registerBuiltinDialectTranslation(context);
  mlir::registerLLVMDialectTranslation(context);
}

CodeGenerator::CodeGenerator() = default;
CodeGenerator::~CodeGenerator() = default;

/// A machine for gfx942; position-independent, since code objects are loaded
/// anywhere.
Expected<std::unique_ptr<CodeGenerator>> CodeGenerator::create() {
  static const bool initialized = [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    LLVMInitializeAMDGPUAsmParser();
    return true;
  }();
  (void)initialized;
  Triple triple("amdgcn-amd-amdhsa");
  std::string message;
  const Target *target = TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return createStringError(inconvertibleErrorCode(), message);

  std::unique_ptr<CodeGenerator> self(new CodeGenerator);
  self->context = std::make_unique<LLVMContext>();
  self->context->setDiscardValueNames(false);
  self->context->setDiagnosticHandlerCallBack(
      [](const DiagnosticInfo *info, void *errors) {
        // Remarks and warnings (of the scheduler, of spills) are not for the
        // user.
        if (info->getSeverity() != DS_Error)
          return;
        std::string text;
        raw_string_ostream stream(text);
        DiagnosticPrinterRawOStream printer(stream);
        info->print(printer);
        static_cast<std::vector<std::string> *>(errors)->push_back(text);
      },
      &self->errors);
  self->machine.reset(target->createTargetMachine(
      triple, "gfx942", "", TargetOptions(), Reloc::PIC_, std::nullopt,
      CodeGenOptLevel::Aggressive));
  return std::move(self);
}

/// What LLVM reported through the context since the last call, as one error.
Error CodeGenerator::takeErrors(StringRef stage) {
  if (errors.empty())
    return Error::success();
  std::string text = errors.front();
  errors.clear();
  return createStringError(inconvertibleErrorCode(), stage + ": " + text);
}

//===----------------------------------------------------------------------===//
// Translation
//===----------------------------------------------------------------------===//

/// Argument names and types, which code generation copies to the metadata.
static void describeArguments(Function &kernel, const Contract &contract) {
  // A helper function, not a kernel of the contract.
  if (kernel.arg_size() != contract.arguments.size())
    return;
  LLVMContext &context = kernel.getContext();
  SmallVector<Metadata *> types;
  for (auto [arg, described] : zip(kernel.args(), contract.arguments)) {
    arg.setName(described.name);
    std::string type = described.dtype + (described.isPointer() ? "*" : "");
    types.push_back(MDString::get(context, type));
  }
  kernel.setMetadata("kernel_arg_type", MDNode::get(context, types));
  kernel.setMetadata("kernel_arg_base_type", MDNode::get(context, types));
}

/// A launch with another workgroup is then refused by HIP, not miscomputed.
static void requireWorkgroup(Function &kernel, const Contract &contract) {
  LLVMContext &context = kernel.getContext();
  for (const Kernel &described : contract.kernels) {
    if (described.name != kernel.getName())
      continue;
    SmallVector<Metadata *> extents;
    for (int64_t extent : described.block)
      extents.push_back(ConstantAsMetadata::get(
          ConstantInt::get(Type::getInt32Ty(context), extent)));
    kernel.setMetadata("reqd_work_group_size", MDNode::get(context, extents));
  }
}

/// In a section that is not loaded, quoted for the assembler: two characters
/// need it.
static void embedContract(Module &module, const Contract &contract) {
  std::string json;
  raw_string_ostream(json) << contract.toJSON();
  std::string text;
  raw_string_ostream os(text);
  os << "\t.section " << Contract::kSection << ",\"\",@progbits\n\t.ascii \"";
  for (char c : json) {
    if (c == '"' || c == '\\')
      os << '\\';
    os << c; // JSON has no control characters of its own
  }
  os << "\"\n\t.text";
  module.appendModuleInlineAsm(text);
}

/// Float atomics on device memory have instructions; without this promise (the
/// memory is neither fine-grained nor another device's) they become loops.
static void markAtomics(Function &function) {
  MDNode *yes = MDNode::get(function.getContext(), {});
  for (Instruction &inst : instructions(function)) {
    if (!isa<AtomicRMWInst>(inst))
      continue;
    inst.setMetadata("amdgpu.no.fine.grained.memory", yes);
    inst.setMetadata("amdgpu.no.remote.memory", yes);
    if (inst.getType()->isFloatTy())
      inst.setMetadata("amdgpu.ignore.denormal.mode", yes);
  }
}

/// From the LLVM dialect; must come first. `contract` may be null, which leaves
/// the object without metadata of tlc's own.
Error CodeGenerator::translate(mlir::ModuleOp source,
                               const Contract *contract) {
  module = mlir::translateModuleToLLVMIR(source, *context, "tlc",
                                         /*disableVerification=*/true);
  if (!module)
    return createStringError(inconvertibleErrorCode(),
                             "translation to LLVM IR failed");
  // Before anything asks for sizes or address spaces.
  module->setTargetTriple(machine->getTargetTriple());
  module->setDataLayout(machine->createDataLayout());
  // Version 5: the newest that ROCm 6.0's loader and comgr accept.
  module->addModuleFlag(Module::Error, "amdhsa_code_object_version", 500);
  for (Function &function : *module) {
    if (function.isDeclaration())
      continue;
    if (contract) {
      describeArguments(function, *contract);
      requireWorkgroup(function, *contract);
    }
    markAtomics(function);
  }
  if (contract)
    embedContract(*module, *contract);
  std::string text;
  raw_string_ostream stream(text);
  // An error here is one of tlc's lowering, not of the user's program.
  if (verifyModule(*module, &stream))
    return createStringError(inconvertibleErrorCode(),
                             "invalid LLVM IR: " + text);
  return takeErrors("translation");
}

/// LLVM's pipeline as Optimizer.cpp has it; after translate.
Error CodeGenerator::optimize() {
  if (Error e = runOptimizer(*module, *machine))
    return e;
  return takeErrors("optimisation");
}

std::string CodeGenerator::printIR() const {
  std::string text;
  raw_string_ostream(text) << *module;
  return text;
}

//===----------------------------------------------------------------------===//
// Code generation
//===----------------------------------------------------------------------===//

namespace {
/// Code generation without the passes that move instructions to where their
/// results are used: those took apart what a schedule placed beside matrix
/// work before a branch. And without the search for the places of variables:
/// kernels have line numbers only. Large modules go without a pass that
/// compares all products of a kernel with one another.
class KeepOrderPassManager : public legacy::PassManager {
public:
  explicit KeepOrderPassManager(const Module &module)
      : large(module.getInstructionCount() > kLarge) {}
  void add(Pass *pass) override {
    StringRef name = pass->getPassName();
    if (name == "Code sinking" || name == "Machine code sinking" ||
        name == "Live DEBUG_VALUE analysis" ||
        (large && name == "Straight line strength reduction"))
      delete pass;
    else
      legacy::PassManager::add(pass);
  }

private:
  static constexpr unsigned kLarge = 12000; ///< instructions
  bool large;
};
} // namespace

/// Machine code or its text. The module is used up. Errors are those that LLVM
/// reported on the way. Where the search for registers was cut short and that
/// is why there is no code, it is made once more with all of it.
Expected<std::string> CodeGenerator::emit(bool assembly) {
  machine->Options.MCOptions.AsmVerbose = assembly;
  std::unique_ptr<Module> again = CloneModule(*module);
  for (bool budget : {true, false}) {
    SmallString<0> buffer;
    raw_svector_ostream stream(buffer);
    KeepOrderPassManager passes(*module);
    if (budget)
      passes.add(createEvictionBudget(*context));
    CodeGenFileType type =
        assembly ? CodeGenFileType::AssemblyFile : CodeGenFileType::ObjectFile;
    if (machine->addPassesToEmitFile(passes, stream, nullptr, type,
                                     /*DisableVerify=*/true))
      return createStringError(inconvertibleErrorCode(),
                               "the target cannot emit this file type");
    passes.run(*module);
    module = std::move(again);
    if (errors.empty()) {
      module.reset();
      return std::string(buffer);
    }
    if (budget)
      errors.clear();
  }
  return takeErrors("code generation");
}

Expected<std::string> CodeGenerator::emitAssembly() { return emit(true); }
Expected<std::string> CodeGenerator::emitObject() { return emit(false); }

} // namespace tlc::target
