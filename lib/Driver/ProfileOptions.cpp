//===- ProfileOptions.cpp - Command line of tlc profile -------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   tlc profile a.tile -D N=64 --against b.tile -D N=128 --json
//     own options:   --json
//     words of A:    a.tile -D N=64
//     words of B:    b.tile -D N=64 -D N=128   the later -D wins
//
//===----------------------------------------------------------------------===//

#include "ProfileOptions.h"
#include "tlc/Driver/Profile.h"
#include "tlc/Simulator/Timing/Parameters.h"
#include "tlc/Support/Files.h"
#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>

using namespace tlc;
using llvm::StringRef;

const llvm::StringLiteral tlc::profileUsage =
    "tlc profile KERNEL.tile|OBJECT [options of run] [options]\n"
    "       tlc profile OBJECT --kernel NAME --grid X,Y,Z --block X,Y,Z "
    "[--lds BYTES]\n"
    "                   [--arg TYPE=VALUE]...\n\n"
    "  --clock GHZ       also give times at this clock\n"
    "  --lines N         hottest source lines to show (10)\n"
    "  --counters        show all counters\n"
    "  --json            the report as JSON instead of the table\n"
    "  --html FILE       one page with source, instructions and bars\n"
    "  --trace FILE      a trace for ui.perfetto.dev; -: in place of the "
    "table\n"
    "  --trace-waves N   wavefronts in it (64)\n"
    "  --against FILE    profile FILE too and compare; options after it are "
    "for "
    "FILE\n"
    "  --full            run every workgroup in detail\n"
    "  --detail N        or a sample: wavefront instructions at least\n"
    "  --assume NAME=V   another value for a parameter of the model that has "
    "no "
    "source\n"
    "  --warm            caches hold what an earlier launch left\n"
    "  --repeat N        launches timed on a HIP device (20)\n";

namespace {

/// Options of `run` that take their value as the next word.
constexpr StringRef withValue[] = {
    "-D",        "--kernel",      "--device",       "--arg", "--args-file",
    "--seed",    "--grid",        "--block",        "--lds", "--limit",
    "--threads", "--linker",      "--disable-pass", "--out", "--expect",
    "--rtol",    "--memory-limit"};

/// A word that names the input, not an option or its value. Its index; none if
/// all are options and values.
std::optional<size_t> inputOf(const std::vector<std::string> &words) {
  for (size_t i = 0; i < words.size(); ++i) {
    StringRef word = words[i];
    if (llvm::is_contained(withValue, word))
      ++i;
    else if (!word.starts_with("-"))
      return i;
  }
  return std::nullopt;
}

bool givesArgument(StringRef word) {
  StringRef name = word.split('=').first;
  return name == "--arg" || name == "--args-file";
}

/// A's words with its input replaced and B's own behind them. Arguments of an
/// object are a list: B's replace all of A's.
std::vector<std::string> wordsOfB(const std::vector<std::string> &a,
                                  const std::string &input,
                                  const std::vector<std::string> &own) {
  bool isObject = llvm::any_of(
      a, [](StringRef w) { return w.split('=').first == "--grid"; });
  bool replaces = isObject && llvm::any_of(own, givesArgument);
  std::optional<size_t> inputAt = inputOf(a);
  std::vector<std::string> words;
  for (size_t i = 0; i < a.size(); ++i) {
    if (replaces && givesArgument(a[i])) {
      // Its value is the next word, unless it is in the same one.
      i += !StringRef(a[i]).contains('=');
      continue;
    }
    words.push_back(inputAt == i ? input : a[i]);
  }
  words.insert(words.end(), own.begin(), own.end());
  return words;
}

/// One pass over the words.
class Parser {
public:
  Parser(Arguments arguments, ProfileOptions &options)
      : arguments(arguments), options(options) {}

  int run();

private:
  /// The value of `name` if the current word is that option.
  bool take(StringRef name, StringRef &value);
  template <typename T> bool number(StringRef name, T &to);
  template <typename T> bool number(StringRef name, std::optional<T> &to);
  void assume(StringRef text);
  void findContradictions(bool compares);

  Arguments arguments;
  ProfileOptions &options;
  size_t at = 0;
  std::string error;
};

bool Parser::take(StringRef name, StringRef &value) {
  StringRef word = arguments[at];
  if (word == name) {
    if (++at == arguments.size())
      error = (name + " needs a value").str();
    else
      value = arguments[at];
    return true;
  }
  if (!word.starts_with((name + "=").str()))
    return false;
  value = word.drop_front(name.size() + 1);
  return true;
}

/// True if the current word is that option; a bad number is in `error`.
template <typename T> bool Parser::number(StringRef name, T &to) {
  StringRef value;
  if (!take(name, value))
    return false;
  if (error.empty() && value.getAsInteger(10, to))
    error = (name + " takes a number, not '" + value + "'").str();
  return true;
}

template <typename T>
bool Parser::number(StringRef name, std::optional<T> &to) {
  T value = 0;
  if (!number(name, value))
    return false;
  to = value;
  return true;
}

/// Options that together make no sense, or one of which would be left without
/// effect.
void Parser::findContradictions(bool compares) {
  bool hasFiles = !options.trace.empty() || !options.html.empty();
  unsigned onOutput =
      options.json + (options.html == "-") + (options.trace == "-");
  if (compares && hasFiles)
    error = "--trace and --html show one profile: leave --against out";
  else if (options.full && options.detail)
    error = "--full runs everything in detail, --detail a sample: give one";
  else if (options.traceWaves && options.trace.empty())
    error = "--trace-waves is about the file of --trace, which is missing";
  else if (hasFiles && isSameFile(options.html, options.trace))
    error = "--html and --trace name one file: '" + options.trace + "'";
  else if (onOutput > 1)
    error = "one form fits standard output: of --json, --html - and --trace - "
            "give one";
  else if (options.repetitions == 0u)
    error = "--repeat takes at least 1";
  else if (options.detail == uint64_t(0))
    error = "--detail takes at least 1";
}

/// NAME=VALUE, for the whole process.
void Parser::assume(StringRef text) {
  auto [name, value] = text.split('=');
  double number = 0;
  if (!error.empty())
    return;
  if (value.getAsDouble(number) || !(number > 0 && number < 1e9)) {
    error =
        ("--assume takes NAME=VALUE with a value above 0, not '" + text + "'")
            .str();
  } else if (!sim::assume(name, number)) {
    error = ("no parameter '" + name + "' without a source; there are").str();
    for (const sim::Parameter &each : sim::timingParameters)
      if (each.confidence == sim::Confidence::Assumed)
        error += std::string(" ") + each.name;
  } else {
    options.assumptions.push_back(text.str());
  }
}

// Words go to A until --against, then to B.
int Parser::run() {
  std::optional<std::string> against;
  std::vector<std::string> own;
  for (; at < arguments.size() && error.empty(); ++at) {
    StringRef word = arguments[at], value;
    if (take("--clock", value)) {
      double ghz = 0;
      if (error.empty() && (value.getAsDouble(ghz) || !(ghz > 0)))
        error = ("--clock takes GHz, not '" + value + "'").str();
      else if (error.empty() && ghz > sim::param::clockGHz)
        error = fmt::format("--clock {}: an MI300X has at most {} GHz",
                            value.str(), double(sim::param::clockGHz));
      else
        options.clock = ghz * 1e9;
    } else if (word == "--json") {
      options.json = true;
    } else if (take("--trace", value)) {
      options.trace = value.str();
    } else if (take("--html", value)) {
      options.html = value.str();
    } else if (take("--against", value)) {
      if (against)
        error = "--against can be given once";
      against = value.str();
    } else if (take("--assume", value)) {
      assume(value);
    } else if (word == "--counters") {
      options.text.counters = true;
    } else if (word == "--full") {
      options.full = true;
    } else if (word == "--warm") {
      options.warm = true;
    } else if (!number("--lines", options.text.hotLines) &&
               !number("--detail", options.detail) &&
               !number("--trace-waves", options.traceWaves) &&
               !number("--repeat", options.repetitions)) {
      // An option of `run`: kept for its own parser, with its value, which may
      // look like one of ours.
      std::vector<std::string> &to = against ? own : options.words;
      to.push_back(word.str());
      if (llvm::is_contained(withValue, word) && at + 1 < arguments.size())
        to.push_back(arguments[++at].str());
    }
  }
  if (error.empty() && !inputOf(options.words))
    error = "profile needs a kernel file or a code object";
  if (error.empty())
    findContradictions(against.has_value());
  if (!error.empty())
    return usageError(error);
  if (against)
    options.against = wordsOfB(options.words, *against, own);
  return ExitOk;
}

} // namespace

int tlc::parseProfileOptions(Arguments arguments, ProfileOptions &options) {
  return Parser(arguments, options).run();
}
