//===- AiterExpertTests.cpp - Hand-written mixture of experts -------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AITER's fused layer of experts in bf16: tokens sorted by expert, in blocks of
// 32, go through a product, GELU and a second product, and are added up in
// bf16, weighted. Weights lie in tiles.
//
//===----------------------------------------------------------------------===//

#include "AiterSupport.h"

#include <algorithm>

using namespace tlc::test;

namespace {

constexpr int experts = 3, tokens = 21, top = 2, dim = 512, inner = 512,
              block = 32;

/// [E, N, K] in tiles of 16 x 32: [N / 16][K / 32][4][16][8].
std::vector<uint16_t> inTiles(const std::vector<uint16_t> &w, int n, int k) {
  std::vector<uint16_t> tiles(w.size());
  for (size_t e = 0; e < w.size() / (size_t(n) * k); ++e)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < k; ++j) {
        size_t tile = (e * (n / 16) + i / 16) * (k / 32) + j / 32;
        tiles[((tile * 4 + j % 32 / 8) * 16 + i % 16) * 8 + j % 8] =
            w[(e * n + i) * k + j];
      }
  return tiles;
}

std::vector<uint16_t> scaled(size_t count, unsigned seed, float by) {
  std::vector<uint16_t> values;
  for (float v : normal(count, seed))
    values.push_back(toBf16(v * by));
  return values;
}

TEST(AiterExperts, FusedLayer) {
  auto x = randomBf16(size_t(tokens) * dim, 1),
       up = scaled(size_t(experts) * inner * dim, 2, 0.05f),
       down = scaled(size_t(experts) * dim * inner, 3, 0.05f);
  // Token t goes to experts t and t + 1, and is sorted in as its number below
  // that of the choice.
  std::vector<int> ids, blockExperts;
  std::vector<float> weights;
  auto weightOf = [](int t, int choice) {
    return choice ? 0.25f + t * 0.01f : 0.75f - t * 0.01f;
  };
  for (int e = 0; e < experts; ++e) {
    for (int t = 0; t < tokens; ++t)
      for (int choice = 0; choice < top; ++choice)
        if ((t + choice) % experts == e) {
          ids.push_back(choice << 24 | t);
          weights.push_back(weightOf(t, choice));
        }
    blockExperts.push_back(e);
    ids.resize(size_t(block) * (e + 1), top << 24 | tokens);
    weights.resize(ids.size());
  }
  std::vector<int> valid{int(ids.size()), tokens};
  Buffer bx = roomy(x), bup = roomy(inTiles(up, inner, dim)),
         bdown = roomy(inTiles(down, dim, inner)), bids = roomy(ids),
         bweights = roomy(weights), bexperts = roomy(blockExperts),
         bvalid = roomy(valid),
         out = roomy(std::vector<uint16_t>(size_t(tokens) * dim));
  void *null = nullptr;
  Slots s;
  s.all(out.pointer, bx.pointer, bup.pointer, bvalid.pointer, bdown.pointer,
        null, null, null, null, bids.pointer, bweights.pointer,
        bexperts.pointer, dim, inner, tokens, experts, dim * 2, dim * 2,
        inner * 2, dim * 2, dim * 2 * inner, inner * 2 * dim, 0, 0, 0, top);
  // Its wavefronts clear LDS that others may still be reading, with no barrier
  // in between: right only where they stay side by side.
  tlc::sim::simulatorOptions().turnInstructions = 16;
  bool there = launchAiter("fmoe_b16.co", s, (inner + 511) / 512,
                           unsigned(blockExperts.size()), 1,
                           {"lds-race", "missing-wait"});
  tlc::sim::simulatorOptions().turnInstructions = 0;
  if (!there)
    GTEST_SKIP() << "no AITER objects";
  auto got = out.values<uint16_t>();
  double worst = 0, largest = 0;
  for (int t = 0; t < tokens; t += 4) {
    std::vector<double> expected(dim);
    for (int choice = 0; choice < top; ++choice) {
      size_t e = (t + choice) % experts;
      std::vector<double> hidden(inner);
      for (int i = 0; i < inner; ++i) {
        double sum = 0;
        for (int j = 0; j < dim; ++j)
          sum += double(fromBf16(x[size_t(t) * dim + j])) *
                 fromBf16(up[(e * inner + i) * dim + j]);
        hidden[i] = sum * 0.5 * (1 + std::erf(sum / std::sqrt(2.0)));
      }
      for (int i = 0; i < dim; ++i) {
        double sum = 0;
        for (int j = 0; j < inner; ++j)
          sum += hidden[j] * fromBf16(down[(e * dim + i) * inner + j]);
        expected[i] += sum * weightOf(t, choice);
      }
    }
    for (int i = 0; i < dim; ++i) {
      worst = std::max(
          worst, std::abs(fromBf16(got[size_t(t) * dim + i]) - expected[i]));
      largest = std::max(largest, std::abs(expected[i]));
    }
  }
  EXPECT_LT(worst, 0.02 * largest); // bf16 in between, and sums in bf16
  EXPECT_GT(largest, 0.5);
  RecordProperty("worst", std::to_string(worst / largest));
}

} // namespace
