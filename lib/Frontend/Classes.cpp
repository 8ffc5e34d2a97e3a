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

static bool isDecorated(const FunctionObject *fn, StringRef name) {
  return fn->def && llvm::any_of(fn->def->decorators, [&](const Expr *d) {
           return lastName(d) == name;
         });
}

/// Whether a method stores into a buffer: `self.x[0] = ...`. A T.meta_class
/// stages those, and runs the others as Python.
static bool storesElements(StmtList body) {
  auto isElement = [](const Expr *target) {
    if (auto *tuple = llvm::dyn_cast<TupleExpr>(target))
      return llvm::any_of(tuple->elements, [](const Expr *e) {
        return llvm::isa<SubscriptExpr>(e);
      });
    return llvm::isa<SubscriptExpr>(target);
  };
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
    return name == "object" || name == "ABC" || name == "Protocol" ||
           name == "Generic" || name == "final";
  }
  return true;
}

Value Interpreter::makeClass(const ClassDefStmt *def) {
  auto *cls = make<ClassObject>();
  cls->def = def;
  Value unknown =
      makePoison("the class '" + llvm::Twine(def->name) + "'", def->range);
  for (const Expr *base : def->bases) {
    Value v;
    {
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
  for (ClassObject *base : cls->bases) {
    cls->isRecord |= base->isRecord;
    cls->isTuple |= base->isTuple;
    cls->isEnum |= base->isEnum;
    cls->isPlainEnum |= base->isPlainEnum;
    cls->fields.append(base->fields);
  }
  Scope *outer = scope;
  cls->members = newScope(outer);
  cls->members->staged = false;
  scope = cls->members;
  Flow flow = Flow::Next;
  for (const Stmt *s : def->body) {
    if (flow = exec(s); flow != Flow::Next)
      break;
    auto *field = llvm::dyn_cast<AnnAssignStmt>(s);
    auto *name = field ? llvm::dyn_cast<NameExpr>(field->target) : nullptr;
    if (!name || !cls->isRecord || lastName(field->annotation) == "ClassVar")
      continue;
    auto known = llvm::find_if(
        cls->fields, [&](auto &known) { return known.name == name->id; });
    if (known == cls->fields.end())
      known = cls->fields.insert(known, {name->id, nullptr, name->range});
    known->defaultValue = field->value;
    known->range = name->range;
  }
  scope = outer;
  if (flow != Flow::Next)
    return {};
  // Methods do not see the names of the class.
  int64_t next = 1;
  for (const Stmt *s : def->body) {
    if (auto *method = llvm::dyn_cast<FunctionDefStmt>(s)) {
      Value v = cls->members->names[method->name].value;
      if (!v || !v.is(VK::Function))
        continue;
      auto *fn = v.as<FunctionObject>();
      fn->closure = outer;
      fn->owner = cls;
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
    Binding &member = cls->members->names[name->id];
    if (member.value.is(VK::Poison)) // auto()
      member.value = Value::integral(next);
    if (member.value.is(VK::Int))
      next = member.value.asInt() + 1;
    if (!cls->isPlainEnum) // its members are numbers
      continue;
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

Value Interpreter::memberOf(ClassObject *cls, StringRef name) {
  auto it = cls->members->names.find(name);
  if (it != cls->members->names.end())
    return it->second.value;
  for (ClassObject *base : cls->bases)
    if (Value v = memberOf(base, name))
      return v;
  return {};
}

bool Interpreter::isSubclass(const ClassObject *cls, const ClassObject *base) {
  return cls == base || llvm::any_of(cls->bases, [&](const ClassObject *b) {
           return isSubclass(b, base);
         });
}

/// An attribute of an object or class: a method is bound to it, a property
/// computed. Invalid, without a message, if it has none.
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
  if (instance && instance->isSuper) {
    for (ClassObject *base : cls->bases)
      if ((v = memberOf(base, name)))
        break;
    object = instance->self;
  } else {
    v = memberOf(cls, name);
  }
  if (!v || !v.is(VK::Function))
    return v;
  auto *fn = v.as<FunctionObject>();
  if (isDecorated(fn, "staticmethod"))
    return v;
  if (isDecorated(fn, "classmethod"))
    object =
        Value::object(object.is(VK::Instance) ? object.as<InstanceObject>()->cls
                                              : object.as<ClassObject>());
  else if (!instance)
    return v;
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

bool Interpreter::setAttribute(Value object, StringRef name, Value value,
                               SourceRange range) {
  if (!object.is(VK::Instance) || object.as<InstanceObject>()->isSuper) {
    error(DiagID::NotSupportedInKernel, range,
          "'" + name + "' of " + describe(object) + " cannot be set")
        .help("attributes of objects of a class of this file can");
    return false;
  }
  if (value.is(VK::Buffer) && value.as<BufferObject>()->name.empty())
    nameBuffer(value.as<BufferObject>(), name.ltrim('_'));
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
      Scope *outer = std::exchange(scope, cls->members);
      if (factory) {
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
  Scope *s = scope;
  while (s && !(s->function && s->function->owner))
    s = s->parent;
  FunctionObject *fn = s ? s->function : nullptr;
  Value self;
  if (fn && !fn->params().empty())
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
