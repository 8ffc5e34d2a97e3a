//===- FormatTests.cpp - Typed buffer loads and stores --------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Assembler.h"

#include <cmath>

using namespace tlc::test;

namespace {

class Formats : public ::testing::Test {
protected:
  void SetUp() override {
    if (!hasAssembler())
      GTEST_SKIP() << "no clang to assemble with";
  }
};

std::vector<uint32_t> words() {
  std::vector<uint32_t> values(512);
  std::mt19937 engine(3);
  for (uint32_t &v : values)
    v = engine();
  values[0] = 0;
  values[1] = ~0u;
  values[2] = 0x80808080;
  values[3] = 0x7f7f7f7f;
  return values;
}

float asFloat(uint32_t v) {
  float f;
  std::memcpy(&f, &v, 4);
  return f;
}

/// Loads one word for each lane through a raw resource of the first input and
/// returns components A and B.
TwoResults load(const std::string &format, const std::vector<uint32_t> &input,
                int a, int b, uint32_t word3 = 0x27000,
                const char *name = "tbuffer_load_format_xyzw") {
  std::string code = "s_mov_b32 s20, s8\ns_mov_b32 s21, s9\n"
                     "s_movk_i32 s22, 0x1000\ns_mov_b32 s23, " +
                     std::to_string(word3) + "\n" + name +
                     " v[20:23], v6, s[20:23], 0 " + format +
                     " offen\ns_waitcnt vmcnt(0)\nv_mov_b32 v4, v" +
                     std::to_string(20 + a) + "\nv_mov_b32 v5, v" +
                     std::to_string(20 + b) + "\n";
  return mapInstruction(code, input);
}
std::string format(const char *data, const char *number) {
  return std::string("format:[BUF_DATA_FORMAT_") + data + ",BUF_NUM_FORMAT_" +
         number + "]";
}

TEST_F(Formats, Bytes) {
  auto input = words();
  auto unorm = load(format("8_8_8_8", "UNORM"), input, 0, 3);
  auto snorm = load(format("8_8_8_8", "SNORM"), input, 1, 2);
  auto integer = load(format("8_8_8_8", "SINT"), input, 2, 3);
  auto scaled = load(format("8_8_8_8", "USCALED"), input, 0, 1);
  for (size_t i = 0; i < input.size(); ++i) {
    auto byte = [&](int k) { return input[i] >> (8 * k) & 0xff; };
    EXPECT_EQ(asFloat(unorm.low[i]), float(byte(0)) / 255.0f);
    EXPECT_EQ(asFloat(unorm.high[i]), float(byte(3)) / 255.0f);
    EXPECT_EQ(asFloat(snorm.low[i]),
              std::max(float(int8_t(byte(1))) / 127.0f, -1.0f));
    EXPECT_EQ(int(integer.low[i]), int8_t(byte(2)));
    EXPECT_EQ(int(integer.high[i]), int8_t(byte(3)));
    EXPECT_EQ(asFloat(scaled.high[i]), float(byte(1)));
  }
}

TEST_F(Formats, OddFields) {
  auto input = words();
  auto ten = load(format("2_10_10_10", "UINT"), input, 0, 3);
  auto middle = load(format("2_10_10_10", "SINT"), input, 1, 2);
  auto small = load(format("10_11_11", "FLOAT"), input, 0, 2);
  for (size_t i = 0; i < input.size(); ++i) {
    uint32_t v = input[i];
    EXPECT_EQ(ten.low[i], v & 1023);
    EXPECT_EQ(ten.high[i], v >> 30);
    EXPECT_EQ(int(middle.low[i]), int(v << 12) >> 22);
    EXPECT_EQ(int(middle.high[i]), int(v << 2) >> 22);
    float x = fromHalf(uint16_t((v & 2047) << 4)),
          z = fromHalf(uint16_t((v >> 22) << 5));
    if (!std::isnan(x))
      EXPECT_EQ(asFloat(small.low[i]), x);
    if (!std::isnan(z))
      EXPECT_EQ(asFloat(small.high[i]), z);
  }
}

TEST_F(Formats, MissingComponents) {
  auto input = words();
  auto one = load(format("16_16", "UNORM"), input, 2, 3);
  EXPECT_EQ(one.low[5], 0u);
  EXPECT_EQ(asFloat(one.high[5]), 1.0f);
  auto integer = load(format("16_16", "UINT"), input, 1, 3);
  EXPECT_EQ(integer.low[7], input[7] >> 16);
  EXPECT_EQ(integer.high[7], 1u);
}

TEST_F(Formats, ResourceFormatAndSwizzle) {
  auto input = words();
  // W, 1, X, 0 of four bytes; UINT (4) of 8_8_8_8 (10).
  uint32_t word3 = 7 | 1 << 3 | 4 << 6 | 0 << 9 | 4 << 12 | 10 << 15;
  auto first = load("", input, 0, 1, word3, "buffer_load_format_xyzw");
  auto last = load("", input, 2, 3, word3, "buffer_load_format_xyzw");
  for (size_t i = 0; i < input.size(); ++i) {
    EXPECT_EQ(first.low[i], input[i] >> 24);
    EXPECT_EQ(first.high[i], 1u);
    EXPECT_EQ(last.low[i], input[i] & 0xff);
    EXPECT_EQ(last.high[i], 0u);
  }
}

TEST_F(Formats, Halves) {
  auto input = words();
  auto packed = mapInstruction(
      "s_mov_b32 s20, s8\ns_mov_b32 s21, s9\ns_movk_i32 s22, 0x1000\n"
      "s_mov_b32 s23, 0x27000\n"
      "tbuffer_load_format_d16_xyzw v[20:21], v6, s[20:23], 0 " +
          format("8_8_8_8", "UINT") +
          " offen\ns_waitcnt vmcnt(0)\nv_mov_b32 v4, v20\nv_mov_b32 v5, v21\n",
      input);
  for (size_t i = 0; i < input.size(); ++i) {
    uint32_t v = input[i];
    EXPECT_EQ(packed.low[i], (v & 0xff) | (v >> 8 & 0xff) << 16);
    EXPECT_EQ(packed.high[i], (v >> 16 & 0xff) | v >> 24 << 16);
  }
}

TEST_F(Formats, StoresRoundAndClamp) {
  std::vector<uint32_t> input;
  const float values[] = {0.0f, 1.0f,  0.5f,  -3.0f,      7.0f,
                          NAN,  0.25f, 0.75f, 1.0f / 255, 0.1f};
  for (float v : values) {
    uint32_t raw;
    std::memcpy(&raw, &v, 4);
    input.push_back(raw);
  }
  input.resize(64);
  // Stored over the second input, read back as a word.
  auto stored = mapInstruction(
      "s_mov_b32 s20, s10\ns_mov_b32 s21, s11\ns_movk_i32 s22, 0x1000\n"
      "s_mov_b32 s23, 0x27000\nv_mov_b32 v20, v1\nv_mov_b32 v21, v1\n"
      "tbuffer_store_format_xy v[20:21], v6, s[20:23], 0 " +
          format("16_16", "SNORM") +
          " offen\ns_waitcnt vmcnt(0)\nglobal_load_dword v5, v6, s[10:11]\n"
          "tbuffer_store_format_xy v[20:21], v6, s[20:23], 0 " +
          format("8_8", "UNORM") +
          " offen\ns_waitcnt vmcnt(0)\nglobal_load_ushort v4, v6, s[10:11]\n"
          "s_waitcnt vmcnt(0)\n",
      input);
  for (size_t i = 0; i < std::size(values); ++i) {
    float v = values[i];
    double unit = std::isnan(v) ? 0 : std::min(std::max(double(v), 0.0), 1.0);
    double wide = std::isnan(v) ? 0 : std::min(std::max(double(v), -1.0), 1.0);
    uint32_t byte = uint32_t(std::nearbyint(unit * 255));
    EXPECT_EQ(stored.low[i], byte | byte << 8) << v;
    uint16_t half = uint16_t(int16_t(std::nearbyint(wide * 32767)));
    EXPECT_EQ(stored.high[i], half | uint32_t(half) << 16) << v;
  }
}

} // namespace
