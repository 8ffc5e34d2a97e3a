//===- AiterQuantizedTests.cpp - Hand-written 8-bit products --------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AITER's products of 8-bit matrices, whose weights lie in tiles as the matrix
// core wants them: fp8 with a scale for 1 x 128 and 128 x 128 elements, and i8
// with a scale for each row and column.
//
//===----------------------------------------------------------------------===//

#include "AiterSupport.h"

#include <algorithm>
#include <random>

using namespace tlc::test;

namespace {

/// fp8 of gfx942 (e4m3fnuz): bias 8, 0x80 is NaN.
double fromFp8(uint8_t v) {
  int exponent = v >> 3 & 15, mantissa = v & 7;
  double magnitude = exponent ? std::ldexp(8 + mantissa, exponent - 11)
                              : std::ldexp(mantissa, -10);
  return v & 0x80 ? -magnitude : magnitude;
}

/// [N, K] in tiles of 16 x 32: [N / 16][K / 32][2][16][16].
std::vector<uint8_t> inTiles(const std::vector<uint8_t> &b, int n, int k) {
  std::vector<uint8_t> tiles(b.size());
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < k; ++j) {
      size_t tile = size_t(i / 16) * (k / 32) + j / 32;
      tiles[((tile * 2 + j % 32 / 16) * 16 + i % 16) * 16 + j % 16] =
          b[size_t(i) * k + j];
    }
  return tiles;
}

std::vector<uint8_t> randomBytes(size_t count, unsigned seed, bool fp8) {
  std::mt19937 engine(seed);
  std::vector<uint8_t> values(count);
  for (uint8_t &v : values) {
    v = uint8_t(engine());
    if (fp8 && v == 0x80)
      v = 0;
  }
  return values;
}

std::vector<float> randomScales(size_t count, unsigned seed) {
  std::vector<float> values = normal(count, seed);
  for (float &v : values)
    v = std::abs(v) / 64 + 1.0f / 128;
  return values;
}

/// The largest deviation; some of the kernels truncate to bf16.
void expectBf16(const std::vector<double> &expected, const Buffer &out) {
  auto got = out.values<uint16_t>();
  double worst = 0, largest = 0;
  for (double e : expected)
    largest = std::max(largest, std::abs(e));
  for (size_t i = 0; i < expected.size(); ++i)
    worst = std::max(worst, std::abs(fromBf16(got[i]) - expected[i]) /
                                (std::abs(expected[i]) + 0.01 * largest));
  EXPECT_LT(worst, 1.0 / 128);
}

class AiterFp8 : public ::testing::TestWithParam<int> {};

TEST_P(AiterFp8, BlockScaled) {
  const int tile = GetParam(), m = 100, n = 256, k = 384, block = 128;
  auto a = randomBytes(size_t(m) * k, 1, true),
       b = randomBytes(size_t(n) * k, 2, true);
  auto sa = randomScales(size_t(k / block) * m, 3),
       sb = randomScales(size_t(n / block) * (k / block), 4);
  Buffer da = roomy(a), db = roomy(inTiles(b, n, k)), dsa = roomy(sa),
         dsb = roomy(sb), bias = roomy(std::vector<float>(n)),
         out = roomy(std::vector<uint16_t>(size_t(m) * n));
  Slots s;
  s.all(out.pointer, da.pointer, db.pointer, dsa.pointer, dsb.pointer,
        bias.pointer, m, n, k, k, k, n * 2, 1, m, n / block, k / block);
  if (!launchAiter("fp8gemm_blockscale/fp8gemm_bf16_blockscale_BpreShuffle_" +
                       std::to_string(tile) + "x128.co",
                   s, n / 128, (m + tile - 1) / tile))
    GTEST_SKIP() << "no AITER objects";
  std::vector<double> expected(size_t(m) * n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      for (int x = 0; x < k; ++x)
        expected[size_t(i) * n + j] +=
            fromFp8(a[size_t(i) * k + x]) * fromFp8(b[size_t(j) * k + x]) *
            sa[size_t(x / block) * m + i] *
            sb[size_t(j / block) * (k / block) + x / block];
  expectBf16(expected, out);
}
INSTANTIATE_TEST_SUITE_P(Tiles, AiterFp8, ::testing::Values(32, 64, 128));

class AiterI8 : public ::testing::TestWithParam<int> {};

TEST_P(AiterI8, RowScaled) {
  const int tile = GetParam(), m = 100, n = 256, k = 384;
  auto a = randomBytes(size_t(m) * k, 1, false),
       b = randomBytes(size_t(n) * k, 2, false);
  auto sa = randomScales(m, 3), sb = randomScales(n, 4);
  std::vector<float> bias = normal(n, 5);
  Buffer da = roomy(a), db = roomy(inTiles(b, n, k)), dsa = roomy(sa),
         dsb = roomy(sb), dbias = roomy(bias),
         out = roomy(std::vector<uint16_t>(size_t(m) * n));
  Slots s;
  s.all(out.pointer, da.pointer, db.pointer, dsa.pointer, dsb.pointer,
        dbias.pointer, m, n, k, k, k, n * 2, 1);
  if (!launchAiter("i8gemm/I8gemm_bf16_perTokenI8_BpreShuffle_" +
                       std::to_string(tile) + "x128.co",
                   s, n / 128, (m + tile - 1) / tile))
    GTEST_SKIP() << "no AITER objects";
  std::vector<double> expected(size_t(m) * n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      int64_t sum = 0;
      for (int x = 0; x < k; ++x)
        sum += int8_t(a[size_t(i) * k + x]) * int8_t(b[size_t(j) * k + x]);
      expected[size_t(i) * n + j] = double(sum) * sa[i] * sb[j] + bias[j];
    }
  expectBf16(expected, out);
}
INSTANTIATE_TEST_SUITE_P(Tiles, AiterI8, ::testing::Values(32, 96, 128));

} // namespace
