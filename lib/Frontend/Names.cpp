//===- Names.cpp - Scopes and bindings ------------------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A name is looked for in the function, the functions around it, the -D
// values, the module (Definitions.cpp) and the builtins. Binding one in a region
// of the device keeps a record of what was there before: afterwards, names that
// hold values of the region have expired.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

using namespace tlc;
using namespace tlc::frontend;
using llvm::SmallVector;

/// A scope inside `parent`, staged if that is. Owned by the interpreter.
Scope *Interpreter::newScope(Scope *parent) {
  scopes.push_back(std::make_unique<Scope>());
  scopes.back()->parent = parent;
  if (parent)
    scopes.back()->staged = parent->staged;
  return scopes.back().get();
}

/// The binding of a name in the functions around, innermost first; null if
/// there is none. Module scopes are left to moduleName, which evaluates on
/// demand.
Binding *Interpreter::lookup(StringRef name, Scope **where) {
  for (Scope *s = scope; s && s->module.empty(); s = s->parent) {
    auto it = s->names.find(name);
    if (it == s->names.end())
      continue;
    if (where)
      *where = s;
    return &it->second;
  }
  return nullptr;
}

static Scope *moduleOf(Scope *s) {
  while (s->parent)
    s = s->parent;
  return s;
}

/// The value of a name. The order of search is that of this file's head; a
/// binding that is no longer valid is an error that says where it was made.
Value Interpreter::readName(const NameExpr *name, bool reference) {
  if (Binding *binding = lookup(name->id)) {
    switch (binding->state) {
    case Binding::Live:
      // For bindName: a name read in a device loop must not be rebound there.
      if (!loopStack.empty())
        binding->readLoop = loopStack.back();
      return binding->value;
    case Binding::Expired:
      error(DiagID::Expired, name->range,
            "'" + name->id + "' was made in a block that has ended")
          .note(binding->where, "made here")
          .help("keep a value across blocks in a T.alloc_var or T.alloc_local "
                "buffer");
      return {};
    case Binding::Conditional:
      error(DiagID::Expired, name->range,
            "'" + name->id +
                "' depends on a condition that is only known on the device")
          .note(binding->where, "set here, under the condition")
          .help("use T.if_then_else, or keep it in a T.alloc_var");
      return {};
    case Binding::Pending:
      error(DiagID::HostValue, name->range,
            "the parameter '" + name->id + "' has no type yet")
          .note(binding->where, "declared here")
          .help("annotate it, as in `" + name->id +
                ": T.Tensor((M, N), dtype)`, or give -D " + name->id +
                "=value");
      return {};
    }
  }
  bool found = false;
  // Then the file that the function stands in, which need not be the kernel's.
  Scope *top = moduleOf(scope);
  Value v = moduleName(top, name->id, name->range, found);
  if (found)
    return v;
  if (const BuiltinInfo *builtin = findBuiltin(name->id))
    return Value::builtin(builtin);
  if (Value defined = preludeName(name->id, name->range))
    return defined;
  // `from x import *` of an unknown module may define anything.
  for (const ImportFromStmt *star : top->stars)
    if (!isLanguageModule(star->module) &&
        !loadSibling(star->module, star->range, star->level))
      return makePoison("'" + name->id + "'", star->range);
  // Not "__main__": code under that test is host code and stays out.
  if (name->id == "__name__")
    return makeString("__tile__");
  if (name->id == "__file__")
    return makeString(top->path);
  error(DiagID::UndefinedName, name->range,
        "nothing defines '" + name->id + "'")
      .help("-D " + name->id + "=value gives it a value");
  return {};
}

//===----------------------------------------------------------------------===//
// Binding
//===----------------------------------------------------------------------===//

/// Binds, and notes what was there before while a region is open, for
/// leaveRegion and the branches of an `if`.
void Interpreter::setBinding(Scope *where, StringRef name, Binding binding) {
  auto it = where->names.find(name);
  if (regionDepth)
    changes.push_back({where, name,
                       it == where->names.end() ? Binding() : it->second,
                       it != where->names.end()});
  where->names[name] = binding;
}

/// name = value in the current scope. Stores where the name is a variable;
/// refuses to rebind a name that the body of a device loop has read, because
/// the loop's IR is made once:
///   n = 0
///   for i in T.serial(4): n = n + 1   the second iteration would read 0
/// False after a report.
bool Interpreter::bindName(StringRef name, Value value, SourceRange range) {
  // Declared `nonlocal` or `global`: bound in that scope.
  if (auto other = scope->elsewhere.find(name);
      other != scope->elsewhere.end()) {
    Scope *inner = std::exchange(scope, other->second);
    bool ok = bindName(name, value, range);
    scope = inner;
    return ok;
  }
  auto it = scope->names.find(name);
  if (it != scope->names.end()) {
    Binding &old = it->second;
    // Assigning to a variable stores into it.
    if (old.state == Binding::Live && old.value.is(VK::Buffer) &&
        old.value.as<BufferObject>()->isVar && !value.is(VK::Buffer))
      return storeVariable(old.value.as<BufferObject>(), value, range);
    if (old.reference && old.value.is(VK::Region) &&
        old.value.as<RegionObject>()->isElement)
      return store(old.value.as<RegionObject>()->buffer,
                   old.value.as<RegionObject>()->offsets, value, range);
    // The loop that read the name is still open, and was opened after the name
    // was bound.
    auto *loop = llvm::find(loopStack, old.readLoop);
    if (old.state == Binding::Live && old.readLoop && loop != loopStack.end() &&
        size_t(loop - loopStack.begin()) >= old.loopDepth &&
        !old.value.identical(value)) {
      error(DiagID::CarriedName, range,
            "'" + name +
                "' is read and then rebound in a loop that runs on the device: "
                "the next "
                "iteration would not see the new value")
          .note(old.where, "its value from before the loop")
          .help("keep it in a T.alloc_var, which holds its value across "
                "iterations");
      return false;
    }
  }
  setBinding(scope, name,
             {Binding::Live, value, range, unsigned(loopStack.size()), 0});
  return true;
}

/// Whether a value needs an op inside a region: after the region it does not
/// dominate its users. Containers are looked into, each once: a list may hold
/// itself.
bool Interpreter::isDefinedIn(Value v, mlir::Region *region) {
  auto inside = [&](mlir::Value x) {
    return x && (region == x.getParentRegion() ||
                 region->isProperAncestor(x.getParentRegion()));
  };
  SmallVector<Value> open = {v};
  llvm::SmallPtrSet<const void *, 8> seen;
  auto lookInto = [&](const void *container, auto &&elements) {
    if (seen.insert(container).second)
      open.append(elements.begin(), elements.end());
  };
  while (!open.empty()) {
    v = open.pop_back_val();
    switch (v.kind()) {
    case VK::Scalar:
      if (inside(v.asSym().value))
        return true;
      break;
    case VK::Buffer:
      if (inside(v.as<BufferObject>()->memref))
        return true;
      break;
    case VK::Region: {
      auto *part = v.as<RegionObject>();
      open.push_back(Value::object(part->buffer));
      lookInto(part, part->offsets);
      break;
    }
    case VK::Tuple:
    case VK::List:
    case VK::Set:
    case VK::Vector:
      lookInto(v.as<SequenceObject>(), v.as<SequenceObject>()->elements);
      break;
    case VK::Dict: {
      SmallVector<Value> parts;
      for (auto &[key, value] : v.as<DictObject>()->entries)
        parts.append({key, value});
      lookInto(v.as<DictObject>(), parts);
      break;
    }
    default:
      break;
    }
  }
  return false;
}

/// Judges the names that a region has bound since `mark`. Values made in it are
/// gone; compile-time values stay.
void Interpreter::leaveRegion(size_t mark, mlir::Block *block) {
  for (size_t i = mark; i < changes.size(); ++i) {
    auto it = changes[i].scope->names.find(changes[i].name);
    if (it != changes[i].scope->names.end() &&
        isDefinedIn(it->second.value, block->getParent()))
      it->second.state = Binding::Expired;
  }
  if (regionDepth == 0)
    changes.resize(mark);
}

/// Runs `body` with the builder in `block`, before its terminator if it has
/// one. With `loop`, a device loop is open meanwhile. Gives what `body` gave.
bool Interpreter::inRegion(mlir::Block *block, bool loop,
                           llvm::function_ref<bool()> body) {
  size_t mark = changes.size();
  ++regionDepth;
  if (loop)
    loopStack.push_back(++loopSerial);
  bool ok;
  {
    mlir::OpBuilder::InsertionGuard guard(b);
    if (block->mightHaveTerminator())
      b.setInsertionPoint(block->getTerminator());
    else
      b.setInsertionPointToEnd(block);
    ok = body();
  }
  if (loop)
    loopStack.pop_back();
  --regionDepth;
  leaveRegion(mark, block);
  return ok;
}
