//===- PeerAttention.cpp - Modelled time of other people's attention ------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   peer-attention OBJECT aiter|triton [--batch N] [--heads N] [--seq N]
//                  [--dim N] [--causal] [--block-m N] [--waves N] [--lds BYTES]
//                  [--plain] [--full] [--threads N]
//
// Launches an attention kernel that AITER or Triton compiled for gfx942 on the
// simulator and prints what the timing model says. Tensors are left zero: the
// time does not depend on values. --plain runs it without the model.
//
//===----------------------------------------------------------------------===//

#include "tlc/Simulator/Memory/CodeObject.h"
#include "tlc/Simulator/Simulator.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

using namespace tlc;

namespace {

struct Settings {
  std::string object, maker;
  int batch = 16, heads = 16, seq = 1024, dim = 128, blockM = 128, waves = 4;
  unsigned lds = 0, threads = 0;
  bool causal = false, plain = false, full = false;
};

bool parse(int argc, char **argv, Settings &s) {
  if (argc < 3)
    return false;
  s.object = argv[1];
  s.maker = argv[2];
  for (int i = 3; i < argc; ++i) {
    std::string name = argv[i];
    if (name == "--causal" || name == "--plain" || name == "--full") {
      (name == "--causal"  ? s.causal
       : name == "--plain" ? s.plain
                           : s.full) = true;
      continue;
    }
    if (i + 1 >= argc)
      return false;
    int value = std::atoi(argv[++i]);
    if (name == "--batch")
      s.batch = value;
    else if (name == "--heads")
      s.heads = value;
    else if (name == "--seq")
      s.seq = value;
    else if (name == "--dim")
      s.dim = value;
    else if (name == "--block-m")
      s.blockM = value;
    else if (name == "--waves")
      s.waves = value;
    else if (name == "--lds")
      s.lds = unsigned(value);
    else if (name == "--threads")
      s.threads = unsigned(value);
    else
      return false;
  }
  return true;
}

/// Arguments one after the other, each in a slot of at least `slot` bytes.
struct Packed {
  explicit Packed(size_t slot) : slot(slot) {}
  template <typename T> void add(T value) {
    size_t align = std::max(slot, sizeof(T));
    size_t at = (bytes.size() + align - 1) / align * align;
    bytes.resize(at + sizeof(T));
    std::memcpy(bytes.data() + at, &value, sizeof(T));
  }
  size_t slot;
  std::vector<uint8_t> bytes;
};

void report(const Settings &s, double seconds) {
  const sim::LaunchResult &launch = sim::lastLaunch();
  std::printf("%llu instructions, %.2f s of host time\n",
              (unsigned long long)launch.instructions, seconds);
  if (!launch.timing)
    return;
  const sim::TimingResult &t = *launch.timing;
  double flops = 4.0 * s.batch * s.heads * s.seq * s.seq * s.dim;
  if (s.causal)
    flops /= 2;
  std::printf("%s\n", t.sampling.c_str());
  std::printf("cycles %llu, at 2.1 GHz %.1f us, %.0f TFLOP/s\n",
              (unsigned long long)t.cycles, t.seconds(2.1) * 1e6,
              flops / t.seconds(2.1) / 1e12);
  double loaded = t.clockUnderLoadGHz();
  std::printf("under load %.3f GHz, %.1f us, %.0f TFLOP/s\n", loaded,
              t.seconds(loaded) * 1e6, flops / t.seconds(loaded) / 1e12);
  std::printf("matrix %.1f %%, VALU %.1f %%, LDS %.1f %%, LDS/matrix %.3f, "
              "conflicts %.1f %% of LDS\n",
              100 * t.matrixUtilization(), 100 * t.vectorUtilization(),
              100 * t.ldsUtilization(),
              t.ldsUtilization() / t.matrixUtilization(),
              100.0 * double(t.ldsConflicts) / double(t.ldsBusy));
  const sim::MemoryCounters &m = t.memory;
  std::printf("MB: requested %.0f, stored %.0f, L2 %.0f (hits %.0f %%), "
              "Infinity Cache %.0f (hits %.0f %%), HBM %.0f\n",
              m.requestedBytes / 1e6, m.storedBytes / 1e6, m.l2Bytes / 1e6,
              100.0 * m.l2Hits / std::max<uint64_t>(1, m.l2Lines),
              m.mallBytes / 1e6,
              100.0 * m.mallHits / std::max<uint64_t>(1, m.mallLines),
              m.hbmBytes / 1e6);
  std::printf("waves a SIMD %.2f of %u (%s)\n", t.occupancy.averageWaves,
              t.occupancy.wavesPerSimd,
              sim::occupancyLimitName(t.occupancy.limit));
  for (size_t c = 0; c < sim::stallCauses; ++c)
    std::printf("  %-18s %5.1f %% of wavefront cycles\n",
                sim::stallCauseName(sim::StallCause(c)),
                100.0 * t.stalls[c] / t.waveCycles);
}

} // namespace

int main(int argc, char **argv) {
  Settings s;
  if (!parse(argc, argv, s)) {
    std::fprintf(stderr, "usage: peer-attention OBJECT aiter|triton ...\n");
    return 2;
  }
  std::ifstream file(s.object, std::ios::binary);
  std::vector<uint8_t> image((std::istreambuf_iterator<char>(file)),
                             std::istreambuf_iterator<char>());
  sim::CodeObject object;
  std::string error;
  if (!sim::CodeObject::parse(image, object, error)) {
    std::fprintf(stderr, "%s: %s\n", s.object.c_str(), error.c_str());
    return 1;
  }
  const hip::HIPTable &hip = sim::simulatorHip();
  size_t bytes = size_t(s.batch) * s.heads * s.seq * s.dim * 2;
  void *q = nullptr, *k = nullptr, *v = nullptr, *out = nullptr, *lse = nullptr;
  for (void **pointer : {&q, &k, &v, &out})
    if (hip.hipMalloc(pointer, bytes))
      return 1;
  hip.hipMalloc(&lse, size_t(s.batch) * s.heads * s.seq * 4);
  hip::hipModule_t module = nullptr;
  hip::hipFunction_t function = nullptr;
  if (hip.hipModuleLoadData(&module, image.data()) ||
      hip.hipModuleGetFunction(&function, module,
                               object.kernels[0].name.c_str()))
    return 1;

  float scale = 0.088388f;
  bool aiter = s.maker == "aiter";
  Packed a(aiter ? 16 : 4);
  unsigned grid[3] = {1, unsigned(s.heads), unsigned(s.batch)};
  if (aiter) {
    int row = s.heads * s.dim * 2, head = s.dim * 2;
    for (void *pointer : {out, q, k, v, lse})
      a.add(pointer);
    a.add(scale);
    for (int value :
         {s.seq,       row,
          256 * row,   head,
          s.seq * row, 1,
          row,         head,
          s.seq * row, 5 - 2 * s.causal * (s.heads % 8 != 0 || s.seq > 16384),
          1,           s.seq,
          s.dim,       s.dim,
          s.heads,     row,
          head,        s.seq * row,
          row,         head,
          s.seq * row})
      a.add(value);
    a.add(static_cast<void *>(nullptr));
    a.add(static_cast<void *>(nullptr));
    a.add(s.seq * 4);
    a.bytes.resize(512);
    unsigned tiles = unsigned(s.seq + 255) / 256;
    grid[0] = s.causal ? (tiles + 1) / 2 : tiles;
    s.waves = 8;
  } else {
    int head = s.seq * s.dim, all = head * s.heads;
    for (void *pointer : {q, k, v, out})
      a.add(pointer);
    for (unsigned i = 0; i < 4; ++i)
      for (int value : {all, head, s.dim})
        a.add(value);
    for (int value : {s.heads, 1, s.seq, s.seq})
      a.add(value);
    a.add(scale);
    a.add(static_cast<void *>(nullptr));
    a.add(static_cast<void *>(nullptr));
    grid[0] = unsigned((s.seq + s.blockM - 1) / s.blockM);
  }
  sim::simulatorOptions().threads = s.threads;
  if (!s.plain) {
    sim::simulatorOptions().timing.emplace();
    sim::simulatorOptions().timing->full = s.full;
  }
  size_t size = a.bytes.size();
  void *extra[] = {hip::HIP_LAUNCH_PARAM_BUFFER_POINTER, a.bytes.data(),
                   hip::HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   hip::HIP_LAUNCH_PARAM_END};
  auto start = std::chrono::steady_clock::now();
  if (hip.hipModuleLaunchKernel(function, grid[0], grid[1], grid[2],
                                unsigned(s.waves) * 64, 1, 1, s.lds, nullptr,
                                nullptr, extra)) {
    std::fprintf(stderr, "%s\n", sim::lastLaunch().report.c_str());
    return 1;
  }
  report(s,
         std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
             .count());
  return 0;
}
