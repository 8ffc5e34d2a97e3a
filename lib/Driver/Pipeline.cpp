//===- Pipeline.cpp - From a kernel file to a code object -*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tlc/Driver/Pipeline.h"
#include "DiagnosticRouter.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "tlc/Conversion/TileToWave.h"
#include "tlc/Conversion/WaveToROCDL.h"
#include "tlc/Dialect/Tile/Transforms/Passes.h"
#include "tlc/Dialect/Wave/IR/WaveDialect.h"
#include "tlc/Dialect/Wave/Transforms/Passes.h"
#include "tlc/Support/LdsBanks.h"
#include "tlc/Target/AMDGPU.h"
#include "tlc/Target/BuildContract.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Process.h"

using namespace mlir;
using namespace tlc;

std::optional<Stage> tlc::parseStage(StringRef name) {
  return llvm::StringSwitch<std::optional<Stage>>(name)
      .Case("ast", Stage::AST)
      .Case("tile", Stage::Tile)
      .Case("wave", Stage::Wave)
      .Case("rocdl", Stage::ROCDL)
      .Case("llvm", Stage::LLVM)
      .Case("asm", Stage::Asm)
      .Case("obj", Stage::Obj)
      .Case("hsaco", Stage::HSACO)
      .Default(std::nullopt);
}

static constexpr StringLiteral optionalPasses[] = {
    "tile-order-workgroups", "tile-promote-operands", "tile-split-masks",
    "tile-pipeline", "tile-swizzle-lds"};

bool tlc::isOptionalPass(StringRef name) {
  return llvm::is_contained(optionalPasses, name);
}

bool InputOptions::take(Arguments arguments, size_t &i, std::string &error) {
  StringRef arg = arguments[i];
  auto value = [&](StringRef option) -> std::optional<StringRef> {
    if (arg.consume_front(option)) {
      arg.consume_front("=");
      if (!arg.empty())
        return arg;
      if (i + 1 < arguments.size())
        return arguments[++i];
      error = (option + " needs a value").str();
    }
    return std::nullopt;
  };
  if (arg == "--remarks")
    return remarks = true;
  if (arg == "--linker" || arg.starts_with("--linker=")) {
    if (auto name = value("--linker")) {
      comgr = *name == "comgr";
      if (!comgr && *name != "lld")
        error = ("--linker takes lld or comgr, not '" + *name + "'").str();
    }
    return true;
  }
  if (arg == "--disable-pass" || arg.starts_with("--disable-pass=")) {
    if (auto name = value("--disable-pass")) {
      disabledPasses.push_back(name->str());
      if (!isOptionalPass(*name))
        error = ("--disable-pass takes " +
                 llvm::join(ArrayRef(optionalPasses), " or ") + ", not '" +
                 *name + "'")
                    .str();
    }
    return true;
  }
  if (arg.starts_with("-D")) {
    auto definition = value("-D");
    if (!definition)
      return true;
    auto [name, text] = definition->split('=');
    if (name.empty() || !definition->contains('='))
      error = ("-D takes NAME=VALUE, not '" + *definition + "'").str();
    else
      frontend.defines[name] = text.str();
    return true;
  }
  if (arg == "--kernel" || arg.starts_with("--kernel=")) {
    if (auto name = value("--kernel"))
      frontend.kernel = name->str();
    return true;
  }
  if (arg.starts_with("-") && arg != "-")
    return false;
  if (!path.empty())
    return false;
  path = arg.str();
  return true;
}

static bool useColor() {
  return llvm::sys::Process::StandardErrHasColors() &&
         !llvm::sys::Process::GetEnv("NO_COLOR");
}

Compilation::Compilation(const InputOptions &options)
    : options(options), diags(sources, llvm::errs(), useColor()),
      ctx(std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED)) {
  diags.setRemarks(options.remarks);
  ctx->printOpOnDiagnostic(false);
  loadFrontendDialects(*ctx);
  ctx->loadDialect<wave::WaveDialect>();
  target::registerTranslations(*ctx);
  router = std::make_unique<DiagnosticRouter>(*this);
}

Compilation::~Compilation() = default;

OwningOpRef<ModuleOp> Compilation::import() {
  if (!StringRef(options.path).ends_with(".mlir")) {
    auto module = importFile(options.path, options.frontend, *ctx, diags);
    if (!module && !diags.hasErrors()) {
      diags.report(DiagID::Unimplemented,
                   "the front end does not take this kernel, and did not say "
                   "why: please report it");
    }
    return module;
  }
  std::string error;
  const SourceManager::Buffer *buffer = sources.openFile(options.path, error);
  if (!buffer) {
    diags.report(DiagID::CannotRead, error);
    return nullptr;
  }
  return parseSourceString<ModuleOp>(buffer->text, ctx.get(), options.path);
}

namespace {
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

void tlc::buildTilePipeline(PassManager &passes,
                            ArrayRef<std::string> disabled) {
  OpPassManager &func = passes.nest<tile::FuncOp>();
  auto add = [&](std::unique_ptr<Pass> pass) {
    if (!llvm::is_contained(disabled, pass->getArgument()))
      func.addPass(std::move(pass));
  };
  add(tile::createTileVerifyTarget());
  add(tile::createTileLegalize());
  add(tile::createTileOrderWorkgroups());
  add(tile::createTilePromoteOperands());
  add(tile::createTileSplitMasks());
  add(tile::createTilePipeline());
  add(tile::createTileInferLayouts());
  add(tile::createTileFitRegisters());
  add(tile::createTileSwizzleLDS());
  add(tile::createTileFitLDS());
  add(tile::createTileInsertSync());
}

void tlc::buildWavePipeline(PassManager &passes) {
  passes.addPass(createConvertTileToWave());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  OpPassManager &kernel = passes.nest<wave::KernelOp>();
  kernel.addPass(wave::createWavePackConversions());
  kernel.addPass(wave::createWaveSkipRescale());
}

/// What the estimate says of loops that just fit 256 registers: it is high.
constexpr int64_t kScheduleRegisters = 272;

void tlc::buildSchedulePipeline(PassManager &passes, ScheduleLevel level) {
  if (level == ScheduleLevel::None)
    return;
  wave::WaveScheduleOptions options;
  options.unroll =
      level == ScheduleLevel::Paired || level == ScheduleLevel::Limited;
  if (level == ScheduleLevel::Limited)
    options.limit = kScheduleRegisters;
  options.overlap = level != ScheduleLevel::Apart;
  OpPassManager &kernel = passes.nest<wave::KernelOp>();
  kernel.addPass(wave::createWaveSchedule(options));
}

void tlc::buildROCDLPipeline(PassManager &passes) {
  passes.addPass(createExpandWaveMath());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createConvertWaveToROCDL());
  // Source lines for debuggers, profiles and the simulator's reports.
  passes.addPass(LLVM::createDIScopeForLLVMFuncOpPass());
}

llvm::Expected<std::string> Compilation::generate(ModuleOp module,
                                                  Stage stage) {
  auto generator = target::CodeGenerator::create();
  if (!generator)
    return generator.takeError();
  if (llvm::Error error = (*generator)->translate(module, &launchContract))
    return error;
  if (llvm::Error error = (*generator)->optimize())
    return error;
  if (stage == Stage::LLVM)
    return (*generator)->printIR();
  if (stage == Stage::Asm)
    return (*generator)->emitAssembly();
  return (*generator)->emitObject();
}

std::optional<std::string> Compilation::link(StringRef object) {
  llvm::Expected<std::string> linked = "";
  if (options.comgr) {
    auto comgr = target::createComgrLinker();
    linked = comgr ? (*comgr)->link(object)
                   : llvm::Expected<std::string>(comgr.takeError());
  } else {
    linked = target::createLldLinker()->link(object);
  }
  if (linked)
    return std::move(*linked);
  diags.report(DiagID::LinkFailed, llvm::toString(linked.takeError()));
  return std::nullopt;
}

/// Bytes that tile-fit-lds lacked for a kernel of the module, by kernel.
static SmallVector<int64_t> lackingLds(ModuleOp module) {
  SmallVector<int64_t> lacking;
  module.walk([&](tile::KernelOp kernel) {
    auto needed = kernel->getAttrOfType<IntegerAttr>(tile::kLdsNeededAttr);
    lacking.push_back(needed ? needed.getInt() - kLdsBytes : 0);
  });
  return lacking;
}

namespace {
using Diagnostics = std::vector<mlir::Diagnostic>;

/// Collects what is reported while it lives.
struct Held : ScopedDiagnosticHandler {
  Held(MLIRContext *ctx, Diagnostics &said)
      : ScopedDiagnosticHandler(ctx, [&said](mlir::Diagnostic &diag) {
          said.push_back(std::move(diag));
        }) {}
};
} // namespace

static bool runPasses(ModuleOp module,
                      function_ref<void(PassManager &)> build) {
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  passes.enableVerifier(true);
  build(passes);
  return succeeded(passes.run(module));
}

/// To the wave dialect. A kernel that LDS does not hold is tried again, with as
/// much less LDS as it lacked; if that is of no use, the first refusal stands.
static bool lowerToWave(ModuleOp module, ArrayRef<std::string> disabled,
                        const std::function<void(ModuleOp)> &atTile) {
  constexpr unsigned kMostAttempts = 4;
  MLIRContext *ctx = module.getContext();
  Diagnostics first, said;
  SmallVector<int64_t> reserve;
  bool ok = false;
  for (unsigned attempt = 0; attempt < kMostAttempts; ++attempt) {
    OwningOpRef<ModuleOp> saved = module.clone();
    said.clear();
    {
      Held held(ctx, said);
      ok = runPasses(module, [&](PassManager &passes) {
        buildTilePipeline(passes, disabled);
        if (atTile)
          passes.addPass(std::make_unique<ObserverPass>(atTile));
        buildWavePipeline(passes);
      });
    }
    if (ok)
      break;
    SmallVector<int64_t> lacking = lackingLds(module);
    if (attempt == 0)
      first = std::move(said);
    if (llvm::none_of(lacking, [](int64_t bytes) { return bytes > 0; }))
      break;
    reserve.resize(lacking.size());
    module.getBodyRegion().takeBody(saved->getBodyRegion());
    unsigned next = 0;
    module.walk([&](tile::KernelOp kernel) {
      int64_t &bytes = reserve[next];
      bytes += std::max<int64_t>(0, lacking[next++]);
      if (bytes)
        kernel->setAttr(tile::kLdsReserveAttr,
                        OpBuilder(ctx).getI64IntegerAttr(bytes));
    });
  }
  for (mlir::Diagnostic &diag : ok ? said : first)
    ctx->getDiagEngine().emit(std::move(diag));
  return ok;
}

/// The largest scratch space of a kernel of an object, in bytes a lane.
static unsigned scratchOf(StringRef object) {
  auto kernels = target::readResources(object);
  if (!kernels) {
    llvm::consumeError(kernels.takeError());
    return 0;
  }
  unsigned most = 0;
  for (const target::KernelResources &kernel : *kernels)
    most = std::max(most, kernel.scratchBytes);
  return most;
}

static std::string print(ModuleOp module) {
  std::string result;
  llvm::raw_string_ostream os(result);
  module.print(os, OpPrintingFlags());
  os << '\n';
  return result;
}

std::optional<std::string> Compilation::lower(ModuleOp module, Stage stage,
                                              bool show) {
  if (!lowerToWave(module, options.disabledPasses,
                   show ? atTile : std::function<void(ModuleOp)>()))
    return std::nullopt;
  for (auto kernel : module.getOps<wave::KernelOp>())
    for (target::Kernel &k : launchContract.kernels)
      if (k.name == kernel.getSymName()) {
        k.ldsBytes = kernel.getLdsBytes();
        k.block = {int64_t(kernel.getThreads()), 1, 1};
      }
  // The boldest schedule that does without scratch memory.
  bool scheduled = false;
  auto attempt = [&](ScheduleLevel level,
                     Stage to) -> std::optional<std::string> {
    OwningOpRef<ModuleOp> copy = module.clone();
    if (!runPasses(*copy, [&](PassManager &passes) {
          buildSchedulePipeline(passes, level);
        }))
      return std::nullopt;
    copy->walk(
        [&](Operation *op) { scheduled |= op->hasAttr(wave::kScheduledAttr); });
    if (to == Stage::Wave) {
      if (show && atWave)
        atWave(*copy);
      return print(*copy);
    }
    if (!runPasses(*copy, buildROCDLPipeline))
      return std::nullopt;
    if (to == Stage::ROCDL)
      return print(*copy);
    llvm::Expected<std::string> result = generate(*copy, to);
    if (!result) {
      mlir::emitError(module.getLoc(),
                      llvm::toString(result.takeError()) + " [TL0904]");
      code = ExitInternal;
      return std::nullopt;
    }
    return std::move(*result);
  };
  std::optional<std::string> best;
  unsigned least = 0;
  ScheduleLevel bestLevel = ScheduleLevel::Paired;
  for (ScheduleLevel level : kScheduleLevels) {
    std::optional<std::string> object = attempt(level, Stage::Obj);
    if (!object)
      return std::nullopt;
    unsigned bytes = scratchOf(*object);
    if (!best || bytes < least) {
      best = std::move(object);
      least = bytes;
      bestLevel = level;
    }
    if (least == 0 || !scheduled)
      break;
    if (level != ScheduleLevel::None)
      (*module.getOps<wave::KernelOp>().begin())
              .emitRemark("registers do not suffice for this schedule: ")
          << bytes << " bytes of scratch memory a lane; trying a plainer one";
  }
  return stage == Stage::Obj ? best : attempt(bestLevel, stage);
}

/// What is done, level by level, about a kernel whose registers do not suffice.
struct RegisterLevel {
  int64_t spare; ///< for kSpareRegistersAttr
  bool wider;    ///< twice the threads, each with half of every fragment
};
static constexpr RegisterLevel registerLevels[] = {
    {0, false}, {1, false}, {2, false}, {0, true}, {1, true}};

/// Sets up a level. False where the kernels do not allow it: threads that the
/// source speaks of cannot be added to.
static bool applyLevel(ModuleOp module, const RegisterLevel &level) {
  bool possible = true;
  module.walk([&](tile::KernelOp kernel) {
    OpBuilder b(kernel);
    if (level.spare)
      kernel->setAttr(tile::kSpareRegistersAttr,
                      b.getI64IntegerAttr(level.spare));
    if (!level.wider)
      return;
    constexpr int64_t kMostThreads = 512; // with 128 registers each
    int64_t threads = kernel.getNumThreads();
    // Tile ops mean the same on any number of threads.
    WalkResult bound = kernel.walk([](Operation *op) {
      bool free =
          !isa<tile::TileDialect>(op->getDialect()) ||
          isa<tile::KernelOp, tile::YieldOp, tile::TensorOp, tile::AllocOp,
              tile::ViewOp, tile::AliasOp, tile::CopyOp, tile::FillOp,
              tile::GemmOp, tile::ReduceOp, tile::ScanOp, tile::TransposeOp,
              tile::ParallelOp, tile::LoadOp, tile::StoreOp, tile::SyncOp>(
              op) ||
          (isa<tile::AtomicOp>(op) && op->getParentOfType<tile::ParallelOp>());
      return free ? WalkResult::advance() : WalkResult::interrupt();
    });
    if (bound.wasInterrupted() || kernel.getThreads().size() != 1 ||
        threads * 2 > kMostThreads) {
      possible = false;
      return;
    }
    kernel.setThreads({threads * 2});
    kernel.emitRemark("runs on ")
        << threads * 2 << " threads instead of " << threads
        << ": the registers of fewer do not hold its fragments";
  });
  return possible;
}

/// Registers that spill to scratch memory cost more than what filled them
/// brings: the kernel is compiled again without prefetch, without operands
/// moved to registers, with more threads. The first with least scratch is
/// taken. Fragments that no lane could hold count as the worst of spills.
std::optional<std::string> Compilation::lowerWithoutSpills(ModuleOp module,
                                                           Stage stage) {
  OwningOpRef<ModuleOp> source = module.clone();
  auto attempt = [&](const RegisterLevel &level, Stage to, Diagnostics &said,
                     bool &possible,
                     bool show = false) -> std::optional<std::string> {
    OwningOpRef<ModuleOp> copy = source->clone();
    Held held(ctx.get(), said);
    possible = applyLevel(*copy, level);
    if (!possible)
      return std::nullopt;
    auto result = lower(*copy, to, show);
    module.getBodyRegion().takeBody(copy->getBodyRegion());
    return result;
  };
  Diagnostics said;
  const RegisterLevel *best = registerLevels;
  bool possible;
  auto result = attempt(*best, Stage::Obj, said, possible);
  target::Contract contract = launchContract; // of the best
  unsigned scratch = result ? scratchOf(*result) : 0;
  if (!result && llvm::any_of(said, [](mlir::Diagnostic &diag) {
        return StringRef(diag.str()).contains("[TL0604]");
      }))
    scratch = ~0u;
  for (const RegisterLevel &level : llvm::drop_begin(registerLevels)) {
    if (!scratch)
      break;
    Diagnostics others;
    auto other = attempt(level, Stage::Obj, others, possible);
    unsigned bytes = other ? scratchOf(*other) : 0;
    if (!other || bytes >= scratch)
      continue;
    scratch = bytes;
    result = std::move(other);
    said = std::move(others);
    best = &level;
    contract = launchContract;
  }
  if (result && (atTile || atWave)) {
    Diagnostics again;
    attempt(*best, Stage::Wave, again, possible, /*show=*/true);
  }
  if (result && stage != Stage::Obj && stage != Stage::HSACO) {
    said.clear();
    result = attempt(*best, stage, said, possible);
  }
  launchContract = std::move(contract);
  for (mlir::Diagnostic &diag : said)
    ctx->getDiagEngine().emit(std::move(diag));
  if (result && scratch)
    diags.report(DiagID::PassWarning,
                 "registers spill: " + std::to_string(scratch) +
                     " bytes of scratch memory a lane");
  return result;
}

std::optional<std::string> Compilation::compile(ModuleOp module, Stage stage) {
  if (stage == Stage::Tile)
    return print(module);
  for (auto func : module.getOps<tile::FuncOp>()) {
    FailureOr<target::Contract> contract = target::buildContract(func);
    if (failed(contract))
      return std::nullopt;
    launchContract = std::move(*contract);
  }
  std::optional<std::string> result = lowerWithoutSpills(module, stage);
  // A pass that fails says why; one that does not is at fault.
  if (!result && !diags.hasErrors()) {
    diags.report(DiagID::Internal, "a pass failed without a reason");
    code = ExitInternal;
  }
  if (result && stage == Stage::HSACO)
    return link(*result);
  return result;
}
