//===- Exceptions.cpp - raise, try and match ------------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A failure of compile-time code is a located message. While the body of a
// `try` with handlers runs outside of a kernel, messages are held back: if a
// handler is for what failed, it runs instead of them.
//
//   try: n = table[key]          TL0402, a KeyError of Python
//   except KeyError: n = 64      runs; nothing is reported
//
// In a kernel there is nothing to go back to, because operations have been
// made; handlers do not run there.
//
// `match` decides at compile time: its first case whose pattern fits.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tlc;
using namespace tlc::frontend;
using llvm::SmallVector;

/// `raise`: the program's own message, as an error. Factories refuse sizes this
/// way.
Flow Interpreter::execRaise(const RaiseStmt *s) {
  std::string text = "the program raised an exception";
  raisedType = "Exception";
  raisedMessage.clear();
  if (s->exception) {
    Value v = eval(s->exception);
    if (!v)
      return Flow::Error;
    if (v.is(VK::Builtin)) // raise ValueError
      text = (raisedType = v.asBuiltin()->name).str();
    if (v.is(VK::Exception)) {
      auto *e = v.as<ExceptionObject>();
      raisedType = e->type;
      raisedMessage = e->message;
      text = e->type.str() + (e->message.empty() ? "" : ": " + e->message);
    }
  } else if (handled) {
    raisedType = handled->type;
    raisedMessage = handled->message;
    text = handled->type.str() + ": " + handled->message;
  }
  error(DiagID::Raised, s->range, text);
  return Flow::Error;
}

/// What Python would have raised where this message was reported; empty where
/// Python's host code would have gone on, or nobody knows.
static StringRef exceptionOf(const Diagnostic &diag, StringRef raised) {
  switch (diag.id) {
  case DiagID::Raised:
    return raised;
  case DiagID::AssertionFailed:
    return "AssertionError";
  case DiagID::DivisionByZero:
    return "ZeroDivisionError";
  case DiagID::IndexOutOfBounds:
    return "IndexError";
  case DiagID::NoAttribute:
    return "AttributeError";
  case DiagID::TypeMismatch:
  case DiagID::BadCall:
  case DiagID::NotCallable:
    return "TypeError";
  case DiagID::UndefinedName:
    return "NameError";
  case DiagID::BadArgument:
    return StringRef(diag.message).contains("has no key") ? "KeyError"
                                                          : "ValueError";
  default:
    return "";
  }
}

/// Whether `except handler:` is for an exception of type `raised`.
static bool catches(StringRef handler, StringRef raised) {
  if (handler == raised || handler == "Exception" || handler == "BaseException")
    return true;
  StringRef base =
      llvm::StringSwitch<StringRef>(raised)
          .Cases({"IndexError", "KeyError"}, "LookupError")
          .Cases({"ZeroDivisionError", "OverflowError"}, "ArithmeticError")
          .Case("ModuleNotFoundError", "ImportError")
          .Cases({"NotImplementedError", "RecursionError"}, "RuntimeError")
          .Default("");
  return !base.empty() && handler == base;
}

/// `try`. Without handlers, and in a kernel, a failure stays one; what Python
/// code usually tries, an import, does not fail here.
Flow Interpreter::execTry(const TryStmt *s) {
  Flow flow;
  if (s->handlers.empty() || kernelOp) {
    flow = execBlock(s->body);
    if (flow == Flow::Next)
      flow = execBlock(s->orelse);
    if (flow == Flow::Error)
      return flow;
    Flow last = execBlock(s->finalbody);
    return last == Flow::Next ? flow : last;
  }
  std::vector<Diagnostic> held;
  {
    DiagnosticEngine::Capture quiet(diags);
    flow = execBlock(s->body);
    held = std::move(quiet.diags);
  }
  const Diagnostic *failure = nullptr;
  for (const Diagnostic &diag : held)
    if (diag.severity == Severity::Error && !failure)
      failure = &diag;
  const TryStmt::Handler *chosen = nullptr;
  auto *exception = make<ExceptionObject>();
  if (flow == Flow::Error && failure) {
    exception->type = exceptionOf(*failure, raisedType);
    exception->message =
        failure->id == DiagID::Raised ? raisedMessage : failure->message;
    if (!exception->type.empty())
      for (const TryStmt::Handler &handler : s->handlers) {
        SmallVector<const Expr *> types;
        if (auto *tuple = llvm::dyn_cast_or_null<TupleExpr>(handler.type))
          types.append(tuple->elements.begin(), tuple->elements.end());
        else if (handler.type)
          types.push_back(handler.type);
        bool fits = !handler.type;
        for (const Expr *type : types) {
          auto *name = llvm::dyn_cast<NameExpr>(type);
          fits |= name && catches(name->id, exception->type);
        }
        if (fits) {
          chosen = &handler;
          break;
        }
      }
  }
  // Warnings of the body stay; its error too, unless it is handled.
  for (Diagnostic &diag : held)
    if (!chosen || diag.severity != Severity::Error)
      diags.emit(std::move(diag));
  if (chosen) {
    auto *outer = std::exchange(handled, exception);
    flow = chosen->name.empty() ||
                   bindName(chosen->name, Value::object(exception), s->range)
               ? execBlock(chosen->body)
               : Flow::Error;
    handled = outer;
  } else if (flow == Flow::Next) {
    flow = execBlock(s->orelse);
  }
  if (flow == Flow::Error)
    return flow;
  Flow last = execBlock(s->finalbody);
  return last == Flow::Next ? flow : last;
}

//===----------------------------------------------------------------------===//
// match
//===----------------------------------------------------------------------===//

/// Whether a pattern fits a value, and binds its names. Nothing after a report.
std::optional<bool> Interpreter::matches(const Pattern *p, Value v) {
  switch (p->kind) {
  case Pattern::Wildcard:
    return true;
  case Pattern::Capture:
    if (!bindName(p->name, v, p->range))
      return std::nullopt;
    return true;
  case Pattern::Value: {
    Value wanted = eval(p->value);
    if (!wanted)
      return std::nullopt;
    auto equal = hostEquals(v, wanted);
    if (!equal)
      error(DiagID::NotConstant, p->range,
            "'match' compares compile-time values")
          .help("use if and elif, which the device can decide");
    return equal;
  }
  case Pattern::As: {
    auto fits = matches(p->sub[0], v);
    if (fits && *fits && !bindName(p->name, v, p->range))
      return std::nullopt;
    return fits;
  }
  case Pattern::Or:
    for (const Pattern *alternative : p->sub) {
      auto fits = matches(alternative, v);
      if (!fits || *fits)
        return fits;
    }
    return false;
  case Pattern::Sequence: {
    if (!v.isSequence())
      return false;
    ArrayRef<Value> items = v.as<SequenceObject>()->elements;
    auto *star = llvm::find_if(
        p->sub, [](const Pattern *s) { return s->kind == Pattern::Star; });
    bool hasStar = star != p->sub.end();
    if (hasStar ? items.size() + 1 < p->sub.size()
                : items.size() != p->sub.size())
      return false;
    size_t extra = hasStar ? items.size() + 1 - p->sub.size() : 0;
    for (size_t i = 0, next = 0; i < p->sub.size(); ++i) {
      const Pattern *sub = p->sub[i];
      if (sub->kind == Pattern::Star) {
        Value rest = makeSequence(VK::List, items.slice(next, extra));
        next += extra;
        if (!sub->name.empty() && sub->name != "_" &&
            !bindName(sub->name, rest, sub->range))
          return std::nullopt;
        continue;
      }
      auto fits = matches(sub, items[next++]);
      if (!fits || !*fits)
        return fits;
    }
    return true;
  }
  case Pattern::Mapping: {
    if (!v.is(VK::Dict))
      return false;
    auto *rest = make<DictObject>(*v.as<DictObject>());
    for (auto [key, sub] : llvm::zip(p->keys, p->sub)) {
      Value wanted = eval(key);
      if (!wanted)
        return std::nullopt;
      auto entry = llvm::find_if(rest->entries, [&](auto &e) {
        return hostEquals(e.first, wanted).value_or(false);
      });
      if (entry == rest->entries.end())
        return false;
      Value found = entry->second;
      rest->entries.erase(entry);
      auto fits = matches(sub, found);
      if (!fits || !*fits)
        return fits;
    }
    if (!p->name.empty() && !bindName(p->name, Value::object(rest), p->range))
      return std::nullopt;
    return true;
  }
  case Pattern::Class: {
    Value type = evalRef(p->value);
    if (!type)
      return std::nullopt;
    if (!isInstance(v, type))
      return false;
    size_t positions = p->sub.size() - p->keywords.size();
    for (auto [i, sub] : llvm::enumerate(p->sub)) {
      Value part = v; // int(x): the value itself
      if (i >= positions || v.is(VK::Instance)) {
        StringRef name;
        if (i >= positions)
          name = p->keywords[i - positions];
        else if (i < v.as<InstanceObject>()->cls->fields.size())
          name = v.as<InstanceObject>()->cls->fields[i].name;
        else
          return false;
        DiagnosticEngine::Capture quiet(diags);
        part = attribute(v, name, p->range);
        if (!part)
          return false;
      }
      auto fits = matches(sub, part);
      if (!fits || !*fits)
        return fits;
    }
    return true;
  }
  case Pattern::Star:
    break;
  }
  return false;
}

/// `match`: the first case that fits, whose guard holds.
Flow Interpreter::execMatch(const MatchStmt *s) {
  Value subject = eval(s->subject);
  if (!subject)
    return Flow::Error;
  if (subject.is(VK::Poison)) {
    poisonError(subject, s->subject->range);
    return Flow::Error;
  }
  for (const MatchStmt::Case &c : s->cases) {
    auto fits = matches(c.pattern, subject);
    if (!fits)
      return Flow::Error;
    if (!*fits)
      continue;
    if (c.guard) {
      bool failed = false;
      Value guard = eval(c.guard);
      auto holds = truth(guard, c.guard->range, failed);
      if (!failed && !holds)
        error(DiagID::NotConstant, c.guard->range,
              "the guard of a case must be known at compile time");
      if (!holds)
        return Flow::Error;
      if (!*holds)
        continue;
    }
    return execBlock(c.body);
  }
  return Flow::Next;
}
