//===- AiterBackwardTests.cpp - Hand-written gradients of attention -------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AITER's fmha_v3_bwd: the sums of output times its gradient, the gradients of
// Q, K and V, and the conversion of the first from f32, in the order of its
// launcher, against the gradients in f64. Tensors are [batch, token, head,
// element].
//
//===----------------------------------------------------------------------===//

#include "AiterSupport.h"

#include <algorithm>

using namespace tlc::test;

namespace {

struct Variant {
  const char *name, *object; ///< the kernel of the gradients
  const char *sums;
  const char *convert; ///< "": the gradient of Q is added up in 16 bits
  int headDim;
  bool half, causal;
};

class AiterBackward : public ::testing::TestWithParam<Variant> {
protected:
  static constexpr int batch = 1, seq = 256, heads = 2, kvHeads = 1;

  std::vector<uint16_t> random(size_t count, unsigned seed) {
    std::vector<uint16_t> values;
    for (float v : normal(count, seed))
      values.push_back(GetParam().half ? toHalf(v) : toBf16(v));
    return values;
  }
  double value(uint16_t v) const {
    return GetParam().half ? fromHalf(v) : fromBf16(v);
  }
  /// The largest deviation, beside the largest value.
  void expectClose(const std::vector<double> &expected, const Buffer &got,
                   const char *what) {
    std::vector<uint16_t> values = got.values<uint16_t>();
    double worst = 0, largest = 0;
    for (size_t i = 0; i < expected.size(); ++i) {
      worst = std::max(worst, std::abs(value(values[i]) - expected[i]));
      largest = std::max(largest, std::abs(expected[i]));
    }
    // P and the gradient of the scores are rounded to 16 bits on the way.
    EXPECT_LT(worst, largest * (GetParam().half ? 0.004 : 0.02)) << what;
    EXPECT_GT(largest, 0.1);
    RecordProperty(what, std::to_string(worst / largest));
  }
};

TEST_P(AiterBackward, EqualsTheGradients) {
  Variant variant = GetParam();
  const std::string folder = "fmha_v3_bwd/";
  if (readFile(aiterFolder() + "/" + folder + variant.object + ".co").empty())
    GTEST_SKIP() << "no AITER objects";
  const int d = variant.headDim;
  const double scale = 1 / std::sqrt(double(d));
  auto q = random(size_t(seq) * heads * d, 1),
       k = random(size_t(seq) * kvHeads * d, 2),
       v = random(size_t(seq) * kvHeads * d, 3),
       dO = random(size_t(seq) * heads * d, 4);
  auto at = [&](int head, int token, int of) {
    return (size_t(token) * of + head) * d;
  };

  // Forward and backward in f64; gradients of K and V by head of Q.
  std::vector<double> dQ(q.size()), dK(q.size()), dV(q.size());
  std::vector<uint16_t> o(q.size());
  std::vector<float> lse(size_t(heads) * seq);
  for (int h = 0; h < heads; ++h)
    for (int i = 0; i < seq; ++i) {
      int visible = variant.causal ? i + 1 : seq;
      std::vector<double> p(visible), dP(visible), row(d);
      double most = -INFINITY, sum = 0, dot = 0;
      for (int j = 0; j < visible; ++j) {
        for (int e = 0; e < d; ++e) {
          p[j] +=
              value(q[at(h, i, heads) + e]) * value(k[at(0, j, kvHeads) + e]);
          dP[j] +=
              value(dO[at(h, i, heads) + e]) * value(v[at(0, j, kvHeads) + e]);
        }
        most = std::max(most, p[j] *= scale);
      }
      for (double &w : p)
        sum += w = std::exp(w - most);
      lse[size_t(h) * seq + i] = float(most + std::log(sum));
      for (int j = 0; j < visible; ++j) {
        p[j] /= sum;
        dot += p[j] * dP[j];
        for (int e = 0; e < d; ++e)
          row[e] += p[j] * value(v[at(0, j, kvHeads) + e]);
      }
      for (int e = 0; e < d; ++e)
        o[at(h, i, heads) + e] =
            variant.half ? toHalf(float(row[e])) : toBf16(float(row[e]));
      for (int j = 0; j < visible; ++j) {
        double dS = p[j] * (dP[j] - dot) * scale;
        for (int e = 0; e < d; ++e) {
          dQ[at(h, i, heads) + e] += dS * value(k[at(0, j, kvHeads) + e]);
          dK[at(h, j, heads) + e] += dS * value(q[at(h, i, heads) + e]);
          dV[at(h, j, heads) + e] += p[j] * value(dO[at(h, i, heads) + e]);
        }
      }
    }

  Buffer bq = roomy(q), bk = roomy(k), bv = roomy(v), bdO = roomy(dO),
         bo = roomy(o), blse = roomy(lse),
         bd = roomy(std::vector<float>(lse.size())),
         bdQ = roomy(std::vector<uint16_t>(q.size())),
         bdK = roomy(std::vector<uint16_t>(q.size())),
         bdV = roomy(std::vector<uint16_t>(q.size())),
         sum = roomy(std::vector<float>(q.size()));
  void *null = nullptr;
  const int head = d * 2, row = heads * head, all = seq * row,
            kvRow = kvHeads * head, kvAll = seq * kvRow;

  Slots sums;
  sums.all(bo.pointer, bdO.pointer, bd.pointer, head, all, row, head, all, row,
           seq * 4, heads * seq * 4, 4, seq, d, null, null);
  ASSERT_TRUE(launchAiter(folder + variant.sums + ".co", sums,
                          (seq + 127) / 128, heads, batch));

  bool converts = *variant.convert;
  const int tile = 192;
  Slots main;
  main.all(converts ? sum.pointer : bdQ.pointer, bdK.pointer, bdV.pointer,
           bq.pointer, bk.pointer, bv.pointer, bdO.pointer, blse.pointer,
           bd.pointer, float(scale), 1.44269504f, seq, tile * kvRow, head, all,
           row, heads / kvHeads, head, kvAll, kvRow, row, seq, d, d, heads,
           head, kvAll, kvRow, head, all, row, head, all, head, all, row,
           seq * 4, null, null, null, null, seq, 0, 0);
  unsigned tiles = (seq + tile - 1) / tile;
  if (variant.causal)
    tiles = (tiles + 1) / 2;
  ASSERT_TRUE(
      launchAiter(folder + variant.object + ".co", main, tiles, heads, batch));
  if (converts) {
    Slots convert;
    convert.all(sum.pointer, bdQ.pointer, seq * d * 4, heads * seq * d * 4,
                d * 4, head, all, row, seq, d, null, null);
    // It stores what LDS brings without waiting for it.
    ASSERT_TRUE(launchAiter(folder + variant.convert + ".co", convert,
                            (seq + 63) / 64, heads, batch, {"missing-wait"}));
  }
  expectClose(dV, bdV, "dV");
  expectClose(dK, bdK, "dK");
  expectClose(dQ, bdQ, "dQ");
}

INSTANTIATE_TEST_SUITE_P(
    Fmha, AiterBackward,
    ::testing::Values(
        Variant{"bf16_a32", "bwd_hd128_bf16_a32_rtne", "bwd_hd128_odo_bf16",
                "bwd_hd128_dq_convert_bf16_rtne", 128, false, false},
        Variant{"bf16_causal_a32", "bwd_hd128_bf16_causal_a32_rtna",
                "bwd_hd128_odo_bf16", "bwd_hd128_dq_convert_bf16_rtna", 128,
                false, true},
        Variant{"fp16_a16", "bwd_hd128_fp16_a16", "bwd_hd128_odo_fp16", "", 128,
                true, false},
        Variant{"fp16_d64_pssk", "bwd_hd64_fp16_a32_pssk", "bwd_hd64_odo_fp16",
                "bwd_hd64_dq_convert_fp16", 64, true, false}),
    [](const auto &info) { return std::string(info.param.name); });

} // namespace
