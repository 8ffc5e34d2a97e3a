//===- TritonTests.cpp - Triton's kernels against closed forms ------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All objects of peers/triton: each is launched with the facts of its entry in
// meta.json and compared with the operator computed in f64 on the host. Bounds
// are those of the 16-bit results and probabilities.
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"

#include "llvm/Support/JSON.h"

#include <cmath>

using namespace tlc::test;
namespace json = llvm::json;

namespace {

std::string folder() { return std::string(TLC_SHARED_DATA) + "/peers/triton"; }

const json::Object &allKernels() {
  static const json::Value meta = [] {
    std::vector<uint8_t> text = readFile(folder() + "/meta.json");
    auto parsed = json::parse(
        llvm::StringRef(reinterpret_cast<char *>(text.data()), text.size()));
    if (!parsed) {
      llvm::consumeError(parsed.takeError());
      return json::Value(json::Object{{"kernels", json::Object{}}});
    }
    return std::move(*parsed);
  }();
  return *meta.getAsObject()->getObject("kernels");
}

std::vector<std::string> names(const std::string &prefix) {
  std::vector<std::string> result;
  for (const auto &entry : allKernels())
    if (entry.first.str().starts_with(prefix))
      result.push_back(entry.first.str());
  std::sort(result.begin(), result.end());
  return result;
}

/// The facts of one kernel.
struct Facts {
  explicit Facts(const std::string &name)
      : entry(*allKernels().getObject(name)), meta(*entry.getObject("meta")),
        path(folder() + "/" + name + ".hsaco") {}
  int constant(const char *key) const {
    return int(*entry.getObject("constexprs")->getInteger(key));
  }
  bool flag(const char *key) const {
    return *entry.getObject("constexprs")->getBoolean(key);
  }
  Kernel load() const { return Kernel(path, meta.getString("name")->str()); }
  unsigned lds() const { return unsigned(*meta.getInteger("shared")); }
  Kernel::Shape block() const {
    return {unsigned(*meta.getInteger("num_warps")) * 64};
  }
  const json::Object &entry, &meta;
  std::string path;
};

/// 16-bit values: bf16 or f16.
struct Narrow {
  bool bf16;
  uint16_t to(float v) const { return bf16 ? toBf16(v) : toHalf(v); }
  float from(uint16_t v) const { return bf16 ? fromBf16(v) : fromHalf(v); }
  double unit() const { return bf16 ? 0x1p-8 : 0x1p-11; }
  std::vector<uint16_t> random(size_t count, unsigned seed) const {
    std::vector<uint16_t> result;
    for (float v : normal(count, seed))
      result.push_back(to(v));
    return result;
  }
};

#define EXPECT_LAUNCH(expr)                                                    \
  ASSERT_EQ(expr, tlc::hip::hipSuccess) << tlc::sim::lastLaunch().report

class Triton : public ::testing::TestWithParam<std::string> {};
using TritonAttention = Triton;
using TritonGemm = Triton;
using TritonNorm = Triton;
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(TritonAttention);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(TritonGemm);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(TritonNorm);

/// One row of attention in f64.
std::vector<double> attentionRow(const Narrow &type, const uint16_t *q,
                                 const uint16_t *k, const uint16_t *v, int keys,
                                 int d, double scale) {
  std::vector<double> score(keys), row(d);
  double most = -INFINITY, sum = 0;
  for (int j = 0; j < keys; ++j) {
    for (int e = 0; e < d; ++e)
      score[j] += double(type.from(q[e])) * type.from(k[j * d + e]);
    score[j] *= scale;
    most = std::max(most, score[j]);
  }
  for (int j = 0; j < keys; ++j) {
    score[j] = std::exp(score[j] - most);
    sum += score[j];
  }
  for (int j = 0; j < keys; ++j)
    for (int e = 0; e < d; ++e)
      row[e] += score[j] / sum * type.from(v[j * d + e]);
  return row;
}

TEST_P(TritonAttention, EqualsAttention) {
  Facts facts(GetParam());
  Narrow type{GetParam().find("bf16") != std::string::npos};
  int d = facts.constant("D"), blockM = facts.constant("BLOCK_M");
  bool causal = facts.flag("CAUSAL"), tail = facts.flag("MASK_TAIL");
  // The tail variant was compiled for sequences that are multiples of 16.
  int seq = tail ? 208 : 256, heads = 2, group = 2;
  float scale = 1 / std::sqrt(float(d));
  auto q = type.random(size_t(heads) * seq * d, 1);
  auto k = type.random(size_t(seq) * d, 2), v = type.random(size_t(seq) * d, 3);
  Buffer dq = Buffer::of(q), dk = Buffer::of(k), dv = Buffer::of(v),
         out = Buffer::of(std::vector<uint16_t>(q.size()));
  Kernel kernel = facts.load();
  ASSERT_TRUE(kernel.function);
  int perHead = seq * d, none = 0;
  void *null = nullptr;
  EXPECT_LAUNCH(
      kernel({unsigned((seq + blockM - 1) / blockM), unsigned(heads), 1},
             facts.block(), facts.lds(), dq.pointer, dk.pointer, dv.pointer,
             out.pointer, none, perHead, d, none, perHead, d, none, perHead, d,
             none, perHead, d, heads, group, seq, seq, scale, null, null));
  auto result = out.values<uint16_t>();
  double worst = 0;
  for (int h = 0; h < heads; ++h)
    for (int i = 0; i < seq; i += 3) {
      auto expected = attentionRow(type, &q[(h * seq + i) * d], k.data(),
                                   v.data(), causal ? i + 1 : seq, d, scale);
      for (int e = 0; e < d; ++e)
        worst =
            std::max(worst, std::abs(type.from(result[(h * seq + i) * d + e]) -
                                     expected[e]));
    }
  // The values are below 4; probabilities and the result are rounded.
  EXPECT_LT(worst, 8 * type.unit());
}

TEST_P(TritonGemm, EqualsProduct) {
  Facts facts(GetParam());
  Narrow type{GetParam().find("bf16") != std::string::npos};
  bool transposed = facts.flag("TRANS_B");
  int bm = facts.constant("BM"), bn = facts.constant("BN"),
      bk = facts.constant("BK");
  int m = bm * 2, n = bn, k = bk * 3;
  auto a = type.random(size_t(m) * k, 4), b = type.random(size_t(k) * n, 5);
  Buffer da = Buffer::of(a), db = Buffer::of(b),
         dc = Buffer::of(std::vector<uint16_t>(size_t(m) * n));
  Kernel kernel = facts.load();
  ASSERT_TRUE(kernel.function);
  void *null = nullptr;
  int strideB = transposed ? k : n;
  EXPECT_LAUNCH(kernel({unsigned(m / bm * (n / bn))}, facts.block(),
                       facts.lds(), da.pointer, db.pointer, dc.pointer, m, n, k,
                       k, strideB, n, null, null));
  auto c = dc.values<uint16_t>();
  double worst = 0;
  for (int i = 0; i < m; i += 5)
    for (int j = 0; j < n; j += 3) {
      double sum = 0, size = 0;
      for (int e = 0; e < k; ++e) {
        double term = double(type.from(a[i * k + e])) *
                      type.from(b[transposed ? j * k + e : e * n + j]);
        sum += term;
        size += std::abs(term);
      }
      double bound = type.unit() * std::abs(sum) + size * k * 0x1p-24;
      worst = std::max(worst, std::abs(type.from(c[i * n + j]) - sum) / bound);
    }
  EXPECT_LE(worst, 1.0);
}

TEST_P(TritonNorm, EqualsRmsNorm) {
  Facts facts(GetParam());
  bool half = GetParam().find("fp16") != std::string::npos;
  int rows = 3, columns = 4000;
  auto x = normal(size_t(rows) * columns, 6), w = normal(columns, 7);
  auto pack = [&](std::vector<float> &values) {
    std::vector<uint16_t> narrow;
    for (float &v : values) {
      narrow.push_back(toHalf(v));
      if (half)
        v = fromHalf(narrow.back());
    }
    return half ? Buffer::of(narrow) : Buffer::of(values);
  };
  Buffer dx = pack(x), dw = pack(w), dy = pack(x);
  float eps = 1e-6f;
  Kernel kernel = facts.load();
  ASSERT_TRUE(kernel.function);
  void *null = nullptr;
  EXPECT_LAUNCH(kernel({unsigned(rows)}, facts.block(), facts.lds(), dx.pointer,
                       dw.pointer, dy.pointer, columns, columns, eps, null,
                       null));
  for (int r = 0; r < rows; ++r) {
    double sum = 0;
    for (int c = 0; c < columns; ++c)
      sum += double(x[r * columns + c]) * x[r * columns + c];
    double factor = 1 / std::sqrt(sum / columns + eps);
    for (int c = 0; c < columns; ++c) {
      double expected = x[r * columns + c] * factor * w[c];
      float actual = half ? fromHalf(dy.values<uint16_t>()[r * columns + c])
                          : dy.values<float>()[r * columns + c];
      if (c % 97 == 0)
        EXPECT_NEAR(actual, expected,
                    (half ? 0x1p-10 : 1e-5) * std::abs(expected) + 1e-6);
    }
  }
}

TEST(TritonSingle, Add) {
  if (names("add_fp32").empty())
    GTEST_SKIP();
  Facts facts("add_fp32");
  int n = 5000;
  auto x = normal(n, 8), y = normal(n, 9);
  Buffer dx = Buffer::of(x), dy = Buffer::of(y), dz = Buffer::of(x);
  Kernel kernel = facts.load();
  void *null = nullptr;
  EXPECT_LAUNCH(kernel({unsigned(n + 1023) / 1024}, facts.block(), facts.lds(),
                       dx.pointer, dy.pointer, dz.pointer, n, null, null));
  auto z = dz.values<float>();
  for (int i = 0; i < n; ++i)
    ASSERT_EQ(z[i], x[i] + y[i]) << i;
}

TEST(TritonSingle, Softmax) {
  if (names("softmax_fp32").empty())
    GTEST_SKIP();
  Facts facts("softmax_fp32_4096");
  int rows = 2, columns = 3000;
  auto x = normal(size_t(rows) * columns, 10);
  Buffer dx = Buffer::of(x), dy = Buffer::of(x);
  Kernel kernel = facts.load();
  void *null = nullptr;
  EXPECT_LAUNCH(kernel({unsigned(rows)}, facts.block(), facts.lds(), dx.pointer,
                       dy.pointer, columns, columns, null, null));
  auto y = dy.values<float>();
  for (int r = 0; r < rows; ++r) {
    double sum = 0;
    for (int c = 0; c < columns; ++c)
      sum += std::exp(double(x[r * columns + c]));
    for (int c = 0; c < columns; ++c)
      ASSERT_NEAR(y[r * columns + c],
                  std::exp(double(x[r * columns + c])) / sum, 1e-7);
  }
}

TEST(TritonSingle, Decode) {
  if (names("decode_fp16").empty())
    GTEST_SKIP();
  Facts facts("decode_fp16_d128");
  Narrow type{false};
  int d = 128, group = 8, heads = 16, kvHeads = 2, keys = 336;
  float scale = 0.088f;
  auto q = type.random(size_t(heads) * d, 11);
  auto k = type.random(size_t(kvHeads) * keys * d, 12),
       v = type.random(size_t(kvHeads) * keys * d, 13);
  Buffer dq = Buffer::of(q), dk = Buffer::of(k), dv = Buffer::of(v),
         out = Buffer::of(q);
  Kernel kernel = facts.load();
  void *null = nullptr;
  int none = 0, perHead = keys * d;
  EXPECT_LAUNCH(kernel({1, unsigned(kvHeads)}, facts.block(), facts.lds(),
                       dq.pointer, dk.pointer, dv.pointer, out.pointer, none,
                       perHead, d, heads, group, keys, scale, null, null));
  auto result = out.values<uint16_t>();
  for (int h = 0; h < heads; ++h) {
    size_t base = size_t(h / group) * perHead;
    auto expected =
        attentionRow(type, &q[h * d], &k[base], &v[base], keys, d, scale);
    for (int e = 0; e < d; ++e)
      ASSERT_NEAR(type.from(result[h * d + e]), expected[e], 4 * type.unit());
  }
}

auto byName = [](const auto &info) { return info.param; };
INSTANTIATE_TEST_SUITE_P(Peers, TritonAttention,
                         ::testing::ValuesIn(names("attn_")), byName);
INSTANTIATE_TEST_SUITE_P(Peers, TritonGemm, ::testing::ValuesIn(names("gemm_")),
                         byName);
INSTANTIATE_TEST_SUITE_P(Peers, TritonNorm,
                         ::testing::ValuesIn(names("rmsnorm_")), byName);

} // namespace
