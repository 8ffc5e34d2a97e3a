//===- Main.cpp - tlc's commands --------------------------------*- C++ -*-===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of commands, help, and what happens when tlc itself is at fault: a
// message with an id, a file with the command line, and exit code 5 instead of
// a stack trace.
//
//===----------------------------------------------------------------------===//

#include "tlc/Driver/Driver.h"
#include "tlc/Driver/ObjDump.h"
#include "tlc/Driver/Profile.h"
#include "tlc/Driver/Run.h"
#include "tlc/Driver/RunObject.h"
#include "tlc/Support/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <new>
#include <unistd.h>

using namespace tlc;
using llvm::StringRef;

/// A code object with a grid or a block on the command line is launched as it
/// stands; everything else goes by the launch contract.
static int runKernelOrObject(Arguments arguments) {
  bool launch = llvm::any_of(arguments, [](StringRef a) {
    StringRef option = a.split('=').first;
    return option == "--grid" || option == "--block";
  });
  return launch ? runObject(arguments) : runRun(arguments);
}

static const Command commands[] = {
    {"compile", "compile a kernel to a gfx942 code object", runCompile,
     "tlc compile FILE [-o OUT] [--emit=STAGE] [-D NAME=VALUE]... "
     "[--kernel NAME]\n\n"
     "  -o FILE           the result; - is standard output\n"
     "  --emit=STAGE      ast, tile, wave, rocdl, llvm, asm, obj or hsaco\n"
     "  -D NAME=VALUE     bind a parameter (repeatable)\n"
     "  --kernel NAME     choose a kernel of the file\n"
     "  --remarks         say what the passes decided\n"
     "  --report          registers, LDS, bank conflicts and cycles of loops\n"
     "  --disable-pass P  leave an optional pass out (repeatable): "
     "tile-coalesce-stores,\n"
     "                    tile-open-guards, tile-order-workgroups, "
     "tile-pipeline,\n"
     "                    tile-promote-operands, tile-split-masks,\n"
     "                    tile-spread-reducers, tile-swizzle-lds,\n"
     "                    wave-defer-sums, wave-guard-maximum, "
     "wave-pack-bytes,\n"
     "                    wave-share-divisors\n"
     "  --linker=LINKER   lld (built in, the default) or comgr (ROCm's)\n"},
    {"run", "compile a kernel, or take a code object, and execute it",
     runKernelOrObject, runUsage},
    {"check", "run a kernel and compare it with the reference", runCheck,
     checkUsage},
    {"profile", "time a kernel or a code object, and say what holds it back",
     runProfile, profileUsage},
    {"objdump", "show a gfx942 code object: metadata, resources, code",
     runObjdump, objdumpUsage},
    {"explain", "explain a diagnostic by its id, such as TL0302", runExplain,
     "tlc explain ID\n"},
};

/// The one that runs; null before it is known.
static const Command *current = nullptr;

int tlc::reportError(DiagID id, const llvm::Twine &message) {
  llvm::errs() << "tlc: error: " << message << " [" << diagnosticCode(id)
               << "]\n";
  if (id == DiagID::Usage) {
    llvm::errs() << "tlc: help: 'tlc help";
    if (current)
      llvm::errs() << ' ' << current->name << "' shows its options\n";
    else
      llvm::errs() << "' lists the commands\n";
    return ExitUsage;
  }
  return id == DiagID::Internal ? ExitInternal
         : isLimit(id)          ? ExitResourceLimit
                                : ExitDiagnostics;
}

int tlc::usageError(const llvm::Twine &message) {
  return reportError(DiagID::Usage, message);
}

static void printHelp(llvm::raw_ostream &os) {
  os << "tlc: tile kernels for AMD gfx942 (MI300X)\n\nusage: tlc COMMAND "
        "...\n\ncommands:\n";
  for (const Command &command : commands)
    os << "  " << llvm::left_justify(command.name, 10) << command.summary
       << '\n';
  os << "  help      describe a command\n\n"
        "A file name in place of a command is compiled: tlc k.tile\n\n"
        "exit codes: 0 ok, 1 diagnostics, 2 usage, 3 check failed, "
        "4 resource limit, 5 internal error\n";
}

/// The page of a diagnostic from docs/diagnostics, which is built in.
int tlc::runExplain(Arguments arguments) {
  if (arguments.size() != 1)
    return usageError("explain takes one id, such as TL0302");
  auto info = findDiagnostic(arguments[0]);
  if (!info)
    return usageError("there is no diagnostic '" + arguments[0] + "'");
  llvm::StringRef page = diagnosticPage(info->id);
  if (page.empty())
    llvm::outs() << diagnosticCode(info->id) << ": " << info->title << '\n';
  else
    llvm::outs() << page.ltrim("# ");
  return ExitOk;
}

//===----------------------------------------------------------------------===//
// Faults of tlc itself
//===----------------------------------------------------------------------===//

/// As a shell script, put together at the start: a signal handler cannot
/// allocate.
static std::string commandLine;

/// Writes the command line where a reader can find it and ends the process.
/// Called from signal handlers: plain system calls only.
[[noreturn]] static void endWithReproducer(const char *what) {
  char path[] = "/tmp/tlc-reproducer-XXXXXX";
  int fd = mkstemp(path);
  // write may take less than it is given.
  auto put = [](int to, const char *text, size_t size) {
    while (size) {
      ssize_t n = ::write(to, text, size);
      if (n <= 0)
        return;
      text += n;
      size -= n;
    }
  };
  auto say = [&](const char *text) { put(2, text, strlen(text)); };
  say("tlc: error: internal error: ");
  say(what);
  say(" [TL0904]\n");
  if (fd >= 0) {
    put(fd, commandLine.data(), commandLine.size());
    close(fd);
    say("tlc: note: the command that shows it is in ");
    say(path);
    say("\n");
  }
  _exit(ExitInternal);
}

static void onSignal(int number) {
  endWithReproducer(number == SIGSEGV   ? "segmentation fault"
                    : number == SIGABRT ? "abort"
                    : number == SIGFPE  ? "arithmetic fault"
                    : number == SIGBUS  ? "bus error"
                                        : "illegal instruction");
}

static void onFatalError(void *, const char *reason, bool) {
  endWithReproducer(reason);
}

/// The allocator has no more. Nothing may be allocated here.
[[noreturn]] static void onOutOfMemory() {
  constexpr char text[] = "tlc: error: memory is exhausted [TL0705]\n";
  [[maybe_unused]] ssize_t n = ::write(2, text, sizeof(text) - 1);
  _exit(ExitResourceLimit);
}

/// Signals have a stack of their own: the usual one may be what is exhausted.
static void installHandlers() {
  static char stack[1 << 16];
  stack_t alternate = {};
  alternate.ss_sp = stack;
  alternate.ss_size = sizeof(stack);
  sigaltstack(&alternate, nullptr);
  struct sigaction action = {};
  action.sa_handler = onSignal;
  action.sa_flags = SA_ONSTACK;
  for (int number : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL})
    sigaction(number, &action, nullptr);
  llvm::install_fatal_error_handler(onFatalError);
  llvm::install_bad_alloc_error_handler(
      [](void *, const char *, bool) { onOutOfMemory(); });
  std::set_new_handler(onOutOfMemory);
}

/// A word as the shell takes it back.
static std::string quoted(StringRef word) {
  std::string text = "'";
  for (char c : word)
    text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// Everything but what failing handlers and streams need.
static int dispatch(Arguments arguments) {
  if (arguments.empty()) {
    printHelp(llvm::errs());
    return ExitUsage;
  }
  StringRef name = arguments.front();
  Arguments rest = arguments.drop_front();
  auto find = [](StringRef wanted) -> const Command * {
    for (const Command &command : commands)
      if (command.name == wanted)
        return &command;
    return nullptr;
  };
  if (name == "--version" || name == "-V") {
    if (!rest.empty())
      return usageError("unexpected argument '" + rest[0] + "'");
    llvm::outs() << "tlc " TLC_VERSION " (LLVM " LLVM_VERSION_STRING
                    "), target gfx942\n";
    return ExitOk;
  }
  if (name == "--help" || name == "-h" || name == "help") {
    if (rest.empty()) {
      printHelp(llvm::outs());
      return ExitOk;
    }
    const Command *command = find(rest[0]);
    if (!command)
      return usageError("there is no command '" + rest[0] + "'");
    if (rest.size() > 1)
      return usageError("unexpected argument '" + rest[1] + "'");
    llvm::outs() << "usage: " << command->usage;
    return ExitOk;
  }
  current = find(name);
  // `tlc k.tile` compiles.
  if (!current && name.contains('.')) {
    current = find("compile");
    rest = arguments;
  }
  if (!current)
    return usageError("there is no command '" + name + "'");
  // Anywhere among the words: `tlc run k.tile --help`.
  for (StringRef arg : rest)
    if (arg == "--help" || arg == "-h") {
      llvm::outs() << "usage: " << current->usage;
      return ExitOk;
    }
  return current->run(rest);
}

/// The exit codes are those of docs/cli.md.
int tlc::runTlc(int argc, char **argv) {
  commandLine = "#!/bin/sh\n";
  llvm::SmallString<128> folder;
  if (!llvm::sys::fs::current_path(folder)) // it may have been removed
    commandLine += "cd " + quoted(folder) + "\n";
  for (int i = 0; i < argc; ++i)
    commandLine += quoted(argv[i]) + " ";
  commandLine += '\n';
  installHandlers();
  std::vector<StringRef> arguments(argv + 1, argv + argc);
  int code = dispatch(arguments);
  // A full disk behind a redirection shows only now.
  llvm::outs().flush();
  if (!llvm::outs().has_error())
    return code;
  std::string why = llvm::outs().error().message();
  llvm::outs().clear_error();
  int failed = reportError(DiagID::CannotWrite,
                           "cannot write to standard output: " + why);
  return code ? code : failed;
}
