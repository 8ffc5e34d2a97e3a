//===- Manifest.cpp - TileLang's kernels, one line each -------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   tlc-compat --tlc TLC --tilelang CHECKOUT [--manifest FILE] [--only TEXT]
//              [--class CLASS] [--work FOLDER] [--limit SECONDS]
//
// Compiles each kernel of the manifest (its head describes the lines), runs it
// on the simulator against the reference, and prints a table. What each command
// said is in FOLDER/N.log, N the line of the manifest. Ends in 1 if a kernel
// falls short of what the manifest expects.
//
// Every step is a process of its own, so that a fault of one kernel is a row of
// the table and not the end of it.
//
//===----------------------------------------------------------------------===//

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

using llvm::SmallVector;
using llvm::StringRef;

namespace {

/// Refused: by a diagnostic with a place in the file and an id.
enum class Level { Nothing, Refused, Parses, Compiles, Runs, Matches };

struct Entry {
  int line = 0;
  StringRef file, kernel, speed;
  Level expected = Level::Nothing;
  SmallVector<StringRef> options;
};

struct Result {
  Level level = Level::Nothing;
  /// Of the kernel that needs most, as `tlc objdump` gives them; -1: unknown.
  int64_t lds = -1, registers = -1, scratch = -1;
  double seconds = 0;
  /// The first error.
  std::string why;
};

struct Options {
  std::string tlc, checkout, manifest, only, speed, work = "compat-work";
  unsigned limit = 300;
};

int fail(const llvm::Twine &message) {
  llvm::errs() << "tlc-compat: " << message << '\n';
  return 2;
}

std::optional<Entry> parseLine(StringRef text, int line, std::string &error) {
  SmallVector<StringRef> words;
  llvm::SplitString(text, words);
  if (words.empty() || words[0].starts_with("#"))
    return std::nullopt;
  Entry entry;
  entry.line = line;
  if (words.size() < 4) {
    error = "needs FILE KERNEL EXPECTED CLASS";
    return std::nullopt;
  }
  entry.file = words[0];
  entry.kernel = words[1];
  entry.expected = llvm::StringSwitch<Level>(words[2])
                       .Case("refused", Level::Refused)
                       .Case("parses", Level::Parses)
                       .Case("compiles", Level::Compiles)
                       .Case("runs", Level::Runs)
                       .Case("matches", Level::Matches)
                       .Default(Level::Nothing);
  entry.speed = words[3];
  if (entry.expected == Level::Nothing)
    error =
        ("'" + words[2] + "' is not refused, parses, compiles, runs or matches")
            .str();
  else if (entry.speed != "fast" && entry.speed != "slow")
    error = ("'" + entry.speed + "' is not fast or slow").str();
  entry.options.append(words.begin() + 4, words.end());
  return entry;
}

class Runner {
public:
  Runner(const Options &options) : options(options) {}

  Result run(const Entry &entry) {
    auto start = std::chrono::steady_clock::now();
    Result result = steps(entry);
    result.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count();
    return result;
  }

private:
  Result steps(const Entry &entry);
  int execute(SmallVector<StringRef> arguments, const std::string &log);
  void readResources(StringRef log, Result &result);

  const Options &options;
};

/// `tlc ARGUMENTS`, everything it says in `log`.
int Runner::execute(SmallVector<StringRef> arguments, const std::string &log) {
  arguments.insert(arguments.begin(), options.tlc);
  StringRef both = log;
  return llvm::sys::ExecuteAndWait(options.tlc, arguments, std::nullopt,
                                   {StringRef(""), both, both}, options.limit);
}

std::string contents(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

/// The first diagnostic, cut to a line.
std::string firstError(StringRef log) {
  SmallVector<StringRef> lines;
  log.split(lines, '\n');
  for (StringRef line : lines) {
    size_t at = line.find("error: ");
    if (at != StringRef::npos)
      return line.substr(at + 7, 110).str();
  }
  for (StringRef line : lines)
    if (line.contains("outside") || line.contains("finding"))
      return line.substr(0, 110).str();
  return "";
}

/// Whether the first error names a place in a file of the checkout (the
/// kernel's or one that it imports) and has an id.
bool isLocated(StringRef log, StringRef checkout) {
  SmallVector<StringRef> lines;
  log.split(lines, '\n');
  for (StringRef line : lines)
    if (line.contains(": error: "))
      return line.starts_with(checkout) && line.contains(" [TL");
  return false;
}

void Runner::readResources(StringRef log, Result &result) {
  SmallVector<StringRef> lines;
  log.split(lines, '\n');
  auto raise = [](int64_t &most, StringRef rest) {
    int64_t value;
    if (!rest.trim().consumeInteger(10, value))
      most = std::max(most, value);
  };
  for (StringRef line : lines) {
    line = line.trim();
    if (line.consume_front("VGPRs allocated"))
      raise(result.registers, line);
    else if (line.consume_front("LDS"))
      raise(result.lds, line);
    else if (line.consume_front("scratch"))
      raise(result.scratch, line);
  }
}

Result Runner::steps(const Entry &entry) {
  Result result;
  std::string file = options.checkout + "/examples/" + entry.file.str();
  std::string base = options.work + "/" + std::to_string(entry.line);
  std::string log = base + ".log", object = base + ".hsaco";
  SmallVector<StringRef> defines;
  for (size_t i = 0; i + 1 < entry.options.size(); ++i)
    if (entry.options[i] == "-D")
      defines.append({entry.options[i], entry.options[i + 1]});

  SmallVector<StringRef> compile = {"compile", file, "--kernel", entry.kernel};
  compile.append(defines);
  SmallVector<StringRef> toObject(compile);
  toObject.append({"-o", object});
  if (int code = execute(toObject, log)) {
    result.why = firstError(contents(log));
    if (result.why.empty())
      result.why = code < 0 ? "the compiler did not end in time"
                            : "exit code " + std::to_string(code);
    if (isLocated(contents(log), options.checkout))
      result.level = Level::Refused;
    compile.append({"--emit=tile", "-o", base + ".tile.mlir"});
    if (!execute(compile, base + ".parse.log"))
      result.level = Level::Parses;
    return result;
  }
  result.level = Level::Parses;
  execute({"objdump", object}, base + ".objdump");
  readResources(contents(base + ".objdump"), result);
  if (result.scratch > 0 || result.lds > 65536) {
    result.why = "compiles, but uses scratch";
    return result;
  }
  result.level = Level::Compiles;
  if (entry.expected < Level::Runs)
    return result;
  SmallVector<StringRef> check = {"check",      file,       "--kernel",
                                  entry.kernel, "--device", "sim"};
  check.append(entry.options);
  int code = execute(check, log);
  std::string said = contents(log);
  if (StringRef(said).contains("\nsimulated "))
    result.level = Level::Runs;
  if (code == 0)
    result.level = Level::Matches;
  else
    result.why = code < 0 ? "the check did not end in time" : firstError(said);
  return result;
}

void printRow(const Entry &entry, const Result &result) {
  auto mark = [&](Level level) {
    return result.level >= level     ? "yes"
           : entry.expected >= level ? "NO"
           : level == Level::Runs    ? "-"
           : level == Level::Matches ? "-"
                                     : "no";
  };
  auto number = [](int64_t value) {
    return value < 0 ? std::string("-") : std::to_string(value);
  };
  std::string name = entry.file.rsplit('/').second.str();
  if (name.empty())
    name = entry.file.str();
  llvm::outs() << llvm::left_justify(std::to_string(entry.line), 5)
               << llvm::left_justify(name, 46)
               << llvm::left_justify(entry.kernel, 34)
               << llvm::left_justify(mark(Level::Parses), 7)
               << llvm::left_justify(mark(Level::Compiles), 9)
               << llvm::left_justify(mark(Level::Runs), 4)
               << llvm::left_justify(mark(Level::Matches), 8)
               << llvm::right_justify(number(result.lds), 6)
               << llvm::right_justify(number(result.registers), 6)
               << llvm::right_justify(number(result.scratch), 8)
               << llvm::format("%8.1f", result.seconds);
  if (!result.why.empty())
    llvm::outs() << "  " << result.why;
  llvm::outs() << '\n';
  llvm::outs().flush();
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    StringRef name = argv[i];
    std::string value = argv[i + 1];
    if (name == "--limit" && !StringRef(value).getAsInteger(10, options.limit))
      continue;
    std::string *target = llvm::StringSwitch<std::string *>(name)
                              .Case("--tlc", &options.tlc)
                              .Case("--tilelang", &options.checkout)
                              .Case("--manifest", &options.manifest)
                              .Case("--only", &options.only)
                              .Case("--class", &options.speed)
                              .Case("--work", &options.work)
                              .Default(nullptr);
    if (!target)
      return fail("unknown option '" + name + "'");
    *target = value;
  }
  if (argc % 2 == 0 || options.tlc.empty() || options.checkout.empty() ||
      options.manifest.empty())
    return fail("usage: tlc-compat --tlc TLC --tilelang CHECKOUT --manifest "
                "FILE [--only TEXT] [--class CLASS] [--work FOLDER] "
                "[--limit SECONDS]");
  auto buffer = llvm::MemoryBuffer::getFile(options.manifest);
  if (!buffer)
    return fail("cannot read " + options.manifest);
  if (std::error_code error = llvm::sys::fs::create_directories(options.work))
    return fail("cannot make " + options.work + ": " + error.message());

  llvm::outs() << "line file                                          kernel   "
                  "                         parsed compiled ran matched    LDS "
                  "VGPRs scratch seconds\n";
  Runner runner(options);
  SmallVector<StringRef> lines;
  (*buffer)->getBuffer().split(lines, '\n');
  unsigned entries = 0, tooShort = 0;
  unsigned reached[int(Level::Matches) + 1] = {};
  for (auto [i, line] : llvm::enumerate(lines)) {
    std::string error;
    auto entry = parseLine(line, i + 1, error);
    if (!error.empty())
      return fail(options.manifest + ":" + llvm::Twine(i + 1) + ": " + error);
    if (!entry || !line.contains(options.only) ||
        (!options.speed.empty() && entry->speed != options.speed))
      continue;
    Result result = runner.run(*entry);
    printRow(*entry, result);
    ++entries;
    tooShort += result.level < entry->expected;
    for (int l = 0; l <= int(result.level); ++l)
      ++reached[l];
  }
  llvm::outs() << entries << " kernels: " << reached[int(Level::Refused)]
               << " parse or are refused by a located diagnostic, "
               << reached[int(Level::Parses)] << " parse, "
               << reached[int(Level::Compiles)] << " compile, "
               << reached[int(Level::Runs)] << " run, "
               << reached[int(Level::Matches)] << " match; " << tooShort
               << " short of what the manifest expects\n";
  if (!entries)
    return fail("no kernel was chosen");
  return tooShort ? 1 : 0;
}
