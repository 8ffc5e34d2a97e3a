//===- Objects.cpp - Special methods and copies of objects ----------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What operators, comparisons, len() and `for` mean for objects of a class of
// the file, and the functions of Python's library that make or copy objects.
//
//   a + b        a.__add__(b), else b.__radd__(a)
//   a == b       a.__eq__(b); fields of two equal dataclasses; else identity
//   x in a       a.__contains__(x), else among what __iter__ gives
//
// A method that a class does not have is no error here: the caller goes on with
// what the operation means for other values.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

using namespace tlc;
using namespace tlc::frontend;
using llvm::SmallVector;

/// Calls a special method of an object; nothing if `object` is none of a class
/// of the file, or its class has no such method. Invalid after a report.
std::optional<Value> Interpreter::special(Value object, StringRef name,
                                          ArrayRef<Value> args,
                                          SourceRange range) {
  if (!object.is(VK::Instance))
    return std::nullopt;
  Value method = memberOf(object.as<InstanceObject>()->cls, name);
  if (!method || !method.is(VK::Function))
    return std::nullopt;
  SmallVector<Value> all = {object};
  all.append(args.begin(), args.end());
  return callFunction(method.as<FunctionObject>(), all, {}, range);
}

/// `a op b` where one of them is an object; nothing if neither defines it.
std::optional<Value> Interpreter::objectBinary(BinOpKind op, Value a, Value b,
                                               SourceRange range) {
  static constexpr StringRef stems[] = {
      "add",    "sub",    "mul",    "truediv", "floordiv", "mod", "pow",
      "matmul", "lshift", "rshift", "and",     "or",       "xor"};
  StringRef stem = stems[size_t(op)];
  if (auto v = special(a, ("__" + stem + "__").str(), {b}, range))
    return v;
  return special(b, ("__r" + stem + "__").str(), {a}, range);
}

/// `a op b` for a comparison that orders or equates objects: as a method of one
/// side gives it. Nothing where neither has one.
std::optional<Value> Interpreter::objectCompare(CmpOpKind op, Value a, Value b,
                                                SourceRange range) {
  struct Names {
    StringRef own, mirrored;
  };
  static constexpr Names names[] = {{"__eq__", "__eq__"}, {"__ne__", "__ne__"},
                                    {"__lt__", "__gt__"}, {"__le__", "__ge__"},
                                    {"__gt__", "__lt__"}, {"__ge__", "__le__"}};
  if (size_t(op) >= std::size(names))
    return std::nullopt;
  if (auto v = special(a, names[size_t(op)].own, {b}, range))
    return v;
  return special(b, names[size_t(op)].mirrored, {a}, range);
}

/// The members of an enumeration in the order of their definition.
SmallVector<Value> Interpreter::enumMembers(ClassObject *cls) {
  SmallVector<Value> members;
  for (const Stmt *s : cls->def->body)
    if (auto *assign = llvm::dyn_cast<AssignStmt>(s))
      if (auto *name = llvm::dyn_cast<NameExpr>(assign->targets[0]))
        if (Value v = memberOf(cls, name->id))
          members.push_back(v);
  return members;
}

/// What iterating over an object or class gives; nothing if it cannot be.
/// False in `ok` after a report.
bool Interpreter::objectItems(Value v, SourceRange range,
                              llvm::SmallVectorImpl<Value> &out, bool &ok) {
  if (v.is(VK::Class)) {
    if (!v.as<ClassObject>()->isEnum)
      return false;
    out.append(enumMembers(v.as<ClassObject>()));
    return true;
  }
  if (auto items = special(v, "__iter__", {}, range)) {
    ok = *items && iterate(*items, range, out);
    return true;
  }
  auto *object = v.as<InstanceObject>();
  if (!object->cls->isTuple)
    return false;
  // A named tuple is the sequence of its fields.
  for (auto &field : object->cls->fields)
    out.push_back(object->attributes->names[field.name].value);
  return true;
}

/// Whether two objects of one dataclass or named tuple have equal fields;
/// nothing where that is not what == means, or not known.
std::optional<bool> Interpreter::sameFields(InstanceObject *a,
                                            InstanceObject *b) {
  for (auto &field : a->cls->fields) {
    auto equal = hostEquals(a->attributes->names[field.name].value,
                            b->attributes->names[field.name].value);
    if (!equal || !*equal)
      return equal;
  }
  return true;
}

/// Python's text of an object: its own, or that of a dataclass or enumeration.
std::string Interpreter::objectText(Value v, bool repr) {
  for (StringRef name : {"__str__", "__repr__"})
    if (!repr || name == "__repr__")
      if (auto text = special(v, name, {}, lastPlace))
        return *text && text->is(VK::Str) ? text->asStr().str() : "";
  auto *object = v.as<InstanceObject>();
  ClassObject *cls = object->cls;
  std::string text = cls->def->name.str();
  if (cls->isEnum)
    return text + "." + str(object->attributes->names["name"].value);
  if (!cls->isRecord)
    return describe(v);
  text += "(";
  for (auto [i, field] : llvm::enumerate(cls->fields))
    text += (i ? ", " : "") + field.name.str() + "=" +
            str(object->attributes->names[field.name].value, true);
  return text + ")";
}

/// A copy of a list, set, dictionary or object; with `deep`, of what they hold
/// as well. Other values are what they are.
Value Interpreter::copyOf(Value v, bool deep) {
  auto inner = [&](Value x) { return deep ? copyOf(x, true) : x; };
  switch (v.kind()) {
  case VK::Tuple:
  case VK::List:
  case VK::Set: {
    auto *copy = make<SequenceObject>(v.kind());
    for (Value x : v.as<SequenceObject>()->elements)
      copy->elements.push_back(inner(x));
    return Value::object(copy);
  }
  case VK::Dict: {
    auto *copy = make<DictObject>(*v.as<DictObject>());
    for (auto &[key, value] : copy->entries)
      value = inner(value);
    return Value::object(copy);
  }
  case VK::Instance: {
    auto *object = v.as<InstanceObject>();
    auto *copy = make<InstanceObject>();
    copy->cls = object->cls;
    if (object->cls->isEnum)
      return v;
    copy->attributes = newScope(nullptr);
    for (auto &[name, binding] : object->attributes->names) {
      copy->attributes->names[name] = binding;
      copy->attributes->names[name].value = inner(binding.value);
    }
    return Value::object(copy);
  }
  default:
    return v;
  }
}

/// copy.copy, copy.deepcopy: data 1.
Value Interpreter::pyCopy(Args &args) {
  return copyOf(args[0], currentBuiltin->data);
}

/// dataclasses.replace(object, field=value, ...): a new object; 1 asdict, 2
/// astuple, 3 the same of a named tuple's _replace, 4 its _asdict.
Value Interpreter::pyRecord(Args &args) {
  Value v = args.self ? args.self : args[0];
  if (!v.is(VK::Instance) || !v.as<InstanceObject>()->cls->isRecord)
    return typeError(args.range, "an object of a dataclass", v);
  auto *object = v.as<InstanceObject>();
  auto fieldValue = [&](StringRef name) {
    return object->attributes->names[name].value;
  };
  if (currentBuiltin->data == 1) {
    auto *dict = make<DictObject>();
    for (auto &field : object->cls->fields)
      setEntry(dict, makeString(field.name), copyOf(fieldValue(field.name)));
    return Value::object(dict);
  }
  if (currentBuiltin->data == 2) {
    SmallVector<Value> fields;
    for (auto &field : object->cls->fields)
      fields.push_back(copyOf(fieldValue(field.name)));
    return makeSequence(VK::Tuple, fields);
  }
  SmallVector<std::pair<StringRef, Value>> named(args.extra.begin(),
                                                 args.extra.end());
  for (auto &field : object->cls->fields)
    if (llvm::none_of(named, [&](auto &k) { return k.first == field.name; }))
      named.push_back({field.name, fieldValue(field.name)});
  // Through the constructor, so that __post_init__ runs, as in Python.
  return instantiate(object->cls, {}, named, args.range);
}

/// collections.namedtuple(name, fields, defaults=...): fields as a sequence or
/// as one string.
Value Interpreter::pyNamedTuple(Args &args) {
  SmallVector<Value> fields, defaults;
  if (!args[0].is(VK::Str))
    return typeError(args.rangeOf(0), "a name", args[0]);
  if (args[1].is(VK::Str)) {
    std::string text = args[1].asStr().str();
    std::replace(text.begin(), text.end(), ',', ' ');
    SmallVector<StringRef> parts;
    StringRef(text).split(parts, ' ', -1, /*KeepEmpty=*/false);
    for (StringRef part : parts)
      fields.push_back(makeString(part));
  } else if (!iterate(args[1], args.rangeOf(1), fields)) {
    return {};
  }
  if (args.has(2) && !iterate(args[2], args.rangeOf(2), defaults))
    return {};
  auto *def = ast.create<ClassDefStmt>();
  def->name = args[0].asStr();
  def->range = def->nameRange = args.range;
  auto *cls = make<ClassObject>();
  cls->def = def;
  cls->isRecord = cls->isTuple = true;
  cls->members = newScope(scope);
  for (auto [i, field] : llvm::enumerate(fields)) {
    if (!field.is(VK::Str))
      return typeError(args.rangeOf(1), "names", field);
    ClassObject::Field entry{field.asStr(), nullptr, args.range};
    // Defaults belong to the last fields. A name that no program can write
    // stands for the value, which is evaluated in the scope of the class.
    if (i + defaults.size() >= fields.size()) {
      auto *name = ast.create<NameExpr>();
      name->range = args.range;
      name->id = ast.save(("$" + field.asStr()).str());
      cls->members->names[name->id] = {
          Binding::Live, defaults[i + defaults.size() - fields.size()],
          args.range};
      entry.defaultValue = name;
    }
    cls->fields.push_back(entry);
  }
  return Value::object(cls);
}

/// collections.defaultdict(factory, entries?): reading a key that is missing
/// adds what the factory gives.
Value Interpreter::pyDefaultDict(Args &args) {
  Args plain = args;
  plain.values = {args.values[1]};
  plain.ranges = {args.range};
  Value dict = pyDict(plain);
  if (dict && args.has(0))
    dict.as<DictObject>()->factory = args[0];
  return dict;
}

/// type(x): the class of an object, or the function that makes such values.
Value Interpreter::pyType(Args &args) {
  Value v = args[0];
  StringRef name = v.is(VK::Bool)    ? "bool"
                   : v.is(VK::Int)   ? "int"
                   : v.is(VK::Float) ? "float"
                   : v.is(VK::Str)   ? "str"
                   : v.is(VK::Tuple) ? "tuple"
                   : v.is(VK::List)  ? "list"
                   : v.is(VK::Dict)  ? "dict"
                   : v.is(VK::Set)   ? "set"
                   : v.is(VK::DType) ? "T.dtype"
                                     : "";
  if (v.is(VK::Instance))
    return Value::object(v.as<InstanceObject>()->cls);
  if (!name.empty())
    return Value::builtin(findBuiltin(name));
  return makePoison("the type of " + describe(v), args.range);
}

/// setattr(object, name, value)
Value Interpreter::pySetAttr(Args &args) {
  if (!args[1].is(VK::Str))
    return typeError(args.rangeOf(1), "a name", args[1]);
  return setAttribute(args[0], args[1].asStr(), args[2], args.range)
             ? Value::none()
             : Value();
}

/// next(iterator[, default]). What Python gives as an iterator is a list here:
/// its first element leaves it.
Value Interpreter::pyNext(Args &args) {
  if (!args[0].is(VK::List))
    return typeError(args.rangeOf(0), "an iterator", args[0]);
  auto &items = args[0].as<SequenceObject>()->elements;
  if (items.empty())
    return args.values[1]
               ? args.values[1]
               : fail(DiagID::BadArgument, args.range, "nothing comes next");
  Value v = items.front();
  items.erase(items.begin());
  return v;
}

/// ord and chr: data 0 and 1, of ASCII.
Value Interpreter::pyCharacter(Args &args) {
  if (currentBuiltin->data == 0) {
    if (!args[0].is(VK::Str) || args[0].asStr().size() != 1)
      return typeError(args.rangeOf(0), "one character", args[0]);
    return Value::integral(uint8_t(args[0].asStr()[0]));
  }
  if (!args[0].isIntLike() || args[0].asInt() < 0 || args[0].asInt() > 127)
    return typeError(args.rangeOf(0), "a number below 128", args[0]);
  return makeString(StringRef(std::string(1, char(args[0].asInt()))));
}

/// slice(stop), slice(start, stop[, step])
Value Interpreter::pySlice(Args &args) {
  auto *slice = make<SliceObject>();
  size_t n = args.rest.size();
  if (n < 1 || n > 3)
    return fail(DiagID::BadCall, args.range, "slice takes one to three values");
  slice->lower = n > 1 ? args.rest[0] : Value::none();
  slice->upper = args.rest[n > 1];
  slice->step = n > 2 ? args.rest[2] : Value::none();
  return Value::object(slice);
}

/// T.PrimExpr and its kin: types that isinstance knows, which nothing is made
/// of.
Value Interpreter::onlyAsked(Args &args) {
  return fail(DiagID::NotSupportedInKernel, args.range,
              "'" + currentBuiltin->name +
                  "' is a type for isinstance; it makes no values here");
}

/// callable(x)
Value Interpreter::pyCallable(Args &args) {
  Value v = args[0];
  bool object =
      v.is(VK::Instance) && memberOf(v.as<InstanceObject>()->cls, "__call__");
  return Value::boolean(object || v.is(VK::Function) || v.is(VK::Method) ||
                        v.is(VK::Builtin) || v.is(VK::Class));
}

/// format(x, spec)
Value Interpreter::pyFormat(Args &args) {
  std::string text;
  StringRef spec = args.has(1) && args[1].is(VK::Str) ? args[1].asStr() : "";
  return formatSpec(args[0], spec, args.range, text) ? makeString(text)
                                                     : Value();
}
