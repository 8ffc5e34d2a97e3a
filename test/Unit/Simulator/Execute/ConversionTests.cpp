//===- ConversionTests.cpp - Conversions over all inputs ------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every 8- and 16-bit input, and for conversions down every boundary of
// rounding: the numbers of the narrow format, the middles between neighbours,
// and what lies next to both. The formats of tlc/Support are the witness.
//
//===----------------------------------------------------------------------===//

#include "Assembler.h"

#include "tlc/Support/DType.h"

#include <cmath>

using namespace tlc;
using namespace tlc::test;

namespace {

uint32_t bitsOf(float f) {
  uint32_t v;
  std::memcpy(&v, &f, 4);
  return v;
}
float floatOf(uint32_t v) {
  float f;
  std::memcpy(&f, &v, 4);
  return f;
}
std::vector<uint32_t> all(unsigned bits) {
  std::vector<uint32_t> values(size_t(1) << bits);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = uint32_t(i);
  return values;
}

/// The boundaries of rounding to a format, as f32 bits, both signs.
std::vector<uint32_t> boundaries(const FloatFormat &format) {
  std::vector<uint32_t> values;
  auto add = [&](double v) {
    float f = float(v);
    for (float near :
         {f, std::nextafter(f, INFINITY), std::nextafter(f, -INFINITY)}) {
      values.push_back(bitsOf(near));
      values.push_back(bitsOf(-near));
    }
  };
  uint64_t count = uint64_t(1) << (format.bits - 1);
  for (uint64_t i = 0; i + 1 < count; ++i) {
    double a = format.decode(i), b = format.decode(i + 1);
    if (!std::isfinite(a))
      break;
    add(a);
    add(std::isfinite(b) ? (a + b) / 2
                         : a + std::ldexp(a, -int(format.mantissaBits) - 1));
  }
  for (float f : {INFINITY, 1e30f, 65520.0f, 65519.996f, 0x1p-149f, 0x1p-126f})
    add(f);
  return values;
}

class Conversion : public ::testing::Test {
protected:
  void SetUp() override {
    if (!hasAssembler())
      GTEST_SKIP() << "no clang to assemble with";
  }
  /// Equal, or both NaN, in a format.
  static void expectSame(const FloatFormat &format, uint64_t actual,
                         uint64_t expected, uint32_t input) {
    if (std::isnan(format.decode(actual)) &&
        std::isnan(format.decode(expected)))
      return;
    EXPECT_EQ(actual, expected) << "input " << std::hex << input;
  }
};

TEST_F(Conversion, HalfToSingle) {
  auto in = all(16);
  auto out = mapInstruction("v_cvt_f32_f16 v4, v1", in);
  for (uint32_t v : in)
    expectSame(f32Format, out.low[v], bitsOf(float(f16Format.decode(v))), v);
}

TEST_F(Conversion, SingleToHalf) {
  auto in = boundaries(f16Format);
  auto out = mapInstruction("v_cvt_f16_f32 v4, v1", in);
  for (size_t i = 0; i < in.size(); ++i)
    expectSame(f16Format, out.low[i], f16Format.encode(floatOf(in[i])), in[i]);
}

TEST_F(Conversion, SingleToHalfTowardZero) {
  auto in = boundaries(f16Format);
  auto out = mapInstruction("v_cvt_pkrtz_f16_f32 v4, v1, v1", in);
  for (size_t i = 0; i < in.size(); ++i) {
    double v = floatOf(in[i]), a = std::abs(v);
    uint64_t expected = f16Format.encode(a);
    if (std::isfinite(a) && f16Format.decode(expected) > a)
      --expected; // back toward zero
    expected |= std::signbit(v) ? 0x8000 : 0;
    expectSame(f16Format, out.low[i] & 0xffff, expected, in[i]);
    EXPECT_EQ(out.low[i] & 0xffff, out.low[i] >> 16);
  }
}

TEST_F(Conversion, EightBitFloatsUp) {
  auto in = all(8);
  auto fp8 = mapInstruction("v_cvt_f32_fp8 v4, v1\nv_cvt_f32_bf8 v5, v1", in);
  for (uint32_t v : in) {
    expectSame(f32Format, fp8.low[v], bitsOf(float(e4m3fnuzFormat.decode(v))),
               v);
    expectSame(f32Format, fp8.high[v], bitsOf(float(e5m2fnuzFormat.decode(v))),
               v);
  }
}

TEST_F(Conversion, EightBitFloatsDown) {
  struct Kind {
    const FloatFormat &format;
    const char *code;
  };
  for (const Kind &kind :
       {Kind{e4m3fnuzFormat, "v_cvt_pk_fp8_f32 v4, v1, v2"},
        Kind{e5m2fnuzFormat, "v_cvt_pk_bf8_f32 v4, v1, v2"}}) {
    auto in = boundaries(kind.format);
    auto second = in;
    std::reverse(second.begin(), second.end());
    auto out = mapInstruction(kind.code, in, second);
    auto expected = [&](uint32_t raw) -> uint64_t {
      double v = floatOf(raw);
      // Without FP16_OVFL what does not fit becomes NaN. Rounding up may just
      // reach the range's end.
      double step = std::ldexp(1, std::ilogb(kind.format.maxFinite) -
                                      int(kind.format.mantissaBits));
      double limit = kind.format.maxFinite + step / 2;
      if (!(std::abs(v) < limit))
        return 0x80;
      return kind.format.encode(v);
    };
    for (size_t i = 0; i < in.size(); ++i) {
      expectSame(kind.format, out.low[i] & 0xff, expected(in[i]), in[i]);
      expectSame(kind.format, out.low[i] >> 8 & 0xff, expected(second[i]),
                 second[i]);
    }
  }
}

TEST_F(Conversion, HalfAndShort) {
  auto in = all(16);
  auto down = mapInstruction("v_cvt_f16_u16 v4, v1\nv_cvt_f16_i16 v5, v1", in);
  auto up = mapInstruction("v_cvt_u16_f16 v4, v1\nv_cvt_i16_f16 v5, v1", in);
  for (uint32_t v : in) {
    EXPECT_EQ(down.low[v], f16Format.encode(v)) << v;
    EXPECT_EQ(down.high[v], f16Format.encode(int16_t(v))) << v;
    double h = f16Format.decode(v);
    double u =
        std::isnan(h) ? 0 : std::fmin(std::fmax(std::trunc(h), 0), 65535);
    double s =
        std::isnan(h) ? 0 : std::fmin(std::fmax(std::trunc(h), -32768), 32767);
    EXPECT_EQ(up.low[v], uint32_t(u)) << v;
    EXPECT_EQ(up.high[v], uint16_t(int32_t(s))) << v;
  }
}

TEST_F(Conversion, SingleToInteger) {
  std::vector<uint32_t> in;
  for (double v : {0.0, 0.5, 0.9999, 1.0, 1.5, 2.5, 2147483520.0, 2147483648.0,
                   2147483904.0, 4294967040.0, 4294967296.0, 1e20,
                   double(INFINITY), double(NAN), 16777217.0, 0x1p-130})
    for (double s : {v, -v})
      in.push_back(bitsOf(float(s)));
  auto out = mapInstruction("v_cvt_i32_f32 v4, v1\nv_cvt_u32_f32 v5, v1", in);
  auto rounded =
      mapInstruction("v_cvt_flr_i32_f32 v4, v1\nv_rndne_f32 v5, v1", in);
  for (size_t i = 0; i < in.size(); ++i) {
    double v = floatOf(in[i]);
    auto clamp = [&](double x, double low, double high) {
      return std::isnan(x) ? 0 : std::fmin(std::fmax(x, low), high);
    };
    EXPECT_EQ(int32_t(out.low[i]),
              int32_t(clamp(std::trunc(v), INT32_MIN, INT32_MAX)));
    EXPECT_EQ(out.high[i], uint32_t(clamp(std::trunc(v), 0, UINT32_MAX)));
    EXPECT_EQ(int32_t(rounded.low[i]),
              int32_t(clamp(std::floor(v), INT32_MIN, INT32_MAX)));
    expectSame(f32Format, rounded.high[i], bitsOf(float(std::nearbyint(v))),
               in[i]);
  }
}

/// Arithmetic in f16 rounds once: all values against a few others.
TEST_F(Conversion, HalfArithmetic) {
  for (uint32_t other :
       {0x3c00u, 0x3555u, 0x0001u, 0x7bffu, 0xb801u, 0x03ffu}) {
    auto in = all(16);
    std::vector<uint32_t> second(in.size(), other), third(in.size(), 0x1400);
    auto out = mapInstruction("v_add_f16 v4, v1, v2\nv_mul_f16 v5, v1, v2", in,
                              second, third);
    auto fused = mapInstruction(
        "v_fma_f16 v4, v1, v2, v3\nv_sub_f16 v5, v2, v1", in, second, third);
    double b = f16Format.decode(other), c = f16Format.decode(0x1400);
    for (uint32_t v : in) {
      double a = f16Format.decode(v);
      expectSame(f16Format, out.low[v], f16Format.encode(a + b), v);
      expectSame(f16Format, out.high[v], f16Format.encode(a * b), v);
      expectSame(f16Format, fused.low[v], f16Format.encode(a * b + c), v);
      expectSame(f16Format, fused.high[v], f16Format.encode(b - a), v);
    }
  }
}

/// Transcendentals stay within one unit in the last place.
TEST_F(Conversion, TranscendentalBounds) {
  std::vector<uint32_t> in;
  std::mt19937 engine(7);
  for (int i = 0; i < 20000; ++i)
    in.push_back((engine() & 0x807fffff) | (100 + engine() % 32) << 23);
  struct Kind {
    const char *name;
    double (*f)(double);
  };
  const double pi = 3.14159265358979323846;
  static const double twoPi = 2 * pi;
  for (const Kind &kind :
       {Kind{"v_exp_f32", [](double x) { return std::exp2(x); }},
        Kind{"v_log_f32", [](double x) { return std::log2(x); }},
        Kind{"v_rcp_f32", [](double x) { return 1 / x; }},
        Kind{"v_rsq_f32", [](double x) { return 1 / std::sqrt(x); }},
        Kind{"v_sqrt_f32", [](double x) { return std::sqrt(x); }},
        Kind{"v_sin_f32", [](double x) { return std::sin(x * twoPi); }},
        Kind{"v_cos_f32", [](double x) { return std::cos(x * twoPi); }}}) {
    auto out = mapInstruction(std::string(kind.name) + " v4, v1", in);
    for (size_t i = 0; i < in.size(); ++i) {
      double expected = kind.f(floatOf(in[i])), actual = floatOf(out.low[i]);
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(actual)) << kind.name;
        continue;
      }
      double unit = std::ldexp(1, std::max(std::ilogb(expected), -126) - 23);
      // Near the zeros of sine and cosine the argument's own scaling counts.
      double slack = kind.name[2] == 's' || kind.name[2] == 'c' ? 1e-8 : 0;
      EXPECT_LE(std::abs(actual - expected), unit + slack)
          << kind.name << " of " << floatOf(in[i]);
    }
  }
}

} // namespace
