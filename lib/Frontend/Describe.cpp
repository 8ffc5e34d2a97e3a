//===- Describe.cpp - Values in words, and Python's str() -----------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
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

std::string Interpreter::shapeText(ArrayRef<Value> shape) {
  std::string text = "(";
  for (auto [i, extent] : llvm::enumerate(shape))
    text += (i ? ", " : "") + indexText(extent);
  return text + ")";
}

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
  if (text.find_first_of(".en") == std::string::npos)
    text += ".0";
  return text;
}

std::string Interpreter::str(Value v, bool repr) {
  auto list = [&](StringRef open, StringRef close, ArrayRef<Value> elements) {
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

Value Interpreter::poisonError(Value v, SourceRange range) {
  auto *poison = v.as<PoisonObject>();
  if (poison->missing)
    return missingName(poison->what, range, v);
  error(DiagID::UnknownImport, range,
        poison->what + " is not part of the kernel language and is needed here")
      .note(poison->origin, "it comes from here");
  return {};
}

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

Value Interpreter::makePoison(const llvm::Twine &what, SourceRange origin,
                              bool isMissing) {
  auto *poison = make<PoisonObject>();
  poison->what = ast.save(what.str());
  poison->origin = origin;
  poison->missing = isMissing;
  return Value::object(poison);
}

/// Python's format() for the specifications that messages use:
/// [[fill]align][sign][0][width][,][.precision][type].
bool Interpreter::formatSpec(Value v, StringRef spec, SourceRange range,
                             std::string &out) {
  if (spec.empty()) {
    out += str(v);
    return true;
  }
  StringRef s = spec;
  char fill = ' ', align = 0, type = 0;
  if (s.size() >= 2 && StringRef("<>^=").contains(s[1])) {
    fill = s[0];
    align = s[1];
    s = s.drop_front(2);
  } else if (!s.empty() && StringRef("<>^=").contains(s[0])) {
    align = s[0];
    s = s.drop_front();
  }
  bool plus = s.consume_front("+");
  if (s.starts_with("0")) {
    fill = '0';
    align = align ? align : '=';
  }
  unsigned width = 0, precision = 6;
  s.consumeInteger(10, width);
  bool comma = s.consume_front(",");
  bool hasPrecision = s.consume_front(".");
  if (hasPrecision && s.consumeInteger(10, precision))
    hasPrecision = false;
  if (!s.empty()) {
    type = s[0];
    s = s.drop_front();
  }
  if (!s.empty() || width > 1000 || precision > 100) {
    error(DiagID::BadFString, range, "format '" + spec + "' is not supported");
    return false;
  }
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
  if (comma)
    for (int i = int(std::min(text.find('.'), text.size())) - 3;
         i > (text[0] == '-' ? 1 : 0); i -= 3)
      text.insert(size_t(i), ",");
  if (plus && v.isNumber() && text[0] != '-')
    text = "+" + text;
  if (text.size() < width) {
    size_t pad = width - text.size();
    char a = align ? align : v.isNumber() ? '>' : '<';
    if (a == '<')
      text.append(pad, fill);
    else if (a == '^')
      text =
          std::string(pad / 2, fill) + text + std::string(pad - pad / 2, fill);
    else
      text.insert(a == '=' && (text[0] == '-' || text[0] == '+') ? 1 : 0, pad,
                  fill);
  }
  out += text;
  return true;
}
