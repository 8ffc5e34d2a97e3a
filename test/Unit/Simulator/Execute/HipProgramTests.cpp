//===- HipProgramTests.cpp - HIP programs against the host ----------------===//
//
// Part of tlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every program of test/Simulator/hip is compiled for gfx942 and, as a shared
// object, for the host, by the clang that CMake found; both get the same input.
// Results must be equal bit for bit, but for maths functions, whose first line
// tells a bound in units in the last place. The programs are right, so the
// checkers must find nothing in them, whatever the schedule; and neither they
// nor the number of host threads may change a result.
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <unistd.h>

using namespace tlc::test;
namespace fs = std::filesystem;

namespace {

constexpr unsigned groups = 8, count = groups * 256;

std::vector<std::string> programs() {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto &entry : fs::directory_iterator(TLC_HIP_PROGRAMS, error))
    if (entry.path().extension() == ".hip")
      names.push_back(entry.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

/// Flags that link the device library, if it is installed.
std::string deviceLibrary() {
  std::string folder = TLC_DEVICE_LIBRARY, flags;
  if (folder.empty())
    return "";
  for (const char *name :
       {"ocml", "oclc_isa_version_940", "oclc_finite_only_off",
        "oclc_unsafe_math_off", "oclc_daz_opt_off",
        "oclc_correctly_rounded_sqrt_on", "oclc_wavefrontsize64_on"})
    flags += " -Xclang -mlink-builtin-bitcode -Xclang " + folder + "/" + name +
             ".bc";
  return flags;
}

/// Words of every kind: random, small, and the edges of the formats.
std::vector<uint32_t> makeInput() {
  std::vector<uint32_t> words(count);
  std::mt19937 engine(12345);
  const uint32_t edges[] = {0,          1,          0x7fffffff, 0x80000000,
                            0xffffffff, 0x3f800000, 0xbf800000, 0x7f800000,
                            0xff800000, 0x00800000, 0x00000001, 0x807fffff,
                            0x7f7fffff, 0x33800000, 0x477fe000, 0x38800000};
  for (uint32_t i = 0; i < count; ++i) {
    words[i] = engine();
    if (i % 5 == 1)
      words[i] &= 0xffff;
    if (i % 7 == 3)
      words[i] = edges[engine() % std::size(edges)];
  }
  return words;
}

uint32_t distance(uint32_t a, uint32_t b) {
  auto ordered = [](uint32_t v) {
    int64_t s = int32_t(v);
    return s < 0 ? int64_t(INT32_MIN) - s : s;
  };
  float x, y;
  std::memcpy(&x, &a, 4);
  std::memcpy(&y, &b, 4);
  if (std::isnan(x) && std::isnan(y))
    return 0;
  return uint32_t(
      std::min<int64_t>(std::abs(ordered(a) - ordered(b)), UINT32_MAX));
}

class HipProgram : public ::testing::TestWithParam<std::string> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(HipProgram);

TEST_P(HipProgram, GivesWhatTheHostGives) {
  std::string compiler = TLC_HIP_COMPILER;
  if (compiler.empty())
    GTEST_SKIP() << "no clang for HIP";
  fs::path source = fs::path(TLC_HIP_PROGRAMS) / (GetParam() + ".hip");
  std::vector<uint8_t> text = readFile(source);
  std::string first(text.begin(), std::find(text.begin(), text.end(), '\n'));
  unsigned bound = 0;
  if (size_t at = first.find("BOUND: "); at != first.npos)
    bound = unsigned(std::atoi(first.c_str() + at + 7));
  bool needsLibrary = GetParam().starts_with("math");
  if (needsLibrary && deviceLibrary().empty())
    GTEST_SKIP() << "no device library";

  fs::path folder = fs::temp_directory_path() /
                    ("tlc-hip-" + GetParam() + "-" + std::to_string(getpid()));
  fs::create_directories(folder);
  std::string common = " -std=c++20 -ffp-contract=off " + source.string();
  std::string object = folder / "device.hsaco", host = folder / "host.so";
  std::string deviceCommand =
      compiler +
      " -x hip --offload-arch=gfx942 --cuda-device-only "
      "--no-gpu-bundle-output -nogpulib -nogpuinc -O2 -gline-tables-only" +
      (needsLibrary ? deviceLibrary() : "") + common + " -o " + object;
  std::string hostCommand =
      compiler + " -x c++ -shared -fPIC -O1" + common + " -o " + host;
  ASSERT_EQ(std::system(deviceCommand.c_str()), 0) << deviceCommand;
  ASSERT_EQ(std::system(hostCommand.c_str()), 0) << hostCommand;

  void *library = dlopen(host.c_str(), RTLD_NOW);
  ASSERT_TRUE(library) << dlerror();
  using Run = void (*)(const uint32_t *, uint32_t *, uint32_t);
  Run run = reinterpret_cast<Run>(dlsym(library, "run"));
  unsigned *outputs = static_cast<unsigned *>(dlsym(library, "outputs"));
  ASSERT_TRUE(run && outputs);
  std::vector<uint32_t> input = makeInput();
  std::vector<uint32_t> expected(size_t(count) * *outputs);
  run(input.data(), expected.data(), count);

  Buffer in = Buffer::of(input),
         out = Buffer::of(std::vector<uint32_t>(expected.size()));
  Kernel kernel(object, "run");
  ASSERT_TRUE(kernel.function);
  ASSERT_EQ(kernel({groups}, {256}, 0, in.pointer, out.pointer, count),
            tlc::hip::hipSuccess)
      << tlc::sim::lastLaunch().report;
  std::vector<uint32_t> actual = out.values<uint32_t>();
  unsigned shown = 0;
  for (size_t i = 0; i < expected.size() && shown < 5; ++i) {
    if (actual[i] == expected[i] ||
        (bound && distance(actual[i], expected[i]) <= bound))
      continue;
    ADD_FAILURE() << "element " << i / *outputs << ", output " << i % *outputs
                  << ": " << std::hex << actual[i] << ", the host gives "
                  << expected[i];
    ++shown;
  }
  for (uint64_t seed : {0, 1, 7}) {
    tlc::sim::SimulatorOptions &options = tlc::sim::simulatorOptions();
    options.checkers = true;
    options.scheduleSeed = seed;
    options.threads = seed + 1;
    Buffer again = Buffer::of(std::vector<uint32_t>(expected.size()));
    EXPECT_EQ(kernel({groups}, {256}, 0, in.pointer, again.pointer, count),
              tlc::hip::hipSuccess)
        << tlc::sim::lastLaunch().report;
    options = tlc::sim::SimulatorOptions();
    EXPECT_EQ(again.values<uint32_t>(), actual) << "seed " << seed;
  }
  fs::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(Programs, HipProgram, ::testing::ValuesIn(programs()),
                         [](const auto &info) { return info.param; });

} // namespace
