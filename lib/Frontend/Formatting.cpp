//===- Formatting.cpp - Python's format specifications --------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// f"{x:spec}", "{}".format(x) and "%d" % x. A specification that is not known
// is an error: texts become names of kernels and keys of dictionaries, so that
// a wrong one would choose something else.
//
//   formatSpec(3.14159, ".2f")   3.14
//   "{1}-{0:>3}".format(7, 8)    8-  7
//   "%s_%03d" % ("a", 5)         a_005
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "llvm/Support/Format.h"

using namespace tlc;
using namespace tlc::frontend;

/// The parts of a specification:
/// [[fill]align][sign][#][0][width][,|_][.precision][type].
struct FormatSpec {
  char fill = ' ', align = 0, sign = '-', group = 0, type = 0;
  bool prefix = false, hasPrecision = false;
  unsigned width = 0, precision = 6;
  /// False if anything is left over or beyond reason.
  bool parse(StringRef s) {
    // An alignment may have a fill character before it: "*>8".
    if (s.size() >= 2 && StringRef("<>^=").contains(s[1])) {
      fill = s[0];
      align = s[1];
      s = s.drop_front(2);
    } else if (!s.empty() && StringRef("<>^=").contains(s[0])) {
      align = s[0];
      s = s.drop_front();
    }
    if (!s.empty() && StringRef("+- ").contains(s[0])) {
      sign = s[0];
      s = s.drop_front();
    }
    prefix = s.consume_front("#");
    // A leading 0 pads behind the sign, unless an alignment was given.
    if (s.starts_with("0") && !align) {
      fill = '0';
      align = '=';
    }
    s.consumeInteger(10, width);
    if (!s.empty() && (s[0] == ',' || s[0] == '_')) {
      group = s[0];
      s = s.drop_front();
    }
    hasPrecision = s.consume_front(".");
    if (hasPrecision && s.consumeInteger(10, precision))
      return false;
    if (!s.empty()) {
      type = s[0];
      s = s.drop_front();
    }
    return s.empty() && width <= 1000 && precision <= 100;
  }
};

/// The digits of an integer in a base, without its sign.
static std::string digitsOf(int64_t n, unsigned base, bool upper) {
  uint64_t rest = n < 0 ? -uint64_t(n) : uint64_t(n);
  std::string text;
  do
    text += (upper ? "0123456789ABCDEF" : "0123456789abcdef")[rest % base];
  while (rest /= base);
  std::reverse(text.begin(), text.end());
  return text;
}

/// Appends Python's format(v, spec). False after a report.
bool Interpreter::formatSpec(Value v, StringRef text, SourceRange range,
                             std::string &out) {
  if (v.is(VK::Poison))
    return bool(poisonError(v, range));
  if (text.empty()) {
    out += str(v);
    return true;
  }
  FormatSpec spec;
  auto refuse = [&] {
    error(DiagID::BadFString, range,
          "format '" + text + "' is not supported for " + describe(v));
    return false;
  };
  if (!spec.parse(text))
    return refuse();
  // The number without sign, or the text.
  std::string body, sign;
  char type = spec.type;
  if (v.isIntLike() && (!type || StringRef("dnxXbobc").contains(type)) &&
      !(v.is(VK::Bool) && !type)) {
    if (spec.hasPrecision || (type == 'c' && !isPrint(v)))
      return refuse();
    unsigned base = type == 'x' || type == 'X' ? 16
                    : type == 'b'              ? 2
                    : type == 'o'              ? 8
                                               : 10;
    body = type == 'c' ? std::string(1, char(v.asInt()))
                       : digitsOf(v.asInt(), base, type == 'X');
    if (spec.group)
      for (size_t step = base == 10 ? 3 : 4, i = body.size(); i > step;)
        body.insert(i -= step, 1, spec.group);
    if (v.asInt() < 0)
      sign = "-";
    if (spec.prefix && base != 10)
      sign += std::string("0") + type;
  } else if (v.isNumber() && (!type || StringRef("eEfFgG%").contains(type))) {
    double d = v.asFloat();
    // Without a type and precision a float is as str() gives it.
    llvm::raw_string_ostream os(body);
    double magnitude = std::signbit(d) ? -d : d;
    if (!type && !spec.hasPrecision) {
      os << str(v.is(VK::Float) ? Value::real(magnitude) : v);
    } else if (type == '%') {
      os << llvm::format("%.*f", spec.precision, magnitude * 100) << '%';
    } else {
      char printed[8] = {'%', '.', '*', type ? type : 'g', 0};
      os << llvm::format(printed, spec.precision, magnitude);
    }
    if (spec.group)
      for (size_t i = std::min(body.find('.'), body.size()); i > 3;)
        body.insert(i -= 3, 1, spec.group);
    if (std::signbit(d))
      sign = "-";
  } else if (!v.isNumber() || v.is(VK::Bool)) {
    // What is no number: cut to the precision; no sign and no grouping.
    if ((type && type != 's') || spec.group || spec.sign == '+')
      return refuse();
    body = str(v);
    if (spec.hasPrecision)
      body = body.substr(0, spec.precision);
    if (spec.align == '=')
      spec.align = '<';
  } else {
    return refuse();
  }
  bool isNumber = v.isNumber();
  if (isNumber && sign.empty() && spec.sign != '-')
    sign = spec.sign;
  size_t size = sign.size() + body.size();
  size_t pad = spec.width > size ? spec.width - size : 0;
  std::string fill(pad, spec.fill);
  switch (spec.align ? spec.align : isNumber ? '>' : '<') {
  case '<':
    out += sign + body + fill;
    break;
  case '^': // the odd column goes to the right
    out += fill.substr(0, pad / 2) + sign + body + fill.substr(pad / 2);
    break;
  case '=': // between sign and digits: -0042
    out += sign + fill + body;
    break;
  default:
    out += fill + sign + body;
    break;
  }
  return true;
}

/// Whether a number is the code of a printable ASCII character.
bool Interpreter::isPrint(Value v) {
  return v.isIntLike() && v.asInt() >= 32 && v.asInt() < 127;
}

/// "...".format(a, b, name=c): {}, {0}, {name}, each with !r and a
/// specification; {{ and }} are braces.
Value Interpreter::strFormat(Args &args) {
  StringRef rest = args.self.asStr();
  std::string out;
  size_t next = 0;
  auto wrong = [&] {
    return fail(DiagID::BadFString, args.range,
                "the format '" + args.self.asStr() + "' is not supported");
  };
  while (!rest.empty()) {
    size_t brace = rest.find_first_of("{}");
    out += rest.take_front(brace);
    if (brace == StringRef::npos)
      break;
    char c = rest[brace];
    rest = rest.drop_front(brace + 1);
    if (rest.consume_front(StringRef(&c, 1))) {
      out += c;
      continue;
    }
    size_t close = rest.find('}');
    if (c == '}' || close == StringRef::npos)
      return wrong();
    auto [field, spec] = rest.take_front(close).split(':');
    rest = rest.drop_front(close + 1);
    auto [name, conversion] = field.split('!');
    Value v;
    size_t place = next;
    if (name.empty() ? (++next, true) : !name.getAsInteger(10, place)) {
      if (place < args.rest.size())
        v = args.rest[place];
    } else {
      for (auto &[key, value] : args.extra)
        if (key == name)
          v = value;
    }
    if (!v)
      return wrong();
    if (!conversion.empty())
      v = makeString(str(v, conversion != "s"));
    if (!formatSpec(v, spec, args.range, out))
      return {};
  }
  return makeString(out);
}

/// format % values: values is one, or a tuple of as many as there are fields.
Value Interpreter::percentFormat(StringRef format, Value values,
                                 SourceRange range) {
  llvm::SmallVector<Value> items = {values};
  if (values.is(VK::Tuple))
    items.assign(values.as<SequenceObject>()->elements);
  std::string out;
  size_t next = 0;
  for (StringRef rest = format; !rest.empty();) {
    size_t percent = rest.find('%');
    out += rest.take_front(percent);
    if (percent == StringRef::npos)
      break;
    rest = rest.drop_front(percent + 1);
    if (rest.consume_front("%")) {
      out += '%';
      continue;
    }
    // %(name)d takes from a dictionary.
    Value v;
    if (rest.consume_front("(")) {
      auto [name, after] = rest.split(')');
      rest = after;
      if (!values.is(VK::Dict))
        return typeError(range, "a dictionary", values);
      v = subscript(values, makeString(name), range);
    } else if (next < items.size()) {
      v = items[next++];
    }
    size_t end = rest.find_first_of("diouxXeEfFgGcrs");
    if (!v || end == StringRef::npos)
      return v || next < items.size() || items.empty() || end == StringRef::npos
                 ? fail(DiagID::BadFString, range,
                        "the format '" + format + "' does not fit its values")
                 : fail(DiagID::BadFString, range,
                        "the format '" + format + "' needs more values");
    StringRef flags = rest.take_front(end);
    char type = rest[end];
    rest = rest.drop_front(end + 1);
    // Those of printf that mean the same to format().
    bool left = flags.contains('-');
    std::string spec;
    if (StringRef("iud").contains(type)) {
      type = 'd';
      if (v.is(VK::Float))
        v = Value::integral(int64_t(v.asFloat()));
    }
    if (type == 'r' || type == 's') {
      v = makeString(str(v, type == 'r'));
      type = 's';
      spec = left ? "<" : ">";
    } else if (left) {
      spec = "<";
    }
    for (char c : flags)
      if (c != '-')
        spec += c;
    if (!formatSpec(v, spec + type, range, out))
      return {};
  }
  if (!values.is(VK::Dict) && next < items.size())
    return fail(DiagID::BadFString, range,
                "the format '" + format + "' has no place for all values");
  return makeString(out);
}
