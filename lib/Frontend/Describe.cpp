//===- Describe.cpp - Values in words, and Python's str() -----------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values as text: what messages call them, and Python's str(), repr() and
// format() for the strings that kernels assemble (names of kernels, assertion
// texts). Also the errors about values of a wrong kind, which need that text.
//
//   describe(A)      the buffer 'A' of shape (m, 64)     for messages
//   str([1, "a"])    [1, 'a']                            Python's text
//   formatSpec(3.14159, ".2f")   3.14                    inside f-strings
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "llvm/Support/SaveAndRestore.h"
#include "llvm/Support/Format.h"
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
    std::string text = "'";
    llvm::raw_string_ostream(text).write_escaped(v.asStr());
    return text + "'";
  }
  case VK::DType:
    return v.asDType()->name.str();
  case VK::Tuple:
    return list("(", ")", v.as<SequenceObject>()->elements);
  case VK::List:
    return list("[", "]", v.as<SequenceObject>()->elements);
  case VK::Set:
    return list("{", "}", v.as<SequenceObject>()->elements);
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
  error(DiagID::UnknownImport, range,
        poison->what + " is not part of the kernel language and is needed here")
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

/// Appends Python's format(v, spec) for the specifications that messages use:
/// [[fill]align][sign][0][width][,][.precision][type].
///   "{:>8.3f}"  width 8, three digits, right-aligned;   "{:,}"  1,234,567
/// False after a report; widths and precisions beyond reason are refused, so
/// that a text cannot exhaust memory.
bool Interpreter::formatSpec(Value v, StringRef spec, SourceRange range,
                             std::string &out) {
  if (spec.empty()) {
    out += str(v);
    return true;
  }
  StringRef s = spec;
  char fill = ' ', align = 0, type = 0;
  // An alignment may have a fill character before it: "*>8".
  if (s.size() >= 2 && StringRef("<>^=").contains(s[1])) {
    fill = s[0];
    align = s[1];
    s = s.drop_front(2);
  } else if (!s.empty() && StringRef("<>^=").contains(s[0])) {
    align = s[0];
    s = s.drop_front();
  }
  bool plus = s.consume_front("+");
  // A leading 0 pads behind the sign, unless an alignment was given.
  if (s.starts_with("0")) {
    fill = '0';
    align = align ? align : '=';
  }
  unsigned width = 0, precision = 6;
  s.consumeInteger(10, width);
  bool comma = s.consume_front(",");
  bool hasPrecision = s.consume_front(".");
  // "." without digits is none.
  if (hasPrecision && s.consumeInteger(10, precision))
    hasPrecision = false;
  if (!s.empty()) {
    type = s[0];
    s = s.drop_front();
  }
  // Anything left over is a specification this does not know.
  if (!s.empty() || width > 1000 || precision > 100) {
    error(DiagID::BadFString, range, "format '" + spec + "' is not supported");
    return false;
  }
  // The number without sign or padding rules.
  std::string text;
  llvm::raw_string_ostream os(text);
  if (v.isNumber() && (type == 'f' || type == 'F'))
    os << llvm::format("%.*f", precision, v.asFloat());
  else if (v.isNumber() && (type == 'e' || type == 'E'))
    os << llvm::format("%.*e", precision, v.asFloat());
  else if (v.isNumber() && type == '%')
    os << llvm::format("%.*f", precision, v.asFloat() * 100) << '%';
  else if (v.isNumber() && (type == 'g' || (!type && hasPrecision)))
    os << llvm::format("%.*g", precision, v.asFloat());
  else if (v.isIntLike() && (type == 'x' || type == 'X'))
    os << llvm::format(type == 'x' ? "%llx" : "%llX",
                       (unsigned long long)v.asInt());
  else
    os << str(v);
  // Every three digits from the point, or from the end of an integer.
  if (comma)
    // From the right, so that the places on the left stay where they are.
    for (int i = int(std::min(text.find('.'), text.size())) - 3;
         i > (text[0] == '-' ? 1 : 0); i -= 3)
      text.insert(size_t(i), ",");
  if (plus && v.isNumber() && text[0] != '-')
    text = "+" + text;
  // Numbers go to the right, everything else to the left, as in Python.
  if (text.size() < width) {
    size_t pad = width - text.size();
    char a = align ? align : v.isNumber() ? '>' : '<';
    if (a == '<')
      text.append(pad, fill);
    // The odd column goes to the right.
    else if (a == '^')
      text =
          std::string(pad / 2, fill) + text + std::string(pad - pad / 2, fill);
    else
      // '=' pads between sign and digits: -0042.
      text.insert(a == '=' && (text[0] == '-' || text[0] == '+') ? 1 : 0, pad,
                  fill);
  }
  out += text;
  return true;
}
