//===- FloatTests.cpp - Floating-point lane instructions ------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What HIP programs do not reach: f16 and legacy forms, minima of three, cube
// maps, normalised conversions, output modifiers, the exact functions of f64.
// Denormals are on and numbers rounded to the nearest. Approximations are held
// to one unit in the last place of f16, where the host rounds a double.
//
//===----------------------------------------------------------------------===//

#include "Instructions.h"

#include <algorithm>
#include <cmath>

using namespace tlc::test;

namespace {

float f32(uint64_t v) { return bitsAs<float>(uint32_t(v)); }
double f64(uint64_t v) { return bitsAs<double>(v); }
double f16(uint64_t v) { return fromHalf(uint16_t(v)); }
uint32_t raw(float v) { return bitsAs<uint32_t>(v); }
/// One rounding, from the exact value or a double near enough to it.
uint32_t half(double v) { return bitsAs<uint16_t>(_Float16(v)); }

/// As v_min and v_max in IEEE mode: a number beats a quiet NaN, -0 is below +0.
template <typename T> T least(T a, T b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) ? b : a;
  return a < b || (a == b && std::signbit(a)) ? a : b;
}
template <typename T> T most(T a, T b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) ? b : a;
  return a > b || (a == b && !std::signbit(a)) ? a : b;
}
template <typename T> T middle(T a, T b, T c) {
  if (std::isnan(a) || std::isnan(b) || std::isnan(c))
    return least(least(a, b), c);
  T top = most(most(a, b), c);
  return top == a ? most(b, c) : top == b ? most(a, c) : most(a, b);
}
bool isSignalling(uint64_t v, unsigned quietBit, unsigned exponentBits) {
  uint64_t exponent = ((1ull << exponentBits) - 1) << (quietBit + 1);
  return (v & exponent) == exponent && (v & ((1ull << (quietBit + 1)) - 1)) &&
         !(v >> quietBit & 1);
}
bool signals16(uint64_t v) { return isSignalling(v, 9, 5); }
bool signals64(uint64_t v) { return isSignalling(v, 51, 11); }

// Which face of a cube a direction meets: z, then y, then x where equal.
unsigned major(const Values &v) {
  float x = std::fabs(f32(v.a)), y = std::fabs(f32(v.b)),
        z = std::fabs(f32(v.c));
  return z >= x && z >= y ? 2 : y >= x ? 1 : 0;
}
float axis(const Values &v) {
  unsigned m = major(v);
  return m == 2 ? f32(v.c) : m == 1 ? f32(v.b) : f32(v.a);
}
bool hasNan(const Values &v) {
  return std::isnan(f32(v.a)) || std::isnan(f32(v.b)) || std::isnan(f32(v.c));
}

/// -1 to 1 or 0 to 1 as 16 bits, to the nearest; NaN is 0.
uint32_t snorm(double v) {
  return v != v ? 0
                : uint16_t(
                      int16_t(std::nearbyint(std::clamp(v, -1., 1.) * 32767)));
}
uint32_t unorm(double v) {
  return v != v ? 0 : uint16_t(std::nearbyint(std::clamp(v, 0., 1.) * 65535));
}

using Word = uint32_t (*)(const Values &);
struct Row {
  const char *code;
  Word result;
};
#define ROW(code, ...)                                                         \
  {code, [](const Values &v) -> uint32_t { return __VA_ARGS__; }}

void addRows(std::vector<InstructionCase> &cases, std::vector<Row> rows,
             char nan, const std::string &rest = "") {
  for (const Row &row : rows) {
    std::string code = row.code;
    size_t at = code.find(' ');
    code = "  " + code.substr(0, at) + " v8," + code.substr(at) + rest;
    cases.push_back(
        {code, [row](Values &v) { v.r[0] = row.result(v); }, false, nan});
  }
}

TEST(Floats, Halves) {
  std::vector<InstructionCase> cases;
  const std::string cut = "\n  v_and_b32 v8, 0xffff, v8";
  addRows(
      cases,
      {
          ROW("v_add_f16 v2, v4", half(f16(v.a) + f16(v.b))),
          ROW("v_sub_f16 v2, v4", half(f16(v.a) - f16(v.b))),
          ROW("v_subrev_f16 v2, v4", half(f16(v.b) - f16(v.a))),
          ROW("v_mul_f16 v2, v4", half(f16(v.a) * f16(v.b))),
          ROW("v_madmk_f16 v2, 0x3e00, v4",
              half(half(f16(v.a) * 1.5) == 0x7e00
                       ? NAN
                       : f16(half(f16(v.a) * 1.5)) + f16(v.b))),
          ROW("v_madak_f16 v2, v4, 0x3e00",
              half(f16(half(f16(v.a) * f16(v.b))) + 1.5)),
          ROW("v_mad_f16 v2, v4, v6",
              half(f16(half(f16(v.a) * f16(v.b))) + f16(v.c))),
          ROW("v_mad_legacy_f16 v2, v4, v6",
              half(f16(half(f16(v.a) * f16(v.b))) + f16(v.c))),
          ROW("v_fma_legacy_f16 v2, v4, v6",
              half(std::fma(f16(v.a), f16(v.b), f16(v.c)))),
          ROW("v_fma_f16 v2, v4, v6",
              half(std::fma(f16(v.a), f16(v.b), f16(v.c)))),
          ROW("v_floor_f16 v2", half(std::floor(f16(v.a)))),
          ROW("v_ceil_f16 v2", half(std::ceil(f16(v.a)))),
          ROW("v_trunc_f16 v2", half(std::trunc(f16(v.a)))),
          ROW("v_rndne_f16 v2", half(std::nearbyint(f16(v.a)))),
          ROW("v_frexp_mant_f16 v2",
              [](double x) {
                int e;
                return half(std::isfinite(x) ? std::frexp(x, &e) : x);
              }(f16(v.a))),
          ROW("v_frexp_exp_i16_f16 v2",
              [](double x) {
                int e = 0;
                if (std::isfinite(x))
                  (void)std::frexp(x, &e);
                return uint32_t(uint16_t(e));
              }(f16(v.a))),
          ROW("v_ldexp_f16 v2, v4", half(std::ldexp(f16(v.a), int16_t(v.b)))),
          ROW("v_add_f16_e64 v2, -v4 mul:2",
              half(2 * f16(half(f16(v.a) - f16(v.b))))),
          ROW("v_mul_f16_e64 |v2|, v4 clamp", half([](double x) {
                return x != x || x <= 0 ? 0 : std::min(x, 1.);
              }(f16(half(std::fabs(f16(v.a)) * f16(v.b)))))),
          ROW("v_cvt_norm_i16_f16 v2", snorm(f16(v.a))),
          ROW("v_cvt_norm_u16_f16 v2", unorm(f16(v.a))),
          ROW("v_div_fixup_f16 v2, v4, v6",
              [](double q, double d, double n) {
                double sign = std::signbit(d) != std::signbit(n) ? -1 : 1;
                if (n != n || d != d || (d == 0 && n == 0) ||
                    (std::isinf(d) && std::isinf(n)))
                  return half(NAN);
                if (d == 0 || std::isinf(n))
                  return half(sign * INFINITY);
                if (std::isinf(d) || n == 0)
                  return half(sign * 0.);
                return half(std::copysign(q, sign));
              }(f16(v.a), f16(v.b), f16(v.c))),
          ROW("v_div_fixup_legacy_f16 v2, v4, v6",
              [](double q, double d, double n) {
                double sign = std::signbit(d) != std::signbit(n) ? -1 : 1;
                if (n != n || d != d || (d == 0 && n == 0) ||
                    (std::isinf(d) && std::isinf(n)))
                  return half(NAN);
                if (d == 0 || std::isinf(n))
                  return half(sign * INFINITY);
                if (std::isinf(d) || n == 0)
                  return half(sign * 0.);
                return half(std::copysign(q, sign));
              }(f16(v.a), f16(v.b), f16(v.c))),
      },
      'h', cut);
  // A signalling NaN is the result where there is one; others lose to numbers.
  auto pick = [&](const char *code, unsigned operands,
                  double (*choose)(double, double, double)) {
    cases.push_back({std::string("  ") + code + cut,
                     [=](Values &v) {
                       bool nan = signals16(v.a) || signals16(v.b) ||
                                  (operands == 3 && signals16(v.c));
                       v.r[0] = half(
                           nan ? NAN : choose(f16(v.a), f16(v.b), f16(v.c)));
                     },
                     false, 'h'});
  };
  pick("v_min_f16 v8, v2, v4", 2,
       [](double a, double b, double) { return least(a, b); });
  pick("v_max_f16 v8, v2, v4", 2,
       [](double a, double b, double) { return most(a, b); });
  // Accumulating and packed.
  cases.push_back({"  v_mac_f16 v8, v2, v4" + cut,
                   [](Values &v) {
                     v.r[0] =
                         half(f16(half(f16(v.a) * f16(v.b))) + f16(v.r[0]));
                   },
                   false, 'h'});
  cases.push_back(
      {"  v_pk_fmac_f16 v8, v2, v4",
       [](Values &v) {
         uint32_t low = half(std::fma(f16(v.a), f16(v.b), f16(v.r[0])));
         v.r[0] =
             low |
             half(std::fma(f16(v.a >> 16), f16(v.b >> 16), f16(v.r[0] >> 16)))
                 << 16;
       },
       false, 'p'});
  cases.push_back(
      {"  v_pk_fma_f16 v8, v2, v4, v6 op_sel_hi:[1,0,1] neg_lo:[1,0,0]",
       [](Values &v) {
         v.r[0] = half(std::fma(-f16(v.a), f16(v.b), f16(v.c))) |
                  half(std::fma(f16(v.a >> 16), f16(v.b), f16(v.c >> 16)))
                      << 16;
       },
       false, 'p'});
  checkInstructions(cases);
}

TEST(Floats, Words) {
  std::vector<InstructionCase> cases;
  addRows(
      cases,
      {
          ROW("v_mul_legacy_f32 v2, v4",
              raw(f32(v.a) == 0 || f32(v.b) == 0 ? 0.f : f32(v.a) * f32(v.b))),
          ROW("v_cvt_pknorm_i16_f32 v2, v4", snorm(f32(v.a)) | snorm(f32(v.b))
                                                                   << 16),
          ROW("v_cvt_pknorm_u16_f32 v2, v4", unorm(f32(v.a)) | unorm(f32(v.b))
                                                                   << 16),
          ROW("v_cvt_pknorm_i16_f16 v2, v4", snorm(f16(v.a)) | snorm(f16(v.b))
                                                                   << 16),
          ROW("v_cvt_pknorm_u16_f16 v2, v4", unorm(f16(v.a)) | unorm(f16(v.b))
                                                                   << 16),
          ROW("v_cvt_rpi_i32_f32 v2",
              [](float x) {
                double r = std::floor(x + 0.5f);
                return uint32_t(
                    r != r ? 0
                           : int32_t(std::clamp(r, -2147483648., 2147483647.)));
              }(f32(v.a))),
          ROW("v_cvt_flr_i32_f32 v2",
              [](float x) {
                double r = std::floor(x);
                return uint32_t(
                    r != r ? 0
                           : int32_t(std::clamp(r, -2147483648., 2147483647.)));
              }(f32(v.a))),
      },
      0);
  addRows(cases,
          {
              ROW("v_add_f32_e64 v2, v4 mul:4", raw((f32(v.a) + f32(v.b)) * 4)),
              ROW("v_mul_f32_e64 v2, -|v4| div:2",
                  raw(f32(v.a) * -std::fabs(f32(v.b)) / 2)),
          },
          'f', "\n  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3");
  // Output modifiers need denormals off; then both sides are flushed.
  for (size_t i = cases.size() - 2; i < cases.size(); ++i) {
    auto host = cases[i].host;
    bool adds = i == cases.size() - 2;
    cases[i].code =
        "  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0\n" + cases[i].code;
    cases[i].host = [adds](Values &v) {
      auto flush = [](float x) {
        return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.f, x) : x;
      };
      float a = flush(f32(v.a)), b = flush(f32(v.b));
      v.r[0] = raw(adds ? flush(flush(a + b) * 4)
                        : flush(flush(a * -std::fabs(b)) / 2));
      // Zero keeps no sign.
      if (!(v.r[0] & 0x7fffffff))
        v.r[0] = 0;
    };
    cases[i].code +=
        "\n  v_cmp_eq_f32 s[30:31], 0, v8\n  v_cndmask_b32 v8, v8, 0, s[30:31]";
  }
  // Of three, where no operand is a NaN; with one it is as of two.
  std::string noNan =
      "  v_max_f32 v2, v2, v2\n  v_max_f32 v4, v4, v4\n  v_max_f32 v6, v6, "
      "v6\n  v_cmp_u_f32 s[12:13], v2, v4\n  v_cmp_u_f32 s[14:15], v6, v6\n  "
      "s_or_b64 s[12:13], s[12:13], s[14:15]\n  s_not_b64 exec, s[12:13]\n";
  auto three = [&](const char *code, float (*choose)(float, float, float)) {
    cases.push_back(
        {noNan + "  " + code + " v8, v2, v4, v6\n  s_mov_b64 exec, -1",
         [=](Values &v) {
           if (!hasNan(v))
             v.r[0] = raw(choose(f32(v.a), f32(v.b), f32(v.c)));
         }});
  };
  three("v_min3_f32",
        [](float a, float b, float c) { return least(least(a, b), c); });
  three("v_max3_f32",
        [](float a, float b, float c) { return most(most(a, b), c); });
  three("v_med3_f32",
        [](float a, float b, float c) { return middle(a, b, c); });
  auto cube = [&](const char *name, float (*result)(const Values &)) {
    cases.push_back(
        {noNan + "  " + name + " v8, v2, v4, v6\n  s_mov_b64 exec, -1",
         [=](Values &v) {
           if (!hasNan(v))
             v.r[0] = raw(result(v));
         }});
  };
  cube("v_cubeid_f32", [](const Values &v) {
    return float((major(v) == 2 ? 4 : major(v) == 1 ? 2 : 0) + (axis(v) < 0));
  });
  cube("v_cubema_f32", [](const Values &v) { return 2 * axis(v); });
  cube("v_cubesc_f32", [](const Values &v) {
    float x = f32(v.a), z = f32(v.c);
    return major(v) == 2   ? (z < 0 ? -x : x)
           : major(v) == 1 ? x
           : x < 0         ? z
                           : -z;
  });
  cube("v_cubetc_f32", [](const Values &v) {
    float y = f32(v.b), z = f32(v.c);
    return major(v) == 1 ? (y < 0 ? -z : z) : -y;
  });
  // Products of halves, summed in f32 after each; small ones are exact.
  for (bool accumulates : {false, true}) {
    std::string code =
        "  v_and_b32 v2, 0x3fff3fff, v2\n  v_and_b32 v4, 0xbfffbfff, v4\n  ";
    code += accumulates ? "v_dot2c_f32_f16 v8, v2, v4"
                        : "v_dot2_f32_f16 v8, v2, v4, v8";
    cases.push_back({"  v_mov_b32 v8, 1.0\n" + code, [](Values &v) {
                       uint32_t a = uint32_t(v.a) & 0x3fff3fff,
                                b = uint32_t(v.b) & 0xbfffbfff;
                       float sum = std::fma(float(f16(a)), float(f16(b)), 1.f);
                       v.r[0] = raw(std::fma(float(f16(a >> 16)),
                                             float(f16(b >> 16)), sum));
                     }});
  }
  checkInstructions(cases);
}

TEST(Floats, HalvesOfThree) {
  std::vector<InstructionCase> cases;
  // No NaN: the exponent's top bit is cleared.
  std::string small = "  v_and_b32 v2, 0xbfff, v2\n  v_and_b32 v4, 0xbfff, "
                      "v4\n  v_and_b32 v6, 0xbfff, v6\n  ";
  auto three = [&](const char *code, double (*choose)(double, double, double)) {
    cases.push_back(
        {small + code + " v8, v2, v4, v6\n  v_and_b32 v8, 0xffff, v8",
         [=](Values &v) {
           v.r[0] = half(
               choose(f16(v.a & 0xbfff), f16(v.b & 0xbfff), f16(v.c & 0xbfff)));
         }});
  };
  three("v_min3_f16",
        [](double a, double b, double c) { return least(least(a, b), c); });
  three("v_max3_f16",
        [](double a, double b, double c) { return most(most(a, b), c); });
  three("v_med3_f16",
        [](double a, double b, double c) { return middle(a, b, c); });
  // Within a unit in the last place: the difference of the bits and the host's.
  struct Function {
    const char *name;
    double (*f)(double);
    unsigned mask;
  };
  for (Function function :
       {Function{"v_rcp_f16", [](double x) { return 1 / x; }, 0xbfff},
        Function{"v_sqrt_f16", [](double x) { return std::sqrt(x); }, 0x3fff},
        Function{"v_rsq_f16", [](double x) { return 1 / std::sqrt(x); },
                 0x3fff},
        Function{"v_log_f16", [](double x) { return std::log2(x); }, 0x3fff},
        Function{"v_exp_f16", [](double x) { return std::exp2(x); }, 0xbfff},
        Function{
            "v_fract_f16",
            [](double x) { return std::min(x - std::floor(x), f16(0x3bff)); },
            0xbfff}}) {
    // Ordered by their bits, results and expectations differ by at most one.
    cases.push_back({"  v_and_b32 v2, " + std::to_string(function.mask) +
                         ", v2\n  " + function.name +
                         " v8, v2\n  v_and_b32 v8, 0xffff, v8",
                     nullptr});
    unsigned mask = function.mask;
    auto f = function.f;
    cases.back().host = [=](Values &v) { v.r[0] = half(f(f16(v.a & mask))); };
    cases.back().tolerance = 1;
  }
  // Turns, not radians.
  for (bool cosine : {false, true}) {
    cases.push_back({std::string("  v_and_b32 v2, 0xbbff, v2\n  ") +
                         (cosine ? "v_cos_f16" : "v_sin_f16") +
                         " v8, v2\n  v_cvt_f32_f16 v8, v8",
                     [=](Values &v) {
                       double turns = f16(v.a & 0xbbff), x = turns * 2 * M_PI;
                       // Half turns are exact.
                       double sine = turns && 2 * turns == std::floor(2 * turns)
                                         ? 0
                                         : std::sin(x);
                       v.r[0] =
                           raw(float(f16(half(cosine ? std::cos(x) : sine))));
                     }});
    cases.back().tolerance = 0x4000; // a bit and a half of f16 in f32
  }
  for (const char *name : {"v_exp_legacy_f32", "v_log_legacy_f32"}) {
    bool exp = name[2] == 'e';
    cases.push_back({std::string("  v_and_b32 v2, 0x41ffffff, v2\n  v_or_b32 "
                                 "v2, 0x38000000, v2\n  ") +
                         name + " v8, v2",
                     [=](Values &v) {
                       double x =
                           f32((uint32_t(v.a) & 0x41ffffff) | 0x38000000);
                       v.r[0] = raw(float(exp ? std::exp2(x) : std::log2(x)));
                     }});
    cases.back().tolerance = 2;
  }
  checkInstructions(cases);
}

/// A small float of the FNUZ kind: one NaN, no infinity, no negative zero.
double fromSmall(unsigned bits, int mantissa, int bias) {
  if (bits == 0x80)
    return NAN;
  int exponent = bits >> mantissa & ((1 << (7 - mantissa)) - 1);
  int fraction = bits & ((1 << mantissa) - 1);
  double magnitude = exponent ? std::ldexp((1 << mantissa) + fraction,
                                           exponent - bias - mantissa)
                              : std::ldexp(fraction, 1 - bias - mantissa);
  return bits & 0x80 ? -magnitude : magnitude;
}
/// The nearest one, the even one of two; NaN beyond the largest.
unsigned toSmall(double x, int mantissa, int bias) {
  double size = std::fabs(x);
  unsigned best = 0;
  // One above the largest stands for all that overflows.
  double overflow =
      2 * fromSmall(0x7f, mantissa, bias) - fromSmall(0x7e, mantissa, bias);
  for (unsigned candidate = 0; candidate <= 0x80; ++candidate) {
    double value =
        candidate == 0x80 ? overflow : fromSmall(candidate, mantissa, bias);
    double now = best == 0x80 ? overflow : fromSmall(best, mantissa, bias);
    double difference = std::fabs(value - size) - std::fabs(now - size);
    if (difference < 0 || (difference == 0 && candidate % 2 == 0))
      best = candidate;
  }
  if (best == 0x80 || !std::isfinite(x))
    return 0x80;
  return best && std::signbit(x) ? best | 0x80 : best;
}

TEST(Floats, Small) {
  std::vector<InstructionCase> cases;
  struct Format {
    const char *name;
    int mantissa, bias;
  };
  for (Format format : {Format{"fp8", 3, 8}, Format{"bf8", 2, 16}}) {
    std::string name = format.name;
    int m = format.mantissa, bias = format.bias;
    for (unsigned upper : {0u, 1u})
      cases.push_back(
          {"  v_cvt_pk_f32_" + name +
               (upper ? "_sdwa v[8:9], v2 src0_sel:WORD_1" : " v[8:9], v2"),
           [=](Values &v) {
             for (unsigned i = 0; i < 2; ++i) {
               float f =
                   float(fromSmall(v.a >> (16 * upper + 8 * i) & 255, m, bias));
               v.r[i] = std::isnan(f) ? 0 : raw(f);
             }
           }});
    // NaNs are compared as zero.
    for (size_t i = cases.size() - 2; i < cases.size(); ++i)
      cases[i].code += "\n  v_cmp_u_f32 s[12:13], v8, v8\n  v_cndmask_b32 v8, "
                       "v8, 0, s[12:13]\n  v_cmp_u_f32 s[12:13], v9, v9\n  "
                       "v_cndmask_b32 v9, v9, 0, s[12:13]";
    // Random bits are added below the mantissa that is kept, without a carry
    // out of the 23 bits; the rest of the word stays. op_sel names the byte.
    for (unsigned byte = 0; byte < 4; ++byte)
      cases.push_back(
          {"  v_and_b32 v2, 0xc3ffffff, v2\n  v_cvt_sr_" + name +
               "_f32 v8, v2, v4 op_sel:[0,0," + std::to_string(byte & 1) + "," +
               std::to_string(byte >> 1) + "]",
           [=](Values &v) {
             uint32_t x = uint32_t(v.a) & 0xc3ffffff;
             uint32_t noise = uint32_t(v.b) >> (9 + m);
             x = (x & 0xff800000) | ((x + noise) & 0x7fffff);
             v.r[0] = (v.r[0] & ~(255u << 8 * byte)) | toSmall(f32(x), m, bias)
                                                           << 8 * byte;
           }});
  }
  checkInstructions(cases);
}

// Those that other programs here execute only where clang's device library or
// other people's objects are at hand.
TEST(Floats, PartsAndMixes) {
  std::vector<InstructionCase> cases;
  auto word = [&](const char *code, Word result) {
    cases.push_back({std::string("  ") + code,
                     [=](Values &v) { v.r[0] = result(v); }, false, 'f'});
  };
  word("v_fract_f32 v8, v2", [](const Values &v) {
    float x = f32(v.a);
    return raw(x - std::floor(x) < 1 ? x - std::floor(x)
               : std::isfinite(x)    ? 0x1.fffffep-1f
                                     : NAN);
  });
  word("v_frexp_mant_f32 v8, v2", [](const Values &v) {
    int e;
    return raw(std::isfinite(f32(v.a)) ? std::frexp(f32(v.a), &e) : f32(v.a));
  });
  word("v_min_f32 v8, v2, v4", [](const Values &v) {
    bool nan = isSignalling(uint32_t(v.a), 22, 8) ||
               isSignalling(uint32_t(v.b), 22, 8);
    return raw(nan ? NAN : least(f32(v.a), f32(v.b)));
  });
  word("v_fmaak_f32 v8, v2, v4, 0x3fc00000",
       [](const Values &v) { return raw(std::fma(f32(v.a), f32(v.b), 1.5f)); });
  word("v_fma_mix_f32 v8, v2, -v4, v6", [](const Values &v) {
    return raw(std::fma(f32(v.a), -f32(v.b), f32(v.c)));
  });
  word("v_fma_mix_f32 v8, v2, v4, v6 op_sel:[1,0,0] op_sel_hi:[1,1,0]",
       [](const Values &v) {
         return raw(std::fma(float(f16(v.a >> 16)), float(f16(v.b)), f32(v.c)));
       });
  auto exponent = [](double x) {
    int e = 0;
    if (std::isfinite(x))
      (void)std::frexp(x, &e);
    return uint32_t(e);
  };
  cases.push_back({"  v_frexp_exp_i32_f32 v8, v2",
                   [=](Values &v) { v.r[0] = exponent(f32(v.a)); }});
  cases.push_back({"  v_frexp_exp_i32_f64 v8, v[2:3]",
                   [=](Values &v) { v.r[0] = exponent(f64(v.a)); }});
  cases.push_back({"  v_min_i32 v8, v2, v4", [](Values &v) {
                     v.r[0] = std::min(int32_t(v.a), int32_t(v.b));
                   }});
  cases.push_back(
      {"  v_pk_mov_b32 v[8:9], v[2:3], v[4:5] op_sel:[1,0]", [](Values &v) {
         v.r[0] = uint32_t(v.a >> 32);
         v.r[1] = uint32_t(v.b);
       }});
  auto pair = [&](const char *code, double (*f)(double)) {
    cases.push_back(
        {std::string("  ") + code + " v[8:9], v[2:3]",
         [=](Values &v) { v.setPair(bitsAs<uint64_t>(f(f64(v.a)))); }, false,
         'd'});
  };
  pair("v_frexp_mant_f64", [](double x) {
    int e;
    return std::isfinite(x) ? std::frexp(x, &e) : x;
  });
  pair("v_fract_f64", [](double x) {
    double r = x - std::floor(x);
    return r < 1 ? r : std::isfinite(x) ? 0x1.fffffffffffffp-1 : NAN;
  });
  checkInstructions(cases);
}

TEST(Floats, Doubles) {
  std::vector<InstructionCase> cases;
  auto two = [&](const char *code, double (*choose)(double, double)) {
    cases.push_back(
        {std::string("  ") + code + " v[8:9], v[2:3], v[4:5]",
         [=](Values &v) {
           bool nan = signals64(v.a) || signals64(v.b);
           v.setPair(bitsAs<uint64_t>(nan ? NAN : choose(f64(v.a), f64(v.b))));
         },
         false, 'd'});
  };
  two("v_min_f64", [](double a, double b) { return least(a, b); });
  two("v_max_f64", [](double a, double b) { return most(a, b); });
  two("v_add_f64", [](double a, double b) { return a + b; });
  two("v_mul_f64", [](double a, double b) { return a * b; });
  auto one = [&](const char *code, double (*f)(double)) {
    cases.push_back(
        {std::string("  ") + code + " v[8:9], v[2:3]",
         [=](Values &v) { v.setPair(bitsAs<uint64_t>(f(f64(v.a)))); }, false,
         'd'});
  };
  one("v_floor_f64", [](double x) { return std::floor(x); });
  one("v_ceil_f64", [](double x) { return std::ceil(x); });
  one("v_trunc_f64", [](double x) { return std::trunc(x); });
  one("v_rndne_f64", [](double x) { return std::nearbyint(x); });
  cases.push_back(
      {"  v_cvt_u32_f64 v8, v[2:3]", [](Values &v) {
         double x = f64(v.a);
         v.r[0] =
             x != x ? 0 : uint32_t(std::clamp(std::trunc(x), 0., 4294967295.));
       }});
  cases.push_back({"  v_cvt_i32_f64 v8, v[2:3]", [](Values &v) {
                     double x = f64(v.a);
                     v.r[0] =
                         x != x
                             ? 0
                             : uint32_t(int32_t(std::clamp(
                                   std::trunc(x), -2147483648., 2147483647.)));
                   }});
  cases.push_back({"  v_subrev_f32 v8, v2, v4",
                   [](Values &v) { v.r[0] = raw(f32(v.b) - f32(v.a)); }, false,
                   'f'});
  cases.push_back({"  v_pk_fma_f32 v[8:9], v[2:3], v[4:5], v[6:7] "
                   "op_sel:[1,0,0] op_sel_hi:[0,1,1]",
                   [](Values &v) {
                     v.r[0] = raw(std::fma(f32(v.a >> 32), f32(v.b), f32(v.c)));
                     v.r[1] = 0;
                   },
                   false, 'f'});
  cases.back().code += "\n  v_mov_b32 v9, 0";
  // Places of 53 bits in 2/pi, as the reduction of large angles wants them.
  cases.push_back(
      {"  v_and_b32 v3, 0x3fffffff, v3\n  v_and_b32 v4, 3, v4\n  "
       "v_trig_preop_f64 v[8:9], v[2:3], v4",
       [](Values &v) {
         const uint32_t digits[] = {0xa2f9836e, 0x4e441529, 0xfc2757d1,
                                    0xf534ddc0, 0xdb629599, 0x3c439041,
                                    0xfe5163ab, 0xdebbc561};
         unsigned first = 53 * (v.b & 3);
         double sum = 0;
         for (unsigned i = 0; i < 53; ++i)
           if (digits[(first + i) / 32] >> (31 - (first + i) % 32) & 1)
             sum += std::ldexp(1., -1 - int(first + i));
         v.setPair(bitsAs<uint64_t>(sum));
       }});
  // An approximation: 22 bits or more are right (programs refine it).
  cases.push_back({"  v_and_b32 v3, 0x5fffffff, v3\n  v_or_b32 v3, 0x20000000, "
                   "v3\n  v_sqrt_f64 v[8:9], v[2:3]\n  v_cvt_f32_f64 v8, "
                   "v[8:9]\n  v_mov_b32 v9, 0",
                   [](Values &v) {
                     uint64_t high = ((v.a >> 32) & 0x5fffffff) | 0x20000000;
                     v.r[0] =
                         raw(float(std::sqrt(f64(high << 32 | uint32_t(v.a)))));
                     v.r[1] = 0;
                   }});
  cases.back().tolerance = 2;
  checkInstructions(cases);
}

} // namespace
