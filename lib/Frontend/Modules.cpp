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
//   import tilelang.language as T   T.copy        ->  row "T.copy"
//   import torch                    torch.float16 ->  the dtype; others: poison
//   from helpers import f           helpers.py, .tile or /__init__.py
//
// Poison is not an error until a kernel uses it: a file may import what it
// likes for its host code.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "Suggest.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace tlc;
using namespace tlc::frontend;

/// The prefix that a module's names have in the table of builtins; empty for a
/// module that is not part of the language. Several modules of TileLang's
/// packages give the same functions; numpy and ml_dtypes only name types here.
///   tilelang.language, tvm.tir    "T"          T.copy, T.float16
///   tilelang, its utilities       "tilelang"   tilelang.cdiv
///   torch, numpy                  "torch"      names of types, device queries
///   math, itertools, operator     their own, and further ones of Python
///   typing                        "typing"     anything, as poison
static StringRef tablePrefix(StringRef module) {
  return llvm::StringSwitch<StringRef>(module)
      .Cases({"tilelang.language", "tvm.script.tir", "tilelang.language.eager"},
             "T")
      .Cases({"tilelang.language.common", "tilelang.cuda.language",
              "tilelang.rocm.language", "tvm.tl.language"},
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
      .Case("operator", "operator")
      .Case("collections", "collections")
      .Case("dataclasses", "dataclasses")
      .Case("copy", "copy")
      .Case("tilelang.contrib.nvcc", "tilelang.contrib.nvcc")
      .Case("types", "types")
      .Cases({"typing", "collections.abc", "__future__"}, "typing")
      .Cases({"numpy", "ml_dtypes"}, "torch")
      .Default("");
}

bool frontend::isLanguageModule(StringRef module) {
  return !tablePrefix(module).empty();
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
                                            "clc_*",
                                            "cp_async_*",
                                            "ldg*",
                                            "stg*",
                                            "annotate_ws_schedule",
                                            "WS*",
                                            "match_any_sync",
                                            "match_all_sync",
                                            "elect_one*",
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

/// Modules under another module's path.
static StringRef resolveAlias(StringRef dotted) {
  return llvm::StringSwitch<StringRef>(dotted)
      .Case("tilelang.language.tir", "tvm.tir")
      .Case("tvm.tirx", "tvm.tirx")
      .Default(dotted);
}

/// `import dotted`: a module of the language, a file beside the source, or
/// poison.
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

/// `from module import name`, with `level` dots before the module. A file
/// beside the source goes before the language's own module only where dots say
/// so.
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
    if (Value v = preludeName(name, range))
      return v;
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

/// A module in a file beside the source: `from helpers import f`. Parsed once
/// for each file; Invalid if there is none, or if it does not parse, which is
/// reported.
///   /k/gemm.tile: from lib.common import f      /k/lib/common.py or .tile,
///                                                /k/lib/common/__init__.py
///   /k/lib/a.py:  from . import b                /k/lib/b.py
///   /k/lib/a.py:  from ..util import c           /k/util.py
///   /k/lib/a.py:  from lib.b import d            /k/lib/b.py
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
  // `from pkg.a import b` in a file of pkg: beside the folder pkg, further up.
  llvm::SmallString<256> absolute(moduleScope->path);
  (void)llvm::sys::fs::make_absolute(absolute);
  StringRef package = dotted.split('.').first;
  for (StringRef up = llvm::sys::path::parent_path(absolute);
       !level && !up.empty(); up = llvm::sys::path::parent_path(up))
    if (llvm::sys::path::filename(up) == package)
      bases.push_back(up);
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

/// module.attr. `quiet` (in imports) leaves an unknown name of the language for
/// later: host code may import what the kernel never calls.
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
  // A module inside the module; `tilelang.jit` is a decorator first.
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
  if (prefix == "T" || prefix == "layout")
    if (Value v = preludeName(attr, range))
      return v;
  // A method on its own name, so that one function reports all of them.
  if (prefix == "T" && isNvidia(attr)) {
    static const BuiltinInfo nvidia = {"T", &Interpreter::nvidiaOnly, "*,**"};
    auto *method = make<MethodObject>();
    method->builtin = &nvidia;
    method->self = makeString("T." + attr);
    return Value::object(method);
  }
  if (prefix == "math" || prefix == "functools" || prefix == "itertools" ||
      prefix == "operator" || prefix == "collections" || prefix == "types" ||
      prefix == "tilelang.contrib.nvcc" || prefix == "torch.cuda")
    if (Value v = preludeName((prefix + "." + attr).str(), range))
      return v;
  if (prefix == "typing")
    return makePoison("'" + dotted + "'", range);
  if (prefix == "T" && !quiet) {
    NearestName nearest(attr);
    forEachBuiltin([&](StringRef name) {
      if (name.consume_front("T."))
        nearest.consider(name);
    });
    forEachDType([&](StringRef name) { nearest.consider(name); });
    auto diag = error(DiagID::UnknownName, range,
                      "the language has no 'T." + attr + "'");
    nearest.help(diag, "T.");
    return {};
  }
  return makePoison("'" + dotted + "'", range);
}

//===----------------------------------------------------------------------===//
// -D values and missing names
//===----------------------------------------------------------------------===//

/// The -D value of a name; reading one marks it as used. `found` tells an
/// absent one from one whose text was reported.
Value Interpreter::defineValue(StringRef name, bool &found) {
  auto it = defined.find(name);
  if (it == defined.end())
    return {};
  found = true;
  usedDefines.insert(name);
  return it->second;
}

/// What a -D may be: data, no functions or modules.
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

/// Parses all -D values into `defined`. False, with one report for each, where
/// a value is no literal.
///   -D M=64   -D scale=1e-5   -D causal=True   -D shape=(64,32)   literals
///   -D dtype=float16   -D dtype=T.float16                          a dtype
///   -D act=relu                                                    "relu"
///   -D x=true                                                      an error
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
    // Names of types without quotes; then Python literals; then bare words.
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
          .help("give a number (integers have 64 bits), a string, True, False, "
                "None, a tuple or list of these, or an element type such as "
                "float16");
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
    collectMissing(kernelDef, /*reading=*/true);
  for (auto &m : missing)
    if (llvm::none_of(all, [&](auto &a) { return a.first == m.first; }))
      all.push_back(m);
  missing.clear();
  reportMissing(all);
  return {};
}
