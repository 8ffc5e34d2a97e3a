//===- Modules.cpp - Imports and the attributes of modules ----------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The modules that are part of the language are tables of builtins; a file
// beside the source is a module of its own; any other module is poison.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace tlc;
using namespace tlc::frontend;

/// The prefix that a module's names have in the table of builtins; empty for a
/// module that is not part of the language.
static StringRef tablePrefix(StringRef module) {
  return llvm::StringSwitch<StringRef>(module)
      .Cases({"tilelang.language", "tvm.script.tir", "tilelang.language.eager"},
             "T")
      .Cases({"tvm.tir", "tvm.tirx", "tvm.te", "tilelang.tvm.tir",
              "tilelang.tvm.tirx"},
             "T")
      .Cases({"tilelang", "tilelang.jit", "tilelang.autotuner"}, "tilelang")
      .Cases({"tilelang.layout", "tilelang.intrinsics", "tilelang.cuda.layout"},
             "layout")
      .Cases({"tilelang.utils", "tilelang.carver", "tilelang.carver.arch",
              "tilelang.carver.arch.driver", "tilelang.utils.target"},
             "tilelang")
      .Case("tilelang.math", "tilelang")
      .Cases({"tvm", "tilelang.tvm"}, "tvm")
      .Case("math", "math")
      .Case("torch", "torch")
      .Case("torch.cuda", "torch.cuda")
      .Case("functools", "functools")
      .Case("itertools", "itertools")
      .Cases({"typing", "collections.abc", "__future__"}, "typing")
      .Cases({"numpy", "ml_dtypes"}, "torch")
      .Default("");
}

/// NVIDIA's own operations; a trailing '*' stands for any rest.
static constexpr StringRef nvidiaNames[] = {"tma_*",
                                            "wgmma_*",
                                            "tcgen05_*",
                                            "mbarrier_*",
                                            "alloc_barrier",
                                            "alloc_cluster_barrier",
                                            "alloc_tmem",
                                            "alloc_descriptor",
                                            "alloc_wgmma_desc",
                                            "alloc_tcgen05_*",
                                            "create_tma_descriptor",
                                            "create_list_of_mbarrier",
                                            "fence_proxy_async",
                                            "copy_cluster",
                                            "cluster_*",
                                            "ClusterKernel",
                                            "get_cluster_*",
                                            "ws",
                                            "ws_op",
                                            "ptx_*",
                                            "wait_wgmma",
                                            "warpgroup_*",
                                            "mma_gemm_blockscaled",
                                            "make_blockscaled_gemm_layout",
                                            "barrier_*",
                                            "named_barrier_*",
                                            "pdl_*",
                                            "clc_*",
                                            "cp_async_*",
                                            "__ldg",
                                            "ldg*",
                                            "stg*",
                                            "annotate_ws_schedule",
                                            "WS*",
                                            "match_any_sync",
                                            "match_all_sync",
                                            "elect_one*",
                                            "shuffle_elect",
                                            "initialize_wgmma_descriptor",
                                            "initialize_tcgen05_descriptor"};

static bool isNvidia(StringRef name) {
  for (StringRef pattern : nvidiaNames) {
    StringRef stem = pattern;
    if (stem.consume_back("*") ? name.starts_with(stem) : name == pattern)
      return true;
  }
  return false;
}

static StringRef resolveAlias(StringRef dotted) {
  return llvm::StringSwitch<StringRef>(dotted)
      .Case("tilelang.language.tir", "tvm.tir")
      .Case("tvm.tirx", "tvm.tirx")
      .Default(dotted);
}

Value Interpreter::importModule(StringRef dotted, SourceRange range) {
  dotted = resolveAlias(dotted);
  if (!tablePrefix(dotted).empty() || dotted == "tilelang.profiler" ||
      dotted == "T.GemmWarpPolicy") {
    auto *object = make<ModuleObject>();
    object->name = ast.save(dotted);
    return Value::object(object);
  }
  if (Value sibling = loadSibling(dotted, range))
    return sibling;
  return makePoison("the module '" + dotted + "'", range);
}

Value Interpreter::importMember(StringRef module, StringRef name,
                                SourceRange range, unsigned level) {
  // from . import name
  if (module.empty() && level)
    if (Value sibling = loadSibling(name, range, level))
      return sibling;
  bool isOwn = level && loadSibling(module, range, level);
  if (!isOwn && !tablePrefix((module + "." + name).str()).empty())
    return importModule(ast.save((module + "." + name).str()), range);
  if (!isOwn && !tablePrefix(module).empty()) {
    ModuleObject object;
    object.name = module;
    return moduleAttribute(&object, name, range, /*quiet=*/true);
  }
  // A name of the language under the path of the file that defines it.
  if (!isOwn && module.starts_with("tilelang."))
    for (StringRef prefix : {"T.", "tilelang.", "layout."})
      if (const BuiltinInfo *builtin = findBuiltin((prefix + name).str()))
        return Value::builtin(builtin);
  if (Value sibling = loadSibling(module, range, level)) {
    Scope *top = sibling.as<ModuleObject>()->scope;
    bool found = false;
    Value v = moduleName(top, name, range, found);
    if (found)
      return v;
    return fail(DiagID::UndefinedName, range,
                "the file '" + top->path + "' does not define '" + name + "'");
  }
  return makePoison(
      "'" + (module.empty() ? name.str() : (module + "." + name).str()) + "'",
      range);
}

/// A module in a file beside the source: `from helpers import f`.
Value Interpreter::loadSibling(StringRef dotted, SourceRange range,
                               unsigned level) {
  if (dotted.empty())
    return {};
  // Beside the file that imports (`level` - 1 folders further up), then beside
  // the kernel's file. A folder is a package if it has an __init__.py.
  llvm::SmallVector<StringRef> bases;
  for (Scope *s = scope; s; s = s->parent)
    if (!s->path.empty()) {
      bases.push_back(s->path);
      break;
    }
  bases.push_back(moduleScope->path);
  llvm::SmallString<256> file;
  for (StringRef base : bases) {
    llvm::SmallString<256> path(llvm::sys::path::parent_path(base));
    for (unsigned up = 1; up < level; ++up)
      llvm::sys::path::append(path, "..");
    for (StringRef rest = dotted; !rest.empty();) {
      auto [head, tail] = rest.split('.');
      llvm::sys::path::append(path, head);
      rest = tail;
    }
    for (StringRef suffix : {".py", ".tile", "/__init__.py"}) {
      file = path;
      file += suffix;
      if (llvm::sys::fs::is_regular_file(file))
        break;
      file.clear();
    }
    if (!file.empty())
      break;
  }
  if (file.empty())
    return {};
  Value &known = siblings[file];
  if (known)
    return known;
  std::string reason;
  const SourceManager::Buffer *buffer = sources.openFile(file, reason);
  if (!buffer)
    return {};
  auto parsed = parseFile(*buffer, ast, diags);
  if (!parsed)
    return {};
  Scope *top = newScope(nullptr);
  top->module = *parsed;
  top->path = buffer->name;
  collectDefinitions(top, *parsed);
  auto *object = make<ModuleObject>();
  object->name = ast.save(dotted);
  object->scope = top;
  return known = Value::object(object);
}

Value Interpreter::moduleAttribute(ModuleObject *object, StringRef attr,
                                   SourceRange range, bool quiet) {
  if (object->scope) {
    bool found = false;
    Value v = moduleName(object->scope, attr, range, found);
    if (found)
      return v;
    return fail(DiagID::NoAttribute, range,
                object->name + " does not define '" + attr + "'");
  }
  StringRef module = object->name;
  if (module == "T.GemmWarpPolicy") {
    int policy = llvm::StringSwitch<int>(attr)
                     .Case("Square", 0)
                     .Case("FullRow", 1)
                     .Case("FullCol", 2)
                     .Default(-1);
    if (policy >= 0)
      return Value::integral(policy);
  }
  std::string dotted = (module + "." + attr).str();
  if (!tablePrefix(dotted).empty() && attr != "jit")
    return importModule(dotted, range);
  StringRef prefix = tablePrefix(module);
  if (attr == "GemmWarpPolicy")
    return importModule("T.GemmWarpPolicy", range);
  if (const BuiltinInfo *builtin = findBuiltin((prefix + "." + attr).str()))
    return builtin->fn == &Interpreter::mathConstant
               ? mathConstantValue(builtin)
               : Value::builtin(builtin);
  if (prefix == "T" || prefix == "torch")
    if (DType type = findDType(attr))
      return Value::dtype(type);
  if (prefix == "tilelang" || prefix == "layout") // tilelang.cdiv and such
    if (const BuiltinInfo *builtin = findBuiltin(("T." + attr).str()))
      return Value::builtin(builtin);
  if (prefix == "T")
    if (Value v = preludeName(attr, range))
      return v;
  if (prefix == "T" && isNvidia(attr)) {
    static const BuiltinInfo nvidia = {"T", &Interpreter::nvidiaOnly, "*,**"};
    auto *method = make<MethodObject>();
    method->builtin = &nvidia;
    method->self = makeString("T." + attr);
    return Value::object(method);
  }
  if (prefix == "typing")
    return makePoison("'" + dotted + "'", range);
  if (prefix == "T" && !quiet)
    return fail(DiagID::UnknownName, range,
                "the language has no 'T." + attr + "'");
  return makePoison("'" + dotted + "'", range);
}

//===----------------------------------------------------------------------===//
// -D values and missing names
//===----------------------------------------------------------------------===//

Value Interpreter::defineValue(StringRef name, bool &found) {
  auto it = defined.find(name);
  if (it == defined.end())
    return {};
  found = true;
  usedDefines.insert(name);
  return it->second;
}

static bool isLiteral(Value v) {
  if (v.isSequence())
    return llvm::all_of(v.as<SequenceObject>()->elements, isLiteral);
  return v.isNumber() || v.is(VK::Str) || v.is(VK::None) || v.is(VK::DType) ||
         v.is(VK::Dict);
}

/// `relu` for "relu", but not `true` for True.
static bool isWord(StringRef text) {
  for (StringRef constant : {"true", "false", "none", "null", "nan", "inf"})
    if (text.equals_insensitive(constant))
      return false;
  if (text.empty() || llvm::isDigit(text[0]))
    return false;
  return llvm::all_of(text,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

bool Interpreter::parseDefines() {
  bool ok = true;
  // Sorted, so that messages come in a fixed order.
  llvm::SmallVector<StringRef> names;
  for (auto &entry : options.defines)
    names.push_back(entry.getKey());
  llvm::sort(names);
  for (StringRef name : names) {
    const std::string &value = options.defines.find(name)->second;
    const SourceManager::Buffer &text =
        sources.addBuffer(("<-D " + name + ">").str(), value);
    Value v;
    if (DType type = findDType(value)) {
      v = Value::dtype(type);
    } else if (!value.empty()) {
      DiagnosticEngine::Capture quiet(diags);
      if (Expr *e = parseExpressionText(text, ast, diags)) {
        // T and torch name element types; nothing else is visible.
        Scope literal;
        for (auto [alias, module] : {std::pair("T", "tilelang.language"),
                                     std::pair("torch", "torch")}) {
          auto *object = make<ModuleObject>();
          object->name = module;
          literal.names[alias] = {Binding::Live, Value::object(object)};
        }
        scope = &literal;
        v = eval(e);
        scope = moduleScope;
      }
    }
    // A word is a string, unless it looks like a constant of another language.
    if ((!v || !isLiteral(v)) && isWord(value))
      v = Value::string(text.text);
    if (!v || !isLiteral(v)) {
      error(DiagID::BadDefine, {text.loc(0), text.loc(value.size())},
            "the value of -D " + name + " is not a literal")
          .help("give a number, a string, True, False, None, a tuple or list "
                "of these, or an "
                "element type such as float16");
      ok = false;
    }
    defined[name] = v;
  }
  return ok;
}

/// Reports every name that needs a -D at once: the one just used, and what else
/// the kernel reads that would fail in the same way.
Value Interpreter::missingName(StringRef name, SourceRange use, Value) {
  llvm::SmallVector<std::pair<StringRef, SourceRange>> all{{name, use}};
  if (kernelDef && !collectingMissing)
    collectMissing(kernelDef);
  for (auto &m : missing)
    if (llvm::none_of(all, [&](auto &a) { return a.first == m.first; }))
      all.push_back(m);
  missing.clear();
  reportMissing(all);
  return {};
}
