//===- RunObjectOptions.cpp - Command line of tlc run OBJECT --------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   --arg f32[256,64]=randn:1     an array with its contents
//   --arg i32=-5                  a scalar, as its bits
//   --arg ptr=null                a null pointer
//   --out 0=result.npy            argument 0, after the launch
//
// Options of a launch without a contract: nothing is known of the kernel, so
// the command line says all: grid, block and each argument with its type.
// Mistakes in the form are usage errors (exit code 2), mistakes in what a word
// refers to (a missing file, a number that does not fit) are plain errors.
//
//===----------------------------------------------------------------------===//

#include "RunObjectOptions.h"

#include "MemoryLimit.h"
#include "tlc/Driver/Driver.h"
#include "tlc/Runtime/Contents.h"
#include "tlc/Runtime/Npy.h"
#include "tlc/Support/Files.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace tlc;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

char ObjectError::ID;

int tlc::reportError(Error error) {
  int code = ExitOk;
  llvm::handleAllErrors(std::move(error), [&](const ObjectError &each) {
    code = reportError(each.id, each.text);
  });
  return code;
}

namespace {

/// A mistake in the form of the command line.
Error usage(const llvm::Twine &text) {
  return objectError(DiagID::Usage, text);
}
/// A word that is well formed, but does not fit.
Error bad(const llvm::Twine &text) {
  return objectError(DiagID::BadRunArgument, text);
}

// No array of a kernel is larger; the product must not overflow.
constexpr int64_t maxElements = int64_t(1) << 36;

/// In any radix that C has: 256, 0x100.
template <typename T> Error number(StringRef option, StringRef text, T &value) {
  if (text.getAsInteger(0, value))
    return usage(option + " wants a number, not '" + text + "'");
  return Error::success();
}

/// "X", "X,Y" or "X,Y,Z"; what is left out is 1.
Error extent(StringRef option, StringRef text, unsigned (&out)[3]) {
  llvm::SmallVector<StringRef, 3> parts;
  text.split(parts, ',');
  if (parts.size() > 3)
    return usage(option + " wants at most three numbers");
  for (unsigned i = 0; i < 3; ++i) {
    out[i] = 1;
    if (i < parts.size())
      if (Error error = number(option, parts[i].trim(), out[i]))
        return error;
    if (out[i] == 0)
      return usage(option + " has a 0");
  }
  return Error::success();
}

/// Any reading of the bits is accepted: 255 and -1 both fit u8 and i8.
Error scalarValue(StringRef text, ObjectArgument &argument) {
  const FloatFormat *format = floatFormat(argument.type);
  if (format) {
    double value;
    if (text.getAsDouble(value))
      return bad("argument '" + argument.text + "': '" + text +
                 "' is no number");
    argument.scalar = format->encode(value);
    return Error::success();
  }
  // Signed first; what only an unsigned 64-bit number holds is read as one.
  unsigned bits = byteSize(argument.type) * 8;
  int64_t integer = INT64_MAX;
  uint64_t natural;
  if (!text.getAsInteger(0, integer))
    natural = static_cast<uint64_t>(integer);
  else if (text.getAsInteger(0, natural))
    return bad("argument '" + argument.text + "': '" + text +
               "' is no integer");
  bool fits = bits == 64 || (integer >= -(int64_t(1) << (bits - 1)) &&
                             integer < (int64_t(1) << bits));
  if (!fits)
    return bad("argument '" + argument.text + "': " + text +
               " does not fit into " + llvm::Twine(bits) + " bits");
  argument.scalar =
      bits == 64 ? natural : natural & ((uint64_t(1) << bits) - 1);
  return Error::success();
}

/// Fills an array from its CONTENTS, or from a file of the same type and shape.
Error arrayValue(StringRef text, ObjectArgument &argument, int64_t period,
                 bool fills) {
  Expected<Contents> contents = parseContents(text);
  if (!contents)
    return bad("argument '" + argument.text +
               "': " + llvm::toString(contents.takeError()));
  if (!fills) {
    std::string unreadable;
    if (contents->kind == Contents::Kind::File &&
        !readFile(contents->path, unreadable))
      return objectError(DiagID::CannotRead, unreadable);
    return Error::success();
  }
  contents->period = period;
  if (contents->kind != Contents::Kind::File) {
    fill(argument.array, *contents);
    return Error::success();
  }
  Expected<Array> file = readNpy(contents->path);
  if (!file)
    return objectError(DiagID::CannotRead, llvm::toString(file.takeError()));
  // asType takes the array: its type is kept for the message.
  std::string stored = toString(file->type).str();
  std::optional<Array> typed = asType(std::move(*file), argument.type);
  if (!typed)
    return bad(contents->path + " holds " + stored + ", argument '" +
               argument.text + "' wants " + toString(argument.type));
  if (typed->shape != argument.array.shape)
    return bad(contents->path + " has shape " + shapeString(typed->shape) +
               ", argument '" + argument.text + "' wants " +
               shapeString(argument.array.shape));
  argument.array = std::move(*typed);
  return Error::success();
}

/// TYPE=VALUE, TYPE[SHAPE]=CONTENTS or ptr=null.
Expected<ObjectArgument> parseArgument(StringRef text, int64_t period,
                                       bool fills, uint64_t &memory) {
  ObjectArgument argument;
  argument.text = text.str();
  auto [left, value] = text.split('=');
  left = left.trim();
  value = value.trim();
  if (value.empty())
    return usage("--arg wants TYPE=VALUE, not '" + text + "'");
  if (left == "ptr") {
    if (value != "null")
      return usage("a pointer can only be null: '" + text +
                   "' (give arrays as TYPE[SHAPE]=CONTENTS)");
    argument.isNull = true;
    return argument;
  }
  StringRef name = left, shape;
  if (size_t at = left.find('['); at != left.npos) {
    argument.isArray = true;
    name = left.take_front(at);
    shape = left.drop_front(at + 1);
    if (!shape.consume_back("]"))
      return usage("no ']' in '" + text + "'");
  }
  std::optional<DType> type = parseDType(name);
  if (!type)
    return usage("unknown type '" + name + "' in '" + text + "'");
  argument.type = *type;
  if (!argument.isArray) {
    if (Error error = scalarValue(value, argument))
      return std::move(error);
    return argument;
  }
  llvm::SmallVector<int64_t, 4> extents;
  llvm::SmallVector<StringRef, 4> parts;
  shape.split(parts, ',');
  int64_t elements = 1;
  for (StringRef part : parts) {
    int64_t extent;
    if (part.trim().getAsInteger(0, extent) || extent < 0)
      return usage("'" + part + "' is no extent in '" + text + "'");
    // Divided, since the product may overflow.
    if (extent && elements > maxElements / extent)
      return bad("argument '" + text + "' is too large");
    elements *= extent;
    extents.push_back(extent);
  }
  // The values, the device's copy and the checkers' shadow of it.
  constexpr unsigned copies = 4;
  uint64_t bytes = uint64_t(elements) * byteSize(argument.type);
  if (bytes > memory / copies)
    return objectError(DiagID::MemoryLimit,
                       "argument '" + text + "' needs about " +
                           sizeString(double(bytes) * copies) + " of memory, " +
                           sizeString(double(memory)) +
                           " are left (--memory-limit)");
  memory -= bytes * copies;
  if (fills)
    argument.array = Array(argument.type, extents);
  if (Error error = arrayValue(value, argument, period, fills))
    return std::move(error);
  return argument;
}

/// Options that have a value.
constexpr StringRef withValue[] = {"--kernel", "--grid",    "--block",
                                   "--lds",    "--threads", "--seed",
                                   "--limit",  "--arg",     "--args-file",
                                   "--out",    "--device",  "--memory-limit"};

/// One pass over the words. --out names arguments by number, which may come
/// later: they are collected in `saves`.
class Parser {
public:
  Parser(llvm::ArrayRef<StringRef> words, int64_t period, bool fills)
      : words(words), period(period), fills(fills) {}
  Expected<RunObjectOptions> run();

private:
  Error option(StringRef name, StringRef value);
  Error argumentsFile(StringRef path);
  Error addArgument(StringRef text);
  Error finish();

  llvm::ArrayRef<StringRef> words;
  int64_t period;
  bool fills; ///< arrays, or only looks at what was said
  uint64_t memory = availableMemory(); ///< left for arrays
  RunObjectOptions options;
  std::vector<std::pair<unsigned, std::string>> saves;
};

Error Parser::addArgument(StringRef text) {
  Expected<ObjectArgument> argument =
      parseArgument(text, period, fills, memory);
  if (!argument)
    return argument.takeError();
  options.arguments.push_back(std::move(*argument));
  return Error::success();
}

/// One argument a line; '#' begins a comment. For kernels with more arguments
/// than a command line should have.
Error Parser::argumentsFile(StringRef path) {
  std::string unreadable;
  auto file = readFile(path, unreadable);
  if (!file)
    return objectError(DiagID::CannotRead, unreadable);
  StringRef rest = file->getBuffer();
  unsigned line = 0;
  while (!rest.empty()) {
    StringRef text;
    std::tie(text, rest) = rest.split('\n');
    ++line;
    text = text.split('#').first.trim();
    if (text.empty())
      continue;
    if (Error error = addArgument(text))
      return llvm::handleErrors(
          std::move(error), [&](const ObjectError &each) -> Error {
            // The form of a file is no matter of usage.
            return objectError(
                each.id == DiagID::Usage ? DiagID::BadRunArgument : each.id,
                path + ":" + llvm::Twine(line) + ": " + each.text);
          });
  }
  return Error::success();
}

/// One option with its value.
Error Parser::option(StringRef name, StringRef value) {
  if (name == "--kernel") {
    options.kernel = value.str();
    return Error::success();
  }
  if (name == "--grid")
    return extent(name, value, options.grid);
  if (name == "--block")
    return extent(name, value, options.block);
  if (name == "--lds")
    return number(name, value, options.ldsBytes);
  if (name == "--threads")
    return number(name, value, options.threads);
  if (name == "--seed")
    return number(name, value, options.seed);
  if (name == "--limit")
    return number(name, value, options.limit);
  // Read before the others (run).
  if (name == "--memory-limit")
    return Error::success();
  if (name == "--arg")
    return addArgument(value);
  if (name == "--args-file")
    return argumentsFile(value);
  if (name == "--out") {
    auto [index, path] = value.split('=');
    unsigned at;
    if (path.empty() || index.getAsInteger(10, at))
      return usage("--out wants INDEX=FILE.npy, not '" + value + "'");
    saves.push_back({at, path.str()});
    return Error::success();
  }
  if (name == "--device") {
    if (value == "auto")
      options.device = hip::DeviceChoice::Auto;
    else if (value == "sim")
      options.device = hip::DeviceChoice::Simulator;
    else if (value == "hip")
      options.device = hip::DeviceChoice::Hip;
    else
      return usage("--device is auto, sim or hip");
    return Error::success();
  }
  llvm_unreachable("withValue lists the options");
}

/// What only makes sense when all words are known.
Error Parser::finish() {
  if (options.object.empty())
    return usage("no code object given");
  if (options.grid[0] == 0 || options.block[0] == 0)
    return usage("a code object needs --grid X,Y,Z and --block X,Y,Z");
  if (options.strict && !options.check.value_or(true))
    return usage("--strict judges what the checkers find: leave "
                 "--no-checkers out");
  if (options.strict)
    options.check = true;
  options.saves = !saves.empty();
  for (auto &[index, path] : saves) {
    if (index >= options.arguments.size() || !options.arguments[index].isArray)
      return usage("--out " + llvm::Twine(index) + ": argument " +
                   llvm::Twine(index) + " is no array");
    std::string error;
    if (!canWriteFile(path, error))
      return objectError(DiagID::CannotWrite, error);
    if (isSameFile(path, options.object))
      return usage("--out " + llvm::Twine(index) + "=" + path +
                   " is the object itself");
    options.arguments[index].savePath = path;
  }
  return Error::success();
}

/// Words are options, options with a value, and one object.
Expected<RunObjectOptions> Parser::run() {
  for (size_t i = 0; i < words.size(); ++i) {
    StringRef word = words[i];
    if (!word.consume_front("--memory-limit"))
      continue;
    if (!word.consume_front("=") && i + 1 < words.size())
      word = words[i + 1];
    auto size = parseSize(word);
    if (!size)
      return usage("--memory-limit takes a size such as 8G, not '" + word +
                   "'");
    memory = *size;
  }
  for (size_t i = 0; i < words.size(); ++i) {
    StringRef word = words[i];
    if (!word.starts_with("-")) {
      if (!options.object.empty())
        return usage("more than one object: '" + word + "'");
      options.object = word.str();
      continue;
    }
    if (word == "--stats" || word == "--strict") {
      options.statistics |= word == "--stats";
      options.strict |= word == "--strict";
      continue;
    }
    // The later one counts, as for a kernel file.
    if (word == "--check" || word == "--checkers" || word == "--no-checkers") {
      options.check = word != "--no-checkers";
      continue;
    }
    StringRef name = word.split('=').first, value;
    if (!llvm::is_contained(withValue, name))
      return usage("unknown option '" + word + "'");
    // "--arg i32=5" and "--arg=i32=5" are the same. The first `=` ends the
    // name: values have more of them.
    if (size_t at = word.find('='); at != word.npos) {
      value = word.drop_front(at + 1);
    } else if (++i < words.size()) {
      value = words[i];
    } else {
      return usage(word + " wants a value");
    }
    if (Error error = option(name, value))
      return std::move(error);
  }
  if (Error error = finish())
    return std::move(error);
  return std::move(options);
}

} // namespace

Expected<RunObjectOptions>
tlc::parseRunObject(llvm::ArrayRef<StringRef> arguments, int64_t period,
                    bool fills) {
  return Parser(arguments, period, fills).run();
}
