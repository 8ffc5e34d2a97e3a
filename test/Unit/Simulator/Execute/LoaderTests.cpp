//===- LoaderTests.cpp - Hostile code objects -----------------------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Mutated objects: truncated, with flipped bits, with bytes replaced. Each is
// parsed, loaded and, if it still has a kernel, run under an instruction
// limit. Nothing may crash; whatever is refused is refused in one line.
// Besides a small object of this test, those that Triton made are mutated, if
// they are at hand. TLC_FUZZ_COUNT in the environment sets the number (1000
// without).
//
//===----------------------------------------------------------------------===//

#include "Assembler.h"

#include "tlc/Simulator/Execute/Launch.h"

#include <cstdlib>

using namespace tlc;
using namespace tlc::test;

namespace {

std::vector<uint8_t> sample() {
  return assemble({{"first",
                    "  s_load_dwordx4 s[4:7], s[0:1], 0x0\n"
                    "  s_waitcnt lgkmcnt(0)\n"
                    "  v_lshlrev_b32 v1, 2, v0\n"
                    "  ds_write_b32 v1, v0\n"
                    "  global_load_dword v2, v1, s[4:5]\n"
                    "  s_waitcnt vmcnt(0)\n"
                    "  v_mfma_f32_16x16x16_f16 a[0:3], v[2:3], v[2:3], 0\n"
                    "  v_add_f32 v2, v2, v2\n"
                    "  s_barrier\n"
                    "  global_store_dword v1, v2, s[6:7]\n",
                    256, 64},
                   {"second", "  s_nop 0\n", 0, 0}});
}

class Loader : public ::testing::Test {
protected:
  void SetUp() override {
    if (!hasAssembler())
      GTEST_SKIP() << "no clang to assemble with";
  }
};

TEST_F(Loader, ReadsWhatWasAssembled) {
  sim::CodeObject object;
  std::string error;
  ASSERT_TRUE(sim::CodeObject::parse(sample(), object, error)) << error;
  EXPECT_EQ(object.version, 5u);
  ASSERT_EQ(object.kernels.size(), 2u);
  const sim::KernelInfo &kernel = *object.findKernel("first");
  EXPECT_EQ(kernel.descriptor.groupSegmentFixedSize, 256u);
  EXPECT_EQ(kernel.descriptor.privateSegmentFixedSize, 64u);
  EXPECT_EQ(kernel.descriptor.accumOffset(), 256u);
  EXPECT_EQ(kernel.arguments.size(), 5u);
  EXPECT_EQ(kernel.kernargSize, 64u);
}

TEST_F(Loader, RefusesTruncatedFiles) {
  std::vector<uint8_t> image = sample();
  for (size_t size = 0; size < image.size(); size += 13) {
    sim::CodeObject object;
    std::string error;
    std::span<const uint8_t> cut(image.data(), size);
    if (!sim::CodeObject::parse(cut, object, error)) {
      EXPECT_FALSE(error.empty());
      EXPECT_EQ(error.find('\n'), std::string::npos) << error;
    }
  }
}

/// Flips, replaces and cuts. Headers, metadata and code are a small part of the
/// file: \p aim is where they end.
std::vector<uint8_t> mutate(std::vector<uint8_t> bytes, size_t aim,
                            std::mt19937 &engine) {
  size_t limit = std::min(bytes.size(), aim);
  for (unsigned i = 0, n = 1 + engine() % 4; i < n; ++i) {
    size_t at = engine() % limit;
    switch (engine() % 4) {
    case 0:
      bytes[at] ^= 1u << engine() % 8;
      break;
    case 1:
      bytes[at] = uint8_t(engine());
      break;
    case 2:
      for (size_t k = at; k < at + 8 && k < bytes.size(); ++k)
        bytes[k] = 0xff;
      break;
    case 3:
      if (engine() % 8 == 0)
        bytes.resize(at + 1);
      limit = std::min(limit, bytes.size());
      break;
    }
  }
  bytes.shrink_to_fit(); // sanitizers see what lies beyond the end
  return bytes;
}

/// Small objects of another compiler.
std::vector<std::vector<uint8_t>> otherSamples() {
  std::vector<std::vector<uint8_t>> all;
  for (const char *name : {"add_fp32", "attn_fp16_d64_full_bm64_bn64_w4_s2_"
                                       "wpe2_nk16"}) {
    std::vector<uint8_t> image = readFile(std::string(TLC_SHARED_DATA) +
                                          "/peers/triton/" + name + ".hsaco");
    if (!image.empty())
      all.push_back(image);
  }
  return all;
}

TEST_F(Loader, SurvivesMutations) {
  std::vector<std::vector<uint8_t>> images = otherSamples();
  images.push_back(sample());
  const char *wanted = std::getenv("TLC_FUZZ_COUNT");
  int rounds = wanted ? std::atoi(wanted) : 1000;
  std::mt19937 engine(99);
  sim::DeviceMemory memory(uint64_t(1) << 32);
  const sim::Allocation *data =
      memory.allocate(65536, sim::AllocationKind::Device);
  sim::SimulatorOptions options;
  options.threads = 1;
  int refused = 0, ran = 0, faulted = 0;
  for (int round = 0; round < rounds; ++round) {
    // Mostly the small one, which a mutation is likely to hit where it hurts.
    const std::vector<uint8_t> &image =
        round % 4 ? images.back() : images[round / 4 % images.size()];
    size_t aim = round % 3 ? 0x1800 : image.size();
    std::vector<uint8_t> mutant = mutate(image, aim, engine);
    options.checkers = round % 2;
    options.instructionLimit = options.checkers ? 2000 : 20000;
    std::string error;
    auto loaded = sim::LoadedObject::load(mutant, memory, error);
    if (!loaded) {
      EXPECT_FALSE(error.empty());
      EXPECT_EQ(error.find('\n'), std::string::npos) << error;
      ++refused;
      continue;
    }
    for (const sim::KernelInfo &kernel : loaded->object().kernels) {
      std::vector<uint64_t> arguments(8, data->base);
      sim::LaunchRequest request;
      request.object = loaded.get();
      request.kernel = &kernel;
      request.block[0] = round % 8 ? 64 : 256;
      request.dynamicLds = round % 8 ? 0 : 8192;
      request.arguments = {reinterpret_cast<uint8_t *>(arguments.data()), 64};
      sim::LaunchResult result = runLaunch(request, memory, options);
      if (result.failed)
        EXPECT_FALSE(result.report.empty());
      result.failed ? ++faulted : ++ran;
    }
  }
  // All three ends must have been met, or the test tests nothing.
  EXPECT_GT(refused, rounds / 20);
  EXPECT_GT(ran, rounds / 20);
  EXPECT_GT(faulted, rounds / 100);
}

/// Code of random words and of mangled instructions, decoded, printed and run.
TEST_F(Loader, SurvivesRandomCode) {
  const char *wanted = std::getenv("TLC_FUZZ_COUNT");
  int rounds = wanted ? std::atoi(wanted) : 1000;
  std::mt19937 engine(5);
  std::vector<uint8_t> code(4096);
  for (int round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < 64; ++i)
      code[i] = uint8_t(engine());
    // The encodings with prefixes are hit seldom by chance.
    const uint8_t prefixes[] = {0xd1, 0xd3, 0xd8, 0xdc, 0xe0, 0xe8, 0xc0, 0x7e};
    code[3] = prefixes[round % 8] | (engine() & 3);
    for (uint64_t at = 0; at < 64;) {
      sim::Instruction inst;
      if (!sim::decode({code.data(), 64}, at, inst)) {
        at += 4;
        continue;
      }
      EXPECT_FALSE(sim::toString(inst).empty());
      EXPECT_GE(inst.sizeBytes, 4);
      at += inst.sizeBytes;
    }
  }
}

} // namespace
