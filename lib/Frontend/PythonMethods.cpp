//===- PythonMethods.cpp - Methods of strings, lists, sets, dictionaries --===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Methods of strings, lists, sets and dictionaries, as far as kernels and their
// factories use them at compile time. `args.self` is the receiver; all but
// strings change in place, as in Python, for everyone who holds them.
//
//   xs = []; ys = xs; xs.append(1)     ->  ys is [1]: one object
//   "f{}".format(16).upper()           ->  "F16"
//
// Strings are immutable: each method gives a new one, owned by the context.
// Searching compares with hostEquals, so that 1, 1.0 and True are one key, and
// a symbolic value is found by nothing.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace tlc;
using namespace tlc::frontend;
using llvm::SmallVector;

/// What a string consists of, as isdigit and its kin ask; false if empty.
static bool consistsOf(StringRef text, StringRef method) {
  if (method == "isupper" || method == "islower") {
    bool upper = method == "isupper";
    return llvm::any_of(text, llvm::isAlpha) &&
           llvm::none_of(text, upper ? llvm::isLower : llvm::isUpper);
  }
  bool (*test)(char) = method == "isdigit"   ? llvm::isDigit
                       : method == "isalpha" ? llvm::isAlpha
                       : method == "isspace" ? llvm::isSpace
                                             : llvm::isAlnum;
  return !text.empty() && llvm::all_of(text, test);
}

/// Methods that tell them apart by their names.
///   "f{}_{}".format(16, "x") = "f16_x"   "a.b".replace(".", "_") = "a_b"
Value Interpreter::strMethod(Args &args) {
  StringRef self = args.self.asStr();
  StringRef method = currentBuiltin->name.split('.').second;
  auto argument = [&](size_t i) {
    return i < args.rest.size() ? args.rest[i] : Value();
  };
  auto text = [&](size_t i) {
    Value v = argument(i);
    return v && v.is(VK::Str) ? v.asStr() : StringRef();
  };
  auto number = [&](size_t i, int64_t absent) {
    Value v = argument(i);
    return v && v.isIntLike() ? v.asInt() : absent;
  };
  if (method.starts_with("is"))
    return Value::boolean(consistsOf(self, method));
  if (method == "startswith" || method == "endswith") {
    SmallVector<Value> ends{argument(0)};
    if (ends[0] && ends[0].is(VK::Tuple))
      ends.assign(ends[0].as<SequenceObject>()->elements);
    for (Value end : ends) {
      if (!end || !end.is(VK::Str))
        return typeError(args.range, "a string", end ? end : Value::none());
      if (method == "endswith" ? self.ends_with(end.asStr())
                               : self.starts_with(end.asStr()))
        return Value::boolean(true);
    }
    return Value::boolean(false);
  }
  if (method == "upper")
    return makeString(self.upper());
  if (method == "lower")
    return makeString(self.lower());
  if (method == "capitalize" || method == "title") {
    std::string out = self.lower();
    bool begins = true;
    for (char &c : out) {
      if (begins)
        c = llvm::toUpper(c);
      begins = method == "title" && !llvm::isAlpha(c);
    }
    return makeString(out);
  }
  if (method.ends_with("strip")) {
    StringRef chars = text(0).empty() ? StringRef(" \t\n\v\f\r") : text(0);
    if (method != "rstrip")
      self = self.ltrim(chars);
    return makeString(method == "lstrip" ? self : self.rtrim(chars));
  }
  if (method == "replace") {
    std::string out = self.str();
    int64_t most = number(2, INT64_MAX);
    // Replaced text is not searched again.
    if (!text(0).empty())
      for (size_t at = 0;
           most-- > 0 && (at = out.find(text(0), at)) != std::string::npos;
           at += text(1).size())
        out.replace(at, text(0).size(), text(1));
    return makeString(out);
  }
  if (method == "removeprefix" || method == "removesuffix") {
    if (method == "removeprefix")
      self.consume_front(text(0));
    else
      self.consume_back(text(0));
    return makeString(self);
  }
  if (method == "find" || method == "rfind" || method == "index") {
    size_t at = method == "rfind" ? self.rfind(text(0)) : self.find(text(0));
    if (at == StringRef::npos && method == "index")
      return fail(DiagID::BadArgument, args.range,
                  "the string has no such part");
    return Value::integral(at == StringRef::npos ? -1 : int64_t(at));
  }
  if (method == "count")
    return Value::integral(int64_t(self.count(text(0))));
  if (method == "ljust" || method == "rjust" || method == "center" ||
      method == "zfill") {
    int64_t width = std::min<int64_t>(number(0, 0), 1 << 16);
    size_t pad = width > int64_t(self.size()) ? size_t(width) - self.size() : 0;
    char fill = method == "zfill" ? '0' : text(1).empty() ? ' ' : text(1)[0];
    // center: Python puts the odd column to the left of an odd width.
    size_t left = method == "ljust"    ? 0
                  : method == "center" ? pad / 2 + (pad & size_t(width) & 1)
                                       : pad;
    // zfill keeps a sign in front.
    StringRef sign =
        method == "zfill" && (self.starts_with("-") || self.starts_with("+"))
            ? self.take_front()
            : StringRef();
    return makeString(sign.str() + std::string(left, fill) +
                      self.drop_front(sign.size()).str() +
                      std::string(pad - left, fill));
  }
  if (method == "partition" || method == "rpartition") {
    bool last = method == "rpartition";
    size_t at = last ? self.rfind(text(0)) : self.find(text(0));
    Value none = makeString("");
    if (at == StringRef::npos)
      return makeSequence(VK::Tuple, last ? ArrayRef{none, none, args.self}
                                          : ArrayRef{args.self, none, none});
    return makeSequence(VK::Tuple,
                        {makeString(self.take_front(at)), makeString(text(0)),
                         makeString(self.drop_front(at + text(0).size()))});
  }
  return fail(DiagID::NoAttribute, args.range,
              "strings have no method '" + method + "'");
}

/// sep.join(x); elements that are no strings are converted.
///   ", ".join(["a", "b"]) = "a, b"
Value Interpreter::strJoin(Args &args) {
  SmallVector<Value> items;
  if (!iterate(args[0], args.rangeOf(0), items))
    return {};
  std::string out;
  for (auto [i, v] : llvm::enumerate(items))
    out += (i ? args.self.asStr().str() : "") + str(v);
  return makeString(out);
}

/// text.split(sep?, maxsplit?): at every separator, or at runs of white space;
/// data 1 rsplit, 2 splitlines.
Value Interpreter::strSplit(Args &args) {
  SmallVector<Value> out;
  SmallVector<StringRef> parts;
  StringRef self = args.self.asStr();
  StringRef separator =
      args.has(0) && args[0].is(VK::Str) ? args[0].asStr() : StringRef();
  int64_t most = args.has(1) && args[1].isIntLike() ? args[1].asInt() : -1;
  if (currentBuiltin->data == 2) {
    self.split(parts, '\n');
    if (!parts.empty() && parts.back().empty())
      parts.pop_back();
  } else if (separator.empty()) {
    if (most >= 0)
      return fail(DiagID::BadArgument, args.range,
                  "a limited split needs a separator");
    llvm::SplitString(self, parts);
  } else if (currentBuiltin->data == 1) {
    while (most-- != 0 && self.contains(separator)) {
      auto [rest, part] = self.rsplit(separator);
      parts.insert(parts.begin(), part);
      self = rest;
    }
    parts.insert(parts.begin(), self);
  } else {
    self.split(parts, separator, int(std::min<int64_t>(most, 1 << 20)));
  }
  for (StringRef p : parts)
    out.push_back(makeString(p));
  return makeSequence(VK::List, out);
}

/// data: 0 append, 1 extend, 2 index, 3 count, 4 pop, 5 insert, 6 copy, 7
/// remove, 8 clear, 9 reverse
Value Interpreter::listMethod(Args &args) {
  auto &list = args.self.as<SequenceObject>()->elements;
  auto arg = [&](size_t i) {
    return i < args.rest.size() ? args.rest[i] : Value::none();
  };
  int64_t which = currentBuiltin->data, size = int64_t(list.size());
  // Only index and count leave the sequence as it is.
  if (args.self.is(VK::Tuple) && which != 2 && which != 3)
    return fail(DiagID::NoAttribute, args.range,
                "a tuple has no method '" +
                    currentBuiltin->name.split('.').second + "'");
  // Positions of pop and insert; negative ones count from the end.
  auto position = [&](int64_t absent) {
    int64_t i = arg(0).isIntLike() ? arg(0).asInt() : absent;
    return i < 0 ? i + size : i;
  };
  auto *same = llvm::find_if(
      list, [&](Value v) { return hostEquals(v, arg(0)).value_or(false); });
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
  case 3:
    return Value::integral(llvm::count_if(
        list, [&](Value v) { return hostEquals(v, arg(0)).value_or(false); }));
  case 2:
  case 7:
    if (same == list.end())
      return fail(DiagID::BadArgument, args.range,
                  "the list has no such element");
    if (which == 2)
      return Value::integral(same - list.begin());
    list.erase(same);
    return Value::none();
  case 4: {
    int64_t i = position(-1);
    if (i < 0 || i >= size)
      return fail(DiagID::IndexOutOfBounds, args.range,
                  "pop from a list without that element");
    Value v = list[size_t(i)];
    list.erase(list.begin() + i);
    return v;
  }
  case 5:
    // insert beyond an end inserts at that end.
    list.insert(list.begin() + std::clamp<int64_t>(position(0), 0, size),
                arg(1));
    return Value::none();
  case 8:
    list.clear();
    return Value::none();
  case 9:
    std::reverse(list.begin(), list.end());
    return Value::none();
  default:
    return makeSequence(VK::List, list);
  }
}

/// list.sort(key=, reverse=): as sorted, in place.
Value Interpreter::listSort(Args &args) {
  Args sorted = args;
  sorted.values = {args.self};
  sorted.ranges = {args.range};
  Value v = args.self.is(VK::List) ? pySorted(sorted)
                                   : typeError(args.range, "a list", args.self);
  if (!v)
    return {};
  args.self.as<SequenceObject>()->elements = v.as<SequenceObject>()->elements;
  return Value::none();
}

/// Methods of sets, by name. Those with an operator's meaning take any number
/// of collections.
Value Interpreter::setMethod(Args &args) {
  auto &set = args.self.as<SequenceObject>()->elements;
  StringRef method = currentBuiltin->name.split('.').second;
  Value first = args.rest.empty() ? Value::none() : args.rest[0];
  auto *same = llvm::find_if(
      set, [&](Value v) { return hostEquals(v, first).value_or(false); });
  if (method == "add") {
    if (same == set.end())
      set.push_back(first);
    return Value::none();
  }
  if (method == "discard" || method == "remove") {
    if (same == set.end())
      return method == "discard"
                 ? Value::none()
                 : fail(DiagID::BadArgument, args.range,
                        "the set has no key " + str(first, true));
    set.erase(same);
    return Value::none();
  }
  if (method == "clear") {
    set.clear();
    return Value::none();
  }
  Value result = makeSequence(VK::Set, set);
  for (Value other : args.rest) {
    SmallVector<Value> items;
    if (!iterate(other, args.range, items))
      return {};
    Value operand = makeSequence(VK::Set, items);
    if (method == "issubset" || method == "issuperset")
      return compare(method == "issubset" ? CmpOpKind::Le : CmpOpKind::Ge,
                     result, operand, args.range);
    BinOpKind op = method == "intersection"           ? BinOpKind::And
                   : method == "difference"           ? BinOpKind::Sub
                   : method == "symmetric_difference" ? BinOpKind::Xor
                                                      : BinOpKind::Or;
    if (!(result = hostBinary(op, result, operand, args.range)))
      return {};
    if (method == "isdisjoint")
      return Value::boolean(result.as<SequenceObject>()->elements.size() ==
                            set.size() + items.size());
  }
  if (method != "update")
    return result;
  set = result.as<SequenceObject>()->elements;
  return Value::none();
}

/// data: 0 get, 1 items, 2 keys, 3 values, 4 update, 5 setdefault, 6 pop, 7
/// copy, 8 clear, 9 popitem. Views are lists of what is there now.
Value Interpreter::dictMethod(Args &args) {
  auto *dict = args.self.as<DictObject>();
  int64_t which = currentBuiltin->data;
  SmallVector<Value> out;
  auto given = [&](size_t i) {
    return i < args.rest.size() ? args.rest[i] : Value();
  };
  switch (which) {
  case 0:
  case 5:
  case 6: {
    if (!given(0))
      return fail(DiagID::BadCall, args.range, "a key is needed");
    auto entry = llvm::find_if(dict->entries, [&](auto &e) {
      return hostEquals(e.first, given(0)).value_or(false);
    });
    bool found = entry != dict->entries.end();
    Value v = found ? entry->second : given(1) ? given(1) : Value::none();
    if (which == 5 && !found)
      setEntry(dict, given(0), v);
    if (which == 6 && found)
      dict->entries.erase(entry);
    else if (which == 6 && !given(1))
      return fail(DiagID::BadArgument, args.range,
                  "the dictionary has no key " + str(given(0), true));
    return v;
  }
  case 4: {
    if (given(0) && given(0).is(VK::Dict)) {
      // A copy: d.update(d) would change what it walks.
      for (auto [key, value] : std::vector<std::pair<Value, Value>>(
               given(0).as<DictObject>()->entries))
        setEntry(dict, key, value);
    } else if (given(0)) {
      SmallVector<Value> items, pair;
      if (!iterate(given(0), args.range, items))
        return {};
      for (Value item : items) {
        pair.clear();
        if (!iterate(item, args.range, pair) || pair.size() != 2)
          return fail(DiagID::BadArgument, args.range, "update takes pairs");
        setEntry(dict, pair[0], pair[1]);
      }
    }
    for (auto &[name, v] : args.extra)
      setEntry(dict, makeString(name), v);
    return Value::none();
  }
  case 7:
    return copyOf(args.self);
  case 8:
    dict->entries.clear();
    return Value::none();
  case 9: {
    if (dict->entries.empty())
      return fail(DiagID::BadArgument, args.range, "the dictionary is empty");
    auto [key, value] = dict->entries.back();
    dict->entries.pop_back();
    return makeSequence(VK::Tuple, {key, value});
  }
  default:
    for (auto &e : dict->entries)
      out.push_back(which == 1   ? makeSequence(VK::Tuple, {e.first, e.second})
                    : which == 2 ? e.first
                                 : e.second);
    return makeSequence(VK::List, out);
  }
}
