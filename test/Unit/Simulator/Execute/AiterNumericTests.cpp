//===- AiterNumericTests.cpp - Hand-written kernels of other families -----===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A matrix product, paged attention and top-k of a softmax from AITER, whose
// results are compared with f64.
//
//===----------------------------------------------------------------------===//

#include "AiterSupport.h"

#include <algorithm>
#include <numeric>

using namespace tlc::test;

namespace {

TEST(AiterNumeric, TopkSoftmax) {
  const unsigned tokens = 9, experts = 128, top = 8;
  std::vector<float> scores = normal(tokens * experts, 5);
  Buffer in = Buffer::of(scores),
         weights = Buffer::of(std::vector<float>(tokens * top)),
         indices = Buffer::of(std::vector<int>(tokens * top));
  Slots a;
  for (void *pointer : {indices.pointer, weights.pointer, in.pointer})
    a.add(pointer);
  for (unsigned value : {tokens, experts, top, 1u, top * 4})
    a.add(value);
  if (!launchAiter("topksoftmax/topksoftmax_4x128x8.co", a, (tokens + 3) / 4))
    GTEST_SKIP() << "no AITER objects";
  std::vector<float> gotWeights = weights.values<float>();
  std::vector<int> gotIndices = indices.values<int>();
  for (unsigned t = 0; t < tokens; ++t) {
    const float *row = &scores[t * experts];
    std::vector<int> order(experts);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int i, int j) { return row[i] > row[j]; });
    double sum = 0;
    for (unsigned k = 0; k < top; ++k)
      sum += std::exp(double(row[order[k]]));
    for (unsigned k = 0; k < top; ++k) {
      EXPECT_EQ(gotIndices[t * top + k], order[k]) << t << ' ' << k;
      EXPECT_NEAR(gotWeights[t * top + k],
                  std::exp(double(row[order[k]])) / sum, 1e-5);
    }
  }
}

TEST(AiterNumeric, Gemm) {
  const int m = 100, n = 128, k = 256;
  auto a = randomBf16(m * k, 1), b = randomBf16(n * k, 2);
  Buffer da = roomy(a), db = roomy(b),
         out = Buffer::of(std::vector<float>(m * n));
  Slots s;
  void *null = nullptr;
  for (void *pointer : {out.pointer, null, da.pointer, db.pointer})
    s.add(pointer);
  s.add(1.0f);
  s.add(0.0f);
  for (int value : {0, 0, n * 4, 0, k * 2, 0, k * 2, 0, m, n, k, 1})
    s.add(value);
  s.add(0);
  if (!launchAiter("bf16gemm/bf16gemm_fp32bf16_tn_64x64_pf3_splitk.co", s,
                   n / 64, (m + 63) / 64))
    GTEST_SKIP() << "no AITER objects";
  auto got = out.values<float>();
  double worst = 0;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int x = 0; x < k; ++x)
        sum += double(fromBf16(a[i * k + x])) * fromBf16(b[j * k + x]);
      worst = std::max(worst, std::abs(sum - got[i * n + j]));
    }
  EXPECT_LT(worst, 1e-3); // sums of 256 products of normal numbers, in f32
}

TEST(AiterNumeric, PagedAttention) {
  const int heads = 16, kvHeads = 1, d = 128, block = 16, pages = 24, batch = 2,
            perSequence = 12;
  const int lengths[batch] = {77, 160};
  auto q = randomBf16(batch * heads * d, 1),
       k = randomBf16(pages * kvHeads * d * block, 2),
       v = randomBf16(pages * kvHeads * d * block, 3);
  // Pages in an order of their own.
  std::vector<int> pageTable(batch * perSequence);
  for (size_t i = 0; i < pageTable.size(); ++i)
    pageTable[i] = int(i * 7 % pages);
  Buffer dq = roomy(q), dk = roomy(k), dv = roomy(v),
         out = Buffer::of(std::vector<uint16_t>(q.size())),
         table = roomy(pageTable),
         length = roomy(std::vector<int>(lengths, lengths + batch));
  Slots s;
  void *null = nullptr;
  for (void *pointer : {out.pointer, dq.pointer, dk.pointer, dv.pointer,
                        table.pointer, length.pointer, null, null})
    s.add(pointer);
  s.add(float(1.44269504088896 / std::sqrt(double(d))));
  for (int value : {perSequence, kvHeads, heads * d * 2,
                    kvHeads * d * block * 2, d * block * 2, 0, heads / kvHeads})
    s.add(value);
  s.add(null);
  s.add(null);
  if (!launchAiter("pa/pa_bf16_noquant_a16w16_gqa16_1tg_4w.co", s, kvHeads,
                   batch) &&
      !launchAiter("pa/pa_bf16_noquant_gqa16_1tg_4w.co", s, kvHeads, batch))
    GTEST_SKIP() << "no AITER objects";
  auto got = out.values<uint16_t>();
  double worst = 0;
  for (int b = 0; b < batch; ++b)
    for (int h = 0; h < heads; ++h) {
      std::vector<double> weight(lengths[b]), expected(d);
      double most = -INFINITY, sum = 0;
      auto page = [&](int j) { return pageTable[b * perSequence + j / block]; };
      for (int j = 0; j < lengths[b]; ++j) {
        for (int e = 0; e < d; ++e)
          weight[j] +=
              double(fromBf16(q[(b * heads + h) * d + e])) *
              fromBf16(k[((page(j) * (d / 8) + e / 8) * block + j % block) * 8 +
                         e % 8]);
        weight[j] /= std::sqrt(double(d));
        most = std::max(most, weight[j]);
      }
      for (double &w : weight)
        sum += w = std::exp(w - most);
      for (int j = 0; j < lengths[b]; ++j)
        for (int e = 0; e < d; ++e)
          expected[e] +=
              weight[j] / sum *
              fromBf16(v[((page(j) * (block / 8) + j % block / 8) * d + e) * 8 +
                         j % 8]);
      for (int e = 0; e < d; ++e)
        worst =
            std::max(worst, std::abs(fromBf16(got[(b * heads + h) * d + e]) -
                                     expected[e]));
    }
  EXPECT_LT(worst, 0.05); // values below 4 in bf16
}

} // namespace
