//===- Pipeline.h - From a kernel file to a code object ---------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `compile`, `run`, `check` and `profile` share: the input options, and
// the compilation of one program in this process.
//
//===----------------------------------------------------------------------===//

#ifndef TLC_DRIVER_PIPELINE_H
#define TLC_DRIVER_PIPELINE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "tlc/Driver/Driver.h"
#include "tlc/Frontend/Frontend.h"
#include "tlc/Support/Diagnostics.h"
#include "tlc/Target/Contract.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <memory>
#include <optional>

namespace mlir {
class PassManager;
}

namespace tlc {

/// The stages `--emit` names, in order.
enum class Stage { AST, Tile, Wave, ROCDL, LLVM, Asm, Obj, HSACO };
std::optional<Stage> parseStage(llvm::StringRef name);

/// Where a program comes from (a file, `-D` definitions, `--kernel`), and what
/// is the same for all commands that compile it.
struct InputOptions {
  std::string path;
  FrontendOptions frontend;
  bool remarks = false;
  /// Passes of the tile dialect to leave out, by their names; only those that
  /// a program does not need (isOptionalPass).
  std::vector<std::string> disabledPasses;
  /// Link with ROCm's comgr in place of the built-in lld.
  bool comgr = false;

  /// Takes the option at `arguments[i]` (and its value, advancing i) if it is
  /// one of these. False if it is not; `error` says why it is malformed.
  bool take(Arguments arguments, size_t &i, std::string &error);
  static constexpr llvm::StringLiteral help =
      "  -D NAME=VALUE     bind a parameter (repeatable)\n"
      "  --kernel NAME     choose a kernel of the file\n"
      "  --remarks         say what the passes decided\n"
      "  --linker=LINKER   lld (built in, the default) or comgr (ROCm's)\n"
      "  --disable-pass P  leave an optional pass out (repeatable)\n";
};

/// One compilation: sources, diagnostics and the MLIR context they share.
class Compilation {
public:
  explicit Compilation(const InputOptions &options);
  ~Compilation();

  DiagnosticEngine &diagnostics() { return diags; }
  mlir::MLIRContext &context() { return *ctx; }
  llvm::ArrayRef<std::string> disabledPasses() const {
    return options.disabledPasses;
  }

  /// Reads the program: a module with one tile.func. Null if something was
  /// reported. A `.mlir` file is read as it stands.
  mlir::OwningOpRef<mlir::ModuleOp> import();

  /// Compiles the program, which is changed, up to `stage` (Tile..HSACO), and
  /// returns its text or bytes. Nothing if something was reported.
  std::optional<std::string> compile(mlir::ModuleOp module, Stage stage);

  /// After compile() to an object: the program that the attempt it took began
  /// with, as attributes of its kernels say.
  mlir::ModuleOp preparedProgram() { return *prepared; }

  /// The launch contract, after compile().
  const target::Contract &contract() const { return launchContract; }

  /// Shown the program on its way through compile(), after the passes on the
  /// tile dialect.
  std::function<void(mlir::ModuleOp)> atTile;

  /// What to exit with after something was reported.
  ExitCode failureCode() const {
    return code == ExitDiagnostics && diags.reachedLimit() ? ExitResourceLimit
                                                           : code;
  }

private:
  friend class DiagnosticRouter;
  /// compile() from the tile dialect on: once, or as often as it takes to keep
  /// everything in LDS and registers (Attempts.cpp).
  std::optional<std::string> lowerAsBest(mlir::ModuleOp module, Stage stage);
  class Attempts;
  /// Adds to the message that LDS does not suffice with which parameters of the
  /// kernel it would (SuggestSizes.cpp).
  void suggestSizes(mlir::Diagnostic &diag);
  /// From the wave dialect on.
  std::optional<std::string> lower(mlir::ModuleOp module, Stage stage);
  /// From the LLVM dialect on: text or object.
  llvm::Expected<std::string> generate(mlir::ModuleOp module, Stage stage);
  /// The code object. Nothing if something was reported.
  std::optional<std::string> link(llvm::StringRef object);

  InputOptions options;
  SourceManager sources;
  DiagnosticEngine diags;
  std::unique_ptr<mlir::MLIRContext> ctx;
  std::unique_ptr<class DiagnosticRouter> router;
  target::Contract launchContract;
  mlir::OwningOpRef<mlir::ModuleOp> prepared;
  /// Integer parameters of the imported kernel.
  std::vector<std::pair<std::string, int64_t>> integers;
  ExitCode code = ExitDiagnostics;
};

/// Runs passes on a module. False if one failed.
bool runPasses(mlir::ModuleOp module,
               llvm::function_ref<void(mlir::PassManager &)> build);
/// The passes on the tile dialect, in the compiler's order, without those named
/// in `disabled`.
void buildTilePipeline(mlir::PassManager &passes,
                       llvm::ArrayRef<std::string> disabled = {});
/// Whether programs compile without the pass, only to slower code.
bool isOptionalPass(llvm::StringRef name);
/// The passes from tile to the wave dialect, before loops are ordered.
void buildWavePipeline(mlir::PassManager &passes,
                       llvm::ArrayRef<std::string> disabled = {});
/// How hot loops are ordered, boldest first. Each needs fewer registers than
/// the one before.
enum class ScheduleLevel {
  Paired,  ///< iterations overlap, two a turn
  Near,    ///< the same, LDS reads half as long before their use
  Limited, ///< the same, but for loops with more values than registers
  Overlap, ///< iterations overlap
  Apart,   ///< within each iteration
  None,    ///< left to LLVM
};
inline constexpr ScheduleLevel kScheduleLevels[] = {
    ScheduleLevel::Paired,  ScheduleLevel::Near,  ScheduleLevel::Limited,
    ScheduleLevel::Overlap, ScheduleLevel::Apart, ScheduleLevel::None};
/// The passes that order loops.
void buildSchedulePipeline(mlir::PassManager &passes, ScheduleLevel level);
/// The passes to the LLVM dialect.
void buildROCDLPipeline(mlir::PassManager &passes);

} // namespace tlc

#endif // TLC_DRIVER_PIPELINE_H
