//===- Expressions.cpp - Evaluation of expression nodes -------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluation of expressions. Each node gives a Value; whether it is computed
// now or emitted as IR depends on the operands' values alone (docs/language.md,
// section 1):
//
//   n // 2 + 1        n = 64  ->  Int 33
//                     n symbolic  ->  arith.shrsi, arith.addi, a Scalar
//   [f(x) for x in s]             always compile-time; f(x) may emit IR
//
// Reading memory is put off as long as possible: evalRef gives the element
// itself, eval its value. So an element can be the target of a copy, an
// argument by reference, or one side of `+=`, without a load that nothing
// needs.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

using namespace tlc;
using namespace tlc::frontend;
using llvm::SmallVector;

/// The value of an expression: variables and elements are loaded. Invalid after
/// a report, as for all functions here.
Value Interpreter::eval(const Expr *e) {
  Value v = evalNode(e, /*reference=*/false);
  return v ? deref(v, e->range) : v;
}

/// The same, but a variable or element stays a reference to its memory.
Value Interpreter::evalRef(const Expr *e) {
  return evalNode(e, /*reference=*/true);
}

/// Variables and elements become their values; everything else stays.
Value Interpreter::deref(Value v, SourceRange range) {
  if (v.is(VK::Buffer) && v.as<BufferObject>()->isVar) {
    auto *variable = v.as<BufferObject>();
    SmallVector<Value> first = {Value::integral(0)};
    return variable->lanes > 1 ? loadVector(variable, first, range)
                               : load(variable, first, range);
  }
  if (v.is(VK::Region) && v.as<RegionObject>()->isElement)
    return load(v.as<RegionObject>()->buffer, v.as<RegionObject>()->offsets,
                range);
  return v;
}

/// Appends the values of a list of expressions; `*sequence` is spread out.
/// False after a report.
bool Interpreter::evalList(ExprList list, llvm::SmallVectorImpl<Value> &out,
                           bool reference) {
  for (const Expr *e : list) {
    if (auto *star = llvm::dyn_cast<StarredExpr>(e)) {
      Value v = eval(star->value);
      if (!v || !iterate(v, e->range, out))
        return false;
      continue;
    }
    out.push_back(reference ? evalRef(e) : eval(e));
    if (!out.back())
      return false;
  }
  return true;
}

/// One node. `reference` matters for names, attributes and subscripts only; all
/// other nodes make values.
Value Interpreter::evalNode(const Expr *e, bool reference) {
  // Each node counts: a program that does not end runs into a limit.
  if (!step(e->range))
    return {};
  switch (e->kind) {
  case ExprKind::Name:
    return readName(llvm::cast<NameExpr>(e), reference);
  case ExprKind::Constant:
    return evalConstant(llvm::cast<ConstantExpr>(e));
  case ExprKind::JoinedStr:
    return evalJoined(llvm::cast<JoinedStrExpr>(e));
  case ExprKind::Tuple:
  case ExprKind::List:
  case ExprKind::Set: {
    // Elements are values, not references: a list of variables holds what they
    // held.
    ExprList elements =
        e->kind == ExprKind::Tuple  ? llvm::cast<TupleExpr>(e)->elements
        : e->kind == ExprKind::List ? llvm::cast<ListExpr>(e)->elements
                                    : llvm::cast<SetExpr>(e)->elements;
    SmallVector<Value> values;
    if (!evalList(elements, values))
      return {};
    return makeSequence(e->kind == ExprKind::Tuple  ? VK::Tuple
                        : e->kind == ExprKind::List ? VK::List
                                                    : VK::Set,
                        values);
  }
  case ExprKind::Dict:
    return evalDict(llvm::cast<DictExpr>(e));
  case ExprKind::Comprehension:
    return evalComprehension(llvm::cast<ComprehensionExpr>(e));
  case ExprKind::BinOp: {
    auto *op = llvm::cast<BinOpExpr>(e);
    // Left before right, as Python does: the order of loads in the IR follows.
    Value a = eval(op->lhs);
    if (!a)
      return {};
    Value b = eval(op->rhs);
    return b ? binary(op->op, a, b, e->range) : Value();
  }
  case ExprKind::UnaryOp: {
    auto *op = llvm::cast<UnaryOpExpr>(e);
    Value v = eval(op->operand);
    return v ? unary(op->op, v, e->range) : Value();
  }
  case ExprKind::BoolOp:
    return evalBoolOp(llvm::cast<BoolOpExpr>(e));
  case ExprKind::Compare:
    return evalCompare(llvm::cast<CompareExpr>(e));
  case ExprKind::Call:
    return evalCall(llvm::cast<CallExpr>(e));
  case ExprKind::Attribute:
    return evalAttribute(llvm::cast<AttributeExpr>(e), reference);
  case ExprKind::Subscript:
    return evalSubscript(llvm::cast<SubscriptExpr>(e), reference);
  case ExprKind::Slice: {
    auto *slice = llvm::cast<SliceExpr>(e);
    auto *object = make<SliceObject>();
    // An absent bound is None, which is what slice(None, n) has as well.
    auto part = [&](const Expr *bound, Value &out) {
      out = bound ? eval(bound) : Value::none();
      return bool(out);
    };
    if (!part(slice->lower, object->lower) ||
        !part(slice->upper, object->upper) || !part(slice->step, object->step))
      return {};
    return Value::object(object);
  }
  case ExprKind::IfExp:
    return evalTernary(llvm::cast<IfExpExpr>(e));
  // A lambda sees the names of its scope when it is called, not when it is
  // made.
  case ExprKind::Lambda: {
    auto *fn = make<FunctionObject>();
    fn->lambda = llvm::cast<LambdaExpr>(e);
    fn->closure = scope;
    // Defaults are evaluated when the lambda is made, though.
    for (const Param &p : fn->params()) {
      fn->defaults.push_back(p.defaultValue ? eval(p.defaultValue) : Value());
      if (p.defaultValue && !fn->defaults.back())
        return {};
    }
    return Value::object(fn);
  }
  // `name := value` binds in the current scope and is the value.
  case ExprKind::NamedExpr: {
    auto *named = llvm::cast<NamedExprExpr>(e);
    Value v = eval(named->value);
    return v && bindName(named->target->id, v, named->target->range) ? v
                                                                     : Value();
  }
  // Stars stand in calls and lists only; coroutines have no place here.
  case ExprKind::Yield: {
    // A generator runs at once; what it gives is kept in a list.
    auto *yield = llvm::cast<YieldExpr>(e);
    Value v = yield->value ? eval(yield->value) : Value::none();
    if (!v || !yielded)
      return v ? fail(DiagID::NotSupportedInKernel, e->range,
                      "'yield' belongs into a function")
               : Value();
    if (!yield->isFrom)
      yielded->push_back(v);
    else if (!iterate(v, e->range, *yielded))
      return {};
    return Value::none();
  }
  case ExprKind::Starred:
  case ExprKind::Await:
    return fail(DiagID::NotSupportedInKernel, e->range,
                "this expression cannot stand in kernel code");
  }
  return {};
}

/// A literal. Integers have 64 bits; Python's larger ones are refused where
/// they are used.
Value Interpreter::evalConstant(const ConstantExpr *e) {
  switch (e->type) {
  case ConstantExpr::None:
    return Value::none();
  case ConstantExpr::True:
    return Value::boolean(true);
  case ConstantExpr::False:
    return Value::boolean(false);
  case ConstantExpr::Ellipsis:
    return Value::ellipsis();
  case ConstantExpr::Int:
    if (e->tooBig)
      return fail(DiagID::IntegerOverflow, e->range,
                  "this integer does not fit into 64 bits");
    return Value::integral(e->integer);
  case ConstantExpr::Float:
    return Value::real(e->real);
  case ConstantExpr::Str:
    return Value::string(e->text);
  case ConstantExpr::Bytes:
    return fail(DiagID::NotSupportedInKernel, e->range,
                "bytes are not supported");
  case ConstantExpr::Imaginary:
    return fail(DiagID::NotSupportedInKernel, e->range,
                "complex numbers are not supported");
  }
  return {};
}

/// A formatted string, a compile-time value. Symbolic parts appear as the text
/// of their expression, which is what a message about them should say.
Value Interpreter::evalJoined(const JoinedStrExpr *e) {
  std::string text;
  for (auto &part : e->parts) {
    if (!part.value) {
      text += part.text;
      continue;
    }
    Value v = eval(part.value);
    if (!v)
      return {};
    // !r and !a are the same here: repr of what is not a string needs no
    // escapes.
    if (part.conversion)
      v = makeString(str(v, part.conversion != 's'));
    std::string spec;
    if (part.format) {
      // The format may hold values itself: {x:>{width}}.
      Value format = evalJoined(llvm::cast<JoinedStrExpr>(part.format));
      if (!format)
        return {};
      spec = format.asStr().str();
    }
    if (!formatSpec(v, spec, part.value->range, text))
      return {};
  }
  return makeString(text);
}

/// Keys and values stay references: buffers are keys of T.annotate_layout.
Value Interpreter::evalDict(const DictExpr *e) {
  auto *dict = make<DictObject>();
  // A key that occurs twice keeps its place and takes the later value.
  for (auto [key, value] : llvm::zip(e->keys, e->values)) {
    Value v = evalRef(value);
    if (!v)
      return {};
    // `**mapping`: its entries, in order.
    if (!key) {
      if (!v.is(VK::Dict))
        return typeError(value->range, "a dictionary", v);
      for (auto &[k, x] : v.as<DictObject>()->entries)
        setEntry(dict, k, x);
      continue;
    }
    Value k = evalRef(key);
    if (!k)
      return {};
    setEntry(dict, k, v);
  }
  return Value::object(dict);
}

/// All comprehensions run at once, generators too. Targets are bound in a scope
/// of their own, as in Python; conditions must be known at compile time, since
/// the number of elements depends on them.
Value Interpreter::evalComprehension(const ComprehensionExpr *e) {
  SmallVector<Value> elements;
  auto *dict =
      e->type == ComprehensionExpr::Dict ? make<DictObject>() : nullptr;
  // `function` is kept: `return` and `nonlocal` are judged by the function
  // around.
  Scope *outer = scope;
  scope = newScope(outer);
  scope->function = outer->function;
  // Clause i and those inside it, like nested loops; innermost the element.
  auto clause = [&](auto &self, size_t i) -> bool {
    if (i == e->clauses.size()) {
      Value v = eval(e->element);
      if (!v)
        return false;
      if (!dict) {
        elements.push_back(v);
        return true;
      }
      Value value = eval(e->value);
      if (value)
        setEntry(dict, v, value);
      return bool(value);
    }
    auto &c = e->clauses[i];
    Value iterable = eval(c.iterable);
    SmallVector<Value> items;
    if (!iterable || !iterate(iterable, c.iterable->range, items))
      return false;
    for (Value item : items) {
      if (!step(c.target->range) || !assign(c.target, item, c.target->range))
        return false;
      bool keep = true;
      for (const Expr *condition : c.conditions) {
        bool failed = false;
        Value v = eval(condition);
        auto t = truth(v, condition->range, failed);
        if (failed)
          return false;
        if (!t) {
          error(
              DiagID::NotConstant, condition->range,
              "the condition of a comprehension must be known at compile time");
          return false;
        }
        keep &= *t;
      }
      if (keep && !self(self, i + 1))
        return false;
    }
    return true;
  };
  bool ok = clause(clause, 0);
  scope = outer;
  if (!ok)
    return {};
  if (dict)
    return Value::object(dict);
  return makeSequence(e->type == ComprehensionExpr::Set ? VK::Set : VK::List,
                      elements);
}

/// `and`, `or`. Compile-time operands decide as in Python, and what follows a
/// deciding one is not evaluated. From the first symbolic operand on, the
/// result is an And or Or of all that follow, each evaluated: on the device
/// there is no short circuit.
Value Interpreter::evalBoolOp(const BoolOpExpr *e) {
  // The last compile-time operand, or the condition so far on the device.
  //   n > 0 and i < n     n = 64 at compile time  ->  i < n
  //   i < n and False     ->  False, though i is only known on the device
  Value result;
  for (const Expr *operand : e->operands) {
    Value v = eval(operand);
    if (!v)
      return {};
    if (!isSymbolic(v)) {
      bool failed = false;
      auto t = truth(v, operand->range, failed);
      if (failed)
        return {};
      // A deciding constant wins even after symbolic operands.
      if (*t != e->isAnd)
        return result && isSymbolic(result) ? Value::boolean(!e->isAnd) : v;
      if (!result || !isSymbolic(result))
        result = v;
      continue;
    }
    // What decides on the device is the truth of an operand, not its value: `x
    // or y` is a bool there, unlike in Python.
    mlir::Value cond = toI1(v, operand->range);
    if (!cond)
      return {};
    at(e->range);
    if (result && isSymbolic(result)) {
      mlir::Value left = result.asSym().value;
      cond = e->isAnd ? b.createOrFold<mlir::arith::AndIOp>(left, cond)
                      : b.createOrFold<mlir::arith::OrIOp>(left, cond);
    }
    result = Value::scalar({cond, dtypes::boolean});
  }
  // Two constants may have met in the operation.
  return result.is(VK::Scalar) ? fold(result.asSym()) : result;
}

/// `a < b < c` is `a < b and b < c` with b evaluated once. A comparison that is
/// false at compile time decides; symbolic ones are joined by And.
Value Interpreter::evalCompare(const CompareExpr *e) {
  Value left = eval(e->first), result;
  if (!left)
    return {};
  for (auto [op, operand] : llvm::zip(e->ops, e->rest)) {
    Value right = eval(operand);
    if (!right)
      return {};
    // Messages underline the two operands of this comparison.
    SourceRange range{e->first->range.begin, operand->range.end};
    Value v = compare(op, left, right, range);
    if (!v)
      return {};
    left = right;
    if (v.is(VK::Bool)) {
      // What follows is not evaluated, as in Python.
      if (!v.asBool())
        return v;
      if (!result)
        result = v;
    } else if (result && result.is(VK::Scalar)) {
      result = symBinary(BinOpKind::And, result, v, e->range);
    } else {
      result = v;
    }
  }
  return result;
}

/// `a if c else b`: one side if c is known, else both under a select.
Value Interpreter::evalTernary(const IfExpExpr *e) {
  Value cond = eval(e->condition);
  bool failed = false;
  auto t = truth(cond, e->condition->range, failed);
  if (failed)
    return {};
  if (t)
    // Known: the other side is not even evaluated.
    return eval(*t ? e->then : e->otherwise);
  mlir::Value c = toI1(cond, e->condition->range);
  if (!c)
    return {};
  // select() evaluates both sides, each with its loads under the condition if
  // they have any.
  return select(
      c, [&] { return eval(e->then); }, [&] { return eval(e->otherwise); },
      e->range);
}

/// object.name, the attributes of each kind of value; see Attributes.cpp.
Value Interpreter::evalAttribute(const AttributeExpr *e, bool reference) {
  // A variable's own attributes (x.dtype) are the buffer's, not the value's.
  Value object = evalRef(e->object);
  return object ? attribute(object, e->attr, e->attrRange) : Value();
}

/// object[index]: of a buffer, an element or region; of host code's values,
/// more of them; else compile-time indexing.
Value Interpreter::evalSubscript(const SubscriptExpr *e, bool reference) {
  Value object = evalRef(e->object);
  if (!object)
    return {};
  // Host code's values are indexed freely: what comes of it is host code's.
  if (object.is(VK::Poison))
    return makePoison(object.as<PoisonObject>()->what + "[...]",
                      object.as<PoisonObject>()->origin,
                      object.as<PoisonObject>()->missing);
  Value index = eval(e->index);
  if (!index)
    return {};
  if (object.is(VK::Buffer))
    return indexBuffer(object.as<BufferObject>(), index, e->range, reference);
  return subscript(object, index, e->range);
}

/// Indexing of compile-time values and annotations (T.Tensor[shape, dtype]).
Value Interpreter::subscript(Value object, Value index, SourceRange range) {
  if (object.is(VK::Builtin)) {
    Args args;
    args.range = range;
    if (object.asBuiltin()->fn == &Interpreter::tensorType &&
        index.is(VK::Tuple)) {
      // T.Tensor[shape, dtype], T.StridedTensor[shape, strides, dtype]
      // As if it had been called: the parameters are shape, dtype, data,
      // strides.
      args.values.resize(4);
      auto &elements = index.as<SequenceObject>()->elements;
      SmallVector<unsigned> slots = {0, 1};
      if (object.asBuiltin()->data == 1)
        slots = {0, 3, 1};
      for (auto [slot, v] : llvm::zip(slots, elements))
        args.values[slot] = v;
      args.ranges.assign(4, range);
      return tensorType(args);
    }
    return object; // typing subscripts: list[int], tuple[int, ...]
  }
  if (auto v = special(object, "__getitem__", {index}, range))
    return *v;
  // Color["RED"]
  if (object.is(VK::Class) && object.as<ClassObject>()->isEnum &&
      index.is(VK::Str))
    if (Value v = memberOf(object.as<ClassObject>(), index.asStr()))
      return v;
  if (object.is(VK::Instance) && object.as<InstanceObject>()->cls->isTuple) {
    SmallVector<Value> fields;
    if (!iterate(object, range, fields))
      return {};
    object = makeSequence(VK::Tuple, fields);
  }
  if (object.is(VK::Dict)) {
    for (auto &entry : llvm::reverse(object.as<DictObject>()->entries)) {
      auto equal = hostEquals(entry.first, index);
      if (equal && *equal)
        return entry.second;
    }
    if (Value factory = object.as<DictObject>()->factory) {
      Value v = callValue(factory, {}, range);
      if (v)
        setEntry(object.as<DictObject>(), index, v);
      return v;
    }
    return fail(DiagID::BadArgument, range,
                "the dictionary has no key " + str(index, true));
  }
  // Python's rules: negative bounds count from the end, bounds outside are
  // moved to the nearest end, a negative step runs backwards.
  auto clampSlice = [&](size_t size, int64_t &lower, int64_t &upper,
                        int64_t &stride) {
    auto *slice = index.as<SliceObject>();
    for (Value v : {slice->lower, slice->upper, slice->step})
      if (!v.is(VK::None) && !v.isIntLike())
        return bool(typeError(range, "integers in the slice", v));
    int64_t n = int64_t(size);
    stride = slice->step.is(VK::None) ? 1 : slice->step.asInt();
    if (!stride) {
      error(DiagID::SlicedStep, range, "a slice with step 0");
      return false;
    }
    auto bound = [&](Value v, int64_t absent) {
      if (v.is(VK::None))
        return absent;
      int64_t i = v.asInt() < 0 ? v.asInt() + n : v.asInt();
      return stride > 0 ? std::clamp<int64_t>(i, 0, n)
                        : std::clamp<int64_t>(i, -1, n - 1);
    };
    lower = bound(slice->lower, stride > 0 ? 0 : n - 1);
    upper = bound(slice->upper, stride > 0 ? n : -1);
    return true;
  };
  if (object.isSequence() || object.is(VK::Str) || object.is(VK::Range)) {
    SmallVector<Value> elements;
    // A string is indexed as the sequence of its characters, a range as its
    // numbers.
    if (!iterate(object, range, elements))
      return {};
    if (index.is(VK::Slice)) {
      int64_t lower, upper, stride;
      if (!clampSlice(elements.size(), lower, upper, stride))
        return {};
      SmallVector<Value> part;
      // "abcde"[3:0:-1]: lower 3, upper 0: d, c, b.
      for (int64_t i = lower; stride > 0 ? i < upper : i > upper; i += stride)
        part.push_back(elements[size_t(i)]);
      if (object.is(VK::Str)) {
        std::string text;
        for (Value v : part)
          text += v.asStr();
        return makeString(text);
      }
      return makeSequence(object.is(VK::Tuple) ? VK::Tuple : VK::List, part);
    }
    if (!index.isIntLike()) {
      // A compile-time list has no elements on the device.
      if (index.is(VK::Scalar))
        return fail(
            DiagID::NotConstant, range,
            "a list or tuple can only be indexed by a compile-time integer");
      return typeError(range, "an integer index", index);
    }
    int64_t i = index.asInt() < 0 ? index.asInt() + int64_t(elements.size())
                                  : index.asInt();
    if (i < 0 || i >= int64_t(elements.size()))
      return fail(DiagID::IndexOutOfBounds, range,
                  "index " + llvm::Twine(index.asInt()) + " is outside " +
                      llvm::Twine(elements.size()) + " elements");
    return elements[size_t(i)];
  }
  if (object.is(VK::Region))
    return fail(DiagID::RankMismatch, range, "this is indexed already");
  return typeError(range, "something that can be indexed", object);
}
