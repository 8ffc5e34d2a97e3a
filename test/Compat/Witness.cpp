//===- Witness.cpp - TileLang's kernels on data of other hardware ---------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   tlc-witness TLC TILELANG_CHECKOUT CASE_FOLDER [WORK_FOLDER]
//
// Reads a case's meta.json and runs `tlc check --device sim` with the case's
// kernel, parameters, inputs and expected outputs; once for each tolerance that
// its outputs have. An output that holds only `after` a second kernel is saved,
// given to that kernel (its parameters are another case's of the same file) and
// compared then.
//
//===----------------------------------------------------------------------===//

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using llvm::StringRef;
using llvm::json::Object;
using llvm::json::Value;

namespace {

/// A literal of the kernel language.
std::string literal(const Value &value) {
  if (value.kind() == Value::Null)
    return "None";
  if (auto flag = value.getAsBoolean())
    return *flag ? "True" : "False";
  if (auto text = value.getAsString())
    return text->str();
  if (auto *list = value.getAsArray()) {
    std::string tuple = "(";
    for (const Value &item : *list)
      tuple += literal(item) + ", ";
    return tuple + ")";
  }
  std::string number;
  llvm::raw_string_ostream(number) << value;
  return number;
}

std::string text(const Object &object, StringRef key) {
  return object.getString(key).value_or("").str();
}

int fail(const llvm::Twine &message) {
  llvm::errs() << "tlc-witness: " << message << '\n';
  return 2;
}

std::optional<Value> readMeta(const std::string &folder) {
  auto buffer = llvm::MemoryBuffer::getFile(folder + "/meta.json");
  if (!buffer)
    return std::nullopt;
  auto meta = llvm::json::parse((*buffer)->getBuffer());
  if (!meta || !meta->getAsObject()) {
    llvm::consumeError(meta.takeError());
    return std::nullopt;
  }
  return std::move(*meta);
}

using Words = std::vector<std::string>;

struct Tool {
  std::string tlc, checkout, folder;

  int run(const Words &command) const {
    llvm::SmallVector<StringRef> arguments(command.begin(), command.end());
    return llvm::sys::ExecuteAndWait(tlc, arguments);
  }

  /// `tlc check` of a case's kernel with its parameters.
  Words start(const Object &root) const {
    Words command = {tlc,
                     "check",
                     checkout + "/" + text(root, "file"),
                     "--kernel",
                     text(root, "function"),
                     "--device",
                     "sim"};
    for (auto &[name, value] : *root.getObject("defines")) {
      command.push_back("-D");
      command.push_back(StringRef(name).str() + "=" + literal(value));
    }
    return command;
  }

  void addInputs(const Object &root, Words &command) const {
    for (const Value &item : *root.getArray("args")) {
      const Object &arg = *item.getAsObject();
      std::string contents;
      if (arg.get("file"))
        contents = folder + "/" + text(arg, "file");
      else if (auto *value = arg.get("value"))
        contents = literal(*value);
      else if (arg.getInteger("init") == 0)
        contents = "zeros";
      else
        continue;
      command.push_back("--arg");
      command.push_back(text(arg, "name") + "=" + contents);
    }
  }

  /// The case beside this one that runs `function` of the same file at the
  /// same values of the parameters that both have.
  std::optional<Value> findSecond(const Object &root,
                                  const std::string &function) const {
    std::error_code error;
    StringRef all = llvm::sys::path::parent_path(folder);
    for (llvm::sys::fs::directory_iterator it(all, error), end;
         !error && it != end; it.increment(error)) {
      std::optional<Value> meta = readMeta(it->path());
      if (!meta)
        continue;
      const Object &other = *meta->getAsObject();
      bool same = text(other, "file") == text(root, "file") &&
                  text(other, "function") == function;
      for (auto &[name, value] : *other.getObject("defines"))
        if (const Value *ours = root.getObject("defines")->get(name))
          same &= *ours == value;
      if (same)
        return meta;
    }
    return std::nullopt;
  }
};

} // namespace

int main(int argc, char **argv) {
  if (argc != 4 && argc != 5)
    return fail("usage: TLC CHECKOUT CASE [WORK_FOLDER]");
  Tool tool{argv[1], argv[2], StringRef(argv[3]).rtrim('/').str()};
  std::string work = argc == 5 ? argv[4] : ".";
  std::optional<Value> meta = readMeta(tool.folder);
  if (!meta)
    return fail("cannot read " + tool.folder + "/meta.json");
  if (std::error_code error = llvm::sys::fs::create_directories(work))
    return fail("cannot make " + work + ": " + error.message());
  const Object &root = *meta->getAsObject();

  std::map<double, Words> expected;
  Words command = tool.start(root);
  tool.addInputs(root, command);
  int code = 0;
  for (const Value &item : *root.getArray("outputs")) {
    const Object &output = *item.getAsObject();
    double tolerance = output.getNumber("rel_tol").value_or(
        root.getNumber("rel_tol").value_or(0));
    std::string name = text(output, "name");
    if (name.empty())
      name = std::to_string(output.getInteger("position").value_or(0));
    std::string file = tool.folder + "/" +
                       text(output, output.get("file_hi") ? "file_hi" : "file");
    std::string after = text(output, "after");
    if (after.empty()) {
      expected[tolerance].insert(expected[tolerance].end(),
                                 {"--expect", name + "=" + file});
      continue;
    }
    std::optional<Value> second = tool.findSecond(root, after);
    if (!second)
      return fail("no case says how to run '" + after + "'");
    std::string saved = work + "/" + name + ".npy";
    Words first(command);
    first.insert(first.end(), {"--out", name + "=" + saved});
    code = std::max(code, tool.run(first));
    const Object &next = *second->getAsObject();
    Words last = tool.start(next);
    const Object &result = *(*next.getArray("outputs"))[0].getAsObject();
    last.insert(last.end(), {"--arg", name + "=" + saved, "--expect",
                             text(result, "name") + "=" + file, "--rtol",
                             literal(Value(tolerance))});
    code = std::max(code, tool.run(last));
  }
  for (auto &[tolerance, words] : expected) {
    Words check(command);
    check.insert(check.end(), words.begin(), words.end());
    check.insert(check.end(), {"--rtol", literal(Value(tolerance))});
    code = std::max(code, tool.run(check));
  }
  return code;
}
