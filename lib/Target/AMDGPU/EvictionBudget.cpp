//===- EvictionBudget.cpp - An end to the search for registers ------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's register allocator asks for each value that finds no register whether
// one can be had by evicting others, and for each of those whether another
// register would do for it. Where a kernel has far more values than registers
// that takes most of a minute, to end in scratch memory all the same. Here the
// question is answered a number of times, many more than kernels that fit ask
// it; after that a value is split or spilled without a search.
//
// The answers are counted, not timed, so that a kernel compiles the same way
// every time.
//
//===----------------------------------------------------------------------===//

#include "llvm/CodeGen/LiveInterval.h"
#include "llvm/CodeGen/RegAllocEvictionAdvisor.h"
#include "llvm/MC/MCRegister.h"
#include "llvm/Pass.h"

using namespace llvm;

namespace {

/// Searches in one function. Kernels that fit their registers take up to about
/// 200, those that end a few values short of it 1200.
constexpr unsigned kSearches = 1500;

class BudgetedAdvisor : public RegAllocEvictionAdvisor {
public:
  BudgetedAdvisor(const MachineFunction &function, const RAGreedy &allocator)
      : RegAllocEvictionAdvisor(function, allocator),
        search(std::make_unique<DefaultEvictionAdvisor>(function, allocator)) {}

  MCRegister
  tryFindEvictionCandidate(const LiveInterval &value,
                           const AllocationOrder &order, uint8_t most,
                           const SmallVirtRegSet &fixed) const override {
    // What cannot be spilled must have a register, whatever the search takes.
    if (value.isSpillable() && left-- == 0) {
      left = 0;
      return MCRegister();
    }
    return search->tryFindEvictionCandidate(value, order, most, fixed);
  }
  bool canEvictHintInterference(const LiveInterval &value, MCRegister hint,
                                const SmallVirtRegSet &fixed) const override {
    return search->canEvictHintInterference(value, hint, fixed);
  }

private:
  std::unique_ptr<RegAllocEvictionAdvisor> search;
  mutable unsigned left = kSearches;
};

struct BudgetedProvider : RegAllocEvictionAdvisorProvider {
  explicit BudgetedProvider(LLVMContext &context)
      : RegAllocEvictionAdvisorProvider(AdvisorMode::Default, context) {}
  std::unique_ptr<RegAllocEvictionAdvisor>
  getAdvisor(const MachineFunction &function, const RAGreedy &allocator,
             MachineBlockFrequencyInfo *, MachineLoopInfo *) override {
    return std::make_unique<BudgetedAdvisor>(function, allocator);
  }
};

struct BudgetedAnalysis : RegAllocEvictionAdvisorAnalysisLegacy {
  explicit BudgetedAnalysis(LLVMContext &context)
      : RegAllocEvictionAdvisorAnalysisLegacy(AdvisorMode::Default) {
    Provider = std::make_unique<BudgetedProvider>(context);
  }
};

} // namespace

namespace tlc::target {
/// Takes the place of LLVM's own advisor in a pass manager that has it before
/// the allocator.
Pass *createEvictionBudget(LLVMContext &context) {
  return new BudgetedAnalysis(context);
}
} // namespace tlc::target
