//===- RunArgs.cpp - Options and parameters of a run ----------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without --arg, an input gets seeded normal values, each parameter its own
// seed. An output and a workspace start as all-ones bits, which are NaN in
// every floating-point type, so that what a kernel forgets to write shows.
//
// Values come from three places, the first that says something wins: --arg,
// then -D (a parameter that stayed symbolic), then the shape of an array that a
// file gives:
//
//   A: T.Tensor((n, 64)), --arg A=a.npy of shape [100, 64]   ->   n = 100
//
//===----------------------------------------------------------------------===//

#include "RunArgs.h"
#include "MemoryLimit.h"
#include "tlc/Dialect/Tile/Transforms/Messages.h"
#include "tlc/Driver/Run.h"
#include "tlc/Runtime/Npy.h"
#include "tlc/Support/Files.h"
#include <cmath>

using namespace tlc;
using llvm::StringRef;

#define RUN_OPTIONS                                                            \
  "  -D NAME=VALUE     bind a parameter (repeatable)\n"                        \
  "  --kernel NAME     choose a kernel of the file\n"                          \
  "  --device NAME     auto (default), sim or hip; ref for run\n"              \
  "  --arg NAME=WHAT   randn[:SEED], zeros, const:V, arange, values:V,...,\n"  \
  "                    range:LO:HI[:SEED], FILE.npy, or a number\n"            \
  "  --out NAME=FILE   save an output as .npy\n"                               \
  "  --expect NAME=FILE, --rtol R\n"                                           \
  "                    compare an output with a given one as well\n"           \
  "  --checkers, --no-checkers\n"                                              \
  "                    the simulator's checkers (on under check)\n"            \
  "  --seed N          order of wavefronts on the simulator\n"                 \
  "  --threads N       host threads of the simulator; one a core\n"            \
  "  --limit N         instructions that a simulated launch may execute\n"     \
  "  --memory-limit N  most memory to take, such as 8G; all that is free\n"    \
  "  --remarks         say what the passes decided\n"                          \
  "  --linker=LINKER   lld (built in, the default) or comgr (ROCm's)\n"        \
  "  --disable-pass P  leave an optional pass out (repeatable)\n"

const llvm::StringLiteral tlc::runUsage =
    "tlc run KERNEL.tile|OBJECT.hsaco [options]\n\n" RUN_OPTIONS "\n"
    "An object of another compiler:\n"
    "  --grid X,Y,Z --block X,Y,Z, in workgroups and in work-items\n"
    "  --kernel NAME, --lds BYTES\n"
    "  --arg TYPE=VALUE  i32=5, f16[64,64]=randn:7, i32[17]=zeros, ptr=null;\n"
    "                    one for each argument, in order\n"
    "  --args-file FILE  the same, one a line\n"
    "  --out INDEX=FILE  save an argument, counted from 0, as .npy\n"
    "  --threads N, --seed N, --limit N\n"
    "  --check           the simulator's checkers; --strict: notes count too\n"
    "  --checkers, --no-checkers\n"
    "                    the same, or without them (the default)\n"
    "  --stats           executed instructions by name\n";
const llvm::StringLiteral tlc::checkUsage =
    "tlc check KERNEL.tile [options]\n\n" RUN_OPTIONS
    "  --unordered NAME  the elements of an output's rows may come in any "
    "order\n"
    "  --bisect          name the first pass that changes the result\n";

/// Reads the options of `run` and `check`; what is no option of theirs is left
/// to InputOptions. Contents are parsed once here, so that a mistake shows
/// before compiling.
int tlc::parseRunOptions(Arguments arguments, RunOptions &options, bool check) {
  std::string error;
  for (size_t i = 0; i < arguments.size(); ++i) {
    StringRef arg = arguments[i];
    // `--option VALUE` or `--option=VALUE`.
    auto take = [&](StringRef option, StringRef &value) {
      if (arg == option) {
        if (++i == arguments.size()) {
          error = (option + " needs a value").str();
          return true;
        }
        value = arguments[i];
        return true;
      }
      if (!arg.starts_with((option + "=").str()))
        return false;
      value = arg.drop_front(option.size() + 1);
      return true;
    };
    auto assignment =
        [&](StringRef option, StringRef value,
            std::vector<std::pair<std::string, std::string>> &to) {
          if (!error.empty())
            return;
          auto split = splitAssignment(option, value);
          if (split)
            to.push_back(*split);
          else
            error = llvm::toString(split.takeError());
        };
    StringRef value;
    if (take("--device", value)) {
      if (value == "auto")
        options.device = hip::DeviceChoice::Auto;
      else if (value == "sim")
        options.device = hip::DeviceChoice::Simulator;
      else if (value == "hip")
        options.device = hip::DeviceChoice::Hip;
      else if (value == "ref" && !check)
        options.onReference = true;
      else if (error.empty())
        error = ("--device takes auto, sim or hip, not '" + value + "'").str();
    } else if (take("--arg", value)) {
      assignment("--arg", value, options.args);
    } else if (take("--out", value)) {
      assignment("--out", value, options.outs);
    } else if (take("--expect", value)) {
      assignment("--expect", value, options.expects);
    } else if (check && take("--unordered", value)) {
      options.unordered.push_back(value.str());
    } else if (take("--memory-limit", value)) {
      auto size = parseSize(value);
      if (error.empty() && !size)
        error = ("--memory-limit takes a size such as 8G, not '" + value + "'")
                    .str();
      options.memoryLimit = size.value_or(0);
    } else if (take("--rtol", value)) {
      double r = 0;
      if (error.empty() && (value.getAsDouble(r) || !(r >= 0) || std::isinf(r)))
        error = ("--rtol takes a finite number from 0 on, not '" + value + "'")
                    .str();
      options.rtol = r;
    } else if (take("--seed", value)) {
      if (error.empty() && value.getAsInteger(10, options.seed))
        error = ("--seed takes a number, not '" + value + "'").str();
    } else if (take("--threads", value)) {
      if (error.empty() && value.getAsInteger(10, options.threads))
        error = ("--threads takes a number, not '" + value + "'").str();
    } else if (take("--limit", value)) {
      if (error.empty() &&
          (value.getAsInteger(10, options.limit) || !options.limit))
        error = ("--limit takes a number from 1 on, not '" + value + "'").str();
    } else if (arg == "--checkers" || arg == "--no-checkers") {
      options.checkers = arg == "--checkers";
    } else if (arg == "--bisect" && check) {
      options.bisect = true;
    } else if (!options.input.take(arguments, i, error)) {
      return usageError("unexpected argument '" + arg + "'");
    }
    if (!error.empty())
      return usageError(error);
  }
  options.check = check;
  if (options.input.path.empty())
    return usageError(llvm::Twine(check ? "check" : "run") +
                      " needs a kernel file");
  for (auto &[name, path] : options.outs)
    if (isSameFile(path, options.input.path))
      return usageError("--out " + name + "=" + path + " is the input itself");
  for (auto &[name, text] : options.args)
    if (auto parsed = parseContents(text); !parsed)
      return usageError("--arg " + name + ": " +
                        llvm::toString(parsed.takeError()));
  return ExitOk;
}

/// What --out, --expect and check look at.
bool tlc::isOutput(const Parameter &p) {
  return p.isTensor && (p.role == "out" || p.role == "inout");
}

std::string tlc::listNames(llvm::ArrayRef<Parameter> parameters) {
  std::string text;
  for (const Parameter &p : parameters)
    text += (text.empty() ? "" : ", ") + p.name;
  return text;
}

/// By name, or by number among the outputs: `--out 0=c.npy`. Any tensor has a
/// name, an input too.
std::optional<unsigned> tlc::findOutput(llvm::ArrayRef<Parameter> parameters,
                                        StringRef name) {
  for (auto [i, p] : llvm::enumerate(parameters))
    if (p.isTensor && name == p.name)
      return i;
  unsigned number;
  if (name.getAsInteger(10, number))
    return std::nullopt;
  for (auto [i, p] : llvm::enumerate(parameters))
    if (isOutput(p) && number-- == 0)
      return i;
  return std::nullopt;
}

/// The shape of a parameter's array: a tensor with gaps is a flat array of all
/// that it spans.
static llvm::SmallVector<int64_t, 4> flatShape(const Parameter &p) {
  int64_t dense = 1;
  for (int64_t extent : p.shape)
    dense *= extent;
  if (dense != p.elements)
    return {p.elements};
  return llvm::SmallVector<int64_t, 4>(p.shape);
}

/// Before anything is compiled or run: a misspelt name, or a file of another
/// shape, should not cost a run first. All mistakes are reported.
bool tlc::checkOutputNames(const RunOptions &options, DiagnosticEngine &diags,
                           llvm::ArrayRef<Parameter> parameters) {
  bool ok = true;
  auto check = [&](StringRef option, StringRef name) {
    if (findOutput(parameters, name))
      return true;
    diags.report(DiagID::BadRunArgument, option + " names '" + name +
                                             "', but the parameters are " +
                                             listNames(parameters));
    return ok = false;
  };
  for (auto &[name, path] : options.outs) {
    std::string error;
    if (check("--out", name) && !canWriteFile(path, error)) {
      diags.report(DiagID::CannotWrite, error);
      ok = false;
    }
  }
  for (StringRef name : options.unordered)
    check("--unordered", name);
  for (auto &[name, path] : options.expects) {
    auto i = findOutput(parameters, name);
    if (!check("--expect", name))
      continue;
    auto file = readNpy(path);
    if (!file) {
      diags.report(DiagID::CannotRead, llvm::toString(file.takeError()));
      ok = false;
    } else if (flatShape(parameters[*i]) != file->shape) {
      diags.report(DiagID::BadRunArgument,
                   "'" + path + "' has the shape " + shapeString(file->shape) +
                       ", output '" + name + "' has " +
                       shapeString(flatShape(parameters[*i])));
      ok = false;
    }
  }
  return ok;
}

//===----------------------------------------------------------------------===//
// ArgumentReader
//===----------------------------------------------------------------------===//

/// The --args by parameter; files are read whole. False after a complaint.
bool ArgumentReader::load(llvm::ArrayRef<Parameter> parameters) {
  contents.resize(parameters.size());
  files.resize(parameters.size());
  for (auto &[name, text] : options.args) {
    const auto *it = llvm::find_if(
        parameters, [&](const Parameter &p) { return p.name == name; });
    if (it == parameters.end()) {
      return wrong({}, "--arg names '" + name + "', but the parameters are " +
                           listNames(parameters));
    }
    size_t i = it - parameters.begin();
    contents[i] = llvm::cantFail(parseContents(text));
    contents[i]->period = options.period;
    if (contents[i]->kind != Contents::Kind::File)
      continue;
    auto array = readNpy(contents[i]->path);
    if (!array) {
      return wrong({}, llvm::toString(array.takeError()), DiagID::CannotRead);
    }
    files[i] = std::move(*array);
  }
  return true;
}

/// Fills in the scalars; `shapes` are the tensors' extents as written, names
/// among them. False after a complaint, which names all that are missing.
bool ArgumentReader::readScalars(
    llvm::ArrayRef<Parameter> parameters,
    llvm::ArrayRef<std::vector<std::string>> shapes, Values &values) {
  if (!load(parameters))
    return false;
  values.resize(parameters.size());
  std::string missing;
  llvm::SmallVector<unsigned> lacking;
  for (auto [i, p] : llvm::enumerate(parameters)) {
    if (p.isTensor)
      continue;
    // In this order: --arg, -D, the shape of a given array.
    std::optional<Contents> value = contents[i];
    auto defined = options.input.frontend.defines.find(p.name);
    if (!value && defined != options.input.frontend.defines.end()) {
      auto parsed = parseContents(defined->second);
      if (parsed)
        value = *parsed;
      else
        llvm::consumeError(parsed.takeError());
    }
    // A size that is an extent of an array that is given.
    for (size_t t = 0; t < files.size() && !value; ++t)
      for (size_t d = 0; files[t] && t < shapes.size() && d < shapes[t].size();
           ++d)
        if (shapes[t][d] == p.name && d < files[t]->shape.size()) {
          value.emplace();
          value->kind = Contents::Kind::Constant;
          int64_t extent = files[t]->shape[d];
          value->values.push_back({double(extent), extent});
        }
    if (!value) {
      missing += (missing.empty() ? "" : ", ") + p.name;
      lacking.push_back(unsigned(i));
      continue;
    }
    if (value->kind == Contents::Kind::File) {
      if (files[i]->elements() != 1) {
        return wrong({unsigned(i)}, "scalar '" + p.name +
                                        "' needs one element, '" + value->path +
                                        "' has the shape " +
                                        shapeString(files[i]->shape));
      }
      values[i].real = files[i]->number(0);
      values[i].integer = int64_t(values[i].real);
      continue;
    }
    // Through an array of one, so that a scalar is rounded and wrapped as
    // elements are.
    Array one(p.dtype, {1});
    fill(one, *value);
    values[i].real = one.number(0);
    values[i].integer = int64_t(one.bits(0));
    // Array::bits are unsigned; the launch wants the number.
    if (!isUnsigned(p.dtype) && !floatFormat(p.dtype)) {
      unsigned shift = 64 - 8 * byteSize(p.dtype);
      values[i].integer = int64_t(one.bits(0) << shift) >> shift;
    }
  }
  if (missing.empty())
    return true;
  return wrong(lacking,
               "scalar parameters without a value: " + missing +
                   " (give each by --arg NAME=NUMBER or -D NAME=NUMBER)");
}

/// Whether the tensors, and what is kept beside them, can be had at all. The
/// factors are of measurements: bytes of a tensor that exist at a time (the
/// values, the device's copy, the checkers' shadow) and bytes of doubles that
/// the reference keeps for each element (value, bound, their copies).
///
///   check of A: f16[2^32]   8 GiB x 3 + 2^32 x 34 bytes = 160 GiB
bool ArgumentReader::fitsMemory(llvm::ArrayRef<Parameter> parameters) {
  double copies = 4, doubles = 0;
  if (options.bisect)
    copies = 6, doubles = 48;
  else if (options.check)
    copies = 3, doubles = 34;
  else if (options.onReference)
    copies = 2, doubles = 18;
  double needed = 0;
  std::vector<std::pair<double, unsigned>> sizes;
  for (auto [i, p] : llvm::enumerate(parameters)) {
    if (!p.isTensor)
      continue;
    double bytes = double(p.elements) * byteSize(p.dtype);
    needed += bytes * copies + p.elements * doubles;
    sizes.push_back({bytes, unsigned(i)});
  }
  uint64_t limit =
      options.memoryLimit ? options.memoryLimit : availableMemory();
  if (needed <= double(limit))
    return true;
  // The largest first: they are to blame.
  constexpr size_t kMostNamed = 8;
  llvm::stable_sort(sizes, [](auto &a, auto &b) { return a.first > b.first; });
  sizes.resize(std::min(sizes.size(), kMostNamed));
  llvm::SmallVector<unsigned> at;
  std::vector<std::string> notes;
  for (auto [bytes, i] : sizes) {
    const Parameter &p = parameters[i];
    at.push_back(i);
    notes.push_back("'" + p.name + "', " + toString(p.dtype).str() + " " +
                    shapeString(p.shape) + ", has " + sizeString(bytes));
  }
  complain(
      DiagID::MemoryLimit, at,
      "this needs about " + sizeString(needed) + " of memory, " +
          sizeString(double(limit)) +
          (options.memoryLimit ? " are allowed (--memory-limit)"
                               : " are free") +
          ": take smaller sizes" +
          (options.check ? ", or 'tlc run', which keeps no reference" : ""),
      notes);
  return false;
}

/// Fills in the tensors, whose extents are numbers by now. False after a
/// complaint.
bool ArgumentReader::fillTensors(llvm::ArrayRef<Parameter> parameters,
                                 Values &values) {
  if (!fitsMemory(parameters))
    return false;
  for (auto [i, p] : llvm::enumerate(parameters)) {
    if (!p.isTensor)
      continue;
    llvm::SmallVector<int64_t, 4> shape = flatShape(p);
    Array &array = values[i].array;
    if (files[i]) {
      std::optional<Array> given = asType(*files[i], p.dtype);
      if (!given || given->shape != shape) {
        return wrong({unsigned(i)}, "'" + contents[i]->path + "' holds " +
                                        toString(files[i]->type) + " " +
                                        shapeString(files[i]->shape) +
                                        ", but parameter '" + p.name + "' is " +
                                        toString(p.dtype) + " " +
                                        shapeString(shape));
      }
      array = std::move(*given);
      continue;
    }
    array = Array(p.dtype, shape);
    if (contents[i]) {
      fill(array, *contents[i]);
    } else if (p.role == "out" || p.role == "workspace") {
      // Messages are counted from 0; everything else starts as a pattern that
      // shows.
      bool counts = p.name == tile::kMessagesName;
      std::fill(array.bytes.begin(), array.bytes.end(), counts ? 0 : 0xff);
      // 0xff is no bool.
      if (p.dtype == DType::Bool)
        std::fill(array.bytes.begin(), array.bytes.end(), 1);
    } else {
      Contents normal;
      // Inputs of unlike content, the same in each run.
      normal.seed = i + 1;
      normal.period = options.period;
      fill(array, normal);
    }
  }
  return true;
}

/// Names were checked before the run. A file is there whole or not at all.
bool tlc::writeOutputs(const RunOptions &options, DiagnosticEngine &diags,
                       llvm::ArrayRef<Parameter> parameters,
                       llvm::ArrayRef<const Array *> arrays) {
  for (auto &[name, path] : options.outs) {
    unsigned i = *findOutput(parameters, name);
    std::string error;
    if (!writeFileAtomically(path, formatNpy(*arrays[i]), error)) {
      diags.report(DiagID::CannotWrite, error);
      return false;
    }
  }
  return true;
}
