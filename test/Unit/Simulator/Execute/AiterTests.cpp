//===- AiterTests.cpp - Hand-written attention kernels --------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AITER's fmha_fwd for bf16 and head size 128, causal and not, in its three
// roundings, against attention in f64. The objects are not part of this
// project: TLC_AITER_OBJECTS names their folder (hsa/gfx942 of the repository).
// Every argument has a slot of 16 bytes; strides are in bytes.
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"

#include "tlc/Simulator/Memory/CodeObject.h"

#include <cmath>

using namespace tlc::test;

namespace {

struct Arguments {
  std::vector<uint8_t> bytes = std::vector<uint8_t>(512);
  unsigned slot = 0;
  template <typename T> void add(T value) {
    std::memcpy(bytes.data() + slot * 16, &value, sizeof(T));
    ++slot;
  }
};

struct Variant {
  const char *rounding;
  bool causal;
};

class AiterAttention : public ::testing::TestWithParam<Variant> {};

TEST_P(AiterAttention, EqualsAttention) {
  Variant variant = GetParam();
  std::string name = std::string("fwd_hd128_bf16_") +
                     (variant.causal ? "causal_" : "") + variant.rounding;
  std::string path = aiterFolder() + "/fmha_v3_fwd/MI300/" + name + ".co";
  std::vector<uint8_t> image = readFile(path);
  if (image.empty())
    GTEST_SKIP() << "no " << path;
  tlc::sim::CodeObject object;
  std::string error;
  ASSERT_TRUE(tlc::sim::CodeObject::parse(image, object, error)) << error;
  ASSERT_EQ(object.kernels.size(), 1u);

  const int d = 128, seq = 512, keys = 512, heads = 2, kvHeads = 1;
  const float scale = 1 / std::sqrt(float(d));
  auto random = [&](size_t count, unsigned seed) {
    std::vector<uint16_t> values;
    for (float v : normal(count, seed))
      values.push_back(toBf16(v));
    return values;
  };
  // Layout: batch, sequence, head, element.
  auto q = random(size_t(seq) * heads * d, 1),
       k = random(size_t(keys) * kvHeads * d, 2),
       v = random(size_t(keys) * kvHeads * d, 3);
  Buffer dq = Buffer::of(q), dk = Buffer::of(k), dv = Buffer::of(v),
         out = Buffer::of(std::vector<uint16_t>(q.size())),
         lse = Buffer::of(std::vector<float>(size_t(heads) * seq));
  int qRow = heads * d * 2, kRow = kvHeads * d * 2, head = d * 2;
  Arguments a;
  for (void *pointer :
       {out.pointer, dq.pointer, dk.pointer, dv.pointer, lse.pointer})
    a.add(pointer);
  a.add(scale);
  for (int value : {seq,  qRow, 256 * qRow,  head, seq * qRow, heads / kvHeads,
                    kRow, head, keys * kRow, 5,    1,          keys,
                    d,    d,    heads,       kRow, head,       keys * kRow,
                    qRow, head, seq * qRow})
    a.add(value);
  void *null = nullptr;
  a.add(null);
  a.add(null);
  a.add(int(seq * 4));

  Kernel kernel(image, object.kernels[0].name);
  ASSERT_TRUE(kernel.function);
  size_t size = a.bytes.size();
  void *extra[] = {tlc::hip::HIP_LAUNCH_PARAM_BUFFER_POINTER, a.bytes.data(),
                   tlc::hip::HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   tlc::hip::HIP_LAUNCH_PARAM_END};
  // A causal workgroup takes one tile from either end.
  unsigned tiles = (seq + 255) / 256;
  if (variant.causal)
    tiles = (tiles + 1) / 2;
  ASSERT_EQ(table().hipModuleLaunchKernel(kernel.function, tiles, heads, 1, 512,
                                          1, 1, 0, nullptr, nullptr, extra),
            tlc::hip::hipSuccess)
      << tlc::sim::lastLaunch().report;

  auto result = out.values<uint16_t>();
  double worst = 0;
  for (int h = 0; h < heads; ++h)
    for (int i = 0; i < seq; i += 7) {
      int visible = variant.causal ? i + 1 : keys;
      std::vector<double> weight(visible), expected(d);
      double most = -INFINITY, sum = 0;
      for (int j = 0; j < visible; ++j) {
        for (int e = 0; e < d; ++e)
          weight[j] += double(fromBf16(q[(i * heads + h) * d + e])) *
                       fromBf16(k[j * d + e]);
        weight[j] *= scale;
        most = std::max(most, weight[j]);
      }
      for (double &w : weight)
        sum += w = std::exp(w - most);
      for (int j = 0; j < visible; ++j)
        for (int e = 0; e < d; ++e)
          expected[e] += weight[j] / sum * fromBf16(v[j * d + e]);
      for (int e = 0; e < d; ++e)
        worst =
            std::max(worst, std::abs(fromBf16(result[(i * heads + h) * d + e]) -
                                     expected[e]));
    }
  // Values below 4; rounding toward zero is twice as coarse.
  EXPECT_LT(worst, 0.05);
  RecordProperty("worst", std::to_string(worst));
}

INSTANTIATE_TEST_SUITE_P(
    Fmha, AiterAttention,
    ::testing::Values(Variant{"rtne", false}, Variant{"rtna", false},
                      Variant{"rtz", false}, Variant{"rtne", true},
                      Variant{"rtna", true}, Variant{"rtz", true}),
    [](const auto &info) {
      return std::string(info.param.causal ? "causal_" : "full_") +
             info.param.rounding;
    });

} // namespace
