//===- PythonMethods.cpp - Methods of strings, lists and dictionaries -----===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace tlc;
using namespace tlc::frontend;
using llvm::SmallVector;

/// data: 0 startswith, 1 endswith, 2 upper, 3 lower, 4 strip, 5 replace,
/// 6 format, 7 removeprefix
Value Interpreter::strMethod(Args &args) {
  StringRef self = args.self.asStr();
  auto text = [&](size_t i) {
    return i < args.rest.size() && args.rest[i].is(VK::Str)
               ? args.rest[i].asStr()
               : StringRef();
  };
  switch (currentBuiltin->data) {
  case 0:
    return Value::boolean(self.starts_with(text(0)));
  case 1:
    return Value::boolean(self.ends_with(text(0)));
  case 2:
    return makeString(self.upper());
  case 3:
    return makeString(self.lower());
  case 4:
    return makeString(self.trim());
  case 5: {
    std::string out = self.str();
    if (!text(0).empty())
      for (size_t at = 0; (at = out.find(text(0), at)) != std::string::npos;
           at += text(1).size())
        out.replace(at, text(0).size(), text(1));
    return makeString(out);
  }
  case 6: {
    std::string out;
    size_t next = 0;
    for (size_t i = 0; i < self.size(); ++i) {
      size_t close = self.find('}', i);
      if (self[i] != '{' || close == StringRef::npos) {
        out += self[i];
        continue;
      }
      out += next < args.rest.size() ? str(args.rest[next])
                                     : self.slice(i, close + 1).str();
      ++next;
      i = close;
    }
    return makeString(out);
  }
  case 8:
    return Value::boolean(!self.empty() && llvm::all_of(self, llvm::isDigit));
  case 9:
    return Value::boolean(!self.empty() && llvm::all_of(self, llvm::isAlpha));
  default: {
    StringRef s = self;
    s.consume_front(text(0));
    return makeString(s);
  }
  }
}
Value Interpreter::strJoin(Args &args) {
  SmallVector<Value> items;
  if (!iterate(args[0], args.rangeOf(0), items))
    return {};
  std::string out;
  for (auto [i, v] : llvm::enumerate(items))
    out += (i ? args.self.asStr().str() : "") + str(v);
  return makeString(out);
}
Value Interpreter::strSplit(Args &args) {
  SmallVector<Value> out;
  SmallVector<StringRef> parts;
  if (args.has(0) && args[0].is(VK::Str) && !args[0].asStr().empty())
    args.self.asStr().split(parts, args[0].asStr());
  else
    llvm::SplitString(args.self.asStr(), parts);
  for (StringRef p : parts)
    out.push_back(makeString(p));
  return makeSequence(VK::List, out);
}

/// data: 0 append, 1 extend, 2 index, 3 count, 4 pop, 5 insert, 6 copy
Value Interpreter::listMethod(Args &args) {
  auto &list = args.self.as<SequenceObject>()->elements;
  auto arg = [&](size_t i) {
    return i < args.rest.size() ? args.rest[i] : Value::none();
  };
  int64_t which = currentBuiltin->data, size = int64_t(list.size());
  if (args.self.is(VK::Tuple) && which != 2 && which != 3)
    return fail(DiagID::NoAttribute, args.range,
                "a tuple has no method '" +
                    currentBuiltin->name.split('.').second + "'");
  // Positions of pop and insert; negative ones count from the end.
  auto position = [&](int64_t absent) {
    int64_t i = arg(0).isIntLike() ? arg(0).asInt() : absent;
    return i < 0 ? i + size : i;
  };
  switch (which) {
  case 0:
    list.push_back(arg(0));
    return Value::none();
  case 1: {
    SmallVector<Value> more; // x.extend(x): not while it is walked
    if (!iterate(arg(0), args.range, more))
      return {};
    list.append(more);
    return Value::none();
  }
  case 2:
  case 3: {
    int64_t n = 0;
    for (auto [i, v] : llvm::enumerate(list))
      if (hostEquals(v, arg(0)).value_or(false)) {
        if (currentBuiltin->data == 2)
          return Value::integral(int64_t(i));
        ++n;
      }
    return currentBuiltin->data == 3 ? Value::integral(n)
                                     : fail(DiagID::BadArgument, args.range,
                                            "the list has no such element");
  }
  case 4: {
    int64_t i = position(-1);
    if (i < 0 || i >= size)
      return fail(DiagID::IndexOutOfBounds, args.range,
                  "pop from a list without that element");
    Value v = list[size_t(i)];
    list.erase(list.begin() + i);
    return v;
  }
  case 5: {
    list.insert(list.begin() + std::clamp<int64_t>(position(0), 0, size),
                arg(1));
    return Value::none();
  }
  default:
    return makeSequence(VK::List, list);
  }
}

/// data: 0 get, 1 items, 2 keys, 3 values, 4 update
Value Interpreter::dictMethod(Args &args) {
  auto *dict = args.self.as<DictObject>();
  SmallVector<Value> out;
  switch (currentBuiltin->data) {
  case 0:
    for (auto &e : llvm::reverse(dict->entries))
      if (!args.rest.empty() &&
          hostEquals(e.first, args.rest[0]).value_or(false))
        return e.second;
    return args.rest.size() > 1 ? args.rest[1] : Value::none();
  case 4:
    if (!args.rest.empty() && args.rest[0].is(VK::Dict))
      for (auto [key, value] : std::vector<std::pair<Value, Value>>(
               args.rest[0].as<DictObject>()->entries))
        setEntry(dict, key, value);
    return Value::none();
  default:
    for (auto &e : dict->entries)
      out.push_back(currentBuiltin->data == 1
                        ? makeSequence(VK::Tuple, {e.first, e.second})
                    : currentBuiltin->data == 2 ? e.first
                                                : e.second);
    return makeSequence(VK::List, out);
  }
}
