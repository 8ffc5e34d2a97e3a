//===- Factories.cpp - From a kernel's definition to its program ----------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Binds the parameters of a definition and runs it: a factory, which returns a
// T.prim_func (or a factory, or several things of which one is), an eager
// function, or a T.prim_func.
//
// A parameter has the value of its -D, else its default. For one whose default
// is None under @autotune, a tuner would try values: the first of its
// configurations is taken, which a remark says.
//
//   @tilelang.jit                     -D M=64 -D N=128
//   def scale(M, N, factor=2.0):      M, N = 64, 128; factor = 2.0
//       @T.prim_func
//       def main(X: ..., Y: ...):     X, Y: arguments of the tile.func
//           ...
//       return main                   ->  runPrimFunc(main)
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "mlir/IR/Diagnostics.h"
#include "tlc/Frontend/Parameters.h"

using namespace tlc;
using namespace mlir;

namespace tlc::frontend {

/// Records an integer that a -D may change.
void Interpreter::noteParameter(StringRef name, int64_t value) {
  mlir::NamedAttrList record(
      func->getAttrOfType<mlir::DictionaryAttr>(kParametersAttr));
  record.set(name, mlir::IntegerAttr::get(
                       mlir::IntegerType::get(func.getContext(), 64), value));
  func->setAttr(kParametersAttr, record.getDictionary(func.getContext()));
}

/// The value that the first configuration of an @autotune(configs=[{...}, ...])
/// has for a parameter; Invalid where there is none.
///   @autotune(configs=[{"block_M": 128, "stages": 2}, ...])
///   @tilelang.jit
///   def f(M, N, block_M=None, stages=None):     block_M = 128, stages = 2
Value Interpreter::tunedValue(const FunctionDefStmt *def, const Param &param) {
  for (const Expr *d : def->decorators) {
    auto *call = llvm::dyn_cast<CallExpr>(d);
    auto *attr = call ? llvm::dyn_cast<AttributeExpr>(call->callee) : nullptr;
    auto *name = call ? llvm::dyn_cast<NameExpr>(call->callee) : nullptr;
    if (!(attr && attr->attr == "autotune") &&
        !(name && name->id == "autotune"))
      continue;
    // configs=, a list of dictionaries or a function that gives one.
    const Expr *configs = call->args.empty() ? nullptr : call->args[0];
    for (const Keyword &k : call->keywords)
      if (k.name == "configs")
        configs = k.value;
    if (!configs)
      return {};
    SmallVector<Value> list;
    {
      // Host code, and of no consequence where it cannot be run.
      DiagnosticEngine::Capture quiet(diags);
      Value v = eval(configs);
      if (v && v.is(VK::Function))
        v = callFunction(v.as<FunctionObject>(), {}, {}, configs->range);
      if (!v || !iterate(v, configs->range, list) || list.empty() ||
          !list[0].is(VK::Dict))
        return {};
    }
    for (auto &[key, value] : list[0].as<DictObject>()->entries)
      if (key.is(VK::Str) && key.asStr() == param.name) {
        mlir::emitRemark(locOf(param.range), "'")
            << param.name << "' is " << str(value)
            << ", the first of the tuner's configurations";
        return value;
      }
  }
  return {};
}

/// Binds one parameter of a factory or eager function: -D, default, or, for an
/// eager function, a run-time argument by its annotation. *args and **kwargs
/// are empty: nobody calls with more.
bool Interpreter::bindParameter(const FunctionDefStmt *def, unsigned index,
                                Scope *where) {
  const Param &p = def->params[index];
  bool found = false;
  Value v = defineValue(p.name, found);
  Binding binding{Binding::Live, v, p.range};
  if (found) {
    // A name of a type stays one: block sizes are numbers, dtypes types.
  } else if (p.kind == Param::VarArgs) {
    binding.value = makeSequence(VK::Tuple, {});
  } else if (p.kind == Param::KwArgs) {
    binding.value = Value::object(make<DictObject>());
  } else if (p.defaultValue) {
    if (!(binding.value = eval(p.defaultValue)))
      return false;
    if (binding.value.is(VK::None))
      if (Value tuned = tunedValue(def, p))
        binding.value = tuned;
  } else {
    // No value: a tensor that the body will annotate, or an error when it is
    // read.
    binding.state = Binding::Pending;
  }
  where->names[p.name] = binding;
  if (binding.value.is(VK::Int))
    noteParameter(p.name, binding.value.asInt());
  return true;
}

/// A parameter whose annotation says what it is: a tensor, a pointer, or with
/// `scalars` a number. `bound` stays false where it says none of these.
///   A: T.Tensor((M, N), dtype)   a tensor     p: T.ptr        a pointer
///   n: T.int32                   a scalar     n: int          compile-time
bool Interpreter::bindTyped(const Param &p, unsigned order, Value type,
                            bool scalars, Scope *body, bool &bound) {
  Value value;
  if ((value = pointerParameter(type, p.name, order))) {
  } else if (type.is(VK::Annotation) &&
             type.as<AnnotationObject>()->type == AnnotationObject::Tensor) {
    BufferObject *buffer = addTensor(p.name, type.as<AnnotationObject>(),
                                     Argument::Param, order, p.range);
    if (!buffer)
      return false;
    value = Value::object(buffer);
  } else if (DType dtype = scalars ? dtypeFrom(type, {}, true) : nullptr) {
    Argument a;
    a.name = p.name.str();
    a.order = order;
    a.dtype = dtype;
    int n = addArgument(a, typeOf(dtype), p.range);
    value = Value::scalar({arguments[size_t(n)].value, dtype});
  } else {
    return true;
  }
  bound = true;
  body->names[p.name] = {Binding::Live, value, p.range};
  return true;
}

/// An eager function: its body is the program. It runs staged from the start,
/// so that T.Kernel may stand in it; the tensors it returns are the outputs.
/// False after a report.
///   @tilelang.jit
///   def add(A, B, block=128):          block is -D's or 128
///       A: T.Tensor((N,), ...)         argument 0
///       C = T.empty((N,), ...)         an output, called C
///       with T.Kernel(...): ...        the launch
///       return C                       the order of outputs
bool Interpreter::runEager(const FunctionDefStmt *def, FunctionObject *fn) {
  Scope *body = newScope(fn->closure ? fn->closure : moduleScope);
  body->function = fn;
  body->staged = true;
  for (unsigned i = 0; i < def->params.size(); ++i)
    if (!bindParameter(def, i, body))
      return false;
  scope = body;
  // Parameters whose own annotation says what they are.
  for (auto [i, p] : llvm::enumerate(def->params)) {
    if (body->names[p.name].state != Binding::Pending || !p.annotation)
      continue;
    Value type = eval(p.annotation);
    if (!type)
      return false;
    // int, float and bool say what a compile-time value is.
    bool bound = false;
    if (!bindTyped(p, unsigned(i), type, type.is(VK::DType), body, bound))
      return false;
  }
  Flow flow = execBlock(def->body);
  if (flow == Flow::Error)
    return false;
  if (flow == Flow::Return &&
      !nameOutputs(returnExpr, returnValue, def->nameRange))
    return false;
  for (Argument &a : arguments)
    if (a.cls == Argument::Output && !returned.count(a.buffer)) {
      error(DiagID::MissingOutput, a.buffer->declared,
            "this T.empty tensor is never returned");
      return false;
    }
  return true;
}

/// Outputs are named by the variables returned, and ordered as returned. The
/// names themselves are set by assignment (Statements.cpp); here only the order
/// is. `e` is the returned expression, for its place; it may be null.
bool Interpreter::nameOutputs(const Expr *e, Value v, SourceRange range) {
  SmallVector<Value> values;
  if (v.isSequence())
    values.assign(v.as<SequenceObject>()->elements);
  else if (!v.is(VK::None))
    values.push_back(v);
  for (auto [i, out] : llvm::enumerate(values)) {
    if (!out.is(VK::Buffer) || out.as<BufferObject>()->argument < 0) {
      typeError(e ? e->range : range, "a tensor to return", out);
      return false;
    }
    returned.insert(out.as<BufferObject>());
    Argument &a = arguments[size_t(out.as<BufferObject>()->argument)];
    if (a.cls == Argument::Output)
      a.order = unsigned(i);
  }
  return true;
}

/// Appends the out_idx of a definition's @tilelang.jit(out_idx=...): numbers of
/// parameters, negative ones from the end. False after a report.
bool Interpreter::evalOutIdx(const FunctionDefStmt *def,
                             llvm::SmallVectorImpl<int64_t> &out) {
  const CallExpr *call = nullptr;
  isJit(def, nullptr, &call);
  if (!call)
    return true;
  SmallVector<Value> values;
  for (const Keyword &k : call->keywords)
    if (k.name == "out_idx") {
      Value v = eval(k.value);
      if (!v)
        return false;
      if (v.isSequence())
        values.assign(v.as<SequenceObject>()->elements);
      else if (!v.is(VK::None))
        values.push_back(v);
      for (Value i : values) {
        if (!i.isIntLike()) {
          typeError(k.range, "the index of a parameter", i);
          return false;
        }
        out.push_back(i.asInt());
      }
    }
  return true;
}

/// A factory: compile-time code that returns the kernel. What it returns may be
/// the kernel in several wrappings, peeled off one after another: one of
/// several results, what a tuner was given, a factory inside.
///   return main                       a T.prim_func
///   return main, grid                 the first function of several
///   return tilelang.compile(main)     host code that carries the kernel
///   return inner                      a factory: its parameters by -D as well
///   (nothing)                         the one kernel that the body defined
bool Interpreter::runFactory(const FunctionDefStmt *def, FunctionObject *fn) {
  SmallVector<int64_t> outIdx;
  if (!evalOutIdx(def, outIdx))
    return false;
  Scope *body = newScope(moduleScope);
  body->function = fn;
  body->staged = false;
  for (unsigned i = 0; i < def->params.size(); ++i)
    if (!bindParameter(def, i, body))
      return false;
  scope = body;
  Flow flow = execBlock(def->body);
  if (flow == Flow::Error)
    return false;
  Value result = flow == Flow::Return ? returnValue : Value::none();
  // Kernels made in the body, for factories that compile or launch theirs.
  if (result.is(VK::None)) {
    SmallVector<Value> made;
    for (auto &[name, binding] : body->names)
      if (binding.value && binding.value.is(VK::Function) &&
          binding.value.as<FunctionObject>()->type != FunctionObject::Plain &&
          binding.value.as<FunctionObject>()->type != FunctionObject::Macro)
        made.push_back(binding.value);
    if (made.size() == 1)
      result = made[0];
  }
  // Bounded: a factory that returns itself would go on for ever.
  for (int depth = 0; depth < 8; ++depth) {
    // Of several results, the first that is a kernel.
    if (result.isSequence())
      for (Value v : result.as<SequenceObject>()->elements)
        if (v.is(VK::Function) ||
            (v.is(VK::Poison) && v.as<PoisonObject>()->carried)) {
          result = v;
          break;
        }
    if (result.is(VK::Poison) && result.as<PoisonObject>()->carried)
      result = result.as<PoisonObject>()->carried;
    if (!result.is(VK::Function))
      break;
    auto *inner = result.as<FunctionObject>();
    if (inner->type == FunctionObject::PrimFunc)
      return runPrimFunc(inner, outIdx);
    if (!inner->def || inner->type == FunctionObject::Macro)
      break;
    if (inner->type == FunctionObject::Jit) {
      if (isEager(inner->def))
        return runEager(inner->def, inner);
      if (!evalOutIdx(inner->def, outIdx))
        return false;
    }
    // A factory of factories: the inner one's parameters are bound the same
    // way.
    SmallVector<std::pair<StringRef, Value>> given;
    for (const Param &p : inner->params()) {
      bool found = false;
      Value v = defineValue(p.name, found);
      if (found)
        given.push_back({p.name, v});
    }
    if (!(result = callFunction(inner, {}, given, def->nameRange)))
      return false;
  }
  error(DiagID::NoProgram, def->nameRange,
        "'" + def->name + "' returns " + describe(result) +
            ", not a T.prim_func");
  return false;
}

/// A T.prim_func: every parameter's annotation says what it is, and its place
/// in the list is the argument's. One at module level has parameters that -D
/// may bind to compile-time values; one inside a factory closes over the
/// factory's.
bool Interpreter::runPrimFunc(FunctionObject *fn, ArrayRef<int64_t> outIdx) {
  Scope *body = newScope(fn->closure);
  body->function = fn;
  body->staged = true;
  scope = fn->closure;
  for (auto [i, p] : llvm::enumerate(fn->params())) {
    bool found = false;
    Value given =
        fn->closure == moduleScope ? defineValue(p.name, found) : Value();
    if (found) {
      body->names[p.name] = {Binding::Live, given, p.range};
      continue;
    }
    // `A: T.Tensor(...)` in the body may say it.
    if (!p.annotation) {
      bool later = llvm::any_of(fn->def->body, [&](const Stmt *s) {
        auto *typed = llvm::dyn_cast<AnnAssignStmt>(s);
        auto *name = typed ? llvm::dyn_cast<NameExpr>(typed->target) : nullptr;
        return name && !typed->value && name->id == p.name;
      });
      if (later) {
        Binding binding;
        binding.state = Binding::Pending;
        binding.where = p.range;
        body->names[p.name] = binding;
        continue;
      }
      error(DiagID::BadArgument, p.range,
            "the parameter '" + p.name + "' of a T.prim_func needs a type");
      return false;
    }
    Value type = eval(p.annotation);
    if (!type)
      return false;
    bool bound = false;
    if (!bindTyped(p, unsigned(i), type, true, body, bound))
      return false;
    if (!bound)
      return bool(typeError(p.annotation->range,
                            "T.Tensor(...) or an element type", type));
  }
  scope = body;
  if (execBlock(fn->def->body) == Flow::Error)
    return false;
  int64_t count = int64_t(fn->params().size());
  for (int64_t i : outIdx) {
    int64_t index = i < 0 ? i + count : i;
    if (index < 0 || index >= count) {
      error(DiagID::BadArgument, fn->range(),
            "out_idx " + llvm::Twine(i) + " names none of the " +
                llvm::Twine(count) + " parameters");
      return false;
    }
    for (Argument &a : arguments)
      if (a.cls == Argument::Param && a.order == unsigned(index))
        a.forcedOut = true;
  }
  return true;
}

} // namespace tlc::frontend
