//===- Pipeline.cpp - From a kernel file to a code object -------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes in order, and the levels of scheduling. docs/pipeline.md describes
// each pass with an example; this file only says when it runs:
//
//   tile passes -> convert-tile-to-wave -> wave passes -> schedule at a level
//   -> ROCDL -> LLVM IR -> object -> code object
//
// Everything after "wave passes" is repeated with plainer schedules while the
// object spills (Compilation::lower), everything before with other registers or
// LDS (Attempts.cpp).
//
//===----------------------------------------------------------------------===//

#include "tlc/Driver/Pipeline.h"
#include "DiagnosticRouter.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "tlc/Conversion/TileToWave.h"
#include "tlc/Conversion/WaveToROCDL.h"
#include "tlc/Dialect/Tile/Transforms/Passes.h"
#include "tlc/Dialect/Wave/IR/WaveDialect.h"
#include "tlc/Dialect/Wave/Transforms/Passes.h"
#include "tlc/Dialect/Wave/Transforms/Registers.h"
#include "tlc/Driver/RunObject.h"
#include "tlc/Frontend/Parameters.h"
#include "tlc/Support/LdsBanks.h"
#include "tlc/Target/AMDGPU.h"
#include "tlc/Target/BuildContract.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Process.h"

using namespace mlir;
using namespace tlc;

/// --emit's names, which are also the order of the stages.
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

/// Passes that only make the kernel faster, or fit: without one the result is
/// the same.
static constexpr StringLiteral optionalPasses[] = {
    "tile-open-guards",     "tile-spread-reducers",  "tile-order-workgroups",
    "tile-pad-columns",     "tile-promote-operands", "tile-split-masks",
    "tile-merge-steps",     "tile-pipeline",         "tile-swizzle-lds",
    "tile-coalesce-stores", "wave-pack-bytes",       "wave-share-divisors",
    "wave-defer-sums",      "wave-guard-maximum"};

bool tlc::isOptionalPass(StringRef name) {
  return llvm::is_contained(optionalPasses, name);
}

/// Reads one of the options that all commands with a kernel take, or the
/// kernel's path. True if the word was one; `error` then tells what is wrong
/// with it. `i` moves over the option's value.
bool InputOptions::take(Arguments arguments, size_t &i, std::string &error) {
  StringRef arg = arguments[i];
  // After the option in the same word, or the next word.
  auto value = [&](StringRef option) -> std::optional<StringRef> {
    if (arg.consume_front(option)) {
      bool same = arg.consume_front("=");
      if (!arg.empty())
        return arg;
      if (!same && i + 1 < arguments.size())
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
    bool isName = !name.empty() && !llvm::isDigit(name.front()) &&
                  llvm::all_of(name, [](char c) {
                    return llvm::isAlnum(c) || c == '_' || (c & 0x80);
                  });
    if (!definition->contains('='))
      error = ("-D takes NAME=VALUE, not '" + *definition + "'").str();
    else if (!isName)
      error = ("-D " + *definition + ": '" + name + "' is no name").str();
    else
      frontend.defines[name] = text.str();
    return true;
  }
  if (arg == "--kernel" || arg.starts_with("--kernel=")) {
    if (auto name = value("--kernel"))
      frontend.kernel = name->str();
    return true;
  }
  // An option that only the command itself knows; "-" is a file name.
  if (arg.starts_with("-") && arg != "-")
    return false;
  if (!path.empty())
    return false;
  path = arg.str();
  return true;
}

/// On a terminal, unless the user asks for none (no-color.org).
static bool useColor() {
  return llvm::sys::Process::StandardErrHasColors() &&
         !llvm::sys::Process::GetEnv("NO_COLOR");
}

// One thread: a kernel is small, and the order of messages is part of the
// tests.
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

/// Moves the front end's record of integer parameters from the program to a
/// list.
static void
takeParameters(ModuleOp module,
               std::vector<std::pair<std::string, int64_t>> &integers) {
  for (auto func : module.getOps<tile::FuncOp>())
    if (auto record =
            dyn_cast_or_null<DictionaryAttr>(func->removeAttr(kParametersAttr)))
      for (NamedAttribute entry : record)
        integers.push_back({entry.getName().str(),
                            cast<IntegerAttr>(entry.getValue()).getInt()});
}

/// The kernel as a tile program: from source, or IR that another run has
/// printed.
OwningOpRef<ModuleOp> Compilation::import() {
  if (options.path != "-" && isCodeObjectFile(options.path)) {
    diags.report(DiagID::CannotRead, "'" + options.path +
                                         "' is a code object, not a kernel "
                                         "file: tlc run, profile and objdump "
                                         "take it");
    return nullptr;
  }
  if (!StringRef(options.path).ends_with(".mlir")) {
    auto module = importFile(options.path, options.frontend, *ctx, diags);
    if (!module && !diags.hasErrors()) {
      diags.report(DiagID::Unimplemented,
                   "the front end does not take this kernel, and did not say "
                   "why: please report it");
    }
    if (module)
      takeParameters(*module, integers);
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

/// `disabled` names passes to leave out; only optional ones reach here.
void tlc::buildTilePipeline(PassManager &passes,
                            ArrayRef<std::string> disabled) {
  OpPassManager &func = passes.nest<tile::FuncOp>();
  auto add = [&](std::unique_ptr<Pass> pass) {
    if (!llvm::is_contained(disabled, pass->getArgument()))
      func.addPass(std::move(pass));
  };
  // What the target cannot do is said first; then rewriting to what the others
  // know; then choices from the outside in: grid, loops, layouts, LDS; barriers
  // come last, since they depend on where everything lies.
  add(tile::createTileVerifyTarget());
  add(tile::createTileLegalize());
  add(tile::createTileOpenGuards());
  add(tile::createTileSpreadReducers());
  add(tile::createTileOrderWorkgroups());
  add(tile::createTilePadColumns());
  add(tile::createTilePromoteOperands());
  add(tile::createTileSplitMasks());
  add(tile::createTileMergeSteps());
  add(tile::createTilePipeline());
  add(tile::createTileInferLayouts());
  add(tile::createTileFitRegisters());
  add(tile::createTileSwizzleLDS());
  add(tile::createTileCoalesceStores());
  add(tile::createTileFitLDS());
  add(tile::createTileInsertSync());
}

void tlc::buildWavePipeline(PassManager &passes,
                            ArrayRef<std::string> disabled) {
  passes.addPass(createConvertTileToWave());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  OpPassManager &kernel = passes.nest<wave::KernelOp>();
  kernel.addPass(wave::createWaveJoinAccesses());
  kernel.addPass(wave::createWaveDotSums());
  kernel.addPass(wave::createWavePackConversions());
  auto add = [&](std::unique_ptr<Pass> pass) {
    if (!llvm::is_contained(disabled, pass->getArgument()))
      kernel.addPass(std::move(pass));
  };
  add(wave::createWavePackBytes());
  add(wave::createWaveShareDivisors());
  add(wave::createWaveDeferSums());
  add(wave::createWaveGuardMaximum());
  kernel.addPass(wave::createWaveSkipRescale());
  kernel.addPass(wave::createWaveGroupBroadcasts());
}

/// What the estimate says of loops that just fit 256 registers: it is high.
constexpr int64_t kScheduleRegisters = 286;

/// The options of wave-schedule that make a level.
void tlc::buildSchedulePipeline(PassManager &passes, ScheduleLevel level) {
  if (level == ScheduleLevel::None)
    return;
  wave::WaveScheduleOptions options;
  options.unroll = level < ScheduleLevel::Overlap;
  if (level == ScheduleLevel::Near)
    options.ring = options.ring / 2;
  if (level == ScheduleLevel::Limited)
    options.limit = kScheduleRegisters;
  options.overlap = level != ScheduleLevel::Apart;
  OpPassManager &kernel = passes.nest<wave::KernelOp>();
  kernel.addPass(wave::createWaveSchedule(options));
}

/// Wave IR to the LLVM dialect with ROCDL intrinsics.
void tlc::buildROCDLPipeline(PassManager &passes) {
  passes.addPass(createExpandWaveMath());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createConvertWaveToROCDL());
  // Source lines for debuggers, profiles and the simulator's reports.
  passes.addPass(LLVM::createDIScopeForLLVMFuncOpPass());
}

/// From ROCDL to LLVM IR, assembly or an object, in memory.
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

/// An object to a code object; none after a message.
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

/// False after a report by a pass or the verifier.
bool tlc::runPasses(ModuleOp module, function_ref<void(PassManager &)> build) {
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
#ifdef NDEBUG
  // Once at the end: whatever a pass got wrong is still found.
  passes.enableVerifier(false);
  build(passes);
  return succeeded(passes.run(module)) && succeeded(mlir::verify(module));
#else
  passes.enableVerifier(true);
  build(passes);
  return succeeded(passes.run(module));
#endif
}

/// Registers beyond a lane's by which the estimate of a scheduled kernel may
/// exceed what it takes in the end.
constexpr int64_t kScheduleExcess = 48;

/// Scratch memory of a lane beyond which the next plainer schedule will not do
/// without.
constexpr unsigned kFarBytes = 256;

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

/// The module as text, for --emit and for telling two schedules apart.
static std::string print(ModuleOp module) {
  std::string result;
  llvm::raw_string_ostream os(result);
  module.print(os, OpPrintingFlags());
  os << '\n';
  return result;
}

/// A copy of a module of wave IR with its loops in order; null after a report.
static OwningOpRef<ModuleOp> schedule(ModuleOp module, ScheduleLevel level) {
  OwningOpRef<ModuleOp> copy = module.clone();
  bool ok = runPasses(*copy, [&](PassManager &passes) {
    buildSchedulePipeline(passes, level);
  });
  return ok ? std::move(copy) : nullptr;
}

/// From wave IR with its loops in order to a stage. The module is used up.
std::optional<std::string> Compilation::lowerScheduled(ModuleOp module,
                                                       Stage stage) {
  if (stage == Stage::Wave)
    return print(module);
  if (!runPasses(module, buildROCDLPipeline))
    return std::nullopt;
  if (stage == Stage::ROCDL)
    return print(module);
  llvm::Expected<std::string> result = generate(module, stage);
  if (!result) {
    mlir::emitError(module.getLoc(),
                    llvm::toString(result.takeError()) + " [TL0904]");
    code = ExitInternal;
    return std::nullopt;
  }
  return std::move(*result);
}

std::optional<std::string>
Compilation::lower(ModuleOp module, ScheduleLevel level, Stage stage) {
  OwningOpRef<ModuleOp> copy = schedule(module, level);
  return copy ? lowerScheduled(*copy, stage) : std::nullopt;
}

std::optional<std::string>
Compilation::lowerToObject(ModuleOp module, ScheduleLevel &bestLevel) {
  // What the passes settled belongs into the contract that the object carries.
  for (auto kernel : module.getOps<wave::KernelOp>())
    for (target::Kernel &k : launchContract.kernels)
      if (k.name == kernel.getSymName()) {
        k.ldsBytes = kernel.getLdsBytes();
        k.block = {int64_t(kernel.getThreads()), 1, 1};
      }
  bool scheduled = false;
  std::optional<std::string> best;
  unsigned least = 0, last = 0;
  std::string before;
  for (ScheduleLevel level : kScheduleLevels) {
    // From far away only the plainest order of its own is worth the look: LLVM
    // takes longest where registers are short, above all in its own order.
    if (last > kFarBytes && level != ScheduleLevel::Apart)
      continue;
    OwningOpRef<ModuleOp> copy = schedule(module, level);
    if (!copy)
      return std::nullopt;
    copy->walk(
        [&](Operation *op) { scheduled |= op->hasAttr(wave::kScheduledAttr); });
    // Plainer levels may come to the same order.
    std::string text = print(*copy);
    if (text == before && (best || level != ScheduleLevel::None))
      continue;
    before = std::move(text);
    // Where the order is fixed, what is alive at once is nearly what code
    // generation will need: no need to see it spill.
    wave::KernelOp hopeless;
    int64_t lacking = 0;
    for (auto kernel : copy->getOps<wave::KernelOp>()) {
      int64_t more = wave::peakRegisters(kernel) -
                     wave::registersOfLane(kernel.getThreads());
      if (more > std::max(lacking, kScheduleExcess)) {
        lacking = more;
        hopeless = kernel;
      }
    }
    if (hopeless && scheduled && level != ScheduleLevel::None) {
      hopeless.emitRemark("registers do not suffice for this schedule: about ")
          << lacking << " more than a lane has; trying a plainer one";
      continue;
    }
    std::optional<std::string> object = lowerScheduled(*copy, Stage::Obj);
    if (!object)
      return std::nullopt;
    unsigned bytes = last = scratchOf(*object);
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
  return best;
}

/// Checks that the program can be launched at all, by making its contract, then
/// compiles it. None after a report.
std::optional<std::string> Compilation::compile(ModuleOp module, Stage stage) {
  if (stage == Stage::Tile)
    return print(module);
  for (auto func : module.getOps<tile::FuncOp>()) {
    FailureOr<target::Contract> contract = target::buildContract(func);
    if (failed(contract))
      return std::nullopt;
    launchContract = std::move(*contract);
  }
  std::optional<std::string> result = lowerAsBest(module, stage);
  // A pass that fails says why; one that does not is at fault.
  if (!result && !diags.hasErrors()) {
    diags.report(DiagID::Internal, "a pass failed without a reason");
    code = ExitInternal;
  }
  if (result && stage == Stage::HSACO)
    return link(*result);
  return result;
}
