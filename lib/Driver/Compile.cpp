//===- Compile.cpp - tlc compile ------------------------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `tlc compile`: options, the pipeline up to a stage, and the result to a file
// or standard output. The code object is a binary file, so only text stages go
// to standard output by default. Messages and the resource line go to standard
// error.
//
//===----------------------------------------------------------------------===//

#include "tlc/Driver/Pipeline.h"
#include "tlc/Driver/RunObject.h"
#include "tlc/Report/CompileReport.h"
#include "tlc/Support/Files.h"
#include "tlc/Target/AMDGPU.h"
#include "llvm/Support/raw_ostream.h"

using namespace tlc;
using llvm::StringRef;

/// k.tile -> k.hsaco in the current folder.
static std::string defaultOutput(StringRef path, Stage stage) {
  if (stage != Stage::HSACO && stage != Stage::Obj)
    return "-";
  StringRef name = path.rsplit('/').second;
  if (name.empty())
    name = path;
  return (name.rsplit('.').first + (stage == Stage::Obj ? ".o" : ".hsaco"))
      .str();
}

/// Writes the result; ExitOk or ExitDiagnostics after a message. A file is
/// there whole or not at all.
static int write(Compilation &compilation, StringRef path, StringRef bytes) {
  std::string error;
  if (writeFileAtomically(path, bytes, error))
    return ExitOk;
  compilation.diagnostics().report(DiagID::CannotWrite, error);
  return ExitDiagnostics;
}

/// One line for each kernel: what it uses of a compute unit. Nothing for an
/// object that cannot be read, which the link would have reported.
static void printResources(StringRef object) {
  auto kernels = target::readResources(object);
  if (!kernels)
    return llvm::consumeError(kernels.takeError());
  for (const target::KernelResources &k : *kernels) {
    llvm::errs() << k.name << ": " << k.threads << " threads, VGPR " << k.vgprs
                 << " (AGPR " << k.agprs << "), SGPR " << k.sgprs << ", LDS "
                 << k.ldsBytes << " bytes, scratch " << k.scratchBytes
                 << " bytes, occupancy " << k.wavesPerSimd()
                 << (k.wavesPerSimd() == 1 ? " wave/SIMD" : " waves/SIMD");
    if (unsigned spills = k.vgprSpills + k.sgprSpills)
      llvm::errs() << ", " << spills << " registers spilled";
    llvm::errs() << '\n';
  }
}

/// The whole command; an exit code.
int tlc::runCompile(Arguments arguments) {
  InputOptions input;
  std::string output, error;
  Stage stage = Stage::HSACO;
  bool wantsReport = false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    StringRef arg = arguments[i];
    if (arg == "-o" || arg == "--output") {
      if (++i == arguments.size())
        return usageError("-o needs a file");
      output = arguments[i].str();
      if (output.empty())
        return usageError("-o needs a file, or - for standard output");
    } else if (arg == "--emit" || arg.starts_with("--emit=")) {
      if (!arg.consume_front("--emit="))
        arg = ++i < arguments.size() ? arguments[i] : "";
      auto parsed = parseStage(arg);
      if (!parsed)
        return usageError("--emit takes ast, tile, wave, rocdl, llvm, asm, "
                          "obj or hsaco, not '" +
                          arg + "'");
      stage = *parsed;
    } else if (arg == "--report") {
      wantsReport = true;
    } else if (!input.take(arguments, i, error)) {
      return usageError("unexpected argument '" + arg + "'");
    }
    if (!error.empty())
      return usageError(error);
  }
  if (input.path.empty())
    return usageError("compile needs a kernel file");
  if (wantsReport && stage != Stage::HSACO)
    return usageError("--report is of the code object: it takes no --emit");
  if (output.empty()) {
    output = defaultOutput(input.path, stage);
    if (input.path == "-" && output != "-")
      return usageError("a kernel from standard input has no name for its "
                        "object: give -o FILE");
  }
  // A code object is refused as such.
  if (isSameFile(output, input.path) && !isCodeObjectFile(input.path))
    return usageError("-o '" + output + "' is the kernel file itself");

  Compilation compilation(input);
  // The syntax tree needs no kernel to be chosen and no parameters.
  if (stage == Stage::AST) {
    SourceManager &sources = compilation.diagnostics().sourceManager();
    const SourceManager::Buffer *buffer = sources.openFile(input.path, error);
    if (!buffer) {
      compilation.diagnostics().report(DiagID::CannotRead, error);
      return compilation.failureCode();
    }
    std::string text;
    llvm::raw_string_ostream os(text);
    if (!printAST(*buffer, compilation.diagnostics(), os))
      return compilation.failureCode();
    return write(compilation, output, text);
  }
  auto module = compilation.import();
  if (!module)
    return compilation.failureCode();
  report::CompileReport report;
  // Shared buffers have names only as long as they are tile ops.
  if (wantsReport)
    compilation.atTile = [&](mlir::ModuleOp m) { report.readTile(m); };
  auto bytes = compilation.compile(*module, stage);
  if (!bytes)
    return compilation.failureCode();
  if (int code = write(compilation, output, *bytes))
    return code;
  if (wantsReport) {
    if (llvm::Error failure = report.print(*bytes, llvm::errs())) {
      compilation.diagnostics().report(DiagID::Internal,
                                       llvm::toString(std::move(failure)));
      return ExitInternal;
    }
  } else if (stage == Stage::Obj || stage == Stage::HSACO) {
    printResources(*bytes);
  }
  return ExitOk;
}
