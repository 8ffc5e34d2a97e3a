//===- MissingNames.cpp - Names that need a -D ----------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program lacks values where nobody gave a parameter, a T.const name, or a
// name of the module that only host code would set. The first that fails brings
// all of them into one error:
//
//   WIDTH, SCALE = read_config()
//   @tilelang.jit
//   def f(M, N=64):             error: no value for M, WIDTH, SCALE
//     ... N * WIDTH * SCALE ...   help: give -D M=... -D WIDTH=... -D SCALE=...
//
// Parameters and T.const names stand in the text. Names of the module are
// looked for in the text of the kernel and of the functions it names, and
// evaluated: one that a branch not taken reads may be listed too.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "tlc/Frontend/Lexer.h"

using namespace tlc;
using namespace tlc::frontend;
using llvm::SmallVector;

/// The names of a `T.const("M, N")` call; nothing for any other expression.
static void constCalls(const Expr *e,
                       llvm::function_ref<void(StringRef, SourceRange)> fn) {
  auto *call = llvm::dyn_cast_or_null<CallExpr>(e);
  if (!call || call->args.empty())
    return;
  auto *attr = llvm::dyn_cast<AttributeExpr>(call->callee);
  auto *text = llvm::dyn_cast<ConstantExpr>(call->args[0]);
  if (!attr || attr->attr != "const" || !text ||
      text->type != ConstantExpr::Str)
    return;
  SmallVector<StringRef> names;
  llvm::SplitString(text->text, names, ", \t");
  for (StringRef name : names)
    fn(name, call->range);
}

/// T.const in assignments at the top level of a body, also several in a tuple.
///   M, N = T.const("M, N")              M, N
///   M, N = T.const("M"), T.const("N")   M, N
static void constNamesIn(StmtList body,
                         llvm::function_ref<void(StringRef, SourceRange)> fn) {
  for (const Stmt *s : body) {
    if (auto *a = llvm::dyn_cast<AssignStmt>(s)) {
      constCalls(a->value, fn);
      if (auto *tuple = llvm::dyn_cast<TupleExpr>(a->value))
        for (const Expr *e : tuple->elements)
          constCalls(e, fn);
    }
  }
}

/// Parameters of a kernel that take compile-time values: not those that the
/// body or their own annotation makes run-time arguments, which is decided by
/// the annotation's name alone.
static void compileTimeParams(const FunctionDefStmt *def, bool eager,
                              llvm::function_ref<void(const Param &)> fn) {
  llvm::StringSet<> typed;
  for (const Stmt *s : def->body)
    if (auto *a = llvm::dyn_cast<AnnAssignStmt>(s); a && !a->value)
      if (auto *n = llvm::dyn_cast<NameExpr>(a->target))
        typed.insert(n->id);
  for (const Param &p : def->params) {
    if (p.kind == Param::VarArgs || p.kind == Param::KwArgs ||
        (eager && typed.count(p.name)))
      continue;
    // Tensors and T.int32 scalars are run-time arguments of an eager function.
    const Expr *type = p.annotation;
    if (auto *call = llvm::dyn_cast_or_null<CallExpr>(type))
      type = call->callee;
    if (auto *sub = llvm::dyn_cast_or_null<SubscriptExpr>(type))
      type = sub->object;
    auto *attr = llvm::dyn_cast_or_null<AttributeExpr>(type);
    if (eager && attr &&
        (attr->attr == "Tensor" || attr->attr == "StridedTensor" ||
         attr->attr == "Buffer" || attr->attr == "ptr" ||
         findDType(attr->attr)))
      continue;
    fn(p);
  }
}

/// Names that statements bind: by assignment, loops, `with`, or as parameters.
static void boundNames(StmtList body, llvm::StringSet<> &names) {
  auto target = [&](const Expr *e, auto &self) -> void {
    if (auto *name = llvm::dyn_cast_or_null<NameExpr>(e))
      names.insert(name->id);
    else if (auto *tuple = llvm::dyn_cast_or_null<TupleExpr>(e))
      for (const Expr *element : tuple->elements)
        self(element, self);
  };
  for (const Stmt *s : body) {
    if (auto *assign = llvm::dyn_cast<AssignStmt>(s)) {
      for (const Expr *e : assign->targets)
        target(e, target);
    } else if (auto *annotated = llvm::dyn_cast<AnnAssignStmt>(s)) {
      target(annotated->target, target);
    } else if (auto *loop = llvm::dyn_cast<ForStmt>(s)) {
      target(loop->target, target);
      boundNames(loop->body, names);
    } else if (auto *branch = llvm::dyn_cast<IfStmt>(s)) {
      boundNames(branch->body, names);
      boundNames(branch->orelse, names);
    } else if (auto *with = llvm::dyn_cast<WithStmt>(s)) {
      for (auto &item : with->items)
        target(item.target, target);
      boundNames(with->body, names);
    } else if (auto *def = llvm::dyn_cast<FunctionDefStmt>(s)) {
      for (const Param &p : def->params)
        names.insert(p.name);
      boundNames(def->body, names);
    }
  }
}

/// Evaluates the module-level names in the text of a function of the kernel's
/// file, and of the functions that it names, so that those that only host code
/// sets are known.
void Interpreter::evaluateNamesRead(
    const FunctionDefStmt *def,
    llvm::SmallPtrSetImpl<const FunctionDefStmt *> &seen) {
  const auto *buffer = sources.bufferOf(def->range.begin);
  std::vector<Token> tokens;
  DiagnosticEngine::Capture quiet(diags);
  if (!seen.insert(def).second || !buffer || !tokenize(*buffer, diags, tokens))
    return;
  // To the next statement of the file.
  uint32_t begin = def->nameRange.begin.raw, end = ~0u;
  for (const Stmt *s : moduleScope->module)
    if (s->range.begin.raw > begin)
      end = std::min(end, s->range.begin.raw);
  llvm::StringSet<> bound;
  for (const Param &p : def->params)
    bound.insert(p.name);
  boundNames(def->body, bound);
  for (size_t i = 1; i + 1 < tokens.size(); ++i) {
    const Token &token = tokens[i];
    // Neither attributes nor names of arguments.
    if (token.kind != Tok::Name || token.loc.raw <= begin ||
        token.loc.raw >= end || tokens[i - 1].text == "." ||
        tokens[i + 1].text == "=" || bound.contains(token.text))
      continue;
    auto it = moduleScope->definitions.find(token.text);
    bool found = false;
    if (it == moduleScope->definitions.end())
      continue;
    if (auto *callee = llvm::dyn_cast_or_null<FunctionDefStmt>(it->second))
      evaluateNamesRead(callee, seen);
    else
      moduleName(moduleScope, token.text, {token.loc, token.loc}, found);
  }
}

/// Fills `missing` with the names that need a -D: parameters without a default,
/// T.const names, and module-level names that are host code's: those found so
/// far, and if `reading` all that the text reads.
void Interpreter::collectMissing(const FunctionDefStmt *def, bool reading) {
  missing.clear();
  compileTimeParams(def, isEager(def), [&](const Param &p) {
    if (!p.defaultValue && !defined.count(p.name))
      missing.push_back({p.name, p.range});
  });
  constNamesIn(def->body, [&](StringRef name, SourceRange range) {
    if (!defined.count(name))
      missing.push_back({name, range});
  });
  // Module-level names that only host code sets.
  collectingMissing = true;
  llvm::SmallPtrSet<const FunctionDefStmt *, 8> seen;
  if (reading)
    evaluateNamesRead(def, seen);
  for (auto &[name, stmt] : moduleScope->definitions) {
    if (defined.count(name) ||
        llvm::isa_and_nonnull<FunctionDefStmt, ClassDefStmt, ImportStmt,
                              ImportFromStmt>(stmt))
      continue;
    auto it = moduleScope->names.find(name);
    if (it != moduleScope->names.end() && it->second.value.is(VK::Poison) &&
        it->second.value.as<PoisonObject>()->missing)
      missing.push_back({name, it->second.where});
  }
  collectingMissing = false;
  llvm::stable_sort(missing, [](auto &a, auto &b) {
    return a.second.begin.raw < b.second.begin.raw;
  });
}

/// One error for all, at the first of them, with the options to give.
void Interpreter::reportMissing(
    ArrayRef<std::pair<StringRef, SourceRange>> names) {
  std::string list, options;
  for (auto [i, m] : llvm::enumerate(names)) {
    list += (i ? ", " : "") + m.first.str();
    options += (i ? " -D " : "-D ") + m.first.str() + "=...";
  }
  auto diag =
      error(DiagID::MissingParameters, names[0].second, "no value for " + list);
  for (auto &m : names.drop_front())
    diag.note(m.second, "'" + m.first + "' is needed here");
  diag.help("give " + options);
}
