//===- AiterLatentTests.cpp - Hand-written latent attention ---------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AITER's decode kernels of multi-head latent attention: 16 heads share keys
// of 576 elements, whose first 512 are the values. Pages of one token in an
// order of their own; the keys of a sequence are dealt to several workgroups,
// whose parts and sums are put together here.
//
//===----------------------------------------------------------------------===//

#include "AiterSupport.h"

#include <algorithm>

using namespace tlc::test;

namespace {

TEST(AiterLatent, DecodeInSplits) {
  const int heads = 16, d = 576, dv = 512, batch = 2, splits = 3, pages = 320;
  const int lengths[batch] = {77, 160};
  auto q = randomBf16(size_t(batch) * heads * d, 1),
       kv = randomBf16(size_t(pages) * d, 2);
  std::vector<int> indices(pages),
      starts{0, lengths[0], lengths[0] + lengths[1]}, lastPage(batch, 1);
  for (int i = 0; i < pages; ++i)
    indices[i] = i * 7 % pages;
  const float scale = 1 / std::sqrt(float(d));
  Buffer bq = roomy(q), bkv = roomy(kv), bindices = roomy(indices),
         bstarts = roomy(starts), blast = roomy(lastPage),
         out = Buffer::of(
             std::vector<float>(size_t(batch) * splits * heads * dv)),
         lse = Buffer::of(std::vector<float>(size_t(batch) * splits * heads));
  Slots s;
  s.all(out.pointer, lse.pointer, bq.pointer, bkv.pointer, bstarts.pointer,
        bindices.pointer, blast.pointer, scale, heads, splits, heads * d * 2,
        d * 2, 0);
  // It passes a barrier with eight LDS operations outstanding, of which four
  // are writes that others read behind it.
  if (!launchAiter("mla/mla_dec_stage1_bf16_a16w16_subQ16_mqa16.co", s, 1,
                   batch, splits, {"lds-race"}))
    GTEST_SKIP() << "no AITER objects";
  auto parts = out.values<float>(), sums = lse.values<float>();
  double worst = 0;
  for (int b = 0; b < batch; ++b)
    for (int h = 0; h < heads; ++h) {
      std::vector<double> weight(lengths[b]), expected(dv), got(dv);
      double most = -INFINITY, sum = 0, total = 0;
      auto key = [&](int j) { return &kv[size_t(indices[starts[b] + j]) * d]; };
      for (int j = 0; j < lengths[b]; ++j) {
        for (int e = 0; e < d; ++e)
          weight[j] += double(fromBf16(q[(size_t(b) * heads + h) * d + e])) *
                       fromBf16(key(j)[e]);
        most = std::max(most, weight[j] *= scale);
      }
      for (double &w : weight)
        sum += w = std::exp(w - most);
      for (int j = 0; j < lengths[b]; ++j)
        for (int e = 0; e < dv; ++e)
          expected[e] += weight[j] / sum * fromBf16(key(j)[e]);
      for (int p = 0; p < splits; ++p) {
        size_t at = (size_t(b) * splits + p) * heads + h;
        double w = std::exp(double(sums[at]) - most);
        total += w;
        for (int e = 0; e < dv; ++e)
          got[e] += w * parts[at * dv + e];
      }
      EXPECT_NEAR(total / sum, 1, 0.03);
      for (int e = 0; e < dv; ++e)
        worst = std::max(worst, std::abs(got[e] / total - expected[e]));
    }
  EXPECT_LT(worst, 0.03); // weights in bf16, values below 4
  RecordProperty("worst", std::to_string(worst));
}

} // namespace
