//===- Contents.cpp - What --arg puts into a parameter --------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random numbers are splitmix64; normal ones come from it by Box and Muller's
// method, so that they do not depend on a standard library.
//
// The same text gives the same values on every machine: files of expected
// results stay valid, and a seed in a report can be run again.
//
//   randn:3        normal numbers of seed 3 (the default is randn)
//   range:-1:1     uniform in [-1, 1); for integers in LO .. HI - 1
//   values:1,2,3   1, 2, 3, 1, 2, 3, ...
//   arange         0, 1, 2, ...
//   0.5, const:0.5 the number everywhere
//
//===----------------------------------------------------------------------===//

#include "tlc/Runtime/Contents.h"

#include <algorithm>
#include <cmath>

using namespace tlc;
using llvm::StringRef;

namespace {
/// Vigna's splitmix64: each state gives one number, and any seed is a good one.
struct SplitMix {
  uint64_t state;
  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// In (0, 1].
  double uniform() { return double((next() >> 11) + 1) * 0x1p-53; }
};

llvm::Error fail(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// Random integers are small, so that products of many do not overflow.
constexpr int64_t smallRange = 8;

/// A decimal number, inf, -inf or nan.
std::optional<Contents::Number> parseNumber(StringRef text) {
  Contents::Number number;
  if (text == "inf" || text == "-inf")
    number.value = text[0] == '-' ? -INFINITY : INFINITY;
  else if (text == "nan")
    number.value = NAN;
  else if (text.getAsDouble(number.value))
    return std::nullopt;
  if (int64_t integer; !text.getAsInteger(10, integer))
    number.integer = integer;
  return number;
}
} // namespace

/// Any number is a constant, with or without "const:". An error tells the forms
/// there are. A file is only named here, and read later.
llvm::Expected<Contents> tlc::parseContents(StringRef text) {
  Contents c;
  StringRef rest = text;
  if (text == "randn")
    return c;
  if (rest.consume_front("randn:")) {
    if (rest.getAsInteger(10, c.seed))
      return fail("'" + rest + "' is not a seed");
    return c;
  }
  if (text == "zeros") {
    c.kind = Contents::Kind::Zeros;
    return c;
  }
  if (rest.consume_front("values:")) {
    c.kind = Contents::Kind::Listed;
    llvm::SmallVector<StringRef> items;
    rest.split(items, ',');
    for (StringRef item : items) {
      auto number = parseNumber(item.trim());
      if (!number)
        return fail("'" + item + "' is not a number");
      c.values.push_back(*number);
    }
    return c;
  }
  if (rest.consume_front("range:")) {
    c.kind = Contents::Kind::Range;
    llvm::SmallVector<StringRef> parts;
    rest.split(parts, ':');
    c.values.resize(2);
    double &low = c.values[0].value, &high = c.values[1].value;
    if (parts.size() < 2 || parts.size() > 3 || parts[0].getAsDouble(low) ||
        parts[1].getAsDouble(high) || !(low < high) ||
        (parts.size() == 3 && parts[2].getAsInteger(10, c.seed)))
      return fail("'" + text + "' is not range:LO:HI[:SEED] with LO below HI");
    return c;
  }
  if (text == "arange") {
    c.kind = Contents::Kind::Counting;
    return c;
  }
  if (text.ends_with(".npy")) {
    c.kind = Contents::Kind::File;
    c.path = text.str();
    return c;
  }
  rest.consume_front("const:");
  if (auto number = parseNumber(rest)) {
    c.kind = Contents::Kind::Constant;
    c.values.push_back(*number);
    return c;
  }
  return fail("'" + text +
              "' is none of randn[:SEED], zeros, const:V, arange, "
              "values:V,..., range:LO:HI[:SEED], FILE.npy");
}

/// "NAME=VALUE" taken apart at the first `=`; an error names the option.
llvm::Expected<std::pair<std::string, std::string>>
tlc::splitAssignment(StringRef option, StringRef text) {
  auto [name, value] = text.split('=');
  if (name.empty() || value.empty())
    return fail(option + " takes NAME=VALUE, not '" + text + "'");
  return std::make_pair(name.str(), value.str());
}

/// Values are converted to the array's type; floats are rounded to nearest.
void tlc::fill(Array &array, const Contents &contents) {
  int64_t n = array.elements();
  // Seeds are spread, so that neighbours give unlike sequences.
  SplitMix random{contents.seed * 0x2545f4914f6cdd1d + 1};
  bool isFloat = floatFormat(array.type);
  switch (contents.kind) {
  case Contents::Kind::Zeros:
  case Contents::Kind::File:
    std::fill(array.bytes.begin(), array.bytes.end(), 0);
    return;
  case Contents::Kind::Constant:
  case Contents::Kind::Listed:
    for (int64_t i = 0; i < n; ++i) {
      auto [value, integer] = contents.values[i % contents.values.size()];
      integer && !isFloat ? array.setBits(i, uint64_t(*integer))
                          : array.setNumber(i, value);
    }
    return;
  case Contents::Kind::Counting:
    for (int64_t i = 0; i < n; ++i)
      array.setNumber(i, double(i));
    return;
  case Contents::Kind::Range:
    for (int64_t i = 0; i < n; ++i) {
      double low = contents.values[0].value, high = contents.values[1].value;
      // 1 - uniform is in [0, 1): LO may occur, HI not.
      double v = low + (high - low) * (1 - random.uniform());
      array.setNumber(i, isFloat ? v : std::floor(v));
    }
    return;
  case Contents::Kind::Normal:
    break;
  }
  // Signed -4..3, unsigned 0..7, bools 0 and 1.
  if (!isFloat) {
    for (int64_t i = 0; i < n; ++i) {
      int64_t v = int64_t(random.next() % smallRange);
      if (array.type == DType::Bool)
        v &= 1;
      else if (!isUnsigned(array.type))
        v -= smallRange / 2;
      array.setBits(i, uint64_t(v));
    }
    return;
  }
  // Two normal numbers at a time; beyond the period the values repeat.
  int64_t fresh = contents.period ? std::min(n, contents.period) : n;
  for (int64_t i = 0; i < fresh; i += 2) {
    double radius = std::sqrt(-2 * std::log(random.uniform()));
    double angle = 6.283185307179586 * random.uniform();
    array.setNumber(i, radius * std::cos(angle));
    if (i + 1 < fresh)
      array.setNumber(i + 1, radius * std::sin(angle));
  }
  size_t size = byteSize(array.type), done = fresh * size;
  for (size_t at = done; at < array.bytes.size(); at += done)
    std::copy_n(array.bytes.begin(), std::min(done, array.bytes.size() - at),
                array.bytes.begin() + at);
}
