//===- Attempts.cpp - Compiling a kernel that asks for too much -----------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LDS: a kernel that tile-fit-lds refuses goes through the tile passes again,
// told how much it lacked.
//
// Registers: those that spill to scratch memory cost more than what filled them
// brings. There is a list of things to do about it, from less prefetch to more
// threads. What each of them saves shows in the wave dialect, long before there
// is machine code, so for each kernel:
//
// 1. Bring it to the wave dialect at each level, until the estimate of its
//    registers (Registers.h) is no more than a lane has. Nearly always that is
//    the first.
// 2. Compile that. If it spills all the same, the estimates of the others grow
//    by what this one missed; compile the next in line: first those that the
//    estimate lets pass, in the order of the list, then the others by what they
//    lack.
// 3. Take the one with least scratch memory.
//
//   level  spare  wider          what changes
//     0      0     no            as written
//     1      1     no            no prefetch
//     2      2     no            and operands stay in LDS where it holds them
//     3      0     twice the threads, each with half of every fragment
//     4      1     the same, without prefetch
//
// The same levels serve a kernel with matrix work whose LDS leaves room for so
// few wavefronts that SIMDs of a compute unit have none: with twice the threads
// they have, and that is taken if the estimate lets it pass.
//
// Kernels of one program go through the levels independently, but are compiled
// together: an attempt is a level for each.
//
//===----------------------------------------------------------------------===//

#include "Attempts.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "tlc/Dialect/Tile/Transforms/Passes.h"
#include "tlc/Dialect/Wave/Transforms/Registers.h"
#include "tlc/Driver/Pipeline.h"
#include "tlc/Support/LdsBanks.h"
#include "tlc/Target/AMDGPU.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace tlc;

namespace {
using Diagnostics = std::vector<mlir::Diagnostic>;

/// Collects what is reported while it lives.
struct Held : ScopedDiagnosticHandler {
  Held(MLIRContext *ctx, Diagnostics &said)
      : ScopedDiagnosticHandler(ctx, [&said](mlir::Diagnostic &diag) {
          said.push_back(std::move(diag));
        }) {}
};

/// Shows the module to somebody.
struct ObserverPass : PassWrapper<ObserverPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ObserverPass)
  explicit ObserverPass(std::function<void(ModuleOp)> observer)
      : observer(std::move(observer)) {}
  void runOnOperation() override {
    observer(getOperation());
    markAllAnalysesPreserved();
  }
  std::function<void(ModuleOp)> observer;
};
} // namespace

//===----------------------------------------------------------------------===//
// LDS
//===----------------------------------------------------------------------===//

/// Bytes that tile-fit-lds lacked for a kernel of the module, by kernel. The
/// pass leaves the need as an attribute where it fails, so the failed module is
/// read.
static SmallVector<int64_t> lackingLds(ModuleOp module) {
  SmallVector<int64_t> lacking;
  module.walk([&](tile::KernelOp kernel) {
    auto needed = kernel->getAttrOfType<IntegerAttr>(tile::kLdsNeededAttr);
    bool more = needed && !kernel->hasAttr(tile::kLdsExhaustedAttr);
    lacking.push_back(more ? needed.getInt() - kLdsBytes : 0);
  });
  return lacking;
}

bool tlc::lowerToWave(ModuleOp module, ArrayRef<std::string> disabled,
                      const std::function<void(ModuleOp)> &atTile,
                      OwningOpRef<ModuleOp> *source) {
  constexpr unsigned kMostAttempts = 5;
  MLIRContext *ctx = module.getContext();
  Diagnostics first, said;
  constexpr int64_t kMostReserve = 3 * kLdsBytes / 4;
  // What each kernel must do without, growing from attempt to attempt.
  SmallVector<int64_t> reserve;
  bool ok = false;
  for (unsigned attempt = 0; attempt < kMostAttempts; ++attempt) {
    OwningOpRef<ModuleOp> saved = module.clone();
    said.clear();
    {
      // Messages wait until it is known which attempt counts.
      Held held(ctx, said);
      ok = runPasses(module, [&](PassManager &passes) {
        buildTilePipeline(passes, disabled);
        if (atTile)
          passes.addPass(std::make_unique<ObserverPass>(atTile));
        buildWavePipeline(passes, disabled);
      });
    }
    if (ok) {
      if (source)
        *source = std::move(saved);
      break;
    }
    SmallVector<int64_t> lacking = lackingLds(module);
    if (attempt == 0)
      std::swap(first, said);
    if (llvm::none_of(lacking, [](int64_t bytes) { return bytes > 0; }))
      break;
    // Back to the program before the passes, with less LDS to spend.
    reserve.resize(lacking.size());
    module.getBodyRegion().takeBody(saved->getBodyRegion());
    unsigned next = 0;
    module.walk([&](tile::KernelOp kernel) {
      int64_t &bytes = reserve[next];
      int64_t lacks = std::max<int64_t>(0, lacking[next++]);
      // What a pass leaves room for and a later one takes is not known here:
      // larger steps each time, up to what leaves the passes something.
      bytes = std::min(bytes + (lacks << (2 * attempt)),
                       std::max(bytes, kMostReserve));
      if (bytes)
        kernel->setAttr(tile::kLdsReserveAttr,
                        OpBuilder(ctx).getI64IntegerAttr(bytes));
    });
  }
  // Of several failures the first speaks of the program as it was written.
  for (mlir::Diagnostic &diag : ok ? said : first)
    ctx->getDiagEngine().emit(std::move(diag));
  return ok;
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

namespace {
/// What is done, level by level, about a kernel whose registers do not suffice.
struct RegisterLevel {
  int64_t spare; ///< for kSpareRegistersAttr
  bool wider;    ///< twice the threads, each with half of every fragment
};
constexpr RegisterLevel registerLevels[] = {
    {0, false}, {1, false}, {2, false}, {0, true}, {1, true}};
constexpr unsigned kLevels = std::size(registerLevels);

/// Registers by which the estimate exceeds what kernels that just fit need.
constexpr int64_t kEstimateExcess = 8;
/// Compilations of attempts that the estimate gives no hope for.
constexpr unsigned kMostHopeless = 2;
} // namespace

/// Whether the kernel means the same on any number of threads, and may have
/// twice as many: it names no thread, and every op is the workgroup's, or an
/// atomic in a loop over points.
static bool canBeWider(tile::KernelOp kernel) {
  constexpr int64_t kMostThreads = 512; // with 128 registers each
  WalkResult bound = kernel.walk([](Operation *op) {
    bool free =
        !isa<tile::TileDialect>(op->getDialect()) ||
        isa<tile::KernelOp, tile::YieldOp, tile::TensorOp, tile::AllocOp,
            tile::ViewOp, tile::AliasOp, tile::CopyOp, tile::FillOp,
            tile::GemmOp, tile::ReduceOp, tile::ScanOp, tile::TransposeOp,
            tile::ParallelOp, tile::LoadOp, tile::StoreOp, tile::SyncOp>(op) ||
        (isa<tile::AtomicOp>(op) && op->getParentOfType<tile::ParallelOp>());
    return free ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !bound.wasInterrupted() && kernel.getThreads().size() == 1 &&
         kernel.getNumThreads() * 2 <= kMostThreads;
}

/// Whether LDS lets so few of the kernel's wavefronts onto a compute unit that
/// twice as many would have a SIMD each.
static bool leavesSimdsIdle(wave::KernelOp kernel) {
  constexpr int64_t kSimds = 4;
  int64_t waves = kernel.getThreads() / 64;
  int64_t groups = kLdsBytes / std::max<int64_t>(kernel.getLdsBytes(), 1);
  return 2 * groups * waves <= kSimds;
}

/// Whether each product has work for `waves` wavefronts, in blocks of one
/// matrix instruction at least, and the program places nothing in threads.
static bool hasWorkFor(tile::KernelOp kernel, int64_t waves) {
  constexpr int64_t kBlock = 16 * 16;
  bool any = false, all = true;
  kernel.walk([&](tile::GemmOp gemm) {
    any |= bool(gemm->getParentOfType<LoopLikeOpInterface>());
    all &= gemm.getM() * gemm.getN() >= kBlock * waves;
  });
  kernel.walk([&](Operation *op) {
    auto alloc = dyn_cast<tile::AllocOp>(op);
    all &= !op->hasAttr(tile::kLoopLayoutAttr) &&
           !(alloc && alloc.getLayout() &&
             tile::getSpace(alloc.getResult()) == tile::Space::Fragment);
  });
  return any && all;
}

/// Sets up a level. False, and nothing changed, where the kernel forbids it.
static bool applyLevel(tile::KernelOp kernel, const RegisterLevel &level,
                       bool idle) {
  if (level.wider && !canBeWider(kernel))
    return false;
  if (level.spare)
    kernel->setAttr(tile::kSpareRegistersAttr,
                    OpBuilder(kernel).getI64IntegerAttr(level.spare));
  if (!level.wider)
    return true;
  int64_t threads = kernel.getNumThreads();
  kernel.setThreads({threads * 2});
  kernel.emitRemark("runs on ")
      << threads * 2 << " threads instead of " << threads << ": "
      << (idle ? "LDS leaves SIMDs without a wavefront"
               : "the registers of fewer do not hold its fragments");
  return true;
}

namespace {

/// What is known of a kernel at a level.
struct Known {
  bool tried = false, possible = true;
  bool idle = false;   ///< SIMDs have no wavefront, and more threads may help
  int64_t lacking = 0; ///< registers, by the estimate; negative: to spare
  std::optional<unsigned> scratch;
};

/// A choice of a level for each kernel, brought to the wave dialect.
struct Lowered {
  SmallVector<unsigned> levels;
  OwningOpRef<ModuleOp> source, wave;
  Diagnostics said;
  std::optional<std::string> object;
  target::Contract contract;
};

} // namespace

class Compilation::Attempts {
public:
  Attempts(Compilation &compilation, ModuleOp source)
      : c(compilation), source(source) {
    source.walk([&](tile::KernelOp) { kernels.emplace_back(); });
    missed.resize(kernels.size());
  }

  /// The best attempt, compiled to an object; null if even that failed, `said`
  /// of the first tells why.
  Lowered *run();
  /// Passes on what it said.
  void report(Lowered &lowered);
  void reportFailure();
  /// Bytes of scratch memory of the best.
  unsigned scratchOf(const Lowered &lowered);
  void warnOfSpills(const Lowered &lowered);

private:
  Lowered *lower(ArrayRef<unsigned> levels);
  bool compile(Lowered &lowered);
  void estimate();
  bool isIdle(unsigned kernel) const;
  std::optional<unsigned> nextLevel(unsigned kernel);

  Compilation &c;
  ModuleOp source;
  int64_t missedAt(unsigned kernel, unsigned level) const;
  void learn(unsigned kernel, unsigned level);

  SmallVector<std::array<Known, kLevels>> kernels;
  /// Of each kernel: registers that the estimate missed where it was compiled,
  /// on as many threads as it was written for.
  SmallVector<int64_t> missed;
  std::vector<std::unique_ptr<Lowered>> all;
};

/// The kernels at these levels, as far as they allow them, in the wave dialect;
/// null where that is refused. Each combination is lowered once and kept.
Lowered *Compilation::Attempts::lower(ArrayRef<unsigned> levels) {
  for (auto &known : all)
    if (ArrayRef(known->levels) == levels)
      return known->wave ? known.get() : nullptr;
  all.push_back(std::make_unique<Lowered>());
  Lowered &result = *all.back();
  result.levels.assign(levels.begin(), levels.end());
  OwningOpRef<ModuleOp> module = source.clone();
  Held held(c.ctx.get(), result.said);
  unsigned next = 0;
  SmallVector<bool> mayWiden(kernels.size());
  module->walk([&](tile::KernelOp kernel) {
    unsigned i = next++;
    Known &known = kernels[i][levels[i]];
    known.tried = true;
    mayWiden[i] = canBeWider(kernel) &&
                  hasWorkFor(kernel, kernel.getNumThreads() * 2 / 64);
    known.possible &= applyLevel(kernel, registerLevels[levels[i]], isIdle(i));
  });
  bool ok =
      lowerToWave(*module, c.options.disabledPasses, nullptr, &result.source);
  if (ok)
    result.wave = std::move(module);
  next = 0;
  if (ok)
    for (auto kernel : result.wave->getOps<wave::KernelOp>())
      if (unsigned i = next++; i < kernels.size()) {
        Known &known = kernels[i][levels[i]];
        // The estimate is high by what kernels that just fit show.
        known.lacking = wave::peakRegisters(kernel) - kEstimateExcess -
                        wave::registersOfLane(kernel.getThreads()) +
                        missedAt(i, levels[i]);
        known.idle = mayWiden[i] && !registerLevels[levels[i]].wider &&
                     leavesSimdsIdle(kernel);
      }
  // Kernels that are missing after a failure: their level is of no use.
  for (; next < kernels.size(); ++next)
    kernels[next][levels[next]].possible = false;
  return ok ? &result : nullptr;
}

/// Machine code for an attempt, and the scratch memory that each kernel takes
/// in it.
bool Compilation::Attempts::compile(Lowered &lowered) {
  if (lowered.object)
    return true;
  Held held(c.ctx.get(), lowered.said);
  lowered.object = c.lower(*lowered.wave, Stage::Obj);
  if (!lowered.object) {
    for (auto [kernel, level] : llvm::zip(kernels, lowered.levels))
      kernel[level].possible = false;
    return false;
  }
  lowered.contract = c.launchContract;
  llvm::StringMap<unsigned> scratch;
  auto resources = target::readResources(*lowered.object);
  if (resources)
    for (const target::KernelResources &kernel : *resources)
      scratch[kernel.name] = kernel.scratchBytes;
  else
    llvm::consumeError(resources.takeError());
  unsigned next = 0;
  for (auto kernel : lowered.wave->getOps<wave::KernelOp>())
    if (unsigned i = next++; i < kernels.size()) {
      kernels[i][lowered.levels[i]].scratch = scratch.lookup(kernel.getName());
      learn(i, lowered.levels[i]);
    }
  return true;
}

/// Twice the threads have half the fragments, and miss half as much.
int64_t Compilation::Attempts::missedAt(unsigned kernel, unsigned level) const {
  return missed[kernel] / (registerLevels[level].wider ? 2 : 1);
}

/// What a compiled level needed beyond its estimate the others will need too:
/// their estimates grow by it, so that none is compiled to see the same.
void Compilation::Attempts::learn(unsigned kernel, unsigned level) {
  const Known &known = kernels[kernel][level];
  int64_t lacked = known.scratch.value_or(0) / 4;
  if (!lacked)
    return;
  // The estimate holds what was missed before.
  int64_t more = (lacked - known.lacking + missedAt(kernel, level)) *
                 (registerLevels[level].wider ? 2 : 1);
  if (more <= missed[kernel])
    return;
  std::array<int64_t, kLevels> before;
  for (unsigned l = 0; l < kLevels; ++l)
    before[l] = missedAt(kernel, l);
  missed[kernel] = more;
  for (unsigned l = 0; l < kLevels; ++l)
    if (kernels[kernel][l].tried && !kernels[kernel][l].scratch)
      kernels[kernel][l].lacking += missedAt(kernel, l) - before[l];
}

/// Whether the kernel as written leaves SIMDs idle.
bool Compilation::Attempts::isIdle(unsigned kernel) const {
  return kernels[kernel][0].idle;
}

/// Looks at further levels until each kernel has one that promises to fit, and
/// uses all SIMDs where more threads would.
/// Kernels that have one stay at level 0 in these attempts, which only bring
/// the others further.
void Compilation::Attempts::estimate() {
  for (unsigned level = 0; level < kLevels; ++level) {
    SmallVector<unsigned> levels;
    bool any = false;
    for (auto &kernel : kernels) {
      auto fit = [](const Known &known) {
        return known.tried && known.possible && known.lacking <= 0 &&
               known.scratch.value_or(0) == 0;
      };
      bool fits = llvm::any_of(kernel, [&](const Known &known) {
        // Of what leaves SIMDs idle only more threads are better.
        return fit(known) && (!known.idle || !registerLevels[level].wider);
      });
      levels.push_back(fits ? 0 : level);
      any |= !fits && !kernel[level].tried;
    }
    if (any)
      lower(levels);
  }
}

/// The next level of a kernel to compile: of those not compiled yet, the one
/// that lacks least by the estimate, then one that leaves no SIMD idle, the
/// earlier in the list if equal.
std::optional<unsigned> Compilation::Attempts::nextLevel(unsigned kernel) {
  std::optional<unsigned> best;
  auto rank = [&](unsigned level) {
    const Known &known = kernels[kernel][level];
    return std::make_pair(std::max<int64_t>(known.lacking, 0), known.idle);
  };
  for (unsigned level = 0; level < kLevels; ++level) {
    const Known &known = kernels[kernel][level];
    if (known.tried && known.possible && !known.scratch &&
        (!best || rank(level) < rank(*best)))
      best = level;
  }
  return best;
}

/// Level 0 first. As long as kernels spill, each moves to the level that lacks
/// least by the estimate, and the combination is compiled; kMostHopeless tries
/// without hope end it.
Lowered *Compilation::Attempts::run() {
  SmallVector<unsigned> levels(kernels.size(), 0);
  Lowered *first = lower(levels);
  // Only a lack of registers is worth another attempt, or of LDS that the
  // registers of more threads may make up for.
  if (!first && llvm::none_of(all.front()->said, [](mlir::Diagnostic &diag) {
        std::string text = diag.str();
        return StringRef(text).contains(tile::kRegisterLimitTag) ||
               StringRef(text).contains(tile::kLdsLimitTag);
      }))
    return nullptr;
  Lowered *last = nullptr;
  unsigned hopeless = 0;
  while (hopeless < kMostHopeless) {
    estimate();
    bool changed = false, hope = false;
    for (unsigned k = 0; k < kernels.size(); ++k) {
      if (kernels[k][levels[k]].scratch == 0u)
        continue;
      if (auto level = nextLevel(k)) {
        levels[k] = *level;
        changed = true;
        hope |= kernels[k][*level].lacking <= 0;
      }
    }
    if (!changed)
      break;
    hopeless += !hope;
    last = lower(levels);
    if (!last || !compile(*last))
      continue;
    if (scratchOf(*last) == 0)
      return last;
  }
  // Each kernel at its best, which may be levels that were never tried
  // together.
  for (unsigned k = 0; k < kernels.size(); ++k)
    for (unsigned level = 0; level < kLevels; ++level) {
      std::optional<unsigned> other = kernels[k][level].scratch;
      std::optional<unsigned> now = kernels[k][levels[k]].scratch;
      if (other && (!now || *other < *now))
        levels[k] = level;
    }
  last = lower(levels);
  return last && compile(*last) ? last : nullptr;
}

unsigned Compilation::Attempts::scratchOf(const Lowered &lowered) {
  unsigned most = 0;
  for (auto [kernel, level] : llvm::zip(kernels, lowered.levels))
    most = std::max(most, kernel[level].scratch.value_or(0));
  return most;
}

/// At each kernel that spills, with the fragments that take most.
void Compilation::Attempts::warnOfSpills(const Lowered &lowered) {
  constexpr size_t kMostNamed = 3;
  unsigned next = 0;
  source.walk([&](tile::KernelOp kernel) {
    unsigned i = next++;
    unsigned scratch = kernels[i][lowered.levels[i]].scratch.value_or(0);
    if (!scratch)
      return;
    SmallVector<std::pair<int64_t, tile::AllocOp>> fragments;
    kernel.walk([&](tile::AllocOp alloc) {
      auto type = cast<MemRefType>(alloc.getType());
      if (tile::getSpace(alloc.getResult()) == tile::Space::Fragment)
        fragments.push_back(
            {type.getNumElements() * type.getElementTypeBitWidth() / 32 /
                 kernel.getNumThreads(),
             alloc});
    });
    llvm::stable_sort(fragments,
                      [](auto &a, auto &b) { return a.first > b.first; });
    fragments.resize(std::min(fragments.size(), kMostNamed));
    InFlightDiagnostic diag =
        kernel.emitWarning("registers spill: ")
        << scratch << " bytes of scratch memory a lane, written and read back";
    for (auto [registers, alloc] : fragments)
      diag.attachNote(alloc.getLoc())
          << "'" << alloc.getName().value_or("?") << "' takes " << registers
          << " registers a lane at least";
    diag.attachNote() << "help: use more threads or smaller tiles";
  });
}

void Compilation::Attempts::report(Lowered &lowered) {
  for (mlir::Diagnostic &diag : lowered.said)
    c.ctx->getDiagEngine().emit(std::move(diag));
}

/// The messages of the first attempt, or of the last if the first reached the
/// wave dialect. A lack of LDS is joined by sizes that would do.
void Compilation::Attempts::reportFailure() {
  Lowered &failed = all.front()->wave ? *all.back() : *all.front();
  for (mlir::Diagnostic &diag : failed.said)
    if (StringRef(diag.str()).contains(tile::kLdsLimitTag))
      c.suggestSizes(diag);
  report(failed);
}

/// Compiles a program at the levels that serve it best. The observer (atTile)
/// is shown the attempt that is taken, which is therefore lowered once more for
/// it, its messages withheld.
std::optional<std::string> Compilation::lowerAsBest(ModuleOp module,
                                                    Stage stage) {
  OwningOpRef<ModuleOp> source = module.clone();
  Attempts attempts(*this, *source);
  Lowered *best = attempts.run();
  if (!best) {
    attempts.reportFailure();
    return std::nullopt;
  }
  launchContract = best->contract;
  attempts.report(*best);
  Diagnostics again;
  if (atTile) {
    Held held(ctx.get(), again);
    OwningOpRef<ModuleOp> copy = best->source->clone();
    lowerToWave(*copy, options.disabledPasses, atTile);
  }
  std::optional<std::string> result = std::move(best->object);
  if (stage != Stage::Obj && stage != Stage::HSACO) {
    Held held(ctx.get(), again);
    result = lower(*best->wave, stage);
  }
  launchContract = best->contract;
  prepared = std::move(best->source);
  attempts.warnOfSpills(*best);
  return result;
}
