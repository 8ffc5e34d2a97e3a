//===- AiterTimeTests.cpp - Time of hand-written attention ----------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What hardware counters and clocks said of AITER's attention for bf16 and head
// size 128 on an MI300X: ratios only, for the clock under load is not known.
// The objects are no part of this project: TLC_AITER_OBJECTS names their
// folder. Tensors are zero; no branch depends on them.
//
//===----------------------------------------------------------------------===//

#include "TimedKernel.h"

#include "tlc/Simulator/Memory/CodeObject.h"

using namespace tlc::test;
using namespace tlc::sim;

namespace {

struct Attention {
  int batch, heads, queries, keys;
  bool causal;
};

/// The arguments, each in a slot of 16 bytes; strides are in bytes.
class Arguments {
public:
  template <typename T> void add(T value) {
    std::memcpy(bytes + slot++ * 16, &value, sizeof(T));
  }
  uint8_t bytes[512] = {};
  unsigned slot = 0;
};

/// The folder is hsa/gfx942 of the repository, or the repository.
std::string pathOf(const char *rounding, bool causal) {
  std::string folder = TLC_AITER_OBJECTS,
              file = std::string("/fmha_v3_fwd/MI300/fwd_hd128_bf16_") +
                     (causal ? "causal_" : "") + rounding + ".co";
  std::string below = folder + "/hsa/gfx942" + file;
  return readFile(below).empty() ? folder + file : below;
}

TimingResult timeOf(const char *rounding, const Attention &a,
                    uint64_t detail = 0) {
  std::vector<uint8_t> image = readFile(pathOf(rounding, a.causal));
  CodeObject object;
  std::string error;
  if (!CodeObject::parse(image, object, error)) {
    ADD_FAILURE() << error;
    return {};
  }
  const int dim = 128, row = a.heads * dim * 2, head = dim * 2;
  size_t rows = size_t(a.batch) * a.heads;
  void *out, *q, *k, *v, *lse;
  for (auto [pointer, bytes] : {std::pair{&out, rows * a.queries * dim * 2},
                                {&q, rows * a.queries * dim * 2},
                                {&k, rows * a.keys * dim * 2},
                                {&v, rows * a.keys * dim * 2},
                                {&lse, rows * a.queries * 4}})
    EXPECT_EQ(table().hipMalloc(pointer, bytes), tlc::hip::hipSuccess);
  Arguments list;
  for (void *pointer : {out, q, k, v, lse})
    list.add(pointer);
  list.add(0.0884f);
  for (int value : {a.queries,
                    row,
                    256 * row,
                    head,
                    a.queries * row,
                    1,
                    row,
                    head,
                    a.keys * row,
                    5,
                    1,
                    a.keys,
                    dim,
                    dim,
                    a.heads,
                    row,
                    head,
                    a.keys * row,
                    row,
                    head,
                    a.queries * row})
    list.add(value);
  list.slot += 2;
  list.add(a.queries * 4);

  Kernel kernel(image, object.kernels[0].name);
  size_t size = sizeof list.bytes;
  void *extra[] = {tlc::hip::HIP_LAUNCH_PARAM_BUFFER_POINTER, list.bytes,
                   tlc::hip::HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   tlc::hip::HIP_LAUNCH_PARAM_END};
  unsigned tiles = unsigned(a.queries + 255) / 256;
  if (a.causal) // a workgroup takes one tile from either end
    tiles = (tiles + 1) / 2;
  TimingOptions options;
  options.detailInstructions = detail;
  WithTiming on(options);
  EXPECT_EQ(kernel.launch({tiles, unsigned(a.heads), unsigned(a.batch)}, {512},
                          0, nullptr, extra),
            tlc::hip::hipSuccess)
      << lastLaunch().report;
  for (void *pointer : {out, q, k, v, lse})
    table().hipFree(pointer);
  return lastLaunch().timing ? *lastLaunch().timing : TimingResult();
}

bool haveObjects() { return !readFile(pathOf("rtz", false)).empty(); }

// Counters: 42.2 % matrix and 24.9 % LDS at 1,024 tokens, 64.5 % and 36.1 % at
// 4,096.
TEST(AiterTime, CausalUtilization) {
  if (!haveObjects())
    GTEST_SKIP() << "no objects of AITER";
  constexpr uint64_t detail = 6'000'000;
  TimingResult less = timeOf("rtna", {16, 16, 1024, 1024, true}, detail),
               more = timeOf("rtna", {16, 16, 4096, 4096, true}, detail);
  EXPECT_NEAR(more.matrixUtilization() / less.matrixUtilization(), 1.53,
              0.08 * 1.53);
  EXPECT_NEAR(less.ldsUtilization() / less.matrixUtilization(), 0.59, 0.059);
  EXPECT_NEAR(more.ldsUtilization() / more.matrixUtilization(), 0.56, 0.056);
  for (auto [name, result] : {std::pair{"1024", &less}, {"4096", &more}}) {
    RecordProperty(std::string("matrix_") + name,
                   std::to_string(100 * result->matrixUtilization()));
    RecordProperty(std::string("lds_") + name,
                   std::to_string(100 * result->ldsUtilization()));
  }
}

// Measured times of the full kernel, one batch, 64 heads and 16,384 tokens:
// 16.16, 17.54 and 18.33 ms, or 1 : 1.085 : 1.134. In cycles they lie further
// apart: the more the matrix cores work, the lower is the clock.
TEST(AiterTime, Roundings) {
  if (!haveObjects())
    GTEST_SKIP() << "no objects of AITER";
  auto milliseconds = [](const char *rounding) {
    TimingResult time =
        timeOf(rounding, {1, 64, 16384, 16384, false}, 3'000'000);
    double result = time.seconds(time.clockUnderLoadGHz()) * 1e3;
    RecordProperty(rounding, std::to_string(result) + " ms at " +
                                 std::to_string(time.clockUnderLoadGHz()) +
                                 " GHz, cycles " + std::to_string(time.cycles));
    return result;
  };
  double rtz = milliseconds("rtz"), rtna = milliseconds("rtna"),
         rtne = milliseconds("rtne");
  EXPECT_NEAR(rtna / rtz, 1.085, 0.03 * 1.085);
  EXPECT_NEAR(rtne / rtz, 1.134, 0.03 * 1.134);
  // Nothing was fitted to these times.
  EXPECT_NEAR(rtz, 16.16, 0.1 * 16.16);
  EXPECT_NEAR(rtna, 17.54, 0.1 * 17.54);
  EXPECT_NEAR(rtne, 18.33, 0.1 * 18.33);
}

} // namespace
