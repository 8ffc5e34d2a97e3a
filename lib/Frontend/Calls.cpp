//===- Calls.cpp - Functions, arguments, attributes -----------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of the file are inlined by running them. Their arguments are passed
// by reference, so that a helper may copy from a buffer's element; a macro
// reads scalar arguments once, unless the parameter is a T.Ref.
//
//   @T.macro
//   def scale(A, s):                 scale(X, Y[0])
//       for i in T.Parallel(64):     ->  s is loaded once, here; the loop and
//           A[i] *= s                    the stores are emitted in its place
//
// There is no call in the IR: a kernel is one function when it reaches the
// passes. Recursion is therefore possible only where compile-time values end
// it.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "Suggest.h"

using namespace tlc;
using namespace tlc::frontend;
using llvm::SmallVector;

/// What a definition's decorators make of it; anything unknown is no decorator.
/// Decorators are recognised by name: they are host code that is not run.
FunctionObject::Kind Interpreter::decoratedKind(const FunctionDefStmt *def) {
  bool isPrimFunc = false;
  // @tilelang.jit and @T.prim_func, in any of their spellings; see
  // Factories.cpp.
  if (isJit(def, &isPrimFunc, nullptr))
    return FunctionObject::Jit;
  if (isPrimFunc)
    return FunctionObject::PrimFunc;
  for (const Expr *d : def->decorators) {
    // @T.macro and @T.macro(hygienic=False).
    if (auto *call = llvm::dyn_cast<CallExpr>(d))
      d = call->callee;
    if (auto *attr = llvm::dyn_cast<AttributeExpr>(d);
        attr && (attr->attr == "macro" || attr->attr == "inline"))
      return FunctionObject::Macro;
    if (auto *name = llvm::dyn_cast<NameExpr>(d); name && name->id == "macro")
      return FunctionObject::Macro;
  }
  return FunctionObject::Plain;
}

/// A `def` as a value: its closure is the scope it stands in, its defaults are
/// evaluated now, as in Python. Invalid if one failed.
Value Interpreter::makeFunction(const FunctionDefStmt *def) {
  auto *fn = make<FunctionObject>();
  fn->def = def;
  fn->closure = scope;
  fn->type = decoratedKind(def);
  for (const Param &p : def->params) {
    // The kernel's own defaults wait until it is known which are needed.
    if (!p.defaultValue ||
        (fn->type == FunctionObject::Jit && scope == moduleScope)) {
      fn->defaults.push_back(Value());
      continue;
    }
    Value v = eval(p.defaultValue);
    if (!v)
      return {};
    fn->defaults.push_back(v);
  }
  return Value::object(fn);
}

/// The arguments of a call of a function of the file, by reference.
bool Interpreter::evalArguments(
    const CallExpr *e, llvm::SmallVectorImpl<Value> &args,
    llvm::SmallVectorImpl<std::pair<StringRef, Value>> &named) {
  if (!evalList(e->args, args, /*reference=*/true))
    return false;
  for (const Keyword &k : e->keywords) {
    // A keyword without a name is `**mapping`.
    Value v = evalRef(k.value);
    if (!v)
      return false;
    if (!k.name.empty()) {
      named.push_back({k.name, v});
      continue;
    }
    if (!v.is(VK::Dict)) {
      typeError(k.range, "a dictionary", v);
      return false;
    }
    for (auto &entry : v.as<DictObject>()->entries)
      named.push_back({entry.first.asStr(), entry.second});
  }
  return true;
}

/// A call expression. The callee decides how arguments are evaluated: builtins
/// take theirs by signature, functions of the file all by reference.
///   T.copy(A, B)     builtin       by its signature
///   x.append(1)      method        the same, with the receiver
///   T.float16(x)     dtype         a conversion
///   helper(A, i)     function      by reference, then its body
///   torch.rand(4)    poison        more poison
Value Interpreter::evalCall(const CallExpr *e) {
  // super() has no row of its own: it needs the scope of the call. A file may
  // define the name itself.
  if (auto *name = llvm::dyn_cast<NameExpr>(e->callee);
      name && name->id == "super" && !lookup("super"))
    return superObject(e->range);
  Value callee = evalRef(e->callee);
  if (!callee)
    return {};
  switch (callee.kind()) {
  case VK::Builtin:
    return callBuiltin(callee.asBuiltin(), e, Value());
  case VK::Method:
    if (auto *method = callee.as<MethodObject>(); method->builtin)
      return callBuiltin(method->builtin, e, method->self);
    [[fallthrough]];
  case VK::Function:
  case VK::Class: {
    SmallVector<Value> args;
    SmallVector<std::pair<StringRef, Value>> keywords;
    if (!evalArguments(e, args, keywords))
      return {};
    return callValue(callee, args, e->range, keywords);
  }
  case VK::Poison: {
    auto *poison = callee.as<PoisonObject>();
    // A name that a -D would define: say so, rather than go on without it.
    if (poison->missing)
      return poisonError(callee, e->callee->range);
    return callPoison(poison, e);
  }
  case VK::DType: { // T.float32(x)
    DType type = callee.asDType();
    bool laneByLane = type->lanes > 1 && e->args.size() == type->lanes;
    if ((e->args.size() != 1 && !laneByLane) || !e->keywords.empty())
      return fail(DiagID::BadCall, e->range,
                  type->lanes > 1 ? "a cast to " + type->name +
                                        " takes one value, or one of each lane"
                                  : "a cast takes one value");
    SmallVector<Value> lanes;
    if (laneByLane && !evalList(e->args, lanes))
      return {};
    Value v = laneByLane ? makeSequence(VK::Vector, lanes) : eval(e->args[0]);
    if (!v)
      return {};
    // T.float32("inf")
    if (v.is(VK::Str))
      if (v.asStr() == "inf" || v.asStr() == "-inf")
        v = Value::real(v.asStr()[0] == '-' ? -HUGE_VAL : HUGE_VAL);
    // T.float32x4(x): each lane of a vector, or the same value in all.
    if (type->lanes > 1) {
      int64_t lanes = laneCount(v, e->range);
      if (lanes && lanes != type->lanes)
        return typeError(e->args[0]->range, "a vector of as many lanes", v);
      return eachLane(type->lanes, [&](int64_t i) {
        Sym s = castValue(laneOf(v, i), type->element, e->range);
        return s ? fold(s) : Value();
      });
    }
    Sym s = castValue(v, type, e->range);
    return s ? fold(s) : Value();
  }
  // object(...): its class's __call__.
  case VK::Instance: {
    Value call = attribute(callee, "__call__", e->callee->range);
    if (!call || !call.is(VK::Method))
      return {};
    SmallVector<Value> args = {callee};
    SmallVector<std::pair<StringRef, Value>> keywords;
    if (!evalArguments(e, args, keywords))
      return {};
    return callFunction(call.as<MethodObject>()->function, args, keywords,
                        e->range);
  }
  default:
    break;
  }
  return fail(DiagID::NotCallable, e->callee->range,
              describe(callee) + " is not a function");
}

/// A call of host code gives host code's result. A kernel that it was given
/// goes with it: what a tuner's run() gives (AutoTuner.from_kernel(kernel=f,
/// …).….run()), and what a factory returns that compiles its kernel itself.
Value Interpreter::callPoison(PoisonObject *poison, const CallExpr *e) {
  if (poison->carried && poison->what.ends_with(".run"))
    return poison->carried;
  Value result = makePoison(poison->what + "(...)", poison->origin);
  result.as<PoisonObject>()->carried = poison->carried;
  // A T.prim_func given to host code that compiles it: the result stands for
  // it.
  for (const Expr *arg : e->args)
    if (auto *name = llvm::dyn_cast<NameExpr>(arg))
      if (Binding *known = lookup(name->id))
        if (known->value && known->value.is(VK::Function) &&
            known->value.as<FunctionObject>()->type == FunctionObject::PrimFunc)
          result.as<PoisonObject>()->carried = known->value;
  // AutoTuner.from_kernel(kernel=f): the kernel by position or by name.
  if (!poison->what.contains("AutoTuner") ||
      !poison->what.ends_with(".from_kernel"))
    return result;
  const Expr *kernel = e->args.empty() ? nullptr : e->args[0];
  for (const Keyword &k : e->keywords)
    if (k.name == "kernel")
      kernel = k.value;
  Value v = kernel ? evalRef(kernel) : Value();
  if (v && v.is(VK::Function))
    result.as<PoisonObject>()->carried = v;
  return v || !kernel ? result : Value();
}

/// functools.partial(function, ...)
Value Interpreter::makePartial(Args &args) {
  Value callee = args[0];
  if (!callee.is(VK::Function) && !callee.is(VK::Class) &&
      !callee.is(VK::Method) && !callee.is(VK::Builtin))
    return typeError(args.rangeOf(0), "a function or class", callee);
  auto *partial = make<MethodObject>();
  partial->partialOf = callee;
  partial->bound.assign(args.rest.begin(), args.rest.end());
  for (auto &[name, value] : args.extra)
    partial->named.push_back({name, value});
  return Value::object(partial);
}

/// A call of a builtin with values at hand: an expression is made for it, whose
/// names no program can write.
///   map(T.exp, xs)     T.exp($0), $0 bound to each element
Value Interpreter::callByName(Value callee, ArrayRef<Value> args,
                              SourceRange range,
                              ArrayRef<std::pair<StringRef, Value>> keywords) {
  Scope *outer = std::exchange(scope, newScope(scope));
  unsigned count = 0;
  auto name = [&](Value v) -> Expr * {
    auto *e = ast.create<NameExpr>();
    e->range = range;
    e->id = ast.save("$" + std::to_string(count++));
    scope->names[e->id] = {Binding::Live, v, range};
    return e;
  };
  auto *call = ast.create<CallExpr>();
  call->range = range;
  call->callee = name(callee);
  SmallVector<Expr *> positions;
  for (Value v : args)
    positions.push_back(name(v));
  call->args = ast.copy<Expr *>(positions);
  SmallVector<Keyword> named;
  for (auto &[key, v] : keywords) {
    named.emplace_back();
    named.back().name = key;
    named.back().value = name(v);
    named.back().range = range;
  }
  call->keywords = ast.copy<Keyword>(named);
  Value result = evalCall(call);
  scope = outer;
  return result;
}

/// A call with values at hand, for the callers that have no call expression.
Value Interpreter::callValue(Value callee, ArrayRef<Value> args,
                             SourceRange range,
                             ArrayRef<std::pair<StringRef, Value>> keywords) {
  if (callee.is(VK::Builtin) || callee.is(VK::DType) ||
      (callee.is(VK::Method) && callee.as<MethodObject>()->builtin))
    return callByName(callee, args, range, keywords);
  if (callee.is(VK::Function))
    return callFunction(callee.as<FunctionObject>(), args, keywords, range);
  if (callee.is(VK::Class))
    return instantiate(callee.as<ClassObject>(), args, keywords, range);
  if (callee.is(VK::Method) && callee.as<MethodObject>()->partialOf) {
    auto *partial = callee.as<MethodObject>();
    SmallVector<Value> all(partial->bound);
    all.append(args.begin(), args.end());
    SmallVector<std::pair<StringRef, Value>> named(keywords);
    for (auto &known : partial->named)
      if (llvm::none_of(named, [&](auto &k) { return k.first == known.first; }))
        named.push_back(known);
    return callValue(partial->partialOf, all, range, named);
  }
  if (callee.is(VK::Method) && callee.as<MethodObject>()->function) {
    SmallVector<Value> all = {callee.as<MethodObject>()->self};
    all.append(args.begin(), args.end());
    return callFunction(callee.as<MethodObject>()->function, all, keywords,
                        range);
  }
  return fail(DiagID::NotCallable, range,
              describe(callee) + " is not a function");
}

/// Whether a function's body makes it a generator.
static bool yields(StmtList body) {
  return llvm::any_of(body, [](const Stmt *s) {
    const Expr *e = nullptr;
    if (auto *statement = llvm::dyn_cast<ExprStmt>(s))
      e = statement->value;
    else if (auto *assign = llvm::dyn_cast<AssignStmt>(s))
      e = assign->value;
    if (e)
      return llvm::isa<YieldExpr>(e);
    if (auto *branch = llvm::dyn_cast<IfStmt>(s))
      return yields(branch->body) || yields(branch->orelse);
    if (auto *loop = llvm::dyn_cast<ForStmt>(s))
      return yields(loop->body);
    if (auto *loop = llvm::dyn_cast<WhileStmt>(s))
      return yields(loop->body);
    if (auto *with = llvm::dyn_cast<WithStmt>(s))
      return yields(with->body);
    if (auto *attempt = llvm::dyn_cast<TryStmt>(s))
      return yields(attempt->body);
    return false;
  });
}

/// Runs a function of the file: binds its parameters in a new scope inside its
/// closure, executes the body, gives what it returns (None if nothing), Invalid
/// after a report.
///
/// Binding follows Python: positions first, then keywords, then defaults;
/// `*args` takes the remaining positions, `**kwargs` the remaining keywords.
///
/// A plain function may be called where a tile operation stands in its body: it
/// emits at the builder's place. Whether its own loops and branches become IR
/// is decided by `staged`, which macros are and lambdas inherit.
Value Interpreter::callFunction(FunctionObject *fn, ArrayRef<Value> args,
                                ArrayRef<std::pair<StringRef, Value>> keywords,
                                SourceRange range) {
  // Recursion on the device cannot end, since all branches are compiled.
  if (callDepth >= 64)
    return fail(DiagID::CallDepth, range,
                "calls of '" + fn->name() + "' are nested too deeply");
  // A call costs about as much as this many statements.
  constexpr unsigned kStepsOfCall = 16;
  for (unsigned i = 0; i < kStepsOfCall; ++i)
    if (!step(range))
      return {};
  // Names that the body binds end with the call.
  Scope *callee = newScope(fn->closure);
  callee->function = fn;
  callee->staged =
      fn->type == FunctionObject::Macro || (fn->lambda && scope->staged);
  // `next` counts positional arguments taken; used[k] keywords.
  size_t next = 0;
  llvm::SmallVector<bool> used(keywords.size(), false);
  for (auto [i, p] : llvm::enumerate(fn->params())) {
    Value v;
    if (p.kind == Param::VarArgs) {
      v = makeSequence(VK::Tuple, args.drop_front(std::min(next, args.size())));
      next = args.size();
    } else if (p.kind == Param::KwArgs) {
      auto *dict = make<DictObject>();
      // `**kwargs` is the last parameter: what is unused now belongs to it.
      for (auto [k, pair] : llvm::enumerate(keywords))
        if (!used[k]) {
          dict->entries.push_back({makeString(pair.first), pair.second});
          used[k] = true;
        }
      v = Value::object(dict);
    } else {
      // By position, unless the parameter is behind a '*'.
      if (p.kind != Param::KwOnly && next < args.size())
        v = args[next++];
      for (auto [k, pair] : llvm::enumerate(keywords))
        if (pair.first == p.name && !used[k]) {
          if (v) {
            error(DiagID::BadCall, range,
                  "'" + fn->name() + "' got '" + p.name + "' twice")
                .note(p.range, "the parameter");
            return {};
          }
          v = pair.second;
          used[k] = true;
        }
      // The default, evaluated when the function was made.
      if (!v)
        v = fn->defaults[i];
      if (!v) {
        error(DiagID::BadCall, range,
              "'" + fn->name() + "' needs a value for '" + p.name + "'")
            .note(p.range, "the parameter");
        return {};
      }
    }
    // A macro reads its scalar arguments here, once; T.Ref keeps the reference,
    // so that the body can assign to the caller's element.
    bool isRef = false;
    if (fn->type == FunctionObject::Macro) {
      if (auto *attr = llvm::dyn_cast_or_null<AttributeExpr>(p.annotation))
        isRef = attr->attr == "Ref";
      if (!isRef && !(v = deref(v, range)))
        return {};
    }
    // Bound outside of the callee's own loops, inside the caller's.
    callee->names[p.name] = {
        Binding::Live, v, p.range, unsigned(loopStack.size()), 0, isRef};
  }
  // What no parameter took.
  if (next < args.size()) {
    error(DiagID::BadCall, range,
          "'" + fn->name() + "' takes " + llvm::Twine(next) +
              " arguments, not " + llvm::Twine(args.size()))
        .note(fn->range(), "defined here");
    return {};
  }
  for (auto [k, pair] : llvm::enumerate(keywords))
    if (!used[k]) {
      NearestName nearest(pair.first);
      for (const Param &p : fn->def->params)
        nearest.consider(p.name);
      auto diag =
          error(DiagID::BadCall, range,
                "'" + fn->name() + "' has no parameter '" + pair.first + "'");
      diag.note(fn->range(), "defined here");
      nearest.help(diag);
      return {};
    }
  // The callee starts at region depth 0 and outside any loop's flags: `return`
  // is allowed at its top level, and `break` cannot leave a loop of the caller.
  // Messages from now on carry a note about this call.
  ++callDepth;
  diags.context.push_back(
      {range, "in the call of '" + fn->name().str() + "' here"});
  Scope *outer = std::exchange(scope, callee);
  unsigned outerRegion = std::exchange(regionDepth, 0u);
  unsigned outerLoop = std::exchange(hostLoopRegion, 0u);
  auto *outerExit = std::exchange(exitFlag, nullptr);
  auto *outerSkip = std::exchange(skipFlag, nullptr);
  // Records of changes restart at depth 0: keep the outer ones.
  std::vector<Change> outerChanges;
  std::swap(outerChanges, changes);
  Value result;
  SmallVector<Value> given;
  auto *outerYielded = std::exchange(yielded, fn->lambda ? yielded : &given);
  if (fn->lambda) {
    result = evalRef(fn->lambda->body);
  } else {
    Flow flow = execBlock(fn->def->body);
    if (flow != Flow::Error && (!given.empty() || yields(fn->def->body)))
      result = makeSequence(VK::List, given);
    else if (flow == Flow::Return)
      result = returnValue;
    else if (flow != Flow::Error)
      result = Value::none();
  }
  // Elements are read where the function ends: it may have stored to them. A
  // macro's caller may want the element itself.
  if (result && result.is(VK::Region) && fn->type != FunctionObject::Macro)
    result =
        result.as<RegionObject>()->isElement ? deref(result, range) : result;
  yielded = outerYielded;
  std::swap(outerChanges, changes);
  hostLoopRegion = outerLoop;
  exitFlag = outerExit;
  skipFlag = outerSkip;
  regionDepth = outerRegion;
  scope = outer;
  diags.context.pop_back();
  --callDepth;
  return result;
}

//===----------------------------------------------------------------------===//
// Builtins
//===----------------------------------------------------------------------===//

/// Names to rows of BuiltinTable.cpp; rows live as long as the process.
static llvm::StringMap<const BuiltinInfo *> &builtinTable() {
  static llvm::StringMap<const BuiltinInfo *> table;
  return table;
}

/// `table` must outlive the process's last compilation. Not locked: called
/// under registerAllBuiltins' once.
void frontend::registerBuiltins(ArrayRef<BuiltinInfo> table) {
  for (const BuiltinInfo &info : table)
    builtinTable()[info.name] = &info;
}

/// The row of "T.copy", "len", "str.upper"; null if there is none.
const BuiltinInfo *frontend::findBuiltin(StringRef name) {
  return builtinTable().lookup(name);
}

void frontend::forEachBuiltin(llvm::function_ref<void(StringRef)> fn) {
  for (const auto &entry : builtinTable())
    fn(entry.getKey());
}

/// Evaluates the arguments of a builtin's call and puts them at its parameters:
/// `args.values[i]` is parameter i of the signature, Invalid where it was left
/// out; `args.exprs[i]` its expression, which is all there is for a lazy one.
/// False after a report.
///
///   "&src,&dst,**"  on  T.copy(A[i, 0], S, coalesced_width=4)
///   ->  values = {element of A, S}, extra = {coalesced_width: 4}
bool Interpreter::bindArgs(const BuiltinInfo *builtin, const CallExpr *e,
                           Args &args) {
  SmallVector<StringRef> params;
  builtin->signature.split(params, ',', -1, false);
  bool takesRest = false, takesHints = false, takesAny = false;
  struct Spec {
    StringRef name;
    bool optional, reference, lazy;
  };
  // The signature is read anew at each call; it is short.
  SmallVector<Spec> specs;
  SmallVector<StringRef> onlyNamed;
  // Functions of Python take any name; of the language's, each is known.
  bool isOwn = builtin->name.starts_with("T.");
  for (StringRef p : params) {
    if (p == "*" || p == "&*") {
      takesRest = true;
      continue;
    }
    if (p == "**" || p == "***") {
      takesHints = true;
      takesAny = !isOwn || p == "***";
      continue;
    }
    if (takesHints) {
      onlyNamed.push_back(p);
      continue;
    }
    // Marks: `&` by reference, `~` not evaluated, `?` may be left out.
    Spec spec{p, false, false, false};
    spec.optional = spec.name.consume_back("?");
    spec.reference = spec.name.consume_front("&");
    spec.lazy = spec.name.consume_front("~");
    specs.push_back(spec);
  }
  bool restByRef = builtin->signature.contains("&*");
  args.range = e->range;
  args.call = e;
  args.values.resize(specs.size());
  args.ranges.resize(specs.size());
  args.exprs.assign(specs.size(), nullptr);
  StringRef name = builtin->name;
  // A parameter is given once, by position or by name.
  auto put = [&](size_t i, Value v, Expr *expr, SourceRange range) {
    if (args.values[i] || args.exprs[i]) {
      error(DiagID::BadCall, range,
            "'" + name + "' got '" + specs[i].name + "' twice");
      return false;
    }
    args.values[i] = v;
    args.exprs[i] = expr;
    args.ranges[i] = range;
    return true;
  };
  size_t next = 0;
  // Positions. `*sequence` is spread out, also over several parameters.
  for (Expr *arg : e->args) {
    SmallVector<Value> values;
    if (auto *star = llvm::dyn_cast<StarredExpr>(arg)) {
      Value v = eval(star->value);
      if (!v || !iterate(v, arg->range, values))
        return false;
    } else if (next < specs.size() && specs[next].lazy) {
      if (!put(next++, Value(), arg, arg->range))
        return false;
      continue;
    } else {
      bool byRef = next < specs.size() ? specs[next].reference : restByRef;
      values.push_back(byRef ? evalRef(arg) : eval(arg));
      if (!values[0])
        return false;
    }
    for (Value v : values) {
      if (next < specs.size()) {
        if (!put(next++, v, arg, arg->range))
          return false;
      } else if (takesRest) {
        args.rest.push_back(v);
        args.restRanges.push_back(arg->range);
      } else {
        error(DiagID::BadCall, arg->range,
              "'" + name + "' takes at most " + llvm::Twine(specs.size()) +
                  " arguments");
        return false;
      }
    }
  }
  // Names. `**mapping` is spread out; names that no parameter has go to `extra`
  // where the signature allows them. Any other is an error: what was meant
  // would be lost.
  auto isExtra = [&](StringRef key) {
    return takesAny || llvm::is_contained(onlyNamed, key) ||
           (takesHints && isHintName(key));
  };
  for (const Keyword &k : e->keywords) {
    SmallVector<std::pair<StringRef, Value>> pairs;
    auto *spec =
        llvm::find_if(specs, [&](const Spec &s) { return s.name == k.name; });
    if (!k.name.empty() && spec != specs.end() && spec->lazy) {
      if (!put(size_t(spec - specs.begin()), Value(), k.value, k.value->range))
        return false;
      continue;
    }
    Value v = spec != specs.end() && spec->reference ? evalRef(k.value)
                                                     : eval(k.value);
    if (!v)
      return false;
    if (!k.name.empty()) {
      pairs.push_back({k.name, v});
    } else if (v.is(VK::Dict)) {
      // Keys that are no strings can name nothing and are dropped.
      for (auto &entry : v.as<DictObject>()->entries)
        if (entry.first.is(VK::Str))
          pairs.push_back({entry.first.asStr(), entry.second});
    } else {
      typeError(k.range, "a dictionary", v);
      return false;
    }
    for (auto &[key, value] : pairs) {
      auto *it = llvm::find_if(
          specs, [&, key = key](const Spec &s) { return s.name == key; });
      if (it != specs.end()) {
        if (!put(size_t(it - specs.begin()), value, k.value, k.value->range))
          return false;
      } else if (isExtra(key)) {
        args.extra.push_back({key, value});
      } else {
        NearestName meant(key);
        for (const Spec &s : specs)
          meant.consider(s.name);
        for (StringRef only : onlyNamed)
          meant.consider(only);
        if (takesHints)
          forEachHintName([&](StringRef hint) { meant.consider(hint); });
        auto diag = error(DiagID::BadCall, k.range,
                          "'" + name + "' has no parameter '" + key + "'");
        meant.help(diag);
        return false;
      }
    }
  }
  // All that is not optional must be there.
  for (auto [i, spec] : llvm::enumerate(specs))
    if (!spec.optional && !args.values[i] && !args.exprs[i]) {
      error(DiagID::BadCall, e->range,
            "'" + name + "' needs a value for '" + spec.name + "'");
      return false;
    }
  return true;
}

/// Calls a builtin. `currentBuiltin` tells an implementation shared by several
/// names which one is meant. A function of one element that is given a vector
/// runs for each lane.
Value Interpreter::callBuiltin(const BuiltinInfo *builtin, const CallExpr *e,
                               Value self) {
  // scale = 1 / T.sqrt(D) beside a kernel is arithmetic of the host.
  if (!kernelOp && isScalarMath(builtin))
    if (const BuiltinInfo *host =
            findBuiltin(("math." + builtin->name.drop_front(2)).str()))
      builtin = host;
  if ((builtin->flags & BuiltinInfo::Device) &&
      !requireDevice(e->range, builtin->name))
    return {};
  Args args;
  args.self = self;
  if (!bindArgs(builtin, e, args))
    return {};
  // Operations of the implementation get the call's place.
  at(e->range);
  // Restored afterwards: a builtin may call functions, which call builtins.
  const BuiltinInfo *outer = std::exchange(currentBuiltin, builtin);
  bool vectors = args.self && args.self.is(VK::Vector);
  for (ArrayRef<Value> values : {ArrayRef(args.values), ArrayRef(args.rest)})
    for (Value v : values)
      vectors |= v && v.is(VK::Vector);
  Value v = vectors && isScalarMath(builtin) ? callLanes(builtin, args)
                                             : (this->*builtin->fn)(args);
  currentBuiltin = outer;
  return v;
}
