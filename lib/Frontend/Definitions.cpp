//===- Definitions.cpp - What a file's top level defines ------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Module-level names are evaluated when first read: functions, imports, plain
// assignments, with the statements that change their values afterwards. What
// only running the host code would tell becomes a poison value that asks for a
// -D when it is used.
//
//   SIZES = [16]; SIZES.append(32)   [16, 32], when a kernel reads SIZES
//   from config import *             any name of config.py
//   if cond: N = 4                   host code's: a -D gives it
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

using namespace tlc;
using namespace tlc::frontend;
using llvm::SmallVector;

/// A name at the top level of a file, evaluated now if it never was. `found`
/// becomes true if the file defines it at all, or a -D does for the kernel's
/// own file.
Value Interpreter::moduleName(Scope *top, StringRef name, SourceRange use,
                              bool &found) {
  auto it = top->definitions.find(name);
  // What a file imports is not for -D to change, `T` above all: a size may have
  // that name as well. A module that is not there has nothing to give.
  bool imported = it != top->definitions.end() &&
                  llvm::isa_and_nonnull<ImportStmt, ImportFromStmt>(it->second);
  auto given = [&](Value other) {
    bool defined = false;
    Value v = top == moduleScope && (!other || other.is(VK::Poison))
                  ? defineValue(name, defined)
                  : Value();
    return defined ? v : other;
  };
  if (!imported)
    if (Value v = given({})) {
      found = true;
      return v;
    }
  if (auto known = top->names.find(name); known != top->names.end()) {
    found = true;
    return imported ? given(known->second.value) : known->second.value;
  }
  // A later `from m import *` wins over a definition, an earlier one does not.
  for (const ImportFromStmt *star : llvm::reverse(top->stars)) {
    if (it != top->definitions.end() &&
        !(it->second && it->second->range.begin.raw < star->range.begin.raw))
      continue;
    if (Value v = starName(top, star, name, use)) {
      found = true;
      top->names[name] = {Binding::Live, v, star->range};
      return v;
    }
  }
  if (it == top->definitions.end())
    return {};
  found = true;
  // A definition that reads itself: what it would need is not known.
  if (!top->evaluating.insert(name).second)
    return makePoison(name, it->second ? it->second->range : use, true);
  Value v = evaluateDefinition(top, name, it->second, use);
  if (v)
    top->names[name] = {Binding::Live, v, it->second ? it->second->range : use};
  if (v && top->changes.count(name))
    v = changedValue(top, name, use);
  top->evaluating.erase(name);
  return imported ? given(v) : v;
}

/// The value of a module's name after the statements that change it:
///   sizes = [16]
///   sizes.append(32)        sizes is [16, 32]
/// Host code's, where one of them cannot run here.
Value Interpreter::changedValue(Scope *top, StringRef name, SourceRange use) {
  Value v = lazily(name, use, [&]() -> Value {
    Scope *outer = std::exchange(scope, top);
    bool ok = llvm::all_of(top->changes[name], [&](const Stmt *s) {
      return exec(s) == Flow::Next;
    });
    scope = outer;
    return ok ? top->names[name].value : Value();
  });
  top->names[name].value = v;
  return v;
}

/// What `from module import *` gives under `name`; Invalid, without a report,
/// if nothing.
Value Interpreter::starName(Scope *top, const ImportFromStmt *star,
                            StringRef name, SourceRange use) {
  if (name.starts_with("_"))
    return {};
  std::string key = ("*" + name).str();
  if (!top->evaluating.insert(key).second) // modules that import each other
    return {};
  Scope *outer = std::exchange(scope, top);
  DiagnosticEngine::Capture quiet(diags);
  Value v;
  bool found = false;
  if (Value sibling = loadSibling(star->module, star->range, star->level))
    v = moduleName(sibling.as<ModuleObject>()->scope, name, use, found);
  else if (v = importMember(star->module, name, star->range, star->level);
           v && v.is(VK::Poison))
    v = {};
  scope = outer;
  top->evaluating.erase(key);
  return v;
}

/// Runs a module-level expression with its messages withheld: a failure only
/// means that host code would have to run. Symbolic results (sizes made of
/// T.dynamic) are computed before the kernel, where every user sees them: a
/// name that is first read inside a loop is not evaluated there.
Value Interpreter::lazily(StringRef name, SourceRange origin,
                          llvm::function_ref<Value()> compute) {
  DiagnosticEngine::Capture quiet(diags);
  mlir::OpBuilder::InsertionGuard guard(b);
  if (kernelOp)
    b.setInsertionPoint(kernelOp);
  Value v = compute();
  return v && !v.is(VK::Poison) ? v : makePoison(name, origin, true);
}

/// Evaluates one definition in its module's scope. Null `stmt`: the name is
/// bound by control flow that only the host runs.
///   def f ...            a function     import torch as t        a module
///   block = 128          128            from m import g          what m has
///   a, b = 2, 3          a is 2         for i in ...: x = 1      host code
///   args = parse_args()  poison: a -D may give it
Value Interpreter::evaluateDefinition(Scope *top, StringRef name,
                                      const Stmt *stmt, SourceRange use) {
  if (!stmt) // bound by host control flow
    return makePoison(name, use, true);
  Scope *outer = scope;
  scope = top;
  Value result;
  switch (stmt->kind) {
  case StmtKind::FunctionDef:
    result = makeFunction(llvm::cast<FunctionDefStmt>(stmt));
    break;
  // Of several names in one import, the one that is asked for.
  case StmtKind::Import:
    for (const ImportAlias &alias : llvm::cast<ImportStmt>(stmt)->names)
      if (!alias.asName.empty() ? alias.asName == name
                                : alias.name.split('.').first == name)
        result =
            importModule(alias.asName.empty() ? name : alias.name, alias.range);
    break;
  case StmtKind::ImportFrom: {
    auto *from = llvm::cast<ImportFromStmt>(stmt);
    for (const ImportAlias &alias : from->names)
      if ((alias.asName.empty() ? alias.name : alias.asName) == name)
        result =
            importMember(from->module, alias.name, alias.range, from->level);
    break;
  }
  case StmtKind::Assign:
  case StmtKind::AnnAssign: {
    const Expr *value = stmt->kind == StmtKind::Assign
                            ? llvm::cast<AssignStmt>(stmt)->value
                            : llvm::cast<AnnAssignStmt>(stmt)->value;
    ExprList targets;
    if (auto *a = llvm::dyn_cast<AssignStmt>(stmt))
      targets = a->targets;
    else
      targets = ExprList(&llvm::cast<AnnAssignStmt>(stmt)->target, 1);
    // `a, b = f()` is evaluated for each of its names; definitions have no side
    // effects that would tell.
    result = lazily(name, stmt->range, [&]() -> Value {
      Value v = eval(value);
      for (const Expr *target : targets) {
        if (auto *n = llvm::dyn_cast<NameExpr>(target)) {
          if (n->id == name)
            return v;
          continue;
        }
        ExprList elements;
        if (auto *tuple = llvm::dyn_cast<TupleExpr>(target))
          elements = tuple->elements;
        else if (auto *list = llvm::dyn_cast<ListExpr>(target))
          elements = list->elements;
        // Patterns inside patterns are host code's; one level is taken apart.
        SmallVector<Value> values;
        if (!v || !iterate(v, value->range, values) ||
            values.size() != elements.size())
          return {};
        for (auto [e, x] : llvm::zip(elements, values))
          if (auto *n = llvm::dyn_cast<NameExpr>(e); n && n->id == name)
            return x;
      }
      return {};
    });
    break;
  }
  case StmtKind::ClassDef:
    result = makeClass(llvm::cast<ClassDefStmt>(stmt));
    break;
  default:
    result = makePoison(name, stmt->range, true);
    break;
  }
  scope = outer;
  return result;
}

/// Calls `fn` for every name that an assignment target binds.
static void targetNames(const Expr *target,
                        llvm::function_ref<void(StringRef)> fn) {
  if (auto *name = llvm::dyn_cast<NameExpr>(target))
    fn(name->id);
  else if (auto *star = llvm::dyn_cast<StarredExpr>(target))
    targetNames(star->value, fn);
  else if (auto *tuple = llvm::dyn_cast<TupleExpr>(target))
    for (const Expr *e : tuple->elements)
      targetNames(e, fn);
  else if (auto *list = llvm::dyn_cast<ListExpr>(target))
    for (const Expr *e : list->elements)
      targetNames(e, fn);
}

/// Names bound by control flow of the module: host code, except imports and
/// functions, which may stand under `try` or `if`.
///   try: import flash_attn              an import
///   except ImportError: flash_attn = None     a second binding, ignored
///   for i in range(4): total += i       i, total: host code only
static void hostNames(StmtList body,
                      llvm::DenseMap<StringRef, const Stmt *> &out) {
  // try_emplace: the first binding counts, and anything but a function or
  // import leaves null.
  auto host = [&](StringRef name) { out.try_emplace(name, nullptr); };
  for (const Stmt *s : body) {
    switch (s->kind) {
    case StmtKind::Assign:
      for (const Expr *t : llvm::cast<AssignStmt>(s)->targets)
        targetNames(t, host);
      break;
    case StmtKind::AugAssign:
      targetNames(llvm::cast<AugAssignStmt>(s)->target, host);
      break;
    case StmtKind::For:
      targetNames(llvm::cast<ForStmt>(s)->target, host);
      hostNames(llvm::cast<ForStmt>(s)->body, out);
      break;
    case StmtKind::While:
      hostNames(llvm::cast<WhileStmt>(s)->body, out);
      break;
    case StmtKind::If:
      hostNames(llvm::cast<IfStmt>(s)->body, out);
      hostNames(llvm::cast<IfStmt>(s)->orelse, out);
      break;
    case StmtKind::With:
      for (auto &item : llvm::cast<WithStmt>(s)->items)
        if (item.target)
          targetNames(item.target, host);
      hostNames(llvm::cast<WithStmt>(s)->body, out);
      break;
    case StmtKind::Try:
      hostNames(llvm::cast<TryStmt>(s)->body, out);
      for (auto &handler : llvm::cast<TryStmt>(s)->handlers)
        hostNames(handler.body, out);
      break;
    case StmtKind::FunctionDef:
      out.try_emplace(llvm::cast<FunctionDefStmt>(s)->name, s);
      break;
    case StmtKind::Import:
      for (auto &a : llvm::cast<ImportStmt>(s)->names)
        out.try_emplace(a.asName.empty() ? a.name.split('.').first : a.asName,
                        s);
      break;
    case StmtKind::ImportFrom:
      for (auto &a : llvm::cast<ImportFromStmt>(s)->names)
        out.try_emplace(a.asName.empty() ? a.name : a.asName, s);
      break;
    default:
      break;
    }
  }
}

/// Methods that change the list, set or dictionary that they are called on.
static bool changesReceiver(StringRef method) {
  for (StringRef name :
       {"append", "extend", "insert", "update", "pop", "remove", "clear", "add",
        "discard", "setdefault", "sort", "reverse", "popitem"})
    if (method == name)
      return true;
  return false;
}

/// The name whose value a simple statement changes in place, if any:
///   xs.append(1)    xs[0] = 1    xs += [1]    del xs[0]
static StringRef changedName(const Stmt *s) {
  auto base = [](const Expr *e) -> StringRef {
    while (auto *sub = llvm::dyn_cast<SubscriptExpr>(e))
      e = sub->object;
    auto *name = llvm::dyn_cast<NameExpr>(e);
    return name ? name->id : StringRef();
  };
  if (auto *aug = llvm::dyn_cast<AugAssignStmt>(s))
    return base(aug->target);
  if (auto *del = llvm::dyn_cast<DeleteStmt>(s))
    return del->targets.size() == 1 && llvm::isa<SubscriptExpr>(del->targets[0])
               ? base(del->targets[0])
               : StringRef();
  if (auto *assign = llvm::dyn_cast<AssignStmt>(s))
    return llvm::isa<SubscriptExpr>(assign->targets[0])
               ? base(assign->targets[0])
               : StringRef();
  auto *e = llvm::dyn_cast<ExprStmt>(s);
  auto *call = e ? llvm::dyn_cast<CallExpr>(e->value) : nullptr;
  auto *attr = call ? llvm::dyn_cast<AttributeExpr>(call->callee) : nullptr;
  return attr && changesReceiver(attr->attr) ? base(attr->object) : StringRef();
}

/// All names that statements under control flow change in place.
static void changedNames(StmtList body, llvm::StringSet<> &out) {
  for (const Stmt *s : body) {
    if (StringRef name = changedName(s); !name.empty())
      out.insert(name);
    if (auto *loop = llvm::dyn_cast<ForStmt>(s)) {
      changedNames(loop->body, out);
    } else if (auto *loop = llvm::dyn_cast<WhileStmt>(s)) {
      changedNames(loop->body, out);
    } else if (auto *branch = llvm::dyn_cast<IfStmt>(s)) {
      changedNames(branch->body, out);
      changedNames(branch->orelse, out);
    } else if (auto *with = llvm::dyn_cast<WithStmt>(s)) {
      changedNames(with->body, out);
    } else if (auto *attempt = llvm::dyn_cast<TryStmt>(s)) {
      changedNames(attempt->body, out);
    }
  }
}

/// Collects what a file's top level defines: name to the statement that gives
/// its value, the last one as in Python, or to null where only running the host
/// code would tell. Nothing is evaluated.
///   x = 1; x += 1                 x: host code only
///   if cond: y = 2                 y: host code only
///   if __name__ == "__main__": z = 3      never run: an earlier z stands
void Interpreter::collectDefinitions(Scope *top, StmtList body) {
  llvm::DenseMap<StringRef, const Stmt *> host;
  // `x += 1` and the like: the value of any one statement is not the name's.
  llvm::StringSet<> augmented;
  for (const Stmt *s : body) {
    auto define = [&](StringRef name) {
      top->definitions[name] = s;
      top->changes.erase(name);
    };
    // In order with the definitions: a later one starts anew.
    if (StringRef name = changedName(s);
        !name.empty() && top->definitions.count(name)) {
      top->changes[name].push_back(s);
      continue;
    }
    switch (s->kind) {
    case StmtKind::FunctionDef:
      define(llvm::cast<FunctionDefStmt>(s)->name);
      break;
    case StmtKind::ClassDef:
      define(llvm::cast<ClassDefStmt>(s)->name);
      break;
    case StmtKind::Assign:
      for (const Expr *t : llvm::cast<AssignStmt>(s)->targets)
        targetNames(t, define);
      break;
    case StmtKind::AnnAssign:
      if (llvm::cast<AnnAssignStmt>(s)->value)
        targetNames(llvm::cast<AnnAssignStmt>(s)->target, define);
      break;
    case StmtKind::AugAssign:
      targetNames(llvm::cast<AugAssignStmt>(s)->target,
                  [&](StringRef n) { augmented.insert(n); });
      break;
    case StmtKind::Import:
      for (auto &a : llvm::cast<ImportStmt>(s)->names)
        define(a.asName.empty() ? a.name.split('.').first : a.asName);
      break;
    case StmtKind::ImportFrom: {
      auto *from = llvm::cast<ImportFromStmt>(s);
      for (auto &a : from->names) {
        if (a.name == "*")
          top->stars.push_back(from);
        else
          define(a.asName.empty() ? a.name : a.asName);
      }
      break;
    }
    case StmtKind::If: {
      // `if __name__ == "__main__":` never runs; other branches may rebind.
      auto *test =
          llvm::dyn_cast<CompareExpr>(llvm::cast<IfStmt>(s)->condition);
      auto *name = test ? llvm::dyn_cast<NameExpr>(test->first) : nullptr;
      llvm::DenseMap<StringRef, const Stmt *> bound;
      hostNames(ArrayRef<Stmt *>(const_cast<Stmt *>(s)), bound);
      for (auto &[n, def] : bound) {
        host.try_emplace(n, def);
        if (!def && !(name && name->id == "__name__"))
          augmented.insert(n);
      }
      if (!(name && name->id == "__name__"))
        changedNames(ArrayRef<Stmt *>(const_cast<Stmt *>(s)), augmented);
      break;
    }
    case StmtKind::For: {
      // A loop that fills one list is run when the list is read.
      llvm::StringSet<> changed;
      llvm::DenseMap<StringRef, const Stmt *> bound;
      changedNames(ArrayRef<Stmt *>(const_cast<Stmt *>(s)), changed);
      hostNames(ArrayRef<Stmt *>(const_cast<Stmt *>(s)), bound);
      targetNames(llvm::cast<ForStmt>(s)->target,
                  [&](StringRef n) { bound.erase(n); });
      if (changed.size() == 1 && bound.empty()) {
        StringRef name = ast.save(changed.begin()->getKey());
        if (top->definitions.count(name)) {
          top->changes[name].push_back(s);
          break;
        }
      }
      for (auto &entry : changed)
        augmented.insert(entry.getKey());
      hostNames(ArrayRef<Stmt *>(const_cast<Stmt *>(s)), host);
      break;
    }
    default:
      hostNames(ArrayRef<Stmt *>(const_cast<Stmt *>(s)), host);
      changedNames(ArrayRef<Stmt *>(const_cast<Stmt *>(s)), augmented);
      break;
    }
  }
  // Plain definitions go before those under control flow.
  for (auto &[name, def] : host)
    top->definitions.try_emplace(name, def);
  for (auto &entry : augmented)
    if (StringRef name = ast.save(entry.getKey());
        host.count(name) || top->definitions.count(name))
      top->definitions[name] = nullptr;
}
