//===- Witness.cpp - TileLang's kernels on data of other hardware ---------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   tlc-witness TLC TILELANG_CHECKOUT CASE_FOLDER run|check
//
// Reads a case's meta.json and replaces itself by `tlc run --device ref` (front
// end and reference only) or `tlc check --device sim` with the case's kernel,
// parameters, inputs and expected outputs.
//
//===----------------------------------------------------------------------===//

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <unistd.h>

using llvm::StringRef;

/// A literal of the kernel language.
static std::string literal(const llvm::json::Value &value) {
  if (value.kind() == llvm::json::Value::Null)
    return "None";
  if (auto flag = value.getAsBoolean())
    return *flag ? "True" : "False";
  if (auto text = value.getAsString())
    return text->str();
  if (auto *list = value.getAsArray()) {
    std::string tuple = "(";
    for (const llvm::json::Value &item : *list)
      tuple += literal(item) + ", ";
    return tuple + ")";
  }
  std::string number;
  llvm::raw_string_ostream(number) << value;
  return number;
}

static int fail(const llvm::Twine &message) {
  llvm::errs() << "tlc-witness: " << message << '\n';
  return 1;
}

int main(int argc, char **argv) {
  if (argc != 5)
    return fail("usage: TLC CHECKOUT CASE run|check");
  std::string folder = std::string(argv[3]) + "/";
  auto buffer = llvm::MemoryBuffer::getFile(folder + "meta.json");
  if (!buffer)
    return fail("cannot read " + folder + "meta.json");
  auto meta = llvm::json::parse((*buffer)->getBuffer());
  if (!meta)
    return fail(llvm::toString(meta.takeError()));
  const llvm::json::Object &root = *meta->getAsObject();
  auto text = [](const llvm::json::Object &object, StringRef key) {
    return object.getString(key).value_or("").str();
  };
  bool check = StringRef(argv[4]) == "check";
  std::vector<std::string> command = {argv[1],
                                      argv[4],
                                      std::string(argv[2]) + "/" +
                                          text(root, "file"),
                                      "--kernel",
                                      text(root, "function"),
                                      "--device",
                                      check ? "sim" : "ref"};
  for (auto &[name, value] : *root.getObject("defines")) {
    command.push_back("-D");
    command.push_back(StringRef(name).str() + "=" + literal(value));
  }
  for (const llvm::json::Value &item : *root.getArray("args")) {
    const llvm::json::Object &arg = *item.getAsObject();
    std::string contents;
    if (arg.get("file"))
      contents = folder + text(arg, "file");
    else if (auto *value = arg.get("value"))
      contents = literal(*value);
    else if (arg.getInteger("init") == 0)
      contents = "zeros";
    else
      continue;
    command.push_back("--arg");
    command.push_back(text(arg, "name") + "=" + contents);
  }
  double tolerance = root.getNumber("rel_tol").value_or(0);
  for (const llvm::json::Value &item : *root.getArray("outputs")) {
    const llvm::json::Object &output = *item.getAsObject();
    tolerance = std::max(tolerance, output.getNumber("rel_tol").value_or(0));
    std::string name = text(output, "name");
    if (name.empty())
      name = std::to_string(output.getInteger("position").value_or(0));
    command.push_back("--expect");
    command.push_back(name + "=" + folder +
                      text(output, output.get("file_hi") ? "file_hi" : "file"));
  }
  command.push_back("--rtol");
  command.push_back(literal(llvm::json::Value(tolerance)));
  std::vector<char *> arguments;
  for (std::string &part : command)
    arguments.push_back(part.data());
  arguments.push_back(nullptr);
  execv(argv[1], arguments.data());
  return fail("cannot run " + command[0]);
}
