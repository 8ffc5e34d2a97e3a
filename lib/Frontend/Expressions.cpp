//===- Expressions.cpp - Evaluation of expression nodes -------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

using namespace tlc;
using namespace tlc::frontend;
using llvm::SmallVector;

Value Interpreter::eval(const Expr *e) {
  Value v = evalNode(e, /*reference=*/false);
  return v ? deref(v, e->range) : v;
}

Value Interpreter::evalRef(const Expr *e) {
  return evalNode(e, /*reference=*/true);
}

/// Variables and elements become their values; everything else stays.
Value Interpreter::deref(Value v, SourceRange range) {
  if (v.is(VK::Buffer) && v.as<BufferObject>()->isVar)
    return load(v.as<BufferObject>(), {Value::integral(0)}, range);
  if (v.is(VK::Region) && v.as<RegionObject>()->isElement)
    return load(v.as<RegionObject>()->buffer, v.as<RegionObject>()->offsets,
                range);
  return v;
}

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

Value Interpreter::evalNode(const Expr *e, bool reference) {
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
  case ExprKind::Lambda: {
    auto *fn = make<FunctionObject>();
    fn->lambda = llvm::cast<LambdaExpr>(e);
    fn->closure = scope;
    for (const Param &p : fn->params()) {
      fn->defaults.push_back(p.defaultValue ? eval(p.defaultValue) : Value());
      if (p.defaultValue && !fn->defaults.back())
        return {};
    }
    return Value::object(fn);
  }
  case ExprKind::NamedExpr: {
    auto *named = llvm::cast<NamedExprExpr>(e);
    Value v = eval(named->value);
    return v && bindName(named->target->id, v, named->target->range) ? v
                                                                     : Value();
  }
  case ExprKind::Starred:
  case ExprKind::Yield:
  case ExprKind::Await:
    return fail(DiagID::NotSupportedInKernel, e->range,
                "this expression cannot stand in kernel code");
  }
  return {};
}

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
  case ConstantExpr::Bytes:
    return Value::string(e->text);
  case ConstantExpr::Imaginary:
    return fail(DiagID::NotSupportedInKernel, e->range,
                "complex numbers are not supported");
  }
  return {};
}

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
    if (part.conversion)
      v = makeString(str(v, part.conversion != 's'));
    std::string spec;
    if (part.format) {
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

Value Interpreter::evalDict(const DictExpr *e) {
  auto *dict = make<DictObject>();
  for (auto [key, value] : llvm::zip(e->keys, e->values)) {
    Value v = evalRef(value);
    if (!v)
      return {};
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

Value Interpreter::evalComprehension(const ComprehensionExpr *e) {
  SmallVector<Value> elements;
  auto *dict =
      e->type == ComprehensionExpr::Dict ? make<DictObject>() : nullptr;
  Scope *outer = scope;
  scope = newScope(outer);
  scope->function = outer->function;
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

/// Compile-time operands decide as in Python. From the first symbolic operand
/// on, the result is an And or Or of all that follow.
Value Interpreter::evalBoolOp(const BoolOpExpr *e) {
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
  return result.is(VK::Scalar) ? fold(result.asSym()) : result;
}

Value Interpreter::evalCompare(const CompareExpr *e) {
  Value left = eval(e->first), result;
  if (!left)
    return {};
  for (auto [op, operand] : llvm::zip(e->ops, e->rest)) {
    Value right = eval(operand);
    if (!right)
      return {};
    SourceRange range{e->first->range.begin, operand->range.end};
    Value v = compare(op, left, right, range);
    if (!v)
      return {};
    left = right;
    if (v.is(VK::Bool)) {
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

Value Interpreter::evalTernary(const IfExpExpr *e) {
  Value cond = eval(e->condition);
  bool failed = false;
  auto t = truth(cond, e->condition->range, failed);
  if (failed)
    return {};
  if (t)
    return eval(*t ? e->then : e->otherwise);
  mlir::Value c = toI1(cond, e->condition->range);
  if (!c)
    return {};
  return select(
      c, [&] { return eval(e->then); }, [&] { return eval(e->otherwise); },
      e->range);
}

Value Interpreter::evalAttribute(const AttributeExpr *e, bool reference) {
  // A variable's own attributes (x.dtype) are the buffer's, not the value's.
  Value object = evalRef(e->object);
  return object ? attribute(object, e->attr, e->attrRange) : Value();
}

Value Interpreter::evalSubscript(const SubscriptExpr *e, bool reference) {
  Value object = evalRef(e->object);
  if (!object)
    return {};
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
  if (object.is(VK::Dict)) {
    for (auto &entry : llvm::reverse(object.as<DictObject>()->entries)) {
      auto equal = hostEquals(entry.first, index);
      if (equal && *equal)
        return entry.second;
    }
    return fail(DiagID::BadArgument, range,
                "the dictionary has no key " + str(index, true));
  }
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
    if (!iterate(object, range, elements))
      return {};
    if (index.is(VK::Slice)) {
      int64_t lower, upper, stride;
      if (!clampSlice(elements.size(), lower, upper, stride))
        return {};
      SmallVector<Value> part;
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
