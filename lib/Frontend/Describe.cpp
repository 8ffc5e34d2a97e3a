//===- Describe.cpp - Values in words, and Python's str() -----------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values as text: what messages call them, and Python's str() and repr() for
// the strings that kernels assemble (names of kernels, assertion
// texts). Also the errors about values of a wrong kind, which need that text.
//
//   describe(A)      the buffer 'A' of shape (m, 64)     for messages
//   str([1, "a"])    [1, 'a']                            Python's text
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/SaveAndRestore.h"
#include <cmath>
#include <unordered_set>

using namespace tlc;
using namespace tlc::frontend;

/// What messages call a value.
std::string Interpreter::describe(Value v) {
  switch (v.kind()) {
  case VK::Invalid:
    return "an invalid value";
  case VK::None:
    return "None";
  case VK::Ellipsis:
    return "...";
  case VK::Bool:
  case VK::Int:
  case VK::Float:
    return str(v);
  case VK::Str:
    return "the string " + str(v, true);
  case VK::DType:
    return "the type " + v.asDType()->name.str();
  case VK::Scalar:
    return "a value of type " + v.asSym().type->name.str();
  case VK::Builtin:
    return "the function " + v.asBuiltin()->name.str();
  case VK::Tuple:
    return "a tuple";
  case VK::List:
    return "a list";
  case VK::Dict:
    return "a dictionary";
  case VK::Set:
    return "a set";
  case VK::Vector:
    return "a vector of " +
           std::to_string(v.as<SequenceObject>()->elements.size()) + " lanes";
  case VK::Range:
    return "a range";
  case VK::Slice:
    return "a slice";
  case VK::Function:
    return "the function '" + v.as<FunctionObject>()->name().str() + "'";
  case VK::Method:
    return "a method";
  case VK::Module:
    return "the module " + v.as<ModuleObject>()->name.str();
  case VK::Poison:
    return v.as<PoisonObject>()->what.str();
  case VK::Buffer: {
    auto *buffer = v.as<BufferObject>();
    return "the buffer '" + buffer->name + "' of shape " +
           shapeText(buffer->shape);
  }
  case VK::Region: {
    auto *region = v.as<RegionObject>();
    return (region->isElement ? "an element of '" : "a region of '") +
           region->buffer->name + "'";
  }
  case VK::Layout:
    return "a layout";
  case VK::Loop:
    return "a loop range";
  case VK::Kernel:
    return "T.Kernel(...)";
  case VK::Annotation:
    return "a parameter type";
  case VK::Exception:
    return "an exception";
  case VK::Class:
    return "the class '" + v.as<ClassObject>()->def->name.str() + "'";
  case VK::Instance:
    return "an object of '" + v.as<InstanceObject>()->cls->def->name.str() +
           "'";
  }
  return "a value";
}

/// "(m, 64, (n // 2))": extents as a program would write them.
std::string Interpreter::shapeText(ArrayRef<Value> shape) {
  std::string text = "(";
  for (auto [i, extent] : llvm::enumerate(shape))
    text += (i ? ", " : "") + indexText(extent);
  return text + ")";
}

/// Python's repr of a float: the shortest text that reads back as the same
/// number, with ".0" where it would look like an integer.
static std::string floatText(double d) {
  if (std::isnan(d))
    return "nan";
  if (std::isinf(d))
    return d < 0 ? "-inf" : "inf";
  // The shortest text that reads back as the same number.
  std::string text;
  for (int digits = 1; digits <= 17; ++digits) {
    text.clear();
    llvm::raw_string_ostream(text) << llvm::format("%.*g", digits, d);
    if (std::strtod(text.c_str(), nullptr) == d)
      break;
  }
  // "1e+20" and "nan" need no point.
  if (text.find_first_of(".en") == std::string::npos)
    text += ".0";
  return text;
}

/// str(v), or repr(v). Elements of containers are always repr'd, and a tuple of
/// one has its comma. Symbolic values show their expression.
///   str((1,)) = "(1,)"   str(["a"]) = "['a']"   str(T.float16) = "float16"
///   str(1.0) = "1.0"     str(0.1) = "0.1"       str(n // 2) = "(n // 2)"
std::string Interpreter::str(Value v, bool repr) {
  // A list may hold itself.
  static unsigned nested = 0;
  constexpr unsigned kMostNested = 50;
  auto list = [&](StringRef open, StringRef close, ArrayRef<Value> elements) {
    if (nested >= kMostNested)
      return (open + "..." + close).str();
    llvm::SaveAndRestore deeper(nested, nested + 1);
    std::string text = open.str();
    for (auto [i, e] : llvm::enumerate(elements))
      text += (i ? ", " : "") + str(e, true);
    if (open == "(" && elements.size() == 1)
      text += ",";
    return text + close.str();
  };
  switch (v.kind()) {
  case VK::Bool:
    return v.asBool() ? "True" : "False";
  case VK::Int:
    return std::to_string(v.asInt());
  case VK::Float:
    return floatText(v.asFloat());
  case VK::Str: {
    if (!repr)
      return v.asStr().str();
    // Quotes as Python chooses them: double ones around an apostrophe.
    char quote =
        v.asStr().contains('\'') && !v.asStr().contains('"') ? '"' : '\'';
    std::string text(1, quote);
    for (char c : v.asStr()) {
      if (c == quote || c == '\\')
        text += '\\';
      if (c == '\n')
        text += "\\n";
      else if (c == '\t')
        text += "\\t";
      else
        text += c;
    }
    return text + quote;
  }
  case VK::DType:
    return v.asDType()->name.str();
  case VK::Tuple:
    return list("(", ")", v.as<SequenceObject>()->elements);
  case VK::List:
    return list("[", "]", v.as<SequenceObject>()->elements);
  case VK::Set:
    if (v.as<SequenceObject>()->elements.empty())
      return "set()";
    return list("{", "}", v.as<SequenceObject>()->elements);
  case VK::Dict: {
    std::string text = "{";
    for (auto [i, e] : llvm::enumerate(v.as<DictObject>()->entries))
      text += (i ? ", " : "") + str(e.first, true) + ": " + str(e.second, true);
    return text + "}";
  }
  case VK::Range: {
    auto *r = v.as<RangeObject>();
    return "range(" + std::to_string(r->start) + ", " +
           std::to_string(r->stop) +
           (r->step == 1 ? "" : ", " + std::to_string(r->step)) + ")";
  }
  case VK::Instance:
    return objectText(v, repr);
  case VK::Scalar:
    return indexText(v);
  case VK::Exception:
    return v.as<ExceptionObject>()->message;
  default:
    return describe(v);
  }
}

/// Reports that a value is of the wrong kind; always Invalid. A value of host
/// code says that instead, and an Invalid one was reported before.
Value Interpreter::typeError(SourceRange range, StringRef wanted, Value got) {
  if (got.is(VK::Poison))
    return poisonError(got, range);
  if (!got)
    return {};
  auto diag = error(DiagID::TypeMismatch, range,
                    "expected " + wanted + ", not " + describe(got));
  if (got.is(VK::Buffer))
    diag.note(got.as<BufferObject>()->declared, "declared here");
  return {};
}

/// Reports that host code's value is used in a kernel: where a -D could give
/// it, by asking for that.
Value Interpreter::poisonError(Value v, SourceRange range) {
  auto *poison = v.as<PoisonObject>();
  if (poison->missing)
    return missingName(poison->what, range, v);
  // "the module 'os'.getpid(...)" is 'os.getpid(...)'.
  std::string what = poison->what.str();
  StringRef module(what);
  if (size_t quote = module.find("'.");
      module.consume_front("the module '") && quote != StringRef::npos) {
    std::string path = module.str();
    path.erase(path.find("'."), 1);
    what = "'" + path + "'";
  }
  error(DiagID::UnknownImport, range,
        what + " is not part of the kernel language and is needed here")
      .note(poison->origin, "it comes from here");
  return {};
}

/// `kind` is Tuple, List, Set or Vector.
Value Interpreter::makeSequence(VK kind, ArrayRef<Value> elements) {
  auto *sequence = make<SequenceObject>(kind);
  if (kind != VK::Set) {
    sequence->elements.assign(elements.begin(), elements.end());
    return Value::object(sequence);
  }
  // Equal elements once. Sets of integers may be large, others are short.
  std::unordered_set<int64_t> integers;
  llvm::SmallVector<Value> others;
  for (Value v : elements) {
    // An integer that was seen before is found at once; it may also equal a
    // float or bool among the others, or the other way round.
    if (v.isIntLike() && !integers.insert(v.asInt()).second)
      continue;
    ArrayRef<Value> rivals = v.isIntLike() ? others : sequence->elements;
    if (llvm::any_of(rivals,
                     [&](Value o) { return hostEquals(o, v).value_or(false); }))
      continue;
    sequence->elements.push_back(v);
    if (!v.isIntLike())
      others.push_back(v);
  }
  return Value::object(sequence);
}

/// A value that reports only when it is used. `missing`: its name could be
/// given by -D; `what` is then that name.
Value Interpreter::makePoison(const llvm::Twine &what, SourceRange origin,
                              bool isMissing) {
  auto *poison = make<PoisonObject>();
  poison->what = ast.save(what.str());
  poison->origin = origin;
  poison->missing = isMissing;
  return Value::object(poison);
}
