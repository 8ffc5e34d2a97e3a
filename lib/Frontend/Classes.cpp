//===- Classes.cpp - Classes that exist while a kernel is staged ----------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Classes group sizes (dataclasses, enumerations, named tuples) and helpers
// with state (T.meta_class: tile schedulers, emitters). Their objects are
// compile-time values: nothing of them reaches the IR but what their methods
// emit.
//
// A class that derives from one this file does not have (torch.nn.Module) or
// carries an unknown decorator is host code, and stays a poison value.
//
// Attributes live in a Scope, so that one set in a block on the device is
// judged as a name is: values made in the block are gone after it.
//
//   class Op(IntEnum):            Op.ADD -> 1: a number, since IntEnum's
//       ADD = 1                   members are numbers
//   @dataclass
//   class Tile:                   Tile(128).n -> 64; a field without a value
//       m: int                    and without a default is an error
//       n: int = 64
//   @T.meta_class
//   class Scheduler:              `next` stores into an element, so it is
//       def __init__(self): ...   staged like a T.macro; other methods run
//       def next(self): ...       as Python at compile time
//
// Methods are found through the bases from left to right, depth first. That is
// Python's order except where two bases share one of their own (a diamond).
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

using namespace tlc;
using namespace tlc::frontend;
using llvm::SmallVector;

/// The last part of `dataclass`, `dataclasses.dataclass`, `dataclass(...)`.
static StringRef lastName(const Expr *e) {
  if (auto *call = llvm::dyn_cast<CallExpr>(e))
    e = call->callee;
  if (auto *subscript = llvm::dyn_cast<SubscriptExpr>(e)) // Generic[T]
    e = subscript->object;
  if (auto *attr = llvm::dyn_cast<AttributeExpr>(e))
    return attr->attr;
  if (auto *name = llvm::dyn_cast<NameExpr>(e))
    return name->id;
  return "";
}

/// By the name alone: whose `property` it is was decided when the class was
/// made.
static bool isDecorated(const FunctionObject *fn, StringRef name) {
  return fn->def && llvm::any_of(fn->def->decorators, [&](const Expr *d) {
           return lastName(d) == name;
         });
}

/// Whether a method stores into a buffer: `self.x[0] = ...`. A T.meta_class
/// stages those, and runs the others as Python.
static bool storesElements(StmtList body) {
  // `x[i] = ...` and `a, x[i] = ...`: an element somewhere among the targets.
  auto isElement = [](const Expr *target) {
    if (auto *tuple = llvm::dyn_cast<TupleExpr>(target))
      return llvm::any_of(tuple->elements, [](const Expr *e) {
        return llvm::isa<SubscriptExpr>(e);
      });
    return llvm::isa<SubscriptExpr>(target);
  };
  // Nested functions and classes are not looked into: their bodies run when
  // they are called.
  return llvm::any_of(body, [&](const Stmt *s) {
    switch (s->kind) {
    case StmtKind::Assign:
      return llvm::any_of(llvm::cast<AssignStmt>(s)->targets, isElement);
    case StmtKind::AugAssign:
      return isElement(llvm::cast<AugAssignStmt>(s)->target);
    case StmtKind::AnnAssign:
      return isElement(llvm::cast<AnnAssignStmt>(s)->target);
    case StmtKind::If:
      return storesElements(llvm::cast<IfStmt>(s)->body) ||
             storesElements(llvm::cast<IfStmt>(s)->orelse);
    case StmtKind::For:
      return storesElements(llvm::cast<ForStmt>(s)->body);
    case StmtKind::While:
      return storesElements(llvm::cast<WhileStmt>(s)->body);
    case StmtKind::With:
      return storesElements(llvm::cast<WithStmt>(s)->body);
    default:
      return false;
    }
  });
}

//===----------------------------------------------------------------------===//
// Definition
//===----------------------------------------------------------------------===//

/// What a base or decorator makes of a class; false if only the host knows.
static bool addTrait(ClassObject *cls, StringRef name) {
  if (name == "dataclass" || name == "NamedTuple") {
    cls->isRecord = true;
    cls->isTuple |= name == "NamedTuple";
  } else if (name == "Enum" || name == "IntEnum" || name == "StrEnum" ||
             name == "Flag" || name == "IntFlag") {
    cls->isEnum = true;
    cls->isPlainEnum |= name == "Enum" || name == "Flag";
  } else if (name == "meta_class") {
    cls->isMeta = true;
  } else {
    // These change nothing of what an object does.
    return name == "object" || name == "ABC" || name == "Protocol" ||
           name == "Generic" || name == "final";
  }
  return true;
}

/// The class that a `class` statement makes. A poison value, not an error,
/// where a base or decorator is unknown: the file may use the class for its
/// host code only. Invalid after a report in its body.
Value Interpreter::makeClass(const ClassDefStmt *def) {
  auto *cls = make<ClassObject>();
  cls->def = def;
  Value unknown =
      makePoison("the class '" + llvm::Twine(def->name) + "'", def->range);
  for (const Expr *base : def->bases) {
    Value v;
    {
      // `class Net(nn.Module)`: that the name is unknown here is no error yet.
      DiagnosticEngine::Capture quiet(diags);
      v = evalRef(base);
    }
    if (v && v.is(VK::Class))
      cls->bases.push_back(v.as<ClassObject>());
    else if (!addTrait(cls, lastName(base)))
      return unknown;
  }
  for (const Expr *decorator : def->decorators)
    if (!addTrait(cls, lastName(decorator)))
      return unknown;
  // Fields of bases come first, in their order; isMeta is not inherited, since
  // the decorator is what turns methods into macros.
  for (ClassObject *base : cls->bases) {
    cls->isRecord |= base->isRecord;
    cls->isTuple |= base->isTuple;
    cls->isEnum |= base->isEnum;
    cls->isPlainEnum |= base->isPlainEnum;
    cls->fields.append(base->fields);
  }
  // The body runs once, in a scope of its own, as ordinary statements: names
  // that it binds are the members.
  Scope *outer = scope;
  cls->members = newScope(outer);
  cls->members->staged = false;
  scope = cls->members;
  Flow flow = Flow::Next;
  for (const Stmt *s : def->body) {
    if (flow = exec(s); flow != Flow::Next)
      break;
    // `n: int = 64` is a field of a record; `n: ClassVar[int] = 64` and `n =
    // 64` are plain members. A field of the same name as a base's takes its
    // place.
    auto *field = llvm::dyn_cast<AnnAssignStmt>(s);
    auto *name = field ? llvm::dyn_cast<NameExpr>(field->target) : nullptr;
    if (!name || !cls->isRecord || lastName(field->annotation) == "ClassVar")
      continue;
    auto *known = llvm::find_if(
        cls->fields, [&](auto &known) { return known.name == name->id; });
    if (known == cls->fields.end())
      known = cls->fields.insert(known, {name->id, nullptr, name->range});
    known->defaultValue = field->value;
    known->range = name->range;
  }
  scope = outer;
  if (flow != Flow::Next)
    return {};
  // Second, what the first pass bound is finished: functions become methods,
  // which do not see the names of the class, and assignments of an enumeration
  // its members.
  int64_t next = 1;
  for (const Stmt *s : def->body) {
    if (auto *method = llvm::dyn_cast<FunctionDefStmt>(s)) {
      Value v = cls->members->names[method->name].value;
      if (!v || !v.is(VK::Function))
        continue;
      auto *fn = v.as<FunctionObject>();
      fn->closure = outer;
      fn->owner = cls;
      // Special methods stay Python: __init__ sets up what the object holds.
      if (cls->isMeta && fn->type == FunctionObject::Plain &&
          !method->name.starts_with("__") && storesElements(method->body) &&
          !isDecorated(fn, "property") && !isDecorated(fn, "staticmethod") &&
          !isDecorated(fn, "classmethod"))
        fn->type = FunctionObject::Macro;
      continue;
    }
    auto *assign = cls->isEnum ? llvm::dyn_cast<AssignStmt>(s) : nullptr;
    if (!assign || assign->targets.size() != 1)
      continue;
    auto *name = llvm::dyn_cast<NameExpr>(assign->targets[0]);
    if (!name)
      continue;
    // auto() is host code to the interpreter, and so poison; it counts on from
    // the member before it, from 1 at first.
    Binding &member = cls->members->names[name->id];
    if (member.value.is(VK::Poison)) // auto()
      member.value = Value::integral(next);
    if (member.value.is(VK::Int))
      next = member.value.asInt() + 1;
    if (!cls->isPlainEnum) // its members are numbers
      continue;
    // Color.RED is an object with .name and .value; equal only to itself.
    auto *instance = make<InstanceObject>();
    instance->cls = cls;
    instance->attributes = newScope(nullptr);
    instance->attributes->names["value"] = member;
    instance->attributes->names["name"] = {Binding::Live, makeString(name->id),
                                           name->range};
    member.value = Value::object(instance);
  }
  return Value::object(cls);
}

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

/// What a class has under a name, itself or from its bases; Invalid if nothing,
/// without a report.
Value Interpreter::memberOf(ClassObject *cls, StringRef name) {
  auto it = cls->members->names.find(name);
  if (it != cls->members->names.end())
    return it->second.value;
  for (ClassObject *base : cls->bases)
    if (Value v = memberOf(base, name))
      return v;
  return {};
}

/// Whether `cls` is `base` or derives from it, as isinstance asks.
bool Interpreter::isSubclass(const ClassObject *cls, const ClassObject *base) {
  return cls == base || llvm::any_of(cls->bases, [&](const ClassObject *b) {
           return isSubclass(b, base);
         });
}

/// An attribute of an object or class: a method is bound to it, a property
/// computed. Invalid, without a message, if it has none. `failed` tells a
/// report (true) from "no such attribute" (false, for hasattr and for the
/// caller's own message).
Value Interpreter::objectAttribute(Value object, StringRef name,
                                   SourceRange range, bool &failed) {
  failed = false;
  auto *instance =
      object.is(VK::Instance) ? object.as<InstanceObject>() : nullptr;
  ClassObject *cls = instance ? instance->cls : object.as<ClassObject>();
  if (name == "__class__" && instance)
    return Value::object(cls);
  if (name == "__name__" && !instance)
    return makeString(cls->def->name);
  // First what the object itself holds. A read in a loop is noted, as for
  // names: what the loop's body set would have to be carried around it.
  if (instance && !instance->isSuper) {
    auto it = instance->attributes->names.find(name);
    if (it != instance->attributes->names.end()) {
      Binding &binding = it->second;
      if (!loopStack.empty())
        binding.readLoop = loopStack.back();
      if (binding.state == Binding::Live)
        return binding.value;
      error(DiagID::Expired, range,
            "the attribute '" + name +
                (binding.state == Binding::Expired
                     ? "' was set in a block that has ended"
                     : "' depends on a condition that is only known on the "
                       "device"))
          .note(binding.where, "set here")
          .help("keep a value across blocks in a T.alloc_var");
      failed = true;
      return {};
    }
  }
  Value v;
  // super().f: the search begins at the bases of the method's own class, and
  // the method gets the real object.
  if (instance && instance->isSuper) {
    for (ClassObject *base : cls->bases)
      if ((v = memberOf(base, name)))
        break;
    object = instance->self;
  } else {
    v = memberOf(cls, name);
  }
  // Then the class: a value is as it is, and a function becomes a method of the
  // object, unless it is decorated otherwise.
  if (!v || !v.is(VK::Function))
    return v;
  auto *fn = v.as<FunctionObject>();
  if (isDecorated(fn, "staticmethod"))
    return v;
  if (isDecorated(fn, "classmethod"))
    object =
        Value::object(object.is(VK::Instance) ? object.as<InstanceObject>()->cls
                                              : object.as<ClassObject>());
  // Scheduler.next without an object is the plain function.
  else if (!instance)
    return v;
  // Computed at each read, a cached_property too.
  else if (isDecorated(fn, "property") || isDecorated(fn, "cached_property")) {
    v = callFunction(fn, {object}, {}, range);
    failed = !v;
    return v;
  }
  auto *method = make<MethodObject>();
  method->function = fn;
  method->self = object;
  return Value::object(method);
}

/// `object.name = value`. False after a report: only objects of a class of the
/// file have attributes that can be set.
bool Interpreter::setAttribute(Value object, StringRef name, Value value,
                               SourceRange range) {
  if (!object.is(VK::Instance) || object.as<InstanceObject>()->isSuper) {
    error(DiagID::NotSupportedInKernel, range,
          "'" + name + "' of " + describe(object) + " cannot be set")
        .help("attributes of objects of a class of this file can");
    return false;
  }
  // self._acc = T.alloc_fragment(...): the buffer is called `acc` in the IR.
  if (value.is(VK::Buffer) && value.as<BufferObject>()->name.empty())
    nameBuffer(value.as<BufferObject>(), name.ltrim('_'));
  // bindName judges a name in the current scope: the attributes take its place
  // for the moment.
  Scope *outer = std::exchange(scope, object.as<InstanceObject>()->attributes);
  // A variable in an attribute is replaced, as in Python; a name's is stored
  // to.
  auto it = scope->names.find(name);
  bool replaces = it != scope->names.end() && it->second.value.is(VK::Buffer);
  bool ok = replaces || bindName(name, value, range);
  if (replaces)
    setBinding(scope, name,
               {Binding::Live, value, range, unsigned(loopStack.size()), 0});
  scope = outer;
  return ok;
}

/// Assigns the arguments to the fields of a dataclass or named tuple.
/// Positional ones first, then those by name, then defaults. False after a
/// report: too many, an unknown name, or a field without a value.
bool Interpreter::fillFields(InstanceObject *object, ArrayRef<Value> args,
                             ArrayRef<std::pair<StringRef, Value>> keywords,
                             SourceRange range) {
  ClassObject *cls = object->cls;
  StringRef name = cls->def->name;
  for (auto &[key, value] : keywords)
    if (llvm::none_of(cls->fields,
                      [&, k = key](auto &field) { return field.name == k; })) {
      error(DiagID::BadCall, range, "'" + name + "' has no field '" + key + "'")
          .note(cls->def->nameRange, "defined here");
      return false;
    }
  if (args.size() > cls->fields.size()) {
    error(DiagID::BadCall, range,
          "'" + name + "' takes " + llvm::Twine(cls->fields.size()) +
              " values, not " + llvm::Twine(args.size()))
        .note(cls->def->nameRange, "defined here");
    return false;
  }
  // A field given twice takes the one by name; Python would refuse it.
  for (auto [i, field] : llvm::enumerate(cls->fields)) {
    Value v = i < args.size() ? args[i] : Value();
    for (auto &[key, value] : keywords)
      if (key == field.name)
        v = value;
    if (!v && field.defaultValue) {
      // field(default=..., default_factory=...)
      auto *call = llvm::dyn_cast<CallExpr>(field.defaultValue);
      const Expr *factory = nullptr, *given = field.defaultValue;
      if (call && lastName(call) == "field")
        for (const Keyword &k : call->keywords) {
          if (k.name == "default")
            given = k.value;
          if (k.name == "default_factory")
            factory = k.value;
        }
      // Defaults are evaluated for each object, in the scope of the class. For
      // a plain value that is the same as once; `default_factory` asks for it.
      Scope *outer = std::exchange(scope, cls->members);
      if (factory) {
        // factory(): a call node without arguments, so that the call is checked
        // and reported like one of the file.
        auto *made = ast.create<CallExpr>();
        made->callee = const_cast<Expr *>(factory);
        made->range = factory->range;
        v = eval(made);
      } else {
        v = eval(given);
      }
      scope = outer;
      if (!v)
        return false;
    }
    if (!v) {
      error(DiagID::BadCall, range,
            "'" + name + "' needs a value for '" + field.name + "'")
          .note(field.range, "the field");
      return false;
    }
    object->attributes->names[field.name] = {Binding::Live, v, range,
                                             unsigned(loopStack.size()), 0};
  }
  return true;
}

/// `cls(...)`: the new object, or the member of an enumeration. In this order:
/// the class's own __init__; fields of a record, then __post_init__; nothing at
/// all. Invalid after a report.
Value Interpreter::instantiate(ClassObject *cls, ArrayRef<Value> args,
                               ArrayRef<std::pair<StringRef, Value>> keywords,
                               SourceRange range) {
  if (cls->isEnum) { // Color(1): the member with this value
    for (const Stmt *s : cls->def->body) {
      auto *assign = llvm::dyn_cast<AssignStmt>(s);
      auto *name =
          assign ? llvm::dyn_cast<NameExpr>(assign->targets[0]) : nullptr;
      Value member = name ? memberOf(cls, name->id) : Value();
      if (!member || args.size() != 1)
        continue;
      Value value = member;
      // A plain enumeration's member is an object; its number is its `value`.
      if (member.is(VK::Instance))
        value = member.as<InstanceObject>()->attributes->names["value"].value;
      if (hostEquals(value, args[0]).value_or(false))
        return member;
    }
    return fail(DiagID::BadArgument, range,
                "'" + cls->def->name + "' has no such member");
  }
  auto *object = make<InstanceObject>();
  object->cls = cls;
  object->attributes = newScope(nullptr);
  Value self = Value::object(object);
  Value init = memberOf(cls, "__init__");
  if (init && init.is(VK::Function)) {
    SmallVector<Value> all = {self};
    all.append(args.begin(), args.end());
    return callFunction(init.as<FunctionObject>(), all, keywords, range)
               ? self
               : Value();
  }
  if (cls->isRecord) {
    if (!fillFields(object, args, keywords, range))
      return {};
    Value after = memberOf(cls, "__post_init__");
    if (after && after.is(VK::Function) &&
        !callFunction(after.as<FunctionObject>(), {self}, {}, range))
      return {};
    return self;
  }
  if (args.empty() && keywords.empty())
    return self;
  error(DiagID::BadCall, range, "'" + cls->def->name + "' takes no arguments")
      .note(cls->def->nameRange, "it has no __init__");
  return {};
}

/// super() in a method: the object, seen from the class above the method's.
Value Interpreter::superObject(SourceRange range) {
  // The nearest function that is a method; nested functions and blocks of it
  // are passed through.
  Scope *s = scope;
  while (s && !(s->function && s->function->owner))
    s = s->parent;
  FunctionObject *fn = s ? s->function : nullptr;
  Value self;
  if (fn && !fn->params().empty())
    // Its first parameter, whatever its name.
    self = s->names[fn->params()[0].name].value;
  if (!self || !self.is(VK::Instance))
    return fail(DiagID::BadCall, range, "super() is for methods of a class");
  auto *object = make<InstanceObject>();
  object->cls = fn->owner;
  object->attributes = self.as<InstanceObject>()->attributes;
  object->isSuper = true;
  object->self = self;
  return Value::object(object);
}
