//===- Optimizer.cpp - LLVM's passes over a kernel ------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The schedule of a kernel is decided in the wave dialect; LLVM is to clean up
// and to leave it alone. So: O3 without the vectorisers (SLP makes <2 x float>
// of neighbours and drags them across the schedule) and without unrolling.
//
//   for (...) { v_mfma a; global_load b; v_mfma c; }   as wave-schedule has it
//   ->  the same order in machine code, with addresses simplified, common
//       subexpressions merged and dead code gone
//
//===----------------------------------------------------------------------===//

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/CodeGen/AtomicExpand.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/AMDGPUAddrSpace.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tlc::target {

/// LLVM's LICM has no other switch for this. Keeps it from turning memory that
/// a loop reads and writes into a value carried around the loop.
static void forgoPromotion() {
  auto &options = cl::getRegisteredOptions();
  auto it = options.find("disable-licm-promotion");
  if (it != options.end())
    static_cast<cl::opt<bool> *>(it->second)->setValue(true);
}

/// Atomics without an instruction (the maximum of f32) become loops around a
/// compare-and-swap now, not in code generation: what such a loop reads first
/// may be what another workgroup is changing, so that load is an atomic too; in
/// LDS, whose loads have no such form, a swap of 0 by 0.
static void expandAtomics(Module &module, TargetMachine &machine,
                          ModuleAnalysisManager &mam) {
  bool any = false;
  for (Function &function : module)
    for (Instruction &inst : instructions(function))
      any |= isa<AtomicRMWInst>(inst);
  // Most kernels have none.
  if (!any)
    return;
  ModulePassManager passes;
  passes.addPass(createModuleToFunctionPassAdaptor(AtomicExpandPass(machine)));
  passes.run(module, mam);
  SmallVector<LoadInst *> fromLds;
  for (Function &function : module)
    for (Instruction &inst : instructions(function)) {
      auto *swap = dyn_cast<AtomicCmpXchgInst>(&inst);
      if (!swap)
        continue;
      for (User *user : swap->getPointerOperand()->users())
        if (auto *load = dyn_cast<LoadInst>(user)) {
          if (!load->isAtomic())
            load->setAtomic(AtomicOrdering::Monotonic, swap->getSyncScopeID());
          if (load->getPointerAddressSpace() == AMDGPUAS::LOCAL_ADDRESS &&
              load->getType()->isIntegerTy() && !is_contained(fromLds, load))
            fromLds.push_back(load);
        }
    }
  for (LoadInst *load : fromLds) {
    IRBuilder<> b(load);
    Constant *zero = ConstantInt::get(load->getType(), 0);
    Value *swap = b.CreateAtomicCmpXchg(
        load->getPointerOperand(), zero, zero, load->getAlign(),
        AtomicOrdering::Monotonic, AtomicOrdering::Monotonic,
        load->getSyncScopeID());
    load->replaceAllUsesWith(b.CreateExtractValue(swap, 0));
    load->eraseFromParent();
  }
}

/// Code generation rounds a product to f16 by v_fma_mix, to which it adds 0: a
/// product that is -0 would lose its sign. Here it is added to -0, which keeps
/// every number.
///
///   %p = fmul float %a, %b       %p = call float @llvm.fma.f32(%a, %b, -0.0)
///   %h = fptrunc float %p   =>   %h = fptrunc float %p
static void keepSignsOfZero(Module &module) {
  SmallVector<FPTruncInst *> roundings;
  for (Function &function : module)
    for (Instruction &inst : instructions(function))
      if (auto *trunc = dyn_cast<FPTruncInst>(&inst);
          trunc && trunc->getType()->getScalarType()->isHalfTy())
        roundings.push_back(trunc);
  for (FPTruncInst *trunc : roundings) {
    Value *a = nullptr, *b = nullptr, *source = trunc->getOperand(0);
    bool negated = match(source, m_FNeg(m_FMul(m_Value(a), m_Value(b))));
    if (!negated && !match(source, m_FMul(m_Value(a), m_Value(b))))
      continue;
    IRBuilder<> builder(trunc);
    if (negated)
      a = builder.CreateFNeg(a);
    Type *type = source->getType();
    trunc->setOperand(
        0, builder.CreateIntrinsic(Intrinsic::fma, {type},
                                   {a, b, ConstantFP::getNegativeZero(type)}));
    RecursivelyDeleteTriviallyDeadInstructions(source);
  }
}

/// O3 as tuned above, then atomics and signs of zero. Changes `module` in
/// place; errors come through the context's handler.
Error runOptimizer(Module &module, TargetMachine &machine) {
  forgoPromotion();
  PipelineTuningOptions tuning;
  tuning.SLPVectorization = false;
  tuning.LoopVectorization = false;
  tuning.LoopInterleaving = false;
  tuning.LoopUnrolling = false;
  // Declared in this order, since they refer to each other when they are
  // destroyed.
  LoopAnalysisManager lam;
  FunctionAnalysisManager fam;
  CGSCCAnalysisManager cgam;
  ModuleAnalysisManager mam;
  PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(mam);
  builder.registerCGSCCAnalyses(cgam);
  builder.registerFunctionAnalyses(fam);
  builder.registerLoopAnalyses(lam);
  builder.crossRegisterProxies(lam, fam, cgam, mam);
  ModulePassManager passes =
      builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3);
  passes.run(module, mam);
  expandAtomics(module, machine, mam);
  keepSignsOfZero(module);
  return Error::success();
}

} // namespace tlc::target
