//===- CompareTests.cpp - Every comparison of lanes -----------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All v_cmp and v_cmpx: integers of three widths, signed and not, floats of
// three widths with both kinds of NaN, and the classes.
//
//===----------------------------------------------------------------------===//

#include "Instructions.h"

#include <cmath>

using namespace tlc::test;

namespace {

/// What of "less, equal, greater, unordered" a condition holds for.
struct Condition {
  const char *name;
  unsigned mask; ///< bit 0 less, 1 equal, 2 greater, 3 unordered
};
constexpr Condition floatConditions[] = {
    {"f", 0},    {"lt", 1},   {"eq", 2},   {"le", 3},  {"gt", 4},   {"lg", 5},
    {"ge", 6},   {"o", 7},    {"u", 8},    {"nge", 9}, {"nlg", 10}, {"ngt", 11},
    {"nle", 12}, {"neq", 13}, {"nlt", 14}, {"tru", 15}};
constexpr Condition integerConditions[] = {{"f", 0},  {"lt", 1}, {"eq", 2},
                                           {"le", 3}, {"gt", 4}, {"ne", 5},
                                           {"ge", 6}, {"t", 7}};

template <typename T> unsigned relation(T a, T b) {
  return a < b ? 1 : a == b ? 2 : a > b ? 4 : 8;
}

struct Format {
  const char *name;
  bool isFloat;
  unsigned dwords;
  unsigned (*relate)(uint64_t, uint64_t);
};
constexpr Format formats[] = {
    {"f16", true, 1,
     [](uint64_t a, uint64_t b) {
       return relation(fromHalf(uint16_t(a)), fromHalf(uint16_t(b)));
     }},
    {"f32", true, 1,
     [](uint64_t a, uint64_t b) {
       return relation(bitsAs<float>(uint32_t(a)), bitsAs<float>(uint32_t(b)));
     }},
    {"f64", true, 2,
     [](uint64_t a, uint64_t b) {
       return relation(bitsAs<double>(a), bitsAs<double>(b));
     }},
    {"i16", false, 1,
     [](uint64_t a, uint64_t b) { return relation(int16_t(a), int16_t(b)); }},
    {"u16", false, 1,
     [](uint64_t a, uint64_t b) { return relation(uint16_t(a), uint16_t(b)); }},
    {"i32", false, 1,
     [](uint64_t a, uint64_t b) { return relation(int32_t(a), int32_t(b)); }},
    {"u32", false, 1,
     [](uint64_t a, uint64_t b) { return relation(uint32_t(a), uint32_t(b)); }},
    {"i64", false, 2,
     [](uint64_t a, uint64_t b) { return relation(int64_t(a), int64_t(b)); }},
    {"u64", false, 2, [](uint64_t a, uint64_t b) { return relation(a, b); }}};

/// Bits: signalling NaN, quiet NaN, then -inf, -normal, -denormal, -0 and the
/// same of the other sign, backwards.
bool isOfClass(uint64_t bits, unsigned exponentBits, unsigned fractionBits,
               uint32_t mask) {
  uint64_t fraction = bits & ((1ull << fractionBits) - 1);
  uint64_t exponent = bits >> fractionBits & ((1ull << exponentBits) - 1);
  bool negative = bits >> (fractionBits + exponentBits) & 1;
  unsigned number;
  if (exponent == (1ull << exponentBits) - 1 && fraction)
    return mask >> (fraction >> (fractionBits - 1) & 1) & 1;
  if (exponent == (1ull << exponentBits) - 1)
    number = 2;
  else if (exponent)
    number = 3;
  else
    number = fraction ? 4 : 5;
  return mask >> (negative ? number : 11 - number) & 1;
}

/// v_cmp in both encodings, the second into another pair; v_cmpx leaves what it
/// found in EXEC as well.
void addCases(std::vector<InstructionCase> &cases, const std::string &what,
              unsigned dwords, std::function<bool(const Values &)> holds,
              unsigned dwordsOfB) {
  std::string a = dwords == 2 ? "v[2:3]" : "v2";
  std::string b = dwordsOfB == 2 ? "v[4:5]" : "v4";
  auto setBit = [holds](Values &v) { v.bit = holds(v); };
  cases.push_back({"  v_cmp_" + what + " vcc, " + a + ", " + b, setBit});
  cases.push_back({"  v_cmp_" + what + "_e64 s[12:13], " + a + ", " + b +
                       "\n  s_mov_b64 vcc, s[12:13]",
                   setBit});
  auto setBitAndWrite = [holds](Values &v) {
    v.bit = holds(v);
    if (v.bit)
      v.r[0] = 77;
  };
  cases.push_back(
      {"  v_cmpx_" + what + " vcc, " + a + ", " + b + "\n  v_mov_b32 v8, 77",
       setBitAndWrite});
  cases.push_back(
      {"  s_mov_b32 exec_lo, 0xffff\n  s_mov_b32 exec_hi, 0xffff\n  v_cmpx_" +
           what + "_e64 s[12:13], " + a + ", " + b +
           "\n  v_mov_b32 v8, 77\n  s_mov_b64 vcc, s[12:13]",
       [holds](Values &v) {
         v.bit = !(v.lane & 16) && holds(v);
         v.bit = v.bit && v.lane < 48;
         if (v.bit)
           v.r[0] = 77;
       }});
}

TEST(Compare, EveryCondition) {
  std::vector<InstructionCase> cases;
  for (const Format &format : formats) {
    auto add = [&](const Condition &condition) {
      addCases(
          cases, std::string(condition.name) + "_" + format.name, format.dwords,
          [&format, condition](const Values &v) {
            return (condition.mask & format.relate(v.a, v.b)) != 0;
          },
          format.dwords);
    };
    if (format.isFloat)
      for (const Condition &condition : floatConditions)
        add(condition);
    else
      for (const Condition &condition : integerConditions)
        add(condition);
  }
  addCases(
      cases, "class_f16", 1,
      [](const Values &v) {
        return isOfClass(uint16_t(v.a), 5, 10, uint32_t(v.b));
      },
      1);
  addCases(
      cases, "class_f32", 1,
      [](const Values &v) {
        return isOfClass(uint32_t(v.a), 8, 23, uint32_t(v.b));
      },
      1);
  addCases(
      cases, "class_f64", 2,
      [](const Values &v) { return isOfClass(v.a, 11, 52, uint32_t(v.b)); }, 1);
  checkInstructions(cases);
}

} // namespace
